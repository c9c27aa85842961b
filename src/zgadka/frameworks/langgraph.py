"""A LangGraph store over the notes of the people whom the host names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from operator import eq, ge, gt, le, lt, ne
from typing import Any, assert_never, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.frameworks.names import item_name, item_text, item_value
from zgadka.frameworks.speaker import Speaker, turn_of
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import LimitReached, NoAccess
from zgadka.model.turn import Turn
from zgadka.ops.keyed_notes import hide, named_notes, put_named

Namespace = tuple[str, ...]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {"$eq": eq, "$ne": ne, "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_MOST = 50  # memories that one search by words finds, before namespace and filter


class ZgadkaStore(BaseStore):
    """Each item is a note of its person: in their export, under their limits, their privacy level and their `erase`.

    `delete` hides the note; it is gone for the graph, and `zgadka undo` brings it back: only the person deletes for
    good. Times to live and index settings are not supported; what is found by words is found as `recall` does.
    """

    def __init__(self, memory: Memory, speaker: Speaker[Namespace]) -> None:
        """Make the store; within the event loop in which the memory is open.

        Args:
            speaker: Whose notes they are: a turn, or a function that makes it from the namespace, or from the
                beginning of one that is searched.
        """
        self._memory = memory
        self._speaker = speaker
        self._loop = asyncio.get_running_loop()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, from another thread than the event loop's, such as a synchronous node's.

        Raises:
            InvalidInput: It was called in the event loop's own thread, which would wait for itself.
        """
        with suppress(RuntimeError):  # there is no loop in this thread
            if asyncio.get_running_loop() is self._loop:
                raise InvalidInput("use the store's asynchronous methods here: aget, aput, asearch, …")
        return asyncio.run_coroutine_threadsafe(self.abatch(ops), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations in order."""
        return [await self._do(op) for op in ops]

    async def _do(self, op: Op) -> Result:
        match op:
            case GetOp(namespace, key):
                return (await self._items(namespace)).get((*namespace, key))
            case PutOp(namespace, key, value):
                return await self._put(namespace, key, value)
            case SearchOp():
                return await self._search(op)
            case ListNamespacesOp():
                return await self._namespaces(op)
            case _:
                assert_never(op)

    async def _put(self, namespace: Namespace, key: str, value: Mapping[str, Any] | None) -> None:
        turn, name = self._turn(namespace), item_name(namespace, key)
        if value is None:
            await self._memory.apply(hide, turn, "item", name)
            return
        outcome = await self._memory.apply(put_named, turn, "item", name, item_text(value))
        if isinstance(outcome, NoAccess):
            raise InvalidInput(f"not kept: {outcome.reason}")
        if isinstance(outcome, LimitReached):
            count, limit = outcome.count, outcome.limit
            raise InvalidInput(f"not kept: {count} of {limit} notes exist already, and nothing is dropped to make room")

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        items = await self._items(prefix)
        fits = {
            item_name(item.namespace, item.key): item
            for path, item in items.items()
            if path[: len(prefix)] == prefix
            and all(_compares(item.value.get(field), want) for field, want in (op.filter or {}).items())
        }
        newest = sorted(fits, key=lambda name: fits[name].updated_at, reverse=True)
        scores = await self._similarities(prefix, op.query) if op.query else dict.fromkeys(newest)
        matches = [(fits[name], score) for name, score in scores.items() if name in fits]
        return [
            SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)
            for item, score in matches[op.offset : op.offset + op.limit]
        ]

    async def _similarities(self, prefix: Namespace, query: str) -> dict[str, float]:
        """How well items fit the words, by name, best first."""
        turn = self._turn(prefix)
        result = await self._memory.recall(turn=turn, query=query, limit=_MOST, kinds=["note"], scope="personal")
        if result.status != "success":
            raise InvalidInput(f"nothing was looked up ({result.status}): {result.message}")
        tagged = ((tag, memory["similarity"]) for memory in result["memories"] for tag in memory.get("tags", ()))
        return {tag.removeprefix("item:"): similarity for tag, similarity in tagged if tag.startswith("item:")}

    async def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        prefix = next((rule.path for rule in conditions if rule.match_type == "prefix" and "*" not in rule.path), ())
        items = await self._items(cast("Namespace", tuple(prefix)))
        listed = {
            item.namespace for item in items.values() if all(_matches(rule, item.namespace) for rule in conditions)
        }
        namespaces = sorted({namespace[: op.max_depth] for namespace in listed})
        return namespaces[op.offset : op.offset + op.limit]

    async def _items(self, namespace: Namespace) -> dict[Namespace, Item]:
        notes = await self._memory.look(named_notes, self._turn(namespace), "item")
        if isinstance(notes, NoAccess):
            return {}
        items = map(_item, notes.values(), notes)
        return {(*item.namespace, item.key): item for item in items if item is not None}

    def _turn(self, namespace: Namespace) -> Turn:
        return turn_of(self._speaker, tuple(namespace))


def _item(memory: StoredMemory, name: str) -> Item | None:
    try:
        *namespace, key = cast("list[str]", json.loads(name))
    except (ValueError, TypeError):
        return None  # a tag that only looks like a name
    value, at = item_value(memory.content), {"created_at": memory.created_at, "updated_at": memory.updated_at}
    return Item(value=value, key=key, namespace=tuple(namespace), **at)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    compared = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(compared) == len(path) and all(want in ("*", has) for want, has in zip(path, compared, strict=True))


def _compares(has: Any, want: Any) -> bool:
    if not (isinstance(want, Mapping) and any(str(name).startswith("$") for name in cast("Mapping[str, Any]", want))):
        return has == want
    conditions = cast("Mapping[str, Any]", want).items()
    if unknown := [name for name, _ in conditions if name not in _COMPARE]:
        raise InvalidInput(f"no operator {unknown[0]!r}; there are {', '.join(_COMPARE)}")
    return all((has is not None or name in ("$eq", "$ne")) and _COMPARE[name](has, right) for name, right in conditions)
