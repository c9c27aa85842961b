"""What is mine: one answer for the list, the own page, the export, clearing and erasing; over every back end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zgadka import Member
from zgadka.chat.memory_list import entries, grouped
from zgadka.mcp import views
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.belongings import mine
from zgadka.ops.list_memories import listing, own_memories, recent_memories
from zgadka.ops.self_service import delete, undo
from zgadka.ops.vectors import text_of_query, waiting_texts

pytestmark = pytest.mark.asyncio

RESTRICTED = [PrivacyLevel.PARTIAL, PrivacyLevel.FULL]


async def world(people: Any) -> Any:
    """Olena (7): fact 1, relation 2 with Petro (8), episode 3 alone, 4 with Petro, note 5 of her direct chat."""
    olena, petro = people(7), people(8)
    memory = olena.memory
    for person, name in ((olena, "Olena"), (petro, "Petro")):
        user = person.turn().user_key
        await memory.report_member("telegram", "456", Member(user=user, number=int(user), name=name))
    await olena.speaks("I sing")
    await olena.fact("hobby", "singing")
    related = {"user_id": 7, "related_user_id": 8, "relationship": "friend", "description": "from school"}
    await olena.call("remember_relationship", **related)
    await olena.call("create_episode", topic="Alone", summary="She sang.", importance=0.5, message_count=1)
    await petro.speaks("I sing too")
    await petro.call("create_episode", topic="Together", summary="They sang.", importance=0.5, message_count=2)
    direct = people(7, space="7", chat="7", direct=True)
    await direct.call("create_long_term_memory", memory_content="likes the quiet", scope="server_wide")
    return olena


async def lists(olena: Any) -> dict[str, set[int]]:
    memory, alone = olena.memory, olena.at(space="7", chat="7", direct=True).turn()
    exported = [json.loads(line) for line in await memory.export(alone)]
    page = await memory.look(listing, alone)
    return {
        "/memory": {entry.id for entry in entries(page, "en")},
        "own page": {entry.id for entry in (*page.memories, *page.shared)},
        "export": {line["id"] for line in exported if line["kind"] in ("memory", "mention")},
        "clear": {entry.id for entry in (await memory.look(mine, alone, "clear")).all},
        "erase": {entry.id for entry in (await memory.look(mine, alone, "erase")).all},
    }


@pytest.mark.partitioned
@pytest.mark.parametrize("level", [PrivacyLevel.MINIMAL, *RESTRICTED])
async def test_list_page_export_clear_and_erase_mean_the_same_memories_at_every_level(people, memory, level):
    olena = await world(people)
    await memory.set_privacy(level, olena.turn())
    assert await lists(olena) == {name: {1, 2, 3, 4, 5} for name in ("/memory", "own page", "export", "clear", "erase")}


@pytest.mark.parametrize("level", RESTRICTED)
async def test_in_a_group_nothing_is_listed_of_who_does_not_want_to_be_remembered(people, memory, level):
    olena = await world(people)
    await memory.set_privacy(level, olena.turn())
    assert isinstance(await memory.look(own_memories, olena.turn()), NoAccess)


async def test_the_list_says_with_whom_and_where_it_may_be_seen(people, memory):
    olena = await world(people)
    page = await memory.look(listing, olena.turn(direct=True))
    assert page.with_others == {4: ("Petro",)}
    assert [(place.owner.name if place.owner else None, len(place.memories)) for place in page.places] == [
        ("7", 1),
        ("456", 4),
    ]
    texts = grouped(entries(page, "en"))
    assert texts[0] == "— direct chat"
    assert "ID:2 friend: Olena ↔ Petro (from school)" in texts
    assert "They sang" not in repr(texts), "the text of an episode with others is not only theirs"
    assert "They sang" not in repr(await memory.look(own_memories, olena.turn(direct=True)))


async def test_the_list_names_no_other_members_or_roles_where_not_all_channels_are_told(people, memory):
    readers = ("administrators", "role:99", "member:55")
    await people(7, chat="mods", audience=readers).call("remember", content="likes tea")
    texts = grouped(entries(await memory.look(listing, (await world(people)).turn(direct=True)), "en"))
    assert "— 456 · some channels" in texts
    assert not [text for text in texts if "55" in text or "99" in text]


@pytest.mark.partitioned
async def test_the_list_has_a_button_for_what_forget_deletes_there_and_for_nothing_else(people, memory):
    alone = (await world(people)).at(space="7", chat="7", direct=True)
    page = await memory.look(listing, alone.turn())
    assert {entry.id: entry.is_deletable for entry in entries(page, "en")} == {
        number: (await alone.call("forget", memory_id=number)).status == "confirmation_required"
        for number in range(1, 6)
    }
    assert page.deletable == {1, 2, 3, 5}


async def test_the_list_asks_the_database_no_more_for_more_that_is_shared(people, memory):
    olena = await world(people)

    async def asked() -> int:
        def count(tx: Any) -> int:
            run, queries = tx.rows, []
            tx.rows = lambda query, parameters: queries.append(query) or run(query, parameters)
            listing(tx, olena.turn(direct=True))
            return len(queries)

        return await memory.look(count)

    before = await asked()
    for number in range(9):
        await people(8).call(
            "create_episode", topic=f"Evening {number}", summary="They sang.", message_count=2, importance=0.5
        )
    assert len((await memory.look(listing, olena.turn(direct=True))).shared) == 10
    assert await asked() == before


async def test_who_is_invisible_is_not_named_in_the_list_of_another(people, memory):
    olena = await world(people)
    await memory.set_privacy(PrivacyLevel.FULL, people(8).turn())
    assert (await memory.look(listing, olena.turn(direct=True))).with_others == {}


# Notes of a space that name people by id


async def named_note(people: Any, content: str = "<@7> pays for the pizza", **more: Any) -> Any:
    await people(7).speaks()
    return await people(8).call("create_long_term_memory", memory_content=content, scope="server_wide", **more)


async def told_to(person: Any) -> str:
    memory, turn = person.memory, person.turn(text="pizza")
    answers = [(await person.call("recall", query="pizza")).json()]
    answers += [entry.text for entry in await memory.look(recent_memories, turn, 20)]
    return repr((answers, (await memory.build_context(turn, query="pizza")).text))


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("mention", ["<@7>", "<@!7>", "tg://user?id=7", "[Olena](tg://user?id=7)"])
@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_note_that_names_somebody_by_id_is_hidden_at_their_level_and_a_new_one_refused(
    people, memory, mention, level
):
    await named_note(people, f"{mention} pays for the pizza")
    assert "pays" in await told_to(people(8))
    await memory.set_privacy(level, people(7).turn())
    for reader in (people(8), people(7)):
        assert "pays" not in await told_to(reader)
    assert (await named_note(people, f"{mention} likes pizza")).status.endswith("privacy_restricted")
    update = await people(8).call("update_long_term_memory", memory_id=1, memory_content=f"{mention} is pizza")
    assert "successfully" not in update.status
    await memory.set_privacy(PrivacyLevel.MINIMAL, people(7).turn())
    assert "pays" in await told_to(people(8))


@pytest.mark.parametrize("content", ["Olena pays for the pizza", "<@77> pays for the pizza", "7 pays for the pizza"])
async def test_a_name_or_another_number_makes_nobody_a_subject(people, memory, content):
    await people(7).speaks()
    await memory.report_member("telegram", "456", Member(user="7", number=7, name="Olena"))
    await named_note(people, content)
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert "pays" in await told_to(people(8))


async def test_a_changed_note_is_about_whom_it_names_then(people, memory):
    await named_note(people, "somebody pays for the pizza")
    await people(8).call("update_long_term_memory", memory_id=1, memory_content="<@7> pays for the pizza")
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert "pays" not in await told_to(people(8))


@pytest.mark.partitioned
async def test_who_is_named_may_hide_a_note_and_neither_read_nor_delete_it_by_that(people, memory):
    await named_note(people)
    olena = people(7)
    exported = "".join(await memory.export(olena.turn(direct=True)))
    assert '"mention"' in exported
    assert "pays" not in exported
    asked = await olena.call("clear_profile", user_id=7, reason="they asked")
    assert asked.status == "confirmation_required", asked
    assert (await olena.call("clear_profile", user_id=7, reason="they asked")).status == "deleted"
    assert "pays" not in await told_to(people(8))
    kept = await memory.look(lambda tx: tx.memories.list_all(tx.owners.find("space", "telegram", "456")))
    assert [(note.content, bool(note.withheld)) for note in kept] == [("<@7> pays for the pizza", True)]
    assert (await olena.call("clear_profile", user_id=7, reason="they asked")).status == "nothing_found"


async def test_hiding_a_note_on_the_own_page_can_be_taken_back(people, memory):
    await named_note(people)
    alone = people(7).turn(direct=True)
    await memory.apply(delete, alone, 1)
    assert "pays" not in await told_to(people(8))
    assert type(await memory.apply(undo, alone, 1)).__name__ == "Changed"
    assert "pays" in await told_to(people(8))


# Notes of a space are their author's, too


async def test_a_note_of_the_space_is_listed_for_its_author_and_goes_with_them(people, memory):
    await people(8).speaks()
    await people(8).call("create_long_term_memory", memory_content="pizza on Fridays", scope="server_wide")
    alone = people(8).turn(direct=True)
    assert [entry.content for entry in (await memory.look(listing, alone)).memories] == ["pizza on Fridays"]
    assert "pizza on Fridays" in "".join(await memory.export(alone))
    assert (await memory.look(mine, alone, "clear")).all == (), "it is not about them"
    await memory.set_privacy(PrivacyLevel.FULL, alone)
    assert "Fridays" not in await told_to(people(7))
    await memory.set_privacy(PrivacyLevel.MINIMAL, alone)
    assert "Fridays" in await told_to(people(7))
    await memory.erase(alone)
    assert "Fridays" not in await told_to(people(7))


@pytest.mark.parametrize("content", ["<@7> pays for the pizza", "<@7> and <@8> pay for the pizza"])
async def test_a_note_that_names_others_is_its_authors_while_they_let_it_be_told(people, memory, content):
    await people(8).speaks()
    await named_note(people, content)
    alone = people(8).turn(direct=True)

    async def told() -> set[bool]:
        listed = (await memory.look(listing, alone)).memories
        return {"for the pizza" in text for text in ("".join(await memory.export(alone)), repr(listed))}

    assert await told() == {True}
    await memory.set_privacy(PrivacyLevel.PARTIAL, people(7).turn())
    assert await told() == {False}
    await memory.set_privacy(PrivacyLevel.MINIMAL, people(7).turn())
    await people(9).speaks()
    await people(9).call("update_long_term_memory", memory_id=1, memory_content="<@7> pays for cake")
    assert "pays for" not in "".join(await memory.export(alone)), "it has another's words"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_long_term_memory", {"memory_content": "pizza on Fridays", "scope": "server_wide"}),
        ("remember_fact", {"user_id": 8, "fact_type": "preference", "fact_key": "hobby", "fact_value": "pizza"}),
    ],
)
async def test_nothing_is_kept_that_somebody_at_full_says_not_even_of_the_space_or_of_others(
    people, memory, tool, arguments
):
    await people(8).speaks()
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    more = {"confidence": 0.9} if tool == "remember_fact" else {}
    assert (await people(7).call(tool, **arguments, **more)).status.endswith("privacy_restricted")


# What a level hides besides memories


async def with_answer(people: Any, text: str = "Olena lives in Quixotania") -> tuple[Any, Any, int]:
    """Petro is told where Olena lives; returns both, and the id of the answer."""
    olena, petro = people(7), people(8)
    for person in (olena, petro):
        await person.speaks("hello")
    fact = (await olena.fact("location", "Quixotania"))["fact_id"]
    answer = await olena.memory.record("assistant", text, petro.turn(), given=[fact])
    assert answer is not None
    return olena, petro, answer


async def messages_told(person: Any) -> str:
    memory, turn = person.memory, person.turn(text="Quixotania")
    recent = [message.text for message in await memory.recent(turn)]
    found = [match.message.text for match in await memory.search_messages("Quixotania", turn, limit=9)]
    recalled = (await person.call("recall", query="Quixotania")).json()
    return repr((recent, found, recalled, (await memory.build_context(turn, query="Quixotania")).text))


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("level", RESTRICTED)
async def test_an_answer_that_repeats_what_is_remembered_of_somebody_is_hidden_with_it(people, memory, level):
    olena, petro, _ = await with_answer(people)
    assert "Olena lives" in await messages_told(petro)
    await memory.set_privacy(level, olena.turn())
    for reader in (petro, olena):
        assert "Quixotania" not in (await messages_told(reader)).replace('"query": "Quixotania"', "")
    late = await memory.record("assistant", "So Quixotania it is", petro.turn(), given=[1])
    assert late is not None
    assert "it is" not in await messages_told(petro), "an answer that was under way"
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert "Olena lives" in await messages_told(petro)


@pytest.mark.partitioned
async def test_what_somebody_was_answered_is_theirs_while_others_let_it_be_told(people, memory):
    olena, petro, _ = await with_answer(people)
    assert "Olena lives" in "".join(await memory.export(petro.turn(direct=True)))
    assert "Olena lives" in "".join(await memory.export(petro.turn()))
    assert "Olena lives" not in "".join(await memory.export(petro.turn(space="457")))
    assert "Olena lives" not in "".join(await memory.export(olena.turn(direct=True)))
    await memory.set_privacy(PrivacyLevel.PARTIAL, olena.turn())
    assert "Olena lives" not in "".join(await memory.export(petro.turn(direct=True)))


async def test_an_answer_that_repeats_nothing_stays(people, memory):
    olena, petro, _ = await with_answer(people, "I cannot say, it is Quixotic")
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    assert "Quixotic" in await messages_told(petro)


@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_notice_has_no_text_of_what_nobody_is_told(people, memory, level):
    notices: list[Any] = []
    olena = await world(people)
    await named_note(people)
    await memory.set_privacy(level, olena.turn())
    memory.subscribe(notices.append)
    for _ in range(2):
        await olena.call("clear_profile", user_id=7, reason="they asked")
    assert notices
    assert "".join(notice.preview for notice in notices if notice.preview) == ""


@pytest.mark.parametrize("level", RESTRICTED)
async def test_an_mcp_client_reads_no_hidden_memory_by_its_id(people, memory, level):
    olena = await world(people)
    alone = olena.at(space="7", chat="7", direct=True)
    for reader, number in ((people(8), 2), (alone, 1), (alone, 5)):
        uri = f"memory://memories/{number}"
        assert await views.read(memory, uri, reader.turn()) is not None
        await memory.set_privacy(level, olena.turn())
        assert await views.read(memory, uri, reader.turn()) is None
        await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())


async def test_an_embedder_gets_nothing_of_somebody_at_full(people, memory):
    """Their notes, what names them, their messages, answers about them, and their questions."""
    olena, petro, _ = await with_answer(people)
    await memory.apply(lambda tx: tx.vectors.use_embedder("test"))
    await named_note(people)
    await olena.call("create_long_term_memory", memory_content="pizza on Fridays", scope="server_wide")
    await olena.speaks("Quixotania once more")
    await memory.record("assistant", "She lives in Quixotania", petro.turn(), given=[1])
    texts = [waiting.text for waiting in await memory.look(waiting_texts, 99)]
    assert all(any(word in text for text in texts) for word in ("pays", "Fridays", "once more", "She lives"))
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    texts = [waiting.text for waiting in await memory.look(waiting_texts, 99)]
    assert [text for text in texts if text] == []
    assert await memory.look(text_of_query, olena.turn(), "where do I live?") == ""
