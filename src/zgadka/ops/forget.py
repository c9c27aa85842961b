"""Delete memories for good, after the person agreed in a later message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Literal

from zgadka.model.memory import Question, Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import DeletionAnswers
from zgadka.model.turn import BATCH, Turn
from zgadka.ops import withhold
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    hidden,
    is_seen,
    may_change_communal,
    newest_first,
    speaker_scope,
)
from zgadka.stores.tx import Tx
from zgadka.text.yes_no import Asked, agreed, plainly_refuses

_ID = re.compile(r"(?:ID\s*:?\s*)?#?([0-9]{1,16})", re.IGNORECASE)
_NEARBY = 5

Answer = Literal["agreed", "refused", "unclear", "none"]
"""What a turn says to an open question; `none`: it is no answer to it."""


def forget(tx: Tx, turn: Turn, ids: Sequence[str]) -> DeletionAnswers:
    """Delete each memory that was asked about in an earlier turn; ask about each of the others.

    Args:
        ids: Memory ids as the model wrote them (`24`, `ID:24`), each followed on its own.
    """
    named = {_number(text) or text: text for text in reversed(ids)}
    if len(named) == 1:
        tx.confirmations.delete_others(speaker_scope(tx, turn), turn.chat, _number(ids[0]))
    missing: list[str] = []
    answers: list[tuple[StoredMemory, Answer]] = []
    for text in reversed(named.values()):
        memory = _deletable(tx, turn, _number(text))
        if memory is None:
            missing.append(text)
        else:
            answers.append((memory, answer_to_deletion(tx, turn, memory)))
    deleted = tuple(memory for memory, answer in answers if answer == "agreed")
    unconfirmed = tuple(memory for memory, answer in answers if answer in ("unclear", "none"))
    return DeletionAnswers(
        deleted=deleted,
        asked=unconfirmed,
        cancelled=tuple(memory for memory, answer in answers if answer == "refused"),
        missing=tuple(missing),
        withheld=withhold.remove(tx, turn, deleted, reason="forget"),
        nearby=_nearby(tx, turn, unconfirmed) if missing else (),
        unclear=any(answer == "unclear" for _, answer in answers),
    )


def answer_to_deletion(tx: Tx, turn: Turn, memory: StoredMemory) -> Answer:
    """What the turn says to the question whether to delete a memory; closes the question, or asks it."""
    return answer_about(tx, turn, memory.id, memory.text, memory.text)


def answer_about(tx: Tx, turn: Turn, memory_id: int, content: str, speaks_of: str) -> Answer:
    """What the turn says to the question about a memory, or about the whole profile; closes the question, or asks it.

    Args:
        content: What would be deleted; about something else, or from another persona, it is another question.
        speaks_of: The words that an order to delete it may hold.
    """
    scope, digest = speaker_scope(tx, turn), content_hash(turn, content)
    question = tx.confirmations.get(scope, turn.chat, memory_id)
    if question is not None and not (is_open(tx, question) and question.content_hash == digest):
        question = None
    answer = _answer(tx, turn, question, {memory_id: speaks_of})
    if answer in ("agreed", "refused"):
        tx.confirmations.delete(scope, turn.chat, memory_id)
    else:
        ask(tx, turn, scope, memory_id, digest, question)
    return answer


def _answer(tx: Tx, turn: Turn, question: Question | None, texts: Mapping[int, str]) -> Answer:
    if question is None:
        return "none"
    asked: Asked = "delete" if all(texts) else "erase"  # 0 is the whole profile
    if turn.text is not None and plainly_refuses(turn.text, asked):
        return "refused"
    if not is_later(tx, turn, question):
        return "none"
    return "agreed" if turn.text is None or agreed(turn.text, texts, asked) else "unclear"


def deletable_scopes(tx: Tx, turn: Turn) -> list[Scope]:
    """Where the speaker may delete: their own at every privacy level, and the space's where the policy allows it."""
    own = speaker_scope(tx, turn)
    return [own, communal_scope(tx, turn)] if may_change_communal(tx, turn) else [own]


def _deletable(tx: Tx, turn: Turn, number: int) -> StoredMemory | None:
    own, communal = speaker_scope(tx, turn), communal_scope(tx, turn)
    for scope in (own, communal):
        memory = tx.memories.get(scope.owner, number)
        if memory is None or memory.archived or not is_seen(turn, scope, memory):
            continue
        if memory.kind == "relation":
            return memory if own.owner in memory.people else None
        if scope is own or (may_change_communal(tx, turn) and not _is_hidden(tx, turn, memory)):
            return memory
    return None


def is_asked(tx: Tx, turn: Turn, memory_id: int) -> bool:
    """Whether the speaker has an open question here about deleting this memory; 0 is the whole profile."""
    question = tx.confirmations.get(speaker_scope(tx, turn), turn.chat, memory_id)
    return question is not None and is_open(tx, question)


def is_open(tx: Tx, question: Question) -> bool:
    """Whether the question may still be answered; one that was asked later than now is not, for the clock went back."""
    remaining = question.expires_at - tx.now
    return timedelta(0) < remaining <= timedelta(seconds=tx.settings.confirmation_seconds)


def is_others_relation(memory: StoredMemory | Heading, person: int) -> bool:
    """Whether it is a relation of two other people: theirs to delete, whatever the policy."""
    return memory.kind == "relation" and person not in memory.people


def _is_hidden(tx: Tx, turn: Turn, memory: StoredMemory) -> bool:
    """Whether it is an episode that nobody is told; in a direct chat, its person alone may list and delete it."""
    return not turn.direct and bool(hidden(tx, [memory]))


def _number(text: str) -> int:
    """The memory id that the text writes; 0, which names nothing, when it writes none."""
    match = _ID.fullmatch(text.strip())
    return int(match[1]) if match else 0


def is_later(tx: Tx, turn: Turn, question: Question) -> bool:
    """Whether the turn may answer the question: not the one that asked, and not an older one that came late."""
    if turn.time is not None and question.said_at is not None and turn.time < question.said_at:
        return False
    if turn.answers is not None:
        return turn.answers == question.turn != turn.turn
    if _is_nameless(question.turn) and _is_nameless(turn.turn):
        # Two calls are all that there is to go by, which is too little where nothing brings the memory back.
        is_another_call = turn.said_in is None or turn.said_in != question.turn
        return is_another_call and (turn.text is not None or tx.settings.undo_hours > 0)
    return not _is_nameless(question.turn) and not _is_nameless(turn.said_in) and turn.said_in != question.turn


def _is_nameless(turn: str | None) -> bool:
    """Whether the host gave nothing that tells the turn from the next one."""
    return turn is None or turn.startswith(BATCH)


def ask(tx: Tx, turn: Turn, scope: Scope, memory_id: int, content_hash: bytes, earlier: Question | None) -> None:
    """Keep the question about a memory, or about the whole profile; `earlier` is the one that still stands."""
    if earlier is None or turn.answers is not None:  # a host that shows each question shows it anew
        expires_at = tx.now + timedelta(seconds=tx.settings.confirmation_seconds)
        question = Question(
            memory=memory_id,
            chat=turn.chat,
            content_hash=content_hash,
            turn=turn.said_in,
            said_at=turn.time,
            requests=1,
            expires_at=expires_at,
        )
    elif _is_nameless(turn.said_in) or _is_nameless(earlier.turn):
        question = replace(earlier, turn=turn.said_in, requests=earlier.requests + 1)
    else:
        # The turn that asked stays: after an older one, which came late, it must not confirm its own question.
        question = replace(earlier, requests=earlier.requests + 1)
    # Who was never seen before may delete what belongs to the space; the question is theirs. And the space may be new:
    # without a row, it could not be told from the next one in which a chat has the same name.
    person = ensure_speaker(tx, turn)
    tx.confirmations.put(replace(scope, owner=person, space=ensure_space(tx, turn)), question)


def content_hash(turn: Turn, content: str) -> bytes:
    """What a question is about: what would be deleted, and the persona to which the person answers."""
    return hashlib.blake2b(f"{turn.persona}:{content}".encode(), digest_size=16).digest()


def _nearby(tx: Tx, turn: Turn, excluded: Sequence[StoredMemory]) -> tuple[StoredMemory, ...]:
    speaker = speaker_scope(tx, turn).owner
    deletable = [
        memory
        for scope in deletable_scopes(tx, turn)
        for memory in tx.memories.list_visible(scope)
        if memory not in excluded and not is_others_relation(memory, speaker)
    ]
    return tuple(islice((memory for memory in newest_first(deletable) if not _is_hidden(tx, turn, memory)), _NEARBY))
