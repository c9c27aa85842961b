"""What every import keeps to: exact dry runs, no second effect, limits, privacy, and whole or not at all."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tracemalloc
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from zgadka import InvalidInput, Memory, PrivacyLevel, Settings, Turn, open_memory
from zgadka.model.inference import Inference
from zgadka.transfer.external.apply import Target, import_from, parse_people
from zgadka.transfer.external.files import elements

from .conftest import conversation, gryag_file, zipped

TURN = Turn(platform="telegram", space="123", chat="123", user=123, direct=True)

SAMPLES: dict[str, Any] = {
    "mem0": [{"memory": "Loves hiking", "user_id": "123"}, {"memory": "loves hiking", "user_id": "123"}],
    "mcp-memory": {"type": "entity", "name": "me", "entityType": "person", "observations": ["Speaks Spanish"]},
    "chatgpt": [conversation(("user", "I live in Kyiv. My name is Olena."))],
    "claude": [{"chat_messages": [{"sender": "human", "text": "I live in Kyiv."}]}],
}


def sample(source: str, folder: Path) -> Any:
    return gryag_file(folder / "gryag.db") if source == "gryag" else SAMPLES[source]


def everything(memory: Memory) -> Any:
    return memory.look(
        lambda tx: [(one.action, one.memory) for owner in tx.owners.list() for one in _events(tx, owner.id)]
    )


def _events(tx: Any, owner: int) -> list[Any]:
    return [event for number in range(1, 30) for event in tx.audit.history(owner, number)]


@pytest.mark.asyncio
@pytest.mark.parametrize("source", [*SAMPLES, "gryag"])
async def test_a_dry_run_says_exactly_what_an_import_does_and_a_second_import_does_nothing(
    take: Any,
    memory: Memory,
    tmp_path: Path,
    source: str,
) -> None:
    user = {} if source == "gryag" else {"user": "123"}
    given = sample(source, tmp_path)
    dry = await take(source, given, dry_run=True, **user)
    assert await everything(memory) == []
    done = await take(source, given, **user)
    assert dry == done | {"dry_run": True}
    assert done["added"] > 0
    before = await everything(memory)
    again = await take(source, given, **user)
    assert again == done | {"added": 0, "known": done["added"] + done["known"]}
    assert await everything(memory) == before


@pytest.mark.asyncio
async def test_what_is_here_is_never_changed_and_what_was_forgotten_stays_forgotten(
    take: Any, texts: Any, memory: Memory
) -> None:
    mine = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
    await memory.remember_fact(turn=TURN, fact_value="Lviv", **mine)
    report = await take("chatgpt", SAMPLES["chatgpt"], user="123")
    assert report["conflicts"] == [{"place": "conversations.json, entry 1, message 1", "memory_id": 1}]
    assert await texts() == ["location: Lviv", "name: Olena"]
    await memory.forget_fact(turn=TURN, user_id=123, fact_type="personal", fact_key="name", reason="user_requested")
    report = await take("chatgpt", SAMPLES["chatgpt"], user="123")
    assert (report["added"], report["known"]) == (0, 1)
    assert await texts() == ["location: Lviv"]


@pytest.mark.asyncio
async def test_what_was_deleted_here_does_not_come_back_by_an_older_file(take: Any, texts: Any, memory: Memory) -> None:
    await take("chatgpt", SAMPLES["chatgpt"], user="123")
    before = await texts()
    for number in range(2):
        await memory.call("forget", {"memory_id": 1}, replace(TURN, turn=f"t{number}"))
    assert len(await texts()) == len(before) - 1
    await take("chatgpt", SAMPLES["chatgpt"], user="123")
    assert len(await texts()) == len(before) - 1


def person(memory: Memory, clock: Any, user: int, **place: Any) -> Any:
    """The turns of somebody, each later than the last."""

    def turn(text: str | None = None) -> Turn:
        clock.forward(minutes=1)
        where: dict[str, Any] = {"space": "-1001", "chat": "-1001"} | place
        return Turn(platform="telegram", user=user, turn=f"t-{clock.now}", text=text, **where)

    return turn


async def forget(memory: Memory, turn: Any, memory_id: int) -> None:
    answers = [await memory.call("forget", {"memory_id": memory_id}, turn()) for _ in range(2)]
    assert answers[-1].status == "deleted"


@pytest.mark.asyncio
@pytest.mark.parametrize("source", [*SAMPLES, "gryag"])
async def test_what_was_said_before_an_erasure_or_nobody_knows_when_does_not_come_back(
    take: Any, texts: Any, memory: Memory, clock: Any, tmp_path: Path, source: str
) -> None:
    await memory.call("remember", {"content": "Plays the tuba"}, TURN)
    await memory.erase(TURN)
    clock.forward(days=1)
    user = {} if source == "gryag" else {"user": "123"}
    given = sample(source, tmp_path)
    dry = await take(source, given, dry_run=True, **user)
    report = await take(source, given, **user)
    assert dry == report | {"dry_run": True}
    assert report["erased_since"] >= 1
    assert await texts() == await texts(space="-1001") == []
    assert "123" not in {owner.name for owner in await memory.look(lambda tx: tx.owners.list())}
    if source == "gryag":
        assert report["added"] == 1  # what is about the other person
        told = await memory.call("recall_episodes", {}, person(memory, clock, 7)())
        assert told["episodes"] == []
    else:
        assert (report["added"], report["known"]) == (0, 0)


@pytest.mark.asyncio
async def test_what_was_said_after_an_erasure_comes_in(take: Any, texts: Any, memory: Memory, clock: Any) -> None:
    await memory.call("remember", {"content": "Plays the tuba"}, TURN)
    await memory.erase(TURN)
    later = (clock.now + timedelta(days=1)).isoformat()
    clock.forward(days=2)
    given = [{"memory": "Loves hiking", "created_at": later}, {"memory": "Grows orchids", "created_at": "2026-01-01"}]
    report = await take("mem0", given, user="123")
    assert (report["added"], report["erased_since"]) == (1, 1)
    assert await texts() == ["Loves hiking"]


@pytest.mark.asyncio
@pytest.mark.parametrize("wish", ["erased", "partial", "full"])
async def test_no_extractor_is_given_the_words_of_who_does_not_want_that(
    take: Any, memory: Memory, monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    await memory.call("remember", {"content": "Plays the tuba"}, TURN)
    await (memory.erase(TURN) if wish == "erased" else memory.set_privacy(PrivacyLevel[wish.upper()], TURN))
    given: list[str] = []

    async def infer(text: str) -> Inference:
        given.append(text)
        return Inference()

    monkeypatch.setattr(memory, "infer", infer)
    report = await take("chatgpt", SAMPLES["chatgpt"], user="123")
    assert given == []
    assert (report["erased_since"], report["not_kept"]) == ((1, 0) if wish == "erased" else (0, 1))


@pytest.mark.asyncio
@pytest.mark.parametrize("hours", [1, 400])
async def test_no_episode_or_note_tells_what_somebody_in_it_had_forgotten(
    take: Any, texts: Any, memory: Memory, clock: Any, tmp_path: Path, hours: int
) -> None:
    turn = person(memory, clock, 123)
    kept = await memory.remember_fact(
        turn=turn(), user_id=123, fact_type="preference", fact_key="hobby", fact_value="весілля", confidence=0.9
    )
    await forget(memory, turn, kept["fact_id"])
    clock.forward(hours=hours)
    await memory.tidy()
    report = await take("gryag", gryag_file(tmp_path / "gryag.db"))
    assert "episodes, id 1" not in {one["place"] for one in report["refused"]}
    assert (await memory.call("recall_episodes", {}, turn()))["episodes"] == []
    note = [{"memory": "Організовує весілля", "created_at": "2025-01-01"}, {"memory": "Пече торти"}]
    report = await take("mem0", note, user="123", space="-1001")
    assert (report["added"], report["known"]) == (1, 1)


@pytest.mark.asyncio
async def test_an_episode_with_somebody_who_is_invisible_is_not_kept(
    take: Any, memory: Memory, clock: Any, tmp_path: Path
) -> None:
    """Its text is not known to leave them out."""
    await memory.set_privacy(PrivacyLevel.FULL, person(memory, clock, 7)())
    report = await take("gryag", gryag_file(tmp_path / "gryag.db"))
    assert "episodes, id 1" in {one["place"] for one in report["refused"]}


@pytest.mark.asyncio
async def test_an_import_can_be_undone_memory_by_memory(take: Any, texts: Any, memory: Memory) -> None:
    await take("mem0", SAMPLES["mem0"], user="123")
    await memory.undo(1, TURN)
    assert await texts() == []


@pytest.mark.asyncio
async def test_a_privacy_level_holds_and_is_reported(take: Any, texts: Any, memory: Memory) -> None:
    await memory.set_privacy(PrivacyLevel.PARTIAL, TURN)
    report = await take("mem0", SAMPLES["mem0"])
    assert report["added"] == 0
    assert {one["reason"].partition(":")[0] for one in report["refused"]} == {"privacy_restricted"}


@pytest.mark.asyncio
async def test_a_limit_drops_nothing_and_is_reported(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text(json.dumps([{"memory": f"Note {number}"} for number in range(4)]))
    async with open_memory("sqlite://:memory:", settings=Settings(max_notes=2)) as memory:
        whose = Target(platform="telegram", user="123")
        report = await import_from(memory, "mem0", tmp_path / "f.json", whose)
    assert (report.added, len(report.refused)) == (2, 2)
    assert report.refused[0] == {"place": "f.json, entry 3", "reason": "limit_reached: 2 of 2 are kept"}


@pytest.mark.asyncio
async def test_an_episode_of_nobody_but_the_invisible_is_not_kept(take: Any, memory: Memory, tmp_path: Path) -> None:
    for user in (123, 7):
        turn = Turn(platform="telegram", space="-1001", chat="-1001", user=user)
        await memory.set_privacy(PrivacyLevel.FULL, turn)
    report = await take("gryag", gryag_file(tmp_path / "gryag.db"))
    assert report["added"] == 0
    assert "episodes, id 1" in {one["place"] for one in report["refused"]}


@pytest.mark.asyncio
async def test_without_a_person_nothing_is_kept(take: Any, memory: Memory) -> None:
    report = await take("mem0", [{"memory": "Likes tea"}])
    assert report["refused"] == [
        {"place": "f.json, entry 1", "reason": "the file does not say whom this is about: give --user"}
    ]


@pytest.mark.asyncio
async def test_several_people_are_not_made_one(take: Any, texts: Any) -> None:
    two = [{"memory": "Likes tea", "user_id": "alex"}, {"memory": "Likes coffee", "user_id": "bob"}]
    with pytest.raises(InvalidInput, match=r"about 2 people \(alex, bob\): leave --user out"):
        await take("mem0", two, user="123")
    assert await texts() == []
    await take("mem0", two, user="123", named={"bob": "7"})
    assert (await texts(), await texts("7")) == (["Likes tea"], ["Likes coffee"])


BAD: list[tuple[str, str, bytes, str]] = [
    ("mem0", "f.json", b"", "f.json: the file breaks off"),
    ("mem0", "f.json", b"[", "f.json: the file breaks off"),
    ("mem0", "f.json", b'[{"memory": "Likes tea"}, {"mem', "f.json, entry 2: it is broken or breaks off"),
    ("mem0", "f.json", b'[{"memory": "Likes tea"} {}]', "after entry 1 there is neither a comma nor the end"),
    ("mem0", "f.json", b'[{"memory": "Likes tea"},', "f.json: the file breaks off"),
    ("mem0", "f.json", b"\xff\xfe[", "cannot read"),
    ("mem0", "f.json", b'["a", 3]', "nothing in the file is mem0's; f.json, entry 1: there is no text"),
    ("mem0", "f.json", b"[]", "there is nothing of mem0's"),
    ("mem0", "f.json", b"[" * 100_000, "nested too deeply"),
    ("chatgpt", "conversations.json", b'[{"title": "x"}]', "this is no conversation: it has no mapping"),
    ("chatgpt", "else.json", b"[]", "there is nothing of chatgpt's"),
    ("chatgpt", "export.zip", b"PK\x05\x06" + b"\0" * 10, "there is nothing of chatgpt's"),
    ("claude", "conversations.json", b'[{"name": "x"}]', "it has no chat_messages"),
    ("mcp-memory", "f.jsonl", b"PK\x03\x04 no lines", "line 1: this is no JSON"),
    ("gryag", "f.db", b"no database, but long enough to be looked at" * 20, "cannot read"),
    ("gryag", "f.db", b"", "has none of gryag's tables"),
    ("langgraph", "f.db", b"", "has no table store"),
    ("nothing", "f.db", b"", "no format 'nothing'; there are chatgpt, claude, gryag"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("source", "name", "content", "complaint"), BAD, ids=lambda one: str(one)[:30])
async def test_a_bad_file_is_one_line_with_the_place_and_nothing_is_kept(
    take: Any,
    texts: Any,
    source: str,
    name: str,
    content: bytes,
    complaint: str,
) -> None:
    with pytest.raises(InvalidInput) as raised:
        await take(source, content, name=name, user="123")
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)
    assert await texts() == []


@pytest.mark.asyncio
async def test_hostile_entries_are_refused_one_by_one(take: Any, texts: Any) -> None:
    hostile = [
        {"memory": "a\0b"},
        {"memory": "\ud800"},
        {"memory": "x" * 1001},
        {"memory": "{userName}"},
        {"memory": ["Likes tea"]},
        {"memory": "Likes tea", "user_id": "x" * 300},
        {"memory": "Likes tea", "categories": ["y" * 51]},
        {"memory": "Likes tea", "categories": "hobbies", "created_at": "yesterday"},
        {"memory": "Likes milk", "categories": None, "created_at": 1e300, "user_id": 5},
        None,
    ]
    report = await take("mem0", hostile, named={"x" * 300: "x" * 300}, user="123")
    assert (report["read"], report["added"], report["not_kept"]) == (10, 2, 8)
    assert await texts() == ["Likes milk", "Likes tea"]
    assert "Likes" not in json.dumps(report)


@pytest.mark.asyncio
async def test_broken_conversations_are_read_as_far_as_they_can_be(take: Any, texts: Any) -> None:
    circle = conversation(("user", "I live in Kyiv."))
    circle["mapping"]["n0"]["parent"] = "n0"
    headless: dict[str, Any] = conversation(("user", "My name is Olena.")) | {"current_node": "gone"}
    headless["mapping"] |= {"null": None, "list": [], "m": {"message": {"author": "user", "content": 3}}}
    report = await take("chatgpt", [circle, headless, 3], user="123")
    assert await texts() == ["location: Kyiv", "name: Olena"]
    assert report["refused"] == [
        {"place": "conversations.json, entry 3", "reason": "this is no conversation: it has no mapping"}
    ]


@pytest.mark.asyncio
async def test_an_archive_that_is_damaged_or_locked_is_refused(take: Any, texts: Any, tmp_path: Path) -> None:
    path = zipped(tmp_path / "export.zip", conversations=[conversation(("user", "I live in Kyiv."))] * 50)
    whole = path.read_bytes()
    path.write_bytes(whole[:60] + b"\xff\xff\xff\xff" + whole[64:])
    with pytest.raises(InvalidInput, match=r"cannot read|broken"):
        await take("chatgpt", path, user="123")
    assert await texts() == []


@pytest.mark.asyncio
async def test_a_folder_is_read_like_its_archive(take: Any, texts: Any, tmp_path: Path) -> None:
    for number, said in enumerate(("I live in Kyiv.", "My name is Olena.")):
        content = json.dumps([conversation(("user", said))])
        (tmp_path / f"conversations-00{number}.json").write_text(content, encoding="utf-8-sig")
    await take("chatgpt", tmp_path, user="123")
    assert await texts() == ["location: Kyiv", "name: Olena"]


def test_a_long_array_is_read_one_element_at_a_time() -> None:
    one = json.dumps({"text": "x" * 10_000})
    source = io.BytesIO(("[" + ",\n".join([one] * 5_000) + "]").encode())  # 50 MB
    tracemalloc.start()
    count = sum(1 for _ in elements(source, "f"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (count, peak < 3_000_000) == (5_000, True), peak


@pytest.mark.parametrize("chunk", range(1, 12))
def test_where_the_pieces_end_changes_nothing(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zgadka.transfer.external.files._CHUNK", chunk)
    values: list[Any] = [1, 23, "a\\u00e9\\", {"k": [True, None]}, -1.5e3, [], "Київ"]
    text = "\ufeff " + json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    assert [value for _, value in elements(io.BytesIO(text.encode()), "f")] == values
    assert [value for _, value in elements(io.BytesIO(b' {"a": 1} '), "f")] == [{"a": 1}]


def test_the_options_name_one_person_or_several() -> None:
    assert parse_people(["123"]) == ("123", {})
    assert parse_people(["alex=123", "a=b=7", "5"]) == ("5", {"alex": "123", "a=b": "7"})
    with pytest.raises(InvalidInput, match="which one is it"):
        parse_people(["1", "2"])


def test_from_the_command_line(tmp_path: Path, program: str) -> None:
    (tmp_path / "mem0.json").write_text(json.dumps(SAMPLES["mem0"]))

    def run(*arguments: str) -> tuple[int, str, str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ZGADKA_") or name == "ZGADKA_EMBEDDER"
        }
        done = subprocess.run(
            [program, *arguments],
            cwd=tmp_path,
            env=environment | {"ZGADKA_DATABASE": f"sqlite:///{tmp_path}/memory.db"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    code, out, err = run(
        "import", "mem0.json", "--from", "mem0", "--user", "123", "--platform", "discord", "--space", "9"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["added"] == 1
    assert run("list")[1] == "ID:1  discord:123 in 9  note  Loves hiking\n"
    code, out, err = run("import", "gone.json", "--from", "mem0", "--user", "123")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("zgadka: cannot read 'gone.json': ")
    code, out, err = run("import", "mem0.json", "--user", "123")
    assert (code, err) == (
        2,
        "zgadka: zgadka exports already name the owners: use --user, --space and --persona only with --from\n",
    )
    assert run("import", "mem0.json", "--from", "memory")[0] == 2
    assert zipfile.is_zipfile(tmp_path / "memory.db") is False
