"""The patterns of a language, and the word lists of ``data/words.txt`` and ``data/cues.txt`` as parts of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from zgadka.text.pattern_file import PatternFile, read_patterns, read_toml
from zgadka.text.word_lists import read_table

CYRILLIC = re.compile("[\u0400-\u04ff]")


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


@cache
def named_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``patterns/checks.toml``."""
    return re.compile(language_patterns("checks").parts[name])


def language_patterns(name: str) -> PatternFile:
    """Return ``patterns/<name>.toml``; what stands there is said in ``en.toml``."""
    return read_patterns(f"patterns/{name}.toml", "zgadka.extract", any_of)


def pattern_entries(name: str) -> Mapping[str, Any]:
    """Return ``patterns/<name>.toml`` as it is."""
    return read_toml(f"patterns/{name}.toml", "zgadka.extract")
