"""Memory: the asynchronous face of the engine, one short method a verb."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from zgadka import telemetry
from zgadka.errors import InvalidInput, StoreBusy, StoreClosed, StoreError
from zgadka.model.memory import Event
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.people import Member, Message, Role
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops import audit, messages
from zgadka.ops.limits import RateLimited, count_call, is_counted
from zgadka.settings import Settings
from zgadka.stores.tx import ToolCall, Tx
from zgadka.tools import core, facts
from zgadka.tools.declare import Tool
from zgadka.tools.registry import REGISTRY, Registry

_log = logging.getLogger("zgadka")

P = ParamSpec("P")
T = TypeVar("T")

_TIDY_SECONDS = 600
_TIDY_ROWS = 500


class Store(Protocol):
    """What a back end offers the engine."""

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction; returns once it is on disk."""
        ...

    async def write_soon(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction that outlives this process, but perhaps not a power cut."""
        ...

    async def read(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation on one consistent snapshot of what is committed."""
        ...

    async def close(self) -> None:
        """Finish what waits, then close."""
        ...

    def inspect(self) -> dict[str, str]:
        """Versions, place and integrity, as text."""
        ...


class _Verb(Generic[P]):
    """A tool's function as a method of `Memory`: `await memory.remember_fact(turn=turn, user_id=1, …)`."""

    def __init__(self, function: Callable[Concatenate[Tx, P], ToolResult]) -> None:
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, memory: None, kind: type[Memory]) -> _Verb[P]: ...
    @overload
    def __get__(self, memory: Memory, kind: type[Memory]) -> Callable[P, Awaitable[ToolResult]]: ...
    def __get__(self, memory: Memory | None, kind: type[Memory]) -> Any:
        if memory is None:
            return self

        async def verb(*, turn: Turn, **arguments: Any) -> ToolResult:
            return await memory.call(self._name, arguments, turn)

        verb.__name__ = self._name
        verb.__doc__ = self.__doc__
        return verb


class Memory:
    """Long-term memory over one store; `open_memory` makes it.

    Safe to use from many tasks of one event loop. Every method that takes a `turn` acts for its speaker.

    Attributes:
        settings: What the operator set.
        tools: Every tool, by name and by set.
    """

    remember = _Verb(core.remember)
    recall = _Verb(core.recall)
    forget = _Verb(core.forget)
    remember_fact = _Verb(facts.remember_fact)
    recall_facts = _Verb(facts.recall_facts)
    update_fact = _Verb(facts.update_fact)
    merge_facts = _Verb(facts.merge_facts)
    forget_fact = _Verb(facts.forget_fact)

    def __init__(self, store: Store, settings: Settings, tools: Registry = REGISTRY) -> None:
        self._store = store
        self.settings = settings
        self.tools = tools
        self._tidier: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Memory:
        self._tidier = asyncio.create_task(self._keep_tidy(), name="zgadka-tidy")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what waits, then close the store; a second call does nothing."""
        if self._tidier is not None:
            self._tidier.cancel()
            with suppress(asyncio.CancelledError):
                await self._tidier
            self._tidier = None
        await self._store.close()

    async def call(self, name: str, arguments: Mapping[str, Any], turn: Turn) -> ToolResult:
        """Call a tool as a model does; every mistake is an answer that the model can act on.

        Args:
            name: The tool's name.
            arguments: What the model passed, from JSON; checked here, whatever the provider promised.
            turn: Who speaks, built from the platform's event.

        Raises:
            StoreClosed: The memory is closed.
        """
        started = time.perf_counter()
        try:
            tool = self.tools[name]
        except InvalidInput as error:
            return ToolResult("invalid_args", str(error))
        result = await self._answer(tool, arguments, turn)
        telemetry.count_call(tool.name, result.status, (time.perf_counter() - started) * 1000)
        return result

    async def history(self, memory_id: int, turn: Turn) -> list[Event]:
        """The audit trail of one of the speaker's memories, oldest first; empty when it cannot be seen here."""
        return await self._store.read(audit.history, turn, memory_id)

    async def undo(self, memory_id: int, turn: Turn) -> Changed | NotFound | Conflict | Refused:
        """Take back the last change of one of the speaker's memories, and what was changed together with it."""
        return await self._store.write(audit.undo, turn, memory_id)

    async def record(self, role: Role, text: str, turn: Turn) -> int:
        """Keep one message of the chat; returns its id."""
        return await self._store.write(messages.record, turn, role, text)

    async def recent(self, turn: Turn, limit: int = 20) -> list[Message]:
        """The last messages of the turn's chat and thread, oldest first."""
        return await self._store.read(messages.recent, turn, limit)

    async def report_member(self, platform: str, space: str, member: Member) -> None:
        """Keep what the host knows of a member of a space; a later report replaces it."""
        await self._store.write(messages.report_member, platform, space, member)

    async def look(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading operation of one's own on one consistent snapshot; for operators."""
        return await self._store.read(operation, *args, **kwargs)

    async def apply(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run an operation of one's own in a transaction; for operators."""
        return await self._store.write(operation, *args, **kwargs)

    def inspect(self) -> dict[str, str]:
        """The store's versions, place and integrity, as text; for operators."""
        return self._store.inspect()

    async def tidy(self) -> int:
        """Drop what is past its time; returns how many memories' texts left the audit trail."""
        dropped = 0
        while True:
            step = await self._store.write(Tx.drop_expired, _TIDY_ROWS)
            dropped += step
            if step < _TIDY_ROWS:
                return dropped

    async def _answer(self, tool: Tool, arguments: Mapping[str, Any], turn: Turn) -> ToolResult:
        try:
            checked = tool.check(arguments)
            if not tool.read_only:
                return await self._store.write(_counted, turn, tool, checked)
            if not is_counted(turn, self.settings.calls_per_answer, self.settings.calls_per_hour):
                return await self._store.read(tool.function, turn=turn, **checked)
            # The count need not be on disk before the answer, so the two run side by side.
            limited, result = await asyncio.gather(
                self._store.write_soon(count_call, turn),
                self._store.read(tool.function, turn=turn, **checked),
            )
            return result if limited is None else _rate_limited(limited)
        except InvalidInput as error:
            return ToolResult(tool.failed + "invalid_args", str(error))
        except StoreClosed:
            raise
        except StoreBusy:
            return ToolResult("busy", "The memory is busy right now; nothing was changed. Try again later.")
        except StoreError:
            _log.exception("the store failed in %s", tool.name)
            return ToolResult(_error(tool), "The memory cannot be reached right now; nothing was changed.")
        except Exception:  # noqa: BLE001  (the model gets an answer whatever happens; the operator gets the log)
            _log.exception("%s failed", tool.name)
            return ToolResult(_error(tool), "Something went wrong inside the memory; nothing was changed.")

    async def _keep_tidy(self) -> None:
        while True:
            try:
                await self.tidy()
            except StoreError:
                _log.warning("could not drop what is past its time; trying again in %d s", _TIDY_SECONDS)
            await asyncio.sleep(_TIDY_SECONDS)


def _counted(tx: Tx, turn: Turn, tool: Tool, arguments: dict[str, Any]) -> ToolResult:
    limited = count_call(tx, turn)
    tx.request = ToolCall(tool.name, tool.version, arguments)
    return tool.function(tx, turn=turn, **arguments) if limited is None else _rate_limited(limited)


def _error(tool: Tool) -> str:
    return f"{tool.failed}db_error" if tool.failed else "error"


def _rate_limited(limited: RateLimited) -> ToolResult:
    if limited.wait is None:
        message = f"Only {limited.limit} tool calls are allowed in one answer. Answer the person now."
        return ToolResult("rate_limited", message, limit=limited.limit, retry_after_seconds=0)
    seconds = max(1, round(limited.wait.total_seconds()))
    message = f"Only {limited.limit} tool calls an hour are allowed; the next in {seconds} s."
    return ToolResult("rate_limited", message, limit=limited.limit, retry_after_seconds=seconds)
