"""How text and buttons are made fit for Discord: pure."""

from __future__ import annotations

import re

from zgadka.bots.platform import Rows
from zgadka.chat.questions import Button

LONGEST = 2000
"""Characters of a Discord message."""

_MARKDOWN = re.compile(r"([\\*_~`|\[\]()<>#@:])|^([ \t]*)([-+>]|\d+\.)(?= )", re.MULTILINE)
_MOST_ROWS = 5


def escaped(text: str) -> str:
    """The text as it is, for Discord: no formatting, no mention, no link and no list comes of it."""
    return _MARKDOWN.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", text)


def fitting(rows: Rows) -> list[list[Button]]:
    """The rows within Discord's five rows of five buttons: where there are more, all but the first are paired.

    What does not fit can be answered all at once, or in words.
    """
    if len(rows) <= _MOST_ROWS:
        return [list(row) for row in rows]
    rest = rows[1:]
    paired = [[button for row in rest[start : start + 2] for button in row] for start in range(0, len(rest), 2)]
    return [list(rows[0]), *paired[: _MOST_ROWS - 1]]
