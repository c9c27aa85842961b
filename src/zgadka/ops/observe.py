"""Look at what people write, each message once, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from zgadka.model.inference import EXPORTED, LONGEST_TEXT, Inferred, Observed, PastMessage, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.outcome import AlreadyKnown, Remembered
from zgadka.model.people import Message
from zgadka.model.turn import Turn
from zgadka.ops.access import as_read_now, communal_scope, ensure_space, find_space, is_remembered, speaker_of
from zgadka.ops.content_policy import keepable
from zgadka.ops.edits import LOOKED_FOR, Denies, looked, take_back
from zgadka.ops.fact_validity import date_known
from zgadka.ops.forgotten import says_forgotten
from zgadka.ops.judge_answer import agrees_to_any
from zgadka.ops.messages import record, said_just_before
from zgadka.ops.open_questions import is_asked_since
from zgadka.ops.questions import ask_to_save
from zgadka.ops.remember import New, remember
from zgadka.ops.rollout import decide
from zgadka.ops.sources import Source, holders, is_across, said_at
from zgadka.ops.worth_asking import close_jest, worth_asking
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import QueuedMessage
from zgadka.stores.tx.trail import IN_JEST
from zgadka.text.beginnings import began_named
from zgadka.text.canonical import canonical, former
from zgadka.text.dates import since_named
from zgadka.text.sanitize import storable

PATIENCE = timedelta(seconds=60)
"""Longer than all tiers of extraction together may take for one message."""


_GOES_ON = timedelta(minutes=2)
"""For how long a message goes on with the one before."""
_LOOKED_BACK = 6
"""Messages among which that one is looked for: answers may be between."""


class OvertakenError(Exception):
    """Somebody else looks at some of the messages of a window."""


def note_message(
    tx: Tx, turn: Turn, text: str, own_text: str, *, holds_nothing: bool = False, denies: Denies | None = None
) -> QueuedMessage | Observed:
    """Keep a message and queue it; the answer is final when there is nothing to look for.

    Nothing is in what agrees to a question: "only the first" is no wish about answers.

    Args:
        text: The whole message.
        own_text: What of it the person wrote themselves: no quotes, no forwards.
        holds_nothing: It is known already that there is nothing to look for.
        denies: As in `record`.
    """
    space = ensure_space(tx, turn)
    turn = replace(turn, arm=turn.arm or decide(tx, turn).arm)
    said = tx.messages.find_said(space, turn)
    if said is not None and said.text == storable(text):
        return Observed(None, repeated=True)
    message = record(tx, turn, "user", text, denies=denies)
    if message is None:
        return Observed(None)
    tx.segments.set_quotable(space, message, own_text.strip() == text.strip())
    was_forgotten = turn.message is not None and not tx.messages.get_many(space, [message])  # it is an edit
    if (
        holds_nothing
        or was_forgotten
        or not is_remembered(tx, speaker_of(tx, turn), space)
        or agrees_to_any(tx, turn, own_text)
    ):
        return Observed(message)
    return _enqueue(tx, space, message, turn, own_text)


def remembered_of(tx: Tx, messages: Sequence[PastMessage]) -> list[int]:
    """The indexes of those of a chat's messages whose authors let things be remembered there, in order."""
    authors = {past.turn.user_key: past.turn for past in messages}
    remembered = {
        user for user, turn in authors.items() if is_remembered(tx, speaker_of(tx, turn), find_space(tx, turn))
    }
    return [index for index, past in enumerate(messages) if past.turn.user_key in remembered]


def note_past(
    tx: Tx,
    turn: Turn,
    messages: Sequence[PastMessage],
    empty: Collection[int] = (),
    *,
    denies: Denies | None = None,
) -> list[QueuedMessage | Observed]:
    """Keep and queue old messages of the turn's chat, in order; see `note_message`.

    One that was kept and still waits, as after a crash, is to be looked at now.

    Args:
        empty: The indexes of those of which it is known that they hold nothing.
    """
    space = ensure_space(tx, turn)
    noted: list[QueuedMessage | Observed] = []
    for index, past in enumerate(messages):
        if _is_known_by_another_id(tx, space, past):
            noted.append(Observed(None, repeated=True))
            continue
        outcome = note_message(tx, past.turn, past.text, past.own_text, holds_nothing=index in empty, denies=denies)
        if isinstance(outcome, Observed) and outcome.repeated:
            said, own_text = tx.messages.find_said(space, past.turn), storable(past.own_text)
            if said is not None and tx.observations.is_queued(space, said.id, own_text):
                outcome = QueuedMessage(space, said.id, replace(past.turn, text=None), own_text, tx.now)
        noted.append(outcome)
    return noted


def _is_known_by_another_id(tx: Tx, space: int, past: PastMessage) -> bool:
    """Whether a bot saw a message that an export tells, which does not know the id that the bot saw."""
    turn = past.turn
    if turn.message is None or turn.time is None or not turn.message.startswith(EXPORTED):
        return False
    person, text = speaker_of(tx, turn), storable(past.text)
    return tx.messages.has_copy(space, person, turn.chat, turn.message, text=text, at=turn.time)


def hand_over(tx: Tx, turn: Turn, message: int, text: str) -> None:
    """Have a message that is kept already looked at by the automated arm, since the other one failed."""
    space = ensure_space(tx, turn)
    if is_remembered(tx, speaker_of(tx, turn), space):
        _enqueue(tx, space, message, replace(turn, arm="automated"), text)


def _enqueue(tx: Tx, space: int, message: int, turn: Turn, text: str) -> QueuedMessage:
    queued = QueuedMessage(space, message, replace(turn, text=None), storable(text), tx.now)
    tx.observations.enqueue(queued)
    return queued


def windows(tx: Tx) -> tuple[list[list[QueuedMessage]], list[QueuedMessage]]:
    """Of what is queued, windows to look at now, and messages that are not to be looked at.

    A window of an automated chat holds one person's messages of one conversation, in order: as many as the settings say
    and extraction takes, or fewer when the person has been silent since. Elsewhere each message is one, once it has
    waited for longer than anyone takes to look at one: whoever was to do it is gone. A message that was looked at and
    is still queued, as after a crash, is in none; nor is one whose person does not want to be remembered.
    """
    settings = tx.settings
    silence, many = timedelta(seconds=settings.window_seconds), settings.window_messages
    lines: dict[tuple[object, ...], list[QueuedMessage]] = {}
    others: list[QueuedMessage] = []
    # Long messages fill a window sooner than short ones: two are enough to ask.
    for queued in tx.observations.list_near_due(silence, PATIENCE, min(many, 2)):
        if queued.turn.arm == "automated":
            lines.setdefault((queued.space, queued.turn.conversation, queued.turn.user_key), []).append(queued)
        elif _has_waited(tx, queued, PATIENCE):
            others.append(queued)
    due: list[list[QueuedMessage]] = []
    done: list[QueuedMessage] = []
    for queued in others:
        if _is_done(tx, queued):
            done.append(queued)
        else:
            due.append([queued])
    for line in lines.values():
        if not _due(tx, line, silence):  # as most; only of the others it is asked who they are
            continue
        done += (looked_at := [queued for queued in line if _is_done(tx, queued)])
        due += _due(tx, [queued for queued in line if queued not in looked_at], silence)
    return due, done


def _due(tx: Tx, line: Sequence[QueuedMessage], silence: timedelta) -> list[list[QueuedMessage]]:
    """The windows of a line that are due; one that is not the last is full."""
    max_messages = tx.settings.window_messages
    return [
        window
        for window in _divided(line, max_messages)
        if window[-1] is not line[-1] or len(window) >= max_messages or _has_waited(tx, window[-1], silence)
    ]


def _is_done(tx: Tx, queued: QueuedMessage) -> bool:
    """Whether it was looked at, or its person does not want that."""
    person = speaker_of(tx, queued.turn)
    action, mark = _looked(queued)
    return not is_remembered(tx, person, queued.space) or tx.limits.marked(person, action) == mark


def _has_waited(tx: Tx, queued: QueuedMessage, span: timedelta) -> bool:
    """Whether it was queued that long ago; what was queued later than now, was before the clock went back."""
    return not timedelta() <= tx.now - queued.at < span


def _divided(line: Sequence[QueuedMessage], max_messages: int) -> Iterator[list[QueuedMessage]]:
    """Divide what a person wrote into windows, none of which extraction would cut where it can be helped."""
    window: list[QueuedMessage] = []
    length = 0
    for queued in line:
        if window and (len(window) >= max_messages or length + len(queued.text) >= LONGEST_TEXT):
            yield window
            window, length = [], 0
        window.append(queued)
        length += len(queued.text) + 1
    if window:
        yield window


def message_before(tx: Tx, queued: QueuedMessage) -> Message | None:
    """The person's message which this one may go on with; None: there is none.

    It is their last one in the conversation, not long ago, and nobody else but the assistant has written since.
    """
    turn = as_read_now(tx, queued.turn)
    scope = communal_scope(tx, turn)
    recent = tx.messages.list_recent(scope, turn.conversation, _LOOKED_BACK, before=queued.message)
    at = turn.time or queued.at
    for message in reversed(recent):
        if message.role == "assistant":
            continue
        is_whole = message.id not in tx.segments.list_unquotable(queued.space, message.id, message.id)
        is_soon = timedelta() <= at - message.at <= _GOES_ON
        return message if message.user == turn.user_key and is_soon and is_whole else None
    return None


def retract(tx: Tx, queued: QueuedMessage) -> None:
    """Take back what was made of the person's message just before one that calls it a joke; it itself stays.

    What they are asked about it is closed. Not where they were asked something else since, for then they answer that;
    and not by a message that says so only since an edit.
    """
    turn = as_read_now(tx, queued.turn)
    person = speaker_of(tx, turn)
    if tx.limits.marked(person, _looked(queued)[0]) is not None:
        return
    before = said_just_before(tx, turn, turn.time or queued.at, before=queued.message)
    if before is None or is_asked_since(tx, turn, before.at, but=(SaveQuestion,)):
        return
    source = queued.space, before.id
    tx.forgotten_values.add_joke(person, queued.space, storable(before.text))
    take_back(tx, person, source, before.text, "", None, reason=IN_JEST, turn=queued.turn)
    close_jest(tx, turn, source)


def keep_inferred(
    tx: Tx,
    window: Sequence[QueuedMessage],
    certain: Sequence[Inferred],
    uncertain: Sequence[Inferred],
    *,
    ask: bool = True,
) -> Observed:
    """Remember what is certain and ask about what is not: all or nothing, and once for each text of a message.

    The messages are taken out of the queue after that (`dequeue`), since the queue is the space's and what is
    kept is the person's. Where that fails, they are looked at again, and nothing comes of it.

    A certain value that another one contradicts is asked about, never stored over it.

    Args:
        window: One person's messages in one conversation that were looked at together, in order; mostly one.
        ask: False: what is uncertain is not kept.

    Raises:
        OvertakenError: Somebody else looks at some of the messages; nothing was done.
    """
    latest = window[-1]
    turn = as_read_now(tx, latest.turn)
    # Else it was edited, or somebody was faster.
    if not all(tx.observations.is_queued(queued.space, queued.message, queued.text) for queued in window):
        return Observed(latest.message, repeated=True)
    person = speaker_of(tx, turn)
    if person <= 0 or not is_remembered(tx, person, latest.space):  # they opted out meanwhile
        return Observed(latest.message)
    fresh = [tx.limits.mark(person, *_looked(queued), LOOKED_FOR) for queued in window]
    if not any(fresh):
        return Observed(latest.message, repeated=True)
    if not all(fresh):
        raise OvertakenError
    tx.arm = turn.arm
    stored: list[StoredMemory] = []
    rivals: list[Inferred] = []
    learned: dict[int, tuple[Turn, list[StoredMemory]]] = {}
    known_count = 0
    sure, doubtful = (
        [item for item in keepable(tx.settings, items) if not _is_forgotten(tx, person, window, item)]
        for items in (certain, uncertain)
    )
    refused = len(certain) + len(uncertain) - len(sure) - len(doubtful)
    for item in sure:
        tx.sources = sources = _said_in(tx, window, item)
        said = next(queued for queued in window if queued.message == sources[-1][1])
        said_then = replace(turn, time=said.turn.time or said.at)
        new = New(content=item.value, type=item.type, key=item.key, confidence=item.confidence, excerpt=item.excerpt)
        new = replace(new, ends_opposite=True)
        if [one.excerpt for one in (*certain, *uncertain)].count(item.excerpt) == 1:  # else nobody knows which is dated
            new = replace(new, valid_from=_since(tx, said_then, item.excerpt or "", item.value))
        outcome = date_known(tx, said_then, turn.user_number, new) or remember(tx, said_then, turn.user_number, new)
        if isinstance(outcome, Remembered | AlreadyKnown):
            stored.append(outcome.memory)
            known_count += isinstance(outcome, AlreadyKnown)
            if isinstance(outcome, Remembered):
                learned.setdefault(said.message, (said.turn, []))[1].append(outcome.memory)
        else:
            doubtful.append(item)
            rivals.append(item)
    if ask:
        doubtful = worth_asking(tx, turn, doubtful, rivals) if doubtful else []
        tx.notices += [
            Notice(what="learned", owner=person, actor=turn.user_key, turn=said_in, learned=tuple(memories))
            for said_in, memories in learned.values()
        ]
    question = ask_to_save(tx, turn, doubtful) if ask and doubtful else None
    unasked = () if ask else tuple(doubtful)
    return Observed(latest.message, tuple(stored), question, unasked=unasked, known=known_count, refused=refused)


def _is_forgotten(tx: Tx, person: int, window: Sequence[QueuedMessage], item: Inferred) -> bool:
    """Whether the person had an item forgotten after these messages were written."""
    tx.sources = _said_in(tx, window, item)
    return says_forgotten(tx, {person}, item.text, {canonical(item.value, item.key), *former(item.value, item.key)})


def _said_in(tx: Tx, window: Sequence[QueuedMessage], item: Inferred) -> list[Source]:
    """The messages that an item was read from, in order: those that hold its excerpt, or the two that say it together.

    Where that is not known, all that were looked at together.
    """
    messages = [(queued.space, queued.message) for queued in window]
    if indexes := holders(item.excerpt, [queued.text for queued in window]):
        return [messages[index] for index in indexes]
    before = message_before(tx, window[0]) if item.excerpt else None
    if before is not None and item.excerpt and is_across(item.excerpt, before.text, window[0].text):
        return [(window[0].space, before.id), messages[0]]
    return messages


def _since(tx: Tx, turn: Turn, sentence: str, value: str) -> datetime | None:
    """Since when something is so, where the sentence that says it plainly says that as well."""
    zone = tx.settings.zone
    today = said_at(tx, turn).astimezone(zone).date()
    day = since_named(sentence, today) or began_named(sentence, value, today)
    return None if day is None else datetime.combine(day, time(), zone).astimezone(UTC)


def _looked(queued: QueuedMessage) -> tuple[str, int]:
    """By what it is known that a message was looked at, and with which text last: edits may bring one back."""
    digest = hashlib.blake2b(queued.text.encode(), digest_size=7).digest()
    return looked(queued.space, queued.message), int.from_bytes(digest, "big")


def dequeue(tx: Tx, queued: QueuedMessage) -> bool:
    """Take a message that was looked at out of the queue, unless it was edited meanwhile."""
    return tx.observations.dequeue(queued.space, queued.message, queued.text)


def dequeue_all(tx: Tx, looked_at: Iterable[QueuedMessage]) -> None:
    """Take all of these out, as `dequeue`."""
    for queued in looked_at:
        dequeue(tx, queued)
