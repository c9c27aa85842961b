"""Whether a message takes what is read with it as not meant: it is off the record, a joke, an order, a quotation."""

from __future__ import annotations

from zgadka.extract.authored_text import own_words
from zgadka.extract.rules import is_impersonal
from zgadka.text.off_record import may_be_off_record

_NEXT = "I see."
"""What somebody writes next, to see whether it is still theirs."""


def silences(text: str) -> bool:
    """Whether of a message nothing is remembered, whatever stands beside it, or it takes what follows for a quotation.

    What ends in a colon is no such message, but goes on in the next: "Translate this:".
    """
    own = own_words(text)
    if text.rstrip().endswith(":"):
        return False
    takes_next = not own_words(f"{text}\n{_NEXT}").text.endswith(_NEXT)
    return takes_next or may_be_off_record(own.text) or (bool(own.text) and is_impersonal(own))
