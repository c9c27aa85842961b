"""Whether two values may be one in two spellings: slips of the pen, never another word.

For suggestions that somebody looks at before anything is done. It rather misses a likeness than finds one between
Lviv and Lvivska, Niger and Nigeria, Anna and Hanna, 2 cats and 3 cats, likes tea and dislikes tea.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from zgadka.breathing import breathing
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


def parts(value: str, form_of: Callable[[str], str] = canonical) -> frozenset[str]:
    """The canonical forms of what the value lists: "Python, Rust" lists two, "chess boxing" one."""
    return frozenset(form for part in _PARTS.split(value) if (form := form_of(part)))


def words(value: str, form_of: Callable[[str], str] = canonical) -> tuple[str, ...]:
    """The canonical forms of the value's words, in order."""
    return tuple(form for word in value.split() if (form := form_of(word)))


def neighbours(values: Mapping[int, tuple[str, ...]]) -> dict[int, list[Sequence[int]]]:
    """By each value that may be another but for a slip in one word, groups in which all such others are.

    Most have words of their own, so that those with the same other words are found first, and only their slips made.
    """
    by_rest: defaultdict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
    for id_, value in breathing(values.items()):
        for index, word in enumerate(value if len(value) <= _MOST_WORDS else ()):
            if _MIDDLING <= len(word) <= _LONGEST and word.isalpha():
                by_rest[index, value[:index] + value[index + 1 :]].append(id_)
    groups: defaultdict[int, list[Sequence[int]]] = defaultdict(list)
    for (index, _), ids in breathing(by_rest.items()):
        if len(ids) > 1:
            by_form: defaultdict[str, list[int]] = defaultdict(list)
            for id_ in ids:
                for form in _slips(values[id_][index]):
                    by_form[form].append(id_)
            for alike in by_form.values():
                for id_ in alike if len(alike) > 1 else ():
                    groups[id_].append(alike)
    return groups


def _slips(word: str) -> Iterator[str]:
    """Forms of which two words share one when one may be a slip for the other."""
    for cut in range(1, len(word)):
        yield word[:cut] + word[cut + 1 :]
    yield word


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
