"""`zgadka eval …`: measure the memory on public data."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from zgadka._version import __version__

if TYPE_CHECKING:
    from zgadka.evals.data import Benchmark
    from zgadka.evals.retrieval import Result
    from zgadka.search.embedders.port import Embedder

evals = typer.Typer(help="Measure how well memory works, on public data.", no_args_is_help=True)


@evals.callback()
def _root() -> None:
    pass


@evals.command()
def retrieval(
    data: Annotated[Path, typer.Option(help="A file of LoCoMo or LongMemEval, as published.")],
    embedder: Annotated[
        Literal["none", "local"], typer.Option(help="none: words alone; local: the sentence model of embed-local.")
    ] = "none",
    k: Annotated[list[int] | None, typer.Option(help="Cut-offs of recall; default 5, 10 and 20.")] = None,
    limit_conversations: Annotated[int | None, typer.Option(min=1, help="Read only so many.")] = None,
    captions: Annotated[bool, typer.Option("--captions", help="Let LoCoMo's picture captions be text.")] = False,
    out: Annotated[Path | None, typer.Option(help="A directory for retrieval.json and retrieval.md.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw retrieval.png too (extra 'eval').")] = False,
    keep_vectors: Annotated[Path | None, typer.Option(help="A file that keeps vectors for the next run.")] = None,
) -> None:
    """Record conversations, ask their questions, and compare what is found with what answers them.

    Every turn is recorded as a message of its own; the questions are asked of the product's search of messages, of
    SQLite's FTS5 and of plain BM25. Nothing leaves the machine.
    """
    from zgadka.evals.data import load_benchmark  # noqa: PLC0415  (`zgadka --help` needs none of this)
    from zgadka.evals.report import as_markdown, require_plotting, write_report  # noqa: PLC0415

    if plot:
        require_plotting()  # before an hour of work, not after
    benchmark = load_benchmark(data, limit=limit_conversations, captions=captions)
    about = _about(data, benchmark, captions=captions)
    results = _evaluate(benchmark, embedder, sorted(set(k or (5, 10, 20))), keep_vectors)
    typer.echo(as_markdown(results, about))
    if out is not None:
        for path in write_report(results, about, out, plot=plot):
            typer.echo(f"wrote {path}", err=True)


def _about(data: Path, benchmark: Benchmark, *, captions: bool) -> dict[str, str]:
    asked = sum(len(conversation.questions) for conversation in benchmark.conversations)
    turns = sum(len(conversation.turns) for conversation in benchmark.conversations)
    return {
        "data": f"{data.name} ({benchmark.format}{', with captions' if captions else ''})",
        "conversations": f"{len(benchmark.conversations)}, {turns} turns",
        "questions": f"{asked}, and {benchmark.skipped} left out that nothing answers",
        "intervals": "95 %, bootstrap over questions",
        "zgadka": __version__,
    }


def _evaluate(
    benchmark: Benchmark, embedder: Literal["none", "local"], ks: list[int], keep: Path | None
) -> list[Result]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    from zgadka.evals.retrieval import evaluate  # noqa: PLC0415
    from zgadka.evals.vectors import KeptEmbedder  # noqa: PLC0415

    made = _local() if embedder == "local" else None
    kept = KeptEmbedder(made, keep) if made is not None and keep is not None else None
    asked = sum(len(conversation.questions) for conversation in benchmark.conversations)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(file=sys.stderr)) as bar:
            task = bar.add_task("reading", total=asked)

            def progress(doing: str, behind: int) -> None:
                bar.update(task, description=doing, completed=behind)

            return asyncio.run(evaluate(benchmark, embedder=kept or made, ks=ks, progress=progress))
    finally:
        if kept is not None:
            kept.close()


def _local() -> Embedder | None:
    from zgadka.search.embedders.build import build_embedder  # noqa: PLC0415
    from zgadka.settings import Settings  # noqa: PLC0415

    return build_embedder(Settings(embedder="local", embedder_path=Settings.load().embedder_path))
