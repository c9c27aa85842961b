"""What others said of a person: it gives way to the person's own word, and never changes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from zgadka.model.memory import EVERYWHERE, Event, Scope, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import as_told, speaker_of
from zgadka.ops.fact_time import overlap, told_at
from zgadka.ops.merges import APART, rival_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.stores.tx.trail import ENDED, OWN_WORD, standing_changes
from zgadka.text.keys import is_single_valued


def speaks_of_others(tx: Tx, turn: Turn, owner: int) -> bool:
    """Whether what the turn says of this person is hearsay: it is another's, and they have not agreed to it."""
    return owner != speaker_of(tx, turn) and owner not in tx.consented_by


def author_of(tx: Tx, turn: Turn, owner: int) -> str:
    """Whose word it is what the turn says of this person: their own once they have agreed to it."""
    return tx.owners.get(owner).name if owner in tx.consented_by else turn.user_key


def is_hearsay(tx: Tx, memory: StoredMemory) -> bool:
    """Whether somebody else said it last, of the person whose it is."""
    return memory.said_by != tx.owners.get(memory.owner).name


def gives_way(tx: Tx, turn: Turn, fact: StoredMemory) -> bool:
    """Whether what is known is only hearsay, and the turn is the person's own word."""
    return fact.kind == "fact" and not speaks_of_others(tx, turn, fact.owner) and is_hearsay(tx, fact)


def stands_against(tx: Tx, turn: Turn, fact: StoredMemory) -> bool:
    """Whether what is known is the person's own word, and the turn is another's, who never changes it."""
    return speaks_of_others(tx, turn, fact.owner) and not is_hearsay(tx, fact)


def give_way(tx: Tx, turn: Turn, heard: Iterable[StoredMemory], change: int | None) -> list[StoredMemory]:
    """Hide what only others said, where the person's own word says otherwise; returns it as it is kept."""
    why = Why(actor=turn.user_key, reason=OWN_WORD, change=change)
    return [persist.put(tx, fact, replace(fact, archived=True), "merged", **why) for fact in heard]


def set_aside(tx: Tx, heard: StoredMemory, *, actor: str, change: int) -> None:
    """Keep hidden, with what it comes from, what only others said and whose id the person's own word gets."""
    hidden = replace(heard, archived=True, version=1).numbered(tx.next_id("memory"))
    sources = tx.memories.take_sources(heard)
    why = Why(actor=actor, reason=OWN_WORD, change=change)
    persist.add(tx, hidden, "created", sources=sources, is_told=False, **why)


def tell_again(tx: Tx, own: StoredMemory, *, but: Collection[int], actor: str, change: int) -> None:
    """Let what others said be told again that gave way to a person's own word, which is gone; the last of it first.

    Not what gave way to another word of theirs: they may have had that forgotten.

    Args:
        but: The ids of what went too.
    """
    if is_hearsay(tx, own) or not is_single_valued(own.key or ""):
        return
    hidden = [(heard, gave_way) for heard, gave_way in _list_aside(tx, own) if heard.id not in but]
    former_ids = {own.id, *_left_by(tx, own)}
    for heard, last in sorted(hidden, key=lambda pair: told_at(pair[0]), reverse=True):
        again = replace(heard, archived=False)
        together = set[int]() if last.change is None else {*tx.audit.memories_of_change(heard.owner, last.change)}
        # Where the word was known already and only said again, nothing else was changed.
        gave_way = together <= {heard.id} or not together.isdisjoint(former_ids)
        if gave_way and rival_of(tx, again, but=(own.id, *but)) is None and not _is_contradicted(tx, again):
            persist.put(tx, heard, again, "merged", actor=actor, reason=APART, change=change)


def aside_of(tx: Tx, *forgotten: StoredMemory) -> list[StoredMemory]:
    """What others said that gave way to a person's own word, and goes with what the person has forgotten.

    That is, of where one lives, what was said of it in the same place, and the same value wherever it was seen. Where
    what asks is bound to a space, only what is seen there.
    """
    aside: dict[int, StoredMemory] = {}
    for fact in forgotten:
        if fact.kind == "fact" and is_single_valued(fact.key or ""):
            aside |= {heard.id: heard for heard, _ in _list_aside(tx, fact) if _goes_with(tx, heard, fact)}
    return [heard for id_, heard in aside.items() if id_ not in {fact.id for fact in forgotten}]


def _goes_with(tx: Tx, heard: StoredMemory, fact: StoredMemory) -> bool:
    if heard.space == fact.space:
        return True
    return not tx.is_bound and (heard.canonical == fact.canonical or EVERYWHERE in (heard.space, fact.space))


def _list_aside(tx: Tx, own: StoredMemory) -> list[tuple[StoredMemory, Event]]:
    """What others said under a fact's key that gave way to the person's own word, as its changes stand, and when."""
    hidden = [fact for fact in tx.memories.list_archived_facts(own.owner) if fact.key == own.key]
    last_changes = {
        fact: next(reversed(standing_changes(tx.audit.history(fact.owner, fact.id))), None)
        for fact in hidden
        if is_hearsay(tx, fact)
    }
    return [(fact, last) for fact, last in last_changes.items() if last is not None and last.reason == OWN_WORD]


def _left_by(tx: Tx, own: StoredMemory) -> list[int]:
    """The ids of what a past value was until another took its place."""
    created = next(iter(tx.audit.history(own.owner, own.id)), None)
    if created is None or created.reason != ENDED or created.change is None:
        return []
    return tx.audit.memories_of_change(own.owner, created.change)


def _is_contradicted(tx: Tx, heard: StoredMemory) -> bool:
    """Whether the person's own word says otherwise, of the time from when they said it, unless another is told."""
    place = Scope(heard.owner, heard.space, heard.lineage, audiences=(heard.audience,))
    own = [fact for fact in tx.memories.list_with_key(place, heard.key or "") if not is_hearsay(tx, fact)]
    return any(overlap(heard, replace(fact, valid_from=fact.valid_from or fact.said_at)) for fact in own)


def follow_author(tx: Tx, owner: int, author: int) -> None:
    """Withhold what the author said of this owner, or of people in this space, or tell it again, as their level says.

    What somebody else has taken the place of meanwhile gives way to that.
    """
    name = tx.owners.get(author).name
    for memory in tx.memories.list_said_by(owner, name):
        told = as_told(tx, memory)
        if told.withheld < memory.withheld and (persist.holder(tx, told) is not None or _is_replaced(tx, told)):
            persist.hide(tx, memory, "merged", is_told=False, actor=name, reason=OWN_WORD)
        elif told.withheld != memory.withheld:
            persist.withhold(tx, memory, 0)


def _is_replaced(tx: Tx, heard: StoredMemory) -> bool:
    """Whether the person's own word stands against it, seen here from elsewhere."""
    if heard.kind != "fact" or not is_single_valued(heard.key or ""):
        return False
    scope = Scope(heard.owner, heard.space, heard.lineage, audiences=(heard.audience,))
    return any(not is_hearsay(tx, fact) for fact in tx.memories.list_with_key(scope, heard.key or ""))
