"""Spans go through every layer, cost nothing where nobody traces, and say nothing of anybody."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from zgadka import Settings, open_memory, tracing
from zgadka.telemetry import METRICS
from zgadka.tools.registry import REGISTRY

pytestmark = pytest.mark.asyncio

STATUSES = {
    "success",
    "skipped",
    "deleted",
    "invalid_args",
    "not_found",
    "confirmation_required",
    "error",
    "nothing_found",
}


class Words:
    """An embedder that counts letters."""

    name = "letters"
    is_remote = False

    def embed(self, texts):
        return [[text.count(letter) + 0.1 for letter in "abcdefghij"] for text in texts]

    def embed_query(self, text):
        return self.embed([text])[0]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    return exporter.get_finished_spans


def children(spans: tuple[ReadableSpan, ...], parent: ReadableSpan) -> list[str]:
    assert parent.context
    mine = [one for one in spans if one.parent is not None and one.parent.span_id == parent.context.span_id]
    return [one.name for one in sorted(mine, key=lambda one: one.start_time or 0)]


async def test_a_call_leads_to_its_transaction_and_its_embedder(spans, clock, make_person):
    settings = Settings(background=False)
    embedder: Any = Words()
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock, embedder=embedder) as memory:
        person = make_person(memory)
        await memory.embed()
        await person.fact()
        await person.call("recall", query="where does she live")
    found = spans()
    calls = {one.attributes["gen_ai.tool.name"]: one for one in found if one.name == "zgadka.call"}
    assert children(found, calls["remember_fact"]) == ["zgadka.store.wait", "zgadka.store.run"]
    recalled = children(found, calls["recall"])
    assert "zgadka.embed.query" in recalled
    assert recalled.count("zgadka.store.run") >= 2  # the names of the chat, the count, and the recall itself
    for one in found:
        assert (one.end_time or 0) >= (one.start_time or 0)
    whole = calls["remember_fact"]
    inner = [one for one in found if one.parent and whole.context and one.parent.span_id == whole.context.span_id]
    assert all(whole.start_time <= one.start_time and one.end_time <= whole.end_time for one in inner)


async def test_a_span_says_what_came_of_a_call_and_never_why(spans, person, monkeypatch):
    def broken(*_: object, **__: object):
        raise RuntimeError("zebra-in-the-exception")

    monkeypatch.setattr("zgadka.stores.tx.memories.Memories.statistics", broken)
    assert (await person.call("recall", query="zebraquery")).status == "error"
    call = next(one for one in spans() if one.name == "zgadka.call")
    assert call.attributes["zgadka.status"] == "error"
    assert all(not one.events for one in spans())
    assert "zebra" not in "".join(one.to_json() for one in spans())


async def test_nothing_that_is_said_or_named_is_in_a_span_a_label_or_a_log_line(spans, clock, make_person, caplog):
    caplog.set_level(logging.DEBUG)
    settings = Settings(background=False)
    embedder: Any = Words()
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock, embedder=embedder) as memory:
        person = make_person(memory, user=987654321, space="zebraspace", chat="zebrachat", platform="zebraplatform")
        await person.speaks("zebrasaid")
        await person.fact("zebrakey", "zebravalue", source_excerpt="zebraexcerpt")
        note = await person.note("zebranote", tags=["zebratag"])
        await memory.embed()
        await person.call("recall", query="zebraquery")
        await person.call("zebratool", zebra=1)
        await person.call("create_episode", topic="zebratopic", summary="zebrasummary", importance=0.8)
        await person.deletes(note)
        await memory.observe("My zebraname is Zebra", person.turn())
        await memory.erase(person.turn(direct=True))
    told = "".join(one.to_json() for one in spans()) + caplog.text + str(list(METRICS.collect()))
    assert "zebra" not in told.lower()
    assert "987654321" not in told
    tools = {tool.name for tool in REGISTRY}
    for one in spans():
        assert set(one.attributes or {}) <= {
            *("gen_ai.tool.name", "zgadka.status", "zgadka.durable", "zgadka.late", "zgadka.number"),
            *("zgadka.kind", "zgadka.outcome"),
        }
        assert (one.attributes or {}).get("gen_ai.tool.name", "recall") in tools
        assert (one.attributes or {}).get("zgadka.status", "success") in STATUSES


async def test_a_task_is_a_span(spans, clock, make_person):
    from zgadka.ops.tasks import enqueue_call

    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        person = make_person(memory)
        await memory.apply(enqueue_call, person.turn(), "remember", 1, {"content": "zebra"})
        await memory.run_tasks()
    task = next(one for one in spans() if one.name == "zgadka.task")
    assert dict(task.attributes) == {"zgadka.kind": "call", "zgadka.outcome": "done"}
    assert children(spans(), task)[:2] == ["zgadka.store.wait", "zgadka.store.run"]


async def test_where_nobody_traces_nothing_is_made(person):
    assert tracing.timed() is None
    with tracing.span("zgadka.call") as span:
        span.set_attribute("zgadka.status", "success")
        assert not trace.get_current_span().is_recording()
        assert tracing.timed() is None


async def test_a_chore_outside_of_any_span_is_not_timed(spans, memory):
    await memory.look(lambda tx: tx.now)
    assert spans() == ()


async def test_the_package_is_not_loaded_by_us():
    code = "import sys, zgadka, zgadka.engine, zgadka.assemble; sys.exit('opentelemetry' in sys.modules)"
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await child.wait() == 0
