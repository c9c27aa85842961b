"""Find what was said in the chat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from zgadka.model.outcome import FoundMessage
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, find_space, invisible, speaker_of
from zgadka.search.message_index_cache import MessageIndex, message_index
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import storable


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
    with message_index(tx, space, turn.conversation) as index:
        names = tx.members.names(space, _authors(index))
        chat, may_be_told = index.corpus.messages, _told_here(tx, turn, space, index)

        def fits(message: int) -> bool:
            return (
                may_be_told(message)
                and (person is None or chat[message].person == person)
                and (since is None or chat[message].at >= since)
                and (until is None or chat[message].at < until)
            )

        asker = speaker_of(tx, turn)
        hits = index.corpus.rank(
            query,
            names=names,
            asker=asker,
            now=turn.time or tx.now,
            cosines=_cosines(tx, space, index, query),
            floor=-1.0 if tx.meaning is None else tx.meaning.floor,
            limit=limit,
            fits=may_be_told if person is None and since is None and until is None else fits,
            asking=_asking(tx, turn, space, index, asker),
            explain=explain,
        )
        named = {hit.id: names.get(chat[hit.id].person, ()) for hit in hits}
    messages = tx.messages.get_many(space, [hit.id for hit in hits])
    return [
        FoundMessage(messages[hit.id], next(iter(named[hit.id]), None), hit.score, hit.parts)
        for hit in hits
        if hit.id in messages
    ]


def exchanges(tx: Tx, turn: Turn, messages: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Of messages of the turn's chat that ask or answer a question, both halves, where both may be told here."""
    space = find_space(tx, turn)
    with message_index(tx, space, turn.conversation) as index:
        may_be_told = _told_here(tx, turn, space, index)
        pairs = {message: index.corpus.exchange(message) for message in messages}
        return {message: pair for message, pair in pairs.items() if pair is not None and all(map(may_be_told, pair))}


def _told_here(tx: Tx, turn: Turn, space: int, index: MessageIndex) -> Callable[[int], bool]:
    """Which messages may be told in this turn, by id."""
    counterparts, audiences = index.counterparts, index.audiences
    hidden, here = invisible(tx, counterparts.values(), space), communal_scope(tx, turn)
    return lambda message: counterparts[message] not in hidden and here.is_read_by(audiences.get(message, 0))


def names_here(tx: Tx, turn: Turn) -> dict[int, tuple[str, ...]]:
    """The names of the people who wrote in the turn's chat and thread, by owner id."""
    space = find_space(tx, turn)
    with message_index(tx, space, turn.conversation) as index:
        return tx.members.names(space, _authors(index))


def _authors(index: MessageIndex) -> set[int]:
    return {message.person for message in index.corpus.messages.values()} - {0}


def _cosines(tx: Tx, space: int, index: MessageIndex, query: str) -> Mapping[int, float] | None:
    meaning = tx.meaning
    if meaning is None or not query.startswith(meaning.query):
        return None
    return index.cosines(meaning, lambda: tx.vectors.of_messages(space, list(index.corpus.messages), meaning.embedder))


def _asking(tx: Tx, turn: Turn, space: int, index: MessageIndex, speaker: int) -> int | None:
    """The turn's own message: the speaker's last one, if it is what the turn says."""
    if turn.text is None:
        return None
    own = (message.id for message in index.corpus.messages.values() if message.person == speaker)
    latest = max(own, default=None)
    return latest if latest is not None and tx.messages.get_text(space, latest) == storable(turn.text) else None
