"""A store with everything in it that can be kept, and calls of every tool upon it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.consent import agree

from zgadka import Member, Memory
from zgadka.model.inference import Inferred
from zgadka.model.people import Title
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.observe import note_message
from zgadka.ops.questions import ask_to_save


async def _agree_to_episodes(memory: Memory, *people: Any) -> None:
    for person in people:
        for consent in await memory.consents(person.turn()):
            if consent.tool in ("create_episode", "mark_important"):
                await agree(memory, consent.id, person.turn())


async def _move(memory: Memory, boris: Any, make_person: Any) -> None:
    """A space that got another id and that the bot was removed from, and somebody who is muted."""
    await memory.mute("8", boris.turn(direct=True))
    await make_person(memory, user=7, space="moved", chat="moved").note("plays the tuba there")
    await memory.move_space("telegram", "moved", "moved here")
    await memory.report_titles("telegram", "moved here", [Title(text="Music"), Title(chat="moved", text="Tubas")])
    await memory.report_removal("telegram", "moved here")


async def _ask(memory: Memory, anna: Any) -> None:
    uncertain = Inferred(type="preference", key="drink", value="tea", excerpt="I guess tea", confidence=0.6)
    await memory.apply(ask_to_save, anna.turn(), [uncertain, replace(uncertain, value="coffee", excerpt=None)])


async def fill(memory: Memory, make_person: Any, clock: Any) -> None:
    """Everything that can be kept: each kind of memory, line and question, also forgotten and deleted ones."""
    anna, boris = make_person(memory), make_person(memory, user=7)
    snowflake = make_person(memory, user="184467440737095516", platform="discord", persona=5)
    direct = anna.at(direct=True, chat="123", space="123")
    names = (("123", "Anna", None), ("7", "Борис", "Bo"))
    for user, name, nickname in names:
        member = Member(user=user, number=int(user), name=name, nickname=nickname, role="admin")
        await memory.report_member("telegram", "456", member)
    await memory.report_member("telegram", "456", Member(user="8", number=8, left_at=clock.now))
    for index in range(12):
        clock.forward(minutes=1)
        who = (anna, boris)[index % 2]
        await memory.record("user", f"message {index} “з лапками”\u2028", who.turn(message=f"m{index}", time=clock.now))
    await memory.record("assistant", "I see.", anna.turn())
    team = anna.at(chat="789", audience=("staff", "mods"))
    await memory.record("user", "the team has lunch at noon", team.turn(message="t1", time=clock.now))
    lunch = await team.note("has lunch at noon with the team")
    await memory.record("assistant", "She has lunch at noon with the team.", team.turn(), given=[lunch])
    await anna.fact()
    clock.forward(minutes=1)
    await anna.fact("hobby", "chess", source_excerpt="I play chess")
    await anna.fact("hobby", "go", fact_type="preference")
    await anna.fact("hobby", "knitting", fact_type="preference")
    await anna.update("location", "Львів", change_reason="correction")
    facts = {fact["value"]: fact["fact_id"] for fact in await anna.facts()}
    await anna.call(
        "merge_facts", user_id=123, fact_ids=[facts["go"], facts["knitting"]], merged_value="go and knitting",
        merged_confidence=0.8,
    )  # fmt: skip
    await anna.forget_fact("hobby", fact_id=facts["chess"])
    clock.forward(minutes=1)
    gone = await anna.note("will be deleted")
    assert (await anna.deletes(gone)).status == "deleted"
    kept = await anna.note("allergic to nuts", tags=["health"], permanent=True)
    assert (await anna.call("forget", memory_id=kept)).status == "confirmation_required"
    await direct.note("looks for another job")
    await boris.fact("location", "Odesa", user_id=123)  # waits for her consent
    await boris.note("collects stamps")
    await boris.call("create_long_term_memory", memory_content="Meetings are on Monday", scope="server_wide")
    for number in range(3):
        clock.forward(minutes=1)
        await anna.call(
            "create_episode", topic=f"Plans {number}", summary="They planned a journey to Chernivtsi.", importance=0.8,
            tags=["travel"],
        )  # fmt: skip
        await boris.call("mark_important", importance_level="high", reason="journey")
        await _agree_to_episodes(memory, anna, boris)
    episodes = (await anna.call("recall_episodes"))["episodes"]
    await anna.call("archive_episode", episode_id=episodes[0]["episode_id"], reason="over")
    await anna.call(
        "remember_relationship", user_id=123, related_user_id=7, relationship="friend", mutual=True, description="met"
    )
    [consent] = await memory.consents(boris.turn())
    await agree(memory, consent.id, boris.turn())
    await _ask(memory, anna)
    await memory.apply(note_message, anna.turn(message="m99"), "I live in Dubno", "I live in Dubno")
    await anna.call(
        "update_fact_with_temporal", user_id=123, fact_type="personal", fact_key="location", fact_value="Ternopil",
        confidence=0.9, valid_from="2026-01-01", previous_value="Львів",
    )  # fmt: skip
    await snowflake.fact("hobby", "poker")
    await memory.set_privacy(PrivacyLevel.FULL, snowflake.turn())
    await make_person(memory, user=9).call("clear_profile", user_id=9, reason="x")
    await _move(memory, boris, make_person)


def script() -> list[tuple[dict[str, Any], str, dict[str, Any]]]:
    """Calls of every tool: who, tool, arguments."""
    anna: dict[str, Any] = {}
    boris: dict[str, Any] = {"user": 7}
    direct: dict[str, Any] = {"direct": True, "chat": "123", "space": "123"}
    discord: dict[str, Any] = {"user": "184467440737095516", "platform": "discord", "persona": 5}
    fact = {"user_id": 123, "fact_type": "personal", "confidence": 0.7}
    calls: list[tuple[dict[str, Any], str, dict[str, Any]]] = []
    for who in (anna, boris, direct, discord):
        calls += [
            (who, "recall", {"query": query}) for query in ("chess", "Chernivtsi journey", "allergy nuts", "Lviv")
        ]
        calls += [(who, "recall_facts", {"user_id": 123, "limit": 50}), (who, "recall_episodes", {"query": "plans"})]
    calls += [
        (anna, "recall_episodes", {"tags": ["travel"], "participant": 7}),
        (anna, "recall_relationships", {"user_id": 123}),
        (boris, "recall_relationships", {"user_id": 7, "depth": 2}),
        (anna, "recall_facts_global", {"user_id": 123}),
        (anna, "suggest_merge", {"user_id": 123}),
        (anna, "generate_profile_summary", {"user_id": 123}),
        (anna, "remember_fact", fact | {"fact_key": "location", "fact_value": "Тернопіль"}),
        (anna, "remember_fact", fact | {"fact_key": "location", "fact_value": "Rivne"}),
        (anna, "remember_fact", fact | {"fact_key": "hobby", "fact_value": "chess"}),
        (anna, "remember_fact", fact | {"fact_key": "hobby", "fact_value": "swimming"}),
        (anna, "update_fact", {"user_id": 123, "fact_type": "personal", "fact_key": "location", "new_value": "Lutsk",
                               "confidence": 0.9, "change_reason": "update"}),
        (anna, "forget_fact", {"user_id": 123, "fact_type": "personal", "fact_key": "location", "reason": "outdated"}),
        (anna, "merge_facts", {"user_id": 123, "fact_ids": [2, 3], "merged_value": "x", "merged_confidence": 0.5}),
        (anna, "remember", {"content": "has a cat"}),
        (anna, "remember", {"content": "allergic to nuts"}),
        *((anna, "forget", {"memory_id": number}) for number in range(1, 8)),
        *((anna, "forget", {"memory_id": number}) for number in range(1, 8)),
        (boris, "create_long_term_memory", {"memory_content": "Meetings are on Monday", "scope": "server_wide"}),
        (boris, "create_long_term_memory",
         {"memory_content": "Tea", "scope": "target_user", "target_user": "Anna"}),
        (boris, "update_long_term_memory", {"memory_id": 11, "memory_content": "Meetings are on Tuesday"}),
        (boris, "create_episode", {"topic": "New", "summary": "Something new.", "importance": 0.7}),
        (boris, "update_episode", {"episode_id": 13, "additional_summary": "And more."}),
        (boris, "archive_episode", {"episode_id": 13, "reason": "old"}),
        (boris, "mark_important", {"importance_level": "critical", "message_count": 3}),
        (boris, "remember_relationship", {"user_id": 7, "related_user_id": 123, "relationship": "colleague"}),
        (anna, "recall", {"query": "cat nuts swimming"}),
        (direct, "recall", {"query": "job"}),
        (anna, "clear_profile", {"user_id": 123, "reason": "start anew"}),
        (anna, "clear_profile", {"user_id": 123, "reason": "start anew"}),
        (anna, "recall_facts", {"user_id": 123}),
    ]  # fmt: skip
    return calls


async def answers(memory: Memory, make_person: Any) -> list[str]:
    """What each call of the script answers, with turn ids that are the same every time."""
    said: list[str] = []
    for number, (who, tool, arguments) in enumerate(script()):
        person = make_person(memory, **who)
        said.append((await memory.call(tool, arguments, person.turn(turn=f"script-{number}"))).json())
    return said
