"""What PostgreSQL's errors mean, in the words of the error tree; never a password, never a row's text."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from zgadka.errors import StoreBusy, StoreError, StoreReadOnly, StoreUnavailable, StoreUncertain

RETRYABLE = (errors.SerializationFailure, errors.DeadlockDetected, errors.ForeignKeyViolation, errors.UniqueViolation)
"""What a transaction that came in between may cause: nothing was kept, and the operation may succeed if run again."""

_SAID = {
    "08": "the connection to it failed",
    "0A": "it cannot do this",
    "28": "it does not let this user in",
    "3D000": "there is no such database",
    "42501": "this user may not do that; `zgadka migrate` needs a user who may make tables",
    "53100": "its disk is full",
    "53": "it has too little memory or disk",
    "57P01": "it is being stopped",
    "57P02": "it is recovering from a crash",
    "57P03": "it is starting or stopping",
    "58": "its machine failed",
    "XX001": "it is damaged: see docs/postgres.md",
    "XX002": "it has a damaged index: run `zgadka doctor --repair`",
}
_SAID_BUSY = {
    "40": "others keep changing the same rows",
    "53300": "it has no connection left",
    "55P03": "others keep the same rows locked",
    "57014": "it took too long",
}
_SAID_READ_ONLY = {"25006": "it takes no changes: it is a standby, or set to read-only"}
_SAID_UNCERTAIN = {"08007": "it did not confirm a change everywhere; it may have been kept, or not"}


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone, or of no more use."""
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate
    return (
        isinstance(error, psycopg.OperationalError)
        and (state is None or state[:2] in ("08", "57"))
        and (state != "57014")
    )


def translated(error: psycopg.Error, name: str) -> StoreError:
    """The error as callers get it.

    Args:
        name: Of the database, without password.
    """
    state = error.sqlstate or ""
    kinds = (_SAID_UNCERTAIN, StoreUncertain), (_SAID_BUSY, StoreBusy), (_SAID_READ_ONLY, StoreReadOnly)
    for meanings, kind in (*kinds, (_SAID, StoreUnavailable)):
        if meaning := meanings.get(state) or meanings.get(state[:2]):
            return kind(f"PostgreSQL {name}: {meaning}")
    if not state and isinstance(error, psycopg.OperationalError):
        if "too many clients" in str(error) or "too many connections" in str(error):
            return StoreBusy(f"PostgreSQL {name}: it has no connection left")
        reason = _reason(error)
        return StoreUnavailable(f"PostgreSQL {name} cannot be reached{reason and f': {reason}'}")
    # Its text may quote a row.
    return StoreUnavailable(f"PostgreSQL {name} failed: {type(error).__name__} ({state or 'no code'})")


@contextmanager
def translating(name: str) -> Generator[None]:
    """Raise its errors as callers get them; see `translated`."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, name) from error


def is_starting(error: psycopg.Error) -> bool:
    """Whether a server that let nobody in yet will do so soon, by itself."""
    return _reason(error) in (_STARTING, _RECOVERING)


_STARTING, _RECOVERING = "it is starting", "it is recovering from a crash"
_REASONS = (
    ("password authentication failed", "it does not take the password"),
    ("no password supplied", "it asks for a password"),
    ("no pg_hba.conf entry", "it does not let this user in from here"),
    ("does not exist", "there is no such database or user"),
    ("starting up", _STARTING),
    ("shutting down", "it is being stopped"),
    ("yet accepting connections", _STARTING),
    ("recovery mode", _RECOVERING),
    ("not resolve", "no machine has this name"),
    ("Name or service not known", "no machine has this name"),
    ("refused", "nobody listens there"),
    ("No such file", "nobody listens there"),
    ("timeout", "it did not answer in time"),
    ("SSL", "they cannot agree on TLS"),
    ("session is read-only", "it takes no changes: it is a standby, or set to read-only"),
)


def _reason(error: psycopg.Error) -> str:
    """The reason that libpq gives, in our words, since its own quote the user and may quote what was given; or ""."""
    return next((reason for part, reason in _REASONS if part in str(error)), "")
