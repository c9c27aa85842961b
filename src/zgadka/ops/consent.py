"""Changes that wait for the consent of the person whom they are about."""

from __future__ import annotations

from zgadka.model.people import Consent
from zgadka.model.turn import Turn
from zgadka.ops.scopes import person_named
from zgadka.stores.tx import Tx


def consents(tx: Tx, turn: Turn) -> list[Consent]:
    """The open questions for the speaker's consent, oldest first."""
    return tx.consents_asked(person_named(tx, turn, turn.user_name))


def take_consent(tx: Tx, turn: Turn, number: int) -> Consent | None:
    """Close one of the speaker's questions, for good or ill; None when there is none: answered twice, or another's."""
    person = person_named(tx, turn, turn.user_name)
    for consent in tx.consents_asked(person):
        if consent.id == number:
            tx.close_consent(person, number)
            return consent
    return None
