"""What was merged stays merged: nothing that adds or changes a fact puts a part beside the whole that stands for it."""

from __future__ import annotations

import pytest
import pytest_asyncio

from zgadka import Turn
from zgadka.model.outcome import Changed, Conflict
from zgadka.ops.access import speaker_of
from zgadka.ops.self_service import correct
from zgadka.ops.share import Shared

pytestmark = pytest.mark.asyncio

TEMPORAL = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}


async def hobby(person, value, **more) -> int:
    return (await person.fact("hobby", value, **more))["fact_id"]


async def merge(person, ids, value):
    return await person.call("merge_facts", user_id=123, fact_ids=ids, merged_value=value, merged_confidence=0.9)


async def merged(person, *values, into="board games") -> int:
    ids = [await hobby(person, value) for value in values]
    assert (await merge(person, ids, into)).status == "success"
    return ids[0]


@pytest_asyncio.fixture
async def whole(person):
    """The fact `board games`, which stands for `chess` and `go`."""
    return await merged(person, "chess", "go")


@pytest.mark.partitioned
@pytest.mark.parametrize("part", ["chess", "go"])
async def test_a_past_value_is_not_followed_by_a_part(person, whole, part):
    banjo = await hobby(person, "banjo")
    past = (await person.update("hobby", "tea", fact_id=banjo))["past_fact_id"]
    change = await person.update("hobby", part, fact_id=past)
    assert (change.status, change["fact_id"]) == ("conflict", whole)
    assert await person.values() == ["banjo", "board games", "tea"]


async def test_what_was_said_before_the_current_value_is_no_part_of_another_fact(person, whole, clock):
    said_before = person.turn(time=clock.now)
    clock.forward(days=1)
    banjo = await hobby(person, "banjo")
    change = await person.update("hobby", "go", fact_id=banjo, turn=said_before)
    assert (change.status, change["fact_id"]) == ("conflict", whole)
    assert await person.values() == ["banjo", "board games"]


async def test_a_value_that_is_known_is_not_kept_once_more_as_what_was_before_another(person, clock):
    go, said_before = await hobby(person, "go"), person.turn(time=clock.now)
    clock.forward(days=1)
    banjo = await hobby(person, "banjo")
    change = await person.update("hobby", "Go", fact_id=banjo, turn=said_before)
    assert (change.status, change["fact_id"]) == ("conflict", go)
    assert await person.values() == ["banjo", "go"]


@pytest.mark.parametrize(
    "said",
    [
        {"fact_value": "go", "valid_from": "2020"},
        {"fact_value": "go", "valid_to": "2020"},
        {"fact_value": "go", "previous_value": "banjo"},
        {"fact_value": "banjo", "previous_value": "go"},
    ],
    ids=str,
)
async def test_a_part_has_no_time_of_its_own(person, whole, said):
    result = await person.call("update_fact_with_temporal", **TEMPORAL | said)
    assert (result.status, result["fact_ids"]) == ("conflict", [whole])
    assert await person.values() == ["board games"]


async def test_a_fact_is_not_corrected_by_hand_to_a_part(person, memory, whole):
    banjo = await hobby(person, "banjo")
    outcome = await memory.apply(correct, person.turn(), banjo, "Go")
    assert isinstance(outcome, Conflict)
    assert outcome.memory.id == whole
    assert await person.values() == ["banjo", "board games"]


async def test_facts_are_not_merged_into_a_part_of_another(person, whole):
    ids = [await hobby(person, value) for value in ("banjo", "guitar")]
    result = await merge(person, ids, "go")
    assert (result.status, result["fact_id"]) == ("conflict", whole)
    assert await person.values() == ["banjo", "board games", "guitar"]


async def test_a_whole_may_say_again_what_one_of_its_parts_says(person, whole):
    banjo = await hobby(person, "banjo")
    assert (await merge(person, [banjo, whole], "go")).status == "success"
    assert await person.values() == ["go"]


@pytest.mark.parametrize("how", ["update", "delete"])
async def test_undo_brings_back_no_value_that_has_become_a_part_since(person, memory, how):
    go = await hobby(person, "go")
    await (person.update("hobby", "banjo", fact_id=go) if how == "update" else person.deletes(go))
    whole = await merged(person, "go", "chess")
    before = await person.values()
    outcome = await memory.undo(go, person.turn())
    assert isinstance(outcome, Conflict)
    assert outcome.memory.id == whole
    assert await person.values() == before


async def test_undo_of_a_merge_brings_its_parts_back(person, memory, whole):
    assert isinstance(await memory.undo(whole, person.turn()), Changed)
    assert await person.values() == ["chess", "go"]


@pytest.mark.partitioned
async def test_where_a_whole_is_opened_its_parts_are_known_too(person, memory, whole):
    other = person.at(space="other", chat="other")
    assert isinstance(await memory.share(whole, person.turn()), Shared)
    for place in (other, person):
        again = await place.fact("hobby", "go")
        assert (again.status, again["fact_id"]) == ("skipped", whole)
        assert await place.values() == ["board games"]
    assert isinstance(await memory.undo(whole, person.turn()), Changed)
    assert (await other.fact("hobby", "go")).status == "success"
    assert (await person.fact("hobby", "go")).status == "skipped"


async def test_a_part_is_not_opened_beside_its_whole(person, memory, whole):
    go = await hobby(person.at(space="other", chat="other"), "go")
    assert isinstance(await memory.share(whole, person.turn()), Shared)
    outcome = await memory.share(go, person.turn(space="other", chat="other"))
    assert isinstance(outcome, Conflict)
    assert outcome.memory.id == whole


async def test_of_a_group_that_moves_no_part_comes_beside_its_whole(person, memory):
    await hobby(person, "go")
    new = person.at(space="-100456", chat="-100456")
    await merged(new, "chess", "go")
    assert await memory.move_space("telegram", "456", "-100456", chats=("456", "-100456"))
    assert await new.values() == ["board games"]


async def test_of_a_chat_that_is_closed_no_part_comes_beside_its_whole(person, memory):
    closed = person.at(chat="mods", audience=("mods",))
    await merged(closed, "chess", "go")
    await hobby(person.at(chat="vips"), "go")
    await memory.report_readers("telegram", "456", {"mods": ("mods",), "vips": ("mods",)})
    assert await closed.values() == ["board games"]


VALUES = ("alpinism", "balalaika", "cribbage")
WAYS = {"deleted": None, "edited": "I like nothing any more", "off the record": "off the record, forget what I said"}


async def takes_back(person, memory, turn, how) -> None:
    """Have the message of a turn deleted or edited, and everything that follows done."""
    text = WAYS[how]
    await (memory.unrecord(turn) if text is None else memory.record("user", text, turn))
    await memory.run_tasks()


async def told_by(person, memory, number, value, said=None) -> tuple[Turn, int]:
    """The turn whose message told a hobby, and the fact."""
    text = f"I like {value}" if said is None else said
    turn = person.turn(message=f"m{number}", text=text)
    await memory.record("user", text, turn)
    return turn, (await person.fact("hobby", value, turn=turn))["fact_id"]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("into", ["alpinism", "balalaika", "spare time"])
async def test_a_value_that_was_merged_goes_with_the_only_message_that_told_it(person, memory, how, which, into):
    told = [await told_by(person, memory, number, value) for number, value in enumerate(VALUES)]
    assert (await merge(person, [id_ for _, id_ in told], into)).status == "success"
    await takes_back(person, memory, told[which][0], how)
    stays = [value for value in VALUES if value != VALUES[which]]
    assert await person.values() == ([into] if into in stays else stays)


async def test_what_was_merged_through_another_merge_is_told_again_without_a_message(person, memory):
    told = [await told_by(person, memory, number, value) for number, value in enumerate(VALUES)]
    first, second, third = (id_ for _, id_ in told)
    assert (await merge(person, [first, second], "music")).status == "success"
    assert (await merge(person, [third, first], "spare time")).status == "success"
    await takes_back(person, memory, told[1][0], "deleted")
    assert await person.values() == ["alpinism", "cribbage"]


@pytest.mark.parametrize("how", WAYS)
async def test_what_two_messages_tell_stays_merged_without_one_of_them(person, memory, how):
    told = [await told_by(person, memory, number, value) for number, value in enumerate((*VALUES[:2], VALUES[1]))]
    assert (await merge(person, [told[0][1], told[1][1]], "spare time")).status == "success"
    await takes_back(person, memory, told[1][0], how)
    assert await person.values() == ["spare time"]


async def test_what_a_fact_was_before_a_merge_of_an_older_program_goes_with_its_message(person, memory):
    (turn, first), (_, second) = [
        await told_by(person, memory, number, value) for number, value in enumerate(VALUES[:2])
    ]
    assert (await merge(person, [first, second], "spare time")).status == "success"

    def forget_source(tx):
        former = max(tx.memories.list_parts(speaker_of(tx, turn), first), key=lambda part: part.id)
        assert tx.memories.take_sources(former)

    await memory.apply(forget_source)
    await takes_back(person, memory, turn, "deleted")
    assert await person.values() == ["balalaika"]


async def test_a_part_that_an_edit_took_back_is_told_by_nothing_when_its_whole_goes(person, memory):
    told = [await told_by(person, memory, number, value) for number, value in enumerate(VALUES[:2])]
    assert (await merge(person, [told[0][1], told[1][1]], "alpinism")).status == "success"
    await takes_back(person, memory, told[1][0], "edited")
    assert await person.values() == ["alpinism"]
    await takes_back(person, memory, told[0][0], "deleted")
    assert await person.values() == []
