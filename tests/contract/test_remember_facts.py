"""Several facts in one call: each is answered by itself."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.asyncio


def a_fact(key: str, value: str, **more: object) -> dict[str, object]:
    fact: dict[str, object] = {"user_id": 123, "fact_type": "personal", "fact_key": key, "fact_value": value}
    return fact | {"confidence": 0.9} | more


@pytest.mark.partitioned
async def test_six_facts_told_at_once_need_one_call_and_each_has_its_own_status(person):
    await person.fact("location", "Kyiv")
    result = await person.call(
        "remember_facts",
        facts=[
            a_fact("hobby", "chess", source_excerpt="I play chess"),
            a_fact("location", "Київ"),
            a_fact("location", "Lviv"),
            a_fact("pet", " "),
            a_fact("password", "password: hunter2-Xy77!"),
            a_fact("job", "nurse", user_id=999),
        ],
    )
    statuses = [answer["status"] for answer in result["results"]]
    assert (result.status, result["count"]) == ("success", 6)
    assert statuses == ["success", "skipped", "conflict", "invalid_args", "refused", "invalid_target"]
    assert {(fact["key"], fact["value"]) for fact in await person.facts()} == {("hobby", "chess"), ("location", "Kyiv")}


async def test_what_is_wrong_with_the_form_of_one_is_said_of_it_and_keeps_no_other_out(person):
    wrong = [
        {"user_id": 123, "fact_key": "pet"},
        a_fact("hobby", "go", mood="good"),
        a_fact("hobby", "go", confidence=7),
    ]
    result = await person.call("remember_facts", facts=[*wrong, a_fact("hobby", "chess")])
    assert [answer["status"] for answer in result["results"]] == ["invalid_args"] * 3 + ["success"]
    assert "missing argument 'fact_type'" in result["results"][0]["message"]
    for nothing in ([], ["chess"], [a_fact("hobby", str(number)) for number in range(21)]):
        assert (await person.call("remember_facts", facts=nothing)).status == "invalid_args"
    assert [fact["value"] for fact in await person.facts()] == ["chess"]


async def test_each_of_several_facts_about_another_asks_them_by_itself(make_person, open_store):
    person = make_person(await open_store(others_may_change="ask"))
    await person.at(user=124).speaks()
    result = await person.call("remember_facts", facts=[a_fact("job", "nurse", user_id=124), a_fact("job", "cook")])
    assert [answer["status"] for answer in result["results"]] == ["awaiting_consent", "success"]
