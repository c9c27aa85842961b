"""What a server, its channels and threads are called reaches the engine."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.asyncio


async def titles(world: Any) -> dict[tuple[str, str], str]:
    await world.env.settle()

    def read(tx: Any) -> Any:
        owner = tx.owners.find("space", "discord", str(world.guild.id))
        return [] if owner is None else tx.titles.list(owner)

    return {(title.chat, title.thread): title.text for title in await world.memory.look(read)}


async def test_names_of_server_channels_and_threads_are_followed(world) -> None:
    backend, general = world.env.backend, str(world.channel.id)
    assert await titles(world) == {("", ""): world.guild.name, (general, ""): "general"}
    thread = backend.create_thread(world.channel.id, "routes", world.ann.id, type=11, auto_archive_duration=1440)
    backend.create_thread(world.channel.id, "a secret", world.ann.id, type=12, auto_archive_duration=1440)
    backend.edit_channel(world.channel.id, {"name": "lounge"})
    backend.edit_guild(world.guild.id, {"name": "Hikers"})
    expected = {("", ""): "Hikers", (general, ""): "lounge", (general, str(thread.id)): "routes"}
    assert await titles(world) == expected
    backend.delete_channel(thread.id)
    assert await titles(world) == {("", ""): "Hikers", (general, ""): "lounge"}


async def test_a_channel_that_went_while_the_bot_was_away_has_no_title_any_more(world) -> None:
    other = world.guild.create_text_channel("other")
    assert (str(other.id), "") in await titles(world)
    del world.env.backend.channels[other.id]
    world.env.backend.get_guild(world.guild.id).channel_ids.remove(other.id)
    await world.restart()
    assert (str(other.id), "") not in await titles(world)
