"""Starting the bot: what is missing is told in one line; what happens in threads and beside the usual."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from pydantic_ai.models.function import FunctionModel

from zgadka import Memory
from zgadka.bots.discord import bot
from zgadka.bots.discord.bot import run_discord
from zgadka.chat.agent import standin_model
from zgadka.errors import ZgadkaError


def test_the_command_without_a_token_says_what_to_set(tmp_path, program: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_TOKEN")}
    ran = subprocess.run(
        [program, "discord", "--db", f"sqlite:///{tmp_path}/memory.db"],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "ZGADKA_DISCORD_TOKEN" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_the_token_is_in_no_text_of_the_settings() -> None:
    from zgadka import Settings

    assert "hush" not in repr(Settings(discord_token="hush"))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (discord.LoginFailure("no"), "does not accept the token"),
        (discord.PrivilegedIntentsRequired(None), "MESSAGE CONTENT"),
        (OSError("no route"), "cannot be reached: no route"),
    ],
)
async def test_what_discord_refuses_is_told_in_one_line(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    async def start(*_: Any) -> None:
        raise error

    monkeypatch.setattr(bot.DiscordBot, "start", start)
    with pytest.raises(ZgadkaError, match=said):
        await run_discord(memory, standin_model(), token="token")


@pytest.mark.asyncio
async def test_a_stopped_bot_leaves_in_order(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, closed = asyncio.Event(), asyncio.Event()

    async def start(*_: Any) -> None:
        stop.set()
        await asyncio.Event().wait()

    async def close(_: Any) -> None:
        closed.set()

    monkeypatch.setattr(bot.DiscordBot, "start", start)
    monkeypatch.setattr(bot.discord.Client, "close", close)
    await run_discord(memory, standin_model(), token="token", stop=stop)
    assert closed.is_set()


@pytest.mark.asyncio
async def test_a_thread_has_a_conversation_of_its_own_in_its_channel(world) -> None:
    message = await world.ann.send(world.channel, "hello")
    channel = world.bot.get_channel(world.channel.id)
    thread = await channel.create_thread(name="apart", message=discord.Object(message.id))
    [apart] = world.channel.threads
    assert apart.id == thread.id
    await world.ann.send(apart, f"{world.mention} where do I live?")
    await world.ann.send(apart, "maybe I like chess")
    assert len(world.said(apart)) == 2
    assert all(message.is_system() for message in world.said())
    in_thread = world.turn(world.ann, thread=str(apart.id))
    assert len(await world.memory.recent(in_thread)) == 3
    assert len(await world.memory.recent(world.turn(world.ann))) == 1
    await world.ann.click(world.said(apart)[-1], label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]
    mine = apart.history()[-2]
    assert mine.content == "maybe I like chess"
    await world.ann.delete(mine)
    assert len(await world.memory.recent(in_thread)) == 2


@pytest.mark.asyncio
async def test_what_is_deleted_at_once_is_removed(world) -> None:
    sent = [await world.ann.send(world.channel, f"message {number}") for number in range(3)]
    channel = world.bot.get_channel(world.channel.id)
    await channel.delete_messages([discord.Object(message.id) for message in sent[:2]])
    await world.env.settle()
    assert [one.text for one in await world.memory.recent(world.turn(world.ann))] == ["message 2"]


@pytest.mark.asyncio
async def test_an_edit_that_leaves_no_text_removes_the_message(world) -> None:
    sent = await world.ann.send(world.channel, "hello", attachments=[("cat.png", b"cat")])
    await world.ann.edit(sent, "")
    assert await world.memory.recent(world.turn(world.ann)) == []


@pytest.mark.asyncio
async def test_an_edited_message_of_a_bridge_is_kept_and_not_looked_at(world) -> None:
    hook = world.guild.create_webhook(world.channel, "bridge")
    sent = await hook.send("hello", username="Zoe")
    world.env.backend.edit_message(world.channel.id, sent.id, {"content": "I live in Paris"})
    await world.env.settle()
    assert [one.text for one in await world.memory.recent(world.turn(world.ann))] == ["I live in Paris"]
    assert await world.facts(world.ann) == []


@pytest.mark.asyncio
async def test_a_new_global_name_is_known(world) -> None:
    from zgadka.bots.discord.bot import _members

    world.env.backend.get_user(world.bob.id).global_name = "Robert"
    user = world.bot.get_user(world.bob.id)
    user.global_name = "Robert"
    await world.bot.on_user_update(user, user)
    await world.env.settle()
    known = {member.user: member for member in await world.memory.look(_members, str(world.guild.id))}
    assert known[str(world.bob.id)].name == "Robert"


@pytest.mark.asyncio
async def test_a_role_that_may_more_makes_admins(world) -> None:
    from zgadka.bots.discord.bot import _members

    helpers = world.guild.create_role("helpers")
    world.env.backend.edit_member(world.guild.id, world.bob.id, {"role_ids": [helpers.id]})
    mine = world.guild.create_role("bot", permissions=discord.Permissions(administrator=True), position=9)
    world.env.backend.edit_member(world.guild.id, world.bot.user.id, {"role_ids": [mine.id]})
    await world.env.settle()
    role = world.bot.get_guild(world.guild.id).get_role(helpers.id)
    await role.edit(permissions=discord.Permissions(administrator=True))
    await world.env.settle()
    known = {member.user: member for member in await world.memory.look(_members, str(world.guild.id))}
    assert known[str(world.bob.id)].role == "admin"


@pytest.mark.asyncio
async def test_a_mention_of_the_bots_role_is_a_mention_and_one_of_others_is_not(scripted_world, scripted) -> None:
    world = scripted_world
    helpers = world.guild.create_role("helpers", mentionable=True)
    await world.ann.send(world.channel, f"{helpers.mention} who is there?")
    assert world.said() == []
    assert [one.text for one in await world.memory.recent(world.turn(world.ann))] == ["@helpers who is there?"]


@pytest.mark.asyncio
async def test_a_new_owner_of_a_server_is_its_admin(world) -> None:
    from types import SimpleNamespace

    from zgadka.bots.discord.bot import _members

    guild = world.bot.get_guild(world.guild.id)
    before = SimpleNamespace(owner_id=guild.owner_id, name=guild.name)
    guild.owner_id = world.ann.id
    await world.bot.on_guild_update(before, guild)
    await world.bot.on_guild_update(guild, guild)
    await world.env.settle()
    known = {member.user: member for member in await world.memory.look(_members, str(world.guild.id))}
    assert known[str(world.ann.id)].role == "admin"
    assert known[str(before.owner_id)].role is None


@pytest.mark.asyncio
async def test_a_deletion_in_a_channel_that_is_gone_is_followed_all_the_same(world) -> None:
    message = await world.ann.send(world.channel, "hello")
    event = discord.RawMessageDeleteEvent(
        {"id": str(message.id), "channel_id": str(world.channel.id), "guild_id": str(world.guild.id)}
    )
    world.bot.get_guild(world.guild.id)._remove_channel(world.bot.get_channel(world.channel.id))
    world.env.inject_error("GET", "/channels/*", status=404, code=10003)
    await world.bot.on_raw_message_delete(event)
    assert await world.memory.recent(world.turn(world.ann)) == []


@pytest.mark.asyncio
async def test_an_answer_that_waits_for_a_timer_comes_while_another_timer_of_the_bots_ends(make_world) -> None:
    """As on a slow machine: "is typing" is said anew while a deletion gives way to others."""

    async def answer(*_: Any) -> AsyncIterator[str]:
        async def give_way() -> None:
            await asyncio.sleep(0.02)
            rested.set()

        rested = asyncio.Event()
        timers = asyncio.create_task(asyncio.sleep(0.01)), asyncio.create_task(give_way())
        await rested.wait()
        yield f"{len(timers)} timers"

    world = await make_world(FunctionModel(stream_function=answer))
    await world.ann.send(world.channel, f"{world.mention} hello")
    assert [message.content for message in world.said()] == ["2 timers"]
