"""Changes that wait for the consent of the person whom they are about."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from zgadka.errors import InvalidInput
from zgadka.model.memory import StoredMemory
from zgadka.model.notice import Notice
from zgadka.model.people import Consent, Proposal, Proposed
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.scopes import find_space, person_named, privacy_of
from zgadka.stores.tx import Tx
from zgadka.text.clean import preview

_SHOWN = 1_200
"""Characters of a text in a proposal: whole texts, or something might be agreed to that nobody has read."""
_NAME = 60


class TriedChange(Exception):  # noqa: N818
    """Takes a change back that was only tried, and carries what it would have done."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__("nothing was changed")
        self.proposal = proposal


def consents(tx: Tx, turn: Turn) -> list[Consent]:
    """The open questions for the speaker's consent, oldest first."""
    return tx.consents_asked(person_named(tx, turn, turn.user_name))


def take_consent(tx: Tx, turn: Turn, number: int) -> Consent | None:
    """Close one of the speaker's questions, for good or ill; None when there is none: answered twice, or another's."""
    asked = _asked(tx, turn, number)
    if asked is not None:
        tx.close_consent(person_named(tx, turn, turn.user_name), number)
    return asked


def propose(tx: Tx, turn: Turn, number: int, make: Callable[[Tx, Turn, Consent], object]) -> None:
    """Try the change that one of the speaker's questions is about; without such a question, do nothing.

    Whoever reads the arguments of a call instead would tell again, and sooner or later otherwise, what each tool does.

    Args:
        make: Makes the change.

    Raises:
        TriedChange: Always after a try, so that nothing of it is kept.
    """
    asked = _asked(tx, turn, number)
    if asked is None:
        return
    with suppress(InvalidInput):  # it cannot be made: nothing would be changed
        make(tx, turn, asked)
    raise TriedChange(_made(tx, turn, asked))


def refuse_unseen(tx: Tx, turn: Turn, asked: Consent, mark: int) -> None:
    """Let a change stand that was just made, if it is the one that the speaker has seen.

    Args:
        mark: That of the proposal that they have seen.

    Raises:
        TriedChange: It is another; nothing of it is kept, and the question stays open.
    """
    proposal = _made(tx, turn, asked)
    if proposal.changes and proposal.mark != mark:
        raise TriedChange(proposal)


def _made(tx: Tx, turn: Turn, asked: Consent) -> Proposal:
    """What this transaction has changed, as a proposal."""
    shows = privacy_of(tx, person_named(tx, turn, turn.user_name)) is PrivacyLevel.MINIMAL
    changes = [_proposed(tx, notice, shows=shows) for notice in tx.notices]
    told = tuple(one for one in changes if one is not None)
    return Proposal(consent=asked.id, asker=_name_of(tx, asked), changes=told)


def _asked(tx: Tx, turn: Turn, number: int) -> Consent | None:
    return next((asked for asked in consents(tx, turn) if asked.id == number), None)


def _proposed(tx: Tx, notice: Notice, *, shows: bool) -> Proposed | None:
    if notice.what not in ("created", "updated", "hidden", "deleted"):
        return None
    event = tx.events(notice.owner, notice.memory)[-1]
    is_gone = notice.what in ("hidden", "deleted")
    # Without an undo window, a deletion leaves no text in the trail.
    before = notice.preview if is_gone and event.before is None else _shown(tx, event.before)
    after = None if is_gone else _shown(tx, event.after)
    if not shows:
        before, after = (None if one is None else "" for one in (before, after))
    return Proposed(memory=notice.memory, what=notice.what, before=before, after=after)


def _shown(tx: Tx, memory: StoredMemory | None) -> str | None:
    """A memory's text, of whom it is where it is of two, and when it holds where that is known; None: not in force."""
    if memory is None or memory.archived:
        return None
    text, bounds = preview(memory.text, _SHOWN), (memory.valid_from, memory.valid_to)
    if memory.kind == "relation":
        names = tx.names_of(memory.people)
        pair = (preview(names.get(one) or tx.owner(one).name, _NAME) for one in memory.people)
        text = f"{(' ↔ ' if memory.mutual else ' → ').join(pair)}: {text}"
    if bounds != (None, None):
        text += f" ({' – '.join('…' if one is None else f'{one:%Y-%m-%d}' for one in bounds)})"
    return text


def _name_of(tx: Tx, asked: Consent) -> str:
    """What the asker is called where they asked."""
    member = tx.member(find_space(tx, asked.turn), person_named(tx, asked.turn, asked.asker))
    name = None if member is None else preview(member.nickname or member.name or "", _NAME)
    return name or asked.asker
