"""How often tools may be called, over every back end."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter

import pytest

from zgadka import InvalidInput, Member
from zgadka.ops.limits import count_call, count_calls

pytestmark = pytest.mark.asyncio


async def test_an_answer_has_five_calls_and_the_sixth_is_told_to_answer(person):
    turn = person.turn()
    for number in range(5):
        assert (await person.call("remember", turn=turn, content=f"note {number}")).status == "success"
    result = await person.call("remember", turn=turn, content="note 5")
    assert (result.status, result["limit"], result["retry_after_seconds"]) == ("rate_limited", 5, 0)
    assert len(await person.found("note")) == 5
    assert (await person.call("remember", content="note 5")).status == "success"


async def test_reading_counts_as_well(person):
    turn = person.turn()
    statuses = [(await person.call("recall", turn=turn, query="chess")).status for _ in range(6)]
    assert statuses == ["success"] * 5 + ["rate_limited"]
    assert (await person.call("remember", turn=turn, content="chess")).status == "rate_limited"


async def test_the_sixth_call_of_an_answer_deletes_nothing(person):
    memory_id = await person.note("chess")
    await person.call("forget", memory_id=memory_id)
    turn = person.turn()
    for _ in range(5):
        await person.call("recall", turn=turn, query="chess")
    assert (await person.call("forget", turn=turn, memory_id=memory_id)).status == "rate_limited"
    assert await person.found("chess") == ["chess"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"user": 124}, {"chat": "457"}, {"space": "457"}, {"platform": "discord"}])
async def test_the_same_turn_id_elsewhere_is_another_answer(person, place):
    for _ in range(5):
        await person.call("recall", turn=person.turn(turn="1"), query="chess")
    there = person.at(**place)
    assert (await there.call("recall", turn=there.turn(turn="1"), query="chess")).status == "success"


async def test_ids_that_join_to_the_same_text_are_apart(make_person, open_store):
    person = make_person(await open_store(calls_per_answer=1))
    places = [("a", "b:c", "d"), ("a:b", "c", "d"), ("a", "b", "c:d"), ("a:1:b", "c", "d"), ("1:a", "b", "c:d")]
    for space, chat, turn in places:
        there = person.at(space=space, chat=chat)
        assert (await there.call("recall", turn=there.turn(turn=turn), query="x")).status == "success"


async def test_a_turn_without_an_id_has_no_limit_of_its_own(person):
    turn = person.turn(turn=None)
    for _ in range(8):
        assert (await person.call("recall", turn=turn, query="chess")).status == "success"


async def test_a_malformed_call_is_answered_and_changes_nothing(person):
    turn = person.turn()
    for _ in range(3):
        assert (await person.call("recall", turn=turn)).status == "invalid_args"


async def test_at_most_five_of_many_calls_at_once_are_let_through(person):
    turn = person.turn()
    calls = [
        person.call(*call, turn=turn, **arguments)
        for call, arguments in [(("recall",), {"query": "x"}), (("remember",), {"content": "x"})] * 10
    ]
    statuses = Counter(result.status for result in await asyncio.gather(*calls))
    assert statuses["rate_limited"] == 15


async def test_over_the_hourly_limit_the_answer_says_how_long_to_wait(make_person, open_store, clock):
    person = make_person(await open_store(calls_per_hour=3))
    for _ in range(3):
        assert (await person.call("recall", query="chess")).status == "success"
        clock.forward(minutes=10)
    result = await person.call("recall", query="chess")
    assert (result.status, result["limit"], result["retry_after_seconds"]) == ("rate_limited", 3, 1800)
    assert "1800 s" in result.message
    clock.forward(seconds=1799)
    assert (await person.call("recall", query="chess"))["retry_after_seconds"] == 1
    clock.forward(seconds=1)
    assert (await person.call("recall", query="chess")).status == "success"


async def test_the_hourly_limit_is_one_for_all_chats_of_a_person_and_nobody_elses(make_person, open_store):
    person = make_person(await open_store(calls_per_hour=2))
    await person.call("recall", query="chess")
    await person.at(space="a", chat="b", persona=5).call("recall", query="chess")
    assert (await person.at(direct=True).call("recall", query="chess")).status == "rate_limited"
    assert (await person.at(user=124).call("recall", query="chess")).status == "success"
    assert (await person.at(platform="discord").call("recall", query="chess")).status == "success"


@pytest.mark.partitioned
async def test_a_space_has_a_limit_of_its_own_and_a_direct_chat_none(make_person, open_store, clock):
    person = make_person(await open_store(calls_per_space_hour=3, calls_per_hour=0))
    statuses = [(await person.at(user=user).call("recall", query="x")).status for user in (1, 2, 1, 2)]
    assert statuses == ["success"] * 3 + ["rate_limited"]
    result = await person.at(user=3).call("remember", content="x")
    assert (result.status, result["limit"], result["retry_after_seconds"]) == ("rate_limited", 3, 3600)
    for elsewhere in ({"space": "9", "chat": "9"}, {"direct": True}, {"platform": "discord"}):
        assert (await person.at(**elsewhere).call("recall", query="x")).status == "success"
    clock.forward(hours=1)
    assert (await person.call("recall", query="x")).status == "success"


@pytest.mark.partitioned
async def test_a_space_s_limit_is_exact_for_many_people_at_once(make_person, open_store):
    person = make_person(await open_store(calls_per_space_hour=30))
    calls = [person.at(user=user).call("recall", query="x") for user in range(20) for _ in range(3)]
    statuses = Counter(result.status for result in await asyncio.gather(*calls))
    assert statuses == {"success": 30, "rate_limited": 30}


async def test_calls_of_one_answer_are_made_in_order(make_person, open_store):
    person = make_person(await open_store())
    fact = {"user_id": 123, "fact_type": "personal", "confidence": 0.9}
    first, second, third, fourth = await person.memory.call_all(
        [
            ("remember_fact", fact | {"fact_key": "location", "fact_value": "Kyiv"}),
            ("update_fact", fact | {"fact_key": "location", "new_value": "Lviv", "change_reason": "update"}),
            ("remember_fact", fact | {"fact_key": "hobby", "fact_value": ""}),
            ("remember", {"content": "plays chess"}),
        ],
        person.turn(),
    )
    assert [one.status for one in (first, second, third, fourth)] == ["success", "success", "invalid_args", "success"]
    assert await person.found("Lviv Kyiv chess") == ["plays chess", "location: Lviv", "location: Kyiv"]


async def test_zero_is_no_limit(make_person, open_store):
    memory = await open_store(calls_per_answer=0, calls_per_hour=0)
    person = make_person(memory)
    turn = person.turn()
    for number in range(12):
        assert (await person.call("recall", turn=turn, query="chess")).status == "success"
        assert (await person.call("remember", turn=turn, content=f"note {number}")).status == "success"


async def test_a_refused_call_leaves_no_note(make_person, open_store):
    person = make_person(await open_store(calls_per_hour=1))
    await person.note("one")
    assert (await person.call("remember", content="two")).status == "rate_limited"
    assert await person.memory.look(lambda tx: tx.maintenance.counts()["notes"]) == 1


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["recall", "remember"])
async def test_the_hourly_limit_is_exact_over_two_stores_at_once(lasting_url, opening, make_person, tool):
    stores = [make_person(await opening(lasting_url, calls_per_hour=20)) for _ in range(2)]
    argument = {"recall": "query", "remember": "content"}[tool]
    calls = [stores[number % 2].call(tool, **{argument: f"text {number}"}) for number in range(50)]
    statuses = Counter(result.status for result in await asyncio.gather(*calls))
    assert statuses == {"success": 20, "rate_limited": 30}


async def test_the_count_survives_a_restart(lasting_url, opening, make_person):
    first = await opening(lasting_url, calls_per_hour=2)
    for _ in range(2):
        await make_person(first).call("recall", query="chess")
    await first.close()
    again = make_person(await opening(lasting_url, calls_per_hour=2))
    assert (await again.call("recall", query="chess")).status == "rate_limited"


async def test_old_counts_are_swept_away(opening, make_person, tmp_path, clock):
    file = tmp_path / "rates.db"
    person = make_person(await opening(f"sqlite:///{file}"))
    await person.call("recall", query="chess")
    clock.forward(days=2)
    await person.memory.tidy()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM rate").fetchone() == (0,)


@pytest.mark.every_case
@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
async def test_a_name_that_no_database_can_store_is_nobodys(person, memory, name):
    """Buttons and paths of requests carry any characters; a database must not be asked for these."""
    await person.speaks()
    assert await memory.mute(name, person.turn(direct=True)) is False
    assert (await memory.answer_question(name, person.turn(), save=True)).status == "not_yours"
    with pytest.raises(InvalidInput, match="the id of a person cannot be stored"):
        await memory.report_member("telegram", "456", Member(user=name, number=7))


@pytest.mark.partitioned
async def test_who_changes_what_is_remembered_about_others_may_do_so_so_often_an_hour(make_person, open_store, clock):
    anna = make_person(await open_store(changes_of_others_per_hour=3, memory_tool_async=False))
    bob = anna.at(user=124)
    for user, name in ((123, "Anna"), (124, "Bob"), (125, "Eve")):
        await anna.at(user=user).speaks()
        await anna.memory.report_member("telegram", "456", Member(user=str(user), number=user, name=name))
    fact = {"fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    facts = [fact | {"user_id": user, "fact_value": "tea"} for user in (123, 124, 125)]
    assert (await anna.call("remember_facts", facts=facts))["results"][2]["status"] == "success"
    note, done = {"memory_content": "plays chess", "scope": "target_user"}, "memory_created_successfully"
    assert (await anna.call("create_long_term_memory", target_user="Eve", **note)).status == done
    clock.forward(minutes=10)
    for tool, args in (
        ("remember_fact", facts[1] | {"fact_value": "cake"}),
        ("create_long_term_memory", note | {"memory_content": "plays go", "target_user": "<@124>"}),
        ("clear_profile", {"user_id": 124, "reason": "x"}),
        ("remember_relationship", {"user_id": 123, "related_user_id": 124, "relationship": "friend"}),
    ):
        result = await anna.call(tool, **args)
        assert {"status": "rate_limited", "limit": 3, "retry_after_seconds": 3000}.items() <= dict(result).items(), tool
        assert "changes of what is remembered about others" in result.message
    # One's own goes on, also under one's own name, and others are not held back.
    assert (await anna.fact("hobby", "go")).status == "success"
    assert (await anna.call("create_long_term_memory", target_user="Anna", **note)).status == done
    assert (await anna.call("recall_facts", user_id=124)).status == "success"
    assert (await bob.call("remember_fact", **facts[2] | {"fact_value": "snow"})).status == "success"
    clock.forward(minutes=50)
    assert (await anna.call("remember_fact", **facts[1] | {"fact_value": "cake"})).status == "success"


@pytest.mark.partitioned
async def test_who_looks_at_what_is_remembered_about_others_may_do_so_so_often_an_hour(make_person, open_store):
    anna = make_person(await open_store(reads_of_others_per_hour=3, calls_per_hour=0, calls_per_answer=0))
    await anna.speaks()
    bob = await anna.at(user=124).speaks()
    for _ in range(5):
        assert (await anna.call("recall_facts", user_id=123)).status == "success"
    statuses = [(await anna.call(tool, **args)).status for tool, args in 2 * [
        ("recall", {"query": "tea", "user_id": 124}), ("recall_facts", {"user_id": 124}),
        ("recall_episodes", {"participant": 124}), ("recall_facts", {"user_id": 999})]]  # fmt: skip
    assert statuses == ["success"] * 3 + ["rate_limited"] * 5
    assert (await anna.at(direct=True).call("recall_facts", user_id=124)).status == "rate_limited"
    assert (await bob.call("recall_facts", user_id=123)).status == "success"
    assert (await anna.call("recall", query="tea")).status == "success"


@pytest.mark.partitioned
async def test_calls_that_are_counted_together_are_limited_as_if_each_had_come_alone(make_person, open_store):
    limits = {"calls_per_answer": 3, "calls_per_hour": 6, "calls_per_space_hour": 12, "changes_of_others_per_hour": 2}
    memory = await open_store(**limits)
    chance = random.Random(4)
    drawn = [(user, chance.randrange(4), chance.choice([user, 9])) for user in chance.choices([1, 2, 3], k=40)]

    def calls(platform):
        return [
            (make_person(memory, user=user, platform=platform).turn(turn=f"{answer}"), {"user_id": about})
            for user, answer, about in drawn
        ]

    alone = [await memory.apply(count_call, turn, arguments, use="changes") for turn, arguments in calls("discord")]
    shares = calls("telegram")[:15], calls("telegram")[15:]
    together = [one for share in shares for one in await memory.apply(count_calls, share, use="changes")]
    assert together == alone
    assert {None, (3, None), (6, None), (12, None), (2, "changes")} == {
        limited and (limited.limit, limited.use) for limited in alone
    }
