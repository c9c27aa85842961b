"""What is loaded when: nobody waits for what they do not use."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import zgadka

# What takes long to load, or much memory.
SLOW = {"asyncio", "numpy", "prometheus_client", "pydantic", "pydantic_ai", "rich", "typer", "anyascii", "apsw"}

ANSWER = """
import asyncio
from zgadka import Turn, open_memory

async def main():
    async with open_memory("sqlite:///memory.db") as memory:
        turn = Turn(platform="telegram", space="1", chat="1", user=1)
        assert (await memory.remember(turn=turn, content="I play chess in Kyiv")).status == "success"
        assert (await memory.recall(turn=turn, query="chess"))["count"] == 1
        {more}

asyncio.run(main())
"""


def loaded(folder: Path, program: str) -> set[str]:
    """Run a program in a new process; returns the modules that it loaded."""
    said = "\nimport json, sys\nprint('loaded:' + json.dumps(sorted(sys.modules)))"
    # Without what measures coverage, which loads things of its own.
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "ZGADKA_"))}
    run: Any = subprocess.run(
        [sys.executable, "-c", program + said], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.rpartition("loaded:")[2]))


def test_importing_zgadka_loads_neither_the_engine_nor_any_package(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "import zgadka")
    assert not modules & SLOW
    assert {name for name in modules if name.startswith("zgadka")} == {"zgadka", "zgadka._version"}


def test_a_value_comes_without_the_engine(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "from zgadka import InvalidInput, Settings, Turn")
    assert not modules & (SLOW | {"zgadka.engine"})


def test_the_commands_are_listed_without_the_engine_and_what_draws_tables(tmp_path: Path) -> None:
    program = (
        "import sys, zgadka.cli.main\nsys.argv[1:] = ['--help']\ntry: zgadka.cli.main.main()\nexcept SystemExit: pass"
    )
    modules = loaded(tmp_path, program)
    assert "typer" in modules
    assert not modules & (SLOW - {"typer", "asyncio"} | {"zgadka.engine", "zgadka.settings"})


def test_the_first_answer_waits_for_no_vectors_metrics_or_rules(tmp_path: Path) -> None:
    modules = loaded(tmp_path, ANSWER.format(more=""))
    assert {"apsw", "asyncio", "zgadka.engine"} <= modules
    assert not modules & (
        SLOW - {"apsw", "asyncio", "anyascii"} | {"snowballstemmer", "zgadka.extract.rules", "http.client"}
    )


def test_metrics_count_what_was_before_they_were_asked_for(tmp_path: Path) -> None:
    asked = """
        from zgadka.telemetry import METRICS
        assert METRICS.get_sample_value("memory_tool_calls_total", {"tool": "recall", "status": "success"}) == 1
        labels = {"tool": "recall", "operation": "call", "le": "+Inf"}
        assert METRICS.get_sample_value("memory_tool_latency_ms_bucket", labels) == 1
    """
    assert "prometheus_client" in loaded(tmp_path, ANSWER.format(more=asked))


def test_rules_are_loaded_when_a_message_comes(tmp_path: Path) -> None:
    said = "assert (await memory.observe('I live in Kyiv', turn=turn)).stored"
    assert "zgadka.extract.rules" in loaded(tmp_path, ANSWER.format(more=said))


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zgadka", "--version"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{zgadka.__version__}\n", "")


def test_every_public_name_is_what_checkers_of_types_are_told() -> None:
    tree = ast.parse(Path(zgadka.__file__).read_text("utf-8"))
    told = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == zgadka._HOMES
    assert sorted(told) == sorted(set(zgadka.__all__) - {"__version__"})
    for name, home in told.items():
        assert getattr(zgadka, name) is getattr(sys.modules[str(home)], name)


def test_public_names_are_listed_and_all_can_be_imported(tmp_path: Path) -> None:
    assert set(zgadka.__all__) <= set(dir(zgadka))
    assert loaded(tmp_path, "import zgadka\nfrom zgadka import *\nassert Turn is zgadka.Turn and open_memory")


@pytest.mark.parametrize("module", ["zgadka", "zgadka.telemetry"])
def test_an_unknown_name_is_an_attribute_error(module: str) -> None:
    with pytest.raises(AttributeError, match=rf"module '{module}' has no attribute 'Memories'"):
        _ = __import__(module, fromlist=["_"]).Memories
