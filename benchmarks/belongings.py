"""What export, `/memory`, clearing a profile and an erasure cost, while the memories and spaces of others grow.

Without the scrub of the file, which takes as long as the file is large.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import _corpus
import _machine
import _stores
import apsw

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.people import Consent
from zgadka.ops.access import writing_scope
from zgadka.ops.list_memories import listing
from zgadka.ops.remember import New, remember_in
from zgadka.stores.sqlite.schema import REBUILD_INDEX
from zgadka.stores.tx import Tx

_PEOPLE = 50
_FACTS = 100
_SPACES = 500
"""So many people, facts of each and spaces are made by the product; the others are copies of their rows."""

_MEASURED_FACTS = 20
_SHIFT = 10_000_000
_OWNED = "owner", "person", "space", "asker"
"""Columns that name a person or a space by number."""

_SETTINGS = Settings(background=False, activity_days=0, memory_tool_async=False)


def _turn(person: int, space: int, turn: str, **more: Any) -> Turn:
    return Turn(platform="bench", space=f"group-{space}", chat="c", user=person, turn=turn, **more)


def _direct(person: int, turn: str, text: str) -> Turn:
    return Turn(platform="bench", space=str(person), chat=str(person), user=person, direct=True, turn=turn, text=text)


def _fill(tx: Tx, person: int, facts: int) -> None:
    for number in range(person * facts, (person + 1) * facts):
        fact = _corpus.fact(random.Random(number), number)
        turn = _turn(person, number % _SPACES, f"fact-{number}")
        scope = cast("Any", writing_scope(tx, turn, person))
        new = New(content=fact.value, type=cast("Any", fact.type), key=fact.key, confidence=0.9)
        remember_in(tx, turn, scope, new, limit=1_000_000)


async def _live(memory: Memory, person: int, other: int, space: int) -> None:
    """What else there is of a person: talk, an episode, relations, one of them gone, a consent and a call that wait."""
    for number in range(5):
        turn = _turn(person, space, f"talk-{number}", message=f"{person}-{number}")
        asked = _corpus.message(random.Random(number), number)
        await memory.record("user", asked, _turn(other, space, f"talk-{number}", message=f"{person}-{number}-other"))
        await memory.record("user", asked, turn)
        await memory.record("assistant", asked, turn)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("create_episode", {"topic": "a talk", "summary": f"They spoke about day {person}.", "importance": 0.7}),
        ("remember_relationship", {"user_id": person, "related_user_id": other, "relationship": "friend"}),
        ("remember_relationship", {"user_id": person, "related_user_id": other, "relationship": "colleague"}),
    ]
    for number, (tool, arguments) in enumerate(calls):
        result = await memory.call(tool, arguments, _turn(person, space, f"live-{number}"))
        if result.status != "success":
            raise RuntimeError(f"{tool}: {result}")
    await memory.apply(_leave_open, person, other, space)


def _leave_open(tx: Tx, person: int, other: int, space: int) -> None:
    """What a relation was, in the trail; a consent that the other was asked for; a call that names them."""
    owner = tx.owners.find("space", "bench", f"group-{space}")
    asker, asked = (tx.owners.find("person", "bench", str(who)) for who in (person, other))
    assert owner is not None
    assert asker is not None
    assert asked is not None
    relation = next(row for row in tx.memories.list_all(owner) if row.kind == "relation" and asker in row.people)
    tx.audit.add(owner, relation.id, "updated", before=relation, actor=str(person))
    arguments = {"user_id": other, "fact_type": "personal", "fact_key": "location", "fact_value": f"Town {person}"}
    consent = Consent(
        id=tx.next_id("consent"),
        asker=str(person),
        tool="remember_fact",
        version=1,
        arguments=arguments,
        turn=_turn(person, space, "consent"),
        asked_at=tx.now,
        expires_at=tx.now + timedelta(days=3),
    )
    tx.questions.put(asked, consent)
    payload = {"tool": "remember_fact", "arguments": arguments, "turn": consent.turn.as_json()}
    tx.tasks.add(owner, "call", payload, conversation=("c", "", 0), person=asker, priority=0)


def _multiply(path: Path, times: int) -> None:
    """Let there be so many of each person, space and row, others by their numbers."""
    connection = apsw.Connection(str(path))
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
        if not str(name).startswith(("sqlite", "memory_index"))
    ]
    connection.execute("PRAGMA cache_size=-1000000; BEGIN")
    for table in tables:
        columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
        names = [str(name) for name, _ in columns]
        if table != "owner" and "owner" not in names:
            continue
        for number in range(1, times):
            shift = number * _SHIFT
            shifted = {
                str(name): f"CASE WHEN {name} <> 0 THEN {name} + {shift} ELSE {name} END"
                for name, kind in columns
                if kind == "INTEGER" and name in (*_OWNED, "id", "memory", "message", "change")
            }
            if table == "owner":
                shifted["name"] = f"'{number}-' || name"
            values = ", ".join(shifted.get(name, name) for name in names)
            rows = f"SELECT {values} FROM {table} WHERE {'id' if table == 'owner' else 'owner'} < {_SHIFT}"
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) {rows}")
    connection.execute(f"UPDATE sequence SET value = value + {times * _SHIFT}; COMMIT")
    connection.execute(f"BEGIN; {REBUILD_INDEX} INSERT INTO memory_index (memory_index) VALUES ('optimize'); COMMIT")
    connection.close()


async def _made(size: int) -> Path:
    path = _stores.folder() / f"belongings-{size}.db"
    _stores.discard(path)
    async with open_memory(f"sqlite:///{path}", settings=_SETTINGS) as memory:
        for person in range(1, _PEOPLE + 1):
            await memory.apply(_fill, person, _FACTS)
        for person in range(1, _PEOPLE + 1):
            await _live(memory, person, 1 + person % _PEOPLE, person * 10 % _SPACES)
    _multiply(path, max(1, size // (_PEOPLE * _FACTS)))
    return path


def _verbs(memory: Memory, person: int) -> Mapping[str, Callable[[], Awaitable[object]]]:
    """What is measured, in this order."""
    clear = {"user_id": person, "reason": "they asked"}

    async def clear_profile() -> None:
        await memory.call("clear_profile", clear, _direct(person, "clear", "clear my profile"))
        cleared = await memory.call("clear_profile", clear, _direct(person, "agree", "yes"))
        if cleared.status != "deleted":
            raise RuntimeError(f"the profile is not cleared: {cleared}")

    return {
        "export": lambda: memory.export(_direct(person, "export", "/export")),
        "/memory": lambda: memory.look(listing, _direct(person, "list", "/memory")),
        "clear_profile": clear_profile,
        "erase": lambda: memory.erase(_direct(person, "erase", "/erase")),
    }


async def _measure(memories: Mapping[int, Memory], people: int) -> dict[int, dict[str, float]]:
    """Milliseconds of the processor, medians; the stores take turns."""
    taken: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    first = _PEOPLE + 10
    for person in range(first, first + people):
        for size, memory in memories.items():
            await memory.apply(_fill, person, _MEASURED_FACTS)
            await _live(memory, person, person % _PEOPLE + 1, person % _SPACES)
            memory._store.scrub = lambda: False  # noqa: SLF001
            for name, verb in _verbs(memory, person).items():
                cpu = time.process_time()
                await verb()
                taken[size, name].append((time.process_time() - cpu) * 1000)
    return {
        size: {name: statistics.median(values) for (of_size, name), values in taken.items() if of_size == size}
        for size in memories
    }


async def main() -> None:
    """Fill stores and measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000", help="memories of others; a tenth as many spaces")
    parser.add_argument("--people", type=int, default=15, help="who are exported and erased")
    options = parser.parse_args()
    paths = {size: await _made(size) for size in map(int, options.sizes.split(","))}
    memories = {size: open_memory(f"sqlite:///{path}", settings=_SETTINGS) for size, path in paths.items()}
    try:
        figures = await _measure(memories, options.people)
    finally:
        for memory in memories.values():
            await memory.close()
    print("\n".join(f"{name}: {value}" for name, value in _machine.describe(_stores.folder()).items()))
    names = list(next(iter(figures.values())))
    print("| memories of others | spaces | " + " | ".join(names) + " |", "|--:" * (2 + len(names)) + "|", sep="\n")
    for size, values in figures.items():
        spaces = max(1, size // (_PEOPLE * _FACTS)) * _SPACES
        print(f"| {size:,} | {spaces:,} | " + " | ".join(f"{values[name]:.2f}" for name in names) + " |")
    for path in paths.values():
        _stores.discard(path)


if __name__ == "__main__":
    asyncio.run(main())
