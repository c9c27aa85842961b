"""Which of several numbered things a message agrees to: "only the first", "перше і третє", "1 and 3".

The words are turned into numbers here; whether these agree, `yes_no` decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from zgadka.text.folding import APOSTROPHES
from zgadka.text.word_lists import read_table
from zgadka.text.words import query_words
from zgadka.text.yes_no import Asked, agreed, plainly_agrees, plainly_refuses

_WORD = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)?")
_LONGEST = 200  # characters; nobody picks from a short list in more
_BOTH = 2
ORDINALS = frozenset({"1", "2", "3", "4", "5", "last"})
"""What the words for places are to `kinds_of`."""
_SHORT = 4  # words
_BETWEEN = re.compile(r"[,;.]|\s(?:and|but|і|й|та|а|але|и|но)\s", re.IGNORECASE)
_RANGE = re.compile(r"(?<!\w)(\d)\s*[-–—]\s*(\d)(?!\w)")
_UNCLEAR = re.compile(
    r"""
    (?<!\w)no\b(?!\.\s*\d)  # "1, no 2": number two, or not two
    | (?<!\w)(?:a|an|one|1|per|each|every|any|half)\s+second\b  # of time
    | (?<!\w)(?:at|in|on|per|на|у|в|по|за|o|о)[\s-]+\w+\W*$  # "at first", "по-перше", "о 2"
    | (?<!\w)\d\s+(?:of|items?|things|з|із|пункт\w*|штук\w*)\b  # "2 of them" counts
    | (?<!\w)(?:first|last|перш\w+|останн\w+)\s+\d  # "the first 3" counts
    | ^\W*(?:but|besides|except)\b  # what it takes away from is not told
    | ^\W*[ву]с[еeё]\b\W*(?:дякую|спасибі|thanks)?\W*$  # that is all, or everything
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that look like a pick and may mean something else."""


@dataclass(frozen=True)
class Pick:
    """What a message agrees to.

    Attributes:
        numbers: Of the things.
        only: Whether it refuses the others: "only the first"; else it says nothing of them.
    """

    numbers: frozenset[int]
    only: bool = False


PICKS_UNCLEARLY = Pick(frozenset())
"""What speaks of the things, and does not say which of them."""


def picked(text: str, texts: Mapping[int, str], request: Asked = "save") -> Pick | None:
    """Return which of the things that a person was asked about their message picks; None: it picks none.

    Args:
        text: What the person wrote.
        texts: The texts of the things by the numbers with which they were shown.
        request: What they were asked about.
    """
    if len(text) > _LONGEST or not texts:
        return None
    if (each := _each_named(text, texts, request)) is not None:
        return each
    text = _RANGE.sub(_spelled_out, text)
    before, only, after = _divided(text)
    if only and _picks_something(after):
        is_plain = plainly_agrees(before, request) or plainly_refuses(before, request) or not _telling(before)
        return _pick(after, texts, request, only=True) if is_plain else None
    return _pick(text, texts, request, only=False)


def _each_named(text: str, texts: Mapping[int, str], request: Asked) -> Pick | None:
    """What a message picks that says yes or no to each thing by its words: "tea yes, chess no"."""
    parts = [part for part in _BETWEEN.split(text) if part.strip()]
    if len(texts) < _BOTH or len(parts) < _BOTH:
        return None
    said: dict[int, bool] = {}
    for part in parts:
        words = set(query_words(part, expand=False))
        named = {number: words.intersection(_words_of(thing)) for number, thing in texts.items()}
        meant = [number for number, found in named.items() if found]
        if len(meant) != 1 or meant[0] in said:
            return None
        number = meant[0]
        rest = " ".join(word[0] for word in _WORD.finditer(part) if named[number].isdisjoint(query_words(word[0])))
        if not (plainly_agrees(rest, request) or plainly_refuses(rest, request)):
            return None
        said[number] = plainly_agrees(rest, request)
    agreed_to = frozenset(number for number, agrees in said.items() if agrees)
    return Pick(agreed_to, only=said.keys() == texts.keys()) if agreed_to else None


def _words_of(thing: str) -> set[str]:
    return set(query_words(thing.partition(": ")[2] or thing, expand=False))


def may_pick(text: str, texts: Mapping[int, str], request: Asked = "save") -> bool:
    """Whether a message of which `picked` returns nothing speaks of the things all the same.

    It refuses some of several; or is so short that it is about nothing else, or asks for time.
    """
    if plainly_refuses(text, request):
        return _names_some(text, texts)
    if plainly_agrees(text, request) or len(text.split()) > _SHORT or "?" in text:
        return False
    is_of_list = not {"all", "both", "last", *map(str, texts)}.isdisjoint(kinds_of(text))
    return is_of_list or plainly_refuses(text, "delete")  # "just a second" refuses nothing but what cannot wait


def _names_some(text: str, texts: Mapping[int, str]) -> bool:
    """Whether a message speaks of single ones of several things: by their numbers, or by words of some of them."""
    words = set(query_words(text, expand=False))
    named = [not words.isdisjoint(_words_of(thing)) for thing in texts.values()]
    return len(texts) > 1 and (_picks_something(text) or any(named) > all(named))


def _pick(text: str, texts: Mapping[int, str], request: Asked, *, only: bool) -> Pick | None:
    if _UNCLEAR.search(text):
        return None
    kinds = kinds_of(text)
    if "both" in kinds and (len(texts) == _BOTH or kinds.index("both") < sum(map(str.isdecimal, kinds)) == _BOTH):
        text = _numbered(text, texts, but=("both",))
        kinds = kinds_of(text)
        if not _picks_something(text) and "except" not in kinds:
            agrees = not text or plainly_agrees(text, request)
            return Pick(frozenset(texts), only) if agrees else None
    if "all" in kinds and set(kinds) <= {"all", "beside"} and "?" not in text:
        return Pick(frozenset(texts), only)
    start = kinds.index("all") if "all" in kinds else len(kinds)
    if set(kinds[:start]) <= {"beside"} and "except" in kinds[start:]:  # "all but the second"
        numbers = agreed(_numbered(text, texts, but=("all", "except")), texts, request)
        return Pick(frozenset(texts) - numbers, only=True) if numbers else None
    if not _picks_something(text):
        return None
    numbers = agreed(_numbered(text, texts), texts, request)
    return Pick(numbers, only) if numbers else None


def _spelled_out(span: re.Match[str]) -> str:
    """1-3 is one, two and three."""
    return ", ".join(map(str, range(int(span[1]), int(span[2]) + 1))) or span[0]


def _divided(text: str) -> tuple[str, str, str]:
    """What stands before "only", that word, and what it is about; "yes, but only …" is "yes, only …"."""
    words = list(_WORD.finditer(text))
    for index, word in enumerate(words):
        if _kind(word[0]) == "only":
            is_led = index > 0 and _kind(words[index - 1][0]) == "except"
            start = words[index - 1].start() if is_led else word.start()
            return text[:start].strip(" ,.;:-–—"), word[0], text[word.end() :]
    return text, "", ""


def _numbered(text: str, texts: Mapping[int, str], but: tuple[str, ...] = ()) -> str:
    """The message with numbers for ordinals, without what stands beside them."""

    def number(word: re.Match[str]) -> str:
        kind = _kind(word[0])
        if kind in ("beside", *but):
            return ","
        return kind if kind.isdecimal() else str(max(texts)) if kind == "last" else word[0]

    return re.sub(r"^[\s,]+|[\s,]+$", "", re.sub(r"[\s,]*,[\s,]*", ", ", _WORD.sub(number, text)))


def _picks_something(text: str) -> bool:
    return any(kind.isdecimal() or kind == "last" for kind in kinds_of(text))


def _telling(text: str) -> bool:
    """Whether there are words that mean something beside a pick."""
    return not set(kinds_of(text)) <= {"beside"}


def kinds_of(text: str) -> list[str]:
    """What each word of a text is in a pick: a number, "all", "only"; empty: nothing."""
    return [_kind(word[0]) for word in _WORD.finditer(text)]


def _kind(word: str) -> str:
    return word if word.isdecimal() else _kinds().get(word.casefold().translate(APOSTROPHES), "")


@cache
def _kinds() -> Mapping[str, str]:
    return {word: kind for kind, words in read_table("picks").items() for word in words}
