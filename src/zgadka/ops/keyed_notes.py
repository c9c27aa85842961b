"""Notes that go by a name: files of a memory tool, items of a key-value store.

The name is one of the note's tags. Such a note stands for its name: two of them may say the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from zgadka.errors import InvalidInput
from zgadka.model.limits import LONGEST_NAME, LONGEST_VALUE
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, NotFound, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import narrowed, own_scope, writing_scope
from zgadka.ops.content_policy import refuse_unkeepable, titled
from zgadka.ops.forgotten import refuse_forgotten
from zgadka.ops.late import refuse_late, refuse_off_record, refuse_outdated
from zgadka.ops.remember import New, add_fresh, fresh, no_room
from zgadka.ops.sources import messages_of_turn, said_in
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical, shows_nothing
from zgadka.text.sanitize import unstorable

NameKind = Literal["file", "item"]


def named_notes(tx: Tx, turn: Turn, kind: NameKind) -> dict[str, StoredMemory] | NoAccess:
    """The speaker's notes that are seen here and have such a name, by name."""
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    named = ((name_of(memory, kind), memory) for memory in tx.memories.list_visible(scope) if memory.kind == "note")
    return {name: memory for name, memory in named if name is not None}


def name_of(memory: StoredMemory, kind: NameKind) -> str | None:
    """The memory's name of this kind; None: it has none."""
    prefix = f"{kind}:"
    return next((tag.removeprefix(prefix) for tag in memory.tags if tag.startswith(prefix)), None)


def put_named(
    tx: Tx, turn: Turn, kind: NameKind, name: str, content: str
) -> Remembered | Changed | AlreadyKnown | LimitReached | NoAccess:
    """Keep what is to go by the name, instead of what went by it.

    Raises:
        InvalidInput: The name or the content cannot be kept.
        ContentRefused: As for a tool: the turn's message is off the record, or was taken back meanwhile.
    """
    tx.turn = turn
    refuse_off_record(turn.text)
    checked_name(name)
    _check(content)
    refuse_unkeepable(tx.settings, content, name, titled(name, content))
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return scope
    new = with_name(fresh(tx, turn, scope, New(content=content)), kind, name)
    note = by_name(tx, turn, kind).get(name)
    if note is None:
        return no_room(tx, scope, "note", tx.settings.max_notes) or add_fresh(tx, turn, new)
    if note.content == content:
        return AlreadyKnown(note)
    changed = replace(
        with_name(replace(narrowed(turn, scope, note), content=content), kind, name),
        said_by=turn.user_key,
        chat=said_in(turn),
    )
    return Changed(persist.put(tx, note, changed, "updated", actor=turn.user_key), note)


def rename(
    tx: Tx, turn: Turn, kind: NameKind, names: dict[str, str]
) -> list[StoredMemory] | Conflict | NotFound | NoAccess:
    """Give notes other names, all of them or none.

    Args:
        names: New names by old ones.

    Raises:
        InvalidInput: A new name cannot be kept.
        ContentRefused: As `put_named` does.
    """
    tx.turn = turn
    refuse_off_record(turn.text)
    refuse_late(tx, turn, is_there=bool(messages_of_turn(tx, turn)))
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return scope
    notes = by_name(tx, turn, kind)
    if not names or not set(names) <= set(notes):
        return NotFound()
    for old, name in names.items():
        checked_name(name)
        refuse_unkeepable(tx.settings, name, titled(name, notes[old].content))
        if name in notes:
            return Conflict(notes[name])
    renamed = {old: with_name(narrowed(turn, scope, notes[old]), kind, name) for old, name in names.items()}
    for memory in renamed.values():
        refuse_forgotten(tx, memory)
        refuse_outdated(tx, turn, memory)
    tx.sources = ()  # what a note says does not come from the message that renames it
    change = tx.next_id("change") if len(names) > 1 else None
    return [
        persist.put(tx, notes[old], memory, "updated", actor=turn.user_key, reason="renamed", change=change)
        for old, memory in renamed.items()
    ]


def hide(tx: Tx, turn: Turn, kind: NameKind, name: str) -> Changed | NotFound | NoAccess:
    """Hide what goes by the name; it stays for the audit trail, and `undo` brings it back."""
    tx.turn = turn
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return scope
    note = by_name(tx, turn, kind).get(name)
    if note is None:
        return NotFound()
    return Changed(persist.hide(tx, note, "forgotten", actor=turn.user_key, reason=f"{kind} deleted"), note)


def checked_name(name: str) -> str:
    """The name, if it can be kept.

    Raises:
        InvalidInput: It is too long, or holds what cannot be stored.
    """
    if not 0 < len(name) <= LONGEST_NAME or unstorable(name):
        raise InvalidInput(f"a name must have 1 to {LONGEST_NAME} ordinary characters, not {name[:60]!a}")
    return name


def with_name(memory: StoredMemory, kind: NameKind, name: str) -> StoredMemory:
    """The note, going by the name."""
    tags = (f"{kind}:{name}", *(tag for tag in memory.tags if not tag.startswith(f"{kind}:")))
    # What makes two notes one must not make one of two files: the name counts as well.
    return replace(memory, tags=tags, canonical=f"{kind}:{name} {canonical(memory.content)}")


def canonical_of_note(note: StoredMemory) -> str:
    """The form that this program gives a note of another one, which goes by a name if its own form says so."""
    for kind in get_args(NameKind):
        name = name_of(note, kind)
        if name is not None and note.canonical.startswith(f"{kind}:{name} "):
            return with_name(note, kind, name).canonical
    return canonical(note.content)


def by_name(tx: Tx, turn: Turn, kind: NameKind) -> dict[str, StoredMemory]:
    """The same as `named_notes`; nothing where nothing may be shown."""
    notes = named_notes(tx, turn, kind)
    return {} if isinstance(notes, NoAccess) else notes


def _check(content: str) -> None:
    if shows_nothing(content):
        raise InvalidInput("the text must not be blank")
    if len(content) > LONGEST_VALUE:
        raise InvalidInput(
            f"the text must have at most {LONGEST_VALUE} characters, not {len(content)}; keep less, or divide it"
        )
    if unstorable(content):
        raise InvalidInput("the text contains a character that cannot be stored")
