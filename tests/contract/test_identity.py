"""Which facts are one: the same key and value is, whatever its type, and a key of one value is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

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


# Values


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("key", "first", "again"),
    [
        ("birthday", "1990-05-03", "3 травня 1990 року"),
        ("height", "180 cm", "1,8 м"),
        ("location", "NYC", "Нью-Йорк"),
        ("name", "Іван Петренко", "Ivan Petrenko"),
        ("smoker", "так", "true"),
        ("language", "uk", "Ukrainian"),
        ("experience", "5 років", "five years"),
    ],
)
async def test_a_value_is_known_however_it_is_written(person, key, first, again):
    kept = await person.fact(key, first)
    told = await person.fact(key, again)
    assert (told.status, told["fact_id"]) == ("skipped", kept["fact_id"])


@pytest.mark.parametrize("years", [1, 3])
async def test_an_age_grows_and_another_one_is_a_conflict(person, clock, years):
    kept = await person.fact("age", "30 років")
    clock.forward(days=366 * years)
    assert (await person.facts())[0]["age_now"] == 30 + years
    assert (await person.fact("age", "21")).status == "conflict"
    told = await person.fact("age", str(30 + years))
    assert (told.status, told["fact_id"], told["fact"]["value"]) == ("skipped", kept["fact_id"], str(30 + years))
    (fact,) = await person.facts()
    assert (fact["value"], "age_now" in fact) == (str(30 + years), False)
    changed = await person.update("age", str(30 + years))
    assert (changed.status, "past_fact_id" in changed) == ("success", False)


async def test_the_context_says_how_old_somebody_is_now(person, memory, clock):
    await person.fact("age", "30")
    clock.forward(days=400)
    assert "about 31 now" in (await memory.build_context(person.turn(), 2000)).text


@pytest.mark.parametrize("value", ["N/A", "?", "unknown", "невідомо", "немає даних", "-", "none", "Not specified."])
async def test_what_says_that_nothing_is_known_is_no_value(person, value):
    refused = await person.fact("job", value)
    assert (refused.status, await person.facts()) == ("invalid_args", [])


@pytest.mark.parametrize(
    ("key", "value"),
    [("allergies", "none"), ("children", "0"), ("siblings", "немає"), ("smoker", "no"), ("diet", "none")],
)
async def test_to_have_none_is_a_value_where_the_key_takes_it(person, key, value):
    assert (await person.fact(key, value)).status == "success"


# What older programs kept


def age_rows(tx, fact_ids, key):
    """Make rows as an older program had them: by type, with a form that is a text, and with its slot."""
    (owner,) = {tx.memories.find_owner(fact_id) for fact_id in fact_ids}
    for number, fact_id in enumerate(fact_ids):
        row = tx.memories.get(owner, fact_id)
        old = replace(row, key=key, canonical=row.content.casefold())
        tx.memories.renew(owner, [(old, f"an older hash {number}".encode().ljust(16, b"!")[-16:])])
    tx.owners.put_form(owner, 0)


@pytest.fixture
def old_rows(person, memory):
    async def keep(key, *values):
        ids = [(await person.fact(f"some_key_{number}", value))["fact_id"] for number, value in enumerate(values)]
        await memory.apply(age_rows, ids, key)
        return ids

    return keep


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(
    ("key", "values", "again"),
    [("age", ("30", "30 років"), "thirty"), ("hobby", ("шахи", "chess"), "Chess")],
    ids=["a key of one value", "of several"],
)
@pytest.mark.parametrize("tidied", [False, True])
async def test_old_facts_that_are_one_now_are_both_kept_until_one_goes(
    old_rows, person, memory, key, values, again, tidied
):
    ids = await old_rows(key, *values)
    if tidied:
        await memory.tidy()
    for told in (await person.fact(key, again), await person.fact(key, again)):
        assert (told.status, told["fact_id"] in ids, await person.values()) == ("skipped", True, sorted(values))
    told = await person.fact(key, again)
    assert (await person.forget_fact(key, fact_id=told["fact_id"])).status == "success"
    (left,) = await person.facts()
    told = await person.fact(key, again)
    assert (told.status, told["fact_id"]) == ("skipped", left["fact_id"])
    assert (await person.update(key, "12", fact_id=left["fact_id"], change_reason="correction")).status == "success"


async def test_an_old_name_of_a_key_becomes_its_standard_one(old_rows, person, memory):
    await old_rows("дохід", "100 USD")
    await memory.tidy()
    assert await person.found("salary") == ["salary: 100 USD"]


async def test_what_an_older_program_changed_is_taken_back_as_it_would_be_kept_now(old_rows, person, memory):
    (fact_id,) = await old_rows("age", "30")
    await person.forget_fact("age")
    await memory.undo(fact_id, person.turn())
    told = await person.fact("age", "30 years old", fact_type="trait")
    assert (told.status, told["fact_id"]) == ("skipped", fact_id)


@pytest.mark.parametrize(
    ("key", "old", "again"),
    [
        ("pet", "a dog named Rex", "собака Рекс"),
        ("friend", "Богдан", "Bohdan"),
        ("phone", "095 410 22 33", "+380954102233"),
        ("nationality", "Ukrainian", "українка"),
        ("bedtime", "quarter past ten in the evening", "22:15"),
    ],
)
async def test_an_old_value_said_again_in_a_way_that_is_understood_since_is_skipped(
    old_rows, person, memory, key, old, again
):
    (fact_id,) = await old_rows(key, old)
    await memory.tidy()
    told = await person.fact(key, again)
    assert (told.status, told["fact_id"]) == ("skipped", fact_id)


@pytest.mark.parametrize(
    ("key", "value", "form"),
    [
        ("friend", "Богдан", "bogdan"),
        ("phone", "095 410 22 33", "PHONE:0954102233"),
        ("pet", "dogs", "dog"),
        ("nationality", "Ukrainians", "ukrainian"),
        ("location", "living in Hadiach", "hadiach"),
        ("baby_age", "18 months", "MONTHS:18"),
        ("gym", "twice a week", "tviceaveek"),
    ],
)
async def test_what_was_forgotten_by_its_form_of_a_former_version_is_not_kept_again_by_an_older_message(
    person, memory, clock, key, value, form
):
    await person.fact("some_key", "some value")

    def forget(tx):
        fact = tx.memories.list_all(tx.owners.find("person", "telegram", "123"))[0]
        tx.forgotten_values.add(replace(fact, content="", canonical=form), tx.now)

    await memory.apply(forget)
    told = await person.fact(key, value, turn=person.turn(time=clock.now - timedelta(days=1)))
    assert (told.status, await person.values()) == ("refused", ["some value"])
    assert (await person.fact(key, value, turn=person.turn(time=clock.now + timedelta(days=1)))).status == "success"
