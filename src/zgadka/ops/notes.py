"""Long-term notes: about one person, or about a space as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, NotFound, Remembered
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.people import Ambiguity, resolve
from zgadka.ops.remember import New, remember_in
from zgadka.ops.scopes import (
    changing_scope,
    communal_scope,
    ensure_space,
    may_change_communal,
    person_named,
    privacy_of,
)
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical


@dataclass(frozen=True)
class Unusable:
    """The note cannot be where it was to be; `status` is the last part of the tool's status."""

    status: str
    reason: str
    candidates: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Deleted:
    """The note is gone; `memory` is what it was."""

    memory: StoredMemory


def create(
    tx: Tx, turn: Turn, content: str, target: str | None
) -> Remembered | AlreadyKnown | Conflict | LimitReached | NoAccess | Unusable:
    """Keep a note about the target, or about the space when there is no target.

    A bridge user is not a person here, so a note about one becomes a note of the space.
    """
    member = None if target is None else _target(tx, turn, target)
    if isinstance(member, Unusable):
        return member
    ensure_space(tx, turn)
    scope = _space_scope(tx, turn) if member is None or member.kind == "bridge" else _personal(tx, turn, member)
    if not isinstance(scope, Scope):
        return scope
    return remember_in(tx, turn, scope, New(content=content), limit=tx.settings.notes_per_owner)


def update(
    tx: Tx, turn: Turn, memory_id: int, content: str, target: str | None
) -> Changed | NotFound | Conflict | NoAccess | Unusable:
    """Replace the text of a note."""
    scope = _scope_of(tx, turn, target, _personal)
    if not isinstance(scope, Scope):
        return scope
    before = _note(tx, scope, memory_id)
    if before is None:
        return NotFound()
    memory = replace(before, content=content, canonical=canonical(content), said_by=turn.user_name)
    other = keep.holder(tx, memory)
    if other is not None:
        return Conflict(other)
    return Changed(keep.put(tx, before, memory, "updated", actor=turn.user_name), before)


def delete(tx: Tx, turn: Turn, memory_id: int, target: str | None) -> Deleted | NotFound | NoAccess | Unusable:
    """Delete a note; allowed at every privacy level, and also about people who left."""
    scope = _scope_of(tx, turn, target, _personal_at_any_level)
    if not isinstance(scope, Scope):
        return scope
    memory = _note(tx, scope, memory_id)
    if memory is None:
        return NotFound()
    keep.remove(tx, memory, "deleted", actor=turn.user_name, reason="update_long_term_memory")
    return Deleted(memory)


def _space_scope(tx: Tx, turn: Turn) -> Scope | Unusable:
    if not may_change_communal(tx, turn):
        return Unusable("not_allowed", "this person may not change what belongs to the space")
    return communal_scope(tx, turn)


def _scope_of(
    tx: Tx, turn: Turn, target: str | None, personal: Callable[[Tx, Turn, Member], Scope | NoAccess | Unusable]
) -> Scope | NoAccess | Unusable:
    """Where the target's notes are, or the space's without a target; a bridge user has none."""
    if target is None:
        return _space_scope(tx, turn)
    member = _target(tx, turn, target)
    if isinstance(member, Unusable):
        return member
    if member.kind == "bridge":
        return Unusable("invalid_scope", "bridge users have no personal memories; leave target_user out")
    return personal(tx, turn, member)


def _personal(tx: Tx, turn: Turn, member: Member) -> Scope | NoAccess | Unusable:
    """Where a note about the member may be written: they must be here, and want to be remembered."""
    person = tx.ensure_owner("person", turn.platform, member.user)
    if privacy_of(tx, person) is not PrivacyLevel.MINIMAL:
        return NoAccess(member.number, "this person does not want to be remembered", "privacy_restricted")
    if member.left_at is not None or (turn.direct and member.user != turn.user_name):
        return Unusable("invalid_scope", "this person is not here")
    return changing_scope(tx, turn, person, member.number)


def _personal_at_any_level(tx: Tx, turn: Turn, member: Member) -> Scope | NoAccess:
    return changing_scope(tx, turn, person_named(tx, turn, member.user), member.number)


def _target(tx: Tx, turn: Turn, name: str) -> Member | Unusable:
    found = resolve(tx, turn, name)
    if found is None:
        return Unusable("user_not_found", f"nobody here is called {name!r}")
    if isinstance(found, Ambiguity):
        return Unusable("ambiguous_user", f"several people here are called {name!r}", found.candidates)
    if found.kind == "bot":
        return Unusable("invalid_target", "nothing personal is remembered about the bot itself")
    return found


def _note(tx: Tx, scope: Scope, memory_id: int) -> StoredMemory | None:
    memory = tx.memory(scope.owner, memory_id)
    if memory is None or memory.archived or memory.kind != "note" or not scope.shows(memory):
        return None
    return memory
