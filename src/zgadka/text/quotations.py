"""Which texts a quotation was taken from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from zgadka.text.value_mentions import as_words, is_known_again

_LINES = 50
"""So many of a quotation's lines, the longest, are looked for."""
_LONGER = 2
"""So many times as long as a quotation, a text is no part of it, however it is spaced."""

_WORD = re.compile(r"\w+")


def taken_from(quoted: str, texts: Mapping[int, str]) -> set[int]:
    """The numbers of the texts that a quotation was taken from, whole or in part, or that it has among others.

    It is asked while nobody else can write: a text is read word for word only where it has all words of a
    line, or the quotation has all of its.
    """
    lines = sorted(filter(_WORD.search, {*quoted.split("\n")}), key=len)[-_LINES:]
    quoted_lines = [line for line in map(as_words, lines) if is_known_again(line)]
    line_words = [*map(_words, lines)]
    telling = {max(words, key=len) for words in line_words}
    quotation, quoted_words = as_words(quoted), _words(quoted)
    taken = set[int]()
    for number, text in texts.items():
        folded = text.casefold()
        if len(text) > _LONGER * len(quoted) and not any(word in folded for word in telling):
            continue
        words = _words(text)
        if not (words <= quoted_words or any(line <= words for line in line_words)):
            continue
        said = as_words(text)
        is_part = is_known_again(said) and said in quotation
        if is_part or any(line in said for line in quoted_lines) or _same(text, quoted):
            taken.add(number)
    return taken


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _same(text: str, quoted: str) -> bool:
    return " ".join(text.split()).casefold() == " ".join(quoted.split()).casefold()
