"""The newest messages of one chat in memory, ready for ranking; older ones of a long chat are in blocks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from itertools import islice

from zgadka.model.query_vector import Meaning
from zgadka.model.timestamps import moment
from zgadka.model.turn import Conversation
from zgadka.search.conversation import Corpus
from zgadka.search.conversation_index import Message
from zgadka.search.excerpt import Part
from zgadka.search.query_analysis import features
from zgadka.search.vector_cache import Vectors
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import NEW_BLOCK, MessageChange, SearchableMessage
from zgadka.stores.tx.vectors import VectorChange
from zgadka.text.words import index_words

_INDEX_BYTES = 1750
_MESSAGE_BYTES = 680
_WORD_BYTES = 49
_TOKEN_BYTES = 8
_VOCABULARY_BYTES = 360
"""Measured with tracemalloc (benchmarks/recall.py), in chats of 30 to 20,000 messages: each message, each of its words,
each time that it has one, and each word of the whole chat."""
_VECTOR_BYTES = 6
"""For each number of a vector: it has four bytes, and a table that is full grows by half."""
_VECTORS_BYTES = 28 * 2**20
"""For the vectors of one chat: those of its 12,000 newest messages, of 384 numbers each."""
_UNEMBEDDED_BYTES = 70
"""Of the id of a message that may have a vector."""

MOST_RECENT = 20_000
"""Messages that are read where blocks are still to be made of a chat; mostly some hundred are in none."""


class MessageIndex:
    """An index of the messages of one chat that are in no block, changed as they change.

    Args:
        messages: Newest first; no more of them are taken than `MOST_RECENT`.

    Attributes:
        corpus: What ranks the messages.
        parts: Blocks of the chat that were asked for, by id.
    """

    def __init__(self, conversation: Conversation, messages: Iterable[SearchableMessage]) -> None:
        self._conversation = conversation
        self._size = _INDEX_BYTES
        self._sizes: dict[int, int] = {}
        self._vectors = Vectors()
        self._with_vectors: set[int] = set()
        self._most_vectors = 0
        self._last = 0
        self.parts: dict[int, Part] = {}
        self.corpus = Corpus(map(self._indexed, islice(messages, MOST_RECENT)))

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        vectors = self._vectors.size + _UNEMBEDDED_BYTES * len(self._with_vectors)
        parts = sum(part.size for part in self.parts.values())
        return self._size + _VOCABULARY_BYTES * self.corpus.vocabulary_size + vectors + parts

    def cosines(self, meaning: Meaning, read: Callable[[int], Iterable[tuple[int, bytes | None]]]) -> dict[int, float]:
        """How near those of the chat's newest messages are that have a vector, also those that are in blocks.

        Args:
            read: Reads the vectors of so many messages, where they are not here yet; None of those that have none.
        """

        def read_those() -> list[tuple[int, bytes]]:
            self._most_vectors = _VECTORS_BYTES // (_VECTOR_BYTES * len(meaning.vector))
            rows = list(read(self._most_vectors))
            self._with_vectors = {id_ for id_, _ in rows}
            return [(id_, numbers) for id_, numbers in rows if numbers is not None]

        cosines = self._vectors.cosines(meaning, read_those)
        return cosines.unpacked()  # ranking looks at each

    def apply(self, change: MessageChange | VectorChange) -> None:
        """Follow one changed message."""
        if isinstance(change, VectorChange):
            if change.id in self._with_vectors:
                self._vectors.put(change)
            return
        if change.id <= self._last and change.id != NEW_BLOCK:  # it may be in a block
            self.parts.clear()
        self._vectors.remove(change.id)  # it was that of the text before an edit
        if change.added is None:
            self._forget(change.id)
            self._with_vectors.discard(change.id)
        elif change.conversation == self._conversation:
            self._size -= self._sizes.pop(change.id, 0)
            self.corpus.add(self._indexed(change.added))
            self._with_vectors.add(change.id)
            if len(self._with_vectors) > 1.5 * self._most_vectors:  # a table keeps its size: the newest are read again
                self._vectors.clear()
                self._with_vectors.clear()

    def keep_after(self, last: int) -> None:
        """Let go of the messages up to this id: they are in a block now."""
        self._last = last
        for message in [id_ for id_ in self.corpus.messages if id_ <= last]:
            self._forget(message)

    def _forget(self, message: int) -> None:
        self._size -= self._sizes.pop(message, 0)
        self.corpus.remove(message)

    def _indexed(self, message: SearchableMessage) -> Message:
        words = index_words(message.text)
        self._sizes[message.id] = size = _MESSAGE_BYTES + _WORD_BYTES * len(set(words)) + _TOKEN_BYTES * len(words)
        self._size += size
        return Message(message.id, message.person, moment(message.at), words, features(message.text))


@contextmanager
def message_index(tx: Tx, space: int, conversation: Conversation, last: int) -> Generator[MessageIndex]:
    """The index of the chat's messages after the last that is in a block, as the transaction sees them."""

    def build() -> MessageIndex:
        return MessageIndex(conversation, tx.messages.iterate(space, conversation, last))

    with tx.index((space, "message", conversation), build, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        index.keep_after(last)
        yield index
