"""What an operator sees and may do."""

from __future__ import annotations

import pytest

from zgadka.model.outcome import Changed, NotFound, Refused
from zgadka.ops import operator_queries

pytestmark = pytest.mark.asyncio


async def listed(memory, **filters):
    given = {"platform": None, "user": None, "space": None, "archived": False} | filters
    kept = await memory.look(lambda tx: operator_queries.inventory(tx, **given))
    return sorted((one.owner.platform, one.owner.name, one.space.name, one.memory.text) for one in kept)


async def test_the_inventory_is_everything_and_each_filter_narrows_it(people, memory):
    await people(1).note("one")
    await people(2, space="B").note("two")
    await people(1, platform="discord").note("three")
    await people(2).fact()
    await people(2).forget_fact("location")
    assert len(await listed(memory)) == 3
    assert await listed(memory, platform="discord") == [("discord", "1", "456", "three")]
    assert await listed(memory, user="2") == [("telegram", "2", "B", "two")]
    assert await listed(memory, space="B") == [("telegram", "2", "B", "two")]
    assert await listed(memory, user="2", archived=True) == [
        ("telegram", "2", "456", "location: Kyiv"),
        ("telegram", "2", "B", "two"),
    ]
    assert await listed(memory, user="%") == []


async def test_an_operator_reads_and_takes_back_anybodys_change_and_is_named_in_the_trail(person, memory):
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    assert isinstance(await memory.apply(operator_queries.undo, memory_id), Changed)
    trail = await memory.look(operator_queries.trail, memory_id)
    assert [(event.action, event.actor) for event in trail] == [
        ("created", "123"),
        ("deleted", "123"),
        ("undone", "operator"),
    ]


@pytest.mark.parametrize("memory_id", [0, -1, 999, 2**53, 2**70])
async def test_what_never_was_has_no_trail_for_an_operator_either(memory, memory_id):
    assert await memory.look(operator_queries.trail, memory_id) == []
    assert await memory.apply(operator_queries.undo, memory_id) == NotFound()


async def test_an_operator_cannot_bring_back_a_text_that_is_gone_for_good(person, memory, clock):
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    clock.forward(hours=25)
    await memory.tidy()
    assert isinstance(await memory.apply(operator_queries.undo, memory_id), Refused)
    trail = await memory.look(operator_queries.trail, memory_id)
    assert [(event.action, event.before, event.after) for event in trail] == [
        ("created", None, None),
        ("deleted", None, None),
    ]


async def test_a_restart_of_the_clock_does_not_bring_back_a_text_that_is_gone(person, memory, clock):
    """The texts are gone from the rows: no clock brings them back."""
    memory_id = await person.note("chess")
    await person.deletes(memory_id)
    clock.forward(hours=25)
    await memory.tidy()
    clock.forward(hours=-25)
    assert isinstance(await memory.apply(operator_queries.undo, memory_id), Refused)
