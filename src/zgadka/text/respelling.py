"""A value whose words an edited text spells in another way, in the same place: a slip that was put right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_WORD = re.compile(r"[^\W_]+(?:['’ʼ-][^\W_]+)*")
_LONGEST_DIFFERENCE = 2


def respelt(value: str, former: str, text: str) -> str | None:
    """The value as an edited text spells it; None: as it did, or the text says something else in its place."""
    before, after = _WORD.findall(former), _WORD.findall(text)
    folded, still = [word.casefold() for word in before], {word.casefold() for word in after}
    places = _places(before, after)

    def spelt(word: str) -> str | None:
        if word.casefold() in still or word.casefold() not in folded:
            return word
        place = folded.index(word.casefold())
        new_word = after[places[place]] if place in places else ""
        if not _is_near(word, new_word):
            return None
        return new_word if word == before[place] or not word.islower() else new_word.lower()

    words = [spelt(word) for word in _WORD.findall(value)]
    if None in words:
        return None
    remaining = iter(filter(None, words))
    new_value = _WORD.sub(lambda _: next(remaining), value)
    return None if new_value == value else new_value


def _places(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Where the words of a text stand in another one, or what stands in their place."""
    folded = [[word.casefold() for word in words] for words in (before, after)]
    runs = SequenceMatcher(None, *folded, autojunk=False).get_opcodes()
    pairs = [(range(run[1], run[2]), range(run[3], run[4])) for run in runs]
    return {old: new for olds, news in pairs if len(olds) == len(news) for old, new in zip(olds, news, strict=True)}


def _is_near(word: str, other: str) -> bool:
    """Whether a word differs from another in a letter or two, of three or more."""
    a, b = word.casefold(), other.casefold()
    if a == b:
        return True
    most = min(_LONGEST_DIFFERENCE, min(len(a), len(b)) // 3)
    return a.isalpha() and b.isalpha() and _distance(a, b) <= most


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
