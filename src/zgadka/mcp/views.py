"""What an MCP client may read and insert: resources, resource templates and prompts, as plain values."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from zgadka.engine import Memory
from zgadka.model.memory import Event, StoredMemory
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import Grant
from zgadka.model.turn import Turn, person_number
from zgadka.ops.audit import tell
from zgadka.ops.list_memories import recent_memories, seen_memory
from zgadka.stores.tx import Tx
from zgadka.tools import serialize

_RECENT = 20
_WORDS = 500
_CONTEXT_TOKENS = 2000
_MEMORY = re.compile(r"memory://memories/([0-9]{1,16})")
_SEARCH = "memory://search/"


@dataclass(frozen=True)
class Script:
    """A prompt: what the person has the model do.

    Attributes:
        shows: The resource that is embedded after the text.
        arguments: As MCP declares them; there is one at most.
        more: Follows the text when the argument is given, which it has a place for.
    """

    name: str
    title: str
    description: str
    text: str
    shows: str | None = None
    arguments: Sequence[Mapping[str, Any]] = ()
    more: str = ""


_TABLES = tomllib.loads(files("zgadka.mcp").joinpath("views.toml").read_text("utf-8"))
GUIDANCE: str = _TABLES["guidance"]
RESOURCES: list[dict[str, Any]] = _TABLES["resources"]
TEMPLATES: list[dict[str, Any]] = _TABLES["templates"]
PROMPTS = tuple(Script(**{"text": GUIDANCE} | script) for script in _TABLES["prompts"])


async def read(memory: Memory, uri: str, turn: Turn, grant: Grant | None = None) -> tuple[str, str] | None:
    """The text behind a URI and its media type, as the speaker may see it here; None where there is nothing.

    Raises:
        NotAllowed: The connection's token is not for that.
    """
    if uri == "memory://profile":
        arguments = {"user_id": turn.user_number, "max_words": _WORDS}
        summed = await memory.call("generate_profile_summary", arguments, turn, is_request=True, grant=grant)
        return summed.get("summary") or summed.message or "", "text/plain"
    if uri == "memory://context":
        context = await memory.build_context(turn, _CONTEXT_TOKENS, query="", grant=grant)
        return context.text, "text/plain"
    if uri == "memory://recent":
        await memory.permit("recall", turn, grant)
        memories = await memory.look(recent_memories, turn, _RECENT)
        entries = await memory.look(_recent, memories)
        return _json({"count": len(entries), "memories": entries}), "application/json"
    if match := _MEMORY.fullmatch(uri):
        await memory.permit("history" if turn.direct else "recall", turn, grant)
        is_remembered = await memory.privacy(turn) is PrivacyLevel.MINIMAL
        if is_remembered and (told := await memory.look(tell, turn, int(match[1]))) is not None:
            return _json(await memory.look(_told, *told, turn)), "application/json"
        # The space's, as it is listed: whose history is nobody's alone.
        seen = await memory.look(seen_memory, turn, int(match[1]))
        return None if seen is None else (_json(await memory.look(_told, seen, [], turn)), "application/json")
    if uri.startswith(_SEARCH) and (query := unquote(uri.removeprefix(_SEARCH)).strip()):
        result = await memory.call("recall", {"query": query}, turn, is_request=True, grant=grant)
        return result.json(), "application/json"
    return None


def _recent(tx: Tx, memories: Sequence[StoredMemory]) -> list[dict[str, Any]]:
    return [
        serialize.memory(memory) | serialize.age(memory, tx.now) | {"updated_at": memory.updated_at.isoformat()}
        for memory in memories
    ]


def _told(tx: Tx, current: StoredMemory, events: list[Event], turn: Turn) -> dict[str, Any]:
    """A memory; with its history where the person is alone."""
    told = {"memory": serialize.memory(current) | serialize.age(current, tx.now)}
    if not turn.direct:
        return told
    return told | {
        "history": [
            {
                "number": event.number,
                "at": event.at.isoformat(),
                "by": person_number(turn.platform, event.actor),
                "action": event.action,
                "reason": event.reason,
                "before": None if event.before is None else event.before.text,
                "after": None if event.after is None else event.after.text,
            }
            for event in events
        ],
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
