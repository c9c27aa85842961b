"""Forgetting reaches what was said: what says what a person had forgotten is told nobody any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any

from zgadka.model.memory import EVERYWHERE, Action, StoredMemory
from zgadka.model.people import Role
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import direct_chat, find_space, speaker_of
from zgadka.ops.close_waiting import close, waiting_owners, waiting_with
from zgadka.ops.forgotten import Talk, forgotten_forms, forms_of, has_forgotten, list_forgotten, names_of, note_turn
from zgadka.ops.merges import parts_of
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.stores.row_mapping import dump, load
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Forgotten, Why
from zgadka.text.mere_mentions import orders_forgetting
from zgadka.text.off_record import is_off_record
from zgadka.text.value_mentions import MentionIndex

WITHHOLD = "withhold"
LIFT = "lift"

_LOOKED_THROUGH = 2000
"""So many of a person's newest messages in a space, and of the answers to others, are looked through at a time."""
_IN_ALL = 10_000
_ALL = 2**53
_QUOTES = "quotes"
AT_ONCE = 200
"""So many messages are withheld before anybody is answered; the rest follows as tasks."""

_PROMPTLY = timedelta(seconds=2)
"""What is recorded so soon after it was written has hardly been overtaken by a wish to forget."""

Withheld = dict[int, list[tuple[int, int]]]
"""By space, messages and the change that withholds each."""


@dataclass(frozen=True)
class Removal:
    """That what is forgotten is removed, and why.

    It is hidden first; it goes once what says it is withheld, so that nothing is gone and told all the same.
    """

    action: Action
    actor: str
    reason: str


def remove(tx: Tx, turn: Turn, memories: Sequence[StoredMemory], *, reason: str) -> int:
    """Delete memories as their person wishes; returns how many messages that say them are told nobody any more."""
    count, removal = 0, Removal("deleted", turn.user_key, reason)
    for owner in dict.fromkeys(memory.owner for memory in memories):
        changes = {memory: tx.next_id("change") for memory in memories if memory.owner == owner}
        # What was merged into one goes and comes back with it.
        changes |= {part: change for whole, change in [*changes.items()] for part in parts_of(tx, whole)}
        count += withhold(tx, turn, owner, changes, removal=removal)
    return count


def withhold(
    tx: Tx,
    turn: Turn,
    owner: int,
    changes: Mapping[StoredMemory, int],
    *,
    everywhere: bool = False,
    removal: Removal | None = None,
) -> int:
    """Have told nobody what says what a person has forgotten; returns how many messages.

    These are what it was made from, the person's own messages and the answers to them that say it, and the answers to
    others that were given it or name the person, in the turn's space and where the memories were seen; with the
    episodes made from any of these, and what waits for an answer or a worker and says it. It follows in `WITHHOLDING`,
    before anybody is answered.

    Args:
        owner: Whose rows the transaction changes: the person, or the space, whose memories the speaker has forgotten.
        changes: What is forgotten, and in which change.
        everywhere: Whether to look in all of the person's spaces.
        removal: Why the owner's memories are removed as well. None: they are not.
    """
    note_turn(tx, turn, owner, changes)
    person = owner if tx.owners.get(owner).kind == "person" else speaker_of(tx, turn)
    spaces = {find_space(tx, turn), *(_all_spaces(tx, person) if everywhere else ())}
    return withhold_in(tx, person, owner, spaces, changes, removal=removal)


def withhold_in(
    tx: Tx,
    person: int,
    owner: int,
    spaces: Collection[int],
    changes: Mapping[StoredMemory, int],
    *,
    removal: Removal | None = None,
    own_words: bool = True,
) -> int:
    """The same in these spaces, and where the memories were seen and what they were made from was said.

    Args:
        own_words: Whether the person's own messages and what they wait for are meant, and not only answers.
    """
    sources = {memory: tx.memories.sources_of(memory) for memory in changes}
    seen = {memory: _places(tx, person, memory) for memory in changes}
    said_in = (space for row in sources.values() for space, _ in row)
    places = sorted({*spaces, *chain.from_iterable(seen.values()), *said_in})
    limit = max(1, min(_LOOKED_THROUGH, _IN_ALL // max(1, len(places))))
    forms = {memory: forms_of(tx, owner, memory) for memory in changes}
    withheld = Withheld()
    for space in places:
        seen_forms = {memory: forms[memory] if space in spaces or space in seen[memory] else [] for memory in changes}
        look = _Look(space, person, limit, own_words=own_words)
        withheld[space] = look.through(tx, changes, seen_forms, sources)
        look.leave_rest(tx, owner, changes, seen_forms)
    quoting = _unquote(tx, owner, changes, forms, sources, withheld)
    every_form = [form for row in forms.values() for form in row]
    waiting = waiting_with(tx, person, every_form, withheld) if own_words else {}
    owned = {memory: change for memory, change in changes.items() if removal is not None and memory.owner == owner}
    is_left = _leave_withholding(tx, owner, withheld, waiting | quoting, owned)
    if removal is not None:
        for memory, change in owned.items():
            why = Why(actor=removal.actor, reason=removal.reason, change=change)
            is_told = memory.merged_into is None
            persist.remove(tx, memory, removal.action, is_told=is_told, stays_hidden=is_left, **why)
    return sum(map(len, withheld.values()))


class _Look:
    """A look through what was said in a space, the newest first.

    Args:
        limit: Of how many of the person's messages, and of how many answers to others, at a time.
        own_words: As in `withhold_in`.
        before: The ids that the last look came to, of the person's messages and of the answers to others.
    """

    def __init__(
        self, space: int, person: int, limit: int, *, own_words: bool, before: Sequence[int] = (_ALL, _ALL)
    ) -> None:
        self._space, self._person, self._limit, self._own_words, self._before = space, person, limit, own_words, before

    def through(
        self,
        tx: Tx,
        changes: Mapping[StoredMemory, int],
        forms: Mapping[StoredMemory, Collection[StoredMemory]],
        sources: Mapping[StoredMemory, Sequence[tuple[int, int]]],
    ) -> list[tuple[int, int]]:
        """The messages that say memories in these forms or are their sources, with the changes that withhold them."""
        space, person = self._space, self._person
        written, answered = self._before
        own = tx.messages.list_with_person(space, person, self._limit, before=written)
        answers = tx.messages.list_answers_to_others(space, person, self._limit, before=answered)
        self._before = [rows[-1].id if len(rows) == self._limit else 0 for rows in (own, answers)]
        own = [message for message in own if self._own_words or message.role == "assistant"]
        talk = Talk(tx, space, person, own, answers, names_of(tx, space, person))
        hidden = {message.id for message in (*own, *answers) if message.is_withheld}
        pairs: list[tuple[int, int]] = []
        for memory, change in changes.items():
            saying = talk.saying(memory, forms[memory], sources.get(memory, ())) - hidden
            hidden |= saying
            pairs.extend((message, change) for message in sorted(saying, reverse=True))
        return pairs

    def leave_rest(
        self,
        tx: Tx,
        owner: int,
        changes: Mapping[StoredMemory, int],
        forms: Mapping[StoredMemory, Collection[StoredMemory]],
    ) -> None:
        """Leave what is older to a worker, who goes on with it when the task ends."""
        remaining = [memory for memory in changes if forms[memory]] if any(self._before) else []
        memory_forms = [(memory.id, changes[memory], [dump(form) for form in forms[memory]]) for memory in remaining]
        if memory_forms:
            look = {"space": self._space, "person": self._person, "limit": self._limit, "own_words": self._own_words}
            _leave(tx, owner, {"older": look | {"before": self._before, "told": memory_forms}})


def _look_further(tx: Tx, owner: int, older: Mapping[str, Any]) -> None:
    """Go on with a look, and leave what it finds to be withheld."""
    look = _Look(older["space"], older["person"], older["limit"], own_words=older["own_words"], before=older["before"])
    forms = {load(owner, id_, dumps[0]): [load(owner, id_, form) for form in dumps] for id_, _, dumps in older["told"]}
    changes = {memory: change for memory, (_, change, _) in zip(forms, older["told"], strict=True)}
    withheld = {older["space"]: look.through(tx, changes, forms, {})}
    _leave_withholding(tx, owner, withheld, _unquote(tx, owner, changes, forms, {}, withheld), {})
    look.leave_rest(tx, owner, changes, forms)


def _leave_withholding(
    tx: Tx, owner: int, withheld: Withheld, payload: Mapping[str, object], removed: Mapping[StoredMemory, int]
) -> bool:
    """Leave what is to be withheld and closed: the first of it at once, the rest as tasks; False: there is nothing.

    Args:
        removed: The owner's memories that go then, each with its change.
    """
    pairs = [(space, pair) for space, messages in withheld.items() for pair in messages]
    if pairs or payload:
        ids = [(memory.id, change) for memory, change in removed.items()]
        batch = {"spaces": _by_space(pairs[:AT_ONCE]), "removed": ids, **payload}
        tx.tasks.add_follow_up(owner, WITHHOLD, batch, WAIT)
    for start in range(AT_ONCE, len(pairs), AT_ONCE):
        _leave(tx, owner, {"spaces": _by_space(pairs[start : start + AT_ONCE])})
    return bool(pairs or payload)


def _leave(tx: Tx, owner: int, payload: Mapping[str, object]) -> None:
    """Leave something to a worker."""
    tx.tasks.add(owner, WITHHOLD, {"spaces": {}, **payload}, conversation=("", "", 0), person=0, priority=0)


def _by_space(pairs: Iterable[tuple[int, tuple[int, int]]]) -> dict[str, list[tuple[int, int]]]:
    by_space: dict[str, list[tuple[int, int]]] = {}
    for space, pair in pairs:
        by_space.setdefault(str(space), []).append(pair)
    return by_space


def _unquote(
    tx: Tx,
    owner: int,
    changes: Mapping[StoredMemory, int],
    forms: Mapping[StoredMemory, Sequence[StoredMemory]],
    sources: Mapping[StoredMemory, Sequence[tuple[int, int]]],
    withheld: Withheld,
) -> dict[str, dict[str, list[int]]]:
    """Let other memories that were made from the same messages lose quotes that say what is forgotten.

    And the owner's, those from the other messages that say it.

    Returns:
        Those of others, by owner, that are to lose them.
    """
    gone = {memory.id for memory in changes}
    quoting: dict[str, list[int]] = {}
    by_change: dict[int, set[tuple[int, int]]] = {}
    for space, pairs in withheld.items():
        for message, change in pairs:
            memory_ids = tx.memories.made_from(owner, space, message)
            by_change.setdefault(change, set()).update((owner, id_) for id_ in memory_ids)
    for memory, change in changes.items():
        messages = sources.get(memory, ())
        derived = {row for space, message in messages for row in tx.memories.all_made_from(space, message)}
        derived |= by_change.get(change, set())
        for holder in sorted({holder for holder, _ in derived}):
            ids = sorted(id_ for row_owner, id_ in derived if row_owner == holder and id_ not in gone)
            for sibling in tx.memories.get_many(holder, ids).values():
                quote = MentionIndex([(0, sibling.excerpt or "")])
                if not any(quote.of(form.content) for form in forms[memory]):
                    continue
                if holder == owner:
                    persist.unquote(tx, sibling)
                else:
                    quoting.setdefault(str(holder), []).append(sibling.id)
    return {_QUOTES: quoting} if quoting else {}


def untold_from_now(
    tx: Tx, turn: Turn, space: int, person: int, role: Role, text: str, *, given: Iterable[int] = ()
) -> int:
    """The change because of which a message that is recorded now is told nobody; 0: there is none.

    Its person asks that it be not remembered, or it answers such a message. Or it says what was forgotten: an answer
    of the turn that had it forgotten, or what was written or asked before, and comes only now; or it is the order to
    forget it once more, or the answer to that.

    Args:
        given: The ids of the memories that an answer was given: others may have had them forgotten meanwhile.
    """
    said = text if role == "user" else turn.text or ""
    if is_off_record(said):
        return tx.next_id("change")  # that nothing takes back
    of_turn = role == "assistant" and has_forgotten(tx, turn, (person, space))
    written = tx.now if turn.time is None else turn.time
    is_late = tx.now - written > _PROMPTLY
    is_order = orders_forgetting(said)
    if not (of_turn or is_late or is_order):
        return 0
    forgotten = [*list_forgotten(tx, person, space), *(_forgotten_meanwhile(tx, space, {*given}) if is_late else ())]
    gone = [
        tx.forgotten_values.find_in(owner, text) for owner in (person, space, *_members_who_forgot(tx, space, given))
    ]
    is_of_forgetting = of_turn or is_order
    if any(at is not None and (is_of_forgetting or written < at.replace(microsecond=0)) for at in gone):
        return tx.next_id("change")
    # Platforms tell the second.
    late_for = [row for row in forgotten if is_of_forgetting or written < row.at.replace(microsecond=0)]
    if not late_for:  # as nearly always, and the text is read in vain
        return 0
    sayings = MentionIndex([(0, text)])
    return next(
        (
            row.change
            for row in late_for
            if any(sayings.of(form.content, loosely=role == "user") for form in forgotten_forms(tx, row))
        ),
        0,
    )


def _members_who_forgot(tx: Tx, space: int, memory_ids: Iterable[int]) -> list[int]:
    wanted = {*memory_ids}
    return tx.audit.members_who_forgot(space, wanted) if wanted else []


def _forgotten_meanwhile(tx: Tx, space: int, memory_ids: Collection[int]) -> list[Forgotten]:
    """Which of the memories that an answer was given are forgotten by now, by whomever."""
    owners = [space, *_members_who_forgot(tx, space, memory_ids)] if memory_ids else []
    return [row for owner in owners for row in tx.audit.list_forgotten(owner) if row.memory.id in memory_ids]


def lift(tx: Tx, space: int, change: int) -> None:
    """Tell again what a change that was taken back withholds, but for what says something else that is forgotten."""
    messages = tx.messages.list_withheld(space, change)
    others_by_message: dict[int, int] = {}
    for person in {message.person for message in messages}:
        own = [message for message in messages if message.person == person]
        # What others were answered may tell of this person, too.
        answers = [message for message in messages if message.person != person and message.role == "assistant"]
        talk = Talk(tx, space, person, own, answers, names_of(tx, space, person))
        for row in list_forgotten(tx, person, space):
            if row.change != change:
                saying = talk.saying(row.memory, forgotten_forms(tx, row), tx.memories.sources_of(row.memory))
                others_by_message |= dict.fromkeys(saying, row.change)
    tx.messages.release(space, [message.id for message in messages], change, others_by_message)
    for memory in tx.memories.list_withheld(space, change):
        changes = (tx.messages.withholding(space, message) for message in memory.messages)
        persist.withhold(tx, memory, next(filter(None, changes), 0))


def leave_lifting(
    tx: Tx, owner: int, person: int, memories: Collection[StoredMemory], change: int, *, everywhere: bool
) -> None:
    """Have everything that a change withholds told again; what is not among the owner's rows follows in `LIFTING`."""
    lift(tx, owner, change)
    # From their direct chat, a person may have had forgotten what is seen elsewhere.
    # Where there is none: the person, whose rows hold no message.
    direct = direct_chat(tx, person) or person
    said_in = {space for memory in memories for space, _ in tx.memories.sources_of(memory)}
    seen = _all_spaces(tx, person) if everywhere else set[int]()
    places = {direct, *said_in, *seen, *chain.from_iterable(_places(tx, person, memory) for memory in memories)}
    spaces = [space for space in sorted(places - {owner}) if _withholds(tx, space, change)]
    if spaces:
        tx.tasks.add_follow_up(owner, LIFT, {"spaces": spaces, "change": change}, WAIT)


def _withholds(tx: Tx, space: int, change: int) -> bool:
    return bool(tx.messages.list_withheld(space, change) or tx.memories.list_withheld(space, change))


def _places(tx: Tx, person: int, memory: StoredMemory) -> set[int]:
    """The spaces where a memory is seen, or was before it was closed to another place."""
    trail = tx.audit.history(memory.owner, memory.id) if memory.version > 1 else []
    spaces = {memory.space, *(event.before.space for event in trail if event.before is not None)}
    return (spaces | _all_spaces(tx, person) if EVERYWHERE in spaces else spaces) - {EVERYWHERE}


def _all_spaces(tx: Tx, person: int) -> set[int]:
    return {*tx.members.spaces_of(tx.owners.get(person).platform, person)}


def _spaces(tx: Tx, task: Task) -> Sequence[int]:
    return sorted(filter(tx.owners.exists, map(int, task.payload["spaces"])))


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    owners = waiting_owners(task) | {*map(int, task.payload.get(_QUOTES, ()))}
    return sorted({*_spaces(tx, task), *filter(tx.owners.exists, owners)})


def _withhold_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    if not tx.tasks.is_open(task, holding=owner):  # somebody else ended it, and it may have been taken back since
        return {}
    for message, change in task.payload["spaces"].get(str(owner), ()):
        withhold_message(tx, owner, message, change)
    for id_ in task.payload.get(_QUOTES, {}).get(str(owner), ()):
        if (memory := tx.memories.get(owner, id_)) is not None:
            persist.unquote(tx, memory)
    close(tx, task, owner)
    return {}


def _end(tx: Tx, task: Task) -> Mapping[str, int]:
    """Remove what is forgotten, now that nothing tells it any more."""
    if not tx.tasks.end(task):
        return {}
    removed: dict[int, int] = dict(task.payload.get("removed", ()))
    for memory in tx.memories.get_many(task.owner, removed).values():
        if memory.withheld == -removed[memory.id]:
            tx.memories.delete(memory)
            if not tx.settings.undo_hours:
                tx.memories.take_sources(memory)
    if "older" in task.payload:
        _look_further(tx, task.owner, task.payload["older"])
    return {}


def withhold_message(tx: Tx, space: int, message: int, change: int) -> None:
    """Have a message told nobody, and the episodes that were made from it."""
    tx.messages.withhold(space, message, change)
    for memory in tx.memories.get_many(space, tx.memories.made_from(space, space, message)).values():
        if memory.kind == "episode" and not memory.withheld:
            persist.withhold(tx, memory, change)


def _lift_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    if tx.tasks.is_open(task, holding=space):  # what is read there now stays until it is told
        lift(tx, space, task.payload["change"])
    return {}


WITHHOLDING = Spread(_owners, _withhold_in, _end)
LIFTING = Spread(_spaces, _lift_in, end)
