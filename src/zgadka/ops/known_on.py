"""What was believed on a day: the memory as the audit trail has it, without what nobody is told any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from zgadka.model.memory import Kind, Scope, StoredMemory
from zgadka.model.outcome import Found, Recalled
from zgadka.ops import merges
from zgadka.ops.access import author_is_invisible
from zgadka.ops.access import hidden as hidden_now
from zgadka.ops.fact_validity import with_starts
from zgadka.ops.hearsay import is_hearsay
from zgadka.ops.persist import holds
from zgadka.ops.same_value import as_now, former_forms
from zgadka.ops.trail import first_version
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
    kinds: Collection[Kind] = ("fact",),
) -> Recalled:
    """The facts, or also notes, that were known at a moment, as they were then; those that fit a query by its words.

    Args:
        as_of: Only those that, as was believed then, held at this moment.
    """
    facts, hidden = known_at(tx, scope, known_on, kinds)
    if as_of is not None:
        held = {fact.id for fact in with_starts(tx, scope.owner, [*facts, *hidden]) if holds(fact, as_of)}
        facts = [fact for fact in facts if fact.id in held]
    facts = [fact for fact in facts if not types or fact.type in types]
    wanted = None if query is None else frozenset(query_words(query))
    matches = [Found(fact, fit, fit) for fact in facts if (fit := _fit(fact, wanted))]
    matches.sort(key=lambda match: (match.score, match.memory.updated_at, match.memory.id), reverse=True)
    return Recalled(tuple(matches[:limit]), len(matches))


def known_at(
    tx: Tx, scope: Scope, moment: datetime, kinds: Collection[Kind] = ("fact",)
) -> tuple[list[StoredMemory], list[StoredMemory]]:
    """Memories as they were known at a moment: those that may be told, and what was forgotten, deleted or withheld."""
    live = [memory for kind in kinds for memory in tx.memories.list_of_kind(scope, kind)]
    states = tx.audit.states_at(scope.owner, moment)
    unchanged = [fact for fact in live if fact.id not in states]
    believed = [
        as_now(state)
        for state in states.values()
        if state is not None and state.kind in kinds and not state.archived and scope.shows(state)
    ]
    if not believed:
        return unchanged, []
    rows = tx.memories.get_many(scope.owner, states)
    concealed = hidden_now(tx, rows.values()) | {state.id for state in believed if _is_unwanted(tx, state)}
    pasts = tx.audit.pasts_since(scope.owner, moment)
    live_values = {fact.id: fact.canonical for fact in live}
    forgotten = ((as_now(gone.memory), gone.at) for gone in tx.audit.list_forgotten(scope.owner))
    wishes = {(memory.key, memory.canonical): at for memory, at in forgotten}
    parts: defaultdict[int, list[int]] = defaultdict(list)
    for state in states.values():
        if state is not None and state.archived and state.merged_into is not None:
            parts[state.merged_into].append(state.id)

    def is_told(id_: int) -> bool:
        return id_ in rows and id_ not in concealed and _is_told(tx, scope, rows[id_])

    def are_told(ids: Iterable[int]) -> bool:
        """Whether all that was merged then may be told; what only a merge that was taken back had kept is nothing."""
        parts_kept = (part for part in ids if part in rows or tx.audit.last_action(scope.owner, part) != "undone")
        return all(is_told(part) and are_told(parts[part]) for part in parts_kept)

    hidden: list[StoredMemory] = []
    for state in believed:
        id_ = _kept_as(tx, state, pasts.get(state.id, ()), rows)
        is_same = live_values.get(id_) == state.canonical or _is_wanted(tx, state, wishes)
        (unchanged if is_told(id_) and is_same and are_told(parts[state.id]) else hidden).append(state)
    return unchanged, hidden


def _is_unwanted(tx: Tx, state: StoredMemory) -> bool:
    """Whether who said it then, or somebody whom a note of a space named, does not want that told any more."""
    return author_is_invisible(tx, state) or any(tx.members.level(state.space, person) for person in state.people)


def _kept_as(
    tx: Tx, state: StoredMemory, pasts: Iterable[tuple[int, StoredMemory | None]], rows: Mapping[int, StoredMemory]
) -> int:
    """The id under which what was known is kept now: of a value that a change ended since, that of its past.

    Args:
        pasts: What changes since left as past of the memory, in order, with what it was until then.
    """
    for past, former in pasts:
        if former is not None and is_hearsay(tx, state) and _has_given_way(tx, state, former):
            break  # to the person's own word: it is no past of theirs
        if past in rows or tx.audit.last_action(state.owner, past) != "undone":
            return past
    return state.id


def _has_given_way(tx: Tx, heard: StoredMemory, later: StoredMemory) -> bool:
    """Whether between two states of a memory another value took its place, of which no past is left."""
    return heard.version < first_version(later, tx.audit.history(later.owner, later.id))


def _is_told(tx: Tx, scope: Scope, row: StoredMemory) -> bool:
    """Whether what a memory was may be told: it is still there, or another stands for it or took its place."""
    top = row if row.merged_into is None else merges.whole_above(tx, row)
    if top is None or top.withheld or row.withheld or not scope.sees(row):
        return False
    return not top.archived or tx.audit.last_action(top.owner, top.id) == "merged"


def _is_wanted(tx: Tx, state: StoredMemory, wishes: Mapping[tuple[str | None, str], datetime]) -> bool:
    """Whether the person said it after they had such a value forgotten last, if ever."""
    wished_at = wishes.get((state.key, state.canonical))
    wished_at = wished_at or tx.forgotten_values.find(state.owner, *former_forms(state))
    return wished_at is None or (state.said_at or state.created_at) >= wished_at


def _fit(fact: StoredMemory, wanted: frozenset[str] | None) -> float:
    """How many of the words are in it, from 0 to 1."""
    if wanted is None:
        return 1.0
    return len(wanted & frozenset(index_words(fact.searchable))) / len(wanted) if wanted else 0.0
