"""Make the words of memories anew, when the program makes them in another way than the rows have them."""

from __future__ import annotations

from zgadka.stores.tx import Tx
from zgadka.text.words import WORDS_VERSION, index_words

_SEQUENCE = "words"


def is_outdated(tx: Tx) -> bool:
    """Whether words may stand in the rows that an older program made."""
    return tx.last_id(_SEQUENCE) < WORDS_VERSION


def reindex(tx: Tx, owner: int) -> int:
    """Make the words of the owner's memories anew; returns how many memories had others."""
    return sum(tx.memories.reword(memory, index_words(memory.searchable)) for memory in tx.memories.list_all(owner))


def note_reindexed(tx: Tx) -> None:
    """Note that all words are as this program makes them."""
    tx.raise_id(_SEQUENCE, WORDS_VERSION)
