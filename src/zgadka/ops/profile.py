"""Everything about one person: clear it, set how much of it there may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.model.memory import AUTOMATIC, StoredMemory
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import persist, withhold
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    find_space,
    is_invisible,
    is_remembered,
    note_level_in,
    privacy_of,
    speaker_of,
    speaker_privacy,
    speaker_scope,
)
from zgadka.ops.auto_episodes import without
from zgadka.ops.belongings import Belongings, mine, mine_in, owners_with
from zgadka.ops.forget import Answer, answer_about
from zgadka.ops.forgotten import list_forgotten
from zgadka.ops.former_names import called, names_of
from zgadka.ops.hearsay import follow_author
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.retelling import Retold, retold_to_others
from zgadka.ops.sources import note_answers_about
from zgadka.stores.tx import Tx
from zgadka.text.value_mentions import MentionIndex, identifies

CLEAR = "clear"
HIDE = "hide"
WITHHELD = "withheld"
"""As what messages are counted that are told nobody any more."""
EVERYTHING = (
    "everything all memories data profile know remember все всі усе дані профіль знаєш памятаєш всё данные знаешь"
)
"""What the order to clear or to erase a profile speaks of."""
AT_ONCE = 30
"""So many of a person's own memories are cleared with the agreement: in some 20 milliseconds."""
SLICE = 5
"""Of more, so many in one transaction, between which others write."""
TAKEN_OUT = ("participant left", "hidden by whom it names")
"""The reasons by which the trail tells that somebody is in an episode no longer, and that a note which names them is
hidden."""
PROFILE = 0
"""The memory id under which the question about a whole profile stands."""


@dataclass(frozen=True)
class Clearing:
    """What clearing a profile has come to.

    Attributes:
        answer: `agreed`: everything is gone, and `undo` of any of the memories brings all back within the window;
            `refused`: everything is kept; else the person must agree in a later message.
        withheld: How many messages that said it are told nobody any more, so far: of a large profile, most of it
            follows in `CLEARING`, which counts them as `withheld`.
    """

    profile: Belongings
    answer: Answer
    withheld: int = 0


@dataclass(frozen=True)
class Look:
    """The speaker's profile as it is seen here, looked up while others write.

    Attributes:
        mark: What tells this state of it from any other.
        revisions: Of the rows of each owner that it was in.
    """

    profile: Belongings
    mark: str
    revisions: Mapping[int, int]

    def is_current(self, tx: Tx, person: int) -> bool:
        """Whether a look would find the same now."""
        if any(memory.withheld < 0 for memory in self.profile.all):  # it may be gone
            return False
        return self.revisions == {owner: tx.revision(owner, "memory") for owner in owners_with(tx, person)}


def look_at_profile(tx: Tx, turn: Turn) -> Look:
    """Look up what of the speaker's `clear_profile` would remove in this turn."""
    profile = _seen_here(tx, turn, mine(tx, turn, "clear"))
    mark = str(sorted((memory.id, memory.version) for memory in profile.all))
    revisions = {owner: tx.revision(owner, "memory") for owner in owners_with(tx, speaker_of(tx, turn))}
    return Look(profile, mark, revisions)


def clear_profile(tx: Tx, turn: Turn, reason: str) -> Clearing | None:
    """Remove everything about the speaker that is seen here, once they agreed in a later message.

    In their direct chat that is everything. None when there is nothing.
    """
    look, person = tx.looked, speaker_of(tx, turn)
    if not (isinstance(look, Look) and look.is_current(tx, person)):
        look = look_at_profile(tx, turn)
    if not look.profile.all:
        return None
    # What is remembered after the question needs another one.
    answer = answer_about(tx, turn, PROFILE, look.mark, EVERYTHING).answer
    withheld = _clear(tx, turn, person, look.profile, reason) if answer == "agreed" else 0
    return Clearing(look.profile, answer, withheld)


def _seen_here(tx: Tx, turn: Turn, profile: Belongings) -> Belongings:
    """What of it the turn may see; archived memories too."""
    if turn.direct:
        return profile
    scopes = speaker_scope(tx, turn), communal_scope(tx, turn)

    def is_seen(memory: StoredMemory) -> bool:
        return any(memory.owner == scope.owner and scope.sees(memory) for scope in scopes)

    return Belongings(tuple(filter(is_seen, profile.own)), tuple(filter(is_seen, profile.shared)))


def set_privacy(tx: Tx, turn: Turn, level: PrivacyLevel, *, here: bool = False) -> None:
    """Keep the privacy level that the speaker sets for themselves; but for the lowest, they are quoted no more.

    A lower one than before is the lower one everywhere; a higher one leaves what is stricter somewhere.

    Args:
        here: Whether it is raised in this space alone.
    """
    person = ensure_speaker(tx, turn)
    if here:
        raise_in(tx, ensure_space(tx, turn), person, level, actor=turn.user_key)
        return
    lowers = level < privacy_of(tx, person) or level is PrivacyLevel.MINIMAL
    tx.privacy.put(person, level)
    if level is not PrivacyLevel.MINIMAL:
        tx.answers.forget_bodies()
    if level is PrivacyLevel.FULL:
        tx.limits.end_rests(person)
    tx.wishes.note_level(turn.platform, turn.user_key, level)
    tx.audit.add(person, 0, "privacy", actor=turn.user_key, reason=level.name)
    tx.tasks.add_follow_up(person, HIDE, {"lowers": lowers}, WAIT)


def raise_in(tx: Tx, space: int, person: int, level: PrivacyLevel, *, actor: str) -> None:
    """Keep the level that a person raises in a space alone, there and as a wish, and follow it."""
    tx.members.raise_level(space, person, level)
    tx.answers.forget_bodies()
    note_level_in(tx, person, space)
    tx.audit.add(space, 0, "privacy", actor=actor, reason=level.name)
    _follow_level(tx, space, person, level)
    tx.tasks.add_follow_up(person, HIDE, {"lowers": False}, WAIT)  # what they said there of others


def _with_level(tx: Tx, task: Task) -> Sequence[int | Retold]:
    person = task.owner
    spaces = {*tx.members.spaces_of(tx.owners.get(person).platform, person), *owners_with(tx, person)} - {person}
    # Those of waiting stretches too: an episode that is being made just now is not to be seen yet.
    spaces |= {*tx.segments.spaces_with_person(person)}
    # Of whom they spoke, last: what is told of these goes by the levels that the spaces know.
    owners = [*sorted(spaces), *sorted({*tx.memories.owners_spoken_of(person)} - spaces)]
    unheard = {space: names_of(tx, space, person) for space in owners if is_invisible(tx, person, space)}
    return [*owners, *retold_to_others(tx, person, unheard)]


def _hide_in(tx: Tx, task: Task, space: int | Retold) -> Mapping[str, int]:
    """Let a space know the person's level; what was told of it by itself is told without who does not want that.

    Of another person's rows, what they said of them is told or not.
    """
    if isinstance(space, Retold):
        for answer in tx.messages.authors(space.space, space.answers):
            tx.messages.add_subject(space.space, answer, task.owner, "said")
        tx.derived.renew_revisions(space.space)
        return {}
    if tx.owners.get(space).kind == "person":
        follow_author(tx, space, task.owner)
        return {}
    level = privacy_of(tx, task.owner)
    if task.payload.get("lowers"):
        tx.members.set_level(space, task.owner, level)
        person, place = tx.owners.get(task.owner), tx.owners.get(space)
        if place.kind == "space":
            tx.wishes.lower_in(person.platform, person.name, tx.moving.names(place), level)
    else:
        tx.members.raise_level(space, task.owner, level)
    _follow_level(tx, space, task.owner, privacy_of(tx, task.owner, space))
    follow_author(tx, space, task.owner)
    return {}


def _follow_level(tx: Tx, space: int, person: int, level: PrivacyLevel) -> None:
    """Tell without the person what was told of a space by itself, where they do not want to be in it."""
    tx.derived.renew_revisions(space)
    if tx.owners.get(space).kind != "space" or level is PrivacyLevel.MINIMAL:
        return
    tx.segments.forbid_quotes(space, person)  # first: from here on, nobody else changes the space
    note_answers_about(tx, space, person)
    made_alone = [memory for memory in tx.memories.list_with_person(space, person) if AUTOMATIC in memory.tags]
    take_out(tx, made_alone, person, actor=tx.owners.get(person).name, change=None)


HIDING = Spread(_with_level, _hide_in, end)


def privacy(tx: Tx, turn: Turn) -> PrivacyLevel:
    """The speaker's privacy level here."""
    return speaker_privacy(tx, turn)


def _clear(tx: Tx, turn: Turn, person: int, profile: Belongings, reason: str) -> int:
    """Remove the person's own memories; messages follow in `WITHHOLDING`, and of a large profile all in `CLEARING`."""
    tx.questions.delete_all(person)
    tx.limits.end_rests(person)
    tx.forgotten_values.add_everything(person, None if turn.direct else find_space(tx, turn))
    change = tx.next_id("change")
    own = [memory for memory in profile.own if memory.owner == person]
    elsewhere = [memory for memory in profile.own if memory.owner != person]
    changes = dict.fromkeys((own if len(own) <= AT_ONCE else []) + elsewhere, change)
    removal = withhold.Removal("cleared", turn.user_key, reason)
    withheld = withhold.withhold(tx, turn, person, changes, everywhere=turn.direct, removal=removal) if changes else 0
    tx.tasks.add_follow_up(person, CLEAR, {"turn": turn.as_json(), "reason": reason, "change": change}, WAIT)
    return withheld


def _parts(tx: Tx, task: Task) -> Sequence[withhold.Slice | int]:
    """What is left of the person's own memories, a slice at a time, and the other owners."""
    turn = Turn.from_json(task.payload["turn"])
    change: int = task.payload["change"]
    changes = dict.fromkeys(_left_of(tx, task, turn), change)
    return [*withhold.slices(tx, turn, task.owner, changes, SLICE, everywhere=turn.direct), *_owners(tx, task)]


def _left_of(tx: Tx, task: Task, turn: Turn) -> Sequence[StoredMemory]:
    """The person's own memories that are still to be cleared: what came since was not asked about."""
    own = [memory for memory in tx.memories.list_all(task.owner) if _is_to_go(task, memory)]
    return _seen_here(tx, turn, Belongings(tuple(own), ())).own if own else ()


def _is_to_go(task: Task, memory: StoredMemory) -> bool:
    return memory.withheld >= 0 and memory.created_at <= task.created_at


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    turn = Turn.from_json(task.payload["turn"])
    waiting = tx.tasks.spaces_about(turn.platform, task.owner, turn.user_number)
    in_line = (*tx.observations.spaces_with_person(task.owner), *tx.segments.spaces_with_person(task.owner))
    owners = {*owners_with(tx, task.owner), *waiting, *in_line} - {task.owner}
    return sorted(owners if turn.direct else owners & {find_space(tx, turn)})


def _clear_part(tx: Tx, task: Task, part: withhold.Slice | int) -> Mapping[str, int]:
    return _clear_in(tx, task, part) if isinstance(part, int) else _clear_slice(tx, task, part)


def _clear_slice(tx: Tx, task: Task, part: withhold.Slice) -> Mapping[str, int]:
    """Remove some of the person's own memories; messages follow in `WITHHOLDING`."""
    if not tx.tasks.is_open(task):  # somebody else ended it, and it may have been taken back since
        return {}
    tx.turn = turn = Turn.from_json(task.payload["turn"])
    memories = tx.memories.get_many(task.owner, part.versions).values()
    changes = {memory: task.payload["change"] for memory in memories if _is_to_go(task, memory)}
    removal = withhold.Removal("cleared", turn.user_key, task.payload["reason"])
    count = withhold.withhold(tx, turn, task.owner, changes, everywhere=turn.direct, removal=removal, looked=part)
    return {WITHHELD: count}


def _clear_in(tx: Tx, task: Task, space: int) -> Mapping[str, int]:
    """Remove what a space holds of the person, and what they said before and must not come true after."""
    tx.turn = turn = Turn.from_json(task.payload["turn"])
    reason, change = task.payload["reason"], task.payload["change"]
    tx.tasks.delete_about(space, task.owner, turn.user_number, until=task.created_at)
    tx.observations.delete_of_person(space, task.owner, until=task.created_at)
    tx.segments.forbid_quotes(space, task.owner)
    if not tx.tasks.is_open(task):  # somebody else ended it, and it may have been taken back since
        return {}
    profile = _seen_here(tx, turn, mine_in(tx, space, task.owner, "clear"))
    for memory in profile.own:
        if memory.created_at <= task.created_at:  # what came since was not asked about
            persist.remove(tx, memory, "cleared", actor=turn.user_key, reason=reason, change=change)
    shared = [memory for memory in profile.shared if memory.created_at <= task.created_at]
    take_out(tx, shared, task.owner, actor=turn.user_key, change=change)
    return {}


CLEARING = Spread(_parts, _clear_part, end)


def take_out(tx: Tx, memories: Sequence[StoredMemory], person: int, *, actor: str, change: int | None) -> None:
    """Take a person out of episodes with others; hide those that tell of them all the same, and notes that name them.

    Args:
        memories: Of one owner.
    """
    of_them = _telling_of(tx, memories, person)
    for memory in memories:
        reason = TAKEN_OUT[memory.kind == "note"]
        if memory.kind == "note" or memory.id in of_them:
            remaining = replace(memory, withheld=tx.next_id("change") if change is None else change)
        else:
            remaining = without(tx, memory, person)
        if remaining is None or persist.holder(tx, remaining) is not None:
            persist.remove(tx, memory, "cleared", actor=actor, reason=reason, change=change)
        else:
            persist.put(tx, memory, remaining, "cleared", actor=actor, reason=reason, change=change)


def _telling_of(tx: Tx, memories: Sequence[StoredMemory], person: int) -> set[int]:
    """Those of an owner's episodes that would still tell of a person who is no longer in them."""
    written = [memory for memory in memories if memory.kind == "episode" and AUTOMATIC not in memory.tags]
    if not written:
        return set()
    space = written[0].owner
    if not is_remembered(tx, person, space):  # told to nobody because of them
        return {memory.id for memory in written}
    gone = (row.memory for row in list_forgotten(tx, person, space))
    values = {memory.content for memory in gone if memory.kind in ("fact", "note")}
    return telling(written, called(tx, space, person), values.union(tx.memories.list_values(person).values()))


def telling(memories: Iterable[StoredMemory], names: Iterable[str], values: Iterable[str]) -> set[int]:
    """Those of the memories that name somebody, in any form of a name, or say what was remembered of them.

    Automatic ones are told anew without the person's words.
    """
    index = MentionIndex((memory.id, memory.searchable) for memory in memories if AUTOMATIC not in memory.tags)
    return set[int]().union(*map(index.naming, names), *map(index.of, filter(identifies, values)))
