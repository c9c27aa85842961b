"""Erase a person: every trace of them, in every owner's rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from zgadka.model.memory import AUTOMATIC, BY_ITS_AUTHOR, Owner, StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.task import Task
from zgadka.model.turn import Turn, person_number
from zgadka.ops.access import author_is_invisible, ensure_speaker, note_level_in, privacy_of, speaker_of
from zgadka.ops.belongings import Belongings, is_own, mine_in
from zgadka.ops.forget import ask, content_hash
from zgadka.ops.former_names import former_names
from zgadka.ops.late import note_erased
from zgadka.ops.multi_owner_saga import WAIT, Spread
from zgadka.ops.open_questions import open_deletion
from zgadka.ops.profile import PROFILE, take_out, telling
from zgadka.ops.quotes import erase_quotes
from zgadka.ops.retelling import Retold, retold_to_others
from zgadka.ops.sources import told_of_given
from zgadka.ops.tokens import forget_person
from zgadka.stores.tx import Tx
from zgadka.text.value_mentions import MentionIndex, identifies

ERASE = "erase"
_ALL = 2**53
SLICE = 5
"""So many of the person's own memories are erased in one transaction, between which others write."""
MESSAGES = 50
"""So many messages are."""
_EPISODES = frozenset({"create_episode", "update_episode"})
"""The tools whose calls may tell of whoever was in the chat, and so by a part of a name."""

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
    ask(tx, turn, "erase", PROFILE, content_hash(turn, ERASE), None)


def answer_erasure(tx: Tx, turn: Turn, *, agrees: bool) -> datetime | None:
    """Close that question, and begin to erase if the speaker agrees.

    Returns:
        When the erasure began; None when nothing is erased: the speaker refused, or no question was open here.
    """
    question = open_deletion(tx, turn, PROFILE)
    if question is None or question.kind != "erase" or question.mark != content_hash(turn, ERASE):
        return None
    tx.questions.delete(speaker_of(tx, turn), question.id)
    return erase(tx, turn) if agrees else None


def erase(tx: Tx, turn: Turn) -> datetime:
    """Begin to remove every trace of the speaker: memories, messages, questions, names and texts in the audit trail.

    Only the wish stays, by which the level is found again and nothing of before comes back; not whose it is.

    The rest follows in `ERASING`. The caller then has to make the store give up the bytes (`Store.scrub`).
    """
    person = tx.owners.get(ensure_speaker(tx, turn))
    tx.wishes.note_erasure(person.platform, person.name, tx.privacy.get(person.id))
    _begin(tx, person, is_new=True)
    return tx.now


def erase_again(tx: Tx, person: Owner) -> None:
    """The same for somebody who was erased before, and came back with an old file: their wish stays as it is."""
    _begin(tx, person, is_new=False)


def _begin(tx: Tx, person: Owner, *, is_new: bool) -> None:
    # By which they are known goes with the first parts, and may be looked for in the last.
    payload = {"platform": person.platform, "name": person.name, "names": sorted(_names(tx, person)), "is_new": is_new}
    tx.tasks.add_follow_up(person.id, ERASE, payload, WAIT)
    note_erased(tx)


@dataclass(frozen=True)
class _Messages:
    """Some of the person's messages among an owner's."""

    owner: int


_Part = int | tuple[int, ...] | Retold | _Messages
"""Another owner, some of the person's own memories by their ids, or some messages."""


def _parts(tx: Tx, task: Task) -> Sequence[_Part]:
    """The other owners, after what retells the person's messages there, and these, a slice at a time.

    Once there is none, their own memories.

    These by their ids. The level that hides a message is known as long as the person is a member.
    """
    owners = tx.erasure.owners_with_traces(task.payload["platform"], task.owner, task.payload["name"])
    if owners:
        counts = {owner: tx.erasure.count_messages(owner, task.owner) for owner in owners}
        retold = retold_to_others(tx, task.owner, {owner: _names_in(task) for owner in owners if counts[owner]})
        slices = [_Messages(owner) for owner in owners for _ in range(counts[owner] // MESSAGES)]
        return [*retold, *slices, *owners]
    ids = tx.memories.list_ids(task.owner, _ALL)
    return [tuple(ids[start : start + SLICE]) for start in range(0, len(ids), SLICE)]


def _erase_part(tx: Tx, task: Task, part: _Part) -> Mapping[str, int]:
    if isinstance(part, Retold):
        return _erase_retold(tx, task, part)
    if isinstance(part, _Messages):
        return _erase_messages(tx, task, part.owner)
    return _erase_in(tx, task, part) if isinstance(part, int) else _erase_slice(tx, task, part)


def _erase_retold(tx: Tx, task: Task, part: Retold) -> Mapping[str, int]:
    """Remove answers to others that say what the person's messages say, while these are there to tell them."""
    if not tx.tasks.is_open(task, holding=part.space):
        return {}
    there = tx.messages.authors(part.space, part.answers)
    drop_retold(tx, part.space, there, _names_in(task), tx.memories.list_values(task.owner).values())
    return {"messages": len(there)}


def _erase_messages(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    if not tx.tasks.is_open(task, holding=owner):
        return {}
    tx.observations.delete_of_person(owner, task.owner)  # while their messages tell which these are
    return {"messages": tx.erasure.erase_messages(owner, MESSAGES, task.owner)}


def _erase_slice(tx: Tx, task: Task, ids: tuple[int, ...]) -> Mapping[str, int]:
    """Remove some of the person's own memories, while nobody else's rows tell of them."""
    if not tx.tasks.is_open(task, holding=task.owner) or _is_present(tx, task):
        return {}
    return _remove_own(tx, tx.memories.get_many(task.owner, ids).values())


def _remove_own(tx: Tx, memories: Iterable[StoredMemory]) -> Mapping[str, int]:
    removed = tuple(memories)
    for memory in removed:
        _remove(tx, memory)
    tx.notices.clear()
    return Belongings(removed, ()).counts


def _is_present(tx: Tx, task: Task) -> bool:
    """Whether other owners' rows have the person in them. What names them is not looked for: that reads the trail."""
    return bool(tx.erasure.owners_present(task.payload["platform"], task.owner, task.payload["name"]))


def _erase_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Remove the traces of the person in the rows of another owner."""
    if not tx.tasks.is_open(task, holding=owner):  # somebody else ended it: who goes by this name now came back
        return {}
    tx.observations.delete_of_person(owner, task.owner)
    note_level_in(tx, task.owner, owner)
    erased = _Erased(tx, owner, task)
    tasks = tx.tasks.delete_about(owner, erased.id, person_number(erased.platform, erased.name)) + erased.drop_calls()
    whole = mine_in(tx, owner, erased.id, "erase")
    erased.relations = {row.content for row in whole.own if row.kind == "relation" and row.content}
    for memory in whole.own:
        _remove(tx, memory)
    erased.leave(whole.shared)
    erased.drop_untold()
    counts = Counter(whole.counts)
    counts.update(shared_episodes=sum(memory.kind == "episode" for memory in whole.shared), tasks=tasks)
    counts.update(messages=erase_quotes(tx, owner, erased.id))
    counts.update(messages=erased.drop_answers())
    while count := tx.erasure.erase_messages(owner, MESSAGES, erased.id):
        counts.update(messages=count)
    counts.update(tx.erasure.erase_traces(owner, erased.id, erased.name))
    if owner == tx.owners.find("direct", erased.platform, erased.name):  # it belongs to nobody else
        tx.erasure.erase_space(owner)
    tx.notices.clear()
    return counts


def _end(tx: Tx, task: Task) -> Mapping[str, int] | None:
    """Remove the person's own rows, once nobody else's tell of them."""
    if not tx.tasks.is_open(task, holding=task.owner):
        return {}
    # They spoke meanwhile; or there are slices left.
    if _is_present(tx, task) or len(tx.memories.list_ids(task.owner, SLICE + 1)) > SLICE:
        return None
    counts = Counter(_remove_own(tx, tx.memories.list_all(task.owner)))
    platform, name = task.payload["platform"], task.payload["name"]
    if task.payload.get("is_new", True):  # they may have spoken meanwhile
        tx.wishes.note_erasure(platform, name, tx.privacy.get(task.owner))
    counts.update(tx.erasure.erase_person(task.owner))
    forget_person(tx, platform, name)
    tx.notices[:] = [Notice(what="erased", owner=task.owner, actor=name)]
    note_erased(tx)
    return counts


ERASING = Spread(_parts, _erase_part, _end)


class _Erased:
    """A person who is erased, and what tells of them among one other owner's rows."""

    def __init__(self, tx: Tx, owner: int, task: Task) -> None:
        self._tx = tx
        self._owner = owner
        self.id = task.owner
        self.platform, self.name = task.payload["platform"], task.payload["name"]
        self._names = _names_in(task)
        self.relations: Collection[str] = ()  # what is said of theirs

    @cached_property
    def _values(self) -> Mapping[int, str]:
        """What was remembered of the person, by id: read only where something may repeat it."""
        return self._tx.memories.list_values(self.id)

    def drop_calls(self) -> int:
        """Remove other people's calls, waiting or done, whose words name the person; returns how many."""
        calls = {call.id: call for call in self._tx.tasks.list_calls(self._owner)}
        texts = (
            (id_, json.dumps([call.payload.get("arguments"), call.result], ensure_ascii=False))
            for id_, call in calls.items()
        )
        index = MentionIndex(texts)
        naming = set[int]().union(*map(index.of, self._names))
        episodes = {id_ for id_, call in calls.items() if call.payload.get("tool") in _EPISODES}
        naming |= episodes & set[int]().union(*map(index.naming, self._names))
        for id_ in naming:
            self._tx.tasks.end(calls[id_])
        return len(naming)

    def drop_answers(self) -> int:
        """Remove the assistant's answers to others that tell what was remembered of the person; returns how many."""
        messages = self._tx.messages
        others_answers = messages.list_answers_to_others(self._owner, self.id, _ALL)
        answers = MentionIndex((answer.id, answer.text) for answer in others_answers)
        given_pairs = messages.list_given(self._owner)
        own_pairs = [(answer, memory) for answer, memory in given_pairs if memory in self._values]
        answer_ids = {answer for answer, _ in own_pairs}
        naming = set[int]().union(*map(answers.naming, self._names))
        dropped = set(messages.list_about(self._owner, self.id))
        dropped |= told_of_given(self._tx, self._owner, self.id, answers)
        for value in set(self._values.values()) if others_answers else ():
            repeating = answers.of(value)
            dropped |= repeating & answer_ids
            if naming and identifies(value):  # "Anna is a Kyivan"
                dropped |= naming & (repeating | answers.of(value, loosely=True) | answers.hinting(value))
        if dropped:
            drop_retold(self._tx, self._owner, dropped, self._names, self._values.values())
        messages.delete_given(self._owner, {memory for _, memory in own_pairs})
        return len(dropped)

    def leave(self, shared: Iterable[StoredMemory]) -> None:
        """Take the person out of what has others in it; what tells of them nevertheless goes."""
        tx, person = self._tx, self.id
        level = privacy_of(tx, person, self._owner)
        former = tx.audit.memories_with_person(self._owner, person)
        memories = {memory.id: memory for memory in shared} | tx.memories.get_many(self._owner, former)
        values = [*self._values.values(), *self.relations] if memories else []
        of_them = telling(memories.values(), self._names, values) if memories else set[int]()
        for memory in memories.values():
            # Told to nobody because of them, nothing must be told because they are gone.
            is_untold = level is not PrivacyLevel.MINIMAL and memory.kind == "episode" and AUTOMATIC not in memory.tags
            is_untold |= level is PrivacyLevel.FULL and memory.kind == "note" and memory.said_by == self.name
            if memory.kind == "note" and not is_untold:
                self._leave_note(memory)
            elif is_untold or memory.id in of_them or is_own(tx, memory, person):
                _remove(tx, memory)
            elif person in memory.people:
                take_out(tx, [memory], person, actor=self.name, change=None)
        for memory_id in {*former, *tx.audit.memories_with_person(self._owner, person)}:
            tx.audit.delete(self._owner, memory_id)

    def drop_untold(self) -> None:
        """Remove what they said of this owner and nobody is told because of them, with what it was.

        Nothing must be told because they are gone.
        """
        tx = self._tx
        for memory in tx.memories.list_said_by(self._owner, self.name, archived=True):
            if memory.withheld == BY_ITS_AUTHOR or author_is_invisible(tx, memory):
                _remove(tx, memory)
        if tx.privacy.get(self.id) >= PrivacyLevel.FULL:
            for memory_id in tx.audit.list_said_before(self._owner, self.name):
                tx.audit.delete_texts(self._owner, memory_id)
            tx.messages.delete_many(self._owner, tx.messages.list_about(self._owner, self.id, "said"))

    def _leave_note(self, note: StoredMemory) -> None:
        """Hide a note that names others as well; it goes where it is about this person alone."""
        other_people = tuple(person for person in note.people if person != self.id)
        if len(other_people) == len(note.people):
            return  # by them and about others: it stays without their name
        if not other_people:
            _remove(self._tx, note)
            return
        take_out(self._tx, [replace(note, people=other_people)], self.id, actor=self.name, change=None)
        self._tx.audit.delete(self._owner, note.id)


def drop_retold(tx: Tx, space: int, answers: Iterable[int], names: Iterable[str], values: Iterable[str]) -> set[int]:
    """Remove answers that retold somebody, and the episodes made from these that do; returns the episodes' ids."""
    ids = {memory for answer in answers for memory in tx.memories.made_from(space, space, answer)}
    episodes = {id_: memory for id_, memory in tx.memories.get_many(space, ids).items() if memory.kind == "episode"}
    tx.messages.delete_many(space, answers)
    return drop_telling(tx, episodes, names, values)


def drop_telling(tx: Tx, episodes: Mapping[int, StoredMemory], names: Iterable[str], values: Iterable[str]) -> set[int]:
    """Remove those of the episodes that tell of somebody, by a name or by what was remembered; returns their ids."""
    of_them = telling(episodes.values(), names, values)
    for id_ in of_them:
        _remove(tx, episodes[id_])
    return of_them


def _remove(tx: Tx, memory: StoredMemory) -> None:
    """Remove a memory with all that stands for it."""
    tx.memories.delete(memory)
    tx.memories.take_sources(memory)
    tx.audit.delete(memory.owner, memory.id)


def _names_in(task: Task) -> list[str]:
    return [*task.payload["names"], task.payload["name"]]


def _names(tx: Tx, person: Owner) -> set[str]:
    spaces = tx.members.spaces_of(person.platform, person.id)
    names = (tx.members.names(space, [person.id]).get(person.id, ()) for space in spaces)
    return {name for known in (*names, former_names(tx, person.id)) for name in known if identifies(name)}
