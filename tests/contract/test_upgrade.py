"""A program goes on while a newer version brings the schema up to date beside it."""

import pytest

from zgadka import open_memory
from zgadka.errors import SchemaMismatch

pytestmark = pytest.mark.asyncio

# What a newer version's migration may do: see tests/unit/stores/test_migrations_add.py.
NEWER = (
    "ALTER TABLE memory ADD COLUMN mood TEXT",
    "ALTER TABLE message ADD COLUMN weight BIGINT NOT NULL DEFAULT 1",
    "CREATE INDEX memory_newer ON memory (owner, topic)",
    "CREATE TABLE newer (owner BIGINT NOT NULL, id BIGINT NOT NULL, PRIMARY KEY (owner, id))",
    "INSERT INTO migration (number, name, checksum) VALUES (9000, '9000_newer', 'x')",
)


@pytest.mark.partitioned
async def test_a_program_goes_on_beside_a_newer_schema(lasting_url, opening, elsewhere, make_person):
    if lasting_url.startswith("sqlite"):
        newer = [statement.replace("BIGINT", "INTEGER") for statement in NEWER]
    else:
        newer = list(NEWER)
    memory = await opening(lasting_url)
    person = make_person(memory)
    await person.speaks()
    kept = await person.note("before the upgrade")
    await person.fact("hobby", "chess")
    try:
        for statement in newer:
            elsewhere(lasting_url, statement)
        await person.speaks("and after it")
        await person.note("after the upgrade")
        await person.update("hobby", "go")
        assert (await person.deletes(kept)).status == "deleted"
        assert set(await person.found("upgrade")) >= {"after the upgrade"}
        await memory.tidy()
        with pytest.raises(SchemaMismatch, match="upgrade zgadka"):
            open_memory(lasting_url)
    finally:
        for undo in (
            "DELETE FROM migration WHERE number = 9000", "DROP TABLE newer", "DROP INDEX memory_newer",
            "ALTER TABLE memory DROP COLUMN mood", "ALTER TABLE message DROP COLUMN weight",
        ):  # fmt: skip
            elsewhere(lasting_url, undo)
