"""A deletion through MCP: the person is asked, or confirms elsewhere; a model alone never deletes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp_people import ANNA, ERAS, Answering, fields
from mcp_types import ElicitResult

from zgadka import Settings, open_memory
from zgadka.mcp.server import build_server

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("back_end", ["sqlite", "postgres"])]
YES: dict[str, Any] = {"delete": True}
FACT = {"fact_type": "personal", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}


async def kept(memory: Any) -> int:
    return (await memory.recall(turn=ANNA, query="chess"))["count"]


@pytest.fixture
def note(memory):
    async def remember() -> str:
        return str((await memory.remember(turn=ANNA, content="plays chess"))["memory_id"])

    return remember


@pytest.mark.parametrize("era", ERAS)
async def test_an_accepted_form_is_the_persons_consent(connect, memory, note, era):
    person = Answering("accept", YES)
    client = await connect(era, elicitation_callback=person)
    memory_id = await note()
    answer = fields(await client.call_tool("forget", {"memory_id": memory_id}))
    assert answer["status"] == "deleted"
    assert person.seen == [f"Delete “plays chess” (ID:{memory_id})?"]
    assert await kept(memory) == 0


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "content", "status"),
    [
        ("decline", None, "cancelled"),
        ("accept", {"delete": False}, "cancelled"),
        ("cancel", None, "confirmation_required"),
        ("accept", None, "confirmation_required"),
        ("accept", {"delete": "true"}, "confirmation_required"),
        ("accept", {"yes": True}, "confirmation_required"),
    ],
    ids=["declined", "not ticked", "dismissed", "empty", "no truth value", "another field"],
)
async def test_any_other_answer_deletes_nothing(connect, memory, note, era, action, content, status):
    person = Answering(action, content)
    client = await connect(era, elicitation_callback=person)
    memory_id = await note()
    answer = fields(await client.call_tool("forget", {"memory_id": memory_id}))
    assert answer["status"] == status
    assert await kept(memory) == 1
    person.answer = ElicitResult(action="cancel")
    again = fields(await client.call_tool("forget", {"memory_id": memory_id}))
    assert again["status"] == "confirmation_required", "the model's second try is no consent"
    assert await kept(memory) == 1


async def test_a_form_that_is_never_answered_deletes_nothing(url, clock):
    async def never(context: Any, params: Any) -> Any:
        await asyncio.sleep(60)

    async with open_memory(url, settings=Settings(confirmation_seconds=1), clock=clock) as memory:
        memory_id = str((await memory.remember(turn=ANNA, content="plays chess"))["memory_id"])
        server = build_server(memory, lambda _: ANNA)
        async with Client(server, mode="legacy", elicitation_callback=never) as client:
            answer = fields(await client.call_tool("forget", {"memory_id": memory_id}))
        assert answer["status"] == "confirmation_required"
        assert "did not decide" in answer["message"]
        assert await kept(memory) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_is_cancelled_while_the_person_is_asked_deletes_nothing(connect, memory, note, era):
    asked = asyncio.Event()

    async def slow(*_: Any) -> Any:
        asked.set()
        await asyncio.sleep(60)

    client = await connect(era, elicitation_callback=slow)
    memory_id = await note()
    call = asyncio.create_task(client.call_tool("forget", {"memory_id": memory_id}))
    await asyncio.wait_for(asked.wait(), 120)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert await kept(memory) == 1
    assert not (await client.call_tool("recall", {"query": "chess"})).is_error, "the connection goes on"


@pytest.mark.parametrize("era", ERAS)
async def test_without_forms_no_number_of_calls_deletes_and_the_answer_says_how(connect, memory, note, era):
    client = await connect(era)
    memory_id = await note()
    for _ in range(7):
        answer = fields(await client.call_tool("forget", {"memory_id": memory_id}))
        assert answer["status"] == "confirmation_required"
        assert f"zgadka person forget {memory_id} --user 1 --platform mcp" in answer["message"]
        cleared = fields(await client.call_tool("clear_profile", {"reason": "x"}))
        assert "zgadka person forget --all --user 1 --platform mcp" in cleared["message"]
    await asyncio.gather(*(client.call_tool("forget", {"memory_id": memory_id}) for _ in range(8)))
    assert await kept(memory) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_an_application_that_tells_turns_apart_confirms_in_a_later_one(connect, memory, note, era):
    client = await connect(era)
    memory_id = await note()

    async def forget(turn: str, **more: str) -> str:
        meta = {"zgadka/turn": turn} | {f"zgadka/{name}": value for name, value in more.items()}
        return fields(await client.call_tool("forget", {"memory_id": memory_id}, meta=meta))["status"]

    assert await forget("m1") == "confirmation_required"
    assert await forget("m1") == "confirmation_required"
    assert await forget("m2", text="no, keep it") == "cancelled"
    assert await forget("m3") == "confirmation_required"
    assert await forget("m4", text="yes") == "deleted"


@pytest.mark.parametrize("given", [7, "", "x" * 300, ["m1"]])
async def test_a_turn_that_cannot_be_one_is_refused(wire, given):
    error = await wire.call("anna", "remember", content="x", more={"_meta": {"zgadka/turn": given}})
    assert error["code"] == -32602
    assert "_meta: turn must" in error["message"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_whole_profile_is_cleared_by_consent(connect, memory, note, era):
    person = Answering("accept", YES)
    client = await connect(era, elicitation_callback=person)
    await note()
    await client.call_tool("remember_fact", FACT)
    assert fields(await client.call_tool("clear_profile", {"reason": "asked"}))["status"] == "deleted"
    assert person.seen == ["Delete everything that is remembered about you: 1 facts, 1 notes, 0 episodes, 0 relations?"]
    assert await kept(memory) == 0


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "content", "status"),
    [
        ("accept", YES, "memory_deleted_successfully"),
        ("decline", None, "memory_update_failed_cancelled"),
        ("cancel", None, "memory_update_failed_not_confirmed"),
    ],
    ids=["accepted", "declined", "dismissed"],
)
async def test_a_note_that_is_blanked_is_asked_about_as_well(connect, memory, era, action, content, status):
    person = Answering(action, content)
    client = await connect(era, elicitation_callback=person)
    made = fields(
        await client.call_tool("create_long_term_memory", {"memory_content": "tea at five", "scope": "server_wide"})
    )
    blank = {"memory_id": made["memory_id"], "memory_content": " "}
    assert fields(await client.call_tool("update_long_term_memory", blank))["status"] == status
    assert len(person.seen) == 1
    found = await memory.recall(turn=ANNA, query="tea")
    assert found["count"] == (0 if person.answer.action == "accept" else 1)


@pytest.mark.parametrize("era", ERAS)
async def test_without_forms_a_blank_note_is_kept_as_any_memory_is(connect, memory, era):
    client = await connect(era)
    made = fields(
        await client.call_tool("create_long_term_memory", {"memory_content": "tea at five", "scope": "server_wide"})
    )
    blank = {"memory_id": made["memory_id"], "memory_content": ""}
    for _ in range(3):
        answer = fields(await client.call_tool("update_long_term_memory", blank))
        assert answer["status"] == "memory_update_failed_not_confirmed"
        assert f"zgadka person forget {made['memory_id']} --user 1 --platform mcp" in answer["message"]
    assert (await memory.recall(turn=ANNA, query="tea"))["count"] == 1
    unknown = fields(await client.call_tool("update_long_term_memory", blank | {"memory_id": 99}))
    assert unknown["status"] == "memory_update_failed_not_found"


async def test_looking_for_what_to_delete_and_unknown_ids_ask_nobody(connect, note):
    person = Answering("accept", YES)
    client = await connect(elicitation_callback=person)
    await note()
    assert fields(await client.call_tool("forget", {"query": "chess"}))["status"] == "candidates"
    assert fields(await client.call_tool("forget", {"memory_id": "99"}))["status"] == "not_found"
    assert person.seen == []


async def test_what_changed_while_the_person_was_asked_is_kept(connect, memory):
    client = await connect()
    made = fields(await client.call_tool("remember_fact", FACT))

    async def change(*_: Any) -> ElicitResult:
        arguments = {name: value for name, value in FACT.items() if name != "fact_value"}
        more = {"user_id": 1, "new_value": "Lviv", "change_reason": "correction"}
        assert (await memory.call("update_fact", arguments | more, ANNA)).status == "success"
        return ElicitResult(action="accept", content=YES)

    asking = await connect(elicitation_callback=change)
    answer = fields(await asking.call_tool("forget", {"memory_id": str(made["fact_id"])}))
    assert answer["status"] == "confirmation_required"
    assert "changed since the person was asked" in answer["message"]
    assert fields(await client.call_tool("recall_facts", {}))["count"] == 1


ACCEPTED = {"confirm": {"action": "accept", "content": YES}}


async def asked(wire: Any, memory_id: str, token: str = "anna") -> str:
    result = await wire.call(token, "forget", memory_id=memory_id)
    assert result["resultType"] == "input_required"
    return result["requestState"]


async def answered(wire: Any, memory_id: str, state: Any, token: str = "anna", **more: Any) -> Any:
    return await wire.call(
        token, "forget", memory_id=memory_id, more={"requestState": state, "inputResponses": ACCEPTED} | more
    )


async def test_over_http_an_answered_form_deletes(wire, memory, note):
    memory_id = await note()
    result = await answered(wire, memory_id, await asked(wire, memory_id))
    assert result["structuredContent"]["status"] == "deleted"
    assert await kept(memory) == 0


@pytest.mark.parametrize(
    "forge",
    [
        lambda state: state[:-4] + ("AAAA" if state[-4:] != "AAAA" else "BBBB"),
        lambda state: "mcp:" + "0" * 32,
        lambda _: "v1.e30",
        lambda _: "",
        lambda state: state.replace("v1.", "v2."),
    ],
    ids=["changed", "bare", "made up", "empty", "another version"],
)
async def test_a_forged_state_deletes_nothing(wire, memory, note, forge):
    memory_id = await note()
    result = await answered(wire, memory_id, forge(await asked(wire, memory_id)))
    assert result.get("code") == -32602
    assert await kept(memory) == 1


async def test_an_answer_without_a_question_deletes_nothing(wire, memory, note):
    memory_id = await note()
    await asked(wire, memory_id)
    result = await wire.call("anna", "forget", memory_id=memory_id, more={"inputResponses": ACCEPTED})
    assert result["resultType"] == "input_required", "the person is asked, whatever the client says they answered"
    assert await kept(memory) == 1


async def test_the_state_of_one_memorys_question_answers_no_other(wire, memory, note):
    first = await note()
    second = str((await memory.remember(turn=ANNA, content="chess on Sundays"))["memory_id"])
    state = await asked(wire, first)
    await asked(wire, second)
    assert (await answered(wire, second, state))["code"] == -32602
    assert await kept(memory) == 2


async def test_another_connections_state_deletes_nothing(wire, memory, note):
    memory_id = await note()
    state = await asked(wire, memory_id)
    assert (await answered(wire, memory_id, state, token="bohdan"))["code"] == -32602
    assert await kept(memory) == 1


async def test_a_state_answers_once_even_after_the_memory_came_back(wire, memory, note):
    memory_id = await note()
    state = await asked(wire, memory_id)
    assert (await answered(wire, memory_id, state))["structuredContent"]["status"] == "deleted"
    await memory.undo(int(memory_id), ANNA)
    assert (await answered(wire, memory_id, state))["resultType"] == "input_required"
    assert await kept(memory) == 1


async def test_a_question_that_was_asked_anew_is_no_longer_answered(wire, memory, note):
    memory_id = await note()
    old = await asked(wire, memory_id)
    new = await asked(wire, memory_id)
    stale = (await answered(wire, memory_id, old))["structuredContent"]
    assert stale["status"] == "confirmation_required"
    assert await kept(memory) == 1
    # The stale answer asked once more, so the dialogue in between is void too: only the last question counts.
    assert (await answered(wire, memory_id, new))["structuredContent"]["status"] == "confirmation_required"
    assert (await answered(wire, memory_id, await asked(wire, memory_id)))["structuredContent"]["status"] == "deleted"


async def test_an_expired_question_deletes_nothing(wire, memory, note, clock):
    memory_id = await note()
    state = await asked(wire, memory_id)
    clock.forward(minutes=6)
    assert (await answered(wire, memory_id, state))["structuredContent"]["status"] == "confirmation_required"
    assert await kept(memory) == 1
