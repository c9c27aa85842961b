"""Long-term notes: about one person, or about a space as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, NotFound, Remembered
from zgadka.model.people import Member
from zgadka.model.turn import REQUEST, Turn
from zgadka.ops import persist, withhold
from zgadka.ops.access import (
    changing_scope,
    communal_scope,
    ensure_space,
    ensure_speaker,
    find_space,
    hidden,
    is_remembered,
    live_memory,
    may_change_communal,
    narrowed,
    person_named,
    refuse_invisible,
    refuse_others,
    space_scope,
    speaker_of,
)
from zgadka.ops.forget import Answer, answer_to_deletion
from zgadka.ops.hearsay import author_of
from zgadka.ops.remember import New, remember_in
from zgadka.ops.resolve_name import Ambiguity, resolve
from zgadka.ops.sources import said_in
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.yes_no import plainly_refuses

_CREATED = "create_long_term_memory"
"""What the trail says of why a note is kept that `create` made."""
_MENTION = re.compile(r"(?:<@!?|tg://user\?id=)(\d+)")
"""How platforms write whom a text names by id."""


@dataclass(frozen=True)
class Unusable:
    """The note cannot be where it was to be; `status` is the last part of the tool's status."""

    status: str
    reason: str
    candidates: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Deletion:
    """What the deletion of a note has come to.

    Attributes:
        answer: `agreed`: the note is gone, and `memory` is what it was; `refused`: it is kept; else the person must
            agree in a later message.
        is_told: Whether the text may be shown: to nobody to whom reading it would not have.
        withheld: How many messages that said it are told nobody any more.
    """

    memory: StoredMemory
    answer: Answer
    is_told: bool
    withheld: int = 0


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
    ensure_speaker(tx, turn)  # in a direct chat it is about them, whatever it says
    scope = _communal(tx, turn) if member is None or member.kind == "bridge" else _personal(tx, turn, member)
    if not isinstance(scope, Scope):
        return scope
    people = _named_by_id(tx, turn, content) if scope.communal else ()
    if isinstance(people, NoAccess):
        return people
    if (refusal := refuse_others(tx, turn, people)) is not None:
        return refusal
    if scope.communal:
        tx.members.mark_present(scope.owner, speaker_of(tx, turn))
    new = New(content=content, people=people)
    return remember_in(tx, turn, scope, new, limit=tx.settings.notes_per_owner, reason=_CREATED)


def update(
    tx: Tx, turn: Turn, memory_id: int, content: str, target: str | None
) -> Changed | NotFound | Conflict | NoAccess | Unusable:
    """Replace the text of a note."""
    ensure_space(tx, turn)
    scope = _scope_of(tx, turn, target)
    if not isinstance(scope, Scope):
        return scope
    note = live_memory(tx, scope, memory_id, "note")
    if note is None or hidden(tx, [note]):
        return NotFound()
    people = _named_by_id(tx, turn, content) if scope.communal else ()
    if isinstance(people, NoAccess):
        return people
    if (refusal := refuse_others(tx, turn, (*note.people, *people))) is not None:
        return refusal
    memory = replace(
        narrowed(turn, scope, note),
        content=content,
        canonical=canonical(content),
        people=people,
        said_by=author_of(tx, turn, scope.owner),
        chat=said_in(turn),
    )
    holder = persist.holder(tx, memory)
    if holder is not None:
        return Conflict(holder)
    if scope.communal:
        tx.members.mark_present(scope.owner, ensure_speaker(tx, turn))
    return Changed(persist.put(tx, note, memory, "updated", actor=turn.user_key), note)


def delete(tx: Tx, turn: Turn, memory_id: int, target: str | None) -> Deletion | NotFound | NoAccess | Unusable:
    """Delete a note of the speaker's own, at every privacy level, or of the space; another person's only they do.

    It asks first unless the note may go at once.
    """
    scope = _scope_of(tx, turn, target, deletes=True)
    if not isinstance(scope, Scope):
        return scope
    # Before it is looked for: that somebody has such a note is theirs to know.
    speaker = speaker_of(tx, turn)
    if not scope.communal and scope.owner != speaker and scope.owner not in tx.consented_by:
        return Unusable("not_confirmed", "only that person can delete a note about them")
    memory = live_memory(tx, scope, memory_id, "note")
    if memory is None:
        return NotFound()
    reading_scope = space_scope(tx, turn) if scope.communal else is_remembered(tx, scope.owner, scope.space)
    is_told = bool(reading_scope) and not isinstance(reading_scope, NoAccess) and not hidden(tx, [memory])
    if (
        not (is_told or turn.direct)
        and scope.communal
        and memory.said_by != turn.user_key
        and speaker not in memory.people
    ):
        return NotFound()
    if (refusal := refuse_others(tx, turn, memory.people)) is not None:
        return refusal if is_told else NotFound()
    has_consented = bool(tx.consented_by & {scope.owner, *memory.people})  # they have seen what goes
    if not (has_consented or _goes_at_once(tx, turn, memory)):
        answer = answer_to_deletion(tx, turn, memory)
        if answer != "agreed":
            return Deletion(memory, answer, is_told)
    withheld = withhold.remove(tx, turn, [memory], reason="update_long_term_memory")
    return Deletion(memory, "agreed", is_told, withheld)


def _goes_at_once(tx: Tx, turn: Turn, note: StoredMemory) -> bool:
    """Whether one call deletes a note: `create` made it, undo brings it back, and the person does not refuse just now.

    Where the host shows each question to its person, it always asks.
    """
    shows_questions = turn.answers is not None and not turn.answers.startswith(REQUEST)
    if not tx.settings.undo_hours or shows_questions or plainly_refuses(turn.text or ""):
        return False
    return is_long_term(tx, note)


def is_long_term(tx: Tx, note: StoredMemory) -> bool:
    """Whether a note is one that `create` made, and not one that a person had remembered."""
    events = reversed(tx.audit.history(note.owner, note.id))
    return next((event.reason for event in events if event.action in ("created", "revived")), None) == _CREATED


def _scope_of(tx: Tx, turn: Turn, target: str | None, *, deletes: bool = False) -> Scope | NoAccess | Unusable:
    """Where the target's notes are, or the space's without a target; a bridge user has none.

    Args:
        deletes: Whether a note is deleted, which may be done at every privacy level.
    """
    if target is None:
        return _communal(tx, turn, deletes=deletes)
    member = _target(tx, turn, target)
    if isinstance(member, Unusable):
        return member
    if member.kind == "bridge":
        return Unusable("invalid_scope", "bridge users have no personal memories; leave target_user out")
    if deletes:
        return changing_scope(tx, turn, person_named(tx, turn, member.user), member.number)
    return _personal(tx, turn, member)


def _communal(tx: Tx, turn: Turn, *, deletes: bool = False) -> Scope | NoAccess | Unusable:
    """Where a note of the space may be changed: by nobody who is invisible to memory, for it would be theirs as well.

    In a direct chat, its person must want to be remembered.
    """
    if not may_change_communal(tx, turn):
        return Unusable("not_allowed", "this person may not change what belongs to the space")
    if deletes:
        return communal_scope(tx, turn)
    return refuse_invisible(tx, turn) or space_scope(tx, turn)


def _named_by_id(tx: Tx, turn: Turn, content: str) -> tuple[int, ...] | NoAccess:
    """The members whom a note of the space names by id: it is about them, so each must want to be remembered."""
    space, people = find_space(tx, turn), list[int]()
    for user in dict.fromkeys(_MENTION.findall(content)) if not turn.direct else ():
        person = person_named(tx, turn, user)
        member = tx.members.get(space, person)
        if member is None or member.kind != "person":
            continue
        if not is_remembered(tx, person, space):
            return NoAccess(member.number, "this person does not want to be remembered", "privacy_restricted")
        people.append(person)
    return tuple(people)


def _personal(tx: Tx, turn: Turn, member: Member) -> Scope | NoAccess | Unusable:
    """Where a note about the member may be written: they must be here, and want to be remembered.

    By nobody else who is invisible to memory.
    """
    person = tx.owners.ensure("person", turn.platform, member.user)
    if member.user != turn.user_key and (refusal := refuse_invisible(tx, turn)) is not None:
        return refusal
    if not is_remembered(tx, person, find_space(tx, turn)):
        return NoAccess(member.number, "this person does not want to be remembered", "privacy_restricted")
    if member.left_at is not None or (turn.direct and member.user != turn.user_key):
        return Unusable("invalid_scope", "this person is not here")
    return changing_scope(tx, turn, person, member.number)


def _target(tx: Tx, turn: Turn, name: str) -> Member | Unusable:
    member = resolve(tx, turn, name)
    if member is None:
        return Unusable("user_not_found", f"nobody here is called {name!r}")
    if isinstance(member, Ambiguity):
        return Unusable("ambiguous_user", f"several people here are called {name!r}", member.candidates)
    if member.kind == "bot":
        return Unusable("invalid_target", "nothing personal is remembered about the bot itself")
    return member
