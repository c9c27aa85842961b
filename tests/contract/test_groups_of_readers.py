"""A transaction may name several new groups of readers."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.asyncio


@pytest.mark.partitioned
async def test_one_transaction_makes_two_new_groups_of_readers(memory):
    space = await memory.apply(lambda tx: tx.owners.ensure("space", "telegram", "456"))

    def make(tx):
        return [tx.audiences.ensure(space, (name,)) for name in "ab"]

    first, second = await memory.apply(make)
    assert first != second
