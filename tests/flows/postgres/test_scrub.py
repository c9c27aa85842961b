"""What is erased is in no byte of a server's files, whoever else is at its tables."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from postgres_server import PostgresServer

from zgadka import Settings, open_memory
from zgadka.stores import executor
from zgadka.stores.postgres import rewrite, schema, scrub
from zgadka.stores.postgres.session import Database, Session
from zgadka.stores.sql import Migration
from zgadka.stores.tx import Tx

pytestmark = pytest.mark.asyncio

SECRET = "xyzzyplugh"


@pytest.fixture
def admin(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def files_with(server: PostgresServer, word: str) -> list[str]:
    """The files of databases that hold a word in any case."""
    server.execute("CHECKPOINT")
    files = (path for path in (server.folder / "data" / "base").rglob("*") if path.is_file())
    return [path.name for path in files if word.encode() in path.read_bytes().lower()]


async def test_what_others_still_see_is_not_said_to_be_removed_and_tidying_makes_up_for_it(
    server: PostgresServer, url: str, make_person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    async with open_memory(url, settings=Settings(background=False)) as memory:
        person = make_person(memory, user=5)
        await person.note(f"likes {SECRET}")
        with psycopg.connect(url) as dump:
            dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            dump.execute("SELECT 1")  # it reads no table, and may read any of them
            assert not (await memory.erase(person.turn(direct=True))).scrubbed
        await memory.tidy()
        assert await memory.look(lambda tx: tx.maintenance.unscrubbed()) == 0
    assert files_with(server, SECRET) == []


@pytest.fixture
def all_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is so small that others wait while it is written anew, where a copy can be made."""
    monkeypatch.setattr(scrub, "_AT_ONCE_BYTES", 0)
    monkeypatch.setattr(rewrite, "_SLICE_BLOCKS", 1)


def described(server: PostgresServer, url: str) -> list[str]:
    """The lines by which the schema would be restored, with who may do what."""
    command = [str(server._programs / "pg_dump"), "--schema-only", "--schema=zgadka", url]
    told = subprocess.run(command, check=True, capture_output=True, text=True, **server._as_user()).stdout
    return sorted(line for line in told.splitlines() if not line.startswith(("\\", "--")))


def files_of_tables(server: PostgresServer, url: str) -> dict[str, int]:
    name = url.partition("@/")[2].partition("?")[0]
    return dict(
        server.execute(
            "SELECT relname, relfilenode::bigint FROM pg_class "
            "WHERE relnamespace = 'zgadka'::regnamespace AND relkind = 'r'",
            name,
        )
    )


def all_memories(tx: Tx) -> list[Any]:
    return [memory for owner in tx.owners.list() for memory in tx.memories.list_all(owner.id)]


async def fill(person: Any, word: str) -> None:
    """Rows of all kinds, short and long, some of which were changed since."""
    for number in range(12):
        await person.note(f"{number} times {word} and {word * 9}")
    note = await person.note(f"once {word}")
    await person.fact("location", f"{word}ville", source_excerpt=f"I live in {word}ville")
    await person.update("location", f"{word}burg")
    await person.deletes(note)
    await person.speaks(f"I am {word}")
    await person.speaks(f"{word} " * 2000)
    await person.call("create_episode", topic=f"an evening of {word}", summary=f"{word} sang", importance=0.9)


@pytest.mark.usefixtures("all_beside")
async def test_others_write_and_read_while_the_bytes_of_the_erased_go_and_nothing_of_theirs_is_lost(
    server: PostgresServer, url: str, make_person: Any
) -> None:
    before = described(server, url)
    settings = Settings(background=False, calls_per_hour=0, memory_tool_timeout_ms=30_000)
    async with open_memory(url, settings=settings) as memory:
        person, others = make_person(memory, user=5), [make_person(memory, user=user) for user in range(6, 12)]
        await fill(person, SECRET)
        for other in others:
            await fill(other, "tea")
        files = files_of_tables(server, url)
        is_erased = asyncio.Event()
        kept: set[str] = set()

        async def live(number: int, other: Any) -> None:
            rounds = 0
            while rounds < 3 or not is_erased.is_set():
                rounds += 1
                words = f"plum {rounds} of {number}"
                note = await other.note(words)
                await other.speaks(f"I ate {words}")
                if rounds % 3:
                    kept.add(words)
                else:
                    await other.deletes(note)
                await other.found("plum")

        async def erase() -> None:
            assert (await memory.erase(person.turn(direct=True))).scrubbed
            is_erased.set()

        await asyncio.gather(erase(), *(live(number, other) for number, other in enumerate(others)))
        assert files_with(server, SECRET) == []
        of_plums = {one.content for one in await memory.look(all_memories) if one.content.startswith("plum")}
        assert of_plums == kept
        assert memory.inspect()["integrity"] == "ok"
        assert memory.inspect()["foreign"] == "none"
    new = files_of_tables(server, url)
    assert {"memory", "message", "event", "owner"} <= {table for table in files if files[table] != new[table]}
    assert described(server, url) == before


def leave_copies(url: str, admin: psycopg.Connection[Any]) -> None:
    """What a process leaves that is killed while it copies two tables."""
    with closing(Session(Database.of(url))) as killed:
        for statement in ("DROP SCHEMA IF EXISTS zgadka_beside CASCADE", "CREATE SCHEMA zgadka_beside"):
            admin.execute(statement.encode())
        for table in ("memory", "event"):
            rewrite.Beside(killed, f"zgadka.{table}", lambda statements, _: killed._at_once(statements)).make()


@pytest.mark.usefixtures("all_beside")
async def test_what_a_process_left_that_was_killed_while_it_copied_a_table_is_in_nobodys_way(
    server: PostgresServer, url: str, make_person: Any, admin: psycopg.Connection[Any]
) -> None:
    before = described(server, url)
    settings = Settings(background=False, calls_per_hour=0)
    leave_copies(url, admin)
    async with open_memory(url, settings=settings) as memory:
        assert memory.inspect()["foreign"] == "none"
        person, other = make_person(memory, user=5), make_person(memory, user=6)
        await fill(person, SECRET)
        await fill(other, "tea")
        assert (await memory.erase(person.turn(direct=True))).scrubbed
        assert len(await other.found("tea")) > 12
    assert files_with(server, SECRET) == []
    assert described(server, url) == before


async def test_what_such_a_process_left_fails_no_change_after_a_migration_gave_the_table_a_column(
    url: str, make_person: Any, admin: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_copies(url, admin)
    later = Migration(9999, "later", "ALTER TABLE memory ADD COLUMN later INTEGER", "x")
    monkeypatch.setattr(schema, "missing_migrations", lambda _, applied: [] if later.number in applied else [later])
    try:
        async with open_memory(url, settings=Settings(background=False)) as memory:
            person = make_person(memory)
            await person.note("likes tea")
            assert await person.found("tea") == ["likes tea"]
    finally:
        admin.execute("ALTER TABLE zgadka.memory DROP COLUMN later")
        admin.execute("DELETE FROM zgadka.migration WHERE number = 9999")
        admin.execute("DROP SCHEMA IF EXISTS zgadka_beside CASCADE")


@pytest.mark.usefixtures("all_beside")
async def test_a_copy_that_is_not_what_the_table_is_never_takes_its_place(
    server: PostgresServer, url: str, make_person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = described(server, url)
    monkeypatch.setattr(rewrite.Beside, "fill", lambda _: None)
    async with open_memory(url, settings=Settings(background=False)) as memory:
        person, other = make_person(memory, user=5), make_person(memory, user=6)
        for one in (person, other):
            await one.note(f"likes {SECRET}")
        assert not (await memory.erase(person.turn(direct=True))).scrubbed
        assert await other.found(SECRET) == [f"likes {SECRET}"]
    assert described(server, url) == before


THINGS_OF_OTHERS = {
    "a view": ("CREATE VIEW public.copy AS SELECT * FROM zgadka.memory", "DROP VIEW public.copy"),
    "a publication": ("CREATE PUBLICATION copy FOR TABLE zgadka.memory", "DROP PUBLICATION copy"),
    "a right to a column": (
        "GRANT SELECT (id) ON zgadka.memory TO PUBLIC",
        "REVOKE SELECT (id) ON zgadka.memory FROM PUBLIC",
    ),
    "a right": ("GRANT SELECT ON zgadka.memory TO PUBLIC", "REVOKE ALL ON zgadka.memory FROM PUBLIC"),
    "an index": ("CREATE INDEX mine ON zgadka.memory (confidence)", "DROP INDEX zgadka.mine"),
    "a setting": ("ALTER TABLE zgadka.memory SET (fillfactor = 70)", "ALTER TABLE zgadka.memory RESET (fillfactor)"),
    "statistics": (
        "CREATE STATISTICS zgadka.mine ON kind, space FROM zgadka.memory",
        "DROP STATISTICS zgadka.mine",
    ),
}


@pytest.mark.parametrize("what", THINGS_OF_OTHERS)
@pytest.mark.usefixtures("all_beside")
async def test_what_an_administrator_made_of_a_table_stays(
    server: PostgresServer, url: str, make_person: Any, admin: psycopg.Connection[Any], what: str
) -> None:
    made, undone = THINGS_OF_OTHERS[what]
    async with open_memory(url, settings=Settings(background=False)) as memory:
        person = make_person(memory, user=5)
        await person.note(f"likes {SECRET}")
        admin.execute(made.encode())
        before = described(server, url)
        try:
            assert (await memory.erase(person.turn(direct=True))).scrubbed
            assert described(server, url) == before
            assert files_with(server, SECRET) == []
        finally:
            admin.execute(undone.encode())
