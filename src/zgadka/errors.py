"""What can go wrong, as one tree.

    ZgadkaError
    ├── InvalidInput            the caller gave something that cannot be meant
    │   ├── UnknownTool         a tool name that the registry does not have
    │   └── ContentRefused      a text that may not be remembered: a secret, or an order to the model
    ├── NotAllowed              an operation that a token does not allow, or not in this place
    ├── SettingsError           an environment variable or .env line that makes no sense
    ├── MissingExtra            a feature whose optional packages are not installed
    ├── EmbeddingError          an embedder that gave no vectors: its server, its model or its files
    └── StoreError              the database
        ├── StoreUnavailable    cannot be opened, read or written (disk full, not a database)
        │   └── StoreReadOnly   can only be read
        ├── StoreUncertain      lost while a change was committed: it may have been kept, or not
        │   └── StoreUnfinished a change that was begun, and whose rest is done later, by itself
        ├── StoreBusy           another process held the lock for longer than the time limit
        │   └── StoreLate       an operation that did not begin in the time it was given
        ├── StoreClosed         used after close
        └── SchemaMismatch      a newer schema than this program knows, or a changed migration

Expected answers (a duplicate, a conflict, nothing found) are outcomes, not exceptions.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class ZgadkaError(Exception):
    """The root: catch it to catch everything zgadka raises on purpose."""


class InvalidInput(ZgadkaError, ValueError):  # noqa: N818
    """The caller gave something that cannot be meant; the text says what to give instead."""


class UnknownTool(InvalidInput):
    """A tool name that the registry does not have."""


class ContentRefused(InvalidInput):
    """A text that may not be remembered. What is said of it holds nothing of it.

    Attributes:
        reason: `secret`, `instruction`, `forgotten`, `edited`, `off_record`, or `declined`: others are not told why.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotAllowed(ZgadkaError):  # noqa: N818
    """An operation may not be done in this place, or not by whoever holds this token; see `ops/allow.py`."""


class SettingsError(ZgadkaError, ValueError):
    """An environment variable or `.env` line that makes no sense."""


class MissingExtra(ZgadkaError, ImportError):  # noqa: N818
    """A feature whose optional packages are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs optional packages: in a clone of zgadka, pip install '.[{extra}]'")


@contextmanager
def extra_for(feature: str, extra: str) -> Generator[None]:
    """Say which extra to install where what is imported within is not there.

    Raises:
        MissingExtra: A package of the extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(feature, extra) from error


class EmbeddingError(ZgadkaError):
    """An embedder gave no vectors. The text holds nothing of what was to be embedded, and no key.

    Attributes:
        retryable: Whether the same call may succeed later.
        retry_after_seconds: How long the server asked to be left alone; None where it did not say.
    """

    def __init__(self, text: str, *, retryable: bool = False, retry_after_seconds: float | None = None) -> None:
        super().__init__(text)
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds


class StoreError(ZgadkaError):
    """The database failed; nothing of the operation was kept, but for `StoreUncertain`."""


class StoreUnavailable(StoreError):  # noqa: N818
    """The database cannot be opened, read or written."""


class StoreReadOnly(StoreUnavailable):
    """The database can only be read: its file, its disk or its server takes no changes."""


class StoreUncertain(StoreError):  # noqa: N818
    """The database was lost while a change was committed. It may have been kept, or not; nothing of it was kept twice.

    Whoever repeats the change should look first.
    """


class StoreUnfinished(StoreUncertain):
    """A change of several owners' rows was begun, and failed before its end. What is left is done later, by itself."""


class StoreBusy(StoreError):  # noqa: N818
    """Another process held the database's lock for longer than the time limit."""


class StoreLate(StoreBusy):
    """An operation had not begun in the time it was given, and never will."""


class StoreClosed(StoreError):  # noqa: N818
    """The store was used after it was closed."""


class SchemaMismatch(StoreError):  # noqa: N818
    """The database's schema is newer than this program, or not the one it made."""
