"""Whether two values may say the same in other words: what vectors do not see and words show.

A vector hardly tells 2 cats from 3 cats, likes tea from dislikes tea, tennis from table tennis, peanuts from walnuts.
So these rules speak after the vectors, and only ever against a likeness: numbers, signs and names that differ, a
denial or a turn on one side alone, different words of one kind (``data/kinds.txt``), a word before a shared one that
narrows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from zgadka.text.tables import read_table, read_words
from zgadka.text.words import index_words

_CHARACTERS = 1000
_WORD = re.compile(r"[^\W_]+(?:['\u2019\u02bc][^\W_]+)*")
_APOSTROPHE = re.compile("['\u2019\u02bc]")
_DIGITS = re.compile(r"\d+")
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il", "anti", "mis", "не")
"""What turns a word into its opposite: patient and impatient, терплячий and нетерплячий."""
_NUMBERS = {
    word: number
    for number, words in {
        "2": "two twice both twins два дві двоє обидва",
        "3": "three три троє",
        "4": "four чотири четверо",
        "5": "five п'ять п'ятеро",
        "6": "six шість",
        "7": "seven сім",
        "8": "eight вісім",
        "9": "nine дев'ять",
        "10": "ten десять",
        "11": "eleven одинадцять",
        "12": "twelve dozen дванадцять",
    }.items()
    for word in words.replace("'", "").split()
}
_DENYING = frozenset(
    {
        *(
            "not",
            "no",
            "never",
            "without",
            "none",
            "cannot",
            "cant",
            "dont",
            "doesnt",
            "didnt",
            "isnt",
            "arent",
            "wont",
        ),
        *("hasnt", "havent", "wasnt", "free", "non", "neither", "nor", "nobody", "nothing", "stop", "stopped", "quit"),
        *("avoid", "avoids", "avoiding", "не", "ні", "без", "ніколи", "немає", "нема"),
    }
)
_TURNING = frozenset(
    {
        *("dislike", "dislikes", "disliked", "hate", "hates", "former", "formerly", "ex", "past", "previous", "used"),
        *("previously", "had", "ago", "once", "old", "moved", "left", "leaving", "want", "wants", "wanted", "wish"),
        *("wishes", "plan", "plans", "planning", "learn", "learns", "learning", "studying", "hope", "hopes", "dream"),
        *("dreams", "future", "considering", "afraid", "fear", "fears", "scared", "against", "anti", "harm", "harms"),
        *("колишній", "колишня", "раніше", "колись", "хоче", "хотів", "мріє", "планує", "вчить", "вивчає", "був"),
        *("була", "мав", "мала", "проти"),
    }
)
"""A value with one of these says something else than one without any."""
_LIGHT = frozenset(
    {
        *(
            "like",
            "likes",
            "love",
            "loves",
            "enjoy",
            "enjoys",
            "enjoying",
            "prefer",
            "prefers",
            "adore",
            "adores",
            "fan",
        ),
        *("fond", "play", "plays", "playing", "do", "does", "doing", "go", "goes", "going", "practice", "practices"),
        *("practise", "practises", "practicing", "make", "makes", "making", "have", "has", "having", "own", "owns"),
        *("owning", "drink", "drinks", "drinking", "eat", "eats", "eating", "watch", "watches", "watching", "listen"),
        *("listens", "listening", "read", "reads", "reading", "speak", "speaks", "speaking", "speaker", "native"),
        *("fluent", "know", "knows", "knowing", "work", "works", "working", "as", "is", "being", "allergic", "allergy"),
        *("named", "called", "favourite", "favorite", "pet", "good", "best", "well", "can", "able", "think", "thinks"),
        *("really", "very", "big", "huge", "often", "always", "usually", "every", "regularly", "sometimes", "get"),
        *("gets", "getting", "live", "lives", "living", "based", "любить", "люблю", "обожнює", "подобається", "грає"),
        *("грати", "гра", "робить", "займається", "має", "пити", "їсти", "дивитися", "слухати", "читати", "говорить"),
        *("знає", "працює", "алергія", "дуже", "часто", "завжди"),
    }
)
"""Words that say little beside others in a value: plays the guitar is guitar."""

_GENERAL = frozenset(
    {
        *("sport", "sports", "game", "games", "music", "art", "food", "meat", "fruit", "fruits", "nuts", "vegetables"),
        *("animal", "animals", "pet", "pets", "drink", "drinks", "instrument", "instruments", "vehicle", "scientist"),
        *("musician", "artist", "writer", "doctor", "teacher", "engineer", "officer", "manager", "athlete", "craft"),
        *("crafts", "dancer", "language", "languages", "спорт", "ігри", "музика", "тварини", "науковець", "музикант"),
        *("художник", "письменник", "лікар", "учитель", "вчитель", "інженер"),
    }
)
"""Names of whole kinds: a pianist is a musician, and a musician need not be a pianist."""


@dataclass(frozen=True)
class Wording:
    """What of a value's words is compared.

    Attributes:
        plain: All of them in lower case.
        names: Those with a capital, in lower case.
        first: The first of all, which has a capital where it begins a sentence, too.
        senses: By kind which of its words there are, by number.
        telling: The index's tokens of each word that is not light, None for a light one; in order.
    """

    plain: frozenset[str]
    numbers: frozenset[str]
    signs: frozenset[str]
    names: frozenset[str]
    first: frozenset[str]
    denies: bool
    turns: bool
    senses: Mapping[str, frozenset[int]]
    telling: tuple[frozenset[str] | None, ...]

    @property
    def tokens(self) -> frozenset[str]:
        """The tokens of all words that are not light."""
        return frozenset(token for word in self.telling if word is not None for token in word)


def wording(value: str) -> Wording:
    """Read a value's words; of a long one its beginning."""
    value = value[:_CHARACTERS]
    written = [_APOSTROPHE.sub("", word) for word in _WORD.findall(value)]
    words = [word.lower() for word in written]
    stop_words = read_words("stop_words")
    tokens = [frozenset(index_words(word)) for word in words]
    senses: defaultdict[str, set[int]] = defaultdict(set)
    for word in tokens:
        for kind, sense in (found for token in word for found in _kinds().get(token, ())):
            senses[kind].add(sense)
    return Wording(
        plain=frozenset(words),
        numbers=frozenset(number for word in words for number in _numbers(word)),
        signs=frozenset(sign for sign in value if unicodedata.category(sign)[0] == "S" or sign in "#%@"),
        names=frozenset(word.lower() for word in written if word[0].isupper() and word != "I"),
        first=frozenset(words[:1]),
        denies=not _DENYING.isdisjoint(words),
        turns=not _TURNING.isdisjoint(words),
        senses={kind: frozenset(found) for kind, found in senses.items()},
        telling=tuple(
            None if word in _LIGHT or word in stop_words else token for word, token in zip(words, tokens, strict=True)
        ),
    )


def script_of(value: str) -> str:
    """Return the script of the first letter, as Unicode names it; empty without letters."""
    letter = next(filter(str.isalpha, value), "")
    return unicodedata.name(letter, "").partition(" ")[0] if letter else ""


def may_be_same(one: Wording, other: Wording, *, named: bool = False) -> bool:
    """Tell whether no word of two values speaks against their saying the same.

    Args:
        named: The values are about people, so that a capital at their beginning is a name.
    """
    if one.numbers != other.numbers or one.signs != other.signs:
        return False
    if one.denies is not other.denies or one.turns is not other.turns:
        return False
    names, others = (side.names if named else side.names - side.first for side in (one, other))
    if _apart(names - other.plain, others - one.plain):
        return False
    if any(_apart(sense, other.senses[kind]) for kind, sense in one.senses.items() if kind in other.senses):
        return False
    return not (_is_opposite(one, other) or _narrows(one, other) or _narrows(other, one))


def _apart(one: frozenset[Any], other: frozenset[Any]) -> bool:
    """Tell whether each has something that the other has not."""
    return not (one <= other or other <= one)


def _is_opposite(one: Wording, other: Wording) -> bool:
    alone, there = one.plain - other.plain, other.plain - one.plain
    return any(
        f"{prefix}{word}" in negated
        for words, negated in ((alone, there), (there, alone))
        for word in words
        if len(word) > 2
        for prefix in _PREFIXES
    )


def _narrows(wide: Wording, narrow: Wording) -> bool:
    """Tell whether one names but a kind, or the other has all its words and one right before them: table tennis."""
    if wide.plain and wide.plain <= _GENERAL and wide.tokens.isdisjoint(narrow.tokens):
        return True
    if not wide.tokens or not wide.tokens < narrow.tokens:
        return False
    words = narrow.telling
    return any(
        first is not None
        and second is not None
        and first.isdisjoint(wide.tokens)
        and not second.isdisjoint(wide.tokens)
        for first, second in pairwise(words)
    )


def _numbers(word: str) -> list[str]:
    """All but 1, which is as good as none: one dog is a dog."""
    return [_NUMBERS[word]] if word in _NUMBERS else [number for number in _DIGITS.findall(word) if number != "1"]


@lru_cache(maxsize=1)
def _kinds() -> dict[str, tuple[tuple[str, int], ...]]:
    """The kinds that a token belongs to, and the number of what it names among those of the kind."""
    kinds: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, entries in read_table("kinds").items():
        for number, entry in enumerate(entries):
            for word in entry.split("="):
                for token in index_words(word):
                    kinds[token].append((kind, number))
    return {token: tuple(found) for token, found in kinds.items()}
