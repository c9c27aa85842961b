"""Facts that hold for a time: what was, and what is now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Found, LimitReached, NoAccess, Refused
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import narrowed, writing_scope
from zgadka.ops.contradictions import also_known
from zgadka.ops.fact_time import ending_change, is_past, overlap, told_at, told_while_it_held, with_start, with_starts
from zgadka.ops.hearsay import author_of, give_way, gives_way, speaks_of_others, stands_against
from zgadka.ops.merges import whole_said_by
from zgadka.ops.persist import ALWAYS, FOREVER, holds
from zgadka.ops.reindex import renew
from zgadka.ops.remember import New, add_fresh, before_the_next, comes_from_this, confirm_whole, fresh, no_room
from zgadka.ops.sources import said_at
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import DATED, ENDED, SINCE, UNTIL
from zgadka.text.asked_keys import asks_for_past
from zgadka.text.keys import is_single_valued


@dataclass(frozen=True)
class Held:
    """It is kept with its time; undoing one of all these takes back all.

    Attributes:
        changed: Other facts whose time was cut so that only one holds, as they are now.
        previous: What was there before, where it had not been known.
        also_known: What contradicts it, or says the same elsewhere.
    """

    memory: StoredMemory
    changed: tuple[StoredMemory, ...] = ()
    previous: StoredMemory | None = None
    also_known: tuple[StoredMemory, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """Another value holds at the same time where only one can; nothing was changed."""

    memories: tuple[StoredMemory, ...]


@dataclass(frozen=True)
class _Plan:
    """What would be changed.

    Attributes:
        prior: The fact that gets the time; None when a new one is added.
        memory: The fact as it is to be.
        cuts: Other facts, and what is left of them.
        previous: What is added as well, since it held before.
        heard: What only others said, that gives way to it.
    """

    prior: StoredMemory | None
    memory: StoredMemory
    cuts: tuple[tuple[StoredMemory, StoredMemory], ...] = ()
    previous: StoredMemory | None = None
    heard: tuple[StoredMemory, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether it says more than what is known already."""
        times = None if self.prior is None else (self.prior.valid_from, self.prior.valid_to)
        is_dated = times != (self.memory.valid_from, self.memory.valid_to)
        return is_dated or bool(self.cuts or self.previous or self.heard)


def now_first(matches: Iterable[Found], at: datetime) -> list[Found]:
    """The same, with what holds now before what is past or to come."""
    return sorted(matches, key=lambda match: not holds(match.memory, at))


def in_order_of_time(matches: Sequence[Found], at: datetime, query: str) -> list[Found]:
    """The same, with what holds now first; where the question asks for the past, with that first."""
    if asks_for_past(query):
        return sorted(matches, key=lambda match: not is_past(match.memory, at))
    return now_first(matches, at)


def bounds_told(memory: StoredMemory, at: datetime) -> list[tuple[str, datetime]]:
    """The time in which a memory holds, as far as it is known, with the words to tell it by."""
    if memory.valid_from is None and memory.valid_to is None:
        return []
    is_to_come = memory.valid_from is not None and memory.valid_from > at
    until = "until at the latest" if memory.closed else "until"
    bounds = (("from" if is_to_come else "since", memory.valid_from), (until, memory.valid_to))
    return [(word, bound) for word, bound in bounds if bound is not None]


def held_at(tx: Tx, scope: Scope, moment: datetime) -> set[int]:
    """The ids of the facts that held at that moment.

    A value that nobody dated counts from the end of the one that it took the place of.
    """
    facts = tx.memories.list_of_kind(scope, "fact")
    return {fact.id for fact in with_starts(tx, scope.owner, facts) if holds(fact, moment)}


def update_fact_with_temporal(
    tx: Tx, turn: Turn, user_id: int, new: New, previous: str | None
) -> Held | AlreadyKnown | Overlap | LimitReached | NoAccess | Refused:
    """Keep a fact with the time in which it holds.

    What is known of the same value gets the time. Of a single-valued key, the value that holds now ends where the new
    one begins, and one of which no beginning is known begins where a past one ends; values never hold at once.

    Args:
        previous: The value that the new one took the place of.
    """
    if new.valid_from is not None and new.valid_to is not None and new.valid_from >= new.valid_to:
        return Refused("valid_from must be before valid_to")
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    renew(tx, scope.owner)
    undated = replace(new, valid_from=None, valid_to=None)
    if (whole := _whole_of(tx, turn, scope, undated)) is not None:
        is_only_said = previous is None and new == undated
        return confirm_whole(tx, turn, whole, fresh(tx, turn, scope, new)) if is_only_said else Overlap((whole,))
    if previous is not None and (whole := _whole_of(tx, turn, scope, replace(undated, content=previous))) is not None:
        return Overlap((whole,))
    plan = _plan(tx, turn, scope, new, previous)
    if not isinstance(plan, _Plan):
        return plan
    changed = [prior for prior, _ in plan.cuts] + ([plan.prior] if plan.prior is not None and plan.is_new else [])
    if own := tuple(fact for fact in changed if stands_against(tx, turn, fact)):
        return Overlap(own)
    if taken := _taken(tx, turn, scope, plan):
        return Overlap(taken)
    new_facts = [plan.memory if plan.prior is None else None, plan.previous]
    added = sum(fact is not None and not is_past(fact, tx.now) for fact in new_facts)  # the past takes no room
    if added and (full := no_room(tx, scope, "fact", tx.settings.max_facts, added)) is not None:
        return full
    return _apply(tx, turn, scope, plan, _times_told(new))


def date_known(tx: Tx, turn: Turn, user_id: int, new: New) -> AlreadyKnown | None:
    """Give a fact that holds, and is said once more with its beginning, that beginning.

    None: the beginning is not told, nothing of this value holds, or what else is known leaves no room for it.
    """
    scope = writing_scope(tx, turn, user_id)
    if new.valid_from is None or new.key is None or isinstance(scope, NoAccess):
        return None
    stated = fresh(tx, turn, scope, new)
    same = (fact for fact in tx.memories.list_with_key(scope, new.key) if fact.canonical == stated.canonical)
    same = (fact for fact in same if persist.are_compatible(fact.type, stated.type))
    known = next((fact for fact in same if holds(fact, said_at(tx, turn))), None)
    if known is None:
        return None
    outcome = update_fact_with_temporal(tx, turn, user_id, replace(new, valid_to=known.valid_to), None)
    return AlreadyKnown(outcome.memory) if isinstance(outcome, Held | AlreadyKnown) else None


def _taken(tx: Tx, turn: Turn, scope: Scope, plan: _Plan) -> tuple[StoredMemory, ...]:
    """What has the places already that facts would come to, or comes to one with another: said for other readers."""
    changed = [fact.id for fact in (*(prior for prior, _ in plan.cuts), *plan.heard)]
    changed += [] if plan.prior is None else [plan.prior.id]
    memory = plan.memory if plan.prior is None else narrowed(turn, scope, plan.memory)
    rows = [*(cut for _, cut in plan.cuts), *([] if plan.previous is None else [plan.previous]), memory]
    holders = {row.id: row for row in (persist.holder(tx, each) for each in rows) if row is not None}
    by_slot = {persist.slot_of(row): row for row in rows}
    beside = [prior for prior, cut in plan.cuts if by_slot[persist.slot_of(cut)] is not cut]
    return (*(row for id_, row in holders.items() if id_ not in changed), *beside)


def _whole_of(tx: Tx, turn: Turn, scope: Scope, said: New) -> StoredMemory | None:
    """The fact that stands for what is said without any time; its parts have no times of their own."""
    part = fresh(tx, turn, scope, said)
    rows = persist.in_slots(tx, part)
    return whole_said_by(tx, scope, part, rows) if persist.holder_among(rows, part) is None else None


def _plan(tx: Tx, turn: Turn, scope: Scope, new: New, previous: str | None) -> _Plan | Overlap | Refused:
    memory, at = fresh(tx, turn, scope, new), said_at(tx, turn)
    was = None if previous is None else fresh(tx, turn, scope, replace(new, content=previous, valid_from=None))
    if was is not None and was.canonical == memory.canonical:
        return Refused("previous_value must be another value than fact_value")
    is_single = is_single_valued(memory.key or "")
    rows = tx.memories.list_with_key(scope, memory.key or "")
    rows = [row for row in rows if is_single or persist.are_compatible(row.type, memory.type)]
    facts = list(with_starts(tx, scope.owner, rows))
    if not is_single:
        facts = [with_start(fact, [row for row in rows if row.canonical == fact.canonical]) for fact in facts]
    ended = [fact for fact in facts if was is not None and fact.canonical == was.canonical]
    heard = [fact for fact in facts if is_single and gives_way(tx, turn, fact) and fact not in ended]
    heard = [fact for fact in heard if fact.canonical != memory.canonical]
    facts = [fact for fact in facts if fact not in heard]
    rivals = [fact for fact in facts if fact.canonical != memory.canonical]
    the_same = [fact for fact in facts if fact.canonical == memory.canonical]
    by_id = {fact.id: fact for fact in rows}
    later = [fact for fact in the_same if _is_said_later(by_id[fact.id], memory, at)]
    meant = _matching(memory, [fact for fact in the_same if fact not in later], at)
    if len(meant) > 1 or any(_would_end(fact, memory, at) for fact in meant):
        return Overlap(meant)
    prior = meant[0] if meant else None
    if prior is None and _is_untimed(memory):  # what is to come is known as well, and stays
        memory = before_the_next(memory, facts if is_single else the_same, at)
    if prior is None and is_single and memory.valid_to is None:
        memory = _until_told_later(memory, [by_id[rival.id] for rival in rivals], at)
    if prior is not None and speaks_of_others(tx, turn, scope.owner):  # who only repeats it is not its author
        memory = replace(memory, said_by=prior.said_by, excerpt=prior.excerpt)
    is_known = prior is not None and comes_from_this(tx, prior)
    memory = _with_time(
        memory, prior, facts if is_single else the_same, at=at, replaces=was is not None, is_known=is_known
    )
    if memory.valid_from is not None and memory.valid_from >= (memory.valid_to or FOREVER):  # nothing is left of it
        return Overlap(tuple(fact for fact in facts if fact.valid_to == memory.valid_to))
    others = [fact for fact in the_same if fact != prior and fact not in later]
    if overlapping := tuple(fact for fact in others if overlap(fact, memory)):
        return Overlap(overlapping)
    plan = _Plan(prior, memory)
    if was is not None:
        dated = memory if is_single or new.valid_from is not None else replace(memory, valid_from=None)
        since = dated.valid_from or (at if _outlasts(memory, at) else None)
        if since is None:
            return Refused("give valid_from as well: it is when previous_value ended")
        until = {"valid_to": since, "closed": int(new.valid_from is None)}
        there = [fact for fact in ended if not _is_said_later(by_id[fact.id], replace(was, valid_to=since), at)]
        cuts = tuple((fact, _own(tx, turn, replace(fact, **until))) for fact in there if fact.valid_to is None)
        if any((fact.valid_from or ALWAYS) >= since for fact, _ in cuts):
            return Overlap(tuple(fact for fact, _ in cuts))
        was = replace(was, valid_from=_latest_end(facts, since) if is_single else None, **until)
        plan = _Plan(prior, memory, cuts, None if there else was)
    plan = _make_room(tx, turn, scope, plan, rivals if is_single else [], by_id, at=at, is_told=was is not None)
    if isinstance(plan, Overlap):
        return plan
    new_facts = [fact for fact in (plan.memory, plan.previous) if fact is not None]
    contradicted = {
        fact.id: by_id[fact.id]
        for fact, new_fact in product(heard, new_facts)
        if overlap(fact, _said_of(new_fact, at)) and not _counts_from(by_id[fact.id], new_fact)
    }
    plan = replace(plan, heard=tuple(contradicted.values()))
    # What follows nothing would else count from ever.
    return _as_dated(plan, by_id, new.valid_from if is_single or was is not None else memory.valid_from)


def _as_dated(plan: _Plan, rows: Mapping[int, StoredMemory], since: datetime | None) -> _Plan:
    """The plan with a beginning only where it was said or is changed, not where it was counted.

    Args:
        since: When the value was said to have begun.
    """

    def dated(prior: StoredMemory, memory: StoredMemory) -> tuple[StoredMemory, StoredMemory]:
        row = rows[prior.id]
        return row, replace(memory, valid_from=row.valid_from) if memory.valid_from == prior.valid_from else memory

    cuts = tuple(dated(*cut) for cut in plan.cuts)
    previous = None if plan.previous is None else replace(plan.previous, valid_from=None)
    if plan.prior is None:
        return replace(plan, memory=replace(plan.memory, valid_from=since), cuts=cuts, previous=previous)
    prior, memory = dated(plan.prior, plan.memory)
    return _Plan(prior, memory, cuts, previous, plan.heard)


def _until_told_later(memory: StoredMemory, rivals: Iterable[StoredMemory], at: datetime) -> StoredMemory:
    """A value as it is past where another was said later to hold: until that began, or was told at the latest."""
    later = [rival for rival in rivals if (told_while_it_held(rival) or at) > at]
    begins = [begun for rival in later if (begun := rival.valid_from or told_at(rival)) > (memory.valid_from or at)]
    return replace(memory, valid_to=min(begins), closed=1) if begins else memory


def _own(tx: Tx, turn: Turn, fact: StoredMemory) -> StoredMemory:
    """The fact as the person's own word, where they say it of themselves and only others had."""
    return replace(fact, said_by=author_of(tx, turn, fact.owner)) if gives_way(tx, turn, fact) else fact


def _said_of(memory: StoredMemory, at: datetime) -> StoredMemory:
    """A value at the time that was spoken of: if nobody said since when, its last moment, or from now on."""
    last_moment = at if memory.valid_to is None else memory.valid_to - timedelta.resolution
    return replace(memory, valid_from=memory.valid_from or last_moment)


def _matching(memory: StoredMemory, facts: Sequence[StoredMemory], at: datetime) -> tuple[StoredMemory, ...]:
    """Those facts of the same value that this one speaks of; without any time, of the one that still holds."""
    if _is_untimed(memory):
        return tuple(fact for fact in facts if holds(fact, at))
    return tuple(fact for fact in facts if overlap(fact, memory))


def _with_time(
    memory: StoredMemory,
    prior: StoredMemory | None,
    rivals: Iterable[StoredMemory],
    *,
    at: datetime,
    replaces: bool,
    is_known: bool,
) -> StoredMemory:
    """The fact as it is to be kept: a beginning that was not said is now, or where an earlier value ended.

    What was known already took its predecessor's place before it was first said.

    Args:
        is_known: Whether it is known from the very message that says it again.
    """
    if prior is not None:
        ends = prior.valid_to if _is_untimed(memory) else memory.valid_to
        began = prior.created_at if replaces and prior.created_at < (ends or FOREVER) else None
        return replace(
            prior,
            valid_from=memory.valid_from or prior.valid_from or began,
            valid_to=ends,
            closed=prior.closed if ends == prior.valid_to else 0,
            confidence=max(memory.confidence, prior.confidence),
            evidence=prior.evidence + (not is_known),
            excerpt=memory.excerpt or prior.excerpt,
            said_by=memory.said_by,
            chat=memory.chat if memory.chat == prior.chat else None,
        )
    if memory.valid_from is not None:
        return memory
    if _outlasts(memory, at) and (replaces or any(_outlasts(rival, at) for rival in rivals)):
        return replace(memory, valid_from=at)
    return replace(memory, valid_from=_latest_end(rivals, memory.valid_to))


def _make_room(
    tx: Tx,
    turn: Turn,
    scope: Scope,
    plan: _Plan,
    rivals: Iterable[StoredMemory],
    rows: Mapping[int, StoredMemory],
    *,
    at: datetime,
    is_told: bool,
) -> _Plan | Overlap:
    """The plan with the other values cut so that one holds at any time; where that cannot be, those in the way.

    Args:
        rows: The other values as they are kept, by id; `rivals` begin where they count from.
        is_told: Which value was there before; then no other one makes room.
    """
    memory, cuts = plan.memory, dict(plan.cuts)
    clashes: list[StoredMemory] = []
    for rival in rivals:
        remaining = cuts.get(rival, rival)
        row = rows[rival.id]
        if plan.previous is not None and overlap(remaining, plan.previous) and not _counts_from(row, plan.previous):
            clashes.append(rival)
        elif overlap(remaining, memory) and not _counts_from(row, memory):
            room = _cut(rival, memory, at, is_known_end=not rival.closed and ending_change(tx, rival) is None)
            if room is None or (is_told and rival.valid_to is None and _outlasts(memory, at)):
                clashes.append(rival)
            else:
                cuts[rival] = room
    cuts = {rival: narrowed(turn, scope, cut) for rival, cut in cuts.items()}
    clashes += [holder for cut in cuts.values() if (holder := persist.holder(tx, cut)) is not None]
    return Overlap(tuple(clashes)) if clashes else replace(plan, cuts=tuple(cuts.items()))


def _counts_from(row: StoredMemory, memory: StoredMemory) -> bool:
    """Whether a value that nobody dated was said after the other had ended: it counts from that end, if it is later."""
    if row.valid_from is not None or memory.valid_to is None or memory.valid_to >= (row.valid_to or FOREVER):
        return False
    return memory.valid_to <= told_at(row)


def _would_end(fact: StoredMemory, memory: StoredMemory, at: datetime) -> bool:
    """Whether what is told now would end what was said later, and to hold after that."""
    told = told_while_it_held(fact)
    return told is not None and told > at and memory.valid_to is not None and memory.valid_to <= told


def _is_said_later(row: StoredMemory, memory: StoredMemory, at: datetime) -> bool:
    """Whether the same value was said to hold after all that is told now, at a time when that had ended."""
    return told_at(row) > at and _counts_from(row, memory)


def _cut(rival: StoredMemory, memory: StoredMemory, at: datetime, *, is_known_end: bool) -> StoredMemory | None:
    """The other value with its time cut so that this one fits; None when that would contradict what was said.

    Args:
        is_known_end: False: by its `valid_to` at the latest the other had ended, and perhaps before.
    """
    began, ended = memory.valid_from, memory.valid_to
    gives_way = rival.valid_to is None and _outlasts(memory, at)
    if rival.valid_to is not None and not is_known_end:
        gives_way = (ended or FOREVER) >= rival.valid_to
    gives_way &= told_at(rival) <= max(at, began or at)  # what was said before ends nothing that was said later
    if began is not None and (rival.valid_from or ALWAYS) < began and gives_way:
        return replace(rival, valid_to=began, closed=1)
    return None


def _times_told(new: New) -> str | None:
    """What the trail says of which times were told; None: none were."""
    told = (new.valid_from is not None, new.valid_to is not None)
    return {(True, True): DATED, (True, False): SINCE, (False, True): UNTIL}.get(told)


def _apply(tx: Tx, turn: Turn, scope: Scope, plan: _Plan, told: str | None) -> Held | AlreadyKnown:
    prior, memory, actor = plan.prior, plan.memory, turn.user_key
    if prior is not None and not plan.is_new:
        return AlreadyKnown(persist.put(tx, prior, memory, "confirmed", actor=actor, reason=told))
    change = tx.next_id("change")
    # Slots are given up before they are taken: only one value of a single-valued key is without an end.
    give_way(tx, turn, plan.heard, change)
    changed = tuple(persist.put(tx, *cut, "updated", actor=actor, reason=ENDED, change=change) for cut in plan.cuts)
    previous = None if plan.previous is None else add_fresh(tx, turn, plan.previous, change).memory
    ended = [fact.id for fact in (*changed, previous) if fact is not None and fact.valid_to is not None]
    if memory.follows is None and ended:
        memory = replace(memory, follows=ended[-1])
    if prior is None:
        memory = add_fresh(tx, turn, memory, change).memory
    else:
        memory = narrowed(turn, scope, memory)
        memory = persist.put(tx, prior, memory, "updated", actor=actor, reason=told, change=change)
    return Held(memory, changed, previous, also_known(tx, turn, scope, memory))


def _latest_end(facts: Iterable[StoredMemory], until: datetime | None) -> datetime | None:
    ends = [fact.valid_to for fact in facts if fact.valid_to is not None and fact.valid_to <= (until or FOREVER)]
    return max(ends, default=None)


def _is_untimed(memory: StoredMemory) -> bool:
    return memory.valid_from is None and memory.valid_to is None


def _outlasts(memory: StoredMemory, at: datetime) -> bool:
    return memory.valid_to is None or memory.valid_to > at
