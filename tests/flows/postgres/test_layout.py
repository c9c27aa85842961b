"""What `zgadka migrate --citus` asks of Citus; functions of its names stand in for it, and note what they are asked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from postgres_server import PostgresServer

from zgadka import Settings, open_memory
from zgadka.assemble import make_citus_tables
from zgadka.errors import SchemaMismatch, StoreUnavailable
from zgadka.stores.postgres import schema
from zgadka.stores.postgres.routes import ON_EVERY_SERVER, tables_elsewhere
from zgadka.stores.postgres.schema import Layout, layout_of
from zgadka.stores.postgres.session import Database
from zgadka.stores.postgres.store import make_tables
from zgadka.stores.sql import migrations

# A foreign key to a table that is to be everywhere has Citus list the other table, and leave it where it is.
STAND_IN = """
CREATE TABLE public.pg_dist_partition (
    place serial, logicalrelid regclass PRIMARY KEY, how text, partmethod "char", repmodel "char");
CREATE FUNCTION public.create_reference_table(name text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO public.pg_dist_partition (logicalrelid, how, partmethod, repmodel)
    VALUES (name::regclass, 'reference', 'n', 't')
    ON CONFLICT (logicalrelid) DO UPDATE SET place = excluded.place, how = excluded.how, repmodel = 't';
    INSERT INTO public.pg_dist_partition (logicalrelid, how, partmethod, repmodel)
    SELECT DISTINCT conrelid::regclass, 'local', 'n'::"char", 's'::"char" FROM pg_constraint
    WHERE contype = 'f' AND confrelid = name::regclass ON CONFLICT DO NOTHING $$;
CREATE FUNCTION public.create_distributed_table(name text, distributed_by text, colocate_with text)
    RETURNS void LANGUAGE sql AS $$
    INSERT INTO public.pg_dist_partition (logicalrelid, how, partmethod, repmodel)
    VALUES (name::regclass, distributed_by || ' beside ' || colocate_with, 'h', 's')
    ON CONFLICT (logicalrelid) DO UPDATE SET place = excluded.place, how = excluded.how, partmethod = 'h' $$;
CREATE FUNCTION public.undistribute_table(name text, cascade_via_foreign_keys boolean) RETURNS void LANGUAGE sql AS
    $$ DELETE FROM public.pg_dist_partition WHERE logicalrelid = name::regclass $$;
UPDATE pg_extension SET extname = 'citus' WHERE extname = 'plpgsql';
"""


@pytest.fixture
def citus(server: PostgresServer) -> Iterator[str]:
    """The URL of a database that seems to have Citus."""
    server.execute("CREATE DATABASE citus")
    server.execute(STAND_IN, "citus")
    yield server.url("citus")
    server.execute("DROP DATABASE citus WITH (FORCE)")


def asked(server: PostgresServer) -> list[tuple[str, str]]:
    found = server.execute(
        "SELECT c.relname, d.how FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid ORDER BY place",
        "citus",
    )
    return [(table, how) for table, how in found]


def test_tables_with_owners_are_divided_by_them_side_by_side_and_what_is_read_beside_them_is_everywhere(
    server: PostgresServer, citus: str
) -> None:
    make_citus_tables(citus, settings=Settings())
    made = asked(server)
    reference = [table for table, how in made if how == "reference"]
    divided = {table: how for table, how in made if how != "reference"}
    assert set(reference) == ON_EVERY_SERVER
    assert divided.pop("answer") == "key beside none", "they have no owner"
    assert next(iter(divided.items())) == ("revision", "owner beside none")
    assert {how for table, how in divided.items() if table != "revision"} == {"owner beside zgadka.revision"}
    tables = server.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'zgadka'::regnamespace AND relkind = 'r'", "citus"
    )
    alone = {table for (table,) in tables} - {table for table, _ in made}
    assert alone - {"migration"} == tables_elsewhere()
    keys = server.execute("SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f'", "citus")
    assert keys == [("zgadka.moved",)], "no row names what is on another server"


def test_what_an_earlier_version_had_on_every_server_is_gathered_on_the_coordinator(
    server: PostgresServer, citus: str
) -> None:
    make_citus_tables(citus, settings=Settings())
    before = asked(server)
    server.execute("SELECT public.create_reference_table('zgadka.owner')", "citus")
    assert ("owner", "reference") in asked(server)
    assert make_tables(citus) == 0
    assert [row for row in asked(server) if row[1] != "local"] == before


def test_a_migration_that_comes_later_divides_its_new_tables_alone(server: PostgresServer, citus: str) -> None:
    make_citus_tables(citus, settings=Settings())
    before = asked(server)
    assert make_tables(citus) == 0
    assert asked(server) == before
    *_, (number, _, text, _) = [migration for migration in migrations("postgres") if "CREATE TABLE" in migration[2]]
    server.execute(f"DELETE FROM zgadka.migration WHERE number = {number}", "citus")  # as though it had not come yet
    tables = re.findall(r"CREATE TABLE (\w+)", text)
    assert tables
    for table in tables:
        server.execute(f"DELETE FROM pg_dist_partition WHERE logicalrelid = 'zgadka.{table}'::regclass", "citus")
        server.execute(f"DROP TABLE zgadka.{table}", "citus")
    for index in re.findall(r"CREATE INDEX (\w+)", text):
        server.execute(f"DROP INDEX IF EXISTS zgadka.{index}", "citus")
    assert make_tables(citus) == 1
    assert sorted(asked(server)) == sorted(before)


def test_statements_of_migrations_are_sent_one_by_one(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of tables that are there goes to Citus's other servers as it came, and several at once are refused."""
    sent: list[str] = []
    run = schema._run

    def noted(connection: Any, statements: str, *values: Any) -> Any:
        sent.append(statements)
        return run(connection, statements, *values)

    monkeypatch.setattr(schema, "_run", noted)
    server.execute("CREATE DATABASE citus_statements")
    try:
        make_tables(server.url("citus_statements"))
    finally:
        server.execute("DROP DATABASE citus_statements")
    changes = [text for text in sent if re.search(r"ALTER TABLE|CREATE INDEX", text)]
    assert len(changes) > 40
    assert [text for text in changes if ";" in text] == []


def test_tables_that_citus_lists_and_leaves_where_they_are_lie_on_one_server(
    server: PostgresServer, citus: str
) -> None:
    make_tables(citus, "plain")
    server.execute("SELECT public.create_reference_table('zgadka.owner')", "citus")
    assert ("memory", "local") in asked(server)
    with Database.of(citus).connect() as connection:
        assert layout_of(connection) == "plain"


def test_tables_that_are_divided_in_another_way_are_left_alone(server: PostgresServer, citus: str) -> None:
    make_tables(citus, "partitioned")
    with pytest.raises(SchemaMismatch, match="the tables are there and partitioned, not citus: migrate into a new"):
        make_citus_tables(citus, settings=Settings())
    assert asked(server) == []


def test_tables_on_one_server_are_distributed_with_their_rows(server: PostgresServer, citus: str) -> None:
    """So a dump of a cluster is restored."""
    assert make_tables(citus, "plain") > 0
    assert make_tables(citus, "citus") == 0
    assert {"memory", "wish", "answer"} < {table for table, how in asked(server) if how != "local"}
    before = asked(server)
    assert make_tables(citus) == make_tables(citus, "citus") == 0
    assert asked(server) == before


def test_without_citus_nothing_is_made(server: PostgresServer) -> None:
    server.execute("CREATE DATABASE without")
    try:
        with pytest.raises(StoreUnavailable, match="this PostgreSQL has no Citus"):
            make_citus_tables(server.url("without"), settings=Settings())
        assert server.execute("SELECT to_regclass('zgadka.memory')", "without") == [(None,)]
    finally:
        server.execute("DROP DATABASE without WITH (FORCE)")


async def found(url: str) -> str:
    async with open_memory(url, settings=Settings(background=False)) as memory:
        return memory.inspect()["foreign"]


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            """
            CREATE FUNCTION zgadka.copies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$;
            CREATE TRIGGER copies BEFORE INSERT ON zgadka.memory FOR EACH ROW EXECUTE FUNCTION zgadka.copies()
            """,
            "trigger copies on memory",
        ),
        ("CREATE MATERIALIZED VIEW zgadka.everything AS SELECT content FROM zgadka.memory", "view everything"),
        ("CREATE TABLE zgadka.kept (content TEXT)", "table kept"),
        ("CREATE RULE kept AS ON DELETE TO zgadka.memory DO INSTEAD NOTHING", "rule kept on memory"),
    ],
)
@pytest.mark.parametrize("layout", ["plain", "partitioned"])
def test_a_schema_that_somebody_changed_is_refused(
    server: PostgresServer, layout: Layout, statement: str, named: str
) -> None:
    server.execute("CREATE DATABASE changed")
    url = server.url("changed")
    try:
        make_tables(url, layout)
        assert asyncio.run(found(url)) == "none"
        server.execute(statement, "changed")
        with pytest.raises(SchemaMismatch, match=f"differs from what zgadka makes: {named}"):
            asyncio.run(found(url))
    finally:
        server.execute("DROP DATABASE changed WITH (FORCE)")
