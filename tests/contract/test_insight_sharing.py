"""What a person opened to every space, over every back end."""

from __future__ import annotations

import pytest

from zgadka import Member
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.keyed_notes import put_named, rename
from zgadka.ops.share import Shared, open_memory_to

pytestmark = pytest.mark.asyncio


async def seen(person, user_id=123, **more):
    result = await person.call("recall_facts_global", user_id=user_id, **more)
    assert result.status == "success", result
    return {fact["value"]: fact["seen_in"] for fact in result["facts"]}


@pytest.fixture
def direct(person):
    return person.at(direct=True, chat="dm", space="dm")


@pytest.mark.partitioned
async def test_elsewhere_only_what_was_opened_is_recalled(memory, person, direct):
    other = person.at(space="other", chat="other")
    kept = await person.fact("hobby", "chess")
    await person.fact("hobby", "guitar")
    await direct.fact("hobby", "secret")
    assert await seen(other) == {}
    assert isinstance(await memory.share(kept["fact_id"], person.turn()), Shared)
    assert await seen(other) == {"chess": "everywhere"}
    assert await seen(person) == {"chess": "everywhere", "guitar": "here"}
    assert await other.values() == ["chess"]


@pytest.mark.partitioned
async def test_a_single_value_is_not_opened_into_a_space_that_knows_another(memory, person):
    other = person.at(space="other", chat="other")
    kept = await person.fact("location", "Kyiv")
    await other.fact("location", "Lviv")
    outcome = await memory.share(kept["fact_id"], person.turn())
    assert isinstance(outcome, Conflict)
    assert outcome.memory.content == "Lviv"
    assert await seen(other) == {"Lviv": "here"}


@pytest.mark.partitioned
async def test_in_the_own_direct_chat_everything_is_recalled_with_its_place(person, direct):
    await person.fact("hobby", "chess")
    await direct.fact("hobby", "secret")
    await person.fact("hobby", "draughts", fact_type="preference")
    found = await seen(direct)
    assert found == {"chess": "space 456", "secret": "here", "draughts": "space 456"}
    assert await seen(direct, search_query="chess") == {"chess": "space 456"}
    assert await seen(direct, fact_types=["preference"]) == {"draughts": "space 456"}
    assert await seen(person) == {"chess": "here", "draughts": "here"}


async def test_what_is_open_is_listed_once(memory, person, direct):
    for number, place in enumerate((person, person.at(space="b", chat="b"), direct)):
        await place.fact("hobby", f"hobby {number}")
    opened = (await direct.facts())[0]
    await memory.share(opened["fact_id"], direct.turn())
    result = await direct.call("recall_facts_global", user_id=123)
    assert (result["count"], result["total"]) == (3, 3)


async def test_others_see_what_is_open_and_nothing_more(memory, person, people, direct):
    await memory.report_member("telegram", "456", Member(user="123", number=123))
    opened = await direct.fact("hobby", "chess")
    await direct.fact("hobby", "secret")
    await memory.share(opened["fact_id"], direct.turn())
    assert await seen(people(7)) == {"chess": "everywhere"}
    dm = people(7, direct=True, space="dm")
    assert (await dm.call("recall_facts_global", user_id=123)).status == "invalid_target"


async def test_of_somebody_who_wants_none_nothing_is_recalled_or_opened(memory, person):
    kept = await person.fact("hobby", "chess")
    await memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    assert (await person.call("recall_facts_global", user_id=123)).status == "privacy_restricted"
    assert isinstance(await memory.share(kept["fact_id"], person.turn()), NoAccess)
    assert isinstance(await memory.share(kept["fact_id"], person.turn(direct=True), everywhere=False), Shared)


async def test_only_ones_own_memories_that_are_seen_here_can_be_opened(memory, person, people):
    kept = await person.fact("hobby", "chess")
    for turn in (people(7).turn(), person.at(space="other").turn(), person.at(persona=7).turn()):
        expected = Shared if turn.persona else NotFound  # of lineage 0, which every persona sees
        assert isinstance(await memory.share(kept["fact_id"], turn), expected)
    assert isinstance(await memory.share(999, person.turn()), NotFound)


async def test_closing_brings_it_back_here_and_leaves_a_trail(memory, person):
    kept = await person.fact("hobby", "chess")
    for everywhere in (True, True, False, False):
        assert isinstance(await memory.share(kept["fact_id"], person.turn(), everywhere=everywhere), Shared)
    assert await seen(person) == {"chess": "here"}
    events = await memory.history(kept["fact_id"], person.turn())
    assert [event.reason for event in events] == [None, "opened everywhere", "closed to this space"]
    assert isinstance(await memory.undo(kept["fact_id"], person.turn()), Changed)
    assert await seen(person) == {"chess": "everywhere"}


async def test_what_is_open_already_is_a_conflict(memory, person):
    other = person.at(space="other", chat="other")
    one, two = await person.fact("location", "Kyiv"), await other.fact("location", "Lviv")
    await memory.share(one["fact_id"], person.turn())
    outcome = await memory.share(two["fact_id"], other.turn())
    assert isinstance(outcome, Conflict)
    assert outcome.memory.id == one["fact_id"]


async def test_two_that_exclude_each_other_are_not_opened_together(memory, person, direct):
    one, two = await person.fact("location", "Kyiv"), await direct.fact("location", "Lviv")
    ids = [one["fact_id"], two["fact_id"]]
    assert isinstance(await memory.apply(open_memory_to, direct.turn(), ids, True), Conflict)
    assert await seen(person.at(space="other")) == {}


@pytest.mark.partitioned
async def test_what_is_open_is_known_updated_and_forgotten_everywhere(memory, person):
    other = person.at(space="other", chat="other")
    kept = await person.fact("location", "Kyiv")
    await memory.share(kept["fact_id"], person.turn())
    assert (await other.fact("location", "Kyiv")).status == "skipped"
    assert (await other.fact("location", "Lviv")).status == "conflict"
    assert (await other.update("location", "Lviv", change_reason="correction")).status == "success"
    assert await person.values() == ["Lviv"]
    assert (await other.forget_fact("location")).status == "success"
    assert await person.values() == []


SOMEWHERE = {
    "direct chat": {"direct": True, "chat": "dm", "space": "dm"},
    "closed chat": {"chat": "mods", "audience": "mods"},
}


async def changed_there(place, how):
    """Put something that is said in a place into what is open."""
    note, fact = "likes chess", {"fact_type": "personal", "fact_key": "job", "confidence": 0.9}
    match how:
        case "update" | "correction":
            updated = await place.update("job", "zymurgist", change_reason=how)
            assert "told here only" in updated["message"]
        case "time":
            call = fact | {"user_id": 123, "fact_value": "zymurgist", "previous_value": "baker"}
            dated = await place.call("update_fact_with_temporal", **call, valid_from="2026-02-01")
            assert dated.status == "success", dated
        case "note":
            [known, *_] = (await place.call("recall", query=note, kinds=["note"]))["memories"]
            updating = {"memory_id": known["memory_id"], "memory_content": "zymurgy", "target_user": "Ann"}
            done = await place.call("update_long_term_memory", **updating)
            assert "told here only" in done["message"]
        case "tags":
            assert (await place.call("remember", content=note, tags=["zymurgy"])).status == "skipped"
        case _:
            assert await place.memory.apply(rename, place.turn(), "file", {"/chess": "/zymurgy"})


@pytest.mark.partitioned
@pytest.mark.parametrize("where", SOMEWHERE)
@pytest.mark.parametrize("how", ["update", "correction", "time", "note", "tags", "file name"])
async def test_what_is_said_for_some_about_what_is_open_stays_with_them(memory, person, people, how, where):
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    facts = [(await person.fact("job", "baker"))["fact_id"], await person.note("likes chess")]
    facts.append((await memory.apply(put_named, person.turn(), "file", "/chess", "e4 e5")).memory.id)
    for opened in facts:
        assert isinstance(await memory.share(opened, person.turn()), Shared)
    place = person.at(**SOMEWHERE[where])
    await changed_there(place, how)
    for listener in (people(7), person):
        told = [await listener.call("recall", query="zymurgist zymurgy job chess", user_id=123, limit=50)]
        told.append(await listener.call("recall_facts", user_id=123, limit=50))
        assert not any(word in str(told) for word in ("zymurg", "valid_to")), told
    if how != "tags":
        assert "zymurg" in (await place.call("recall", query="zymurgist zymurgy job", limit=50)).json()


@pytest.mark.partitioned
async def test_in_the_own_direct_chat_the_trail_of_everything_is_seen(memory, person, direct):
    kept = await person.fact("hobby", "chess")
    assert len(await memory.history(kept["fact_id"], direct.turn())) == 1
    assert await memory.history(kept["fact_id"], person.at(space="other").turn()) == []


@pytest.mark.partitioned
async def test_what_is_closed_again_is_not_told_by_answers_elsewhere(memory, person, people, direct):
    kept = (await direct.fact("allergy", "nuts"))["fact_id"]
    other, reader = (who.at(space="other", chat="other") for who in (person, people(8)))
    for who in (other, reader):
        await who.speaks("hello")
    await memory.share(kept, direct.turn())
    telling, unrelated = ["Ann is allergic to nuts!", "You are allergic to nuts."], "Ann has an allergy, I think."
    await memory.record("assistant", telling[0], reader.turn(), given=[kept])
    await memory.record("assistant", telling[1], other.turn(), given=[kept])
    await memory.record("assistant", unrelated, reader.turn(), given=[kept])
    await memory.record("assistant", telling[1], direct.turn(), given=[kept])

    async def told(who):
        return [message.text for message in await memory.recent(who.turn()) if message.role == "assistant"]

    assert await told(reader) == [*telling, unrelated]
    await memory.share(kept, direct.turn(), everywhere=False)
    assert await told(reader) == [unrelated]
    assert "nuts" not in (await reader.call("recall", query="allergic to nuts")).json()
    assert await told(direct) == [telling[1]]
    assert isinstance(await memory.undo(kept, direct.turn()), Changed)
    assert await told(reader) == [*telling, unrelated]


async def test_what_is_closed_again_is_told_where_it_was_said(memory, person, people, direct):
    kept = (await person.fact("allergy", "nuts", turn=await recorded(person, "I am allergic to nuts")))["fact_id"]
    await memory.share(kept, person.turn())
    await memory.record("assistant", "You are allergic to nuts.", person.turn(), given=[kept])
    await memory.share(kept, direct.turn(), everywhere=False)
    assert [one.text for one in await memory.recent(person.turn())][-1] == "You are allergic to nuts."


async def recorded(person, text):
    turn = person.turn(message="m1")
    await person.memory.record("user", text, turn)
    return turn
