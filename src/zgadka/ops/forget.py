"""Delete memories for good, after the person agreed in a later message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.heading import Heading
from zgadka.model.memory import Question, Scope, StoredMemory
from zgadka.model.outcome import DeletionAnswers
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.scopes import communal_scope, ensure_space, may_change_communal, speaker_scope
from zgadka.stores.tx import Tx
from zgadka.text.refusal import plainly_refuses

_ID = re.compile(r"(?:ID\s*:?\s*)?#?([0-9]{1,16})", re.IGNORECASE)
_NEARBY = 5


def forget(tx: Tx, turn: Turn, given: Sequence[str]) -> DeletionAnswers:
    """Delete each memory that was asked about in an earlier turn; ask about each of the others.

    Args:
        given: Memory ids as the model wrote them (`24`, `ID:24`), each followed on its own.
    """
    scope = speaker_scope(tx, turn)
    refused = turn.text is not None and plainly_refuses(turn.text)
    deleted: list[StoredMemory] = []
    asked: list[StoredMemory] = []
    cancelled: list[StoredMemory] = []
    missing: list[str] = []
    named = {_number(text) or text: text for text in reversed(given)}
    if len(named) == 1:
        tx.close_other_questions(scope, turn.chat, _number(given[0]))
    for text in reversed(named.values()):
        number = _number(text)
        memory = _deletable(tx, turn, number)
        if memory is None:
            missing.append(text)
            continue
        question = tx.question(scope, turn.chat, number)
        if question is not None and not _stands(tx, turn, question, memory):
            question = None
        if refused and question is not None:
            tx.close_question(scope, turn.chat, number)
            cancelled.append(memory)
        elif question is not None and is_later(turn, question):
            keep.remove(tx, memory, "deleted", actor=turn.user_name, reason="forget")
            tx.close_question(scope, turn.chat, number)
            deleted.append(memory)
        else:
            ask(tx, turn, scope, memory.id, _hash(memory, turn), question)
            asked.append(memory)
    nearby = _nearby(tx, turn, asked) if missing else ()
    return DeletionAnswers(tuple(deleted), tuple(asked), tuple(cancelled), tuple(missing), nearby)


def deletable_scopes(tx: Tx, turn: Turn) -> list[Scope]:
    """Where the speaker may delete: their own at every privacy level, and the space's where the policy allows it."""
    own = speaker_scope(tx, turn)
    return [own, communal_scope(tx, turn)] if may_change_communal(tx, turn) else [own]


def _deletable(tx: Tx, turn: Turn, number: int) -> StoredMemory | None:
    own, communal = speaker_scope(tx, turn), communal_scope(tx, turn)
    for scope in (own, communal):
        memory = tx.memory(scope.owner, number)
        if memory is None or memory.archived or not (scope.shows(memory) or _is_own_elsewhere(turn, scope, memory)):
            continue
        if memory.kind == "relation":
            return memory if own.owner in memory.people else None
        if scope is own or may_change_communal(tx, turn):
            return memory
    return None


def is_asked(tx: Tx, turn: Turn, memory_id: int) -> bool:
    """Whether the speaker has an open question here about deleting this memory; 0 is the whole profile."""
    question = tx.question(speaker_scope(tx, turn), turn.chat, memory_id)
    return question is not None and is_open(tx, question)


def is_open(tx: Tx, question: Question) -> bool:
    """Whether the question may still be answered; one that was asked later than now is not, for the clock went back."""
    left = question.expires_at - tx.now
    return timedelta(0) < left <= timedelta(seconds=tx.settings.confirmation_seconds)


def is_others_relation(memory: StoredMemory | Heading, person: int) -> bool:
    """Whether it is a relation of two other people: theirs to delete, whatever the policy."""
    return memory.kind == "relation" and person not in memory.people


def _is_own_elsewhere(turn: Turn, scope: Scope, memory: StoredMemory) -> bool:
    """Whether the speaker, in their direct chat, names a memory of theirs that is seen in another space."""
    return turn.direct and not scope.communal and memory.owner == scope.owner and memory.lineage in scope.lineages


def _number(text: str) -> int:
    """The memory id that the text writes; 0, which names nothing, when it writes none."""
    match = _ID.fullmatch(text.strip())
    return int(match[1]) if match else 0


def _stands(tx: Tx, turn: Turn, question: Question, memory: StoredMemory) -> bool:
    """Whether the question is still open, asked by this persona, and about the text that the memory has now."""
    return is_open(tx, question) and question.content_hash == _hash(memory, turn)


def is_later(turn: Turn, question: Question) -> bool:
    """Whether the turn may answer the question: not the one that asked, and not an older one that came late."""
    if turn.time is not None and question.said_at is not None and turn.time < question.said_at:
        return False
    if turn.answers is not None:
        return turn.answers == question.turn != turn.turn
    if turn.turn is None or question.turn is None:
        return turn.turn is question.turn
    return turn.turn != question.turn


def ask(tx: Tx, turn: Turn, scope: Scope, memory_id: int, content_hash: bytes, earlier: Question | None) -> None:
    """Keep the question about a memory, or about the whole profile; `earlier` is the one that still stands."""
    if earlier is None or turn.answers is not None:  # a host that shows each question shows it anew
        expires_at = tx.now + timedelta(seconds=tx.settings.confirmation_seconds)
        question = Question(
            memory=memory_id,
            chat=turn.chat,
            content_hash=content_hash,
            turn=turn.turn,
            said_at=turn.time,
            requests=1,
            expires_at=expires_at,
        )
    elif turn.turn is None or earlier.turn is None:
        question = replace(earlier, turn=turn.turn, requests=earlier.requests + 1)
    else:
        # The turn that asked stays: after an older one, which came late, it must not confirm its own question.
        question = replace(earlier, requests=earlier.requests + 1)
    # Who was never seen before may delete what belongs to the space; the question is theirs. And the space may be new:
    # without a row, it could not be told from the next one in which a chat has the same name.
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    tx.put_question(replace(scope, owner=person, space=ensure_space(tx, turn)), question)


def _hash(memory: StoredMemory, turn: Turn) -> bytes:
    """What the question is about: the text, and the persona to which the person answers."""
    return hashlib.blake2b(f"{turn.persona}:{memory.text}".encode(), digest_size=16).digest()


def _nearby(tx: Tx, turn: Turn, asked: Sequence[StoredMemory]) -> tuple[StoredMemory, ...]:
    speaker = speaker_scope(tx, turn).owner
    known = [
        memory
        for scope in deletable_scopes(tx, turn)
        for memory in tx.visible(scope)
        if memory not in asked and not is_others_relation(memory, speaker)
    ]
    return tuple(sorted(known, key=lambda memory: (memory.updated_at, memory.id), reverse=True)[:_NEARBY])
