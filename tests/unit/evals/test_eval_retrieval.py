"""`zgadka eval retrieval`: through the product, against the baselines, to a report."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from zgadka.cli.main import app
from zgadka.errors import MissingExtra
from zgadka.evals.baselines import Fts5, PlainBm25
from zgadka.evals.data import Conversation, load_benchmark
from zgadka.evals.report import require_plotting
from zgadka.evals.retrieval import evaluate, rank_with_product
from zgadka.evals.vectors import KeptEmbedder
from zgadka.search.embedders.calibration import questions

LINES = [
    ("Ann", "I planted a fig tree behind the house"),
    ("Bob", "I repaired my old motorcycle"),
    ("Ann", "the weather is grey again"),
    ("Bob", "my sister moved to Lviv"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One LoCoMo conversation, in which each turn is a session of its own."""
    talk: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Bob"}
    for number, (speaker, text) in enumerate(LINES, 1):
        talk[f"session_{number}_date_time"] = f"1:00 pm on {number} May, 2023"
        talk[f"session_{number}"] = [{"speaker": speaker, "dia_id": f"D{number}:1", "text": text}]
    asked = [("What did Ann plant?", "D1:1", 4), ("Where did Bob's sister move?", "D4:1", 1)]
    questions = [{"question": question, "evidence": [turn], "category": number} for question, turn, number in asked]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "c", "conversation": talk, "qa": questions}]))
    return path


@pytest.fixture
def assistant_data(tmp_path: Path) -> Path:
    """A LongMemEval question without marked turns."""
    sessions = [
        [{"role": "assistant", "content": "Good day."}, {"role": "user", "content": "I planted a fig tree."}],
        [{"role": "user", "content": "The weather is grey."}, {"role": "assistant", "content": "It is."}],
    ]
    item = {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "What did I plant?",
        "answer": "a fig tree",
        "question_date": "2023/06/20 (Tue) 02:21",
        "haystack_session_ids": ["a", "b"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 02:21"],
        "haystack_sessions": sessions,
        "answer_session_ids": ["a"],
    }
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps([item]))
    return path


class Letters:
    """Counts letters; counts also how often it is asked."""

    name = "letters"
    is_remote = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        rows = np.array([[1.0, *(text.count(letter) for letter in "aeiou")] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        return self.embed([text])[0]


class Slow(Letters):
    """Takes longer for a question than an answer of the product may, but for those that it is measured by."""

    def embed_query(self, text: str) -> Any:
        time.sleep(0 if text in questions() else 0.4)
        return super().embed_query(text)


def conversation(path: Path) -> Conversation:
    return load_benchmark(path).conversations[0]


def test_the_product_finds_what_answers(data: Path) -> None:
    plant, sister = asyncio.run(rank_with_product(conversation(data), None))
    assert plant[0] == "D1:1"
    assert sister[0] == "D4:1"


def test_a_talk_with_an_assistant_is_recorded_with_roles(assistant_data: Path) -> None:
    (found,) = asyncio.run(rank_with_product(conversation(assistant_data), None))
    assert found[0] == "a#0:1"


def test_an_assistant_alone_is_recorded_too(assistant_data: Path) -> None:
    whole = conversation(assistant_data)
    alone = [turn for turn in whole.turns if turn.speaker == "assistant"]
    only = Conversation(name="q", turns=alone, questions=whole.questions, asker="user")
    assert asyncio.run(rank_with_product(only, None)) == [[]]


@pytest.mark.parametrize("make", [PlainBm25, lambda talk: Fts5(talk, "porter"), lambda talk: Fts5(talk, "unicode61")])
def test_the_baselines_find_plain_words(data: Path, make: Any) -> None:
    ranker = make(conversation(data))
    assert [found[:1] for found in ranker.rank(["fig tree", 'the "MOTORCYCLE"', "?!"], 5)] == [["D1:1"], ["D2:1"], []]
    assert len(ranker.rank(["Ann Bob"], 3)[0]) == 3


def test_every_system_is_measured_on_every_question(data: Path) -> None:
    told: list[tuple[str, int]] = []
    results = asyncio.run(
        evaluate(load_benchmark(data), embedder=Letters(), progress=lambda doing, behind: told.append((doing, behind)))
    )
    names = ["zgadka", "zgadka, letters", "FTS5 porter", "FTS5 unicode61", "plain BM25"]
    assert [result.system for result in results] == names
    assert results[0].counts == {"all": 2, "multi-hop": 1, "single-hop": 1}
    assert results[0].turns["all"]["recall@5"].mean == 1.0
    assert results[0].sessions["single-hop"]["MRR"].mean == 1.0
    assert told[0] == ("c: zgadka", 0)
    assert told[-1] == ("averages", 2)


def test_sessions_are_judged_where_turns_are_unknown(assistant_data: Path, tmp_path: Path) -> None:
    ran = run("--data", assistant_data, "--out", tmp_path / "out", "--plot")
    assert ran.exit_code == 0
    assert "## Turns" not in ran.stdout
    assert "## Sessions" in ran.stdout
    assert (tmp_path / "out" / "retrieval.png").stat().st_size > 1000


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["eval", "retrieval", *map(str, arguments)])


def test_the_command_prints_tables_and_writes_files(data: Path, tmp_path: Path) -> None:
    ran = run("--data", data, "--k", 1, "--k", 3, "--out", tmp_path / "out", "--captions")
    assert ran.exit_code == 0
    assert "| system | recall@1 | recall@3 | nDCG@10 | MRR |" in ran.stdout
    assert "| zgadka | 1.000 (1.000–1.000)" in ran.stdout
    assert "recall@1 by category (questions):" in ran.stdout
    assert "- data: locomo.json (LoCoMo, with captions)" in ran.stdout
    written = json.loads((tmp_path / "out" / "retrieval.json").read_text())
    assert written["results"][0]["turns"]["all"]["recall@1"]["mean"] == 1.0
    assert (tmp_path / "out" / "retrieval.md").read_text() == ran.stdout[:-1]
    assert not (tmp_path / "out" / "retrieval.png").exists()


def test_the_plot_shows_the_measure_that_there_is(data: Path, tmp_path: Path) -> None:
    assert run("--data", data, "--k", 1, "--out", tmp_path / "out", "--plot").exit_code == 0
    assert (tmp_path / "out" / "retrieval.png").stat().st_size > 1000


def test_without_matplotlib_a_plot_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"\.\[eval\]"):
        require_plotting()
    assert isinstance(run("--data", data, "--plot").exception, MissingExtra)


def test_the_embedder_is_asked_once_for_each_text(monkeypatch: pytest.MonkeyPatch, data: Path, tmp_path: Path) -> None:
    letters = Letters()
    monkeypatch.setattr("zgadka.search.embedders.build.build_embedder", lambda settings: letters)
    options = ("--data", data, "--embedder", "openai:letters", "--keep-vectors", tmp_path / "new" / "kept.db")
    first = run(*options)
    asked = len(letters.asked)
    again = run(*options)
    assert asked == len(letters.asked) > 0
    assert first.stdout == again.stdout
    assert "| zgadka, letters |" in first.stdout
    assert "- zgadka, letters: 2 of 2 questions had a vector" in first.stdout


def test_any_embedder_can_be_named_and_takes_the_other_settings(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    built: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "zgadka.search.embedders.build.build_embedder",
        lambda settings: built.append((settings.embedder, settings.embedder_url)),
    )
    monkeypatch.setenv("ZGADKA_EMBEDDER_URL", "http://localhost:1/v1")
    assert run("--data", data, "--embedder", "openai:bge-m3").exit_code == 0
    assert built[0] == ("openai:bge-m3", "http://localhost:1/v1")


def test_an_evaluation_waits_for_the_vector_of_each_question(data: Path) -> None:
    """However slow: what is measured is what is found."""
    [_, by_letters, *_] = asyncio.run(evaluate(load_benchmark(data), embedder=Slow()))
    assert by_letters.by_meaning == by_letters.counts["all"] == 2


def test_kept_vectors_are_those_that_were_made(tmp_path: Path) -> None:
    letters = Letters()
    kept = KeptEmbedder(letters, tmp_path / "kept.db")
    assert (kept.name, kept.is_remote) == ("letters", False)
    for _ in range(2):
        assert np.allclose(
            kept.embed(["tea", "cacao", "tea", "\ud800"]), letters.embed(["tea", "cacao", "tea", "\ud800"]), atol=1e-3
        )
        assert np.allclose(kept.embed_query("tea"), letters.embed_query("tea"), atol=1e-3)
    kept.close()


def test_a_file_that_is_none_ends_the_command_with_a_reason(tmp_path: Path) -> None:
    assert "cannot read" in str(run("--data", tmp_path / "absent.json").exception)


def test_the_help_of_the_program_loads_no_benchmark() -> None:
    import subprocess

    program = "import sys, zgadka.cli.main; print([m for m in sys.modules if m.startswith('zgadka.evals.')])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['zgadka.evals.cli', 'zgadka.evals.safety', 'zgadka.evals.safety.cli']"
