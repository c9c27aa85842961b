"""Whether others may change a person's memories: allow, ask each time, never; over every back end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.consent import agree

from zgadka import Member
from zgadka.model.people import Proposed
from zgadka.model.privacy import PrivacyLevel

pytestmark = pytest.mark.asyncio


async def world(open_store: Any, make_person: Any, policy: str) -> tuple[Any, Any, Any]:
    """A memory, and Olena (7) and Petro (8), who know each other in space 456."""
    memory = await open_store(others_may_change=policy)
    for user, name in (("7", "Olena"), ("8", "Petro")):
        await memory.report_member("telegram", "456", Member(user=user, number=int(user), name=name))
    return memory, make_person(memory, user=7), make_person(memory, user=8)


async def note(person: Any, content: str, target: str) -> Any:
    return await person.call("create_long_term_memory", memory_content=content, scope="target_user", target_user=target)


async def change(person: Any, memory_id: int, content: str, target: str) -> Any:
    return await person.call("update_long_term_memory", memory_id=memory_id, memory_content=content, target_user=target)


async def test_others_may_change_where_the_operator_allows_it(open_store, make_person):
    _, olena, petro = await world(open_store, make_person, "allow")
    created = await note(petro, "Plays chess", "Olena")
    assert (await change(petro, created["memory_id"], "Plays go", "Olena")).status == "memory_updated_successfully"
    assert await olena.found("go") == ["Plays go"]
    assert (await change(petro, created["memory_id"], "", "Olena")).status == "memory_update_failed_not_confirmed"


async def test_never_is_never_and_asks_nobody(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "never")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    assert (await note(petro, "Plays go", "Olena")).status == "memory_create_failed_not_allowed"
    for content in ("Plays go", ""):
        assert (await change(petro, own, content, "Olena")).status == "memory_update_failed_not_allowed"
    assert (await petro.fact("hobby", "go", user_id=7)).status == "invalid_target"
    assert await memory.consents(olena.turn()) == []
    assert await olena.found("chess") == ["Plays chess"]
    assert (await change(olena, own, "Plays go", "Olena")).status == "memory_updated_successfully"


async def test_a_change_that_waits_for_consent_has_not_happened(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    assert (await note(petro, "Plays chess", "Olena")).status == "memory_create_failed_awaiting_consent"
    assert await olena.found("chess") == []
    [asked] = await memory.consents(olena.turn())
    assert (asked.asker, asked.tool) == ("8", "create_long_term_memory")
    assert asked.arguments["memory_content"] == "Plays chess"
    assert await memory.consents(petro.turn()) == []


@pytest.mark.partitioned
async def test_agreeing_makes_the_change_as_it_was_asked(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    result = await agree(memory, asked.id, olena.turn(direct=True))
    assert result.status == "memory_created_successfully"
    assert await olena.found("chess") == ["Plays chess"]
    assert [event.actor for event in await memory.history(result["memory_id"], olena.turn())] == ["8"]


@pytest.mark.parametrize("content", ["Plays go", ""])
async def test_updates_and_deletions_wait_too(open_store, make_person, content):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    assert (await change(petro, own, content, "Olena")).status == "memory_update_failed_awaiting_consent"
    assert await olena.found("chess go") == ["Plays chess"]
    [asked] = await memory.consents(olena.turn())
    await agree(memory, asked.id, olena.turn())
    assert await olena.found("chess go") == ([content] if content else [])


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["remember_fact", "update_fact", "forget_fact", "merge_facts"])
async def test_every_change_of_facts_waits_and_is_made_once_agreed(open_store, make_person, tool):
    memory, olena, petro = await world(open_store, make_person, "ask")
    ids = [(await olena.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    named = {"user_id": 7, "fact_type": "personal", "fact_key": "hobby"}
    arguments: dict[str, dict[str, Any]] = {
        "remember_fact": named | {"fact_value": "tea", "confidence": 0.9},
        "update_fact": named
        | {"fact_id": ids[0], "new_value": "tea", "confidence": 0.9, "change_reason": "correction"},
        "forget_fact": named | {"fact_id": ids[0], "reason": "outdated"},
        "merge_facts": {"user_id": 7, "fact_ids": ids, "merged_value": "board games", "merged_confidence": 0.9},
    }
    after = {
        "remember_fact": ["chess", "go", "tea"],
        "update_fact": ["go", "tea"],
        "forget_fact": ["go"],
        "merge_facts": ["board games"],
    }
    assert (await petro.call(tool, **arguments[tool])).status == "awaiting_consent"
    assert await olena.values() == ["chess", "go"]
    [asked] = await memory.consents(olena.turn())
    assert (await agree(memory, asked.id, olena.turn())).status == "success"
    assert await olena.values() == after[tool]
    assert "said_by" not in str(await petro.facts(user_id=7)), "what one agrees to is one's own word"


async def test_refusing_changes_nothing_and_closes_the_question(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    assert (await memory.answer_consent(asked.id, False, olena.turn())).status == "cancelled"
    assert await memory.consents(olena.turn()) == []
    assert await agree(memory, asked.id, olena.turn()) is None
    assert await olena.found("chess") == []


async def test_answering_twice_changes_nothing_the_second_time(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await petro.fact("hobby", "chess", user_id=7)
    [asked] = await memory.consents(olena.turn())
    assert (await agree(memory, asked.id, olena.turn())).status == "success"
    assert await agree(memory, asked.id, olena.turn()) is None
    assert [fact["evidence"] for fact in await olena.facts()] == [1]


async def test_of_several_questions_the_one_that_is_named_is_answered(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    await note(petro, "Plays go", "Olena")
    first, second = await memory.consents(olena.turn())
    await agree(memory, second.id, olena.turn())
    assert await olena.found("chess go") == ["Plays go"]
    assert await memory.consents(olena.turn()) == [first]


async def test_nobody_else_answers(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    for other in (petro, make_person(memory, user=9), olena.at(platform="discord"), olena.at(user=77)):
        assert await agree(memory, asked.id, other.turn()) is None
    assert await memory.consents(olena.turn()) == [asked]
    assert await olena.found("chess") == []


async def test_after_three_days_it_is_too_late(open_store, make_person, clock):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    clock.forward(hours=72)
    assert await memory.consents(olena.turn()) == []
    assert await agree(memory, asked.id, olena.turn()) is None
    await memory.tidy()
    assert await olena.found("chess") == []


async def test_one_consent_is_for_one_change_alone(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    await agree(memory, asked.id, olena.turn())
    assert (await note(petro, "Plays go", "Olena")).status == "memory_create_failed_awaiting_consent"
    assert (await note(olena, "Plays tennis", "Petro")).status == "memory_create_failed_awaiting_consent"


async def test_what_a_person_says_of_themselves_needs_no_consent(open_store, make_person):
    _, olena, _ = await world(open_store, make_person, "ask")
    assert (await note(olena, "Plays chess", "Olena")).status == "memory_created_successfully"
    assert (await olena.fact()).status == "success"


async def test_consent_given_after_opting_out_changes_nothing(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    await memory.set_privacy(PrivacyLevel.PARTIAL, olena.turn())
    result = await agree(memory, asked.id, olena.turn())
    assert result.status == "memory_create_failed_privacy_restricted"


async def test_a_consent_survives_a_restart(lasting_url, opening, make_person):
    first = await opening(lasting_url, others_may_change="ask")
    await first.report_member("telegram", "456", Member(user="7", number=7, name="Olena"))
    await note(make_person(first, user=8), "Plays chess", "Olena")
    await first.close()
    again = await opening(lasting_url, others_may_change="ask")
    olena = make_person(again, user=7)
    [asked] = await again.consents(olena.turn())
    assert (await agree(again, asked.id, olena.turn())).status == "memory_created_successfully"
    assert await olena.found("chess") == ["Plays chess"]


async def test_a_change_that_cannot_be_made_is_answered_once_and_asked_no_more(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    same = {"fact_value": "Lviv", "previous_value": "Lviv", "user_id": 7, "fact_type": "personal"}
    told = await petro.call("update_fact_with_temporal", fact_key="location", confidence=0.9, **same)
    assert told.status == "awaiting_consent"
    (asked,) = await memory.consents(olena.turn())
    answered = await agree(memory, asked.id, olena.turn())
    assert answered is not None
    assert answered.status == "invalid_args"
    assert await memory.consents(olena.turn()) == []
    assert await agree(memory, asked.id, olena.turn()) is None


async def test_the_same_change_asked_for_again_is_one_question(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    for _ in range(3):
        assert (await petro.fact("hobby", "go", user_id=7)).status == "awaiting_consent"
    await petro.fact("hobby", "chess", user_id=7)
    assert [one.arguments["fact_value"] for one in await memory.consents(olena.turn())] == ["go", "chess"]


# What is asked


async def test_the_person_is_told_once_that_they_are_asked_and_nobody_is_told_what(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    told: list[Any] = []
    memory.subscribe(told.append)
    for _ in range(2):
        await change(petro, own, "Plays go", "Olena")
    await note(petro, "Plays tennis", "Olena")
    assert [(one.what, one.actor, one.personal, one.memory, one.preview) for one in told] == 2 * [
        ("asked", "8", True, 0, "")
    ]
    assert [one.consent for one in told] == [one.id for one in await memory.consents(olena.turn())]
    assert not any("Plays" in repr(one) for one in told)


async def test_a_proposal_tells_what_would_be_changed_and_changes_nothing(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    hobby = (await olena.fact("hobby", "tea"))["fact_id"]
    await change(petro, own, "Plays go", "Olena")
    await change(petro, own, "", "Olena")
    await petro.fact("pet", "cat", user_id=7)
    await memory.report_member("telegram", "456", Member(user="9", number=9, name="Ivan"))
    ivan = make_person(memory, user=9)
    await ivan.call("forget_fact", user_id=7, fact_type="personal", fact_key="hobby", reason="outdated")
    told: list[Any] = []
    memory.subscribe(told.append)
    proposals = [await memory.proposal(one.id, olena.turn()) for one in await memory.consents(olena.turn())]
    assert [one.asker for one in proposals] == ["Petro", "Petro", "Petro", "Ivan"]
    [updated], [deleted], [created], [hidden] = (one.changes for one in proposals)
    assert updated == Proposed(memory=own, what="updated", before="Plays chess", after="Plays go")
    assert deleted == Proposed(memory=own, what="deleted", before="Plays chess", after=None)
    assert (created.what, created.before, created.after) == ("created", None, "pet: cat")
    assert hidden == Proposed(memory=hobby, what="hidden", before="hobby: tea", after=None)
    assert told == []
    assert await olena.found("chess go") == ["Plays chess"]
    assert await olena.values() == ["tea"]
    assert len(await memory.history(own, olena.turn())) == 1
    assert len(await memory.consents(olena.turn())) == 4


async def test_a_proposal_is_as_things_are_when_it_is_read(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    await change(petro, own, "Plays go", "Olena")
    [asked] = await memory.consents(olena.turn())
    await change(olena, own, "Plays tennis", "Olena")
    assert [one.before for one in (await memory.proposal(asked.id, olena.turn())).changes] == ["Plays tennis"]
    await change(olena, own, "", "Olena")
    assert (await memory.proposal(asked.id, olena.turn())).changes == ()


async def test_what_is_agreed_to_is_what_was_seen(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    await change(petro, own, "", "Olena")
    await note(petro, "Plays go", "Olena")
    deleting, creating = await memory.consents(olena.turn())
    seen = (await memory.proposal(deleting.id, olena.turn())).mark
    await change(olena, own, "Plays tennis", "Olena")
    again = await memory.answer_consent(deleting.id, True, olena.turn(), mark=seen)
    assert again.status == "confirmation_required"
    assert await olena.found("tennis") == ["Plays tennis"]
    assert await memory.consents(olena.turn()) == [deleting, creating]
    seen = (await memory.proposal(deleting.id, olena.turn())).mark
    agreed = await memory.answer_consent(deleting.id, True, olena.turn(), mark=seen)
    assert agreed.status == "memory_deleted_successfully"
    seen = (await memory.proposal(creating.id, olena.turn())).mark
    await olena.fact("pet", "cat")  # the next id is another one now, and nobody has seen an id
    agreed = await memory.answer_consent(creating.id, True, olena.turn(), mark=seen)
    assert agreed.status == "memory_created_successfully"


async def test_what_cannot_be_done_any_more_is_not_asked_again(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    await change(petro, own, "", "Olena")
    [asked] = await memory.consents(olena.turn())
    seen = (await memory.proposal(asked.id, olena.turn())).mark
    await change(olena, own, "", "Olena")
    answer = await memory.answer_consent(asked.id, True, olena.turn(), mark=seen)
    assert answer.status == "memory_update_failed_not_found"
    assert await memory.consents(olena.turn()) == []


async def test_a_deletion_is_shown_where_no_text_is_left_to_undo_it(open_store, make_person):
    memory = await open_store(others_may_change="ask", undo_hours=0)
    await memory.report_member("telegram", "456", Member(user="7", number=7, name="Olena"))
    olena, petro = make_person(memory, user=7), make_person(memory, user=8)
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    await change(petro, own, "", "Olena")
    [asked] = await memory.consents(olena.turn())
    proposal = await memory.proposal(asked.id, olena.turn())
    assert proposal.asker == "8"  # nobody said how they are called
    assert proposal.changes == (Proposed(memory=own, what="deleted", before="Plays chess", after=None),)


async def test_times_and_the_two_of_a_relation_are_in_a_proposal(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await olena.fact("location", "Kyiv")
    moved = {"user_id": 7, "fact_type": "personal", "fact_key": "location", "fact_value": "Lviv", "confidence": 0.9}
    await petro.call("update_fact_with_temporal", valid_from="2020-05-01", **moved)
    await petro.call("remember_relationship", user_id=7, related_user_id=8, relationship="sister")
    moving, relating = [await memory.proposal(one.id, olena.turn()) for one in await memory.consents(olena.turn())]
    assert [(one.before, one.after) for one in moving.changes] == [
        ("location: Kyiv", "location: Kyiv (… – ≤ 2020-05-01)"),
        (None, "location: Lviv (2020-05-01 – …)"),
    ]
    [related] = relating.changes
    assert "Olena" in related.after
    assert "Petro" in related.after


async def test_nobody_else_sees_a_proposal(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    await note(petro, "Plays chess", "Olena")
    [asked] = await memory.consents(olena.turn())
    for other in (petro, make_person(memory, user=9), olena.at(platform="discord")):
        assert await memory.proposal(asked.id, other.turn()) is None
    await memory.answer_consent(asked.id, False, olena.turn())
    assert await memory.proposal(asked.id, olena.turn()) is None


async def test_who_wants_no_memory_is_shown_none(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    own = (await note(olena, "Plays chess", "7"))["memory_id"]
    await note(petro, "Plays go", "Olena")
    await change(petro, own, "", "Olena")
    await memory.set_privacy(PrivacyLevel.PARTIAL, olena.turn())
    first, second = [await memory.proposal(one.id, olena.turn()) for one in await memory.consents(olena.turn())]
    assert first.changes == ()
    assert second.changes == (Proposed(memory=own, what="deleted", before="", after=None),)


async def test_a_change_that_cannot_be_made_is_proposed_as_none(open_store, make_person):
    memory, olena, petro = await world(open_store, make_person, "ask")
    same = {"fact_value": "Lviv", "previous_value": "Lviv", "user_id": 7, "fact_type": "personal"}
    await petro.call("update_fact_with_temporal", fact_key="location", confidence=0.9, **same)
    [asked] = await memory.consents(olena.turn())
    assert (await memory.proposal(asked.id, olena.turn())).changes == ()
