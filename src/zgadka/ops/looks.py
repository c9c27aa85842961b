"""Whether a turn looked up what is known before it remembers; rows, so that any process may be asked."""

from __future__ import annotations

from datetime import timedelta

from zgadka.model.turn import Turn
from zgadka.ops.scopes import person_named
from zgadka.stores.tx import Tx

_TURN = timedelta(hours=1)
_NAMELESS_TURN = timedelta(minutes=5)
"""Where the host gives no turn ids, a look of the last minutes counts."""


def note_look(tx: Tx, turn: Turn) -> None:
    """Take note that the turn looked."""
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    tx.once(person, _span(turn), _TURN if turn.turn is not None else _NAMELESS_TURN)


def has_looked(tx: Tx, turn: Turn) -> bool:
    """Whether the turn looked before."""
    return tx.is_done(person_named(tx, turn, turn.user_name), _span(turn))


def _span(turn: Turn) -> str:
    # The lengths keep `a` + `b:c` apart from `a:b` + `c`.
    kind, space = turn.place
    return f"look:{kind}:{len(space)}:{space}:{len(turn.chat)}:{turn.chat}:{turn.turn or ''}"
