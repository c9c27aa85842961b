"""The commands about the database as a whole: `zgadka migrate`, `backup`, `restore`, `doctor`."""

from __future__ import annotations

import asyncio
import json
import platform as machine
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zgadka._version import __version__
from zgadka.cli.shell import Db, Now, clock_at, note, over_memory, progress_bar, say, shows_bars, with_memory
from zgadka.errors import InvalidInput, StoreError

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.backup import Backup

_BRINGS_BACK = (
    "No record of erasures was found beside the database: "
    "anyone erased since this backup was made will be back. Restore?"
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup file.")]

_DAMAGED = (
    "some rows are damaged, in the copy as in the database: keep an older backup, and run `zgadka doctor --repair`, "
    "which sets them aside"
)

_TOKENS_ARE_BACK = (
    "tokens that were revoked after this backup was made work again: list them with `zgadka token list`, and "
    "revoke them with `zgadka token revoke`"
)

_KEY_IS_MISSING = (
    "a key of people's wishes is missing, so who was erased or set a privacy level is not known when they come back: "
    "put back the file *.wish-keys beside the database, or set ZGADKA_WISH_KEY as it was"
)


def migrate(
    source: Annotated[
        str | None, typer.Option("--from", metavar="URL", help="Move everything from this database.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="URL", help="The empty database to move to. An interrupted move resumes when run again."
        ),
    ] = None,
    citus: Annotated[
        bool,
        typer.Option(
            "--citus",
            help="Distribute the tables with Citus. Experimental: do not use it for important data.",
        ),
    ] = False,
    db: Db = None,
) -> None:
    """Create or upgrade the tables of a database. Prints its schema version; opening a database does the same.

    With --from and --to: move everything to another database, compare the two and print the tables. Before you start,
    stop everything that writes to the first one.
    """
    if source is not None or target is not None:
        _move(source, target, db, citus=citus)
        return
    if citus:
        from zgadka.assemble import make_citus_tables  # noqa: PLC0415  (`zgadka --help` needs no database)

        make_citus_tables(db)

    async def show(memory: Memory) -> None:
        report = await asyncio.to_thread(memory.inspect)
        say(json.dumps({name: report[name] for name in ("schema", "layout") if name in report}))

    with_memory(db, None, show, background=False)


def _move(source: str | None, target: str | None, db: str | None, *, citus: bool) -> None:
    if source is None or target is None or db is not None:
        raise InvalidInput("to move a database, give both --from and --to, without --db")
    from zgadka.assemble import move  # noqa: PLC0415  (`zgadka --help` needs no database)

    with progress_bar("moving and comparing") as progress:
        moved = move(source, target, citus=citus, progress=progress)
    tables = {name: asdict(table) for name, table in moved.tables.items()}
    say(json.dumps({"from": moved.source, "to": moved.target, "tables": tables}, ensure_ascii=False))


@over_memory(background=False, reads=True)
async def backup(
    memory: Memory,
    file: File,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Back up the database to a file, even while it is in use. Verify the copy and print its contents in numbers."""
    with progress_bar("copying") as progress:
        copy = await memory.backup(file, overwrite=force, progress=progress)
    say(json.dumps(_fields(copy)))
    if copy.damaged:
        say(_DAMAGED, file=sys.stderr)
        raise typer.Exit(1)


def restore(
    file: File,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing database; the old one is kept beside it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    db: Db = None,
    clock: Now = None,
) -> None:
    """Verify a backup and restore the database from it. Nobody may use the database meanwhile.

    People who were erased after the backup was made are erased again; where nobody knows who they are, you are asked.
    """
    from zgadka.assemble import restore as put_back  # noqa: PLC0415  (`zgadka --help` needs no database)

    def ask() -> None:
        if not yes and not typer.confirm(_BRINGS_BACK, err=True):
            raise typer.Exit(1)

    with progress_bar("copying") as progress:
        restored = put_back(file, db, overwrite=force, clock=clock_at(clock), progress=progress, without_wishes=ask)
    people = None if restored.erased is None else [f"{platform}:{name}" for platform, name in restored.erased]
    old_file = None if restored.kept is None else str(restored.kept)
    report = {"kept": old_file, "erased_again": restored.erased_again, "erased_since": people}
    report["revoked"] = restored.revoked
    say(json.dumps(_fields(restored.backup) | report, ensure_ascii=False))
    if restored.revoked is None and restored.backup.rows.get("token"):
        say(_TOKENS_ARE_BACK, file=sys.stderr)
    if restored.backup.damaged:
        say(_DAMAGED, file=sys.stderr)
    for person in people or ():
        say(
            f"{person} is back, whom the replaced database did not know: erase them again if they were erased",
            file=sys.stderr,
        )


@over_memory(background=False, reads=True)
async def doctor(
    memory: Memory,
    repair: Annotated[
        bool, typer.Option("--repair", help="Set unreadable rows aside; rebuild indexes, tallies, links and vectors.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the database: integrity, unreadable rows, inconsistencies. Exits with 1 if anything is wrong.

    Lines that say `missing` are advice: what your program could tell the memory, and what it would gain.
    """
    from zgadka.ops.missing_guarantees import missing_guarantees  # noqa: PLC0415  (as in `restore`)
    from zgadka.search.embedders.build import NO_EMBEDDER, with_packaged  # noqa: PLC0415  (as in `restore`)

    report = {"zgadka": __version__, "python": machine.python_version()}
    if shows_bars():
        note("reading every page and row of the database …")
    mended = await asyncio.to_thread(memory.mend) if repair else None
    findings = await asyncio.to_thread(memory.inspect)
    report |= findings
    is_sound = (findings["integrity"], findings["foreign"]) == ("ok", "none")
    is_readable = findings.get("damaged", "none") == "none"
    embedder = with_packaged(memory.settings).embedder or NO_EMBEDDER  # as the programs do
    report["embedder"] = "none: recall uses words only" if embedder == NO_EMBEDDER else embedder
    if mended is not None and mended[0] != "ok":
        report["repaired"] = mended[0]
    try:
        report |= {name: str(count) for name, count in (await memory.look(lambda tx: tx.maintenance.counts())).items()}
        if repair and is_sound:
            report["repaired"] = "; ".join(
                [*filter(None, [report.get("repaired")]), _said(await _drift(memory, mend=True))]
            )
        unreadable = await memory.look(lambda tx: tx.wishes.count_unreadable())
        report["wishes"] = f"{unreadable} kept by an unknown key" if unreadable else "ok"
        drift = await _drift(memory, mend=False)
        missing = await memory.look(missing_guarantees)
    except StoreError as error:
        unreadable, missing = 0, []
        report["drift"], is_sound = f"unknown: {error}", False
    else:
        report["drift"], is_sound = _said(drift), is_sound and not drift
    if as_json:
        say(json.dumps(report | {"missing": missing}, ensure_ascii=False))
    for name, value in () if as_json else [*report.items(), *(("missing", sentence) for sentence in missing)]:
        say(f"{name:13} {value}")
    if unreadable:
        say(_KEY_IS_MISSING, file=sys.stderr)
    is_sound = is_sound and is_readable
    if not is_sound:
        say(_what_to_do(findings, repair=repair), file=sys.stderr)
    if unreadable or not is_sound:
        raise typer.Exit(1)


async def _drift(memory: Memory, *, mend: bool) -> Counter[str]:
    """What differs from the rows, of everybody; mended as it is found, or left."""
    from zgadka.ops.repair import find_drift, owners_to_check, repair  # noqa: PLC0415  (as in `restore`)

    drift: Counter[str] = Counter()
    owners = await memory.look(owners_to_check)
    with progress_bar("repairing" if mend else "comparing") as progress:
        for done, owner in enumerate(owners, 1):
            drift.update(await memory.apply(repair, owner) if mend else (await memory.look(find_drift, owner)).counts)
            progress(done, len(owners))
    return drift


def _said(drift: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in drift.items()) or "none"


def _what_to_do(findings: Mapping[str, str], *, repair: bool) -> str:
    if findings["foreign"] != "none":
        return "what is foreign could keep what is forgotten here: remove it (DROP TRIGGER, DROP VIEW, …)"
    if not repair:
        return "something is wrong: copy the file, then run `zgadka doctor --repair`"
    if findings["integrity"] != "ok":
        return "the file is damaged beyond its indexes: restore a backup, or export what can still be read"
    return "something is still wrong: check what else changes the file besides zgadka"


def _fields(copy: Backup) -> dict[str, Any]:
    fields = {"file": str(copy.file), "bytes": copy.size_bytes, "schema": copy.schema, "rows": dict(copy.rows)}
    return fields | ({"damaged": list(copy.damaged)} if copy.damaged else {})
