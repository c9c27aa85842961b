"""Whether a message takes what is read with it as not meant: it is off the record, a joke, an order, a quotation."""

from __future__ import annotations

from zgadka.extract.authored_text import own_words
from zgadka.extract.rules import is_impersonal
from zgadka.text.off_record import may_be_off_record


def silences(text: str) -> bool:
    """Whether of a message nothing is remembered, or not all, whatever stands beside it.

    What ends in a colon is no such message, but goes on in the next: "Translate this:".
    """
    own = own_words(text)
    if text.rstrip().endswith(":"):
        return False
    is_quoting = len(own.text.split()) < len(text.split())
    return is_quoting or may_be_off_record(own.text) or is_impersonal(own)
