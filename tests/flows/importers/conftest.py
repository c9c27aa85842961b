"""Samples as other programs write them, made by hand."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from zgadka import Memory, Turn
from zgadka.ops.list_memories import own_memories
from zgadka.transfer.external.apply import Target, import_from

Report = dict[str, Any]


@pytest.fixture
def take(memory: Memory, tmp_path: Path) -> Callable[..., Awaitable[Report]]:
    """Import a file, or what is to be in it: `await take("mem0", {…}, user="123")`; returns the report."""

    async def take_(source: str, given: Any, *, name: str = "", dry_run: bool = False, **whose: Any) -> Report:
        path = given
        if not isinstance(given, Path):
            path = tmp_path / (
                name or {"chatgpt": "conversations.json", "claude": "conversations.json"}.get(source, "f.json")
            )
            path.write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
        report = await import_from(memory, source, path, Target(**({"platform": "telegram", **whose})), dry_run=dry_run)
        return report.as_json()

    return take_


@pytest.fixture
def texts(memory: Memory) -> Callable[..., Awaitable[list[str]]]:
    """What is remembered of somebody, sorted: in their direct chat, or in a space."""

    async def texts_(user: str = "123", space: str | None = None) -> list[str]:
        place = space or user
        turn = Turn(platform="telegram", space=place, chat=place, user=user, direct=space is None)
        found = await memory.look(own_memories, turn)
        assert isinstance(found, list)
        return sorted(one.text for one in found)

    return texts_


def conversation(*said: tuple[str, Any], number: int = 1, at: float = 1_736_200_000) -> dict[str, Any]:
    """A conversation of ChatGPT's export: roles and texts, one node after another."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    parent = "root"
    for place, (role, text) in enumerate(said):
        content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
        message = {"id": f"n{place}", "author": {"role": role}, "create_time": at + place, "content": content}
        mapping[f"n{place}"] = {"id": f"n{place}", "message": message, "parent": parent, "children": []}
        parent = f"n{place}"
    return {"title": "A talk", "conversation_id": f"c{number}", "mapping": mapping, "current_node": parent}


def zipped(path: Path, **files: Any) -> Path:
    """An archive of JSON files, by name without `.json`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", content if isinstance(content, str) else json.dumps(content))
    return path


def gryag_file(path: Path, *, unified: bool = False) -> Path:
    """gryag's file: facts of the first versions, or of the one with a single table; memories; an episode."""
    with sqlite3.connect(path) as connection:
        if unified:
            connection.execute(
                "CREATE TABLE facts (id INTEGER PRIMARY KEY, entity_type TEXT, entity_id INTEGER, chat_context INTEGER,"
                " fact_category TEXT, fact_key TEXT, fact_value TEXT, confidence REAL, evidence_text TEXT,"
                " is_active INTEGER, created_at INTEGER, updated_at INTEGER)"
            )
            rows: list[tuple[Any, ...]] = [
                (1, "user", 123, -1001, "personal", "location", "Київ", 0.9, "Я з Києва", 1, 1700000000, 1700000000),
                (2, "chat", -1001, None, "tradition", "friday", "memes", 0.9, None, 1, 1700000000, 1700000000),
            ]
            connection.executemany("INSERT INTO facts VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", rows)
        else:
            connection.execute(
                "CREATE TABLE user_facts (id INTEGER PRIMARY KEY, user_id INTEGER, chat_id INTEGER, fact_type TEXT,"
                " fact_key TEXT, fact_value TEXT, confidence REAL, source_message_id INTEGER, evidence_text TEXT,"
                " is_active INTEGER, created_at INTEGER, updated_at INTEGER, last_mentioned INTEGER)"
            )
            rows = [
                (
                    1,
                    123,
                    -1001,
                    "personal",
                    "location",
                    "Київ",
                    0.9,
                    None,
                    "Я з Києва",
                    1,
                    1700000000,
                    1700000000,
                    None,
                ),
                (2, 123, -1001, "personal", "location", "Львів", 0.9, None, None, 0, 1600000000, 1600000000, None),
                (
                    3,
                    123,
                    -1001,
                    "skill",
                    "programming_language",
                    "Python",
                    0.3,
                    None,
                    None,
                    1,
                    1700000000,
                    1700000000,
                    1,
                ),
                (4, 7, 7, "preference", "drink", "кава", 1.0, None, None, 1, 1700000000, 1700000000, None),
                (5, 7, 7, "vibe", "aura", "9000", 1.0, None, None, 1, 1700000000, 1700000000, None),
            ]
            connection.executemany("INSERT INTO user_facts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
        connection.execute(
            "CREATE TABLE user_memories (id INTEGER PRIMARY KEY, user_id INTEGER, chat_id INTEGER, memory_text TEXT,"
            " created_at INTEGER, updated_at INTEGER)"
        )
        connection.execute("INSERT INTO user_memories VALUES (1, 123, -1001, 'Збирає марки', 1700000000, 1700000000)")
        connection.execute(
            "CREATE TABLE episodes (id INTEGER PRIMARY KEY, chat_id INTEGER, thread_id INTEGER, topic TEXT,"
            " summary TEXT, importance REAL, emotional_valence TEXT, message_ids TEXT, participant_ids TEXT, tags TEXT,"
            " created_at INTEGER)"
        )
        connection.execute(
            "INSERT INTO episodes VALUES (1, -1001, NULL, 'Весілля', 'Планували весілля.', 0.8, 'positive', '[1, 2]',"
            " '[123, 7]', '[\"весілля\"]', 1700000000)"
        )
    connection.close()
    return path
