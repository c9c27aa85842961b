"""Import an export: add what is not there, change and remove nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from zgadka.model.lines import (
    ConsentLine,
    EventLine,
    Line,
    MemberLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
)
from zgadka.model.memory import EVERYWHERE, Owner, StoredMemory
from zgadka.model.privacy import PrivacyLevel, level_of
from zgadka.ops import keep
from zgadka.ops.lines import NAMES
from zgadka.ops.profile import HIDE
from zgadka.ops.reading import Contents, Reader
from zgadka.ops.scopes import privacy_of
from zgadka.ops.spread import WAIT
from zgadka.ops.stretches import AUTOMATIC
from zgadka.stores.tx import Tx
from zgadka.text.words import index_words

Outcome = Literal[
    "added", "already_here", "duplicate", "conflict", "limit", "privacy_restricted", "not_carried", "left_out"
]
"""What became of a line.

`already_here`: the same, or what has become of it since, is in the store. `duplicate`: another memory says the same.
`conflict`: another value stands where only
one can. `limit`: the owner has as many as allowed. `privacy_restricted`: the person does not want to be remembered
here. `not_carried`: what waits for somebody or something that was here before. `left_out`: the line only tells of
something whose text is another person's.
"""

_LISTED = 1000
_NAMED_MEMORY = re.compile(r"\b(merged into|replaced by) ([0-9]{1,16})$")


@dataclass
class ImportReport:
    """What an import did, or would do.

    Attributes:
        lines: How many lines of each kind came to what end.
        renumbered: How many numbers of each sequence are others here, because something else had or has them.
        conflicts: The first of the conflicts: line, id in the file, id of what stands in its place.
    """

    dry_run: bool = False
    lines: dict[str, Counter[Outcome]] = field(default_factory=lambda: defaultdict(Counter[Outcome]))
    renumbered: dict[str, int] = field(default_factory=dict[str, int])
    conflicts: list[dict[str, int]] = field(default_factory=list[dict[str, int]])

    @property
    def added(self) -> int:
        """How many lines were added, of all kinds."""
        return sum(counts["added"] for counts in self.lines.values())

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        added = {kind: counts["added"] for kind, counts in self.lines.items() if counts["added"]}
        skipped = {
            kind: rest
            for kind, counts in self.lines.items()
            if (rest := {why: count for why, count in sorted(counts.items()) if count and why != "added"})
        }
        return {
            "dry_run": self.dry_run,
            "added": added,
            "skipped": skipped,
            "renumbered": self.renumbered,
            "conflicts": self.conflicts,
        }


class DryRun(Exception):  # noqa: N818
    """Takes everything back, and carries what would have been done."""

    def __init__(self, report: ImportReport) -> None:
        super().__init__("nothing was imported")
        self.report = report


def import_lines(tx: Tx, lines: Iterable[str | bytes], contents: Contents, *, dry_run: bool) -> ImportReport:
    """Add what the lines hold and the store does not.

    Args:
        contents: What `check` found in the same lines.

    Raises:
        DryRun: What was done is to be taken back.
        InvalidInput: A line cannot be meant; nothing was kept.
    """
    importing = _Import(tx, contents)
    reading = Reader(tx.now).read(lines)
    for key, group in groupby(reading, key=lambda numbered: _trail(numbered[1])):
        if key is None:
            for number, line in group:
                importing.take(number, line)
        else:
            importing.take_trail([line for _, line in group if isinstance(line, EventLine)])
    importing.report.dry_run = dry_run
    importing.finish()
    if dry_run:
        raise DryRun(importing.report)
    return importing.report


def _trail(line: Line) -> tuple[int, int] | None:
    return (line.owner, line.memory) if isinstance(line, EventLine) else None


class _Numbers:
    """Numbers of one sequence: the file's where nothing here ever had them, else new ones above both."""

    def __init__(self, tx: Tx, name: str, highest: int) -> None:
        self._tx = tx
        self._name = name
        self._last = tx.last_id(name)
        self._here: dict[int, int] = {}
        self._groups: set[int] = set()
        self.renumbered = 0
        if highest > self._last:
            tx.raise_id(name, highest)

    def here(self, number: int, *, group: int = 0) -> int:
        """What the file's number is here, from now on.

        Args:
            group: Where the order of numbers matters: once one of the group has a new number, all that follow do.
        """
        if number not in self._here:
            if number > self._last and group not in self._groups:
                self._here[number] = number
            else:
                self._here[number] = self._tx.next_id(self._name)
                self.renumbered += 1
                if group:
                    self._groups.add(group)
        return self._here[number]

    def is_here(self, number: int, here: int) -> None:
        """Take note of what the file's number is here."""
        self._here[number] = here


class _Import:
    """One import, and what it has met so far. Ids are those here, unless they are called the file's."""

    def __init__(self, tx: Tx, contents: Contents) -> None:
        self.report = ImportReport()
        self._tx = tx
        self._numbers = {name: _Numbers(tx, name, highest) for name, highest in contents.highest.items()}
        self._limits: dict[str, int] = {"fact": tx.settings.max_facts, "note": tx.settings.max_notes}
        self._new_owners: set[int] = set()
        self._restricted: set[int] = set()  # people who do not want to be remembered here
        self._invisible: set[int] = set()  # those of them of whom not even messages are kept
        self._outcomes: dict[int, Outcome] = {}  # by the file's memory id
        self._met: set[int] = set()  # memories here that stand for one of the file
        self._met_messages: set[int] = set()
        self._new_messages: set[int] = set()  # by the file's message id
        self._trails: dict[int, Counter[int]] = {}

    def take(self, number: int, line: Line) -> None:
        """Add the line, unless it is here."""
        match line:
            case Owner():
                outcome = self._take_owner(line)
            case StoredMemory():
                outcome = self._outcomes[line.id] = self._take_memory(number, line)
            case MemberLine():
                outcome = self._take_member(line)
            case PrivacyLine():
                outcome = self._take_privacy(line)
            case MessageLine():
                outcome = self._take_message(line)
            case QuestionLine():
                outcome = self._take_question(line)
            case ConsentLine():
                outcome = self._take_consent(line)
            case SaveQuestionLine():
                outcome = self._take_save_question(line)
            case ObservationLine():
                outcome = self._take_observation(line)
            case _:
                outcome = "left_out"
        self.report.lines[_kind(line)][outcome] += 1

    def take_trail(self, trail: Sequence[EventLine]) -> None:
        """Add the lines of one memory's trail, where the memory came in, or is gone and was never here."""
        owner, memory = self._owner(trail[0].owner), trail[0].memory
        counts = self.report.lines["event"]
        if owner in self._restricted:
            counts["privacy_restricted"] += len(trail)
        elif memory == 0:
            new = trail if owner in self._new_owners else self._new_notes(owner, trail)
            last = self._tx.last_event(owner, 0)
            for number, line in enumerate(new, last + 1):
                self._write(replace(line, number=number if last else line.number), owner, 0)
            counts.update(added=len(new), already_here=len(trail) - len(new))
        else:
            outcome = self._outcomes.get(memory) or self._outcome_of_gone(owner, trail)
            counts[outcome] += len(trail)
            if outcome == "added":
                here = self._numbers["memory"].here(memory)
                for line in trail:
                    self._write(line, owner, here)

    def finish(self) -> None:
        """Complete the report."""
        counts = {name: numbers.renumbered for name, numbers in self._numbers.items()}
        self.report.renumbered = {name: count for name, count in counts.items() if count}

    def _take_owner(self, line: Owner) -> Outcome:
        here = self._tx.find_owner(line.kind, line.platform, line.name)
        if here is None:
            here = self._owner(line.id)
            self._tx.add_owner(replace(line, id=here))
            self._new_owners.add(here)
            return "added"
        self._numbers["owner"].is_here(line.id, here)
        level = privacy_of(self._tx, here) if line.kind == "person" else PrivacyLevel.MINIMAL
        if level is not PrivacyLevel.MINIMAL:
            self._restricted.add(here)
        if level is PrivacyLevel.FULL:
            self._invisible.add(here)
        return "already_here"

    def _take_member(self, line: MemberLine) -> Outcome:
        line = replace(line, owner=self._owner(line.owner), person=self._owner(line.person))
        if self._tx.member(line.owner, line.person) is not None:
            return "already_here"
        self._tx.carry(line)
        return "added"

    def _take_privacy(self, line: PrivacyLine) -> Outcome:
        line = replace(line, owner=self._owner(line.owner))
        if self._tx.has_privacy(line.owner):
            return "already_here"
        self._tx.carry(line)
        if level_of(line.level) is not PrivacyLevel.MINIMAL:
            self._tx.leave_task(line.owner, HIDE, {}, WAIT)
        return "added"

    def _take_message(self, line: MessageLine) -> Outcome:
        number = line.id
        line = replace(line, owner=self._owner(line.owner), person=self._owner(line.person))
        if line.person in self._invisible:
            return "privacy_restricted"
        for here in self._tx.messages_like(line):
            if here not in self._met_messages:
                self._numbers["message"].is_here(number, here)
                self._met_messages.add(here)
                return "already_here"
        if line.source is not None and self._tx.messages_like(line):
            return "already_here"
        line = replace(line, id=self._numbers["message"].here(number, group=line.owner))
        self._tx.carry(line)
        self._met_messages.add(line.id)
        self._new_messages.add(number)
        return "added"

    def _take_memory(self, number: int, line: StoredMemory) -> Outcome:
        memory = self._state(line, self._owner(line.owner), line.id)
        unwilling = self._restricted if AUTOMATIC in memory.tags else self._invisible
        if memory.owner in self._restricted or unwilling & set(memory.people):
            return "privacy_restricted"
        slot = self._tx.in_slot(memory.owner, keep.slot_of(memory))
        same = self._same(memory, slot)
        if same is not None:
            self._met.add(same)
            self._numbers["memory"].is_here(line.id, same)
            return "already_here"
        stands = None if memory.archived else next((other for other in slot if not other.archived), None)
        if stands is not None:
            self._numbers["memory"].is_here(line.id, stands.id)
            if stands.canonical == memory.canonical:
                return "duplicate"
            self._report_conflict(number, line.id, stands.id)
            return "conflict"
        if not memory.archived and self._is_full(memory):
            return "limit"
        memory = replace(self._with_messages(memory), id=self._numbers["memory"].here(line.id))
        self._tx.add_memory(memory, slot=keep.slot_of(memory), words=index_words(memory.searchable))
        self._met.add(memory.id)
        return "added"

    def _take_question(self, line: QuestionLine) -> Outcome:
        owner = self._owner(line.owner)
        came = owner in self._new_owners if line.memory == 0 else self._outcomes.get(line.memory) == "added"
        if not came:
            return "not_carried"
        memory = line.memory and self._numbers["memory"].here(line.memory)
        self._tx.carry(replace(line, owner=owner, memory=memory, space=self._space(line.space)))
        return "added"

    def _take_consent(self, line: ConsentLine) -> Outcome:
        owner = self._owner(line.owner)
        if owner not in self._new_owners:
            return "not_carried"
        number = self._numbers["consent"].here(line.id)
        self._tx.carry(replace(line, owner=owner, id=number, space=self._space(line.space)))
        return "added"

    def _take_save_question(self, line: SaveQuestionLine) -> Outcome:
        owner = self._owner(line.owner)
        if owner not in self._new_owners:
            return "not_carried"
        self._tx.carry(replace(line, owner=owner))
        return "added"

    def _take_observation(self, line: ObservationLine) -> Outcome:
        if line.id not in self._new_messages:
            return "not_carried"
        number = self._numbers["message"].here(line.id)
        self._tx.carry(replace(line, owner=self._owner(line.owner), id=number))
        return "added"

    def _same(self, memory: StoredMemory, slot: Sequence[StoredMemory]) -> int | None:
        """What the file's memory is here: under its own id, or under the one that it got when it came in before."""
        known = self._tx.memory(memory.owner, memory.id)
        if known is not None and (known.kind, known.created_at) == (memory.kind, memory.created_at):
            return known.id
        for other in slot:
            if other.id not in self._met and _identity(other) == _identity(memory):
                return other.id
        return None

    def _is_full(self, memory: StoredMemory) -> bool:
        limit = self._limits.get(memory.kind)
        return limit is not None and self._tx.live_count(memory.owner, memory.lineage, memory.kind) >= limit

    def _outcome_of_gone(self, owner: int, trail: Sequence[EventLine]) -> Outcome:
        """What becomes of the trail of a memory that is gone: it has no number here by which it could be known."""
        if owner in self._new_owners:
            return "added"
        if owner not in self._trails:
            lines = groupby(self._tx.carried(EventLine, owner), key=lambda line: line.memory)
            self._trails[owner] = Counter(_fingerprint(lines_) for memory, lines_ in lines if memory not in self._met)
        fingerprint = _fingerprint(trail)
        if self._trails[owner][fingerprint] > 0:
            self._trails[owner][fingerprint] -= 1
            return "already_here"
        return "added"

    def _new_notes(self, owner: int, trail: Sequence[EventLine]) -> list[EventLine]:
        """The lines about the owner as a whole that are not here."""
        here = Counter(_said(line) for line in self._tx.carried(EventLine, owner, 0))
        new: list[EventLine] = []
        for line in trail:
            if here[_said(line)] > 0:
                here[_said(line)] -= 1
            else:
                new.append(line)
        return new

    def _write(self, line: EventLine, owner: int, memory: int) -> None:
        self._tx.carry(
            replace(
                line,
                owner=owner,
                memory=memory,
                reason=line.reason and _NAMED_MEMORY.sub(self._renamed, line.reason),
                before=None if line.before is None else self._with_messages(self._state(line.before, owner, memory)),
                change=None if line.change is None else self._numbers["change"].here(line.change),
            )
        )

    def _renamed(self, match: re.Match[str]) -> str:
        return f"{match[1]} {self._numbers['memory'].here(int(match[2]))}"

    def _with_messages(self, memory: StoredMemory) -> StoredMemory:
        """Messages that are gone get numbers too, so only what is kept may ask for them."""
        return replace(memory, messages=tuple(map(self._numbers["message"].here, memory.messages)))

    def _state(self, memory: StoredMemory, owner: int, number: int) -> StoredMemory:
        """A memory of the file as it is here, but for its messages."""
        return replace(
            memory,
            owner=owner,
            id=number,
            space=self._space(memory.space),
            people=tuple(self._owner(person) for person in memory.people),
        )

    def _owner(self, number: int) -> int:
        return self._numbers["owner"].here(number)

    def _space(self, number: Any) -> Any:
        return number if number in (None, EVERYWHERE) else self._owner(number)

    def _report_conflict(self, line: int, memory: int, here: int) -> None:
        if len(self.report.conflicts) < _LISTED:
            self.report.conflicts.append({"line": line, "memory": memory, "here": here})


def _kind(line: Line) -> str:
    return line.kind if isinstance(line, Owner) else NAMES[type(line)]


def _identity(memory: StoredMemory) -> tuple[object, ...]:
    return memory.canonical, memory.created_at, memory.archived


def _said(line: EventLine) -> tuple[object, ...]:
    return line.at, line.actor, line.action, line.reason


def _fingerprint(trail: Iterable[EventLine]) -> int:
    """Of what stays as it is when texts leave the trail and numbers change."""
    return hash(tuple((line.at, line.actor, line.action) for line in trail))
