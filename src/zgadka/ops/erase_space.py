"""Erase a space: by an operator, or some days after the program was removed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from zgadka.model.export_records import EventLine
from zgadka.model.memory import Owner
from zgadka.model.task import Task
from zgadka.ops.access import note_level_in
from zgadka.ops.erase import MESSAGES
from zgadka.ops.multi_owner_saga import Spread
from zgadka.ops.space_traces import ERASE_SPACE, leave_going, owners_with_traces, questions_from, unfinished
from zgadka.stores.tx import Tx


def note_removal(tx: Tx, platform: str, space: str, *, is_gone: bool) -> None:
    """Take note that the program was removed from a space, or is there again."""
    owner = _named(tx, platform, space)
    if owner is not None:
        (tx.erasure.note_removal if is_gone else tx.erasure.end_removal)(owner.id)


def spaces_to_erase(tx: Tx) -> list[tuple[str, str]]:
    """Platform and name of the spaces from which the program was removed more than `space_days` days ago."""
    if not tx.settings.space_days:
        return []
    owners = map(tx.owners.get, tx.erasure.removed_before(tx.now - timedelta(days=tx.settings.space_days)))
    return [(owner.platform, owner.name) for owner in owners]


def erase_space(tx: Tx, platform: str, space: str) -> bool:
    """Begin to remove all that is remembered in a space and seen nowhere else; False when it is not known.

    Messages, notes, episodes, relations and members go, and what is remembered of people there alone; what they have
    shared stays theirs. The caller then has to make the store give up the bytes.
    """
    owner = _named(tx, platform, space)
    if owner is None:
        return False
    leave_going(tx, owner.id, ERASE_SPACE, {})
    return True


def _named(tx: Tx, platform: str, space: str) -> Owner | None:
    """The space that has this name; not one that another became part of."""
    owner = tx.owners.find("space", platform, space)
    named = None if owner is None else tx.owners.get(owner)
    return named if named is not None and named.name == space else None


def _parts(tx: Tx, task: Task) -> Sequence[int | None]:
    """The other owners; once there is none, None for each slice of the space's messages."""
    if not tx.tasks.is_open(task):
        return []
    return owners_with_traces(tx, task) or [None] * (tx.erasure.count_messages(task.owner) // MESSAGES)


def _erase_part(tx: Tx, task: Task, owner: int | None) -> Mapping[str, int]:
    """Remove what is remembered of a person in the space alone, with what it was, and what they were asked there."""
    if not tx.tasks.is_open(task, holding=task.owner if owner is None else owner):
        return {}
    if owner is None:
        tx.erasure.erase_messages(task.owner, MESSAGES)
        return {}
    count = 0
    for memory in tx.memories.list_all(owner):
        if memory.space == task.owner:
            tx.memories.delete(memory)
            tx.audit.delete(owner, memory.id)
            count += 1
    trails = {
        event.memory
        for event in tx.transfer.read(EventLine, owner)
        if event.before is not None and event.before.space == task.owner
    }
    for memory_id in trails:
        if tx.memories.get(owner, memory_id) is None:
            tx.audit.delete(owner, memory_id)
        else:
            tx.audit.delete_texts(owner, memory_id)
    tx.erasure.erase_sources(owner, task.owner)
    for question in questions_from(tx, owner, task.owner):
        tx.questions.delete(owner, question.id)
    return {"personal": count}


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Remove the space's own rows."""
    if not tx.tasks.is_open(task, holding=task.owner):
        return {}
    if owners_with_traces(tx, task) or unfinished(tx, task.owner, task):  # somebody did something meanwhile
        return None
    if tx.erasure.count_messages(task.owner) > MESSAGES:
        return None
    for person in tx.members.list_restricted(task.owner):
        note_level_in(tx, person, task.owner)
    memories = tx.memories.list_all(task.owner)
    for memory in memories:
        tx.memories.delete(memory)
    tx.erasure.erase_space(task.owner)
    tx.erasure.note_erasure()
    return {"communal": len(memories)}


ERASING_SPACE = Spread(_parts, _erase_part, _end)
