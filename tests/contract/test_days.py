"""Days as people name them, in the operator's time zone, over every back end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from zgadka import Settings
from zgadka.errors import SettingsError

pytestmark = pytest.mark.asyncio


async def hold(person, value, key="location", **more):
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
    return await person.call("update_fact_with_temporal", **arguments | more)


async def times(person, **more):
    facts = await person.facts(**more)
    return {fact["value"]: (fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10]) for fact in facts}


@pytest.mark.partitioned
async def test_a_fact_is_dated_in_the_words_that_the_person_used(person):
    said = person.turn(time=datetime(2026, 2, 20, tzinfo=UTC))
    assert (
        await hold(person, "Kyiv", valid_from="two years ago", valid_to="last summer", turn=said)
    ).status == "success"
    assert (await hold(person, "Lviv", valid_from="з червня", turn=said)).status == "success"
    assert await times(person) == {"Lviv": ("2025-06-01", ""), "Kyiv": ("2024-02-01", "2025-06-01")}


async def test_until_the_end_of_a_year_it_is_true_on_its_last_day(person):
    await hold(person, "Kyiv", valid_to="the end of 2020")
    await hold(person, "nurse", "job", valid_to="2020")
    assert await times(person) == {"Kyiv": ("", "2021-01-01"), "nurse": ("", "2020-01-01")}


async def test_one_asks_for_a_day_in_words(person):
    await hold(person, "Kyiv", valid_to="June 2025")
    await hold(person, "Lviv", valid_from="June 2025")
    asked = {day: await person.values(as_of=day) for day in ("last spring", "минулого літа", "вчора", "this year")}
    assert asked == {"last spring": ["Kyiv"], "минулого літа": ["Lviv"], "вчора": ["Lviv"], "this year": ["Lviv"]}
    assert (await person.call("recall_episodes", since="last month", until="вчора")).status == "success"
    told = await person.call("recall", query="Lviv", since="last week", until="today")
    assert told["count"] == 1
    assert (await person.call("recall", query="Lviv", until="yesterday"))["count"] == 0


@pytest.mark.parametrize(
    "since", ["the past two weeks", "last 14 days", "за останні два тижні", "in the past month", "two weeks ago"]
)
async def test_one_asks_for_days_that_are_so_long_ago(person, clock, since):
    await hold(person, "Kyiv")
    clock.forward(days=13)
    assert (await person.call("recall", query="Kyiv", since=since))["count"] == 1
    assert (await person.call("recall", query="Kyiv", since="the last 3 days"))["count"] == 0


@pytest.mark.parametrize("day", ["soon", "03/04/2020", "31 April 2020", "before the last week", "Monday or Tuesday"])
async def test_what_is_no_day_is_answered_with_what_one_may_write(person, day):
    refused = await hold(person, "Kyiv", valid_from=day)
    assert (refused.status, "2026-11-21" in refused.message, day in refused.message) == ("invalid_args", True, True)


async def test_days_begin_and_end_in_the_operators_time_zone(make_person, open_store, clock):
    person = make_person(await open_store(time_zone="Europe/Kyiv"))
    await hold(person, "Lviv", valid_from="2025-06-01")
    (fact,) = await person.facts()
    assert fact["valid_from"] == "2025-06-01T00:00:00+03:00"
    moments = ("2025-05-31", "2025-06-01", "2025-05-31T21:00:00+00:00", "2025-05-31T20:59:59+00:00", "2025-06-01T00:00")
    assert [await person.values(as_of=moment) for moment in moments] == [[], ["Lviv"], ["Lviv"], [], ["Lviv"]]
    clock.forward(hours=11)  # the next day has begun in Kyiv
    assert (await hold(person, "Odesa", valid_from="today", previous_value="Lviv"))["fact"]["valid_from"][:10] == (
        "2026-03-02"
    )


async def test_shown_days_are_those_of_the_time_zone(make_person, open_store):
    memory = await open_store(time_zone="Europe/Kyiv")
    person = make_person(memory)
    await hold(person, "Lviv", valid_from="2025-06-01")
    assert "2025-06-01" in (await memory.build_context(person.turn(), 2000)).text
    summary = (await person.call("generate_profile_summary", user_id=123))["summary"]
    assert "2025-06-01" in summary


async def test_a_time_zone_that_nobody_knows_is_a_clear_mistake():
    with pytest.raises(SettingsError, match="time_zone='Europe/Kiew': give the name of a time zone"):
        Settings(time_zone="Europe/Kiew")
    assert Settings(time_zone="Europe/Kyiv").zone.key == "Europe/Kyiv"  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("I've lived in Lviv since 2020.", "2020-01-01"),
        ("Я живу у Львові з 2020 року.", "2020-01-01"),
        ("I have been working as a nurse since June 2019", "2019-06-01"),
        ("Працюю вчителем з червня.", "2025-06-01"),
        ("I've been vegan since March 2021 and I live in Oslo", ""),
        ("I play chess since childhood", ""),
        ("I moved to Odesa in May", "2025-05-01"),
        ("Торік я переїхала до Одеси", "2024-01-01"),
        ("I live in Odesa, my sister moved in May", ""),
    ],
)
async def test_what_a_sentence_says_since_when_is_kept(person, memory, text, since):
    said = person.turn(time=datetime(2025, 9, 14, tzinfo=UTC), message="7")
    await memory.observe(text, said)
    facts = await person.facts()
    assert facts
    assert {fact.get("valid_from", "")[:10] for fact in facts} == {since}


async def test_what_is_read_from_old_messages_is_dated_by_them(person, memory):
    now = await person.fact(value="Lviv")
    await memory.observe("I live in Kyiv.", person.turn(time=datetime(2020, 5, 1, tzinfo=UTC), message="7"), ask=False)
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2026-03-01")}
    (kyiv,) = [fact for fact in await person.facts() if fact["fact_id"] != now["fact_id"]]
    assert (await memory.history(kyiv["fact_id"], person.turn()))[-1].after.said_at == datetime(2020, 5, 1, tzinfo=UTC)
