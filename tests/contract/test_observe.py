"""Messages are noted, looked at once and in order, and what is certain is remembered; over every back end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from long_run import cases

from zgadka import Memory
from zgadka.model.inference import Inference, Inferred, PastMessage
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import observe
from zgadka.ops.access import find_space
from zgadka.ops.list_memories import own_memories
from zgadka.stores.tx import Tx

pytestmark = pytest.mark.asyncio

_SAID = re.compile(r"(maybe )?(\w+)=([^;]+)")


async def extract(text: str) -> Inference:
    """Find `key=value` for certain and `maybe key=value` uncertain; the same text always gives the same."""
    found: dict[bool, list[Inferred]] = {True: [], False: []}
    for maybe, key, value in _SAID.findall(text):
        found[not maybe].append(Inferred(type="personal", key=key, value=value.strip(), excerpt=text))
    return Inference(certain=tuple(found[True]), uncertain=tuple(found[False]))


def looking(memory: Memory, extractor: Callable[[str], Any] = extract) -> Memory:
    """The same memory with an extractor of the test's own."""
    return Memory(memory._store, memory.settings, extractor=extractor)


async def quiet(memory: Memory) -> Memory:
    """Stop the memory's own chores, which would look at what is left in line with no extractor."""
    chores, memory._chores = memory._chores, []
    for chore in chores:
        chore.cancel()
    await asyncio.gather(*chores, return_exceptions=True)
    return memory


@pytest_asyncio.fixture
async def memory(open_store: Any) -> Memory:
    return await quiet(await open_store())


async def in_line(memory: Memory) -> int:
    return len(await memory.look(lambda tx: tx.observations.list()))


async def test_what_is_certain_is_remembered_with_the_persons_words(person, memory):
    observed = await looking(memory).observe("location=Kyiv; hobby=chess", person.turn())
    assert [one.text for one in observed.stored] == ["location: Kyiv", "hobby: chess"]
    assert observed.question is None
    assert await person.values() == ["Kyiv", "chess"]
    [event] = await memory.history(observed.stored[0].id, person.turn())
    assert event.after.excerpt == "location=Kyiv; hobby=chess"
    assert [message.text for message in await memory.recent(person.turn())] == ["location=Kyiv; hobby=chess"]


async def test_what_is_uncertain_is_asked_about_and_not_stored(person, memory):
    observed = await looking(memory).observe("location=Kyiv; maybe hobby=chess", person.turn())
    assert observed.question is not None
    assert [item.text for _, item in observed.question.open_items] == ["hobby: chess"]
    assert await person.values() == ["Kyiv"]
    assert await memory.questions(person.turn()) == [observed.question]


async def test_a_certain_value_that_contradicts_is_asked_about_and_overwrites_nothing(person, memory):
    await person.fact("location", "Kyiv")
    observed = await looking(memory).observe("location=Lviv", person.turn())
    assert observed.stored == ()
    assert observed.question is not None
    assert [item.value for _, item in observed.question.open_items] == ["Lviv"]
    assert await person.values() == ["Kyiv"]


async def test_what_is_known_is_no_second_fact(person, memory):
    await person.fact("location", "Київ")
    observed = await looking(memory).observe("location=Kyiv", person.turn())
    assert [one.content for one in observed.stored] == ["Київ"]
    assert await person.values() == ["Київ"]


async def test_only_the_persons_own_words_are_looked_at(person, memory):
    await looking(memory).observe("> location=Oslo\nhobby=chess", person.turn(), own_text="hobby=chess")
    assert await person.values() == ["chess"]
    await looking(memory).observe("location=Oslo", person.turn(), own_text="")
    assert await person.values() == ["chess"]


async def test_an_answer_of_the_assistant_is_never_looked_at(person, memory):
    await looking(memory).record("assistant", "location=Oslo", person.turn())
    assert await in_line(memory) == 0
    assert await person.facts() == []


async def test_the_same_message_twice_does_nothing_the_second_time(person, memory):
    observer = looking(memory)
    first = await observer.observe("maybe hobby=chess; location=Kyiv", person.turn(message="m1"))
    again = await observer.observe("maybe hobby=chess; location=Kyiv", person.turn(message="m1"))
    assert (again.repeated, again.stored, again.question) == (True, (), None)
    assert len(await memory.questions(person.turn())) == 1
    assert [fact["evidence"] for fact in await person.facts()] == [1]
    assert first.message is not None
    assert len(await memory.recent(person.turn())) == 1


async def test_the_same_text_in_another_message_counts_as_evidence(person, memory):
    for message in ("m1", "m2"):
        await looking(memory).observe("location=Kyiv", person.turn(message=message))
    assert [fact["evidence"] for fact in await person.facts()] == [2]


async def test_an_edited_message_is_looked_at_anew(person, memory):
    observer = looking(memory)
    first = await observer.observe("hobby=tea", person.turn(message="m1"))
    edited = await observer.observe("hobby=chess", person.turn(message="m1"))
    assert (edited.message, edited.repeated) == (first.message, False)
    assert await person.values() == ["chess"]
    assert [message.text for message in await memory.recent(person.turn())] == ["hobby=chess"]


async def test_an_edit_that_comes_while_the_first_text_is_looked_at_is_not_lost(person, memory):
    started, slow = asyncio.Event(), asyncio.Event()

    async def hesitates(text: str) -> Inference:
        if "Oslo" in text:
            started.set()
            await slow.wait()
        return await extract(text)

    observer = looking(memory, hesitates)
    first = asyncio.create_task(observer.observe("location=Oslo", person.turn(message="m1")))
    await started.wait()
    noted = asyncio.Event()
    edit = asyncio.create_task(observer.observe("location=Kyiv", person.turn(message="m1"), noted=noted.set))
    await noted.wait()
    slow.set()
    await asyncio.gather(first, edit)
    assert await person.values() == ["Kyiv"]
    assert await in_line(memory) == 0


async def test_a_text_with_unstorable_characters_is_looked_at_and_ends_nothing(person, memory):
    """A lone surrogate ended the whole session."""
    observed = await looking(memory).observe("location=Ky\ud800iv\0", person.turn())
    assert [one.content for one in observed.stored] == ["Ky\ufffdiv\ufffd"]
    assert await in_line(memory) == 0


async def test_messages_in_fifty_chats_are_looked_at_in_order_per_chat(make_person, open_store):
    memory = await open_store()
    seen: dict[str, list[int]] = {}
    busy: set[str] = set()
    together = 0

    async def watches(text: str) -> Inference:
        nonlocal together
        chat, number = text.split()
        assert chat not in busy, "two messages of one chat at once"
        busy.add(chat)
        together = max(together, len(busy))
        await asyncio.sleep(0)
        seen.setdefault(chat, []).append(int(number))
        busy.remove(chat)
        return Inference()

    observer, each = looking(memory, watches), cases(5, long=20)
    people = [make_person(memory, user=chat, space=f"s{chat}", chat=f"c{chat}") for chat in range(1, 51)]
    work = [
        observer.observe(f"c{chat} {number}", person.turn(message=f"m{number}"))
        for number in range(each)
        for chat, person in enumerate(people)
    ]
    assert len(await asyncio.gather(*work)) == 50 * each
    assert seen == {f"c{chat}": list(range(each)) for chat in range(50)}
    assert together > 1
    assert await in_line(memory) == 0


async def test_a_slow_chat_holds_up_no_other(person, people, memory):
    never = asyncio.Event()

    async def hesitates(text: str) -> Inference:
        if "slow" in text:
            await never.wait()
        return await extract(text)

    observer = looking(memory, hesitates)
    slow = asyncio.create_task(observer.observe("slow location=Oslo", person.turn()))
    await observer.observe("location=Kyiv", people(7, chat="457").turn())
    assert await people(7).values() == ["Kyiv"]
    never.set()
    await slow


# What a crash leaves


async def crash(memory: Memory, person: Any, text: str, **more: Any) -> None:
    """Note a message and end before it is looked at."""
    started = asyncio.Event()

    async def never(_: str) -> Inference:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(looking(memory, never).observe(text, person.turn(**more)))
    await started.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_crash_between_note_and_look_loses_nothing_and_does_nothing_twice(
    lasting_url, opening, make_person, clock
):
    first = await quiet(await opening(lasting_url))
    await crash(first, make_person(first), "location=Kyiv; maybe hobby=chess", message="m1")
    again = looking(await quiet(await opening(lasting_url)))  # the first was never closed
    person = make_person(again)
    assert await again.resume() == 0, "whoever noted it may still be looking"
    clock.forward(seconds=61)
    assert await again.resume() == 1
    assert await person.values() == ["Kyiv"]
    assert len(await again.questions(person.turn())) == 1
    assert await again.resume() == 0
    assert (await again.observe("location=Kyiv; maybe hobby=chess", person.turn(message="m1"))).repeated
    assert [fact["evidence"] for fact in await person.facts()] == [1]


async def test_left_messages_are_looked_at_in_the_order_in_which_they_came(person, memory, clock):
    texts = [f"hobby=number {number}" for number in range(5)]
    for text in texts:
        await crash(memory, person, text)
    clock.forward(seconds=61)
    seen: list[str] = []

    async def watches(text: str) -> Inference:
        seen.append(text)
        return await extract(text)

    assert await looking(memory, watches).resume() == 5
    assert seen == texts


async def test_what_waits_behind_a_slow_look_is_not_taken_out_of_its_order(person, memory, clock):
    """A busy chat is no crash, however long its messages wait."""
    started, noted, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def slow(text: str) -> Inference:
        seen.append(text)
        started.set()
        await go_on.wait()
        return Inference()

    one = looking(memory, slow)
    first = asyncio.create_task(one.observe("first", person.turn()))
    await started.wait()
    second = asyncio.create_task(one.observe("second", person.turn(), noted=noted.set))
    await noted.wait()
    clock.forward(seconds=61)
    assert await one.resume() == 0
    assert seen == ["first"]
    go_on.set()
    await asyncio.gather(first, second)
    assert seen == ["first", "second"]


async def test_a_message_at_which_the_extractor_fails_keeps_no_other_in_line(person, memory, clock):
    for text in ("broken", "location=Kyiv"):
        await crash(memory, person, text)
    clock.forward(seconds=61)

    async def fails(text: str) -> Inference:
        if text == "broken":
            raise RuntimeError("no such model")
        return await extract(text)

    await looking(memory, fails).resume()
    assert await person.values() == ["Kyiv"]
    assert await in_line(memory) == 1, "what failed is not lost"


async def test_two_processes_that_resume_at_once_store_once(lasting_url, opening, make_person, clock):
    first = await quiet(await opening(lasting_url))
    person = make_person(first)
    await crash(first, person, "location=Kyiv; maybe hobby=chess")
    clock.forward(seconds=61)
    both = [looking(first), looking(await quiet(await opening(lasting_url)))]
    await asyncio.gather(*(one.resume() for one in both))
    assert [fact["evidence"] for fact in await person.facts()] == [1]
    assert len(await first.questions(person.turn())) == 1


# People whom memory is not to see


async def test_of_somebody_partly_private_the_message_is_kept_and_nothing_is_inferred(person, memory):
    await memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    observed = await looking(memory).observe("location=Kyiv; maybe hobby=chess", person.turn())
    assert (observed.message is not None, observed.stored, observed.question) == (True, (), None)
    assert await in_line(memory) == 0


async def test_of_somebody_invisible_nothing_is_kept(person, memory):
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    observed = await looking(memory).observe("location=Kyiv", person.turn())
    assert (observed.message, observed.stored, observed.question) == (None, (), None)
    assert await memory.recent(person.turn()) == []


@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_opts_out_while_their_message_is_looked_at_is_neither_remembered_nor_asked(person, memory, level):
    async def opts_out(text: str) -> Inference:
        await memory.set_privacy(level, person.turn())
        return await extract(text)

    observed = await looking(memory, opts_out).observe("location=Kyiv; maybe hobby=chess", person.turn())
    assert (observed.stored, observed.question) == ((), None)
    assert await memory.look(lambda tx: tx.questions.list(tx.owners.find("person", "telegram", "123"))) == []
    assert await in_line(memory) == 0


@pytest.mark.partitioned
async def test_what_is_inferred_in_a_direct_chat_stays_there(person, memory):
    await looking(memory).observe("location=Kyiv", person.turn(direct=True))
    assert await person.facts() == []
    assert await person.at(direct=True).values() == ["Kyiv"]


async def test_at_the_limit_the_rest_is_asked_about_and_nothing_is_evicted(make_person, open_store):
    memory = await open_store(max_facts=1)
    person = make_person(memory)
    observed = await looking(memory).observe("hobby=chess; hobby=go", person.turn())
    assert [one.content for one in observed.stored] == ["chess"]
    assert observed.question is not None
    assert [item.value for _, item in observed.question.open_items] == ["go"]


async def broken(_: str) -> Inference:
    raise RuntimeError


async def left_from_long_ago(person: Any, clock: Any) -> Any:
    """As history is that was read in while extraction failed."""
    sent = replace(person.turn(), time=clock() - timedelta(days=30), message="7")
    with pytest.raises(RuntimeError):
        await looking(person.memory, broken).observe("location=Kyiv", sent, at_once=True)
    return sent


async def test_an_old_message_is_kept_until_it_was_looked_at(person, memory, clock):
    await left_from_long_ago(person, clock)
    assert (await memory.tidy())["messages"] == 0
    clock.forward(seconds=61)
    assert await looking(memory).resume() == 1
    assert await person.values() == ["Kyiv"]
    assert (await memory.tidy())["messages"] == 1


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("direct", [False, True])
async def test_who_is_erased_leaves_nothing_in_line_although_its_message_is_gone(person, memory, clock, direct):
    """As after an older program, which did not keep such a message."""
    person = person.at(direct=direct)
    await left_from_long_ago(person, clock)

    def lose(tx):
        owner = find_space(tx, person.turn())
        return tx.erasure.erase_messages(owner, 100, tx.owners.find("person", "telegram", "123"))

    assert await memory.apply(lose) == 1
    if not direct:
        await memory.tidy()
    await memory.erase(person.turn())
    assert await in_line(memory) == 0
    assert await memory.tasks() == []


# Messages that go on with the one before


async def allergies(text: str) -> Inference:
    """Only a whole "allergic to X" tells something."""
    items = tuple(
        Inferred(type="personal", key="allergy", value=value.strip(" ."), excerpt=text)
        for value in re.findall(r"I'm allergic to (\w+)", text)
    )
    return Inference(certain=items)


async def tell(person: Any, *texts: str, **turn: Any) -> list[list[str]]:
    """Write messages; returns what was remembered of each."""
    memory = looking(person.memory, allergies)
    return [[one.text for one in (await memory.observe(text, person.turn(**turn))).stored] for text in texts]


@pytest.mark.partitioned
async def test_a_fragment_is_read_with_the_message_before(person, memory):
    assert await tell(person, "I'm allergic.", "To nuts.") == [[], ["allergy: nuts"]]
    [memory] = await memory.look(own_memories, person.turn())
    assert memory.excerpt == "I'm allergic. To nuts."


async def test_what_a_fragment_completed_goes_with_the_fragment(person, memory):
    watching, fragment = looking(memory, allergies), person.turn(message="m2")
    await watching.observe("I'm allergic.", person.turn(message="m1"))
    await watching.observe("To nuts.", fragment)
    assert await person.values() == ["nuts"]
    await watching.unrecord(fragment)
    assert await person.values() == []


@pytest.mark.partitioned
@pytest.mark.parametrize("way", ["apart", "together", "asked"])
async def test_what_two_messages_say_together_comes_from_both_and_goes_with_either(open_store, make_person, clock, way):
    memory = await quiet(await open_store(rollout="off" if way == "together" else "all"))
    person = make_person(memory)

    async def read(text: str) -> Inference:
        inference = await allergies(text)
        return Inference(uncertain=inference.certain) if way == "asked" else inference

    watching = looking(memory, read)
    for deleted in ("m1", "m2"):
        await watching.record("user", "hello", person.turn(message="m0"))
        for message, text in (("m1", "Oh! I'm allergic."), ("m2", "To nuts.")):
            await watching.observe(text, person.turn(message=message))
        if way == "together":
            clock.forward(seconds=memory.settings.window_seconds)
            await watching.resume()
        for question in await memory.questions(person.turn()):
            await memory.answer_question(question.id, person.turn(), save=True)
        memories = await memory.look(own_memories, person.turn())
        assert not isinstance(memories, NoAccess)
        [fact] = memories
        sources = await memory.look(lambda tx, fact=fact: tx.memories.sources_of(fact))
        messages = await memory.look(lambda tx, sources=sources: [tx.messages.get_text(*each) for each in sources])
        assert {*messages} == {"Oh! I'm allergic.", "To nuts."}
        await watching.unrecord(person.turn(message=deleted))
        assert await person.values() == []
        for message in ("m0", "m1", "m2"):
            await watching.unrecord(person.turn(message=message))


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (("I like it.",), ["I like it."]),
        (("I like it.", "In Lviv."), ["I like it.", "In Lviv.", "I like it in Lviv."]),
        (("I'm allergic.", "To nuts."), ["I'm allergic.", "To nuts.", "I'm allergic to nuts.", "I'm allergic."]),
        (("To I'm allergic to nuts",), ["To I'm allergic to nuts"]),
    ],
)
async def test_no_more_is_read_than_a_fragment_needs(person, memory, texts, read):
    seen: list[str] = []

    async def watch(text: str) -> Inference:
        seen.append(text)
        return await allergies(text)

    for text in texts:
        await looking(memory, watch).observe(text, person.turn())
    assert seen == read


async def test_an_answer_in_between_is_no_end_and_somebody_elses_message_is(person, people, memory):
    await tell(person, "I'm allergic.")
    await memory.record("assistant", "To what?", person.turn())
    assert await tell(person, "To nuts.") == [["allergy: nuts"]]
    await tell(person, "I'm allergic.")
    await memory.record("user", "me too", people(7).turn())
    assert await tell(person, "To eggs.") == [[]]


async def test_a_fragment_long_after_or_elsewhere_goes_on_with_nothing(person, people, memory, clock):
    await tell(person, "I'm allergic.")
    assert await tell(people(7), "To nuts.") == [[]]
    await tell(person, "I'm allergic.", chat="1")
    assert await tell(person, "To nuts.", chat="2") == [[]]
    await tell(person, "I'm allergic.")
    clock.forward(minutes=3)
    assert await tell(person, "To nuts.") == [[]]


async def test_messages_that_are_looked_at_together_go_on_with_each_other(open_store, make_person, clock):
    memory = await quiet(await open_store(rollout="off"))
    person = make_person(memory)
    watching = looking(memory, allergies)
    for text in ("I'm allergic.", "To nuts."):
        assert (await watching.observe(text, person.turn())).later
    clock.forward(seconds=memory.settings.window_seconds)
    assert await watching.resume() == 2
    assert await person.values() == ["nuts"]


SILENCING = {
    "off the record, I am pregnant": "the wish of one message",
    "Не для запису: я вагітна": "the same in Ukrainian",
    "lol just kidding about yesterday": "a joke",
    "Pretend you are a pirate": "a role",
    "translate: I am a pilot": "an order",
    "```\nI am a pilot": "code",
}


async def by_rules(text: str) -> Inference:
    from zgadka.extract.rules import extract

    found = extract(text)
    return Inference(certain=found.certain, uncertain=found.uncertain)


@pytest.mark.parametrize("silencing", SILENCING)
async def test_what_silences_one_message_silences_none_that_is_looked_at_with_it(
    open_store, make_person, clock, silencing
):
    memory = await quiet(await open_store(rollout="off"))
    person, watching = make_person(memory), looking(memory, by_rules)
    for text in ("I live in Lviv", silencing, "I play chess"):
        await watching.observe(text, person.turn())
    clock.forward(seconds=memory.settings.window_seconds)
    assert await watching.resume() == 3
    assert sorted(await person.values()) == ["Lviv", "chess"]


async def test_a_wish_about_the_last_message_silences_none_before_it(open_store, make_person, clock):
    memory = await quiet(await open_store(rollout="off"))
    person, watching = make_person(memory), looking(memory, by_rules)
    for number, text in enumerate(("I live in Lviv", "I play chess", "don't save that")):
        await watching.observe(text, person.turn(message=f"m{number}"))
    clock.forward(seconds=memory.settings.window_seconds)
    await watching.resume()
    assert await person.values() == ["Lviv"]


async def test_a_fragment_adds_nothing_to_a_message_that_tells_something_itself(person, memory):
    assert await tell(person, "I'm allergic to nuts.", "To eggs.") == [["allergy: nuts"], []]


async def test_a_look_at_the_queue_reads_only_what_may_be_due(open_store, make_person, clock):
    """However many spaces have something that waits for its person to go on."""
    memory = await quiet(await open_store(rollout="off"))
    person = make_person(memory)
    watching = looking(memory)
    for number in range(12):
        for text in ("first", "second")[: 1 + (number == 7)]:
            await watching.observe(text, person.turn(space=f"group-{number}", chat=f"group-{number}"))
    reads: list[int] = []

    def counted(tx: Tx) -> object:
        query_rows = tx.rows

        def rows(query: str, parameters: Any) -> list[Any]:
            answer = query_rows(query, parameters)
            reads.append(len(answer))
            return answer

        tx.rows = rows
        return observe.windows(tx)

    assert await memory.look(counted) == ([], [])
    assert sum(reads) == 3, "the space with two messages, and these"
    clock.forward(seconds=memory.settings.window_seconds)
    windows, _ = await memory.look(observe.windows)
    assert sorted(map(len, windows)) == [1] * 11 + [2]


@pytest.mark.asyncio
async def test_one_message_counts_once_however_often_it_is_read(person, memory):
    turn = person.turn(message="m1", text="I live in Kyiv")
    await memory.record("user", "I live in Kyiv", turn)
    for _ in range(2):  # a model reads it twice, and the rules
        await person.fact("location", "Kyiv", turn=turn)
    again = person.turn(message="m1", text="I live in Kyiv!")
    await memory.record("user", "I live in Kyiv!", again)
    await person.fact("location", "Kyiv", turn=again)
    [fact] = await person.facts()
    assert fact["evidence"] == 1
    later = person.turn(message="m2", text="I live in Kyiv")
    await memory.record("user", "I live in Kyiv", later)
    await person.fact("location", "Kyiv", turn=later)
    [fact] = await person.facts()
    assert fact["evidence"] == 2


async def told_likings(person) -> list[tuple[str, str, bool]]:
    """What the person likes and dislikes, each with whether that is over."""
    return sorted((fact["key"], fact["value"], "valid_to" in fact) for fact in await person.facts())


async def test_who_says_the_opposite_of_a_thing_later_has_changed_their_mind(person, memory, clock):
    observer = looking(memory)
    await observer.observe("like=tea; like=rain", person.turn(message="m1", time=clock.now))
    clock.forward(days=1)
    last = person.turn(message="m2", time=clock.now)
    await observer.observe("dislike=tea", last)
    assert await told_likings(person) == [("dislike", "tea", False), ("like", "rain", False), ("like", "tea", True)]
    await memory.unrecord(last)
    assert await told_likings(person) == [("like", "rain", False), ("like", "tea", False)]


async def test_a_yes_to_the_opposite_ends_a_liking(person, memory, clock):
    observer = looking(memory)
    await observer.observe("like=tea", person.turn(message="m1", time=clock.now))
    clock.forward(days=1)
    observed = await observer.observe("maybe dislike=tea", person.turn(message="m2", time=clock.now))
    assert observed.question is not None
    await memory.answer_question(observed.question.id, person.turn(time=clock.now), save=True)
    assert await told_likings(person) == [("dislike", "tea", False), ("like", "tea", True)]


async def test_a_liking_that_comes_late_is_past_where_the_opposite_was_said_after_it(person, memory, clock):
    observer, earlier = looking(memory), person.turn(message="m1", time=clock.now)
    clock.forward(days=1)
    await observer.observe("like=tea", person.turn(message="m2", time=clock.now))
    await observer.observe("dislike=tea", earlier)
    assert await told_likings(person) == [("dislike", "tea", True), ("like", "tea", False)]


async def test_what_a_bot_saw_is_learned_once_though_an_export_has_another_id(person, memory, clock):
    at = clock.now
    await looking(memory).observe("city=Lviv", person.turn(message="20", time=at))
    past = [
        PastMessage(
            turn=person.turn(message=f"export-77-{number}", time=at + timedelta(seconds=late)), text=text, own_text=text
        )
        for number, late, text in ((20, 0, "city=Lviv"), (21, 0, "hobby=chess"), (22, 1, "city=Lviv"))
    ]
    observed = await looking(memory).observe_past(past)
    assert [each.repeated for each in observed] == [True, False, False]


async def test_an_edit_takes_back_what_an_export_told(person, memory, clock):
    at = clock.now
    past = [PastMessage(turn=person.turn(message="export-77-20", time=at), text="city=Lviv", own_text="city=Lviv")]
    await looking(memory).observe_past(past)
    assert await person.values() == ["Lviv"]
    clock.forward(days=1)
    await looking(memory).observe(".", person.turn(message="11", time=at))
    assert await person.values() == []
    assert [message.text for message in await memory.recent(person.turn(), 50)] == ["."]


def exported(person, number: int, text: str, at) -> PastMessage:
    return PastMessage(turn=person.turn(message=f"export-77-{number}", time=at), text=text, own_text=text)


async def said_there(person) -> list[str]:
    return [message.text for message in await person.memory.recent(person.turn(), 50)]


async def test_two_messages_of_one_second_that_an_export_tells_are_two(person, memory, clock):
    at = clock.now
    clock.forward(days=1)
    await looking(memory).observe_past([exported(person, 20, "city=Lviv", at), exported(person, 21, "hobby=chess", at)])
    assert sorted(await person.values()) == ["Lviv", "chess"]
    assert await said_there(person) == ["city=Lviv", "hobby=chess"]


async def test_what_comes_late_is_the_exported_message_of_that_second_that_says_the_same(person, memory, clock):
    at = clock.now
    await looking(memory).observe_past([exported(person, 20, "city=Lviv", at), exported(person, 21, "hobby=chess", at)])
    clock.forward(days=1)
    await looking(memory).observe("hobby=chess", person.turn(message="12", time=at))
    assert await said_there(person) == ["city=Lviv", "hobby=chess"]
    await looking(memory).observe(".", person.turn(message="11", time=at))  # the only one that no bot saw
    assert await person.values() == ["chess"]
    assert await said_there(person) == [".", "hobby=chess"]


async def test_an_edit_is_of_no_exported_message_where_it_may_be_of_several(person, memory, clock):
    at = clock.now
    await looking(memory).observe_past([exported(person, 20, "city=Lviv", at), exported(person, 21, "hobby=chess", at)])
    clock.forward(days=1)
    await looking(memory).observe("hobby=go", person.turn(message="12", time=at))
    assert sorted(await said_there(person)) == ["city=Lviv", "hobby=chess", "hobby=go"]
