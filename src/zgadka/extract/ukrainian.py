"""What makes values of Ukrainian texts, mostly in the nominative; `patterns/uk.toml` names these functions."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.kinds import base_of
from zgadka.extract.lexicon import language_patterns, words

_INSTRUMENTAL = ("ом", "ем", "єм", "ою", "ею", "єю", "им", "їм", "ям")


def town(text: str) -> str | None:
    """Return the nominative of a place, or None."""
    value = values.place(text)
    return None if value is None else places.nominative_place(value)


def town_in_any_case(text: str) -> str | None:
    """Return the nominative of a place, КИЄВІ as Київ, or None."""
    value = values.place(text)
    if value is not None and value.isupper() and places.is_known_place(value):
        value = value.title()
    return None if value is None else places.nominative_place(value)


def named_town(text: str) -> str | None:
    """Return the nominative of a place without what it is, "місті Одесі" as "Одеса"; or None."""
    return town(KIND_OF_TOWN.sub("", text))


KIND_OF_TOWN = re.compile(r"^(?:міст[аоі]|містечк[аоу]|сел[аоі]|смт|м\.) (?=[А-ЯІЇЄҐ])", re.IGNORECASE)


def known_town(text: str) -> str | None:
    """Return the nominative of a place of the tables, or None."""
    return named_town(text) if places.is_known_place(text) else None


def home_town(text: str) -> str | None:
    """Return the nominative of a place with a capital letter or of the tables, or None."""
    return named_town(text) if text[:1].isupper() or places.is_known_place(text) else None


def without_kind(text: str) -> str:
    """Return the name of a place behind what it is: "місті Бучі" as "Бучі"."""
    return text.partition(" ")[2]


def origin(text: str) -> str | None:
    """Return the nominative of a place somebody is from, or None."""
    value = values.place_of_origin(text)
    return None if value is None else places.nominative_place(value)


def called_name(text: str) -> str | None:
    """Return a name in the nominative, "Оленою" as "Олена"; or None."""
    value = values.name(text)
    return None if value is None else places.nominative_name(value)


def plain_job(text: str) -> str | None:
    """Return a profession in the nominative; "працюю багато", "працюю вдома" tell none, the instrumental does."""
    value = values.job(text)
    if value is None or not all(word.endswith(_INSTRUMENTAL) for word in value.casefold().split()):
        return None
    return places.nominative_job(value)


def instrumental_job(text: str) -> str | None:
    """Return a profession in the nominative; one of several words only if it is known."""
    value = values.job(text)
    if value is None or not value.casefold().endswith(_INSTRUMENTAL):
        return None
    nominative = places.nominative_job(value)
    return nominative if nominative.casefold() in words("occupation_uk") or " " not in value else None


def profession(text: str) -> str | None:
    """Return a profession of several words in the nominative, "вчителем історії" as "вчитель історії"."""
    value = values.job(text)
    if value is None:
        return None
    leading_word, *following = value.split()
    nominative = places.nominative_job(leading_word)
    if nominative.casefold() in words("occupation_uk") and nominative.casefold() != leading_word.casefold():
        return " ".join((nominative, *following)) if all(_is_complement(word) for word in following) else None
    adjective = _ADJECTIVE.fullmatch(leading_word)
    if adjective is None or not following:
        return None
    noun = places.nominative_job(following[0])
    if noun.casefold() not in words("occupation_uk") or noun == following[0]:
        return None
    ending = "а" if adjective["end"] in ("ою", "ьою") else "ий"
    return " ".join((adjective["stem"] + ending, noun, *following[1:]))


_ADJECTIVE = re.compile(r"(?P<stem>\w+)(?P<end>им|ім|ою|ьою)")
_PREPOSITIONS = frozenset({"у", "в", "на", "до", "за", "при", "для", "без", "через", "але", "бо"})


def _is_complement(word: str) -> bool:
    return (
        word not in _PREPOSITIONS
        and re.fullmatch(r"з|із|по|та|і|[\w'-]+(?:ї|и|і|у|ю|я|а|их|ів|ої|ого|ій|ь|ам|ам|ами|[a-z])", word) is not None
    )


def profession_by_training(text: str) -> str | None:
    """Return a profession of which the first word is a known one, or None."""
    return text if text.split(maxsplit=1)[0].casefold() in words("occupation_uk") else None


def studying(text: str) -> str | None:
    """Return what a student is, or None for whoever else is at a university."""
    return text if text.casefold().startswith(("студент", "аспірант", "магістр")) else None


def school(text: str) -> str | None:
    """Return the name of a school, or None."""
    value = values.organisation(text)
    return None if value is None or not value[:1].isupper() else value


def languages(text: str) -> tuple[str, ...]:
    """Return the languages of a list in the instrumental or accusative, "польською" as "польська"."""
    listed = text.removesuffix(" мовою").removesuffix(" мовами").strip()
    parts = [_HOW_WELL.sub("", part) for part in re.split(r"\s*,\s*|\s+(?:та|і|й)\s+", listed) if part]
    languages = [re.sub(r"(?<=[сзц]ьк)(?:ою|у)$", "а", part) for part in parts]
    return tuple(languages) if all(re.search(r"[сзц]ька$", part) for part in languages) else ()


_HOW_WELL = re.compile(r"^(?:також |ще |трохи |трішки |вільно |добре |непогано |погано |ламаною |і )+", re.IGNORECASE)


def played(text: str) -> tuple[str, ...]:
    """Return the games and instruments of a list in the nominative."""
    listed = " ".join(word for word in text.split(" ") if word.casefold() not in {"у", "в", "на"})
    return tuple(places.nominative_instrument(value) for value in values.things(listed))


def instrument(text: str) -> str | None:
    """Return an instrument in the nominative, or None."""
    value = values.liked(text)
    return None if value is None else places.nominative_instrument(value)


def from_instrumental(text: str) -> str | None:
    """Return a noun said after "займаюся", "йогою" as "йога", where the ending leaves no choice."""
    value = values.liked(text)
    if value is None or " " in value:
        return value
    for ending, nominative in (("ією", "ія"), ("кою", "ка"), ("гою", "га"), ("нням", "ння")):
        if value.endswith(ending):
            return value.removesuffix(ending) + nominative
    return value


def both(text: str) -> tuple[str, ...]:
    """Return the parts of a list."""
    return tuple(re.split(r",? (?:і|та|й) |, ", text))


def marital_status(text: str) -> str | None:
    """Return what somebody is who has a wife, or a husband."""
    if not text:
        return None
    return "одружений" if text.startswith("дружин") else "одружена"


def dated(text: str) -> str | None:
    """Make "іспит 3 червня" to "іспит: 3 червня"."""
    when = language_patterns("uk").parts["WHEN"]
    match = re.fullmatch(rf"(?P<what>.*?)(?: ?[-–—:]| буде| відбудеться)? ?(?P<when>{when})", text, re.IGNORECASE)
    if match is None:
        return None
    event = values.phrase(match["what"], most_words=4)
    return f"{event}: {match['when']}" if event else match["when"]


def event_of_mine(text: str) -> str:
    """Make "іспит у мене 3 червня" to "іспит: 3 червня"."""
    return re.sub(r" (?:у|в) (?:мене|нас) ", ": ", text, count=1)


def addressed(text: str) -> str | None:
    """Return by what name somebody wants to be addressed, "Пані Галино" as it is; a captain is none."""
    *names, name = text.split()
    return text if names or base_of("NAME", name) or values.known_name(name) else None
