"""The store `scratch://`: a SQLite file in a folder of its own, which is gone when the memory is closed."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from zgadka import Settings
from zgadka.stores.sqlite.store import SqliteStore


class ScratchStore(SqliteStore):
    """As SQLite, with readers of its own, which a database in memory has not."""

    def __init__(self, *, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._folder = TemporaryDirectory(prefix="zgadka-scratch-")
        super().__init__(Path(self._folder.name, "memory.db"), settings=settings, clock=clock)

    async def close(self) -> None:
        """Close it, and remove the folder."""
        await super().close()
        self._folder.cleanup()


def open_store(url: str, *, settings: Settings, clock: Callable[[], datetime]) -> ScratchStore:
    """The whole URL is given; this store needs no more of it than its scheme."""
    return ScratchStore(settings=settings, clock=clock)
