"""Google ADK's own runner uses the memory service; the model is scripted."""

from __future__ import annotations

from collections.abc import AsyncGenerator
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

from zgadka import InvalidInput, Memory, PrivacyLevel
from zgadka.frameworks.adk import ZgadkaMemoryService, direct_chat

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


async def talk(memory: Memory, text: str, *parts: types.Part, user: str = OLENA) -> tuple[Any, ScriptedLlm]:
    """One session of a user with an agent that can look things up; the session goes into the memory."""
    model = ScriptedLlm(model="scripted", parts=list(parts))
    service = ZgadkaMemoryService(memory)
    sessions = InMemorySessionService()
    agent = LlmAgent(name="helper", model=model, tools=[load_memory])
    runner = Runner(app_name=APP, agent=agent, session_service=sessions, memory_service=service)
    session = await sessions.create_session(app_name=APP, user_id=user)
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for _ in runner.run_async(user_id=user, session_id=session.id, new_message=message):
        pass
    whole = await sessions.get_session(app_name=APP, user_id=user, session_id=session.id)
    assert whole is not None
    await service.add_session_to_memory(whole)
    return whole, model


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
