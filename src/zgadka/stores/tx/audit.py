"""The audit trail: what happened to each memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from zgadka.model.memory import Action, Event, StoredMemory
from zgadka.model.timestamps import micros, micros_or_none
from zgadka.stores.row_mapping import Value, dump, from_row, load
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.memories import Memories


class Forgotten(NamedTuple):
    """A memory that was deleted or forgotten: as it was, by whom, and in which change."""

    memory: StoredMemory
    actor: str
    change: int


class Audit(Topic):
    """The audit trail: what happened to each memory."""

    def memories_with_person(self, owner: int, person: int) -> list[int]:
        """The ids of the owner's episodes and relations whose trail says that the person was in them."""
        return self._column("past_people", {"owner": owner, "person": person})

    def last_number(self, owner: int, memory: int) -> int:
        """The number of the last line of a trail; 0 when there is none."""
        return self._value("event_last", {"owner": owner, "memory": memory})

    def add(
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
        texts = None if before is None else dump(before)
        more = {"before": texts, "change": change, "expires_at": micros_or_none(expires_at)}
        self._add(memory.owner, memory.id, action, actor, reason, more)

    def history(self, owner: int, memory: int) -> list[Event]:
        """The trail of one memory, oldest first; empty when it never was."""
        rows = self._rows("events", {"owner": owner, "memory": memory}) if 0 < memory < 2**53 else []
        states = [None if row[6] is None else load(owner, row[0], row[6]) for row in rows]
        states.append(Memories(self._tx).get(owner, memory))
        return [
            from_row(Event, (*row[:6], before, after, row[7]))
            for row, before, after in zip(rows, states, states[1:], strict=False)
        ]

    def exists(self, owner: int, memory: int) -> bool:
        """Whether the owner's trail tells of the memory: then it is, or was, the owner's."""
        return 0 < memory < 2**53 and bool(self._rows("event_any", {"owner": owner, "memory": memory}))

    def list_forgotten(self, owner: int) -> list[Forgotten]:
        """What was forgotten of the owner's memories, as far as its texts are still there, and is not known again."""
        rows = self._rows("events_of_forgetting", {"owner": owner})
        return [Forgotten(load(owner, memory, before), actor, change) for memory, actor, change, before in rows]

    def add_about_owner(self, owner: int, action: Action, *, actor: str, reason: str | None) -> None:
        """Write a line that is about the owner as a whole; it stands under memory 0."""
        self._add(owner, 0, action, actor, reason, {"before": None, "change": None, "expires_at": None})

    def _add(
        self, owner: int, memory: int, action: Action, actor: str, reason: str | None, more: Mapping[str, Value]
    ) -> None:
        event = {"owner": owner, "memory": memory, "actor": actor, "action": action, "reason": reason}
        self._rows("event_add", {**event, "at": micros(self._tx.now), **more})

    def delete(self, owner: int, memory: int) -> None:
        """Remove the memory's lines from the trail."""
        self._rows("events_remove", {"owner": owner, "memory": memory})

    def memories_of_change(self, owner: int, change: int) -> list[int]:
        """The ids of the memories that one operation changed together."""
        return self._column("events_of_change", {"owner": owner, "change": change})

    def owners_of_change(self, change: int) -> list[int]:
        """The owners whose memories one operation changed. Asks everywhere."""
        return self._column("owners_of_change", {"change": change})

    def keep_texts(self, owner: int, memory: int) -> None:
        """Keep the memory's texts in the trail: it is back."""
        self._rows("event_keep_texts", {"owner": owner, "memory": memory})

    def delete_texts(self, owner: int, memory: int) -> None:
        """Remove the memory's texts from the trail for good."""
        self._rows("event_forget_texts", {"owner": owner, "memory": memory})
