"""Delete a person's own messages, after they agreed in a later message."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zgadka.model.memory import StoredMemory
from zgadka.model.people import Message
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, find_space, is_invisible, speaker_of
from zgadka.ops.forget import answer_about, drop_unmeant
from zgadka.ops.open_questions import drop_others
from zgadka.ops.search_messages import search_messages
from zgadka.ops.unrecord import remove_unwanted
from zgadka.stores.tx import Tx
from zgadka.text.mere_mentions import only_asks, orders_forgetting
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.yes_no import agreed

_ID = re.compile(r"(?:M|message\s*:?)\s*#?([0-9]{1,16})", re.IGNORECASE)

_SAYS = frozenset({"words", "meaning"})
"""The reasons why a message itself is found, and not what was said around it."""
_LATEST = 500
"""Of the person's messages in each space, where they are looked for in their direct chat."""


@dataclass(frozen=True)
class MessageAnswers:
    """What became of each message that a deletion named; `missing` are ids, as given, of none of the speaker's here."""

    deleted: tuple[Message, ...] = ()
    asked: tuple[Message, ...] = ()
    cancelled: tuple[Message, ...] = ()
    missing: tuple[str, ...] = ()
    unclear: bool = False


def is_message_id(text: str) -> bool:
    """Whether it names a message: `M31`, `message:31`."""
    return _ID.fullmatch(text.strip()) is not None


def own_messages(tx: Tx, turn: Turn, query: str, memories: Iterable[StoredMemory], limit: int) -> list[Message]:
    """The speaker's own messages that answer a question best, without those that say one of these memories.

    In their direct chat, those of every space that hold a word of it, newest first.
    """
    if turn.direct:
        candidates = [message for space in _spaces(tx, turn) for message in _holding(tx, turn, space, query)]
        candidates = sorted(candidates, key=lambda message: message.at, reverse=True)[:limit]
    else:
        ranked = search_messages(tx, turn, query, limit, person=speaker_of(tx, turn), explain=True)
        # A question whose answer holds the words does not say them.
        candidates = [match.message for match in ranked if match.why.keys() & _SAYS]
    sayings = MentionIndex((message.id, message.text) for message in candidates)
    saying_ids = set[int]().union(*(sayings.of(memory.content) for memory in memories))
    return [message for message in candidates if message.id not in saying_ids and not _is_talk_of_memory(message)]


def _is_talk_of_memory(message: Message) -> bool:
    """Whether it only asks, or orders that something be forgotten, as the one that asks just now."""
    text = message.text
    return only_asks(text) or orders_forgetting(text) or bool(agreed(text, {message.id: text}))


def _told(tx: Tx, turn: Turn, space: int, messages: Mapping[int, Message]) -> dict[int, Message]:
    """Those of the speaker's messages that may be told here: their texts are asked about; to them alone, each is."""
    if turn.direct or not messages:
        return dict(messages)
    if is_invisible(tx, speaker_of(tx, turn), space):
        return {}
    scope, audiences = communal_scope(tx, turn), tx.messages.audiences(space, messages)
    return {id_: message for id_, message in messages.items() if scope.is_read_by(audiences.get(id_, 0))}


def _spaces(tx: Tx, turn: Turn) -> list[int]:
    """Where the speaker's messages may be named: in this place; in their direct chat, in every space."""
    elsewhere = tx.members.spaces_of(turn.platform, speaker_of(tx, turn)) if turn.direct else ()
    return [*dict.fromkeys((find_space(tx, turn), *elsewhere))]


def _holding(tx: Tx, turn: Turn, space: int, query: str) -> Iterable[Message]:
    rows = tx.messages.list_with_person(space, speaker_of(tx, turn), _LATEST)
    texts = MentionIndex((row.id, row.text) for row in rows if row.role == "user" and not row.is_withheld)
    return tx.messages.get_many(space, texts.naming(query)).values()


def own_named(tx: Tx, turn: Turn, ids: Collection[int]) -> tuple[dict[int, Message], dict[int, int]]:
    """Those of the speaker's own messages with these ids that may be told here, and the space of each, by id."""
    person = speaker_of(tx, turn)
    own: dict[int, Message] = {}
    spaces: dict[int, int] = {}
    for space in _spaces(tx, turn) if ids else ():
        messages = tx.messages.get_many(space, ids)
        authors = tx.messages.authors(space, messages)
        written = {id_: message for id_, message in messages.items() if authors[id_] == (person, "user")}
        own |= _told(tx, turn, space, written)
        spaces |= dict.fromkeys(messages, space)
    return own, spaces


def forget_messages(tx: Tx, turn: Turn, ids: Sequence[str], *, alone: bool) -> MessageAnswers:
    """Delete each of the speaker's messages that was asked about in an earlier turn; ask about each of the others.

    Args:
        ids: As the model wrote them (`M31`, `message:31`).
        alone: Whether nothing else was named: then it drops earlier questions about anything else.
    """
    person = speaker_of(tx, turn)
    named = {int(match[1]): text for text in ids if (match := _ID.fullmatch(text.strip()))}
    if alone and len(named) == 1:
        drop_others(tx, turn, -next(iter(named)))
    own, spaces = own_named(tx, turn, named)
    # Beside memories' ids, which are above 0 as well, a message's question stands under its number below 0.
    said = {id_: answer_about(tx, turn, -id_, message.text, message.text) for id_, message in own.items()}
    drop_unmeant(tx, turn, said.values())
    answers = {id_: answered.answer for id_, answered in said.items()}
    for id_, answer in answers.items():
        if answer == "agreed":
            remove_unwanted(tx, person, spaces[id_], id_, reason="forget", keeps_memories=True)

    def with_answer(*wanted: str) -> tuple[Message, ...]:
        return tuple(own[id_] for id_, answer in answers.items() if answer in wanted)

    return MessageAnswers(
        deleted=with_answer("agreed"),
        asked=with_answer("unclear", "none"),
        cancelled=with_answer("refused"),
        missing=tuple(text for id_, text in named.items() if id_ not in own),
        unclear="unclear" in answers.values(),
    )
