"""Where a stretch of talk ends, and what is told of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.segmentation import BLOCK, Piece, boundaries, summarize

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAP = timedelta(minutes=30)

WEDDING = [
    "We should choose a venue for the wedding",
    "The garden venue has room for eighty guests",
    "My mother wants a church wedding with many guests",
    "Let us invite eighty guests to the garden",
    "The wedding cake must be chocolate",
    "Then the guests get cake in the garden",
]
SERVER = [
    "The server crashed again this morning",
    "Memory of the database ran out",
    "Restarting the database made the server answer",
    "We need monitoring on every server",
    "Alerts before the database crashed would help",
    "I will set up monitoring for the memory",
]
MOVE = ["Ми переїжджаємо до Львова", "У Львові вже є квартира", "Квартиру треба фарбувати", "Фарбу купимо у Львові"]


def said(*texts: str | None, minutes: float = 1) -> list[Piece]:
    return [Piece(START + timedelta(minutes=minutes * n), text) for n, text in enumerate(texts)]


def ends(pieces: list[Piece], *, least: int = 4, most: int = 50, now: datetime | None = None) -> list[int]:
    return boundaries(pieces, now or pieces[-1].at, min_size=least, max_size=most, gap=GAP)


def test_talk_about_one_thing_goes_on():
    assert ends(said(*WEDDING, *WEDDING)) == []


def test_a_silence_ends_a_stretch_and_so_does_the_one_that_lasts():
    pieces = [*said("one", "two"), Piece(START + timedelta(minutes=31), "three")]
    assert ends(pieces) == [2]
    assert ends(pieces, now=pieces[-1].at + GAP) == [2, 3]


def test_a_stretch_ends_at_its_greatest_length():
    assert ends(said(*["ok"] * 23), most=10) == [10, 20]


def test_other_words_end_a_stretch_where_they_begin():
    assert ends(said(*WEDDING, *SERVER)) == [len(WEDDING)]


def test_the_assistants_words_are_no_topic():
    """It greets and sums up in the same words whatever people talk about."""
    lines = [line for text in (*WEDDING, *SERVER) for line in (text, None)]
    assert ends(said(*lines)) == [2 * len(WEDDING)]


def test_other_words_in_another_script_are_the_same_words():
    """У Львові and Львова are one word, and so is the flat in every case."""
    assert ends(said(*MOVE, *MOVE)) == []


def test_a_short_stretch_is_not_cut_by_other_words():
    assert ends(said(*WEDDING, *SERVER), least=7) == []


def test_words_that_say_nothing_end_nothing():
    assert ends(said(*WEDDING, "ok", "lol", "yes", "haha", "hm", "ok")) == []


def test_a_change_of_topic_is_found_only_once_enough_was_said_of_the_next():
    whole = [*WEDDING, *SERVER]
    assert ends(said(*whole[: len(WEDDING) + BLOCK - 1])) == []
    assert ends(said(*whole[: len(WEDDING) + BLOCK])) == [len(WEDDING)]


TEXTS = st.lists(st.sampled_from([*WEDDING, *SERVER, *MOVE, None]), min_size=1, max_size=60)
SPANS = st.lists(st.sampled_from([0.1, 1.0, 29.0, 31.0]), min_size=60, max_size=60)


@given(TEXTS, SPANS, st.integers(1, 60))
def test_what_is_said_later_moves_no_end_that_was_found(texts, spans, seen):
    at, pieces = START, list[Piece]()
    for text, span in zip(texts, spans, strict=False):
        at += timedelta(minutes=span)
        pieces.append(Piece(at, text))
    early = ends(pieces[:seen])
    whole = ends(pieces)
    assert whole[: len(early)] == early
    assert whole == sorted(set(whole))
    assert all(later - sooner <= 50 for sooner, later in zip([0, *whole], whole, strict=False))


def test_it_is_told_in_the_peoples_own_words():
    story = summarize(WEDDING)
    assert story is not None
    assert story.topic == "guests, wedding, garden"
    quoted = [text for text in WEDDING if f"“{text}”" in story.summary]
    assert len(quoted) == 3
    assert story.summary == " … ".join(f"“{text}”" for text in quoted)


def test_a_word_in_several_forms_is_one_topic():
    story = summarize(MOVE)
    assert story is not None
    assert story.topic.split(", ")[0] == "Львова"


@pytest.mark.parametrize("texts", [[], ["hi"], ["hi", "how are you", "fine"], ["42", "42 42"], ["😀", "😀"]])
def test_small_talk_has_no_story(texts):
    assert summarize(texts) is None


@given(st.lists(st.text(max_size=300), max_size=20))
def test_any_text_can_be_told(texts):
    story = summarize(texts)
    assert story is None or (0 < len(story.topic) <= 200 and len(story.summary) <= 700)
