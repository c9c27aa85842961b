"""The lean tools are others in fewer words: what holds for those holds for them."""

from __future__ import annotations

from typing import Any

import pytest

from zgadka import Member, PrivacyLevel
from zgadka.ops import notes
from zgadka.ops.tasks import enqueue_call
from zgadka.settings import Settings

pytestmark = pytest.mark.asyncio


async def kept(person: Any, content: str, **more: Any) -> int:
    result = await person.call("keep", content=content, **more)
    assert result.status == "success", result
    return result["memory_id"]


@pytest.mark.partitioned
async def test_with_a_key_a_fact_is_kept_and_without_one_a_note(person):
    await kept(person, "Lviv", fact_key="city")
    await kept(person, "Plays the lute on Sundays")
    (fact,) = await person.facts()
    assert (fact["key"], fact["value"], fact["type"]) == ("location", "Lviv", "personal")
    found = await person.call("find", query="lute or Lviv")
    assert {(row["kind"], row["content"]) for row in found["memories"]} == {
        ("fact", "location: Lviv"),
        ("note", "Plays the lute on Sundays"),
    }


@pytest.mark.parametrize(("key", "type_"), [("hobby", "preference"), ("skill", "skill"), ("sister", "relationship")])
async def test_the_key_says_of_which_type_a_fact_is(person, key, type_):
    await kept(person, "Olha", fact_key=key)
    assert [fact["type"] for fact in await person.facts()] == [type_]


@pytest.mark.every_case
@pytest.mark.parametrize("key", [None, "location"])
async def test_what_is_known_is_skipped_with_its_id(person, key):
    about = {} if key is None else {"fact_key": key}
    first = await kept(person, "Lviv", **about)
    again = await person.call("keep", content="Lviv", **about)
    assert (again.status, again["reason"], again["memory_id"]) == ("skipped", "duplicate", first)


async def test_a_second_value_is_a_conflict_that_says_what_to_do_with_these_tools(person):
    first = await kept(person, "Kyiv", fact_key="location")
    result = await person.call("keep", content="Lviv", fact_key="location")
    assert (result.status, result["memory_id"]) == ("conflict", first)
    assert f"location is known as 'Kyiv' (ID:{first})" in result.message
    assert "use change" in result.message
    assert "update_fact" not in result.json()
    assert await person.values() == ["Kyiv"]


async def test_without_long_term_notes_only_those_are_not_changed(open_store, make_person):
    memory = await open_store(self_teaching_enabled=False)
    person = make_person(memory)
    made = await memory.apply(notes.create, person.turn(), "Sings", None)
    note = await kept(person, "Plays the lute")
    changed = await person.call("change", memory_id=note, content="Plays the harp", because="changed")
    assert (changed.status, changed["content"]) == ("success", "Plays the harp")
    refused = await person.call("change", memory_id=made.memory.id, content="Hums", because="changed")
    assert refused.status == "disabled"


@pytest.mark.parametrize(("because", "past"), [("changed", ["Kyiv"]), ("wrong", [])])
async def test_what_changed_is_kept_as_past_and_what_was_wrong_is_not(person, clock, because, past):
    fact = await kept(person, "Kyiv", fact_key="location")
    clock.forward(days=1)
    result = await person.call("change", memory_id=fact, content="Lviv", because=because)
    assert (result.status, result["memory_id"], result["old_value"]) == ("success", fact, "Kyiv")
    facts = await person.facts()
    assert [one["value"] for one in facts if one.get("state") != "past"] == ["Lviv"]
    assert [one["value"] for one in facts if one.get("state") == "past"] == past


async def test_a_note_of_ones_own_and_one_of_the_place_are_changed_as_a_whole(person):
    own = await kept(person, "Plays the lute")
    shared = await person.call("create_long_term_memory", memory_content="Meets on Fridays", scope="server_wide")
    for id_, text in ((own, "Plays the oud"), (shared["memory_id"], "Meets on Mondays")):
        result = await person.call("change", memory_id=id_, content=text, because="wrong")
        assert (result.status, result["memory_id"]) == ("success", id_)
    found = await person.call("find", query="lute oud meets")
    assert {row["content"] for row in found["memories"]} == {"Plays the oud", "Meets on Mondays"}


async def test_what_is_not_there_is_not_found_and_nothing_is_told_of_it(people):
    olena, petro = people(7), people(8)
    await olena.speaks()
    secret = await kept(olena, "A secret", fact_key="secret_hobby")
    for id_ in (secret, 4711):
        result = await petro.call("change", memory_id=id_, content="x", because="wrong")
        assert (result.status, "secret" in result.json()) == ("not_found", False)
    assert await olena.values() == ["A secret"]


async def test_another_person_of_the_place_is_named_by_id(people):
    olena, petro = people(7), people(8)
    await olena.speaks()
    fact = await kept(petro, "Kyiv", fact_key="location", user_id=7)
    found = await petro.call("find", query="location", user_id=7)
    assert [row["memory_id"] for row in found["memories"]] == [fact]
    await petro.call("change", memory_id=fact, content="Lviv", because="wrong", user_id=7)
    assert await olena.values() == ["Lviv"]
    note = await petro.call("keep", content="Likes tea", user_id=7)
    assert note.status == "invalid_args"
    assert (await petro.call("keep", content="Kyiv", fact_key="location", user_id=99)).status == "invalid_target"


async def test_a_note_about_another_is_changed_by_their_id(people, memory):
    olena, petro = people(7), people(8)
    await memory.report_member("telegram", "456", Member(user="7", number=7, name="Olena"))
    arguments = {"memory_content": "Likes tea", "scope": "target_user", "target_user": "Olena"}
    note = (await petro.call("create_long_term_memory", **arguments))["memory_id"]
    changed = await petro.call("change", memory_id=note, content="Likes coffee", because="wrong", user_id=7)
    assert changed.status == "success", changed
    found = await olena.call("find", query="coffee")
    assert [row["content"] for row in found["memories"]] == ["Likes coffee"]


async def test_changes_of_anothers_memory_wait_for_them_where_the_operator_says_so(open_store, make_person):
    memory = await open_store(others_may_change="ask")
    olena, petro = (make_person(memory, user=user) for user in (7, 8))
    await olena.speaks()
    fact = await kept(olena, "Kyiv", fact_key="location")
    results = [
        await petro.call("change", memory_id=fact, content="Lviv", because="wrong", user_id=7),
        await petro.call("keep", content="chess", fact_key="hobby", user_id=7),
    ]
    assert [result.status for result in results] == ["awaiting_consent", "awaiting_consent"]
    alone = olena.turn(direct=True)
    for consent, proposal in await memory.proposals(alone):
        assert (await memory.answer_consent(consent.id, True, alone, mark=proposal.mark)).status == "success"
    assert sorted(await olena.values()) == ["Lviv", "chess"]


async def test_what_was_said_in_a_direct_chat_is_not_found_nor_changed_in_a_group(person):
    direct = person.at(direct=True)
    fact = await kept(direct, "zymurgy", fact_key="hobby")
    assert (await person.call("find", query="zymurgy"))["count"] == 0
    assert (await person.call("change", memory_id=fact, content="x", because="wrong")).status == "not_found"
    assert await direct.values() == ["zymurgy"]


@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_of_who_wants_no_memory_nothing_is_kept_found_or_changed(person, memory, level):
    fact = await kept(person, "chess", fact_key="hobby")
    await memory.set_privacy(level, person.turn())
    refused = [
        await person.call("keep", content="go", fact_key="hobby"),
        await person.call("keep", content="Plays go"),
        await person.call("change", memory_id=fact, content="go", because="wrong"),
    ]
    assert [result.status for result in refused] == ["privacy_restricted"] * 3
    assert (await person.call("find", query="chess"))["count"] == 0


async def test_forgetting_takes_two_messages_and_ends_what_keep_kept(person):
    fact, note = await kept(person, "chess", fact_key="hobby"), await kept(person, "Plays the lute")
    for id_ in (fact, note):
        asked = person.turn(turn=f"ask {id_}")
        for _ in range(2):
            assert (await person.call("forget", turn=asked, memory_id=id_)).status == "confirmation_required"
        result = await person.call("forget", turn=person.turn(turn=f"yes {id_}", text="yes"), memory_id=id_)
        assert result.status == "deleted"
    assert (await person.call("find", query="chess or lute"))["count"] == 0


async def test_a_blank_text_deletes_nothing(person):
    note = await kept(person, "Plays the lute")
    for blank in ("", "  ", "\u200b", "{}"):
        result = await person.call("change", memory_id=note, content=blank, because="wrong")
        assert result.status in ("invalid_args", "invalid_content"), (blank, result)
    assert (await person.call("find", query="lute"))["count"] == 1


async def test_secrets_and_placeholders_are_refused(person):
    secret = "my password is hunter2-Zq9"
    fact = await kept(person, "chess", fact_key="hobby")
    wifi = await kept(person, "unset", fact_key="wifi_password")
    for result in (
        await person.call("change", memory_id=wifi, content="hunter2Zq9", because="wrong"),
        await person.call("keep", content=secret),
        await person.call("keep", content=secret, fact_key="note"),
        await person.call("change", memory_id=fact, content=secret, because="wrong"),
    ):
        assert (result.status, result["reason"]) == ("refused", "secret")
    assert (await person.call("keep", content="N/A", fact_key="job")).status == "invalid_args"
    assert sorted(await person.values()) == ["chess", "unset"]


async def test_a_look_is_asked_for_by_the_name_of_the_lean_tool(open_store, make_person):
    person = make_person(await open_store(recall_first=True))
    turn = person.turn(turn="m1")
    result = await person.call("keep", turn=turn, content="chess", fact_key="hobby")
    assert (result.status, result["look_with"]) == ("look_first", "find")
    await person.call("find", turn=turn, query="chess")
    assert (await person.call("keep", turn=turn, content="chess", fact_key="hobby")).status == "success"


async def test_a_call_that_comes_too_late_is_put_in_line_and_done(open_store, make_person):
    memory = await open_store(background=False)
    person = make_person(memory)
    await person.speaks()
    arguments = {"content": "chess", "fact_key": "hobby"}
    await memory.apply(enqueue_call, person.turn(), "keep", memory.tools["keep"].version, arguments)
    assert await memory.run_tasks() == 1
    assert await person.values() == ["chess"]


async def test_at_the_limit_nothing_is_dropped(open_store, make_person):
    person = make_person(await open_store(max_facts=1))
    await kept(person, "chess", fact_key="hobby")
    result = await person.call("keep", content="go", fact_key="hobby")
    assert (result.status, result["count"], result["limit"]) == ("limit_reached", 1, Settings(max_facts=1).max_facts)
    assert await person.values() == ["chess"]


async def test_what_did_not_fit_is_found_by_going_on(person):
    for number in range(5):
        await kept(person, f"Likes tea number {number}")
    first = await person.call("find", query="tea", limit=2)
    rest = await person.call("find", query="tea", limit=5, after=first["after"])
    found = [row["content"] for row in (*first["memories"], *rest["memories"])]
    assert sorted(found) == [f"Likes tea number {number}" for number in range(5)]


async def test_who_meets_a_persons_own_word_is_not_told_that_one_of_two_can_go(open_store, make_person):
    memory = await open_store(others_may_change="allow")
    olena, petro = make_person(memory, user=7), make_person(memory, user=8)
    await olena.speaks("I live in Kyiv")
    number = await kept(olena, "Kyiv", fact_key="city")
    await petro.speaks("She lives in Lviv")
    result = await petro.call("change", memory_id=number, content="Lviv", because="wrong", user_id=7)
    told = f"Not changed: ID:{number} stands. Ask the person whom it is about."
    assert (result.status, result.message) == ("conflict", told)
