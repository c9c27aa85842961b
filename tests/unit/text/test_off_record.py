"""Whether a message asks not to be remembered, measured on labelled messages (tests/data/off_record.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from zgadka.extract.rules import extract
from zgadka.text.off_record import is_off_record, may_be_off_record, takes_back, wants_nothing_kept

DATA = Path(__file__).parents[2] / "data"
ROWS = [json.loads(line) for line in (DATA / "off_record.jsonl").read_text("utf-8").splitlines()]


def share(tells: Callable[[str], bool], label: str, name: str | None = None) -> float:
    texts = [row["text"] for row in ROWS if row["label"] == label and name in (None, row["set"])]
    return sum(map(tells, texts)) / len(texts)


def test_wishes_are_found_and_nothing_else_is_taken_for_one() -> None:
    assert share(is_off_record, "off", "second") >= 0.95
    assert share(is_off_record, "off", "third") >= 0.68
    assert share(is_off_record, "off") >= 0.81
    assert share(is_off_record, "on") == 0


def test_nothing_is_stored_of_what_sounds_like_a_wish() -> None:
    assert share(may_be_off_record, "off", "second") >= 0.93
    assert share(may_be_off_record, "off") >= 0.95
    assert share(lambda text: not extract(text).certain, "off") >= 0.95


def test_ordinary_messages_do_not_sound_like_one() -> None:
    rows = [json.loads(line) for line in (DATA / "messages.jsonl").read_text("utf-8").splitlines()]
    sounding = [row for row in rows if may_be_off_record(row["text"])]
    assert len(sounding) <= len(rows) // 100
    assert not [row for row in sounding if row["certain"]]


@pytest.mark.parametrize(
    "text",
    [
        "mum said: don't write it down",
        'The sign says "do not store this here", and I work there',
        "did you save that?",
        "don't tell anybody, I'm a nurse",
        "Don't save that, save Kyiv instead",
        "він сказав: не записуй це",
        "I can't log in to my profile since Monday, I'm in Leeds",
        "we don't store passwords in the database, I'm the admin",
        "don't add it, I'm allergic to nuts",
        "не тримай, сама впораюсь",
        "наш кіт зник без сліду, живемо на Сихові",
    ],
)
def test_what_others_say_and_other_wishes_are_none(text: str) -> None:
    assert not is_off_record(text)
    assert not wants_nothing_kept(text)


@pytest.mark.parametrize("text", ["no, don't save it", "Ні, не зберігай", "please don't remember that, ok?"])
def test_a_wish_alone_tells_nothing(text: str) -> None:
    assert wants_nothing_kept(text)
    assert not is_off_record(text)


def test_a_wish_about_how_to_answer_is_kept_all_the_same() -> None:
    assert [item.key for item in extract("не пиши мені такого. Пиши мені тільки українською").certain] == ["style"]


@pytest.mark.parametrize("text", ["", "\0", "don't store this: " + "x" * 5000, "не " * 600 + "збережи"])
def test_anything_can_be_asked(text: str) -> None:
    assert not is_off_record(text)


@pytest.mark.parametrize(
    "text",
    [
        "that was off the record",
        "that's off the record",
        "keep that off the record",
        "це не для запису",
        "don't save that",
    ],
)
def test_a_wish_about_what_was_just_said_takes_it_back(text: str) -> None:
    assert takes_back(text)


@pytest.mark.parametrize("text", ["off the record:", "what I say next is off the record", "далі не для запису"])
def test_a_wish_about_what_is_said_next_takes_nothing_back(text: str) -> None:
    assert not takes_back(text)
