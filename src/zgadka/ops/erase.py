"""Erase a person: every trace of them, in every owner's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.model.memory import EVERYWHERE
from zgadka.model.notice import Notice
from zgadka.model.task import Task
from zgadka.model.turn import Turn, person_number
from zgadka.ops.profile import Profile, in_space, take_out
from zgadka.ops.scopes import person_named
from zgadka.ops.spread import WAIT, Spread
from zgadka.ops.tokens import forget_person
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

ERASE = "erase"

COUNTED = (
    *("facts", "notes", "episodes", "relations", "shared_episodes", "messages", "questions", "tasks", "audit_lines"),
    "memberships",
)
"""What a receipt counts."""


@dataclass(frozen=True)
class Receipt:
    """What was erased, in numbers only.

    Attributes:
        counts: Rows removed, by what they were.
        scrubbed: Whether the journal is clean as well; False: another process is reading it, it will be tried again.
    """

    erased_at: datetime
    counts: dict[str, int]
    scrubbed: bool = False


def erase(tx: Tx, turn: Turn) -> datetime:
    """Begin to remove every trace of the speaker: memories, messages, questions, names and texts in the audit trail.

    The rest follows in `ERASING`. The caller then has to make the store give up the bytes (`Store.scrub`).
    """
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    # By which they are known goes with the first parts, and may be looked for in the last.
    payload = {"platform": turn.platform, "name": turn.user_name, "names": sorted(_names(tx, turn))}
    tx.leave_task(person, ERASE, payload, WAIT)
    return tx.now


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return tx.owners_with_traces(task.payload["platform"], task.owner, task.payload["name"])


def _erase_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Remove the traces of the person in the rows of another owner."""
    if not tx.is_undone(task):  # somebody else ended it: who goes by this name now came back
        return {}
    tx.drop_observations_of(owner, task.owner)
    if not tx.is_undone(task):  # again: from here on nobody else changes these rows, and before that somebody may have
        return {}
    platform, name = task.payload["platform"], task.payload["name"]
    tasks = tx.drop_tasks_about(owner, task.owner, person_number(platform, name))
    found = in_space(tx, owner, task.owner)
    for memory in found.own:
        tx.remove_memory(memory)
        tx.remove_events(owner, memory.id)
    for memory in found.shared:
        take_out(tx, memory, task.owner, actor=name, change=None)
    _remove_once_with(tx, owner, task.owner, task.payload["names"])
    counts = Counter(found.counts)
    counts.update(shared_episodes=len(found.shared), tasks=tasks)
    counts.update(tx.erase_traces(owner, task.owner, name))
    if owner == tx.find_owner("direct", platform, name):  # what belongs to their direct chat belongs to nobody else
        for memory in tx.all_memories(owner):
            tx.remove_memory(memory)
        tx.erase_space(owner)
    tx.notices.clear()
    return counts


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Remove the person's own rows, once nobody else's tell of them."""
    if not tx.is_undone(task):
        return {}
    memories = tx.all_memories(task.owner)  # whoever ended it meanwhile took the person's row, without which this fails
    if _owners(tx, task):  # they spoke meanwhile
        return None
    for memory in memories:
        tx.remove_memory(memory)
    counts = Counter(Profile(tuple(memories), ()).counts)
    counts.update(tx.erase_person(task.owner))
    forget_person(tx, task.payload["platform"], task.payload["name"])
    tx.notices[:] = [
        Notice(
            what="erased",
            owner=task.owner,
            memory=0,
            kind=None,
            personal=True,
            space=EVERYWHERE,
            actor=task.payload["name"],
            preview="",
        )
    ]
    return counts


ERASING = Spread(_owners, _erase_in, _end)


def _remove_once_with(tx: Tx, owner: int, person: int, names: Collection[str]) -> None:
    """Remove the trails that say that the person was in a memory, and the memories that still name them."""
    for memory_id in tx.once_with_person(owner, person):
        memory = tx.memory(owner, memory_id)
        if memory is not None and {canonical(word) for word in memory.searchable.split()} & set(names):
            tx.remove_memory(memory)
        tx.remove_events(owner, memory_id)


def _names(tx: Tx, turn: Turn) -> set[str]:
    person = person_named(tx, turn, turn.user_name)
    members = [member for space in tx.spaces_of(turn.platform, person) if (member := tx.member(space, person))]
    words = [word for member in members for name in (member.name, member.nickname) if name for word in name.split()]
    return {canonical(word) for word in (*words, turn.user_name) if word.strip()}
