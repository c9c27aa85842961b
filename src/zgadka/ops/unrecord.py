"""Remove a message that was deleted on its platform, or that its person wants to be rid of, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zgadka.model.memory import StoredMemory
from zgadka.model.task import Task
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import find_space, refuse_others_message
from zgadka.ops.close_waiting import close, waiting_owners, waiting_with
from zgadka.ops.derived import comes_from, gone_with, hold_again, parts_first, words_from
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.remaining import forget_source, lose
from zgadka.ops.retelling import retelling
from zgadka.ops.withhold import Removal, withhold_in, withhold_message
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import storable

UNRECORD = "unrecord"
_DELETED_THERE = "its source was deleted on the platform"


def unrecord(tx: Tx, turn: Turn, grant: Grant | None = None) -> bool:
    """Remove the person's message that the platform calls `turn.message`; False when it is not there.

    What was made from it alone goes with it, as if its author had wished so; what other messages say too loses it as a
    source, and its quote. Episodes made from it are told nobody; questions and waiting calls from it are closed.

    Raises:
        NotAllowed: It is another's, whom whoever asks may not act for.
    """
    space = find_space(tx, turn)
    said = tx.messages.find_said(space, turn)
    if said is None:
        return False
    person, _ = tx.messages.authors(space, [said.id])[said.id]
    refuse_others_message(tx, turn, person, grant)
    remove_message(tx, person, space, said.id, reason=_DELETED_THERE)
    return True


def remove_unwanted(
    tx: Tx, person: int, space: int, message: int, *, reason: str, keeps_memories: bool = False
) -> None:
    """Remove one of a person's messages that the platform has still: whatever it is edited to is not kept either.

    Args:
        keeps_memories: As for `remove_message`.
    """
    name = tx.messages.name(space, message)
    if name is not None:
        tx.forgotten_values.add_unwanted(person, space, *name)
    remove_message(tx, person, space, message, reason=reason, keeps_memories=keeps_memories)


def remove_message(tx: Tx, person: int, space: int, message: int, *, reason: str, keeps_memories: bool = False) -> None:
    """The same as `unrecord` for one of a person's messages.

    It begins with the person's rows, the rest follows in `UNRECORDING`.

    Args:
        keeps_memories: Whether what was made from it alone stays, as where nobody was asked about that.
    """
    text = _text_of(tx, person, space, message)
    if text:
        tx.forgotten_values.add_message(person, space, text)
    payload: dict[str, Any] = {"space": space, "message": message, "change": tx.next_id("change"), "reason": reason}
    payload["keeps_memories"] = keeps_memories
    payload |= waiting_with(tx, person, [], {space: [(message, payload["change"])]})
    _remove(tx, payload, person, person, _let_go(tx, person, payload, person, text))
    tx.tasks.add_follow_up(person, UNRECORD, payload, WAIT)


def _let_go(tx: Tx, owner: int, payload: Mapping[str, Any], author: int, text: str) -> list[StoredMemory]:
    """Let the owner's memories lose a message as a source; returns those that come from it alone."""
    source, actor = (payload["space"], payload["message"]), tx.owners.get(author).name
    rows = tx.memories.get_many(owner, tx.memories.made_from(owner, *source))
    alone: dict[int, StoredMemory] = {}
    for memory in parts_first(rows):
        if memory.kind == "episode" or memory.withheld < 0:
            continue
        is_kept = payload["keeps_memories"] and comes_from(tx, memory, source)
        if not payload["keeps_memories"]:
            alone |= {row.id: row for row in gone_with(tx, memory, source, alone)}
        if memory.id in alone:
            continue
        said = text or words_from(tx, memory, source)
        is_quoted = any(storable(quote) in said for quote in (memory.excerpt or "").splitlines())
        left = persist.unquote(tx, memory) if is_quoted else memory
        if is_kept:
            tx.memories.remove_source(left, *source)
        elif payload["keeps_memories"]:
            forget_source(tx, left, source, actor=actor)
        else:
            lose(tx, left, source, actor=actor, reason=payload["reason"])
    return [*alone.values()]


def _remove(tx: Tx, payload: Mapping[str, Any], author: int, owner: int, alone: Sequence[StoredMemory]) -> None:
    """Remove an owner's memories with the message that they come from; what stood behind them holds again."""
    if not alone:
        return
    source, actor = (payload["space"], payload["message"]), tx.owners.get(author).name
    # Of another person, only what was retold from it: their own words are theirs.
    person = owner if tx.owners.get(owner).kind == "person" else author
    changes = {memory: tx.next_id("change") for memory in alone}
    removal, own_words = Removal("deleted", actor, payload["reason"]), person == author
    withhold_in(tx, person, owner, {source[0]}, changes, removal=removal, own_words=own_words, message=source)
    gone = [memory.id for memory in alone]
    for memory, change in changes.items():
        hold_again(tx, memory, but=gone, actor=actor, change=change)


def _text_of(tx: Tx, person: int, space: int, message: int) -> str:
    """What a person's message says, though it may be told nobody; empty where it is gone."""
    rows = tx.messages.list_with_person(space, person, 1, before=message + 1)
    return next((row.text for row in rows if row.id == message), "")


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    space, message = task.payload["space"], task.payload["message"]
    others = {*tx.memories.owners_made_from(space, message), *waiting_owners(task)} - {space}
    return [*sorted(others), space]  # last the message: by its text, quotes of it are known


def _unrecord_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Remove what another owner's rows hold of it."""
    if not tx.tasks.is_open(task, holding=owner):
        return {}
    space, message, change = (task.payload[name] for name in ("space", "message", "change"))
    text = _text_of(tx, task.owner, space, message)
    _remove(tx, task.payload, task.owner, owner, _let_go(tx, owner, task.payload, task.owner, text))
    close(tx, task, owner)
    if owner == space:
        withhold_message(tx, space, message, change)
        for answer in retelling(tx, task.owner, (space, message), text):
            withhold_message(tx, space, answer, change)
        tx.messages.delete(space, message)
    return {}


UNRECORDING = Spread(_owners, _unrecord_in, end)
