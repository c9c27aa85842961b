"""Which words may become a fact's value; everything doubtful is refused, and then nothing is stored."""

from __future__ import annotations

import re

from zgadka.extract import places
from zgadka.extract.lexicon import named_pattern, words
from zgadka.text.sanitize import is_placeholder

_MAX_VALUE = 60
_QUOTED = re.compile(r"[\"“”„‟«»‹›`]|(?<!\w)['‘’‚](?=\S)|[(){}\[\]<>|\\]|https?:|@")
_HANGING = re.compile(
    r"(?:[\s,]+(?:and|or|but|і|й|та|або|але|please|pls|plz|now|lol|будь ласка|bud['’]? ?laska)"
    r"|\s+(?:і|й|та) щоб\b.*)+$",
    re.IGNORECASE,
)
"""Words at the end that belong to what follows, or to nothing."""
_LIST = re.compile(r"\s*,\s*(?:and |і |й |та )?|\s+(?:and|і|й|та)\s+", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]+(?:['’ʼ.-][^\W\d_]+)*\.?(?: [^\W\d_]+(?:['’ʼ.-][^\W\d_]+)*\.?){0,3}")


def is_quoting(text: str) -> bool:
    """Whether the text holds quotation marks, brackets or addresses: what stands there may be someone else's."""
    return _QUOTED.search(text) is not None


def clean(text: str) -> str | None:
    """Return the value as said, without edges; None where it is more than a plain value."""
    value = _HANGING.sub("", text.strip(" ,.;:!?-–—…"))
    if not value or len(value) > _MAX_VALUE or not any(character.isalnum() for character in value):
        return None
    return None if named_pattern("stop").search(value) or named_pattern("negation").search(value) else value


def place(text: str) -> str | None:
    """Return a place, or None."""
    value = clean(text)
    if value is None or len(value.split()) > 5 or _LIST.search(re.sub(r",\s*", " ", value)):
        return None
    leading_word, *following = value.split()
    if named_pattern("inside_no_place").search(value):
        return None
    is_named = len(following) > 0 and leading_word[:1].isupper() and following[0][:1].isupper()  # "Нова Каховка"
    if (_is("no_place", leading_word.casefold()) and not is_named) or (
        leading_word.casefold() == "the" and not (following and following[0][:1].isupper())
    ):
        return None
    return value


def place_of_origin(text: str) -> str | None:
    """Return a place after "from" or "з", where company and rooms stand too: a capital or a known place."""
    value = place(text)
    if value is None or not (value[:1].isupper() or places.is_known_place(value)):
        return None
    return value


def name(text: str) -> str | None:
    """Return a person's name, or None."""
    value = clean(text)
    if value is None or not _NAME.fullmatch(value):
        return None
    parts = value.split()
    if _is("no_name", parts[0].casefold()) or (len(parts) > 1 and not all(part[:1].isupper() for part in parts)):
        return None
    return value


def age(text: str) -> str | None:
    """Return an age in years, or None."""
    return text if text.isascii() and text.isdigit() and 1 <= int(text) <= 120 else None


def thing(text: str) -> str | None:
    """Return something liked, or None."""
    value = clean(text)
    return None if value is None or _is("no_object", value.split()[0].casefold()) else value


def things(text: str) -> tuple[str, ...]:
    """Return the things of a list ("chess and guitar"); empty where one of them is no plain value."""
    items = tuple(thing(re.sub(r"^(?:the|an?) ", "", part, flags=re.IGNORECASE)) for part in _LIST.split(text))
    return tuple(part for part in items if part is not None) if all(items) else ()


def verbatim(text: str) -> tuple[str, ...]:
    """Return the text as it is, as the one value."""
    return (text,)


def programming_languages(text: str) -> tuple[str, ...]:
    """Return the languages of a list; empty where one of them is not known."""
    languages = things(text)
    return languages if words("programming").issuperset(map(str.casefold, languages)) else ()


def job(text: str) -> str | None:
    """Return a profession, or None."""
    value = clean(text)
    return None if value is None or len(value.split()) > 4 else value


_UNCLEAR = re.compile(r"[_%$=~^\\;\ue000]|\.\.")
_LEADING_TO = re.compile(r"^to (?=\w)", re.IGNORECASE)


def phrase(text: str, *, most_words: int = 8) -> str | None:
    """Return what was said as it is, without edges; None for negations, placeholders and whatever is long."""
    value = _HANGING.sub("", text.strip(" ,.;:!?-–—…\"'"))
    if not value or len(value) > _MAX_VALUE or len(value.split()) > most_words:
        return None
    if named_pattern("negation").search(value) or _UNCLEAR.search(value) or is_quoting(value) or is_placeholder(value):
        return None
    return value


def liked(text: str) -> str | None:
    """Return something liked or disliked, also a symbol; None for what only points at something."""
    value = phrase(named_pattern("how_much").sub("", text))
    if value is None or _is_pointing(value):
        return None
    value = _LEADING_TO.sub("", value)
    parts = value.casefold().split()
    if _is("no_object", parts[0]) or _is("vague", parts[-1]) or _is("no_object", parts[-1]):
        return None
    return value


def organisation(text: str) -> str | None:
    """Return for whom or where somebody works, or None."""
    value = phrase(text, most_words=5)
    if value is None or _is_pointing(value) or value[:1].isdigit() or value.casefold() == "the moment":
        return None
    parts = value.casefold().split()
    return None if _is("no_employer", parts[0]) or _is("no_employer_end", parts[-1]) else value


def workplace(text: str) -> str | None:
    """Return for whom somebody works, or None; "працюю в Житомирі" says where, not for whom."""
    return None if places.is_known_place(text) or places.nominative_place(text) != text else organisation(text)


def preferred(text: str) -> str | None:
    """Return what is preferred, and to what, or None."""
    value = _HANGING.sub("", text.strip(" ,.;:!?-–—…"))
    if not value or len(value) > _MAX_VALUE or _UNCLEAR.search(value) or is_quoting(value):
        return None
    return None if _is_pointing(value) or value.casefold().startswith(("not ", "не ")) else value


def goal(text: str) -> str | None:
    """Return an aim, or None."""
    value = phrase(text, most_words=10)
    if (
        value is None
        or _is("unfinished", value.casefold())
        or named_pattern("pointing").search(value)
        or named_pattern("for_today").search(value)
        or _is("soon", value.casefold().split()[-1])
        or any(_is("no_goal", word) for word in value.casefold().split()[1:2])
    ):
        return None
    return value


def proper_name(text: str) -> str | None:
    """Return the name of a relative or an animal: one to three words, none of them a common one."""
    value = name(text)
    return None if value is None or is_placeholder(value) or _UNCLEAR.search(value) else value


def known_name(text: str) -> str | None:
    """Return the name of a person if it is one of the known ones: "it's summer" is none, "I'm Summer" is."""
    lower = text.casefold()
    if lower not in words("name") or (text.islower() and lower in words("name_or_word")):
        return None
    return text


def given_name(text: str) -> str | None:
    """Return a known name of a person, or None."""
    value = proper_name(text)
    return None if value is None else known_name(value)


def pronouns(text: str) -> str:
    """Return pronouns with slashes, as they are usually written."""
    return "/".join(part for part in re.split(r"[\s/,]+", text) if part)


def is_template(text: str) -> bool:
    """Whether the text is, or holds, an unfilled placeholder."""
    return (
        is_placeholder(text)
        or named_pattern("template").search(text) is not None
        or _SHOWS_SOMETHING.search(text) is None
    )


_SHOWS_SOMETHING = re.compile(r"[^\W_]|[^\x00-\u2fff]|[\u2600-\u27bf]")


def lasting(text: str) -> str | None:
    """Return what is said of a relative, None where it will not be so tomorrow or is about the speaker."""
    value = liked(text)
    return None if value is None or named_pattern("passing").search(value) else value


def _is_pointing(value: str) -> bool:
    """Whether a value only points at something, or at somebody in it."""
    return bool(named_pattern("demonstrative").match(value) or named_pattern("pointing").search(value))


def _is(kind: str, word: str) -> bool:
    """Whether a word in small letters is one of ``data/values.txt``."""
    return word in words(kind, "values")
