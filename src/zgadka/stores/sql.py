"""Queries by name, read from `queries.sql` and the dialect's own file beside it; and the dialect's migrations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from zgadka.errors import SchemaMismatch
from zgadka.model.memory import EXPIRED, StoredMemory

MEMORY_COLUMNS = tuple(field.name for field in fields(StoredMemory))
"""The columns of a memory, in the order in which `Tx` reads them."""

HEADING_COLUMNS = (
    "id", "kind", "space", "lineage", "type", "confidence", "created_at", "updated_at", "permanent", "importance",
    "valid_from", "valid_to", "tags", "people", "audience", "evidence",
)  # fmt: skip
"""The columns of a `Heading`, in its order."""

QUESTION_COLUMNS = (
    "id", "kind", "space", "chat", "thread", "memory", "mark", "said_in", "said_at", "turn", "asker", "tool", "version",
    "content", "requests", "asked_at", "expires_at", "plain_until", "reminded_at",
)  # fmt: skip
"""The columns of a question, in the order in which `Tx` reads them."""

_VISIBLE = """memory.owner = :owner AND memory.archived = 0 AND memory.withheld = 0 AND memory.space IN (0, :space)
    AND (memory.audience = 0 OR :audiences = '*' OR :audiences LIKE '% ' || memory.audience || ' %')
    AND memory.lineage IN (:shared, :lineage)
    AND (memory.kind = 'fact' OR NOT EXISTS (
        SELECT 1 FROM subject s WHERE s.owner = :owner AND s.kind = 'memory' AND s.id = memory.id AND {unwilling}))"""
"""What a scope shows of its owner's memories: `may_see` of DESIGN.md, section 2a, as a condition."""
_UNWILLING = "s.level > CASE WHEN s.role = 'about' THEN 0 ELSE 1 END"
"""Whether the subject `s` of a row does not want it told: at PARTIAL what is about them, at FULL what they said, too.

Their level stands with each row that they are in: looked up among the members, it would take as long as all the rest.
"""
_READ_HERE = "(m.audience = 0 OR :audiences = '*' OR :audiences LIKE '% ' || m.audience || ' %')"
"""Whether all who read here are among those whom a message `m` was for."""

_TOLD = """m.withheld = 0 AND m.id NOT IN (
        SELECT s.id FROM member b JOIN subject s ON s.owner = b.owner AND s.person = b.person AND s.kind = 'message'
        WHERE b.owner = :owner AND b.level > CASE WHEN s.role = 'about' THEN 0 ELSE 1 END)"""
"""Whether anybody is told a message `m`: it is not withheld, tells of nobody who does not want to be remembered, and
repeats what nobody said who is invisible to memory."""

_UNKEPT = """coalesce(m.keep_until, 0) <= :now AND NOT EXISTS (
        SELECT 1 FROM source e JOIN memory k ON k.owner = e.owner AND k.id = e.memory AND k.archived = 0
        WHERE e.owner = m.owner AND e.space = m.owner AND e.message = m.id AND k.kind = 'episode')
        AND NOT EXISTS (SELECT 1 FROM observation w WHERE w.owner = m.owner AND w.id = m.id)"""
"""Whether nothing keeps a message `m` past its days: no mark, no live episode, no look at it that is still to come."""

_SAGAS = "'clear', 'close', 'edit', 'erase', 'erase_space', 'hide', 'lift', 'move', 'undo', 'unrecord', 'withhold'"
"""The kinds of tasks that end what was begun in one owner's rows in those of others."""

_HEARD = "m.person NOT IN (SELECT b.person FROM member b WHERE b.owner = :owner AND b.level > 1)"
"""Whether who wrote a message `m`, or was answered by it, is visible to memory."""

_RANKED = """CASE WHEN :sort = 'sure' THEN confidence WHEN :sort = 'unsure' THEN -confidence
    WHEN :sort = 'old' THEN -CAST(updated_at AS DOUBLE PRECISION) ELSE CAST(updated_at AS DOUBLE PRECISION) END"""
"""By what an operator's list of memories is sorted: the highest first."""

_NAMED = "json_extract(CASE WHEN json_valid(payload) THEN payload END, '$.{}')"
"""Whom a task in SQLite names, word for word as its indexes have it; what is no JSON names nobody."""

APART = frozenset({"owner_ensure", "audience_add", "rate_take", "rates_take"})
"""The queries that are transactions of their own on a server, committed before the operation goes on: a person, space
or group of readers that is met for the first time, which every server has to know of, and the count of a person's
calls, which may be in another owner's operation. They stay when the operation fails."""

_INDEX = re.compile(r"{index (\w+)}")
"""The index that SQLite is to take for a table: without it, it reads all messages of a space in order of their ids, or
all that waits to find what is due, for it knows nothing of how many there are. PostgreSQL does, and has no such
word."""

_COMMENT = re.compile(r"--.*")
_HEAD = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def queries(dialect: str) -> dict[str, str]:
    """Read all queries as a dialect takes them, by name.

    Args:
        dialect: The name of the `.sql` file with those that are its own: `sqlite` or `postgres`.
    """
    folder = files("zgadka.stores")
    parts = [
        part
        for name in ("queries", dialect)
        for part in _HEAD.split(folder.joinpath(f"{name}.sql").read_text("utf-8"))[1:]
    ]
    columns, heading = ", ".join(MEMORY_COLUMNS), ", ".join(HEADING_COLUMNS)
    index = r"INDEXED BY \1" if dialect == "sqlite" else ""
    return {
        name: _INDEX.sub(index, _COMMENT.sub("", query))
        .strip()
        .rstrip(";")
        .replace("{memory}", columns)
        .replace("{heading}", heading)
        .replace("{question}", ", ".join(QUESTION_COLUMNS))
        .replace("{visible}", _VISIBLE)
        .replace("{unwilling}", _UNWILLING)
        .replace("{read_here}", _READ_HERE)
        .replace("{told}", _TOLD)
        .replace("{unkept}", _UNKEPT)
        .replace("{expired}", str(EXPIRED))
        .replace("{sagas}", _SAGAS)
        .replace("{heard}", _HEARD)
        .replace("{ranked}", _RANKED)
        .replace("{user}", _NAMED.format("arguments.user_id") + " || ''")
        .replace("{related_user}", _NAMED.format("arguments.related_user_id") + " || ''")
        .replace("{target_user}", _NAMED.format("arguments.target_user") + " || ''")
        .replace("{undoer}", _NAMED.format("actor"))
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def changing() -> frozenset[str]:
    """The queries that change rows, in the transaction that runs them."""
    verbs = {name: text.split(maxsplit=1)[0] for name, text in queries("sqlite").items()}
    return frozenset(name for name, verb in verbs.items() if verb != "SELECT") - APART


_FORMER = frozenset(
    {
        "b43a2694ae737ba579d02c8bc0b807ed6f2a07b717914ed69b579b6fba6f87a0",  # sqlite/0001_spine
        "ab210cd96d43ca05b0d5f6306f435548cdf1dc7fc81134e845f0f3c121fa9ff5",  # sqlite/0007_activity
        "94115f1cd8992cb0ecda34624699718f2cc744069bd6ae7f2d37dedf84074951",  # postgres/0001_spine
        "9f4c429db536649955247a5fa8ce2f91e884f4e27667f87045a07517cff32bf9",  # postgres/0003_activity
    }
)
"""The checksums of migrations of which nothing but a comment was changed since the first version."""


class Migration(NamedTuple):
    """A numbered change of the schema."""

    number: int
    name: str
    text: str
    checksum: str


@cache
def migrations(dialect: str) -> tuple[Migration, ...]:
    """A dialect's migrations, in order."""
    folder = files("zgadka.stores").joinpath("migrations", dialect)
    scripts = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql"))
    return tuple(
        Migration(int(name[:4]), name.removesuffix(".sql"), text, sha256(text.encode()).hexdigest())
        for name, text in scripts
    )


def missing_migrations(dialect: str, applied: Mapping[Any, str], name: str = "the database") -> list[Migration]:
    """The migrations that a database needs, in order.

    Args:
        applied: The checksums of those that it has, by number; in a damaged file, by anything.
        name: Of the database, for messages.

    Raises:
        SchemaMismatch: There are newer ones than this program knows, or other ones.
    """
    available = migrations(dialect)
    if not all(isinstance(number, int) for number in applied):
        raise SchemaMismatch(f"{name} is damaged where it says which migrations it had: restore a backup")
    if applied and max(applied) > available[-1].number:
        raise SchemaMismatch(
            f"{name} is at schema {max(applied)}, this zgadka knows up to {available[-1].number}: "
            "upgrade zgadka (in its clone: git pull)"
        )
    for migration in available:
        if applied.get(migration.number, migration.checksum) not in {migration.checksum, *_FORMER}:
            raise SchemaMismatch(f"{name} was made by another version of migration {migration.name}")
    return [migration for migration in available if migration.number not in applied]


def refuse_foreign(objects: Sequence[str], name: str) -> None:
    """Refuse a database with tables, indexes, triggers or views that no migration made, or without some.

    Raises:
        SchemaMismatch: There are such.
    """
    if objects:
        raise SchemaMismatch(
            f"{name} differs from what zgadka makes: {', '.join(objects[:5])}. What is not zgadka's could keep what is "
            "forgotten here: remove it, or restore a backup from before it came"
        )
