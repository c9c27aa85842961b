"""Two processes end one erasure, and whoever was erased comes back in between: what they say then is theirs."""

from __future__ import annotations

import asyncio
import threading
from unittest import mock

import pytest

from zgadka.model.token import Grant
from zgadka.ops import erase
from zgadka.ops.tasks import enqueue_call
from zgadka.ops.tokens import add_token
from zgadka.worker import and_left

pytestmark = pytest.mark.asyncio

BACK = "Meetings are on Monday"


@pytest.fixture(params=["sqlite-file", "postgres"])
def back_end(request):
    return request.param


class Slow:
    """A part of the erasure that stands still once it has asked whether there is anything left to do."""

    def __init__(self, part):
        self._part = part
        self.has_asked = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, tx, *args):
        rows = tx.rows

        def slow_rows(name, parameters):
            answer = rows(name, parameters)
            if name == "task_undone" and not self.has_asked.is_set():
                self.has_asked.set()
                assert self.go_on.wait(120)
            return answer

        with mock.patch.object(tx, "rows", slow_rows):
            return self._part(tx, *args)


async def comes_back(person):
    """They say something for all, have a call put in line, and get a token."""
    kept = await person.call("create_long_term_memory", memory_content=BACK, scope="server_wide")
    assert kept.status == "memory_created_successfully"
    note = {"content": "plays chess", "tags": None, "permanent": False}
    assert isinstance(await person.memory.apply(enqueue_call, person.turn(), "remember", 1, note), int)
    grant = Grant(token=0, role="person", platforms=("telegram",), people=("123",))
    await person.memory.apply(add_token, grant)


@pytest.mark.every_case
@pytest.mark.parametrize("slow", ["part", "end"])
async def test_who_comes_back_while_an_erasure_is_ended_twice_keeps_what_they_say(
    url, back_end, opening, make_person, slow
):
    one, two = [await opening(url, background=False) for _ in range(2)]
    person, again = make_person(one), make_person(two)
    await person.speaks()
    _, [task] = await one._store.write(and_left(erase.erase), person.turn())
    [space] = await one._store.read(erase.ERASING.parts, task)
    if slow == "end":
        await one._store.write(erase.ERASING.part, task, space)
    standing = Slow(getattr(erase.ERASING, slow))
    late = asyncio.create_task(one._store.write(standing, task, *([space] if slow == "part" else [])))
    assert await asyncio.to_thread(standing.has_asked.wait, 120)

    async def end_and_come_back():
        await two._store.write(erase.ERASING.part, task, space)
        assert await two._store.write(erase.ERASING.end, task) is not None
        await comes_back(again)

    other = asyncio.create_task(end_and_come_back())
    # SQLite has one writer at a time, who is the one that stands still.
    await asyncio.wait({other}, timeout=0.2 if back_end.startswith("sqlite") else 120)
    assert other.done() == back_end.startswith("postgres")
    standing.go_on.set()
    done = await late
    await other
    [note] = await two.look(lambda tx: tx.memories.list_all(space))
    assert (note.content, note.said_by) == (BACK, "123")
    assert [event.actor for event in await two.look(lambda tx: tx.audit.history(space, note.id))] == ["123"]
    assert [waiting.payload["tool"] for waiting in await two.tasks()] == ["remember"]
    assert len(await two.look(lambda tx: tx.tokens.list())) == 1
    if back_end.startswith("postgres"):
        assert done == {}
