"""By which version of this program the words and forms of rows were made."""

from __future__ import annotations

from zgadka.text.keys import vocabulary_mark
from zgadka.text.words import WORDS_VERSION

VALUES_VERSION = 2
"""Changes whenever `canonical`, `normalise_key` or a slot (`ops/persist.py`) answers differently: rows that another
version made are made anew, each owner's before their next change or when the memory tidies up."""


def form_version() -> int:
    """A number for all that the words, keys and forms of rows are made by; rows with another are made anew."""
    return (WORDS_VERSION << 44) + (VALUES_VERSION << 32) + vocabulary_mark()
