"""Whether two things that are remembered of a person contradict each other, or say the same, by their words alone.

What is liked and disliked, what somebody can and cannot do, a diet and a dish, a fact and a note of it: a table of
words tells (``data/contradictions.txt``), which knows English and Ukrainian. It rather misses one than finds one that
is none: what it finds is told to a model, or suggested, and nothing is changed for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from zgadka.model.record import record
from zgadka.text.folding import unify
from zgadka.text.keys import is_single_valued
from zgadka.text.relations import is_directed
from zgadka.text.word_lists import read_entry, read_table, read_words
from zgadka.text.words import index_words, split_words

Bearing = Literal["contradiction", "same"]
Topic = tuple[frozenset[str], ...]
"""The index's tokens of each word."""

_CHARACTERS = 300
_MOST_WORDS = 6
"""What names more than so many things is hardly said again in the same words."""
_VALUE = re.compile(r"[.,;:!?()\n\"«»“”]| (?:and|but|with|since|now|because|та|і|й|але|з|бо|тепер|зараз) ")
_VALUE_WORDS = 4
_LONGEST_NUMBER = 40
"""Digits of one that is its own token."""
_PLURAL = re.compile(r"(?<=[a-z][a-z][a-z])(?<!s)s$")
_SPELT = re.compile(r"[A-Za-z\u0400-\u052f\s,.'’-]+")
"""Scripts whose words have stems; elsewhere what two words share may be one letter."""


@record()
class Claim:
    """What something says, as far as it can be held against something else.

    Attributes:
        topic: The words for what it is about; of a long text none.
        axis: What is said of that: that it is liked, that somebody is able to; empty: just that.
        sign: -1 where the opposite is said.
        senses: What it makes somebody: `vegan`.
        breaks: What somebody whom it is true of is not.
        says: The keys of which it says a value, each with the tokens of that value, where it is a note.
    """

    topic: Topic
    axis: str
    sign: int
    senses: frozenset[str]
    breaks: frozenset[str]
    says: tuple[tuple[str, frozenset[str]], ...]


class _Word(NamedTuple):
    """What a word tells of what it stands in.

    Attributes:
        forms: The index's tokens of it.
        denies: Whether it turns what is said into its opposite.
        stance: On which scale it says something, and whether the opposite.
        is_plain: Whether it names nothing.
        heads: What it makes somebody, or what somebody whom it is true of is not, each with how it does.
    """

    forms: frozenset[str]
    denies: bool
    stance: tuple[str, int] | None
    is_plain: bool
    heads: tuple[tuple[str, str], ...]


class _KeyWords(NamedTuple):
    """What a key tells of its values.

    Attributes:
        stance: As of a word.
        topic: What it names.
        is_eaten: Whether its values are.
    """

    stance: tuple[str, int]
    topic: Topic
    is_eaten: bool


@lru_cache(maxsize=2048)
def claim(content: str, key: str | None = None, type_: str | None = None) -> Claim:
    """Read a fact's value under its key, or a note without one."""
    words = split_words(unify(content[:_CHARACTERS]))
    if not _surface("passed").isdisjoint(words):  # it says nothing of now
        return Claim(topic=(), axis="", sign=1, senses=frozenset(), breaks=frozenset(), says=())
    of_key = _read_key(key)
    axis, sign = "", 1
    topic: list[frozenset[str]] = []
    heads: list[tuple[str, str]] = []
    read = [_read_number(word) if word.isdecimal() else _read_word(word) for word in words]
    for word, (forms, denies, stance, is_plain, own_heads) in zip(words, read, strict=True):
        heads += own_heads
        if denies:
            sign = -sign
            axis = "can" if word in ("cannot", "cant", "unable") else axis
        elif stance is not None and (stance[0] != "opinion" or type_ == "opinion"):
            axis, sign = stance[0], sign * stance[1]
        elif not is_plain:
            topic.append(forms)
    if not axis:
        axis, turn = of_key.stance
        sign *= turn
    if not topic or type_ == "opinion":
        topic = [*of_key.topic, *topic]
    breaking = ("against",)
    if heads:  # of most there are none
        tokens = frozenset[str]().union(*(word.forms for word in read))
        is_eaten = of_key.is_eaten or not _forms("eating").isdisjoint(tokens)
        is_eaten |= axis == "likes" and key in (None, "like", "preference")
        if is_eaten and _forms("substitute").isdisjoint(tokens):
            breaking = ("breaks", "against")
    return Claim(
        topic=tuple(dict.fromkeys(topic)) if len(topic) <= _MOST_WORDS else (),
        axis=axis,
        sign=sign,
        senses=frozenset([sense for kind, sense in heads if kind in ("food", "sense")]),
        breaks=frozenset([sense for kind, sense in heads if kind in breaking]),
        says=_said(content) if key is None else (),
    )


def bearing(a: Claim, b: Claim) -> Bearing | None:
    """Whether one contradicts the other, or says the same of the same thing; None: neither, as far as words tell."""
    if a.sign > 0 and b.sign > 0 and not (a.senses.isdisjoint(b.breaks) and b.senses.isdisjoint(a.breaks)):
        return "contradiction"
    if not a.topic or not _is_same_topic(a.topic, b.topic):
        return None
    if a.sign != b.sign:
        return "contradiction" if a.axis == b.axis else None
    return "same" if a.axis == b.axis or not (a.axis and b.axis) else None


def stance(read: Claim) -> str | None:
    """On what scale it says something of its topic; None: of nothing, or it cannot be held against another."""
    return read.axis if read.topic else None


def tells_apart(a: Claim, b: Claim) -> bool:
    """Whether a word that both name makes the others tell that they are not about the same: red wine, white wine."""
    return any(_meet(word, other_word) for word in a.topic for other_word in b.topic)


def says_otherwise(note: Claim, key: str, value: str) -> Bearing | None:
    """Whether a note says another value of a key that has one at a time, or the same; None where it says none."""
    for said_key, value_tokens in note.says:
        if said_key == key:
            return "contradiction" if value_tokens.isdisjoint(_value_tokens(value)) else "same"
    return None


def searched(read: Claim, key: str | None) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The tokens of the index that tell what bears on this: one of each set of the first, or any of the second."""
    # Where a key has one value at a time, the same under another key is something else.
    topic = () if key is not None and is_single_valued(key) else read.topic
    groups = tuple(map(_with_synonyms, topic))
    tokens: set[str] = set()
    for sense in read.senses:
        tokens.update(_forms(f"breaks {sense}"), _forms(f"against {sense}"))
    for sense in read.breaks:
        tokens.update(_forms(f"food {sense}"), _forms(f"sense {sense}"))
    if key is not None:
        tokens.update(_telling().get(key, ()))
    for said_key, _ in read.says:
        tokens.update(index_words(said_key))
    return groups, frozenset(tokens)


def only_likes(key: str) -> bool:
    """Whether a key says no more of its values than that somebody likes or does them: hobby, interest."""
    return set(key.split("_")) <= _surface("key likes")


def subject_of(read: Claim) -> frozenset[str]:
    """What a claim is about, the same for all forms of its words."""
    return frozenset(_main_form(word) for word in read.topic)


def naming(read: Claim, content: str, key: str | None) -> tuple[frozenset[str], int, bool] | None:
    """What a value names, the same for other forms of its words and for the thing's other names; None for none.

    What the key says is left out (a peanut allergy), and what somebody can do is told by its verb (cooking). Names in
    Cyrillic have none, since those of a man and a woman share a stem.

    Args:
        read: What the value says under its key.
    """
    is_name = any(word[0].isupper() and not word.isascii() for word in content.split())
    if not read.topic or is_name or not _SPELT.fullmatch(content):
        return None
    passed_over = _surface("plain") | read_words("stop_words") | _surface("not") | _surface("likes") | _surface("can")
    in_key = frozenset[str]().union(*map(_tokens, (key or "").split("_")))
    words = [
        word for word in split_words(unify(content)) if word not in passed_over and in_key.isdisjoint(_tokens(word))
    ]
    singular = [_PLURAL.sub("", word) if content.islower() else word for word in words]  # Marcos is not Marco
    if read.axis == "can":
        singular = [verb if (verb := word.removesuffix("ing")) in _tokens(word) else word for word in singular]
    named = frozenset(_main_form(_tokens(word), word) for word in singular)
    return (named, read.sign, read.axis == "can") if named else None


@lru_cache(maxsize=8192)
def _main_form(tokens: frozenset[str], word: str = "") -> str:
    """One form for all names of a thing; of a word in Latin letters it is the word, for German is not Germanic."""
    synonyms = [form for token in tokens for form in _names().get(token, ())]
    own = {word} if word.isascii() and word and not synonyms else tokens
    return min((*own, *synonyms), key=lambda form: (len(form), form))


def keys_told(text: str) -> tuple[str, ...]:
    """The keys of which a note says a value."""
    return tuple(key for key, _ in claim(text).says)


def is_excluded(word: str, people: tuple[int, ...], other_word: str, other_people: tuple[int, ...]) -> bool:
    """Whether of two relations one at most can hold, each between its subject and its object."""
    if set(people) != set(other_people):
        return word == other_word and has_one_at_a_time(word)
    if word == other_word:
        return is_directed(word) and people != other_people
    return any({word, other_word} <= entry for entry in _apart())


def relation_claim(word: str) -> Claim:
    """What a relation makes its two people, as far as it can be held against what is said of them."""
    senses = frozenset(sense for sense, words in _relations_of().items() if word in words)
    return Claim(topic=(), axis="", sign=1, senses=senses, breaks=frozenset(), says=())


def relations_against(read: Claim) -> frozenset[str]:
    """The words of the relations that what is said of somebody contradicts."""
    senses = read.breaks if read.sign > 0 else ()
    return frozenset(word for sense in senses for word in _relations_of().get(sense, ()))


@cache
def _relations_of() -> dict[str, tuple[str, ...]]:
    heads = read_table("contradictions")
    return {head[9:]: tuple(words) for head, words in heads.items() if head.startswith("relation ")}


def has_one_at_a_time(word: str) -> bool:
    """Whether somebody is what the word says to one other at a time."""
    return word in read_entry("contradictions", "relations one")


def _is_same_topic(a: Topic, b: Topic) -> bool:
    if len(a) != len(b):
        return False
    return all(any(_meet(word, other_word) for other_word in b) for word in a) and all(
        any(_meet(word, other_word) for other_word in a) for word in b
    )


def _meet(word: frozenset[str], other_word: frozenset[str]) -> bool:
    if not word.isdisjoint(other_word):
        return True
    return not other_word.isdisjoint(_with_synonyms(word))


@cache
def _names() -> dict[str, frozenset[str]]:
    """By each token of a name, those of the thing's other names."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for head, words in read_table("contradictions").items():
        if head.startswith("name "):
            tokens = frozenset[str]().union(*map(_tokens, (head.removeprefix("name "), *words)))
            for token in tokens:
                names[token] |= tokens - {token}
    return {token: frozenset(synonyms) for token, synonyms in names.items()}


def _read_number(word: str) -> _Word:
    """A number as a word, which mostly is a new one, and not worth a place in a cache."""
    tokens = frozenset((word,)) if len(word) < _LONGEST_NUMBER else _tokens(word)
    return _Word(tokens, denies=False, stance=None, is_plain=False, heads=())


@lru_cache(maxsize=8192)
def _read_word(word: str) -> _Word:
    forms, stances = _tokens(word), _stances()
    stance = stances.get(word)
    if stance is None and not word.isascii():  # корисна as корисно
        stance = next((stances[form] for form in forms if form in stances), None)
    heads = (head for token in forms for head in _by_token().get(token, ()))
    return _Word(forms, word in _surface("not"), stance, word in _plain(), tuple(dict.fromkeys(heads)))


@lru_cache(maxsize=1024)
def _read_key(key: str | None) -> _KeyWords:
    words = [] if key is None else list(map(_tokens, key.split("_")))
    stance = next((stance for forms in words if (stance := _stance_of_key(forms))), ("", 1))
    topic = tuple(forms for forms in words if not (_stance_of_key(forms) or forms & _forms("key general")))
    return _KeyWords(stance, topic, not _forms("eating").isdisjoint(frozenset[str]().union(*words)))


@lru_cache(maxsize=8192)
def _with_synonyms(word: frozenset[str]) -> frozenset[str]:
    return word.union(*(_names().get(token, ()) for token in word))


@cache
def _stances() -> dict[str, tuple[str, int]]:
    signs = {"likes": ("likes", 1), "dislikes": ("likes", -1), "can": ("can", 1)}
    signs |= {"approves": ("opinion", 1), "condemns": ("opinion", -1)}
    stances: dict[str, tuple[str, int]] = {}
    for head, sign in signs.items():
        for word in _surface(head):
            stances[word] = sign
            if not word.isascii():
                stances |= {form: sign for form in _tokens(word) if len(form) > 3}
    return stances


def _stance_of_key(forms: frozenset[str]) -> tuple[str, int] | None:
    for head, stance in (("key likes", ("likes", 1)), ("key dislikes", ("likes", -1)), ("key can", ("can", 1))):
        if not forms.isdisjoint(_forms(head)):
            return stance
    return None


@cache
def _by_token() -> dict[str, tuple[tuple[str, str], ...]]:
    by_token: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for head in read_table("contradictions"):
        kind, _, sense = head.partition(" ")
        if kind in ("food", "breaks", "sense", "against"):
            for token in _forms(head):
                by_token[token].append((kind, sense))
    return {token: tuple(heads) for token, heads in by_token.items()}


def _said(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What the text says as facts of single-valued keys would."""
    unified = unify(text[:_CHARACTERS])
    values: dict[str, frozenset[str]] = {}
    for match in _phrases().finditer(unified):
        preceding = split_words(unified[: match.start()])[-3:]
        if not (_surface("not") | _surface("passed")).isdisjoint(preceding):
            continue
        value = _VALUE.split(unified[match.end() :], maxsplit=1)[0]
        if tokens := _value_tokens(value):
            values.setdefault(_phrase_keys()[match[1].replace(" ", "_")], tokens)
    return tuple(values.items())


def _value_tokens(value: str) -> frozenset[str]:
    words = [word for word in split_words(unify(value))[:_VALUE_WORDS] if word not in read_words("stop_words")]
    return frozenset[str]().union(*map(_tokens, words))


@cache
def _phrase_keys() -> dict[str, str]:
    heads = read_table("contradictions")
    return {phrase: head[5:] for head, phrases in heads.items() if head.startswith("says ") for phrase in phrases}


@cache
def _phrases() -> re.Pattern[str]:
    phrases = sorted((phrase.replace("_", " ") for phrase in _phrase_keys()), key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, phrases))}) (?:(?:the|a|an|is|as) )?")


@cache
def _telling() -> dict[str, tuple[str, ...]]:
    """By key, the tokens of which a note that says a value of it has one."""
    telling: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for phrase, key in _phrase_keys().items():
        telling[key] |= dict.fromkeys(index_words(phrase.split("_")[0]))
    return {key: tuple(tokens) for key, tokens in telling.items()}


@cache
def _apart() -> tuple[frozenset[str], ...]:
    heads = read_table("contradictions")
    return tuple(frozenset(words) for head, words in heads.items() if head.startswith("relations apart"))


@cache
def _surface(head: str) -> frozenset[str]:
    return read_entry("contradictions", head)


@cache
def _forms(head: str) -> frozenset[str]:
    return frozenset[str]().union(*map(_tokens, read_table("contradictions").get(head, ())))


@cache
def _plain() -> frozenset[str]:
    return _surface("plain") | read_words("stop_words") | read_entry("paraphrase", "light")


@lru_cache(maxsize=8192)
def _tokens(word: str) -> frozenset[str]:
    return frozenset(index_words(word))
