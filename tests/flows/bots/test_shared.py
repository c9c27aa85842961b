"""What people do with the bots, the same on every platform."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from zgadka.model.privacy import PrivacyLevel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.flows.bots.conftest import Scene

pytestmark = pytest.mark.asyncio

ANN, BOB = 1, 2

VERBS = ("page", "ask", "delete", "keep", "erase", "stay", "allow", "refuse", "mute", "save", "")
NUMBERS = (
    "9999999999999999",
    "-9999999999999999",
    "9" * 17,
    "9007199254740993",
    "",
    "1e9",
    "٣",
    "१",
    "9999,9999999999",
    "1,",
    " 1",
)
CHATS = ("-1001", "", "1")
QUESTIONS = ("x", "", ":", "x:999", "x:٣", "a\u0301", "\0", "x\0y")


def forged_buttons(user: str, count: int) -> list[str]:
    """Data that nearly means something and rubbish, 64 bytes at most; nothing that is the user's own."""
    chance = random.Random(7)
    words = [
        *VERBS,
        *NUMBERS,
        "zg",
        "memconf",
        "save",
        "skip",
        "-1001",
        user,
        "2",
        ":",
        "é",
        "\u202e",
        "\u200b",
        "\x01",
    ]
    starts = ["", "zg:", f"zg:erase:{user}:", "memconf:save:-1001:"]
    rubbish = (chance.choice(starts) + ":".join(chance.choices(words, k=chance.randint(1, 6))) for _ in range(count))
    return [
        *(f"zg:{verb}:{user}:{number}" for verb in VERBS for number in NUMBERS),
        *(f"memconf:save:{chat}:{question}" for chat in CHATS for question in QUESTIONS),
        *("zg:", "zg", "zg:::", "memconf:", "memconf:::", f"zg:erase:{user}:1:1", "zg:erase:2:0", "zg:" + "9" * 61),
        *("ы" * 32, "\U0001f525" * 16),
        *(data.encode()[:64].decode(errors="ignore") for data in rubbish),
    ]


async def remember(scene: Scene, text: str = "I like tea", *, direct: bool = False) -> str:
    """Have a note of Ann's remembered; returns its id."""
    await scene.command(ANN, "remember", text, direct=direct)
    shown = await scene.find(ANN, "✓ Remembered", direct=direct)
    return shown.text.split("ID:")[1].rstrip(").")


async def test_what_is_uncertain_is_saved_once_by_the_person_asked_alone(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    question = await scene.find(ANN, "I noticed")
    assert "• Do you like chess?" in question.text
    assert question.labels == ["✓ Save all", "✗ Skip all"]
    await scene.press(BOB, question, "✓ Save all")
    await scene.told(BOB, "not for you")
    assert await scene.known(ANN) == []
    assert (await scene.find(ANN, "I noticed")).labels == ["✓ Save all", "✗ Skip all"]
    await scene.press(ANN, question, "✓ Save all")
    assert (await scene.find(ANN, "✓ Saved.")).labels == []
    assert await scene.known(ANN) == ["like: chess"]
    await scene.press(ANN, question, "✗ Skip all")
    await scene.told(ANN, "Already handled.")
    assert await scene.known(ANN) == ["like: chess"]
    assert await scene.known(BOB) == []


async def test_skipping_saves_nothing(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess", direct=True)
    await scene.press(ANN, await scene.find(ANN, "I noticed", direct=True), "✗ Skip all", direct=True)
    assert (await scene.find(ANN, "nothing was saved", direct=True)).labels == []
    assert await scene.known(ANN, direct=True) == []


async def test_items_are_answered_one_by_one(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess, maybe I like tea, maybe I like rain")
    question = await scene.find(ANN, "I noticed")
    assert question.labels[2:] == ["✓ 1. chess", "✗ 1", "✓ 2. tea", "✗ 2", "✓ 3. rain", "✗ 3"]
    await scene.press(ANN, question, "✓ 2. tea")
    await scene.press(ANN, question, "✗ Skip all")
    closed = await scene.find(ANN, "✗ Skipped")
    assert "✓ Do you like tea?" in closed.text
    assert closed.labels == []
    assert await scene.known(ANN) == ["like: tea"]


async def test_a_question_is_answered_after_a_restart_and_not_after_its_time(scene: Scene) -> None:
    for text in ("chess", "tea"):
        await scene.write(ANN, f"maybe I like {text}")
        question = await scene.find(ANN, f"Do you like {text}?")
        await scene.restart()
        if text == "tea":
            scene.forward(hours=25)
        await scene.press(ANN, question, "✓ Save all")
        assert (await scene.find(ANN, "✓ Saved." if text == "chess" else "has expired")).labels == []
    await scene.told(ANN, "has expired")
    assert await scene.known(ANN) == ["like: chess"]


async def test_a_deletion_by_words_takes_two_messages(scene: Scene) -> None:
    await scene.write(ANN, "I live in Kyiv", direct=True)
    answer = await scene.find(ANN, "Kyiv", direct=True)
    await scene.write(ANN, "forget that I live in Kyiv", direct=True)
    question = await scene.find(ANN, "ID:", direct=True, after=answer)
    assert [label.split(":")[0] for label in question.labels] == ["🗑 Delete ID", "Keep"]
    assert await scene.known(ANN, direct=True) == ["location: Kyiv"]
    await scene.write(ANN, "yes", direct=True)
    await scene.find(ANN, "", direct=True, after=question)
    assert await scene.known(ANN, direct=True) == []


async def test_a_button_deletes_for_its_owner_alone_and_not_when_the_question_is_closed(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "forget", f"ID:{number}")
    question = await scene.find(ANN, "Delete?")
    if scene.platform != "discord":  # there, nobody else sees it
        await scene.press(BOB, question, "🗑")
        await scene.told(BOB, "This button is not for you.")
    await scene.press(ANN, question, "Keep")
    assert (await scene.find(ANN, "Kept; nothing was deleted.")).labels == []
    await scene.press(ANN, question, "🗑")  # the question is closed: it is asked anew
    await scene.told(ANN, "Please confirm once more.")
    assert await scene.known(ANN) == ["I like tea"]
    await scene.press(ANN, question, "🗑")
    assert (await scene.find(ANN, "🗑 Deleted")).labels == []
    assert await scene.known(ANN) == []


async def test_the_same_order_twice_deletes(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "forget", number)
    await scene.find(ANN, "Delete?")
    assert await scene.known(ANN) == ["I like tea"]
    await scene.command(ANN, "forget", number)
    await scene.find(ANN, "🗑 Deleted: I like tea")
    assert await scene.known(ANN) == []


async def test_the_button_of_a_list_only_asks_however_often_it_is_pressed(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "memory")
    listed = question = await scene.find(ANN, "What I remember about you and show here (1 in all):")
    assert listed.labels == [f"🗑 {number}"]
    for _ in range(3):
        await scene.press(ANN, listed, "🗑")
        question = await scene.find(ANN, "Delete?", after=question)
    assert await scene.known(ANN) == ["I like tea"]
    assert (await scene.find(ANN, "What I remember")).labels == listed.labels


async def test_words_list_what_they_may_mean_and_delete_nothing(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "forget", "tea")
    assert (await scene.find(ANN, "Which of these should I delete?")).labels == [f"🗑 {number}"]
    await scene.command(ANN, "forget", "xylophone")
    await scene.find(ANN, "Nothing matches these words.")
    await scene.command(ANN, "forget", "999999")
    await scene.find(ANN, "You have no such memory here.")
    assert await scene.known(ANN) == ["I like tea"]


async def test_a_list_says_how_old_somebody_is_by_now(scene: Scene) -> None:
    for direct in (False, True):
        turn = scene.turn(ANN, direct=direct)
        told = {"fact_type": "personal", "fact_key": "age", "fact_value": "30", "confidence": 0.9}
        result = await scene.memory.call("remember_fact", told | {"user_id": turn.user_number}, turn)
        assert result.status == "success", result
    scene.forward(days=800)
    for direct in (False, True):
        await scene.command(ANN, "memory", direct=direct)
        await scene.find(ANN, "You are 30 years old (about 32 now)", direct=direct)


async def test_a_list_has_pages(scene: Scene) -> None:
    for number in range(10):
        await scene.memory.call("remember", {"content": f"note {number}"}, scene.turn(ANN))
    await scene.command(ANN, "memory")
    page = await scene.find(ANN, "(10 in all)")
    assert page.text.count("ID:") == 8
    assert page.labels[-1] == "▶"
    await scene.press(ANN, page, "▶")
    page = await scene.find(ANN, "Page 2 of 2")
    assert page.text.count("ID:") == 2
    assert page.labels[-1] == "◀"


async def test_an_erasure_is_confirmed_once_in_its_time_and_after_a_restart(scene: Scene) -> None:
    await remember(scene, direct=True)
    await scene.command(ANN, "erase", direct=True)
    late = await scene.find(ANN, "Erase everything about you", direct=True)
    scene.forward(minutes=6)
    await scene.press(ANN, late, "🗑 Erase everything", direct=True)
    assert (await scene.find(ANN, "This question is closed", direct=True)).labels == []
    await scene.command(ANN, "erase", direct=True)
    question = await scene.find(ANN, "Erase everything about you", direct=True, after=late)
    await scene.press(ANN, question, "Keep", direct=True)
    await scene.find(ANN, "Nothing was erased.", direct=True)
    await scene.press(ANN, question, "🗑 Erase everything", direct=True)  # as good as nothing
    assert await scene.known(ANN, direct=True) == ["I like tea"]
    await scene.command(ANN, "erase", direct=True)
    question = await scene.find(ANN, "Erase everything about you", direct=True, after=question)
    await scene.restart()
    await scene.press(ANN, question, "🗑 Erase everything", direct=True)
    receipt = await scene.find(ANN, "Erased for good", direct=True)
    assert "1 note" in receipt.text
    assert "tea" not in receipt.text
    assert await scene.known(ANN, direct=True) == []


async def test_a_group_sees_nothing_of_a_direct_chat(scene: Scene) -> None:
    await remember(scene, "my secret", direct=True)
    await remember(scene)
    await scene.command(ANN, "memory")
    listed = await scene.find(ANN, "What I remember about you and show here")
    assert "I like tea" in listed.text
    assert "secret" not in listed.text
    await scene.command(ANN, "memory", direct=True)
    listed = await scene.find(ANN, "What I remember about you (2 in all)", direct=True)
    assert "secret" in listed.text


async def test_the_list_in_a_direct_chat_says_what_is_used_in_a_group_alone(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "memory", direct=True)
    listed = await scene.find(ANN, "What I remember about you (1 in all)", direct=True)
    assert "\n— " in listed.text
    assert "What is listed under another chat I use only there." in listed.text
    await scene.command(ANN, "share", number, direct=True)
    await scene.command(ANN, "memory", direct=True)
    listed = await scene.find(ANN, "What I remember about you (1 in all)", direct=True, after=listed)
    assert listed.text.splitlines()[1:] == [f"ID:{number} I like tea"]


async def test_what_is_remembered_already_is_said_so(scene: Scene) -> None:
    await remember(scene)
    await scene.command(ANN, "remember", "I like tea")
    await scene.find(ANN, "I know that already")
    await scene.command(ANN, "remember", "{userName}")
    await scene.find(ANN, "What should I remember?")


async def test_the_privacy_level_is_shown_and_set(scene: Scene) -> None:
    await scene.command(ANN, "privacy")
    await scene.find(ANN, "Your privacy level: minimal")
    await scene.command(ANN, "privacy", "partial")
    await scene.find(ANN, "Your privacy level: partial")
    assert await scene.memory.privacy(scene.turn(ANN)) is PrivacyLevel.PARTIAL
    await scene.command(ANN, "memory")
    await scene.find(ANN, "Your privacy level does not allow this")


async def test_what_is_for_the_person_alone_is_not_done_in_a_group(scene: Scene) -> None:
    number = await remember(scene)
    bob = scene.turn(BOB).user_key
    alone = (("share", number), ("export", ""), ("erase", ""), ("history", number), ("mute", bob), ("unmute", bob))
    for name, argument in (*alone, ("privacy", "minimal")):
        if name == "privacy":
            await scene.memory.set_privacy(PrivacyLevel.PARTIAL, scene.turn(ANN, direct=True))
        await scene.command(ANN, name, argument)
        await scene.find(ANN, f"Send me /{name} in a direct chat")
    assert await scene.memory.answer_erasure(scene.turn(ANN), agrees=True) is None
    assert await scene.memory.privacy(scene.turn(ANN)) is PrivacyLevel.PARTIAL


async def test_a_memory_is_followed_shared_and_taken_back_by_its_id(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "history", number, direct=True)
    await scene.find(ANN, "remembered: I like tea", direct=True)
    await scene.command(ANN, "share", number, direct=True)
    await scene.find(ANN, "Wherever you meet me", direct=True)
    await scene.command(BOB, "undo", number)
    await scene.find(BOB, "There is no such memory of yours here.")
    assert await scene.known(ANN) == ["I like tea"]


async def test_a_change_by_another_is_allowed_in_the_direct_chat_after_a_restart(
    make_scene: Callable[..., Awaitable[Scene]],
) -> None:
    scene = await make_scene(others_may_change="ask")
    await scene.write(ANN, "I live in Kyiv", direct=True)
    await scene.find(ANN, "Kyiv", direct=True)
    about_ann: dict[str, Any] = {"user_id": scene.turn(ANN).user_number, "fact_type": "preference", "confidence": 0.9}
    about_ann |= {"fact_key": "sport"}
    await scene.memory.call("remember_fact", about_ann | {"fact_value": "chess"}, scene.turn(ANN))
    change = {"new_value": "go", "change_reason": "update"}
    asked = await scene.memory.call("update_fact", about_ann | change, scene.turn(BOB))
    assert asked.status == "awaiting_consent"
    await scene.command(ANN, "help", direct=True)  # what is under way is done
    question = await scene.find(ANN, "“Bob” wants to change", direct=True)
    assert "“Your sport is chess” → “Your sport is go”" in question.text
    assert question.labels == ["✓ Allow", "✗ Refuse", "🔕 Don't let them ask again"]
    await scene.restart()
    assert "sport: chess" in await scene.known(ANN)
    await scene.press(ANN, question, "✓ Allow", direct=True)
    answered = await scene.find(ANN, "✓ Allowed;", direct=True)
    assert answered.labels == []
    assert "“Your sport is chess” → “Your sport is go”" in answered.text
    assert "sport: go" in await scene.known(ANN)


async def asked_by_bob(scene: Scene, sport: str) -> Any:
    """Have Bob ask for a change of what is known of Ann; returns the answer to him."""
    about_ann: dict[str, Any] = {"user_id": scene.turn(ANN).user_number, "fact_type": "preference", "confidence": 0.9}
    result = await scene.memory.call(
        "remember_fact", about_ann | {"fact_key": "sport", "fact_value": sport}, scene.turn(BOB)
    )
    await scene.command(ANN, "help", direct=True)  # what is under way is done
    return result


async def test_a_plain_word_answers_the_only_open_question(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    await scene.find(ANN, "I noticed")
    await scene.write(BOB, "yes")
    assert await scene.known(ANN) == []
    await scene.write(ANN, "yes")
    await scene.find(ANN, "✓ Saved.")
    assert await scene.known(ANN) == ["like: chess"]
    await scene.write(ANN, "maybe I like tea")
    await scene.find(ANN, "Do you like tea?")
    await scene.write(ANN, "no, thanks")
    await scene.find(ANN, "nothing was saved")
    assert await scene.known(ANN) == ["like: chess"]


async def test_a_plain_word_after_another_message_or_too_late_answers_nothing(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    await scene.write(ANN, "what a day")
    await scene.write(ANN, "yes")
    await scene.write(ANN, "maybe I like tea")
    scene.forward(minutes=6)
    await scene.write(ANN, "yes")
    assert await scene.known(ANN) == []


async def test_a_plain_yes_deletes_what_was_asked_about_and_a_plain_no_keeps_it(scene: Scene) -> None:
    notes = [{"content": text} for text in ("I like tea", "I like rain")]
    results = [await scene.memory.call("remember", note, scene.turn(ANN, direct=True)) for note in notes]
    await scene.command(ANN, "forget", str(results[0]["memory_id"]), direct=True)
    question = await scene.find(ANN, "Delete?", direct=True)
    await scene.write(ANN, "yes", direct=True)
    await scene.find(ANN, "🗑 Deleted", direct=True, after=question)
    assert await scene.known(ANN, direct=True) == ["I like rain"]
    await scene.command(ANN, "erase", direct=True)
    await scene.find(ANN, "Erase everything", direct=True)
    await scene.write(ANN, "no", direct=True)
    await scene.find(ANN, "Nothing was erased.", direct=True)
    assert await scene.known(ANN, direct=True) == ["I like rain"]


async def test_an_order_about_one_memory_deletes_no_other_and_erases_nothing(scene: Scene) -> None:
    notes = [{"content": text} for text in ("I like tea", "I like rain")]
    first, second = [
        (await scene.memory.call("remember", note, scene.turn(ANN, direct=True)))["memory_id"] for note in notes
    ]
    await scene.command(ANN, "forget", str(first), direct=True)
    await scene.find(ANN, "Delete?", direct=True)
    await scene.write(ANN, f"delete {second}", direct=True)
    await scene.command(ANN, "erase", direct=True)
    await scene.find(ANN, "Erase everything", direct=True)
    await scene.write(ANN, f"delete {first}", direct=True)
    await scene.command(ANN, "help", direct=True)
    assert await scene.known(ANN, direct=True) == ["I like rain", "I like tea"]


async def test_who_says_not_to_save_has_nothing_saved(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    await scene.find(ANN, "I noticed")
    await scene.write(ANN, "don't save it")
    await scene.find(ANN, "nothing was saved")
    assert await scene.known(ANN) == []


async def test_a_plain_yes_allows_what_was_shown_and_nothing_else(
    make_scene: Callable[..., Awaitable[Scene]],
) -> None:
    scene = await make_scene(others_may_change="ask")
    await scene.write(ANN, "hello", direct=True)
    await scene.find(ANN, "Hello!", direct=True)
    await asked_by_bob(scene, "chess")
    await scene.find(ANN, "wants to change", direct=True)
    await scene.write(ANN, "yes")
    assert await scene.known(ANN) == []
    await scene.write(ANN, "yes", direct=True)
    await scene.find(ANN, "✓ Allowed;", direct=True)
    assert await scene.known(ANN) == ["sport: chess"]


async def test_a_muted_person_is_refused_and_nobody_is_told(make_scene: Callable[..., Awaitable[Scene]]) -> None:
    scene = await make_scene(others_may_change="ask")
    await scene.write(ANN, "hello", direct=True)
    await scene.find(ANN, "Hello!", direct=True)
    await asked_by_bob(scene, "chess")
    question = await scene.find(ANN, "wants to change", direct=True)
    await scene.press(ANN, question, "🔕", direct=True)
    assert (await scene.find(ANN, "can't ask you again", direct=True)).labels == []
    assert (await asked_by_bob(scene, "go")).status == "privacy_restricted"
    assert await scene.memory.consents(scene.turn(ANN, direct=True)) == []
    bob = scene.turn(BOB).user_key
    await scene.command(ANN, "mute", bob, direct=True)
    await scene.find(ANN, f"You ignore requests from (/unmute ID lifts that):\n{bob}", direct=True)
    await scene.command(ANN, "unmute", bob, direct=True)
    await scene.find(ANN, "You have muted nobody.", direct=True)
    assert (await asked_by_bob(scene, "go")).status == "awaiting_consent"


async def test_whose_app_is_ukrainian_is_answered_in_ukrainian(make_scene: Callable[..., Awaitable[Scene]]) -> None:
    scene = await make_scene(language="uk")
    await scene.command(ANN, "memory")
    await scene.find(ANN, "Тут я нічого про вас не пам’ятаю.")
    await scene.command(ANN, "remember", "tea")
    await scene.find(ANN, "✓ Запам’ятано")


async def test_forged_buttons_are_answered_like_unknown_ones_and_raise_nothing(
    scene: Scene, caplog: pytest.LogCaptureFixture, long_run: bool
) -> None:
    """Clients of one's own send any 64 bytes."""
    await remember(scene)
    await scene.command(ANN, "memory")
    listed = await scene.find(ANN, "I like tea")
    before = await scene.known(ANN)
    with caplog.at_level("WARNING"):
        for data in forged_buttons(scene.turn(ANN).user_key, 3000 if long_run else 60):
            await scene.press_data(ANN, listed, data)
            assert await scene.known(ANN) == before, data
            assert caplog.text == "", data
    await scene.told(ANN, "This button no longer works.")
    await scene.told(ANN, "This button is not for you.")
    await scene.command(ANN, "memory")
    await scene.find(ANN, "I like tea", after=listed)
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("words", "saved", "is_closed"),
    [
        ("yes, save them", ["chess", "rain", "tea"], True),
        ("only the first", ["chess"], True),
        ("no, only the last one", ["rain"], True),
        ("тільки перше", ["chess"], True),
        ("перше і третє", ["chess", "rain"], False),
        ("1 and 3", ["chess", "rain"], False),
        ("all but the second", ["chess", "rain"], True),
        ("ні", [], True),
    ],
)
async def test_several_items_are_answered_in_words(scene: Scene, words: str, saved: list[str], is_closed: bool) -> None:
    await scene.write(ANN, "maybe I like chess, maybe I like tea, maybe I like rain")
    question = await scene.find(ANN, "1. Do you like chess?")
    assert "3. Do you like rain?" in question.text
    await scene.write(BOB, words)
    assert await scene.known(ANN) == []
    await scene.write(ANN, words)
    state = await scene.find(ANN, "chess" if is_closed else "2. ", after=question)
    assert await scene.known(ANN) == [f"like: {value}" for value in saved]
    assert state.labels == ([] if is_closed else ["✓ Save all", "✗ Skip all"])


async def test_nobody_is_asked_twice(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    first = await scene.find(ANN, "Do you like chess?")
    await scene.write(ANN, "maybe I like chess, maybe I like tea")
    second = await scene.find(ANN, "Do you like tea?", after=first)
    assert "chess" not in second.text
    await scene.press(ANN, first, "✗ Skip all")
    await scene.press(ANN, second, "✓ Save all")
    await scene.write(ANN, "well, maybe I like chess, maybe I like tea")
    await scene.write(ANN, "maybe I like rain")
    third = await scene.find(ANN, "Do you like", after=second)
    assert "rain" in third.text
    assert not {"chess", "tea"} & set(third.text.replace("?", " ").split())


async def test_what_the_model_remembered_as_it_was_told_to_is_not_asked_about(scene: Scene) -> None:
    await scene.write(ANN, "remember that maybe I like chess", direct=True)
    await scene.find(ANN, "Remembered (ID:", direct=True)
    await scene.silent(ANN, "I noticed", direct=True)
    assert await scene.known(ANN, direct=True) == ["maybe I like chess"]


async def test_what_was_remembered_is_told_in_a_direct_chat_by_a_line_and_taken_back(scene: Scene) -> None:
    await scene.write(ANN, "I live in Lviv", direct=True)
    line = await scene.find(ANN, "✓ Remembered: You live in Lviv. Not so? /undo", direct=True)
    number = line.text.split("/undo")[1].strip(" _")
    await scene.command(ANN, "undo", number, direct=True)
    await scene.find(ANN, f"ID:{number}", direct=True, after=line)
    assert await scene.known(ANN, direct=True) == []


async def test_what_was_remembered_is_taken_back_by_asking_just_then_that_it_be_not(scene: Scene) -> None:
    await scene.write(ANN, "I live in Lviv", direct=True)
    told = await scene.find(ANN, "✓ Remembered: You live in Lviv. Not so? /undo", direct=True)
    await scene.write(ANN, "don't save that", direct=True)
    await scene.find(ANN, "I keep nothing of this", direct=True, after=told)
    assert await scene.known(ANN, direct=True) == []


async def test_what_was_remembered_is_told_in_a_group_by_a_reaction_alone(scene: Scene) -> None:
    await scene.write(ANN, "hello everybody")
    await scene.write(ANN, "I live in Lviv")
    await scene.reacted(1)
    assert await scene.known(ANN) == ["location: Lviv"]
    await scene.write(ANN, "as I said: I live in Lviv")  # which is known
    await scene.reacted(1)
    await scene.silent(ANN, "Remembered")


@pytest.mark.parametrize("way", ["quiet", "line"])
async def test_how_it_is_told_is_a_setting(make_scene: Callable[..., Awaitable[Scene]], way: str) -> None:
    scene = await make_scene(learned_notice=way)
    await scene.write(ANN, "I live in Lviv")
    await scene.write(ANN, "I live in Lviv", direct=True)
    await scene.reacted(0)
    for direct in (False, True):
        if way == "line":
            await scene.find(ANN, "✓ Remembered: You live in Lviv.", direct=direct)
        else:
            await scene.silent(ANN, "✓ Remembered", direct=direct)


async def notes(scene: Scene, *texts: str) -> str:
    """Have notes of Ann's remembered in her direct chat; returns their ids, separated by commas."""
    turns = [scene.turn(ANN, direct=True) for _ in texts]
    results = [
        await scene.memory.call("remember", {"content": text}, turn) for text, turn in zip(texts, turns, strict=True)
    ]
    return ",".join(str(result["memory_id"]) for result in results)


async def test_a_plain_yes_answers_all_that_one_question_lists(scene: Scene) -> None:
    await scene.command(ANN, "forget", await notes(scene, "I like tea", "I like rain"), direct=True)
    question = await scene.find(ANN, "I like rain", direct=True)
    await scene.write(ANN, "yes", direct=True)
    await scene.find(ANN, "🗑 Deleted", direct=True, after=question)
    assert await scene.known(ANN, direct=True) == []


async def test_a_reply_answers_its_question_whatever_else_is_open(scene: Scene) -> None:
    number = await notes(scene, "I like tea")
    await scene.write(ANN, "maybe I like chess", direct=True)
    await scene.find(ANN, "Do you like chess?", direct=True)
    await scene.command(ANN, "forget", number, direct=True)
    question = await scene.find(ANN, "ID:", direct=True)
    await scene.write(ANN, "yes", direct=True, to=question)
    await scene.find(ANN, "🗑 Deleted", direct=True, after=question)
    assert await scene.known(ANN, direct=True) == []


async def test_a_yes_after_other_talk_is_asked_once_more_while_the_button_still_deletes(scene: Scene) -> None:
    await scene.command(ANN, "forget", await notes(scene, "I like tea"), direct=True)
    question = await scene.find(ANN, "ID:", direct=True)
    await scene.write(ANN, "what a day", direct=True)
    await scene.write(ANN, "yes", direct=True)
    again = await scene.find(ANN, "ID:", direct=True, after=question)
    assert again.labels == question.labels
    assert await scene.known(ANN, direct=True) == ["I like tea"]
    await scene.write(ANN, "yes", direct=True)
    await scene.find(ANN, "🗑 Deleted", direct=True, after=again)
    assert await scene.known(ANN, direct=True) == []


async def test_somebody_elses_yes_is_told_that_the_question_is_not_theirs(scene: Scene) -> None:
    await scene.write(ANN, "maybe I like chess")
    question = await scene.find(ANN, "I noticed")
    await scene.write(BOB, "yes", to=question)
    await scene.find(BOB, "This question is not for you.", after=question)
    assert await scene.known(ANN) == await scene.known(BOB) == []


async def test_a_deletion_says_how_it_is_taken_back_and_a_bare_undo_does_it(scene: Scene) -> None:
    number = await remember(scene, direct=True)
    await remember(scene, "I like rain", direct=True)
    await scene.command(ANN, "forget", number, direct=True)
    await scene.command(ANN, "forget", number, direct=True)
    await scene.find(ANN, "Take it back within 24 hours: /undo", direct=True)
    await scene.command(ANN, "undo")
    await scene.find(ANN, "There is nothing of yours here that I could take back now.")
    await scene.command(ANN, "undo", direct=True)
    await scene.find(ANN, "↩ Undone. I remember: I like tea", direct=True)
    await scene.command(ANN, "undo", direct=True)
    await scene.find(ANN, "Your last change here – remembered: I like rain", direct=True)
    assert await scene.known(ANN, direct=True) == ["I like rain", "I like tea"]


async def test_a_second_undo_changes_nothing_and_says_so(scene: Scene) -> None:
    number = await remember(scene)
    for _ in range(2):
        await scene.command(ANN, "forget", number)
    await scene.command(ANN, "undo", number)
    undone = await scene.find(ANN, "↩ Undone. I remember: I like tea")
    await scene.command(ANN, "undo", number)
    await scene.find(ANN, "Nothing was changed: it was already undone.", after=undone)
    assert await scene.known(ANN) == ["I like tea"]


async def test_who_takes_back_what_their_message_said_is_told_how_to_have_that_forgotten(scene: Scene) -> None:
    await scene.write(ANN, "I live in Lviv", direct=True)
    line = await scene.find(ANN, "✓ Remembered: You live in Lviv. Not so? /undo", direct=True)
    await scene.command(ANN, "undo", line.text.split("/undo")[1].strip(" _"), direct=True)
    undone = await scene.find(ANN, "To have that forgotten, too: /forget M", direct=True)
    await scene.command(ANN, "forget", undone.text.rpartition(" ")[2], direct=True)
    question = await scene.find(ANN, "I live in Lviv", direct=True, after=undone)
    await scene.press(ANN, question, "🗑", direct=True)
    await scene.find(ANN, "🗑 Deleted", direct=True, after=undone)
    await scene.command(ANN, "forget", "Lviv", direct=True)
    await scene.find(ANN, "Nothing matches these words.", direct=True)


async def test_a_bare_undo_takes_back_nobody_elses_deletion_and_nothing_after_its_time(scene: Scene) -> None:
    number = await remember(scene)
    await scene.command(ANN, "forget", number)
    await scene.command(ANN, "forget", number)
    await scene.command(BOB, "undo")
    await scene.find(BOB, "There is nothing of yours here")
    scene.forward(hours=25)
    await scene.command(ANN, "undo")
    assert "Undone" not in "".join(scene.texts(ANN))
    assert await scene.known(ANN) == []
