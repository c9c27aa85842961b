"""Who is in a server: names, roles, joins and leaves reach the engine."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from zgadka.model.people import Member
from zgadka.stores.tx import Tx

pytestmark = pytest.mark.asyncio


async def members(world) -> dict[str, Member]:
    def read(tx: Tx) -> Sequence[Member]:
        owner = tx.owners.find("space", "discord", str(world.guild.id))
        return [] if owner is None else tx.members.list(owner)

    return {member.user: member for member in await world.memory.look(read)}


async def test_names_kinds_and_roles_are_known(world) -> None:
    known = await members(world)
    ann, me = known[str(world.ann.id)], known[str(world.bot.user.id)]
    assert (ann.name, ann.nickname, ann.kind, ann.role) == ("Ann", "Annie", "person", None)
    assert me.kind == "bot"
    assert known[str(world.guild.owner.id)].role == "admin"


async def test_a_new_nickname_and_role_are_followed(world) -> None:
    import discord

    admins = world.guild.create_role("admins", permissions=discord.Permissions(administrator=True))
    world.env.backend.edit_member(world.guild.id, world.bob.id, {"nick": "Bobby", "role_ids": [admins.id]})
    await world.env.settle()
    bob = (await members(world))[str(world.bob.id)]
    assert (bob.nickname, bob.role) == ("Bobby", "admin")


async def test_who_leaves_is_known_to_have_left(world) -> None:
    world.guild.remove_member(world.bob)
    await world.env.settle()
    assert (await members(world))[str(world.bob.id)].left_at is not None


async def test_who_left_while_the_bot_was_away_is_found_out(world) -> None:
    await world.memory.report_member(
        "discord", str(world.guild.id), Member(user="77", number=77, name="Gone", role="admin")
    )
    await world.memory.report_member(
        "discord", str(world.guild.id), Member(user="webhook:1:Zoe", number=78, name="Zoe", kind="bridge")
    )
    await world.restart()
    known = await members(world)
    assert known["77"].left_at is not None
    assert known["77"].role is None
    assert known["webhook:1:Zoe"].left_at is None


async def test_an_erased_person_has_a_name_again_once_they_speak(world) -> None:
    result = await world.ann.user.slash("erase")
    await world.ann.user.click(result.response, label="🗑 Erase everything")
    assert str(world.ann.id) not in await members(world)
    await world.ann.send(world.channel, "hello again")
    assert (await members(world))[str(world.ann.id)].name == "Ann"
