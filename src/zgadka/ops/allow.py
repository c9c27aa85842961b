"""Where an operation may be done: one table, which every operation of the engine asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from zgadka.model.memory import Action, Event, Owner
from zgadka.model.outcome import NoAccess
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

Where = Literal["here", "clearing", "alone", "outside"]
"""`here`: in any turn of the person; `clearing`: the same, and it reaches what the turn may see; `alone`: where the
person is alone, in their direct chat, by their link or token; `outside`: in no turn, by an operator who may read."""

_HERE = (
    # What models call.
    *("remember", "recall", "forget", "remember_fact", "remember_facts", "recall_facts", "update_fact", "merge_facts"),
    *("forget_fact", "create_episode", "update_episode", "recall_episodes", "archive_episode", "mark_important"),
    *("create_long_term_memory", "update_long_term_memory", "suggest_merge", "generate_profile_summary"),
    *("remember_relationship", "recall_relationships", "update_fact_with_temporal", "recall_facts_global"),
    *("keep", "find", "change"),
    # What is said, and what a model should know of it.
    *("record", "unrecord", "recent", "search_messages", "build_context", "observe", "take_finished"),
    # Lists of what is seen in this place, and what was asked there.
    *("list_memories", "why", "undo", "answer_question", "proposal", "answer_consent", "privacy", "raise_privacy"),
    "plain_question",
)
_ALONE = (
    *(
        "export",
        "list_everything",
        "correct",
        "delete",
        "history",
        "questions",
        "consents",
        "make_link",
        "unlink",
        "mute",
    ),
    *("lower_privacy", "share", "unshare", "erase", "ask_to_erase", "answer_erasure"),
)
_OUTSIDE = (
    *("read_anything", "undo_anything", "forget_anything", "merge_anything"),
    *("export_anything", "erase_space"),
    *("read_person", "erase_person", "answer_for_person", "link_person"),
)

WHERE: dict[str, Where] = {
    **dict.fromkeys(_HERE, "here"),
    "clear_profile": "clearing",
    **dict.fromkeys(_ALONE, "alone"),
    **dict.fromkeys(_OUTSIDE, "outside"),
}
"""Where each operation may be done."""

FOR_PERSON = {
    **dict.fromkeys(("export", "list_everything", "history", "questions", "consents", "privacy"), "read_person"),
    **dict.fromkeys(("erase", "ask_to_erase", "answer_erasure"), "erase_person"),
    **dict.fromkeys(("answer_question", "answer_consent", "proposal"), "answer_for_person"),
    **dict.fromkeys(("make_link", "unlink"), "link_person"),
}
"""What an operator does for a person, as the operation outside a turn that it is then."""

_ACTS: dict[str, Action] = {
    "erase_person": "erased",
    "erase_space": "erased",
    "answer_for_person": "answered",
    "link_person": "linked",
    "undo_anything": "undone",
    "forget_anything": "forgotten",
    "merge_anything": "merged",
}
"""What the trail says of an operator who does more than read."""
OPERATORS = ("zgadka", "operators")
"""Platform and name of the owner of what the trail says of operators."""
_OPERATORS_ID = 2**53 - 1
"""Beside the numbers of others: those are the same in an export, whatever operators did."""
_READ_AGAIN = timedelta(hours=1)
"""For so long, an operator who reads the same again leaves no further line."""


def allow(operation: str, turn: Turn | None, grant: Grant | None) -> NoAccess | None:
    """Why an operation may not be done here; None: it may.

    Args:
        operation: A tool's name, or one of `WHERE`.
        turn: Whose it is and where they are; None: nobody's.
        grant: What whoever asks may do. None: it is the host itself, which knows who is there.
    """
    if grant is None:
        return None
    required = WHERE.get(operation)
    if required is None:
        return _refusal(turn, f"nobody has said where {operation!a} may be done")
    if grant.role == "operator":
        required = WHERE.get(FOR_PERSON.get(operation, operation))
    if required == "outside":
        return _of_operator(turn, grant)
    if turn is None or not grant.allows(turn):
        return _refusal(turn, "this token is not for that person in that place")
    if required == "alone" and not turn.direct:
        return _refusal(turn, "only available in the person's direct chat (`direct`)")
    return None


def _of_operator(turn: Turn | None, grant: Grant) -> NoAccess | None:
    if not grant.has("operator"):
        return _refusal(turn, "this is for operators")
    if not (grant.reads or grant.everything):
        return _refusal(turn, "this token may not read what people are remembered by: make one with --reads")
    return None


def _refusal(turn: Turn | None, reason: str) -> NoAccess:
    return NoAccess(0 if turn is None else turn.user_number, reason, "not_allowed")


def in_words(grant: Grant) -> str:
    """What the holder of a grant can do, for whoever gives or looks through them."""
    if grant.role == "operator":
        reading = "may read, undo and erase memories, and each time leaves an entry in the operators' log"
        return f"health, queue and charts; {reading if grant.reads else 'may not read memories or messages'}"
    people = " and ".join(grant.people) or "anybody"
    platforms = " and ".join(grant.platforms) or "any platform"
    if grant.role == "person":
        return f"acts for {people} of {platforms} in their direct chat: everything that is theirs"
    if grant.spaces:
        reach_text = f"in {' and '.join(grant.spaces)} alone"
    else:
        reach_text = "everywhere" if grant.direct else "in every group"
    reach = (
        "everything that a person can do themselves"
        if grant.direct and not grant.spaces
        else "tools and lists of that place, stricter privacy there; nothing from direct chats, no export, no erasure"
    )
    return f"acts for {people} of {platforms} {reach_text}: {reach}"


def is_of_space(grant: Grant | None) -> bool:
    """Whether what a person decides holds for the turn's space alone, since the token is bound to it."""
    return grant is not None and bool(grant.spaces)


def is_audited(operation: str, grant: Grant | None) -> bool:
    """Whether an operator does it, who leaves a line in the trail."""
    return grant is not None and (WHERE.get(operation) == "outside" or grant.role == "operator")


def note_operator(tx: Tx, operation: str, grant: Grant, about: str, turn: Turn | None) -> None:
    """Write in the trail what an operator does outside a turn; who reads the same again within an hour, once.

    Args:
        about: What it is about, without anybody's name or text.
        turn: Made up for the person whom it is about. None: it is about nobody alone.
    """
    person = None if turn is None else tx.owners.find("person", turn.platform, turn.user_key)
    about = about if turn is None else f"{about}, person {person}"  # the number stays when they are erased
    action = _ACTS.get(FOR_PERSON.get(operation, operation), "read")
    tx.owners.add(Owner(id=_OPERATORS_ID, kind="space", platform=OPERATORS[0], name=OPERATORS[1]))
    operators = _OPERATORS_ID
    is_new_each_time = action != "read" or operation == "export_anything"  # each time of other memories
    if is_new_each_time or tx.limits.once(operators, f"{grant.token} {about}", _READ_AGAIN):
        actor = f"token {grant.token}" if grant.token else grant.label
        tx.audit.add(operators, 0, action, actor=actor, reason=about)


def operator_trail(tx: Tx) -> list[Event]:
    """What operators did outside a turn, oldest first."""
    owner = tx.owners.find("space", *OPERATORS)
    return [] if owner is None else tx.audit.of_owner(owner)
