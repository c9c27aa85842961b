"""What a person is asked once and not again: what is open, what they skipped, what is known, what they edited."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.inference import Inferred, ItemState, SaveQuestion
from zgadka.model.notification import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import as_read_now, find_space, is_remembered, speaker_of, writing_scope
from zgadka.ops.open_questions import open_questions
from zgadka.ops.remember import New, fresh, known_in, rivals
from zgadka.ops.same_value import is_same
from zgadka.ops.sources import Source, messages_saying
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.keys import normalise_key
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex

_SKIPPED = "skipped: "
"""What a digest begins with, so that it is none of a value that was forgotten."""


def worth_asking(tx: Tx, turn: Turn, items: Sequence[Inferred], rivals: Collection[Inferred] = ()) -> list[Inferred]:
    """Those of the items that the speaker has not been asked already, each once.

    Left out is what is open where the turn is, what they skipped not long ago, and what is remembered of them anyway,
    also where the same message was remembered in other words.

    Args:
        rivals: Those that were said for certain and contradict what is remembered: they are asked about although
            something like them was skipped.
    """
    person = speaker_of(tx, turn)
    resting = tx.limits.resting(person)
    seen = {_form(item) for question in open_questions(tx, turn, SaveQuestion) for _, item in question.open_items}
    asked: list[Inferred] = []
    for item in items:
        form = _form(item)
        is_settled = item not in rivals and (
            not resting.isdisjoint(tx.wishes.value_digests(person, _SKIPPED + form))
            or _is_known(tx, turn, item)
            or _is_told(tx, turn, item)
        )
        if form in seen or is_settled:
            continue
        seen.add(form)
        asked.append(item)
    return asked


def close_told(tx: Tx, turn: Turn, question_id: str) -> SaveQuestion | None:
    """Close what the speaker is asked and is remembered by now; returns what is still asked, None: nothing.

    A model that answers "remember that my cat is called Tom" keeps it in words of its own, and nobody wants to be asked
    about that once more.
    """
    person, waiting = speaker_of(tx, turn), open_questions(tx, turn, SaveQuestion)
    question = next((question for question in waiting if question.id == question_id), None)
    if question is None or not is_remembered(tx, person, find_space(tx, turn)):
        return None
    asked_in = as_read_now(tx, question.turn)
    items = tuple(
        replace(asked, state="saved") if asked.state == "open" and _is_told(tx, asked_in, asked.item) else asked
        for asked in question.items
    )
    if items != question.items:
        question = replace(question, items=items)
        tx.questions.put(person, question)
        tx.notices.append(Notice(what="answered", owner=person, actor=question.turn.user_key, question=question))
    return question if question.open_items else None


def let_rest(tx: Tx, person: int, items: Sequence[Inferred]) -> None:
    """Have nobody ask the person about these again for as long as the settings say."""
    if days := tx.settings.question_rest_days:
        for item in items:
            # By a key that lies elsewhere: the row alone does not tell what was skipped.
            mark = tx.wishes.value_digests(person, _SKIPPED + _form(item), make=True)[0]
            tx.limits.rest(person, mark, timedelta(days=days))


def supersede(tx: Tx, turn: Turn, space: int, text: str) -> None:
    """Close what the speaker was asked about their message of this turn, where it has another text by now."""
    if turn.message is None:
        return
    person = speaker_of(tx, turn)
    questions = [question for question in tx.questions.list(person) if _is_about(question, turn)]
    said = tx.messages.find_said(space, turn) if questions else None
    former_text = None if said is None else tx.messages.get_text(space, said.id)
    if said is None or former_text is None or former_text == storable(text):
        return
    _close(tx, turn, questions, (space, said.id), "superseded")


def close_jest(tx: Tx, turn: Turn, source: Source) -> None:
    """Close what the speaker was asked about a message of theirs that was a joke; said again, it is asked again."""
    questions = [question for question in tx.questions.list(speaker_of(tx, turn)) if _is_about(question, turn)]
    _close(tx, turn, questions, source, "skipped")


def _close(tx: Tx, turn: Turn, questions: Sequence[object], source: Source, state: ItemState) -> None:
    """Close what is asked about a message."""
    person = speaker_of(tx, turn)
    for question in questions:
        assert isinstance(question, SaveQuestion)  # noqa: S101
        items = tuple(
            replace(asked, state=state)
            if asked.state == "open" and source in messages_saying(tx, question.turn, asked.item.excerpt)
            else asked
            for asked in question.items
        )
        if items != question.items:
            answered = replace(question, items=items)
            tx.questions.put(person, answered)
            tx.notices.append(Notice(what="answered", owner=person, actor=turn.user_key, question=answered))


def _is_about(question: object, turn: Turn) -> bool:
    """Whether a question may be about the turn's message: several that were looked at together have one question."""
    return (
        isinstance(question, SaveQuestion)
        and bool(question.open_items)
        and (question.turn.platform, question.turn.space, question.turn.chat) == (turn.platform, turn.space, turn.chat)
    )


def _form(item: Inferred) -> str:
    """What an item says, as it is compared."""
    key = normalise_key(item.key) or item.key
    return f"{key}\0{canonical(item.value, key)}"


def _is_known(tx: Tx, turn: Turn, item: Inferred) -> bool:
    """Whether what an item says is remembered of the speaker where the turn is, and holds now."""
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return False
    memory = fresh(tx, turn, scope, New(content=item.value, type=item.type, key=item.key))
    return any(
        not row.archived and is_same(row, memory) and (row.valid_to is None or row.valid_to > tx.now)
        for row in known_in(tx, scope, memory)
    )


def _is_told(tx: Tx, turn: Turn, item: Inferred) -> bool:
    """Whether what an item says stands in a memory that was made from the same message, and in no other's place."""
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return False
    told = [
        memory
        for source in messages_saying(tx, turn, item.excerpt)
        for owner in dict.fromkeys((scope.owner, scope.space))
        for memory in tx.memories.get_many(owner, tx.memories.made_from(owner, *source)).values()
        if memory.kind != "episode" and not (memory.archived or memory.withheld)
    ]
    if not MentionIndex((memory.id, memory.text) for memory in told).of(item.value):
        return False
    memory = fresh(tx, turn, scope, New(content=item.value, type=item.type, key=item.key))
    return all(is_same(rival, memory) for rival in rivals(tx, scope, memory) if persist.holds(rival, tx.now))
