"""Write a table anew while others read and write it: a copy beside it that follows what they change takes its place.

Nobody waits for longer than it takes to drop one table and to rename another. See docs/decisions/0018.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from psycopg import errors

from zgadka.stores import executor
from zgadka.stores.postgres.schema import BESIDE
from zgadka.stores.postgres.session import SCHEMA, Session

_SLICE_BLOCKS = 16
"""Blocks that are copied in one transaction: some ten milliseconds."""
_GIVING_WAY_MS = 50
"""So long a slice waits for whoever changes one of its rows, and may keep them from another."""

# Nothing but what zgadka makes belongs to it: whatever else there may be, a copy would not have.
_IS_ORDINARY = """
SELECT pg_get_userbyid(c.relowner) = current_user AND c.relreplident = 'd' AND c.reloptions IS NULL
    AND c.reltablespace = 0 AND NOT c.relrowsecurity AND NOT EXISTS (SELECT 1 FROM pg_publication)
    AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL)
    AND NOT EXISTS (
        SELECT 1 FROM pg_depend d
        LEFT JOIN pg_class i ON d.classid = 'pg_class'::regclass AND i.oid = d.objid
        LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND NOT coalesce(
            i.relkind IN ('i', 't'), k.conrelid = c.oid, d.classid IN ('pg_type'::regclass, 'pg_attrdef'::regclass)))
FROM pg_class c WHERE c.oid = $1::text::regclass
"""
_COLUMNS = """
SELECT a.attname, coalesce(a.attnum = ANY (i.indkey), false)
FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_REFERENCED = """
SELECT DISTINCT format('%I.%I', n.nspname, c.relname)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.confrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.conrelid = $1::text::regclass AND k.contype = 'f'
"""
_COMPLETE = """
SELECT replace(pg_get_indexdef(i.indexrelid), format(' ON %s USING ', $1::text), format(' ON %s USING ', $2::text))
FROM pg_index i
WHERE i.indrelid = $1::text::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
UNION ALL
SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', $2::text, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype IN ('p', 'u', 'x', 'f')
UNION ALL
SELECT format('GRANT %s ON %s TO %s%s', g.privilege_type, $2::text,
    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
    CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
FROM pg_class c, aclexplode(c.relacl) g WHERE c.oid = $1::text::regclass
"""
_MAKE = """
CREATE TABLE {beside} (LIKE {table} INCLUDING ALL EXCLUDING INDEXES EXCLUDING STATISTICS);
CREATE FUNCTION {beside}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND ROW ({old_key}) IS DISTINCT FROM ROW ({new_key})) THEN
        DELETE FROM {beside} WHERE ROW ({key}) = ROW ({old_key});
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO {beside} SELECT NEW.* ON CONFLICT ({key}) DO UPDATE SET ({columns}) = ROW ({new});
    END IF;
    RETURN NULL;
END $$
"""
_FOLLOW = """
CREATE TRIGGER beside AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {beside}();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER beside
"""
_BLOCKS = "SELECT pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint"
# Whoever removes a row meanwhile locks it, so that the copy waits for them; what they write, the trigger brings.
_COPY = """
INSERT INTO {beside} SELECT * FROM {table} WHERE ctid >= $1::text::tid AND ctid < $2::text::tid FOR KEY SHARE
ON CONFLICT ({key}) DO NOTHING
"""
_ARE_ALIKE = """
SELECT (SELECT ROW (count(*), sum(hashtextextended(t::text, 0))) FROM {table} t)
    = (SELECT ROW (count(*), sum(hashtextextended(b::text, 0))) FROM {beside} b)
"""
_TAKE_PLACE = """
LOCK TABLE {locked} IN ACCESS EXCLUSIVE MODE;
DROP TABLE {table};
ALTER TABLE {beside} SET SCHEMA {schema}
"""


def is_ordinary(session: Session, table: str) -> bool:
    """Whether a copy of a table can take its place: nothing belongs to it or goes by it that zgadka did not make."""
    return session.run(_IS_ORDINARY, (table,)) == [(True,)]


class Beside:
    """A copy of a table, beside it.

    Args:
        table: The table's name, with its schema.
        step_in: Runs statements that need tables alone, as soon as nobody is at these.
    """

    def __init__(self, session: Session, table: str, step_in: Callable[[str, Sequence[str]], None]) -> None:
        self._session = session
        self._table = table
        self._step_in = step_in
        self.name = f"{BESIDE}.{table.partition('.')[2]}"
        columns = session.run(_COLUMNS, (table,))
        key = [column for column, is_key in columns if is_key]
        self._parts = {
            "table": table,
            "beside": self.name,
            "schema": SCHEMA,
            "key": ", ".join(key),
            "old_key": ", ".join(f"OLD.{column}" for column in key),
            "new_key": ", ".join(f"NEW.{column}" for column in key),
            "columns": ", ".join(column for column, _ in columns),
            "new": ", ".join(f"NEW.{column}" for column, _ in columns),
        }

    def make(self) -> None:
        """Make the copy, empty: from now on it follows what happens to the table."""
        self._referenced = [name for (name,) in self._session.run(_REFERENCED, (self._table,))]
        self._step_in(_MAKE.format(**self._parts), [])
        for (statement,) in self._session.run(_COMPLETE, (self._table, self.name)):
            self._step_in(statement, self._referenced if "FOREIGN KEY" in statement else [])
        self._step_in(_FOLLOW.format(**self._parts), [self._table])

    def fill(self) -> None:
        """Copy the rows in slices, with as much time for others between them.

        Raises:
            LockNotAvailable: Somebody was at the same rows, for `BUSY_SECONDS`.
        """
        copy = _COPY.format(**self._parts)
        (blocks,) = self._session.run(_BLOCKS, (self._table,))[0]
        with self._session.lock_timeout(_GIVING_WAY_MS):
            for first in range(0, blocks, _SLICE_BLOCKS):
                values = f"({first},0)", f"({first + _SLICE_BLOCKS},0)"
                ends = time.monotonic() + executor.BUSY_SECONDS
                while not self._is_copied(copy, values):
                    if time.monotonic() >= ends:
                        raise errors.LockNotAvailable

    def is_alike(self) -> bool:
        """Whether it has the very rows that the table has."""
        return self._session.run(_ARE_ALIKE.format(**self._parts)) == [(True,)]

    def take_place(self) -> None:
        """Take the table's place; nobody may see any more what was there before the rows were copied."""
        locked = [*self._referenced, self._table]
        self._step_in(_TAKE_PLACE.format(**self._parts, locked=", ".join([*locked, self.name])), locked)

    def _is_copied(self, copy: str, values: Sequence[str]) -> bool:
        started = time.monotonic()
        try:
            self._session.run(copy, values)
        except (errors.LockNotAvailable, errors.DeadlockDetected):
            return False
        finally:
            time.sleep(time.monotonic() - started)
        return True
