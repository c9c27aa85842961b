"""Whether two facts say the same, and how old somebody is now who was so old when it was said."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.record import replaced
from zgadka.stores.tx import Tx
from zgadka.text.ages import age_at, is_age, is_same_age
from zgadka.text.canonical import canonical, former
from zgadka.text.keys import normalise_key


def is_same(existing: StoredMemory, stated: StoredMemory) -> bool:
    """Whether two facts of one key say the same, each when it was said: 30, and 31 a year later."""
    if existing.canonical == stated.canonical:
        return True
    return bool(is_same_age(existing.canonical, _said_on(existing), stated.canonical, _said_on(stated)))


def age_now(memory: StoredMemory, at: datetime) -> int | None:
    """About how old somebody is now, of whom an age is known that is no longer true."""
    if not is_age(memory.canonical) or (memory.valid_to is not None and memory.valid_to <= at):
        return None
    return age_at(memory.canonical, _said_on(memory), at.date())


def ages_now(tx: Tx, memories: Iterable[StoredMemory]) -> dict[int, int]:
    """About how old whom memories are about is by now, by the memory's id, where that is not what was said."""
    ages = {memory.id: age_now(memory, tx.now) for memory in memories if memory.kind == "fact"}
    return {id_: age for id_, age in ages.items() if age is not None}


def worded(memory: StoredMemory, content: str, at: datetime) -> StoredMemory:
    """A memory that says something else in its place, as it was said at that time; an age holds from then on."""
    form = canonical(content, memory.key, at.date())
    said_at = at if is_age(form) and form != memory.canonical else memory.said_at
    return replaced(memory, content=content, canonical=form, said_at=said_at)


def as_now(memory: StoredMemory) -> StoredMemory:
    """A memory that another program kept, with the key and the form that this one would give it."""
    if memory.kind != "fact":
        return memory
    key = normalise_key(memory.key or "") or memory.key
    return replaced(memory, key=key, canonical=canonical(memory.content, key, _said_on(memory)))


def former_forms(memory: StoredMemory) -> tuple[str, ...]:
    """The forms by which what a memory says may be known: this program's, and those of former versions."""
    if memory.kind != "fact":
        return (memory.canonical,)
    return tuple(dict.fromkeys((memory.canonical, *former(memory.content, memory.key))))


def _said_on(memory: StoredMemory) -> date:
    return (memory.said_at or memory.created_at).date()
