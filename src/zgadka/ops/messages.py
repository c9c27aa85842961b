"""Keep what is said in a chat, and read its last messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from zgadka.model.people import Member, Message, Role
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.rollout import see_chat
from zgadka.ops.scopes import ensure_space, find_space, person_named, privacy_of
from zgadka.ops.stretches import follow
from zgadka.stores.tx import Tx
from zgadka.text.clean import storable


def record(tx: Tx, turn: Turn, role: Role, text: str) -> int | None:
    """Keep one message of the turn's chat; returns its id. The same platform message again replaces the first.

    None: the person is invisible to memory, and neither they nor what they are told is kept.
    Characters that no database can store are replaced, for what people wrote must not be lost.
    """
    space = ensure_space(tx, turn)
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    if privacy_of(tx, person) is PrivacyLevel.FULL:
        return None
    tx.see_member(space, person)
    decision, chat = see_chat(tx, space, turn)
    message, is_new = tx.add_message(
        space,
        person,
        chat=turn.chat,
        thread=turn.thread or "",
        lineage=turn.persona,
        role=role,
        text=storable(text),
        source=turn.message,
        at=turn.time or tx.now,
    )
    # An edit belongs to the stretch that its message is in, which may have become an episode long ago.
    if role == "user" and is_new:
        has_stretch = chat is not None and chat.has_stretch
        follow(tx, space, turn, message, turn.arm or decision.arm, has_stretch=has_stretch)
    return message


def unrecord(tx: Tx, turn: Turn) -> bool:
    """Remove the person's message that the platform calls `turn.message`; False when it is not there."""
    if turn.message is None:
        return False
    return tx.remove_message(find_space(tx, turn), turn.chat, turn.message)


def spaces_to_tidy(tx: Tx) -> list[int]:
    """The spaces that have messages past their days, also those that are kept for longer."""
    return tx.spaces_with_messages_before(_oldest(tx))


def expire(tx: Tx, space: int, limit: int) -> int:
    """Remove at most `limit` of the space's ordinary messages past their days; returns how many.

    What is marked important or is part of a live episode stays.
    """
    return tx.expire_messages(space, _oldest(tx), limit)


def recent(tx: Tx, turn: Turn, limit: int) -> list[Message]:
    """The last messages of the turn's chat and thread, oldest first.

    What people said who are invisible to memory is left out, and what they were told.
    """
    last = tx.recent_messages(
        find_space(tx, turn), chat=turn.chat, thread=turn.thread or "", lineage=turn.persona, limit=limit
    )
    levels = {user: privacy_of(tx, person_named(tx, turn, user)) for user in {one.user for one in last}}
    return [one for one in last if levels[one.user] is not PrivacyLevel.FULL]


def report_member(tx: Tx, platform: str, space: str, member: Member) -> None:
    """Keep what the host reports of a member of a space."""
    person = tx.ensure_owner("person", platform, member.user)
    tx.put_member(tx.ensure_owner("space", platform, space), person, member)


def _oldest(tx: Tx) -> datetime:
    """The time before which ordinary messages go; the calendar's first year for any number of days."""
    days = min(tx.settings.message_days, (tx.now - datetime.min.replace(tzinfo=UTC)).days)
    return tx.now - timedelta(days=days)
