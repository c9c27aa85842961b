"""What is known already that something new contradicts or repeats: told with a success, over every back end."""

from __future__ import annotations

import json

import pytest

from zgadka import Member
from zgadka.text.token_estimate import weigh, whole

pytestmark = pytest.mark.asyncio

ANNA, BORYS, VIRA = 1, 2, 3


async def tell(person, said):
    """A note, or a fact as `type/key: value`."""
    head, _, value = said.partition(": ")
    if not value:
        return await person.call("remember", content=said)
    type_, _, key = head.rpartition("/")
    return await person.fact(key, value, fact_type=type_ or "personal")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("preference/diet: vegan", "eats meat"),
        ("preference/diet: vegan", "preference/favourite food: steak"),
        ("preference/like: coffee", "preference/dislike: coffee"),
        ("likes coffee", "doesn't like coffee"),
        ("skill/skill: swimming", "cannot swim"),
        ("opinion/remote_work: great", "opinion/remote_work: terrible"),
        ("opinion/opinion: remote work is useful", "opinion/opinion: remote work is useless"),
        ("personal/allergy: peanuts", "preference/favourite food: peanut"),
        ("location: Kyiv", "lives in Lviv"),
        ("lives in Lviv", "location: Kyiv"),
        ("trait/personality: introvert", "an outgoing person"),
        ("smokes", "doesn't smoke any more"),
        ("preference/дієта: веган", "їсть м'ясо"),
        ("preference/дієта: веганка", "preference/улюблена їжа: стейк"),
        ("любить каву", "не любить кави"),
        ("вміє плавати", "не вміє плавати"),
        ("opinion/віддалена_робота: корисна", "opinion/віддалена_робота: шкідлива"),
        ("location: Київ", "живе у Львові"),
        ("курить", "більше не курить"),
    ],
)
@pytest.mark.partitioned
async def test_a_success_tells_what_it_contradicts(person, first, second):
    known = await tell(person, first)
    result = await tell(person, second)
    assert result.status == "success"
    assert [entry["id"] for entry in result["also_known"]] == [known.get("fact_id", known.get("memory_id"))]
    assert set(result["also_known"][0]) == {"id", "text"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("preference/hobby: chess", "preference/interest: chess"),
        ("skill/programming_language: JavaScript", "personal/technology: JS"),
        ("skill/programming_language: Python", "interest: Python programming"),
        ("preference/hobby: шахи", "грає в шахи"),
        ("location: Kyiv", "lives in Kyiv with two cats"),
    ],
)
async def test_a_success_tells_where_the_same_is_known_already(person, first, second):
    known = await tell(person, first)
    result = await tell(person, second)
    assert (result.status, [entry["id"] for entry in result["also_known"]]) == ("success", [known["fact_id"]])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("relationship/friend: Anna", "relationship/sibling: Anna"),
        ("preference/hobby: guitar", "personal/goal: guitar"),
        ("preference/like: tea", "preference/dislike: green tea"),
        ("preference/diet: vegan", "personal/pet: fish"),
        ("preference/diet: vegan", "preference/favourite food: vegan cheese"),
        ("preference/diet: vegan", "doesn't eat meat"),
        ("location: Kyiv", "used to live in Lviv"),
        ("location: Kyiv", "хоче жити у Львові"),
        ("location: Kyiv", "hometown: Lviv"),
        ("preference/dislike: coffee", "used to like coffee"),
        ("skill/skill: fluent", "skill/english: fluent"),
    ],
)
async def test_what_can_be_true_beside_it_is_not_told(person, first, second):
    await tell(person, first)
    result = await tell(person, second)
    assert (result.status, result.get("also_known")) == ("success", None)


async def test_a_change_tells_what_it_contradicts_and_not_what_it_closed(person, clock):
    note = await tell(person, "lives in Kyiv")
    await tell(person, "location: Kyiv")
    changed = await person.update("location", "Lviv")
    assert [entry["id"] for entry in changed["also_known"]] == [note["memory_id"]]
    clock.forward(days=9)
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    held = await person.call("update_fact_with_temporal", **arguments, fact_value="Odesa", valid_from="2026-03-05")
    assert [entry["id"] for entry in held["also_known"]] == [note["memory_id"]]


async def test_at_most_three_are_told_in_sixty_tokens(person):
    for number in range(5):
        await tell(person, f"preference/likes: {'very ' * number}coffee")
        await tell(person, f"opinion/note_{number}: {'really ' * 30} likes coffee")
    result = await tell(person, "hates coffee")
    assert 0 < len(result["also_known"]) <= 3
    assert whole(weigh(json.dumps(result["also_known"], ensure_ascii=False))) <= 60


async def test_it_is_told_by_the_index_in_memory_as_by_the_rows(person):
    known = await tell(person, "likes coffee")
    for _ in range(3):  # it is built
        await person.call("recall", query="coffee")
    late = await tell(person, "enjoys coffee")
    result = await tell(person, "hates coffee")
    assert [entry["id"] for entry in result["also_known"]] == [late["memory_id"], known["memory_id"]]
    await person.at(space="789", chat="789").call("remember", content="hates tea")
    assert (await tell(person, "likes tea")).get("also_known") is None


async def test_what_is_not_seen_here_is_not_told(person, people):
    await tell(person.at(space="789", chat="789"), "likes coffee")
    await tell(people(ANNA), "likes coffee")
    assert (await tell(person, "hates coffee")).get("also_known") is None


async def test_a_note_stands_below_the_newer_fact_that_says_otherwise(person, clock):
    note = await tell(person, "lives in Kyiv")
    await tell(person, "location: Kyiv")
    clock.forward(days=1)
    fact = await person.update("location", "Lviv")
    for query in ("lives in Kyiv", "where do I live?"):
        found = await person.call("recall", query=query, kinds=["note", "fact"])
        marks = {entry["memory_id"]: entry.get("contradicts") for entry in found["memories"]}
        assert marks[note["memory_id"]] == fact["fact_id"]
        assert fact["fact_id"] not in marks or list(marks).index(fact["fact_id"]) < list(marks).index(note["memory_id"])


async def test_a_note_that_is_newer_than_the_fact_keeps_its_place(person, clock):
    await tell(person, "location: Kyiv")
    clock.forward(days=1)
    await tell(person, "lives in Lviv")
    found = await person.call("recall", query="lives in Lviv", kinds=["note", "fact"])
    assert [entry.get("contradicts") for entry in found["memories"]] in ([None], [None, None])


# Relations


@pytest.fixture
def relate(memory, people):
    async def call(user, related, word):
        for number in (ANNA, BORYS, VIRA):
            await memory.report_member(
                "telegram", "456", Member(user=str(number), number=number, name=f"name-{number}")
            )
        arguments = {"user_id": user, "related_user_id": related, "relationship": word}
        return await people(ANNA).call("remember_relationship", **arguments)

    return call


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ((ANNA, BORYS, "parent"), (BORYS, ANNA, "parent"), "name-1 → parent → name-2"),
        ((ANNA, BORYS, "child"), (ANNA, BORYS, "мати"), "name-2 → parent → name-1"),
        ((ANNA, BORYS, "spouse"), (VIRA, ANNA, "spouse"), "name-1 → spouse → name-2"),
        ((ANNA, BORYS, "sibling"), (ANNA, BORYS, "parent"), "name-1 → sibling → name-2"),
        ((ANNA, BORYS, "boss"), (BORYS, ANNA, "boss"), "name-1 → manager → name-2"),
    ],
)
async def test_a_relation_that_another_excludes_is_no_plain_success(relate, first, second, text):
    known = await relate(*first)
    result = await relate(*second)
    assert (result.status, result["also_known"]) == ("success", [{"id": known["memory_id"], "text": text}])
    assert f"but also {text} (ID:{known['memory_id']})" in result.message


async def test_relations_that_do_not_exclude_each_other_are_plain_successes(relate):
    for relation in (
        (ANNA, BORYS, "parent"),
        (ANNA, VIRA, "parent"),
        (ANNA, BORYS, "friend"),
        (BORYS, VIRA, "sibling"),
    ):
        assert (await relate(*relation)).get("also_known") is None


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("said", ["marital_status: single", "is divorced", "сімейний_стан: неодружена"])
async def test_a_relation_and_what_is_said_of_its_people_contradict_each_other(relate, people, said):
    anna, borys = people(ANNA), people(BORYS)
    relation = await relate(ANNA, BORYS, "spouse")
    for person, number in ((anna, ANNA), (borys, BORYS)):
        entry = {"id": relation["memory_id"], "text": "spouse: name-1 ↔ name-2"}
        assert (await tell(person, said))["also_known"] == [entry]
        listed = await person.call("suggest_merge", user_id=number)
        found = [group for group in listed["groups"] if "relations" in group]
        assert [(group["why"], group["relations"][0]["memory_id"]) for group in found] == [
            ("contradiction", relation["memory_id"])
        ]
    assert (await anna.fact("job", "nurse")).get("also_known") is None


async def test_a_new_relation_tells_what_is_said_of_either_that_it_contradicts(relate, people):
    single = await tell(await people(BORYS).speaks(), "marital_status: single")
    await tell(people(ANNA), "diet: vegan")
    assert (await relate(ANNA, BORYS, "friend")).get("also_known") is None
    told = await relate(ANNA, BORYS, "spouse")
    assert told["also_known"] == [{"id": single["fact_id"], "text": "marital status: single"}]
    assert "but also marital status: single" in told.message


async def test_relations_that_exclude_each_other_are_listed(relate, people):
    await relate(ANNA, BORYS, "spouse")
    await relate(ANNA, VIRA, "spouse")
    (group,) = (await people(ANNA).call("suggest_merge", user_id=ANNA))["groups"]
    assert (group["why"], len(group["relations"]), group["fact_ids"]) == ("contradiction", 2, [])
