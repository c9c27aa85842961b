"""The wish outlives the person's data: their level, and that nothing of before their erasure comes back."""

from __future__ import annotations

from datetime import timedelta

import apsw
import psycopg
import pytest

from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import Grant
from zgadka.transfer.export import export_store

pytestmark = pytest.mark.asyncio

NAME = "ostrich-quibble-77"
KEY = "a-key-that-lies-nowhere-near-the-database"
OF_SPACE = Grant(token=1, role="service", platforms=("telegram",), spaces=("456",), direct=False)
"""A token through which a level is raised in that space alone."""


def everything_in(url: str) -> str:
    """Every value of every table, as text."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url, options="-c search_path=zgadka,public") as connection:
            tables = connection.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'zgadka'::regnamespace"
            )
            return repr([connection.execute(f"SELECT * FROM {table}".encode()).fetchall() for (table,) in tables])
    connection = apsw.Connection(url.removeprefix("sqlite:///"))
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'memory_index%'")
    return repr([connection.execute(f"SELECT * FROM {table}").fetchall() for (table,) in tables.fetchall()])


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("level", [PrivacyLevel.MINIMAL, PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_after_an_erasure_the_platforms_id_is_in_no_row_and_the_level_is_known_all_the_same(
    lasting_url, opening, make_person, level
):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(memory, user=NAME)
    await person.speaks()
    await person.at(direct=True).note("plays the tuba")
    await memory.set_privacy(level, person.turn())
    assert NAME in everything_in(lasting_url)
    for _ in range(2):  # who was erased may be erased again
        await memory.erase(person.turn())
        assert NAME not in everything_in(lasting_url)
        assert await memory.privacy(person.turn()) is level
    assert await memory.look(lambda tx: len(tx.wishes.list())) == 1


@pytest.mark.partitioned
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_comes_back_has_the_level_that_they_had(lasting_url, opening, make_person, level):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person, other = make_person(memory, user=NAME), make_person(memory, user=8)
    await memory.set_privacy(level, person.turn())
    await memory.erase(person.turn())
    kept = await memory.record("user", "I am back", person.turn())
    assert (kept is None) == (level is PrivacyLevel.FULL)
    assert (NAME in everything_in(lasting_url)) == (level is PrivacyLevel.PARTIAL)
    assert (await person.call("recall_facts", user_id=person.turn().user_number)).status == "privacy_restricted"
    assert (await person.fact()).status == "privacy_restricted"
    await other.speaks()
    texts = [message.text for message in await memory.recent(other.turn())]
    assert texts == (["Hello!"] if level is PrivacyLevel.FULL else ["I am back", "Hello!"])
    await memory.set_privacy(PrivacyLevel.MINIMAL, person.turn())
    assert (await person.fact()).status == "success"
    await memory.erase(person.turn())
    assert await memory.privacy(person.turn()) is PrivacyLevel.MINIMAL, "only they lift it, and they did"


@pytest.mark.partitioned
async def test_whoever_names_somebody_who_was_erased_finds_them_with_their_level(lasting_url, opening, make_person):
    """A host that reports its members makes the person known again."""
    from zgadka import Member

    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(memory, user="77")
    await memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    await memory.erase(person.turn())
    await memory.report_member("telegram", "456", Member(user="77", number=77, name="Ann"))
    refused = await make_person(memory, user=8).fact("hobby", "tuba", user_id=77)
    assert refused.status == "privacy_restricted"


async def test_without_the_key_nobody_can_tell_whose_a_wish_is(lasting_url, opening, make_person):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(memory, user=NAME)
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())
    await memory.erase(person.turn())
    await memory.close()
    other = await opening(lasting_url, wish_key="another-key-of-another-machine-altogether", background=False)
    assert await other.privacy(make_person(other, user=NAME).turn()) is PrivacyLevel.MINIMAL
    assert await other.look(lambda tx: tx.wishes.count_unreadable()) == 1
    await other.close()
    again = await opening(lasting_url, wish_key=KEY, background=False)
    assert await again.privacy(make_person(again, user=NAME).turn()) is PrivacyLevel.FULL
    assert await again.look(lambda tx: tx.wishes.count_unreadable()) == 0


async def test_a_wish_that_was_kept_before_there_was_a_key_is_found_after_too(lasting_url, opening, make_person):
    memory = await opening(lasting_url, background=False)
    await memory.set_privacy(PrivacyLevel.PARTIAL, make_person(memory).turn())
    await memory.erase(make_person(memory).turn())
    await memory.close()
    again = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(again)
    assert await again.privacy(person.turn()) is PrivacyLevel.PARTIAL
    await again.set_privacy(PrivacyLevel.FULL, person.turn())
    await again.erase(person.turn())
    assert await again.privacy(person.turn()) is PrivacyLevel.FULL


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("deletes", [False, True])
async def test_an_import_brings_back_no_note_of_a_space_that_went_with_its_author(
    lasting_url, opening, make_person, deletes
):
    """What they noted about groups is erased with them; neither the note nor what its trail says of it comes back."""
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person, other = make_person(memory, user=NAME), make_person(memory, user=8)
    for author, text in ((person, "the barn is locked at nine"), (other, "the gate is green")):
        made = await author.call("create_long_term_memory", memory_content=text, scope="server_wide")
        if deletes:
            await author.call("update_long_term_memory", memory_id=made["memory_id"], memory_content="")
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    assert "barn" in everything_in(lasting_url)
    await memory.erase(person.turn())
    assert "barn" not in everything_in(lasting_url)
    report = await memory.import_lines(lines)
    assert "barn" not in everything_in(lasting_url)
    assert "gate" in everything_in(lasting_url)
    assert report.lines["event" if deletes else "memory"]["erased_since"]


@pytest.mark.partitioned
@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_a_level_that_was_raised_in_one_space_alone_is_found_again_there_after_an_erasure(
    lasting_url, opening, make_person, level
):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(memory, user=NAME)
    await person.speaks()
    await memory.set_privacy(level, person.turn(), grant=OF_SPACE)
    for _ in range(2):
        await memory.erase(person.at(direct=True).turn())
        assert NAME not in everything_in(lasting_url)
        assert await memory.privacy(person.turn()) is level
        assert await memory.privacy(person.at(space="457").turn()) is PrivacyLevel.MINIMAL
        assert (await memory.record("user", "I am back", person.turn()) is None) == (level is PrivacyLevel.FULL)
        assert (await person.at(direct=True).fact("hobby", "tuba")).status == "success"
        assert (await person.fact()).status == "privacy_restricted"
        assert (await person.call("recall_facts", user_id=person.turn().user_number)).status == "privacy_restricted"


@pytest.mark.partitioned
async def test_it_is_found_again_where_the_space_was_erased_or_came_into_another_one(lasting_url, opening, make_person):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person, gone = make_person(memory, user=5), make_person(memory, user=7)
    for each in (person, gone):
        await each.speaks()
        await memory.set_privacy(PrivacyLevel.FULL, each.turn(), grant=OF_SPACE)
    await memory.erase(gone.at(direct=True).turn())
    await memory.move_space("telegram", "456", "-100456")
    for each in (person, gone):
        for space in ("456", "-100456"):
            assert await memory.privacy(each.at(space=space).turn()) is PrivacyLevel.FULL
    await memory.erase_space("telegram", "-100456")
    assert await memory.record("user", "I am back", person.at(space="-100456").turn()) is None
    assert await memory.privacy(person.at(space="-100456").turn()) is PrivacyLevel.FULL


@pytest.mark.partitioned
async def test_who_once_raised_it_in_the_other_space_comes_into_it_with_that_level(lasting_url, opening, make_person):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person, other = make_person(memory, user=5), make_person(memory, user=7)
    await memory.set_privacy(PrivacyLevel.FULL, person.turn(), grant=OF_SPACE)
    await memory.erase(person.at(direct=True).turn())
    await person.at(space="99").speaks()
    assert (await person.at(space="99").fact()).status == "success"
    await memory.move_space("telegram", "99", "456")
    assert (await other.call("recall_facts", user_id=5)).status == "privacy_restricted"
    assert await memory.recent(other.turn()) == []


@pytest.mark.partitioned
@pytest.mark.parametrize("knows", [True, False])
async def test_who_lowers_their_level_everywhere_lowers_it_in_each_space(
    lasting_url, opening, make_person, clock, knows
):
    """Also where the space does not know them any more."""
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person = make_person(memory, user=5)
    await person.speaks()
    await memory.set_privacy(PrivacyLevel.FULL, person.turn(), grant=OF_SPACE)
    if not knows:
        await memory.erase(person.at(direct=True).turn())
    clock.now += timedelta(minutes=1)
    await memory.set_privacy(PrivacyLevel.MINIMAL, person.at(direct=True).turn())
    for _ in range(2):
        assert await memory.privacy(person.turn()) is PrivacyLevel.MINIMAL
        assert (await person.fact()).status in ("success", "skipped")
        await memory.erase(person.at(direct=True).turn())


@pytest.mark.partitioned
async def test_an_import_knows_it_again_and_keeps_what_others_raised(lasting_url, opening, make_person, tmp_path):
    memory = await opening(lasting_url, wish_key=KEY, background=False)
    person, other = make_person(memory, user=5), make_person(memory, user=7)
    for each, word in ((person, "tuba"), (other, "kazoo")):
        await each.speaks(f"I play the {word}")
        await each.fact("hobby", word)
    before: list[str] = []
    await memory.look(export_store, before.append)
    await memory.set_privacy(PrivacyLevel.FULL, person.turn(), grant=OF_SPACE)
    after: list[str] = []
    await memory.look(export_store, after.append)
    await memory.erase(person.at(direct=True).turn())
    await memory.import_lines(before)
    assert (await other.call("recall_facts", user_id=5)).status != "success"
    assert await memory.privacy(person.turn()) is PrivacyLevel.FULL

    fresh = await opening(f"sqlite:///{tmp_path}/fresh.db", background=False)
    await fresh.import_lines(after)
    assert await fresh.privacy(person.turn()) is PrivacyLevel.FULL
    await fresh.erase(person.at(direct=True).turn())
    assert await fresh.privacy(person.turn()) is PrivacyLevel.FULL
    assert await fresh.privacy(other.turn()) is PrivacyLevel.MINIMAL
