"""A platform on which nobody is: what a bot sends is kept for whoever asks what it sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zgadka.bots.platform import Address, Command, Content, Press


class SilentPlatform:
    """As the bots' core wants one; see `zgadka.bots.platform.Platform`.

    Attributes:
        texts: What was sent, oldest first.
        buttons: The data of the buttons that were sent last.
        files: How many files were sent.
    """

    def __init__(self) -> None:
        self.name = ""
        self.whispers = self.writes_first = False
        self.links_commands = self.commands_reply = True
        self.file_bytes = 45_000_000
        self.texts: list[str] = []
        self.buttons: list[str] = []
        self.files = 0

    def escape(self, text: str) -> str:
        """Leave it as it is."""
        return text

    async def send(self, address: Address, content: Content) -> None:
        """Keep what was sent."""
        self._keep(content)

    async def edit(self, address: Address, message: str, content: Content) -> None:
        """Keep what was sent."""
        self._keep(content)

    async def react(self, address: Address, message: str) -> None:
        """Do nothing: a mark tells nothing of what is remembered."""

    async def reply(self, event: Command | Press, content: Content) -> None:
        """Keep what was sent."""
        self._keep(content)

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        """Keep what was sent."""
        self._keep(content)

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        """Keep what was sent."""
        self.texts.append(text)

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        """Count it."""
        self.files += 1

    @asynccontextmanager
    async def typing(self, address: Address) -> AsyncGenerator[None]:
        """Show nothing."""
        yield

    async def administrators(self, space: str) -> Mapping[str, str]:
        """Nobody is one."""
        return {}

    def _keep(self, content: Content) -> None:
        self.texts.append(content.plain)
        if content.rows:
            self.buttons = [button.data for row in content.rows for button in row]
