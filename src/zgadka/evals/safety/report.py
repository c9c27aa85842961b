"""Results of the safety benchmark as JSON and as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zgadka.evals.safety.run import Result

_SHOWN = 20
"""Findings of a class that are printed; the JSON has all."""


def as_json(results: Sequence[Result], about: Mapping[str, Any]) -> dict[str, Any]:
    """All figures, and every finding by the name with which it is run again."""
    classes = [
        {
            "name": result.name,
            "title": result.title,
            "cases": result.cases,
            "failures": len(result.failing),
            "rate": asdict(result.rate),
            "controls": result.controls,
            "missed": len(result.missed),
            "skipped": result.skipped,
            "doors": dict(sorted(result.doors.items())),
            "failing": [{"case": case, "what": finding} for case, finding in result.failing],
            "missing": [{"case": case, "what": finding} for case, finding in result.missed],
        }
        for result in results
    ]
    return {"about": dict(about), "classes": classes}


def as_markdown(results: Sequence[Result], about: Mapping[str, Any]) -> str:
    """A table, a line a class, and what was found."""
    lines = [
        *("# Safety", ""),
        *(f"- {name}: {value}" for name, value in about.items()),
        *("", "| class | cases | failures | rate | 95 % interval | controls that held |", "|---|---|---|---|---|---|"),
        *map(_line, results),
        *(f"\n{result.title}: {result.skipped}" for result in results if result.skipped),
        *_by_door(results),
        *findings(results),
    ]
    return "\n".join(lines) + "\n"


def _by_door(results: Sequence[Result]) -> list[str]:
    """A table of the cases of the classes that choose a door for each."""
    doors = sorted({door for result in results for door in result.doors})
    if not doors:
        return []
    lines = ["", f"| cases by door | {' | '.join(doors)} |", f"|---|{'---|' * len(doors)}"]
    for result in results:
        if result.doors:
            counts = " | ".join(str(result.doors[door] or "–") for door in doors)
            lines.append(f"| {result.title} | {counts} |")
    return lines


def findings(results: Sequence[Result]) -> list[str]:
    """What happened that must not, and what did not that must: a line each, with the name that `--case` takes."""
    lines: list[str] = []
    for result in results:
        for title, case_findings in (("failed", result.failing), ("did not happen", result.missed)):
            lines_shown = [f"- `{case}`: {finding}" for case, finding in case_findings[:_SHOWN]]
            remainder = [f"- and {len(case_findings) - _SHOWN} more"] if len(case_findings) > _SHOWN else []
            lines += ["", f"{result.title}, {title}:", "", *lines_shown, *remainder] if lines_shown else []
    return lines


def write_report(results: Sequence[Result], about: Mapping[str, Any], directory: Path) -> list[Path]:
    """Write ``safety.json`` and ``safety.md``; return what was written."""
    directory.mkdir(parents=True, exist_ok=True)
    written = [directory / "safety.json", directory / "safety.md"]
    written[0].write_text(json.dumps(as_json(results, about), indent=1, ensure_ascii=False) + "\n", "utf-8")
    written[1].write_text(as_markdown(results, about), "utf-8")
    return written


def _line(result: Result) -> str:
    rate, held = result.rate, result.controls - len(result.missed)
    if result.skipped:
        return f"| {result.title} | – | – | – | – | – |"
    interval, controls = f"{rate.low:.3%} – {rate.high:.3%}", f"{held} of {result.controls}" if result.controls else "–"
    return f"| {result.title} | {result.cases} | {len(result.failing)} | {rate.mean:.3%} | {interval} | {controls} |"
