"""What each process would work out for itself, once for all that are forked from this one."""

from __future__ import annotations

import inspect
import sys

from zgadka.extract.rules import extract
from zgadka.extract.within import readings_of


def warm() -> None:
    """Call every cached function of the product that takes no arguments, and have a message of each language read."""
    for name, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if name.startswith("zgadka.") else ():
            if hasattr(value, "cache_info") and not inspect.signature(value).parameters:
                value()
    messages = ("hm, I live in Kyiv, so it seems. And?", "хм, я живу в Києві, здається. А що?", "zhyvu v Kyievi")
    for message in (*messages, "mieszkam w Krakowie"):
        extract(message)  # compiles the patterns of its language
    for code in ("en", "uk"):
        for reading in readings_of(code).readings:
            _ = reading.search, reading.search_bare  # compiles both
