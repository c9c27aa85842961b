"""What is counted, and what never is."""

from __future__ import annotations

import asyncio

import pytest

from zgadka import Settings, Turn, open_memory
from zgadka.telemetry import METRICS

pytestmark = pytest.mark.asyncio


def value(name: str, **labels: str) -> float:
    return METRICS.get_sample_value(name, labels) or 0.0


async def test_calls_are_counted_by_tool_and_status(person):
    before = value("memory_tool_calls_total", tool="remember_fact", status="success")
    skipped = value("memory_tool_calls_total", tool="remember_fact", status="skipped")
    for _ in range(3):
        await person.fact()
    assert value("memory_tool_calls_total", tool="remember_fact", status="success") == before + 1
    assert value("memory_tool_calls_total", tool="remember_fact", status="skipped") == skipped + 2


async def test_what_was_counted_stays_when_a_memory_is_closed(tmp_path):
    turn = Turn(platform="test", space="s", chat="c", user=1)
    before = value("memory_tool_calls_total", tool="recall_facts", status="success")
    memory = open_memory(f"sqlite:///{tmp_path}/memory.db")
    async with memory:
        await memory.call("recall_facts", {"user_id": 1}, turn)
        assert value("memory_tool_calls_total", tool="recall_facts", status="success") == before + 1
    assert value("memory_tool_calls_total", tool="recall_facts", status="success") == before + 1
    await memory.close()
    assert value("memory_tool_calls_total", tool="recall_facts", status="success") == before + 1


async def test_what_is_answered_while_a_memory_is_closed_is_counted(tmp_path):
    turn = Turn(platform="test", space="s", chat="c", user=1)
    before = value("memory_tool_success_total", tool="recall_facts")
    memory = open_memory(f"sqlite:///{tmp_path}/memory.db", settings=Settings(activity_days=0))
    async with memory:
        calls = [asyncio.create_task(memory.call("recall_facts", {"user_id": 1}, turn)) for _ in range(100)]
        await asyncio.sleep(0)
    answers = [answer.status for answer in await asyncio.gather(*calls)]
    assert value("memory_tool_success_total", tool="recall_facts") == before + len(answers) == before + 100


async def test_a_call_that_finds_nothing_or_another_value_is_a_success_and_one_made_wrongly_is_not(person):
    def counted() -> list[float]:
        return [value(f"memory_tool_{kind}_total", tool="remember_fact") for kind in ("success", "error")]

    success, error = counted()
    await person.fact("location", "Kyiv")
    assert (await person.fact("location", "Lviv")).status == "conflict"
    assert counted() == [success + 2, error]
    without = value("memory_tool_pattern_total", pattern="remember_without_recall")
    for _ in range(8):
        assert (await person.fact("location", "")).status == "invalid_args"
    assert counted() == [success + 2, error + 8]
    assert value("memory_tool_pattern_total", pattern="remember_without_recall") == without


async def test_facts_of_a_conversation_are_counted(people):
    facts, conversations = (
        value("memory_changes_total", kind="fact", what="created"),
        value("memory_conversations_total"),
    )
    person = people(31, space="talks", chat="talks")
    await person.fact("hobby", "chess")
    await person.fact("hobby", "go")
    assert value("memory_changes_total", kind="fact", what="created") == facts + 2
    assert value("memory_conversations_total") == conversations + 1


async def test_an_answer_whatever_it_says_is_a_success_with_a_latency(person):
    success, count = (
        value("memory_tool_success_total", tool="recall"),
        value("memory_tool_latency_ms_count", tool="recall", operation="call"),
    )
    total = value("memory_tool_latency_ms_sum", tool="recall", operation="call")
    await person.found("chess")
    await person.found("mushrooms")
    assert value("memory_tool_success_total", tool="recall") == success + 2
    assert value("memory_tool_latency_ms_count", tool="recall", operation="call") == count + 2
    assert value("memory_tool_latency_ms_sum", tool="recall", operation="call") > total


async def test_a_failure_inside_is_an_error_that_tells_the_model_nothing(person, memory, monkeypatch, caplog):
    def broken(*_: object, **__: object):
        raise RuntimeError("secret-path /home/olena")

    errors = value("memory_tool_error_total", tool="recall")
    monkeypatch.setattr("zgadka.stores.tx.memories.Memories.statistics", broken)
    result = await person.call("recall", query="zebraquux")
    assert result.status == "error"
    assert "secret-path" not in result.json()
    assert value("memory_tool_error_total", tool="recall") == errors + 1
    assert "zebraquux" not in caplog.text


@pytest.mark.parametrize(("error", "status"), [("StoreBusy", "busy"), ("StoreUnavailable", "error")])
async def test_a_failing_store_is_an_error_that_tells_the_model_nothing(person, monkeypatch, error, status):
    import zgadka.errors

    def broken(*_: object, **__: object):
        raise getattr(zgadka.errors, error)("disk /secret-path")

    errors = value("memory_tool_error_total", tool="remember")
    monkeypatch.setattr("zgadka.stores.tx.memories.Memories.add", broken)
    result = await person.call("remember", content="chess")
    assert (result.status, "secret-path" in result.json()) == (status, False)
    assert "nothing was changed" in result.message
    assert value("memory_tool_error_total", tool="remember") == errors + 1


async def test_no_label_carries_a_text_an_id_or_a_name(people):
    person = people(987654321, space="zebraspace", chat="zebrachat")
    tools = {tool.name for tool in person.memory.tools}
    # Other tests of this process may have called tools of other packages.
    tools |= {sample.labels.get("tool", "") for metric in METRICS.collect() for sample in metric.samples}
    await person.fact("zebrakey", "zebravalue")
    await person.note("zebranote")
    await person.call("zebratool", zebra=1)
    await person.call("recall", query="zebraquery", zebraargument=1)
    allowed = {"tool", "status", "le"}
    for metric in METRICS.collect():
        for sample in metric.samples:
            assert "zebra" not in str(sample)
            assert "987654321" not in str(sample)
            if "tool" in sample.labels and metric.name.startswith("memory_tool_c"):
                assert set(sample.labels) <= allowed
                assert sample.labels["tool"] in tools


async def test_an_unknown_tool_is_counted_under_no_name(person):
    before = [
        sample for metric in METRICS.collect() for sample in metric.samples if "memory_tool_calls_total" in sample.name
    ]
    await person.call("rembember")
    after = [
        sample for metric in METRICS.collect() for sample in metric.samples if "memory_tool_calls_total" in sample.name
    ]
    assert before == after
