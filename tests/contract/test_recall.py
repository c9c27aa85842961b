"""`recall` over memories and messages: what is found, by which filter, and why."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

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


async def test_a_question_for_many_finds_what_belongs_to_the_kind_in_another_language_too(person):
    await person.note("finished Piranesi, a strange novel")
    await person.note("дочитала роман Забужко")
    await person.note("likes tea")
    memories, _ = await texts(person, "which books did I read?")
    assert set(memories) == {"finished Piranesi, a strange novel", "дочитала роман Забужко"}
    assert await texts(person, "which book is thick?") == ([], [])


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
    assert sorted(memories) == ["hobby: telescope", "telescope note", "telescope: It arrived"]
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


# What a question asks for by the names of keys

FACTS = {
    "job": "nurse",
    "location": "Львів",
    "age": "34",
    "birthday": "12 травня",
    "employer": "Novus",
    "pet": "Murka",
    "hobby": "скелелазіння",
    "language": "Polish",
    "marital_status": "single",
    "allergy": "арахіс",
    "hometown": "Полтава",
    "favorite_food": "borscht",
    "goal": "run a marathon",
    "sibling": "Petro",
}
NOTES = (
    *("My brother lives in Warsaw and works as a plumber", "Wants a green sofa for the living room"),
    *("Mother was born in Odesa and grew up there", "A company picnic was fun this time"),
    *("Брат живе у Варшаві й працює сантехніком", "Мама народилася в Одесі, скільки років минуло"),
    *("Цього разу час на пікніку компанії минув весело", "Кіт спить на столі цілий день"),
)


async def test_questions_about_oneself_find_their_fact_first_without_an_embedder(open_store, make_person):
    person = make_person(await open_store(calls_per_hour=0))
    for key, value in FACTS.items():
        await person.fact(key, value)
    for note in NOTES:
        await person.note(note)
    for file, share in (("key_questions.tsv", 1.0), ("key_questions_held.tsv", 0.9)):
        lines = (Path(__file__).parents[1] / "data" / file).read_text("utf-8").splitlines()
        questions = [line.split("\t")[1:] for line in lines if not line.startswith("#")]
        first = {question: (await texts(person, question))[0][0] for question, _ in questions}
        right = [first[question].startswith(f"{key.replace('_', ' ')}: ") for question, key in questions]
        assert sum(right) / len(right) >= share, [
            line for line, is_right in zip(questions, right, strict=True) if not is_right
        ]
    # Who asks about somebody else, too, is not answered with one's own.
    assert (await texts(person, "Where does my brother live?"))[0][0] == NOTES[0]
    assert (await texts(person, "Де живе мій брат?"))[0][0] == NOTES[4]
    assert NOTES[2] in (await texts(person, "When was I born?"))[0]


# One ranking of all kinds, with when and by whom


async def past(person, value, key="location", **more):
    arguments = {"user_id": 123, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
    assert (await person.call("update_fact_with_temporal", **arguments | more)).status == "success"


async def test_what_is_past_or_to_come_says_so_and_when(person):
    await past(person, "Kyiv", valid_to="2020")
    await past(person, "pilot", "job", valid_from="2027")
    await person.fact("location", "Lviv")
    found = (await person.call("recall", query="where does the person live? and the job", explain=False))["memories"]
    shown = {one["content"]: (one.get("state"), one.get("valid_from", one.get("valid_to"))) for one in found}
    assert shown == {
        "location: Lviv": (None, None),
        "location: Kyiv": ("past", "2020-01-01T00:00:00+00:00"),
        "job: pilot": ("to come", "2027-01-01T00:00:00+00:00"),
    }


async def test_what_was_comes_first_where_the_question_asks_for_it(person):
    await past(person, "Kyiv", valid_to="2020")
    await person.fact("location", "Lviv")
    assert (await texts(person, "Where do I live?"))[0] == ["location: Lviv", "location: Kyiv"]
    for question in ("Where did I live before?", "Де я жив раніше?"):
        assert (await texts(person, question))[0] == ["location: Kyiv", "location: Lviv"]


async def test_who_said_it_is_told_where_it_is_not_the_person(person, memory):
    bob = person.at(user=5)
    for one, name in ((person, "Anna"), (bob, "Bob")):
        await memory.report_member(
            "telegram", "456", Member(user=str(one.turn().user), number=one.turn().user, name=name)
        )
    await bob.call(
        "remember_fact", user_id=123, fact_type="trait", fact_key="habit", fact_value="reads at night", confidence=0.9
    )
    await bob.call("create_long_term_memory", memory_content="reads on Fridays here", scope="server_wide")
    await person.note("reads a lot")
    found = (await person.call("recall", query="reads"))["memories"]
    assert {one["content"]: (one.get("said_by"), one.get("name")) for one in found} == {
        "habit: reads at night": (5, "Bob"),
        "reads on Fridays here": (5, "Bob"),
        "reads a lot": (None, None),
    }


@pytest.mark.partitioned
async def test_relations_are_recalled_by_their_words_and_both_names(person, memory):
    people = {123: "Anna", 5: "Olena", 6: "Petro"}
    for number, name in people.items():
        await memory.report_member("telegram", "456", Member(user=str(number), number=number, name=name))
    for user, related, word in ((123, 5, "friend"), (123, 6, "friend"), (5, 6, "parent")):
        await person.call("remember_relationship", user_id=user, related_user_id=related, relationship=word)
    assert (await texts(person, "Хто друзі Петра?"))[0][0] == "friend: Anna ↔ Petro"
    assert (await texts(person, "Olena's friends"))[0][0] == "friend: Anna ↔ Olena"
    assert (await texts(person, "whose mother is Olena?"))[0][0] == "parent: Olena → Petro"
    assert (await texts(person, "Petro", kinds=["fact", "note"]))[0] == []
    assert sorted((await texts(person, "friend parent", user_id=6))[0]) == [
        "friend: Anna ↔ Petro",
        "parent: Olena → Petro",
    ]
    assert (await texts(person, "parent", scope="personal"))[0] == []
    await memory.set_privacy(PrivacyLevel.PARTIAL, person.at(user=5).turn())
    assert (await texts(person, "Olena"))[0] == []
    context = await memory.build_context(person.turn(), 800, query="Who is Petro to me?")
    assert "relation “friend: Anna ↔ Petro”" in context.text or '"friend: Anna ↔ Petro"' in context.text
    summary = await person.call("generate_profile_summary", user_id=123)
    assert "friend: Anna ↔ Petro" in summary["summary"]


async def test_memories_and_messages_have_ranks_in_one_order(person):
    await person.note("has a red telescope from Lviv")
    await person.note("likes the telescope of a neighbour")
    await person.speaks("the red telescope from Lviv arrived")
    found = await person.call("recall", query="red telescope Lviv")
    ranks = [one["rank"] for one in (*found["memories"], *found["messages"])]
    assert ranks == [1, 3, 2]
    assert "rank" not in (await person.call("recall", query="neighbour", kinds=["note"]))["memories"][0]


async def test_what_is_explained_says_which_message_it_comes_from(person, memory, clock):
    turn = person.turn(text="I have a telescope", message="m1")
    await memory.record("user", turn.text, turn)
    await person.call("remember", content="has a telescope", turn=turn)
    [found] = (await person.call("recall", query="telescope", explain=True, kinds=["note"]))["memories"]
    assert found["sources"] == [{"said_by": 123, "at": clock.now.isoformat(), "text": "I have a telescope"}]
    assert "sources" not in (await person.call("recall", query="telescope", kinds=["note"]))["memories"][0]
