"""The scenarios with the lean tools: they name the full ones, so scripts and judges are told which is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zgadka.evals.scenario import Exchange, Scenario, Step
from zgadka.tools.lean import REASONS
from zgadka.tools.registry import REGISTRY, TIERS

_BECAUSE = {"update": "changed", "contradiction": "changed"}


def is_lean(sets: Sequence[str]) -> bool:
    """Whether these are the lean tools."""
    return tuple(sets) == TIERS["lean"]


def fitting(scenarios: Sequence[Scenario], sets: Sequence[str]) -> list[Scenario]:
    """The scenarios in which these tools can do what should be done."""
    offered = {tool.name for tool in REGISTRY.select(*sets)}

    def fits(exchange: Exchange) -> bool:
        steps: Sequence[Step] = exchange.good.plan
        if is_lean(sets):
            steps = [lean for step in steps for lean in in_lean_words(step, exchange)]
        return all(step.tool in offered for step in steps)

    return [scenario for scenario in scenarios if all(map(fits, scenario.exchanges))]


def in_lean_words(step: Step, exchange: Exchange) -> Sequence[Step]:
    """The calls of the lean tools that do what a call does; itself, where they cannot."""
    given = step.arguments
    about = {name: given[name] for name in ("user_id",) if name in given}
    match step.tool:
        case "remember":
            return [Step("keep", {"content": given["content"]})]
        case "remember_fact":
            return [Step("keep", {"content": given["fact_value"], "fact_key": given["fact_key"], **about})]
        case "remember_facts":
            facts = [replace(step, tool="remember_fact", arguments=fact) for fact in given["facts"]]
            return [lean for fact in facts for lean in in_lean_words(fact, exchange)]
        case "recall" | "recall_facts":
            return [Step("find", {"query": given.get("query") or given.get("search_query") or exchange.says, **about})]
        case "update_fact":
            shown = given.get("fact_id") or f"@id {str(given['fact_key']).replace('_', ' ')}: "
            because = _BECAUSE.get(str(given["change_reason"]), "wrong")
            return [Step("change", {"memory_id": shown, "content": given["new_value"], "because": because, **about})]
        case _:
            return [step]


def in_full_words(
    tool: str, arguments: Mapping[str, Any], speaker: int, keys: Mapping[int, str]
) -> tuple[str, Mapping[str, Any]]:
    """The call of a full tool that a lean one stands for, as it is judged; any other is itself.

    Args:
        speaker: The user_id of whom it is about that names nobody.
        keys: The keys of the facts that there were before it, by id.
    """
    about = {"user_id": arguments.get("user_id", speaker)}
    content, memory_id = arguments.get("content"), arguments.get("memory_id")
    match tool:
        case "keep" if "fact_key" in arguments:
            return "remember_fact", {**about, "fact_key": arguments["fact_key"], "fact_value": content}
        case "keep":
            return "remember", {"content": content}
        case "find":
            return "recall", {**arguments, **about}
        case "change" if isinstance(memory_id, int) and memory_id in keys:
            reason = REASONS.get(str(arguments.get("because")), "")
            fact = {"fact_key": keys[memory_id], "fact_id": memory_id, "new_value": content}
            return "update_fact", {**about, **fact, "change_reason": reason}
        case "change":
            return "update_long_term_memory", {"memory_id": memory_id, "memory_content": content}
        case _:
            return tool, arguments
