"""gryag, a Telegram bot: the facts, memories and episodes of its SQLite file, of any of its versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from zgadka.errors import InvalidInput
from zgadka.transfer.external.entries import Entry, PastFact, PastNote, PastTalk, Unusable, moment, written_at
from zgadka.transfer.external.files import database, rows, tables

_VALENCES = ("positive", "negative", "neutral", "mixed")
_Row = Mapping[str, Any]


def read_gryag(path: Path) -> Iterator[Entry]:
    """The facts that still hold, the memories of later versions, and the episodes; each where it was learned."""
    with database(path) as connection:
        if not tables(connection) & {"user_facts", "facts", "user_memories", "episodes"}:
            raise InvalidInput(f"{str(path)!a} has none of gryag's tables user_facts, facts, user_memories, episodes")
        for row in rows(connection, "user_facts"):
            yield _fact(f"user_facts, id {row.get('id')}", row, row.get("user_id"), row.get("fact_type"))
        for row in rows(connection, "facts"):  # the version that kept what is known of chats in the same table
            if row.get("entity_type") == "user":
                yield _fact(f"facts, id {row.get('id')}", row, row.get("entity_id"), row.get("fact_category"))
        for row in rows(connection, "user_memories"):
            yield _memory(row)
        for row in rows(connection, "episodes"):
            yield _episode(row)


def _fact(location: str, row: _Row, user: Any, kind: Any) -> Entry:
    if row.get("is_active") == 0:
        return Unusable(location=location, reason="it was outdated there")
    if user is None or not all(isinstance(row.get(name), str) for name in ("fact_key", "fact_value")):
        return Unusable(location=location, reason="it has no person, key or value")
    confidence = row.get("confidence")
    excerpt = row.get("evidence_text")
    return PastFact(
        location=location,
        user=str(user),
        space=_space(row),
        at=written_at(row),
        type=str(kind),
        key=row["fact_key"],
        value=row["fact_value"],
        confidence=float(confidence) if isinstance(confidence, int | float) else 1.0,
        excerpt=excerpt if isinstance(excerpt, str) and excerpt.strip() else None,
    )


def _memory(row: _Row) -> Entry:
    location, user, text = f"user_memories, id {row.get('id')}", row.get("user_id"), row.get("memory_text")
    if user is None or not isinstance(text, str):
        return Unusable(location=location, reason="it has no person or no text")
    return PastNote(location=location, user=str(user), space=_space(row), at=written_at(row), text=text)


def _episode(row: _Row) -> Entry:
    location, space, importance = f"episodes, id {row.get('id')}", _space(row), row.get("importance")
    if space is None or not all(isinstance(row.get(name), str) for name in ("topic", "summary")):
        return Unusable(location=location, reason="it has no chat, topic or summary")
    return PastTalk(
        location=location,
        space=space,
        at=moment(row.get("created_at")),
        topic=row["topic"],
        summary=row["summary"],
        importance=float(importance) if isinstance(importance, int | float) else 0.5,
        valence=row["emotional_valence"] if row.get("emotional_valence") in _VALENCES else "neutral",
        tags=tuple(str(tag) for tag in _listed(row.get("tags"))),
        people=tuple(str(user) for user in _listed(row.get("participant_ids"))),
    )


def _space(row: _Row) -> str | None:
    chat = row.get("chat_id", row.get("chat_context"))
    return None if chat is None else str(chat)


def _listed(text: Any) -> list[Any]:
    try:
        value: Any = json.loads(text) if isinstance(text, str) else []
    except (ValueError, RecursionError):
        return []
    return cast("list[Any]", value) if isinstance(value, list) else []
