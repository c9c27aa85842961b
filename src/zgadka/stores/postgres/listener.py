"""What other processes say after their commits: that somebody was erased."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable

import psycopg

from zgadka.stores import executor
from zgadka.stores.postgres.session import ERASED, Database, answered_within

_CHECK_SECONDS = 30.0
_LONGEST_SECONDS = 30.0


class Listener:
    """Calls `heard` when anybody was erased, in any process, and whenever that may have been missed.

    Nothing depends on it for being right: an index in memory is used only at the revision that a transaction sees.
    It only makes that what was erased does not stay in memory until it is asked for.
    """

    def __init__(self, database: Database, heard: Callable[[], object]) -> None:
        self._database = database
        self._heard = heard
        self._stop = threading.Event()
        self._bell, self._rope = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="zgadka-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()
        self._rope.close()  # which rings the bell
        self._thread.join()
        self._bell.close()

    def _run(self) -> None:
        seconds = 1.0
        while not self._stop.is_set():
            try:
                with self._database.connect() as connection:
                    with answered_within(executor.BUSY_SECONDS, connection):
                        connection.execute(f"LISTEN {ERASED}")
                    self._heard()  # whatever was said meanwhile
                    seconds = 1.0
                    self._listen(connection)
            except psycopg.Error:
                self._stop.wait(seconds)
                seconds = min(seconds * 2, _LONGEST_SECONDS)

    def _listen(self, connection: psycopg.Connection) -> None:
        """Until it is stopped, or the connection fails."""
        while not self._stop.is_set():
            ready, _, _ = select.select([connection.fileno(), self._bell], [], [], _CHECK_SECONDS)
            if self._bell in ready:
                return
            if not ready:
                with answered_within(executor.BUSY_SECONDS, connection):
                    connection.execute("SELECT 1")  # where the other end went away without a word, this fails
            for _ in connection.notifies(timeout=0):
                self._heard()
