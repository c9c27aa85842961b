"""Regular expressions of one language, kept in TOML: there, a line break within a text does not count."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

from zgadka.locales import Language

_TEXT = re.compile(r"'''.*?'''", re.DOTALL)


def read_patterns(place: str, language: Language) -> dict[str, Any]:
    """Return what the language's file in a folder of this package holds."""
    toml = files("zgadka.chat").joinpath(f"{place}/{language}.toml").read_text("utf-8")
    return tomllib.loads(_TEXT.sub(lambda lines: lines[0].replace("\n", ""), toml))
