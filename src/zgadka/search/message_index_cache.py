"""The messages of one chat in memory, ready for ranking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from zgadka.model.query_vector import Meaning
from zgadka.model.timestamps import moment
from zgadka.model.turn import Conversation
from zgadka.search.conversation import Corpus
from zgadka.search.conversation_index import Message
from zgadka.search.query_analysis import features
from zgadka.search.vector_cache import Vectors
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import MessageChange, SearchableMessage
from zgadka.stores.tx.vectors import VectorChange
from zgadka.text.words import index_words

_INDEX_BYTES = 1750
_MESSAGE_BYTES = 830
_WORD_BYTES = 49
_TOKEN_BYTES = 8
_VOCABULARY_BYTES = 360
"""Measured with tracemalloc (benchmarks/recall.py), in chats of 30 to 20,000 messages: each message, each of its words,
each time that it has one, and each word of the whole chat."""
_VECTOR_BYTES = 6
"""For each number of a vector: it has four bytes, and a table that is full grows by half."""

_LEFT = 0.75
"""How full an index is after it let go of the oldest messages: to lay out the others takes long, so it is seldom."""


class MessageIndex:
    """An index of one chat, changed as its messages change; of a long one, of its newest messages.

    Args:
        messages: Newest first; no more of them are taken than fit.
        room: Tells the bytes it may take, about, when it needs so many. None: any number.

    Attributes:
        corpus: What ranks the messages.
        counterparts: Who wrote each, or whom the assistant answered.
        audiences: The group of readers whom a message was for; it has none where that is all who read the space.
    """

    def __init__(
        self,
        conversation: Conversation,
        messages: Iterable[SearchableMessage],
        room: Callable[[int], int] | None = None,
    ) -> None:
        self._conversation = conversation
        self.counterparts: dict[int, int] = {}
        self.audiences: dict[int, int] = {}
        self._size = _INDEX_BYTES
        self._sizes: dict[int, int] = {}
        self._vectors = Vectors()
        self._ask_room = room
        self._room = sys.maxsize if room is None else 0
        self._since = 0  # messages with a lower id are left out
        indexed: list[Message] = []
        vocabulary: set[str] = set()
        has_room = True
        for message in messages:
            indexed.append(self._indexed(message))
            vocabulary.update(indexed[-1].words)
            has_room = self._has_room(self._size + _VOCABULARY_BYTES * len(vocabulary))
            if not has_room:
                break
        self.corpus = Corpus(indexed)
        if not has_room:
            self._keep_newest(_LEFT)

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return self._size + _VOCABULARY_BYTES * self.corpus.vocabulary_size + self._vectors.size

    @property
    def cut_to(self) -> int:
        """Bytes it may take and that were too few, so that it left messages out; 0: it has all."""
        return self._room if self._since else 0

    def cosines(self, meaning: Meaning, read: Callable[[], list[tuple[int, bytes]]]) -> dict[int, float]:
        """How near the messages are that have a vector.

        Args:
            read: Reads the vectors, where they are not here yet.
        """

        def read_those() -> list[tuple[int, bytes]]:
            self._vectors.clear()  # those of another embedder
            self._fit(_VECTOR_BYTES * len(meaning.vector) * len(self.counterparts))
            return [row for row in read() if row[0] in self.counterparts]  # others may be of other chats of the space

        cosines = self._vectors.cosines(meaning, read_those)
        return cosines.unpacked()  # ranking looks at each

    def apply(self, change: MessageChange | VectorChange) -> None:
        """Follow one changed message."""
        if isinstance(change, VectorChange):
            if change.id in self.counterparts:
                self._vectors.put(change)
                self._fit()
        elif change.added is not None and change.conversation == self._conversation:
            if change.id < self._since:
                return
            self._vectors.remove(change.id)  # it was that of the text before an edit
            self._forget(change.id)
            self.corpus.add(self._indexed(change.added))
            self._fit()
        elif change.id in self.counterparts:
            self._vectors.remove(change.id)
            self._forget(change.id)
            self.corpus.remove(change.id)

    def _has_room(self, size: int) -> bool:
        """Whether it may take so many bytes; to find out looks at all indexes, so it is seldom done."""
        if self._ask_room is not None and size > self._room:
            self._room = self._ask_room(size)
        return size <= self._room

    def _fit(self, extra: int = 0) -> None:
        """Let go of the oldest messages where the index, with so many bytes more, would take too many."""
        if self.counterparts and not self._has_room(self.size + extra):
            self._keep_newest(_LEFT * self._room / (self.size + extra))

    def _keep_newest(self, share: float) -> None:
        ids = sorted(self.counterparts)
        gone = len(ids) - int(share * len(ids))
        self._since = ids[gone] if gone < len(ids) else ids[-1] + 1
        self._vectors.clear()  # a table keeps its size; those of the others are read again
        for message in ids[:gone]:
            self._forget(message)
            self.corpus.remove(message)

    def _forget(self, message: int) -> None:
        self._size -= self._sizes.pop(message, 0)
        self.counterparts.pop(message, None)
        self.audiences.pop(message, None)

    def _indexed(self, message: SearchableMessage) -> Message:
        words = index_words(message.text)
        self.counterparts[message.id] = message.counterpart
        if message.audience:
            self.audiences[message.id] = message.audience
        self._sizes[message.id] = size = _MESSAGE_BYTES + _WORD_BYTES * len(set(words)) + _TOKEN_BYTES * len(words)
        self._size += size
        return Message(message.id, message.person, moment(message.at), words, features(message.text))


@contextmanager
def message_index(tx: Tx, space: int, conversation: Conversation) -> Generator[MessageIndex]:
    """The chat's index, as the transaction sees its messages; of a chat that is too long, of the newest."""
    key = (space, "message", conversation)

    def build() -> MessageIndex:
        return MessageIndex(conversation, tx.messages.iterate(space, conversation), tx.index_room(key))

    with tx.index(key, build, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        yield index
