"""Facts that hold for a time: what was, and what is now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from zgadka.model.heading import Heading
from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, LimitReached, NoAccess, Refused
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.remember import New, add_fresh, fresh
from zgadka.ops.scopes import writing_scope
from zgadka.stores.tx import Tx
from zgadka.text.keys import is_single_valued

_ALWAYS = datetime.min.replace(tzinfo=UTC)
_FOREVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Held:
    """It is kept with its time; undoing one of all these takes back all.

    Attributes:
        changed: Other facts whose time was cut so that only one holds, as they are now.
        previous: What was there before, where it had not been known.
    """

    memory: StoredMemory
    changed: tuple[StoredMemory, ...] = ()
    previous: StoredMemory | None = None


@dataclass(frozen=True)
class Overlap:
    """Another value holds at the same time where only one can; nothing was changed."""

    memories: tuple[StoredMemory, ...]


@dataclass(frozen=True)
class _Plan:
    """What would be changed.

    Attributes:
        before: The fact that gets the time; None when a new one is added.
        memory: The fact as it is to be.
        cuts: Other facts, and what is left of them.
        previous: What is added as well, since it held before.
    """

    before: StoredMemory | None
    memory: StoredMemory
    cuts: tuple[tuple[StoredMemory, StoredMemory], ...] = ()
    previous: StoredMemory | None = None


def holds(memory: StoredMemory | Heading, moment: datetime) -> bool:
    """Whether a memory held at that moment, as far as is known."""
    return (memory.valid_from or _ALWAYS) <= moment < (memory.valid_to or _FOREVER)


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
    plan = _plan(tx, turn, scope, new, previous)
    if not isinstance(plan, _Plan):
        return plan
    count = tx.live_count(scope.owner, scope.lineage, "fact")
    added = (plan.before is None) + (plan.previous is not None)
    if added and count + added > tx.settings.max_facts:
        return LimitReached(count, tx.settings.max_facts)
    return _carried_out(tx, turn, plan)


def _plan(tx: Tx, turn: Turn, scope: Scope, new: New, previous: str | None) -> _Plan | Overlap | Refused:
    memory = fresh(tx, turn, scope, new)
    was = None if previous is None else fresh(tx, turn, scope, replace(new, content=previous, valid_from=None))
    if was is not None and was.canonical == memory.canonical:
        return Refused("previous_value must be another value than fact_value")
    known = tx.with_key(scope, memory.type or "", memory.key or "")
    others = [one for one in known if one.canonical != memory.canonical]
    the_same = [one for one in known if one.canonical == memory.canonical]
    is_single = is_single_valued(memory.key or "")
    meant = _meant(memory, the_same, tx.now)
    if len(meant) > 1:
        return Overlap(meant)
    before = meant[0] if meant else None
    memory = _with_time(memory, before, known if is_single else the_same, now=tx.now, replaces=was is not None)
    if memory.valid_from is not None and memory.valid_from >= (memory.valid_to or _FOREVER):  # nothing is left of it
        return Overlap(tuple(one for one in known if one.valid_to == memory.valid_to))
    if again := tuple(one for one in the_same if one != before and _overlap(one, memory)):
        return Overlap(again)
    plan = _Plan(before, memory)
    if was is not None:
        since = memory.valid_from
        if since is None or (new.valid_from is None and not is_single):
            since = tx.now if _outlasts(memory, tx.now) else None
        if since is None:
            return Refused("give valid_from as well: it is when previous_value ended")
        ended = [one for one in others if one.canonical == was.canonical]
        cuts = tuple((one, replace(one, valid_to=since)) for one in ended if one.valid_to is None)
        if any((one.valid_from or _ALWAYS) >= since for one, _ in cuts):
            return Overlap(tuple(one for one, _ in cuts))
        began = _latest_end(known, since) if is_single else None
        plan = _Plan(before, memory, cuts, None if ended else replace(was, valid_from=began, valid_to=since))
    return _with_room(tx, plan, others if is_single else [], is_told=was is not None)


def _meant(memory: StoredMemory, known: Sequence[StoredMemory], now: datetime) -> tuple[StoredMemory, ...]:
    """Those facts of the same value that this one speaks of; without any time, of the one that still holds."""
    if _is_untimed(memory):
        return tuple(one for one in known if one.valid_to is None) or tuple(one for one in known if holds(one, now))
    return tuple(one for one in known if _overlap(one, memory))


def _with_time(
    memory: StoredMemory, before: StoredMemory | None, rivals: Iterable[StoredMemory], *, now: datetime, replaces: bool
) -> StoredMemory:
    """The fact as it is to be kept: a beginning that was not said is now, or where an earlier value ended.

    What was known already took its predecessor's place before it was first said.
    """
    if before is not None:
        ends = before.valid_to if _is_untimed(memory) else memory.valid_to
        began = before.created_at if replaces and before.created_at < (ends or _FOREVER) else None
        return replace(
            before,
            valid_from=memory.valid_from or before.valid_from or began,
            valid_to=ends,
            confidence=max(memory.confidence, before.confidence),
            evidence=before.evidence + 1,
            excerpt=memory.excerpt or before.excerpt,
            said_by=memory.said_by,
        )
    if memory.valid_from is not None:
        return memory
    if _outlasts(memory, now) and (replaces or any(_outlasts(one, now) for one in rivals)):
        return replace(memory, valid_from=now)
    return replace(memory, valid_from=_latest_end(rivals, memory.valid_to))


def _with_room(tx: Tx, plan: _Plan, rivals: Iterable[StoredMemory], *, is_told: bool) -> _Plan | Overlap:
    """The plan with the other values cut so that one holds at any time; where that cannot be, those in the way.

    Args:
        is_told: Which value was there before; then no other one makes room.
    """
    memory, cuts = plan.memory, dict(plan.cuts)
    clashes: list[StoredMemory] = []
    for other in rivals:
        rest = cuts.get(other, other)
        if plan.previous is not None and _overlap(rest, plan.previous):
            clashes.append(other)
        elif _overlap(rest, memory):
            room = _cut(other, memory, tx.now)
            if room is None or (is_told and other.valid_to is None and _outlasts(memory, tx.now)):
                clashes.append(other)
            else:
                cuts[other] = room
    clashes += [one for cut in cuts.values() if (one := keep.holder(tx, cut)) is not None]
    return Overlap(tuple(clashes)) if clashes else replace(plan, cuts=tuple(cuts.items()))


def _cut(other: StoredMemory, memory: StoredMemory, now: datetime) -> StoredMemory | None:
    """The other value with its time cut so that this one fits; None when that would contradict what was said."""
    began, ended = memory.valid_from, memory.valid_to
    if (
        other.valid_to is None
        and began is not None
        and (other.valid_from or _ALWAYS) < began
        and _outlasts(memory, now)
    ):
        return replace(other, valid_to=began)
    if other.valid_from is None and ended is not None and ended < (other.valid_to or _FOREVER):
        return replace(other, valid_from=ended)
    return None


def _carried_out(tx: Tx, turn: Turn, plan: _Plan) -> Held | AlreadyKnown:
    before, memory, actor = plan.before, plan.memory, turn.user_name
    is_new = before is None or (before.valid_from, before.valid_to) != (memory.valid_from, memory.valid_to)
    if before is not None and not (is_new or plan.cuts or plan.previous):
        return AlreadyKnown(keep.put(tx, before, memory, "confirmed", actor=actor))
    change = tx.next_id("change")
    # Slots are given up before they are taken: only one value of a single-valued key is without an end.
    changed = tuple(keep.put(tx, *cut, "updated", actor=actor, reason="ended", change=change) for cut in plan.cuts)
    if before is None:
        memory = add_fresh(tx, turn, memory, change).memory
    else:
        memory = keep.put(tx, before, memory, "updated", actor=actor, reason="time", change=change)
    previous = None if plan.previous is None else add_fresh(tx, turn, plan.previous, change).memory
    return Held(memory, changed, previous)


def _latest_end(known: Iterable[StoredMemory], until: datetime | None) -> datetime | None:
    ends = [one.valid_to for one in known if one.valid_to is not None and one.valid_to <= (until or _FOREVER)]
    return max(ends, default=None)


def _is_untimed(memory: StoredMemory) -> bool:
    return memory.valid_from is None and memory.valid_to is None


def _overlap(one: StoredMemory, other: StoredMemory) -> bool:
    starts, ends = (one.valid_from or _ALWAYS, other.valid_from or _ALWAYS), (one.valid_to, other.valid_to)
    return max(starts) < min(end or _FOREVER for end in ends)


def _outlasts(memory: StoredMemory, now: datetime) -> bool:
    return memory.valid_to is None or memory.valid_to > now
