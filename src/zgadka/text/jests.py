"""Whether a message says that what its person just wrote was a joke, and nothing else: "Just kidding!"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from zgadka.text.folding import APOSTROPHES
from zgadka.text.sanitize import as_seen
from zgadka.text.word_lists import read_table

_LONGEST = 80
"""Characters; who writes more says something."""
_BETWEEN = re.compile(r"[^\w/?>]+|_+")


def is_in_jest(text: str) -> bool:
    """Tell whether a whole message takes back as a joke what was just written; no question and no quotation does."""
    if len(text) > _LONGEST:
        return False
    plain = as_seen(text).lower().translate(APOSTROPHES).replace("'", "")
    return _whole().fullmatch(" ".join(_BETWEEN.sub(" ", plain).split())) is not None


@cache
def _whole() -> re.Pattern[str]:
    entries = dict(read_table("jests"))
    fillers = _any_of(entries.pop("fillers"))
    jests = _any_of(word for words in entries.values() for word in words)
    return re.compile(f"(?:{fillers} )*{jests}(?: (?:{fillers}|{jests}))*")


def _any_of(words: Iterable[str]) -> str:
    choices = (re.escape(word.replace("_", " ")) for word in sorted(words, key=len, reverse=True))
    return f"(?:{'|'.join(choices)})"
