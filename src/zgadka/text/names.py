"""Other names of countries, languages and cities: Wien, Відень and 維也納 are Vienna.

The table is read once, when a place or a language is first folded; that takes a few milliseconds.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Literal

NameKind = Literal["country", "language", "city"]


def main_name(kind: NameKind, name: str) -> str | None:
    """The main name of what this names, both folded; None when it is not known."""
    return _names()[kind].get(name)


@lru_cache(maxsize=1)
def _names() -> dict[str, dict[str, str]]:
    names: dict[str, dict[str, str]] = {"country": {}, "language": {}, "city": {}}
    for line in files("zgadka.text").joinpath("data/names.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            head, _, aliases = line.partition("\t")
            kind, _, name = head.partition(" ")
            names[kind][name] = name
            names[kind].update(dict.fromkeys(aliases.split("|"), name))
    return names
