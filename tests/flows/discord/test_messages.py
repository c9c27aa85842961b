"""What people write in servers and direct chats: kept, looked at, followed when it changes, and answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zgadka.ops.accounts import is_account, report_account

pytestmark = pytest.mark.asyncio


async def test_what_people_say_in_a_channel_is_remembered_without_an_answer(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert await world.facts(world.bob) == []
    assert world.said() == []


async def test_a_mention_is_answered_under_the_message(world) -> None:
    asked = await world.ann.send(world.channel, f"{world.mention} I live in Kyiv")
    [answer] = world.said()
    assert answer.reference is not None
    assert answer.reference.message_id == asked.id
    assert "Kyiv" in answer.content


async def test_a_reply_to_the_bot_is_answered(world) -> None:
    await world.ann.send(world.channel, f"{world.mention} hello")
    await world.ann.send(world.channel, "where do I live?", reply_to=world.said()[-1])
    assert len(world.said()) == 2


async def test_a_direct_message_is_answered_and_stays_there(world) -> None:
    await world.ann.send_dm("I live in Lviv")
    answer, told = world.direct(world.ann)
    assert "location: Lviv" in answer.content
    assert told.content.startswith("✓ Remembered: You live in Lviv. Not so?")
    assert await world.facts(world.ann, world.alone(world.ann)) == ["location: Lviv"]
    assert await world.facts(world.ann) == []


async def test_an_edited_message_is_looked_at_anew(world) -> None:
    message = await world.ann.send(world.channel, "nothing of note")
    await world.ann.edit(message, "I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert [kept.text for kept in await world.memory.recent(world.turn(world.ann))] == ["I live in Kyiv"]


async def test_what_an_edited_message_says_no_longer_is_hidden_and_the_answer_that_told_it_too(world) -> None:
    message = await world.ann.send(world.channel, f"{world.mention} I live in Lviv")
    assert await world.facts(world.ann) == ["location: Lviv"]
    await world.ann.edit(message, f"{world.mention} I live in Kyiv")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert not any("Lviv" in kept.text for kept in await world.memory.recent(world.turn(world.ann)))


async def test_a_persona_has_a_history_of_its_own(world) -> None:
    world.bot._persona = 3
    message = await world.ann.send(world.channel, f"{world.mention} I live in Lviv")
    assert world.said()[-1].reference.message_id == message.id
    other = world.turn(world.ann, persona=4, message=f"{message.id}@p4")
    await world.memory.record("user", "as persona 4 read it", other)
    turn = world.turn(world.ann, persona=3)
    await world.ann.edit(message, f"{world.mention} I keep bees")
    assert "I keep bees" in [kept.text for kept in await world.memory.recent(turn)]
    await world.ann.delete(message)
    assert not any("bees" in kept.text for kept in await world.memory.recent(turn))
    assert await world.memory.recent(world.turn(world.ann, persona=4))


@pytest.mark.parametrize("persona", [0, 3])
async def test_dont_save_that_takes_back_the_message_that_it_replies_to(world, persona) -> None:
    world.bot._persona = persona
    message = await world.ann.send(world.channel, "I live in Lviv")
    await world.ann.send(world.channel, "lovely weather")
    await world.ann.send(world.channel, "don't save that", reply_to=message)
    turn = world.turn(world.ann, persona=persona)
    assert [kept.text for kept in await world.memory.recent(turn)] == ["lovely weather", "don't save that"]


async def test_what_an_earlier_version_kept_for_a_persona_goes_with_its_message(world) -> None:
    message = await world.ann.send(world.channel, "hello there")
    former = world.turn(world.ann, persona=3, message=str(message.id))
    await world.memory.unrecord(replace(former, persona=0))
    await world.memory.record("user", "as an earlier version kept it", former)
    world.bot._persona = 3
    await world.ann.delete(message)
    assert await world.memory.recent(former) == []


async def test_a_deleted_message_is_removed(world) -> None:
    message = await world.ann.send(world.channel, "hello there")
    await world.ann.delete(message)
    assert await world.memory.recent(world.turn(world.ann)) == []


async def test_a_deleted_direct_message_is_removed(world) -> None:
    message = await world.ann.send_dm("hello")
    await world.ann.user.delete(message)
    kept = await world.memory.recent(world.alone(world.ann))
    assert [one.role for one in kept] == ["assistant"]


async def test_quoted_lines_are_nobodys_own_words(world) -> None:
    await world.ann.send(world.channel, "> I live in Paris\nthat is what he says")
    assert await world.facts(world.ann) == []


async def test_a_forwarded_message_is_not_the_forwarders_own(world) -> None:
    message = await world.bob.send(world.channel, "I live in Paris")
    await world.ann.forward(message, world.channel)
    assert await world.facts(world.ann) == []
    assert [kept.text for kept in await world.memory.recent(world.turn(world.ann))][-1] == "> I live in Paris"


async def test_the_text_replied_to_is_not_the_repliers_own(world) -> None:
    message = await world.bob.send(world.channel, "I live in Paris")
    await world.ann.send(world.channel, "I see", reply_to=message)
    assert await world.facts(world.ann) == []


async def test_a_bot_is_kept_and_neither_looked_at_nor_answered(world) -> None:
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    await robot.send(world.channel, f"{world.mention} I live in Paris")
    assert await world.facts(robot) == []
    assert world.said() == []
    assert len(await world.memory.recent(world.turn(world.ann))) == 1


async def test_another_bot_over_the_same_memory_has_its_answers_kept_once_as_answers(world) -> None:
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    assert await world.memory.look(is_account, "discord", str(world.bot.user.id))  # as another bot would find it
    await world.memory.apply(report_account, "discord", str(robot.id))
    await robot.send(world.channel, "Ann lives in Paris")
    assert await world.memory.recent(world.turn(world.ann), 50) == []


async def test_a_webhooks_message_is_a_bridge_users(scripted_world, scripted) -> None:
    world = scripted_world
    hook = world.guild.create_webhook(world.channel, "bridge")
    await hook.send("I live in Paris", username="Zoe")
    scripted.calls = [
        ("create_long_term_memory", {"memory_content": "Zoe sings", "scope": "target_user", "target_user": "Zoe"})
    ]
    await world.ann.send(world.channel, f"{world.mention} note that Zoe sings")
    result = await world.memory.call("recall", {"query": "Zoe"}, world.turn(world.bob))
    assert [memory["content"] for memory in result["memories"]] == ["Zoe sings"]  # the server's, since Zoe is no person


async def test_an_answer_longer_than_a_message_is_split(scripted_world, scripted) -> None:
    world = scripted_world
    scripted.text = "word " * 900
    await world.ann.send(world.channel, f"{world.mention} tell me all")
    said = world.said()
    assert len(said) == 3
    assert all(len(message.content) <= 2000 for message in said)
    assert "".join(message.content for message in said).replace(" ", "") == "word" * 900


async def test_no_answer_pings_anybody(scripted_world, scripted) -> None:
    world = scripted_world
    scripted.text = f"@everyone look, {world.bob.mention}"
    await world.ann.send(world.channel, f"{world.mention} call them")
    [request] = [one for one in world.env.http_requests if one.method == "POST" and one.path.endswith("/messages")]
    allowed = request.json["allowed_mentions"]
    assert allowed["parse"] == []
    assert not allowed.get("replied_user")


async def test_the_model_sees_a_message_once_and_names_for_mentions(scripted_world, scripted) -> None:
    world = scripted_world
    await world.bob.send(world.channel, "hi all")
    await world.ann.send(world.channel, f"{world.mention} greet {world.bob.mention}")
    assert scripted.heard[-1].endswith("greet @Bob")
    assert scripted.heard[0].endswith(" wrote] hi all")
    assert sum("greet" in text for text in scripted.heard) == 1


async def test_a_mention_alone_is_answered_with_help(world) -> None:
    await world.ann.send(world.channel, world.mention)
    assert "/memory" in world.said()[-1].content


async def test_who_wants_to_be_invisible_leaves_no_trace(world) -> None:
    await world.ann.slash(world.channel, "privacy", level="full")
    await world.ann.send(world.channel, "I live in Kyiv and maybe I like chess")
    assert await world.memory.recent(world.turn(world.ann)) == []
    assert world.said() == []
    await world.ann.user.slash("privacy", level="minimal")
    assert await world.facts(world.ann) == []
