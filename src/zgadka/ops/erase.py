"""Erase a person: every trace of them, in every owner's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.model.memory import AUTOMATIC
from zgadka.model.notification import Notice
from zgadka.model.task import Task
from zgadka.model.turn import Turn, person_number
from zgadka.ops.access import ensure_speaker, is_invisible, speaker_of, speaker_scope
from zgadka.ops.forget import ask, content_hash, is_open
from zgadka.ops.multi_owner_saga import WAIT, Spread
from zgadka.ops.profile import PROFILE, Profile, in_space, is_own, take_out
from zgadka.ops.tokens import forget_person
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

ERASE = "erase"

COUNTED = (
    *("facts", "notes", "episodes", "relations", "shared_episodes", "messages", "questions", "tasks", "audit_lines"),
    "memberships",
)
"""What a receipt counts."""


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


def ask_to_erase(tx: Tx, turn: Turn) -> None:
    """Ask the speaker whether to erase everything about them.

    The question takes the place of one about clearing the profile: both are about everything.
    """
    ask(tx, turn, speaker_scope(tx, turn), PROFILE, content_hash(turn, ERASE), None)


def answer_erasure(tx: Tx, turn: Turn, *, agrees: bool) -> datetime | None:
    """Close that question, and begin to erase if the speaker agrees.

    Returns:
        When the erasure began; None when nothing is erased: the speaker refused, or no question was open here.
    """
    scope = speaker_scope(tx, turn)
    question = tx.confirmations.get(scope, turn.chat, PROFILE)
    if question is None or question.content_hash != content_hash(turn, ERASE):
        return None
    tx.confirmations.delete(scope, turn.chat, PROFILE)
    return erase(tx, turn) if agrees and is_open(tx, question) else None


def erase(tx: Tx, turn: Turn) -> datetime:
    """Begin to remove every trace of the speaker: memories, messages, questions, names and texts in the audit trail.

    Only the wish stays, by which the level is found again and nothing of before comes back; not whose it is.

    The rest follows in `ERASING`. The caller then has to make the store give up the bytes (`Store.scrub`).
    """
    person = ensure_speaker(tx, turn)
    # By which they are known goes with the first parts, and may be looked for in the last.
    tx.wishes.note_erasure(turn.platform, turn.user_key, tx.privacy.get(person))
    payload = {"platform": turn.platform, "name": turn.user_key, "names": sorted(_names(tx, turn))}
    tx.tasks.add_follow_up(person, ERASE, payload, WAIT)
    return tx.now


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return tx.erasure.owners_with_traces(task.payload["platform"], task.owner, task.payload["name"])


def _erase_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Remove the traces of the person in the rows of another owner."""
    if not tx.tasks.is_open(task):  # somebody else ended it: who goes by this name now came back
        return {}
    tx.observations.delete_of_person(owner, task.owner)
    # Again: from here on nobody else changes these rows, and before that somebody may have ended it.
    if not tx.tasks.is_open(task):
        return {}
    platform, name = task.payload["platform"], task.payload["name"]
    tasks = tx.tasks.delete_about(owner, task.owner, person_number(platform, name))
    profile = in_space(tx, owner, task.owner)
    is_hidden = is_invisible(tx, task.owner)
    for memory in (*profile.own, *profile.shared):
        # Told to nobody because of them, an episode must not be told because they are gone.
        is_untold = is_hidden and memory.kind == "episode" and AUTOMATIC not in memory.tags
        if is_untold or is_own(memory, task.owner):
            tx.memories.delete(memory)
            tx.audit.delete(owner, memory.id)
        else:
            take_out(tx, memory, task.owner, actor=name, change=None)
    _remove_once_with(tx, owner, task.owner, task.payload["names"], is_hidden=is_hidden)
    counts = Counter(profile.counts)
    counts.update(shared_episodes=len(profile.shared), tasks=tasks)
    counts.update(tx.erasure.erase_traces(owner, task.owner, name))
    if owner == tx.owners.find("direct", platform, name):  # what belongs to their direct chat belongs to nobody else
        for memory in tx.memories.list_all(owner):
            tx.memories.delete(memory)
        tx.erasure.erase_space(owner)
    tx.notices.clear()
    return counts


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Remove the person's own rows, once nobody else's tell of them."""
    if not tx.tasks.is_open(task):
        return {}
    memories = tx.memories.list_all(task.owner)
    # Again: from here on nobody else changes these rows, and before that somebody may have ended it.
    if not tx.tasks.is_open(task):
        return {}
    if _owners(tx, task):  # they spoke meanwhile
        return None
    for memory in memories:
        tx.memories.delete(memory)
    platform, name = task.payload["platform"], task.payload["name"]
    tx.wishes.note_erasure(platform, name, tx.privacy.get(task.owner))  # they may have spoken meanwhile
    counts = Counter(Profile(tuple(memories), ()).counts)
    counts.update(tx.erasure.erase_person(task.owner))
    forget_person(tx, platform, name)
    tx.notices[:] = [Notice(what="erased", owner=task.owner, actor=name)]
    return counts


ERASING = Spread(_owners, _erase_in, _end)


def _remove_once_with(tx: Tx, owner: int, person: int, names: Collection[str], *, is_hidden: bool) -> None:
    """Remove the trails that say that the person was in a memory, and the memories that still name them.

    Args:
        is_hidden: Whether all of these memories were told to nobody because of the person.
    """
    for memory_id in tx.audit.memories_with_person(owner, person):
        memory = tx.memories.get(owner, memory_id)
        if memory is not None and (is_hidden or {canonical(word) for word in memory.searchable.split()} & set(names)):
            tx.memories.delete(memory)
        tx.audit.delete(owner, memory_id)


def _names(tx: Tx, turn: Turn) -> set[str]:
    person = speaker_of(tx, turn)
    members = [
        member for space in tx.members.spaces_of(turn.platform, person) if (member := tx.members.get(space, person))
    ]
    words = [word for member in members for name in (member.name, member.nickname) if name for word in name.split()]
    return {canonical(word) for word in (*words, turn.user_key) if word.strip()}
