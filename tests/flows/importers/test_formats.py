"""What becomes of the files of other programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.sqlite import SqliteStore

from zgadka import Memory, Turn
from zgadka.frameworks.langgraph import ZgadkaStore

from .conftest import conversation, gryag_file, zipped

MEM0 = {
    "results": [
        {"id": "a", "memory": "Loves hiking", "hash": "x", "metadata": None, "categories": ["hobbies"],
         "created_at": "2025-01-02T10:00:00-08:00", "updated_at": None, "user_id": "alex"},
        {"id": "b", "memory": "Is allergic to nuts", "created_at": "2025-01-03T10:00:00Z", "user_id": "alex"},
        {"id": "c", "memory": "loves  hiking", "user_id": "alex"},
        {"id": "d", "memory": "Answers briefly", "user_id": None, "agent_id": "helper"},
        {"id": "e", "memory": " "},
    ],
    "relations": [{"source": "alex", "relationship": "works_at", "target": "acme"}],
}  # fmt: skip


@pytest.mark.asyncio
async def test_mem0s_memories_become_notes_with_their_dates_and_a_reason(take: Any, texts: Any, memory: Memory) -> None:
    report = await take("mem0", MEM0, user="123")
    assert {name: report[name] for name in ("read", "added", "known", "conflicting", "not_kept")} == {
        "read": 6, "added": 3, "known": 1, "conflicting": 0, "not_kept": 2,
    }  # fmt: skip
    assert report["refused"] == [
        {"place": "f.json, memory 4", "reason": "it is about an agent, not about a person"},
        {"place": "f.json, memory 5", "reason": "there is no text in `memory`"},
    ]
    assert await texts() == ["Is allergic to nuts", "Loves hiking", "alex works at acme"]
    turn = Turn(platform="telegram", space="123", chat="123", user=123, direct=True)
    found = (await memory.recall(turn=turn, query="hiking"))["memories"][0]
    assert (found["created_at"], found["tags"]) == ("2025-01-02T18:00:00+00:00", ["hobbies"])
    (event,) = await memory.history(found["memory_id"], turn)
    assert (event.action, event.actor, event.reason) == ("imported", "123", "imported from mem0: f.json, memory 1")


@pytest.mark.asyncio
@pytest.mark.parametrize("shape", ["array", "memories", "lines"])
async def test_mem0_writes_the_same_in_several_shapes(take: Any, texts: Any, shape: str) -> None:
    listed = [{"memory": "Loves hiking", "user_id": "1"}, {"text": "Plays chess", "user_id": "1"}]
    match shape:
        case "lines":
            report = await take("mem0", b"\n".join(json.dumps(one).encode() for one in listed), name="f.jsonl")
        case "memories":
            report = await take("mem0", {"memories": listed})
        case _:
            report = await take("mem0", listed)
    assert report["added"] == 2
    assert await texts("1") == ["Loves hiking", "Plays chess"]


@pytest.mark.asyncio
async def test_people_whom_a_file_names_stay_apart(take: Any, texts: Any) -> None:
    two = [{"memory": "Likes tea", "user_id": "alex"}, {"memory": "Likes coffee", "user_id": "bob"}]
    assert (await take("mem0", two))["added"] == 2
    assert (await texts("alex"), await texts("bob")) == (["Likes tea"], ["Likes coffee"])
    assert (await take("mem0", two, named={"alex": "123", "bob": "7"}, space="-100"))["added"] == 2
    assert (await texts("123", "-100"), await texts("7", "-100")) == (["Likes tea"], ["Likes coffee"])


@pytest.mark.asyncio
async def test_a_graph_of_the_mcp_memory_server_becomes_notes(take: Any, texts: Any) -> None:
    graph = [
        {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Speaks fluent Spanish"]},
        {"type": "entity", "name": "Anthropic", "entityType": "organization", "observations": ["Makes models", 3]},
        {"type": "relation", "from": "default_user", "to": "Anthropic", "relationType": "works_at"},
        {"type": "vertex"},
    ]
    content = b"\n".join([*(json.dumps(one).encode() for one in graph), b"{broken", b""])
    report = await take("mcp-memory", content, user="123")
    assert await texts() == [
        "Anthropic (organization): Makes models",
        "Speaks fluent Spanish",
        "default user works at Anthropic",
    ]
    assert [one["place"] for one in report["refused"]] == ["line 2, observation 2", "line 4", "line 5"]


@pytest.mark.asyncio
async def test_only_what_the_person_wrote_is_looked_at_in_a_chatgpt_export(
    take: Any, texts: Any, tmp_path: Path
) -> None:
    talk = conversation(
        ("system", "I live in Oslo."),
        ("user", "I live in Kyiv."),
        ("assistant", "I live in Paris. My name is Bot."),
        ("tool", "I live in Rome."),
        ("user", {"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "My name is Olena."]}),
        ("user", {"content_type": "user_editable_context", "user_profile": "I live in Bonn."}),
        ("user", "> I live in Madrid.\n`I live in Minsk.`"),
    )
    talk["mapping"]["edited"] = {"message": {"author": {"role": "user"}, "content": {"parts": ["I live in Lima."]}},
                                 "parent": "n0", "children": []}  # fmt: skip
    memories = [
        {"content": "Plays the violin", "enabled": True, "created_at": 1_736_000_000},
        {"content": "Hates jazz", "enabled": False},
    ]
    path = zipped(tmp_path / "export.zip", conversations=[talk], memory=memories, user={"email": "x"})
    report = await take("chatgpt", path, user="123")
    assert await texts() == ["Plays the violin", "location: Kyiv", "name: Olena"]
    assert (report["read"], report["added"], report["conflicting"]) == (5, 3, 0)
    assert report["refused"] == [{"place": "memory.json, entry 2", "reason": "it was switched off there"}]


@pytest.mark.asyncio
async def test_what_was_said_last_stands(take: Any, texts: Any) -> None:
    old = conversation(("user", "I live in Kyiv."), at=1_600_000_000)
    new = conversation(("user", "I live in Lviv."), at=1_700_000_000, number=2)
    report = await take("chatgpt", [old, new], user="123")
    assert await texts() == ["location: Lviv"]
    assert report["conflicts"] == [{"place": "conversations.json, entry 1, message 1", "memory_id": 1}]


@pytest.mark.asyncio
async def test_only_what_the_person_wrote_is_looked_at_in_a_claude_export(
    take: Any, texts: Any, tmp_path: Path
) -> None:
    talk = {
        "uuid": "c", "name": "A talk", "account": {"uuid": "x"},
        "chat_messages": [
            {"sender": "human", "text": "I live in Kyiv.", "created_at": "2025-01-01T12:00:00.000000Z", "content": []},
            {"sender": "assistant", "text": "I live in Oslo.", "content": []},
            {"sender": "human", "text": "", "content": [{"type": "text", "text": "My name is Olena."}],
             "attachments": [{"extracted_content": "I live in Rome."}]},
        ],
    }  # fmt: skip
    remembered = "**Work context**\n\nOlena writes compilers. She prefers Rust.\n\n# Other\n- Sings in a choir\n"
    memories = [{"conversations_memory": remembered, "project_memories": {"p": "secret plan"}, "account_uuid": "x"}]
    path = zipped(tmp_path / "data.zip", conversations=[talk], memories=memories, users=[{"uuid": "x"}])
    report = await take("claude", path, user="123")
    assert report["added"] == 4
    assert await texts() == [
        "Olena writes compilers. She prefers Rust.", "Sings in a choir", "location: Kyiv", "name: Olena",
    ]  # fmt: skip


@pytest.mark.asyncio
async def test_a_long_paragraph_is_divided_between_sentences(take: Any, texts: Any) -> None:
    text = " ".join(f"Sentence number {number} says little." for number in range(60))
    await take("claude", [{"conversations_memory": text}], name="memories.json", user="123")
    pieces = await texts()
    assert len(pieces) == 2
    assert all(len(one) <= 1000 and one.endswith(".") for one in pieces)


@pytest.mark.asyncio
@pytest.mark.parametrize("unified", [False, True])
async def test_gryags_memories_are_seen_where_they_were_learned(
    take: Any, texts: Any, memory: Memory, tmp_path: Path, unified: bool
) -> None:
    report = await take("gryag", gryag_file(tmp_path / "gryag.db", unified=unified))
    mine = ["location: Київ", "Збирає марки"] if unified else [
        "location: Київ", "programming language: Python", "Збирає марки",
    ]  # fmt: skip
    assert await texts("123", "-1001") == mine
    assert await texts("7") == ([] if unified else ["drink: кава"])
    turn = Turn(platform="telegram", space="-1001", chat="-1001", user=7)
    (episode,) = (await memory.recall_episodes(turn=turn, query="весілля"))["episodes"]
    assert (episode["topic"], episode["importance"], sorted(episode["participants"])) == ("Весілля", 0.8, [7, 123])
    if not unified:
        assert {one["place"] for one in report["refused"]} == {"user_facts, id 2", "user_facts, id 5"}
        fact = (await memory.recall_facts(turn=Turn(platform="telegram", space="-1001", chat="-1001", user=123),
                                          user_id=123, search_query="Python"))["facts"][0]  # fmt: skip
        assert fact["confidence"] == 0.3


@pytest.mark.asyncio
async def test_a_langgraph_store_stays_reachable_by_its_keys(
    take: Any, texts: Any, memory: Memory, tmp_path: Path
) -> None:
    with SqliteStore.from_conn_string(str(tmp_path / "store.db")) as store:
        store.setup()
        store.put(("memories", "alex"), "one", {"text": "Likes tea"})
        store.put(("memories", "alex"), "two", {"food": "pizza", "stars": 5})
        store.put(("memories", "bob"), "one", {"text": "Likes coffee"})
        store.put(("memories", "bob"), "big", {"text": "x" * 1001})
    report = await take("langgraph", tmp_path / "store.db", named={"alex": "123", "bob": "7"})
    assert (report["added"], len(report["refused"])) == (3, 1)
    assert await texts("123") == ["text: Likes tea", '{"food": "pizza", "stars": 5}']
    turn = Turn(platform="telegram", space="123", chat="123", user=123, direct=True)
    moved = ZgadkaStore(memory, turn)
    item = await moved.aget(("memories", "alex"), "two")
    assert item is not None
    assert item.value == {"food": "pizza", "stars": 5}
    assert item.created_at < datetime.now(UTC)
    again = await take("langgraph", tmp_path / "store.db", named={"alex": "123", "bob": "7"})
    assert (again["added"], again["known"]) == (0, 3)
    await moved.aput(("memories", "alex"), "one", {"text": "Likes milk"})
    again = await take("langgraph", tmp_path / "store.db", named={"alex": "123", "bob": "7"})
    assert (again["added"], again["known"], again["conflicting"]) == (0, 2, 1)
