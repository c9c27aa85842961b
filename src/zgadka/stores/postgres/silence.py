"""Connections on which a server is silent for too long: where it is not there, whoever waits is told so.

TCP notices a machine that is gone, after `tcp_user_timeout`. It does not notice a server that hangs, nor one behind the
server that was asked: then the call would hang as long as that does. A server that is only slow is waited for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from contextlib import closing

import psycopg

from zgadka.errors import StoreBusy
from zgadka.log import logger
from zgadka.stores import executor
from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.errors import is_lost, translated
from zgadka.stores.postgres.pool import Pool
from zgadka.stores.postgres.routes import Place
from zgadka.stores.postgres.session import Database, Session, answered_within

_log = logger()

_NODES = "SELECT nodename::text, nodeport FROM pg_dist_node WHERE noderole = 'primary' AND isactive"
_IS_THERE = "SELECT citus_check_connection_to_node($1::text, $2::int)"
_WAIT_AT_MOST = "SELECT set_config('citus.node_connection_timeout', $1, false)"

_TICK_SECONDS = 0.25
_AGAIN_SECONDS = 1.0
"""Between two looks whether servers are there."""


class SilenceWatch:
    """Looks whether a server that is silent is there, and gives up what waits for one that is not.

    Until it is there again, the breaker knows. One server has half of `BUSY_SECONDS` for its silence, and as much to
    let somebody in, so that nothing waits for longer than that. Of a cluster, those who wait for one of its servers
    keep connections from everybody else, so there it is a twentieth and a fifth.

    Args:
        pools: The connections to watch.
        is_distributed: Whether there are servers behind this one.
    """

    def __init__(self, database: Database, breaker: Breaker, *pools: Pool, is_distributed: bool) -> None:
        self._database = database
        self._breaker = breaker
        self._pools = pools
        self._is_distributed = is_distributed
        seconds = max(executor.BUSY_SECONDS, 1)
        self._patience = seconds / (20 if is_distributed else 2)
        self._limit = seconds / (5 if is_distributed else 2)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="zgadka-silence", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop looking."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        looked_at = -_AGAIN_SECONDS
        while not self._stop.wait(min(self._patience / 4, _TICK_SECONDS)):
            is_known = bool(self._breaker.away)
            if (self._is_silent() or is_known) and time.monotonic() - looked_at >= _AGAIN_SECONDS:
                looked_at = time.monotonic()
                self.look()
            if self._breaker.away and self._is_silent() and (lost := self._give_up()):
                _log.warning("%d calls were given up", lost)

    def look(self) -> frozenset[str]:
        """Find out which servers do not answer, and have the breaker know."""
        away = self._away()
        self._tell(away)
        self._breaker.set(away)
        return away

    def _is_silent(self) -> bool:
        return any(pool.is_silent(time.monotonic() - self._patience) for pool in self._pools)

    def _tell(self, away: Collection[str]) -> None:
        known = self._breaker.away
        for server in sorted(set(away) - known):
            _log.warning("PostgreSQL %s does not answer: whoever needs it is told so", server)
        for server in sorted(known - set(away)):
            _log.warning("PostgreSQL %s answers again", server)

    def _give_up(self) -> int:
        asked_before = time.monotonic() - self._patience
        if self._breaker.is_shut:
            return sum(pool.give_up_silent(asked_before, lambda _: True) for pool in self._pools)
        try:
            with (
                closing(Session(self._database.within(self._limit))) as session,
                answered_within(self._limit, session.connection),
            ):

                def is_away(places: Collection[Place]) -> bool:
                    return self._breaker.concerns(places, session.run)

                return sum(pool.give_up_silent(asked_before, is_away) for pool in self._pools)
        except psycopg.Error:  # it is asked again
            return 0

    def _away(self) -> frozenset[str]:
        """The servers that do not answer."""
        try:
            with closing(Session(self._database.within(self._limit))) as session:
                if not self._is_distributed:
                    return frozenset()
                session.run(_WAIT_AT_MOST, (f"{self._limit * 1000:.0f}ms",))
                away: set[str] = set()
                for name, port in session.run(_NODES):
                    with answered_within(2 * self._limit, session.connection):
                        if not session.run(_IS_THERE, (name, port))[0][0]:
                            away.add(f"{name}:{port}")
                return frozenset(away)
        except psycopg.Error as error:
            answers = not is_lost(error) or isinstance(translated(error, self._database.name), StoreBusy)
            return frozenset() if answers else frozenset({self._database.name})
