"""By the words of a text, the few patterns of hundreds that may fit it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from zgadka.extract.lexicon import words
from zgadka.extract.memory import remembered

_WORD = re.compile(r"[\w'/-]+")


class Triggers:
    """The words of which one has to stand in a text before a pattern is tried.

    Args:
        needed: For each pattern its words, with a space between: `*` stands for any ending, `@head` for the last words
            of an entry of `data/words.txt`. A pattern without words is always tried.
    """

    def __init__(self, needed: Iterable[str]) -> None:
        by_word: defaultdict[str, set[int]] = defaultdict(set)
        by_beginning: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
        always: list[int] = []
        for number, choices in enumerate(needed):
            if not choices:
                always.append(number)
            for word in _words(choices):
                if word.endswith("*"):
                    by_beginning[word[:1]].add((word[:-1], number))
                else:
                    by_word[word].add(number)
        self._always = frozenset(always)
        self._by_word = {word: tuple(numbers) for word, numbers in by_word.items()}
        self._by_beginning = {letter: tuple(starts) for letter, starts in by_beginning.items()}

    def of(self, text: str) -> list[int]:
        """Return the numbers of the patterns that may fit a text, in order."""
        numbers = set(self._always)
        for word in _words_of(text):
            if word in self._by_word:
                numbers.update(self._by_word[word])
            for beginning, number in self._by_beginning.get(word[:1], ()):
                if word.startswith(beginning):
                    numbers.add(number)
        return sorted(numbers)


@remembered
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _words(choices: str) -> Iterator[str]:
    for word in choices.split():
        if word.startswith("@"):
            yield from {entry.split()[-1] for entry in words(word[1:])}
        else:
            yield word
