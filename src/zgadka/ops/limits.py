"""How often a person's turns may call tools, counted in rows: exact across processes and restarts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from zgadka.model.record import record
from zgadka.model.turn import Turn
from zgadka.ops.access import ensure_space, ensure_speaker, is_speaker
from zgadka.ops.resolve_name import resolve
from zgadka.settings import Settings
from zgadka.stores.tx import Tx

Use = Literal["reads", "changes"]

_NUMBERS = ("user_id", "related_user_id", "participant")
"""The arguments by which tools name people."""
_HOUR = 3_600_000_000
_DAY = 24 * _HOUR
"""In microseconds, as rows count them."""


@dataclass(frozen=True)
class RateLimited:
    """The call was one too many.

    Attributes:
        wait: Until the next call may succeed; None: in the answer to the person's next message.
        use: What of others' memories is limited. None: all calls are.
    """

    limit: int
    wait: timedelta | None
    use: Use | None = None


def is_counted(turn: Turn, settings: Settings, arguments: Mapping[str, Any]) -> bool:
    """Whether a call of this turn that only reads is counted at all."""
    by_answer = settings.calls_per_answer > 0 and turn.turn is not None
    by_hour = settings.calls_per_hour > 0 or settings.calls_per_space_hour > 0
    return by_answer or by_hour or (settings.reads_of_others_per_hour > 0 and _names_others(turn, arguments) > 0)


def count_call(
    tx: Tx, turn: Turn, arguments: Mapping[str, Any] | None = None, *, use: Use = "reads"
) -> RateLimited | None:
    """Count one tool call of the turn; None when it is allowed.

    Args:
        arguments: The call's, in which others may be named.
    """
    counters = _counters(tx, turn)
    counts = tx.limits.count_spans([counter.whose for counter in counters]) if counters else []
    for number, (counter, (calls, wait)) in enumerate(zip(counters, counts, strict=True), 1):
        if limited := counter.limited(calls, wait):
            # Counted together, to ask once; what is refused by one limit does not count for those after it.
            if after := [counter.whose for counter in counters[number:]]:
                tx.limits.count_spans(after, -1)
            return limited
    others = _counter_of_others(tx, turn, arguments or {}, use)
    return others and others.limited(*tx.limits.count_call(*others.whose, others.calls))


def count_calls(
    tx: Tx, calls: Sequence[tuple[Turn, Mapping[str, Any]]], *, use: Use = "reads"
) -> list[RateLimited | None]:
    """Count many calls as `count_call` does one after another, all that each is counted to at once."""
    outcomes: list[RateLimited | None] = [None] * len(calls)
    counting = {number: _all_counters(tx, turn, arguments, use) for number, (turn, arguments) in enumerate(calls)}
    while counting:
        counters = {number: counter for number, left in counting.items() if (counter := next(left, None)) is not None}
        counted = (
            tx.limits.count_calls((*counter.whose, counter.calls) for counter in counters.values()) if counters else []
        )
        for (number, counter), (total, wait) in zip(counters.items(), counted, strict=True):
            outcomes[number] = counter.limited(total, wait)
        counting = {number: counting[number] for number in counters if outcomes[number] is None}
    return outcomes


@record()
class _Counter:
    """What a call is counted to: the calls of a person or space in a span of so many microseconds.

    Attributes:
        calls: As how many it counts.
        ends: Whether the limit ends with time. False: with the person's next message.
    """

    owner: int
    span: str
    length: int
    limit: int
    calls: int = 1
    ends: bool = True
    use: Use | None = None

    @property
    def whose(self) -> tuple[int, str, int]:
        return self.owner, self.span, self.length

    def limited(self, total: int, wait: int) -> RateLimited | None:
        """That the call is one too many, if it is."""
        if total <= self.limit:
            return None
        return RateLimited(self.limit, timedelta(microseconds=wait) if self.ends else None, self.use)


def _counters(tx: Tx, turn: Turn) -> list[_Counter]:
    """What each call of a turn is counted to, in order; where one is exceeded, it is not counted to the others."""
    settings, counters = tx.settings, list[_Counter]()
    person = ensure_speaker(tx, turn)
    if settings.calls_per_answer and turn.turn is not None:
        counters.append(_Counter(person, turn_span("turn", turn), _DAY, settings.calls_per_answer, ends=False))
    if settings.calls_per_hour:
        counters.append(_Counter(person, "hour", _HOUR, settings.calls_per_hour))
    if settings.calls_per_space_hour and not turn.direct:
        counters.append(_Counter(ensure_space(tx, turn), "hour", _HOUR, settings.calls_per_space_hour))
    return counters


def _counter_of_others(tx: Tx, turn: Turn, arguments: Mapping[str, Any], use: Use) -> _Counter | None:
    """What a call that names others is counted to after that."""
    settings = tx.settings
    limit = settings.reads_of_others_per_hour if use == "reads" else settings.changes_of_others_per_hour
    if not limit or not (others := _names_others(turn, arguments)):
        return None
    others -= _names_speaker(tx, turn, arguments)
    return _Counter(ensure_speaker(tx, turn), f"{use} of others", _HOUR, limit, others, use=use) if others else None


def _all_counters(tx: Tx, turn: Turn, arguments: Mapping[str, Any], use: Use) -> Iterator[_Counter]:
    yield from _counters(tx, turn)
    if (others := _counter_of_others(tx, turn, arguments, use)) is not None:
        yield others


def _names_speaker(tx: Tx, turn: Turn, arguments: Mapping[str, Any]) -> bool:
    """Whether a call names the speaker by a name."""
    name = arguments.get("target_user")
    return isinstance(name, str) and getattr(resolve(tx, turn, name), "user", None) == turn.user_key


def _names_others(turn: Turn, arguments: Mapping[str, Any]) -> int:
    """How often a call names somebody else, or somebody by a name, who may be the speaker."""
    facts: Sequence[Mapping[str, Any]] = arguments.get("facts") or ()
    numbers = [arguments[name] for name in _NUMBERS if name in arguments]
    numbers += [fact.get("user_id") for fact in facts]
    others = len([number for number in numbers if type(number) is int and not is_speaker(turn, number)])
    return others + isinstance(arguments.get("target_user"), str)


def turn_span(purpose: str, turn: Turn) -> str:
    """What names a turn among those of its person."""
    # The lengths keep `a` + `b:c` apart from `a:b` + `c`.
    kind, space = turn.place
    return f"{purpose}:{kind}:{len(space)}:{space}:{len(turn.chat)}:{turn.chat}:{turn.turn or ''}"
