"""Export and import: nothing is lost, nothing is overwritten, and one person's export is theirs alone."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from everything import answers, fill
from tests.support.consent import agree

from zgadka import InvalidInput, Member, Memory
from zgadka.model.export_records import KINDS, GivenLine, MessageLine, SourceLine, SubjectLine
from zgadka.model.outcome import Changed
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.list_memories import listing
from zgadka.ops.profile import set_privacy
from zgadka.stores.sql import migrations, queries
from zgadka.stores.tx.export_tables import CARRIED, NOT_CARRIED, Table
from zgadka.transfer.export import export_person, export_store

pytestmark = pytest.mark.asyncio

ASK = {"others_may_change": "ask"}


async def exported(memory: Memory) -> list[str]:
    lines: list[str] = []
    count = await memory.look(export_store, lines.append)
    assert count == len(lines)
    return lines


def parsed(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def written(objects: list[dict[str, Any]]) -> list[str]:
    """Lines whose end speaks of as many as there are."""
    return [json.dumps(one | {"lines": len(objects) - 1} if one["kind"] == "end" else one) for one in objects]


def of_kind(lines: list[str], *kinds: str) -> list[dict[str, Any]]:
    return [one for one in parsed(lines) if one["kind"] in kinds]


@pytest.fixture
def open_other(opening):
    """Open further stores, which are empty."""
    return lambda **settings: opening("sqlite://:memory:", **settings)


@pytest.fixture
def filled(open_store, make_person, clock):
    async def make() -> Memory:
        memory = await open_store(**ASK)
        await fill(memory, make_person, clock)
        return memory

    return make


# The whole store


async def test_the_filled_store_has_a_line_of_every_kind(filled):
    """Else the tests below would prove less than they say."""
    lines = await exported(await filled())
    kinds = {one["kind"] for one in parsed(lines)}
    assert kinds == {
        "zgadka-export", "person", "space", "direct", "member", "privacy", "audience", "message", "memory", "event",
        "source", "given", "subject", "question", "consent", "save_question", "observation", "end",
    }  # fmt: skip
    assert {one["memory_kind"] for one in of_kind(lines, "memory")} == {"fact", "note", "episode", "relation"}
    assert any("before" in one for one in of_kind(lines, "event"))
    assert any("expires_at" in one for one in of_kind(lines, "event"))
    assert any(one["archived"] for one in of_kind(lines, "memory"))
    assert any("valid_to" in one for one in of_kind(lines, "memory"))


async def test_every_table_and_column_is_exported_or_left_out_on_purpose():
    connection = apsw.Connection(":memory:")
    for _, _, text, _ in migrations("sqlite"):
        connection.execute(text).fetchall()
    listed = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
    tables = {row[0] for row in connection.execute(listed)} - {"sqlite_schema"}
    carried = {table.read.removeprefix("export_"): table for table in CARRIED.values()}
    # One table, three kinds of lines; what a plain yes answers, and what was shown where, is not carried.
    of_questions = [read for name in ("deletion", "consent", "saving") for read in _columns_read(carried.pop(name))]
    columns = {row[0] for row in connection.execute("SELECT name FROM pragma_table_info('question')")}
    assert columns - set(re.findall(r"\w+", " ".join(of_questions))) == {"plain_until", "thread"}
    assert tables == carried.keys() | {"question"} | (NOT_CARRIED - {"migration"}), (
        "a table is neither in CARRIED nor in NOT_CARRIED"
    )
    made = {
        "memory": {"slot", "words", "word_count"},
        "owner": {"number", "form"},
        "subject": {"kind", "level"},  # those of answers alone
    }
    for name, table in carried.items():
        columns = {row[0] for row in connection.execute(f"SELECT name FROM pragma_table_info('{name}')")}
        assert {column.strip() for column in _columns_read(table)} == columns - made.get(name, set()), (
            f"of {name} a column is left out"
        )


def _columns_read(table: Table) -> list[str]:
    return queries("sqlite")[table.read].partition("FROM")[0].removeprefix("SELECT").split(",")


async def test_exporting_twice_gives_the_same_bytes(filled, clock):
    memory = await filled()
    first = await exported(memory)
    clock.forward(seconds=1)
    second = await exported(memory)
    assert second[1:] == first[1:]
    assert json.loads(first[0]) == json.loads(second[0]) | {"at": json.loads(first[0])["at"]}


@pytest.mark.partitioned
async def test_an_import_into_an_empty_store_is_exported_as_the_same_bytes(filled, open_other):
    lines = await exported(await filled())
    other = await open_other()
    report = await other.import_lines(lines)
    assert await exported(other) == lines
    assert report.added == len(lines) - 2
    assert (report.as_json()["skipped"], report.renumbered, report.conflicts) == ({}, {}, [])


@pytest.mark.partitioned
async def test_every_tool_answers_the_same_after_an_import(filled, open_other, make_person):
    memory = await filled()
    other = await open_other(**ASK)
    await other.import_lines(await exported(memory))
    ours, theirs = await answers(memory, make_person), await answers(other, make_person)
    assert theirs == ours
    assert len(ours) >= 60
    said = [json.loads(answer)["status"] for answer in ours]
    assert said.count("success") > 25, said
    assert {"conflict", "skipped", "deleted", "confirmation_required", "not_found"} <= set(said)
    assert await exported(other) == await exported(memory), "and both stores are the same again"


async def test_undo_history_questions_and_messages_are_the_same_after_an_import(filled, open_other, make_person, clock):
    memory = await filled()
    other = await open_other(**ASK)
    await other.import_lines(await exported(memory))
    one, two = make_person(memory), make_person(other)
    for number in range(1, 20):
        assert await memory.history(number, one.turn()) == await other.history(number, two.turn())
    assert await memory.recent(one.turn()) == await other.recent(two.turn())
    [asked], [asked_there] = await memory.consents(one.turn()), await other.consents(two.turn())
    assert asked == asked_there
    given = await agree(other, asked.id, two.turn())
    assert given is not None
    assert given.status in ("success", "conflict")
    for number in range(1, 20):
        assert await memory.undo(number, one.turn(turn="t")) == await other.undo(number, two.turn(turn="t"))


async def test_nothing_that_waits_is_lost_by_an_import(filled, open_other, make_person):
    memory = await filled()
    other = await open_other(**ASK)
    await other.import_lines(await exported(memory))
    assert await memory.questions(make_person(memory).turn()) == await other.questions(make_person(other).turn())
    assert await memory.look(lambda tx: tx.observations.list()) == await other.look(lambda tx: tx.observations.list())


async def test_no_id_is_used_again_after_an_import(person, open_other, make_person):
    last = await person.note("will leave no trace")
    await person.deletes(last)
    await person.memory.erase(person.turn())
    other = await open_other()
    await other.import_lines(await exported(person.memory))
    assert await make_person(other).note("new") > last


@pytest.mark.partitioned
async def test_importing_twice_changes_nothing_the_second_time(filled, open_other):
    lines = await exported(await filled())
    other = await open_other()
    await other.import_lines(lines)
    again = await other.import_lines(lines)
    assert again.added == 0
    assert await exported(other) == lines


async def test_what_an_older_program_exported_is_kept_as_it_would_be_now(person, open_other, make_person):
    await person.fact("age", "30")
    lines = await exported(person.memory)
    other = await open_other()
    await other.import_lines([line.replace("AGE:30", "30") for line in lines])
    assert await exported(other) == lines
    assert (await make_person(other).fact("age", "30 років")).status == "skipped"


async def test_an_iterator_is_enough(filled, open_other):
    lines = await exported(await filled())
    other = await open_other()
    await other.import_lines(iter(line.encode() + b"\r\n" for line in lines))
    assert await exported(other) == lines


async def test_a_dry_run_says_what_an_import_does_and_writes_nothing(filled, open_other):
    lines = await exported(await filled())
    other = await open_other()
    before = await exported(other)
    dry = await other.import_lines(lines, dry_run=True)
    assert await exported(other) == before
    real = await other.import_lines(lines)
    assert dry.as_json() == real.as_json() | {"dry_run": True}


@pytest.mark.partitioned
async def test_erased_people_are_not_in_an_export(filled, make_person, open_other):
    memory = await filled()
    await memory.erase(make_person(memory, user=7).turn())
    lines = await exported(memory)
    assert not [line for line in lines if "stamps" in line or '"name": "7"' in line]
    other = await open_other()
    await other.import_lines(lines)
    assert await exported(other) == lines


@pytest.mark.partitioned
async def test_what_others_were_told_of_somebody_who_was_erased_since_does_not_come_back(
    memory, make_person, open_other
):
    anna, petro = make_person(memory), make_person(memory, user=8)
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Anna"))
    fact = (await anna.fact("location", "Quixotania"))["fact_id"]
    elsewhere = petro.at(thread="t")
    await memory.record("assistant", "In Quixotania", elsewhere.turn(), given=[fact])
    await elsewhere.call("create_episode", topic="Homes", summary="Quixotania is home.", importance=0.9)
    await petro.speaks("where does she live?")
    for answer in ("Anna's place is Quixotania", "Quixotania is far away", "Anna is not here"):
        await memory.record("assistant", answer, petro.turn(), given=[99])
    for summary in ("Anna lives in Quixotania.", "They spoke of homes."):
        await petro.call("create_episode", topic=summary, summary=summary, importance=0.9)
    lines = await exported(memory)
    other = await open_other()
    await make_person(other).speaks()
    await other.erase(make_person(other).turn())
    report = await other.import_lines(lines)
    told = repr(await exported(other))
    assert "Anna's place" not in told
    assert "Anna lives in Quixotania" not in told
    assert "Quixotania is home" not in told
    assert all(stays in told for stays in ("Quixotania is far away", "Anna is not here", "They spoke of homes."))
    assert (report.lines["message"]["erased_since"], report.lines["memory"]["erased_since"]) == (2, 3)
    assert (await other.import_lines(lines)).added == 0


@pytest.mark.partitioned
@pytest.mark.parametrize("speaks", [True, False])
async def test_what_somebody_who_was_erased_here_said_later_in_their_direct_chat_comes_in(
    memory, make_person, open_other, clock, speaks
):
    other = await open_other()
    alone = make_person(other, direct=True)
    await alone.speaks()
    await other.erase(alone.turn())
    clock.forward(hours=1)
    if speaks:
        await make_person(memory, direct=True).speaks("I am back")
    await make_person(memory, direct=True).note("plays the flute")
    lines = await exported(memory)
    await other.import_lines(lines)
    assert await alone.found("flute") == ["plays the flute"]
    again = await open_other()
    assert (await again.import_lines(await exported(other))).lines["memory"]["added"] == 1
    assert (await other.import_lines(lines)).added == 0


async def test_what_the_past_of_an_episode_says_of_somebody_who_was_erased_here_does_not_come_back(
    memory, make_person, open_other
):
    anna, petro = make_person(memory, user=77), make_person(memory, user=8)
    await anna.speaks()
    await petro.speaks()
    await petro.call("create_episode", topic="Homes", summary="They spoke of zithers.", importance=0.9, message_count=2)
    await anna.call("clear_profile", turn=anna.turn(text="clear all"), user_id=77, reason="asked")
    await anna.call("clear_profile", turn=anna.turn(text="yes"), user_id=77, reason="asked")
    lines = await exported(memory)
    other = await open_other()
    await make_person(other, user=77).speaks()
    await other.erase(make_person(other, user=77).turn())
    report = await other.import_lines(lines)
    assert report.lines["memory"]["added"] == 1
    assert await other.look(lambda tx: tx.owners.find("person", "telegram", "77")) is None
    rows = [json.loads(line) for line in await exported(other)]
    known = {row["id"] for row in rows if row["kind"] == "owner"}
    assert {person for row in rows for person in row.get("before", {}).get("people", ())} <= known


@pytest.mark.partitioned
async def test_one_persons_export_with_what_they_noted_about_a_group_can_be_imported(memory, make_person, open_other):
    person, other = make_person(memory, user=5), await open_other()
    for direct in (False, True):
        for text in ("meets on Mondays", "bring a lute"):
            noted = {"memory_content": text, "scope": "server_wide"}
            await person.at(direct=direct).call("create_long_term_memory", **noted)
    story = {"topic": "Lutes", "summary": "They spoke of lutes.", "importance": 0.9, "message_count": 1}
    await person.at(direct=True).speaks()
    await person.at(direct=True).call("create_episode", **story)
    lines = await memory.export(person.turn(direct=True))
    assert (await memory.import_lines(lines)).added == 0
    assert (await other.import_lines(lines)).lines["memory"]["added"] == 5
    assert await other.export(person.turn(direct=True)) == lines


@pytest.mark.parametrize("change", [{"said_by": "7"}, {"people": [2]}])
async def test_in_one_persons_export_no_note_about_a_group_is_anybody_elses(memory, make_person, open_other, change):
    person, other = make_person(memory, user=5), await open_other()
    await person.call("create_long_term_memory", memory_content="meets on Mondays", scope="server_wide")
    rows = [json.loads(line) for line in await memory.export(person.turn(direct=True))]
    lines = [json.dumps(row | change if row["kind"] == "memory" else row) for row in rows]
    with pytest.raises(InvalidInput, match=r"not about the person|not a person"):
        await other.import_lines(lines)


async def test_one_persons_export_has_no_direct_chat_of_somebody_else(memory, make_person, open_other):
    person, other = make_person(memory, user=5), await open_other()
    await person.at(direct=True).speaks()
    rows = [json.loads(line) for line in await memory.export(person.turn(direct=True))]
    lines = [json.dumps(row | {"name": "7"} if row["kind"] == "direct" else row) for row in rows]
    with pytest.raises(InvalidInput, match="not about the person"):
        await other.import_lines(lines)


@pytest.mark.partitioned
@pytest.mark.parametrize("undo_hours", [24, 400])
async def test_an_old_message_or_episode_that_says_what_was_forgotten_here_does_not_come_back(
    open_store, open_other, make_person, clock, undo_hours
):
    """What others say of it in their own words comes in."""
    memory, source = await open_store(undo_hours=undo_hours, background=False), await open_other()
    person, other = make_person(source, user=5), make_person(source, user=7)
    for text in ("I live in Zhmerynka", "It is raining"):
        await person.speaks(text)
    await person.call("create_episode", topic="Homes", summary="One lives in Zhmerynka.", importance=0.9)
    await other.speaks("I was in Zhmerynka")
    lines = await exported(source)
    clock.forward(hours=1)
    here = person.at(memory=memory)
    await here.deletes((await here.fact("location", "Zhmerynka"))["fact_id"])
    clock.forward(days=9)
    await memory.tidy()
    report = await memory.import_lines(lines)
    told = "".join(await exported(memory))
    assert "raining" in told
    assert ("I live in Zhmerynka" in told, "One lives in Zhmerynka" in told) == (False, False)
    assert "I was in Zhmerynka" in told
    assert report.lines["message"]["forgotten_since"] == 1


@pytest.mark.parametrize("hours", [1, 400])
async def test_an_old_note_that_says_what_was_forgotten_here_does_not_come_back(
    person, memory, open_other, make_person, clock, hours
):
    for text in ("Lives in Zhmerynka", "Keeps bees"):
        await person.note(text)
    lines = await exported(memory)
    other = await open_other()
    here = make_person(other)
    clock.forward(hours=1)
    await here.deletes((await here.fact("location", "Zhmerynka"))["fact_id"])
    clock.forward(hours=hours)
    await other.tidy()
    report = await other.import_lines(lines)
    assert report.lines["memory"] == {"added": 1, "forgotten_since": 1}
    assert await here.found("Zhmerynka") == []


def with_form(lines: list[str], form: str) -> list[str]:
    """The lines with another `canonical` of each memory, as a strange program may have written them."""
    rows = [json.loads(line) for line in lines]
    strange = {"canonical": form, "created_at": "2026-01-01T00:00:00+00:00"}
    return [json.dumps(row | strange if row["kind"] == "memory" else row, ensure_ascii=False) for row in rows]


@pytest.mark.partitioned
async def test_notes_and_episodes_are_known_by_what_they_say_whatever_form_the_file_gives_them(
    memory, make_person, open_other
):
    person = make_person(memory, user=5)
    await person.speaks()
    for text in ("plays the zither", "afraid of wasps"):
        await person.note(text)
        await person.call("create_episode", topic=text, summary=text, importance=0.9, message_count=1)
    lines = await exported(memory)
    other = await open_other()
    assert (await other.import_lines(with_form(lines, "x"))).lines["memory"] == {"added": 4}
    assert await exported(memory) == lines
    here = person.at(memory=other)
    assert len(await here.found("zither wasps")) == 4
    [zither] = [m["memory_id"] for m in (await here.call("recall", query="zither"))["memories"] if m["kind"] == "note"]
    await here.deletes(zither)
    assert (await other.import_lines(with_form(lines, "y"))).lines["memory"]["forgotten_since"] == 1


@pytest.mark.partitioned
async def test_a_relation_of_others_is_none_of_the_same_numbers_here(memory, make_person, open_other, clock):
    """Numbers of people are others here than in the file."""
    other = await open_other()
    for where, users in ((memory, (5, 7)), (other, (8, 9))):
        clock.forward(hours=1)
        for user in users:
            await make_person(where, user=user).speaks()
        relation = {"user_id": users[0], "related_user_id": users[1], "relationship": "friend"}
        assert (await make_person(where, user=users[0]).call("remember_relationship", **relation)).status == "success"
    report = await other.import_lines(await exported(memory))
    assert report.lines["memory"] == {"added": 1}


async def test_an_export_is_read_a_page_at_a_time(memory, make_person, open_other):
    """More rows than a page of every table that may have many."""

    def write(tx: Any) -> None:
        for number in range(1203):
            person = tx.owners.ensure("person", "telegram", str(number))
            tx.audit.add(person, 0, "privacy", actor=str(number), reason=None)

    await memory.apply(write)
    lines = await exported(memory)
    assert len(of_kind(lines, "person")) == len(of_kind(lines, "event")) == 1203
    other = await open_other()
    await other.import_lines(lines)
    assert await exported(other) == lines


async def test_an_export_from_before_there_were_groups_of_readers_is_taken(filled, open_other):
    """Those of the weeks between wrote 0 for none."""
    lines = await exported(await filled())
    new = {"audience", "source", "given", "subject"}
    objects = [one for one in parsed(lines) if one["kind"] not in new]
    for one in objects:
        one.pop("audience", None)
        if one["kind"] == "memory":
            one |= {"audience": 0, "withheld": 0}
        if "before" in one:
            one["before"] |= {"withheld": 0}
    other = await open_other()
    assert (await other.import_lines(written(objects))).added == len(objects) - 2
    assert not await other.look(
        lambda tx: [space for owner in tx.owners.list() if (space := tx.audiences.list(owner.id))]
    )


@pytest.mark.partitioned
async def test_what_some_could_read_is_told_only_to_them_after_an_import(memory, open_other, make_person):
    staff = make_person(memory, audience=("mods", "staff"))
    await staff.speaks("the till code changes on Friday")
    await staff.fact("favourite_tea", "oolong")
    other = await open_other()
    there = make_person(other)
    await there.at(audience="guests").speaks("the number of this group is taken")
    await other.import_lines(await exported(memory))
    for person in (there, there.at(audience="guests"), there.at(user=7)):
        assert not await person.facts()
        assert not await other.recent(person.turn()) or person.turn().readers == ("guests",)
    for readers in ("staff", ("mods", "staff")):
        person = there.at(audience=readers)
        assert await person.values() == ["oolong"]
        assert "the till code changes on Friday" in [message.text for message in await other.recent(person.turn())]


@pytest.mark.partitioned
async def test_one_persons_export_names_no_readers_and_is_told_nobody_else_there(open_store, open_other, make_person):
    memory, other = await open_other(), await open_store()
    staff = make_person(memory, audience=("mods", "staff"))
    await staff.speaks("the till code changes on Friday")
    await staff.fact("favourite_tea", "oolong")
    lines = await memory.export(staff.turn(direct=True))
    assert "till code" in "".join(lines)
    assert not [line for line in lines if "mods" in line]
    await other.import_lines(lines)
    copy = await open_other()
    await copy.import_lines(await exported(other))
    for store in (other, copy):
        there = make_person(store)
        for person in (there, there.at(audience="staff"), there.at(audience=("mods", "staff"))):
            assert await person.values() == []
            assert await store.recent(person.turn()) == []
        assert [memory.content for memory in (await store.look(listing, there.turn(direct=True))).memories] == [
            "oolong"
        ]


async def test_what_memories_and_answers_were_made_from_is_known_after_an_import(filled, open_other, make_person):
    """The ids of both stores overlap."""
    memory, other = await filled(), await open_other()
    olha = make_person(other, user=55, space="999", chat="999")
    for number in range(9):
        await olha.speaks(f"hello {number}")
        await olha.note(f"own note {number}")
    own = await other.look(lambda tx: set(tx.transfer.read(SourceLine)))
    await other.import_lines(await exported(memory))

    def origins(tx: Any) -> tuple[Any, ...]:
        owners = {owner.id: (owner.platform, owner.name) for owner in tx.owners.list()}
        memories = {row.id: row.text for owner in owners for row in tx.memories.list_all(owner)}
        messages = {row.id: row.text for row in tx.transfer.read(MessageLine)}
        return (
            {(memories.get(row.memory), messages.get(row.message)) for row in {*tx.transfer.read(SourceLine)} - own},
            {(messages[row.message], memories[row.memory]) for row in tx.transfer.read(GivenLine)},
            {(messages[row.id], owners[row.person]) for row in tx.transfer.read(SubjectLine)},
        )

    sources, given, subjects = await memory.look(origins)
    assert len(sources) > 3
    assert len(given) == len(subjects) == 1
    assert await other.look(origins) == (sources, given, subjects)


# Into a store that has something


@pytest.fixture
def merged(filled, open_other, make_person):
    """Import the filled store into one where others have lived; the ids of both overlap."""

    async def merge(**settings: Any) -> tuple[list[str], Memory, Any, list[str]]:
        lines = await exported(await filled())
        other = await open_other(**settings)
        olha = make_person(other, user=55, space="999", chat="999")
        for number in range(9):
            await olha.speaks(f"hello {number}")
            await olha.note(f"own note {number}")
        gone = await olha.note("gone")
        await olha.deletes(gone)
        before = await exported(other)
        report = await other.import_lines(lines)
        return lines, other, report, before

    return merge


async def test_what_was_there_stays_as_it_was(merged):
    _, other, _, before = await merged()
    after = await exported(other)
    kept = before[1:-1]
    assert [line for line in after if line in kept] == kept


@pytest.mark.partitioned
async def test_taken_ids_are_given_anew_and_references_follow(merged, make_person):
    lines, other, report, _ = await merged()
    assert report.added == len(lines) - 2
    assert report.renumbered["memory"] == report.as_json()["renumbered"]["memory"] > 0
    anna = make_person(other)
    assert set(await anna.values()) >= {"go and knitting", "Ternopil"}
    merge = next(fact for fact in await anna.facts() if fact["value"] == "go and knitting")
    trails = [await other.history(number, anna.turn()) for number in range(1, 60)]
    reasons = {event.reason for trail in trails for event in trail if event.action == "merged"}
    assert reasons == {f"merged into {merge['fact_id']}"}
    [first, *_] = (await anna.call("recall_episodes"))["episodes"]
    assert sorted(first["participants"]) == [7, 123]
    texts = [message.text for message in await other.recent(anna.turn(), 100)]
    assert [text.split()[1] for text in texts if text.startswith("message")] == [str(number) for number in range(12)]
    said = (await anna.call("recall_relationships", user_id=123))["relationships"]
    assert [one["related_user_id"] for one in said] == [7]
    asked = await anna.call("forget", memory_id=(await note_id(anna, "allergic")))
    assert asked.status == "deleted", "the open question came along"
    undone = await other.undo(merge["fact_id"], anna.turn())
    assert sorted(await anna.values()) == ["Ternopil", "go", "knitting", "Львів"], undone


async def note_id(person: Any, query: str) -> int:
    [memory, *_] = (await person.call("recall", query=query))["memories"]
    return memory["memory_id"]


async def test_importing_into_a_full_store_twice_changes_nothing_the_second_time(merged):
    lines, other, *_ = await merged()
    before = await exported(other)
    again = await other.import_lines(lines)
    assert (again.added, await exported(other)) == (0, before)


async def test_a_fact_that_is_known_here_is_a_duplicate_and_another_value_a_conflict(
    person, open_other, make_person, clock
):
    await person.fact("location", "Kyiv")
    await person.fact("hobby", "chess")
    await person.fact("age", "30")
    other = await open_other()
    here = make_person(other)
    await here.speaks()
    for index in range(5):
        await here.note(f"note {index}")
    clock.forward(days=1)
    await here.fact("hobby", "Chess")
    kept = (await here.fact("location", "Lviv"))["fact_id"]
    before = await exported(other)
    report = (await other.import_lines(await exported(person.memory))).as_json()
    assert report["added"] == {"memory": 1, "event": 1}
    assert report["skipped"]["memory"] == {"conflict": 1, "duplicate": 1}
    assert report["skipped"]["event"] == {"conflict": 1, "duplicate": 1}
    assert [(one["memory"], one["here"]) for one in report["conflicts"]] == [(1, kept)]
    assert sorted(await here.values()) == ["30", "Chess", "Lviv"]
    assert set(before[1:-1]) <= set(await exported(other))


async def test_a_fact_that_is_known_here_as_a_part_of_another_is_a_duplicate(person, open_other, make_person, clock):
    await person.fact("hobby", "banjo")
    await person.fact("hobby", "go")
    other = await open_other()
    here = make_person(other)
    clock.forward(days=1)
    ids = [(await here.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    await here.call("merge_facts", user_id=123, fact_ids=ids, merged_value="board games", merged_confidence=0.9)
    report = (await other.import_lines(await exported(person.memory))).as_json()
    assert report["skipped"]["memory"] == {"duplicate": 1}
    assert sorted(await here.values()) == ["banjo", "board games"]


async def test_a_memory_changed_here_since_is_left_as_it_is(person, open_other, make_person):
    await person.fact()
    lines = await exported(person.memory)
    other = await open_other()
    await other.import_lines(lines)
    await make_person(other).update("location", "Lviv")
    report = await other.import_lines(lines)
    assert report.added == 0
    assert await make_person(other).values(as_of="2026-03-01") == ["Lviv"]


@pytest.mark.parametrize("hours", [1, 25])
async def test_what_was_forgotten_since_does_not_come_back_by_an_import(person, memory, clock, hours):
    fact = (await person.fact())["fact_id"]
    await person.note("keeps bees")
    lines = await exported(memory)
    clock.forward(minutes=1)
    await person.deletes(fact)
    clock.forward(hours=hours)
    await memory.tidy()
    report = (await memory.import_lines(lines)).as_json()
    assert report["skipped"]["memory"] == {"already_here": 1, "forgotten_since": 1}
    assert await person.values() == []


@pytest.mark.partitioned
@pytest.mark.parametrize("hours", [1, 25])
async def test_what_a_person_took_back_does_not_come_back_by_an_import(person, memory, clock, hours):
    await person.fact()
    clock.forward(minutes=1)
    hobby = (await person.fact("hobby", "chess"))["fact_id"]
    clock.forward(minutes=1)
    await person.update("location", "Lviv")
    lines = await exported(memory)
    for taken_back in (hobby, 1):
        assert isinstance(await memory.undo(taken_back, person.turn()), Changed)
    clock.forward(hours=hours)
    await memory.tidy()
    report = (await memory.import_lines(lines)).as_json()
    assert (report["added"], report["skipped"]["memory"].keys()) == ({}, {"already_here", "forgotten_since"})
    assert await person.values() == ["Kyiv"]


async def test_what_became_something_else_here_comes_back_by_no_older_file_also_under_another_number(
    person, open_other, make_person, clock
):
    for number, value in enumerate(("chess", "go", "guitar", "piano")):
        clock.forward(minutes=1)
        await person.fact("hobby", value, source_excerpt=f"{number}")
    lines = await exported(person.memory)
    other = await open_other()
    here = await make_person(other).speaks()
    for index in range(5):
        await here.note(f"note {index}")
    await other.import_lines(lines)
    ids = {fact["value"]: fact["fact_id"] for fact in await here.facts()}
    await here.update("hobby", "checkers", fact_id=ids["chess"], change_reason="correction")
    both = {"user_id": 123, "fact_ids": [ids["go"], ids["guitar"]], "merged_value": "go and guitar"}
    assert (await here.call("merge_facts", merged_confidence=0.9, **both)).status == "success"
    await here.forget_fact("hobby", fact_id=ids["piano"])
    before = await exported(other)
    assert ((await other.import_lines(lines)).added, await exported(other)) == (0, before)
    assert await here.values() == ["checkers", "go and guitar"]


@pytest.mark.parametrize("hours", [1, 25])
async def test_a_former_value_of_what_was_forgotten_since_does_not_come_back_by_an_import(person, memory, clock, hours):
    fact = (await person.fact())["fact_id"]
    lines = await exported(memory)
    clock.forward(minutes=1)
    await person.update("location", "Lviv", change_reason="correction")
    clock.forward(minutes=1)
    await person.deletes(fact)
    clock.forward(hours=hours)
    await memory.tidy()
    report = (await memory.import_lines(lines)).as_json()
    assert (report["added"], report["skipped"]["memory"]) == ({}, {"forgotten_since": 1})
    assert await person.values() == []


async def test_an_old_trail_makes_nothing_forgotten_that_is_back(person, memory, clock):
    fact = (await person.fact())["fact_id"]
    clock.forward(minutes=1)
    await person.deletes(fact)
    lines = await exported(memory)
    await memory.undo(fact, person.turn())
    assert (await memory.import_lines(lines)).added == 0
    early = person.turn(time=clock.now - timedelta(days=1))
    assert (await person.fact(turn=early)).status == "skipped"


async def test_limits_hold_for_an_import(filled, open_other):
    lines = await exported(await filled())
    other = await open_other(max_facts=1, max_notes=1)
    report = (await other.import_lines(lines)).as_json()
    assert report["skipped"]["memory"]["limit"] > 0
    for kind in ("fact", "note"):
        memories = [one for one in of_kind(await exported(other), "memory") if one["memory_kind"] == kind]
        live = [one["owner"] for one in memories if not one["archived"] and "valid_to" not in one]
        assert len(live) == len(set(live)) > 0


async def test_people_who_want_not_to_be_remembered_here_are_left_alone(filled, open_other, make_person):
    lines = await exported(await filled())
    other = await open_other()
    await other.set_privacy(PrivacyLevel.FULL, make_person(other).turn())
    await other.set_privacy(PrivacyLevel.PARTIAL, make_person(other, user=7).turn())
    report = (await other.import_lines(lines)).as_json()
    after = await exported(other)
    people = {one["id"]: one["name"] for one in of_kind(after, "person")}
    assert {people.get(one["owner"]) for one in of_kind(after, "memory")}.isdisjoint({"123", "7"})
    assert {people[one["person"]] for one in of_kind(after, "message")} == {"7"}
    assert report["skipped"]["memory"]["privacy_restricted"] > 5


async def test_a_privacy_level_set_here_stays(person, open_other, make_person):
    await person.memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    other = await open_other()
    here = make_person(other)
    await other.set_privacy(PrivacyLevel.MINIMAL, here.turn())
    await other.import_lines(await exported(person.memory))
    assert await other.privacy(here.turn()) is PrivacyLevel.MINIMAL


async def test_a_privacy_level_comes_to_somebody_who_set_none_here(person, open_other, make_person):
    await person.memory.set_privacy(PrivacyLevel.PARTIAL, person.turn())
    other = await open_other()
    here = make_person(other)
    await here.speaks()
    await other.import_lines(await exported(person.memory))
    assert await other.privacy(here.turn()) is PrivacyLevel.PARTIAL


async def quoting_two(memory, make_person, clock):
    """Somebody, in a chat with an automatic episode that quotes them and Person 7."""
    for user in (123, 7):
        for said in ("the garden", "a garden"):
            await make_person(memory, user=user).speaks(f"{said} of {user}")
    clock.forward(hours=1)
    assert await memory.make_episodes() == 1
    return make_person(memory)


AUTOMATED = {"background": False, "rollout": "off", "episode_least_messages": 2}


async def test_an_episode_that_quotes_whoever_does_not_want_it_here_is_not_taken(
    open_store, open_other, make_person, clock
):
    person = await quoting_two(await open_store(**AUTOMATED), make_person, clock)
    other = await open_other()
    await other.set_privacy(PrivacyLevel.PARTIAL, make_person(other, user=7).turn())
    report = (await other.import_lines(await exported(person.memory))).as_json()
    assert report["skipped"]["memory"]["privacy_restricted"] == 1
    assert (await make_person(other).call("recall_episodes"))["episodes"] == []


async def test_a_privacy_level_that_comes_has_the_episodes_here_told_anew(open_store, open_other, make_person, clock):
    other = await open_other()
    await other.set_privacy(PrivacyLevel.PARTIAL, make_person(other, user=7).turn())
    person = await quoting_two(await open_store(**AUTOMATED), make_person, clock)
    await person.memory.import_lines(await exported(other))
    clock.forward(seconds=61)
    assert await person.memory.run_tasks() == 1
    [episode] = (await person.call("recall_episodes"))["episodes"]
    assert (episode["summary"], episode["participants"]) == ("“the garden of 123” … “a garden of 123”", [123])


async def test_a_question_answered_here_is_not_asked_again(filled, open_other, make_person):
    lines = await exported(await filled())
    other = await open_other(**ASK)
    await other.import_lines(lines)
    anna = make_person(other)
    [consent] = await other.consents(anna.turn())
    await other.answer_consent(consent.id, False, anna.turn())
    [question] = await other.questions(anna.turn())
    await other.answer_question(question.id, anna.turn(), save=False)
    kept = await note_id(anna, "allergic")
    await anna.call("forget", turn=anna.turn(text="no"), memory_id=kept)
    before = await exported(other)
    report = await other.import_lines(lines)
    assert (report.added, await exported(other)) == (0, before)


# One person's export


async def test_one_persons_export_has_all_that_is_theirs(filled, make_person):
    memory = await filled()
    lines = await memory.export(make_person(memory).turn(direct=True))
    assert json.loads(lines[0])["person"] == {"platform": "telegram", "name": "123"}
    texts = "\n".join(lines)
    for words in (
        "go and knitting",
        "allergic to nuts",
        "another job",
        "Ternopil",
        "message 0",
        "I guess tea",
        "Dubno",
        "I see.",
    ):
        assert words in texts
    kinds = {one["kind"] for one in parsed(lines)}
    assert kinds >= {"member", "message", "memory", "mention", "event", "question", "save_question", "asked"}


async def test_one_persons_export_has_no_words_and_names_of_others(filled, make_person):
    memory = await filled()
    of_others = {
        "123": ("stamps", "Борис", "Odesa", "message 1 ", "Monday", "poker", '"7"'),
        "7": ("nuts", "another job", "Anna", "message 0 ", "Ternopil", "poker", '"123"', "I see."),
    }
    for user, others in of_others.items():
        lines = await memory.export(make_person(memory, user=user).turn(direct=True))
        of_theirs = [line for line in lines if "mark_important" not in line and '"names": ["Anna", "Bo"]' not in line]
        for words in (*others, "journey"):
            assert not [line for line in of_theirs if words in line], words


@pytest.mark.parametrize("level", list(PrivacyLevel))
async def test_one_persons_export_works_at_every_privacy_level(filled, make_person, level):
    memory = await filled()
    person = make_person(memory)
    before = await memory.export(person.turn(direct=True))
    await memory.set_privacy(level, person.turn())
    after = await memory.export(person.turn(direct=True))
    new = [one for one in parsed(after) if json.dumps(one, ensure_ascii=False) not in before]
    assert {one["kind"] for one in new} - {"member"} == {"privacy", "event", "end"}
    lost = [json.loads(line)["kind"] for line in set(before) - set(after)]
    assert sorted(lost) in (["end"], ["end", "member"]), "a member line tells the level"


async def test_the_operators_export_of_a_person_is_the_same_as_their_own(filled, make_person):
    memory = await filled()
    assert await memory.look(export_person, "telegram", "123") == await memory.export(
        make_person(memory).turn(direct=True)
    )


async def test_the_export_of_somebody_unknown_is_empty(memory, make_person):
    lines = await memory.export(make_person(memory, user=404).turn())
    assert [one["kind"] for one in parsed(lines)] == ["zgadka-export", "end"]


@pytest.mark.partitioned
async def test_one_persons_export_can_be_imported_elsewhere(filled, open_other, make_person):
    memory = await filled()
    one = make_person(memory)
    lines = await memory.export(one.turn(direct=True))
    other = await open_other()
    report = await other.import_lines(lines)
    two = make_person(other)
    assert await two.values() == await one.values()
    assert await two.at(direct=True, chat="123", space="123").found("job") == ["looks for another job"]
    assert report.as_json()["skipped"] == {
        "answer": {"left_out": 2},
        "mention": {"left_out": 4},
        "asked": {"left_out": 1},
    }
    assert (await other.import_lines(lines)).added == 0


async def test_an_episode_about_nobody_else_is_theirs(person, open_other):
    await person.speaks("only me")
    await person.call("create_episode", topic="Alone", summary="Nobody else was there.", importance=0.8)
    lines = await person.memory.export(person.turn())
    assert [one["topic"] for one in of_kind(lines, "memory")] == ["Alone"]
    other = await open_other()
    assert (await other.import_lines(lines)).added == len(lines) - 2


@pytest.mark.partitioned
async def test_words_that_another_person_added_are_not_exported(person, people):
    boris = await people(7).speaks()
    await person.speaks()
    await boris.fact("hobby", "chess", user_id=123, source_excerpt="She told me at the party")
    await person.fact("hobby", "chess")
    lines = await person.memory.export(person.turn(direct=True))
    assert not [line for line in lines if "party" in line]
    [memory] = of_kind(lines, "memory")
    assert (memory["content"], memory["said_by"]) == ("chess", "123")
    assert [one["actor"] for one in of_kind(lines, "event")] == ["somebody else", "123"]


async def test_one_persons_file_touches_only_that_person(filled, open_other, make_person):
    memory = await filled()
    lines = await memory.export(make_person(memory).turn(direct=True))
    whole = await exported(memory)
    [boris] = [one for one in of_kind(whole, "person") if one["name"] == "7"]
    space = next(one["id"] for one in of_kind(lines, "space"))
    planted = {
        "message": {"role": "assistant"},
        "memory": {"owner": space, "space": space, "said_by": "7"},
        "event": {"owner": space, "memory": 90, "before": None},
        "observation": {"id": 1000},
        "member": {"person": boris["id"]},
        "question": {"owner": boris["id"]},
    }
    other = await open_other()
    objects = parsed(lines)
    objects.insert(1, boris | {"id": 1})
    with pytest.raises(InvalidInput, match="line 2: this is not about the person"):
        await other.import_lines(written(objects))
    for kind, change in planted.items():
        objects = parsed(lines)
        place = next(index for index, one in enumerate(objects) if one["kind"] == kind)
        objects[place] |= change
        said = "there is no person" if boris["id"] in change.values() else "not about the person"
        with pytest.raises(InvalidInput, match=f"line {place + 1}: .*{said}"):
            await other.import_lines(written(objects))
    assert len(await exported(other)) == 2


async def test_a_question_where_nothing_was_ever_kept_is_carried(person, open_other, make_person):
    note = await person.note("seen everywhere")
    await person.memory.share(note, person.turn())
    assert (await person.at(space="new", chat="c").call("forget", memory_id=note)).status == "confirmation_required"
    lines = await exported(person.memory)
    (new,) = (one["id"] for one in of_kind(lines, "space") if one["name"] == "new")
    assert [one["space"] for one in of_kind(lines, "question")] == [new]
    assert [one["space"] for one in of_kind(lines, "memory")] == [0]
    other = await open_other()
    await other.import_lines(lines)
    assert await exported(other) == lines
    there = make_person(other, space="new", chat="c")
    assert (await there.call("forget", memory_id=note)).status == "deleted"
    assert (await other.import_lines(await person.memory.export(person.turn()))).added == 0, "it was forgotten here"


async def test_the_same_words_said_twice_stay_two_messages(person, open_other):
    for _ in range(2):
        await person.memory.record("user", "ok", person.turn())
    lines = await exported(person.memory)
    other = await open_other()
    await other.import_lines(lines)
    assert (await other.import_lines(lines)).added == 0
    assert await exported(other) == lines


async def test_two_messages_with_one_id_of_the_platform_are_one(person, open_other):
    await person.memory.record("user", "first", person.turn(message="m1"))
    objects = parsed(await exported(person.memory))
    place = next(index for index, one in enumerate(objects) if one["kind"] == "message")
    objects.insert(place + 1, objects[place] | {"id": 5, "text": "second"})
    other = await open_other()
    report = (await other.import_lines(written(objects))).as_json()
    assert (report["added"]["message"], report["skipped"]["message"]) == (1, {"already_here": 1})


async def test_a_thousand_conflicts_are_listed_and_all_are_counted(person, open_other, make_person):
    await person.fact()
    objects = parsed(await exported(person.memory))
    [fact] = [one for one in objects if one["kind"] == "memory"]
    facts = [fact | {"id": number + 1, "lineage": number} for number in range(1001)]
    file = written(
        [one for one in objects if one["kind"] in ("zgadka-export", "person", "space")] + facts + objects[-1:]
    )
    other = await open_other()
    assert (await other.import_lines(file)).as_json()["added"]["memory"] == 1001
    changed = [
        line.replace('"kiv"', '"lviv"').replace('"Kyiv"', '"Lviv"').replace("12:00:00", "11:00:00") for line in file
    ]
    report = (await other.import_lines(changed)).as_json()
    assert report["skipped"]["memory"] == {"conflict": 1001}
    assert len(report["conflicts"]) == 1000


async def test_the_example_of_every_kind_of_line_in_the_docs_can_be_imported(memory):
    page = (Path(__file__).parents[2] / "docs" / "export-format.md").read_text("utf-8")
    [example] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    lines = example.splitlines()
    report = await memory.import_lines(lines)
    assert {one["kind"] for one in parsed(lines)} == {*KINDS, "zgadka-export", "end"}
    assert report.added == len(lines) - 5
    back = await exported(memory)
    told = {line for line in lines[:-1] if json.loads(line)["kind"] not in ("answer", "mention", "asked")}
    assert told == set(back[:-1]), "a field is written as an export writes it"
    assert set(re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE)))) == {
        *KINDS, "zgadka-export", "end"
    }  # fmt: skip


async def test_the_trail_of_a_deleted_memory_comes_to_somebody_who_is_known_here(person, open_other, make_person):
    await person.deletes(await person.note("deleted there"))
    lines = await exported(person.memory)
    other = await open_other()
    here = make_person(other)
    kept = await here.note("kept here")
    report = (await other.import_lines(lines)).as_json()
    assert (report["added"], report["renumbered"]) == ({"event": 2}, {"memory": 1})
    assert [event.action for event in await other.history(kept + 1, here.turn())] == ["created", "deleted"]
    assert (await other.import_lines(lines)).added == 0
    await other.undo(kept + 1, here.turn())
    assert set(await here.found("deleted kept")) == {"deleted there", "kept here"}


async def test_a_level_that_was_raised_in_one_space_holds_there_after_an_import(person, open_other, make_person):
    await person.at(space="9", chat="9").speaks()
    await person.speaks()
    await person.memory.apply(set_privacy, person.turn(), PrivacyLevel.FULL, here=True)
    other = await open_other()
    await other.import_lines(await exported(person.memory))
    there = make_person(other)
    assert await other.privacy(there.turn()) is PrivacyLevel.FULL
    assert await other.privacy(there.turn(space="9")) is PrivacyLevel.MINIMAL


async def test_it_holds_also_where_the_person_is_known_already_and_what_is_told_of_them_there_is_hidden(
    person, open_other, make_person
):
    await person.speaks()
    await person.memory.apply(set_privacy, person.turn(), PrivacyLevel.PARTIAL, here=True)
    other = await open_other()
    there, bob = make_person(other), make_person(other, user=8)
    for member in (there, bob):
        await member.speaks()
    await bob.call("create_long_term_memory", memory_content="<@123> hates roses", scope="server_wide")
    assert await bob.found("roses") == ["<@123> hates roses"]
    await other.import_lines(await exported(person.memory))
    assert await other.privacy(there.turn()) is PrivacyLevel.PARTIAL
    assert await bob.found("roses") == []


async def test_an_episode_that_its_person_had_cleared_comes_back_by_no_older_file(open_store, make_person, clock):
    memory = await open_store(undo_hours=0, background=False)
    ann = await make_person(memory, user=7).speaks()
    await ann.call("create_episode", topic="Evening", summary="They sang.", importance=0.9, message_count=1)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    clock.forward(minutes=1)
    alone = make_person(memory, user=7, space="7", chat="7", direct=True)
    for _ in range(2):
        await alone.call("clear_profile", user_id=7, reason="asked")
    await memory.import_lines(lines)
    assert (await ann.call("recall_episodes"))["episodes"] == []
