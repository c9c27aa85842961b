"""Languages in English, Ukrainian, their own names and codes, and how well they are spoken: англійською, English B2."""

from __future__ import annotations

import re
from functools import cache

from zgadka.text.places import main_name
from zgadka.text.value_folding import fold_value
from zgadka.text.word_lists import read_heads, read_table

_LIST = re.compile(r" *[,;/&+] *| (?:and|та|і|й|и) ")
_CASES = (
    ("ою", "а"),
    ("ої", "а"),
    ("у", "а"),
    ("ій", "а"),
    ("и", "а"),
    ("е", "а"),
    ("им", "ий"),
    ("ом", "й"),
    ("ський", "ська"),
    ("цький", "цька"),
)
_LEVEL = re.compile("[abc][12]")
_LONGEST = 8  # words


def read_language(plain: str) -> str | None:
    """The form of a language, or of several, each perhaps with how well it is spoken; None where it is none."""
    if (name := _name(plain)) is not None:
        return name
    forms = [
        _with_level(part) for part in _LIST.split(re.sub(r"[()\[\]:–-]+(?=\s|$)|(?<=\s)[(\[:–-]+", " ", plain)) if part
    ]
    if len(forms) > 1 and forms[-1] is None:  # English, fluent
        forms = [_with_level(plain.replace(",", " "))]
    names = [form for form in forms if form is not None]
    return "+".join(sorted(names)) if names and len(names) == len(forms) else None


def _with_level(text: str) -> str | None:
    words = text.split()
    if len(words) > _LONGEST:
        return None
    levels: set[str] = set()
    names: list[str] = []
    for word in words:
        heads = read_heads("languages").get(word.strip(".-"), ())
        if _LEVEL.fullmatch(word):
            levels.add(word)
        elif heads and heads[0] != "beside":
            levels.add(heads[0])
        elif not heads:
            names.append(word)
    name = _name(" ".join(names)) if names else None
    return None if name is None else " ".join((name, *sorted(levels)))


def _name(plain: str) -> str | None:
    """The main name of a language."""
    code = plain.replace("_", "-").split("-")[0]
    if (names := read_heads("language_codes").get(code)) is not None and re.fullmatch(rf"{code}(?:[-_]\w\w)?", plain):
        return names[0]
    plain = plain.removeprefix("по-")
    if (name := _folded_name(plain)) is not None:
        return name
    for ending, nominative in _CASES:
        if plain.endswith(ending) and (name := _folded_name(plain.removesuffix(ending) + nominative)) is not None:
            return name
    return _folded_name(f"{plain[:-1]}а") if plain.endswith(("ськи", "цьки", "зьки")) else None


def _folded_name(plain: str) -> str | None:
    folded = fold_value(plain)
    return _other_names().get(plain.replace(" ", "_")) or main_name(folded, "language")


@cache
def _other_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for head, words in read_table("languages").items():
        if head.startswith("language_"):
            name = fold_value(head.removeprefix("language_").replace("_", " "))
            names |= dict.fromkeys(words, main_name(name, "language") or name)
    return names
