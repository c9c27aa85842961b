"""An embedder that remembers its vectors on disk, so that a benchmark need not make them again."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zgadka.search.embedders.protocols import Embedder
    from zgadka.search.embedders.vectors import Matrix, Vector


class KeptEmbedder:
    """Asks another embedder once for each text, however often the benchmark runs."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, check_same_thread=False)
        with self._db:
            self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")

    @property
    def name(self) -> str:
        """The other's name: the vectors are the same."""
        return self._embedder.name

    @property
    def is_remote(self) -> bool:
        """As the other's."""
        return self._embedder.is_remote

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row for each text; only those that are not known yet are asked for."""
        from zgadka.search.embedders.vectors import matrix_from_bytes, to_bytes  # noqa: PLC0415  (numpy)

        keys = [self._key("passage", text) for text in texts]
        with self._lock:
            cached = {key: vector for key in set(keys) if (vector := self._known(key)) is not None}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in cached}
            if missing:
                computed = self._embedder.embed(list(missing.values()))
                cached |= self._keep({key: to_bytes(row) for key, row in zip(missing, computed, strict=True)})
        return matrix_from_bytes([cached[key] for key in keys])

    def embed_query(self, text: str) -> Vector:
        """Return a query's vector."""
        from zgadka.search.embedders.vectors import matrix_from_bytes, to_bytes  # noqa: PLC0415  (numpy)

        key = self._key("query", text)
        with self._lock:
            cached = self._known(key)
            if cached is None:
                cached = self._keep({key: to_bytes(self._embedder.embed_query(text))})[key]
        return matrix_from_bytes([cached])[0]

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _key(self, use: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{use}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _known(self, key: bytes) -> bytes | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def _keep(self, computed: dict[bytes, bytes]) -> dict[bytes, bytes]:
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", computed.items())
        return computed
