"""Relations between the people of a space, over every back end."""

from __future__ import annotations

import pytest
from tests.support.consent import agree

from zgadka import Member
from zgadka.model.outcome import Changed
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.list_memories import recent_memories

pytestmark = pytest.mark.asyncio

ANNA, BORYS, VIRA, HALYNA = 1, 2, 3, 4


async def enter(memory, *users, space="456"):
    for user in users:
        await memory.report_member("telegram", space, Member(user=str(user), number=user, name=f"name-{user}"))


@pytest.fixture
def relate(memory, people):
    """Everybody is here; `relate(speaker, a, b, word)` calls the tool."""

    async def call(speaker, user, related, word, **more):
        await enter(memory, ANNA, BORYS, VIRA, HALYNA)
        arguments = {"user_id": user, "related_user_id": related, "relationship": word}
        return await people(speaker).call("remember_relationship", **arguments | more)

    return call


async def ties(person, user, **more):
    result = await person.call("recall_relationships", user_id=user, **more)
    assert result.status == "success", result
    return [(one["user_id"], one["relationship"], one["related_user_id"]) for one in result["relationships"]]


async def test_a_relation_is_recalled_from_both_ends(relate, people):
    assert (await relate(ANNA, ANNA, BORYS, "mother")).status == "success"
    assert await ties(people(ANNA), ANNA) == [(ANNA, "parent", BORYS)]
    assert await ties(people(BORYS), BORYS) == [(BORYS, "child", ANNA)]


async def test_a_relation_is_shown_with_names_and_what_was_said_of_it(relate, people):
    await relate(ANNA, ANNA, BORYS, "friend", description="since school")
    result = await people(ANNA).call("recall_relationships", user_id=ANNA)
    [one] = result["relationships"]
    assert (one["name"], one["related_name"], one["description"]) == ("name-1", "name-2", "since school")
    assert (one["mutual"], one["distance"], one["path"]) == (True, 1, [ANNA, BORYS])


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ((ANNA, BORYS, "friend"), (ANNA, BORYS, "Friends")),
        ((ANNA, BORYS, "friend"), (BORYS, ANNA, "друг")),
        ((ANNA, BORYS, "parent"), (BORYS, ANNA, "child")),
        ((ANNA, BORYS, "reports to"), (BORYS, ANNA, "boss")),
        ((ANNA, BORYS, "admires"), (ANNA, BORYS, "Admires")),
    ],
)
async def test_the_same_relation_is_kept_once(relate, people, first, again):
    kept = await relate(ANNA, *first)
    result = await relate(ANNA, *again)
    assert (result.status, result["reason"], result["memory_id"]) == ("skipped", "duplicate", kept["memory_id"])
    assert len(await ties(people(ANNA), ANNA)) == 1


async def test_two_people_may_be_several_things_to_each_other(relate, people):
    for word in ("friend", "colleague", "admires"):
        assert (await relate(ANNA, ANNA, BORYS, word)).status == "success"
    assert (await relate(ANNA, BORYS, ANNA, "admires")).status == "success"
    assert len(await ties(people(ANNA), ANNA)) == 4


async def test_a_word_without_an_inverse_keeps_its_direction(relate, people):
    await relate(ANNA, ANNA, BORYS, "admires")
    assert await ties(people(BORYS), BORYS) == [(ANNA, "admires", BORYS)]


async def test_one_way_becomes_both_ways_when_that_is_said(relate, people):
    first = await relate(ANNA, ANNA, BORYS, "trusts")
    result = await relate(ANNA, BORYS, ANNA, "trusts", mutual=True)
    assert (result.status, result["memory_id"]) == ("success", first["memory_id"])
    assert await ties(people(BORYS), BORYS) == [(BORYS, "trusts", ANNA)]


async def test_both_ways_said_one_by_one_are_known_as_both_ways(relate):
    await relate(ANNA, ANNA, BORYS, "trusts")
    await relate(ANNA, BORYS, ANNA, "trusts")
    assert (await relate(ANNA, ANNA, BORYS, "trusts", mutual=True)).status == "skipped"


async def test_a_new_description_replaces_the_old_one_and_says_so(relate, memory, people):
    kept = await relate(ANNA, ANNA, BORYS, "friend", description="since school")
    result = await relate(ANNA, ANNA, BORYS, "friend", description="since birth")
    assert (result.status, result["old_description"]) == ("success", "since school")
    assert isinstance(await memory.undo(kept["memory_id"], people(BORYS).turn()), Changed)
    result = await relate(ANNA, ANNA, BORYS, "friend")
    assert result["relation"]["description"] == "since school"


@pytest.mark.parametrize(
    ("user", "related", "word", "more"),
    [(ANNA, ANNA, "friend", {}), (ANNA, BORYS, "…", {}), (ANNA, BORYS, "parent", {"mutual": True})],
)
async def test_what_cannot_be_a_relation_is_refused(relate, user, related, word, more):
    assert (await relate(ANNA, user, related, word, **more)).status == "invalid_args"


@pytest.mark.parametrize("kind", ["bot", "bridge", "left", "unknown"])
async def test_only_people_who_are_here_have_relations(memory, relate, people, clock, kind):
    await relate(ANNA, ANNA, VIRA, "friend")
    if kind != "unknown":
        left = clock.now if kind == "left" else None
        member = Member(user="9", number=9, kind=kind if kind in ("bot", "bridge") else "person", left_at=left)
        await memory.report_member("telegram", "456", member)
    assert (await relate(ANNA, ANNA, 9, "friend")).status == "invalid_target"
    assert (await relate(ANNA, 9, ANNA, "friend")).status == "invalid_target"
    assert (await people(ANNA).call("recall_relationships", user_id=9)).status == "invalid_target"


async def test_a_walk_goes_three_steps_and_no_further(memory, relate, people):
    await enter(memory, 5)
    for one, other in ((1, 2), (2, 3), (3, 4), (4, 5)):
        await relate(one, one, other, "friend")
    assert [len(await ties(people(1), 1, depth=depth)) for depth in (1, 2, 3)] == [1, 2, 3]
    result = await people(1).call("recall_relationships", user_id=1, depth=3)
    assert [one["path"] for one in result["relationships"]] == [[1, 2], [1, 2, 3], [1, 2, 3, 4]]
    assert (await people(1).call("recall_relationships", user_id=1, depth=4)).status == "invalid_args"


async def test_a_circle_is_walked_once(relate, people):
    for one, other in ((1, 2), (2, 3), (3, 1)):
        await relate(one, one, other, "friend")
    assert len(await ties(people(1), 1, depth=3)) == 3


async def test_a_walk_may_follow_one_word_and_its_inverse(relate, people):
    await relate(ANNA, ANNA, BORYS, "parent")
    await relate(BORYS, BORYS, VIRA, "parent")
    await relate(BORYS, BORYS, HALYNA, "friend")
    found = await ties(people(ANNA), ANNA, relationship="child", depth=2)
    assert found == [(ANNA, "parent", BORYS), (BORYS, "parent", VIRA)]


async def test_total_counts_beyond_the_limit(relate, people):
    for other in (BORYS, VIRA, HALYNA):
        await relate(ANNA, ANNA, other, "friend")
    result = await people(ANNA).call("recall_relationships", user_id=ANNA, limit=2)
    assert (result["count"], result["total"]) == (2, 3)


@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_nobody_who_does_not_want_it_is_written_about_or_shown(memory, relate, people, level):
    await relate(ANNA, ANNA, BORYS, "friend")
    await relate(BORYS, BORYS, VIRA, "friend")
    await memory.set_privacy(level, people(BORYS).turn())
    assert await ties(people(ANNA), ANNA, depth=3) == []
    assert await ties(people(VIRA), VIRA, depth=3) == []
    for user, related in ((ANNA, BORYS), (BORYS, ANNA)):
        assert (await relate(ANNA, user, related, "sibling")).status == "privacy_restricted"
    assert (await people(ANNA).call("recall_relationships", user_id=BORYS)).status == "privacy_restricted"
    await memory.set_privacy(PrivacyLevel.MINIMAL, people(BORYS).turn())
    assert len(await ties(people(ANNA), ANNA, depth=2)) == 2


async def test_nothing_is_kept_that_somebody_who_is_invisible_says_of_two_others(memory, relate, people):
    await memory.set_privacy(PrivacyLevel.FULL, people(ANNA).turn())
    assert (await relate(ANNA, BORYS, VIRA, "friend")).status == "privacy_restricted"
    assert await ties(people(BORYS), BORYS) == []


@pytest.mark.partitioned
async def test_relations_stay_in_their_space_and_persona(memory, relate, people):
    await relate(ANNA, ANNA, BORYS, "friend")
    await enter(memory, ANNA, BORYS, space="other")
    assert await ties(people(ANNA, space="other"), ANNA) == []
    assert await ties(people(ANNA, persona=7), ANNA) == []
    assert await ties(people(ANNA, direct=True), ANNA) == []


async def test_a_relation_is_deleted_by_one_of_its_two_people_in_two_turns(relate, people):
    kept = await relate(ANNA, ANNA, BORYS, "friend")
    assert (await people(VIRA).call("forget", memory_id=kept["memory_id"])).status == "not_found"
    assert (await people(BORYS).deletes(kept["memory_id"])).status == "deleted"
    assert await ties(people(ANNA), ANNA) == []


async def test_what_the_other_does_not_want_told_is_deleted_without_its_text_in_ones_direct_chat_too(
    memory, relate, people
):
    kept = await relate(ANNA, ANNA, BORYS, "friend", description="met in the choir")
    await memory.set_privacy(PrivacyLevel.PARTIAL, people(BORYS).turn())
    alone = people(ANNA, direct=True)
    told = [await alone.call("forget", memory_id=kept["memory_id"]) for _ in range(2)]
    trail = await memory.history(kept["memory_id"], alone.turn())
    assert [result.status for result in told] == ["confirmation_required", "deleted"]
    assert "choir" not in repr((told, trail))


async def test_a_relation_is_found_for_deletion_by_its_own_people_only(relate, people):
    await relate(ANNA, ANNA, BORYS, "friend", description="met in the choir")
    assert (await people(ANNA).call("forget", query="choir")).status == "candidates"
    assert (await people(VIRA).call("forget", query="choir")).status == "nothing_found"
    assert "suggestions" not in await people(VIRA).call("forget", memory_id=999)


async def test_a_deleted_relation_comes_back_by_undo_of_either(memory, relate, people):
    kept = await relate(ANNA, ANNA, BORYS, "friend")
    await people(BORYS).deletes(kept["memory_id"])
    assert len(await memory.history(kept["memory_id"], people(ANNA).turn())) == 2
    assert await memory.history(kept["memory_id"], people(VIRA).turn()) == []
    assert isinstance(await memory.undo(kept["memory_id"], people(ANNA).turn()), Changed)
    assert await ties(people(BORYS), BORYS) == [(BORYS, "friend", ANNA)]


async def test_others_may_say_it_where_people_may_change_each_others_memories(relate):
    assert (await relate(VIRA, ANNA, BORYS, "friend")).status == "success"


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("policy", ["ask", "never"])
async def test_elsewhere_only_the_two_may_say_it_and_the_other_one_is_asked_or_has_refused(
    open_store, make_person, policy
):
    memory = await open_store(others_may_change=policy)
    await enter(memory, ANNA, BORYS, VIRA)
    vira, anna = make_person(memory, user=VIRA), make_person(memory, user=ANNA)
    arguments = {"user_id": ANNA, "related_user_id": BORYS, "relationship": "friend"}
    assert (await vira.call("remember_relationship", **arguments)).status == "invalid_target"
    result = await anna.call("remember_relationship", **arguments)
    assert result.status == ("awaiting_consent" if policy == "ask" else "invalid_target")
    assert await ties(anna, ANNA) == []


async def test_the_other_one_agrees_where_they_have_to_be_asked(open_store, make_person):
    memory = await open_store(others_may_change="ask")
    await enter(memory, ANNA, BORYS)
    anna, borys = make_person(memory, user=ANNA), make_person(memory, user=BORYS)
    await anna.call("remember_relationship", user_id=ANNA, related_user_id=BORYS, relationship="friend")
    [asked] = await memory.consents(borys.turn())
    assert (await agree(memory, asked.id, borys.turn())).status == "success"
    assert await ties(borys, BORYS) == [(BORYS, "friend", ANNA)]


async def test_at_the_limit_nothing_is_dropped(open_store, make_person):
    memory = await open_store(max_facts=1)
    await enter(memory, ANNA, BORYS, VIRA)
    anna = make_person(memory, user=ANNA)
    for other, status in ((BORYS, "success"), (VIRA, "limit_reached"), (BORYS, "skipped")):
        arguments = {"user_id": ANNA, "related_user_id": other, "relationship": "friend"}
        assert (await anna.call("remember_relationship", **arguments)).status == status


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_a_relation_with_somebody_who_wants_no_memory_is_not_among_the_recent_ones(relate, memory, people, level):
    kept = await relate(ANNA, ANNA, BORYS, "friend")

    async def recent() -> list[int]:
        return [one.id for one in await memory.look(recent_memories, people(BORYS).turn(), 20)]

    assert await recent() == [kept["memory_id"]]
    await memory.set_privacy(level, people(ANNA).turn())
    assert await recent() == []
