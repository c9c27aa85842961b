"""Connections on which a server is silent for too long: where it is not there, whoever waits is told so.

TCP notices a machine that is gone, after `tcp_user_timeout`. It does not notice a server that hangs, nor one behind the
server that was asked: then the call would hang as long as that does. A server that is only slow is waited for.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import cast

import psycopg

from zgadka.log import logger
from zgadka.stores import executor
from zgadka.stores.postgres.pool import Pool
from zgadka.stores.postgres.session import Database, Session

_log = logger()

_NODES = """
SELECT nodename || ':' || nodeport, citus_check_connection_to_node(nodename::text, nodeport)
FROM pg_dist_node WHERE noderole = 'primary' AND isactive
"""


class SilenceWatch:
    """Looks now and then whether a server that has been silent for `BUSY_SECONDS` is there.

    Args:
        pools: The connections to watch.
        is_distributed: Whether there are servers behind this one.
    """

    def __init__(self, database: Database, *pools: Pool, is_distributed: bool) -> None:
        self._database = database
        self._pools = pools
        self._is_distributed = is_distributed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="zgadka-silence", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop looking."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(max(executor.BUSY_SECONDS, 1) / 2):
            asked_before = time.monotonic() - max(executor.BUSY_SECONDS, 1)
            if not any(pool.is_silent(asked_before) for pool in self._pools) or not (away := self._away()):
                continue
            lost = sum(pool.give_up_silent(asked_before) for pool in self._pools)
            if lost:
                _log.warning("PostgreSQL %s does not answer: %d calls were given up", ", ".join(away), lost)

    def _away(self) -> list[str]:
        """The servers that do not answer."""
        try:
            with closing(Session(self._database)) as session:
                if not self._is_distributed:
                    return []
                return [cast("str", node) for node, is_there in session.run(_NODES) if not is_there]
        except psycopg.Error:
            return [self._database.name]
