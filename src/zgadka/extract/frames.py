"""What units of known kinds tell: behind "I work as" a job, behind "from" a town, whatever else stands in the sentence.

The patterns are in `patterns/frames_<code>.toml`, whose head says how they are written. A pattern has the words that
make the statement, from its subject on, so it is known whose it is and that it is not denied. What may take it back
stands around it: a condition, somebody who says it, a question, a doubt, the past.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from zgadka.extract import english, frame_values, kinds, nominatives, places, ukrainian, values, wishes
from zgadka.extract.authored_text import GAP
from zgadka.extract.lexicon import pattern_entries
from zgadka.extract.pattern import Candidate
from zgadka.extract.plausibility import assess
from zgadka.extract.subject import Subject, sentence_subject
from zgadka.extract.units import Kinds, Unit, kinds_in
from zgadka.extract.value_rules import ValueRule, value_rule, values_of
from zgadka.extract.values import is_template
from zgadka.text.words import index_words

_OPENS, _CLOSES = "\x01", "\x02"
_FIRST_CODE = 0xE100
_ELEMENT = re.compile(r"(?P<names>[^{}?*+]+|\+)(?P<many>\{\d*,?\d*\}|[?*+])?")
_PART = re.compile(r"@(?P<name>\w+)(?P<many>\S*)")
_OPENED = re.compile(r"<[a-z_]+")
_MAY_BE_LEFT_OUT = re.compile(r"(?:[?*]|\{0?,\d*\}|\{0\})$")
_GROUPS = re.compile(r"\(|\)[?*+]?(?:\{\d*,?\d*\})?|\|")

SINCE_CHILDHOOD = re.compile(r"\b(?:since|when) i was (?:an? )?(?:kid|child|baby|boy|girl|teen\w*)\b", re.IGNORECASE)
"""What names no other person: "asthma since I was a kid"."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One pattern of the file; its head says what the fields mean.

    Attributes:
        entry: The number of the entry that it is of: of its frames the first that fits somewhere counts there.
        is_hint: Whether it only lets one guess: it counts wherever nobody else is spoken of.
        musts: Of each of these some code has to be in the sentence.
    """

    entry: int
    musts: tuple[frozenset[str], ...]
    key: str
    keys: Mapping[str, str]
    expression: str
    needs: frozenset[str]
    values: ValueRule
    sure: bool
    is_anybodys: bool
    may_be_asked: bool
    is_hint: bool = False
    is_firm: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a sentence first has what it needs: all at once would take too long."""
        return re.compile(self.expression)


class Frames:
    """The frames of a language, and the code of each kind and word in them."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.entries = pattern_entries(f"frames_{code}")
        self.kinds = kinds_in(self.entries)
        self._codes: dict[str, str] = {}
        self._codes_of_kinds: dict[frozenset[str], str] = {}
        self._parts: dict[str, str] = {}
        for name, part in self.entries.get("parts", {}).items():
            self._parts[name] = self._expression(part)
        self.verbs_have_persons: bool = self.entries["sentence"].get("verbs_have_persons", False)
        self.frames = tuple(
            frame
            for number, entry in enumerate(self.entries["frames"])
            for frame in self._frames_of(code, entry, number)
        )
        introductions = self.entries.get("introductions", {})
        self.introductions = tuple(self._expression(frame) for frame in introductions.get("frames", ()))
        self.openings = tuple(self._expression(frame) for frame in introductions.get("openings", ()))
        self.introduced: Mapping[str, ValueRule] = {
            key: _rule_of(code, {}, name, self.kinds) for key, name in introductions.get("values", {}).items()
        }

    def _code(self, name: str) -> str:
        if " " in name and name not in self._codes:
            self.kinds.add_phrase(name)
        self.kinds.know(name)
        return self._codes.setdefault(name, chr(_FIRST_CODE + len(self._codes)))

    def _unit(self, names: str) -> str:
        if names == "_":
            return f"{_OPENS}[^{_CLOSES}]*{_CLOSES}"
        codes = "".join(
            self._code(name.replace("_", " ") if name == name.casefold() else name) for name in names.split("|")
        )
        return f"{_OPENS}[^{_CLOSES}{codes}]*[{codes}][^{_CLOSES}]*{_CLOSES}"

    @cached_property
    def _by_code(self) -> Mapping[str, Sequence[int]]:
        """The places of frames by a code that they need, of several that which the fewest need; under "" the others."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        of_frames = [frame.musts if self.verbs_have_persons else (*frame.musts, frame.needs) for frame in self.frames]
        needed = Counter(code for musts in of_frames for must in musts for code in must)
        for index, musts in enumerate(of_frames):
            for code in min(musts, key=lambda must: sum(needed[code] for code in must), default=frozenset({""})):
                places[code].append(index)
        return places

    def that_may_fit(self, codes: Iterable[str]) -> Iterator[Frame]:
        """Yield, in their order, the frames of which what they need may be among these codes."""
        places = {index for code in ("", *codes) for index in self._by_code.get(code, ())}
        yield from map(self.frames.__getitem__, sorted(places))

    def _expression(self, pattern: str) -> str:
        return "".join(self._element(element, pattern) for element in pattern.split())

    def _element(self, element: str, pattern: str) -> str:
        """Return the expression of one element of a frame."""
        if element in self._parts:
            return self._parts[element]
        if element in self._marks:
            return self._marks[element]
        if _OPENED.fullmatch(element):
            return f"(?P{element}>"
        if _GROUPS.fullmatch(element):
            return element
        if element[0] == "!":
            return f"(?!{self._unit(element[1:])})"
        if part := _PART.fullmatch(element):
            return f"(?:{self._parts[part['name']]}){part['many']}"
        unit = _ELEMENT.fullmatch(element)
        if unit is None:
            raise ValueError(f"{element!r} in {pattern!r} is no element of a frame")
        return f"(?:{self._unit(unit['names'])}){unit['many'] or ''}"

    @cached_property
    def _marks(self) -> Mapping[str, str]:
        """The elements that stand for a place: the beginning of a statement, its end, where a value may end."""
        edge, ends = self._unit("EDGE|MARK"), self._unit("|".join(self.entries["sentence"]["ends"]))
        return {
            "^": f"(?:^|{edge})",
            "^^": f"(?:^(?:{self._unit('GREETING|FILLER|MARK|EDGE')})*)",
            "^!": "^",
            "$": f"(?=$|{edge})",
            "%": f"(?=$|{ends})",
            "<": "(?P<value>",
            ">": ")",
            "(": "(?:",
        }

    def _frames_of(self, code: str, entry: Mapping[str, Any], number: int) -> Iterator[Frame]:
        patterns = entry["frame"]
        needs = entry["on"].split()
        for pattern in (patterns,) if isinstance(patterns, str) else patterns:
            yield Frame(
                entry=number,
                musts=self._musts(pattern.split()),
                key=entry.get("key", ""),
                keys=self.entries["tables"][entry["keys"]] if "keys" in entry else {},
                expression=self._expression(pattern),
                needs=self._names(needs),
                values=_rule_of(code, self.entries.get("tables", {}), entry.get("values", "as_said"), self.kinds),
                sure=entry.get("sure", "hint" not in entry),
                is_anybodys=entry.get("of", "me") == "any",
                may_be_asked=entry.get("asked", False),
                is_hint=entry.get("hint", False),
                is_firm=entry.get("sure", False),
            )

    def _names(self, names: Sequence[str]) -> frozenset[str]:
        return frozenset(self._code(name.replace("_", " ") if name == name.casefold() else name) for name in names)

    def _musts(self, tokens: Sequence[str]) -> tuple[frozenset[str], ...]:
        """Return of which codes a frame needs one each; what may be left out needs none."""
        branches: list[list[frozenset[str]]] = [[]]
        at = 0
        while at < len(tokens):
            part = tokens[at]
            if part == "(" or _OPENED.fullmatch(part) or part == "<":
                depth, end = 1, at
                while depth:
                    end += 1
                    depth += 1 if tokens[end] in ("(", "<") or _OPENED.fullmatch(tokens[end]) else 0
                    depth -= 1 if tokens[end] == ">" or tokens[end].startswith(")") else 0
                if not _MAY_BE_LEFT_OUT.search(tokens[end]):
                    branches[-1] += self._musts(tokens[at + 1 : end])
                at = end
            elif part == "|":
                branches.append([])
            elif part[0] not in "@^$%!_" and part not in self._parts and not _MAY_BE_LEFT_OUT.search(part):
                element = _ELEMENT.fullmatch(part)
                if element is None:
                    raise ValueError(f"{part!r} is no element of a frame")
                branches[-1].append(self._names(element["names"].split("|")))
            at += 1
        if len(branches) == 1:
            return tuple(branches[0])
        firsts = [branch[0] for branch in branches if branch]
        return (frozenset[str]().union(*firsts),) if len(firsts) == len(branches) else ()

    def coded(self, units: Sequence[Unit]) -> tuple[str, list[int], set[str]]:
        """Return units as one string, where each begins in it, and all their codes."""
        pieces: list[str] = []
        starts: list[int] = []
        present: set[str] = set()
        at = 0
        for unit in units:
            codes = self._codes_of_kinds.get(unit.kinds)
            if codes is None:
                codes = self._codes_of_kinds[unit.kinds] = "".join(
                    self._codes[kind] for kind in unit.kinds if kind in self._codes
                )
            codes = self._codes.get(unit.word, "") + codes
            present.update(codes)
            piece = f"{_OPENS}{codes}{_CLOSES}"
            starts.append(at)
            at += len(piece)
            pieces.append(piece)
        return "".join(pieces), starts, present


_QUOTATION = re.compile(f"{GAP}[^{GAP}]*{GAP}")


@cache
def frames_of(code: str) -> Frames | None:
    """Return the frames of a language; None where it has none."""
    try:
        return Frames(code)
    except FileNotFoundError:
        return None


def read_frames(
    code: str,
    sentence: str,
    subject: Subject,
    *,
    hedged: bool,
    context: type[Context] | None = None,
    may_hint: bool = True,
) -> tuple[Candidate, ...]:
    """Return what the frames tell of a sentence's writer.

    Args:
        code: The language.
        sentence: One sentence.
        subject: Whom the sentences before it are about.
        hedged: Whether there is a doubt in it.
        context: What weighs a statement by what stands around it; None: what the language's file says.
        may_hint: Whether a question in it may be of the writer's own need.
    """
    frames = frames_of(code)
    if frames is None:
        return ()
    if not any(map(str.isalpha, sentence)):
        return ()
    sentence = _QUOTATION.sub(lambda quotation: GAP * len(quotation[0]), sentence)
    units = frames.kinds.units_of(sentence)
    coded, starts, present = frames.coded(units)
    of_language = context or (_ContextOfVerbs if frames.verbs_have_persons else Context)
    around = of_language(units, sentence, subject, hedged=hedged)
    candidates: list[Candidate] = []
    hints: list[Candidate] = []
    taken: set[tuple[str, int, str]] = set()
    covered: dict[int, list[tuple[int, int]]] = {}
    for frame in frames.that_may_fit(present):
        if frame.is_hint and not may_hint:
            continue
        is_named = frames.verbs_have_persons or not frame.needs.isdisjoint(present)
        if not is_named or any(must.isdisjoint(present) for must in frame.musts):
            continue
        spans = covered.setdefault(frame.entry, [])
        for fit in frame.pattern.finditer(coded):
            if any(start < fit.end() and fit.start() < end for start, end in spans):
                continue
            spans.append(fit.span())
            for candidate, at in _told(frame, fit, units, starts, sentence, around):
                identity = (candidate.key, at, candidate.value)
                if identity not in taken:
                    taken.add(identity)
                    (hints if frame.is_hint else candidates).append(candidate)
    # Who says something in so many words needs no guess.
    return tuple(candidates or hints)


def with_frames(
    existing: Sequence[Candidate], fresh: Sequence[Candidate], *, in_base: bool = False
) -> tuple[Candidate, ...]:
    """Add what frames tell; of what was known already, the certain wins, and of two certain the earlier.

    Args:
        existing: What other patterns told.
        fresh: What frames tell.
        in_base: Whether it is in base forms, so that it wins over the same that is inflected.
    """
    if in_base:
        fresh = [candidate for candidate in fresh if not any(_is_fuller(earlier, candidate) for earlier in existing)]
        existing = [
            earlier
            for earlier in existing
            if not any(_is_inflected(earlier, candidate) and candidate.sure >= earlier.sure for candidate in fresh)
        ]
    told = {(candidate.key, candidate.value.casefold()) for candidate in fresh}
    # "climbing and techno" is two things, where frames tell both.
    candidates = [
        earlier
        for earlier in existing
        if not earlier.sure
        or earlier.key not in ("like", "dislike")
        or len(parts := _AND.split(earlier.value.casefold())) == 1
        or not all((earlier.key, part) in told for part in parts)
    ]
    for candidate in fresh:
        if candidate.key == "location" and candidate.sure:
            # "Hello from Galway"
            candidates = [
                earlier for earlier in candidates if (earlier.key, earlier.value) != ("hometown", candidate.value)
            ]
        same = [earlier for earlier in candidates if _is_same(earlier, candidate)]
        is_fuller = candidate.key in _FULLER and all(len(earlier.value) < len(candidate.value) for earlier in same)
        is_fuller = is_fuller or (candidate.key == "goal" and not any(earlier.sure for earlier in same))
        if any(earlier.sure or not candidate.sure for earlier in same) and not is_fuller:
            continue
        candidates = [earlier for earlier in candidates if earlier not in same]
        candidates.append(candidate)
    return tuple(candidates)


_AND = re.compile(r" (?:and|&|n|і|й|та) ")


def _is_fuller(earlier: Candidate, fresh: Candidate) -> bool:
    """Tell whether what was known says all that a frame does: "школа №12" and "школа", a preference and a liking."""
    if not earlier.sure:
        return False
    if earlier.key == "preference" and fresh.key == "like":
        return fresh.value.casefold()[:_BEGINNING] in earlier.value.casefold()
    if earlier.key != fresh.key:
        return False
    return (
        fresh.key == "diet"
        or (fresh.key == "education" and fresh.value.endswith("курс"))
        or (
            len(earlier.value) > len(fresh.value)
            and len(earlier.value.split()) <= _FEW + 1
            and earlier.value.casefold().startswith(fresh.value.casefold() + " ")
            and fresh.key in _WHOLE
        )
    )


_WHOLE = frozenset({"employer", "hobby", "job"})


def _is_inflected(candidate: Candidate, base: Candidate) -> bool:
    """Tell whether a candidate is another with an ending, or with more words: "Розетці на складі" of "Розетка"."""
    if candidate.key != base.key or candidate.key == "job" or candidate.value == base.value:
        return False
    if candidate.key in ("like", "dislike") and _AND.search(candidate.value):
        return False  # two things
    beginning = base.value.split()[0][:_BEGINNING].casefold()
    return candidate.value.casefold().startswith(beginning[: max(2, len(base.value.split()[0]) - 2)])


_BEGINNING = 5


def _is_same(fresh: Candidate, earlier: Candidate) -> bool:
    words, earlier_words = (frozenset(index_words(candidate.value)) for candidate in (fresh, earlier))
    if fresh.key != earlier.key:
        alike = any({_root(fresh.key), _root(earlier.key)} <= group for group in _ALIKE)
        return (words <= earlier_words or earlier_words <= words) if alike else words == earlier_words
    if fresh.key in SINGLE:
        return True
    if fresh.key == "goal" and " " in fresh.value and " " in earlier.value:
        # "заведу собаку" and "завести собаку"
        words, earlier_words = (
            frozenset(index_words(candidate.value.split(" ", 1)[1])) for candidate in (fresh, earlier)
        )
    return words <= earlier_words or earlier_words <= words


_JESTED = frozenset({"like", "dislike", "allergy", "goal"})
"""Keys of which an idiom may be a known word too: whatever is not plain is asked about."""
_RELATED = frozenset({"employer", "education"})
"""Keys of which frames know more than what is known of them elsewhere."""


def _is_out_of_place(following: Sequence[Unit]) -> bool:
    """Tell whether somebody does a job where nobody does it: "a singer in the shower"."""
    if not following or following[0].word not in ("in", "at"):
        return False
    location: list[Unit] = []
    for unit in following[1:6]:
        if unit.kinds & {"MARK", "EDGE", "SELF"}:
            break
        location.append(unit)
    place_kinds = {
        "TOWN",
        "LAND",
        "WORKPLACE",
        "COMPANY",
        "FIELD",
        "CAPITAL",
        "SCHOOL",
        "INDUSTRY",
        "NUMBER",
        "COUNT",
        "MONTH",
    }
    return bool(location) and not any(unit.kinds & place_kinds for unit in location)


# Keys under which the same may be told.
_ALIKE = (
    frozenset({"like", "hobby", "interest", "preference", "favorite"}),
    frozenset({"language", "skill"}),
    frozenset({"health", "allergy", "diet"}),
    frozenset({"job", "education"}),
    frozenset({"date", "birthday", "anniversary", "deadline"}),
)


def _root(key: str) -> str:
    return "favorite" if key.startswith("favorite_") else key


# "I work in a shop, how do I …?": what is asked about may be somebody else's.
_ASKED_OF = frozenset(
    {"i", "we", "you", "he", "she", "it", "they", "there", "this", "that", "anyone", "someone", "anybody", "the"}
)
_ADDRESSING = frozenset({"know", "see", "guys", "all", "lot", "guessed"})
"""Behind "you": nothing is said of whom one speaks to."""
_PASSING_BY = frozenset({"проїздом", "відрядженні", "відпустці", "гостях", "вихідні", "weekend", "holiday", "vacation"})
"""Behind a place: nobody lives there."""
_OF_QUESTIONS = frozenset({"job", "employer", "education", "location"})
_FULLER = frozenset({"pet", "date"})
SINGLE = frozenset({"name", "age", "location", "hometown", "marital_status", "birthday"})


@cache
def introduction_patterns(code: str) -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    """Return what fits whole fragments of an introduction, and what may stand before one."""
    frames = frames_of(code)
    if frames is None:
        return (), ()
    return tuple(map(re.compile, frames.introductions)), tuple(map(re.compile, frames.openings))


def _told(
    frame: Frame, fit: re.Match[str], units: Sequence[Unit], starts: list[int], sentence: str, context: Context
) -> Iterator[tuple[Candidate, int]]:
    groups = {name: fit.span(name) for name, text in fit.groupdict().items() if text is not None}
    start, stop = (bisect_right(starts, at) - 1 for at in (fit.start(), fit.end() - 1))
    span = groups.get("value")
    if span is None or span[0] == span[1]:
        return
    value_first, value_last = bisect_right(starts, span[0]) - 1, bisect_right(starts, span[1] - 1) - 1
    if frame.is_hint:
        weight = False if context.may_be_hint(value_first, value_last) else None
    else:
        weight = context.weigh(start, stop, value_first, frame=frame, has_no_subject="bare" in groups)
    if weight is None:
        return
    key = frame.key
    if frame.keys:
        relative = units[bisect_right(starts, groups["who"][0]) - 1].word
        base = context.base_of(relative)
        key = frame.keys.get(relative, frame.keys.get(base, relative.replace("-", "_")))
        if not key:
            return
    for value in values_of(frame.values, sentence[units[value_first].start : units[value_last].end].strip()):
        if not value or is_template(value) or (key == "age" and sentence.count(value) > 1):
            continue
        sure = frame.sure and weight
        if key == "location" and any(unit.word in _PASSING_BY for unit in units[value_last + 1 : value_last + 5]):
            continue
        if key == "job" and sure:
            sure = not _is_out_of_place(units[value_last + 1 :])
        candidate = Candidate(key, value, sure=sure, is_firm=frame.is_firm)
        plausible = assess(candidate, sentence) if context.may_be_idiom(key) else candidate
        if plausible is not None:
            yield (plausible if key in _JESTED else candidate), value_first


class Context:
    """What stands around a statement in its sentence."""

    def __init__(self, units: Sequence[Unit], sentence: str, subject: Subject, *, hedged: bool) -> None:
        self._units = units
        self._sentence = sentence
        self._subject = subject
        self._hedged = hedged
        heads = [unit for unit in units if not unit.kinds & {"MARK", "GREETING"}][:3]
        self._is_play = [unit.word for unit in heads[:2]] == ["you", "are"] and heads[-1].word in ("a", "an", "the")
        # The parts of a sentence between marks.
        self._part: list[int] = []
        number = 0
        for unit in units:
            number += "MARK" in unit.kinds
            self._part.append(number)

    def base_of(self, word: str) -> str:
        """Return the form of a word that the tables have."""
        return word.removesuffix("s")

    def may_be_idiom(self, key: str) -> bool:
        """Tell whether a value of a key is held to idioms."""
        return key not in _RELATED

    def weigh(self, start: int, stop: int, value: int, *, frame: Frame, has_no_subject: bool) -> bool | None:
        """Tell whether a statement may be certain; None where it is none of its writer now.

        Args:
            start: Its first unit.
            stop: Its last one.
            value: The first one of its value.
            frame: What it fits.
            has_no_subject: Whether the frame says that its subject is left out; else it is looked for.
        """
        units = self._units
        opening = start
        while opening < stop and "MARK" in units[opening].kinds:
            opening += 1
        part = self._part[opening]
        preceding = self._before(opening)
        following = self._behind(stop)
        if self._is_taken_back(preceding, part, opening):
            return None
        if any("OVER" in unit.kinds for unit in following[:12]):
            return None
        if following and "IF" in following[0].kinds and any("ASKING" in unit.kinds for unit in following):
            return None  # "if anyone asks"
        says_i = any(unit.kinds & {"SELF", "MINE", "ME"} for unit in units[start : stop + 1])
        if (has_no_subject or not says_i) and not frame.is_anybodys and not self._may_leave_out(opening, stop, value):
            return None
        if (
            frame.is_anybodys
            and self._subject == "other"
            and not any("MINE" in unit.kinds for unit in units[: stop + 1])
        ):
            return None
        is_asked = self._is_asked(opening, stop, frame)
        asks_for_name = frame.key == "name" and any(unit.word == "call" for unit in units[start : stop + 1])
        if is_asked and not (frame.may_be_asked or asks_for_name or self._is_wondering(opening, stop)):
            return None
        is_conditional = frame.key in ("date", "goal") and any("UNREAL" in unit.kinds for unit in units[:opening])
        return not (
            (is_asked and frame.key != "name")
            or is_conditional
            or self._is_elsewhere(preceding)
            or self._is_doubted(part, start, stop)
        )

    def may_be_hint(self, start: int, stop: int) -> bool:
        """Tell whether what a sentence lets one guess may be of its writer: nobody else is spoken of in it."""
        if self._subject == "other":
            return False
        around = (*self._units[:start], *self._units[stop + 1 :])
        return not any(
            "PEOPLE" in unit.kinds
            or ("REPORTS" in unit.kinds and unit.word != "goes")
            or ("UNREAL" in unit.kinds and not unit.kinds & {"IF", "WHEN"})
            or ("OTHERS" in unit.kinds and "ANYONE" not in unit.kinds)
            or ("NAME" in unit.kinds and not unit.kinds & {"TOWN", "DISTRICT"})
            for unit in around
        )

    def _is_wondering(self, opening: int, stop: int) -> bool:
        """Tell whether a statement is but doubted by its question mark: "we're kind of engaged?"."""
        told = self._units[opening : stop + 1]
        head = next((unit for unit in self._units if not unit.kinds & {"MARK", "GREETING"}), None)
        says_i = any(unit.kinds & {"SELF", "MINE"} for unit in told)
        return self._hedged and says_i and head is not None and "ASKS" not in head.kinds

    def _units_of(self, part: int) -> list[Unit]:
        return [unit for unit, number in zip(self._units, self._part, strict=True) if number == part]

    def _before(self, opening: int) -> list[Unit]:
        part = self._part[opening]
        return [unit for unit, number in zip(self._units[:opening], self._part, strict=False) if number == part]

    def _behind(self, stop: int) -> list[Unit]:
        part = self._part[stop]
        return [
            unit for unit, number in zip(self._units[stop + 1 :], self._part[stop + 1 :], strict=True) if number == part
        ]

    def _is_taken_back(self, preceding: Sequence[Unit], part: int, opening: int) -> bool:
        """Tell whether what stands before a statement makes it none: a condition, somebody who says it, a denial."""
        for number, unit in enumerate(preceding):
            # "when you suggest recipes, I'm coeliac" says so whenever that is; "when I'm a doctor" does not.
            is_clause = "WHEN" in unit.kinds and any(
                "VERB" in later.kinds or "OPEN" in later.kinds for later in preceding[number + 2 :]
            )
            says_so = unit.word == "say" and any(
                "SELF" in other.kinds for other in preceding[:number]
            )  # "I'd say I'm …"
            if unit.kinds & {"UNREAL", "REPORTS"} and not (is_clause or says_so):
                return True
        # "Supposedly: I live in Kyiv", where nothing else is said before; "as my boss puts it, I live in Kyiv".
        earlier = self._units_of(part - 1)
        earlier = [unit for unit in earlier if "MARK" not in unit.kinds]
        is_introduced = any(unit.kinds & {"UNREAL", "REPORTS"} for unit in earlier)
        if is_introduced and (len(earlier) <= _FEW or "REPORTS" in earlier[-1].kinds):
            return True
        # "you're a bartender, I'm a cowboy": a play
        if self._is_play and opening:
            return True
        if preceding and "LIKE" in preceding[-1].kinds:
            return True
        # "I hate I'm 30"
        starts_anew = opening < len(self._units) and "SELF" in self._units[opening].kinds
        if preceding and starts_anew and "VERB" in preceding[-1].kinds and "DOUBT" not in preceding[-1].kinds:
            return True
        if opening and "UNTIL" in self._units[opening - 1].kinds:
            return True
        # "it isn't true that I live in Lyon", but not "I know nobody here and I'm a nurse"
        edge = max((number for number, unit in enumerate(preceding) if "EDGE" in unit.kinds), default=-1)
        return any("DENIES" in unit.kinds for unit in preceding[edge + 1 :])

    def _is_elsewhere(self, preceding: Sequence[Unit]) -> bool:
        """Tell whether a statement holds somewhere: "in the sims I'm a doctor"."""
        edge = max((number for number, unit in enumerate(preceding) if "EDGE" in unit.kinds), default=-1)
        own = preceding[edge + 1 :]
        # "on Tinder I'm 29", "for Halloween I'm a nurse", but not "on insulin, I'm …" or "for ten years"
        is_at = len(own) > 1 and own[0].word in ("on", "for") and "NUMBER" not in own[1].kinds
        if is_at:
            return True
        inside = next((number for number, unit in enumerate(preceding) if unit.word == "in"), None)
        return inside is not None and any(unit.kinds & {"GAME", "PLAYED"} for unit in preceding[inside:])

    def _may_leave_out(self, opening: int, stop: int, value: int) -> bool:
        """Tell whether what has no subject may be the writer's."""
        if self._subject not in ("self", "nobody") or self._is_of_another(opening, value):
            return False
        # "Born in Kyiv, he moved": whom it is about comes behind.
        part = self._part[stop] + 1
        following = self._units_of(part)[1:4]
        following = [*self._behind(stop)[:1], *following]
        verb = next((unit for unit in self._units[opening:] if "ADV" not in unit.kinds), None)
        is_participle = verb is not None and verb.word.endswith(("ing", "ed", "born"))
        said_before = any("SELF" in unit.kinds for unit in self._units[:opening])
        for unit in following if is_participle and not said_before else ():
            if "SELF" in unit.kinds:
                break
            if unit.kinds & {"OTHERS", "PEOPLE"}:
                return False
        says_i = any(unit.kinds & {"SELF", "MINE"} for unit in self._units)
        # Of what stands first nobody is the subject who comes later.
        says_of_another = any(
            "MARK" in mark.kinds and "THIRD" in verb.kinds and "AUXILIARY" not in verb.kinds
            for mark, verb in pairwise(self._units)
        )  # "45 yo male, presents with cough"
        is_first = self._part[stop] == 0 and "MARK" not in self._units[0].kinds and not says_of_another
        said = self._sentence.split(",")[0] if is_first else self._sentence
        said = SINCE_CHILDHOOD.sub("", said)
        return says_i or sentence_subject(said, self._subject) not in ("other", "somebody")

    def _is_of_another(self, opening: int, value: int) -> bool:
        """Tell whether what leaves its subject out may be somebody else's, or of the past, by what stands before it."""
        units = self._units
        of_another = False
        for number, unit in enumerate(units[:value]):
            if unit.kinds & {"SELF"}:
                of_another = False
            elif (
                unit.kinds & {"PEOPLE", "OTHERS"}
                or self._is_ones_own(number)
                or (number < opening and self._is_said_to(number))
                or (
                    unit.kinds & {"WAS", "THIRD"} and (number < opening or "WAS" in unit.kinds) and unit.word != "would"
                )
            ):
                of_another = True
            elif "NAME" in unit.kinds and "TOWN" not in unit.kinds and number < opening:
                previous = units[number - 1] if number else None
                is_title = any(earlier.word == "the" for earlier in units[max(number - 2, 0) : number])
                of_another = not is_title and (previous is None or not previous.kinds & {"BE", "NAMES"})
        return of_another

    def _is_ones_own(self, number: int) -> bool:
        """Tell whether a clause begins with somebody's child or animal: "my dog's 4 and allergic to chicken"."""
        units = self._units
        is_head = number == 1 or (number > 1 and bool(units[number - 2].kinds & {"MARK", "EDGE"}))
        return is_head and "MINE" in units[number - 1].kinds and bool(units[number].kinds & {"ANIMAL", "KIDS", "KIN"})

    def _is_said_to(self, number: int) -> bool:
        """Tell whether a clause is of whom one speaks to: "you live in Rome and love pizza", not "nice to meet you"."""
        units = self._units
        is_head = number == 0 or bool(units[number - 1].kinds & {"MARK", "EDGE", "FILLER", "GREETING"})
        if units[number].word != "you" or not is_head or number + 1 == len(units):
            return False
        return bool(units[number + 1].kinds & {"VERB", "OPEN"}) and units[number + 1].word not in _ADDRESSING

    def _is_asked(self, opening: int, stop: int, frame: Frame) -> bool:
        """Tell whether a statement is asked about, or part of a question."""
        units = self._units
        in_part = self._units_of(self._part[opening])
        starts = [unit for unit in in_part if "MARK" not in unit.kinds][:1]
        if starts and "ASKS" in starts[0].kinds and units.index(starts[0]) < opening:
            return True
        heads = [unit for unit in units if not unit.kinds & {"MARK", "GREETING", "EDGE"}][:2]
        if len(heads) > 1 and "DENIES" in heads[1].kinds and "?" not in self._sentence:
            return False  # "can't stand cilantro"
        if heads and "ASKS" in heads[0].kinds and "WHEN" not in heads[0].kinds:
            # "how do i tell my boss i work as a nurse", also without its mark
            says_i = any(unit.kinds & {"SELF", "MINE"} for unit in units[opening : stop + 1])
            if not says_i or "AUXILIARY" not in heads[0].kinds or any(unit.word in _ASKED_OF for unit in heads[1:]):
                return True
        if "?" in self._sentence and (frame.key in _OF_QUESTIONS or units[opening].word in ("as", "being")):
            return True  # "As a nurse, what should I …?"
        part = self._part[stop] + 1
        return next((unit.word for unit, number in zip(units, self._part, strict=True) if number == part), "") == "?"

    def _says_more(self, stop: int) -> bool:
        """Tell whether the writer says something else behind a statement, "and i'm …", before its part ends."""
        following = self._behind(stop)
        return any("EDGE" in unit.kinds and "SELF" in later.kinds for unit, later in pairwise(following))

    def _is_doubted(self, part: int, start: int, stop: int) -> bool:
        opening = start
        while opening > 0 and self._part[opening - 1] == part and "EDGE" not in self._units[opening - 1].kinds:
            opening -= 1
        if any("DOUBT" in unit.kinds for unit in self._units[opening:stop]):
            return True
        return self._is_hedged(part, start, stop)

    def _is_hedged(self, part: int, start: int, stop: int) -> bool:
        """Tell whether a doubt of the sentence is one of the statement."""
        if not self._hedged:
            return False
        doubts = [number for unit, number in zip(self._units, self._part, strict=True) if "DOUBT" in unit.kinds]
        # Without any, what says so is not among the words.
        if not doubts or {self._part[start], part, self._part[stop]}.intersection(doubts):
            return True
        # "Freya's turning 8 and I'm thinking of a party, maybe"
        return any(self._is_mere(doubt) for doubt in doubts if doubt <= part or not self._says_more(stop))

    def _is_mere(self, doubt: int) -> bool:
        """Tell whether a part of a sentence is nothing but a doubt, which doubts all of it."""
        units = self._units_of(doubt)
        return sum(not unit.kinds & {"DOUBT", "FILLER", "MARK"} for unit in units) <= _FEW


class _ContextOfVerbs(Context):
    """What stands around a statement in a language whose verbs have their person in them and need no pronoun."""

    def base_of(self, word: str) -> str:
        return kinds.base_of("RELATIVE", word) or word

    def may_be_idiom(self, key: str) -> bool:
        return key in _JESTED - {"hobby", "interest"} or key == "marital_status"

    def weigh(self, start: int, stop: int, value: int, *, frame: Frame, has_no_subject: bool) -> bool | None:
        units = self._units
        opening = start
        while opening < stop and "MARK" in units[opening].kinds:
            opening += 1
        while stop > opening and "MARK" in units[stop].kinds:
            stop -= 1
        preceding = self._before(opening)
        if self._is_of_elsewhere(opening) or (preceding and "LIKE" in preceding[-1].kinds):
            return None
        if any("OVER" in unit.kinds for unit in self._behind(stop)[:12]):
            return None
        if frame.key == "job" and preceding and preceding[-1].word in _TRAINED:
            return None  # "за фахом я економіст": so somebody was trained
        if any("DENIES" in unit.kinds for unit in preceding[-2:]):
            return None  # "не | живу": no pronoun stands between
        edge = max((number for number, unit in enumerate(preceding) if "EDGE" in unit.kinds), default=-1)
        if any("DENIES" in unit.kinds for unit in preceding[edge + 1 :]):
            return None
        if frame.is_anybodys:
            mine = any("MINE" in unit.kinds for unit in units[:value])
            if self._has_owner(opening, stop) or (self._subject == "other" and not mine):
                return None
        elif (has_no_subject or self._leaves_out(start, stop)) and (
            self._subject not in ("self", "nobody") or self._is_of_another(opening, value)
        ):
            return None
        is_asked = self._is_asked(opening, stop, frame)
        if is_asked and not frame.may_be_asked and not self._is_wondering(opening, stop):
            return None
        return not is_asked and not self._is_doubted(self._part[opening], start, stop)

    def _leaves_out(self, start: int, stop: int) -> bool:
        """Tell whether a verb that may be of the third person stands without "я": "у покупця син вступив на мед"."""
        told = self._units[start : stop + 1]
        verb = next((unit for unit in told if unit.kinds & {"PAST", "MEVERB", "THIRD"}), None)
        return verb is not None and "PAST" in verb.kinds and not any(unit.kinds & {"SELF", "MINE"} for unit in told)

    def _is_doubted(self, part: int, start: int, stop: int) -> bool:
        return self._is_hedged(part, start, stop)

    def _is_asked(self, opening: int, stop: int, frame: Frame) -> bool:
        units = self._units
        in_part = self._units_of(self._part[opening])
        starts = [unit for unit in in_part if "MARK" not in unit.kinds][:1]
        if starts and "ASKS" in starts[0].kinds and units.index(starts[0]) < opening:
            return True
        # "я живу в Києві?", "я живу в Києві, так?"
        following = [unit.word for unit, number in zip(units, self._part, strict=True) if number > self._part[stop]]
        mark = next((number for number, word in enumerate(following) if word == "?"), None)
        return mark is not None and mark <= _FEW

    def _has_owner(self, opening: int, stop: int) -> bool:
        """Tell whether somebody else's relative is spoken of: "у Влада батя", "його дружина", "бабуся моєї подруги"."""
        units = self._units
        preceding = self._before(opening)
        if opening > 1 and "SELF" in units[opening - 2].kinds and "MARK" in units[opening - 1].kinds:
            return True  # "я, баба Параска"
        if (
            preceding
            and preceding[-1].kinds & {"OTHERS", "YOU", "NAME", "UNKNOWN", "JOB"}
            and "MINE" not in units[opening].kinds
        ):
            return True
        if any(unit.word in ("у", "в") for unit in preceding) and not any(
            "MINE" in unit.kinds for unit in units[: stop + 1]
        ):
            return True
        following = units[stop + 1 : stop + 3]
        return bool(following) and following[0].word in _OWNERS | {"пише"}

    def _is_of_elsewhere(self, opening: int) -> bool:
        """Tell whether a dream, a condition or somebody's words begin before a statement: "мама каже, що я …"."""
        for number, unit in enumerate(self._units[:opening]):
            if "UNREAL" in unit.kinds:
                return True
            if "REPORTS" in unit.kinds:
                following = [later.word for later in self._units[number + 1 : number + 3]]
                if following and (
                    following[0] in _REPORTED or (following[1:] and following[1] in _REPORTED and following[0] == ",")
                ):
                    return True
        return False

    def _is_of_another(self, opening: int, value: int) -> bool:
        """Tell whether what leaves its subject out may be somebody else's, or of the past, by what stands before it."""
        units = self._units
        of_another = False
        for number, unit in enumerate(units[:value]):
            if unit.kinds & {"SELF"}:
                of_another = False
            elif unit.kinds & {"PEOPLE", "OTHERS", "WAS"} and number < value:
                is_self = any("SELF" in near.kinds for near in units[max(number - 2, 0) : number])
                of_another = of_another if is_self else True  # "я її онука"
            elif (
                number < opening
                and "TOWN" not in unit.kinds
                and ("NAME" in unit.kinds or "JOB_N" in unit.kinds or (number == 0 and "UNKNOWN" in unit.kinds))
            ):
                if any("SELF" in near.kinds for near in units[max(number - 3, 0) : number]):
                    continue  # "я її онука Леся"
                previous = units[number - 1] if number else None
                of_another = previous is None or not previous.kinds & {"BE", "NAMES"}
        return of_another


_FEW = 2
_TRAINED = frozenset({"фахом", "освітою", "дипломом", "спеціальністю"})
_OWNERS = frozenset({"мого", "моєї", "моїх", "твого", "твоєї", "його", "її", "їхній", "їхня", "нашого", "нашої"})
_REPORTED = frozenset({"що", "як", "мовляв", ":", "ніби", "чи"})


_MODULES = {"en": (english,), "uk": (nominatives, ukrainian)}


def _rule_of(code: str, tables: Mapping[str, Mapping[str, str]], name: str, lists: Kinds) -> ValueRule:
    if " " in name:
        return lists.rule(name)
    return value_rule(name, tables, frame_values, wishes, *_MODULES.get(code, ()), values, places)
