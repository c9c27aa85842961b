"""Ranking the messages of one chat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cpu_time import takes_less

from zgadka.search.conversation import Corpus, Hit
from zgadka.search.conversation_index import SEGMENT_GAP, Message
from zgadka.search.query_analysis import features
from zgadka.text.words import index_words

ANN, BOB, CLEO = 1, 2, 3
NAMES = {ANN: ["Ann"], BOB: ["Bob"], CLEO: ["Cleo"]}
START = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def message(number: int, text: str, person: int = ANN, after: timedelta | None = None) -> Message:
    at = START + (after if after is not None else timedelta(minutes=number))
    return Message(number, person, at, index_words(text), features(text))


def corpus(*texts: str | tuple[int, str], apart: timedelta = timedelta(minutes=1)) -> Corpus:
    """Messages of Ann, unless another person is given, numbered from 0, as far apart as said."""
    said = [(ANN, text) if isinstance(text, str) else text for text in texts]
    return Corpus(message(place, text, person, place * apart) for place, (person, text) in enumerate(said))


def ids(hits: Sequence[Hit]) -> list[int]:
    return [hit.id for hit in hits]


def parts(corpus: Corpus, question: str, number: int, **more: Any) -> dict[str, float]:
    hits = corpus.rank(question, names=NAMES, limit=100, explain=True, **more)
    return next(dict(hit.parts) for hit in hits if hit.id == number)


def test_the_message_with_the_rarer_word_comes_first() -> None:
    chat = corpus("we had tea", "tea in the garden", "the lighthouse and tea", "more tea", apart=DAY)
    assert ids(chat.rank("tea at the lighthouse"))[0] == 2


def test_nothing_in_common_finds_nothing() -> None:
    assert corpus("we had tea", "a walk").rank("zeppelin") == []
    assert Corpus().rank("tea") == []
    assert corpus("tea").rank("tea", limit=0) == []


def test_of_equal_messages_the_newer_comes_first() -> None:
    assert ids(corpus("tea", "tea", "tea", apart=DAY).rank("tea")) == [2, 1, 0]


def test_an_answer_is_found_by_the_words_of_the_question_before_it() -> None:
    chat = corpus((BOB, "Which instrument do you play?"), (ANN, "The cello, for years"), *["so what"] * 20, apart=DAY)
    assert "before" not in parts(corpus("cello", "for years", apart=DAY), "cello", 0)
    near = corpus((BOB, "Do you play the cello?"), (ANN, "For years now"), *["so what"] * 20)
    assert parts(near, "cello", 1)["before"] > 0
    assert ids(chat.rank("instrument"))[0] == 0


def test_neighbours_lend_only_within_a_talk() -> None:
    apart = corpus("the cello", "for years", "for years", apart=SEGMENT_GAP + timedelta(seconds=1))
    together = corpus("the cello", "for years", "for years", apart=SEGMENT_GAP)
    assert ids(apart.rank("cello")) == [0]
    assert parts(together, "cello", 1)["before"] > parts(together, "cello", 2)["before_last"] > 0
    assert parts(corpus("for years", "the cello"), "cello", 0)["after"] > 0


def test_a_talk_about_it_lifts_its_messages() -> None:
    chat = Corpus(
        [
            *(message(place, "cello", after=timedelta(minutes=place)) for place in range(4)),
            *(message(place, "so what", after=timedelta(minutes=place)) for place in range(4, 12)),
            message(20, "so what", after=DAY),
        ]
    )
    found = ids(chat.rank("cello", limit=50))
    assert 11 in found
    assert 20 not in found


def test_the_person_whom_the_question_names_is_preferred() -> None:
    chat = corpus((ANN, "I play the cello"), (BOB, "I play the cello"), (CLEO, "I play the cello"), apart=DAY)
    for person, number in ((ANN, 0), (BOB, 1), (CLEO, 2)):
        assert ids(chat.rank(f"Does {NAMES[person][0]} play the cello?", names=NAMES))[0] == number
    assert parts(chat, "What do Ann and Bob play? The cello?", 1)["person"] > 0


def test_i_is_the_one_who_asks_and_you_the_assistant() -> None:
    chat = corpus((0, "the cello"), (ANN, "the cello"), (BOB, "the cello"), apart=DAY)
    assert ids(chat.rank("my cello?", asker=ANN))[0] == 1
    assert ids(chat.rank("your cello?", asker=ANN))[0] == 0
    assert ids(chat.rank("the cello?", asker=ANN)) == [2, 1, 0]


def test_somebody_who_never_spoke_moves_nothing() -> None:
    chat = corpus((ANN, "the cello"), (BOB, "a cello"), apart=DAY)
    assert ids(chat.rank("What did Cleo say of the cello?", names=NAMES)) == [1, 0]


def test_names_of_the_chat_are_no_words_to_look_for() -> None:
    chat = corpus((BOB, "Ann! Ann! Ann, hello!"), (ANN, "I play the cello"), apart=DAY)
    assert ids(chat.rank("What does Ann play?", names=NAMES)) == [1]


@pytest.mark.parametrize(
    ("question", "other", "answer"),
    [
        ("When did you repot the orchid?", "I repot the orchid", "I repot the orchid yesterday"),
        ("How many orchids are there?", "there are orchids", "there are three orchids"),
        ("Who sold the orchid?", "an orchid sold here", "an orchid sold by Mary"),
        ("Where is the orchid?", "the orchid is where?", "the orchid is there"),
    ],
)
def test_what_a_question_asks_for_is_preferred(question: str, other: str, answer: str) -> None:
    assert ids(corpus(answer, other, apart=DAY).rank(question))[0] == 0


def test_a_date_in_the_question_prefers_its_time() -> None:
    chat = corpus(*["a walk in the park"] * 200, apart=DAY)
    nearest = ids(chat.rank("Where was the walk on May 3, 2026?"))
    assert all(abs((START + number * DAY - datetime(2026, 5, 6, tzinfo=UTC)) / DAY) < 8 for number in nearest)
    month = ids(chat.rank("the walk in June"))
    assert {(START + number * DAY).month for number in month} == {6}


def test_a_date_alone_finds_messages_of_its_time() -> None:
    chat = corpus(*["so what"] * 100, apart=DAY)
    found = ids(chat.rank("What was on May 3?", limit=50))
    assert found
    assert {(START + number * DAY).month for number in found} == {5}


def test_last_week_is_understood_by_the_time_of_asking() -> None:
    chat = corpus(*["a walk"] * 60, apart=DAY)
    now = START + 60 * DAY
    assert ids(chat.rank("the walk last week", now=now, limit=5)) != ids(
        chat.rank("the walk last month", now=now, limit=5)
    )


def test_a_kind_of_thing_finds_what_belongs_to_it() -> None:
    chat = corpus("I went surfing", "I went shopping", "I like sports", apart=DAY)
    assert ids(chat.rank("Which sports?")) == [2, 0]


def test_words_that_begin_alike_are_found_and_count_less() -> None:
    chat = corpus("a counsel came", "a counselor came", "nothing", apart=DAY)
    assert ids(chat.rank("counselor")) == [1, 0]


def test_a_question_for_several_things_leans_less_on_one_talk() -> None:
    chat = corpus("read books", "so what", apart=timedelta(minutes=1))
    assert parts(chat, "which books", 1)["session"] < parts(chat, "the books", 1)["session"]


def test_longer_messages_are_held_back() -> None:
    chat = corpus("cello " + "so what then " * 60, "the cello there", *["so what then"] * 30, apart=DAY)
    assert parts(chat, "cello", 0)["words"] < parts(chat, "cello", 1)["words"]


def test_the_parts_add_up_to_the_score() -> None:
    chat = corpus((BOB, "Do you play the cello?"), (ANN, "Since May, with Mary"), (ANN, "It is a cello"))
    cosines = {0: 0.0, 1: 0.7, 2: 1.0}
    hits = chat.rank("When did Ann play cello in March?", names=NAMES, explain=True, cosines=cosines)
    assert len(hits) == 3
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)
    assert {"words", "before", "session", "person", "length", "time", "within", "meaning"} <= {
        name for hit in hits for name in hit.parts
    }
    assert not chat.rank("cello")[0].parts


def test_what_does_not_fit_is_not_returned_and_still_lends() -> None:
    chat = corpus((BOB, "Do you play the cello?"), (ANN, "For years"))
    assert ids(chat.rank("cello", fits=lambda number: number == 1)) == [1]


def test_the_message_that_asks_is_no_answer_and_lends_nothing() -> None:
    chat = corpus("the cello", *["so what"] * 5)
    asking = message(9, "Where is the cello?", BOB, timedelta(minutes=8))
    chat.add(message(8, "good morning", ANN, timedelta(minutes=7)))
    chat.add(asking)
    assert parts(chat, "Where is the cello?", 8).get("after")
    assert "after" not in parts(chat, "Where is the cello?", 8, asking=9)
    assert 9 not in ids(chat.rank("Where is the cello?", asking=9, limit=50))
    assert 9 in ids(chat.rank("cello"))  # it is still there for others
    assert 9 in ids(chat.rank("cello", asking=77))


def test_a_word_in_common_counts_little_beside_meaning_where_it_is_one_of_many() -> None:
    chat = corpus("peanuts make me ill", "tomorrow is fine", "the window is blue", apart=DAY)
    cosines = {0: 0.9, 1: 0.7, 2: 0.4}
    asked = "чи можна гостям ставити на стіл горіхи tomorrow"
    assert ids(chat.rank(asked, cosines=cosines, floor=0.6)) == [0, 1]
    assert ids(chat.rank("tomorrow", cosines=cosines, floor=0.6)) == [1, 0]
    assert ids(chat.rank(asked)) == [1]


def test_nearness_in_meaning_finds_other_words() -> None:
    chat = corpus("we bought a hound", "we bought a bicycle", apart=DAY)
    assert ids(chat.rank("dog?", cosines={0: 0.9, 1: 0.1})) == [0, 1]
    assert ids(chat.rank("dog?", cosines={0: 0.9, 1: 0.1}, floor=0.3)) == [0]
    assert chat.rank("dog?", cosines={0: 0.2, 1: 0.1}, floor=0.3) == []
    assert chat.rank("dog?", cosines={}) == []


def test_a_message_without_a_vector_yet_is_neither_near_nor_far() -> None:
    chat = corpus("hounds", "hounds", "hounds", apart=DAY)
    assert ids(chat.rank("hounds", cosines={0: 1.0, 1: 0.0})) == [0, 2, 1]


def test_vectors_that_are_all_alike_say_nothing() -> None:
    chat = corpus("a", "b", apart=DAY)
    assert all("meaning" not in hit.parts for hit in chat.rank("x", cosines={0: 0.5, 1: 0.5}, explain=True))


def test_a_message_borrows_the_nearness_of_its_neighbours_in_the_talk() -> None:
    chat = corpus("a", "b", "c", apart=timedelta(minutes=1))
    near = {
        hit.id: hit.parts.get("meaning_around", 0.0)
        for hit in chat.rank("x", cosines={0: 1.0, 1: 0.5, 2: 0.0}, explain=True)
    }
    assert near[0] > near[1] > near[2] == 0.0


def test_a_changed_word_is_gone() -> None:
    chat = corpus("the password is xyzzy", "so what")
    assert chat.rank("xyzzy")
    chat.add(message(0, "the password is a secret"))
    assert chat.rank("xyzzy") == []
    assert chat._index is not None
    assert "xyzzi" not in [*chat._index.vocabulary, *chat._index.holders, *chat._index.segment_holders]


TEXTS = st.sampled_from(
    ["tea", "tea?", "my cello and tea", "", "we surf in May", "кава", "photographs of Mary", "two photographers", "ok"]
)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "remove"]),
        st.integers(0, 8),
        TEXTS,
        st.integers(0, 2),
        st.integers(0, 300),
    ),
    max_size=20,
)


@given(
    changes=CHANGES, question=st.sampled_from(["tea", "which sports in May?", "photograph", "Ann's cello", "my кава"])
)
def test_a_patched_corpus_ranks_like_a_fresh_one(changes: list[tuple[str, int, str, int, int]], question: str) -> None:
    patched, kept = Corpus(), dict[int, Message]()
    for what, number, text, person, minutes in changes:
        if what == "add":
            kept[number] = message(number, text, person, timedelta(minutes=minutes))
            patched.add(kept[number])
        else:
            kept.pop(number, None)
            patched.remove(number)
        patched.rank(question, names=NAMES)  # so that there is something to patch
    found = patched.rank(question, names=NAMES, asker=ANN, limit=100, explain=True)
    fresh = Corpus(kept.values()).rank(question, names=NAMES, asker=ANN, limit=100, explain=True)
    scores = {hit.id: hit.score for hit in fresh}
    assert {hit.id: hit.score for hit in found} == pytest.approx(scores)


@given(texts=st.lists(st.text(), max_size=5), question=st.text(), name=st.text())
def test_any_text_can_be_searched_for(texts: list[str], question: str, name: str) -> None:
    chat = corpus(*texts)
    for asked in (question, *texts):
        chat.rank(asked, names={ANN: [name], BOB: []}, asker=BOB, now=START, explain=True)


@pytest.mark.parametrize("text", ["?" * 100_000, "a" * 100_000, "May 3 " * 20_000, "\ud800 \x00 OR AND NOT (*) \"'"])
def test_a_huge_or_broken_text_is_ranked_in_no_time(text: str) -> None:
    assert takes_less(3, lambda: corpus(text, "tea").rank(text, names={ANN: [text[:1000]]}, now=START))
