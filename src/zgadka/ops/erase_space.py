"""Erase a space: by an operator, or some days after the program was removed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.memory import Owner, StoredMemory
from zgadka.model.task import Task
from zgadka.ops import merges, persist
from zgadka.ops.access import direct_chat, note_level_in
from zgadka.ops.erase import MESSAGES
from zgadka.ops.multi_owner_saga import Spread
from zgadka.ops.space_traces import ERASE_SPACE, leave_going, owners_with_traces, questions_from, unfinished
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words


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
    shared stays theirs, without its past there, and what they took there from their direct chat goes back. The caller
    then has to make the store give up the bytes.
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
    direct, count = direct_chat(tx, owner), 0
    for memory in tx.memories.list_all(owner):
        if memory.space == task.owner and not _go_home(tx, memory, direct):
            tx.memories.delete(memory)
            tx.audit.delete(owner, memory.id)
            count += 1
    for memory_id in {memory for memory, space in tx.audit.places(owner) if space == task.owner}:
        memory = tx.memories.get(owner, memory_id)
        if memory is None:
            tx.audit.delete(owner, memory_id)
        else:
            _forget_past_in(tx, memory, task.owner)
    tx.erasure.erase_sources(owner, task.owner)
    for question in questions_from(tx, owner, task.owner):
        tx.questions.delete(owner, question.id)
    return {"personal": count}


def _forget_past_in(tx: Tx, memory: StoredMemory, space: int) -> None:
    """Let what was shared not say where it was before; its trail loses its texts."""
    states = [event.before for event in tx.audit.history(memory.owner, memory.id)]
    if memory.chat is not None and any(state and (state.space, state.chat) == (space, memory.chat) for state in states):
        placeless = replace(memory, chat=None)
        words = index_words(memory.searchable)
        tx.memories.replace(memory, placeless, slot=persist.slot_of(placeless), words=words)
    tx.audit.delete_texts(memory.owner, memory.id)


def _go_home(tx: Tx, memory: StoredMemory, direct: int | None) -> bool:
    """Let a memory be seen in its person's direct chat again, if it says what it said when it came from there."""
    states = [event.before for event in tx.audit.history(memory.owner, memory.id)]
    former = next((state for state in reversed(states) if state is not None and state.space == direct), None)
    if former is None or (former.key, former.content) != (memory.key, memory.content):
        return False
    at_home = replace(memory, space=former.space, chat=former.chat, audience=former.audience, excerpt=former.excerpt)
    if not memory.archived and merges.rival_of(tx, at_home) is not None:
        return False
    tx.memories.replace(memory, at_home, slot=persist.slot_of(at_home), words=index_words(at_home.searchable))
    return True


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Remove the space's own rows."""
    if not tx.tasks.is_open(task, holding=task.owner):
        return {}
    if owners_with_traces(tx, task, since=task.created_at) or unfinished(tx, task.owner, task):
        return None  # somebody did something meanwhile
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
