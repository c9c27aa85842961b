"""`zgadka learn`: what people wrote before there was a memory goes through it now."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.people import Member
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

_CHATS_AT_ONCE = 8
_MARK_EVERY = 50


@dataclass(frozen=True, kw_only=True)
class Past:
    """One message of an export.

    Attributes:
        number: Grows within the chat; what was learned up to a number is not looked at again.
        own_text: What of the text the person wrote themselves.
    """

    number: int
    turn: Turn
    text: str
    own_text: str


@dataclass(frozen=True, kw_only=True)
class PastChat:
    """A chat of an export: its members, where it is a group, and its messages in order."""

    platform: str
    space: str
    members: tuple[Member, ...] = ()
    messages: tuple[Past, ...]


@dataclass
class Learned:
    """What came of an export, in numbers.

    Attributes:
        messages: Looked at now.
        before: Looked at before, and left alone.
        stored: Things said for certain, also those known before.
        uncertain: Things not said for certain: dropped, or asked about where that was wanted.
        left_out: Messages of people who want no memory, of bots, or of others than those asked for.
    """

    messages: int = 0
    before: int = 0
    stored: int = 0
    uncertain: int = 0
    left_out: int = 0

    def as_json(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


def read_export(path: Path) -> list[PastChat]:
    """Read an export of any kind that is known here.

    Raises:
        InvalidInput: The file cannot be read, or is no export that is known.
    """
    from zgadka.adapters.discord_export import discord_chats  # noqa: PLC0415
    from zgadka.adapters.telegram_history import telegram_chats  # noqa: PLC0415

    try:
        exported = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read {str(path)!r} as JSON: {error}") from error
    if isinstance(exported, dict):
        for chats_of in (telegram_chats, discord_chats):
            if (chats := chats_of(cast("Mapping[str, Any]", exported))) is not None:
                return chats
    raise InvalidInput(
        f"{str(path)!r} is no export that is known here: give Telegram Desktop's JSON (result.json) or"
        " DiscordChatExporter's"
    )


async def learn(
    memory: Memory,
    chats: Sequence[PastChat],
    *,
    users: Collection[str] = (),
    ask: bool = False,
    progress: Callable[[int], object] = lambda _: None,
) -> Learned:
    """Have the messages looked at, in order per chat; what was learned before is left alone.

    Args:
        users: Only these people's messages, by the platform's ids; empty: everybody's.
        ask: Whether to ask people about what they did not say for certain; a bot shows the questions.
        progress: Is told how many messages more are done.
    """
    learned = Learned()
    at_once = asyncio.Semaphore(_CHATS_AT_ONCE)

    async def one(chat: PastChat) -> None:
        async with at_once:
            await _learn_chat(memory, chat, learned, users, ask=ask, progress=progress)

    await asyncio.gather(*map(one, chats))
    return learned


async def _learn_chat(
    memory: Memory,
    chat: PastChat,
    learned: Learned,
    users: Collection[str],
    *,
    ask: bool,
    progress: Callable[[int], object],
) -> None:
    bots: set[str] = set()
    for member in chat.members:
        known = await memory.look(_member, chat.platform, chat.space, member.user)
        if (known or member).kind != "person":
            bots.add(member.user)
        if known is None or (known.name is None and member.name is not None):
            # What a live bot reported knows more: the role, and whether the member is still there.
            await memory.report_member(chat.platform, chat.space, member)
    marks: dict[str, int] = {}
    try:
        for past in chat.messages:
            user = past.turn.user_name
            if user in bots or (users and user not in users):
                learned.left_out += 1
            else:
                await _learn_message(memory, past, marks, learned, ask=ask)
            progress(1)
    finally:
        await memory.apply(_raise_marks, marks)


async def _learn_message(memory: Memory, past: Past, marks: dict[str, int], learned: Learned, *, ask: bool) -> None:
    mark = _mark_of(past.turn)
    if mark not in marks:
        marks[mark] = await memory.look(Tx.last_id, mark)
    if past.number <= marks[mark]:
        learned.before += 1
        return
    observed = await memory.observe(past.text, past.turn, own_text=past.own_text, ask=ask, at_once=True)
    if observed.repeated:
        learned.before += 1
    elif observed.message is None:
        learned.left_out += 1
    else:
        learned.messages += 1
        learned.stored += len(observed.stored)
        learned.uncertain += len(observed.unasked)
        learned.uncertain += len(observed.question.items) if observed.question is not None else 0
    marks[mark] = past.number
    if learned.messages % _MARK_EVERY == 0:
        await memory.apply(_raise_marks, dict(marks))


def _mark_of(turn: Turn) -> str:
    """The name under which is kept how far a person's messages of a chat were learned; it names nobody."""
    place = "\0".join((turn.platform, *turn.place, turn.chat, turn.thread or "", turn.user_name, str(turn.persona)))
    return "learned:" + hashlib.blake2b(place.encode(), digest_size=16).hexdigest()


def _raise_marks(tx: Tx, marks: Mapping[str, int]) -> None:
    for name, number in marks.items():
        tx.raise_id(name, number)


def _member(tx: Tx, platform: str, space: str, user: str) -> Member | None:
    place, person = tx.find_owner("space", platform, space), tx.find_owner("person", platform, user)
    return None if place is None or person is None else tx.member(place, person)
