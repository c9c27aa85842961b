"""What a message says to the questions that its person was asked where it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from zgadka.model.inference import SaveQuestion
from zgadka.model.people import Consent
from zgadka.model.question import Deletion, Question
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope
from zgadka.ops.forget import ASKED, deletable, verdicts_on
from zgadka.ops.forget_messages import own_named
from zgadka.ops.open_questions import asked_here
from zgadka.ops.profile import EVERYTHING
from zgadka.stores.tx import Tx
from zgadka.text.picks import PICKS_UNCLEARLY, Pick, may_pick, picked
from zgadka.text.yes_no import Asked, Verdict, answer_to, is_of_another, orders_another

_ASKS = re.compile(r"\?(?=\s|$)")
"""What asks, and does not only quote a question."""
_LATEST = 20
"""Among so many last messages, the assistant's last one counts."""


def verdicts(tx: Tx, turn: Turn, text: str, *, replies_to: str | int | None = None) -> dict[int | str, Verdict | Pick]:
    """What the speaker's own words say to each question that is open in this chat and thread, by its id.

    An empty pick answers nothing, and speaks of the question all the same. A no that goes on about something else, and
    is no reply, skips nothing: it may be said to somebody else.

    Args:
        replies_to: As in `plain_question`.
    """
    found: dict[int | str, Verdict | Pick] = {}
    for question in asked_here(tx, turn):
        verdict = _verdict(tx, turn, text, question)
        is_aside = verdict == "refused" and question.id != replies_to and _is_of_another(text, question)
        found[question.id] = "unclear" if is_aside else verdict
    return found


def _is_of_another(text: str, question: Question) -> bool:
    if not isinstance(question, SaveQuestion):
        return False
    return is_of_another(text, [item.text for _, item in question.asked_items])


def agrees_to_any(tx: Tx, turn: Turn, text: str) -> bool:
    """Whether the speaker's own words agree to all or some of a question that is open in this chat and thread."""
    return any(
        verdict == "agreed" or (isinstance(verdict, Pick) and verdict != PICKS_UNCLEARLY)
        for verdict in verdicts(tx, turn, text).values()
    )


def unplaced_answer(tx: Tx, turn: Turn, text: str) -> Sequence[Deletion] | Literal["not_yours"]:
    """What a yes or no of the speaker's may be said to that answers no question, as by `plain_question`.

    Returns:
        The deletions that are open here, and still asked about by their buttons; none where the assistant has asked
        something else since. `not_yours`: the assistant's last message asks about a deletion of somebody else's.
    """
    messages = tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, _LATEST)
    latest = next((message for message in reversed(messages) if message.role == "assistant"), None)
    asked = latest if latest is not None and _ASKS.search(latest.text) else None
    is_anothers = asked is not None and asked.user != turn.user_key
    if asked is not None and is_anothers and _meant(tx, replace(turn, user=asked.user), text):
        return "not_yours"
    meant = _meant(tx, turn, text)
    return meant if asked is None or is_anothers else [question for question in meant if question.asked_at > asked.at]


def _meant(tx: Tx, turn: Turn, text: str) -> list[Deletion]:
    """The speaker's deletions that are open here to which a message says yes or no."""
    deletions = [question for question in asked_here(tx, turn) if isinstance(question, Deletion)]
    return [question for question in deletions if _verdict(tx, turn, text, question) != "unclear"]


def _verdict(tx: Tx, turn: Turn, text: str, question: Question) -> Verdict | Pick:
    if isinstance(question, SaveQuestion):
        numbered = {index + 1: item.text for index, item in question.asked_items}
        if (pick := picked(text, numbered)) is not None:
            return "agreed" if pick.numbers == frozenset(numbered) else pick
        if may_pick(text, numbered):  # "not the first" says nothing of the others
            return PICKS_UNCLEARLY
    request, texts = _subject(tx, turn, question)
    if isinstance(question, Deletion) and question.kind == "delete":
        verdict = verdicts_on(tx, turn, text, question, {question.memory: next(iter(texts.values()))})[question.memory]
    else:
        verdict = answer_to(text, texts, request)
    # "Keep 99" is an order of its own, which whoever reads the chat must see.
    return "unclear" if verdict == "refused" and orders_another(text, texts, request) else verdict


def _subject(tx: Tx, turn: Turn, question: Question) -> tuple[Asked, dict[int, str]]:
    """What a question is about: the verb, and the text of each thing by its id; below 1, it has none."""
    match question:
        case Deletion(kind="delete", memory=number) if number < 0:
            own, _ = own_named(tx, turn, (-number,))
            return "delete", {-number: own[-number].text if -number in own else ""}
        case Deletion(kind="delete", memory=number):
            memory = deletable(tx, turn, number)
            return "delete", {number: "" if memory is None else memory.text}
        case Deletion(kind=kind):
            return ASKED[kind], {0: EVERYTHING}
        case Consent():
            return "allow", {0: ""}
        case SaveQuestion():
            return "save", {-index: item.text for index, item in question.asked_items}
