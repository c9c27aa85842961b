"""How often a person's turns may call tools, counted in rows: exact across processes and restarts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

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
    settings = tx.settings
    person = ensure_speaker(tx, turn)
    spans: list[tuple[int, tuple[int, str, int]]] = []
    if settings.calls_per_answer and turn.turn is not None:
        spans.append((settings.calls_per_answer, (person, turn_span("turn", turn), _DAY)))
    if settings.calls_per_hour:
        spans.append((settings.calls_per_hour, (person, "hour", _HOUR)))
    if settings.calls_per_space_hour and not turn.direct:
        spans.append((settings.calls_per_space_hour, (ensure_space(tx, turn), "hour", _HOUR)))
    counts = tx.limits.count_spans([span for _, span in spans]) if spans else []
    for number, ((limit, (_, _, length)), (calls, wait)) in enumerate(zip(spans, counts, strict=True), 1):
        if calls > limit:
            # Counted together, to ask once; what is refused by one limit does not count for those after it.
            if after := [span for _, span in spans[number:]]:
                tx.limits.count_spans(after, -1)
            return RateLimited(limit, None if length == _DAY else timedelta(microseconds=wait))
    return _count_others(tx, turn, person, arguments or {}, use)


def _count_others(tx: Tx, turn: Turn, person: int, arguments: Mapping[str, Any], use: Use) -> RateLimited | None:
    settings = tx.settings
    limit = settings.reads_of_others_per_hour if use == "reads" else settings.changes_of_others_per_hour
    name = arguments.get("target_user")
    is_own_name = isinstance(name, str) and getattr(resolve(tx, turn, name), "user", None) == turn.user_key
    others = _names_others(turn, arguments) - is_own_name if limit else 0
    if not others:
        return None
    calls, wait = tx.limits.count_call(person, f"{use} of others", _HOUR, others)
    return RateLimited(limit, timedelta(microseconds=wait), use) if calls > limit else None


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
