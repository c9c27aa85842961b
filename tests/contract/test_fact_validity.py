"""Facts that hold for a time, over every back end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_run import cases

from zgadka import Settings, open_memory
from zgadka.model.outcome import Changed


async def hold(person, value, key="location", **more):
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
    return await person.call("update_fact_with_temporal", **arguments | more)


async def times(person, **more):
    facts = await person.facts(**more)
    return {fact["value"]: (fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10]) for fact in facts}


@pytest.mark.asyncio
async def test_i_used_to_live_in_kyiv_now_lviv_keeps_both(person):
    await person.fact("location", "Kyiv")
    result = await hold(person, "Lviv", previous_value="Київ", valid_from="2025-06")
    assert (result.status, [one["value"] for one in result["changed"]]) == ("success", ["Kyiv"])
    assert await times(person) == {"Lviv": ("2025-06-01", ""), "Kyiv": ("", "2025-06-01")}
    assert [fact["value"] for fact in await person.facts()] == ["Lviv", "Kyiv"]


@pytest.mark.asyncio
async def test_what_was_before_is_kept_even_where_it_had_not_been_known(person):
    result = await hold(person, "Lviv", previous_value="Kyiv")
    assert (result["previous"]["value"], result["previous"]["ended"]) == ("Kyiv", "at the latest then")
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2026-03-01")}


@pytest.mark.partitioned
@pytest.mark.asyncio
async def test_one_undo_takes_back_both(memory, person):
    await person.fact("location", "Kyiv")
    result = await hold(person, "Lviv", valid_from="2025-06-01")
    assert isinstance(await memory.undo(result["fact_id"], person.turn()), Changed)
    assert await times(person) == {"Kyiv": ("", "")}


@pytest.mark.asyncio
async def test_recall_answers_as_of_a_date(person):
    await hold(person, "Kyiv", valid_from="2010", valid_to="2020-05-01")
    await hold(person, "Lviv", valid_from="2020-05-01")
    asked = ("2009-12-31", "2010-01-01", "2020-04-30T23:59:59+00:00", "2020-05-01", "2026")
    assert [await person.values(as_of=day) for day in asked] == [[], ["Kyiv"], ["Kyiv"], ["Lviv"], ["Lviv"]]


@pytest.mark.asyncio
async def test_the_same_said_again_is_known(person):
    first = await hold(person, "Lviv", previous_value="Kyiv", valid_from="2025")
    for again in (
        {},
        {"valid_from": "2025"},
        {"previous_value": "Kyiv"},
        {"previous_value": "Київ", "valid_from": "2025"},
    ):
        result = await hold(person, "Львів", **again)
        assert (result.status, result["fact_id"]) == ("skipped", first["fact_id"])
    assert len(await person.facts()) == 2


@pytest.mark.asyncio
async def test_a_fact_that_is_known_can_be_ended(person):
    kept = await person.fact("location", "Kyiv")
    result = await hold(person, "Kyiv", valid_to="2020")
    assert (result.status, result["fact_id"]) == ("success", kept["fact_id"])
    assert (await person.fact("location", "Lviv")).status == "success"


@pytest.mark.asyncio
async def test_of_two_values_that_ended_together_none_takes_all_the_time_of_the_other(person):
    first = await hold(person, "Lviv", valid_to="2026-02-01")
    second = await hold(person, "Odesa", valid_from="2026-01-01", valid_to="2026-02-01")
    assert (first.status, second.status) == ("success", "conflict")
    assert await person.values(as_of="2026-01-15") == ["Lviv"]


@pytest.mark.asyncio
async def test_a_known_one_without_a_beginning_counts_from_the_end_of_the_past(person):
    await person.fact("location", "Lviv")
    await hold(person, "Kyiv", valid_to="2020")
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2020-01-01")}
    assert [await person.values(as_of=day) for day in ("2019", "2020")] == [["Kyiv"], ["Lviv"]]


@pytest.mark.asyncio
async def test_what_replaced_it_before_it_was_told_did_so_by_then(person):
    await person.fact("location", "Lviv")
    await hold(person, "Lviv", previous_value="Kyiv")
    assert await times(person) == {"Lviv": ("2026-03-01", ""), "Kyiv": ("", "2026-03-01")}


@pytest.mark.asyncio
async def test_somebody_may_live_in_a_place_twice(person):
    await hold(person, "Kyiv", valid_from="2000", valid_to="2005")
    await hold(person, "Lviv", valid_from="2005", valid_to="2010")
    assert (await hold(person, "Kyiv", valid_from="2010")).status == "success"
    assert await person.values(as_of="2001") == ["Kyiv"]
    assert await person.values(as_of="2006") == ["Lviv"]
    assert await person.values(as_of="2011") == ["Kyiv"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("value", "more"),
    [
        ("Odesa", {"valid_from": "2012", "valid_to": "2013"}),
        ("Odesa", {"valid_from": "2019"}),
        ("Odesa", {"previous_value": "Kyiv"}),
        ("Kyiv", {"valid_from": "2012", "valid_to": "2025"}),
    ],
)
async def test_two_values_at_once_are_a_conflict_that_names_both(person, value, more):
    await hold(person, "Kyiv", valid_from="2010", valid_to="2020")
    await hold(person, "Lviv", valid_from="2020")
    before = await person.facts()
    result = await hold(person, value, **more)
    assert (result.status, len(result["fact_ids"])) == ("conflict", len(result["facts"]))
    assert await person.facts() == before


@pytest.mark.asyncio
async def test_of_many_valued_keys_only_the_one_named_is_ended(person):
    for value in ("guitar", "chess"):
        await person.fact("hobby", value)
    await hold(person, "piano", "hobby", previous_value="guitar")
    assert await times(person) == {"guitar": ("", "2026-03-01"), "chess": ("", ""), "piano": ("", "")}
    assert await person.values(as_of="2026-02-28") == ["chess", "guitar"]
    assert (await hold(person, "chess", "hobby", previous_value="piano", valid_from="2020")).status == "conflict"


@pytest.mark.asyncio
async def test_update_and_forget_mean_the_value_that_holds_now(person):
    await hold(person, "Lviv", previous_value="Kyiv")
    assert (await person.update("location", "Odesa")).status == "success"
    assert (await person.forget_fact("location")).status == "success"
    assert await person.values(as_of="2026-03-01") == []
    assert await person.values() == ["Kyiv", "Lviv"]


@pytest.mark.asyncio
async def test_a_forgotten_one_comes_back_with_its_time(person):
    kept = await person.fact("location", "Kyiv")
    await person.forget_fact("location")
    result = await hold(person, "Kyiv")
    assert (result.status, result["fact_id"]) == ("success", kept["fact_id"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "more",
    [
        {"valid_from": "2020", "valid_to": "2020"},
        {"valid_from": "2021-01-01", "valid_to": "2020-01-01"},
        {"valid_from": "some day"},
        {"previous_value": "kyiv"},
        {"valid_to": "2020", "previous_value": "Odesa"},
        {"previous_value": "{city}"},
    ],
)
async def test_times_that_cannot_be_meant_are_refused(person, more):
    assert (await hold(person, "Kyiv", **more)).status == "invalid_args"
    assert await person.facts() == []


@pytest.mark.partitioned
@pytest.mark.asyncio
async def test_at_the_limit_neither_of_the_two_is_kept(open_store, make_person):
    person = make_person(await open_store(max_facts=1))
    await person.fact("job", "nurse")
    result = await hold(person, "Lviv", previous_value="Kyiv")
    assert (result.status, result["limit"]) == ("limit_reached", 1)
    assert await person.values() == ["nurse"]


@pytest.mark.asyncio
async def test_what_is_past_takes_no_room(open_store, make_person):
    person = make_person(await open_store(max_facts=1))
    assert (await hold(person, "Lviv", previous_value="Kyiv")).status == "success"
    assert await person.values() == ["Kyiv", "Lviv"]


@pytest.mark.asyncio
async def test_nobody_unknown_is_written_about(person):
    assert (await hold(person, "Kyiv", user_id=99)).status == "invalid_target"


days = st.none() | st.integers(0, 9).map(lambda year: f"{2018 + year}")
calls = st.lists(
    st.tuples(st.sampled_from("ABCD"), days, days, st.none() | st.sampled_from("ABCD")), min_size=1, max_size=8
)


@pytest.mark.asyncio
@settings(max_examples=cases(20, long=500), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=calls)
async def test_whatever_is_said_one_value_holds_at_any_time(make_person, clock, calls):
    async with open_memory("sqlite://:memory:", settings=Settings(calls_per_answer=0), clock=clock) as memory:
        person = make_person(memory)
        for value, start, end, previous in calls:
            clock.forward(days=73)
            more = {"valid_from": start, "valid_to": end, "previous_value": previous and f"town {previous}"}
            if (start, end, previous) == (None, None, None):
                result = await person.update("location", f"town {value}")
                assert result.status in ("success", "conflict", "not_found")
                continue
            result = await hold(person, f"town {value}", **more)
            assert result.status in ("success", "skipped", "conflict", "invalid_args")
        facts = await person.facts()
        for moment in (datetime(2017, 6, 1, tzinfo=UTC) + timedelta(days=73 * step) for step in range(70)):
            held = await person.facts(as_of=moment.isoformat())
            assert len(held) <= 1, (facts, moment)
        assert len([fact for fact in facts if "valid_to" not in fact]) <= 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "time", [{"valid_from": "0001-01-01T00:00:00+14:00"}, {"valid_to": "9999-12-31T23:59:59-14:00"}]
)
async def test_a_time_that_no_calendar_has_in_utc_is_refused_and_poisons_no_reading(person, time):
    assert (await hold(person, "Lviv", **time)).status == "invalid_args"
    assert await person.facts() == []
    (day,) = time.values()
    assert (await person.call("recall_episodes", since=day)).status == "invalid_args"
    assert (await person.call("recall_facts", user_id=123, as_of=day)).status == "invalid_args"


@pytest.mark.asyncio
async def test_a_time_with_a_zone_is_answered_as_it_is_recalled_later(person):
    said = await hold(person, "Lviv", valid_from="2025-06-01T00:00:00+03:00")
    (later,) = await person.facts()
    assert said["fact"]["valid_from"] == later["valid_from"] == "2025-05-31T21:00:00+00:00"


@pytest.mark.asyncio
async def test_what_ends_later_is_known_when_it_is_said_without_a_time(person):
    first = await hold(person, "Lviv", valid_to="2027")
    again = await hold(person, "Lviv")
    assert (again.status, again["fact_id"]) == ("skipped", first["fact_id"])
    assert await times(person) == {"Lviv": ("", "2027-01-01")}


@pytest.mark.asyncio
async def test_what_was_before_begins_where_an_earlier_time_of_the_same_value_ended(person):
    await hold(person, "Lviv", valid_to="2018")
    await hold(person, "Lviv", previous_value="Kyiv")
    assert [await person.values(as_of=day) for day in ("2017", "2019", "2026-03-01")] == [["Lviv"], ["Kyiv"], ["Lviv"]]


@pytest.mark.asyncio
async def test_no_fact_is_kept_that_would_end_before_it_began(person):
    await person.fact("location", "Kyiv")
    told = await hold(person, "Kyiv", valid_to="2019", previous_value="Odesa")
    assert (told.status, await times(person)) == ("invalid_args", {"Kyiv": ("", "")})
    await hold(person, "Lviv", valid_from="2018", valid_to="2020")
    assert (await hold(person, "Poltava", valid_to="2020")).status == "conflict"
    assert await times(person) == {"Kyiv": ("", ""), "Lviv": ("2018-01-01", "2020-01-01")}


@pytest.mark.asyncio
async def test_the_same_value_for_other_readers_is_a_conflict_and_no_error(person):
    closed = person.at(audience=("mods",), chat="mods")
    await closed.fact("hobby", "tennis")
    await person.fact("hobby", "tennis")
    said = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    said |= {"fact_value": "chess", "valid_from": "2012-04-01", "previous_value": "tennis"}
    assert (await closed.call("update_fact_with_temporal", **said)).status == "conflict"
    assert await person.values() == ["tennis"]
