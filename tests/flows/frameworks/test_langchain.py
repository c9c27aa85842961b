"""LangChain's and LangGraph's own runners call the tools and use the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from zgadka import InvalidInput, Memory, PrivacyLevel, Settings, Turn, open_memory
from zgadka.frameworks.langchain import langchain_tools
from zgadka.frameworks.langgraph import ZgadkaStore

TURN = Turn(platform="telegram", space="456", chat="456", user=123)


class ScriptedChat(GenericFakeChatModel):
    """Says what it is given; it takes tools, as a real one does."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedChat:
        assert {tool.name for tool in tools} >= {"remember", "recall"}
        return self


def calls(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call-1", "type": "tool_call"}])


def speaker(config: RunnableConfig) -> Turn:
    return Turn(platform="telegram", space="456", chat="456", user=config.get("configurable", {})["user"])


@pytest.mark.asyncio
async def test_an_agent_remembers_for_the_person_whom_the_run_names(memory: Memory) -> None:
    model = ScriptedChat(messages=iter([calls("remember", content="Likes tea"), AIMessage("Noted.")]))
    agent = create_agent(model, langchain_tools(memory, speaker))
    question = {"messages": [{"role": "user", "content": "I like tea"}]}
    done = await agent.ainvoke(question, {"configurable": {"user": 123}})  # pyright: ignore[reportArgumentType,reportCallIssue]
    told = next(one for one in done["messages"] if isinstance(one, ToolMessage))
    assert json.loads(str(told.content)) == told.artifact
    assert (told.artifact["status"], done["messages"][-1].content) == ("success", "Noted.")
    assert (await memory.recall(turn=TURN, query="tea"))["count"] == 1


@pytest.mark.asyncio
async def test_a_tool_node_passes_on_what_is_wrong_with_the_arguments(memory: Memory) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(langchain_tools(memory, TURN)))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    for arguments in ({"content": "a", "user": 7}, {"content": 3}, {}):
        done = await graph.compile().ainvoke({"messages": [calls("remember", **arguments)]})
        assert json.loads(done["messages"][-1].content)["status"] == "invalid_args"
    assert (await memory.recall(turn=TURN, query="a"))["count"] == 0


@pytest.mark.asyncio
async def test_a_model_cannot_say_who_speaks(memory: Memory) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(langchain_tools(memory, speaker)))
    graph.add_edge(START, "tools")
    forged = calls("remember", content="Likes tea", config={"configurable": {"user": 7}})
    done = await graph.compile().ainvoke({"messages": [forged]}, {"configurable": {"user": 123}})  # pyright: ignore[reportArgumentType,reportCallIssue]
    assert json.loads(done["messages"][-1].content)["status"] == "success"
    other = Turn(platform="telegram", space="456", chat="456", user=7)
    assert (await memory.recall(turn=TURN, query="tea"))["count"] == 1
    assert (await memory.recall(turn=other, query="tea"))["count"] == 0


def test_the_declarations_are_the_registrys() -> None:
    async def declared() -> None:
        async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
            (remember, *_) = langchain_tools(memory, TURN, memory.tools.select("core"))
            schema = {**memory.tools["remember"].schema, "description": memory.tools["remember"].description}
            assert remember.tool_call_schema == schema
            assert remember.description == memory.tools["remember"].description

    asyncio.run(declared())


@pytest.mark.asyncio
async def test_what_a_node_puts_into_the_store_is_a_note_of_the_person(memory: Memory) -> None:
    async def remembers(state: MessagesState) -> dict[str, Any]:
        store = get_store()
        await store.aput(("users", "123"), "drink", {"text": "Likes tea"})
        found = await store.asearch(("users",), query="tea")
        return {"messages": [AIMessage(found[0].value["text"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("remembers", remembers)
    graph.add_edge(START, "remembers")
    done = await graph.compile(store=ZgadkaStore(memory, TURN)).ainvoke({"messages": [("user", "hi")]})  # pyright: ignore[reportArgumentType,reportCallIssue]
    assert done["messages"][-1].content == "Likes tea"
    assert [one["content"] for one in (await memory.recall(turn=TURN, query="tea"))["memories"]] == ["text: Likes tea"]


@pytest.mark.asyncio
async def test_a_synchronous_node_can_use_the_store(memory: Memory) -> None:
    store = ZgadkaStore(memory, TURN)
    await asyncio.to_thread(store.put, ("users",), "k", {"text": "a"})
    item = await asyncio.to_thread(store.get, ("users",), "k")
    assert item is not None
    assert item.value == {"text": "a"}
    with pytest.raises(InvalidInput, match="asynchronous"):
        store.get(("users",), "k")


VALUES: list[dict[str, Any]] = [
    {"text": "Likes tea"},
    {"text": " spaced "},
    {"text": "two\nlines: here"},
    {"n": 1.5, "deep": {"list": [1, None, "Київ"]}},
    {"two words": "x"},
    {"n": 3},
]


@pytest.mark.asyncio
@pytest.mark.parametrize("value", VALUES, ids=str)
async def test_an_item_comes_back_as_it_was(memory: Memory, value: dict[str, Any]) -> None:
    store = ZgadkaStore(memory, TURN)
    await store.aput(("a", "b"), "k", value)
    item = await store.aget(("a", "b"), "k")
    assert item is not None
    assert (item.value, item.namespace, item.key) == (value, ("a", "b"), "k")
    assert await store.aget(("a",), "k") is None
    assert await store.aget(("a", "b"), "K") is None


@pytest.mark.asyncio
async def test_equal_and_nearly_equal_items_stay_apart(memory: Memory) -> None:
    store = ZgadkaStore(memory, TURN)
    for key, value in {"one": {"a": "b"}, "two": {"a": "b"}, "three": {"ab": ""}}.items():
        await store.aput(("x",), key, value)
    await store.aput(("x",), "one", {"a": "changed"})
    values = {item.key: item.value for item in await store.asearch(("x",))}
    assert values == {"one": {"a": "changed"}, "two": {"a": "b"}, "three": {"ab": ""}}


@pytest.mark.asyncio
async def test_a_deleted_item_is_hidden_and_can_be_brought_back(memory: Memory) -> None:
    store = ZgadkaStore(memory, TURN)
    await store.aput(("x",), "k", {"text": "Likes tea"})
    ((memory_id,),) = [[one["memory_id"]] for one in (await memory.recall(turn=TURN, query="tea"))["memories"]]
    await store.adelete(("x",), "k")
    await store.adelete(("x",), "never was")
    assert await store.aget(("x",), "k") is None
    assert (await memory.recall(turn=TURN, query="tea"))["count"] == 0
    assert [event.action for event in await memory.history(memory_id, TURN)] == ["created", "forgotten"]
    await memory.undo(memory_id, TURN)
    assert await store.aget(("x",), "k") is not None
    await store.adelete(("x",), "k")
    await store.aput(("x",), "k", {"text": "Likes tea"})  # the same again revives it
    assert await store.aget(("x",), "k") is not None


@pytest.mark.asyncio
async def test_search_filters_pages_and_lists_namespaces(memory: Memory, clock: Any) -> None:
    store = ZgadkaStore(memory, TURN)
    for number in range(4):
        clock.forward(minutes=1)
        await store.aput(("users", f"u{number % 2}"), f"k{number}", {"n": number, "even": number % 2 == 0})

    async def keys(*prefix: str, **more: Any) -> list[str]:
        return [item.key for item in await store.asearch(prefix, **more)]

    assert await keys("users") == ["k3", "k2", "k1", "k0"]
    assert await keys("users", limit=2, offset=1) == ["k2", "k1"]
    assert await keys("users", "u1") == ["k3", "k1"]
    assert await keys("user") == []
    assert await keys("users", filter={"even": True}) == ["k2", "k0"]
    assert await keys("users", filter={"n": {"$gte": 1, "$lt": 3}}) == ["k2", "k1"]
    assert await keys("users", filter={"missing": {"$gt": 0}}) == []
    with pytest.raises(InvalidInput, match=r"no operator '\$like'"):
        await keys("users", filter={"n": {"$like": 1}})
    assert await store.alist_namespaces(prefix=("users",)) == [("users", "u0"), ("users", "u1")]
    assert await store.alist_namespaces(suffix=("u1",)) == [("users", "u1")]
    assert await store.alist_namespaces(prefix=("*", "u0")) == [("users", "u0")]
    assert await store.alist_namespaces(max_depth=1) == [("users",)]


@pytest.mark.asyncio
async def test_the_namespace_says_whose_items_they_are_only_through_the_host(memory: Memory) -> None:
    def whose(namespace: tuple[str, ...]) -> Turn:
        return Turn(platform="telegram", space="456", chat="456", user=namespace[1])

    store = ZgadkaStore(memory, whose)
    await store.aput(("users", "1"), "k", {"text": "secret"})
    assert await store.asearch(("users", "2")) == []
    assert await store.aget(("users", "1"), "k") is not None
    one = ZgadkaStore(memory, TURN)
    assert await one.aget(("users", "1"), "k") is None
    assert await one.asearch((), query="secret") == []


@pytest.mark.asyncio
async def test_limits_and_privacy_hold_for_the_store(people: Callable[..., Any]) -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(max_notes=1)) as memory:
        store = ZgadkaStore(memory, TURN)
        await store.aput(("x",), "k", {"text": "a"})
        with pytest.raises(InvalidInput, match="1 of 1 notes"):
            await store.aput(("x",), "l", {"text": "b"})
        with pytest.raises(InvalidInput, match="at most 1000 characters"):
            await store.aput(("x",), "k", {"text": "b" * 1001})
        with pytest.raises(InvalidInput, match="a name must have"):
            await store.aput(("x",), "k" * 300, {"text": "b"})
        await memory.set_privacy(PrivacyLevel.PARTIAL, TURN)
        assert await store.asearch(("x",)) == []
        with pytest.raises(InvalidInput, match="does not want"):
            await store.aput(("x",), "k", {"text": "c"})
