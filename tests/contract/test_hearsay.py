"""What another says of somebody: told with who said it, below their own word, which it never changes."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import pytest_asyncio

from zgadka import Member
from zgadka.ops.repair import find_drift

pytestmark = pytest.mark.asyncio

ANNA, BORYS = 1, 2


@pytest_asyncio.fixture
async def two(people):
    return await people(ANNA).speaks(), await people(BORYS).speaks()


async def about_anna(person, key, value, **more):
    return await person.fact(key, value, user_id=ANNA, **more)


@pytest.mark.partitioned
async def test_ones_own_word_takes_the_place_of_what_another_said_without_a_conflict(two, memory):
    anna, borys = two
    heard = await about_anna(borys, "location", "Odesa", source_excerpt="she lives in Odesa")
    own = await anna.fact("location", "Kyiv")
    assert (own.status, own["fact_id"]) == ("success", heard["fact_id"])
    assert await anna.values() == ["Kyiv"]
    row = (await memory.history(own["fact_id"], anna.turn()))[-1].after
    assert (row.said_by, row.excerpt, row.evidence) == ("1", None, 1)


async def test_ones_own_word_to_a_persona_takes_the_place_of_what_another_told_every_persona(two, memory):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    own = await anna.at(persona=5).fact("location", "Kyiv")
    assert own.status == "success"
    assert await anna.at(persona=5).values() == ["Kyiv"]
    assert "Odesa" not in await anna.values()
    owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", str(ANNA)))
    assert (await memory.look(lambda tx: find_drift(tx, owner))).counts == {}


@pytest_asyncio.fixture
async def both_said(two):
    """Anna told persona 5 that she lives in Kyiv, of which persona 0 knows nothing: Borys told that one Odesa."""
    anna, borys = two
    own = await anna.at(persona=5).fact("location", "Kyiv")
    assert (await about_anna(borys, "location", "Odesa")).status == "success"
    return anna.at(persona=5), own["fact_id"]


async def test_ones_own_word_said_again_takes_the_place_of_what_another_said_meanwhile(both_said):
    anna, own = both_said
    again = await anna.fact("location", "Kyiv")
    assert (again.status, again["fact_id"]) == ("skipped", own)
    assert await anna.values() == ["Kyiv"]


async def test_ones_own_word_is_in_conflict_with_ones_own_word_whatever_another_said_before(two):
    anna, borys = two
    assert (await about_anna(borys.at(persona=5), "location", "Odesa")).status == "success"
    own = await anna.fact("location", "Kyiv")
    other = await anna.at(persona=5).fact("location", "Lviv")
    assert (other.status, other["fact_id"]) == ("conflict", own["fact_id"])


async def test_what_another_said_stays_where_the_person_comes_to_say_the_same(both_said):
    anna, own = both_said
    assert (await anna.update("location", "Odesa", fact_id=own)).status == "success"
    assert await anna.at(persona=0).values() == ["Odesa"]


@pytest.mark.parametrize("reason", ["update", "correction"])
async def test_ones_own_word_was_said_when_it_took_the_place_of_what_another_had_said(two, clock, reason):
    anna, borys = two
    await about_anna(borys, "location", "Odesa", turn=borys.turn(time=clock.now - timedelta(days=3)))
    own = await anna.update("location", "Kyiv", change_reason=reason)
    late = await anna.update("location", "Lviv", turn=anna.turn(time=clock.now - timedelta(days=2)))
    assert (late.status, late["fact_id"] != own["fact_id"]) == ("success", True)
    assert [(fact["value"], "valid_to" in fact) for fact in await anna.facts()] == [("Kyiv", False), ("Lviv", True)]


def since(value, **more):
    fact = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    return fact | {"fact_value": value} | more


@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["remember_fact", "update_fact", "update_fact_with_temporal"])
async def test_what_another_says_is_to_come_does_not_end_ones_own_word(two, memory, clock, tool):
    anna, borys = two
    heard = await borys.call("update_fact_with_temporal", **since("Odesa", valid_from="2026-03-02"))
    argument = {"new_value": "Kyiv", "change_reason": "update"} if tool == "update_fact" else {"fact_value": "Kyiv"}
    own = await anna.call(tool, **{name: value for name, value in since("").items() if value} | argument)
    assert own.status == "success"
    clock.forward(days=3)
    assert [(fact["value"], fact.get("valid_to")) for fact in await anna.facts()] == [("Kyiv", None)]
    assert await anna.values(known_on="2026-03-01") == ["Kyiv"]
    clock.forward(days=-3)
    await memory.undo(own["fact_id"], anna.turn())
    assert [fact["fact_id"] for fact in await anna.facts()] == [heard["fact_id"]]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("heard", "own"),
    [
        ({}, {}),
        ({}, {"previous_value": "Lviv"}),
        ({"valid_from": "2000", "valid_to": "2030"}, {"valid_from": "2010"}),
        ({"valid_from": "2000", "valid_to": "2010"}, {"valid_to": "2005"}),
    ],
)
async def test_what_another_said_contradicts_no_dates_of_ones_own_word_and_is_no_past_of_theirs(two, heard, own):
    anna, borys = two
    assert (await borys.call("update_fact_with_temporal", **since("Odesa", **heard))).status == "success"
    assert (await anna.call("update_fact_with_temporal", **since("Kyiv", **own))).status == "success"
    assert "Odesa" not in await anna.values()
    assert await anna.values(as_of="2004") == (
        ["Lviv"] if "previous_value" in own else [] if own.get("valid_from") else ["Kyiv"]
    )


async def test_who_only_repeats_what_one_said_of_oneself_changes_nothing_of_it(two, memory):
    anna, borys = two
    own = await anna.fact("location", "Kyiv", source_excerpt="I live in Kyiv")
    again = await borys.call("update_fact_with_temporal", **since("Kyiv", source_excerpt="She lives in Kyiv"))
    assert (again.status, again["fact_id"]) == ("skipped", own["fact_id"])
    row = (await memory.history(own["fact_id"], anna.turn()))[-1].after
    assert (row.said_by, row.excerpt, row.evidence) == ("1", "I live in Kyiv", 2)


async def test_what_another_said_and_one_tells_as_ones_past_is_ones_own_word(two):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    await anna.call("update_fact_with_temporal", **since("Kyiv", previous_value="Odesa"))
    assert [(fact["value"], fact.get("said_by")) for fact in await anna.facts()] == [("Kyiv", None), ("Odesa", None)]


async def test_an_update_of_what_another_said_takes_over_none_of_its_dates(two):
    anna, borys = two
    await borys.call("update_fact_with_temporal", **since("Odesa", valid_from="2010", valid_to="2030"))
    await anna.update("location", "Kyiv")
    assert [(fact["value"], "valid_from" in fact, "valid_to" in fact) for fact in await anna.facts()] == [
        ("Kyiv", False, False)
    ]


async def test_another_never_updates_or_closes_ones_own_word(two):
    anna, borys = two
    own = await anna.fact("location", "Kyiv")
    changed = await borys.update("location", "Odesa", user_id=ANNA)
    assert (changed.status, changed["fact_id"]) == ("conflict", own["fact_id"])
    arguments = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    held = await borys.call("update_fact_with_temporal", **arguments, fact_value="Odesa", valid_from="2026-01-01")
    assert held.status == "conflict"
    assert [(fact["value"], fact.get("valid_to")) for fact in await anna.facts()] == [("Kyiv", None)]


async def test_what_another_said_may_be_corrected_by_others_and_by_oneself(two):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    assert (await borys.update("location", "Lviv", user_id=ANNA)).status == "success"
    changed = await anna.update("location", "Kyiv")
    assert (changed.status, changed.get("past_fact_id")) == ("success", None)
    values = await anna.values()
    assert (values[0], "Lviv" in values) == ("Kyiv", False)


async def test_answers_say_who_said_it_and_ones_own_word_comes_first(two):
    anna, borys = two
    await anna.fact("trait_1x", "diligent")
    await about_anna(borys, "trait_2x", "lazy", confidence=1.0)
    diligent, lazy = await anna.facts()
    assert (diligent["value"], diligent.get("said_by")) == ("diligent", None)
    assert (lazy["value"], lazy["said_by"]) == ("lazy", BORYS)


async def test_lists_summary_and_context_say_who_said_it_too(two, memory):
    anna, borys = two
    await memory.report_member("telegram", "456", Member(user=str(BORYS), number=BORYS, name="Borys"))
    await anna.fact("trait_1x", "diligent")
    await about_anna(borys, "trait_2x", "lazy")
    listed = await anna.call("recall_facts_global", user_id=ANNA)
    assert {fact["value"]: fact.get("said_by") for fact in listed["facts"]} == {"diligent": None, "lazy": BORYS}
    summary = (await anna.call("generate_profile_summary", user_id=ANNA))["summary"]
    context = (await memory.build_context(anna.turn(), 1000, query="lazy or diligent?")).text
    for text, told in ((summary, f'said by "Borys" (user_id {BORYS})'), (context, 'said by "Borys" "trait')):
        assert told in next(line for line in re.split("[;\n]", text) if "lazy" in line)
        assert text.count("said by") == 1
    assert f'"Borys" = user_id {BORYS}' in context
