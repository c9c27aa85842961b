"""clear_profile: everything about one person goes, once they agreed in a later message; over every back end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from zgadka import ToolResult
from zgadka.model.outcome import Changed
from zgadka.model.privacy import PrivacyLevel
from zgadka.tools.registry import REGISTRY

pytestmark = pytest.mark.asyncio

FACTS, EPISODES = 20, 3
RELATIONS = 2 if "remember_relationship" in {tool.name for tool in REGISTRY} else 0


async def clear(person: Any, *, turn: Any = None, **more: Any) -> ToolResult:
    arguments = {"user_id": person.turn().user_number, "reason": "they asked"}
    return await person.call("clear_profile", turn=turn, **arguments | more)


async def fill(person: Any, people: Any) -> None:
    """Let the person have 20 facts, 2 notes, 3 episodes of their own, 2 relations and a shared episode."""
    for other in (8, 9):
        await people(other).speaks()
    for number in range(FACTS):
        assert (await person.fact("hobby", f"hobby number {number}")).status == "success"
    for note in ("plays chess on Fridays", "has a red bicycle"):
        await person.note(note)
    await person.speaks()
    for number in range(EPISODES):
        await episode(person, f"Own episode {number} of {person.turn().user_key}", message_count=1)
    await episode(person, f"Shared episode of {person.turn().user_key}", message_count=6)
    for other, relationship in ((8, "friend"), (9, "manager")):
        if RELATIONS:
            names = {"user_id": person.turn().user_number, "related_user_id": other, "relationship": relationship}
            assert (await person.call("remember_relationship", **names)).status == "success"


async def episode(person: Any, topic: str, **more: Any) -> int:
    result = await person.call("create_episode", topic=topic, summary="It happened.", importance=0.8, **more)
    assert result.status == "success", result
    return result["episode_id"]


async def everything(person: Any) -> dict[str, Any]:
    """What every tool that reads answers about the person, here."""
    number = person.turn().user_number
    calls: dict[str, dict[str, Any]] = {
        "recall": {
            "query": "hobby number chess fridays red bicycle episode",
            "kinds": ["fact", "note", "relation"],
            "limit": 50,
        },
        "find": {"query": "hobby number chess fridays red bicycle episode", "limit": 50},
        "recall_facts": {"user_id": number, "limit": 50},
        "recall_facts_global": {"user_id": number, "limit": 50},
        "recall_episodes": {"participant": number, "limit": 50},
        "recall_relationships": {"user_id": number},
        "generate_profile_summary": {"user_id": number, "max_words": 2000},
        "suggest_merge": {"user_id": number},
    }
    reading = [tool.name for tool in REGISTRY if tool.read_only]
    assert set(reading) == set(calls), "a new reading tool must be asked here too"
    answers: dict[str, Any] = {}
    for tool, arguments in calls.items():
        answers[tool] = without_times(dict(await person.call(tool, **arguments)))
    return answers


def without_times(value: Any) -> Any:
    """The answer without what an undo may change: when it was last written."""
    if isinstance(value, dict):
        return {name: without_times(one) for name, one in value.items() if name != "updated_at"}
    return [without_times(one) for one in value] if isinstance(value, list) else value


COUNTS = {"facts": FACTS, "notes": 2, "episodes": EPISODES, "relations": RELATIONS}


def counts(result: ToolResult) -> dict[str, int]:
    return {name: result[name] for name in COUNTS}


async def test_the_first_call_says_exactly_how_much_will_go_and_deletes_nothing(person, people):
    await fill(person, people)
    before = await everything(person)
    result = await clear(person)
    assert (result.status, counts(result)) == ("confirmation_required", COUNTS)
    assert all(f"{count} {name}" in (result.message or "") for name, count in COUNTS.items())
    assert await everything(person) == before


@pytest.mark.partitioned
async def test_the_confirmed_call_deletes_everything_by_every_route(person, people, memory):
    """ "Forget everything about me" removed 10 of 20, because recall's default limit is 10."""
    await fill(person, people)
    await clear(person)
    result = await clear(person)
    assert (result.status, counts(result)) == ("deleted", COUNTS)
    answers = await everything(person)
    told = answers.pop("find")["memories"]
    assert [row["kind"] for row in told] == ["episode"], told  # others', which the person has left
    assert [answers[tool]["count"] for tool in answers if "count" in answers[tool]] == [0] * 7
    assert (await clear(person)).status == "nothing_found"
    for id_ in result["memory_ids"]:
        assert (await person.call("forget", memory_id=id_)).status == "not_found"
        assert (await person.call("update_episode", episode_id=id_, new_importance=1)).status == "not_found"
    assert (await person.call("forget", query="hobby chess episode")).status == "nothing_found"


@pytest.mark.partitioned
async def test_the_neighbour_keeps_everything_also_the_shared_episode(person, people):
    await fill(person, people)
    await fill(people(5), people)
    before = await everything(people(5))
    await clear(person)
    await clear(person)
    after = await everything(people(5))
    assert after["recall_facts"] == before["recall_facts"]
    found = [{one["content"] for one in answer["recall"]["memories"]} for answer in (before, after)]
    assert found[0] == found[1]
    assert after["generate_profile_summary"] == before["generate_profile_summary"]
    shared = [
        (one["topic"], [user for user in one["participants"] if user != 123])
        for one in before["recall_episodes"]["episodes"]
    ]
    assert [(one["topic"], one["participants"]) for one in after["recall_episodes"]["episodes"]] == shared


@pytest.mark.partitioned
async def test_undo_brings_all_back(person, people, memory):
    await fill(person, people)
    before = await everything(person)
    await clear(person)
    result = await clear(person)
    assert isinstance(await memory.undo(result["memory_ids"][0], person.turn()), Changed)
    assert await everything(person) == before


@pytest.mark.partitioned
async def test_undo_brings_all_back_although_somebody_changed_the_shared_episode_meanwhile(person, people, memory):
    await person.speaks()
    await people(8).speaks()
    fact = (await person.fact())["fact_id"]
    shared = await episode(person, "Shared episode")
    await clear(person)
    assert (await clear(person)).status == "deleted"
    changed = await people(8).call("update_episode", episode_id=shared, additional_summary="And more.")
    assert changed.status == "success"
    assert isinstance(await memory.undo(fact, person.turn()), Changed)
    assert await person.values() == ["Kyiv"]
    [now] = (await person.call("recall_episodes", participant=123))["episodes"]
    assert (now["summary"], sorted(now["participants"])) == ("It happened.\nAnd more.", [8, 123])


@pytest.mark.partitioned
async def test_undo_brings_the_rest_back_although_the_shared_episode_was_deleted_meanwhile(person, people, memory):
    await person.speaks()
    await people(8).speaks()
    fact = (await person.fact())["fact_id"]
    shared = await episode(person, "Shared episode")
    await clear(person)
    await clear(person)
    assert (await people(8).deletes(shared)).status == "deleted"
    assert isinstance(await memory.undo(fact, person.turn()), Changed)
    assert await person.values() == ["Kyiv"]
    assert (await person.call("recall_episodes"))["count"] == 0


async def test_nobody_else_clears_it_again_once_it_is_back(person, people, memory):
    await fill(person, people)
    await clear(person)
    result = await clear(person)
    await memory.undo(result["memory_ids"][0], person.turn())
    outcomes = [await memory.undo(id_, people(8).turn()) for id_ in result["memory_ids"]]
    changed = [outcome.memory.kind for outcome in outcomes if isinstance(outcome, Changed)]
    assert set(changed) <= {"relation"}, "which is theirs as well"
    assert len(await person.facts()) == FACTS


async def test_nobody_else_brings_it_back(person, people, memory):
    await fill(person, people)
    await clear(person)
    result = await clear(person)
    shared = (await people(8).call("recall_episodes", participant=8))["episodes"]
    for id_ in [*result["memory_ids"], *(one["episode_id"] for one in shared)]:
        assert not isinstance(await memory.undo(id_, people(8).turn()), Changed)
    assert await person.facts() == []


async def test_a_profile_of_episodes_alone_can_be_cleared_and_brought_back(person, memory):
    await person.speaks()
    own = await episode(person, "Own episode")
    assert counts(await clear(person)) == {"facts": 0, "notes": 0, "episodes": 1, "relations": 0}
    assert (await clear(person))["memory_ids"] == [own]
    assert (await person.call("recall_episodes"))["count"] == 0
    assert isinstance(await memory.undo(own, person.turn()), Changed)
    assert (await person.call("recall_episodes", participant=123))["count"] == 1


async def test_after_the_window_nothing_brings_it_back(person, people, memory, clock):
    await fill(person, people)
    await clear(person)
    result = await clear(person)
    clock.forward(hours=24, seconds=1)
    await memory.tidy()
    assert not isinstance(await memory.undo(result["memory_ids"][0], person.turn()), Changed)
    assert await person.facts() == []


@pytest.mark.partitioned
async def test_what_was_learned_in_other_spaces_personas_and_direct_chats_goes_too(person):
    places = [person, person.at(space="457"), person.at(direct=True), person.at(persona=5)]
    for place in places:
        await place.note(f"note of {place.turn().place} {place.turn().persona}")
    assert (await clear(person.at(direct=True)))["notes"] == 4
    assert (await clear(person.at(direct=True)))["notes"] == 4
    for place in places:
        assert await place.found("note") == []


async def test_in_a_group_what_is_seen_there_goes_and_the_rest_needs_the_direct_chat(person, memory):
    elsewhere = {"other space": {"space": "457"}, "direct": {"direct": True}, "persona": {"persona": 5}}
    for name, place in {"here": {}, **elsewhere}.items():
        await person.at(**place).note(f"note {name}")
    for place in ({}, {"space": "457", "chat": "457"}):
        await person.at(**place).speaks()
        await episode(person.at(**place), "Own", message_count=1)
    for status in ("confirmation_required", "deleted"):
        result = await clear(person)
        assert (result.status, result["notes"], result["episodes"]) == (status, 1, 1)
        assert "direct chat" in str(result.message)
    assert await person.found("note") == []
    for name, place in elsewhere.items():
        assert await person.at(**place).found("note") == [f"note {name}"]
    assert (await person.at(space="457", chat="457").call("recall_episodes"))["count"] == 1
    result = await clear(person)
    assert (result.status, "direct chat" in str(result.message)) == ("nothing_found", True)
    note = (await clear(person.at(direct=True)))["notes"]
    assert note == len(elsewhere)


async def test_a_clearing_in_a_group_comes_back_by_undo(person, memory):
    note = await person.note("likes tea")
    await clear(person)
    assert (await clear(person)).status == "deleted"
    await memory.undo(note, person.turn())
    assert await person.found("tea") == ["likes tea"]


async def test_forgotten_facts_are_counted_and_go_too(person, memory):
    await person.fact()
    await person.forget_fact("location")
    assert (await clear(person))["facts"] == 1
    result = await clear(person)
    assert result.status == "deleted"
    assert await memory.look(lambda tx: tx.maintenance.counts()["archived"]) == 0


# The question


async def test_within_one_turn_it_is_never_confirmed(person):
    await person.fact()
    turn = person.turn()
    statuses = [(await clear(person, turn=turn)).status for _ in range(4)]
    assert statuses == ["confirmation_required"] * 4
    assert await person.values() == ["Kyiv"]


@pytest.mark.partitioned
async def test_another_user_cannot_confirm_nor_name_the_person(person, people):
    await person.fact()
    await people(8).fact()
    await clear(person)
    assert (await clear(people(8), user_id=123)).status == "invalid_target"
    assert (await clear(people(8))).status == "confirmation_required"
    assert await person.values() == await people(8).values() == ["Kyiv"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", [{"chat": "457"}, {"space": "457"}, {"direct": True}])
async def test_in_another_chat_it_is_another_question(person, place):
    await person.fact()
    await person.at(**place).note("likes tea")
    await clear(person)
    assert (await clear(person.at(**place))).status == "confirmation_required"
    assert await person.values() == ["Kyiv"]


@pytest.mark.parametrize("text", ["No!", "ні, не треба", "Do NOT delete it"])
async def test_a_plain_refusal_closes_the_question(person, text):
    await person.fact()
    await clear(person)
    assert (await clear(person, turn=person.turn(text=text))).status == "cancelled"
    assert (await clear(person)).status == "confirmation_required"
    assert await person.values() == ["Kyiv"]


async def test_after_five_minutes_it_asks_again(person, clock):
    await person.fact()
    await clear(person)
    clock.forward(minutes=5)
    assert (await clear(person)).status == "confirmation_required"
    assert (await clear(person)).status == "deleted"


async def test_an_older_turn_never_confirms(person, clock):
    await person.fact()
    await clear(person, turn=person.turn(time=clock()))
    clock.forward(minutes=-1)
    assert (await clear(person, turn=person.turn(time=clock()))).status == "confirmation_required"


@pytest.mark.every_case
@pytest.mark.parametrize("change", ["new", "changed", "gone", "episode"])
async def test_what_changed_between_question_and_answer_needs_a_new_question(person, change):
    await person.speaks()
    await person.fact()
    note = await person.note("plays chess")
    await clear(person)
    match change:
        case "new":
            await person.note("has a red bicycle")
        case "changed":
            await person.update("location", "Lviv", change_reason="correction")
        case "gone":
            await person.deletes(note)
        case _:
            await episode(person, "Another")
    assert (await clear(person)).status == "confirmation_required"
    assert len(await person.facts()) == 1
    assert (await clear(person)).status == "deleted"


async def test_a_question_survives_a_restart(lasting_url, opening, make_person):
    first = await opening(lasting_url)
    await make_person(first).fact()
    await clear(make_person(first))
    await first.close()
    assert (await clear(make_person(await opening(lasting_url)))).status == "deleted"


@pytest.mark.partitioned
async def test_of_two_confirmations_at_once_one_deletes_and_one_finds_nothing(person):
    import asyncio

    await person.fact()
    await clear(person)
    results = await asyncio.gather(clear(person), clear(person))
    assert sorted(result.status for result in results) == ["deleted", "nothing_found"]


async def test_there_is_nothing_to_clear_of_somebody_new(person):
    assert (await clear(person)).status == "nothing_found"


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_it_works_at_every_privacy_level(person, memory, level):
    await person.fact()
    await memory.set_privacy(level, person.turn())
    assert (await clear(person)).status == "confirmation_required"
    assert (await clear(person)).status == "deleted"
    await memory.set_privacy(PrivacyLevel.MINIMAL, person.turn())
    assert await person.facts() == []


async def test_an_older_turn_in_between_does_not_let_the_asking_turn_clear(person, clock):
    await person.fact()
    asking = person.turn(time=clock.now)
    await clear(person, turn=asking)
    late = person.turn(time=clock.now - timedelta(seconds=1))
    assert (await clear(person, turn=late)).status == "confirmation_required"
    assert (await clear(person, turn=asking)).status == "confirmation_required"
    assert await person.facts() != []
    assert (await clear(person, turn=person.turn(time=clock.now + timedelta(seconds=1)))).status == "deleted"


@pytest.mark.partitioned
async def test_another_persona_does_not_clear_what_this_one_asked_about(person):
    await person.fact()
    await clear(person)
    assert (await clear(person, turn=person.turn(persona=2))).status == "confirmation_required"
    assert await person.facts() != []


async def test_messages_of_the_chat_stay(person, memory):
    """Or it deleted the whole chat's messages."""
    await person.speaks("Hello!")
    await person.fact()
    await clear(person)
    await clear(person)
    assert [message.text for message in await memory.recent(person.turn())] == ["Hello!"]


BREAKING = {
    "sqlite": [
        "CREATE TRIGGER broken BEFORE DELETE ON memory WHEN old.kind = 'note' BEGIN SELECT raise(ABORT, 'x'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''x''; END'",
        "CREATE TRIGGER broken BEFORE DELETE ON memory FOR EACH ROW WHEN (old.kind = 'note') EXECUTE FUNCTION broken()",
    ],
}
MENDING = {"sqlite": "DROP TRIGGER broken", "postgresql": "DROP FUNCTION broken() CASCADE"}


async def test_a_failed_deletion_deletes_nothing_and_says_so(lasting_url, opening, make_person, elsewhere):
    memory = await opening(lasting_url)
    person = make_person(memory)
    await person.fact("hobby", "chess")
    await person.note("plays chess")
    await clear(person)
    for statement in BREAKING[lasting_url.partition(":")[0]]:
        elsewhere(lasting_url, statement)
    assert (await clear(person)).status == "error"
    elsewhere(lasting_url, MENDING[lasting_url.partition(":")[0]])
    assert await person.values() == ["chess"]
    assert (await clear(person)).status == "deleted"


@pytest.mark.partitioned
@pytest.mark.parametrize("undo", ["the first", "the second", "both, the first first", "both"])
async def test_a_note_that_names_two_who_cleared_their_profiles_comes_back_with_both_alone(people, memory, undo):
    ann, bob, author = [await people(user).speaks() for user in (7, 8, 9)]
    own = [await person.fact("hobby", "chess") for person in (ann, bob)]
    named = "tg://user?id=7 and tg://user?id=8 play the zither"
    await author.call("create_long_term_memory", memory_content=named, scope="server_wide")
    for person in (ann, bob):
        assert [(await clear(person)).status for _ in range(2)] == ["confirmation_required", "deleted"]
    assert await author.found("zither") == []
    for place in {"the first": [0], "the second": [1], "both": [1, 0]}.get(undo, [0, 1]):
        outcome = await memory.undo(own[place]["fact_id"], (ann, bob)[place].turn())
        assert isinstance(outcome, Changed)
    assert await author.found("zither") == ([named] if undo.startswith("both") else [])
    assert (await clear(ann)).status == ("nothing_found" if undo == "the second" else "confirmation_required")
