"""A message whose days are over still takes along what was remembered from it alone."""

from __future__ import annotations

import pytest
from tests.support.told import tells, writes

from zgadka.errors import NotAllowed
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import Grant
from zgadka.ops.last_change import removed_with_message
from zgadka.ops.list_memories import made_of_message
from zgadka.transfer.export import export_person, export_store

pytestmark = [pytest.mark.asyncio, pytest.mark.every_case]

BOBS = Grant(token=1, role="service", platforms=("telegram",), people=("8",))


@pytest.fixture(params=["sqlite-file", "postgres", "postgres-partitioned"])
def back_end(request):
    """One of each: what is different here is how rows are looked for."""
    return request.param


async def expire(person, clock, **span):
    clock.forward(**span or {"days": 8})
    return (await person.memory.tidy())["messages"]


async def deletes(person, message="7"):
    return await person.memory.unrecord(person.turn(message=message))


async def is_known(person, message="7"):
    """Whether anything is known of a message."""
    turn = person.turn(message=message)

    def ask(tx):
        space = tx.owners.find("space", turn.platform, turn.space)
        return space is not None and tx.messages.find_said(space, turn) is not None

    return await person.memory.look(ask)


async def exported(memory):
    lines: list[str] = []
    await memory.look(lambda tx: export_store(tx, lines.append))
    return lines


async def quote_of(person, fact):
    return (await person.memory.why(fact, person.turn())).memory.excerpt


async def counted(memory):
    return (await memory.look(lambda tx: tx.maintenance.counts()))["messages"]


@pytest.mark.parametrize("days", [8, 100])
async def test_deleting_it_takes_along_what_was_remembered_from_it_alone(ann, clock, days):
    await tells(ann)
    await tells(ann, "My name is Ann", message="8", key="name", value="Ann")
    await expire(ann, clock, days=days)
    assert await deletes(ann)
    assert await ann.values() == ["Ann"]
    assert not await is_known(ann)


@pytest.mark.parametrize("edited", [".", "Good morning", "I don't live in Lviv any more"])
async def test_what_an_edit_says_no_longer_is_hidden_and_comes_back_with_undo(ann, clock, edited):
    fact = await tells(ann, source_excerpt="I live in Lviv")
    await expire(ann, clock)
    await writes(ann, edited)
    assert await ann.values() == []
    assert [message.text for message in await ann.memory.recent(ann.turn(), 5)] == [edited]
    await ann.memory.undo(fact, ann.turn())
    assert await ann.values() == ["Lviv"]


@pytest.mark.parametrize("edited", ["Lviv is home, and bees", "My home is where I live in Lviv, you know!"])
async def test_what_an_edit_still_says_stays_and_goes_with_the_next_one(ann, clock, edited):
    fact = await tells(ann, source_excerpt="I live in Lviv")
    await expire(ann, clock)
    await writes(ann, edited)
    assert await ann.values() == ["Lviv"]
    assert await quote_of(ann, fact) == ("I live in Lviv" if "I live in Lviv" in edited else None)
    await expire(ann, clock)
    await writes(ann, "Good morning")
    assert await ann.values() == []


async def test_a_note_stays_only_while_its_quote_does(ann, clock):
    said = "The spare key is under the green flowerpot"
    turn = await writes(ann, said)
    await ann.note("Where the key to the house is: with the plants", turn=turn)
    await expire(ann, clock)
    await writes(ann, f"{said}!")
    assert await ann.found("house") == []


async def test_what_another_message_says_too_stays_with_that_one_as_its_source(ann, clock):
    fact = await tells(ann, source_excerpt="I live in Lviv")
    await expire(ann, clock)
    await tells(ann, "Lviv again: there I am at home", message="8")
    await deletes(ann)
    assert await quote_of(ann, fact) is None
    assert [source.text for source in (await ann.memory.why(fact, ann.turn())).sources] == [
        "Lviv again: there I am at home"
    ]
    await expire(ann, clock)
    await deletes(ann, "8")
    assert await ann.values() == []


@pytest.mark.parametrize("gone", ["7", "8"])
async def test_what_two_messages_say_together_goes_with_either(ann, clock, memory, gone):
    for message, text in (("7", "I'm allergic."), ("8", "To nuts.")):
        await memory.observe(text, ann.turn(message=message, text=text))
    assert await ann.values() == ["nuts"]
    await expire(ann, clock)
    await deletes(ann, gone)
    assert await ann.values() == []


@pytest.mark.partitioned
@pytest.mark.parametrize("edited", [None, "Good morning"])
async def test_what_was_told_of_others_by_it_goes_from_their_rows(ann, bob, clock, edited):
    await bob.speaks()
    turn = await writes(ann, "Bob lives in Lviv and we all meet on Fridays")
    await ann.fact(value="Lviv", user_id=bob.turn().user_number, turn=turn)
    await ann.call("create_long_term_memory", memory_content="We all meet on Fridays", scope="server_wide", turn=turn)
    await expire(ann, clock)
    await (deletes(ann) if edited is None else writes(ann, edited))
    assert await bob.values() == []
    assert await bob.found("Fridays") == []


async def test_a_reply_to_it_finds_what_was_remembered_and_what_was_removed(ann, clock):
    fact = await tells(ann)
    await expire(ann, clock)
    assert [memory.id for memory in await ann.memory.look(made_of_message, ann.turn(), ann.turn(message="7"))] == [fact]
    await ann.deletes(fact)
    assert len(await ann.memory.look(removed_with_message, ann.turn(), ann.turn(message="7"))) == 1


async def test_nobody_else_deletes_or_edits_it(ann, bob, clock, memory):
    await tells(ann)
    await expire(ann, clock)
    with pytest.raises(NotAllowed):
        await writes(bob, "Good morning")
    with pytest.raises(NotAllowed):
        await memory.unrecord(bob.turn(message="7"), grant=BOBS)
    assert await ann.values() == ["Lviv"]


@pytest.mark.parametrize("edited", [None, "Good morning"])
async def test_it_goes_when_its_writer_wants_no_memory(ann, clock, edited):
    await tells(ann)
    await expire(ann, clock)
    await ann.memory.set_privacy(PrivacyLevel.FULL, ann.turn(direct=True, space="123", chat="123"))
    await (deletes(ann) if edited is None else writes(ann, edited))
    assert not await is_known(ann)
    await ann.memory.set_privacy(PrivacyLevel.MINIMAL, ann.turn(direct=True, space="123", chat="123"))
    assert await ann.values() == []


async def test_its_text_is_gone_and_it_is_counted_listed_and_exported_nowhere(ann, clock, memory):
    await tells(ann, "I live in Lviv and keep zorvakulas")
    await writes(ann, "Nothing to remember", message="8")
    assert await expire(ann, clock) == 2
    assert await expire(ann, clock) == 0
    assert (await is_known(ann), await is_known(ann, "8")) == (True, False)
    assert await counted(memory) == 0
    assert await memory.recent(ann.turn(), 5) == []
    own = await memory.look(lambda tx: export_person(tx, "telegram", "123"))
    assert not any('"kind": "message"' in line or "zorvakulas" in line for line in own)
    assert not any("zorvakulas" in line for line in await exported(memory))


@pytest.mark.parametrize("how", ["deleted", "cleared"])
async def test_it_is_known_as_long_as_something_comes_from_it(ann, clock, how):
    fact = await tells(ann)
    await expire(ann, clock, days=100)
    assert await is_known(ann)
    if how == "deleted":
        await ann.deletes(fact)
    else:
        for _ in range(2):
            await ann.call("clear_profile", user_id=123, reason="I want that")
    assert await ann.values() == []
    await expire(ann, clock, hours=1)
    assert await is_known(ann)  # it may come back
    await expire(ann, clock, days=2)
    await expire(ann, clock, days=2)
    assert not await is_known(ann)


@pytest.mark.parametrize("how", ["person", "space"])
async def test_erasing_leaves_nothing_of_it(ann, clock, memory, how):
    await tells(ann)
    await expire(ann, clock)
    if how == "person":
        await memory.erase(ann.turn(direct=True, space="123", chat="123"))
    else:
        await memory.erase_space("telegram", "456")
    assert not await is_known(ann)


async def test_it_moves_with_its_group(ann, clock, memory):
    await tells(ann)
    await expire(ann, clock)
    await memory.move_space("telegram", "456", "-100456", chats=("456", "-100456"))
    moved = ann.at(space="-100456", chat="-100456")
    assert await deletes(moved, "456:7")
    assert await moved.values() == []


async def test_an_export_of_the_whole_database_takes_it_along(ann, clock, memory, opening):
    await tells(ann)
    await expire(ann, clock)
    other = ann.at(memory=await opening("sqlite://:memory:"))
    await other.memory.import_lines(await exported(memory))
    assert await other.values() == ["Lviv"]
    assert await deletes(other)
    assert await other.values() == []


@pytest.mark.parametrize(("gone", "left"), [("7", ["Kyiv"]), ("8", [])])
@pytest.mark.parametrize("quote", ["I live in Kyiv", None])
async def test_what_a_fact_was_changed_to_goes_with_the_message_that_changed_it(ann, clock, gone, left, quote):
    await tells(ann)
    turn = await writes(ann, "No, I live in Kyiv", "8")
    await ann.update("location", "Kyiv", turn=turn, change_reason="correction", source_excerpt=quote)
    await expire(ann, clock)
    await deletes(ann, gone)
    assert await ann.values() == left


@pytest.mark.parametrize("gone", ["7", "8"])
async def test_no_quote_of_it_is_left_where_it_may_be_of_it(ann, clock, gone):
    fact = await tells(ann, source_excerpt="I live in Lviv")
    await tells(ann, "Lviv, yes. I'm there all the time", "8", source_excerpt="I'm there all the time")
    await expire(ann, clock)
    await deletes(ann, gone)
    assert await ann.values() == ["Lviv"]
    assert await quote_of(ann, fact) is None
