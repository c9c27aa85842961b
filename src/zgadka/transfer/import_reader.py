"""Read an export line by line, and refuse it at the first invalid line."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from io import SEEK_END
from typing import IO, Any, cast, get_args

from zgadka.errors import InvalidInput
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
from zgadka.model.memory import BY_ITS_AUTHOR, EVERYWHERE, EXPIRED, FactType, Owner, OwnerKind, StoredMemory
from zgadka.model.turn import Turn
from zgadka.text.sanitize import unstorable
from zgadka.transfer.export_codec import HIGHEST_ID, decode, place_of

FORMAT = "zgadka-export"
VERSION = 1
SEQUENCES: tuple[str, ...] = ("owner", "memory", "message", "change", "consent", "audience")
"""What is numbered through the whole store."""

LONGEST_LINE = 32 * 2**20
"""Bytes of a line."""

_ORDER = {kind: rank for rank, kind in enumerate(dict.fromkeys(KINDS.values()))}
_AHEAD = timedelta(days=1)
_PRIVACY_LEVELS = 3
_HIGHEST_CHANGE = BY_ITS_AUTHOR // 2
"""Else the changes that come later would reach the number that is none."""
_FACT_TYPES: tuple[str, ...] = get_args(FactType)


class FileLines:
    """The lines of a file, each time from the beginning; of one that is too long, only the beginning.

    Args:
        progress: Is told how many bytes were read, and how many there are to read: an import goes through them twice.
    """

    def __init__(self, source: IO[bytes], progress: Callable[[int, int], object] = lambda _, __: None) -> None:
        self._source = source
        self._progress = progress
        self._passes = -1

    def __iter__(self) -> Iterator[bytes]:
        size = self._source.seek(0, SEEK_END)
        self._source.seek(0)
        self._passes += 1
        read = self._passes * size
        while line := self._source.readline(LONGEST_LINE + 1):
            read += len(line)
            self._progress(read, 2 * size)
            yield line


@dataclass(frozen=True)
class Overview:
    """What has to be known of a file before its first line is imported.

    Attributes:
        highest: The highest number in each sequence, also of what is only referred to.
        subjects: The people whom answers are about, by the answers' ids.
    """

    highest: Mapping[str, int]
    subjects: Mapping[int, set[int]]


def check(lines: Iterable[str | bytes]) -> Overview:
    """Read all lines.

    Raises:
        InvalidInput: One of them is invalid; the text begins with its number.
    """
    reader = Reader()
    subjects: defaultdict[int, set[int]] = defaultdict(set)
    for _, line in reader.read(lines):
        if isinstance(line, SubjectLine):
            subjects[line.id].add(line.person)
    return Overview(reader.highest, dict(subjects))


class Reader:
    """Reads one file and remembers what later lines may refer to."""

    def __init__(self, now: datetime | None = None) -> None:
        self.highest = dict.fromkeys(SEQUENCES, 0)
        self._now = now
        self._owners: dict[int, OwnerKind] = {}
        self._names: set[tuple[str, str, str]] = set()
        self._memories: dict[int, int] = {}
        self._trails: dict[int, int] = {}
        self._audiences: dict[int, int] = {}
        self._others: dict[type, set[int]] = {
            MessageLine: set(),
            AnswerLine: set(),
            MentionLine: set(),
            ConsentLine: set(),
        }
        self._subject: tuple[str, str] | None = None  # of the one person whose export it is: platform and name
        self._person = 0
        self._last: tuple[Any, ...] = ()

    def read(self, lines: Iterable[str | bytes]) -> Iterator[tuple[int, Line]]:
        """Go through the lines; each comes with its number.

        Raises:
            InvalidInput: A line is invalid, or the end is missing.
        """
        number, ended = 0, False
        for number, text in enumerate(lines, 1):
            try:
                if ended:
                    raise InvalidInput("there are more lines after the end")
                record = _parsed(text)
                if number == 1:
                    self._begin(record)
                elif record.get("kind") == "end":
                    if record != {"kind": "end", "lines": number - 1}:
                        lines_told = ascii(record.get("lines"))[:40]
                        raise InvalidInput(f"the end says {lines_told} lines, but there are {number - 1}")
                    ended = True
                else:
                    line = decode(record)
                    self._check(line)
                    yield number, line
            except InvalidInput as error:
                raise InvalidInput(f"line {number}: {error}") from error
        if not ended:
            raise InvalidInput(f"line {number}: the end is missing: the file was cut off after this line")

    def _begin(self, record: dict[str, Any]) -> None:
        if record.get("kind") != FORMAT:
            raise InvalidInput(f"this is not an export of zgadka: the first line must have the kind {FORMAT}")
        version = record.get("version")
        if type(version) is not int or version != VERSION:
            raise InvalidInput(f"this zgadka reads version {VERSION} of the format, not {ascii(version)[:40]}")
        if unknown := record.keys() - {"kind", "version", "zgadka", "at", "last", "person"}:
            raise InvalidInput(f"the head has no {', '.join(ascii(name)[:40] for name in sorted(unknown))}")
        self._subject = _person(record.get("person"))
        for name, number in _last(record.get("last")).items():
            self._see(name, number)

    def _check(self, line: Line) -> None:
        self._check_order(line)
        match line:
            case Owner():
                self._owner(line)
            case StoredMemory():
                self._memory(line)
            case MemberLine():
                self._space(line.owner)
                self._people(line.person)
            case MessageLine():
                self._new(line.id, self._others[MessageLine])
                self._see("message", line.id)
                self._see("change", 0 if line.withheld == EXPIRED and not line.text else line.withheld)
                self._readers(line.audience, line.owner)
                self._space(line.owner)
                self._people(line.person)
            case MentionLine() | AnswerLine():
                self._new(line.id, self._others[type(line)])
                self._space(line.owner)
            case EventLine():
                self._event(line)
            case PrivacyLine():
                self._people(line.owner)
                if line.level >= _PRIVACY_LEVELS:
                    raise InvalidInput(f"level must be 0, 1 or 2, not {line.level}")
            case AudienceLine() | SourceLine() | GivenLine() | SubjectLine():
                self._link(line)
            case ObservationLine():
                self._space(line.owner)
                self._see("message", line.id)
                self._past("noted_at", line.noted_at)
                _turn(line.turn)
            case _:
                self._people(line.owner)
                self._waiting(line)
        if self._subject is not None:
            self._check_isolation(line)

    def _check_order(self, line: Line) -> None:
        """Each line stands behind the one before it: so nothing comes twice, and what is referred to comes first."""
        position = (_ORDER[type(line)], *place_of(line))
        if position <= self._last:
            raise InvalidInput("this line is out of order, or appears twice")
        self._last = position

    def _check_isolation(self, line: Line) -> None:
        """One person's export names nobody else, and holds nothing of a space that is not theirs alone."""
        match line:
            case Owner():
                allowed = line.kind == "space" or (line.platform, line.name) == self._subject
            case MessageLine():
                allowed = line.role == "user"
            case StoredMemory():
                allowed = line.owner == self._person or self._is_theirs(line)
            case EventLine():
                allowed = line.owner == self._person or line.memory in self._memories
            case ObservationLine():
                allowed = line.id in self._others[MessageLine]
            case AudienceLine() | SourceLine() | GivenLine() | SubjectLine():
                allowed = False
            case _:
                allowed = True
        if not allowed:
            raise InvalidInput("this is not about the person whose export this is")

    def _is_theirs(self, line: StoredMemory) -> bool:
        """Whether what belongs to a space is about that person alone, or about nobody and noted by them."""
        if line.people:
            return line.people == (self._person,)
        is_by_them = line.kind == "note" and self._subject is not None and line.said_by == self._subject[1]
        return is_by_them or self._owners.get(line.owner) == "direct"

    def _owner(self, line: Owner) -> None:
        name = (line.kind, line.platform, line.name)
        if name in self._names:
            raise InvalidInput(f"the {line.kind} {line.name!a} appears twice")
        self._names.add(name)
        self._owners[line.id] = line.kind
        self._see("owner", line.id)
        if line.kind == "person" and self._subject == (line.platform, line.name):
            self._person = line.id

    def _audience(self, line: AudienceLine) -> None:
        self._new(line.id, self._audiences)
        self._space(line.owner)
        self._see("audience", line.id)
        self._audiences[line.id] = line.owner
        if line.readers != tuple(sorted(set(line.readers))):  # none: nobody knew who they are
            raise InvalidInput("readers must be names in order, each once")

    def _link(self, line: AudienceLine | SourceLine | GivenLine | SubjectLine) -> None:
        match line:
            case AudienceLine():
                self._audience(line)
            case SourceLine():
                self._kind(line.owner)
                self._space(line.space)
                self._see("memory", line.memory)
                self._see("message", line.message)
            case GivenLine():
                self._space(line.owner)
                self._see("message", line.message)
                self._see("memory", line.memory)
            case SubjectLine():
                self._space(line.owner)
                self._people(line.person)
                self._see("message", line.id)

    def _readers(self, audience: int, space: int) -> None:
        """A group of readers that something is for; without a line of its own, nobody knows who they are."""
        self._see("audience", audience)
        if space != EVERYWHERE and self._audiences.get(audience, space) != space:
            raise InvalidInput(f"the audience {audience} is none of the space {space}")

    def _memory(self, line: StoredMemory) -> None:
        self._new(line.id, self._memories)
        self._memories[line.id] = line.owner
        self._state(line)
        if line.kind == "relation" and len(line.people) != 2:
            raise InvalidInput("a relation has two people")

    def _state(self, line: StoredMemory) -> None:
        """A memory, or what it was before an event: there, people may be missing who were erased since."""
        kind = self._kind(line.owner)
        self._see("memory", line.id, line.follows or 0, line.merged_into or 0)
        self._see("message", *line.messages)
        self._see("change", 0 if line.withheld == BY_ITS_AUTHOR else line.withheld)
        self._readers(line.audience, line.space)
        self._people(*line.people)
        if kind != "person" and line.space not in (EVERYWHERE, line.owner):
            raise InvalidInput(f"what belongs to a space is seen there, not in {line.space}")
        if line.space != EVERYWHERE:
            self._space(line.space)
        self._past("created_at", line.created_at)
        self._past("updated_at", line.updated_at)
        if (line.kind == "fact") != (line.key is not None):
            raise InvalidInput("a fact, and nothing else, has a key")
        if line.kind == "fact" and line.type not in _FACT_TYPES:
            raise InvalidInput(f"the type of a fact must be one of {', '.join(_FACT_TYPES)}")

    def _event(self, line: EventLine) -> None:
        self._kind(line.owner)
        self._see("memory", line.memory)
        self._see("change", line.change or 0)
        self._past("at", line.at)
        if line.memory == 0:
            if line.before is not None:
                raise InvalidInput("a line about the owner as a whole has no state before")
            return
        for trails in (self._memories, self._trails):
            if trails.get(line.memory, line.owner) != line.owner:
                raise InvalidInput(f"the memory {line.memory} has another owner")
        self._trails[line.memory] = line.owner
        if line.before is not None:
            self._state(line.before)

    def _waiting(self, line: QuestionLine | ConsentLine | SaveQuestionLine | AskedLine) -> None:
        # One that is gone was erased or moved by a program that left the question.
        if isinstance(line, QuestionLine | ConsentLine) and line.space in self._owners:
            self._space(line.space)
        if isinstance(line, ConsentLine):
            self._new(line.id, self._others[ConsentLine])
            self._see("consent", line.id)
        if isinstance(line, ConsentLine | SaveQuestionLine):
            self._past("asked_at", line.asked_at)
            _turn(line.turn)

    def _kind(self, owner: int) -> OwnerKind:
        if owner not in self._owners:
            raise InvalidInput(f"there is no person or space {owner} above this line")
        return self._owners[owner]

    def _people(self, *people: int) -> None:
        for person in people:
            if self._kind(person) != "person":
                raise InvalidInput(f"{person} is a space, not a person")

    def _space(self, space: int) -> None:
        if self._kind(space) == "person":
            raise InvalidInput(f"{space} is a person, not a space")

    def _new(self, number: int, seen_ids: set[int] | dict[int, int]) -> None:
        if number in seen_ids:
            raise InvalidInput(f"the id {number} appears twice")
        if isinstance(seen_ids, set):
            seen_ids.add(number)

    def _past(self, name: str, moment: datetime) -> None:
        if self._now is not None and moment > self._now + _AHEAD:
            raise InvalidInput(f"{name} is in the future: {moment.isoformat()}")

    def _see(self, sequence: str, *numbers: int) -> None:
        highest = self.highest[sequence] = max(self.highest[sequence], *numbers, 0)
        if sequence == "change" and highest > _HIGHEST_CHANGE:
            raise InvalidInput(f"a change must have a number up to {_HIGHEST_CHANGE}, not {highest}")


def _turn(value: Mapping[str, Any]) -> None:
    if unknown := value.keys() - {field.name for field in fields(Turn)}:
        raise InvalidInput(f"turn: unknown {', '.join(map(ascii, sorted(unknown)))}")
    try:
        Turn.from_json(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"turn: {error}") from error


def _parsed(text: str | bytes) -> dict[str, Any]:
    if len(text) > LONGEST_LINE:
        raise InvalidInput(f"the line is longer than {LONGEST_LINE} bytes")
    try:
        value = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_object,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except UnicodeDecodeError as error:
        raise InvalidInput(f"this is not UTF-8, at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"this is not a JSON object: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"this is not a JSON object but {type(value).__name__}")
    return cast("dict[str, Any]", value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return record


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise ValueError(f"{text[:20]} is no number")
    return number


def _person(value: object) -> tuple[str, str] | None:
    match value:
        case None:
            return None
        case {"platform": str(platform), "name": str(name)} if not unstorable(platform + name):
            return platform, name
        case _:
            raise InvalidInput("person must have a platform and a name")


def _last(value: object) -> dict[str, int]:
    if not isinstance(value, dict | None):
        raise InvalidInput("last must be an object")
    numbers = cast("dict[str, Any]", value or {})
    for name, number in numbers.items():
        if name not in SEQUENCES or type(number) is not int or not 0 <= number <= HIGHEST_ID:
            raise InvalidInput(f"last has {', '.join(SEQUENCES)}, each a whole number from 0 to {HIGHEST_ID}")
    return numbers
