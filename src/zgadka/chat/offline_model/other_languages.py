"""Languages that the offline model hardly understands, so that it says so in them."""

from __future__ import annotations

import re
from typing import Literal

from zgadka.text.word_lists import read_entry

_POLISH, _RUSSIAN, _UKRAINIAN = re.compile("[ąćęłńśźż]"), re.compile("[ыэъё]"), re.compile("[іїєґ]")
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 2
"""Words of a language by which a message is in it; of a shorter one, all."""


def hardly_understood(message: str) -> Literal["pl", "ru"] | None:
    """The language of a message, if it is one in which the offline model understands hardly anything."""
    plain = message.lower()
    words = _WORD.findall(plain)

    def has_words_of(language: str) -> bool:
        known = read_entry("other_languages", language, "zgadka.chat.offline_model")
        return bool(words) and len(known.intersection(words)) >= min(_ENOUGH, len(words))

    if _POLISH.search(plain) or has_words_of("pl"):
        return "pl"
    is_russian = not _UKRAINIAN.search(plain) and (_RUSSIAN.search(plain) or has_words_of("ru"))
    return "ru" if is_russian else None
