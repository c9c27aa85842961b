"""Export a whole store, or all that is one person's, as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from zgadka._version import __version__
from zgadka.breathing import breathing
from zgadka.model.export_records import (
    KINDS,
    AnswerLine,
    AskedLine,
    AudienceLine,
    ConsentLine,
    EventLine,
    GivenLine,
    Line,
    MemberLine,
    MentionLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
    SourceLine,
    SubjectLine,
)
from zgadka.model.memory import EVERYWHERE, Owner, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, hidden, is_invisible, is_remembered, is_told, shows_text, speaker_of
from zgadka.ops.allow import OPERATORS
from zgadka.ops.belongings import mine_of, written_by
from zgadka.ops.relation_names import names_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.export_tables import CARRIED
from zgadka.transfer.export_codec import encode, place_of
from zgadka.transfer.import_reader import FORMAT, SEQUENCES, VERSION

T = TypeVar("T")

SOMEBODY = "somebody else"
"""In one person's export: who did it, where it was another person."""

_CACHED = 10_000


def export_store(tx: Tx, write: Callable[[str], object]) -> int:
    """Write everything that is kept, for operators; returns the number of lines.

    What is written is one consistent state, and only some rows at a time are held in memory.

    Args:
        write: Takes each line, without its end.
    """
    owner_exists = lru_cache(_CACHED)(tx.owners.exists)
    operators = tx.owners.find("space", *OPERATORS)  # what they did with this database is no memory
    lines = (
        line if isinstance(line, Owner) else _without_erased(line, owner_exists)
        for kind in dict.fromkeys(KINDS.values())
        if kind in CARRIED
        for line in tx.transfer.read(kind)
        if not _is_lost(line, owner_exists)
        if operators is None or operators != (line.id if isinstance(line, Owner) else getattr(line, "owner", None))
    )
    return _write(tx, write, {"last": {name: tx.last_id(name) for name in SEQUENCES}}, lines)


def export_person(tx: Tx, platform: str, name: str, turn: Turn | None = None) -> list[str]:
    """All that is one person's as lines, at every privacy level, without what is other people's.

    Theirs are the memories about them in every space, their messages and the answers to them, memberships, privacy
    level, audit lines and open questions, and episodes and relations about nobody else. Of episodes and relations with
    others there is only that they are, and what is this person's in them.

    Args:
        turn: Only what was always seen where it is; None: everything.
    """
    written: list[str] = []
    person = tx.owners.find("person", platform, name)
    lines = [] if person is None else _Person(tx, tx.owners.get(person)).lines(turn)
    _write(tx, written.append, {"person": {"platform": platform, "name": name}}, lines)
    return written


def export_space(tx: Tx, platform: str, name: str, write: Callable[[str], object]) -> int | None:
    """Write all that belongs to a space and what is remembered of people there, for operators; None: it is not known.

    Args:
        write: Takes each line, without its end.
    """
    space = tx.owners.find("space", platform, name)
    if space is None:
        return None
    kinds = (MemberLine, AudienceLine, MessageLine, StoredMemory, EventLine, SourceLine, GivenLine, SubjectLine)
    lines: list[Any] = [line for kind in kinds for line in tx.transfer.read(kind, space)]
    for person in tx.moving.owners_seen_in(platform, space):
        if person != space:
            lines += [memory for memory in tx.memories.list_all(person) if memory.space == space]
    lines.sort(key=lambda line: (kinds.index(type(line)), *place_of(line)))
    memories = [line for line in lines if isinstance(line, StoredMemory)]
    people = {person for memory in memories for person in (memory.owner, *memory.people)}
    people |= {line.person for line in lines if isinstance(line, MemberLine | MessageLine)}
    owners = [tx.owners.get(owner) for owner in sorted({space, *people}) if tx.owners.exists(owner)]
    owner_exists = lru_cache(_CACHED)(tx.owners.exists)
    head = {"last": {sequence: tx.last_id(sequence) for sequence in SEQUENCES}}
    return _write(tx, write, head, [*owners, *(_without_erased(line, owner_exists) for line in lines)])


def export_speaker(tx: Tx, turn: Turn) -> list[str]:
    """The same for the one who speaks; in a group, only what was born there and is seen there."""
    return export_person(tx, turn.platform, turn.user_key, None if turn.direct else turn)


def _write(tx: Tx, write: Callable[[str], object], head: dict[str, Any], lines: Iterable[Line]) -> int:
    count = 1
    write(_text({"kind": FORMAT, "version": VERSION, "zgadka": __version__, "at": tx.now.isoformat()} | head))
    for count, line in enumerate(breathing(lines), 2):  # noqa: B007  (counted up to the end)
        write(_text(encode(line)))
    write(_text({"kind": "end", "lines": count}))
    return count + 1


def _text(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False)


def _without_erased(line: Any, owner_exists: Callable[[int], bool]) -> Any:
    """The line without people and spaces that were erased: nothing is left of them but a number."""
    match line:
        case ConsentLine(space=int() as space) if not owner_exists(space):
            return replace(line, space=None)
        case StoredMemory() if line.people:
            return replace(line, people=tuple(person for person in line.people if owner_exists(person)))
        case EventLine(before=StoredMemory() as before):
            return replace(line, before=_without_erased(before, owner_exists))
        case _:
            return line


def _is_lost(line: Any, owner_exists: Callable[[int], bool]) -> bool:
    """Whether it is a deletion that nobody can confirm any more, for the space where it was asked is gone."""
    return isinstance(line, QuestionLine) and line.space is not None and not owner_exists(line.space)


class _Person:
    """Finds what is one person's."""

    def __init__(self, tx: Tx, person: Owner) -> None:
        self._tx = tx
        self._person = person
        self._id = person.id
        self._messages: set[int] = set()
        self._is_written_by_them = written_by(tx, person.id)

    def lines(self, turn: Turn | None = None) -> list[Line]:
        """What is the person's, also elsewhere than in the place of a turn where that is None."""
        tx, person = self._tx, self._id
        spaces = tx.transfer.spaces_with_rows_of(self._person.platform, person)
        said = [line for space in spaces for line in tx.transfer.messages_of(space, person)]
        messages = [message for message in said if message.role == "user"]
        self._messages = {message.id for message in messages}
        memories, mentions, events = self._memories_and_events()
        lines: list[Line] = [
            *(line for space in spaces for line in tx.transfer.membership_of(space, person)),
            *([PrivacyLine(owner=person, level=tx.privacy.get(person))] if tx.privacy.is_set(person) else []),
            *messages,
            *(message for message in said if message.role == "assistant"),
            *sorted(memories, key=place_of),
            *sorted(mentions, key=place_of),
            *sorted(events, key=place_of),
            *(line for line in tx.transfer.read(QuestionLine, person) if not _is_lost(line, tx.owners.exists)),
            *tx.transfer.read(SaveQuestionLine, person),
            *(
                waiting
                for space in spaces
                for waiting in tx.transfer.read(ObservationLine, space)
                if waiting.id in self._messages
            ),
            *tx.transfer.read(ConsentLine, person),
        ]
        if turn is not None:
            lines = _born_there(tx, lines, turn)
        lines = [_without_gone(tx, _for_person(line)) for line in breathing(lines)]
        owners = {person, *(owner for line in breathing(lines) for owner in _owners_in(line))} - {EVERYWHERE}
        return [*map(tx.owners.get, sorted(owners)), *lines]

    def _memories_and_events(self) -> tuple[list[StoredMemory], list[MentionLine], list[EventLine]]:
        tx, person = self._tx, self._id
        trails: dict[int, list[EventLine]] = {}
        for event in tx.transfer.read(EventLine, person):
            trails.setdefault(event.memory, []).append(event)
        memories = [
            self._redacted(memory, trails.get(memory.id, []))
            for memory in breathing(tx.transfer.read(StoredMemory, person))
        ]
        events = [self._event(event, trails[event.memory]) for trail in trails.values() for event in breathing(trail)]
        mentions: list[MentionLine] = []
        exported = mine_of(tx, person, "export")
        own = {memory.id for memory in exported.own}
        for memory in exported.all:
            if memory.owner == person:
                continue
            trail = list(tx.transfer.read(EventLine, memory.owner, memory.id))
            states = [memory, *(event.before for event in trail if event.before is not None)]
            alone = memory.id in own and all(set(state.people) <= {person} for state in states)
            if alone and not hidden(tx, [memory], but=person):
                memories.append(self._redacted(memory, trail))
                events += [self._event(event, trail) for event in trail]
            else:
                mentions.append(self._mention(memory, trail))
        return memories, mentions, events

    def _redacted(self, memory: StoredMemory, trail: list[EventLine]) -> StoredMemory:
        """The memory without another person's words and id."""
        return replace(
            memory,
            said_by=self._actor(memory.said_by),
            excerpt=memory.excerpt if self._is_sole_actor(trail) else None,
            messages=self._own_messages(memory),
        )

    def _event(self, event: EventLine, trail: list[EventLine]) -> EventLine:
        mine = event.actor == self._person.name
        return replace(
            event,
            actor=self._actor(event.actor),
            reason=event.reason if mine else None,
            before=None if event.before is None else self._redacted(event.before, trail),
        )

    def _mention(self, memory: StoredMemory, trail: list[EventLine]) -> MentionLine:
        is_theirs = memory.kind == "relation" or self._is_written_by_them(memory)
        is_told = is_theirs and not hidden(self._tx, [memory], but=self._id)
        content = memory.content if is_told and self._is_sole_actor(trail) else None
        called = names_of(self._tx, memory.owner, memory.people) if is_told else {}
        names = tuple(called[person] for person in memory.people if person in called)
        return _part(MentionLine, memory, content=content, messages=self._own_messages(memory), names=names)

    def _actor(self, name: str) -> str:
        return name if name == self._person.name else SOMEBODY

    def _is_sole_actor(self, trail: list[EventLine]) -> bool:
        return all(event.actor == self._person.name for event in trail)

    def _own_messages(self, memory: StoredMemory) -> tuple[int, ...]:
        return tuple(message for message in memory.messages if message in self._messages)


def _born_there(tx: Tx, lines: list[Line], turn: Turn) -> list[Line]:
    """The lines that tell nothing but what is, and always was, seen in the turn's place by all who read it."""
    scope = communal_scope(tx, turn)
    space = scope.owner
    read = {line.id for line in lines if isinstance(line, MessageLine) and scope.is_read_by(line.audience)}
    person = speaker_of(tx, turn)
    is_told_of = is_remembered(tx, person, space)
    told = tx.messages.get_many(space, [] if is_invisible(tx, person, space) else read)
    memories = [line for line in lines if isinstance(line, StoredMemory)]
    states = [*memories, *(line.before for line in lines if isinstance(line, EventLine) and line.before is not None)]
    elsewhere = {
        state.id
        for state in states
        if state.space not in (space, EVERYWHERE)
        or state.lineage not in (0, turn.persona)
        or not scope.is_read_by(state.audience)
    }
    seen = {
        memory.id
        for memory in memories
        if is_told_of and not (memory.archived or memory.withheld) and shows_text(tx, turn, memory)
    } - elsewhere

    def is_born_there(line: Line) -> bool:
        match line:
            case StoredMemory():
                return line.id in seen
            case EventLine():  # what was told before may be forgotten: it is for the person alone
                return False
            case QuestionLine() | ConsentLine():
                return line.space == space
            case SaveQuestionLine():
                return is_told_of and is_told(tx, Turn.from_json(line.turn), turn)
            case MessageLine() | ObservationLine():
                return line.owner == space and line.id in told
            case MentionLine():
                memory = tx.memories.get(line.owner, line.id)
                if memory is None or memory.archived or line.owner != space:
                    return False
                return scope.is_read_by(memory.audience) and shows_text(tx, turn, memory)
            case MemberLine():
                return line.owner == space
            case _:
                return True

    return [line for line in lines if is_born_there(line)]


def _for_person(line: Line) -> Line:
    """The line without the words of whoever asked, and an answer as what it is: nobody imports it as a message."""
    match line:
        case ConsentLine():
            return _part(AskedLine, line)
        case MessageLine(role="assistant"):
            return _part(AnswerLine, line)
        case _:
            return line


def _without_gone(tx: Tx, line: Line) -> Line:
    """The line without what was seen in a space that is gone."""
    match line:
        case EventLine(before=StoredMemory(space=space)) if space and not tx.owners.exists(space):
            return replace(line, before=None)
        case _:
            return line


def _part(kind: type[T], line: Line, **changes: object) -> T:
    """What another kind of line holds of this one, with changes."""
    own = (field.name for field in fields(cast("Any", kind)) if field.name not in changes)
    return kind(**{name: getattr(line, name) for name in own}, **changes)


def _owners_in(line: Line) -> Iterator[int]:
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
        case MemberLine() | MessageLine() | AnswerLine() | MentionLine() | ObservationLine():
            yield line.owner
        case _:
            pass
