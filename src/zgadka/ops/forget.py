"""Delete memories for good, after the person agreed in a later message."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import DeletionAnswers, NoAccess
from zgadka.model.question import ID_BYTES, PLAIN, REFUSED, Deletion, DeletionKind
from zgadka.model.turn import Turn
from zgadka.ops import withhold
from zgadka.ops.access import (
    communal_scope,
    direct_chat,
    ensure_space,
    ensure_speaker,
    find_space,
    hidden,
    is_seen,
    may_change_communal,
    newest_first,
    refuse_others,
    shows_text,
    speaker_of,
    speaker_scope,
    told_scopes,
)
from zgadka.ops.belongings import mine_in, owned_by, owners_with
from zgadka.ops.fact_time import is_past, past_values
from zgadka.ops.open_questions import drop_others, is_later, is_nameless, open_deletion, open_questions
from zgadka.ops.relation_names import with_names
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import standing_changes
from zgadka.text.keys import is_single_valued
from zgadka.text.picks import ORDINALS, Pick, kinds_of, picked
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.yes_no import Asked, Verdict, agreed, plainly_refuses

_ID = re.compile(r"(?:ID\s*:?\s*)?#?([0-9]{1,16})", re.IGNORECASE)
_DIGIT = re.compile(r"(?<!\w)\d+(?!\w|-[^\W\d])")
"""A number that is no place as in "2nd" or "2-ге"."""
_NEARBY = 5

ASKED: Mapping[DeletionKind, Asked] = {"delete": "delete", "clear": "delete", "erase": "erase"}
"""What each kind of deletion is to whoever reads the answer."""
Answer = Literal["agreed", "refused", "unclear", "none"]
"""What a turn says to an open question; `none`: it is no answer to it."""


@dataclass(frozen=True)
class Answered:
    """What a turn says to an open question.

    Attributes:
        unmeant: What was asked about together with it and is not meant by an answer that agrees; see `drop_unmeant`.
    """

    answer: Answer
    unmeant: frozenset[int] = frozenset()


def forget(tx: Tx, turn: Turn, ids: Sequence[str]) -> DeletionAnswers | NoAccess:
    """Delete each memory that was asked about in an earlier turn; ask about each of the others.

    All of them or none where one is about others, too, who may have to agree; of a relation each of the two disposes.
    Where only one value can hold, what held before is asked about with it: where somebody lived with where they live.

    Args:
        ids: Memory ids as the model wrote them (`24`, `ID:24`), each followed on its own.
    """
    named = {_number(text) or text: text for text in reversed(ids)}
    if len(named) == 1:
        drop_others(tx, turn, _number(ids[0]))
    found = {text: deletable(tx, turn, _number(text)) for text in reversed(named.values())}
    before = {memory: _before_it(tx, turn, memory) for memory in found.values() if memory is not None}
    memories = list(dict.fromkeys(row for memory, rows in before.items() for row in (memory, *rows)))
    people = [person for memory in memories if memory.kind != "relation" for person in memory.people]
    if (refusal := refuse_others(tx, turn, people)) is not None:
        return refusal
    missing = tuple(text for text, memory in found.items() if memory is None)
    said = {memory: _answer_here(tx, turn, memory) for memory in memories}
    drop_unmeant(tx, turn, said.values())
    answers = [(memory, answered.answer) for memory, answered in said.items()]
    deleted = tuple(memory for memory, answer in answers if answer == "agreed")
    unconfirmed = tuple(memory for memory, answer in answers if answer in ("unclear", "none"))
    whole = [memory for memory, rows in before.items() if {memory, *rows} <= {*deleted}]
    return DeletionAnswers(
        deleted=deleted,
        asked=unconfirmed,
        cancelled=tuple(memory for memory, answer in answers if answer == "refused"),
        missing=missing,
        withheld=withhold.remove(tx, turn, deleted, reason="forget", with_past=whole),
        nearby=_nearby(tx, turn, unconfirmed) if missing else (),
        unclear=any(answer == "unclear" for _, answer in answers),
        untold=frozenset(memory.id for memory, _ in answers if not _shows_text(tx, turn, memory)),
    )


def _before_it(tx: Tx, turn: Turn, memory: StoredMemory) -> list[StoredMemory]:
    """What held before the speaker's fact that holds now, where only one value can and they may delete it here.

    The same value of another time goes with it unasked.
    """
    if memory.owner != speaker_of(tx, turn) or not is_single_valued(memory.key or "") or is_past(memory, tx.now):
        return []
    place = Scope(memory.owner, memory.space, memory.lineage, audiences=None)
    others = (row for row in past_values(tx, place, memory) if row.canonical != memory.canonical)
    return list(filter(deletable_here(tx, turn), others))


def _answer_here(tx: Tx, turn: Turn, memory: StoredMemory) -> Answered:
    """What is said to the question; who consents to what runs here has seen what goes."""
    if tx.consented_by.intersection(memory.people):
        return Answered("agreed")
    return answer_about(tx, turn, memory.id, memory.text, memory.text)


def answer_to_deletion(tx: Tx, turn: Turn, memory: StoredMemory) -> Answer:
    """What the turn says to the question whether to delete a memory; closes the question, or asks it."""
    answered = answer_about(tx, turn, memory.id, memory.text, memory.text)
    drop_unmeant(tx, turn, [answered])
    return answered.answer


def drop_unmeant(tx: Tx, turn: Turn, answers: Iterable[Answered]) -> None:
    """Close the questions about what answers to several left out: who picks one is asked about the others no more.

    Their rows stay: a further call of this turn that names one must not ask anew what the person has just refused.
    """
    for memory_id in {id_ for answered in answers for id_ in answered.unmeant}:
        if (question := open_deletion(tx, turn, memory_id)) is not None:
            closed = replace(question, mark=REFUSED, asked_again_in=turn.said_in, plain_until=None)
            tx.questions.put(speaker_of(tx, turn), closed)


def answer_about(tx: Tx, turn: Turn, memory_id: int, content: str, speaks_of: str) -> Answered:
    """What the turn says to the question about a memory, or about the whole profile; closes the question, or asks it.

    Args:
        memory_id: 0: the whole profile; below 0: a message.
        content: What would be deleted; about something else, or from another persona, it is another question.
        speaks_of: The words that an order to delete it may hold.
    """
    mark = content_hash(turn, content)
    question = open_deletion(tx, turn, memory_id)
    if question is not None and question.mark == REFUSED and question.asked_again_in == turn.said_in is not None:
        return Answered("refused")
    if question is not None and question.mark != mark:
        question = None
    answers = _answers(tx, turn, question, {memory_id: speaks_of})
    answer = answers.get(memory_id, "none")
    if question is not None and answer in ("agreed", "refused"):
        tx.questions.delete(speaker_of(tx, turn), question.id)
    else:
        ask(tx, turn, "delete" if memory_id else "clear", memory_id, mark, question)
    if answer != "agreed":
        return Answered(answer)
    return Answered(answer, frozenset(id_ for id_, said in answers.items() if said != "agreed"))


def _answers(tx: Tx, turn: Turn, question: Deletion | None, texts: Mapping[int, str]) -> Mapping[int, Answer]:
    """What the turn says to a question, and to what was asked together with it, by their memories."""
    if question is None:
        return {}
    is_elsewhere = question.thread != turn.thread  # there, a mere "yes" says nothing of it
    if turn.text is None:
        verdicts: Mapping[int, Answer] = {question.memory: "agreed"}
    else:
        verdicts = verdicts_on(tx, turn, turn.text, question, texts, must_name=is_elsewhere)
    if is_later(tx, turn, question):
        return verdicts
    return {memory: verdict if verdict == "refused" else "none" for memory, verdict in verdicts.items()}


def verdicts_on(
    tx: Tx,
    turn: Turn,
    text: str,
    question: Deletion,
    texts: Mapping[int, str],
    *,
    must_name: bool = False,
) -> Mapping[int, Verdict]:
    """What a text says to the question about a deletion, and to what was asked together with it, by their memories.

    Args:
        texts: The words that an order to delete each may hold, as far as they are known.
        must_name: As in `answer_to`.
    """
    request = ASKED[question.kind]
    texts = {id_: texts[id_] if id_ in texts else _said_of(tx, turn, id_) for id_ in question.group}
    # A number names the memory; a message only where no memory is asked about.
    numbers = [*texts] if max(texts) > 0 else [abs(id_) for id_ in texts]
    named = dict(zip(numbers, texts, strict=True))
    if len(texts) > 1 and not must_name and (pick := _pick(text, [*texts.values()], numbers)) is not None:
        return {id_: "agreed" if number in pick.numbers else "refused" for number, id_ in named.items()}
    if plainly_refuses(text, request):
        return dict.fromkeys(texts, "refused")
    meant = agreed(text, dict(zip(numbers, texts.values(), strict=True)), request, must_name=must_name)
    others: Verdict = "refused" if meant else "unclear"  # who names one of several does not mean the others
    return {id_: "agreed" if number in meant else others for number, id_ in named.items()}


def _pick(text: str, texts: Sequence[str], numbers: Sequence[int]) -> Pick | None:
    """Which of several memories a text picks, by their ids or, in words, by the order in which they were shown."""
    if _DIGIT.search(text):
        is_by_place = bool(ORDINALS.intersection(kinds_of(_DIGIT.sub(" ", text))))
        return None if is_by_place else picked(text, dict(zip(numbers, texts, strict=True)), "delete")
    pick = picked(text, dict(enumerate(texts, 1)), "delete")
    return None if pick is None else replace(pick, numbers=frozenset(numbers[place - 1] for place in pick.numbers))


def _said_of(tx: Tx, turn: Turn, memory_id: int) -> str:
    """The words of a memory that was asked about, or of a message (below 0); empty where it is gone."""
    if memory_id >= 0:
        memory = deletable(tx, turn, memory_id)
        return "" if memory is None else memory.text
    text = tx.messages.get_text(find_space(tx, turn), -memory_id)
    return text or ""


def candidate_scopes(tx: Tx, turn: Turn) -> list[Scope]:
    """Where what the speaker may delete is looked for by words: where a read would tell it, for a list tells it too.

    In their direct chat all of their own, at every privacy level and wherever it is seen.
    """
    if turn.direct:
        own = replace(speaker_scope(tx, turn), audiences=None)
        spaces = dict.fromkeys((own.space, *tx.memories.spaces_of(own)))
        return [*(replace(own, space=space) for space in spaces), communal_scope(tx, turn)]
    own, communal = told_scopes(tx, turn)
    scopes = [own, communal if may_change_communal(tx, turn) else None]
    return [scope for scope in scopes if scope is not None]


def own_elsewhere(tx: Tx, turn: Turn, query: str) -> list[StoredMemory]:
    """What of the speaker's in spaces holds a word of the query, for them alone: relations, episodes without others."""
    if not turn.direct:
        return []
    person = speaker_of(tx, turn)
    spaces = [owner for owner in owners_with(tx, person) if owner not in (person, direct_chat(tx, person))]
    own = [row for space in spaces for row in mine_in(tx, space, person, "list").own]
    live = {row.id: row for row in own if _is_theirs_alone(turn, row)}
    untold = hidden(tx, live.values(), but=person)
    found = MentionIndex((row.id, row.text) for row in with_names(tx, live.values())).naming(query)
    return newest_first(live[id_] for id_ in found if id_ not in untold)


def archived_facts(tx: Tx, turn: Turn, query: str) -> list[StoredMemory]:
    """The speaker's facts that were forgotten and kept for the trail, as far as seen here, with a word of the query."""
    own = speaker_scope(tx, turn)
    rows = {row.id: row for row in tx.memories.list_archived_facts(own.owner) if is_seen(turn, own, row)}
    found = MentionIndex((id_, row.text) for id_, row in rows.items()).naming(query)
    return newest_first(rows[id_] for id_ in found if _is_forgotten_fact(tx, rows[id_]))


def _is_forgotten_fact(tx: Tx, memory: StoredMemory) -> bool:
    """Whether `forget_fact` has archived it since it was told last, as its changes stand."""
    if not memory.archived or memory.kind != "fact" or memory.withheld:
        return False
    for event in reversed(standing_changes(tx.audit.history(memory.owner, memory.id))):
        if event.action == "forgotten":
            return True
        if event.before is not None and not event.before.archived:
            return False
    return False


def _shows_text(tx: Tx, turn: Turn, memory: StoredMemory) -> bool:
    """Whether it is shown here what is deleted; what was forgotten, to the person alone."""
    return shows_text(tx, turn, memory) and (turn.direct or not memory.archived)


def deletable(tx: Tx, turn: Turn, number: int) -> StoredMemory | None:
    """The memory with this id, if the speaker may delete it here."""
    person = speaker_of(tx, turn)
    owners = dict.fromkeys((person, find_space(tx, turn), *(owners_with(tx, person) if turn.direct else ())))
    memories = (tx.memories.get(owner, number) for owner in owners)
    return next(filter(deletable_here(tx, turn), filter(None, memories)), None)


def all_deletable(tx: Tx, turn: Turn, numbers: Iterable[int]) -> dict[int, StoredMemory]:
    """Those of the memories with these ids that the speaker may delete here, by id."""
    found = {number: deletable(tx, turn, number) for number in numbers}
    return {number: memory for number, memory in found.items() if memory is not None}


def deletable_here(tx: Tx, turn: Turn) -> Callable[[StoredMemory], bool]:
    """What tells of each memory whether the speaker has it deleted where the turn is."""
    own, communal = speaker_scope(tx, turn), communal_scope(tx, turn)
    may_change, is_theirs = may_change_communal(tx, turn), owned_by(tx, own.owner)

    def is_deletable(memory: StoredMemory) -> bool:
        scope = own if memory.owner == own.owner else communal
        if memory.owner == scope.owner and is_seen(turn, scope, memory):
            if memory.archived:
                return scope is own and _is_forgotten_fact(tx, memory)
            if memory.kind == "relation":
                return own.owner in memory.people
            if scope is own or (may_change and not _is_hidden(tx, turn, memory)):
                return True
        return turn.direct and _is_theirs_alone(turn, memory) and is_theirs(memory)

    return is_deletable


def _is_theirs_alone(turn: Turn, memory: StoredMemory) -> bool:
    """Whether it is of a kind that is about its people wherever it is, live, and known to the turn's persona."""
    is_live = not (memory.archived or memory.withheld)
    return is_live and memory.kind in ("relation", "episode") and memory.lineage in (0, turn.persona)


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


def ask(tx: Tx, turn: Turn, kind: DeletionKind, memory_id: int, mark: bytes, earlier: Deletion | None) -> None:
    """Keep the question about a memory, or about everything; `earlier` is the one that still stands."""
    # Who was never seen before may delete what belongs to the space; the question is theirs. And the space may be new:
    # without a row, it could not be told from the next one in which a chat has the same name.
    person, space = ensure_speaker(tx, turn), ensure_space(tx, turn)
    if earlier is None or turn.answers is not None:  # a host that shows each question shows it anew
        question = Deletion(
            id=secrets.token_urlsafe(ID_BYTES),
            kind=kind,
            space=space,
            chat=turn.chat,
            thread=turn.thread,
            memory=memory_id,
            mark=mark,
            said_in=turn.said_in,
            said_at=turn.time,
            requests=1,
            asked_at=tx.now,
            expires_at=tx.now + tx.questions.lasts(Deletion),
        )
    elif is_nameless(turn.said_in) or is_nameless(earlier.said_in):
        question = replace(earlier, said_in=turn.said_in, requests=earlier.requests + 1)
    else:
        # The turn that asked stays: after an older one, which came late, it must not confirm its own question.
        question = replace(earlier, asked_again_in=turn.said_in, requests=earlier.requests + 1)
    question = replace(question, thread=turn.thread, plain_until=tx.now + PLAIN)
    tx.questions.put(person, _with_others(tx, turn, question) if kind == "delete" else question)


def _with_others(tx: Tx, turn: Turn, question: Deletion) -> Deletion:
    """The question as it is asked together with those that this turn has asked before."""
    others = [
        other
        for other in open_questions(tx, turn, Deletion)
        if other.kind == "delete" and other.memory != question.memory and _is_asked_with(other, question)
    ]
    shown = max((other.group for other in others), key=len, default=())
    together = shown if question.memory in shown else (*shown, question.memory)
    for other in others:
        tx.questions.put(speaker_of(tx, turn), replace(other, together=together))
    return replace(question, together=together if others else None)


def _is_asked_with(other: Deletion, question: Deletion) -> bool:
    if question.shown_in is None:
        return other.shown_in is None and other.plain_until == question.plain_until
    return other.shown_in == question.shown_in


def content_hash(turn: Turn, content: str) -> bytes:
    """What a question is about: what would be deleted, and the persona to which the person answers."""
    return hashlib.blake2b(f"{turn.persona}:{content}".encode(), digest_size=16).digest()


def _nearby(tx: Tx, turn: Turn, excluded: Sequence[StoredMemory]) -> tuple[StoredMemory, ...]:
    speaker = speaker_scope(tx, turn).owner
    deletable = [
        memory
        for scope in candidate_scopes(tx, turn)
        for memory in tx.memories.list_visible(scope)
        if memory not in excluded and not is_others_relation(memory, speaker)
    ]
    return tuple(islice((memory for memory in newest_first(deletable) if not _is_hidden(tx, turn, memory)), _NEARBY))
