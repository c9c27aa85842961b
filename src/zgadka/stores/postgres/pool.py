"""Connections to PostgreSQL, kept open for the next transaction.

`psycopg_pool` 3.3 was measured and not taken (2026-11-23): a short read takes 18 % more CPU with it, 60 % more when it
checks connections, and while the server is down every call waits for the pool's timeout and loses libpq's reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.errors import is_lost
from zgadka.stores.postgres.routes import Place
from zgadka.stores.postgres.session import Database, Session

T = TypeVar("T")


class Pool:
    """Connections, each used by one thread at a time. Those used last are used next, so that there are few.

    Whoever borrows limits how many there are: as many as threads borrow at once.

    Args:
        breaker: Knows which servers do not answer.
        durable: Whether commits wait for the disk.
        has_keys: Whether the server itself refuses what names an owner who is gone.
    """

    def __init__(self, database: Database, breaker: Breaker, *, durable: bool = True, has_keys: bool = True) -> None:
        self._database = database
        self._breaker = breaker
        self._durable = durable
        self._has_keys = has_keys
        self._gate = threading.Lock()
        self._idle: list[Session] = []
        self._lent: set[Session] = set()
        self._closed = False

    @contextmanager
    def lent(self, begin: Callable[[Session], None]) -> Generator[Session]:
        """Lend a connection that has begun; one that was lost while it lay idle is replaced by a new one.

        Raises:
            StoreUnavailable: The server is known not to answer.
        """
        if self._breaker.is_shut:
            raise self._breaker.unavailable()
        session = self._begun(begin)
        try:
            yield session
        finally:
            with self._gate:
                self._lent.discard(session)
                if is_kept := session.is_usable and not self._closed:
                    self._idle.append(session)
            if not is_kept:
                session.close()

    def run(self, work: Callable[[Session], T], begin: Callable[[Session], None] = lambda _: None) -> T:
        """Do some work that may be done twice: once more, where the connection turns out to be lost."""
        for is_last in (False, True):
            try:
                with self.lent(begin) as session:
                    return work(session)
            except psycopg.Error as error:
                if is_last or not is_lost(error):  # the server may be back by now
                    raise
                self.drop_idle()
        raise AssertionError

    def is_silent(self, asked_before: float) -> bool:
        """Whether an answer has been awaited since before that time, as `time.monotonic` tells it."""
        with self._gate:
            return any(session.waits_since < asked_before for session in self._lent)

    def give_up_silent(self, asked_before: float, is_away: Callable[[Collection[Place]], bool]) -> int:
        """End the connections on which it has, as though they were lost; returns how many.

        Args:
            is_away: Whether rows of such places are on a server that does not answer.
        """
        with self._gate:
            silent = [session for session in self._lent if session.waits_since < asked_before]
        given_up = [session for session in silent if is_away(session.places)]
        with self._gate:
            for session in given_up:
                if session in self._lent and session.waits_since < asked_before:
                    session.give_up()
        return len(given_up)

    def close(self) -> None:
        """Close what lies idle, and what is given back from now on."""
        self._closed = True
        self.drop_idle()

    def _begun(self, begin: Callable[[Session], None]) -> Session:
        with self._gate:
            # Of those on which an answer is still awaited, none, where there is another one.
            newest_first = range(len(self._idle) - 1, -1, -1)
            at = next((at for at in newest_first if self._idle[at].is_answered), None)
            if at is None:
                at = next((at for at in newest_first if self._idle[at].is_at_rest), None)
            session = None if at is None else self._idle.pop(at)
            if session is not None:
                self._lent.add(session)
        if session is not None:
            session.was_idle = True
            try:
                begin(session)
            except psycopg.Error as error:
                self._close(session)
                if not is_lost(error):
                    raise
                self.drop_idle()  # they were lost together
            else:
                return session
        session = Session(self._database, durable=self._durable, has_keys=self._has_keys, breaker=self._breaker)
        with self._gate:
            self._lent.add(session)
        try:
            begin(session)
        except BaseException:
            self._close(session)
            raise
        return session

    def _close(self, session: Session) -> None:
        with self._gate:  # from now on its number may be another connection's
            self._lent.discard(session)
        session.close()

    def drop_idle(self) -> None:
        """Close what lies idle, since one of it was lost."""
        with self._gate:
            sessions, self._idle = self._idle, []
        for session in sessions:
            session.close()
