"""Quote what people wrote inside a prompt, so that it stays a quotation."""

from __future__ import annotations

import json
import re

from zgadka.text.sanitize import cut

FENCE = "remembered"

# What cannot be seen but can be read by a model, what turns the direction of a line, and what no database stores.
# The two joiners stay: emoji and Persian are written with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff\\s]+"
)
_TAGS = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›"})
_PLAIN = re.compile("[ !#-;=?-\\[\\]-~\u0400-\u052f]*")
_ELLIPSIS = "…"


def quoted(text: str, limit: int = 600) -> str:
    """Return the text as one JSON string in one line, with nothing in it that could end it or look like a tag.

    Args:
        limit: Longest text in characters; a longer one ends in an ellipsis.
    """
    line = text[: limit * 4]
    if not _PLAIN.fullmatch(line) or "  " in line:
        line = _UNSEEN.sub(" ", line).translate(_TAGS)
    line = line.strip()
    if len(line) > limit or len(text) > limit * 4:
        line = cut(line, limit - 1).rstrip() + _ELLIPSIS
    return json.dumps(line, ensure_ascii=False)


def fenced(heading: str, body: str) -> str:
    """Return lines of quotations under a heading, inside a fence that no quotation can end."""
    return f"{heading}\n<{FENCE}>\n{body}\n</{FENCE}>"
