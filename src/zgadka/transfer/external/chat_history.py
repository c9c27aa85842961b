"""`zgadka learn`: what people wrote before there was a memory goes through it now."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.inference import PastMessage
from zgadka.model.limits import LONGEST_MESSAGE
from zgadka.model.people import Member
from zgadka.model.turn import Turn
from zgadka.model.wish import Wish
from zgadka.observer import InferMany
from zgadka.ops.access import as_read_now
from zgadka.stores.tx import Tx

_CHATS_AT_ONCE = 8
_TOGETHER = 100
"""Messages of a chat that share their transactions."""
_BLOCK = 52
"""Messages whose marks share a number: each has a bit of it, and numbers stay below 2^53."""


@dataclass(frozen=True, kw_only=True)
class Past(PastMessage):
    """One message of an export.

    Attributes:
        number: The message's own within the chat; what was learned once is not looked at again.
    """

    number: int


@dataclass(frozen=True, kw_only=True)
class PastChat:
    """A chat of an export: its members, where it is a group, and its messages in order."""

    platform: str
    space: str
    members: tuple[Member, ...] = ()
    messages: tuple[Past, ...]


@dataclass
class _Marks:
    """Which messages of a chat were learned: by name of a block, a bit each.

    Attributes:
        fresh: What is not in the store yet.
    """

    known: dict[str, int] = field(default_factory=dict[str, int])
    fresh: dict[str, int] = field(default_factory=dict[str, int])

    async def look_up(self, memory: Memory, messages: Iterable[Past]) -> None:
        """Learn from the store which of these messages were learned before."""
        lines = [(_mark_of(past.turn), past) for past in messages]
        names = {name for line, past in lines for name in (line, _block_of(line, past)[0])} - self.known.keys()
        if names:
            self.known |= await memory.look(_last_ids, names)

    def has(self, past: Past) -> bool:
        """Whether a message was learned before, or is just now."""
        line = _mark_of(past.turn)
        block, bit = _block_of(line, past)
        # An older program marked how far it came, and nobody knows what it had before that.
        return past.number <= self.known[line] or bool(self.known[block] & bit)

    def add(self, past: Past) -> None:
        """Mark a message as learned."""
        block, bit = _block_of(_mark_of(past.turn), past)
        self.known[block] |= bit
        self.fresh[block] = self.known[block]

    async def keep(self, memory: Memory) -> None:
        """Store the new marks."""
        if self.fresh:
            fresh, self.fresh = self.fresh, {}
            await memory.apply(_keep_marks, fresh)


@dataclass
class Learned:
    """What came of an export, in numbers.

    Attributes:
        messages: Looked at now.
        before: Looked at before, and left alone.
        stored: Things said for certain, also those known before.
        uncertain: Things not said for certain: dropped, or asked about where that was wanted.
        left_out: Messages of people who want no memory, of bots, or of others than those asked for.
        erased_since: Messages of people who were erased after they wrote them.
        too_long: Messages that are longer than any that is kept.
    """

    messages: int = 0
    before: int = 0
    stored: int = 0
    uncertain: int = 0
    left_out: int = 0
    erased_since: int = 0
    too_long: int = 0

    def as_json(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


def read_export(path: Path) -> list[PastChat]:
    """Read an export of any kind that is known here.

    Raises:
        InvalidInput: The file cannot be read, or is no export that is known.
    """
    from zgadka.transfer.external.discord_export import discord_chats  # noqa: PLC0415
    from zgadka.transfer.external.telegram_export import telegram_chats  # noqa: PLC0415

    try:
        exported = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read {str(path)!r} as JSON: {error}") from error
    if isinstance(exported, dict):
        for chats_of in (telegram_chats, discord_chats):
            if (chats := chats_of(cast("Mapping[str, Any]", exported))) is not None:
                return chats
    raise InvalidInput(
        f"{str(path)!r} is not a chat export that zgadka can read: give Telegram Desktop's JSON (result.json) or"
        " DiscordChatExporter's"
    )


async def learn(
    memory: Memory,
    chats: Sequence[PastChat],
    *,
    users: Collection[str] = (),
    ask: bool = False,
    infer: InferMany | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Learned:
    """Have the messages looked at, in order per chat; what was learned before is left alone.

    What is interrupted goes on from there when it is done again.

    Args:
        users: Only these people's messages, by the platform's ids; empty: everybody's.
        ask: Whether to ask people about what they did not say for certain; a bot shows the questions.
        infer: Infers from many texts at once; None: as the memory does.
        progress: Is told how many messages more are done.
    """
    learned = Learned()
    at_once = asyncio.Semaphore(_CHATS_AT_ONCE)
    share_size = 1 if ask else _TOGETHER  # whether a message answers a question, only what came of the others tells

    async def learn_chat(chat: PastChat) -> None:
        async with at_once:
            chat, bots = await _report_chat(memory, chat)
            wishes = await memory.look(_wishes, chat)
            marks = _Marks()
            for start in range(0, len(chat.messages), share_size):
                share = chat.messages[start : start + share_size]
                wanted: list[Past] = []
                for past in share:
                    user = past.turn.user_key
                    if user in bots or (users and user not in users):
                        learned.left_out += 1
                    elif user in wishes and wishes[user].covers(past.turn.time):
                        learned.erased_since += 1
                    elif len(past.text) > LONGEST_MESSAGE:
                        learned.too_long += 1
                    else:
                        wanted.append(past)
                await _learn_share(memory, wanted, marks, learned, ask=ask, infer=infer)
                progress(len(share))

    await asyncio.gather(*map(learn_chat, chats))
    return learned


async def _report_chat(memory: Memory, chat: PastChat) -> tuple[PastChat, set[str]]:
    """Report the members of a chat; returns it for those who read it here, and who of them is no person."""
    bots: set[str] = set()
    chat = await memory.look(_for_its_readers, chat)
    for member in chat.members:
        stored = await memory.look(_member, chat.platform, chat.space, member.user)
        if (stored or member).kind != "person":
            bots.add(member.user)
        if stored is None or (stored.name is None and member.name is not None):
            # What a live bot reported knows more: the role, and whether the member is still there.
            left_at = None if stored is None else stored.left_at
            await memory.report_member(chat.platform, chat.space, replace(member, left_at=left_at))
    return chat, bots


async def _learn_share(
    memory: Memory, share: Sequence[Past], marks: _Marks, learned: Learned, *, ask: bool, infer: InferMany | None
) -> None:
    await marks.look_up(memory, share)
    fresh: list[Past] = []
    for past in share:
        if marks.has(past):
            learned.before += 1
        else:
            marks.add(past)
            fresh.append(past)
    for observed in await memory.observe_past(fresh, ask=ask, infer=infer):
        if observed.repeated:
            learned.before += 1
        elif observed.message is None:
            learned.left_out += 1
        else:
            learned.messages += 1
            learned.stored += len(observed.stored)
            learned.uncertain += len(observed.unasked)
            learned.uncertain += len(observed.question.items) if observed.question is not None else 0
    await marks.keep(memory)


def _mark_of(turn: Turn) -> str:
    """The name under which is kept which messages of a person in a chat were learned; it names nobody."""
    identity = "\0".join((turn.platform, *turn.place, turn.chat, turn.thread or "", turn.user_key, str(turn.persona)))
    return "learned:" + hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def _block_of(line: str, past: Past) -> tuple[str, int]:
    block, offset = divmod(past.number, _BLOCK)
    return f"{line}:{block}", 1 << offset


def _last_ids(tx: Tx, names: Iterable[str]) -> dict[str, int]:
    return {name: tx.last_id(name) for name in names}


def _keep_marks(tx: Tx, marks: Mapping[str, int]) -> None:
    for name, bits in marks.items():
        tx.raise_id(name, tx.last_id(name) | bits)


def _wishes(tx: Tx, chat: PastChat) -> Mapping[str, Wish]:
    """What those who write in the chat wished, by the platform's id."""
    if not tx.wishes.are_there():
        return {}
    wishes = {user: tx.wishes.get(chat.platform, user) for user in {past.turn.user_key for past in chat.messages}}
    return {user: wish for user, wish in wishes.items() if wish is not None}


def _for_its_readers(tx: Tx, chat: PastChat) -> PastChat:
    """The chat whose messages are for those who read it now, as a live bot reported."""
    if not chat.messages:
        return chat
    audience = as_read_now(tx, chat.messages[0].turn).audience
    messages = tuple(replace(past, turn=replace(past.turn, audience=audience)) for past in chat.messages)
    return replace(chat, messages=messages)


def _member(tx: Tx, platform: str, space: str, user: str) -> Member | None:
    space_id, person_id = tx.owners.find("space", platform, space), tx.owners.find("person", platform, user)
    return None if space_id is None or person_id is None else tx.members.get(space_id, person_id)
