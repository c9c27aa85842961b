"""A LangGraph store in a SQLite file (`SqliteStore`): what is remembered stays reachable through `ZgadkaStore`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from zgadka.errors import InvalidInput
from zgadka.transfer.external.entries import Entry, PastItem, Unusable, fields_of, moment, written_at
from zgadka.transfer.external.files import database, rows, tables


def read_langgraph(path: Path) -> Iterator[Entry]:
    """The items of a store that are not past their time."""
    with database(path) as connection:
        if "store" not in tables(connection):
            raise InvalidInput(f"{str(path)!a} has no table store, as LangGraph's SqliteStore makes it")
        for row in rows(connection, "store"):
            yield _item(f"store, row {row['rowid']}", row)


def _item(location: str, row: dict[str, Any]) -> Entry:
    prefix, key = row.get("prefix"), row.get("key")
    try:
        value: object = json.loads(row.get("value") or "")
    except (ValueError, TypeError, RecursionError):
        value = None
    if not (isinstance(prefix, str) and isinstance(key, str) and isinstance(value, dict)):
        return Unusable(location=location, reason="it has no namespace, key or JSON object as value")
    expires = moment(row.get("expires_at"))
    if expires is not None and expires <= datetime.now(UTC):
        return Unusable(location=location, reason="its time was over there")
    namespace = tuple(prefix.split("."))
    at = written_at(row)
    return PastItem(
        location=location, labels=namespace, namespace=namespace, key=key, value=fields_of(cast("object", value)), at=at
    )
