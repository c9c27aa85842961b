"""What was true, and what is now: a changed fact keeps its past, and answers say when, over every back end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from zgadka import Member, PrivacyLevel
from zgadka.model.outcome import Changed, NotFound
from zgadka.ops.self_service import correct

pytestmark = pytest.mark.asyncio

TODAY = "2026-03-01"
NOON = "2026-03-01T12:00:00+00:00"
CHANGES = pytest.mark.parametrize("reason", ["update", "contradiction"])


async def times(person, **more):
    return {
        fact["value"]: (fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10])
        for fact in await person.facts(**more)
    }


async def held(person, value, key="location", **more):
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
    return await person.call("update_fact_with_temporal", **arguments | more)


async def row(memory, person, fact_id):
    return (await memory.history(fact_id, person.turn()))[-1].after


# What changed


@pytest.mark.partitioned
@pytest.mark.every_case
@CHANGES
async def test_a_changed_value_keeps_the_id_and_the_old_one_becomes_past(person, clock, reason):
    kept = await person.fact(value="Kyiv")
    clock.forward(days=10)
    changed = await person.update("location", "Lviv", change_reason=reason)
    assert (changed.status, changed["fact_id"], changed["old_value"]) == ("success", kept["fact_id"], "Kyiv")
    now, past = await person.facts()
    assert (now["fact_id"], now["value"], past["fact_id"]) == (kept["fact_id"], "Lviv", changed["past_fact_id"])
    assert not now.keys() & {"valid_from", "valid_to"}
    assert (past["value"], past["valid_to"]) == ("Kyiv", clock.now.isoformat())
    assert past["fact_id"] != now["fact_id"]


async def test_a_quote_and_evidence_stay_with_the_value_that_they_speak_of(person, memory):
    first = await person.fact(value="Kyiv", source_excerpt="I live in Kyiv")
    await person.fact(value="Kyiv")
    changed = await person.update("location", "Lviv")
    now, past = [await row(memory, person, changed[name]) for name in ("fact_id", "past_fact_id")]
    assert (now.id, now.content, now.excerpt, now.evidence) == (first["fact_id"], "Lviv", None, 1)
    assert (past.content, past.excerpt, past.evidence) == ("Kyiv", "I live in Kyiv", 2)
    await person.update("location", "Odesa", source_excerpt="I moved to Odesa")
    assert (await row(memory, person, first["fact_id"])).excerpt == "I moved to Odesa"


async def test_the_past_ends_when_the_message_was_written(person, clock):
    said = clock.now + timedelta(days=1)
    await person.fact(value="Kyiv")
    clock.forward(days=5)
    await person.update("location", "Lviv", turn=person.turn(time=said))
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2026-03-02")}


async def test_a_clock_that_is_ahead_keeps_nothing_true_for_longer(person, clock):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv", turn=person.turn(time=clock.now + timedelta(days=9)))
    assert (await times(person))["Kyiv"] == ("", TODAY)


@pytest.mark.every_case
@CHANGES
async def test_the_new_value_does_not_take_over_since_when_the_old_one_held(person, reason):
    await held(person, "Lviv", valid_from="2020")
    await person.update("location", "Odesa", change_reason=reason)
    assert await times(person) == {"Odesa": ("", ""), "Lviv": ("2020-01-01", TODAY)}


@pytest.mark.every_case
@CHANGES
async def test_what_is_only_past_is_not_made_the_present(person, reason):
    past = await held(person, "Kyiv", valid_to="2020")
    changed = await person.update("location", "Lviv", change_reason=reason)
    assert (changed.status, await times(person)) == ("success", {"Lviv": ("", ""), "Kyiv": ("", "2020-01-01")})
    assert changed["fact_id"] != past["fact_id"]
    again = await person.update("location", "Odesa", change_reason=reason, fact_id=past["fact_id"])
    assert (again.status, again["fact_id"]) == ("conflict", changed["fact_id"])


async def test_of_several_past_values_none_need_be_named_for_a_new_one(person):
    await held(person, "Kyiv", valid_to="2015")
    await held(person, "Lviv", valid_from="2015", valid_to="2020")
    assert (await person.update("location", "Odesa")).status == "success"
    assert await person.values(as_of="2026-02-28") == ["Odesa"]


async def test_as_of_a_day_before_the_change_the_old_value_held(person, clock):
    await person.fact(value="Kyiv")
    clock.forward(days=10)
    await person.update("location", "Lviv")
    clock.forward(days=10)
    await person.update("location", "Odesa")
    days = ("2025-01-01", "2026-03-05", "2026-03-12", "2026-03-25")
    assert [await person.values(as_of=day) for day in days] == [["Kyiv"], ["Kyiv"], ["Lviv"], ["Odesa"]]


async def test_before_a_change_only_what_was_dated_then_held(person, clock):
    await held(person, "Kyiv", valid_from="2018")
    clock.forward(days=10)
    await person.update("location", "Lviv")
    assert [await person.values(as_of=day) for day in ("2017-01-01", "2020-01-01", "2026-03-25")] == [
        [],
        ["Kyiv"],
        ["Lviv"],
    ]


async def test_as_of_a_day_before_one_of_several_values_changed_the_others_held_too(person, clock):
    for value in ("chess", "running"):
        kept = await person.fact("hobby", value)
    clock.forward(days=10)
    await person.update("hobby", "swimming", fact_id=kept["fact_id"])
    clock.forward(days=10)
    await person.update("hobby", "cycling", fact_id=kept["fact_id"])
    days = ("2026-03-05", "2026-03-12", "2026-03-25")
    assert [await person.values(as_of=day) for day in days] == [
        ["chess", "running"],
        ["chess", "swimming"],
        ["chess", "cycling"],
    ]


@pytest.mark.partitioned
async def test_undo_of_a_change_restores_the_old_value_and_leaves_no_past(person, memory, clock):
    await held(person, "Lviv", valid_from="2020", source_excerpt="Lviv since 2020")
    before = await person.facts()
    clock.forward(days=1)
    changed = await person.update("location", "Odesa")
    told = []
    memory.subscribe(lambda notice: told.append((notice.what, notice.preview)))
    undone = await memory.undo(changed["fact_id"], person.turn())
    assert isinstance(undone, Changed)
    (fact,) = await person.facts()
    assert fact | {"updated_at": ""} == before[0] | {"updated_at": ""}
    assert (await row(memory, person, changed["fact_id"])).excerpt == "Lviv since 2020"
    assert told == [("updated", "location: Lviv")]  # of the past, which nobody deleted, nobody is told


async def test_a_change_is_told_once(person, memory):
    await person.fact(value="Kyiv")
    told = []
    memory.subscribe(lambda notice: told.append((notice.what, notice.preview)))
    await person.update("location", "Lviv")
    assert told == [("updated", "location: Lviv")]


async def test_a_correction_replaces_the_value_and_its_quote_and_keeps_no_past(person, memory):
    first = await held(person, "Kyiv", valid_from="2020", source_excerpt="I live in Kyiv")
    await held(person, "Kyiv")
    fixed = await person.update("location", "Lviv", change_reason="correction")
    assert "past_fact_id" not in fixed
    assert await times(person) == {"Lviv": ("2020-01-01", "")}
    now = await row(memory, person, first["fact_id"])
    assert (now.excerpt, now.evidence) == (None, 1)
    await person.update("location", "Odesa", change_reason="correction", source_excerpt="Odesa, I said")
    assert (await row(memory, person, first["fact_id"])).excerpt == "Odesa, I said"


async def test_a_past_value_can_be_corrected_and_stays_past(person):
    await held(person, "Kyiv", valid_to="2020")
    assert (await person.update("location", "Kharkiv", change_reason="correction")).status == "success"
    assert await times(person) == {"Kharkiv": ("", "2020-01-01")}


async def test_a_refinement_and_another_spelling_are_the_same_fact_with_its_evidence_and_time(person, memory):
    first = await held(person, "Kiev", valid_from="2020", source_excerpt="I live in Kiev")
    await person.update("location", "Kyiv")
    await person.update("location", "Podil, Kyiv", change_reason="refinement")
    now = await row(memory, person, first["fact_id"])
    assert (now.content, now.excerpt, await times(person)) == (
        "Podil, Kyiv",
        "I live in Kiev",
        {"Podil, Kyiv": ("2020-01-01", "")},
    )


async def test_what_has_not_begun_is_replaced_and_stays_to_come(person):
    plan = await held(person, "pilot", "job", valid_from="2027")
    changed = await person.update("job", "captain", fact_id=plan["fact_id"])
    assert (changed["fact_id"], await times(person)) == (plan["fact_id"], {"captain": ("2027-01-01", "")})


async def test_a_key_of_one_value_conflicts_with_what_holds_now_and_with_nothing_else(person):
    await person.fact(value="Kyiv")
    now = await person.update("location", "Lviv")
    told = await person.fact(value="Kyiv")
    assert (told.status, told["fact_id"]) == ("conflict", now["fact_id"])
    await person.forget_fact("location")
    assert (await person.fact(value="Odesa")).status == "success"
    assert await times(person) == {"Odesa": ("", ""), "Kyiv": ("", TODAY)}


async def test_a_value_may_come_back_again_and_again(person, clock):
    await person.fact(value="Kyiv")
    for value in ("Lviv", "Kyiv", "Lviv", "Kyiv"):
        clock.forward(days=30)
        assert (await person.update("location", value)).status == "success"
    assert [await person.values(as_of=day) for day in ("2026-03-10", "2026-04-10", "2026-05-10", "2026-06-10")] == [
        ["Kyiv"],
        ["Lviv"],
        ["Kyiv"],
        ["Lviv"],
    ]
    assert (await held(person, "Kyiv")).status == "skipped"


async def test_back_and_forth_within_one_moment_loses_nothing(person):
    await person.fact(value="Kyiv")
    for value in ("Lviv", "Kyiv", "Lviv"):
        assert (await person.update("location", value)).status == "success"
    assert next((fact["value"], "valid_to" in fact) for fact in await person.facts()) == ("Lviv", False)
    assert await person.values() == ["Kyiv", "Lviv", "Lviv"]


async def test_the_past_takes_no_room(make_person, open_store):
    person = make_person(await open_store(max_facts=2))
    await person.fact("location", "Kyiv")
    await person.update("location", "Lviv")
    assert (await person.fact("job", "nurse")).status == "success"
    assert (await person.update("job", "teacher")).status == "success"
    full = await person.fact("hobby", "chess")
    assert (full.status, full["count"]) == ("limit_reached", 2)


async def test_at_the_limit_no_present_is_added_to_what_is_only_past(make_person, open_store):
    person = make_person(await open_store(max_facts=1))
    await held(person, "Kyiv", valid_to="2020")
    await person.fact("job", "nurse")
    full = await person.update("location", "Lviv")
    assert (full.status, full["count"], await person.values()) == ("limit_reached", 1, ["Kyiv", "nurse"])


async def test_what_an_update_left_undated_can_be_given_its_time_later(person, clock):
    await person.fact(value="Kyiv")
    clock.forward(days=10)
    await person.update("location", "Lviv")
    assert (await held(person, "Lviv")).status == "skipped"
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2026-03-11")}
    clock.forward(days=10)
    assert (await held(person, "Odesa", previous_value="Lviv")).status == "success"
    assert await times(person) == {"Odesa": ("", ""), "Lviv": ("", "2026-03-21"), "Kyiv": ("", "2026-03-11")}


async def test_an_end_that_only_an_update_gave_yields_to_the_date_that_is_said_later(person, memory):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    before = await times(person)
    dated = await held(person, "Lviv", valid_from="2025-06")
    assert await times(person) == {"Lviv": ("2025-06-01", ""), "Kyiv": ("", "2025-06-01")}
    await memory.undo(dated["fact_id"], person.turn())
    assert await times(person) == before


async def test_a_person_who_corrects_a_memory_themselves_leaves_no_old_quote(person, memory):
    kept = await person.fact(value="Kyiv", source_excerpt="I live in Kyiv")
    assert isinstance(await memory.apply(correct, person.turn(), kept["fact_id"], "Lviv"), Changed)
    now = await row(memory, person, kept["fact_id"])
    assert (now.content, now.excerpt, now.evidence) == ("Lviv", None, 1)


async def test_a_correction_by_hand_releases_what_was_merged_and_undo_joins_it_again(person, memory):
    chess, go = [(await person.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    merge = {"user_id": 123, "fact_ids": [chess, go], "merged_value": "board games", "merged_confidence": 0.9}
    assert (await person.call("merge_facts", **merge)).status == "success"
    assert isinstance(await memory.apply(correct, person.turn(), go, "x"), NotFound)
    assert isinstance(await memory.apply(correct, person.turn(), chess, "painting"), Changed)
    await memory.undo(chess, person.turn())
    assert (await person.fact("hobby", "go")).status == "skipped"
    await memory.apply(correct, person.turn(), chess, "painting")
    assert (await person.fact("hobby", "go")).status == "success"
    assert sorted(await person.values()) == ["go", "painting"]


@pytest.mark.parametrize("by_hand", [True, False])
async def test_a_corrected_age_is_as_old_as_the_correction(person, memory, clock, by_hand):
    kept = await person.fact("age", "30")
    clock.forward(days=800)
    if by_hand:
        await memory.apply(correct, person.turn(), kept["fact_id"], "31")
    else:
        await person.update("age", "31", change_reason="correction")
    assert [(fact["value"], fact.get("age_now")) for fact in await person.facts()] == [("31", None)]


# When


async def test_recall_says_when_and_what_holds_now_first(person):
    await held(person, "pilot", "job", valid_from="2027")
    await held(person, "teacher", "job", valid_to="2020")
    await held(person, "nurse", "job", valid_from="2020", valid_to="2027")
    recalled = (await person.call("recall", query="job pilot teacher"))["memories"]
    told = [(one["content"], one.get("valid_from", "")[:4], one.get("valid_to", "")[:4]) for one in recalled]
    assert told[0] == ("job: nurse", "2020", "2027")
    assert sorted(told[1:]) == [("job: pilot", "2027", ""), ("job: teacher", "", "2020")]


@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["recall_facts", "recall_facts_global"])
async def test_what_holds_now_comes_before_what_fits_better_but_is_past_or_to_come(person, tool):
    await held(person, "night pilot in Kyiv", "job", valid_from="2027")
    await held(person, "night pilot in Kyiv", "job", valid_to="2020")
    await person.fact("hobby", "night walks")
    found = await person.call(tool, user_id=123, search_query="night pilot in Kyiv")
    assert [fact["key"] for fact in found["facts"]] == ["hobby", "job", "job"]


async def test_of_what_fits_alike_what_is_to_come_does_not_take_the_place_of_today(person):
    await held(person, "nurse", "job", valid_to="2027")
    await held(person, "pilot", "job", valid_from="2027")
    assert await person.found("job", limit=1) == ["job: nurse"]


@pytest.mark.parametrize("query", ["Where do I live? Kyiv?", ""])
async def test_the_context_says_when_and_what_holds_now_first(person, memory, query):
    for _ in range(8):
        await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    await held(person, "pilot in Kyiv", "job", valid_from="2027")
    text = (await memory.build_context(person.turn(direct=True, space="123", chat="123"), 2000, query=query)).text
    assert "Kyiv" not in text  # it was said in the group
    text = (await memory.build_context(person.turn(), 2000, query=query)).text
    lines = [line for line in text.splitlines() if line.startswith("ID:")]
    assert [line.split("location: ")[1].split('"')[0] for line in lines if "location" in line] == ["Lviv", "Kyiv"]
    assert f"until at the latest {TODAY}" in next(line for line in lines if "location: Kyiv" in line)
    assert "until" not in next(line for line in lines if "Lviv" in line)
    assert "from 2027-01-01" in next(line for line in lines if "pilot" in line)
    assert "Lviv" in lines[0]


async def test_as_of_today_is_what_holds_at_the_end_of_today(person, clock):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    await held(person, "nurse", "job", valid_to="2026-03-01")
    await held(person, "pilot", "job", valid_from="2026-03-01")
    assert await person.values(as_of=TODAY) == ["Lviv", "pilot"]
    clock.forward(days=40)
    assert await person.values(as_of=TODAY) == ["Lviv", "pilot"]
    assert await person.values(as_of="2026-02-28") == ["Kyiv", "nurse"]
    assert await person.values(as_of="2026-03-01T11:00:00+00:00") == ["Kyiv", "pilot"]


async def test_a_summary_names_what_holds_now_before_the_past(person):
    for _ in range(8):
        await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    summary = (await person.call("generate_profile_summary", user_id=123))["summary"]
    assert summary.index("Lviv") < summary.index("Kyiv")
    assert f"until at the latest {TODAY}" in summary


async def test_candidates_for_deletion_say_which_one_is_past(person):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    found = (await person.call("forget", query="location"))["candidates"]
    assert {one["content"]: one.get("valid_to") for one in found} == {"location: Lviv": None, "location: Kyiv": NOON}


# To come


@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["remember", "update"])
async def test_what_is_to_come_does_not_stand_in_the_way_of_what_holds_now(person, tool):
    await held(person, "pilot", "job", valid_from="2027")
    told = await (person.fact("job", "nurse") if tool == "remember" else person.update("job", "nurse"))
    assert (told.status, await times(person)) == (
        "success",
        {"nurse": ("", "2027-01-01"), "pilot": ("2027-01-01", "")},
    )


async def test_what_ends_later_is_what_holds_now(person):
    now = await held(person, "nurse", "job", valid_to="2027")
    await held(person, "pilot", "job", valid_from="2027")
    told = await person.fact("job", "teacher")
    assert (told.status, told["fact_id"]) == ("conflict", now["fact_id"])
    assert (await person.fact("job", "nurse")).status == "skipped"
    assert (await person.update("job", "teacher")).status == "success"
    assert await times(person) == {
        "teacher": ("", "2027-01-01"),
        "pilot": ("2027-01-01", ""),
        "nurse": ("", TODAY),
    }


# Who said it, and when


async def test_each_value_keeps_when_it_was_said_and_what_it_follows(person, memory, clock):
    said = clock.now
    await person.fact(value="Kyiv")
    clock.forward(days=10)
    changed = await person.update("location", "Lviv")
    now, past = [await row(memory, person, changed[name]) for name in ("fact_id", "past_fact_id")]
    assert (now.said_at, now.follows, now.closed) == (clock.now, past.id, 0)
    assert (past.said_at, past.follows, past.closed, past.said_by) == (said, None, 1, "123")
    await person.update("location", "Lviv-Sykhiv", change_reason="refinement")
    assert (await row(memory, person, now.id)).follows == past.id


async def test_a_refinement_keeps_both_quotes(person, memory):
    first = await person.fact(value="Kyiv", source_excerpt="I live in Kyiv")
    await person.update("location", "Podil", change_reason="refinement", source_excerpt="in Podil")
    assert (await row(memory, person, first["fact_id"])).excerpt == "I live in Kyiv\nin Podil"


@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["remember", "update"])
async def test_what_was_said_before_the_current_value_becomes_past(person, clock, tool):
    clock.forward(days=5)
    now = await person.fact(value="Lviv")
    early = person.turn(time=clock.now - timedelta(days=3))
    told = await (
        person.fact(value="Kyiv", turn=early) if tool == "remember" else person.update("location", "Kyiv", turn=early)
    )
    assert (told.status, told["fact_id"] != now["fact_id"]) == ("success", True)
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", clock.now.isoformat()[:10])}
    again = await person.fact(value="Kyiv", turn=early)
    assert (again.status, again["fact_id"]) == ("skipped", told["fact_id"])


@pytest.mark.every_case
@pytest.mark.parametrize("more", [{}, {"previous_value": "Kyiv"}])
async def test_a_beginning_that_nobody_told_contradicts_nothing_that_was_said_before(person, clock, more):
    """With whatever tool it was told: it counts from the end of what was before, and no message dated it."""
    await held(person, "Kyiv", valid_to="2026-02-20") if not more else await person.fact(value="Kyiv")
    told = await held(person, "Lviv", **more)
    assert (told.status, "valid_from" in told["fact"]) == ("success", False)
    clock.forward(days=10)
    await person.update("location", "Odesa", change_reason="correction")
    early = person.turn(time=clock.now - timedelta(days=4))
    assert (await person.fact(value="Poltava", turn=early)).status == "success"
    assert (await times(person))["Poltava"] == ("", "2026-03-11")
    assert await person.values(as_of="2026-03-10") == ["Poltava"]


async def test_of_a_time_that_was_told_only_after_it_no_second_value_is_kept(person):
    await held(person, "Lviv", previous_value="Kyiv", valid_from="2025-06")
    early = person.turn(time=datetime(2024, 1, 1, tzinfo=UTC))
    assert (await person.fact(value="Odesa", turn=early)).status == "conflict"
    assert await person.values(as_of="2025-05-01") == ["Kyiv"]


@pytest.mark.every_case
@pytest.mark.parametrize("more", [{}, {"valid_from": "2020"}, {"previous_value": "Odesa"}])
async def test_what_was_said_with_its_time_before_the_current_value_becomes_past_too(person, clock, more):
    clock.forward(days=10)
    await person.fact(value="Kyiv")
    early = person.turn(time=clock.now - timedelta(days=4))
    assert (await held(person, "Lviv", turn=early, **more)).status == "success"
    told = await times(person)
    assert (told["Kyiv"], told["Lviv"]) == (
        ("", ""),
        (f"{more['valid_from']}-01-01" if "valid_from" in more else "", "2026-03-11"),
    )
    assert await person.values(as_of="2026-03-08") == ["Lviv"]
    assert await person.values(as_of="2026-03-12") == ["Kyiv"]


@pytest.mark.every_case
@pytest.mark.parametrize("key", ["location", "hobby"])
@pytest.mark.parametrize("more", [{}, {"valid_from": "2025-02-01"}])
async def test_an_end_that_was_said_before_ends_nothing_that_was_said_to_hold_after_it(person, clock, key, more):
    clock.forward(days=40)
    now = await person.fact(key=key, value="chess")
    early = person.turn(time=clock.now - timedelta(days=30))
    past = await held(person, "chess", key=key, valid_to="2026-02-01", turn=early, **more)
    told = [(fact["fact_id"], fact.get("valid_to", "")[:10]) for fact in await person.facts()]
    assert told == [(now["fact_id"], ""), (past["fact_id"], "2026-02-01")]
    assert {*await person.values(as_of="2026-01-31")} == {*await person.values(as_of="2026-02-02")} == {"chess"}


@pytest.mark.parametrize("key", ["location", "hobby"])
async def test_such_an_end_contradicts_what_was_dated_later(person, clock, key):
    clock.forward(days=40)
    await held(person, "chess", key=key, valid_from="2026-01")
    early = person.turn(time=clock.now - timedelta(days=30))
    assert (await held(person, "chess", key=key, valid_to="2026-02-01", turn=early)).status == "conflict"
    assert await times(person) == {"chess": ("2026-01-01", "")}


async def test_such_a_change_ends_nothing_that_was_said_to_hold_after_it(person, clock):
    clock.forward(days=40)
    await person.fact(value="Kyiv")
    early = person.turn(time=clock.now - timedelta(days=30))
    assert (await held(person, "Lviv", previous_value="Kyiv", valid_from="2026-02", turn=early)).status == "success"
    facts = await person.facts()
    told = [(fact["value"], fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10]) for fact in facts]
    assert sorted(told) == [("Kyiv", "", ""), ("Kyiv", "", "2026-02-01"), ("Lviv", "2026-02-01", "2026-04-10")]


async def test_what_was_said_before_does_not_end_what_was_dated_later(person, clock):
    clock.forward(days=10)
    await held(person, "Kyiv", valid_from="2010")
    early = person.turn(time=clock.now - timedelta(days=4))
    assert (await held(person, "Lviv", valid_from="2020", turn=early)).status == "conflict"
    assert await times(person) == {"Kyiv": ("2010-01-01", "")}


async def test_what_is_said_of_a_day_before_a_past_value_began_is_no_evidence_for_that(person, clock):
    await held(person, "chess", "hobby", previous_value="go")
    past = await person.update("hobby", "guitar")
    now = await person.fact("hobby", "chess")
    again = await person.fact("hobby", "chess", turn=person.turn(time=clock.now - timedelta(days=6)))
    assert (again.status, again["fact_id"]) == ("skipped", now["fact_id"])
    assert again["fact_id"] != past["past_fact_id"]


async def test_what_was_corrected_was_said_when_it_was_corrected(person, clock):
    await person.fact(value="Kyiv")
    clock.forward(days=10)
    now = await person.update("location", "Lviv", change_reason="correction")
    early = person.turn(time=clock.now - timedelta(days=4))
    assert (await person.update("location", "Odesa", turn=early))["fact_id"] != now["fact_id"]
    assert await times(person) == {"Lviv": ("", ""), "Odesa": ("", "2026-03-11")}


async def test_what_was_said_between_two_values_held_between_them(person, clock):
    await person.fact(value="Kyiv")
    clock.forward(days=10)
    await person.update("location", "Lviv")
    between = person.turn(time=clock.now - timedelta(days=4))
    assert (await person.update("location", "Odesa", turn=between)).status == "success"
    assert await times(person) == {
        "Lviv": ("", ""),
        "Kyiv": ("", "2026-03-07"),
        "Odesa": ("", "2026-03-11"),
    }
    assert [await person.values(as_of=day) for day in ("2026-03-05", "2026-03-08", "2026-03-12")] == [
        ["Kyiv"],
        ["Odesa"],
        ["Lviv"],
    ]


@pytest.mark.every_case
@pytest.mark.parametrize("key", ["job", "hobby"])
async def test_what_is_known_from_a_later_time_and_said_to_hold_now_is_both(person, key):
    await held(person, "chess", key, valid_from="2027")
    assert (await held(person, "chess", key)).status == "success"
    assert [await person.values(as_of=day) for day in ("2026-06-01", "2027-06-01")] == [["chess"], ["chess"]]
    assert (await person.fact(key, "chess")).status == "skipped"


async def test_remembering_now_what_is_known_for_later_keeps_both(person):
    await held(person, "chess", "hobby", valid_from="2027")
    assert (await person.fact("hobby", "chess")).status == "success"
    assert len(await person.facts()) == 2


async def test_two_past_ranges_of_one_value_both_stay(person):
    await held(person, "Kyiv", valid_to="2005")
    await held(person, "Kyiv", valid_from="2010", valid_to="2015")
    days = ("2004", "2007", "2012", "2016")
    assert [await person.values(as_of=day) for day in days] == [["Kyiv"], [], ["Kyiv"], []]


# What was known


@pytest.mark.partitioned
async def test_one_can_ask_what_was_known_on_a_day(person, clock):
    await person.fact(value="Kyiv")
    clock.forward(days=5)
    await person.update("location", "Lviv", change_reason="correction")
    clock.forward(days=5)
    await held(person, "Odesa", valid_from="2026-03-09", previous_value="Lviv")
    known = {day: await person.values(known_on=day) for day in ("2026-02-28", TODAY, "2026-03-06", "2026-03-11")}
    assert known == {"2026-02-28": [], TODAY: ["Kyiv"], "2026-03-06": ["Lviv"], "2026-03-11": ["Lviv", "Odesa"]}
    believed = {
        day: await person.values(as_of=day, known_on="2026-03-10") for day in ("2026-03-10", "last year", "2027")
    }
    assert believed == {"2026-03-10": ["Lviv"], "last year": ["Lviv"], "2027": ["Lviv"]}
    found = await person.call("recall_facts", user_id=123, search_query="location", known_on="березень 2026")
    assert (found["total"], found["facts"][0]["value"]) == (2, "Odesa")


async def test_recall_tells_facts_and_notes_as_they_were_known_on_a_day(person, memory, clock):
    await person.fact(value="Kyiv")
    note = await person.note("my street is quiet")
    await person.speaks("I live in a quiet street in Kyiv")
    clock.forward(days=5)
    await person.update("location", "Lviv", change_reason="correction")
    await memory.apply(correct, person.turn(), note, "my street is loud")
    asked = {"query": "where do I live, my street, location"}
    for day, told in {
        "2026-02-28": [],
        "1 березня": ["Kyiv", "quiet"],
        "yesterday": ["Kyiv", "quiet"],
        "today": ["Lviv", "loud"],
    }.items():
        found = await person.call("recall", known_on=day, **asked)
        assert sorted(one["content"].split()[-1] for one in found["memories"]) == told, day
        assert ("messages" in found, found["total"]) == (False, len(told))
    assert (await person.call("recall", known_on="today", kinds=["message"], **asked)).status == "invalid_args"
    await person.deletes(note)
    assert [one["kind"] for one in (await person.call("recall", known_on=TODAY, **asked))["memories"]] == ["fact"]


async def test_recall_tells_no_note_of_the_place_as_it_was_known_that_names_who_wants_none(person, memory, clock):
    for number in (123, 5):
        await memory.report_member("telegram", "456", Member(user=str(number), number=number, name=f"n{number}"))
    bob = person.at(user=5)
    note = {"memory_content": "the key is with <@5>", "scope": "server_wide"}
    made = await person.call("create_long_term_memory", turn=person.turn(), **note)
    clock.forward(days=5)
    changed = {"memory_id": made["memory_id"], "memory_content": "the keys are with <@5>"}
    await person.call("update_long_term_memory", **changed)
    asked = {"query": "who has the key", "known_on": TODAY}
    assert [one["content"] for one in (await person.call("recall", **asked))["memories"]] == [note["memory_content"]]
    changed["memory_content"] = "the keys are in the hall"
    await person.call("update_long_term_memory", **changed)
    await memory.set_privacy(PrivacyLevel.PARTIAL, bob.turn())
    assert (await person.call("recall", **asked))["memories"] == []


@pytest.mark.every_case
@pytest.mark.parametrize("how", ["user_requested", "outdated", "deleted"])
async def test_what_was_forgotten_since_was_never_known(person, memory, clock, how):
    first = await person.fact(value="Kyiv")
    await person.fact("hobby", "chess")
    clock.forward(days=5)
    changed = await person.update("location", "Lviv")
    clock.forward(days=5)
    if how == "deleted":
        await person.call("forget", memory_id=changed["past_fact_id"])
        await person.call("forget", memory_id=changed["past_fact_id"])
    else:
        arguments = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "reason": how}
        await person.call("forget_fact", fact_id=changed["past_fact_id"], **arguments)
    assert [await person.values(known_on=day) for day in (TODAY, "2026-03-07")] == [["chess"], ["Lviv", "chess"]]
    assert first["fact_id"] == changed["fact_id"]


async def test_lists_mark_what_is_past_or_to_come_and_what_only_a_change_ended(person):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv")
    await held(person, "pilot", "job", valid_from="2027")
    told = {fact["value"]: (fact.get("state"), fact.get("ended")) for fact in await person.facts()}
    assert told == {"Lviv": (None, None), "Kyiv": ("past", "at the latest then"), "pilot": ("to come", None)}
    recalled = (await person.call("recall", query="location job"))["memories"]
    assert {one["content"]: one.get("state") for one in recalled} == {
        "location: Lviv": None,
        "location: Kyiv": "past",
        "job: pilot": "to come",
    }


async def test_what_was_known_before_a_merge_is_told_of_both(person, clock):
    kept = [await person.fact("hobby", value, fact_type="preference") for value in ("guitar", "chess")]
    clock.forward(days=2)
    ids = [fact["fact_id"] for fact in kept]
    merged = {"user_id": 123, "merged_value": "board games", "merged_confidence": 0.9}
    assert (await person.call("merge_facts", fact_ids=ids, **merged)).status == "success"
    assert sorted(await person.values(known_on=TODAY)) == ["chess", "guitar"]


async def test_what_was_known_is_told_though_the_same_of_another_type_was_deleted(person, clock):
    skill, liking = [
        await person.fact("programming_language", "Python", fact_type=type_) for type_ in ("skill", "preference")
    ]
    clock.forward(days=2)
    await person.update("programming_language", "Python", fact_type="preference", fact_id=liking["fact_id"])
    assert (await person.deletes(skill["fact_id"])).status == "deleted"
    assert await person.values(known_on=TODAY) == await person.values() == ["Python"]


async def test_what_was_known_is_told_as_long_as_it_is_told_as_past_though_the_same_was_deleted(person, clock):
    await person.fact("hobby", "guitar")
    changed = await person.update("hobby", "chess")
    clock.forward(days=2)
    again = await person.fact("hobby", "guitar")
    clock.forward(days=2)
    await person.deletes(changed["past_fact_id"])
    await person.update("hobby", "go", fact_id=again["fact_id"])
    assert sorted(await person.values()) == ["chess", "go", "guitar"]
    assert sorted(await person.values(known_on="2026-03-04")) == ["chess", "guitar"]


async def test_with_a_forgotten_whole_all_that_was_merged_into_it_is_no_longer_known(person, clock):
    kept = [await person.fact("hobby", value) for value in ("guitar", "chess")]
    clock.forward(days=2)
    ids = [fact["fact_id"] for fact in kept]
    await person.call("merge_facts", user_id=123, fact_ids=ids, merged_value="board games", merged_confidence=0.9)
    await person.forget_fact("hobby", fact_id=ids[0], reason="incorrect")
    assert await person.values(known_on=TODAY) == []


@pytest.mark.every_case
@pytest.mark.parametrize("how", ["outdated", "deleted"])
async def test_a_whole_of_which_a_part_was_forgotten_since_is_no_longer_known(person, memory, clock, how):
    ids = [(await person.fact("hobby", value))["fact_id"] for value in ("guitar", "chess")]
    merged = {"user_id": 123, "fact_ids": ids, "merged_value": "guitar and chess", "merged_confidence": 0.9}
    assert (await person.call("merge_facts", **merged)).status == "success"
    clock.forward(hours=20)
    await memory.undo(ids[0], person.turn())
    assert await person.values(known_on=TODAY) == ["guitar and chess"]
    if how == "deleted":
        await person.deletes(ids[1])
    else:
        await person.forget_fact("hobby", fact_id=ids[1])
    assert await person.values(known_on=TODAY) == []


async def test_what_another_said_is_forgotten_with_what_the_person_made_of_it(person, clock):
    bob = await person.at(user=5).speaks()
    await person.speaks()
    kept = await bob.fact(value="Lviv", user_id=123)
    clock.forward(days=2)
    await person.update("location", "Kyiv", change_reason="refinement")
    past = await person.update("location", "Odesa")
    assert past["fact_id"] == kept["fact_id"]
    assert await person.values(known_on=TODAY) == ["Lviv"]
    await person.forget_fact("location", fact_id=past["past_fact_id"])
    assert await person.values(known_on=TODAY) == []


async def test_what_is_forgotten_again_by_undo_comes_back_by_no_older_message(person, memory, clock):
    kept = await person.fact(value="Kyiv")
    clock.forward(days=1)
    await person.forget_fact("location", reason="user_requested")
    clock.forward(hours=1)
    assert (await person.fact(value="Kyiv"))["fact_id"] == kept["fact_id"]
    assert isinstance(await memory.undo(kept["fact_id"], person.turn()), Changed)
    early = person.turn(time=clock.now - timedelta(days=3))
    assert "fact_id" not in await person.fact(value="Kyiv", turn=early)
    assert await person.values() == []


async def test_no_text_is_left_of_what_a_deleted_past_value_was_before_it_was_refined(person, memory, clock):
    kept = await person.fact(value="Kyiv")
    await person.update("location", "Kyiv, Podil", change_reason="refinement")
    past = await person.update("location", "Lviv")
    await person.update("location", "Odesa")
    await person.deletes(past["past_fact_id"])
    clock.forward(hours=25)
    await memory.tidy()
    trail = await memory.history(kept["fact_id"], person.turn(direct=True))
    assert [event.before and event.before.content for event in trail] == [None, None, None, "Lviv"]


async def test_a_change_means_the_type_that_is_named_before_what_holds_now(person):
    held_once = await held(person, "guitar", "hobby", fact_type="preference", valid_to="2020-01-01")
    now = await held(person, "go", "hobby")
    assert (await person.forget_fact("hobby", fact_type="preference"))["fact_id"] == held_once["fact_id"]
    await person.memory.undo(held_once["fact_id"], person.turn())
    told = await person.update("hobby", "chess", fact_type="preference")
    assert told["fact_id"] not in (held_once["fact_id"], now["fact_id"])
    assert [await person.values(as_of=day) for day in ("2019", TODAY)] == [["chess", "go", "guitar"], ["chess", "go"]]


async def test_of_a_key_with_one_value_a_change_means_what_holds_now_whatever_the_type(person):
    await held(person, "Kyiv", valid_to="2020-01-01")
    now = await held(person, "Lviv", fact_type="trait")
    changed = await person.update("location", "Odesa")
    assert (changed["fact_id"], changed["old_value"]) == (now["fact_id"], "Lviv")


async def test_known_on_tells_no_value_that_was_forgotten_as_if_it_were_another_fact_of_the_same_words(person, clock):
    kept = await held(person, "go", "hobby", previous_value="guitar")
    clock.forward(days=2)
    await person.update("hobby", "guitar", change_reason="refinement", fact_id=kept["fact_id"])
    clock.forward(days=2)
    await person.forget_fact("hobby", fact_id=kept["fact_id"], reason="superseded")
    assert await times(person, known_on="2026-03-04") == {"guitar": ("", TODAY)}
    assert await person.values(as_of="2026-03-02", known_on="2026-03-04") == []


async def test_known_on_never_tells_what_was_forgotten_also_when_that_can_no_longer_be_undone(person, memory, clock):
    changed = await person.fact("hobby", "chess")
    clock.forward(days=2)
    await person.update("hobby", "go", change_reason="correction", fact_id=changed["fact_id"])
    again = await person.fact("hobby", "chess")
    await person.deletes(again["fact_id"])
    assert await person.values(known_on=TODAY) == []
    clock.forward(days=2)
    await memory.tidy()
    assert await person.values(known_on=TODAY) == []


async def test_an_older_message_ends_what_was_said_again_after_it_had_been_forgotten(person, clock):
    current = await held(person, "Odesa", previous_value="Kyiv")
    said_late = clock.now + timedelta(days=1)
    clock.forward(days=2)
    await person.deletes(current["previous"]["fact_id"])
    clock.forward(days=1)
    await person.update("location", "Kyiv", change_reason="refinement")
    told = await held(person, "Lviv", turn=person.turn(time=said_late))
    assert told.status == "success", told
    assert await times(person) == {"Lviv": ("", ""), "Kyiv": ("", "2026-03-02")}
