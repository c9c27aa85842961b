"""Which questions to a person are open where a turn is, and whether the turn may answer them; a plain yes or no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from zgadka.model.inference import SaveQuestion
from zgadka.model.people import Consent, Proposal
from zgadka.model.question import PLAIN, REFUSED, Deletion, PlainAnswer, Question
from zgadka.model.turn import BATCH, Turn
from zgadka.ops.access import ensure_speaker, find_space, is_told, person_named, speaker_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.questions import Slot
from zgadka.text.picks import Pick
from zgadka.text.yes_no import Verdict

Q = TypeVar("Q", Deletion, Consent, SaveQuestion)


def slot_of(tx: Tx, turn: Turn) -> Slot:
    """Where a deletion is asked in this turn, and where alone it is confirmed."""
    return find_space(tx, turn), turn.chat


def open_deletion(tx: Tx, turn: Turn, memory_id: int) -> Deletion | None:
    """The speaker's open question here about deleting this memory; 0 is everything."""
    question = tx.questions.find_deletion(speaker_of(tx, turn), slot_of(tx, turn), memory_id)
    return question if question is not None and tx.questions.is_open(question) else None


def drop_others(tx: Tx, turn: Turn, memory_id: int) -> None:
    """Drop the speaker's questions here about deleting anything else, but for what one turn asked about together."""
    deletions = [question for question in _told(tx, turn) if isinstance(question, Deletion)]
    kept = next((question.group for question in deletions if question.memory == memory_id), ())
    for question in deletions:
        is_of_turn = turn.said_in is not None and question.shown_in == turn.said_in
        if question.memory not in {memory_id, *kept} and not (is_of_turn and question.kind == "delete"):
            tx.questions.delete(speaker_of(tx, turn), question.id)


def drop_ordered(tx: Tx, turn: Turn, former: str | None, text: str) -> None:
    """Drop the questions whether to delete what the speaker asked to in the turn's message, if that says otherwise now.

    They are known by the time at which the message was written.
    """
    if turn.time is None or former == text:
        return
    for question in open_questions(tx, turn, Deletion):
        if question.said_at == turn.time:
            tx.questions.delete(speaker_of(tx, turn), question.id)


def is_asked(tx: Tx, turn: Turn, memory_id: int) -> bool:
    """Whether the speaker has an open question here about deleting this memory; 0 is everything."""
    return open_deletion(tx, turn, memory_id) is not None


def open_questions(tx: Tx, turn: Turn, kind: type[Q]) -> list[Q]:
    """The speaker's open questions of a kind, oldest first; elsewhere than in their direct chat, those asked there."""
    return [question for question in _told(tx, turn) if isinstance(question, kind)]


def _told(tx: Tx, turn: Turn) -> list[Question]:
    waiting = [question for question in tx.questions.list(speaker_of(tx, turn)) if tx.questions.is_open(question)]
    return [question for question in waiting if _is_told(tx, turn, question) and not _is_refused(question)]


def _is_refused(question: Question) -> bool:
    return isinstance(question, Deletion) and question.mark == REFUSED


def _is_told(tx: Tx, turn: Turn, question: Question) -> bool:
    if isinstance(question, Deletion):
        return (question.space, question.chat) == slot_of(tx, turn)
    return is_told(tx, question.turn, turn)


def is_later(tx: Tx, turn: Turn, question: Deletion) -> bool:
    """Whether the turn may answer the question: not the one that asked, and not an older one that came late."""
    if turn.time is not None and question.said_at is not None and turn.time < question.said_at:
        return False
    if turn.answers is not None:
        return turn.answers == question.said_in != turn.turn
    if is_nameless(question.said_in) and is_nameless(turn.turn):
        # Two calls are all that there is to go by, which is too little where nothing brings the memory back.
        is_another_call = turn.said_in is None or turn.said_in != question.said_in
        return is_another_call and (turn.text is not None or tx.settings.undo_hours > 0)
    return not is_nameless(question.said_in) and not is_nameless(turn.said_in) and turn.said_in != question.said_in


def is_nameless(turn: str | None) -> bool:
    """Whether the host gave nothing that tells the turn from the next one."""
    return turn is None or turn.startswith(BATCH)


# A plain yes or no


def asked_here(tx: Tx, turn: Turn) -> Sequence[Question]:
    """The open questions that the speaker was asked in this very chat and thread."""
    return [question for question in _told(tx, turn) if _is_asked_here(turn, question)]


def is_asked_since(tx: Tx, turn: Turn, time: datetime, *, but: tuple[type[Question], ...] = ()) -> bool:
    """Whether the speaker was asked something in this very chat and thread then or later, and it is open.

    Args:
        but: Of these kinds, nothing counts.
    """
    return any(_shown_at(question) >= time for question in asked_here(tx, turn) if not isinstance(question, but))


def _is_asked_here(turn: Turn, question: Question) -> bool:
    match question:
        case Deletion():
            return question.thread == turn.thread
        case Consent():  # the person alone is shown it, in their direct chat
            return turn.direct and question.mark is not None
        case _:
            return question.turn.conversation[:2] == turn.conversation[:2]


def plain_question(
    tx: Tx, turn: Turn, verdicts: Mapping[int | str, Verdict | Pick], *, replies_to: str | int | None
) -> PlainAnswer | None:
    """The question that a message of the speaker's answers by a plain yes or no; None: it answers none.

    It does as a reply to the message that asked; or, where exactly one is open, as their next message within five
    minutes. Any other message of theirs here ends that time, but for one that speaks of the question and answers
    nothing. Deletions that one turn asked about are one question. Where only questions about uncertain memories are
    open, which take nothing away, it answers the one that was asked last.

    Args:
        verdicts: What the message says to each question, by its id (see `judge_answer`).
        replies_to: The id of the question that the message which it replies to asked.
    """
    waiting = [question for question in asked_here(tx, turn) if not _is_before(turn, question)]
    replied = [question for question in waiting if question.id == replies_to]
    meant = replied or [one for one in waiting if one.plain_until is not None and one.plain_until > tx.now]
    is_harmless = all(isinstance(question, SaveQuestion) for question in waiting)
    if is_harmless and len(meant) > 1:
        latest = max(question.plain_until or question.asked_at for question in meant)
        meant = [question for question in meant if question.plain_until == latest]
    calls = {_call_of(question) for question in meant}
    together = [question for question in waiting if _call_of(question) in calls]
    if len(calls) == 1 and (replied or is_harmless or len(together) == len(waiting)):
        verdict = verdicts.get(together[0].id)
        if isinstance(verdict, Pick):
            places = tuple(sorted(number - 1 for number in verdict.numbers))
            # None: "just a second", "1, no 2": they may say it again.
            return PlainAnswer(together[0], agrees=True, places=places, only=verdict.only) if places else None
        agreed, refused = [
            [question for question in together if verdicts.get(question.id) == said] for said in ("agreed", "refused")
        ]
        if agreed or refused:  # who picks one of several is asked about the others no more
            for other in together if agreed else ():
                if other not in agreed:
                    tx.questions.delete(speaker_of(tx, turn), other.id)
            question, *others = agreed or refused
            also = tuple(other for other in others if isinstance(other, Deletion))
            return PlainAnswer(question, agrees=bool(agreed), also=also)
    for question in waiting:
        if question.plain_until is not None:
            tx.questions.put(speaker_of(tx, turn), replace(question, plain_until=None))
    return None


def _call_of(question: Question) -> object:
    """What is the same for deletions that one turn asked about."""
    return question.together if isinstance(question, Deletion) and question.together else question.id


def _is_before(turn: Turn, question: Question) -> bool:
    """Whether the turn is the one that the question came from, or was written before it was shown."""
    asked_in = question.said_in if isinstance(question, Deletion) else question.turn.said_in
    if turn.said_in is not None and turn.said_in == asked_in:
        return True
    return turn.time is not None and turn.time < _shown_at(question).replace(microsecond=0)  # platforms tell the second


def _shown_at(question: Question) -> datetime:
    return question.asked_at if question.plain_until is None else question.plain_until - PLAIN


def note_shown(tx: Tx, turn: Turn, proposal: Proposal) -> None:
    """Note that the speaker is shown a consent in their direct chat: a plain yes agrees to what was shown."""
    person = speaker_of(tx, turn)
    question = tx.questions.get(person, proposal.consent)
    if isinstance(question, Consent):
        tx.questions.put(person, replace(question, mark=proposal.mark, plain_until=tx.now + PLAIN))


# Whose questions a person wants none of


def mute(tx: Tx, turn: Turn, asker: str, *, muted: bool) -> bool:
    """Have the speaker asked nothing more by a person, and refuse what that one has asked for; or lift that.

    Args:
        asker: The platform's id.

    Returns:
        Whether there is such a person.
    """
    person, asker_id = ensure_speaker(tx, turn), person_named(tx, turn, asker)
    if asker_id < 0 or asker_id == person:
        return False
    if not muted:
        tx.questions.unmute(person, asker_id)
        return True
    tx.questions.mute(person, asker_id)
    for question in tx.questions.list(person):
        if isinstance(question, Consent) and question.asker == asker:
            tx.questions.delete(person, question.id)
    return True


def muted(tx: Tx, turn: Turn) -> list[str]:
    """The platform's ids of those whom the speaker has muted."""
    return list(tx.questions.muted(speaker_of(tx, turn)).values())
