"""What a tool answers a model is no longer than the model should get, over every back end."""

from __future__ import annotations

import re
from typing import Any

import pytest

from zgadka.settings import Settings
from zgadka.text.token_estimate import weigh, whole
from zgadka.tools.answer_budget import LONGEST_TOKENS, answer_budget


def tokens(result):
    return whole(weigh(result.json()))


async def call(person, tool, budget: Any = 1500, *, text=None, **arguments):
    return await person.memory.call(tool, arguments, person.turn(text=text), budget_tokens=budget)


async def hobbies(person, count, long=""):
    return [(await person.fact("hobby", f"hobby {number} {long}"))["fact_id"] for number in range(count)]


@pytest.mark.asyncio
async def test_candidates_for_a_key_with_many_values_are_no_flood(make_person, open_store):
    person = make_person(await open_store(calls_per_answer=0))
    await hobbies(person, 200, "x" * 60)
    named = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    update = {"new_value": "chess", "change_reason": "update"}
    whole_answer = await call(person, "update_fact", None, **named, **update)
    assert len(whole_answer["candidates"]) == 200
    answer = await call(person, "update_fact", **named, **update)
    assert (answer.status, answer.message) == ("conflict", whole_answer.message)
    assert tokens(answer) <= 1500
    assert answer["total"] == 200
    assert 5 < answer["count"] == len(answer["candidates"])


@pytest.mark.partitioned
@pytest.mark.asyncio
async def test_after_goes_on_until_everything_was_told_once(person):
    ids = await hobbies(person, 30)
    past = {"user_id": 123, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9, "valid_to": "2020"}
    ids += [
        (await person.call("update_fact_with_temporal", fact_value=f"old {n}", **past))["fact_id"] for n in range(9)
    ]
    for tool, rows, row, more in (
        ("recall_facts", "facts", "fact_id", {"user_id": 123}),
        ("recall_facts_global", "facts", "fact_id", {"user_id": 123, "search_query": "hobby"}),
        ("recall", "memories", "memory_id", {"query": "hobby", "kinds": ["fact"]}),
    ):
        seen, arguments = [], dict(more)
        while True:
            answer = await call(person, tool, 700, **arguments)
            assert tokens(answer) <= 700
            assert (answer["count"], answer["total"]) == (len(answer[rows]), 39)
            seen += [entry[row] for entry in answer[rows]]
            if "after" not in answer:
                break
            arguments["after"] = answer["after"]
        assert sorted(seen) == sorted(ids)
    assert (await call(person, "recall_facts", user_id=123, after=10**6)).status == "invalid_args"


@pytest.mark.asyncio
async def test_after_goes_on_among_relations_and_episodes(person, make_person):
    for number in range(5):
        await make_person(person.memory, user=200 + number).speaks()
        await person.call("remember_relationship", user_id=123, related_user_id=200 + number, relationship="friend")
        await person.call(
            "create_episode", topic=f"topic {number}", summary="we talked of it", importance=0.5,
            emotional_valence="neutral", tags=[], message_count=1,
        )  # fmt: skip
    for tool, rows, row, more in (
        ("recall_relationships", "relationships", "memory_id", {"user_id": 123}),
        ("recall_episodes", "episodes", "episode_id", {}),
    ):
        first = await call(person, tool, limit=3, **more)
        rest = await call(person, tool, limit=3, after=first["after"], **more)
        assert "after" not in rest
        assert len({entry[row] for entry in [*first[rows], *rest[rows]]}) == first["total"]


@pytest.mark.asyncio
async def test_a_question_about_a_deletion_names_all_that_it_would_delete(person):
    ids = await hobbies(person, 20, "дуже довге захоплення " * 30)
    for text in (None, "так"):
        answer = await call(person, "forget", 300, text=text, memory_id=",".join(map(str, ids)))
        rows = answer["awaiting"] if answer.status == "confirmation_required" else answer["deleted"]
        assert [row["memory_id"] for row in rows] == ids
        assert re.findall(r"ID:(\d+)", answer.message) == [str(id_) for id_ in ids]
    assert answer.status == "deleted"


@pytest.mark.asyncio
async def test_long_texts_are_cut_before_rows_are_left_out_and_ids_stay(person):
    ids = await hobbies(person, 8, "x" * 900)
    answer = await call(person, "recall_facts", user_id=123)
    assert sorted(row["fact_id"] for row in answer["facts"]) == ids
    assert all(row["value"].endswith("…") for row in answer["facts"])
    assert all(len(row["value"]) > 900 for row in (await call(person, "recall_facts", None, user_id=123))["facts"])


@pytest.mark.asyncio
async def test_each_of_several_facts_keeps_its_status(person):
    facts = [
        {
            "user_id": 123,
            "fact_type": "personal",
            "fact_key": "hobby",
            "fact_value": f"{n} {'я' * 900}",
            "confidence": 1,
        }
        for n in range(20)
    ]
    answer = await call(person, "remember_facts", facts=facts)
    assert [row["status"] for row in answer["results"]] == ["success"] * 20
    assert all(row["fact_id"] for row in answer["results"])
    again = await call(person, "remember_facts", facts=facts)
    assert [row["status"] for row in again["results"]] == ["skipped"] * 20
    assert tokens(again) <= 1500


def test_how_much_a_model_said_it_wants_is_honoured():
    settings = Settings()
    assert answer_budget(settings, {}) == 1500
    assert answer_budget(settings, {"limit": 50}) == LONGEST_TOKENS
    assert answer_budget(Settings(answer_tokens=0), {}) is None


@pytest.mark.asyncio
async def test_in_a_time_zone_what_was_cut_goes_on_too(make_person, open_store):
    person = make_person(await open_store(time_zone="Europe/Kyiv", calls_per_answer=0))
    await hobbies(person, 30)
    answer = await call(person, "recall_facts", 700, user_id=123)
    assert answer["after"] in {fact["fact_id"] for fact in answer["facts"]}
