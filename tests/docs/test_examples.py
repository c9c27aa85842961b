"""Every example in README.md and docs/ runs, and prints what the page says.

A page's examples run in order, in one empty directory, on one new database:

- `python`: a program; where there is a `print(…)  # text`, it prints these texts and nothing else.
- `sh`: a script that must succeed.
- `console`: each line after `$ ` is a command, the lines below it are what it prints.

`…` stands for any text, and alone in a line for any lines. `./run` is `zgadka`; it and, but with `--long`,
programs are spared their start (`tests/support/preloaded.py`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from long_run import is_long

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "AGENTS.md", *ROOT.glob("docs/**/*.md")])
LIMIT_SECONDS = 60
INSTALLED = Path(sys.executable).parent


@dataclass(frozen=True, kw_only=True)
class Example:
    """A program and what it must print; None where the page does not say."""

    line: int
    command: list[str]
    prints: str | None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_the_page_do_what_it_says(page: Path, tmp_path: Path, program: str) -> None:
    broken = list(broken_examples(page.read_text(), tmp_path, Path(program).parent))
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1 + 1)  # 2\nprint([3])  # [3]\n```",
        "```python\nimport asyncio\nprint('a')  # a\nprint('b at 12:31')  # b at …\n```",
        "```sh\ntrue\necho anything\n```",
        "```console\n$ echo one; echo two\none\ntwo\n$ true\n$ printf '%s\\n' 1 2 3\n1\n…\n```",
        "```console\n$ echo a \\\n    b\na b\n```",
        "```console\n$ cat\n```",
        "```console\n$ echo $ZGADKA_DATABASE\nsqlite:///…/memory.db\n$ echo x > file\n```\n\n```sh\ntest -s file\n```",
        "- a list\n\n  ```console\n  $ echo indented\n  indented\n  ```",
        "```text\n$ false\n```\n\n```json\n{\n```",
    ],
)
def test_a_true_example_is_accepted(text: str, tmp_path: Path, program: str) -> None:
    assert list(broken_examples(text, tmp_path, Path(program).parent)) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nprint(1 + 1)  # 3\n```", "line 1: prints '2', not '3'"),
        ("\n\n```python\nraise SystemExit(4)\n```", "line 3: ends with code 4"),
        ("```python\nimport nothing_like_this\n```", "No module named"),
        ("```sh\nfalse\ntrue\n```", "line 1: ends with code 1"),
        ("```console\n$ echo one\ntwo\n```", "line 2: prints 'one', not 'two'"),
        ("```console\n$ true\n$ echo one\n```", "line 3: prints 'one', not ''"),
        ("```console\n$ echo one; echo two\none\n```", "line 2: prints 'one\\ntwo', not 'one'"),
        ("```console\n$ echo a.b\na?b\n```", "line 2: prints 'a.b', not 'a?b'"),
        ("```console\n$ echo oops >&2; exit 2\noops\n```", "line 2: ends with code 2"),
        ("```console\necho one\n```", "line 1: no command after `$ `"),
    ],
)
def test_a_false_example_is_found(text: str, complaint: str, tmp_path: Path, program: str) -> None:
    found = list(broken_examples(text, tmp_path, Path(program).parent))
    assert len(found) == 1
    assert complaint in found[0]


def broken_examples(page: str, directory: Path, commands: Path) -> Iterator[str]:
    """Run the examples of a page, and say what is wrong with each that does something else."""
    (directory / "run").write_text('#!/bin/sh\nexec zgadka "$@"\n')
    (directory / "run").chmod(0o755)
    ours = re.compile(r"ZGADKA_|.*_(API_KEY|BASE_URL)$")  # a developer's own settings must not change what is printed
    environment = {name: value for name, value in os.environ.items() if not ours.match(name)} | {
        "PATH": f"{commands}:{INSTALLED}:{os.environ['PATH']}",
        "HOME": str(directory),
        "ZGADKA_EMBEDDER": "none",  # or each program begins two processes more
        "ZGADKA_DATABASE": f"sqlite:///{directory}/memory.db",
        "PYTHONIOENCODING": "utf-8",
    }
    for example in examples(page):
        if not example.command:
            yield f"line {example.line}: no command after `$ `"
            continue
        done = subprocess.run(
            example.command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        printed = done.stdout.rstrip("\n")
        if done.returncode != 0:
            yield f"line {example.line}: ends with code {done.returncode}: {printed}"
        elif example.prints is not None and not _fits(example.prints, printed):
            yield f"line {example.line}: prints {printed!r}, not {example.prints!r}"


def examples(page: str) -> Iterator[Example]:
    """Find the examples of a page, in order."""
    for block in re.finditer(r"^( *)```(python|sh|console)\n(.*?)^\1```$", page, re.DOTALL | re.MULTILINE):
        line, code = page.count("\n", 0, block.start()) + 1, textwrap.dedent(block[3])
        match block[2]:
            case "python":
                said = re.findall(r"^ *print\(.*\)  # (.+)$", code, re.MULTILINE)
                # With all of zgadka imported, it is not found that `zgadka.one.another` was not.
                python = sys.executable if is_long() else "zgadka"
                yield Example(line=line, command=[python, "-c", code], prints="\n".join(said) or None)
            case "sh":
                yield Example(line=line, command=["bash", "-euc", code], prints=None)
            case _:
                yield from _commands(line, code)


def _commands(line: int, code: str) -> Iterator[Example]:
    """Split a terminal session at its `$ `; a backslash at the end of a line continues the command."""
    found = list(re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", code, re.MULTILINE))
    if not found or found[0].start() != 0:
        yield Example(line=line, command=[], prints=None)
    for command in found:
        at = line + 1 + code.count("\n", 0, command.start())
        yield Example(line=at, command=["bash", "-c", command[1]], prints=command[2].rstrip("\n"))


def _fits(pattern: str, text: str) -> bool:
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in pattern.split("\n")
    ]
    return re.fullmatch("".join(lines), text + "\n") is not None
