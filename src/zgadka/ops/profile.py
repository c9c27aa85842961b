"""Everything about one person: clear it, set how much of it there may be."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zgadka.model.memory import StoredMemory
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.forget import ask, is_later, is_open
from zgadka.ops.scopes import person_named, privacy_of, speaker_scope
from zgadka.ops.spread import WAIT, Spread, end
from zgadka.ops.stretches import AUTOMATIC, without
from zgadka.stores.tx import Tx
from zgadka.text.refusal import plainly_refuses

CLEAR = "clear"
HIDE = "hide"
PROFILE = 0
"""The memory id under which the question about a whole profile stands."""


@dataclass(frozen=True)
class Profile:
    """What a deletion of everything is about.

    Attributes:
        own: The person's memories, and the episodes and relations that are about nobody else.
        shared: Episodes with others in them; the person is only taken out of these.
    """

    own: tuple[StoredMemory, ...]
    shared: tuple[StoredMemory, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many facts, notes, episodes and relations will go; archived ones too."""
        found = Counter(memory.kind for memory in self.own)
        kinds = (("facts", "fact"), ("notes", "note"), ("episodes", "episode"), ("relations", "relation"))
        return {name: found[kind] for name, kind in kinds}


@dataclass(frozen=True)
class ClearAsked:
    """The person must agree in a later message."""

    profile: Profile


@dataclass(frozen=True)
class ClearCancelled:
    """The person refused; everything is kept."""


@dataclass(frozen=True)
class Cleared:
    """Everything is gone; `undo` of any of the memories brings all back within the window."""

    profile: Profile


def profile_of(tx: Tx, turn: Turn) -> Profile:
    """Everything that is remembered about the speaker on the platform, in every space and persona lineage."""
    person = person_named(tx, turn, turn.user_name)
    there = [in_space(tx, space, person) for space in tx.spaces_with(person)]
    return Profile(
        (*tx.all_memories(person), *(memory for one in there for memory in one.own)),
        tuple(memory for one in there for memory in one.shared),
    )


def in_space(tx: Tx, space: int, person: int) -> Profile:
    """What a space's episodes and relations hold of a person."""
    found = tx.with_person(space, person)
    own = tuple(memory for memory in found if is_own(memory, person))
    return Profile(own, tuple(memory for memory in found if not is_own(memory, person)))


def is_own(memory: StoredMemory, person: int) -> bool:
    """Whether a memory with the person in it is about nobody else, or their relation to somebody."""
    return memory.owner == person or memory.kind == "relation" or set(memory.people) == {person}


def clear_profile(tx: Tx, turn: Turn, reason: str) -> ClearAsked | ClearCancelled | Cleared | None:
    """Remove everything about the speaker, once they agreed in a later message; None when there is nothing."""
    scope = speaker_scope(tx, turn)
    question = tx.question(scope, turn.chat, PROFILE)
    profile = profile_of(tx, turn)
    if not profile.own and not profile.shared:
        return None
    content_hash = _hash(profile, turn)
    if question is not None and (not is_open(tx, question) or question.content_hash != content_hash):
        question = None
    if question is not None and turn.text is not None and plainly_refuses(turn.text):
        tx.close_question(scope, turn.chat, PROFILE)
        return ClearCancelled()
    if question is not None and is_later(turn, question):
        _clear(tx, turn, scope.owner, profile, reason)
        tx.close_question(scope, turn.chat, PROFILE)
        return Cleared(profile)
    ask(tx, turn, scope, PROFILE, content_hash, question)
    return ClearAsked(profile)


def set_privacy(tx: Tx, turn: Turn, level: PrivacyLevel) -> None:
    """Keep the privacy level that the speaker sets for themselves; but for the lowest, they are quoted no more."""
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    tx.put_privacy(person, level)
    tx.add_note_to_trail(person, "privacy", actor=turn.user_name, reason=level.name)
    if level is not PrivacyLevel.MINIMAL:
        tx.leave_task(person, HIDE, {}, WAIT)


def _quoting(tx: Tx, task: Task) -> Sequence[int]:
    # Those of waiting stretches too: an episode that is being made just now is not to be seen yet.
    return sorted({*tx.spaces_with(task.owner), *tx.spaces_with_stretches(task.owner)})


def _hide_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    """Take the words of who does not want to be remembered out of what was told of a space by itself."""
    if tx.owner(space).kind != "space" or privacy_of(tx, task.owner) is PrivacyLevel.MINIMAL:
        return {}
    tx.quote_no_more(space, task.owner)  # first: from here on, nobody else changes the space
    for memory in tx.with_person(space, task.owner):
        if AUTOMATIC in memory.tags:
            take_out(tx, memory, task.owner, actor=tx.owner(task.owner).name, change=None)
    return {}


HIDING = Spread(_quoting, _hide_in, end)


def privacy(tx: Tx, turn: Turn) -> PrivacyLevel:
    """The speaker's privacy level."""
    return privacy_of(tx, person_named(tx, turn, turn.user_name))


def _clear(tx: Tx, turn: Turn, person: int, profile: Profile, reason: str) -> None:
    """Remove the person's own memories; what is in spaces follows in `CLEARING`."""
    change = tx.next_id("change")
    for memory in profile.own:
        if memory.owner == person:
            keep.remove(tx, memory, "cleared", actor=turn.user_name, reason=reason, change=change)
    tx.leave_task(person, CLEAR, {"turn": turn.as_json(), "reason": reason, "change": change}, WAIT)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    turn = Turn.from_json(task.payload["turn"])
    waiting = tx.owners_of_tasks(turn.platform, task.owner, turn.user_number)
    in_line = (*tx.spaces_with_observations(task.owner), *tx.spaces_with_stretches(task.owner))
    return sorted({*tx.spaces_with(task.owner), *waiting, *in_line} - {task.owner})


def _clear_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    """Remove what a space holds of the person, and what they said before and must not come true after."""
    tx.turn = turn = Turn.from_json(task.payload["turn"])
    reason, change = task.payload["reason"], task.payload["change"]
    tx.drop_tasks_about(space, task.owner, turn.user_number, until=task.created_at)
    tx.drop_observations_of(space, task.owner, until=task.created_at)
    tx.quote_no_more(space, task.owner)
    if not tx.is_undone(task):  # somebody else ended it, and it may have been taken back since
        return {}
    found = in_space(tx, space, task.owner)
    for memory in found.own:
        if memory.created_at <= task.created_at:  # what came since was not asked about
            keep.remove(tx, memory, "cleared", actor=turn.user_name, reason=reason, change=change)
    for memory in found.shared:
        if memory.created_at <= task.created_at:
            take_out(tx, memory, task.owner, actor=turn.user_name, change=change)
    return {}


CLEARING = Spread(_owners, _clear_in, end)


def take_out(tx: Tx, memory: StoredMemory, person: int, *, actor: str, change: int | None) -> None:
    """Take a person out of an episode with others."""
    rest = without(tx, memory, person)
    if rest is None or keep.holder(tx, rest) is not None:
        keep.remove(tx, memory, "cleared", actor=actor, reason="participant left", change=change)
    else:
        keep.put(tx, memory, rest, "cleared", actor=actor, reason="participant left", change=change)


def _hash(profile: Profile, turn: Turn) -> bytes:
    """Of everything that would go, and the persona that asks: what is remembered after that needs another question."""
    seen: Sequence[tuple[int, int]] = [(memory.id, memory.version) for memory in (*profile.own, *profile.shared)]
    return hashlib.blake2b(f"{turn.persona}:{sorted(seen)}".encode(), digest_size=16).digest()
