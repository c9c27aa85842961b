"""`zgadka list`, `search`, `show` and `stats`: for people at a terminal, and for scripts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from command_shell import RUN, Shell


@pytest.fixture
def shell(tmp_path: Path, program: str) -> Shell:
    shell = Shell(tmp_path, program)
    shell.remember("Drinks flat white coffee")
    shell.remember("The gate code is with Ann", user="5", chat="7")
    return shell


def lines(shell: Shell, *arguments: str) -> list[str]:
    done = shell.run(*arguments)
    assert done.returncode == 0, done
    return done.stdout.decode().splitlines()


def test_a_search_finds_by_beginnings_whoever_it_is_of(shell: Shell):
    assert lines(shell, "search", "coff") == ["ID:1  telegram:123 in 456  note  Drinks flat white coffee"]
    assert lines(shell, "search", "gat", "cod") == ["ID:2  telegram:5 in 7  note  The gate code is with Ann"]
    assert lines(shell, "search", "coffee", "--user", "5") == []
    assert lines(shell, "search", "tea") == []
    assert lines(shell, "search", "\udcff\udcfe") == [], "bytes that are no text"


def test_a_search_says_that_there_are_more(shell: Shell):
    shell.remember("Has coffee with Bob")
    done = shell.run("search", "coffee", "--limit", "1")
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"1 memory; there are more: --limit\n")


def test_a_list_stops_at_its_limit_and_says_what_it_left_out(shell: Shell):
    done = shell.run("list", "--limit", "1")
    assert done.stdout.startswith(b"ID:1 ")
    assert done.stderr == b"2 memories; --limit 1 left out 1\n"


@pytest.mark.parametrize("command", [("list", "--user", "123"), ("search", "coffee")])
def test_json_is_an_object_a_line(shell: Shell, command: tuple[str, ...]):
    (line,) = lines(shell, *command, "--json")
    item = json.loads(line)
    assert (item["id"], item["kind"], item["text"]) == (1, "note", "Drinks flat white coffee")
    assert item["owner"] == {"kind": "person", "platform": "telegram", "id": "123"}
    assert (item["space"], item["archived"], item["created_at"]) == ("456", False, "2026-03-01 12:00:00")


def test_show_tells_a_memory_and_what_happened_to_it(shell: Shell):
    shown = lines(shell, "show", "1")
    assert "text         Drinks flat white coffee" in shown
    assert "owner        telegram:123 (person)" in shown
    assert shown[-1] == "1. 2026-03-01 12:00:00 123 created: – → Drinks flat white coffee"
    (line,) = lines(shell, "show", "1", "--json")
    assert [change["action"] for change in json.loads(line)["history"]] == ["created"]


def test_show_of_an_id_that_never_was_is_a_mistake_in_the_command(shell: Shell):
    done = shell.run("show", "99")
    assert (done.returncode, done.stderr) == (2, b"zgadka: no memory has ever had ID 99\n")


def test_each_look_at_memories_leaves_a_line_for_operators(shell: Shell):
    lines(shell, "search", "coffee")
    lines(shell, "show", "1")
    told = "\n".join(lines(shell, "history", "--operators"))
    assert "search" in told
    assert "memory 1" in told
    assert "coffee" not in told


def test_stats_count_everything(shell: Shell):
    (line,) = lines(shell, "stats", "--json")
    assert json.loads(line)["notes"] == 2
    assert "notes                    2" in lines(shell, "stats")


def test_an_export_writes_a_new_file_for_its_owner_alone(shell: Shell):
    assert lines(shell, "export", "all.jsonl") == []
    file = shell.folder / "all.jsonl"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text("utf-8").splitlines()[1:] == lines(shell, "export")[1:]  # the first has the time
    again = shell.run("export", "all.jsonl")
    assert (again.returncode, again.stderr) == (2, b"zgadka: cannot write 'all.jsonl': File exists\n")


def test_an_export_that_fails_leaves_no_file(shell: Shell):
    assert shell.run("export", "x.jsonl", "--user", "", "--platform", "telegram").returncode == 2
    assert shell.run("export", "x.jsonl", "--db", "sqlite:///missing/dir/x.db").returncode != 0
    assert not (shell.folder / "x.jsonl").exists()


def test_on_a_terminal_a_list_is_a_table(tmp_path: Path):
    shell = Shell(tmp_path, *RUN)
    shell.remember("Drinks [b]coffee[/b]")
    master, slave = pty.openpty()
    done = subprocess.run(
        [*RUN, "list"],
        stdout=slave,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=shell.environ | {"COLUMNS": "100"},
        timeout=120,
        check=True,
    )
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert "Whose" in shown
    assert "Drinks [b]coffee[/b]" in shown
    assert done.stderr == b"1 memory\n"
