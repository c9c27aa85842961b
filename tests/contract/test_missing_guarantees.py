"""Hosts that say less than they could work all the same, and `doctor` says which guarantee they miss."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from zgadka import Memory, Turn
from zgadka.ops.missing_guarantees import missing_guarantees

pytestmark = [pytest.mark.asyncio, pytest.mark.partitioned]

PROGRAM, REQUEST = "the library and the command line", "REST, MCP, frameworks and chat"
FACT = {"user_id": 7, "fact_type": "personal", "fact_key": "city", "fact_value": "Lviv", "confidence": 0.9}


class Host:
    """A program with one person's chats, which says everything but for what the test takes away."""

    def __init__(self, memory: Memory, clock: Any, *, gives: bool = True, **place: Any) -> None:
        self.memory, self._clock, self._gives, self._numbers = memory, clock, gives, count()
        self._place = {"platform": "web", "space": "office", "chat": "general", "user": 7} | place

    def turn(self, text: str | None, **changes: Any) -> Turn:
        """The person's next message."""
        self._clock.forward(minutes=1)
        return Turn(**{"turn": f"t{next(self._numbers)}", "text": text} | self._place | changes)

    def bare_turn(self) -> Turn:
        """The same of a host that knows neither which turn it is nor what the person wrote."""
        return self.turn(None, turn=None)

    async def talks(self) -> int:
        """The person says something, which is remembered, and is answered from it; returns the fact's id."""
        said = self.turn("I live in Lviv")
        await self.memory.record("user", "I live in Lviv", said)
        result = await self.memory.call("remember_fact", FACT, said)
        assert result.status in ("success", "skipped")
        asked = self.turn("Where do I live?")
        given = [result["fact_id"]] if self._gives else []
        await self.memory.record("assistant", "You live in Lviv.", asked, given=given)
        return result["fact_id"]


async def missing(memory: Memory) -> dict[str, str]:
    """By platform or door, what `doctor` says of it."""
    await memory._activity.flush()
    sentences = await memory.look(missing_guarantees)
    by_place = {place: rest for place, _, rest in (sentence.partition(": ") for sentence in sentences)}
    assert len(by_place) == len(sentences)
    return by_place


async def test_of_a_host_that_says_everything_nothing_is_missing(memory, clock):
    await Host(memory, clock).talks()
    mods = Host(memory, clock, chat="mods", audience="mods")
    await mods.talks()
    await memory.call_all([("recall", {"query": "Lviv"})], mods.turn("And again?"), is_request=True)
    assert await missing(memory) == {}


async def test_several_chats_whose_readers_nobody_names_are_told_of(memory, clock):
    await Host(memory, clock).talks()
    assert await missing(memory) == {}  # of one chat, all who are in the space read it
    await Host(memory, clock, chat="mods").talks()
    await Host(memory, clock, platform="discord").talks()
    await Host(memory, clock, platform="discord", chat="staff", audience="staff").talks()
    said = await missing(memory)
    assert list(said) == ["web"]
    assert "`audience`" in said["web"]
    assert "1 space with several chats" in said["web"]


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_host_that_reports_that_all_read_all_chats_misses_nothing(memory, clock, is_known):
    open_chats = {"general": (), "mods": ()}
    if not is_known:
        await memory.report_readers("web", "office", open_chats)
    for chat in open_chats:
        await Host(memory, clock, chat=chat).talks()
    if is_known:
        assert "web" in await missing(memory)
        await memory.report_readers("web", "office", open_chats)
    assert await missing(memory) == {}


async def test_answers_without_what_they_were_given_are_told_of(memory, clock):
    host = Host(memory, clock, gives=False)
    await memory.record("assistant", "Hello!", host.turn("Hello!"))
    assert await missing(memory) == {}  # nothing was remembered that it could have been given
    await host.talks()
    said = await missing(memory)
    assert list(said) == ["web"]
    assert said["web"].startswith("1 answer recorded without the memories that they were given (`given`)")
    await Host(memory, clock).talks()
    assert await missing(memory) == {}


@pytest.mark.parametrize(
    ("turn_id", "text", "is_request", "door", "consequence"),
    [
        ("t", None, False, PROGRAM, "any later message"),
        ("t", None, True, REQUEST, "any later message"),
        (None, "What of tea?", False, PROGRAM, "`calls_per_answer`"),
        (None, "What of tea?", True, REQUEST, "`calls_per_answer`"),
        (None, None, False, PROGRAM, "a second call confirms"),
    ],
)
async def test_calls_without_turn_id_or_text_are_told_of_for_a_week(
    memory, clock, turn_id, text, is_request, door, consequence
):
    turn = Host(memory, clock).turn(text, turn=turn_id)
    await memory.call("recall", {"query": "tea"}, turn, is_request=is_request)
    await memory.call_all([("recall", {"query": "tea"})], turn, is_request=is_request)
    said = await missing(memory)
    assert list(said) == [door]
    assert said[door].startswith("2 calls without")
    assert consequence in said[door]
    clock.now += timedelta(days=8)
    assert await missing(memory) == {}


@pytest.mark.parametrize("together", [False, True])
async def test_a_request_without_turn_id_and_text_is_told_of_once_it_asks_for_a_deletion(memory, clock, together):
    host = Host(memory, clock)
    forget = ("forget", {"memory_id": str(await host.talks())})
    bare = host.bare_turn()
    await memory.call("recall", {"query": "Lviv"}, bare, is_request=True)
    assert await missing(memory) == {}
    if together:
        await memory.call_all([forget], bare, is_request=True)
    else:
        await memory.call(*forget, bare, is_request=True)
    assert "waits for a button or a form" in (await missing(memory))[REQUEST]


async def test_who_does_it_by_hand_or_is_shown_each_question_misses_nothing(memory, clock):
    host = Host(memory, clock)
    bare = host.bare_turn()
    await memory.call("recall", {"query": "Lviv"}, bare, by_hand=True)
    await memory.call("forget", {"memory_id": "1"}, bare.of_request())
    assert await missing(memory) == {}


async def test_a_host_without_audience_is_told_in_all_chats_what_is_said_in_one(memory, clock):
    await Host(memory, clock).talks()
    elsewhere = Host(memory, clock, chat="mods").turn("Where do I live?")
    assert (await memory.call("recall", {"query": "Lviv"}, elsewhere))["count"] == 1


async def test_a_host_without_given_forgets_what_its_answers_say_in_so_many_words(memory, clock):
    host = Host(memory, clock, gives=False)
    fact_id = await host.talks()
    await memory.call("forget", {"memory_id": str(fact_id)}, host.turn(f"forget {fact_id}"))
    result = await memory.call("forget", {"memory_id": str(fact_id)}, host.turn("yes"))
    assert (result.status, result["messages_withheld"]) == ("deleted", 2)
    assert await memory.recent(host.turn("What did I say?")) == []


async def test_a_host_without_text_deletes_in_the_next_turn(memory, clock):
    host = Host(memory, clock)
    forget = {"memory_id": str(await host.talks())}
    turns = [host.turn(None, turn=name) for name in ("a", "a", "b")]
    results = [(await memory.call("forget", forget, turn)).status for turn in turns]
    assert results == ["confirmation_required", "confirmation_required", "deleted"]


async def test_a_host_without_turn_ids_deletes_by_the_next_text(memory, clock):
    host = Host(memory, clock)
    fact_id = await host.talks()
    turns = [host.turn(text, turn=None) for text in ("forget that", "forget that", "What is the weather?", "yes")]
    results = [(await memory.call("forget", {"memory_id": str(fact_id)}, turn)).status for turn in turns]
    assert results == [*["confirmation_required"] * 3, "deleted"]
