"""Take a space into another one: a group that got another id, a channel that was a space of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.model.export_records import EventLine
from zgadka.model.memory import StoredMemory
from zgadka.model.task import Task
from zgadka.ops import persist
from zgadka.ops.multi_owner_saga import WAIT, Spread
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words

MOVE = "move"


@dataclass(frozen=True)
class _Plan:
    """What is moved where; see `move`."""

    space: int
    into: int
    chat: str
    new_chat: str
    thread: str
    readers: Sequence[str]

    def moved(self, tx: Tx, memory: StoredMemory) -> StoredMemory:
        """The memory as it is in the other space."""
        if memory.space != self.space:
            return memory
        owner = self.into if memory.owner == self.space else memory.owner
        chat = memory.chat
        if chat == self.chat:
            chat = self.thread or self.new_chat
        audience = memory.audience or self.audience(tx)
        return replace(memory, owner=owner, space=self.into, chat=chat, audience=audience)

    def audience(self, tx: Tx) -> int:
        """The group of readers there of what was for all who read the space."""
        return tx.audiences.ensure(self.into, self.readers) if self.readers else 0


def move(
    tx: Tx,
    platform: str,
    space: str,
    into: str,
    *,
    chats: tuple[str, str] | None = None,
    thread: str | None = None,
    readers: Sequence[str] = (),
) -> bool:
    """Begin to take a space into another one, new where it was not known; False when there is no such space.

    Members, messages, memories, what waits to be done and the rollout's choices go there. Whoever still uses the old
    name means the other space from then on.

    Args:
        chats: A chat's id there and its new one.
        thread: A thread that is a chat of its own there.
        readers: The names of the groups of readers of what was for the whole space; none: the whole other one.
    """
    source = tx.owners.find("space", platform, space)
    target = tx.owners.ensure("space", platform, into)
    if source is None or source == target:
        return False
    chat, new_chat = chats or ("", "")
    payload = {"into": target, "chat": chat, "new_chat": new_chat, "thread": thread or "", "readers": sorted(readers)}
    tx.tasks.add_follow_up(source, MOVE, payload, WAIT)
    return True


def _plan(task: Task) -> _Plan:
    return _Plan(space=task.owner, **task.payload)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    if not tx.tasks.is_open(task):
        return []
    platform = tx.owners.get(task.owner).platform
    people = {*tx.moving.owners_seen_in(platform, task.owner), *tx.memories.owners_from(platform, task.owner)}
    return sorted(people - {task.owner})


def _move_of(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Let a person's memories be seen in the other space, and what they were."""
    plan = _plan(task)
    if owner != plan.into:
        level = tx.members.level(plan.space, owner)
        if level:  # first: nothing is told there that was hidden here
            tx.members.raise_level(plan.into, owner, level)
        for memory in tx.memories.list_all(owner):
            if memory.space == plan.space:
                _put(tx, memory, plan.moved(tx, memory))
        for event in list(tx.transfer.read(EventLine, owner)):
            if event.before is not None and event.before.space == plan.space:
                tx.audit.set_before(event.memory, event.number, plan.moved(tx, event.before))
    tx.moving.move_sources(owner, plan.space, plan.into)
    return {}


def _put(tx: Tx, memory: StoredMemory, moved: StoredMemory) -> None:
    if not memory.archived and persist.holder(tx, moved) is not None:  # it is known there, or another value is
        persist.hide(tx, moved, "merged", actor=MOVE, reason="another is known in the space that it came to")
        return
    tx.memories.replace(memory, moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Take in what belongs to the space itself, and let it go; both spaces' rows are held, so that nothing is lost."""
    plan = _plan(task)
    if not tx.tasks.is_open(task):
        return {}
    memories = tx.memories.list_all(plan.space)
    if _owners(tx, task):  # somebody remembered something meanwhile
        return None
    space = tx.owners.get(plan.space)
    tx.moving.take_in(
        plan.space,
        plan.into,
        chat=plan.chat,
        new_chat=plan.thread or plan.new_chat or plan.chat,
        thread=plan.thread,
        audience=plan.audience(tx),
    )
    for memory in memories:
        _take_in(tx, plan, memory)
    for event in list(tx.transfer.read(EventLine, plan.space)):
        before = None if event.before is None else plan.moved(tx, event.before)
        number = tx.audit.last_number(plan.into, event.memory) + 1
        tx.transfer.add(replace(event, owner=plan.into, number=number, before=before))
    tx.derived.renew_revisions(plan.into)
    tx.moving.rename(space, plan.into)
    tx.erasure.erase_space(plan.space)
    return {}


def _take_in(tx: Tx, plan: _Plan, memory: StoredMemory) -> None:
    moved = plan.moved(tx, memory)
    sources = tx.memories.sources_of(memory)
    if not moved.archived and persist.holder(tx, moved) is not None:
        moved = replace(moved, archived=True)
    tx.memories.delete(memory)
    tx.memories.add(moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))
    here = [(plan.into if space == plan.space else space, message) for space, message in sources]
    tx.memories.add_sources(moved, here)


MOVING = Spread(_owners, _move_of, _end)
