"""What comes from a message alone and goes with it, and what holds again without that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.fact_time import told_at, until_begun
from zgadka.ops.hearsay import tell_again
from zgadka.ops.merges import APART, MERGED_INTO, rival_of
from zgadka.ops.persist import ALWAYS, FOREVER
from zgadka.ops.same_value import is_same
from zgadka.ops.sources import Source, is_across, told_where
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.words import index_words


def parts_first(rows: Mapping[int, StoredMemory]) -> list[StoredMemory]:
    """An owner's memories, by id, in an order in which what was merged into another comes before that."""
    return sorted(rows.values(), key=lambda row: (-_depth(rows, row), row.id))


def _depth(rows: Mapping[int, StoredMemory], row: StoredMemory) -> int:
    passed: set[int] = set()
    while row.merged_into is not None and row.id not in passed and row.merged_into in rows:
        passed.add(row.id)
        row = rows[row.merged_into]
    return len(passed)


def gone_with(tx: Tx, memory: StoredMemory, source: Source, gone: Collection[int]) -> list[StoredMemory]:
    """What of a memory, and of what it was before it was merged, goes with a message: nothing else says it.

    Asked while the message has the text that it came from.

    Args:
        gone: The ids of what goes with it already, the parts of the memory among them.
    """
    parts = tx.memories.list_parts(memory.owner, memory.id)
    former = [part for part in parts if _was(tx, part)]
    of_parts = [tx.memories.sources_of(part) for part in parts]
    own = {*tx.memories.sources_of(memory)}.difference(*of_parts)
    # What it was before had no sources of its own once.
    unsourced = [part for part in former if not of_parts[parts.index(part)]]
    lost = [part for part in unsourced if _loses(tx, part, source, own)]
    stays = [part for part in parts if part.id not in gone and part not in lost]
    if comes_from(tx, memory, source):
        return [memory, *unsourced]
    if not parts or any(is_same(part, memory) for part in stays):
        return lost
    if former:  # else it says what it said before it was merged
        is_gone = len(stays) < len(parts) and not _is_said(tx, memory, own - {source})
    else:
        is_gone = _loses(tx, memory, source, own)
    return [memory, *lost] if is_gone else lost


def comes_from(tx: Tx, memory: StoredMemory, source: Source) -> bool:
    """Whether a memory comes from a message alone: others say it only with that one, or said what it was before."""
    sources = tx.memories.sources_of(memory)
    if source not in sources or len(sources) == 1:
        return source in sources
    texts = _texts(tx, memory, sources)
    if len(sources) == 2 and memory.excerpt is not None and is_across(memory.excerpt, *texts.values()):
        return True
    if _says_other(tx, memory):
        return not _others_say(memory, source, texts)
    # Of two that have expired: what each of them said was evidence twice.
    is_of_both = len(sources) == 2 and memory.excerpt is not None and memory.evidence == 1
    return is_of_both and not any(_kept_texts(tx, sources).values())


def _was(tx: Tx, part: StoredMemory) -> bool:
    """Whether a part is what a whole itself said before; that may be kept as past by now."""
    trail = tx.audit.history(part.owner, part.id)
    return bool(trail) and trail[0].action == "created" and (trail[0].reason or "").startswith(MERGED_INTO)


def _loses(tx: Tx, memory: StoredMemory, source: Source, sources: Collection[Source]) -> bool:
    """Whether none of these messages says a memory without this one."""
    return source in sources and not _others_say(memory, source, _texts(tx, memory, sources))


def words_from(tx: Tx, memory: StoredMemory, source: Source) -> str:
    """What a memory has from one of its sources: its text, else what it quotes and no other of them says."""
    texts = _kept_texts(tx, tx.memories.sources_of(memory))
    return texts[source] or _quoted_from_others(memory, texts)


def _is_said(tx: Tx, memory: StoredMemory, sources: Collection[Source]) -> bool:
    """Whether one of these messages has a memory's words."""
    return bool(MentionIndex(enumerate(_kept_texts(tx, sources).values())).of(memory.content))


def _texts(tx: Tx, memory: StoredMemory, sources: Iterable[Source]) -> dict[Source, str]:
    """What messages say; of those whose texts are not kept, the last one what the memory quotes and no other says."""
    texts = _kept_texts(tx, sources)
    unknown = [each for each, text in texts.items() if not text]
    return texts | dict.fromkeys(unknown[-1:], _quoted_from_others(memory, texts))


def _kept_texts(tx: Tx, sources: Iterable[Source]) -> dict[Source, str]:
    return {each: tx.messages.get_text(*each) or "" for each in sorted(sources)}


def _quoted_from_others(memory: StoredMemory, texts: Mapping[Source, str]) -> str:
    quotes = map(storable, (memory.excerpt or "").splitlines())
    return "\n".join(quote for quote in quotes if not any(quote in text for text in texts.values()))


def _says_other(tx: Tx, memory: StoredMemory) -> bool:
    """Whether it said something else before it was corrected or changed in another way; not where it only says more."""
    if memory.version == 1:
        return False
    trail = tx.audit.history(memory.owner, memory.id)
    was = (event.before for event in trail if event.action == "updated" and event.reason != "merged")
    return any(before is not None and before.content not in memory.content for before in was)


def _others_say(memory: StoredMemory, source: Source, texts: Mapping[Source, str]) -> bool:
    """Whether another message than this says what it is now; where none does in its words, the last of all did."""
    saying = MentionIndex(enumerate(texts.values())).of(memory.content)
    said_by = [each for index, each in enumerate(texts) if index in saying] or [max(texts, key=lambda each: each[1])]
    return source not in said_by or len(said_by) > 1


def hold_again(tx: Tx, memory: StoredMemory, *, but: Collection[int], actor: str, change: int) -> None:
    """Let stand again what stood behind a memory that went, where nothing stands in its way.

    That is, what was merged into it, and the value whose place it took, which nobody said had ended.

    Args:
        but: The ids of what went too.
    """
    for part in tx.memories.list_parts(memory.owner, memory.id):
        if part.id in but or is_same(part, memory):
            continue
        alone = replaced(part, archived=memory.archived, merged_into=memory.merged_into)
        if not alone.archived and rival_of(tx, alone, but=(memory.id, *but)) is not None:
            alone = replaced(part, merged_into=None)
        persist.put(tx, part, alone, "merged", actor=actor, reason=APART, change=change)
    let_predecessor_hold(tx, memory, but=but, actor=actor, change=change)


def let_predecessor_hold(tx: Tx, memory: StoredMemory, *, but: Collection[int], actor: str, change: int) -> None:
    """Let the value hold again whose place a memory took that went, if nobody said that it had ended, or was wrong.

    Else what others said that gave way to it.
    """
    _go_on(tx, memory, but=but, actor=actor, change=change)
    tell_again(tx, memory, but=but, actor=actor, change=change)


def _go_on(tx: Tx, memory: StoredMemory, *, but: Collection[int], actor: str, change: int) -> None:
    past = _followed_by(tx, memory, but)
    if past is None or past.archived or past.withheld or not past.closed or memory.archived:
        return
    was = _before_it_ended(tx, memory, past)
    said = None if was.closed else was.valid_to
    ends = [(end, closed) for end, closed in ((said, 0), (memory.valid_to, memory.closed)) if end is not None]
    valid_to, closed = min(ends, default=(None, 0))
    again = replaced(past, valid_to=valid_to, closed=closed, said_by=was.said_by)
    if was.audience == 0 and valid_to is not None and (valid_to, was.space) == (memory.valid_to, memory.space):
        was = replaced(was, audience=memory.audience)  # who told that end told those alone
    place = Scope(memory.owner, past.space, past.lineage, audiences=None if past.audience == 0 else (past.audience,))
    following = (row for row in tx.memories.list_with_key(place, past.key or "") if row.follows == memory.id)
    same = next((row for row in following if is_same(row, past) and row.id not in but and row.valid_from is None), None)
    if same is not None:
        join(tx, past, same, actor=actor, change=change)
    elif valid_to != past.valid_to and (room := with_room(tx, again, was, but=(memory.id, *but))) is not None:
        persist.put(tx, past, room, "updated", actor=actor, reason=ENDED, change=change)


def with_room(
    tx: Tx, again: StoredMemory, former: StoredMemory | None = None, *, but: Collection[int] = ()
) -> StoredMemory | None:
    """A value that would hold again, until another one began that was said later and holds now; None: it has no room.

    Args:
        former: A state of it in which it was told elsewhere: where nothing stands in its way here, it is told there.
        but: The ids of what makes way for it.
    """
    later = rival_of(tx, again, but=but)
    if later is None and former is not None:
        again = told_where(tx, again, former)
        later = rival_of(tx, again, but=but)
    if later is None:
        return again
    past = until_begun(again, later)
    is_before = (past.valid_from or ALWAYS) < (past.valid_to or FOREVER) and told_at(again) < told_at(later)
    if is_same(later, again) or not is_before or rival_of(tx, past, but=but) is not None:
        return None
    if later.follows is None:
        follower = replaced(later, follows=past.id)
        tx.memories.replace(later, follower, slot=persist.slot_of(later), words=index_words(later.searchable))
    return past


def join(tx: Tx, past: StoredMemory, memory: StoredMemory, *, actor: str, change: int) -> None:
    """Let a value go on from its past, between which and it nothing else held; a beginning of its own stands."""
    part, reason = replaced(past, archived=True, merged_into=memory.id), f"{MERGED_INTO}{memory.id}"
    persist.put(tx, past, part, "merged", is_told=False, actor=actor, reason=reason, change=change)
    tx.memories.add_sources(memory, tx.memories.sources_of(past))
    whole = replaced(
        memory,
        valid_from=memory.valid_from or past.valid_from,
        evidence=memory.evidence + past.evidence,
        said_at=min(told_at(past), told_at(memory)),
        follows=past.follows,
    )
    persist.put(tx, memory, whole, "merged", is_told=False, actor=actor, reason="merged", change=change)


def _followed_by(tx: Tx, memory: StoredMemory, gone: Collection[int]) -> StoredMemory | None:
    """The value whose place a memory took: where that is gone, the one that holds until then by now."""
    past = None if memory.follows is None else tx.memories.get(memory.owner, memory.follows)
    if memory.follows is None or (past is not None and past.id not in gone and not (past.archived or past.withheld)):
        return past
    place = Scope(memory.owner, memory.space, memory.lineage, audiences=(memory.audience,))
    since = memory.valid_from or told_at(memory)
    before = tx.memories.list_with_key(place, memory.key or "")
    return next((row for row in before if row.closed and row.valid_to == since and row.id not in gone), None)


def _before_it_ended(tx: Tx, memory: StoredMemory, past: StoredMemory) -> StoredMemory:
    """A past value as it was before a memory took its place; as it is where nobody knows."""
    trail = tx.audit.history(past.owner, past.id)
    ended = next((event for event in reversed(trail) if event.reason == ENDED), None)
    if ended is None:
        return past
    before = ended.before
    if before is None:  # it was kept under the other's id
        own_trail = tx.audit.history(memory.owner, memory.id)
        before = next((event.before for event in own_trail if event.change == ended.change), None)
    is_said_since = ended is not trail[-1]
    return past if before is None else replaced(before, said_by=past.said_by) if is_said_since else before
