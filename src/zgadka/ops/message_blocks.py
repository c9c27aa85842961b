"""Put the older messages of long chats into blocks, some at a time, so that they are found and take no memory."""

from __future__ import annotations

from zgadka.model.message_block import BLOCK, Block, BlockMessage, next_block
from zgadka.model.turn import Conversation
from zgadka.search.query_analysis import features
from zgadka.stores.tx import Tx, blocks
from zgadka.stores.tx.blocks import LongChat
from zgadka.stores.tx.messages import NEW_BLOCK, OTHER_BLOCKS, MessageChange, SearchableMessage
from zgadka.text.form_version import form_version
from zgadka.text.words import index_words

_EVERY = 64
"""After about so many messages of a chat it is counted whether they are enough for a block."""
_LEFT_ALONE = 4
"""Where so many times as many are in none as a chat has without blocks, nobody makes them in the background."""
_DROPPED = 4
"""Blocks of another version that are dropped at a time."""


def follow(tx: Tx, space: int, conversation: Conversation, message: int) -> None:
    """Note that blocks are to be made in the background, if enough messages are in none now that this one is kept."""
    # By a mix of the number's bits: of two chats that take turns, each would always get the odd numbers, or never.
    if (message * 0x9E3779B1 & 0xFFFFFFFF) * _EVERY >> 32:
        return
    chat = tx.blocks.chat(space, conversation)
    most = _LEFT_ALONE * blocks.LONG
    count = tx.blocks.note_long(space, conversation, 0 if chat is None else chat.last, most)
    if count == most and (chat := tx.blocks.chat(space, conversation)) is not None:
        make_block(tx, chat)


def find_long_chats(tx: Tx) -> None:
    """Note which chats are long and have no blocks, after messages came in another way than by being recorded."""
    tx.blocks.find_long()


def next_chat(tx: Tx) -> LongChat | None:
    """A chat of which blocks are to be made without waiting for more messages."""
    return tx.blocks.next_due(form_version())


def make_block(tx: Tx, chat: LongChat) -> None:
    """Do the next step: drop blocks that another version made, or make one block, or wait for more messages."""
    chat = tx.blocks.chat(chat.owner, chat.conversation) or chat  # another process may have done it
    form = form_version()
    if chat.form != form:
        if not tx.blocks.drop_newest(chat, _DROPPED):
            tx.blocks.put_form(chat, form)
    elif tx.blocks.note_long(chat.owner, chat.conversation, chat.last, blocks.LONG) == blocks.LONG:
        rows = tx.messages.list_for_block(chat.owner, chat.conversation, chat.last, BLOCK + 1)
        rows = rows[: next_block([message.at for message, _ in rows])]
        block = Block.of([_entry(message) for message, is_withheld in rows if not is_withheld])
        tx.blocks.add(chat, block, rows[-1][0].id)
    else:
        tx.blocks.end_due(chat)
        return
    tx.changed(chat.owner, "message", MessageChange(NEW_BLOCK if chat.form == form else OTHER_BLOCKS, None, None))


def _entry(message: SearchableMessage) -> BlockMessage:
    offer, words = int(features(message.text)), index_words(message.text)
    return BlockMessage(message.id, message.person, message.at, offer, words)
