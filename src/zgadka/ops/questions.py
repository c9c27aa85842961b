"""Ask a person about what they did not say for certain, and do as they answer."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace

from zgadka.errors import ContentRefused
from zgadka.model.inference import Answered, AskedItem, Inferred, SaveQuestion
from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.memory import StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.question import ID_BYTES, PLAIN
from zgadka.model.turn import Turn
from zgadka.ops.access import as_read_now, ensure_speaker, find_space, is_remembered, is_told, speaker_of
from zgadka.ops.content_policy import screen
from zgadka.ops.fact_time import is_past
from zgadka.ops.facts import update_fact
from zgadka.ops.open_questions import open_questions
from zgadka.ops.origins import AGREED
from zgadka.ops.remember import New, remember
from zgadka.ops.sources import messages_saying
from zgadka.ops.worth_asking import let_rest
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.sanitize import is_placeholder, unstorable


class SaveFailedError(Exception):
    """Something could not be saved; raised so that nothing of the answer is kept.

    Attributes:
        cause: As in `Answered`.
    """

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


def ask_to_save(tx: Tx, turn: Turn, items: Sequence[Inferred]) -> SaveQuestion:
    """Put a question; it waits for its person for a day, whatever is restarted meanwhile."""
    person = ensure_speaker(tx, turn)
    question = SaveQuestion(
        id=secrets.token_urlsafe(ID_BYTES),
        turn=replace(turn, text=None),
        items=tuple(AskedItem(item=item) for item in items),
        asked_at=tx.now,
        expires_at=tx.now + tx.questions.lasts(SaveQuestion),
        plain_until=tx.now + PLAIN,
    )
    tx.questions.put(person, question)
    tx.notices.append(Notice(what="asked", owner=person, actor=turn.user_key, question=question))
    return question


def save_questions(tx: Tx, turn: Turn) -> list[SaveQuestion]:
    """The speaker's questions that wait for an answer, oldest first; in a group, those that were asked there."""
    person = speaker_of(tx, turn)
    return open_questions(tx, turn, SaveQuestion) if is_remembered(tx, person, find_space(tx, turn)) else []


def answer_question(
    tx: Tx,
    turn: Turn,
    question_id: str,
    places: Collection[int] | None,
    *,
    save: bool,
    skips: Collection[int] = (),
    value: str | None = None,
) -> Answered:
    """Save or skip items of the speaker's question, or all that are asked about now.

    What is skipped is not asked again for a while. What is still open is shown again where it was asked, and a plain
    "yes" answers it once more.

    Args:
        skips: The places of items that are skipped while others are saved.
        value: One item's value as the person corrects it.

    Raises:
        SaveFailedError: One of them cannot be saved; then none is, and the question stays open as it was.
    """
    if value is not None:
        if shows_nothing(value) or is_placeholder(value) or unstorable(value) or len(value) > LONGEST_VALUE:
            raise SaveFailedError(f"it must have 1 to {LONGEST_VALUE} characters and say something", "content")
        value = value.strip()
    person = speaker_of(tx, turn)
    question = None if unstorable(question_id) else tx.questions.get(person, question_id)
    if not isinstance(question, SaveQuestion) or not is_told(tx, question.turn, turn):
        # Somebody else's, or another place's, or one long gone: whoever presses learns nothing of it.
        return Answered("not_yours")
    asked = question.asked_items if places is None else question.open_items
    chosen = [(position, item) for position, item in asked if places is None or position in places]
    if question.open_items and not tx.questions.is_open(question):
        return Answered("expired", question)
    if not chosen:
        meant = [item for position, item in enumerate(question.items) if places is None or position in places]
        is_superseded = bool(meant) and all(item.state == "superseded" for item in meant)
        return Answered("superseded" if is_superseded else "handled", question)
    if value is not None:
        chosen = [(position, replace(item, value=value)) for position, item in chosen]
        if (screened := screen(tx.settings, value, *(item.text for _, item in chosen))) is not None:
            raise SaveFailedError(screened.sentence, screened.reason)
    saved = tuple(_save(tx, question, item) for _, item in chosen) if save else ()
    items = list(question.items)
    for position, item in chosen:
        items[position] = AskedItem(item=item, state="saved" if save else "skipped")
    for position, entry in enumerate(items):
        if entry.state == "open" and position in skips:
            items[position] = replace(entry, state="skipped")
    skipped = [new.item for new, old in zip(items, question.items, strict=True) if new.state == "skipped" != old.state]
    let_rest(tx, person, skipped)
    question = replace(question, items=tuple(items))
    if question.open_items and turn.conversation[:2] == question.turn.conversation[:2]:
        question = replace(question, plain_until=tx.now + PLAIN)
    tx.questions.put(person, question)
    tx.notices.append(Notice(what="answered", owner=person, actor=question.turn.user_key, question=question))
    return Answered("saved" if save else "skipped", question, saved)


def due_reminders(tx: Tx, limit: int, platform: str | None = None) -> list[SaveQuestion]:
    """Mark at most `limit` questions as reminded, each once in its life, and return them.

    A question is due when half of its time has passed.

    Args:
        platform: Only of this platform's people; None: of all.
    """
    due = tx.questions.list_due(limit, platform)
    reminded: list[SaveQuestion] = []
    for person, question in due:
        shown_again = replace(question, reminded_at=tx.now, plain_until=tx.now + PLAIN)
        if question.open_items and is_remembered(tx, person, find_space(tx, question.turn)):
            reminded.append(shown_again)
        tx.questions.put(person, shown_again)
    return reminded


def _save(tx: Tx, question: SaveQuestion, item: Inferred) -> StoredMemory:
    """Remember an item; the person confirmed it, so that it replaces what they had said before it.

    It was said when its message was, however late they answer.
    """
    turn = as_read_now(tx, question.turn)
    new = New(content=item.value, type=item.type, key=item.key, confidence=0.9, excerpt=item.excerpt)
    new = replace(new, ends_opposite=True)
    tx.sources, tx.because = messages_saying(tx, turn, item.excerpt), AGREED
    said = tx.messages.get_many(find_space(tx, turn), [id_ for _, id_ in tx.sources])
    asked_at = min(turn.time or question.asked_at, question.asked_at)
    turn = replace(turn, time=max((message.at for message in said.values()), default=asked_at))
    try:
        outcome = remember(tx, turn, turn.user_number, new)
    except ContentRefused as refused:  # it was forgotten since they were asked
        raise SaveFailedError(str(refused), refused.reason) from refused
    match outcome:
        case Remembered(memory) | AlreadyKnown(memory):
            return memory
        case Conflict(memory):
            fact_id = None if is_past(memory, tx.now) else memory.id
            changed = update_fact(tx, turn, turn.user_number, new, fact_id=fact_id, reason="update")
            if isinstance(changed, Changed | Remembered):
                return changed.memory
            raise SaveFailedError(f"{memory.text!r} stands in its place", "conflict")
        case LimitReached(count, limit):
            raise SaveFailedError(f"{count} of {limit} facts are kept", "limit_reached")
        case NoAccess(_, reason, status):
            raise SaveFailedError(reason, status)
