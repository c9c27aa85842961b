"""What Citus asks of statements, told from their text alone: which go to one server, and what it refuses.

The rules are those that a real cluster showed. A statement goes to one server where the owner of every table in it is
a parameter, by itself or since it is equal to one that is. In what is selected, and below an OR, Citus sees no such
equality.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp

from zgadka.stores.postgres.routes import divided_tables, tables_elsewhere

Node = tuple[int, str]
"""A column of one of a statement's tables."""


@dataclass
class Verdict:
    """What is told of a statement.

    Attributes:
        refused: Why Citus does not run it, as a list of rules that it breaks.
        everywhere: The tables whose rows it looks for on every server.
    """

    refused: list[str] = field(default_factory=list)
    everywhere: list[str] = field(default_factory=list)


def verdict(statement: str) -> Verdict:
    """Hold a statement against the rules."""
    return _Reader(sqlglot.parse_one(statement, dialect="postgres")).verdict()


class _Scope:
    """One SELECT, UPDATE or DELETE: its tables, and the one around it where it is a subquery."""

    def __init__(self, tree: exp.Expr, outer: _Scope | None, *, is_seen: bool) -> None:
        self.outer = outer
        self.is_seen = is_seen  # its equalities with what is around it are seen
        self.tables: dict[str, exp.Expr] = {}
        from_ = tree.args.get("from_")
        targets = [tree.this] if isinstance(tree, (exp.Update, exp.Delete)) else []
        joins = tree.args.get("joins") or []
        for table in [*targets, *([from_.this] if from_ else []), *(join.this for join in joins)]:
            self.tables[table.alias_or_name or str(id(table))] = table
        self.is_correlated = False

    def table_of(self, column: exp.Column, tables: Mapping[str, str]) -> tuple[_Scope, exp.Expr] | None:
        if column.table:
            here = self.tables.get(column.table)
        else:
            fitting = [t for t in self.tables.values() if column.name != "owner" or t.name in tables or not t.name]
            here = (fitting or [None])[0]
        if here is not None:
            return self, here
        return self.outer.table_of(column, tables) if self.outer else None


class _Reader:
    def __init__(self, tree: exp.Expr) -> None:
        self._tree = tree
        self._tables = divided_tables()
        self._divided: list[exp.Table] = []
        self._scopes: list[tuple[exp.Expr, _Scope]] = []
        self._seen: list[tuple[Node, Node | None]] = []  # two columns, or a column and a parameter, are equal
        self._said: list[tuple[Node, Node | None]] = []  # also where Citus does not see it
        self._verdict = Verdict()

    def verdict(self) -> Verdict:
        tree = self._tree
        if any(case.this is not None for case in tree.find_all(exp.Case)):
            self._verdict.refused.append("CASE x WHEN y")
        for cte in tree.find_all(exp.CTE):
            self._read(cte.this, None, is_seen=False)
        if isinstance(tree, exp.Insert):
            self._insert(tree)
        else:
            self._read(tree, None, is_seen=False)
        self._refuse_beside()
        bound = _bound(self._seen)
        self._verdict.everywhere = [table.name for table in self._divided if self._key(table) not in bound]
        if self._verdict.everywhere:
            self._refuse_everywhere()
        return self._verdict

    def _key(self, table: exp.Expr) -> Node:
        return id(table), self._tables.get(table.name, "")

    def _insert(self, tree: exp.Insert) -> None:
        schema, source = tree.this, tree.expression
        table = schema.this
        columns = [column.name for column in schema.expressions]
        if isinstance(source, exp.Values) and source.find(exp.Select):
            self._verdict.refused.append("a subquery in VALUES")
            for select in source.find_all(exp.Select):
                self._read(select, None, is_seen=False)
        elif not isinstance(source, exp.Values):
            self._read(source, None, is_seen=False)
        if table.name not in self._tables:
            return
        self._divided.append(table)
        place = columns.index(self._tables[table.name])
        rows = source.expressions[0].expressions if isinstance(source, exp.Values) else source.selects
        value = _bare(rows[place])
        scope = next((scope for tree, scope in self._scopes if tree is source), None)
        if isinstance(value, (exp.Parameter, exp.Literal)):
            self._seen.append((self._key(table), None))
        elif isinstance(value, exp.Column) and scope and (node := self._node(value, scope)):
            self._seen.append((self._key(table), node))
        self._said += self._seen[-1:]

    def _read(self, tree: exp.Expr, outer: _Scope | None, *, is_seen: bool) -> None:
        tree = tree.unnest()
        if isinstance(tree, exp.SetOperation):
            for part in (tree.left, tree.right):
                self._read(part, outer, is_seen=is_seen)
            return
        scope = _Scope(tree, outer, is_seen=is_seen)
        self._scopes.append((tree, scope))
        self._divided += [t for t in scope.tables.values() if isinstance(t, exp.Table) and t.name in self._tables]
        parts = list(_conjuncts(tree))
        for part in parts:
            if isinstance(part, exp.EQ):
                self._equal(part, scope)
        seen = {id(query) for part in parts for query in _subquery_of(part)}
        for column in _columns_of(tree):
            found = scope.table_of(column, self._tables)
            inner = scope
            while found and inner is not found[0]:
                inner.is_correlated = True
                inner = inner.outer or found[0]
        for query in _queries_in(tree):
            self._read(query, scope, is_seen=id(query) in seen)

    def _equal(self, part: exp.EQ, scope: _Scope) -> None:
        left, right = _bare(part.this), _bare(part.expression)
        if not isinstance(left, exp.Column):
            left, right = right, left
        if not isinstance(left, exp.Column):
            return
        node = self._node(left, scope)
        other = self._node(right, scope) if isinstance(right, exp.Column) else None
        if node is None or (other is None and not isinstance(right, (exp.Parameter, exp.Literal))):
            return
        equality = node, other
        self._said.append(equality)
        own = {id(table) for table in scope.tables.values()}
        if scope.is_seen or all(node is None or node[0] in own for node in equality):
            self._seen.append(equality)

    def _node(self, column: exp.Column, scope: _Scope) -> Node | None:
        found = scope.table_of(column, self._tables)
        return (id(found[1]), column.name) if found else None

    def _refuse_beside(self) -> None:
        """What would send a list of the coordinator to the servers that have the rows, whole perhaps."""
        elsewhere = tables_elsewhere()
        is_added = isinstance(self._tree, exp.Insert) and self._tree.this.this.name in self._tables
        for _, scope in self._scopes:
            together = [scope, *(other for _, other in self._scopes if _is_within(other, scope))]
            has_divided = is_added or any(table.name in self._tables for table in scope.tables.values())
            if has_divided and any(table.name in elsewhere for part in together for table in part.tables.values()):
                self._verdict.refused.append("beside what is elsewhere")
                return

    def _refuse_everywhere(self) -> None:
        """What is refused of statements that go to several servers."""
        for _, scope in self._scopes:
            has_divided = any(table.name in self._tables for table in scope.tables.values())
            inner = [other for _, other in self._scopes if other.outer is scope]
            if scope.tables and not has_divided and any(other.is_correlated for other in inner):
                self._verdict.refused.append("a correlated subquery over what is on every server")
        groups = _groups(self._said)
        for _, scope in self._scopes:
            if scope.outer is not None and scope.is_correlated:
                continue
            together = [
                scope,
                *(other for _, other in self._scopes if _is_within(other, scope) and other.is_correlated),
            ]
            keys = [
                groups.get(self._key(table), self._key(table))
                for part in together
                for table in part.tables.values()
                if table.name in self._tables
            ]
            if len(set(keys)) > 1:
                self._verdict.refused.append("a join of rows of different owners")


def _is_within(scope: _Scope, other: _Scope) -> bool:
    while scope.outer is not None:
        scope = scope.outer
        if scope is other:
            return True
    return False


def _bare(value: exp.Expr) -> exp.Expr:
    while isinstance(value, (exp.Cast, exp.Paren, exp.Alias)):
        value = value.this
    return value


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that all hold: of WHERE, and of the joins."""
    where = tree.args.get("where")
    waiting = [where.this] if where else []
    waiting += [on for join in tree.args.get("joins") or [] if (on := join.args.get("on"))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.left, part.right]
        elif isinstance(part, exp.Paren):
            waiting.append(part.this)
        else:
            yield part


def _subquery_of(part: exp.Expr) -> list[exp.Expr]:
    """The subquery of EXISTS, NOT EXISTS and IN, which become joins."""
    if isinstance(part, exp.Not):
        part = part.this
    query = part.this if isinstance(part, exp.Exists) else part.args.get("query") if isinstance(part, exp.In) else None
    return [] if query is None else [query.unnest()]


def _within(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What belongs to the statement itself, down to its subqueries, with these but not what is in them."""
    for child in tree.iter_expressions():
        if isinstance(child, (exp.CTE, exp.With)):
            continue
        yield child
        if not isinstance(child, (exp.Select, exp.SetOperation)):
            yield from _within(child)


def _queries_in(tree: exp.Expr) -> list[exp.Expr]:
    return [part for part in _within(tree) if isinstance(part, (exp.Select, exp.SetOperation))]


def _columns_of(tree: exp.Expr) -> list[exp.Column]:
    return [part for part in _within(tree) if isinstance(part, exp.Column)]


def _groups(equalities: list[tuple[Node, Node | None]]) -> dict[Node, Node]:
    """For each column, the first of those that are equal to it."""
    groups: dict[Node, Node] = {}
    for left, right in equalities:
        if right is None:
            continue
        kept, gone = groups.setdefault(left, left), groups.setdefault(right, right)
        for node, group in groups.items():
            if group == gone:
                groups[node] = kept
    return groups


def _bound(equalities: list[tuple[Node, Node | None]]) -> set[Node]:
    """The columns that are equal to a parameter."""
    groups = _groups(equalities)
    direct = {left for left, right in equalities if right is None}
    bound = {groups.get(node, node) for node in direct}
    return direct | {node for node, group in groups.items() if group in bound}
