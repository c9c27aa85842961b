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
from zgadka.stores.talk import Place
from zgadka.stores.tx import Tx

_SPARE = 3
"""So many more than wanted are ranked: the message that asks is no answer to itself."""


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

    What people said who are invisible to memory is not found, nor the message of this very turn.

    Args:
        person: Owner id: only what they said. None: what anybody said, the assistant too.
        since: The first moment, included.
        until: The last moment, not included.
    """
    space = find_space(tx, turn)
    place: Place = (turn.chat, turn.thread or "", turn.persona)
    with talk_index(tx, space, place) as index:
        authors = set(index.people.values()) - {0}
        names = tx.names(space, authors)
        hidden = {one for one in authors if privacy_of(tx, one) is PrivacyLevel.FULL}
        first = None if since is None else micros(since)
        last = None if until is None else micros(until)
        people, times = index.people, index.times

        def fits(message: int) -> bool:
            author = people[message]
            return (
                author not in hidden
                and (person is None or author == person)
                and (first is None or times[message] >= first)
                and (last is None or times[message] < last)
            )

        hits = _ranked(tx, turn, space, index, query, names, limit + _SPARE, explain=explain, fits=fits)
        named = {hit.id: names.get(people[hit.id], ()) for hit in hits}
    messages = tx.messages(space, [hit.id for hit in hits])
    found = [
        FoundMessage(message, next(iter(named[hit.id]), None), hit.score, hit.parts)
        for hit in hits
        if (message := messages.get(hit.id)) is not None
        and not (message.user == turn.user_name and message.role == "user" and message.text == turn.text)
    ]
    return found[:limit]


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
    if meaning is not None:
        index.prepare_vectors(tx, space, meaning)
    return index.corpus.rank(
        query,
        names=names,
        asker=person_named(tx, turn, turn.user_name),
        now=turn.time or tx.now,
        query_vector=None if meaning is None else meaning.vector,
        limit=limit,
        fits=fits,
        explain=explain,
    )
