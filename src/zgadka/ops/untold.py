"""Whether what is recorded now is told: it may say what was forgotten, or be the wish to forget it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from zgadka.model.people import Role
from zgadka.model.turn import Turn
from zgadka.ops.forgotten import forgotten_forms, has_forgotten, list_forgotten
from zgadka.ops.late import is_taken_back, keeps_most
from zgadka.ops.sources import repeats
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Forgotten
from zgadka.text.mere_mentions import orders_forgetting
from zgadka.text.off_record import is_off_record
from zgadka.text.quoted_lines import quoted_lines
from zgadka.text.value_mentions import MentionIndex

_PROMPTLY = timedelta(seconds=2)
"""What is recorded so soon after it was written has hardly been overtaken by a wish to forget."""


def tell_edited(tx: Tx, space: int, person: int, message: int, former: str, text: str, change: int) -> None:
    """Tell a withheld message again that was edited, if it says nothing that is forgotten by now.

    If it was withheld for what it said in so many words, these are gone; else hardly any of its words may be left. One
    that quotes somebody stays as it is: whose words they were is known no longer.

    Args:
        former: What it said before.
        text: What it says now.
        change: That by which this is told nobody; 0: there is none.
    """
    withheld_by = tx.messages.withholding(space, message)
    if not withheld_by or quoted_lines(text):
        return
    if change:
        tx.messages.release(space, [message], withheld_by, {message: change})
    elif not keeps_most(former, text) or _says_what_went(tx, space, person, former, withheld_by):
        tx.messages.release(space, [message], withheld_by, {})


def _says_what_went(tx: Tx, space: int, person: int, text: str, change: int) -> bool:
    """Whether a text has the words of what a person had forgotten in a change."""
    sayings = MentionIndex([(0, text)])
    rows = [row for row in list_forgotten(tx, person, space) if row.change == change]
    return any(sayings.of(form.content, loosely=True) for row in rows for form in forgotten_forms(tx, row))


def untold_from_now(
    tx: Tx,
    turn: Turn,
    space: int,
    person: int,
    role: Role,
    text: str,
    *,
    given: Iterable[int] = (),
    is_edit: bool = False,
) -> int:
    """The change because of which a message that is recorded now is told nobody; 0: there is none.

    Its person asks that it be not remembered, or it answers such a message. Or it says what was forgotten: an answer
    of the turn that had it forgotten, or what was written or asked before, and comes only now; or it is the order to
    forget it once more, or the answer to that.

    Args:
        given: The ids of the memories that an answer was given: others may have had them forgotten meanwhile.
        is_edit: Whether it is another text of a message that was written before all that is forgotten by now.
    """
    said = text if role == "user" else turn.text or ""
    if is_off_record(said):
        return tx.next_id("change")  # that nothing takes back
    of_turn = role == "assistant" and has_forgotten(tx, turn, (person, space))
    written = datetime.min.replace(tzinfo=UTC) if is_edit else turn.time or tx.now
    is_late = is_edit or tx.now - written > _PROMPTLY
    is_order = orders_forgetting(said)
    if role == "assistant" and (is_late or turn.time is None) and is_taken_back(tx, turn):
        return tx.next_id("change")
    if not (of_turn or is_late or is_order):
        return 0
    forgotten = [*list_forgotten(tx, person, space), *(_forgotten_meanwhile(tx, space, {*given}) if is_late else ())]
    gone = [
        tx.forgotten_values.find_in(owner, text) for owner in (person, space, *_members_who_forgot(tx, space, given))
    ]
    is_of_forgetting = of_turn or is_order
    if any(at is not None and (is_of_forgetting or written < at.replace(microsecond=0)) for at in gone):
        return tx.next_id("change")
    # Platforms tell the second.
    late_for = [row for row in forgotten if is_of_forgetting or written < row.at.replace(microsecond=0)]
    if not late_for:  # as nearly always, and the text is read in vain
        return 0
    sayings, given_ids = MentionIndex([(0, text)]), {*given}

    def is_said(row: Forgotten) -> bool:
        forms = forgotten_forms(tx, row)
        if row.memory.id in given_ids and any(repeats(tx, space, form, sayings, {0}) for form in forms):
            return True
        return any(sayings.of(form.content, loosely=role == "user") for form in forms)

    return next((row.change for row in late_for if is_said(row)), 0)


def _members_who_forgot(tx: Tx, space: int, memory_ids: Iterable[int]) -> list[int]:
    wanted = {*memory_ids}
    return tx.audit.members_who_forgot(space, wanted) if wanted else []


def _forgotten_meanwhile(tx: Tx, space: int, memory_ids: Collection[int]) -> list[Forgotten]:
    """Which of the memories that an answer was given are forgotten by now, by whomever."""
    owners = [space, *_members_who_forgot(tx, space, memory_ids)] if memory_ids else []
    return [row for owner in owners for row in tx.audit.list_forgotten(owner) if row.memory.id in memory_ids]
