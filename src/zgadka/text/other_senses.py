"""Which texts have the word of a value in another sense: a saying, an ordinary word that is a name, somebody at work.

As in `mere_mentions`, only what is plain in the text itself; in doubt it says the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from zgadka.text.folding import unify
from zgadka.text.keys import key_of
from zgadka.text.mere_mentions import NAMED, is_kin
from zgadka.text.tense import Tense, tense_of
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.word_lists import read_entry, read_table
from zgadka.text.words import index_words, split_words

_WRITTEN = re.compile(r"[^\W\d_]+(?:['\u2019\u02bc][^\W\d_]+)*")
_WITHIN = re.compile(r"[^.!?:…\s]\s+$")
"""What stands before a word that begins no sentence."""
_CLAUSE = re.compile(r"[.,;:!?()\n]+(?=\s|$)|\s[-–—]\s")
_DREADED = frozenset({"fear", "phobia", "allergy", "intolerance", "health"})
_ARTICLE_BEFORE = 2
"""An article and a word that tells which one stand before a noun."""
_SHORTEST_CLAUSE = 3
_PLACING = frozenset({"на", "в", "у", "до", "з", "із", "зі", "від", "під", "біля"})
_WHERE = frozenset({"at", "in", "on", "of", "from", "next"})
_BECOMING = frozenset({"as", "be", "been", "being", "become", "became", "becoming"})
"""What stands before "a nurse" where that is what somebody is themselves: working as a nurse was hard."""
_SHORTEST = 4
"""Words of a clause that tells what somebody at work did."""


def has_other_sense(text: str, value: str, key: str) -> bool:
    """Whether a text has the words of a value, one of this key, in other senses alone: hot dog, of a dog."""
    return _is_in_sayings(text, value) or _is_small_name(text, value, key) or _is_named_so(text, value, key)


def _is_in_sayings(text: str, value: str) -> bool:
    line, rest = " ".join(_line(text)), _without_sayings(text)
    is_of_value = _without_sayings(value) != " ".join(_line(value))
    index = MentionIndex([(0, rest)])
    if rest == line or is_of_value or index.of(value, loosely=True):
        return False
    return _speaks_of_nobody_near(text) or not index.hinting(value)


def _without_sayings(text: str) -> str:
    return _sayings().sub("\n", " ".join(_line(text)))


def has_somebody_at_work(text: str, value: str, key: str) -> bool:
    """Whether a text of a person's own, who is or has or does a value of this key, tells of another: the nurse ran.

    What they fear or must not eat is in whatever they tell of it.
    """
    if key_of(key).kind in NAMED or key in _DREADED or not _speaks_of_nobody_near(text):
        return False
    clauses = [split_words(clause) for clause in re.split(_CLAUSE, unify(text))]
    held = [(words, at) for words in clauses for at in MentionIndex(enumerate(words)).of(value, loosely=True)]
    is_role = key_of(key).kind == "role"
    return bool(held) and all(_is_another_at_work(words, at, value, is_role=is_role) for words, at in held)


def _is_another_at_work(words: Sequence[str], at: int, value: str, *, is_role: bool) -> bool:
    if words[at].isascii():
        articles = {"a", "an", *(("the",) if is_role else ())}
        is_placed = not _WHERE.isdisjoint(words[at + 1 : at + 2])  # the nurse at the clinic, not the nurse uniform
        telling = words[at + 1 :] if is_placed else words[at + 1 : at + 2]
        is_oneself = not _BECOMING.isdisjoint(words[max(at - 2, 0) : max(at - 1, 0)])
        return not articles.isdisjoint(words[at - 1 : at]) and not is_oneself and tense_of(telling) is Tense.PAST
    is_doer = is_role or not MentionIndex([(0, words[at])]).of(value)  # a player, of chess
    is_long = len(words) >= _SHORTEST or is_kin("_".join(words[1:]))
    return at == 0 and is_doer and is_long and tense_of(words[1:]) is Tense.PAST


def _speaks_of_nobody_near(text: str) -> bool:
    near = read_entry("mentions", "self") | read_entry("mentions", "we")
    return near.isdisjoint(split_words(unify(text)))


def _is_named_so(text: str, value: str, key: str) -> bool:
    """Whether a text has a thing's word in Cyrillic only as a name, with a capital within a sentence: Риби, of риба."""
    if value != value.lower() or len(_line(value)) != 1 or value.isascii() or key_of(key).kind in NAMED:
        return False
    written = list(_WRITTEN.finditer(text))
    index = MentionIndex((at, word[0]) for at, word in enumerate(written))
    places = index.of(value)
    return (
        bool(places)
        and places == index.of(value, loosely=True)
        and all(written[at][0].istitle() and _WITHIN.search(text, 0, written[at].start()) for at in places)
    )


def _is_small_name(text: str, value: str, key: str) -> bool:
    """Whether a text has a name as an ordinary word alone: the rose is red, he ran a bath."""
    words = split_words(unify(value))
    if len(words) != 1 or value == value.lower() or key_of(key).kind not in NAMED:
        return False
    if not _is_ordinary(words[0]) or not read_entry("other_senses", "naming").isdisjoint(_line(text)):
        return False
    clauses = [[word[0] for word in _WRITTEN.finditer(clause)] for clause in re.split(_CLAUSE, text)]
    held = [(written, at) for written in clauses for at in _places_of(value, written)]
    is_theirs = not is_kin(key)
    return bool(held) and all(
        written[at].islower()
        and (_stands_as_word(written, at, is_theirs=is_theirs) or (is_theirs and _tells_of_world(text, written, at)))
        for written, at in held
    )


def _places_of(value: str, words: Sequence[str]) -> set[int]:
    index = MentionIndex(enumerate(words))
    return index.of(value) or index.of(value, loosely=True)


def _tells_of_world(text: str, written: Sequence[str], at: int) -> bool:
    """Whether a clause in Cyrillic, which has no articles, has their own name or town as a small word."""
    words = [word.lower() for word in written]
    if words[at].isascii() or len(words) < _SHORTEST_CLAUSE or not _PLACING.isdisjoint(words[max(0, at - 1) : at]):
        return False
    mine = read_entry("mentions", "my")
    near = [word for word in _line(text) if word not in mine or words[at - 1 : at] != [word]]
    speaks = not (read_entry("mentions", "self") | read_entry("mentions", "we")).isdisjoint(near)
    return not speaks and (at > 0 or tense_of(words[1:]) is not Tense.OPEN)


def _stands_as_word(written: Sequence[str], at: int, *, is_theirs: bool) -> bool:
    articles = read_entry("other_senses", "articles") | frozenset({"our"} if is_theirs else ())
    before = [word.lower() for word in written[max(0, at - _ARTICLE_BEFORE) : at]]
    after = [word.lower() for word in written[at + 1 : at + 2]]
    verb = not read_entry("mentions", "they").isdisjoint(before[-1:])
    return verb or not articles.isdisjoint(before) or not articles.isdisjoint(after)


def _is_ordinary(word: str) -> bool:
    return not read_entry("other_senses", "words").isdisjoint({word, *index_words(word)})


def _line(text: str) -> list[str]:
    return split_words(unify(text))


@cache
def _sayings() -> re.Pattern[str]:
    sayings = sorted(read_table("other_senses")["sayings"], key=len, reverse=True)
    patterns = (
        " ".join(r"\S+" if word == "*" else re.escape(*_line(word)) for word in saying.split("_")) for saying in sayings
    )
    return re.compile(rf"(?<!\S)(?:{'|'.join(patterns)})(?!\S)")
