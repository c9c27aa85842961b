"""Connections to a server for tests that outlive the memory that made them.

A connection costs the server and us some 10 ms, and its first statements another 50 ms: in a test of the contract, most
of its time. So what is closed in order is kept, and handed to the next who connects to the same database.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

_FORGET = "UNLISTEN *; SELECT pg_advisory_unlock_all(); RESET ALL"


class WarmConnection(psycopg.Connection[Any]):
    """A connection that `close` only puts aside, while `WarmConnections` wants it."""

    keeper: WarmConnections | None = None
    conninfo = ""

    def close(self) -> None:
        keeper, self.keeper = self.keeper, None
        if keeper is None or not keeper.keep(self):
            super().close()


class WarmConnections:
    """Connections that wait for the next who asks for their database."""

    def __init__(self) -> None:
        self._idle: defaultdict[str, list[WarmConnection]] = defaultdict(list)
        self._gate = threading.Lock()

    def connect(self, conninfo: str) -> WarmConnection:
        """A connection in the state of a new one."""
        while True:
            with self._gate:
                connection = self._idle[conninfo].pop() if self._idle[conninfo] else None
            if connection is None:
                connection = WarmConnection.connect(conninfo, autocommit=True, cursor_factory=psycopg.RawCursor)
                connection.prepared_max = 1000
            elif not _reset(connection):
                continue
            connection.keeper, connection.conninfo = self, conninfo
            return connection

    def keep(self, connection: WarmConnection) -> bool:
        """Keep a connection that is in no transaction; False if it is of no more use."""
        if connection.closed or connection.info.transaction_status is not TransactionStatus.IDLE:
            return False
        with self._gate:
            self._idle[connection.conninfo].append(connection)
        return True

    def pids(self) -> list[int]:
        """The server's processes of the connections that nobody uses."""
        with self._gate:
            return [connection.info.backend_pid for idle in self._idle.values() for connection in idle]

    def drop(self, database: str = "") -> None:
        """Close those to this database, or to all."""
        with self._gate:
            connections = [connection for idle in self._idle.values() for connection in idle]
            self._idle.clear()
        for connection in connections:
            if database in ("", connection.info.dbname):
                connection.close()
            else:
                self.keep(connection)


def _reset(connection: WarmConnection) -> bool:
    try:
        connection.execute(_FORGET.encode())
        list(connection.notifies(timeout=0))
    except psycopg.Error:  # the server ended it, or was ended itself
        connection.close()
        return False
    return True
