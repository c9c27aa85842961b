"""From Telegram's updates to events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from aiogram.enums import ChatType, MessageEntityType
from aiogram.types import (
    CallbackQuery,
    ChatMemberUnion,
    ChatMemberUpdated,
    MaybeInaccessibleMessageUnion,
    MessageEntity,
    MessageOriginUser,
    Update,
    User,
)
from aiogram.types import Message as TelegramMessage

from zgadka.bots.platform import (
    LEFT_OUT,
    Command,
    Deletion,
    Event,
    Membership,
    Message,
    Move,
    Presence,
    Press,
    Titles,
    as_read_by,
    quote,
)
from zgadka.bots.telegram import PLATFORM
from zgadka.locales import Language, as_language
from zgadka.model.people import Member, Title
from zgadka.model.turn import Turn

_ANY_COMMAND = re.compile(r"/[a-z]\w*(?:@\w+)?(?:\s|$)", re.ASCII | re.IGNORECASE)
_UNDO = re.compile(r"undo_(\d{1,16})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Me:
    """The bot's own account."""

    id: int
    username: str


@dataclass(frozen=True)
class PressedMessage:
    """The press that Telegram wants to be answered, and the message with the button."""

    query: str
    message: int


def events_of(update: Update, me: Me, *, persona: int = 0) -> Iterator[Event]:
    """Yield what an update says, in order; nothing for what is not a person's."""
    turn_id = f"update:{me.id}:{update.update_id}"
    if update.message is not None:
        yield from _message_events(update.message, me, turn_id, persona, edited=False)
    elif update.edited_message is not None:
        yield from _message_events(update.edited_message, me, turn_id, persona, edited=True)
    elif update.callback_query is not None:
        yield from _press_events(update.callback_query, f"press:{turn_id}:{update.callback_query.id}", persona)
    elif (changed := update.chat_member or update.my_chat_member) is not None:
        yield from _membership_events(changed)
        if update.my_chat_member is not None and changed.chat.type != ChatType.PRIVATE:
            yield Presence(space=str(changed.chat.id), is_here=not _is_gone(changed.new_chat_member))


def chat_of(update: Update) -> int:
    """The chat in which updates have to be taken in order; 0 for what has none."""
    query = update.callback_query
    holder = update.message or update.edited_message or update.chat_member or update.my_chat_member
    holder = holder or (query.message if query is not None else None)
    return holder.chat.id if holder is not None else 0


def _message_events(message: TelegramMessage, me: Me, turn_id: str, persona: int, *, edited: bool) -> Iterator[Event]:
    writer, chat = message.from_user, message.chat
    # Telegram says it twice, in the old group and in the new one.
    if message.migrate_to_chat_id is not None:
        yield Move(space=str(chat.id), into=str(message.migrate_to_chat_id))
        return
    if message.migrate_from_chat_id is not None:
        yield Move(space=str(message.migrate_from_chat_id), into=str(chat.id))
        return
    if chat.type == ChatType.CHANNEL or writer is None or message.sender_chat is not None:
        return  # a channel or a group speaks, nobody in particular
    if chat.type != ChatType.PRIVATE:
        yield from _group_events(message, writer, edited=edited)
    if writer.is_bot:
        return
    origin = message.forward_origin
    turn = replace(
        _turn(message, writer, turn_id, persona),
        message=_key(message, me, persona),
        time=message.date.astimezone(UTC),
        forwards=origin.sender_user.id if isinstance(origin, MessageOriginUser) else None,
    )
    is_borrowed = origin is not None or message.via_bot is not None or message.is_automatic_forward
    text, own_text, names_bot = _words(message, me)
    command = None if is_borrowed else _command(text, me, edited=edited)
    if command is None and text.startswith("/") and not is_borrowed:
        if edited and _ANY_COMMAND.match(text):  # it says nothing of anybody by now
            yield Deletion(turns=(turn,))
        if not edited or _ANY_COMMAND.match(text):
            return  # another bot's: said to a bot
    replied = message.reply_to_message
    if replied is not None and replied.forum_topic_created is not None:
        replied = None  # every message of a topic "replies" to its beginning
    answers_bot = replied is not None and replied.from_user is not None and replied.from_user.id == me.id
    about = None
    if replied is not None and not answers_bot:
        about = replace(turn, message=_key(replied, me, persona), time=replied.date.astimezone(UTC))
    if command is not None:
        yield Command(
            turn=turn,
            name=command[0],
            argument=command[1],
            language=_language(writer),
            answers=_buttons(replied) if answers_bot else (),
            replied_to=str(replied.message_id) if replied is not None and answers_bot else None,
            about=about,
            replied_text=_text_by(replied, me.id, writer.id),
        )
        return
    has_words = bool(text or message.voice)
    if replied is not None and not answers_bot:
        turn = replace(turn, replies_to=_key(replied, me, persona))
    yield Message(
        turn=turn,
        text=quote(text) if is_borrowed else text,
        own_text="" if is_borrowed else own_text,
        language=_language(writer),
        edited=edited,
        to_bot=not is_borrowed and (names_bot or (has_words and (turn.direct or answers_bot))),
        voice=message.voice.file_id if message.voice is not None else None,
        borrowed=bool(is_borrowed),
        answers=_buttons(replied) if answers_bot else (),
        replied_to=str(replied.message_id) if replied is not None and answers_bot else None,
        replied_text=_text_by(replied, me.id),
        to_another=not names_bot and (_is_of_another(replied, writer, me) or _names_another(message, me)),
    )


def _key(message: TelegramMessage, me: Me, persona: int) -> str:
    """The message's id.

    Telegram numbers the messages of a private chat and of a basic group for each account, so that each bot knows other
    numbers there; those of a supergroup are the same for everybody.
    """
    if message.chat.type != ChatType.SUPERGROUP:
        return f"{message.message_id}@{me.id}"
    return as_read_by(persona, message.message_id)


def _group_events(message: TelegramMessage, writer: User, *, edited: bool) -> Iterator[Event]:
    """Who is there, and what the group is called."""
    if not edited:  # else they may have left since
        members = [_member(writer), *map(_member, message.new_chat_members or ())]
        if message.left_chat_member is not None:
            members.append(_member(message.left_chat_member, left_at=message.date.astimezone(UTC)))
        yield Membership(space=str(message.chat.id), members=tuple(members), roles_known=False)
    yield from _titles(message)


def _is_of_another(replied: TelegramMessage | None, writer: User, me: Me) -> bool:
    """Whether a message that is replied to is neither the bot's nor the writer's own."""
    author = None if replied is None else replied.from_user
    return author is not None and author.id not in (me.id, writer.id)


def _names_another(message: TelegramMessage, me: Me) -> bool:
    text = message.text or message.caption or ""
    entities = message.entities or message.caption_entities or ()
    names = [
        entity for entity in entities if entity.type in (MessageEntityType.MENTION, MessageEntityType.TEXT_MENTION)
    ]
    return any(not _is_name_of(entity, entity.extract_from(text), me) for entity in names)


def _press_events(query: CallbackQuery, turn_id: str, persona: int) -> Iterator[Event]:
    message = query.message
    if message is None or query.data is None:
        return
    shown = message if isinstance(message, TelegramMessage) else None
    yield Press(
        turn=_turn(message, query.from_user, turn_id, persona),
        data=query.data,
        text=(shown.text if shown is not None else None) or "",
        buttons=_buttons(shown),
        language=_language(query.from_user),
        source=PressedMessage(query.id, message.message_id),
    )


def _membership_events(changed: ChatMemberUpdated) -> Iterator[Event]:
    if changed.chat.type in (ChatType.PRIVATE, ChatType.CHANNEL):
        return
    current = changed.new_chat_member
    is_gone = _is_gone(current)
    role = current.status if current.status in ("creator", "administrator") else None
    member = _member(current.user, role=role, left_at=changed.date.astimezone(UTC) if is_gone else None)
    yield Membership(space=str(changed.chat.id), members=(member,))
    if changed.chat.title and not is_gone:
        yield Titles(space=str(changed.chat.id), titles=(Title(text=changed.chat.title),))


def _titles(message: TelegramMessage) -> Iterator[Titles]:
    """What the group is called, and the topic that the message begins or renames."""
    space = str(message.chat.id)
    titles = [Title(text=message.chat.title)] if message.chat.title else []
    topic = message.forum_topic_created or message.forum_topic_edited
    if topic is not None and topic.name and message.message_thread_id is not None:
        titles.append(Title(chat=space, thread=str(message.message_thread_id), text=topic.name))
    if titles:
        yield Titles(space=space, titles=tuple(titles))


def _is_gone(member: ChatMemberUnion) -> bool:
    return member.status in ("left", "kicked") or not getattr(member, "is_member", True)


def _turn(message: MaybeInaccessibleMessageUnion, user: User, turn_id: str, persona: int) -> Turn:
    thread = message.message_thread_id if isinstance(message, TelegramMessage) and message.is_topic_message else None
    return Turn(
        platform=PLATFORM,
        space=str(message.chat.id),
        chat=str(message.chat.id),
        user=user.id,
        turn=turn_id,
        thread=None if thread is None else str(thread),
        persona=persona,
        direct=message.chat.type == ChatType.PRIVATE,
    )


def _member(user: User, *, role: str | None = None, left_at: datetime | None = None) -> Member:
    return Member(
        user=str(user.id),
        number=user.id,
        name=user.full_name,
        nickname=user.username,
        kind="bot" if user.is_bot else "person",
        role=role,
        left_at=left_at,
    )


def _language(user: User) -> Language | None:
    return as_language((user.language_code or "").partition("-")[0])


def _words(message: TelegramMessage, me: Me) -> tuple[str, str, bool]:
    """The message's text, what of it is the writer's own, and whether it names the bot.

    The bot's name is in neither; lines that quote begin with `> ` and are not the writer's own. Neither are code and
    what is struck out; a mark stands where they were, so that the words around do not become a sentence of their own.
    """
    text = message.text or message.caption or ""
    marked = text.encode("utf-16-le")  # entities count in UTF-16
    full_text: list[str] = []
    own: list[str] = []
    at, names_bot = 0, False
    entities = message.entities or message.caption_entities or ()
    for entity in sorted(entities, key=lambda entity: (entity.offset, -entity.length)):
        start, end = entity.offset * 2, (entity.offset + entity.length) * 2
        if start < at:
            continue
        inside = marked[start:end].decode("utf-16-le", "replace")
        is_name = _is_name_of(entity, inside, me)
        if entity.type in _QUOTES:
            read, written = quote(inside), ""
        elif entity.type in _NOT_SAID:
            read, written = inside, LEFT_OUT
        elif is_name:
            read, written = "", ""
        else:
            continue
        between = marked[at:start].decode("utf-16-le", "replace")
        full_text += [between, read]
        own += [between, written]
        names_bot = names_bot or is_name
        at = end
    tail = marked[at:].decode("utf-16-le", "replace")
    return "".join([*full_text, tail]).strip(), "".join([*own, tail]).strip(), names_bot


_QUOTES = (MessageEntityType.BLOCKQUOTE, MessageEntityType.EXPANDABLE_BLOCKQUOTE)
_NOT_SAID = (MessageEntityType.PRE, MessageEntityType.CODE, MessageEntityType.STRIKETHROUGH)


def _is_name_of(entity: MessageEntity, inside: str, me: Me) -> bool:
    if entity.type == MessageEntityType.MENTION:
        return inside.lower() == f"@{me.username}".lower()
    return entity.type == MessageEntityType.TEXT_MENTION and entity.user is not None and entity.user.id == me.id


def _command(text: str, me: Me, *, edited: bool) -> tuple[str, str] | None:
    """The command and what follows it; None for a message, and for a command to another bot.

    Of those that are edited only what is to be remembered counts: it is the source of that.

    `/undo_24` is `/undo 24`: an app makes a link of a command, but not of what follows it.
    """
    head, _, argument = text.partition(" ")
    head, _, line = head.partition("\n")
    name, _, bot = head.removeprefix("/").partition("@")
    if not text.startswith("/") or not name.isidentifier() or bot.lower() not in ("", me.username.lower()):
        return None
    if edited and name.lower() != "remember":
        return None
    if (undo := _UNDO.fullmatch(name)) is not None:
        return "undo", undo[1]
    return name.lower(), f"{line} {argument}".strip()


def _text_by(message: TelegramMessage | None, *users: int) -> str:
    """What a message says that one of these wrote."""
    is_theirs = message is not None and message.from_user is not None and message.from_user.id in users
    return (message.text or "") if message is not None and is_theirs else ""


def _buttons(message: TelegramMessage | None) -> tuple[str, ...]:
    rows = message.reply_markup.inline_keyboard if message is not None and message.reply_markup is not None else ()
    return tuple(button.callback_data for row in rows for button in row if button.callback_data)
