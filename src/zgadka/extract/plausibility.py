"""How plausible a candidate is: idioms, jokes and passing things fit a pattern too.

"I live in denial" is a sentence about a place only by its form. Whatever is not of a known kind is asked about; what
is figurative is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from zgadka.extract import places, values
from zgadka.extract.lexicon import any_of, named_pattern, words
from zgadka.extract.pattern import Candidate

_Verdict = bool | None
"""True: as sure as it was said; False: to ask about; None: nothing."""


def assess(candidate: Candidate, clause: str) -> Candidate | None:
    """Return the candidate, unsure where it may be an idiom; None where it is one.

    Args:
        candidate: What a pattern matched.
        clause: What it was read from, for the words around the value.
    """
    value = candidate.value
    lower = value.casefold()
    key = "favorite" if candidate.key.startswith("favorite_") else candidate.key
    rule = _RULES.get(key)
    weight = True if rule is None else rule(value, lower, clause)
    if weight is None:
        return None
    sure = weight and not (key in _JESTED and _holds("jest", lower))
    return replace(candidate, sure=candidate.sure and sure)


def runs_on(candidate: Candidate) -> bool:
    """Whether a value reaches over a comma into what else the sentence says: "cilantro, tastes like soap"."""
    return "," in candidate.value and not _may_have_commas(candidate.key, candidate.value)


_JESTED = frozenset(
    {
        *("allergy", "education", "hobby", "skill", "favorite", "job", "employer", "goal", "preference", "interest"),
        "health",
    }
)


def _may_have_commas(key: str, value: str) -> bool:
    if key in ("location", "hometown", "birthplace"):
        return all(part[:1].isupper() or places.is_known_place(part) for part in value.split(", "))
    return key in ("preference", "birthday", "date", "deadline", "anniversary") or _is_list(value)


def _is_list(value: str) -> bool:
    parts = re.split(r",? (?:and|or|&|і|й|та|also) |, ", value)
    short = all(0 < len(part.split()) <= 3 for part in parts)
    return short and (value.count(",") >= 2 or _JOINED.search(value) is not None)


_JOINED = re.compile(r",? (?:and|&|і|й|та) |, (?:especially|particularly|mostly|mainly|особливо|переважно) ")


def _place(value: str, lower: str, clause: str) -> _Verdict:
    if _holds("no_place", lower) or " for " in lower:
        return None
    if places.is_known_place(value) or places.is_known_place(named_pattern("in_state").split(value, maxsplit=1)[0]):
        return True
    # "Ugg boots", "Kyiv is fun": every word of a place's name is written large.
    is_name = all(word[:1].isupper() or word in _IN_NAMES for word in value.split())
    return is_name and _is_capital(value, clause)


_IN_NAMES = frozenset({"of", "the", "de", "la", "upon", "am", "and", "on", "del", "el", "al", "над", "на", "під", "di"})


def _is_capital(value: str, clause: str) -> bool:
    """Whether capitals tell something: they do not where everything is written in them."""
    return value[:1].isupper() and (not clause.isupper() or len(clause) < 4)


def _origin(value: str, lower: str, clause: str) -> _Verdict:
    if _holds("no_origin", lower) or _MOVING.search(lower) or lower.endswith(_TOGETHER_WITH):
        return None
    return _place(value, lower, clause)


# "з Максимом": the instrumental is company, no place.
_TOGETHER_WITH = ("ом", "ем", "єм", "ою", "ею", "єю", "ами", "ями")
_MOVING = re.compile(r"\b(?:на|до|в|у|по|to|at|about|for)\b")


def _name(value: str, lower: str, _clause: str) -> _Verdict:
    if _holds("no_name", lower):
        return None
    # Small letters and nobody known by it: "my name is mud".
    return not value.islower() or lower.split(maxsplit=1)[0] in words("name")


def _age(value: str, _lower: str, clause: str) -> _Verdict:
    if not value.isdigit():
        return True  # in words, of which the statement knows those that can be ages
    if int(value) < _YOUNGEST:
        return None  # four years at a job, a cat
    return int(value) <= _OLDEST or re.search(r"year|рок|рік", clause, re.IGNORECASE) is not None


_YOUNGEST, _OLDEST = 10, 100


def _job(value: str, lower: str, clause: str) -> _Verdict:
    if lower in words("occupation_en") and " " in lower:
        return True  # a team lead is one, a team none
    if lower.startswith("to ") or _INFINITIVE.match(lower) or _holds("no_job", lower):
        return None
    if named_pattern("done").match(lower) or clause.casefold().endswith("for a living") or lower in _occupations():
        return True
    head = re.split(r" (?:of|at|for|in|with|у|в|на) ", lower)[0]
    head_noun = head.split()[-1]
    if re.search(r"[a-z]", head_noun):
        return (
            any(form in _occupations() for form in (head, head_noun))
            or named_pattern("agent_en").search(head_noun) is not None
        )
    forms = (head, head_noun, head.split()[0], head_noun.split("-")[0])
    is_agent = len(head_noun) > 5 and head_noun.endswith(_AGENTS_UK)
    return is_agent or any(form in words("occupation_uk") for form in forms)


@cache
def _occupations() -> frozenset[str]:
    return words("occupation_en") | _STATIONS


# What somebody does who names no profession; the statement knows the rest.
_STATIONS = frozenset({"retired", "unemployed", "self-employed", "waitstaff", "crew", "staff", "chef"})
_INFINITIVE = re.compile(r"\w+(?:ти|тись|тися)\b")
_AGENTS_UK = (
    "ник", "ниця", "тель", "телька", "іст", "ист", "істка", "истка", "лог", "логиня", "граф", "ограф", "навець",
    "навиця", "ознавець", "ер", "ерка", "ор", "орка", "яр", "ярка", "вець", "виця", "мейкер", "щик", "щиця",
)  # fmt: skip


def _employer(value: str, lower: str, clause: str) -> _Verdict:
    leading_word = lower.split(maxsplit=1)[0]
    if re.search(r"\b(?:as|be|is|like|be like|and i)\b", lower) or (lower.upper() == value and _SCHOLAR.search(clause)):
        return None
    if _holds("no_employer", lower) or leading_word.isdigit():
        return None
    if _is_capital(value, clause) or lower in words("company") or leading_word in words("company"):
        return True
    if re.search(r"[a-z]", lower):
        return leading_word in {"a", "an"} or _has("workplace", lower)
    return _stem("workplace_uk").search(lower) is not None


_SCHOLAR = re.compile(r"студент|аспірант|магістр", re.IGNORECASE)


def _education(value: str, lower: str, clause: str) -> _Verdict:
    if _holds("no_study", lower):
        return None
    if re.search(r"[a-z]", lower):
        is_subject = _is_capital(value, clause) or _has("study", lower) or _SUBJECT.search(lower) is not None
        return is_subject or _has("school", lower)
    if value.upper() == value or any(word[:1].isupper() for word in value.split()):
        return True
    if re.search(r"(?:вчу|навча)\w* (?:у|в|на) ", clause.casefold()):
        return _stem("school_uk").search(lower) is not None
    return not lower.startswith(("мен", "людей", "меню", "ситуац", "питанн", "варіант", "нов"))


_SUBJECT = re.compile(r"(?:ology|onomy|ography|osophy|istry|ics|ometry|ulture|tecture|eering|ursing|iatry|acy)\b")


def _liked(value: str, lower: str, clause: str) -> _Verdict:
    if (
        values.liked(value) is None
        or re.search(r"\bi\b", lower)
        or _holds("no_liking", lower)
        or named_pattern("not_liking").search(lower)
    ):
        return None
    if lower.startswith(_OF_PREPOSITION):
        return None
    if (
        lower.startswith(_OWN)
        or named_pattern("passing_taste").search(lower)
        or named_pattern("sarcastic").search(clause)
    ):
        return False
    if lower.startswith("the ") and not _is_capital(value[4:], clause):
        return _has("the_liked", lower[4:])
    return True


_OF_PREPOSITION = ("з ", "із ", "зі ", "від ", "до ")
_OWN = ("свою ", "свій ", "своє ", "мою ")


def _hobby(value: str, lower: str, clause: str) -> _Verdict:
    if _WATCHED.match(lower):
        return True
    if _holds("no_hobby", lower) or places.is_known_place(value):
        return None
    if re.search(r"\bi (?:\w+ )*play ", clause, re.IGNORECASE) or re.search(r"\bграю\b", clause, re.IGNORECASE):
        return _is_capital(value, clause) or _has("played_en", lower) or _stem("played_uk").search(lower) is not None
    if values.liked(value) is None or re.match(
        r"(?:every|all|on|at|in|with|for|a lot|there|outside|щодня|кожн)\b", lower
    ):
        return None
    if lower.startswith("volunteer"):
        return False
    return len(lower.split()) <= _LONG_HOBBY


_WATCHED = re.compile(r"дивлюс[ья] (?:\w+ )?(?:аніме|серіали|фільми|кіно|футбол|стріми|дорами|мультики|детективи)$")
_LONG_HOBBY = 6


def _goal(value: str, lower: str, clause: str) -> _Verdict:
    if _holds("no_goal", lower) or named_pattern("not_aim").search(lower):
        return None
    if re.search(r"\b(?:today|tonight|right now|сьогодні)\b", clause, re.IGNORECASE):
        return None
    role = re.match(r"be(?:come)? an? (?:[a-z]+ )*?([a-z-]+)(?: (?:in|at|for|and|one|some)\b.*|$)", lower)
    if role is not None:  # "be a hippo"
        return _job(value=role[1], lower=role[1], clause=clause) is True or role[1] in _ROLES
    return True


_ROLES = frozenset(
    {"mother", "father", "mom", "mum", "dad", "parent", "grandparent", "citizen", "star", "champion", "owner", "day"}
)


def _favorite(value: str, lower: str, clause: str) -> _Verdict:
    if _holds("no_liking", lower) or re.search(r"^(?:so|such|when|not|being|getting|to|by|at|that|this)\b", lower):
        return None
    if (
        re.match(r".* my (?:all-time )?favou?rite", clause, re.IGNORECASE)
        and not _is_capital(value, clause)
        and not named_pattern("kinds_of_favorites").search(clause)
    ):
        return False
    return len(lower.split()) <= 6


def _relative(_value: str, lower: str, _clause: str) -> _Verdict:
    """Of a relative nothing figurative: "is from Mars", "plays with fire"."""
    if named_pattern("figurative").search(lower) or _holds("jest", lower):
        return None
    residence = re.search(r"\b(?:lives? in|is from|живе (?:у|в|на)|мешкає (?:у|в)) (.+)", lower)
    if residence is not None and _holds("no_place", residence[1]):
        return None
    origin = re.match(r"(?:родом )?(?:з|із|зі) (.+)", lower)
    return None if origin is not None and _holds("no_origin", origin[1]) else True


_NO_VEHICLE = re.compile(
    r"^(?:for|to|with|at) "
    r"|\b(?:bargain|crazy|mad|nuts|coil|wannabe|horse|stocks?|shares|poster|toy|shirt|logo|keys?|loan|wall|home|point|wave"
    r"|bus|taxi|uber|train|trams?|buses|trucks|lorries|taxis|trains|cabs|автобус\w*)\b"
)


def _marital(_value: str, _lower: str, clause: str) -> _Verdict:
    return None if named_pattern("wed_to_things").search(clause) else True


_RELATIONS = (
    "parents", "mother", "father", "brother", "sister", "wife", "husband", "son", "daughter", "grandmother",
    "grandfather", "uncle", "aunt", "cousin", "girlfriend", "boyfriend", "partner", "nephew", "niece",
)  # fmt: skip


def _any_but(*heads: str, pattern: re.Pattern[str] | None = None) -> Callable[[str, str, str], _Verdict]:
    """Return the rule that takes whatever holds none of the words of idioms, and nothing that fits a pattern."""

    def rule(_value: str, lower: str, _clause: str) -> _Verdict:
        is_refused = any(_holds(head, lower) for head in heads) or (pattern and pattern.search(lower))
        return None if is_refused else True

    return rule


_RULES: dict[str, Callable[[str, str, str], _Verdict]] = {
    "location": _place,
    "hometown": _origin,
    "birthplace": _origin,
    "name": _name,
    "age": _age,
    "job": _job,
    "employer": _employer,
    "education": _education,
    "like": _liked,
    "dislike": _liked,
    "interest": _liked,
    "hobby": _hobby,
    "goal": _goal,
    "allergy": _any_but("no_allergy"),
    "favorite": _favorite,
    "skill": _any_but("no_skill", pattern=named_pattern("no_skill")),
    "vehicle": _any_but(pattern=_NO_VEHICLE),
    "marital_status": _marital,
    "preference": _any_but(pattern=named_pattern("no_preference")),
    **dict.fromkeys(_RELATIONS, _relative),
}


def _holds(head: str, text: str) -> bool:
    """Whether one of the words of idioms is in it."""
    return _whole(head, "idioms").search(text) is not None


def _has(head: str, text: str) -> bool:
    """Whether one of the words of a known kind is in it."""
    return _whole(head, "words").search(text) is not None


@cache
def _whole(head: str, table: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){any_of(head, table)}(?![\w-])")


@cache
def _stem(head: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){any_of(head)}")
