"""Questions that one fact answers, by the words of several languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from zgadka.text.asked_keys import asked_keys
from zgadka.text.words import query_words

LINES = (Path(__file__).parents[2] / "data/key_questions.tsv").read_text("utf-8").splitlines()
QUESTIONS = [tuple(line.split("\t")[1:]) for line in LINES if not line.startswith("#")]


def test_questions_about_oneself_ask_for_their_key():
    assert [(question, key) for question, key in QUESTIONS if key not in asked_keys(question).wholly] == []


@pytest.mark.parametrize(
    "question",
    [
        *("Where does my brother live?", "What does Olena do for a living?", "Who did I move in with?"),
        *("Чим займається мій брат?", "Де живе Олена?", "What did we say about work on Friday?", "", "?!"),
    ],
)
def test_who_asks_for_something_else_as_well_asks_for_no_key_alone(question):
    assert asked_keys(question).wholly == ()


def test_a_word_of_such_a_question_asks_for_nothing_else():
    assert "location" not in asked_keys("What do I do for a living?").keys
    tokens = query_words("What do I do for a living?")
    assert "job" in tokens
    assert query_words("location")[0] not in tokens
