"""Look at what people write, each message once, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from zgadka.model.inference import Inferred, Observed, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import AlreadyKnown, Remembered
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.messages import record
from zgadka.ops.questions import ask_to_save
from zgadka.ops.remember import New, remember
from zgadka.ops.scopes import ensure_space, person_named, privacy_of
from zgadka.stores.tx import Tx
from zgadka.text.clean import storable

PATIENCE = timedelta(seconds=60)
"""Longer than all tiers of extraction together may take for one message."""
_KNOWN = timedelta(hours=12)
"""For how long it is known that a message was looked at; by then it is out of the line."""


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
    if turn.message is not None and tx.was_looked_at(space, turn.chat, turn.message, text):
        return Observed(None, repeated=True)
    message = record(tx, turn, "user", text)
    if message is None:
        return Observed(None)
    if privacy_of(tx, person_named(tx, turn, turn.user_name)) is not PrivacyLevel.MINIMAL:
        return Observed(message)
    waiting = Waiting(space, message, replace(turn, text=None), storable(own_text))
    tx.put_in_line(space, message, waiting.turn, waiting.text)
    return waiting


def left_in_line(tx: Tx) -> list[Waiting]:
    """The messages that wait for longer than anyone takes to look at one: whoever was to do it is gone."""
    return [Waiting(*row) for row in tx.in_line_since(tx.now - PATIENCE)]


def keep_inferred(
    tx: Tx, waiting: Waiting, certain: Sequence[Inferred], uncertain: Sequence[Inferred], *, ask: bool = True
) -> Observed:
    """Remember what is certain and ask about what is not: all or nothing, and once for each text of a message.

    The message is taken out of the line after that (`take_out_of_line`), since the line is the space's and what is
    kept is the person's. Where that fails, the message is looked at again, and nothing comes of it.

    A certain value that another one contradicts is asked about, never stored over it.

    Args:
        ask: False: what is uncertain is not kept.
    """
    if not tx.is_in_line(waiting.space, waiting.message, waiting.text):  # edited, or somebody else was faster
        return Observed(waiting.message, repeated=True)
    turn = waiting.turn
    person = person_named(tx, turn, turn.user_name)
    if person <= 0 or privacy_of(tx, person) is not PrivacyLevel.MINIMAL:  # they opted out meanwhile
        return Observed(waiting.message)
    digest = hashlib.blake2b(waiting.text.encode(), digest_size=8).hexdigest()
    if not tx.once(person, f"looked:{waiting.space}:{waiting.message}:{digest}", _KNOWN):
        return Observed(waiting.message, repeated=True)
    stored: list[StoredMemory] = []
    doubtful = list(uncertain)
    for item in certain:
        new = New(content=item.value, type=item.type, key=item.key, confidence=item.confidence, excerpt=item.excerpt)
        outcome = remember(tx, turn, turn.user_number, new)
        if isinstance(outcome, Remembered | AlreadyKnown):
            stored.append(outcome.memory)
        else:
            doubtful.append(item)
    if not ask:
        return Observed(waiting.message, tuple(stored), unasked=tuple(doubtful))
    question: SaveQuestion | None = ask_to_save(tx, turn, doubtful) if doubtful else None
    return Observed(waiting.message, tuple(stored), question)


def take_out_of_line(tx: Tx, waiting: Waiting) -> bool:
    """Take a message that was looked at out of the line, unless it was edited meanwhile."""
    return tx.take_out_of_line(waiting.space, waiting.message, waiting.text)
