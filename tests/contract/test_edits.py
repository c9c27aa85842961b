"""An edited message takes back what it says no longer."""

from __future__ import annotations

import pytest
from tests.support.told import SAID, tells, writes

from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel

pytestmark = [pytest.mark.asyncio, pytest.mark.every_case]


@pytest.fixture(params=["sqlite-file", "postgres", "postgres-partitioned"])
def back_end(request):
    """One of each: what is different here is how transactions are made."""
    return request.param


async def texts(person):
    return [message.text for message in await person.memory.recent(person.turn(), 50)]


async def test_what_an_edited_message_says_no_longer_goes_and_what_it_still_says_stays(ann):
    fact = await tells(ann)
    await tells(ann, key="hobby", value="bees", fact_type="preference")
    await writes(ann, "I keep bees")
    assert await ann.values() == ["bees"]
    assert await ann.found("Lviv") == []
    assert await texts(ann) == ["I keep bees"]
    await ann.memory.undo(fact, ann.turn())
    assert await ann.values() == ["Lviv", "bees"]


async def test_the_answers_that_retold_it_are_told_no_longer_and_the_others_are(ann):
    await tells(ann)
    for answer in ("Noted: you live in Lviv.", "Bees are fun, which hives do you have?"):
        await ann.memory.record("assistant", answer, ann.turn())
    await writes(ann, "I keep bees")
    assert await texts(ann) == ["I keep bees", "Bees are fun, which hives do you have?"]


async def test_an_answer_that_retold_what_nothing_was_kept_of_is_told_no_longer(ann):
    await writes(ann, "The spare key is under the green flowerpot")
    await ann.memory.record("assistant", "I see, under the green flowerpot.", ann.turn())
    await writes(ann, "Never mind")
    assert await texts(ann) == ["Never mind"]


async def test_answers_to_others_go_that_name_its_writer_and_retell_it_in_nearly_the_same_words(ann, bob):
    await ann.memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    await writes(ann, "My spare key lies under the zubr stone")
    answers = ["Ann's spare key is under the zubr stone.", "A zubr is no stone.", "Ann is away."]
    for answer in answers:
        await ann.memory.record("assistant", answer, bob.turn())
    await writes(ann, "Never mind")
    assert await texts(bob) == ["Never mind", *answers[1:]]


@pytest.mark.parametrize(
    "edited",
    ["I live in Lviv, and I keep bees!!", "Lviv is where I live. I keep bees", "і live in Львів now, with my bees"],
)
async def test_what_is_said_in_other_words_stays(ann, edited):
    await tells(ann)
    await writes(ann, edited)
    assert await ann.values() == ["Lviv"]


@pytest.mark.parametrize("edited", ["I don't live in Lviv any more", "I used to live in Lviv"])
async def test_what_it_takes_back_is_hidden_alone_and_the_new_words_are_told(ann, edited):
    await tells(ann)
    await writes(ann, edited)
    assert await ann.values() == []
    assert await texts(ann) == [edited]


@pytest.mark.parametrize(
    ("former", "edited", "key", "slip", "value"),
    [
        ("I live in Lvyv", "I live in Lviv", "location", "Lvyv", "Lviv"),
        ("I love chees so much", "I love cheese so much", "like", "chees", "cheese"),
        ("My cat is called Barsyk", "My cat is called Barsik!", "pet", "cat Barsyk", "cat Barsik"),
        ("У мене алергія на горихи", "У мене алергія на горіхи", "allergy", "горихи", "горіхи"),
        ("I live in kharkov, Ukraine", "I live in Kharkiv, Ukraine", "location", "Kharkov", "Kharkiv"),
    ],
)
async def test_a_slip_that_an_edit_puts_right_is_put_right(ann, former, edited, key, slip, value):
    fact = await tells(ann, former, key=key, value=slip)
    await writes(ann, edited)
    assert await ann.values() == [value]
    kept = await ann.fact(key=key, value=value, turn=ann.turn(text=edited, message="7"))
    assert (kept.status, kept["fact_id"]) == ("skipped", fact)


@pytest.mark.parametrize(
    ("former", "edited", "key", "value"),
    [
        ("I have a cat", "I have a car", "pet", "cat"),
        ("I live in Kharkov", "My mom lives in Kharkiv", "location", "Kharkov"),
        ("I like cats", "I hate bats", "like", "cats"),
        ("I'm from Iran", "Bob is from Iraq", "origin", "Iran"),
        ("My name is Marina", "My cat is Marine", "name", "Marina"),
        ("My son is Andrei", "My dog is Andrey", "family", "son Andrei"),
    ],
)
async def test_an_edit_that_says_something_else_puts_no_value_of_that_in_the_place_of_what_was_said(
    ann, former, edited, key, value
):
    await tells(ann, former, key=key, value=value)
    await writes(ann, edited)
    assert await ann.values() in ([], [value])


async def test_answers_that_tell_a_slip_and_not_what_it_was_meant_to_be_are_told_no_longer(ann, make_person, memory):
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    fact = await tells(ann, "I come from Austria", key="origin", value="Austria")
    bob = make_person(memory, user=124)
    stay = ["Do you mean Austria or Australia?", "Austria is small.", "Ann asked about tea."]
    await memory.record("assistant", "Noted: you come from Austria.", ann.turn())
    await memory.record("assistant", stay[0], ann.turn())
    await memory.record("assistant", "Ann is from Austria, I think.", bob.turn())
    await memory.record("assistant", "She is from Austria.", bob.turn(), given=[fact])
    for answer in stay[1:]:
        await memory.record("assistant", answer, bob.turn())
    await writes(ann, "I come from Australia")
    assert await ann.values() == ["Australia"]
    assert await texts(ann) == ["I come from Australia", *stay]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I have {}", "Ann has {}, I think."),
        ("I have had {} since my childhood in a small village", "Ann has had {} since childhood in a small village."),
    ],
)
@pytest.mark.parametrize(("former", "value"), [("HIV", "HPV"), ("measles", "weasles")])
async def test_an_answer_to_another_that_names_them_tells_a_slip_no_longer(ann, bob, said, answer, former, value):
    await ann.memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    await tells(ann, said.format(former), key="health", value=former)
    await ann.memory.record("assistant", answer.format(former), bob.turn())
    await writes(ann, said.format(value))
    assert await texts(bob) == [said.format(value)]


async def test_an_episode_that_tells_a_slip_is_told_no_longer(ann):
    await tells(ann, "I come from Austria", key="origin", value="Austria")
    turn = ann.turn(text="I come from Austria", message="7")
    made = await ann.call("create_episode", turn=turn, topic="Origin", summary="Ann is from Austria.", importance=0.5)
    assert made.status == "success"
    await writes(ann, "I come from Australia")
    assert not (await ann.call("recall_episodes", query="Austria")).get("episodes")


@pytest.mark.parametrize(("former", "value"), [("Lvyv", "Lviv"), ("Lvov", "Lviv"), ("Omsk", "Orsk")])
async def test_a_short_word_is_remembered_as_it_is_written_by_now(ann, memory, former, value):
    for text in (f"I live in {former}", f"I live in {value}"):
        await memory.observe(text, ann.turn(text=text, message="7"), own_text=text)
    assert await ann.values() == [value]


async def test_a_slip_stays_that_another_message_has_too(ann):
    await tells(ann, "I live in Lvyv")
    await tells(ann, "Lvyv, that is where I live", message="8", value="Lvyv")
    await writes(ann, "I live in Lviv")
    assert len(await ann.values()) == 1


async def test_of_a_slip_that_is_read_anew_the_base_form_is_kept(ann, memory):
    for text in ("Я живу у Лвові", "Я живу у Львові"):
        await memory.observe(text, ann.turn(text=text, message="7"), own_text=text)
    assert await ann.values() == ["Львів"]


@pytest.mark.parametrize(
    ("former", "edited", "key", "value"),
    [
        ("I love coffee", "I can't live without coffee", "like", "coffee"),
        ("У мене алергія на горіхи", "Мені не можна горіхи через алергію", "allergy", "горіхи"),
        ("I have asthma", "I was diagnosed with asthma", "health", "asthma"),
    ],
)
async def test_a_negation_that_still_says_it_hides_nothing(ann, former, edited, key, value):
    await tells(ann, former, key=key, value=value)
    await writes(ann, edited)
    assert await ann.values() == [value]


@pytest.mark.parametrize("edited", ["What's the weather like?", None])
async def test_an_answer_that_tells_what_is_known_stays_when_its_question_goes(ann, edited):
    await tells(ann, "My cat is called Tom", key="pet", value="Tom")
    question = await writes(ann, "What is my cat called?", message="8")
    answer = "Your cat is called Tom."
    await ann.memory.record("assistant", answer, ann.turn())
    if edited is None:
        await ann.memory.unrecord(question)
    else:
        await writes(ann, edited, message="8")
    assert await texts(ann) == ["My cat is called Tom", *([] if edited is None else [edited]), answer]


async def test_an_answer_that_retold_a_question_of_which_nothing_is_known_is_told_no_longer(ann):
    await tells(ann, "My name is Ann", key="name", value="Ann")
    await writes(ann, "Is the spare key still under the green flowerpot?", message="8")
    await ann.memory.record("assistant", "Ann, it is under the green flowerpot.", ann.turn())
    await writes(ann, "Never mind", message="8")
    assert await texts(ann) == ["My name is Ann", "Never mind"]


async def test_a_quote_that_no_message_holds_goes_and_the_fact_stays(ann):
    await tells(ann, source_excerpt="I live in Lviv")
    await writes(ann, "Lviv is home, and bees")
    [fact] = await ann.facts()
    assert fact["value"] == "Lviv"
    assert not fact.get("source_excerpt")


async def test_what_another_message_says_too_stays_and_has_that_one_as_its_source(ann):
    fact = await tells(ann)
    await tells(ann, "Lviv again: I live there", message="8")
    await writes(ann, "I keep bees")
    assert await ann.values() == ["Lviv"]
    origin = await ann.memory.why(fact, ann.turn())
    assert [source.text for source in origin.sources] == ["Lviv again: I live there"]


@pytest.mark.partitioned
async def test_what_was_told_of_others_by_it_goes_from_their_rows(ann, bob):
    await bob.speaks()
    turn = await writes(ann, "Bob lives in Lviv and we all meet on Fridays")
    heard = await ann.fact(value="Lviv", user_id=bob.turn().user_number, turn=turn)
    meeting = {"memory_content": "We all meet on Fridays", "scope": "server_wide"}
    note = await ann.call("create_long_term_memory", **meeting, turn=turn)
    assert (heard.status, note.status) == ("success", "memory_created_successfully")
    await writes(ann, "Good morning everybody")
    assert await bob.values() == []
    assert await bob.found("Fridays") == []


async def test_a_note_in_other_words_stays_while_most_of_the_message_does(ann):
    turn = await writes(ann, "Моя кішка Мурка знову спить на клавіатурі цілий день")
    await ann.note("Has a pet that sleeps a lot", turn=turn)
    await writes(ann, "Моя кішка Мурка знову спить на клавіатурі цілий вечір")
    assert await ann.found("pet") == ["Has a pet that sleeps a lot"]
    await writes(ann, "Ой, не туди")
    assert await ann.found("pet") == []


async def test_an_episode_that_tells_it_is_told_no_longer(ann):
    turn = await writes(ann, SAID)
    made = await ann.call("create_episode", turn=turn, topic="Moving", summary="Ann lives in Lviv now.", importance=0.5)
    assert made.status == "success"
    await writes(ann, "Good morning everybody")
    found = await ann.call("recall_episodes", query="Lviv")
    assert not found.get("episodes")


async def test_the_same_text_again_and_a_first_one_change_nothing(ann):
    await tells(ann)
    await writes(ann, SAID)
    await writes(ann, "I keep bees", message="9")
    assert await ann.values() == ["Lviv"]


async def test_what_it_said_before_can_be_told_again_by_a_later_message(ann, clock):
    await tells(ann)
    await writes(ann, "I keep bees")
    clock.forward(minutes=1)
    await tells(ann, "Well, I do live in Lviv", message="8")
    assert await ann.values() == ["Lviv"]


async def test_what_a_model_read_before_the_edit_is_kept_only_if_it_is_still_said(ann):
    turn = await writes(ann, "I live in Lvov and I keep bees")
    await writes(ann, "I live in Ternopil and I keep bees")
    late = await ann.fact(value="Lvov", turn=turn)
    assert late.status == "refused"
    assert (await ann.fact("hobby", "bees", fact_type="preference", turn=turn)).status == "success"
    assert await ann.values() == ["bees"]


@pytest.mark.parametrize(
    ("former", "edited", "value", "corrected"),
    [
        ("I'm allergic to peanuts", "I'm allergic to nuts", "peanuts", "nuts"),
        ("I work at KPI", "I work at KNU", "KPI", "KNU"),
    ],
)
async def test_a_correction_is_told_and_can_be_kept_and_taken_back(ann, former, edited, value, corrected):
    await tells(ann, former, key="hobby", value=value)
    turn = await writes(ann, edited)
    assert await texts(ann) == [edited]
    assert (await ann.fact("hobby", corrected, turn=turn)).status == "success"
    assert await ann.values() == [corrected]
    again = await writes(ann, former)
    assert (await ann.fact("hobby", value, turn=again)).status == "success"
    assert await ann.values() == [value]


async def test_other_messages_of_theirs_stay_told(ann):
    await tells(ann)
    await writes(ann, "Lviv has the best coffee", message="8")
    await writes(ann, "I keep bees")
    assert await texts(ann) == ["I keep bees", "Lviv has the best coffee"]


async def test_an_answer_to_another_that_names_them_is_told_no_longer(ann, bob):
    await ann.memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    await writes(ann, "My spare key is under the green flowerpot")
    await ann.memory.record("assistant", "Ann's spare key is under the green flowerpot.", bob.turn())
    await writes(ann, "Never mind")
    assert await texts(bob) == ["Never mind"]


async def test_an_edit_of_somebody_who_wants_no_memory_removes_the_message(ann):
    await tells(ann)
    await ann.memory.set_privacy(PrivacyLevel.FULL, ann.turn())
    await writes(ann, "Never mind")
    await ann.at(direct=True, space="123", chat="123").memory.set_privacy(
        PrivacyLevel.MINIMAL, ann.at(direct=True, space="123", chat="123").turn()
    )
    assert await texts(ann) == []
    assert await ann.values() == []


async def test_a_quote_that_still_stands_does_not_hide_a_denial(ann):
    await tells(ann, source_excerpt="I live in Lviv")
    await writes(ann, "I live in Lviv no longer, and I keep bees")
    assert await ann.values() == []


@pytest.mark.parametrize(
    "edited", ["My brother lives in Lviv", "Do you live in Lviv?", "I live in Lviv. Just kidding!"]
)
async def test_what_an_edit_tells_of_somebody_else_is_the_writers_no_longer(ann, edited):
    await tells(ann, "I live in Lviv")
    await writes(ann, edited)
    assert await ann.values() == []


async def test_what_an_edit_says_otherwise_of_the_same_thing_is_kept(ann):
    await tells(ann, "I like tea", key="like", value="tea")
    turn = await writes(ann, "I hate tea")
    assert (await ann.fact("dislike", "tea", turn=turn)).status == "success"
    assert await ann.values() == ["tea"]


async def test_what_others_were_answered_with_a_fact_goes_with_the_edit_that_takes_it_back(ann, make_person, memory):
    fact = await tells(ann, "I live in Lviv")
    bob = make_person(memory, user=124)
    for answer in ("She lives in Lviv.", "Вона живе у Львові."):
        await memory.record("assistant", answer, bob.turn(), given=[fact])
    await memory.record("assistant", "Lviv is far away.", bob.turn())
    await writes(ann, "Never mind")
    assert await texts(ann) == ["Never mind", "Lviv is far away."]


@pytest.mark.parametrize("undo_hours", [24, 0])
@pytest.mark.parametrize("days", [0, 2])
async def test_what_an_edit_takes_back_is_remembered_when_a_later_edit_says_it_again(
    open_store, make_person, clock, undo_hours, days
):
    memory = await open_store(undo_hours=undo_hours)
    ann, said_at = make_person(memory), clock.now
    for text in ("I live in Lviv", "I live in Kyiv", "I live in Lviv", "I live in Kyiv"):
        turn = ann.turn(text=text, message="7", time=said_at)
        await memory.observe(text, turn, own_text=text)
        assert await ann.values() == [text.split()[-1]]
        clock.forward(days=days, seconds=5)
        await memory.tidy()


async def test_a_model_keeps_what_a_later_edit_says_again(ann, clock):
    said_at = clock.now
    for number, value in enumerate(("Lviv", "Kyiv", "Lviv")):
        clock.forward(seconds=5)
        turn = ann.turn(text=f"I live in {value}", message="7", time=said_at)
        await ann.memory.record("user", turn.text, turn)
        assert (await ann.fact(value=value, turn=turn)).status == "success"
        answer = f"{value}, noted ({number})"
        await ann.memory.record("assistant", answer, ann.turn(text=turn.text, time=said_at))
        assert answer in await texts(ann)


async def test_a_message_that_was_forgotten_and_says_something_else_by_now_is_told_and_remembered(memory, ann, clock):
    said_at = clock.now
    fact = await tells(ann, "I live in Lviv")
    await ann.deletes(fact)
    for text, told in (("I live in Lviv!", []), ("I like jazz", ["I like jazz"])):
        clock.forward(seconds=10)
        turn = ann.turn(text=text, message="7", time=said_at)
        await memory.observe(text, turn, own_text=text)
        assert await texts(ann) == told
        assert await ann.values() == (["jazz"] if told else [])
    await memory.undo(fact, ann.turn())
    assert await ann.values() == ["Lviv", "jazz"]
    assert (await memory.why(fact, ann.turn())).sources == ()


async def test_an_edited_message_is_told_again_only_if_nothing_of_it_is_forgotten(memory, ann):
    live = await tells(ann, "I live in Lviv and I keep bees")
    keep = await tells(ann, "I live in Lviv and I keep bees", key="hobby", value="bees", fact_type="preference")
    await ann.deletes(live)
    await ann.deletes(keep)
    await writes(ann, "I keep bees")
    assert await texts(ann) == []
    await writes(ann, "I keep cats")
    assert await texts(ann) == ["I keep cats"]


async def test_what_only_went_on_with_what_is_forgotten_is_told_again_only_where_it_says_something_else(memory, ann):
    going_on = "it makes my joints ache every single night and the doctor at the hospital gave me strong pills for it"
    fact = await tells(ann, "I have zorvakula", key="illness", value="zorvakula", message="6")
    await writes(ann, going_on)
    await ann.deletes(fact)
    await memory.run_tasks()
    assert await texts(ann) == []
    await writes(ann, f"{going_on}.")
    assert await texts(ann) == []
    await writes(ann, "I like jazz")
    assert await texts(ann) == ["I like jazz"]


@pytest.mark.parametrize(
    ("former", "edited", "is_dated"),
    [
        ("I've lived in Lviv since 2025", "I've lived in Lviv since last year", True),
        ("I've lived in Lviv since last year", "I've lived in Lviv since 2025", True),
        ("I've lived in Lviv since 2025", "I live in Lviv", False),
        ("I've lived in Lviv since last year", "I live in Lviv", False),
    ],
)
async def test_a_date_stays_that_an_edited_message_tells_in_other_words(memory, ann, clock, former, edited, is_dated):
    said_at = clock.now
    for text in (former, edited):
        await memory.observe(text, ann.turn(text=text, message="7", time=said_at), own_text=text)
        clock.forward(seconds=5)
    [fact] = await ann.facts()
    assert ("valid_from" in fact) is is_dated
