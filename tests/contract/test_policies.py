"""Who may change what is remembered about others, and of a space: `others_may_change` and `communal_may_change`."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from zgadka import Member, Memory, Settings, SettingsError
from zgadka.model.outcome import Changed, NotFound
from zgadka.tools.registry import REGISTRY

pytestmark = pytest.mark.asyncio

ANNA, BORIS, CLARA = 123, 7, 8
ABOUT = {"user_id": ANNA, "fact_type": "personal", "fact_key": "hobby"}
EPISODE = {"topic": "Birthday", "summary": "Anna told a secret.", "importance": 0.5}


@pytest_asyncio.fixture
async def place(open_store, make_person):
    """Three people in a group, under a policy: `await place("never")`."""

    async def open_(policy: str, **settings: Any) -> tuple[Memory, Any, Any, Any]:
        memory = await open_store(others_may_change=policy, **settings)
        for user, name in ((ANNA, "Anna"), (BORIS, "Boris"), (CLARA, "Clara")):
            await memory.report_member("telegram", "456", Member(user=str(user), number=user, name=name))
        return memory, *(make_person(memory, user=user) for user in (ANNA, BORIS, CLARA))

    return open_


def calls_about_anna(fact: int, more: int, episode: int, note: int) -> dict[str, dict[str, Any]]:
    """By tool, with what it is about where that is not all: how another keeps or changes what is about Anna."""
    return {
        "remember_fact": ABOUT | {"fact_value": "poker", "confidence": 0.9},
        "remember_facts": {"facts": [ABOUT | {"fact_value": "poker", "confidence": 0.9}]},
        "update_fact": ABOUT | {"new_value": "go", "confidence": 0.9, "change_reason": "update", "fact_id": fact},
        "forget_fact": ABOUT | {"reason": "incorrect", "fact_id": fact},
        "merge_facts": {
            "user_id": ANNA,
            "fact_ids": [fact, more],
            "merged_value": "board games",
            "merged_confidence": 0.9,
        },
        "remember_relationship": {"user_id": BORIS, "related_user_id": ANNA, "relationship": "friend"},
        "create_episode": EPISODE | {"topic": "Another", "summary": "Anna told more."},
        "update_episode": {"episode_id": episode, "additional_summary": "And more."},
        "archive_episode": {"episode_id": episode},
        "create_long_term_memory": {"memory_content": "<@123> owes us a cake", "scope": "server_wide"},
        "update_long_term_memory": {"memory_id": note, "memory_content": "Nobody chairs the club"},
        "update_long_term_memory blank": {"memory_id": note, "memory_content": ""},
        "forget note": {"memory_id": str(note)},
        "forget episode": {"memory_id": str(episode)},
    }


TOOLS = sorted(calls_about_anna(0, 0, 0, 0))
DONE = ("success", "deleted", *(f"memory_{deed}_successfully" for deed in ("created", "updated", "deleted")))


async def prepared(place, policy):
    memory, anna, boris, _ = await place(policy)
    fact, more = [(await anna.fact("hobby", hobby))["fact_id"] for hobby in ("chess", "draughts")]
    await anna.speaks("I tell you a secret")
    episode = (await anna.call("create_episode", **EPISODE))["episode_id"]
    return memory, anna, boris, calls_about_anna(fact, more, episode, await note_of(anna, "<@123> chairs the club"))


async def said(person: Any, tool: str, calls: dict[str, dict[str, Any]]) -> str:
    """The status of a call, without the name of a note's tool."""
    answer = await person.call(tool.partition(" ")[0], **calls[tool])
    return answer.status.removeprefix("memory_create_failed_").removeprefix("memory_update_failed_")


async def memories_of(memory: Memory) -> list[Any]:
    return sorted(
        await memory.look(lambda tx: [m for o in tx.owners.list() for m in tx.memories.list_all(o.id)]),
        key=lambda kept: kept.id,
    )


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("tool", TOOLS)
async def test_under_never_another_neither_keeps_nor_changes_anything_about_me(place, tool):
    memory, _, boris, calls = await prepared(place, "never")
    before = await memories_of(memory)
    assert await said(boris, tool, calls) in ("invalid_target", "not_allowed")
    assert await memories_of(memory) == before


@pytest.mark.parametrize("tool", TOOLS)
async def test_under_ask_another_waits_for_my_consent_and_then_it_is_done(place, tool):
    memory, anna, boris, calls = await prepared(place, "ask")
    before = await memories_of(memory)
    assert await said(boris, tool, calls) == "awaiting_consent"
    assert await memories_of(memory) == before
    [asked] = await memory.consents(anna.turn())
    shown = await memory.proposal(asked.id, anna.turn())
    agreed = await memory.answer_consent(asked.id, True, anna.turn(), mark=shown.mark)
    assert agreed.status in DONE, agreed
    assert await memories_of(memory) != before


@pytest.mark.parametrize("tool", TOOLS)
async def test_under_allow_another_does_it_at_once_but_never_updates_my_own_word(place, tool):
    _, _, boris, calls = await prepared(place, "allow")
    done = {"update_fact": ("conflict",), "merge_facts": ("invalid_args",)}.get(tool, (*DONE, "confirmation_required"))
    assert await said(boris, tool, calls) in done


@pytest.mark.parametrize("policy", ["never", "ask"])
async def test_a_policy_keeps_nobody_from_what_is_about_themselves(place, policy):
    memory, anna, _, calls = await prepared(place, policy)
    for tool in ("remember_fact", "update_fact", "forget_fact", "update_episode", "archive_episode"):
        assert (await anna.call(tool, **calls[tool])).status == "success", tool
    for tool in ("create_long_term_memory", "update_long_term_memory", "update_long_term_memory blank"):
        assert await said(anna, tool, calls) in DONE, tool
    assert await memory.consents(anna.turn()) == []


@pytest.mark.parametrize("policy", ["never", "ask"])
async def test_an_episode_with_several_others_is_kept_by_none_of_them(place, policy):
    memory, anna, boris, clara = await place(policy)
    await anna.speaks()
    await boris.speaks()
    result = await clara.call("create_episode", **EPISODE)
    assert result.status == "invalid_target"
    assert await memories_of(memory) == []
    assert await memory.consents(anna.turn()) == []


@pytest.mark.parametrize("policy", ["never", "ask"])
async def test_a_note_may_name_people_who_are_not_here_and_those_who_agree_by_writing_it(place, policy):
    _, anna, _, _ = await place(policy)
    note = {"memory_content": "<@999> is a stranger, <@123> is me", "scope": "server_wide"}
    assert (await anna.call("create_long_term_memory", **note)).status == "memory_created_successfully"


@pytest.mark.parametrize("policy", ["never", "ask"])
async def test_what_another_took_away_of_us_is_brought_back_by_them_alone(place, policy):
    memory, anna, boris, _ = await place("allow")
    arguments = {"user_id": BORIS, "related_user_id": ANNA, "relationship": "friend"}
    relation = (await boris.call("remember_relationship", **arguments))["memory_id"]
    for _ in range(2):
        await boris.call("forget", memory_id=str(relation))
    object.__setattr__(memory.settings, "others_may_change", policy)
    assert isinstance(await memory.undo(relation, anna.turn()), NotFound)
    assert isinstance(await memory.undo(relation, boris.turn()), Changed)


# Undo of what belongs to a space


async def note_of(person: Any, text: str = "Meetings are on Mondays") -> int:
    result = await person.call("create_long_term_memory", memory_content=text, scope="server_wide")
    return result["memory_id"]


@pytest.mark.partitioned
async def test_a_change_of_others_to_a_spaces_note_is_undone_by_nobody_else(place):
    memory, anna, boris, _ = await place("allow")
    note = await note_of(anna)
    changed = await boris.call("update_long_term_memory", memory_id=note, memory_content="Meetings are on Fridays")
    assert changed.status == "memory_updated_successfully"
    assert isinstance(await memory.undo(note, anna.turn()), NotFound)
    assert isinstance(await memory.undo(note, boris.turn()), Changed)


@pytest.mark.partitioned
async def test_a_change_of_others_to_a_spaces_episode_is_undone_by_nobody_else(place):
    memory, anna, boris, clara = await place("allow")
    await anna.speaks()
    episode = (await anna.call("create_episode", **EPISODE))["episode_id"]
    await boris.call("archive_episode", episode_id=episode)
    for other in (anna, clara):
        assert isinstance(await memory.undo(episode, other.turn()), NotFound)
    assert isinstance(await memory.undo(episode, boris.turn()), Changed)


@pytest.mark.partitioned
async def test_who_may_not_change_a_spaces_notes_undoes_none(place):
    memory, anna, *_ = await place("allow", communal_may_change="admins")
    admin = Member(user=str(ANNA), number=ANNA, role="administrator")
    await memory.report_member("telegram", "456", admin)
    note = await note_of(anna)
    await memory.report_member("telegram", "456", Member(user=str(ANNA), number=ANNA, role="member"))
    assert isinstance(await memory.undo(note, anna.turn()), NotFound)
    await memory.report_member("telegram", "456", admin)
    assert isinstance(await memory.undo(note, anna.turn()), Changed)


async def test_nobody_undoes_a_spaces_note_where_nobody_may_change_it(open_store, make_person):
    memory = await open_store(communal_may_change="everyone")
    anna = make_person(memory)
    note = await note_of(anna)
    object.__setattr__(memory.settings, "communal_may_change", "nobody")
    assert isinstance(await memory.undo(note, anna.turn()), NotFound)


# Without an undo window


@pytest.mark.parametrize("hours", [-1, -24])
async def test_a_window_of_less_than_no_time_is_refused(hours):
    with pytest.raises(SettingsError, match="undo_hours"):
        Settings(undo_hours=hours)
    with pytest.raises(SettingsError, match="UNDO_HOURS"):
        Settings.load({"ZGADKA_UNDO_HOURS": str(hours)}, None)


@pytest.mark.partitioned
@pytest.mark.parametrize("told", [{}, {"turn": None}, {"turn": None, "text": "yes, delete it"}], ids=str)
async def test_without_an_undo_window_no_tool_deletes_for_good_in_one_call(open_store, make_person, told):
    memory = await open_store(undo_hours=0)
    anna = make_person(memory)
    await anna.speaks("I play chess")
    facts = [(await anna.fact("hobby", value))["fact_id"] for value in ("chess", "go", "poker", "darts")]
    note = await anna.note("likes tea")
    own, communal = (await note_of(anna, "about her"), await note_of(anna, "about all"))
    episode = (await anna.call("create_episode", **EPISODE))["episode_id"]
    fact = {"user_id": ANNA, "fact_type": "personal", "fact_key": "hobby"}
    calls: dict[str, list[dict[str, Any]]] = {
        "forget": [{"memory_id": f"{facts[0]},{note},{episode},{own}"}],
        "update_long_term_memory": [{"memory_id": communal, "memory_content": ""}],
        "update_fact": [
            fact | {"new_value": "skat", "confidence": 1, "change_reason": "correction", "fact_id": facts[0]}
        ],
        "merge_facts": [{"user_id": ANNA, "fact_ids": facts[1:3], "merged_value": "games", "merged_confidence": 0.9}],
        "forget_fact": [fact | {"reason": why, "fact_id": facts[3]} for why in ("user_requested", "outdated")],
        "clear_profile": [{"user_id": ANNA, "reason": "asked"}],
        "update_episode": [{"episode_id": episode, "additional_summary": "More."}],
        "archive_episode": [{"episode_id": episode}],
        "update_fact_with_temporal": [],
        "change": [
            {"user_id": ANNA, "memory_id": facts[0], "content": "skat", "because": "wrong"},
            {"memory_id": communal, "content": "skat", "because": "wrong"},
        ],
    }
    changing = {tool.name for tool in REGISTRY if tool.destructive}
    assert changing <= calls.keys()
    texts = {"chess", "go", "poker", "darts", "likes tea", "about her", "about all", EPISODE["summary"]}
    for tool, arguments in calls.items():
        for each in arguments:
            result = await memory.call(tool, each, anna.turn(**told))
            assert result.status != "invalid_args", (tool, result)
            assert result.status not in ("deleted", "memory_deleted_successfully"), (tool, result)
    kept = repr(await memories_of(memory)) + repr(await memory.look(_trail))
    assert {text for text in texts if text not in kept} == set()


def _trail(tx):
    return [
        event
        for owner in tx.owners.list()
        for memory in tx.memories.list_all(owner.id)
        for event in tx.audit.history(owner.id, memory.id)
    ]
