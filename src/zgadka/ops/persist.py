"""How memories are put into rows: what must be unique, what is indexed, and the line in the audit trail."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Unpack

from zgadka.model.memory import BY_ITS_AUTHOR, Action, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.notification import Notice, What
from zgadka.model.record import replaced
from zgadka.ops.access import as_told, is_hidden
from zgadka.ops.forgotten import refuse_forgotten
from zgadka.ops.sources import Source, add_sources
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.stores.tx.trail import ENDED
from zgadka.text.keys import is_single_valued
from zgadka.text.sanitize import preview
from zgadka.text.words import index_words

_SKILL, _LIKINGS = "skill", frozenset({"preference", "opinion"})
_STATED = ("confirmed", "updated", "revived")
"""What is done to a memory that was said again."""
ALWAYS = datetime.min.replace(tzinfo=UTC)
FOREVER = datetime.max.replace(tzinfo=UTC)


def slot_of(memory: StoredMemory) -> bytes:
    """The hash of what only one live memory of an owner may have.

    A fact of a single-valued key is alone with its key while it holds, whatever its type; of any other key, with its
    key and value, skills apart from the rest. A fact that held until some time is alone with its value and that time.
    A note, an episode and a relation are alone with what they say. Each in its space, for its readers, in its persona
    lineage.
    """
    return _slots(memory, [_place_of(memory)], [_sort_of(memory)])[0]


def in_slots(tx: Tx, memory: StoredMemory, places: Iterable[tuple[int, int, int]] | None = None) -> list[StoredMemory]:
    """The same as this memory, or what stands where it would, in these spaces, for these readers, in these lineages.

    Place by place, in each the live ones first; also what was forgotten.

    Args:
        places: None: in its own.
    """
    sort, is_alone = _sort_of(memory), _is_alone(memory)
    sorts = [sort, "" if sort else _SKILL] if memory.kind == "fact" and not is_alone else [sort]
    slots = _slots(memory, [_place_of(memory)] if places is None else places, sorts)
    rows = tx.memories.list_in_slots(memory.owner, slots)
    if not rows:
        return []
    rank = {slot: number for number, slot in enumerate(slots)}
    ranked_rows = [(rank.get(slot_of(row)), row) for row in rows]
    ranked_rows = [(slot_rank, row.archived and row.id, row) for slot_rank, row in ranked_rows if slot_rank is not None]
    rows = [row for *_, row in sorted(ranked_rows, key=lambda entry: entry[:2])]
    return [row for row in rows if is_alone or are_compatible(row.type, memory.type)]


def are_compatible(type_: str | None, other_type: str | None) -> bool:
    """Whether facts of these types may be one: what somebody likes, or thinks of it, is not what they can do."""
    return not ({type_, other_type} & _LIKINGS and _SKILL in (type_, other_type))


def _sort_of(memory: StoredMemory) -> str:
    """What tells it apart besides key and value: the kind of a relation, and whether a fact is a skill."""
    if memory.kind != "fact":
        return memory.type or ""
    return _SKILL if memory.type == _SKILL and not _is_alone(memory) else ""


def _is_alone(memory: StoredMemory) -> bool:
    """Whether it is a fact of a key that has one value at a time, whatever the fact's type."""
    return memory.kind == "fact" and is_single_valued(memory.key or "")


def _place_of(memory: StoredMemory) -> tuple[int, int, int]:
    return memory.space, memory.audience, memory.lineage


def _slots(memory: StoredMemory, places: Iterable[tuple[int, int, int]], sorts: Sequence[str]) -> list[bytes]:
    """Place by place, in each one for each sort."""
    value = "" if memory.valid_to is None and _is_alone(memory) else memory.canonical
    until = "" if memory.valid_to is None else memory.valid_to.isoformat()
    chat = memory.chat if memory.kind == "episode" else None
    content = f"{memory.key or ''}\0{value}\0{chat or ''}\0{until}"
    if memory.withheld:  # what nobody is told stands in nobody's way
        content += f"\0{memory.withheld}"
    if memory.withheld == BY_ITS_AUTHOR:  # nor in that of what another author said
        content += f"\0{memory.id}"
    texts = [
        f"{memory.kind}\0{space}{f'/{audience}' if audience else ''}\0{lineage}\0{sort}\0{content}"
        for space, audience, lineage in places
        for sort in sorts
    ]
    return [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]


def add(
    tx: Tx,
    memory: StoredMemory,
    action: Action,
    *,
    sources: Sequence[Source] | None = None,
    is_told: bool = True,
    is_free: bool = False,
    **why: Unpack[Why],
) -> bool:
    """Keep a memory that is not there; False when its slot is taken, and nothing was changed.

    Args:
        is_free: Whether the slot is known to be free.
        sources: The messages that it was made from. None: what runs now is made from.
        is_told: Whether subscribers are told; of a past that only follows from a change, they are told the change.
    """
    if action == "created" and sources is None:  # what it was is known already
        refuse_forgotten(tx, memory)
    memory = as_told(tx, memory)
    if not tx.memories.add(memory, slot=slot_of(memory), words=index_words(memory.searchable), is_free=is_free):
        return False
    add_sources(tx, memory, sources)
    tx.audit.add(memory.owner, memory.id, action, **why)
    if is_told:
        _notify(tx, "created", memory, why["actor"], was_hidden=False)
    return True


def put(
    tx: Tx,
    prior: StoredMemory,
    memory: StoredMemory,
    action: Action,
    *,
    is_told: bool = True,
    edited: int | None = None,
    **why: Unpack[Why],
) -> StoredMemory:
    """Replace `prior` by `memory` as its next version; returns it as it is kept. Its slot must be free.

    Args:
        edited: The message because of whose edit it is hidden, if so.
        is_told: Whether subscribers are told; of what follows from a change of a whole space or chat, they are not.
    """
    is_stated = action in _STATED and why.get("reason") != ENDED  # what only ends is kept already
    if is_stated:
        refuse_forgotten(tx, memory)
    memory = as_told(tx, replaced(memory, version=prior.version + 1, updated_at=tx.now))
    was_hidden = (memory.archived or memory.owner == memory.space) and is_hidden(tx, prior)
    tx.memories.replace(prior, memory, slot=slot_of(memory), words=index_words(memory.searchable))
    if is_stated:  # what ends a value does not say it
        add_sources(tx, memory)
    messages = [message for _, message in tx.sources or ()] if is_stated else [] if edited is None else [edited]
    expires_at = tx.now + timedelta(hours=tx.settings.undo_hours) if action == "cleared" else None
    tx.audit.add(memory.owner, memory.id, action, before=prior, messages=messages, expires_at=expires_at, **why)
    if action == "cleared" and not tx.settings.undo_hours:
        tx.audit.expire_texts(memory.owner, memory.id)
    if is_told and action != "confirmed":  # said once more: nothing that a person reads is different
        event: What = "hidden" if memory.archived else "updated"
        _notify(tx, event, memory, why["actor"], personal=action == "cleared", was_hidden=was_hidden)
    return memory


def hide(
    tx: Tx,
    memory: StoredMemory,
    action: Action,
    *,
    is_told: bool = True,
    edited: int | None = None,
    **why: Unpack[Why],
) -> StoredMemory:
    """Hide a memory; it stays for the audit trail, and `undo` brings it back. Returns it as it is kept.

    Args:
        edited: As for `put`.
    """
    if why.get("change") is None:
        tx.next_id("change")  # from now on, no kept answer is told with its texts
    return put(tx, memory, replaced(memory, archived=True), action, is_told=is_told, edited=edited, **why)


def withhold(tx: Tx, memory: StoredMemory, change: int) -> None:
    """Have a memory told nobody until this change is taken back; 0: told again. Its trail says nothing of it."""
    withheld = as_told(tx, replaced(memory, withheld=change))
    if withheld.withheld != memory.withheld and (withheld.withheld or holder(tx, withheld) is None):
        tx.memories.replace(memory, withheld, slot=slot_of(withheld), words=index_words(memory.searchable))


def unquote(tx: Tx, memory: StoredMemory) -> StoredMemory:
    """Let a memory lose its quote; what it says stays."""
    unquoted = replaced(memory, excerpt=None)
    tx.memories.replace(memory, unquoted, slot=slot_of(memory), words=index_words(memory.searchable))
    return unquoted


def remove(
    tx: Tx,
    memory: StoredMemory,
    action: Action,
    *,
    is_told: bool = True,
    stays_hidden: bool = False,
    **why: Unpack[Why],
) -> None:
    """Remove a memory; its texts stay in the audit trail until the undo window ends, and nowhere else.

    Args:
        stays_hidden: Whether its row stays for now, told to nobody: what else tells it has to go before.
    """
    was_hidden = is_hidden(tx, memory)
    if stays_hidden:
        hidden = replaced(memory, archived=True, withheld=-(why.get("change") or 0))
        tx.memories.replace(memory, hidden, slot=slot_of(hidden), words=index_words(memory.searchable))
    else:
        tx.memories.delete(memory)
    expires_at = tx.now + timedelta(hours=tx.settings.undo_hours)
    tx.audit.add(memory.owner, memory.id, action, before=memory, expires_at=expires_at, **why)
    if not tx.settings.undo_hours:
        tx.audit.expire_texts(memory.owner, memory.id)
    if is_told:
        _notify(tx, "deleted", memory, why["actor"], personal=action == "cleared", was_hidden=was_hidden)


def holds(memory: StoredMemory | Heading, moment: datetime) -> bool:
    """Whether a memory held at that moment, as far as is known."""
    since, until = memory.valid_from, memory.valid_to
    return (since is None or since <= moment) and (until is None or moment < until)


def holder(tx: Tx, memory: StoredMemory) -> StoredMemory | None:
    """The other live memory that has the slot this one would take; None when the slot is free."""
    return holder_among(in_slots(tx, memory), memory)


def holder_among(rows: Iterable[StoredMemory], memory: StoredMemory) -> StoredMemory | None:
    """The same of those that are in its slots."""
    return next((row for row in rows if not row.archived and row.id != memory.id), None)


def _notify(tx: Tx, event: What, memory: StoredMemory, actor: str, *, personal: bool = False, was_hidden: bool) -> None:
    """Tell subscribers.

    Args:
        personal: It is a person's own business although the memory is a space's.
        was_hidden: Nobody was told the memory as it was.
    """
    is_communal = memory.owner == memory.space  # what is a person's own is new only where they want it
    is_untold = was_hidden or bool(memory.withheld) or (is_communal and is_hidden(tx, memory))
    tx.notices.append(
        Notice(
            what=event,
            owner=memory.owner,
            memory=memory.id,
            kind=memory.kind,
            # What belongs to a space has that space's id in both places; a person's id is never a space's.
            personal=personal or not is_communal,
            space=memory.space,
            audience=memory.audience,
            actor=actor,
            preview="" if is_untold else preview(memory.text),
            turn=tx.turn,
            arm=tx.arm or (None if tx.turn is None else tx.turn.arm),
        )
    )
