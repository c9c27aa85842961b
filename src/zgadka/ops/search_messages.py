"""Find what was said in the chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from zgadka.model.moments import micros
from zgadka.model.outcome import FoundMessage
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.scopes import find_space, person_named, privacy_of
from zgadka.search.conversation import Hit
from zgadka.search.talk_index import TalkIndex, talk_index
from zgadka.stores.tx import Tx
from zgadka.text.clean import storable


def search_messages(
    tx: Tx,
    turn: Turn,
    query: str,
    limit: int,
    *,
    person: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    explain: bool = False,
) -> list[FoundMessage]:
    """The messages of the turn's chat and thread that best answer a question, best first.

    What people said who are invisible to memory is not found, nor what they were told, nor this very turn's message.

    Args:
        person: Owner id: only what they said. None: what anybody said, the assistant too.
        since: The first moment, included.
        until: The last moment, not included.
    """
    space = find_space(tx, turn)
    with talk_index(tx, space, turn.conversation) as index:
        names = tx.names(space, set(index.people.values()) - {0})
        hidden = {one for one in set(index.counterparts.values()) if privacy_of(tx, one) is PrivacyLevel.FULL}
        first = None if since is None else micros(since)
        last = None if until is None else micros(until)
        people, counterparts, times = index.people, index.counterparts, index.times

        def fits(message: int) -> bool:
            return (
                counterparts[message] not in hidden
                and (person is None or people[message] == person)
                and (first is None or times[message] >= first)
                and (last is None or times[message] < last)
            )

        hits = _ranked(tx, turn, space, index, query, names, limit, explain=explain, fits=fits)
        named = {hit.id: names.get(people[hit.id], ()) for hit in hits}
    messages = tx.messages(space, [hit.id for hit in hits])
    return [
        FoundMessage(messages[hit.id], next(iter(named[hit.id]), None), hit.score, hit.parts)
        for hit in hits
        if hit.id in messages
    ]


def names_here(tx: Tx, turn: Turn) -> dict[int, tuple[str, ...]]:
    """The names of the people who wrote in the turn's chat and thread, by owner id."""
    space = find_space(tx, turn)
    with talk_index(tx, space, turn.conversation) as index:
        return tx.names(space, set(index.people.values()) - {0})


def _ranked(
    tx: Tx,
    turn: Turn,
    space: int,
    index: TalkIndex,
    query: str,
    names: Mapping[int, tuple[str, ...]],
    limit: int,
    *,
    explain: bool,
    fits: Callable[[int], bool],
) -> list[Hit]:
    meaning = tx.meaning
    cosines: Mapping[int, float] | None = None
    if meaning is not None and meaning.query == query[: len(meaning.query)]:
        embedder = meaning.embedder
        cosines = index.cosines(meaning, lambda: tx.message_vectors(space, list(index.people), embedder))
    speaker = person_named(tx, turn, turn.user_name)
    return index.corpus.rank(
        query,
        names=names,
        asker=speaker,
        now=turn.time or tx.now,
        cosines=cosines,
        floor=-1.0 if meaning is None else meaning.floor,
        limit=limit,
        fits=fits,
        asking=_asking(tx, turn, space, index, speaker),
        explain=explain,
    )


def _asking(tx: Tx, turn: Turn, space: int, index: TalkIndex, speaker: int) -> int | None:
    """The turn's own message: the speaker's last one, if it is what the turn says."""
    if turn.text is None:
        return None
    last = max((message for message, author in index.people.items() if author == speaker), default=None)
    return last if last is not None and tx.message_text(space, last) == storable(turn.text) else None
