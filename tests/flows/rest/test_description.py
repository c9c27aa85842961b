"""schemathesis, which nobody here wrote, asks for everything that the description allows, and for what it does not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
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

from zgadka import Settings, open_memory
from zgadka.web.app import build_app, describe
from zgadka.web.server import serve

EXAMPLES = cases(8, long=30)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


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
    """A server in a thread of its own, which asks for no token: the checks are about what is behind it."""
    folder: Path = tmp_path_factory.mktemp("described")
    found: list[str] = []
    ready, ends = threading.Event(), []

    async def run() -> None:
        stop = asyncio.Event()
        ends.append((asyncio.get_running_loop(), stop))
        limits = Settings(serve_calls_per_minute=0, calls_per_hour=0, calls_per_answer=0, memory_tool_async=False)
        async with open_memory(f"sqlite:///{folder}/memory.db", settings=limits) as memory:
            await serve(
                memory,
                listen="127.0.0.1:0",
                authenticates=False,
                stop=stop,
                ready=lambda address: (found.append(address), ready.set()),
            )

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(30)
    yield found[0]
    loop, stop = ends[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join(30)


EVERY_CHECK = cast("list[HealthCheck]", list(cast("Any", HealthCheck)))


@schema.parametrize()
@settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=EVERY_CHECK)
def test_every_answer_is_as_described_and_none_is_a_failure(case: schemathesis.Case, url: str) -> None:
    case.call_and_validate(base_url=url, checks=CHECKS)
