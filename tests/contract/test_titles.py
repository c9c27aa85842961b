"""What platforms call places: kept as rows, told to whoever is or was there while the place was called so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zgadka.chat.memory_list import entries
from zgadka.model.people import Member, Title
from zgadka.ops.list_memories import listing
from zgadka.ops.place_names import place_names

pytestmark = pytest.mark.asyncio

HIKERS = Title(text="Hiking club")
TOM = Member(user="77", number=77, name="Tom")


async def name(memory, viewer: str | None = None, space: str = "456") -> str:
    """What the space is called for a person; None: for an operator."""

    def look(tx):
        owner = tx.owners.get(tx.owners.find("space", "telegram", space))
        person = tx.owners.find("person", "telegram", viewer) if viewer else 0
        return place_names(tx, [owner], viewer=person)[owner.id].name

    return await memory.look(look)


async def titles(memory, space: str = "456") -> dict[tuple[str, str], str]:
    owner = await memory.look(lambda tx: tx.owners.find("space", "telegram", space))
    return {(title.chat, title.thread): title.text for title in await memory.look(lambda tx: tx.titles.list(owner))}


@pytest.mark.partitioned
async def test_a_space_is_called_by_its_last_title(memory, clock):
    await memory.report_titles("telegram", "456", [HIKERS, Title(chat="456", thread="7", text="Routes")])
    clock.forward(days=1)
    await memory.report_titles("telegram", "456", [Title(text="Hikers  of\nLviv\x00")])
    assert await name(memory) == "Hikers of Lviv"
    assert await titles(memory) == {("", ""): "Hikers of Lviv", ("456", "7"): "Routes"}
    await memory.report_titles("telegram", "456", [Title(text="")])
    assert await name(memory) == ""


async def test_a_chat_that_is_gone_takes_the_titles_of_its_threads_along(memory):
    chats = [Title(chat="a", text="a"), Title(chat="a", thread="7", text="a7"), Title(chat="b", text="b")]
    await memory.report_titles("telegram", "456", [HIKERS, *chats])
    await memory.report_titles("telegram", "456", [Title(chat="a", text="")])
    assert set(await titles(memory)) == {("", ""), ("b", "")}


async def test_who_was_never_there_is_not_told_the_title(memory, person, people):
    await person.speaks()
    await people(5).at(space="9", chat="9").speaks()
    await memory.report_titles("telegram", "456", [HIKERS])
    assert await name(memory, "123") == "Hiking club"
    assert await name(memory, "5") == ""


@pytest.mark.partitioned
async def test_who_left_is_told_only_a_title_of_their_time(memory, clock):
    await memory.report_member("telegram", "456", TOM)
    await memory.report_titles("telegram", "456", [HIKERS])
    clock.forward(days=1)
    await memory.report_member("telegram", "456", replace(TOM, left_at=clock()))
    clock.forward(days=1)
    await memory.report_titles("telegram", "456", [HIKERS])  # said again, it is as old as before
    assert await name(memory, "77") == "Hiking club"
    await memory.report_titles("telegram", "456", [Title(text="Farewell to Tom")])
    assert await name(memory, "77") == ""
    assert await name(memory) == "Farewell to Tom"


@pytest.mark.partitioned
async def test_the_own_list_and_the_answer_to_why_say_the_title(memory, person):
    turn = person.turn(message="m1", text="I live in Kyiv")
    await memory.record("user", "I live in Kyiv", turn)
    fact = await person.fact("location", "Kyiv", turn=turn)
    await person.at(space="9", chat="9").fact("pet", "a cat")
    await memory.report_titles("telegram", "456", [HIKERS])
    alone = person.turn(direct=True, space="123", chat="123")
    own = await memory.look(listing, alone)
    assert {line.place for line in entries(own, "en")} == {"Hiking club", "9"}
    [source] = (await memory.why(fact["fact_id"], alone)).sources
    assert source.called == "Hiking club"


@pytest.mark.partitioned
async def test_a_group_that_gets_another_id_keeps_its_titles(memory, person):
    await person.speaks()
    await memory.report_titles("telegram", "456", [HIKERS, Title(chat="456", thread="7", text="Routes")])
    await memory.move_space("telegram", "456", "-100456", chats=("456", "-100456"))
    assert await titles(memory, "-100456") == {("", ""): "Hiking club", ("-100456", "7"): "Routes"}


async def test_a_channel_that_becomes_part_of_a_server_does_not_give_it_its_name(memory, person):
    await person.at(space="1:7", chat="7").speaks()
    await memory.report_titles("telegram", "1:7", [Title(text="mods")])
    await memory.move_space("telegram", "1:7", "1", thread="7")
    assert await titles(memory, "1") == {}


@pytest.mark.partitioned
async def test_titles_go_with_their_space(memory, person):
    await person.speaks()
    await memory.report_titles("telegram", "456", [HIKERS, Title(chat="456", thread="7", text="Routes")])
    owner = await memory.look(lambda tx: tx.owners.find("space", "telegram", "456"))
    await memory.erase_space("telegram", "456")
    assert await memory.look(lambda tx: tx.titles.list(owner)) == []
