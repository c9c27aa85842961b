"""Which words are a slip of the pen, one for the other.

Between any two words it takes a long word, and most letters in their places: `are_slips`. Where a person put one into
the place of the other and changed nothing else, little else explains it: `was_slip`, which takes in all of those.
"""

from __future__ import annotations

import re

from zgadka.text.canonical import canonical
from zgadka.text.slavic import common_beginning

_SHORT, _LONG, _LONGER, _LONGEST = 5, 6, 8, 9
"""Letters of a word that may be a slip for another: a vowel left out or neighbours swapped, any letter, two vowels, two
letters. Of shorter words, too many that differ in a letter are words of their own: cat and car, Iran and Iraq."""
_CLOSE_ENDS = 3
_MOST_APART = 2
_VOWELS = re.compile("[aeiou]")


def are_slips(a: str, b: str) -> bool:
    """Tell whether one of two long words in Latin letters is a slip for the other.

    It has a letter more, less, wrong or in its neighbour's place; in a very long one two letters may be.
    """
    if a[:1] != b[:1]:
        return False
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    extra = len(long) - len(short)
    if len(short) < _SHORT or extra > 2 or not (a.isalpha() and b.isalpha()):
        return False
    if len(short) >= _LONGEST:
        return _distance_is_small(short, long) or (not extra and _differ_in_vowels(short, long))
    start = common_beginning(short, long)
    if extra:
        is_left_out = extra == 1 and short[start:] == long[start + 1 :]
        return is_left_out and (len(short) >= _LONG or (start < len(short) and long[start] in "aeiou"))
    if short[start : start + 2][::-1] == long[start : start + 2] and short[start + 2 :] == long[start + 2 :]:
        return True
    return len(short) >= _LONG and (short[start + 1 :] == long[start + 1 :] or _differ_in_vowels(short, long))


def _differ_in_vowels(a: str, b: str) -> bool:
    wrong = sum(letter != other_letter for letter, other_letter in zip(a, b, strict=True))
    return len(a) >= _LONGER and wrong == 2 and _VOWELS.sub("", a) == _VOWELS.sub("", b)


def _distance_is_small(a: str, b: str) -> bool:
    """Whether two words differ, between what they begin and end with alike, in at most so many letters."""
    start = common_beginning(a, b)
    end = common_beginning(a[start:][::-1], b[start:][::-1])
    return max(len(a), len(b)) - start - end < _CLOSE_ENDS


def was_slip(word: str, other: str) -> bool:
    """Tell whether a word that was put into another's place puts a slip right; of a short one, if it is the same value.

    It has a letter in three, and not more than two, more, less, wrong or in its neighbour's place.
    """
    a, b = word.casefold(), other.casefold()
    shorter = min(len(a), len(b))
    if not (a.isalpha() and b.isalpha() and _letters_apart(a, b) <= min(_MOST_APART, shorter // 3)):
        return False
    return shorter >= _SHORT or canonical(word) == canonical(other)


def _letters_apart(a: str, b: str) -> int:
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
