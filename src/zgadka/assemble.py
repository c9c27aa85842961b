"""From a URL to a working memory: the only file that names concrete back ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote

from zgadka.engine import Memory
from zgadka.errors import InvalidInput, StoreUnavailable
from zgadka.settings import Settings
from zgadka.text.clean import unstorable

_SQLITE = "sqlite://"


def open_memory(
    url: str | None = None, *, settings: Settings | None = None, clock: Callable[[], datetime] | None = None
) -> Memory:
    """Open the memory that the URL names, for use with `async with`.

    Args:
        url: `sqlite:///relative.db`, `sqlite:////absolute.db` or `sqlite://:memory:`. None: the setting `database`,
            or a file in the user's data directory.
        settings: None: read from the environment and `.env`.
        clock: Gives the current time, aware. None: the machine's clock.

    Raises:
        InvalidInput: The URL names no back end.
        StoreError: The database cannot be opened.
    """
    settings = settings or Settings.load()
    url = url or settings.database or default_url()
    if not url.startswith(_SQLITE):
        shown = re.sub("//.*@", "//…@", url)  # without user and password
        raise InvalidInput(f"no database {shown!r}: give sqlite:///file.db or sqlite://:memory:")
    from zgadka.stores.sqlite import SqliteStore  # noqa: PLC0415  (a back end is loaded when it is named)

    store = SqliteStore(_path(url), settings=settings, clock=clock or _utc_now)
    return Memory(store, settings)


def default_url() -> str:
    """The URL of the database in the user's data directory, which is made where it is missing.

    Raises:
        StoreUnavailable: The directory cannot be made.
    """
    from platformdirs import user_data_path  # noqa: PLC0415  (only where nothing was configured)

    folder = user_data_path("zgadka", appauthor=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make the directory {str(folder)!r}: {error.strerror}") from error
    return f"{_SQLITE}/{quote(str(folder / 'memory.db'))}"


def _path(url: str) -> Path | None:
    rest = url.removeprefix(_SQLITE)
    if rest in (":memory:", "/:memory:"):
        return None
    name = unquote(rest.removeprefix("/"))
    if not rest.startswith("/") or not name:
        raise InvalidInput(f"{url!r} names no file: give sqlite:///relative.db or sqlite:////absolute.db")
    if why := unstorable(name):  # the operating system takes no NUL, SQLite no name that is not UTF-8
        raise InvalidInput(f"{url!a} names no file: {why}")
    return Path(name)


def _utc_now() -> datetime:
    return datetime.now(UTC)
