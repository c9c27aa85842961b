"""What a real cluster does with each statement, and that the check which needs none says the same.

Runs where ZGADKA_TEST_POSTGRES names a database whose tables Citus distributes, or may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_server import GIVEN, GivenServer

from zgadka.stores.postgres.routes import EVERYWHERE
from zgadka.stores.postgres.schema import layout_of
from zgadka.stores.postgres.session import Database, Session, Statement, statements

pytestmark = pytest.mark.skipif(not GIVEN, reason="ZGADKA_TEST_POSTGRES names no database")

OWNERS = """
INSERT INTO owner (id, kind, platform, name, number, form)
VALUES (7, 'space', 'x', 'x', 7, 0), (8, 'space', 'x', 'y', 7, 0), (9, 'person', 'x', 'x', 7, 0)
"""
BY_TYPE: dict[str, Any] = {"text": "x", "bytea": b"\0", "double precision": 0.5, "json": "[]", "boolean": True}
BY_NAME: dict[str, Any] = dict.fromkeys(("ids", "people", "slots", "keys", "words", "rows"), "[]") | {
    "match": '"o7xa"', "from": "o7x", "to": "o7y", "space": 8, "what": "memory", "state": "waiting", "arm": "tools",
    "archived": 0, "before_json": '{"people": [1], "a": 1}',
}  # fmt: skip
ON_ONE_SERVER = {"tasks_add", "rates_take", "hold_free"}
"""What a cluster is never sent: there, each of these rows is asked by itself."""
KINDS = {"subject": "memory", "memor": "fact", "tally": "fact", "member": "person", "owner": "person"}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A connection to tables that Citus distributes."""
    server = GivenServer(GIVEN)
    url = server.database_for(Path("cluster"))
    with closing(Session(Database.of(url))) as session:
        if layout_of(session.connection) != "citus":
            pytest.skip("the database has no Citus")
        session.run(OWNERS)
        yield session
    server.empty_databases()
    server.remove()


def values(session: Session, name: str, statement: Statement) -> list[Any]:
    """Something of the right type for each parameter."""
    session.connection.execute(f"PREPARE query AS {statement.text}".encode())
    types = session.run("SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'query'")[0][0]
    session.connection.execute("DEALLOCATE query")
    found: list[Any] = []
    for parameter, type_ in zip(statement.names, types, strict=True):
        value = BY_NAME.get(parameter, BY_TYPE.get(type_, 7))
        if parameter == "kind":
            value = next((kind for part, kind in KINDS.items() if part in name), "save")
        elif parameter == "role":
            value = "about" if "subject" in name else "service" if "token" in name else "user"
        elif parameter == "before" and type_ == "text":
            value = BY_NAME["before_json"]
        elif parameter == "numbers":
            value = None
        found.append(7 if type_ == "bigint" and isinstance(value, str) else value)
    return found


def rolled_back(session: Session, text: str, given: list[Any]) -> list[Any]:
    session.begin_writing(durable=True)
    try:
        return session.run(text, given)
    finally:
        with suppress(psycopg.Error):
            session._at_once("ROLLBACK")


def test_a_cluster_takes_every_statement_also_once_it_is_prepared(session: Session) -> None:
    refused: dict[str, str] = {}
    for name, statement in statements().items():
        if name in ON_ONE_SERVER:
            continue
        given = values(session, name, statement)
        try:
            for _ in range(7):  # from the sixth time on, PostgreSQL plans no longer for the values
                rolled_back(session, statement.text, given)
        except (psycopg.errors.NotNullViolation, psycopg.errors.CheckViolation):
            pass
        except psycopg.Error as error:
            refused[name] = str(error)
    assert refused == {}


def test_what_the_check_without_a_cluster_sends_to_one_server_goes_there(session: Session) -> None:
    everywhere: set[str] = set()
    for name, statement in statements().items():
        if name in ON_ONE_SERVER:
            continue
        given = values(session, name, statement)
        text = re.sub(r"\$(\d+)", lambda match: literal(given[int(match[1]) - 1]), statement.text)  # noqa: B023
        plan = "\n".join(row[0] for row in rolled_back(session, f"EXPLAIN {text}", []))
        counts = [int(count) for count in re.findall(r"Task Count: (\d+)", plan)]
        if max(counts, default=1) > 1:
            everywhere.add(name)
    assert everywhere <= set(EVERYWHERE)
    assert len(everywhere) > len(EVERYWHERE) * 0.9


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'"
    return "'" + str(value).replace("'", "''") + "'"
