"""Of a chat that is too long for the cache, the index holds the newest messages that fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from zgadka.model.query_vector import Meaning
from zgadka.model.turn import Conversation
from zgadka.search.message_index_cache import MessageIndex
from zgadka.stores.tx.messages import MessageChange, SearchableMessage
from zgadka.stores.tx.vectors import VectorChange

CHAT: Conversation = ("chat", "", 0)
ROOM = 60_000
QUESTION = "what is word7 beside word1?"


def said(number: int, text: str | None = None) -> SearchableMessage:
    told = text or " ".join(f"word{number * step % 31}" for step in range(1, 9))
    return SearchableMessage(number, 1 + number % 3, 10**15 + number * 10**8, told, 1 + number % 3)


def newest_first(count: int) -> list[SearchableMessage]:
    return [said(number) for number in range(count, 0, -1)]


def meaning() -> Meaning:
    return Meaning("", 1, np.ones(96, dtype=np.float32), 0.0, 0.0, 1.0)


def vectors(ids: Iterable[int]) -> list[tuple[int, bytes]]:
    return [(number, np.full(96, number, dtype="<f2").tobytes()) for number in ids]


def test_the_newest_messages_that_fit_are_held_and_hardly_more_are_read():
    taken: list[int] = []

    def reading() -> Iterator[SearchableMessage]:
        for one in newest_first(10_000):
            taken.append(one.id)
            yield one

    index = MessageIndex(CHAT, reading(), lambda _: ROOM)
    held = sorted(index.corpus.messages)
    assert held == list(range(held[0], 10_001))
    assert len(taken) < 2 * len(held)
    assert index.size <= ROOM
    assert index.cut_to == ROOM


def test_a_chat_that_fits_is_held_whole():
    index = MessageIndex(CHAT, newest_first(10), lambda _: ROOM)
    assert len(index.corpus.messages) == 10
    assert index.cut_to == 0


def test_the_answer_is_that_of_an_index_of_exactly_what_it_holds():
    index = MessageIndex(CHAT, newest_first(500), lambda _: ROOM)
    for number in range(501, 600):
        index.apply(MessageChange(number, CHAT, said(number)))
    same = MessageIndex(CHAT, [said(number) for number in index.corpus.messages])
    assert 0 < len(index.corpus.messages) < 599
    assert index.corpus.rank(QUESTION, limit=50) == same.corpus.rank(QUESTION, limit=50)


@pytest.mark.parametrize("embedded", [False, True])
def test_as_the_chat_goes_on_the_index_stays_within_its_room(embedded: bool):
    index = MessageIndex(CHAT, newest_first(20), lambda _: ROOM)
    for number in range(21, 400):
        index.apply(MessageChange(number, CHAT, said(number)))
        if embedded:
            index.cosines(meaning(), lambda: vectors(index.corpus.messages))
            index.apply(VectorChange(number, 1, vectors([number])[0][1]))
        index.corpus.rank(QUESTION)
        # Ranking lays out the words of a new message; they count from then on.
        assert index.size <= ROOM + 360 * 8, number
        assert max(index.corpus.messages) == number
    assert 5 < len(index.corpus.messages) < 399
    assert index.cut_to == ROOM


def test_a_change_of_a_message_that_was_left_out_is_left_out_too():
    index = MessageIndex(CHAT, newest_first(500), lambda _: ROOM)
    held = dict(index.corpus.messages)
    index.apply(MessageChange(3, CHAT, said(3, "edited")))
    index.apply(MessageChange(4, None, None))
    assert index.corpus.messages == held
    assert index.corpus.rank("edited") == []


def test_a_room_too_small_for_anything_holds_little_and_fails_nothing():
    index = MessageIndex(CHAT, newest_first(5), lambda _: 1)
    for number in range(6, 9):
        index.apply(MessageChange(number, CHAT, said(number)))
    assert index.corpus.rank(QUESTION) == []
