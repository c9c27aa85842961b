"""What SQLite's errors mean, in the words of the error tree; never a row's text."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from zgadka.errors import StoreBusy, StoreError, StoreUnavailable


def translated(error: apsw.Error, name: str) -> StoreError:
    """The error as callers get it.

    Args:
        name: Of the database.
    """
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreBusy(f"another process keeps the database {name!r} locked")
    if isinstance(error, apsw.FullError):
        return StoreUnavailable(f"the disk of the database {name!r} is full")
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        return StoreUnavailable(f"the database {name!r} is read-only")
    if isinstance(error, apsw.NotADBError):
        return StoreUnavailable(f"{name!r} is not a SQLite database")
    if isinstance(error, apsw.CantOpenError):
        return StoreUnavailable(f"cannot open the database {name!r}")
    if isinstance(error, apsw.CorruptError):
        return StoreUnavailable(f"the database {name!r} is damaged: run `zgadka doctor --repair`")
    number = getattr(error, "extendedresult", 0)
    result_name = apsw.mapping_extended_result_codes.get(number) or apsw.mapping_result_codes.get(number)
    code = result_name if number and result_name else "no code"
    # Its text may quote what was looked for.
    return StoreUnavailable(f"the database {name!r} failed: {type(error).__name__} ({code})")


@contextmanager
def translating(name: str) -> Generator[None]:
    """Raise its errors as callers get them; see `translated`."""
    try:
        yield
    except apsw.Error as error:
        raise translated(error, name) from error
