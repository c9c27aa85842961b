"""What a back end offers: the engine knows no more of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from zgadka.model.backup import Backup
from zgadka.model.notification import Notice
from zgadka.stores.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")


class Transactions(ABC):
    """Runs operations, each in a transaction of its own."""

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction; returns once it is on disk. It may be run again, from the start.

        Raises:
            StoreBusy: Others held the lock, or the same rows, for too long; nothing was kept.
            StoreUncertain: The connection to a server was lost at the end; nobody can tell whether it was kept.
            StoreUnavailable: The disk, the file or the server failed; nothing was kept.
        """
        return await self.submit_write(lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args), durable=True)

    async def write_soon(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction that outlives this process, but perhaps not a power cut."""
        return await self.submit_write(
            lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args), durable=False
        )

    async def read(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation on one consistent snapshot of what is committed."""
        return await self.submit_read(lambda tx: operation(tx, *args, **kwargs))

    def line_of(self, args: tuple[Any, ...]) -> Hashable:
        """What an operation with these arguments stands in line with, where not all stand in one anyway."""
        del args
        return None

    @abstractmethod
    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        """Have a writer run something; `StoreLate` when it did not begin within so many seconds."""

    @abstractmethod
    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        """Have a reader run something; `StoreLate` when it did not begin within so many seconds."""


class Store(Transactions):
    """A back end.

    Attributes:
        on_commit: Is called on the event loop with the notices of what is on disk, before the caller is answered.
    """

    on_commit: Callable[[Sequence[Notice]], None]

    def within(self, seconds: float) -> Transactions:
        """This store for whoever cannot wait: an operation that does not begin in time never does.

        Its methods raise `StoreLate` then.
        """
        return _Within(self, seconds)

    @abstractmethod
    async def close(self) -> None:
        """Finish what waits, then close."""

    @abstractmethod
    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""

    @abstractmethod
    def scrub(self) -> bool:
        """Let no byte of what was removed be left; False when that must be tried again."""

    @abstractmethod
    def inspect(self) -> dict[str, str]:
        """Versions, place and integrity, as text."""

    @abstractmethod
    def mend(self) -> tuple[str, str]:
        """Make damaged indexes anew; returns what was found, before and after: `ok` or what is wrong."""

    @abstractmethod
    def backup(self, target: Path, *, overwrite: bool, progress: Callable[[int, int], object]) -> Backup:
        """Copy the whole database while others use it, and verify the copy."""


class _Within(Transactions):
    def __init__(self, store: Transactions, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self.line_of = store.line_of

    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        return await self._store.submit_write(run, line=line, durable=durable, seconds=seconds or self._seconds)

    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        return await self._store.submit_read(run, seconds=seconds or self._seconds)
