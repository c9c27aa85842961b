"""Google ADK's own runner uses the memory service; the model is scripted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory
from google.genai import types
from pydantic import Field

from zgadka import InvalidInput, Memory, PrivacyLevel, Turn
from zgadka.frameworks.adk import Place, ZgadkaMemoryService, direct_chat

APP, OLENA = "assistant", "olena"


class ScriptedLlm(BaseLlm):
    """Answers with the next of its parts, and keeps what it was asked."""

    parts: list[types.Part]
    asked: list[LlmRequest] = Field(default_factory=list[LlmRequest])

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse]:
        self.asked.append(llm_request.model_copy(deep=True))
        yield LlmResponse(content=types.Content(role="model", parts=[self.parts.pop(0)]))


def looks_up(query: str) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name="load_memory", args={"query": query}))


async def talk(
    memory: Memory,
    text: str,
    *parts: types.Part,
    user: str = OLENA,
    place: Place = direct_chat,
    tools: Sequence[Any] = (load_memory,),
) -> tuple[Any, ScriptedLlm]:
    """One session of a user with an agent that can look things up; the session goes into the memory."""
    model = ScriptedLlm(model="scripted", parts=list(parts))
    service = ZgadkaMemoryService(memory, place)
    sessions = InMemorySessionService()
    agent = LlmAgent(name="helper", model=model, tools=list(tools))
    runner = Runner(app_name=APP, agent=agent, session_service=sessions, memory_service=service)
    session = await sessions.create_session(app_name=APP, user_id=user)
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for _ in runner.run_async(user_id=user, session_id=session.id, new_message=message):
        pass
    whole = await sessions.get_session(app_name=APP, user_id=user, session_id=session.id)
    assert whole is not None
    await service.add_session_to_memory(whole)
    return whole, model


def family(app_name: str, user_id: str, session_id: str | None) -> Turn:
    """A place that users share."""
    return Turn(platform=app_name, space="family", chat="family", user=user_id)


async def delete(memory: Memory, memory_id: int, turn: Turn) -> None:
    statuses: list[str] = []
    for text in ("forget it", "yes"):
        said = replace(turn, turn=text, text=text)
        statuses.append((await memory.call("forget", {"memory_id": memory_id}, said)).status)
    assert statuses == ["confirmation_required", "deleted"]


def told(model: ScriptedLlm) -> str:
    """What the last request told the model of the tool's answer."""
    responses = [
        part.function_response.response
        for content in model.asked[-1].contents
        for part in content.parts or []
        if part.function_response
    ]
    return str(responses)


@pytest.mark.asyncio
async def test_what_a_user_said_in_one_session_is_found_in_the_next(memory: Memory) -> None:
    await talk(memory, "I live in Kyiv.", types.Part(text="I live in a computer in Oslo."))
    _, model = await talk(memory, "Where do I live?", looks_up("where do I live"), types.Part(text="Kyiv."))
    assert "location: Kyiv" in told(model)
    _, model = await talk(memory, "Where does she live?", looks_up("Kyiv"), types.Part(text="?"), user="taras")
    assert "Kyiv" not in told(model)


@pytest.mark.asyncio
async def test_memories_are_made_of_the_users_words_alone_and_once(memory: Memory) -> None:
    session, _ = await talk(memory, "I live in Kyiv.", types.Part(text="I live in Oslo. My name is Helper."))
    service = ZgadkaMemoryService(memory)
    await service.add_session_to_memory(session)
    await service.add_events_to_memory(app_name=APP, user_id=OLENA, events=session.events)
    turn = direct_chat(APP, OLENA, None)
    facts = await memory.recall_facts(turn=turn, user_id=turn.user_number)
    assert [(fact["key"], fact["value"]) for fact in facts["facts"]] == [("location", "Kyiv")]
    history = await memory.history(facts["facts"][0]["fact_id"], turn)
    assert [event.action for event in history] == ["created"]
    assert [message.role for message in await memory.recent(turn)] == ["user", "assistant"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("tool", "answer", "content"),
    [
        (
            types.FunctionCall(name="load_memory", args={"query": "cabin"}),
            "Well, the cabin is in Lviv",
            "The cabin is in Lviv",
        ),
        (types.FunctionCall(name="about_olena", args={}), "Kyiv, as she says", "location: Kyiv"),
    ],
    ids=["load_memory", "a tool of the program"],
)
async def test_an_answer_to_another_that_was_given_what_was_forgotten_is_told_nobody(
    memory: Memory, tool: types.FunctionCall, answer: str, content: str
) -> None:
    olena, taras = family(APP, OLENA, None), family(APP, "taras", None)
    await talk(memory, "I live in Kyiv.", types.Part(text="Noted."), place=family)
    note = {"memory_content": "The cabin is in Lviv", "scope": "server_wide"}
    await memory.call("create_long_term_memory", note, olena)

    async def about_olena() -> dict[str, Any]:
        """Look Olena up."""
        return dict(await memory.call("recall_facts", {"user_id": olena.user_number}, taras))

    parts = types.Part(function_call=tool), types.Part(text=answer)
    await talk(memory, "Where?", *parts, user="taras", place=family, tools=(load_memory, about_olena))
    assert answer in [message.text for message in await memory.recent(taras)]
    recalled = await memory.recall(turn=olena, query=content)
    [memory_id] = [found["memory_id"] for found in recalled["memories"] if found["content"] == content]
    await delete(memory, memory_id, olena)
    for turn in (olena, taras):
        assert answer not in [message.text for message in await memory.recent(turn)]
        assert answer not in str(await memory.recall(turn=turn, query=answer))


@pytest.mark.asyncio
async def test_explicit_memories_are_remembered_or_refused_aloud(memory: Memory) -> None:
    service = ZgadkaMemoryService(memory)

    async def add(*texts: str) -> None:
        entries = [MemoryEntry(content=types.Content(parts=[types.Part(text=text)])) for text in texts]
        await service.add_memory(app_name=APP, user_id=OLENA, memories=entries)

    await add("Likes tea", "Likes tea")
    found = await service.search_memory(app_name=APP, user_id=OLENA, query="tea")
    assert [(one.id, (one.content.parts or [])[0].text) for one in found.memories] == [("1", "Likes tea")]
    with pytest.raises(InvalidInput, match="invalid_args"):
        await add(" ")
    await memory.set_privacy(PrivacyLevel.FULL, direct_chat(APP, OLENA, None))
    with pytest.raises(InvalidInput, match="privacy_restricted"):
        await add("Likes coffee")
    with pytest.raises(NotImplementedError):
        await service.delete_memory(app_name=APP, user_id=OLENA, memory_id="1")


@pytest.mark.asyncio
async def test_an_empty_question_is_refused_aloud(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="nothing was looked up"):
        await ZgadkaMemoryService(memory).search_memory(app_name=APP, user_id=OLENA, query="")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "said", ["off the record, I am a nurse", "I'm a nurse. Don't save that", "не для запису: я медсестра"]
)
async def test_the_answer_to_what_is_off_the_record_is_told_nobody(memory: Memory, said: str) -> None:
    await talk(memory, said, types.Part(text="A nurse, noted."))
    _, model = await talk(memory, "What is my job?", looks_up("nurse"), types.Part(text="I don't know"))
    assert "noted" not in told(model)
