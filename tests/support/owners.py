"""What Citus asks of statements and transactions: that each stays with one owner. Finds those that do not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

EVERYWHERE = frozenset({"owner", "embedder", "chore", "sequence", "migration"})
"""The reference tables: they are on every server, and their rows belong to no owner."""

_TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+([a-z_]+)(?:\s+(?:AS\s+)?([a-z])\b)?")
_FURTHER = re.compile(r"\bFROM\s+[a-z_]+\s+[a-z]\b((?:\s*,\s*[a-z_]+\s+[a-z]\b)+)")
_COMMENT = re.compile(r"--.*")


def without_owner(statement: str, tables: Collection[str]) -> list[str]:
    """The tables of which a statement touches rows without naming their owner; none: it is routed to one server.

    Args:
        tables: Those whose rows have owners.
    """
    text = _COMMENT.sub("", statement)
    if inserted := re.match(r"\s*INSERT\s+INTO\s+([a-z_]+)\s*\(([^)]*)\)", text):
        table, columns = inserted[1], [column.strip() for column in inserted[2].split(",")]
        found = [table] if table in tables and columns[0] != "owner" else []
        return found + _read_without_owner(text[inserted.end() :], tables)
    return _read_without_owner(text, tables)


def _read_without_owner(text: str, tables: Collection[str]) -> list[str]:
    used = [(match[1], match[2]) for match in _TABLE.finditer(text)]
    for match in _FURTHER.finditer(text):
        used += [(name, alias) for name, alias in re.findall(r"([a-z_]+)\s+([a-z])\b", match[1])]
    if deleted := re.match(r"\s*DELETE\s+FROM\s+([a-z_]+)", text):
        used = [(name, alias if (name, index) != (deleted[1], 0) else None) for index, (name, alias) in enumerate(used)]
    owned = [(name, alias) for name, alias in used if name in tables]
    named = defaultdict(int)
    for match in re.finditer(r"(?:\b([a-z])\.)?\bowner\s*=\s*(\$\d+|[a-z]\.owner)", text):
        named[match[1] or ""] += 1
        other = match[2].partition(".")[0]
        if not other.startswith("$"):  # `k.owner = e.owner` says of both that they are the same
            named[other] += 1
    found: list[str] = []
    for name, alias in owned:
        if alias and named[alias]:
            continue
        if named[""]:
            named[""] -= 1
            continue
        found.append(name)
    return found


@dataclass
class Seen:
    """One transaction that writes, as it was run.

    Attributes:
        what: What ran in it, for messages.
        owners: Whose rows it changed, by name of the query.
    """

    what: str
    owners: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))


def changed_owners(query: str, parameters: Mapping[str, Any], rows: Iterable[tuple[Any, ...]], text: str) -> set[int]:
    """The owners whose rows a query changed."""
    verb = _COMMENT.sub("", text).split(maxsplit=1)[0]
    if verb == "SELECT":
        return set()
    if "owner" in parameters:
        return {parameters["owner"]}
    returning = re.search(r"RETURNING\s+(.*)", text, re.DOTALL)
    if returning and returning[1].startswith("owner"):
        return {row[0] for row in rows}
    return set()
