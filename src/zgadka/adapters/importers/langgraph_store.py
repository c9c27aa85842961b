"""A LangGraph store in a SQLite file (`SqliteStore`): what is remembered stays reachable through `ZgadkaStore`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from zgadka.adapters.importers.entries import Entry, PastItem, Unusable, fields_of, moment
from zgadka.adapters.importers.files import database, table
from zgadka.errors import InvalidInput


def read_langgraph(path: Path) -> Iterator[Entry]:
    """The items of a store that are not past their time."""
    with database(path) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store'").fetchone():
            raise InvalidInput(f"{str(path)!a} has no table store, as LangGraph's SqliteStore makes it")
        for row in table(connection, "store"):
            yield _item(f"store, row {row['rowid']}", row)


def _item(place: str, row: dict[str, Any]) -> Entry:
    prefix, key = row.get("prefix"), row.get("key")
    try:
        given: object = json.loads(row.get("value") or "")
    except (ValueError, TypeError, RecursionError):
        given = None
    if not (isinstance(prefix, str) and isinstance(key, str) and isinstance(given, dict)):
        return Unusable(place=place, reason="it has no namespace, key or JSON object as value")
    expires = moment(row.get("expires_at"))
    if expires is not None and expires <= datetime.now(UTC):
        return Unusable(place=place, reason="its time was over there")
    namespace = tuple(prefix.split("."))
    at = moment(row.get("updated_at")) or moment(row.get("created_at"))
    return PastItem(
        place=place, labels=namespace, namespace=namespace, key=key, value=fields_of(cast("object", given)), at=at
    )
