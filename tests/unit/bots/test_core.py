"""The bots' core on a platform that only notes what is sent."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from in_memory_platform import InMemoryPlatform, Sent

from zgadka import Member, Memory, Settings, Turn, open_memory
from zgadka.bots import delivery
from zgadka.bots.core import Bot
from zgadka.bots.platform import Address, Command, Membership, Message, Presence, Press, Titles
from zgadka.bots.queues import Queues
from zgadka.chat.agent import standin_model
from zgadka.chat.sentences import rate_limited
from zgadka.errors import StoreUnavailable
from zgadka.model.inference import Inference, Inferred
from zgadka.model.outcome import NoAccess
from zgadka.model.people import Title
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.list_memories import own_memories
from zgadka.ops.operator_changes import hide_many

GROUP = -5
_numbers = itertools.count(1)


class Clock:
    """Stands still, or goes on by `step` whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.step = timedelta()

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


class Person:
    """Somebody who writes and presses; each time all is answered before the test goes on."""

    def __init__(self, bot: Bot, wire: InMemoryPlatform, user: int, chat: int, language: Any = "en") -> None:
        self.bot, self.wire, self.user, self.chat, self.language = bot, wire, user, chat, language

    def turn(self, **more: Any) -> Turn:
        number = next(_numbers)
        given: dict[str, Any] = {
            "platform": "telegram",
            "space": str(self.chat),
            "chat": str(self.chat),
            "user": self.user,
            "turn": f"update:{number}",
            "message": str(number),
            "direct": self.chat > 0,
        }
        return Turn(**given | more)

    async def write(self, text: str, **more: Any) -> None:
        message = Message(turn=self.turn(), text=text, own_text=text, language=self.language, to_bot=self.chat > 0)
        await self.bot.take(replace(message, **more))
        await self.bot.settle()

    async def command(self, name: str, argument: str = "", **more: Any) -> None:
        command = Command(turn=self.turn(), name=name, argument=argument, language=self.language)
        await self.bot.take(replace(command, **more))
        await self.bot.settle()

    async def press(self, sent: Sent, label: str) -> None:
        await self.press_data(sent.data(label), self.wire.sent.index(sent))

    async def press_data(self, data: str, message: int) -> None:
        text = self.wire.sent[message].text if self.wire.sent else ""
        buttons = tuple(button.data for button in self.wire.sent[message].buttons) if self.wire.sent else ()
        turn = self.turn(turn=f"press:{next(_numbers)}", message=None)
        press = Press(turn=turn, data=data, source=message, text=text, buttons=buttons, language=self.language)
        await self.bot.take(press)
        await self.bot.settle()

    async def known(self) -> list[str]:
        found = await self.bot._memory.look(own_memories, self.turn())
        assert not isinstance(found, NoAccess)
        return sorted(one.text for one in found if one.valid_to is None)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def memory(clock: Clock) -> AsyncIterator[Memory]:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        memory._observer._extractor = _infer
        yield memory


async def _infer(text: str) -> Inference:
    """`maybe KEY=VALUE, …` is uncertain, `KEY=VALUE` certain."""
    parts = [part.split("=") for part in text.removeprefix("maybe ").split(", ") if part.count("=") == 1]
    items = tuple(Inferred(type="personal", key=key, value=value, excerpt=text) for key, value in parts)
    return Inference(uncertain=items) if text.startswith("maybe ") else Inference(certain=items)


@pytest.fixture
def wire() -> InMemoryPlatform:
    return InMemoryPlatform()


@pytest_asyncio.fixture
async def bot(memory: Memory, wire: InMemoryPlatform, clock: Clock) -> AsyncIterator[Bot]:
    bot = Bot(memory, wire, standin_model(), clock=clock)
    yield bot
    await bot.close()


@pytest.fixture
def olena(bot: Bot, wire: InMemoryPlatform) -> Person:
    return Person(bot, wire, 1, 1)


@pytest.fixture
def in_group(bot: Bot, wire: InMemoryPlatform) -> Person:
    return Person(bot, wire, 1, GROUP)


@pytest.fixture
def taras(bot: Bot, wire: InMemoryPlatform) -> Person:
    return Person(bot, wire, 2, GROUP)


# Questions


@pytest.mark.asyncio
async def test_a_failing_save_says_so_and_keeps_the_keyboard(
    in_group: Person, wire: InMemoryPlatform, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await in_group.write("maybe location=Lviv")
    question = wire.last

    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(memory._store, "write", fail)
        await in_group.press(question, "✓")
    assert wire.told[-1][0].startswith("Not saved")
    assert wire.last is question
    await in_group.press(question, "✓")
    assert await in_group.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_a_question_is_reminded_of_once(in_group: Person, bot: Bot, wire: InMemoryPlatform, clock: Clock) -> None:
    await in_group.write("maybe location=Lviv")
    assert await bot.remind() == 0
    clock.now += timedelta(hours=13)
    assert await bot.remind() == 1
    await bot.settle()
    assert wire.last.text.startswith("You have not answered this yet. The question stays open for another 11 hours.")
    assert await bot.remind() == 0
    await in_group.press(wire.last, "✓")
    assert await in_group.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_reminders_go_on_after_the_store_failed(
    bot: Bot, memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(**_: object) -> None:
        raise StoreUnavailable("disk full")

    monkeypatch.setattr(memory, "due_reminders", fail)
    assert await bot.remind() == 0
    assert "no reminders now" in caplog.text


@pytest.mark.asyncio
async def test_an_answered_question_that_was_edited_in_time_is_saved_as_corrected(
    in_group: Person, taras: Person, wire: InMemoryPlatform
) -> None:
    await in_group.write("maybe location=Lviv")
    answers, place = tuple(one.data for one in wire.last.buttons), wire.sent.index(wire.last)
    await in_group.command("edit", "Kyiv")
    assert "Reply to my question with /edit" in wire.last.text
    await taras.command("edit", "Odesa", answers=answers, replied_to=str(place))
    assert wire.last.text == "This question is not for you."
    await in_group.command("edit", "Kyiv", answers=answers, replied_to=str(place))
    assert wire.last.text == "✓ Saved."
    assert wire.sent[place].buttons == []
    assert await in_group.known() == ["location: Kyiv"]


@pytest.mark.asyncio
@pytest.mark.parametrize("argument", ["2 cups of tea", "1. 2 cups of tea"])
async def test_a_correction_of_the_only_item_may_begin_with_a_number(
    in_group: Person, wire: InMemoryPlatform, argument: str
) -> None:
    await in_group.write("maybe drink=tea")
    answers, place = tuple(one.data for one in wire.last.buttons), wire.sent.index(wire.last)
    await in_group.command("edit", argument, answers=answers, replied_to=str(place))
    assert await in_group.known() == ["drink: 2 cups of tea"]


@pytest.mark.asyncio
async def test_what_says_that_nothing_is_known_is_not_remembered(olena: Person, wire: InMemoryPlatform) -> None:
    for words in ("N/A", "unknown", "невідомо"):
        await olena.command("remember", words)
        assert "/remember" in wire.last.text
    assert await olena.known() == []


@pytest.mark.asyncio
async def test_with_several_items_a_correction_names_one(in_group: Person, wire: InMemoryPlatform) -> None:
    await in_group.write("maybe location=Lviv, pet=cat")
    answers, place = tuple(one.data for one in wire.last.buttons), wire.sent.index(wire.last)
    await in_group.command("edit", "dog", answers=answers, replied_to=str(place))
    assert "Reply to my question with /edit" in wire.last.text
    await in_group.command("edit", "3 dog", answers=answers, replied_to=str(place))
    assert "Reply to my question with /edit" in wire.last.text
    await in_group.command("edit", "2 dog", answers=answers, replied_to=str(place))
    assert await in_group.known() == ["pet: dog"]
    assert "Do you live in Lviv?" in wire.sent[place].text
    assert "cat" not in wire.sent[place].text


# What is looked at


@pytest.mark.asyncio
@pytest.mark.parametrize("label", ["✓ Save all", "✗ Skip all"])
async def test_a_button_that_is_pressed_twice_answers_only_what_it_was_shown_under(
    in_group: Person, wire: InMemoryPlatform, memory: Memory, label: str
) -> None:
    await in_group.write("maybe " + ", ".join(f"hobby={value}" for value in "abcdefg"))
    [question] = wire.sent
    await in_group.press(question, label)
    await in_group.press_data(question.data(label), 0)
    [waiting] = await memory.questions(in_group.turn())
    assert [item.value for _, item in waiting.open_items] == ["f", "g"]
    assert wire.told[-1] == ("Already handled.", True)
    await in_group.press(wire.last, label)
    assert await memory.questions(in_group.turn()) == []


@pytest.mark.asyncio
async def test_what_is_still_asked_after_a_part_was_answered_takes_a_plain_yes(
    in_group: Person, wire: InMemoryPlatform, memory: Memory, clock: Clock
) -> None:
    await in_group.write("maybe hobby=chess, hobby=tea, hobby=go")
    clock.now += timedelta(minutes=6)
    await in_group.press(wire.last, "✓ 1")
    clock.now += timedelta(minutes=4)
    await in_group.write("only the last")
    assert await in_group.known() == ["hobby: chess", "hobby: go"]
    assert await memory.questions(in_group.turn()) == []


@pytest.mark.asyncio
async def test_a_plain_yes_answers_the_question_that_was_shown_last(
    in_group: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await in_group.write("maybe hobby=chess, hobby=tea")
    first = wire.last
    clock.now += timedelta(minutes=1)
    await in_group.write("maybe hobby=go")
    clock.now += timedelta(minutes=1)
    await in_group.press(first, "✗ 1")
    await in_group.write("yes")
    assert await in_group.known() == ["hobby: tea"]


@pytest.mark.asyncio
@pytest.mark.parametrize("ahead", [-90, 0, 5, 90])
async def test_a_quick_yes_answers_whatever_clock_the_platform_has(
    olena: Person, wire: InMemoryPlatform, clock: Clock, ahead: int
) -> None:
    for words, known in (("maybe pet=cat", ["pet: cat"]), ("/forget 1", [])):
        wire.now = clock.now - timedelta(seconds=ahead)
        if words.startswith("/"):
            await olena.command("forget", "1", turn=olena.turn(time=wire.now))
        else:
            await olena.write(words, turn=olena.turn(time=wire.now))
        clock.now += timedelta(seconds=1)
        await olena.write("yes", turn=olena.turn(time=wire.now + timedelta(seconds=1)))
        assert await olena.known() == known


@pytest.mark.asyncio
@pytest.mark.parametrize("ahead", [-90, 0, 5, 90])
async def test_a_yes_from_before_the_question_was_shown_answers_nothing_whatever_clock_the_platform_has(
    in_group: Person, wire: InMemoryPlatform, clock: Clock, ahead: int
) -> None:
    wire.now = clock.now - timedelta(seconds=ahead)
    await in_group.write("maybe pet=cat", turn=in_group.turn(time=wire.now - timedelta(seconds=9)))
    await in_group.write("yes", turn=in_group.turn(time=wire.now - timedelta(seconds=3)))
    assert await in_group.known() == []


@pytest.mark.asyncio
async def test_a_reminder_takes_a_plain_yes(in_group: Person, bot: Bot, clock: Clock) -> None:
    await in_group.write("maybe hobby=chess")
    clock.now += timedelta(hours=12)
    await bot.remind()
    await bot.settle()
    await in_group.write("yes")
    assert await in_group.known() == ["hobby: chess"]


@pytest.mark.asyncio
async def test_an_edited_message_is_looked_at_again_and_not_answered(olena: Person, wire: InMemoryPlatform) -> None:
    turn = olena.turn()
    await olena.write("hello", turn=turn)
    said = len(wire.sent)
    await olena.write("pet=cat", turn=replace(turn, turn="update:later"), edited=True)
    assert [sent.text for sent in wire.sent[said:]] == ["✓ Remembered: You have a cat. Not so? /undo_1"]
    assert await olena.known() == ["pet: cat"]


@pytest.mark.asyncio
async def test_what_an_edit_leaves_out_is_known_no_longer(olena: Person, memory: Memory) -> None:
    turn = olena.turn()
    await olena.write("pet=cat", turn=turn)
    await olena.write("never mind", turn=replace(turn, turn="update:later"), edited=True)
    assert await olena.known() == []
    assert not any("cat" in one.text for one in await memory.recent(olena.turn()))


@pytest.mark.asyncio
@pytest.mark.parametrize("notice", ["/undo_{}", "/undo {}", "/forget {}"])
async def test_dont_save_that_in_reply_to_a_notice_takes_back_what_it_tells(
    olena: Person, memory: Memory, notice: str
) -> None:
    for said in ("health=pregnant", "job=nurse"):
        await olena.write(said)
    found = await memory.look(own_memories, olena.turn())
    assert not isinstance(found, NoAccess)
    [pregnant] = [one.id for one in found if one.content == "pregnant"]
    told = f"Remembered: {notice.format(pregnant)}"
    await olena.write("don't save that", replied_to="900", replied_text=told)
    assert await olena.known() == ["job: nurse"]
    assert "health=pregnant" not in [one.text for one in await memory.recent(olena.turn(), 50)]
    await olena.write("I like tea")
    await olena.write("don't save that", replied_to="901", replied_text="Tea is fine.")
    assert "I like tea" not in [one.text for one in await memory.recent(olena.turn(), 50)]


@pytest.mark.asyncio
async def test_dont_save_that_in_reply_to_a_notice_takes_back_no_message_with_the_notices_number(
    olena: Person, memory: Memory
) -> None:
    await olena.write("I like tea", turn=olena.turn(message="900"))  # as an earlier version kept another bot's
    await olena.write("don't save that", replied_to="900", replied_text="Remembered: /undo_77")
    assert "I like tea" in [one.text for one in await memory.recent(olena.turn(), 50)]


@pytest.mark.asyncio
@pytest.mark.parametrize("words", ["", "N/A", "x" * 10_000])
async def test_what_a_remember_said_goes_when_it_is_edited_to_say_nothing_that_can_be_kept(
    in_group: Person, memory: Memory, words: str
) -> None:
    turn = in_group.turn(message="70")
    await in_group.command("remember", "I keep a zebra", turn=turn)
    await in_group.command("remember", words, turn=turn)
    assert await in_group.known() == []
    assert "I keep a zebra" not in [one.text for one in await memory.recent(in_group.turn(), 50)]


@pytest.mark.asyncio
@pytest.mark.parametrize("edited", [".", "off the record please", "I keep a yak"])
async def test_what_a_remember_said_goes_when_it_is_edited(in_group: Person, memory: Memory, edited: str) -> None:
    turn = in_group.turn(message="70")
    await in_group.command("remember", "I keep a zebra", turn=turn)
    assert await in_group.known() == ["I keep a zebra"]
    await in_group.write(edited, turn=in_group.turn(message="70"), edited=True)
    assert await in_group.known() == []
    assert "I keep a zebra" not in [one.text for one in await memory.recent(in_group.turn(), 50)]


@pytest.mark.asyncio
async def test_a_remember_edited_into_another_keeps_that_alone(in_group: Person) -> None:
    for words in ("I keep a zebra", "I keep a yak"):
        await in_group.command("remember", words, turn=in_group.turn(message="70"))
    assert await in_group.known() == ["I keep a yak"]


@pytest.mark.asyncio
async def test_a_command_that_nobody_sees_is_no_message_of_the_place(in_group: Person, memory: Memory) -> None:
    await in_group.command("remember", "I keep a zebra", turn=in_group.turn(message=None))
    assert await in_group.known() == ["I keep a zebra"]
    assert await memory.recent(in_group.turn(), 50) == []


@pytest.mark.asyncio
async def test_a_forward_is_kept_and_nothing_is_taken_from_it(
    olena: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("> pet=cat", own_text="", to_bot=False)
    assert await olena.known() == []
    assert [one.text for one in await memory.recent(olena.turn())] == ["> pet=cat"]
    assert wire.sent == []


@pytest.mark.asyncio
async def test_a_person_who_wants_no_memory_is_not_kept(in_group: Person, memory: Memory) -> None:
    await in_group.command("privacy", "FULL")
    await in_group.write("pet=cat")
    await in_group.write("maybe location=Lviv")
    assert await memory.recent(in_group.turn()) == []
    assert await memory.questions(in_group.turn()) == []


@pytest.mark.asyncio
async def test_a_voice_message_is_looked_at_as_what_was_said(memory: Memory, wire: InMemoryPlatform) -> None:
    async def listen(file: str) -> str | None:
        if file == "broken":
            raise OSError(file)
        return {"speech": "pet=cat"}.get(file)

    bot = Bot(memory, wire, standin_model(), transcribe=listen)
    olena = Person(bot, wire, 1, GROUP)
    for file in ("noise", "broken"):
        await olena.write("", voice=file)
    assert await memory.recent(olena.turn()) == []
    await olena.write("> a caption", own_text="", voice="speech")
    assert await olena.known() == []
    await olena.write("", voice="speech", borrowed=True)  # somebody else's, forwarded
    assert await olena.known() == []
    await olena.write("", voice="speech")
    assert await olena.known() == ["pet: cat"]
    await bot.close()


@pytest.mark.asyncio
async def test_whose_caption_is_edited_says_aloud_what_it_said_until_they_are_erased(
    memory: Memory, wire: InMemoryPlatform
) -> None:
    speeches: list[str | None] = ["pet=cat", None]

    async def listen(_: str) -> str | None:
        return speeches.pop(0)

    bot = Bot(memory, wire, standin_model(), transcribe=listen)
    olena = Person(bot, wire, 1, GROUP)
    await olena.write("", voice="file", turn=olena.turn(message="70"))
    await olena.write("on a train", voice="file", turn=olena.turn(message="70"), edited=True)
    assert [one.text for one in await memory.recent(olena.turn())] == ["on a train\npet=cat"]
    bot._forget_person("1")
    await olena.write("on a bus", voice="file", turn=olena.turn(message="70"), edited=True)
    assert speeches == []
    await bot.close()


@pytest.mark.asyncio
async def test_what_cannot_be_noted_is_raised(olena: Person, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("disk full")

    monkeypatch.setattr(memory._store, "write", fail)
    with pytest.raises(StoreUnavailable):
        await olena.write("pet=cat")


@pytest.mark.asyncio
async def test_a_failing_extraction_is_logged_and_the_message_stays_in_line(
    olena: Person, memory: Memory, caplog: pytest.LogCaptureFixture, clock: Clock
) -> None:
    async def fail(_: str) -> Inference:
        raise OSError("model gone")

    working, memory._observer._extractor = memory._observer._extractor, fail
    await olena.write("pet=cat", to_bot=False)
    assert "not looked at" in caplog.text
    memory._observer._extractor = working
    clock.now += timedelta(minutes=5)
    assert await memory.resume() == 1
    assert await olena.known() == ["pet: cat"]


async def _edited_while_it_waits(person: Person, text: str, edited: str) -> Turn:
    """Write a message and edit it before the bot comes to it."""
    turn, is_free = person.turn(), asyncio.Event()
    person.bot._delivery.put(Address.of(turn), is_free.wait)
    message = Message(turn=turn, text=text, own_text=text, language="en", to_bot=True)
    await person.bot.take(message)
    edit = replace(turn, turn=f"{turn.turn}:edit")
    await person.bot.take(replace(message, turn=edit, text=edited, own_text=edited, edited=True))
    is_free.set()
    await person.bot.settle()
    return turn


@pytest.mark.asyncio
async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_reads_by_then(
    olena: Person, memory: Memory, wire: InMemoryPlatform
) -> None:
    turn = await _edited_while_it_waits(olena, "band=Okean", "pet=cat")
    said = [message.text for message in await memory.recent(turn) if message.role == "user"]
    assert said == ["pet=cat"]
    assert "cat" in wire.sent[0].text
    assert "Okean" not in str(wire.sent)
    assert await olena.known() == ["pet: cat"]


@pytest.mark.asyncio
async def test_an_answer_that_is_edited_while_it_waits_answers_as_it_reads_by_then(
    olena: Person, wire: InMemoryPlatform
) -> None:
    await olena.write("maybe pet=cat")
    await _edited_while_it_waits(olena, "yes", "no")
    assert await olena.known() == []


@pytest.mark.asyncio
async def test_a_message_that_is_deleted_while_it_waits_is_not_answered(olena: Person, wire: InMemoryPlatform) -> None:
    await _edited_while_it_waits(olena, "band=Okean", "")
    assert wire.sent == []


# Members


@pytest.mark.asyncio
async def test_members_are_reported_with_the_roles_of_the_administrators(
    bot: Bot, wire: InMemoryPlatform, memory: Memory, clock: Clock
) -> None:
    wire.roles = {"1": "creator"}
    member = Member(user="1", number=1, name="Olena", nickname="olena")

    async def reported() -> Member | None:
        await bot.settle()
        return await memory.look(_member_of)

    await bot.take(Membership(space=str(GROUP), members=(member,), roles_known=False))
    assert await reported() == replace(member, role="creator")
    await bot.take(Membership(space=str(GROUP), members=(replace(member, role=None),)))
    assert await reported() == member
    await bot.take(Membership(space=str(GROUP), members=(replace(member, role="administrator"),)))
    assert (await reported() or member).role == "administrator"
    wire.refuses.add("administrators")
    clock.now += timedelta(hours=1)
    await bot.take(Membership(space=str(GROUP), members=(replace(member, left_at=clock.now),), roles_known=False))
    assert (await reported() or member).left_at == clock.now


@pytest.mark.asyncio
async def test_what_an_operator_changed_is_told_to_its_person_once_and_how_to_take_it_back(
    olena: Person, bot: Bot, wire: InMemoryPlatform, memory: Memory, clock: Clock
) -> None:
    await bot.remind()
    await olena.write("location=Lviv")
    facts = await memory.look(own_memories, olena.turn())
    assert not isinstance(facts, NoAccess)
    [fact] = facts
    await memory.apply(hide_many, fact.owner, [fact.id])
    sent = len(wire.sent)
    clock.now += timedelta(minutes=1)
    for _ in range(2):
        await bot.remind()
        await bot.settle()
    assert len(wire.sent) == sent + 1
    assert "Memory archived by the operator" in wire.last.text
    assert "You live in Lviv" in wire.last.text
    await olena.command("undo", str(fact.id))
    assert await olena.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_a_title_is_reported_when_it_changes_and_again_where_the_bot_came_back(
    bot: Bot, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []
    report = memory.report_titles

    async def listen(platform: str, space: str, titles: Any) -> None:
        reported.extend(title.text for title in titles)
        await report(platform, space, titles)

    monkeypatch.setattr(memory, "report_titles", listen)

    async def named(text: str) -> None:
        await bot.take(Titles(space=str(GROUP), titles=(Title(text=text),)))
        await bot.settle()

    for text in ("Friends", "Friends", "Old friends"):
        await named(text)
    assert reported == ["Friends", "Old friends"]
    await bot.take(Presence(space=str(GROUP), is_here=True))
    await named("Old friends")
    assert reported == ["Friends", "Old friends", "Old friends"]


def _member_of(tx: Any) -> Member | None:
    return tx.members.get(tx.owners.find("space", "telegram", str(GROUP)), tx.owners.find("person", "telegram", "1"))


# Commands


@pytest.mark.asyncio
async def test_the_commands_are_explained(olena: Person, in_group: Person, wire: InMemoryPlatform) -> None:
    await olena.command("start")
    assert wire.last.text.startswith("Hello!")
    for command in ("help", "nonsense"):
        await olena.command(command)
        assert "/memory - " in wire.last.text
    said = len(wire.sent)
    await in_group.command("nonsense")
    assert len(wire.sent) == said


@pytest.mark.asyncio
async def test_memory_is_a_paged_list_with_buttons_that_delete(
    olena: Person, wire: InMemoryPlatform, taras: Person
) -> None:
    await olena.command("memory")
    assert wire.last.text == "I don't remember anything about you here."
    for number in range(10):
        await olena.command("remember", f"note {number}")
    await olena.command("memory")
    page = wire.last
    assert page.text.startswith("What I remember about you (10 in all):")
    assert page.text.count("ID:") == 8
    await olena.press(page, "▶")
    assert wire.last.text.endswith("Page 2 of 2")
    assert wire.last.text.count("ID:") == 2
    await taras.press(wire.last, "◀")
    assert wire.told[-1] == ("This button is not for you.", True)
    await olena.press(wire.last, "🗑")
    assert wire.last.text.startswith("Delete?")
    await olena.press(wire.last, "🗑 Delete")
    assert "🗑 Deleted: note" in wire.last.text
    assert len(await olena.known()) == 9


@pytest.mark.asyncio
async def test_a_group_sees_only_what_was_said_there_and_the_person_all(
    olena: Person, in_group: Person, wire: InMemoryPlatform
) -> None:
    await olena.command("remember", "my secret")
    await in_group.command("remember", "I like tea")
    await in_group.command("memory")
    assert "I like tea" in wire.last.text
    assert "secret" not in wire.last.text
    await olena.command("memory")
    assert "I like tea" in wire.last.text
    assert "secret" in wire.last.text
    tea = next(line for line in wire.last.text.splitlines() if "tea" in line).split()[0]
    await olena.command("forget", tea)
    await olena.press(wire.last, "🗑 Delete")
    assert await in_group.known() == []


@pytest.mark.asyncio
async def test_remembering_says_what_became_of_it(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("remember")
    assert wire.last.text.startswith("What should I remember?")
    await olena.command("remember", "I like tea")
    assert wire.last.text.startswith("✓ Remembered")
    await olena.command("remember", "I like tea")
    assert wire.last.text.startswith("I know that already")
    await olena.command("remember", "{userName}")
    assert wire.last.text.startswith("What should I remember?")
    await olena.command("privacy", "partial")
    await olena.command("remember", "I like coffee")
    assert wire.last.text.startswith("Your privacy level")
    await olena.command("memory")
    assert "I like tea" in wire.last.text, "the person alone lists what is theirs at every level"


@pytest.mark.asyncio
async def test_who_is_in_an_episode_with_others_leaves_it_and_comes_back(
    olena: Person, in_group: Person, taras: Person, memory: Memory, wire: InMemoryPlatform
) -> None:
    await olena.command("help")
    await in_group.write("we fought about money")
    await taras.write("yes we did")
    episode = {"topic": "A quarrel", "summary": "Two fought about money.", "importance": 0.8}
    number = (await memory.call("create_episode", episode, taras.turn()))["episode_id"]
    await olena.command("memory")
    listed = wire.last.text
    assert f"ID:{number} Episode with" in listed
    for command in ("why", "history", "unshare"):
        await olena.command(command, str(number))
        assert wire.last.text.startswith(f"ID:{number} is not only yours")
    await olena.command("forget", str(number))
    assert wire.last.text == f"You are no longer in ID:{number}.\nTake it back within 24 hours: /undo_{number}"
    await olena.command("memory")
    assert f"ID:{number}" not in wire.last.text
    await olena.command("undo", str(number))
    assert wire.last.text == f"↩ Undone. You are in ID:{number} again."
    await olena.command("memory")
    assert wire.last.text == listed


def forgetting(bot: Bot, memory: Memory, answer: str) -> Callable[[str, Turn], AsyncIterator[str]]:
    """A model that asks to forget the first memory, and then says the answer."""

    async def say(_text: str, turn: Turn) -> AsyncIterator[str]:
        result = await memory.call("forget", {"memory_id": "1"}, turn)
        bot._hear(turn, "forget", {}, result)
        yield answer

    return say


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Shall I forget that you live in Oslo?", "Shall I forget that you live in Oslo?"),
        ("Hm.", "Hm.\n\nDelete? You can take it back within 24 hours.\nID:1 You live in Oslo"),
    ],
)
async def test_a_fact_that_a_model_asks_to_delete_is_named_once_and_as_its_person_reads_it(
    olena: Person, memory: Memory, wire: InMemoryPlatform, monkeypatch: pytest.MonkeyPatch, answer: str, shown: str
) -> None:
    await olena.write("location=Oslo")
    monkeypatch.setattr(olena.bot._conversation, "answer", forgetting(olena.bot, memory, answer))
    await olena.write("what a day")
    assert wire.last.text == shown


@pytest.mark.asyncio
async def test_a_list_tells_what_is_past_as_past(olena: Person, memory: Memory, wire: InMemoryPlatform) -> None:
    await olena.write("location=Kyiv")
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "new_value": "Lviv", "confidence": 0.9}
    await memory.call("update_fact", fact | {"change_reason": "update"}, olena.turn())
    await olena.command("memory")
    assert {line.partition(" ")[2] for line in wire.last.text.splitlines()[1:]} == {
        "You live in Lviv",
        "You lived in Kyiv (… – ≤ 2026-03-01)",
    }


@pytest.mark.asyncio
async def test_a_note_that_a_person_wrote_by_a_command_says_so(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("remember", "I am allergic to nuts")
    await olena.command("why", "1")
    assert wire.last.text.endswith(": you wrote it by hand")


@pytest.mark.asyncio
async def test_forgetting_by_words_lists_and_deletes_nothing(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("forget")
    assert wire.last.text.startswith("What should I forget?")
    await olena.command("forget", "tea")
    assert wire.last.text.startswith("Nothing matches")
    await olena.command("forget", "999")
    assert wire.last.text.startswith("You have no such memory")
    await olena.command("remember", "I like tea")
    await olena.command("forget", "tea")
    assert wire.last.text.startswith("Which of these")
    assert await olena.known() == ["I like tea"]
    await olena.press(wire.last, "🗑")
    await olena.press(wire.last, "Keep")
    assert wire.last.text.endswith("Kept; nothing was deleted.")
    assert await olena.known() == ["I like tea"]


@pytest.mark.asyncio
async def test_several_ids_have_a_row_of_buttons_each(olena: Person, wire: InMemoryPlatform) -> None:
    for text in ("I like tea", "I like coffee"):
        await olena.command("remember", text)
    ids = [sent.text.split("ID:")[1].rstrip(").") for sent in wire.sent]
    await olena.command("forget", f"{ids[0]}, ID:{ids[1]}")
    asked = wire.last
    assert [one.text for one in asked.buttons] == [f"🗑 Delete ID:{ids[0]}", "Keep", f"🗑 Delete ID:{ids[1]}", "Keep"]
    await olena.press(asked, f"🗑 Delete ID:{ids[1]}")
    assert await olena.known() == ["I like tea"]


@pytest.mark.asyncio
@pytest.mark.parametrize("second", ["🗑 Delete", "Keep"])
async def test_a_second_press_leaves_what_became_of_a_deletion(
    olena: Person, wire: InMemoryPlatform, second: str
) -> None:
    await olena.command("remember", "I like tea")
    await olena.command("forget", "tea")
    await olena.press(wire.last, "🗑")
    asked = replace(wire.last, buttons=list(wire.last.buttons))
    await olena.press_data(asked.data("🗑 Delete"), len(wire.sent) - 1)
    told = wire.last.text
    assert "🗑 Deleted" in told
    await olena.press_data(asked.data(second), len(wire.sent) - 1)
    assert wire.last.text == told
    assert wire.told[-1] == ("Already handled.", True)


@pytest.mark.asyncio
@pytest.mark.parametrize("second", ["🗑 Erase everything", "Keep"])
async def test_a_second_press_leaves_the_receipt_of_an_erasure(
    olena: Person, wire: InMemoryPlatform, second: str
) -> None:
    await olena.command("remember", "I like tea")
    await olena.command("erase")
    asked = replace(wire.last, buttons=list(wire.last.buttons))
    await olena.press_data(asked.data("🗑 Erase everything"), len(wire.sent) - 1)
    receipt = wire.last.text
    assert receipt.startswith("Erased for good")
    await olena.press_data(asked.data(second), len(wire.sent) - 1)
    assert wire.last.text == receipt
    assert wire.told[-1] == ("Already handled.", True)


@pytest.mark.asyncio
async def test_each_erasure_that_is_asked_about_can_be_refused(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("remember", "I like tea")
    for _ in range(2):
        await olena.command("erase")
        await olena.press(wire.last, "Keep")
        assert wire.last.text.endswith("Nothing was erased.")
    await olena.write("yes")
    assert await olena.known() == ["I like tea"]


@pytest.mark.asyncio
async def test_keeping_after_the_question_expired_asks_nothing_new(
    olena: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await olena.command("remember", "I like tea")
    await olena.command("forget", "tea")
    await olena.press(wire.last, "🗑")
    asked = wire.last
    keep = asked.data("Keep")
    clock.now += timedelta(minutes=6)
    await olena.press_data(keep, wire.sent.index(asked))
    assert "This question is closed" in wire.last.text
    await olena.press_data(keep.replace(":keep:", ":delete:"), len(wire.sent) - 1)
    assert wire.told[-1][0].startswith("Something has changed")
    assert await olena.known() == ["I like tea"]


@pytest.mark.asyncio
async def test_a_profile_is_cleared_by_its_owners_button(olena: Person, wire: InMemoryPlatform, memory: Memory) -> None:
    await olena.command("remember", "I like tea")
    for label, left in (("Keep", 1), ("🗑 Delete", 0)):
        turn = olena.turn()
        result = await memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, turn)
        olena.bot._hear(turn, "clear_profile", {}, result)
        await olena.write("tell me", turn=turn)
        assert [one.text for one in wire.last.buttons] == ["🗑 Delete everything", "Keep"]
        await olena.press(wire.last, label)
        assert len(await olena.known()) == left
    told = wire.last.text
    assert "Everything I remembered about you has been deleted." in told
    for data in ("zg:delete:1:0", "zg:keep:1:0"):
        await olena.press_data(data, len(wire.sent) - 1)
        assert wire.last.text == told


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("undo_hours", "asked"),
    [
        (1, ("Delete? You can take it back within 1 hour.", "Видалити? Скасувати можна буде протягом 1 години.")),
        (0, ("Delete? This cannot be undone.", "Видалити? Скасувати це не можна.")),
    ],
)
async def test_who_is_asked_whether_to_delete_is_told_whether_it_can_be_taken_back(
    wire: InMemoryPlatform, clock: Clock, undo_hours: int, asked: tuple[str, str]
) -> None:
    settings = Settings(background=False, undo_hours=undo_hours)
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        bot = Bot(memory, wire, standin_model(), clock=clock)
        for user, language in ((1, "en"), (2, "uk")):
            person = Person(bot, wire, user, user, language)
            result = await memory.call("remember", {"content": "I like tea"}, person.turn())
            await person.command("forget", str(result["memory_id"]))
            assert wire.last.text == f"{asked[user - 1]}\nID:{result['memory_id']} I like tea"
        await bot.close()


@pytest.mark.asyncio
async def test_who_is_asked_whether_to_delete_a_message_is_told_that_it_is_gone_then(
    olena: Person, wire: InMemoryPlatform
) -> None:
    await olena.write("I saw a green cucumber")
    await olena.command("forget", "cucumber")
    await olena.press(wire.last, "🗑 M")
    message = wire.last
    assert message.text.startswith("Delete? This cannot be undone.\nID:M")
    await olena.command("remember", "I like tea")
    number, memory_id = re.findall(r"ID:M?(\d+)", message.text + wire.last.text)
    await olena.command("forget", f"M{number}, {memory_id}")
    sentences = "You can take it back within 24 hours. Messages (M…) cannot be brought back."
    assert wire.last.text.startswith(f"Delete? {sentences}\n")


@pytest.mark.asyncio
async def test_a_group_is_told_that_a_profile_is_cleared_there_alone(
    in_group: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await in_group.command("remember", "I like tea")
    turn = in_group.turn()
    result = await in_group.bot._memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, turn)
    in_group.bot._hear(turn, "clear_profile", {}, result)
    await in_group.write("tell me", turn=turn, to_bot=True)
    clock.now += timedelta(minutes=6)
    await in_group.press(wire.last, "🗑 Delete")  # too late: it is asked again
    assert wire.last.text.startswith("Delete everything I remember about you here? You can take it back within 24")
    await in_group.press(wire.last, "🗑 Delete")
    assert "🗑 Everything I remembered about you here has been deleted." in wire.last.text


@pytest.mark.asyncio
async def test_a_person_reads_facts_as_sentences_in_their_language(bot: Bot, wire: InMemoryPlatform) -> None:
    olena = Person(bot, wire, 1, 1, "uk")
    await olena.write("location=Київ, like=джаз")
    await olena.command("remember", "location: Київ")  # a note, as it is
    await olena.command("memory")
    assert {line.partition(" ")[2] for line in wire.last.text.splitlines()[1:]} == {
        "Ви живете у Києві",
        "Вам до вподоби джаз",
        "location: Київ",
    }
    await olena.command("forget", "джаз")
    assert wire.last.text.endswith("ID:2 Вам до вподоби джаз")
    await olena.press(wire.last, "🗑 2")
    assert wire.last.text.endswith("ID:2 Вам до вподоби джаз")
    await olena.press(wire.last, "🗑")
    assert "🗑 Видалено: Вам до вподоби джаз\n" in wire.last.text
    await olena.command("undo", "2")
    assert wire.last.text == "↩ Скасовано. Пам’ятаю: Вам до вподоби джаз (ID:2)"
    await olena.command("history", "2")
    assert wire.last.text.count("Вам до вподоби джаз") == 3
    await olena.command("forget", "3")
    await olena.write("так")
    assert wire.last.text.startswith("🗑 Видалено: location: Київ\n")


@pytest.mark.asyncio
async def test_the_stand_in_says_what_was_stored_of_the_message_by_itself(
    olena: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    clock.step = timedelta(milliseconds=1)
    await olena.write("allergy=peanuts")
    assert wire.sent[-2].text == "Remembered: You are allergic to peanuts (ID:1)."
    assert wire.last.text == "✓ Remembered: You are allergic to peanuts. Not so? /undo_1"
    await olena.write("тварина=кіт, location=Київ")
    assert set(wire.sent[-2].text.splitlines()) == {
        "Запам’ятано: Про вас (тварина): кіт (ID:2).",
        "Запам’ятано: місце проживання: Київ (ID:3).",
    }
    await olena.write("what a day")
    assert wire.last.text.startswith("I am the offline stand-in, not a language model")


@pytest.mark.asyncio
async def test_privacy_is_shown_and_set(olena: Person, wire: InMemoryPlatform, memory: Memory) -> None:
    await olena.command("privacy")
    assert wire.last.text.startswith("Your privacy level: minimal\n")
    await olena.command("privacy", "nonsense")
    assert wire.last.text.startswith("There is no such level.\nYour privacy level: minimal\n")
    await olena.command("privacy", "Partial")
    assert wire.last.text.startswith("Your privacy level: partial\n")
    for said in ("minimal - everything works", "partial - messages only", "full - invisible"):
        assert f"/privacy {said}" in wire.last.text
    assert await memory.privacy(olena.turn()) is PrivacyLevel.PARTIAL


@pytest.mark.asyncio
async def test_an_export_is_a_file_in_the_private_chat_alone(
    olena: Person, in_group: Person, wire: InMemoryPlatform
) -> None:
    await olena.command("remember", "I like tea")
    await in_group.command("export")
    assert wire.files == []
    assert "direct chat" in wire.last.text
    await olena.command("export")
    address, name, content = wire.files[0]
    assert (address.chat, name) == ("1", "zgadka-export.jsonl")
    lines = [json.loads(line) for line in content.splitlines()]
    assert any("I like tea" in json.dumps(line) for line in lines)
    wire.file_bytes = max(map(len, content.splitlines())) + 1
    await olena.command("export")
    assert [name for _, name, _ in wire.files[1:]][:2] == ["zgadka-export.jsonl", "zgadka-export-2.jsonl"]
    assert b"".join(part for _, _, part in wire.files[1:]).count(b"\n") >= len(lines)


@pytest.mark.asyncio
async def test_erasure_needs_the_owners_press_in_time(
    olena: Person, taras: Person, in_group: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await in_group.bot.take(
        Membership(space=str(GROUP), members=(Member(user="1", number=1, name="Olena"),), roles_known=False)
    )
    await in_group.command("remember", "I like tea")
    await olena.command("erase")
    asked = wire.last
    place = wire.sent.index(asked)
    await taras.press(asked, "🗑 Erase")
    assert wire.told[-1] == ("This button is not for you.", True)
    await olena.press(asked, "Keep")
    assert wire.sent[place].text.endswith("Nothing was erased.")
    data = asked.data("🗑 Erase")
    clock.now += timedelta(minutes=6)
    await olena.press_data(data, place)
    assert wire.sent[place].text.endswith("Nothing was erased.")
    assert await in_group.known() == ["I like tea"]
    await olena.command("erase")
    await olena.press(wire.last, "🗑 Erase")
    assert wire.last.text.startswith("Erased for good")
    assert await in_group.known() == []


@pytest.mark.asyncio
async def test_an_unknown_button_does_nothing(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("help")
    for data in ("nonsense", "zg:nonsense:1:1", "zg:delete:1:x", "memconf:save:999:abc"):
        await olena.press_data(data, 0)
        assert wire.told[-1] == ("This button no longer works.", True)


@pytest.mark.asyncio
async def test_a_limit_is_said_with_the_time_to_wait(wire: InMemoryPlatform, clock: Clock) -> None:
    settings = Settings(calls_per_hour=1, max_notes=1)
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        bot = Bot(memory, wire, standin_model(), clock=clock)
        olena = Person(bot, wire, 1, 1)
        await olena.command("remember", "I like tea")
        await olena.command("remember", "I like coffee")
        assert wire.last.text.startswith("Too many requests")
        await olena.command("forget", "tea")
        assert wire.last.text.startswith("Too many requests")
        await olena.press_data("zg:delete:1:1", 0)
        assert wire.told[-1][0].startswith("Too many requests")
        clock.now += timedelta(hours=2)
        await olena.command("remember", "I like coffee")
        assert wire.last.text.startswith("Not remembered: you have reached the limit")
        clock.now += timedelta(hours=2)
        await memory.close()
        await olena.bot.close()


@pytest.mark.asyncio
async def test_a_busy_memory_is_an_answer(
    olena: Person, wire: InMemoryPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("disk full")

    monkeypatch.setattr(olena.bot._memory._store, "write", fail)
    await olena.command("remember", "I like tea")
    assert wire.last.text.startswith("My memory cannot be reached")
    await olena.command("forget", "7")
    assert wire.last.text.startswith("My memory cannot be reached")


@pytest.mark.asyncio
@pytest.mark.parametrize("first", ["🗑 Delete ID:1", "Keep"])
async def test_a_pressed_button_leaves_those_of_what_is_asked_beside_it(
    olena: Person, wire: InMemoryPlatform, first: str
) -> None:
    await olena.command("remember", "likes tea")
    await olena.command("remember", "plays chess")
    await olena.command("forget", "1, 2")
    place = wire.sent.index(wire.last)
    await olena.press(wire.last, first)
    assert [button.text for button in wire.sent[place].buttons] == ["🗑 Delete ID:2", "Keep"]
    await olena.press(wire.sent[place], "🗑 Delete ID:2")
    assert wire.sent[place].buttons == []
    assert await olena.known() == (["likes tea"] if first == "Keep" else [])


@pytest.mark.asyncio
async def test_what_has_changed_since_is_asked_again_with_what_was_asked_beside_it(
    olena: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("sport=chess, pet=cat")
    await olena.command("forget", "1, 2")
    place = wire.sent.index(wire.last)
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "sport", "new_value": "tennis", "confidence": 0.9}
    await memory.call("update_fact", fact | {"change_reason": "correction"}, olena.turn())
    await olena.press(wire.sent[place], "🗑 Delete ID:1")
    assert wire.told[-1][0].startswith("Something has changed")
    assert [line[:5] for line in wire.sent[place].text.splitlines()[1:]] == ["ID:1 ", "ID:2 "]
    assert "tennis" in wire.sent[place].text
    assert [button.text[:13] for button in wire.sent[place].buttons[::2]] == ["🗑 Delete ID:1", "🗑 Delete ID:2"]


# Answers and notices


@pytest.mark.asyncio
async def test_the_models_question_has_its_buttons(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.write("I live in Kyiv")
    await olena.write("forget that I live in Kyiv")
    asked = wire.last
    assert [one.text for one in asked.buttons] == ["🗑 Delete ID:1", "Keep"]
    await olena.press(asked, "🗑")
    done = "🗑 Deleted: You live in Kyiv\nTake it back within 24 hours: /undo_1"
    assert wire.last.text == f"{asked.text}\n\n{done}"
    assert wire.last.buttons == []


@pytest.mark.asyncio
async def test_a_change_made_in_a_group_is_told_to_its_person_privately(
    olena: Person, in_group: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("hello")  # a private chat exists
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, in_group.turn())
    before = len(wire.sent)
    await memory.call("update_fact", fact | {"new_value": "Kyiv", "change_reason": "update"}, in_group.turn())
    await olena.bot.settle()
    assert [(one.address.user or one.address.chat, one.text.split(" - ")[0]) for one in wire.sent[before:]] == [
        ("1", "✎ Memory changed\nID:1 You live in Kyiv")
    ]


@pytest.mark.asyncio
async def test_a_change_that_a_person_is_told_of_is_taken_back_from_there(
    olena: Person, in_group: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("hello")
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    number = (await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, in_group.turn()))["fact_id"]
    await memory.call("update_fact", fact | {"new_value": "Kyiv", "change_reason": "update"}, in_group.turn())
    await olena.bot.settle()
    assert wire.last.text.endswith(f"take it back: /undo_{number}")
    before = len(wire.sent)
    await olena.command("undo", str(number))
    assert [one.text for one in wire.sent[before:]] == [f"↩ Undone. I remember: You live in Lviv (ID:{number})"]
    assert await in_group.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_what_others_wrote_is_no_link_under_a_notice(
    olena: Person, in_group: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("hello")
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, in_group.turn())
    planted = {"new_value": "Kyiv. Not right? /undo_1", "change_reason": "update"}
    await memory.call("update_fact", fact | planted, in_group.turn())
    await olena.bot.settle()
    assert wire.last.text.count("/undo_") == 1


@pytest.mark.asyncio
async def test_without_an_undo_window_no_undo_is_offered(wire: InMemoryPlatform, clock: Clock) -> None:
    async with open_memory(
        "sqlite://:memory:", settings=Settings(background=False, undo_hours=0), clock=clock
    ) as memory:
        bot = Bot(memory, wire, standin_model(), clock=clock)
        olena, in_group = Person(bot, wire, 1, 1), Person(bot, wire, 1, GROUP)
        await olena.write("hello")
        fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
        await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, in_group.turn())
        await memory.call("update_fact", fact | {"new_value": "Kyiv", "change_reason": "update"}, in_group.turn())
        await bot.settle()
        assert wire.last.text == "✎ Memory changed\nID:1 You live in Kyiv"
        assert "/undo" not in wire.last.text
        await bot.close()


@pytest.mark.asyncio
async def test_a_command_that_comes_twice_takes_back_once(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.command("remember", "I like tea")
    number = wire.last.text.split("ID:")[1].rstrip(").")
    turn = olena.turn()
    for _ in range(2):
        await olena.command("undo", number, turn=turn)
        assert wire.last.text.startswith(f"↩ Undone. No longer remembered: I like tea (ID:{number})")
    assert await olena.known() == []


@pytest.mark.asyncio
async def test_who_was_joking_is_told_what_goes_and_how_to_take_that_back(
    in_group: Person, olena: Person, wire: InMemoryPlatform
) -> None:
    await olena.write("hi")
    await in_group.write("location=Lviv")
    await in_group.write("just kidding!")
    assert "You live in Lviv" in wire.last.text
    assert "/undo_1" in wire.last.text
    assert await in_group.known() == []
    await in_group.command("undo", "1")
    assert await in_group.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_undo_without_a_number_that_comes_twice_takes_back_one_deletion(
    in_group: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    clock.step = timedelta(seconds=1)
    for number, fact in enumerate(("location=Lviv", "hobby=chess"), 1):
        await in_group.write(fact)
        for _ in range(2):
            await in_group.command("forget", str(number))
    turn = in_group.turn()
    for _ in range(2):
        await in_group.command("undo", turn=turn)
        assert wire.last.text == "↩ Undone. I remember: Your hobby is chess (ID:2)"
    assert await in_group.known() == ["hobby: chess"]
    await in_group.command("undo")
    assert await in_group.known() == ["hobby: chess", "location: Lviv"]


@pytest.mark.asyncio
async def test_a_memory_is_followed_and_shared_by_its_id(
    olena: Person, in_group: Person, wire: InMemoryPlatform
) -> None:
    for name in ("history", "undo", "share", "unshare"):
        await olena.command(name, "tea")
        assert wire.last.text == f"Which memory? Give its ID: /{name} 24. /memory lists them."
    await olena.command("remember", "I like tea")
    number = wire.last.text.split("ID:")[1].rstrip(").")
    await olena.command("history", f"ID:{number}")
    assert wire.last.text.endswith("remembered: I like tea")
    await olena.command("share", number)
    assert wire.last.text.startswith("Wherever you meet me")
    assert await in_group.known() == ["I like tea"]
    await olena.command("unshare", number)
    assert wire.last.text.startswith("I may use this only here")
    assert await in_group.known() == []


@pytest.mark.asyncio
async def test_without_a_private_chat_nothing_personal_is_told_anywhere(
    in_group: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, in_group.turn())
    await memory.call("update_fact", fact | {"new_value": "Kyiv", "change_reason": "update"}, in_group.turn())
    await in_group.bot.settle()
    assert wire.sent == []


@pytest.mark.asyncio
async def test_more_ids_than_are_listed_are_counted(olena: Person, wire: InMemoryPlatform) -> None:
    await olena.write(", ".join(f"hobby={number}" for number in range(12)))
    assert wire.last.text.count("/undo_") == 10
    assert wire.last.text.endswith("… and 2 more.")
    await olena.command("undo", ", ".join(map(str, range(1, 13))))
    assert wire.last.text.endswith("That is the first 10; 2 more are left as they are.")
    assert len(await olena.known()) == 2


@pytest.mark.asyncio
async def test_many_changes_at_once_are_one_message(
    olena: Person, in_group: Person, wire: InMemoryPlatform, memory: Memory
) -> None:
    await olena.write("hello")
    for number in range(12):
        await memory.call("remember", {"content": f"note {number}"}, in_group.turn())
    before = len(wire.sent)
    for _ in range(2):
        await memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, in_group.turn())
        await olena.bot.settle()
    assert len(wire.sent) == before + 1
    assert wire.last.text.count("ID:") == 10
    assert wire.last.text.endswith("… and 2 more.")


@pytest.mark.asyncio
async def test_a_groups_own_note_is_told_to_the_group(in_group: Person, wire: InMemoryPlatform, memory: Memory) -> None:
    kept = await memory.call(
        "create_long_term_memory", {"memory_content": "We meet on Mondays", "scope": "server_wide"}, in_group.turn()
    )
    number = kept["memory_id"]
    await memory.call(
        "update_long_term_memory", {"memory_id": number, "memory_content": "We meet on Fridays"}, in_group.turn()
    )
    await in_group.bot.settle()
    assert [(one.address.user or one.address.chat, one.text) for one in wire.sent] == [
        (str(GROUP), f"✎ Memory changed\nID:{number} We meet on Fridays")
    ]


@pytest.mark.asyncio
async def test_other_platforms_are_left_alone(olena: Person, wire: InMemoryPlatform, memory: Memory) -> None:
    turn = Turn(platform="discord", space="1", chat="1", user=1, message="1", direct=True)
    await memory.observe("maybe location=Lviv", turn)
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.call("remember_fact", fact | {"fact_value": "Lviv"}, turn)
    await memory.call("update_fact", fact | {"new_value": "Kyiv", "change_reason": "update"}, turn)
    await olena.bot.settle()
    assert wire.sent == []


# Consent


@pytest_asyncio.fixture
async def asking(clock: Clock) -> AsyncIterator[Memory]:
    """A memory in which others may change what is remembered about somebody only when that person agrees."""
    settings = Settings(background=False, others_may_change="ask")
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        for user, name in ((1, "Olena"), (2, "Taras “”* <b>")):
            await memory.report_member("telegram", str(GROUP), Member(user=str(user), number=user, name=name))
        yield memory


@dataclass
class Asking:
    """Olena (1), of whom Taras (2) may change something only when she agrees; both are in the group."""

    olena: Person
    here: Person
    taras: Person
    memory: Memory

    async def ask(self, value: str = "go") -> None:
        """Taras' model wants another hobby for Olena."""
        fact = {"user_id": 1, "fact_type": "preference", "fact_key": "sport", "confidence": 0.9}
        told = await self.memory.call(
            "update_fact", fact | {"new_value": value, "change_reason": "update"}, self.turn()
        )
        assert told.status == "awaiting_consent"
        await self.olena.bot.settle()

    def turn(self) -> Turn:
        return self.taras.turn()


@pytest_asyncio.fixture
async def asked_for(asking: Memory, wire: InMemoryPlatform, clock: Clock) -> AsyncIterator[Asking]:
    bot = Bot(asking, wire, standin_model(), clock=clock)
    olena, here, taras = (Person(bot, wire, user, chat) for user, chat in ((1, 1), (1, GROUP), (2, GROUP)))
    fact = {"user_id": 1, "fact_type": "preference", "fact_key": "sport", "fact_value": "chess", "confidence": 0.9}
    await asking.call("remember_fact", fact, here.turn())
    yield Asking(olena, here, taras, asking)
    await bot.close()


@pytest.mark.asyncio
async def test_who_is_concerned_is_asked_in_private_and_allows_it(asked_for: Asking, wire: InMemoryPlatform) -> None:
    before = len(wire.sent)
    await asked_for.ask("go\n“*”")
    [question] = wire.sent[before:]
    assert question.address == Address(user="1")
    assert question.text == (
        '“Taras ""* <b>” wants to change what I remember about you:\n\n'
        '• “Your sport is chess” → “Your sport is go "*"”\n\nAllow this?'
    )
    assert [one.text for one in question.buttons] == ["✓ Allow", "✗ Refuse", "🔕 Don't let them ask again"]
    assert all(len(one.data.encode()) <= 64 for one in question.buttons)
    question, allow = replace(question), question.data("✓")
    await asked_for.olena.press_data(allow, before)
    assert wire.sent[before].text == f"{question.text}\n\n✓ Allowed; the change was made."
    assert wire.sent[before].buttons == []
    await asked_for.olena.press_data(allow, before)
    assert wire.sent[before].text == f"{question.text}\n\n✓ Allowed; the change was made."
    assert wire.told[-1] == ("Already handled.", True)
    assert await asked_for.here.known() == ["sport: go\n“*”"]
    assert all(one.address.user == "1" for one in wire.sent)


@pytest.mark.asyncio
async def test_a_refusal_changes_nothing(asked_for: Asking, wire: InMemoryPlatform) -> None:
    await asked_for.olena.write("hello")
    await asked_for.ask()
    place = len(wire.sent) - 1
    await asked_for.olena.press(wire.last, "✗")
    assert wire.sent[place].text.endswith("✗ Refused; nothing was changed.")
    assert wire.sent[place].buttons == []
    assert await asked_for.here.known() == ["sport: chess"]
    assert await asked_for.memory.consents(asked_for.olena.turn()) == []


@pytest.mark.asyncio
async def test_nobody_else_can_answer_for_them(asked_for: Asking, wire: InMemoryPlatform) -> None:
    await asked_for.olena.write("hello")
    await asked_for.ask()
    question, place = wire.last, len(wire.sent) - 1
    await asked_for.taras.press(question, "✓")
    assert wire.told[-1] == ("This button is not for you.", True)
    made_up = question.data("✓").replace("zg:allow:1:", "zg:allow:2:")
    await asked_for.taras.press_data(made_up, place)
    assert "This question is closed" in wire.told[-1][0]
    assert await asked_for.here.known() == ["sport: chess"]
    assert len(await asked_for.memory.consents(asked_for.olena.turn())) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["answered", "expired"])
async def test_a_question_that_is_closed_says_so_and_loses_its_buttons(
    asked_for: Asking, wire: InMemoryPlatform, clock: Clock, how: str
) -> None:
    await asked_for.olena.write("hello")
    await asked_for.ask()
    question, place = wire.last, len(wire.sent) - 1
    [asked] = await asked_for.memory.consents(asked_for.olena.turn())
    if how == "expired":
        clock.now += timedelta(hours=73)
    else:  # as at the command line or in the dashboard
        await asked_for.memory.answer_consent(asked.id, False, asked_for.olena.turn())
    await asked_for.olena.press(question, "✓")
    assert wire.sent[place].text.endswith("it was already answered or has expired.")
    assert wire.sent[place].buttons == []
    assert await asked_for.here.known() == ["sport: chess"]


@pytest.mark.asyncio
async def test_what_changed_since_it_was_shown_is_shown_again(asked_for: Asking, wire: InMemoryPlatform) -> None:
    await asked_for.ask()
    place = len(wire.sent) - 1
    fact = {"user_id": 1, "fact_type": "preference", "fact_key": "sport", "confidence": 0.9}
    await asked_for.memory.call(
        "update_fact", fact | {"new_value": "tennis", "change_reason": "update"}, asked_for.here.turn()
    )
    await asked_for.olena.press(wire.sent[place], "✓")
    assert wire.told[-1] == ("Something has changed in the meantime: please look again.", True)
    assert "“Your sport is tennis” → “Your sport is go”" in wire.sent[place].text
    assert await asked_for.here.known() == ["sport: tennis"]
    await asked_for.olena.press(wire.sent[place], "✓")
    assert await asked_for.here.known() == ["sport: go"]


@pytest.mark.asyncio
async def test_hours_later_a_plain_yes_answers_only_as_a_reply_to_what_asked(
    asked_for: Asking, wire: InMemoryPlatform, clock: Clock
) -> None:
    await asked_for.ask()
    question = tuple(one.data for one in wire.last.buttons)
    clock.now += timedelta(hours=20)
    for other in ((), ("zg:delete:1:1", "zg:keep:1:1"), tuple(f"{data}0" for data in question)):
        await asked_for.olena.write("yes", answers=other)
        assert await asked_for.here.known() == ["sport: chess"]
    await asked_for.olena.write("yes", answers=question)
    assert await asked_for.here.known() == ["sport: go"]


@pytest.mark.asyncio
async def test_a_reply_to_the_question_about_uncertain_memories_answers_it(
    in_group: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await in_group.write("maybe location=Lviv")
    question = tuple(one.data for one in wire.last.buttons)
    clock.now += timedelta(hours=3)
    await in_group.write("yes", answers=question)
    assert await in_group.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_a_yes_to_what_somebody_else_was_asked_is_not_theirs_to_say(
    in_group: Person, taras: Person, wire: InMemoryPlatform
) -> None:
    await in_group.write("city=Kyiv")
    await in_group.write("forget Kyiv", to_bot=True)
    question = wire.last
    assert "Kyiv" in question.text
    for answers in ((), tuple(button.data for button in question.buttons)):
        await taras.write("yes", to_bot=True, answers=answers)
        assert wire.last.text == "That question was not for you: only the person I asked can answer it."
    await taras.write("yes")
    assert wire.sent[-1] is wire.last
    assert await in_group.known() == ["city: Kyiv"]
    await in_group.write("yes")
    assert await in_group.known() == []


@pytest.mark.asyncio
async def test_a_reply_to_the_question_whether_to_delete_answers_it(
    olena: Person, wire: InMemoryPlatform, clock: Clock
) -> None:
    await olena.command("remember", "I like tea")
    await olena.command("forget", "1")
    question = tuple(one.data for one in wire.last.buttons)
    await olena.write("what is the weather?")
    await olena.write("yes")
    assert await olena.known() == ["I like tea"]
    await olena.write("yes", answers=question)
    assert await olena.known() == []


@pytest.mark.asyncio
async def test_without_a_private_chat_the_question_waits_until_there_is_one(
    asked_for: Asking, wire: InMemoryPlatform
) -> None:
    wire.refuses.add("send")  # as Telegram does where nobody pressed Start
    await asked_for.ask()
    wire.refuses.clear()
    await asked_for.here.command("memory")
    assert [one.address.chat for one in wire.sent] == [str(GROUP)]
    assert "sport is go" not in wire.last.text
    for command in ("start", "memory"):
        await asked_for.olena.command(command)
        assert "“Your sport is chess” → “Your sport is go”" in wire.last.text
        assert wire.last.address == Address(chat="1")
    await asked_for.olena.press(wire.last, "✓")
    assert await asked_for.here.known() == ["sport: go"]


@pytest.mark.asyncio
async def test_what_was_answered_before_it_could_be_asked_is_not_asked(
    asked_for: Asking, wire: InMemoryPlatform
) -> None:
    await asked_for.olena.write("hello")
    before = len(wire.sent)
    notices: list[Any] = []
    asked_for.memory.subscribe(notices.append)
    await asked_for.ask()
    [asked] = await asked_for.memory.consents(asked_for.olena.turn())
    await asked_for.memory.answer_consent(asked.id, False, asked_for.olena.turn())
    asked_for.olena.bot._notices.put(notices[0])
    await asked_for.olena.bot.settle()
    assert len(wire.sent) == before + 1


@pytest.mark.asyncio
async def test_who_uses_telegram_in_ukrainian_is_asked_in_ukrainian(asked_for: Asking, wire: InMemoryPlatform) -> None:
    asked_for.olena.language = "uk"
    await asked_for.olena.write("привіт")
    await asked_for.ask()
    assert "хоче змінити те, що я про вас пам’ятаю" in wire.last.text
    assert [one.text for one in wire.last.buttons] == ["✓ Дозволити", "✗ Відмовити", "🔕 Більше не питати"]
    place = len(wire.sent) - 1
    await asked_for.olena.press(wire.last, "✓")
    assert wire.sent[place].text.endswith("✓ Дозволено; зміну внесено.")


@pytest.mark.asyncio
async def test_a_bot_leaves_other_platforms_questions_alone(asked_for: Asking, wire: InMemoryPlatform) -> None:
    for user in (1, 2):
        await asked_for.memory.report_member("discord", "9", Member(user=str(user), number=user))
    await asked_for.memory.record("user", "hello", Turn(platform="discord", space="1", chat="1", user=1, direct=True))
    fact = {"user_id": 1, "fact_type": "preference", "fact_key": "sport", "fact_value": "go", "confidence": 0.9}
    told = await asked_for.memory.call("remember_fact", fact, Turn(platform="discord", space="9", chat="9", user=2))
    assert told.status == "awaiting_consent"
    await asked_for.olena.bot.settle()
    assert wire.sent == []


@pytest.mark.asyncio
async def test_who_blocked_the_bot_stops_nothing(
    olena: Person, wire: InMemoryPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    wire.refuses |= {"send"}
    await olena.write("hello")
    assert "does not take a message" in caplog.text
    wire.refuses.clear()
    await olena.write("hello")
    assert wire.sent


@pytest.mark.asyncio
async def test_without_a_known_language_the_texts_decides(bot: Bot, wire: InMemoryPlatform) -> None:
    olena = Person(bot, wire, 7, 7, language=None)
    await olena.command("remember", "Я люблю чай")
    assert wire.last.text.startswith("✓ Запам’ятано")
    await olena.command("remember", "I like tea")
    assert wire.last.text.startswith("✓ Remembered")


@pytest.mark.asyncio
async def test_a_line_goes_on_after_a_job_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    lines, done = Queues(), []

    async def fail() -> None:
        raise ValueError("no")

    async def work() -> None:
        done.append(1)

    for job in (fail, work):
        lines.put("a", job)
    await lines.settle()
    assert done == [1]
    assert "failed" in caplog.text
    await lines.close(0)


@pytest.mark.asyncio
async def test_closing_stops_what_takes_too_long() -> None:
    lines = Queues()
    lines.put("a", asyncio.Event().wait)
    await asyncio.sleep(0)
    await lines.close(0.01)
    assert not lines.busy


def test_recently_used_keys_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "_REMEMBERED", 2)
    recent: delivery.Recent[int] = delivery.Recent()
    for key in ("a", "b", "a", "c"):
        recent[key] = 1
    assert list(recent) == ["a", "c"]


# What was remembered of a message


async def undo(olena: Person) -> None:
    await olena.bot._memory.undo(1, olena.turn())


async def want_no_memory(olena: Person) -> None:
    await olena.bot._memory.set_privacy(PrivacyLevel.FULL, olena.turn())


async def be_erased(olena: Person) -> None:
    await olena.bot._memory.erase(olena.turn())


async def delete_the_message(olena: Person) -> None:
    await olena.bot._memory.unrecord(olena.turn(message="m1"))


@pytest.mark.asyncio
@pytest.mark.parametrize("act", [None, undo, want_no_memory, be_erased, delete_the_message])
@pytest.mark.parametrize("doubt", ["", "maybe "])
async def test_nothing_is_told_or_asked_of_what_was_taken_back_before_it_could_be(
    olena: Person, wire: InMemoryPlatform, act: Any, doubt: str
) -> None:
    turn, earlier = olena.turn(message="m1"), asyncio.Event()
    olena.bot._delivery.put(Address.of(turn), earlier.wait)
    text = f"{doubt}location=Kyiv"
    await olena.bot.take(Message(turn=turn, text=text, own_text=text, language="en", to_bot=False))
    await asyncio.wait(olena.bot._observing)
    await (olena.bot._memory.look(lambda tx: tx.now) if act is None else act(olena))
    earlier.set()
    await olena.bot.settle()
    is_told = any("You live in Kyiv" in sent.text or "Do you live" in sent.text for sent in wire.sent)
    assert is_told == (act is None or (doubt != "" and act is undo))


@pytest.mark.asyncio
async def test_what_looks_like_a_command_in_what_was_remembered_is_no_link(
    olena: Person, wire: InMemoryPlatform
) -> None:
    await olena.write("note=/erase and https://a.example/b")
    assert "/\u2060erase and https://a.example/b" in wire.last.text
    assert "/undo_1" in wire.last.text


@pytest.mark.asyncio
async def test_a_reply_to_a_message_shows_and_takes_back_what_was_remembered_of_it(
    in_group: Person, taras: Person, wire: InMemoryPlatform
) -> None:
    await in_group.write("hobby=chess")
    turn = in_group.turn()
    await in_group.write("pet=cat, location=Lviv", turn=turn)
    assert wire.reactions[1:] == [(str(in_group.chat), turn.message)]
    for command in ("why", "undo", "forget"):
        await taras.command(command, about=turn)
        assert wire.last.text == "I remembered nothing from that message, or it is not yours."
    await in_group.command("why", about=turn)
    assert "You have a cat" in wire.last.text
    assert "You live in Lviv" in wire.last.text
    await in_group.command("forget", about=turn)
    assert {"You have a cat", "You live in Lviv"} <= {line.partition(" ")[2] for line in wire.last.text.splitlines()}
    await in_group.command("undo", about=turn)
    assert await in_group.known() == ["hobby: chess"]


@pytest.mark.asyncio
@pytest.mark.parametrize("reply", ["what said it", "the order by words", "the order by its id", "the confirmation"])
async def test_a_reply_takes_back_what_was_deleted(
    in_group: Person, taras: Person, wire: InMemoryPlatform, reply: str
) -> None:
    said, ordered = in_group.turn(), in_group.turn()
    await in_group.write("location=Lviv", turn=said)
    if reply == "the order by words":
        await in_group.write("forget that my location is Lviv", turn=ordered)
    await in_group.write("pet=cat")
    for _ in range(2):
        await in_group.command("forget", "1")
    assert wire.last.text == "🗑 Deleted: You live in Lviv\nTake it back within 24 hours: /undo_1"
    about = {
        "what said it": {"about": said},
        "the order by words": {"about": ordered},
        "the order by its id": {"about": in_group.turn(), "replied_text": "/forget 1"},
        "the confirmation": {"replied_to": "9", "replied_text": wire.last.text},
    }[reply]
    await taras.command("undo", **about)
    assert "Lviv" not in wire.last.text
    assert await in_group.known() == ["pet: cat"]
    await in_group.command("undo", **about)
    assert wire.last.text == "↩ Undone. I remember: You live in Lviv (ID:1)"
    assert await in_group.known() == ["location: Lviv", "pet: cat"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("edited", "known"),
    [
        ("location=Kyiv, pet=cat", ["hobby: chess", "location: Lviv", "pet: cat"]),
        ("pet=cat", ["hobby: chess", "location: Lviv", "pet: cat"]),
        ("location=Kyiv, hobby=chess, pet=cat", ["hobby: chess", "location: Lviv", "pet: cat"]),
        ("hello", ["hobby: chess", "location: Lviv"]),
    ],
)
async def test_undo_in_reply_to_an_edited_message_brings_back_what_it_said_before(
    in_group: Person, clock: Clock, edited: str, known: list[str]
) -> None:
    turn = in_group.turn(time=clock.now)
    await in_group.write("location=Lviv, hobby=chess", turn=turn)
    clock.now += timedelta(seconds=5)
    await in_group.write(edited, turn=replace(turn, turn="edit"), edited=True)
    await in_group.command("undo", about=turn)
    assert await in_group.known() == known


@pytest.mark.asyncio
async def test_a_reply_to_an_order_that_was_not_confirmed_takes_nothing_back(
    olena: Person, wire: InMemoryPlatform
) -> None:
    await olena.write("location=Lviv")
    await olena.command("forget", "1")
    await olena.command("undo", about=olena.turn(), replied_text="/forget 1")
    assert wire.last.text == "I remembered nothing from that message, or it is not yours."
    assert await olena.known() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_a_group_without_reactions_stops_nothing(in_group: Person, wire: InMemoryPlatform) -> None:
    wire.refuses.add("react")
    await in_group.write("pet=cat")
    await in_group.command("memory")
    assert "You have a cat" in wire.last.text


@pytest.mark.asyncio
async def test_who_uses_telegram_in_ukrainian_is_told_in_ukrainian(bot: Bot, wire: InMemoryPlatform) -> None:
    olena = Person(bot, wire, 1, 1, "uk")
    await olena.write("location=Львів")
    assert wire.last.text == "✓ Запам’ятано: Ви живете у Львові. Не так? /undo_1"


@pytest.mark.asyncio
async def test_a_question_about_a_message_that_was_edited_since_saves_nothing(
    in_group: Person, wire: InMemoryPlatform
) -> None:
    turn = in_group.turn()
    await in_group.write("maybe pet=cat", turn=turn)
    question, place = wire.last, wire.sent.index(wire.last)
    await in_group.write("maybe pet=dog", turn=replace(turn, turn="update:later"), edited=True)
    assert "Do you have a dog?" in wire.last.text
    await in_group.press(question, "✓")
    assert wire.told[-1] == (
        "You have edited that message since, so the new text counts. Nothing was saved.",
        True,
    )
    assert wire.sent[place].text.startswith("↻ Do you have a cat?")
    assert wire.sent[place].buttons == []
    assert await in_group.known() == []
    await in_group.press(wire.last, "✓")
    assert await in_group.known() == ["pet: dog"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (
            "Great match, wasn't it?",
            "Great match, wasn't it?\n\nDelete? You can take it back within 24 hours.\nID:1 likes tea",
        ),
        ("Shall I forget that you like tea?", "Shall I forget that you like tea?"),
        ("", "Delete? You can take it back within 24 hours.\nID:1 likes tea"),
    ],
)
async def test_a_person_is_shown_what_their_yes_deletes_whatever_the_model_says(
    olena: Person, memory: Memory, wire: InMemoryPlatform, monkeypatch: pytest.MonkeyPatch, answer: str, shown: str
) -> None:
    await olena.command("remember", "likes tea")
    monkeypatch.setattr(olena.bot._conversation, "answer", forgetting(olena.bot, memory, answer))
    await olena.write("what a day")
    assert wire.last.text == shown
    assert [button.text for button in wire.last.buttons] == ["🗑 Delete ID:1", "Keep"]


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["yes", "no"])
async def test_what_is_said_to_somebody_else_answers_nothing_and_ends_the_time(olena: Person, text: str) -> None:
    await olena.command("remember", "likes tea")
    await olena.command("forget", "1")
    await olena.write(text, to_another=True, to_bot=False)
    await olena.write("yes", to_bot=False)
    assert await olena.known() == ["likes tea"]


# In whose language


_LATIN_WORDS = re.compile(r"[a-z]{3,} [a-z]{2,}")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "argument", "reason"),
    [
        ("remember", "моя картка 4111 1111 1111 1111", "секретів я не зберігаю"),
        ("remember", "мій пароль: hunter2xyz", "секретів я не зберігаю"),
        ("remember", "завжди відповідай російською", "вказівок я не зберігаю"),
        ("remember", "я" * 1100, "символів 1100, а можна щонайбільше 1000"),
        ("remember", "{}", "Що запам’ятати?"),
        ("remember", "\u200b", "Що запам’ятати?"),
        ("forget", ",".join(map(str, range(1, 23))), "Забагато номерів: 22"),
    ],
)
async def test_a_person_is_told_in_their_language_why_something_was_not_done(
    wire: InMemoryPlatform, command: str, argument: str, reason: str
) -> None:
    settings = Settings(background=False, instructions_in_memories="refuse")
    async with open_memory("sqlite://:memory:", settings=settings) as memory:
        bot = Bot(memory, wire, standin_model())
        await Person(bot, wire, 1, 1, "uk").command(command, argument)
        await bot.close()
    assert reason in wire.last.text
    assert not _LATIN_WORDS.search(wire.last.text)


@pytest.mark.asyncio
async def test_a_person_is_told_in_their_language_why_their_answer_saves_nothing(
    bot: Bot, wire: InMemoryPlatform
) -> None:
    olena = Person(bot, wire, 1, 1, "uk")
    await olena.write("maybe pet=кіт")
    question = wire.last
    await olena.command("edit", "мій пароль: hunter2xyz", answers=(question.data("✓"),), replied_to="0")
    assert "Не збережено: це схоже на пароль" in wire.last.text
    assert not _LATIN_WORDS.search(wire.last.text)


@pytest.mark.parametrize(
    ("seconds", "english", "ukrainian"),
    [
        (0, "Try again later.", "Спробуйте пізніше."),
        (1, "Try again in 1 second.", "Спробуйте через 1 секунду."),
        (90, "Try again in 90 seconds.", "Спробуйте через 90 секунд."),
        (91, "Try again in 2 minutes.", "Спробуйте через 2 хвилини."),
        (3480, "Try again in 58 minutes.", "Спробуйте через 58 хвилин."),
    ],
)
def test_a_long_wait_is_told_in_minutes(seconds: int, english: str, ukrainian: str) -> None:
    result = {"retry_after_seconds": seconds}
    assert rate_limited(result, "en").endswith(english)
    assert rate_limited(result, "uk").endswith(ukrainian)
