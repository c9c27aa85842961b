"""What an import refuses: each with the number of the line, and with nothing written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zgadka import InvalidInput, Member, Memory
from zgadka.transfer.export import export_store
from zgadka.transfer.export_codec import decode
from zgadka.transfer.import_reader import LONGEST_LINE

pytestmark = pytest.mark.asyncio

TIME = "2026-01-01T00:00:00+00:00"
TURN = {"platform": "telegram", "space": "456", "chat": "456", "user": 123}
HEAD = {"kind": "zgadka-export", "version": 1, "zgadka": "0.1.0", "at": TIME, "last": {"memory": 9}}
BODY: list[dict[str, Any]] = [
    {"kind": "person", "id": 1, "platform": "telegram", "name": "123"},
    {"kind": "space", "id": 2, "platform": "telegram", "name": "456"},
    {"kind": "member", "owner": 2, "person": 1, "member_kind": "person"},
    {"kind": "privacy", "owner": 1, "level": 0},
    {"kind": "message", "owner": 2, "id": 4, "chat": "456", "thread": "", "lineage": 0, "role": "user", "person": 1,
     "text": "hi", "at": TIME},
    {"kind": "memory", "owner": 1, "id": 7, "memory_kind": "fact", "space": 2, "lineage": 0, "type": "personal",
     "key": "location", "content": "Kyiv", "canonical": "kiv", "confidence": 0.9, "evidence": 1, "permanent": False,
     "archived": False, "version": 1, "said_by": "123", "created_at": TIME, "updated_at": TIME},
    {"kind": "mention", "owner": 2, "id": 8, "memory_kind": "episode", "lineage": 0, "archived": False,
     "created_at": TIME},
    {"kind": "event", "owner": 1, "memory": 0, "number": 1, "at": TIME, "actor": "123", "action": "privacy"},
    {"kind": "event", "owner": 1, "memory": 7, "number": 1, "at": TIME, "actor": "123", "action": "created"},
    {"kind": "question", "owner": 1, "space": 2, "chat": "456", "memory": 7, "content_hash": "00ff", "requests": 1,
     "expires_at": TIME},
    {"kind": "consent", "owner": 1, "id": 1, "asker": "7", "space": 2, "tool": "remember_fact", "version": 1,
     "arguments": {}, "turn": TURN, "asked_at": TIME, "expires_at": TIME},
    {"kind": "save_question", "owner": 1, "id": "a", "turn": TURN, "asked_at": TIME, "expires_at": TIME,
     "items": [{"item": {"type": "personal", "key": "drink", "value": "tea", "confidence": 0.6}, "state": "open"}]},
    {"kind": "observation", "owner": 2, "id": 4, "turn": TURN, "text": "hi", "noted_at": TIME},
    {"kind": "asked", "owner": 1, "id": 2, "tool": "remember_fact", "asked_at": TIME, "expires_at": TIME},
]  # fmt: skip
BEFORE = {name: value for name, value in BODY[5].items() if name not in ("kind", "owner", "id")}
KINDS = {one["kind"]: index for index, one in enumerate(BODY)}  # of events the second


def text(*objects: dict[str, Any]) -> list[str]:
    lines = [HEAD, *objects]
    return [json.dumps(one) for one in (*lines, {"kind": "end", "lines": len(lines)})]


def changed(kind: str, fields: dict[str, Any]) -> list[str]:
    """The good file with one line changed; a field that is None is left out."""
    objects = [dict(one) for one in BODY]
    merged = objects[KINDS[kind]] | fields
    objects[KINDS[kind]] = {name: value for name, value in merged.items() if value is not None}
    return text(*objects)


async def refusal(memory: Memory, lines: list[Any]) -> str:
    before: list[str] = []
    await memory.look(export_store, before.append)
    with pytest.raises(InvalidInput) as refused:
        await memory.import_lines(lines)
    after: list[str] = []
    await memory.look(export_store, after.append)
    assert after == before, "something was written"
    said = str(refused.value)
    assert said.isprintable()
    assert said.encode()
    assert len(said) < 400
    return said


async def test_the_file_that_the_others_are_made_of_is_good(memory):
    report = (await memory.import_lines(text(*BODY))).as_json()
    assert report["skipped"] == {"mention": {"left_out": 1}, "asked": {"left_out": 1}}
    assert sum(report["added"].values()) == len(BODY) - 2


@pytest.mark.parametrize(
    ("kind", "fields", "complaint"),
    [
        ("person", {"id": 0}, "id must be a whole number from 1 to"),
        ("person", {"id": -1}, "id must be"),
        ("person", {"id": 2**52 + 1}, "id must be"),
        ("person", {"id": True}, "id must be a whole number from 1 to 4503599627370496, not True"),
        ("person", {"id": 1.0}, "id must be"),
        ("person", {"id": "1"}, "id must be"),
        ("person", {"id": None}, "id must be"),
        ("person", {"name": None}, "name must be a text, not None"),
        ("person", {"name": 123}, "name must be a text"),
        ("person", {"name": "a\0b"}, "name: the text contains a NUL character"),
        ("person", {"name": "\ud800"}, "lone surrogate U+D800"),
        ("person", {"extra": 1}, "there is no field 'extra'"),
        ("person", {"\ud800" * 200: 1}, "there is no field"),
        ("person", {"kind": "people"}, "kind must be one of person, space, direct, member"),
        ("person", {"kind": 7}, "kind must be one of"),
        ("space", {"id": 1}, "out of order, or appears twice"),
        ("space", {"kind": "person", "name": "123"}, "the person '123' appears twice"),
        ("member", {"member_kind": "ghost"}, "member_kind must be one of person, bot, bridge, not 'ghost'"),
        ("member", {"owner": 1}, "1 is a person, not a space"),
        ("member", {"person": 2}, "2 is a space, not a person"),
        ("member", {"person": 3}, "there is no person or space 3 above this line"),
        ("privacy", {"level": 3}, "level must be 0, 1 or 2, not 3"),
        ("privacy", {"level": -1}, "level must be a whole number"),
        ("privacy", {"owner": 2}, "2 is a space"),
        ("message", {"role": "system"}, "role must be one of user, assistant"),
        ("message", {"at": 1767225600}, "at must be a time with its zone such as 2026-11-21T12:00:00+00:00"),
        ("message", {"at": "yesterday"}, "at must be a time with its zone"),
        ("message", {"at": "2026-01-01T00:00:00"}, "at must be a time with its zone"),
        ("message", {"at": "12026-01-01T00:00:00+00:00"}, "at must be a time with its zone"),
        ("message", {"at": "0001-01-01T00:00:00+14:00"}, "at must be a time with its zone"),
        ("message", {"text": "a\0"}, "NUL"),
        ("memory", {"memory_kind": "opinion"}, "memory_kind must be one of fact, note, episode, relation"),
        ("memory", {"owner": 9}, "there is no person or space 9 above this line"),
        ("memory", {"space": 9}, "there is no person or space 9 above this line"),
        ("memory", {"space": 1}, "1 is a person, not a space"),
        ("memory", {"owner": 2, "space": 1}, "what belongs to a space is seen there, not in 1"),
        ("memory", {"people": [9]}, "there is no person or space 9"),
        ("memory", {"people": [2]}, "2 is a space"),
        ("memory", {"people": 1}, "people must be a list"),
        ("memory", {"messages": [-4]}, "messages must be a whole number"),
        ("memory", {"tags": [1]}, "tags must be a text"),
        ("memory", {"key": None}, "a fact, and nothing else, has a key"),
        ("memory", {"memory_kind": "note", "type": None}, "a fact, and nothing else, has a key"),
        ("memory", {"type": "rumour"}, "the type of a fact must be one of personal"),
        ("memory", {"memory_kind": "relation", "key": None, "people": [1]}, "a relation has two people"),
        ("memory", {"evidence": -5}, "evidence must be a whole number from 1"),
        ("memory", {"evidence": 2**60}, "evidence must be a whole number from 1"),
        ("memory", {"version": 0}, "version must be"),
        ("memory", {"confidence": 1.5}, "confidence must be a number from 0 to 1"),
        ("memory", {"confidence": True}, "confidence must be a number"),
        ("memory", {"confidence": "high"}, "confidence must be a number"),
        ("memory", {"permanent": 1}, "permanent must be true or false"),
        ("memory", {"created_at": "2999-01-01T00:00:00+00:00"}, "created_at is in the future"),
        ("memory", {"updated_at": "2026-03-09T00:00:00+00:00"}, "updated_at is in the future"),
        ("mention", {"owner": 1}, "1 is a person"),
        ("event", {"action": "exploded"}, "action must be one of created"),
        ("event", {"number": 0}, "number must be"),
        ("event", {"memory": 0}, "out of order, or appears twice"),
        ("event", {"owner": 2}, "the memory 7 has another owner"),
        ("event", {"owner": 3}, "there is no person or space 3"),
        ("event", {"change": 0}, "change must be a whole number from 1"),
        ("event", {"at": "2999-01-01T00:00:00+00:00"}, "at is in the future"),
        ("event", {"before": 5}, "before must be an object"),
        ("event", {"before": {}}, "before: "),
        ("event", {"before": BEFORE | {"owner": 2}}, "before: there is no field 'owner'"),
        ("event", {"before": BEFORE | {"space": 9}}, "there is no person or space 9"),
        ("event", {"before": BEFORE | {"created_at": "2999-01-01T00:00:00+00:00"}}, "created_at is in the future"),
        ("question", {"content_hash": "xyz"}, "content_hash must be hexadecimal"),
        ("question", {"space": 1}, "1 is a person"),
        ("question", {"owner": 2}, "2 is a space"),
        ("consent", {"turn": {"platform": "telegram"}}, "turn: "),
        ("consent", {"turn": TURN | {"colour": "red"}}, "turn: "),
        ("consent", {"arguments": []}, "arguments must be an object"),
        ("consent", {"arguments": {"value": "\ud800"}}, "lone surrogate"),
        ("consent", {"asked_at": "2999-01-01T00:00:00+00:00"}, "asked_at is in the future"),
        ("save_question", {"items": [{"item": {}, "state": "open"}]}, "must be"),
        ("save_question", {"items": [{"state": "open"}]}, "item must be an object"),
        ("save_question", {"items": [7]}, "items must be an object"),
        ("save_question", {"turn": {"user": 1}}, "turn: "),
        ("observation", {"turn": TURN | {"time": "never"}}, "turn: "),
        ("observation", {"noted_at": "2999-01-01T00:00:00+00:00"}, "noted_at is in the future"),
    ],
)  # fmt: skip
async def test_a_line_that_cannot_be_meant_is_refused_with_its_number(memory, kind, fields, complaint):
    said = await refusal(memory, changed(kind, fields))
    assert said.startswith(f"line {KINDS[kind] + 2}: ")
    assert complaint in said


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([], "line 0: the end is missing"),
        (text(*BODY)[:-1], f"line {len(BODY) + 1}: the end is missing: the file was cut off after this line"),
        ([*text(*BODY)[:5], text(*BODY)[5][:20]], "line 6: this is not a JSON object"),
        ([*text(*BODY), '{"kind": "end"}'], "there are more lines after the end"),
        ([*text(*BODY)[:3], text(*BODY)[-1]], "line 4: the end says 15 lines, but there are 3"),
        (text(*BODY)[1:], "line 1: this is not an export of zgadka"),
        ([json.dumps(HEAD | {"version": 2})], "line 1: this zgadka reads version 1 of the format, not 2"),
        ([json.dumps(HEAD | {"version": True})], "not True"),
        ([json.dumps(HEAD | {"colour": 1})], "the head has no 'colour'"),
        ([json.dumps(HEAD | {"last": 5})], "last must be an object"),
        ([json.dumps(HEAD | {"last": {"memory": -1}})], "last has owner, memory"),
        ([json.dumps(HEAD | {"last": {"memory": 2**53}})], "last has owner, memory"),
        ([json.dumps(HEAD | {"last": {"rate": 1}})], "last has owner, memory"),
        ([json.dumps(HEAD | {"last": {"change": 2**51 + 1}})], "line 1: a change must have a number up to"),
        ([json.dumps(HEAD | {"last": {"change": 2**52}})], "line 1: a change must have a number up to"),
        ([json.dumps(HEAD | {"person": "123"})], "person must have a platform and a name"),
        ([json.dumps(HEAD | {"person": {"platform": "x", "name": "\0"}})], "person must have a platform and a name"),
        (["[]"], "line 1: this is not a JSON object but list"),
        ([""], "line 1: this is not a JSON object"),
        (["[" * 100_000], "line 1: this is not a JSON object"),
        (['{"kind": "zgadka-export", "kind": "x"}'], "a name stands twice in one object"),
        (['{"kind": NaN}'], "NaN is no number"),
        (['{"kind": 1e999}'], "1e999 is no number"),
        (['{"kind": ' + "9" * 5000 + "}"], "line 1: this is not a JSON object"),
        ([b"\xff\xfe"], "line 1: this is not UTF-8, at byte 0"),
        ([b" " * (LONGEST_LINE + 1)], f"line 1: the line is longer than {LONGEST_LINE} bytes"),
        (text(BODY[0], BODY[1], BODY[5], BODY[4]), "line 5: this line is out of order"),
        (text(*BODY[:6], BODY[5]), "line 8: this line is out of order, or appears twice"),
        (text(*BODY[:5], BODY[4] | {"owner": 3}), "line 7: the id 4 appears twice"),
        (text(*BODY[:6], BODY[5] | {"owner": 2}), "line 8: the id 7 appears twice"),
        (text(*BODY[:6], BODY[7] | {"before": BEFORE}), "line 8: a line about the owner as a whole has no state"),
        (text(*BODY[:2], BODY[8], BODY[8] | {"owner": 2}), "line 5: the memory 7 has another owner"),
    ],
    ids=range(32),
)  # fmt: skip
async def test_a_broken_file_is_refused_whole(memory, lines, complaint):
    assert complaint in await refusal(memory, lines)


async def test_what_was_asked_in_a_space_that_is_gone_is_asked_nowhere(person, memory):
    """As programs export it that moved or erased a space without its questions."""
    bodies = [one | {"space": 9} if one["kind"] in ("question", "consent") else one for one in BODY]
    report = await memory.import_lines(text(*bodies))
    assert report.lines["question"]["added"] == report.lines["consent"]["added"] == 1


async def test_what_was_asked_in_a_space_that_is_gone_stands_in_no_exports_way(person, memory):
    await memory.import_lines(text(*BODY[:6]))
    for line in (decode(one | {"space": 9}) for one in BODY[9:11]):
        await memory.apply(lambda tx, line=line: tx.transfer.add(line))
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    await memory.import_lines(lines)
    assert await memory.export(person.turn(direct=True))


@pytest.mark.partitioned
async def test_a_file_with_the_highest_ids_leaves_numbers_for_what_comes_later(person, memory):
    lines = text(*({**one, "id": 2**52} if one["kind"] == "memory" else one for one in BODY[:6]))
    await memory.import_lines(lines)
    assert await person.note("the next one") == 2**52 + 1


@pytest.mark.partitioned
async def test_a_hostile_line_at_the_end_undoes_all_before_it(memory):
    """What only shows up inside the transaction: the clock of the store says that this is the future."""
    lines = changed("observation", {"noted_at": "2030-01-01T00:00:00+00:00"})
    assert "noted_at is in the future" in await refusal(memory, lines)


LONG = "ab" * 5_000_000
WHOLE: list[dict[str, Any]] = [
    *BODY[:2],
    {"kind": "person", "id": 3, "platform": "telegram", "name": "9"},
    *BODY[2:5],
    BODY[4] | {"id": 5, "text": "hello"},
    *BODY[5:],
]
FACT = BODY[5] | {"id": 8}
NOTE = {name: value for name, value in FACT.items() if name not in ("key", "type")} | {"memory_kind": "note"}
EPISODE = NOTE | {"memory_kind": "episode", "owner": 2}
MEMBER = BODY[2] | {"person": 3}
UPDATED = BODY[8] | {"number": 2, "action": "updated"}
CONSENT, SAVE = BODY[10] | {"id": 2}, BODY[11] | {"id": "b"}
ITEM = {"type": "personal", "key": "drink", "value": LONG, "confidence": 0.6}


@pytest.mark.parametrize(
    ("line", "kept", "what"),
    [
        (FACT | {"content": LONG}, False, "content has 10,000,000 characters, at most 1,000"),
        (FACT | {"key": LONG}, False, "key has 10,000,000 characters, at most 100"),
        (NOTE | {"content": LONG}, False, "content has 10,000,000 characters, at most 1,000"),
        (NOTE | {"tags": [LONG]}, False, "tags has 10,000,000 characters"),
        (NOTE | {"tags": [f"tag {number}" for number in range(100)]}, False, "tags has 100 items, at most 41"),
        (NOTE | {"excerpt": LONG, "content": "tea"}, True, "excerpt has 10,000,000 characters"),
        (EPISODE | {"content": LONG}, False, "content has 10,000,000 characters, at most 4,000"),
        (EPISODE | {"topic": LONG}, False, "topic has 10,000,000 characters, at most 200"),
        (MEMBER | {"name": LONG}, True, "name has 10,000,000 characters, at most 255"),
        (BODY[4] | {"id": 6, "text": LONG}, False, "text has 10,000,000 characters, at most 100,000"),
        (UPDATED | {"before": BEFORE | {"content": LONG}}, True, "before: content has 10,000,000 characters"),
        (UPDATED | {"reason": LONG}, True, "reason has 10,000,000 characters"),
        (CONSENT | {"arguments": {"fact_value": LONG}}, False, "arguments has 10,000,018 characters"),
        (CONSENT | {"turn": TURN | {"text": LONG}}, False, "turn has"),
        (SAVE | {"items": [{"item": ITEM, "state": "open"}]}, False, "value has 10,000,000 characters, at most 1,000"),
        (BODY[12] | {"id": 5, "text": LONG}, False, "text has 10,000,000 characters, at most 100,000"),
    ],
    ids=range(16),
)
async def test_what_no_tool_would_keep_is_left_out_and_told_and_all_else_comes(memory, line, kept, what):
    place = max(index for index, one in enumerate(WHOLE) if one["kind"] == line["kind"]) + 1
    report = (await memory.import_lines(text(*WHOLE[:place], line, *WHOLE[place:]))).as_json()
    (told,) = report["too_long"]
    assert (told["line"], told["kind"], what in told["what"]) == (place + 2, line["kind"], True)
    assert LONG[:100] not in json.dumps(report)
    skipped = {"mention": {"left_out": 1}, "asked": {"left_out": 1}}
    assert report["skipped"] == (skipped if kept else skipped | {line["kind"]: {"too_long": 1}})
    came = [one["kind"] for one in WHOLE if one["kind"] not in skipped] + [line["kind"]] * kept
    assert report["added"] == {kind: came.count(kind) for kind in set(came)}
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    assert max(map(len, lines)) < 1000


async def test_what_belongs_to_what_was_too_long_is_left_out_with_it(memory):
    lines = changed("memory", {"content": LONG})
    report = (await memory.import_lines(lines)).as_json()
    assert (report["skipped"]["memory"], report["skipped"]["question"]) == ({"too_long": 1}, {"not_carried": 1})
    assert (report["skipped"]["event"], report["added"]["event"]) == ({"too_long": 1}, 1)
    assert len(report["too_long"]) == 1


async def test_what_tools_keep_at_their_limits_comes_back_by_an_export(person, memory, opening):
    """Else an import would leave out what was allowed before."""
    for tags in (range(20), range(20, 40), range(40, 60)):
        await person.call("remember", content="n" * 1000, tags=[f"{tag:050}" for tag in tags])
    key = "k" * 100
    for number in range(8):
        excerpt = f"{'e' * 999}{number}"
        await (
            person.update(key, f"{'v' * 999}{number}", change_reason="refinement", source_excerpt=excerpt)
            if number
            else person.fact(key="k" * 100, value="v" * 999, source_excerpt=excerpt)
        )
    await memory.record("user", "m" * 100_000, person.turn(message="m"))
    episode = {"topic": "t" * 200, "summary": "s" * 4000, "importance": 0.5, "emotional_valence": "neutral"}
    await person.call("create_episode", **episode, tags=["u" * 50] * 20)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    report = (await (await opening("sqlite://:memory:")).import_lines(lines)).as_json()
    assert report["skipped"] == {}
    assert "too_long" not in report
    memories = [json.loads(line) for line in lines if json.loads(line)["kind"] == "memory"]
    assert sorted(len(one.get("tags", ())) for one in memories) == [0, 1, 40]
    assert max(len(one.get("excerpt", "")) for one in memories) == 3 * 1000 + 2


async def test_a_message_that_is_longer_than_any_is_refused(person, memory):
    with pytest.raises(InvalidInput, match="a message may have up to 100,000 characters, not 100,001"):
        await memory.record("user", "m" * 100_001, person.turn(message="m"))
    with pytest.raises(InvalidInput, match="up to 100,000"):
        await memory.observe("m" * 100_001, person.turn(message="m"))
    await memory.report_member("telegram", "456", Member(user="7", number=7, name="n" * 300, nickname="k" * 300))
    stored = await memory.look(lambda tx: tx.members.list(tx.owners.find("space", "telegram", "456")))
    assert [(len(member.name), len(member.nickname)) for member in stored] == [(255, 255)]
