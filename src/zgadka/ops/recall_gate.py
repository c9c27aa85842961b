"""Whether a turn looked up what is known before it remembers; rows, so that any process may be asked."""

from __future__ import annotations

from datetime import timedelta

from zgadka.model.turn import Turn
from zgadka.ops.access import ensure_speaker, speaker_of
from zgadka.ops.limits import turn_span
from zgadka.stores.tx import Tx

_TURN = timedelta(hours=1)
_NAMELESS_TURN = timedelta(minutes=5)
"""Where the host gives no turn ids, a look of the last minutes counts."""


def note_look(tx: Tx, turn: Turn) -> None:
    """Take note that the turn looked."""
    person = ensure_speaker(tx, turn)
    tx.limits.once(person, turn_span("look", turn), _TURN if turn.turn is not None else _NAMELESS_TURN)


def has_looked(tx: Tx, turn: Turn) -> bool:
    """Whether the turn looked before."""
    return tx.limits.is_done(speaker_of(tx, turn), turn_span("look", turn))
