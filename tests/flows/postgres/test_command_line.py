"""The command line on PostgreSQL: each command a process of its own, or one after another in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer

from zgadka.cli.main import main

WHO = ("--user", "1", "--chat", "2")


@pytest.fixture
def zgadka(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process; returns its code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZGADKA_DATABASE", url)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["zgadka", *arguments])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        return int(code or 0), printed.out, printed.err

    return run


def test_a_deletion_is_asked_for_and_confirmed_by_separate_processes(url: str, tmp_path: Path, program: str) -> None:
    def call(tool: str, arguments: dict[str, Any], turn: str) -> dict[str, Any]:
        done = subprocess.run(
            [program, "call", tool, json.dumps(arguments), *WHO, "--turn", turn],
            env=os.environ | {"ZGADKA_DATABASE": url},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    note = call("remember", {"content": "plays chess"}, "1")["memory_id"]
    assert call("forget", {"memory_id": note}, "2")["status"] == "confirmation_required"
    assert call("forget", {"memory_id": note}, "3")["status"] == "deleted"
    assert call("recall", {"query": "chess"}, "4")["memories"] == []


def test_the_doctor_migrate_list_history_undo_and_erase(zgadka: Any, server: PostgresServer, url: str) -> None:
    code, out, err = zgadka("call", "remember", '{"content": "plays chess"}', *WHO)
    assert (code, err) == (0, "")
    note = json.loads(out)["memory_id"]
    assert "plays chess" in zgadka("list")[1]
    assert "created" in zgadka("history", str(note))[1]
    code, out, err = zgadka("doctor")
    assert (code, err) == (0, "")
    report = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert (report["layout"], report["integrity"], report["notes"], report["drift"]) == ("plain", "ok", "1", "none")
    assert report["postgres"].startswith("18")
    assert report["database"].startswith(str(server.folder))
    assert zgadka("doctor", "--repair")[0] == 0
    code, out, _ = zgadka("migrate")
    assert (code, json.loads(out)["layout"]) == (0, "plain")
    assert zgadka("undo", str(note))[0] == 0
    code, out, err = zgadka("person", "erase", "--user", "1", "--yes")
    assert code == 0, err
    assert json.loads(out)["scrubbed"] is True


def test_an_erased_text_is_in_no_file_of_a_table(zgadka: Any, server: PostgresServer) -> None:
    secret = "zqxjkvbpzgadka"
    assert zgadka("call", "remember", json.dumps({"content": secret}), *WHO)[0] == 0

    def files() -> list[str]:
        server.execute("CHECKPOINT")
        found = (server.folder / "data" / "base").rglob("*")
        return [str(file) for file in found if file.is_file() and secret.encode() in file.read_bytes()]

    assert files() != []
    assert zgadka("person", "erase", "--user", "1", "--yes")[0] == 0
    assert files() == []


def test_an_export_goes_from_one_engine_to_the_other_and_back(zgadka: Any, tmp_path: Path) -> None:
    now = ("--now", "2126-03-01T12:00:00Z")
    for content in ("plays chess", "п'є чай", "likes\ttabs"):
        assert zgadka("call", "remember", json.dumps({"content": content}), *WHO)[0] == 0
    first = zgadka("export", *now)[1]
    (tmp_path / "first.jsonl").write_text(first)
    there = f"sqlite:///{tmp_path / 'there.db'}"
    assert zgadka("import", "first.jsonl", "--db", there)[0] == 0
    assert zgadka("export", "--db", there, *now)[1] == first


def test_what_belongs_to_files_says_what_to_do_instead(zgadka: Any) -> None:
    code, _, err = zgadka("backup", "copy.db")
    assert (code, "use pg_dump" in err, err.count("\n")) == (2, True, 1)
    code, _, err = zgadka("restore", "copy.db")
    assert (code, "use pg_restore" in err, err.count("\n")) == (2, True, 1)


def test_citus_is_asked_for_where_there_is_none(zgadka: Any, tmp_path: Path) -> None:
    code, _, err = zgadka("migrate", "--citus")
    assert (code, "this PostgreSQL has no Citus" in err, err.count("\n")) == (1, True, 1)
    code, _, err = zgadka("migrate", "--citus", "--db", f"sqlite:///{tmp_path / 'x.db'}")
    assert (code, "Citus is an extension of PostgreSQL" in err, err.count("\n")) == (2, True, 1)


def test_a_damaged_index_is_found_and_made_anew(zgadka: Any, server: PostgresServer, url: str) -> None:
    assert zgadka("call", "remember", '{"content": "plays chess"}', *WHO)[0] == 0
    database = url.partition("@/")[2].partition("?")[0]
    # As a CREATE INDEX CONCURRENTLY that was broken off leaves it.
    server.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'zgadka.memory_slot'::regclass", database)
    code, out, err = zgadka("doctor")
    assert (code, "index memory_slot is not valid" in out) == (1, True)
    assert "zgadka doctor --repair" in err
    code, out, _ = zgadka("doctor", "--repair")
    assert (code, "repaired      index memory_slot is not valid" in out) == (0, True)


def test_without_the_packages_one_line_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys\nsys.modules['psycopg'] = None\nfrom zgadka.cli.main import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", program, "list", "--db", "postgresql://olena:s3cret@host/x"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert "pip install '.[postgres]'" in done.stderr
    assert "s3cret" not in done.stderr
