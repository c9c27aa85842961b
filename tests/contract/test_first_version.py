"""A database of the first version (c97b91b) is opened, brought up to date, and has everything that it had."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from zgadka import PrivacyLevel, Settings, Turn, open_memory
from zgadka.errors import SchemaMismatch
from zgadka.ops.list_memories import own_memories
from zgadka.stores.sql import migrations, missing_migrations
from zgadka.stores.sqlite.schema import REBUILD_INDEX
from zgadka.text.form_version import form_version

ROWS = Path(__file__).parents[1] / "data" / "first_version.sql"
LAST = {"sqlite": 10, "postgres": 6}
# Comments have named modules otherwise since; nothing else was changed.
THEN = {"ops/persist.py": "ops/keep.py", "usage_stats.py": "activity.py", "postgres/schema.py": "postgres_layout.py"}


def first_migrations(dialect: str) -> dict[int, tuple[str, str]]:
    """The migrations of the first version, as it had them, by number: name and text."""
    found: dict[int, tuple[str, str]] = {}
    for migration in migrations(dialect)[: LAST[dialect]]:
        text = migration.text
        for now, then in THEN.items():
            text = text.replace(f"see {now}", f"see {then}").replace(f"see stores/{now}", f"see stores/{then}")
        found[migration.number] = migration.name, text
    return found


def first_checksums(dialect: str) -> dict[int, str]:
    return {number: sha256(text.encode()).hexdigest() for number, (_, text) in first_migrations(dialect).items()}


@pytest.fixture
def old(tmp_path: Path) -> str:
    """The URL of a database as the first version left it."""
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute(
        "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
    )
    checksums = first_checksums("sqlite")
    for number, (name, text) in first_migrations("sqlite").items():
        connection.execute(text).fetchall()
        connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (number, name, checksums[number]))
    connection.execute(f"PRAGMA user_version={LAST['sqlite']}").fetchall()
    connection.execute(ROWS.read_text()).fetchall()
    connection.execute(REBUILD_INDEX).fetchall()
    connection.close()
    return f"sqlite:///{tmp_path / 'memory.db'}"


def turn(user: int, number: int, text: str | None = None, **more: Any) -> Turn:
    place = {"platform": "telegram", "space": "group", "chat": "group", "user": user}
    return Turn(**{**place, "turn": f"new-{number}", "text": text, **more})


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_the_first_version_s_migrations_are_taken_for_the_same(dialect: str) -> None:
    applied = first_checksums(dialect)
    assert applied != {migration.number: migration.checksum for migration in migrations(dialect)[: LAST[dialect]]}
    missing = missing_migrations(dialect, applied)
    assert [migration.number for migration in missing] == list(range(LAST[dialect] + 1, len(migrations(dialect)) + 1))
    with pytest.raises(SchemaMismatch, match="another version of migration 0002"):
        missing_migrations(dialect, applied | {2: "0" * 64})


@pytest.mark.asyncio
async def test_a_database_of_the_first_version_keeps_everything(old: str, clock: Any) -> None:
    clock.now = datetime(2026, 3, 1, 12, 16, tzinfo=UTC)  # a minute after its last turn
    async with open_memory(old, settings=Settings(background=False), clock=clock) as memory:
        alone = turn(1, 1, space="1", chat="1", direct=True)
        facts = (await memory.recall_facts_global(turn=alone, user_id=1))["facts"]
        assert {fact["value"] for fact in facts} == {"Lviv"}
        assert [e.action for e in await memory.history(2, alone)] == ["created", "updated"]
        texts = {found["content"] for found in (await memory.recall(turn=alone, query="nuts job"))["memories"]}
        assert texts == {"Looks for another job"}  # the group's belong to the group
        here = turn(1, 2)
        texts = {found["content"] for found in (await memory.recall(turn=here, query="nuts Friday Lviv"))["memories"]}
        assert {"Allergic to nuts", "The group meets on Fridays", "location: Lviv"} <= texts
        assert (await memory.recall_episodes(turn=here, query="bandura"))["count"] == 1
        assert (await memory.recall_relationships(turn=here, user_id=1))["count"] == 1
        assert "You live in Lviv." in [message.text for message in await memory.recent(here)]
        assert [question.id for question in await memory.questions(alone)] == ["fHw2tUJCEI3H"]
        [(consent, proposal)] = await memory.proposals(alone)
        answer = await memory.answer_consent(consent.id, True, alone, mark=proposal.mark)
        assert answer is not None
        assert answer.status == "success"
        assert await memory.privacy(turn(3, 3)) is PrivacyLevel.PARTIAL


@pytest.mark.asyncio
async def test_all_that_reads_works_before_anything_is_made_anew(old: str, clock: Any) -> None:
    """The rows of an earlier version are made anew in the background, or by the first change; reads do not wait."""
    clock.now = datetime(2026, 3, 1, 12, 16, tzinfo=UTC)
    async with open_memory(old, settings=Settings(background=False), clock=clock) as memory:
        alone = turn(1, 1, space="1", chat="1", direct=True)
        assert await memory.why(2, alone) is not None
        assert [event.action for event in await memory.history(2, alone)] == ["created", "updated"]
        listed = await memory.look(own_memories, alone)
        assert isinstance(listed, list)
        assert len(listed) >= 3
        assert "Lviv" in "".join(await memory.export(alone))
        assert "Lviv" in (await memory.build_context(turn(1, 3), query="Where do I live?")).text
        assert await memory.proposals(alone)
        for number, tool in enumerate(memory.tools):
            if tool.read_only:
                about = {"user_id": 1} if "user_id" in tool.names else {}
                query = {"query": "Lviv"} if tool.query == "query" else {}
                result = await memory.call(tool.name, about | query, turn(1, 10 + number))
                assert result.status == "success", result
        assert await memory.look(lambda tx: tx.owners.outdated(form_version()))


@pytest.mark.asyncio
async def test_what_the_first_version_asked_is_answered_in_this_one(old: str, clock: Any) -> None:
    clock.now = datetime(2026, 3, 1, 12, 16, tzinfo=UTC)
    async with open_memory(old, settings=Settings(background=False), clock=clock) as memory:
        deleted = await memory.forget(turn=turn(1, 1, "yes"), memory_id="4")
        assert deleted.status == "deleted"
        undone = await memory.undo(4, turn(1, 2))
        assert undone.memory.text == "Allergic to nuts"  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.asyncio
async def test_the_file_as_it_was_is_kept_beside(old: str, tmp_path: Path) -> None:
    async with open_memory(old, settings=Settings(background=False)) as memory:
        assert (memory.inspect()["integrity"], memory.inspect()["foreign"]) == ("ok", "none")
    assert (tmp_path / "memory.db.schema-10").exists()
