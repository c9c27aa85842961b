"""What each server of a cluster is asked by itself, through Citus: one that is away hides nothing of the others.

An ordinary statement over everybody's rows fails as soon as one server does.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from typing import Any, cast

import psycopg

from zgadka.log import logger
from zgadka.stores.postgres.breaker import Breaker, server_of
from zgadka.stores.postgres.pool import Pool
from zgadka.stores.postgres.routes import OWNERS_ROWS
from zgadka.stores.postgres.session import SCHEMA, Session
from zgadka.stores.row_mapping import Row, Value

_log = logger()

_ROWS = f"{SCHEMA}.{OWNERS_ROWS}"

# A connection for each server, and one statement over the parts of the table that it has: `%s` of the command.
_ON_EACH = """
WITH node AS (
    SELECT nodename::text AS name, nodeport AS port,
        format($2::text, string_agg(format('SELECT * FROM %s', shard_name(logicalrelid, shardid)), ' UNION ALL '))
            AS command
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
    WHERE logicalrelid = to_regclass($1::text) AND noderole = 'primary'
        AND nodename || ':' || nodeport <> ALL (string_to_array($3::text, ' '))
    GROUP BY 1, 2)
SELECT answer.node_name || ':' || answer.node_port, answer.success, answer.result
FROM (SELECT array_agg(name) AS names, array_agg(port) AS ports, array_agg(command) AS commands FROM node) nodes,
    LATERAL master_run_on_worker(names, ports, commands, true) answer
"""
_ON_EVERY_NODE = """
SELECT answer.node_name || ':' || answer.node_port, answer.success, answer.result
FROM (SELECT array_agg(nodename::text) AS names, array_agg(nodeport) AS ports FROM pg_dist_node
        WHERE noderole = 'primary' AND isactive
            AND nodename || ':' || nodeport <> ALL (string_to_array($2::text, ' '))) nodes,
    LATERAL master_run_on_worker(names, ports, array_fill($1::text, ARRAY[cardinality(names)]), true) answer
"""

_DUE = """
SELECT coalesce(json_agg(json_build_array(priority, run_at, id, owner)), '[]') FROM (
    SELECT priority, run_at, id, owner FROM (%s) task
    WHERE state = 'waiting' AND (run_at <= {now} OR run_at > {far}) AND (leased_until <= {now} OR leased_until > {far})
        AND {kinds}
    ORDER BY priority, run_at, id LIMIT {limit}) due
"""
_WAITING = "SELECT json_build_array(count(*), min(run_at)) FROM (%s) task WHERE state = 'waiting'"

_TABLES = """
SELECT format('%I.%I', n.nspname, c.relname), sum(s.shard_size)::bigint, pg_has_role(c.relowner, 'USAGE')
FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1
GROUP BY c.oid, n.nspname, c.relname, c.relowner, c.reltoastrelid
HAVING max(s.shard_size) > current_setting('block_size')::bigint
    * (SELECT count(*) FROM pg_index i WHERE i.indrelid IN (c.oid, c.reltoastrelid))
UNION ALL SELECT format('%I.%I', n.nspname, c.relname), size, pg_has_role(c.relowner, 'USAGE')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL pg_total_relation_size(c.oid) size
WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT relation_is_a_known_shard(c.oid)
    AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
    AND size > current_setting('block_size')::bigint
        * (SELECT count(*) FROM pg_index i WHERE i.indrelid IN (c.oid, c.reltoastrelid))
ORDER BY 1
"""


_TWIN = "SELECT id FROM owner WHERE platform = $1 AND kind = $2 AND name = $3"
_ID_IN = """
SELECT id FROM (SELECT nextval('id_owner') AS id FROM generate_series(1, 100000)) new
WHERE get_shard_id_for_distribution_column(to_regclass($1::text), id) IN (%s) LIMIT 1
"""
_ID_BESIDE = _ID_IN % "get_shard_id_for_distribution_column(to_regclass($1::text), $2::bigint)"
_ID_ELSEWHERE = (
    _ID_IN
    % """
    SELECT s.shardid FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
    WHERE s.logicalrelid = to_regclass($1::text) AND n.noderole = 'primary'
        AND n.nodename || ':' || n.nodeport <> ALL (string_to_array($2::text, ' '))"""
)
_HAS_ROWS = "SELECT 1 FROM revision WHERE owner = $1"
_AWAY_SECONDS = 5.0
"""So long nobody new is brought to a server that did not answer."""


class Newcomers:
    """New people and spaces, each given an id by which their rows lie on a server that is there.

    A person and their direct chat lie together: a server that is away takes both from the same people.

    Args:
        pool: Connections, each outside of a transaction.
        breaker: Knows which servers do not answer.
    """

    def __init__(self, pool: Pool, breaker: Breaker) -> None:
        self._pool = pool
        self._breaker = breaker
        self._away: dict[str, float] = {}

    def ensure(self, parameters: Mapping[str, Value]) -> list[Row]:
        """As `owner_ensure`, with an id of its own choice."""
        now = time.monotonic()
        self._away = {node: until for node, until in self._away.items() if until > now}
        away, owner = self._breaker.away | self._away.keys(), parameters["owner"]
        while True:
            try:
                with self._pool.lent(Session.check) as session:
                    owner = self._placed(session, parameters, away)
                    # Before anything is locked on the coordinator: whoever is given up here may be there for long.
                    session.run(_HAS_ROWS, (owner,))
                    return session.rows_apart("owner_ensure", [{**parameters, "owner": owner}])[0]
            except psycopg.OperationalError:
                with self._pool.lent(Session.check) as session:
                    node = server_of((OWNERS_ROWS, owner), session.run)
                if node in away:
                    raise
                _log.warning("nobody new is brought to %s: it does not answer", node)
                away |= {node}
                self._away[node] = time.monotonic() + _AWAY_SECONDS

    def _placed(self, session: Session, parameters: Mapping[str, Value], away: Collection[str]) -> Value:
        """An id in the shard of the person whose direct chat it is, or the other way round; else on no server away."""
        twin_kind = {"person": "direct", "direct": "person"}.get(str(parameters["kind"]))
        twins = session.run(_TWIN, (parameters["platform"], twin_kind, parameters["name"])) if twin_kind else []
        ids: list[Row] = []
        if twins and server_of((OWNERS_ROWS, twins[0][0]), session.run) not in away:
            ids = session.run(_ID_BESIDE, (_ROWS, twins[0][0]))
        elif away:
            ids = session.run(_ID_ELSEWHERE, (_ROWS, " ".join(away)))
        return ids[0][0] if ids else parameters["owner"]


class Queue:
    """The tasks of a cluster.

    Args:
        pool: Connections, each outside of a transaction.
        breaker: Knows which servers do not answer.
    """

    def __init__(self, pool: Pool, breaker: Breaker) -> None:
        self._pool = pool
        self._breaker = breaker
        self._away: frozenset[str] = frozenset()

    def due(self, session: Session, parameters: Mapping[str, Value]) -> list[Row]:
        """As `tasks_due`: the owners of the most urgent tasks, each with how many it has."""
        del session
        numbers = {name: int(cast("int", parameters[name])) for name in ("now", "far", "limit")}
        kinds = ", ".join(f"'{kind}'" for kind in str(parameters["kinds"]).replace("'", "").split())
        command = _DUE.format(**numbers, kinds=f"kind IN ({kinds})" if kinds else "true")
        tasks = sorted(tuple(task) for answer in self._ask(command) for task in json.loads(answer))
        owners = [owner for *_, owner in tasks[: numbers["limit"]]]
        return [(owner, owners.count(owner)) for owner in dict.fromkeys(owners)]

    def waiting(self, session: Session, parameters: Mapping[str, Value]) -> list[Row]:
        """As `tasks_waiting`: how many are in line, and since when the first is due."""
        del parameters
        answers = [json.loads(answer) for answer in self._ask(_WAITING)]
        count = session.tasks_added + sum(count for count, _ in answers)
        return [(count, min((due for _, due in answers if due is not None), default=None))]

    def _ask(self, command: str) -> list[str]:
        """What the servers that are there answer."""
        known = self._breaker.away
        answers = self._pool.run(lambda session: session.run(_ON_EACH, (f"{SCHEMA}.task", command, " ".join(known))))
        away = known | {node for node, is_there, _ in answers if not is_there}
        if away - self._away:
            _log.warning("tasks of people on %s wait: it does not answer", ", ".join(sorted(away)))
        self._away = away
        return [answer for _, is_there, answer in answers if is_there]


def on_every_node(session: Session, command: str, away: Collection[str]) -> dict[str, Any]:
    """What each server answers to a statement with one value; None: it cannot be asked, or refused.

    Args:
        away: Those that do not answer, and are not asked.
    """
    answers = session.run(_ON_EVERY_NODE, (command, " ".join(away)))
    return {node: answer if is_done else None for node, is_done, answer in answers} | dict.fromkeys(away)


def used_tables(session: Session) -> list[Row]:
    """Tables where there is or was anything: their names, their sizes on all servers, and whether they are ours.

    Those of the coordinator alone are not among `citus_shards`.
    """
    return session.run(_TABLES, (SCHEMA,))
