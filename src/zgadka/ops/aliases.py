"""Short names for the people of a context, each explained once with the id that tools take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from zgadka.text.folding import transliterate
from zgadka.text.prompt_quoting import quoted

SPEAKER = " (speaker);"
"""How the part of the line ends that explains who speaks now."""

_NAME_CHARACTERS = 40
_FEWEST_DIGITS = 3
_FIRST_WORD = re.compile(r"[^\W\d_][\w'’ʼ-]+")


class Aliases:
    """What people are called in the lines of one context.

    That is the first word of their name where nobody else here begins so, else the whole name, and where two share that
    or there is none, the last digits of the id. Nothing of it depends on what else is shown, so a person keeps their
    alias from one message to the next as long as the same people are there.

    Args:
        names: The display names of the people here, by the integer that names them in a tool call.
        speaker: The integer of who speaks now.
    """

    def __init__(self, names: Mapping[int, str], speaker: int) -> None:
        self._speaker = speaker
        self._names = dict(names)
        self._aliases: dict[int, str] = {}
        self._explained: dict[int, str] = {}
        self._first_words = Counter(_folded(_first_word(name)) for name in self._names.values())

    def of(self, number: int, name: str | None = None) -> str:
        """The alias of a person: a quotation, or `P` with digits.

        Args:
            name: The display name, where the person is not one of those that were known to be here.
        """
        if number not in self._aliases:
            name = self._names.setdefault(number, name or "")
            self._aliases[number] = self._new(number, name)
        return self._aliases[number]

    def explained(self, number: int) -> str:
        """Who the alias stands for, as a part of one line of all of them."""
        if (known := self._explained.get(number)) is not None:
            return known
        alias, name = self.of(number), quoted(self._names[number], _NAME_CHARACTERS)
        named = f" {name}" if self._names[number] and name != alias else ""
        return self._explained.setdefault(
            number, f" {alias} ={named} user_id {number}{SPEAKER if number == self._speaker else ';'}"
        )

    def _new(self, number: int, name: str) -> str:
        taken = {_folded(alias) for alias in self._aliases.values()}
        first_word = _first_word(name)
        short = [first_word] if self._first_words[_folded(first_word)] <= 1 else []
        for candidate in (quoted(text, _NAME_CHARACTERS) for text in (*short, name) if text):
            if _folded(candidate) not in taken:
                return candidate
        digits = str(abs(number))
        lengths = range(min(_FEWEST_DIGITS, len(digits)), len(digits) + 1)
        return next((f"P{digits[-length:]}" for length in lengths if f"p{digits[-length:]}" not in taken), f"P{number}")


def _first_word(name: str) -> str:
    match = _FIRST_WORD.match(name.strip())
    return match[0] if match else name


def _folded(name: str) -> str:
    """The name as it looks: letters of another alphabet that look the same are the same."""
    return transliterate(name).casefold()
