"""`zgadka export` and `zgadka import`, from outside."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NOON = "2026-03-01T12:00:00Z"
LATER = "2026-03-01T13:00:00Z"


@pytest.fixture
def run(tmp_path: Path, database: Callable[[str], str], program: str) -> Callable[..., tuple[int, str, str]]:
    """Run `zgadka` on a database of the test's own; the first argument is its name."""

    def run_(name: str, *arguments: str, input: bytes = b"") -> tuple[int, str, str]:  # noqa: A002
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ZGADKA_") or name == "ZGADKA_EMBEDDER"
        }
        done = subprocess.run(
            [program, *arguments],
            cwd=tmp_path,
            env=environment | {"ZGADKA_DATABASE": database(name)},
            input=input,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run_


def call(run: Any, database: str, tool: str, arguments: dict[str, Any], user: str, now: str = NOON) -> dict[str, Any]:
    code, out, err = run(database, "call", tool, json.dumps(arguments), "--user", user, "--chat", "9", "--now", now)
    assert (code, err) == (0, ""), err
    return json.loads(out)


@pytest.fixture
def filled(run: Any) -> str:
    """The export of a database with two people."""
    fact = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "fact_value": "Київ", "confidence": 0.9}
    call(run, "a.db", "remember_fact", fact, "123")
    call(run, "a.db", "remember", {"content": "збирає марки"}, "7")
    code, out, err = run("a.db", "export", "--now", LATER)
    assert (code, err) == (0, "")
    return out


def test_export_and_import_through_a_pipe_give_the_same_file(run: Any, filled: str) -> None:
    code, out, err = run("b.db", "import", "-", "--now", LATER, input=filled.encode())
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["added"] == {"person": 2, "space": 1, "memory": 2, "event": 2}
    assert run("b.db", "export", "--now", LATER)[1] == filled
    found = call(run, "b.db", "recall", {"query": "Kyiv"}, "123")
    assert found == call(run, "a.db", "recall", {"query": "Kyiv"}, "123")


def test_an_import_from_a_file_says_first_what_it_would_do(run: Any, filled: str, tmp_path: Path) -> None:
    (tmp_path / "store.jsonl").write_text(filled)
    dry = json.loads(run("b.db", "import", "store.jsonl", "--dry-run", "--now", LATER)[1])
    assert dry["dry_run"] is True
    assert len(run("b.db", "export")[1].splitlines()) == 2
    assert json.loads(run("b.db", "import", "store.jsonl", "--now", LATER)[1]) == dry | {"dry_run": False}
    again = json.loads(run("b.db", "import", "store.jsonl", "--now", LATER)[1])
    assert again["added"] == {}


def test_one_persons_export_is_theirs_alone(run: Any, filled: str) -> None:
    code, out, err = run("a.db", "export", "--user", "7")
    assert (code, err) == (0, "")
    assert "марки" in out
    assert "Київ" not in out
    assert json.loads(out.splitlines()[0])["person"] == {"platform": "telegram", "name": "7"}
    assert len(run("a.db", "export", "--user", "7", "--platform", "discord")[1].splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("gone.jsonl", None, "zgadka: cannot read 'gone.jsonl': "),
        ("a\udc80", None, "zgadka: cannot read 'a\\udc80': "),
        (".", None, "zgadka: cannot read '.': "),
        ("empty.jsonl", b"", "zgadka: line 0: the end is missing"),
        ("cut.jsonl", b'{"kind": "zgadka-export", "version": 1}\n{"ki', "zgadka: line 2: this is not a JSON object"),
        ("future.jsonl", b'{"kind": "zgadka-export", "version": 99}\n', "zgadka: line 1: this zgadka reads version 1"),
    ],
)
def test_a_file_that_cannot_be_imported_is_one_line_and_code_2(
    run: Any, tmp_path: Path, name: str, content: bytes | None, complaint: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, out, err = run("b.db", "import", name)
    assert (code, out) == (2, "")
    assert err.startswith(complaint)
    assert err.count("\n") == 1


def test_a_named_pipe_can_be_imported(run: Any, filled: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'cat > "$0"', str(tmp_path / "pipe")], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        writer.stdin.write(filled.encode())
        writer.stdin.close()
        code, out, err = run("b.db", "import", "pipe", "--now", LATER)
    assert (code, err) == (0, "")
    assert json.loads(out)["added"]["memory"] == 2
