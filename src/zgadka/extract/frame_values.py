"""What makes values of the units that a frame captured; `patterns/frames_*.toml` names these functions."""

from __future__ import annotations

import re

from zgadka.extract import values, wishes

_DIGITS = re.compile(r"\d+")
_YOUNGEST, _OLDEST = 10, 100


def as_said(text: str) -> str | None:
    """Return the words as said, without edges."""
    return text.strip(" ,.;:!?-–—…\"'()") or None


def years(text: str) -> str | None:
    """Return an age in digits, "23m" as "23"; in words as said."""
    digits = _DIGITS.search(text)
    if digits is None:
        return as_said(text)
    return digits[0] if _YOUNGEST <= int(digits[0]) <= _OLDEST else None


_COPULA = re.compile(r"(?: is|'s) (?=[abc][12]$)", re.IGNORECASE)


def each(text: str) -> tuple[str, ...]:
    """Return the things of a list, "eggs and milk", each."""
    text = _COPULA.sub(" ", text)  # "french is b1"
    parts = re.split(r"\s*(?:,|&|/|\band\b|\bplus\b|\bor\b|\bі\b|\bй\b|\bта\b|\bn\b)\s*", text)
    return tuple(value for part in parts if (value := as_said(part)))


def each_liked(text: str) -> tuple[str, ...]:
    """Return what is liked or disliked of a list, without what nobody means: "love life"."""
    return tuple(value for value in each(text) if value.casefold() not in _LIKED_BY_WAY)


# "love it", "hate people like that": said of nothing that one could keep.
_LIKED_BY_WAY = frozenset(
    {"life", "everything", "everyone", "people", "stuff", "things", "ya", "yall", "y'all", "u", "when", "how"}
)


def children_said(text: str) -> str | None:
    """Return children as counted, "two teenage sons"; nobody has "a kids"."""
    value = as_said(text)
    return None if value is None else re.sub(" ?, ?", ", ", value)


def children_named(text: str) -> tuple[str, ...]:
    """Return the children of a list, "Ella 5" of "Ella (5)", without where each is: "Gareth in Toronto"."""
    return tuple(re.sub(r" in .*$", "", name) for name in each(re.sub(r"\s*[()]\s*", " ", text)))


def goal_said(text: str) -> str | None:
    """Return what somebody prepares for, "first marathon in May"."""
    value = as_said(text)
    return value if value is not None and value.casefold() not in _NO_AIM else None


def plan_said(text: str) -> str | None:
    """Return what somebody may do, of at least three words: "do the october bouldering comp"."""
    value = as_said(text)
    if value is None or len(value.split()) < _LEAST_OF_PLAN:
        return None
    verb, rest = value.split(" ", 1)
    return rest if verb.casefold() in ("do", "the", "a") else aim_said(value)


_LEAST_OF_PLAN = 3


def diet_hinted(text: str) -> str | None:
    """Make "without dairy or eggs" to "no dairy or eggs", what somebody asks for to eat."""
    value = as_said(text)
    return None if value is None else re.sub(r"^(?:without|w/o)(?: any)? ", "no ", value)


def place_said(text: str) -> str | None:
    """Return a place as said, without "the"."""
    value = as_said(text)
    return None if value is None else re.sub("^the (?=[A-Z])", "", value)


def name_of_a_person(text: str) -> str | None:
    """Return a name as said; the first word of one is no word that people say of how they are."""
    return values.proper_name(text)


def name_of_kin(text: str) -> str | None:
    """Return the name of a relative, or of two."""
    return wishes.kin_name(re.sub(r" (?:&|n) ", " and ", text))


def smoking_said(text: str) -> str:
    """Return whether somebody smokes, "yes" or "no"; who has given it up does not."""
    return "no" if _NO_LONGER.search(text) else "yes"


_NO_LONGER = re.compile(r"\b(?:non|not|don't|dont|never|quit|gave|given|packed|stopped)|nonsmoker", re.IGNORECASE)


def without_work(_: str) -> str:
    """Return what somebody is who was laid off and looks for work."""
    return "unemployed"


def no_alcohol(_: str) -> str:
    """Return what somebody keeps to who does not drink."""
    return "no alcohol"


def not_eaten(text: str) -> str | None:
    """Make "don't eat pork or beef" to "no pork or beef"."""
    value = as_said(text)
    return None if value is None else f"no {_EATING.sub('', value)}"


_EATING = re.compile(
    r"^(?:(?:do|can) ?not|don't|dont|can't|cant|cannot|no)(?: \w+)*? (?:(?:eat|touch) (?:any )?)?", re.IGNORECASE
)


def pet_behind_name(text: str) -> str | None:
    """Make "pickle is my cat" to "cat Pickle"."""
    name, _, animal = text.partition(" is ")
    return f"{animal.split(' ', 1)[1]} {name.title()}" if " " in animal else None


def pet_said(text: str) -> str | None:
    """Make "cat's called Biscuit" to "cat Biscuit"."""
    value = as_said(re.sub(r"(?:'s name is|'s called|,? (?:is )?(?:called|named)|,) (?=[A-Z])", " ", text))
    return None if value is None else re.sub(r"^(?:an?|the|some) ", "", " ".join(value.split()))


def event_said(text: str) -> str | None:
    """Make "exam is on dec 9th" to "exam: dec 9th", and "married in june" to "wedding: june"."""
    value = as_said(text)
    if value is None or value.startswith("is "):
        return None
    return _BEFORE_DATE.sub(": ", re.sub("^married(?= )", "wedding", value), count=1)


_BEFORE_DATE = re.compile(
    r"(?:'s| is)?(?: (?:on|at|in|due|coming up))*(?: the)? (?=[^ ]*\d"
    r"|(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?|tomorrow)\b)",
    re.IGNORECASE,
)


def aim_said(text: str) -> str | None:
    """Return what somebody thinks of doing; None where it is no aim."""
    value = as_said(re.sub(r"^do (?=(?:the|a|an|my|our) )", "", text))
    value = value and re.sub(r" (?:now (?:that |the |we |i )|knees permitting).*$", "", value)
    if value is None or _TASTE.match(value):
        return None
    if value.casefold().split()[0] in _NO_AIM - {"the"} and not value.casefold().startswith("give up "):
        return None
    return wishes.aim(value) or (value if len(value.split()) > 1 else None)


# "I might like jazz", but not "I might like to move".
_TASTE = re.compile(r"(?:like|love|enjoy|adore|prefer|hate|dislike)\b(?! to\b)", re.IGNORECASE)
# Begins no aim.
_NO_AIM = frozenset(
    {
        "add", "all", "ask", "be", "call", "come", "cry", "die", "do", "eat", "fight", "figure", "find", "give",
        "have", "help", "her", "his", "how", "hug", "if", "it", "just", "kill", "know", "let", "make", "marry",
        "me", "mention", "murder", "my", "need", "our", "say", "scream", "see", "sleep", "sue", "tell", "that",
        "the", "their", "think", "this", "throw", "u", "use", "what", "why", "you", "your",
    }
)  # fmt: skip
