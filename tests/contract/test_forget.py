"""`forget`: two calls, in two turns of one person, about one text; over every back end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from zgadka.ops.open_questions import open_deletion

pytestmark = pytest.mark.asyncio

REFUSALS = [
    "no",
    "No!",
    "nope",
    "Do NOT delete",
    "don't",
    "cancel",
    "keep it",
    "ні",
    "не треба",
    "нет, не надо",
    "yes... no",
]
PLACES = [
    pytest.param({"user": 124}, id="another user"),
    pytest.param({"user": "123 "}, id="an id with a space after it"),
    pytest.param({"chat": "457"}, id="another chat"),
    pytest.param({"space": "457"}, id="another space"),
    pytest.param({"platform": "discord"}, id="another platform"),
    pytest.param({"persona": 5}, id="another persona"),
    pytest.param({"direct": True}, id="a direct chat"),
]
ODD_IDS = [
    "24 OR 1=1",
    "*",
    "%",
    "-1",
    "9" * 40,
    "ID:",
    "ID:x",
    "1.5",
    "1e0",
    "0",
    "#",
    "١",
    "1; DROP TABLE memory",
    "1\n",
]


async def asked(person, memory_id):
    result = await person.call("forget", memory_id=memory_id)
    assert result.status == "confirmation_required", result
    return result


async def test_an_order_that_is_edited_is_no_order_any_more(person, memory, clock):
    memory_id = await person.note("likes tea")
    order = person.turn(text="forget the tea", message="7", time=clock.now)
    await memory.record("user", "forget the tea", order)
    assert (await person.call("forget", turn=order, memory_id=memory_id)).status == "confirmation_required"
    await memory.record("user", "nothing", replace(order, turn="edit", text="nothing"))
    clock.forward(seconds=5)
    answer = person.turn(text="yes", time=clock.now)
    assert (await person.call("forget", turn=answer, memory_id=memory_id)).status == "confirmation_required"


# The edge-case table of seed 000


async def test_a_different_id_on_the_second_call_is_a_new_first_call_and_drops_the_old_question(person):
    first, second = await person.note("lives in San Francisco"), await person.note("visited Oakland")
    await asked(person, first)
    await asked(person, second)
    await asked(person, first)
    assert len(await person.found("San Francisco Oakland")) == 2


async def test_after_five_minutes_it_asks_again_with_a_fresh_preview_and_deletes_nothing(person, clock):
    memory_id = await person.note("lives in San Francisco")
    await asked(person, memory_id)
    clock.forward(minutes=5, seconds=1)
    result = await asked(person, memory_id)
    assert result["content"] == "lives in San Francisco"
    clock.forward(minutes=4, seconds=59)
    assert (await person.call("forget", memory_id=memory_id)).status == "deleted"


async def test_a_memory_already_deleted_between_the_calls_is_not_found(person):
    memory_id = await person.note("lives in San Francisco")
    await asked(person, memory_id)
    await person.at(chat="elsewhere").deletes(memory_id)
    result = await person.call("forget", memory_id=memory_id)
    assert result.status == "not_found"
    assert "Memory not found" in result.message


async def test_an_unknown_id_is_not_found_with_suggestions(person):
    memory_id = await person.note("lives in San Francisco")
    result = await person.call("forget", memory_id="f926ff7f")
    assert result.status == "not_found"
    assert "Memory not found" in result.message
    assert result["suggestions"] == [{"memory_id": memory_id, "content": "lives in San Francisco"}]


async def test_several_ids_are_tracked_one_by_one(person):
    one, two, three = [await person.note(text) for text in ("chess", "guitar", "cycling")]
    await asked(person, one)
    result = await person.call("forget", memory_id=f"{one}, ID:{two},{three}")
    assert result.status == "confirmation_required"
    assert [memory["memory_id"] for memory in result["deleted"]] == [one]
    assert [memory["memory_id"] for memory in result["awaiting"]] == [two, three]
    result = await person.call("forget", memory_id=f"{two},{three},{one}")
    assert [memory["memory_id"] for memory in result["deleted"]] == [two, three]
    assert result["not_found"] == [str(one)]


async def test_all_of_several_ids_must_be_confirmed(person):
    one, two = await person.note("chess"), await person.note("guitar")
    await person.call("forget", memory_id=f"{one},{two}")
    result = await person.call("forget", memory_id=one)
    assert result.status == "deleted"
    assert await person.found("chess guitar") == ["guitar"]


ANSWERS = [
    *[
        (said, {"tea", "chess"})
        for said in ("yes", "yes, both", "так, обидва", "delete both", "обидва", "yes, all of them")
    ],
    *[(said, {"tea"}) for said in ("only the first", "the first one", "лише перше", "delete the tea one")],
    *[(said, {"chess"}) for said in ("only the last", "the second", "the 2nd", "тільки друге", "delete the chess one")],
    *[(said, set()) for said in ("no", "ні", "not both", "neither", "not the first", "9", "the third", "which first?")],
]


@pytest.mark.parametrize("asks", [["{tea},{chess}"], ["{tea}", "{chess}"]], ids=["in one call", "in two"])
@pytest.mark.parametrize("confirms", [["{tea},{chess}"], ["{tea}", "{chess}"]], ids=["with one", "with two"])
@pytest.mark.parametrize(("said", "meant"), ANSWERS)
async def test_what_one_turn_asked_about_is_answered_together(person, memory, asks, confirms, said, meant):
    await person.note("a filler that has an id before theirs")
    ids = {name: await person.note(name) for name in ("chess", "tea")}
    asking = person.turn(text="forget tea and chess")
    for ask in asks:
        assert (await person.call("forget", memory_id=ask.format(**ids), turn=asking)).status == "confirmation_required"
    answering = person.turn(text=said)
    for confirm in confirms:
        await person.call("forget", memory_id=confirm.format(**ids), turn=answering)
    assert set(await person.found("tea chess")) == {"tea", "chess"} - meant
    if meant:  # what was left out is asked about no more
        assert await memory.plain_question("ok", person.turn(text="ok")) is None


async def test_what_a_turn_asks_about_again_stands_with_what_it_asks_about_too(person):
    chess, tea = [await person.note(name) for name in ("chess", "tea")]
    await person.call("forget", memory_id=chess, turn=person.turn(text="forget chess"))
    again = person.turn(text="Well, what about tea? And chess")
    for memory_id in (chess, tea):
        assert (await person.call("forget", memory_id=memory_id, turn=again)).status == "confirmation_required"
    await person.call("forget", memory_id=f"{chess},{tea}", turn=person.turn(text="yes, both"))
    assert await person.found("chess tea") == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [("{0}", {"chess"}), ("yes, {1} and {2}", {"tea", "jazz"}), ("{1} and the first", set()), ("only {1}", {"tea"})],
)
async def test_numbers_are_ids_and_words_are_places(person, said, meant):
    await person.note("a filler that has an id before theirs")
    ids = [await person.note(text) for text in ("chess", "tea", "jazz")]
    named = ",".join(map(str, ids))
    await person.call("forget", memory_id=named)
    await person.call("forget", memory_id=named, turn=person.turn(text=said.format(*ids)))
    assert set(await person.found("chess tea jazz")) == {"chess", "tea", "jazz"} - meant


@pytest.mark.parametrize("said", ["only the first", "the first", "delete the chess one"])
async def test_what_an_answer_left_out_is_asked_about_no_more(person, memory, said):
    one, two = await person.note("chess"), await person.note("tea")
    await person.call("forget", memory_id=f"{one},{two}")
    assert (await person.call("forget", memory_id=one, turn=person.turn(text=said))).status == "deleted"
    assert await memory.plain_question("yes", person.turn(text="yes")) is None
    assert (await person.call("forget", memory_id=two, turn=person.turn(text="yes"))).status == "confirmation_required"


@pytest.mark.parametrize("said", ["only the first", "the first", "delete the chess one"])
async def test_one_call_for_all_deletes_what_is_picked_and_keeps_the_others(person, said):
    one, two = await person.note("chess"), await person.note("tea")
    await person.call("forget", memory_id=f"{one},{two}")
    result = await person.call("forget", memory_id=f"{one},{two}", turn=person.turn(text=said))
    assert [memory["memory_id"] for memory in result["deleted"]] == [one]
    assert "awaiting" not in result
    assert "kept: “tea”" in result.message


@pytest.mark.parametrize("said", ["the first", "only the second", "yes, the 1st"])
async def test_a_plain_answer_that_picks_leaves_nothing_open(person, memory, said):
    ids = [await person.note("chess"), await person.note("tea")]
    await person.call("forget", memory_id=",".join(map(str, ids)))
    answer = await memory.plain_question(said, person.turn(text=said))
    assert answer is not None
    assert (answer.agrees, answer.question.memory, answer.also) == (True, ids["second" in said], ())
    await person.call("forget", memory_id=answer.question.memory, turn=person.turn(text=said))
    assert await memory.plain_question("ok", person.turn(text="ok")) is None


async def test_places_are_those_of_the_list_that_was_shown_last(person):
    chess, tea, jazz = [await person.note(text) for text in ("chess", "tea", "jazz")]
    await person.call("forget", memory_id=f"{chess},{tea}")
    await person.call("forget", memory_id=f"{tea},{jazz}", turn=person.turn(text="hm"))
    await person.call("forget", memory_id=f"{tea},{jazz}", turn=person.turn(text="only the second"))
    assert set(await person.found("chess tea jazz")) == {"chess", "tea"}


async def test_a_number_names_the_memory_and_not_the_message_beside_it(person, memory):
    note = await person.note("tea")
    numbers = [await memory.record("user", "The weather is nice", person.turn()) for _ in range(note)]
    assert note in numbers
    named = f"{note},M{note}"
    await person.call("forget", memory_id=named)
    await person.call("forget", memory_id=named, turn=person.turn(text=f"yes, {note}"))
    assert await person.found("tea") == []
    assert len(await memory.recent(person.turn(), 50)) == len(numbers)


async def test_an_id_named_twice_in_one_call_is_asked_once_and_not_deleted(person):
    memory_id = await person.note("chess")
    result = await person.call("forget", memory_id=f"{memory_id},ID:{memory_id}, {memory_id}")
    assert result.status == "confirmation_required"
    assert len(result["awaiting"]) == 1
    assert await person.found("chess") == ["chess"]


async def test_rapid_calls_in_one_turn_never_delete(person, memory):
    memory_id = await person.note("chess")
    turn = person.turn()
    for _ in range(5):
        assert (await person.call("forget", turn=turn, memory_id=memory_id)).status == "confirmation_required"
    assert await person.found("chess") == ["chess"]


async def test_rapid_calls_in_one_turn_are_counted_and_do_not_prolong_the_question(person, memory, clock):
    memory_id = await person.note("chess")
    turn = person.turn()
    await person.call("forget", turn=turn, memory_id=memory_id)
    clock.forward(minutes=4)
    await person.call("forget", turn=turn, memory_id=memory_id)
    question = await memory.look(open_deletion, person.turn(), memory_id)
    assert question.requests == 2
    clock.forward(minutes=1, seconds=1)
    await asked(person, memory_id)


# The success criteria of seed 000


async def test_a_deletion_needs_exactly_two_calls_with_the_same_id(person):
    memory_id = await person.note("lives in San Francisco")
    first = await person.call("forget", memory_id=memory_id)
    assert first.status == "confirmation_required"
    assert first["memory_id"] == memory_id
    assert first["content"] == "lives in San Francisco"
    assert await person.found("San Francisco") == ["lives in San Francisco"]
    second = await person.call("forget", memory_id=f"ID:{memory_id}")
    assert second.status == "deleted"
    assert second["memory_id"] == memory_id
    assert await person.found("San Francisco") == []
    assert (await person.call("forget", memory_id=memory_id)).status == "not_found"


async def test_query_mode_lists_candidates_with_ids_and_similarity_and_marks_nothing(person):
    home = await person.note("User lives in San Francisco")
    trip = await person.note("User visited San Francisco last year, and then Los Angeles")
    await person.note("plays chess")
    for _ in range(3):
        result = await person.call("forget", query="San Francisco")
        assert result.status == "candidates"
        assert [candidate["memory_id"] for candidate in result["candidates"]] == [home, trip]
        assert all(0 < candidate["similarity"] <= 1 for candidate in result["candidates"])
    assert (await person.call("forget", memory_id=home)).status == "confirmation_required"


async def test_query_mode_without_a_match_says_that_nothing_was_found(person):
    result = await person.call("forget", query="San Francisco")
    assert result.status == "nothing_found"
    assert result["candidates"] == []


async def test_query_mode_lists_no_question_and_no_order_to_forget(person):
    for text in ("what do you know about zymurgy?", "is zymurgy hard?", "forget that I like zymurgy"):
        await person.speaks(text)
    for place in (person, person.at(direct=True)):
        assert (await place.call("forget", query="zymurgy")).status == "nothing_found"
    await person.speaks("zymurgy is hard")
    [candidate] = (await person.call("forget", query="zymurgy"))["candidates"]
    assert candidate["content"] == "zymurgy is hard"


async def test_query_mode_says_how_many_there_are_beyond_the_candidates(person):
    for number in range(12):
        await person.note(f"chess game {number}")
    result = await person.call("forget", query="chess")
    assert (result["count"], result["total"]) == (10, 12)


async def test_nothing_is_deleted_by_similarity_substring_or_beginning(person):
    texts = ["San Francisco", "San Francisco Bay", "San", "San Francisco, California: " + "x" * 60]
    ids = [await person.note(text) for text in texts]
    await person.deletes(ids[0])
    assert sorted(await person.found("San Francisco")) == sorted(texts[1:])


# Who may answer


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", PLACES)
async def test_elsewhere_nobody_completes_the_question(person, place):
    memory_id = await person.note("lives in San Francisco")
    await asked(person, memory_id)
    stranger = person.at(**place)
    assert (await stranger.call("forget", memory_id=memory_id)).status in ("not_found", "confirmation_required")
    assert await person.found("San Francisco") == ["lives in San Francisco"]


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("place", PLACES)
async def test_elsewhere_a_question_does_not_count_here(person, place):
    memory_id = await person.note("lives in San Francisco")
    await person.at(**place).call("forget", memory_id=memory_id)
    await asked(person, memory_id)


async def test_a_changed_text_starts_afresh(person):
    fact_id = (await person.fact("location", "Kyiv"))["fact_id"]
    await asked(person, fact_id)
    await person.update("location", "Lviv")
    result = await asked(person, fact_id)
    assert result["content"] == "location: Lviv"
    assert (await person.call("forget", memory_id=fact_id)).status == "deleted"


async def test_evidence_alone_does_not_start_afresh(person):
    fact_id = (await person.fact("location", "Kyiv"))["fact_id"]
    await asked(person, fact_id)
    await person.fact("location", "Київ")
    assert (await person.call("forget", memory_id=fact_id)).status == "deleted"


async def test_an_older_turn_never_confirms(person, clock):
    memory_id = await person.note("chess")
    await person.call("forget", turn=person.turn(time=clock.now), memory_id=memory_id)
    late = person.turn(time=clock.now - timedelta(seconds=1))
    assert (await person.call("forget", turn=late, memory_id=memory_id)).status == "confirmation_required"
    assert await person.found("chess") == ["chess"]


async def test_an_older_turn_without_an_id_never_confirms(person, clock):
    memory_id = await person.note("chess")
    await person.call("forget", turn=person.turn(turn=None, time=clock.now), memory_id=memory_id)
    late = person.turn(turn=None, time=clock.now - timedelta(seconds=1))
    assert (await person.call("forget", turn=late, memory_id=memory_id)).status == "confirmation_required"


async def test_an_older_turn_in_between_does_not_let_the_asking_turn_confirm(person, clock):
    memory_id = await person.note("chess")
    asking = person.turn(time=clock.now)
    await person.call("forget", turn=asking, memory_id=memory_id)
    late = person.turn(time=clock.now - timedelta(seconds=1))
    await person.call("forget", turn=late, memory_id=memory_id)
    assert (await person.call("forget", turn=asking, memory_id=memory_id)).status == "confirmation_required"
    next_ = person.turn(time=clock.now + timedelta(seconds=1))
    assert (await person.call("forget", turn=next_, memory_id=memory_id)).status == "deleted"


async def test_without_turn_ids_two_separate_calls_confirm(person):
    memory_id = await person.note("chess")
    turn = person.turn(turn=None)
    assert (await person.call("forget", turn=turn, memory_id=memory_id)).status == "confirmation_required"
    assert (await person.call("forget", turn=turn, memory_id=memory_id)).status == "deleted"


async def test_a_turn_without_an_id_never_answers_one_with_an_id(person):
    memory_id = await person.note("chess")
    await asked(person, memory_id)
    nameless = person.turn(turn=None)
    assert (await person.call("forget", turn=nameless, memory_id=memory_id)).status == "confirmation_required"
    await asked(person, memory_id)
    assert (await person.call("forget", memory_id=memory_id)).status == "deleted"


@pytest.mark.parametrize("text", REFUSALS)
async def test_a_plain_refusal_closes_the_question_instead_of_deleting(person, text):
    memory_id = await person.note("lives in San Francisco")
    await asked(person, memory_id)
    result = await person.call("forget", turn=person.turn(text=text), memory_id=memory_id)
    assert result.status == "cancelled"
    assert await person.found("San Francisco") == ["lives in San Francisco"]
    await asked(person, memory_id)


async def test_only_words_that_agree_let_the_second_call_delete(person):
    memory_id = await person.note("lives in San Francisco")
    await asked(person, memory_id)
    for text in ("the second one", "what is the weather?", "yes, if it comes back", "I live in San Francisco", ""):
        result = await person.call("forget", turn=person.turn(text=text), memory_id=memory_id)
        assert (result.status, "neither a yes nor a no" in result.message) == ("confirmation_required", True), text
    for text in ("yes", "так, видали", "👍", "forget where I live", f"ID:{memory_id}"):
        again = await person.call("forget", turn=person.turn(text=text), memory_id=memory_id)
        assert again.status == "deleted", text
        await person.memory.undo(memory_id, person.turn())
        await asked(person, memory_id)


async def test_a_refusal_closes_every_named_question(person):
    one, two = await person.note("chess"), await person.note("guitar")
    await person.call("forget", memory_id=f"{one},{two}")
    result = await person.call("forget", turn=person.turn(text="no"), memory_id=f"{one},{two}")
    assert result.status == "cancelled"
    assert len(result["cancelled"]) == 2
    assert (await person.call("forget", memory_id=f"{one},{two}")).status == "confirmation_required"


# Odd ids


@pytest.mark.every_case
@pytest.mark.parametrize("odd", ODD_IDS)
async def test_an_odd_id_names_nothing_and_is_never_a_pattern(person, odd):
    texts = [await person.note(text) and text for text in ("chess", "guitar")]
    for _ in range(2):
        result = await person.call("forget", memory_id=odd)
        if odd == "1\n":  # white space around an id is no part of it
            assert result["memory_id"] == 1
            break
        assert result.status == "not_found", result
    else:
        assert sorted(await person.found("chess guitar")) == texts


@pytest.mark.parametrize("blank", ["", " ", "\t\n", ",", " , ,"])
async def test_a_blank_id_is_a_mistake_and_not_everything(person, blank):
    await person.note("chess")
    for _ in range(2):
        assert (await person.call("forget", memory_id=blank)).status == "invalid_args"
    assert await person.found("chess") == ["chess"]


@pytest.mark.parametrize("form", ["{}", "ID:{}", "id:{}", "ID: {}", "#{}", "ID{}", " {} ", "ID:{},"])
async def test_an_id_is_read_as_it_is_shown(person, form):
    memory_id = await person.note("chess")
    assert (await person.call("forget", memory_id=form.format(memory_id)))["memory_id"] == memory_id


async def test_each_odd_id_of_several_is_answered(person):
    memory_id = await person.note("chess")
    result = await person.call("forget", memory_id=f"*,{memory_id},%, 24 OR 1=1")
    assert result["not_found"] == ["*", "%", "24 OR 1=1"]
    assert [memory["memory_id"] for memory in result["awaiting"]] == [memory_id]


@pytest.mark.parametrize("arguments", [{}, {"memory_id": 1, "query": "chess"}, {"memory_id": None}, {"query": " "}])
async def test_it_wants_either_an_id_or_a_query(person, arguments):
    assert (await person.call("forget", **arguments)).status == "invalid_args"


async def test_more_than_twenty_ids_at_once_are_refused_whole(person):
    ids = [await person.note(f"note {number}") for number in range(21)]
    for _ in range(2):
        result = await person.call("forget", memory_id=",".join(map(str, ids)))
        assert result.status == "invalid_args"
    assert len(await person.found("note")) == 21


@pytest.mark.parametrize("flag", ["confirm", "confirmed", "force", "user_id"])
async def test_there_is_no_flag_by_which_a_model_confirms(person, flag):
    memory_id = await person.note("chess")
    result = await person.call("forget", memory_id=memory_id, **{flag: True})
    assert result.status == "invalid_args"
    await asked(person, memory_id)


# What a deletion leaves


async def test_a_fact_archived_between_the_calls_is_deleted_as_agreed(person):
    fact_id = (await person.fact())["fact_id"]
    await asked(person, fact_id)
    await person.forget_fact("location")
    assert (await person.call("forget", memory_id=fact_id)).status == "deleted"
    trail = await person.memory.history(fact_id, person.turn())
    assert [event.action for event in trail] == ["created", "forgotten", "deleted"]


async def test_a_deleted_memory_is_in_no_table_but_the_audit_trail(person, memory):
    memory_id = await person.note("keeps a zebraquux", tags=["zebraquux"])
    await person.deletes(memory_id)
    assert await person.found("zebraquux") == []
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    assert (counts["notes"], counts["archived"], counts["questions"]) == (0, 0, 0)


async def test_an_id_is_never_used_twice(person):
    first = await person.note("chess")
    await person.deletes(first)
    assert await person.note("chess") > first


async def test_everything_can_be_deleted_whatever_the_default_limit_of_recall(person):
    """“Forget everything about me” removed 10 of 20, because recall's default limit was 10."""
    for number in range(20):
        await person.note(f"likes chess opening {number}")
    found = await person.call("recall", query="chess", limit=50)
    ids = ",".join(str(memory["memory_id"]) for memory in found["memories"])
    assert found["total"] == 20
    await person.call("forget", memory_id=ids)
    assert len((await person.call("forget", memory_id=ids))["deleted"]) == 20
    assert await person.found("chess") == []


async def test_deleting_everything_of_one_person_leaves_the_others(person, make_person, memory):
    other = make_person(memory, user=124)
    mine, theirs = await person.note("chess"), await other.note("chess")
    await person.deletes(mine)
    assert (await person.call("forget", memory_id=theirs)).status == "not_found"
    assert await other.found("chess") == ["chess"]


# At once, and after a restart


async def test_of_two_confirmed_deletes_at_once_one_deletes_and_one_finds_nothing(person):
    memory_id = await person.note("chess")
    await asked(person, memory_id)
    results = await asyncio.gather(*(person.call("forget", memory_id=memory_id) for _ in range(2)))
    assert sorted(result.status for result in results) == ["deleted", "not_found"]


async def test_of_two_confirmed_deletes_through_two_stores_one_deletes_and_one_finds_nothing(
    lasting_url, opening, make_person
):
    here, there = make_person(await opening(lasting_url)), make_person(await opening(lasting_url))
    for number in range(10):
        memory_id = await here.note(f"chess {number}")
        await asked(here, memory_id)
        results = await asyncio.gather(*(one.call("forget", memory_id=memory_id) for one in (here, there)))
        assert sorted(result.status for result in results) == ["deleted", "not_found"]


async def test_a_question_survives_a_restart(lasting_url, opening, make_person, clock):
    first = await opening(lasting_url)
    person = make_person(first)
    memory_id = await person.note("chess")
    await asked(person, memory_id)
    await first.close()
    clock.forward(minutes=4)
    again = person.at(memory=await opening(lasting_url))
    assert (await again.call("forget", memory_id=memory_id)).status == "deleted"


async def test_a_question_expires_over_a_restart(lasting_url, opening, make_person, clock):
    first = await opening(lasting_url)
    person = make_person(first)
    memory_id = await person.note("chess")
    await asked(person, memory_id)
    await first.close()
    clock.forward(minutes=6)
    await asked(person.at(memory=await opening(lasting_url)), memory_id)


async def test_an_expired_question_is_swept_away(person, memory, clock):
    await asked(person, await person.note("chess"))
    clock.forward(minutes=6)
    await memory.tidy()
    assert (await memory.look(lambda tx: tx.maintenance.counts()))["questions"] == 0


async def test_a_turn_that_says_what_it_answers_answers_nothing_else(person):
    memory_id = await person.note("chess")
    shown = person.turn(turn="shown", answers="shown")
    assert (await person.call("forget", memory_id=memory_id, turn=shown)).status == "confirmation_required"
    again = await person.call("forget", memory_id=memory_id, turn=person.turn(turn="other", answers="elsewhere"))
    assert again.status == "confirmation_required", "an answer to another question"
    stale = await person.call("forget", memory_id=memory_id, turn=person.turn(turn="late", answers="shown"))
    assert stale.status == "confirmation_required", "the question was shown anew since"
    deleted = await person.call("forget", memory_id=memory_id, turn=person.turn(turn="last", answers="late"))
    assert deleted.status == "deleted"


async def test_a_host_that_cannot_tell_turns_apart_never_confirms(person):
    memory_id = await person.note("chess")
    await person.fact()
    for number in range(3):
        turn = person.turn(turn=f"call-{number}", answers=f"call-{number}")
        asked = await person.call("forget", memory_id=memory_id, turn=turn)
        assert asked.status == "confirmation_required"
        arguments = {"user_id": 123, "reason": "asked"}
        cleared = await person.memory.call("clear_profile", arguments, turn)
        assert cleared.status == "confirmation_required"
    assert (await person.call("forget", memory_id=memory_id)).status == "deleted", "elsewhere the person may agree"


@pytest.mark.partitioned
async def test_an_answer_in_another_space_answers_nothing_though_the_chats_have_one_name(person):
    """Neither space was known before: nothing was ever kept there."""
    await person.memory.share(await person.note("chess"), person.turn(direct=True))
    everything = {"user_id": 123, "reason": "asked"}
    for place in ({"space": "new", "chat": "general"}, {"space": "newer", "chat": "general"}, {"direct": True}):
        answer = await person.at(**{"chat": "general"} | place).call("clear_profile", **everything)
        assert answer.status == "confirmation_required", place
    assert await person.found("chess") == ["chess"]


# What forget_fact archived


@pytest.mark.every_case
@pytest.mark.parametrize("how", ["deleted", "said again"])
async def test_a_fact_that_is_archived_again_by_undo_is_deleted_for_good(person, how):
    fact_id = (await person.fact("hobby", "zymurgy"))["fact_id"]
    await person.forget_fact("hobby")
    await (person.deletes(fact_id) if how == "deleted" else person.fact("hobby", "zymurgy"))
    await person.memory.undo(fact_id, person.turn())
    assert await person.values() == []
    assert (await person.deletes(fact_id)).status == "deleted"


async def test_a_fact_that_only_a_merge_archived_is_not_deleted_apart(person):
    ids = [(await person.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    await person.call("merge_facts", user_id=123, fact_ids=ids, merged_value="board games", merged_confidence=0.9)
    assert (await person.call("forget", memory_id=ids[1])).status == "not_found"


@pytest.mark.partitioned
@pytest.mark.parametrize("direct", [True, False])
async def test_a_fact_that_forget_fact_archived_is_deleted_for_good(make_person, memory, direct):
    person = make_person(memory, **({"direct": True, "space": "123", "chat": "123"} if direct else {}))
    fact_id = (await person.fact("hobby", "zymurgy"))["fact_id"]
    other = make_person(memory, user=124)
    assert (await person.call("forget", query="zymurgy"))["candidates"][0].get("archived") is None
    await person.forget_fact("hobby")
    assert (await other.call("forget", query="zymurgy")).status == "nothing_found"
    assert (await other.call("forget", memory_id=fact_id)).status == "not_found"
    (candidate,) = (await person.call("forget", query="zymurgy"))["candidates"]
    assert (candidate["memory_id"], candidate["archived"]) == (fact_id, True)
    asked = await person.call("forget", memory_id=fact_id)
    assert asked.status == "confirmation_required"
    assert all(("zymurgy" in text) is direct for text in (candidate["content"], asked["content"], asked.message))
    assert (await person.call("forget", memory_id=fact_id)).status == "deleted"
    assert (await memory.history(fact_id, person.turn()))[-1].after is None
    assert (await person.call("forget", query="zymurgy")).status == "nothing_found"
    assert (await person.call("forget", memory_id=fact_id)).status == "not_found"


async def test_a_value_that_held_before_too_is_forgotten_of_all_times(person, memory):
    job = (await person.fact("job", "baker"))["fact_id"]
    await person.update("job", "pilot", fact_id=job)
    await person.update("job", "baker", fact_id=job)
    current = next(fact["fact_id"] for fact in await person.facts() if "valid_to" not in fact)
    await person.call("forget", memory_id=current)
    await person.call("forget", turn=person.turn(text=f"only {current}"), memory_id=current)
    assert await person.values() == ["pilot"]
    await memory.undo(current, person.turn())
    assert sorted(await person.values()) == ["baker", "baker", "pilot"]


async def test_what_held_before_is_asked_about_and_goes_with_what_holds_now(person):
    for place in (person, person.at(space="789", chat="789")):
        await place.fact("location", "Kyiv")
        await place.update("location", "Lviv")
    current, past = [fact["fact_id"] for fact in await person.facts()]
    asked = await person.call("forget", turn=person.turn(text="forget where I live"), memory_id=str(current))
    assert [row["memory_id"] for row in asked["awaiting"]] == [current, past]
    deleted = await person.call("forget", turn=person.turn(text="yes"), memory_id=str(current))
    assert (deleted.status, deleted["memory_id"]) == ("deleted", current)
    assert [row["memory_id"] for row in deleted["deleted"]] == [current, past]
    assert await person.facts() == await person.at(space="789", chat="789").facts() == []


async def test_what_held_before_stays_where_the_person_picks_what_holds_now(person):
    await person.fact("location", "Kyiv")
    await person.update("location", "Lviv")
    current, past = [fact["fact_id"] for fact in await person.facts()]
    await person.call("forget", turn=person.turn(text="forget that I live in Lviv"), memory_id=str(current))
    deleted = await person.call("forget", turn=person.turn(text=f"only {current}"), memory_id=str(current))
    assert [row["memory_id"] for row in deleted["deleted"]] == [current]
    assert [fact["fact_id"] for fact in await person.facts()] == [past]


async def test_what_held_before_goes_alone_where_it_is_named(person):
    await person.fact("location", "Kyiv")
    await person.update("location", "Lviv")
    current, past = [fact["fact_id"] for fact in await person.facts()]
    await person.deletes(past)
    assert [fact["fact_id"] for fact in await person.facts()] == [current]
