"""Which servers do not answer: whoever needs one of them is told so at once, instead of waiting for it as well."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from zgadka.errors import StoreUnavailable
from zgadka.stores.postgres.routes import ANYWHERE, Place
from zgadka.stores.row_mapping import Row, Value

_SERVER_OF = """
SELECT n.nodename || ':' || n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
WHERE n.noderole = 'primary'
    AND p.shardid = get_shard_id_for_distribution_column(to_regclass('zgadka.' || $1::text), $2::{})
"""

Run = Callable[[str, Sequence[Value]], list[Row]]
"""Runs a statement on the coordinator, and returns its rows."""


class Breaker:
    """Remembers which servers do not answer, until they do again.

    Attributes:
        away: Their names.

    Args:
        server: The name of the server that is connected to: while it does not answer, none does.
    """

    def __init__(self, server: str) -> None:
        self.away: frozenset[str] = frozenset()
        self._server = server
        self._servers: dict[Place, str] = {}

    @property
    def is_shut(self) -> bool:
        """Whether the server that is connected to does not answer."""
        return self._server in self.away

    def set(self, away: Collection[str]) -> None:
        """Remember that these servers do not answer, and that all others do."""
        self.away = frozenset(away)
        if not self.away:
            self._servers = {}  # rows may be moved from now on

    def concerns(self, places: Collection[Place], run: Run) -> bool:
        """Whether rows of any of these places are on a server that does not answer."""
        away, servers = self.away, self._servers
        if not away:
            return False
        if self.is_shut or ANYWHERE in places:
            return True
        for place in places:
            if place not in servers:
                servers[place] = server_of(place, run)
        return any(servers[place] in away for place in places)

    def refuse(self, places: Collection[Place], run: Run) -> None:
        """Refuse what needs a server that does not answer.

        Raises:
            StoreUnavailable: Such rows are meant.
        """
        if self.concerns(places, run):
            raise self.unavailable()

    def unavailable(self) -> StoreUnavailable:
        """What those are told who need such a server."""
        behind = ", ".join(sorted(self.away - {self._server}))
        return StoreUnavailable(f"PostgreSQL {self._server}{behind and f': {behind}'} does not answer")


def server_of(place: Place, run: Run) -> str:
    """The name of the server that has the rows of a place."""
    text = _SERVER_OF.format("bigint" if isinstance(place[1], int) else "text")
    rows = run(text, place)
    return rows[0][0] if rows else ""
