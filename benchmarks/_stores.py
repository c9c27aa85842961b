"""Big stores, filled by the product's own operations and kept for the next run.

A kept store's name holds a hash of the schema and of the words that are made of such texts: what older code filled is
filled anew.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

import _corpus
import apsw
import numpy as np
import numpy.typing as npt

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.ops.access import find_space
from zgadka.ops.messages import record
from zgadka.ops.reindex import note_reindexed
from zgadka.ops.remember import New, remember
from zgadka.search.embedders.vectors import to_bytes
from zgadka.stores.sql import migrations
from zgadka.stores.tx import Tx
from zgadka.stores.tx.vectors import Unembedded
from zgadka.text.canonical import canonical
from zgadka.text.words import index_words

PLATFORM = "bench"
FIXED_PEOPLE = 50
FIXED_MEMORIES = 20
"""From 10,000 memories on, these people have this many memories each, whatever the others have."""

_NOTES_SHARE = 0.2
_BATCH = 500
_OWNERS = 50
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

    Every memory goes through `ops.remember`, in random order of persons as in life, 500 in one commit; only
    SQLite's cache is larger than the product's.
    """
    path = folder() / f"{size}-{people}-{_schema(FIXED_PEOPLE, FIXED_MEMORIES)}.db"
    if not path.exists():
        owners = _owners_in_order(size, people)
        await _fill(path, size, owners, _remember_all)
    return path


async def filled_for_recall(size: int, memories: Sequence[int], messages: Sequence[int]) -> Path:
    """Return a store of `size` memories with a vector each, some people having so many; made once, do not write to it.

    Args:
        memories: How many memories the people have who are measured (`recallers`); all others have 100 each.
        messages: How many messages the chats have (`chat_turn`), each with a vector.
    """
    names = (tuple(memories), tuple(messages), _OTHERS_MEMORIES, RECALLERS)
    path = folder() / f"recall-{size}-{_schema(*names)}.db"
    if path.exists():
        return path
    people = {one: having for having in memories for one in recallers(having, memories)}
    owners = [one for one, having in people.items() for _ in range(having)]
    left = size - len(owners)
    owners += [1 + len(people) + index % max(1, left // _OTHERS_MEMORIES) for index in range(left)]
    random.Random(_SEED).shuffle(owners)

    async def finish(memory: Memory) -> None:
        for count in messages:
            for first in range(0, count, _BATCH):
                await memory.apply(_say_all, count, first)
        await _embed_all(memory, messages)

    await _fill(path, size, owners, _tell_all, finish)
    return path


RECALLERS = {100: 20, 2_000: 2}
"""How many people have so many memories; of any other number, one."""
_OTHERS_MEMORIES = 100
EMBEDDER = "bench:seeded-384"
_NUMBERS, _TOPICS = 384, 20


def recallers(having: int, memories: Sequence[int]) -> range:
    """Those who have so many memories each."""
    first = 1
    for one in memories:
        if one == having:
            break
        first += RECALLERS.get(one, 1)
    return range(first, first + RECALLERS.get(having, 1))


def chat_turn(messages: int, person: int = 1, **more: Any) -> Turn:
    """What a person says in the group's chat that has so many messages."""
    return Turn(platform=PLATFORM, space=f"group-{messages}", chat=f"chat-{messages}", user=str(person), **more)


class SeededEmbedder:
    """Vectors that cost nothing and mean nothing: random ones, seeded with the text's hash.

    Each leans to one of twenty topics, so that about a twentieth of all texts is near any query, as with real models.
    """

    name = EMBEDDER
    is_remote = False

    def __init__(self) -> None:
        self._topics = _unit(np.random.default_rng(_SEED).standard_normal((_TOPICS, _NUMBERS), dtype=np.float32))

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of a query."""
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        own = np.random.default_rng(seed).standard_normal(_NUMBERS, dtype=np.float32)
        return _unit(_unit(own) + self._topics[seed % _TOPICS])


def _unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@cache
def words_hash() -> str:
    """Hash what words and canonical forms are made of texts such as the stores hold."""
    made = hashlib.sha256()
    chance = random.Random(_SEED)
    for number in range(2_000):
        fact, note = _corpus.fact(chance, number), _corpus.note(chance, number)
        told, message = _corpus.told(chance, number, number), _corpus.message(chance, number)
        for text in (f"{fact.key}: {fact.value}", note, told if isinstance(told, str) else told.value, message):
            made.update(repr((text, index_words(text), canonical(text, None))).encode())
    return made.hexdigest()


def _schema(*layout: Any) -> str:
    return hashlib.sha256(repr((migrations("sqlite"), _SEED, words_hash(), layout)).encode()).hexdigest()[:8]


async def _fill(
    path: Path,
    size: int,
    owners: Sequence[int],
    remember_batch: Callable[[Tx, Sequence[int], int], None],
    finish: Callable[[Memory], Any] | None = None,
) -> None:
    started = time.perf_counter()
    unfinished = path.with_suffix(".unfinished")
    _remove(unfinished)
    apsw.connection_hooks.append(_enlarge_cache)
    start = datetime.now(UTC) - _YEAR
    now = [start]
    try:
        settings = Settings(max_facts=size, max_notes=size)
        # Not entered, so that it does nothing in the background.
        memory = open_memory(f"sqlite:///{unfinished}", settings=settings, clock=lambda: now[0])
        try:
            for first in range(0, size, _BATCH):
                now[0] = start + _YEAR * (first / size)
                await memory.apply(remember_batch, owners[first : first + _BATCH], first)
                _print_progress(f"filling {size:,}: {first:,}")
            if finish is not None:
                await finish(memory)
            await memory.apply(note_reindexed)  # or each copy would be looked through for words of older programs
        finally:
            await memory.close()
    finally:
        apsw.connection_hooks.remove(_enlarge_cache)
    unfinished.rename(path)
    print(f"\r\033[Kfilled {size:,} memories in {time.perf_counter() - started:.0f} s", file=sys.stderr)


def _print_progress(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def copied(store: Path, name: str) -> Path:
    """Return a copy of a store to write to, on disk before this returns."""
    path = store.with_name(f"work-{os.getpid()}-{name}.db")
    _remove(path)
    shutil.copyfile(store, path)
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return path


@contextmanager
def copy_of(store: Path, name: str) -> Generator[Path]:
    """Lend a copy of a store to write to."""
    path = copied(store, name)
    try:
        yield path
    finally:
        _remove(path)


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


def _tell_all(tx: Tx, owners: Sequence[int], first: int) -> None:
    for number, person in enumerate(owners, first):
        told = _corpus.told(random.Random(_SEED + number), number, person)
        if isinstance(told, str):
            new = New(content=told)
        else:
            new = New(content=told.value, type=cast("Any", told.type), key=told.key, confidence=0.9)
        remember(tx, turn_of(person), person, new)


def _say_all(tx: Tx, messages: int, first: int) -> None:
    """A dozen messages in as many minutes, then nothing for half a day."""
    for number in range(first, min(first + _BATCH, messages)):
        at = tx.now - (messages - number) // 12 * timedelta(hours=12) + number % 12 * timedelta(minutes=1)
        text = _corpus.message(random.Random(_SEED + number), number)
        record(tx, chat_turn(messages, 1 + number % 4, time=at, message=str(number)), "user", text)


async def _embed_all(memory: Memory, messages: Sequence[int]) -> None:
    """Give everything the vectors that `SeededEmbedder` makes, many people to a commit."""
    embedder = SeededEmbedder()
    number = await memory.apply(
        lambda tx: tx.vectors.use_embedder(f"{embedder.name}/{_NUMBERS}")
    )  # as the engine names it

    def put(tx: Tx, texts: Iterable[tuple[Unembedded, str]]) -> None:
        for place, text in texts:
            tx.vectors.put(place, number, to_bytes(embedder.embed_query(text)))

    def put_memories(tx: Tx, people: Sequence[int]) -> None:
        for person in people:
            put(tx, [(Unembedded(person, "memory", one.id), one.searchable) for one in tx.memories.list_all(person)])

    def put_messages(tx: Tx, count: int) -> None:
        turn = chat_turn(count)
        space = find_space(tx, turn)
        put(
            tx,
            [
                (Unembedded(space, "message", said.id), said.text)
                for said in tx.messages.iterate(space, (turn.chat, "", 0))
            ],
        )

    people = [owner.id for owner in await memory.look(lambda tx: tx.owners.list()) if owner.kind == "person"]
    for first in range(0, len(people), _OWNERS):
        await memory.apply(put_memories, people[first : first + _OWNERS])
        _print_progress(f"vectors: {first:,} of {len(people):,} people")
    for count in messages:
        await memory.apply(put_messages, count)
    await memory.apply(lambda tx: tx.vectors.set_progress(number, None))


def _enlarge_cache(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA cache_size=-1000000")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
