"""What people do on their own page, with their own hands: correct, delete, take back, leave."""

from __future__ import annotations

from dataclasses import dataclass, replace

from zgadka.model.memory import EVERYWHERE, Event, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.audit import take_back
from zgadka.ops.profile import Profile, is_own, profile_of, take_out
from zgadka.ops.scopes import person_named, privacy_of
from zgadka.ops.screen import screen
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical, shows_nothing
from zgadka.text.clean import is_placeholder, unstorable

LONGEST = 1000
"""Characters of a memory as its person corrects it."""


@dataclass(frozen=True)
class Mine:
    """What there is of a person.

    Attributes:
        memories: Live ones, newest first.
        shared: How many episodes with others there are.
        spaces: The spaces that memories are seen in, by owner id.
    """

    level: PrivacyLevel
    memories: tuple[StoredMemory, ...]
    shared: tuple[StoredMemory, ...]
    spaces: dict[int, Owner]


def mine(tx: Tx, turn: Turn) -> Mine:
    """Everything that is remembered about the speaker, wherever and by whatever persona, at every privacy level."""
    profile = profile_of(tx, turn)
    live = [memory for memory in profile.own if not memory.archived]
    spaces = {memory.space for memory in live} - {EVERYWHERE}
    return Mine(
        level=privacy_of(tx, person_named(tx, turn, turn.user_name)),
        memories=tuple(sorted(live, key=lambda memory: (memory.updated_at, memory.id), reverse=True)),
        shared=tuple(memory for memory in profile.shared if not memory.archived),
        spaces={space: tx.owner(space) for space in spaces},
    )


def story(tx: Tx, turn: Turn, memory_id: int) -> list[Event]:
    """What happened to one of the speaker's memories, oldest first; empty when there is none."""
    owner = _owner_of(profile_of(tx, turn), memory_id)
    return [] if owner is None else tx.events(owner, memory_id)


def correct(tx: Tx, turn: Turn, memory_id: int, content: str) -> Changed | NotFound | Conflict | Refused:
    """Let one of the speaker's memories say something else."""
    before = _found(tx, turn, memory_id)
    if before is None or before.archived or not is_own(before, person_named(tx, turn, turn.user_name)):
        return NotFound()
    if privacy_of(tx, person_named(tx, turn, turn.user_name)) is not PrivacyLevel.MINIMAL:
        return Refused("nothing is written at this privacy level")
    content = content.strip()
    if shows_nothing(content) or is_placeholder(content) or unstorable(content) or len(content) > LONGEST:
        return Refused(f"it must have 1 to {LONGEST} characters and say something")
    corrected = replace(before, content=content)
    if (screened := screen(tx.settings, content, corrected.text)) is not None:
        return Refused(screened.said)
    memory = replace(corrected, canonical=canonical(content, before.key), said_by=turn.user_name)
    if (holder := keep.holder(tx, memory)) is not None:
        return Conflict(holder)
    return Changed(keep.put(tx, before, memory, "updated", actor=turn.user_name, reason="correction"), before)


def delete(tx: Tx, turn: Turn, memory_id: int) -> Changed | NotFound:
    """Delete one of the speaker's memories, which they see before them; of an episode with others, leave it."""
    memory = _found(tx, turn, memory_id)
    if memory is None:
        return NotFound()
    person = person_named(tx, turn, turn.user_name)
    if not is_own(memory, person):
        take_out(tx, memory, person, actor=turn.user_name, change=None)
    elif memory.archived:
        return NotFound()
    else:
        keep.remove(tx, memory, "deleted", actor=turn.user_name, reason="own page")
    return Changed(memory, memory)


def undo(tx: Tx, turn: Turn, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of a memory of the speaker's, or with them in it, if they made it."""
    person = person_named(tx, turn, turn.user_name)
    for owner in (person, *tx.spaces_of(turn.platform, person)):
        if not tx.has_events(owner, memory_id):
            continue
        last = tx.events(owner, memory_id)[-1]
        is_about = owner == person or (last.before is not None and person in last.before.people)
        if last.actor != turn.user_name or not is_about:
            break
        return take_back(tx, owner, memory_id, actor=turn.user_name)
    return NotFound()


def _found(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    """The memory, where it is the speaker's or they are in it."""
    person = person_named(tx, turn, turn.user_name)
    for owner in (person, *tx.spaces_with(person)):
        if tx.memories(owner, [memory_id]):
            memory = tx.memory(owner, memory_id)  # as it is now that nobody else changes it
            return memory if memory is not None and (owner == person or person in memory.people) else None
    return None


def _owner_of(profile: Profile, memory_id: int) -> int | None:
    return next((one.owner for one in profile.own if one.id == memory_id), None)
