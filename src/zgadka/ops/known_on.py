"""What was believed on a day: the memory as the audit trail has it, without what nobody is told any more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found, Recalled
from zgadka.ops.fact_validity import with_starts
from zgadka.ops.persist import holds
from zgadka.ops.same_value import former_forms
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
    facts, hidden = facts_known_at(tx, scope, known_on)
    if as_of is not None:
        held = {fact.id for fact in with_starts(tx, scope.owner, [*facts, *hidden]) if holds(fact, as_of)}
        facts = [fact for fact in facts if fact.id in held]
    facts = [fact for fact in facts if not types or fact.type in types]
    wanted = None if query is None else frozenset(query_words(query))
    matches = [Found(fact, fit, fit) for fact in facts if (fit := _fit(fact, wanted))]
    matches.sort(key=lambda match: (match.score, match.memory.updated_at, match.memory.id), reverse=True)
    return Recalled(tuple(matches[:limit]), len(matches))


def facts_known_at(tx: Tx, scope: Scope, moment: datetime) -> tuple[list[StoredMemory], list[StoredMemory]]:
    """The facts as they were known at a moment: those that may be told, and what was forgotten, deleted or withheld."""
    live = tx.memories.list_of_kind(scope, "fact")
    states = tx.audit.states_at(scope.owner, moment)
    unchanged = [fact for fact in live if fact.id not in states]
    believed = [
        state
        for state in states.values()
        if state is not None and state.kind == "fact" and not state.archived and scope.shows(state)
    ]
    if not believed:
        return unchanged, []
    rows = tx.memories.get_many(scope.owner, states)
    there = {id_ for id_, row in rows.items() if _is_told(tx, scope, row)}
    gone = {_claim(row) for id_, row in rows.items() if id_ not in there}
    kept = {fact.id: _claim(fact) for fact in live}
    claims = {*kept.values()}
    wishes = {(gone.memory.key, gone.memory.canonical): gone.at for gone in tx.audit.list_forgotten(scope.owner)}
    hidden: list[StoredMemory] = []
    for state in believed:
        wished_at = wishes.get((state.key, state.canonical))
        wished_at = wished_at or tx.forgotten_values.find(scope.owner, *former_forms(state))
        is_wanted = wished_at is None or (state.said_at or state.created_at) >= wished_at
        is_wanted |= kept.get(state.id) == _claim(state)  # the same of another type was forgotten: this one is told
        # What a change ended since is kept as a past value, whatever became of the one that took its place.
        is_there = _claim(state) in claims or (state.id in there and _claim(state) not in gone)
        (unchanged if is_there and is_wanted else hidden).append(state)
    return unchanged, hidden


def _claim(fact: StoredMemory) -> tuple[object, ...]:
    """What was said, and when: what a change ends is kept under another id."""
    return fact.key, fact.canonical, fact.said_at


def _is_told(tx: Tx, scope: Scope, row: StoredMemory) -> bool:
    """Whether what a memory was may be told: it is still there, or another stands for it or took its place."""
    if row.withheld or not scope.sees(row):
        return False
    return not row.archived or row.merged_into is not None or tx.audit.last_action(row.owner, row.id) == "merged"


def _fit(fact: StoredMemory, wanted: frozenset[str] | None) -> float:
    """How many of the words are in it, from 0 to 1."""
    if wanted is None:
        return 1.0
    return len(wanted & frozenset(index_words(fact.searchable))) / len(wanted) if wanted else 0.0
