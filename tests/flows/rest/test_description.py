"""schemathesis, which nobody here wrote, asks for everything that the description allows, and for what it does not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from long_run import cases, is_long
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.web.app import build_app, describe
from zgadka.web.server import serve

EXAMPLES = cases(2, long=30)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


CANARY = "xylographer"
GRANTS: list[dict[str, Any]] = [
    {"role": "person", "platforms": ("telegram",), "people": ("123",)},
    {"role": "service", "platforms": ("telegram",), "spaces": ("456",), "direct": False},
    {"role": "operator"},
]


async def _describe() -> dict:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False)) as memory:
        return describe(build_app(memory).api)


# What never ends, what is no JSON, and what copies everything is asked in test_doing.py and test_server.py.
schema = schemathesis.openapi.from_dict(asyncio.run(_describe())).exclude(
    path=["/v1/events", "/v1/backup", "/v1/import"]
)
schema.config.phases.coverage.enabled = is_long()  # every boundary of every field: half a minute


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server which asks for no token: the checks are about what is behind it."""
    with serving(tmp_path_factory.mktemp("described"), authenticates=False) as (address, _):
        yield address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """A server which asks for tokens, with one of each kind that reaches nothing of person 999 and space 789."""
    with serving(tmp_path_factory.mktemp("guarded"), authenticates=True) as found:
        yield found


@contextmanager
def serving(folder: Path, *, authenticates: bool) -> Iterator[tuple[str, list[str]]]:
    """A server in a thread of its own, and tokens."""
    found: list[str] = []
    tokens: list[str] = []
    ready, ends = threading.Event(), []

    async def run() -> None:
        stop = asyncio.Event()
        ends.append((asyncio.get_running_loop(), stop))
        limits = Settings(serve_calls_per_minute=0, calls_per_hour=0, calls_per_answer=0, memory_tool_async=False)
        async with open_memory(f"sqlite:///{folder}/memory.db", settings=limits) as memory:
            await hide_canary(memory)
            made = [await memory.apply(add_token, Grant(token=0, **grant)) for grant in GRANTS]
            tokens.extend(text for _, text in made)
            await serve(
                memory,
                listen="127.0.0.1:0",
                authenticates=authenticates,
                stop=stop,
                ready=lambda address: (found.append(address), ready.set()),
            )

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(120)
    try:
        yield found[0], tokens
    finally:
        loop, stop = ends[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(120)


async def hide_canary(memory: Memory) -> None:
    for place, direct in (("999", True), ("789", False)):
        turn = Turn(platform="telegram", space=place, chat=place, user=999, direct=direct)
        await memory.record("user", f"I am a {CANARY}", turn)
        fact = {"user_id": 999, "fact_type": "personal", "fact_key": "job", "fact_value": CANARY, "confidence": 0.9}
        assert (await memory.call("remember_fact", fact, turn)).status == "success"
        note = {"memory_content": f"{CANARY}s meet here", "scope": "server_wide"}
        assert (await memory.call("create_long_term_memory", note, turn)).status == "memory_created_successfully"


EVERY_CHECK = cast("list[HealthCheck]", list(cast("Any", HealthCheck)))


@schema.parametrize()
@settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=EVERY_CHECK)
def test_every_answer_is_as_described_and_none_is_a_failure(case: schemathesis.Case, url: str) -> None:
    case.call_and_validate(base_url=url, checks=CHECKS)


@schema.parametrize()
@settings(max_examples=cases(1, long=30), derandomize=True, suppress_health_check=EVERY_CHECK)
def test_with_a_grant_nothing_fails_and_nothing_beyond_it_is_told(
    case: schemathesis.Case, guarded: tuple[str, list[str]]
) -> None:
    address, tokens = guarded
    if isinstance(case.body, dict) and "turn" in case.body:
        case.body["turn"] = {"user": 123, "chat": "456"}
    for token, headers in zip(tokens, ({}, {"zgadka-user": "123"}, {}), strict=True):
        answer = case.call(base_url=address, headers={"authorization": f"Bearer {token}"} | headers)
        assert answer.status_code < 500, (answer.status_code, answer.text[:300])
        assert CANARY not in answer.text
        assert "Traceback" not in answer.text
