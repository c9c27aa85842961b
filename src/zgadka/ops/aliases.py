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
    alias from one message to the next as long as the same people are there. Who is only spoken of gets what is left.

    Args:
        names: The display names of the people here, by the integer that names them in a tool call.
        speaker: The integer of who speaks now.
    """

    def __init__(self, names: Mapping[int, str], speaker: int) -> None:
        self._speaker = speaker
        self._names = dict(names)
        self._aliases: dict[int, str] = {}
        self._explained: dict[int, str] = {}
        self._taken: set[str] = set()
        self._first_words = Counter(_folded(_first_word(name)) for name in self._names.values())
        self._whole_names = Counter(map(_folded, self._names.values()))
        for number in sorted(self._names):  # before anybody who is only spoken of can take their name
            self.of(number)

    def of(self, number: int, name: str | None = None) -> str:
        """The alias of a person: a quotation, or `P` with digits.

        Args:
            name: The display name, where the person is not one of those that were known to be here.
        """
        if number not in self._aliases:
            name = self._names.setdefault(number, name or "")
            self._aliases[number] = alias = self._new(number, name)
            self._taken.add(_folded(alias))
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
        first_word, taken = _first_word(name), self._taken
        short = [first_word] if self._first_words[_folded(first_word)] <= 1 else []
        whole = [name] if self._whole_names[_folded(name)] <= 1 else []
        for candidate in (quoted(text, _NAME_CHARACTERS) for text in (*short, *whole) if text):
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
