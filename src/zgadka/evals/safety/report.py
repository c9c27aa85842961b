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
            "name": one.name,
            "title": one.title,
            "cases": one.cases,
            "failures": len(one.failing),
            "rate": asdict(one.rate),
            "controls": one.controls,
            "missed": len(one.missed),
            "skipped": one.skipped,
            "failing": [{"case": case, "what": what} for case, what in one.failing],
            "missing": [{"case": case, "what": what} for case, what in one.missed],
        }
        for one in results
    ]
    return {"about": dict(about), "classes": classes}


def as_markdown(results: Sequence[Result], about: Mapping[str, Any]) -> str:
    """A table, a line a class, and what was found."""
    lines = [
        *("# Safety", ""),
        *(f"- {name}: {value}" for name, value in about.items()),
        *("", "| class | cases | failures | rate | 95 % interval | controls that held |", "|---|---|---|---|---|---|"),
        *map(_line, results),
        *(f"\n{one.title}: {one.skipped}" for one in results if one.skipped),
        *findings(results),
    ]
    return "\n".join(lines) + "\n"


def findings(results: Sequence[Result]) -> list[str]:
    """What happened that must not, and what did not that must: a line each, with the name that `--case` takes."""
    lines: list[str] = []
    for one in results:
        for title, found in (("failed", one.failing), ("did not happen", one.missed)):
            shown = [f"- `{case}`: {what}" for case, what in found[:_SHOWN]]
            more = [f"- and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
            lines += ["", f"{one.title}, {title}:", "", *shown, *more] if shown else []
    return lines


def write_report(results: Sequence[Result], about: Mapping[str, Any], directory: Path) -> list[Path]:
    """Write ``safety.json`` and ``safety.md``; return what was written."""
    directory.mkdir(parents=True, exist_ok=True)
    written = [directory / "safety.json", directory / "safety.md"]
    written[0].write_text(json.dumps(as_json(results, about), indent=1, ensure_ascii=False) + "\n", "utf-8")
    written[1].write_text(as_markdown(results, about), "utf-8")
    return written


def _line(one: Result) -> str:
    rate, held = one.rate, one.controls - len(one.missed)
    if one.skipped:
        return f"| {one.title} | – | – | – | – | – |"
    interval, controls = f"{rate.low:.3%} – {rate.high:.3%}", f"{held} of {one.controls}" if one.controls else "–"
    return f"| {one.title} | {one.cases} | {len(one.failing)} | {rate.mean:.3%} | {interval} | {controls} |"
