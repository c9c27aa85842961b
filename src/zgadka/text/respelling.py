"""A value whose words an edited text spells in another way, and nothing else: a slip that was put right."""

from __future__ import annotations

import re

from zgadka.text.canonical import canonical

_WORD = re.compile(r"[^\W_]+(?:['’ʼ-][^\W_]+)*")
_LONGEST_DIFFERENCE = 2
_SHORTEST = 5
"""Of shorter words, too many that differ in a letter are words of their own: cat and car, Iran and Iraq."""


def respelt(value: str, former: str, text: str) -> str | None:
    """The value as an edited text spells it; None: as it did, or the text says something else.

    That is, where another word than the value's has changed, or one into what may be a word of its own: cats, bats.
    """
    before, after = _WORD.findall(former), _WORD.findall(text)
    if len(before) != len(after):
        return None
    still, parts = {word.casefold() for word in after}, {word.casefold() for word in _WORD.findall(value)}
    changed: dict[str, tuple[str, str]] = {}
    for old, new in zip(before, after, strict=True):
        word = old.casefold()
        if word == new.casefold():
            continue
        if word not in parts or word in still or word in changed or not _is_near(old, new):
            return None
        changed[word] = old, new

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        old, new = changed.get(word.casefold(), (word, word))
        return new if word == old or not word.islower() else new.lower()

    new_value = _WORD.sub(spelt, value)
    return None if new_value == value else new_value


def _is_near(word: str, other: str) -> bool:
    """Whether a word differs from another in a letter or two, and is not short, or is the same value as that."""
    a, b = word.casefold(), other.casefold()
    shorter = min(len(a), len(b))
    if not (a.isalpha() and b.isalpha() and _distance(a, b) <= min(_LONGEST_DIFFERENCE, shorter // 3)):
        return False
    return shorter >= _SHORTEST or canonical(word) == canonical(other)


def _distance(a: str, b: str) -> int:
    """How many letters have to be added, left out, replaced or changed over with the next one."""
    rows = [list(range(len(b) + 1))]
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, a[i - 2]) == (b[j - 2], other):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
