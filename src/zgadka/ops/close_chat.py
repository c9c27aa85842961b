"""Who reads a chat: when they become fewer, what was said in it is told to these alone from then on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from zgadka.model.memory import StoredMemory
from zgadka.model.task import Task
from zgadka.ops import merges, persist
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.sources import Source
from zgadka.ops.withhold import answers_telling, withhold_answers
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words

CLOSE = "close"
_SAID_ELSEWHERE = "said in other chats"


def set_readers(tx: Tx, space: int, chat: str, readers: Sequence[str]) -> None:
    """Keep who reads a chat now; what was said in it goes along, at once here, and with people in `CLOSING`.

    It is never told to more than before: what was said while the chat was closed stays with those readers.

    Args:
        readers: The names of the groups of readers; none: all who read the space.
    """
    audience = tx.audiences.ensure(space, readers) if readers else 0
    if audience == tx.audiences.of_chat(space, chat):
        return
    tx.audiences.set_of_chat(space, chat, audience)
    if not readers:
        return
    tx.next_id("change")  # from now on, no kept answer is told with its texts
    moves = _moves(tx, space, readers)
    changed = [tx.messages.set_audience(space, chat, *move) for move in moves.items()]
    if any(changed):
        tx.derived.renew_revisions(space)
    _close_memories(tx, space, space, chat)
    tx.tasks.add_follow_up(space, CLOSE, {"chat": chat, "readers": list(readers)}, WAIT)


def changed_readers(
    tx: Tx, platform: str, space: str, readers: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Those of the chats, by id, whose readers are not the ones that are known; at least one of a first report."""
    owner = tx.owners.find("space", platform, space)
    groups = {} if owner is None else tx.audiences.list(owner)
    known = {} if owner is None else tx.audiences.of_chats(owner)
    changed = {
        chat: names for chat, names in readers.items() if groups.get(known.get(chat, 0), ()) != tuple(sorted({*names}))
    }
    return changed or ({} if known else dict(islice(readers.items(), 1)))


def report_readers(tx: Tx, platform: str, space: str, chat: str, readers: Sequence[str]) -> None:
    """Keep what the host reports of who reads a chat of a space."""
    owner = tx.owners.ensure("space", platform, space)
    if not tx.audiences.of_chats(owner):  # a row says that they are reported, also where all chats are open
        tx.audiences.set_of_chat(owner, chat, 0)
    set_readers(tx, owner, chat, tuple(sorted({*readers})))


def interrupted(tx: Tx, platform: str, space: str) -> Sequence[Task]:
    """What a process that went left to do of closing chats of a space: until then, others are told of it."""
    owner = tx.owners.find("space", platform, space)
    return [] if owner is None else tx.tasks.list_follow_ups(owner, CLOSE)


def _moves(tx: Tx, space: int, readers: Sequence[str]) -> dict[int, int]:
    """For each group whose memories would be told to others than its chat's readers: the group that they get.

    Those who were its readers and are not any more are left out. Where nobody was before, all stays as it is: these
    read the chat when it was said.
    """
    moves: dict[int, int] = {}
    for audience, names in {0: tuple(readers), **tx.audiences.list(space)}.items():
        common = tuple(sorted({*names} & {*readers}))
        if common and (audience == 0 or common != names):
            moves[audience] = tx.audiences.ensure(space, common)
    return moves


def _close_memories(tx: Tx, owner: int, space: int, chat: str) -> None:
    """Tell an owner's memories that come from the chat to its readers, and to those of the others they come from.

    What comes from an open one as well stays as it is, but for a relation's description that was said in this one.
    """
    groups, audience_ids = tx.audiences.list(space), tx.audiences.of_chats(space)
    told: set[int] = set()
    described = _described_in(tx, owner, space, chat)
    made_in = {**_made_in(tx, owner, space, chat), **{memory: [chat] for memory in described}}
    for memory_id, chats in made_in.items():
        audiences = [audience_ids.get(said_in, 0) for said_in in chats]
        if not all(audiences):
            continue
        moves = _moves(tx, space, sorted({name for audience in audiences for name in groups[audience]}))
        memory = tx.memories.get(owner, memory_id)
        elsewhere = described.get(memory_id, ())
        if memory is not None and memory.space == space and memory.audience in moves:
            moved = replace(memory, audience=moves[memory.audience])
            told |= _told_to_others(tx, moved)
            _move(tx, memory, moved)
            if elsewhere and not memory.archived:
                bare = replace(memory, content="", excerpt=None, chat=None, version=1).numbered(tx.next_id("memory"))
                persist.add(tx, bare, "created", sources=elsewhere, is_told=False, actor=CLOSE, reason=_SAID_ELSEWHERE)
        for former, audience in moves.items():
            tx.audit.set_audience(owner, memory_id, space, former, audience)
    if told:
        withhold_answers(tx, owner, {space: sorted(told)}, tx.next_id("change"))


def _described_in(tx: Tx, owner: int, space: int, chat: str) -> dict[int, list[Source]]:
    """The owner's relations whose description was said in the chat, each with what says the relation in open ones."""
    relations = tx.memories.get_many(owner, tx.memories.list_said_in(owner, space, chat)).values()
    audiences = tx.audiences.of_chats(space)
    described: dict[int, list[Source]] = {}
    for relation in relations:
        if relation.kind == "relation" and relation.content:
            sources = tx.memories.sources_of(relation)
            chats = tx.messages.chats(space, {message for _, message in sources})
            described[relation.id] = [
                (place, message) for place, message in sources if message in chats and not audiences.get(chats[message])
            ]
    return described


def _told_to_others(tx: Tx, memory: StoredMemory) -> set[int]:
    """The answers that told a memory to others than those who may be told it by now."""
    answers = answers_telling(tx, memory.space, memory)
    groups, audiences = tx.audiences.list(memory.space), tx.messages.audiences(memory.space, answers)
    readers = {*groups[memory.audience]}
    return {id_ for id_ in answers if not (names := groups.get(audiences.get(id_, 0))) or not readers.issuperset(names)}


def _move(tx: Tx, memory: StoredMemory, moved: StoredMemory) -> None:
    if not memory.archived and merges.rival_of(tx, moved) is not None:  # they know it, or another value, already
        persist.hide(tx, moved, "merged", is_told=False, actor=CLOSE, reason="its readers know another")
        return
    tx.memories.replace(memory, moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))


def _made_in(tx: Tx, owner: int, space: int, chat: str) -> Mapping[int, Collection[str]]:
    """The ids of the owner's memories that come from the chat, each with all the chats it comes from.

    Where no source is known, as they were recorded later or are gone, those that were kept in a turn of the chat.
    """
    sources = tx.memories.sources_in(owner, space)
    chats = tx.messages.chats(space, {message for messages in sources.values() for message in messages})
    said_in = {memory: {chats[id_] for id_ in messages if id_ in chats} for memory, messages in sources.items()}
    unsourced = {memory: {chat} for memory in tx.memories.list_said_in(owner, space, chat) if not said_in.get(memory)}
    return {memory: places for memory, places in said_in.items() if chat in places} | unsourced


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    platform = tx.owners.get(task.owner).platform
    owners = {
        *tx.memories.owners_from(platform, task.owner),
        *tx.memories.owners_said_in(platform, task.owner, task.payload["chat"]),
    }
    return sorted(owners - {task.owner})


def _close_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    chat, readers = task.payload["chat"], task.payload["readers"]
    if tx.audiences.of_chat(task.owner, chat) == tx.audiences.get(task.owner, readers):  # else others read it since
        _close_memories(tx, owner, task.owner, chat)
    return {}


CLOSING = Spread(_owners, _close_in, end)
