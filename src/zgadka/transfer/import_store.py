"""Import an export: add what is not there, change and remove nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Literal, TypeVar

from zgadka.model.export_records import (
    AudienceLine,
    ConsentLine,
    EventLine,
    GivenLine,
    Line,
    MemberLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
    SourceLine,
    SubjectLine,
)
from zgadka.model.memory import BY_ITS_AUTHOR, EVERYWHERE, EXPIRED, Action, Owner, StoredMemory
from zgadka.model.privacy import PrivacyLevel, level_of
from zgadka.ops import merges, persist
from zgadka.ops.access import as_told, note_level_in, privacy_of, readers_now
from zgadka.ops.fact_validity import is_past
from zgadka.ops.keyed_notes import canonical_of_note
from zgadka.ops.multi_owner_saga import WAIT
from zgadka.ops.profile import HIDE
from zgadka.ops.reindex import renew
from zgadka.ops.relationships import identity
from zgadka.ops.remember import no_room
from zgadka.ops.same_value import as_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED
from zgadka.text.canonical import canonical
from zgadka.text.words import index_words
from zgadka.transfer.export_codec import kind_of
from zgadka.transfer.import_reader import Overview, Reader
from zgadka.transfer.returning import Returning
from zgadka.transfer.text_limits import without_too_long

Outcome = Literal[
    "added",
    "already_here",
    "duplicate",
    "conflict",
    "limit",
    "privacy_restricted",
    "erased_since",
    "forgotten_since",
    "not_carried",
    "left_out",
    "too_long",
]
"""What became of a line.

`already_here`: the same, or what has become of it since, is in the store. `duplicate`: another memory says the same.
`conflict`: another value stands where only
one can. `limit`: the owner has as many as allowed. `privacy_restricted`: the person does not want to be remembered
here. `erased_since`: it was said before its person was erased here. `forgotten_since`: it was said before they had it
forgotten here. `not_carried`: what waits for somebody or something
that was here before. `left_out`: the line only tells of something whose text is another person's. `too_long`: no tool
would have kept so long a text.
"""

T = TypeVar("T")
L = TypeVar("L", bound=Line)
_Event = tuple[datetime, str, str]

ERASED = "erased"
"""Who did something, where they were erased since."""

_SAID = (Owner, MemberLine, PrivacyLine, AudienceLine, MessageLine, StoredMemory)
"""The kinds of lines that come first: all that is said, and by whom."""
_GOING: tuple[Action, ...] = ("undone", "deleted", "cleared")
"""What is done to a memory that its person wants gone."""
_LISTED = 1000
_NAMED_MEMORY = re.compile(r"\b(merged into|replaced by) ([0-9]{1,16})$")


@dataclass
class ImportReport:
    """What an import did, or would do.

    Attributes:
        lines: How many lines of each kind came to what end.
        renumbered: How many numbers of each sequence are others here, because something else had or has them.
        conflicts: The first of the conflicts: line, id in the file, id of what stands in its place.
        too_long: The first of the lines that were left out, or lost a part, since it was too long: line, kind, what.
    """

    dry_run: bool = False
    lines: dict[str, Counter[Outcome]] = field(default_factory=lambda: defaultdict(Counter[Outcome]))
    renumbered: dict[str, int] = field(default_factory=dict[str, int])
    conflicts: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    too_long: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def added(self) -> int:
        """How many lines were added, of all kinds."""
        return sum(counts["added"] for counts in self.lines.values())

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        counts = {
            kind: {outcome: count for outcome, count in sorted(counts.items()) if count}
            for kind, counts in self.lines.items()
        }
        return {
            "dry_run": self.dry_run,
            "added": {kind: outcomes.pop("added") for kind, outcomes in counts.items() if "added" in outcomes},
            "skipped": {kind: outcomes for kind, outcomes in counts.items() if outcomes},
            "renumbered": self.renumbered,
            "conflicts": self.conflicts,
        } | ({"too_long": self.too_long} if self.too_long else {})


class DryRun(Exception):  # noqa: N818
    """Rolls everything back, and carries what would have been done."""

    def __init__(self, report: Any) -> None:
        super().__init__("nothing was imported")
        self.report = report


def import_lines(tx: Tx, lines: Iterable[str | bytes], overview: Overview, *, dry_run: bool) -> ImportReport:
    """Add what the lines hold and the store does not.

    Args:
        overview: What `check` found in the same lines.

    Raises:
        DryRun: What was done is to be taken back.
        InvalidInput: A line is invalid; nothing was kept.
    """
    importing = _Import(tx, overview)
    reading = Reader(tx.now).read(lines)
    for key, group in groupby(reading, key=lambda numbered: _trail(numbered[1])):
        if key is None:
            for number, line in group:
                importing.add(number, line)
        else:
            shortened = [importing.shortened(number, line) for number, line in group if isinstance(line, EventLine)]
            importing.add_trail([line for line in shortened if line is not None])
    importing.end()
    report = importing.report
    report.dry_run = dry_run
    report.renumbered = importing.renumbered()
    if dry_run:
        raise DryRun(report)
    return report


def _trail(line: Line) -> tuple[int, int] | None:
    return (line.owner, line.memory) if isinstance(line, EventLine) else None


class _IdMap(dict[int, int]):
    """Numbers of one sequence: the file's where nothing here ever had them, else new ones above both."""

    def __init__(self, tx: Tx, name: str, highest: int) -> None:
        self._tx = tx
        self._name = name
        self._last = tx.last_id(name)
        self._groups: set[int] = set()
        self.renumbered = 0
        if highest > self._last:
            tx.raise_id(name, highest)

    def local(self, number: int, *, group: int = 0) -> int:
        """Return the number here for the file's number, and keep to it.

        Args:
            group: Where the order of numbers matters: once one of the group has a new number, all that follow do.
        """
        if number not in self:
            if number > self._last and group not in self._groups:
                self[number] = number
            else:
                self[number] = self._tx.next_id(self._name)
                self.renumbered += 1
                if group:
                    self._groups.add(group)
        return self[number]


@dataclass
class _Past:
    """What was here of an owner's memories, as the trails tell.

    Attributes:
        ids: By what a state of a memory is known: of which memories it was one.
        gone: When what is not here any more was taken back or deleted, by when it was kept; of what a change had left
            as past, by its id.
        trails: The events of each memory, with its id, by the first of them.
    """

    ids: defaultdict[tuple[object, ...], set[int]] = field(default_factory=lambda: defaultdict(set[int]))
    gone: dict[datetime | int, datetime] = field(default_factory=dict[datetime | int, datetime])
    trails: defaultdict[_Event, list[tuple[int, list[_Event]]]] = field(
        default_factory=lambda: defaultdict(list[tuple[int, list[_Event]]])
    )


class _Import:
    """One import, and what it has met so far. Ids are those here, unless they are called the file's."""

    def __init__(self, tx: Tx, overview: Overview) -> None:
        self.report = ImportReport()
        self._tx = tx
        self._numbers = {name: _IdMap(tx, name, highest) for name, highest in overview.highest.items()}
        self._subjects = overview.subjects
        self._returning = Returning(tx)
        self._used: set[int] = set()  # owners whom something that came in names
        self._late_members: list[MemberLine] = []
        self._with_level: list[tuple[int, int]] = []  # people who may have raised theirs in a space, and the space
        self._limits: dict[str, int] = {"fact": tx.settings.max_facts, "note": tx.settings.max_notes}
        self._new_owners: set[int] = set()
        self._levels: dict[int, PrivacyLevel] = {}  # of people who do not want to be remembered here
        self._raised: dict[tuple[int, int], int] = {}  # those of people in a space here, before this import
        self._outcomes: dict[int, Outcome] = {}  # by the file's memory id
        self._met: set[int] = set()  # memories here that stand for one of the file
        self._met_messages: set[int] = set()
        self._with_new_messages: set[int] = set()  # spaces
        self._message_outcomes: dict[int, Outcome] = {}  # by the file's message id
        self._pasts: dict[int, _Past] = {}

    def add(self, number: int, line: Line) -> None:
        """Add the line, unless it is here."""
        if not isinstance(line, _SAID):
            self._leave_out_retold()
        shortened = self.shortened(number, line)
        outcome = self._leave_out(line) if shortened is None else self._add(number, shortened)
        if outcome is not None:
            self._count(line, outcome)

    def _leave_out(self, line: Line) -> Outcome:
        if isinstance(line, StoredMemory):
            self._outcomes[line.id] = "too_long"
        elif isinstance(line, MessageLine):
            self._message_outcomes[line.id] = "too_long"
        return "too_long"

    def _add(self, number: int, line: Line) -> Outcome | None:
        match line:
            case Owner():
                outcome = self._add_owner(line)
            case StoredMemory():
                outcome = self._outcomes[line.id] = self._add_memory(number, line)
            case MemberLine():
                outcome = self._add_member(line)
            case PrivacyLine():
                outcome = self._add_privacy(line)
            case MessageLine():
                outcome = self._message_outcomes[line.id] = self._add_message(line)
            case AudienceLine():
                outcome = self._add_audience(line)
            case SourceLine() | GivenLine() | SubjectLine():
                outcome = self._add_origin(line)
            case QuestionLine() | ConsentLine() | SaveQuestionLine() | ObservationLine():
                outcome = self._add_waiting(line)
            case _:
                outcome = "left_out"
        return outcome

    def shortened(self, number: int, line: L) -> L | None:
        """The line without what is too long of it, which is reported; None: nothing is left of it."""
        shortened, excess = without_too_long(line)
        if excess is not None and len(self.report.too_long) < _LISTED:
            self.report.too_long.append({"line": number, "kind": kind_of(line), "what": excess})
        return shortened

    def end(self) -> None:
        """Let people who were erased here be known again if anything of after that came in, and else not."""
        self._leave_out_retold()
        self._used |= self._returning.people_of(self._used)
        for local_id, line in self._returning.new.items():
            if local_id not in self._used:
                self._tx.erasure.erase_unused(local_id)
            self._count(line, "added" if local_id in self._used else "erased_since")
        for member in self._late_members:
            if member.person in self._used:
                self._tx.transfer.add(member)
            self._count(member, "added" if member.person in self._used else "erased_since")
        for person, space in self._with_level:
            note_level_in(self._tx, person, space)
        for space in sorted(self._with_new_messages):
            self._tx.blocks.find_long(space)

    def _leave_out_retold(self) -> None:
        """Once all that was said is here: let no answer stay that retells somebody who was erased, nor its episodes."""
        answers, episodes = self._returning.drop_retold()
        kinds = ("message", answers, self._message_outcomes), ("memory", episodes, self._outcomes)
        for kind, ids, outcomes in kinds if answers or episodes else ():
            for number in [number for number, local_id in self._numbers[kind].items() if local_id in ids]:
                outcomes[number] = "erased_since"
                self.report.lines[kind].update(added=-1, erased_since=1)

    def _count(self, line: Line, outcome: Outcome) -> None:
        self.report.lines[kind_of(line)][outcome] += 1

    def add_trail(self, trail: Sequence[EventLine]) -> None:
        """Add the lines of one memory's trail, where the memory came in, or is gone and was never here."""
        self._leave_out_retold()
        owner, memory = self._owner(trail[0].owner), trail[0].memory
        counts = self.report.lines["event"]
        if owner in self._levels:
            counts["privacy_restricted"] += len(trail)
        elif memory == 0:
            erased = [line for line in trail if self._returning.covers([owner], line.at)]
            counts["erased_since"] += len(erased)
            trail = [line for line in trail if line not in erased]
            new = trail if owner in self._new_owners else self._new_notes(owner, trail)
            last_number = self._tx.audit.last_number(owner, 0)
            for number, line in enumerate(new, last_number + 1):
                self._write(replace(line, number=number if last_number else line.number), owner, 0)
            counts.update(added=len(new), already_here=len(trail) - len(new))
        else:
            if memory not in self._outcomes:
                self._outcomes[memory] = self._outcome_of_gone(owner, trail)
            outcome = self._outcomes[memory]
            counts[outcome] += len(trail)
            if outcome == "added":
                local_id = self._numbers["memory"].local(memory)
                for line in trail:
                    self._write(line, owner, local_id)

    def renumbered(self) -> dict[str, int]:
        """How many numbers of each sequence are others here."""
        return {name: numbers.renumbered for name, numbers in self._numbers.items() if numbers.renumbered}

    def _add_owner(self, line: Owner) -> Outcome | None:
        local_id = self._tx.owners.find(line.kind, line.platform, line.name)
        is_new = local_id is None
        if local_id is None:
            local_id = self._owner(line.id)
            self._tx.owners.add(replace(line, id=local_id))
        self._numbers["owner"][line.id] = local_id
        wish = self._returning.meet(line, local_id, is_new=is_new)
        if wish is None and is_new:
            self._new_owners.add(local_id)
            return "added"
        person = self._tx.owners.find("person", line.platform, line.name) if line.kind == "direct" else local_id
        level = PrivacyLevel.MINIMAL if line.kind == "space" or person is None else privacy_of(self._tx, person)
        if level is not PrivacyLevel.MINIMAL:
            self._levels[local_id] = level
        return None if is_new else "already_here"

    def _add_member(self, line: MemberLine) -> Outcome | None:
        line = replace(line, owner=self._owner(line.owner), person=self._owner(line.person))
        self._returning.note(line)
        if line.level:
            self._with_level.append((line.person, line.owner))
        if self._tx.members.get(line.owner, line.person) is not None:
            self._raise_level(line)
            return "already_here"
        self._raised[line.owner, line.person] = self._returning.wished(line.person, line.owner)
        if line.person in self._returning.new:
            self._late_members.append(line)
            return None
        self._tx.transfer.add(line)
        return "added"

    def _raise_level(self, line: MemberLine) -> None:
        """Keep the stricter level of a member who is here already, unless they have lowered theirs here."""
        tx, person = self._tx, line.person
        has_lowered = tx.privacy.is_set(person) and not tx.privacy.get(person)
        if line.level > tx.privacy.here(person, line.owner) and not has_lowered:
            tx.members.raise_level(line.owner, person, line.level)
            tx.tasks.add_follow_up(person, HIDE, {}, WAIT)

    def _level(self, person: int, space: int) -> PrivacyLevel:
        """The level that a person, or that of a direct chat, had in a space here before this import."""
        if (space, person) not in self._raised:
            level = self._tx.members.level(space, person)
            self._raised[space, person] = level or self._returning.wished(person, space)
        return max(self._levels.get(person, PrivacyLevel.MINIMAL), level_of(self._raised[space, person]))

    def _add_privacy(self, line: PrivacyLine) -> Outcome:
        line = replace(line, owner=self._owner(line.owner))
        if self._tx.privacy.is_set(line.owner) or self._returning.knows(line.owner):
            return "already_here"
        self._tx.transfer.add(line)
        if level_of(line.level) is not PrivacyLevel.MINIMAL:
            person = self._tx.owners.get(line.owner)
            self._tx.wishes.note_level(person.platform, person.name, line.level)
            self._tx.tasks.add_follow_up(line.owner, HIDE, {}, WAIT)
        return "added"

    def _add_audience(self, line: AudienceLine) -> Outcome:
        line = replace(line, owner=self._owner(line.owner))
        same = self._tx.audiences.get(line.owner, line.readers)
        if same is not None:
            self._numbers["audience"][line.id] = same
            return "already_here"
        self._tx.transfer.add(replace(line, id=self._numbers["audience"].local(line.id)))
        return "added"

    def _add_message(self, line: MessageLine) -> Outcome:
        number = line.id
        line = replace(line, owner=self._owner(line.owner), person=self._owner(line.person))
        people = {line.person, *map(self._owner, self._subjects.get(number, ()))}
        if self._level(line.person, line.owner) is PrivacyLevel.FULL:
            return "privacy_restricted"
        if self._returning.covers(people, line.at):
            return "erased_since"
        same = self._tx.messages.find_same(line)
        for local_id in same:
            if local_id not in self._met_messages:
                self._numbers["message"][number] = local_id
                self._met_messages.add(local_id)
                return "already_here"
        if line.source is not None and same:
            return "already_here"
        if self._returning.was_taken_back(line) or self._says_forgotten(line):
            return "forgotten_since"
        line = replace(
            line, id=self._numbers["message"].local(number, group=line.owner), **self._told_to(line, line.owner)
        )
        self._tx.transfer.add(line)
        self._returning.note(line)
        self._met_messages.add(line.id)
        self._with_new_messages.add(line.owner)
        self._used |= {line.person, line.owner}
        return "added"

    def _add_memory(self, number: int, line: StoredMemory) -> Outcome:
        memory = as_told(self._tx, self._state(line, self._owner(line.owner), line.id))
        people = {memory.owner, *memory.people}
        if self._returning.covers(people, memory.created_at) or self._went_with_its_author(line):
            self._returning.note(memory)
            return "erased_since"
        if any(self._level(person, memory.space) for person in people):
            return "privacy_restricted"
        renew(self._tx, memory.owner)
        slot = self._in_slot(memory)
        same = self._same(memory, slot)
        if same is not None:
            self._met.add(same)
            self._numbers["memory"][line.id] = same
            return "already_here"
        if self._went_here(memory) or self._returning.was_forgotten(memory, memory.updated_at):
            return "forgotten_since"
        if memory.kind != "fact" and self._returning.retells_forgotten(memory, memory.updated_at):
            return "forgotten_since"
        live = (rival for rival in slot if not rival.archived and rival.withheld != BY_ITS_AUTHOR)
        rival = None if memory.archived else next(live, None)
        if rival is None and not memory.archived and any(row.merged_into is not None for row in slot):
            whole = merges.rival_of(self._tx, replace(memory, id=0), but=self._met)  # what is known as a part of it
            if whole is not None:
                self._numbers["memory"][line.id] = whole.id
                return "duplicate"
        if rival is not None:
            self._numbers["memory"][line.id] = rival.id
            if rival.canonical == memory.canonical:
                return "duplicate"
            if len(self.report.conflicts) < _LISTED:
                self.report.conflicts.append({"line": number, "memory": line.id, "here": rival.id})
            return "conflict"
        if not memory.archived and self._is_full(memory):
            return "limit"
        memory = replace(self._with_messages(memory), id=self._numbers["memory"].local(line.id))
        self._tx.memories.add(memory, slot=persist.slot_of(memory), words=index_words(memory.searchable))
        self._met.add(memory.id)
        if any(self._message_outcomes.get(message) == "erased_since" for message in line.messages):
            self._returning.note_episode(memory)
        self._used |= {*people, memory.space}
        return "added"

    def _says_forgotten(self, line: MessageLine) -> bool:
        is_own = line.role == "user"
        return self._returning.says_forgotten(line.person, line.owner, line.text, line.at, loosely=is_own)

    def _add_origin(self, line: SourceLine | GivenLine | SubjectLine) -> Outcome:
        """Keep what a memory or an answer was made from, or whom the answer is about, where the row came in."""
        message, memory = self._numbers["message"].local, self._numbers["memory"].local
        line = replace(line, owner=self._owner(line.owner))
        match line:
            case SourceLine():
                outcome = self._outcomes.get(line.memory, "not_carried")
                space = self._owner(line.space)
                line = replace(line, memory=memory(line.memory), space=space, message=message(line.message))
            case GivenLine():
                outcome = self._message_outcomes.get(line.message, "not_carried")
                line = replace(line, message=message(line.message), memory=memory(line.memory))
            case SubjectLine():
                outcome = self._message_outcomes.get(line.id, "not_carried")
                line = replace(line, person=self._owner(line.person), id=message(line.id))
        if outcome == "added":
            self._tx.transfer.add(line)
            self._used.add(line.space if isinstance(line, SourceLine) else line.owner)
            self._used |= {line.person} if isinstance(line, SubjectLine) else set()
        return outcome

    def _add_waiting(self, line: QuestionLine | ConsentLine | SaveQuestionLine | ObservationLine) -> Outcome:
        owner = self._owner(line.owner)
        match line:
            case ObservationLine():
                came = self._message_outcomes.get(line.id) == "added"
            case QuestionLine(memory=memory) if memory != 0:
                came = self._outcomes.get(memory) == "added"
            case _:
                came = owner in self._new_owners
        if not came:
            return "not_carried"
        line = replace(line, owner=owner)
        if isinstance(line, QuestionLine | ConsentLine):
            line = replace(line, space=self._numbers["owner"].get(line.space or 0))
            self._used |= {owner, line.space or EVERYWHERE}
        if isinstance(line, QuestionLine):
            line = replace(line, memory=line.memory and self._numbers["memory"].local(line.memory))
        elif not isinstance(line, SaveQuestionLine):
            sequence = "consent" if isinstance(line, ConsentLine) else "message"
            line = replace(line, id=self._numbers[sequence].local(line.id))
        self._tx.transfer.add(line)
        return "added"

    def _in_slot(self, memory: StoredMemory) -> list[StoredMemory]:
        """What has its slot here; of what is withheld by its author, which has one of its own: all of that author's."""
        if memory.withheld != BY_ITS_AUTHOR:
            return persist.in_slots(self._tx, memory)
        said = self._tx.memories.list_said_by(memory.owner, memory.said_by)
        return [row for row in said if row.withheld == BY_ITS_AUTHOR]

    def _same(self, memory: StoredMemory, slot: Sequence[StoredMemory]) -> int | None:
        """What the file's memory is here: under its own id, or under the one that it got when it came in before."""
        same_id = self._tx.memories.get(memory.owner, memory.id)
        if same_id is not None and (same_id.kind, same_id.created_at) == (memory.kind, memory.created_at):
            return same_id.id
        for duplicate in slot:
            if duplicate.id not in self._met and _identity(duplicate) == _identity(memory):
                return duplicate.id
        former = () if memory.owner in self._new_owners else self._past_of(memory.owner).ids.get(_origin(memory), ())
        return next((id_ for id_ in former if self._tx.memories.get(memory.owner, id_) is not None), None)

    def _went_here(self, memory: StoredMemory) -> bool:
        """Whether a memory was here, until its person took it back or had it deleted, and was not said since."""
        if memory.owner in self._new_owners:
            return False
        gone = self._past_of(memory.owner).gone
        moments = (gone.get(memory.created_at), gone.get(memory.id) if memory.closed else None)
        return any(at is not None and memory.updated_at <= at for at in moments)

    def _past_of(self, owner: int) -> _Past:
        """What the trails here tell of an owner's memories, before any of the file's comes in."""
        if owner not in self._pasts:
            past = self._pasts[owner] = _Past()
            for memory, lines in groupby(self._tx.transfer.read(EventLine, owner), key=lambda line: line.memory):
                trail = list(lines)
                past.trails[_event(trail[0])].append((memory, [_event(line) for line in trail]))
                for state in (as_now(line.before) for line in trail if line.before is not None):
                    past.ids[_origin(state)].add(memory)
                if trail[-1].action in _GOING and self._tx.memories.get(owner, memory) is None:
                    # What a change left is as old as what it was until then: only its number tells it.
                    past.gone[memory if trail[0].reason == ENDED else trail[0].at] = trail[-1].at
        return self._pasts[owner]

    def _is_full(self, memory: StoredMemory) -> bool:
        limit = None if is_past(memory, self._tx.now) else self._limits.get(memory.kind)
        return limit is not None and no_room(self._tx, memory, memory.kind, limit) is not None

    def _outcome_of_gone(self, owner: int, trail: Sequence[EventLine]) -> Outcome:
        """What becomes of the trail of a memory that is gone: it has no number here by which it could be known."""
        if self._returning.covers({owner, *self._people(trail)}, trail[0].at):
            return "erased_since"
        if any(line.before is not None and self._went_with_its_author(line.before) for line in trail):
            return "erased_since"
        if owner in self._new_owners:
            return "added"
        events, states = [_event(line) for line in trail], [line.before for line in trail if line.before is not None]
        origins = [_origin(self._as_here(state)) for state in states]
        for memory, events_here in self._past_of(owner).trails[events[0]]:
            row = self._tx.memories.get(owner, memory)
            # What went there may be back here, or not have gone.
            is_one = events_here[: len(events)] == events or (row is not None and _origin(row) in origins)
            if memory not in self._met and is_one:
                self._met.add(memory)
                return "already_here"
        return "added"

    def _went_with_its_author(self, line: StoredMemory) -> bool:
        """Whether it is a note of a space, about nobody, by somebody who was erased here since."""
        if line.kind != "note" or line.owner != line.space or line.people:
            return False
        return self._returning.covers_name(self._owner(line.owner), line.said_by, line.updated_at)

    def _people(self, trail: Sequence[EventLine]) -> set[int]:
        """The people who are or were in a memory, as its trail says."""
        return {self._owner(person) for line in trail if line.before is not None for person in line.before.people}

    def _new_notes(self, owner: int, trail: Sequence[EventLine]) -> list[EventLine]:
        """The lines about the owner as a whole that are not here."""
        existing = Counter(_event_key(line) for line in self._tx.transfer.read(EventLine, owner, 0))
        return [line for line in trail if not _take(existing, _event_key(line))]

    def _write(self, line: EventLine, owner: int, memory: int) -> None:
        if self._returning.covers_name(owner, line.actor, line.at):
            line = replace(line, actor=ERASED, reason=None)
        before = None if line.before is None else self._with_messages(self._state(line.before, owner, memory))
        if before is not None and self._returning.covers(before.people, line.at):
            before = None
        self._used |= {owner} if before is None else {owner, before.space, *before.people}
        self._tx.transfer.add(
            replace(
                line,
                owner=owner,
                memory=memory,
                reason=line.reason and _NAMED_MEMORY.sub(self._renamed, line.reason),
                before=before,
                change=None if line.change is None else self._numbers["change"].local(line.change),
            )
        )

    def _renamed(self, match: re.Match[str]) -> str:
        return f"{match[1]} {self._numbers['memory'].local(int(match[2]))}"

    def _with_messages(self, memory: StoredMemory) -> StoredMemory:
        """Messages that are gone get numbers too, so only what is kept may ask for them."""
        return replace(memory, messages=tuple(map(self._numbers["message"].local, memory.messages)))

    def _state(self, memory: StoredMemory, owner: int, number: int) -> StoredMemory:
        """A memory of the file as it is here, but for its messages."""
        if self._returning.covers_name(owner, memory.said_by, memory.updated_at):
            memory = replace(memory, said_by=ERASED, excerpt=None)
        local = self._numbers["memory"].local
        return replace(
            self._as_here(memory),
            owner=owner,
            id=number,
            follows=memory.follows and local(memory.follows),
            merged_into=memory.merged_into and local(memory.merged_into),
            space=self._space(memory.space),
            **self._told_to(memory, self._space(memory.space) or owner),
        )

    def _as_here(self, memory: StoredMemory) -> StoredMemory:
        """A memory of the file with the people's numbers of here, and the form that this program gives it."""
        memory = as_now(replace(memory, people=tuple(self._owner(person) for person in memory.people)))
        match memory.kind:
            case "fact":
                return memory
            case "note":
                form = canonical_of_note(memory)
            case "episode":
                form = canonical(f"{memory.topic} {memory.content}")
            case "relation":
                form = identity(memory.people, mutual=bool(memory.mutual))
        return replace(memory, canonical=form)

    def _told_to(self, row: StoredMemory | MessageLine, space: int) -> dict[str, int]:
        """Who may be told a row of the file, in numbers of here; where it does not say who the readers are, nobody.

        What was said in a chat that is closed by now is for those who read it still.
        """
        audiences = self._numbers["audience"]
        if row.audience and row.audience not in audiences:
            audiences[row.audience] = self._unknown_readers(space)
        is_by_change = row.withheld not in (0, BY_ITS_AUTHOR, EXPIRED)
        return {
            "audience": self._readers_now(row, space, row.audience and audiences[row.audience]),
            "withheld": self._numbers["change"].local(row.withheld) if is_by_change else row.withheld,
        }

    def _readers_now(self, row: StoredMemory | MessageLine, space: int, audience: int) -> int:
        is_everywhere = isinstance(row, StoredMemory) and row.space == EVERYWHERE
        readers = None if is_everywhere else readers_now(self._tx, space, row.chat, audience)
        return audience if readers is None else self._tx.audiences.ensure(space, readers)

    def _unknown_readers(self, space: int) -> int:
        number = self._tx.audiences.get(space, ())
        if number is None:
            number = self._tx.next_id("audience")
            self._tx.transfer.add(AudienceLine(owner=space, id=number, readers=()))
        return number

    def _owner(self, number: int) -> int:
        return self._numbers["owner"].local(number)

    def _space(self, number: Any) -> Any:
        return number if number in (None, EVERYWHERE) else self._owner(number)


def _take(existing: Counter[T], key: T) -> bool:
    """Take one of these away; False when there is none."""
    existing[key] -= 1
    return existing[key] >= 0


def _identity(memory: StoredMemory) -> tuple[object, ...]:
    return memory.canonical, memory.created_at, memory.archived


def _event_key(line: EventLine) -> tuple[object, ...]:
    return line.at, line.actor, line.action, line.reason


def _origin(memory: StoredMemory) -> tuple[object, ...]:
    """By what a state of a memory is known wherever it came in."""
    return memory.kind, memory.created_at, memory.canonical


def _event(line: EventLine) -> _Event:
    """What stays as it is when texts leave the trail and numbers change."""
    return line.at, line.actor, line.action
