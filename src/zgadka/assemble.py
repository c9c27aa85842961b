"""From a URL to a working memory: the only file that names concrete back ends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from zgadka.engine import Memory
from zgadka.errors import InvalidInput, StoreUnavailable, extra_for
from zgadka.extensions import extension, extension_names
from zgadka.model.backup import Moved, Restored
from zgadka.model.inference import Inference
from zgadka.observer import Extractor
from zgadka.search.embedders.build import build_embedder
from zgadka.settings import Settings
from zgadka.text.keys import use_vocabulary
from zgadka.text.sanitize import unstorable
from zgadka.tools.registry import registry_of

if TYPE_CHECKING:
    from zgadka.extract.remote import Model
    from zgadka.search.embedders.protocols import Embedder
    from zgadka.stores.executor import Store
    from zgadka.stores.postgres.copy import PostgresEnd
    from zgadka.stores.sqlite.copy import SqliteEnd

_SQLITE = "sqlite://"
_POSTGRES = ("postgresql://", "postgres://")


def open_memory(
    url: str | None = None,
    *,
    settings: Settings | None = None,
    clock: Callable[[], datetime] | None = None,
    model: Model | None = None,
    embedder: Embedder | None = None,
) -> Memory:
    """Open the memory that the URL names, for use with `async with`.

    A PostgreSQL server that is starting is waited for, in the calling thread and for a minute at most.

    Args:
        url: `sqlite:///relative.db`, `sqlite:////absolute.db`, `sqlite://:memory:` or
            `postgresql://user:password@host:port/database`, or what another package's store takes. None: the setting
            `database`, or a file in the user's data directory.
        settings: None: read from the environment and `.env`.
        clock: Gives the current time, aware. None: the machine's clock.
        model: The configured chat model, where the extraction tier `remote` is to use it.
        embedder: Makes vectors, so that recall finds what was said in other words. None: the one that the settings
            name, if any.

    Raises:
        InvalidInput: The URL names no back end.
        SettingsError: A setting makes no sense, such as an extraction tier that does not exist; or what it names of
            another package cannot be loaded.
        MissingExtra: The database or the embedder that is named needs a package that is not installed.
        StoreError: The database cannot be opened.
    """
    settings = settings or Settings.load()
    url = url or settings.database or default_url()
    if settings.key_vocabulary:
        use_vocabulary(settings.key_vocabulary)
    clock = clock or _utc_now
    extractor = _extractor(settings, model, clock)
    embedder, tools = embedder or build_embedder(settings), registry_of(settings)
    return Memory(_store(url, settings, clock), settings, tools, extractor=extractor, embedder=embedder)


def move(
    source: str,
    target: str,
    *,
    citus: bool = False,
    progress: Callable[[int, int], object] = lambda done, rows: None,
) -> Moved:
    """Move everything from one database to another, which is empty, or partly filled by an earlier move of the same.

    The source stays as it is; nobody may write to it meanwhile. A move that was interrupted goes on where it was.

    Args:
        source: Its URL, as for `open_memory`.
        target: The other's.
        citus: As for `make_citus_tables`, of the target.
        progress: Is told how many rows are done, and of how many.

    Raises:
        InvalidInput: A URL names no database, there is nothing in the source, or something else in the target.
        SchemaMismatch: The source's schema is not this version's.
        StoreError: A database failed, the source was written to meanwhile, or the two are not equal in the end.
    """
    for url in (source, target):
        _refuse_unknown(url)
    if citus and not target.startswith(_POSTGRES):
        raise InvalidInput("Citus is an extension of PostgreSQL: give --to postgresql://…")
    from zgadka.transfer.copy_store import move as move_rows  # noqa: PLC0415  (as above)

    with (
        closing(_end(source, fill=False)) as from_,
        closing(_end(target, fill=True, citus=citus)) as to,
    ):
        return move_rows(from_, to, progress)


def _end(url: str, *, fill: bool, citus: bool = False) -> SqliteEnd | PostgresEnd:
    if url.startswith(_POSTGRES):
        _postgres()  # or say what to install
        from zgadka.stores.postgres.copy import PostgresEnd  # noqa: PLC0415  (as above)

        return PostgresEnd(url, fill=fill, layout="citus" if citus else None)
    path = _path(url)
    if path is None:
        raise InvalidInput("a database in memory cannot be moved: give a file or a server")
    from zgadka.stores.sqlite.copy import SqliteEnd  # noqa: PLC0415  (as above)

    return SqliteEnd(path, fill=fill)


def _store(url: str, settings: Settings, clock: Callable[[], datetime]) -> Store:
    if url.startswith(_POSTGRES):
        return _postgres().PostgresStore(url, settings=settings, clock=clock)
    if url.startswith(_SQLITE):
        from zgadka.stores.sqlite.store import SqliteStore  # noqa: PLC0415  (a back end is loaded when it is named)

        return SqliteStore(_path(url), settings=settings, clock=clock)
    if (make := extension("stores", _scheme(url))) is not None:
        return make(url, settings=settings, clock=clock)
    raise _unknown(url)


def _postgres() -> ModuleType:
    with extra_for("PostgreSQL", "postgres"):
        from zgadka.stores.postgres import store  # noqa: PLC0415  (as above)
    return store


def make_citus_tables(url: str | None = None, *, settings: Settings | None = None) -> None:
    """Make the tables of the database that the URL names so that Citus divides them by owner over its servers.

    Elsewhere, opening a memory makes the tables.

    Raises:
        InvalidInput: The URL does not name a PostgreSQL server.
        StoreError: It has no Citus, or its tables are divided in another way.
    """
    settings = settings or Settings.load()
    url = url or settings.database or default_url()
    if not url.startswith(_POSTGRES):
        raise InvalidInput("Citus is an extension of PostgreSQL: give --db postgresql://…")
    _postgres().make_tables(url, "citus")


def restore(
    backup: str | Path,
    url: str | None = None,
    *,
    overwrite: bool = False,
    clock: Callable[[], datetime] | None = None,
    progress: Callable[[int, int], object] = lambda done, pages: None,
    without_wishes: Callable[[], object] = lambda: None,
) -> Restored:
    """Verify a backup and put it in the place of the database that the URL names; nobody may use that one.

    People's wishes outlive it, in that database and in the file beside it: who was erased after the backup was made is
    erased in it, and privacy levels are as they were set last.

    Args:
        url: As for `open_memory`.
        overwrite: Whether a database that is there may be replaced; it is kept beside the new one.
        progress: Is told how many pages are copied, and of how many.
        without_wishes: Is called where no wishes are known, so that people who were erased may be back; what it raises
            ends the restoring before anything is changed.

    Raises:
        InvalidInput: There is no such backup, or a database is in its place.
        SchemaMismatch: A newer zgadka made the backup.
        StoreBusy: Somebody uses the database that is to be replaced.
        StoreUnavailable: The backup is damaged, or the database cannot be written.
    """
    settings, clock = Settings.load(), clock or _utc_now
    url = url or settings.database or default_url()
    _refuse_unknown(url)
    if url.startswith(_POSTGRES):
        raise InvalidInput("zgadka cannot restore a PostgreSQL server: use pg_restore, or its log (docs/postgres.md)")
    path = _path(url)
    if path is None:
        raise InvalidInput("a backup cannot be restored into memory: give sqlite:///file.db")
    from zgadka.stores.sqlite.files import put_back  # noqa: PLC0415  (as above)

    restored, has_wishes = put_back(
        Path(backup), path, overwrite=overwrite, now=clock(), progress=progress, without_wishes=without_wishes
    )
    if not has_wishes:
        return restored
    honouring = _honour_wishes(Memory(_store(url, settings, clock), settings), restored)
    with ThreadPoolExecutor(1) as thread:  # there may be an event loop in this one
        return thread.submit(asyncio.run, honouring).result()


async def _honour_wishes(memory: Memory, restored: Restored) -> Restored:
    try:
        count = await memory.honour_wishes()
        people = await memory.look(lambda tx: {(owner.platform, owner.name) for owner in tx.owners.list()})
    finally:
        await memory.close()
    back = None if restored.erased is None else tuple(person for person in restored.erased if person in people)
    return replace(restored, erased_again=count, erased=back)


def _refuse_unknown(url: str) -> None:
    if not url.startswith((_SQLITE, *_POSTGRES)):
        raise _unknown(url)


def _unknown(url: str) -> InvalidInput:
    address = re.sub("//.*@", "//…@", url)  # without user and password
    others = "".join(f", {scheme}://…" for scheme in extension_names("stores"))
    return InvalidInput(f"no database {address!r}: give sqlite:///file.db, sqlite://:memory: or postgresql://…{others}")


def _scheme(url: str) -> str:
    return url.partition("://")[0]


def _extractor(settings: Settings, model: Model | None, clock: Callable[[], datetime]) -> Extractor:
    from zgadka.extract.cascade import build_cascade  # noqa: PLC0415  (its tables are read at the first message)

    cascade = build_cascade(settings, model=model, clock=clock)

    async def extract(own_text: str) -> Inference:
        extraction = await cascade.extract(own_text)
        return Inference(certain=extraction.certain, uncertain=extraction.uncertain)

    return extract


def missing_file(url: str | None, settings: Settings) -> Path | None:
    """The file that the URL names, where there is none yet; None: it is there, or the database is no file."""
    url = url or settings.database or default_url()
    path = _path(url) if url.startswith(_SQLITE) else None
    return None if path is None or path.exists() else path


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
    location = url.removeprefix(_SQLITE)
    if location in (":memory:", "/:memory:"):
        return None
    name = unquote(location.removeprefix("/"))
    if not location.startswith("/") or not name:
        raise InvalidInput(f"{url!r} names no file: give sqlite:///relative.db or sqlite:////absolute.db")
    if why := unstorable(name):  # the operating system takes no NUL, SQLite no name that is not UTF-8
        raise InvalidInput(f"{url!a} names no file: {why}")
    return Path(name)


def _utc_now() -> datetime:
    return datetime.now(UTC)
