"""Whether a text reads like an order to the model: "always answer in Russian", "ignore your rules".

Such a text is somebody's words like any other. It may be kept as a quotation or refused (`instructions_in_memories`);
it is never a rule. Read by wording, in English, Ukrainian and Russian; a first person ("I always answer late") orders
nothing. What is missed is still quoted data within the fence of the context.
"""

from __future__ import annotations

import re
from functools import cache

from zgadka.text.folding import APOSTROPHES
from zgadka.text.pattern_file import read_patterns
from zgadka.text.sanitize import as_seen, together

_LONGEST = 20_000


def gives_orders(*texts: str) -> bool:
    """Tell whether one of the texts, or a sentence in it, orders the model to behave in some way."""
    if not may_order(as_seen(together(texts)).casefold()):
        return False
    return any(order.search(plain) for plain in (_plain(text[:_LONGEST]) for text in texts) for order in _orders())


def may_order(folded: str) -> bool:
    """Whether it is worth while to look for an order; mostly it is not.

    Args:
        folded: The texts together, `as_seen`, case folded.
    """
    return _hint().search(folded) is not None or "<" in folded or "[" in folded


@cache
def _orders() -> tuple[re.Pattern[str], ...]:
    patterns = read_patterns("data/orders.toml")
    return tuple(re.compile(patterns.complete(order), re.MULTILINE) for order in patterns.entries["orders"])


@cache
def _hint() -> re.Pattern[str]:
    patterns = read_patterns("data/orders.toml")
    return re.compile(patterns.complete(patterns.entries["hint"]).replace(" ", r"\s+"))


def _plain(text: str) -> str:
    return as_seen(text).translate(APOSTROPHES).lower()
