"""Calls that cannot be answered in time are put in line, done once, and told once."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from datetime import timedelta
from typing import Any

import pytest

from zgadka import Memory, Turn
from zgadka import worker as worker_module
from zgadka.errors import InvalidInput, StoreBusy, StoreUnavailable
from zgadka.ops import tasks
from zgadka.ops.multi_owner_saga import Spread
from zgadka.ops.remember import New, remember
from zgadka.text.token_estimate import weigh, whole
from zgadka.worker import Chore, Worker, repeat

pytestmark = [pytest.mark.asyncio, pytest.mark.hurried]


class Held:
    """Holds the store's writer for as long as the test likes."""

    def __init__(self, memory):
        self._memory = memory
        self._gate = threading.Event()

    async def __aenter__(self):
        begun = threading.Event()

        def wait(_):
            begun.set()
            assert self._gate.wait(120)

        self._work = asyncio.create_task(self._memory.apply(wait))
        await asyncio.to_thread(begun.wait, 120)
        return self

    async def __aexit__(self, *_):
        self._gate.set()
        await self._work

    def release_soon(self, seconds):
        threading.Timer(seconds, self._gate.set).start()


async def claim(memory, worker):
    """Lease all that is due, as a worker does."""
    due = await memory.look(lambda tx: tx.tasks.list_due(10))
    return [task for space, count in due for task in await memory.apply(tasks.claim, space, worker, count)]


@pytest.fixture
def opened(open_store, make_person):
    """A person, over a memory whose tasks are done when the test says so."""

    async def open_(**settings):
        given = {"background": False, "memory_tool_timeout_ms": 100, "connections": 2} | settings  # one writer
        return make_person(await open_store(**given))

    return open_


async def queue_one(person, **fact):
    """Have a call put in line: the writer is held until just after the call's time."""
    async with Held(person.memory) as held:
        held.release_soon(0.4)
        result = await person.fact(**fact)
    assert result.status == "queued", result
    return result


async def test_a_call_that_cannot_begin_in_time_is_queued_and_done_later(opened):
    person = await opened()
    queued = await queue_one(person, key="hobby", value="chess")
    assert queued["task_id"] > 0
    assert await person.found("chess") == []
    assert await person.memory.run_tasks() == 1
    assert await person.found("chess") == ["hobby: chess"]
    assert await person.memory.run_tasks() == 0


async def test_a_result_is_told_once_in_the_next_turn_of_the_same_person_and_chat(opened):
    person = await opened()
    queued = await queue_one(person, key="hobby", value="chess")
    assert await person.memory.take_finished(person.turn()) == []
    await person.memory.run_tasks()
    for other in ({"user": 9}, {"chat": "9"}, {"thread": "9"}, {"space": "9"}, {"persona": 9}):
        assert await person.memory.take_finished(person.at(**other).turn()) == []
    (finished,) = await person.memory.take_finished(person.turn())
    assert (finished.task_id, finished.tool) == (queued["task_id"], "remember_fact")
    assert finished.result["status"] == "success"
    assert finished.result["fact_id"] > 0
    assert await person.memory.take_finished(person.turn()) == []


async def test_late_results_fit_into_a_budget_together(opened):
    person = await opened(calls_per_answer=0)
    facts = [{"user_id": 123, "fact_type": "preference", "fact_key": "hobby", "fact_value": f"{n} {'x' * 300}",
              "confidence": 0.9} for n in range(10)]  # fmt: skip
    for _ in range(2):
        async with Held(person.memory) as held:
            held.release_soon(0.4)
            assert (await person.call("remember_facts", facts=facts)).status == "queued"
        await person.memory.run_tasks()
    finished = await person.memory.take_finished(person.turn(), budget_tokens=1500)
    assert len(finished) == 2
    assert whole(sum(weigh(json.dumps(task.result, ensure_ascii=False)) for task in finished)) <= 1500
    assert all(len(task.result["results"]) == 10 for task in finished)


async def test_a_queued_call_counts_once_against_the_limit(opened):
    person = await opened(calls_per_hour=2)
    await queue_one(person, key="hobby", value="chess")
    await person.memory.run_tasks()
    assert (await person.fact("hobby", "guitar")).status == "success"
    assert (await person.fact("hobby", "tea")).status == "rate_limited"


async def test_a_call_gets_into_a_queue_with_room_however_late_the_writer_is_for_it(opened):
    """Only a full queue is `busy`, or a writer that stands still."""
    person = await opened()
    async with Held(person.memory) as held:
        held.release_soon(0.45)  # the call's time twice, and more
        assert (await person.fact("hobby", "chess")).status == "queued"
    assert await person.memory.run_tasks() == 1
    assert await person.found("chess") == ["hobby: chess"]


async def test_when_nothing_can_be_written_the_answer_is_busy_and_nothing_happens_later(opened):
    person = await opened(memory_tool_queue_ms=100)
    async with Held(person.memory):
        result = await person.fact("hobby", "chess")
    assert (result.status, result["waited_seconds"]) == ("busy", 0.2)
    assert "for 0.2 s" in result["message"]
    assert await person.memory.run_tasks() == 0
    assert await person.found("chess") == []


async def test_what_only_reads_is_answered_while_nothing_can_be_written(opened, back_end):
    person = await opened()
    await person.fact("hobby", "chess")
    async with Held(person.memory):
        if back_end != "sqlite-memory":  # there, reads wait for the writer as well
            assert await person.found("chess") == ["hobby: chess"]


async def test_a_full_queue_is_busy(opened):
    person = await opened(memory_tool_queue_size=1)
    await queue_one(person, key="hobby", value="chess")
    async with Held(person.memory) as held:
        held.release_soon(0.15)
        result = await person.fact("hobby", "guitar")
    assert (result.status, result["waiting"], result["waited_seconds"]) == ("busy", 1, 0)
    await person.memory.run_tasks()
    assert await person.found("guitar") == []
    assert await person.found("chess") == ["hobby: chess"]


async def in_line(memory, count=0):
    """Wait until so many late calls wait in line behind those that are being enqueued."""
    lines = memory._calls._admission._lines
    while not lines or sum(map(len, lines.values())) < count:  # noqa: ASYNC110  (nobody else is told)
        await asyncio.sleep(0.005)


def all_values(tx):
    return sorted(memory.content for owner in tx.owners.list() for memory in tx.memories.list_all(owner.id))


async def test_calls_that_are_late_together_get_into_the_queue_together_each_with_its_own_answer(
    opened, make_person, monkeypatch
):
    person = await opened(calls_per_hour=5, memory_tool_queue_size=6, memory_tool_queue_ms=20_000)
    other = make_person(person.memory, user=8)
    admission, shares = person.memory._calls._admission, []
    enqueue = admission._enqueue

    def enqueue_share(tx, late, waits):
        shares.append(len(late))
        return enqueue(tx, late, waits)

    monkeypatch.setattr(admission, "_enqueue", enqueue_share)
    async with Held(person.memory):
        note = {"memory_content": "likes tea", "scope": "target_user", "target_user": "nobody of that name"}
        first = asyncio.create_task(person.fact("hobby", "first"))
        await in_line(person.memory)
        answers = asyncio.gather(
            person.call("create_long_term_memory", **note),
            *(person.fact("hobby", f"of one {number}") for number in range(4)),
            *(other.fact("hobby", f"of another {number}") for number in range(3)),
        )
        await in_line(person.memory, 8)
    invalid, *facts = await answers
    assert shares == [1, 8]
    assert invalid.status.endswith("invalid_args")
    statuses = [(await first).status, *(fact.status for fact in facts)]
    assert statuses == [*["queued"] * 4, "rate_limited", "queued", "queued", "busy"]
    await person.memory.run_tasks()
    expected = [*(f"of another {number}" for number in range(2)), *(f"of one {number}" for number in range(3))]
    assert await person.memory.look(all_values) == ["first", *expected]


async def test_what_fails_in_line_and_who_gives_up_there_keeps_nobody_else_out(opened, monkeypatch):
    person = await opened(memory_tool_queue_ms=20_000)
    admission = person.memory._calls._admission
    enqueue = admission._enqueue

    def fail_once(tx, late, waits):
        monkeypatch.setattr(admission, "_enqueue", enqueue)
        raise RuntimeError("boom")

    monkeypatch.setattr(admission, "_enqueue", fail_once)
    async with Held(person.memory):
        failing = asyncio.create_task(person.fact("hobby", "failing"))
        await in_line(person.memory)
        waiting = [asyncio.create_task(person.fact("hobby", value)) for value in ("chess", "tea", "go")]
        await in_line(person.memory, 3)
        waiting[1].cancel()
    assert (await failing).status == "error"
    assert [(await waiting[number]).status for number in (0, 2)] == ["queued", "queued"]
    await person.memory.run_tasks()
    assert sorted(await person.found("hobby")) == ["hobby: chess", "hobby: go"]


async def test_who_came_into_the_line_later_may_wait_as_long_as_the_first(opened, monkeypatch):
    person = await opened(memory_tool_queue_ms=20_000)
    admission = person.memory._calls._admission
    async with Held(person.memory):
        monkeypatch.setattr(admission, "_seconds", 0.3)
        first = asyncio.create_task(person.fact("hobby", "chess"))
        await in_line(person.memory)
        monkeypatch.setattr(admission, "_seconds", 20)
        second = asyncio.create_task(person.fact("hobby", "tea"))
        assert (await first).status == "busy"
    assert (await second).status == "queued"


async def test_room_that_was_counted_is_not_counted_again_for_each_call_and_never_exceeded(opened):
    person = await opened(memory_tool_queue_size=40)
    room = tasks.Room()
    counts: list[str] = []

    def fill(tx):
        run = tx.rows
        tx.rows = lambda query, parameters: counts.append(query) or run(query, parameters)
        return [tasks.enqueue_call(tx, person.turn(), "remember", 1, {"content": "tea"}, room) for _ in range(45)]

    ids = await person.memory.apply(fill)
    assert [isinstance(id_, int) for id_ in ids] == [True] * 40 + [False] * 5
    assert counts.count("tasks_waiting") < 40


async def test_a_call_waits_where_calls_are_not_asynchronous(opened):
    person = await opened(memory_tool_async=False)
    async with Held(person.memory) as held:
        held.release_soon(0.3)
        assert (await person.fact("hobby", "chess")).status == "success"


async def test_a_worker_of_its_own_does_what_was_queued(opened):
    person = await opened(background=True)
    await queue_one(person, key="hobby", value="chess")
    finished = []
    for _ in range(400):
        if finished := await person.memory.take_finished(person.turn()):
            break
        await asyncio.sleep(0.025)
    assert [one.result["status"] for one in finished] == ["success"]


async def test_nothing_that_deletes_or_changes_or_only_reads_is_ever_queued(opened, back_end):
    """Who agrees must have seen the question; an older change must not undo a newer one; what is read may be gone."""
    person = await opened()
    note = await person.note("plays chess")
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await person.fact("location", "Kyiv")
    calls = [
        ("forget", {"memory_id": note}),
        ("clear_profile", {"user_id": 123, "reason": "x"}),
        ("update_fact", fact | {"new_value": "Lviv", "change_reason": "update"}),
        ("forget_fact", {"user_id": 123, "fact_type": "personal", "fact_key": "location", "reason": "outdated"}),
    ]
    if back_end == "sqlite-memory":  # there, reads wait for the writer as well
        calls.append(("recall", {"query": "chess"}))
    for tool, arguments in calls:
        async with Held(person.memory) as held:
            held.release_soon(0.6)
            assert (await person.call(tool, **arguments)).status == "busy", tool
    assert await person.memory.tasks() == []
    assert sorted(await person.found("chess Kyiv")) == ["location: Kyiv", "plays chess"]


async def test_what_somebody_said_before_they_cleared_their_profile_does_not_come_true_after(opened):
    person = await opened()
    await person.note("plays chess")
    await queue_one(person, key="hobby", value="guitar")
    result = None
    for _ in range(2):
        result = await person.call("clear_profile", user_id=123, reason="they asked")
    assert result is not None
    assert result.status == "deleted"
    await person.memory.run_tasks()
    assert await person.found("guitar chess") == []


@pytest.mark.partitioned
async def test_a_queued_call_about_somebody_goes_when_they_are_erased(opened):
    person = await opened()
    other = await person.at(user=5).speaks()
    await queue_one(person, user_id=5, key="hobby", value="guitar")
    await person.memory.erase(other.turn())
    assert await person.memory.tasks() == []


async def test_words_that_no_database_can_store_stop_no_call_from_being_queued(opened):
    person = await opened()
    async with Held(person.memory) as held:
        held.release_soon(0.15)
        result = await person.call("remember", turn=person.turn(text="hi \ud83d"), content="plays chess")
    assert result.status == "queued"
    await person.memory.run_tasks()
    assert await person.found("chess") == ["plays chess"]


async def test_of_a_call_that_was_parked_the_person_is_told_once(opened, clock):
    person = await opened()
    await queue_one(person, key="hobby", value="chess")
    failing = worker(person.memory, "w", call=lambda *_: 1 / 0)
    for _ in range(tasks.MOST_ATTEMPTS):
        await failing.run_due()
        clock.forward(minutes=11)
    (told,) = await person.memory.take_finished(person.turn())
    assert (told.tool, told.result["status"]) == ("remember_fact", "error")
    assert await person.memory.take_finished(person.turn()) == []
    assert [task.state for task in await person.memory.tasks()] == ["failed"]


@pytest.mark.partitioned
async def test_erasing_a_person_erases_their_queued_calls(opened):
    person = await opened()
    await queue_one(person, key="hobby", value="chess")
    await person.memory.erase(person.turn())
    assert await person.memory.tasks() == []
    assert await person.memory.run_tasks() == 0


# The queue itself


def add(tx, kind="work", priority=1, **payload):
    space = tx.owners.ensure("space", "telegram", "456")
    person = tx.owners.ensure("person", "telegram", "123")
    return tx.tasks.add(space, kind, payload, conversation=("456", "", 0), person=person, priority=priority)


def worker(memory, name, **handlers):
    return Worker(memory._store, handlers, name=name)


@pytest.mark.partitioned
async def test_urgent_work_comes_first_and_then_the_oldest(opened, clock):
    memory = (await opened()).memory
    done = []
    for n, priority in enumerate((1, 1, 0, 2)):
        await memory.apply(add, n=n, priority=priority)
        clock.forward(seconds=1)
    await worker(memory, "w", work=lambda _, payload: done.append(payload["n"])).run_due()
    assert done == [2, 0, 1, 3]


async def test_a_leased_task_is_nobody_elses_until_its_lease_ends(opened, clock):
    memory = (await opened()).memory
    await memory.apply(add)
    (task,) = await claim(memory, "one")
    assert await claim(memory, "two") == []
    clock.forward(seconds=61)
    (again,) = await claim(memory, "two")
    assert (again.id, again.attempts) == (task.id, 2)
    with pytest.raises(tasks.TakenError):
        await memory.apply(tasks.perform, task, "one", lambda *_: pytest.fail("it is another's by now"))
    done = []
    performed = await memory.apply(tasks.perform, again, "two", lambda *_: done.append(1))
    assert not await memory.apply(lambda tx: tx.tasks.finish(task, "one", performed.result))
    assert await memory.apply(lambda tx: tx.tasks.finish(again, "two", performed.result))
    assert not await memory.apply(lambda tx: tx.tasks.finish(again, "two", performed.result))
    with pytest.raises(tasks.TakenError):
        await memory.apply(tasks.perform, again, "two", lambda *_: pytest.fail("it is done"))
    assert done == [1]


def keep_note(tx, payload):
    """Changes a person's rows, whereas the task is the space's."""
    kept = remember(tx, Turn(platform="telegram", space="456", chat="456", user=123), 123, New(content="plays chess"))
    return {"status": type(kept).__name__, "n": payload.get("n")}


async def outcomes(memory):
    return await memory.look(lambda tx: tx.rows("outcomes", {}))


async def crash_after_performing(memory, clock):
    """A worker that does the one task there is, and ends before it can say so."""
    await memory.apply(add, n=7, tool="remember")
    (task,) = await claim(memory, "one")
    await memory.apply(tasks.perform, task, "one", keep_note)
    clock.forward(seconds=61)
    return task


async def test_a_task_that_was_done_is_not_done_again_by_whoever_begins_it_again(opened, clock):
    person = await opened()
    await crash_after_performing(person.memory, clock)
    assert len(await outcomes(person.memory)) == 1
    again = worker(person.memory, "two", work=lambda *_: pytest.fail("it was done"))
    assert await again.run_due() == 1
    (finished,) = await person.memory.take_finished(person.turn())
    assert finished.result == {"status": "Remembered", "n": 7}
    assert await person.found("chess") == ["plays chess"]
    assert await outcomes(person.memory) == []


@pytest.mark.partitioned
async def test_of_two_workers_that_both_began_a_task_the_second_changes_nothing(opened, clock):
    person = await opened()
    await person.note("plays chess")
    task = await crash_after_performing(person.memory, clock)
    with pytest.raises(tasks.TakenError):  # it looked before the first was done
        await person.memory.apply(tasks.perform, task, "one", keep_note)
    (note,) = await person.memory.look(lambda tx: tx.memories.list_all(tx.owners.find("person", "telegram", "123")))
    assert note.evidence == 2


async def test_a_task_that_is_dropped_while_it_is_done_leaves_no_trace(opened):
    person = await opened()
    await person.memory.apply(add)
    (task,) = await claim(person.memory, "one")

    def dropped_meanwhile(tx, payload):
        keep_note(tx, payload)
        tx.rows("erase_space_tasks", {"owner": task.owner})

    with pytest.raises(tasks.TakenError):
        await person.memory.apply(tasks.perform, task, "one", dropped_meanwhile)
    assert await person.found("chess") == []
    assert await outcomes(person.memory) == []


async def test_tidying_drops_what_came_of_a_task_once_nobody_will_ask(opened, clock):
    person = await opened()
    task = await crash_after_performing(person.memory, clock)
    clock.forward(days=40)
    await person.memory.tidy()
    assert len(await outcomes(person.memory)) == 1, "the task is not finished"
    assert await person.memory.drop_task(task.id)
    await person.memory.tidy()
    assert await outcomes(person.memory) == []


async def test_a_task_that_fails_waits_ever_longer_and_is_parked_with_its_error_in_the_end(opened, clock):
    memory = (await opened()).memory
    number = await memory.apply(add)

    def fail(tx, _):
        add(tx, kind="a trace that must not stay")
        raise ValueError("the reason")

    failing = worker(memory, "w", work=fail)
    waits = []
    task = None
    for attempt in range(1, tasks.MOST_ATTEMPTS + 1):
        assert await failing.run_due() == 1
        (task,) = await memory.tasks()
        assert task.attempts == attempt
        assert task.error.startswith("ValueError at test_tasks.py:"), "its text may be somebody's"
        waits.append(task.run_at - clock.now)
        assert await failing.run_due() == 0 or attempt == tasks.MOST_ATTEMPTS
        clock.now = max(task.run_at, clock.now)
    assert task is not None
    assert task.state == "failed"
    assert all(timedelta(seconds=2**n) <= wait <= timedelta(seconds=2 * 2**n) for n, wait in enumerate(waits[:-1]))
    assert await failing.run_due() == 0

    assert await memory.retry_task(number) == 1
    done = []
    await worker(memory, "w", work=lambda *_: done.append(1)).run_due()
    assert (done, await memory.tasks()) == ([1], [])


class _Failing:
    """A store of which some operations fail with an error."""

    def __init__(self, store, error, fails):
        self._store = store
        self._error = error
        self._fails = fails

    def __getattr__(self, name):
        method = getattr(self._store, name)
        if not inspect.iscoroutinefunction(method):
            return method

        async def run(operation, *given):
            if self._fails(operation, *given):
                raise self._error
            return await method(operation, *given)

        return run


def failing(*given) -> Any:
    return _Failing(*given)


def never(*_):
    raise StoreBusy("others keep writing what this has to remove")


ENDLESS = Spread(parts=never, part=never, end=never)


async def test_a_change_that_the_store_never_lets_end_waits_ever_longer_and_holds_up_nobody(opened, clock):
    memory = (await opened()).memory
    bad, _ = await memory.apply(add, kind="bad", priority=0), await memory.apply(add, n=1)
    done = []
    worker = Worker(memory._store, {"work": lambda _, payload: done.append(payload["n"])}, spreads={"bad": ENDLESS})
    assert await worker.run_due() == 2
    assert done == [1]
    for attempt in range(1, tasks.MOST_ATTEMPTS + 8):
        (task,) = await memory.tasks()
        assert (task.id, task.state, task.attempts) == (bad, "waiting", attempt), "it is not the task's fault"
        assert task.error.startswith("StoreBusy")
        assert min(2**attempt, 600) / 2 <= (task.run_at - clock.now).total_seconds() <= min(2**attempt, 600)
        await memory.apply(add, n=attempt + 1)
        assert await worker.run_due() == 1, "the other task alone"
        assert done[-1] == attempt + 1
        clock.now = task.run_at
        assert await worker.run_due() == 1


async def test_a_task_that_cannot_even_be_set_aside_holds_up_nobody_either(opened, clock):
    """Whoever keeps its space's rows locked keeps the task's own row locked."""
    memory = (await opened()).memory
    await memory.apply(add, kind="bad", priority=0)
    await memory.apply(add, n=1)
    done = []
    locked = failing(memory._store, StoreBusy("x"), lambda operation, *_: operation is worker_module._failed)
    worker = Worker(locked, {"work": lambda _, payload: done.append(payload["n"])}, spreads={"bad": ENDLESS})
    assert await worker.run_due() == 2
    assert done == [1]
    assert await worker.run_due() == 0, "its lease has to end first"
    clock.forward(seconds=61)
    assert await worker.run_due() == 1


@pytest.mark.partitioned
async def test_a_space_whose_tasks_cannot_be_taken_now_holds_up_no_other_space(opened):
    memory = (await opened()).memory

    def add_elsewhere(tx):
        space = tx.owners.ensure("space", "telegram", "789")
        return tx.tasks.add(space, "work", {"n": 2}, conversation=("789", "", 0), person=0, priority=1)

    await memory.apply(add, n=1)
    await memory.apply(add_elsewhere)
    [(first, _), _] = await memory.look(lambda tx: tx.tasks.list_due(10))
    done = []

    def is_first(operation, *given):
        return operation is tasks.claim and given[0] == first

    work = {"work": lambda _, payload: done.append(payload["n"])}
    assert await Worker(failing(memory._store, StoreBusy("x"), is_first), work).run_due() == 1
    assert done == [2]
    assert await Worker(memory._store, work).run_due() == 1
    assert done == [2, 1]


async def test_while_the_store_cannot_be_written_tasks_wait_for_it(opened):
    memory = (await opened()).memory
    await memory.apply(add)

    def is_write(operation, *_):
        return operation in (tasks.perform, worker_module._failed)

    broken = failing(memory._store, StoreUnavailable("the disk is full"), is_write)
    with pytest.raises(StoreUnavailable):
        await Worker(broken, {"work": lambda *_: None}).run_due()


async def test_what_cannot_be_meant_is_a_result_and_not_tried_again(opened):
    person = await opened()

    def refuse(*_):
        raise InvalidInput("user_id must be a whole number")

    await person.memory.apply(add, tool="remember_fact")
    await worker(person.memory, "w", work=refuse).run_due()
    (finished,) = await person.memory.take_finished(person.turn())
    assert finished.result == {"status": "invalid_args", "message": "user_id must be a whole number"}


async def test_a_kind_that_only_a_newer_version_knows_is_left_to_it(opened, clock):
    """Old and new work side by side while processes are replaced one by one."""
    person = await opened()
    await person.memory.apply(add, kind="later", tool="x")
    await person.memory.apply(add, n=1)
    done = []
    old = worker(person.memory, "old", work=lambda _, payload: done.append(payload["n"]))
    assert await old.run_due() == 1
    clock.forward(days=1)
    assert await old.run_due() == 0
    (task,) = await person.memory.tasks()
    assert (task.state, task.attempts, done) == ("waiting", 0, [1])
    assert (await person.memory.look(lambda tx: tx.usage.backlog())).task_since == task.created_at, (
        "the metrics say how long it waits"
    )
    await worker(person.memory, "new", later=lambda *_: {"status": "success"}).run_due()
    (finished,) = await person.memory.take_finished(person.turn())
    assert finished.result["status"] == "success"


@pytest.mark.parametrize("newer", [{"tool": "remember_smell"}, {"version": 99}])
async def test_a_call_that_only_a_newer_version_can_make_is_left_to_it(opened, clock, newer):
    person = await opened()
    queued = await queue_one(person, key="hobby", value="chess")

    def change(tx, payload):
        (task,) = tx.tasks.list(1)
        space = task.owner
        tx.tasks.end(task)
        person = tx.owners.ensure("person", "telegram", "123")
        return tx.tasks.add(
            space, "call", task.payload | payload, conversation=("456", "", 0), person=person, priority=1
        )

    number = await person.memory.apply(change, newer)
    assert number != queued["task_id"]
    for _ in range(tasks.MOST_ATTEMPTS + 1):
        assert await person.memory.run_tasks() == 1
        (task,) = await person.memory.tasks()
        assert (task.state, task.attempts) == ("waiting", 0), "no try is counted"
        assert task.error.startswith("UnknownTool at ")
        clock.now = task.run_at
    assert await person.memory.take_finished(person.turn()) == []
    clock.forward(days=1)
    assert await person.memory.run_tasks() == 1
    (task,) = await person.memory.tasks()
    assert task.run_at - clock.now <= timedelta(minutes=10), "whoever comes need not wait for long"
    new = worker(person.memory, "new", call=lambda *_: {"status": "success"})
    clock.now = task.run_at
    assert await new.run_due() == 1
    (finished,) = await person.memory.take_finished(person.turn())
    assert finished.result == {"status": "success"}


@pytest.mark.partitioned
async def test_an_operator_lists_retries_and_drops(opened, clock):
    memory = (await opened()).memory
    one, two = await memory.apply(add), await memory.apply(add)
    assert [task.id for task in await memory.tasks()] == [one, two]
    assert await memory.drop_task(one)
    assert not await memory.drop_task(one)
    await claim(memory, "w")
    assert not await memory.drop_task(two)  # somebody is at it
    clock.forward(seconds=61)
    assert await memory.drop_task(two)
    assert await memory.retry_task() == 0


async def test_a_clock_that_goes_back_holds_no_task_for_long(opened, clock):
    memory = (await opened()).memory
    await memory.apply(add)
    await claim(memory, "one")
    clock.forward(days=-1)
    assert len(await claim(memory, "two")) == 1


async def test_results_nobody_came_for_and_parked_tasks_go_in_the_end(opened, clock):
    person = await opened()
    await queue_one(person, key="hobby", value="chess")
    await person.memory.run_tasks()
    await person.memory.apply(add)
    failing = worker(person.memory, "w", work=lambda *_: 1 / 0)
    for _ in range(tasks.MOST_ATTEMPTS):
        await failing.run_due()
        clock.forward(minutes=11)
    assert sorted(task.state for task in await person.memory.tasks()) == ["done", "failed"]
    clock.forward(days=1)
    await person.memory.tidy()
    assert [task.state for task in await person.memory.tasks()] == ["failed"]
    clock.forward(days=30)
    await person.memory.tidy()
    assert await person.memory.tasks() == []


async def test_a_chore_is_one_workers_until_its_next_time(opened, clock):
    memory = (await opened()).memory
    hour = timedelta(hours=1)
    assert await memory.apply(lambda tx: tx.tasks.claim_chore("sweep", hour))
    assert not await memory.apply(lambda tx: tx.tasks.claim_chore("sweep", hour))
    assert await memory.apply(lambda tx: tx.tasks.claim_chore("dust", hour))
    clock.forward(hours=1)
    assert await memory.apply(lambda tx: tx.tasks.claim_chore("sweep", hour))
    clock.forward(days=-1)  # a clock that goes back stops nothing
    assert await memory.apply(lambda tx: tx.tasks.claim_chore("sweep", hour))


async def test_a_chore_that_never_began_is_due_after_its_first_pause(opened, clock):
    memory = (await opened()).memory
    pauses = {"sweep": timedelta(hours=1), "dust": timedelta(hours=3)}

    def due(tx):
        return tx.tasks.due_chores(pauses)

    assert await memory.look(due) == {}
    await memory.apply(lambda tx: tx.tasks.begin_chores(pauses))
    assert await memory.look(due) == {"sweep": False, "dust": False}
    clock.forward(hours=1)
    await memory.apply(lambda tx: tx.tasks.begin_chores(pauses))  # by another process
    assert await memory.look(due) == {"sweep": True, "dust": False}
    clock.forward(days=-1)
    assert await memory.look(due) == {"sweep": True, "dust": True}


async def test_what_is_due_is_done_when_a_store_is_opened_and_in_a_new_one_nothing_is(
    lasting_url, opening, clock, monkeypatch
):
    tidied = asyncio.Event()

    async def tidy(_):
        tidied.set()

    monkeypatch.setattr(Memory, "tidy", tidy)
    pauses = {"tidy": timedelta(minutes=10)}
    async with await opening(lasting_url) as memory:
        while not await memory.look(lambda tx: tx.tasks.due_chores(pauses)):
            pass
        assert not tidied.is_set()
    clock.forward(minutes=10)
    async with await opening(lasting_url):
        await asyncio.wait_for(tidied.wait(), 120)


@pytest.mark.parametrize("error", [StoreUnavailable("it is down"), ValueError("a row says so")])
async def test_chores_that_could_not_be_looked_at_are_done_later(opened, monkeypatch, caplog, error):
    store = (await opened()).memory._store
    done = asyncio.Event()

    async def work():
        done.set()

    def fails(*_):
        raise error

    monkeypatch.setattr(store, "read", fails)
    chores = asyncio.create_task(repeat(store, {"sweep": Chore(timedelta(milliseconds=1), work)}))
    await asyncio.wait_for(done.wait(), 120)
    chores.cancel()
    assert "chores are looked at later" in caplog.text


async def test_the_model_is_told_in_the_next_turn_what_came_of_a_queued_call(opened):
    from pydantic_ai.models.function import FunctionModel

    from zgadka.chat.loop import Conversation

    prompts = []

    async def answer(messages, _):
        prompts.append(str(messages[-1].parts))
        yield "Fine."

    person = await opened()
    queued = await queue_one(person, key="hobby", value="chess")
    await person.memory.run_tasks()
    conversation = Conversation(person.memory, FunctionModel(stream_function=answer))
    for _ in range(2):
        assert [piece async for piece in conversation.answer("hello", person.turn())] == ["Fine."]
    assert [f"task_id={queued['task_id']} remember_fact" in prompt for prompt in prompts] == [True, False]


async def test_a_worker_that_is_woken_as_it_is_stopped_stops(opened):
    person = await opened(background=False)
    worker = person.memory._worker
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0.2)  # by then there was nothing to do, and it waits
    worker.wake()
    await asyncio.sleep(0)
    running.cancel()
    assert running in (await asyncio.wait({running}, timeout=120))[0]


async def add_work(memory, kind="work", **payload):
    """Put a task in line; returns the space's number."""

    def add(tx):
        space = tx.owners.ensure("space", "test", "s")
        tx.tasks.add(space, kind, payload, conversation=("c", "", 0), person=0, priority=1)
        return space

    return await memory.apply(add)


async def test_a_memory_that_is_closed_leaves_no_lease_on_what_it_had_not_done(opened, monkeypatch):
    memory = (await opened()).memory
    await add_work(memory)
    begun = asyncio.Event()

    async def perform(self, task):
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Worker, "_perform", perform)
    running = asyncio.create_task(Worker(memory._store, {"work": lambda _, __: None}).run())
    await begun.wait()
    assert await claim(memory, "another") == []
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert [task.kind for task in await claim(memory, "another")] == ["work"]


async def test_a_lease_that_its_worker_renews_is_nobody_elses_and_ends_once_the_worker_is_gone(opened, clock):
    memory = (await opened()).memory
    space = await add_work(memory)
    (task,) = await claim(memory, "gone")
    clock.forward(seconds=tasks.LEASE.total_seconds() - 1)
    await memory.apply(lambda tx: tx.tasks.renew(space, "gone", tasks.LEASE))
    clock.forward(seconds=2)
    assert await claim(memory, "another") == []
    clock.forward(seconds=tasks.LEASE.total_seconds())
    assert [again.id for again in await claim(memory, "another")] == [task.id]


async def test_a_worker_says_that_it_is_still_at_it(opened, clock, monkeypatch):
    monkeypatch.setattr(worker_module, "_RENEWED_SECONDS", 0.01)
    memory = (await opened()).memory
    await add_work(memory)
    begun, done = asyncio.Event(), asyncio.Event()

    async def perform(self, task):
        begun.set()
        await done.wait()

    monkeypatch.setattr(Worker, "_perform", perform)
    running = asyncio.create_task(Worker(memory._store, {"work": lambda _, __: None}).run_due())
    await begun.wait()
    clock.forward(seconds=tasks.LEASE.total_seconds() + 1)
    for _ in range(500):
        if not await memory.look(lambda tx: tx.tasks.list_due(10)):
            break
        await asyncio.sleep(0.01)
    assert await claim(memory, "another") == []
    done.set()
    assert await running == 1
