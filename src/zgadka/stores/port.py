"""What a back end offers: the engine knows no more of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from zgadka.model.copies import Backup
from zgadka.model.notice import Notice
from zgadka.stores.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")


class Transactions(Protocol):
    """Runs operations, each in a transaction of its own."""

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction; returns once it is on disk."""
        ...

    async def write_soon(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction that outlives this process, but perhaps not a power cut."""
        ...

    async def read(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation on one consistent snapshot of what is committed."""
        ...


class Store(Transactions, Protocol):
    """A back end.

    Attributes:
        on_commit: Is called on the event loop with the notices of what is on disk, before the caller is answered.
    """

    on_commit: Callable[[Sequence[Notice]], None]

    def within(self, seconds: float) -> Transactions:
        """This store for whoever cannot wait: an operation that does not begin in time never does (`StoreLate`)."""
        ...

    async def close(self) -> None:
        """Finish what waits, then close."""
        ...

    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""
        ...

    def scrub(self) -> bool:
        """Let no byte of what was removed be left; False when that must be tried again."""
        ...

    def inspect(self) -> dict[str, str]:
        """Versions, place and integrity, as text."""
        ...

    def mend(self) -> tuple[str, str]:
        """Make damaged indexes anew; returns what was found, before and after: `ok` or what is wrong."""
        ...

    def backup(self, target: Path, *, overwrite: bool, progress: Callable[[int, int], object]) -> Backup:
        """Copy the whole database while others use it, and verify the copy."""
        ...
