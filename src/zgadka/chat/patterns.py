"""Regular expressions of one language, kept in TOML: there, a line break within a text does not count."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from zgadka.locales import Language


def read_patterns(place: str, language: Language) -> dict[str, Any]:
    """Return what the language's file in a folder of this package holds."""
    toml = files("zgadka.chat").joinpath(f"{place}/{language}.toml").read_text("utf-8")
    return _on_one_line(tomllib.loads(toml))


def _on_one_line(value: str | list[Any] | dict[str, Any]) -> Any:
    match value:
        case str():
            return value.replace("\n", "")
        case list():
            return [_on_one_line(item) for item in value]
        case dict():
            return {name: _on_one_line(item) for name, item in value.items()}
