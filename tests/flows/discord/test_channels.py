"""What is said in a channel that not everybody on the server may read is told to those alone who may read it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import discord
import pytest
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from zgadka.bots.discord.bot import DiscordBot
from zgadka.transfer.external.chat_history import learn
from zgadka.transfer.external.discord_export import discord_chats

pytestmark = pytest.mark.asyncio

HIDDEN = discord.PermissionOverwrite(view_channel=False)
WITHOUT_HISTORY = discord.PermissionOverwrite(read_message_history=False)
ALLOWED = discord.PermissionOverwrite(view_channel=True, read_message_history=True, send_messages=True)


def close(world: Any, channel: Any, *, closed: bool = True) -> None:
    """Have everybody but Ann and the bot lose the channel, or have it back."""
    overwrites = {everybody(world): HIDDEN, world.ann: ALLOWED, world.bot.user: ALLOWED}
    made = [
        Overwrite(
            target_id=target.id,
            type=OverwriteType.ROLE if target is everybody(world) else OverwriteType.MEMBER,
            allow=overwrite.pair()[0].value,
            deny=overwrite.pair()[1].value,
        )
        for target, overwrite in overwrites.items()
    ]
    world.env.backend.edit_channel(channel.id, {}, overwrites=made if closed else [])


def everybody(world: Any) -> Any:
    return world.bot.get_guild(world.guild.id).default_role


def closed_channel(world: Any, overwrite: discord.PermissionOverwrite = HIDDEN) -> Any:
    overwrites = {everybody(world): overwrite, world.ann: ALLOWED, world.bot.user: ALLOWED}
    return world.guild.create_text_channel("mods-only", overwrites=overwrites)


def turn_in(world: Any, actor: Any, channel: Any, **more: Any) -> Any:
    """A turn where Ann, the bot's owner and administrators read."""
    audience = ("administrators", f"member:{world.ann.id}")
    return world.turn(actor, **{"chat": str(channel.id), "audience": audience} | more)


async def said_in(world: Any, turn: Any) -> list[str]:
    return [message.text for message in await world.memory.recent(turn)]


@pytest.mark.parametrize("overwrite", [HIDDEN, WITHOUT_HISTORY])
async def test_what_is_said_in_a_closed_channel_is_told_in_no_open_one(world, overwrite) -> None:
    mods = closed_channel(world, overwrite)
    await world.ann.send(mods, "I live in Kyiv")
    here = turn_in(world, world.ann, mods)
    assert await world.facts(world.ann, here) == ["location: Kyiv"]
    assert await world.facts(world.ann) == []
    assert await said_in(world, here) == ["I live in Kyiv"]
    await world.ann.send(world.channel, "I live in Lviv")
    assert await world.facts(world.ann) == ["location: Lviv"]


async def test_what_is_said_in_general_is_told_in_a_closed_channel(world) -> None:
    mods = closed_channel(world)
    await world.ann.send(world.channel, "I live in Lviv")
    assert await world.facts(world.ann, turn_in(world, world.ann, mods)) == ["location: Lviv"]


async def test_channels_with_the_same_readers_know_the_same(world) -> None:
    mods, more_mods = closed_channel(world), closed_channel(world)
    await world.ann.send(mods, "I live in Kyiv")
    assert await world.facts(world.ann, turn_in(world, world.ann, more_mods)) == ["location: Kyiv"]
    await world.ann.send(more_mods, f"{world.mention} hello")
    assert await said_in(world, turn_in(world, world.ann, more_mods)) != []


async def test_who_gets_the_role_of_a_channel_reads_it_as_those_who_had_it_before(world) -> None:
    role = world.guild.create_role(name="mods")
    overwrites = {everybody(world): HIDDEN, world.bot.get_guild(world.guild.id).get_role(role.id): ALLOWED}
    mods = world.guild.create_text_channel("mods-only", overwrites=overwrites)
    await world.env.settle()
    world.env.backend.add_member_role(world.guild.id, world.ann.id, role.id)
    await world.env.settle()
    await world.ann.send(mods, "I live in Kyiv")
    here = turn_in(world, world.ann, mods, audience=("administrators", f"role:{role.id}"))
    assert await world.facts(world.ann, here) == ["location: Kyiv"]
    assert await world.facts(world.ann) == []
    world.env.backend.add_member_role(world.guild.id, world.bob.id, role.id)
    world.env.backend.remove_member_role(world.guild.id, world.ann.id, role.id)
    await world.env.settle()
    await world.bob.send(mods, "I live in Lviv")
    assert await world.facts(world.ann, here) == ["location: Kyiv"]
    assert await world.facts(world.bob, replace(here, user=world.bob.id)) == ["location: Lviv"]


async def test_a_channel_that_most_members_read_is_the_servers_own(world) -> None:
    role = world.guild.create_role(name="verified")
    for member in (world.ann, world.bob):
        world.env.backend.add_member_role(world.guild.id, member.id, role.id)
    world.guild.add_member(world.env.create_user("carl"))
    await world.env.settle()
    overwrites = {everybody(world): HIDDEN, world.bot.get_guild(world.guild.id).get_role(role.id): ALLOWED}
    gated = world.guild.create_text_channel("members", overwrites=overwrites)
    await world.env.settle()
    await world.ann.send(gated, "I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_a_channel_that_the_operator_names_is_the_servers_own(world) -> None:
    mods = closed_channel(world)
    await world.restart(discord_open_channels=f"1, {mods.id}")
    await world.ann.send(mods, "I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_somebody_who_is_kept_out_of_a_channel_alone_closes_it_for_that_channel(make_world) -> None:
    world = await make_world(discord_open_percent=100)
    overwrites = {world.bob: HIDDEN}
    apart = world.guild.create_text_channel("without-bob", overwrites=overwrites)
    await world.ann.send(apart, "I live in Kyiv")
    assert await world.facts(world.ann, turn_in(world, world.ann, apart, audience=f"channel:{apart.id}"))
    assert await world.facts(world.ann, turn_in(world, world.ann, apart)) == []


async def test_notes_answers_commands_and_buttons_of_a_closed_channel_stay_there(scripted_world, scripted) -> None:
    world = scripted_world
    mods = closed_channel(world)
    here = turn_in(world, world.ann, mods)
    scripted.calls = [("create_long_term_memory", {"memory_content": "Bob is banned", "scope": "server_wide"})]
    await world.ann.send(mods, f"{world.mention} note that Bob is banned")
    await world.ann.slash(mods, "remember", what="I am a moderator")
    await world.ann.send(mods, "maybe I like chess")
    await world.ann.click(world.said(mods)[-1], label="✓ Save all")
    found = await world.memory.call("recall", {"query": "Bob banned moderator chess"}, here)
    texts = {memory["content"] for memory in found["memories"]}
    assert texts == {"Bob is banned", "I am a moderator", "like: chess"}
    elsewhere = await world.memory.call("recall", {"query": "Bob banned moderator chess"}, world.turn(world.ann))
    assert elsewhere["memories"] == []
    listed = await world.ann.slash(world.channel, "memory")
    assert "moderator" not in str(listed.response.content)
    context = await world.memory.build_context(world.turn(world.bob), query="Bob banned")
    assert "banned" not in context.text


async def test_who_speaks_in_a_closed_channel_is_known_there_by_name_and_role(world) -> None:
    mods = closed_channel(world)
    await world.ann.send(mods, "hello")
    named = {"memory_content": "sings", "scope": "target_user", "target_user": "Annie"}
    note = await world.memory.call("create_long_term_memory", named, turn_in(world, world.ann, mods))
    assert note.status == "memory_created_successfully"
    world.env.backend.edit_member(world.guild.id, world.ann.id, {"nick": "Captain"})
    await world.env.settle()
    named["target_user"] = "Captain"
    again = await world.memory.call("create_long_term_memory", named, turn_in(world, world.ann, mods, turn="t2"))
    assert again.status == "memory_create_skipped_duplicate"


async def test_a_thread_is_read_by_who_reads_its_channel_and_a_private_one_by_nobody_else(world) -> None:
    mods = closed_channel(world)
    channels = {True: world.bot.get_channel(mods.id), False: world.bot.get_channel(world.channel.id)}
    for closed, channel in channels.items():
        asked = await world.ann.send(mods if closed else world.channel, "hello")
        await channel.create_thread(name="apart", message=discord.Object(asked.id))
    await channels[False].create_thread(name="secret", type=discord.ChannelType.private_thread)
    [of_mods], [public, private] = mods.threads, world.channel.threads
    for thread in (of_mods, public):
        await world.ann.send(thread, "here")
    assert await said_in(world, turn_in(world, world.ann, mods, thread=str(of_mods.id))) == ["here"]
    assert await said_in(world, world.turn(world.ann, chat=str(mods.id), thread=str(of_mods.id))) == []
    assert await said_in(world, world.turn(world.ann, thread=str(public.id))) == ["here"]
    await world.bot.get_channel(private.id).add_user(discord.Object(world.ann.id))
    await world.ann.send(private, "I live in Kyiv")
    alone = world.turn(world.ann, chat=str(private.id), audience=f"thread:{private.id}")
    assert await said_in(world, alone) == ["I live in Kyiv"]
    assert await world.facts(world.ann, alone) == ["location: Kyiv"]
    assert await world.facts(world.ann) == []


async def test_a_channel_that_is_closed_takes_what_was_said_in_it_along(world) -> None:
    here = turn_in(world, world.ann, world.channel)
    await world.ann.send(world.channel, "I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    close(world, world.channel)
    await world.env.settle()
    assert await world.facts(world.ann) == []
    assert await said_in(world, world.turn(world.bob)) == []
    assert await world.facts(world.ann, here) == ["location: Kyiv"]
    await world.ann.send(world.channel, "good morning")
    close(world, world.channel, closed=False)
    await world.env.settle()
    await world.ann.send(world.channel, "hello again")
    assert await said_in(world, world.turn(world.ann)) == ["hello again"]
    assert await world.facts(world.ann) == []
    assert await said_in(world, here) == ["I live in Kyiv", "good morning", "hello again"]


async def test_a_channel_that_was_closed_while_the_bot_was_away_is_closed_when_it_is_back(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    close(world, world.channel)
    await world.restart()
    await world.env.settle()
    assert await world.facts(world.ann) == []


class NotReady(DiscordBot):
    """A bot which Discord sends events, but has not yet told that all is there."""

    async def on_ready(self) -> None:
        """Not yet."""

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Not yet."""

    on_guild_available = on_guild_join


@pytest.mark.parametrize("how", ["message", "command"])
async def test_what_comes_before_the_bot_is_ready_waits_until_it_knows_who_reads_what(world, how) -> None:
    apart = world.guild.create_text_channel("apart")
    await world.ann.send(world.channel, "I live in Kyiv")
    await world.ann.send(apart, f"{world.mention} where do I live?")
    assert "Kyiv" in world.said(apart)[-1].content
    await world.memory.close()  # it is away
    close(world, world.channel)
    await world.env.settle()
    await world.restart(NotReady)
    if how == "message":
        await world.ann.send(apart, f"{world.mention} where do I live?")
        answer = world.said(apart)[-1].content
    else:
        answer = (await world.ann.slash(apart, "memory")).response.content
    assert "Kyiv" not in answer
    assert await world.facts(world.ann) == []
    assert await world.facts(world.ann, turn_in(world, world.ann, world.channel)) == ["location: Kyiv"]


async def test_what_is_deleted_before_the_bot_is_ready_is_not_kept_by_the_message_that_waits(world) -> None:
    await world.restart(NotReady)
    message = world.env.backend.create_message(world.channel.id, world.ann.id, "a slip")
    world.env.backend.delete_message(world.channel.id, message.id)
    await world.env.settle()
    assert await said_in(world, world.turn(world.ann)) == []


async def test_what_is_edited_or_deleted_after_its_channel_was_closed_is_gone(world) -> None:
    edited, deleted = [await world.ann.send(world.channel, text) for text in ("a slip", "another slip")]
    close(world, world.channel)
    await world.env.settle()
    await world.ann.edit(edited, "mended")
    await world.ann.delete(deleted)
    assert await said_in(world, world.turn(world.ann)) == []
    assert await said_in(world, turn_in(world, world.ann, world.channel)) == ["mended"]


async def test_learning_puts_a_closed_channels_history_where_the_bot_has_it(world) -> None:
    mods = closed_channel(world)
    await world.restart()  # what is closed is known as soon as the bot is there
    author = {"id": str(world.ann.id), "name": "ann", "nickname": "Annie", "isBot": False}
    written = {"id": "4611686018427387904", "type": "Default", "timestamp": "2025-12-31T10:00:00+00:00"}
    message = written | {"content": "I live in Kyiv", "author": author}
    for channel in (mods, world.channel):
        place = {"id": str(channel.id), "type": "GuildTextChat", "categoryId": "4", "name": "any"}
        chats = discord_chats({"guild": {"id": str(world.guild.id)}, "channel": place, "messages": [message]})
        assert (await learn(world.memory, chats or [])).messages == 1
        in_mods, in_server = turn_in(world, world.ann, mods), world.turn(world.ann)
        known = (await world.facts(world.ann, in_mods), await world.facts(world.ann, in_server))
        assert known[1] == ([] if channel is mods else ["location: Kyiv"])
        assert known[0] != []


async def test_what_an_older_program_kept_of_closed_channels_is_told_to_their_readers_alone(world) -> None:
    mods = closed_channel(world)
    open_now = world.guild.create_text_channel("was-closed")
    for channel, city in ((mods, "Kyiv"), (open_now, "Lviv")):
        former = world.turn(world.ann, space=f"{world.guild.id}:{channel.id}", chat=str(channel.id), message="1")
        await world.memory.record("user", f"I live in {city}", former)
        fact = {"fact_type": "personal", "fact_key": "hobby", "fact_value": city, "confidence": 0.9}
        await world.memory.call("remember_fact", fact | {"user_id": former.user_number}, former)
    await world.restart()
    assert await world.facts(world.ann) == []
    assert await world.facts(world.ann, turn_in(world, world.ann, mods)) == ["hobby: Kyiv"]
    apart = turn_in(world, world.ann, open_now, audience=f"channel:{open_now.id}")
    assert await world.facts(world.ann, apart) == ["hobby: Lviv"]
    assert await said_in(world, turn_in(world, world.ann, mods)) == ["I live in Kyiv"]


async def test_a_server_that_removed_the_bot_is_noted_until_it_is_back(world) -> None:
    await world.ann.send(world.channel, "hello")
    guild = world.bot.get_guild(world.guild.id)

    async def removed() -> int:
        world.now += timedelta(days=1)
        return await world.memory.look(lambda tx: len(tx.erasure.removed_before(tx.now)))

    await world.bot.on_guild_remove(guild)
    assert await removed() == 1
    await world.bot.on_guild_join(guild)
    assert await removed() == 0
