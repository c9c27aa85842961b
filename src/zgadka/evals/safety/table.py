"""The table of DESIGN.md, 2a, said once more, for whoever checks the engine's own (`ops/allow.py`) against it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from zgadka.errors import NotAllowed
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import ANYBODY, Grant
from zgadka.model.turn import Turn

if TYPE_CHECKING:
    from zgadka.engine import Memory

ALONE = frozenset(
    {
        *("export", "list_everything", "correct", "delete", "history", "questions", "consents", "make_link", "unlink"),
        *("mute", "lower_privacy", "share", "unshare", "erase", "ask_to_erase", "answer_erasure"),
    }
)
"""What a person does in their direct chat, by their link or token, and nowhere else."""
OUTSIDE = frozenset(
    {
        *("read_anything", "undo_anything", "forget_anything", "merge_anything"),
        *("export_anything", "erase_space"),
        *("read_person", "erase_person", "answer_for_person", "link_person"),
    }
)
"""What is done in no turn."""
AS_OPERATOR = frozenset(
    {
        *("export", "list_everything", "history", "questions", "consents", "privacy", "erase", "ask_to_erase"),
        *("answer_erasure", "answer_question", "answer_consent", "proposal", "make_link", "unlink"),
    }
)
"""What an operator who may read does for a person."""

Operation = Callable[[Turn, Grant | None], Awaitable[object]]


def expected(operation: str, turn: Turn | None, grant: Grant | None) -> bool:
    """Whether the table lets it be done, as one would read it aloud."""
    if grant is None:
        return True
    if grant.role == "operator":
        return grant.reads and operation in OUTSIDE | AS_OPERATOR
    if operation in OUTSIDE:
        return grant is ANYBODY
    if turn is None:
        return False
    if grant is ANYBODY:
        return turn.direct or operation not in ALONE
    is_theirs = turn.platform in grant.platforms and (not grant.people or turn.user_key in grant.people)
    is_there = grant.direct and not grant.spaces if turn.direct else not grant.spaces or turn.space in grant.spaces
    if grant.role == "person":
        is_there = turn.direct
    if not (is_theirs and is_there):
        return False
    return turn.direct or operation not in ALONE


def operations(memory: Memory, note: int) -> Mapping[str, Operation]:
    """Every method of the library that takes a turn and a grant, by its operation; of the tools, some.

    Args:
        note: A memory of the speaker's.
    """
    clearing = {"reason": "asked"}
    return {
        "remember": lambda turn, grant: memory.call("remember", {"content": "x"}, turn, grant=grant),
        "recall": lambda turn, grant: memory.call("recall", {"query": "x"}, turn, grant=grant),
        "clear_profile": lambda turn, grant: memory.call(
            "clear_profile", {"user_id": turn.user_number, **clearing}, turn, grant=grant
        ),
        "export": lambda turn, grant: memory.export(turn, grant=grant),
        "history": lambda turn, grant: memory.history(note, turn, grant=grant),
        "questions": lambda turn, grant: memory.questions(turn, grant=grant),
        "consents": lambda turn, grant: memory.consents(turn, grant=grant),
        "share": lambda turn, grant: memory.share(note, turn, grant=grant),
        "unshare": lambda turn, grant: memory.share(note, turn, everywhere=False, grant=grant),
        "undo": lambda turn, grant: memory.undo(404, turn, grant=grant),
        "record": lambda turn, grant: memory.record("user", "hi", turn, grant=grant),
        "unrecord": lambda turn, grant: memory.unrecord(replace(turn, message="m"), grant=grant),
        "recent": lambda turn, grant: memory.recent(turn, grant=grant),
        "search_messages": lambda turn, grant: memory.search_messages("x", turn, grant=grant),
        "build_context": lambda turn, grant: memory.build_context(turn, grant=grant),
        "observe": lambda turn, grant: memory.observe("hi", turn, grant=grant),
        "take_finished": lambda turn, grant: memory.take_finished(turn, grant=grant),
        "privacy": lambda turn, grant: memory.privacy(turn, grant=grant),
        "lower_privacy": lambda turn, grant: memory.set_privacy(PrivacyLevel.MINIMAL, turn, grant=grant),
        "answer_question": lambda turn, grant: memory.answer_question("x", turn, save=True, grant=grant),
        "proposal": lambda turn, grant: memory.proposal(404, turn, grant=grant),
        "mute": lambda turn, grant: memory.mute(404, turn, grant=grant),
        "plain_question": lambda turn, grant: memory.plain_question("yes", turn, grant=grant),
        "answer_consent": lambda turn, grant: memory.answer_consent(404, True, turn, grant=grant),
        "ask_to_erase": lambda turn, grant: memory.ask_to_erase(turn, grant=grant),
        "answer_erasure": lambda turn, grant: memory.answer_erasure(turn, agrees=False, grant=grant),
    }


async def is_refused(operation: Operation, turn: Turn, grant: Grant | None) -> bool:
    """Whether the library refuses it, for the place or the token."""
    try:
        return getattr(await operation(turn, grant), "status", "") == "not_allowed"
    except NotAllowed:
        return True
