"""History and undo, over every back end."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from pathlib import Path

import pytest
import pytest_asyncio

from zgadka.model.outcome import Changed, Conflict, NotFound, Refused

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def memory(open_store):
    """Nothing is tidied but when a test says so."""
    return await open_store(background=False)


async def trail(person, memory_id):
    """Action, value before and value after of each line."""
    return [
        (event.action, event.before and event.before.content, event.after and event.after.content)
        for event in await person.memory.history(memory_id, person.turn())
    ]


async def undo(person, memory_id):
    return await person.memory.undo(memory_id, person.turn())


async def merged(person):
    """Two hobbies, merged into one of them."""
    ids = [(await person.fact("hobby", value))["fact_id"] for value in ("chess", "guitar", "go")]
    result = await person.call("merge_facts", user_id=123, fact_ids=ids, merged_value="guitar", merged_confidence=0.8)
    assert result.status == "success"
    return ids


# History


async def test_every_change_is_one_line_with_before_and_after(person):
    fact_id = (await person.fact("hobby", "chess"))["fact_id"]
    await person.fact("hobby", "Chess")
    await person.update("hobby", "go")
    await person.forget_fact("hobby")
    await person.fact("hobby", "go")
    await person.deletes(fact_id)
    await undo(person, fact_id)
    assert await trail(person, fact_id) == [
        ("created", None, "chess"),
        ("confirmed", "chess", "chess"),
        ("updated", "chess", "go"),
        ("forgotten", "go", "go"),
        ("revived", "go", "go"),
        ("deleted", "go", None),
        ("undone", None, "go"),
    ]


async def test_a_line_says_when_who_and_why(person, clock, memory):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    created = clock.now
    clock.forward(hours=1)
    await person.update("location", "Lviv", change_reason="correction")
    first, second = await memory.history(fact_id, person.turn())
    assert (first.number, first.at, first.actor, first.reason) == (1, created, "123", None)
    assert (second.number, second.at, second.actor, second.reason) == (2, clock.now, "123", "correction")
    assert (second.before.confidence, second.after.version, second.after.created_at) == (0.9, 2, created)


async def test_a_merge_is_a_line_for_each_fact(person):
    first, second, third = await merged(person)
    assert (await trail(person, first))[-1] == ("updated", "chess", "guitar")
    assert (await trail(person, second))[-1] == ("merged", "guitar", "guitar")
    assert (await trail(person, third))[-1] == ("merged", "go", "go")


async def test_a_refused_call_leaves_no_line(person):
    fact_id = (await person.fact())["fact_id"]
    await person.fact(value="Lviv")
    await person.forget_fact("hobby")
    await person.call("forget", memory_id=fact_id)
    assert await trail(person, fact_id) == [("created", None, "Kyiv")]


async def test_there_is_no_history_of_what_never_was(person, memory):
    for memory_id in (0, -1, 1, 2**53, 2**70):
        assert await memory.history(memory_id, person.turn()) == []
        assert await undo(person, memory_id) == NotFound()


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"user": 124}, {"space": "457"}, {"platform": "x"}, {"user": 124, "direct": True}])
async def test_elsewhere_there_is_neither_history_nor_undo(person, memory, place):
    fact_id = (await person.fact())["fact_id"]
    await person.update("location", "Lviv", change_reason="correction")
    there = person.at(**place)
    assert await memory.history(fact_id, there.turn()) == []
    assert await undo(there, fact_id) == NotFound()
    assert await person.values() == ["Lviv"]


@pytest.mark.partitioned
async def test_in_their_direct_chat_people_may_take_back_what_was_learned_about_them_anywhere(person, memory):
    fact_id = (await person.fact())["fact_id"]
    direct = person.at(direct=True, space="123", chat="123")
    assert len(await memory.history(fact_id, direct.turn())) == 1
    assert isinstance(await undo(direct, fact_id), Changed)
    assert await person.facts() == []


@pytest.mark.partitioned
async def test_another_persona_sees_no_history_of_what_one_persona_learned(person, memory):
    fact_id = (await person.at(persona=5).fact())["fact_id"]
    assert await memory.history(fact_id, person.at(persona=6).turn()) == []
    assert await undo(person, fact_id) == NotFound()


async def test_a_group_is_told_no_text_of_what_was_forgotten(person, memory, clock):
    home = (await person.fact())["fact_id"]
    await person.fact()
    past = (await person.update("location", "Lviv"))["past_fact_id"]
    note = await person.note("takes morphine")
    for memory_id in (past, note):
        await person.deletes(memory_id)
    illness = (await person.fact("hobby", "morphology"))["fact_id"]
    await person.forget_fact("hobby", reason="user_requested")

    words = ("Kyiv", "Lviv", "morphine", "morphology")

    async def told(one):
        trails = repr([await memory.history(memory_id, one.turn()) for memory_id in (home, past, note, illness)])
        return {word for word in words if word in trails}

    direct = person.at(direct=True, space="123", chat="123")
    assert (await told(person), await told(direct)) == ({"Lviv"}, set(words))
    clock.forward(hours=25)
    await memory.tidy()
    assert await told(direct) == {"Lviv", "morphology"}


# Undo


async def test_undoing_what_was_created_removes_it(person):
    fact_id = (await person.fact())["fact_id"]
    assert isinstance(await undo(person, fact_id), Changed)
    assert await person.facts() == []
    assert await person.found("Kyiv") == []


async def test_undoing_an_update_brings_the_old_value_back_also_into_the_search(person):
    fact_id = (await person.fact(value="Kyiv", confidence=0.7))["fact_id"]
    await person.update("location", "Lviv", confidence=1.0)
    outcome = await undo(person, fact_id)
    assert (outcome.memory.content, outcome.before.content) == ("Kyiv", "Lviv")
    (fact,) = await person.facts(search_query="Kyiv")
    assert (fact["value"], fact["confidence"]) == ("Kyiv", 0.7)
    assert await person.facts(search_query="Lviv") == []


async def test_undoing_a_forgotten_fact_brings_it_back(person):
    fact_id = (await person.fact())["fact_id"]
    await person.forget_fact("location")
    await undo(person, fact_id)
    assert await person.values() == ["Kyiv"]
    assert await person.found("Kyiv") == ["location: Kyiv"]


@pytest.mark.partitioned
async def test_undoing_a_deletion_brings_it_back_with_id_tags_and_search(person):
    memory_id = await person.note("keeps a zebraquux", tags=["pets"])
    await person.deletes(memory_id)
    assert isinstance(await undo(person, memory_id), Changed)
    found = await person.call("recall", query="zebraquux")
    assert [(one["memory_id"], one["tags"]) for one in found["memories"]] == [(memory_id, ["pets"])]


async def test_a_memory_that_came_back_needs_a_new_question(person):
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    await undo(person, memory_id)
    assert (await person.call("forget", memory_id=memory_id)).status == "confirmation_required"


async def test_undoing_a_revival_forgets_again(person):
    fact_id = (await person.fact())["fact_id"]
    await person.forget_fact("location")
    await person.fact(confidence=0.6)
    await undo(person, fact_id)
    assert await person.facts() == []
    assert (await person.fact())["fact_id"] == fact_id


async def test_evidence_is_no_change_that_is_undone(person):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    await person.update("location", "Lviv")
    await person.fact(value="Львів")
    await undo(person, fact_id)
    assert await person.values() == ["Kyiv"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("through", [0, 1, 2])
async def test_undoing_a_merge_brings_all_back_whichever_is_named(person, through):
    ids = await merged(person)
    assert (await undo(person, ids[through])).memory.id == ids[through]
    assert await person.values() == ["chess", "go", "guitar"]
    assert {fact["confidence"] for fact in await person.facts()} == {0.9}
    assert sorted(await person.found("chess guitar go")) == ["hobby: chess", "hobby: go", "hobby: guitar"]


async def test_undo_steps_back_one_change_at_a_time_as_far_as_there_are_any(person):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    await person.update("location", "Lviv")
    await person.update("location", "Odesa", change_reason="correction")
    await person.forget_fact("location")
    for expected in (["Kyiv", "Odesa"], ["Kyiv", "Lviv"], ["Kyiv"], []):
        assert isinstance(await undo(person, fact_id), Changed)
        assert await person.values() == expected
    assert isinstance(await undo(person, fact_id), NotFound)


async def test_what_was_undone_and_done_again_is_undone_again(person):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    for _ in range(2):
        await person.update("location", "Lviv", change_reason="correction")
        await undo(person, fact_id)
        assert await person.values() == ["Kyiv"]
    await undo(person, fact_id)
    assert await person.values() == []


async def test_a_merge_is_undone_after_what_was_changed_since(person):
    ids = await merged(person)
    await person.update("hobby", "banjo", change_reason="correction")
    await undo(person, ids[0])
    assert isinstance(await undo(person, ids[1]), Changed)
    assert await person.values() == ["chess", "go", "guitar"]


async def test_a_step_back_beyond_the_window_is_not_taken(person, clock):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    await person.update("location", "Lviv", change_reason="correction")
    clock.forward(hours=23)
    await person.forget_fact("location")
    clock.forward(hours=2)
    assert isinstance(await undo(person, fact_id), Changed)
    assert (await undo(person, fact_id)).undo == "too_late"
    assert await person.values() == ["Lviv"]


async def test_of_a_merge_whose_fact_was_changed_since_that_change_is_undone_first(person):
    ids = await merged(person)
    await person.update("hobby", "banjo", change_reason="correction")
    for expected in (["guitar"], ["chess", "go", "guitar"]):
        assert isinstance(await undo(person, ids[1]), Changed)
        assert await person.values() == expected


@pytest.mark.partitioned
async def test_of_two_undos_at_once_that_go_no_further_one_takes_back_and_the_other_is_refused(person):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    await person.update("location", "Lviv", change_reason="correction")
    outcomes = await asyncio.gather(*(person.memory.undo(fact_id, person.turn(), further=False) for _ in range(2)))
    assert [outcome.memory.content for outcome in outcomes if isinstance(outcome, Changed)] == ["Kyiv"]
    assert [outcome.undo for outcome in outcomes if isinstance(outcome, Refused)] == ["already_undone"]
    assert await person.values() == ["Kyiv"]
    await person.update("location", "Odesa", change_reason="correction")
    assert isinstance(await person.memory.undo(fact_id, person.turn(), further=False), Changed)
    assert await person.values() == ["Kyiv"]


async def test_undo_is_a_conflict_when_another_fact_took_the_place(person):
    kyiv = (await person.fact(value="Kyiv"))["fact_id"]
    await person.forget_fact("location")
    lviv = (await person.fact(value="Lviv"))["fact_id"]
    outcome = await undo(person, kyiv)
    assert isinstance(outcome, Conflict)
    assert outcome.memory.id == lviv
    assert await person.values() == ["Lviv"]


async def test_undo_of_an_update_is_a_conflict_when_the_old_value_was_remembered_again(person):
    fact_id = (await person.fact("hobby", "chess"))["fact_id"]
    await person.update("hobby", "go")
    await person.fact("hobby", "chess")
    assert isinstance(await undo(person, fact_id), Conflict)
    assert await person.values(as_of="2026-03-01") == ["chess", "go"]


async def test_undo_of_a_merge_is_refused_when_one_of_the_values_holds_again(person):
    ids = [(await person.fact("hobby", value))["fact_id"] for value in ("chess", "guitar")]
    await person.call("merge_facts", user_id=123, fact_ids=ids, merged_value="both", merged_confidence=0.8)
    await person.forget_fact("hobby")
    assert (await person.fact("hobby", "chess"))["fact_id"] not in ids
    assert (await undo(person, ids[1])).undo == "changed_together"
    assert await person.values() == ["chess"]


@pytest.mark.partitioned
async def test_of_two_undos_at_once_each_is_one_step(person):
    fact_id = (await person.fact(value="Kyiv"))["fact_id"]
    await person.update("location", "Lviv")
    await asyncio.gather(undo(person, fact_id), undo(person, fact_id))
    assert await person.values() == []
    assert [action for action, *_ in await trail(person, fact_id)] == ["created", "updated", "undone", "undone"]


@pytest.mark.every_case
@pytest.mark.parametrize("change", ["update", "delete", "merge"])
async def test_after_the_window_nothing_is_undone(person, clock, change):
    fact_id = (await person.fact("hobby", "chess"))["fact_id"]
    match change:
        case "update":
            await person.update("hobby", "go")
        case "delete":
            await person.deletes(fact_id)
        case _:
            other = (await person.fact("hobby", "go"))["fact_id"]
            await person.call(
                "merge_facts", user_id=123, fact_ids=[fact_id, other], merged_value="x", merged_confidence=1
            )
    values = await person.values()
    clock.forward(hours=24, seconds=1)
    assert isinstance(await undo(person, fact_id), Refused)
    assert await person.values() == values


async def test_inside_the_window_a_change_is_undone(person, clock):
    fact_id = (await person.fact("hobby", "chess"))["fact_id"]
    await person.deletes(fact_id)
    clock.forward(hours=23, minutes=59)
    await person.memory.tidy()
    assert isinstance(await undo(person, fact_id), Changed)
    assert await person.values() == ["chess"]


async def test_a_longer_window_is_a_setting(make_person, open_store, clock):
    person = make_person(await open_store(undo_hours=48))
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    clock.forward(hours=47)
    assert isinstance(await undo(person, memory_id), Changed)


async def test_without_a_window_the_text_is_gone_at_once(make_person, open_store):
    person = make_person(await open_store(undo_hours=0))
    memory_id = await person.note("keeps a zebraquux")
    await person.deletes(memory_id)
    assert await person.memory.history(memory_id, person.turn()) == []
    assert isinstance(await undo(person, memory_id), NotFound | Refused)
    assert await person.found("zebraquux") == []


async def test_an_undo_after_the_texts_are_gone_finds_nothing(person, clock):
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    clock.forward(hours=25)
    assert (await person.memory.tidy())["texts"] == 1
    assert (await person.memory.tidy())["texts"] == 0
    assert await undo(person, memory_id) == NotFound()


async def test_tidying_keeps_the_texts_of_what_came_back(person, clock):
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    await undo(person, memory_id)
    clock.forward(hours=25)
    assert (await person.memory.tidy())["texts"] == 0
    assert await trail(person, memory_id) == [
        ("created", None, "chess"),
        ("deleted", "chess", None),
        ("undone", None, "chess"),
    ]


async def test_tidying_goes_on_until_all_is_done(person, clock, monkeypatch):
    monkeypatch.setattr("zgadka.maintenance._TIDY_ROWS", 3)
    ids = [await person.note(f"note {number}") for number in range(8)]
    for _ in range(2):
        await person.call("forget", memory_id=",".join(map(str, ids)))
    clock.forward(hours=25)
    assert (await person.memory.tidy())["texts"] == 8


# Bytes: these read the file of SQLite, whichever back ends there are

SECRET = "zebraquuxsecret"


def places_of(path: Path, text: str) -> set[str]:
    """The tables in which the text stands, in whatever column or blob."""
    with sqlite3.connect(path) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
        ]
        return {
            table
            for table in tables
            for row in connection.execute(f'SELECT * FROM "{table}"')
            if any(text.encode() in (cell if isinstance(cell, bytes) else str(cell).encode()) for cell in row)
        }


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))


def checkpoint(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bytes.db"


async def deleted(person, kind):
    """Write the secret everywhere it can be, and delete it."""
    if kind == "note":
        memory_id = await person.note(f"keeps {SECRET}", tags=[SECRET])
        await person.call("remember", content=f"keeps {SECRET}", tags=["again"])
    else:
        arguments = {"confidence": 0.9, "source_excerpt": f"I said {SECRET}"}
        memory_id = (await person.fact("pet", f"first {SECRET}", **arguments))["fact_id"]
        await person.update("pet", f"second {SECRET}", source_excerpt=f"now {SECRET}", change_reason="correction")
        await person.forget_fact("pet")
        await person.fact("pet", f"second {SECRET}")
    await person.deletes(memory_id)
    return memory_id


@pytest.mark.parametrize("kind", ["note", "fact"])
async def test_until_the_window_ends_a_deleted_text_is_in_the_audit_trail_alone(opening, make_person, file, kind):
    memory = await opening(f"sqlite:///{file}")
    await deleted(make_person(memory), kind)
    await memory.close()
    assert places_of(file, SECRET) == {"event"}


@pytest.mark.parametrize("kind", ["note", "fact"])
async def test_after_the_window_a_deleted_text_is_in_no_byte_of_the_file(opening, make_person, file, clock, kind):
    memory = await opening(f"sqlite:///{file}")
    person = make_person(memory)
    keeps = [await person.note(f"an ordinary note {number}") for number in range(30)]
    await deleted(person, kind)
    checkpoint(file)
    assert SECRET.encode() in bytes_of(file)
    clock.forward(hours=25)
    await memory.tidy()
    checkpoint(file)
    assert SECRET.encode() not in bytes_of(file)
    assert SECRET[:10].encode() not in bytes_of(file)
    assert len(await person.found("ordinary note")) == len(keeps)


async def test_without_a_window_a_deleted_text_is_in_no_byte_at_once(opening, make_person, file):
    memory = await opening(f"sqlite:///{file}", undo_hours=0)
    await deleted(make_person(memory), "fact")
    checkpoint(file)
    assert SECRET[:10].encode() not in bytes_of(file)


async def test_a_huge_deleted_text_leaves_no_byte_on_its_overflow_pages(opening, make_person, file):
    memory = await opening(f"sqlite:///{file}", undo_hours=0)
    person = make_person(memory)
    ids = [await person.note(f"{number} " + f"{SECRET} " * 60) for number in range(20)]
    for memory_id in ids:
        await person.deletes(memory_id)
    checkpoint(file)
    assert SECRET[:10].encode() not in bytes_of(file)


async def test_a_forgotten_text_is_kept_in_the_file_but_not_in_the_index(opening, make_person, file):
    """Forgetting hides; it does not remove."""
    memory = await opening(f"sqlite:///{file}")
    person = make_person(memory)
    await person.fact("pet", SECRET)
    await person.forget_fact("pet")
    await memory.close()
    assert places_of(file, SECRET) == {"event", "memory"}
    assert not re.search(rb"x" + SECRET[:8].encode(), bytes_of(file))
