"""What PostgreSQL's errors mean: which are passing, and what is said of them."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from zgadka.errors import StoreBusy, StoreReadOnly, StoreUnavailable, StoreUncertain
from zgadka.stores.postgres.errors import is_lost, is_starting, translated

SAID = [
    ("40001", StoreBusy, "others keep changing the same rows"),
    ("40P01", StoreBusy, "others keep changing the same rows"),
    ("53300", StoreBusy, "it has no connection left"),
    ("55P03", StoreBusy, "others keep the same rows locked"),
    ("57014", StoreBusy, "it took too long"),
    ("08007", StoreUncertain, "it did not confirm a change everywhere; it may have been kept, or not"),
    ("08006", StoreUnavailable, "the connection to it failed"),
    ("25006", StoreReadOnly, "it takes no changes: it is a standby, or set to read-only"),
    ("28P01", StoreUnavailable, "it does not let this user in"),
    ("3D000", StoreUnavailable, "there is no such database"),
    ("42501", StoreUnavailable, "this user may not do that"),
    ("53100", StoreUnavailable, "its disk is full"),
    ("53200", StoreUnavailable, "it has too little memory or disk"),
    ("57P01", StoreUnavailable, "it is being stopped"),
    ("57P03", StoreUnavailable, "it is starting or stopping"),
    ("58030", StoreUnavailable, "its machine failed"),
    ("XX001", StoreUnavailable, "it is damaged"),
    ("XX002", StoreUnavailable, "run `zgadka doctor --repair`"),
    ("23514", StoreUnavailable, "failed: CheckViolation (23514)"),
]


@pytest.mark.parametrize(("state", "kind", "said"), SAID)
def test_each_code_is_said_in_words_and_without_what_a_row_holds(state: str, kind: type, said: str) -> None:
    error = errors.lookup(state)("the secret of a row")
    found = translated(error, "host:5432/x")
    assert type(found) is kind
    assert str(found).startswith("PostgreSQL host:5432/x")
    assert said in str(found)
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("FATAL:  password authentication failed for user x", StoreUnavailable, ": it does not take the password"),
        ("FATAL:  sorry, too many clients already", StoreBusy, "it has no connection left"),
        ("connection refused", StoreUnavailable, ": nobody listens there"),
        ("connection timeout expired", StoreUnavailable, ": it did not answer in time"),
        ("something new with a s3cret", StoreUnavailable, "cannot be reached"),
    ],
)
def test_what_the_library_says_of_a_connection_is_said_without_quoting_it(text: str, kind: type, said: str) -> None:
    found = translated(psycopg.OperationalError(text), "host:5432/x")
    assert type(found) is kind
    assert said in str(found)
    assert "s3cret" not in str(found)


@pytest.mark.parametrize(
    ("text", "starting"),
    [
        ("FATAL:  the database system is starting up", True),
        ("FATAL:  the database system is not yet accepting connections", True),
        ("FATAL:  the database system is in recovery mode", True),
        ("FATAL:  the database system is not accepting connections\nDETAIL:  Hot standby mode is disabled.", False),
        ("FATAL:  the database system is shutting down", False),
        ("connection refused", False),
        ("something new", False),
    ],
)
def test_a_server_is_waited_for_where_it_will_let_us_in_by_itself(text: str, starting: bool) -> None:
    assert is_starting(psycopg.OperationalError(text)) is starting


@pytest.mark.parametrize(
    ("state", "lost"), [("57P01", True), ("08006", True), ("57014", False), ("55P03", False), ("40001", False)]
)
def test_a_connection_is_lost_or_only_an_operation(state: str, lost: bool) -> None:
    assert is_lost(errors.lookup(state)("x")) is lost


def test_what_is_no_error_of_the_database_loses_no_connection() -> None:
    assert is_lost(psycopg.OperationalError("the connection is closed"))
    assert not is_lost(ValueError("x"))
    assert not is_lost(psycopg.ProgrammingError("x"))
