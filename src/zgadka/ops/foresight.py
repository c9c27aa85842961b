"""What the most frequent operations will ask, for a server that is asked together.

Each question alone waits for the network. What is listed here is a matter of time only: an operation asks by itself
whatever was not foreseen. `benchmarks/round_trips.py` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, find_space, speaker_of, speaker_privacy, speaker_scope, with_readers
from zgadka.ops.forgotten import ways_forgotten
from zgadka.ops.late import is_of_erased, is_taken_back, is_unwanted
from zgadka.ops.remember import New, fresh, known_in, rivals
from zgadka.ops.search_messages import ask_asking
from zgadka.ops.sources import messages_of_turn
from zgadka.ops.summary import who
from zgadka.search.query_analysis import name_beginnings
from zgadka.stores.tx import Tx

Ask = Callable[[], object]


def foresee_record(tx: Tx, turn: Turn) -> None:
    """What recording a message asks."""
    tx.foresee(
        lambda: [
            *_of_turn(tx, turn),
            lambda: tx.chats.get(find_space(tx, turn), turn.chat),
            lambda: with_readers(tx, turn),
            lambda: tx.messages.find_said(find_space(tx, turn), turn),
            lambda: is_of_erased(tx, turn),
            lambda: is_unwanted(tx, turn),
            # Once the space is locked, as it is for the chat: no message may come in below one that is in a block.
            lambda: find_space(tx, turn) > 0 and tx.next_id("message"),
        ]
    )


def foresee_remember(tx: Tx, turn: Turn, new: Callable[[], New]) -> None:
    """What keeping something new about the speaker asks."""

    def asks() -> list[Ask]:
        @cache
        def scope() -> Scope:
            return speaker_scope(tx, turn)

        @cache
        def memory() -> StoredMemory:
            return fresh(tx, turn, scope(), new())

        return [
            *_of_turn(tx, turn),
            lambda: with_readers(tx, turn),
            lambda: rivals(tx, scope(), memory()),
            lambda: known_in(tx, scope(), memory()),
            lambda: tx.memories.count(scope().owner, scope().lineage, memory().kind),
            lambda: ways_forgotten(tx, turn, [scope().owner]),
            lambda: messages_of_turn(tx, turn),
            lambda: is_of_erased(tx, turn),
            lambda: is_taken_back(tx, turn),
        ]

    tx.foresee(asks)


def foresee_recall(tx: Tx, turn: Turn) -> None:
    """What recalling in a turn asks."""
    tx.foresee(lambda: [*_of_turn(tx, turn), *_of_indexes(tx, turn)])


def foresee_context(tx: Tx, turn: Turn, query: str, messages: int) -> None:
    """What the context of a turn asks for a question, with so many of its last messages."""
    tx.foresee(
        lambda: [
            *_of_turn(tx, turn),
            *_of_indexes(tx, turn),
            lambda: tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, messages),
            lambda: who(tx, speaker_scope(tx, turn)),
            lambda: turn.direct or tx.memories.list_relations(communal_scope(tx, turn), speaker_of(tx, turn)),
            lambda: turn.direct or tx.members.called(find_space(tx, turn), name_beginnings(query)),
        ]
    )


def _of_turn(tx: Tx, turn: Turn) -> Collection[Ask]:
    return (
        lambda: speaker_of(tx, turn),
        lambda: find_space(tx, turn),
        lambda: speaker_privacy(tx, turn),
    )


def _of_indexes(tx: Tx, turn: Turn) -> Collection[Ask]:
    """Which revisions they have, and what they do not hold."""
    return (
        lambda: tx.revision(speaker_of(tx, turn), "memory"),
        lambda: tx.revision(find_space(tx, turn), "memory"),
        lambda: tx.revision(find_space(tx, turn), "message"),
        lambda: ask_asking(tx, turn),
        lambda: tx.blocks.chat(find_space(tx, turn), turn.conversation),
        lambda: tx.members.names(find_space(tx, turn), [speaker_of(tx, turn)]),
        lambda: turn.direct or tx.memories.list_of_kind(communal_scope(tx, turn), "relation"),
    )
