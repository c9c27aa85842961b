"""What each server of a cluster is asked by itself; functions of Citus's names stand in for it, and one is away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from postgres_server import PostgresServer

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.errors import StoreUnavailable
from zgadka.model.memory import OwnerKind
from zgadka.ops.tasks import QueueFull, enqueue_call
from zgadka.stores import executor
from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.session import Database, Session, statements
from zgadka.stores.postgres.silence import SilenceWatch
from zgadka.stores.postgres.store import PostgresStore, make_tables
from zgadka.stores.tx import Tx

STAND_IN = """
CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
CREATE TABLE pg_dist_node (nodeid int, groupid int, nodename text, nodeport int, noderole text);
CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint);
INSERT INTO pg_dist_partition SELECT oid, 'h', 's' FROM pg_class
    WHERE relnamespace = 'zgadka'::regnamespace AND relkind = 'r';
INSERT INTO pg_dist_node VALUES (1, 1, 'here', 1, 'primary'), (2, 2, 'away', 2, 'primary');
INSERT INTO pg_dist_placement VALUES (1, 1), (2, 2);
INSERT INTO pg_dist_shard SELECT logicalrelid, shard FROM pg_dist_partition, generate_series(1, 2) shard;
CREATE FUNCTION relation_is_a_known_shard(regclass) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION get_shard_id_for_distribution_column(regclass, bigint) RETURNS bigint LANGUAGE sql
    AS 'SELECT 1 + $2 % 2';
CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.owner % 2 = 1 THEN RAISE 'connection to the remote node failed' USING ERRCODE = '08006'; END IF;
    RETURN new;
END $$;
CREATE FUNCTION all_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'connection to the remote node failed' USING ERRCODE = '08006'; END $$;
CREATE FUNCTION shard_name(regclass, bigint) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
CREATE FUNCTION master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
    RETURNS TABLE (node_name text, node_port int, success boolean, result text) LANGUAGE plpgsql AS $$
BEGIN
    FOR number IN 1 .. cardinality(names) LOOP
        node_name := names[number]; node_port := ports[number];
        success := names[number] = 'here'; result := 'failed to connect';
        IF success THEN EXECUTE commands[number] INTO result; END IF;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE VIEW citus_shards AS SELECT logicalrelid::oid AS table_name, shardid,
    CASE shardid WHEN 1 THEN pg_total_relation_size(logicalrelid) ELSE 200 * 2^20 END::bigint AS shard_size
    FROM pg_dist_shard WHERE shardid = 1 OR logicalrelid = 'zgadka.message'::regclass;
ALTER TABLE pg_dist_node ADD isactive boolean DEFAULT true;
CREATE FUNCTION citus_check_connection_to_node(name text, port int) RETURNS boolean LANGUAGE sql
    AS $$ SELECT name = 'here' $$;
UPDATE pg_extension SET extname = 'citus' WHERE extname = 'plpgsql';
"""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for what is slow on a machine that is busy: one of the two servers is never there."""
    monkeypatch.setattr(executor, "BUSY_SECONDS", 600)


@pytest.fixture(scope="module")
def cluster(server: PostgresServer) -> Iterator[str]:
    """The URL of a database that seems to have Citus and two servers, of which one is away."""
    server.execute("CREATE DATABASE cluster")
    make_tables(server.url("cluster"), "plain")
    server.execute(STAND_IN, "cluster")
    yield server.url("cluster") + "&options=-c%20citus.propagate_set_commands%3Dnone"
    server.execute("DROP DATABASE cluster WITH (FORCE)")


def run(url: str, flow: Callable[[Memory], Awaitable[Any]], **settings: Any) -> Any:
    async def opened() -> Any:
        async with open_memory(url, settings=Settings(background=False, **settings)) as memory:
            return await flow(memory)

    return asyncio.run(opened())


async def enqueue(memory: Memory, user: int) -> int | QueueFull:
    turn = Turn(platform="test", space=f"s{user}", chat="c", user=user)
    arguments = {"content": "likes tea", "tags": None, "permanent": False}
    return await memory.apply(enqueue_call, turn, "remember", memory.tools["remember"].version, arguments)


def test_the_queue_goes_on_for_the_people_of_servers_that_are_there(cluster: str) -> None:
    async def flow(memory: Memory) -> None:
        assert [await enqueue(memory, user) for user in (1, 2)] == [1, 2]
        full = await enqueue(memory, 3)
        assert isinstance(full, QueueFull)
        assert (full.waiting, full.longest > timedelta(0)) == (2, True)
        due = await memory.look(lambda tx: tx.tasks.list_due(10, {"call", "o'clock"}))
        assert len(due) == 2
        assert await memory.look(lambda tx: tx.tasks.list_due(1)) == [due[0]]
        assert await memory.look(lambda tx: tx.tasks.list_due(10, {"other"})) == []
        assert await memory.run_tasks() == 2
        assert await enqueue(memory, 3) == 3, "what is done does not count"

    run(cluster, flow, memory_tool_queue_size=2)


AWAY = "CREATE TRIGGER away BEFORE INSERT ON zgadka.revision FOR EACH ROW EXECUTE FUNCTION public.away()"


def test_whoever_is_new_while_a_server_is_away_is_brought_to_another_one(server: PostgresServer, cluster: str) -> None:
    async def flow(memory: Memory) -> None:
        server.execute(AWAY, "cluster")
        try:
            new = [await memory.apply(lambda tx, n=n: tx.owners.ensure("person", "test", f"new {n}")) for n in range(6)]
        finally:
            server.execute("DROP TRIGGER away ON zgadka.revision", "cluster")
        assert [id_ % 2 for id_ in new] == [0] * 6
        found = await memory.look(lambda tx: [tx.owners.find("person", "test", f"new {n}") for n in range(6)])
        assert found == new

    run(cluster, flow)


def test_a_person_and_their_direct_chat_lie_on_the_same_server(cluster: str) -> None:
    def add_both(tx: Tx, first: OwnerKind, second: OwnerKind) -> list[int]:
        return [tx.owners.ensure(kind, "test", f"twin {first}") for kind in (first, second)]

    async def flow(memory: Memory) -> None:
        one, other = await memory.apply(add_both, "person", "direct")
        assert one % 2 == other % 2
        one, other = await memory.apply(add_both, "direct", "person")
        assert one % 2 == other % 2

    run(cluster, flow)


def test_where_every_server_is_away_nobody_new_is_known(server: PostgresServer, cluster: str) -> None:
    async def flow(memory: Memory) -> None:
        server.execute("ALTER FUNCTION get_shard_id_for_distribution_column RENAME TO put_aside", "cluster")
        server.execute(
            "CREATE FUNCTION get_shard_id_for_distribution_column(regclass, bigint) RETURNS bigint LANGUAGE sql "
            "AS 'SELECT 2'",
            "cluster",
        )
        server.execute(AWAY.replace("EACH ROW", "EACH STATEMENT").replace("away()", "all_away()"), "cluster")
        try:
            with pytest.raises(StoreUnavailable):
                await memory.apply(lambda tx: tx.owners.ensure("person", "test", "nobody"))
        finally:
            server.execute("DROP TRIGGER away ON zgadka.revision", "cluster")
            server.execute("DROP FUNCTION get_shard_id_for_distribution_column", "cluster")
            server.execute("ALTER FUNCTION put_aside RENAME TO get_shard_id_for_distribution_column", "cluster")
        assert await memory.look(lambda tx: tx.owners.find("person", "test", "nobody")) is None

    run(cluster, flow)


def test_doctor_tells_what_is_wrong_on_each_server_and_which_does_not_answer(
    server: PostgresServer, cluster: str
) -> None:
    async def integrity(memory: Memory) -> str:
        return memory.inspect()["integrity"]

    assert run(cluster, integrity) == "away:2 does not answer"
    server.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'zgadka.memory_key'::regclass", "cluster")
    assert run(cluster, integrity) == "here:1: index memory_key is not valid; away:2 does not answer"


def test_calls_that_get_no_answer_are_given_up_where_any_server_of_a_cluster_is_away(cluster: str, url: str) -> None:
    for database, is_distributed, away in ((cluster, True, {"away:2"}), (url, False, set[str]())):
        where = Database.of(database)
        with closing(SilenceWatch(where, Breaker(where.name), is_distributed=is_distributed)) as watch:
            assert watch._away() == away


async def make_people(memory: Memory) -> tuple[int, int]:
    """Somebody whose rows are on the server that is there, and somebody whose rows are on the other."""
    ids = [await memory.apply(lambda tx, n=n: tx.owners.ensure("person", "test", f"person {n}")) for n in range(20)]
    return next(id_ for id_ in ids if id_ % 2 == 0), next(id_ for id_ in ids if id_ % 2)


def breaker_of(memory: Memory) -> Breaker:
    assert isinstance(memory._store, PostgresStore)
    return memory._store._breaker


def test_whoever_needs_a_server_that_is_known_to_hang_is_told_so_at_once_and_others_go_on(cluster: str) -> None:
    async def flow(memory: Memory) -> None:
        here, away = await make_people(memory)
        breaker_of(memory).set({"away:2"})
        for run_one in (memory.apply, memory.look):
            assert await run_one(lambda tx: tx.privacy.get(here)) == 0
            with pytest.raises(StoreUnavailable, match="away:2 does not answer"):
                await run_one(lambda tx: tx.privacy.get(away))
        await memory.apply(lambda tx: tx.privacy.put(here, 1))
        with pytest.raises(StoreUnavailable):
            await memory.apply(lambda tx: tx.privacy.put(away, 1))
        with pytest.raises(StoreUnavailable):
            await memory.apply(lambda tx: (tx.privacy.put(here, 2), tx.owners.hold(away)))
        everywhere = dict.fromkeys(statements()["spaces_with_person"].names, 1)
        with pytest.raises(StoreUnavailable):
            await memory.look(lambda tx: tx.rows("spaces_with_person", everywhere))
        new = [await memory.apply(lambda tx, n=n: tx.owners.ensure("person", "test", f"later {n}")) for n in range(6)]
        assert [id_ % 2 for id_ in new] == [0] * 6
        breaker_of(memory).set(())
        assert await memory.look(lambda tx: [tx.privacy.get(person) for person in (here, away)]) == [1, 0]

    run(cluster, flow)


def test_the_queue_does_not_ask_a_server_that_is_known_to_hang(server: PostgresServer, cluster: str) -> None:
    async def flow(memory: Memory) -> None:
        breaker_of(memory).set({"here:1"})
        with pytest.raises(StoreUnavailable):
            await memory.look(lambda tx: tx.tasks.list_due(10, {"call"}))
        breaker_of(memory).set({"away:2"})
        assert await memory.look(lambda tx: tx.tasks.list_due(10, {"call"})) == []

    server.execute("ALTER FUNCTION master_run_on_worker RENAME TO put_aside", "cluster")
    server.execute(
        "CREATE FUNCTION master_run_on_worker(names text[], ports int[], commands text[], parallel boolean) "
        "RETURNS TABLE (node_name text, node_port int, success boolean, result text) LANGUAGE sql AS $$ "
        "SELECT n, p, 1 / (n = 'here')::int = 1, '[]' FROM unnest(names, ports) node(n, p) $$",
        "cluster",
    )
    try:
        run(cluster, flow)
    finally:
        server.execute("DROP FUNCTION master_run_on_worker", "cluster")
        server.execute("ALTER FUNCTION put_aside RENAME TO master_run_on_worker", "cluster")


def test_of_what_waits_only_that_is_given_up_which_needs_the_server_that_hangs(
    server: PostgresServer, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 2)

    def slow(tx: Tx, owner: int) -> Any:
        session: Any = getattr(tx.rows, "__self__", None)
        assert isinstance(session, Session)
        session.rows("privacy_get", {"owner": owner})
        return session._run(f"SELECT pg_sleep({60 if owner % 2 else 2}) IS NOT NULL")

    async def flow(memory: Memory) -> None:
        here, away = await make_people(memory)
        started = time.monotonic()
        kept, refused = await asyncio.gather(memory.apply(slow, here), memory.apply(slow, away), return_exceptions=True)
        assert kept == [(True,)]
        assert isinstance(refused, StoreUnavailable)
        assert time.monotonic() - started < 30
        assert breaker_of(memory).away == {"away:2"}

    run(cluster, flow)
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%'")


def test_scrub_goes_by_what_a_table_takes_on_all_servers(cluster: str, caplog: pytest.LogCaptureFixture) -> None:
    async def flow(memory: Memory) -> bool:
        await enqueue(memory, 1)
        assert isinstance(memory._store, PostgresStore)
        return memory._store.scrub()

    with caplog.at_level("INFO"):
        assert run(cluster, flow)
    large = [record.getMessage() for record in caplog.records if "is large" in record.getMessage()]
    assert [message.split()[0] for message in large] == ["zgadka.message"]


def test_a_worker_looks_less_often_where_each_look_asks_every_server_and_takes_fewer_tasks(
    cluster: str, url: str
) -> None:
    async def pace(memory: Memory) -> tuple[float, int]:
        return memory._store.idle_seconds, memory._store.tasks_at_once

    assert (run(cluster, pace), run(url, pace)) == ((5.0, 40), (1.0, 200))


def test_what_a_transaction_puts_in_line_counts_before_others_see_it(cluster: str) -> None:
    def add_one(tx: Tx) -> tuple[int, int]:
        before = tx.tasks.count_waiting()
        space = tx.owners.ensure("space", "test", "one")
        tx.tasks.add(space, "call", {}, conversation=("c", "", 0), person=0, priority=1)
        return before, tx.tasks.count_waiting()

    async def flow(memory: Memory) -> None:
        for _ in range(2):
            before, after = await memory.apply(add_one)
            assert after == before + 1

    run(cluster, flow)
