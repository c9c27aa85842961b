"""A platform in memory: what is sent stays in lists. The smallest wire that the bots' core can work on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from zgadka.bots.platform import Address, Command, Content, Press, Undelivered
from zgadka.chat.questions import Button


@dataclass
class Sent:
    """One message, as it looks now.

    Attributes:
        viewer: Who alone sees it; None: everybody in the chat.
    """

    address: Address
    text: str
    buttons: list[Button]
    viewer: str | None = None

    def data(self, label: str) -> str:
        return next(button.data for button in self.buttons if button.text.startswith(label))


@dataclass
class InMemoryPlatform:
    """Notes what is sent; what `refuses` is refused. A `Press.source` is the message's index in `sent`."""

    name: str = "telegram"
    whispers: bool = False
    writes_first: bool = False
    links_commands: bool = True
    commands_reply: bool = True
    file_bytes: int = 45_000_000
    sent: list[Sent] = field(default_factory=list)
    told: list[tuple[str, bool]] = field(default_factory=list)
    files: list[tuple[Address, str, bytes]] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    reactions: list[tuple[str, str]] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)
    now: datetime | None = None
    """The platform's own time."""

    def escape(self, text: str) -> str:
        return text

    async def send(self, address: Address, content: Content) -> datetime | None:
        self._add(address, content, None)
        return self.now

    async def edit(self, address: Address, message: str, content: Content) -> None:
        self._set(int(message), content)

    async def react(self, address: Address, message: str) -> None:
        self._refuse("react")
        self.reactions.append((address.chat or "", message))

    async def reply(self, event: Command | Press, content: Content) -> datetime | None:
        self._add(Address.of(event.turn), content, event.turn.user_key if self.whispers else None)
        return self.now

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        assert isinstance(press.source, int)
        if personal and self.whispers and self.sent[press.source].viewer is None:
            await self.reply(press, content)
        else:
            self._set(press.source, content)

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        self.told.append((text, loud))

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        self.files.append((Address.of(command.turn), name, content))

    @asynccontextmanager
    async def typing(self, address: Address) -> AsyncIterator[None]:
        yield

    async def administrators(self, space: str) -> Mapping[str, str]:
        self._refuse("administrators")
        return self.roles

    @property
    def last(self) -> Sent:
        return self.sent[-1]

    def _add(self, address: Address, content: Content, viewer: str | None) -> None:
        self._refuse("send")
        self.sent.append(Sent(address, content.plain, _flat(content), viewer))

    def _set(self, index: int, content: Content) -> None:
        self._refuse("edit")
        old = self.sent[index]
        self.sent[index] = Sent(old.address, content.plain, _flat(content), old.viewer)

    def _refuse(self, act: str) -> None:
        if act in self.refuses:
            raise Undelivered(act)


def _flat(content: Content) -> list[Button]:
    return [button for row in content.rows for button in row]
