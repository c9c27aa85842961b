"""Let go of the people's words that caches hold, once somebody is erased."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import cast

_OF_TABLES = 16
"""A cache of so many at most, or without bound, is of tables that are read from files."""


def forget_words() -> None:
    """Empty every cache of this program whose keys are people's words; they fill again by themselves."""
    cache_type = type(lru_cache(str))
    modules = [module for name, module in [*sys.modules.items()] if name.startswith("zgadka.")]
    for cache in [value for module in modules for value in vars(module).values() if type(value) is cache_type]:
        size = cast("int | None", cache.cache_parameters()["maxsize"])
        if size is not None and size > _OF_TABLES:
            cache.cache_clear()
