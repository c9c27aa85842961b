"""What an operator does to many memories at once, owner by owner: hide or merge them, and take that back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import timedelta

from zgadka.model.memory import Event, StoredMemory
from zgadka.model.outcome import Changed, Merged
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.audit import take_back
from zgadka.ops.facts import merge
from zgadka.ops.operator_queries import OPERATOR
from zgadka.ops.reindex import renew
from zgadka.ops.suggest_merges import Group, near_duplicates
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import standing_changes
from zgadka.text.canonical import canonical

_REASON = "chosen from a list"


def hide_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Hide memories of one owner, which `undo` brings back; returns those that were live, in order of their ids.

    The people did not ask for it: so nothing that they said is withheld, and they may say it again.
    """
    rows = sorted(tx.memories.get_many(owner, ids).items())  # PostgreSQL gives them as they lie
    live = [memory for _, memory in rows if not (memory.archived or memory.withheld)]
    for memory in live:
        persist.hide(tx, memory, "forgotten", actor=OPERATOR, reason=_REASON)
    return [memory.id for memory in live]


def unhide_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Take back what `hide_many` did, where nothing was changed since; returns those that are back."""
    return _take_back(tx, owner, ids, lambda event: (event.actor, event.reason) == (OPERATOR, _REASON))


def duplicates(rows: Iterable[StoredMemory]) -> list[Group]:
    """Which of these facts say the same, and are alike in all that decides who is told: they may be merged."""
    places: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for row in rows:
        if row.kind == "fact" and not row.archived and not row.withheld and row.valid_to is None:
            places[row.owner, row.space, row.lineage, row.audience, row.said_by].append(row)
    return near_duplicates(places.values())


def merge_group(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Merge facts of one owner, if they still are one of the `duplicates`; returns the fact that stands for all."""
    renew(tx, owner)
    rows = tx.memories.get_many(owner, list(ids))
    groups = duplicates(rows.values())
    if len(groups) != 1 or {fact.id for fact in groups[0].facts} != rows.keys():
        return []
    facts = groups[0].facts
    main = facts[0]
    merged = replaced(
        main,
        content=groups[0].merged_value,
        canonical=canonical(groups[0].merged_value, main.key),
        confidence=max(fact.confidence for fact in facts),
        chat=main.chat if all(fact.chat == main.chat for fact in facts) else None,
    )
    outcome = merge(tx, facts, merged, actor=OPERATOR)
    return [outcome.memory.id] if isinstance(outcome, Merged) else []


def unmerge_many(tx: Tx, owner: int, ids: Iterable[int]) -> list[int]:
    """Take back what `merge_group` did, where nothing was changed since; returns the facts that stood for others."""
    return _take_back(tx, owner, ids, lambda event: (event.actor, event.reason) == (OPERATOR, "merged"))


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
