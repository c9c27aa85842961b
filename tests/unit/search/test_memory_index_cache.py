"""Which memories of a scope hold a word, in memory."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.ops.recall import weight
from zgadka.search.lexical import holders_of
from zgadka.search.memory_index_cache import Groups, ScopeIndex, Words, glance
from zgadka.stores.cache import Cache
from zgadka.stores.tx.memories import MemoryChange

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


NOW = datetime(2026, 5, 1, tzinfo=UTC)
HERE = Scope(owner=7, space=7, lineage=0)
ELSEWHERE = 8
SPACES = st.sampled_from([HERE.space, ELSEWHERE])


def change_of(id_: int, text: list[str] | None, space: int) -> MemoryChange:
    memory = StoredMemory(
        owner=7, id=id_, kind="note", space=space, lineage=0, content="", canonical="", said_by="1", created_at=NOW,
        updated_at=NOW,
    )  # fmt: skip
    return MemoryChange(id_, None if text is None else memory, text or ())


@given(st.lists(st.tuples(st.integers(1, 4), TEXTS | st.none(), SPACES), max_size=8))
def test_an_index_knows_of_which_kinds_it_has_any(changes: list[tuple[int, list[str] | None, int]]) -> None:
    index = ScopeIndex(HERE, [])
    for id_, text, space in changes:
        index.apply(change_of(id_, text, space))
        assert +index.kinds == Counter(heading.kind for heading in index.headings.values())


@given(
    st.dictionaries(st.integers(1, 4), TEXTS),
    st.lists(st.tuples(st.integers(1, 6), TEXTS | st.none(), SPACES), max_size=4),
    st.lists(st.sets(WORDS, min_size=1, max_size=2), max_size=2),
    st.sets(WORDS, max_size=2),
)
def test_a_glance_finds_by_words_what_an_index_would_that_has_followed_all_changes(
    texts: dict[int, list[str]],
    changes: list[tuple[int, list[str] | None, int]],
    each: list[set[str]],
    any_of: set[str],
) -> None:
    cache, key = Cache(), (7, "memory", HERE)
    followed = Words((id_, " ".join(text)) for id_, text in texts.items())

    def build() -> ScopeIndex:
        index = ScopeIndex(HERE, [])
        index.words = Words((id_, " ".join(text)) for id_, text in texts.items())
        for id_, text in texts.items():
            heading = change_of(id_, text, HERE.space).heading
            assert heading is not None
            index.headings[id_] = heading
        return index

    for _ in range(2):  # it is kept from the second question on
        with cache.index(cast("Any", key), 1, build, generation=0):
            pass
    for number, (id_, text, space) in enumerate(changes):
        cache.changed(7, "memory", 2 + number, [change_of(id_, text, space)])
        followed.remove(id_)
        if text is not None and space == HERE.space:
            followed.add(id_, text)
        tx = cast("Any", SimpleNamespace(glance=cache.glance))
        assert glance(tx, HERE, each, any_of) == followed.holding(each, any_of)


HEADINGS = st.builds(
    lambda id_, updated, confidence, permanent: Heading(
        id_, "fact", HERE.space, 0, "trait", confidence, 0, updated, permanent, None, None, None, "[]", None
    ),
    st.integers(1, 9), st.integers(0, 5).map(lambda years: years * 10**13), st.sampled_from([0.5, 0.9]),
    st.integers(0, 1),
)  # fmt: skip


@given(st.lists(HEADINGS), st.lists(HEADINGS | st.integers(1, 9), max_size=20), st.integers(1, 4))
def test_the_heaviest_are_among_the_newest_of_their_groups_whatever_changed(
    first: list[Heading], changes: list[Heading | int], limit: int
) -> None:
    headings = {heading.id: heading for heading in first}
    groups = Groups(headings)
    for change in changes:
        id_ = change if isinstance(change, int) else change.id
        if id_ in headings:
            groups.remove(id_)
            del headings[id_]
        if not isinstance(change, int):
            headings[id_] = change
            groups.add(id_)
    newest, count = groups.newest({"fact", "note"}, limit)

    def heaviest(of: dict[int, Heading]) -> list[int]:
        return sorted(of, key=lambda id_: (weight(of[id_], 10**14), id_), reverse=True)[:limit]

    assert heaviest(newest) == heaviest(headings)
    assert count == len(headings)
    assert groups.newest({"note"}, limit) == ({}, 0)
    assert sorted(groups.copied()) == sorted(Groups(headings).copied())
