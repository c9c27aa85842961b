"""The index in memory holds the messages of a chat that are in no block, and the vectors of its newest messages."""

from __future__ import annotations

import numpy as np
import pytest

from zgadka.model.query_vector import Meaning
from zgadka.model.turn import Conversation
from zgadka.search import message_index_cache
from zgadka.search.message_index_cache import MessageIndex
from zgadka.stores.tx.messages import MessageChange, SearchableMessage
from zgadka.stores.tx.vectors import VectorChange

CHAT: Conversation = ("chat", "", 0)
QUESTION = "what is word7 beside word1?"
NUMBERS = 96


def said(number: int, text: str | None = None) -> SearchableMessage:
    told = text or " ".join(f"word{number * step % 31}" for step in range(1, 9))
    return SearchableMessage(number, 1 + number % 3, 10**15 + number * 10**8, told)


def newest_first(count: int) -> list[SearchableMessage]:
    return [said(number) for number in range(count, 0, -1)]


def meaning() -> Meaning:
    return Meaning("", 1, np.ones(NUMBERS, dtype=np.float32), 0.0, 0.0, 1.0)


def vector(number: int) -> bytes:
    return np.full(NUMBERS, number, dtype="<f2").tobytes()


def test_what_is_in_a_block_now_is_let_go_and_ranking_goes_on_as_if_it_had_not_been_there():
    index = MessageIndex(CHAT, newest_first(60))
    index.corpus.rank(QUESTION)
    index.keep_after(40)
    same = MessageIndex(CHAT, [said(number) for number in range(60, 40, -1)])
    assert sorted(index.corpus.messages) == list(range(41, 61))
    assert index.corpus.rank(QUESTION, limit=50) == same.corpus.rank(QUESTION, limit=50)
    same.corpus.rank(QUESTION)
    assert index.size == same.size


def test_only_the_newest_are_read_of_very_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_index_cache, "MOST_RECENT", 25)
    assert sorted(MessageIndex(CHAT, newest_first(100)).corpus.messages) == list(range(76, 101))


def test_an_edited_message_counts_once():
    index, same = (MessageIndex(CHAT, newest_first(5)) for _ in range(2))
    for _ in range(9):
        index.apply(MessageChange(3, CHAT, said(3)))
    assert index.size == same.size


def test_the_vectors_of_messages_in_blocks_are_compared_too_and_followed():
    index = MessageIndex(CHAT, [said(9), said(8)])
    stored = {number: vector(number) for number in range(1, 8)}
    cosines = index.cosines(meaning(), lambda _: [(number, stored.get(number)) for number in range(9, 0, -1)])
    assert sorted(cosines) == list(range(1, 8)), "of two there are none yet"
    index.apply(VectorChange(9, 1, vector(9)))
    index.apply(VectorChange(77, 1, vector(77)))  # a message of another chat
    index.apply(MessageChange(2, None, None))
    index.apply(MessageChange(3, CHAT, said(3, "edited")))
    index.apply(MessageChange(10, CHAT, said(10)))
    index.apply(VectorChange(10, 1, vector(10)))
    assert sorted(index.cosines(meaning(), lambda _: [])) == [1, 4, 5, 6, 7, 9, 10]


def test_as_the_chat_goes_on_its_vectors_are_read_again_before_they_are_twice_as_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_index_cache, "_VECTORS_BYTES", 20 * 6 * NUMBERS)
    index = MessageIndex(CHAT, newest_first(3))
    asked: list[int] = []

    def read(limit: int) -> list[tuple[int, bytes | None]]:
        asked.append(limit)
        newest = max(index.corpus.messages)
        return [(number, vector(number)) for number in range(newest, max(newest - limit, 0), -1)]

    for number in range(4, 100):
        assert len(index.cosines(meaning(), read)) < 40
        index.apply(MessageChange(number, CHAT, said(number)))
        index.apply(VectorChange(number, 1, vector(number)))
    assert set(asked) == {20}
    assert 2 <= len(asked) < 15
