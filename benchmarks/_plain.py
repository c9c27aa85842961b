"""The yardsticks of recall: plain FTS5 in two ways, and numpy over the vectors. Each shows ten, as recall does."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from zgadka.text.words import index_words, query_words

LIMIT = 10

_TABLES = """
CREATE VIRTUAL TABLE plain USING fts5 (words, content='', tokenize='ascii');
CREATE VIRTUAL TABLE prefixed USING fts5 (words, content='', tokenize='ascii');
CREATE VIRTUAL TABLE plain_message USING fts5 (words, content='', tokenize='ascii');
CREATE VIRTUAL TABLE prefixed_message USING fts5 (words, content='', tokenize='ascii');
"""
_VISIBLE = "m.archived = 0 AND m.space IN (0, :space) AND m.lineage = 0"
_SHOWN = "m.id, m.kind, m.key, m.content, m.confidence, m.created_at"
_MEMORIES = """
SELECT {shown} FROM {table} CROSS JOIN store.memory m ON m.owner = :owner AND m.id = {table}.rowid
WHERE {table} MATCH :match AND {visible} ORDER BY rank LIMIT {limit}
"""
_MESSAGES = """
SELECT m.id, m.person, m.text, m.at FROM {table} CROSS JOIN store.message m ON m.owner = :owner AND m.id = {table}.rowid
WHERE {table} MATCH :match AND m.chat = :chat ORDER BY rank LIMIT {limit}
"""


@dataclass(frozen=True)
class Whose:
    """Whose rows are searched.

    Attributes:
        space: Where their memories are seen; of messages the owner itself.
        chat: Of messages only.
    """

    owner: int
    space: int
    chat: str | None = None


class Plain:
    """Searches without the product: one connection, one thread.

    Args:
        store: The product's database, which is only read.
        index: Where the FTS5 tables are; made once.
    """

    def __init__(self, store: Path, index: Path) -> None:
        if not index.exists():
            _fill(store, index)
        self._connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=200)
        self._connection.execute("ATTACH ? AS store", (str(store),))
        self._matrices: dict[Whose, tuple[list[int], npt.NDArray[np.float32]]] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def owners(self, names: Sequence[str]) -> dict[tuple[str, str], int]:
        """The numbers of persons, spaces and direct chats, by kind and name."""
        rows = self._rows(
            "SELECT kind, name, id FROM store.owner WHERE name IN (SELECT value FROM json_each(:names))",
            names=json.dumps(names),
        )
        return {(kind, name): id_ for kind, name, id_ in rows}

    def texts(self, whose: Whose, limit: int) -> list[str]:
        """Some of the owner's memories, or of the chat's messages."""
        table, text = ("memory", "content") if whose.chat is None else ("message", "text")
        return [row[0] for row in self._rows(_TEXTS.format(text=text, table=table), owner=whose.owner, limit=limit)]

    def fts(self, whose: Whose, query: str, *, prefixed: bool) -> int:
        """Ten by SQLite's BM25; returns how many.

        Args:
            prefixed: Words are stored with their owner's number before them; else the owner is filtered afterwards.
        """
        words = query_words(query)
        prefix = f"o{whose.owner}x" if prefixed else ""
        match = " OR ".join(f'"{prefix}{word}"' for word in words)
        table = ("prefixed" if prefixed else "plain") + ("" if whose.chat is None else "_message")
        query = (_MEMORIES if whose.chat is None else _MESSAGES).format(
            table=table, shown=_SHOWN, visible=_VISIBLE, limit=LIMIT
        )
        return len(self._rows(query, owner=whose.owner, space=whose.space, chat=whose.chat, match=match))

    def best(self, whose: Whose) -> int:
        """Ten by confidence and time, without a query; returns how many."""
        return len(self._rows(_BEST, owner=whose.owner, space=whose.space))

    def scan(self, whose: Whose, vector: npt.NDArray[np.float32], *, cached: bool) -> int:
        """Ten by the cosine to a query's vector; returns how many."""
        known = self._matrices.get(whose) if cached else None
        if known is None:
            rows = self._rows(
                _VECTORS if whose.chat is None else _MESSAGE_VECTORS, owner=whose.owner, space=whose.space
            )
            stored = b"".join([numbers for _, numbers in rows])
            matrix = np.frombuffer(stored, dtype="<f2").reshape(len(rows), -1).astype(np.float32)
            known = [id_ for id_, _ in rows], matrix
            if cached:
                self._matrices[whose] = known
        ids, matrix = known
        cosines = matrix @ vector
        places = np.argpartition(-cosines, LIMIT)[:LIMIT] if len(ids) > LIMIT else np.arange(len(ids))
        best = sorted(places.tolist(), key=cosines.__getitem__, reverse=True)
        shown = _SHOWN if whose.chat is None else "m.id, m.person, m.text, m.at"
        query = _GET.format(shown=shown, table="memory" if whose.chat is None else "message")
        return len(self._rows(query, owner=whose.owner, ids=json.dumps([ids[place] for place in best])))

    def _rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(query, parameters))


_TEXTS = "SELECT {text} FROM store.{table} WHERE owner = :owner ORDER BY id % 97, id LIMIT :limit"
_GET = "SELECT {shown} FROM store.{table} m WHERE m.owner = :owner AND m.id IN (SELECT value FROM json_each(:ids))"
_BEST = f"""
SELECT {_SHOWN} FROM store.memory m WHERE m.owner = :owner AND {_VISIBLE}
ORDER BY m.confidence DESC, m.updated_at DESC LIMIT {LIMIT}
"""
_VECTORS = f"""
SELECT v.id, v.numbers FROM store.memory m
JOIN store.vector v ON v.owner = m.owner AND v.what = 'memory' AND v.id = m.id
WHERE m.owner = :owner AND {_VISIBLE}
"""
_MESSAGE_VECTORS = "SELECT id, numbers FROM store.vector WHERE owner = :owner AND what = 'message'"


def _fill(store: Path, index: Path) -> None:
    started = time.perf_counter()
    unfinished = index.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    connection = apsw.Connection(str(unfinished))
    connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000")
    connection.execute(_TABLES)
    connection.execute("ATTACH ? AS store", (str(store),))
    connection.execute("BEGIN")
    rows = list(connection.execute("SELECT id, owner, words FROM store.memory WHERE archived = 0 ORDER BY id"))
    _index(connection, "", ((id_, owner, words.split()) for id_, owner, words in rows))
    rows = list(connection.execute("SELECT id, owner, text FROM store.message ORDER BY id"))
    _index(connection, "_message", ((id_, owner, index_words(text)) for id_, owner, text in rows))
    connection.execute("COMMIT")
    for table in ("plain", "prefixed", "plain_message", "prefixed_message"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.close()
    unfinished.rename(index)
    print(f"\r\033[Kplain FTS5 in {time.perf_counter() - started:.0f} s", file=sys.stderr)


def _index(connection: apsw.Connection, suffix: str, rows: Iterable[tuple[int, int, Sequence[str]]]) -> None:
    plain = f"INSERT INTO plain{suffix} (rowid, words) VALUES (?, ?)"
    prefixed = f"INSERT INTO prefixed{suffix} (rowid, words) VALUES (?, ?)"
    for id_, owner, words in rows:
        connection.execute(plain, (id_, " ".join(words)))
        connection.execute(prefixed, (id_, " ".join([f"o{owner}x{word}" for word in words])))
