"""SQLite files as a whole: back one up while it is in use, verify a copy, put it back."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import fields
from datetime import datetime
from pathlib import Path

import apsw

from zgadka.errors import InvalidInput, StoreBusy, StoreUnavailable
from zgadka.log import logger
from zgadka.model.backup import Backup, Restored
from zgadka.model.wish import Wish
from zgadka.stores.row_mapping import from_row
from zgadka.stores.sql import missing_migrations, refuse_foreign
from zgadka.stores.sqlite.damage import damaged_rows
from zgadka.stores.sqlite.schema import SCRUB, UNSWEPT, foreign_objects, run
from zgadka.stores.sqlite.wish_files import WishFiles

_log = logger("zgadka.stores")

Progress = Callable[[int, int], object]
"""Is told how many pages are copied, and of how many; what it raises ends the copying."""

_PAGES = 256
"""Pages copied at a time, 1 MB: what waits for Python's lock meanwhile waits for a few milliseconds."""

_ROOM = 3
"""How many times its size must be free where a file is copied before a migration, which writes as much again."""

_SIDE_FILES = ("-wal", "-shm", "-journal")
_SQLITE_LOCKS = (0x40000000, 512)
"""The bytes of a file that SQLite locks: the first, and how many."""

_TABLES = """
SELECT name FROM sqlite_schema
WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory_index_%'
    AND name <> 'damaged'
ORDER BY name
"""

_CHECKED_ALONE = """
SELECT name FROM sqlite_schema t
WHERE type = 'table' AND rootpage > 0 AND NOT EXISTS (
    SELECT 1 FROM sqlite_schema i WHERE i.type = 'index' AND i.tbl_name = t.name AND i.sql LIKE '%json_extract%')
"""


def back_up(source: apsw.Connection, target: Path, *, overwrite: bool, progress: Progress) -> Backup:
    """Copy a database while others use it, as it was at one moment; the file is there whole and verified, or not.

    Args:
        source: A connection of its own, which reads one snapshot until the copy is made. Writers go on; the journal
            grows by what they write meanwhile.

    Raises:
        InvalidInput: The target cannot be meant: it is there already, or belongs to the database.
        StoreBusy: Another backup to the same file is under way.
        StoreUnavailable: The target cannot be written, or the database is damaged.
    """
    target = Path(os.path.realpath(target))
    database = Path(source.filename)
    if target in _family(database) or _is_same(target, database):
        raise InvalidInput(f"{str(target)!r} belongs to the database itself: name another file")
    _refuse_to_replace(target, overwrite=overwrite)
    with _part_of(target) as part:
        backup = _copy(source, part, target, progress)
        _refuse_to_replace(target, overwrite=overwrite)
        _put(part, target)
    return backup


def keep_before_migration(connection: apsw.Connection) -> None:
    """Copy a file of an older schema before it is migrated: `memory.db.schema-11`; where there is no room, nothing.

    An erasure removes it (`forget_copies`), since it holds what was there before.
    """
    path = Path(connection.filename)
    if not run(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'migration'"):
        return
    applied = dict(run(connection, "SELECT number, checksum FROM migration"))
    target = path.with_name(f"{path.name}.schema-{max(applied, default=0)}")
    is_current = not list(missing_migrations("sqlite", applied, repr(str(path))))
    if is_current or target.exists() or shutil.disk_usage(path.parent).free < _ROOM * path.stat().st_size:
        return
    _log.info("copying %s to %s before it is migrated", path, target)
    with suppress(InvalidInput, StoreBusy):  # another process makes it
        back_up(connection, target, overwrite=False, progress=_say_nothing)


def _say_nothing(_done: int, _of: int) -> None:
    pass


def forget_copies(path: Path) -> None:
    """Remove the copies that were made before migrations."""
    for copy in path.parent.glob(f"{glob.escape(path.name)}.schema-*"):
        copy.unlink(missing_ok=True)


def put_back(
    backup: Path,
    target: Path,
    *,
    overwrite: bool,
    now: datetime,
    progress: Progress,
    without_wishes: Callable[[], object],
) -> tuple[Restored, bool]:
    """Verify a backup and put it in the place of a database that nobody uses; that one is kept beside it.

    What people wished in that one is kept beside it, for whoever opens the new one to honour; returned is also whether
    there is any.

    Args:
        without_wishes: Is called when there are no wishes; what it raises ends the copying.

    Raises:
        InvalidInput: There is no such backup, or something is in its place and must not be replaced.
        SchemaMismatch: A newer program made the backup.
        StoreBusy: Somebody uses the database that is to be replaced.
        StoreUnavailable: The backup is damaged or no database, or the target cannot be written.
    """
    backup, target = Path(os.path.realpath(backup)), Path(os.path.realpath(target))
    if not backup.is_file():
        raise InvalidInput(f"there is no backup {str(backup)!r}")
    if backup in _family(target) or _is_same(backup, target):
        raise InvalidInput(f"the backup {str(backup)!r} is the database itself")
    if target.is_dir():
        raise InvalidInput(f"{str(target)!r} is a directory")
    if target.exists() and not overwrite:
        raise InvalidInput(
            f"there is a database {str(target)!r}: give --force to put the backup in its place; it is kept beside it"
        )
    with ExitStack() as stack:
        replaced = stack.enter_context(_alone(target)) if target.exists() else None
        has_wishes = _keep_wishes(replaced, target)
        if not has_wishes:
            without_wishes()
        part = stack.enter_context(_part_of(target))
        with _telling(f"cannot read the backup {str(backup)!r}"):
            source = stack.enter_context(closing(_read_only(backup)))
        copied = _copy(source, part, target, progress)
        erased, revoked = (None, None) if replaced is None else (_erased(replaced, source), _revoke(part, replaced))
        with _telling(f"cannot put the backup in the place of {str(target)!r}"):
            saved = _set_aside(target, now)
            _put(part, target)
    return Restored(backup=copied, kept=saved, erased=erased, revoked=revoked), has_wishes


def _copy(source: apsw.Connection, part: Path, target: Path, progress: Progress) -> Backup:
    """Copy one snapshot of the source into a file that is nobody else's, and verify what is there then."""
    with _telling(f"cannot read the database {source.filename!r}"):
        run(source, "BEGIN")  # one snapshot: without it, the copy would begin anew whenever somebody writes
        rows = _count(source)
    try:
        with _telling(f"cannot write {str(target)!r}"), closing(apsw.Connection(str(part))) as copy:
            # Nobody reads the file before it is whole, and it is flushed once, at the end.
            run(copy, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE")
            with copy.backup("main", source, "main") as copying:
                while not copying.done:
                    copying.step(_PAGES)
                    progress(copying.page_count - copying.remaining, copying.page_count)
            run(copy, "PRAGMA journal_mode=DELETE")  # one file, which can also be read where nothing can be written
            if _sequence(copy, "sweep"):
                run(copy, UNSWEPT)
            if _sequence(copy, "erasure") > _sequence(copy, "scrub"):
                if run(copy, "SELECT 1 FROM sqlite_schema WHERE name = 'damaged'"):
                    run(copy, "DELETE FROM damaged")  # what was set aside may be of who was erased
                run(copy, SCRUB)
            damaged = tuple(row.name for row in damaged_rows(copy))
            schema = _verify(copy, source.filename, may_fail=bool(damaged))
            if _count(copy) != rows:
                raise StoreUnavailable(f"the copy of {source.filename!r} has not the same rows; try again")
    finally:
        with suppress(apsw.Error):
            run(source, "ROLLBACK")
    return Backup(file=target, size_bytes=part.stat().st_size, schema=schema, rows=rows, damaged=damaged)


def _verify(copy: apsw.Connection, name: str, *, may_fail: bool) -> int:
    """The schema's number of a sound database of ours.

    Args:
        may_fail: Rows are damaged, and told: SQLite's check ends at an index of what is in a JSON that is none. Then
            those tables' indexes are not compared with them, and all else is checked.
    """
    try:
        problems = _problems(copy, "integrity_check(3)")
    except apsw.SQLError:
        if not may_fail:
            raise
        others = [row[0] for row in run(copy, _CHECKED_ALONE)]
        checks = ("quick_check(3)", *(f'integrity_check("{table}")' for table in others))
        problems = [problem for check in checks for problem in _problems(copy, check) if problem != "ok"] or ["ok"]
    if problems != ["ok"]:
        raise StoreUnavailable(f"the database {name!r} is damaged: {'; '.join(problems)}")
    if not run(copy, "SELECT 1 FROM sqlite_schema WHERE name = 'migration'"):
        raise StoreUnavailable(f"{name!r} is no database of zgadka")
    applied = dict(run(copy, "SELECT number, checksum FROM migration"))
    missing_migrations("sqlite", applied, repr(name))  # refuses what a newer program made
    refuse_foreign(foreign_objects(copy), repr(name))
    return max(applied, default=0)


def _problems(connection: apsw.Connection, check: str) -> list[str]:
    return [str(row[0]) for row in run(connection, f"PRAGMA {check}")]


def _count(connection: apsw.Connection) -> dict[str, int]:
    tables = [row[0] for row in run(connection, _TABLES)]
    return {table: run(connection, f'SELECT count(*) FROM "{table}"')[0][0] for table in tables}  # noqa: S608


def _sequence(connection: apsw.Connection, name: str) -> int:
    if not run(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'sequence'"):
        return 0
    rows = run(connection, "SELECT value FROM sequence WHERE name = ?", (name,))
    return rows[0][0] if rows else 0


def _erased(database: apsw.Connection | None, backup: apsw.Connection) -> tuple[tuple[str, str], ...] | None:
    """The people of the backup who are gone from the database; only erasing removes a person."""
    if database is None:
        return None
    people = "SELECT platform, name FROM owner WHERE kind = 'person' ORDER BY platform, name"
    try:
        people_left = set(run(database, people))
        return tuple((platform, name) for platform, name in run(backup, people) if (platform, name) not in people_left)
    except apsw.Error:
        return None


def _revoke(part: Path, database: apsw.Connection) -> int | None:
    """Remove the tokens of a copy that are not in the database any more; returns how many, None: nobody can tell."""
    try:
        digests = {bytes(row[0]) for row in run(database, "SELECT digest FROM token")}
    except apsw.Error:  # an older one, or a damaged one
        return None
    with _telling(f"cannot write {str(part)!r}"), closing(apsw.Connection(str(part))) as copy:
        if not run(copy, "SELECT 1 FROM sqlite_schema WHERE name = 'token'"):
            return 0
        gone = [number for number, digest in run(copy, "SELECT id, digest FROM token") if bytes(digest) not in digests]
        for number in gone:
            run(copy, "DELETE FROM answer WHERE token = ?", (number,))
            run(copy, "DELETE FROM token WHERE id = ?", (number,))
    return len(gone)


def _keep_wishes(database: apsw.Connection | None, target: Path) -> bool:
    """Keep the wishes of a database beside it; returns whether anybody wished anything."""
    files = WishFiles(target)
    kept, wishes, keys = files.wishes(), list[Wish](), list[bytes]()
    if database is not None:
        with suppress(apsw.Error):  # an older one, or a damaged one
            columns = ", ".join(field.name for field in fields(Wish))
            wishes = [from_row(Wish, row) for row in run(database, f"SELECT {columns} FROM wish")]  # noqa: S608
            keys = [bytes(row[0]) for row in run(database, "SELECT value FROM secret WHERE name = 'wish'")]
    with _telling(f"cannot keep the wishes of {str(target)!r}"):
        files.add(wish for wish in wishes if wish.adds_to(kept.get(wish.digest)))
        for key in keys:
            files.add_key(key)
    return bool(kept or wishes)


@contextmanager
def _part_of(target: Path) -> Generator[Path]:
    """A file beside the target, readable by its owner alone and locked by us; gone at the end, if still there.

    What a killed process left is used again.
    """
    part = target.with_name(target.name + ".part")
    try:
        descriptor = _lock(part)
    except BlockingIOError as error:
        raise StoreBusy(f"another process is writing {str(target)!r}") from error
    except OSError as error:
        raise StoreUnavailable(f"cannot write {str(target)!r}: {error.strerror}") from error
    try:
        yield part
    finally:
        for file in (part, *_side_files(part)):
            with suppress(OSError):
                file.unlink()
        os.close(descriptor)


def _lock(part: Path) -> int:
    while True:
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if part.exists() and part.stat().st_ino == os.fstat(descriptor).st_ino:  # else it was somebody's, done now
                for file in _side_files(part):
                    file.unlink(missing_ok=True)
                os.fchmod(descriptor, 0o600)
                os.ftruncate(descriptor, 0)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _put(part: Path, target: Path) -> None:
    """Give the file its name, once all of it is on disk."""
    with _telling(f"cannot write {str(target)!r}"):
        _flush(part)
        part.replace(target)
        _flush(target.parent)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_to_replace(target: Path, *, overwrite: bool) -> None:
    if target.is_dir():
        raise InvalidInput(f"{str(target)!r} is a directory: name a file in it")
    if target.exists() and not overwrite:
        raise InvalidInput(f"there is a file {str(target)!r} already: name another, or give --force")
    if used := [file.name for file in _side_files(target) if file.exists()]:
        raise InvalidInput(f"{str(target)!r} is a database in use, for there is {', '.join(used)}: name another file")


@contextmanager
def _alone(target: Path) -> Generator[apsw.Connection | None]:
    """The database that nobody else uses for as long as the context lasts; None where it cannot be read.

    Its journal is folded into it, if it can be.

    Raises:
        StoreBusy: Somebody uses it.
    """
    busy = StoreBusy(f"the database {str(target)!r} is in use: stop what uses it first")
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)))
            connection.set_busy_timeout(0)
            # Nobody can leave write-ahead logging while somebody else is connected.
            run(connection, "PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE")
            if run(connection, "PRAGMA journal_mode") != [("delete",)]:  # somebody came in between
                raise busy
        except (apsw.BusyError, apsw.LockedError) as error:
            raise busy from error
        except apsw.Error:  # damaged, which may be why it is to be replaced
            stack.close()
            with _telling(f"cannot replace {str(target)!r}"):
                file = stack.enter_context(target.open("rb+"))
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *reversed(_SQLITE_LOCKS))
            except OSError as error:
                raise busy from error
            yield None
        else:
            yield connection


def _set_aside(target: Path, time: datetime) -> Path | None:
    """Give the database that is there a second name, and let none of its journals stay: they would spoil another."""
    old = [file for file in _side_files(target) if file.exists()]
    if not target.exists() and not old:
        return None
    stem = f"{target.name}.{time:%Y%m%dT%H%M%SZ}"
    saved, number = target.with_name(stem), 1
    while any(file.exists() for file in _family(saved)):
        number += 1
        saved = target.with_name(f"{stem}-{number}")
    if target.exists():
        try:
            saved.hardlink_to(target)  # so that there is a database under its name at every moment
        except OSError:
            target.rename(saved)
    for file in old:
        file.rename(saved.with_name(saved.name + file.name.removeprefix(target.name)))
    return saved


def _read_only(backup: Path) -> apsw.Connection:
    """Open without writing anything beside it: it may lie where nothing can be written."""
    mode = "mode=ro" if any(file.exists() for file in _side_files(backup)) else "immutable=1"
    return apsw.Connection(f"{backup.as_uri()}?{mode}", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def create_private(path: Path) -> None:
    """Make the file readable by its owner alone; SQLite gives its WAL the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreUnavailable(f"cannot create the database {str(path)!r}: {error.strerror}") from error


def _side_files(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _SIDE_FILES]


def _family(path: Path) -> list[Path]:
    return [path, *_side_files(path)]


def _is_same(path: Path, target: Path) -> bool:
    return path.exists() and target.exists() and path.samefile(target)


@contextmanager
def _telling(failure: str) -> Generator[None]:
    """Say what failed, in the words of the error tree."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(f"{failure}: another process keeps it locked") from error
    except apsw.FullError as error:
        raise StoreUnavailable(f"{failure}: the disk is full") from error
    except apsw.NotADBError as error:
        raise StoreUnavailable(f"{failure}: it is not a SQLite database") from error
    except UnicodeDecodeError as error:  # a text that is none, which apsw cannot take
        raise StoreUnavailable(f"{failure}: it is damaged") from error
    except apsw.Error as error:
        raise StoreUnavailable(f"{failure}: {error}") from error
    except OSError as error:
        raise StoreUnavailable(f"{failure}: {error.strerror}") from error
