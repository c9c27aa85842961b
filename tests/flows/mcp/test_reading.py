"""What a client may read and insert, and what it is told meanwhile: resources, prompts, progress, log."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_people import ANNA, ERAS, Answering, fields

from zgadka import PrivacyLevel
from zgadka.mcp import server, views
from zgadka.model.token import Grant

pytestmark = pytest.mark.asyncio

SERVICE = Grant(token=1, role="service", platforms=("mcp",))


async def text(client: Any, place: str) -> str:
    return (await client.read_resource(place)).contents[0].text


@pytest.fixture
def fact(memory):
    async def remember(value: str = "Kyiv") -> int:
        given = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "fact_value": value, "confidence": 0.9}
        return (await memory.call("remember_fact", given, ANNA))["fact_id"]

    return remember


@pytest.mark.parametrize("era", ERAS)
async def test_what_can_be_read_is_listed_and_readable(connect, fact, era):
    memory_id = await fact()
    client = await connect(era)
    listed = (await client.list_resources()).resources
    assert [one.uri for one in listed] == ["memory://profile", "memory://recent", "memory://context"]
    for one in listed:
        assert one.title
        assert one.description
        contents = (await client.read_resource(one.uri)).contents
        assert contents[0].mime_type == one.mime_type
        assert "Kyiv" in contents[0].text
    templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
    assert templates == ["memory://memories/{memory_id}", "memory://search/{query}"]
    assert "Kyiv" in await text(client, f"memory://memories/{memory_id}")
    found = json.loads(await text(client, "memory://search/where%20in%20%D0%9A%D0%B8%D1%97%D0%B2"))
    assert [one["memory_id"] for one in found["memories"]] == [memory_id]


async def test_a_memory_is_read_with_its_history(connect, memory, fact):
    memory_id = await fact()
    change = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.call("update_fact", change | {"new_value": "Lviv", "change_reason": "update"}, ANNA)
    client = await connect()
    told = json.loads(await text(client, f"memory://memories/{memory_id}"))
    assert told["memory"]["content"] == "location: Lviv"
    assert [(one["action"], one["before"], one["after"]) for one in told["history"]] == [
        ("created", None, "location: Kyiv"),
        ("updated", "location: Kyiv", "location: Lviv"),
    ]


async def test_where_others_read_along_a_memory_is_read_without_its_history(memory, fact):
    memory_id, uri = await fact(), "memory://memories/"
    group = replace(ANNA, direct=False)
    noted = await memory.call("remember", {"content": "likes tea"}, group)
    for grant in (None, SERVICE, replace(SERVICE, spaces=("home",))):
        told = await views.read(memory, f"{uri}{noted['memory_id']}", group, grant)
        assert told is not None
        assert json.loads(told[0]).keys() == {"memory"}
    told = await views.read(memory, f"{uri}{memory_id}", ANNA, SERVICE)
    assert told is not None
    assert "history" in json.loads(told[0])


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_of_who_wants_no_memory_nothing_is_read_by_an_id(connect, memory, fact, level):
    memory_id = await fact()
    await memory.set_privacy(level, ANNA)
    client = await connect()
    with pytest.raises(MCPError, match="no such memory"):
        await client.read_resource(f"memory://memories/{memory_id}")


async def test_of_a_deleted_memory_nothing_is_read(connect, memory, fact):
    memory_id = await fact()
    client = await connect(elicitation_callback=Answering("accept", {"delete": True}))
    await client.call_tool("forget", {"memory_id": str(memory_id)})
    with pytest.raises(MCPError, match="no such memory"):
        await client.read_resource(f"memory://memories/{memory_id}")
    assert "Kyiv" not in await text(client, "memory://recent")


async def test_of_what_was_forgotten_nothing_is_read(connect, memory, fact):
    memory_id = await fact()
    change = {"user_id": 1, "fact_type": "personal", "fact_key": "location"}
    moved = change | {"confidence": 0.9, "new_value": "Lviv", "change_reason": "update"}
    past = (await memory.call("update_fact", moved, ANNA))["past_fact_id"]
    client = await connect(elicitation_callback=Answering("accept", {"delete": True}))
    await client.call_tool("forget", {"memory_id": str(past)})
    assert "Kyiv" not in await text(client, f"memory://memories/{memory_id}")
    await memory.call("forget_fact", change | {"reason": "user_requested"}, ANNA)
    with pytest.raises(MCPError, match="no such memory"):
        await client.read_resource(f"memory://memories/{memory_id}")


async def test_in_a_group_a_memory_is_read_without_its_history(connect, memory):
    group = replace(ANNA, direct=False)
    kept = (await memory.call("remember", {"content": "chess"}, group))["memory_id"]
    told = json.loads(await text(await connect(who=group), f"memory://memories/{kept}"))
    assert (told["memory"]["content"], told.keys()) == ("chess", {"memory"})


async def test_every_memory_that_is_listed_as_recent_is_read_by_its_id(connect, memory, people):
    group, bob = replace(ANNA, direct=False), people(2, platform="mcp", space=ANNA.space, chat=ANNA.chat)
    await bob.speaks()
    await memory.record("user", "Hello!", group)
    await memory.remember(turn=group, content="chess")
    await bob.call("create_long_term_memory", memory_content="We meet on Monday", scope="server_wide")
    await bob.call("create_episode", topic="Tea", summary="We had tea", importance=0.5)
    await bob.call("remember_relationship", user_id=2, related_user_id=1, relationship="friend")
    client = await connect(who=group)
    listed = json.loads(await text(client, "memory://recent"))["memories"]
    assert len(listed) == 4
    for one in listed:
        told = json.loads(await text(client, f"memory://memories/{one['memory_id']}"))
        assert (told["memory"]["content"], told.keys()) == (one["content"], {"memory"})
    own = await bob.note("secret")
    with pytest.raises(MCPError, match="no such memory"):
        await client.read_resource(f"memory://memories/{own}")


@pytest.mark.parametrize("era", ERAS)
async def test_what_breaks_is_logged_with_its_place_and_nobodys_words(connect, monkeypatch, caplog, era):
    async def broken(_, place, *__):
        raise KeyError(f"xylographer at {place}")

    monkeypatch.setattr(server.views, "read", broken)
    client = await connect(era)
    with pytest.raises(MCPError) as told:
        await client.read_resource("memory://recent")
    assert "in broken" in caplog.text
    assert "KeyError at" in caplog.text
    assert "xylographer at memory" not in caplog.text + str(told.value)


@pytest.mark.parametrize("era", ERAS)
async def test_what_the_library_logs_of_us_has_nobodys_words_either(connect, monkeypatch, caplog, era):
    def broken(*_, **__):
        raise KeyError(word)

    word = "xylographer"
    client = await connect(era)
    monkeypatch.setattr(server, "_prompt", broken)
    with pytest.raises(MCPError):
        await client.list_prompts()
    assert "KeyError at" in caplog.text
    assert word not in caplog.text


async def test_who_is_invisible_to_memory_reads_nothing(connect, memory, fact):
    await fact()
    await memory.set_privacy(PrivacyLevel.FULL, ANNA)
    client = await connect()
    for place in ("memory://profile", "memory://recent", "memory://context", "memory://search/Kyiv"):
        assert "Kyiv" not in await text(client, place)


async def test_the_newest_comes_first_and_others_memories_do_not_come(connect, memory, people, clock):
    for content in ("chess", "tea", "Rome"):
        clock.forward(minutes=1)
        await memory.remember(turn=ANNA, content=content)
    await people(2, platform="mcp").note("secret")
    told = json.loads(await text(await connect(), "memory://recent"))
    assert [one["content"] for one in told["memories"]] == ["Rome", "tea", "chess"]


@pytest.mark.parametrize("era", ERAS)
async def test_prompts_are_listed_and_filled(connect, fact, era):
    await fact()
    client = await connect(era)
    prompts = (await client.list_prompts()).prompts
    assert [one.name for one in prompts] == [one.name for one in views.PROMPTS]
    assert all(one.title and one.description for one in prompts)
    for one in prompts:
        assert (await client.get_prompt(one.name)).messages[0].content.text
    asked = await client.get_prompt("about_me", {"topic": "where I live {x}"})
    assert asked.messages[0].content.text.endswith("only about this: where I live {x}")
    assert "Kyiv" in asked.messages[1].content.resource.text
    with pytest.raises(MCPError, match="no prompt 'nothing'; there are memory_guidance"):
        await client.get_prompt("nothing")


async def test_the_guidance_names_only_tools_that_there_are(connect):
    named = {"update_fact", "forget"}
    assert all(name in views.GUIDANCE for name in named)
    assert named <= {tool.name for tool in (await (await connect()).list_tools()).tools}


@pytest.mark.parametrize("era", ERAS)
async def test_while_a_person_thinks_the_client_hears_that_it_goes_on(connect, memory, monkeypatch, era):
    monkeypatch.setattr(server, "_HEARTBEAT_SECONDS", 0.05)
    heard: list[float] = []

    async def slowly(*_: Any) -> Any:
        while era == "legacy" and len(heard) < 2:  # noqa: ASYNC110  (in the newer one they think between two requests)
            await asyncio.sleep(0.01)
        return Answering("decline").answer

    async def progress(so_far: float, total: float | None, message: str | None) -> None:
        heard.append(so_far)
        assert total is None
        assert message

    kept = str((await memory.remember(turn=ANNA, content="chess"))["memory_id"])
    client = await connect(era, elicitation_callback=slowly)
    result = await client.call_tool("forget", {"memory_id": kept}, progress_callback=progress)
    assert fields(result)["status"] == "cancelled"
    assert heard == sorted(set(heard))


@pytest.mark.parametrize("era", ERAS)
async def test_of_a_slow_call_the_client_hears_that_it_goes_on(connect, memory, monkeypatch, era):
    monkeypatch.setattr(server, "_HEARTBEAT_SECONDS", 0.05)
    heard, go = list[float](), threading.Event()

    async def progress(so_far: float, total: float | None, message: str | None) -> None:
        heard.append(so_far)
        if len(heard) >= 2:
            go.set()

    client = await connect(era)
    busy = asyncio.create_task(memory.apply(lambda tx: go.wait(30)))
    await asyncio.sleep(0)  # it is first in line
    await client.call_tool("remember", {"content": "chess"}, progress_callback=progress)
    assert await busy, "nothing was heard"
    assert heard == sorted(set(heard))


async def test_the_log_tells_tool_status_and_time_and_nobodys_words(connect):
    heard: list[Any] = []

    async def hear(params: Any) -> None:
        heard.append(params)

    client = await connect(logging_callback=hear, log_level="info")
    await client.call_tool("remember", {"content": "secret chess"})
    await client.call_tool("recall", {"query": "secret"})
    assert [(one.level, one.data["tool"], one.data["status"]) for one in heard] == [
        ("info", "remember", "success"),
        ("info", "recall", "success"),
    ]
    assert all(set(one.data) == {"tool", "status", "ms"} for one in heard)
    quiet = await connect(logging_callback=hear)
    await quiet.call_tool("remember", {"content": "tea"})
    assert len(heard) == 2, "nobody asked for it"


async def test_a_client_of_an_older_protocol_sets_the_level(connect):
    heard: list[Any] = []

    async def hear(params: Any) -> None:
        heard.append(params.level)

    client = await connect("legacy", logging_callback=hear)
    await client.call_tool("remember", {"content": "chess"})
    assert heard == []
    with pytest.warns(match="logging capability is deprecated"):
        await client.set_logging_level("info")
    await client.call_tool("remember", {"content": "tea"})
    await client.call_tool("recall", {"query": "tea"})
    assert heard == ["info", "info"]


@pytest.mark.hurried
async def test_the_result_of_a_queued_call_comes_with_a_later_one(connect, memory, monkeypatch):
    client, go, real = await connect(), threading.Event(), memory._calls._put_in_line

    async def put_in_line(*given: Any) -> Any:
        go.set()  # what is put in line must get its turn
        return await real(*given)

    monkeypatch.setattr(memory._calls, "_put_in_line", put_in_line)
    busy = asyncio.create_task(memory.apply(lambda tx: go.wait(30)))
    await asyncio.sleep(0)  # it is first in line
    queued = fields(await client.call_tool("remember", {"content": "chess"}))
    await busy
    assert queued["status"] == "queued"
    later: list[Any] = []
    for _ in range(400):
        later = (await client.call_tool("recall", {"query": "chess"})).content
        if len(later) == 2:
            break
        await asyncio.sleep(0.05)
    told = json.loads(later[1].text.removeprefix("Of an earlier call: "))
    assert told["task_id"] == queued["task_id"]
    assert told["result"]["status"] == "success"
    assert len((await client.call_tool("recall", {"query": "chess"})).content) == 1, "it is told once"
