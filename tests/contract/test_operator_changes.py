"""What an operator does to many memories at once, and what places are called."""

from __future__ import annotations

import pytest

from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.operator_changes import duplicates, hide_many, merge_group, undo_many, unhide_many, unmerge_many
from zgadka.ops.place_names import place_names

pytestmark = pytest.mark.asyncio


async def owner_of(memory, number):
    return await memory.look(lambda tx: tx.memories.find_owner(number))


async def values(person):
    return {fact["value"] for fact in await person.facts() if "valid_to" not in fact}


@pytest.mark.partitioned
async def test_what_was_hidden_together_comes_back_together_and_may_be_said_again(memory, person):
    ids = [(await person.fact("hobby", hobby))["fact_id"] for hobby in ("chess", "rowing", "tea")]
    owner = await owner_of(memory, ids[0])
    assert await memory.apply(hide_many, owner, ids[:2]) == ids[:2]
    assert await memory.apply(hide_many, owner, ids[:2]) == []
    assert await values(person) == {"tea"}
    assert (await person.fact("hobby", "chess")).status == "success"
    assert await memory.apply(unhide_many, owner, ids) == [ids[1]], "what was said again meanwhile stays as it is"
    assert await values(person) == {"chess", "rowing", "tea"}


async def test_undoing_many_leaves_what_is_new_and_what_is_old(memory, person, clock):
    new = (await person.fact("hobby", "chess"))["fact_id"]
    changed = (await person.fact("location", "Kyiv"))["fact_id"]
    await person.update("location", "Lviv", change_reason="correction")
    owner = await owner_of(memory, new)
    assert await memory.apply(undo_many, owner, [new, changed, 99]) == [changed]
    assert await values(person) == {"chess", "Kyiv"}
    await person.update("location", "Odesa", change_reason="correction")
    clock.forward(days=2)
    assert await memory.apply(undo_many, owner, [changed]) == []


async def test_undoing_many_takes_back_once_what_was_changed_together(memory, person):
    beside = (await person.fact("hobby", "chess"))["fact_id"]
    changed = (await person.fact("location", "Kyiv"))["fact_id"]
    await person.update("location", "Lviv", change_reason="correction")
    owner = await owner_of(memory, changed)
    asked = await person.call("clear_profile", user_id=123, reason="they asked")
    cleared = await person.call("clear_profile", user_id=123, reason="they agreed in a later message")
    assert (asked.status, cleared.status) == ("confirmation_required", "deleted")
    assert await memory.apply(undo_many, owner, [beside, changed]) == [beside, changed]
    assert await values(person) == {"chess", "Lviv"}


async def groups(memory, *ids):
    """The ids of facts that may be merged."""
    owner = await owner_of(memory, ids[0])
    rows = await memory.look(lambda tx: list(tx.memories.get_many(owner, ids).values()))
    return owner, [[fact.id for fact in group.facts] for group in duplicates(rows)]


@pytest.mark.partitioned
async def test_facts_that_say_the_same_are_merged_and_taken_apart_again(memory, person):
    facts = ("pet", "a cat"), ("hobby", "chess, rowing"), ("hobby", "chess"), ("hobby", "rowng"), ("hobby", "rowing")
    ids = [(await person.fact(key, value))["fact_id"] for key, value in facts]
    owner, suggested = await groups(memory, *ids)
    [merged] = suggested
    assert ids[0] not in merged
    assert len(merged) > 2
    [kept] = await memory.apply(merge_group, owner, merged)
    assert kept == merged[0]
    assert "chess, rowing" in await values(person)
    assert len(await values(person)) == len(ids) - len(merged) + 1
    assert await memory.apply(merge_group, owner, merged) == [], "they are one by now"
    assert await memory.apply(unmerge_many, owner, [kept, ids[0]]) == [kept]
    assert await values(person) == {value for _, value in facts}


async def test_what_is_told_to_others_or_said_by_another_is_not_merged(memory, person):
    here = (await person.fact("hobby", "chess"))["fact_id"]
    there = (await person.at(space="9", chat="9").fact("hobby", "chess"))["fact_id"]
    closed = (await person.at(audience=("mods",)).fact("hobby", "playing chess"))["fact_id"]
    owner, suggested = await groups(memory, here, there, closed)
    assert suggested == []
    assert await memory.apply(merge_group, owner, [here, there]) == []
    assert await memory.apply(merge_group, owner, [here, 99]) == []


async def test_who_left_a_group_without_a_name_is_not_told_who_is_there(memory, people, clock):
    left = Member(user="1", number=1, name="Olena", left_at=clock())
    for member in (left, Member(user="2", number=2, name="Marko")):
        await memory.report_member("telegram", "-100", member)

    def name(tx, viewer):
        space = tx.owners.get(tx.owners.find("space", "telegram", "-100"))
        [called] = place_names(tx, [space], viewer=tx.owners.find("person", "telegram", viewer)).values()
        return called.people, called.others

    assert await memory.look(name, "1") == ((), 0)
    assert await memory.look(name, "2") == ((), 0)


@pytest.mark.partitioned
async def test_a_place_without_a_name_is_called_by_who_is_there_and_wants_to_be_known(memory, people):
    for number, name in enumerate(("Olena", "Tom", "Marko", "Iryna", "Oleh"), 1):
        await memory.report_member("telegram", "-100", Member(user=str(number), number=number, name=name))
    await memory.report_member("telegram", "-100", Member(user="9", number=9, name="Helper", kind="bot"))
    await memory.report_member("telegram", "Chess club", Member(user="1", number=1, name="Olena"))
    await memory.set_privacy(PrivacyLevel.FULL, people(2).turn(direct=True, space="2", chat="2"))

    def names(tx, viewer=0):
        spaces = [tx.owners.get(tx.owners.find("space", "telegram", name)) for name in ("-100", "Chess club")]
        return list(place_names(tx, [*spaces, None], viewer=viewer).values())

    group, club = await memory.look(names)
    assert (group.name, group.people, group.others) == ("", ("Olena", "Marko", "Iryna"), 2)
    assert (club.name, club.people) == ("Chess club", ())
    olena = await memory.look(lambda tx: tx.owners.find("person", "telegram", "1"))
    group, _ = await memory.look(names, olena)
    assert (group.people, group.others) == (("Marko", "Iryna", "Oleh"), 1)


@pytest.mark.partitioned
async def test_people_are_told_once_what_an_operator_changed_from_now_on(memory, person, clock):
    ids = [(await person.fact("hobby", hobby))["fact_id"] for hobby in ("chess", "rowing", "tea")]
    owner = await owner_of(memory, ids[0])
    await memory.apply(hide_many, owner, ids[:1])
    clock.forward(minutes=1)
    assert await memory.take_operator_changes("telegram") == [], "what was before the first time is not told"
    await memory.apply(hide_many, owner, ids[1:])
    await person.update("hobby", "green tea", change_reason="correction")
    clock.forward(minutes=1)
    assert await memory.take_operator_changes("discord") == []
    notices = await memory.take_operator_changes("telegram")
    assert [(notice.what, notice.memory, notice.preview) for notice in notices] == [
        ("hidden", ids[1], "hobby: rowing"),
        ("hidden", ids[2], "hobby: tea"),
    ]
    assert all(notice.personal and notice.owner == owner for notice in notices)
    clock.forward(minutes=1)
    assert await memory.take_operator_changes("telegram") == []


async def test_what_an_operator_changed_is_not_told_where_the_policy_says_so(open_store, make_person, clock):
    memory = await open_store(operator_notice="quiet", background=False)
    fact = (await make_person(memory).fact("hobby", "chess"))["fact_id"]
    assert await memory.take_operator_changes("telegram") == []
    await memory.apply(hide_many, await owner_of(memory, fact), [fact])
    clock.forward(minutes=1)
    assert await memory.take_operator_changes("telegram") == []
