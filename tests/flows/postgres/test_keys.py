"""Where rows are divided, the list of their owners is elsewhere: what foreign keys do on one server, statements do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from postgres_server import PostgresServer
from psycopg import errors

from zgadka.stores.postgres.schema import Layout, has_keys
from zgadka.stores.postgres.session import Database, Session

PERSON, SPACE, GONE = 1, 2, 3
MEMBER = {"owner": SPACE, "person": PERSON, "level": 0, "at": 0}
PEOPLE = f"""
INSERT INTO owner (id, kind, platform, name, form)
VALUES ({PERSON}, 'person', 'test', '1', 0), ({SPACE}, 'space', 'test', 's', 0)
"""


@pytest.mark.parametrize(("layout", "keys"), [("plain", True), ("partitioned", False)])
def test_whether_the_server_does_it_is_told_from_its_keys(
    server: PostgresServer, tmp_path: Path, layout: Layout, *, keys: bool
) -> None:
    with Database.of(server.database_for(tmp_path, layout)).connect() as connection:
        assert has_keys(connection) == keys
    server.empty_databases()


@pytest.fixture
def database(server: PostgresServer, tmp_path: Path) -> Iterator[Database]:
    """Divided tables, with a person and a space."""
    database = Database.of(server.database_for(tmp_path, "partitioned"))
    with closing(Session(database)) as session:
        session.run(PEOPLE)
    yield database
    server.empty_databases()


@pytest.fixture
def one(database: Database) -> Iterator[Session]:
    with closing(Session(database, has_keys=False)) as session:
        session.begin_writing(durable=True)
        yield session


@pytest.fixture
def other(database: Database) -> Iterator[Session]:
    with closing(Session(database, has_keys=False)) as session:
        session.begin_writing(durable=True)
        yield session


def test_whom_a_row_names_is_not_removed_be_it_committed_or_not(one: Session, other: Session) -> None:
    one.rows("member_seen", MEMBER)
    assert one.rows("member_level_get", MEMBER) == [(0,)]
    with pytest.raises(errors.ForeignKeyViolation):
        other.rows("erase_owner", {"owner": PERSON})
    other.rollback_if_open()
    one.commit()
    other.begin_writing(durable=True)
    with pytest.raises(errors.ForeignKeyViolation):
        other.rows("erase_owner", {"owner": PERSON})


def test_whoever_is_named_by_nothing_any_more_is_removed(one: Session, other: Session) -> None:
    one.rows("member_seen", MEMBER)
    one.commit()
    other.run("DELETE FROM member WHERE owner = $1", (SPACE,))
    other.rows("erase_owner", {"owner": PERSON})
    other.commit()
    assert other.run("SELECT id FROM owner") == [(SPACE,)]


def test_a_row_that_names_somebody_gone_is_refused_with_all_that_it_was_sent_with(one: Session) -> None:
    one.rows("member_seen", MEMBER)
    one.rows("member_seen", MEMBER | {"person": GONE})
    with pytest.raises(errors.ForeignKeyViolation):
        one.commit()
    one.rollback_if_open()
    assert one.run("SELECT person FROM member") == []


def test_an_owner_who_is_gone_is_given_no_rows(one: Session) -> None:
    with pytest.raises(errors.ForeignKeyViolation):
        one.rows("privacy_put", {"owner": GONE, "level": 1})


def test_a_space_that_is_gone_is_given_no_group_of_readers(one: Session) -> None:
    with pytest.raises(errors.ForeignKeyViolation):
        one.rows_apart("audience_add", [{"owner": GONE, "id": 1, "readers": "[]"}])
