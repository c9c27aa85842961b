"""A model on an OpenAI-compatible server: Ollama, llama.cpp, vLLM. Needs no package beyond the base install."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from zgadka.errors import SettingsError
from zgadka.extract.prompt import SCHEMA
from zgadka.http import Server, ServerError

_MAX_BYTES = 1_000_000
_MAX_TOKENS = 1_024


class LocalModel:
    """Asks a server for JSON of the answer's schema.

    A server that refuses structured output is asked without it, from then on.

    Args:
        url: The address up to and with `/v1`.
        model: The model's name on that server.
        seconds: The longest that one answer may take, however slowly it comes.
    """

    def __init__(self, url: str, model: str, *, seconds: float) -> None:
        try:
            self._server = Server(url, {})
        except ValueError as error:
            raise SettingsError(
                f"extraction_local_url={url!r}: give an address such as http://localhost:11434/v1"
            ) from error
        if not model:
            raise SettingsError("extraction_local_model is empty: say which model of the server to use")
        self._model = model
        self._seconds = seconds
        self._is_structured = True

    async def __call__(self, prompt: str) -> str:
        """Return the model's answer.

        Raises:
            OSError: The server cannot be reached, answers with an error, or not in time.
            ValueError: Its answer is not that of a chat completion.
        """
        return await asyncio.to_thread(self._ask, prompt)

    def _ask(self, prompt: str) -> str:
        ends = time.monotonic() + self._seconds
        try:
            return self._post(prompt, ends)
        except ServerError as error:
            if error.status not in {400, 422} or not self._is_structured:
                raise
        self._is_structured = False
        return self._post(prompt, ends)

    def _post(self, prompt: str, ends: float) -> str:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": _MAX_TOKENS,
            "stream": False,
        }
        if self._is_structured:
            schema = {"name": "memories", "schema": SCHEMA}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        seconds = ends - time.monotonic()
        match self._server.post("/chat/completions", body, seconds=seconds, most_bytes=_MAX_BYTES):
            case {"choices": [{"message": {"content": str(content)}}, *_]}:
                return content
            case _:
                raise ValueError("not a chat completion")
