"""Rules that read in processes of their own."""

from __future__ import annotations

import asyncio

import pytest

from zgadka.extract.processes import _ask, processes_for, rule_processes
from zgadka.extract.rules import extract
from zgadka.model.inference import Inference
from zgadka.settings import Settings

TEXTS = ["I live in Kyiv", "hello", "Я думаю, що в мене є кіт", "\ud83d odd\nlines", ""]


def read_here(texts: list[str]) -> list[Inference]:
    return [Inference(certain=read.certain, uncertain=read.uncertain) for read in map(extract, texts)]


@pytest.mark.asyncio
async def test_a_process_reads_what_the_rules_read_and_where_it_ends_they_read_on() -> None:
    async with rule_processes(1) as processes:
        assert processes is not None
        (process,) = processes.running
        assert await _ask(process, TEXTS) == read_here(TEXTS)
        process.kill()
        shares = await asyncio.gather(*(processes.infer([text]) for text in TEXTS))
        assert [inference for share in shares for inference in share] == read_here(TEXTS)
    assert process.returncode is not None


def test_processes_are_begun_for_long_histories_that_rules_alone_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert processes_for(Settings(), 20_000) == 4
    assert processes_for(Settings(), 100) == 0
    assert processes_for(Settings(extraction_tiers="rules,local"), 20_000) == 0
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert processes_for(Settings(), 20_000) == 0
