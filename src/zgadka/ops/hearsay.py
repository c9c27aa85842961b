"""What others said of a person: it gives way to the person's own word, and never changes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import as_told, speaker_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.stores.tx.trail import OWN_WORD
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
