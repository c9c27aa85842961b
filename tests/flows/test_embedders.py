"""Embedders behind servers: a fake that nobody here wrote (npm @copilotkit/aimock), and one that misbehaves."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zgadka import Settings
from zgadka.errors import EmbeddingError
from zgadka.search.embedders.build import build_embedder

KINDS = ("openai", "gemini", "ollama")


@pytest.fixture(autouse=True)
def _a_proxy_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def embedder(kind: str, url: str, model: str = "m", **more: Any) -> Any:
    address = f"{url}/v1" if kind == "openai" else url
    return build_embedder(Settings(embedder=f"{kind}:{model}", embedder_url=address, embedder_key="s3cr3t", **more), {})


# The fake: OpenAI whole, Gemini for single texts. Its answer for Ollama is that of an older endpoint.


@pytest.fixture
def aimock(npm_package: Callable[[str, str], tuple[str, Path]], tmp_path: Path) -> Iterator[str]:
    node, package = npm_package("@copilotkit/aimock", "1.43.0")
    rows = [
        {"match": {"inputText": "locked"}, "response": {"error": {"message": "bad", "type": "auth"}, "status": 401}},
        {"match": {"inputText": "slow down"}, "response": {"error": {"message": "no"}, "status": 429, "retryAfter": 7}},
        {"match": {"inputText": "boom"}, "response": {"error": {"message": "boom"}, "status": 500}},
        {"match": {"inputText": "tea", "endpoint": "embedding"}, "response": {"embedding": [3, 4]}},
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"fixtures": rows}))
    command = [node, str(package / "dist" / "cli.js"), "--port", "0", "--fixtures", str(script)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    found = next(line for line in server.stdout if "listening on " in line)
    yield found.split("listening on ")[1].strip()
    server.terminate()
    server.communicate()


def journal(url: str) -> list[dict[str, Any]]:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{url}/__aimock/journal", timeout=120) as answer:
        return json.load(answer)


def test_a_fake_openai_gives_a_vector_for_each_text(aimock: str) -> None:
    one = embedder("openai", aimock, "text-embedding-3-small", embedder_dimensions=16)
    texts = [f"text {n}" for n in range(70)] + ["", " \n", "\ud800\x00", "x" * 100_000]
    found = one.embed(texts)
    assert found.shape == (74, 16)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert len({row.tobytes() for row in found}) == 73  # the two without a letter are the same
    assert np.array_equal(one.embed_query("text 3"), found[3])
    requests = journal(aimock)
    assert [request["path"] for request in requests] == ["/v1/embeddings"] * 4
    assert requests[0]["headers"]["authorization"] in {"Bearer s3cr3t", "[REDACTED]"}


def test_a_fake_gemini_gives_the_vector_of_a_question(aimock: str) -> None:
    assert embedder("gemini", aimock, "gemini-embedding-001").embed_query("tea") == pytest.approx([0.6, 0.8])
    assert journal(aimock)[0]["path"] == "/v1beta/models/gemini-embedding-001:embedContent"


@pytest.mark.parametrize("kind", ["openai", "gemini"])
def test_a_fake_servers_failures_are_told_apart(kind: str, aimock: str) -> None:
    one = embedder(kind, aimock)
    for text, line, retryable, wait in (
        ("locked", r"did not accept the key \(HTTP 401\); check embedder_key", False, None),
        ("slow down", r"has too many requests \(HTTP 429\)", True, 7.0),
        ("boom", r"failed \(HTTP 500\)", True, None),
    ):
        with pytest.raises(EmbeddingError, match=line) as caught:
            one.embed_query(text)
        assert caught.value.retryable == retryable
        assert caught.value.retry_after_seconds == wait


def test_an_answer_of_another_kind_is_refused(aimock: str) -> None:
    with pytest.raises(EmbeddingError, match="does not answer as a server of the kind ollama does"):
        embedder("ollama", aimock).embed(["tea"])


# A server that answers what the test says.


class Rude:
    """Answers `(status, headers, body)`, in order; the last again and again. A callable gets the request's body."""

    def __init__(self, *answers: Any) -> None:
        self.answers = answers
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                answer = outer.answers[min(len(outer.requests), len(outer.answers)) - 1]
                made: Any = answer(body) if callable(answer) else answer
                status, headers, said = made
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    pieces: Any = [said] if isinstance(said, bytes) else said
                    for piece in pieces:
                        self.wfile.write(piece)
                except OSError:
                    pass

            def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def rude() -> Iterator[Callable[..., Rude]]:
    started: list[Rude] = []

    def start(*answers: Any) -> Rude:
        started.append(Rude(*answers))
        return started[-1]

    yield start
    for one in started:
        one.server.shutdown()
        one.server.server_close()


def well(body: Any, rows: Callable[[int], list[Any]] | None = None) -> tuple[int, dict[str, str], bytes]:
    """Answer as the kind of server does that the body is meant for; each row holds the text's number in its batch."""
    if "requests" in body or "content" in body:
        vectors = (rows or _rows)(len(body.get("requests", [body])))
        shown = {"embeddings": [{"values": row} for row in vectors]}
        answer: Any = shown if "requests" in body else {"embedding": {"values": vectors[0]}}
    else:
        vectors = (rows or _rows)(len(body["input"]))
        items = [{"index": n, "embedding": row} for n, row in enumerate(vectors)]
        answer = {"embeddings": vectors} if "truncate" in body else {"data": items[::-1]}  # in any order
    return 200, {}, json.dumps(answer).encode()


def _rows(count: int) -> list[Any]:
    return [[n, 1.0] for n in range(count)]


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("openai", "/v1/embeddings", {"model": "m", "input": ["a", "b"], "dimensions": 2}),
        ("ollama", "/api/embed", {"model": "m", "input": ["a", "b"], "truncate": True, "dimensions": 2}),
        (
            "gemini",
            "/v1beta/models/m:batchEmbedContents",
            {
                "requests": [
                    {
                        "model": "models/m",
                        "content": {"parts": [{"text": text}]},
                        "outputDimensionality": 2,
                        "taskType": "RETRIEVAL_DOCUMENT",
                    }
                    for text in "ab"
                ]
            },
        ),
    ],
)
def test_each_kind_is_asked_in_its_own_words(kind: str, path: str, body: Any, rude: Callable[..., Rude]) -> None:
    server = rude(well)
    one = embedder(kind, server.url, embedder_dimensions=2)
    assert one.name == f"{kind}:m/2"
    assert not one.is_remote
    found = one.embed(["a", "b"])
    assert found == pytest.approx(np.array([[0, 1], [0.5**0.5, 0.5**0.5]]))
    assert one.embed_query("a") == pytest.approx([0, 1])
    (asked, headers, sent), question = server.requests
    assert (asked, sent) == (path, body)
    assert headers["x-goog-api-key" if kind == "gemini" else "authorization"].endswith("s3cr3t")
    assert "RETRIEVAL_QUERY" in json.dumps(question[2]) or kind != "gemini"


@pytest.mark.parametrize("kind", KINDS)
def test_texts_go_in_batches_and_come_back_in_order(kind: str, rude: Callable[..., Rude]) -> None:
    server = rude(well)
    one = embedder(kind, server.url)
    found = one.embed([f"text {n}" for n in range(70)])
    assert [round(float(row[0] / row[1])) for row in found] == [*range(32), *range(32), *range(6)]
    assert len(server.requests) == 3
    assert len(one.embed([])) == 0
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("kind", "model", "passage", "query"),
    [
        ("ollama", "nomic-embed-text", "search_document: a", "search_query: a"),
        ("gemini", "gemini-embedding-2", "title: none | text: a", "task: search result | query: a"),
        ("openai", "text-embedding-3-small", "a", "a"),
    ],
)
def test_a_model_gets_its_prefixes_and_its_name_says_so(
    kind: str, model: str, passage: str, query: str, rude: Callable[..., Rude]
) -> None:
    server = rude(well)
    one = embedder(kind, server.url, model)
    one.embed(["a"])
    one.embed_query("a")
    sent = [json.dumps(body) for _, _, body in server.requests]
    assert f'"{passage}"' in sent[0]
    assert f'"{query}"' in sent[1]
    assert "taskType" not in sent[0]
    assert one.name.startswith(f"{kind}:{model}")
    assert ("+" in one.name) == (passage != "a")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (lambda n: [[1.0, 2.0]] * (n - 1), "gave 1 vectors for 2 texts"),
        (lambda n: [[1.0, 2.0]] * (n + 1), "gave 3 vectors for 2 texts"),
        (lambda n: [[1.0, float("nan")]] * n, "make no sense: a number in a vector is not finite"),
        (lambda n: [[1e999, 0.0]] * n, "not finite"),
        (lambda n: [[0.0, 0.0]] * n, "all zeros"),
        (lambda n: [[1.0] * (k + 1) for k in range(n)], "not rows of numbers of one length"),
        (lambda n: ["text"] * n, "not rows of numbers"),
        (lambda n: [None] * n, "not rows of numbers"),
    ],
)
def test_vectors_that_make_no_sense_are_refused_for_good(
    kind: str, rows: Callable[[int], list[Any]], complaint: str, rude: Callable[..., Rude]
) -> None:
    server = rude(lambda body: well(body, rows))
    with pytest.raises(EmbeddingError, match=complaint) as caught:
        embedder(kind, server.url).embed(["a", "b"])
    assert not caught.value.retryable


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "{}",
        '{"data": [{"index": 0}], "embeddings": [{}]}',
        '{"data": [{"index": 5, "embedding": [1]}], "embeddings": 5}',
        '{"data": [{"index": "x", "embedding": [1]}], "embeddings": {}}',
        '{"data": [7], "embeddings": "x"}',
        '{"data": 7}',
    ],
)
def test_an_answer_of_another_shape_is_refused(kind: str, answer: str, rude: Callable[..., Rude]) -> None:
    server = rude((200, {}, answer.encode()))
    with pytest.raises(EmbeddingError):
        embedder(kind, server.url).embed(["a"])


def test_a_model_that_changes_its_dimensions_is_refused(rude: Callable[..., Rude]) -> None:
    server = rude(well, lambda body: well(body, lambda n: [[1.0, 2.0, 3.0]] * n))
    one = embedder("openai", server.url)
    one.embed(["a"])
    with pytest.raises(EmbeddingError, match="vectors of 3 numbers, not 2: its model has changed"):
        one.embed_query("a")


def test_a_model_that_cannot_be_shortened_is_told(rude: Callable[..., Rude]) -> None:
    with pytest.raises(EmbeddingError, match="vectors of 2 numbers, not 512; check embedder_dimensions"):
        embedder("openai", rude(well).url, embedder_dimensions=512).embed(["a"])


@pytest.mark.parametrize(
    ("status", "headers", "body", "line", "wait"),
    [
        (403, {}, b"", "did not accept the key", None),
        (400, {}, b'{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}', "did not accept the key", None),
        (404, {}, b"", "has no model 'm' there", None),
        (422, {}, b"", "refused the texts", None),
        (405, {}, b"", "answers with an error", None),
        (307, {"Location": "http://127.0.0.1:9/"}, b"", "points to another address, which is not followed", None),
        (302, {"Location": "http://127.0.0.1:9/"}, b"", "points to another address, which is not followed", None),
        (503, {"Retry-After": "30"}, b"", "failed", 30.0),
        (429, {"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT"}, b"", "has too many requests", 0.0),
        (429, {"Retry-After": "Sat, 01 Jan 2000 00:00:00"}, b"", "has too many requests", None),
        (429, {"Retry-After": "soon"}, b"", "has too many requests", None),
        (429, {}, b'{"error": {"details": [{"retryDelay": "34.5s"}]}}', "has too many requests", 34.5),
        (408, {}, b"", "failed", None),
        (503, {"Transfer-Encoding": "chunked"}, b"rubbish", "failed", None),
    ],
)
def test_each_failure_says_what_to_do_and_repeats_nothing(
    status: int, headers: dict[str, str], body: bytes, line: str, wait: float | None, rude: Callable[..., Rude]
) -> None:
    server = rude((status, headers, body + b" private text s3cr3t"))
    with pytest.raises(EmbeddingError, match=line) as caught:
        embedder("openai", server.url).embed(["private text"])
    assert str(caught.value).startswith(server.url.removeprefix("http://"))
    assert f"(HTTP {status})" in str(caught.value)
    assert "private" not in str(caught.value)
    assert "s3cr3t" not in str(caught.value)
    assert caught.value.retryable == (status in {408, 429, 503})
    assert caught.value.retry_after_seconds == wait
    assert len(server.requests) == 1


def test_a_server_that_takes_no_long_texts_gets_shorter_ones(rude: Callable[..., Rude]) -> None:
    def short_only(body: Any) -> tuple[int, dict[str, str], bytes]:
        return well(body) if max(len(text.encode()) for text in body["input"]) <= 600 else (413, {}, b"")

    server = rude(short_only)
    assert len(embedder("openai", server.url).embed(["short", "Київ " * 2_000])) == 2
    assert [max(len(text.encode()) for text in body["input"]) for _, _, body in server.requests] == [8000, 2000, 499]
    with pytest.raises(EmbeddingError, match="refused the texts"):
        embedder("openai", rude((400, {}, b"")).url).embed(["y" * 1_000])


def _drip() -> Iterator[bytes]:
    for _ in range(400):
        time.sleep(0.05)
        yield b" "


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ((200, {}, b"<html>"), "is no JSON, or too long"),
        ((200, {}, b"[" * 100_000), "is no JSON, or too long"),
        ((200, {}, b"\xff\xfe\x00"), "is no JSON, or too long"),
        ((200, {"Content-Length": "5000"}, b'{"data": ['), "no JSON|cannot be reached"),
        ((200, {"Transfer-Encoding": "chunked"}, b"rubbish\r\n"), "no JSON|cannot be reached"),
        ((200, {}, _drip()), "did not answer in 1 seconds"),
        (lambda _: (time.sleep(15), (200, {}, b""))[1], "did not answer in 1 seconds"),
    ],
)
def test_a_server_that_talks_rubbish_or_nothing_can_be_asked_again(
    answer: Any, line: str, rude: Callable[..., Rude]
) -> None:
    with pytest.raises(EmbeddingError, match=line) as caught:
        embedder("openai", rude(answer).url, embedder_seconds=1).embed(["a"])
    assert caught.value.retryable


def test_nobody_listening_is_a_clear_line() -> None:
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9 cannot be reached: .*refused") as caught:
        embedder("openai", "http://127.0.0.1:9").embed(["a"])
    assert caught.value.retryable


def test_many_threads_may_ask_at_once(rude: Callable[..., Rude]) -> None:
    one = embedder("openai", rude(well).url)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(one.embed(["a", "b"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [rows.shape for rows in found] == [(2, 2)] * 8
