"""What is done is counted in rows, without saying by whom, where or about what."""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pytest

from zgadka.errors import StoreBusy, StoreClosed
from zgadka.ops.consent import consents
from zgadka.ops.usage_stats import keep_activity, thin_activity
from zgadka.stores.tx.operator_queries import FIRST, Wanted
from zgadka.stores.tx.usage_stats import ABOVE, Kind
from zgadka.text.words import index_words

pytestmark = pytest.mark.asyncio

AGES = timedelta(days=3650)


async def counted(memory, what=None):
    """How many there were, by what, name and outcome."""
    await memory._activity.flush()
    rows = await memory.look(lambda tx: list(tx.usage.list(tx.now - AGES)))
    found: Counter[tuple[str, str, str]] = Counter()
    for one in rows:
        if what in (None, one.kind.what):
            found[one.kind.what, one.kind.name, one.kind.outcome] += one.number
    return dict(found)


async def test_calls_and_changes_become_rows(memory, person):
    await person.fact()
    await person.fact()
    await person.update("location", "Lviv")
    await person.forget_fact("location")
    found = await counted(memory)
    assert found["call", "remember_fact", "success"] == found["call", "remember_fact", "skipped"] == 1
    assert found["db_write", "remember_fact", ""] == 2
    assert found["change", "fact", "created"] == found["change", "fact", "updated"] == 1
    assert found["change", "fact", "hidden"] == 1
    assert found["conversation", "", ""] == 1
    assert found["queue", "", ""] == 1


async def test_nothing_done_is_nothing_written(memory):
    assert await counted(memory) == {}


async def test_rows_say_nothing_of_anybody(memory, people):
    person = people(987654321, space="zebraspace", chat="zebrachat", platform="zebraplatform")
    await person.fact("zebrakey", "zebravalue")
    await person.call("zebratool")
    await memory._activity.flush()
    rows = await memory.look(lambda tx: str(list(tx.usage.list(tx.now - AGES))))
    assert "zebra" not in rows
    assert "987654321" not in rows


async def test_a_look_before_remembering_is_seen_in_the_same_turn_only(memory, person):
    turn = person.turn()
    await person.call("recall_facts", turn=turn, user_id=123)
    await person.fact(turn=turn)
    await person.fact("pet", "a cat")
    found = await counted(memory, "pattern")
    assert found == {
        ("pattern", "recall_before_remember", ""): 1,
        ("pattern", "remember_without_recall", ""): 1,
    }


async def test_a_pause_begins_another_conversation(memory, person, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr("zgadka.usage_stats.time", SimpleNamespace(monotonic=lambda: now))  # others need theirs
    await person.fact()
    await person.call("recall", query="x")
    await person.at(chat="another").call("recall", query="x")
    now += 31 * 60
    await person.call("recall", query="x")
    assert (await counted(memory, "conversation"))["conversation", "", ""] == 3


@pytest.mark.partitioned
async def test_counts_of_several_processes_and_restarts_add_up(lasting_url, opening, make_person):
    first, second = await opening(lasting_url), await opening(lasting_url)
    for memory in (first, second):
        await make_person(memory).call("recall", query="x")
        await memory._activity.flush()
    await make_person(first).call("recall", query="x")
    await first.close()  # what was counted since the last time is kept as well
    third = await opening(lasting_url)
    assert (await counted(third, "call"))["call", "recall", "success"] == 3


async def test_latencies_are_kept_as_counts_by_bound(memory, person):
    await person.call("recall", query="x")
    await memory._activity.flush()
    (row,) = [
        one for one in await memory.look(lambda tx: list(tx.usage.list(tx.now - AGES))) if one.kind.what == "call"
    ]
    assert row.number == 1
    assert 0 < row.total <= row.kind.bound
    assert row.kind.bound == ABOVE or row.kind.bound % 500 == 0


async def test_old_spans_are_added_up_by_the_hour_and_dropped_at_last(memory, clock):
    kind = Kind("call", "recall", "success", 500)
    for _ in range(24):
        await memory.apply(keep_activity, {kind: (2, 300)})
        clock.forward(minutes=5)
    clock.forward(days=1)
    assert await memory.apply(thin_activity) == 0
    clock.forward(days=2)
    assert await memory.apply(thin_activity) > 0
    rows = [one for one in await memory.look(lambda tx: list(tx.usage.list(tx.now - AGES))) if one.kind == kind]
    assert [(one.number, one.total) for one in rows] == [(24, 3600), (24, 3600)]
    assert {one.at.minute for one in rows} == {0}
    clock.forward(days=90)
    await memory.apply(thin_activity)
    assert await memory.look(lambda tx: list(tx.usage.list(tx.now - AGES))) == []


async def test_tidying_thins_out(memory, person, clock):
    await person.call("recall", query="x")
    clock.forward(minutes=5)
    await memory._activity.flush()
    clock.forward(days=100)
    await memory.tidy()
    assert await counted(memory, "call") == {}


async def test_what_cannot_be_kept_now_is_kept_later(memory, person, monkeypatch):
    await person.call("recall", query="x")

    def busy(*_: object):
        raise StoreBusy("somebody has it")

    with monkeypatch.context() as patched:
        patched.setattr("zgadka.usage_stats.keep_activity", busy)
        await memory._activity.flush()
    await person.call("recall", query="x")
    assert (await counted(memory, "call"))["call", "recall", "success"] == 2


async def test_once_the_store_is_closed_nothing_can_be_kept(memory, person):
    await memory._store.close()
    memory._activity._add(Kind("conversation"))
    with pytest.raises(StoreClosed):
        await memory._activity.flush()


async def test_with_no_days_nothing_is_kept(open_store, make_person):
    memory = await open_store(activity_days=0)
    await make_person(memory).call("recall", query="x")
    assert await counted(memory) == {}


async def test_tasks_are_timed_from_when_they_were_put_in_line(open_store, make_person, clock):
    from zgadka.ops.tasks import enqueue_call

    memory = await open_store(background=False)  # or its own worker may have the task in hand
    person = make_person(memory)
    await memory.apply(enqueue_call, person.turn(), "remember", 1, {"content": "tea"})
    clock.forward(seconds=90)
    await memory.run_tasks()
    await memory._activity.flush()
    rows = await memory.look(lambda tx: list(tx.usage.list(tx.now - AGES)))
    (task,) = [one for one in rows if one.kind.what == "task"]
    assert (task.kind.name, task.kind.outcome, task.total) == ("call", "done", 90_000_000)


async def test_the_backlog_says_what_waits_and_since_when(memory, person, people, clock, open_store):
    from zgadka.model.inference import Inferred
    from zgadka.ops.questions import ask_to_save
    from zgadka.ops.tasks import enqueue_call

    empty = await memory.look(lambda tx: tx.usage.backlog())
    assert (empty.tasks, empty.task_since, empty.questions, empty.question_since) == (0, None, 0, None)
    asked = clock.now
    item = Inferred(type="personal", key="pet", value="a cat")
    question = await memory.apply(ask_to_save, person.turn(), [item])
    clock.forward(minutes=1)
    put = clock.now
    await memory.apply(enqueue_call, person.turn(), "remember", 1, {"content": "tea"})
    clock.forward(minutes=1)
    await memory.apply(enqueue_call, person.turn(), "remember", 1, {"content": "coffee"})
    full = await memory.look(lambda tx: tx.usage.backlog())
    assert (full.tasks, full.task_since, full.parked) == (2, put, 0)
    assert (full.questions, full.question_since) == (1, asked)
    await memory.answer_question(question.id, person.turn(), save=False)
    assert (await memory.look(lambda tx: tx.usage.backlog())).questions == 0


async def test_an_open_question_for_consent_waits_too(open_store, make_person, clock):
    memory = await open_store(others_may_change="ask")
    own, other = make_person(memory), make_person(memory, user=7)
    await own.speaks()
    await other.speaks()
    await other.fact(user_id=123)
    assert len(await memory.look(consents, own.turn())) == 1
    backlog = await memory.look(lambda tx: tx.usage.backlog())
    assert (backlog.questions, backlog.question_since) == (1, clock.now)
    assert [(owner > 0, one.tool) for owner, one in await memory.look(lambda tx: tx.operator.list_questions(10))] == [
        (True, "remember_fact")
    ]
    clock.forward(days=10)
    assert (await memory.look(lambda tx: tx.usage.backlog())).questions == 0


@pytest.mark.parametrize("sort", ["new", "old", "sure", "unsure"])
async def test_an_operators_list_goes_on_where_it_came_to_in_every_order(memory, people, clock, sort):
    for number, confidence in enumerate((0.9, 0.5, 0.5, 0.9, 0.7)):
        await people(1).fact("hobby", f"hobby {number}", confidence=confidence)
        clock.forward(days=number % 2)
    wanted, after, pages = Wanted(sort=sort), FIRST, []
    while rows := await memory.look(lambda tx, after: tx.operator.list_memories(wanted, after, 2), after):
        pages += [row.id for row in rows]
        after = wanted.cursor(rows[-1])
    whole = await memory.look(lambda tx: tx.operator.list_memories(wanted, FIRST, 10))
    assert pages == [row.id for row in whole]
    assert whole == sorted(whole, key=wanted.cursor, reverse=True)
    assert len(whole) == 5


@pytest.mark.partitioned
async def test_an_operator_sees_what_happened_everywhere_the_newest_first(memory, people, clock):
    await people(1).fact(value="Київ")
    clock.forward(minutes=1)
    await people(2).fact("hobby", "chess")
    await people(1).forget_fact("location")
    whole = {"since": clock.now - AGES, "actor": "", "action": "", "acts": False, "before": None, "limit": 9}

    async def lines(**more):
        return await memory.look(lambda tx: tx.operator.list_events(**(whole | more)))

    every = await lines()
    assert {(line.actor, line.action) for line in every[:2]} == {("1", "forgotten"), ("2", "created")}
    assert [(line.actor, line.action) for line in every[2:]] == [("1", "created")]
    assert await lines(before=every[0]) == every[1:]
    assert [line.actor for line in await lines(actor="2")] == ["2"]
    assert [line.action for line in await lines(action="forgotten")] == ["forgotten"]
    assert await lines(acts=True) == []
    counts = await memory.look(lambda tx: tx.operator.counts_by_kind())
    assert counts["fact"] == 1
    assert counts["person"] == 2
    assert await memory.look(lambda tx: tx.operator.storage_bytes()) > 1000
    made = await memory.look(lambda tx: tx.operator.grown(timedelta(days=1)))
    assert [(kind, at.hour, count) for kind, at, count in made] == [("fact", 0, 1)]


@pytest.mark.partitioned
async def test_an_operator_lists_people_and_memories_of_all(memory, people):
    from zgadka.model.people import Member

    for user, name in ((1, "Olena"), (2, "Tom")):
        await memory.report_member("telegram", "456", Member(user=str(user), number=user, name=name))
        await people(user).fact(value="Київ")
    await people(2).note("Likes tea")
    known = await memory.look(lambda tx: tx.operator.list_people(0, 10))
    assert [(one.name, one.names) for one in known] == [("1", ("Olena",)), ("2", ("Tom",))]
    counts = await memory.look(lambda tx: tx.operator.memories_of([one.owner for one in known]))
    assert [counts[one.owner] for one in known] == [1, 2]
    assert [one.name for one in await memory.look(lambda tx: tx.operator.list_people(known[0].owner, 10))] == ["2"]

    async def found(*words, **more):
        forms = [[form] if isinstance(form, str) else form for form in words]
        wanted = Wanted(words=forms, **more)
        return [one.content for one in await memory.look(lambda tx: tx.operator.list_memories(wanted, FIRST, 10))]

    assert await found() == ["Likes tea", "Київ", "Київ"]
    assert await found(index_words("Kyiv")[0]) == ["Київ", "Київ"]
    assert await found("tea", "like") == ["Likes tea"]
    assert await found(("sugar", "te"), "like") == ["Likes tea"]
    assert await found("te ", "like") == []
    assert await found("tea", index_words("Kyiv")[0]) == []
    assert await found(kind="note") == ["Likes tea"]
    assert await found(("zebra", "sugar", "x", "te"), "like") == ["Likes tea"]
    assert await found(type="personal") == ["Київ", "Київ"]
    assert await found(confidence=(0.0, 0.5)) == []
    assert len(await found(space=1_000)) == 0
    await people(1).forget_fact("location")
    assert len(await found()) == 2
    assert len(await found(hidden=True)) == 3
