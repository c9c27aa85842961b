"""Look at what people write, each message once, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from zgadka.model.inference import LONGEST_TEXT, Inferred, Observed, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import AlreadyKnown, Remembered
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.messages import record
from zgadka.ops.questions import ask_to_save
from zgadka.ops.remember import New, remember
from zgadka.ops.rollout import decide
from zgadka.ops.scopes import ensure_space, person_named, privacy_of
from zgadka.ops.screen import keepable
from zgadka.stores.rollout import Noted
from zgadka.stores.tx import Tx
from zgadka.text.clean import storable

PATIENCE = timedelta(seconds=60)
"""Longer than all tiers of extraction together may take for one message."""
_KNOWN = timedelta(hours=12)
"""For how long it is known that a message was looked at; by then it is out of the line."""


class OvertakenError(Exception):
    """Somebody else looks at some of the messages of a window."""


@dataclass(frozen=True)
class Waiting:
    """An observed message that was not looked at yet; `text` is what its person wrote themselves."""

    space: int
    message: int
    turn: Turn
    text: str


def note_message(tx: Tx, turn: Turn, text: str, own_text: str) -> Waiting | Observed:
    """Keep a message and put it in line; the answer is final when there is nothing to look for.

    Args:
        text: The whole message.
        own_text: What of it the person wrote themselves: no quotes, no forwards.
    """
    space = ensure_space(tx, turn)
    turn = replace(turn, arm=turn.arm or decide(tx, turn).arm)
    if turn.message is not None and tx.was_looked_at(space, turn.chat, turn.message, text):
        return Observed(None, repeated=True)
    message = record(tx, turn, "user", text)
    if message is None:
        return Observed(None)
    tx.quote(space, message, own_text.strip() == text.strip())
    if privacy_of(tx, person_named(tx, turn, turn.user_name)) is not PrivacyLevel.MINIMAL:
        return Observed(message)
    return _put_in_line(tx, space, message, turn, own_text)


def hand_over(tx: Tx, turn: Turn, message: int, text: str) -> None:
    """Have a message that is kept already looked at by the automated arm, since the other one failed."""
    if privacy_of(tx, person_named(tx, turn, turn.user_name)) is PrivacyLevel.MINIMAL:
        _put_in_line(tx, ensure_space(tx, turn), message, replace(turn, arm="automated"), text)


def _put_in_line(tx: Tx, space: int, message: int, turn: Turn, text: str) -> Waiting:
    waiting = Waiting(space, message, replace(turn, text=None), storable(text))
    tx.put_in_line(space, message, waiting.turn, waiting.text)
    return waiting


def left_in_line(tx: Tx) -> list[Waiting]:
    """The messages that wait for longer than anyone takes to look at one: whoever was to do it is gone.

    What waits for its window is none of them.
    """
    left = [Waiting(*row) for row in tx.in_line_since(tx.now - PATIENCE)]
    return [waiting for waiting in left if waiting.turn.arm != "automated"]


def windows(tx: Tx) -> tuple[list[list[Waiting]], list[Waiting]]:
    """What automated chats have in line: windows to look at now, and messages that were looked at already.

    A window holds one person's messages of one conversation, in order: as many as the settings say and extraction
    takes, or fewer when the person has been silent since. A message that was looked at and is still in line, as after a
    crash, is in none.
    """
    waiting: dict[tuple[object, ...], list[Noted]] = {}
    done: list[Waiting] = []
    for noted in tx.noted():
        turn, one = noted.turn, Waiting(noted.space, noted.message, noted.turn, noted.text)
        if turn.arm != "automated":
            continue
        if tx.is_done(person_named(tx, turn, turn.user_name), _looked(one)):
            done.append(one)
        else:
            waiting.setdefault((noted.space, turn.conversation, turn.user_name), []).append(noted)
    settings = tx.settings
    silence = timedelta(seconds=settings.window_seconds)
    found = [
        [Waiting(noted.space, noted.message, noted.turn, noted.text) for noted in window]
        for line in waiting.values()
        for window in _divided(line, settings.window_messages)
        # A window that is not the last is full. What was noted later than now, was before the clock went back.
        if window[-1] is not line[-1]
        or len(window) >= settings.window_messages
        or not timedelta() <= tx.now - window[-1].at < silence
    ]
    return found, done


def _divided(line: Sequence[Noted], most: int) -> Iterator[list[Noted]]:
    """Divide what a person wrote into windows, none of which extraction would cut where it can be helped."""
    window: list[Noted] = []
    length = 0
    for noted in line:
        if window and (len(window) >= most or length + len(noted.text) >= LONGEST_TEXT):
            yield window
            window, length = [], 0
        window.append(noted)
        length += len(noted.text) + 1
    if window:
        yield window


def keep_inferred(
    tx: Tx, window: Sequence[Waiting], certain: Sequence[Inferred], uncertain: Sequence[Inferred], *, ask: bool = True
) -> Observed:
    """Remember what is certain and ask about what is not: all or nothing, and once for each text of a message.

    The messages are taken out of the line after that (`take_out_of_line`), since the line is the space's and what is
    kept is the person's. Where that fails, they are looked at again, and nothing comes of it.

    A certain value that another one contradicts is asked about, never stored over it.

    Args:
        window: One person's messages in one conversation that were looked at together, in order; mostly one.
        ask: False: what is uncertain is not kept.

    Raises:
        OvertakenError: Somebody else looks at some of the messages; nothing was done.
    """
    last = window[-1]
    turn = last.turn
    if not all(tx.is_in_line(one.space, one.message, one.text) for one in window):  # edited, or somebody was faster
        return Observed(last.message, repeated=True)
    person = person_named(tx, turn, turn.user_name)
    if person <= 0 or privacy_of(tx, person) is not PrivacyLevel.MINIMAL:  # they opted out meanwhile
        return Observed(last.message)
    fresh = [one for one in window if tx.once(person, _looked(one), _KNOWN)]
    if not fresh:
        return Observed(last.message, repeated=True)
    if len(fresh) < len(window):
        raise OvertakenError
    tx.arm = turn.arm
    stored: list[StoredMemory] = []
    known = 0
    sure, doubtful = keepable(tx.settings, certain), keepable(tx.settings, uncertain)
    refused = len(certain) + len(uncertain) - len(sure) - len(doubtful)
    for item in sure:
        new = New(content=item.value, type=item.type, key=item.key, confidence=item.confidence, excerpt=item.excerpt)
        outcome = remember(tx, turn, turn.user_number, new)
        if isinstance(outcome, Remembered | AlreadyKnown):
            stored.append(outcome.memory)
            known += isinstance(outcome, AlreadyKnown)
        else:
            doubtful.append(item)
    if not ask:
        return Observed(last.message, tuple(stored), unasked=tuple(doubtful), known=known, refused=refused)
    question: SaveQuestion | None = ask_to_save(tx, turn, doubtful) if doubtful else None
    return Observed(last.message, tuple(stored), question, known=known, refused=refused)


def _looked(waiting: Waiting) -> str:
    digest = hashlib.blake2b(waiting.text.encode(), digest_size=8).hexdigest()
    return f"looked:{waiting.space}:{waiting.message}:{digest}"


def take_out_of_line(tx: Tx, waiting: Waiting) -> bool:
    """Take a message that was looked at out of the line, unless it was edited meanwhile."""
    return tx.take_out_of_line(waiting.space, waiting.message, waiting.text)
