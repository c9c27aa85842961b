"""The older messages of long chats, in blocks, and which of them hold a word."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zgadka.breathing import breathing
from zgadka.model.message_block import MOST, UNKNOWN_OFFER, Block, BlockMessage, author_of, author_term
from zgadka.model.turn import Conversation
from zgadka.stores.row_mapping import Row, Value, conversation_parameters
from zgadka.stores.tx.base import Topic
from zgadka.text.words import index_words

LONG = 512
"""A chat has blocks from so many messages on."""

_LAST = "\U0010ffff"
_AUTHORS = 500


@dataclass(frozen=True)
class LongChat:
    """A chat that has blocks, or is to have some.

    Attributes:
        last: Messages with higher ids are in no block.
        messages: How many messages all blocks have.
        words: How many words they have together.
        segments: How many segments.
        is_due: Whether blocks are to be made without waiting for more messages.
        form: By which version of the program the words were made.
    """

    owner: int
    id: int
    conversation: Conversation
    last: int
    messages: int
    words: int
    segments: int
    is_due: bool
    form: int


class Blocks(Topic):
    """The older messages of long chats, in blocks, and which of them hold a word."""

    def chat(self, space: int, conversation: Conversation) -> LongChat | None:
        """The conversation as far as it is in blocks; None where it is short."""
        rows = self._rows("conversation_get", conversation_parameters(space, conversation))
        return _long_chat(rows[0]) if rows else None

    def next_due(self, form: int, but: Collection[int] = ()) -> LongChat | None:
        """A conversation of which blocks are to be made, or are of another version. Asks everywhere.

        Args:
            but: The ids of those that are left to the other version.
        """
        rows = self._rows("conversation_next", {"form": form, "but": f" {' '.join(map(str, but))} "})
        return _long_chat(rows[0]) if rows else None

    def find_long(self, space: int) -> None:
        """Note which conversations of the space are long, so that blocks are made of what is in none."""
        self._rows("conversations_find", {"owner": space, "least": LONG})

    def make_anew(self, space: int) -> None:
        """Drop every block of the space, and have them made again."""
        self.drop_all(space)
        self.find_long(space)

    def note_long(self, space: int, conversation: Conversation, after: int, limit: int) -> int:
        """Note that blocks are to be made, if `LONG` messages are in none; returns how many are, `limit` at most.

        Args:
            after: Messages with higher ids are in no block.
        """
        row = conversation_parameters(space, conversation) | {"after": after, "limit": limit}
        count, first = self._rows("messages_in_no_block", row)[0]
        if count >= LONG:
            self._rows("conversation_due", conversation_parameters(space, conversation) | {"id": first})
        return count

    def end_due(self, chat: LongChat) -> None:
        """Note that the next block waits for more messages."""
        self._rows("conversation_done", {"owner": chat.owner, "id": chat.id})

    def put_form(self, chat: LongChat, form: int) -> None:
        """Note by which version the words of a conversation without blocks are to be made."""
        self._rows("conversation_form", {"owner": chat.owner, "id": chat.id, "form": form})

    def add(self, chat: LongChat, block: Block, last: int) -> None:
        """Keep the next block of a conversation.

        Args:
            last: Up to this id all messages that are to be found are in blocks now.
        """
        if block.ids:
            self._put(chat.owner, chat.id, block.ids[0], None, block)
        self._rows("conversation_last", {"owner": chat.owner, "id": chat.id, "last": last})

    def newest(self, chat: LongChat, limit: int) -> list[int]:
        """The ids of the conversation's newest blocks, the newest first."""
        return self._column("blocks_newest", {"owner": chat.owner, "conversation": chat.id, "limit": limit})

    def after(self, chat: LongChat, block: int) -> int | None:
        """The id of the conversation's next block; None after the newest."""
        return self._value("block_after", {"owner": chat.owner, "conversation": chat.id, "id": block})

    def drop_newest(self, chat: LongChat, limit: int) -> bool:
        """Drop some of the conversation's newest blocks, whose messages are in none then; False: there are none."""
        ids = self.newest(chat, limit)
        for number, block in self.get(chat, ids).items():
            self._put(chat.owner, chat.id, number, block, None)
        remaining = self._rows("blocks_last", {"owner": chat.owner, "conversation": chat.id})
        self._rows(
            "conversation_last", {"owner": chat.owner, "id": chat.id, "last": remaining[0][0] if remaining else 0}
        )
        return bool(ids)

    def drop_all(self, space: int) -> None:
        """Drop every block of the space."""
        for part in ("block_words", "blocks", "conversations"):
            self._rows(f"erase_{part}", {"owner": space})

    def get(self, chat: LongChat, ids: Collection[int]) -> dict[int, Block]:
        """These blocks of a conversation, by id, in order."""
        wanted = json.dumps(list(ids))
        rows = self._rows("blocks_get", {"owner": chat.owner, "conversation": chat.id, "ids": wanted}) if ids else []
        return {row[0]: Block.decode(row[1]) for row in breathing(rows)}

    def count(self, chat: LongChat) -> tuple[int, int]:
        """How many blocks the conversation has, and the id of the oldest; of none, twice 0."""
        count, oldest = self._rows("blocks_count", {"owner": chat.owner, "conversation": chat.id})[0]
        return count, oldest or 0

    def holding(self, chat: LongChat, words: Collection[str], limit: int) -> dict[str, list[int]]:
        """Of each word that any does, the newest blocks that hold it, at most `limit` of them, in order."""
        row = {"owner": chat.owner, "conversation": chat.id, "words": json.dumps(sorted(words), ensure_ascii=False)}
        held: defaultdict[str, list[int]] = defaultdict(list)
        for word, block in self._rows("blocks_holding", row | {"limit": limit}) if words else ():
            held[word].append(block)
        return dict(held)

    def starting(self, chat: LongChat, start: str, limit: int) -> list[str]:
        """The words of the conversation's blocks that begin so, in order."""
        row = {"owner": chat.owner, "conversation": chat.id, "first": start, "last": start + _LAST, "limit": limit}
        return self._column("block_words_starting", row)

    def authors(self, chat: LongChat) -> set[int]:
        """Those who wrote what is in the conversation's blocks; of very many, some."""
        return {author_of(term) for term in self.starting(chat, author_term(0)[0], _AUTHORS)}

    def between(self, chat: LongChat, since: int, until: int, limit: int) -> list[int]:
        """The newest blocks with messages of that time, in microseconds since 1970 UTC; the last is not included."""
        row = {"owner": chat.owner, "conversation": chat.id, "since": since, "until": until, "limit": limit}
        return self._column("blocks_between", row)

    def with_messages(self, chat: LongChat, ids: Iterable[int]) -> set[int]:
        """The blocks that these messages are in, if they are in any."""
        row = {"owner": chat.owner, "conversation": chat.id, "ids": json.dumps(list(ids))}
        return {block for (block,) in self._rows("blocks_with", row) if block is not None}

    def remove(self, space: int, messages: Iterable[tuple[int, Conversation]]) -> None:
        """Let messages go that are gone, or that nobody is told: where they are in a block, from there."""
        by_conversation: defaultdict[Conversation, set[int]] = defaultdict(set)
        for message, conversation in messages:
            by_conversation[conversation].add(message)
        for conversation, ids in by_conversation.items():
            chat = self.chat(space, conversation)
            old = {id_ for id_ in ids if id_ <= chat.last} if chat is not None else set[int]()
            if chat is None or not old:
                continue
            for number, block in self.get(chat, self.with_messages(chat, old)).items():
                remaining = block.without(old)
                if len(remaining.ids) < len(block.ids):
                    self._put(space, chat.id, number, block, remaining if remaining.ids else None)
            self._rows("conversation_remove_empty", {"owner": space, "id": chat.id})

    def put(self, space: int, conversation: Conversation, message: int, person: int, at: int, text: str) -> None:
        """Let a message that was changed, or is told again, be found as it is, where it belongs into a block."""
        chat = self.chat(space, conversation)
        if chat is None or message > chat.last:
            return
        entry = BlockMessage(message, person, at, UNKNOWN_OFFER, index_words(text))
        blocks = self.get(chat, self.with_messages(chat, [message]))
        for number, block in blocks.items():
            changed = block.with_message(entry)
            halves = changed.halves() if len(changed.ids) > MOST else [changed]
            self._put(space, chat.id, number, block, halves[0])
            for half in halves[1:]:
                self._put(space, chat.id, half.ids[0], None, half)
        if not blocks:  # all of its block were gone, or it is older than the first
            self._put(space, chat.id, message, None, Block.of([entry]))

    def _put(self, owner: int, chat: int, number: int, old_block: Block | None, new_block: Block | None) -> None:
        """Keep a block, or drop it (None), with the words that it is found by, and count it."""
        key: dict[str, Value] = {"owner": owner, "conversation": chat, "id": number}
        terms = [set[str]() if block is None else block.terms for block in (old_block, new_block)]
        for query, words in (("block_words_remove", terms[0] - terms[1]), ("block_words_add", terms[1] - terms[0])):
            if words:
                self._rows(query, key | {"words": json.dumps(sorted(words), ensure_ascii=False)})
        if new_block is None:
            self._rows("block_remove", key)
        else:
            times: Mapping[str, Value] = {"began": min(new_block.times), "ended": max(new_block.times)}
            self._rows("block_put", key | times | {"last": new_block.ids[-1], "data": new_block.encode()})
        old, new = _sizes(old_block), _sizes(new_block)
        names = ("messages", "words", "segments")
        change: dict[str, Value] = {name: new[at] - old[at] for at, name in enumerate(names)}
        self._rows("conversation_count", {"owner": owner, "id": chat} | change)


def _sizes(block: Block | None) -> Sequence[int]:
    return (0, 0, 0) if block is None else (len(block.ids), sum(block.lengths), len(set(block.segments)))


def _long_chat(row: Row) -> LongChat:
    owner, id_, chat, thread, lineage, last, messages, words, segments, due, form = row
    return LongChat(owner, id_, (chat, thread, lineage), last, messages, words, segments, bool(due), form)
