"""Which words may become a fact's value; everything doubtful is refused, and then nothing is stored."""

from __future__ import annotations

import re

from zgadka.extract import places


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MAX_VALUE = 60
_QUOTED = re.compile(r"[\"“”„‟«»‹›`]|(?<!\w)['‘’‚](?=\S)|[(){}\[\]<>|\\]|https?:|@")
_STOP = re.compile(
    r"\b(?:but|because|or|if|when|while|whenever|with|without|who|whom|which|that|where|why|how|what|though|although"
    r"|unless|until|than|then|so|he|she|they|we|you|it|i|me|his|her|hers|him|them|their|your|yours|our|us|my|mine"
    r"|this|these|those|said|says|told|anymore|instead"
    r"|але|бо|тому|або|чи|якщо|коли|де|хто|який|яка|яке|які|що|щоб|як|він|вона|вони|ми|ви|ти|я|мене|мені|мій|моя|моє"
    r"|мої|його|її|їх|тебе|тобі|вас|вам|нас|нам|твій|твоя|твоє|твої|це|цей|ця|ці|те|той|та|ті|сказав|сказала|каже)\b",
    re.IGNORECASE,
)
_LIST = re.compile(r"\s*,\s*(?:and |і |й |та )?|\s+(?:and|і|й|та)\s+", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]+(?:['’ʼ.-][^\W\d_]+)*\.?(?: [^\W\d_]+(?:['’ʼ.-][^\W\d_]+)*\.?){0,3}")
_NO_NAME = _words(
    "back later tomorrow tonight now soon maybe crazy anytime sometime at on by a an the today again stupid please "
    "when if whatever anything never not in on old before after tired happy sad here there for to from "
    "потім пізніше завтра сьогодні зараз скоро знову не ніяк як дурнем назад коли якщо на о об в у"
)
_NO_PLACE = _words(
    "a an my his her their your this that fear peace hope harmony sin poverty denial pain hell doubt darkness silence "
    "work home school here there abroad far nowhere somewhere heaven luxury constant bed tears love university "
    "мирі страху злиднях надії селі місті будинку квартирі домі хаті гуртожитку роботі школі сльозах "
    "нова новий нове новий нову інший інша інше іншу іншому новому новій великому маленькому"
)
_NO_OBJECT = _words("that this it nothing everything все нічого усе")


def is_quoting(text: str) -> bool:
    """Whether the text holds quotation marks, brackets or addresses: what stands there may be someone else's."""
    return _QUOTED.search(text) is not None


def clean(said: str) -> str | None:
    """Return the value as said, without edges; None where it is more than a plain value."""
    value = said.strip(" ,.;:!?-–—…")
    if not value or len(value) > _MAX_VALUE or not any(character.isalnum() for character in value):
        return None
    return None if _STOP.search(value) else value


def place(said: str) -> str | None:
    """Return a place, or None."""
    value = clean(said)
    if value is None or len(value.split()) > 5 or _LIST.search(re.sub(r",\s*", " ", value)):
        return None
    first, *rest = value.split()
    if first.casefold() in _NO_PLACE or (first.casefold() == "the" and not (rest and rest[0][:1].isupper())):
        return None
    return value


def place_of_origin(said: str) -> str | None:
    """Return a place after "from" or "з", where company and rooms stand too: a capital or a known place."""
    value = place(said)
    if value is None or not (value[:1].isupper() or value.startswith("the ") or places.is_known_place(value)):
        return None
    return value


def name(said: str) -> str | None:
    """Return a person's name, or None."""
    value = clean(said)
    if value is None or not _NAME.fullmatch(value):
        return None
    words = value.split()
    if words[0].casefold() in _NO_NAME or (len(words) > 1 and not all(word[:1].isupper() for word in words)):
        return None
    return value


def age(said: str) -> str | None:
    """Return an age in years, or None."""
    return said if said.isascii() and said.isdigit() and 1 <= int(said) <= 120 else None


def thing(said: str) -> str | None:
    """Return something liked, or None."""
    value = clean(said)
    return None if value is None or value.split()[0].casefold() in _NO_OBJECT else value


def things(said: str) -> tuple[str, ...]:
    """Return the things of a list ("chess and guitar"); empty where one of them is no plain value."""
    found = tuple(thing(re.sub(r"^(?:the|an?) ", "", part, flags=re.IGNORECASE)) for part in _LIST.split(said))
    return tuple(part for part in found if part is not None) if all(found) else ()


def job(said: str) -> str | None:
    """Return a profession, or None."""
    value = clean(said)
    return None if value is None or len(value.split()) > 4 else value
