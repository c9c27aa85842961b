"""What the files of other programs hold, whatever the format: the readers make these, `apply.py` takes them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from zgadka.model.memory import Valence

Json = Mapping[str, Any]

LONGEST_NOTE = 1000


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing in a file.

    Attributes:
        location: Where it is, for people: `line 12`.
        user: The person it is about, where the file names one.
        labels: Words of the file by which the operator may have named the person.
        space: Where it was learned, where the file says so.
        at: When it was.
    """

    location: str
    user: str | None = None
    labels: tuple[str, ...] = ()
    space: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class PastFact(Entry):
    """A fact with its type and key."""

    type: str
    key: str
    value: str
    confidence: float = 1.0
    excerpt: str | None = None


@dataclass(frozen=True, kw_only=True)
class PastNote(Entry):
    """A text about the person."""

    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PastItem(Entry):
    """An item of a store, by namespace and key; it stays reachable by them."""

    namespace: tuple[str, ...]
    key: str
    value: Json


@dataclass(frozen=True, kw_only=True)
class PastTalk(Entry):
    """An episode of a space; `people` are platform ids."""

    topic: str
    summary: str
    importance: float
    valence: Valence
    tags: tuple[str, ...]
    people: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class AuthoredText(Entry):
    """What the person wrote: facts are extracted from it, and the text is not kept."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Unusable(Entry):
    """An entry that is invalid or not to be imported; the reason does not repeat it."""

    reason: str


def moment(value: object) -> datetime | None:
    """The time that a file gives, as ISO text or as seconds since 1970; None: it gives none that can be read."""
    try:
        match value:
            case bool() | None:
                return None
            case int() | float():
                return datetime.fromtimestamp(value, UTC)
            case str():
                time = datetime.fromisoformat(value)
                return time if time.tzinfo else time.replace(tzinfo=UTC)
            case _:
                return None
    except (ValueError, OverflowError, OSError):
        return None


def written_at(fields: Json) -> datetime | None:
    """When something was last changed, else made."""
    return moment(fields.get("updated_at")) or moment(fields.get("created_at"))


def text_in(value: object, *names: str) -> str | None:
    """The first of these fields that is a text and says something."""
    fields = fields_of(value)
    return next((text for name in names if isinstance(text := fields.get(name), str) and text.strip()), None)


def fields_of(value: object) -> Json:
    """The fields of a JSON object; none where it is something else."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def list_in(value: object, name: str) -> list[Any]:
    """The field's items; none where it is no list."""
    field: object = fields_of(value).get(name)
    return cast("list[Any]", field) if isinstance(field, list) else []
