"""A mistake in a command is told before a database is made, opened or migrated."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from zgadka.cli.main import app, main

MISTAKES = {
    "call hum {} --user 1": "chat is missing",
    "call remember [1] --user 1 --chat 2": "must be a JSON object",
    "call remember {} --lines": "do not name one",
    "call": "name a tool",
    "call hum {} --user 1 --chat 2": "no tool 'hum'",
    "learn missing.json": "missing.json",
    "import missing.jsonl": "cannot read 'missing.jsonl'",
    "import missing.jsonl --persona 3": "already name the owners",
    "import missing.json --from mem0 --user 1": "cannot read 'missing.json'",
    "import . --from wizard": "no format 'wizard'",
    "mcp --tier wizard": "no tier 'wizard'",
    "member add --user 1 --chat 2 --kind wizard": "kind",
    "member add --user 1": "chat is missing",
    "member add --user 1 --chat 2 --left --now yesterday": "'yesterday' is not an ISO 8601 time",
    "person answer 1 --yes --user=": "must have 1 to 255 characters",
    "person consents --user=": "must have 1 to 255 characters",
    "person privacy most --user 1": "no privacy level 'most'",
    "person privacy full --user=": "must have 1 to 255 characters",
    "person forget --user 1": "either memory IDs or --all",
    "person erase --yes --user=": "must have 1 to 255 characters",
    "rollout show --chat=": "must have 1 to 255 characters",
    "rollout set wizard --chat 2": "no arm 'wizard'",
    "token add wizard": "role",
}


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, command: str) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ZGADKA_DATABASE", f"sqlite:///{folder}/memory.db")
    monkeypatch.setattr(sys, "argv", ["zgadka", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    code = ended.value.code or 0
    assert isinstance(code, int)
    return code


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_in_a_command_is_told_before_a_database_is_opened(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, command) == 2
    assert MISTAKES[command] in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def takers(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command with a platform's ID among its arguments, each as it is written with a negative one."""
    for name, part in getattr(command, "commands", {}).items():
        yield from takers(part, (*path, name))
    arguments = [parameter.help or "" for parameter in command.params if parameter.param_type_name == "argument"]
    values = ["-100456" if re.search(r"\bID (on|of)\b", text) else "telegram" for text in arguments]
    if "-100456" in values:
        yield " ".join([*path, *values, *(["--user", "1"] if "person" in path else [])])


def test_every_command_takes_a_negative_id(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Telegram's groups have."""
    commands = list(takers(get_command(app)))
    assert {command.rpartition(" -100456")[0] for command in commands} >= {
        "space erase telegram",
        "space export telegram",
    }
    for command in commands:
        assert run(monkeypatch, tmp_path, f"{command} --yes" if "erase" in command else command) == 2
        assert "-100456 is known" in capsys.readouterr().err, command


@pytest.mark.parametrize("command", ["person erase --user 1", "space erase telegram 2"])
def test_an_erasure_is_asked_about_before_a_database_is_opened(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("typer.confirm", lambda _: False)
    assert run(monkeypatch, tmp_path, command) == 1
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_at_the_question_of_an_erasure_ends_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In an event loop the signal would only be noted, and the question would wait on."""

    def confirm(_: str) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr("typer.confirm", confirm)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell or another test may have changed
    try:
        assert run(monkeypatch, tmp_path, "person erase --user 1") == 130
    finally:
        signal.signal(signal.SIGINT, handler)
    assert list(tmp_path.iterdir()) == []


def test_a_command_without_a_mistake_makes_the_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else the tests above would look for it in the wrong place."""
    assert run(monkeypatch, tmp_path, "person erase --yes --user 1") == 0
    assert (tmp_path / "memory.db").exists()
