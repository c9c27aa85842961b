"""Changes that wait for the consent of the person whom they are about."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from zgadka.errors import InvalidInput
from zgadka.model.memory import StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.people import Consent, Proposal, Proposed
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, is_remembered, person_named, speaker_of
from zgadka.ops.open_questions import open_questions
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import preview

_SHOWN = 1_200
"""Characters of a text in a proposal: whole texts, or something might be agreed to that nobody has read."""
_NAME = 60


class TriedChange(Exception):  # noqa: N818
    """Takes a change back that was only tried, and carries what it would have done."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__("nothing was changed")
        self.proposal = proposal


def consents(tx: Tx, turn: Turn) -> list[Consent]:
    """The open questions for the speaker's consent, oldest first; in a group, those that were asked there."""
    return open_questions(tx, turn, Consent)


def take_consent(tx: Tx, turn: Turn, number: int) -> Consent | None:
    """Close one of the speaker's questions, for good or ill; None when there is none: answered twice, or another's."""
    consent = _open_consent(tx, turn, number)
    if consent is not None:
        tx.questions.delete(speaker_of(tx, turn), number)
    return consent


def propose(tx: Tx, turn: Turn, number: int, make: Callable[[Tx, Turn, Consent], object]) -> None:
    """Try the change that one of the speaker's questions is about; without such a question, do nothing.

    Whoever reads the arguments of a call instead would tell again, and sooner or later otherwise, what each tool does.

    Args:
        make: Makes the change.

    Raises:
        TriedChange: Always after a try, so that nothing of it is kept.
    """
    consent = _open_consent(tx, turn, number)
    if consent is None:
        return
    with suppress(InvalidInput):  # it cannot be made: nothing would be changed
        make(tx, turn, consent)
    raise TriedChange(_proposal(tx, turn, consent))


def refuse_unseen(tx: Tx, turn: Turn, consent: Consent, mark: int | None) -> None:
    """Let a change stand that was just made, if it is the one that the speaker has seen.

    Args:
        mark: That of the proposal that they have seen; None: they have seen none.

    Raises:
        TriedChange: It is another; nothing of it is kept, and the question stays open.
    """
    proposal = _proposal(tx, turn, consent)
    if proposal.changes and proposal.mark != mark:
        raise TriedChange(proposal)


def _proposal(tx: Tx, turn: Turn, consent: Consent) -> Proposal:
    """What this transaction has changed, as a proposal."""
    shows = is_remembered(tx, speaker_of(tx, turn), find_space(tx, consent.turn))
    changes = [_change_of(tx, notice, shows=shows) for notice in tx.notices]
    visible_changes = tuple(change for change in changes if change is not None)
    return Proposal(consent=consent.id, asker=_name_of(tx, consent), changes=visible_changes)


def _open_consent(tx: Tx, turn: Turn, number: int) -> Consent | None:
    return next((consent for consent in consents(tx, turn) if consent.id == number), None)


def _change_of(tx: Tx, notice: Notice, *, shows: bool) -> Proposed | None:
    if notice.what not in ("created", "updated", "hidden", "deleted"):
        return None
    event = tx.audit.history(notice.owner, notice.memory)[-1]
    is_gone = notice.what in ("hidden", "deleted")
    # Without an undo window, a deletion leaves no text in the trail.
    old_text = notice.preview if is_gone and event.before is None else _describe(tx, event.before)
    new_text = None if is_gone else _describe(tx, event.after)
    if not shows:
        old_text, new_text = (None if text is None else "" for text in (old_text, new_text))
    return Proposed(memory=notice.memory, what=notice.what, before=old_text, after=new_text, kind=notice.kind)


def _describe(tx: Tx, memory: StoredMemory | None) -> str | None:
    """A memory's text, of whom it is where it is of two, and when it holds where that is known; None: not in force."""
    if memory is None or memory.archived:
        return None
    text = preview(memory.text, _SHOWN)
    if memory.kind == "relation":
        names = tx.operator.names_of(memory.people)
        pair = (preview(names.get(person) or tx.owners.get(person).name, _NAME) for person in memory.people)
        text = f"{(' ↔ ' if memory.mutual else ' → ').join(pair)}: {text}"
    return text + memory.span_in(tx.settings.zone)


def _name_of(tx: Tx, consent: Consent) -> str:
    """What the asker is called where they asked."""
    member = tx.members.get(find_space(tx, consent.turn), person_named(tx, consent.turn, consent.asker))
    name = None if member is None else preview(member.nickname or member.name or "", _NAME)
    return name or consent.asker
