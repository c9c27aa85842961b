"""What comes too late: a model was still at it when its message was taken back, or when somebody was erased."""

from __future__ import annotations

from datetime import datetime, timedelta

from zgadka.errors import ContentRefused
from zgadka.model.memory import StoredMemory
from zgadka.model.people import Role
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, speaker_of
from zgadka.stores.tx import Tx
from zgadka.text.off_record import wants_nothing_kept
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.words import index_words

_ERASED = "erased"
"""The chore up to whose time somebody was erased."""
_LONGEST_ANSWER = timedelta(hours=1)
"""A model is at a message no longer than this; what is older comes from elsewhere, as a history that is taken in."""
_TRIES = 3


def note_erased(tx: Tx) -> None:
    """Keep that somebody is erased now: of what began before, nobody knows any more whom it tells of."""
    for _ in range(_TRIES):
        previous = tx.tasks.reached(_ERASED)
        if (previous is not None and previous >= tx.now) or tx.tasks.go_on(_ERASED, previous, tx.now):
            return


def is_of_erased(tx: Tx, turn: Turn, role: Role = "user") -> bool:
    """Whether a turn's message was written before its person was erased; of an answer, shortly before anybody was."""
    if turn.time is None or not _is_before(turn.time, last := tx.tasks.reached(_ERASED)):
        return False
    if role == "assistant":
        return last is not None and last - turn.time <= _LONGEST_ANSWER
    wish = tx.wishes.get(turn.platform, turn.user_key)
    return wish is not None and _is_before(turn.time, wish.erased_at)


def is_taken_back(tx: Tx, turn: Turn) -> bool:
    """Whether the turn's message was taken back since it came: as `is_gone`, or its person called it a joke."""
    return is_joke(tx, turn) or is_gone(tx, turn)


def is_gone(tx: Tx, turn: Turn) -> bool:
    """Whether the turn's message was deleted, or edited to say something else, or was not to be kept, since it came."""
    if is_unwanted(tx, turn):
        return True
    person = speaker_of(tx, turn)
    if turn.text is None or person < 0:
        return False
    space, text = find_space(tx, turn), storable(turn.text)
    at = tx.forgotten_values.find_message(person, space, text)
    if at is None or at < (turn.time or tx.now - _LONGEST_ANSWER):
        return False
    # An edit may have it say so again.
    return turn.time is None or not tx.messages.has_copy(space, person, turn.chat, "", text=text, at=turn.time)


def is_unwanted(tx: Tx, turn: Turn) -> bool:
    """Whether the person had the turn's message removed, which the platform has still and may send edited."""
    person = speaker_of(tx, turn)
    if turn.message is None or person < 0:
        return False
    return tx.forgotten_values.is_unwanted(person, find_space(tx, turn), turn.chat, turn.message)


def is_joke(tx: Tx, turn: Turn) -> bool:
    """Whether the person has called the turn's message a joke since it was written; it is there all the same."""
    person = speaker_of(tx, turn)
    if turn.text is None or turn.time is None or person < 0:
        return False
    at = tx.forgotten_values.find_joke(person, find_space(tx, turn), storable(turn.text))
    return at is not None and at >= turn.time


def refuse_late(tx: Tx, turn: Turn, *, is_there: bool) -> None:
    """Let nothing be kept of a message that is there no longer, or whose person is not.

    Args:
        is_there: Whether the turn's message is there, perhaps with another text.

    Raises:
        ContentRefused: It was taken back since the turn began, or its person was erased.
    """
    if is_of_erased(tx, turn):
        raise ContentRefused("this was said before the person was erased", "erased")
    if is_joke(tx, turn) or (not is_there and is_gone(tx, turn)):
        raise ContentRefused("the message was taken back meanwhile", "taken_back")


def refuse_off_record(said: str | None) -> None:
    """Let nothing be kept where the person asks in the message that it be not remembered; None: it is not known.

    Raises:
        ContentRefused: They do.
    """
    if said is not None and wants_nothing_kept(said):
        raise ContentRefused("the person asks in this message that it be not remembered", "off_record")


def refuse_outdated(tx: Tx, turn: Turn, memory: StoredMemory) -> None:
    """Let nothing be kept of a message that says it no longer, or whose person had everything forgotten since.

    Raises:
        ContentRefused: It was edited since the turn began, or its person had everything forgotten.
    """
    person, space = speaker_of(tx, turn), find_space(tx, turn)
    if turn.time is not None and memory.owner == person:
        cleared = tx.forgotten_values.find_everything(person, space)
        if cleared is not None and _is_before(turn.time, cleared) and cleared - turn.time <= _LONGEST_ANSWER:
            raise ContentRefused("the person has had everything forgotten since", "forgotten")
    if turn.message is None or turn.text is None:
        return
    said = tx.messages.find_said(space, turn)
    if said is None or said.text is None:
        return
    told = (memory.content, memory.topic or "", *memory.tags)
    if any(_says_no_longer(storable(turn.text), said.text, part) for part in told):
        raise ContentRefused("the message was edited meanwhile, and says this no longer", "edited")


def keeps_most(former: str, text: str) -> bool:
    """Whether half of the words of a former text are still there: what was made of it in other words may be so."""
    words = frozenset(index_words(former))
    return 2 * len(words & frozenset(index_words(text))) >= len(words)


def _says_no_longer(former: str, text: str, content: str) -> bool:
    if former == text:
        return False
    saying = MentionIndex([(0, former), (1, text)]).of(content)
    gone = frozenset(index_words(former)) - frozenset(index_words(text))
    is_retold = not saying and not keeps_most(former, text) and not gone.isdisjoint(index_words(content))
    return saying == {0} or is_retold


def _is_before(written: datetime, moment: datetime | None) -> bool:
    """Platforms tell the second."""
    return moment is not None and written < moment.replace(microsecond=0)
