"""A channel's, a thread's or a direct chat's history as DiscordChatExporter writes it (JSON)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from zgadka.bots.discord import PLATFORM
from zgadka.model.people import Member
from zgadka.model.turn import Turn, person_number
from zgadka.text.quoted_lines import own_lines
from zgadka.transfer.external.chat_history import Past, PastChat
from zgadka.transfer.external.entries import Json, fields_of, list_in

_WRITTEN = ("Default", "Reply")
_ID = re.compile(r"[1-9]\d{0,18}")
_MENTION = re.compile(r"<@!?(\d+)>")


def discord_chats(exported: Json) -> list[PastChat] | None:
    """The one chat of an export; None when it is no export of DiscordChatExporter."""
    channel = fields_of(exported.get("channel"))
    if not (isinstance(exported.get("guild"), dict) and isinstance(exported.get("messages"), list)):
        return None
    if not _ID.fullmatch(str(channel.get("id"))) or not isinstance(channel.get("type"), str):
        return None
    return [
        _chat(fields_of(exported["guild"]), channel, [fields_of(message) for message in list_in(exported, "messages")])
    ]


def _chat(server: Json, channel: Json, written: list[Json]) -> PastChat:
    is_direct = channel["type"] == "DirectTextChat"
    members: dict[str, Member] = {}
    for message in written:
        member = _member(message.get("author"))
        if member is not None:
            members[member.user] = member
    is_with_bot = any(member.kind == "bot" for member in members.values())
    messages: list[Past] = []
    for message in written:
        author = _member(message.get("author"))
        if author is None or (is_direct and author.kind == "bot"):
            continue
        past = _message(_where(server, channel, author.user, is_with_bot=is_with_bot), message, author.user)
        if past is not None:
            messages.append(past)
    present = () if is_direct else tuple(members.values())
    return PastChat(platform=PLATFORM, space=_space(server, channel), members=present, messages=tuple(messages))


def _where(server: Json, chat_channel: Json, user: str, *, is_with_bot: bool) -> dict[str, Any]:
    channel = str(chat_channel["id"])
    if chat_channel["type"] == "DirectTextChat":
        # What was said alone with somebody is seen in nobody's server: it is each one's own direct chat.
        return {"space": user, "chat": channel if is_with_bot else f"export-{channel}", "direct": True}
    if chat_channel["type"] == "GuildPrivateThread":  # it has other readers than its channel
        return {"space": _space(server, chat_channel), "chat": channel, "audience": f"thread:{channel}"}
    chat = _chat_id(chat_channel)
    return {"space": _space(server, chat_channel), "chat": chat} | ({} if chat == channel else {"thread": channel})


def _space(server: Json, channel: Json) -> str:
    """As a live bot has it; who reads a channel, the export does not say."""
    if not _ID.fullmatch(str(server.get("id"))):  # of direct chats, the exporter writes 0
        return str(channel["id"])
    return str(server["id"])


def _chat_id(channel: Json) -> str:
    parent = str(channel.get("categoryId"))
    return parent if "Thread" in channel["type"] and _ID.fullmatch(parent) else str(channel["id"])


def _member(author: object) -> Member | None:
    fields = fields_of(author)
    user, name, nickname = str(fields.get("id")), fields.get("name"), fields.get("nickname")
    if not _ID.fullmatch(user):
        return None
    return Member(
        user=user,
        number=person_number(PLATFORM, user),
        name=name if isinstance(name, str) else None,
        nickname=nickname if isinstance(nickname, str) and nickname != name else None,
        kind="bot" if fields.get("isBot") is True else "person",  # webhooks too
    )


def _message(location: Json, message: Json, user: str) -> Past | None:
    number = str(message.get("id"))
    if not _ID.fullmatch(number) or message.get("type") not in _WRITTEN:
        return None
    written = _text(message, message.get("content"))
    forwarded = _text(message, fields_of(message.get("forwardedMessage")).get("content"))
    quoted = [f"> {line}" for line in forwarded.split("\n") if line]
    text = "\n".join([written, *quoted] if written else quoted)
    if not text:
        return None
    turn = Turn(platform=PLATFORM, user=user, message=number, time=_time(message.get("timestamp")), **location)
    # Without a snowflake's last bits, which hardly ever tell two messages apart, it is as small as ids must be.
    return Past(number=int(number) >> 10, turn=turn, text=text, own_text=own_lines(written))


def _text(message: Json, content: object) -> str:
    named = map(_member, list_in(message, "mentions"))
    names = {member.user: f"@{member.nickname or member.name}" for member in named if member is not None}
    text = content if isinstance(content, str) else ""
    return _MENTION.sub(lambda match: names.get(match[1], match[0]), text).strip()


def _time(stamp: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(stamp))
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
