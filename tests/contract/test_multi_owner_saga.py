"""What concerns several owners' rows is done an owner at a time; a crash in between leaves no half of it."""

from __future__ import annotations

from contextlib import closing
from functools import partial

import apsw
import pytest
from store_rows import audited_ids

from zgadka import InvalidInput, Member
from zgadka.errors import StoreUnfinished
from zgadka.model.inference import Inference, Inferred
from zgadka.model.outcome import Changed, Refused
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import audit, erase, profile, tasks, withhold
from zgadka.ops.belongings import mine
from zgadka.ops.multi_owner_saga import Spread
from zgadka.ops.tasks import enqueue_call
from zgadka.stores import executor
from zgadka.tool_calls import perform
from zgadka.worker import and_left

pytestmark = [pytest.mark.asyncio, pytest.mark.partitioned, pytest.mark.every_case]

SPACES = ("1", "2", "3")


@pytest.fixture(params=["sqlite-file", "postgres-partitioned"])
def back_end(request):
    """One of each: what is different here is how transactions are made."""
    return request.param


@pytest.fixture
def opened(open_store, make_person):
    async def open_(**settings):
        return make_person(await open_store(background=False, **settings))

    return open_


async def fill(person):
    """A note of one's own, and in each of three spaces an episode with somebody else and a relation to them."""
    memory = person.memory
    for space in SPACES:
        here = person.at(space=space, chat=space)
        for user in (123, 8):
            await memory.report_member("telegram", space, Member(user=str(user), number=user, name=f"Person{user}"))
            await here.at(user=user).speaks(f"message of {user}")
        episode = {"topic": "Evening", "summary": "They sang.", "importance": 0.9}
        assert (await here.call("create_episode", **episode)).status in ("success", "skipped")
        related = {"user_id": 123, "related_user_id": 8, "relationship": "friend"}
        assert (await here.call("remember_relationship", **related)).status == "success"
    return await person.note("plays chess")


async def left_of(person):
    """How many memories the person is in, and how many rows anywhere tell of them."""
    memory = person.memory
    found = await memory.look(mine, person.turn(), "clear")
    owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    traces = (
        [] if owner is None else await memory.look(lambda tx: tx.erasure.owners_with_traces("telegram", owner, "123"))
    )
    return len(found.own), len(found.shared), len(traces)


async def crash(person, spread: Spread, parts: int, operation, *args):
    """Begin a change, do so many of its parts, and stop."""
    store = person.memory._store
    result, [task] = await store.write(and_left(operation), *args)
    for owner in (await store.read(spread.parts, task))[:parts]:
        await store.write(spread.part, task, owner)
    return result


async def recover(person, clock):
    """What any worker does, once those who began it had their time."""
    assert await person.memory.run_tasks() == 0, "it is left to whoever began it"
    clock.forward(seconds=61)
    assert await person.memory.run_tasks() == 1
    assert await person.memory.tasks() == []


async def asked(person):
    """A profile that the person was asked about, and that goes with their next turn."""
    note = await fill(person)
    await person.at(direct=True).call("clear_profile", user_id=123, reason="test")
    return note


@pytest.mark.parametrize("parts", [0, 2])
async def test_a_profile_whose_clearing_was_interrupted_is_cleared_to_the_end(opened, clock, parts):
    person = await opened()
    note = await asked(person)
    cleared = await crash(person, profile.CLEARING, parts, profile.clear_profile, person.turn(direct=True), "test")
    assert cleared.answer == "agreed"
    assert (await left_of(person))[:2] == (3 - parts, 3 - parts)
    clock.forward(seconds=1)
    assert await person.memory.undo(note, person.turn()) == Refused(
        "it is not finished in all chats yet: try again in a minute"
    )
    later = await person.at(space="1", chat="1").call(
        "create_episode", topic="Later", summary="They met anew.", importance=0.9
    )
    await recover(person, clock)
    kept = await person.memory.look(mine, person.turn(), "clear")
    assert {memory.id for memory in (*kept.own, *kept.shared)} == {later["episode_id"]}, "nobody was asked about it"
    assert isinstance(await person.memory.undo(note, person.turn()), Changed)
    assert (await left_of(person))[:2] == (4, 4)


HOBBIES = ("chess", "knitting", "sailing", "juggling", "fencing", "archery", "origami")


async def large(person, monkeypatch):
    """A profile that is cleared two memories at a time, each of which a message said; the ids and the person there."""
    monkeypatch.setattr(profile, "SLICE", 2)
    monkeypatch.setattr(profile, "AT_ONCE", 2)
    direct = person.at(direct=True)
    ids = []
    for hobby in HOBBIES:
        await direct.speaks(f"I love {hobby}, really.")
        ids.append((await direct.fact("hobby", hobby))["fact_id"])
    await direct.call("clear_profile", user_id=123, reason="test")
    return ids, direct


async def told_of(direct):
    """How many of the hobbies are still remembered, and how many of the messages that said one are told."""
    facts = await direct.call("recall_facts", user_id=123, limit=50)
    told = [message.text for message in await direct.memory.recent(direct.turn(), 100)]
    return facts["total"], sum("I love" in text for text in told)


async def test_a_large_profile_is_cleared_slice_by_slice_and_comes_back_as_a_whole(opened, monkeypatch):
    person = await opened()
    ids, direct = await large(person, monkeypatch)
    cleared = await direct.call("clear_profile", user_id=123, reason="test")
    assert (cleared.status, sorted(cleared["memory_ids"])) == ("deleted", ids)
    assert cleared["messages_withheld"] == len(HOBBIES)
    assert "said in 7 messages" in cleared.message
    assert await told_of(direct) == (0, 0)
    assert await person.memory.tasks() == []
    assert isinstance(await person.memory.undo(ids[-1], direct.turn()), Changed)
    assert await told_of(direct) == (len(HOBBIES), len(HOBBIES))


@pytest.mark.parametrize("parts", [0, 1])
async def test_a_large_profile_whose_clearing_was_interrupted_is_cleared_to_the_end(opened, clock, monkeypatch, parts):
    person = await opened()
    ids, direct = await large(person, monkeypatch)
    store = person.memory._store
    cleared, left = await store.write(and_left(profile.clear_profile), direct.turn(), "test")
    assert cleared.answer == "agreed"
    [clearing] = [task for task in left if task.kind == profile.CLEAR]
    for part in (await store.read(profile.CLEARING.parts, clearing))[:parts]:
        await store.write(profile.CLEARING.part, clearing, part)
    if parts:
        refused = await person.memory.undo(ids[0], direct.turn())
        assert isinstance(refused, Refused), "it would bring back a part"
    clock.forward(seconds=61)
    while await person.memory.run_tasks():
        pass
    assert await told_of(direct) == (0, 0)
    assert await person.memory.tasks() == []


async def test_what_is_said_while_a_large_profile_is_cleared_is_told_no_more_than_before(opened, monkeypatch):
    """An answer that was being written when the person agreed tells what goes with a later slice."""
    person = await opened()
    _, direct = await large(person, monkeypatch)
    store = person.memory._store
    _, left = await store.write(and_left(profile.clear_profile), direct.turn(), "test")
    [clearing] = [task for task in left if task.kind == profile.CLEAR]
    parts = await store.read(profile.CLEARING.parts, clearing)
    await person.memory.record("assistant", "You told me that you love origami.", direct.turn())
    for part in parts:
        _, further = await store.write(and_left(profile.CLEARING.part), clearing, part)
        await person.memory._worker.finish(further)
    assert "origami" not in str(await person.memory.recent(direct.turn(), 100))


@pytest.mark.parametrize("parts", [0, 2])
async def test_an_undo_that_was_interrupted_brings_all_back_once(opened, clock, parts):
    person = await opened()
    note = await asked(person)
    assert (await person.at(direct=True).call("clear_profile", user_id=123, reason="test")).status == "deleted"
    assert isinstance(await crash(person, audit.UNDOING, parts, audit.undo, person.turn(), note), Changed)
    assert (await left_of(person))[:2] == (1 + parts, parts)
    await recover(person, clock)
    assert (await left_of(person))[:2] == (4, 3)
    await person.memory.undo(note, person.turn())  # a step further back, and no clearing that nobody agreed to
    assert (await left_of(person))[1] == 3


@pytest.mark.parametrize("parts", [0, 2])
async def test_an_erasure_that_was_interrupted_is_ended_and_leaves_no_trace(opened, clock, parts):
    person = await opened()
    await fill(person)
    await crash(person, erase.ERASING, parts, erase.erase, person.turn())
    assert await left_of(person) == (4 - parts, 3 - parts, 3 - parts)
    await recover(person, clock)
    assert await person.memory.look(lambda tx: tx.owners.find("person", "telegram", "123")) is None
    counts = await person.memory.look(lambda tx: tx.maintenance.counts())
    assert {name: counts[name] for name in ("people", "notes", "relations", "episodes", "messages")} == {
        "people": 1,
        "notes": 0,
        "relations": 0,
        "episodes": 3,
        "messages": 3,
    }


@pytest.mark.parametrize("parts", [0, 2])
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_was_to_be_quoted_no_more_is_not_although_that_was_interrupted(opened, clock, level, parts):
    person = await opened(rollout="off", episode_least_messages=2)
    memory = person.memory
    for space in SPACES:
        for user in (123, 8):
            for said in ("the garden", "a garden"):
                await person.at(space=space, chat=space, user=user).speaks(f"{said} of {user}")
    clock.forward(hours=1)
    assert await memory.make_episodes() == len(SPACES)
    await crash(person, profile.HIDING, parts, profile.set_privacy, person.turn(), level)
    assert (await left_of(person))[1] == len(SPACES) - parts
    await recover(person, clock)
    assert (await left_of(person))[1] == 0
    assert {memory.content for memory in (await memory.look(mine, person.at(user=8).turn(), "clear")).own} == {
        "“the garden of 8” … “a garden of 8”"
    }


async def test_a_call_that_waits_and_relates_somebody_to_the_person_goes_with_them(opened):
    person = await opened()
    await fill(person)
    memory, other = person.memory, person.at(user=8, space="1", chat="1")
    related = {"relationship": "sister", "mutual": False, "description": None}
    for users in ((8, 123), (8, 1234)):
        call = related | dict(zip(("user_id", "related_user_id"), users, strict=True))
        assert isinstance(await memory.apply(enqueue_call, other.turn(), "remember_relationship", 1, call), int)
    assert (await memory.erase(person.turn())).counts["tasks"] == 1
    assert [task.payload["arguments"]["related_user_id"] for task in await memory.tasks()] == [1234]


def note_about(name):
    return {"memory_content": "Afraid of dogs", "scope": "target_user", "target_user": name}


async def wait_for_a_note_about(names, person):
    """Calls of somebody else, in the first space, that wait."""
    memory, other = person.memory, person.at(user=8, space="1", chat="1")
    for name in names:
        call = note_about(name)
        assert isinstance(await memory.apply(enqueue_call, other.turn(), "create_long_term_memory", 1, call), int)


NAMES = ["person123", "@PERSON123", "<@123>", "123"]


async def test_a_call_that_waits_and_names_the_person_goes_with_them(opened):
    person = await opened()
    await fill(person)
    memory = person.memory
    await memory.report_member("telegram", "1", Member(user="1234", number=1234, name="Person1234"))
    await wait_for_a_note_about([*NAMES, "Person1234"], person)
    await memory.report_member("telegram", "1", Member(user="123", number=123, name="Renamed"))
    assert (await memory.erase(person.turn())).counts["tasks"] == len(NAMES)
    assert [task.payload["arguments"]["target_user"] for task in await memory.tasks()] == ["1234"]


@pytest.mark.parametrize("user", ["anna:example.org", 2**60])
async def test_a_call_that_waits_and_names_who_has_no_short_number_goes_with_them(opened, user):
    person = (await opened()).at(user=user)
    memory = person.memory
    here = await person.at(space="1", chat="1").speaks()
    await memory.report_member("telegram", "1", Member(user=str(user), number=here.turn().user_number, name="Анна"))
    await wait_for_a_note_about(["anna", str(user)], person)
    assert (await memory.erase(person.turn())).counts["tasks"] == 2
    assert await memory.tasks() == []


async def test_a_call_that_waits_and_names_the_person_does_not_come_true_after_a_clearing(opened, clock):
    person = await opened()
    await asked(person)
    await wait_for_a_note_about(NAMES, person)
    await crash(person, profile.CLEARING, 0, profile.clear_profile, person.turn(direct=True), "test")
    for _ in range(2):  # what meets the clearing under way is tried again
        clock.forward(seconds=61)
        while await person.memory.run_tasks():
            pass
    assert (await left_of(person))[:2] == (0, 0)
    await wait_for_a_note_about(NAMES, person)
    assert await person.memory.run_tasks() == len(NAMES)
    assert (await left_of(person))[:2] == (1, 0), "what was said after it counts"


@pytest.mark.parametrize("name", ["Nobody", "Twin"])
async def test_a_call_that_names_nobody_for_certain_is_not_put_in_line(opened, name):
    """By the time it is done, somebody may be meant who had everything about them deleted meanwhile."""
    person = await opened()
    for user in (123, 7):
        await person.memory.report_member("telegram", "1", Member(user=str(user), number=user, name="Twin"))
    other = person.at(user=8, space="1", chat="1")
    with pytest.raises(InvalidInput, match=f"nobody here, or several people, .*{name}"):
        await person.memory.apply(enqueue_call, other.turn(), "create_long_term_memory", 1, note_about(name))
    assert await person.memory.tasks() == []


async def test_an_erasure_that_was_parked_waits_for_whoever_runs_the_machine(opened, clock):
    person = await opened()
    await fill(person)
    memory = person.memory
    await crash(person, erase.ERASING, 1, erase.erase, person.turn())
    clock.forward(seconds=61)
    [(owner, count)] = await memory.look(lambda tx: tx.tasks.list_due(10))
    [task] = await memory.apply(tasks.claim, owner, "w", count)
    await memory.apply(lambda tx: tx.tasks.put_off(task, "w", "a mistake", None))
    clock.forward(days=31)
    await memory.tidy()
    assert [(one.kind, one.state) for one in await memory.tasks()] == [("erase", "failed")]
    assert not await memory.drop_task(task.id), "it is half done"
    assert await memory.retry_task() == 1
    assert await memory.run_tasks() == 1
    assert await memory.look(lambda tx: tx.owners.find("person", "telegram", "123")) is None


async def test_an_undo_that_was_interrupted_goes_with_its_person(opened):
    """Also one that began with what is the space's."""
    person = await opened()
    await asked(person)
    here = person.at(space="1", chat="1")
    own = (await person.memory.look(mine, person.turn(), "clear")).own
    relation = next(memory.id for memory in own if memory.kind == "relation")
    assert (await person.at(direct=True).call("clear_profile", user_id=123, reason="test")).status == "deleted"
    assert isinstance(await crash(here, audit.UNDOING, 0, audit.undo, here.turn(), relation), Changed)
    await person.memory.erase(person.turn())
    assert await person.memory.tasks() == []
    assert (await person.memory.look(lambda tx: tx.maintenance.counts()))["relations"] == 0


async def test_who_speaks_while_they_are_erased_leaves_no_trace_either(opened):
    person = await opened()
    await fill(person)
    store = person.memory._store
    _, [task] = await store.write(and_left(erase.erase), person.turn())
    for owner in await store.read(erase.ERASING.parts, task):
        await store.write(erase.ERASING.part, task, owner)
    await person.at(space="9", chat="9").speaks()
    assert await store.write(erase.ERASING.end, task) is None, "there is more to do by now"
    counts = await person.memory._worker.finish([task])
    assert (counts["messages"], counts["memberships"], counts["notes"]) == (1, 1, 1)
    assert await person.memory.look(lambda tx: tx.owners.find("person", "telegram", "123")) is None


async def test_who_came_back_keeps_what_they_say_although_an_erasure_is_ended_twice(opened):
    person = await opened()
    await fill(person)
    store = person.memory._store
    _, [task] = await store.write(and_left(erase.erase), person.turn())
    owners = await store.read(erase.ERASING.parts, task)
    await person.memory._worker.finish([task])
    await fill(person)
    before = await left_of(person)
    for owner in owners:
        assert await store.write(erase.ERASING.part, task, owner) == {}
    assert await store.write(erase.ERASING.end, task) == {}
    assert await left_of(person) == before
    [chess] = (await person.memory.look(mine, person.turn(), "clear")).own[:1]
    assert chess.said_by == "123"


async def test_what_came_back_stays_although_its_clearing_is_ended_twice(opened):
    """As by a process that stood still meanwhile."""
    person = await opened()
    note = await asked(person)
    store = person.memory._store
    before = await left_of(person)
    _, [clearing] = await store.write(and_left(profile.clear_profile), person.turn(direct=True), "test")
    spaces = await store.read(profile.CLEARING.parts, clearing)
    await person.memory._worker.finish([clearing])
    _, [undoing] = await store.write(and_left(audit.undo), person.turn(), note)
    await person.memory._worker.finish([undoing])
    for space in spaces:
        await store.write(profile.CLEARING.part, clearing, space)
    assert await left_of(person) == before
    await person.at(direct=True).call("clear_profile", user_id=123, reason="test")
    assert (await person.at(direct=True).call("clear_profile", user_id=123, reason="test")).status == "deleted"
    for space in spaces:
        await store.write(audit.UNDOING.part, undoing, space)
    assert (await left_of(person))[:2] == (0, 0)


async def test_a_call_that_waits_does_not_come_true_in_the_middle_of_a_clearing(opened, clock):
    """Neither of the person, nor of somebody else about them."""
    person = await opened()
    await asked(person)
    memory, other = person.memory, person.at(user=8, space="1", chat="1")
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "job", "fact_value": "cook", "confidence": 0.9}
    work = {
        "remember": {"content": "plays go", "tags": None, "permanent": False},
        "remember_fact": fact | {"source_excerpt": None},
    }
    for who, tool in ((person.at(space="1", chat="1"), "remember"), (other, "remember_fact")):
        assert isinstance(
            await memory.apply(enqueue_call, who.turn(), tool, memory.tools[tool].version, work[tool]), int
        )
    [(space, count)] = await memory.look(lambda tx: tx.tasks.list_due(10))
    claimed = await memory.apply(tasks.claim, space, "w", count)
    await crash(person, profile.CLEARING, 0, profile.clear_profile, person.turn(direct=True), "test")
    for task in claimed:
        with pytest.raises(tasks.TakenError):
            await memory.apply(tasks.perform, task, "w", partial(perform, memory.tools))
    clock.forward(seconds=61)
    while await memory.run_tasks():
        pass
    assert (await left_of(person))[:2] == (0, 0)
    assert await memory.tasks() == []


async def test_what_waits_to_be_looked_at_does_not_come_true_after_a_clearing(opened, clock):
    """Whether it was said where something is remembered already, or elsewhere; what is said after it counts."""
    person = await opened(rollout="off")
    memory = person.memory
    memory._observer._extractor = extract
    await asked(person)
    for space in ("1", "9"):
        turn = person.at(space=space, chat=space).turn()
        assert (await memory.observe("I live in Oslo", turn)).later
    clock.forward(seconds=1)
    await crash(person, profile.CLEARING, 0, profile.clear_profile, person.turn(direct=True), "test")
    clock.forward(seconds=1)
    assert (await memory.observe("I live in Rome", person.at(space="9", chat="9").turn())).later
    await recover(person, clock)
    clock.forward(minutes=30)
    assert await memory.resume() == 1
    assert [one.text for one in (await memory.look(mine, person.turn(), "clear")).own] == ["location: Rome"]


async def extract(text):
    return Inference(certain=(Inferred(type="personal", key="location", value=text.split()[-1]),))


async def test_a_store_that_fails_in_the_middle_is_no_success_and_the_rest_follows(
    tmp_path, opening, make_person, clock, monkeypatch
):
    """Another process takes the file right after the first transaction."""
    monkeypatch.setattr(executor, "BUSY_SECONDS", 0)
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", background=False)
    person = make_person(memory)
    await asked(person)
    with closing(apsw.Connection(str(tmp_path / "memory.db"))) as other:
        stop = memory.subscribe(lambda _: other.in_transaction or other.execute("BEGIN IMMEDIATE"))
        result = await person.at(direct=True).call("clear_profile", user_id=123, reason="test")
        stop()
        assert (result.status, "follows by itself" in result["message"]) == ("error", True)
        other.execute("ROLLBACK")
        assert (await left_of(person))[:2] == (3, 3)
        await recover(person, clock)
        assert (await left_of(person))[:2] == (0, 0)
        stop = memory.subscribe(lambda _: other.in_transaction or other.execute("BEGIN IMMEDIATE"))
        with pytest.raises(StoreUnfinished):
            await person.memory.apply(profile_back, person)
        stop()
        other.execute("ROLLBACK")
    await recover(person, clock)
    assert (await left_of(person))[:2] == (4, 3)


def profile_back(tx, person):
    """An operator takes the clearing back."""
    owner = tx.owners.find("person", "telegram", "123")
    [note] = audited_ids(tx, owner)
    return audit.take_back(tx, owner, note, actor="operator")


async def test_whatever_was_begun_in_an_owners_rows_is_under_way_there(opened):
    person = await (await opened()).speaks()

    def under_way(tx):
        owner = tx.owners.find("person", "telegram", "123")
        known: dict[str, bool] = {}
        for kind in person.memory._worker._spreads:
            tx.tasks.add(owner, kind, {}, conversation=("", "", 0), person=0, priority=0)
            known[kind] = tx.tasks.is_under_way(owner)
            for task in tx.tasks.list_sagas():
                tx.tasks.end(task)
        return known

    known = await person.memory.apply(under_way)
    assert known == dict.fromkeys(known, True)


async def test_a_new_process_ends_what_a_crash_left_of_forgetting_before_it_tells_anything(
    lasting_url, opening, make_person
):
    person = make_person(await opening(lasting_url, background=False))
    await person.speaks("I play chess on Sundays")
    note = await person.note("plays chess on Sundays")
    await person.memory._store.write(forgetting, person, note)  # and no more of it
    again = make_person(await opening(lasting_url, background=False))
    assert await again.memory.search_messages("chess", again.turn(turn="later")) == []
    assert await again.memory.tasks() == []


def forgetting(tx, person, note):
    owner = tx.owners.find("person", "telegram", "123")
    return withhold.remove(tx, person.turn(), [tx.memories.get(owner, note)], reason="forget")


async def test_a_large_profile_that_was_changed_since_it_was_looked_up_is_asked_about_anew(opened, monkeypatch):
    """What clearing looks up while others write is looked up again where it is no longer so."""
    person = await opened()
    ids, direct = await large(person, monkeypatch)
    store = person.memory._store
    look = await store.read(profile.look_at_profile, direct.turn())
    await direct.fact("hobby", "bowling")

    def clear(tx):
        tx.looked = look
        return profile.clear_profile(tx, direct.turn(), "test")

    cleared, left = await store.write(and_left(clear))
    assert (cleared.answer, len(cleared.profile.own), left) == ("none", len(ids) + 1, [])


async def erased_elsewhere(opened, monkeypatch):
    """A person whose erasure has begun, in slices of two, and of whom nobody else's rows tell any more."""
    monkeypatch.setattr(erase, "SLICE", 2)
    person = await opened()
    await large(person, monkeypatch)
    store = person.memory._store
    owner = await person.memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    _, [task] = await store.write(and_left(erase.erase), person.turn(direct=True))
    for part in await store.read(erase.ERASING.parts, task):
        await store.write(erase.ERASING.part, task, part)
    return person, store, owner, task


async def test_a_person_with_many_memories_is_erased_slice_by_slice_once_nobody_else_tells_of_them(opened, monkeypatch):
    person, store, owner, task = await erased_elsewhere(opened, monkeypatch)
    assert await store.write(erase.ERASING.end, task) is None, "there is more than one transaction may remove"
    slices = await store.read(erase.ERASING.parts, task)
    assert [len(part) for part in slices] == [2, 2, 2, 1]
    assert (await store.write(erase.ERASING.part, task, slices[0]))["facts"] == 2
    await person.at(space="1", chat="1").speaks("I am here again.")  # now others' rows have them again
    assert await store.write(erase.ERASING.part, task, slices[1]) == {}
    receipt = await person.memory.erase(person.turn(direct=True))
    assert receipt.counts["facts"] == len(HOBBIES) - 2
    assert await person.memory.look(lambda tx: tx.memories.list_ids(owner, 10)) == []


@pytest.mark.parametrize("parts", [0, 2])
async def test_an_erasure_in_slices_that_was_interrupted_is_ended_by_a_worker(opened, clock, monkeypatch, parts):
    person, store, owner, task = await erased_elsewhere(opened, monkeypatch)
    for part in (await store.read(erase.ERASING.parts, task))[:parts]:
        await store.write(erase.ERASING.part, task, part)
    await recover(person, clock)
    assert await person.memory.look(lambda tx: tx.memories.list_ids(owner, 10)) == []
    assert await left_of(person) == (0, 0, 0)
