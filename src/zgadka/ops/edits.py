"""An edited message takes back what it says no longer, as its deletion takes back all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from zgadka.model.memory import StoredMemory
from zgadka.model.task import Task
from zgadka.ops import persist
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.sources import Source
from zgadka.ops.unrecord import comes_from
from zgadka.ops.withhold import Removal, withhold_in, withhold_message
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.words import index_words

EDIT = "edit"
_LOOKED_THROUGH = 500
"""Of the newest messages of its person and answers to them, those after a message may retell what it said."""
_EDITED = "its source was edited on the platform"

Fate = Literal["said", "misquoted", "unsourced", "denied", "gone"]
"""What becomes of a memory: nothing; it loses its quote; also the message as a source; then it is hidden, or goes."""

Denies = Callable[[str, str], bool]
"""Whether a text that holds a value says that it is not so, or is no longer."""


def take_back(tx: Tx, person: int, source: Source, former: str, text: str, denies: Denies | None) -> None:
    """Have forgotten what a person's message said before it got another text, and says no longer.

    What was made from it alone goes, as if its author had wished so; what other messages say too loses it as a source.
    Quotes that no message holds any more go. It begins in the space's rows; the rest follows in `EDITING`.

    Args:
        source: The message, which still has its former text.
        denies: None: what holds the value says it.
    """
    if former == text:
        return
    fates: dict[str, dict[str, Fate]] = {}
    values: list[str] = []
    for owner in tx.memories.owners_made_from(*source):
        for memory in tx.memories.get_many(owner, tx.memories.made_from(owner, *source)).values():
            if memory.kind == "episode" or memory.withheld < 0:
                continue
            fate = _fate(tx, memory, source, former, text, denies)
            if fate != "said":
                fates.setdefault(str(owner), {})[str(memory.id)] = fate
            if fate in ("unsourced", "gone"):
                values.append(memory.content)
    _withhold_retelling(tx, person, source, former, text, values)
    if fates:
        tx.tasks.add_follow_up(source[0], EDIT, {"person": person, "message": source[1], "fates": fates}, WAIT)


def _fate(tx: Tx, memory: StoredMemory, source: Source, former: str, text: str, denies: Denies | None) -> Fate:
    quotes = [quote for quote in map(storable, (memory.excerpt or "").splitlines()) if quote in former]
    is_quoted = all(quote in text for quote in quotes)
    if quotes and is_quoted:
        return "said"
    saying = MentionIndex([(0, former), (1, text)]).of(memory.content)
    is_denied = 1 in saying and denies is not None and denies(text, memory.content)
    if (1 in saying and not is_denied) or (not saying and _keeps_most(former, text)):
        return "said" if is_quoted else "misquoted"
    if not comes_from(tx, memory, source):
        return "unsourced"
    return "denied" if is_denied else "gone"


def _keeps_most(former: str, text: str) -> bool:
    """Whether most words of the former text are still there: what was made of it in other words may still be so."""
    words = frozenset(index_words(former))
    return 2 * len(words & frozenset(index_words(text))) > len(words)


def _withhold_retelling(tx: Tx, person: int, source: Source, former: str, text: str, values: Iterable[str]) -> None:
    """Have answers to the person and episodes told nobody that say what the message says no longer.

    Args:
        values: What goes with the former text; the answers that say these follow with it.
    """
    space, message = source
    rows = tx.messages.list_with_person(space, person, _LOOKED_THROUGH)
    answers = MentionIndex((row.id, row.text) for row in rows if row.id > message and row.role == "assistant")
    ids = tx.memories.made_from(space, space, message)
    made = {id_: one for id_, one in tx.memories.get_many(space, ids).items() if one.kind == "episode"}
    episodes = MentionIndex((id_, episode.searchable) for id_, episode in made.items())
    retold = answers.retelling(former, loosely=True) - answers.retelling(text, loosely=True)
    told = set[int]().union(*map(episodes.of, values))
    if not _keeps_most(former, text):
        gone = frozenset(index_words(former)) - frozenset(index_words(text))
        told |= {id_ for id_, episode in made.items() if not gone.isdisjoint(index_words(episode.searchable))}
    change = tx.next_id("change") if retold or told else 0
    for answer in retold:
        withhold_message(tx, space, answer, change)
    for id_ in told:
        if not made[id_].withheld:
            persist.withhold(tx, made[id_], change)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return sorted(filter(tx.owners.exists, map(int, task.payload["fates"])))


def _take_back_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Let an owner's memories lose what the message says no longer."""
    if not tx.tasks.is_open(task, holding=owner):
        return {}
    space, message, author = task.owner, task.payload["message"], task.payload["person"]
    fates: Mapping[str, Fate] = task.payload["fates"][str(owner)]
    actor, changes = tx.owners.get(author).name, dict[StoredMemory, int]()
    for memory in tx.memories.get_many(owner, map(int, fates)).values():
        fate = fates[str(memory.id)]
        if fate != "misquoted":
            tx.memories.remove_source(memory, space, message)
        match fate:
            case "gone" if memory.withheld >= 0:
                changes[memory] = tx.next_id("change")
            case "denied" if not memory.archived:
                persist.hide(tx, memory, "forgotten", actor=actor, reason=_EDITED)
            case _:
                persist.unquote(tx, memory)
    if changes:
        # Of another person, only what was retold from it: their own words are theirs.
        person = owner if tx.owners.get(owner).kind == "person" else author
        removal = Removal("deleted", actor, _EDITED)
        withhold_in(tx, person, owner, {space}, changes, removal=removal, own_words=person == author)
    return {}


EDITING = Spread(_owners, _take_back_in, end)
