"""The tool set `lean`: one verb each for keeping, finding and changing, for models with little room; with `forget`.

Each is another tool in fewer words: it chooses which one is meant and calls it, so whatever holds there holds here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from zgadka.errors import InvalidInput
from zgadka.extract.extraction import group_and_type
from zgadka.model.limits import LONGEST_KEY, LONGEST_VALUE
from zgadka.model.memory import ChangeReason, FactType, Kind, Scope, StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.access import hidden, reading_scope, space_scope
from zgadka.ops.content_policy import refuse_unkeepable, titled
from zgadka.ops.notes import is_long_term
from zgadka.stores.tx import Tx
from zgadka.tools import core, facts, notes, serialize
from zgadka.tools.declare import Length, Range, Tool

_CONFIDENCE = 0.9
_CHANGED: tuple[Kind, ...] = ("fact", "note")
_UPDATED, _FAILED = "memory_updated_successfully", "memory_update_failed_"
REASONS: dict[str, ChangeReason] = {"changed": "update", "wrong": "correction"}
"""What `because` is for `update_fact`."""
_SHOWN_ONCE = ("fact", "fact_id", "user_id")


def keep(
    tx: Tx,
    *,
    turn: Turn,
    content: Annotated[str, Length(1, LONGEST_VALUE)],
    fact_key: Annotated[str, Length(1, LONGEST_KEY)] | None = None,
    user_id: int | None = None,
) -> ToolResult:
    """Remember what the person stated themselves, in their own language and words; never your words or guesses.

    Args:
        content: With fact_key, the bare value; without, a short note
        fact_key: What the value is of them, one English word: name, job, location, hobby, pet, likes, …
        user_id: Only for somebody else here, with fact_key
    """
    if fact_key is None:
        if user_id not in (None, turn.user_number):
            raise InvalidInput("give fact_key as well: of somebody else only facts are kept")
        return core.remember(tx, turn=turn, content=content)
    name = facts.key_given(fact_key)
    result = facts.remember_fact(
        tx,
        turn=turn,
        user_id=turn.user_number if user_id is None else user_id,
        fact_type=group_and_type(name)[1],
        fact_key=name,
        fact_value=facts.value_given("content", content, name),
        confidence=_CONFIDENCE,
    )
    if result.status != "conflict":
        return _in_few_words(result)
    known = result["fact"]
    message = (
        f"Not kept: {known['key']} is known as {known['value']!r} (ID:{known['fact_id']}). "
        "If the person said that it changed, use change; else ask them."
    )
    return _in_few_words(result, message)


def find(
    tx: Tx,
    *,
    turn: Turn,
    query: Annotated[str, Length(1, 100_000)],
    user_id: int | None = None,
    limit: Annotated[int, Range(1, 50)] = 10,
    after: int | None = None,
) -> ToolResult:
    """Look up what is remembered, and what was said here. Use it before you answer from memory, or keep something.

    Args:
        query: What to look for, in any language
        user_id: Only for somebody else here
        limit: Max results (1-50, default 10)
        after: `after` of the last answer, to go on
    """
    return core.recall(tx, turn=turn, query=query, limit=limit, user_id=user_id, after=after)


def change(
    tx: Tx,
    *,
    turn: Turn,
    memory_id: Annotated[int, Range(1, 2**53 - 1)],
    content: Annotated[str, Length(1, LONGEST_VALUE)],
    because: Literal["changed", "wrong"],
    user_id: int | None = None,
) -> ToolResult:
    """Give a memory its new text: a fact the bare value, a note the whole text.

    Args:
        memory_id: N of ID:N, as shown
        content: The new text
        because: changed: the old one was true until now, and is kept as past; wrong: it never was
        user_id: Whose it is, if somebody else's
    """
    owner = turn.user_number if user_id is None else user_id
    memory = _told(tx, turn, memory_id, owner, is_other=user_id not in (None, turn.user_number))
    match memory:
        case NoAccess():
            return serialize.refused(memory)
        case StoredMemory(kind="fact", type=fact_type, key=fact_key) if fact_type and fact_key:
            refuse_unkeepable(tx.settings, titled(fact_key, content))  # the key may tell that it is a secret
            result = facts.update_fact(
                tx,
                turn=turn,
                user_id=owner,
                fact_type=cast("FactType", fact_type),
                fact_key=fact_key,
                new_value=facts.value_given("content", content, fact_key),
                confidence=_CONFIDENCE,
                change_reason=REASONS[because],
                fact_id=memory_id,
            )
        case StoredMemory():
            target = None if memory.owner == memory.space else str(owner)
            # A note that keep made has nothing to do with those that may be switched off.
            update = notes.update_long_term_memory if is_long_term(tx, memory) else notes.rewrite
            result = update(tx, turn=turn, memory_id=memory_id, memory_content=content, target_user=target)
        case None:
            return ToolResult("not_found", f"No fact or note ID:{memory_id} here. Nothing was changed; look with find.")
    if result.status != "conflict":
        return _in_few_words(result)
    if result["fact_id"] == memory_id:
        return _in_few_words(result, f"Not changed: ID:{memory_id} stands. Ask the person whom it is about.")
    return _in_few_words(result, f"Not changed: the same is known as ID:{result['fact_id']}. One of the two can go.")


def _told(tx: Tx, turn: Turn, memory_id: int, owner: int, *, is_other: bool) -> StoredMemory | NoAccess | None:
    """The fact or note of the owner, or of this place, where it may be told."""
    scopes = [reading_scope(tx, turn, owner), *([] if is_other else [space_scope(tx, turn)])]
    told = [scope for scope in scopes if isinstance(scope, Scope)]
    # `get_many`, since `get` would keep the rows of an owner from others whose memory it turns out not to be.
    rows = ((scope, tx.memories.get_many(scope.owner, [memory_id]).get(memory_id)) for scope in told)
    memory = next((row for scope, row in rows if row is not None and _may_change(tx, scope, row)), None)
    return memory or next((scope for scope in scopes if isinstance(scope, NoAccess)), None)


def _may_change(tx: Tx, scope: Scope, memory: StoredMemory) -> bool:
    return not memory.archived and memory.kind in _CHANGED and scope.shows(memory) and not hidden(tx, [memory])


def _in_few_words(result: ToolResult, message: str | None = None) -> ToolResult:
    """What another tool answered, as these tools say it: one name for ids, plain statuses."""
    status = "success" if result.status == _UPDATED else result.status.removeprefix(_FAILED)
    fields: dict[str, Any] = {name: value for name, value in result.items() if name not in ("status", "message")}
    if "fact_id" in fields:
        fields["memory_id"] = fields["fact_id"]
    for name in _SHOWN_ONCE:
        fields.pop(name, None)
    return ToolResult(status, message or result.message, **fields)


LEAN = (
    Tool(keep, set="lean", title="Keep", idempotent=True),
    Tool(find, set="lean", title="Find", read_only=True, idempotent=True),
    Tool(change, set="lean", title="Change", destructive=True, idempotent=True),
)
