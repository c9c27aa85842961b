"""Find what a person changed last, to take it back without naming it: by a message, or where they are."""

from __future__ import annotations

from collections.abc import Collection

from zgadka.model.memory import Event
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops import merges
from zgadka.ops.access import find_space, speaker_of
from zgadka.ops.audit import own_change
from zgadka.ops.forgotten import list_forgotten
from zgadka.ops.list_memories import own_memories
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Forgotten
from zgadka.stores.tx.trail import TAKEN_BACK

REMOVALS = ("deleted", "forgotten", "cleared")
"""The changes that are taken back without losing anything."""
_LOOKED_AT = 20
"""Among so many of the memories that were removed last, and of those that were changed last."""


def last_change(tx: Tx, turn: Turn) -> Event | None:
    """The speaker's own last change to what is shown here that can still be taken back; None: there is none."""
    own = own_memories(tx, turn)
    ids = [row.memory.id for row in _removed(tx, turn)[:_LOOKED_AT]]
    ids += [] if isinstance(own, NoAccess) else [memory.id for memory in own[:_LOOKED_AT]]
    changes = [event for memory_id in ids if (event := own_change(tx, turn, memory_id)) is not None]
    return max(changes, key=lambda event: event.at, default=None)


def removed_with_message(tx: Tx, turn: Turn, about: Turn, ordered: Collection[int] = ()) -> list[int]:
    """The ids by which to take back what was removed last of what a message in the turn's chat said, or had removed.

    Of an edited message, what it said before, all of it; and first, what it says in the place of that.

    Args:
        about: Names the message; anybody's.
        ordered: The ids that it named: all of these.
    """
    person, space = speaker_of(tx, turn), find_space(tx, turn)
    said = tx.messages.find_said(space, about)
    told = () if said is None else tx.memories.made_from(person, space, said.id)
    withheld_by = 0 if said is None else tx.messages.withholding(space, said.id)
    removed = {
        row.change: row
        for row in _removed(tx, turn)
        if row.memory.id in (*told, *ordered)
        or row.change == withheld_by
        or (said is not None and row.reason in TAKEN_BACK and said.id in row.memory.messages)
        if own_change(tx, turn, row.memory.id) is not None
    }
    rows = [*removed.values()]
    if not ordered:
        rows = [
            row
            for row in rows
            if row is rows[0] or (row.at == rows[0].at and row.reason == rows[0].reason and row.reason in TAKEN_BACK)
        ]
    in_the_way = [id_ for row in rows if row.reason in TAKEN_BACK for id_ in _said_instead(tx, turn, row, told)]
    return [*dict.fromkeys(in_the_way), *(row.memory.id for row in rows)]


def _said_instead(tx: Tx, turn: Turn, edited: Forgotten, told: Collection[int]) -> list[int]:
    """What an edited message says in the place of what it said before, of what is made from it."""
    rival = merges.rival_of(tx, edited.memory)
    if rival is None or rival.id not in told:
        return []
    event = own_change(tx, turn, rival.id)
    return [rival.id] if event is not None and event.action in ("created", "revived") else []


def _removed(tx: Tx, turn: Turn) -> list[Forgotten]:
    """What the speaker had removed, as far as it can come back, the latest first."""
    removed = list_forgotten(tx, speaker_of(tx, turn), find_space(tx, turn))
    return sorted((row for row in removed if row.actor == turn.user_key), key=lambda row: row.at, reverse=True)
