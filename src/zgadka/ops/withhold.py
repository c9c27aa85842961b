"""Forgetting reaches what was said: messages that say what a person had forgotten are told nobody any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from zgadka.model.memory import EVERYWHERE, StoredMemory
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import direct_chat, find_space, speaker_of
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Forgotten
from zgadka.stores.tx.messages import PersonsMessage, WithheldMessage
from zgadka.text.value_mentions import MentionIndex

_SAME = ("correction", "refinement", "merged")
"""The reasons of changes after which a memory stands for what it was before, too."""

WITHHOLD = "withhold"
LIFT = "lift"

_LOOKED_THROUGH = 2000
"""So many of a person's newest messages in a space, and of the answers to them, are looked through."""
_IN_ALL = 10_000
_MOST = 200
"""So many messages of a space are withheld at most because of one memory: the newest."""
_ANSWERED = timedelta(hours=1)
"""For so long the answer of a turn that had something forgotten may be recorded."""


def remove(tx: Tx, turn: Turn, memories: Sequence[StoredMemory], *, reason: str) -> int:
    """Delete memories as their person wishes; returns how many messages that say them are told nobody any more."""
    count = 0
    for owner in dict.fromkeys(memory.owner for memory in memories):
        changes = {memory: tx.next_id("change") for memory in memories if memory.owner == owner}
        count += withhold(tx, turn, owner, changes)
        for memory, change in changes.items():
            persist.remove(tx, memory, "deleted", actor=turn.user_key, reason=reason, change=change)
    return count


def withhold(tx: Tx, turn: Turn, owner: int, changes: Mapping[StoredMemory, int], *, everywhere: bool = False) -> int:
    """Have messages told nobody that say what a person has forgotten; returns how many.

    They are the person's own, the answers to them, and the answers to others that name the person, in the turn's space
    and where the memories were seen. It follows in `WITHHOLDING`, before anybody is answered.

    Args:
        owner: Whose rows the transaction changes: the person, or the space, whose memories the speaker has forgotten.
        changes: What is forgotten, and in which change.
        everywhere: Whether to look in all of the person's spaces.
    """
    if turn.turn is not None:
        tx.limits.once(owner, _span(turn), _ANSWERED)
    person = owner if tx.owners.get(owner).kind == "person" else speaker_of(tx, turn)
    spaces = {find_space(tx, turn), *(_all_spaces(tx, person) if everywhere else ())}
    return withhold_in(tx, person, owner, spaces, changes)


def withhold_in(tx: Tx, person: int, owner: int, spaces: Collection[int], changes: Mapping[StoredMemory, int]) -> int:
    """The same in these spaces, and where the memories were seen."""
    places = sorted({*spaces, *_places(tx, person, changes)})
    limit = min(_LOOKED_THROUGH, _IN_ALL // max(1, len(places)))
    forms = {memory: _forms(tx, owner, memory) for memory in changes}
    by_space: dict[int, list[tuple[int, int]]] = {}
    for space in places:
        messages = tx.messages.list_with_person(space, person, limit)
        sayings, own = _index_of(messages), _written(messages)
        names = tx.members.names(space, {person}).get(person, ())
        answers = tx.messages.list_answers_to_others(space, person, limit) if names else []
        retellings = _index_of(answers)
        naming = set[int]().union(*(retellings.of(name) for name in names))
        visible = {message.id for message in (*messages, *answers) if not message.is_withheld}
        for memory, change in changes.items():
            if space in spaces or memory.space in (space, EVERYWHERE):
                saying = set[int]()
                for form in forms[memory]:
                    saying |= _matching(form, sayings, own) | (_matching(form, retellings, ()) & naming)
                saying = sorted(visible & saying, reverse=True)[:_MOST]
                by_space.setdefault(space, []).extend((message, change) for message in saying)
                visible -= set(saying)
    withheld = {str(space): messages for space, messages in by_space.items() if messages}
    if withheld:
        tx.tasks.add_follow_up(owner, WITHHOLD, {"spaces": withheld}, WAIT)
    return sum(map(len, withheld.values()))


def repeated(tx: Tx, turn: Turn, space: int, person: int, text: str) -> int:
    """The change because of which an answer is told nobody: its turn had forgotten what it says; 0: there is none."""
    if turn.turn is None or not any(tx.limits.is_done(owner, _span(turn)) for owner in (person, space)):
        return 0
    sayings = MentionIndex([(0, text)])
    forgotten = _forgotten(tx, person, space)
    return next((event.change for event in forgotten if _matching(event.memory, sayings, {0})), 0)


def lift(tx: Tx, space: int, change: int) -> None:
    """Tell again what a change that was taken back withholds, but for what says something else that is forgotten."""
    messages = tx.messages.list_withheld(space, change)
    others_by_message: dict[int, int] = {}
    for person in {message.person for message in messages}:
        # What others were answered may tell of this person, too.
        related = [message for message in messages if message.person == person or message.role == "assistant"]
        sayings, own = _index_of(related), _written(related)
        for forgotten in _forgotten(tx, person, space):
            if forgotten.change != change:
                others_by_message |= dict.fromkeys(_matching(forgotten.memory, sayings, own), forgotten.change)
    tx.messages.release(space, messages, others_by_message)


def leave_lifting(
    tx: Tx, owner: int, person: int, memories: Collection[StoredMemory], change: int, *, everywhere: bool
) -> None:
    """Have everything that a change withholds told again; what is not among the owner's rows follows in `LIFTING`."""
    lift(tx, owner, change)
    # From their direct chat, a person may have had forgotten what is seen elsewhere.
    # Where there is none: the person, whose rows hold no message.
    direct = direct_chat(tx, person) or person
    places = {direct, *(_all_spaces(tx, person) if everywhere else _places(tx, person, memories))}
    spaces = [space for space in sorted(places - {owner}) if tx.messages.list_withheld(space, change)]
    if spaces:
        tx.tasks.add_follow_up(owner, LIFT, {"spaces": spaces, "change": change}, WAIT)


def _places(tx: Tx, person: int, memories: Iterable[StoredMemory]) -> set[int]:
    """The spaces where the memories were seen."""
    spaces = {memory.space for memory in memories}
    return (spaces | _all_spaces(tx, person) if EVERYWHERE in spaces else spaces) - {EVERYWHERE}


def _all_spaces(tx: Tx, person: int) -> set[int]:
    return {*tx.members.spaces_of(tx.owners.get(person).platform, person)}


def _index_of(messages: Iterable[PersonsMessage | WithheldMessage]) -> MentionIndex:
    return MentionIndex((message.id, message.text) for message in messages)


def _forms(tx: Tx, owner: int, memory: StoredMemory) -> list[StoredMemory]:
    """The memory as it is, and as it was before it was corrected, refined or merged, if it is this owner's."""
    forms = [memory]
    for event in tx.audit.history(owner, memory.id):
        if event.before is not None and event.reason in _SAME:
            forms.append(event.before)
        if event.reason == "merged" and event.change is not None:
            merged = tx.memories.get_many(owner, tx.audit.memories_of_change(owner, event.change))
            forms += [form for form in merged.values() if form.id != memory.id]
    return forms


def _written(messages: Iterable[PersonsMessage | WithheldMessage]) -> set[int]:
    """Those of the messages that people wrote themselves."""
    return {message.id for message in messages if message.role == "user"}


def _matching(memory: StoredMemory, sayings: MentionIndex, own: Collection[int]) -> set[int]:
    """The messages that say a memory: its value stands in them, or they are what it was taken from.

    Args:
        own: Those that people wrote themselves; nothing was taken from others.
    """
    if memory.kind == "episode":
        return set()
    quoting = set[int]() if memory.excerpt is None else sayings.quoted(memory.excerpt).intersection(own)
    return sayings.of(memory.content) | quoting


def _forgotten(tx: Tx, person: int, space: int) -> list[Forgotten]:
    """What the person had forgotten of theirs and of the space's, as long as it can be taken back."""
    name = tx.owners.get(person).name
    return [*tx.audit.list_forgotten(person), *(row for row in tx.audit.list_forgotten(space) if row.actor == name)]


def _span(turn: Turn) -> str:
    return f"forgot:{len(turn.chat)}:{turn.chat}:{turn.turn}"


def _spaces(tx: Tx, task: Task) -> Sequence[int]:
    return sorted(map(int, task.payload["spaces"]))


def _withhold_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    if tx.tasks.is_open(task):  # else somebody else ended it, and it may have been taken back since
        for message, change in task.payload["spaces"][str(space)]:
            tx.messages.withhold(space, message, change)
    return {}


def _lift_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    lift(tx, space, task.payload["change"])
    return {}


WITHHOLDING = Spread(_spaces, _withhold_in, end)
LIFTING = Spread(_spaces, _lift_in, end)
