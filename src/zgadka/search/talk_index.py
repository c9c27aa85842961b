"""The messages of one chat in memory, ready for ranking."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from zgadka.model.meaning import Meaning
from zgadka.model.moments import moment
from zgadka.model.turn import Conversation
from zgadka.search.asked import features
from zgadka.search.conversation import Corpus, Message
from zgadka.search.vectors import Vectors
from zgadka.stores.talk import MessageChange, Said
from zgadka.stores.tx import Tx
from zgadka.stores.vectors import VectorChange
from zgadka.text.words import index_words

_INDEX_BYTES = 1750
_MESSAGE_BYTES = 940
_WORD_BYTES = 49
_TOKEN_BYTES = 8
_VOCABULARY_BYTES = 360
"""Measured with tracemalloc (benchmarks/recall.py), in chats of 30 to 20,000 messages: each message, each of its words,
each time that it has one, and each word of the whole chat."""


class TalkIndex:
    """An index of one chat, changed as its messages change.

    Attributes:
        corpus: What ranks the messages.
        people: Who wrote each, by message; 0: the assistant.
        counterparts: Who wrote each, or whom the assistant answered.
        times: Microseconds since 1970 UTC.
    """

    def __init__(self, conversation: Conversation, messages: Iterable[Said]) -> None:
        self._conversation = conversation
        self.people: dict[int, int] = {}
        self.counterparts: dict[int, int] = {}
        self.times: dict[int, int] = {}
        self._size = _INDEX_BYTES
        self._sizes: dict[int, int] = {}
        self._vectors = Vectors()
        self.corpus = Corpus([self._known(said) for said in messages])

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return self._size + _VOCABULARY_BYTES * self.corpus.vocabulary_size + self._vectors.size

    def cosines(self, meaning: Meaning, read: Callable[[], list[tuple[int, bytes]]]) -> dict[int, float]:
        """How near the messages are that have a vector.

        Args:
            read: Reads the vectors, where they are not here yet.
        """
        # What is read may be of other chats of the space, too.
        found = self._vectors.cosines(meaning, lambda: [one for one in read() if one[0] in self.people])
        return found.unpacked()  # ranking looks at each

    def apply(self, change: MessageChange | VectorChange) -> None:
        """Follow one changed message."""
        if isinstance(change, VectorChange):
            if change.id in self.people:
                self._vectors.put(change)
        elif change.said is not None and change.conversation == self._conversation:
            self._vectors.remove(change.id)  # it was that of the text before an edit
            self._forget(change.id)
            self.corpus.add(self._known(change.said))
        elif change.id in self.people:
            self._vectors.remove(change.id)
            self._forget(change.id)
            self.corpus.remove(change.id)

    def _forget(self, message: int) -> None:
        self._size -= self._sizes.pop(message, 0)
        self.people.pop(message, None)
        self.counterparts.pop(message, None)
        self.times.pop(message, None)

    def _known(self, said: Said) -> Message:
        words = index_words(said.text)
        self.people[said.id] = said.person
        self.counterparts[said.id] = said.counterpart
        self.times[said.id] = said.at
        self._sizes[said.id] = size = _MESSAGE_BYTES + _WORD_BYTES * len(set(words)) + _TOKEN_BYTES * len(words)
        self._size += size
        return Message(said.id, said.person, moment(said.at), words, features(said.text))


@contextmanager
def talk_index(tx: Tx, space: int, conversation: Conversation) -> Generator[TalkIndex]:
    """The chat's index, as the transaction sees its messages."""

    def build() -> TalkIndex:
        return TalkIndex(conversation, tx.said(space, conversation))

    with tx.index((space, "message", conversation), build, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        yield index
