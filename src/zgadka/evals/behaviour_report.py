"""How models manage memory, as JSON and as tables, and beside an earlier report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from zgadka.errors import InvalidInput
from zgadka.evals.figures import GOALS, MEANINGS, SHARES, Behaviour, Figure, Name
from zgadka.evals.report import table
from zgadka.evals.scenario import GROUPS, Scenario
from zgadka.evals.scripted import BAD, SCRIPT

_VERSIONS = ("scenarios", "prompts", "tools")
"""What has to be equal for two reports to be about the same."""


def write_behaviour(
    results: Sequence[Behaviour], scenarios: Sequence[Scenario], about: Mapping[str, Any], directory: Path
) -> list[Path]:
    """Write ``behaviour.json`` and ``behaviour.md``; return what was written.

    Args:
        about: What was measured: versions, models, when.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = [directory / "behaviour.json", directory / "behaviour.md"]
    written[0].write_text(json.dumps(as_json(results, about), indent=1, ensure_ascii=False) + "\n", "utf-8")
    written[1].write_text(behaviour_tables(results, scenarios, about), "utf-8")
    return written


def as_json(results: Sequence[Behaviour], about: Mapping[str, Any]) -> dict[str, Any]:
    """The whole report."""
    return {"about": dict(about), "results": [asdict(result) for result in results]}


def behaviour_tables(results: Sequence[Behaviour], scenarios: Sequence[Scenario], about: Mapping[str, Any]) -> str:
    """The tables: figures, groups, and what failed; of scripted bad models, what of the scenarios made for them."""
    lines = ["# Behaviour", "", *(f"- {name}: {value}" for name, value in about.items()), ""]
    lines += ["## Figures", "", *_figures(results), *_meanings()]
    lines += ["## Scenarios passed, by group", "", *_groups(results, scenarios)]
    bad = [result for result in results if result.model.removeprefix(SCRIPT) in BAD and result.model.startswith(SCRIPT)]
    if bad:
        lines += ["## What catches each bad model", "", *_caught(bad, scenarios)]
    for result in results:
        if result not in bad:
            lines += _failures(result)
    return "\n".join(lines).rstrip() + "\n"


def compare_reports(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Each model beside its earlier self: figures, and scenarios that come out otherwise.

    Two reports of one model each are compared whatever the models are called.
    """
    lines = ["# Compared", ""]
    for name in _VERSIONS:
        old_version, new_version = old["about"].get(name), new["about"].get(name)
        if old_version != new_version:
            lines.append(f"- {name} are not the same: {old_version}, now {new_version}")
    pairs = list(_pairs(old["results"], new["results"]))
    if not pairs:
        lines.append("- no model is in both reports")
    for earlier, later in pairs:
        called = later["model"] if earlier["model"] == later["model"] else f"{earlier['model']}, now {later['model']}"
        lines += ["", f"## {called}", "", *_changed_figures(earlier["figures"], later["figures"])]
        lines += _changed_scenarios(earlier["scenarios"], later["scenarios"])
    return "\n".join(lines).rstrip() + "\n"


def read_report(path: Path) -> dict[str, Any]:
    """Read a ``behaviour.json``.

    Raises:
        InvalidInput: It cannot be read, or is none.
    """
    try:
        report: Any = json.loads(path.read_text("utf-8"))
        for result in report["results"]:
            _ = result["model"], result["figures"].items(), result["scenarios"].items()
        report["about"].get("scenarios")
    except OSError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{str(path)!r} is no behaviour.json of `zgadka eval behaviour`") from error
    return report


def _figures(results: Sequence[Behaviour]) -> list[str]:
    lines: list[str] = []
    amounts: tuple[Name, ...] = tuple(name for name in MEANINGS if name not in SHARES)
    for names in (SHARES, amounts):
        heads = [f"{name} ({_goal(name)})" if name in GOALS else name for name in names]
        rows = [[result.model, *(_shown(name, result.figures.get(name)) for name in names)] for result in results]
        lines += table(["model", *heads], rows)
    return lines


def _meanings() -> list[str]:
    return [*(f"- **{name}**: {meaning}" for name, meaning in MEANINGS.items()), ""]


def _goal(name: Name) -> str:
    side, goal = GOALS[name]
    return f"{'≥' if side == 'at least' else '<'} {goal:.0%}"


def _shown(name: Name, figure: Figure | None) -> str:
    if figure is None or not figure.count:
        return "–"
    value = figure.value
    if name in SHARES:
        mark = "" if figure.reaches(name) is not False else " ✗"
        return f"{value.mean:.0%} ({value.low:.0%}–{value.high:.0%}, {figure.count}){mark}"
    digits = 0 if "tokens" in name else 3 if "seconds" in name else 2
    return f"{value.mean:.{digits}f} ({value.low:.{digits}f}–{value.high:.{digits}f})"


def _groups(results: Sequence[Behaviour], scenarios: Sequence[Scenario]) -> list[str]:
    groups = [group for group in GROUPS if any(scenario.group == group for scenario in scenarios)]
    heads = [f"{group} ({sum(scenario.group == group for scenario in scenarios)})" for group in groups]
    rows = [[result.model, *(_share(result.groups.get(group)) for group in groups)] for result in results]
    return table(["model", *heads], rows)


def _share(figure: Figure | None) -> str:
    return "–" if figure is None else f"{figure.value.mean:.0%}"


def _caught(bad: Sequence[Behaviour], scenarios: Sequence[Scenario]) -> list[str]:
    rows: list[list[str]] = []
    for result in bad:
        name = result.model.removeprefix(SCRIPT)
        made_for = [
            scenario.name for scenario in scenarios if name in scenario.catches and scenario.name in result.scenarios
        ]
        for index, scenario in enumerate(made_for):
            failed = "; ".join(result.scenarios[scenario].failed) or "nothing: NOT CAUGHT"
            rows.append([f"{name}: {BAD[name]}" if index == 0 else "", scenario, _cell(failed)])
    return table(["model", "a scenario made for it", "the checks that failed, with the message's number"], rows)


def _failures(result: Behaviour) -> Iterator[str]:
    failed = {name: outcome for name, outcome in result.scenarios.items() if outcome.failed}
    if not failed and not result.broken:
        return
    yield from (f"## What failed: {result.model}", "")
    rows = [
        [
            name,
            f"{outcome.passed} of {outcome.runs}",
            _cell("; ".join(f"{check} ×{times}" if times > 1 else check for check, times in outcome.failed.items())),
        ]
        for name, outcome in failed.items()
    ]
    rows += [[name, "no answer", why] for name, why in result.broken.items()]
    yield from table(["scenario", "passed", "checks that failed"], rows)


def _cell(text: str) -> str:
    """The text as a cell of a table: patterns have bars."""
    return text.replace("|", "\\|")


def _pairs(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    if len(old) == len(new) == 1:
        yield old[0], new[0]
        return
    by_model = {result["model"]: result for result in old}
    for result in new:
        if result["model"] in by_model:
            yield by_model[result["model"]], result


def _changed_figures(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    rows: list[list[str]] = []
    for name in MEANINGS:
        if name not in old or name not in new or not old[name]["count"] or not new[name]["count"]:
            continue
        old_value, new_value = (cast("Mapping[str, float]", report[name]["value"]) for report in (old, new))
        apart = old_value["high"] < new_value["low"] or new_value["high"] < old_value["low"]
        cells = [f"{value['mean']:.3f} ({value['low']:.3f}–{value['high']:.3f})" for value in (old_value, new_value)]
        rows.append([name, *cells, f"{new_value['mean'] - old_value['mean']:+.3f}", "yes" if apart else ""])
    return table(["figure", "before", "now", "change", "intervals apart"], rows)


def _changed_scenarios(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    rows: list[list[str]] = []
    for name in [*old, *(name for name in new if name not in old)]:
        old_outcome, new_outcome = (_passed(outcomes.get(name)) for outcomes in (old, new))
        if old_outcome != new_outcome:
            rows.append([name, old_outcome, new_outcome])
    return table(["scenario", "before", "now"], rows) if rows else ["Every scenario came out as before.", ""]


def _passed(outcome: Mapping[str, Any] | None) -> str:
    return "–" if outcome is None else f"{outcome['passed']} of {outcome['runs']}"
