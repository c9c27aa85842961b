"""How long messages are kept, and what follows when the source is edited or deleted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from zgadka import Member
from zgadka.errors import NotAllowed
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import Grant
from zgadka.ops.access import find_space

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def memory(open_store):
    """Nothing is tidied but when a test says so."""
    return await open_store(background=False)


async def texts(person: Any, limit: int = 50) -> list[str]:
    return [message.text for message in await person.memory.recent(person.turn(), limit)]


async def left_after_tidying(memory: Any) -> int:
    """How many messages stay."""
    await memory.tidy()
    return (await memory.look(lambda tx: tx.maintenance.counts()))["messages"]


async def test_ordinary_messages_are_kept_for_seven_days(person, memory, clock):
    await person.speaks("old")
    clock.forward(days=6, hours=23)
    await person.speaks("new")
    assert await left_after_tidying(memory) == 2
    clock.forward(hours=2)
    assert await left_after_tidying(memory) == 1
    assert await texts(person) == ["new"]


async def test_the_days_are_a_setting(make_person, open_store, clock):
    memory = await open_store(message_days=1)
    await make_person(memory).speaks()
    clock.forward(days=1, seconds=1)
    assert await left_after_tidying(memory) == 0


@pytest.mark.parametrize(("level", "days"), [("high", 60), ("critical", 365)])
async def test_important_messages_are_kept_from_the_day_of_marking(person, memory, clock, level, days):
    await person.speaks("marked")
    clock.forward(days=5)
    await person.call("mark_important", importance_level=level)
    clock.forward(days=days - 1)
    assert await left_after_tidying(memory) == 1
    clock.forward(days=1)
    assert await left_after_tidying(memory) == 0


async def test_marking_again_at_a_lower_level_takes_no_time_away(person, memory, clock):
    await person.speaks("marked")
    await person.call("mark_important", importance_level="critical")
    await person.call("mark_important", importance_level="high")
    clock.forward(days=364)
    assert await left_after_tidying(memory) == 1


async def test_only_the_marked_messages_stay(person, memory, clock):
    for number in range(4):
        await person.speaks(f"message {number}")
    await person.at(thread="t").speaks("another thread")
    await person.call("mark_important", importance_level="high", message_count=2)
    clock.forward(days=8)
    assert await left_after_tidying(memory) == 2
    assert await texts(person) == ["message 2", "message 3"]


async def test_messages_of_a_live_episode_stay_and_go_once_it_is_archived(person, memory, clock):
    await person.speaks("part of it")
    episode = (await person.call("create_episode", topic="t", summary="s", importance=1))["episode_id"]
    clock.forward(days=400)
    assert await left_after_tidying(memory) == 1
    await person.call("archive_episode", episode_id=episode, reason="over")
    assert await left_after_tidying(memory) == 0


async def test_messages_of_an_episode_that_came_back_stay(person, memory, clock):
    await person.speaks("part of it")
    episode = (await person.call("create_episode", topic="t", summary="s", importance=1))["episode_id"]
    clock.forward(days=400)
    await person.call("archive_episode", episode_id=episode, reason="over")
    await memory.undo(episode, person.turn())
    assert await left_after_tidying(memory) == 1


async def test_messages_go_in_small_steps(person, memory, clock, monkeypatch):
    monkeypatch.setattr("zgadka.maintenance._TIDY_ROWS", 2)
    for number in range(5):
        await person.speaks(f"message {number}")
    clock.forward(days=8)
    assert await left_after_tidying(memory) == 0


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"space": "457"}, {"direct": True}, {"platform": "discord"}])
async def test_every_space_is_tidied_by_its_own_messages(person, memory, clock, place):
    await person.speaks("marked")
    await person.call("mark_important", importance_level="high")
    await person.at(**place).speaks("ordinary")
    clock.forward(days=8)
    await person.at(**place).speaks("new")
    assert await left_after_tidying(memory) == 2
    assert await texts(person) == ["marked"]
    assert await texts(person.at(**place)) == ["new"]


async def test_tidying_removes_no_fact_note_or_episode(person, memory, clock):
    await person.fact()
    await person.note("plays chess")
    await person.call("create_episode", topic="t", summary="s", importance=0)
    clock.forward(days=5000)
    await memory.tidy()
    assert await person.values() == ["Kyiv"]
    assert await person.found("chess") == ["plays chess"]
    assert (await person.call("recall_episodes"))["count"] == 1


async def test_an_edit_keeps_place_time_and_mark(person, memory, clock):
    first = await memory.record("user", "helo", person.turn(message="m1"))
    await person.speaks("later")
    await person.call("mark_important", importance_level="high", message_count=2)
    clock.forward(days=3)
    assert await memory.record("user", "hello", person.turn(message="m1")) == first
    assert await texts(person) == ["hello", "later"]
    clock.forward(days=50)
    assert await left_after_tidying(memory) == 2


@pytest.mark.partitioned
async def test_the_same_message_id_in_another_chat_or_space_is_another_message(person, memory):
    await memory.record("user", "here", person.turn(message="m1"))
    for place in ({"chat": "457"}, {"space": "457"}, {"direct": True}):
        await memory.record("user", "there", person.turn(message="m1", **place))
    await memory.record("assistant", "an answer", person.turn(message="m1"))
    assert await texts(person) == ["here", "an answer"]


@pytest.mark.parametrize("qualified", ["7@666", "7@p3"])
async def test_a_message_that_an_earlier_version_kept_by_its_number_is_found_by_its_time(person, clock, qualified):
    sent = clock()
    await person.memory.record("user", "former", person.turn(message="7", time=sent))
    clock.forward(days=1)
    await person.memory.record("user", "edited", person.turn(message=qualified, time=sent))
    assert await texts(person) == ["edited"]
    await person.memory.record("user", "another", person.turn(message=qualified, time=clock()))
    await person.memory.record("user", "of another bot", person.turn(message="7@777", time=clock()))
    assert await texts(person) == ["edited", "another", "of another bot"]
    await person.memory.unrecord(person.turn(message=qualified))
    assert await texts(person) == ["edited", "of another bot"]
    await person.memory.unrecord(person.turn(message=qualified))
    assert await texts(person) == (["edited", "of another bot"] if "p" not in qualified else ["of another bot"])
    await person.memory.unrecord(person.turn(message=qualified, time=sent))
    assert await texts(person) == ["of another bot"]


@pytest.mark.parametrize("personas", [(0, 3), (3, 0)])
async def test_each_persona_has_its_own_history_of_a_supergroup(person, clock, personas):
    sent, ids = clock(), {0: "5", 3: "5@p3"}
    for persona in personas:
        await person.memory.record("user", "hello", person.turn(message=ids[persona], time=sent, persona=persona))
    first, second = personas

    async def read_by(persona: int) -> list[str]:
        return [message.text for message in await person.memory.recent(person.turn(persona=persona), 50)]

    assert [await read_by(persona) for persona in personas] == [["hello"], ["hello"]]
    edited = person.turn(message=ids[second], time=sent, persona=second)
    await person.memory.record("user", "edited", edited)
    assert [await read_by(persona) for persona in personas] == [["hello"], ["edited"]]
    for _ in range(2):
        await person.memory.unrecord(edited)
    assert [await read_by(persona) for persona in personas] == [["hello"], []]
    await person.memory.unrecord(person.turn(message=ids[first], persona=first))
    assert await read_by(first) == []


@pytest.mark.parametrize("other", ["mail@example.org", "7@", "@7", "7@pp3", "x7@3"])
async def test_an_id_that_no_number_begins_is_of_no_earlier_version(person, other):
    await person.memory.record("user", "former", person.turn(message=other.partition("@")[0] or "7"))
    await person.memory.unrecord(person.turn(message=other))
    assert await texts(person) == ["former"]


async def test_a_message_deleted_at_its_source_is_gone(person, memory):
    await memory.record("user", "a slip", person.turn(message="m1"))
    await memory.record("user", "stays", person.turn(message="m2"))
    assert await memory.unrecord(person.turn(message="m1")) is True
    assert await texts(person) == ["stays"]
    assert await memory.unrecord(person.turn(message="m1")) is False


@pytest.mark.partitioned
async def test_nobody_rewrites_or_deletes_by_its_id_what_another_wrote(person, people, memory):
    grant = Grant(token=1, role="service", platforms=("telegram",), people=("7",))
    await memory.record("user", "I am at home", person.turn(message="m1"))
    theirs = people(7).turn(message="m1")
    for act in (
        memory.record("user", "I rob banks", theirs),
        memory.observe("My name is Thief", theirs, grant=grant),
        memory.unrecord(theirs, grant=grant),
    ):
        with pytest.raises(NotAllowed, match="written by somebody else"):
            await act
    assert await texts(person) == ["I am at home"]
    assert await people(7).values() == []


async def test_an_answer_is_edited_and_a_message_deleted_in_the_turn_of_another_whom_the_bot_acts_for(
    person, people, memory
):
    bot = Grant(token=1, role="service", platforms=("telegram",))
    await memory.record("user", "a slip", person.turn(message="m1"))
    await memory.record("assistant", "one moment", person.turn(message="m2"))
    moderator = people(7)
    await memory.record("assistant", "done", moderator.turn(message="m2"), grant=bot)
    grant = Grant(token=2, role="service", platforms=("telegram",), people=("7",))
    with pytest.raises(NotAllowed):
        await memory.record("assistant", "forged", moderator.turn(message="m2"), grant=grant)
    assert await memory.unrecord(moderator.turn(message="m1"), grant=bot)
    assert await texts(person) == ["done"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"chat": "457"}, {"space": "457"}, {"direct": True}, {"platform": "discord"}])
async def test_a_deletion_elsewhere_deletes_nothing_here(person, memory, place):
    await memory.record("user", "stays", person.turn(message="m1"))
    assert await memory.unrecord(person.turn(message="m1", **place)) is False
    assert await memory.unrecord(person.turn()) is False
    assert await texts(person) == ["stays"]


async def test_a_message_deleted_at_its_source_is_no_longer_looked_at(person, memory):
    """What was taken back before anyone looked at it must not be remembered."""
    from zgadka.ops import observe

    turn = person.turn(message="m1")
    await memory.apply(observe.note_message, turn, "I live in Lviv", "I live in Lviv")
    assert await memory.unrecord(turn)
    assert await memory.look(lambda tx: tx.observations.list()) == []


async def test_an_episode_is_told_nobody_once_a_message_of_it_was_deleted_at_its_source(person, memory):
    await memory.record("user", "part of it", person.turn(message="m1"))
    await person.call("create_episode", topic="t", summary="s", importance=1)
    await memory.unrecord(person.turn(message="m1"))
    result = await person.call("recall_episodes")
    assert result["episodes"] == []


async def test_nothing_of_somebody_invisible_is_recorded_neither_what_they_are_told(person, people, memory):
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    assert await memory.record("user", "hello", person.turn()) is None
    assert await memory.record("assistant", "hello to you", person.turn()) is None
    await people(7).speaks("somebody else")
    assert await texts(people(7)) == ["somebody else"]


async def test_an_edit_of_somebody_who_became_invisible_is_not_kept(person, memory):
    await memory.record("user", "before", person.turn(message="m1"))
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    assert await memory.record("user", "after", person.turn(message="m1")) is None
    assert "after" not in await texts(person)
    assert await memory.unrecord(person.turn(message="m1")) is False  # it says "before" no longer


async def test_any_number_of_days_is_understood(make_person, open_store):
    person = make_person(await open_store(message_days=1_000_000))
    await person.speaks("a telescope")
    assert (await person.memory.tidy())["messages"] == 0
    assert len(await person.memory.recent(person.turn())) == 1


@pytest.mark.every_case
async def test_a_message_without_an_id_that_is_recorded_again_comes_once(person, memory, clock):
    """As by a host that does not know what came of the first try."""
    said = person.turn(message=None, time=clock())
    first = await memory.record("user", "I am in Lviv", said)
    assert await memory.record("user", "I am in Lviv", said) == first
    later = replace(said, time=clock() + timedelta(seconds=1))
    others = [
        await memory.record("user", "I am in Kyiv", said),
        await memory.record("assistant", "I am in Lviv", said),
        await memory.record("user", "I am in Lviv", later),
        await memory.record("user", "I am in Lviv", replace(said, time=None)),
        await memory.record("user", "I am in Lviv", replace(said, time=None)),
    ]
    assert len({first, *others}) == 6


async def test_a_message_from_before_somebody_left_brings_them_not_back(person, memory, clock):
    """Learned later, or delivered late: the group is told their facts no more."""

    async def is_back() -> bool:
        [member] = await memory.look(lambda tx: tx.members.list(find_space(tx, person.turn())))
        return member.left_at is None

    turn = person.turn(time=clock.now)
    await memory.record("user", "hello", turn)
    clock.forward(days=1)
    await memory.report_member(turn.platform, turn.space, Member(user=turn.user_key, number=123, left_at=clock.now))
    clock.forward(days=1)
    await memory.record("user", "old", person.turn(time=clock.now - timedelta(days=400)))
    assert not await is_back()
    await memory.record("user", "I am here again", person.turn(time=clock.now))
    assert await is_back()


async def test_a_message_that_says_to_be_of_the_future_is_kept_no_longer(open_store, make_person, clock):
    memory = await open_store(message_days=7, background=False)
    person = make_person(memory)
    await memory.record("user", "Hello!", person.turn(message="m1", time=clock.now + timedelta(days=400)))
    assert [message.at for message in await memory.recent(person.turn())] == [clock.now]
    clock.forward(days=8)
    await memory.tidy()
    assert await memory.recent(person.turn()) == []
