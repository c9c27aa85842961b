"""What SQLite's errors mean, in the words of the error tree; never a row's text."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from zgadka.errors import StoreBusy, StoreError, StoreReadOnly, StoreUnavailable

_MEANINGS: tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...] = (
    ((apsw.BusyError, apsw.LockedError), StoreBusy, "another process keeps the database {} locked"),
    ((apsw.FullError,), StoreUnavailable, "the disk of the database {} is full"),
    ((apsw.ReadOnlyError, apsw.PermissionsError), StoreReadOnly, "the database {} is read-only"),
    ((apsw.NotADBError,), StoreUnavailable, "{} is not a SQLite database"),
    ((apsw.CantOpenError,), StoreUnavailable, "cannot open the database {}"),
    (
        (apsw.CorruptError, UnicodeDecodeError),
        StoreUnavailable,
        "the database {} is damaged: run `zgadka doctor --repair`",
    ),
)


def translated(error: apsw.Error | UnicodeDecodeError, name: str) -> StoreError:
    """The error as callers get it.

    Args:
        name: Of the database.
    """
    for kinds, failure, text in _MEANINGS:
        if isinstance(error, kinds):
            return failure(text.format(repr(name)))
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
    except (apsw.Error, UnicodeDecodeError) as error:  # a text that is none, which apsw cannot take
        raise translated(error, name) from error
