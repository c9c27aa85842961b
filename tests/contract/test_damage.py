"""A damaged row costs only itself: it is left out and named, set aside when asked, and told by a backup."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import damaged
import pytest
import typer
from long_run import cases

from zgadka import Settings, open_memory
from zgadka.cli.files import backup
from zgadka.errors import StoreUnavailable
from zgadka.stores import row_mapping

FIRST, SECOND, _ = damaged.PEOPLE
NO_TEXT = "CAST(x'C328' AS TEXT)"

DAMAGES: dict[str, tuple[str, str]] = {
    "a text of a note that is no UTF-8": (
        f"UPDATE memory SET content = {NO_TEXT} WHERE kind = 'note' AND content LIKE '%11'",
        "memory 3",
    ),
    "tags that are no JSON": ("UPDATE memory SET tags = '[\"a' WHERE id = 3", "memory 3"),
    "tags that are no list": ("UPDATE memory SET tags = '5' WHERE id = 3", "memory 3"),
    "no such kind": ("UPDATE memory SET kind = 'nota' WHERE id = 3", "memory 3"),
    "a time beyond the calendar": (f"UPDATE memory SET created_at = {2**62} WHERE id = 3", "memory 3"),
    "a confidence that is none": ("UPDATE memory SET confidence = 1e300 WHERE id = 3", "memory 3"),
    "a message that is no UTF-8": (f"UPDATE message SET text = {NO_TEXT} WHERE text LIKE '%11,%'", "message 1"),
    "a message's time": (f"UPDATE message SET at = {2**62} WHERE text LIKE '%11,%'", "message 1"),
    "a state in the audit trail that is no JSON": (
        "UPDATE event SET before = '{' WHERE memory = 2 AND number = 2",
        "event 2",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sound") / "memory.db"
    damaged.fill(file)
    return file


@pytest.fixture(scope="module")
def before(sound: Path) -> damaged.Answers:
    answers = damaged.ask(sound)
    assert answers.broken == []
    return answers


@pytest.fixture(autouse=True)
def nothing_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_mapping, "_left_out", set[str]())


def change(file: Path, statement: str) -> None:
    """Change the file as damage would: no constraint keeps it out, and no index takes part in it."""
    connection = apsw.Connection(str(file))
    try:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        indexes: list[Any] = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'event' AND sql LIKE '%json_extract%'"
        ).fetchall()
        for name, _ in indexes if "event" in statement else []:
            connection.execute(f"DROP INDEX {name}")
        connection.execute(statement)
        assert connection.changes() == 1
        if "event" in statement:
            connection.execute("PRAGMA writable_schema=ON")
            # An entry of what is no JSON cannot be made: the indexes are made of the rows that can be read.
            for name, text in indexes:
                connection.execute(text.replace("WHERE ", "WHERE json_valid(before) AND "))
                connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, name))
    finally:
        connection.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_row_costs_only_itself(
    damage: str, sound: Path, before: damaged.Answers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    statement, name = DAMAGES[damage]
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    change(file, statement)
    after = damaged.ask(file)
    assert after.broken == []
    for person in damaged.PEOPLE[1:]:  # what they see of the room's messages lacks one at most
        for own in ("recall_facts", "list", "export"):
            assert after.told[person][own] == before.told[person][own]
    assert [tool for tool, told in after.told[FIRST].items() if isinstance(told, str) and '"error"' in told] == []
    named = [record.getMessage() for record in caplog.records if "is left out" in record.getMessage()]
    assert named == [f"a damaged row is left out: {name}; see `zgadka doctor`"]
    assert not any("tulips" in line or "nuts" in line for line in caplog.messages)
    code, report = damaged.examine(file)
    assert (code, f"damaged       {name}" in report) == (1, True), report
    code, report = damaged.examine(file, repair=True)
    assert (code, f"set aside: {name}" in report) == (0, True), report
    code, report = damaged.examine(file)
    assert (code, "damaged       none" in report) == (0, True), report
    assert damaged.ask(file).broken == []
    connection = apsw.Connection(str(file))
    kept: list[Any] = connection.execute("SELECT place, row FROM damaged").fetchall()
    connection.close()
    [(place, row)] = kept
    assert f"{place} {json.loads(row)['memory' if place == 'event' else 'id']}" == name


def test_a_person_whose_row_is_damaged_keeps_what_is_theirs_under_a_name_that_tells_nothing(
    sound: Path, tmp_path: Path
) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    change(file, f"UPDATE owner SET name = {NO_TEXT} WHERE name = '11'")
    assert damaged.ask(file).broken == []
    assert damaged.examine(file)[0] == 1
    code, report = damaged.examine(file, repair=True)
    assert (code, "set aside: owner 2" in report) == (0, True), report
    connection = apsw.Connection(str(file))
    [(facts,)] = connection.execute("SELECT count(*) FROM memory m JOIN owner o ON o.id = m.owner WHERE o.name = '2'")
    connection.close()
    assert facts == 3


def test_the_backup_command_ends_as_doctor_does(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    change(file, DAMAGES["a state in the audit trail that is no JSON"][0])
    with pytest.raises(typer.Exit) as ended:
        backup(db=f"sqlite:///{file}", file=tmp_path / "copy.db", force=False)  # pyright: ignore[reportCallIssue]
    printed = capsys.readouterr()
    assert ended.value.exit_code == 1
    assert json.loads(printed.out)["damaged"] == ["event 2"]
    assert "zgadka doctor --repair" in printed.err


def test_a_backup_tells_what_is_damaged_and_an_erasure_takes_what_was_set_aside(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    change(file, DAMAGES["tags that are no JSON"][0])
    text = b"nuts number 11"

    async def backs_up_mends_and_erases() -> None:
        async with damaged.opened(file) as memory:
            assert (await memory.backup(tmp_path / "copy.db")).damaged == ("memory 3",)
            assert memory.mend() == ("set aside: memory 3", "ok")
            assert (await memory.backup(tmp_path / "mended.db")).damaged == ()
            await memory.erase(damaged.turn(SECOND, direct=True))

    asyncio.run(backs_up_mends_and_erases())
    assert text.hex().encode() in (tmp_path / "mended.db").read_bytes()
    remaining = b"".join(part.read_bytes() for part in tmp_path.glob("memory.db*"))
    assert text not in remaining
    assert text.hex().encode() not in remaining


@pytest.mark.asyncio
@pytest.mark.partitioned
async def test_tags_that_are_no_json_cost_one_memory_on_every_back_end(
    lasting_url: str, opening: Callable[..., Any], elsewhere: Callable[[str, str], Any], make_person: Callable[..., Any]
) -> None:
    person = make_person(await opening(lasting_url))
    await person.speaks()
    bad = await person.note("red tulips", tags=["garden"])
    await person.note("yellow tulips")
    elsewhere(lasting_url, f"UPDATE memory SET tags = '[nonsense' WHERE id = {bad}")
    again = make_person(await opening(lasting_url))
    assert await again.found("tulips") == ["yellow tulips"]
    assert len(await again.memory.export(again.turn(direct=True, chat="123", space="123"))) > 1


def flips(file: Path) -> list[tuple[int, int]]:
    """Two hundred bytes of pages with rows, each with what it becomes."""
    chance, content = random.Random(2026), file.read_bytes()
    places = [
        offset
        for offset, byte in enumerate(content)
        if byte and b"CREATE " not in content[(page := offset // 4096 * 4096) : page + 4096]
    ]
    chosen = chance.sample(places, 200)
    return [(offset, content[offset] ^ 1 << chance.randrange(8)) for offset in chosen]


def test_a_flipped_byte_ends_in_no_traceback_and_an_error_is_found_by_doctor(
    sound: Path, before: damaged.Answers, tmp_path: Path
) -> None:
    """What became another value of the same kind nobody can tell: there is no checksum."""
    file = tmp_path / "memory.db"
    for offset, value in flips(sound)[: cases(12, long=200)]:
        damaged.flipped(sound, file, offset, value)
        after = damaged.ask(file)
        assert after.broken == [], (offset, value)
        code, report = damaged.examine(file)
        assert code in (0, 1, 2), (offset, value)
        if code == 0:
            told = [answer for answers in after.told.values() for answer in answers.values()]
            assert not any(isinstance(answer, str) and ('"error"' in answer or "Store" in answer) for answer in told)
            assert {kind: len(answers) for kind, answers in after.told.items()} == {
                kind: len(answers) for kind, answers in before.told.items()
            }, report


def test_a_member_whose_name_is_damaged_keeps_the_privacy_level(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    connection = apsw.Connection(str(file))
    member = "owner, person FROM member WHERE person > 0 LIMIT 1"
    [(space, person)] = connection.execute(f"SELECT {member}")
    connection.execute("UPDATE member SET level = 2 WHERE owner = ? AND person = ?", (space, person))
    connection.close()
    change(file, f"UPDATE member SET name = {NO_TEXT} WHERE owner = {space} AND person = {person}")
    assert damaged.examine(file, repair=True)[0] == 0
    connection = apsw.Connection(str(file))
    row = connection.execute(f"SELECT name, level FROM member WHERE owner = {space} AND person = {person}").fetchall()
    connection.close()
    assert row == [(None, 2)]


def with_task(payload: str) -> str:
    """A call of the third person's in the room."""
    columns = "kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at, leased_until, worker"
    values = f"77, 'call', 0, 'waiting', '{payload}', 'room', '', 0, 4, 0, 0, 0, '', 1"
    return f"INSERT INTO task (owner, id, {columns}, created_at) SELECT id, {values} FROM owner WHERE kind = 'space'"


@pytest.mark.parametrize(
    "statement",
    [
        DAMAGES["a state in the audit trail that is no JSON"][0],
        "UPDATE event SET before = '{' WHERE memory = 7 AND number = 2",
        with_task("{"),
        "UPDATE task SET payload = '{' WHERE id = 78",
    ],
    ids=["in a trail", "in a space's trail", "a new task", "a task that names people"],
)
@pytest.mark.parametrize("person", [FIRST, SECOND])
def test_people_are_cleared_and_erased_beside_what_is_no_json(
    statement: str, person: int, sound: Path, tmp_path: Path
) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    connection = apsw.Connection(str(file))
    connection.execute(with_task('{"tool":"x","arguments":{"user_id":33}}').replace("77", "78"))
    connection.execute(
        "INSERT INTO event (owner, memory, number, at, action, actor, before)"
        " SELECT s.id, 7, 2, at, action, actor, before FROM event, owner s"
        " WHERE s.kind = 'space' AND event.memory = 2 AND event.number = 2"
    )
    connection.close()
    change(file, statement)

    async def clear_and_erase() -> None:
        async with damaged.opened(file) as memory:
            alone = partial(damaged.turn, person, direct=True)
            arguments = {"user_id": person, "reason": "they asked"}
            await memory.call("clear_profile", arguments, alone(turn="ask", text="clear my profile"))
            cleared = await memory.call("clear_profile", arguments, alone(turn="agree", text="yes"))
            assert cleared.status == "deleted"
            await memory.erase(alone(turn="erase"))

    asyncio.run(clear_and_erase())
    text = f"nuts number {person}".encode()
    remaining = b"".join(part.read_bytes() for part in tmp_path.glob("memory.db*"))
    assert text not in remaining
    assert text.hex().encode() not in remaining


def test_a_backup_checks_the_rest_of_a_database_in_which_something_is_no_json(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    change(file, DAMAGES["a state in the audit trail that is no JSON"][0])
    connection = apsw.Connection(str(file))
    [(slot,)] = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'memory_key'").fetchall()
    connection.execute("DROP INDEX memory_key; PRAGMA writable_schema=ON")
    connection.execute(str(slot).replace("WHERE ", "WHERE id <> 1 AND "))
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'memory_key'", (slot,))
    connection.close()

    async def back_up() -> None:
        async with damaged.opened(file) as memory:
            await memory.backup(tmp_path / "copy.db")

    with pytest.raises(StoreUnavailable, match="memory_key"):
        asyncio.run(back_up())
    assert not (tmp_path / "copy.db").exists()


def test_texts_of_others_expire_beside_one_that_is_no_json(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(sound.read_bytes())
    connection = apsw.Connection(str(file))
    connection.execute("UPDATE event SET expires_at = 1 WHERE before IS NOT NULL")
    connection.execute(
        "INSERT INTO event (owner, memory, number, at, action, actor, before, expires_at)"
        " SELECT owner, memory + 900, number, at, action, actor, before, 1 FROM event WHERE before IS NOT NULL"
    )
    connection.close()
    change(file, DAMAGES["a state in the audit trail that is no JSON"][0])

    async def tidy() -> None:
        async with open_memory(f"sqlite:///{file}", settings=Settings(background=False)) as memory:
            await memory.tidy()

    asyncio.run(tidy())
    connection = apsw.Connection(str(file))
    left = connection.execute(
        "SELECT DISTINCT memory FROM event WHERE before IS NOT NULL AND expires_at = 1"
    ).fetchall()
    connection.close()
    assert left == [(2,)]
