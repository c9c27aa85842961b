"""Let a model talk through scenarios, with the real loop over a fresh memory, and note all that came of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from zgadka.assemble import open_memory
from zgadka.chat.loop import Conversation
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, extra_for
from zgadka.evals.lean import in_full_words
from zgadka.evals.scenario import SPACE, Exchange, Known, Scenario
from zgadka.model.memory import StoredMemory
from zgadka.model.people import Member
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.settings import Settings
from zgadka.stores.tx import Tx

if TYPE_CHECKING:
    from zgadka.evals.kept_talks import KeptTalks
    from zgadka.evals.listening import Listener, Model, Response

SETS = ("core", "facts", "episodes")
"""The tool sets that a model gets unless it is said otherwise."""

_PLATFORM = "eval"
_GROUP, _ELSEWHERE = "friends", "another place"
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""When every talk begins."""

_KNOWN_SINCE = timedelta(days=3)
_SAID_BEFORE = timedelta(hours=2)
# The clock stands still while a model thinks; no call is queued, however slow the machine is.
_SETTINGS = Settings(background=False, memory_tool_async=False, activity_days=0, query_ms=60_000)
_PROVIDER_FAILED = frozenset({"key", "unknown_model", "busy", "unreachable", "slow", "failed"})

Progress = Callable[[str, int], None]
"""Is told which scenario begins, and how many are behind."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A live memory.

    Attributes:
        of: The name of the person, or `space`.
        text: What it says, with a fact's key or an episode's topic, and the days in which it holds.
    """

    id: int
    of: str
    kind: str
    text: str
    version: int


@dataclass(frozen=True, kw_only=True)
class Made:
    """A call that a model made.

    Attributes:
        status: What it was answered; None: nothing, since the answer was cut short.
        raw: Whether the model made it before the host corrected it.
    """

    tool: str
    arguments: Mapping[str, Any]
    status: str | None
    raw: bool


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What came of one message.

    Attributes:
        raw: What the model said by itself, before the host corrected it.
        seen: What the person read.
        rows_before: The memories before it.
        rows_after: The memories after it.
        model_seconds: How long the model took of `seconds`.
    """

    exchange: Exchange
    raw: str
    seen: str
    calls: Sequence[Made]
    rows_before: Sequence[Row]
    rows_after: Sequence[Row]
    requests: int
    input_tokens: int
    output_tokens: int
    seconds: float
    model_seconds: float


@dataclass(frozen=True)
class Talk:
    """One scenario with one model.

    Attributes:
        broken: Why the model's provider gave no answer, so that nothing can be judged; None where it did.
    """

    scenario: Scenario
    answers: Sequence[Answered]
    broken: str | None = None


class _Result(NamedTuple):
    """What came of a call, and which response the model asked for it in."""

    response: int
    tool: str
    arguments: Mapping[str, Any]
    status: str


async def run_scenarios(
    scenarios: Sequence[Scenario],
    model_for: Callable[[Scenario], Model],
    *,
    sets: Sequence[str] = SETS,
    progress: Progress = lambda _, __: None,
    kept: KeptTalks | None = None,
) -> list[Talk]:
    """Let a model talk through the scenarios, one after another, each over a memory of its own.

    Args:
        model_for: Gives the model; it may be the same for all.
        sets: The tool sets that it gets.
        kept: Where talks of an earlier run are, and the new ones go.

    Raises:
        InvalidInput: Not one of the first scenarios got an answer.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    talks: list[Talk] = []
    runs: Counter[str] = Counter()
    for completed, scenario in enumerate(scenarios):
        progress(scenario.name, completed)
        run = runs[scenario.name]
        runs[scenario.name] += 1
        talk = None if kept is None else kept.find(scenario, run)
        if talk is None:
            talk = await talk_through(scenario, model_for(scenario), sets=sets)
            if kept is not None:
                kept.add(talk, run)
        talks.append(talk)
        if len(talks) >= 3 and all(talk.broken for talk in talks):
            raise InvalidInput(f"the model does not answer: {talks[-1].broken}")
    progress("done", len(scenarios))
    return talks


async def talk_through(scenario: Scenario, model: Model, *, sets: Sequence[str] = SETS) -> Talk:
    """Let a model talk through one scenario.

    Raises:
        InvalidInput: What the scenario knows before cannot be known so.
    """
    with extra_for("the evaluation of behaviour", "chat"):
        from zgadka.evals.listening import Listened, Listener  # noqa: PLC0415  (comes with an extra)

    stage = _Stage(scenario)
    listener = Listener()
    results: list[_Result] = []

    def note(_: Turn, tool: str, arguments: Mapping[str, Any], result: ToolResult) -> None:
        results.append(_Result(len(listener.responses) - 1, tool, arguments, result.status))

    async with open_memory("sqlite://:memory:", settings=_SETTINGS, clock=stage.clock) as memory:
        await stage.prepare(memory)
        conversation = Conversation(
            memory,
            Listened(model, listener),
            sets=sets,
            clock=stage.clock,
            heard=note,
        )
        known_tools = frozenset(tool.name for tool in memory.tools.select(*sets))
        answers: list[Answered] = []
        for exchange in scenario.exchanges:
            listener.start()
            results.clear()
            rows_before = await stage.rows(memory)
            turn = stage.says(exchange)
            started = time.perf_counter()
            async with aclosing(conversation.answer(exchange.says, turn)) as pieces:
                seen = "".join([piece async for piece in pieces])
            seconds = time.perf_counter() - started
            if broken := _broken(listener):
                return Talk(scenario, answers, broken)
            responses = _with_written(listener.responses, results)
            by_itself = _by_itself(responses)
            answers.append(
                Answered(
                    exchange=exchange,
                    raw="\n".join(response.text for response in by_itself if response.text),
                    seen=seen,
                    calls=_calls(
                        responses,
                        len(by_itself),
                        [result.status for result in results],
                        known_tools,
                        lambda tool, arguments, rows=rows_before, turn=turn: in_full_words(
                            tool, arguments, turn.user_number, _keys(rows)
                        ),
                    ),
                    rows_before=rows_before,
                    rows_after=await stage.rows(memory),
                    requests=len(listener.responses),
                    input_tokens=sum(response.input_tokens for response in listener.responses),
                    output_tokens=sum(response.output_tokens for response in listener.responses),
                    seconds=seconds,
                    model_seconds=sum(response.seconds for response in listener.responses),
                )
            )
    return Talk(scenario, answers)


def _broken(listener: Listener) -> str | None:
    """Why the provider failed; a model that talks nonsense is judged."""
    from zgadka.chat.agent import trouble_of  # noqa: PLC0415  (comes with an extra)

    for error in listener.errors:
        trouble, status = trouble_of(error)
        if trouble in _PROVIDER_FAILED:
            return trouble if status is None else f"{trouble} (HTTP {status})"
        if trouble == "inside":
            raise error
    return None


def _with_written(responses: Sequence[Response], results: Sequence[_Result]) -> list[Response]:
    """The responses, with the calls that a model wrote as text and the chat made as calls."""
    written = {index: [result for result in results if result.response == index] for index in range(len(responses))}
    return [
        replace(response, text="", calls=[(result.tool, result.arguments) for result in written[index]])
        if written[index] and not response.calls
        else response
        for index, response in enumerate(responses)
    ]


def _by_itself(responses: Sequence[Response]) -> Sequence[Response]:
    """What the model answered until it was done; what comes after that, the host asked it for."""
    done = next((index for index, response in enumerate(responses) if not response.calls), len(responses))
    return responses[: done + 1]


def _calls(
    responses: Sequence[Response],
    raw: int,
    statuses: Sequence[str],
    known_tools: frozenset[str],
    judged: Callable[[str, Mapping[str, Any]], tuple[str, Mapping[str, Any]]],
) -> list[Made]:
    """The calls with their statuses: those of tools that there are were answered one by one, in order."""
    waiting = iter(statuses)
    made: list[Made] = []
    for index, response in enumerate(responses):
        for tool, arguments in response.calls:
            status = next(waiting, None) if tool in known_tools else "unknown_tool"
            name, full = judged(tool, arguments)
            made.append(Made(tool=name, arguments=full, status=status, raw=index < raw))
    return made


def _keys(rows: Sequence[Row]) -> dict[int, str]:
    """The keys of the facts among the rows."""
    return {row.id: row.text.partition(": ")[0] for row in rows if row.kind == "fact"}


class _Stage:
    """Where a scenario takes place: its people, its clock, and what is known there."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._names = {str(number): name for name, number in scenario.people.items()}
        self._now = BEGIN
        self._turns = 0

    def clock(self) -> datetime:
        return self._now

    def says(self, exchange: Exchange) -> Turn:
        self._now += timedelta(minutes=exchange.later)
        return self._turn(exchange.speaker, direct=self._scenario.direct)

    async def prepare(self, memory: Memory) -> None:
        scenario = self._scenario
        for space in (_GROUP, _ELSEWHERE):
            for name, number in scenario.people.items():
                await memory.report_member(_PLATFORM, space, Member(user=str(number), number=number, name=name))
        await memory.apply(Tx.raise_id, "memory", scenario.first_id)
        self._now = BEGIN - _KNOWN_SINCE
        for memory_before in scenario.memories:
            await self._know(memory, memory_before)
        self._now = BEGIN - _SAID_BEFORE
        speaker = scenario.exchanges[0].speaker
        for message in scenario.earlier:
            self._now += timedelta(minutes=1)
            speaker = speaker if message.speaker == "assistant" else message.speaker
            role = "assistant" if message.speaker == "assistant" else "user"
            await memory.record(role, message.says, self._turn(speaker, direct=scenario.direct))
        for name, level in scenario.privacy.items():
            await memory.set_privacy(level, self._turn(name, direct=True))
        self._now = BEGIN

    async def rows(self, memory: Memory) -> list[Row]:
        return await memory.look(_live_rows, self._names)

    async def _know(self, memory: Memory, remembered: Known) -> None:
        direct = remembered.learned_in == "direct" or (remembered.learned_in == "here" and self._scenario.direct)
        turn = self._turn(
            remembered.of, direct=direct, space=_ELSEWHERE if remembered.learned_in == "elsewhere" else _GROUP
        )
        arguments = dict(remembered.arguments)
        parameters = {parameter.name for parameter in memory.tools[remembered.tool].parameters if parameter.required}
        usual = {"user_id": turn.user_number, "confidence": 0.9, "fact_type": "personal", "importance": 0.8}
        arguments = {name: value for name, value in usual.items() if name in parameters} | arguments
        result = await memory.call(remembered.tool, arguments, turn)
        if not result.status.endswith(("success", "successfully")):
            raise InvalidInput(f"{self._scenario.name}: {remembered.tool} {arguments} cannot be known: {result.json()}")

    def _turn(self, name: str, *, direct: bool, space: str = _GROUP) -> Turn:
        self._turns += 1
        number = str(self._scenario.people[name])
        return Turn(
            platform=_PLATFORM,
            space=number if direct else space,
            chat=number if direct else space,
            user=number,
            turn=f"turn-{self._turns}",
            message=f"message-{self._turns}",
            time=self._now,
            direct=direct,
        )


def _live_rows(tx: Tx, names: Mapping[str, str]) -> list[Row]:
    return [_row(tx, memory, names) for memory in tx.transfer.read(StoredMemory) if not memory.archived]


def _row(tx: Tx, memory: StoredMemory, names: Mapping[str, str]) -> Row:
    owner = tx.owners.get(memory.owner)
    head = memory.key or memory.topic or memory.type
    return Row(
        id=memory.id,
        of=names.get(owner.name, owner.name) if owner.kind == "person" else SPACE,
        kind=memory.kind,
        text=(memory.content if head is None else f"{head}: {memory.content}") + memory.span,
        version=memory.version,
    )
