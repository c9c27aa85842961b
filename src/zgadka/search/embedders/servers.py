"""Models behind a server: OpenAI and all that speak like it, Gemini, Ollama. What is embedded is sent there."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote

from zgadka.errors import EmbeddingError
from zgadka.http import Server, ServerError
from zgadka.search.embedders.prefixed import PrefixedEmbedder, prefixes_of
from zgadka.search.embedders.vectors import Matrix, unit_rows
from zgadka.text.sanitize import storable

_MOST_TEXTS = 32
"""In one request: the least that a server in use takes by default."""
_MOST_BYTES = (8_000, 2_000, 500)
"""Of one text; the next number where the server refuses. A text has at most as many tokens as bytes, and servers take
from 512 (llama.cpp) to 8,192 tokens (OpenAI)."""
_MOST_ANSWER_BYTES = 64_000_000
_EMPTY = "."
"""Stands for a text without a letter, which servers refuse."""
_REFUSED = frozenset({400, 413, 422})
_LATER = frozenset({408, 409, 425, 429})


class ServerEmbedder(PrefixedEmbedder):
    """Asks a server; there is a class for each kind.

    Args:
        seconds: The longest that one answer may take.
        dimensions: How long the vectors are to be, for models that can be shortened; 0: as the model makes them.

    Attributes:
        kind: What vectors of such servers are named by.
        missing: What to do where the model is not there.
        own_url: The address of its maker's server.
        url_names: The variables in which other programs look for an address.
        key_names: The same for a key.
        key_header: The header that says the key, and what stands before it there.
    """

    kind: str
    missing: str
    own_url: str
    url_names: tuple[str, ...]
    key_names: tuple[str, ...]
    key_header = ("Authorization", "Bearer ")

    def __init__(self, model: str, server: Server, *, seconds: float, dimensions: int) -> None:
        super().__init__(prefixes_of(model))
        self.is_remote = not server.is_here
        self._model = model
        self._server = server
        self._seconds = seconds
        self._dimensions = dimensions
        self._found_dimensions = dimensions

    @abstractmethod
    def _request(self, texts: Sequence[str], *, is_query: bool) -> tuple[str, Any]:
        """The path and the body of a request; `is_query`: the one text is what somebody looks for."""

    @abstractmethod
    def _rows(self, answer: Any) -> list[Any]:
        """The rows of an answer; raises what Python does where it is no such answer."""

    @property
    def name(self) -> str:
        """The kind of server, the model, and what else makes its vectors different."""
        shortened = f"/{self._dimensions}" if self._dimensions else ""
        return f"{self.kind}:{self._model}{shortened}{self._prefixed}"

    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        rows: list[Any] = []
        for start in range(0, len(texts), _MOST_TEXTS):
            batch = [prefix + _clean(text) for text in texts[start : start + _MOST_TEXTS]]
            rows += self._ask(batch, is_query=is_query)
        return self._matrix(rows)

    def _ask(self, texts: Sequence[str], *, is_query: bool) -> Sequence[Any]:
        answer = self._post(texts, is_query=is_query)
        try:
            rows = self._rows(answer)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise EmbeddingError(
                f"{self._server.host} does not answer as a server of the kind {self.kind} does"
            ) from None
        if len(rows) != len(texts):
            raise EmbeddingError(f"{self._server.host} gave {len(rows)} vectors for {len(texts)} texts")
        return rows

    def _post(self, texts: Sequence[str], *, is_query: bool) -> Any:
        """Send the texts; shorter ones, where the server takes no long ones."""
        longest = max(len(text.encode()) for text in texts)
        *sizes, smallest = (limit for n, limit in enumerate(_MOST_BYTES) if n == 0 or limit < longest)
        for most_bytes in sizes:
            with suppress(_RefusedError):
                return self._post_cut(texts, most_bytes, is_query=is_query)
        return self._post_cut(texts, smallest, is_query=is_query)

    def _post_cut(self, texts: Sequence[str], most_bytes: int, *, is_query: bool) -> Any:
        cut = [text.encode()[:most_bytes].decode(errors="ignore") for text in texts]
        path, body = self._request(cut, is_query=is_query)
        host = self._server.host
        try:
            return self._server.post(path, body, seconds=self._seconds, most_bytes=_MOST_ANSWER_BYTES)
        except ServerError as error:
            raise self._explained(error) from None  # what the server says may repeat a text
        except TimeoutError as error:
            raise EmbeddingError(f"{host} did not answer in {self._seconds:g} seconds", retryable=True) from error
        except OSError as error:
            raise EmbeddingError(f"{host} cannot be reached: {error}", retryable=True) from error
        except ValueError:
            raise EmbeddingError(f"what {host} answers is no JSON, or too long", retryable=True) from None

    def _explained(self, error: ServerError) -> EmbeddingError:
        host, model, status = self._server.host, self._model, f"(HTTP {error.status})"
        if error.status in {401, 403} or "API_KEY_INVALID" in error.body:
            return EmbeddingError(f"{host} did not accept the key {status}; check embedder_key")
        if error.status == 404:
            return EmbeddingError(f"{host} has no model {model!r} there {status}; {self.missing}")
        if error.status in _REFUSED:
            return _RefusedError(f"{host} refused the texts {status}; check the model {model!r}")
        if error.status in _LATER or error.status >= 500:
            trouble = "has too many requests" if error.status == 429 else "failed"
            wait = _retry_after(error.retry_after, error.body)
            return EmbeddingError(f"{host} {trouble} {status}", retryable=True, retry_after_seconds=wait)
        if error.status < 400:
            return EmbeddingError(
                f"{host} points to another address, which is not followed {status}; check embedder_url"
            )
        return EmbeddingError(f"{host} answers with an error {status}; check embedder_url")

    def _matrix(self, rows: Sequence[Any]) -> Matrix:
        try:
            matrix = unit_rows(rows)
        except ValueError as error:
            raise EmbeddingError(f"{self._server.host} gave vectors that make no sense: {error}") from error
        dimensions = matrix.shape[1]
        if self._found_dimensions not in {0, dimensions}:
            raise EmbeddingError(
                f"{self._server.host} gave vectors of {dimensions} numbers, not {self._found_dimensions}"
                + ("; check embedder_dimensions" if self._dimensions else ": its model has changed")
            )
        self._found_dimensions = dimensions
        return matrix


class _RefusedError(EmbeddingError):
    """The server does not take what was sent; perhaps a text is too long for it."""


def _clean(text: str) -> str:
    text = storable(text[: _MOST_BYTES[0]])
    return text if text.strip() else _EMPTY


def _retry_after(header: str, body: str) -> float | None:
    """Read how long to wait: from the header in seconds or as a date, or from what Google's servers say."""
    if header.strip().isdecimal():
        return float(header)
    if header:
        try:
            return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):  # no date, or one without its zone
            return None
    match = re.search(r'"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"', body)
    return float(match[1]) if match else None


class OpenAI(ServerEmbedder):
    """OpenAI, and all that speak like it."""

    kind = "openai"
    missing = "check embedder, and embedder_url, which ends with /v1"
    own_url = "https://api.openai.com/v1"
    url_names, key_names = ("OPENAI_BASE_URL",), ("OPENAI_API_KEY",)

    def _request(self, texts: Sequence[str], *, is_query: bool) -> tuple[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": list(texts)}
        return "/embeddings", body | ({"dimensions": self._dimensions} if self._dimensions else {})

    def _rows(self, answer: Any) -> list[Any]:
        items = _items(answer, "data")
        rows = {int(item.get("index", n)): item["embedding"] for n, item in enumerate(items)}
        return [rows[n] for n in range(len(items))]


class Ollama(OpenAI):
    """Ollama, by its own address."""

    kind = "ollama"
    missing = "run: ollama pull with its name"
    own_url = "http://localhost:11434"
    url_names, key_names = ("OLLAMA_BASE_URL",), ("OLLAMA_API_KEY",)

    def _request(self, texts: Sequence[str], *, is_query: bool) -> tuple[str, Any]:
        return "/api/embed", super()._request(texts, is_query=is_query)[1] | {"truncate": True}

    def _rows(self, answer: Any) -> list[Any]:
        return _items(answer, "embeddings")


class Gemini(ServerEmbedder):
    """Google's Gemini."""

    kind = "gemini"
    missing = "check embedder"
    own_url = "https://generativelanguage.googleapis.com"
    url_names, key_names = ("GOOGLE_GEMINI_BASE_URL",), ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    key_header = ("x-goog-api-key", "")

    def _request(self, texts: Sequence[str], *, is_query: bool) -> tuple[str, Any]:
        model = f"models/{self._model}"
        path = f"/v1beta/{quote(model)}"
        options: dict[str, Any] = {"outputDimensionality": self._dimensions} if self._dimensions else {}
        if not self._prefixes.passage:  # newer models are told in words
            options["taskType"] = "RETRIEVAL_QUERY" if is_query else "RETRIEVAL_DOCUMENT"
        bodies = [{"model": model, "content": {"parts": [{"text": text}]}} | options for text in texts]
        return (f"{path}:embedContent", bodies[0]) if is_query else (f"{path}:batchEmbedContents", {"requests": bodies})

    def _rows(self, answer: Any) -> list[Any]:
        if "embedding" in answer:
            return [answer["embedding"]["values"]]
        return [item["values"] for item in _items(answer, "embeddings")]


SERVERS: dict[str, type[ServerEmbedder]] = {"openai": OpenAI, "gemini": Gemini, "google": Gemini, "ollama": Ollama}
"""By the name in the setting `embedder`."""


def _items(answer: Any, name: str) -> list[Any]:
    items = answer[name]
    if not isinstance(items, list):
        raise TypeError
    return cast("list[Any]", items)
