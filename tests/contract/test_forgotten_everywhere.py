"""What a person has forgotten in one place is told in none: where they said the same, and by what it had ended."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.support.group_world import ANNA, BOB, CLARA, VALUE, World

from zgadka import Memory
from zgadka.errors import NotAllowed
from zgadka.model.inference import Inference, Inferred
from zgadka.model.outcome import Changed
from zgadka.model.token import Grant

pytestmark = [pytest.mark.asyncio]

CLOSED: dict[str, Any] = {"chat": "mods", "audience": ("mods",)}
PLACES: list[dict[str, Any]] = [CLOSED, {"chat": "direct"}]


async def forgets(
    world: World, id_: int, how: str, key: str = "illness", *, grant: Grant | None = None, **place: Any
) -> Any:
    """Have a fact forgotten; returns the last answer."""
    if how == "forget_fact":
        wish = {"user_id": ANNA, "fact_type": "personal", "fact_key": key, "fact_id": id_, "reason": "user_requested"}
        return await world.memory.call("forget_fact", wish, world.turn(ANNA, text="Forget it", **place), grant=grant)
    for text in ("Forget that", "Yes"):
        turn = world.turn(ANNA, text=text, **place)
        answer = await world.memory.call("forget", {"memory_id": str(id_)}, turn, grant=grant)
    return answer


async def values(world: World, **place: Any) -> list[tuple[str, str, bool]]:
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA, **place))
    return [(fact["key"], fact["value"], "valid_to" in fact) for fact in facts.get("facts", [])]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["forget", "forget_fact"])
@pytest.mark.parametrize("elsewhere", PLACES)
async def test_what_is_forgotten_in_a_group_is_forgotten_where_fewer_read_it_too(
    world: World, how: str, elsewhere: dict[str, Any]
) -> None:
    await world.fact(await world.says(ANNA, f"I have {VALUE}", **elsewhere))
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    answer = await forgets(world, id_, how)
    await world.memory.run_tasks()
    assert "in another place" in answer.message
    assert await values(world, **elsewhere) == await values(world) == []
    assert VALUE not in str(await world.memory.recent(world.turn(ANNA, **elsewhere), 50))
    await world.memory.undo(id_, world.turn(ANNA))
    for place in ({}, elsewhere):
        assert VALUE in [value for _, value, _ in await values(world, **place)]


NOTED = [
    ("location", "Kyiv", "Lives in Kyiv", "Loves Kyiv"),
    ("allergy", "nuts", "Is allergic to nuts", "Sells nuts at the market"),
    ("hobby", "chess", "Enjoys playing chess", "Her brother plays chess"),
]


async def notes(world: World, **place: Any) -> list[str]:
    found = await world.memory.call("recall", {"query": "Kyiv nuts chess", "limit": 50}, world.turn(ANNA, **place))
    return sorted(row["content"] for row in found["memories"] if row["kind"] == "note")


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["forget", "forget_fact"])
@pytest.mark.parametrize("elsewhere", [{}, *PLACES])
@pytest.mark.parametrize(("key", "value", "note", "other"), NOTED)
async def test_a_note_that_says_a_forgotten_fact_goes_and_comes_back_with_it(
    world: World, key: str, value: str, note: str, other: str, elsewhere: dict[str, Any], how: str
) -> None:
    for text in (note, other):
        await world.memory.call("remember", {"content": text}, await world.says(ANNA, "Note that", **elsewhere))
    _, id_ = await world.tells(ANNA, "You know", key, value)
    await forgets(world, id_, how, key)
    await world.memory.run_tasks()
    assert await notes(world, **elsewhere) == [other]
    await world.memory.undo(id_, world.turn(ANNA))
    await world.memory.run_tasks()
    assert await notes(world, **elsewhere) == sorted([note, other])


async def test_a_fact_that_a_forgotten_note_says_goes_with_it(world: World) -> None:
    await world.tells(ANNA, "You know", "location", "Kyiv")
    made = await world.memory.call("remember", {"content": "Lives in Kyiv"}, await world.says(ANNA, "Note that"))
    await forgets(world, made["memory_id"], "forget")
    await world.memory.run_tasks()
    assert await values(world) == []


@pytest.mark.parametrize("how", ["forget", "forget_fact"])
async def test_a_token_for_one_space_has_nothing_forgotten_beyond_it(world: World, how: str) -> None:
    alone: dict[str, Any] = {"chat": "direct"}
    await world.fact(await world.says(ANNA, f"I have {VALUE}", **alone))
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    turn = world.turn(ANNA)
    bound = Grant(token=1, role="service", platforms=(turn.platform,), spaces=(turn.space,), direct=False)
    answer = await forgets(world, id_, how, grant=bound)
    await world.memory.run_tasks()
    assert answer.status in ("deleted", "success")
    assert "in another place" not in answer.message
    assert await values(world) == []
    assert VALUE in [value for _, value, _ in await values(world, **alone)]


OTHER_GROUP: dict[str, Any] = {"space": "S2", "chat": "hall"}


async def is_asked(world: World, **place: Any) -> None:
    """Have Anna say something that may be so and is asked about."""

    async def doubts(text: str) -> Inference:
        return Inference(uncertain=(Inferred(type="personal", key="illness", value=VALUE, excerpt=text),))

    memory = Memory(world.memory._store, world.memory.settings, extractor=doubts)
    text = f"Maybe I have {VALUE}"
    assert (await memory.observe(text, world.turn(ANNA, text=text, **place))).question is not None


async def says_it(world: World, **place: Any) -> bool:
    return VALUE in str(await world.memory.recent(world.turn(ANNA, **place), 50))


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["forget", "forget_fact"])
@pytest.mark.parametrize("elsewhere", [OTHER_GROUP, *PLACES])
async def test_what_is_asked_about_elsewhere_is_forgotten_with_what_it_was_asked_about(
    world: World, how: str, elsewhere: dict[str, Any]
) -> None:
    await is_asked(world, **elsewhere)
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await forgets(world, id_, how)
    await world.memory.run_tasks()
    assert await world.memory.questions(world.turn(ANNA, "direct")) == []
    assert not await says_it(world, **elsewhere)
    await world.memory.undo(id_, world.turn(ANNA))
    await world.memory.run_tasks()
    assert await says_it(world, **elsewhere)


@pytest.mark.parametrize("how", ["forget", "forget_fact"])
async def test_a_token_for_one_space_leaves_what_is_asked_about_beyond_it(world: World, how: str) -> None:
    await is_asked(world, **OTHER_GROUP)
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    turn = world.turn(ANNA)
    bound = Grant(token=1, role="service", platforms=(turn.platform,), spaces=(turn.space,), direct=False)
    await forgets(world, id_, how, grant=bound)
    await world.memory.run_tasks()
    assert len(await world.memory.questions(world.turn(ANNA, **OTHER_GROUP))) == 1
    assert await says_it(world, **OTHER_GROUP)


async def test_a_deleted_message_leaves_what_is_asked_about_another_elsewhere(world: World) -> None:
    await is_asked(world, **OTHER_GROUP)
    said, _ = await world.tells(ANNA, f"I have {VALUE}")
    await world.takes_back(said, "deleted")
    assert len(await world.memory.questions(world.turn(ANNA, **OTHER_GROUP))) == 1
    assert await says_it(world, **OTHER_GROUP)


@pytest.mark.parametrize("how", ["forget", "forget_fact"])
@pytest.mark.parametrize("elsewhere", PLACES)
async def test_nobody_learns_from_the_answer_whether_it_was_told_elsewhere(
    world: World, how: str, elsewhere: dict[str, Any]
) -> None:
    _, only_here = await world.tells(ANNA, "I keep bees", "hobby", "bees")
    await world.fact(await world.says(ANNA, "I keep cats", **elsewhere), "hobby", "cats")
    _, also_elsewhere = await world.tells(ANNA, "I keep cats", "hobby", "cats")
    answers = [await forgets(world, id_, how, "hobby") for id_ in (only_here, also_elsewhere)]
    assert "If they told the same in another place" in answers[0].message
    told = [re.sub(r"(ID:|_id\": )\d+", r"\1", repr(answer)).replace("bees", "cats") for answer in answers]
    assert told[0] == told[1]


@pytest.mark.parametrize("elsewhere", PLACES)
async def test_another_value_and_anothers_stay(world: World, elsewhere: dict[str, Any]) -> None:
    await world.fact(await world.says(ANNA, "I keep bees", **elsewhere), "hobby", "bees")
    await world.fact(await world.says(BOB, f"I have {VALUE}"), about=BOB)
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await forgets(world, id_, "forget")
    assert await values(world, **elsewhere) == [("hobby", "bees", False)]
    facts = await world.memory.call("recall_facts", {"user_id": BOB}, world.turn(CLARA))
    assert [fact["value"] for fact in facts["facts"]] == [VALUE]


async def test_a_note_goes_where_the_same_was_noted_for_fewer(world: World) -> None:
    text = f"The key is with {VALUE}"
    await world.memory.call("remember", {"content": text}, await world.says(ANNA, text, chat="direct"))
    note = await world.memory.call("remember", {"content": text}, await world.says(ANNA, text))
    await forgets(world, note["memory_id"], "forget")
    found = await world.memory.call("recall", {"query": VALUE}, world.turn(ANNA, "direct"))
    assert found.get("memories", []) == []


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["forget", "forget_fact"])
async def test_who_has_forgotten_that_they_dislike_a_thing_likes_it_as_they_said(world: World, how: str) -> None:
    for text in ("I like chess", "I hate chess"):
        turn = await world.says(ANNA, text)
        stored = (await world.memory.observe(text, world.turn(ANNA, text=text), own_text=text)).stored
    assert await values(world) == [("dislike", "chess", False), ("like", "chess", True)]
    await forgets(world, stored[0].id, how, "dislike")
    await world.memory.run_tasks()
    assert await values(world) == [("like", "chess", False)]
    await world.memory.undo(stored[0].id, turn)
    assert await values(world) == [("dislike", "chess", False), ("like", "chess", True)]


async def test_who_has_forgotten_where_they_live_does_not_live_again_where_they_lived(world: World) -> None:
    _, id_ = await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    change = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    change |= {"new_value": "Kyiv", "change_reason": "update"}
    await world.memory.call("update_fact", change, await world.says(ANNA, "I moved to Kyiv"))
    await forgets(world, id_, "forget")
    assert await values(world) == []


BOT = Grant(token=0, role="service", label="bot", platforms=("discord",))


@pytest.mark.parametrize("how", ["forget", "forget_fact", "update"])
async def test_what_was_changed_of_a_shared_memory_in_another_group_is_taken_back_there(world: World, how: str) -> None:
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await world.memory.share(id_, world.turn(ANNA, "direct"), everywhere=True)
    there: dict[str, Any] = {"space": "T", "chat": "t"}
    if how == "update":
        fact = {"user_id": ANNA, "fact_type": "personal", "fact_key": "illness", "new_value": "flu", "confidence": 0.9}
        await world.memory.call("update_fact", fact | {"change_reason": "update"}, world.turn(ANNA, **there))
    else:
        await forgets(world, id_, how, **there)
    await world.memory.run_tasks()
    taken_back = await world.memory.undo(id_, world.turn(ANNA, **there), grant=BOT)
    assert isinstance(taken_back, Changed)
    assert await values(world, **there) == await values(world) == [("health_condition", VALUE, False)]


async def test_what_was_shared_is_closed_again_by_undo_only_where_the_person_is_alone(world: World) -> None:
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await world.memory.share(id_, world.turn(ANNA, "direct"), everywhere=True)
    with pytest.raises(NotAllowed, match="direct chat"):
        await world.memory.undo(id_, world.turn(ANNA), grant=BOT)
    assert isinstance(await world.memory.undo(id_, world.turn(ANNA, "direct"), grant=BOT), Changed)


async def test_undo_in_a_group_does_not_count_what_comes_back_elsewhere(world: World) -> None:
    await world.fact(await world.says(ANNA, f"I have {VALUE}", chat="direct"))
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await forgets(world, id_, "forget")
    await world.memory.run_tasks()
    outcome = await world.memory.undo(id_, world.turn(ANNA))
    assert isinstance(outcome, Changed)
    assert outcome.others_back == 0
    assert await values(world, chat="direct") == [("health_condition", VALUE, False)]


async def test_what_was_shared_is_told_elsewhere_again_only_where_its_person_shares_it(world: World) -> None:
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    await world.memory.share(id_, world.turn(ANNA, "direct"), everywhere=True)
    dated = await world.says(ANNA, f"I have had {VALUE} since 2019", chat="direct")
    fact = {
        "user_id": ANNA,
        "fact_type": "personal",
        "fact_key": "health_condition",
        "fact_value": VALUE,
        "confidence": 0.9,
    }
    await world.memory.call("update_fact_with_temporal", fact | {"valid_from": "2019"}, dated)
    await world.memory.share(id_, world.turn(ANNA, "direct"), everywhere=False)
    await world.takes_back(dated, "deleted")
    await world.memory.run_tasks()
    assert await values(world, space="T", chat="t") == []


@pytest.mark.partitioned
@pytest.mark.parametrize(
    ("line", "note", "fact", "is_told"),
    [
        ("I have zorvakula, as you know", "Anna has zorvakula", ("illness", VALUE), True),
        ("My favourite drink is tea", "Anna's favourite drink is tea", ("favourite_drink", "tea"), True),
        ("I live in Kyiv, the meetup is on Thursday", "The meetup is on Thursday", ("location", "Kyiv"), False),
        ("Our meetups are in Kyiv, where I live", "Meetups are in Kyiv", ("location", "Kyiv"), False),
    ],
)
async def test_a_deleted_note_of_the_group_hides_a_line_of_its_author_but_for_what_is_a_fact_of_theirs(
    world: World, line: str, note: str, fact: tuple[str, str], is_told: bool
) -> None:
    turn = await world.says(ANNA, line)
    await world.fact(turn, *fact)
    made = await world.memory.call("create_long_term_memory", {"memory_content": note, "scope": "server_wide"}, turn)
    blank = {"memory_id": made["memory_id"], "memory_content": ""}
    gone = await world.memory.call("update_long_term_memory", blank, world.turn(ANNA))
    assert gone.status == "memory_deleted_successfully"
    await world.memory.run_tasks()
    assert [value for _, value, _ in await values(world)] == [fact[1]]
    assert [row.text for row in await world.memory.recent(world.turn(BOB), 50)] == ([line] if is_told else [])
    await world.memory.undo(made["memory_id"], world.turn(ANNA))
    await world.memory.run_tasks()
    assert [row.text for row in await world.memory.recent(world.turn(BOB), 50)] == [line]
