"""What is recalled is what the rows say now: in this process, in another, warm or cold."""

from __future__ import annotations

import random

import pytest
from long_run import cases

from zgadka.stores import cache

pytestmark = pytest.mark.asyncio

WORDS = ("chess", "guitar", "tea", "Kyiv", "Київ", "кава", "books", "running")


@pytest.mark.partitioned
@pytest.mark.parametrize("seed", range(cases(2, long=8)))
async def test_a_changed_or_deleted_memory_is_never_recalled_as_it_was_in_this_process_or_another(
    seed, lasting_url, opening, make_person, monkeypatch
):
    """Two memories on one file take turns at changing; a third, which keeps nothing in mind, says what is right."""
    chance = random.Random(seed)
    one, two = [await opening(lasting_url, calls_per_hour=0) for _ in range(2)]
    monkeypatch.setattr(cache, "LIMIT_BYTES", 0)
    exact = await opening(lasting_url, calls_per_hour=0)
    people = [make_person(memory, user=user) for memory in (one, two) for user in (1, 2)]
    ids: dict[int, list[int]] = {1: [], 2: []}
    for step in range(cases(30, long=80)):
        person = chance.choice(people)
        await _change(chance, person, ids, step)
        for reader in chance.sample(people, 2):
            query = " ".join(chance.sample(WORDS, 2))
            for tool, arguments in (
                ("recall", {"query": query, "limit": 50}),
                ("recall_facts", {"user_id": reader.turn().user_number, "search_query": query, "limit": 50}),
                ("recall_facts", {"user_id": reader.turn().user_number, "limit": 50}),
            ):
                right = await reader.at(memory=exact).call(tool, **arguments)
                assert await reader.call(tool, **arguments) == right, (step, tool, arguments)


async def _change(chance, person, ids, step):
    own = ids[person.turn().user_number]
    text = " ".join(chance.choices(WORDS, k=3))
    match chance.randrange(6):
        case 0 | 1:
            result = await person.fact(chance.choice(("hobby", "likes", "location")), text)
            if result.status == "success":
                own.append(result["fact_id"])
        case 2:
            result = await person.call("remember", content=f"{text} {step}")
            own.append(result["memory_id"])
        case 3 if own:
            gone = own.pop(chance.randrange(len(own)))
            await person.call("forget", memory_id=gone)
            await person.call("forget", memory_id=gone)
        case 4 if own:
            await person.memory.undo(chance.choice(own), person.turn())
        case _:
            await person.update("location", text)
