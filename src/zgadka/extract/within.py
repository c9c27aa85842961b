"""What a sentence tells in part: statements looked for within clauses that no pattern fits as a whole.

People write "been living in Porto for 3 yrs now and still cant order coffee properly". The patterns of `en.toml` have
to fit a clause from end to end, so that nothing they do not know is believed. Here a value is cut out of a clause, and
so the question comes before it whose clause that is, whether it denies, whether it tells of the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from zgadka.extract import english, places, ukrainian, values, wishes
from zgadka.extract.authored_text import GAP
from zgadka.extract.clause import bare_clause, holds_cue
from zgadka.extract.languages import Language
from zgadka.extract.lexicon import language_patterns, named_pattern
from zgadka.extract.pattern import Candidate
from zgadka.extract.plausibility import assess
from zgadka.extract.subject import (
    Subject,
    is_at_somebodys,
    is_of_relative,
    mentions_another,
    next_subject,
    sentence_subject,
    speaks_of_somebody,
    whose,
)
from zgadka.extract.triggers import Triggers
from zgadka.extract.value_rules import ValueRule, value_rule, values_of
from zgadka.extract.values import is_template

_MAX_PIECES = 30
_LONGEST_PIECE = 300


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A statement within a clause; `patterns/within_en.toml` says what its fields mean.

    There are hundreds, of which a message needs a few: each is compiled when it is first looked for.
    """

    key: str
    keys: Mapping[str, str]
    pattern: str
    bare_pattern: str | None
    values: ValueRule
    sure: bool
    is_alone: bool
    is_listed: bool
    is_denied: bool
    is_asked: bool
    is_unreal: bool
    is_past: bool
    is_known: bool
    of: str

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """Finds the statement in a clause."""
        return _compiled(self.pattern).search

    @cached_property
    def search_bare(self) -> Callable[[str], re.Match[str] | None] | None:
        """Finds it where its subject is left out; None where it must not be."""
        return None if self.bare_pattern is None else _compiled(self.bare_pattern).search

    def tell(self, piece: str, *, bare: bool) -> Iterator[tuple[Candidate, re.Match[str]]]:
        """Yield what the clause tells, each with where it stands."""
        search = self.search_bare if bare else self.search
        fit = search(piece) if search is not None else None
        if fit is None:
            return
        text = next(
            (
                fit[name]
                for name in ("value", "value2", "value3", "value4", "value5", "value6", "value7", "value8", "other")
                if fit.groupdict().get(name)
            ),
            "",
        )
        relative = fit["who"].casefold() if self.keys else ""
        key = self.keys.get(relative, relative) if self.keys else self.key
        is_one_of_two = key == "location" and _ANOTHER_PLACE.match(piece, fit.end("value")) is not None
        for value in values_of(self.values, text):
            yield Candidate(key, value, sure=self.sure and not is_one_of_two), fit


@dataclass(frozen=True)
class Readings:
    """The readings of a language, by the words that they need."""

    triggers: Triggers
    readings: tuple[Reading, ...]
    pieces: re.Pattern[str]

    def __len__(self) -> int:
        return len(self.readings)

    def of(self, piece: str) -> Iterator[Reading]:
        """Yield those of which a word stands in a piece of a sentence, in the order of the file."""
        return (self.readings[number] for number in self.triggers.of(piece))


_WORD = re.compile(r"[\w'/-]+")
_ANOTHER_PLACE = re.compile(rf" (?:{places.JOINERS}) (?:in |at |у |в )?[^\W\d_]", re.IGNORECASE)
"""Behind where somebody lives."""
_QUOTED = re.compile(f'[{GAP}"“”«»]')


@cache
def readings_of(code: str) -> Readings:
    """Return the readings of a language, of `patterns/within_<code>.toml`."""
    patterns = language_patterns(f"within_{code}")
    readings: list[Reading] = []
    modules = wishes, {"en": english, "uk": ukrainian}[code], values, places
    me, i = (patterns.entries["sentence"][name] for name in ("me", "i"))
    adverbs = f"(?:{patterns.complete('{ADV}')})"
    for entry in patterns.entries["readings"]:
        pattern = patterns.complete(entry["pattern"])
        readings.append(
            Reading(
                key=entry.get("key", ""),
                keys=patterns.tables[entry["keys"]] if "keys" in entry else {},
                pattern=pattern.replace("@ME@", rf"(?<![\w'])(?:{patterns.complete(me)})").replace(
                    "@I@", rf"(?<![\w'])(?:{patterns.complete(i)})"
                ),
                bare_pattern=r"^" + pattern.replace("@ME@", adverbs).replace("@I@", adverbs)
                if entry.get("bare") or entry.get("listed")
                else None,
                values=value_rule(entry["values"], patterns.tables, *modules),
                sure=entry.get("sure", True) and not entry.get("asked", False),
                is_alone=entry.get("alone", False),
                is_listed=entry.get("listed", False),
                is_denied=entry.get("denied", False),
                is_asked=entry.get("asked", False),
                is_unreal=entry.get("unreal", False),
                is_past=entry.get("past", False),
                is_known=entry.get("known", False),
                of=entry.get("of", "me"),
            )
        )
    return Readings(
        Triggers(entry["on"] for entry in patterns.entries["readings"]),
        tuple(readings),
        _compiled(patterns.complete(patterns.entries["sentence"]["pieces"])),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


Mode = frozenset[str]
"""How a whole sentence is not simply said: some of `asked`, `unreal`, `reported`."""


def read_within(
    language: Language,
    sentence: str,
    subject: Subject,
    *,
    hedged: bool,
    mode: Mode,
    candidates_before: Iterable[Candidate] = (),
    introduced: bool = False,
) -> tuple[Candidate, ...]:
    """Return what is told somewhere in a sentence.

    Args:
        language: Its language.
        sentence: One sentence.
        subject: Whom the sentences before it are about.
        hedged: Whether there is a doubt in it.
        mode: How it is not simply said.
        candidates_before: What patterns that fit whole clauses found in it, which wins.
        introduced: Whether the sentence before said who its writer is, so that "71." goes on with it.
    """
    readings = readings_of(language.code)
    stated, softened = _MODAL.subn(_without_modal, sentence)
    hedged = hedged or softened > 0
    candidates = list(candidates_before)
    first_number = len(candidates)
    subject = sentence_subject(stated, subject)
    if hedged and subject == "nobody":
        subject, introduced = "self", True  # "sort of a baker": it is only asked about
    if subject == "nobody" and named_pattern("writer").search(stated) and not mentions_another(stated):
        subject = "self"
    is_over = False
    introduced = introduced or introduces(candidates)
    for number, piece in enumerate(readings.pieces.split(stated)[:_MAX_PIECES]):
        bare = bare_clause(language, piece)
        if not bare or len(bare) > _LONGEST_PIECE:
            continue
        if _QUOTED.search(piece):
            # «ти» is a word of a wish; else what stands in quotation marks is somebody's.
            subject = next_subject(bare, (), subject)
            wish = _QUOTED.sub("", piece).strip(" ,.;:!?")
            candidates += _wishes(language, readings, wish)
            continue
        # "I used to run, meditate and live in Bali": what leaves its subject out shares its time and its denial.
        is_over = _is_over(language, bare) or (is_over and not named_pattern("writer").search(bare))
        fresh = tuple(
            candidate
            for candidate, is_bare in _told(
                language,
                readings,
                bare,
                subject,
                mode=mode,
                is_first=number == 0,
                introduced=introduced,
                full=piece.strip(" ,.;:!?"),
            )
            if not (is_bare and is_over)
        )
        candidates += [candidate for candidate in fresh if not _is_known(candidate, candidates)]
        introduced = introduces(fresh) or (introduced and number == 0)
        # "I cook for my wife, vegan": what leaves its subject out behind somebody is hardly its writer's.
        subject = (
            "other"
            if speaks_of_somebody(bare)
            else next_subject(bare, tuple(c for c in fresh if c.key != "style"), subject)
        )
    sure = not hedged and not mode & {"asked", "unreal"}
    return tuple(
        candidate
        if candidate.sure and (sure or (candidate.key == "style" and not hedged and "asked" not in mode))
        else replace(candidate, sure=False)
        for candidate in candidates[first_number:]
    )


# "I might have asthma", "I seem to be the team lead".
_MODAL = re.compile(
    r"(?:^|(?<=\W))(?:(?P<who>i|we) |^)(?:may or may not|may|might|seem to|appear to|must) (?P<verb>be|have)(?= )",
    re.IGNORECASE,
)


def _without_modal(match: re.Match[str]) -> str:
    return f"{match['who'] or 'i'} {'am' if match['verb'].casefold() == 'be' else 'have'}"


_OF_INTRODUCTIONS = frozenset(
    {
        "name",
        "age",
        "job",
        "hometown",
        "nationality",
        "location",
        "marital_status",
        "child",
        "pet",
        "health",
        "allergy",
        "diet",
    }
)


def introduces(candidates: Iterable[Candidate]) -> bool:
    """Tell whether somebody said who they are, so that a list may go on with it: "71.", "two teenagers"."""
    return any(candidate.key in _OF_INTRODUCTIONS for candidate in candidates)


def _wishes(language: Language, readings: Readings, wish: str) -> list[Candidate]:
    return [
        checked
        for reading in readings.of(wish)
        if reading.of == "answers"
        for candidate, fit in reading.tell(wish, bare=False)
        if (checked := _checked(language, reading, candidate, wish, fit)) is not None
    ]


def _is_over(language: Language, bare: str) -> bool:
    return named_pattern("negated").search(bare) is not None or holds_cue(f"past_{language.code}", bare.casefold())


def _told(
    language: Language,
    readings: Readings,
    bare: str,
    subject: Subject,
    *,
    mode: Mode,
    is_first: bool,
    introduced: bool,
    full: str,
) -> Iterator[tuple[Candidate, bool]]:
    """Yield what a piece of a sentence tells, and whether it left its subject out."""
    speaker = whose(bare)
    may_leave_out = speaker == "self" or (speaker == "unsaid" and subject in ("self", "nobody"))
    for reading in readings.of(full):
        if not _suits(reading, mode):
            continue
        forms = [False] if speaker == "self" or reading.of != "me" else []
        is_opening = is_first and reading.is_alone
        if may_leave_out and (
            is_opening or ((subject == "self" or speaker == "self") and (introduced or not reading.is_listed))
        ):
            forms.append(True)
        if reading.of == "kin" and subject == "other" and not _OWNED.search(bare):
            continue
        if reading.of in ("kin", "any") and is_at_somebodys(bare):
            continue
        if reading.of == "any" and (speaker == "other" or subject in ("other", "kin")):
            continue
        for is_bare in forms:
            results = [
                (checked, is_bare)
                for candidate, fit in reading.tell(full if reading.of == "answers" else bare, bare=is_bare)
                if (checked := _checked(language, reading, candidate, bare, fit)) is not None
            ]
            if results:
                yield from results
                break


def _suits(reading: Reading, mode: Mode) -> bool:
    if reading.of == "answers":
        return True
    if "reported" in mode:
        return False
    return ("asked" not in mode or reading.is_asked) and ("unreal" not in mode or reading.is_unreal)


def _checked(
    language: Language, reading: Reading, candidate: Candidate, bare: str, fit: re.Match[str]
) -> Candidate | None:
    if is_template(candidate.value):
        return None
    if candidate.key == "age" and bare.count(candidate.value) > 1:
        return None  # "I'm 25 and by 25 I mean 52"
    if reading.of == "answers":
        return None if holds_cue(f"forget_{language.code}", bare.casefold()) else candidate
    around = bare.replace(candidate.value, " ")
    if not reading.is_denied and (
        named_pattern("negated").search(around) or named_pattern("called_off").search(around)
    ):
        return None
    if not reading.is_past and holds_cue(f"past_{language.code}", around.casefold()):
        return None
    if is_of_relative(candidate):
        return candidate
    assessed = assess(candidate, bare)
    if assessed is None or (
        candidate.value.endswith("ing") and _GOES_ON.search(bare[fit.start() :].partition(candidate.value)[2])
    ):
        return None
    checked = candidate if reading.is_known else assessed
    if not named_pattern("may_precede").fullmatch(bare[: fit.start()]):
        checked = replace(checked, sure=False)  # "in the Sims I'm a doctor"
    if language.code == "uk" and checked.key in wishes.OBJECTS:
        checked = replace(checked, value=wishes.nominative_object(checked.value))
    return checked


# "I like being | around people": what is liked goes on behind the value.
_GOES_ON = re.compile(
    r"^ (?:with|in|on|at|for|around|to|about|over|through|near|by|from|all|most|back)\b", re.IGNORECASE
)


_OWNED = re.compile(
    r"(?<![\w'])(?:i|we|my|our|я|мій|моя|моє|мої|моїй|мого|наш|наша|наше|(?:у|в) (?:мене|нас))(?![\w])", re.IGNORECASE
)


_SEVERAL = frozenset(
    {"like", "dislike", "hobby", "goal", "pet", "allergy", "health", "style", "language", "preference", "child", "date"}
)


def _is_known(candidate: Candidate, candidates: Iterable[Candidate]) -> bool:
    value = _words(candidate.value)
    for earlier in candidates:
        if (candidate.key == "style") != (earlier.key == "style"):
            continue
        if earlier.key == candidate.key and candidate.key not in _SEVERAL:
            return True
        earlier_value = _words(earlier.value)
        if value <= earlier_value or earlier_value <= value:
            return True
    return False


def _words(value: str) -> frozenset[str]:
    return frozenset(_WORD.findall(wishes.nominative_object(value).casefold()))
