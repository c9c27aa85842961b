"""`zgadka chat` itself: in a pseudo-terminal, once in a Python of its own, and over a pipe."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

from zgadka import InvalidInput, Memory
from zgadka.chat.terminal import run_chat
from zgadka.chat.terminal_input import piped_lines

OF_ITS_OWN = (sys.executable, "-c", "from zgadka.cli.main import main; main()", "chat")
PRELOADED = ("zgadka", "chat")
FIRST = ["Мене звати Олена", "I live in Kyiv", "I play chess", "I also play guitar"]
SECOND = [
    "I moved to Lviv",
    "where do I live?",
    "what do you know about me?",
    "forget that I play chess",
    "yes",
    "what do you know about me?",
]
SLOWLY = 120  # seconds until a test gives up; nothing waits that long


@pytest.fixture
def environment(tmp_path: Path, program: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    return kept | {
        "ZGADKA_DATABASE": f"sqlite:///{tmp_path}/memory.db",
        "TERM": "dumb",
        "PYTHONIOENCODING": "utf-8",
        "PATH": f"{Path(program).parent}:{os.environ['PATH']}",
    }


def facts(environment: dict[str, str]) -> set[str]:
    call = ["zgadka", "call", "recall_facts", '{"user_id": 1, "limit": 50}']
    place = ["--user", "1", "--chat", "terminal", "--platform", "terminal", "--direct"]
    answer = subprocess.run([*call, *place], env=environment, capture_output=True, check=True)
    known = json.loads(answer.stdout)["facts"]
    return {f"{fact['key']}={fact['value']}{' (past)' * ('valid_to' in fact)}" for fact in known}


def type_in(
    lines: list[str], environment: dict[str, str], directory: Path, program: tuple[str, ...] = PRELOADED
) -> list[str]:
    """Type each line at the prompt; returns what each was answered, the greeting first."""
    terminal = pexpect.spawn(
        program[0],
        list(program[1:]),
        env=environment,  # pyright: ignore[reportArgumentType]
        cwd=str(directory),
        encoding="utf-8",
        timeout=SLOWLY,
        echo=False,
        dimensions=(50, 400),
    )
    heard: list[str] = []
    terminal.expect_exact("you> ")
    heard.append(terminal.before or "")
    for line in lines:
        terminal.sendline(line)
        terminal.expect_exact("you> ")
        heard.append(terminal.before or "")
    terminal.sendeof()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    return heard


def pipe_in(lines: list[str] | bytes, environment: dict[str, str], directory: Path) -> list[str]:
    given = lines if isinstance(lines, bytes) else ("\n".join(lines) + "\n").encode()
    command = ["zgadka", "chat"]
    done = subprocess.run(
        command, input=given, env=environment, cwd=directory, capture_output=True, timeout=SLOWLY, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


def test_two_runs_in_a_terminal_end_knowing_lviv_and_olena(environment: dict[str, str], tmp_path: Path) -> None:
    first = type_in(FIRST, environment, tmp_path, OF_ITS_OWN)
    assert "NOT a language model" in first[0]
    assert "Запам’ятано" in first[1]
    second = type_in(SECOND, environment, tmp_path)
    assert "Lviv" in second[2]
    assert "Shall I delete" in second[4]
    assert "Deleted" in second[5]
    assert all(word in second[6] for word in ("Lviv", "Олена", "guitar"))
    assert "location: Kyiv (… – 20" in second[6]
    assert "chess" not in second[6]
    assert facts(environment) == {"name=Олена", "location=Lviv", "location=Kyiv (past)", "hobby=guitar"}


def test_the_first_answer_is_all_that_is_shown(environment: dict[str, str], tmp_path: Path) -> None:
    """Where a test runs, or a build, the agent library shows no banner anyway."""
    shown = {name: value for name, value in environment.items() if name not in ("CI", "PYTEST_VERSION")}
    answer = type_in(["I play chess"], shown, tmp_path, OF_ITS_OWN)[1]
    assert " ".join(answer.split()) == "Remembered: hobby: chess (ID:1). Not so? /undo 1"


def test_the_same_over_a_pipe(environment: dict[str, str], tmp_path: Path) -> None:
    first = pipe_in(FIRST, environment, tmp_path)
    assert "NOT a language model" in first[0]
    assert len(first) == 5
    second = pipe_in(SECOND, environment, tmp_path)
    assert "you> " not in "".join(second)
    assert facts(environment) == {"name=Олена", "location=Lviv", "location=Kyiv (past)", "hobby=guitar"}


def test_any_bytes_on_a_pipe_are_only_messages(environment: dict[str, str], tmp_path: Path) -> None:
    rubbish = b"\xff\xfe\x80\n\x00\x00\n\n \t\n\xed\xa0\x80 lone\n" + b"a" * 1_000_000 + b"\nI play chess"
    heard = pipe_in(rubbish, environment, tmp_path)
    assert any("more than 20000 characters" in line for line in heard)
    assert heard[-1] == "Remembered: hobby: chess (ID:1)."
    assert facts(environment) == {"hobby=chess"}


def test_a_reader_that_goes_away_ends_the_chat_quietly(environment: dict[str, str], tmp_path: Path) -> None:
    chat = subprocess.Popen(
        PRELOADED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path
    )
    assert chat.stdin is not None
    assert chat.stdout is not None
    assert chat.stderr is not None
    chat.stdout.readline()
    chat.stdout.close()
    chat.stdin.write(b"I play chess\n")
    chat.stdin.flush()
    assert chat.wait(SLOWLY) == 0
    assert chat.stderr.read() == b""
    chat.stdin.close()
    chat.stderr.close()


def test_ctrl_c_at_the_prompt_ends_politely(environment: dict[str, str], tmp_path: Path) -> None:
    terminal = pexpect.spawn("zgadka", ["chat"], env=environment, cwd=str(tmp_path), timeout=SLOWLY)  # pyright: ignore[reportArgumentType]
    terminal.expect_exact(b"you> ")
    terminal.kill(signal.SIGINT)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_ctrl_c_during_an_answer_stops_that_answer_only(
    environment: dict[str, str], tmp_path: Path, provider: Callable[..., Any]
) -> None:
    server = provider(({"userMessage": "tell"}, {"content": "Once upon a time there was"}), options=("-l", "600000"))
    options = ["--model", "openai:any", "--base-url", f"{server.url}/v1"]
    terminal = pexpect.spawn(
        "zgadka",
        ["chat", *options],
        env=environment,  # pyright: ignore[reportArgumentType]
        cwd=str(tmp_path),
        timeout=SLOWLY,
        echo=False,
    )
    terminal.expect_exact(b"Talking to openai:any.")
    terminal.expect_exact(b"you> ")
    terminal.sendline("tell")
    while not server.journal():
        assert terminal.isalive()
    terminal.kill(signal.SIGINT)
    terminal.expect_exact(b"[stopped]")
    terminal.expect_exact(b"you> ")
    terminal.sendline("/quit")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_commands_of_the_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    heard = pipe_in(["/memory", "I play chess", "/memory", "/help", "/quit", "I play guitar"], environment, tmp_path)
    assert heard[1] == "I don't know anything about you yet."
    assert heard[3] == "ID:1 Your hobby is chess"
    assert heard[4].startswith("/memory shows")
    assert facts(environment) == {"hobby=chess"}


class Said:
    """Lines for a conversation within the test."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._lines:
            yield line


async def chat(memory: Memory, *lines: str, **options: Any) -> list[str]:
    out = io.StringIO()
    await run_chat(memory, lines=Said(*lines), out=out, environ={}, **options)
    return out.getvalue().splitlines()


@pytest.mark.asyncio
async def test_the_language_can_be_set(memory: Memory) -> None:
    heard = await chat(memory, "I live in Kyiv", "/help", "x" * 30_000, lang="uk")
    assert heard[0].startswith("Офлайн-замінник: це НЕ мовна модель")
    assert heard[1] == "Запам’ятано: місце проживання: Kyiv (ID:1)."
    assert heard[2].startswith("/memory показує")
    assert heard[3].startswith("[У цьому повідомленні понад 20000")


@pytest.mark.asyncio
async def test_a_person_asks_where_a_memory_comes_from_and_takes_its_last_change_back(memory: Memory) -> None:
    heard = await chat(memory, "I live in Kyiv", "I moved to Lviv", "/WHY #1", "/history 1", "/undo ID:1", "/undo")
    assert heard[4].endswith("you: “I moved to Lviv”")
    assert heard[7].endswith("changed: You live in Kyiv → You live in Lviv")
    assert heard[8] == "↩ Undone. I remember: You live in Kyiv (ID:1)"
    assert heard[9] == "There is nothing of yours here that I could take back now."


@pytest.mark.asyncio
async def test_commands_answer_in_the_language_of_the_last_message(memory: Memory) -> None:
    heard = await chat(memory, "Я живу в Києві", "/memory", "I play chess", "/memory")
    assert "Ви живете у Києві" in "".join(heard[2:4])
    assert "Your hobby is chess" in "".join(heard[4:])


@pytest.mark.asyncio
@pytest.mark.parametrize("mistyped", ["/undo abc", "/forget 1", "/memories", "/"])
async def test_what_is_no_command_is_said_and_answers_no_question(memory: Memory, mistyped: str) -> None:
    heard = await chat(memory, "I live in Kyiv", "I live in Lviv", mistyped, "yes")
    assert heard[3] == f"[{mistyped} is no command; nothing was done.]"
    assert heard[4].startswith("/memory shows")
    assert heard[5] == "Updated: location: Lviv (ID:1)."


@pytest.mark.asyncio
async def test_an_unknown_language_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="no language 'fr'; give en or uk"):
        await chat(memory, lang="fr")


@pytest.mark.asyncio
async def test_two_people_and_two_chats_do_not_meet(memory: Memory) -> None:
    await chat(memory, "I play chess", user=1)
    assert (await chat(memory, "what do you know about me?", user=2))[1] == "I don't know anything about you yet."
    assert (await chat(memory, "/memory", user=1))[1] == "ID:1 Your hobby is chess"


@pytest.mark.asyncio
async def test_a_memory_cannot_send_the_terminal_commands(memory: Memory) -> None:
    heard = await chat(memory, "remember that \x1b[31mred\x07 is evil", "what do you know about red?")
    assert not any("\x1b" in line or "\x07" in line for line in heard)


@pytest.mark.asyncio
async def test_a_tool_that_is_refused_is_said_truthfully(memory: Memory) -> None:
    await memory.close()
    heard = await chat(memory, "I play chess")
    assert heard[1].startswith("[The memory is not available right now:")


@pytest.mark.asyncio
async def test_a_pipe_is_read_line_by_line() -> None:
    reading, writing = os.pipe()
    heard: list[str] = []

    async def read() -> None:
        heard.extend([line async for line in piped_lines(reading)])

    task = asyncio.create_task(read())
    await asyncio.to_thread(os.write, writing, "one\r\nдва\nthr".encode())
    await asyncio.to_thread(os.write, writing, b"ee\n\nfour")
    os.close(writing)
    await task
    os.close(reading)
    assert heard == ["one", "два", "three", "", "four"]


@pytest.mark.asyncio
async def test_with_a_model_the_terminal_tells_asks_and_takes_answers_in_words(
    memory: Memory, provider: Callable[..., Any]
) -> None:
    server = provider(({"userMessage": ""}, {"content": "I see."}))
    lines = [
        *("I live in Lviv", "Maybe I like chess. Maybe I like tea. Maybe I like jazz.", "only the first"),
        *("Maybe I like tea", "Можливо, у мене алергія на полуницю", "так", "I'm allergic.", "To nuts.", "/memory"),
    ]
    out = io.StringIO()
    environ = {"OPENAI_API_KEY": "no-key"}
    await run_chat(
        memory, model="openai:gpt-6-luna", base_url=f"{server.url}/v1", environ=environ, lines=Said(*lines), out=out
    )
    assert out.getvalue().splitlines() == [
        "I see.",
        "✓ Remembered: You live in Lviv. Not so? /undo 1",
        "I see.",
        "I noticed a few things you might want me to remember:",
        "",
        "1. Do you like chess?",
        "2. Do you like tea?",
        "3. Do you like jazz?",
        "",
        "Save these? You can also answer in words: “yes”, “only the first”, “1 and 3”, “no”.",
        "✓ Saved.",
        "✓ You like chess",
        "I see.",  # tea was refused a moment ago
        "I see.",
        "Можливо, ви хочете, щоб це було в моїй пам’яті:",
        "",
        "• У вас алергія на полуницю?",
        "",
        "Зберегти?",
        "✓ Збережено.",
        "✓ У вас алергія на полуницю",
        "I see.",
        "I see.",
        "✓ Remembered: You are allergic to nuts. Not so? /undo 4",
        "ID:4 You are allergic to nuts",
        "ID:3 You are allergic to полуниця",
        "ID:2 You like chess",
        "ID:1 You live in Lviv",
    ]
