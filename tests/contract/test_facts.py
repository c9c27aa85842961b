"""The fact rules, over every back end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from zgadka import Member

pytestmark = pytest.mark.asyncio


# Remembering


@pytest.mark.partitioned
async def test_a_new_fact_is_kept_with_everything_that_was_given(person, clock):
    result = await person.fact("Favourite City", "Kyiv", source_excerpt="Я люблю Київ", fact_type="preference")
    assert result.status == "success"
    assert await person.facts() == [
        {
            "fact_id": result["fact_id"],
            "type": "preference",
            "key": "favorite_city",
            "value": "Kyiv",
            "confidence": 0.9,
            "evidence": 1,
            "created_at": clock.now.isoformat(),
            "updated_at": clock.now.isoformat(),
        }
    ]


@pytest.mark.parametrize(
    "again", ["Kyiv", "kyiv", "KYIV", "Київ", "Kiev", "Киев", "Kyiv, Ukraine", " Kyiv ", "Київ, Україна"]
)
async def test_the_same_value_in_another_spelling_is_a_duplicate(person, again):
    first = await person.fact("location", "Kyiv")
    result = await person.fact("location", again)
    assert (result.status, result["reason"]) == ("skipped", "duplicate")
    assert result["fact_id"] == first["fact_id"]
    assert await person.values() == ["Kyiv"]


@pytest.mark.parametrize(
    ("key", "one", "two"),
    [
        ("programming_language", "Java", "JavaScript"),
        ("programming_language", "Python", "Python, Rust"),
        ("programming_language", "C", "C++"),
        ("programming_language", "C", "C#"),
        ("hobby", "chess", "chess boxing"),
        ("hobby", "chess", "guitar"),
        ("hobby", "шахи", "гітара"),
        ("a_key_nobody_knows", "one", "two"),
        ("phone", "+380 44 1", "+380 441 2"),
    ],
)
async def test_a_multi_valued_key_keeps_each_value_and_nothing_by_substring(person, key, one, two):
    assert (await person.fact(key, one)).status == "success"
    assert (await person.fact(key, two)).status == "success"
    assert await person.values() == sorted([one, two])


@pytest.mark.parametrize(
    ("key", "one", "two"),
    [
        ("location", "Kyiv", "Lviv"),
        ("age", "30", "31"),
        ("name", "Olena", "Olha"),
        ("birthday", "1 May", "2 May"),
        ("timezone", "Europe/Kyiv", "UTC"),
        ("pronouns", "she/her", "they/them"),
        ("job", "nurse", "teacher"),
    ],
)
async def test_a_second_value_of_a_single_valued_key_is_a_conflict_and_overwrites_nothing(person, key, one, two):
    first = await person.fact(key, one)
    result = await person.fact(key, two, confidence=1.0)
    assert result.status == "conflict"
    assert result["fact_id"] == first["fact_id"]
    assert result["fact"]["value"] == one
    assert one in result.message
    assert await person.values() == [one]


@pytest.mark.parametrize(
    "alias", ["Location", "city", "lives_in", "current city", "my location", "місто", "location_2"]
)
async def test_another_name_of_a_key_is_the_key(person, alias):
    await person.fact("location", "Kyiv")
    assert (await person.fact(alias, "Lviv")).status == "conflict"
    assert (await person.fact(alias, "Київ")).status == "skipped"


async def test_repeating_counts_as_evidence(person):
    await person.fact(confidence=0.6)
    for _ in range(3):
        await person.fact()
    assert [fact["evidence"] for fact in await person.facts()] == [4]


async def test_evidence_only_ever_raises_confidence(person):
    await person.fact(confidence=0.7)
    result = await person.fact(confidence=0.5)
    assert result["fact"]["confidence"] == 0.7
    await person.fact(confidence=0.95)
    assert [fact["confidence"] for fact in await person.facts()] == [0.95]


async def test_a_duplicate_keeps_the_value_as_it_was_first_said(person):
    await person.fact("location", "Київ")
    await person.fact("location", "Kyiv")
    assert await person.values() == ["Київ"]


async def test_a_value_is_never_translated(person):
    await person.fact("hobby", "гра на бандурі")
    assert await person.values() == ["гра на бандурі"]


# Forgetting and coming back


async def test_a_forgotten_fact_is_not_recalled(person):
    await person.fact()
    assert (await person.forget_fact("location")).status == "success"
    assert await person.facts() == []
    assert await person.found("Kyiv") == []


async def test_a_forgotten_fact_remembered_again_comes_back_as_a_new_version_and_is_found(person, memory):
    """Reported as success, yet the row stayed inactive and was never found."""
    first = await person.fact(value="Kyiv", confidence=0.9)
    await person.forget_fact("location")
    again = await person.fact(value="Київ", confidence=0.6)
    assert (again.status, again["fact_id"]) == ("success", first["fact_id"])
    (fact,) = await person.facts(search_query="Київ")
    assert (fact["value"], fact["confidence"], fact["evidence"]) == ("Київ", 0.6, 2)
    history = await memory.history(first["fact_id"], person.turn())
    assert [event.action for event in history] == ["created", "forgotten", "revived"]
    assert [event.after.version for event in history] == [1, 2, 3]


async def test_a_forgotten_value_does_not_stand_in_the_way_of_another(person):
    first = await person.fact(value="Kyiv")
    await person.forget_fact("location")
    second = await person.fact(value="Lviv")
    assert second.status == "success"
    assert second["fact_id"] != first["fact_id"]
    await person.forget_fact("location")
    assert (await person.fact(value="Kyiv"))["fact_id"] == first["fact_id"]


async def test_forgetting_what_is_not_known_is_not_found_and_suggests(person):
    kept = await person.fact("location", "Kyiv")
    result = await person.forget_fact("job", fact_id=kept["fact_id"])
    assert result.status == "not_found"
    assert [fact["value"] for fact in result["suggestions"]] == ["Kyiv"]
    assert await person.values() == ["Kyiv"]


async def test_forgetting_twice_finds_nothing_the_second_time(person):
    await person.fact()
    await person.forget_fact("location")
    assert (await person.forget_fact("location")).status == "not_found"


async def test_one_of_several_values_is_forgotten_by_its_id_alone(person):
    chess = (await person.fact("hobby", "chess"))["fact_id"]
    await person.fact("hobby", "guitar")
    result = await person.forget_fact("hobby")
    assert result.status == "conflict"
    assert sorted(fact["value"] for fact in result["candidates"]) == ["chess", "guitar"]
    assert await person.values() == ["chess", "guitar"]
    assert (await person.forget_fact("hobby", fact_id=chess)).status == "success"
    assert await person.values() == ["guitar"]


async def test_an_id_of_another_key_forgets_nothing(person):
    fact_id = (await person.fact("hobby", "chess"))["fact_id"]
    await person.fact("location", "Kyiv")
    result = await person.forget_fact("location", fact_id=fact_id)
    assert result.status == "not_found"
    assert {fact["value"] for fact in result["suggestions"]} == {"chess", "Kyiv"}
    assert await person.values() == ["Kyiv", "chess"]


async def test_a_replacement_is_written_into_the_audit_trail(person, memory):
    old = (await person.fact("hobby", "chess"))["fact_id"]
    new = (await person.fact("hobby", "go"))["fact_id"]
    await person.forget_fact("hobby", fact_id=old, reason="superseded", replacement_fact_id=new)
    assert (await memory.history(old, person.turn()))[-1].reason == f"superseded: replaced by {new}"


@pytest.mark.every_case
@pytest.mark.parametrize("replacement", [0, -1, 999, 2**60])
async def test_a_replacement_must_be_known(person, replacement):
    await person.fact()
    assert (await person.forget_fact("location", replacement_fact_id=replacement)).status == "invalid_args"
    assert await person.values() == ["Kyiv"]


async def test_a_fact_cannot_replace_itself(person):
    fact_id = (await person.fact())["fact_id"]
    assert (await person.forget_fact("location", replacement_fact_id=fact_id)).status == "invalid_args"


@pytest.mark.partitioned
async def test_a_note_or_somebody_elses_fact_cannot_replace_a_fact(person):
    await person.fact()
    note = await person.note("chess")
    theirs = (await person.at(user=124).fact("hobby", "go"))["fact_id"]
    for replacement in (note, theirs):
        assert (await person.forget_fact("location", replacement_fact_id=replacement)).status == "invalid_args"


# Updating


@pytest.mark.parametrize("confidence", [0.5, 0.9, 1.0])
async def test_an_update_applies_whatever_the_old_confidence_was(person, confidence):
    """A lower confidence “succeeded” unstored."""
    fact_id = (await person.fact(confidence=0.9))["fact_id"]
    result = await person.update("location", "Lviv", confidence=confidence)
    assert (result.status, result["fact_id"], result["old_value"]) == ("success", fact_id, "Kyiv")
    assert result["fact"]["confidence"] == confidence
    now = [(fact["value"], fact["confidence"]) for fact in await person.facts(as_of="2026-03-01")]
    assert now == [("Lviv", confidence)]


async def test_a_corrected_fact_is_found_by_the_new_value_and_no_longer_by_the_old(person):
    await person.fact(value="Kyiv")
    await person.update("location", "Lviv", change_reason="correction")
    assert await person.found("Lviv") == ["location: Lviv"]
    assert await person.found("Kyiv") == []


async def test_updating_a_missing_fact_is_not_found_with_a_hint(person):
    result = await person.update("location", "Lviv")
    assert result.status == "not_found"
    assert "remember_fact" in result.message
    assert await person.facts() == []


async def test_updating_a_forgotten_fact_is_not_found(person):
    await person.fact()
    await person.forget_fact("location")
    assert (await person.update("location", "Lviv")).status == "not_found"


async def test_updating_one_of_several_values_needs_its_id(person):
    chess = (await person.fact("hobby", "chess"))["fact_id"]
    await person.fact("hobby", "guitar")
    assert (await person.update("hobby", "go")).status == "conflict"
    assert await person.values() == ["chess", "guitar"]
    assert (await person.update("hobby", "go", fact_id=chess)).status == "success"
    assert await person.values(as_of="2026-03-01") == ["go", "guitar"]


async def test_updating_to_the_value_of_another_fact_is_a_conflict_that_changes_nothing(person):
    chess = (await person.fact("hobby", "chess"))["fact_id"]
    guitar = (await person.fact("hobby", "guitar"))["fact_id"]
    result = await person.update("hobby", "Guitar", fact_id=chess)
    assert (result.status, result["fact_id"]) == ("conflict", guitar)
    assert await person.values() == ["chess", "guitar"]


async def test_updating_to_the_value_of_a_forgotten_fact_works(person):
    chess = (await person.fact("hobby", "chess"))["fact_id"]
    await person.fact("hobby", "guitar")
    await person.forget_fact("hobby", fact_id=chess)
    assert (await person.update("hobby", "chess")).status == "success"
    assert await person.values(as_of="2026-03-01") == ["chess"]


async def test_an_update_to_another_spelling_of_the_value_is_kept(person):
    await person.fact(value="Kiev")
    assert (await person.update("location", "Kyiv")).status == "success"
    assert await person.values() == ["Kyiv"]


async def test_the_old_value_can_be_remembered_again_after_an_update_of_a_multi_valued_key(person):
    await person.fact("hobby", "chess")
    await person.update("hobby", "go")
    assert (await person.fact("hobby", "chess")).status == "success"
    assert await person.values(as_of="2026-03-01") == ["chess", "go"]


# Merging


async def hobbies(person, *values):
    return [(await person.fact("hobby", value, confidence=0.6))["fact_id"] for value in values]


async def merge(person, ids, value, **more):
    arguments = {"user_id": 123, "fact_ids": ids, "merged_value": value, "merged_confidence": 0.8}
    return await person.call("merge_facts", **arguments | more)


@pytest.mark.partitioned
async def test_a_merge_leaves_one_fact_with_the_evidence_of_all(person):
    ids = await hobbies(person, "chess", "blitz chess", "rapid chess")
    await person.fact("hobby", "chess")
    result = await merge(person, ids, "chess (blitz, rapid)")
    assert (result.status, result["fact_id"], result["merged_fact_ids"]) == ("success", ids[0], ids[1:])
    (fact,) = await person.facts()
    assert (fact["value"], fact["confidence"], fact["evidence"]) == ("chess (blitz, rapid)", 0.8, 4)


async def test_a_merge_may_take_the_value_of_one_of_the_merged(person):
    ids = await hobbies(person, "chess", "guitar")
    assert (await merge(person, ids, "guitar")).status == "success"
    assert await person.values() == ["guitar"]


async def test_a_merge_into_the_value_of_a_fact_outside_is_a_conflict(person):
    *ids, outside = await hobbies(person, "chess", "guitar", "go")
    result = await merge(person, ids, "Go")
    assert (result.status, result["fact_id"]) == ("conflict", outside)
    assert await person.values() == ["chess", "go", "guitar"]


@pytest.mark.every_case
@pytest.mark.parametrize("missing", [999, 0, -1, 2**60])
async def test_a_merge_with_an_unknown_fact_changes_nothing(person, missing):
    ids = await hobbies(person, "chess")
    assert (await merge(person, [*ids, missing], "x")).status == "not_found"
    assert await person.values() == ["chess"]


@pytest.mark.partitioned
async def test_a_merge_with_a_forgotten_fact_a_note_or_somebody_elses_fact_changes_nothing(person):
    chess, go = await hobbies(person, "chess", "go")
    await person.forget_fact("hobby", fact_id=go)
    note = await person.note("plays go")
    theirs = (await person.at(user=124).fact("hobby", "go"))["fact_id"]
    elsewhere = (await person.at(space="other").fact("hobby", "go"))["fact_id"]
    for other in (go, note, theirs, elsewhere):
        assert (await merge(person, [chess, other], "x")).status == "not_found"
    assert await person.values() == ["chess"]


@pytest.mark.parametrize("ids", [[1], [1, 1], [1, 2, 3, 4, 5, 6], []])
async def test_a_merge_wants_two_to_five_different_facts(person, ids):
    await hobbies(person, "chess", "guitar")
    assert (await merge(person, ids, "x")).status == "invalid_args"
    assert await person.values() == ["chess", "guitar"]


@pytest.mark.partitioned
async def test_what_was_merged_stays_merged_and_a_part_said_again_is_evidence_for_the_whole(person):
    ids = await hobbies(person, "chess", "guitar")
    await merge(person, ids, "board games")
    for value in ("guitar", "chess"):
        again = await person.fact("hobby", value)
        assert (again.status, again["reason"], again["fact_id"]) == ("skipped", "duplicate", ids[0])
    (other,) = await hobbies(person, "go")
    await merge(person, [other, ids[0]], "pastimes")
    for value in ("chess", "guitar", "board games", "go"):
        assert (await person.fact("hobby", value))["fact_id"] == other
    dated = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    again = await person.call("update_fact_with_temporal", fact_value="chess", **dated)
    assert (again.status, again["fact_id"]) == ("skipped", other)
    (left,) = await hobbies(person, "banjo")
    change = await person.update("hobby", "guitar", fact_id=left)
    assert (change.status, change["fact_id"]) == ("conflict", other)
    facts = await person.facts()
    assert {fact["value"]: fact["evidence"] for fact in facts} == {"pastimes": 10, "banjo": 1}


async def test_a_part_said_before_the_whole_was_changed_is_evidence_for_the_whole_that_is_past(person, clock):
    ids = await hobbies(person, "chess", "guitar")
    await merge(person, ids, "board games")
    changed = await person.update("hobby", "painting", fact_id=ids[0])
    again = await person.fact("hobby", "guitar", turn=person.turn(time=clock.now - timedelta(days=3)))
    assert (again.status, again["fact_id"]) == ("skipped", changed["past_fact_id"])
    clock.forward(days=1)
    assert (await person.fact("hobby", "guitar")).status == "success"
    assert sorted(await person.values(as_of="2026-03-02")) == ["guitar", "painting"]


async def test_a_merge_that_was_taken_back_holds_no_more(person):
    ids = await hobbies(person, "chess", "guitar")
    await merge(person, ids, "board games")
    await person.memory.undo(ids[0], person.turn())
    await person.forget_fact("hobby", fact_id=ids[1])
    assert (await person.fact("hobby", "guitar"))["fact_id"] == ids[1]
    assert (await person.fact("hobby", "chess"))["fact_id"] == ids[0]
    assert await person.values() == ["chess", "guitar"]


async def test_what_was_merged_into_another_value_since_is_a_fact_of_its_own(person):
    ids = await hobbies(person, "chess", "guitar")
    await merge(person, ids, "board games")
    await person.update("hobby", "painting", fact_id=ids[0])
    await person.memory.undo(ids[0], person.turn())
    assert (await person.fact("hobby", "chess"))["fact_id"] == ids[0]
    await person.update("hobby", "painting", fact_id=ids[0])
    assert (await person.fact("hobby", "chess")).status == "success"
    assert await person.values(as_of="2026-03-01") == ["chess", "painting"]


@pytest.mark.parametrize("how", ["forget", "forget_fact"])
async def test_with_a_whole_its_parts_are_forgotten(person, how):
    ids = await hobbies(person, "chess", "guitar")
    await merge(person, ids, "board games")
    if how == "forget":
        await person.deletes(ids[0])
        for part in ids:
            assert (await person.memory.history(part, person.turn()))[-1].after is None
    else:
        await person.forget_fact("hobby", fact_id=ids[0], reason="user_requested")
    await person.memory.undo(ids[0], person.turn())
    assert (await person.fact("hobby", "chess"))["fact_id"] == ids[0]
    assert await person.values() == ["board games"]


async def test_a_merge_holds_as_long_as_any_of_what_it_stands_for(person):
    given = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    spans = {"chess": ("2010-01-01", "2015-01-01"), "go": ("2012-01-01", "2020-01-01")}
    ids = [
        (await person.call("update_fact_with_temporal", fact_value=value, valid_from=start, valid_to=end, **given))[
            "fact_id"
        ]
        for value, (start, end) in spans.items()
    ]
    (current,) = await hobbies(person, "guitar")
    assert (await merge(person, [current, *ids], "games")).status == "invalid_args"
    fact = (await merge(person, ids, "board games"))["fact"]
    assert (fact["valid_from"][:10], fact["valid_to"][:10]) == ("2010-01-01", "2020-01-01")


# Limits


async def test_at_the_limit_the_answer_is_an_error_with_the_counts_and_nothing_is_evicted(make_person, open_store):
    person = make_person(await open_store(max_facts=3))
    for value in ("a", "b", "c"):
        await person.fact("hobby", f"hobby {value}")
    result = await person.fact("hobby", "hobby d")
    assert (result.status, result["count"], result["limit"]) == ("limit_reached", 3, 3)
    assert "3 of 3" in result.message
    assert await person.values() == ["hobby a", "hobby b", "hobby c"]


async def test_at_the_limit_duplicates_and_conflicts_are_still_recognised(make_person, open_store):
    """The oldest was evicted even when the new one was a duplicate."""
    person = make_person(await open_store(max_facts=2))
    await person.fact("hobby", "chess")
    await person.fact("location", "Kyiv")
    assert (await person.fact("hobby", "Chess")).status == "skipped"
    assert (await person.fact("location", "Lviv")).status == "conflict"
    assert (await person.update("location", "Lviv")).status == "success"


async def test_a_forgotten_deleted_or_merged_fact_makes_room(make_person, open_store):
    person = make_person(await open_store(max_facts=2))
    one, two = await hobbies(person, "chess", "guitar")
    await merge(person, [one, two], "both")
    (three,) = await hobbies(person, "go")
    await person.forget_fact("hobby", fact_id=three)
    (four,) = await hobbies(person, "cycling")
    await person.deletes(four)
    assert (await person.fact("hobby", "swimming")).status == "success"
    assert (await person.fact("hobby", "running")).status == "limit_reached"


async def test_a_revival_at_the_limit_is_refused_too(make_person, open_store):
    person = make_person(await open_store(max_facts=1))
    await person.fact("hobby", "chess")
    await person.forget_fact("hobby")
    await person.fact("hobby", "go")
    assert (await person.fact("hobby", "chess")).status == "limit_reached"


@pytest.mark.partitioned
async def test_the_limit_is_per_person_and_persona_and_notes_have_their_own(make_person, open_store):
    person = make_person(await open_store(max_facts=1, max_notes=1))
    await person.fact("hobby", "chess")
    assert (await person.fact("hobby", "go")).status == "limit_reached"
    assert (await person.at(user=124).fact("hobby", "go")).status == "success"
    assert (await person.at(persona=5).fact("hobby", "go")).status == "success"
    await person.note("one")
    result = await person.call("remember", content="two")
    assert (result.status, result["count"]) == ("limit_reached", 1)
    assert (await person.call("remember", content="One")).status == "skipped"


# Others


async def test_an_unknown_person_cannot_be_read_or_changed(person, memory):
    for user_id in (999, 0, -1, 2**63, 2**64 - 1):
        for result in (
            await person.fact(user_id=user_id),
            await person.update("location", "x", user_id=user_id),
            await person.forget_fact("location", user_id=user_id),
            await merge(person, [1, 2], "x", user_id=user_id),
            await person.call("recall_facts", user_id=user_id),
        ):
            assert result.status == "invalid_target"
    assert (await memory.look(lambda tx: tx.maintenance.counts()))["facts"] == 0


@pytest.mark.partitioned
async def test_somebody_known_only_in_another_space_is_unknown_here(person):
    await (await person.at(user=124, space="other").speaks()).fact()
    assert (await person.call("recall_facts", user_id=124)).status == "invalid_target"
    assert (await person.fact(user_id=124)).status == "invalid_target"


@pytest.mark.partitioned
async def test_the_same_number_on_another_platform_is_another_person(person, memory):
    await memory.report_member("discord", "456", Member(user="124", number=124))
    assert (await person.fact(user_id=124)).status == "invalid_target"


async def test_a_reported_member_may_be_spoken_about(person, memory):
    await memory.report_member("telegram", "456", Member(user="124", number=124, name="Olena"))
    assert (await person.fact(user_id=124)).status == "success"
    assert await person.values(user_id=124) == ["Kyiv"]
    assert await person.facts() == []


@pytest.mark.parametrize("kind", ["bot", "bridge"])
async def test_a_bot_or_bridge_is_nobody_to_remember_personal_facts_about(person, memory, kind):
    await memory.report_member("telegram", "456", Member(user="124", number=124, kind=kind))
    assert (await person.fact(user_id=124)).status == "invalid_target"


async def test_a_member_with_a_textual_id_is_named_by_its_number(person, memory, make_person):
    number = make_person(memory, user="@olena:matrix.org").turn().user_number
    await memory.report_member("telegram", "456", Member(user="@olena:matrix.org", number=number))
    assert (await person.fact(user_id=number)).status == "success"
    assert await person.at(user="@olena:matrix.org").values() == ["Kyiv"]


async def test_a_member_who_left_can_no_longer_be_read_or_changed_by_others(person, memory, clock):
    other = await person.at(user=124).speaks()
    await other.fact()
    assert await person.values(user_id=124) == ["Kyiv"]
    await memory.report_member("telegram", "456", Member(user="124", number=124, left_at=clock.now))
    assert (await person.call("recall_facts", user_id=124)).status == "invalid_target"
    assert await other.values() == ["Kyiv"]


async def test_others_may_correct_what_others_said_where_the_operator_allows_it_and_the_trail_names_them(
    person, memory
):
    other = await person.at(user=124).speaks()
    third = await person.at(user=125).speaks()
    fact_id = (await third.fact(value="Kyiv", user_id=124))["fact_id"]
    assert (await person.update("location", "Lviv", user_id=124)).status == "success"
    assert [event.actor for event in await memory.history(fact_id, other.turn())] == ["125", "123"]


async def test_nobody_changes_others_where_the_operator_forbids_it(make_person, open_store):
    person = make_person(await open_store(others_may_change="never"))
    other = await person.at(user=124).speaks()
    ids = [(await other.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    for result in (
        await person.fact(user_id=124),
        await person.update("hobby", "x", user_id=124, fact_id=ids[0]),
        await person.forget_fact("hobby", user_id=124, fact_id=ids[0]),
        await merge(person, ids, "x", user_id=124),
    ):
        assert result.status == "invalid_target"
        assert "only they themselves" in result.message
    assert await person.values(user_id=124) == ["chess", "go"]
    assert (await person.fact()).status == "success"


async def test_a_refused_change_counts_neither_as_a_fact_nor_as_an_event(make_person, open_store):
    memory = await open_store(others_may_change="never")
    person = make_person(memory)
    await memory.report_member("telegram", "456", Member(user="124", number=124))
    await person.fact(user_id=124)
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    assert (counts["facts"], counts["events"]) == (0, 0)


# Personas


async def test_what_every_persona_knows_is_known_to_each(person):
    persona = person.at(persona=5)
    first = await person.fact(value="Kyiv")
    assert (await persona.fact(value="Київ"))["fact_id"] == first["fact_id"]
    assert (await persona.fact(value="Lviv")).status == "conflict"
    assert await persona.values() == ["Kyiv"]


async def test_what_one_persona_knows_no_other_does(person):
    await person.at(persona=5).fact(value="Kyiv")
    assert await person.facts() == []
    assert await person.at(persona=6).facts() == []
    assert (await person.at(persona=6).fact(value="Lviv")).status == "success"
    assert await person.at(persona=5).values() == ["Kyiv"]


# Notes


async def test_a_note_is_kept_in_the_persons_words(person):
    await person.note("Бабуся пече найкращі пиріжки", tags=["родина", "родина"], permanent=True)
    result = await person.call("recall", query="пиріжки")
    assert result["memories"][0]["content"] == "Бабуся пече найкращі пиріжки"
    assert result["memories"][0]["tags"] == ["родина"]


async def test_the_same_note_again_is_a_duplicate_and_adds_its_tags(person):
    first = await person.note("Plays chess", tags=["game"])
    result = await person.call("remember", content="plays chess!", tags=["hobby"])
    assert (result.status, result["reason"], result["memory_id"]) == ("skipped", "duplicate", first)
    found = await person.call("recall", query="chess")
    assert found["memories"][0]["tags"] == ["game", "hobby"]


@pytest.mark.parametrize("echo", ["{userName}", "{{user}}", "<name>", "%s", "$USER", "${name}", "[NAME]"])
async def test_an_echoed_placeholder_is_never_stored(person, echo):
    for result in (
        await person.call("remember", content=echo),
        await person.fact("name", echo),
        await person.update("name", echo),
        await merge(person, [1, 2], echo),
    ):
        assert result.status == "invalid_args"
        assert "placeholder" in result.message


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u200b", "\ufeff\u200d", "\x01\x1f"])
async def test_a_text_that_shows_nothing_is_never_stored(person, blank):
    for result in (
        await person.call("remember", content=blank),
        await person.fact("name", blank),
        await person.update("name", blank),
        await person.fact(blank, "x"),
    ):
        assert result.status == "invalid_args"
