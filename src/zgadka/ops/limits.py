"""How often a person's turns may call tools, counted in rows: exact across processes and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from zgadka.model.turn import Turn
from zgadka.ops.scopes import ensure_space
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
    per_answer, per_hour = tx.settings.calls_per_answer, tx.settings.calls_per_hour
    if not is_counted(turn, tx.settings):
        return None
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    if per_answer and turn.turn is not None:
        # The lengths keep `a` + `b:c` apart from `a:b` + `c`.
        kind, space = turn.place
        span = f"turn:{kind}:{len(space)}:{space}:{len(turn.chat)}:{turn.chat}:{turn.turn}"
        calls, _ = tx.count_call(person, span, _DAY)
        if calls > per_answer:
            return RateLimited(per_answer, None)
    if per_hour:
        calls, left = tx.count_call(person, "hour", _HOUR)
        if calls > per_hour:
            return RateLimited(per_hour, timedelta(microseconds=left))
    if tx.settings.calls_per_space_hour and not turn.direct:
        calls, left = tx.count_call(ensure_space(tx, turn), "hour", _HOUR)
        if calls > tx.settings.calls_per_space_hour:
            return RateLimited(tx.settings.calls_per_space_hour, timedelta(microseconds=left))
    return None
