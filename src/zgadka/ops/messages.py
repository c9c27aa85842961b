"""Keep what is said in a chat, and read its last messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from zgadka.errors import InvalidInput
from zgadka.model.check import moment
from zgadka.model.inference import EXPORTED
from zgadka.model.limits import LONGEST_MESSAGE
from zgadka.model.people import Member, Message, Role
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import Grant
from zgadka.model.turn import LONGEST_ID, Turn
from zgadka.ops import message_blocks
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    find_space,
    invisible,
    person_named,
    refuse_others_message,
    speaker_of,
    speaker_privacy,
    with_readers,
)
from zgadka.ops.auto_episodes import follow
from zgadka.ops.close_chat import set_readers
from zgadka.ops.edits import Denies, take_back
from zgadka.ops.foresight import foresee_record
from zgadka.ops.former_names import note_renaming
from zgadka.ops.late import is_of_erased, is_unwanted
from zgadka.ops.open_questions import drop_ordered, is_asked_since
from zgadka.ops.quotes import Quoted, find_quoted, note_quoted
from zgadka.ops.rollout import see_chat
from zgadka.ops.sources import note_given
from zgadka.ops.unrecord import remove_unwanted, unrecord
from zgadka.ops.untold import tell_edited, untold_from_now
from zgadka.ops.worth_asking import supersede
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import ABOVE_ALL, SaidMessage
from zgadka.text.off_record import is_off_record, takes_back
from zgadka.text.sanitize import storable

_JUST_SAID = timedelta(minutes=5)
_PROMPTLY = timedelta(seconds=5)
"""What comes so soon after it was written, no export had before."""
_AHEAD = timedelta(days=1)
"""No clock is ahead by more: what says so was written now, and is not kept the longer for it."""
_LOOKED_BACK = 20
"""Among so many of the conversation's last messages is what somebody said just before."""
_OFF_RECORD = "its person asked that it be not remembered"


def _written_by_now(tx: Tx, turn: Turn) -> Turn:
    """The turn, without a time that is further ahead than any clock."""
    is_ahead = turn.time is not None and turn.time - tx.now > _AHEAD
    return replace(turn, time=None) if is_ahead else turn


def record(
    tx: Tx,
    turn: Turn,
    role: Role,
    text: str,
    *,
    given: Iterable[int] = (),
    grant: Grant | None = None,
    denies: Denies | None = None,
) -> int | None:
    """Keep one message of the turn's chat; returns its id. The same platform message again replaces the first.

    What a person's message says no longer is forgotten with its former text (see `take_back`).

    Without a platform's id, the same words of the same time are the same message: whoever does not know what came of it
    can ask again.

    None: the person is invisible to memory, and neither they nor what they are told is kept; or they edited the message
    to say that it be not remembered, or one that they had removed; or it was written before they were erased, and an
    answer, before anybody was.
    Characters that no database can store are replaced, for what people wrote must not be lost.

    Args:
        given: The ids of the memories that an answer was given.
        grant: What whoever asks may do. None: it is the host itself.
        denies: Tells whether an edited text takes a value back that it still holds.

    Raises:
        InvalidInput: It is longer than any message.
        NotAllowed: The platform's message is another's.
    """
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(f"a message may have up to {LONGEST_MESSAGE:,} characters, not {len(text):,}")
    turn = _written_by_now(tx, turn)
    foresee_record(tx, turn)
    level = speaker_privacy(tx, turn)
    quoted = find_quoted(tx, turn, text) if role == "user" else Quoted(text)
    is_refused = is_of_erased(tx, turn, role) or (role == "user" and is_unwanted(tx, turn))
    if level is PrivacyLevel.FULL or is_refused or quoted.kept is None:
        if role == "user":  # nothing new is kept, and what the message said before is not what it says
            _unrecord_edited(tx, turn, text, grant)
        return None
    space = ensure_space(tx, turn)
    person = ensure_speaker(tx, turn)
    tx.members.mark_present(space, person, level, turn.time)
    decision, chat = see_chat(tx, space, turn)
    turn = with_readers(tx, turn)
    audience = communal_scope(tx, turn).audience
    if chat is not None and chat.audience != audience:
        set_readers(tx, space, turn.chat, turn.readers)
    text_kept = storable(quoted.kept)
    if (known := _find_unnamed(tx, turn, space, person, role, text_kept)) is not None:
        return known
    said = _find_said(tx, turn, space, person, text_kept) if role == "user" else None
    if role == "user" and said is None and takes_back(text):
        _take_back(tx, turn, space, person)
    if said is not None and said.text != text_kept and is_off_record(text):
        unrecord(tx, turn, grant)
        return None
    if said is not None:
        supersede(tx, turn, space, text)
        drop_ordered(tx, turn, said.text, text_kept)
        take_back(tx, person, (space, said.id), said.text, text_kept, denies)
    is_edit = said is not None and said.text != text_kept
    withheld = untold_from_now(tx, turn, space, person, role, text, given=given, is_edit=is_edit)
    message, is_new, author = tx.messages.add(
        space,
        person,
        turn.conversation,
        role=role,
        text=text_kept,
        source=turn.message if said is None else said.source,
        at=turn.time or tx.now,
        withheld=withheld,
        audience=audience,
    )
    if is_new:
        message_blocks.follow(tx, space, turn.conversation, message)
    refuse_others_message(tx, turn, author, grant, is_edit=role == "user")
    if role == "assistant":
        note_given(tx, turn, message, text, given)
        return message
    if said is not None and is_edit:
        tell_edited(tx, space, person, message, said.text or "", text_kept, withheld)
    note_quoted(tx, space, message, quoted, is_edit=not is_new)
    # An edit belongs to the stretch that its message is in, which may have become an episode long ago.
    if is_new:
        has_stretch = chat is not None and chat.has_stretch
        follow(tx, space, turn, message, turn.arm or decision.arm, has_stretch=has_stretch)
    return message


def _find_unnamed(tx: Tx, turn: Turn, space: int, person: int, role: Role, text: str) -> int | None:
    if turn.message is not None or turn.time is None:
        return None
    return tx.messages.find_unnamed(space, person, turn.conversation, role=role, text=text, at=turn.time)


def _find_said(tx: Tx, turn: Turn, space: int, person: int, text: str) -> SaidMessage | None:
    """The turn's message as it was kept, also from an export, which did not know its id."""
    said = tx.messages.find_said(space, turn)
    if said is not None or turn.message is None or turn.time is None or tx.now - turn.time <= _PROMPTLY:
        return said
    if turn.message.startswith(EXPORTED):
        return None
    tx.messages.name_exported(space, person, turn.chat, turn.message, text=text, at=turn.time)
    return tx.messages.find_said(space, turn)


def _take_back(tx: Tx, turn: Turn, space: int, person: int) -> None:
    """Remove what the person wants not remembered, and what was made from it alone.

    It is what they reply to, if that is theirs; else what they said just before there. Not where they were asked
    something there since, for then they answer that.
    """
    if turn.replies_to is not None:
        replied = tx.messages.find_said(space, replace(turn, message=turn.replies_to, time=None))
        if replied is not None:
            _take_back_own(tx, person, space, replied.id)
        return
    said = said_just_before(tx, turn, turn.time or tx.now)
    if said is not None and not is_asked_since(tx, turn, said.at):
        remove_unwanted(tx, person, space, said.id, reason=_OFF_RECORD)


def said_just_before(tx: Tx, turn: Turn, at: datetime, *, before: int = ABOVE_ALL) -> Message | None:
    """The speaker's last message of the turn's conversation, if they wrote it within five minutes until then.

    Args:
        before: Its id is below it.
    """
    latest = tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, _LOOKED_BACK, before=before)
    said = next((each for each in reversed(latest) if each.role == "user" and each.user == turn.user_key), None)
    return said if said is not None and timedelta() <= at - said.at <= _JUST_SAID else None


def take_back_told(tx: Tx, turn: Turn, ids: Iterable[int]) -> None:
    """Remove what the speaker said that memories of theirs were made from, of which they were told so."""
    person = speaker_of(tx, turn)
    for memory in tx.memories.get_many(person, ids).values():
        for space, message in tx.memories.sources_of(memory):
            _take_back_own(tx, person, space, message)


def _take_back_own(tx: Tx, person: int, space: int, message: int) -> None:
    if tx.messages.authors(space, [message]).get(message) == (person, "user"):
        remove_unwanted(tx, person, space, message, reason=_OFF_RECORD)


def _unrecord_edited(tx: Tx, turn: Turn, text: str, grant: Grant | None) -> None:
    said = tx.messages.find_said(find_space(tx, turn), turn)
    if said is not None and said.text != storable(text):
        unrecord(tx, turn, grant)


def spaces_to_tidy(tx: Tx) -> list[int]:
    """The spaces that have ordinary messages past their days."""
    return tx.messages.spaces_with_older(_oldest(tx))


def expire(tx: Tx, space: int, limit: int) -> tuple[int, int]:
    """Remove at most `limit` of the space's ordinary messages past their days, as `Messages.expire` does.

    What is marked important or is part of a live episode stays.
    """
    return tx.messages.expire(space, _oldest(tx), limit)


def recent(tx: Tx, turn: Turn, limit: int) -> list[Message]:
    """The last messages of the turn's chat and thread, oldest first.

    What people said who are invisible to memory is left out, and what they were told.
    """
    latest = tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, limit)
    people = people_behind(tx, turn, latest)
    return [message for message in latest if message.user in people]


def kept_message(tx: Tx, turn: Turn) -> tuple[int, str] | None:
    """The id and the present text of the turn's message; None: it is not kept."""
    said = tx.messages.find_said(find_space(tx, turn), turn)
    return None if said is None or said.text is None else (said.id, said.text)


def people_behind(tx: Tx, turn: Turn, messages: Iterable[Message]) -> dict[str, int]:
    """Owner ids of the people behind messages, without those who are invisible to memory."""
    users = dict.fromkeys(message.user for message in messages)
    people = {user: person_named(tx, turn, user) for user in users}
    unseen = invisible(tx, people.values(), find_space(tx, turn))
    return {user: person for user, person in people.items() if person not in unseen}


def report_member(tx: Tx, platform: str, space: str, member: Member) -> None:
    """Keep what the host reports of a member of a space.

    Raises:
        InvalidInput: `left_at` does not say its time zone.
    """
    if member.left_at is not None:
        moment("left_at", member.left_at)
    person = tx.owners.ensure("person", platform, member.user)
    names = {name: text and text[:LONGEST_ID] for name, text in (("name", member.name), ("nickname", member.nickname))}
    known = replace(member, **names)
    place = tx.owners.ensure("space", platform, space)
    note_renaming(tx, place, person, known)
    tx.members.put(place, person, known)


def _oldest(tx: Tx) -> datetime:
    """The time before which ordinary messages go; the calendar's first year for any number of days."""
    days = min(tx.settings.message_days, (tx.now - datetime.min.replace(tzinfo=UTC)).days)
    return tx.now - timedelta(days=days)
