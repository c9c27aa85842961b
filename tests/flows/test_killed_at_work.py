"""A process that does all kinds of work is killed, again and again: what was answered holds, and what waits is done."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from long_run import cases
from soundness import flaws

from zgadka import Settings, open_memory
from zgadka.stores.tx import Tx

KILLS = cases(4, long=40)
PEOPLE = 10
DONE_SECONDS = 60
"""After opening, whatever was queued or begun is done by then, also on a machine that does much else."""

# Ends what is left, says so, waits for its sign, and then works until it is killed. Before and after each deed it says
# what the deed is; hardly any call begins in time, so that what adds something is mostly queued.
WORKING = """
import asyncio, json, os, random, sys, time
from zgadka import Settings, Turn, open_memory
from zgadka.stores import executor

executor.BUSY_SECONDS = 100
url, name, people = sys.argv[1], sys.argv[2], int(sys.argv[3])
settings = Settings(calls_per_hour=0, memory_tool_timeout_ms=20, memory_tool_queue_ms=60_000)

def say(person, deed, **what):
    os.write(1, (json.dumps({"person": person, "deed": deed} | what) + "\\n").encode())

async def is_idle(memory):
    return await memory.look(lambda tx: not (tx.tasks.count_waiting() or tx.tasks.list_sagas()))

async def main():
    began = time.monotonic()
    async with open_memory(url, settings=settings) as memory:
        while not await is_idle(memory):
            await asyncio.sleep(0.02)
        say(0, "ready", seconds=time.monotonic() - began)
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.gather(*(work(memory, person) for person in range(1, people + 1)))

async def work(memory, person):
    chance = random.Random(f"{name} {person}")
    number, known = 0, {}

    def turn(text=None):
        nonlocal number
        number += 1
        more = {"message": f"{name}-{number}"} if text and text.startswith("said") else {}
        return Turn(platform="test", space=str(person), chat=str(person), user=person, direct=True,
                    turn=f"{name}-{number}", text=text, **more)

    async def confirmed(tool, arguments):
        asked = await memory.call(tool, arguments, turn())
        if asked.status != "confirmation_required":
            return asked.status
        return (await memory.call(tool, arguments, turn("Yes, everything"))).status

    while True:
        deed = chance.choices(["note", "message", "forget", "clear", "erase"], [12, 4, 4, 2, 1])[0]
        text = f"{'said' if deed == 'message' else 'note'} zq{name}p{person}n{number}"
        if deed == "forget" and not known:
            continue
        if deed == "forget":
            text = chance.choice(list(known))
        say(person, deed, text=text)
        match deed:
            case "note":
                result = await memory.call("remember", {"content": text}, turn())
                is_done = result.status in ("success", "queued")
                if result.status == "success":
                    known[text] = result["memory_id"]
            case "message":
                await memory.record("user", text, turn(text))
                is_done = True
            case "forget":
                is_done = await confirmed("forget", {"memory_id": known.pop(text)}) == "deleted"
            case "clear":
                is_done = await confirmed("clear_profile", {"user_id": person, "reason": "asked for"}) == "deleted"
            case _:
                await memory.erase(turn())
                is_done = True
        if deed in ("clear", "erase"):
            known.clear()
        say(person, "done" if is_done else "not done")

asyncio.run(main())
"""


@dataclass
class Ledger:
    """What must be there of one person, and what was under way when the process was killed."""

    there: set[str] = field(default_factory=set[str])
    gone: set[str] = field(default_factory=set[str])
    under_way: dict[str, Any] | None = None

    def note(self, line: dict[str, Any]) -> None:
        """Take up what the process said."""
        if line["deed"] not in ("done", "not done"):
            self.under_way = line
            return
        deed, self.under_way = self.under_way, None
        if line["deed"] == "done" and deed is not None:
            self._do(deed)

    def _do(self, line: Mapping[str, Any]) -> None:
        match line["deed"]:
            case "note" | "message":
                self.there.add(line["text"])
            case "forget":
                self._remove({line["text"]})
            case "clear":
                self._remove({text for text in self.there if text.startswith("note")})
            case _:
                self._remove({*self.there})

    def _remove(self, texts: set[str]) -> None:
        self.there -= texts
        self.gone |= texts

    def settle(self, texts: Counter[str]) -> list[str]:
        """What is wrong in what there is; of what was under way, either all was done or nothing."""
        line, self.under_way = self.under_way, None
        if line is not None:
            before = self.there.copy()
            self._do(line)
            adds = line["deed"] in ("note", "message")
            if not (self.there <= texts.keys() if adds else texts.keys().isdisjoint(self.gone)):
                self.gone -= before
                self.there = before
        wrong = [f"lost: {text}" for text in sorted(self.there - texts.keys())]
        wrong += [f"is there: {text}" for text in sorted(self.gone & texts.keys())]
        return wrong + [f"{count} times: {text}" for text, count in texts.items() if count > 1]


def texts_of(tx: Tx, person: int) -> Counter[str]:
    """What is remembered of a person and was said by them, and how often."""
    owner = tx.owners.find("person", "test", str(person))
    space = tx.owners.find("direct", "test", str(person))
    if owner is None or space is None:
        return Counter()
    texts = Counter(memory.content for memory in tx.memories.list_all(owner) if not memory.withheld)
    texts.update(message.text for message in tx.messages.list_with_person(space, owner, 100_000))
    return texts


async def contents(url: str) -> dict[int, Counter[str]]:
    settings = Settings(background=False, memory_tool_async=False)
    async with open_memory(url, settings=settings) as memory:
        return {person: await memory.look(texts_of, person) for person in range(1, PEOPLE + 1)}


def start(program: str, url: str, name: str) -> subprocess.Popen[str]:
    command = [program, "-c", WORKING, url, name, str(PEOPLE)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_at_work(process: subprocess.Popen[str], deeds: int, seconds: float) -> list[dict[str, Any]]:
    """Give the sign, kill it so long after so many deeds; returns what it said."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    said: list[dict[str, Any]] = []
    done = 0
    for line in process.stdout:
        said.append(json.loads(line))
        done += said[-1]["deed"] == "done"
        if done == deeds:
            threading.Timer(seconds, process.send_signal, [signal.SIGKILL]).start()
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, errors
    return said


def test_of_all_kinds_of_work_nothing_answered_is_undone_by_kill_9_and_what_waits_is_done_soon(
    database: Callable[[str], str], program: str
) -> None:
    url = database("memory")
    ledgers = {person: Ledger() for person in range(1, PEOPLE + 1)}
    chance = random.Random(KILLS)
    deeds, killed_at, slowest = Counter[str](), Counter[str](), 0.0
    for number in range(KILLS + 1):
        process = start(program, url, str(number))
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        slowest = max(slowest, json.loads(line)["seconds"])
        there = asyncio.run(contents(url))
        wrong = {person: found for person, ledger in ledgers.items() if (found := ledger.settle(there[person]))}
        assert wrong == {}, f"after {number} kills"
        assert flaws(url) == []
        if number == KILLS:
            process.kill()
            process.communicate()
            break
        for said in kill_at_work(process, chance.randint(10, 60), chance.uniform(0, 0.1)):
            ledgers[said["person"]].note(said)
            deeds[said["deed"]] += 1
        killed_at.update(ledger.under_way["deed"] for ledger in ledgers.values() if ledger.under_way)
    print(f"{KILLS} kills, {dict(deeds)}, under way: {dict(killed_at)}, slowest start {slowest:.1f} s")
    assert slowest < DONE_SECONDS
