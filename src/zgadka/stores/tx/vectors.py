"""Vectors of memories and messages, and what waits for one."""

from __future__ import annotations

from dataclasses import dataclass

from zgadka.model.memory import Scope
from zgadka.model.turn import Conversation
from zgadka.stores.cache import What
from zgadka.stores.row_mapping import conversation_parameters, scope_parameters
from zgadka.stores.tx.base import Topic


@dataclass(frozen=True)
class Unembedded:
    """A memory or message that waits for a vector."""

    owner: int
    what: What
    id: int


@dataclass(frozen=True)
class VectorChange:
    """A new vector, as an index in memory takes it: float16, little-endian."""

    id: int
    embedder: int
    numbers: bytes


class Vectors(Topic):
    """Vectors of memories and messages, and what waits for one.

    Each has one vector at most, of the embedder that was used last. A vector of another one is as good as none.
    """

    def progress(self, embedder: int) -> tuple[int, int]:
        """How many texts have a vector of this embedder, and how many texts there are; for operators."""
        vectors, texts = self._rows("vector_progress", {"embedder": embedder})[0]
        return vectors, texts

    def complete_embedder(self) -> int | None:
        """The number of the embedder whose vectors all older texts wait for or have; None while there is none."""
        return self._value("embedder_complete", {})

    def use_embedder(self, name: str) -> int:
        """The number of the embedder that is used from now on; what others made is to be made anew."""
        self._rows("embedder_others", {"name": name})
        return self._value("embedder_ensure", {"name": name})

    def owners_without(self, embedder: int, limit: int) -> list[int]:
        """The next owners whose older texts do not wait for vectors of this embedder yet; none: all do."""
        return self._column("embedder_next_owners", {"embedder": embedder, "limit": limit})

    def enqueue_missing(self, owner: int, embedder: int) -> None:
        """Let all texts of the owner wait that have no vector of this embedder."""
        for what in ("memory", "message"):
            self._rows(f"unembedded_{what}", {"owner": owner, "embedder": embedder})

    def set_progress(self, embedder: int, owner: int | None) -> None:
        """Note that the texts of all owners up to this one wait or have vectors; None: of all there are."""
        self._rows("embedder_progress", {"embedder": embedder, "owner": owner})

    def list_queued(self, limit: int) -> list[Unembedded]:
        """What waits for a vector: memories, then messages, the newest of each first."""
        rows = self._rows("unembedded", {"what": "memory", "limit": limit})
        if len(rows) < limit:
            rows += self._rows("unembedded", {"what": "message", "limit": limit - len(rows)})
        return [Unembedded(*row) for row in rows]

    def put(self, waiting: Unembedded, embedder: int, numbers: bytes) -> None:
        """Keep the vector of what waited for it."""
        parameters = {"owner": waiting.owner, "what": waiting.what, "id": waiting.id}
        self._rows("vector_put", parameters | {"embedder": embedder, "numbers": numbers})
        self._rows("unembedded_remove", parameters)
        self._tx.changed(waiting.owner, waiting.what, VectorChange(waiting.id, embedder, numbers))

    def dequeue(self, waiting: Unembedded) -> None:
        """Let something wait no more."""
        self._rows("unembedded_remove", {"owner": waiting.owner, "what": waiting.what, "id": waiting.id})

    def of_memories(self, scope: Scope, embedder: int) -> list[tuple[int, bytes]]:
        """Id and vector of the scope's live memories that have one of this embedder."""
        return [
            (row[0], row[1]) for row in self._rows("vectors_visible", scope_parameters(scope) | {"embedder": embedder})
        ]

    def of_messages(
        self, space: int, conversation: Conversation, embedder: int, limit: int
    ) -> list[tuple[int, bytes | None]]:
        """Id and vector of the conversation's newest messages; None of those that have none."""
        row = conversation_parameters(space, conversation) | {"embedder": embedder, "limit": limit}
        return [(id_, numbers) for id_, numbers in self._rows("messages_with_vectors", row)]

    def delete(self, owner: int, what: What, id_: int, *, waits: bool = False) -> None:
        """Remove such a vector, and let the text wait for another one, or not."""
        for query in ("vector_remove", "unembedded_add" if waits else "unembedded_remove"):
            self._rows(query, {"owner": owner, "what": what, "id": id_})

    def enqueue(self, owner: int, what: What, id_: int) -> None:
        """Let a text wait for its vector."""
        self._rows("unembedded_add", {"owner": owner, "what": what, "id": id_})
