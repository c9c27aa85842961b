"""An edited message takes back what it says no longer: a slip as well as a secret.

So it hides what was made from its former text alone, and what retold that, and nothing else: the new text is told, and
what it says is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from zgadka.model.memory import StoredMemory
from zgadka.model.record import replaced
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.derived import gone_with, hold_again, parts_first, words_from
from zgadka.ops.fact_time import told_at
from zgadka.ops.late import keeps_most
from zgadka.ops.merges import rival_of
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.remaining import lose, names_dates, undate
from zgadka.ops.retelling import retelling
from zgadka.ops.same_value import worded
from zgadka.ops.sources import Source
from zgadka.ops.withhold import withhold_in, withhold_message
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import EDITED
from zgadka.text.respelling import respelt
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.words import index_words

EDIT = "edit"

Fate = Literal["unchanged", "misquoted", "respelt", "undated", "unsourced", "hidden"]
"""What becomes of a memory: nothing; it loses its quote; also it is spelt anew, or loses the message's dates, or the
message as a source; also it is hidden.
"""

Denies = Callable[[str, str, str, str], bool]
"""Whether a message, by its former and its new text, takes back the value of a memory with this key ("" for a note).

None: nobody can tell.
"""


LOOKED_FOR = timedelta(hours=12)
"""For how long it is known that a message was looked at; by then it is out of the queue."""
_EDITED = 0
"""The mark of a message that was looked at with a text that it has no more."""


def looked(space: int, message: int) -> str:
    """What it is called that a message was looked at (`tx.limits.mark`)."""
    return f"looked:{space}:{message}"


def take_back(
    tx: Tx,
    person: int,
    source: Source,
    former: str | None,
    text: str,
    denies: Denies | None,
    *,
    reason: str = EDITED,
    turn: Turn | None = None,
) -> None:
    """Hide what a person's message said before it got another text, and says no longer.

    What other messages say too loses it as a source. Quotes that no message holds any more go. It begins in the space's
    rows; the rest follows in `EDITING`.

    Args:
        source: The message, which still has its former text.
        former: None: it has expired. What was made of it says what it said.
        reason: What the trail says of it.
        turn: In which the person takes it back, so that they are told what goes. None: they see that they edited it.
    """
    if former == text:
        return
    fates: dict[str, dict[str, Fate]] = {}
    counts: dict[str, int] = {}
    spelt: dict[StoredMemory, str] = {}
    values: list[str] = []
    unsaid: dict[str, list[int]] = {}
    for owner in tx.memories.owners_made_from(*source):
        if ids := _unsaid(tx, owner, source, text):
            unsaid[str(owner)] = ids
        fates_there, spelt_there = _fates(tx, owner, source, former, text, denies)
        spelt |= spelt_there
        for memory, fate in fates_there.items():
            fates.setdefault(str(owner), {})[str(memory.id)] = fate
            if fate == "hidden":
                values.append(memory.content)
                counts[str(memory.id)] = len(tx.memories.sources_of(memory))
    _withhold_retelling(tx, person, source, former or "", text, values, spelt)
    is_taken_back = former is not None and (bool(values) or not keeps_most(former, text))
    if is_taken_back:
        fates.setdefault(str(person), {})  # in whose rows it is kept that they took it back
    for owner in unsaid:
        fates.setdefault(owner, {})
    if fates:
        payload: dict[str, Any] = {"person": person, "message": source[1], "fates": fates, "sources": counts}
        payload |= {"unsaid": unsaid, "reason": reason, "turn": None if turn is None else turn.as_json()}
        payload["spelt"] = {str(memory.id): value for memory, value in spelt.items()}
        if former is not None and is_taken_back:
            payload["digest"] = tx.forgotten_values.digest_of_message(person, source[0], former)
        tx.tasks.add_follow_up(source[0], EDIT, payload, WAIT)


def _fates(
    tx: Tx, owner: int, source: Source, former: str | None, text: str, denies: Denies | None
) -> tuple[dict[StoredMemory, Fate], dict[StoredMemory, str]]:
    """What becomes of an owner's memories that were made from the message; of what was merged into one before that.

    And how those are spelt by now that are spelt anew.
    """
    fates: dict[StoredMemory, Fate] = {}
    spelt: dict[StoredMemory, str] = {}
    gone: dict[int, StoredMemory] = {}
    is_alike = former is not None and keeps_most(former, text)
    for memory in parts_first(tx.memories.get_many(owner, tx.memories.made_from(owner, *source))):
        if memory.kind == "episode" or memory.withheld < 0:
            continue
        said = words_from(tx, memory, source) if former is None else former
        fates[memory] = _fate(tx, memory, said, text, denies, is_alike=is_alike)
        if memory.kind == "fact" and former is not None and tx.memories.sources_of(memory) == [source]:
            value = respelt(memory.content, former, text)
            if value is not None and not (denies is not None and denies(former, text, value, memory.key or "")):
                fates[memory], spelt[memory] = "respelt", value
        if any(part.merged_into == memory.id for part in gone.values()):
            fates[memory] = "unsourced"  # it had said what a part of it says
        if fates[memory] == "unsourced":
            gone |= {row.id: row for row in gone_with(tx, memory, source, gone)}
    fates |= dict.fromkeys(gone.values(), "hidden")
    spelt = {memory: value for memory, value in spelt.items() if fates[memory] == "respelt"}
    return {memory: fate for memory, fate in fates.items() if fate != "unchanged"}, spelt


def _unsaid(tx: Tx, owner: int, source: Source, text: str) -> list[int]:
    """The owner's memories that are gone and may come back, and that a message said which says them no longer."""
    ids = {*tx.memories.made_from(owner, *source)}
    ids -= tx.memories.get_many(owner, ids).keys()
    says = MentionIndex([(0, text)])
    gone = (row.memory for row in (tx.audit.list_forgotten(owner) if ids else ()))
    return [memory.id for memory in gone if memory.id in ids and not says.of(memory.content)]


def _fate(tx: Tx, memory: StoredMemory, former: str, text: str, denies: Denies | None, *, is_alike: bool) -> Fate:
    """What becomes of a memory by the texts of the message, whatever else it was made from.

    Args:
        is_alike: Whether what it says in other words stays.
    """
    quotes = [quote for quote in map(storable, (memory.excerpt or "").splitlines()) if quote in former]
    is_quoted = all(quote in text for quote in quotes)
    saying = MentionIndex([(0, former), (1, text)]).of(memory.content)
    is_denied = 1 in saying and denies is not None and denies(former, text, memory.content, memory.key or "")
    is_said = 1 in saying or (bool(quotes) and is_quoted) or (not saying and is_alike)
    if is_said and not is_denied:
        is_dated = names_dates(tx, former, memory) and not names_dates(tx, text, memory)
        return "undated" if is_dated else "unchanged" if is_quoted else "misquoted"
    return "unsourced"


def _withhold_retelling(
    tx: Tx,
    person: int,
    source: Source,
    former: str,
    text: str,
    values: Sequence[str],
    spelt: Mapping[StoredMemory, str],
) -> None:
    """Have answers and episodes told nobody that say what the message says no longer.

    Args:
        values: What was made of the former text and goes with it.
        spelt: What was made of it and is spelt in another way by now, and how.
    """
    space, message = source
    slips = [(memory.id, memory.content, value) for memory, value in spelt.items()]
    retold = retelling(tx, person, source, former, values=values, still=text, spelt=slips)
    made = tx.memories.get_many(space, tx.memories.made_from(space, space, message))
    episodes = {id_: episode for id_, episode in made.items() if episode.kind == "episode" and not episode.withheld}
    telling = MentionIndex((id_, episode.searchable) for id_, episode in episodes.items()).of
    respelt_in = (telling(slip) - telling(value) for _, slip, value in slips)
    told = set[int]().union(*map(telling, values), *respelt_in)
    if not keeps_most(former, text):
        gone = frozenset(index_words(former)) - frozenset(index_words(text))
        told |= {id_ for id_, episode in episodes.items() if not gone.isdisjoint(index_words(episode.searchable))}
    change = tx.next_id("change") if retold or told else 0
    for answer in retold:
        withhold_message(tx, space, answer, change)
    for id_ in told:
        persist.withhold(tx, episodes[id_], change)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return sorted(filter(tx.owners.exists, map(int, task.payload["fates"])))


def _know_edited(tx: Tx, task: Task, source: Source) -> None:
    """Remember what the person's message said, and forget that it was looked at: edited back, it is read anew."""
    person = task.payload["person"]
    if "digest" in task.payload:
        tx.forgotten_values.add_digest(person, task.payload["digest"])
    tx.limits.mark(person, looked(*source), _EDITED, LOOKED_FOR)


def _take_back_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Let an owner's memories lose what the message says no longer, as far as they still come from it."""
    if not tx.tasks.is_open(task, holding=owner):
        return {}
    source = task.owner, task.payload["message"]
    fates: Mapping[str, Fate] = task.payload["fates"][str(owner)]
    if owner == task.payload["person"]:
        _know_edited(tx, task, source)
    _lose_gone(tx, owner, source, task.payload.get("unsaid", {}).get(str(owner), ()))
    reason: str = task.payload.get("reason", EDITED)
    actor = tx.owners.get(task.payload["person"]).name
    hidden: dict[StoredMemory, int] = {}
    for memory in tx.memories.get_many(owner, map(int, fates)).values():
        sources = tx.memories.sources_of(memory)
        if source not in sources or memory.withheld < 0:  # it was changed since
            continue
        fate = fates[str(memory.id)]
        is_as_it_was = len(sources) == task.payload.get("sources", {}).get(str(memory.id), 1)
        if fate == "respelt":
            _respell(tx, memory, task.payload["spelt"][str(memory.id)], actor=actor)
            continue
        if fate == "hidden" and is_as_it_was and not memory.archived:
            tx.memories.remove_source(memory, *source)
            hidden[memory] = tx.next_id("change")
            continue
        left = memory
        if fate == "hidden" and is_as_it_was and memory.merged_into is not None:  # it is never told by itself again
            left = replaced(memory, merged_into=None)
            left = persist.put(tx, memory, left, "merged", is_told=False, actor=actor, reason=reason)
        left = persist.unquote(tx, left)
        if fate == "undated":
            undate(tx, left, source)
        elif fate != "misquoted":
            lose(tx, left, source, actor=actor, reason=reason)
    gone = [int(id_) for id_, fate in fates.items() if fate == "hidden"]
    if hidden:
        # Whoever it is about: what answers were given of it.
        person = owner if tx.owners.get(owner).kind == "person" else task.payload["person"]
        withhold_in(tx, person, owner, {source[0]}, hidden, own_words=False, message=source, is_edited=True)
    for memory, change in hidden.items():
        persist.hide(tx, memory, "forgotten", edited=source[1], actor=actor, reason=reason, change=change)
        hold_again(tx, memory, but=gone, actor=actor, change=change)
    if said_in := task.payload.get("turn"):
        tx.notices[:] = [replace(notice, turn=Turn.from_json(said_in)) for notice in tx.notices]
    return {}


def _lose_gone(tx: Tx, owner: int, source: Source, ids: Sequence[int]) -> None:
    """Let memories that are gone lose the message as a source, for when they come back."""
    for row in tx.audit.list_forgotten(owner) if ids else ():
        if row.memory.id in ids:
            tx.memories.remove_source(row.memory, *source)


def _respell(tx: Tx, memory: StoredMemory, value: str, *, actor: str) -> None:
    """Let a memory have the spelling that the message has by now; where that is known already, it goes."""
    spelt = replaced(worded(memory, value, told_at(memory)), excerpt=None)
    if memory.archived or rival_of(tx, spelt) is None:
        persist.put(tx, memory, spelt, "updated", actor=actor, reason=EDITED)
    else:
        persist.hide(tx, memory, "forgotten", actor=actor, reason=EDITED)


EDITING = Spread(_owners, _take_back_in, end)
