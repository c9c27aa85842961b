"""What a person reads when no answer came: one line, without a stack and without the provider's text."""

from __future__ import annotations

from typing import Literal

from zgadka.locales import Language, text

Trouble = Literal[
    "loops", "key", "unknown_model", "busy", "unreachable", "slow", "failed", "confused", "memory", "inside"
]


def trouble_line(trouble: Trouble, language: Language, *, status: int | None = None, reason: str = "") -> str:
    """Return the line for a trouble; what was stored before it stays stored.

    Args:
        status: The HTTP status that the provider answered with, where it did.
        reason: What the memory said, for the trouble `memory`.
    """
    status_text = "" if status is None else f" (HTTP {status})"
    return text(language, f"chat.trouble.{trouble}", status=status_text, reason=reason)
