"""Who sees what, over every back end."""

from __future__ import annotations

import itertools

import pytest

from zgadka import InvalidInput, Member, Turn

pytestmark = pytest.mark.asyncio

# Measured in other systems: `*` saw 13 others, `u%` nine, the empty id fourteen; `u_1` saw `ux1`, `u1` `U1` and `u1 `.
ODD = [
    *("*", "%", "u%", "u_1", "ux1", "u1", "U1", "u1 ", " u1", "ú1", "u1\u0301", "ü1", "u\u03081", "ｕ1", " "),
    *("1", "01", "1.0", "-1", "0", "null", "' OR 1=1 --", "u1:u2", "u1,u2", "o1xu", "x" * 255),
]


@pytest.mark.partitioned
async def test_odd_user_ids_never_cross_people(memory, make_person):
    people = [make_person(memory, user=odd) for odd in ODD]
    for person, odd in zip(people, ODD, strict=True):
        await person.fact("hobby", f"hobby of {odd!r}")
        await person.note(f"note of {odd!r}")
    for person, odd in zip(people, ODD, strict=True):
        assert await person.values() == [f"hobby of {odd!r}"]
        assert sorted(await person.found("note hobby")) == sorted([f"hobby: hobby of {odd!r}", f"note of {odd!r}"])


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", ["space", "platform"])
async def test_odd_places_never_cross(memory, make_person, place):
    people = [make_person(memory, **{place: odd}) for odd in ODD]
    for person, odd in zip(people, ODD, strict=True):
        await person.fact("hobby", f"hobby at {odd!r}")
    for person, odd in zip(people, ODD, strict=True):
        assert await person.values() == [f"hobby at {odd!r}"]


async def test_odd_chats_never_answer_each_others_questions(memory, make_person):
    people = [make_person(memory, chat=odd) for odd in ODD]
    ids = [
        await person.note(f"note {odd!r} {'x' * index}")
        for index, (person, odd) in enumerate(zip(people, ODD, strict=True))
    ]
    for asker, other in itertools.pairwise(people):
        memory_id = ids[0]
        assert (await asker.call("forget", memory_id=memory_id)).status == "confirmation_required"
        assert (await other.call("forget", memory_id=memory_id)).status == "confirmation_required"
        await other.call("forget", turn=other.turn(text="no"), memory_id=memory_id)
        await asker.call("forget", turn=asker.turn(text="no"), memory_id=memory_id)
    assert await memory.look(lambda tx: tx.maintenance.counts()["notes"]) == len(ODD)


@pytest.mark.parametrize("field", ["platform", "space", "chat", "user", "turn", "thread", "message"])
@pytest.mark.parametrize("odd", ["", "a\0b", "\ud800", "x" * 256])
async def test_an_id_that_cannot_be_meant_makes_no_turn(person, field, odd):
    with pytest.raises(InvalidInput):
        person.turn(**{field: odd})


@pytest.mark.parametrize("user", [None, 1.0, True, b"1", ["1"]])
async def test_a_user_is_a_number_or_a_text(person, user):
    with pytest.raises(InvalidInput):
        person.turn(user=user)


async def test_a_numeric_id_is_the_same_person_as_number_and_as_text(person):
    await person.fact()
    assert await person.at(user="123").values() == ["Kyiv"]


@pytest.mark.partitioned
async def test_what_is_said_in_one_space_is_not_seen_in_another(person):
    await person.fact()
    await person.note("plays chess")
    there = person.at(space="457")
    assert await there.facts() == []
    assert await there.found("Kyiv chess") == []
    assert (await there.call("forget", query="chess")).status == "nothing_found"


@pytest.mark.partitioned
async def test_a_chat_of_the_same_space_shares_its_memory(person):
    await person.fact()
    assert await person.at(chat="another channel", thread="t").values() == ["Kyiv"]


@pytest.mark.partitioned
async def test_a_direct_chats_facts_are_never_seen_in_a_group(person):
    direct = person.at(direct=True, space="123", chat="123")
    fact_id = (await direct.fact("health", "has asthma"))["fact_id"]
    note = await direct.note("is looking for another job")
    assert await person.facts() == []
    assert await person.found("asthma job") == []
    assert (await person.call("forget", memory_id=f"{fact_id},{note}")).status == "not_found"
    assert await person.memory.history(fact_id, person.turn()) == []
    other = person.at(user=124)
    await person.memory.report_member("telegram", "456", Member(user="123", number=123))
    assert await other.values(user_id=123) == []


@pytest.mark.partitioned
async def test_a_direct_chat_is_not_the_group_with_the_same_id(person):
    """A host may pass any id as the space of a direct chat."""
    await person.at(direct=True).fact("health", "has asthma")
    assert await person.facts() == []
    assert await person.at(user=124, direct=True).facts() == []


@pytest.mark.partitioned
async def test_a_groups_suggestions_show_nothing_of_the_direct_chat(person):
    await person.at(direct=True).note("is looking for another job")
    result = await person.call("forget", memory_id="999")
    assert "suggestions" not in result
    await person.at(direct=True).fact("hobby", "poker")
    assert (await person.update("hobby", "go"))["suggestions"] == []


@pytest.mark.partitioned
async def test_the_same_value_in_a_group_is_no_duplicate_of_the_direct_chats(person):
    await person.at(direct=True).fact()
    assert (await person.fact()).status == "success"


@pytest.mark.partitioned
async def test_one_persons_facts_are_not_given_to_the_whole_group(person):
    """A group's whole window fed in as one user's words: everyone got everyone's facts."""
    await person.fact()
    assert await person.at(user=124).facts() == []


@pytest.mark.partitioned
async def test_in_a_group_a_members_facts_of_that_group_may_be_read(person):
    await (await person.speaks()).fact()
    assert await person.at(user=124).values(user_id=123) == ["Kyiv"]


@pytest.mark.partitioned
async def test_a_model_cannot_name_somebody_elses_memory_by_its_id(person):
    mine = (await person.fact("hobby", "chess"))["fact_id"]
    note = await person.note("chess club on Mondays")
    other = person.at(user=124)
    await other.fact("hobby", "go")
    assert (await other.call("forget", memory_id=f"{mine},{note}")).status == "not_found"
    assert (await other.update("hobby", "x", fact_id=mine)).status == "not_found"
    assert (await other.forget_fact("hobby", fact_id=mine)).status == "not_found"
    assert await other.memory.history(mine, other.turn()) == []
    assert await person.values() == ["chess"]


async def test_recall_is_about_the_speaker_or_somebody_of_this_place_and_forget_about_the_speaker_alone(person):
    await person.note("plays chess")
    other = person.at(user=124)
    assert await other.found("chess") == []
    assert (await other.call("recall", query="chess", user_id=123)).status == "invalid_target"
    await person.speaks()
    assert len((await other.call("recall", query="chess", user_id=123))["memories"]) == 1
    elsewhere = other.at(space="9", chat="9")
    assert (await elsewhere.call("recall", query="chess", user_id=123)).status == "invalid_target"
    assert (await other.call("forget", query="chess", user_id=123)).status == "invalid_args"


@pytest.mark.parametrize("user_id", [123, "123", 123.0])
async def test_a_user_id_that_a_tool_does_not_take_is_no_mistake_where_it_is_the_speakers(person, user_id):
    kept = await person.call("remember", content="plays chess", user_id=user_id)
    assert kept.status == "success"
    found = await person.call("forget", query="chess", user_id=user_id)
    assert [one["memory_id"] for one in found["candidates"]] == [kept["memory_id"]]
    assert (await person.call("forget", query="chess", user_id=124)).status == "invalid_args"


async def test_one_numbering_for_facts_and_notes(person):
    """Personal and server memories numbered separately but shown alike: the wrong row was changed."""
    ids = [
        (await person.fact("hobby", "chess"))["fact_id"],
        await person.note("chess"),
        (await person.at(user=9).fact())["fact_id"],
    ]
    assert len(set(ids)) == 3


@pytest.mark.partitioned
async def test_a_user_is_no_part_of_another_users_id(memory, make_person):
    """User 23 saw user 123's episodes (LIKE match on participants)."""
    await make_person(memory, user=123).note("chess")
    for user in (23, 12, 1, 1234, -123):
        assert await make_person(memory, user=user).found("chess") == []


@pytest.mark.partitioned
async def test_a_large_number_names_nobody_else(memory, make_person):
    """Ids above 2^53 do not survive the doubles of a provider's function call."""
    one, two = make_person(memory, user=2**60), make_person(memory, user=2**60 + 1)
    assert one.turn().user_number != two.turn().user_number
    assert all(person.turn().user_number < 2**53 for person in (one, two))
    await one.fact("hobby", "chess")
    assert await two.facts() == []
    assert await one.values() == ["chess"]
    assert await one.values(user_id=2**60) == ["chess"]


async def test_messages_of_one_chat_thread_and_persona_are_apart(person, memory):
    for place in (
        {},
        {"thread": "t"},
        {"chat": "457"},
        {"space": "457"},
        {"persona": 5},
        {"platform": "discord"},
        {"direct": True},
    ):
        await memory.record("user", f"hello at {place}", person.turn(**place))
    for place in (
        {},
        {"thread": "t"},
        {"chat": "457"},
        {"space": "457"},
        {"persona": 5},
        {"platform": "discord"},
        {"direct": True},
    ):
        assert [message.text for message in await memory.recent(person.turn(**place))] == [f"hello at {place}"]


async def test_recent_messages_are_the_last_ones_oldest_first(person, memory):
    for number in range(5):
        await memory.record("user" if number % 2 else "assistant", f"message {number}", person.turn())
    last = await memory.recent(person.turn(), 2)
    assert [(message.role, message.text, message.user) for message in last] == [
        ("user", "message 3", "123"),
        ("assistant", "message 4", "123"),
    ]


async def test_an_edited_message_replaces_the_first(person, memory):
    first = await memory.record("user", "helo", person.turn(message="m1"))
    assert await memory.record("user", "hello", person.turn(message="m1")) == first
    assert [message.text for message in await memory.recent(person.turn())] == ["hello"]


async def test_a_message_with_unstorable_characters_is_not_lost(person, memory):
    """A lone surrogate ended the whole session."""
    await memory.record("user", "a\0b\ud800c", person.turn())
    assert [message.text for message in await memory.recent(person.turn())] == ["a\ufffdb\ufffdc"]


async def test_nobody_has_said_anything_in_a_new_chat(person, memory):
    assert await memory.recent(person.turn()) == []


async def test_a_question_is_not_about_another_thread_of_the_chat_alone(person):
    """Questions belong to the chat: another of its threads is the same conversation partner."""
    memory_id = await person.note("chess")
    await person.at(thread="a").call("forget", memory_id=memory_id)
    assert (await person.at(thread="b").call("forget", memory_id=memory_id)).status == "deleted"


async def test_reading_leaves_no_trace(person, memory):
    before = await memory.look(lambda tx: tx.maintenance.counts())
    await person.facts()
    await person.found("chess")
    after = await memory.look(lambda tx: tx.maintenance.counts())
    assert {**after, "people": 0} == {**before, "people": 0}


def turn_in(zone):
    from datetime import datetime

    return Turn(platform="telegram", space="1", chat="1", user=1, time=datetime(2026, 1, 1, tzinfo=zone))


async def test_a_time_without_a_zone_makes_no_turn():
    with pytest.raises(InvalidInput, match="time zone"):
        turn_in(None)


@pytest.mark.parametrize("persona", [-1, 2**53, 1.5, True, "1"])
async def test_a_persona_is_a_whole_number(person, persona):
    with pytest.raises(InvalidInput):
        person.turn(persona=persona)
