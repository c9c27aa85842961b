"""Names that are kept in memory: nobody is missing where they are many, and nobody goes by another's."""

from __future__ import annotations

import pytest

from zgadka.model.memory import Owner
from zgadka.stores.tx import people

pytestmark = pytest.mark.asyncio


@pytest.mark.partitioned
async def test_nobody_is_missing_where_more_people_are_told_than_are_kept_in_memory(memory, make_person, monkeypatch):
    monkeypatch.setattr(people, "_MOST_KNOWN", 2)
    for count in range(1, 8):
        person = await make_person(memory, user=count).speaks()
        said = await memory.recent(person.turn(), 50)
        assert len({message.user for message in said}) == count


def name_of(tx, owner):
    return tx.owners.get_many([owner])[owner].name


def comes(tx, name):
    owner = Owner(id=tx.next_id("owner"), kind="person", platform="discord", name=name)
    tx.owners.add(owner)
    assert name_of(tx, owner.id) == name
    return owner.id


async def test_who_was_never_committed_gives_their_name_to_nobody(memory):
    def comes_in_vain(tx):
        comes(tx, "1")
        raise LookupError

    with pytest.raises(LookupError):
        await memory.apply(comes_in_vain)
    owner = await memory.apply(comes, "2")
    assert await memory.look(name_of, owner) == "2"
