"""Export a whole store, or all that is one person's, as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from zgadka._version import __version__
from zgadka.model.lines import (
    AskedLine,
    ConsentLine,
    EventLine,
    Line,
    MemberLine,
    MentionLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
    place_of,
)
from zgadka.model.memory import EVERYWHERE, Owner, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.lines import KINDS, encode
from zgadka.ops.reading import FORMAT, SEQUENCES, VERSION
from zgadka.stores.carried import CARRIED
from zgadka.stores.tx import Tx

SOMEBODY = "somebody else"
"""In one person's export: who did it, where it was another person."""

_CACHED = 10_000


def export_store(tx: Tx, write: Callable[[str], object]) -> int:
    """Write everything that is kept, for operators; returns the number of lines.

    What is written is one consistent state, and only some rows at a time are held in memory.

    Args:
        write: Takes each line, without its end.
    """
    known = lru_cache(_CACHED)(tx.has_owner)
    lines = (
        line if isinstance(line, Owner) else _without_erased(line, known)
        for kind in _in_order()
        for line in tx.carried(kind)
    )
    return _write(tx, write, {"last": {name: tx.last_id(name) for name in SEQUENCES}}, lines)


def export_person(tx: Tx, platform: str, name: str) -> list[str]:
    """All that is one person's as lines, at every privacy level, without what is other people's.

    Theirs are the memories about them in every space, their messages, memberships, privacy level, audit lines and open
    questions, and episodes and relations about nobody else. Of episodes and relations with others there is only that
    they are, and what is this person's in them.
    """
    written: list[str] = []
    person = tx.find_owner("person", platform, name)
    lines = [] if person is None else _Person(tx, tx.owner(person)).lines()
    _write(tx, written.append, {"person": {"platform": platform, "name": name}}, lines)
    return written


def export_speaker(tx: Tx, turn: Turn) -> list[str]:
    """The same for the one who speaks."""
    return export_person(tx, turn.platform, turn.user_name)


def _in_order() -> list[type[Any]]:
    return [kind for kind in dict.fromkeys(KINDS.values()) if kind in CARRIED]


def _write(tx: Tx, write: Callable[[str], object], head: dict[str, Any], lines: Iterable[Line]) -> int:
    count = 1
    write(_text({"kind": FORMAT, "version": VERSION, "zgadka": __version__, "at": tx.now.isoformat()} | head))
    for count, line in enumerate(lines, 2):  # noqa: B007  (counted up to the end)
        write(_text(encode(line)))
    write(_text({"kind": "end", "lines": count}))
    return count + 1


def _text(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False)


def _without_erased(line: Any, known: Callable[[int], bool]) -> Any:
    """The line without people who were erased: nothing is left of them but a number."""
    match line:
        case StoredMemory() if line.people:
            return replace(line, people=tuple(person for person in line.people if known(person)))
        case EventLine(before=StoredMemory() as before):
            return replace(line, before=_without_erased(before, known))
        case _:
            return line


class _Person:
    """Finds what is one person's."""

    def __init__(self, tx: Tx, person: Owner) -> None:
        self._tx = tx
        self._person = person
        self._id = person.id
        self._messages: set[int] = set()

    def lines(self) -> list[Line]:
        tx, person = self._tx, self._id
        messages = list(tx.carried(MessageLine, whose=person))
        self._messages = {message.id for message in messages}
        memories, mentions, events = self._remembered()
        lines: list[Line] = [
            *tx.carried(MemberLine, whose=person),
            *([PrivacyLine(owner=person, level=tx.privacy(person))] if tx.has_privacy(person) else []),
            *messages,
            *sorted(memories, key=place_of),
            *sorted(mentions, key=place_of),
            *sorted(events, key=place_of),
            *tx.carried(QuestionLine, person),
            *tx.carried(SaveQuestionLine, person),
            *(waiting for waiting in tx.carried(ObservationLine) if waiting.id in self._messages),
            *(_asked(consent) for consent in tx.carried(ConsentLine, person)),
        ]
        owners = {person, *(owner for line in lines for owner in _referred(line))} - {EVERYWHERE}
        return [*map(tx.owner, sorted(owners)), *lines]

    def _remembered(self) -> tuple[list[StoredMemory], list[MentionLine], list[EventLine]]:
        tx, person = self._tx, self._id
        trails: dict[int, list[EventLine]] = {}
        for event in tx.carried(EventLine, person):
            trails.setdefault(event.memory, []).append(event)
        memories = [self._own(memory, trails.get(memory.id, [])) for memory in tx.carried(StoredMemory, person)]
        events = [self._event(event, trails[event.memory]) for trail in trails.values() for event in trail]
        mentions: list[MentionLine] = []
        for memory in self._in_spaces():
            trail = list(tx.carried(EventLine, memory.owner, memory.id))
            states = [memory, *(event.before for event in trail if event.before is not None)]
            if all(set(state.people) <= {person} for state in states):
                memories.append(self._own(memory, trail))
                events += [self._event(event, trail) for event in trail]
            else:
                mentions.append(self._mention(memory, trail))
        return memories, mentions, events

    def _in_spaces(self) -> Iterator[StoredMemory]:
        for space in self._tx.carried(Owner):
            if space.platform == self._person.platform and space.kind != "person":
                yield from self._tx.with_person(space.id, self._id)

    def _own(self, memory: StoredMemory, trail: list[EventLine]) -> StoredMemory:
        """The memory without another person's words and id."""
        return replace(
            memory,
            said_by=self._actor(memory.said_by),
            excerpt=memory.excerpt if self._alone(trail) else None,
            messages=self._mine(memory),
        )

    def _event(self, event: EventLine, trail: list[EventLine]) -> EventLine:
        mine = event.actor == self._person.name
        return replace(
            event,
            actor=self._actor(event.actor),
            reason=event.reason if mine else None,
            before=None if event.before is None else self._own(event.before, trail),
        )

    def _mention(self, memory: StoredMemory, trail: list[EventLine]) -> MentionLine:
        said = memory.kind == "relation" and self._alone(trail)
        return MentionLine(
            owner=memory.owner,
            id=memory.id,
            kind=memory.kind,
            lineage=memory.lineage,
            type=memory.type,
            content=memory.content if said else None,
            chat=memory.chat,
            archived=memory.archived,
            created_at=memory.created_at,
            messages=self._mine(memory),
        )

    def _actor(self, name: str) -> str:
        return name if name == self._person.name else SOMEBODY

    def _alone(self, trail: list[EventLine]) -> bool:
        return all(event.actor == self._person.name for event in trail)

    def _mine(self, memory: StoredMemory) -> tuple[int, ...]:
        return tuple(message for message in memory.messages if message in self._messages)


def _asked(consent: ConsentLine) -> AskedLine:
    return AskedLine(
        owner=consent.owner,
        id=consent.id,
        tool=consent.tool,
        asked_at=consent.asked_at,
        expires_at=consent.expires_at,
    )


def _referred(line: Line) -> Iterator[int]:
    """The spaces that a line speaks of."""
    match line:
        case StoredMemory():
            yield from (line.owner, line.space)
        case EventLine():
            yield line.owner
            if line.before is not None:
                yield line.before.space
        case QuestionLine(space=int() as space):
            yield space
        case MemberLine() | MessageLine() | MentionLine() | ObservationLine():
            yield line.owner
        case _:
            pass
