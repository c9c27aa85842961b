"""Introductions: fragments side by side with no verb, "Maisie, 22, Leeds", "Ingrid, retired midwife, Tromsø".

Fragments count only at the beginning of a message, or behind "about me:", and only where several kinds of them stand
together: a name and an age, a job and a town. One that nothing fits ends it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zgadka.extract import frame_values
from zgadka.extract.frames import frames_of, introduction_patterns
from zgadka.extract.pattern import Candidate
from zgadka.extract.units import Unit

_MOST_SENTENCES = 5


@dataclass(frozen=True)
class _Fragment:
    units: Sequence[Unit]
    sentence: str


def read_introduction(code: str, sentences: Sequence[str]) -> tuple[Candidate, ...]:
    """Return what the fragments at the beginning of a message tell of its writer."""
    frames = frames_of(code)
    if frames is None:
        return ()
    patterns, openings = introduction_patterns(code)
    candidates: list[Candidate] = []
    is_opened = False
    is_broken = False
    rest: list[Unit] = []
    for fragment in _fragments(code, sentences):
        units = fragment.units
        if is_broken:
            rest.extend(units)
            continue
        coded, starts, _ = frames.coded(units)
        if (opening := _longest(openings, coded)) and not candidates:
            is_opened = is_opened or any("INTRODUCES" in unit.kinds for unit in units[: bisect_right(starts, opening - 1)])
            units = units[bisect_right(starts, opening - 1) :]
            if not units:
                continue
            fragment = _Fragment(units, fragment.sentence)
            coded, starts, _ = frames.coded(units)
        told = _told(patterns, coded, starts, fragment, {candidate.key for candidate in candidates})
        if told is None:
            is_broken = True
            rest.extend(units)
            continue
        candidates.extend(told)
    return tuple(candidates) if _is_introduction(candidates, rest, is_opened=is_opened) else ()


def _fragments(code: str, sentences: Sequence[str]) -> Iterator[_Fragment]:
    frames = frames_of(code)
    assert frames is not None
    for sentence in sentences[:_MOST_SENTENCES]:
        fragment: list[Unit] = []
        for unit in frames.kinds.units_of(sentence):
            if unit.kinds & {"MARK"} or unit.word == "/":
                if fragment:
                    yield _Fragment(fragment, sentence)
                fragment = []
            else:
                fragment.append(unit)
        if fragment:
            yield _Fragment(fragment, sentence)


def _longest(patterns: Sequence[re.Pattern[str]], coded: str) -> int:
    return max((fit.end() for pattern in patterns if (fit := pattern.match(coded)) is not None), default=0)


def _told(
    patterns: Sequence[re.Pattern[str]], coded: str, starts: list[int], fragment: _Fragment, known: set[str]
) -> tuple[Candidate, ...] | None:
    """Return what a fragment tells; None where it is none of an introduction."""
    units, sentence = fragment.units, fragment.sentence
    for pattern in patterns:
        fit = pattern.fullmatch(coded)
        # Of what is told there is one; a name comes first.
        keys = {key for key, text in fit.groupdict().items() if text} if fit is not None else set[str]()
        if fit is None or keys & known & _SINGLE or (known and "name" in keys):
            continue
        told: list[Candidate] = []
        for key, text in fit.groupdict().items():
            if text:
                first, last = (bisect_right(starts, at) - 1 for at in (fit.start(key), fit.end(key) - 1))
                value = sentence[units[first].start : units[last].end].strip()
                read = frame_values.years(value) if key == "age" else frame_values.as_said(value)
                if read is None:
                    return None
                told.append(Candidate("name" if key == "greeted" else key, read))
        return tuple(told)
    return None


def _is_introduction(candidates: Sequence[Candidate], rest: Sequence[Unit], *, is_opened: bool) -> bool:
    keys = [candidate.key for candidate in candidates]
    kinds = set(keys)
    if len(kinds) < _FEWEST or any(keys.count(key) > 1 for key in ("name", "age", "location", "hometown")):
        return False
    if is_opened:
        return True
    if rest and "THIRD" in rest[0].kinds:
        return False  # "Jess. 33. Nurse. Wants kids."
    says_i = any(unit.kinds & {"SELF", "MINE"} for unit in rest)
    if rest and not says_i and any("OTHERS" in unit.kinds for unit in rest):
        return False
    is_plain = len(kinds) > _FEWEST or not rest or says_i
    return is_plain and bool(kinds & {"name", "job", "age"}) and bool(kinds - {"name", "location", "hometown"} or says_i)


_FEWEST = 2
_SINGLE = frozenset({"name", "age", "location", "hometown", "marital_status"})
