"""Estimate how many tokens a language model takes a text for, whatever its script.

Every model has a tokenizer of its own. Each character has a weight here, near the most that the tokenizers of four
families (OpenAI's o200k, Anthropic's and DeepSeek's published ones; cl100k) took for ordinary text in its script, so a
budget is rather not used up than overrun: English a quarter of a token a character, Ukrainian 0.6, Chinese nearly one.
The weights are added up, so the parts of a text together weigh what the whole does.
"""

from __future__ import annotations

HUNDREDTHS = 100
"""`weigh` counts in these parts of a token, as whole numbers, so that sums are exact."""

_LETTER, _DIGIT, _SPACE, _MARK, _RARE = 27, 50, 5, 75, 320
_ACCENTED = 100
# First character after the range, and the weight of its characters; ASCII is told apart by kind.
_RANGES = (
    (0x0370, _ACCENTED),  # Latin with accents
    (0x0400, 120),  # Greek
    (0x0530, 75),  # Cyrillic
    (0x0590, 150),
    (0x0600, 90),  # Hebrew
    (0x0780, 95),  # Arabic
    (0x0900, 150),
    (0x0E00, 110),  # India
    (0x1200, 120),  # Thai, Lao, Burmese, Georgian
    (0x1E00, 300),
    (0x2000, _ACCENTED),  # Vietnamese, Greek with accents
    (0x2070, _MARK),  # quotation marks and dashes
    (0x3000, 200),
    (0x3100, 100),  # kana and their punctuation
    (0xA000, 110),  # Han
    (0xAC00, 250),
    (0xD800, 120),  # Hangul
    (0xF900, 300),
    (0xFB00, 150),
    (0xFE70, 200),
    (0xFFF0, 150),
)


def _weight(character: str) -> int:
    if character.isascii():
        if character.isalpha():
            return _LETTER
        if character.isdigit():
            return _DIGIT
        return _SPACE if character == " " else _MARK
    code = ord(character)
    return next((weight for end, weight in _RANGES if code < end), _RARE)


class _Weights(dict[str, int]):
    """The weights of the characters of alphabets, and of any other that is asked for."""

    def __missing__(self, character: str) -> int:
        return _weight(character)


_WEIGHTS = _Weights({character: _weight(character) for character in map(chr, range(0x0590))})


def weigh(text: str) -> int:
    """Return the estimate in hundredths of a token; that of a text is the sum of those of its parts."""
    return sum(map(_WEIGHTS.__getitem__, text))


def whole(weight: int) -> int:
    """Return how many whole tokens hundredths are, rounded up."""
    return -(-weight // HUNDREDTHS)
