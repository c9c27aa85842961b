"""What a question asks for, and what a message offers: read from words alone, in English, Ukrainian and Russian."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntFlag
from functools import lru_cache
from itertools import chain, pairwise

from zgadka.search.dates import Spans, cues, spans
from zgadka.text.folding import transliterate, unify
from zgadka.text.tense import Tense, tense_of
from zgadka.text.word_lists import read_table, read_words
from zgadka.text.words import index_words, query_words

_LONGEST_QUESTION = 4000  # characters; `query_words` reads no more either
_LONGEST_TEXT = 20_000
_BEGINNING = 3  # letters
_MOST_NAMES = 12
"""So many words of a question are tried as names."""
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_POSSESSIVE = re.compile("(?<=[^\\W_])['\u2019]s?(?![^\\W_])")
_SENTENCE_ENDS = frozenset('.!?:…\n"“”«»(')
_QUESTION_MARKS = frozenset("?？؟")
_ASSISTANT = 0
_KINDS = ("kinds", "kinds_two_languages")
_OUT_OF = frozenset({"of", "з", "із", "зі"})
"""Which of the grandchildren, хто з рідних."""
_NOTHING: frozenset[str] = frozenset()


class Offer(IntFlag):
    """What a message offers to questions of some kind; it follows from the text alone.

    Attributes:
        QUESTION: It ends with a question.
        TIME: It says when: yesterday, in May, two weeks ago.
        NUMBER: It has a number, in digits or as a word.
        NAME: It has a word that is written like a name: with a capital letter inside a sentence.
    """

    NONE = 0
    QUESTION = 1
    TIME = 2
    NUMBER = 4
    NAME = 8


@dataclass(frozen=True, kw_only=True)
class Query:
    """What a question asks for.

    Attributes:
        words: The tokens to look for, without stop words and without the names of the people of the chat.
        people: Whose words it asks for: the people it names, oneself for "I", the assistant (0) for "you". Empty when
            it does not say.
        offer: What a message that answers it would offer.
        is_list: Whether it asks for several things ("which books"), of which people tell in several talks.
        spans: The days it names, told in messages of that time or just after.
    """

    words: tuple[str, ...]
    people: frozenset[int] = frozenset()
    offer: Offer = Offer.NONE
    is_list: bool = False
    spans: Spans = field(default_factory=Spans)


def features(text: str) -> Offer:
    """Say what a message offers."""
    text = text[:_LONGEST_TEXT]
    table = cues()
    offer = Offer.QUESTION if _ends_with_question(text) else Offer.NONE
    words = set(_WORD.findall(unify(text)))
    if words & table["time"] or any(len(word) == 4 and word[:2] in {"19", "20"} for word in words if word.isdigit()):
        offer |= Offer.TIME
    if words & table["number"] or any(word.isdigit() for word in words):
        offer |= Offer.NUMBER
    if any(word.lower() not in table["time"] for word in _names(text)):
        offer |= Offer.NAME
    return offer


def read_question(
    question: str,
    *,
    names: Mapping[int, Collection[str]] | None = None,
    asker: int | None = None,
    now: datetime | None = None,
) -> Query:
    """Read what a question asks for.

    Args:
        question: Any text; only the first 4,000 characters are read.
        names: The names that each person of the chat goes by.
        asker: Who asks: "I" is this person.
        now: The time, by which "last week" is understood; without it, such words are only words.
    """
    question = question[:_LONGEST_QUESTION]
    words = _WORD.findall(unify(_POSSESSIVE.sub("", question)))
    people, name_tokens = _people(question, names or {})
    if not people:
        people = _asker_or_assistant(words, asker)
    tokens = query_words(_POSSESSIVE.sub("", question), expand=False)
    named_days = spans(question, now.date() if now else None)
    return Query(
        words=tuple([token for token in tokens if token not in name_tokens] or tokens),
        people=people,
        offer=_wanted_offer(words),
        is_list=_asks_for_several(
            [word for word in words if name_tokens.isdisjoint(index_words(word))], is_dated=bool(named_days.within)
        ),
        spans=named_days,
    )


def name_beginnings(question: str) -> list[str]:
    """Return how names in a question may begin, each letter as a class of its two cases: `[Oo][Ll][Ee]`."""
    plain = _POSSESSIVE.sub("", question[:_LONGEST_QUESTION])
    telling = set(query_words(plain, expand=False))
    words = [
        word for word in dict.fromkeys(_LETTERS.findall(plain)) if len(word) > 1 and telling & {*index_words(word)}
    ]
    words.sort(key=lambda word: not word[:1].isupper())
    beginnings = [word[: min(_BEGINNING, max(_BEGINNING - 1, len(word) - 1))] for word in words[:_MOST_NAMES]]
    beginnings += [transliterate(beginning) for beginning in beginnings if not beginning.isascii()]
    return ["".join(f"[{letter.upper()}{letter.lower()}]" for letter in each) for each in dict.fromkeys(beginnings)]


def members(word: str) -> frozenset[str]:
    """Return the tokens of what belongs to the kind of things that a token names: of "sport", "football" and so on."""
    return _kinds().get(word, _NOTHING)


def kind_words(question: str, words: Sequence[str]) -> list[str]:
    """Of a question for many, the tokens of what belongs to the kinds that its words name; of others nothing.

    Args:
        words: The question's tokens.
    """
    of_kind = _NOTHING.union(*map(members, words)).difference(words)
    return sorted(of_kind) if of_kind and _is_list(question[:_LONGEST_QUESTION]) else []


@lru_cache(maxsize=256)
def _is_list(question: str) -> bool:
    """What `Query` says of it, whoever is in the chat, whenever it is asked."""
    words = _WORD.findall(unify(_POSSESSIVE.sub("", question)))
    return _asks_for_several(words, is_dated=bool(spans(question, None).within))


def without_names(question: str, names: Mapping[int, Collection[str]]) -> str:
    """Return a question without the names of the people of the chat, for an embedder.

    Messages seldom name who speaks, and a name pulls a vector towards messages that only greet that person.
    """
    excluded = {
        word.casefold() for own in names.values() for name in own for word in _LETTERS.findall(name) if len(word) > 1
    }
    text = _LETTERS.sub(lambda word: "" if word[0].casefold() in excluded else word[0], _POSSESSIVE.sub("", question))
    text = " ".join(text.split())
    return text if _LETTERS.search(text) else question


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    kinds: dict[str, frozenset[str]] = {}
    tables = (read_table(name, "zgadka.search").items() for name in _KINDS)
    for head, things in chain.from_iterable(tables):
        tokens = frozenset(index_words(" ".join((head, *things))))
        for kind in index_words(head):
            kinds[kind] = kinds.get(kind, _NOTHING) | tokens
    return {kind: tokens - {kind} for kind, tokens in kinds.items()}


def _asks_for_several(words: Sequence[str], *, is_dated: bool) -> bool:
    """Tell questions for many, of which people tell in several talks, from those for one thing.

    "Which books", "what has she repaired", "when did they ski", "хто з рідних дзвонив"; but "which book", "what did she
    say", "when was she born", "хто переміг".

    Args:
        words: Of the question, without possessives and names.
        is_dated: Whether it names days: what was done on one is mostly one thing.
    """
    table = cues()
    words = [word for word in words if word not in table["lead"]] or [""]
    opening, following = words[0], words[1:]
    second = following[0] if following else ""
    is_who = opening in table["who_or_where"] or second in table["who_or_where"]
    plainly = (
        opening in table["call_for_list"],
        not table["times_over"].isdisjoint(following[:2]),
        not table["which_ones"].isdisjoint(words),
        opening in table["how_much"] and second == "many",
        second in _OUT_OF and (is_who or opening in table["which"]),
        (opening in table["what"] or opening in table["which"]) and _asks_for_things(opening, following),
    )
    if any(plainly) or is_dated:
        return any(plainly)
    if opening in table["what"]:
        return _asks_what_was_done(following)
    is_past = tense_of(following) is Tense.PAST
    if opening in table["when"]:
        return is_past and table["once"].isdisjoint(following)
    each_time = table["visiting"] if opening in table["where"] else table["meeting"]
    is_told_each_time = is_past and not each_time.isdisjoint(following)
    is_to_whom = (opening == "who" and second == "did") or not table["to_whom"].isdisjoint(words[:2])
    is_of_many = is_to_whom and is_past and (table["once"] | table["one_thing"]).isdisjoint(following)
    return is_who and (second in table["perfect"] or is_told_each_time or is_of_many)


def _asks_for_things(opening: str, following: Sequence[str]) -> bool:
    """Whether what follows "what" names several things: "books has", "new hobbies does", "kind of games", "рибу"."""
    table = cues()
    if following[:1] and following[0] in table["kind_of"]:
        following = following[2:] if following[1:2] == ["of"] else following[1:]
    elif following[:1] and following[0] in {"are", "were"}:
        return any(_is_plural(word) for word in following[1:3])
    # "Which books", "what books?", but "what helps".
    unhelped = 2 if opening in table["which"] else len(following) == 1
    helping = next((at for at, word in enumerate(following) if word in table["helping"]), unhelped)
    if not table["mass"].isdisjoint(following[:2]):
        return True
    if not table["measure"].isdisjoint(following[:1]):
        return False
    return any(_is_plural(word) for word in following[:helping])


def _asks_what_was_done(following: Sequence[str]) -> bool:
    """Whether what follows "what" is something that somebody did, or that came about, perhaps more than once."""
    table = cues()
    if following[:1] and following[0] in table["perfect"]:
        return table["one_thing"].isdisjoint(following)
    is_done = following[:1] == ["did"] or (
        bool(following) and (not following[0].isascii() or following[0] in table["broke"])
    )
    # "What did she say", not "what did she learn to say".
    verbs = {word for preceding, word in pairwise(("", *following[:5])) if preceding != "to"}
    return is_done and tense_of(following) is Tense.PAST and table["one_thing"].isdisjoint(verbs)


def _is_plural(word: str) -> bool:
    table = cues()
    if word in table["plural"]:
        return True
    is_ending = len(word) > 3 and word[-1] == "s" and word[-2] not in "siu"
    return is_ending and word not in table["not_plural"] and word not in read_words("stop_words")


def _ends_with_question(text: str) -> bool:
    telling = (character for character in reversed(text[-40:]) if character in _QUESTION_MARKS or character.isalnum())
    return next(telling, "") in _QUESTION_MARKS


def _names(text: str) -> Iterator[str]:
    """Yield the words inside sentences that are written with a capital letter."""
    words = list(_LETTERS.finditer(text))
    for previous, word in pairwise(words):
        written = word[0]
        looks_like_name = len(written) > 1 and written[0].isupper() and written[1:].islower()
        if looks_like_name and _SENTENCE_ENDS.isdisjoint(text[previous.end() : word.start()]):
            yield written


def _people(question: str, names: Mapping[int, Collection[str]]) -> tuple[frozenset[int], frozenset[str]]:
    """Return who is named, and all tokens of all names."""
    written = _LETTERS.findall(_POSSESSIVE.sub("", question))
    question_tokens = {token for word in written for token in index_words(word)}
    named: set[int] = set()
    tokens: set[str] = set()
    for person, aliases in names.items():
        for name in aliases:
            own = {token for token in index_words(name) if len(token) > 1}
            tokens |= own
            if own & question_tokens:
                named.add(person)
    return frozenset(named), frozenset(tokens)


def _asker_or_assistant(words: Sequence[str], asker: int | None) -> frozenset[int]:
    """Who "I" and "you" are; both in "remind me what you found", which is not told from "what I told you"."""
    table = cues()
    people: set[int] = set()
    if asker is not None and not table["first_person"].isdisjoint(words):
        people.add(asker)
    if not table["second_person"].isdisjoint(words):
        people.add(_ASSISTANT)
    return frozenset(people)


def _wanted_offer(words: Sequence[str]) -> Offer:
    table = cues()
    start = words[:2]
    opening, next_word = [*start, "", ""][:2]
    wanted = Offer.NONE
    is_what = opening in table["what"] or opening in table["who_or_where"]
    if any(word in table["when"] for word in start) or (is_what and next_word in table["period"]):
        wanted |= Offer.TIME
    is_how_much = opening in table["how_much"] and next_word in table["amount"]
    if is_how_much or any(word in table["one_word_amount"] for word in start):
        wanted |= Offer.NUMBER
        if next_word == "long":
            wanted |= Offer.TIME
    names_something = not table["named_thing"].isdisjoint(words[1:4])
    if any(word in table["who_or_where"] for word in start) or (is_what and names_something):
        wanted |= Offer.NAME
    return wanted
