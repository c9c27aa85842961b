"""`zgadka eval safety`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka._version import __version__
from zgadka.errors import InvalidInput

if TYPE_CHECKING:
    from zgadka.evals.safety.doors import DoorName
    from zgadka.evals.safety.mutants import Trial
    from zgadka.evals.safety.run import Result


def safety(
    door: Annotated[str, typer.Option(help="What is tried: python, cli, rest or mcp.")] = "python",
    db: Annotated[
        str | None, typer.Option(help="An empty database; it is filled. Default: a SQLite file that is then removed.")
    ] = None,
    cases: Annotated[int, typer.Option(min=1, help="About how many.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="Another seed, other cases.")] = 1,
    only: Annotated[list[str] | None, typer.Option(help="Only this class; may be repeated.")] = None,
    case: Annotated[str | None, typer.Option(help="Run one case again, by the name that was printed.")] = None,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Instead take known guards away, one by one, and see that cases fail.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="A directory for safety.json and safety.md, or safety-mutants.md.")
    ] = None,
) -> None:
    """Try thousands of cases of what must never happen. Exits with 1 if any of it did.

    Wrong deletes, deletes without consent, leaks between people and between chats, other people's words as one's own,
    duplicates, lost writes, what is left after erasing, what is told after forgetting, against a privacy level or to
    others than its readers, changes against a policy, what is taken for one's own, what a token is let do without the
    right, deletions that no later turn agreed to, notes deleted by a blank text, and links that open too much.
    """
    from zgadka.evals.safety.doors import door_named  # noqa: PLC0415  (`zgadka --help` needs none of this)
    from zgadka.evals.safety.report import as_markdown, findings, write_report  # noqa: PLC0415

    name = door_named(door)
    if mutants:
        if (name, db, case) != ("python", None, None):
            raise InvalidInput(
                "--mutants changes this process, on databases of its own: give at most --only, --seed and --out"
            )
        _try_mutants(seed, only or (), out)
        return
    with _database(db) as url:
        if case is not None:
            from zgadka.evals.safety.run import replay  # noqa: PLC0415

            results = [asyncio.run(replay(name, url, case))]
            typer.echo("\n".join(findings(results)).strip() or f"nothing is wrong with {case}")
        else:
            results = _evaluate(name, url, cases, seed, only or ())
            about = _about(name, url, results, seed)
            typer.echo(as_markdown(results, about))
            for path in write_report(results, about, out) if out is not None else ():
                typer.echo(f"wrote {path}", err=True)
    if not all(result.is_good for result in results):
        raise typer.Exit(1)


def _about(door: DoorName, url: str, results: Sequence[Result], seed: int) -> dict[str, str]:
    return {
        "door": door,
        "database": "PostgreSQL" if url.startswith("postgres") else "SQLite",
        "cases": f"{sum(result.cases for result in results)}, seed {seed}",
        "intervals": "95 %, Wilson",
        "zgadka": __version__,
    }


def _try_mutants(seed: int, only: Sequence[str], out: Path | None) -> None:
    """Print which class sees what, and end with 1 if one sees nothing."""
    from zgadka.evals.progress import progress_bars  # noqa: PLC0415
    from zgadka.evals.safety.mutants import as_page, mutants_of, try_mutant  # noqa: PLC0415

    trials: list[Trial] = []
    with progress_bars() as begin:
        chosen = mutants_of(only)
        tell = begin("trying", len(chosen))
        for mutant in chosen:
            tell(mutant.name, len(trials))
            trials.append(asyncio.run(try_mutant(mutant, seed=seed)))
        tell("trying", len(trials))
    typer.echo(as_page(trials, seed))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "safety-mutants.md").write_text(as_page(trials, seed) + "\n", "utf-8")
    if not all(trial.is_red for trial in trials):
        raise typer.Exit(1)


@contextmanager
def _database(db: str | None) -> Generator[str]:
    if db is not None:
        yield db
        return
    with tempfile.TemporaryDirectory(prefix="zgadka-eval-") as folder:
        yield f"sqlite:///{folder}/memory.db"


def _evaluate(door: DoorName, url: str, cases: int, seed: int, only: Sequence[str]) -> list[Result]:
    from zgadka.evals.progress import progress_bars  # noqa: PLC0415
    from zgadka.evals.safety.run import evaluate  # noqa: PLC0415

    with progress_bars() as begin:
        tell = begin("trying", cases)

        def progress(doing: str, done: int) -> None:
            tell(doing, min(done, cases))

        return asyncio.run(evaluate(door, url, cases=cases, seed=seed, only=only, progress=progress))
