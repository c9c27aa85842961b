"""What happens on a platform, and what the core asks of it; a platform's wire translates between these and its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from zgadka.chat.questions import Button
from zgadka.locales import Language
from zgadka.model.people import Member, Title
from zgadka.model.turn import Turn
from zgadka.text.sanitize import cut

NOTED = "\N{WRITING HAND}"
"""The reaction on a message of which something is remembered."""

LEFT_OUT = "`…`"
"""Stands in somebody's own words for code and for what they struck out: extraction reads neither."""

Rows = Sequence[Sequence[Button]]
"""Buttons, row by row."""


# From the platform to the core


@dataclass(frozen=True, kw_only=True)
class Membership:
    """People are, or were, in a space.

    Attributes:
        roles_known: Whether `Member.role` is what the platform says. If not, the core asks for the administrators.
    """

    space: str
    members: tuple[Member, ...]
    roles_known: bool = True


@dataclass(frozen=True, kw_only=True)
class Readership:
    """Who reads the chats of a space now, where not everybody in it does.

    Attributes:
        readers: By chat, the names of its groups of readers, as in `Turn.audience`; none: all who read the space.
    """

    space: str
    readers: Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Titles:
    """What a space, or chats and threads of it, are called now."""

    space: str
    titles: tuple[Title, ...]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A space, and the one chat that it is, has another id.

    Attributes:
        into: The new id of both.
    """

    space: str
    into: str


@dataclass(frozen=True, kw_only=True)
class Account:
    """The bot speaks by this account, which other bots see."""

    user: str


@dataclass(frozen=True, kw_only=True)
class Presence:
    """The bot was removed from a space, or is there (again)."""

    space: str
    is_here: bool


@dataclass(frozen=True, kw_only=True)
class Message:
    """Somebody wrote, or edited, a message.

    Attributes:
        text: The whole message as people read it; quoted lines begin with `> `, the bot's own name is left out.
        own_text: What of it the person wrote themselves; empty for forwards. `LEFT_OUT` stands for code and what was
            struck out. None for bots and bridges: the message is kept, and nothing is learned from it.
        language: That of the person's app; None where it is not one of ours.
        to_bot: Whether the bot should answer: in a direct chat, when named, when replied to.
        voice: The file of a voice message, for whoever can write down what is said in it.
        borrowed: Whether somebody else wrote or spoke it.
        answers: The data of the buttons under the bot's message that it replies to.
        replied_to: That message.
        replied_text: What it says.
        to_another: Whether it is said to somebody else: it replies to their message, or names them and not the bot.
    """

    turn: Turn
    text: str
    own_text: str | None
    language: Language | None = None
    edited: bool = False
    to_bot: bool = False
    voice: str | None = None
    borrowed: bool = False
    answers: tuple[str, ...] = ()
    replied_to: str | None = None
    replied_text: str = ""
    to_another: bool = False


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """A message was deleted on the platform.

    Attributes:
        turns: Where it may have been kept.
    """

    turns: tuple[Turn, ...]


@dataclass(frozen=True, kw_only=True)
class Command:
    """A person gave a command.

    Attributes:
        name: Without the slash and in lower case.
        argument: What follows it.
        answers: The data of the buttons under the bot's message that the command replies to.
        replied_to: That message.
        about: Names somebody's message that the command replies to.
        replied_text: What the message that it replies to says, if that is the bot's or the person's own.
        source: The platform's own object, which comes back with the answer.
    """

    turn: Turn
    name: str
    argument: str = ""
    language: Language | None = None
    answers: tuple[str, ...] = ()
    replied_to: str | None = None
    about: Turn | None = None
    replied_text: str = ""
    source: object = None


@dataclass(frozen=True, kw_only=True)
class Press:
    """A person pressed a button.

    Attributes:
        text: The text above the button; empty where the platform does not tell it.
        buttons: The data of all buttons of that message, where the platform tells them.
        source: The platform's own object, which comes back with the answer.
    """

    turn: Turn
    data: str
    text: str = ""
    buttons: tuple[str, ...] = ()
    language: Language | None = None
    source: object = None


Event = Account | Membership | Readership | Titles | Move | Presence | Message | Deletion | Command | Press


# From the core to the platform


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a message goes.

    Attributes:
        chat: The chat; None: the direct chat with `user`.
        reply_to: The message that it answers.
    """

    chat: str | None = None
    thread: str | None = None
    reply_to: str | None = None
    user: str | None = None

    @classmethod
    def of(cls, turn: Turn, *, replies: bool = True) -> Address:
        """Where the turn was; in a group as a reply to its message."""
        return cls(chat=turn.chat, thread=turn.thread, reply_to=turn.message if replies and not turn.direct else None)


@dataclass(frozen=True, kw_only=True)
class Content:
    """A message of the bot's.

    Attributes:
        tone: Of a notice: a memory was changed, or is gone.
        pings: Whether the person it replies to should hear of it.
    """

    text: str
    rows: Rows = ()
    title: str = ""
    footer: str = ""
    tone: Literal["changed", "gone"] | None = None
    pings: bool = False

    @property
    def plain(self) -> str:
        """Title, text and footer in one, for platforms without cards."""
        return "\n".join(part for part in (self.title, self.text, self.footer) if part)


class Undelivered(Exception):  # noqa: N818
    """The platform refuses a message and would refuse it again: the person blocked the bot, the message is gone."""


class Platform(Protocol):
    """A platform as the core uses it.

    Each method waits as long as the platform asks and tries again when the network fails; what the platform refuses
    for good raises `Undelivered`. Nobody may be pinged by what a message says, and its text is never markup, except
    what `escape` leaves.

    Attributes:
        name: As in `Turn.platform`.
        whispers: Whether `reply` to a command or a press is seen by that person alone, in groups too.
        writes_first: Whether the bot may begin a direct chat.
        links_commands: Whether apps make a link of a command in a message: `/undo_24` takes 24 back.
        commands_reply: Whether a command can be a reply to a message, as `/edit` is.
        file_bytes: The longest file that the platform takes.
    """

    name: str
    whispers: bool
    writes_first: bool
    links_commands: bool
    commands_reply: bool
    file_bytes: int

    def escape(self, text: str) -> str:
        """Make people's words plain text: no markup, no mention, no link."""
        ...

    async def send(self, address: Address, content: Content) -> datetime | None:
        """Send a text, in as many messages as it needs; the buttons are under the last one.

        Returns:
            When that one was sent, by the platform's clock; None where the platform does not say.
        """
        ...

    async def edit(self, address: Address, message: str, content: Content) -> None:
        """Replace a message of the bot's and its buttons."""
        ...

    async def react(self, address: Address, message: str) -> None:
        """Mark a person's message as one of which something is remembered."""
        ...

    async def reply(self, event: Command | Press, content: Content) -> datetime | None:
        """Answer a command or a press with a message of its own; returns the same as `send`."""
        ...

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        """Replace the message with the button.

        Args:
            personal: If others can read that message and the platform whispers: leave it, and answer the person.
        """
        ...

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        """Acknowledge a press.

        Args:
            text: Only for the person who pressed; it may be dropped unless it is loud.
        """
        ...

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        """Answer a command with a file."""
        ...

    def typing(self, address: Address) -> AbstractAsyncContextManager[object]:
        """Show that the bot is writing; a platform that refuses is no error."""
        ...

    async def administrators(self, space: str) -> Mapping[str, str]:
        """The administrators of a group with their roles; asked only where a `Membership` does not know roles."""
        ...


def as_read_by(persona: int, message: int) -> str:
    """The id of a message that has one number for every bot: each persona has a history of its own."""
    return f"{message}@p{persona}" if persona else str(message)


def quote(text: str) -> str:
    """Somebody else's words, as they stand in `Message.text`."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def split(text: str, limit: int, length: Callable[[str], int] = len) -> Iterator[str]:
    """Yield a text in pieces of at most `limit`, ended at a line, else at a space; no blank ones.

    No emoji, accent or syllable is split.

    Args:
        length: How the platform counts.
    """
    rest = text.strip()
    while length(rest) > limit:
        end = limit
        while length(rest[:end]) > limit:
            end -= max(1, (length(rest[:end]) - limit) // 2)
        at = max(rest.rfind("\n", end // 2, end + 1), 0) or rest.rfind(" ", end // 2, end + 1)
        piece = rest[:at] if at > 0 else cut(rest, end)
        rest = rest[len(piece) :].lstrip()
        if piece.strip():
            yield piece.rstrip()
    if rest:
        yield rest
