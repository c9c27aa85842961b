"""What of a long chat may answer a question: some of its blocks, chosen by their words, with its newest messages."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from zgadka.breathing import breathing
from zgadka.model.message_block import UNKNOWN_OFFER, Block, author_term
from zgadka.model.timestamps import micros, start_of
from zgadka.search.conversation import variant_start, variants_of
from zgadka.search.conversation_index import ConversationIndex
from zgadka.search.dates import Span
from zgadka.search.excerpt import Excerpt, Part
from zgadka.search.query_analysis import Query, features, members
from zgadka.stores.tx import Tx
from zgadka.stores.tx.blocks import LongChat

MOST_MESSAGES = 4_096
"""Messages of blocks that are ranked for one question; a chat that has no more in blocks is ranked whole."""

_MOST_ROWS = 4_096
"""Words of blocks that are read to choose them. Of a word that is everywhere, only the newest blocks are known."""
_FEWEST_BLOCKS = 64
_VARIANTS = 100
_KEPT_PARTS = 64
"""Blocks of a chat that stay in memory: those that were asked for first since its older messages changed."""
_OF_DAYS = 24
"""Blocks of the days that a question names."""


def excerpt(
    tx: Tx,
    chat: LongChat,
    recent: ConversationIndex,
    query: Query,
    *,
    authors: set[int],
    parts: dict[int, Part],
    near: Collection[int] = (),
    person: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Excerpt:
    """Choose what of a long chat is ranked for a question.

    Args:
        recent: The messages that are in no block.
        authors: Who wrote what is in the chat.
        parts: Blocks that were laid out before, by id; others are added, as far as they fit.
        near: Messages that are near in meaning.
        person: Only what they wrote is asked for.
        since: Only messages from then on are asked for.
        until: Only messages before then.
    """
    groups = [_alike(tx, chat, recent, word) for word in query.words]
    words = set[str]().union(*groups)
    count, oldest = tx.blocks.count(chat)
    block_limit = max(MOST_MESSAGES * count // max(chat.messages, 1), 1)
    scale: dict[str, float] = {}
    if count <= block_limit:
        chosen = tx.blocks.newest(chat, count)
        held = tx.blocks.holding(chat, words, 1)
    else:
        wanted = words | {author_term(person) for person in query.people if person}
        limit = max(_MOST_ROWS // max(len(wanted), 1), _FEWEST_BLOCKS)
        held = tx.blocks.holding(chat, wanted, limit)
        worth: defaultdict[int, float] = defaultdict(float)
        for group in [*groups, *({author_term(person)} for person in query.people)]:
            holding = set[int]().union(*(held.get(word, ()) for word in group))
            is_everywhere = any(len(held.get(word, ())) == limit for word in group)
            rarity = 0.1 if is_everywhere else math.log1p((count - len(holding) + 0.5) / (len(holding) + 0.5))
            for block in holding:
                worth[block] += rarity
        for first, last in _times(query):
            for block in tx.blocks.between(chat, first, last, _OF_DAYS):
                worth[block] += 1.0
        for block in tx.blocks.with_messages(chat, near) if near else ():
            worth[block] += 1.0
        if person is not None:
            term = author_term(person)
            worth = _only(tx.blocks.holding(chat, {term}, _MOST_ROWS).get(term, []), worth)
        if since is not None or until is not None:
            bounds = (0 if since is None else micros(since), 2**62 if until is None else micros(until))
            worth = _only(tx.blocks.between(chat, *bounds, _MOST_ROWS), worth)
        chosen = sorted(worth, key=lambda block: (worth[block], block), reverse=True)[:block_limit]
        chosen_set = set(chosen)
        for word, holding in held.items():
            holder_count = len(holding) if len(holding) < limit else max(_spread(chat, holding, count, oldest), limit)
            scale[word] = holder_count / max(len(chosen_set.intersection(holding)), 1)
    laid_out = lay_out(tx, chat, chosen, parts).values()
    return Excerpt(chat, laid_out, recent, words, found=held.keys(), more=scale, authors=authors)


def lay_out(tx: Tx, chat: LongChat, blocks: Collection[int], parts: dict[int, Part]) -> dict[int, Part]:
    """These blocks of a chat, by id, in order.

    Args:
        parts: Those that were laid out before; others are added, as far as they fit.
    """
    laid_out = {id_: parts[id_] for id_ in blocks if id_ in parts}
    for id_, block in breathing(tx.blocks.get(chat, [id_ for id_ in blocks if id_ not in laid_out]).items()):
        laid_out[id_] = part = Part(_with_offers(tx, chat, block))
        if len(parts) < _KEPT_PARTS:
            parts[id_] = part
    return dict(sorted(laid_out.items()))


def _alike(tx: Tx, chat: LongChat, recent: ConversationIndex, word: str) -> set[str]:
    """A word, its variants in the chat, and the members of the kind that it names."""
    start = variant_start(word)
    vocabulary = [] if start is None else tx.blocks.starting(chat, start, _VARIANTS)
    return {*variants_of(word, vocabulary), *variants_of(word, recent.vocabulary), *members(word)}


def _only(blocks: list[int], worth: Mapping[int, float]) -> defaultdict[int, float]:
    """What blocks are worth where only these are asked for, and where more are than were read, perhaps older ones."""
    older = [block for block in worth if block < min(blocks)] if len(blocks) == _MOST_ROWS else []
    return defaultdict(float, {block: worth.get(block, 0.0) for block in (*blocks, *older)})


def _spread(chat: LongChat, newest: list[int], count: int, oldest: int) -> int:
    """How many of so many blocks hold a word of which the newest are known, if the others do as often."""
    return min(count, len(newest) * (chat.last - oldest + 1) // (chat.last - newest[0] + 1))


def _times(query: Query) -> list[tuple[int, int]]:
    return [(_begin(span), _begin(span, end=True)) for spans in query.spans for span in spans]


def _begin(span: Span, *, end: bool = False) -> int:
    return start_of(span.last.toordinal() + 1 if end else span.first.toordinal())


def _with_offers(tx: Tx, chat: LongChat, block: Block) -> Block:
    """The block with what those offer that came into it later."""
    if UNKNOWN_OFFER not in block.offers:
        return block
    offers = [
        int(features(tx.messages.get_text(chat.owner, id_) or "")) if offer == UNKNOWN_OFFER else offer
        for id_, offer in zip(block.ids, block.offers, strict=True)
    ]
    return replace(block, offers=offers)
