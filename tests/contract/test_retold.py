"""Answers to others that tell a part of what they were given go with it: forgotten, erased, or at a higher level."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.group_world import ANNA, BOB, CLARA, World

from zgadka import PrivacyLevel

pytestmark = [pytest.mark.asyncio]

RETOLD = [
    ("Olena lives in Kyiv with her cat Murka", "She lives in Kyiv."),
    ("Олена має діабет", "Так, у неї діабет."),
    ("Was diagnosed with diabetes last year", "She has diabetes, so no sugar."),
    ("Earns 5000 dollars a month", "5000 dollars a month."),
    ("Drinks too much", "She drinks too much."),
    ("Olena has a secret crush on Taras", "Yes, she has a crush on Taras."),
]
MERE = [
    ("Loves borscht with garlic and rye bread", "Add garlic to the borscht and let it simmer."),
    ("Lives in Kyiv with a cat", "You live in Kyiv, too."),
    ("Plays chess on Sundays", "Bohdan, you are free on Sundays."),
]
WAYS = ("forgotten", "erased", "partial", "full")


async def answered(world: World, note: str, answer: str) -> int:
    made = await world.memory.call("remember", {"content": note}, await world.says(ANNA, note))
    asked = await world.says(BOB, "What of her?")
    await world.answers(asked, answer, [made["memory_id"]])
    assert answer in await world.told(BOB)
    return made["memory_id"]


async def goes(world: World, way: str, memory_id: int) -> None:
    match way:
        case "forgotten":
            for text in ("Forget that", "Yes"):
                await world.memory.call("forget", {"memory_id": memory_id}, world.turn(ANNA, text=text))
        case "erased":
            await world.memory.erase(world.turn(ANNA, "direct"))
        case _:
            await world.memory.set_privacy(PrivacyLevel[way.upper()], world.turn(ANNA, "direct"))
    await world.memory.run_tasks()


@pytest.mark.partitioned
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("note", "answer"), RETOLD)
async def test_an_answer_to_another_that_tells_a_part_of_a_note_goes_with_it(
    world: World, note: str, answer: str, way: str
) -> None:
    await goes(world, way, await answered(world, note, answer))
    assert answer not in await world.told(BOB)


@pytest.mark.parametrize("way", ["forgotten", "erased"])
@pytest.mark.parametrize(("note", "answer"), MERE)
async def test_an_answer_that_only_has_a_word_of_what_it_was_given_stays(
    world: World, note: str, answer: str, way: str
) -> None:
    await goes(world, way, await answered(world, note, answer))
    assert answer in await world.told(BOB)


async def test_an_answer_that_tells_a_part_of_a_note_forgotten_meanwhile_is_told_nobody(world: World) -> None:
    note, answer = RETOLD[0]
    made = await world.memory.call("remember", {"content": note}, await world.says(ANNA, note))
    asked = await world.says(BOB, "What of her?")
    await goes(world, "forgotten", made["memory_id"])
    await world.answers(replace(asked, text="What of her?"), answer, [made["memory_id"]])
    assert answer not in await world.told(BOB)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("key", "value", "answer"),
    [
        ("height", "180 cm", "She is 1.80 m tall."),
        ("phone", "+380 67 123 45 67", "Call 0671234567."),
        ("job", "software engineer at Google", "She works at Google."),
        ("diet", "vegetarian", "She eats no meat."),
    ],
)
async def test_an_answer_to_another_that_tells_a_fact_in_another_form_goes_with_it(
    world: World, key: str, value: str, answer: str, way: str
) -> None:
    _, id_ = await world.tells(ANNA, "You know", key, value)
    await world.answers(await world.says(BOB, "What of her?"), answer, [id_])
    await goes(world, way, id_)
    assert answer not in await world.told(BOB)


@pytest.mark.partitioned
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", ["Anna is dating Clara.", "They are partners.", "She met her in a choir."])
async def test_an_answer_to_another_that_tells_a_relation_goes_with_it(world: World, answer: str, way: str) -> None:
    relation = {"user_id": ANNA, "related_user_id": CLARA, "relationship": "partner", "description": "met in a choir"}
    made = await world.memory.call("remember_relationship", relation, await world.says(ANNA, "I'm with Clara"))
    for text in (answer, "The choir sings at six."):
        await world.answers(await world.says(BOB, "What of her?"), text, [made["memory_id"]])
    await goes(world, way, made["memory_id"])
    told = await world.told(BOB)
    assert answer not in told
    assert "sings at six" in told


@pytest.mark.parametrize("way", WAYS)
async def test_an_answer_to_another_that_tells_an_episode_goes_with_it(world: World, way: str) -> None:
    said = await world.says(ANNA, "The doctor called")
    episode = {"topic": "News", "summary": "Anna is pregnant, due in May", "importance": 0.8, "message_count": 1}
    made = await world.memory.call("create_episode", episode, said)
    answer = "Yes, she is pregnant; due in May."
    await world.answers(await world.says(BOB, "What of her?"), answer, [made["episode_id"]])
    await goes(world, way, made["episode_id"])
    assert answer not in await world.told(BOB)


@pytest.mark.partitioned
@pytest.mark.parametrize("way", ["forgotten", "erased", "partial"])
@pytest.mark.parametrize("how", ["created", "updated"])
async def test_an_episode_with_somebody_tells_nothing_that_they_had_forgotten_whatever_it_was_made_from(
    world: World, how: str, way: str
) -> None:
    _, id_ = await world.tells(ANNA, "I have diabetes", "health", "diabetes")
    await world.says(BOB, "So, no cake?")
    turn = await world.says(ANNA, "Right, no cake")
    summary = "No cake at the party, because of the diabetes."
    said = "They plan a party." if how == "updated" else summary
    given = {"topic": "Party", "summary": said, "importance": 0.5, "message_count": 2}
    made = await world.memory.call("create_episode", given, turn)
    other = given | {"topic": "Lunch", "summary": "Bohdan has lunch at the diabetes clinic."}
    await world.memory.call("create_episode", other, world.turn(BOB))
    if how == "updated":
        added = {"episode_id": made["episode_id"], "additional_summary": summary}
        await world.memory.call("update_episode", added, await world.says(BOB, "Add that"))
    await goes(world, way, id_)
    told = str(dict(await world.memory.call("recall_episodes", {}, world.turn(BOB))))
    assert summary not in told
    assert (way != "forgotten") or "Lunch" in told
    if way == "forgotten":
        await world.memory.undo(id_, world.turn(ANNA))
        await world.memory.run_tasks()
        assert summary in str(dict(await world.memory.call("recall_episodes", {}, world.turn(BOB))))


async def test_an_episode_that_tells_two_forgotten_things_is_told_once_both_are_taken_back(world: World) -> None:
    ids = [
        (await world.tells(ANNA, "You know", key, value))[1]
        for key, value in (("health", "diabetes"), ("pet", "gecko"))
    ]
    summary = "She has diabetes, and a gecko."
    given = {"topic": "Anna", "summary": summary, "importance": 0.5, "message_count": 1}
    await world.memory.call("create_episode", given, await world.says(ANNA, "That's me"))
    for id_ in ids:
        await goes(world, "forgotten", id_)
    for id_, is_told in zip(ids, (False, True), strict=True):
        await world.memory.undo(id_, world.turn(ANNA))
        await world.memory.run_tasks()
        told = str(dict(await world.memory.call("recall_episodes", {}, world.turn(BOB))))
        assert (summary in told) is is_told


async def test_an_episode_goes_that_tells_of_a_relation_of_somebody_who_is_erased(world: World) -> None:
    relation = {"user_id": ANNA, "related_user_id": CLARA, "relationship": "friend", "description": "met in rehab"}
    turn = await world.says(ANNA, "I know Clara")
    await world.memory.call("remember_relationship", relation, turn)
    given = {"topic": "Talk", "summary": "They met in rehab.", "importance": 0.5, "message_count": 2}
    await world.says(CLARA, "Yes")
    await world.memory.call("create_episode", given, world.turn(CLARA))
    await goes(world, "erased", 0)
    assert "rehab" not in str(dict(await world.memory.call("recall_episodes", {}, world.turn(BOB))))


@pytest.mark.parametrize("way", ["forgotten", "erased"])
@pytest.mark.parametrize(
    ("value", "said", "answer"),
    [
        ("Ankara", "Ankara'da yaşıyorum!", "Anna Ankara'da yaşıyor."),
        ("Helsinki", "Asun Helsingissä!", "Anna asuu Helsingissä."),
        ("Budapest", "Budapesten élek!", "Anna Budapesten él."),
        ("Алматы", "Мен Алматыда тұрамын!", "Анна Алматыда тұрады."),
        ("Praha", "Bydlím v Praze!", "Anna bydlí v Praze."),
    ],
)
async def test_a_place_is_known_with_the_endings_of_other_languages(
    world: World, value: str, said: str, answer: str, way: str
) -> None:
    _, id_ = await world.tells(ANNA, said, "location", value)
    await world.says(ANNA, f"{said} {said}")
    for asking in (ANNA, BOB):
        await world.answers(await world.says(asking, "?"), answer, [id_])
    await goes(world, way, id_)
    told = str(await world.memory.recent(world.turn(BOB), 50))
    assert answer not in told
    assert said not in told
