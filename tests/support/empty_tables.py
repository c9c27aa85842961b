"""Empty tables for databases of tests: copied from a database that was migrated once, not made by each."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from functools import cache

import apsw

from zgadka.stores.sqlite import schema

_migrate = schema.migrate
_gate = threading.Lock()


def migrate(connection: apsw.Connection, *, moving: bool = False) -> None:
    """`schema.migrate`, but a database that was new gets a copy of what it makes."""
    with suppress(apsw.Error), _gate:  # what is wrong with the file is for the real one to say
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            with closing(apsw.Connection(":memory:")) as migrated:
                migrated.deserialize("main", _migrated())  # bytes: a connection must not be used by who is forked
                with connection.backup("main", migrated, "main") as copying:
                    copying.step(-1)
            return
    _migrate(connection, moving=moving)


@cache
def _migrated() -> bytes:
    with closing(apsw.Connection(":memory:")) as connection:
        _migrate(connection)
        return connection.serialize("main")
