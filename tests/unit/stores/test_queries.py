"""The back ends have the same named queries, and PostgreSQL takes each of its own."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest
from postgres_server import server

from zgadka.stores.postgres.session import APART, FOLLOWS_BY_ITSELF, statements
from zgadka.stores.sql import queries

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")


def parameters(dialect: str, name: str) -> set[str]:
    return set(PARAMETER.findall(queries(dialect)[name]))


def test_both_have_the_same_queries() -> None:
    assert len(queries("sqlite")) > 100
    assert set(queries("sqlite")) == set(queries("postgres")) | FOLLOWS_BY_ITSELF
    assert not set(queries("postgres")) & FOLLOWS_BY_ITSELF
    assert set(queries("postgres")) >= APART


@pytest.mark.parametrize("name", sorted(queries("postgres")))
def test_both_have_the_same_parameters(name: str) -> None:
    assert parameters("sqlite", name) == parameters("postgres", name)


def test_postgres_can_tell_the_type_of_each_parameter(tmp_path: Path) -> None:
    url = server().database_for(tmp_path)
    refused: dict[str, str] = {}
    with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as connection:
        for name, statement in statements().items():
            try:
                connection.execute(f"PREPARE query AS {statement.text}".encode())
                connection.execute("DEALLOCATE query")
            except psycopg.Error as error:
                refused[name] = str(error)
    assert refused == {}
