"""The audit trail: what happened to each memory."""

from __future__ import annotations

from datetime import datetime

from zgadka.model.memory import Action, Event, StoredMemory
from zgadka.model.moments import micros, micros_or_none, moment
from zgadka.stores.memories import Memories
from zgadka.stores.rows import dump, load


class Trail(Memories):
    """The audit trail: what happened to each memory."""

    def add_event(
        self,
        memory: StoredMemory,
        action: Action,
        *,
        actor: str,
        before: StoredMemory | None,
        reason: str | None = None,
        change: int | None = None,
        expires_at: datetime | None = None,
    ) -> None:
        """Write one line of the audit trail.

        Args:
            expires_at: For a deletion: when the memory's texts leave the trail for good.
        """
        self._rows(
            "event_add",
            {
                "owner": memory.owner,
                "memory": memory.id,
                "at": micros(self.now),
                "actor": actor,
                "action": action,
                "reason": reason,
                "before": None if before is None else dump(before),
                "change": change,
                "expires_at": micros_or_none(expires_at),
            },
        )

    def events(self, owner: int, memory: int) -> list[Event]:
        """The trail of one memory, oldest first; empty when it never was."""
        rows = self._rows("events", {"owner": owner, "memory": memory}) if 0 < memory < 2**53 else []
        states = [None if row[6] is None else load(owner, row[0], row[6]) for row in rows]
        states.append(self.memory(owner, memory))
        return [
            Event(
                memory=row[0],
                number=row[1],
                at=moment(row[2]),
                actor=row[3],
                action=row[4],
                reason=row[5],
                before=states[index],
                after=states[index + 1],
                change=row[7],
            )
            for index, row in enumerate(rows)
        ]

    def has_events(self, owner: int, memory: int) -> bool:
        """Whether the owner's trail tells of the memory: then it is, or was, the owner's."""
        return 0 < memory < 2**53 and bool(self._rows("event_any", {"owner": owner, "memory": memory}))

    def add_note_to_trail(self, owner: int, action: Action, *, actor: str, reason: str | None) -> None:
        """Write a line that is about the owner as a whole; it stands under memory 0."""
        self._rows(
            "event_add",
            {
                "owner": owner,
                "memory": 0,
                "at": micros(self.now),
                "actor": actor,
                "action": action,
                "reason": reason,
                "before": None,
                "change": None,
                "expires_at": None,
            },
        )

    def remove_events(self, owner: int, memory: int) -> None:
        """Remove the memory's lines from the trail."""
        self._rows("events_remove", {"owner": owner, "memory": memory})

    def memories_of_change(self, owner: int, change: int) -> list[int]:
        """The ids of the memories that one operation changed together."""
        return [row[0] for row in self._rows("events_of_change", {"owner": owner, "change": change})]

    def owners_of_change(self, change: int) -> list[int]:
        """The owners whose memories one operation changed. Asks everywhere."""
        return [row[0] for row in self._rows("owners_of_change", {"change": change})]

    def keep_event_texts(self, owner: int, memory: int) -> None:
        """Keep the memory's texts in the trail: it is back."""
        self._rows("event_keep_texts", {"owner": owner, "memory": memory})

    def forget_event_texts(self, owner: int, memory: int) -> None:
        """Remove the memory's texts from the trail for good."""
        self._rows("event_forget_texts", {"owner": owner, "memory": memory})

    def find_memory(self, memory: int) -> int | None:
        """The owner of a memory, also of a deleted one; None when it never was. Reads everything: for operators."""
        rows = self._rows("memory_find", {"id": memory}) if 0 < memory < 2**53 else []
        return rows[0][0] if rows else None

    def remembered(self, owner: int) -> list[int]:
        """The ids of all memories that the owner's trail tells of; for the owner and for operators."""
        return [row[0] for row in self._rows("events_memories", {"owner": owner})]
