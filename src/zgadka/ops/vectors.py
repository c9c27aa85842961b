"""Texts that wait for vectors: read them, and keep the vectors where the texts are still the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zgadka.model.memory import StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, hidden, invisible, is_invisible, speaker_of
from zgadka.ops.search_messages import names_here
from zgadka.search.query_analysis import without_names
from zgadka.stores.tx import Tx
from zgadka.stores.tx.vectors import Unembedded


@dataclass(frozen=True)
class Waiting:
    """A text that waits for its vector."""

    row: Unembedded
    text: str


def waiting_texts(tx: Tx, limit: int) -> list[Waiting]:
    """Some of what waits for a vector; the text is empty where nothing is left to make one of."""
    return [Waiting(row, _text(tx, row)) for row in tx.vectors.list_queued(limit)]


def keep_vectors(tx: Tx, embedder: int, vectors: Sequence[tuple[Waiting, bytes | None]]) -> int:
    """Keep vectors of one owner's texts; returns how many. What was changed meanwhile waits on.

    Args:
        vectors: float16, little-endian; None for a text that has no vector.
    """
    count = 0
    for waiting, numbers in vectors:
        text = _text(tx, waiting.row)
        if numbers is None or not text:
            tx.vectors.dequeue(waiting.row)
        elif text == waiting.text:
            tx.vectors.put(waiting.row, embedder, numbers)
            count += 1
    return count


def text_of_query(tx: Tx, turn: Turn, query: str) -> str:
    """The query without the names of the people of the chat; empty where nobody may make a vector of it."""
    if is_invisible(tx, speaker_of(tx, turn), find_space(tx, turn)):
        return ""
    return without_names(query, names_here(tx, turn))


def _text(tx: Tx, row: Unembedded) -> str:
    """What a vector is made of; nothing of who is invisible to memory, for the embedder may be another machine's."""
    if row.what == "message":
        people = {person for person, _ in tx.messages.authors(row.owner, [row.id]).values()}
        return "" if invisible(tx, people, row.owner) else (tx.messages.get_text(row.owner, row.id) or "").strip()
    memory = tx.memories.get(row.owner, row.id)
    if memory is None or memory.archived or hidden(tx, [memory]):
        return ""
    return "" if invisible(tx, _about(tx, memory), memory.space) else memory.searchable


def _about(tx: Tx, memory: StoredMemory) -> set[int]:
    owner = tx.owners.get(memory.owner)
    person = tx.owners.find("person", owner.platform, owner.name) if owner.kind == "direct" else owner.id
    return {person or owner.id, *memory.people}
