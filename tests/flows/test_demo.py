"""`zgadka demo`: its world fits the tools, says what it is, and leaves what is there alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_shell import Shell

from zgadka import Settings, Turn, open_memory
from zgadka.demo.fill import PLATFORM, Clock, fill
from zgadka.errors import InvalidInput
from zgadka.model.outcome import NoAccess
from zgadka.ops.list_memories import own_memories

_SETTINGS = Settings(background=False, memory_tool_async=False)


@pytest.mark.asyncio
@pytest.mark.parametrize("today", ["2026-03-01T00:01", "2026-11-24T12:00", "2028-02-29T23:59"])
async def test_every_line_of_the_world_is_played_and_none_is_of_the_future(today: str) -> None:
    now = datetime.fromisoformat(today).replace(tzinfo=UTC)
    clock = Clock(lambda: now)
    async with open_memory("sqlite://:memory:", settings=_SETTINGS, clock=clock) as memory:
        counts = await fill(memory, clock)
        assert counts["messages"] >= 15
        assert counts["calls"] >= 15
        turn = Turn(platform=PLATFORM, space="105", chat="105", user=105, direct=True)
        memories = await memory.look(own_memories, turn)
        assert not isinstance(memories, NoAccess)
        assert all(now - timedelta(days=60) < row.created_at <= now for row in memories)
        assert [(row.text, row.valid_to is None) for row in memories if row.key == "location"] == [
            ("location: Lviv", True),
            ("location: Berlin", False),
        ]
        assert clock() == now
        with pytest.raises(InvalidInput, match="has memories already"):
            await fill(memory, clock)


def test_it_fills_a_database_and_what_it_says_to_look_at_is_there(program: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, program)
    tour = shell.run("demo").stdout.decode()
    assert (tmp_path / "demo.db").exists()
    commands = re.findall(r"^  zgadka (.*)$", tour, re.MULTILINE)
    assert len(commands) == 4
    for command in commands[:3]:  # the last one serves until stopped
        ran = shell.run(*command.split())
        assert ran.returncode == 0, ran
        assert len(ran.stdout.splitlines()) >= 3
    again = shell.run("demo")
    assert again.returncode == 2
    assert b"give another database with --db" in again.stderr
