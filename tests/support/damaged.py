"""A small database of three people, one byte of which is another, and what is still told of each of them."""

from __future__ import annotations

import asyncio
import contextlib
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import typer

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.cli.files import doctor
from zgadka.errors import StoreError, ZgadkaError
from zgadka.ops.operator_queries import inventory
from zgadka.transfer.export import export_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PEOPLE = (11, 22, 33)
_SETTINGS = Settings(background=False, calls_per_hour=0, embedder="none")


def opened(file: Path) -> Memory:
    return open_memory(f"sqlite:///{file}", settings=_SETTINGS, clock=lambda: NOW)


def turn(person: int, *, direct: bool = False, **more: Any) -> Turn:
    place = str(person) if direct else "room"
    return Turn(platform="telegram", space=place, chat=place, user=person, direct=direct, **more)


async def _fill(file: Path) -> None:
    numbers = count()
    async with opened(file) as memory:
        for person in PEOPLE:
            await memory.record("user", f"Привіт from {person}, I grow tulips", turn(person, message=f"m{person}"))
        for person in PEOPLE:

            async def call(tool: str, person: int = person, **arguments: Any) -> Any:
                result = await memory.call(tool, arguments, turn(person, turn=f"t{next(numbers)}"))
                assert result.status == "success", result
                return result

            fact = {"user_id": person, "fact_type": "personal", "confidence": 0.9}
            await call("remember_fact", **fact, fact_key="location", fact_value=f"Чернівці {person}")
            await call("remember_fact", **fact, fact_key="hobby", fact_value="tulips", source_excerpt="I grow tulips")
            await call("remember", content=f"allergic to nuts number {person}", tags=["health"])
            await call(
                "update_fact", user_id=person, fact_type="personal", fact_key="hobby", new_value="tulips and roses",
                confidence=0.9, change_reason="refinement",
            )  # fmt: skip
        for person in PEOPLE:
            await memory.call(
                "create_episode",
                {"topic": f"Garden {person}", "summary": "They talked about tulips.", "importance": 0.8, "tags": ["t"]},
                turn(person, turn="episode"),
            )
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    connection.close()


def fill(file: Path) -> None:
    """Make the database, in one file."""
    asyncio.run(_fill(file))


@dataclass
class Answers:
    """What a database answered.

    Attributes:
        told: What was told each person, or the error that came instead; nothing where the file was refused.
        stored: What an export of everything held.
        broken: What a caller would have got as a traceback.
    """

    told: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    stored: Any = None
    broken: list[str] = field(default_factory=list[str])


async def _ask(file: Path) -> Answers:
    answers = Answers()

    async def attempt(name: str, ask: Callable[[], Any]) -> Any:
        try:
            return await ask()
        except StoreError as error:
            return type(error).__name__
        except Exception as error:  # noqa: BLE001  (what a caller would get as a traceback)
            answers.broken.append(f"{name}: {type(error).__name__}: {error}"[:300])
            return "broken"

    try:
        memory = opened(file)
    except ZgadkaError as error:
        answers.stored = type(error).__name__
        return answers
    except Exception as error:  # noqa: BLE001  (as above)
        answers.broken.append(f"open: {type(error).__name__}: {error}")
        return answers
    try:
        for person in PEOPLE:
            told = answers.told[person] = {}
            for tool, arguments in (
                ("recall", {"query": "tulips nuts Чернівці", "limit": 50}),
                ("recall_facts", {"user_id": person, "limit": 50}),
                ("recall_episodes", {"query": "garden"}),
            ):

                async def call(tool: str = tool, arguments: Any = arguments, person: int = person) -> Any:
                    return (await memory.call(tool, arguments, turn(person, turn=tool))).json()

                told[tool] = await attempt(tool, call)
            here = turn(person, text="tulips")
            told["messages"] = await attempt("messages", partial(memory.recent, here, 20))
            told["search"] = await attempt("search", partial(memory.search_messages, "tulips", here, 20))
            told["context"] = await attempt("context", partial(memory.build_context, here, 500))
            theirs = partial(inventory, platform="telegram", user=str(person), space=None, archived=True)
            told["list"] = await attempt("list", partial(memory.look, theirs))
            told["export"] = await attempt("export", partial(memory.export, turn(person, direct=True)))
        lines: list[str] = []
        answers.stored = await attempt("store", lambda: memory.look(export_store, lines.append)), lines
    finally:
        await memory.close()
    return answers


def ask(file: Path) -> Answers:
    """Recall, list and export everything of everybody."""
    return asyncio.run(_ask(file))


def examine(file: Path, *, repair: bool = False) -> tuple[int, str]:
    """What `zgadka doctor` prints, and how it ends; what else it raises is a traceback."""
    printed = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            doctor(db=f"sqlite:///{file}", repair=repair)  # pyright: ignore[reportCallIssue]
        except typer.Exit as ended:
            code = ended.exit_code
        except ZgadkaError as error:
            printed.write(str(error))
            code = 2
    return code, printed.getvalue()


def flipped(file: Path, target: Path, offset: int, value: int) -> None:
    """Copy a file with another byte there."""
    for old in target.parent.glob(f"{target.name}*"):
        old.unlink()
    shutil.copy(file, target)
    with target.open("r+b") as copy:
        copy.seek(offset)
        copy.write(bytes([value]))
