"""Fake Gemini, OpenAI, Anthropic and Ollama servers that answer as a script does: real clients, over loopback."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from zgadka.chat.providers import choose_model
from zgadka.evals.behaviour import Talk, run_scenarios
from zgadka.evals.scenario import Scenario
from zgadka.evals.scripted import Heard, Script, script_for

_SERVER = Path(__file__).with_suffix(".mjs")
_KEYS = {"GEMINI_API_KEY": "no-key", "OPENAI_API_KEY": "no-key", "ANTHROPIC_API_KEY": "no-key"}
PATHS = {
    "google:gemini-3.8-flash": "",
    "openai:gpt-6-luna": "/v1",
    "ollama:qwen3": "/v1",
    "anthropic:claude-haiku-5-5": "",
}
"""The models that are faked, and where each one's API begins."""


class ScriptedProvider:
    """A running server, and the script by which it answers.

    Attributes:
        requests: How many it got.
        failed: What a script could not do.
    """

    def __init__(self, server: subprocess.Popen[str], url: str) -> None:
        self._server = server
        self._url = url
        self._script: Script | None = None
        self.requests = 0
        self.failed: list[Exception] = []

    async def talk(self, model: str, name: str, scenarios: Sequence[Scenario]) -> list[Talk]:
        """Let the script of this name talk through the scenarios, as this model's server."""
        async with AsyncExitStack() as stack:
            choice = await stack.enter_async_context(
                choose_model(model, base_url=self._url + PATHS[model], environ=_KEYS)
            )

            def model_for(scenario: Scenario) -> Any:
                self._script = script_for(name, scenario)
                return choice.model

            return await run_scenarios(scenarios, model_for)

    def answer_requests(self) -> None:
        """Answer until the server ends."""
        assert self._server.stdout is not None
        assert self._server.stdin is not None
        for line in self._server.stdout:
            self.requests += 1
            self._server.stdin.write(json.dumps(self._answer(json.loads(line))) + "\n")
            self._server.stdin.flush()

    def _answer(self, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        assert self._script is not None
        try:
            move = self._script([Heard(one["role"], _text(one.get("content"))) for one in messages])
        except Exception as error:  # noqa: BLE001  (it must not end the thread that everybody waits for)
            self.failed.append(error)
            return {"error": {"message": str(error), "type": "server_error"}, "status": 500}
        if move.calls:
            return {"toolCalls": [{"name": tool, "arguments": json.dumps(given)} for tool, given in move.calls]}
        return {"content": move.text}


def _text(content: Any) -> str:
    """A message's text; some clients send it in parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content or ""


@contextmanager
def scripted_provider(node: str, package: Path) -> Iterator[ScriptedProvider]:
    """Start the server, and end it.

    Args:
        node: The node program.
        package: The folder of aimock.
    """
    command = [node, str(_SERVER), str(package / "dist" / "index.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        provider = ScriptedProvider(server, json.loads(server.stdout.readline()))
        thread = threading.Thread(target=provider.answer_requests, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.terminate()
            thread.join()
