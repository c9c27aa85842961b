"""The words by which the pages of the full-text index are told apart: each must stand in it.

FTS5 keeps, for each page, the beginning of the first word that it was written with. With `secure-delete`, the word goes
from the page, and stays there; as it does where a merge has taken the page away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from zgadka.stores.sqlite.schema import run

_OF_ALL = "SELECT segid, term FROM memory_index_idx"
_OF_WORDS = """
WITH RECURSIVE segment (id) AS (
    SELECT min(segid) FROM memory_index_idx WHERE length(term) > 1
    UNION ALL SELECT (SELECT min(segid) FROM memory_index_idx WHERE segid > segment.id AND length(term) > 1)
    FROM segment WHERE id IS NOT NULL
), removed (term) AS (SELECT CAST('0' || value AS BLOB) FROM json_each(?))
SELECT DISTINCT segment.id AS segid, (
    SELECT term FROM memory_index_idx WHERE segid = segment.id AND term <= removed.term ORDER BY term DESC LIMIT 1
) AS term
FROM segment CROSS JOIN removed WHERE segment.id IS NOT NULL
"""
"""A segment of one page, as most are, has no word to tell it by."""
_STALE = """
SELECT i.segid, i.term, d.block FROM ({}) found
CROSS JOIN memory_index_idx i ON i.segid = found.segid AND i.term = found.term
LEFT JOIN memory_index_data d ON d.id = (i.segid << 37) + (i.pgno >> 1)
WHERE length(i.term) > 1 AND coalesce(instr(d.block, substr(i.term, 2)), 0) = 0
"""
_STALE_OF_ALL = _STALE.format(_OF_ALL)
_STALE_OF_WORDS = _STALE.format(_OF_WORDS)
_RENEW = "UPDATE memory_index_idx SET term = ? WHERE segid = ? AND term = ?"
_REMOVE = "DELETE FROM memory_index_idx WHERE segid = ? AND term = ?"


def renew_separators(connection: apsw.Connection, words: Iterable[str] | None = None) -> None:
    """Let no page be known by the beginning of a word that is not in the index; in a transaction.

    Args:
        words: Those that were removed in this transaction, as they were in the index. None: any, whenever that was.
    """
    if words is None:
        stale = run(connection, _STALE_OF_ALL)
    else:
        run(connection, "SAVEPOINT flush; RELEASE flush")  # FTS5 has its changes in memory until then
        stale = run(connection, _STALE_OF_WORDS, (json.dumps(sorted(set(words))),))
    for segment, term, block in stale:
        first = _first_word(block or b"")
        if not first:  # nothing is looked for there
            run(connection, _REMOVE, (segment, term))
        elif first > term:  # and so the new one is above the words of the pages before
            differs_at = next(at for at, byte in enumerate(first) if term[at : at + 1] != bytes([byte]))
            run(connection, _RENEW, (first[: differs_at + 1], segment, term))


def _first_word(block: bytes) -> bytes:
    """The first word of a page of the index; empty where it has none."""
    index_at = int.from_bytes(block[2:4])
    if index_at >= len(block):
        return b""
    at, _ = _number(block, index_at)
    length, at = _number(block, at)
    return block[at : at + length]


def _number(block: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    number = 0
    while True:
        byte = block[at]
        number, at = number << 7 | byte & 0x7F, at + 1
        if byte < 0x80:
            return number, at
