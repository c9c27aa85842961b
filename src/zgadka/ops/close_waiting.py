"""Close what waits for an answer or a worker and says what a person has forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, cast

from zgadka.model.inference import AskedItem, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.task import Task
from zgadka.model.turn import Turn, person_number
from zgadka.ops.sources import messages_saying
from zgadka.stores.tx import Tx
from zgadka.text.value_mentions import MentionIndex

QUESTIONS, CALLS = "questions", "calls"


def waiting_with(
    tx: Tx, person: int, memories: Sequence[StoredMemory], withheld: Mapping[int, Sequence[tuple[int, int]]]
) -> dict[str, Any]:
    """What of the person waits and says one of the memories, or comes from a withheld message; empty for nothing.

    Of other spaces than those of `withheld` nothing is: the messages that it comes from would be told there.
    """
    if tx.owners.find_by_id(person) is None:
        return {}
    ids = {(space, message) for space, pairs in withheld.items() for message, _ in pairs}
    found = _questions(tx, person, memories, ids)
    questions = [(question.id, index) for question, index in found if _space_of(tx, question.turn) in withheld]
    calls: dict[str, list[int]] = {}
    for space, task in _calls(tx, person, memories, ids):
        if space in withheld:
            calls.setdefault(str(space), []).append(task)
    closed: dict[str, Any] = {QUESTIONS: {str(person): questions}} if questions else {}
    return closed | ({CALLS: calls} if calls else {})


def spaces_waiting(tx: Tx, person: int, memories: Sequence[StoredMemory]) -> set[int]:
    """The spaces in which something of the person waits that says one of the memories."""
    asked_in = (_space_of(tx, question.turn) for question, _ in _questions(tx, person, memories, set()))
    return {space for space in asked_in if space is not None} | {
        space for space, _ in _calls(tx, person, memories, set())
    }


def waiting_owners(task: Task) -> set[int]:
    """Whose rows are changed to close it."""
    return {int(owner) for name in (QUESTIONS, CALLS) for owner in task.payload.get(name, ())}


def close(tx: Tx, task: Task, owner: int) -> None:
    """Close what waits among the owner's rows."""
    for question_id, index in task.payload.get(QUESTIONS, {}).get(str(owner), ()):
        question = tx.questions.get(owner, question_id)
        item = dict(question.open_items).get(index) if isinstance(question, SaveQuestion) else None
        if isinstance(question, SaveQuestion) and item is not None:
            skipped = AskedItem(item=item, state="skipped")
            items = (*question.items[:index], skipped, *question.items[index + 1 :])
            closed = replace(question, items=items)
            tx.questions.put(owner, closed)
            tx.notices.append(Notice(what="answered", owner=owner, actor=closed.turn.user_key, question=closed))
    for call in task.payload.get(CALLS, {}).get(str(owner), ()):
        tx.tasks.drop(owner, call)


def _questions(
    tx: Tx, person: int, memories: Sequence[StoredMemory], withheld: Set[tuple[int, int]]
) -> Iterator[tuple[SaveQuestion, int]]:
    """The open items of the person's questions, each with its question."""
    for question in tx.questions.list(person):
        if not isinstance(question, SaveQuestion):
            continue
        texts = [(index, f"{item.value}\n{item.excerpt or ''}") for index, item in question.open_items]
        saying = _saying(MentionIndex(texts), memories)
        for index, item in question.open_items:
            if index in saying or not withheld.isdisjoint(messages_saying(tx, question.turn, item.excerpt)):
                yield question, index


def _calls(
    tx: Tx, person: int, memories: Sequence[StoredMemory], withheld: Collection[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Such queued calls of the person or about them, also finished ones not told yet: their spaces and ids."""
    owner = tx.owners.get(person)
    number = person_number(owner.platform, owner.name)
    for space in tx.tasks.spaces_about(owner.platform, person, number):
        for task in tx.tasks.calls_about(space, person, number):
            arguments = task.payload["arguments"]
            is_about_them = arguments.get("user_id", number) == number
            texts = MentionIndex([(0, "\n".join(_texts([arguments, task.result])))])
            says = is_about_them and bool(_saying(texts, memories))
            if says or _comes_from(tx, Turn.from_json(task.payload["turn"]), withheld):
                yield space, task.id


def _comes_from(tx: Tx, turn: Turn, withheld: Collection[tuple[int, int]]) -> bool:
    """Whether the turn's message is among these."""
    space = _space_of(tx, turn)
    said = None if space is None else tx.messages.find_said(space, turn)
    return space is not None and said is not None and (space, said.id) in withheld


def _space_of(tx: Tx, turn: Turn) -> int | None:
    kind, name = turn.place
    return tx.owners.find(kind, turn.platform, name)


def _saying(texts: MentionIndex, memories: Sequence[StoredMemory]) -> set[int]:
    return set[int]().union(*(texts.of(memory.content) for memory in memories if memory.kind != "episode"))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    match value:
        case str():
            yield value
        case Mapping():
            for part in cast("Mapping[str, Any]", value).values():
                yield from _texts(part)
        case list():
            for part in cast("list[Any]", value):
                yield from _texts(part)
        case _:
            return
