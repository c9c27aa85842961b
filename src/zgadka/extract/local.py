"""A model on an OpenAI-compatible server: Ollama, llama.cpp, vLLM. Needs no package beyond the base install."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from zgadka.errors import SettingsError
from zgadka.extract.prompt import SCHEMA

_MOST_BYTES = 1_000_000
_PIECE = 16_384
_MOST_TOKENS = 1_024


class LocalModel:
    """Asks a server for JSON of the answer's schema.

    A server that refuses structured output is asked without it, from then on.

    Args:
        url: The address up to and with `/v1`.
        model: The model's name on that server.
        seconds: The longest that one answer may take, however slowly it comes.
        key: Sent as a bearer token where the server wants one.
    """

    def __init__(self, url: str, model: str, *, seconds: float, key: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingsError(f"extraction_local_url={url!r}: give an address such as http://localhost:11434/v1")
        if not model:
            raise SettingsError("extraction_local_model is empty: say which model of the server to use")
        self._address = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        # A proxy of the environment cannot reach this machine's own servers.
        handlers = [urllib.request.ProxyHandler({})] if _is_loopback(parts.hostname) else []
        self._opener = urllib.request.build_opener(*handlers)
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
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in {400, 422} or not self._is_structured:
                raise
        self._is_structured = False
        return self._post(prompt, ends)

    def _post(self, prompt: str, ends: float) -> str:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": _MOST_TOKENS,
            "stream": False,
        }
        if self._is_structured:
            schema = {"name": "memories", "schema": SCHEMA}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        request = urllib.request.Request(self._address, json.dumps(body).encode(), self._headers)  # noqa: S310
        with self._opener.open(request, timeout=max(0.01, ends - time.monotonic())) as answer:
            read = bytearray()
            while piece := answer.read1(_PIECE):
                read += piece
                # A server that sends a byte now and then never runs into the socket's own limit.
                if time.monotonic() > ends:
                    raise TimeoutError("the server did not finish in time")
                if len(read) > _MOST_BYTES:
                    raise ValueError("the server's answer is too long")
        return _content(bytes(read))


def _content(answer: bytes) -> str:
    try:
        match json.loads(answer):
            case {"choices": [{"message": {"content": str(content)}}, *_]}:
                return content
            case _:
                raise ValueError("not a chat completion")
    except RecursionError as error:
        raise ValueError("not a chat completion") from error


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
