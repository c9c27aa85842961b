"""Which sentence a fact's value fits: "You own a bakery", and not "You work as own a bakery"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal

from zgadka.locales import Language

Form = Literal["are", "are_so", "do", "have", "said", "plain"]
"""How a value is told: as what they are, as a predicate of "you" (`are_so`, `do`), as what they have, in their own
words, or after its name; the texts are `chat.told`."""

_CYRILLIC = re.compile("[\u0400-\u04ff]")
_ARTICLE = re.compile(r"(?:an?|the|my|some|no|one|two|three|four|five|\d{1,3})\b", re.IGNORECASE)
_DATED = re.compile(r"(.+?): (.+)", re.DOTALL)

# What verbs of a job are nobody's noun: "run a shop", "fix cars".
_WORK = r"own|run|manage|teach|sell|operate|breed|fix|raise|write|make|co-own|coach(?! driver)"
_OF_WORK = r"work|serve|drive|deliver|lead|train|study|build|design|repair|clean|cook|bake|paint|volunteer|freelance"
_PASTIME = (
    "practi[cs]e|sing|run|jog|swim|cycle|paint|draw|knit|sew|garden|hike|fish|bake|cook|write|read|play|dance|climb"
    "|ski|skate|surf|row|meditate|collect|make|build|crochet|quilt|sculpt|juggle|hunt|birdwatch"
)
_CONDITION = (
    r"pregnant|(?:colou?r-?)?blind|deaf|mute|disabled|sober|sick|ill|infertile|bipolar|obese|healthy|\w*sighted"
    r"|(?:\w+ )?intolerant|\w+less|diabetic|autistic|dyslexic|epileptic|asthmatic|ana?emic|co?eliac|alcoholic|allergic"
    r"|paraly[sz]ed|immunocompromised|neurodivergent|overweight|underweight"
)
_WITH_CONDITION = (
    r"лівша|шульга|правша|дальтонік|(?:діабет|астмат|епілепт)и(?:к|чка)|(?:алергі|гіпертоні|алкоголі)(?:к|чка)"
    r"|аутист(?:ка)?|інвалід(?:ка)?(?: .+)?|донор(?:ка)?|сердечник"
)
_NUMBER_EN = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
_NUMBER_UK = r"(?:двоє|троє|четверо|п['’]ятеро|шестеро|семеро|\d{1,2})"
_COLLECTIVE = {"двох": "двоє", "трьох": "троє", "чотирьох": "четверо", "п’ятьох": "п’ятеро", "п'ятьох": "п'ятеро"}
_WHO_IS_THERE = {
    "доньку": "донька",
    "дочку": "дочка",
    "дитину": "дитина",
    "сина": "син",
    "сестру": "сестра",
    "брата": "брат",
}
_FIRST_PERSON = r"(?i:(?:не )?[а-яіїєґ'’-]*(?:ю|юс[ья]|[жчшщдк]у|[жчшщ]ус[ья])(?: .*)?)"

_FORMS: Mapping[Language, tuple[tuple[str, str, Form], ...]] = {
    "en": (
        ("preference", r"(?:an? )?(?:intro|extro|extra|ambi)vert|.*\b(?:owl|early bird|lark|person|homebody)", "are"),
        ("job", r"(?:semi-)?retired|(?:un|self-)?employed|jobless|out of work|(?:on|between|in) .+", "are_so"),
        ("job", r"(?:.* )?(?:student|pensioner|homemaker|housewife|(?:mo|mu|da)[md]|mother|father|parent)", "are"),
        ("job", rf"(?:{_WORK}) .+|(?:{_OF_WORK}) (?:an?|the|my|our|in|at|for|as|on|with) .+", "do"),
        (
            "health",
            rf"(?:.*[ -])?(?:{_CONDITION})(?: (?:in|with|from|since) .+)?",
            "are_so",
        ),
        ("health", r"(?:bad|broken|sprained|torn|sore|weak|slipped|fractured|stiff) \w*[^s\W]", "have"),
        ("health", r"(?:.* )?(?:condition|disorder|injury|cold|headache|fever|cough|pacemaker|murmur)", "have"),
        ("diet", r"(?:don['’]t|do not|never|can['’]t|cannot|avoid|eat|drink|only eat|follow) .+", "do"),
        ("diet", r"no .+", "plain"),
        ("goal", r"(?!(?:br|s|r|sw|cl|fl|st|str|spr)ing\b)[a-z'-]+ing\b.*", "are_so"),
        ("hobby", rf"(?:{_PASTIME})(?: .+)?|(?:do|go) .+", "do"),
        ("religion", r"(?!.*(?:ism|ity|islam)$).+", "are"),
        ("handedness", r"(?:left|right)-handed|ambidextrous", "are_so"),
        ("child sibling", r"(?![A-Z]).+", "have"),
        ("vehicle", r"[A-Z].*[^s]", "have"),
        ("parents", r"(?:both )?(?:live|work|have|had|own|run|speak|come|were|lived|moved|died|met|teach) .+", "do"),
        ("date", r".+: .+", "plain"),
        ("deadline", r".+: .+", "plain"),
    ),
    "uk": (
        ("preference", r"(?:(?:ін|екс)тра|ін?тро|амбі)верт(?:ка)?|сова|жайворонок|домосід(?:ка)?", "are"),
        ("job", r"(?:на|в|у|без|між|поза|під) .+|безробітн(?:ий|а)|самозайнят(?:ий|а)", "are_so"),
        ("job", r"(?:.* )?(?:студент|школяр|пенсіонер)(?:ка)?(?: .*)?|домогосподарка|учениця|учень", "are"),
        ("job", r"(?:сво(?:я|є|ї)|свій|власн(?:а|е|ий|і)) .+", "have"),
        ("job", r"(?:свою|власну|свого|власного) .+", "plain"),
        ("job", _FIRST_PERSON, "said"),
        ("health", r".+[иі]й|(?:вагітн|глух|сліп|нім|хвор|здоров|тверез|незряч|слабозор|аутичн)а(?: .+)?", "are_so"),
        (
            "health",
            _WITH_CONDITION,
            "are",
        ),
        ("diet", r"(?:лакто|ово)*-?веган(?:ка)?|(?:\w+-?)?(?:вегетаріан|пескетаріан|флекситаріан)(?:ець|ка)", "are"),
        ("diet", r"сироїд(?:ка)?|м['’]ясоїд(?:ка)?", "are"),
        ("diet", r"не (?:п['’]ю|їм|вживаю|споживаю) .+", "do"),
        ("diet", _FIRST_PERSON, "said"),
        ("religion", r"(?!.*(?:ство|ізм|изм|іслам|['’]я|слав.я)$).+", "are"),
        ("child sibling", r"(?![А-ЯІЇЄҐA-Z]).+", "have"),
        (
            "son daughter brother sister mother father",
            r"\d+|\d+ \w+|[а-яіїєґ'’]*(?:дцять|сят|['’]ять|ість|сім)",
            "plain",
        ),
        ("date", r".+: .+", "plain"),
        ("deadline", r".+: .+", "plain"),
    ),
}
_DUE = ("deadline", "дедлайн", "кінцевий термін")
_VERBS_UK = {"п'ю": "п'єте", "п’ю": "п’єте", "їм": "їсте", "вживаю": "вживаєте", "споживаю": "споживаєте"}
_OWN_SCRIPT = frozenset({"job", "health", "diet", "preference", "religion", "child", "sibling"})


@cache
def _compiled(language: Language) -> dict[str, list[tuple[re.Pattern[str], Form]]]:
    compiled: dict[str, list[tuple[re.Pattern[str], Form]]] = {}
    for names, pattern, form in _FORMS[language]:
        for key in names.split():
            compiled.setdefault(key, []).append((re.compile(pattern, re.DOTALL), form))
    return compiled


def without_name(key: str, value: str) -> str:
    """Return the value without the name that it has in itself: "deadline: Friday"."""
    match = _DATED.fullmatch(value)
    return match[2] if key == "deadline" and match is not None and match[1].casefold() in _DUE else value


def form_of(key: str, value: str, language: Language) -> tuple[Form, str] | None:
    """Return how a value is told, and its words for that; None: by the sentence of its key."""
    is_cyrillic = _CYRILLIC.search(value) is not None
    if key in _OWN_SCRIPT and (is_cyrillic if language == "en" else not is_cyrillic and value[:1].islower()):
        return "plain", value
    form: Form | None = next(
        (form for pattern, form in _compiled(language).get(key, ()) if pattern.fullmatch(value)), None
    )
    return None if form is None else (form, _CHANGES[language](key, value, form))


def with_article(value: str, *, names: bool = False) -> str:
    """Return a thing with its article, where English wants one.

    Args:
        names: Whether a name takes one, too: "a Tesla".
    """
    first_word = value.partition(" ")[0]
    is_name = not first_word[:1].islower() or not first_word.isascii()
    if (is_name and not names) or _ARTICLE.match(value) or value.split(" and ", maxsplit=1)[0].endswith("s"):
        return value
    return f"{'an' if first_word[:1].casefold() in 'aeiou' else 'a'} {value}"


def _in_english(key: str, value: str, form: Form) -> str:
    match form:
        case "have" if re.fullmatch(_NUMBER_EN, value):
            return f"{value} {'child' if value in ('one', '1') else 'children'}"
        case "have":
            return with_article(value, names=key == "vehicle")
        case "are" if key != "religion" or value.endswith("ist"):
            return with_article(value)
        case "plain":
            return _DATED.sub(r"\1 (\2)", value)
        case _:
            return value


def _in_ukrainian(key: str, value: str, form: Form) -> str:
    first_word, space, rest = value.partition(" ")
    match form:
        case "have" if key == "child" and (re.fullmatch(_NUMBER_UK, value) or first_word in _COLLECTIVE):
            return f"{_COLLECTIVE.get(first_word, first_word)} {rest or 'дітей'}"
        case "have" if value in _WHO_IS_THERE:
            return _WHO_IS_THERE[value]
        case "do":
            verb, space, rest = rest.partition(" ")
            return f"{first_word} {_VERBS_UK[verb]}{space}{rest}"
        case "plain":
            return _DATED.sub(r"\1 (\2)", value)
        case _:
            return value


_CHANGES: Mapping[Language, Callable[[str, str, Form], str]] = {"en": _in_english, "uk": _in_ukrainian}
