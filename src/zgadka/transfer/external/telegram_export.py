"""Telegram Desktop's JSON export (`result.json`), of one chat or of all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from zgadka.bots.platform import LEFT_OUT
from zgadka.bots.telegram import PLATFORM
from zgadka.model.inference import EXPORTED
from zgadka.model.people import Member
from zgadka.model.turn import Turn
from zgadka.transfer.external.chat_history import Past, PastChat
from zgadka.transfer.external.entries import Json, fields_of, list_in, moment

_GROUPS = {"private_group": "-{}", "private_supergroup": "-100{}", "public_supergroup": "-100{}"}
"""The kinds of groups, and what their ids are for bots."""
_ALONE = ("personal_chat", "bot_chat", "saved_messages")
_USER = re.compile(r"user([1-9]\d{0,15})")
_QUOTES = ("blockquote", "expandable_blockquote")
_NOT_SAID = ("pre", "code", "strikethrough")


def telegram_chats(exported: Json) -> list[PastChat] | None:
    """The chats of an export, without channels; None when it is no export of Telegram Desktop."""
    if _is_chat(exported):
        return _chats([exported])
    if not isinstance(fields_of(exported.get("chats")).get("list"), list):
        return None
    listed = [chat for name in ("chats", "left_chats") for chat in list_in(exported.get(name), "list")]
    return _chats(filter(_is_chat, listed))


def _is_chat(value: object) -> bool:
    chat = fields_of(value)
    return isinstance(chat.get("messages"), list) and type(chat.get("id")) is int and isinstance(chat.get("type"), str)


def _chats(chats: Iterable[Json]) -> list[PastChat]:
    return [_chat(chat) for chat in chats if chat["type"] in _GROUPS or chat["type"] in _ALONE]


def _chat(chat: Json) -> PastChat:
    written = [fields_of(message) for message in list_in(chat, "messages")]
    bots = {user for message in written if "inline_bot_buttons" in message and (user := _user(message)) is not None}
    if chat["type"] == "bot_chat":
        bots.add(chat["id"])
    names: dict[int, str | None] = {}
    messages: list[Past] = []
    for message in written:
        user = _user(message)
        if user is None or message.get("type") != "message":
            continue
        name = message.get("from")
        names[user] = name if isinstance(name, str) else names.get(user)
        past = _message(chat, message, user)
        if past is not None and (user not in bots or chat["type"] in _GROUPS):
            messages.append(past)
    if chat["type"] not in _GROUPS:
        return PastChat(platform=PLATFORM, space=str(chat["id"]), messages=tuple(messages))
    members = [
        Member(user=str(user), number=user, name=name, kind="bot" if user in bots else "person")
        for user, name in names.items()
    ]
    space = _GROUPS[chat["type"]].format(chat["id"])
    return PastChat(platform=PLATFORM, space=space, members=tuple(members), messages=tuple(messages))


def _user(message: Json) -> int | None:
    """Who wrote it; None for a channel, a group and a deleted account."""
    match = _USER.fullmatch(str(message.get("from_id")))
    return int(match[1]) if match else None


def _message(chat: Json, message: Json, user: int) -> Past | None:
    number = message.get("id")
    if type(number) is not int or number < 1:
        return None
    text, own_text = _words(message)
    if not text.strip() or text.startswith("/"):  # a command is said to a bot, of nobody
        return None
    is_borrowed = any(message.get(name) is not None for name in ("forwarded_from", "forwarded_from_id", "via_bot"))
    origin = _USER.fullmatch(str(message.get("forwarded_from_id")))
    text = _quoted(text) if is_borrowed else text
    kind = chat["type"]
    # What was said alone with somebody is seen in nobody's group: it is each one's own direct chat. Only a
    # supergroup's message ids are the same for everybody; others must not be taken for ids that a bot sees.
    space = _GROUPS[kind].format(chat["id"]) if kind in _GROUPS else str(user)
    turn = Turn(
        platform=PLATFORM,
        space=space,
        chat=space if kind in _GROUPS or kind == "bot_chat" else f"export-{chat['id']}",
        user=user,
        direct=kind not in _GROUPS,
        forwards=int(origin[1]) if origin else None,
        message=str(number) if space.startswith("-100") else f"{EXPORTED}{chat['id']}-{number}",
        time=_time(message),
    )
    return Past(number=number, turn=turn, text=text, own_text="" if is_borrowed else own_text)


def _words(message: Json) -> tuple[str, str]:
    """The text, and what of it the person wrote themselves; lines that quote begin with `> `."""
    content = message.get("text_entities") or message.get("text") or ""
    parts = cast("list[Any]", content) if isinstance(content, list) else [content]
    full: list[str] = []
    own: list[str] = []
    for part in parts:
        entity = {"text": part} if isinstance(part, str) else fields_of(part)
        text = str(entity.get("text", ""))
        if entity.get("type") in _QUOTES:
            full.append(_quoted(text))
        else:
            full.append(text)
            own.append(LEFT_OUT if entity.get("type") in _NOT_SAID else text)
    return "".join(full).strip(), "".join(own).strip()


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _time(message: Json) -> datetime | None:
    stamp = str(message.get("date_unixtime", ""))
    return moment(int(stamp) if stamp.isdecimal() and len(stamp) <= 11 else message.get("date"))
