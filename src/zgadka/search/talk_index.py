"""The messages of one chat in memory, ready for ranking."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from zgadka.model.meaning import Meaning
from zgadka.model.moments import moment
from zgadka.search.asked import features
from zgadka.search.conversation import Corpus, Message
from zgadka.stores.talk import MessageChange, Place, Said
from zgadka.stores.tx import Tx
from zgadka.stores.vectors import VectorChange
from zgadka.text.words import index_words

_MESSAGE_BYTES = 500
_WORD_BYTES = 160
"""Measured with tracemalloc over the turns of LoCoMo."""


class TalkIndex:
    """An index of one chat, changed as its messages change.

    Attributes:
        corpus: What ranks the messages.
        people: Who wrote each, by message; 0: the assistant.
        size: Bytes, estimated.
    """

    def __init__(self, place: Place, messages: Iterable[Said]) -> None:
        self._place = place
        self.people: dict[int, int] = {}
        self.times: dict[int, int] = {}
        self.size = 0
        self._sizes: dict[int, int] = {}
        self._embedder: int | None = None
        self._vector_bytes = 0
        self.corpus = Corpus([self._known(said) for said in messages])

    def prepare_vectors(self, tx: Tx, space: int, meaning: Meaning) -> None:
        """Have the messages' vectors of the query's embedder, as the transaction sees them."""
        if self._embedder == meaning.embedder:
            return
        from zgadka.search.embedders.vectors import from_bytes  # noqa: PLC0415  (numpy comes with an extra)

        self.corpus.clear_vectors()
        for message, numbers in tx.message_vectors(space, list(self.people), meaning.embedder):
            self.corpus.set_vector(message, from_bytes(numbers))
        self._embedder = meaning.embedder
        self.size += len(self.people) * 4 * len(meaning.vector) - self._vector_bytes
        self._vector_bytes = len(self.people) * 4 * len(meaning.vector)

    def apply(self, change: MessageChange | VectorChange) -> None:
        """Follow one changed message."""
        if isinstance(change, VectorChange):
            self._put_vector(change)
        elif change.said is not None and change.place == self._place:
            self.corpus.remove_vector(change.id)  # it was that of the text before an edit
            self.size -= self._sizes.pop(change.id, 0)
            self.corpus.add(self._known(change.said))
        elif change.id in self.people:
            self.corpus.remove(change.id)
            self.size -= self._sizes.pop(change.id)
            del self.people[change.id], self.times[change.id]

    def _put_vector(self, change: VectorChange) -> None:
        if change.embedder == self._embedder and change.id in self.people:
            from zgadka.search.embedders.vectors import from_bytes  # noqa: PLC0415  (as above)

            self.corpus.set_vector(change.id, from_bytes(change.numbers))
            self.size += 2 * len(change.numbers)
            self._vector_bytes += 2 * len(change.numbers)

    def _known(self, said: Said) -> Message:
        words = index_words(said.text)
        self.people[said.id] = said.person
        self.times[said.id] = said.at
        self._sizes[said.id] = size = _MESSAGE_BYTES + _WORD_BYTES * len(words)
        self.size += size
        return Message(said.id, said.person, moment(said.at), words, features(said.text))


@contextmanager
def talk_index(tx: Tx, space: int, place: Place) -> Generator[TalkIndex]:
    """The chat's index, as the transaction sees its messages."""
    with tx.index((space, "message", place), lambda: TalkIndex(place, tx.said(space, place)), at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        yield index
