"""Read the patterns of a package: TOML files with regular expressions, which name their common parts.

In a pattern, ``{NAME}`` stands for a part of the file, for the words of one of its tables, or for a list of words that
the package knows by that name. A line break and the two spaces after it mean nothing.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_INDENTATION = re.compile(r"(?:\A|\n)  ")
_REFERENCE = re.compile(r"\{([A-Za-z]\w*)\}")


@dataclass(frozen=True)
class PatternFile:
    """The tables of such a file.

    Attributes:
        parts: The parts of patterns by name, complete.
        tables: What words stand for: by the table's name, by the word in small letters.
        entries: The rest of the file, as it is.
        words: Returns a group that matches the words of a list outside of the file.
    """

    parts: Mapping[str, str]
    tables: Mapping[str, Mapping[str, str]]
    entries: Mapping[str, Any]
    words: Callable[[str], str] | None

    def complete(self, pattern: str) -> str:
        """Return a pattern in one line, with everything in it that it names.

        Raises:
            KeyError: It names what is not there.
        """
        return _REFERENCE.sub(lambda reference: self._alternatives(reference[1]), _INDENTATION.sub("", pattern))

    def _alternatives(self, name: str) -> str:
        if name in self.tables:
            return f"(?:{'|'.join(sorted(self.tables[name], key=len, reverse=True))})"
        return self.parts[name] if name in self.parts or self.words is None else self.words(name)


@cache
def read_toml(path: str, package: str) -> Mapping[str, Any]:
    """Read the package's file as it is."""
    return tomllib.loads(files(package).joinpath(path).read_text("utf-8"))


@cache
def read_patterns(path: str, package: str = "zgadka.text", words: Callable[[str], str] | None = None) -> PatternFile:
    """Read the package's file; a part may name the parts above it."""
    entries = dict(read_toml(path, package))
    parts: dict[str, str] = {}
    pattern_file = PatternFile(parts, entries.pop("tables", {}), entries, words)
    for name, pattern in entries.pop("parts").items():
        parts[name] = pattern_file.complete(pattern)
    return pattern_file
