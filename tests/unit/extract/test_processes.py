"""Rules that read in processes of their own."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import cast

import pytest

from zgadka.extract import processes
from zgadka.extract.processes import RuleProcesses, _ask, processes_for, rule_processes
from zgadka.extract.rules import extract
from zgadka.model.inference import Inference
from zgadka.settings import Settings

TEXTS = ["I live in Kyiv", "hello", "Я думаю, що в мене є кіт", "\ud83d odd\nlines", ""]


def read_here(texts: list[str]) -> list[Inference]:
    return [Inference(certain=read.certain, uncertain=read.uncertain) for read in map(extract, texts)]


@pytest.mark.asyncio
async def test_a_process_reads_what_the_rules_read_and_where_it_ends_they_read_on() -> None:
    async with rule_processes(1, learned=False) as started:
        assert started is not None
        (process,) = started.running
        assert await _ask(process, TEXTS) == read_here(TEXTS)
        process.kill()
        shares = await asyncio.gather(*(started.infer([text]) for text in TEXTS))
        assert [inference for share in shares for inference in share] == read_here(TEXTS)
    assert process.returncode is not None


@pytest.mark.asyncio
async def test_the_texts_of_one_chat_are_shared_among_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, list[str]]] = []

    async def ask(process: Process, texts: Sequence[str]) -> list[Inference]:
        asked.append((process, list(texts)))
        return read_here(list(texts))

    monkeypatch.setattr(processes, "_ask", ask)
    running = [cast("Process", object()), cast("Process", object())]
    shared = RuleProcesses(running, learned=False)
    assert await shared.infer(TEXTS) == read_here(TEXTS)
    assert asked == [(running[0], TEXTS[:3]), (running[1], TEXTS[3:])]
    assert await shared.infer([]) == []


def test_processes_are_begun_for_long_histories_that_rules_alone_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert processes_for(Settings(), 20_000) == 4
    assert processes_for(Settings(), 100) == 0
    assert processes_for(Settings(extraction_tiers="rules,local"), 20_000) == 0
    assert processes_for(Settings(extraction_tiers="reader"), 20_000) == 0
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert processes_for(Settings(), 20_000) == 0


@pytest.mark.asyncio
async def test_a_process_reads_with_the_learned_reader_too_if_it_is_told_so() -> None:
    text = "третій рік у Вроцлаві, а польську так і не вивчив"
    async with rule_processes(1, learned=True) as started:
        assert started is not None
        (inference,) = await started.infer([text])
        started.running[0].kill()
        assert await started.infer([text]) == [inference]
    assert [item.value for item in inference.uncertain] == ["Вроцлав"]
