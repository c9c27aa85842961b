"""Results as JSON, as a table and as a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zgadka.errors import extra_for
from zgadka.evals.metrics import Estimate
from zgadka.evals.retrieval import Result


def write_report(results: Sequence[Result], about: Mapping[str, Any], directory: Path, *, plot: bool) -> list[Path]:
    """Write ``retrieval.json``, ``retrieval.md`` and, where asked for, ``retrieval.png``; return what was written.

    Args:
        about: What was measured: the data, the questions, the versions.

    Raises:
        MissingExtra: A plot is asked for and matplotlib is not installed.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = [directory / "retrieval.json", directory / "retrieval.md"]
    report = {"about": about, "results": [asdict(result) for result in results]}
    written[0].write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    written[1].write_text(as_markdown(results, about), "utf-8")
    if plot:
        written.append(directory / "retrieval.png")
        draw(results, written[-1])
    return written


def as_markdown(results: Sequence[Result], about: Mapping[str, Any]) -> str:
    """The tables: turns and sessions for each system, then recall@10 by category."""
    lines = ["# Retrieval", "", *(f"- {name}: {value}" for name, value in about.items())]
    lines += [
        f"- {result.system}: {result.by_meaning} of {result.counts['all']} questions had a vector"
        for result in results
        if result.by_meaning is not None
    ]
    lines.append("")
    for title, level in (("Turns", "turns"), ("Sessions", "sessions")):
        by_system: list[tuple[str, Mapping[str, Mapping[str, Estimate]]]] = [
            (result.system, getattr(result, level)) for result in results
        ]
        if not by_system or not by_system[0][1]["all"]:
            continue  # the data does not say which turns answer
        measures = list(by_system[0][1]["all"])
        lines += [
            f"## {title}",
            "",
            *table(
                ["system", *measures],
                [
                    [system, *(_shown(by_category["all"][name]) for name in measures)]
                    for system, by_category in by_system
                ],
            ),
        ]
        main = "recall@10" if "recall@10" in measures else measures[0]
        categories = [name for name in by_system[0][1] if name != "all"]
        heads = [f"{name} ({results[0].counts[name]})" for name in categories]
        lines += [
            f"{main} by category (questions):",
            "",
            *table(
                ["system", *heads],
                [
                    [system, *(_shown(by_category[name].get(main)) for name in categories)]
                    for system, by_category in by_system
                ],
            ),
        ]
    return "\n".join(lines).rstrip() + "\n"


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw recall@10 of each system by category, with its intervals.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figure_class = require_plotting()
    level = "turns" if results[0].turns["all"] else "sessions"
    by_system: dict[str, Mapping[str, Mapping[str, Estimate]]] = {
        result.system: getattr(result, level) for result in results
    }
    first_system = next(iter(by_system.values()))
    measure = "recall@10" if "recall@10" in first_system["all"] else next(iter(first_system["all"]))
    categories = [name for name, measures in first_system.items() if measures]
    figure: Any = figure_class(figsize=(1.5 + 1.6 * len(categories), 4.5), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(by_system)
    for index, (system, by_category) in enumerate(by_system.items()):
        estimates = [by_category[name][measure] for name in categories]
        axes.bar(
            [at + index * width for at in range(len(categories))],
            [estimate.mean for estimate in estimates],
            width,
            yerr=[
                [estimate.mean - estimate.low for estimate in estimates],
                [estimate.high - estimate.mean for estimate in estimates],
            ],
            error_kw={"elinewidth": 0.8},
            label=system,
        )
    axes.set_xticks([at + 0.4 - width / 2 for at in range(len(categories))], categories)
    axes.set_ylabel(f"{measure} of {level}")
    axes.set_ylim(0, 1)
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=min(len(by_system), 3))
    figure.savefig(path, dpi=150)


def require_plotting() -> Any:
    """Load what draws.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    with extra_for("the plot", "eval"):
        from matplotlib.figure import Figure  # noqa: PLC0415  (comes with an extra)
    return Figure


def _shown(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{estimate.mean:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown, and an empty one."""
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]
