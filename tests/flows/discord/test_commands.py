"""The slash commands: every answer is for the person alone."""

from __future__ import annotations

import pytest

from zgadka.stores.tx.people import Privacy

from .conftest import labels

pytestmark = pytest.mark.asyncio


async def test_memory_lists_with_ids_page_by_page(world) -> None:
    for number in range(11):
        await world.memory.call(
            "remember", {"content": f"note {number} *bold*"}, world.turn(world.ann, turn=str(number))
        )
    result = await world.ann.slash(world.channel, "memory")
    assert result.ephemeral
    assert "11 in all" in result.response.content
    assert "\\*bold\\*" in result.response.content
    assert result.response.content.count("ID:") == 8
    assert labels(result.response)[-1] == "▶"
    await world.ann.click(result.response, label="▶")
    assert result.response.content.count("ID:") == 3
    assert labels(result.response)[-1] == "◀"


async def test_memory_shows_nothing_of_others_or_of_direct_chats(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    await world.bob.send_dm("I live in Lviv")
    result = await world.bob.slash(world.channel, "memory")
    assert result.response.content == "I don't remember anything about you here."
    direct = await world.bob.user.slash("memory")
    assert "Lviv" in direct.response.content


async def test_a_mistake_is_told_in_a_line(world) -> None:
    ids = ",".join(str(number) for number in range(1, 30))
    assert "at most 20 at once" in (await world.ann.slash(world.channel, "forget", what=ids)).response.content
    result = await world.ann.slash(world.channel, "remember", what="{userName}")
    assert result.response.content.startswith("What should I remember?")


async def test_every_answer_and_question_is_for_the_person_alone(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    results = [
        await world.ann.slash(world.channel, "remember", what="tea at five"),
        await world.ann.slash(world.channel, "forget", what="Kyiv"),
        await world.ann.slash(world.channel, "privacy", level="minimal"),
        await world.ann.slash(world.channel, "erase"),
    ]
    listed = await world.ann.slash(world.channel, "memory")
    results.append(await world.ann.click(listed.response, label=f"🗑 {await world.fact_id(world.ann)}"))
    assert all(one.ephemeral for result in results for one in result.followups)
    assert all(result.ephemeral for result in results[:-1])
    assert world.said(viewer=world.bob) == []


async def test_export_is_a_file_for_the_person_alone(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    in_public = await world.ann.slash(world.channel, "export")
    assert "direct chat" in in_public.response.content
    result = await world.ann.user.slash("export")
    [message] = [one for one in (result.response, *result.followups) if one is not None and one.attachments]
    assert message.attachments[0].filename == "zgadka-export.jsonl"
    assert world.said(viewer=world.bob) == []


async def test_an_export_too_large_for_discord_is_told_so(world, monkeypatch) -> None:
    async def long(_: object) -> list[str]:
        return ["x" * 30_000_000]

    monkeypatch.setattr(world.memory, "export", long)
    result = await world.ann.user.slash("export")
    assert "too large" in result.response.content


async def test_erase_asks_and_gives_a_receipt_without_content(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    result = await world.ann.user.slash("erase")
    await world.ann.user.click(result.response, label="Keep")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    result = await world.ann.user.slash("erase")
    await world.ann.user.click(result.response, label="🗑 Erase everything")
    assert "Erased for good" in result.response.content
    assert "Kyiv" not in result.response.content
    assert await world.facts(world.ann) == []
    assert world.said(viewer=world.bob) == []


async def test_help_says_what_there_is(world) -> None:
    assert "/erase" in (await world.ann.slash(world.channel, "help")).response.content


async def test_a_store_that_fails_is_told_and_not_shown(world, monkeypatch, caplog) -> None:
    def fails(*_: object) -> None:
        from zgadka.errors import StoreUnavailable

        raise StoreUnavailable("disk full")

    monkeypatch.setattr(Privacy, "put", fails)
    result = await world.ann.slash(world.channel, "privacy", level="full")
    texts = [one.content for one in (result.response, *result.followups) if one is not None]
    assert any("My memory cannot be reached" in text for text in texts)
    assert not any("disk" in text for text in texts)


async def test_a_button_of_no_known_kind_does_nothing(world) -> None:
    await world.ann.send(world.channel, "maybe I like chess")
    question = world.said()[-1]
    stored = world.env.backend.get_message(world.channel.id, question.id)
    stored.components[0]["components"][0]["custom_id"] = "from another program"
    pressed = await world.ann.click(question, custom_id="from another program")
    assert not pressed.acknowledged


@pytest.mark.usefixtures("in_ukrainian")
async def test_answers_are_in_the_language_of_the_persons_discord(world) -> None:
    assert "Тут я нічого" in (await world.ann.slash(world.channel, "memory")).response.content
    assert "Рівень приватності" in (await world.ann.slash(world.channel, "privacy")).response.content
    commands = world.env.backend.visible_commands(user_id=world.ann.id, channel_id=world.channel.id)
    described = {command["name"]: command.get("description_localizations") for command in commands}
    assert described["help"]["uk"] == "показати, що я вмію"


async def test_a_memory_is_followed_taken_back_and_shared_by_its_id(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    number = await world.fact_id(world.ann)
    shown = await world.ann.user.slash("history", number=number)
    assert "remembered: You live in Kyiv" in shown.response.content
    other = await world.bob.slash(world.channel, "undo", number=number)
    assert other.response.content == "There is no such memory of yours here."
    assert "Wherever you" in (await world.ann.user.slash("share", number=number)).response.content
    refused = await world.ann.slash(world.channel, "undo", number=number)
    assert "in a direct chat" in refused.response.content
    taken = await world.ann.user.slash("undo", number=number)
    assert "only" in taken.response.content
    assert not taken.followups  # the answer tells what changed, and no notice again
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_a_long_trail_comes_in_several_messages_with_peoples_words_as_text(world) -> None:
    result = await world.memory.call("remember", {"content": "*" * 80}, world.turn(world.ann))
    number = result["memory_id"]
    for step in range(12):
        text = f"{step}{'*' * 80}"
        changed = {"memory_id": number, "memory_content": text, "target_user": str(world.ann.id)}
        await world.memory.call("update_long_term_memory", changed, world.turn(world.ann, turn=f"turn {step}"))
    shown = await world.ann.user.slash("history", number=number)
    pieces = [shown.response.content, *(one.content for one in shown.followups)]
    assert len(pieces) > 1
    assert all(len(piece) <= 2000 for piece in pieces)
    assert "*" not in "".join(pieces).replace("\\*", "")
