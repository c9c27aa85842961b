"""`recall` over memories and messages: what is found, by which filter, and why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from zgadka import Member, PrivacyLevel

pytestmark = pytest.mark.asyncio


@pytest.fixture
def person(make_person, memory):
    return make_person(memory)


async def texts(person, query: str, **filters) -> tuple[list[str], list[str]]:
    """What is found: memories, then messages."""
    result = await person.call("recall", query=query, **filters)
    assert result.status == "success"
    return [one["content"] for one in result["memories"]], [one["text"] for one in result.get("messages", ())]


async def test_what_was_said_here_is_found_beside_what_is_remembered(person):
    await person.speaks("I bought a telescope yesterday")
    await person.note("likes the telescope of Olena")
    memories, messages = await texts(person, "telescope")
    assert memories == ["likes the telescope of Olena"]
    assert messages == ["I bought a telescope yesterday"]


async def test_a_message_says_who_wrote_it_and_when_and_has_no_id_of_a_memory(person, memory, clock):
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Olena"))
    await person.speaks("I bought a telescope")
    await memory.record("assistant", "A telescope! Great.", person.turn())
    result = await person.call("recall", query="telescope")
    assert result["messages"] == [
        {"said_by": 123, "name": "Olena", "text": "I bought a telescope", "at": clock.now.isoformat()},
        {"said_by": "assistant", "text": "A telescope! Great.", "at": clock.now.isoformat()},
    ]


async def test_the_message_that_asks_is_no_answer(person):
    await person.speaks("I bought a telescope")
    turn = person.turn(text="which telescope did I buy?")
    await person.memory.record("user", turn.text, turn)
    result = await person.call("recall", query="which telescope did I buy?", turn=turn)
    assert [one["text"] for one in result["messages"]] == ["I bought a telescope"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(
    "elsewhere", [{"chat": "9"}, {"space": "9", "chat": "9"}, {"thread": "9"}, {"persona": 9}, {"direct": True}]
)
async def test_what_was_said_elsewhere_is_not_found(person, elsewhere):
    await person.at(**elsewhere).speaks("I bought a telescope")
    assert await texts(person, "telescope") == ([], [])


async def test_what_somebody_said_who_is_invisible_to_memory_now_is_not_found(person):
    await person.at(user=5).speaks("I bought a telescope")
    await person.memory.set_privacy(PrivacyLevel.FULL, person.at(user=5).turn())
    assert await texts(person, "telescope") == ([], [])


async def test_an_edited_message_is_found_as_it_is_now(person):
    await person.memory.record("user", "I bought a telescope", person.turn(message="m1"))
    assert await texts(person, "telescope") == ([], ["I bought a telescope"])
    await person.memory.record("user", "I bought a microscope", person.turn(message="m1"))
    assert await texts(person, "telescope") == ([], [])
    assert await texts(person, "microscope") == ([], ["I bought a microscope"])


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("other", [{"persona": 7}, {"thread": "y"}])
async def test_an_edit_that_comes_from_elsewhere_moves_no_message(person, other):
    turn = person.turn(message="m1")
    await person.memory.record("user", "a red telescope", turn)
    await texts(person, "telescope")
    await person.memory.record("user", "a blue telescope", person.at(**other).turn(message="m1"))
    assert await texts(person, "telescope") == ([], ["a blue telescope"])
    assert await texts(person.at(persona=7), "telescope") == ([], [])
    assert await texts(person.at(thread="y"), "telescope") == ([], [])
    await person.memory.set_privacy(PrivacyLevel.FULL, person.turn())
    assert await texts(person.at(user=9), "telescope") == ([], [])


async def test_an_edit_does_not_change_when_it_was_said(person, clock):
    await person.memory.record("user", "a telescope", person.turn(message="m1"))
    await texts(person, "telescope")
    clock.forward(days=2)
    await person.memory.record("user", "a telescope!", person.turn(message="m1"))
    assert await texts(person, "telescope", since=str(clock.now.date())) == ([], [])


async def test_what_somebody_was_told_who_is_invisible_to_memory_now_is_not_found(person):
    other = person.at(user=5)
    await person.memory.record("assistant", "Your telescope is red, Bob", other.turn())
    assert await texts(person, "telescope") == ([], ["Your telescope is red, Bob"])
    await person.memory.set_privacy(PrivacyLevel.FULL, other.turn())
    assert await texts(person, "telescope") == ([], [])


async def test_a_deleted_message_is_not_found(person):
    turn = person.turn(message="m1")
    await person.memory.record("user", "I bought a telescope", turn)
    assert await texts(person, "telescope") == ([], ["I bought a telescope"])
    await person.memory.unrecord(turn)
    assert await texts(person, "telescope") == ([], [])


@pytest.mark.partitioned
async def test_an_expired_and_an_erased_message_is_not_found(person, clock):
    other = await person.at(user=5).speaks("I bought a telescope")
    await person.speaks("I sold a telescope")
    assert len((await texts(person, "telescope"))[1]) == 2
    await person.memory.erase(other.turn())
    assert await texts(person, "telescope") == ([], ["I sold a telescope"])
    clock.forward(days=8)
    await person.memory.tidy()
    assert await texts(person, "telescope") == ([], [])


async def test_kinds_choose_what_is_looked_for(person):
    await person.speaks("a telescope arrived")
    await person.note("telescope note")
    await person.fact("hobby", "telescope")
    await person.call("create_episode", topic="telescope", summary="It arrived", importance=0.5)
    assert await texts(person, "telescope", kinds=["note"]) == (["telescope note"], [])
    assert await texts(person, "telescope", kinds=["fact"]) == (["hobby: telescope"], [])
    assert await texts(person, "telescope", kinds=["episode"]) == (["telescope: It arrived"], [])
    assert await texts(person, "telescope", kinds=["message"]) == ([], ["a telescope arrived"])
    memories, messages = await texts(person, "telescope")
    assert sorted(memories) == ["hobby: telescope", "telescope note"]
    assert messages == ["a telescope arrived"]


async def test_a_time_chooses_what_was_said_or_confirmed_then(person, clock):
    await person.speaks("a red telescope")
    await person.note("red telescope")
    clock.forward(days=2)
    await person.speaks("a blue telescope")
    await person.note("blue telescope")
    today = clock.now.date()
    assert await texts(person, "telescope", since=str(today)) == (["blue telescope"], ["a blue telescope"])
    earlier = str(today - timedelta(days=1))
    assert await texts(person, "telescope", until=earlier) == (["red telescope"], ["a red telescope"])
    assert (await person.call("recall", query="x", since="some day")).status == "invalid_args"


async def test_a_person_chooses_what_is_remembered_about_them_and_what_they_said(person):
    other = await person.at(user=5).speaks("my telescope is new")
    await person.speaks("no telescope for me")
    await person.note("telescope")
    await other.note("a telescope of their own")
    assert await texts(person, "telescope", user_id=5) == (["a telescope of their own"], ["my telescope is new"])
    assert (await person.call("recall", query="telescope", user_id=77)).status == "invalid_target"
    await person.memory.set_privacy(PrivacyLevel.PARTIAL, other.turn())
    assert (await person.call("recall", query="telescope", user_id=5)).status == "privacy_restricted"


async def test_a_scope_chooses_between_the_person_and_the_place(person):
    await person.speaks("a telescope arrived")
    await person.note("telescope")
    await person.call("create_long_term_memory", memory_content="telescope night on Fridays", scope="server_wide")
    assert await texts(person, "telescope", scope="personal") == (["telescope"], [])
    memories, messages = await texts(person, "telescope", scope="server_wide")
    assert memories == ["telescope night on Fridays"]
    assert messages == ["a telescope arrived"]
    both = await person.call("recall", query="telescope", scope="server_wide", user_id=123)
    assert both.status == "invalid_args"
    await person.memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    assert await texts(person, "telescope", scope="personal") == ([], [])


async def test_explain_says_what_a_score_is_made_of(person, clock):
    await person.speaks("I bought a telescope")
    await person.fact("hobby", "telescope", fact_type="preference")
    clock.forward(days=180)
    await person.speaks("I bought a telescope")
    result = await person.call("recall", query="telescope", explain=True)
    assert result["memories"][0]["why"] == {
        "words": 1.0,
        "meaning": 0.0,
        "weight": pytest.approx(0.902, abs=0.01),
        "confidence": pytest.approx(0.97, abs=0.001),
        "recency": pytest.approx(0.95, abs=0.001),
        "type": 0.98,
    }
    assert result["messages"][0]["why"]["words"] == 1.0
    assert "why" not in (await person.call("recall", query="telescope"))["memories"][0]
    facts = await person.call("recall_facts", user_id=123, explain=True)
    assert set(facts["facts"][0]["why"]) == {"weight", "confidence", "recency", "type"}


async def test_search_messages_is_a_verb_of_its_own(person):
    await person.speaks("I bought a telescope")
    found = await person.memory.search_messages("telescope", person.turn(), 5, explain=True)
    assert [one.message.text for one in found] == ["I bought a telescope"]
    assert found[0].why["words"] == 1.0
