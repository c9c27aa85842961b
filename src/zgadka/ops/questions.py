"""Ask a person about what they did not say for certain, and do as they answer."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from zgadka.model.inference import Answered, AskedItem, Inferred, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.notice import Notice
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.facts import update_fact
from zgadka.ops.remember import New, remember
from zgadka.ops.scopes import person_named, privacy_of
from zgadka.ops.screen import screen
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.clean import is_placeholder, unstorable

ID_BYTES = 9
"""Of randomness in a question's id: 12 characters, so that a button's data stays within Telegram's 64 bytes."""


LONGEST_VALUE = 1000
"""Characters of a value as its person corrects it."""


class SaveFailedError(Exception):
    """Something could not be saved; raised so that nothing of the answer is kept."""


def ask_to_save(tx: Tx, turn: Turn, items: Sequence[Inferred]) -> SaveQuestion:
    """Put a question; it waits for its person for a day, whatever is restarted meanwhile."""
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    question = SaveQuestion(
        id=secrets.token_urlsafe(ID_BYTES),
        turn=replace(turn, text=None),
        items=tuple(AskedItem(item=item) for item in items),
        asked_at=tx.now,
        expires_at=tx.now + timedelta(hours=tx.settings.question_hours),
    )
    tx.put_save_question(person, question)
    tx.notices.append(_notice("asked", person, question))
    return question


def open_questions(tx: Tx, turn: Turn) -> list[SaveQuestion]:
    """The speaker's questions that wait for an answer, oldest first."""
    person = person_named(tx, turn, turn.user_name)
    if privacy_of(tx, person) is not PrivacyLevel.MINIMAL:
        return []
    return [question for question in tx.save_questions(person) if question.open_items and question.expires_at > tx.now]


def save_items(tx: Tx, turn: Turn, question_id: str, place: int | None) -> Answered:
    """Save one item of the speaker's question, or all that are open.

    Raises:
        SaveFailedError: One of them cannot be saved; then none is, and the question stays open.
    """
    return _answer(tx, turn, question_id, place, save=True)


def skip_items(tx: Tx, turn: Turn, question_id: str, place: int | None) -> Answered:
    """Skip one item of the speaker's question, or all that are open."""
    return _answer(tx, turn, question_id, place, save=False)


def edit_item(tx: Tx, turn: Turn, question_id: str, place: int, value: str) -> Answered:
    """Save one item of the speaker's question with the value as they correct it.

    Raises:
        SaveFailedError: It cannot be saved; the question stays open as it was.
    """
    if shows_nothing(value) or is_placeholder(value) or unstorable(value) or len(value) > LONGEST_VALUE:
        raise SaveFailedError(f"it must have 1 to {LONGEST_VALUE} characters and say something")
    return _answer(tx, turn, question_id, place, save=True, value=value.strip())


def due_reminders(tx: Tx, limit: int, platform: str | None = None) -> list[SaveQuestion]:
    """Mark at most `limit` questions as reminded, each once in its life, and return them.

    A question is due when half of its time has passed.

    Args:
        platform: Only of this platform's people; None: of all.
    """
    due = tx.save_questions_due(tx.now, limit, platform)
    reminded: list[SaveQuestion] = []
    for person, question in due:
        if question.open_items and privacy_of(tx, person) is PrivacyLevel.MINIMAL:
            reminded.append(replace(question, reminded_at=tx.now))
        tx.put_save_question(person, replace(question, reminded_at=tx.now))
    return reminded


def _answer(
    tx: Tx, turn: Turn, question_id: str, place: int | None, *, save: bool, value: str | None = None
) -> Answered:
    person = person_named(tx, turn, turn.user_name)
    question = tx.save_question(person, question_id)
    if question is None:
        # Somebody else's, or one long gone: whoever presses learns nothing of it.
        return Answered("not_yours")
    if question.expires_at <= tx.now:
        return Answered("expired", question)
    chosen = [(one, item) for one, item in question.open_items if place is None or one == place]
    if not chosen:
        return Answered("handled", question)
    if value is not None:
        chosen = [(one, replace(item, value=value)) for one, item in chosen]
        if (screened := screen(tx.settings, value, *(item.text for _, item in chosen))) is not None:
            raise SaveFailedError(screened.said)
    saved = tuple(_save(tx, question.turn, item) for _, item in chosen) if save else ()
    items = list(question.items)
    for one, item in chosen:
        items[one] = AskedItem(item=item, state="saved" if save else "skipped")
    question = replace(question, items=tuple(items))
    tx.put_save_question(person, question)
    tx.notices.append(_notice("answered", person, question))
    return Answered("saved" if save else "skipped", question, saved)


def _notice(what: Literal["asked", "answered"], person: int, question: SaveQuestion) -> Notice:
    return Notice(
        what=what,
        owner=person,
        memory=0,
        kind=None,
        personal=True,
        space=0,
        actor=question.turn.user_name,
        preview="",
        question=question,
    )


def _save(tx: Tx, turn: Turn, item: Inferred) -> StoredMemory:
    """Remember an item; the person confirmed it, so that it replaces another value."""
    new = New(content=item.value, type=item.type, key=item.key, confidence=0.9, excerpt=item.excerpt)
    outcome = remember(tx, turn, turn.user_number, new)
    match outcome:
        case Remembered(memory) | AlreadyKnown(memory):
            return memory
        case Conflict(memory):
            changed = update_fact(
                tx,
                turn,
                turn.user_number,
                type_=item.type,
                key=item.key,
                fact_id=memory.id,
                value=item.value,
                confidence=0.9,
                reason="update",
                excerpt=item.excerpt,
            )
            if isinstance(changed, Changed):
                return changed.memory
            raise SaveFailedError(f"{memory.text!r} stands in its place")
        case LimitReached(count, limit):
            raise SaveFailedError(f"{count} of {limit} facts are kept")
        case NoAccess(_, reason):
            raise SaveFailedError(reason)
