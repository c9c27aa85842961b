"""Remember a fact or a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from zgadka.model.limits import MOST_TAGS
from zgadka.model.memory import EVERYWHERE, FactType, Kind, Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.record import record, replaced
from zgadka.model.turn import Turn
from zgadka.ops import likings, persist
from zgadka.ops.access import moved_here, narrowed, writing_scope
from zgadka.ops.contradictions import also_known
from zgadka.ops.fact_time import is_past, is_told_later, overlap, there_at, told_while_it_held, until_told
from zgadka.ops.hearsay import author_of, give_way, gives_way, set_aside, speaks_of_others
from zgadka.ops.merges import parts_of, whole_of
from zgadka.ops.persist import holds
from zgadka.ops.reindex import renew
from zgadka.ops.same_value import is_same
from zgadka.ops.sources import add_sources, messages_of_turn, said_at, said_in
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Why
from zgadka.stores.tx.trail import EDITED, ENDED, OWN_WORD, SINCE, changes_of
from zgadka.text.canonical import canonical
from zgadka.text.keys import is_single_valued


@record(kw_only=True)
class New:
    """What is to be remembered, checked: type and key of a fact, None for a note; `people` whom a note names by id."""

    content: str
    type: FactType | None = None
    key: str | None = None
    confidence: float = 1.0
    excerpt: str | None = None
    tags: tuple[str, ...] = ()
    permanent: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    people: tuple[int, ...] = ()
    ends_opposite: bool = False


def remember(
    tx: Tx, turn: Turn, user_id: int, new: New
) -> Remembered | AlreadyKnown | Conflict | LimitReached | NoAccess:
    """Keep something new about a person.

    The same again counts as evidence; another value of a single-valued key is a conflict; what was forgotten comes
    back as a new version.
    """
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    limit = tx.settings.max_notes if new.key is None else tx.settings.max_facts
    outcome = remember_in(tx, turn, scope, new, limit=limit)
    if isinstance(outcome, Remembered):
        return replaced(outcome, also_known=also_known(tx, turn, scope, outcome.memory))
    return outcome


def remember_in(
    tx: Tx, turn: Turn, scope: Scope, new: New, *, limit: int, reason: str | None = None
) -> Remembered | AlreadyKnown | Conflict | LimitReached:
    """Keep something new in a scope that may be changed, unless it has `limit` of the kind already.

    Args:
        reason: What the trail says of why it is kept.
    """
    renew(tx, scope.owner)
    memory, at = fresh(tx, turn, scope, new), said_at(tx, turn)
    facts = rivals(tx, scope, memory)
    competing, existing = standing(tx, turn, facts), _there(tx, turn, scope, memory, facts)
    if existing is not None and not is_same(existing, memory) and gives_way(tx, turn, existing):
        memory = before_the_next(memory, competing, at)
        return _take_over(tx, turn, existing, memory, yielding(tx, turn, facts, memory, but=existing))
    if existing is not None:
        if is_same(existing, memory) or not is_told_later(existing, at):
            heard = yielding(tx, turn, facts, memory) if is_same(existing, memory) else []
            heard = [fact for fact in heard if holds(fact, tx.now)]
            give_way(tx, turn, heard, tx.next_id("change") if heard else None)
            return _confirm(tx, turn, existing, memory)
        memory = until_told(memory, existing)
    else:
        memory = before_the_next(memory, competing, at)
    if any((row.valid_to or row.valid_from or at) > (memory.valid_from or at) for row in competing):
        memory = replaced(memory, valid_from=None)  # another one held then: it counts from that one's end
    heard = yielding(tx, turn, facts, memory)
    rows = [row for row in known_in(tx, scope, memory) if row not in heard]
    for row in rows:
        if not row.archived and row.valid_from is not None and row.valid_from > at:  # the same is to come
            memory = before_the_next(memory, [row], at)
            rows = [row for row in known_in(tx, scope, memory) if row not in heard]
            break
    for row in rows:
        if not row.archived:
            return _confirm(tx, turn, row, memory)
    if (merged := whole_of(tx, scope, (row for row in rows if is_same(row, memory)), at)) is not None:
        return confirm_whole(tx, turn, merged, memory)
    if not is_past(memory, tx.now) and (full := no_room(tx, scope, memory.kind, limit)) is not None:
        return full
    forgotten = (
        row for row in rows if (row.space, row.audience, row.lineage) == (scope.space, scope.audience, scope.lineage)
    )
    former, later = likings.opposites(tx, scope, memory) if new.ends_opposite else (None, None)
    memory = memory if later is None else until_told(memory, later)
    past = None if former is None or later is not None else likings.as_past(tx, former, memory)
    change = tx.next_id("change") if heard or past else None
    give_way(tx, turn, heard, change)
    if former is not None and past is not None:
        persist.put(tx, former, past, "updated", actor=turn.user_key, reason=ENDED, change=change)
        memory = replaced(memory, follows=former.id)
    return _add(tx, turn, memory, forgotten, change, reason=reason)


def _take_over(
    tx: Tx, turn: Turn, heard: StoredMemory, memory: StoredMemory, others: Sequence[StoredMemory]
) -> Remembered | Conflict:
    """Let a person's own word stand where only another's was, of which no past is left: they never said it.

    Args:
        others: What else only another said, that gives way to it.
    """
    memory = replaced(memory, id=heard.id, created_at=heard.created_at, lineage=heard.lineage)
    if (holder := persist.holder(tx, memory)) is not None and holder not in others:
        return Conflict(holder)
    change = tx.next_id("change")
    give_way(tx, turn, others, change)
    set_aside(tx, heard, actor=turn.user_key, change=change)
    return Remembered(persist.put(tx, heard, memory, "updated", actor=turn.user_key, reason=OWN_WORD, change=change))


def _there(
    tx: Tx, turn: Turn, scope: Scope, memory: StoredMemory, competing: Sequence[StoredMemory]
) -> StoredMemory | None:
    """What held when it was said, of which only one can; of other keys, only what the same value held in the past."""
    if competing:

        def rank(rival: StoredMemory) -> tuple[bool, bool, bool]:
            """Several may be kept, in this lineage and in that of all, or by an older program."""
            return (not is_same(rival, memory), gives_way(tx, turn, rival), rival.lineage != scope.lineage)

        return there_at(tx, sorted(competing, key=rank), memory.said_at or tx.now)
    if memory.key is None or memory.said_at is None or memory.said_at >= tx.now:
        return None
    rows = tx.memories.list_with_key(scope, memory.key)
    same = [row for row in rows if is_same(row, memory) and persist.are_compatible(row.type, memory.type)]
    return there_at(tx, same, memory.said_at)


def no_room(tx: Tx, scope: Scope | StoredMemory, kind: Kind, limit: int, extra: int = 1) -> LimitReached | None:
    """Why so many more of a kind cannot be kept; None when they can. Facts that are past take no room."""
    count = tx.memories.count(scope.owner, scope.lineage, kind)
    if count + extra > limit and kind == "fact":
        count -= tx.memories.count_past(scope.owner, scope.lineage)
    return LimitReached(count, limit) if count + extra > limit else None


def rivals(tx: Tx, scope: Scope, memory: StoredMemory) -> list[StoredMemory]:
    """The facts of which only one can hold at a time, of the same single-valued key."""
    if not is_single_valued(memory.key or ""):
        return []
    return tx.memories.list_with_key(scope, memory.key or "")


def standing(tx: Tx, turn: Turn, facts: Iterable[StoredMemory]) -> list[StoredMemory]:
    """Those facts that give no way to what the turn says, as what only others said does."""
    return [fact for fact in facts if not gives_way(tx, turn, fact)]


def yielding(
    tx: Tx, turn: Turn, facts: Sequence[StoredMemory], memory: StoredMemory, *, but: StoredMemory | None = None
) -> list[StoredMemory]:
    """Those of its rivals that only others said, and otherwise, of the time from when the person speaks."""
    since = replaced(memory, valid_from=memory.valid_from or memory.said_at) if facts else memory
    others = [fact for fact in facts if fact != but and not is_same(fact, memory)]
    return [fact for fact in others if overlap(fact, since) and gives_way(tx, turn, fact)]


def before_the_next(memory: StoredMemory, competing: Iterable[StoredMemory], at: datetime) -> StoredMemory:
    """The memory that holds then, until one of its rivals is known to begin, or was told to hold."""
    begins = [begun for rival in competing if (begun := rival.valid_from or told_while_it_held(rival)) and begun > at]
    return replaced(memory, valid_to=min(begins), closed=1) if begins else memory


def known_in(tx: Tx, scope: Scope, memory: StoredMemory) -> list[StoredMemory]:
    """What has the slot that this memory would take, there or where it is seen from there; also what was forgotten."""
    return persist.in_slots(tx, memory, [(memory.space, memory.audience, memory.lineage), *_wider(scope)])


def add_fresh(tx: Tx, turn: Turn, memory: StoredMemory, change: int | None = None) -> Remembered:
    """Keep a fresh memory whose slot is free; what was forgotten comes back as a new version."""
    return _add(tx, turn, memory, persist.in_slots(tx, memory), change)


def _add(
    tx: Tx,
    turn: Turn,
    memory: StoredMemory,
    forgotten: Iterable[StoredMemory],
    change: int | None = None,
    reason: str | None = None,
) -> Remembered:
    why = Why(actor=turn.user_key, reason=reason, change=change)
    for existing in forgotten:
        if existing.archived and existing.canonical == memory.canonical:
            revived = replaced(memory, id=existing.id, evidence=existing.evidence + 1, created_at=existing.created_at)
            return Remembered(persist.put(tx, existing, revived, "revived", **why), revived=True)
    memory = memory.numbered(tx.next_id("memory"))
    persist.add(tx, memory, "created", is_free=True, **why)  # `forgotten` is what stands there
    return Remembered(memory)


def fresh(tx: Tx, turn: Turn, scope: Scope, new: New) -> StoredMemory:
    """The memory that this would become, without an id yet."""
    return StoredMemory(
        owner=scope.owner,
        id=0,
        kind="note" if new.key is None else "fact",
        space=scope.space,
        audience=scope.audience,
        lineage=scope.lineage,
        type=new.type,
        key=new.key,
        content=new.content,
        canonical=canonical(new.content, new.key, said_at(tx, turn).date()),
        confidence=new.confidence,
        excerpt=new.excerpt,
        tags=new.tags,
        permanent=new.permanent,
        said_by=author_of(tx, turn, scope.owner),
        said_at=said_at(tx, turn),
        created_at=tx.now,
        updated_at=tx.now,
        valid_from=new.valid_from,
        valid_to=new.valid_to,
        chat=said_in(turn),
        people=new.people,
    )


def _wider(scope: Scope) -> list[tuple[int, int, int]]:
    """Space, readers and lineage under which the same owner's memories are seen here as well.

    They are for more readers, everywhere, or shared by every persona.
    """
    audiences = (0, *(audience for audience in scope.audiences or () if audience != scope.audience))
    places = [(scope.space, audience) for audience in audiences if scope.audience or audience]
    if scope.communal:
        return [(*place, scope.lineage) for place in places]
    if not scope.lineage:
        return [*((*place, 0) for place in places), (EVERYWHERE, 0, 0)]
    own = [(scope.space, scope.audience, 0)]
    wider = [*places, (EVERYWHERE, 0)]
    return [*own, *((*place, lineage) for place in wider for lineage in (scope.lineage, 0))]


def confirm_whole(tx: Tx, turn: Turn, merged: StoredMemory, part: StoredMemory) -> AlreadyKnown:
    """Take what was merged into a fact, and is said again, as evidence for that fact."""
    outcome = _confirm(tx, turn, merged, replaced(part, content=merged.content, canonical=merged.canonical))
    for row in parts_of(tx, merged):
        if is_same(row, part):  # without the message that said it first, this one still does
            add_sources(tx, row)
    return AlreadyKnown(outcome.memory)


def _all_tags(existing: StoredMemory, restated: StoredMemory) -> tuple[str, ...]:
    """The tags of both, as many as a memory may have."""
    return tuple(dict.fromkeys(existing.tags + restated.tags))[: max(MOST_TAGS, len(existing.tags))]


def comes_from_this(tx: Tx, memory: StoredMemory) -> bool:
    """Whether a memory was made from the very message that says it again: a model and the rules both read it."""
    sources = messages_of_turn(tx, tx.turn) if tx.sources is None and tx.turn is not None else tx.sources or ()
    return bool(sources) and set(sources) <= set(tx.memories.sources_of(memory))


def _was_respelt(tx: Tx, memory: StoredMemory) -> bool:
    """Whether an edit of its message spelt it anew last: by the words there, which may not be its base form."""
    last = changes_of(tx.audit.history(memory.owner, memory.id))[-1]
    return (last.action, last.reason) == ("updated", EDITED)


def _confirm(tx: Tx, turn: Turn, existing: StoredMemory, restated: StoredMemory) -> AlreadyKnown | Conflict:
    if not is_same(existing, restated):
        return Conflict(existing)
    is_for_same = not moved_here(existing, narrowed(turn, restated, existing))
    is_told_already = comes_from_this(tx, existing)
    stronger = replaced(
        existing,
        evidence=existing.evidence + (not is_told_already),
        confidence=max(existing.confidence, restated.confidence),
        # What was said for some is not put into what more are told.
        tags=_all_tags(existing, restated) if is_for_same else existing.tags,
        permanent=existing.permanent or restated.permanent,
        # Who only repeats it is not its author; one's own word about oneself is.
        said_by=existing.said_by if speaks_of_others(tx, turn, existing.owner) else author_of(tx, turn, existing.owner),
        # Of their words, none are that of the one whose word it is now.
        excerpt=restated.excerpt if gives_way(tx, turn, existing) else existing.excerpt,
        chat=said_in(turn, existing),
    )
    if is_told_already and existing.content != restated.content and _was_respelt(tx, existing):
        spelt = replaced(existing, content=restated.content, canonical=restated.canonical, excerpt=restated.excerpt)
        return AlreadyKnown(persist.put(tx, existing, spelt, "updated", actor=turn.user_key, reason=EDITED))
    if is_told_already and (stronger.tags, stronger.permanent) == (existing.tags, existing.permanent):
        return AlreadyKnown(existing)
    is_older = (restated.said_at or tx.now) < (existing.said_at or existing.created_at)
    if is_older or existing.canonical == restated.canonical:
        is_dated = restated.valid_from is not None and restated.valid_from == existing.valid_from
        reason = SINCE if is_dated else None
        return AlreadyKnown(persist.put(tx, existing, stronger, "confirmed", actor=turn.user_key, reason=reason))
    older = replaced(  # an age, which was another when it was last said
        narrowed(turn, restated, stronger),
        content=restated.content,
        canonical=restated.canonical,
        said_at=restated.said_at,
        excerpt=restated.excerpt or stronger.excerpt,
    )
    return AlreadyKnown(persist.put(tx, existing, older, "updated", actor=turn.user_key, reason="said again later"))
