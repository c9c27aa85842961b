"""Updates become events, messages go out, and the intakes: through aiogram's own types and client."""

# ruff: noqa: TC004
from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.bots import core, delivery
from zgadka.bots.platform import (
    Address,
    Command,
    Content,
    Deletion,
    Event,
    Membership,
    Message,
    Move,
    Presence,
    Press,
    Titles,
    Undelivered,
    split,
)
from zgadka.chat.agent import standin_model
from zgadka.chat.questions import Button
from zgadka.cli.main import app
from zgadka.errors import InvalidInput, MissingExtra, SettingsError, StoreClosed, StoreUnavailable
from zgadka.extract.rules import extract
from zgadka.model.people import Title

if TYPE_CHECKING:
    from telegram_wire import (
        ME,
        MESSAGE_UNITS,
        PRESS,
        RIGHTS,
        AiogramWire,
        Bot,
        BotTester,
        Intake,
        PressedMessage,
        Script,
        Update,
        aiogram,
        events_of,
        make_bot,
        poll,
        secret_of,
        serve,
        telegram,
        units,
    )


@pytest.fixture(scope="module", autouse=True)
def _wire() -> None:
    """All of the wire, once the first test runs."""
    wire = importlib.import_module("telegram_wire")
    globals().update({name: getattr(wire, name) for name in wire.__all__})


OLENA = {"id": 1, "is_bot": False, "first_name": "Olena", "last_name": "K", "username": "olena", "language_code": "uk"}
BOT = {"id": 666, "is_bot": True, "first_name": "Zgadka", "username": "zgadka_bot"}
GROUP = {"id": -5, "type": "supergroup", "title": "Friends"}
ALONE = {"id": 1, "type": "private"}
TOKEN = "666:TEST"


def update(number: int = 1, **content: Any) -> Update:
    return Update.model_validate({"update_id": number, **content})


def message(text: Any = "hello", chat: Any = GROUP, **more: Any) -> dict[str, Any]:
    given = {"message_id": 7, "date": 1_700_000_000, "chat": chat, "from": OLENA, "text": text}
    return {name: value for name, value in (given | more).items() if value is not None}


def said(**content: Any) -> Message:
    found = [one for one in events(**content) if isinstance(one, Message)]
    assert len(found) == 1
    return found[0]


def command(**content: Any) -> Command:
    found = [one for one in events(**content) if isinstance(one, Command)]
    assert len(found) == 1
    return found[0]


def events(**content: Any) -> list[Event]:
    return list(events_of(update(**content), ME, persona=3))


# From updates to events


def test_a_group_message_is_a_turn_of_its_writer() -> None:
    one = said(message=message(is_topic_message=True, message_thread_id=9))
    turn = one.turn
    assert (turn.platform, turn.space, turn.chat, turn.thread) == ("telegram", "-5", "-5", "9")
    assert (turn.user, turn.turn, turn.message, turn.persona, turn.direct) == (1, "update:666:1", "7@p3", 3, False)
    assert turn.time == datetime.fromtimestamp(1_700_000_000, UTC)
    assert (one.text, one.own_text, one.language, one.to_bot, one.edited) == ("hello", "hello", "uk", False, False)


def test_a_reply_outside_topics_is_no_thread() -> None:
    assert said(message=message(message_thread_id=9)).turn.thread is None


def test_a_private_message_is_direct_and_for_the_bot() -> None:
    one = said(message=message(chat=ALONE))
    assert one.turn.direct
    assert one.to_bot


def test_an_edited_message_is_the_same_message() -> None:
    one = said(edited_message=message("/forget 5 no", chat=ALONE) | {"text": "hello again"})
    assert one.edited
    assert one.turn.message == "7@666"


def test_an_edit_into_a_command_runs_nothing_and_takes_the_message_back() -> None:
    *_, last = events(edited_message=message("/forget 5"))
    assert isinstance(last, Deletion)
    assert [turn.message for turn in last.turns] == ["7@p3"]


def test_an_edited_remember_is_that_command_once_more() -> None:
    one = command(edited_message=message("/remember I keep a yak"))
    assert (one.name, one.argument, one.turn.message) == ("remember", "I keep a yak", "7@p3")


def test_an_edit_tells_nothing_of_who_is_there() -> None:
    assert not any(isinstance(one, Membership) for one in events(edited_message=message("hello")))


def test_a_reply_names_somebodys_message_or_tells_what_the_bots_says() -> None:
    own, bots = message("I live in Oslo", message_id=3), message("Remembered: /undo_1", message_id=4, **{"from": BOT})
    one = said(message=message("don't save that", reply_to_message=own))
    assert (one.turn.replies_to, one.replied_to, one.replied_text) == ("3@p3", None, "")
    one = said(message=message("don't save that", reply_to_message=bots))
    assert (one.turn.replies_to, one.replied_to, one.replied_text) == (None, "4", "Remembered: /undo_1")


def test_a_caption_is_the_text() -> None:
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}]
    assert said(message=message(None, caption="my cat", photo=photo)).own_text == "my cat"


@pytest.mark.parametrize(
    "borrowed",
    [
        {"forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "X"}},
        {"forward_origin": {"type": "user", "date": 1, "sender_user": OLENA}},
        {"via_bot": BOT},
    ],
)
def test_forwards_and_what_a_bot_wrote_are_not_the_users_words(borrowed: dict[str, Any]) -> None:
    one = said(message=message("I live in Oslo\nand Bergen", chat=ALONE, **borrowed))
    assert (one.text, one.own_text, one.to_bot) == ("> I live in Oslo\n> and Bergen", "", False)
    assert said(message=message("/erase", chat=ALONE, **borrowed)).text == "> /erase"


def test_who_wrote_what_is_forwarded_is_told_where_telegram_says_so() -> None:
    hidden = {"type": "hidden_user", "date": 1, "sender_user_name": "X"}
    assert said(message=message("I live in Oslo", chat=ALONE, forward_origin=hidden)).turn.forwards is None
    by_olena = {"type": "user", "date": 1, "sender_user": OLENA}
    assert said(message=message("I live in Oslo", chat=ALONE, forward_origin=by_olena)).turn.forwards == OLENA["id"]


def test_a_quoted_part_is_not_the_users_words() -> None:
    text = "😀 I live in Oslo\nnot me"
    quote = {"type": "blockquote", "offset": 3, "length": 14}
    one = said(message=message(text, entities=[quote, {"type": "bold", "offset": 4, "length": 2}]))
    assert one.text == "😀 > I live in Oslo\nnot me"
    assert one.own_text == "😀 \nnot me"


@pytest.mark.parametrize("kind", ["pre", "code", "strikethrough"])
def test_code_and_what_is_struck_out_is_not_what_the_user_says_of_themselves(kind: str) -> None:
    entities = [{"type": kind, "offset": 3, "length": 14}, {"type": "bold", "offset": 3, "length": 6}]
    one = said(message=message("😀 I live in Oslo. I love tea", entities=entities))
    assert one.text == "😀 I live in Oslo. I love tea"
    assert [item.text for item in extract(one.own_text or "").certain] == ["like: tea"]
    # The words around it do not become a sentence of their own.
    one = said(message=message("I'm not a nurse", entities=[{"type": kind, "offset": 4, "length": 3}]))
    assert len(extract(one.own_text or "").certain) == 0


def test_a_struck_part_of_a_quote_hides_no_quote() -> None:
    entities = [{"type": "strikethrough", "offset": 0, "length": 4}, {"type": "blockquote", "offset": 0, "length": 14}]
    one = said(message=message("I live in Oslo\nnot me", entities=entities))
    assert (one.text, one.own_text) == ("> I live in Oslo\nnot me", "not me")


def test_the_quote_of_a_reply_is_no_part_of_the_message() -> None:
    replied = message("I live in Oslo", **{"from": OLENA | {"id": 2}})
    one = said(message=message("me too", reply_to_message=replied, quote={"text": "I live in Oslo", "position": 0}))
    assert (one.text, one.own_text, one.to_bot) == ("me too", "me too", False)


def test_the_bots_name_means_the_bot_and_is_left_out() -> None:
    mention = {"type": "mention", "offset": 0, "length": 11}
    one = said(message=message("@Zgadka_Bot I live in Kyiv", entities=[mention]))
    assert (one.text, one.own_text, one.to_bot) == ("I live in Kyiv", "I live in Kyiv", True)
    other = said(message=message("@another_on I live", entities=[mention]))
    assert (other.text, other.to_bot) == ("@another_on I live", False)
    named = said(
        message=message("Zgadka, hi", entities=[{"type": "text_mention", "offset": 0, "length": 6, "user": BOT}])
    )
    assert named.to_bot


def test_a_reply_to_the_bot_means_the_bot() -> None:
    keyboard = {
        "inline_keyboard": [[{"text": "✓", "callback_data": "memconf:save:-5:abc"}, {"text": "x", "url": "u:"}]]
    }
    replied = message("Save these?", message_id=3, **{"from": BOT}, reply_markup=keyboard)
    one = command(message=message("/edit Kyiv", reply_to_message=replied))
    assert (one.name, one.argument, one.answers, one.replied_to) == ("edit", "Kyiv", ("memconf:save:-5:abc",), "3")
    assert (one.replied_text, one.about) == ("Save these?", None)
    told = said(message=message("hello", reply_to_message=replied))
    assert (told.to_bot, told.answers) == (True, ("memconf:save:-5:abc",))
    topic = message(None, message_id=2, **{"from": BOT}, forum_topic_created={"name": "n", "icon_color": 1})
    assert not said(message=message("hello", reply_to_message=topic)).to_bot


def test_who_replies_to_somebody_or_names_them_speaks_to_them() -> None:
    bob = {"id": 7, "first_name": "Bob", "is_bot": False}
    mention = {"type": "mention", "offset": 0, "length": 6}
    named = {"type": "text_mention", "offset": 0, "length": 3, "user": bob}
    to_bob = message("Coming?", message_id=3, **{"from": bob})
    assert said(message=message("yes", reply_to_message=to_bob)).to_another
    assert said(message=message("@bobby yes", entities=[mention])).to_another
    assert said(message=message("Bob yes", entities=[named])).to_another
    own, bots = message("Hm", message_id=3), message("Save it?", message_id=3, **{"from": BOT})
    assert not any(said(message=message("yes", reply_to_message=replied)).to_another for replied in (own, bots))
    assert not said(message=message("yes")).to_another
    both = [{"type": "mention", "offset": 0, "length": 11}, {"type": "mention", "offset": 12, "length": 6}]
    assert not said(message=message("@Zgadka_Bot @bobby yes", entities=both)).to_another


def test_a_command_is_told_the_text_of_ones_own_message_alone() -> None:
    other = {"from": {"id": 7, "first_name": "Bob", "is_bot": False}}
    for more, text in (({}, "/forget 1"), (other, "")):
        replied = message("/forget 1", message_id=3, **more)
        one = command(message=message("/undo", reply_to_message=replied))
        assert one.about is not None
        assert (one.about.message, one.replied_text) == ("3@p3", text)


@pytest.mark.parametrize(
    ("text", "name", "argument"),
    [
        ("/memory", "memory", ""),
        ("/undo_24", "undo", "24"),
        ("/undo_24@zgadka_bot", "undo", "24"),
        ("/undo_x", "undo_x", ""),
        ("/privacy_full", "privacy_full", ""),
        ("/Remember@zgadka_bot  I like\ntea ", "remember", "I like\ntea"),
        ("/remember\nI like tea", "remember", "I like tea"),
    ],
)
def test_a_command_is_read(text: str, name: str, argument: str) -> None:
    one = command(message=message(text))
    assert (one.name, one.argument) == (name, argument)


def test_a_command_to_another_bot_is_nobodys_words() -> None:
    assert [type(one) for one in events(message=message("/remember@other I like tea"))] == [Membership, Titles]


def test_bots_channels_and_hidden_administrators_say_nothing() -> None:
    assert [type(one) for one in events(message=message(**{"from": BOT}))] == [Membership, Titles]
    assert events(message=message(sender_chat=GROUP)) == []
    assert events(message=message(chat={"id": -9, "type": "channel"})) == []
    assert events(poll=None) == []


def test_members_come_and_go() -> None:
    seen = events(message=message(None, new_chat_members=[BOT], left_chat_member=OLENA | {"id": 2, "username": None}))
    members = [member for one in seen if isinstance(one, Membership) for member in one.members]
    assert [(one.user, one.name, one.nickname, one.kind) for one in members] == [
        ("1", "Olena K", "olena", "person"),
        ("666", "Zgadka", "zgadka_bot", "bot"),
        ("2", "Olena K", None, "person"),
    ]
    assert [one.left_at is not None for one in members] == [False, False, True]


def change(**new: Any) -> dict[str, Any]:
    old = {"status": "member", "user": OLENA}
    return {"chat": GROUP, "from": OLENA, "date": 1_700_000_000, "old_chat_member": old, "new_chat_member": old | new}


def test_groups_and_topics_are_called_by_their_titles_and_direct_chats_by_none() -> None:
    def titles(**content: Any) -> list[Title]:
        return [title for event in events(**content) if isinstance(event, Titles) for title in event.titles]

    group = Title(text="Friends")
    assert titles(message=message()) == titles(chat_member=change(status="member")) == [group]
    topic = {"message_thread_id": 9, "is_topic_message": True}
    begun = message(None, **topic, forum_topic_created={"name": "Routes", "icon_color": 1})
    assert titles(message=begun) == [group, Title(chat="-5", thread="9", text="Routes")]
    renamed = message(None, **topic, forum_topic_edited={"name": "Trails"})
    assert titles(message=renamed) == [group, Title(chat="-5", thread="9", text="Trails")]
    assert titles(message=message(None, **topic, forum_topic_edited={"icon_custom_emoji_id": "5"})) == [group]
    assert titles(message=message(chat=ALONE)) == titles(my_chat_member=change(status="left", user=BOT)) == []


def test_roles_are_reported() -> None:
    promoted, _ = events(chat_member=change(**RIGHTS | {"status": "administrator", "user": OLENA}))
    assert isinstance(promoted, Membership)
    assert promoted.roles_known
    assert [(member.role, member.left_at) for member in promoted.members] == [("administrator", None)]
    gone, absence = events(my_chat_member=change(status="left", user=BOT))
    assert absence == Presence(space="-5", is_here=False)
    assert isinstance(gone, Membership)
    assert [(member.kind, member.left_at is not None) for member in gone.members] == [("bot", True)]
    assert events(my_chat_member=change(status="left") | {"chat": ALONE}) == []


def press(**more: Any) -> dict[str, Any]:
    given = {"id": "q", "from": OLENA, "chat_instance": "1", "data": "zg:yes:1:5"}
    return given | {"message": message("Delete?", message_id=8, **{"from": BOT})} | more


def test_a_press_is_a_turn_of_the_presser() -> None:
    (one,) = events(callback_query=press())
    assert isinstance(one, Press)
    assert (one.turn.user, one.turn.turn, one.turn.chat, one.turn.message) == (1, "press:update:666:1:q", "-5", None)
    assert (one.data, one.text, one.language) == ("zg:yes:1:5", "Delete?", "uk")
    assert one.source == PressedMessage("q", 8)
    old = {"chat": GROUP, "message_id": 8, "date": 0}
    (late,) = events(callback_query=press(message=old))
    assert isinstance(late, Press)
    assert late.text == ""
    assert events(callback_query={name: value for name, value in press().items() if name != "message"}) == []


def test_a_voice_message_names_its_file() -> None:
    voice = {"file_id": "f", "file_unique_id": "u", "duration": 1}
    russian = OLENA | {"language_code": "ru"}
    one = said(message=message(None, voice=voice, **{"from": russian}))
    assert (one.voice, one.text, one.language) == ("f", "", None)


# Splitting


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "слово " * 2_000,
        "😀" * 5_000,
        "a line\n" * 1_000,
        "👨‍👩‍👧 " * 2_000,
        "x" * 4096,
        " \n" + "y" * 4097,
    ],
)
def test_a_long_text_is_split_and_nothing_is_lost(text: str) -> None:
    pieces = list(split(text, MESSAGE_UNITS, units))
    assert all(0 < units(piece) <= 4096 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert len(pieces) <= units(text) // 2000 + 1


def test_a_blank_text_is_no_message() -> None:
    assert list(split(" \n", MESSAGE_UNITS)) == []


# Sending


SENT = (200, {"message_id": 1, "date": 1, "chat": ALONE})
TOO_MANY = (429, {"error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 17}})
BROKEN = (502, {"error_code": 502, "description": "Bad Gateway"})
BLOCKED = (403, {"error_code": 403, "description": "Forbidden: bot was blocked by the user"})
UNCHANGED = (400, {"error_code": 400, "description": "Bad Request: message is not modified"})
UNAUTHORIZED = (401, {"error_code": 401, "description": "Unauthorized"})
CONFLICT = (409, {"error_code": 409, "description": "Conflict"})


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def wired(*answers: Any) -> tuple[AiogramWire, Script, Pauses]:
    script, pauses = Script(*answers), Pauses()
    return AiogramWire(Bot(TOKEN, session=script), pause=pauses), script, pauses


@pytest.mark.asyncio
async def test_a_message_is_plain_text_with_its_buttons_under_the_last_piece() -> None:
    wire, script, _ = wired(SENT)
    await wire.send(
        Address(chat="-5", thread="9", reply_to="7@p3"), Content(text="<b>a</b> " * 600, rows=[[Button("✓", "d")]])
    )
    asked = [given for _, given in script.asked]
    assert len(asked) == 2
    assert all(given["chat_id"] == -5 and given["message_thread_id"] == 9 for given in asked)
    assert make_bot(TOKEN).default.parse_mode is None
    assert asked[0]["reply_parameters"]["message_id"] == 7
    assert "reply_markup" not in asked[0]
    assert asked[1]["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "d"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("chat", "message", "replied"),
    [("-5", "7@666", 7), ("-1001234567890", "7", 7), ("-1001234567890", "7@p3", 7), ("-1001234567890", "7@666", None)],
)
async def test_a_supergroup_has_no_message_of_the_group_that_it_was(
    chat: str, message: str, replied: int | None
) -> None:
    wire, script, _ = wired(SENT)
    await wire.send(Address(chat=chat, reply_to=message), Content(text="hello"))
    assert (script.asked[0][1].get("reply_parameters") or {}).get("message_id") == replied


@pytest.mark.asyncio
async def test_telegrams_wait_is_kept_and_failures_are_tried_again() -> None:
    wire, script, pauses = wired(TOO_MANY, BROKEN, BROKEN, SENT)
    await wire.send(Address(chat="1"), Content(text="hello"))
    assert pauses == [17.0, 2.0, 4.0]
    assert len(script.asked) == 4


@pytest.mark.asyncio
async def test_after_some_tries_it_is_given_up() -> None:
    wire, script, pauses = wired(BROKEN)
    with pytest.raises(Undelivered):
        await wire.send(Address(chat="1"), Content(text="hello"))
    assert len(script.asked) == 6
    assert len(pauses) == 5
    async with wire.typing(Address(chat="1")):
        for _ in range(100):
            await asyncio.sleep(0)
    assert len(script.asked) == 7
    assert len(pauses) == 5


@pytest.mark.asyncio
async def test_a_refusal_is_not_tried_again() -> None:
    wire, script, _ = wired(BLOCKED)
    with pytest.raises(Undelivered, match="blocked"):
        await wire.notify(PRESS, "x" * 300)
    assert len(script.asked) == 1
    assert len(script.asked[0][1]["text"]) == 200


@pytest.mark.asyncio
async def test_a_refusal_that_quotes_a_message_is_named_and_not_quoted() -> None:
    said = 'Bad Request: can\'t parse entities: unsupported start tag "xylographer" at byte offset 3'
    wire, _, _ = wired((400, {"error_code": 400, "description": said}))
    with pytest.raises(Undelivered) as caught:
        await wire.send(Address(chat="1"), Content(text="hello"))
    assert str(caught.value) == "TelegramBadRequest"


@pytest.mark.asyncio
async def test_an_edit_that_changes_nothing_is_fine() -> None:
    wire, script, _ = wired(UNCHANGED, SENT)
    await wire.edit(Address(chat="1"), "5", Content(text="hello"))
    await wire.replace(PRESS, Content(text="word " * 1000, rows=[[Button("✓", "d")]]))
    assert [name for name, _ in script.asked] == ["editMessageText", "editMessageText", "sendMessage"]
    assert "reply_markup" in script.asked[-1][1]


@pytest.mark.asyncio
async def test_files_menus_and_administrators() -> None:
    wire, script, _ = wired(SENT)
    await wire.send_file(Command(turn=PRESS.turn, name="export"), "a.jsonl", b"{}", "All of it.")
    assert script.asked[0][0] == "sendDocument"
    script.answers = [(200, True)]
    await wire.introduce()
    await wire.drop_webhook()
    assert [name for name, _ in script.asked[1:]] == ["setMyCommands", "setMyCommands", "deleteWebhook"]
    script.answers = [(200, [{"status": "creator", "user": OLENA, "is_anonymous": False}])]
    assert await wire.administrators("-5") == {"1": "creator"}


def test_a_token_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(SettingsError, match="BotFather"):
        make_bot("nonsense")


# The intakes


@pytest_asyncio.fixture
async def memory() -> AsyncIterator[Memory]:
    just_then = datetime.fromtimestamp(1_700_000_100, UTC)
    async with open_memory("sqlite://:memory:", settings=Settings(), clock=lambda: just_then) as memory:
        yield memory


@pytest.fixture
def make_intake(memory: Memory) -> Callable[..., tuple[Intake, core.Bot, Script]]:
    def make(*answers: Any) -> tuple[Intake, core.Bot, Script]:
        wire, script, _ = wired(*(answers or (SENT,)))
        bot = core.Bot(memory, wire, standin_model())
        return Intake(bot, ME), bot, script

    return make


def text_update(number: int, text: str = "hello") -> dict[str, Any]:
    return {"update_id": number, "message": message(text, chat=ALONE, message_id=number)}


MakeIntake = Callable[..., "tuple[Intake, core.Bot, Script]"]


@pytest.mark.asyncio
async def test_an_update_is_confirmed_after_it_is_noted(
    make_intake: MakeIntake, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake, telegram_bot, _ = make_intake()
    stop, pauses = asyncio.Event(), Pauses()
    observe, failures = memory.observe, [StoreUnavailable("disk full")]

    async def fail_once(*given: Any, **more: Any) -> Any:
        if failures:
            raise failures.pop()
        return await observe(*given, **more)

    monkeypatch.setattr(memory, "observe", fail_once)
    script = Script((200, [text_update(5)]), TOO_MANY, BROKEN, CONFLICT, (200, [text_update(5)]), (200, []))
    asked_before = script.make_request

    async def stop_at_the_end(bot: Bot, method: Any, timeout: int | None = None) -> Any:  # noqa: ASYNC109
        if len(script.answers) == 1:
            stop.set()
        return await asked_before(bot, method, timeout)

    monkeypatch.setattr(script, "make_request", stop_at_the_end)
    await poll(Bot(TOKEN, session=script), intake, stop, pause=pauses)
    assert [given.get("offset") for _, given in script.asked] == [None, None, None, None, None, 6, 6]
    assert script.asked[-1][1]["timeout"] == 0
    assert pauses[:4] == [1.0, 17.0, 2.0, 4.0]
    await telegram_bot.settle()
    turn = replace(said(message=message(chat=ALONE)).turn, persona=0)
    assert [one.text for one in await memory.recent(turn) if one.role == "user"] == ["hello"]
    await telegram_bot.close()


@pytest.mark.asyncio
async def test_a_server_that_does_not_wait_is_not_asked_without_pause(make_intake: MakeIntake) -> None:
    intake, _, _ = make_intake()
    stop, pauses = asyncio.Event(), Pauses()

    async def pause(seconds: float) -> None:
        await pauses(seconds)
        stop.set()

    await poll(Bot(TOKEN, session=Script((200, []))), intake, stop, pause=pause)
    assert pauses == [0.2]


@pytest.mark.asyncio
async def test_a_token_that_telegram_does_not_know_ends_the_bot(make_intake: MakeIntake, memory: Memory) -> None:
    intake, _, _ = make_intake()
    with pytest.raises(SettingsError):
        await poll(Bot(TOKEN, session=Script(UNAUTHORIZED)), intake, asyncio.Event())
    await memory.close()
    with pytest.raises(StoreClosed):
        await poll(Bot(TOKEN, session=Script((200, [text_update(1)]))), intake, asyncio.Event())


@pytest.mark.asyncio
async def test_an_update_that_cannot_be_meant_is_left_out(
    make_intake: MakeIntake, memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    intake, telegram_bot, _ = make_intake()
    monkeypatch.setattr(delivery, "_REMEMBERED", 1)

    async def fail(*_: Any, **__: Any) -> None:
        raise ValueError("strange")

    with monkeypatch.context() as patch:
        patch.setattr(memory, "observe", fail)
        await intake.take([Update.model_validate(text_update(1))])
    assert "left out" in caplog.text
    await intake.take([Update.model_validate(text_update(number)) for number in (1, 2, 3)])
    await telegram_bot.settle()
    turn = replace(said(message=message(chat=ALONE)).turn, persona=0)
    assert len([one for one in await memory.recent(turn) if one.role == "user"]) == 2


@pytest.mark.asyncio
async def test_a_webhook_takes_only_telegrams_own_updates(
    make_intake: MakeIntake, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import aiohttp

    intake, telegram_bot, _ = make_intake()
    script, stop, address = Script((200, True)), asyncio.Event(), asyncio.Queue[str]()
    bot = Bot(TOKEN, session=script)
    serving = asyncio.create_task(
        serve(bot, intake, stop, url="https://bot.example/hook", listen="127.0.0.1:0", ready=address.put_nowait)
    )
    url = f"http://{await address.get()}/hook"
    secret = {"X-Telegram-Bot-Api-Secret-Token": secret_of(TOKEN)}
    assert script.asked[0][1]["secret_token"] == secret_of(TOKEN)
    async with aiohttp.ClientSession() as client:

        async def post(body: Any, headers: dict[str, str]) -> int:
            async with client.post(url, json=body, headers=headers) as answer:
                return answer.status

        assert await post(text_update(1), {}) == 403
        assert await post({"nonsense": 1}, secret) == 400
        with monkeypatch.context() as patch:

            async def fail(*_: Any, **__: Any) -> None:
                raise StoreUnavailable("disk full")

            patch.setattr(memory, "observe", fail)
            assert await post(text_update(1), secret) == 503
        assert await post(text_update(1), secret) == 200
        assert await post(text_update(1), secret) == 200
    stop.set()
    await serving
    await telegram_bot.settle()
    turn = replace(said(message=message(chat=ALONE)).turn, persona=0)
    assert len([one for one in await memory.recent(turn) if one.role == "user"]) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(("url", "listen"), [("http://x/y", "h:1"), ("https://x/y", "nonsense"), ("https://x", "h:p")])
async def test_a_webhook_needs_addresses_that_can_be_meant(make_intake: MakeIntake, url: str, listen: str) -> None:
    intake, _, _ = make_intake()
    with pytest.raises(InvalidInput):
        await serve(Bot(TOKEN), intake, asyncio.Event(), url=url, listen=listen)


@pytest.mark.asyncio
async def test_the_bot_starts_waits_for_telegram_and_stops(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, pauses, ready = asyncio.Event(), Pauses(), list[str]()
    script = Script(BROKEN, (200, BOT | {"id": 666}), (200, True), (200, True), (200, True), (200, []))
    monkeypatch.setattr(telegram, "make_bot", lambda *_: Bot(TOKEN, session=script))

    def started(how: str) -> None:
        ready.append(how)
        stop.set()

    def listener(_: Bot) -> Any:
        return None

    await telegram.run_telegram(
        memory, standin_model(), token=TOKEN, stop=stop, ready=started, pause=pauses, transcribe=listener
    )
    assert ready == ["@zgadka_bot, long polling"]
    assert pauses == [1.0]
    script.answers = [UNAUTHORIZED]
    with pytest.raises(SettingsError):
        await telegram.run_telegram(memory, standin_model(), token=TOKEN)
    script.answers = [BROKEN]
    await telegram.run_telegram(
        memory, standin_model(), token=TOKEN, stop=stop, pause=lambda _: asyncio.Event().wait()
    )  # stopped while Telegram could not be reached


@pytest.mark.asyncio
async def test_the_bot_can_be_a_webhook(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, ready = asyncio.Event(), list[str]()
    script = Script((200, BOT), (200, True))
    monkeypatch.setattr(telegram, "make_bot", lambda *_: Bot(TOKEN, session=script))

    def started(how: str) -> None:
        ready.append(how)
        stop.set()

    await telegram.run_telegram(
        memory,
        standin_model(),
        token=TOKEN,
        webhook="https://bot.example/hook",
        listen="127.0.0.1:0",
        stop=stop,
        ready=started,
    )
    assert ready[0].startswith("@zgadka_bot, webhook at 127.0.0.1:")


def test_without_its_packages_the_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zgadka.bots.telegram.wire", None)
    done = CliRunner().invoke(app, ["telegram", "--db", f"sqlite:///{tmp_path}/m.db"])
    assert isinstance(done.exception, MissingExtra)
    assert "pip install '.[telegram]'" in str(done.exception)


# In a dispatcher of one's own, with a tester that nobody here wrote


@pytest.mark.asyncio
async def test_the_bot_lives_in_a_dispatcher_of_ones_own(memory: Memory) -> None:
    dispatcher = aiogram.Dispatcher()
    tester = BotTester.from_dispatcher(dispatcher, token=TOKEN)
    bot = core.Bot(memory, AiogramWire(tester.bot_conversation.bot), standin_model())
    dispatcher.include_router(telegram.router(bot, ME))

    (await tester.start()).assert_contains("Hello!")
    await tester.send_message("I think I live in Lviv")
    question = next(one for one in tester.bot_conversation.bot_messages if one.buttons)
    assert [one.label for one in question.buttons] == ["✓ Save all", "✗ Skip all"]
    tester.bot_conversation.bot_messages.append(question)
    await tester.tap_button("✓ Save all")
    listed = await tester.send_command("memory")
    listed.assert_contains("You live in Lviv")
    forget = next(one.label for one in listed.buttons)
    await tester.tap_button(forget)
    asked = tester.bot_conversation.bot_messages[-1]
    asked.assert_contains("Delete?")
    await tester.tap_button(asked.buttons[0].label)
    (await tester.send_command("memory")).assert_contains("anything about you")
    await bot.close()


# A group that gets another id


@pytest.mark.parametrize("sender", [OLENA, BOT, None])
def test_a_group_that_becomes_a_supergroup_moves(sender: Any) -> None:
    old, new = {"id": -4, "type": "group", "title": "Friends"}, GROUP
    moved = Move(space="-4", into="-5")
    writer = {"from": sender, "sender_chat": old if sender is None else None}
    assert events(message=message(None, chat=old, migrate_to_chat_id=-5, **writer)) == [moved]
    assert events(message=message(None, chat=new, migrate_from_chat_id=-4, **writer)) == [moved]


@pytest.mark.asyncio
async def test_a_group_that_becomes_a_supergroup_keeps_its_memory(make_intake: MakeIntake, memory: Memory) -> None:
    intake, bot, _ = make_intake()
    old = {"id": -4, "type": "group", "title": "Friends"}
    place = {"platform": "telegram", "user": 1, "turn": "t"}
    await intake.take([update(1, message=message("a slip", chat=old, message_id=1))])
    await bot.settle()
    said_there = Turn(space="-4", chat="-4", message="1", **place)
    note = await memory.call("remember", {"content": "likes tea"}, said_there)
    await intake.take(
        [
            update(2, message=message("hello again", message_id=1)),  # the new group numbers its messages anew
            update(3, message=message(None, chat=old, message_id=2, migrate_to_chat_id=-5)),
            update(4, message=message(None, message_id=2, migrate_from_chat_id=-4)),
            update(5, edited_message=message("hello once more", message_id=1, edit_date=1_700_000_001)),
        ]
    )
    await bot.settle()
    turn = Turn(space="-5", chat="-5", **place)
    assert sorted(one.text for one in await memory.recent(turn)) == ["a slip", "hello once more"]
    found = await memory.call("recall", {"query": "tea"}, turn)
    assert [one["memory_id"] for one in found["memories"]] == [note["memory_id"]]


@pytest.mark.asyncio
async def test_a_bot_that_comes_back_is_there(make_intake: MakeIntake, memory: Memory) -> None:
    intake, bot, _ = make_intake()
    await intake.take([update(1, message=message("hello"))])
    await intake.take([update(2, my_chat_member=change(status="left", user=BOT))])
    later = datetime.fromtimestamp(1_800_000_000, UTC)
    assert await memory.look(lambda tx: len(tx.erasure.removed_before(later))) == 1
    await intake.take([update(3, my_chat_member=change(status="member", user=BOT))])
    await bot.settle()
    assert await memory.look(lambda tx: tx.erasure.removed_before(later)) == []
