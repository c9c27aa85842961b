"""From which cosine on a text may answer a question: measured for each model, since none of them says.

A model of many languages puts any two texts near each other, and a question farther from its answer than one statement
from another. So it is measured on questions and what answers them, each as the model wants it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy comes with an extra
    from zgadka.search.embedders.vectors import Matrix

_SIZE = 5
"""Pairs in each language."""
_KNOWN_DEVIATIONS = 1.5
"""A model knows a language where answers are nearer than other texts by so much. Measured: all-MiniLM 6.7 in English,
up to 1.2 elsewhere, where it puts any two texts near each other; multilingual-e5-small 2.1 to 4.4."""
_FLOOR_DEVIATIONS, _HIGHEST_FLOOR = 3.0, 0.95


@cache
def questions_and_answers() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The questions of `data/calibration.toml`, language by language, and what answers each."""
    table = tomllib.loads(files("zgadka.search").joinpath("data/calibration.toml").read_text("utf-8"))
    questions, answers = zip(*(pair for pairs in table.values() for pair in pairs), strict=True)
    return questions, answers


def noise_floor(questions: Matrix, answers: Matrix) -> float:
    """The cosine up to which a text has nothing to do with a question.

    It lies midway between those of answers and of other texts, within and across the languages that the model knows.

    Args:
        questions: The vectors of the questions.
        answers: Those of the answers, in the same order.
    """
    cosines: list[list[float]] = (questions @ answers.T).tolist()
    languages = [range(start, start + _SIZE) for start in range(0, len(cosines), _SIZE)]
    known_languages = [rows for rows in languages if _is_known(*_divided(cosines, rows))]
    near, far = _divided(cosines, [row for rows in known_languages or languages for row in rows])
    if not known_languages:  # it finds no answer; what it puts nearest is as near as chance has it
        return min(fmean(far) + _FLOOR_DEVIATIONS * pstdev(far), _HIGHEST_FLOOR)
    return (fmean(near) + fmean(far)) / 2


def _divided(cosines: Sequence[Sequence[float]], rows: Sequence[int]) -> tuple[list[float], list[float]]:
    """The cosines of answers, and those of other texts."""
    near = [cosines[row][column] for row in rows for column in rows if row % _SIZE == column % _SIZE]
    far = [cosines[row][column] for row in rows for column in rows if row % _SIZE != column % _SIZE]
    return near, far


def _is_known(near: Sequence[float], far: Sequence[float]) -> bool:
    return fmean(near) > fmean(far) + _KNOWN_DEVIATIONS * pstdev(far)
