"""What breaks is logged with its place, and with nobody's words: an error's text may quote what it could not take."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from io import StringIO

import pytest

from zgadka.errors import StoreUnavailable
from zgadka.log import brief, place_of
from zgadka.worker import Worker, every

pytestmark = pytest.mark.asyncio

WORD = "xylographer"
ONCE = timedelta(hours=1)


def breaks(*_, **__):
    raise ValueError(f"cannot take {WORD!r}") from KeyError(WORD)


async def breaks_later(*_, **__):
    breaks()


def database_breaks(tx, *_, **__):
    """PostgreSQL says what it could not take."""
    tx.rows("tasks_all", {"limit": WORD})


@pytest.fixture
def log():
    """All that is logged, also by libraries; it says that something broke, and nobody's words."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)
    assert WORD not in written.getvalue()
    assert " at\n" in written.getvalue(), "what broke is logged"


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("broken", [breaks, database_breaks])
async def test_a_call_that_breaks(person, monkeypatch, log, broken):
    monkeypatch.setattr("zgadka.stores.tx.memories.Memories.add", broken)
    result = await person.call("remember", content="plays chess")
    assert result.status == "error"
    assert WORD not in result.json()


async def test_a_subscriber_that_breaks(person, memory, log):
    memory.subscribe(breaks)
    assert await person.note("plays chess")
    assert "in breaks" in log.getvalue(), "the place is logged"


async def test_a_message_whose_look_breaks(person, memory, log, clock):
    await memory.observe("I live in Kyiv", person.turn(message="m1"))
    memory._observer._extractor = breaks_later
    with pytest.raises(ValueError, match=WORD):
        await memory.observe("I live in Lviv", person.turn(message="m2"))
    clock.forward(minutes=30)
    assert await memory.resume() == 0


async def test_a_task_a_worker_and_a_chore_that_break(open_store, monkeypatch, log):
    memory = await open_store(background=False)

    def add(tx):
        space = tx.owners.ensure("space", "telegram", "456")
        return tx.tasks.add(space, "work", {}, conversation=("456", "", 0), person=0, priority=1)

    await memory.apply(add)
    worker = Worker(memory._store, {"work": breaks})
    await worker.run_due()
    (task,) = await memory.tasks()
    assert task.error is not None
    assert WORD not in task.error
    monkeypatch.setattr(worker, "run_due", breaks_later)
    loops = [asyncio.create_task(one) for one in (worker.run(), every(ONCE, breaks_later, "sweep"))]
    await asyncio.sleep(0.01)
    for loop in loops:
        loop.cancel()
    await asyncio.gather(*loops, return_exceptions=True)
    assert log.getvalue().count("ValueError at") >= 3


async def test_what_a_store_says_of_itself_is_logged(person, monkeypatch, caplog):
    def full(*_, **__):
        raise StoreUnavailable("the disk is full") from ValueError(WORD)

    monkeypatch.setattr("zgadka.stores.tx.memories.Memories.add", full)
    await person.call("remember", content="plays chess")
    assert "StoreUnavailable: the disk is full" in caplog.text
    assert WORD not in caplog.text


async def test_the_place_names_every_error_behind_it_once():
    behind = KeyError(WORD)
    error = ValueError(WORD)
    error.__cause__, behind.__cause__ = behind, error  # a circle
    assert place_of(error).splitlines() == ["ValueError at", "KeyError at"]
    assert brief(error) == "ValueError", "it was never raised"
