"""Introductions: fragments side by side with no verb, "Maisie, 22, Leeds", "Ingrid, retired midwife, Tromsø".

Fragments count only at the beginning of a message, or behind "about me:", and only where several kinds of them stand
together: a name and an age, a job and a town. One that nothing fits ends it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from zgadka.extract import frame_values, nominatives
from zgadka.extract.frames import SINGLE, Frames, frames_of, introduction_patterns
from zgadka.extract.pattern import Candidate
from zgadka.extract.units import Kinds, Unit

_MOST_SENTENCES = 5
_DASHES = frozenset("-–—")
_MOST_FRAGMENTS = 20
_TABLE = re.compile(r"[^\W\d_],[^\W\d_]|[^\W\d_],\d|\d,[^\W\d_]")


@dataclass(frozen=True)
class _Fragment:
    """What stands between two marks.

    Attributes:
        units: Its units.
        sentence: The sentence that it is of.
        preceding: What stands before it in its sentence.
        mark: The mark before it.
    """

    units: Sequence[Unit]
    sentence: str
    preceding: Sequence[Unit]
    mark: str = ""


@dataclass
class _Run:
    """Fragments side by side of which each tells something.

    Attributes:
        candidates: What they tell.
        starts: Whether nothing but greetings stands before them.
        is_opened: Whether a word says that they are the writer's: "about me".
        is_greeted: Whether the message greets before them.
        preceding: What stands before them in their sentence.
        number: Which fragment of the message they begin with.
    """

    starts: bool
    is_opened: bool
    is_greeted: bool
    preceding: Sequence[Unit]
    number: int
    verbs_have_persons: bool
    candidates: list[Candidate] = field(default_factory=list[Candidate])


def read_introduction(code: str, sentences: Sequence[str]) -> tuple[Candidate, ...]:
    """Return what the first fragments side by side in a message tell of its writer."""
    frames = frames_of(code)
    if frames is None:
        return ()
    patterns, openings = introduction_patterns(code)
    fragments = list(_fragments(frames.kinds, sentences))[:_MOST_FRAGMENTS]
    passed = 0
    says_i = any(unit.kinds & {"SELF", "MINE"} for fragment in fragments for unit in fragment.units)
    is_opened, is_greeted, starts = False, False, True
    run: _Run | None = None
    for number, full in enumerate(fragments):
        if _TABLE.search(full.sentence):
            break  # lines of a table
        fragment, units = full, full.units
        coded, begins, _ = frames.coded(units)
        if run is None and (opening := _longest(openings, coded)):
            opened = bisect_right(begins, opening - 1)
            is_opened = is_opened or (starts and any("INTRODUCES" in unit.kinds for unit in units[:opened]))
            is_greeted = is_greeted or any("GREETING" in unit.kinds for unit in units[:opened])
            fragment = _Fragment(
                units[opened:], fragment.sentence, (*fragment.preceding, *units[:opened]), fragment.mark
            )
            if not fragment.units:
                continue
            coded, begins, _ = frames.coded(fragment.units)
        keys = {candidate.key for candidate in run.candidates} if run is not None else set[str]()
        candidates = _told(frames, patterns, coded, begins, fragment, keys)
        if run is not None and _is_said_of(run, fragment, says_i=says_i):
            candidates = None
        if candidates is None:
            if run is not None and _is_introduction(run, fragments[number:], fragments):
                return _named(run)
            may_pass = frames.verbs_have_persons and starts and run is None and passed < _PASSED
            is_address = may_pass and _is_address(units)
            passed += is_address
            starts = is_address
            # What ends one run may begin another.
            candidates = _told(frames, patterns, coded, begins, fragment, set()) if run is not None else None
            run = None
            if candidates is None:
                continue
        if run is None:
            run = _Run(starts, is_opened, is_greeted, fragment.preceding, number, frames.verbs_have_persons)
        run.candidates.extend(candidates)
    return _named(run) if run is not None and _is_introduction(run, (), fragments) else ()


def _is_said_of(run: _Run, fragment: _Fragment, *, says_i: bool) -> bool:
    """Tell whether a fragment says something of whoever was named: "Steph - vegan, 45", "Steph. Nurse, 30"."""
    if run.is_opened or not run.candidates or run.candidates[-1].key != "name":
        return False
    is_bracketed = any(unit.word == "(" for unit in fragment.preceding) or fragment.mark == "("
    if is_bracketed and not says_i and not run.is_greeted:
        return True  # "Priya (31, analyst, Pune) got the job"
    is_named_alone = not fragment.preceding and not says_i and not run.is_greeted
    return fragment.mark in _SAYS_OF or (is_named_alone and not run.verbs_have_persons)


def _named(run: _Run) -> tuple[Candidate, ...]:
    return tuple(
        replace(candidate, key="name") if candidate.key == "greeted" else candidate for candidate in run.candidates
    )


def _fragments(kinds: Kinds, sentences: Sequence[str]) -> Iterator[_Fragment]:
    for sentence in sentences[:_MOST_SENTENCES]:
        units = kinds.units_of(sentence)
        start = 0
        for number, unit in enumerate(units):
            if unit.word in _DASHES and number and kinds.has_cases:
                return  # "Петро — лікар" is of Petro
            if "MARK" in unit.kinds or unit.word == "/":
                if number > start:
                    yield _Fragment(
                        units[start:number], sentence, units[:start], units[start - 1].word if start else ""
                    )
                start = number + 1
        if start < len(units):
            yield _Fragment(units[start:], sentence, units[:start], units[start - 1].word if start else "")


def _longest(patterns: Sequence[re.Pattern[str]], coded: str) -> int:
    return max((fit.end() for pattern in patterns if (fit := pattern.match(coded)) is not None), default=0)


def _told(
    frames: Frames,
    patterns: Sequence[re.Pattern[str]],
    coded: str,
    starts: list[int],
    fragment: _Fragment,
    earlier_keys: set[str],
) -> tuple[Candidate, ...] | None:
    """Return what a fragment tells; None where it is none of an introduction."""
    units, sentence = fragment.units, fragment.sentence
    for pattern in patterns:
        fit = pattern.fullmatch(coded)
        # Of what is told there is one; a name comes first.
        keys = {key for key, text in fit.groupdict().items() if text} if fit is not None else set[str]()
        if fit is None or keys & earlier_keys & SINGLE or (earlier_keys and keys & {"name", "greeted"}):
            continue
        candidates: list[Candidate] = []
        for key, text in fit.groupdict().items():
            if text:
                start, stop = (bisect_right(starts, at) - 1 for at in (fit.start(key), fit.end(key) - 1))
                if key == "location" and not fragment.preceding and "UNKNOWN" in units[start].kinds:
                    return None  # "Taxi, fourteen years": every sentence begins with a capital
                value = sentence[units[start].start : units[stop].end].strip()
                read = frames.introduced.get(key, _VALUES.get((frames.code, key), frame_values.as_said))(value)
                if read is None:
                    return None
                name = "name" if key == "greeted" else key
                candidates += [Candidate(name, entry) for entry in ((read,) if isinstance(read, str) else read)]
        return tuple(candidates)
    return None


def _is_introduction(run: _Run, following: Sequence[_Fragment], message: Sequence[_Fragment]) -> bool:
    """Tell whether fragments side by side are their writer's introduction."""
    keys = ["name" if candidate.key == "greeted" else candidate.key for candidate in run.candidates]
    kinds = set(keys)
    if any(keys.count(key) > 1 for key in SINGLE):
        return False
    units = [unit for fragment in following for unit in fragment.units]
    if units and "THIRD" in units[0].kinds:
        return False  # "Jess. 33. Nurse. Wants kids."
    is_greeted = (run.is_greeted or run.is_opened) and any(candidate.key == "greeted" for candidate in run.candidates)
    if is_greeted and run.starts:
        return True
    if len(kinds) < _FEWEST:
        return False
    if run.is_opened and run.starts:
        return True
    says_i = any(unit.kinds & {"SELF", "MINE", "MEVERB"} for unit in units)
    if units and not says_i and any("OTHERS" in unit.kinds for unit in units):
        return False
    if run.starts:
        is_of_others = any(unit.kinds & {"THIRD", "PAST", "OTHERS", "PEOPLE"} for unit in units)
        if run.verbs_have_persons:  # "Петро, лікар" is of Petro
            is_plain = len(kinds) > _FEWEST or says_i or (not is_of_others and kinds != {"name", "job"})
        else:
            is_plain = len(kinds) > _FEWEST or not units or says_i
        is_faith = {"religion", "diet"} <= kinds and (says_i or (not units and len(run.candidates) > _FEWEST))
        is_of_one = is_faith or bool(kinds & {"name", "job", "age"})
        return is_plain and is_of_one and bool(kinds - _NAME_AND_PLACE or says_i)
    # In the middle of a message: only more of it, and behind nobody else.
    if any(unit.kinds & {"PEOPLE", "OTHERS", "NAME", "JOB", "REPORTS"} for unit in run.preceding):
        return False
    preceding = [unit for fragment in message[: run.number] for unit in fragment.units]
    latest = next((unit for unit in reversed(preceding) if unit.kinds & {"SELF", "MINE", "PEOPLE", "OTHERS"}), None)
    if latest is not None and latest.kinds & {"PEOPLE", "OTHERS"}:
        return False
    is_full = len(kinds) > _FEWEST or {"name", "age"} <= kinds
    return is_full and any(unit.kinds & {"SELF", "MINE"} for fragment in message for unit in fragment.units)


_VALUES = {
    ("en", "age"): frame_values.years,
    ("uk", "age"): frame_values.years,
    ("uk", "job"): nominatives.job_uk,
    ("uk", "location"): nominatives.town_uk,
    ("uk", "hometown"): nominatives.origin_uk,
    ("uk", "name"): nominatives.name_uk,
    ("uk", "education"): nominatives.school_uk,
    ("uk", "pet"): nominatives.pet_uk,
    ("uk", "hobby"): nominatives.hobby_uk,
}
_FEWEST = 2
_PASSED = 2
_MOST_UNITS = 3
_CALL = re.compile(r"пан[іе]|панове|шановн\w+|дорог\w+|\w+(?:йте|іть|уй|ай)")


def _is_address(units: Sequence[Unit]) -> bool:
    """Tell whether a fragment may be nothing but an address before an introduction: "Пані бото, записуйте"."""
    kinds = {kind for unit in units for kind in unit.kinds}
    is_call = _CALL.fullmatch(units[0].word) or _CALL.fullmatch(units[-1].word)
    return is_call is not None and len(units) <= _MOST_UNITS and not kinds & {
        "SELF", "THIRD", "PAST", "OTHERS", "PEOPLE", "NAME", "JOB", "DENIES", "MEVERB",
    }  # fmt: skip


_SAYS_OF = frozenset({"-", "–", "—", ":"})
_NAME_AND_PLACE = frozenset({"name", "location", "hometown"})
