"""Forgetting reaches what was said: what says what a person had forgotten is told nobody any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any

from zgadka.model.memory import EVERYWHERE, Action, Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import likings, persist
from zgadka.ops.access import communal_scope, direct_chat, find_space, speaker_of
from zgadka.ops.close_waiting import close, spaces_waiting, waiting_owners, waiting_with
from zgadka.ops.contradictions import facts_said_by, notes_saying
from zgadka.ops.derived import hold_again
from zgadka.ops.fact_time import past_values
from zgadka.ops.forgotten import Talk, forgotten_forms, forms_of, list_forgotten, note_turn
from zgadka.ops.former_names import names_of
from zgadka.ops.hearsay import aside_of
from zgadka.ops.merges import parts_of
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.sources import Source, quoting, repeats
from zgadka.stores.row_mapping import dump, load
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.text.mere_mentions import retold, speaks_of
from zgadka.text.value_mentions import MentionIndex, identifies

WITHHOLD = "withhold"
LIFT = "lift"

_LOOKED_THROUGH = 2000
"""So many of a person's newest messages in a space, and of the answers to others, are looked through at a time."""
_IN_ALL = 10_000
_ALL = 2**53
_QUOTES, _OLDER, _EPISODES = "quotes", "older", "episodes"
AT_ONCE = 200
"""So many messages are withheld before anybody is answered; the rest follows as tasks."""

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


def remove(
    tx: Tx, turn: Turn, memories: Sequence[StoredMemory], *, reason: str, with_past: Collection[StoredMemory] = ()
) -> int:
    """Delete memories as their person wishes; returns how many messages that say them are told nobody any more.

    Args:
        with_past: Those of them with which goes, in the other places where the same is remembered, what held before.
    """
    count, removal = 0, Removal("deleted", turn.user_key, reason)
    for owner in dict.fromkeys(memory.owner for memory in memories):
        changes = {memory: tx.next_id("change") for memory in memories if memory.owner == owner}
        # The same in other places or at other times, and what was merged into one or gave way, go and come back too.
        for memory, change in [*changes.items()]:
            same = same_elsewhere(tx, memory)
            past = past_elsewhere(tx, memory, same) if memory in with_past else []
            changes |= dict.fromkeys((*same, *past, *aside_of(tx, memory, *same, *past)), change)
        changes |= {part: change for whole, change in [*changes.items()] for part in parts_of(tx, whole)}
        count += withhold(tx, turn, owner, changes, removal=removal)
        go_on(tx, changes, actor=turn.user_key)
    return count


def go_on(tx: Tx, changes: Mapping[StoredMemory, int], *, actor: str) -> None:
    """Let likings hold again that were past only since what is forgotten in these changes was said."""
    gone = [memory.id for memory in changes]
    for memory, change in changes.items():
        if likings.is_liking(memory):
            hold_again(tx, memory, but=gone, actor=actor, change=change)


def same_elsewhere(tx: Tx, memory: StoredMemory) -> list[StoredMemory]:
    """What says the same of its person, in whatever place that is seen: what they want forgotten is told in none.

    Of a fact also short notes that say it, of such a note the facts. Of what holds now, also what says that it held
    before; that alone says less. Where what asks is bound to a space, only what is seen there.
    """
    if memory.kind not in ("fact", "note") or memory.owner == memory.space:
        return []
    here = Scope(memory.owner, memory.space, memory.lineage, audiences=None)
    rows: dict[int, StoredMemory] = {}
    noted: dict[int, StoredMemory] = {}
    others = () if tx.is_bound else tx.memories.spaces_of(here)
    for space in sorted({memory.space, *others}):
        place = replaced(here, space=space)
        key = memory.key
        known = tx.memories.list_of_kind(place, "note") if key is None else tx.memories.list_with_key(place, key)
        rows |= {row.id: row for row in known if row.canonical == memory.canonical and row.id != memory.id}
        if key is None:
            facts = tx.memories.list_of_kind(place, "fact")
            saying = facts_said_by(memory, [fact for fact in facts if persist.holds(fact, tx.now)])
        else:
            saying = notes_saying(memory, tx.memories.list_of_kind(place, "note"))
        noted |= {row.id: row for row in saying}
    times = (memory.valid_from, memory.valid_to)
    is_meant = persist.holds(memory, tx.now)
    same = (row for row in rows.values() if is_meant or (row.valid_from, row.valid_to) == times)
    same = [row for row in same if persist.are_compatible(row.type, memory.type)]
    return [*same, *(noted.values() if is_meant else ())]


def past_elsewhere(tx: Tx, memory: StoredMemory, same: Iterable[StoredMemory]) -> list[StoredMemory]:
    """What held before a fact in the places where the same is remembered."""
    places = [Scope(row.owner, row.space, row.lineage, audiences=(row.audience,)) for row in same]
    return [row for place in places for row in past_values(tx, place, memory)]


@dataclass(frozen=True)
class Slice:
    """Some of a person's memories that are to be removed, and what a look that only read found of what says them.

    Attributes:
        reach: Where these and others may have been said.
        versions: Of the memories, by id: where one has been changed since, all is looked for again.
        newest: By space, up to which messages it looked; where there are newer ones, the same.
        saying: By space, the messages that say one of the memories, each with the id of that.
        older: What is left to look through for a worker; with the first slice, of all the memories.
    """

    reach: _Reach
    versions: Mapping[int, int]
    newest: Mapping[int, Sequence[int]]
    saying: Mapping[int, Sequence[tuple[int, int]]]
    older: Sequence[Mapping[str, Any]]

    def is_of(self, memories: Iterable[StoredMemory]) -> bool:
        """Whether the memories are as they were then."""
        return all(self.versions.get(memory.id) == memory.version for memory in memories)

    def knows(self, tx: Tx, look: _Look) -> bool:
        """Whether a look for these memories would find the same: nothing was said since."""
        return self.newest.get(look.space) == look.newest(tx)


def slices(
    tx: Tx, turn: Turn, person: int, changes: Mapping[StoredMemory, int], size: int, *, everywhere: bool
) -> list[Slice]:
    """The person's memories that are to be removed, so many at a time, with what says them; nothing is changed.

    For `withhold`, which looks through what was said while nobody else can write.
    """
    reach = _Reach(tx, person, person, _told_in(tx, turn, person, everywhere=everywhere), changes)
    newest: dict[int, Sequence[int]] = {}
    saying: dict[int, Sequence[tuple[int, int]]] = {}
    older: list[Mapping[str, Any]] = []
    for look in reach.looks(own_words=True):
        newest[look.space] = look.newest(tx)
        saying[look.space] = look.through(tx, reach.forms_in(look.space), reach.sources)
        older += look.rest(changes, reach.forms_in(look.space))
    result: list[Slice] = []
    for start in range(0, len(changes), size):
        versions = {memory.id: memory.version for memory in [*changes][start : start + size]}
        of_slice = {space: [pair for pair in pairs if pair[1] in versions] for space, pairs in saying.items()}
        result.append(Slice(reach, versions, newest, of_slice, () if start else older))
    return result


def withhold(
    tx: Tx,
    turn: Turn,
    owner: int,
    changes: Mapping[StoredMemory, int],
    *,
    everywhere: bool = False,
    removal: Removal | None = None,
    looked: Slice | None = None,
) -> int:
    """Have told nobody what says what a person has forgotten; returns how many messages that the turn may know of.

    These are what it was made from, the person's own messages and the answers to them that say it, and the answers to
    others that were given it or name the person, in the turn's space and where the memories were seen; with the
    episodes made from any of these, and what waits for an answer or a worker and says it. It follows in `WITHHOLDING`,
    before anybody is answered.

    Args:
        owner: Whose rows the transaction changes: the person, or the space, whose memories the speaker has forgotten.
        changes: What is forgotten, and in which change.
        everywhere: Whether to look in all of the person's spaces.
        removal: Why the owner's memories are removed as well. None: they are not.
        looked: What a look for these memories has found, where there was one.
    """
    note_turn(tx, turn, owner, changes)
    person = owner if tx.owners.get(owner).kind == "person" else speaker_of(tx, turn)
    spaces = _told_in(tx, turn, person, everywhere=everywhere)
    is_clearing = removal is not None and removal.action == "cleared"
    is_meant_elsewhere = owner == person and not (is_clearing or tx.is_bound)
    withheld = withhold_in(
        tx, person, owner, spaces, changes, removal=removal, looked=looked, waits_elsewhere=is_meant_elsewhere
    )
    return _count(tx, turn, withheld, is_clearing=is_clearing)


def _count(tx: Tx, turn: Turn, withheld: Withheld, *, is_clearing: bool) -> int:
    """How many of the messages all may see who read the turn, so that none learns what was said in another place.

    Args:
        is_clearing: Only what this turn may see is cleared, and the transaction keeps the space to nobody.
    """
    if turn.direct:
        return sum(map(len, withheld.values()))
    messages = [message for message, _ in withheld.get(find_space(tx, turn), ())]
    if is_clearing or not messages:
        return len(messages)
    here = communal_scope(tx, turn)
    audiences = tx.messages.audiences(here.space, messages)
    return sum(here.is_read_by(audiences.get(message, 0)) for message in messages)


def _told_in(tx: Tx, turn: Turn, person: int, *, everywhere: bool) -> set[int]:
    """Where a person's memories may have been told, wherever they were seen."""
    return {find_space(tx, turn), *(_all_spaces(tx, person) if everywhere else ())}


def withhold_in(
    tx: Tx,
    person: int,
    owner: int,
    spaces: Collection[int],
    changes: Mapping[StoredMemory, int],
    *,
    removal: Removal | None = None,
    own_words: bool = True,
    looked: Slice | None = None,
    message: Source | None = None,
    is_edited: bool = False,
    waits_elsewhere: bool = False,
) -> Withheld:
    """The same in these spaces, and where the memories were seen and what they were made from was said; the messages.

    Args:
        own_words: Whether the person's own messages and what they wait for are meant, and not only answers.
        message: Only what this one said goes: what the memories were before a change, and what said that, stays, and so
            does what said the same of another time that is known still.
        is_edited: Whether that message itself stays, as it says something else now.
        waits_elsewhere: Whether the spaces are meant, too, where something waits that says it.
    """
    older = [] if looked is None else [*looked.older]
    looked = looked if looked is not None and looked.is_of(changes) else None
    if looked is None:
        reach = _Reach(tx, person, owner, spaces, changes, message, is_edited=is_edited)
    else:
        reach = looked.reach.narrowed(changes)
    forms, sources = reach.forms, reach.sources
    every_form = [form for row in forms.values() for form in row]
    if waits_elsewhere:
        reach.spaces = {*reach.spaces, *spaces_waiting(tx, person, every_form)}
    withheld, by_id = Withheld(), {memory.id: change for memory, change in changes.items()}
    still = set[Source]() if message is None else _said_at_other_times(tx, changes) - {message}
    if own_words and tx.owners.get(owner).kind == "space":
        still |= _sources_of_own(tx, person, owner, changes)
    episodes: dict[str, list[tuple[int, int]]] = {}
    for look in reach.looks(own_words=own_words):
        told = _episodes_telling(tx, look.space, person, reach.forms_in(look.space)) if own_words else {}
        if told:
            episodes[str(look.space)] = [(id_, by_id[memory]) for id_, memory in told.items()]
        if looked is not None and looked.knows(tx, look):
            saying = looked.saying[look.space]
        else:
            seen_forms = reach.forms_in(look.space)
            saying = look.through(tx, seen_forms, sources)
            older += look.rest(changes, seen_forms)
        withheld[look.space] = [(said, by_id[memory]) for said, memory in saying if (look.space, said) not in still]
    for rest in older:
        _leave(tx, owner, {_OLDER: rest})
    gone = {memory: [source for source in row if source not in still] for memory, row in sources.items()}
    quoting = _unquote(tx, owner, changes, forms, gone, withheld)
    waiting = waiting_with(tx, person, every_form, withheld) if own_words else {}
    waiting |= {_EPISODES: episodes} if episodes else {}
    owned = {memory: change for memory, change in changes.items() if removal is not None and memory.owner == owner}
    is_left = _leave_withholding(tx, owner, withheld, waiting | quoting, owned)
    if removal is not None:
        for memory, change in owned.items():
            why = Why(actor=removal.actor, reason=removal.reason, change=change)
            is_told = memory.merged_into is None
            persist.remove(tx, memory, removal.action, is_told=is_told, stays_hidden=is_left, **why)
    return withheld


def _episodes_telling(
    tx: Tx, space: int, person: int, forms: Mapping[StoredMemory, Iterable[StoredMemory]]
) -> dict[int, int]:
    """The episodes with a person in them that tell what their memories say, each with the id of such a memory.

    Whatever messages they were made from; not of what they tell of somebody else in them alone. Those of the person's
    direct chat are theirs, and told nobody else.
    """
    if tx.owners.get(space).kind == "direct":
        return {}
    episodes = {
        row.id: row
        for row in tx.memories.list_with_person(space, person)
        if row.kind == "episode" and not (row.archived or row.withheld)
    }
    index = MentionIndex((row.id, row.searchable) for row in episodes.values())
    told: dict[int, int] = {}
    for memory, its_forms in forms.items() if episodes else ():
        if memory.kind != "episode":
            for value in {form.content for form in its_forms if identifies(form.content)}:
                telling = retold(index, value, index.numbers - told.keys())
                told |= {id_: memory.id for id_ in telling if not _is_of_others(tx, episodes[id_], person, value)}
    return told


def _is_of_others(tx: Tx, episode: StoredMemory, person: int, value: str) -> bool:
    """Whether an episode tells a value of others in it alone, whom it names."""
    others = [other for other in episode.people if other != person]
    names = [name for other in others for name in names_of(tx, episode.space, other) if identifies(name)]
    return bool(names) and speaks_of(episode.content, value, names, names_of(tx, episode.space, person))


def _said_at_other_times(tx: Tx, memories: Collection[StoredMemory]) -> set[Source]:
    """What values of other times come from that are the same as these, and stay."""
    rows: list[StoredMemory] = []
    gone = {memory.id for memory in memories}
    for memory in memories:
        place = Scope(memory.owner, memory.space, memory.lineage, audiences=None)
        known = [] if memory.key is None else tx.memories.list_with_key(place, memory.key)
        rows += [row for row in known if row.canonical == memory.canonical and row.id not in gone]
    return {source for row in rows for source in tx.memories.sources_of(row)}


def _sources_of_own(tx: Tx, person: int, space: int, notes: Iterable[StoredMemory]) -> set[Source]:
    """What a person's own facts come from that notes of a space say: nobody asked that these be told no more."""
    names = names_of(tx, space, person)
    own: list[StoredMemory] = []
    for note in notes:
        begun_with = [name for name in names if note.content.casefold().startswith(f"{name} ".casefold())]
        said = replaced(note, content=note.content[max(map(len, begun_with), default=-1) + 1 :])
        for place in (space, EVERYWHERE):
            facts = tx.memories.list_of_kind(Scope(person, place, note.lineage, audiences=None), "fact")
            own += facts_said_by(said, [fact for fact in facts if persist.holds(fact, tx.now)])
    return {source for fact in own for source in tx.memories.sources_of(fact)}


def withhold_answers(tx: Tx, owner: int, answers: Mapping[int, Iterable[int]], change: int) -> None:
    """Have answers told nobody, by space, that tell what fewer may be told by now; it follows in `WITHHOLDING`."""
    _leave_withholding(tx, owner, {space: [(id_, change) for id_ in ids] for space, ids in answers.items()}, {}, {})


def answers_telling(tx: Tx, space: int, memory: StoredMemory) -> set[int]:
    """The answers in a space that were given a memory and tell it."""
    given = tx.messages.get_many(space, tx.messages.answers_given(space, memory.id))
    answers = MentionIndex((id_, answer.text) for id_, answer in given.items())
    return repeats(tx, space, memory, answers, answers.numbers)


class _Reach:
    """Where memories may have been said, and in which forms.

    Args:
        spaces: Where all of them may, besides where each was seen, and what it was made from was said.
        message, is_edited: As in `withhold_in`.
    """

    def __init__(
        self,
        tx: Tx,
        person: int,
        owner: int,
        spaces: Collection[int],
        memories: Iterable[StoredMemory],
        message: Source | None = None,
        *,
        is_edited: bool = False,
    ) -> None:
        said = [] if message is None or is_edited else [message]
        self.sources = {memory: tx.memories.sources_of(memory) if message is None else said for memory in memories}
        self.forms = {memory: forms_of(tx, owner, memory) if message is None else [memory] for memory in self.sources}
        self._person, self.spaces = person, spaces
        self.seen = {memory: _places(tx, person, memory) for memory in self.sources}

    def narrowed(self, memories: Iterable[StoredMemory]) -> _Reach:
        """The same of some of the memories."""
        narrow = copy(self)
        narrow.sources = {memory: self.sources[memory] for memory in memories}
        narrow.forms = {memory: self.forms[memory] for memory in narrow.sources}
        narrow.seen = {memory: self.seen[memory] for memory in narrow.sources}
        return narrow

    def looks(self, *, own_words: bool) -> list[_Look]:
        """The looks through all that was said there, in order of the spaces' ids."""
        said_in = (space for row in self.sources.values() for space, _ in row)
        places = sorted({*self.spaces, *chain.from_iterable(self.seen.values()), *said_in})
        limit = max(1, min(_LOOKED_THROUGH, _IN_ALL // max(1, len(places))))
        return [_Look(space, self._person, limit, own_words=own_words) for space in places]

    def forms_in(self, space: int) -> dict[StoredMemory, list[StoredMemory]]:
        """The forms in which each memory may have been said in a space; none of what was never seen there."""
        return {
            memory: forms if space in self.spaces or space in self.seen[memory] else []
            for memory, forms in self.forms.items()
        }


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
        self.space = space
        self._person, self._limit, self._own_words, self._before = person, limit, own_words, before

    def newest(self, tx: Tx) -> Sequence[int]:
        """The ids of the newest message of the person's, answer to others and quotation of them; 0: there is none."""
        own = tx.messages.list_with_person(self.space, self._person, 1)
        answers = tx.messages.list_answers_to_others(self.space, self._person, 1)
        quotes = tx.messages.list_quoting(self.space, self._person, 1)
        return [max((row.id for row in rows), default=0) for rows in (own, answers, quotes)]

    def through(
        self,
        tx: Tx,
        forms: Mapping[StoredMemory, Collection[StoredMemory]],
        sources: Mapping[StoredMemory, Sequence[tuple[int, int]]],
    ) -> list[tuple[int, int]]:
        """The messages that say memories in these forms or are their sources, each with the id of the memory."""
        written, answered = self._before
        own = tx.messages.list_with_person(self.space, self._person, self._limit, before=written)
        answers = tx.messages.list_answers_to_others(self.space, self._person, self._limit, before=answered)
        self._before = [rows[-1].id if len(rows) == self._limit else 0 for rows in (own, answers)]
        own = [message for message in own if self._own_words or message.role == "assistant"]
        quotes = quoting(tx, self.space, self._person) if self._own_words and written == _ALL else []
        talk = Talk(tx, self.space, self._person, own, answers, names_of(tx, self.space, self._person), quotes)
        hidden = {message.id for message in (*own, *answers, *quotes) if message.is_withheld}
        pairs: list[tuple[int, int]] = []
        for memory, memory_forms in forms.items():
            saying = talk.saying(memory, memory_forms, sources.get(memory, ())) - hidden
            hidden |= saying
            pairs.extend((message, memory.id) for message in sorted(saying, reverse=True))
        return pairs

    def rest(
        self, changes: Mapping[StoredMemory, int], forms: Mapping[StoredMemory, Collection[StoredMemory]]
    ) -> list[dict[str, Any]]:
        """What is older and left to a worker, who goes on with it when the task ends; at most one."""
        remaining = [memory for memory in changes if forms[memory]] if any(self._before) else []
        if not remaining:
            return []
        memory_forms = [(memory.id, changes[memory], [dump(form) for form in forms[memory]]) for memory in remaining]
        look = {"space": self.space, "person": self._person, "limit": self._limit, "own_words": self._own_words}
        return [look | {"before": self._before, "told": memory_forms}]


def _look_further(tx: Tx, owner: int, older: Mapping[str, Any]) -> None:
    """Go on with a look, and leave what it finds to be withheld."""
    look = _Look(older["space"], older["person"], older["limit"], own_words=older["own_words"], before=older["before"])
    forms = {load(owner, id_, dumps[0]): [load(owner, id_, form) for form in dumps] for id_, _, dumps in older["told"]}
    changes = {memory: change for memory, (_, change, _) in zip(forms, older["told"], strict=True)}
    by_id = {memory.id: change for memory, change in changes.items()}
    withheld = {look.space: [(message, by_id[memory]) for message, memory in look.through(tx, forms, {})]}
    _leave_withholding(tx, owner, withheld, _unquote(tx, owner, changes, forms, {}, withheld), {})
    for rest in look.rest(changes, forms):
        _leave(tx, owner, {_OLDER: rest})


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


def lift(tx: Tx, space: int, change: int) -> None:
    """Tell again what a change that was taken back withholds, but for what says something else that is forgotten."""
    messages = tx.messages.list_withheld(space, change)
    others_by_message: dict[int, int] = {}
    for person in {message.person for message in messages}:
        own = [message for message in messages if message.person == person]
        # What others were answered may tell of this person, too.
        answers = [message for message in messages if message.person != person and message.role == "assistant"]
        quotes = [row for row in quoting(tx, space, person) if row.id in {message.id for message in messages}]
        talk = Talk(tx, space, person, own, answers, names_of(tx, space, person), quotes)
        for row in list_forgotten(tx, person, space):
            if row.change != change:
                saying = talk.saying(row.memory, forgotten_forms(tx, row), tx.memories.sources_of(row.memory))
                others_by_message |= dict.fromkeys(saying, row.change)
    tx.messages.release(space, [message.id for message in messages], change, others_by_message)
    for memory in tx.memories.list_withheld(space, change):
        by_source = (tx.messages.withholding(space, message) for message in memory.messages)
        by_text = (_other_change(tx, memory, person, but=change) for person in memory.people)
        persist.withhold(tx, memory, next(filter(None, (*by_source, *by_text)), 0))


def _other_change(tx: Tx, episode: StoredMemory, person: int, *, but: int) -> int:
    """Another change by which a person in an episode had something forgotten that it tells; 0: there is none."""
    forgotten = [row for row in list_forgotten(tx, person, episode.owner) if row.change not in (None, but)]
    index = MentionIndex([(0, episode.searchable)])
    return next(
        (
            row.change
            for row in forgotten
            for form in forgotten_forms(tx, row)
            if identifies(form.content)
            and retold(index, form.content, {0})
            and not _is_of_others(tx, episode, person, form.content)
        ),
        0,
    )


def leave_lifting(tx: Tx, owner: int, person: int, memories: Collection[StoredMemory], change: int) -> None:
    """Have everything that a change withholds told again; what is not among the owner's rows follows in `LIFTING`."""
    lift(tx, owner, change)
    # From their direct chat, a person may have had forgotten what is seen elsewhere.
    # Where there is none: the person, whose rows hold no message.
    direct = direct_chat(tx, person) or person
    said_in = {space for memory in memories for space, _ in tx.memories.sources_of(memory)}
    places = {
        direct,
        *said_in,
        *_all_spaces(tx, person),
        *chain.from_iterable(_places(tx, person, memory) for memory in memories),
    }
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
    spaces = {*task.payload["spaces"], *task.payload.get(_EPISODES, ())}
    return sorted(filter(tx.owners.exists, map(int, spaces)))


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    owners = waiting_owners(task) | {*map(int, task.payload.get(_QUOTES, ()))}
    return sorted({*_spaces(tx, task), *filter(tx.owners.exists, owners)})


def _withhold_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    if not tx.tasks.is_open(task, holding=owner):  # somebody else ended it, and it may have been taken back since
        return {}
    for message, change in task.payload["spaces"].get(str(owner), ()):
        withhold_message(tx, owner, message, change)
    for id_, change in task.payload.get(_EPISODES, {}).get(str(owner), ()):
        if (episode := tx.memories.get(owner, id_)) is not None and not episode.withheld:
            persist.withhold(tx, episode, change)
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
    if _OLDER in task.payload:
        _look_further(tx, task.owner, task.payload[_OLDER])
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
