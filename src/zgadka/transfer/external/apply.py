"""Import what another program remembered, all in one transaction, and report what became of each entry.

What is here already never changes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, assert_never

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.frameworks.names import item_name, item_text
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import AlreadyKnown, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import ensure_space, find_space, is_remembered, space_scope, speaker_of, writing_scope
from zgadka.ops.content_policy import refuse_unkeepable, titled
from zgadka.ops.keyed_notes import NameKind, by_name, checked_name, with_name
from zgadka.ops.remember import New, fresh, known_in, no_room
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.sanitize import storable
from zgadka.tools.facts import key_given, value_given
from zgadka.tools.registry import REGISTRY
from zgadka.transfer.external.conversations import read_chatgpt, read_claude
from zgadka.transfer.external.entries import AuthoredText, Entry, PastFact, PastItem, PastNote, PastTalk, Unusable
from zgadka.transfer.external.files import readable
from zgadka.transfer.external.gryag import read_gryag
from zgadka.transfer.external.langgraph_store import read_langgraph
from zgadka.transfer.external.mcp_memory import read_mcp_memory
from zgadka.transfer.external.mem0 import read_mem0
from zgadka.transfer.import_store import DryRun
from zgadka.transfer.returning import Returning

FORMATS: dict[str, Callable[[Path], Iterator[Entry]]] = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "gryag": read_gryag,
    "langgraph": read_langgraph,
    "mcp-memory": read_mcp_memory,
    "mem0": read_mem0,
}


@dataclass(frozen=True)
class ErasedSince:
    """It was said before its person was erased here."""


ImportOutcome = Remembered | AlreadyKnown | Conflict | LimitReached | NoAccess | ErasedSince

_LISTED = 1000
_LEAST_CONFIDENCE = 0.5  # that tools declare; what another program was less sure of keeps its number


@dataclass(frozen=True, kw_only=True)
class Target:
    """Whose memories the entries become, and where they are seen.

    Attributes:
        user: The person, where the file names none or only one.
        named: The platform's ids of people whom the file names, by those names.
        space: Where they are seen; None: where the entry says so, else in the person's direct chat.
    """

    platform: str
    user: str | None = None
    named: Mapping[str, str] = field(default_factory=dict[str, str])
    space: str | None = None
    persona: int = 0

    def turn(self, entry: Entry) -> Turn:
        """The turn in which the entry is imported.

        Raises:
            InvalidInput: Nobody says whose it is.
        """
        space = entry.space if self.space is None else self.space
        user = self._person(entry) or (entry.space if isinstance(entry, PastTalk) else None)
        if user is None:
            raise InvalidInput("the file does not say whom this is about: give --user")
        direct = space is None or space == user  # Telegram calls a private chat by its person
        chat = user if space is None else space
        return Turn(platform=self.platform, space=chat, chat=chat, user=user, persona=self.persona, direct=direct)

    def people(self, entry: PastTalk) -> tuple[str, ...]:
        """The platform's ids of those who are in an episode."""
        return tuple(self.named.get(name, name) for name in entry.people)

    def _person(self, entry: Entry) -> str | None:
        if isinstance(entry, PastTalk):
            return next(iter(self.people(entry)), None)
        for name in (entry.user, *entry.labels):
            if name is not None and name in self.named:
                return self.named[name]
        return self.user or entry.user


@dataclass
class Report:
    """What an import did, or would do; nothing in it repeats what the file says.

    Attributes:
        source: The format's name.
        read: Entries of the file.
        known: Things that are here already, or were forgotten here.
        uncertain: Things that a person did not say for certain; not kept.
        erased_since: Things that were said before their person was erased here; not kept.
        conflicts: Places of things that something here contradicts, with its id.
        refused: Places of things that were not kept, with the reason.
    """

    source: str
    dry_run: bool
    read: int = 0
    added: int = 0
    known: int = 0
    uncertain: int = 0
    erased_since: int = 0
    conflicts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refused: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object; of long lists, the beginning."""
        return {
            "from": self.source,
            "dry_run": self.dry_run,
            "read": self.read,
            "added": self.added,
            "known": self.known,
            "uncertain": self.uncertain,
            "erased_since": self.erased_since,
            "conflicting": len(self.conflicts),
            "conflicts": self.conflicts[:_LISTED],
            "not_kept": len(self.refused),
            "refused": self.refused[:_LISTED],
        }


def check_source(source: str, path: Path) -> None:
    """Refuse a format that is not known, and a file that is not there."""
    if source not in FORMATS:
        raise InvalidInput(f"no format {source!a}; there are {', '.join(FORMATS)}")
    with readable(path):
        path.stat()


async def import_from(
    memory: Memory,
    source: str,
    path: Path,
    target: Target,
    *,
    dry_run: bool = False,
    progress: Callable[[int], object] = lambda _: None,
) -> Report:
    """Take in what another program remembered: all of it, or, when anything fails, nothing; for operators.

    Args:
        source: One of `FORMATS`.
        dry_run: Only say what would be done.
        progress: Is told how many entries more were read.

    Raises:
        InvalidInput: The format is not known, or the file is broken, or names several people where one was given;
            nothing was kept.
    """
    check_source(source, path)
    report = Report(source, dry_run)
    with readable(path):
        entries = [entry async for entry in _read(memory, FORMATS[source](path), target, report, progress)]
        if not report.read:
            raise InvalidInput(f"there is nothing of {source}'s in the file")
        unusable = [entry for entry in entries if isinstance(entry, Unusable)]
        if len(unusable) == report.read:
            raise InvalidInput(f"nothing in the file is {source}'s; {unusable[0].location}: {unusable[0].reason}")
        _check_people(entries, target)
        # What was said last stands; what it contradicts is reported. Entries without a time come in the file's order.
        ordered = sorted(entries, key=lambda entry: entry.at or _EVER, reverse=True)
        try:
            return await memory.apply(_import_all, ordered, target, report)
        except DryRun as dry:
            return dry.report


_EVER = datetime.min.replace(tzinfo=UTC)


async def _read(
    memory: Memory, entries: Iterable[Entry], target: Target, report: Report, progress: Callable[[int], object]
) -> AsyncIterator[Entry]:
    """The entries; of what a person wrote, what they say for certain of themselves.

    What must not be looked at stays as it is.
    """
    for entry in entries:
        report.read += 1
        progress(1)
        if not isinstance(entry, AuthoredText) or not await memory.look(_may_be_looked_at, entry, target):
            yield entry
            continue
        inference = await memory.infer(storable(entry.text))
        report.uncertain += len(inference.uncertain)
        about = {name: value for name, value in vars(entry).items() if name != "text"}
        for item in inference.certain:
            yield PastFact(**about, **vars(item))


def _may_be_looked_at(tx: Tx, entry: AuthoredText, target: Target) -> bool:
    """Whether what a person wrote may be given to whatever extracts from it."""
    try:
        turn = target.turn(entry)
    except InvalidInput:
        return False
    wants_it = is_remembered(tx, speaker_of(tx, turn), find_space(tx, turn))
    return wants_it and not Returning(tx).was_erased(turn.platform, turn.user_key, entry.at)


def _check_people(entries: Sequence[Entry], target: Target) -> None:
    """Refuse to make one person of several."""
    if target.user is None:
        return
    names = {entry.user for entry in entries if entry.user is not None} - set(target.named)
    if len(names) > 1:
        examples = ", ".join(sorted(names)[:5])
        raise InvalidInput(
            f"the file is about {len(names)} people ({examples}): leave --user out, or say who each is: --user NAME=ID"
        )


def _import_all(tx: Tx, entries: Sequence[Entry], target: Target, read: Report) -> Report:
    report = Report(read.source, read.dry_run, read.read, uncertain=read.uncertain)  # this may be run again
    returning, items = Returning(tx), _Items()
    for entry in entries:
        try:
            outcome = _outcome(tx, entry, target, returning, items, f"imported from {read.source}: {entry.location}")
        except InvalidInput as error:
            report.refused.append({"place": entry.location, "reason": str(error)})
            continue
        match outcome:
            case Remembered():
                report.added += 1
            case AlreadyKnown():
                report.known += 1
            case ErasedSince():
                report.erased_since += 1
            case Conflict(other):
                report.conflicts.append({"place": entry.location, "memory_id": other.id})
            case LimitReached(count, limit):
                report.refused.append(
                    {"place": entry.location, "reason": f"limit_reached: {count} of {limit} are kept"}
                )
            case NoAccess(reason=reason, status=status):
                report.refused.append({"place": entry.location, "reason": f"{status}: {reason}"})
            case _:
                assert_never(outcome)
    if read.dry_run:
        raise DryRun(report)
    return report


_Items = dict[tuple[str, str, str], dict[str, StoredMemory]]
"""Items by person and place, then by name: looked up once, not for each entry."""


def _outcome(tx: Tx, entry: Entry, target: Target, returning: Returning, items: _Items, reason: str) -> ImportOutcome:
    if isinstance(entry, Unusable):
        raise InvalidInput(entry.reason)
    turn = target.turn(entry)
    people = (turn.user_key, *(target.people(entry) if isinstance(entry, PastTalk) else ()))
    if any(returning.was_erased(turn.platform, person, entry.at) for person in people):
        return ErasedSince()
    match entry:
        case PastFact():
            return import_memory(tx, turn, _fact(entry), returning, at=entry.at, reason=reason)
        case PastNote():
            return import_memory(tx, turn, _note(entry.text, entry.tags), returning, at=entry.at, reason=reason)
        case PastItem():
            return _import_item(tx, entry, turn, returning, items, reason)
        case PastTalk():
            return import_episode(tx, turn, _episode(entry, target), returning, reason=reason)
        case _:
            if isinstance(scope := writing_scope(tx, turn, turn.user_number), NoAccess):
                return scope
            raise InvalidInput(f"{type(entry).__name__} was not looked at")


def _import_item(
    tx: Tx, entry: PastItem, turn: Turn, returning: Returning, items: _Items, reason: str
) -> ImportOutcome:
    name = checked_name(item_name(entry.namespace, entry.key))
    owner = (*turn.place, turn.user_key)
    if owner not in items:
        items[owner] = by_name(tx, turn, "item")
    new, standing = _note(item_text(entry.value), ()), items[owner].get(name)
    named: tuple[NameKind, str] = ("item", name)
    outcome = import_memory(tx, turn, new, returning, at=entry.at, reason=reason, name=named, standing=standing)
    if isinstance(outcome, Remembered):
        items[owner][name] = outcome.memory
    return outcome


def import_memory(
    tx: Tx,
    turn: Turn,
    new: New,
    returning: Returning,
    *,
    at: datetime | None,
    reason: str,
    name: tuple[NameKind, str] | None = None,
    standing: StoredMemory | None = None,
) -> ImportOutcome:
    """Keep a fact or a note about the turn's person, unless it is known or something contradicts it.

    What was forgotten here stays forgotten. Unlike in `remember`, the same again is no evidence: a file that is read
    twice says nothing more than once.

    Args:
        at: When it was remembered there; None: now.
        name: The name that a note is to go by.
        standing: What goes by the name already; another text contradicts it.

    Raises:
        ContentRefused: It may not be kept: a secret.
    """
    named = new.content if new.key is None else titled(new.key, new.content)
    refuse_unkeepable(tx.settings, named, new.content, new.excerpt or "")
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return scope
    memory = _dated(tx, fresh(tx, turn, scope, new), at)
    if name is not None:
        memory = with_name(memory, *name)
    rivals = known_in(tx, scope, memory) + ([] if standing is None else [standing])
    for rival in rivals:
        if rival.canonical == memory.canonical:
            return AlreadyKnown(rival)
    if returning.was_forgotten(memory, at) or returning.retells_forgotten(memory, at):
        return AlreadyKnown(memory)
    for rival in rivals:
        if not rival.archived:
            return Conflict(rival)
    limit = tx.settings.max_notes if new.key is None else tx.settings.max_facts
    if (full := no_room(tx, scope, memory.kind, limit)) is not None:
        return full
    return _add(tx, turn, memory, reason)


def import_episode(tx: Tx, turn: Turn, entry: PastTalk, returning: Returning, *, reason: str) -> ImportOutcome:
    """Keep an episode of the turn's space, unless it is known, or tells what somebody in it had forgotten here.

    Raises:
        ContentRefused: It may not be kept: a secret.
    """
    refuse_unkeepable(tx.settings, entry.topic, entry.summary)
    ensure_space(tx, turn)
    scope = space_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    people = [tx.owners.ensure("person", turn.platform, name) for name in entry.people]
    memory = replace(
        fresh(tx, turn, scope, New(content=entry.summary, tags=entry.tags)),
        kind="episode",
        canonical=canonical(f"{entry.topic} {entry.summary}"),
        topic=entry.topic,
        importance=entry.importance,
        valence=entry.valence,
        chat=turn.chat,
        people=tuple(people),
    )
    if not all(is_remembered(tx, person, scope.space) for person in people):
        return NoAccess(turn.user_number, "somebody in it does not want to be remembered", "privacy_restricted")
    for duplicate in tx.memories.list_in_slot(scope.owner, persist.slot_of(memory)):
        return AlreadyKnown(duplicate)
    if returning.was_forgotten(memory, entry.at) or returning.retells_forgotten(memory, entry.at):
        return AlreadyKnown(memory)
    return _add(tx, turn, _dated(tx, memory, entry.at), reason)


def _dated(tx: Tx, memory: StoredMemory, at: datetime | None) -> StoredMemory:
    then = tx.now if at is None else min(at, tx.now)  # nothing was remembered in the future
    return replace(memory, created_at=then, updated_at=then, said_at=then)


def _add(tx: Tx, turn: Turn, memory: StoredMemory, reason: str) -> Remembered:
    memory = replace(memory, id=tx.next_id("memory"))
    persist.add(tx, memory, "imported", actor=turn.user_key, reason=reason)
    return Remembered(memory)


# The tools check what models give; what files give passes the same checks.


def _fact(entry: PastFact) -> New:
    arguments = {
        "user_id": 1,
        "fact_type": entry.type,
        "fact_key": entry.key,
        "fact_value": entry.value,
        "confidence": max(entry.confidence, _LEAST_CONFIDENCE),
        "source_excerpt": entry.excerpt,
    }
    checked = REGISTRY["remember_fact"].check(arguments)
    return New(
        content=value_given("the value", checked["fact_value"], checked["fact_key"]),
        type=checked["fact_type"],
        key=key_given(checked["fact_key"]),
        confidence=min(max(entry.confidence, 0.0), checked["confidence"]),
        excerpt=checked.get("source_excerpt"),
    )


def _note(text: str, tags: Iterable[str]) -> New:
    checked = REGISTRY["remember"].check({"content": text, "tags": list(tags)})
    content = value_given("the text", checked["content"])
    return New(content=content, tags=tuple(dict.fromkeys(checked.get("tags") or ())))


def _episode(entry: PastTalk, target: Target) -> PastTalk:
    arguments = {
        "topic": entry.topic,
        "summary": entry.summary,
        "importance": entry.importance,
        "emotional_valence": entry.valence,
        "tags": list(entry.tags),
    }
    checked = REGISTRY["create_episode"].check(arguments)
    return replace(
        entry,
        topic=checked["topic"],
        summary=checked["summary"],
        importance=checked["importance"],
        valence=checked["emotional_valence"],
        tags=tuple(checked.get("tags") or ()),
        people=target.people(entry),
    )


def parse_people(options: Iterable[str]) -> tuple[str | None, dict[str, str]]:
    """The person, and the people by the file's names, that the options `--user ID` and `--user NAME=ID` give.

    Raises:
        InvalidInput: Several are the person.
    """
    alone: list[str] = []
    named: dict[str, str] = {}
    for option in options:
        name, sign, user = option.rpartition("=")
        if sign:
            named[name] = user
        else:
            alone.append(option)
    if len(alone) > 1:
        raise InvalidInput(f"--user {alone[0]} and --user {alone[1]}: which one is it? For several people: NAME=ID")
    return (alone[0] if alone else None), named
