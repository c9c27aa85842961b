"""The words of a value as they may stand in any text: by a digest of them it is found there once it is gone itself."""

from __future__ import annotations

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_words
from zgadka.text.words import index_words, split_words

_LONGEST = 6
"""Words of a value that is looked for; a longer one is known as a whole alone."""


def spoken_form(value: str) -> str | None:
    """The telling words of a value, in whatever form and spelling; None: it has none, or too many."""
    roots = _roots(value)
    return " ".join(roots) if 0 < len(roots) <= _LONGEST else None


def spoken_forms(text: str) -> set[str]:
    """The same of all values that may stand in a text."""
    roots = _roots(text)
    spans = ((start, start + length) for start in range(len(roots)) for length in range(1, _LONGEST + 1))
    return {" ".join(roots[start:end]) for start, end in spans if end <= len(roots)}


def _roots(text: str) -> list[str]:
    words = (word for word in split_words(unify(text)) if word not in read_words("stop_words"))
    return [tokens[0] for word in words if (tokens := index_words(word))]
