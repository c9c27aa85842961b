"""A fake of the model providers that nobody here wrote (npm @copilotkit/aimock), and models scripted in Python."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic_ai.messages import ModelMessage, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from zgadka import Memory, Settings, Turn, open_memory

AIMOCK = "@copilotkit/aimock"
VERSION = "1.43.0"


@dataclass
class FakeProvider:
    """A running server that speaks Gemini, OpenAI and Anthropic."""

    url: str

    def journal(self) -> list[dict[str, Any]]:
        """Every request it got, oldest first."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{self.url}/__aimock/journal", timeout=120) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def aimock(npm_package: Callable[[str, str], tuple[str, Path]]) -> list[str]:
    """The command that starts the fake."""
    node, package = npm_package(AIMOCK, VERSION)
    return [node, str(package / "dist" / "cli.js")]


@pytest.fixture
def provider(aimock: list[str], tmp_path: Path) -> Iterator[Callable[..., FakeProvider]]:
    """Start the fake with a script: rows of what a request must match, and what it is answered."""
    started: list[subprocess.Popen[str]] = []

    def start(*rows: tuple[dict[str, Any], dict[str, Any]], options: tuple[str, ...] = ()) -> FakeProvider:
        script = tmp_path / f"script-{len(started)}.json"
        script.write_text(json.dumps({"fixtures": [{"match": match, "response": answer} for match, answer in rows]}))
        command = [*aimock, "--port", "0", "--fixtures", str(script), "--strict", *options]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        started.append(server)
        assert server.stdout is not None
        for line in server.stdout:
            if "listening on " in line:
                return FakeProvider(line.split("listening on ")[1].strip())
        raise AssertionError("the fake provider did not start")

    yield start
    for server in started:
        server.terminate()
        server.communicate()


@pytest_asyncio.fixture
async def memory(url: str) -> AsyncIterator[Memory]:
    async with open_memory(url) as memory:
        yield memory


@pytest_asyncio.fixture
async def without_fallback(url: str) -> AsyncIterator[Memory]:
    """A memory whose conversations do not answer without tools where those failed."""
    async with open_memory(url, settings=Settings(enable_automated_memory_fallback=False)) as memory:
        yield memory


@pytest.fixture
def turn() -> Turn:
    return Turn(platform="terminal", space="terminal", chat="terminal", user=1, direct=True)


def _told(messages: list[ModelMessage], info: AgentInfo) -> str:
    written = [part.content for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    return f"{info.instructions or ''}\n\n{written[-1]}"


@dataclass
class ScriptedModel:
    """A model that does what the script says: a text is said, `(tool, arguments)` are called, an exception is raised.
    A function makes a text of the prompt.

    Attributes:
        asked: The messages of every request.
        prompts: The system prompt of every request, and the last message with what the program says before it.
        offered: The tools of every request.
    """

    steps: list[Any]
    forever: bool = False

    def __post_init__(self) -> None:
        self.asked: list[list[ModelMessage]] = []
        self.prompts: list[str] = []
        self.offered: list[list[str]] = []
        self.model = FunctionModel(stream_function=self._stream)

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        number = len(self.asked)
        self.asked.append(list(messages))
        self.prompts.append(_told(messages, info))
        self.offered.append([tool.name for tool in info.function_tools])
        step = self.steps[number % len(self.steps) if self.forever else number]
        if isinstance(step, Exception):
            raise step
        if callable(step):
            step = step(self.prompts[-1])
        for part in step if isinstance(step, list) else [step]:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, str):
                yield part
        calls = [part for part in (step if isinstance(step, list) else [step]) if isinstance(part, tuple)]
        for index, (tool, arguments) in enumerate(calls):
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            yield {index: DeltaToolCall(tool, written, tool_call_id=f"{number}-{index}")}


@pytest.fixture
def scripted() -> Callable[..., ScriptedModel]:
    return lambda *steps, forever=False: ScriptedModel(list(steps), forever)
