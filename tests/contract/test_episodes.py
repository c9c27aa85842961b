"""Seed 003: episodes and important messages, over every back end."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from zgadka import Member, ToolResult
from zgadka.model.outcome import Changed
from zgadka.model.privacy import PrivacyLevel

pytestmark = pytest.mark.asyncio


async def create(person: Any, topic: str = "Birthday plans", **more: Any) -> ToolResult:
    arguments = {"topic": topic, "summary": f"They talked about {topic}.", "importance": 0.7}
    return await person.call("create_episode", **arguments | more)


async def created(person: Any, topic: str = "Birthday plans", **more: Any) -> int:
    result = await create(person, topic, **more)
    assert result.status == "success", result
    return result["episode_id"]


async def episodes(person: Any, **more: Any) -> list[dict[str, Any]]:
    result = await person.call("recall_episodes", **more)
    assert result.status == "success", result
    assert result["count"] == len(result["episodes"])
    return result["episodes"]


async def topics(person: Any, **more: Any) -> list[str]:
    return [episode["topic"] for episode in await episodes(person, **more)]


# create_episode


@pytest.mark.partitioned
async def test_an_episode_keeps_all_that_was_given(person, clock):
    await person.speaks()
    given = {"importance": 0.85, "emotional_valence": "positive", "tags": ["весілля", "свято", "весілля"]}
    episode = await created(person, "Підготовка до весілля", **given)
    assert await episodes(person) == [
        {
            "episode_id": episode,
            "topic": "Підготовка до весілля",
            "summary": "They talked about Підготовка до весілля.",
            "importance": 0.85,
            "emotional_valence": "positive",
            "tags": ["весілля", "свято"],
            "participants": [123],
            "message_count": 1,
            "created_at": clock().isoformat(),
        }
    ]


async def test_an_episode_is_neutral_and_without_tags_unless_told(person):
    await created(person)
    [episode] = await episodes(person)
    assert (episode["emotional_valence"], episode["tags"]) == ("neutral", [])


async def test_an_episode_is_of_the_last_ten_messages_by_default(person):
    for number in range(12):
        await person.speaks(f"message {number}")
    result = await create(person)
    assert (result["message_count"], result.message) == (10, "Episode created: Birthday plans (10 messages)")
    assert (await create(person, "All of it", message_count=100))["message_count"] == 12
    assert (await create(person, "The last", message_count=1))["message_count"] == 1


async def test_participants_are_those_who_wrote_the_messages(people):
    await people(7).speaks()
    await people(8).speaks()
    await people(7).speaks()
    await people(9).speaks()
    assert (await create(people(7), message_count=3))["participants"] == [8, 7, 9]
    assert (await create(people(7), "The last", message_count=1))["participants"] == [9]


async def test_the_assistant_is_no_participant(person, memory):
    await person.speaks()
    await memory.record("assistant", "Hello!", person.turn(user=99))
    assert (await create(person))["participants"] == [123]


async def test_without_messages_the_speaker_is_the_participant(person):
    result = await create(person)
    assert (result["participants"], result["message_count"]) == ([123], 0)


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(
    "place", [{"thread": "t"}, {"chat": "457"}, {"persona": 5}, {"space": "457"}, {"direct": True}]
)
async def test_messages_of_another_thread_chat_persona_or_space_are_not_in_it(person, people, place):
    await people(7, **place).speaks()
    await person.speaks()
    result = await create(person)
    assert (result["participants"], result["message_count"]) == ([123], 1)
    assert (await create(people(7, **place), "Another"))["participants"] == [7]


async def test_the_same_episode_again_is_skipped_as_a_duplicate(person):
    episode = await created(person)
    again = await create(person, "birthday PLANS", summary="they talked about birthday plans")
    assert (again.status, again["reason"], again["episode_id"]) == ("skipped", "duplicate", episode)
    assert len(await episodes(person)) == 1


async def test_an_archived_episode_may_be_created_and_archived_again(person):
    for _ in range(3):
        episode = await created(person)
        assert (await person.call("archive_episode", episode_id=episode, reason="over")).status == "success"
    assert await episodes(person) == []


@pytest.mark.parametrize("importance", [0, 0.0, 1, 1.0])
async def test_importance_is_from_0_to_1(person, importance):
    await created(person, importance=importance)


@pytest.mark.parametrize(
    "wrong",
    [
        {"importance": 1.1},
        {"importance": -0.1},
        {"importance": "high"},
        {"importance": float("nan")},
        {"topic": ""},
        {"topic": "  "},
        {"topic": "x" * 201},
        {"summary": ""},
        {"summary": "x" * 4001},
        {"emotional_valence": "happy"},
        {"tags": "birthday"},
        {"tags": [""]},
        {"tags": ["x"] * 21},
        {"message_count": 0},
        {"message_count": 101},
        {"message_count": 1.5},
        {"user_ids": [7]},
        {"chat_id": 457},
    ],
)
async def test_a_wrong_argument_is_invalid_args_and_creates_nothing(person, wrong):
    assert (await create(person, **wrong)).status == "invalid_args"
    assert await episodes(person) == []


@pytest.mark.parametrize("field", ["topic", "summary"])
@pytest.mark.parametrize("blank", ["\u200b", "\ufeff\u2060"])
async def test_a_topic_or_summary_that_shows_nothing_is_invalid_args(person, field, blank):
    assert (await create(person, **{field: blank})).status == "invalid_args"
    assert await episodes(person) == []


# update_episode


async def test_an_update_changes_importance_appends_to_the_summary_and_adds_tags(person):
    episode = await created(person, tags=["birthday"])
    result = await person.call(
        "update_episode",
        episode_id=episode,
        new_importance=0.9,
        additional_summary="Petro brings the cake.",
        add_tags=["cake", "birthday"],
    )
    assert result.status == "success"
    [now] = await episodes(person)
    assert now == result["episode"]
    assert (now["importance"], now["tags"]) == (0.9, ["birthday", "cake"])
    assert now["summary"] == "They talked about Birthday plans.\nPetro brings the cake."


@pytest.mark.every_case
@pytest.mark.parametrize("change", [{"new_importance": 0.1}, {"additional_summary": "More."}, {"add_tags": ["x"]}])
async def test_what_an_update_does_not_name_stays(person, change):
    episode = await created(person, tags=["birthday"])
    [before] = await episodes(person)
    await person.call("update_episode", episode_id=episode, **change)
    [now] = await episodes(person)
    field = {"new_importance": "importance", "additional_summary": "summary", "add_tags": "tags"}[next(iter(change))]
    assert {name for name in now if now[name] != before[name]} == {field}


async def test_an_updated_episode_is_found_by_the_added_words(person):
    episode = await created(person)
    assert await topics(person, query="cake") == []
    await person.call("update_episode", episode_id=episode, additional_summary="Petro brings the cake.")
    assert await topics(person, query="cake") == ["Birthday plans"]
    assert await topics(person, query="birthday") == ["Birthday plans"]


@pytest.mark.parametrize(
    "nothing", [{}, {"add_tags": []}, {"additional_summary": " "}, {"additional_summary": "\u200b"}]
)
async def test_an_update_of_nothing_is_invalid_args(person, nothing):
    episode = await created(person)
    assert (await person.call("update_episode", episode_id=episode, **nothing)).status == "invalid_args"


async def test_a_summary_has_its_bound_and_the_same_addition_is_added_once(person):
    episode = await created(person, "Trip", summary="To Lviv.")
    for _ in range(2):
        await person.call("update_episode", episode_id=episode, additional_summary="By train.")
    await person.call("update_episode", episode_id=episode, additional_summary="a" * 3900)
    longer = await person.call("update_episode", episode_id=episode, additional_summary="b" * 100)
    assert (longer.status, "room for 80 more characters" in longer.message) == ("invalid_args", True)
    more = await person.call("update_episode", episode_id=episode, add_tags=[f"a{number}" for number in range(20)])
    assert more.status == "success"
    tags = [f"b{number}" for number in range(20)]
    assert (await person.call("update_episode", episode_id=episode, add_tags=[*tags, "c"][1:])).status == "success"
    assert (await person.call("update_episode", episode_id=episode, add_tags=tags)).status == "invalid_args"
    [now] = await episodes(person)
    assert (now["summary"], len(now["tags"])) == (f"To Lviv.\nBy train.\n{'a' * 3900}", 40)


async def test_an_update_that_would_make_two_episodes_equal_is_answered_and_changes_nothing(person):
    one = await created(person, "Trip", summary="To Lviv.\nBy train.")
    two = await created(person, "Trip", summary="To Lviv.")
    result = await person.call("update_episode", episode_id=two, additional_summary="By train.")
    assert (result.status, result["episode_id"]) == ("conflict", one)
    assert sorted(episode["summary"] for episode in await episodes(person)) == ["To Lviv.", "To Lviv.\nBy train."]


# archive_episode


async def test_an_archived_episode_is_recalled_no_more(person):
    episode = await created(person)
    result = await person.call("archive_episode", episode_id=episode, reason="superseded")
    assert (result.status, result.message) == ("success", "Episode archived: Birthday plans")
    assert await episodes(person) == []
    assert await episodes(person, query="birthday") == []


async def test_an_episode_is_archived_without_a_reason_too(person):
    episode = await created(person)
    assert (await person.call("archive_episode", episode_id=episode)).status == "success"
    assert await episodes(person) == []


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("tool", "arguments"), [("archive_episode", {"reason": "over"}), ("update_episode", {"new_importance": 1.0})]
)
async def test_what_is_no_episode_here_is_not_found(person, tool, arguments):
    archived = await created(person)
    await person.call("archive_episode", episode_id=archived, reason="over")
    live = await created(person, "A live one")
    fact, note = (await person.fact())["fact_id"], await person.note("plays chess")
    for wrong in (archived, fact, note, 4711, 0, -1, 2**53):
        assert (await person.call(tool, episode_id=wrong, **arguments)).status in ("not_found", "invalid_args")
    for place in ({"space": "457"}, {"persona": 5}, {"direct": True}, {"platform": "discord"}):
        assert (await person.at(**place).call(tool, episode_id=live, **arguments)).status == "not_found"
    assert [episode["importance"] for episode in await episodes(person)] == [0.7]


async def test_an_archived_episode_stays_for_the_audit_trail_with_the_reason(person, memory):
    episode = await created(person)
    await person.call("archive_episode", episode_id=episode, reason="superseded")

    def trail(tx: Any) -> list[tuple[str, str | None]]:
        return [(event.action, event.reason) for event in tx.audit.history(tx.memories.find_owner(episode), episode)]

    assert await memory.look(trail) == [("created", None), ("forgotten", "superseded")]


@pytest.mark.partitioned
async def test_archiving_updating_and_creating_can_be_undone_by_whoever_did_it(person, memory):
    episode = await created(person)
    await person.call("update_episode", episode_id=episode, new_importance=0.1)
    assert isinstance(await memory.undo(episode, person.turn()), Changed)
    assert [one["importance"] for one in await episodes(person)] == [0.7]
    await person.call("archive_episode", episode_id=episode, reason="over")
    assert isinstance(await memory.undo(episode, person.turn()), Changed)
    assert [one["episode_id"] for one in await episodes(person, query="birthday")] == [episode]


@pytest.mark.partitioned
async def test_an_undo_of_somebody_elses_change_or_elsewhere_finds_nothing(person, people, memory):
    episode = await created(person)
    await person.call("archive_episode", episode_id=episode, reason="over")
    for other in (people(7), person.at(space="457"), person.at(persona=5), person.at(direct=True)):
        assert not isinstance(await memory.undo(episode, other.turn()), Changed)
    assert await episodes(person) == []


# recall_episodes


async def test_an_episode_is_found_by_words_of_topic_summary_or_tag_in_any_script(person):
    await created(person, "Підготовка до весілля", summary="Олена шукає місце.", tags=["свято"])
    await created(person, "Job interview", summary="Petro is nervous.")
    for query in ("весілля", "vesillia", "Олена", "Olena", "свято", "ВЕСІЛЛЯ?"):
        assert await topics(person, query=query) == ["Підготовка до весілля"], query
    assert await topics(person, query="interviews") == ["Job interview"]
    assert await topics(person, query="nothing of that") == []


async def test_tags_must_all_be_there_and_are_compared_folded(person):
    await created(person, "One", tags=["Birthday", "cake"])
    await created(person, "Two", tags=["birthday"])
    assert sorted(await topics(person, tags=["BIRTHDAY"])) == ["One", "Two"]
    assert await topics(person, tags=["birthday", "cake"]) == ["One"]
    assert await topics(person, tags=["birth"]) == []


async def test_user_23_is_not_in_the_episodes_of_user_123(people):
    """User 23 saw user 123's episodes (LIKE match on participants)."""
    await people(123).speaks()
    await created(people(123))
    for other in (23, 12, 3, 1, 1234, -123):
        assert await topics(people(other), participant=other) == []
        assert await topics(people(123), participant=other) == []
    assert await topics(people(23), participant=123) == ["Birthday plans"]


async def test_a_participant_is_one_of_this_platform(people):
    await people(7, platform="discord").speaks()
    await created(people(7))
    assert await topics(people(8), participant=7) == ["Birthday plans"]
    await people(7, platform="discord", space="457").speaks()
    assert await topics(people(8, platform="discord"), participant=7) == []


async def test_a_range_of_days_includes_its_first_and_last_day(person, clock):
    for day in (1, 2, 3):
        clock.now = clock.now.replace(day=day)
        await created(person, f"Day {day}")
    assert sorted(await topics(person, since="2026-03-02")) == ["Day 2", "Day 3"]
    assert sorted(await topics(person, until="2026-03-02")) == ["Day 1", "Day 2"]
    assert await topics(person, since="2026-03-02", until="2026-03-02") == ["Day 2"]
    assert await topics(person, since="2026-03-03T12:00:00Z", until="2026-03-03T12:00:01+00:00") == ["Day 3"]
    assert await topics(person, since="2026-03-03T12:00:01") == []
    assert await topics(person, since="2026-03-03T13:59:00+02:00") == ["Day 3"]
    assert await topics(person, until="2026-03-01 12:00") == []


@pytest.mark.parametrize("wrong", ["some day", "2026-13-01", "2026-02-30", "9999-12-31T", "0", "\u0662\u0660"])
@pytest.mark.parametrize("side", ["since", "until"])
async def test_a_time_that_is_none_is_invalid_args(person, side, wrong):
    result = await person.call("recall_episodes", **{side: wrong})
    assert result.status == "invalid_args"
    assert side in (result.message or "")


async def test_the_last_day_there_is_gives_an_answer(person):
    assert (await person.call("recall_episodes", until="9999-12-31")).status in ("invalid_args", "success")
    assert (await person.call("recall_episodes", since="0001-01-01")).status == "success"


async def test_the_weightiest_come_first_and_the_total_counts_all(person):
    for importance in (0.2, 0.9, 0.5):
        await created(person, f"Importance {importance}", importance=importance)
    result = await person.call("recall_episodes", limit=2)
    assert [one["importance"] for one in result["episodes"]] == [0.9, 0.5]
    assert (result["count"], result["total"]) == (2, 3)


@pytest.mark.partitioned
async def test_everybody_of_the_space_recalls_its_episodes_and_nobody_elsewhere(person, people):
    await created(person)
    assert await topics(people(7)) == await topics(person.at(chat="457")) == ["Birthday plans"]
    for elsewhere in (
        person.at(space="457"),
        person.at(persona=5),
        person.at(direct=True),
        person.at(platform="discord"),
    ):
        assert await topics(elsewhere) == []


@pytest.mark.partitioned
async def test_an_episode_of_a_direct_chat_never_surfaces_in_a_group(person, people):
    await created(person.at(direct=True))
    assert await topics(person.at(direct=True)) == ["Birthday plans"]
    for elsewhere in (person, people(7, direct=True), person.at(space="123", chat="123")):
        assert await topics(elsewhere) == []


async def test_an_episode_is_no_fact_or_note(person):
    await created(person)
    assert await person.found("birthday", kinds=["fact", "note"]) == []
    assert await person.facts() == []


# Important messages


@pytest.mark.parametrize(("level", "days"), [("high", 60), ("critical", 365)])
async def test_marked_messages_are_kept_until_so_many_days_from_now(person, clock, level, days):
    await person.speaks()
    clock.forward(days=3)
    result = await person.call("mark_important", importance_level=level, reason="a promise")
    assert (result.status, result["count"]) == ("success", 1)
    assert (datetime.fromisoformat(result["kept_until"]) - clock()).days == days


async def test_five_messages_are_marked_by_default(person):
    for number in range(7):
        await person.speaks(str(number))
    assert (await person.call("mark_important", importance_level="high"))["count"] == 5
    assert (await person.call("mark_important", importance_level="high", message_count=20))["count"] == 7


@pytest.mark.parametrize("wrong", [{"message_count": 0}, {"message_count": 21}, {"importance_level": "low"}, {}])
async def test_one_to_twenty_messages_can_be_marked_as_high_or_critical(person, wrong):
    await person.speaks()
    arguments = wrong if wrong == {} or "importance_level" in wrong else {"importance_level": "high"} | wrong
    assert (await person.call("mark_important", **arguments)).status == "invalid_args"


async def test_without_messages_nothing_is_marked(person):
    assert (await person.call("mark_important", importance_level="high")).status == "not_found"


@pytest.mark.partitioned
async def test_the_reason_stands_in_the_audit_trail_of_the_space(person, memory):
    await person.speaks()
    await person.call("mark_important", importance_level="critical", reason="a promise")

    def trail(tx: Any) -> list[tuple[str, str, str | None]]:
        space = tx.owners.find("space", "telegram", "456")
        return [(row[4], row[3], row[5]) for row in tx.rows("events", {"owner": space, "memory": 0})]

    assert await memory.look(trail) == [("marked", "123", "critical, 1 message: a promise")]


# People whom memory is not to see


async def test_somebody_invisible_creates_no_episode(person, memory):
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    assert (await create(person)).status == "privacy_restricted"


@pytest.mark.partitioned
async def test_somebody_invisible_is_in_no_new_episode(person, people, memory):
    await people(7).speaks()
    await person.speaks()
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert (await create(person))["participants"] == [123]


async def test_an_older_episode_with_somebody_invisible_is_not_shown(person, people, memory):
    await people(7).speaks()
    await person.speaks()
    assert (await create(person))["participants"] == [7, 123]
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert await episodes(person) == []
    assert await topics(person, participant=7) == []
    await memory.set_privacy(PrivacyLevel.MINIMAL, people(7).turn())
    assert [one["participants"] for one in await episodes(person)] == [[7, 123]]


async def test_a_partly_private_person_is_a_participant(person, people, memory):
    await memory.set_privacy(PrivacyLevel.PARTIAL, people(7).turn())
    await people(7).speaks()
    assert (await create(person))["participants"] == [7]


async def test_a_member_with_a_textual_id_is_a_participant_by_number(memory, make_person):
    person = make_person(memory, user="olena")
    await memory.report_member("telegram", "456", Member(user="olena", number=1, name="Olena"))
    await person.speaks()
    number = person.turn().user_number
    assert (await create(person))["participants"] == [number]
    assert await topics(person, participant=number) == ["Birthday plans"]


async def test_nothing_is_added_to_an_episode_for_somebody_invisible(person, people, memory):
    await people(7).speaks()
    episode = await created(people(7))
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    added = await person.call("update_episode", episode_id=episode, additional_summary="More was said.")
    assert added.status == "privacy_restricted"
    assert "More" not in (await episodes(people(7)))[0]["summary"]


async def test_an_episode_of_somebody_unwilling_is_told_to_nobody_though_they_never_spoke_there(person, people, memory):
    elsewhere = await person.at(space="elsewhere", chat="elsewhere").speaks()
    await memory.set_privacy(PrivacyLevel.PARTIAL, elsewhere.turn())
    await created(person)
    assert await topics(people(7)) == []
    assert (await people(7).call("recall_facts", user_id=123)).status == "privacy_restricted"
