"""Which words may become a fact's value; everything doubtful is refused, and then nothing is stored."""

from __future__ import annotations

import re

from zgadka.extract import places
from zgadka.extract.lexicon import words
from zgadka.text.clean import is_placeholder


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
_NEGATION = re.compile(
    r"(?<!\w)(?:not|never|no|neither|nor|nothing|nobody|не|ні|ані|ніхто)(?!\w)|n['’]t\b", re.IGNORECASE
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
    "mars moon hogwarts narnia mordor neither either fact general theory space sadness chaos style debt hiding "
    "марс марса марсі місяці місяця казці мирі страху злиднях надії селі місті будинку квартирі домі "
    "хаті гуртожитку роботі школі сльозах "
    "нова новий нове новий нову інший інша інше іншу іншому новому новій великому маленькому"
)
_INSIDE_NO_PLACE = re.compile(
    r" (?:under|over|beneath|behind|near|next|beside|inside|around|all|alone|forever|now|right|just|till|"
    r"під|над|біля|поруч|серед|між|після|без|разом|сам|сама|самотня|самотній|зараз|тільки|лише) ",
    re.IGNORECASE,
)
_NO_OBJECT = _words(
    "lot fool role myself both цю цей цього роль in with on around along outside together that this it "
    "nothing everything все нічого усе"
)


def is_quoting(text: str) -> bool:
    """Whether the text holds quotation marks, brackets or addresses: what stands there may be someone else's."""
    return _QUOTED.search(text) is not None


def clean(said: str) -> str | None:
    """Return the value as said, without edges; None where it is more than a plain value."""
    value = said.strip(" ,.;:!?-–—…")
    if not value or len(value) > _MAX_VALUE or not any(character.isalnum() for character in value):
        return None
    return None if _STOP.search(value) or _NEGATION.search(value) else value


def place(said: str) -> str | None:
    """Return a place, or None."""
    value = clean(said)
    if value is None or len(value.split()) > 5 or _LIST.search(re.sub(r",\s*", " ", value)):
        return None
    first, *rest = value.split()
    if _INSIDE_NO_PLACE.search(value):
        return None
    is_named = len(rest) > 0 and first[:1].isupper() and rest[0][:1].isupper()  # "Нова Каховка"
    if (first.casefold() in _NO_PLACE and not is_named) or (
        first.casefold() == "the" and not (rest and rest[0][:1].isupper())
    ):
        return None
    return value


def place_of_origin(said: str) -> str | None:
    """Return a place after "from" or "з", where company and rooms stand too: a capital or a known place."""
    value = place(said)
    if value is None or not (value[:1].isupper() or places.is_known_place(value)):
        return None
    return value


def name(said: str) -> str | None:
    """Return a person's name, or None."""
    value = clean(said)
    if value is None or not _NAME.fullmatch(value):
        return None
    parts = value.split()
    if parts[0].casefold() in _NO_NAME or (len(parts) > 1 and not all(part[:1].isupper() for part in parts)):
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


_UNCLEAR = re.compile(r"[_%$=~^\\;\ue000]|\.\.")
_NO_EMPLOYER = _words(
    "home night nights day days weekends the_moment least myself free fun hard it this that there here all once "
    "living least first last full ночі вночі дому дома вдома роботі вихідних зміну себе хаті удома"
)
_NO_EMPLOYER_ENDS = _words("heart peace pace weekend weekends moment time times speed money rest day night life")
_FOR_TODAY = re.compile(
    (
        r"\b(?:gift|present|tickets?|coffee|drink|sandwich|pizza|beer|snack|lunch|dinner|чергу|квиток|квитки|"
        r"подарунок|каву)\b"
    ),
    re.IGNORECASE,
)
_UNFINISHED = _words("learn become visit buy write own find вивчити вивчати навчитися стати купити відвідати написати")
_NO_GOAL = _words("that this it there something anything everything be know see say ask це щось усе все там")
_SOON = _words("now today tonight tomorrow later here there it that this зараз сьогодні завтра потім туди сюди це")
_VAGUE = _words(
    "life option options second first мій ідея життя себе way ways answer answers idea ideas question "
    "joke jokes style one ones part vibe look looks sound"
)
_DEMONSTRATIVE = re.compile(
    r"(?:that|this|these|those|such|how|when|what|where|your|you|him|her|them|it|us|everyone|everybody|someone|"
    r"це|цей|ця|ці|цю|такі|таке|тебе|вас|твій|твоя|твоє|твої|твою|ваш\w*|його|її|їх|цих|цього|цієї|твоїх|твого|твоєї|вашого|вашої|таких|такого|коли|як|що|всіх)(?!\w)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|some) (?=\w)", re.IGNORECASE)
_LEADING_TO = re.compile(r"^to (?=\w)", re.IGNORECASE)


def said(text: str, *, most_words: int = 8) -> str | None:
    """Return what was said as it is, without edges; None for negations, placeholders and whatever is long."""
    value = text.strip(" ,.;:!?-–—…\"'")
    if not value or len(value) > _MAX_VALUE or len(value.split()) > most_words:
        return None
    if _NEGATION.search(value) or _UNCLEAR.search(value) or is_quoting(value) or is_placeholder(value):
        return None
    return value


def liked(text: str) -> str | None:
    """Return something liked or disliked, also a symbol; None for what only points at something."""
    value = said(text)
    if value is None or _DEMONSTRATIVE.match(value) or _POINTING.search(value):
        return None
    value = _LEADING_TO.sub("", value)
    parts = value.casefold().split()
    if parts[0] in _NO_OBJECT or parts[-1] in _VAGUE or parts[-1] in _NO_OBJECT:
        return None
    return value


_POINTING = re.compile(
    r"\b(?:you|your|yours|he|she|they|him|them|if|because|but|or|when|who|which|тебе|тобі|твій|твоя|вас|він|вона|вони"
    r"|якщо|або|чи|коли|але|бо|який|яка|яке|які|except|without|крім|окрім)\b",
    re.IGNORECASE,
)


def without_article(text: str) -> str | None:
    """Return a thing said without its article."""
    value = liked(text)
    return None if value is None else _ARTICLE.sub("", value)


def organisation(text: str) -> str | None:
    """Return for whom or where somebody works, or None."""
    value = said(text, most_words=5)
    if value is None or _POINTING.search(value) or _DEMONSTRATIVE.match(value):
        return None
    first, last = value.casefold().split()[0], value.casefold().split()[-1]
    if last in _NO_EMPLOYER_ENDS:
        return None
    return None if first in _NO_EMPLOYER or value[:1].isdigit() or value.casefold() == "the moment" else value


def preferred(text: str) -> str | None:
    """Return what is preferred, and to what, or None."""
    value = text.strip(" ,.;:!?-–—…")
    if not value or len(value) > _MAX_VALUE or _UNCLEAR.search(value) or is_quoting(value) or _POINTING.search(value):
        return None
    return None if _DEMONSTRATIVE.match(value) or value.casefold().startswith(("not ", "не ")) else value


def goal(text: str) -> str | None:
    """Return an aim, or None."""
    value = said(text, most_words=10)
    if (
        value is None
        or value.casefold() in _UNFINISHED
        or _POINTING.search(value)
        or _FOR_TODAY.search(value)
        or value.casefold().split()[-1] in _SOON
        or any(word in _NO_GOAL for word in value.casefold().split()[1:2])
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


def pronouns(text: str) -> str:
    """Return pronouns with slashes, as they are usually written."""
    return "/".join(part for part in re.split(r"[\s/,]+", text) if part)


def is_template(text: str) -> bool:
    """Whether the text is, or holds, an unfilled placeholder."""
    return is_placeholder(text) or _TEMPLATE.search(text) is not None or _SHOWS_SOMETHING.search(text) is None


_TEMPLATE = re.compile(
    r"\{\{?\s*\w+\s*\}?\}|<\w+>|%s|%\w+%|\$\{?[A-Z_]{2,}|\ue000|(?-i:[A-ZА-ЯІЇЄҐ']+_[A-ZА-ЯІЇЄҐ_']+)|\bx{3,}\b|_{2,}|\bn/a\b|(?-i:^(?:an?|the)$)",
    re.IGNORECASE,
)
_SHOWS_SOMETHING = re.compile(r"[^\W_]|[^\x00-\u2fff]|[\u2600-\u27bf]")


_PASSING = re.compile(
    (
        r"\b(?:me|us|my|our|мене|мені|нас|нам|cold|headache|fever|mouth|today|tomorrow|now|tonight|late|"
        r"завтра|сьогодні|зараз)\b"
    ),
    re.IGNORECASE,
)


def lasting(text: str) -> str | None:
    """Return what is said of a relative, None where it will not be so tomorrow or is about the speaker."""
    value = liked(text)
    return None if value is None or _PASSING.search(value) else value
