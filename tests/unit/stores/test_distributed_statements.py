"""Each named statement against what Citus asks, without a cluster: what it refuses, and what goes to every server."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from types import SimpleNamespace

import pytest
import sqlglot
from distributed_sql import verdict
from sqlglot import exp

from zgadka.stores.postgres import nodes, schema, scrub, store
from zgadka.stores.postgres.routes import EVERYWHERE, divided_tables
from zgadka.stores.postgres.session import statements

PLANTED = {
    "INSERT INTO event (owner, number) VALUES ($1, (SELECT max(number) FROM event WHERE owner = $1))": (
        "a subquery in VALUES",
        [],
    ),
    "UPDATE task SET error = CASE $2::text WHEN 'failed' THEN $3 END WHERE owner = $1": ("CASE x WHEN y", []),
    "SELECT o.id FROM owner o WHERE EXISTS (SELECT 1 FROM message m WHERE m.owner = o.id AND m.at < $1)": (
        "a correlated subquery over what is on every server",
        ["message"],
    ),
    "SELECT id FROM memory WHERE NOT EXISTS (SELECT 1 FROM json_array_elements($1::json) w WHERE NOT EXISTS ("
    "SELECT 1 FROM json_array_elements_text(w.value) form WHERE strpos(words, form.value) > 0))": (
        "a correlated subquery over what is on every server",
        ["memory"],
    ),
    "SELECT e.owner FROM member b JOIN event e ON e.owner = b.person WHERE b.owner = $1": (
        "a join of rows of different owners",
        ["event"],
    ),
    "SELECT 1 FROM message m WHERE m.at < $2 OR EXISTS (SELECT 1 FROM memory k WHERE k.owner = m.person)": (
        "a join of rows of different owners",
        ["message", "memory"],
    ),
    "SELECT arm, (SELECT count(*) FROM stretch s WHERE s.owner = c.owner) FROM chat c WHERE c.owner = $1": (
        None,
        ["stretch"],
    ),
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM event u WHERE u.owner = e.owner) THEN 1 END FROM event e "
    "WHERE e.owner = $1": (None, ["event"]),
    "SELECT 1 FROM memory m WHERE m.owner = $1 AND (m.id = 1 OR EXISTS (SELECT 1 FROM event e "
    "WHERE e.owner = m.owner))": (None, ["event"]),
    "SELECT count(*) FROM task WHERE state = 'waiting'": (None, ["task"]),
    "SELECT 1 FROM memory WHERE owner = $1 AND id IN (SELECT memory FROM event)": (None, ["event"]),
    "SELECT 1 FROM memory WHERE owner = ANY (ARRAY (SELECT 1))": (None, ["memory"]),
    "SELECT 1 FROM message m, vector v WHERE m.owner = $1": ("a join of rows of different owners", ["vector"]),
    "WITH w AS (SELECT owner FROM memory) SELECT 1 FROM w, event e WHERE e.owner = $1": (None, ["memory"]),
    "DELETE FROM question WHERE expires_at < $1": (None, ["question"]),
    "DELETE FROM answer WHERE token = $1": (None, ["answer"]),
    "INSERT INTO unembedded (owner, id) SELECT owner, id FROM memory": (None, ["memory", "unembedded"]),
    "SELECT 1 FROM owner WHERE name = $1": (None, []),
    "SELECT 1 FROM message m JOIN owner o ON o.id = m.person WHERE m.owner = $1": ("beside what is elsewhere", []),
    "SELECT 1 FROM owner s LEFT JOIN member b ON b.owner = s.id WHERE s.id = $1": (
        "beside what is elsewhere",
        [],
    ),
    "SELECT owner FROM task WHERE owner IN (SELECT id FROM owner WHERE platform = $1)": (
        "beside what is elsewhere",
        ["task"],
    ),
    "SELECT id FROM owner WHERE id NOT IN (SELECT person FROM member WHERE kind = 'bot')": (None, ["member"]),
    "WITH f AS MATERIALIZED (SELECT owner FROM given) SELECT 1 FROM f JOIN owner o ON o.id = f.owner": (
        None,
        ["given"],
    ),
    "SELECT 1 FROM memory WHERE owner = $1 AND EXISTS (SELECT 1 FROM embedder)": (None, []),
    "INSERT INTO subject (owner, id) SELECT m.owner, m.id FROM memory m WHERE m.owner = $1": (None, []),
    "UPDATE subject SET level = m.level FROM member m WHERE subject.owner = $1 AND m.owner = subject.owner": (None, []),
    "SELECT 1 FROM event e WHERE e.owner = $1 AND NOT EXISTS (SELECT 1 FROM memory k WHERE k.owner = e.owner)": (
        None,
        [],
    ),
    "UPDATE answer SET body = $2 WHERE token = $1 AND key = $3": (None, []),
}


@pytest.mark.parametrize("statement", PLANTED)
def test_a_planted_statement_is_told_as_a_cluster_took_it(statement: str) -> None:
    rule, everywhere = PLANTED[statement]
    told = verdict(statement)
    assert told.refused == ([] if rule is None else [rule])
    assert sorted(told.everywhere) == sorted(everywhere)


def test_a_cluster_refuses_no_statement_and_the_list_tells_all_that_go_to_every_server() -> None:
    told = {name: verdict(statement.text) for name, statement in statements().items()}
    assert {name: verdict.refused for name, verdict in told.items() if verdict.refused} == {}
    assert {name for name, verdict in told.items() if verdict.everywhere} == set(EVERYWHERE)
    assert all(EVERYWHERE.values()), "each with a reason"


def parameters_by_which(tree: exp.Expr) -> set[str]:
    """The numbers of the parameters that tell by which value its rows are divided."""
    by = "key" if any(table.name == "answer" for table in tree.find_all(exp.Table)) else "owner"
    found: set[exp.Expr | None] = set()
    for equality in tree.find_all(exp.EQ):
        for side, other in ((equality.this, equality.expression), (equality.expression, equality.this)):
            if isinstance(side, exp.Column) and side.name == by:
                found |= set(other.find_all(exp.Parameter)) if isinstance(other, (exp.Cast, exp.Parameter)) else set()
    for insert in tree.find_all(exp.Insert):
        columns = [column.name for column in insert.this.expressions]
        at = columns.index(by) if by in columns else None
        given = insert.expression
        values = given.expressions[0].expressions if isinstance(given, exp.Values) else given.selects
        if at is not None and (parameter := values[at].find(exp.Parameter)):
            found.add(parameter)
    return {parameter.name for parameter in found if parameter is not None}


def test_of_each_query_it_is_known_whose_rows_it_is_about() -> None:
    divided = divided_tables()
    wrong: dict[str, tuple[set[str], set[str]]] = {}
    for name, statement in statements().items():
        told = {parameter for _, parameter in statement.places}
        tree = sqlglot.parse_one(statement.text, dialect="postgres")
        if name in EVERYWHERE:
            asked = {""}
        elif any(table.name in divided for table in tree.find_all(exp.Table)):
            asked = {statement.names[int(number) - 1] for number in parameters_by_which(tree)}
        else:
            asked = set[str]()
        if told != asked:
            wrong[name] = told, asked
    assert wrong == {}


# What only the server knows that has the rows, and how every one of a cluster is asked.
OF_ONE_SERVER = re.compile(r"pg_index|pg_stat_database|relation_size|bt_index_check")
ASKED = {
    "_INVALID": "on every node",
    "_CHECKSUMS": "on every node",
    "_CHECK_INDEXES": "on every node",
    "_TABLES": "citus_shards has the sizes",
    "_USED_TABLES": "on one server alone; `_TABLES` elsewhere",
    "_INDEXES": "names alone; Citus passes on what is done with them",
    "_SIZE": "of a table that is made on one server alone",
    "_UNDIVIDED": "names alone",
    "_NEW_TABLES": "names alone",
    "_KEYS": "names alone",
}


def of_one_server(modules: Iterable[object]) -> set[str]:
    return {
        name
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, str) and name.isupper() and OF_ONE_SERVER.search(value)
    }


def test_what_only_the_server_with_the_rows_knows_is_asked_of_each() -> None:
    assert of_one_server([nodes, schema, scrub, store]) <= set(ASKED)
    on_every_node = {name for name, how in ASKED.items() if how == "on every node"}
    assert on_every_node == set(ASKED) & set(re.findall(r"\w+", inspect.getsource(store._integrity_of_all)))


def test_a_planted_statement_about_one_server_is_found() -> None:
    planted = SimpleNamespace(
        _SIZE="SELECT pg_total_relation_size('zgadka.memory')", _OTHER="SELECT 1", said="pg_index"
    )
    assert of_one_server([planted]) == {"_SIZE"}
