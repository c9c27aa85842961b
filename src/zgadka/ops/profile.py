"""Everything about one person: clear it, erase it, set how much of it there may be."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.model.memory import EVERYWHERE, StoredMemory
from zgadka.model.notice import Notice
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.forget import ask, is_later, is_open
from zgadka.ops.scopes import person_named, privacy_of, speaker_scope
from zgadka.ops.stretches import AUTOMATIC, without
from zgadka.ops.tokens import forget_person
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.refusal import plainly_refuses

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


@dataclass(frozen=True)
class Receipt:
    """What was erased, in numbers only.

    Attributes:
        counts: Rows removed, by what they were.
        scrubbed: Whether the journal is clean as well; False: another process is reading it, it will be tried again.
    """

    erased_at: datetime
    counts: dict[str, int]
    scrubbed: bool = False


def profile_of(tx: Tx, turn: Turn) -> Profile:
    """Everything that is remembered about the speaker on the platform, in every space and persona lineage."""
    person = person_named(tx, turn, turn.user_name)
    own = tx.all_memories(person)
    shared: list[StoredMemory] = []
    for space in tx.spaces():
        for memory in tx.with_person(space, person):
            alone = memory.kind == "relation" or set(memory.people) == {person}
            (own if alone else shared).append(memory)
    return Profile(tuple(own), tuple(shared))


def clear_profile(tx: Tx, turn: Turn, reason: str) -> ClearAsked | ClearCancelled | Cleared | None:
    """Remove everything about the speaker, once they agreed in a later message; None when there is nothing."""
    scope = speaker_scope(tx, turn)
    profile = profile_of(tx, turn)
    if not profile.own and not profile.shared:
        return None
    content_hash = _hash(profile, turn)
    question = tx.question(scope, turn.chat, PROFILE)
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


def erase(tx: Tx, turn: Turn) -> Receipt:
    """Remove every trace of the speaker: memories, messages, questions, names and the texts in the audit trail.

    The caller then has to make the store give up the bytes (`Store.scrub`).
    """
    person = person_named(tx, turn, turn.user_name)
    profile = profile_of(tx, turn)
    counts = profile.counts
    names = _names(tx, turn, person)
    for memory in profile.own:
        tx.remove_memory(memory)
        tx.remove_events(memory.owner, memory.id)
    counts["shared_episodes"] = len(profile.shared)
    for memory in profile.shared:
        _take_out(tx, turn, memory, person, None)
    for owner, memory_id in tx.once_with_person(person):
        memory = tx.memory(owner, memory_id)
        if memory is not None and names & {canonical(word) for word in memory.searchable.split()}:
            tx.remove_memory(memory)
        tx.remove_events(owner, memory_id)
    direct = tx.find_owner("direct", turn.platform, turn.user_name)
    if direct is not None:  # what belongs to their direct chat belongs to nobody else
        for memory in tx.all_memories(direct):
            tx.remove_memory(memory)
        tx.erase_space(direct)
    counts |= tx.erase_person(turn.platform, person, turn.user_name)
    forget_person(tx, turn.platform, turn.user_name)
    tx.notices[:] = [
        Notice(
            what="erased",
            owner=person,
            memory=0,
            kind=None,
            personal=True,
            space=EVERYWHERE,
            actor=turn.user_name,
            preview="",
        )
    ]
    return Receipt(tx.now, counts)


def set_privacy(tx: Tx, turn: Turn, level: PrivacyLevel) -> None:
    """Keep the privacy level that the speaker sets for themselves; who becomes invisible is quoted no more."""
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    tx.put_privacy(person, level)
    if level is PrivacyLevel.FULL:
        for space in tx.spaces_of(turn.platform, person):
            for memory in tx.with_person(space, person) if tx.owner(space).kind == "space" else ():
                if AUTOMATIC in memory.tags:
                    _take_out(tx, turn, memory, person, None)
    tx.add_note_to_trail(person, "privacy", actor=turn.user_name, reason=level.name)


def privacy(tx: Tx, turn: Turn) -> PrivacyLevel:
    """The speaker's privacy level."""
    return privacy_of(tx, person_named(tx, turn, turn.user_name))


def _clear(tx: Tx, turn: Turn, person: int, profile: Profile, reason: str) -> None:
    change = tx.next_id("change")
    tx.drop_tasks_about(turn.platform, person, turn.user_number)  # what they said before must not come true after
    for memory in profile.own:
        keep.remove(tx, memory, "cleared", actor=turn.user_name, reason=reason, change=change)
    for memory in profile.shared:
        _take_out(tx, turn, memory, person, change)


def leave(tx: Tx, turn: Turn, memory: StoredMemory) -> None:
    """Take the speaker out of an episode with others."""
    _take_out(tx, turn, memory, person_named(tx, turn, turn.user_name), None)


def _take_out(tx: Tx, turn: Turn, memory: StoredMemory, person: int, change: int | None) -> None:
    rest = without(tx, memory, person)
    if rest is None or keep.holder(tx, rest) is not None:
        keep.remove(tx, memory, "cleared", actor=turn.user_name, reason="participant left", change=change)
    else:
        keep.put(tx, memory, rest, "cleared", actor=turn.user_name, reason="participant left", change=change)


def _names(tx: Tx, turn: Turn, person: int) -> set[str]:
    members = [member for space in tx.spaces_of(turn.platform, person) if (member := tx.member(space, person))]
    words = [word for member in members for name in (member.name, member.nickname) if name for word in name.split()]
    return {canonical(word) for word in (*words, turn.user_name) if word.strip()}


def _hash(profile: Profile, turn: Turn) -> bytes:
    """Of everything that would go, and the persona that asks: what is remembered after that needs another question."""
    seen: Sequence[tuple[int, int]] = [(memory.id, memory.version) for memory in (*profile.own, *profile.shared)]
    return hashlib.blake2b(f"{turn.persona}:{sorted(seen)}".encode(), digest_size=16).digest()
