"""What was believed on a day: the memory as the audit trail has it, without what nobody is told any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found, Recalled
from zgadka.ops.fact_validity import with_starts
from zgadka.ops.persist import holds
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words, query_words


def recall_known(
    tx: Tx,
    scope: Scope,
    query: str | None,
    limit: int,
    *,
    known_on: datetime,
    as_of: datetime | None = None,
    types: Collection[str] = (),
) -> Recalled:
    """The facts that were known at a moment, as they were then; those that fit a query by its words.

    Args:
        as_of: Only those that, as was believed then, held at this moment.
    """
    facts = facts_known_at(tx, scope, known_on)
    if as_of is not None:
        held = {fact.id for fact in with_starts(tx, scope.owner, facts) if holds(fact, as_of)}
        facts = [fact for fact in facts if fact.id in held]
    facts = [fact for fact in facts if not types or fact.type in types]
    wanted = None if query is None else frozenset(query_words(query))
    found = [Found(fact, fit, fit) for fact in facts if (fit := _fit(fact, wanted))]
    found.sort(key=lambda match: (match.score, match.memory.updated_at, match.memory.id), reverse=True)
    return Recalled(tuple(found[:limit]), len(found))


def facts_known_at(tx: Tx, scope: Scope, moment: datetime) -> list[StoredMemory]:
    """The facts as they were known at a moment; not what was forgotten, deleted or withheld, then or since."""
    states = tx.audit.states_at(scope.owner, moment)
    rows = tx.memories.get_many(scope.owner, states)
    untold = {id_ for id_ in states if not _is_told(tx, scope, rows.get(id_))}
    gone = [rows[id_] for id_ in untold if id_ in rows]
    gone += [forgotten.memory for forgotten in tx.audit.list_forgotten(scope.owner)] if states else []
    said = {(memory.key, memory.canonical) for memory in gone}
    before = [state for id_, state in states.items() if state is not None and id_ not in untold]
    unchanged = [fact for fact in tx.memories.list_of_kind(scope, "fact") if fact.id not in states]
    return [*unchanged, *_believed(tx, scope, before, said)]


def _believed(
    tx: Tx, scope: Scope, states: Iterable[StoredMemory], gone: Collection[tuple[str | None, str]]
) -> Iterable[StoredMemory]:
    for state in states:
        is_fact = state.kind == "fact" and not state.archived and scope.shows(state)
        is_gone = (state.key, state.canonical) in gone
        if is_fact and not is_gone and tx.forgotten_values.find(scope.owner, state.canonical) is None:
            yield state


def _is_told(tx: Tx, scope: Scope, row: StoredMemory | None) -> bool:
    """Whether what a memory was may be told: it is still there, or another stands for it or took its place."""
    if row is None or row.withheld or not scope.sees(row):
        return False
    return not row.archived or tx.audit.last_action(row.owner, row.id) == "merged"


def _fit(fact: StoredMemory, wanted: frozenset[str] | None) -> float:
    """How many of the words are in it, from 0 to 1."""
    if wanted is None:
        return 1.0
    return len(wanted & frozenset(index_words(fact.searchable))) / len(wanted) if wanted else 0.0
