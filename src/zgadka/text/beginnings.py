"""The day on which something began, where a sentence says of it that somebody moved there or took it up then."""

from __future__ import annotations

import re
from datetime import date

from zgadka.text.dates import days_named
from zgadka.text.folding import unify

_BEGAN = re.compile(
    r"\b(?:moved|relocated|emigrated|settled|started|began|became|joined"
    r"|переїха(?:в|ла|ли)|перебра(?:вся|лась|лася|лись|лися)|осели(?:вся|лась|лася|лись|лися)"
    r"|поча(?:в|ла|ли)|ста(?:в|ла|ли)|влаштува(?:вся|лась|лася|лись|лися))\b"
)
_END = re.compile(r"[,.;:!?()]| (?:and|but|because|so|where|which|who|that|when|і|й|та|а|але|бо|де|який|яка|що|коли) ")
_BEFORE_DAYS = frozenset({"in", "on", "у", "в", "на"})
_DAYS_ALONE = re.compile(
    r"(?:last|this|yesterday|today|минул|позаминул|цьог|торік|позаторік|вчора|учора|сьогодні|навесні|влітку|восени|взимку)"
    r"|.* (?:ago|тому)$"
)
_GOES_ON = frozenset(
    {"with", "for", "from", "after", "together", "to", "з", "із", "зі", "разом", "через", "після", "до"}
)
_PRONOUNS = re.compile(r"[ ,]*\b(?:i|we|я|ми)(?: (?:just|finally|нарешті|вже))?$")
_NOT_ITS_OWN = frozenset({"about", "of", "by", "про"})
"""Before a time these have it belong to something else: "a course about the war in 2014"."""
_MOST_BETWEEN = 6
_LONGEST = 4
_LEAST_ALIKE = 3


def began_named(sentence: str, value: str, today: date) -> date | None:
    """The day on which a value began to be so: "I moved to Odesa in May", "торік я переїхала до Одеси".

    Args:
        value: What the sentence says; it stands between the verb and the time, or behind both.
        today: The day on which it was said; what has not begun by then is not meant.

    Returns:
        None: no day is named, or it may be of something else.
    """
    plain = unify(sentence)
    verbs = list(_BEGAN.finditer(plain))
    if len(verbs) != 1:
        return None
    words = _END.split(plain[verbs[0].end() :], maxsplit=1)[0].split()
    at = _place_of(unify(value).split(), words)
    if at is None or (at and words[at - 1] in ("from", "з", "із", "зі", "від")):
        return None
    head = [_begin(_PRONOUNS.sub("", part.strip()), today) for part in _END.split(plain[: verbs[0].start()].strip())]
    began = [day for day in (*head, _behind(words, at + 1, today)) if day is not None]
    if len(began) != 1 or (began[0] in head and len(head) > 1):
        return None
    return began[0] if began[0] <= today else None


def _place_of(value: list[str], words: list[str]) -> int | None:
    """Where the last word of a value stands, whatever its ending is."""
    if not value:
        return None
    stem = value[-1][: max(_LEAST_ALIKE, len(value[-1]) - 2)]
    return next((number for number, word in enumerate(words) if word.startswith(stem)), None)


def _behind(words: list[str], first: int, today: date) -> date | None:
    """The day that is named behind a value, where nothing else stands between."""
    for length in range(_LONGEST, 0, -1):
        span, following = words[first : first + length], words[first + length :]
        if len(span) == length and (not following or following[0] in _GOES_ON):
            if first > _MOST_BETWEEN or _NOT_ITS_OWN.intersection(words[:first]):
                return None
            if (day := _begin(" ".join(span), today)) is not None:
                return day
    return None


def _begin(text: str, today: date) -> date | None:
    """The first of the days that a text names as a time: "in May", "last year", not "May"."""
    first, _, rest = text.partition(" ")
    named = rest if first in _BEFORE_DAYS else text if _DAYS_ALONE.match(text) else ""
    days = days_named(named, today) if named else None
    return None if days is None else days.first
