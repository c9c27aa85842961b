"""The ready Grafana dashboard and the alert rules ask for what there is."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from zgadka import metrics
from zgadka.stores.tx.usage_stats import Backlog
from zgadka.tools.registry import REGISTRY

ROOT = Path(__file__).parents[2]
GRAFANA = ROOT / "deploy" / "grafana" / "zgadka.json"
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def known() -> dict[str, set[str]]:
    """The names under which metrics are scraped, with their labels."""
    names: dict[str, set[str]] = {}
    for family in metrics.FAMILIES:
        for end in ["_bucket", "_sum", "_count"] if family.bounds else ["_total"]:
            names[family.name + end] = set(family.labels) | ({"le"} if end == "_bucket" else set())
    page = metrics.page(Backlog(0, None, 0, 0, None, 0), NOW).decode()
    return names | {name: set() for name in re.findall(r"^# TYPE (\w+) gauge$", page, re.MULTILINE)}


def expressions() -> list[str]:
    panels = json.loads(GRAFANA.read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    rules = [rule["expr"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    return asked + rules


@pytest.mark.parametrize("expression", expressions())
def test_every_expression_asks_for_metrics_and_labels_that_there_are(expression: str) -> None:
    names = known()
    asked = re.findall(r"\b(memory_\w+)(?:\{([^}]*)\})?", expression)
    assert asked or "up{" in expression
    for name, selector in asked:
        assert name in names
        for label, value in re.findall(r"(\w+)\s*=~?\s*\"([^\"]*)\"", selector or ""):
            assert label in names[name] | {"instance", "job"}, f"{name} has no label {label}"
            if label == "tool":
                assert value in {tool.name for tool in REGISTRY}
    by = {label.strip() for found in re.findall(r"\bby \(([^)]*)\)", expression) for label in found.split(",")}
    assert by <= {"instance"}.union(*(names[name] for name, _ in asked))
    assert expression.count("(") == expression.count(")")


def test_the_rules_speak_of_what_was_promised() -> None:
    rules = {rule["alert"]: rule for rule in yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]}
    assert {"ZgadkaToolsWentSilent", "ZgadkaSuccessLow", "ZgadkaQueueStuck", "ZgadkaQuestionsUnseen"} <= set(rules)
    assert "< 0.9" in rules["ZgadkaSuccessLow"]["expr"]
    for rule in rules.values():
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
        assert rule["labels"]["severity"] in {"warning", "critical"}


def test_the_dashboard_has_its_boards_and_no_panel_over_another() -> None:
    panels = json.loads(GRAFANA.read_text())["panels"]
    rows = [panel["title"] for panel in panels if panel["type"] == "row"]
    assert rows == ["Memory tool usage", "Model behaviour", "Rollout", "Performance"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        own = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not own & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        cells |= own
