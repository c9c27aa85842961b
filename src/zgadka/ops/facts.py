"""Change known facts: update, merge, forget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

from zgadka.model.limits import LONGEST_QUOTES
from zgadka.model.memory import ChangeReason, FactType, ForgetReason, Scope, StoredMemory
from zgadka.model.outcome import (
    Ambiguous,
    Changed,
    Conflict,
    LimitReached,
    Merged,
    NoAccess,
    NotFound,
    Refused,
    Remembered,
)
from zgadka.model.record import replaced
from zgadka.model.turn import Turn
from zgadka.ops import merges, persist, withhold
from zgadka.ops.access import is_speaker, live_memory, narrowed, speaker_of, speaker_scope, writing_scope
from zgadka.ops.contradictions import also_known, can_be_one
from zgadka.ops.derived import let_predecessor_hold
from zgadka.ops.fact_time import is_past, is_told_later, past_values, there_at, until_told
from zgadka.ops.hearsay import aside_of, author_of, give_way, gives_way, set_aside, stands_against
from zgadka.ops.persist import holds
from zgadka.ops.reindex import renew
from zgadka.ops.remember import (
    New,
    add_fresh,
    before_the_next,
    fresh,
    known_in,
    no_room,
    rivals,
    standing,
    yielding,
)
from zgadka.ops.same_value import is_same, worded
from zgadka.ops.sources import said_at, said_in
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.stores.tx.trail import ENDED, INCORRECT
from zgadka.text.canonical import canonical
from zgadka.text.keys import is_single_valued

_CHANGES: tuple[ChangeReason, ...] = ("update", "contradiction")
"""Reasons by which the old value was true until now; else it never was, or still is."""


def update_fact(
    tx: Tx, turn: Turn, user_id: int, new: New, *, fact_id: int | None, reason: ChangeReason
) -> Changed | Remembered | NotFound | Ambiguous | Conflict | LimitReached | NoAccess:
    """Give a known fact another value, whatever the old confidence was.

    What changed (`update`, `contradiction`) was true until then: the old value becomes a past fact of its own with its
    quote, evidence and time, and the new one begins undated with what was said now. What only held in the past stays as
    it is, and the new value is a fact beside it; so does a value that was said before what holds now, as a past one. A
    `correction` leaves no past; a `refinement` says the same better.
    """
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    fact = _find_fact(tx, scope, new.type or "", new.key or "", fact_id)
    is_change = reason in _CHANGES
    if is_change and _is_over(tx, fact, is_named=fact_id is not None):
        return _add_current(tx, turn, scope, fresh(tx, turn, scope, new))
    if not isinstance(fact, StoredMemory):
        return fact
    if stands_against(tx, turn, fact):
        return Conflict(fact)
    at, memory = said_at(tx, turn), _restated(tx, turn, scope, fact, new)
    says_same = is_same(fact, replaced(memory, said_at=at))
    if is_change and (fact.said_at or fact.created_at) > at and not says_same:
        return _add_late(tx, turn, scope, fact, fresh(tx, turn, scope, new))
    facts = rivals(tx, scope, memory) if is_change and not says_same else []
    memory, past = _revised(tx, turn, scope, fact, memory, new, reason, facts, says_same=says_same)
    heard = yielding(tx, turn, facts, memory, but=fact)
    if (rival := merges.rival_of(tx, memory, but=[row.id for row in heard])) is not None:
        return Conflict(rival)
    return _store_update(tx, turn, scope, fact, memory, past, heard, reason)


def _restated(tx: Tx, turn: Turn, scope: Scope, fact: StoredMemory, new: New) -> StoredMemory:
    """The fact with its new value, as the speaker says it here."""
    at = said_at(tx, turn)
    return replaced(
        worded(narrowed(turn, scope, fact), new.content, at),
        confidence=new.confidence,
        said_by=author_of(tx, turn, scope.owner),
        chat=said_in(turn),
    )


def _revised(
    tx: Tx,
    turn: Turn,
    scope: Scope,
    fact: StoredMemory,
    memory: StoredMemory,
    new: New,
    reason: ChangeReason,
    facts: Sequence[StoredMemory],
    *,
    says_same: bool,
) -> tuple[StoredMemory, StoredMemory | None]:
    """The new value with its quote and time, and the old one as a past fact, where the change leaves one."""
    if reason == "refinement" or says_same:
        return replaced(memory, excerpt=_both_quotes(fact.excerpt, new.excerpt)), None
    memory = replaced(memory, excerpt=new.excerpt, evidence=1, said_at=_said_last(tx, turn, fact))
    if reason not in _CHANGES or not holds(fact, tx.now):  # what has not begun leaves no past
        return memory, None
    # Nor does what only another said.
    past = None if gives_way(tx, turn, fact) else _as_past(tx, turn, narrowed(turn, scope, fact))
    memory = replaced(memory, valid_from=None, valid_to=None, closed=0, follows=None if past is None else past.id)
    return before_the_next(memory, standing(tx, turn, facts), tx.now), past


def _store_update(
    tx: Tx,
    turn: Turn,
    scope: Scope,
    fact: StoredMemory,
    memory: StoredMemory,
    past: StoredMemory | None,
    heard: Sequence[StoredMemory],
    reason: ChangeReason,
) -> Changed:
    """Store the new value in place of the old one, with the past fact and what was merged into the old value.

    Args:
        heard: What only others said, that gives way to it.
    """
    parts = [] if memory.canonical == fact.canonical else tx.memories.list_parts(fact.owner, fact.id)
    yields = past is None and memory.canonical != fact.canonical and gives_way(tx, turn, fact)
    change = tx.next_id("change") if past is not None or yields or parts or heard else None
    if yields and change is not None and reason in _CHANGES:  # else they say that it never was so
        set_aside(tx, fact, actor=turn.user_key, change=change)
    sources = tx.memories.take_sources(fact) if past is not None or yields else []  # they say the old value
    give_way(tx, turn, heard, change)
    updated = persist.put(tx, fact, memory, "updated", actor=turn.user_key, reason=reason, change=change)
    if past is not None:
        # False: the same value has ended at that very moment before, and is kept.
        why = Why(actor=turn.user_key, reason=ENDED, change=change)
        is_new = persist.add(tx, past, "created", sources=sources, is_told=False, **why)
        past = past if is_new else persist.holder(tx, past)
    merges.release(tx, parts, past, actor=turn.user_key, change=change)
    return Changed(updated, fact, past, also_known=also_known(tx, turn, scope, updated))


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
    """Hide a fact; it stays for the audit trail and comes back when it is remembered again.

    The speaker hides their own at every privacy level: where reading would not tell it, by its id alone.
    """
    scope, is_own = writing_scope(tx, turn, user_id), is_speaker(turn, user_id)
    is_told = turn.direct or not isinstance(scope, NoAccess)
    if isinstance(scope, NoAccess):
        if not is_own or (fact_id is None and not is_told):
            return scope
        scope = speaker_scope(tx, turn)
    if fact_id is None or is_told:
        target = _find_fact(tx, scope, type_, key, fact_id)
    else:
        target = live_memory(tx, scope, fact_id, "fact") or NotFound()
    if not isinstance(target, StoredMemory):
        return target
    if replacement is not None:
        new = live_memory(tx, scope, replacement, "fact")
        if new is None or new.id == target.id:
            return Refused(f"replacement_fact_id {replacement} is not another known fact of this person")
    why = reason if replacement is None else f"{reason}: replaced by {replacement}"
    # What is only no longer so was said all the same; what a person does not want to be known must not be told.
    # Nobody else decides what of it is told.
    is_theirs = target.owner == speaker_of(tx, turn) or target.owner in tx.consented_by
    if reason == "user_requested" and is_theirs:
        return replaced(_forget_everywhere(tx, turn, scope, target, why), is_told=is_told)
    never_was = reason == INCORRECT and replacement is None
    change = tx.next_id("change") if never_was else None
    hidden = persist.hide(tx, target, "forgotten", actor=turn.user_key, reason=why, change=change)
    if change is not None:
        let_predecessor_hold(tx, target, but=[target.id], actor=turn.user_key, change=change)
    return Changed(hidden, target, is_told=is_told)


def _forget_everywhere(tx: Tx, turn: Turn, scope: Scope, target: StoredMemory, why: str) -> Changed:
    """Hide a fact as its person wishes: in each place, with its past, and with what says it."""
    change = tx.next_id("change")
    same = withhold.same_elsewhere(tx, target)
    past = [*past_values(tx, scope, target), *withhold.past_elsewhere(tx, target, same)]
    forgotten = [*{row.id: row for row in (target, *same, *past)}.values()]
    forgotten += aside_of(tx, *forgotten)
    forgotten += merges.parts_of(tx, *forgotten)
    withheld = withhold.withhold(tx, turn, target.owner, dict.fromkeys(forgotten, change))
    hidden, *_ = [
        persist.hide(tx, fact, "forgotten", is_told=not fact.archived, actor=turn.user_key, reason=why, change=change)
        for fact in forgotten
    ]
    withhold.go_on(tx, dict.fromkeys(forgotten, change), actor=turn.user_key)
    return Changed(hidden, target, withheld=withheld)


def merge_facts(
    tx: Tx, turn: Turn, user_id: int, *, fact_ids: Sequence[int], value: str, confidence: float
) -> Merged | NotFound | Conflict | NoAccess | Refused:
    """Let the first fact stand for all, with the merged value; the others are hidden."""
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    renew(tx, scope.owner)
    facts: list[StoredMemory] = []
    for fact_id in fact_ids:
        fact = live_memory(tx, scope, fact_id, "fact")
        if fact is None:
            return NotFound()
        facts.append(fact)
    main = facts[0]
    if any(stands_against(tx, turn, fact) for fact in facts):
        return Refused("what this person said of themselves is changed by nobody else's word")
    merged = replaced(
        narrowed(turn, scope, main),
        content=value,
        canonical=canonical(value, main.key),
        confidence=confidence,
        said_by=author_of(tx, turn, scope.owner),
        chat=said_in(turn, *facts),
    )
    return merge(tx, facts, merged, actor=turn.user_key)


def merge(tx: Tx, facts: Sequence[StoredMemory], merged: StoredMemory, *, actor: str) -> Merged | Conflict | Refused:
    """Let the first fact, which becomes the merged one, stand for all; the others are hidden."""
    main, *doubles = facts
    if any((fact.space, fact.lineage) != (main.space, main.lineage) for fact in doubles):
        return Refused("facts seen in different places cannot be merged")
    if not all(persist.are_compatible(a.type, b.type) for a, b in combinations(facts, 2)):
        return Refused("what the user likes and what they can do cannot be merged")
    if mismatch := next((fact for fact in doubles if not can_be_one(main, fact)), None):
        return Refused(
            f"{main.key} and {mismatch.key} are different things; only facts that say the same can be merged"
        )
    if any(holds(fact, tx.now) != holds(main, tx.now) for fact in doubles):
        return Refused("what holds now and what is past or to come cannot be merged")
    memory = replaced(
        merged,
        valid_from=_first_start(facts),
        valid_to=_last_end(facts),
        evidence=sum(fact.evidence for fact in facts),
    )
    if (rival := merges.rival_of(tx, memory, but=[fact.id for fact in facts])) is not None:
        return Conflict(rival)
    change = tx.next_id("change")
    merges.hide_parts(tx, main, doubles, memory.canonical, actor=actor, change=change)
    for fact in doubles:
        tx.memories.add_sources(main, tx.memories.sources_of(fact))
    kept = persist.put(tx, main, memory, "updated", actor=actor, reason="merged", change=change)
    return Merged(kept, tuple(fact.id for fact in doubles))


def _first_start(facts: Sequence[StoredMemory]) -> datetime | None:
    """Since when what stands for all of them holds; None where it is not known of each."""
    starts = [fact.valid_from for fact in facts if fact.valid_from is not None]
    return min(starts) if len(starts) == len(facts) else None


def _last_end(facts: Sequence[StoredMemory]) -> datetime | None:
    ends = [fact.valid_to for fact in facts if fact.valid_to is not None]
    return max(ends) if len(ends) == len(facts) else None


def _find_fact(tx: Tx, scope: Scope, type_: str, key: str, fact_id: int | None) -> StoredMemory | NotFound | Ambiguous:
    """The fact that its id names, or its key: of several, what is of the type that is named; of these, what holds now.

    Where the key has one value, its type tells nothing. Of several that are left, only the id tells which.
    """
    renew(tx, scope.owner)
    if fact_id is None:
        facts = tx.memories.list_with_key(scope, key)
    else:
        named = live_memory(tx, scope, fact_id, "fact")
        facts = [] if named is None or named.key != key else [named]
    of_type = {fact.id for fact in facts if fact.type == type_}
    current = {fact.id for fact in facts if holds(fact, tx.now)}
    for preferred in (current, of_type) if is_single_valued(key) else (of_type, current):
        facts = [fact for fact in facts if fact.id in preferred] or facts
    if len(facts) == 1:
        return facts[0]
    if facts:
        return Ambiguous(tuple(facts))
    return NotFound(
        tuple(fact for fact in tx.memories.list_visible(scope) if fact.key == key or fact.id == fact_id)[:5]
    )


def _is_over(tx: Tx, named: StoredMemory | NotFound | Ambiguous, *, is_named: bool) -> bool:
    """Whether nothing of it holds now; what is to come is meant only where the call named it."""
    if isinstance(named, NotFound):
        return False
    facts = named.memories if isinstance(named, Ambiguous) else (named,)
    return all(is_past(fact, tx.now) if is_named else not holds(fact, tx.now) for fact in facts)


def _add_current(tx: Tx, turn: Turn, scope: Scope, memory: StoredMemory) -> Remembered | Conflict | LimitReached:
    """Keep a value that holds now beside what is only past or to come."""
    facts = rivals(tx, scope, memory)
    memory = before_the_next(memory, standing(tx, turn, facts), tx.now)
    heard = yielding(tx, turn, facts, memory)
    rows = (row for row in known_in(tx, scope, memory) if row not in heard)
    if (rival := merges.told_beside(tx, scope, memory, rows)) is not None:
        return Conflict(rival)
    if (full := no_room(tx, scope, "fact", tx.settings.max_facts)) is not None:
        return full
    change = tx.next_id("change") if heard else None
    give_way(tx, turn, heard, change)
    outcome = add_fresh(tx, turn, memory, change)
    return replaced(outcome, also_known=also_known(tx, turn, scope, outcome.memory))


def _as_past(tx: Tx, turn: Turn, fact: StoredMemory) -> StoredMemory:
    """The old value as it is past: true until the message at the latest, or until now if it began after that."""
    spoken_at = said_at(tx, turn)
    until = spoken_at if fact.valid_from is None or fact.valid_from < spoken_at else tx.now
    return replaced(fact, valid_to=until, closed=1, version=1).numbered(tx.next_id("memory"))


def _add_late(
    tx: Tx, turn: Turn, scope: Scope, current: StoredMemory, memory: StoredMemory
) -> Changed | Remembered | Conflict:
    """Keep as past what was said before the value that holds now was, as if it had been told in order."""
    known = (row for row in persist.in_slots(tx, memory) if is_same(row, memory))
    if (told := merges.told_beside(tx, scope, memory, known)) is not None:
        return Conflict(told)
    rows = rivals(tx, scope, memory)
    effective = there_at(tx, rows, said_at(tx, turn)) if rows else current
    if effective is None:
        memory = before_the_next(memory, standing(tx, turn, rows), said_at(tx, turn))
    elif effective.canonical == memory.canonical:
        return Changed(persist.put(tx, effective, effective, "confirmed", actor=turn.user_key), effective)
    elif is_told_later(effective, said_at(tx, turn)):
        memory = until_told(memory, effective)
    elif effective.closed:
        return _add_between(tx, turn, scope, effective, memory)
    else:
        return Conflict(effective)
    return Conflict(rival) if (rival := merges.rival_of(tx, memory)) is not None else add_fresh(tx, turn, memory)


def _add_between(
    tx: Tx, turn: Turn, scope: Scope, predecessor: StoredMemory, memory: StoredMemory
) -> Remembered | Conflict:
    """Keep a value that followed a past one sooner than what was known to."""
    cut = narrowed(turn, scope, replaced(predecessor, valid_to=memory.said_at))
    memory = replaced(memory, valid_to=predecessor.valid_to, closed=1, follows=predecessor.id)
    for row in (cut, memory):
        if (rival := merges.rival_of(tx, row)) is not None:
            return Conflict(rival)
    change = tx.next_id("change")
    persist.put(tx, predecessor, cut, "updated", actor=turn.user_key, reason=ENDED, change=change, is_told=False)
    return add_fresh(tx, turn, memory, change)


def _said_last(tx: Tx, turn: Turn, fact: StoredMemory) -> datetime | None:
    """When the value that takes the place of a fact was said: never before that fact, nor after its end."""
    return fact.said_at if is_past(fact, tx.now) else max(said_at(tx, turn), fact.said_at or fact.created_at)


def _both_quotes(old_quote: str | None, new_quote: str | None) -> str | None:
    """The quotes of both, each on lines of its own; the oldest go where they get too long."""
    if old_quote is None or new_quote is None or new_quote in old_quote:
        return old_quote or new_quote
    quotes = f"{old_quote}\n{new_quote}".split("\n")
    while sum(map(len, quotes)) + len(quotes) - 1 > LONGEST_QUOTES and len(quotes) > 1:
        del quotes[0]
    return "\n".join(quotes)
