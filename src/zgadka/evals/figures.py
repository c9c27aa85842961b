"""The figures of how a model manages memory, each with how sure it is: averages, shares, and what they should be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from zgadka.chat.prompt import message_prompt, persona, system_prompt
from zgadka.evals.behaviour import BEGIN, Answered, Talk
from zgadka.evals.judge import Check, Verdict, fits, judge, looked_first, succeeded
from zgadka.evals.metrics import Estimate, estimate, proportion, quantile
from zgadka.evals.scenario import GROUPS
from zgadka.settings import Settings
from zgadka.tools.registry import REGISTRY

Name = Literal[
    "scenarios passed",
    "right in the end",
    "tools used",
    "looked first",
    "duplicates",
    "episodes",
    "calls succeeded",
    "false claims",
    "false claims left",
    "calls",
    "requests",
    "input tokens",
    "output tokens",
    "seconds",
    "seconds p95",
    "memory seconds",
]
MEANINGS: Mapping[Name, str] = {
    "scenarios passed": "scenarios in which the model did everything right by itself",
    "right in the end": "scenarios in which all was right after the chat had corrected the model",
    "tools used": "messages that call for a tool, to which the model called one",
    "looked first": "answers that stored something, in which the model first looked at what is known",
    "duplicates": "new memories that say what another one says",
    "episodes": "important talks of which an episode was made",
    "calls succeeded": "calls without a mistake in arguments, ids or order, and without a failure",
    "false claims": "answers that claimed what was not done, of those where the scenario looks for it",
    "false claims left": "the same, where the person was left with it",
    "calls": "tool calls for each answer",
    "requests": "requests to the model for each answer",
    "input tokens": "tokens that the model read for each answer, by its provider's count",
    "output tokens": "tokens that the model wrote for each answer",
    "seconds": "seconds for each answer",
    "seconds p95": "seconds that 95 % of the answers took at most",
    "memory seconds": "seconds of each answer that were not the model's",
}
GOALS: Mapping[Name, tuple[Literal["at least", "below"], float]] = {
    "tools used": ("at least", 0.7),
    "looked first": ("at least", 0.8),
    "duplicates": ("below", 0.05),
    "episodes": ("at least", 0.4),
    "calls succeeded": ("at least", 0.9),
}
"""The success criteria that users wrote down (seeds/003)."""

SHARES: tuple[Name, ...] = (
    "scenarios passed",
    "right in the end",
    "tools used",
    "looked first",
    "duplicates",
    "episodes",
    "calls succeeded",
    "false claims",
    "false claims left",
)
"""The figures that are shares; the others are amounts."""


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        count: Of how many cases; nothing is known of 0.
    """

    value: Estimate
    count: int

    def reaches(self, name: Name) -> bool | None:
        """Whether it is as good as it should be; None where nothing was asked for, or nothing is known."""
        if name not in GOALS or not self.count:
            return None
        side, goal = GOALS[name]
        return self.value.mean >= goal if side == "at least" else self.value.mean < goal


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a model did in one scenario.

    Attributes:
        runs: How many times it was talked through.
        passed: In how many of them the model did everything right by itself.
        corrected: In how many more all was right in the end.
        failed: The checks that failed, and how many times.
    """

    runs: int
    passed: int
    corrected: int
    failed: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How a model manages memory.

    Attributes:
        groups: Scenarios passed, by group.
        scenarios: By name.
        broken: Scenarios to which the provider gave no answer, and why.
    """

    model: str
    figures: Mapping[Name, Figure]
    groups: Mapping[str, Figure]
    scenarios: Mapping[str, Outcome]
    broken: Mapping[str, str]


def measure_behaviour(model: str, talks: Iterable[Talk]) -> Behaviour:
    """Judge the talks of one model and count."""
    talked = list(talks)
    verdicts = [judge(talk) for talk in talked if talk.broken is None]
    groups = {group: [verdict for verdict in verdicts if verdict.scenario.group == group] for group in GROUPS}
    by_name: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.scenario.name, []).append(verdict)
    return Behaviour(
        model=model,
        figures=_figures(verdicts),
        groups={group: _share(verdict.passed for verdict in ones) for group, ones in groups.items() if ones},
        scenarios={name: _outcome(ones) for name, ones in by_name.items()},
        broken={talk.scenario.name: talk.broken for talk in talked if talk.broken is not None},
    )


def prompts_version(sets: Sequence[str]) -> str:
    """The hash of all that a model is told whatever is said: prompts in both languages, and declarations of tools."""
    tools = REGISTRY.select(*sets)
    prompts = [
        system_prompt(language, persona_text=persona(), tools=tools, settings=Settings())
        + message_prompt(language, "", user_id=1, now=BEGIN, context="")
        for language in ("en", "uk")
    ]
    declared = [[tool.name, tool.description, tool.schema] for tool in tools]
    return sha256(json.dumps([prompts, declared], ensure_ascii=False).encode()).hexdigest()[:12]


def _figures(verdicts: Sequence[Verdict]) -> dict[Name, Figure]:
    answers = [answered for verdict in verdicts for answered in verdict.talk.answers]
    calls = [call for answered in answers for call in answered.calls]
    looked = [looked_before for answered in answers if (looked_before := looked_first(answered)) is not None]
    claims = [(turn.raw, turn.seen) for verdict in verdicts for turn in _claims(verdict)]
    figures: dict[Name, Figure] = {
        "scenarios passed": _share(verdict.passed for verdict in verdicts),
        "right in the end": _share(verdict.passed_seen for verdict in verdicts),
        "tools used": _share(bool(answered.calls) for answered in answers if answered.exchange.calls),
        "looked first": _share(looked),
        "duplicates": _duplicates(verdicts),
        "episodes": _share(_new_episodes(verdict.talk) > 0 for verdict in verdicts if verdict.scenario.important),
        "calls succeeded": _share(succeeded(call) for call in calls),
        "false claims": _share(not raw for raw, _ in claims),
        "false claims left": _share(not seen for _, seen in claims),
    }
    return figures | _amounts(answers)


def _amounts(answers: Sequence[Answered]) -> dict[Name, Figure]:
    rows: list[Mapping[str, float]] = [
        {
            "calls": len(answer.calls),
            "requests": answer.requests,
            "input tokens": answer.input_tokens,
            "output tokens": answer.output_tokens,
            "seconds": answer.seconds,
            "memory seconds": max(0.0, answer.seconds - answer.model_seconds),
        }
        for answer in answers
    ]
    if not rows:
        return {}
    means = estimate(rows)
    slowest = quantile([answer.seconds for answer in answers], 0.95)
    amounts = {**means, "seconds p95": slowest}
    return {name: Figure(amounts[name], len(rows)) for name in MEANINGS if name in amounts}


def _share(cases: Iterable[bool]) -> Figure:
    outcomes = list(cases)
    return Figure(proportion(sum(outcomes), len(outcomes)), len(outcomes))


def _claims(verdict: Verdict) -> list[Check]:
    """For each answer where it is looked for, whether it claimed only what is so."""
    by_turn: dict[int, Check] = {}
    for check in verdict.checks:
        if check.kind in ("claim", "untrue"):
            previous = by_turn.get(check.turn, check)
            by_turn[check.turn] = Check(
                turn=check.turn,
                kind="claim",
                about="",
                raw=check.raw and previous.raw,
                seen=check.seen and previous.seen,
            )
    return list(by_turn.values())


def _new_episodes(talk: Talk) -> int:
    earlier_ids = {row.id for row in talk.answers[0].rows_before}
    return sum(row.kind == "episode" and row.id not in earlier_ids for row in talk.answers[-1].rows_after)


def _duplicates(verdicts: Sequence[Verdict]) -> Figure:
    """Of the memories that came to be, those that fit what another one fits that should be there."""
    new = doubled = 0
    for verdict in verdicts:
        answers = verdict.talk.answers
        earlier_ids = {row.id for row in answers[0].rows_before}
        fresh = {row.id for answered in answers for row in answered.rows_after} - earlier_ids
        extra: set[int] = set()
        for answered in answers:
            for pattern in answered.exchange.remaining:
                extra.update(sorted(row.id for row in answered.rows_after if fits(row, pattern))[1:])
        new += len(fresh)
        doubled += len(fresh & extra)
    return Figure(proportion(doubled, new), new)


def _outcome(verdicts: Sequence[Verdict]) -> Outcome:
    passed = sum(verdict.passed for verdict in verdicts)
    return Outcome(
        runs=len(verdicts),
        passed=passed,
        corrected=sum(verdict.passed_seen for verdict in verdicts) - passed,
        failed=dict(Counter(_told(check) for verdict in verdicts for check in verdict.failed)),
    )


def _told(check: Check) -> str:
    """A failed check in words, with the message's number."""
    how = " (put right)" if check.seen else ""
    return f"{check.turn} {check.kind}{how}" + (f": {check.about}" if check.about else "")
