"""Whether a database is sound, looked at from outside: rows, full-text index, tallies and trail agree."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

import apsw
import psycopg


def rows(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements in the database; returns the rows of the last."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url, options="-c search_path=zgadka,public") as connection:
            found = [connection.execute(statement.encode()).fetchall() for statement in statements]
    else:
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
            found = [list(connection.execute(statement)) for statement in statements]
    return found[-1]


def contents(url: str) -> dict[int, str]:
    """The live memories, by id."""
    return dict(rows(url, "SELECT id, content FROM memory WHERE archived = 0"))  # pyright: ignore[reportReturnType]


def flaws(url: str) -> list[str]:
    """What is wrong; empty in a sound database."""
    found = [] if url.startswith("postgresql:") else _flaws_of_file(url)
    live = rows(url, "SELECT owner, id, lineage, kind, words, word_count FROM memory WHERE archived = 0")
    found += [f"word count of {id_}" for _, id_, _, _, words, count in live if len(words.split()) != count]
    tallies = {row[:3]: row[3] for row in rows(url, "SELECT owner, lineage, kind, live FROM tally WHERE live > 0")}
    counted = Counter((owner, lineage, kind) for owner, _, lineage, kind, *_ in live)
    found += [] if tallies == dict(counted) else [f"tallies {tallies}, rows {dict(counted)}"]
    memories = rows(url, "SELECT id, version FROM memory")
    found += [] if len({id_ for id_, _ in memories}) == len(memories) else ["an id was given twice"]
    gone = "count(*) FILTER (WHERE action IN ('deleted', 'cleared'))"
    trail = f"SELECT memory, count(*), max(number), {gone} FROM event GROUP BY memory"
    trails = {row[0]: row[1:] for row in rows(url, trail)}
    for id_, version in memories:
        events, last, deleted = trails.pop(id_, (0, 0, 0))
        if (events, last, deleted) != (version, version, 0):
            found.append(f"memory {id_} has version {version} and {events} events")
    found += [f"the trail of {id_} has no memory and no deletion" for id_, (*_, gone) in trails.items() if not gone]
    asked = rows(url, "SELECT memory FROM question WHERE kind = 'delete' AND memory NOT IN (SELECT id FROM memory)")
    return found + [f"a question about {row[0]}, which is gone" for row in asked]


def _flaws_of_file(url: str) -> list[str]:
    """What SQLite finds, and where rows and full-text index disagree."""
    found = [str(row[0]) for row in rows(url, "PRAGMA integrity_check") if row[0] != "ok"]
    found += [f"foreign key: {row}" for row in rows(url, "PRAGMA foreign_key_check")]
    table = "CREATE VIRTUAL TABLE temp.posting USING fts5vocab (main, memory_index, instance)"
    postings = Counter(rows(url, table, "SELECT doc, term FROM temp.posting"))
    live = rows(url, "SELECT owner, id, words FROM memory WHERE archived = 0")
    expected = Counter((id_, f"o{owner}x{word}") for owner, id_, words in live for word in set(words.split()))
    found += [f"in the index, not in a row: {posting}" for posting in postings - expected]
    found += [f"in a row, not in the index: {posting}" for posting in expected - postings]
    last_id = rows(url, "SELECT coalesce(max(value), 0) FROM sequence WHERE name = 'memory'")[0][0]
    return found + [f"id {row[0]} was never given" for row in rows(url, "SELECT id FROM memory") if row[0] > last_id]
