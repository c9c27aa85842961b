"""Which memories of a scope hold a word, in memory."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.lexical import holders_of
from zgadka.search.memory_index_cache import Words

WORDS = st.sampled_from(["a", "b", "ab", "ba", "aa", "київ"])
TEXTS = st.lists(WORDS, max_size=6)
CHANGES = st.lists(st.tuples(st.integers(1, 6), TEXTS | st.none(), st.sets(WORDS, max_size=3)), max_size=30)


@given(st.dictionaries(st.integers(1, 6), TEXTS), CHANGES)
def test_words_are_found_as_in_the_texts_whatever_was_asked_for_and_changed_before(
    texts: dict[int, list[str]], changes: list[tuple[int, list[str] | None, set[str]]]
) -> None:
    words = Words((memory, " ".join(held)) for memory, held in texts.items())
    for memory, held, asked in changes:
        words.remove(memory)
        texts.pop(memory, None)
        if held is not None:
            words.add(memory, held)
            texts[memory] = held
        found = words.candidates(sorted(asked))
        expected = {word: held for word, held in holders_of(asked, texts.items()).items() if held}
        assert found.holders == expected
        assert found.lengths == {memory: len(held) for memory, held in texts.items()}
        assert (found.size, found.words) == (len(texts), sum(map(len, texts.values())))


def test_what_was_asked_for_stays_as_it_was_when_the_index_goes_on() -> None:
    words = Words([(1, "tea tea"), (2, "coffee")])
    found = words.candidates(["tea"])
    words.add(3, ["tea"])
    words.remove(1)
    assert found.holders == {"tea": {1: 2}}
    assert found.lengths == {1: 2, 2: 1}


def test_a_question_takes_no_room() -> None:
    words = Words([(1, "tea")])
    size = tracked(words)
    found = words.candidates(["tea", *(f"word{number}" for number in range(100))])
    assert found.holders == {"tea": {1: 1}}
    assert tracked(words) == size


def tracked(words: Words) -> tuple[int, int]:
    """What the index says that it takes, and how many words it knows."""
    return words.size, len(cast("Any", words)._holders)


def test_an_index_that_was_emptied_finds_nothing_and_is_smaller() -> None:
    words = Words([(1, "tea tea"), (2, "tea coffee")])
    size = words.size
    words.candidates(["tea", "coffee"])
    for memory in (1, 2):
        words.remove(memory)
    assert words.candidates(["tea"]).holders == {}
    assert words.size < size
