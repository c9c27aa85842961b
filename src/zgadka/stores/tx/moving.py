"""What a space has, taken into another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from zgadka.model.memory import Owner
from zgadka.model.timestamps import micros
from zgadka.stores.row_mapping import Value
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.blocks import Blocks
from zgadka.stores.tx.vectors import Vectors

_WITH_CHATS = ("messages", "stretches", "chats", "readerships", "titles", "calls")
_AS_THEY_ARE = ("members", "message_subjects", "levels", "given", "unquoted", "observations")


class Moving(Topic):
    """What a space has, taken into another one, and the names that such spaces had."""

    def names(self, space: Owner) -> set[str]:
        """The names of a space, with those of the spaces that became part of it."""
        return {space.name, *self._column("moved_names", {"space": space.id})}

    def spaces_named(self, platform: str, prefix: str) -> Sequence[Owner]:
        """The spaces of a platform whose names begin so, in order."""
        last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return self._all(Owner, "spaces_between", {"platform": platform, "first": prefix, "last": last})

    def owners_seen_in(self, platform: str, space: int) -> list[int]:
        """The owners of memories that are seen in a space. Asks everywhere."""
        return self._column("owners_seen_in", {"platform": platform, "space": space})

    def owners_with_past_in(self, space: int, since: datetime | None = None) -> list[int]:
        """The other owners whose trail says, since then, that a memory of theirs was seen there. Asks everywhere."""
        owners = self._column("owners_with_past_in", {"space": space, "since": 0 if since is None else micros(since)})
        return sorted({*owners} - {space})

    def move_sources(self, owner: int, space: int, into: int) -> None:
        """Let an owner's memories come from the other space's messages."""
        self._rows("sources_move", {"owner": owner, "space": space, "into": into})

    def take_in(
        self, space: int, into: int, *, chat: str, new_chat: str, thread: str, audiences: Mapping[int, int]
    ) -> None:
        """Copy all that a space has into another one, but for its memories and their trails; what is there stays.

        Args:
            chat: The chat that is `new_chat` there.
            thread: The thread that is a chat of its own there; empty: none.
            audiences: The groups of readers there, by those of the space.
        """
        for former, audience in audiences.items():
            for query in ("move_readers", "move_chat_readers"):
                self._rows(query, {"owner": space, "former": former, "audience": audience})
        place: dict[str, Value] = {"owner": into, "space": space}
        for part in _AS_THEY_ARE:
            self._rows(f"move_{part}", place)
        chats: dict[str, Value] = place | {"chat": chat, "new_chat": new_chat, "thread": thread}
        for part in _WITH_CHATS:
            rows = self._rows(f"move_{part}", chats)
            if part == "messages":
                for (message,) in rows:
                    Vectors(self._tx).enqueue(into, "message", message)
                # Among what is there they are not in order: blocks are made anew.
                Blocks(self._tx).make_anew(into)

    def rename(self, space: Owner, into: int) -> None:
        """Let the name of a space that is gone mean the one that it became part of."""
        self._rows("moved_follow", {"space": space.id, "into": into})
        self._rows("moved_put", {"platform": space.platform, "name": space.name, "space": into})
        self._tx.owner_ids.clear()
        self._tx.owners_by_id.clear()
        self._tx.owner_forms.clear()
