"""How an item of a key-value store is a note: its name, and its value as people read it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_LABELLED = re.compile(r"(\w{1,40}): (.+)", re.DOTALL)


def item_name(namespace: tuple[str, ...], key: str) -> str:
    """The name of an item's note."""
    return json.dumps([*namespace, key], ensure_ascii=False, separators=(",", ":"))


def item_text(value: Mapping[str, Any]) -> str:
    """The value as people read it: `text: Likes pizza` for a single text, JSON for the rest."""
    if len(value) == 1:
        ((label, text),) = value.items()
        if isinstance(text, str) and text.strip() == text and _LABELLED.fullmatch(f"{label}: {text}"):
            return f"{label}: {text}"
    return json.dumps(value, ensure_ascii=False)


def item_value(text: str) -> dict[str, Any]:
    """The value that `item_text` wrote; what somebody wrote by another door is a text."""
    if text.startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass
    labelled = _LABELLED.fullmatch(text)
    return {labelled[1]: labelled[2]} if labelled else {"text": text}
