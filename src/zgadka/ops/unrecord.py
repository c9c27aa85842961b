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
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.retelling import retelling
from zgadka.ops.sources import Source, is_across
from zgadka.ops.withhold import Removal, withhold_in, withhold_message
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex

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
    if turn.message is None:
        return False
    message = tx.messages.with_source(space, turn.chat, turn.message)
    if message is None:
        return False
    person, _ = tx.messages.authors(space, [message])[message]
    refuse_others_message(tx, turn, person, grant)
    remove_message(tx, person, space, message, reason=_DELETED_THERE)
    return True


def remove_message(tx: Tx, person: int, space: int, message: int, *, reason: str, keeps_memories: bool = False) -> None:
    """The same for one of a person's messages; begins with the person's rows, the rest follows in `UNRECORDING`.

    Args:
        keeps_memories: Whether what was made from it alone stays, as where nobody was asked about that.
    """
    text = _text_of(tx, person, space, message)
    if text:
        tx.forgotten_values.add_message(person, space, text)
    payload: dict[str, Any] = {"space": space, "message": message, "change": tx.next_id("change"), "reason": reason}
    payload["keeps_memories"] = keeps_memories
    payload |= waiting_with(tx, person, [], {space: [(message, payload["change"])]})
    alone = _let_go(tx, person, payload, text)
    changes = {memory: tx.next_id("change") for memory in alone}
    if changes:
        removal = Removal("deleted", tx.owners.get(person).name, reason)
        withhold_in(tx, person, person, {space}, changes, removal=removal, message=(space, message))
    tx.tasks.add_follow_up(person, UNRECORD, payload, WAIT)


def _let_go(tx: Tx, owner: int, payload: Mapping[str, Any], text: str) -> list[StoredMemory]:
    """Let the owner's memories lose a message as a source; returns those that come from it alone."""
    source = payload["space"], payload["message"]
    alone: list[StoredMemory] = []
    for memory in tx.memories.get_many(owner, tx.memories.made_from(owner, *source)).values():
        if memory.kind == "episode" or memory.withheld < 0:
            continue
        if comes_from(tx, memory, source) and not payload["keeps_memories"]:
            alone.append(memory)
            continue
        tx.memories.remove_source(memory, *source)
        if any(storable(quote) in text for quote in (memory.excerpt or "").splitlines()):
            persist.unquote(tx, memory)
    return alone


def comes_from(tx: Tx, memory: StoredMemory, source: Source) -> bool:
    """Whether a memory comes from a message alone: others say it only with that one, or said what it was before.

    Asked while the message has the text that it came from.
    """
    sources = tx.memories.sources_of(memory)
    if source not in sources or len(sources) == 1:
        return source in sources
    texts = {each: tx.messages.get_text(*each) or "" for each in sorted(sources)}
    if len(sources) == 2 and memory.excerpt is not None and is_across(memory.excerpt, *texts.values()):
        return True
    return _says_other(tx, memory) and not _others_say(memory, source, texts)


def _says_other(tx: Tx, memory: StoredMemory) -> bool:
    """Whether it said something else before it was corrected or changed in another way; not where it only says more."""
    if memory.version == 1:
        return False
    trail = tx.audit.history(memory.owner, memory.id)
    was = (event.before for event in trail if event.action == "updated" and event.reason != "merged")
    return any(before is not None and before.content not in memory.content for before in was)


def _others_say(memory: StoredMemory, source: Source, texts: Mapping[Source, str]) -> bool:
    """Whether another message than this says what it is now; where none does in its words, the last of all did."""
    saying = MentionIndex(enumerate(texts.values())).of(memory.content)
    said_by = [each for index, each in enumerate(texts) if index in saying] or [max(texts, key=lambda each: each[1])]
    return source not in said_by or len(said_by) > 1


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
    alone = _let_go(tx, owner, task.payload, text)
    if alone:
        # Of another person, only what was retold from it: their own words are theirs.
        person = owner if tx.owners.get(owner).kind == "person" else task.owner
        removal = Removal("deleted", tx.owners.get(task.owner).name, task.payload["reason"])
        changes = {memory: tx.next_id("change") for memory in alone}
        own_words = person == task.owner
        withhold_in(tx, person, owner, {space}, changes, removal=removal, own_words=own_words, message=(space, message))
    close(tx, task, owner)
    if owner == space:
        withhold_message(tx, space, message, change)
        for answer in retelling(tx, task.owner, (space, message), text):
            withhold_message(tx, space, answer, change)
        tx.messages.delete(space, message)
    return {}


UNRECORDING = Spread(_owners, _unrecord_in, end)
