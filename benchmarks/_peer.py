"""One of the stores that `peers.py` compares, in a process and an environment of its own.

Reads one order in JSON from each line of its input, and answers each with a line of JSON. It imports nothing but the
standard library, numpy, the texts and that store.
"""

# ruff: noqa: PLC0415  (each environment has but one of them)

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import _corpus
import numpy as np

NUMBERS = 384
FOUND = 10


class Peer(Protocol):
    """What is measured."""

    async def add(self, person: int, number: int, fact: _corpus.Fact) -> None:
        """Remember a fact of a person; returns when the store says that it is kept."""
        ...

    async def search(self, person: int, query: str) -> int:
        """Look among the person's memories; returns how many were found."""
        ...

    async def settle(self) -> None:
        """Return when all that was added can be found by meaning."""
        ...

    async def count(self) -> int:
        """How many facts it holds."""
        ...


def vector(text: str) -> Any:
    """A vector that costs nothing and means nothing: random, of length 1, seeded with the text; the same for all."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    numbers = np.random.default_rng(seed).standard_normal(NUMBERS, dtype=np.float32)
    return numbers / np.linalg.norm(numbers)


def text_of(fact: _corpus.Fact) -> str:
    """What the others remember, who know no types and keys."""
    return f"{fact.key}: {fact.value}"


@asynccontextmanager
async def open_zgadka(folder: Path, has_embedder: bool = True) -> AsyncIterator[Peer]:
    """`remember_fact` and `recall` as a model calls them, each in a turn of its own, with all default limits."""
    from zgadka import Settings, Turn, open_memory

    class Embedder:
        name = "bench:seeded"
        is_remote = False

        def embed(self, texts: Sequence[str]) -> Any:
            return np.stack([vector(text) for text in texts])

        def embed_query(self, text: str) -> Any:
            return vector(text)

    class Zgadka:
        turns = 0

        def turn(self, person: int) -> Turn:
            self.turns += 1
            name = str(person)
            turn = f"{os.getpid()}-{self.turns}"
            return Turn(platform="bench", space=name, chat=name, user=name, turn=turn, direct=True)

        async def add(self, person: int, number: int, fact: _corpus.Fact) -> None:
            arguments = {
                "user_id": person,
                "fact_type": fact.type,
                "fact_key": fact.key,
                "fact_value": fact.value,
                "confidence": 0.9,
            }
            result = await memory.call("remember_fact", arguments, self.turn(person))
            if result.status != "success":
                raise RuntimeError(f"expected success, got {result}")

        async def search(self, person: int, query: str) -> int:
            result = await memory.call("recall", {"query": query, "limit": FOUND}, self.turn(person))
            if result.status != "success":
                raise RuntimeError(f"expected success, got {result}")
            return result["count"]

        async def settle(self) -> None:
            await memory.embed()

        async def count(self) -> int:
            return await memory.look(lambda tx: tx.maintenance.counts()["facts"])

    # Every call is answered when it is done, never `queued`.
    settings = Settings(memory_tool_async=False, background=has_embedder)
    embedder = Embedder() if has_embedder else None
    async with open_memory(f"sqlite:///{folder / 'memory.db'}", settings=settings, embedder=embedder) as memory:
        yield Zgadka()


@asynccontextmanager
async def open_langgraph(folder: Path) -> AsyncIterator[Peer]:
    """`AsyncSqliteStore` as its documentation opens it, with a vector index; a namespace for each person."""
    from langgraph.store.sqlite.aio import AsyncSqliteStore  # pyright: ignore[reportMissingImports]

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [vector(text).tolist() for text in texts]

    class LangGraph:
        async def add(self, person: int, number: int, fact: _corpus.Fact) -> None:
            value = {"text": text_of(fact), "type": fact.type, "key": fact.key, "confidence": 0.9}
            await store.aput(("memories", str(person)), str(number), value)

        async def search(self, person: int, query: str) -> int:
            return len(await store.asearch(("memories", str(person)), query=query, limit=FOUND))

        async def settle(self) -> None:
            pass

        async def count(self) -> int:
            async with store.conn.execute("SELECT count(*) FROM store") as rows:
                [(count,)] = await rows.fetchall()
                return count

    index: Any = {"dims": NUMBERS, "embed": embed, "fields": ["text"]}
    async with AsyncSqliteStore.from_conn_string(str(folder / "store.db"), index=index) as store:
        await store.setup()
        yield LangGraph()


@asynccontextmanager
async def open_mem0(folder: Path, in_turn: bool = False) -> AsyncIterator[Peer]:
    """`AsyncMemory` with `infer=False`, its own history in SQLite and Qdrant in this process, on disk.

    Args:
        in_turn: Whether one add waits for the other, since several at once fail.
    """
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
    from mem0 import AsyncMemory  # pyright: ignore[reportMissingImports]
    from mem0.embeddings.base import EmbeddingBase  # pyright: ignore[reportMissingImports]

    class Embedder(EmbeddingBase):
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return vector(text).tolist()

    class Mem0:
        async def add(self, person: int, number: int, fact: _corpus.Fact) -> None:
            about = {"type": fact.type, "key": fact.key, "confidence": 0.9}
            async with lock:
                added = await memory.add(text_of(fact), user_id=str(person), metadata=about, infer=False)
            if not added["results"]:
                raise RuntimeError("mem0 added nothing")

        async def search(self, person: int, query: str) -> int:
            # Its threshold is for real embedders: random vectors are hardly alike.
            found = await memory.search(query, filters={"user_id": str(person)}, top_k=FOUND, threshold=0.0)
            return len(found["results"])

        async def settle(self) -> None:
            pass

        async def count(self) -> int:
            return memory.vector_store.client.count(memory.collection_name).count

    lock = asyncio.Lock() if in_turn else nullcontext()
    qdrant = {"path": str(folder / "qdrant"), "embedding_model_dims": NUMBERS, "on_disk": True}
    memory = AsyncMemory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": qdrant},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Embedder()
    yield Mem0()


@asynccontextmanager
async def open_mcp_memory_service(folder: Path, pragmas: str = "") -> AsyncIterator[Peer]:
    """`SqliteVecMemoryStorage` as its server uses it; a person is a tag, since it knows no persons."""
    os.environ |= {"MCP_MEMORY_BASE_DIR": str(folder), "MCP_MEMORY_SQLITE_PRAGMAS": pragmas, "MCP_MEMORY_OFFLINE": "1"}
    from mcp_memory_service.models.memory import Memory  # pyright: ignore[reportMissingImports]
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # pyright: ignore[reportMissingImports]
    from mcp_memory_service.utils.hashing import generate_content_hash  # pyright: ignore[reportMissingImports]

    class Embedder:
        def encode(self, texts: Sequence[str], convert_to_numpy: bool = False) -> Any:
            return np.stack([vector(text) for text in texts])

    class Storage(SqliteVecMemoryStorage):
        async def _initialize_embedding_model(self) -> None:
            self.embedding_dimension = NUMBERS
            self.embedding_model = Embedder()

    class McpMemoryService:
        async def add(self, person: int, number: int, fact: _corpus.Fact) -> None:
            text = text_of(fact)
            memory = Memory(
                content=text,
                content_hash=generate_content_hash(text),
                tags=[f"person-{person}"],
                memory_type="observation",
                metadata={"type": fact.type, "key": fact.key, "confidence": 0.9},
            )
            is_stored, said = await storage.store(memory)
            if not is_stored:
                raise RuntimeError(said)

        async def search(self, person: int, query: str) -> int:
            return len(await storage.retrieve(query, n_results=FOUND, tags=[f"person-{person}"]))

        async def settle(self) -> None:
            pass

        async def count(self) -> int:
            return await storage.count_all_memories()

    storage = Storage(str(folder / "memories.db"))
    await storage.initialize()
    try:
        yield McpMemoryService()
    finally:
        await storage.close()


OPENERS: dict[str, Callable[[Path], AbstractAsyncContextManager[Peer]]] = {
    "zgadka": open_zgadka,
    "zgadka, no embedder": lambda folder: open_zgadka(folder, has_embedder=False),
    "LangGraph": open_langgraph,
    "mem0": open_mem0,
    "mem0, adds in turn": lambda folder: open_mem0(folder, in_turn=True),
    "mcp-memory-service": open_mcp_memory_service,
    "mcp-memory-service, FULL": lambda folder: open_mcp_memory_service(folder, "synchronous=FULL"),
}


@dataclass
class Session:
    """What one process has done so far; the same orders make the same calls, whatever the store."""

    peer: Peer
    people: int
    added: int = 0
    acknowledged: int = 0

    async def add(self, calls: int, callers: int, seconds: float, mark: int | None = None) -> dict[str, Any]:
        """Add facts of random people; `seconds` until the last was acknowledged, `settled` until all have vectors."""
        chance = random.Random(self.added)
        first, self.added = self.added, self.added + calls
        planned = [
            (chance.randint(1, self.people), number, _corpus.fact(chance, number))
            for number in range(first, first + calls)
        ]

        async def one(place: int) -> None:
            await self.peer.add(*planned[place])
            if mark is not None:
                os.write(mark, b"answered")

        started = time.perf_counter()
        done = await _run(one, calls, callers, seconds)
        await self.peer.settle()
        settled = time.perf_counter() - started
        self.acknowledged += done["calls"]
        if await self.peer.count() != self.acknowledged:
            raise RuntimeError(f"{self.acknowledged} were acknowledged, it holds {await self.peer.count()}")
        return done | {"settled": settled}

    async def search(self, calls: int, callers: int, seconds: float, seed: int) -> dict[str, Any]:
        """Search as random people."""
        chance = random.Random(seed)
        planned = [(chance.randint(1, self.people), _corpus.query(chance)) for _ in range(calls)]
        found = 0

        async def one(place: int) -> None:
            nonlocal found
            count = await self.peer.search(*planned[place])
            found += count

        done = await _run(one, calls, callers, seconds)
        if not found:
            raise RuntimeError("nothing was found")
        return done | {"found": found / done["calls"]}


async def _run(one: Callable[[int], Awaitable[None]], calls: int, callers: int, seconds: float) -> dict[str, Any]:
    """Each caller waits for its answer before the next call; none begins after so many seconds."""
    left = iter(range(calls))
    latencies: list[float] = []
    cpu, started = time.process_time(), time.perf_counter()

    async def caller() -> None:
        for place in left:
            asked = time.perf_counter()
            await one(place)
            latencies.append(time.perf_counter() - asked)
            if time.perf_counter() - started > seconds:
                break

    await asyncio.gather(*(caller() for _ in range(callers)))
    taken = time.perf_counter() - started
    spent = time.process_time() - cpu
    return {"calls": len(latencies), "seconds": taken, "cpu": spent, "latencies": sorted(latencies)}


def _load_extensions() -> None:
    """Let sqlite3 load extensions, which not every Python was built for."""
    import sqlite3

    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        import pysqlite3  # pyright: ignore[reportMissingImports]

        sys.modules["sqlite3"] = pysqlite3


async def _serve(name: str, folder: Path) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a store prints goes elsewhere
    mark = os.open(os.devnull, os.O_WRONLY)
    async with OPENERS[name](folder) as peer:
        session: Session | None = None
        for line in sys.stdin:
            order = json.loads(line)
            do = order.pop("do")
            if do == "open":
                session = Session(peer, order["people"])
                answer: dict[str, Any] = {}
            elif session is None:
                raise RuntimeError("the first order is to open")
            elif do == "trace":
                answer = await session.add(**order, callers=1, seconds=60.0, mark=mark)
            else:
                answer = await {"add": session.add, "search": session.search}[do](**order)
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    if not sys.argv[1].startswith("zgadka"):
        _load_extensions()
    asyncio.run(_serve(sys.argv[1], Path(sys.argv[2])))
