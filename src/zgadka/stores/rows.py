"""Between rows and values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from zgadka.model.heading import Heading
from zgadka.model.inference import AskedItem, Inferred, SaveQuestion
from zgadka.model.memory import Owner, Scope, StoredMemory
from zgadka.model.moments import micros, micros_or_none, moment, moment_or_none
from zgadka.model.people import Consent, Member
from zgadka.model.turn import Turn, person_number
from zgadka.stores.sql import MEMORY_COLUMNS

Value = str | int | float | bytes | None
Row = tuple[Any, ...]


def scope_parameters(scope: Scope) -> dict[str, Value]:
    """The scope as parameters of a query."""
    shared, lineage = scope.lineages
    return {"owner": scope.owner, "space": scope.space, "lineage": lineage, "shared": shared}


def place_parameters(scope: Scope, chat: str) -> dict[str, Value]:
    """A chat within a scope as parameters of a query."""
    return {"owner": scope.owner, "space": scope.space, "chat": chat}


def owner_of(row: Row) -> Owner:
    """The owner that a row holds."""
    return Owner(id=row[0], kind=row[1], platform=row[2], name=row[3])


def member_of(row: Row) -> Member:
    """The member that a row holds."""
    user, platform, name, nickname, kind, role, left_at = row
    return Member(
        user=user,
        number=person_number(platform, user),
        name=name,
        nickname=nickname,
        kind=kind,
        role=role,
        left_at=moment_or_none(left_at),
    )


def consent_of(row: Row) -> Consent:
    """The question for consent that a row holds."""
    number, asker, tool, version, arguments, turn, asked_at, expires_at = row
    return Consent(
        id=number,
        asker=asker,
        tool=tool,
        version=version,
        arguments=json.loads(arguments),
        turn=Turn.from_json(json.loads(turn)),
        asked_at=moment(asked_at),
        expires_at=moment(expires_at),
    )


def question_of(row: Row) -> SaveQuestion:
    """The question about uncertain memories that a row holds."""
    id_, turn, items, asked_at, expires_at, reminded_at = row[:6]
    return SaveQuestion(
        id=id_,
        turn=Turn.from_json(json.loads(turn)),
        items=tuple(AskedItem(item=Inferred(**one["item"]), state=one["state"]) for one in json.loads(items)),
        asked_at=moment(asked_at),
        expires_at=moment(expires_at),
        reminded_at=moment_or_none(reminded_at),
    )


def question_columns(question: SaveQuestion) -> dict[str, Value]:
    """The question as parameters of a query."""
    return {
        "id": question.id,
        "turn": turn_json(question.turn),
        "items": json.dumps([asdict(item) for item in question.items], ensure_ascii=False),
        "asked_at": micros(question.asked_at),
        "expires_at": micros(question.expires_at),
        "reminded_at": micros_or_none(question.reminded_at),
    }


def turn_json(turn: Turn) -> str:
    """The turn as JSON, for rows that outlive it."""
    return json.dumps(turn.as_json())  # what people wrote may not be storable as it is


def memory_of(row: Row) -> StoredMemory:
    """The memory that a row holds, whose first columns are `MEMORY_COLUMNS`."""
    # Recalling builds hundreds of them, and a frozen dataclass sets each field of its own by a slow call.
    memory = object.__new__(StoredMemory)
    fields = vars(memory)
    fields.update(zip(MEMORY_COLUMNS, row, strict=False))
    fields["tags"] = _tuple(fields["tags"])
    fields["permanent"] = fields["permanent"] != 0
    fields["archived"] = fields["archived"] != 0
    fields["created_at"] = moment(fields["created_at"])
    fields["updated_at"] = moment(fields["updated_at"])
    if fields["mutual"] is not None:
        fields["mutual"] = fields["mutual"] != 0
    if fields["valid_from"] is not None:
        fields["valid_from"] = moment(fields["valid_from"])
    if fields["valid_to"] is not None:
        fields["valid_to"] = moment(fields["valid_to"])
    fields["people"] = _tuple(fields["people"])
    fields["messages"] = _tuple(fields["messages"])
    return memory


def heading_of(memory: StoredMemory) -> Heading:
    """The memory without its texts."""
    return Heading(
        id=memory.id,
        kind=memory.kind,
        space=memory.space,
        lineage=memory.lineage,
        type=memory.type,
        confidence=memory.confidence,
        created=micros(memory.created_at),
        updated=micros(memory.updated_at),
        permanent=int(memory.permanent),
        importance=memory.importance,
        since=micros_or_none(memory.valid_from),
        until=micros_or_none(memory.valid_to),
        tags_json=_array(memory.tags),
        people_json=_array(memory.people) if memory.people else None,
    )


def _state(memory: StoredMemory) -> dict[str, Value]:
    return {
        "owner": memory.owner,
        "id": memory.id,
        "kind": memory.kind,
        "space": memory.space,
        "lineage": memory.lineage,
        "type": memory.type,
        "key": memory.key,
        "content": memory.content,
        "canonical": memory.canonical,
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "excerpt": memory.excerpt,
        "tags": _array(memory.tags),
        "permanent": int(memory.permanent),
        "archived": memory.id if memory.archived else 0,
        "version": memory.version,
        "said_by": memory.said_by,
        "created_at": micros(memory.created_at),
        "updated_at": micros(memory.updated_at),
        "topic": memory.topic,
        "importance": memory.importance,
        "valence": memory.valence,
        "chat": memory.chat,
        "mutual": None if memory.mutual is None else int(memory.mutual),
        "valid_from": micros_or_none(memory.valid_from),
        "valid_to": micros_or_none(memory.valid_to),
        "people": _array(memory.people) if memory.people else None,
        "messages": _array(memory.messages) if memory.messages else None,
    }


def _tuple(text: str | None) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text is not None and text != "[]" else ()


def _array(values: Sequence[str] | Sequence[int]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else "[]"


def columns(memory: StoredMemory, slot: bytes, words: Sequence[str]) -> dict[str, Value]:
    """The memory as parameters of a query, with what is derived from it."""
    state = _state(memory)
    state["slot"], state["words"], state["word_count"] = slot, " ".join(words), len(words)
    return state


def dump(memory: StoredMemory) -> str:
    """The memory as JSON, for the audit trail."""
    state = {name: value for name, value in _state(memory).items() if value is not None}
    del state["owner"], state["id"]
    return json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def load(owner: int, memory: int, text: str) -> StoredMemory:
    """The memory that `dump` wrote; what newer versions added is None."""
    state = cast("dict[str, Any]", json.loads(text)) | {"owner": owner, "id": memory}
    return memory_of(tuple(state.get(column) for column in MEMORY_COLUMNS))
