"""Measure how well memories are found by questions: stored and recalled through the tools, as a model does."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from zgadka.assemble import open_memory
from zgadka.errors import InvalidInput
from zgadka.evals.metrics import Estimate, proportion
from zgadka.evals.report import table
from zgadka.evals.retrieval import queries_by_meaning
from zgadka.model.turn import Turn
from zgadka.settings import Settings

if TYPE_CHECKING:
    from zgadka.search.embedders.protocols import Embedder

KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class MemoryQuestion:
    """A question, its language, and the ids of the memories each of which answers it."""

    text: str
    language: str
    answers: frozenset[str]


@dataclass(frozen=True)
class MemoryExam:
    """Memories of one person by id, and questions about them."""

    memories: Mapping[str, str]
    questions: Sequence[MemoryQuestion]


@dataclass(frozen=True)
class Ranked:
    """What was found.

    Attributes:
        rankings: The ids of what was found for each question, best first.
        by_meaning: How many questions had a vector; of the others, words alone decided.
    """

    rankings: Sequence[Sequence[str]]
    by_meaning: int


def load_memories(path: Path) -> MemoryExam:
    """Read a file of JSON lines.

    A memory is `{"kind": "fact" or "passage", "id", "text"}`, a question `{"kind": "question", "text", "lang",
    "answers": [ids]}`, or has one `"answer"`.

    Raises:
        InvalidInput: It cannot be read, or is none.
    """
    try:
        rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        memories = {str(row["id"]): str(row["text"]) for row in rows if row["kind"] in {"fact", "passage"}}
        questions = [
            MemoryQuestion(
                str(row["text"]), str(row.get("lang", "")), frozenset(map(str, row.get("answers") or [row["answer"]]))
            )
            for row in rows
            if row["kind"] == "question"
        ]
    except OSError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{str(path)!r} holds no lines of memories and questions: {error!r}") from error
    unknown = {answer for question in questions for answer in question.answers} - memories.keys()
    if unknown or not questions:
        raise InvalidInput(f"{str(path)!r} has {len(questions)} questions, and no memory {', '.join(sorted(unknown))}")
    return MemoryExam(memories, questions)


async def rank_memories(
    exam: MemoryExam, embedder: Embedder | None, progress: Callable[[int], object] = lambda _: None
) -> Ranked:
    """Let a person tell all the memories, then ask each question."""
    # A file: what is in memory alone is laid out anew for each question. Nothing is cut off by a clock.
    settings = Settings(query_ms=3_600_000, memory_tool_async=False, calls_per_hour=0, activity_days=0)
    with TemporaryDirectory() as folder:
        async with open_memory(f"sqlite:///{folder}/memory.db", settings=settings, embedder=embedder) as memory:
            ids: dict[int, str] = {}
            for number, (name, text) in enumerate(exam.memories.items()):
                stored = await memory.call("remember", {"content": text}, _turn(f"tell-{number}"))
                if "memory_id" not in stored:
                    raise InvalidInput(f"{text!r} is not remembered: {stored.json()}")
                ids[stored["memory_id"]] = name
            await memory.embed()
            used = queries_by_meaning()
            rankings: list[list[str]] = []
            for number, question in enumerate(exam.questions):
                arguments = {"query": question.text, "limit": max(KS)}
                answer = await memory.call("recall", arguments, _turn(f"ask-{number}"))
                rankings.append([ids[item["memory_id"]] for item in answer["memories"]])
                progress(number + 1)
            return Ranked(rankings, queries_by_meaning() - used)


def shares(exam: MemoryExam, rankings: Sequence[Sequence[str]]) -> dict[str, dict[int, Estimate]]:
    """In what share of the questions an answer is among the first k, by language, "all" first."""
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for question, ranking in zip(exam.questions, rankings, strict=True):
        rank = next((position for position, name in enumerate(ranking) if name in question.answers), max(KS))
        ranks["all"].append(rank)
        ranks[question.language].append(rank)
    return {
        language: {k: proportion(sum(rank < k for rank in group), len(group)) for k in KS}
        for language, group in ranks.items()
    }


def memories_markdown(exam: MemoryExam, results: Mapping[str, Ranked]) -> str:
    """The table: each system and language, with the shares of the questions that found an answer."""
    total = len(exam.questions)
    languages = Counter(question.language for question in exam.questions)
    counts = {"all": total, **languages}
    rows = [
        [system, language, str(counts[language]), *(f"{by_k[k].mean:.3f}" for k in KS)]
        for system, ranked in results.items()
        for language, by_k in shares(exam, ranked.rankings).items()
    ]
    lines = [
        f"# {total} questions about {len(exam.memories)} memories",
        "",
        *(f"- {system}: {ranked.by_meaning} of {total} questions had a vector" for system, ranked in results.items()),
        "",
        *table(["system", "language", "questions", *(f"first {k}" for k in KS)], rows),
    ]
    return "\n".join(lines)


def _turn(name: str) -> Turn:
    return Turn(platform="eval", space="1", chat="1", user=1, direct=True, turn=name)
