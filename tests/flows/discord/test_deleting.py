"""Deletions in two calls, by words and by button, and the embeds that tell of changes."""

from __future__ import annotations

import pytest

from zgadka.bots.discord.sending import ERROR, MEMORY_UPDATE
from zgadka.bots.notices import Notices

from .conftest import labels

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("back_end", ["sqlite", "postgres"])]


async def living_in_kyiv(world) -> int:
    await world.ann.send(world.channel, "I live in Kyiv")
    return await world.fact_id(world.ann)


async def test_a_button_deletes_as_words_do(world) -> None:
    number = await living_in_kyiv(world)
    await world.ann.send(world.channel, f"{world.mention} forget ID:{number}")
    question = world.said()[-1]
    assert labels(question) == [f"🗑 Delete ID:{number}", "Keep"]
    pressed = await world.ann.click(question, label=f"🗑 Delete ID:{number}")
    assert await world.facts(world.ann) == []
    assert world.said()[-1].content == f"🗑 Deleted.\nTake it back within 24 hours: /undo {number}"
    [told] = [embed for one in pressed.followups if one.ephemeral for embed in one.embeds]
    assert told.color is not None
    assert told.color.value == ERROR
    assert "Kyiv" in (told.description or "")


async def test_someone_elses_press_deletes_nothing(world) -> None:
    number = await living_in_kyiv(world)
    await world.ann.send(world.channel, f"{world.mention} forget ID:{number}")
    question = world.said()[-1]
    for _ in range(2):
        pressed = await world.bob.click(question, label=f"🗑 Delete ID:{number}")
        assert [(one.ephemeral, one.content) for one in pressed.followups] == [(True, "This button is not for you.")]
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert labels(world.said()[-2 if world.said()[-1].content == "This button is not for you." else -1])


async def test_a_button_works_after_a_restart(world) -> None:
    number = await living_in_kyiv(world)
    await world.ann.send(world.channel, f"{world.mention} forget ID:{number}")
    question = world.said()[-1]
    await world.restart()
    await world.ann.click(question, label=f"🗑 Delete ID:{number}")
    assert await world.facts(world.ann) == []


async def test_a_button_past_its_time_asks_again_and_shows_the_text_to_its_owner_alone(world) -> None:
    number = await living_in_kyiv(world)
    await world.ann.send(world.channel, f"{world.mention} forget ID:{number}")
    from datetime import timedelta

    world.now += timedelta(minutes=6)
    pressed = await world.ann.click(world.said()[-1], label=f"🗑 Delete ID:{number}")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    [again] = [one for one in pressed.followups if one.components]
    assert all(one.ephemeral for one in pressed.followups)
    assert "Kyiv" in again.content


async def test_nobody_else_in_the_channel_sees_a_personal_deletion(world) -> None:
    number = await living_in_kyiv(world)
    result = await world.ann.slash(world.channel, "forget", what=str(number))
    assert result.ephemeral
    pressed = await world.ann.click(result.response, label=f"🗑 Delete ID:{number}")
    assert await world.facts(world.ann) == []
    assert world.said(viewer=world.bob) == []
    assert any("Kyiv" in (embed.description or "") for one in pressed.followups for embed in one.embeds)


async def test_a_personal_change_by_the_model_is_told_in_a_direct_message(scripted_world, scripted) -> None:
    world = scripted_world
    scripted.calls = [
        ("create_long_term_memory", {"memory_content": "sings", "scope": "target_user", "target_user": "Annie"})
    ]
    await world.ann.send(world.channel, f"{world.mention} note that I sing")
    number = (await world.memory.call("recall", {"query": "sings"}, world.turn(world.ann)))["memories"][0]["memory_id"]
    scripted.calls = [
        ("update_long_term_memory", {"memory_id": number, "memory_content": "dances", "target_user": "annie"})
    ]
    await world.bob.send(world.channel, f"{world.mention} Annie dances")
    [told] = world.direct(world.ann)
    assert told.embeds[0].color.value == MEMORY_UPDATE
    assert "dances" in told.embeds[0].description
    scripted.calls = [("update_long_term_memory", {"memory_id": number, "memory_content": "", "target_user": "Annie"})]
    await world.ann.send(world.channel, f"{world.mention} delete that")
    assert world.direct(world.ann)[-1].embeds[0].color.value == ERROR
    assert world.direct(world.ann)[-1].embeds[0].footer.text == "Take it back: /undo with the ID."
    assert all(not message.embeds for message in world.said())
    assert world.direct(world.bob) == []


async def test_a_change_of_the_servers_memory_is_told_in_the_channel(scripted_world, scripted) -> None:
    world = scripted_world
    scripted.calls = [("create_long_term_memory", {"memory_content": "We meet *here*", "scope": "server_wide"})]
    await world.ann.send(world.channel, f"{world.mention} we meet here")
    number = (await world.memory.call("recall", {"query": "meet"}, world.turn(world.ann)))["memories"][0]["memory_id"]
    other = world.guild.create_text_channel("other")
    scripted.calls = [("update_long_term_memory", {"memory_id": number, "memory_content": "We meet *there*"})]
    await world.bob.send(other, f"{world.mention} we meet there")
    [embed] = [embed for message in world.said(other) for embed in message.embeds]
    assert embed.color.value == MEMORY_UPDATE
    assert "We meet \\*there\\*" in embed.description
    scripted.calls = [("update_long_term_memory", {"memory_id": number, "memory_content": ""})]
    await world.ann.send(other, f"{world.mention} we do not meet")
    embed = [embed for message in world.said(other) for embed in message.embeds][-1]
    assert embed.color.value == ERROR
    assert "there" in embed.description
    assert all(not message.embeds for message in world.said())
    assert world.direct(world.ann) == world.direct(world.bob) == []


async def test_a_failed_embed_turns_no_success_into_an_error(scripted_world, scripted) -> None:
    world = scripted_world
    number = await living_in_kyiv(world)
    me = world.turn(world.ann).user_number
    scripted.calls = [
        (
            "update_fact",
            {
                "user_id": me,
                "fact_type": "personal",
                "fact_key": "location",
                "new_value": "Lviv",
                "confidence": 0.9,
                "change_reason": "update",
            },
        )
    ]
    world.env.inject_error("POST", "/users/@me/channels", status=403, code=50007, times=None)
    await world.ann.send(world.channel, f"{world.mention} I moved")
    assert await world.facts(world.ann) == ["location: Lviv"]
    assert [message.content for message in world.said()] == ["All right."]
    assert number == await world.fact_id(world.ann)


async def test_everything_is_cleared_by_a_button_of_its_owner(scripted_world, scripted) -> None:
    world = scripted_world
    await living_in_kyiv(world)
    await world.ann.send(world.channel, "maybe I like chess")
    await world.ann.click(world.said()[-1], label="✓ Save all")
    me = world.turn(world.ann).user_number
    scripted.calls = [("clear_profile", {"user_id": me, "reason": "asked"})] * 2
    await world.ann.send(world.channel, f"{world.mention} forget everything")
    assert len(await world.facts(world.ann)) == 2
    question = world.said()[-1]
    assert labels(question)[0] == "🗑 Delete everything"
    await world.bob.click(question, label="🗑 Delete everything")
    assert len(await world.facts(world.ann)) == 2
    pressed = await world.ann.click(question, label="🗑 Delete everything")
    assert await world.facts(world.ann) == []
    [embed] = [embed for one in pressed.followups for embed in one.embeds]
    assert "Kyiv" in embed.description
    assert "chess" in embed.description


async def test_a_name_with_two_members_is_no_target(scripted_world, scripted) -> None:
    world = scripted_world
    world.guild.add_member(world.env.create_user("other", global_name="Annie"))
    world.guild.add_member(world.env.create_user("third"), nick="Cy")
    world.guild.add_member(world.env.create_user("fourth"), nick="cy")
    scripted.calls = [
        ("create_long_term_memory", {"memory_content": "sings", "scope": "target_user", "target_user": "Annie"}),
        ("create_long_term_memory", {"memory_content": "dances", "scope": "target_user", "target_user": "Cy"}),
        ("create_long_term_memory", {"memory_content": "beeps", "scope": "target_user", "target_user": "simcord-bot"}),
    ]
    await world.bob.send(world.channel, f"{world.mention} note that")
    kept = await world.memory.call("recall", {"query": "sings dances beeps"}, world.turn(world.ann))
    assert kept["memories"] == []  # a nickname is no better than a name


async def test_many_deletions_at_once_are_one_embed(scripted_world, scripted) -> None:
    world = scripted_world
    for number in range(12):
        await world.memory.call("remember", {"content": f"note {number}"}, world.turn(world.ann, turn=f"t{number}"))
    me = world.turn(world.ann).user_number
    for text in ("forget everything", "yes"):
        scripted.calls = [("clear_profile", {"user_id": me, "reason": "asked"})]
        await world.ann.send(world.channel, f"{world.mention} {text}")
    [told] = world.direct(world.ann)
    assert told.embeds[0].description.count("ID:") == 10
    assert told.embeds[0].description.endswith("… and 2 more.")


async def test_a_forgotten_fact_is_told_in_amber(scripted_world, scripted) -> None:
    world = scripted_world
    await living_in_kyiv(world)
    me = world.turn(world.ann).user_number
    wish = {"user_id": me, "fact_type": "personal", "fact_key": "location", "reason": "outdated"}
    scripted.calls = [("forget_fact", wish)]
    await world.ann.send(world.channel, f"{world.mention} I moved away")
    [told] = world.direct(world.ann)
    assert told.embeds[0].title == "Memory archived"
    assert told.embeds[0].color.value == MEMORY_UPDATE


async def test_an_embed_that_fails_inside_is_logged_and_changes_nothing(scripted_world, scripted, monkeypatch) -> None:
    world = scripted_world
    await living_in_kyiv(world)

    def fails(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Notices, "_content", fails)
    number = await world.fact_id(world.ann)
    result = await world.ann.slash(world.channel, "forget", what=str(number))
    await world.ann.click(result.response, label=f"🗑 Delete ID:{number}")
    assert result.response.content == f"🗑 Deleted.\nTake it back within 24 hours: /undo {number}"
    assert await world.facts(world.ann) == []


async def test_people_of_other_platforms_and_bridges_get_no_embed(world) -> None:
    from zgadka import Turn

    elsewhere = Turn(platform="telegram", space="1", chat="1", user=5, turn="a")
    bridge = world.turn(world.ann, user="webhook:1:Zoe")
    for turn in (elsewhere, bridge):
        kept = await world.memory.call("remember", {"content": "tea"}, turn)
        for text in ("forget it", "yes"):
            from dataclasses import replace

            later = replace(turn, turn=text)
            await world.memory.call("forget", {"memory_id": kept["memory_id"]}, later)
    await world.memory.observe("maybe I like tea", elsewhere)
    await world.env.settle()
    assert world.said() == []
    assert not [one for one in world.env.http_requests if one.path.endswith("/users/@me/channels")]


async def test_a_deletion_asked_about_twice_in_an_answer_has_one_row_of_buttons(scripted_world, scripted) -> None:
    world = scripted_world
    number = await living_in_kyiv(world)
    scripted.calls = [("forget", {"memory_id": number})] * 2
    await world.ann.send(world.channel, f"{world.mention} forget that")
    assert labels(world.said()[-1]) == [f"🗑 Delete ID:{number}", "Keep"]
    assert await world.facts(world.ann) == ["location: Kyiv"]
