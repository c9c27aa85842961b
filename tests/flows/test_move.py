"""`zgadka migrate --from … --to …`: everything arrives as it was, whatever happens on the way."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import psycopg
import pytest
import pytest_asyncio
from everything import answers, fill
from postgres_server import server, started

from zgadka import InvalidInput, Memory, Settings, open_memory
from zgadka.assemble import move
from zgadka.cli.main import main
from zgadka.errors import SchemaMismatch, StoreBusy, StoreUnavailable
from zgadka.model.message_block import Block, BlockMessage
from zgadka.ops.repair import find_drift, owners_to_check
from zgadka.stores.row_mapping import conversation_parameters
from zgadka.stores.sql import migrations
from zgadka.stores.tx import Tx
from zgadka.transfer.copy_store import NOT_MOVED, TABLES
from zgadka.transfer.export import export_store

BACK_ENDS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'memory.db'}",
    "postgres": lambda folder: server().database_for(folder),
    "partitioned": lambda folder: server().database_for(folder, "partitioned"),
}
WAYS = [("sqlite", "postgres"), ("postgres", "sqlite"), ("sqlite", "sqlite"), ("sqlite", "partitioned")]


class LengthEmbedder:
    """Vectors of three numbers; remembers what it was asked for."""

    name = "test:length"
    is_remote = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Any) -> Any:
        self.asked += texts
        return np.array([[1, len(text) / 100, 0.333] for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Any:
        return np.array([1, len(text) / 100, 0.333], dtype=np.float32)


@pytest.fixture(autouse=True)
def _fresh_databases() -> Iterator[None]:
    yield
    if (used := started()) is not None:
        used.empty_databases()


@pytest.fixture
def url_of(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """The URL of a fresh database: `url_of("postgres", "target")`."""
    given: list[str] = []

    def make(back_end: str, name: str) -> str:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        given.append(BACK_ENDS[back_end](folder))
        return given[-1]

    yield make
    for url in given:
        if url.startswith("postgresql:"):  # further tests get it
            outside(url, "DROP TABLE IF EXISTS move")


@pytest_asyncio.fixture
async def opening(clock: Any) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as stack:

        async def open_(url: str, **more: Any) -> Memory:
            settings = Settings(others_may_change="ask", background=False)
            return await stack.enter_async_context(open_memory(url, settings=settings, clock=clock, **more))

        yield open_


@pytest.fixture
def filled(make_person: Any, clock: Any) -> Callable[..., Any]:
    """Make a database with everything in it, and close it: `await filled(url)`."""

    async def make(url: str) -> None:
        settings = Settings(others_may_change="ask", background=False)
        async with open_memory(url, settings=settings, clock=clock, embedder=LengthEmbedder()) as memory:
            await fill(memory, make_person, clock)
            await memory.embed()
            await memory.apply(_leave_work)
            await make_person(memory).note("without a vector yet")
        for statement in DOORS:
            outside(url, statement)

    return make


DOORS = (
    (
        "INSERT INTO token (id, digest, role, label, scope, created_at) SELECT 1, slot, 'service', 'bot', '{}', 5 "
        "FROM memory ORDER BY id LIMIT 1"
    ),
    (
        "INSERT INTO answer (token, key, request, status, body, expires_at) SELECT 1, 'k', slot, 200, '{}', 9 "
        "FROM memory ORDER BY id LIMIT 1"
    ),
    "INSERT INTO activity (at, what, name, outcome, bound, number, total) VALUES (1, 'call', 'recall', '', 5, 1, 4)",
    "INSERT INTO secret (name, value) SELECT 'cookie', slot FROM memory ORDER BY id LIMIT 1",
)


def _leave_work(tx: Tx) -> None:
    """A call that was done without its own row saying so, a chore, and a rollout with a stretch to tell of."""
    space = tx.owners.find("space", "telegram", "456")
    assert space is not None
    person = tx.owners.find("person", "telegram", "123")
    assert person is not None
    tx.forgotten_values.add(replace(tx.memories.list_all(person)[0], canonical="forgotten long ago"), tx.now)
    task = tx.tasks.add(space, "call", {"text": "Привіт"}, conversation=("456", "", 0), person=person, priority=1)
    came_of_it = {"owner": person, "task": task, "space": space, "person": person, "result": "{}"}
    assert tx.rows("outcome_add", came_of_it)
    assert tx.tasks.claim_chore("tidy", timedelta(minutes=10))
    tx.chats.start_rollout()
    tx.chats.set_arm(space, "456", "automated")
    tx.segments.open(space, ("456", "", 0), 5, tx.now)
    tx.segments.forbid_quotes(space, person)
    conversation = ("456", "", 0)
    said = list(tx.messages.iterate(space, conversation))[-1]
    tx.rows("conversation_due", conversation_parameters(space, conversation) | {"id": said.id})
    chat = tx.blocks.chat(space, conversation)
    assert chat is not None
    tx.blocks.add(chat, Block.of([BlockMessage(said.id, said.person, said.at, 0, ["greeting"])]), said.id)


async def exported(url: str, clock: Any) -> list[str]:
    lines: list[str] = []
    async with open_memory(url, settings=Settings(background=False), clock=clock) as memory:
        await memory.look(export_store, lines.append)
    return lines


def outside(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement in the database from outside."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
    with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
        return list(connection.execute(statement))


@pytest.mark.asyncio
async def test_a_filled_database_has_rows_in_every_table(filled: Any, url_of: Any) -> None:
    """Else the tests below would prove less than they say."""
    url = url_of("sqlite", "source")
    await filled(url)
    assert [table for table in TABLES if not outside(url, f"SELECT 1 FROM {table} LIMIT 1")] == []


@pytest.mark.asyncio
async def test_every_table_is_moved_or_stays_on_purpose() -> None:
    with closing(apsw.Connection(":memory:")) as connection:
        for _, _, text, _ in migrations("sqlite"):
            connection.execute(text).fetchall()
        listed = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
        tables = {row[0] for row in connection.execute(listed)} - {"sqlite_schema"}
        assert tables == TABLES.keys() | (NOT_MOVED - {"migration", "move"})
        key = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
        assert {name: tuple(row[0] for row in connection.execute(key, (name,))) for name in TABLES} == TABLES


@pytest.mark.asyncio
async def test_every_table_of_postgres_is_moved_or_stays_on_purpose(url_of: Any) -> None:
    listed = "SELECT relname FROM pg_class WHERE relnamespace = 'zgadka'::regnamespace AND relkind IN ('r', 'p')"
    tables = {row[0] for row in outside(url_of("postgres", "target"), listed)}
    assert tables == TABLES.keys() | (NOT_MOVED - {"memory_index", "move", "damaged"})


@pytest.mark.parametrize(("from_", "to"), WAYS)
@pytest.mark.asyncio
async def test_everything_arrives(
    from_: str, to: str, url_of: Any, filled: Any, opening: Any, make_person: Any, clock: Any
) -> None:
    source, target = url_of(from_, "source"), url_of(to, "target")
    await filled(source)
    shown: list[tuple[int, int]] = []
    moved = move(source, target, progress=lambda done, of: shown.append((done, of)))
    assert await exported(target, clock) == await exported(source, clock)
    assert {name: table.rows for name, table in moved.tables.items() if not table.rows} == {}
    assert shown == sorted(shown)
    assert shown[-1] == (2 * sum(table.rows for table in moved.tables.values()),) * 2
    embedder = LengthEmbedder()
    before = await opening(source, embedder=LengthEmbedder())
    after = await opening(target, embedder=embedder)
    assert await after.look(lambda tx: tx.maintenance.counts()) == await before.look(lambda tx: tx.maintenance.counts())
    assert (await drift(before), await drift(after)) == ({}, {})
    await after.embed()
    assert "without a vector yet" in embedder.asked
    assert "allergic to nuts" not in embedder.asked, "what has a vector is not embedded again"
    await before.embed()
    assert await answers(after, make_person) == await answers(before, make_person)


@pytest.mark.parametrize("to", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_a_file_from_which_somebody_was_erased_is_moved_and_swept_anew(
    to: str, url_of: Any, opening: Any, make_person: Any, clock: Any
) -> None:
    source, target = url_of("sqlite", "source"), url_of(to, "target")
    memory = await opening(source)
    await make_person(memory).note("plays chess")
    assert (await memory.erase(make_person(memory, user=7).turn(direct=True))).scrubbed
    await memory.close()
    sweep = "SELECT value FROM sequence WHERE name = 'sweep'"
    [[swept_at]] = outside(source, sweep)
    assert swept_at > 0
    move(source, target)
    assert await exported(target, clock) == await exported(source, clock)
    if to == "sqlite":
        assert outside(target, sweep) == [(0,)]


@pytest.mark.parametrize("middle", ["postgres", "partitioned"])
@pytest.mark.asyncio
async def test_there_and_back_every_byte_is_the_same(middle: str, url_of: Any, filled: Any, clock: Any) -> None:
    first, second, third = url_of("sqlite", "first"), url_of(middle, "second"), url_of("sqlite", "third")
    await filled(first)
    there, back = move(first, second), move(second, third)
    assert back.tables == there.tables
    assert await exported(third, clock) == await exported(first, clock)
    for table, key in TABLES.items():
        rows = f"SELECT * FROM {table} ORDER BY {', '.join(key)}"
        assert outside(third, rows) == outside(first, rows), table


@pytest.mark.asyncio
async def test_what_is_kept_afterwards_gets_new_numbers(
    url_of: Any, filled: Any, opening: Any, make_person: Any
) -> None:
    source, target = url_of("sqlite", "source"), url_of("postgres", "target")
    await filled(source)
    move(source, target)
    [(highest,)] = outside(target, "SELECT max(id) FROM memory")
    memory = await opening(target, embedder=LengthEmbedder())
    assert await make_person(memory).note("something new") > highest
    assert await make_person(memory, user=77).note("of somebody new") > highest
    another = LengthEmbedder()
    another.name = "test:another"
    assert await (await opening(target, embedder=another)).embed() > 0


KILLED = """
import os, signal, sys
from zgadka.assemble import move
from zgadka.transfer import copy_store as moving
moving._PAGE = 7
pages = [0]
def progress(done, of):
    pages[0] += 1
    if pages[0] == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
move(sys.argv[1], sys.argv[2], progress=progress)
"""


@pytest.mark.parametrize(("from_", "to"), [("sqlite", "postgres"), ("postgres", "sqlite")])
@pytest.mark.asyncio
async def test_a_move_that_is_killed_goes_on_where_it_was(
    from_: str, to: str, url_of: Any, filled: Any, clock: Any, program: str
) -> None:
    source, target = url_of(from_, "source"), url_of(to, "target")
    await filled(source)
    codes: list[int] = []
    while not codes or (codes[-1] == -signal.SIGKILL and len(codes) < 100):
        # While rows are copied, three pages each time: it could not end if it began anew. The comparing is one piece.
        pages = "3" if len(codes) < 12 else "1000"
        run = [program, "-c", KILLED, source, target, pages]
        codes.append((await asyncio.to_thread(subprocess.run, run, check=False, capture_output=True)).returncode)
        if codes[-1]:
            with pytest.raises(SchemaMismatch, match="run the same command again"):
                open_memory(target)
    assert codes == [-signal.SIGKILL] * 12 + [0]
    assert await exported(target, clock) == await exported(source, clock)


async def interrupted(source: str, target: str, pages: int = 3) -> None:
    """Begin to move, and stop in the middle."""
    seen = 0

    def stop(_: int, __: int) -> None:
        nonlocal seen
        seen += 1
        if seen == pages:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(source, target, progress=stop)


@pytest.mark.parametrize("back_end", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_nothing_is_moved_into_a_database_that_is_in_use(
    back_end: str, url_of: Any, filled: Any, opening: Any, make_person: Any, clock: Any
) -> None:
    source, target = url_of("sqlite", "source"), url_of(back_end, "target")
    await filled(source)
    await make_person(await opening(target)).note("was here before")
    before = await exported(target, clock)
    with pytest.raises(InvalidInput, match="is not empty"):
        move(source, target)
    assert await exported(target, clock) == before


@pytest.mark.parametrize("back_end", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_a_move_begun_from_elsewhere_is_not_gone_on_with(back_end: str, url_of: Any, filled: Any) -> None:
    source, other, target = url_of("sqlite", "source"), url_of("sqlite", "other"), url_of(back_end, "target")
    for url in (source, other):
        await filled(url)
    await interrupted(source, target)
    with pytest.raises(InvalidInput, match="is being filled from"):
        move(other, target)
    with pytest.raises(SchemaMismatch, match="run the same command again"):
        move(target, url_of("sqlite", "third"))
    move(source, target)


@pytest.mark.parametrize("from_", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_a_source_that_was_written_to_between_is_found_out(
    from_: str, url_of: Any, filled: Any, opening: Any, make_person: Any
) -> None:
    source, target = url_of(from_, "source"), url_of("sqlite", "target")
    await filled(source)
    await interrupted(source, target)
    await make_person(await opening(source)).note("written meanwhile")
    with pytest.raises(StoreBusy, match="was written to since the move"):
        move(source, target)


@pytest.mark.parametrize("from_", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    ("statement", "error"),
    [("DELETE FROM rate", StoreBusy), ("UPDATE chore SET next_at = next_at + 1", StoreUnavailable)],
)
@pytest.mark.asyncio
async def test_a_source_that_is_written_to_while_it_is_moved_is_found_out(
    from_: str, statement: str, error: type[Exception], url_of: Any, filled: Any
) -> None:
    source, target = url_of(from_, "source"), url_of("sqlite", "target")
    await filled(source)
    with pytest.raises(error, match="was written to"):
        move(source, target, progress=lambda done, of: outside(source, statement) if done < of / 2 else None)
    with pytest.raises(SchemaMismatch):
        open_memory(target)


@pytest.mark.parametrize("to", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_a_row_that_arrived_otherwise_is_found_out(to: str, url_of: Any, filled: Any) -> None:
    source, target = url_of("sqlite", "source"), url_of(to, "target")
    await filled(source)
    spoil = "UPDATE memory SET confidence = confidence + 0.0000001 WHERE content = 'Львів'"
    with pytest.raises(StoreUnavailable, match=r"'memory' has .* one of them was written to"):
        move(source, target, progress=lambda done, of: outside(target, spoil) if done < of / 2 else None)


@pytest.mark.parametrize("to", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_of_two_moves_into_the_same_database_one_gives_way(to: str, url_of: Any, filled: Any, clock: Any) -> None:
    source, target = url_of("sqlite", "source"), url_of(to, "target")
    await filled(source)
    other: list[Any] = []

    def overtake(_: int, __: int) -> None:
        if not other:
            other.append(None)
            other.append(move(source, target))

    with pytest.raises(StoreBusy, match="another process moves into"):
        move(source, target, progress=overtake)
    assert await exported(target, clock) == await exported(source, clock)


@pytest.mark.parametrize(
    ("source", "target", "what"),
    [
        ("sqlite:///source.db", "sqlite:///./source.db", "moved to itself"),
        ("sqlite:///missing.db", "sqlite:///target.db", "there is no database"),
        ("sqlite:///empty.db", "sqlite:///target.db", "is no database of zgadka"),
        ("sqlite://:memory:", "sqlite:///target.db", "in memory"),
        ("sqlite:///source.db", "sqlite://:memory:", "in memory"),
        ("mysql://x", "sqlite:///target.db", "no database 'mysql://x'"),
    ],
)
@pytest.mark.asyncio
async def test_what_cannot_be_moved_is_refused(
    source: str, target: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await open_memory("sqlite:///source.db").close()
    tmp_path.joinpath("empty.db").touch()
    with pytest.raises(InvalidInput, match=what):
        move(source, target)
    assert not tmp_path.joinpath("missing.db").exists()


@pytest.mark.parametrize("from_", ["sqlite", "postgres"])
@pytest.mark.asyncio
async def test_another_schema_is_refused(from_: str, url_of: Any, filled: Any) -> None:
    source = url_of(from_, "source")
    await filled(source)
    last = "WHERE number = (SELECT max(number) FROM migration)"
    [(number, name, checksum)] = outside(source, f"SELECT number, name, checksum FROM migration {last}")
    outside(source, f"DELETE FROM migration {last}")
    with pytest.raises(SchemaMismatch, match="schema"):
        move(source, url_of("sqlite", "target"))
    outside(source, f"INSERT INTO migration (number, name, checksum) VALUES ({number}, '{name}', '{checksum}')")


@pytest.mark.asyncio
async def test_the_command_moves_and_prints_what_is_there(url_of: Any, filled: Any) -> None:
    source, target = url_of("sqlite", "source"), url_of("postgres", "target")
    await filled(source)
    run = [sys.executable, "-m", "zgadka", "migrate", "--from", source, "--to", target]
    ended = await asyncio.to_thread(subprocess.run, run, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    said = json.loads(ended.stdout)
    assert said["from"] == source.removeprefix("sqlite:///")
    assert said["tables"]["owner"]["rows"] == outside(source, "SELECT count(*) FROM owner")[0][0]
    assert len(said["tables"]["memory"]["checksum"]) == 32


@pytest.mark.parametrize(
    "arguments", [["--from", "sqlite:///a.db"], ["--to", "sqlite:///a.db"], ["--from", "a", "--to", "b", "--db", "c"]]
)
def test_half_a_move_is_a_mistake_in_the_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["zgadka", "migrate", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "give both --from and --to" in capsys.readouterr().err


async def drift(memory: Memory) -> dict[str, int]:
    """What disagrees with the rows, of all owners."""
    found: dict[str, int] = {}
    for owner in await memory.look(owners_to_check):
        found |= (await memory.look(find_drift, owner)).counts
    return found
