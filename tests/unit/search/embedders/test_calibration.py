"""From which cosine on a text may answer a question, by what a model makes of known pairs."""

from __future__ import annotations

import numpy as np
import pytest

from zgadka.search.embedders.calibration import noise_floor, questions_and_answers
from zgadka.search.embedders.vectors import Matrix, unit_rows

LANGUAGES, TOPICS = 4, 5


def vectors(language_shares: list[float], *, common: float, answers: bool) -> Matrix:
    """A direction that all texts share, one of the language, one of the topic, and one of the text itself."""
    rows = np.zeros((LANGUAGES * TOPICS, 1 + LANGUAGES + TOPICS + 2 * LANGUAGES * TOPICS))
    for row in range(len(rows)):
        language, topic = divmod(row, TOPICS)
        rows[row, 0] = common
        rows[row, 1 + language] = language_shares[language]
        if language_shares[language] == 0:  # the others are not told apart
            rows[row, 1 + LANGUAGES + topic] = 0.3
        rows[row, 1 + LANGUAGES + TOPICS + row + answers * LANGUAGES * TOPICS] = 0.2 + 0.02 * (row % 3)
    return unit_rows(rows)


def test_each_question_has_its_answer_in_each_language():
    questions, answers = questions_and_answers()
    assert len(questions) == len(answers) == LANGUAGES * TOPICS
    assert len({*questions, *answers}) == 2 * LANGUAGES * TOPICS


def test_where_all_texts_are_near_each_other_the_floor_is_below_answers_and_above_the_others():
    questions = vectors([0.0] * LANGUAGES, common=1.0, answers=False)
    answers = vectors([0.0] * LANGUAGES, common=1.0, answers=True)
    cosines = questions @ answers.T
    belongs = np.arange(20)[:, None] % TOPICS == np.arange(20) % TOPICS
    assert cosines[~belongs].min() > 0.8, "as of multilingual-e5"
    assert cosines[~belongs].max() < noise_floor(questions, answers) < cosines[belongs].min()


def test_languages_that_a_model_does_not_know_move_nothing():
    """An English model puts all texts of another language near each other."""
    questions = vectors([0.0, 0.7, 0.7, 0.7], common=0.1, answers=False)
    answers = vectors([0.0, 0.7, 0.7, 0.7], common=0.1, answers=True)
    english = (questions @ answers.T)[:TOPICS, :TOPICS]
    belongs = np.eye(TOPICS, dtype=bool)
    middle = (english[belongs].mean() + english[~belongs].mean()) / 2
    assert noise_floor(questions, answers) == pytest.approx(middle, abs=1e-6)


def test_of_a_model_that_knows_nothing_only_what_chance_cannot_do_counts():
    chance = np.random.default_rng(1)
    questions, answers = (unit_rows(chance.normal(size=(20, 384))) for _ in range(2))
    assert 0.1 < noise_floor(questions, answers) < 0.25
    assert noise_floor(np.ones((20, 1), dtype=np.float32), np.ones((20, 1), dtype=np.float32)) == 0.95
