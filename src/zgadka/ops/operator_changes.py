"""What an operator does to many memories at once, owner by owner: hide them, and take that back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from zgadka.model.memory import Event
from zgadka.model.outcome import Changed
from zgadka.ops import persist
from zgadka.ops.audit import take_back
from zgadka.ops.operator_queries import OPERATOR
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import standing_changes

_REASON = "chosen from a list"


def hide_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Hide memories of one owner, which `undo` brings back; returns those that were live.

    The people did not ask for it: so nothing that they said is withheld, and they may say it again.
    """
    live = [row for row in tx.memories.get_many(owner, list(ids)).values() if not (row.archived or row.withheld)]
    for memory in live:
        persist.hide(tx, memory, "forgotten", actor=OPERATOR, reason=_REASON)
    return [memory.id for memory in live]


def unhide_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Take back what `hide_many` did, where nothing was changed since; returns those that are back."""
    return _take_back(tx, owner, ids, lambda event: (event.actor, event.reason) == (OPERATOR, _REASON))


def undo_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Take back the last change of each; what is new stays, since it would be deleted."""
    return _take_back(tx, owner, ids, lambda event: not makes_new(event))


def makes_new(event: Event) -> bool:
    """Whether a change made the memory, so that taking it back deletes it."""
    return event.before is None and event.after is not None


def last_change(trail: Iterable[Event]) -> Event | None:
    """The change that is taken back next."""
    standing = standing_changes(trail)
    return standing[-1] if standing else None


def _take_back(tx: Tx, owner: int, ids: Iterable[int], may: Callable[[Event], bool]) -> list[int]:
    undone: list[int] = []
    changes = {memory: last_change(tx.audit.history(owner, memory)) for memory in ids}
    taken_back: set[int] = set()
    for memory, change in changes.items():
        if change is not None and change.change in taken_back:  # together with another of them
            undone.append(memory)
            continue
        is_late = change is None or tx.now - change.at > timedelta(hours=tx.settings.undo_hours)
        if change is not None and not is_late and may(change):
            outcome = take_back(tx, owner, memory, actor=OPERATOR)
            if isinstance(outcome, Changed):
                undone.append(memory)
                taken_back |= set() if change.change is None else {change.change}
    return undone
