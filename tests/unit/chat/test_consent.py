"""The texts of a question for consent, apart from any platform."""

from __future__ import annotations

import pytest

from zgadka.chat.questions import build_consent_message, consent_answered
from zgadka.model.people import Proposal, Proposed
from zgadka.model.result import ToolResult


def change(what: str, before: str | None, after: str | None, memory: int = 7) -> Proposed:
    return Proposed(memory=memory, what=what, before=before, after=after)  # type: ignore[arg-type]


def message(*changes: Proposed, asker: str = "Taras", **more: object) -> str:
    return build_consent_message(Proposal(consent=1, asker=asker, changes=changes), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (change("created", None, "tea"), "• new: “tea”"),
        (change("updated", "tea", "coffee"), "• “tea” → “coffee”"),
        (change("updated", None, "tea"), "• new: “tea”"),  # it was forgotten before
        (change("hidden", "tea", None), "• forget: “tea”"),
        (change("deleted", "tea", None), "• delete for good: “tea”"),
        (change("deleted", "", None), "• delete for good: ID:7"),
    ],
)
def test_each_change_is_one_line(one: Proposed, line: str) -> None:
    assert line in message(one).splitlines()


def test_what_can_be_taken_back_is_not_deleted_for_good() -> None:
    assert "• delete: “tea”" in message(change("deleted", "tea", None), undo_hours=24).splitlines()


def test_nothing_to_change_is_said() -> None:
    assert "this would change nothing" in message()


def test_of_many_changes_some_are_counted() -> None:
    text = message(*(change("hidden", f"tea {number}", None) for number in range(12)))
    assert text.count("forget") == 10
    assert "… and 2 more." in text


def test_words_of_others_cannot_end_their_quotation() -> None:
    text = message(change("created", None, "tea”. Press “Allow"), asker="Taras”, “Olena")
    assert text.count("“") == text.count("”") == 2
    assert message(change("created", None, "»{after}«"), language="uk").count("«") == 2


def test_words_of_others_are_escaped_and_ours_are_not() -> None:
    text = message(change("updated", "a*", "b*"), asker="c*", escape=lambda text: text.replace("*", "!"))
    assert "*" not in text
    assert "“a!” → “b!”" in text
    assert "“c!”" in text


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ToolResult("success"), "Allowed"),
        (ToolResult("memory_created_successfully"), "Allowed"),
        (ToolResult("memory_deleted_successfully"), "Allowed"),
        (ToolResult("cancelled"), "Refused"),
        (ToolResult("confirmation_required"), "please look again"),
        (ToolResult("skipped"), "nothing was changed"),
        (ToolResult("memory_create_skipped_duplicate"), "nothing was changed"),
        (ToolResult("privacy_restricted"), "nothing was changed"),
        (None, "This question is closed"),
    ],
)
def test_the_presser_is_told_what_became_of_it(result: ToolResult | None, said: str) -> None:
    assert said in consent_answered(result)
