"""Questions and their answers in one chat, wherever the two are: among the newest messages or in blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from zgadka.model.message_block import GAP_MICROS
from zgadka.model.timestamps import micros
from zgadka.search.conversation_index import Message
from zgadka.search.excerpt import Part
from zgadka.search.long_chat import lay_out
from zgadka.search.message_index_cache import MessageIndex
from zgadka.search.query_analysis import Offer
from zgadka.stores.tx import Tx
from zgadka.stores.tx.blocks import LongChat


class _Half(NamedTuple):
    """A message as it may be one half of an exchange.

    Attributes:
        at: Microseconds since 1970 UTC.
        offer: As a number.
    """

    id: int
    person: int
    at: int
    offer: int


def exchanges(
    tx: Tx, chat: LongChat | None, index: MessageIndex, messages: Collection[int]
) -> dict[int, tuple[int, int]]:
    """The question and the answer, where a message is one of the two and somebody else said the other just then.

    Args:
        chat: The chat as far as it is in blocks.
        index: Its messages that are in none.
        messages: Of the chat, by id.
    """
    pairs: dict[int, tuple[int, int]] = {}
    for message in messages:
        line = [_recent(near) for near in index.corpus.around(message)]
        if chat is not None and line and line[0].id == message:
            line = [*_before(tx, chat, index, chat.last + 1), *line]
        pairs |= _pairs(line, {message})
    older = set[int]() if chat is None else {message for message in messages if message <= chat.last}
    if chat is not None and older:
        for number, part in lay_out(tx, chat, tx.blocks.with_messages(chat, older), index.parts).items():
            line = _in_block(part)
            preceding = _before(tx, chat, index, number) if line[0].id in older else []
            following = _after(tx, chat, index, number) if line[-1].id in older else []
            pairs |= _pairs([*preceding, *line, *following], older)
    return pairs


def _pairs(line: Sequence[_Half], messages: Collection[int]) -> dict[int, tuple[int, int]]:
    """By message, of messages that follow each other; one that asks and answers answers."""
    pairs: dict[int, tuple[int, int]] = {}
    for question, answer in pairwise(line):
        is_pair = question.offer & Offer.QUESTION and answer.at - question.at <= GAP_MICROS
        if is_pair and question.person != answer.person:
            for half in (question, answer):
                if half.id in messages:
                    pairs.setdefault(half.id, (question.id, answer.id))
    return pairs


def _before(tx: Tx, chat: LongChat, index: MessageIndex, number: int) -> list[_Half]:
    """The message before a block, or before all that are in none."""
    parts: Iterable[Part] = lay_out(tx, chat, tx.blocks.with_messages(chat, [number - 1]), index.parts).values()
    return [half for part in parts for half in _in_block(part)[-1:]]


def _after(tx: Tx, chat: LongChat, index: MessageIndex, number: int) -> list[_Half]:
    """The message after a block."""
    following = tx.blocks.after(chat, number)
    if following is not None:
        return _in_block(lay_out(tx, chat, [following], index.parts)[following])[:1]
    return [_recent(message) for message in index.corpus.oldest()]


def _in_block(part: Part) -> list[_Half]:
    return list(map(_Half, part.ids, part.people, part.block.times, part.offers))


def _recent(message: Message) -> _Half:
    return _Half(message.id, message.person, micros(message.at), int(message.offer))
