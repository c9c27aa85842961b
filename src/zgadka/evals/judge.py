"""Judge what came of a scenario: each thing that it asks for is one check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from zgadka.evals.behaviour import Answered, Made, Row, Talk
from zgadka.evals.scenario import SETS_OF_TOOLS, CallPattern, RowPattern, Saying, Scenario, denies
from zgadka.telemetry import FAILED

CheckKind = Literal["calls", "never", "looks first", "said", "unsaid", "claim", "untrue", "left", "gone", "same"]
_MISTAKEN = (
    "unknown_tool",
    "invalid_args",
    "not_found",
    "invalid_target",
    "user_not_found",
    "rate_limited",
    "look_first",
)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that a scenario asks for, and whether it was so.

    Attributes:
        turn: Which message, from 1 on.
        about: What was asked for, as the scenario has it.
        raw: Whether the model did so by itself.
        seen: Whether it was so in the end, with what the host corrected: what the person read, what is stored.
    """

    turn: int
    kind: CheckKind
    about: str
    raw: bool
    seen: bool

    @property
    def failed(self) -> bool:
        """Whether it was not so, be it that the host put it right."""
        return not (self.raw and self.seen)


@dataclass(frozen=True)
class Verdict:
    """How a model did in a scenario."""

    talk: Talk
    checks: Sequence[Check]

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self.talk.scenario

    @property
    def passed(self) -> bool:
        """Whether the model did all right, by itself."""
        return not self.failed

    @property
    def passed_seen(self) -> bool:
        """Whether all was right in the end, with what the host corrected."""
        return all(check.seen for check in self.checks)

    @property
    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if check.failed]


def judge(talk: Talk) -> Verdict:
    """Judge one talk."""
    return Verdict(talk, [check for n, answered in enumerate(talk.answers, 1) for check in _checks(n, answered)])


def succeeded(call: Made) -> bool:
    """Whether a call was one that could be answered: no mistake of the model's, and no failure."""
    return call.status is not None and call.status not in FAILED and not call.status.endswith(_MISTAKEN)


def looked_first(answered: Answered) -> bool | None:
    """Whether the model looked at what is known before it stored something; None where it stored nothing."""
    tools = [call.tool for call in answered.calls]
    first_write = next((index for index, tool in enumerate(tools) if tool in SETS_OF_TOOLS["keeps"]), None)
    return None if first_write is None else any(tool in SETS_OF_TOOLS["looks"] for tool in tools[:first_write])


def fits(row: Row, pattern: RowPattern) -> bool:
    """Whether a memory is one that is meant."""
    return (
        pattern.of in ("anybody", row.of)
        and pattern.kind in (None, row.kind)
        and pattern.like.search(row.text) is not None
    )


_Finding = tuple[CheckKind, str, bool, bool]
"""A check without its turn: kind, about, raw, seen."""


def _checks(turn: int, answered: Answered) -> Iterator[Check]:
    for findings in (_call_findings(answered), _text_findings(answered), _row_findings(answered)):
        for kind, about, raw, seen in findings:
            yield Check(turn=turn, kind=kind, about=about, raw=raw, seen=seen)


def _call_findings(answered: Answered) -> Iterator[_Finding]:
    raw, exchange = _raw_calls(answered), answered.exchange
    for pattern in exchange.calls:
        yield "calls", pattern.text, _called(raw, pattern), _called(answered.calls, pattern)
    for pattern in exchange.never:
        yield "never", pattern.text, not _meant(raw, pattern), not _meant(answered.calls, pattern)
    if exchange.looks_first:
        looked = looked_first(answered) is not False
        yield "looks first", "", looked, looked


def _text_findings(answered: Answered) -> Iterator[_Finding]:
    exchange = answered.exchange
    for saying in exchange.phrases:
        yield "said", saying.text, saying.is_said(answered.raw), saying.is_said(answered.seen)
    for saying in exchange.unsaid:
        yield "unsaid", saying.text, not saying.is_said(answered.raw), not saying.is_said(answered.seen)
    for saying in exchange.untrue:
        yield "untrue", saying.text, not saying.is_said(answered.raw), not _misleads(saying, answered)
    for saying in exchange.claim:
        yield "claim", saying.text, *_true(saying, answered)


def _row_findings(answered: Answered) -> Iterator[_Finding]:
    exchange, rows = answered.exchange, answered.rows_after
    for pattern in exchange.remaining:
        matching = sum(fits(row, pattern) for row in rows)
        is_right = 1 <= matching <= (pattern.limit or matching)
        yield "left", pattern.text, is_right, is_right
    for pattern in exchange.gone:
        is_gone = not any(fits(row, pattern) for row in rows)
        yield "gone", pattern.text, is_gone, is_gone
    if exchange.same:
        is_same = answered.rows_before == rows
        yield "same", "", is_same, is_same


def _raw_calls(answered: Answered) -> list[Made]:
    return [call for call in answered.calls if call.raw]


def _true(saying: Saying, answered: Answered) -> tuple[bool, bool]:
    def done(calls: Sequence[Made]) -> bool:
        return all(
            any(pattern.status is not None or _took_effect(call) for call in _meant(calls, pattern))
            for pattern in answered.exchange.calls
        )

    return (
        done(_raw_calls(answered)) or not saying.is_said(answered.raw),
        done(answered.calls) or not _misleads(saying, answered),
    )


def _took_effect(call: Made) -> bool:
    """Whether what the call asked for is so now; what was known already is."""
    return (call.status or "").endswith(("success", "successfully", "skipped", "skipped_duplicate", "deleted"))


def _misleads(saying: Saying, answered: Answered) -> bool:
    """Whether the person is left with what was said: what was shown cannot be unsaid, but taken back."""
    if not saying.is_said(answered.seen):
        return False
    added = answered.seen.removeprefix(answered.raw).strip()
    correction = added.splitlines()[-1] if added and added != answered.seen.strip() else ""
    return not denies(correction) or saying.is_said(correction)


def _called(calls: Iterable[Made], pattern: CallPattern) -> bool:
    matching = _meant(calls, pattern)
    return 1 <= len(matching) <= (pattern.limit or len(matching))


def _meant(calls: Iterable[Made], pattern: CallPattern) -> list[Made]:
    return [
        call
        for call in calls
        if call.tool in pattern.tools
        and all(value.search(_written(call.arguments.get(name))) for name, value in pattern.arguments.items())
        and (pattern.status is None or pattern.status.search(call.status or ""))
    ]


def _written(value: object) -> str:
    """An argument as text; empty where it was not given."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
