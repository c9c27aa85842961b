"""What people do on their own page, with their own hands: correct, delete, take back, leave."""

from __future__ import annotations

from dataclasses import replace

from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.memory import Event, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused, Stale
from zgadka.model.turn import Turn
from zgadka.ops import merges, persist, withhold
from zgadka.ops.access import direct_chat, hidden, is_remembered, speaker_of
from zgadka.ops.audit import take_back, was_taken_back, without_forgotten
from zgadka.ops.belongings import is_own, owners_with
from zgadka.ops.content_policy import screen
from zgadka.ops.profile import TAKEN_OUT, take_out
from zgadka.ops.reindex import renew
from zgadka.ops.relation_names import with_names_in_trail
from zgadka.ops.same_value import worded
from zgadka.ops.sources import said_at
from zgadka.ops.trail import BY_HAND
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.sanitize import is_placeholder, unstorable
from zgadka.text.typed_values import is_no_value


def story(tx: Tx, turn: Turn, memory_id: int) -> list[Event]:
    """What happened to one of the speaker's memories, oldest first; empty when there is none."""
    memory = _memory_with(tx, turn, memory_id)
    person = speaker_of(tx, turn)
    if memory is None or not is_own(tx, memory, person) or hidden(tx, [memory], but=person):
        return []
    trail = tx.audit.history(memory.owner, memory_id)
    named = with_names_in_trail(tx, trail)
    return without_forgotten(tx, memory.owner, named) if was_taken_back(trail, turn) else named


def correct(
    tx: Tx, turn: Turn, memory_id: int, content: str, *, version: int | None = None
) -> Changed | NotFound | Conflict | Refused | Stale:
    """Let one of the speaker's memories say something else.

    Args:
        version: That which they were shown: if it says something else by now, nothing happens. None: whatever it says.
    """
    prior = _memory_with(tx, turn, memory_id)
    if prior is None or prior.archived or not is_own(tx, prior, speaker_of(tx, turn)):
        return NotFound()
    if not is_remembered(tx, speaker_of(tx, turn), prior.space):
        return Refused("nothing is written at this privacy level")
    if not _is_as_shown(tx, prior, version):
        return Stale()
    content = content.strip()
    renew(tx, prior.owner)
    is_nothing = shows_nothing(content) or (prior.key is not None and is_no_value(content, prior.key))
    if is_nothing or is_placeholder(content) or unstorable(content) or len(content) > LONGEST_VALUE:
        return Refused(f"it must have 1 to {LONGEST_VALUE} characters and say something")
    corrected = worded(prior, content, said_at(tx, turn))
    if (screened := screen(tx.settings, content, corrected.text)) is not None:
        return Refused(screened.sentence)
    memory = replace(corrected, said_by=turn.user_key)
    if memory.canonical != prior.canonical:  # what was said of the old value says nothing of this one
        memory = replace(memory, excerpt=None, evidence=1)
    if (rival := merges.rival_of(tx, memory)) is not None:
        return Conflict(rival)
    parts = [] if memory.canonical == prior.canonical else tx.memories.list_parts(prior.owner, prior.id)
    change = tx.next_id("change") if parts else None
    changed = persist.put(tx, prior, memory, "updated", actor=turn.user_key, reason=BY_HAND, change=change)
    merges.release(tx, parts, None, actor=turn.user_key, change=change)
    return Changed(changed, prior)


def delete(tx: Tx, turn: Turn, memory_id: int, *, version: int | None = None) -> Changed | NotFound | Stale:
    """Delete one of the speaker's memories, which they see before them; of an episode with others, leave it.

    Args:
        version: As for `correct`.
    """
    memory = _memory_with(tx, turn, memory_id)
    if memory is None:
        return NotFound()
    if not _is_as_shown(tx, memory, version):
        return Stale()
    person = speaker_of(tx, turn)
    if not is_own(tx, memory, person):
        take_out(tx, [memory], person, actor=turn.user_key, change=tx.next_id("change"))
    elif memory.archived:
        return NotFound()
    else:
        return Changed(memory, memory, withheld=withhold.remove(tx, turn, [memory], reason=BY_HAND))
    return Changed(memory, memory)


def undo(
    tx: Tx, turn: Turn, memory_id: int, *, version: int | None = None
) -> Changed | NotFound | Conflict | Refused | Stale:
    """Take back the last change of a memory of the speaker's, or with them in it, if they made it.

    What they have taken back already stays as it is: a form that is sent twice asks once.

    Args:
        version: That before the change which is meant: if it was changed again, nothing happens. None: the last change.
    """
    person = speaker_of(tx, turn)
    own_owners = {person, direct_chat(tx, person)} - {None}
    for owner in (*own_owners, *tx.members.spaces_of(turn.platform, person)):
        if owner is None or not tx.audit.exists(owner, memory_id):
            continue
        event = tx.audit.history(owner, memory_id)[-1]
        is_about = owner in own_owners or (event.before is not None and person in event.before.people)
        if event.actor != turn.user_key or not is_about:
            break
        if event.action == "undone":
            state = event.after or event.before
            return NotFound() if state is None else Changed(state, state)
        if version is not None and event.before is not None and event.before.version != version:
            return Stale()
        return take_back(tx, owner, memory_id, actor=turn.user_key)
    return NotFound()


def has_left(tx: Tx, turn: Turn, memory_id: int) -> bool:
    """Whether the last change of what is not only the speaker's is that they were taken out of it, by themselves."""
    spaces = tx.members.spaces_of(turn.platform, speaker_of(tx, turn))
    owner = next((space for space in spaces if tx.audit.exists(space, memory_id)), None)
    if owner is None:
        return False
    event = tx.audit.history(owner, memory_id)[-1]
    return event.actor == turn.user_key and event.action == "cleared" and event.reason in TAKEN_OUT


def _is_as_shown(tx: Tx, memory: StoredMemory, version: int | None) -> bool:
    """Whether a memory says what it said in that version, for the same time; saying it once more changes nothing."""
    if version in (None, memory.version):
        return True
    states = (event.before for event in tx.audit.history(memory.owner, memory.id))
    shown = next((state for state in states if state is not None and state.version == version), None)
    return shown is not None and _shown_of(shown) == _shown_of(memory)


def _shown_of(memory: StoredMemory) -> tuple[object, ...]:
    return memory.text, memory.people, memory.valid_from, memory.valid_to


def _memory_with(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    """The memory, where it is the speaker's or they are in it."""
    person = speaker_of(tx, turn)
    own_owners = {person, direct_chat(tx, person)}
    for owner in owners_with(tx, person):
        if tx.memories.get_many(owner, [memory_id]):
            memory = tx.memories.get(owner, memory_id)  # as it is now that nobody else changes it
            if memory is None or memory.withheld:
                return None
            is_mine = owner in own_owners or person in memory.people or is_own(tx, memory, person)
            return memory if is_mine else None
    return None
