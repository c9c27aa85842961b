"""Every text that people read, by language: `en.toml` and `uk.toml`, with the same keys."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

Language = Literal["en", "uk"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_CYRILLIC = re.compile("[\u0400-\u052f]")


def text(language: Language, key: str, /, **values: object) -> str:
    """Return a text, with its placeholders filled in.

    Args:
        key: Its place in the file, such as `"bots.privacy.unknown"`.
        values: What the placeholders stand for. Where the text has plural forms, `count` chooses among them.

    Raises:
        KeyError: There is no such text, or no value for one of its placeholders.
    """
    template = _texts(language)[key]
    if isinstance(template, Mapping):
        template = template[plural_form(language, values["count"])]
    return template.format(**values)


def as_language(code: str | None) -> Language | None:
    """Return the language with this code; None where there are no texts in it."""
    return next((language for language in LANGUAGES if language == code), None)


def language_of(message: str) -> Language:
    """Return the language to answer a message in: Ukrainian when most of its letters are Cyrillic."""
    return "uk" if len(_CYRILLIC.findall(message)) * 2 > sum(map(str.isalpha, message)) else "en"


def plural_form(language: Language, count: object) -> Literal["one", "few", "many"]:
    """Return the form that a noun takes after a number, by CLDR plural rules; `many` stands for other."""
    if not isinstance(count, int):
        return "many"
    if language == "en":
        return "one" if count == 1 else "many"
    match count % 100, count % 10:
        case ((11 | 12 | 13 | 14), _):
            return "many"
        case _, 1:
            return "one"
        case _, (2 | 3 | 4):
            return "few"
        case _:
            return "many"


def keys(language: Language) -> frozenset[str]:
    """Return the keys of all texts in a language."""
    return frozenset(_texts(language))


@cache
def _texts(language: Language) -> Mapping[str, str | Mapping[str, str]]:
    table = tomllib.loads(files("zgadka.locales").joinpath(f"{language}.toml").read_text("utf-8"))
    return dict(_flat(table, ""))


def _flat(table: Mapping[str, Any], prefix: str) -> list[tuple[str, str | Mapping[str, str]]]:
    """Tables within tables as dotted keys; a table of plural forms, which has `many`, is one text."""
    entries: list[tuple[str, str | Mapping[str, str]]] = []
    for name, entry in table.items():
        if isinstance(entry, str) or "many" in entry:
            entries.append((prefix + name, entry))
        else:
            entries += _flat(entry, f"{prefix}{name}.")
    return entries
