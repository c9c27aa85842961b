"""The back ends have the same named queries, and PostgreSQL takes each of its own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import apsw
import psycopg
import pytest
from postgres_server import server

from zgadka.stores.postgres.session import APART, FOLLOWS_BY_ITSELF, statements
from zgadka.stores.sql import migrations, queries

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")


def parameters(dialect: str, name: str) -> set[str]:
    return set(PARAMETER.findall(queries(dialect)[name]))


def test_both_have_the_same_queries() -> None:
    assert len(queries("sqlite")) > 100
    assert set(queries("sqlite")) == set(queries("postgres")) | FOLLOWS_BY_ITSELF
    assert not set(queries("postgres")) & FOLLOWS_BY_ITSELF
    assert set(queries("postgres")) >= APART


@pytest.mark.parametrize("name", sorted(queries("postgres")))
def test_both_have_the_same_parameters(name: str) -> None:
    # What is not yet in the full-text index is known to SQLite's store alone.
    assert parameters("sqlite", name) - {"put_off"} == parameters("postgres", name)


def test_postgres_can_tell_the_type_of_each_parameter(tmp_path: Path) -> None:
    url = server().database_for(tmp_path)
    refused: dict[str, str] = {}
    with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as connection:
        for name, statement in statements().items():
            try:
                connection.execute(f"PREPARE query AS {statement.text}".encode())
                connection.execute("DEALLOCATE query")
            except psycopg.Error as error:
                refused[name] = str(error)
    assert refused == {}


@cache
def empty_tables() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for migration in migrations("sqlite"):
        connection.execute(migration.text).fetchall()
    return connection


def plan_of(name: str) -> list[str]:
    query = queries("sqlite")[name]
    rows = empty_tables().execute(f"EXPLAIN QUERY PLAN {query}", dict.fromkeys(PARAMETER.findall(query)))
    return [str(row[3]) for row in rows]


@pytest.mark.parametrize(
    "name", ["spaces_with_person", "members_of_person", "owners_present", "owners_naming", "spaces_with_messages_of"]
)
def test_where_somebody_is_told_of_is_found_without_reading_what_others_have(name: str) -> None:
    plan = plan_of(name)
    assert [step for step in plan if re.match("SCAN (owner|event|memory|member|message|subject)$", step)] == []


def test_no_messages_are_asked_for_by_reading_all_of_a_space() -> None:
    """What is asked of a chat, a person or a change takes as long however much else is said in the space."""
    of_a_space = {"erase_space_messages", "move_messages", "move_readers", "unembedded_message", "vectors_missing"}
    names = {name for name, query in queries("sqlite").items() if re.search(r"(FROM|UPDATE|JOIN) message\b", query)}
    reads_all = re.compile(r"SEARCH (message|m) USING PRIMARY KEY \(owner=\?\)$")
    assert {name for name in names if any(map(reads_all.match, plan_of(name)))} == of_a_space


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("spaces_with_due_observations", "observation_noted"),
        ("spaces_with_many_observations", "observation_noted"),
        ("unembedded", "unembedded_newest"),
        ("events_expired", "event_expires"),
        ("events_expire_by", "event_expires"),
        ("owners_outdated", "owner_form"),
        ("sagas", "task_saga"),
        ("tasks_expired", "task_ended"),
        ("facts_archived", "memory_forgotten"),
    ],
)
def test_a_chore_reads_what_is_due_by_an_index_and_nothing_else(name: str, index: str) -> None:
    steps = [step for step in plan_of(name) if re.match("SEARCH|SCAN", step) and not re.search(" [mb] ", step)]
    assert steps
    assert [step for step in steps if not re.match(rf"SEARCH \w+ USING (COVERING )?INDEX {index} \(", step)] == []


def test_where_memories_are_seen_is_asked_space_after_space_and_not_memory_after_memory() -> None:
    searched = [step for step in plan_of("memory_spaces") if step.startswith("SEARCH")]
    first, following = "(owner=? AND lineage=?)", "(owner=? AND lineage=? AND space>?)"
    assert searched == [f"SEARCH m USING COVERING INDEX memory_seen {bounds}" for bounds in (first, following)]


@pytest.mark.parametrize("name", ["tasks_take", "tasks_finished", "tasks_tell_failed"])
def test_results_that_wait_for_somebody_are_asked_for_without_reading_the_spaces_other_tasks(name: str) -> None:
    searched = [step for step in plan_of(name) if "task" in step]
    assert [step for step in searched if not re.search(r"INDEX task_(done|failed) \(owner=\? AND person", step)] == []
    assert searched


def test_a_chore_on_postgres_can_read_what_is_due_by_an_index(tmp_path: Path) -> None:
    chores = {
        *("spaces_with_due_observations", "spaces_with_many_observations", "unembedded", "spaces_with_old_messages"),
        *("events_expired", "events_expire_by", "owners_outdated", "sagas", "tasks_expired", "tasks_finished"),
    }
    reads_all: dict[str, list[str]] = {}
    with psycopg.connect(server().database_for(tmp_path), options="-c search_path=zgadka,public") as connection:
        connection.execute(
            "SET enable_seqscan = off"
        )  # the tables are empty; PostgreSQL does it where it cannot help it
        for name in chores:
            plan = connection.execute(f"EXPLAIN (GENERIC_PLAN) {statements()[name].text}".encode()).fetchall()
            if scans := [step for (step,) in plan if re.search(r"Seq Scan on (?!owner o)", step)]:
                reads_all[name] = scans
    assert reads_all == {}
