"""What makes values of texts out of the middle of a clause; `patterns/within_*.toml` names these functions."""

from __future__ import annotations

import re

from zgadka.extract import values
from zgadka.extract.lexicon import words

_MOST_WORDS = 12
_MAX_VALUE = 100


def style_wish(text: str) -> str | None:
    """Return a wish about answers as said, or None."""
    value = text.strip(" ,.;:!?-–—…")
    return value if 0 < len(value.split()) <= _MOST_WORDS and len(value) <= _MAX_VALUE else None


def aim(text: str) -> str | None:
    """Return what somebody thinks of doing, or None."""
    value = _OPENING.sub("", text.strip(" ,.;:!?-–—…"))
    value = values.goal(value) if value else None
    return None if value is None or value.split()[0].casefold() in _NO_AIMS else value


_OPENING = re.compile(r"^(?:(?:probably|maybe|also|just|to|going to|getting into|get into|getting|moving to (?=\w+ing))\s+)+", re.IGNORECASE)
_NO_AIMS = frozenset({"be", "have", "say", "use", "ask", "know", "tell", "see", "call", "need", "want", "like", "a", "you", "it", "that", "this", "the"})


def disliked(text: str) -> str | None:
    """Return what is not liked, without the praise of it: "aubergine with passion"."""
    return values.liked(re.split(r" (?:with|so|since|from|when) ", text)[0])


def kin_name(text: str) -> str | None:
    """Return the name of a relative, or of two; none of them a place or a common word."""
    parts = text.removesuffix("'s").split(" and ")
    return text.removesuffix("'s") if all(values.proper_name(part) for part in parts) else None


def named_pet(text: str) -> str | None:
    """Make "dog's called Kat" to "dog Kat"."""
    animal, *_, name = text.split()
    return f"{animal.removesuffix(',').removesuffix(chr(39) + 's')} {name}"


def date_within(text: str) -> str | None:
    """Make "dentist appt is Tuesday at 9" to "dentist appt: Tuesday at 9"."""
    return re.sub(r" (?:is )?(?:due )?(?:on |by |at )?(?=(?:\S+ )?(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tomorrow))", ": ", text, count=1, flags=re.IGNORECASE)
