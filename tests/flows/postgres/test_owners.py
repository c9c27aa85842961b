"""The layout for Citus: everything that a tool, an observed message or a task does stays with one owner.

Citus itself is not in the package index. What it refuses or runs on several servers is found here from the schema, the
statements and the transactions; and the contract is tested on tables that are divided by owner on one server.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from owners import NOBODYS, Seen, changed_owners
from postgres_server import PostgresServer

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.model.outcome import Changed
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import self_service, tasks
from zgadka.ops.access import find_space
from zgadka.ops.tasks import enqueue_call
from zgadka.stores.postgres.routes import EVERYWHERE as EVERYWHERE_ASKED
from zgadka.stores.postgres.routes import divided_tables
from zgadka.stores.postgres.session import APART, Session, statements
from zgadka.stores.tx import Tx
from zgadka.tool_calls import perform
from zgadka.tools.registry import REGISTRY

# What reads rows of every owner of what the tools and the rest of a conversation do; why, `distributed_sql` tells.
OVER_ALL = {
    *("tasks_due", "tasks_waiting", "outcome_find", "sagas"),  # a worker's
    "tasks_add",  # of a late call; divided, each row is a statement of its own
    *("spaces_with_due_observations", "spaces_with_many_observations"),  # the same
    *("members_of_person", "spaces_with_person", "owners_of_tasks", "owners_of_change"),  # of a cleared profile
    *("owners_naming", "spaces_with_messages_of", "owners_present", "erase_answers"),  # of an erasure
    *("spaces_with_stretches", "spaces_with_observations", "owners_spoken_of"),  # and of a level above minimal
    *("owners_made_from", "all_memories_from"),  # of a forgotten message
}


BY_PERSON = {"source_message", "subject_person", "member_person", "message_writer", "memory_said_by", "event_actor"}
BY_PERSON |= {"memory_chat", "event_at", "past_person_anywhere", "question_asker", "mute_asker", "outcome_person"}
BY_PERSON |= {"task_person"}
"""The indexes for what is asked of every server: where something is of a person, was said in a closed chat, or
was made from a message; and what happened last."""
DUE = {"observation_noted", "unembedded_newest", "event_expires", "message_age", "task_saga", "task_ended"}
"""The indexes for what a chore asks of every server."""


def tables(connection: psycopg.Connection[Any]) -> set[str]:
    found = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner' "
        "WHERE c.relnamespace = 'zgadka'::regnamespace AND c.relkind IN ('r', 'p')"
    )
    return {row[0] for row in found} - NOBODYS


@pytest.fixture
def connection(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as open_:
        yield open_


KEYS = """
SELECT t.relname, i.relname, a.attname, x.indisunique FROM pg_index x
JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
WHERE t.relnamespace = 'zgadka'::regnamespace
"""
FOREIGN_KEYS = """
SELECT t.relname, c.conname, f.relname FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
JOIN pg_class f ON f.oid = c.confrelid WHERE c.contype = 'f' AND t.relnamespace = 'zgadka'::regnamespace
"""


def keys_without_owner(connection: psycopg.Connection[Any]) -> list[str]:
    owned = tables(connection)
    keys = connection.execute(KEYS)
    return [key for table, key, first, _ in keys if table in owned and first != "owner" and key not in BY_PERSON | DUE]


def foreign_keys_elsewhere(connection: psycopg.Connection[Any]) -> list[str]:
    return [key for _, key, target in connection.execute(FOREIGN_KEYS) if target not in NOBODYS]


def test_every_key_and_index_is_led_by_the_owner(connection: psycopg.Connection[Any]) -> None:
    assert tables(connection) == {table for table, column in divided_tables().items() if column == "owner"}
    assert keys_without_owner(connection) == []
    assert foreign_keys_elsewhere(connection) == []


def test_a_planted_key_without_the_owner_is_found(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE UNIQUE INDEX planted ON memory (slot)")
    connection.execute(
        "ALTER TABLE event ADD CONSTRAINT stray FOREIGN KEY (owner, memory) REFERENCES memory (owner, id)"
    )
    try:
        assert keys_without_owner(connection) == ["planted"]
        assert foreign_keys_elsewhere(connection) == ["stray"]
    finally:
        connection.execute("DROP INDEX planted")
        connection.execute("ALTER TABLE event DROP CONSTRAINT stray")


class Recorder:
    """What the connections ran, transaction by transaction."""

    def __init__(self) -> None:
        self.queries: set[str] = set()
        self.transactions: list[Seen] = []
        self.what = ""
        self._open: dict[int, Seen] = {}

    def begin(self, session: Session) -> None:
        self._open[id(session)] = Seen(self.what)
        self.transactions.append(self._open[id(session)])

    def end(self, session: Session) -> None:
        """Also what is only locked is on a server."""
        seen = self._open.get(id(session))
        for owner in session.held if seen else ():
            assert seen is not None
            seen.owners[owner].add("locked")

    def ran(self, session: Session, query: str, parameters: Any, rows: list[Any], *, holds: bool) -> None:
        if query not in statements() or (query in APART and holds):  # it runs, and is recorded, by itself
            return
        self.queries.add(query)
        if query in APART:  # on a connection of its own, where nothing is held
            self.begin(session)
        for owner in (
            changed_owners(query, parameters, rows, statements()[query].text) if query != "owner_ensure" else ()
        ):
            self._open[id(session)].owners[owner].add(query)

    def of_several_owners(self) -> dict[str, list[dict[int, set[str]]]]:
        found: defaultdict[str, list[dict[int, set[str]]]] = defaultdict(list)
        for seen in self.transactions:
            if len(seen.owners) > 1:
                found[seen.what].append(dict(seen.owners))
        return dict(found)


@pytest.fixture
def divided_url(server: PostgresServer, url: str, tmp_path: Path) -> str:
    """Tables divided by owner: a store treats them as it treats Citus's."""
    assert url
    return server.database_for(tmp_path, "partitioned")


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Watches every connection of this process."""
    recorder = Recorder()
    begin, rows, commit_ = Session.begin_writing, Session.rows, Session.commit

    def begin_writing(session: Session, *, durable: bool) -> None:
        begin(session, durable=durable)
        recorder.begin(session)

    def rows_(session: Session, query: str, parameters: Any) -> list[Any]:
        found = rows(session, query, parameters)
        recorder.ran(session, query, parameters, found, holds=session._holds)
        return found

    def commit(session: Session) -> None:
        recorder.end(session)
        commit_(session)

    monkeypatch.setattr(Session, "begin_writing", begin_writing)
    monkeypatch.setattr(Session, "commit", commit)
    monkeypatch.setattr(Session, "rows", rows_)
    return recorder


class Conversation:
    """Two people and a bot that calls tools."""

    def __init__(self, memory: Memory, recorder: Recorder) -> None:
        self.memory = memory
        self.recorder = recorder
        self.called: set[str] = set()
        self._numbers = itertools.count()

    def turn(self, user: int = 1, **more: Any) -> Turn:
        number = next(self._numbers)
        given: dict[str, Any] = {"turn": f"t{number}", "message": f"m{number}"} | more
        return Turn(platform="test", space="s", chat="c", user=user, **given)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        self.recorder.what = tool
        self.called.add(tool)
        result = await self.memory.call(tool, arguments, self.turn())
        assert not result.status.endswith(("error", "invalid_args", "busy")), (tool, result)
        return result

    async def meets(self) -> None:
        for user in (1, 2):
            self.recorder.what = "report_member"
            await self.memory.report_member("test", "s", Member(user=str(user), number=user, name=f"Person{user}"))
            self.recorder.what = "record"
            await self.memory.record("user", "hello", self.turn(user))

    async def speaks_of_facts(self) -> None:
        fact = {"fact_type": "preference", "fact_key": "hobby", "confidence": 0.9}
        one = await self.call("remember_fact", user_id=1, fact_value="chess", **fact)
        two = await self.call("remember_fact", user_id=1, fact_value="checkers", **fact)
        await self.call("remember_facts", facts=[{"user_id": 2, "fact_value": "go", **fact}])  # about somebody else
        home = {"user_id": 1, "fact_type": "personal", "fact_key": "location"}
        await self.call("remember_fact", fact_value="Kyiv", confidence=0.9, **home)
        await self.call("recall_facts", user_id=1, search_query="chess")
        await self.call("update_fact", new_value="Lviv", confidence=0.9, change_reason="update", **home)
        past = {"fact_type": "personal", "fact_key": "job", "fact_value": "cook", "valid_from": "2020-01-01"}
        await self.call("update_fact_with_temporal", user_id=1, confidence=0.9, **past)
        merged = {"fact_ids": [one["fact_id"], two["fact_id"]], "merged_value": "board games", "merged_confidence": 0.9}
        await self.call("merge_facts", user_id=1, **merged)
        self.recorder.what = "undo"
        await self.memory.undo(two["fact_id"], self.turn())
        self.recorder.what = "share"
        await self.memory.share(two["fact_id"], self.turn())
        for tool in ("suggest_merge", "generate_profile_summary", "recall_facts_global"):
            await self.call(tool, user_id=1)
        await self.call("forget_fact", reason="outdated", **home)

    async def speaks_of_the_rest(self) -> None:
        kept = await self.call("remember", content="likes tea")
        await self.call("recall", query="tea")
        await self.call("forget", query="tea")
        await self.call("forget", memory_id=kept["memory_id"])
        assert (await self.call("forget", memory_id=kept["memory_id"])).status == "deleted"
        made = await self.call("create_episode", topic="chess", summary="they talked about chess", importance=0.8)
        await self.call("update_episode", episode_id=made["episode_id"], additional_summary="and about go")
        await self.call("recall_episodes", query="chess")
        await self.call("mark_important", message_count=2, importance_level="high", reason="plans")
        await self.call("archive_episode", episode_id=made["episode_id"], reason="over")
        of_all = await self.call("create_long_term_memory", memory_content="this is Atlas", scope="server_wide")
        of_one = {"scope": "target_user", "target_user": "Person1"}
        await self.call("create_long_term_memory", memory_content="calls the bot Zed", **of_one)
        await self.call("update_long_term_memory", memory_id=of_all["memory_id"], memory_content="this is Athos")
        await self.call("remember_relationship", user_id=1, related_user_id=2, relationship="friend")
        await self.call("recall_relationships", user_id=1)
        kept = await self.call("keep", content="Ukrainian", fact_key="language")
        await self.call("find", query="language")
        await self.call("change", memory_id=kept["memory_id"], content="Polish", because="wrong")
        await self.call("change", memory_id=of_all["memory_id"], content="this is Ossa", because="changed")

    async def is_observed(self) -> None:
        self.recorder.what = "observe"
        seen = await self.memory.observe("I live in Odesa. My name is Olena.", self.turn())
        assert seen.stored
        seen = await self.memory.observe("I live in Lviv.", self.turn())
        assert seen.question is not None
        await self.memory.resume()
        self.recorder.what = "answer_question"
        assert (await self.memory.answer_question(seen.question.id, self.turn(), save=True)).status == "saved"
        self.recorder.what = "build_context"
        await self.memory.build_context(self.turn(text="what do I play?"))
        self.recorder.what = "search_messages"
        await self.memory.search_messages("hello", self.turn())
        self.recorder.what = "unrecord"
        assert await self.memory.unrecord(self.turn(message="m0"))

    async def leaves_work(self) -> None:
        """A call that could not begin in time, done later."""
        arguments = {"content": "likes coffee", "tags": None, "permanent": False}
        self.recorder.what = "enqueue"
        await self.memory.apply(enqueue_call, self.turn(), "remember", self.memory.tools["remember"].version, arguments)
        self.recorder.what = "task"
        assert await self.memory.run_tasks() == 1
        await self.crashes()
        self.recorder.what = "take_finished"
        assert len(await self.memory.take_finished(self.turn())) == 2

    async def crashes(self) -> None:
        """A worker does one more call, and ends before it could say so; another one begins it again."""
        work: Any = {"content": "likes cocoa", "tags": None, "permanent": False}
        await self.memory.apply(enqueue_call, self.turn(), "remember", self.memory.tools["remember"].version, work)
        [(space, _)] = await self.memory.look(lambda tx: tx.tasks.list_due(10))
        (task,) = await self.memory.apply(tasks.claim, space, "w", 1)
        done = await self.memory.apply(tasks.perform, task, "w", partial(perform, self.memory.tools))
        assert done.owner > 0
        again = replace(task, attempts=2)
        assert await self.memory.apply(tasks.perform, again, "w", partial(perform, self.memory.tools)) == done
        assert await self.memory.apply(lambda tx: tx.tasks.finish(task, "w", done.result))

    async def goes(self) -> None:
        """Has everything about themselves cleared, brought back, changed by hand, and erased."""
        met = {"topic": "parting", "summary": "they said goodbye", "importance": 0.8}
        episode = (await self.call("create_episode", **met))["episode_id"]
        await self.call("remember_relationship", user_id=1, related_user_id=2, relationship="colleague")
        note = (await self.call("remember", content="likes rye"))["memory_id"]
        await self.call("clear_profile", user_id=1, reason="test")
        assert (await self.call("clear_profile", user_id=1, reason="test")).status == "deleted"
        self.recorder.what = "undo of clear_profile"
        assert isinstance(await self.memory.undo(note, self.turn()), Changed)
        trail = await self.memory.look(lambda tx: tx.audit.history(find_space(tx, self.turn()), episode))
        assert trail[-1].action == "undone"
        self.recorder.what = "set_privacy"
        for level in (PrivacyLevel.FULL, PrivacyLevel.MINIMAL):
            await self.memory.set_privacy(level, self.turn())
        self.recorder.what = "own page"
        assert isinstance(await self.memory.apply(self_service.correct, self.turn(), note, "likes bread"), Changed)
        assert isinstance(await self.memory.apply(self_service.delete, self.turn(), episode), Changed)
        assert isinstance(await self.memory.apply(self_service.undo, self.turn(), episode), Changed)
        self.recorder.what = "erase"
        receipt = await self.memory.erase(self.turn())
        assert min(receipt.counts[name] for name in ("notes", "relations", "shared_episodes", "messages")) > 0


async def talk(url: str, recorder: Recorder) -> set[str]:
    """Have everything done that people wait for; returns the tools that were called."""
    async with open_memory(url, settings=Settings(background=False, calls_per_space_hour=1000)) as memory:
        conversation = Conversation(memory, recorder)
        await conversation.meets()
        await conversation.speaks_of_facts()
        await conversation.speaks_of_the_rest()
        await conversation.is_observed()
        await conversation.leaves_work()
        await conversation.goes()
        return conversation.called


def test_what_people_wait_for_stays_with_one_owner(divided_url: str, recorder: Recorder) -> None:
    called = asyncio.run(talk(divided_url, recorder))
    assert called == {tool.name for tool in REGISTRY}
    assert len(recorder.transactions) > 50
    assert set(EVERYWHERE_ASKED) & recorder.queries == OVER_ALL
    assert recorder.of_several_owners() == {}


def test_a_planted_transaction_of_two_owners_is_found(divided_url: str, recorder: Recorder) -> None:
    def plant(tx: Tx) -> None:
        for name in ("1", "2"):
            tx.privacy.put(tx.owners.ensure("person", "test", name), 1)

    async def run() -> None:
        async with open_memory(divided_url, settings=Settings(background=False)) as memory:
            recorder.what = "planted"
            await memory.apply(plant)

    asyncio.run(run())
    assert set(recorder.of_several_owners()) == {"planted"}
