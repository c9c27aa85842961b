"""What a server does wrong: clear answers, nothing half done, and all goes on when it is right again."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import select
import signal
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from postgres_server import PostgresServer
from soundness import contents, flaws

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.admission import Admitted, LateCall
from zgadka.errors import InvalidInput, SchemaMismatch, StoreBusy, StoreLate, StoreUnavailable, StoreUncertain
from zgadka.model.memory import Scope
from zgadka.ops.access import ensure_space
from zgadka.stores import executor
from zgadka.stores.postgres import session
from zgadka.stores.postgres.copy import PostgresEnd
from zgadka.stores.postgres.session import Database, Session
from zgadka.stores.postgres.store import PostgresStore, make_tables
from zgadka.stores.sql import migrations
from zgadka.stores.tx import Tx
from zgadka.stores.tx.vectors import Unembedded

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def opened(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Memory]:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    async with open_memory(url, settings=Settings(background=False)) as memory:
        yield memory


@pytest.fixture
def person(opened: Memory, make_person: Any) -> Any:
    return make_person(opened)


@pytest.fixture
def admin(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as connection:
        yield connection


def end_connections(admin: psycopg.Connection[Any]) -> int:
    """End all but this one; returns once they have ended how many that were."""
    found = admin.execute(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    return found.fetchone()[0]  # pyright: ignore[reportOptionalSubscript]


async def test_connections_that_an_administrator_ends_are_made_anew(person: Any, admin: Any) -> None:
    await person.note("likes tea")
    assert end_connections(admin) > 0
    assert await person.found("tea") == ["likes tea"]
    end_connections(admin)
    await person.note("likes coffee")
    assert sorted(await person.found("likes")) == ["likes coffee", "likes tea"]


async def test_an_operation_whose_connection_is_ended_says_so_and_is_not_kept(
    opened: Memory, person: Any, admin: Any
) -> None:
    await person.note("likes tea")

    def broken_off(tx: Tx) -> None:
        tx.owners.ensure("space", "test", "x")
        tx.privacy.put(tx.owners.ensure("person", "telegram", "123"), 1)
        end_connections(admin)
        tx.owners.list()

    with pytest.raises(StoreUnavailable, match=r"it is being stopped|cannot be reached"):
        await opened.apply(broken_off)
    assert await person.found("tea") == ["likes tea"], "the privacy level is as it was"


async def one_writer(url: str) -> tuple[Memory, threading.Event]:
    """A memory that changed something, and whose only writer waits for the event before it changes more."""
    store = PostgresStore(url, settings=Settings(connections=2), clock=lambda: datetime.now(UTC))
    memory = Memory(store, Settings(background=False))
    await memory.apply(lambda tx: tx.owners.ensure("space", "test", "first"))
    waits, busy = threading.Event(), threading.Event()
    store._writers.submit(lambda: (waits.set(), busy.wait()))
    await asyncio.to_thread(waits.wait)
    return memory, busy


async def test_changes_that_would_share_a_commit_on_a_lost_connection_are_all_made_and_answered(
    url: str, admin: Any
) -> None:
    def a_space(tx: Tx, name: str) -> int:
        return tx.owners.ensure("space", "test", name)

    memory, busy = await one_writer(url)
    waiting = [asyncio.ensure_future(memory.apply(a_space, f"late {number}")) for number in range(5)]
    await asyncio.sleep(0)  # all are in line
    assert end_connections(admin) > 0
    busy.set()
    assert len(set(await asyncio.wait_for(asyncio.gather(*waiting), 120))) == 5
    await memory.close()


@pytest.fixture
def starting() -> Iterator[tuple[PostgresServer, Path]]:
    """A server that does not get to the end of its start until the file is there."""
    server = PostgresServer()
    goes_on = server.folder / "goes-on"
    server.stop()
    (server.folder / "data" / "recovery.signal").touch()
    waits = f"while [ ! -e {goes_on} ]; do sleep 0.05; done; false"
    try:
        server.start("-c", f"restore_command={waits}", until="starting up")
        yield server, goes_on
    finally:
        goes_on.touch()
        server.remove()


async def test_a_memory_is_opened_once_a_server_that_is_starting_has_started(
    starting: tuple[PostgresServer, Path],
    monkeypatch: pytest.MonkeyPatch,
    make_person: Any,
) -> None:
    server, goes_on = starting
    url = server.url("postgres")
    monkeypatch.setattr(session, "_STARTING_SECONDS", 0)
    with pytest.raises(StoreUnavailable, match="cannot be reached: it is starting"):
        open_memory(url, settings=Settings(background=False))
    monkeypatch.setattr(session, "_STARTING_SECONDS", 60)
    told = threading.Event()
    monkeypatch.setattr(session._log, "warning", lambda *_: told.set())
    opening = asyncio.create_task(asyncio.to_thread(open_memory, url, settings=Settings(background=False)))
    assert await asyncio.to_thread(told.wait, 120)
    goes_on.touch()
    async with await opening as memory:
        await make_person(memory).note("likes tea")
        assert await make_person(memory).found("tea") == ["likes tea"]


WARNS_AT_COMMIT = """
CREATE FUNCTION public.warns() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE WARNING 'failed to commit transaction on 127.0.0.1:6601'; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON memory DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION public.warns()
"""


async def test_a_commit_that_comes_with_a_warning_is_told_as_uncertain_and_never_as_done(
    opened: Memory, person: Any, admin: Any
) -> None:
    """So Citus says that a worker died meanwhile, and PostgreSQL that a standby has not got the change."""
    await person.note("likes tea")
    admin.execute(WARNS_AT_COMMIT)
    try:
        said = await person.call("remember", content="likes coffee")
    finally:
        admin.execute("DROP FUNCTION public.warns() CASCADE")
    assert (said.status, said["may_be_done"]) == ("error", True)
    assert "it may have been kept or not" in said.message
    await person.note("likes milk")


FAILS_AT_A_COMMIT = """
CREATE SEQUENCE public.commits;
CREATE FUNCTION public.fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('public.commits') IN (1, 30, 60, 90, 120) THEN
        RAISE EXCEPTION 'overtaken' USING ERRCODE = '40001';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON chore DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION public.fails()
"""


@pytest.mark.parametrize("together", [1, 200])
async def test_what_is_overtaken_as_it_is_committed_is_done_again(together: int, opened: Memory, admin: Any) -> None:
    """A sequence counts on where the transaction is undone. Those that share a commit get each its own then."""

    def claim(tx: Tx, chore: str) -> bool:
        return tx.tasks.claim_chore(chore, timedelta(hours=1))

    admin.execute(FAILS_AT_A_COMMIT)
    try:
        claims = (opened.apply(claim, f"chore {number}") for number in range(together))
        results = await asyncio.gather(*claims)
        [(commits,)] = admin.execute("SELECT last_value FROM public.commits").fetchall()
    finally:
        admin.execute("DROP FUNCTION public.fails() CASCADE; DROP SEQUENCE public.commits")
    assert results == [True] * together
    assert commits > together


async def test_what_a_caller_gave_up_is_not_done_though_what_shared_its_commit_is_done_again(
    url: str, admin: Any
) -> None:
    memory, busy = await one_writer(url)
    loop = asyncio.get_running_loop()
    gone = threading.Event()

    def claim(tx: Tx, chore: str) -> bool:
        if chore == "first" and not gone.is_set():
            loop.call_soon_threadsafe(callers[1].cancel)
            loop.call_soon_threadsafe(loop.call_soon, gone.set)
            assert gone.wait(120)
        return tx.tasks.claim_chore(chore, timedelta(hours=1))

    admin.execute(FAILS_AT_A_COMMIT)
    try:
        callers = [asyncio.ensure_future(memory.apply(claim, chore)) for chore in ("first", "given up", "last")]
        await asyncio.sleep(0)  # all are in line
        busy.set()
        results = await asyncio.wait_for(asyncio.gather(*callers, return_exceptions=True), 120)
    finally:
        admin.execute("DROP FUNCTION public.fails() CASCADE; DROP SEQUENCE public.commits")
    assert (results[0], type(results[1]), results[2]) == (True, asyncio.CancelledError, True)
    assert admin.execute("SELECT name FROM chore WHERE name = 'given up'").fetchall() == []
    await memory.close()


async def test_a_move_does_not_go_on_from_a_commit_that_comes_with_a_warning(url: str, admin: Any) -> None:
    with contextlib.closing(PostgresEnd(url, fill=True)) as end:
        admin.execute(WARNS_AT_COMMIT.replace("ON memory", "ON chore"))
        try:
            with pytest.raises(StoreUncertain, match="it did not confirm a change everywhere"), end._writing():
                end._insert("chore", ("name", "next_at"), [("tidy", 1)])
        finally:
            admin.execute("DROP FUNCTION public.warns() CASCADE")


class Breaker:
    """A way to the server that can be cut off at a word.

    Attributes:
        cut_at: What a client says last; None: nothing is cut off.
        delivers: Whether the server still hears it, and answers in vain.
    """

    def __init__(self, target: Path, place: Path) -> None:
        self.cut_at: bytes | None = None
        self.delivers = False
        self._target = str(target)
        place.unlink(missing_ok=True)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(place))
        self._listening.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                thread = threading.Thread(target=self._carry, args=(client,))
                self._threads.append(thread)
                thread.start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(self._target)
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if server in ready:
                    data = server.recv(65536)
                    if not data:
                        return
                    client.sendall(data)
                if client in ready:
                    data = client.recv(65536)
                    if not data:
                        return
                    if self.cut_at is not None and self.cut_at in data:
                        self.cut_at = None
                        if self.delivers:
                            server.sendall(data)
                            while server not in select.select([client, server], [], [])[0]:
                                server.sendall(client.recv(65536))
                        return
                    server.sendall(data)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(10)


@pytest.fixture
def breaker(server: PostgresServer) -> Iterator[Breaker]:
    folder = server.folder / "broken"
    folder.mkdir(exist_ok=True)
    made = Breaker(server.folder / ".s.PGSQL.5432", folder / ".s.PGSQL.5432")
    yield made
    made.close()


def through(url: str, server: PostgresServer) -> str:
    return url.replace(str(server.folder), str(server.folder / "broken"))


async def test_a_commit_whose_answer_is_lost_is_told_as_kept_once_the_server_says_so(
    url: str, server: PostgresServer, breaker: Breaker, make_person: Any
) -> None:
    async with open_memory(through(url, server), settings=Settings(background=False)) as memory:
        person = make_person(memory)
        await person.note("likes tea")
        breaker.delivers, breaker.cut_at = True, b"COMMIT\x00"
        await person.note("likes coffee")
        assert breaker.cut_at is None, "the connection was cut"
        assert sorted(await person.found("likes")) == ["likes coffee", "likes tea"]


@pytest.mark.parametrize("delivers", [True, False])
async def test_on_several_servers_a_commit_whose_answer_is_lost_is_uncertain(
    url: str,
    server: PostgresServer,
    breaker: Breaker,
    make_person: Any,
    monkeypatch: pytest.MonkeyPatch,
    *,
    delivers: bool,
) -> None:
    """The server that is asked does not know what another one kept before."""
    monkeypatch.setattr("zgadka.stores.postgres.store.layout_of", lambda _: "citus")
    async with open_memory(through(url, server), settings=Settings(background=False)) as memory:
        person = make_person(memory)
        await person.note("likes tea")
        breaker.delivers, breaker.cut_at = delivers, b"COMMIT\x00"
        said = await person.call("remember", content="likes coffee")
        assert breaker.cut_at is None, "the connection was cut"
        assert (said.status, said["may_be_done"]) == ("error", True)
        assert sorted(await person.found("likes")) == (["likes coffee"] if delivers else []) + ["likes tea"]


@pytest.mark.parametrize("level", [0, 3])
async def test_on_several_servers_a_newcomer_is_told_from_who_came_between_and_has_their_level(
    url: str, level: int
) -> None:
    """What begins the transaction, and sets its time-outs for each server, is sent along with the new owner."""
    several = f"{url}&options=-c%20citus.propagate_set_commands%3Dnone"
    with contextlib.closing(Session(Database.of(several))) as session:
        for owner in (1, 2):
            who = {"kind": "person", "platform": "x", "name": "1", "number": None, "form": 0, "level": level}
            session.rows_apart("owner_ensure", [{"owner": owner, **who}])
        assert session.run("SELECT id FROM owner") == [(1,)]
        assert session.run("SELECT owner FROM revision WHERE what = 'owner'") == [(1,)]
        assert session.run("SELECT owner, level FROM privacy") == ([(1, level)] if level else [])


async def test_a_commit_that_never_arrived_is_told_as_not_kept(
    url: str, server: PostgresServer, breaker: Breaker, make_person: Any
) -> None:
    async with open_memory(through(url, server), settings=Settings(background=False)) as memory:
        person = make_person(memory)
        await person.note("likes tea")
        breaker.delivers, breaker.cut_at = False, b"COMMIT\x00"
        refused = await person.call("remember", content="likes coffee")
        assert refused.status == "error"
        assert "nothing was changed" in refused.message
        assert await person.found("likes") == ["likes tea"]


async def test_a_commit_that_nobody_can_tell_of_is_told_as_uncertain(
    url: str, server: PostgresServer, breaker: Breaker, make_person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    async with open_memory(through(url, server), settings=Settings(background=False)) as memory:
        person = make_person(memory)
        await person.note("likes tea")
        # After a fail-over, another server answers: what it says of a transaction is not about ours.
        made = Session.__init__

        def elsewhere(session: Session, *args: Any, **kwargs: Any) -> None:
            made(session, *args, **kwargs)
            session.timeline = "another"

        monkeypatch.setattr(Session, "__init__", elsewhere)
        breaker.delivers, breaker.cut_at = True, b"COMMIT\x00"
        said = await person.call("remember", content="likes coffee")
        assert said.status == "error"
        assert "may have been kept or not" in said.message
        breaker.delivers, breaker.cut_at = True, b"COMMIT\x00"
        with pytest.raises(StoreUncertain, match="it may have been kept, or not"):
            await memory.record("user", "hello", person.turn())


async def test_what_became_of_a_transaction_is_uncertain_once_a_crash_gave_its_number_to_another(
    url: str, server: PostgresServer
) -> None:
    database = Database.of(url)
    async with open_memory(url, settings=Settings(background=False)) as memory:
        store = memory._store
        assert isinstance(store, PostgresStore)
        await memory.tasks()
        lost = Session(database)
        lost.begin_writing(durable=True)
        lost.run("SELECT 1")
        server.stop(signal.SIGQUIT)
        server.start()
        numbers: list[str] = []
        while len(numbers) < 100 and lost.transaction not in numbers:
            with contextlib.closing(Session(database)) as other:
                other.begin_writing(durable=True)
                other.commit()
                numbers.append(other.transaction)
        assert lost.transaction in numbers
        with contextlib.closing(lost), pytest.raises(StoreUncertain):
            store._was_kept(lost)


async def test_a_server_that_is_away_is_said_to_be_and_is_used_again_once_it_is_back(
    server: PostgresServer, person: Any
) -> None:
    await person.note("likes tea")
    server.stop()
    try:
        said = await person.call("remember", content="likes coffee")
        assert (said.status, said.message) == ("error", "The memory cannot be reached right now; nothing was changed.")
    finally:
        server.start()
    await person.note("likes coffee")
    assert sorted(await person.found("likes")) == ["likes coffee", "likes tea"]


async def test_a_call_does_not_hang_with_its_server(server: PostgresServer, opened: Memory, person: Any) -> None:
    await person.note("likes tea")
    with server.hanging():
        said = await asyncio.wait_for(person.call("remember", content="likes coffee"), 120)
        assert (said.status, said.message) == ("error", "The memory cannot be reached right now; nothing was changed.")
    assert isinstance(opened._store, PostgresStore)
    while opened._store._breaker.away:  # noqa: ASYNC110  (another thread looks)
        await asyncio.sleep(0.05)
    await person.note("likes cocoa")
    assert sorted(await person.found("likes")) == ["likes cocoa", "likes tea"]


async def test_a_commit_does_not_hang_with_its_server_and_is_told_as_uncertain(
    server: PostgresServer, opened: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await opened.apply(lambda tx: tx.owners.ensure("person", "test", "1"))
    with contextlib.ExitStack() as stack:
        commit = Session.commit

        def hangs(session: Session) -> None:
            stack.enter_context(server.hanging())
            commit(session)

        monkeypatch.setattr(Session, "commit", hangs)
        with pytest.raises(StoreUncertain):
            await asyncio.wait_for(opened.apply(lambda tx: tx.privacy.put(owner, 1)), 120)


async def test_a_server_that_is_only_slow_is_waited_for(opened: Memory, admin: Any) -> None:
    def slow(tx: Tx) -> Any:
        session: Any = getattr(tx.rows, "__self__", None)
        assert isinstance(session, Session)
        return session.run("SELECT pg_sleep(2.5) IS NOT NULL")

    assert await opened.apply(slow) == [(True,)]


async def test_a_restart_of_the_server_under_load_loses_nothing_acknowledged(server: PostgresServer, url: str) -> None:
    """Some calls are told that the memory cannot be reached; the others are kept; and then all goes on by itself."""
    answers: list[tuple[str, Any, str]] = []

    async def load() -> None:
        async with open_memory(
            url, settings=Settings(background=False, calls_per_hour=0, calls_per_answer=0)
        ) as memory:
            stop = asyncio.Event()

            async def caller(user: int) -> None:
                index = 0
                while not stop.is_set():
                    index += 1
                    value = f"zq{user}n{index}"
                    arguments = {
                        "user_id": user,
                        "fact_type": "preference",
                        "fact_key": "hobby",
                        "fact_value": value,
                        "confidence": 0.9,
                    }
                    turn = Turn(platform="test", space="s", chat="c", user=user)
                    said = await memory.call("remember_fact", arguments, turn)
                    answers.append((said.status, said.get("fact_id"), value))
                    if said.status != "success":
                        assert "cannot be reached" in said.json() or "may have been kept" in said.json(), said
                        await asyncio.sleep(0.05)

            async def more_are_kept() -> None:
                before = sum(status == "success" for status, *_ in answers)
                while sum(status == "success" for status, *_ in answers) < before + 20:  # noqa: ASYNC110  (it is others who answer)
                    await asyncio.sleep(0.1)

            async def disturb() -> None:
                for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGINT):
                    await more_are_kept()
                    await asyncio.to_thread(server.stop, how)
                    await asyncio.sleep(0.2)
                    server.start()  # in this thread, with which it would end
                await more_are_kept()
                stop.set()

            await asyncio.gather(disturb(), *(caller(user) for user in range(1, 9)))
            last = await memory.call("recall_facts", {"user_id": 1}, Turn(platform="test", space="s", chat="c", user=1))
            assert last.status == "success", last

    await load()
    statuses = Counter(status for status, *_ in answers)
    assert statuses["success"] > 50
    assert statuses["error"] > 0, "the calls met the restarts"
    assert set(statuses) == {"success", "error"}
    there = contents(url)
    acknowledged = {id_: value for status, id_, value in answers if status == "success"}
    assert {id_: there.get(id_) for id_ in acknowledged} == acknowledged
    assert len(set(there.values())) == len(there), "nothing was kept twice"
    assert flaws(url) == []


async def test_rows_that_others_keep_locked_make_the_memory_busy_and_not_forever(person: Any, admin: Any) -> None:
    await person.note("likes tea")
    with admin.transaction():
        admin.execute("SELECT 1 FROM revision WHERE what = 'owner' FOR UPDATE")
        said = await person.call("remember", content="likes coffee")
        assert said.status == "busy"
    await person.note("likes coffee")


async def test_a_server_that_takes_no_changes_is_said_to_be_read_only(url: str, opened: Memory) -> None:
    def write(tx: Tx) -> None:  # as on a standby
        tx.rows("owner_find", {"platform": "test", "kind": "person", "name": "1"})
        with psycopg.connect(url) as standby:
            standby.read_only = True
            standby.execute("CREATE TABLE x ()")

    with pytest.raises(StoreUnavailable, match="it takes no changes: it is a standby, or set to read-only"):
        await opened.apply(write)


async def test_a_server_without_a_free_connection_is_busy(server: PostgresServer, url: str) -> None:
    held: list[psycopg.Connection[Any]] = []
    server.execute("CREATE ROLE plain LOGIN CONNECTION LIMIT 2")
    name = url.partition("@/")[2].partition("?")[0]
    server.execute("GRANT ALL ON SCHEMA zgadka TO plain", name)
    plain = url.replace("postgres@", "plain@")
    try:
        held += [psycopg.connect(plain), psycopg.connect(plain)]
        with pytest.raises(StoreBusy, match="it has no connection left"):
            open_memory(plain, settings=Settings())
    finally:
        for connection in held:
            connection.close()
        server.execute("REVOKE ALL ON SCHEMA zgadka FROM plain", name)
        server.execute("DROP ROLE plain")


NOWHERE = "postgresql://olena:p%40ssw0rd@"


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("127.0.0.1:1/zgadka", "127.0.0.1:1/zgadka cannot be reached: nobody listens there"),
        ("/zgadka?host=/nowhere", "/nowhere:5432/zgadka cannot be reached: nobody listens there"),
        ("no.such.machine.invalid/zgadka", "cannot be reached: no machine has this name"),
    ],
)
async def test_a_server_that_is_not_there_is_named_without_the_password(
    place: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 2)
    with pytest.raises(StoreUnavailable) as refused:
        open_memory(NOWHERE + place, settings=Settings())
    assert reason in str(refused.value)
    assert "p%40ss" not in str(refused.value)
    assert "p@ss" not in str(refused.value)


async def test_a_url_that_makes_no_sense_is_refused_without_being_quoted() -> None:
    with pytest.raises(InvalidInput, match="the database URL makes no sense") as refused:
        open_memory("postgresql://olena:s3cret%zz@host/x", settings=Settings())
    assert "s3cret" not in str(refused.value)


async def test_a_database_or_user_that_is_not_there_is_said_to_be_missing(server: PostgresServer) -> None:
    with pytest.raises(StoreUnavailable, match="there is no such database or user"):
        open_memory(server.url("nothing"), settings=Settings())


async def test_a_newer_schema_and_a_changed_migration_are_refused(url: str, admin: Any) -> None:
    admin.execute("INSERT INTO migration VALUES (9999, 'later', 'x')")
    try:
        with pytest.raises(SchemaMismatch, match="at schema 9999, this zgadka knows up to"):
            open_memory(url, settings=Settings())
    finally:
        admin.execute("DELETE FROM migration WHERE number = 9999")
    admin.execute("UPDATE migration SET checksum = 'x' || checksum")
    try:
        with pytest.raises(SchemaMismatch, match="made by another version of migration 0001_spine"):
            open_memory(url, settings=Settings())
    finally:
        admin.execute("UPDATE migration SET checksum = substr(checksum, 2)")


async def test_eight_processes_may_make_the_tables_at_the_same_moment(server: PostgresServer) -> None:
    server.execute("CREATE DATABASE racing")
    try:
        one = functools.partial(open_memory, server.url("racing"), settings=Settings(background=False))
        memories = await asyncio.gather(*(asyncio.to_thread(one) for _ in range(8)))
        for memory in memories:
            async with memory:
                assert memory.inspect()["schema"] == str(len(migrations("postgres")))
    finally:
        server.execute("DROP DATABASE racing WITH (FORCE)")


async def test_ids_go_no_further_than_json_can_count(opened: Memory, person: Any, admin: Any) -> None:
    admin.execute("SELECT setval('id_memory', 9007199254740990)")
    assert await person.note("the last of all") == 2**53 - 1
    assert (await person.call("remember", content="one more")).status == "error"


async def test_an_erasure_elsewhere_empties_the_memory_here_at_once(
    url: str, opened: Memory, make_person: Any, admin: Any
) -> None:
    async def settled(wanted: int) -> int:
        for _ in range(100):
            if opened._store._cache.size == wanted:  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
                break
            await asyncio.sleep(0.05)
        return opened._store._cache.size  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]

    here = make_person(opened)
    await here.note("likes tea")
    for _ in range(3):
        await here.found("tea")
    assert opened._store._cache.size > 0  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    async with open_memory(url, settings=Settings(background=False)) as memory:
        await memory.erase(make_person(memory).turn())
    assert await settled(0) == 0
    # A listener whose connection is lost may have missed something.
    await here.note("likes tea")
    for _ in range(3):
        await here.found("tea")
    assert opened._store._cache.size > 0  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    end_connections(admin)
    assert await settled(0) == 0


@pytest.mark.parametrize("lost", [False, True], ids=["unheard", "connections lost"])
async def test_what_another_process_changed_is_seen_although_nothing_was_heard(
    url: str, opened: Memory, make_person: Any, admin: Any, *, lost: bool
) -> None:
    """An index in memory is used at the revision that the transaction sees, and at no other."""
    here = make_person(opened)
    milk = [await here.note(text) for text in ("likes tea", "likes milk")][1]
    await here.fact("location", "Kyiv")
    await opened.record("user", "tea is at five", here.turn(message="m1"))

    async def seen() -> tuple[list[str], list[str]]:
        said = await opened.search_messages("at", here.turn())
        return sorted(await here.found("tea milk location")), [found.message.text for found in said]

    for _ in range(3):
        assert await seen() == (["likes milk", "likes tea", "location: Kyiv"], ["tea is at five"])
    assert opened._store._cache.size > 0  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    if lost:
        assert end_connections(admin) > 0
    async with open_memory(url, settings=Settings(background=False)) as memory:
        there = make_person(memory)
        await there.note("hates tea")
        await there.update("location", "Lviv", change_reason="correction")
        await there.deletes(milk)
        await memory.record("user", "tea is at six", there.turn(message="m1"))
        for _ in range(2):
            assert await seen() == (["hates tea", "likes tea", "location: Lviv"], ["tea is at six"])
        await memory.unrecord(there.turn(message="m1"))
    assert (await seen())[1] == []


async def test_backup_names_the_better_ways(opened: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="use pg_dump"):
        await opened.backup(tmp_path / "copy")


@pytest.fixture
def ordinary(server: PostgresServer) -> Iterator[str]:
    """The URL of a database that belongs to a user who may set up no extension."""
    server.execute("CREATE ROLE ordinary LOGIN")
    server.execute("CREATE DATABASE ordinary OWNER ordinary")
    yield server.url("ordinary").replace("postgres@", "ordinary@")
    server.execute("DROP DATABASE ordinary WITH (FORCE)")
    server.execute("DROP ROLE ordinary")


async def test_without_pgvector_vectors_are_kept_as_bytes(ordinary: str, make_person: Any) -> None:
    async with open_memory(ordinary, settings=Settings(background=False)) as memory:
        assert memory.inspect()["pgvector"].startswith("none")
        note = await make_person(memory).note("likes tea")
        numbers = bytes(range(8))

        def keep(tx: Tx) -> Any:
            embedder = tx.vectors.use_embedder("test/4")
            person = tx.owners.find("person", "telegram", "123")
            assert person is not None
            tx.vectors.put(Unembedded(person, "memory", note), embedder, numbers)
            return tx.vectors.of_memories(Scope(person, 0, 0), embedder), tx.vectors.of_messages(
                1, ("1", "", 0), embedder, 9
            )

        kept, none = await memory.apply(keep)
        assert none == []
        assert kept in ([(note, numbers)], [])  # it is seen in its space alone
        assert (await memory.erase(make_person(memory).turn())).scrubbed


async def test_what_waits_to_rewrite_a_table_that_is_in_use_keeps_nobody_else_from_it(
    url: str, make_person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 60)
    patient = Settings(background=False, memory_tool_timeout_ms=30_000)
    with psycopg.connect(url) as in_use:
        async with open_memory(url, settings=patient) as memory:
            person, other = make_person(memory, user=5), make_person(memory)
            await person.note("likes tea")
            in_use.execute("SELECT count(*) FROM zgadka.memory")
            erasing = asyncio.create_task(memory.erase(person.turn()))
            for number in range(20):
                await other.note(f"likes {number} plums")
                assert await other.found(str(number)) == [f"likes {number} plums"]
            assert not erasing.done()
            in_use.rollback()
            assert (await erasing).scrubbed


async def test_a_user_who_owns_no_table_can_do_all_but_scrub(
    server: PostgresServer, url: str, make_person: Any, ordinary: str
) -> None:
    name = url.partition("@/")[2].partition("?")[0]
    for right in (
        "USAGE ON SCHEMA zgadka",
        "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA zgadka",
        "USAGE, SELECT ON ALL SEQUENCES IN SCHEMA zgadka",
    ):
        server.execute(f"GRANT {right} TO ordinary", name)
    try:
        async with open_memory(url.replace("postgres@", "ordinary@"), settings=Settings(background=False)) as memory:
            person = make_person(memory)
            await person.note("likes tea")
            assert await person.found("tea") == ["likes tea"]
            receipt = await memory.erase(person.turn())
            assert receipt.counts["notes"] == 1
            assert not receipt.scrubbed
            assert await person.found("tea") == []
    finally:
        server.execute("REASSIGN OWNED BY ordinary TO postgres", name)
        server.execute("DROP OWNED BY ordinary", name)


async def test_a_user_who_may_make_no_schema_is_told_that_the_bytes_stay(
    server: PostgresServer, ordinary: str, make_person: Any, caplog: pytest.LogCaptureFixture
) -> None:
    make_tables(ordinary)
    server.execute("ALTER DATABASE ordinary OWNER TO postgres")
    async with open_memory(ordinary, settings=Settings(background=False)) as memory:
        person = make_person(memory)
        await person.note("likes tea")
        assert not (await memory.erase(person.turn())).scrubbed
    assert "making the schema zgadka_beside, permission denied" in caplog.text


def hold(admin: psycopg.Connection[Any], space: str) -> None:
    """Keep a direct chat's rows, as another process does that is at it."""
    admin.execute("BEGIN")
    admin.execute(
        "SELECT 1 FROM revision r JOIN owner o ON o.id = r.owner "
        "WHERE o.kind = 'direct' AND o.name = %s AND r.what = 'owner' FOR UPDATE OF r",
        [space],
    )


@pytest.mark.hurried
async def test_whoever_is_at_a_space_keeps_nobody_elses_calls_out_of_the_queue(
    url: str, make_person: Any, admin: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(background=False, memory_tool_timeout_ms=1, memory_tool_queue_ms=20_000, connections=2)
    async with open_memory(url, settings=settings) as memory:
        people = [make_person(memory, user=user).at(direct=True) for user in (1, 2)]
        for person in people:
            await memory.apply(ensure_space, person.turn())
        hold(admin, "1")
        going, gate = threading.Event(), threading.Event()
        writer = asyncio.create_task(memory.apply(lambda _: going.set() or gate.wait(120)))
        await asyncio.to_thread(going.wait, 120)
        admission, both_late = memory._calls._admission, asyncio.Barrier(3)
        enqueue = admission.enqueue

        async def enqueue_late(call: LateCall) -> Admitted:
            await both_late.wait()
            return await enqueue(call)

        monkeypatch.setattr(admission, "enqueue", enqueue_late)
        held, free = (asyncio.create_task(person.fact("hobby", "chess")) for person in people)
        await both_late.wait()
        gate.set()
        await writer
        assert (await asyncio.wait_for(free, 120)).status == "queued"
        assert not held.done()
        admin.execute("COMMIT")
        assert (await asyncio.wait_for(held, 120)).status == "queued"
        assert await memory.run_tasks() == 2


@pytest.mark.hurried
async def test_whoever_waits_behind_others_of_the_same_commit_may_still_give_up(url: str) -> None:
    async with open_memory(url, settings=Settings(background=False, connections=2)) as memory:
        store, going, gates = memory._store, threading.Event(), (threading.Event(), threading.Event())
        assert isinstance(store, PostgresStore)
        first = asyncio.create_task(store.write(lambda _: going.set() or gates[0].wait(120)))
        await asyncio.to_thread(going.wait, 120)
        second = asyncio.create_task(store.write(lambda _: gates[1].wait(120)))
        third = asyncio.create_task(store.within(0.05).write(lambda tx: tx.now))
        await asyncio.sleep(0)  # the two wait for the same writer, and are written together
        gates[0].set()
        with pytest.raises(StoreLate):
            await asyncio.wait_for(third, 60)
        assert not second.done()
        gates[1].set()
        assert [await first, await second] == [True, True]
