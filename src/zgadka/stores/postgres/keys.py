"""What foreign keys to the list of owners do on one server, done by hand where rows are divided: the list is elsewhere.

A row that names an owner who is gone is refused: the operation is run again, and finds out who is meant now. And who is
named stays. The rows of an owner themselves need nothing of this: whoever changes them locks the owner first.

Locks that are let go of at the end of a transaction do it (`pg_advisory_xact_lock`), unlike those of rows: these are
changes, and each would have to be on the coordinator's disk as well. All programs are connected to the coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from psycopg import errors

from zgadka.stores.row_mapping import Value

if TYPE_CHECKING:
    from zgadka.stores.postgres.session import Session

_LOCK = "hashtextextended('zgadka owner', $1)"
_KEEP = f"SELECT pg_advisory_xact_lock_shared({_LOCK})"
_TAKE = f"SELECT pg_try_advisory_xact_lock({_LOCK})"

# An error that the server itself finds: what is sent along is not looked at before the commit.
_REFUSE_GONE = "SELECT 1 / count(*) FROM owner WHERE id = $1"
_NAMING = ("SELECT 1 FROM member WHERE person = $1 LIMIT 1", "SELECT 1 FROM message WHERE person = $1 LIMIT 1")


Check = Callable[["Session", Mapping[str, Value]], None]


def _keep(session: Session, owner: int) -> None:
    """Refuse an owner who is gone, and keep whom a row will name until the transaction ends."""
    if owner not in session.kept:
        session.kept.add(owner)
        session.send_along(_KEEP, (owner,))
        session.send_along(_REFUSE_GONE, (owner,))


def _refuse_named(session: Session, parameters: Mapping[str, Value]) -> None:
    """Refuse to remove whom a row names, or is about to."""
    owner = (parameters["owner"],)
    # Nobody is waited for: they may wait for what this transaction has locked.
    if not session.run(_TAKE, owner)[0][0] or any(session.run(naming, owner) for naming in _NAMING):
        raise errors.ForeignKeyViolation(f"owner {parameters['owner']} is named by a row")


def check_of(statement: str, names: Sequence[str]) -> Check | None:
    """What is done before a statement that changes something; None: nothing.

    Args:
        names: Those of its parameters.
    """
    if statement.startswith(("INSERT INTO member ", "INSERT INTO message ")) and "person" in names:
        return lambda session, parameters: _keep(session, cast("int", parameters["person"]))
    if statement.startswith("INSERT INTO audience "):  # committed apart from what locks its space
        return lambda session, parameters: _keep(session, cast("int", parameters["owner"]))
    return _refuse_named if statement.startswith("DELETE FROM owner ") else None
