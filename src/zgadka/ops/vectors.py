"""Texts that wait for vectors: read them, and keep the vectors where the texts are still the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zgadka.stores.tx import Tx
from zgadka.stores.vectors import Unembedded


@dataclass(frozen=True)
class Waiting:
    """A text that waits for its vector."""

    place: Unembedded
    text: str


def waiting_texts(tx: Tx, limit: int) -> list[Waiting]:
    """Some of what waits for a vector; the text is empty where nothing is left to make one of."""
    return [Waiting(place, _text(tx, place)) for place in tx.unembedded(limit)]


def keep_vectors(tx: Tx, embedder: int, vectors: Sequence[tuple[Waiting, bytes | None]]) -> int:
    """Keep vectors of one owner's texts; returns how many. What was changed meanwhile waits on.

    Args:
        vectors: float16, little-endian; None for a text that has no vector.
    """
    kept = 0
    for waiting, numbers in vectors:
        text = _text(tx, waiting.place)
        if numbers is None or not text:
            tx.drop_unembedded(waiting.place)
        elif text == waiting.text:
            tx.put_vector(waiting.place, embedder, numbers)
            kept += 1
    return kept


def _text(tx: Tx, place: Unembedded) -> str:
    if place.what == "message":
        return (tx.message_text(place.owner, place.id) or "").strip()
    memory = tx.memory(place.owner, place.id)
    return "" if memory is None or memory.archived else memory.searchable
