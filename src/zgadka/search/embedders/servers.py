"""Models behind a server: OpenAI and all that speak like it, Gemini, Ollama. What is embedded is sent there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from zgadka.errors import EmbeddingError
from zgadka.http import Server, ServerError
from zgadka.search.embedders.prefixed import PrefixedEmbedder
from zgadka.search.embedders.prefixes import prefixes_of
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


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked at once.

    Attributes:
        is_query: Whether the one text is what somebody looks for.
        dimensions: How long the vectors are to be; 0: as the model makes them.
    """

    model: str
    texts: Sequence[str]
    is_query: bool
    dimensions: int


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one kind of server is talked to.

    Attributes:
        ask: Gives the path and the body of a request.
        read: Gives the rows of an answer, or None where it is no such answer.
        missing: What to do where the model is not there.
    """

    kind: str
    ask: Callable[[Request], tuple[str, Any]]
    read: Callable[[Any], Sequence[Any] | None]
    missing: str


class ServerEmbedder(PrefixedEmbedder):
    """Asks a server.

    Args:
        seconds: The longest that one answer may take.
        dimensions: How long the vectors are to be, for models that can be shortened; 0: as the model makes them.
    """

    def __init__(self, dialect: Dialect, model: str, server: Server, *, seconds: float, dimensions: int = 0) -> None:
        super().__init__(prefixes_of(model))
        self.is_remote = not server.is_here
        self._dialect = dialect
        self._model = model
        self._server = server
        self._seconds = seconds
        self._dimensions = dimensions
        self._found_dimensions = dimensions

    @property
    def name(self) -> str:
        """The kind of server, the model, and what else makes its vectors different."""
        shortened = f"/{self._dimensions}" if self._dimensions else ""
        prefixed = f"+{self._prefixes.passage.strip()}" if self._prefixes.passage else ""
        return f"{self._dialect.kind}:{self._model}{shortened}{prefixed}"

    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        rows: list[Any] = []
        for start in range(0, len(texts), _MOST_TEXTS):
            batch = [prefix + _clean(text) for text in texts[start : start + _MOST_TEXTS]]
            rows += self._ask(batch, is_query=is_query)
        return self._matrix(rows)

    def _ask(self, texts: Sequence[str], *, is_query: bool) -> Sequence[Any]:
        answer = self._post(texts, is_query=is_query)
        rows = self._dialect.read(answer)
        if rows is None:
            raise EmbeddingError(
                f"{self._server.host} does not answer as a server of the kind {self._dialect.kind} does"
            )
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
        request = Request(model=self._model, texts=cut, is_query=is_query, dimensions=self._dimensions)
        path, body = self._dialect.ask(request)
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
            return EmbeddingError(f"{host} has no model {model!r} there {status}; {self._dialect.missing}")
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


def _ask_openai(request: Request) -> tuple[str, Any]:
    body: dict[str, Any] = {"model": request.model, "input": list(request.texts)}
    return "/embeddings", body | ({"dimensions": request.dimensions} if request.dimensions else {})


def _read_openai(answer: Any) -> Sequence[Any] | None:
    match answer:
        case {"data": [*items]}:
            try:
                rows = {int(item.get("index", n)): item["embedding"] for n, item in enumerate(items)}
                return [rows[n] for n in range(len(items))]
            except (AttributeError, KeyError, TypeError, ValueError):
                return None
        case _:
            return None


def _ask_ollama(request: Request) -> tuple[str, Any]:
    return "/api/embed", _ask_openai(request)[1] | {"truncate": True}


def _read_ollama(answer: Any) -> Sequence[Any] | None:
    match answer:
        case {"embeddings": [*rows]}:
            return rows
        case _:
            return None


def _ask_gemini(request: Request) -> tuple[str, Any]:
    model = f"models/{request.model}"
    path = f"/v1beta/{quote(model)}"
    options: dict[str, Any] = {"outputDimensionality": request.dimensions} if request.dimensions else {}
    if not prefixes_of(request.model).passage:  # newer models are told in words
        options["taskType"] = "RETRIEVAL_QUERY" if request.is_query else "RETRIEVAL_DOCUMENT"
    bodies = [{"model": model, "content": {"parts": [{"text": text}]}} | options for text in request.texts]
    return (
        (f"{path}:embedContent", bodies[0])
        if request.is_query
        else (f"{path}:batchEmbedContents", {"requests": bodies})
    )


def _read_gemini(answer: Any) -> Sequence[Any] | None:
    match answer:
        case {"embedding": {"values": values}}:
            return [values]
        case {"embeddings": [*items]}:
            try:
                return [item["values"] for item in items]
            except (KeyError, TypeError):
                return None
        case _:
            return None


OPENAI = Dialect(
    kind="openai", ask=_ask_openai, read=_read_openai, missing="check embedder, and embedder_url, which ends with /v1"
)
GEMINI = Dialect(kind="gemini", ask=_ask_gemini, read=_read_gemini, missing="check embedder")
OLLAMA = Dialect(kind="ollama", ask=_ask_ollama, read=_read_ollama, missing="run: ollama pull with its name")
