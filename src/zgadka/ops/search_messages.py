"""Find what was said in the chat."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from heapq import nlargest
from itertools import chain, islice

from zgadka.model.memory import Scope
from zgadka.model.outcome import FoundMessage
from zgadka.model.people import Message
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, find_space, invisible, speaker_of
from zgadka.ops.asked_together import Asking, by_itself
from zgadka.search.conversation import Hit, Ranked, ranked
from zgadka.search.exchanges import exchanges as find_exchanges
from zgadka.search.long_chat import excerpt
from zgadka.search.message_index_cache import MessageIndex, message_index
from zgadka.search.query_analysis import read_question
from zgadka.stores.tx import Tx
from zgadka.stores.tx.blocks import LongChat
from zgadka.stores.tx.messages import MessageChange
from zgadka.text.sanitize import storable

_NEAR = 100
"""Messages that are near in meaning, by which blocks of a long chat are chosen."""


def searching(
    tx: Tx,
    turn: Turn,
    query: str,
    limit: int,
    *,
    person: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    explain: bool = False,
) -> Asking[list[FoundMessage]]:
    """The messages of the turn's chat and thread that best answer a question, best first.

    Beside another operation, see `together`.

    What people said who are invisible to memory is not found, nor what they were told, nor this very turn's message.

    Args:
        person: Owner id: only what they said. None: what anybody said, the assistant too.
        since: The first moment, included.
        until: The last moment, not included.
    """
    if limit <= 0:
        return []
    with _index(tx, turn) as (space, chat, index):
        authors = _authors(tx, chat, index)
        names = tx.members.names(space, authors - {0})
        asker = speaker_of(tx, turn)
        asking = _asking(tx, turn, space, index, asker)
        question = read_question(query, names=names, asker=asker, now=turn.time or tx.now)
        floor = -1.0 if tx.meaning is None else tx.meaning.floor
        cosines = _cosines(tx, turn, space, index, query)
        with index.corpus.answering(asking) as recent:
            messages: Ranked = recent
            if chat is not None and chat.messages:
                near = nlargest(_NEAR, [id_ for id_ in cosines if cosines[id_] > floor], key=cosines.__getitem__)
                messages = excerpt(
                    tx,
                    chat,
                    recent,
                    question,
                    authors=authors,
                    parts=index.parts,
                    near=near,
                    person=person,
                    since=since,
                    until=until,
                )
            ranking = ranked(messages, question, cosines=cosines, floor=floor, asking=asking, explain=explain)
        wrote = dict(zip(messages.ids, messages.people, strict=True))
        hits = (hit for hit in ranking if person is None or wrote[hit.id] == person)
        first = list(islice(hits, limit))
        if first:
            scope = communal_scope(tx, turn)
            yield [lambda: tx.messages.rows_found(scope, [hit.id for hit in first])]
        hits = chain(first, hits)
        results = islice(_told(tx, turn, space, hits, limit, since=since, until=until), limit)
        return [
            FoundMessage(message, next(iter(names.get(wrote[hit.id], ())), None), hit.score, hit.parts)
            for hit, message in results
        ]


search_messages = by_itself(searching)


def exchanges(tx: Tx, turn: Turn, messages: Collection[int]) -> dict[int, tuple[Message, Message]]:
    """Of messages of the turn's chat that ask or answer a question, both halves, where both may be told here."""
    with _index(tx, turn) as (space, chat, index):
        pairs = find_exchanges(tx, chat, index, messages)
    halves = {half for pair in pairs.values() for half in pair}
    tellable = _told_here(tx, communal_scope(tx, turn), space, halves) if halves else {}
    return {
        message: (tellable[question], tellable[answer])
        for message, (question, answer) in pairs.items()
        if question in tellable and answer in tellable
    }


def names_here(tx: Tx, turn: Turn) -> dict[int, tuple[str, ...]]:
    """The names of the people who wrote in the turn's chat and thread, by owner id."""
    with _index(tx, turn) as (space, chat, index):
        return tx.members.names(space, _authors(tx, chat, index) - {0})


@contextmanager
def _index(tx: Tx, turn: Turn) -> Generator[tuple[int, LongChat | None, MessageIndex]]:
    """The turn's space, its chat as far as that is in blocks, and the index of the messages that are in none."""
    space = find_space(tx, turn)
    chat = tx.blocks.chat(space, turn.conversation)
    with message_index(tx, space, turn.conversation, 0 if chat is None else chat.last) as index:
        yield space, chat, index


def _authors(tx: Tx, chat: LongChat | None, index: MessageIndex) -> set[int]:
    recent = {message.person for message in index.corpus.messages.values()}
    return recent if chat is None else recent | tx.blocks.authors(chat)


def _told(
    tx: Tx, turn: Turn, space: int, hits: Iterator[Hit], limit: int, *, since: datetime | None, until: datetime | None
) -> Iterator[tuple[Hit, Message]]:
    """Those of the hits that may be told here, each with its message: its row says so, whatever an index holds."""
    scope = communal_scope(tx, turn)
    while batch := list(islice(hits, limit)):
        messages = _told_here(tx, scope, space, [hit.id for hit in batch])
        for hit in batch:
            message = messages.get(hit.id)
            if message is None or (since and message.at < since) or (until and message.at >= until):
                continue
            yield hit, message


def _told_here(tx: Tx, scope: Scope, space: int, ids: Iterable[int]) -> dict[int, Message]:
    """Those of the messages with these ids that may be told here, by id."""
    rows = tx.messages.list_found(scope, ids)
    hidden = invisible(tx, [person for _, person in rows], space)
    return {message.id: message for message, person in rows if person not in hidden}


def _cosines(tx: Tx, turn: Turn, space: int, index: MessageIndex, query: str) -> Mapping[int, float]:
    meaning = tx.meaning
    if meaning is None or not query.startswith(meaning.query):
        return {}
    return index.cosines(
        meaning, lambda limit: tx.vectors.of_messages(space, turn.conversation, meaning.embedder, limit)
    )


def ask_asking(tx: Tx, turn: Turn) -> str | None:
    """The text by which a search knows the turn's own message, where an index in memory tells which that may be."""
    space, speaker = find_space(tx, turn), speaker_of(tx, turn)

    def look(index: MessageIndex, changes: Sequence[object]) -> int | None:
        """That of the index, or a newer one that it has yet to follow."""
        newer = [
            change.id
            for change in changes
            if isinstance(change, MessageChange) and change.added and change.added.person == speaker
            if change.conversation == turn.conversation
        ]
        return max([_latest_of(index, speaker) or 0, *newer]) or None

    latest = tx.glance((space, "message", turn.conversation), look)
    return None if latest is None or turn.text is None else tx.messages.get_text(space, latest)


def _latest_of(index: MessageIndex, speaker: int) -> int | None:
    return max((message.id for message in index.corpus.messages.values() if message.person == speaker), default=None)


def _asking(tx: Tx, turn: Turn, space: int, index: MessageIndex, speaker: int) -> int | None:
    """The turn's own message: the speaker's last one, if it is what the turn says."""
    if turn.text is None:
        return None
    latest = _latest_of(index, speaker)
    return latest if latest is not None and tx.messages.get_text(space, latest) == storable(turn.text) else None
