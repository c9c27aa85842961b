"""The schema: migrations, and the queries that are written against it."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

import zgadka.stores
from zgadka.errors import SchemaMismatch
from zgadka.settings import Settings
from zgadka.stores.sql import migrations, queries
from zgadka.stores.sqlite.schema import FINGERPRINT, fingerprint
from zgadka.stores.sqlite.store import POSTINGS, SqliteStore

FOLDER = Path(zgadka.stores.__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def open_and_close(path: Path) -> None:
    store = SqliteStore(path, settings=Settings(), clock=lambda: datetime.now(UTC))
    asyncio.run(store.close())


def change(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(statement).fetchall()
    connection.close()


def schema(path: Path) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(path))
    found: list[tuple[Any, ...]] = connection.execute(
        "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2"
    ).fetchall()
    found += connection.execute("SELECT number, name, checksum FROM migration ORDER BY 1").fetchall()
    found += connection.execute("PRAGMA user_version").fetchall()
    connection.close()
    return found


def test_the_fingerprint_is_that_of_a_new_database(path: Path) -> None:
    """A migration changes it: write the new one into stores/sqlite/schema.py."""
    open_and_close(path)
    with closing(apsw.Connection(str(path))) as connection:
        assert fingerprint(connection) == FINGERPRINT


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "CREATE TRIGGER copies AFTER INSERT ON memory BEGIN INSERT INTO kept SELECT new.content; END",
            "trigger copies",
        ),
        ("CREATE VIEW everything AS SELECT content FROM memory", "view everything"),
        ("CREATE TABLE kept (content TEXT)", "table kept"),
        ("CREATE INDEX memory_content ON memory (content)", "index memory_content"),
        ("DROP INDEX memory_slot", "no index memory_slot"),
        ("ALTER TABLE message ADD COLUMN copy TEXT", "table message"),
    ],
)
def test_a_schema_that_somebody_changed_is_refused(path: Path, statement: str, named: str) -> None:
    open_and_close(path)
    change(path, statement)
    with pytest.raises(SchemaMismatch, match=f"differs from what zgadka makes: {named}"):
        open_and_close(path)


def test_what_sqlite_itself_keeps_of_a_schema_is_not_foreign(path: Path) -> None:
    open_and_close(path)
    change(path, "ANALYZE")
    open_and_close(path)


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    assert [number for number, *_ in migrations("sqlite")] == list(range(1, len(migrations("sqlite")) + 1))


def test_opening_again_changes_nothing_of_the_schema(path: Path) -> None:
    open_and_close(path)
    first = schema(path)
    assert first[-1] == (len(migrations("sqlite")),)
    open_and_close(path)
    assert schema(path) == first


def test_every_statement_of_every_migration_is_run(path: Path) -> None:
    """A driver may stop at a statement that returns a row."""
    open_and_close(path)
    by_hand = apsw.Connection(":memory:")
    for _, _, text, _ in migrations("sqlite"):
        by_hand.execute(text).fetchall()
    connection = apsw.Connection(str(path))
    listed = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'migration%' ORDER BY 1, 2"
    assert connection.execute(listed).fetchall() == by_hand.execute(listed).fetchall()
    connection.close()


def test_an_older_database_gets_the_migrations_it_lacks(path: Path) -> None:
    """Built by hand up to each migration but the last, as an older program left it."""
    whole = path.parent / "whole.db"
    open_and_close(whole)
    [*_, last] = schema(whole)
    for upto in range(1, len(migrations("sqlite"))):
        old = path.parent / f"old-{upto}.db"
        connection = apsw.Connection(str(old))
        connection.execute(
            "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
        )
        made = apsw.Connection(str(whole))
        for number, _, text, _ in migrations("sqlite")[:upto]:
            connection.execute(text).fetchall()
            [row] = made.execute("SELECT * FROM migration WHERE number = ?", (number,)).fetchall()
            connection.execute("INSERT INTO migration VALUES (?, ?, ?)", row)
        connection.close()
        made.close()
        open_and_close(old)
        columns = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c ORDER BY 1, c.cid"
        both = [apsw.Connection(str(file)).execute(columns).fetchall() for file in (old, whole)]
        assert both[0] == both[1]
        assert schema(old)[-1] == last


def test_a_newer_schema_is_refused_with_a_clear_line_and_left_alone(path: Path) -> None:
    open_and_close(path)
    newer = len(migrations("sqlite")) + 1
    change(path, f"INSERT INTO migration VALUES ({newer}, '{newer:04}_future', 'x')")
    before = schema(path)
    with pytest.raises(SchemaMismatch, match=rf"at schema {newer}, .* knows up to {newer - 1}: upgrade zgadka"):
        open_and_close(path)
    assert schema(path) == before


def test_a_changed_migration_is_refused_with_its_name(path: Path) -> None:
    open_and_close(path)
    change(path, "UPDATE migration SET checksum = 'other' WHERE number = 1")
    with pytest.raises(SchemaMismatch, match="another version of migration 0001_spine"):
        open_and_close(path)


def test_a_refused_database_is_not_kept_open(path: Path) -> None:
    open_and_close(path)
    change(path, "UPDATE migration SET checksum = 'other'")
    with pytest.raises(SchemaMismatch):
        open_and_close(path)
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    """The last of them meets a table that somebody else made; what the earlier ones made is gone as well."""
    change(path, "CREATE TABLE memory (mine)")
    with pytest.raises(Exception, match="memory"):
        open_and_close(path)
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("memory",)]
    connection.close()


# Queries


def calls() -> Iterator[ast.Call]:
    for file in FOLDER.rglob("*.py"):
        yield from (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))


def names_in_code() -> Iterator[re.Pattern[str]]:
    """Every string of the package, one with a gap (`f"index_{what}"`) as a pattern."""
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Constant(value=str(text)):
                    yield re.compile(re.escape(text))
                case ast.JoinedStr(values=[ast.Constant(value=str(text)), ast.FormattedValue()]):
                    yield re.compile(re.escape(text) + r"\w+")
                case _:
                    pass


def test_every_query_is_used() -> None:
    patterns = list(names_in_code())
    unused = [name for name in queries("sqlite") if not any(pattern.fullmatch(name) for pattern in patterns)]
    assert unused == []


def test_every_query_that_is_used_exists() -> None:
    named = {
        call.args[0].value
        for call in calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("_rows", "_memories", "rows")
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    assert len(named) > 20, "the search above still finds them"
    assert named - set(queries("sqlite")) == set()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_no_query_stands_twice(dialect: str) -> None:
    texts = [(FOLDER / f"{name}.sql").read_text("utf-8") for name in ("queries", dialect)]
    heads = [line for text in texts for line in text.splitlines() if line.startswith("-- name: ")]
    assert len(heads) == len(set(heads)) == len(queries(dialect))


def test_both_engines_have_the_same_queries_but_for_the_index_of_words() -> None:
    only_one = queries("sqlite").keys() ^ queries("postgres").keys()
    assert {name.split("_")[0] for name in only_one if name != "owner_level"} == {"index"}


@pytest.fixture
def explained() -> Callable[[str], list[tuple[Any, ...]]]:
    """What SQLite says of a query in the newest schema: `explained("EXPLAIN SELECT …")`."""
    connection = apsw.Connection(":memory:")
    for _, _, text, _ in migrations("sqlite"):
        connection.execute(text).fetchall()
    connection.execute(POSTINGS).fetchall()
    return lambda query: connection.execute(query, AnyParameter()).fetchall()


class AnyParameter(dict[str, int]):
    """Has a value for every parameter."""

    def __missing__(self, name: str) -> int:
        return 1


def test_every_query_fits_the_schema(explained: Callable[[str], list[tuple[Any, ...]]]) -> None:
    wrong: dict[str, apsw.Error] = {}
    for name, query in queries("sqlite").items():
        try:
            explained("EXPLAIN " + query)
        except apsw.Error as error:
            wrong[name] = error
    assert wrong == {}


def test_no_query_about_memories_reads_every_row(explained: Callable[[str], list[tuple[Any, ...]]]) -> None:
    """Each look-up of memories starts from the owner; only what is for operators reads whole tables."""
    for_operators = {
        *("counts", "memory_find", "owners", "events_expired", "events_expire_by", "pending_expired"),
        *("memories_known", "vector_progress", "spaces_of_several_chats"),
        *("memories_grown", "space_counts"),
    }
    scans = {
        name: row[3]
        for name, query in queries("sqlite").items()
        for row in explained("EXPLAIN QUERY PLAN " + query)
        if row[3].startswith("SCAN") and row[3].split()[1] in ("memory", "event")
    }
    assert scans.keys() - for_operators == set(), scans


@pytest.mark.parametrize("name", ["owners_naming", "owners_present", "owners_of_tasks", "calls_about", "past_people"])
def test_who_is_erased_or_cleared_is_found_without_reading_what_is_others(
    name: str, explained: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    steps = [row[3].split() for row in explained("EXPLAIN QUERY PLAN " + queries("sqlite")[name])]
    searched = {step[1] for step in steps if step[0] == "SEARCH"}
    scanned = {step[1] for step in steps if step[0] == "SCAN"}
    listed = [step for step in steps if step[:2] == ["LIST", "SUBQUERY"]]
    assert searched, steps
    assert scanned - {"named", "found"} == set(), steps
    assert not listed, steps


def test_who_was_in_a_memory_is_found_in_the_trail_of_an_older_schema() -> None:
    """By its text, where that is JSON: a damaged one costs only itself."""
    with closing(apsw.Connection(":memory:")) as connection:
        filling = next(migration for migration in migrations("sqlite") if "INTO past_person" in migration.text)
        for migration in migrations("sqlite")[: filling.number - 1]:
            connection.execute(migration.text).fetchall()
        for statement in (
            "INSERT INTO owner (id, kind, platform, name) VALUES (1, 'space', 'p', 's')",
            *(
                "INSERT INTO event (owner, memory, number, at, actor, action, before) "
                f"VALUES (1, {memory}, 1, 0, 'a', 'cleared', '{before}')"
                for memory, before in ((5, '{"people":"[7,8]"}'), (6, '{"content":"x"}'), (7, '{"people":"[7]"}'))
            ),
            "DROP INDEX event_people",
            "DROP INDEX event_said_by",
            "UPDATE event SET before = '{' WHERE memory = 7",
        ):
            connection.execute(statement).fetchall()
        connection.execute(filling.text).fetchall()
        assert connection.execute("SELECT * FROM past_person ORDER BY person").fetchall() == [(1, 7, 5), (1, 8, 5)]


def test_what_was_merged_into_a_memory_is_found_without_reading_all_of_its_owner(
    explained: Callable[[str], list[tuple[Any, ...]]],
) -> None:
    plan = explained("EXPLAIN QUERY PLAN " + queries("sqlite")["memory_parts"])
    assert [row[3] for row in plan] == ["SEARCH memory USING INDEX memory_part (owner=? AND merged_into=?)"]


@pytest.mark.parametrize("name", ["memory_with_key", "memory_with_keys"])
def test_the_facts_of_a_key_are_found_without_reading_all_of_their_owner(
    name: str, explained: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    plan = explained("EXPLAIN QUERY PLAN " + queries("sqlite")[name])
    assert plan[0][3] == "SEARCH memory USING INDEX memory_key (owner=? AND key=?)"
