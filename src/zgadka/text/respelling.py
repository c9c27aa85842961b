"""A value whose words an edited text spells in another way, and nothing else: a slip that was put right."""

from __future__ import annotations

import re

from zgadka.text.slips import was_slip

_WORD = re.compile(r"[^\W_]+(?:['’ʼ-][^\W_]+)*")


def respelt(value: str, former: str, text: str) -> str | None:
    """The value as an edited text spells it; None: as it did, or the text says something else.

    That is, where another word than the value's has changed, or one into what may be a word of its own: cats, bats.
    """
    before, after = _WORD.findall(former), _WORD.findall(text)
    if len(before) != len(after):
        return None
    still, parts = {word.casefold() for word in after}, {word.casefold() for word in _WORD.findall(value)}
    changed: dict[str, tuple[str, str]] = {}
    for old, new in zip(before, after, strict=True):
        word = old.casefold()
        if word == new.casefold():
            continue
        if word not in parts or word in still or word in changed or not was_slip(old, new):
            return None
        changed[word] = old, new

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        old, new = changed.get(word.casefold(), (word, word))
        return new if word == old or not word.islower() else new.lower()

    new_value = _WORD.sub(spelt, value)
    return None if new_value == value else new_value
