"""What is made from the rows can drift from them; it is noticed, said, and put right, while others use the database."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
import pytest_asyncio

from zgadka import Memory, Settings, open_memory
from zgadka.ops.repair import find_drift, owners_to_check, repair
from zgadka.text.form_version import form_version

pytestmark = pytest.mark.asyncio

Change = Callable[[str], None]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def change(file: Path) -> Change:
    """Change the file behind zgadka's back."""

    def run(statements: str) -> None:
        connection = apsw.Connection(str(file))
        try:
            connection.execute(statements).fetchall()
        finally:
            connection.close()

    return run


@pytest_asyncio.fixture
async def memory(file: Path, opening: Callable[..., Any]) -> Memory:
    return await opening(f"sqlite:///{file}", background=False, calls_per_hour=0)


async def filled(memory: Memory, make_person: Callable[..., Any]) -> Any:
    """Two people with memories of every kind, in one space."""
    person, friend = make_person(memory), make_person(memory, user=124)
    for one in (person, friend):
        await one.speaks("I like chess")
        await one.fact("location", "Kyiv")
        await one.fact("hobby", "chess")
        await one.note("my guitar is red")
    await person.forget_fact("hobby", fact_value="chess")
    arguments = {"topic": "Chess", "summary": "They talked about chess and tea.", "importance": 0.5}
    made = await person.call("create_episode", emotional_valence="positive", tags=["game"], **arguments)
    assert made.status == "success", made
    related = await person.call("remember_relationship", user_id=123, related_user_id=124, relationship="friend")
    assert related.status == "success", related
    await memory.tidy()
    return person


async def drift_of(memory: Memory) -> dict[str, int]:
    total: Counter[str] = Counter()
    for owner in await memory.look(owners_to_check):
        total.update((await memory.look(find_drift, owner)).counts)
    return dict(total)


async def repaired(memory: Memory) -> dict[str, int]:
    total: Counter[str] = Counter()
    for owner in await memory.look(owners_to_check):
        total.update(await memory.apply(repair, owner))
    return dict(total)


async def test_what_the_engine_keeps_never_drifts(memory, make_person) -> None:
    person = await filled(memory, make_person)
    await person.deletes(await person.note("for a moment"))
    assert await drift_of(memory) == {}
    await memory.erase(make_person(memory, user=124).turn())
    assert await drift_of(memory) == {}


UNINDEX_NOTES = """
INSERT INTO memory_index (memory_index, rowid, words)
SELECT 'delete', id, 'o' || owner || 'x' || replace(words, ' ', ' o' || owner || 'x')
FROM memory WHERE kind = 'note' AND archived = 0
"""
LINK_TO_NOTHING = """
INSERT INTO subject SELECT id, 1, 'memory', 9000, 'about', 0 FROM owner LIMIT 1;
"""
STRAYS = """
INSERT INTO vector SELECT id, 'memory', 9000, 1, x'00' FROM owner LIMIT 1;
INSERT INTO vector SELECT id, 'message', 9000, 1, x'00' FROM owner LIMIT 1;
INSERT INTO unembedded SELECT id, 'message', 9001 FROM owner LIMIT 1;
"""

DAMAGES: dict[str, tuple[str, dict[str, int | None]]] = {
    "a memory that the index does not hold": (UNINDEX_NOTES, {"index": 2}),
    "an index without anything": ("INSERT INTO memory_index (memory_index) VALUES ('delete-all')", {"index": None}),
    "words of a memory that is gone": (
        "INSERT INTO memory_index (rowid, words) SELECT 9000, 'o' || min(id) || 'xchess' FROM owner",
        {"index": 1},
    ),
    "words of an owner who is gone": (
        "INSERT INTO memory_index (rowid, words) VALUES (9000, 'o777xchess')",
        {"index": 1},
    ),
    "other words in the row": (
        "UPDATE memory SET words = 'nonsense', word_count = 1 WHERE kind = 'note'",
        {"words": 2},
    ),
    "tallies that are too low": ("UPDATE tally SET live = 0", {"tallies": None}),
    "tallies that are gone": ("DELETE FROM tally", {"tallies": None}),
    "tallies of what there is nothing of": (
        "INSERT INTO tally SELECT owner, 99, 'note', 5 FROM tally LIMIT 1",
        {"tallies": 1},
    ),
    "links that are gone": ("DELETE FROM subject; DELETE FROM source", {"links": None}),
    "links of memories that are gone": (LINK_TO_NOTHING, {"links": 1}),
    "vectors of texts that are gone": (STRAYS, {"strays": 3}),
}
"""What is done to the file, and how much of what is wrong then; None: some of it."""


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_drift_is_counted_and_put_right(damage, memory, make_person, change) -> None:
    person = await filled(memory, make_person)
    recalled = await everything(person)
    statements, expected = DAMAGES[damage]
    change(statements)
    found = await drift_of(memory)
    assert found.keys() == expected.keys()
    assert all(count is None or found[name] == count for name, count in expected.items()), found
    assert await repaired(memory) == found
    assert await drift_of(memory) == {}
    assert memory.mend() == ("ok", "ok")
    assert await everything(person) == recalled


async def everything(person: Any) -> list[Any]:
    """What every way to read gives; the last asks a memory without anything in mind."""
    said = [await person.call("recall", query=query) for query in ("chess", "guitar", "Kyiv", "школа")]
    said += [await person.call("recall_facts", user_id=123), await person.call("recall_episodes", query="tea")]
    return said


async def test_after_a_repair_no_process_answers_from_an_index_of_before(
    file, memory, opening, make_person, change
) -> None:
    """A memory that was opened before, and asked so often that it keeps an index in mind, finds what the rows say."""
    person = await filled(memory, make_person)
    other = make_person(await opening(f"sqlite:///{file}", background=False, calls_per_hour=0))
    for _ in range(3):
        for one in (person, other):
            assert await one.found("guitar") == ["my guitar is red"]
    change("UPDATE memory SET content = 'my violin is red', canonical = 'my violin is red' WHERE kind = 'note'")
    assert (await repaired(memory))["words"] == 2
    for one in (person, other):
        assert await one.found("violin") == ["my violin is red"]
        assert await one.found("guitar") == []


async def test_a_repair_has_what_lacks_a_vector_wait_for_one(memory, make_person, change) -> None:
    await filled(memory, make_person)
    change("INSERT INTO embedder (name, owner, complete) VALUES ('m', 9000, 1)")
    assert await drift_of(memory) == {}, "a text that no embedder takes has none either"
    await repaired(memory)
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    live = sum(counts[kind] for kind in ("facts", "notes", "episodes", "relations"))
    assert counts["unembedded"] == live + counts["messages"]
    assert await drift_of(memory) == {}


async def test_words_that_an_older_program_made_are_no_drift(memory, make_person, change) -> None:
    person = await filled(memory, make_person)
    change(
        "UPDATE owner SET form = 0;"
        "UPDATE memory SET words = words || ' older' WHERE kind = 'note';"
        "INSERT INTO memory_index (rowid, words) SELECT id, 'o' || owner || 'xolder' FROM memory WHERE kind = 'note'"
    )
    assert await drift_of(memory) == {}
    await memory.tidy()
    assert await drift_of(memory) == {}
    assert await person.found("guitar") == ["my guitar is red"]


async def test_rows_of_an_older_program_are_made_anew_as_soon_as_one_opens_however_lately_another_tidied(
    file, memory, make_person, change, opening
) -> None:
    await filled(memory, make_person)
    assert await memory.apply(lambda tx: tx.tasks.claim_chore("tidy", timedelta(minutes=10)))
    change("UPDATE owner SET form = 0")
    await opening(f"sqlite:///{file}")
    ends = asyncio.get_running_loop().time() + 5
    while await memory.look(lambda tx: tx.owners.outdated(form_version())):
        assert asyncio.get_running_loop().time() < ends
        await asyncio.sleep(0.02)


async def test_repairing_while_others_write_loses_nothing(file, memory, make_person, change) -> None:
    await filled(memory, make_person)
    change("INSERT INTO memory_index (memory_index) VALUES ('delete-all'); UPDATE tally SET live = live + 7")
    writers = [make_person(memory, user=200 + number) for number in range(5)]

    async def write(person: Any) -> list[int]:
        return [await person.note(f"note {number} of mine") for number in range(20)]

    written, _ = await asyncio.gather(asyncio.gather(*map(write, writers)), repaired(memory))
    await repaired(memory)
    assert await drift_of(memory) == {}
    for person, ids in zip(writers, written, strict=True):
        assert len(ids) == 20
        assert len(await person.found("note")) == 20


async def test_mending_takes_every_kind_of_damaged_index(file, memory, make_person, change) -> None:
    """The full-text index's blocks are zeroed, and a page of an ordinary index."""
    person = await filled(memory, make_person)
    recalled = await everything(person)
    await memory.close()
    change("UPDATE memory_index_data SET block = zeroblob(length(block)) WHERE id > 10")
    blank_page(file, "memory_slot")
    async with open_memory(f"sqlite:///{file}", settings=Settings(background=False, calls_per_hour=0)) as damaged:
        assert "memory_slot" in damaged.inspect()["integrity"]
        before, after = damaged.mend()
        assert "memory_slot" in before
        assert after == "ok"
        assert await repaired(damaged) == {}
        assert [one["status"] for one in await everything(person.at(memory=damaged))] == [
            one["status"] for one in recalled
        ]


def blank_page(file: Path, name: str) -> None:
    """Make the root page of an index one without entries."""
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,))
    connection.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(b"\n" + bytes(4) + b"\x10\x00" + bytes(4089))


async def test_a_damaged_index_gives_an_error_that_names_the_remedy_and_mending_helps_at_once(
    memory, make_person, change, caplog
) -> None:
    person = await filled(memory, make_person)
    change("UPDATE memory_index_data SET block = zeroblob(length(block)) WHERE id > 10")
    assert "fts5" in memory.inspect()["integrity"]
    said = await person.call("recall", query="guitar")
    assert said.status == "error", said
    assert "zgadka doctor --repair" in caplog.text
    assert memory.mend()[1] == "ok"
    await repaired(memory)
    assert await person.found("guitar") == ["my guitar is red"]
    assert (await person.call("remember", content="it goes on")).status == "success"


async def test_an_index_that_counts_too_few_memories_is_noticed_and_mended(memory, make_person, change) -> None:
    """FTS5's own check says nothing, and then takes the removal of the last memories for damage."""
    person = await filled(memory, make_person)
    note = await person.note("of many")
    await asyncio.gather(*(person.note(f"note {number}") for number in range(300)))  # two bytes long, that count
    assert memory.inspect()["integrity"] == "ok"
    change("INSERT INTO memory_index (memory_index, rowid, words) SELECT 'delete', 9000, 'x' FROM memory LIMIT 50")
    assert await drift_of(memory) == {}
    assert "counts" in memory.inspect()["integrity"]
    assert memory.mend()[1] == "ok"
    assert await repaired(memory) == {}
    assert (await person.deletes(note)).status == "deleted"


async def test_a_trail_that_an_older_program_wrote_tells_nothing_that_was_forgotten(memory, change, make_person, clock):
    """Its forms are not those of today; the rows are made anew, and the trail stays as it was written."""
    person = make_person(memory)
    far, near = "distance", {"fact_type": "skill"}
    changed = await person.fact(far, "5 km", **near)
    clock.forward(days=1)
    await person.update(far, "6 km", change_reason="correction", **near)
    again = await person.fact(far, "5 km", **near)
    clock.forward(days=1)
    await person.deletes(again["fact_id"])
    change("UPDATE event SET before = replace(before, 'LENGTH:5000', '5km') WHERE memory = 1")
    assert changed["fact_id"] == 1
    assert await person.values(known_on="2026-03-01") == []
    assert await person.values() == ["6 km"]


async def test_a_trail_that_an_older_program_wrote_keeps_no_text_of_what_was_deleted(
    memory, change, make_person, clock
):
    person = make_person(memory)
    await person.fact("distance", "5 km")
    clock.forward(days=1)
    past = (await person.update("distance", "6 km"))["past_fact_id"]
    change("UPDATE event SET before = replace(before, 'LENGTH:5000', '5km') WHERE memory = 1")
    await person.deletes(past)
    clock.forward(days=2)
    await memory.tidy()
    events = await memory.history(1, person.turn(direct=True, space="1", chat="1"))
    assert [event.before for event in events] == [None, None]
