"""Put the older messages of long chats into blocks, some at a time, so that they are found and take no memory."""

from __future__ import annotations

from collections.abc import Collection

from zgadka.model.message_block import BLOCK, Block, BlockMessage, next_block
from zgadka.model.turn import Conversation
from zgadka.search.query_analysis import features
from zgadka.stores.tx import Tx, blocks
from zgadka.stores.tx.blocks import LongChat
from zgadka.stores.tx.messages import NEW_BLOCK, MessageChange, SearchableMessage
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


def next_chat(tx: Tx, formed: Collection[int] = ()) -> LongChat | None:
    """A chat of which blocks are to be made without waiting for more messages.

    Args:
        formed: The ids of chats whose blocks were of this version before. Where they are of another one now, that one
            works beside this one: the two would undo each other's blocks for ever.
    """
    return tx.blocks.next_due(form_version(), formed)


def make_block(tx: Tx, former: LongChat) -> bool:
    """Do the next step: drop blocks that another version made, or make one block, or wait for more messages.

    Returns:
        Whether the chat's blocks are of this version now.
    """
    # Asked before any of its rows: PostgreSQL could not keep an owner locked who was erased since.
    chat = tx.blocks.chat(former.owner, former.conversation) if tx.owners.exists(former.owner) else None
    form = form_version()
    if chat is None:
        return False
    if chat.form != form:
        if tx.blocks.drop_newest(chat, _DROPPED):
            tx.derived.renew_revisions(chat.owner)  # the messages that are in no block now are in no index in memory
            return False
        tx.blocks.put_form(chat, form)
    elif tx.blocks.note_long(chat.owner, chat.conversation, chat.last, blocks.LONG) == blocks.LONG:
        rows = tx.messages.list_for_block(chat.owner, chat.conversation, chat.last, BLOCK + 1)
        if not rows:  # none of them can be read
            tx.blocks.end_due(chat)
            return True
        rows = rows[: next_block([message.at for message, _ in rows])]
        block = Block.of([_entry(message) for message, is_withheld in rows if not is_withheld])
        tx.blocks.add(chat, block, rows[-1][0].id)
        tx.changed(chat.owner, "message", MessageChange(NEW_BLOCK, None, None))
    else:
        tx.blocks.end_due(chat)
    return True


def _entry(message: SearchableMessage) -> BlockMessage:
    offer, words = int(features(message.text)), index_words(message.text)
    return BlockMessage(message.id, message.person, message.at, offer, words)
