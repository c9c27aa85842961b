"""Which arm a chat has, and what the automated one does with what is said there; over every back end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from store_rows import space_ids

from zgadka import Member, Memory
from zgadka.errors import InvalidInput, SettingsError
from zgadka.model.inference import Inference, Inferred
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import auto_episodes, profile
from zgadka.ops.operator_queries import trail
from zgadka.worker import and_left

pytestmark = pytest.mark.asyncio

FAR = timedelta(days=365)
TALK = [
    "We should choose a venue for the wedding",
    "The garden venue has room for eighty guests",
    "My mother wants a church wedding with many guests",
    "Let us invite eighty guests to the garden",
]


async def extract(text: str) -> Inference:
    """Find `key=value`; `?` makes it uncertain."""
    found = [(bool(doubt), key, value.strip()) for doubt, key, value in re.findall(r"(\??)(\w+)=([^;\n]+)", text)]
    items = [(doubt, Inferred(type="personal", key=key, value=value, excerpt=text)) for doubt, key, value in found]
    return Inference(
        certain=tuple(item for doubt, item in items if not doubt),
        uncertain=tuple(item for doubt, item in items if doubt),
    )


async def opened(
    opening: Callable[..., Any], url: str, extractor: Callable[[str], Any] = extract, **more: Any
) -> Memory:
    """A memory of this URL that does nothing by itself, with an extractor of the test's own."""
    memory = await opening(url, **{"background": False, "episode_least_messages": 4} | more)
    return Memory(memory._store, memory.settings, extractor=extractor)


async def episodes(person: Any) -> list[dict[str, Any]]:
    return (await person.call("recall_episodes", limit=50))["episodes"]


async def talk(memory: Memory, clock: Any, *people: Any, texts: list[str] = TALK) -> None:
    for number, text in enumerate(texts):
        clock.forward(seconds=20)
        await memory.record("user", text, people[number % len(people)].turn())


# Which arm


async def decision(memory: Memory, person: Any) -> tuple[str, str]:
    found = await memory.arm(person.turn())
    return found.arm, found.reason


async def test_the_setting_decides(opening, url, make_person):
    expected = {"all": ("tools", "all"), "off": ("automated", "off"), "percent:0": ("automated", "percent"),
                "percent:100": ("tools", "percent")}  # fmt: skip
    for policy, wanted in expected.items():
        memory = await opened(opening, url, rollout=policy)
        assert await decision(memory, make_person(memory)) == wanted


async def test_a_setting_that_cannot_be_meant_opens_no_memory(opening, url):
    with pytest.raises(SettingsError, match="rollout='some'"):
        await opening(url, rollout="some")
    with pytest.raises(SettingsError, match="legacy_chats has '-5'"):
        await opening(url, legacy_chats="-5")


async def test_chats_seen_before_the_rollout_began_are_old_for_ever(lasting_url, opening, make_person, clock):
    before = await opened(opening, lasting_url, rollout="off")
    await make_person(before).speaks()
    clock.forward(hours=1)
    during = await opened(opening, lasting_url, rollout="new_chats")
    old, new = make_person(during), make_person(during, space="7", chat="7")
    await old.speaks()
    assert (await during.rollout()).began_at is None, "no new chat came yet"
    assert await decision(during, new) == ("tools", "new"), "it is new before its first message, too"
    await new.speaks()
    assert (await during.rollout()).began_at == clock.now
    clock.forward(days=30)
    again = await opened(opening, lasting_url, rollout="new_chats")
    assert await decision(again, make_person(again)) == ("automated", "old")
    assert await decision(again, make_person(again, space="7", chat="7")) == ("tools", "new")
    meanwhile = await opened(opening, lasting_url, rollout="off")
    await make_person(meanwhile, space="8", chat="8").speaks()
    assert await decision(again, make_person(again, space="8", chat="8")) == ("tools", "new")


async def test_a_chat_with_messages_from_before_it_had_a_row_is_old(
    lasting_url, opening, make_person, elsewhere, clock
):
    """As after an upgrade."""
    memory = await opened(opening, lasting_url, rollout="new_chats")
    person = make_person(memory)
    await person.speaks()
    elsewhere(lasting_url, "DELETE FROM chat")
    elsewhere(lasting_url, "DELETE FROM rollout")
    clock.forward(hours=1)
    assert await decision(memory, person) == ("automated", "old")
    await person.speaks()
    await make_person(memory, space="7", chat="7").speaks()
    assert await decision(memory, person) == ("automated", "old")


async def test_a_new_chat_is_new_although_another_process_clock_is_ahead(lasting_url, opening, make_person, clock):
    memory = await opened(opening, lasting_url, rollout="new_chats")
    clock.forward(minutes=5)
    await make_person(memory, space="7", chat="7").speaks()
    clock.forward(minutes=-5)
    person = await make_person(memory).speaks()
    assert await decision(memory, person) == ("tools", "new")


async def test_a_chat_on_the_legacy_list_is_never_new(opening, url, make_person):
    memory = await opened(opening, url, rollout="new_chats", legacy_chats="telegram:456")
    assert await decision(memory, make_person(memory)) == ("automated", "legacy")
    assert await decision(memory, make_person(memory, platform="discord")) == ("tools", "new")


async def test_an_operators_choice_wins_and_the_one_switch_wins_over_it(lasting_url, opening, make_person):
    memory = await opened(opening, lasting_url, rollout="off")
    person = await make_person(memory).speaks()
    assert await memory.choose_arm("telegram", "456", "tools") == 1
    assert await decision(memory, person) == ("tools", "override")
    [choice] = (await memory.rollout()).choices
    assert (choice.platform, choice.chat, choice.arm) == ("telegram", "456", "tools")
    off = await opened(opening, lasting_url, enable_tool_based_memory=False)
    assert await decision(off, make_person(off)) == ("automated", "switched_off")
    await memory.choose_arm("telegram", "456", None)
    assert await decision(memory, person) == ("automated", "off")
    assert (await memory.rollout()).choices == []


@pytest.mark.partitioned
async def test_a_choice_for_a_chat_that_was_never_seen_needs_its_space(opening, url, make_person):
    memory = await opened(opening, url)
    with pytest.raises(InvalidInput, match="no chat '9' was seen on 'discord'"):
        await memory.choose_arm("discord", "9", "automated")
    assert await memory.choose_arm("discord", "9", "automated", space="guild") == 1
    guild = make_person(memory, platform="discord", space="guild", chat="9")
    assert await decision(memory, guild) == ("automated", "override")
    assert await decision(memory, guild.at(chat="10")) == ("tools", "all")


async def test_a_choice_is_for_the_chat_that_is_named_and_for_no_other_of_the_same_id(opening, url, make_person):
    memory = await opened(opening, url)
    person = await make_person(memory).speaks()
    await memory.choose_arm("telegram", "456", "automated", space="-1001")
    assert await decision(memory, person) == ("tools", "all")
    assert await decision(memory, person.at(space="-1001")) == ("automated", "override")
    await memory.choose_arm("telegram", "456", "automated", user=123)
    await memory.choose_arm("telegram", "456", None, space="-1001")
    assert await decision(memory, person.at(space="-1001")) == ("tools", "all")
    assert await decision(memory, person.at(direct=True)) == ("automated", "override")
    assert [(one.kind, one.space) for one in (await memory.rollout()).choices] == [("direct", "123")]
    assert await memory.choose_arm("telegram", "456", None) == 3, "whoever names no place means all"


@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"space": "7"}, {"user": 7}, {"space": "456"}])
async def test_what_was_never_seen_is_left_to_nothing(lasting_url, opening, make_person, elsewhere, place):
    memory = await opened(opening, lasting_url)
    await make_person(memory).speaks()
    before = elsewhere(lasting_url, "SELECT * FROM owner ORDER BY id")
    with pytest.raises(InvalidInput, match="no chat '9' was seen"):
        await memory.choose_arm("telegram", "9", None, **place)
    assert elsewhere(lasting_url, "SELECT * FROM owner ORDER BY id") == before


@pytest.mark.partitioned
async def test_a_direct_chat_is_chosen_for_by_its_person(opening, url, make_person):
    memory = await opened(opening, url)
    with pytest.raises(InvalidInput, match="either its space or, of a direct chat, its user"):
        await memory.choose_arm("telegram", "123", "automated", space="123", user=123)
    await make_person(memory).speaks()
    with pytest.raises(InvalidInput, match="'123' is a person on 'telegram'"):
        await memory.choose_arm("telegram", "123", "automated", space="123")


@pytest.mark.partitioned
async def test_a_choice_made_before_a_direct_chat_was_seen_is_erased_with_its_person(
    lasting_url, opening, make_person, elsewhere
):
    memory = await opened(opening, lasting_url)
    await memory.choose_arm("telegram", "123", "automated", user="123")
    person = make_person(memory, space="123", chat="123", direct=True)
    assert await decision(memory, person) == ("automated", "override")
    await memory.erase(person.turn())
    assert [elsewhere(lasting_url, f"SELECT * FROM {table}") for table in ("chat", "owner")] == [[], []]


async def test_a_chat_with_messages_from_before_it_was_chosen_for_is_old(
    lasting_url, opening, make_person, elsewhere, clock
):
    memory = await opened(opening, lasting_url, rollout="new_chats")
    person = await make_person(memory).speaks()
    elsewhere(lasting_url, "DELETE FROM chat")
    elsewhere(lasting_url, "DELETE FROM rollout")
    clock.forward(hours=1)
    await make_person(memory, space="7", chat="7").speaks()
    for arm in ("tools", None):
        await memory.choose_arm("telegram", "456", arm, space="456")
    assert await decision(memory, person) == ("automated", "old")


# Windows


async def test_messages_of_a_window_are_looked_at_together(opening, url, make_person, clock):
    seen: list[str] = []

    async def watches(text: str) -> Inference:
        seen.append(text)
        return await extract(text)

    memory = await opened(opening, url, watches, rollout="off", window_messages=3)
    anna, boris = make_person(memory), make_person(memory, user=7)
    for text in ("I moved", "city=Lviv"):
        assert (await memory.observe(text, anna.turn())).later
    await memory.observe("city=Odesa", boris.turn())
    assert await memory.resume() == 0, "both may go on writing"
    await memory.observe("last week", anna.turn())
    assert await memory.resume() == 3
    assert seen == ["I moved\ncity=Lviv\nlast week"]
    assert (await anna.values(), await boris.values()) == (["Lviv"], [])
    clock.forward(seconds=memory.settings.window_seconds)
    assert await memory.resume() == 1
    assert await boris.values() == ["Odesa"]
    assert await memory.resume() == 0
    assert [fact["evidence"] for fact in await anna.facts()] == [1]


async def test_the_assistants_words_are_in_no_window(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    await memory.observe("hello", person.turn())
    await memory.record("assistant", "city=Oslo", person.turn())
    clock.forward(hours=1)
    assert await memory.resume() == 1
    assert await person.facts() == []


async def test_a_window_is_no_longer_than_what_is_looked_at(opening, url, make_person):
    seen: list[str] = []

    async def watches(text: str) -> Inference:
        seen.append(text)
        return Inference()

    memory = await opened(opening, url, watches, rollout="off", window_messages=100)
    for number in range(5):
        await memory.observe(f"{number}" * 400, make_person(memory).turn())
    await memory.resume()
    assert [len(text) for text in seen] == [801, 801], "the fifth waits on"


async def test_what_is_uncertain_in_a_window_is_asked_once(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    for text in ("?drink=tea", "city=Lviv"):
        await memory.observe(text, person.turn(message=text))
    clock.forward(hours=1)
    await memory.resume()
    [question] = await memory.questions(person.turn())
    assert [item.text for _, item in question.open_items] == ["drink: tea"]
    assert (await memory.observe("?drink=tea", person.turn(message="?drink=tea"))).repeated
    clock.forward(hours=1)
    assert await memory.resume() == 0
    assert len(await memory.questions(person.turn())) == 1


async def test_a_crash_after_a_window_was_kept_does_nothing_twice(lasting_url, opening, make_person, clock):
    memory = await opened(opening, lasting_url, rollout="off", window_messages=2)
    person = make_person(memory)
    for text in ("city=Lviv", "pet=a cat"):
        await memory.observe(text, person.turn())

    async def crashes(*_: object, **__: object) -> Any:
        raise asyncio.CancelledError

    store = memory._store
    soon, store.write_soon = store.write_soon, crashes  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(asyncio.CancelledError):
        await memory.resume()
    store.write_soon = soon
    assert await person.values() == ["Lviv", "a cat"]
    await memory.observe("job=baker", person.turn())
    again = await opened(opening, lasting_url, rollout="off", window_messages=2)
    assert await again.resume() == 0, "the third message waits for another"
    assert {fact["evidence"] for fact in await person.facts()} == {1}
    clock.forward(hours=1)
    assert await again.resume() == 1
    assert await person.values() == ["Lviv", "a cat", "baker"]


async def test_an_edit_while_a_window_is_looked_at_loses_nothing(opening, url, make_person, clock):
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow(text: str) -> Inference:
        started.set()
        await go_on.wait()
        return await extract(text)

    memory = await opened(opening, url, slow, rollout="off", window_messages=2)
    person = make_person(memory)
    await memory.observe("city=Lviv", person.turn(message="m1"))
    await memory.observe("pet=a cat", person.turn(message="m2"))
    looking = asyncio.create_task(memory.resume())
    await started.wait()
    await memory.observe("city=Odesa", person.turn(message="m1"))
    go_on.set()
    await looking
    assert await person.values() == []
    clock.forward(hours=1)
    await memory.resume()
    assert await person.values() == ["Odesa", "a cat"]


@pytest.mark.partitioned
async def test_two_processes_look_at_a_window_once(lasting_url, opening, make_person, clock):
    both = [await opened(opening, lasting_url, rollout="off", window_messages=2) for _ in range(2)]
    person = make_person(both[0])
    for text in ("city=Lviv", "?drink=tea"):
        await both[0].observe(text, person.turn())
    await asyncio.gather(*(memory.resume() for memory in both))
    assert [fact["evidence"] for fact in await person.facts()] == [1]
    assert len(await both[0].questions(person.turn())) == 1
    clock.forward(hours=1)
    assert await both[0].resume() == 0


async def test_old_history_is_looked_at_at_once_and_alone(opening, url, make_person):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    for value, ask in (("Lviv", False), ("Odesa", True)):
        seen = await memory.observe(f"pet={value}", person.turn(), ask=ask, at_once=ask)
        assert (seen.later, [one.content for one in seen.stored]) == (False, [value])


# Episodes


async def test_a_silence_makes_an_episode_of_what_was_said(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    anna, boris = make_person(memory), make_person(memory, user=7)
    await talk(memory, clock, anna, boris)
    await memory.record("assistant", "Congratulations!", anna.turn())
    assert await memory.make_episodes() == 0
    clock.forward(minutes=memory.settings.episode_gap_minutes)
    assert await memory.make_episodes() == 1
    [episode] = await episodes(anna)
    assert episode["topic"] == "guests, venue, wedding"
    assert (episode["participants"], episode["message_count"]) == ([123, 7], 5)
    assert (episode["tags"], episode["importance"]) == (["automatic"], 0.5)
    assert f"“{TALK[1]}”" in episode["summary"]
    assert "Congratulations" not in episode["summary"]
    [event] = await memory.look(trail, episode["episode_id"])
    assert event.action == "created"
    clock.forward(days=1)
    assert await memory.make_episodes() == 0
    assert len(await episodes(anna)) == 1


@pytest.mark.parametrize("undone", [False, True])
async def test_what_a_person_was_quoted_with_leaves_the_trail_with_the_undo_window(
    opening, url, make_person, clock, undone
):
    memory = await opened(opening, url, rollout="off")
    anna, boris = make_person(memory), make_person(memory, user=7)
    note = await anna.note("likes tea")
    await talk(memory, clock, anna, boris)
    clock.forward(minutes=memory.settings.episode_gap_minutes)
    assert await memory.make_episodes() == 1
    [episode] = await episodes(boris)
    for _ in range(2):
        await anna.call("clear_profile", user_id=123, reason="they asked")
    clock.forward(hours=1)
    if undone:
        await memory.undo(note, anna.turn())
    else:
        await boris.call("update_episode", episode_id=episode["episode_id"], additional_summary="And more.")
    clock.forward(hours=23)
    await memory.tidy()
    states = [event.before for event in await memory.look(trail, episode["episode_id"]) if event.before is not None]
    assert len(states) == (2 if undone else 1)
    assert any(line in state.content for state in states for line in TALK[::2]) == undone


@pytest.mark.parametrize("arm", ["tools", "automated"])
async def test_an_edit_makes_no_episode_of_what_is_in_one_and_ends_no_stretch(opening, url, make_person, clock, arm):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)

    async def say(texts: list[str], first: int) -> None:
        for number, text in enumerate(texts, first):
            clock.forward(seconds=20)
            await memory.record("user", text, person.turn(message=str(number)))

    await say(TALK, 0)
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    await memory.record("user", f"{TALK[1]} now", person.turn(message="1"))
    assert await memory.look(lambda tx: tx.segments.list_due(FAR)) == []
    await say([f"{text} again" for text in TALK], 10)
    await memory.choose_arm("telegram", person.turn().chat, arm)
    await memory.record("user", f"{TALK[0]} or so", person.turn(message="10"))
    assert len(await episodes(person)) == 1
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    assert sorted(one["message_count"] for one in await episodes(person)) == [4, 4]


async def test_small_talk_and_short_talk_make_none(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    await talk(memory, clock, person, texts=["hi", "how are you?", "fine", "me too", "ok"])
    clock.forward(hours=1)
    await talk(memory, clock, person, texts=TALK[:3])
    clock.forward(hours=1)
    assert await memory.make_episodes() == 0
    assert await memory.look(lambda tx: tx.segments.list_due(FAR)) == []


async def test_what_goes_on_stays_open_and_each_message_is_in_one_episode(
    opening, url, make_person, clock, monkeypatch
):
    monkeypatch.setattr(auto_episodes, "_MOST_MESSAGES", 10)
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    for start in range(0, 24, 4):
        await talk(memory, clock, person, texts=[f"{text} number {start}" for text in TALK])
        clock.forward(minutes=15)
        await memory.make_episodes()
    clock.forward(hours=1)
    await memory.make_episodes()
    found = await memory.look(lambda tx: list(tx.memories.list_all(space_ids(tx)[0])))
    messages = [message for episode in found for message in episode.messages]
    assert [len(episode.messages) for episode in found] == [10, 10, 4]
    assert sorted(messages) == list(range(1, 25))


async def test_a_chat_with_tools_makes_no_episodes_by_itself(opening, url, make_person, clock):
    memory = await opened(opening, url)
    person = make_person(memory)
    await talk(memory, clock, person)
    clock.forward(hours=1)
    assert await memory.make_episodes() == 0
    assert await episodes(person) == []


async def test_a_stretch_ends_where_the_tools_take_over(lasting_url, opening, make_person, clock):
    memory = await opened(opening, lasting_url, rollout="off")
    person = make_person(memory)
    await talk(memory, clock, person)
    await memory.choose_arm("telegram", "456", "tools")
    await talk(memory, clock, person, texts=["And now with tools"])
    [episode] = await episodes(person)
    assert episode["message_count"] == 4
    await memory.choose_arm("telegram", "456", None)
    await talk(memory, clock, person)
    clock.forward(hours=1)
    await memory.make_episodes()
    assert sorted(one["message_count"] for one in await episodes(person)) == [4], "the same again is no second episode"


@pytest.mark.partitioned
async def test_two_processes_make_an_episode_once(lasting_url, opening, make_person, clock):
    both = [await opened(opening, lasting_url, rollout="off") for _ in range(2)]
    person = make_person(both[0])
    await talk(both[0], clock, person)
    clock.forward(hours=1)
    assert sum(await asyncio.gather(*(memory.make_episodes() for memory in both))) == 1
    assert len(await episodes(person)) == 1


async def test_who_does_not_want_to_be_remembered_is_not_quoted(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off", episode_least_messages=8)
    anna, boris = make_person(memory), make_person(memory, user=7)
    await memory.set_privacy(PrivacyLevel.PARTIAL, boris.turn())
    secret = "The wedding guests and the garden venue are a secret of zanzibar"
    await talk(memory, clock, anna, boris, texts=[line for text in TALK for line in (text, secret)])
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    [episode] = await episodes(anna)
    assert "zanzibar" not in str(episode)
    assert (episode["participants"], episode["message_count"]) == ([123], 4)


async def test_other_bots_and_bridges_are_not_quoted(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off", episode_least_messages=8)
    anna, bot = make_person(memory), make_person(memory, user=7)
    await memory.report_member("telegram", "456", Member(user="7", number=7, kind="bot"))
    lines = [line for n, text in enumerate(TALK) for line in (text, f"zanzibar wedding guests garden venue {n}")]
    await talk(memory, clock, anna, bot, texts=lines)
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    assert "zanzibar" not in str(await episodes(anna))


@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_does_not_want_to_be_remembered_any_more_is_quoted_no_more(opening, url, make_person, clock, level):
    memory = await opened(opening, url, rollout="off", episode_least_messages=8)
    anna, boris = make_person(memory), make_person(memory, user=7)
    lines = [line for n, text in enumerate(TALK) for line in (text, f"zanzibar wedding guests garden venue {n}")]
    await talk(memory, clock, anna, boris, texts=lines)
    clock.forward(hours=1)
    await memory.make_episodes()
    assert "zanzibar" in str(await episodes(anna))
    await memory.set_privacy(level, boris.turn())
    [told] = await episodes(anna)
    assert (told["participants"], "zanzibar" in str(told)) == ([123], False)
    assert told["message_count"] == len(TALK), "their messages are not kept by it either"
    assert await memory.tasks() == []
    await memory.set_privacy(level, anna.turn())
    assert await episodes(make_person(memory, user=8)) == []


async def test_an_episode_told_anew_quotes_nobody_who_was_taken_out_before(opening, url, make_person, clock):
    """Also not who is at the lowest level again: they are no part of it, and no deletion of theirs would find it."""
    memory = await opened(opening, url, rollout="off", episode_least_messages=8)
    anna, boris, clara = people = [make_person(memory, user=user) for user in (123, 7, 8)]
    lines = [line for n, text in enumerate(TALK) for line in (text, f"zanzibar garden guests {n}", f"venue guests {n}")]
    await talk(memory, clock, *people, texts=lines)
    clock.forward(hours=1)
    await memory.make_episodes()
    for level in (PrivacyLevel.PARTIAL, PrivacyLevel.MINIMAL):
        await memory.set_privacy(level, boris.turn())
    await memory.erase(clara.turn())
    [told] = await episodes(anna)
    assert (told["participants"], "zanzibar" in str(told)) == ([123], False)


@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_an_episode_that_was_being_made_while_its_person_changed_their_level_is_told_anew(
    lasting_url, opening, make_person, clock, level
):
    """On PostgreSQL, whoever makes it does not see the new level, nor does whoever sets it see the episode."""
    memory = await opened(opening, lasting_url, rollout="off")
    person = make_person(memory)
    await talk(memory, clock, person)
    clock.forward(hours=1)
    _, [task] = await memory._store.write(and_left(profile.set_privacy), person.turn(), level)
    [space] = await memory.look(profile.HIDING.parts, task)
    await memory.apply(lambda tx: tx.privacy.put(task.owner, PrivacyLevel.MINIMAL))
    assert await memory.make_episodes() == 1
    await memory.apply(lambda tx: tx.privacy.put(task.owner, level))
    await memory.apply(profile.HIDING.part, task, space)
    assert await episodes(make_person(memory, user=8)) == []


@pytest.mark.partitioned
async def test_an_erased_persons_words_leave_the_episodes_that_quoted_them(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    anna, boris = make_person(memory), make_person(memory, user=7)
    lines = [line for n, text in enumerate(TALK) for line in (text, f"zanzibar wedding guests garden venue {n}")]
    await talk(memory, clock, anna, boris, texts=lines)
    clock.forward(hours=1)
    await memory.make_episodes()
    [episode] = await episodes(anna)
    assert "zanzibar" in episode["summary"]
    await memory.erase(boris.turn())
    [told] = await episodes(anna)
    assert "zanzibar" not in str(told)
    assert told["participants"] == [123]
    assert told["topic"] == "guests, venue, wedding"
    await memory.erase(anna.turn())
    assert await memory.look(lambda tx: [one for space in space_ids(tx) for one in tx.memories.list_all(space)]) == []


@pytest.mark.partitioned
async def test_an_erased_direct_chat_leaves_neither_chat_nor_stretch(lasting_url, opening, make_person, elsewhere):
    memory = await opened(opening, lasting_url, rollout="off")
    person = make_person(memory, space="123", chat="123", direct=True)
    await person.speaks()
    assert [len(elsewhere(lasting_url, f"SELECT * FROM {table}")) for table in ("chat", "stretch")] == [1, 1]
    await memory.erase(person.turn())
    assert [len(elsewhere(lasting_url, f"SELECT * FROM {table}")) for table in ("chat", "stretch")] == [0, 0]


async def test_a_secret_is_quoted_in_no_episode(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    await talk(memory, clock, person, texts=[*TALK, "The garden venue for the wedding guests: password is hunter2Xq!9"])
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    [episode] = await episodes(person)
    assert "hunter2" not in str(episode)
    assert "guests" in episode["topic"]
    clock.forward(days=30)
    await memory.tidy()
    assert [one.text for one in await memory.recent(person.turn())] == TALK  # kept by the episode; the secret is not


async def test_what_somebody_forwards_is_quoted_in_no_episode(opening, url, make_person, clock):
    memory = await opened(opening, url, rollout="off")
    person = make_person(memory)
    await talk(memory, clock, person)
    for number in range(4):
        clock.forward(seconds=20)
        said = f"zanzibar wedding guests garden venue {number}"
        await memory.observe(said, person.turn(), own_text="")
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    assert "zanzibar" not in str(await episodes(person))


@pytest.mark.every_case
@pytest.mark.parametrize("direct", [False, True])
async def test_what_was_said_before_a_profile_was_cleared_is_quoted_in_no_episode(
    opening, url, make_person, clock, direct
):
    memory = await opened(opening, url, rollout="off")
    place = {"space": "123", "chat": "123", "direct": True} if direct else {}
    person = make_person(memory, **place)
    await person.note("plays chess")
    await talk(memory, clock, person)
    statuses: list[str] = []
    for _ in range(2):
        clock.forward(seconds=1)
        statuses.append((await person.call("clear_profile", user_id=123, reason="they asked")).status)
    assert statuses == ["confirmation_required", "deleted"]
    clock.forward(hours=1)
    assert await memory.make_episodes() == 0
    assert await episodes(person) == []
