"""What a person reads of everything that is theirs: by where it may be seen, with the names of the others in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from types import MappingProxyType

from zgadka.chat.sentences import in_words
from zgadka.locales import Language, text
from zgadka.model.memory import StoredMemory
from zgadka.ops.list_memories import Listing, Place
from zgadka.text.sanitize import preview


@dataclass(frozen=True)
class Entry:
    """One line of the list.

    Attributes:
        place: Where it may be seen.
        is_used_here: Whether answers use it where the list is read.
        is_deletable: Whether `forget` deletes it where the list is read.
    """

    id: int
    place: str
    text: str
    is_deletable: bool
    is_used_here: bool = True


def entries(
    listing: Listing,
    language: Language,
    escape: Callable[[str], str] = str,
    zone: tzinfo = UTC,
    ages: Mapping[int, int] = MappingProxyType({}),
    past: Collection[int] = (),
) -> list[Entry]:
    """The lines of a listing, in its order; of what has others in it no text, for it is not only the person's.

    Args:
        escape: Makes people's words plain text for the platform.
        ages: How old people are by now, by the memory that says how old they were.
        past: The ids of what holds no longer.
    """
    shared = {memory.id for memory in listing.shared}
    return [
        Entry(
            memory.id,
            _place(place, language, escape),
            _of_others(memory, listing.with_others.get(memory.id, ()), language, escape)
            if memory.id in shared
            else told(memory, language, escape, zone, ages, past, listing.with_others.get(memory.id, ())),
            memory.id in listing.deletable,
            is_used_here=place.owner is None or place.owner.kind == "direct",
        )
        for place in listing.places
        for memory in place.memories
    ]


def grouped(lines: list[Entry]) -> list[str]:
    """The lines under headings that say where they may be seen; without one where that is here for all."""
    headed = len({line.place for line in lines}) > 1 or not all(line.is_used_here for line in lines)
    output: list[str] = []
    heading = ""
    for line in lines:
        if headed and line.place != heading:
            output.append(f"— {line.place}")
            heading = line.place
        output.append(f"ID:{line.id} {line.text}")
    return output


def _place(place: Place, language: Language, escape: Callable[[str], str]) -> str:
    if place.owner is None:
        return text(language, "chat.list.everywhere")
    if place.owner.kind == "direct":
        return text(language, "chat.list.direct")
    readers = f" · {text(language, 'chat.list.some_channels')}" if place.readers else ""
    return escape(f"{place.called}{readers}")


def told(
    memory: StoredMemory,
    language: Language,
    escape: Callable[[str], str],
    zone: tzinfo,
    ages: Mapping[int, int],
    past: Collection[int],
    people: tuple[str, ...] = (),
) -> str:
    """A memory in a line: what it says, when it holds, how old that makes somebody now, and who else is in it."""
    asides = [] if memory.id not in ages else [text(language, "chat.list.age_now", age=ages[memory.id])]
    asides += [text(language, "chat.list.with", names=escape(", ".join(people)))] if people else []
    words = escape(preview(in_words(memory, language, past=memory.id in past)))
    return f"{words}{memory.span_in(zone)}{''.join(f' ({aside})' for aside in asides)}"


def _of_others(memory: StoredMemory, people: tuple[str, ...], language: Language, escape: Callable[[str], str]) -> str:
    if memory.kind == "note":
        return text(language, "chat.list.note")
    return text(language, "chat.list.episode", names=escape(", ".join(people)) or "…")
