"""Tool calls as models make them: checked, counted, answered in time or put in line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar, cast

from zgadka.admission import Admission, Admitted, LateCall
from zgadka.embedding_worker import Embedding, meaning_of, with_meaning
from zgadka.errors import (
    ContentRefused,
    InvalidInput,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreLate,
    StoreReadOnly,
    StoreUncertain,
    StoreUnfinished,
    UnknownTool,
)
from zgadka.log import logger
from zgadka.model.people import Consent, Proposal
from zgadka.model.query_vector import Meaning
from zgadka.model.result import ToolResult, shown_in
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import consent
from zgadka.ops.access import as_read_now, ensure_space, find_many, speaker_of, with_readers
from zgadka.ops.content_policy import admit, kept_texts, screen
from zgadka.ops.late import refuse_late, refuse_off_record
from zgadka.ops.limits import RateLimited, count_call, count_calls, is_counted
from zgadka.ops.recall_gate import has_looked, note_look
from zgadka.ops.sources import messages_of_turn
from zgadka.ops.tasks import NewCall, QueueFull, Room, enqueue_calls
from zgadka.ops.trail import WRITTEN
from zgadka.settings import Settings
from zgadka.stores.executor import Store, Transactions
from zgadka.stores.reads import short_turns
from zgadka.stores.tx import ToolCall, Tx
from zgadka.text import mere_mentions, reply_words
from zgadka.text.canonical import shows_nothing
from zgadka.tools import serialize
from zgadka.tools.declare import Tool
from zgadka.tools.registry import Registry
from zgadka.usage_stats import Activity
from zgadka.worker import Worker

P = ParamSpec("P")
T = TypeVar("T")

_log = logger()

_CHANGED = ("success", "memory_created_successfully", "memory_updated_successfully")
_NO_REASON = "left out: it may not be kept"


class Calls:
    """Answers tool calls over one store.

    A call that did not begin in time never begins: one that adds something is put in line instead, durably, before the
    model is told so; of any other, the model is told that nothing happened. The first one hears that too where the
    queue is full, or where nothing could be written for seconds.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        tools: Registry,
        embedding: Embedding | None,
        worker: Worker,
        activity: Activity,
    ) -> None:
        self._store = self._patient_store = cast("Transactions", store)
        seconds = settings.memory_tool_queue_ms / 1000
        if settings.memory_tool_async:
            self._store = store.within(settings.memory_tool_timeout_ms / 1000)
            self._patient_store = store.within(settings.memory_tool_timeout_ms / 1000 + seconds)
        # What the worker does meanwhile would hold up those who are still to get in.
        self._admission = Admission(store, seconds, self._enqueue, begins=worker.rest, ends=worker.wake)
        self._room = Room()
        self._settings = settings
        self._tools = tools
        self._embedding = embedding
        self._worker = worker
        self._activity = activity

    async def answer(
        self, tool: Tool, arguments: Mapping[str, Any], turn: Turn, *, by_hand: bool = False, is_bound: bool = False
    ) -> ToolResult:
        """Answer one call, whatever happens.

        Args:
            by_hand: Whether the person does it themselves.
            is_bound: Whether it may change nothing beyond the turn's space.

        Raises:
            StoreClosed: The store is closed.
        """
        try:
            checked = _with_keepable_reason(self._settings, tool.check(_without_speaker(tool, arguments, turn)))
            texts = kept_texts(checked, tool.kept)
            if turn.text is not None and not tool.only_looks(checked):
                _refuse_off_record(tool, checked, turn.text)
            gives_order = admit(self._settings, *texts)
            try:
                because = WRITTEN if by_hand and tool.remembers else None
                result = await self._run(tool, checked, turn, because, is_bound=is_bound)
                return serialize.as_quotation(result) if gives_order and result.status in _CHANGED else result
            except StoreLate:
                # What is read later may be gone or private by then, and who agrees to a deletion must have seen the
                # question: only what adds something waits.
                if tool.read_only or tool.destructive:
                    raise
                return await self._put_in_line(tool, checked, turn)
        except StoreClosed:
            raise
        except Exception as error:  # noqa: BLE001  (the model gets an answer whatever happens; the operator gets the log)
            return _failure(tool, error)

    async def propose(self, number: int, turn: Turn) -> Proposal | None:
        """What the change that a question for consent is about would do now: it is tried, and taken back."""
        try:
            await self._store.write(consent.propose, turn, number, self._make_agreed)
        except consent.TriedChange as tried:
            return tried.proposal
        return None

    async def answer_consent(self, number: int, agrees: bool, turn: Turn, *, mark: int | None) -> ToolResult | None:
        """Answer a question for consent; see `Memory.answer_consent`."""
        try:
            return await self._worker.write(self._answer_consent, turn, number, agrees, mark)
        except consent.TriedChange as tried:
            message = "Nothing was changed: show the person what would be changed now, and answer with its mark."
            return ToolResult("confirmation_required", message, **tried.proposal.as_json())
        except InvalidInput as error:  # it cannot be done, now or later: nothing of it was, and nobody is asked again
            question = await self._store.write(consent.take_consent, turn, number)
            return None if question is None else ToolResult("invalid_args", str(error))

    def _answer_consent(self, tx: Tx, turn: Turn, number: int, agrees: bool, mark: int | None) -> ToolResult | None:
        question = consent.take_consent(tx, turn, number)
        if question is None:
            return None
        if not agrees:
            return ToolResult("cancelled", "Nothing was changed: the person does not want it.")
        result = self._make_agreed(tx, turn, question)
        consent.refuse_unseen(tx, turn, question, mark)
        return result

    def _make_agreed(self, tx: Tx, turn: Turn, question: Consent) -> ToolResult:
        tx.consented_by = frozenset({speaker_of(tx, turn)})
        turn = as_read_now(tx, question.turn)
        return run_tool(tx, self._tools[question.tool], question.arguments, turn, version=question.version)

    async def _run(
        self, tool: Tool, checked: Mapping[str, Any], turn: Turn, because: str | None, *, is_bound: bool
    ) -> ToolResult:
        meaning = await meaning_of(self._embedding, checked.get(tool.query), turn) if tool.query else None
        started = time.perf_counter()
        if tool.only_looks(checked):
            result = await self._look(tool, checked, turn, meaning)
            self._activity.timed("db_read", tool.name, "", time.perf_counter() - started)
            return result
        if turn.text is not None and tool.may_ask(checked) and not reply_words.is_loaded():
            await asyncio.to_thread(_load_words)  # or everybody's writes would wait for it
        looked = None if tool.look is None else await self._patient_store.read_long(tool.look, turn)
        result, unfinished = await self._store.write(
            _counted, turn, tool, checked, meaning, looked, because, is_bound=is_bound
        )
        if unfinished:
            counts = await self._worker.finish(unfinished)
            result = result if tool.finished is None else tool.finished(result, counts)
        self._activity.timed("db_write", tool.name, "", time.perf_counter() - started)
        return result

    async def _look(self, tool: Tool, checked: Mapping[str, Any], turn: Turn, meaning: Meaning | None) -> ToolResult:
        look = with_meaning(tool.function, meaning)
        read = self._patient_store.read_long if tool.is_long else self._store.read
        if self._settings.recall_first and tool.read_only:
            with suppress(StoreError):  # what only reads is answered while nothing can be written
                await self._store.write_soon(note_look, turn)
        if not is_counted(turn, self._settings, checked):
            return shown_in(self._settings.zone, await read(look, turn=turn, **checked))
        # The count need not be on disk before the answer, so the two run side by side.
        limited, result = await asyncio.gather(
            self._count(turn, checked),
            read(look, turn=turn, **checked),
        )
        return shown_in(self._settings.zone, result) if limited is None else _rate_limited(limited)

    async def _count(self, turn: Turn, checked: Mapping[str, Any]) -> RateLimited | None:
        """Count a call that only reads; while nothing can be written, it is answered all the same."""
        try:
            return await self._store.write_soon(count_call, turn, checked)
        except StoreClosed:
            raise
        except StoreError:
            return None

    def _enqueue(self, tx: Tx, calls: Sequence[LateCall], waits: bool) -> Sequence[Admitted | None]:
        """Count calls and enqueue them; None of those at whose spaces others are, unless these are to be waited for."""
        outcomes: dict[LateCall, Admitted | None] = dict.fromkeys(calls)
        held = _in_held_spaces(tx, calls, waits=waits)
        limits = count_calls(tx, [(call.turn, call.arguments) for call in held], use="changes")
        for call, limited in zip(held, limits, strict=True):
            outcomes[call] = _stopped(tx, call.turn, call.tool, limited)
        taken = [call for call in held if outcomes[call] is None]
        new = [NewCall(call.turn, call.tool.name, call.tool.version, call.arguments) for call in taken]
        outcomes |= zip(taken, enqueue_calls(tx, new, self._room), strict=True)
        return [*outcomes.values()]

    async def _put_in_line(self, tool: Tool, checked: Mapping[str, Any], turn: Turn) -> ToolResult:
        try:
            admitted = await self._admission.enqueue(LateCall(tool, checked, turn))
        except StoreLate:
            seconds = (self._settings.memory_tool_timeout_ms + self._settings.memory_tool_queue_ms) / 1000
            message = f"The memory has been busy for {seconds:g} s; nothing was changed. Try again later."
            return ToolResult("busy", message, waited_seconds=seconds)
        match admitted:
            case ToolResult() as stopped:
                return stopped
            case InvalidInput() as error:
                raise error
            case QueueFull(waiting, longest):
                seconds = round(longest.total_seconds(), 1)
                message = (
                    f"The memory is busy: its queue is full ({waiting:,} waiting, the first for {seconds:g} s). "
                    "Nothing was changed; try again later."
                )
                return ToolResult("busy", message, waiting=waiting, waited_seconds=seconds)
            case task:
                return ToolResult(
                    "queued",
                    "Taken on, and done as soon as possible. The result comes with the person's next message.",
                    task_id=task,
                )


def perform(tools: Registry, tx: Tx, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Do a call that was put in line; it was checked and counted then.

    Raises:
        UnknownTool: A newer version put it in line, and only that knows how.
    """
    tool = tools[payload["tool"]]
    if payload["version"] > tool.version:
        raise UnknownTool(f"{tool.name} is known up to version {tool.version}, not {payload['version']}")
    turn = as_read_now(tx, Turn.from_json(payload["turn"]))
    return dict(run_tool(tx, tool, payload["arguments"], turn, version=payload["version"]))


def run_tool(tx: Tx, tool: Tool, arguments: Mapping[str, Any], turn: Turn, *, version: int) -> ToolResult:
    """Run a tool within a transaction."""
    # What only reads or deletes is told all of the space.
    if tool.remembers or not all(map(shows_nothing, kept_texts(arguments, set(tool.kept) - {"reason"}))):
        turn = with_readers(tx, turn)
    tx.request, tx.turn = ToolCall(tool.name, version, arguments), turn
    result = tool.function(tx, turn=turn, **arguments)
    if result.status == "awaiting_consent":  # what is asked keeps the words of the message
        refuse_late(tx, turn, is_there=bool(messages_of_turn(tx, turn)))
    return shown_in(tx.settings.zone, result)


def _counted(
    tx: Tx,
    turn: Turn,
    tool: Tool,
    arguments: Mapping[str, Any],
    meaning: Meaning | None,
    looked: object,
    because: str | None,
    *,
    is_bound: bool,
) -> tuple[ToolResult, Sequence[Task]]:
    """Count a call that changes something, and run it; also what it leaves to do in other owners' rows."""
    if tool.foresee is not None:
        tool.foresee(tx, turn, arguments)
    stopped = _stopped(tx, turn, tool, count_call(tx, turn, arguments, use="changes"))
    if stopped is not None:
        return stopped, ()
    tx.meaning, tx.looked, tx.because, tx.is_bound = meaning, looked, because, is_bound
    return run_tool(tx, tool, arguments, turn, version=tool.version), tx.left


def _load_words() -> None:
    """Read the words by which people answer, and those by which what says a value is found."""
    with short_turns():
        reply_words.load()
        mere_mentions.load()


def _in_held_spaces(tx: Tx, calls: Sequence[LateCall], *, waits: bool) -> list[LateCall]:
    """Keep others from changing the spaces of calls; returns the calls at whose spaces nobody else is.

    Args:
        waits: Whether others are waited for.
    """
    find_many(tx, (call.turn for call in calls))
    spaces = {call: ensure_space(tx, call.turn) for call in calls}
    if not waits:
        free = tx.owners.hold_free(spaces.values())
        return [call for call in calls if spaces[call] in free]
    for space in sorted(set(spaces.values())):
        tx.owners.hold(space)
    return [*calls]


def _stopped(tx: Tx, turn: Turn, tool: Tool, limited: RateLimited | None) -> ToolResult | None:
    """What a call that changes something is answered where it may not be made now."""
    if limited is not None:
        return _rate_limited(limited)
    if tx.settings.recall_first and tool.remembers and not has_looked(tx, turn):
        return _look_first(tool)
    return None


def _without_speaker(tool: Tool, arguments: object, turn: Turn) -> object:
    """Leave out a `user_id` that the tool does not take where it names whom it is about anyway: who speaks."""
    if "user_id" in tool.names or not isinstance(arguments, Mapping):
        return arguments
    values = cast("Mapping[str, Any]", arguments)
    names_speaker = values.get("user_id") in (turn.user_number, str(turn.user_number))
    return {name: value for name, value in values.items() if name != "user_id"} if names_speaker else values


def _refuse_off_record(tool: Tool, checked: Mapping[str, Any], said: str) -> None:
    """Keep no text where the person asks that it be not remembered; to hide or delete something is as ever.

    Raises:
        ContentRefused: They do.
    """
    is_keeping = tool.remembers or {*tool.kept} - {"reason"}
    if is_keeping and not tool.may_ask(checked):
        refuse_off_record(said)


def _with_keepable_reason(settings: Settings, checked: dict[str, Any]) -> dict[str, Any]:
    """The arguments; a reason that may not be kept is left out, since a wish is not refused for how it is explained."""
    reason = checked.get("reason")
    return checked if reason is None or screen(settings, reason) is None else checked | {"reason": _NO_REASON}


def _look_first(tool: Tool) -> ToolResult:
    looks = {"facts": "recall_facts", "lean": "find"}.get(tool.set, "recall")
    return ToolResult(
        "look_first",
        f"Nothing was remembered. Look first whether it is known or contradicted: call {looks}, then call {tool.name} "
        "again if it is new. Without a look in this turn it is never remembered.",
        look_with=looks,
    )


def _failure(tool: Tool, error: Exception) -> ToolResult:
    """What a call that failed is answered."""
    match error:
        case ContentRefused():
            return serialize.not_remembered(error, tool.failed)
        case InvalidInput():
            return ToolResult(tool.failed + "invalid_args", str(error))
        case StoreBusy():
            return ToolResult("busy", "The memory is busy right now; nothing was changed. Try again later.")
        case StoreUnfinished():
            logged = "the store failed in the middle of %s"
            message = "This was begun and is not done everywhere yet; the rest follows by itself. Do not repeat it."
        case StoreUncertain():
            logged = "the store was lost in %s"
            message = (
                "The memory was lost in the middle of this; it may have been kept or not. Look before you repeat it."
            )
        case StoreReadOnly():
            logged = "%s changes what can only be read"
            message = "The memory can only be read here; nothing was changed. It can be looked up as always."
        case StoreError():
            logged, message = "the store failed in %s", "The memory cannot be reached right now; nothing was changed."
        case _:
            logged, message = "%s failed", "Something went wrong inside the memory; nothing was changed."
    _log.exception(logged, tool.name)
    status = f"{tool.failed}db_error" if tool.failed else "error"
    return ToolResult(status, message, **({"may_be_done": True} if isinstance(error, StoreUncertain) else {}))


def _rate_limited(limited: RateLimited) -> ToolResult:
    if limited.wait is None:
        message = f"Only {limited.limit} tool calls are allowed in one answer. Answer the person now."
        return ToolResult("rate_limited", message, limit=limited.limit, retry_after_seconds=0)
    seconds = max(1, round(limited.wait.total_seconds()))
    calls = "tool calls" if limited.use is None else f"{limited.use} of what is remembered about others"
    message = f"Only {limited.limit} {calls} an hour are allowed; the next in {seconds} s."
    return ToolResult("rate_limited", message, limit=limited.limit, retry_after_seconds=seconds)
