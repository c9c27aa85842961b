"""Take a space into another one: a group that got another id, a channel that was a space of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.model.export_records import EventLine
from zgadka.model.memory import StoredMemory
from zgadka.model.question import Deletion
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import merges, persist
from zgadka.ops.access import as_told, note_level_in
from zgadka.ops.multi_owner_saga import Spread
from zgadka.ops.space_traces import MOVE, leave_going, owners_with_traces, questions_from, unfinished
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words


@dataclass(frozen=True)
class _Plan:
    """What is moved where; see `move`.

    Attributes:
        name: The other space's.
        audiences: The groups of readers there, by those of the space; 0: all who read it.
    """

    space: int
    into: int
    chat: str
    new_chat: str
    thread: str
    readers: Sequence[str]
    name: str
    audiences: Mapping[int, int]

    def moved(self, memory: StoredMemory) -> StoredMemory:
        """The memory as it is in the other space."""
        if memory.space != self.space:
            return memory
        owner = self.into if memory.owner == self.space else memory.owner
        chat = memory.chat
        if chat == self.chat:
            chat = self.thread or self.new_chat
        audience = self.audiences.get(memory.audience, memory.audience)
        return replace(memory, owner=owner, space=self.into, chat=chat, audience=audience)

    @property
    def chat_there(self) -> str:
        """The chat's id in the other space."""
        return self.thread or self.new_chat or self.chat

    def turn(self, turn: Turn) -> Turn:
        """The turn as it would have been in the other space."""
        turn = replace(turn, space=self.name, audience=turn.readers or tuple(self.readers) or None)
        if self.thread and turn.thread == self.thread:
            return replace(turn, chat=self.thread, thread=None)
        return replace(turn, chat=self.chat_there) if turn.chat == self.chat else turn

    def deletion(self, question: Deletion) -> Deletion:
        """The question as it would have been asked in the other space."""
        if self.thread and question.thread == self.thread:
            return replace(question, space=self.into, chat=self.thread, thread=None)
        chat = self.chat_there if question.chat == self.chat else question.chat
        return replace(question, space=self.into, chat=chat)


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
    """Begin what `Memory.move_space` does, into a space that is new where it was not known.

    Members, messages, memories, what waits to be done and the rollout's choices go there. Whoever still uses the old
    name means the other space from then on.
    """
    source = tx.owners.find("space", platform, space)
    target = tx.owners.ensure("space", platform, into)
    if source is None or source == target:
        return False
    chat, new_chat = chats or ("", "")
    payload = {"into": target, "named": into, "chat": chat, "new_chat": new_chat}
    payload |= {"thread": thread or "", "readers": sorted(readers)}
    leave_going(tx, source, MOVE, payload)
    return True


def _plan(tx: Tx, task: Task) -> _Plan | None:
    """What is moved where; None: the other space became part of this one meanwhile."""
    payload = dict(task.payload)
    into, readers, named = payload.pop("into"), payload["readers"], payload.pop("named", None)
    if not tx.owners.exists(into):
        into = tx.owners.find("space", tx.owners.get(task.owner).platform, named or "")
    if into is None or into == task.owner:
        return None
    audiences = {former: tx.audiences.ensure(into, names) for former, names in tx.audiences.list(task.owner).items()}
    audiences[0] = tx.audiences.ensure(into, readers) if readers else 0
    return _Plan(space=task.owner, into=into, name=tx.owners.get(into).name, audiences=audiences, **payload)


def _move_of(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Let a person's memories be seen in the other space, and what they were; and what was asked, be asked there."""
    if not tx.tasks.is_open(task, holding=owner):
        return {}
    plan = _plan(tx, task)
    if plan is None:
        return {}
    if owner != plan.into:
        level = tx.members.level(plan.space, owner)
        if level:  # first: nothing is told there that was hidden here
            tx.members.raise_level(plan.into, owner, level)
        for memory in tx.memories.list_all(owner):
            if memory.space == plan.space:
                _put(tx, memory, as_told(tx, plan.moved(memory)))
        for event in list(tx.transfer.read(EventLine, owner)):
            if event.before is not None and event.before.space == plan.space:
                tx.audit.set_before(event.memory, event.number, plan.moved(event.before))
    tx.moving.move_sources(owner, plan.space, plan.into)
    for question in questions_from(tx, owner, plan.space):
        if isinstance(question, Deletion):
            tx.questions.delete(owner, question.id)
            tx.questions.put(owner, plan.deletion(question))
        else:
            tx.questions.move(owner, question.id, plan.into, plan.turn(question.turn))
    return {}


def _put(tx: Tx, memory: StoredMemory, moved: StoredMemory) -> None:
    if not memory.archived and merges.rival_of(tx, moved) is not None:  # it is known there, or another value is
        reason = "another is known in the space that it came to"
        persist.hide(tx, moved, "merged", is_told=False, actor=MOVE, reason=reason)
        return
    tx.memories.replace(memory, moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Take in what belongs to the space itself, and let it go; both spaces' rows are held, so that nothing is lost."""
    if not tx.tasks.is_open(task, holding=task.owner):
        return {}
    plan = _plan(tx, task)
    if plan is None:
        tx.tasks.end(task)
        return {}
    if owners_with_traces(tx, task, since=task.created_at) or unfinished(tx, plan.space, task):
        return None  # somebody did something meanwhile
    space = tx.owners.get(plan.space)
    for person in tx.members.list_restricted(plan.space):
        note_level_in(tx, person, plan.into, of=plan.space)
    tx.moving.take_in(
        plan.space,
        plan.into,
        chat=plan.chat,
        new_chat=plan.chat_there,
        thread=plan.thread,
        audiences=plan.audiences,
    )
    _follow_wishes(tx, plan, space.platform)
    for memory in tx.memories.list_all(plan.space):
        _take_in(tx, plan, memory)
    for event in list(tx.transfer.read(EventLine, plan.space)):
        before = None if event.before is None else plan.moved(event.before)
        number = tx.audit.last_number(plan.into, event.memory) + 1
        tx.transfer.add(replace(event, owner=plan.into, number=number, before=before))
    tx.derived.renew_revisions(plan.into)
    tx.moving.rename(space, plan.into)
    tx.erasure.erase_space(plan.space)
    return {}


def _follow_wishes(tx: Tx, plan: _Plan, platform: str) -> None:
    """Let those who came along have the level that they once raised in the other space."""
    names = tx.moving.names(tx.owners.get(plan.into))
    users = [member.user for member in tx.members.list(plan.space)]
    for name in tx.wishes.find_in(platform, users, names, tx.wishes.list()):
        person = tx.owners.ensure("person", platform, name)
        tx.members.raise_level(plan.into, person, tx.wishes.level_in(platform, name, names))


def _take_in(tx: Tx, plan: _Plan, memory: StoredMemory) -> None:
    moved = as_told(tx, plan.moved(memory))
    sources = tx.memories.sources_of(memory)
    if not moved.archived and persist.holder(tx, moved) is not None:
        moved = replace(moved, archived=True)
    tx.memories.delete(memory)
    tx.memories.add(moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))
    here = [(plan.into if space == plan.space else space, message) for space, message in sources]
    tx.memories.add_sources(moved, here)


MOVING = Spread(owners_with_traces, _move_of, _end)
