"""Which facts are one: the same key and value is, whatever its type, and a key of one value is."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.asyncio


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(
    ("value", "status"), [("30", "skipped"), ("31", "conflict")], ids=["the same value", "another value"]
)
async def test_a_key_of_one_value_is_one_fact_under_every_type(person, value, status):
    kept = await person.fact("age", "30")
    told = await person.fact("age", value, fact_type="trait")
    assert (told.status, told["fact_id"], told["fact"]["type"]) == (status, kept["fact_id"], "personal")
    assert await person.values() == ["30"]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("personal", "skill", True),
        ("skill", "personal", True),
        ("trait", "preference", True),
        ("opinion", "preference", True),
        ("skill", "preference", False),
        ("opinion", "skill", False),
    ],
)
async def test_the_same_key_and_value_is_one_fact_but_a_liking_is_no_skill(person, first, second, is_one):
    kept = await person.fact("programming_language", "Python", fact_type=first)
    again = await person.fact("programming language", "python", fact_type=second)
    assert (again.status, again["fact_id"] == kept["fact_id"]) == (("skipped" if is_one else "success"), is_one)
    third = await person.fact("programming_language", "Python", fact_type="personal")
    assert (third.status, third["fact_id"] in (kept["fact_id"], again["fact_id"])) == ("skipped", True)


async def test_update_and_forget_take_the_named_type_first_then_the_only_one_then_ask(person):
    kept = await person.fact("pet", "a cat", fact_type="personal")
    changed = await person.update("pet", "a dog", fact_type="trait")
    assert (changed["fact_id"], changed["fact"]["type"]) == (kept["fact_id"], "personal")
    other = await person.fact("pet", "a parrot", fact_type="preference")
    assert (await person.update("pet", "a rat", fact_type="preference"))["fact_id"] == other["fact_id"]
    asked = await person.forget_fact("pet", fact_type="trait")
    assert (asked.status, {fact["fact_id"] for fact in asked["candidates"]}) >= ("conflict", {kept["fact_id"]})
    forgotten = await person.forget_fact("pet", fact_type="personal")
    assert (forgotten.status, forgotten["fact_id"]) == ("success", kept["fact_id"])


async def test_what_holds_now_is_meant_before_the_past_of_the_named_type(person):
    past = {"user_id": 123, "fact_type": "trait", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}
    await person.call("update_fact_with_temporal", **past, valid_to="2020")
    now = await person.fact("location", "Lviv", fact_type="personal")
    changed = await person.update("location", "Odesa", fact_type="trait")
    assert (changed.status, changed["fact_id"], changed["old_value"]) == ("success", now["fact_id"], "Lviv")


async def test_facts_of_a_type_are_listed_with_a_word_on_those_of_others(person):
    await person.fact("job", "nurse", fact_type="personal")
    found = await person.call("recall_facts", user_id=123, fact_types=["skill"])
    assert (found["count"], found["other_types"]) == (0, {"personal": 1})
    found = await person.call("recall_facts", user_id=123, fact_types=["personal"])
    assert (found["count"], "other_types" in found) == (1, False)


async def test_facts_of_different_types_are_merged_and_the_first_type_stays(person):
    first = await person.fact("hobby", "chess", fact_type="personal")
    second = await person.fact("interest", "board games", fact_type="preference")
    ids = [first["fact_id"], second["fact_id"]]
    arguments = {"user_id": 123, "merged_value": "chess and board games", "merged_confidence": 0.9}
    merged = await person.call("merge_facts", fact_ids=ids, **arguments)
    assert (merged.status, merged["fact"]["type"]) == ("success", "personal")
    skill = await person.fact("hobby", "go", fact_type="skill")
    liking = await person.fact("hobby", "go", fact_type="preference")
    ids = [skill["fact_id"], liking["fact_id"]]
    assert (await person.call("merge_facts", fact_ids=ids, **arguments)).status == "invalid_args"
