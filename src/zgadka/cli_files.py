"""The commands about the database as a whole: `zgadka migrate`, `backup`, `restore`, `doctor`."""

from __future__ import annotations

import asyncio
import json
import platform as machine
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zgadka._version import __version__
from zgadka.errors import InvalidInput, StoreError
from zgadka.shell import Db, Now, clock_at, progress_bar, say, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.copies import Backup

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]


def migrate(
    source: Annotated[
        str | None, typer.Option("--from", metavar="URL", help="Move everything from this database …")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="… to this empty one; run again, it goes on where it was.")
    ] = None,
    citus: Annotated[
        bool, typer.Option("--citus", help="Divide the tables by owner over the servers of a Citus cluster.")
    ] = False,
    db: Db = None,
) -> None:
    """Make the tables of a database, or bring them up to date, and print how they are; opening it does so too.

    With --from and --to: move everything to another database, compare the two, and print what is there. Stop what
    writes to the first one before.
    """
    if source is not None or target is not None:
        _move(source, target, db, citus=citus)
        return
    if citus:
        from zgadka.assemble import make_citus_tables  # noqa: PLC0415  (`zgadka --help` needs no database)

        make_citus_tables(db)

    async def show(memory: Memory) -> None:
        found = await asyncio.to_thread(memory.inspect)
        say(json.dumps({name: found[name] for name in ("schema", "layout") if name in found}))

    with_memory(db, None, show, background=False)


def _move(source: str | None, target: str | None, db: str | None, *, citus: bool) -> None:
    if source is None or target is None or db is not None:
        raise InvalidInput("to move a database, give both --from and --to, and no --db")
    from zgadka.assemble import move  # noqa: PLC0415  (`zgadka --help` needs no database)

    with progress_bar("moving and comparing") as progress:
        moved = move(source, target, citus=citus, progress=progress)
    tables = {name: asdict(table) for name, table in moved.tables.items()}
    say(json.dumps({"from": moved.source, "to": moved.target, "tables": tables}, ensure_ascii=False))


def backup(
    file: File,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    db: Db = None,
) -> None:
    """Copy the database to a file while others use it, verify the copy, and print what is in it."""

    async def act(memory: Memory) -> None:
        with progress_bar("copying") as progress:
            made = await memory.backup(file, overwrite=force, progress=progress)
        say(json.dumps(_fields(made)))

    with_memory(db, None, act, background=False)


def restore(
    file: File,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the database that is there; it is kept beside the new one.")
    ] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Verify a backup and put it in the place of the database, which nobody may use meanwhile."""
    from zgadka.assemble import restore as put_back  # noqa: PLC0415  (`zgadka --help` needs no database)

    with progress_bar("copying") as progress:
        restored = put_back(file, db, overwrite=force, clock=clock_at(now), progress=progress)
    people = None if restored.erased is None else [f"{platform}:{name}" for platform, name in restored.erased]
    kept = None if restored.kept is None else str(restored.kept)
    say(json.dumps(_fields(restored.backup) | {"kept": kept, "erased_since": people}, ensure_ascii=False))
    if people is None:
        say("people who were erased after the backup was made are back: erase them again", file=sys.stderr)
    for platform, name in restored.erased or ():
        say(f"erased after the backup was made, and back: erase them again: {platform}:{name}", file=sys.stderr)


def doctor(
    db: Db = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Make indexes, tallies, links and vectors agree with the rows.")
    ] = False,
) -> None:
    """Show versions, file, integrity, counts, and what disagrees with the rows; exit 1 when anything is wrong."""

    async def show(memory: Memory) -> None:
        from zgadka.stores.tx import Tx  # noqa: PLC0415  (as in `restore`)

        report = {"zgadka": __version__, "python": machine.python_version()}
        mended = await asyncio.to_thread(memory.mend) if repair else None
        found = await asyncio.to_thread(memory.inspect)
        report |= found
        is_sound = found["integrity"] == "ok"
        report["embedder"] = memory.settings.embedder or "none: recall goes by words alone"
        if mended is not None and mended[0] != "ok":
            report["repaired"] = mended[0]
        try:
            report |= {name: str(count) for name, count in (await memory.look(Tx.counts)).items()}
            if repair and is_sound:
                report["repaired"] = "; ".join([*filter(None, [report.get("repaired")]), await _repair(memory)])
            drift = await _check(memory)
        except StoreError as error:
            report["drift"], is_sound = f"cannot be told: {error}", False
        else:
            report["drift"], is_sound = _said(drift), is_sound and not drift
        for name, value in report.items():
            say(f"{name:13} {value}")
        if not is_sound:
            say(_what_to_do(found["integrity"], repair=repair), file=sys.stderr)
            raise typer.Exit(1)

    with_memory(db, None, show, background=False)


async def _check(memory: Memory) -> Counter[str]:
    from zgadka.ops.repair import find_drift, owners_to_check  # noqa: PLC0415  (as in `restore`)

    drift: Counter[str] = Counter()
    for owner in _shown(await memory.look(owners_to_check), "comparing"):
        drift.update((await memory.look(find_drift, owner)).counts)
    return drift


async def _repair(memory: Memory) -> str:
    from zgadka.ops.repair import owners_to_check, repair  # noqa: PLC0415  (as in `restore`)

    drift: Counter[str] = Counter()
    for owner in _shown(await memory.look(owners_to_check), "repairing"):
        drift.update(await memory.apply(repair, owner))
    return _said(drift)


def _said(drift: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in drift.items()) or "none"


def _what_to_do(integrity: str, *, repair: bool) -> str:
    if not repair:
        return "something is wrong: make a copy of the file, then run `zgadka doctor --repair`"
    if integrity != "ok":
        return "the file is damaged beyond its indexes: restore a backup, or export what can still be read"
    return "something is wrong again: look for what changes the file besides zgadka"


def _fields(made: Backup) -> dict[str, Any]:
    return {"file": str(made.file), "bytes": made.size_bytes, "schema": made.schema, "rows": dict(made.rows)}


def _shown(owners: list[int], label: str) -> Iterator[int]:
    with progress_bar(label) as progress:
        for done, owner in enumerate(owners, 1):
            yield owner
            progress(done, len(owners))
