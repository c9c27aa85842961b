"""Read the word tables in ``data/``: text files that people who know a language can correct without reading code.

A line ``head: words`` begins an entry, indented lines continue it, ``#`` begins a comment line. No line is empty.
"""

from functools import cache
from importlib.resources import files


@cache
def read_table(name: str, package: str = "zgadka.text") -> dict[str, tuple[str, ...]]:
    """Return the entries of the package's ``data/<name>.txt`` in order: the head of each and its words."""
    lines = files(package).joinpath(f"data/{name}.txt").read_text("utf-8").splitlines()
    entries: dict[str, list[str]] = {}
    head = ""
    for line in lines:
        if line.startswith("#"):
            continue
        words = line
        if not line.startswith(" "):
            head, _, words = line.partition(":")
        entries.setdefault(head, []).extend(words.split())
    return {head: tuple(words) for head, words in entries.items()}


@cache
def read_words(name: str) -> frozenset[str]:
    """Return all the words of ``data/<name>.txt``, whatever their heads."""
    return frozenset(word for words in read_table(name).values() for word in words)


@cache
def read_heads(name: str, package: str = "zgadka.text") -> dict[str, tuple[str, ...]]:
    """Return the heads that each word of the package's ``data/<name>.txt`` has."""
    heads: dict[str, tuple[str, ...]] = {}
    for head, words in read_table(name, package).items():
        for word in words:
            heads[word] = (*heads.get(word, ()), head)
    return heads


@cache
def read_entry(name: str, head: str, package: str = "zgadka.text") -> frozenset[str]:
    """Return the words of one entry of the package's ``data/<name>.txt``."""
    return frozenset(read_table(name, package)[head])
