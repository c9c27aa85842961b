"""Big stores, filled by the product's own operations and kept for the next run."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import _corpus
import apsw

from zgadka import Settings, Turn, open_memory
from zgadka.ops.remember import New, remember
from zgadka.stores.sqlite import migrations
from zgadka.stores.tx import Tx

PLATFORM = "bench"
FIXED_PEOPLE = 50
FIXED_MEMORIES = 20
"""From 10,000 memories on, these people have this many memories each, whatever the others have."""

_NOTES_SHARE = 0.2
_BATCH = 5_000
_SEED = 20_261_121
_YEAR = timedelta(days=365)


def turn_of(person: int, turn: str | None = None, text: str | None = None) -> Turn:
    """What one person says in the direct chat with the bot."""
    name = str(person)
    return Turn(platform=PLATFORM, space=name, chat=name, user=name, turn=turn, text=text, direct=True)


def fixed_people(size: int, people: int) -> range:
    """Those whose number of memories is the same in every store from 10,000 memories on; none in smaller ones."""
    if size < 10_000 or people <= FIXED_PEOPLE:
        return range(0)
    return range(people - FIXED_PEOPLE + 1, people + 1)


def growing_people(size: int, people: int) -> range:
    """Those who share the other memories evenly."""
    return range(1, people + 1 - len(fixed_people(size, people)))


async def filled(size: int, people: int) -> Path:
    """Return a store with `size` memories of `people` persons; made once, do not write to it.

    Every memory goes through `ops.remember`, in random order of persons as in life, 5,000 in one commit; only
    SQLite's cache is larger than the product's.
    """
    schema = hashlib.sha256(repr((migrations(), _SEED, FIXED_PEOPLE, FIXED_MEMORIES)).encode()).hexdigest()[:8]
    path = folder() / f"{size}-{people}-{schema}.db"
    if path.exists():
        return path
    started = time.perf_counter()
    unfinished = path.with_suffix(".unfinished")
    _remove(unfinished)
    apsw.connection_hooks.append(_enlarge_cache)
    start = datetime.now(UTC) - _YEAR
    now = [start]
    try:
        settings = Settings(max_facts=size, max_notes=size)
        async with open_memory(f"sqlite:///{unfinished}", settings=settings, clock=lambda: now[0]) as memory:
            owners = _owners_in_order(size, people)
            for first in range(0, size, _BATCH):
                now[0] = start + _YEAR * (first / size)
                await memory.apply(_remember_all, owners[first : first + _BATCH], first)
                print(f"\rfilling {size:,}: {first:,}", end="", file=sys.stderr)
    finally:
        apsw.connection_hooks.remove(_enlarge_cache)
    unfinished.rename(path)
    print(f"\rfilled {size:,} memories in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return path


def copied(store: Path, name: str) -> Path:
    """Return a copy of a store to write to, on disk before this returns."""
    path = store.with_name(f"work-{os.getpid()}-{name}.db")
    _remove(path)
    shutil.copyfile(store, path)
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return path


def discard(path: Path) -> None:
    """Remove a copy."""
    _remove(path)


def folder() -> Path:
    """Where the stores are: `ZGADKA_BENCH_DIR`, or a directory of this user in the temporary directory."""
    path = Path(os.environ.get("ZGADKA_BENCH_DIR") or Path(tempfile.gettempdir()) / f"zgadka-bench-{os.getuid()}")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _owners_in_order(size: int, people: int) -> list[int]:
    fixed, growing = fixed_people(size, people), growing_people(size, people)
    owners = [person for person in fixed for _ in range(FIXED_MEMORIES)]
    owners += [growing[index % len(growing)] for index in range(size - len(owners))]
    random.Random(_SEED).shuffle(owners)
    return owners


def _remember_all(tx: Tx, owners: Sequence[int], first: int) -> None:
    for number, person in enumerate(owners, first):
        chance = random.Random(_SEED + number)
        if chance.random() < _NOTES_SHARE:
            new = New(content=_corpus.note(chance, number))
        else:
            fact = _corpus.fact(chance, number)
            new = New(content=fact.value, type=cast("Any", fact.type), key=fact.key, confidence=0.9)
        remember(tx, turn_of(person), person, new)


def _enlarge_cache(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA cache_size=-1000000")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
