"""The word lists of ``data/words.txt`` and ``data/cues.txt`` as parts of patterns."""

from __future__ import annotations

import re
from functools import cache

from zgadka.text.tables import read_table


@cache
def words(head: str, table: str = "words") -> frozenset[str]:
    """Return the words of an entry, their joins undone."""
    return frozenset(word.replace("_", " ") for word in read_table(table, "zgadka.extract")[head])


@cache
def any_of(head: str, table: str = "words") -> str:
    """Return a group that matches one of the words of an entry, the longest first; `*` stands for any ending."""
    longest_first = sorted(words(head, table), key=lambda word: (-len(word), word))
    choices = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in longest_first)
    return f"(?:{choices})"
