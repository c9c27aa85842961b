"""How text and buttons are made fit for Discord: pure."""

from __future__ import annotations

import re

from zgadka.bots.platform import Rows
from zgadka.chat.questions import Button

LONGEST = 2000
"""Characters of a Discord message."""

_MARKDOWN = re.compile(r"([\\*_~`|\[\]()<>#@:])|^([ \t]*)([-+>]|\d+\.)(?= )", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^\s*>(?: |$)")
_QUOTED_REST = re.compile(r"^\s*>>>")
_FENCE = re.compile(r"^\s*```")
_MOST_ROWS = 5


def escaped(text: str) -> str:
    """The text as it is, for Discord: no formatting, no mention, no link and no list comes of it."""
    return _MARKDOWN.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", text)


def own_words(text: str) -> str:
    """What of a message its writer wrote: quoted lines are left out, `> …` and everything after `>>>`."""
    own: list[str] = []
    in_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        if not in_code and _QUOTED_REST.match(line):
            break
        if in_code or not _QUOTED_LINE.match(line):
            own.append(line)
    return "\n".join(own)


def fitting(rows: Rows) -> list[list[Button]]:
    """The rows within Discord's five rows of five buttons: where there are more, all but the first are paired.

    What does not fit can be answered all at once, or in words.
    """
    if len(rows) <= _MOST_ROWS:
        return [list(row) for row in rows]
    rest = rows[1:]
    paired = [[button for row in rest[start : start + 2] for button in row] for start in range(0, len(rest), 2)]
    return [list(rows[0]), *paired[: _MOST_ROWS - 1]]
