"""A channel's, a thread's or a direct chat's history as DiscordChatExporter writes it (JSON)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from zgadka.adapters.discord_text import PLATFORM, own_words
from zgadka.adapters.history import Past, PastChat
from zgadka.model.people import Member
from zgadka.model.turn import Turn, person_number

_WRITTEN = ("Default", "Reply")
_ID = re.compile(r"[1-9]\d{0,18}")
_MENTION = re.compile(r"<@!?(\d+)>")

_Json = Mapping[str, Any]


def discord_chats(exported: _Json) -> list[PastChat] | None:
    """The one chat of an export; None when it is no export of DiscordChatExporter."""
    guild, channel, messages = exported.get("guild"), exported.get("channel"), exported.get("messages")
    if not (isinstance(guild, dict) and isinstance(channel, dict) and isinstance(messages, list)):
        return None
    server, place = cast("_Json", guild), cast("_Json", channel)
    if not _ID.fullmatch(str(place.get("id"))) or not isinstance(place.get("type"), str):
        return None
    written = [cast("_Json", one) for one in cast("list[Any]", messages) if isinstance(one, dict)]
    return [_chat(server, place, written)]


def _chat(server: _Json, place: _Json, written: list[_Json]) -> PastChat:
    is_direct = place["type"] == "DirectTextChat"
    members: dict[str, Member] = {}
    for one in written:
        member = _member(one.get("author"))
        if member is not None:
            members[member.user] = member
    is_with_bot = any(member.kind == "bot" for member in members.values())
    messages: list[Past] = []
    for one in written:
        author = _member(one.get("author"))
        if author is None or (is_direct and author.kind == "bot"):
            continue
        past = _message(_where(server, place, author.user, is_with_bot=is_with_bot), one, author.user)
        if past is not None:
            messages.append(past)
    space = str(place["id"]) if _is_alone(server) else str(server["id"])
    present = () if is_direct else tuple(members.values())
    return PastChat(platform=PLATFORM, space=space, members=present, messages=tuple(messages))


def _is_alone(server: _Json) -> bool:
    return not _ID.fullmatch(str(server.get("id")))  # of direct chats, the exporter writes 0


def _where(server: _Json, place: _Json, user: str, *, is_with_bot: bool) -> dict[str, Any]:
    channel, parent = str(place["id"]), str(place.get("categoryId"))
    if place["type"] == "DirectTextChat":
        # What was said alone with somebody is seen in nobody's server: it is each one's own direct chat.
        return {"space": user, "chat": channel if is_with_bot else f"export-{channel}", "direct": True}
    space = channel if _is_alone(server) else str(server["id"])
    if "Thread" in place["type"] and _ID.fullmatch(parent):
        return {"space": space, "chat": parent, "thread": channel}
    return {"space": space, "chat": channel}


def _member(author: object) -> Member | None:
    if not isinstance(author, dict):
        return None
    given = cast("_Json", author)
    user, name, nickname = str(given.get("id")), given.get("name"), given.get("nickname")
    if not _ID.fullmatch(user):
        return None
    return Member(
        user=user,
        number=person_number(PLATFORM, user),
        name=name if isinstance(name, str) else None,
        nickname=nickname if isinstance(nickname, str) and nickname != name else None,
        kind="bot" if given.get("isBot") is True else "person",  # webhooks too
    )


def _message(where: _Json, message: _Json, user: str) -> Past | None:
    number = str(message.get("id"))
    if not _ID.fullmatch(number) or message.get("type") not in _WRITTEN:
        return None
    written = _text(message, message.get("content"))
    forwarded = message.get("forwardedMessage")
    quoted: list[str] = []
    if isinstance(forwarded, dict):
        borrowed = _text(message, cast("_Json", forwarded).get("content"))
        quoted = [f"> {line}" for line in borrowed.split("\n") if line]
    text = "\n".join([written, *quoted] if written else quoted)
    if not text:
        return None
    turn = Turn(platform=PLATFORM, user=user, message=number, time=_time(message.get("timestamp")), **where)
    # Without a snowflake's last bits, which hardly ever tell two messages apart, it is as small as ids must be.
    return Past(number=int(number) >> 10, turn=turn, text=text, own_text=own_words(written))


def _text(message: _Json, content: object) -> str:
    mentions = message.get("mentions")
    named = [_member(one) for one in cast("list[object]", mentions)] if isinstance(mentions, list) else []
    names = {member.user: f"@{member.nickname or member.name}" for member in named if member is not None}
    text = content if isinstance(content, str) else ""
    return _MENTION.sub(lambda found: names.get(found[1], found[0]), text).strip()


def _time(stamp: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(stamp))
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
