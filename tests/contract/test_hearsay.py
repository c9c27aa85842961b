"""What another says of somebody: told with who said it, below their own word, which it never changes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
import pytest_asyncio

from zgadka import Member, PrivacyLevel, Settings, open_memory
from zgadka.model.outcome import Changed, Conflict
from zgadka.model.token import Grant
from zgadka.ops.repair import find_drift
from zgadka.ops.share import Shared
from zgadka.transfer.export import export_store

pytestmark = pytest.mark.asyncio

ANNA, BORYS = 1, 2


@pytest_asyncio.fixture
async def two(people):
    return await people(ANNA).speaks(), await people(BORYS).speaks()


async def about_anna(person, key, value, **more):
    return await person.fact(key, value, user_id=ANNA, **more)


@pytest.mark.partitioned
async def test_ones_own_word_takes_the_place_of_what_another_said_without_a_conflict(two, memory):
    anna, borys = two
    heard = await about_anna(borys, "location", "Odesa", source_excerpt="she lives in Odesa")
    own = await anna.fact("location", "Kyiv")
    assert (own.status, own["fact_id"]) == ("success", heard["fact_id"])
    assert await anna.values() == ["Kyiv"]
    row = (await memory.history(own["fact_id"], anna.turn()))[-1].after
    assert (row.said_by, row.excerpt, row.evidence) == ("1", None, 1)


async def test_ones_own_word_to_a_persona_takes_the_place_of_what_another_told_every_persona(two, memory):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    own = await anna.at(persona=5).fact("location", "Kyiv")
    assert own.status == "success"
    assert await anna.at(persona=5).values() == ["Kyiv"]
    assert "Odesa" not in await anna.values()
    owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", str(ANNA)))
    assert (await memory.look(lambda tx: find_drift(tx, owner))).counts == {}


@pytest_asyncio.fixture
async def both_said(two):
    """Anna told persona 5 that she lives in Kyiv, of which persona 0 knows nothing: Borys told that one Odesa."""
    anna, borys = two
    own = await anna.at(persona=5).fact("location", "Kyiv")
    assert (await about_anna(borys, "location", "Odesa")).status == "success"
    return anna.at(persona=5), own["fact_id"]


async def test_ones_own_word_said_again_takes_the_place_of_what_another_said_meanwhile(both_said):
    anna, own = both_said
    again = await anna.fact("location", "Kyiv")
    assert (again.status, again["fact_id"]) == ("skipped", own)
    assert await anna.values() == ["Kyiv"]


async def test_ones_own_word_is_in_conflict_with_ones_own_word_whatever_another_said_before(two):
    anna, borys = two
    assert (await about_anna(borys.at(persona=5), "location", "Odesa")).status == "success"
    own = await anna.fact("location", "Kyiv")
    other = await anna.at(persona=5).fact("location", "Lviv")
    assert (other.status, other["fact_id"]) == ("conflict", own["fact_id"])


async def test_what_another_said_stays_where_the_person_comes_to_say_the_same(both_said):
    anna, own = both_said
    assert (await anna.update("location", "Odesa", fact_id=own)).status == "success"
    assert await anna.at(persona=0).values() == ["Odesa"]


@pytest.mark.parametrize("reason", ["update", "correction"])
async def test_ones_own_word_was_said_when_it_took_the_place_of_what_another_had_said(two, clock, reason):
    anna, borys = two
    await about_anna(borys, "location", "Odesa", turn=borys.turn(time=clock.now - timedelta(days=3)))
    own = await anna.update("location", "Kyiv", change_reason=reason)
    late = await anna.update("location", "Lviv", turn=anna.turn(time=clock.now - timedelta(days=2)))
    assert (late.status, late["fact_id"] != own["fact_id"]) == ("success", True)
    assert [(fact["value"], "valid_to" in fact) for fact in await anna.facts()] == [("Kyiv", False), ("Lviv", True)]


def since(value, **more):
    fact = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    return fact | {"fact_value": value} | more


@pytest.mark.every_case
@pytest.mark.parametrize("tool", ["remember_fact", "update_fact", "update_fact_with_temporal"])
async def test_what_another_says_is_to_come_does_not_end_ones_own_word(two, memory, clock, tool):
    anna, borys = two
    heard = await borys.call("update_fact_with_temporal", **since("Odesa", valid_from="2026-03-02"))
    argument = {"new_value": "Kyiv", "change_reason": "update"} if tool == "update_fact" else {"fact_value": "Kyiv"}
    own = await anna.call(tool, **{name: value for name, value in since("").items() if value} | argument)
    assert own.status == "success"
    clock.forward(days=3)
    assert [(fact["value"], fact.get("valid_to")) for fact in await anna.facts()] == [("Kyiv", None)]
    assert await anna.values(known_on="2026-03-01") == ["Kyiv"]
    clock.forward(days=-3)
    await memory.undo(own["fact_id"], anna.turn())
    assert [fact["fact_id"] for fact in await anna.facts()] == [heard["fact_id"]]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("heard", "own"),
    [
        ({}, {}),
        ({}, {"previous_value": "Lviv"}),
        ({"valid_from": "2000", "valid_to": "2030"}, {"valid_from": "2010"}),
        ({"valid_from": "2000", "valid_to": "2010"}, {"valid_to": "2005"}),
    ],
)
async def test_what_another_said_contradicts_no_dates_of_ones_own_word_and_is_no_past_of_theirs(two, heard, own):
    anna, borys = two
    assert (await borys.call("update_fact_with_temporal", **since("Odesa", **heard))).status == "success"
    assert (await anna.call("update_fact_with_temporal", **since("Kyiv", **own))).status == "success"
    assert "Odesa" not in await anna.values()
    assert await anna.values(as_of="2004") == (
        ["Lviv"] if "previous_value" in own else [] if own.get("valid_from") else ["Kyiv"]
    )


async def test_who_only_repeats_what_one_said_of_oneself_changes_nothing_of_it(two, memory):
    anna, borys = two
    own = await anna.fact("location", "Kyiv", source_excerpt="I live in Kyiv")
    again = await borys.call("update_fact_with_temporal", **since("Kyiv", source_excerpt="She lives in Kyiv"))
    assert (again.status, again["fact_id"]) == ("skipped", own["fact_id"])
    row = (await memory.history(own["fact_id"], anna.turn()))[-1].after
    assert (row.said_by, row.excerpt, row.evidence) == ("1", "I live in Kyiv", 2)


async def test_what_another_said_and_one_tells_as_ones_past_is_ones_own_word(two):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    await anna.call("update_fact_with_temporal", **since("Kyiv", previous_value="Odesa"))
    assert [(fact["value"], fact.get("said_by")) for fact in await anna.facts()] == [("Kyiv", None), ("Odesa", None)]


async def test_an_update_of_what_another_said_takes_over_none_of_its_dates(two):
    anna, borys = two
    await borys.call("update_fact_with_temporal", **since("Odesa", valid_from="2010", valid_to="2030"))
    await anna.update("location", "Kyiv")
    assert [(fact["value"], "valid_from" in fact, "valid_to" in fact) for fact in await anna.facts()] == [
        ("Kyiv", False, False)
    ]


async def test_another_never_updates_or_closes_ones_own_word(two):
    anna, borys = two
    own = await anna.fact("location", "Kyiv")
    changed = await borys.update("location", "Odesa", user_id=ANNA)
    assert (changed.status, changed["fact_id"]) == ("conflict", own["fact_id"])
    arguments = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    held = await borys.call("update_fact_with_temporal", **arguments, fact_value="Odesa", valid_from="2026-01-01")
    assert held.status == "conflict"
    assert [(fact["value"], fact.get("valid_to")) for fact in await anna.facts()] == [("Kyiv", None)]


async def test_what_another_said_may_be_corrected_by_others_and_by_oneself(two):
    anna, borys = two
    await about_anna(borys, "location", "Odesa")
    assert (await borys.update("location", "Lviv", user_id=ANNA)).status == "success"
    changed = await anna.update("location", "Kyiv")
    assert (changed.status, changed.get("past_fact_id")) == ("success", None)
    values = await anna.values()
    assert (values[0], "Lviv" in values) == ("Kyiv", False)


async def test_answers_say_who_said_it_and_ones_own_word_comes_first(two):
    anna, borys = two
    await anna.fact("trait_1x", "diligent")
    await about_anna(borys, "trait_2x", "lazy", confidence=1.0)
    diligent, lazy = await anna.facts()
    assert (diligent["value"], diligent.get("said_by")) == ("diligent", None)
    assert (lazy["value"], lazy["said_by"]) == ("lazy", BORYS)


async def test_lists_summary_and_context_say_who_said_it_too(two, memory):
    anna, borys = two
    await memory.report_member("telegram", "456", Member(user=str(BORYS), number=BORYS, name="Borys"))
    await anna.fact("trait_1x", "diligent")
    await about_anna(borys, "trait_2x", "lazy")
    listed = await anna.call("recall_facts_global", user_id=ANNA)
    assert {fact["value"]: fact.get("said_by") for fact in listed["facts"]} == {"diligent": None, "lazy": BORYS}
    summary = (await anna.call("generate_profile_summary", user_id=ANNA))["summary"]
    context = (await memory.build_context(anna.turn(), 1000, query="lazy or diligent?")).text
    for text, told in ((summary, f'said by "Borys" (user_id {BORYS})'), (context, 'said by "Borys" "trait')):
        assert told in next(line for line in re.split("[;\n]", text) if "lazy" in line)
        assert text.count("said by") == 1
    assert f'"Borys" = user_id {BORYS}' in context


async def is_told(person, word):
    """Whether a person is told the word by anything that tells of Anna."""
    facts = await person.call("recall_facts", user_id=ANNA, limit=50, search_query=word)
    found = await person.call("recall", query=word, limit=50)
    summary = await person.call("get_profile_summary", user_id=ANNA)
    context = await person.memory.build_context(person.turn(), query=word)
    return word in f"{facts.get('facts', '')}{found['memories']}{summary}{context}"


class TestAuthorInvisible:
    """What somebody said of others is told nobody while they are invisible to memory (DESIGN.md, 2a)."""

    @pytest_asyncio.fixture
    async def three(self, two, people):
        return *two, await people(3).speaks()

    @pytest.mark.partitioned
    async def test_what_they_said_of_another_is_told_nobody_until_they_lower_their_level(self, three, memory):
        anna, borys, vira = three
        heard = await about_anna(borys, "hobby", "falconry", source_excerpt="she does falconry")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        for person in (anna, vira, borys):
            assert not await is_told(person, "falconry")
        assert await memory.history(heard["fact_id"], anna.turn()) == []
        assert (await vira.call("forget", query="falconry")).status == "nothing_found"
        await memory.set_privacy(PrivacyLevel.PARTIAL, borys.turn())
        assert await is_told(vira, "falconry")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert not await is_told(vira, "falconry")
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        for person in (anna, vira):
            assert await is_told(person, "falconry")
        owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", str(ANNA)))
        assert (await memory.look(lambda tx: find_drift(tx, owner))).counts == {}

    async def test_another_or_the_person_says_the_same_of_whom_it_is_then_and_is_told(self, three, memory):
        anna, borys, vira = three
        for value in ("falconry", "sailing"):
            await about_anna(borys, "hobby", value)
        await about_anna(borys, "location", "Odesa")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert (await about_anna(vira, "hobby", "falconry")).status == "success"
        assert (await about_anna(vira, "location", "Lviv")).status == "success"
        assert (await anna.fact("hobby", "sailing")).status == "success"
        assert await vira.values(user_id=ANNA) == ["Lviv", "falconry", "sailing"]
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert await vira.values(user_id=ANNA) == ["Lviv", "falconry", "sailing"]

    async def test_it_does_not_come_back_beside_the_persons_own_word_of_every_space(self, three, memory):
        anna, borys, vira = three
        await about_anna(borys, "location", "Odesa")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        elsewhere = anna.at(space="789", chat="789")
        own = await elsewhere.fact("location", "Kyiv")
        assert isinstance(await memory.share(own["fact_id"], elsewhere.turn()), Shared)
        assert await vira.values(user_id=ANNA) == ["Kyiv"]
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert await vira.values(user_id=ANNA) == ["Kyiv"]

    async def test_a_note_and_a_relation_that_they_said_of_others_are_told_nobody(self, three, memory, people):
        _anna, borys, vira = three
        await borys.call("create_long_term_memory", memory_content="sings", scope="target_user", target_user="1")
        tie = {"user_id": ANNA, "related_user_id": 3, "relationship": "friend"}
        assert (await borys.call("remember_relationship", **tie)).status == "success"
        own = {"user_id": BORYS, "related_user_id": 3, "relationship": "parent"}
        assert (await borys.call("remember_relationship", **own)).status == "success"
        ties = {"user_id": 3, "limit": 9}
        assert (await vira.call("recall_relationships", **ties))["count"] == 2
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert (await vira.call("recall_relationships", **ties))["count"] == 0
        assert not await is_told(vira, "sings")
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert (await vira.call("recall_relationships", **ties))["count"] == 2
        assert await is_told(vira, "sings")

    async def test_an_answer_that_repeated_it_is_told_nobody(self, three, memory):
        _anna, borys, vira = three
        heard = await about_anna(borys, "hobby", "falconry")
        for text in ("She does falconry.", "Falcons are birds."):
            await memory.record("assistant", text, vira.turn(), given=[heard["fact_id"]])

        async def told():
            found = await memory.search_messages("falconry falcons", vira.turn())
            return {row.message.text for row in found if row.message.role == "assistant"}

        assert await told() == {"She does falconry.", "Falcons are birds."}
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert await told() == {"Falcons are birds."}
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert await told() == {"She does falconry.", "Falcons are birds."}

    @pytest.mark.parametrize("about_note", [False, True])
    async def test_at_partial_and_after_an_erasure_an_answer_is_told_as_what_it_repeats_is(
        self, three, memory, about_note
    ):
        _anna, borys, vira = three
        if about_note:
            note = {"memory_content": "We have falconry", "scope": "server_wide"}
            heard = (await borys.call("create_long_term_memory", **note))["memory_id"]
        else:
            heard = (await about_anna(borys, "hobby", "We have falconry"))["fact_id"]
        await memory.record("assistant", "I know: we have falconry.", vira.turn(), given=[heard])
        for level, is_told in ((PrivacyLevel.PARTIAL, True), (PrivacyLevel.FULL, False), (PrivacyLevel.MINIMAL, True)):
            await memory.set_privacy(level, borys.turn())
            found = await memory.search_messages("falconry", vira.turn())
            assert bool(found) is is_told
        await memory.erase(borys.turn())
        assert await memory.search_messages("falconry", vira.turn())

    async def test_what_several_who_are_invisible_said_is_all_withheld(self, three, memory, people):
        anna, borys, vira = three
        await people(4).speaks()
        await about_anna(borys, "location", "Odesa")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        await about_anna(vira, "location", "Lviv")
        await vira.fact("hobby", "falconry", user_id=4)
        await memory.set_privacy(PrivacyLevel.FULL, vira.turn())
        assert await anna.values() == []
        assert await people(4).values() == []
        for person in (borys, vira):
            await memory.set_privacy(PrivacyLevel.MINIMAL, person.turn())
        assert await anna.values() == ["Odesa"]

    async def test_an_erasure_tells_nothing_again_that_was_withheld(self, three, memory, clock):
        anna, borys, vira = three
        heard = (await about_anna(borys, "location", "Odesa"))["fact_id"]
        hidden = (await about_anna(borys, "hobby", "falconry"))["fact_id"]
        await anna.forget_fact("hobby", fact_id=hidden)
        clock.forward(days=1)
        day = clock.now.isoformat()
        clock.forward(hours=3)
        await anna.fact("location", "Kyiv")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        await memory.erase(borys.turn())
        for memory_id in (heard, hidden):
            assert "Odesa" not in repr(await memory.undo(memory_id, anna.turn()))
            assert "Odesa" not in repr(await memory.history(memory_id, anna.turn()))
        assert await vira.values(user_id=ANNA, known_on=day) == []
        assert await vira.values(user_id=ANNA) == ["Kyiv"]

    async def test_subscribers_are_not_told_what_an_undo_brings_back_withheld(self, three, memory):
        anna, borys, _vira = three
        await about_anna(borys, "hobby", "falconry")
        own = await anna.fact("hobby", "sailing")
        for _ in range(2):
            await anna.call("clear_profile", user_id=ANNA, reason="asked for")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        notices = []
        memory.subscribe(notices.append)
        await memory.undo(own["fact_id"], anna.turn())
        assert "sailing" in repr(notices)
        assert "falconry" not in repr(notices)

    async def test_what_comes_back_in_the_place_of_anothers_word_is_a_conflict_and_not_lost(self, three, memory):
        anna, borys, vira = three
        await about_anna(borys, "location", "Odesa")
        own = await anna.fact("hobby", "sailing")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        for _ in range(2):
            await anna.call("clear_profile", user_id=ANNA, reason="asked for")
        await about_anna(vira, "location", "Lviv")
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert isinstance(await memory.undo(own["fact_id"], anna.turn()), Conflict)
        await anna.forget_fact("location", reason="incorrect")
        assert isinstance(await memory.undo(own["fact_id"], anna.turn()), Changed)
        assert await anna.values() == ["Odesa", "sailing"]

    async def test_whose_words_they_are_follows_who_says_it_of_themselves_and_not_who_repeats_it(self, three, memory):
        anna, borys, vira = three
        await about_anna(borys, "hobby", "falconry", source_excerpt="I saw her with a hawk")
        own = await anna.fact("hobby", "falconry")
        tie = {"user_id": ANNA, "related_user_id": 3, "relationship": "friend"}
        for person in (anna, borys):
            await person.call("remember_relationship", **tie)
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert await vira.values(user_id=ANNA) == ["falconry"]
        assert (await vira.call("recall_relationships", user_id=3, limit=9))["count"] == 1
        assert "hawk" not in repr(await memory.history(own["fact_id"], anna.turn()))

    async def test_where_they_are_so_in_one_space_alone_it_is_told_elsewhere(self, three, memory, people):
        _anna, borys, vira = three
        elsewhere = [person.at(space="789", chat="789") for person in three]
        for person in elsewhere:
            await person.speaks()
        await about_anna(borys, "hobby", "falconry")
        await about_anna(elsewhere[1], "hobby", "sailing")
        bound = Grant(token=1, role="service", platforms=("telegram",), spaces=("456",))
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn(), grant=bound)
        assert not await is_told(vira, "falconry")
        assert await is_told(elsewhere[2], "sailing")

    async def test_what_the_person_says_themselves_does_not_bring_it_back_by_undo_or_history(self, three, memory):
        anna, borys, vira = three
        heard = await about_anna(borys, "location", "Odesa")
        await anna.fact("location", "Kyiv")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        trail = await memory.history(heard["fact_id"], anna.turn())
        assert "Odesa" not in repr(trail)
        assert "Kyiv" in repr(trail)
        alone = anna.at(space="1", chat="1", direct=True)
        for person in (anna, alone):
            undone = await memory.undo(heard["fact_id"], person.turn())
            assert "Odesa" not in repr(undone)
            assert not await is_told(vira, "Odesa")

    async def test_a_cleared_profile_that_comes_back_leaves_it_untold(self, three, memory):
        anna, borys, vira = three
        await about_anna(borys, "hobby", "falconry")
        own = await anna.fact("hobby", "sailing")
        clearing = {"user_id": ANNA, "reason": "asked for"}
        assert (await anna.call("clear_profile", **clearing)).status == "confirmation_required"
        assert (await anna.call("clear_profile", **clearing)).status == "deleted"
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert isinstance(await memory.undo(own["fact_id"], anna.turn()), Changed)
        assert await is_told(vira, "sailing")
        assert not await is_told(vira, "falconry")
        await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert await is_told(vira, "falconry")

    async def test_what_was_known_on_a_day_is_told_without_it(self, three, memory, clock):
        anna, borys, vira = three
        await about_anna(borys, "location", "Odesa")
        clock.forward(days=1)
        day = clock.now.isoformat()
        clock.forward(days=1)
        await anna.fact("location", "Kyiv")
        assert await vira.values(user_id=ANNA, known_on=day) == ["Odesa"]
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        assert await vira.values(user_id=ANNA, known_on=day) == []

    @pytest.mark.partitioned
    async def test_it_goes_with_them_when_they_are_erased_and_only_then(self, three, memory):
        anna, borys, vira = three
        await about_anna(borys, "hobby", "falconry")
        await about_anna(vira, "hobby", "sailing")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        for person in (borys, vira):
            await memory.erase(person.turn())
        owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", str(ANNA)))
        rows = await memory.look(lambda tx: tx.memories.list_all(owner))
        assert [row.content for row in rows] == ["sailing"]
        assert await anna.values() == ["sailing"]

    async def test_a_file_that_is_read_elsewhere_tells_it_by_the_level_there(self, three, memory, opening, tmp_path):
        _anna, borys, vira = three
        await about_anna(borys, "hobby", "falconry")
        await memory.set_privacy(PrivacyLevel.FULL, borys.turn())
        other = await opening(f"sqlite:///{tmp_path / 'other.db'}")
        lines: list[str] = []
        await memory.look(export_store, lines.append)
        await other.import_lines(lines)
        assert not await is_told(vira.at(memory=other), "falconry")
        await other.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
        assert await is_told(vira.at(memory=other), "falconry")


async def test_a_database_of_an_older_schema_tells_nothing_of_it_once_it_is_opened(
    lasting_url, opening, elsewhere, make_person
):
    async with open_memory(lasting_url, settings=Settings(background=False)) as before:
        anna, borys = (make_person(before, user=user) for user in (ANNA, BORYS))
        await anna.speaks()
        await borys.speaks()
        await about_anna(borys, "hobby", "falconry")
        invisible = await before.look(lambda tx: tx.owners.find("person", "telegram", str(BORYS)))
    elsewhere(lasting_url, f"INSERT INTO privacy (owner, level) VALUES ({invisible}, 2)")
    elsewhere(lasting_url, "DELETE FROM migration WHERE name LIKE '%_heard'")
    memory = await opening(lasting_url)
    await memory.tidy()
    assert await anna.at(memory=memory).values() == []
    await memory.set_privacy(PrivacyLevel.MINIMAL, borys.turn())
    assert await anna.at(memory=memory).values() == ["falconry"]


class TestOwnWordGone:
    """What gave way to the person's own word is told again when that goes, unless they said that it was wrong."""

    WAYS = ("remember", "update", "contradiction", "dated", "other persona")

    async def says(self, two, memory, how: str):
        """Have Anna say where she lives, in a message of its own; returns its turn."""
        anna, _ = two
        turn = anna.turn(message="own", text="I live in Kyiv")
        await memory.record("user", "I live in Kyiv", turn)
        match how:
            case "remember":
                kept = await anna.fact("location", "Kyiv", turn=turn)
            case "other persona":
                turn = replace(turn, persona=5)
                kept = await anna.at(persona=5).fact("location", "Kyiv", turn=turn)
            case "dated":
                kept = await anna.call("update_fact_with_temporal", **since("Kyiv", valid_from="2020"), turn=turn)
            case _:
                kept = await anna.update("location", "Kyiv", change_reason=how, turn=turn)
        assert kept.status == "success"
        return turn, kept["fact_id"]

    @pytest.mark.partitioned
    @pytest.mark.every_case
    @pytest.mark.parametrize("gone", ["deleted", "edited", "incorrect"])
    @pytest.mark.parametrize("how", WAYS)
    async def test_what_another_said_is_told_again(self, two, memory, how, gone):
        anna, borys = two
        await about_anna(borys, "location", "Odesa", source_excerpt="she lives in Odesa")
        turn, id_ = await self.says(two, memory, how)
        speaker = anna.at(persona=5) if how == "other persona" else anna
        assert await speaker.values() == ["Kyiv"]
        match gone:
            case "deleted":
                await memory.unrecord(turn)
            case "edited":
                await memory.record("user", "Nice weather", replace(turn, text="Nice weather"))
            case _:
                assert (await speaker.forget_fact("location", fact_id=id_, reason="incorrect")).status == "success"
        await memory.run_tasks()
        facts = await anna.facts()
        assert [(fact["value"], fact.get("said_by")) for fact in facts] == [("Odesa", BORYS)]
        assert await speaker.values() == ["Odesa"]
        owner = await memory.look(lambda tx: tx.owners.find("person", "telegram", str(ANNA)))
        assert (await memory.look(lambda tx: find_drift(tx, owner))).counts == {}

    @pytest.mark.parametrize("how", WAYS)
    async def test_to_take_back_that_it_was_wrong_lets_it_give_way_again(self, two, memory, how):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        _, id_ = await self.says(two, memory, how)
        speaker = anna.at(persona=5) if how == "other persona" else anna
        await speaker.forget_fact("location", fact_id=id_, reason="incorrect")
        assert isinstance(await memory.undo(id_, speaker.turn()), Changed)
        assert await speaker.values() == ["Kyiv"]

    async def test_not_what_the_person_corrected(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        turn, _ = await self.says(two, memory, "correction")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    @pytest.mark.parametrize("reason", ["incorrect", "user_requested"])
    async def test_not_what_the_person_had_forgotten_before(self, two, memory, reason):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await anna.forget_fact("location", reason=reason)
        turn, _ = await self.says(two, memory, "remember")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    async def test_not_what_its_author_took_back_meanwhile(self, two, memory):
        anna, borys = two
        heard = borys.turn(message="heard", text="She lives in Odesa")
        await memory.record("user", "She lives in Odesa", heard)
        await about_anna(borys, "location", "Odesa", turn=heard)
        turn, _ = await self.says(two, memory, "remember")
        for each in (heard, turn):
            await memory.unrecord(each)
            await memory.run_tasks()
        assert await anna.values() == []

    async def test_no_trail_tells_what_its_author_took_back(self, open_store, make_person):
        memory = await open_store(undo_hours=0)
        anna, borys = (make_person(memory, user=user) for user in (ANNA, BORYS))
        await anna.speaks()
        heard = (await borys.speaks()).turn(message="heard", text="She lives in Odesa")
        await memory.record("user", "She lives in Odesa", heard)
        await about_anna(borys, "location", "Odesa", turn=heard)
        _, id_ = await self.says((anna, borys), memory, "remember")
        assert "Odesa" in repr(await memory.history(id_, anna.turn()))
        await memory.unrecord(heard)
        await memory.run_tasks()
        assert "Odesa" not in repr(await memory.history(id_, anna.turn()))

    async def test_not_while_another_own_word_stands_against_it(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await anna.fact("location", "Lviv")
        turn, _ = await self.says(two, memory, "update")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == ["Lviv"]

    async def test_not_when_the_own_word_is_forgotten_by_wish(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await self.says(two, memory, "remember")
        await anna.forget_fact("location", reason="user_requested")
        assert await anna.values() == []

    async def test_not_when_the_word_that_it_gave_way_to_was_forgotten_by_wish_and_a_later_one_goes(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await anna.fact("location", "Lviv")
        await anna.forget_fact("location", reason="user_requested")
        turn, _ = await self.says(two, memory, "remember")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    async def test_in_whatever_order_the_own_words_go(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        first = anna.turn(message="first", text="I live in Lviv")
        await memory.record("user", "I live in Lviv", first)
        await anna.fact("location", "Lviv", turn=first)
        turn, _ = await self.says(two, memory, "update")
        for each, left in ((turn, "Lviv"), (first, "Odesa")):
            await memory.unrecord(each)
            await memory.run_tasks()
            assert await anna.values() == [left]

    async def test_what_one_told_as_ones_past_is_anothers_word_again(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        turn = anna.turn(message="own", text="From Odesa I moved to Kyiv")
        await memory.record("user", "From Odesa I moved to Kyiv", turn)
        await anna.call("update_fact_with_temporal", **since("Kyiv", previous_value="Odesa"), turn=turn)
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert [(fact["value"], fact.get("said_by"), "valid_to" in fact) for fact in await anna.facts()] == [
            ("Odesa", BORYS, False)
        ]

    @pytest.mark.parametrize("how", ["forget", "forget_fact"])
    async def test_not_when_the_person_came_to_say_the_same_and_had_that_forgotten(self, two, memory, how):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await anna.fact("location", "Kyiv")
        id_ = (await anna.update("location", "Odesa"))["fact_id"]
        if how == "forget":
            for text in ("Forget where I live", "yes"):
                gone = await anna.call("forget", memory_id=id_, turn=anna.turn(text=text))
            assert gone.status == "deleted"
        else:
            await anna.forget_fact("location", reason="user_requested")
        await memory.run_tasks()
        turn = anna.turn(message="own", text="I live in Lviv")
        await memory.record("user", "I live in Lviv", turn)
        await anna.fact("location", "Lviv", turn=turn)
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    async def test_not_when_the_person_had_the_word_forgotten_that_they_say_once_more(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        await anna.fact("location", "Kyiv")
        await anna.forget_fact("location", reason="user_requested")
        turn, _ = await self.says(two, memory, "remember")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    async def test_not_what_the_person_had_forgotten_where_they_said_it_themselves(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        turn, _ = await self.says(two, memory, "remember")
        direct = anna.at(space="1", chat="1", direct=True)
        id_ = (await direct.fact("location", "Odesa"))["fact_id"]
        await direct.forget_fact("location", fact_id=id_, reason="user_requested")
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == []

    async def test_to_take_back_the_wish_lets_it_be_told_again_when_the_own_word_goes(self, two, memory):
        anna, borys = two
        await about_anna(borys, "location", "Odesa")
        turn, id_ = await self.says(two, memory, "remember")
        await anna.forget_fact("location", reason="user_requested")
        assert isinstance(await memory.undo(id_, anna.turn()), Changed)
        assert await anna.values() == ["Kyiv"]
        await memory.unrecord(turn)
        await memory.run_tasks()
        assert await anna.values() == ["Odesa"]
