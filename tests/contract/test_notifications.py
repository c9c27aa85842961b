"""Subscribers are told after a commit, once for each change, in order; over every back end."""

from __future__ import annotations

from typing import Any

import pytest

from zgadka import Member
from zgadka.model.inference import Inferred
from zgadka.model.notification import Notice
from zgadka.ops import observe

pytestmark = pytest.mark.asyncio


def heard(memory: Any) -> list[Notice]:
    notices: list[Notice] = []
    memory.subscribe(notices.append)
    return notices


async def test_each_change_is_one_notice_in_order(person, memory):
    notices = heard(memory)
    await person.fact()
    await person.update("location", "Lviv")
    await person.forget_fact("location")
    note = await person.note("plays chess")
    await person.deletes(note)
    await memory.undo(note, person.turn())
    assert [(one.what, one.kind, one.preview) for one in notices] == [
        ("created", "fact", "location: Kyiv"),
        ("updated", "fact", "location: Lviv"),
        ("hidden", "fact", "location: Lviv"),
        ("created", "note", "plays chess"),
        ("deleted", "note", "plays chess"),
        ("created", "note", "plays chess"),
    ]
    assert {one.actor for one in notices} == {"123"}


async def test_a_tools_notice_carries_its_turn(person, memory):
    notices = heard(memory)
    turn = person.turn()
    await person.call("remember", turn=turn, content="plays chess")
    assert [one.turn for one in notices] == [turn]


async def test_when_a_subscriber_hears_of_it_it_is_on_disk(lasting_url, opening, make_person, elsewhere):
    memory = await opening(lasting_url)
    seen: list[int] = []

    def looks(_: Notice) -> None:
        seen.extend(count for (count,) in elsewhere(lasting_url, "SELECT count(*) FROM memory"))

    memory.subscribe(looks)
    for number in range(3):
        await make_person(memory).note(f"note {number}")
    assert seen == [1, 2, 3]


async def test_a_subscriber_hears_of_it_before_the_caller_is_answered(person, memory):
    notices = heard(memory)
    await person.note("plays chess")
    assert len(notices) == 1


@pytest.mark.parametrize("what", ["refused", "limit", "failed", "read"])
async def test_what_was_not_done_is_not_told(lasting_url, opening, make_person, elsewhere, what):
    memory = await opening(lasting_url, max_notes=1)
    person = make_person(memory)
    await person.note("plays chess")
    notices = heard(memory)
    match what:
        case "refused":
            await person.fact(confidence=7)
            await person.fact(user_id=4711)
            await person.call("forget", memory_id=4711)
        case "limit":
            assert (await person.call("remember", content="another")).status == "limit_reached"
        case "failed":
            elsewhere(lasting_url, "ALTER TABLE event RENAME TO gone")
            assert (await person.fact()).status == "error"
            elsewhere(lasting_url, "ALTER TABLE gone RENAME TO event")
        case _:
            await person.found("chess")
            await person.facts()
    assert notices == []


async def test_an_operation_that_raises_after_its_change_tells_nothing(person, memory):
    from zgadka.ops import remember

    notices = heard(memory)

    def fails(tx: Any) -> None:
        remember.remember(tx, person.turn(), 123, remember.New(content="plays chess"))
        assert tx.notices
        raise ValueError("after the change")

    with pytest.raises(ValueError, match="after the change"):
        await memory.apply(fails)
    assert notices == []
    assert await person.found("chess") == []


@pytest.mark.partitioned
async def test_what_is_a_persons_is_for_that_person_alone_and_what_is_the_spaces_for_the_space(person, memory):
    await memory.report_member("telegram", "456", Member(user="7", number=7, name="Olena"))
    notices = heard(memory)
    await person.speaks()
    await person.fact()
    await person.update("location", "Lviv")
    await person.note("plays chess")
    for scope, target in (("server_wide", {}), ("target_user", {"target_user": "Olena"})):
        await person.call("create_long_term_memory", memory_content=f"a note {scope}", scope=scope, **target)
    episode = await person.call("create_episode", topic="Evening", summary="They sang.", importance=1)
    await person.call("archive_episode", episode_id=episode["episode_id"], reason="over")
    await person.at(direct=True).note("a secret")
    assert [(one.what, one.kind, one.personal) for one in notices] == [
        ("created", "fact", True),
        ("updated", "fact", True),
        ("created", "note", True),
        ("created", "note", False),
        ("created", "note", True),
        ("created", "episode", False),
        ("hidden", "episode", False),
        ("created", "note", True),
    ]


async def test_clearing_a_profile_tells_no_group(person, people, memory):
    """Deletion notices republished private text in the channel."""
    await people(8).speaks()
    await person.fact()
    await person.at(thread="own").speaks()
    await person.at(thread="own").call("create_episode", topic="Own", summary="Alone.", importance=1)
    relation = {"user_id": 123, "related_user_id": 8, "relationship": "friend", "description": "since school"}
    await person.call("remember_relationship", **relation)
    notices = heard(memory)
    for _ in range(2):
        await person.call("clear_profile", user_id=123, reason="they asked")
    assert [(one.what, one.kind, one.personal) for one in notices] == [
        ("deleted", "fact", True),
        ("deleted", "episode", True),
        ("deleted", "relation", True),
    ]


async def test_a_preview_has_at_most_two_hundred_characters_in_one_line(person, memory):
    notices = heard(memory)
    await person.deletes(await person.note("much\nto say " * 80))
    assert [len(one.preview) <= 200 for one in notices] == [True, True]
    assert notices[1].preview.startswith("much to say much")
    assert notices[1].preview.endswith("…")


async def test_who_unsubscribed_hears_no_more_and_the_others_do(person, memory):
    notices: list[Notice] = []
    stop = memory.subscribe(notices.append)
    others = heard(memory)
    await person.note("plays chess")
    stop()
    await person.note("plays go")
    assert (len(notices), len(others)) == (1, 2)


async def test_a_subscriber_may_unsubscribe_while_it_is_told(person, memory):
    notices: list[Notice] = []

    def once(notice: Notice) -> None:
        notices.append(notice)
        stop()

    stop = memory.subscribe(once)
    others = heard(memory)
    for text in ("plays chess", "plays go"):
        await person.note(text)
    assert (len(notices), len(others)) == (1, 2)


async def test_questions_are_told_when_they_are_asked_and_answered(person, memory):
    notices = heard(memory)
    item = Inferred(type="personal", key="hobby", value="chess")
    waiting = await memory.apply(observe.note_message, person.turn(), "words", "words")
    question = (await memory.apply(observe.keep_inferred, [waiting], (), (item,))).question
    await memory.answer_question(question.id, person.turn(), save=True)
    assert [(one.what, one.personal, one.preview) for one in notices] == [
        ("asked", True, ""),
        ("created", True, "hobby: chess"),
        ("answered", True, ""),
    ]
    assert [one.question.id for one in notices if one.question] == [question.id, question.id]


@pytest.mark.parametrize("act", ["edit", "delete"])
async def test_questions_that_are_closed_with_their_message_are_told(person, memory, act):
    notices = heard(memory)
    item = Inferred(type="personal", key="hobby", value="chess", excerpt="words")
    turn = person.turn(message="m1")
    waiting = await memory.apply(observe.note_message, turn, "words", "words")
    await memory.apply(observe.keep_inferred, [waiting], (), (item,))
    await (memory.unrecord(turn) if act == "delete" else memory.observe("other", turn))
    told = [one for one in notices if one.what == "answered"]
    assert [one.question is not None and one.question.open_items for one in told] == [()]


@pytest.mark.partitioned
async def test_erasing_is_told_once_without_any_text(person, memory):
    await person.fact()
    await person.note("plays chess")
    notices = heard(memory)
    await memory.erase(person.turn())
    [notice] = notices
    assert (notice.what, notice.memory, notice.personal, notice.preview) == ("erased", 0, True, "")


async def test_changes_of_one_commit_are_told_in_the_order_in_which_they_were_made(person, memory):
    import asyncio

    notices = heard(memory)
    ids = await asyncio.gather(*(person.note(f"note {number}") for number in range(50)))
    assert [one.memory for one in notices] == list(ids)
