"""What Citus asks of transactions: that each stays with one owner. Finds those that do not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

NOBODYS = frozenset({"owner", "embedder", "chore", "sequence", "migration"})
"""Tables whose rows belong to no owner."""

_COMMENT = re.compile(r"--.*")


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
