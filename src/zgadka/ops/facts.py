"""Change known facts: update, merge, forget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from zgadka.model.memory import ChangeReason, FactType, ForgetReason, Scope, StoredMemory
from zgadka.model.outcome import Ambiguous, Changed, Conflict, Merged, NoAccess, NotFound, Refused
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.scopes import writing_scope
from zgadka.ops.temporal import holds
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical


def update_fact(
    tx: Tx,
    turn: Turn,
    user_id: int,
    *,
    type_: FactType,
    key: str,
    fact_id: int | None,
    value: str,
    confidence: float,
    reason: ChangeReason,
    excerpt: str | None,
) -> Changed | NotFound | Ambiguous | Conflict | NoAccess:
    """Give a known fact another value, whatever the old confidence was."""
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    before = _one(tx, scope, type_, key, fact_id)
    if not isinstance(before, StoredMemory):
        return before
    memory = replace(
        before,
        content=value,
        canonical=canonical(value, key),
        confidence=confidence,
        excerpt=excerpt or before.excerpt,
        said_by=turn.user_name,
    )
    other = keep.holder(tx, memory)
    if other is not None:
        return Conflict(other)
    return Changed(keep.put(tx, before, memory, "updated", actor=turn.user_name, reason=reason), before)


def forget_fact(
    tx: Tx,
    turn: Turn,
    user_id: int,
    *,
    type_: FactType,
    key: str,
    fact_id: int | None,
    reason: ForgetReason,
    replacement: int | None,
) -> Changed | NotFound | Ambiguous | NoAccess | Refused:
    """Hide a fact; it stays for the audit trail and comes back when it is remembered again."""
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    before = _one(tx, scope, type_, key, fact_id)
    if not isinstance(before, StoredMemory):
        return before
    if replacement is not None:
        new = _live_fact(tx, scope, replacement)
        if new is None or new.id == before.id:
            return Refused(f"replacement_fact_id {replacement} is not another known fact of this person")
    why = reason if replacement is None else f"{reason}: replaced by {replacement}"
    hidden = replace(before, archived=True)
    return Changed(keep.put(tx, before, hidden, "forgotten", actor=turn.user_name, reason=why), before)


def merge_facts(
    tx: Tx, turn: Turn, user_id: int, *, fact_ids: Sequence[int], value: str, confidence: float
) -> Merged | NotFound | Conflict | NoAccess | Refused:
    """Let the first fact stand for all, with the merged value; the others are hidden."""
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    facts: list[StoredMemory] = []
    for fact_id in fact_ids:
        fact = _live_fact(tx, scope, fact_id)
        if fact is None:
            return NotFound()
        facts.append(fact)
    kept, *others = facts
    if any((fact.type, fact.space, fact.lineage) != (kept.type, kept.space, kept.lineage) for fact in others):
        return Refused("facts of different types (or seen in different places) cannot be merged")
    memory = replace(
        kept,
        content=value,
        canonical=canonical(value, kept.key),
        confidence=confidence,
        evidence=sum(fact.evidence for fact in facts),
        said_by=turn.user_name,
    )
    holder = keep.holder(tx, memory)
    if holder is not None and holder.id not in fact_ids:
        return Conflict(holder)
    change = tx.next_id("change")
    for fact in others:
        keep.put(
            tx,
            fact,
            replace(fact, archived=True),
            "merged",
            actor=turn.user_name,
            reason=f"merged into {kept.id}",
            change=change,
        )
    merged = keep.put(tx, kept, memory, "updated", actor=turn.user_name, reason="merged", change=change)
    return Merged(merged, tuple(fact.id for fact in others))


def _one(tx: Tx, scope: Scope, type_: FactType, key: str, fact_id: int | None) -> StoredMemory | NotFound | Ambiguous:
    """The fact that type and key name; several values need the id."""
    facts = tx.with_key(scope, type_, key)
    if fact_id is not None:
        facts = [fact for fact in facts if fact.id == fact_id]
    elif current := [fact for fact in facts if holds(fact, tx.now)]:
        facts = current
    if len(facts) == 1:
        return facts[0]
    if facts:
        return Ambiguous(tuple(facts))
    return NotFound(tuple(fact for fact in tx.visible(scope) if fact.key == key or fact.id == fact_id)[:5])


def _live_fact(tx: Tx, scope: Scope, memory_id: int) -> StoredMemory | None:
    memory = tx.memory(scope.owner, memory_id)
    if memory is None or memory.archived or memory.kind != "fact" or not scope.shows(memory):
        return None
    return memory
