"""A transaction may name several new groups of readers."""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.asyncio


@pytest.mark.partitioned
async def test_one_transaction_makes_two_new_groups_of_readers(memory):
    space = await memory.apply(lambda tx: tx.owners.ensure("space", "telegram", "456"))

    def make(tx):
        return [tx.audiences.ensure(space, (name,)) for name in "ab"]

    first, second = await memory.apply(make)
    assert first != second


async def test_an_operation_that_is_run_again_makes_a_group_anew_that_is_gone_since(lasting_url, opening, elsewhere):
    memory = await opening(lasting_url, background=False)
    space = await memory.apply(lambda tx: tx.owners.ensure("space", "telegram", "456"))
    tries: list[int] = []

    def make(tx):
        tries.append(tx.audiences.ensure(space, ("a",)))
        if lasting_url.startswith("postgresql") and len(tries) == 1:
            elsewhere(lasting_url, "DELETE FROM audience")
            raise psycopg.errors.SerializationFailure
        return tx.audiences.list(space)

    assert await memory.apply(make) == {tries[-1]: ("a",)}
