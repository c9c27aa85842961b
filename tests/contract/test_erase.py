"""erase: afterwards a person's texts are in no byte of the database files; the others keep every byte."""

from __future__ import annotations

import asyncio
import gc
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_rows import audited_ids, space_ids

from zgadka import Member, Memory, maintenance
from zgadka.model.inference import Inferred
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import observe, retelling, tasks
from zgadka.ops.erase import erase
from zgadka.ops.remember import New, remember
from zgadka.stores import executor
from zgadka.stores.tx.messages import Messages, QueuedMessage

pytestmark = pytest.mark.asyncio

# Each word is written to one place only, so that a trace tells where it was left.
SECRETS = {
    "fact": "Quixotania",
    "fact before an update": "Zubrowka",
    "forgotten fact": "Vulgaria",
    "deleted fact": "Freedonia",
    "excerpt": "xylographer",
    "note": "Порцеляна",
    "tag": "wyvernish",
    "deleted note": "ottoscope",
    "note by others about them": "harpsichordist",
    "message": "Передмова",
    "edited message": "gloaming",
    "message of another chat": "brontide",
    "answer of the assistant": "susurrus",
    "own episode": "apricity",
    "archived own episode": "petrichor",
    "relation": "psithurism",
    "deleted relation": "kalopsia",
    "direct chat": "eunoia",
    "another persona": "selcouth",
    "name": "Ostranenie",
    "nickname": "Nefelibata",
    "episode with their name": "vellichor",
    "save question": "sonderful",
    "answered save question": "limerence",
    "observation in line": "wabisabi",
    "consent asked of them": "komorebi",
    "consent asked by them": "tsundoku",
    "reason": "hiraethic",
    "reason of a mark": "meraki",
    "global fact": "fernweh",
    "answer to another": "numinous",
    "waiting call of another": "sonorant",
}

NOTE = "create_long_term_memory"


async def _ask(memory: Memory, person: Any, certain: str | None, uncertain: str | None) -> Any:
    def items(value: str | None) -> tuple[Inferred, ...]:
        return () if value is None else (Inferred(type="preference", key="hobby", value=value),)

    waiting = await memory.apply(observe.note_message, person.turn(), "words", "words")
    assert isinstance(waiting, QueuedMessage)
    return await memory.apply(observe.keep_inferred, [waiting], items(certain), items(uncertain))


async def fill(memory: Memory, make_person: Any) -> Any:
    """Leave each secret where it belongs; returns the person whose they are."""
    person, other = make_person(memory, user=4242), make_person(memory, user=8)
    report = Member(user="4242", number=4242, name=SECRETS["name"], nickname=SECRETS["nickname"])
    await memory.report_member("telegram", "456", report)
    await other.speaks("a neighbour's message")
    await person.fact("location", SECRETS["fact before an update"], source_excerpt=SECRETS["excerpt"])
    await person.update("location", SECRETS["fact"])
    await person.fact("pet", SECRETS["forgotten fact"])
    await person.call("forget_fact", user_id=4242, fact_type="personal", fact_key="pet", reason="outdated")
    await person.deletes((await person.fact("food", SECRETS["deleted fact"]))["fact_id"])
    retold = f"{SECRETS['fact']}, which is {SECRETS['answer to another']}"
    current = (await person.call("recall_facts", user_id=4242))["facts"]
    await memory.record("assistant", retold, other.turn(), given=[fact["fact_id"] for fact in current])
    note = {"memory_content": f"<@4242> is {SECRETS['waiting call of another']}", "scope": "server_wide"}
    await memory.apply(tasks.enqueue_call, other.turn(), NOTE, 1, note)
    await person.note(SECRETS["note"], tags=[SECRETS["tag"]])
    await person.deletes(await person.note(SECRETS["deleted note"]))
    await memory.share((await person.fact("car", SECRETS["global fact"]))["fact_id"], person.turn())
    await other.call(
        "create_long_term_memory",
        memory_content=SECRETS["note by others about them"],
        scope="target_user",
        target_user="4242",
    )
    await memory.record("user", SECRETS["message"], person.turn(message="m1"))
    await memory.record("user", SECRETS["edited message"], person.turn(message="m2"))
    await memory.record("user", "edited", person.turn(message="m2"))
    await memory.record("user", SECRETS["message of another chat"], person.turn(space="457", chat="457"))
    await person.call("mark_important", importance_level="high", reason=SECRETS["reason of a mark"])
    await memory.record("assistant", SECRETS["answer of the assistant"], person.turn())
    await person.at(thread="own").speaks()
    for name, topic in (("own episode", "One"), ("archived own episode", "Two")):
        result = await person.at(thread="own").call(
            "create_episode", topic=topic, summary=SECRETS[name], importance=0.5
        )
        if name.startswith("archived"):
            await person.call("archive_episode", episode_id=result["episode_id"], reason=SECRETS["reason"])
    named = f"{SECRETS['name']} told a story of {SECRETS['episode with their name']}."
    await other.call("create_episode", topic="Told by them", summary=named, importance=0.5)
    for name, relationship in (("relation", "friend"), ("deleted relation", "mentor")):
        relation = await person.call(
            "remember_relationship",
            user_id=4242,
            related_user_id=8,
            relationship=relationship,
            description=SECRETS[name],
        )
        assert relation.status == "success", relation
        if name.startswith("deleted"):
            await person.deletes(relation["memory_id"])
    await person.at(direct=True).note(SECRETS["direct chat"])
    await person.at(persona=5).note(SECRETS["another persona"])
    await _ask(memory, person, None, SECRETS["save question"])
    question = (await _ask(memory, person, None, SECRETS["answered save question"])).question
    await memory.answer_question(question.id, person.turn(), save=True)
    line = SECRETS["observation in line"]
    await memory.apply(observe.note_message, person.turn(message="m3"), line, line)
    return person


async def fill_neighbour(memory: Memory, make_person: Any) -> Any:
    other = make_person(memory, user=8)
    await other.fact("location", "Lviv", source_excerpt="I live in Lviv")
    await other.note("keeps bees")
    await other.deletes(await other.note("kept in the undo window"))
    await other.speaks("Neighbours stay")
    await other.call("create_episode", topic="Shared evening", summary="They sang together.", importance=0.9)
    await other.call("create_long_term_memory", memory_content="Game night is on Friday", scope="server_wide")
    await other.at(direct=True).note("a secret of the neighbour")
    await _ask(memory, other, None, "an uncertain hobby of the neighbour")
    return other


def traces(folder: Path) -> list[str]:
    """The places of secrets that are found in any file, in any case."""
    data = b"".join(file.read_bytes() for file in folder.iterdir()).lower()
    return [place for place, word in SECRETS.items() if word.encode() in data or word.lower().encode() in data]


@pytest.mark.parametrize("level", [PrivacyLevel.MINIMAL, PrivacyLevel.FULL])
async def test_after_erasing_the_texts_are_in_no_byte_of_the_files(tmp_path, opening, make_person, level):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", calls_per_hour=0)
    person = await fill(memory, make_person)
    await fill_neighbour(memory, make_person)
    before = set(traces(tmp_path))
    placed = set(SECRETS) - {"edited message", "consent asked of them", "consent asked by them"}
    assert placed <= before, placed - before
    await memory.set_privacy(level, person.turn())  # which stays, and nothing else does
    receipt = await memory.erase(person.turn())
    assert receipt.scrubbed
    assert traces(tmp_path) == []
    await memory.close()
    assert traces(tmp_path) == []


async def test_consents_asked_of_and_by_the_erased_leave_no_byte(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", others_may_change="ask")
    person, other = make_person(memory, user=4242), make_person(memory, user=8)
    for one in (person, other):
        await one.speaks()
    theirs = await other.fact("pet", SECRETS["consent asked of them"], user_id=4242)
    others = await person.fact("pet", SECRETS["consent asked by them"], user_id=8)
    assert theirs.status == others.status == "awaiting_consent"
    assert set(traces(tmp_path)) == {"consent asked of them", "consent asked by them"}
    await memory.erase(person.turn())
    assert traces(tmp_path) == []
    assert await memory.consents(other.turn()) == []


async def test_after_clearing_and_then_erasing_nothing_is_left_either(tmp_path, opening, make_person):
    """The trail of a shared episode still tells of the person who was taken out of it."""
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", calls_per_hour=0)
    person = await fill(memory, make_person)
    await fill_neighbour(memory, make_person)
    await person.call("clear_profile", user_id=4242, reason="they asked")
    cleared = await person.call("clear_profile", user_id=4242, reason="they asked")
    assert cleared.status == "deleted"
    await memory.erase(person.turn())
    assert traces(tmp_path) == []


async def test_no_cache_of_words_holds_what_the_erased_said(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory, user=4242)
    name = "Zwerblukino"
    await memory.record("user", f"I live in {name} and like {name} pancakes.", person.turn(message="m1"))
    await memory.observe(f"I live in {name}, call me {name}", person.turn(message="m2"))
    await person.call("remember", content=f"grew up in {name}")
    await person.call("recall", query=f"Who lives in {name}?")
    await memory.build_context(person.turn(text=f"What is {name} like?"), 500)
    assert caches_with(name), "the words are in caches before"
    await memory.erase(person.turn())
    assert caches_with(name) == []


def caches_with(word: str) -> list[str]:
    """The functions whose cached calls had the word, in any case."""
    kind = type(lru_cache(len))
    modules = [module for name, module in sys.modules.items() if name.startswith("zgadka.")]
    caches = [value for module in modules for value in vars(module).values() if isinstance(value, kind)]
    keys = {
        cache.__name__: repr([key for part in gc.get_referents(cache) if type(part) is dict for key in part])
        for cache in caches
    }
    return [name for name, text in keys.items() if word.casefold() in text.casefold()]


async def test_an_update_that_took_the_text_away_leaves_no_byte_of_it(tmp_path, opening, make_person):
    """An excerpt, a topic or a description that was replaced stands in the trail only."""
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory, user=4242)
    note = (
        await person.call(
            "create_long_term_memory", memory_content=SECRETS["note"], scope="target_user", target_user="4242"
        )
    )["memory_id"]
    await person.call("update_long_term_memory", memory_id=note, memory_content="now", target_user="4242")
    await memory.erase(person.turn())
    assert traces(tmp_path) == []


async def answers(person: Any) -> list[Any]:
    number = person.turn().user_number
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": "bees secret neighbour Lviv game night " + " ".join(SECRETS.values()), "limit": 50}),
        ("recall_facts", {"user_id": number, "limit": 50}),
        ("recall_facts_global", {"user_id": number, "limit": 50}),
        ("recall_episodes", {"limit": 50}),
        ("recall_relationships", {"user_id": number, "depth": 3}),
        ("generate_profile_summary", {"user_id": number}),
        ("suggest_merge", {"user_id": number}),
    ]
    return [dict(await person.call(tool, **arguments)) for tool, arguments in calls]


async def test_the_others_keep_every_answer_and_every_byte(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", calls_per_hour=0)
    other = await fill_neighbour(memory, make_person)
    before, questions = await answers(other), await memory.questions(other.turn())
    history = await memory.look(lambda tx: tx.maintenance.counts())
    person = await fill(memory, make_person)
    await memory.erase(person.turn())
    after = await answers(other)
    messages = [[one["text"] for one in found[0].pop("messages")] for found in (before, after)]
    assert set(messages[1]) - set(messages[0]) == {"a neighbour's message"}  # written meanwhile, and not about anybody
    assert after == before
    assert await memory.questions(other.turn()) == questions
    left = await memory.look(lambda tx: tx.maintenance.counts())
    same = ("people", "facts", "notes", "archived", "questions")
    assert {name: left[name] for name in same} == {name: history[name] for name in same}
    assert next(one.text for one in await memory.recent(other.turn())) == "Neighbours stay"
    data = (tmp_path / "memory.db").read_bytes()
    for kept in ("keeps bees", "I live in Lviv", "kept in the undo window", "They sang together", "Neighbours stay"):
        assert kept.encode() in data, kept


@pytest.mark.partitioned
async def test_neither_a_tool_nor_a_list_nor_an_export_tells_of_the_erased(make_person, open_store):
    memory = await open_store(calls_per_hour=0)
    person = await fill(memory, make_person)
    other = await fill_neighbour(memory, make_person)
    await memory.erase(person.turn())
    said = repr([await answers(one) for one in (person, other, person.at(direct=True), person.at(persona=5))])
    said += repr([await memory.export(one.turn()) for one in (person, other)])
    said += repr([await memory.questions(person.turn()), await memory.consents(person.turn())])
    said += repr([await memory.recent(one.turn()) for one in (person, person.at(space="457", chat="457"))])
    said += repr([await memory.history(number, one.turn()) for number in range(1, 60) for one in (person, other)])
    said += repr(await memory.look(lambda tx: [tx.members.list(space) for space in space_ids(tx)]))
    # The queries echo nothing, so no secret may stand anywhere.
    assert [place for place, word in SECRETS.items() if word in said] == []
    assert "4242" not in repr(await answers(other)) + repr(await memory.export(other.turn()))


async def test_what_came_of_a_task_leaves_no_byte_and_is_not_done_again(tmp_path, opening, make_person):
    """The task's result waits with the owner whose rows it changed: here somebody else, for the erased asked for it."""
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person, other = make_person(memory, user=4242), make_person(memory, user=8)
    await person.speaks()

    def add(tx, user):
        space = tx.owners.ensure("space", "telegram", "456")
        asker = tx.owners.ensure("person", "telegram", str(user))
        return tx.tasks.add(space, "work", {}, conversation=("456", "", 0), person=asker, priority=1)

    def note(user, text):
        def work(tx, _):
            remember(tx, other.turn(user=user), user, New(content=f"keeps bees {user}"))
            return {"message": text}

        return work

    for asker, changed, text in ((4242, 8, SECRETS["tag"]), (8, 8, SECRETS["reason"]), (8, 4242, SECRETS["fact"])):
        await memory.apply(add, asker)
        [(space, count)] = await memory.look(lambda tx: tx.tasks.list_due(10))
        (task,) = await memory.apply(tasks.claim, space, "w", count)
        await memory.apply(tasks.perform, task, "w", note(changed, text))
    assert set(traces(tmp_path)) == {"tag", "reason", "fact"}
    await memory.erase(person.turn())
    assert traces(tmp_path) == ["reason"]
    left = await memory.look(lambda tx: tx.tasks.list(10))
    again = [await memory.apply(tasks.perform, replace(task, attempts=2), "w", lambda *_: None) for task in left]
    assert [(performed.owner > 0, performed.result) for performed in again] == [
        (True, {"message": SECRETS["reason"]}),  # somebody else's, about themselves
        (False, None),
    ]


@pytest.mark.partitioned
async def test_an_episode_with_others_stays_for_them_without_the_erased(person, people, memory):
    await person.speaks()
    await people(8).speaks()
    await person.call("create_episode", topic="Evening", summary="They sang.", importance=0.9)
    await memory.erase(person.turn())
    [episode] = (await people(8).call("recall_episodes"))["episodes"]
    assert (episode["summary"], episode["participants"]) == ("They sang.", [8])


@pytest.mark.partitioned
async def test_an_operator_cannot_bring_the_erased_back_into_a_shared_episode(person, people, memory):
    from zgadka.ops import operator_queries

    await person.speaks()
    await people(8).speaks()
    episode = (await person.call("create_episode", topic="Evening", summary="They sang.", importance=0.9))["episode_id"]
    for _ in range(2):
        await person.call("clear_profile", user_id=123, reason="they asked")
    await memory.erase(person.turn())
    await memory.apply(operator_queries.undo, episode)
    assert (await people(8).call("recall_episodes")).status == "success"


async def test_the_receipt_has_numbers_only(make_person, open_store, clock):
    memory = await open_store(calls_per_hour=0)
    receipt = await memory.erase((await fill(memory, make_person)).turn())
    assert receipt.erased_at == clock()
    assert receipt.scrubbed
    assert all(type(count) is int for count in receipt.counts.values())
    assert receipt.counts | {"facts": 0} != {}
    assert {name: receipt.counts[name] for name in ("notes", "episodes", "relations", "shared_episodes")} == {
        "notes": 4,
        "episodes": 2,
        "relations": 1,
        "shared_episodes": 1,
    }
    assert receipt.counts["messages"] >= 4
    assert receipt.counts["questions"] >= 1


@pytest.mark.partitioned
async def test_erasing_somebody_unknown_is_a_receipt_of_zeros(person, people, memory):
    await people(8).note("keeps bees")
    receipt = await memory.erase(person.turn())
    assert set(receipt.counts.values()) == {0}
    assert await people(8).found("bees") == ["keeps bees"]


async def test_a_person_who_comes_back_starts_empty_and_remembers_anew(make_person, open_store):
    memory = await open_store(calls_per_hour=0)
    person = await fill(memory, make_person)
    await memory.erase(person.turn())
    assert await memory.privacy(person.turn()) is PrivacyLevel.MINIMAL
    assert await person.facts() == []
    assert (await person.fact()).status == "success"
    assert await person.values() == ["Kyiv"]
    assert (await person.call("clear_profile", user_id=4242, reason="they asked"))["facts"] == 1


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_did_not_want_to_be_remembered_is_not_after_an_erasure_either(make_person, open_store, level):
    memory = await open_store(calls_per_hour=0)
    person = await fill(memory, make_person)
    await memory.set_privacy(level, person.turn())
    owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", "4242"))
    for _ in range(2):  # who was erased may be erased again
        await memory.erase(person.turn())
        assert await memory.privacy(person.turn()) is level
    exported = "".join(await memory.export(person.turn()))
    assert [word for word in SECRETS.values() if word in exported] == []
    assert await memory.look(lambda tx: (tx.memories.list_all(owner), audited_ids(tx, owner))) == ([], [])
    kept = await memory.record("user", "I am back", person.turn())
    assert (kept is None) == (level is PrivacyLevel.FULL)
    assert (await person.fact()).status == "privacy_restricted"
    await memory.set_privacy(PrivacyLevel.MINIMAL, person.turn())
    assert (await person.fact()).status == "success"
    await memory.erase(person.turn())
    assert await memory.look(lambda tx: tx.owners.find("person", "telegram", "4242")) is None, "of others, no row stays"


@pytest.mark.partitioned
async def test_ids_are_not_used_again_after_erasing(person, memory):
    old = {await person.note(f"note {number}") for number in range(5)}
    message = await memory.record("user", "hello", person.turn())
    await memory.erase(person.turn())
    assert old.isdisjoint({await person.note(f"note {number}") for number in range(5)})
    assert (await memory.record("user", "hello", person.turn()) or 0) > (message or 0)


@pytest.mark.partitioned
async def test_what_the_erased_did_for_others_stays_without_their_name(person, people, memory):
    await people(8).speaks()
    fact = (await person.fact("hobby", "tea", user_id=8))["fact_id"]
    await people(8).update("hobby", "bees")
    await memory.erase(person.turn())
    assert await people(8).values() == ["bees"]  # what only others said is no past
    history = await memory.history(fact, people(8).turn())
    assert [event.actor for event in history] == ["erased", "8"]
    assert "123" not in repr(history)


async def test_what_the_erased_said_about_others_stays_without_their_words(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person, other = make_person(memory, user=4242), make_person(memory, user=8)
    await other.speaks()
    words = {"user_id": 8, "source_excerpt": f"{SECRETS['excerpt']} he said"}
    await person.fact("location", "Lviv", **words)
    await other.update("location", "Kyiv")
    await person.fact("hobby", "chess", **words)
    await memory.erase(person.turn())
    assert await other.values() == ["Kyiv", "chess"]
    assert traces(tmp_path) == []


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("same", ["4242", "42", "424"])
async def test_the_same_id_on_another_platform_or_a_part_of_it_is_not_erased(make_person, open_store, same):
    memory = await open_store()
    erased = make_person(memory, user=4242)
    other = make_person(memory, user=int(same), platform="discord" if same == "4242" else "telegram")
    for one in (erased, other):
        await one.speaks("keeps bees")
        await one.note("keeps bees")
    await memory.erase(erased.turn())
    assert await other.found("bees") == ["keeps bees"]
    assert len(await memory.recent(other.turn())) == 1


@pytest.mark.partitioned
async def test_the_message_ids_of_a_shared_episode_lead_to_nothing_of_the_erased(person, people, memory):
    await person.speaks()
    await people(8).speaks()
    await person.call("create_episode", topic="Evening", summary="They sang.", importance=0.9)
    await memory.erase(person.turn())
    assert (await people(8).call("recall_episodes"))["count"] == 1
    await memory.tidy()


async def test_a_reader_in_the_way_delays_the_scrub_and_tidying_makes_up_for_it(
    tmp_path, opening, make_person, monkeypatch
):
    monkeypatch.setattr(executor, "BUSY_SECONDS", 0)
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory, user=4242)
    await person.note(SECRETS["note"])
    reader = apsw.Connection(str(tmp_path / "memory.db"))
    reader.set_busy_timeout(20_000)
    reader.execute("BEGIN; SELECT count(*) FROM memory").fetchall()
    receipt = await memory.erase(person.turn())
    assert not receipt.scrubbed
    assert await person.found(SECRETS["note"]) == []
    reader.execute("ROLLBACK")
    reader.close()
    await memory.tidy()
    assert traces(tmp_path) == []


async def test_a_scrub_that_a_crash_prevented_is_made_up_for_by_the_next_process(
    tmp_path, opening, make_person, monkeypatch
):
    """State that matters is a row: also that bytes still have to go."""
    monkeypatch.setattr(executor, "BUSY_SECONDS", 0)
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory, user=4242)
    await person.note(SECRETS["note"])
    await memory.apply(erase, person.turn())  # and the process ends before it could scrub
    assert await memory.look(lambda tx: tx.maintenance.unscrubbed()) == 1
    await memory.close()
    again = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    await again.tidy()
    assert await again.look(lambda tx: tx.maintenance.unscrubbed()) == 0
    await again.close()
    assert traces(tmp_path) == []


@pytest.mark.partitioned
async def test_what_processes_keep_in_memory_of_the_erased_is_gone(lasting_url, opening, make_person):
    one, two = [await opening(lasting_url, calls_per_hour=0) for _ in range(2)]
    person = make_person(one)
    await person.speaks("a telescope")
    await person.note("telescope")
    for reader in (person, person.at(memory=two)):
        for _ in range(2):
            assert await reader.found("telescope") == ["telescope"]
        assert reader.memory._store._cache.size > 0
    await one.erase(person.turn())
    assert one._store._cache.size == 0
    assert await two.forget_erased()
    assert two._store._cache.size == 0
    assert not await two.forget_erased()


async def test_a_process_that_opens_a_memory_lets_go_of_the_words_of_who_was_erased_elsewhere(
    lasting_url, opening, make_person, monkeypatch
):
    async with await opening(lasting_url) as memory:
        person = make_person(memory)
        await person.note("telescope")
        await memory.apply(erase, person.turn())  # as in another process: this one's caches are as they were
    forgot = asyncio.Event()
    monkeypatch.setattr(maintenance, "forget_words", forgot.set)
    async with await opening(lasting_url):
        await asyncio.wait_for(forgot.wait(), 120)


async def test_a_question_whether_to_erase_is_answered_once_in_its_time_and_chat(make_person, memory, clock):
    olena = make_person(memory, user=1, chat="7")
    await olena.call("remember", content="tea")
    assert await memory.answer_erasure(olena.turn(), agrees=True) is None  # nobody asked
    await memory.ask_to_erase(olena.turn())
    assert await memory.answer_erasure(make_person(memory, user=1, chat="8").turn(), agrees=True) is None
    assert await memory.answer_erasure(make_person(memory, user=2, chat="7").turn(), agrees=True) is None
    assert await memory.answer_erasure(olena.turn(persona=9), agrees=True) is None
    clock.forward(seconds=301)
    assert await memory.answer_erasure(olena.turn(), agrees=True) is None
    await memory.ask_to_erase(olena.turn())
    assert await memory.answer_erasure(olena.turn(), agrees=False) is None
    assert await memory.answer_erasure(olena.turn(), agrees=True) is None
    assert await olena.call("recall", query="tea")
    await memory.ask_to_erase(olena.turn())
    receipt = await memory.answer_erasure(olena.turn(), agrees=True)
    assert receipt is not None
    assert receipt.counts["notes"] == 1
    assert receipt.counts["questions"] == 0
    assert await memory.answer_erasure(olena.turn(), agrees=True) is None


async def test_the_question_whether_to_erase_is_none_about_clearing_the_profile(make_person, memory):
    olena = make_person(memory, user=1)
    await olena.call("remember", content="tea")
    await memory.ask_to_erase(olena.turn())
    order = {"user_id": 1, "reason": "asked"}
    asked = await olena.call("clear_profile", **order, turn=olena.turn(text="yes"))
    assert asked.status == "confirmation_required"
    assert await memory.answer_erasure(olena.turn(), agrees=True) is None
    assert (await olena.call("clear_profile", **order, turn=olena.turn(text="yes"))).status == "deleted"


# What others were told, wait for and remember of the erased


async def named_people(memory: Memory, make_person: Any, name: str = "Anna Kovalenko") -> tuple[Any, Any]:
    """Anna (4242), who lives in Quixotania, and Petro (8)."""
    anna, petro = make_person(memory, user=4242), make_person(memory, user=8)
    for person, called in ((anna, name), (petro, "Petro")):
        user = person.turn().user_key
        await memory.report_member("telegram", "456", Member(user=user, number=int(user), name=called))
        await person.speaks("hello")
    return anna, petro


@pytest.mark.partitioned
async def test_answers_to_others_that_retell_the_erased_go_and_the_rest_stay(make_person, open_store):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    fact = (await anna.fact("location", "Quixotania"))["fact_id"]
    later = (await anna.fact("hobby", "xylographer"))["fact_id"]
    answers = [
        ("She lives in Quixotania", [fact]),
        ("Anna's place is Quixotania", []),
        ("Quixotania is far away", []),
        ("Anna is a Quixotanian.", [fact]),
        ("I do not know where Anna lives", [fact]),
        ("A xylographer, I think", [later]),
    ]
    for text, given in answers:
        await memory.record("assistant", text, petro.turn(), given=given)
    await anna.deletes(later)  # what the answer was given is gone, that it is about her is known
    await memory.erase(anna.turn())
    told = [message.text for message in await memory.recent(petro.turn()) if message.role == "assistant"]
    assert told == ["Quixotania is far away", "I do not know where Anna lives"]


@pytest.mark.partitioned
@pytest.mark.parametrize("messages", [0, 120])
async def test_answers_to_others_that_retell_what_the_erased_said_go_with_it(
    make_person, open_store, messages, monkeypatch
):
    """Nothing was remembered of it; of many messages, slices are erased one after another, and pages read."""
    monkeypatch.setattr(retelling, "_LOOKED_THROUGH", 50)
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    await anna.speaks("My spare key lies under the numinous stone")
    for number in range(messages):
        await anna.speaks(f"a word {number}")
    telling = [
        "Anna's spare key is under the numinous stone.",
        "Anna said: my spare key lies under the numinous stone",
    ]
    kept = ["Numinous stones are rare", "Anna is away"]
    for text in (*telling, *kept):
        await memory.record("assistant", text, petro.turn())
    elsewhere = petro.at(thread="t")
    await memory.record("assistant", telling[0], elsewhere.turn())
    await elsewhere.call("create_episode", topic="Keys", summary="Anna has a numinous stone.", importance=0.9)
    await memory.erase(anna.turn())
    told = [message.text for message in await memory.recent(petro.turn()) if message.role == "assistant"]
    assert told == kept
    assert await memory.recent(elsewhere.turn()) == []
    assert (await petro.call("recall_episodes"))["count"] == 0


@pytest.mark.parametrize("ends", ["erased", "edited", "forgotten", "full", "partial"])
async def test_what_was_told_of_somebody_under_a_former_name_goes_with_them(make_person, open_store, ends):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    said = anna.turn(message="m1")
    await memory.record("user", "I will marry in the numinous church", said)
    fact = await anna.fact("location", "Quixotania", turn=said)
    wedding = "Anna will marry in the numinous church."
    home = "Anna lives in Quixotania."
    for answer in (wedding, home, "Anna is away."):
        await memory.record("assistant", answer, petro.turn())
    summary = {"topic": "A wedding", "summary": "Anna told of the numinous church.", "importance": 0.8}
    await petro.call("create_episode", **summary)
    for name in ("Xenia", "Yaryna"):
        await memory.report_member("telegram", "456", Member(user="4242", number=4242, name=name))
    left = {wedding, home}
    match ends:
        case "erased":
            await memory.erase(anna.turn())
            left = set()
        case "edited":
            await memory.record("user", "Never mind", said)
            left = set()
        case "forgotten":
            await anna.deletes(fact["fact_id"])
            left = {wedding}
        case "full":
            await memory.set_privacy(PrivacyLevel.FULL, anna.turn())
            left = set()
        case _:
            await memory.set_privacy(PrivacyLevel.PARTIAL, anna.turn())
            left = {wedding}
    told = {message.text for message in await memory.recent(petro.turn()) if message.role == "assistant"}
    assert told == {*left, "Anna is away."}
    if ends == "erased":
        assert (await petro.call("recall_episodes"))["count"] == 0


async def test_of_former_names_no_byte_is_left(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    anna, _ = await named_people(memory, make_person, SECRETS["name"])
    await memory.report_member("telegram", "456", Member(user="4242", number=4242, name="Anna"))
    assert traces(tmp_path) == ["name"]
    await memory.erase(anna.turn())
    await memory.close()
    assert traces(tmp_path) == []


async def test_of_what_retold_the_erased_no_byte_is_left(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    anna, petro = await named_people(memory, make_person)
    await anna.speaks("My spare key lies under the numinous stone")
    await memory.record("assistant", "Anna's spare key is under the numinous stone.", petro.turn())
    assert traces(tmp_path) == ["answer to another"]
    await memory.erase(anna.turn())
    await memory.close()
    assert traces(tmp_path) == []


@pytest.mark.parametrize(("name", "value"), [("The", "exam Friday"), ("Hall", "in the")])
async def test_a_name_or_a_value_of_common_words_takes_nothing_from_others(make_person, open_store, name, value):
    memory = await open_store(background=False)
    anna, petro = await named_people(memory, make_person, name)
    petro = petro.at(thread="without her")
    await petro.speaks("I ask")
    answers = ["The exam is on Friday", "It is in the hall"]
    for text in answers:
        await memory.record("assistant", text, petro.turn())
    summary = {"topic": "Exams", "summary": "The exam is on Friday.", "importance": 0.9}
    await petro.call("create_episode", **summary)
    await anna.deletes((await anna.fact("hobby", value))["fact_id"])
    await anna.fact("skill", value)
    waiting = {"memory_content": "The cake is ready", "scope": "server_wide"}
    await memory.apply(tasks.enqueue_call, petro.turn(), NOTE, 1, waiting)
    for erases in (False, True):
        if erases:
            await memory.erase(anna.turn())
        assert [one.text for one in await memory.recent(petro.turn()) if one.role == "assistant"] == answers, erases
    assert [episode["summary"] for episode in (await petro.call("recall_episodes"))["episodes"]] == [summary["summary"]]
    assert await memory.look(lambda tx: tx.tasks.count_waiting()) == 1


async def test_a_note_of_the_space_that_another_says_again_stays_its_authors(make_person, open_store):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    note = {"memory_content": "Meetings are on Friday", "scope": "server_wide"}
    assert (await petro.call(NOTE, **note)).status == "memory_created_successfully"
    assert (await anna.call(NOTE, **note)).status == "memory_create_skipped_duplicate"
    await memory.set_privacy(PrivacyLevel.FULL, anna.turn())
    assert await petro.found("meetings") == ["Meetings are on Friday"]
    await memory.erase(anna.turn())
    assert await petro.found("meetings") == ["Meetings are on Friday"]


@pytest.mark.partitioned
async def test_an_episode_made_of_an_answer_about_the_erased_goes_where_it_tells_of_them(make_person, open_store):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    fact = (await anna.fact("location", "Quixotania"))["fact_id"]
    elsewhere = petro.at(thread="t")
    await elsewhere.speaks("where does she live?")
    await memory.record("assistant", "She lives in Quixotania", elsewhere.turn(), given=[fact])
    for summary in ("Somebody lives in Quixotania.", "They spoke of homes."):
        await elsewhere.call("create_episode", topic=summary, summary=summary, importance=0.9)
    await memory.erase(anna.turn())
    told = [episode["summary"] for episode in (await petro.call("recall_episodes"))["episodes"]]
    assert told == ["They spoke of homes."]


@pytest.mark.partitioned
@pytest.mark.parametrize(
    ("tool", "arguments", "is_gone"),
    [
        ("create_episode", {"topic": "Evening", "summary": "It was Anna's evening.", "importance": 0.5}, True),
        ("create_episode", {"topic": "Evening", "summary": "It was a bananas' evening.", "importance": 0.5}, False),
        (NOTE, {"memory_content": "<@4242> brings the cake", "scope": "server_wide"}, True),
        (NOTE, {"memory_content": "tg://user?id=4242 brings it", "scope": "server_wide"}, True),
        (NOTE, {"memory_content": "Anna Kovalenko brings the cake", "scope": "server_wide"}, True),
        (NOTE, {"memory_content": "Торт від Анни Коваленко", "scope": "server_wide"}, True),
        (NOTE, {"memory_content": "loves cake", "scope": "target_user", "target_user": "Anna Kovalenko"}, True),
        (NOTE, {"memory_content": "The cake is at 42", "scope": "server_wide"}, False),
    ],
)
async def test_a_waiting_call_of_another_that_names_the_erased_is_never_done(
    make_person, open_store, tool, arguments, is_gone
):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    await memory.apply(tasks.enqueue_call, petro.turn(), tool, 1, arguments)
    await memory.erase(anna.turn())
    assert (await memory.look(lambda tx: tx.tasks.count_waiting()) == 0) == is_gone


@pytest.mark.parametrize(
    ("name", "summary", "stays"),
    [
        ("Anna Kovalenko", "It was Anna's evening.", False),
        ("Anna Kovalenko", "Вечір минув без Анни.", False),
        ("Max the Mighty", "They saw the sea and the hills.", True),
        ("Max the Mighty", "They sang for Max.", False),
        ("Anna Kovalenko", "They sang of Quixotania.", False),
    ],
)
async def test_a_shared_episode_goes_where_it_tells_of_the_erased_and_stays_where_it_does_not(
    make_person, open_store, name, summary, stays
):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person, name)
    await anna.fact("location", "Quixotania")
    await petro.call("create_episode", topic="Evening", summary=summary, importance=0.9)
    await make_person(memory, user=8).at(thread="t").speaks("alone")
    await petro.at(thread="t").call("create_episode", topic="Other", summary="The sea, Max.", importance=0.9)
    await memory.erase(anna.turn())
    told = [episode["summary"] for episode in (await petro.call("recall_episodes"))["episodes"]]
    assert sorted(told) == sorted(["The sea, Max.", *([summary] if stays else [])]), "of others nothing goes"


@pytest.mark.partitioned
async def test_notes_that_name_the_erased_by_id_are_told_to_nobody(make_person, open_store):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    third = make_person(memory, user=9)
    await third.speaks("hello")
    for content in ("<@4242> brings vellichor", "<@4242> and <@9> bring petrichor", "susurrus on Friday"):
        await petro.call("create_long_term_memory", memory_content=content, scope="server_wide")
    await memory.erase(anna.turn())
    kept = await memory.look(lambda tx: tx.memories.list_all(tx.owners.find("space", "telegram", "456")))
    assert [(note.content, bool(note.withheld)) for note in kept] == [
        ("<@4242> and <@9> bring petrichor", True),
        ("susurrus on Friday", False),
    ]
    assert await petro.found("petrichor") == []
    clearing = await third.call("clear_profile", user_id=9, reason="they asked")
    assert clearing.status == "nothing_found", "nothing brings it back"


@pytest.mark.parametrize(("level", "stays"), [(PrivacyLevel.PARTIAL, True), (PrivacyLevel.FULL, False)])
async def test_a_note_about_others_that_was_hidden_because_of_its_author_goes_with_them(
    make_person, open_store, level, stays
):
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    note = {"memory_content": "<@8> brings petrichor", "scope": "server_wide"}
    await anna.call("create_long_term_memory", **note)
    await memory.set_privacy(level, anna.turn())
    assert bool(await petro.found("petrichor")) is stays
    await memory.erase(anna.turn())
    assert bool(await petro.found("petrichor")) is stays


@pytest.mark.partitioned
async def test_no_link_to_the_erased_is_left(make_person, open_store, elsewhere, tmp_path):
    """Subjects, sources, what answers were given, groups of readers."""
    memory = await open_store()
    anna, petro = await named_people(memory, make_person)
    message = await memory.record("user", "I live in Quixotania", anna.turn(message="m7"))
    fact = await memory.call(
        "remember_fact",
        {"user_id": 4242, "fact_type": "personal", "fact_key": "location", "fact_value": "Quixotania", "confidence": 1},
        anna.turn(message="m7"),
    )
    await memory.record("assistant", "It is Quixotania", petro.turn(), given=[fact["fact_id"]])
    await memory.record("assistant", "It is elsewhere", petro.turn(), given=[fact["fact_id"]])

    def links(tx: Any, person: int) -> list[Any]:
        space = tx.owners.find("space", "telegram", "456")
        owned = tx.memories.made_from(person, space, message) if tx.owners.exists(person) else []
        return [owned, tx.messages.list_given(space), tx.messages.list_about(space, person)]

    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "4242"))
    assert all(await memory.look(links, person))
    await memory.erase(anna.turn())
    assert await memory.look(links, person) == [[], [], []]


@pytest.mark.partitioned
@pytest.mark.parametrize("place", ["direct chat", "group", "whole group"])
async def test_many_messages_are_erased_in_slices_and_none_is_left(people, memory, monkeypatch, place):
    """Of no transaction are there more than a slice: others write in between."""
    monkeypatch.setattr("zgadka.ops.erase.MESSAGES", 10)
    monkeypatch.setattr("zgadka.ops.erase_space.MESSAGES", 10)
    person, other = people(4242), await people(8).speaks("I stay")
    person = person.at(space="1", chat="1", direct=True) if place == "direct chat" else person
    removed: list[int] = []
    follow_removed = Messages.follow_removed
    monkeypatch.setattr(
        Messages,
        "follow_removed",
        lambda self, space, rows: removed.append(len(rows)) or follow_removed(self, space, rows),
    )
    for number in range(35):
        await person.speaks(f"secret {number}")
    await memory.record("assistant", "It is safe with me.", person.turn())
    receipt = await (memory.erase_space("telegram", "456") if place == "whole group" else memory.erase(person.turn()))
    assert max(removed) == 10
    if place == "whole group":
        assert await memory.look(lambda tx: tx.owners.find("space", "telegram", "456")) is None
    else:
        assert receipt.counts["messages"] == sum(removed) == 36
        assert [row.message.text for row in await memory.search_messages("stay", other.turn())] == ["I stay"]
    assert await memory.search_messages("secret", other.turn()) == []


async def test_what_waits_to_be_looked_at_goes_with_the_first_slice(people, memory, monkeypatch):
    monkeypatch.setattr("zgadka.ops.erase.MESSAGES", 10)
    person = people(4242)
    ids = [await memory.record("user", f"secret {number}", person.turn()) for number in range(12)]

    def enqueue(tx):
        space = tx.owners.find("space", "telegram", "456")
        tx.observations.enqueue(QueuedMessage(space, ids[0], person.turn(), "secret 0", tx.now))
        return space

    space = await memory.apply(enqueue)
    await memory.erase(person.turn())
    assert await memory.look(lambda tx: tx.rows("observations_of", {"owner": space})) == []
