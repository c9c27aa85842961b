"""Whether two values may be one in two spellings: slips of the pen, never another word.

For suggestions that somebody looks at before anything is done. It rather misses a likeness than finds one between
Lviv and Lvivska, Niger and Nigeria, Anna and Hanna, 2 cats and 3 cats, likes tea and dislikes tea.
"""

import re
from collections.abc import Iterator

from zgadka.text.canonical import canonical

_LONG = 8
"""In a word of so many letters one vowel may be missing or another."""
_LONGEST = 40
"""Letters of a word that may be a slip: a word has one form for each of its letters."""
_MIDDLING = 6
"""In a word of so many letters two neighbours may have changed places."""
_MOST_WORDS = 12
_VOWELS = frozenset("aeiou")
_PARTS = re.compile(r"\s*[,;/\n]\s*|\s+(?:and|та|і|й|и|und|et|y)\s+")


def parts(value: str) -> frozenset[str]:
    """The canonical forms of what the value lists: "Python, Rust" lists two, "chess boxing" one."""
    return frozenset(form for part in _PARTS.split(value) if (form := canonical(part)))


def words(value: str) -> tuple[str, ...]:
    """The canonical forms of the value's words, in order."""
    return tuple(form for word in value.split() if (form := canonical(word)))


def slips(value: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Forms of which two values share one when a word of one may be a slip for a word of the other."""
    if len(value) > _MOST_WORDS:
        return
    for index, word in enumerate(value):
        if _MIDDLING <= len(word) <= _LONGEST and word.isalpha():
            for cut in range(1, len(word)):
                yield (*value[:index], f"{word[:cut]}{word[cut + 1 :]}…", *value[index + 1 :])
            yield (*value[:index], f"{word}…", *value[index + 1 :])


def likeness(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """From 0 to 1; 0 unless all words but one are the same, and that one may be a slip for its counterpart."""
    if len(a) != len(b) or len(a) > _MOST_WORDS:
        return 0.0
    pairs = [(word, counterpart) for word, counterpart in zip(a, b, strict=True) if word != counterpart]
    if not pairs:
        return 1.0
    if len(pairs) > 1 or not _is_slip(*pairs[0]):
        return 0.0
    return round(1 - 1 / sum(map(len, a)), 3)


def _is_slip(a: str, b: str) -> bool:
    """A vowel missing or another one inside a long word, or two neighbours swapped; never first or last."""
    short, long = sorted((a, b), key=len)
    if not (a.isalpha() and b.isalpha()) or short[0] != long[0] or short[-1] != long[-1]:
        return False
    if len(short) == len(long):
        wrong = [index for index in range(len(short)) if short[index] != long[index]]
        if len(wrong) == 1:
            return len(short) >= _LONG and {short[wrong[0]], long[wrong[0]]} <= _VOWELS
        swapped = short[: wrong[0]] + short[wrong[0] : wrong[0] + 2][::-1] + short[wrong[0] + 2 :]
        return swapped == long and len(short) >= _MIDDLING
    if len(long) - len(short) > 1 or len(long) < _LONG:
        return False
    # An extra consonant makes another word too often: Kingston and Kingstown, Martina and Marina.
    return any(short == long[:cut] + long[cut + 1 :] and long[cut] in _VOWELS for cut in range(1, len(long) - 1))
