"""Which lines of a message quote somebody: those that begin with `> `, and all that follows `>>>`."""

from __future__ import annotations

import re

_LINE = re.compile(r"^\s*>(?: |$)")
_REST = re.compile(r"^\s*>>>")
_FENCE = re.compile(r"^\s*```")
_MARK = re.compile(r"^\s*(?:>>>|>)? ?")


def own_lines(text: str) -> str:
    """What of a message its writer wrote; in a block of code, nothing is a quotation."""
    return _split(text)[0]


def quoted_lines(text: str) -> str:
    """What of a message is quoted or forwarded, without the marks; empty where nothing is."""
    return _split(text)[1]


def _split(text: str) -> tuple[str, str]:
    if ">" not in text:
        return text, ""
    own: list[str] = []
    quoted: list[str] = []
    in_code = in_rest = False
    for line in text.split("\n"):
        if not in_rest and _FENCE.match(line):
            in_code = not in_code
        in_rest = in_rest or (not in_code and _REST.match(line) is not None)
        if in_rest or (not in_code and _LINE.match(line)):
            quoted.append(_MARK.sub("", line, count=1))
        else:
            own.append(line)
    return "\n".join(own), "\n".join(quoted)
