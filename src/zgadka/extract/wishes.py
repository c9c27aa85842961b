"""What makes values of texts out of the middle of a clause; `patterns/within_*.toml` names these functions."""

from __future__ import annotations

import re
from functools import cache

from zgadka.extract import nominatives, places, ukrainian, values
from zgadka.extract.lexicon import CYRILLIC, named_pattern, words
from zgadka.text.word_lists import read_table

_MOST_WORDS = 12
_MAX_VALUE = 100


def style_wish(text: str) -> str | None:
    """Return a wish about answers as said, or None."""
    value = _REASON.split(text)[0].strip(" ,.;:!?-–—…")
    value = nominatives.wish_uk(value) if CYRILLIC.search(value) else value
    return value if 0 < len(value.split()) <= _MOST_WORDS and len(value) <= _MAX_VALUE else None


_REASON = re.compile(
    r"(?:,| and)? (?:i'm|i am|im|i have|because|cos|cuz|bc|as i|so i|since|бо|тому що|я)\b", re.IGNORECASE
)


def aim(text: str) -> str | None:
    """Return what somebody thinks of doing, or None."""
    value = _OPENING.sub("", text.strip(" ,.;:!?-–—…"))
    value = values.goal(value) if value else None
    return None if value is None or value.split()[0].casefold() in words("no_aim", "values") else value


_OPENING = re.compile(
    r"^(?:(?:probably|maybe|also|just|to|going to|getting into|get into|getting|moving to (?=\w+ing))\s+)+",
    re.IGNORECASE,
)


def disliked(text: str) -> str | None:
    """Return what is not liked, without the praise of it: "aubergine with passion"."""
    return values.liked(re.split(r" (?:with|so|since|from|when) ", text)[0])


def kin_name(text: str) -> str | None:
    """Return the name of a relative, or of two; none of them a place or a common word."""
    name = text.removesuffix("'s")
    parts = name.split(" and ")
    is_name = all(
        values.proper_name(part) and part.casefold().rstrip("s") not in words("no_kin", "values") for part in parts
    )
    return name if is_name and not any(word in words("nationality_en") for word in name.casefold().split()) else None


def named_pet(text: str) -> str | None:
    """Make "dog's called Kat" to "dog Kat"."""
    animal, *_, name = text.split()
    return f"{animal.removesuffix(',').removesuffix(chr(39) + 's')} {name}"


def date_within(text: str) -> str | None:
    """Make "dentist appt is Tuesday at 9" to "dentist appt: Tuesday at 9"."""
    text = re.sub("^(?:my|the|an?) ", "", text, flags=re.IGNORECASE)
    return named_pattern("before_date").sub(": ", text, count=1)


def town_or_district(text: str) -> str | None:
    """Return the nominative of a place with a capital letter, or of the tables."""
    name = re.sub(r"^(?:районі|місті|селі|смт|м\.|с\.) (?=[А-ЯІЇЄҐ])", "", text)
    if not (name[:1].isupper() or places.is_known_place(name)):
        return None
    value = values.place(name)
    return None if value is None else places.nominative_place(value)


def profession_or_job(text: str) -> str | None:
    """Return a profession in the nominative, "вчителькою біології" as "вчителька біології"."""
    return ukrainian.profession(text) or ukrainian.plain_job(text)


OBJECTS = frozenset({"like", "dislike", "allergy", "health"})
"""Keys of what is said as an object of a verb."""


def nominative_object(text: str) -> str:
    """Return the nominative of an object of a verb where the ending leaves no choice: "довгу прогулянку"."""
    head, preposition, rest = re.split(_WITH_WHAT, text, maxsplit=1) if _WITH_WHAT.search(text) else (text, "", "")
    parts = head.split()
    if len(parts) > _MOST_INFLECTED or any(part in words("indeclinable", "values") for part in parts):
        return text
    if named_pattern("writer").search(text):
        return text  # "малюю"
    if not all(part.endswith(("у", "ю")) for part in parts):
        return text
    return " ".join(part[:-1] + ("а" if part.endswith("у") else "я") for part in parts) + preposition + rest


_WITH_WHAT = re.compile(r"( (?:без|з|із|зі) )(?!\d)")
_MOST_INFLECTED = 2


def likings(text: str) -> tuple[str, ...]:
    """Return what is liked or not, of a list each thing."""
    value = values.liked(text)
    if value is None or value.split()[0] in {"з", "із", "зі", "від", "тебе", "вас", "тобою", "я"}:
        return ()
    return tuple(part for part in re.split(r" (?:і|й|та) ", value) if part)


def workplace_nominative(text: str) -> str | None:
    """Return for whom somebody works, "школі №12" as "школа №12" where the ending leaves no choice; or None."""
    value = values.workplace(text)
    return None if value is None else _place_nominative(value)


def studied_at(text: str) -> str | None:
    """Return where or what somebody studies: "університет" of "університеті", "третій курс" of "третьому курсі"."""
    value = values.liked(text)
    if value is None:
        return None
    course = nominatives.course_uk(value)
    if course is not None and course.split()[-1] != value.split()[-1]:
        return course
    place = _place_nominative(value)
    return nominatives.school_uk(value) if place == value else place


def _place_nominative(value: str) -> str:
    head, *following = value.split()
    if (
        following
        and (noun := _pairs("workplaces").get(following[0].casefold()))
        and (adjective := _LOCATIVE_ADJECTIVE.fullmatch(head))
    ):
        ending = "а" if adjective["end"] == "ій" else "ий" if noun[-1] not in "оея" else "е"
        return " ".join((adjective["stem"] + ending, noun, *following[1:]))
    return " ".join((_pairs("workplaces").get(head.casefold(), head), *following))


_LOCATIVE_ADJECTIVE = re.compile(r"(?P<stem>\w+)(?P<end>ій|ому)")


def kin_called(text: str) -> str | None:
    """Return the name of a relative."""
    value = values.proper_name(text)
    if value is None or (places.is_known_place(value) and values.known_name(value) is None):
        return None
    is_said_as_is = values.known_name(value) is not None or not value.endswith(("ем", "єм", "ом", "ою", "ею", "єю"))
    return value if is_said_as_is else nominative_name(value)


def animal(text: str) -> str | None:
    """Return an animal, in the nominative where a table has it."""
    parts = text.split()
    nominatives = [_pairs("animals").get(part.casefold(), part) for part in parts]
    if len(parts) > 1 and parts[-1][:1].isupper() and nominatives[-2] != parts[-2]:
        nominatives[-1] = nominative_name(parts[-1])
    return " ".join(nominatives)


def nominative_name(name: str) -> str:
    """Return a name said as an object, "Мурчика" as "Мурчик", "Дусею" as "Дуся"."""
    for ending, nominative in _pairs("objects").items():
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name.removesuffix(ending) + nominative
    return name


def event_within(text: str) -> str | None:
    """Make "дедлайн по курсовій 20 грудня" to "дедлайн по курсовій: 20 грудня"."""
    return re.sub(
        r" (?=\d|(?:у |в )?(?:понеділок|вівторок|середу|четвер|п'ятницю|суботу|неділю|завтра))", ": ", text, count=1
    )


@cache
def _pairs(kind: str) -> dict[str, str]:
    """Return the pairs of ``data/endings.txt``: forms or endings, and what stands there in the nominative."""
    pairs = (pair.partition("=") for pair in read_table("endings", "zgadka.extract")[kind])
    return {form.replace("_", " "): nominative for form, _, nominative in pairs}
