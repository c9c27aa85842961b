"""What the command line says of itself, and how loudly."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from zgadka.cli.main import app
from zgadka.cli.shell import loudness, progress_bar
from zgadka.transfer.import_reader import FileLines

GROUPS = ([], ["member"], ["person"], ["space"], ["eval"], ["tasks"], ["rollout"], ["token"])


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loudness, "quiet", False)
    monkeypatch.setattr(loudness, "verbose", False)


def run(folder: Path, *arguments: str) -> Result:
    done = CliRunner().invoke(app, [*arguments, "--db", f"sqlite:///{folder}/m.db"])
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(group) or "zgadka")
def test_no_help_line_is_cut_off_at_80_columns(group: list[str]) -> None:
    listed = CliRunner().invoke(app, [*group, "--help"], terminal_width=80).output.partition("Commands:")[2]
    assert listed
    assert not [line for line in listed.splitlines() if line.rstrip().endswith("...")]


def test_quiet_prints_results_alone(tmp_path: Path) -> None:
    (tmp_path / "m.db").touch()
    loud, quiet = run(tmp_path, "list"), run(tmp_path, "--quiet", "list")
    assert (loud.stderr, quiet.stderr) == ("0 memories\n", "")


def test_verbose_says_which_database_is_open_and_shows_the_log(tmp_path: Path) -> None:
    (tmp_path / "m.db").touch()
    level = logging.getLogger("zgadka").level
    try:
        done = run(tmp_path, "-v", "list")
        assert f"database {tmp_path}/m.db, schema " in done.stderr
        assert logging.getLogger("zgadka").isEnabledFor(logging.INFO)
    finally:
        logging.getLogger("zgadka").setLevel(level)
        assert logging.lastResort is not None
        logging.lastResort.setLevel(logging.WARNING)


def test_a_bar_is_for_a_terminal_that_is_not_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def shown() -> str:
        monkeypatch.setattr("sys.stderr", terminal := Terminal())
        with progress_bar("copying") as progress:
            progress(1, 2)
            progress(2, 2)
        return terminal.getvalue()

    assert "copying" in shown()
    loudness.quiet = True
    assert shown() == ""


def test_an_import_tells_how_far_it_is_of_both_readings() -> None:
    told: list[tuple[int, int]] = []
    lines = FileLines(io.BytesIO(b"one\ntwo\n"), lambda done, of: told.append((done, of)))
    assert [*lines] == [*lines] == [b"one\n", b"two\n"]
    assert told == [(4, 16), (8, 16), (12, 16), (16, 16)]


def test_history_sources_tasks_and_the_doctor_speak_json(tmp_path: Path) -> None:
    run(tmp_path, "call", "remember", '{"content": "likes tea"}', "--user", "1", "--chat", "2", "--turn", "m1")
    (event,) = map(json.loads, run(tmp_path, "history", "1", "--json").stdout.splitlines())
    assert (event["number"], event["action"], event["before"], event["after"]) == (1, "created", None, "likes tea")
    why = json.loads(run(tmp_path, "why", "1", "--json").stdout)
    assert (why["id"], why["text"], why["sources"]) == (1, "likes tea", [])
    assert json.loads(run(tmp_path, "doctor", "--json").stdout)["notes"] == "1"
    tasks = run(tmp_path, "tasks", "list", "--json")
    assert (tasks.stdout, tasks.stderr) == ("", "0 tasks\n")
    run(tmp_path, "token", "add", "operator", "--reads", "--label", "me")
    (token,) = map(json.loads, run(tmp_path, "token", "list", "--json").stdout.splitlines())
    assert (token["role"], token["label"], token["reads"], token["expires_at"]) == ("operator", "me", True, None)


def test_an_export_to_a_file_and_its_import_are_whole(tmp_path: Path) -> None:
    run(tmp_path, "call", "remember", '{"content": "likes tea"}', "--user", "1", "--chat", "2", "--turn", "m1")
    run(tmp_path, "export", str(tmp_path / "all.jsonl"))
    (tmp_path / "other").mkdir()
    report = json.loads(run(tmp_path / "other", "import", str(tmp_path / "all.jsonl")).stdout)
    assert report["added"]["memory"] == 1
