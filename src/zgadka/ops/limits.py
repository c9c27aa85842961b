"""How often a person's turns may call tools, counted in rows: exact across processes and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from zgadka.model.turn import Turn
from zgadka.ops.access import ensure_space, ensure_speaker
from zgadka.settings import Settings
from zgadka.stores.tx import Tx

_HOUR = 3_600_000_000
_DAY = 24 * _HOUR
"""In microseconds, as rows count them."""


@dataclass(frozen=True)
class RateLimited:
    """The call was one too many.

    Attributes:
        wait: Until the next call may succeed; None: in the answer to the person's next message.
    """

    limit: int
    wait: timedelta | None


def is_counted(turn: Turn, settings: Settings) -> bool:
    """Whether a call of this turn is counted at all."""
    by_answer = settings.calls_per_answer > 0 and turn.turn is not None
    return by_answer or settings.calls_per_hour > 0 or settings.calls_per_space_hour > 0


def count_call(tx: Tx, turn: Turn) -> RateLimited | None:
    """Count one tool call of the turn; None when it is allowed."""
    settings = tx.settings
    if not is_counted(turn, settings):
        return None
    person = ensure_speaker(tx, turn)
    if settings.calls_per_answer and turn.turn is not None:
        calls, _ = tx.limits.count_call(person, turn_span("turn", turn), _DAY)
        if calls > settings.calls_per_answer:
            return RateLimited(settings.calls_per_answer, None)
    per_space_hour = 0 if turn.direct else settings.calls_per_space_hour
    for limit, owner_of in ((settings.calls_per_hour, ensure_speaker), (per_space_hour, ensure_space)):
        if limit:
            calls, wait = tx.limits.count_call(owner_of(tx, turn), "hour", _HOUR)
            if calls > limit:
                return RateLimited(limit, timedelta(microseconds=wait))
    return None


def turn_span(purpose: str, turn: Turn) -> str:
    """What names a turn among those of its person."""
    # The lengths keep `a` + `b:c` apart from `a:b` + `c`.
    kind, space = turn.place
    return f"{purpose}:{kind}:{len(space)}:{space}:{len(turn.chat)}:{turn.chat}:{turn.turn or ''}"
