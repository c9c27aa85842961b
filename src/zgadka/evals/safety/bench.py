"""A database, a door to it, and an engine of our own beside that door."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from zgadka.assemble import open_memory
from zgadka.engine import Memory
from zgadka.evals.safety.doors import SETTINGS, Door, DoorName, open_door
from zgadka.evals.safety.entrances import Entrances
from zgadka.evals.safety.worlds import Clock
from zgadka.settings import Settings

_SQLITE = "sqlite:"


@dataclass(frozen=True)
class Bench:
    """What a case runs against.

    Attributes:
        door: What is measured.
        host: An engine on the same database: it does what a host does beside its models, and sees what is committed.
        clock: The time of both; None: the machine's, for a door in another process.
    """

    name: DoorName
    url: str
    door: Door
    host: Memory
    clock: Clock | None
    _entrances: dict[Settings, Entrances] = field(default_factory=dict[Settings, Entrances])

    def entrances(self, settings: Settings = SETTINGS) -> Entrances:
        """The doors in this process to the same database, with these settings."""
        if settings not in self._entrances:
            self._entrances[settings] = Entrances(self.url, self.clock, settings)
        return self._entrances[settings]

    async def close(self) -> None:
        """Close all that is open."""
        for entrances in self._entrances.values():
            await entrances.close()
        await self.door.close()
        await self.host.close()

    @asynccontextmanager
    async def beside(self, settings: Settings = SETTINGS) -> AsyncGenerator[tuple[Bench, Path]]:
        """The same door to a database of its own, and the folder of its files; on a server, to the same database."""
        with tempfile.TemporaryDirectory(prefix="zgadka-eval-") as folder:
            url = f"sqlite:///{folder}/memory.db" if self.url.startswith(_SQLITE) else self.url
            async with opened(self.name, url, settings) as bench:
                yield bench, Path(folder)


@asynccontextmanager
async def opened(name: DoorName, url: str, settings: Settings = SETTINGS) -> AsyncGenerator[Bench]:
    """Open a door and the engine beside it; both are closed in the end."""
    clock = Clock() if name == "python" else None
    host = open_memory(url, settings=settings, clock=clock)
    door = open_door(name, url, host, clock, settings)
    bench = Bench(name, url, door, host, clock)
    try:
        yield bench
    finally:
        await bench.close()
