"""Suggestions to merge, and summaries of a profile, over every back end."""

from __future__ import annotations

import re

import pytest

from zgadka.model.privacy import PrivacyLevel
from zgadka.model.result import memory_ids

pytestmark = pytest.mark.asyncio


async def groups(person, **more):
    result = await person.call("suggest_merge", user_id=123, **more)
    assert result.status == "success", result
    return [(group["why"], [fact["value"] for fact in group["facts"]]) for group in result["groups"]]


async def tell(person, *facts):
    for type_, key, value in facts:
        assert (await person.fact(key, value, fact_type=type_)).status == "success"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("likes tea", "dislikes tea"), ("2 cats", "3 cats"), ("Java", "JavaScript"), ("Lviv", "Lvivska")),
        *(("23", "123"), ("Anna", "Hanna"), ("Niger", "Nigeria"), ("chess", "chess boxing"), ("C", "C++")),
        *(("Kingston", "Kingstown"), ("Oleksandr", "Oleksandra"), ("eats meat", "eats no meat")),
    ],
)
async def test_what_only_looks_alike_is_not_suggested(person, one, other):
    await tell(person, ("preference", "thing", one), ("preference", "thing", other))
    assert [values for why, values in await groups(person) if why != "contradiction"] == []


@pytest.mark.partitioned
@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("programming at night", "progarmming at night", "similar_spelling"),
        ("photography", "photogrophy", "similar_spelling"),
        ("photography", "photogrphy", "similar_spelling"),
        ("Python, Rust", "Python", "contains"),
    ],
)
async def test_what_may_be_the_same_is_suggested_and_nothing_merged(person, one, other, why):
    await tell(person, ("skill", "thing", one), ("skill", "thing", other))
    [(found, values)] = await groups(person)
    assert (found, sorted(values)) == (why, sorted([one, other]))
    assert len(await person.facts()) == 2


@pytest.mark.parametrize(
    ("fact_type", "key", "one", "other"),
    [
        ("skill", "skill", "cook", "cooking"),
        ("personal", "allergy", "peanuts", "peanut allergy"),
        ("skill", "skill", "coding in JS", "JavaScript programming"),
        ("preference", "food", "гарбузові пиріжки", "гарбузовий пиріжок"),
    ],
)
async def test_other_forms_of_the_same_words_are_suggested_without_an_embedder(person, fact_type, key, one, other):
    await tell(person, (fact_type, key, one), (fact_type, key, other))
    assert [(why, sorted(values)) for why, values in await groups(person)] == [("same_words", sorted([one, other]))]


async def test_the_same_value_under_another_key_is_suggested_within_a_type_only(person):
    await tell(person, ("skill", "programming_language", "Python"), ("skill", "technology", "python"))
    await tell(person, ("opinion", "best_thing", "Python"))
    assert await groups(person) == [("same_value", ["Python", "python"])]


@pytest.mark.parametrize(
    ("type_", "one", "other", "value"),
    [
        ("preference", "like", "dislike", "tea"),
        ("personal", "location", "birthplace", "Kyiv"),
        ("relationship", "friend", "colleague", "Anna"),
        ("personal", "has_car", "smokes", "yes"),
        ("personal", "lucky_number", "house_number", "7"),
        ("opinion", "java", "python", "great language"),
        ("skill", "language", "learning_language", "Spanish"),
    ],
)
async def test_keys_that_mean_different_things_are_kept_apart(person, type_, one, other, value):
    await tell(person, (type_, one, value), (type_, other, value))
    assert [values for why, values in await groups(person) if why != "contradiction"] == []


async def test_a_past_fact_is_not_a_duplicate(person):
    arguments = {"user_id": 123, "fact_type": "preference", "fact_key": "hobby", "confidence": 0.9}
    await person.call("update_fact_with_temporal", fact_value="chess", valid_to="2020", **arguments)
    await tell(person, ("preference", "interest", "chess"))
    assert await groups(person) == []


async def test_a_suggestion_can_be_carried_out_as_it_stands(person):
    await person.fact("thing", "photogrophy", confidence=0.6)
    await person.fact("thing", "photography", confidence=0.9)
    result = await person.call("suggest_merge", user_id=123)
    [group] = result["groups"]
    assert group["merged_value"] == "photography"
    arguments = {"fact_ids": group["fact_ids"], "merged_value": group["merged_value"], "merged_confidence": 0.9}
    assert (await person.call("merge_facts", user_id=123, **arguments)).status == "success"
    assert await person.values() == ["photography"]


async def test_many_that_are_the_same_come_five_at_a_time(person):
    await tell(person, *(("skill", f"thing{letter}", "Python") for letter in "abcdefg"))
    await tell(person, ("skill", "tool", "Rust"), ("skill", "tools_known", "Rust"))
    result = await person.call("suggest_merge", user_id=123, limit=1)
    assert (result["count"], result["total"], len(result["groups"][0]["fact_ids"])) == (1, 2, 5)


async def test_a_list_is_suggested_with_each_of_its_parts(person):
    await tell(
        person, *(("skill", "thing", value) for value in ("a1x, b2x", "a1x", "b2x", "a1x, b2x, c3x", "long " * 20))
    )
    assert [why for why, _ in await groups(person)] == ["contains"]


async def test_nothing_is_suggested_or_summed_up_of_somebody_who_wants_none(memory, person):
    await memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    for tool in ("suggest_merge", "generate_profile_summary"):
        assert (await person.call(tool, user_id=123)).status == "privacy_restricted"


async def test_a_summary_of_a_hundred_facts_keeps_to_its_words_and_cites_what_it_says(person):
    for number in range(120):
        await person.fact(f"key {number}", f"value number {number}", fact_type="trait" if number % 2 else "skill")
    note = await person.note("Plays\nthe bandura on Sundays")
    result = await person.call("generate_profile_summary", user_id=123, max_words=100)
    assert (result.status, result["total"]) == ("success", 121)
    assert len(result.json().split()) <= 100
    cited = [int(number) for number in re.findall(r"\(ID:(\d+)\)", result["summary"])]
    assert cited == result["memories"] == list(memory_ids(dict(result)))
    assert note in cited
    assert "Plays the bandura on Sundays" in result["summary"]
    facts = {fact["fact_id"]: fact for fact in await person.facts()}
    shown = [facts[id_] for id_ in cited if id_ in facts]
    assert shown
    for one in shown:
        assert f"{one['key'].replace('_', ' ')}: {one['value']} (ID:{one['fact_id']})" in result["summary"]


async def test_the_surer_and_oftener_said_comes_into_a_short_summary(person):
    words = " ".join(["word"] * 10)
    for number in range(5):
        await person.fact("thing", f"{words} {number}", confidence=0.5)
    sure = await person.fact("thing", f"{words} sure", confidence=1.0)
    result = await person.call("generate_profile_summary", user_id=123, max_words=25)
    assert result["memories"] == [sure["fact_id"]]


async def test_a_summary_begins_with_who_somebody_is_groups_and_says_what_is_past_as_past(person):
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await person.call(
        "update_fact_with_temporal", fact_value="Lviv", previous_value="Kyiv", valid_from="2020", **arguments
    )
    for number in range(40):
        await person.fact(("hobby", "pet")[number % 2], f"thing {number}", fact_type="preference", confidence=1.0)
    for key, value in (("job", "nurse"), ("age", "30"), ("name", "Anna")):
        await person.fact(key, value, confidence=0.6)
    result = await person.call("generate_profile_summary", user_id=123, max_words=100)
    who, liked, *_ = result["summary"].splitlines()
    assert re.sub(r"ID:\d+", "ID", who) == (
        "Who: name: Anna (ID); age: 30 (ID); location: Lviv (ID, since 2020-01-01); job: nurse (ID)"
    )
    keys = re.findall(r"(hobby|pet): ", liked)
    assert keys in (sorted(keys), sorted(keys, reverse=True))
    longer = await person.call("generate_profile_summary", user_id=123, max_words=2000)
    assert re.search(r"\nIn the past: location: Kyiv \(ID:\d+, until 2020-01-01\)$", longer["summary"])
    assert len(longer["memories"]) == longer["total"] == 45


async def test_of_nothing_there_is_no_summary(person):
    result = await person.call("generate_profile_summary", user_id=123)
    assert (result.status, result["summary"]) == ("not_found", "")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("preference", "snack", "peanut"), ("personal", "favorite_snack", "peanuts")),
        (("skill", "programming_language", "JavaScript"), ("personal", "technology", "JS")),
        (("skill", "programming_language", "Python"), ("personal", "knows", "Python programming")),
        (("preference", "hobby", "chess"), ("personal", "interest", "chess")),
        (("preference", "hobby", "прогулянка"), ("preference", "interest", "прогулянки")),
    ],
)
async def test_the_same_is_suggested_across_types_spellings_and_stems_without_an_embedder(person, one, other):
    await tell(person, one, other)
    [(why, values)] = await groups(person)
    assert why in ("same_value", "same_words")
    assert sorted(values) == sorted([one[-1], other[-1]])


async def test_contradictions_are_suggested_with_what_contradicts(person):
    await tell(person, ("preference", "diet", "vegan"), ("preference", "favorite_food", "steak"))
    note = await person.call("remember", content="lives in Lviv")
    await person.fact("location", "Kyiv")
    result = await person.call("suggest_merge", user_id=123)
    assert [group["why"] for group in result["groups"]] == ["contradiction", "contradiction"]
    diet, place = result["groups"]
    assert ([fact["value"] for fact in diet["facts"]], len(diet["fact_ids"])) == (["vegan", "steak"], 2)
    assert [note["memory_id"] for note in place["notes"]] == [note["memory_id"]]
    assert "merged_value" not in diet


async def test_only_facts_of_one_key_or_of_the_same_meaning_can_be_merged(person):
    await tell(person, ("personal", "location", "Kyiv"), ("personal", "pet", "a cat"), ("preference", "hobby", "chess"))
    await tell(person, ("preference", "interest", "chess"))
    location, pet, hobby, interest = sorted(fact["fact_id"] for fact in await person.facts())
    merging = {"user_id": 123, "merged_value": "x", "merged_confidence": 0.9}
    refused = await person.call("merge_facts", fact_ids=[location, pet], **merging)
    assert (refused.status, refused.message) == (
        "invalid_args",
        "Not merged: location and pet are different things; only facts that say the same can be merged",
    )
    assert (await person.call("merge_facts", fact_ids=[hobby, interest], **merging)).status == "success"
