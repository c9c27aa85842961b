"""What happens in Telegram, and what is done there, without any library: the bot works on these alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from zgadka.chat.questions import Button, Language
from zgadka.model.people import Member
from zgadka.model.turn import Turn

PLATFORM = "telegram"

Rows = Sequence[Sequence[Button]]
"""An inline keyboard, row by row."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Somebody is, or was, in a group.

    Attributes:
        space: The group's id.
        role_known: Whether `member.role` is what Telegram says; a message does not say its writer's role.
    """

    space: str
    member: Member
    role_known: bool = False


@dataclass(frozen=True, kw_only=True)
class Said:
    """A person wrote, or edited, a message.

    Attributes:
        text: The whole message; quoted lines begin with `> `, the bot's own name is left out.
        own_text: What of it the person wrote themselves; empty for forwards.
        language: That of the person's app; None where it is neither English nor Ukrainian.
        to_bot: Whether the bot should answer: in a private chat, when named, when replied to.
        command: Without the slash and in lower case; None for a message.
        argument: What follows the command.
        answers: The data of the buttons under the bot's message that this one replies to.
        replied_to: That message.
        voice: The file of a voice message, for whoever can write down what is said in it.
    """

    turn: Turn
    text: str
    own_text: str
    language: Language | None = None
    edited: bool = False
    to_bot: bool = False
    command: str | None = None
    argument: str = ""
    answers: tuple[str, ...] = ()
    replied_to: int | None = None
    voice: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """A person pressed a button.

    Attributes:
        query: What Telegram wants to be answered.
        message: The message with the button.
        text: That message's text; empty where it is too old to be shown to bots.
    """

    turn: Turn
    data: str
    query: str
    message: int
    text: str = ""
    language: Language | None = None


Event = Seen | Said | Pressed


@dataclass(frozen=True)
class Where:
    """Where a message goes: a chat, a topic in it, and the message that it replies to."""

    chat: int
    thread: int | None = None
    reply_to: int | None = None


class Undelivered(Exception):  # noqa: N818
    """Telegram does not take it, and would not take it again: the person blocked the bot, the message is gone."""


class Wire(Protocol):
    """What can be done in Telegram.

    Each waits as long as Telegram asks and tries again when the network fails; what Telegram refuses for good raises
    `Undelivered`.
    """

    async def say(self, where: Where, text: str, rows: Rows = ()) -> None:
        """Send a text, in as many messages as it needs; the buttons are under the last one."""
        ...

    async def edit(self, where: Where, message: int, text: str, rows: Rows = ()) -> None:
        """Replace a message of the bot's and its buttons."""
        ...

    async def notify(self, query: str, text: str, *, loud: bool = False) -> None:
        """Answer a press, for the eyes of the presser alone; loud: in a window that they have to close."""
        ...

    async def send_file(self, where: Where, name: str, content: bytes) -> None:
        """Send a file."""
        ...

    async def show_typing(self, where: Where) -> None:
        """Show for some seconds that the bot is writing."""
        ...

    async def administrators(self, chat: int) -> dict[int, str]:
        """The group's administrators with their roles."""
        ...
