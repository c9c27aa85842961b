"""The loop against fake Gemini, OpenAI, Ollama and Anthropic servers over HTTP, with the real client libraries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from zgadka import Memory, Turn
from zgadka.chat.loop import Conversation
from zgadka.chat.providers import choose_model

# The fake ends a Gemini function call with a finish reason that Google's own library does not know.
pytestmark = pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason:UserWarning")

KYIV = {
    "user_id": 1,
    "fact_type": "personal",
    "fact_key": "location",
    "fact_value": "Kyiv",
    "confidence": 0.95,
}
SAID = "I noted that you live in Kyiv, a fine city on the Dnipro."
RECALL = {"name": "recall_facts", "arguments": {"user_id": 1}}
REMEMBER = {"name": "remember_fact", "arguments": KYIV}
# The first row that fits answers; messages that got no answer are sent again with the next one.
SCRIPT = (
    ({"userMessage": "I live in Kyiv", "hasToolResult": False}, {"toolCalls": [RECALL]}),
    ({"userMessage": "I live in Kyiv", "toolResultContains": '"count":0'}, {"toolCalls": [REMEMBER]}),
    ({"userMessage": "I live in Kyiv", "toolResultContains": '"status":"success"'}, {"content": SAID}),
    ({"userMessage": "locked"}, {"error": {"message": "bad key", "type": "auth"}, "status": 401}),
    ({"userMessage": "boom"}, {"error": {"message": "secret stack", "type": "server_error"}, "status": 500}),
    ({"userMessage": "where do I live"}, {"content": "In Kyiv."}),
)
CLIENTS = [
    ("google:gemini-3.8-flash", "", "/v1beta/models/gemini-3.8-flash:streamGenerateContent"),
    ("openai:gpt-6-luna", "/v1", "/v1/chat/completions"),
    ("anthropic:claude-haiku-5-5", "", "/v1/messages"),
]
OLLAMA = ("ollama:qwen3", "/v1", "/v1/chat/completions")  # spoken to by OpenAI's client
SERVERS = pytest.mark.parametrize(("model", "path", "endpoint"), [*CLIENTS, OLLAMA])
FAILING = pytest.mark.parametrize(
    ("model", "path", "endpoint"), [*CLIENTS, pytest.param(*OLLAMA, marks=pytest.mark.long)]
)
KEYS = {"GEMINI_API_KEY": "no-key", "ANTHROPIC_API_KEY": "no-key"}


async def hear(conversation: Conversation, text: str, turn: Turn) -> list[str]:
    async with aclosing(conversation.answer(text, turn)) as pieces:
        return [piece async for piece in pieces]


@pytest.fixture(autouse=True)
def _a_proxy_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


@SERVERS
@pytest.mark.asyncio
async def test_the_models_calls_run_and_the_answer_streams_out(
    model: str, path: str, endpoint: str, provider: Callable[..., Any], memory: Memory, turn: Turn
) -> None:
    server = provider(*SCRIPT)
    async with choose_model(model, base_url=server.url + path, environ=KEYS) as choice:
        conversation = Conversation(memory, choice.model)
        pieces = await hear(conversation, "I live in Kyiv", turn)
        assert "".join(pieces) == SAID
        assert len(pieces) > 1
        assert await hear(conversation, "where do I live", turn) == ["In Kyiv."]
    known = await memory.call("recall_facts", {"user_id": 1}, turn)
    assert [(fact["key"], fact["value"]) for fact in known["facts"]] == [("location", "Kyiv")]
    requests = server.journal()
    assert [request["path"].split("?")[0] for request in requests] == [endpoint] * 4
    assert [_results(request) for request in requests] == [0, 1, 2, 0]
    bodies = [request["body"] for request in requests]
    systems = [[message for message in body["messages"] if message["role"] == "system"] for body in bodies]
    assert all(system == systems[0] for system in systems), "what a provider keeps of a prompt ends where it differs"
    assert all(body["tools"] == bodies[0]["tools"] for body in bodies)
    last_message = bodies[-1]["messages"][-1]
    assert last_message["role"] == "user"
    assert 'fact "location: Kyiv"' in str(last_message["content"])
    assert "location: Kyiv" not in str(bodies[-1]["messages"][:-1])
    declared = {tool["function"]["name"] for tool in requests[0]["body"]["tools"]}
    assert declared == {tool.name for tool in memory.tools.select("core", "facts", "episodes")}


def _results(request: dict[str, Any]) -> int:
    return sum(message["role"] == "tool" for message in request["body"]["messages"])


@FAILING
@pytest.mark.asyncio
async def test_a_providers_failure_is_one_clear_line_and_the_conversation_goes_on(
    model: str, path: str, endpoint: str, provider: Callable[..., Any], memory: Memory, turn: Turn
) -> None:
    server = provider(*SCRIPT)
    async with choose_model(model, base_url=server.url + path, environ=KEYS) as choice:
        conversation = Conversation(memory, choice.model)
        assert await hear(conversation, "boom", turn) == ["[The model provider failed (HTTP 500). Please try again.]"]
        assert await hear(conversation, "locked", turn) == [
            "[The model provider did not accept the API key (HTTP 401). Check the key and try again.]"
        ]
        assert "".join(await hear(conversation, "I live in Kyiv", turn)) == SAID
    said = [(message.role, message.text) for message in await memory.recent(turn)]
    assert said == [("user", "boom"), ("user", "locked"), ("user", "I live in Kyiv"), ("assistant", SAID)]


@FAILING
@pytest.mark.asyncio
async def test_a_server_that_hangs_up_is_a_clear_line(
    model: str, path: str, endpoint: str, provider: Callable[..., Any], memory: Memory, turn: Turn
) -> None:
    server = provider(*SCRIPT, options=("--chaos-disconnect", "1"))
    async with choose_model(model, base_url=server.url + path, environ=KEYS) as choice:
        (line,) = await hear(Conversation(memory, choice.model), "I live in Kyiv", turn)
    assert line.startswith("[The model")


@FAILING
@pytest.mark.asyncio
async def test_a_server_that_talks_rubbish_is_a_clear_line(
    model: str, path: str, endpoint: str, provider: Callable[..., Any], memory: Memory, turn: Turn
) -> None:
    server = provider(*SCRIPT, options=("--chaos-malformed", "1"))
    async with choose_model(model, base_url=server.url + path, environ=KEYS) as choice:
        (line,) = await hear(Conversation(memory, choice.model), "I live in Kyiv", turn)
    assert line.startswith("[The model")


@pytest.mark.asyncio
async def test_nobody_listening_is_a_clear_line(memory: Memory, turn: Turn) -> None:
    async with choose_model("openai:any", base_url="http://127.0.0.1:9/v1", environ={}) as choice:
        (line,) = await hear(Conversation(memory, choice.model), "I live in Kyiv", turn)
    assert line.startswith("[The model cannot be reached.")
