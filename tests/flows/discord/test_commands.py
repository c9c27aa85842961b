"""The slash commands: every answer is for the person alone."""

from __future__ import annotations

import pytest

from zgadka.stores.tx import Tx

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
    assert result.response.content == "I remember nothing about you here."
    direct = await world.bob.user.slash("memory")
    assert "Lviv" in direct.response.content


async def test_a_delete_button_of_the_list_asks_first_however_often_it_is_pressed(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    number = await world.fact_id(world.ann)
    result = await world.ann.slash(world.channel, "memory")
    custom_id = f"zg:ask:{world.ann.id}:{number}"
    components = result.response.components
    await world.ann.click(result.response, custom_id=custom_id)
    world.env.backend.get_message(world.channel.id, result.response.id).components = components
    await world.ann.click(result.response, custom_id=custom_id)
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert "Delete for good?" in result.response.content
    await world.ann.click(result.response, label=f"🗑 Delete ID:{number}")
    assert result.response.content == "Deleted."
    assert await world.facts(world.ann) == []


async def test_forget_by_id_never_deletes_by_itself(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    number = await world.fact_id(world.ann)
    for _ in range(3):
        await world.ann.slash(world.channel, "forget", what=f"ID:{number}")
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_forget_by_words_lists_what_may_be_meant(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    number = await world.fact_id(world.ann)
    result = await world.ann.slash(world.channel, "forget", what="Kyiv")
    assert "Which of these" in result.response.content
    await world.ann.click(result.response, label=f"🗑 {number}")
    await world.ann.click(result.response, label="Keep")
    assert result.response.content == "Kept; nothing was deleted."
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert "Nothing" in (await world.ann.slash(world.channel, "forget", what="xylophone")).response.content
    assert "no such memory" in (await world.ann.slash(world.channel, "forget", what="999999")).response.content


async def test_a_mistake_is_told_in_a_line(world) -> None:
    ids = ",".join(str(number) for number in range(1, 30))
    assert "invalid_args" in (await world.ann.slash(world.channel, "forget", what=ids)).response.content
    result = await world.ann.slash(world.channel, "remember", what="{userName}")
    assert "placeholder" in result.response.content


async def test_remember_keeps_a_note(world) -> None:
    first = await world.ann.slash(world.channel, "remember", what="tea at five")
    assert first.ephemeral
    assert first.response.content.startswith("Remembered (ID:")
    again = await world.ann.slash(world.channel, "remember", what="tea at five")
    assert again.response.content == "I knew that already."


async def test_privacy_is_shown_and_set(world) -> None:
    assert "minimal" in (await world.ann.slash(world.channel, "privacy")).response.content
    assert "partial" in (await world.ann.slash(world.channel, "privacy", level="partial")).response.content
    listed = await world.ann.slash(world.channel, "memory")
    assert "privacy level is partial" in listed.response.content
    refused = await world.ann.slash(world.channel, "remember", what="tea at five")
    assert "privacy_restricted" in refused.response.content


async def test_export_is_a_file_for_the_person_alone(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    result = await world.ann.slash(world.channel, "export")
    [message] = [one for one in (result.response, *result.followups) if one is not None and one.attachments]
    assert message.ephemeral
    assert message.attachments[0].filename == "zgadka-export.jsonl"
    assert world.said(viewer=world.bob) == []


async def test_an_export_too_large_for_discord_is_told_so(world, monkeypatch) -> None:
    async def long(_: object) -> list[str]:
        return ["x" * 30_000_000]

    monkeypatch.setattr(world.memory, "export", long)
    result = await world.ann.slash(world.channel, "export")
    assert "too large" in result.response.content


async def test_erase_asks_and_gives_a_receipt_without_content(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    result = await world.ann.slash(world.channel, "erase")
    await world.ann.click(result.response, label="Keep")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    result = await world.ann.slash(world.channel, "erase")
    await world.ann.click(result.response, label="🗑 Erase everything")
    assert "Erased at" in result.response.content
    assert "Kyiv" not in result.response.content
    assert await world.facts(world.ann) == []
    assert world.said(viewer=world.bob) == []


async def test_help_says_what_there_is(world) -> None:
    assert "/erase" in (await world.ann.slash(world.channel, "help")).response.content


async def test_a_store_that_fails_is_told_and_not_shown(world, monkeypatch, caplog) -> None:
    def fails(*_: object) -> None:
        from zgadka.errors import StoreUnavailable

        raise StoreUnavailable("disk full")

    monkeypatch.setattr(Tx, "put_privacy", fails)
    result = await world.ann.slash(world.channel, "privacy", level="full")
    texts = [one.content for one in (result.response, *result.followups) if one is not None]
    assert any("That did not work" in text for text in texts)
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
    assert "рівень приватності" in (await world.ann.slash(world.channel, "privacy")).response.content
    commands = world.env.backend.visible_commands(user_id=world.ann.id, channel_id=world.channel.id)
    described = {command["name"]: command.get("description_localizations") for command in commands}
    assert described["help"]["uk"] == "Що я вмію"


async def test_a_memory_is_followed_taken_back_and_shared_by_its_id(world) -> None:
    await world.ann.send(world.channel, "I live in Kyiv")
    number = await world.fact_id(world.ann)
    shown = await world.ann.slash(world.channel, "history", number=number)
    assert shown.ephemeral
    assert "remembered: location\\: Kyiv" in shown.response.content
    other = await world.bob.slash(world.channel, "undo", number=number)
    assert other.response.content == "There is no such memory of yours here."
    assert "Wherever you" in (await world.ann.slash(world.channel, "share", number=number)).response.content
    assert "Only here" in (await world.ann.slash(world.channel, "unshare", number=number)).response.content
    taken = await world.ann.slash(world.channel, "undo", number=number)
    assert "Wherever you" in taken.response.content
    assert not taken.followups  # the answer tells what changed, and no notice again
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_a_long_trail_comes_in_several_messages_with_peoples_words_as_text(world) -> None:
    result = await world.memory.call("remember", {"content": "*" * 80}, world.turn(world.ann))
    number = result["memory_id"]
    for step in range(12):
        text = f"{step}{'*' * 80}"
        changed = {"memory_id": number, "memory_content": text, "target_user": str(world.ann.id)}
        await world.memory.call("update_long_term_memory", changed, world.turn(world.ann, turn=f"turn {step}"))
    shown = await world.ann.slash(world.channel, "history", number=number)
    pieces = [shown.response.content, *(one.content for one in shown.followups)]
    assert len(pieces) > 1
    assert all(len(piece) <= 2000 for piece in pieces)
    assert "*" not in "".join(pieces).replace("\\*", "")
