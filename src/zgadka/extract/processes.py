"""Rules that read in processes of their own, so that a long history is read by every processor at once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import Any

from zgadka.extract.cascade import named_tiers
from zgadka.model.inference import Inference, Inferred
from zgadka.settings import Settings

_LONGEST_LINE = 2**26
_MOST_PROCESSES = 4
_WORTH_STARTING = 2_000
"""Messages that take longer than to begin a process."""


class RuleProcesses:
    """Infers from many texts at once without a model's server (rule_process.py); `rule_processes` begins and ends them.

    Args:
        running: The processes.
        learned: Whether the learned reader reads too.
    """

    def __init__(self, running: Sequence[asyncio.subprocess.Process], *, learned: bool) -> None:
        self.running = running
        self._learned = learned
        self._idle: asyncio.Queue[asyncio.subprocess.Process | None] = asyncio.Queue()
        for process in running:
            self._idle.put_nowait(process)

    async def infer(self, texts: Sequence[str]) -> Sequence[Inference]:
        """What each of the texts tells, in order. What a process does not answer is read in this one."""
        size = max(1, -(-len(texts) // len(self.running)))
        parts = [texts[start : start + size] for start in range(0, len(texts), size)]
        return list(chain.from_iterable(await asyncio.gather(*map(self._infer, parts))))

    async def _infer(self, texts: Sequence[str]) -> Sequence[Inference]:
        process = await self._idle.get()
        try:
            answer = None if process is None else await _ask(process, texts)
            if answer is None:
                process = None
        finally:
            self._idle.put_nowait(process)
        return _read_here(texts, learned=self._learned) if answer is None else answer


def processes_for(settings: Settings, messages: int) -> int:
    """How many processes are worth their start for so many messages; 0 where more than rules read."""
    tiers = {*named_tiers(settings)}
    processors = os.cpu_count() or 1
    is_worthwhile = "rules" in tiers <= {"rules", "reader"} and messages >= _WORTH_STARTING and processors > 1
    return min(processors, _MOST_PROCESSES) if is_worthwhile else 0


@asynccontextmanager
async def rule_processes(count: int, *, learned: bool) -> AsyncGenerator[RuleProcesses | None]:
    """Run so many processes until the block ends; None for none.

    Args:
        learned: Whether the learned reader reads too.
    """
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "zgadka.extract.rule_process", *(["learned"] if learned else [])),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LONGEST_LINE,
        )
        for _ in range(count)
    ]
    try:
        yield RuleProcesses(started, learned=learned) if started else None
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _ask(process: asyncio.subprocess.Process, texts: Sequence[str]) -> list[Inference] | None:
    assert process.stdin is not None  # noqa: S101  (both are pipes)
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(json.dumps(list(texts)).encode() + b"\n")
        await process.stdin.drain()
        answers: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = json.loads(await process.stdout.readline())
    except (OSError, ValueError):  # it is gone
        return None
    return [
        Inference(
            certain=tuple(Inferred(**item) for item in certain), uncertain=tuple(Inferred(**item) for item in uncertain)
        )
        for certain, uncertain in answers
    ]


def _read_here(texts: Sequence[str], *, learned: bool) -> list[Inference]:
    from zgadka.extract.rule_process import read  # noqa: PLC0415  (slow to load, and only where a process failed)

    extractions = [read(text, learned=learned) for text in texts]
    return [Inference(certain=one.certain, uncertain=one.uncertain) for one in extractions]
