"""Queries by name: read from `queries.sql` and the dialect's own file beside it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

MEMORY_COLUMNS = (
    "owner", "id", "kind", "space", "lineage", "type", "key", "content", "canonical", "confidence", "evidence",
    "excerpt", "tags", "permanent", "archived", "version", "said_by", "created_at", "updated_at", "topic",
    "importance", "valence", "chat", "mutual", "valid_from", "valid_to", "people", "messages",
)  # fmt: skip
"""The columns of a memory, in the order in which `Tx` reads them."""

HEADING_COLUMNS = (
    "id", "kind", "space", "lineage", "type", "confidence", "created_at", "updated_at", "permanent", "importance",
    "valid_from", "valid_to", "tags", "people",
)  # fmt: skip
"""The columns of a `Heading`, in its order."""

APART = frozenset({"owner_ensure", "rate_take"})
"""The queries that are transactions of their own on a server, committed before the operation goes on: a person or space
that is met for the first time, which every server has to know of, and the count of a person's calls, which may be in
another owner's operation. They stay when the operation fails."""

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
    return {
        name: query.strip().rstrip(";").replace("{memory}", columns).replace("{heading}", heading)
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def changing() -> frozenset[str]:
    """The queries that change rows, in the transaction that runs them."""
    verbs = {name: _COMMENT.sub("", text).split(maxsplit=1)[0] for name, text in queries("sqlite").items()}
    return frozenset(name for name, verb in verbs.items() if verb != "SELECT") - APART
