"""Which later call confirms a deletion, where the host tells turns apart and where it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zgadka import Settings, open_memory
from zgadka.errors import SettingsError

pytestmark = pytest.mark.asyncio


def forgets(*ids):
    return [("forget", {"memory_id": number}) for number in ids]


async def test_calls_made_at_once_are_one_turn_also_without_an_id(person, memory):
    memory_id = await person.note("chess")
    nameless = person.turn(turn=None)
    for turn in (nameless, replace(nameless, text="delete it")):
        together = await memory.call_all(forgets(memory_id, memory_id, memory_id), turn)
        assert [one.status for one in together] == ["confirmation_required"] * 3
        await person.memory.call("forget", {"memory_id": memory_id}, person.turn(text="no"))
    clearing = ("clear_profile", {"user_id": 123, "reason": "asked"})
    together = await memory.call_all([clearing, clearing], nameless)
    assert [one.status for one in together] == ["confirmation_required"] * 2


async def test_two_batches_are_two_turns_and_so_are_a_batch_and_a_call(person, memory):
    first, second, third = [await person.note(text) for text in ("chess", "go", "tea")]
    turn = person.turn(turn=None)
    await memory.call_all(forgets(first), turn)
    [deleted] = await memory.call_all(forgets(first), turn)
    await memory.call_all(forgets(second), turn)
    after = await person.call("forget", turn=turn, memory_id=second)
    await person.call("forget", turn=turn, memory_id=third)
    [batch] = await memory.call_all(forgets(third), turn)
    assert [one.status for one in (deleted, after, batch)] == ["deleted"] * 3


async def test_without_an_id_the_text_tells_turns_apart(person):
    memory_id = await person.note("chess")
    order = person.turn(turn=None, text="delete it")
    for _ in range(3):
        assert (await person.call("forget", turn=order, memory_id=memory_id)).status == "confirmation_required"
    yes = person.turn(turn=None, text="yes")
    assert (await person.call("forget", turn=yes, memory_id=memory_id)).status == "deleted"


async def test_blanking_a_note_confirms_no_question_of_the_same_batch_or_of_a_nameless_request(person, memory):
    memory_id, nameless = await person.note("chess"), person.turn(turn=None)
    blank = ("update_long_term_memory", {"memory_id": memory_id, "memory_content": " ", "target_user": "123"})
    batches = ([blank, blank], [*forgets(memory_id), blank], [blank, *forgets(memory_id)])
    for calls in batches:
        await memory.call_all(calls, nameless)
        assert await person.found("chess") == ["chess"]
        await memory.call("forget", {"memory_id": memory_id}, person.turn(text="no"))
        for _ in range(2):
            await memory.call_all(calls, nameless, is_request=True)
            await memory.call(*blank, nameless, is_request=True)
        assert await person.found("chess") == ["chess"]
        await memory.call("forget", {"memory_id": memory_id}, person.turn(text="no"))
    await memory.call(*blank, nameless, is_request=True)
    assert (await memory.call(*blank, person.turn(text="yes"))).status == "memory_deleted_successfully"


async def test_a_note_that_a_tool_made_is_blanked_at_once_through_every_door(person, memory):
    note = {"memory_content": "tea at five", "scope": "server_wide"}
    made = await memory.call("create_long_term_memory", note, person.turn())
    blank = {"memory_id": made["memory_id"], "memory_content": ""}
    result = await memory.call("update_long_term_memory", blank, person.turn(turn=None), is_request=True)
    assert result.status == "memory_deleted_successfully"


async def test_through_a_door_without_id_and_text_nothing_is_confirmed_until_a_turn_says_so(person, memory):
    memory_id = await person.note("chess")
    nameless = person.turn(turn=None)
    named = {"forget": {"memory_id": memory_id}, "clear_profile": {"user_id": 123, "reason": "asked"}}
    for tool, arguments in named.items():
        for _ in range(3):
            result = await memory.call(tool, arguments, nameless, is_request=True)
            assert result.status == "confirmation_required"
            [together] = await memory.call_all([(tool, arguments)], nameless, is_request=True)
            assert together.status == "confirmation_required"
    assert (await memory.call("forget", named["forget"], person.turn(text="yes"))).status == "deleted"


@pytest.fixture
def settings():
    return replace(Settings(), undo_hours=0)


async def test_where_nothing_can_be_undone_two_nameless_calls_confirm_nothing(settings, clock, make_person):
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        person = make_person(memory, turn=None)
        memory_id = await person.note("chess")
        for _ in range(3):
            assert (await person.call("forget", memory_id=memory_id)).status == "confirmation_required"
        said = [await person.call("forget", turn=person.turn(text=text), memory_id=memory_id) for text in ("hm", "yes")]
        assert [one.status for one in said] == ["confirmation_required", "deleted"]


async def test_where_nothing_can_be_undone_a_blank_note_asks(settings, clock, make_person):
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        person = make_person(memory)
        note = await person.call("create_long_term_memory", memory_content="tea at five", scope="server_wide")

        async def blank(**turn):
            wanted = {"memory_id": note["memory_id"], "memory_content": " "}
            return await person.call("update_long_term_memory", turn=person.turn(**turn), **wanted)

        asked = await blank(text="delete the note")
        assert (asked.status, "tea at five" in asked.message) == ("memory_update_failed_not_confirmed", True)
        assert (await blank(text="no")).status == "memory_update_failed_cancelled"
        same = [await blank(turn="one"), await blank(turn="one"), await blank(text="why?")]
        assert {one.status for one in same} == {"memory_update_failed_not_confirmed"}
        assert (await person.found("tea")) == ["tea at five"]
        assert (await blank(text="yes")).status == "memory_deleted_successfully"
        assert (await person.found("tea")) == []


async def test_a_negative_undo_window_is_no_setting():
    with pytest.raises(SettingsError):
        Settings(undo_hours=-1)


async def test_a_profile_is_cleared_by_words_that_agree_alone(person):
    await person.note("chess")

    async def clear(text):
        return (await person.call("clear_profile", turn=person.turn(text=text), user_id=123, reason="asked")).status

    said = ["clear my profile", "what is the weather?", "delete my job", "no", "forget everything about me"]
    assert [await clear(text) for text in said] == ["confirmation_required"] * 3 + [
        "cancelled",
        "confirmation_required",
    ]
    assert await clear("yes, delete everything about me") == "deleted"
