"""SQLite's errors are told in words of our own: its own may quote what was looked for."""

import apsw
import pytest

from zgadka.errors import StoreError, StoreUnavailable
from zgadka.stores.sqlite.errors import translated


def failure(statement: str) -> apsw.Error:
    with pytest.raises(apsw.Error) as caught:
        apsw.Connection(":memory:").execute(statement)
    return caught.value


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (failure("SELECT xylographer"), "SQLError (SQLITE_ERROR)"),
        (failure("CREATE TABLE a (x UNIQUE); INSERT INTO a VALUES (1), (1)"), "ConstraintError (SQLITE_CONSTRAINT_"),
        (apsw.ConnectionClosedError("xylographer"), "ConnectionClosedError (no code)"),
        (apsw.CorruptError("xylographer"), "is damaged"),
    ],
)
def test_an_error_is_named_and_not_quoted(error: apsw.Error, said: str) -> None:
    found: StoreError = translated(error, "x.db")
    assert type(found) is StoreUnavailable
    assert said in str(found)
    assert "xylographer" not in str(found)
