"""Empty tables for databases of tests: copied from a database that was migrated once, not made by each."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

import apsw

from zgadka.stores.sqlite import schema

_migrate = schema.migrate
_gate = threading.Lock()


def migrate(connection: apsw.Connection, *, moving: bool = False) -> None:
    """`schema.migrate`, but a database that was new gets a copy of what it makes.

    One process at a time: the copy would take the place of what another one, which made the tables just before, has
    written into them since.
    """
    with suppress(apsw.Error), _gate, _alone():  # what is wrong with the file is for the real one to say
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            with closing(apsw.Connection(":memory:")) as migrated:
                migrated.deserialize("main", _migrated())  # bytes: a connection must not be used by who is forked
                with connection.backup("main", migrated, "main") as copying:
                    copying.step(-1)
            return
    _migrate(connection, moving=moving)


@contextmanager
def _alone() -> Iterator[None]:
    with Path(__file__).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _migrated() -> bytes:
    with closing(apsw.Connection(":memory:")) as connection:
        _migrate(connection)
        return connection.serialize("main")
