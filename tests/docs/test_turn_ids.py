"""Every example that calls a tool says which turn it is, for confirmation and limits depend on it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *(path for path in (ROOT / "examples").rglob("*.*"))]
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPEAKER = re.compile(r'"turn": ?(\{[^{}]*\})')
NO_TURN = "# no turn id: "
"""What a line ends with where the caller is told of none."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_the_page_have_turn_ids(page: Path) -> None:
    assert list(without_turn(page.name, page.read_text())) == []


def test_examples_are_found() -> None:
    """As many as there were, or more: a pattern that finds nothing proves nothing."""
    counts = dict.fromkeys(("zgadka call ", '"turn": {', "Turn("), 0)
    for page in PAGES:
        for _, block in BLOCK.findall(page.read_text()):
            for pattern in counts:
                counts[pattern] += block.count(pattern)
    assert counts["zgadka call "] >= 100
    assert counts['"turn": {'] >= 10
    assert counts["Turn("] >= 20


@pytest.mark.parametrize(
    ("example", "is_right"),
    [
        ("```console\n$ zgadka call recall '{}' --user 1 --turn m1\n```", True),
        ("```console\n$ zgadka call recall '{}' --user 1\n```", False),
        ("```sh\nexport A=b; zgadka call recall '{}' --user 1\n```", False),
        ("Call it with `zgadka call TOOL '{}'`.", True),
        ('```console\n$ ./ask /v1/calls -d \'{"turn": {"user": 1, "turn": "m-1"}}\'\n```', True),
        ('```console\n$ ./ask /v1/calls -d \'{"turn": {"user": 1}}\'\n```', False),
        ('```json\n{"kind": "observation", "turn": {"user": 1}}\n```', True),
        ('```python\nturn = Turn(platform="web", user=1, turn="m-1")\n```', True),
        ('```python\nturn = Turn(\n    platform="web",\n    user=1,\n)\n```', False),
        ("```python\nturn = Turn(user=1)  # no turn id: a store is told of none\n```", True),
        ("```python\nturn = Turn(**place)\n```", True),
    ],
)
def test_an_example_without_turn_id_is_found(example: str, *, is_right: bool) -> None:
    assert (list(without_turn("page.md", example)) == []) is is_right


def test_a_program_without_turn_id_is_found() -> None:
    assert list(without_turn("bot.py", "turn = Turn(user=1)")) == ["turn = Turn(user=1)"]


def without_turn(name: str, text: str) -> Iterator[str]:
    """The calls of a page or program that do not say which turn it is."""
    blocks = BLOCK.findall(text) if name.endswith(".md") else [(Path(name).suffix.lstrip("."), text)]
    for language, block in blocks:
        match language:
            case "python" | "py":
                yield from _turns_without_id(textwrap.dedent(block))
            case "console" | "sh":
                yield from filter(_lacks_turn, block.splitlines())
            case _:
                pass


def _lacks_turn(line: str) -> bool:
    """Whether a line of a shell calls a tool, or says who speaks, without a turn id."""
    if "zgadka call " in line and "--lines" not in line and "--turn " not in line:
        return True
    return line.startswith("$ ") and any('"turn":' not in speaker for speaker in SPEAKER.findall(line))


def _turns_without_id(program: str) -> Iterator[str]:
    lines = program.splitlines()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Turn":
            names = {keyword.arg for keyword in node.keywords}  # None: `**place`
            if not names & {"turn", None} and NO_TURN not in lines[(node.end_lineno or node.lineno) - 1]:
                yield lines[node.lineno - 1]
