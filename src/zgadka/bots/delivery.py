"""What the bots say, in the person's language and in order; what a platform refuses is logged and changes nothing."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, TypeVar

from zgadka.bots.buttons import consent_rows
from zgadka.bots.platform import Address, Command, Content, Platform, Press, Rows, Undelivered
from zgadka.bots.queues import Job, Queues
from zgadka.chat.questions import (
    build_consent_message,
    build_memory_confirm_keyboard,
    build_memory_confirm_message,
)
from zgadka.chat.sentences import question as asked
from zgadka.chat.sentences import rate_limited, span, why_not
from zgadka.errors import StoreError
from zgadka.locales import Language, language_of, text
from zgadka.log import logger
from zgadka.model.inference import Answered, SaveQuestion
from zgadka.model.people import Proposal
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.text.sanitize import preview
from zgadka.text.value_mentions import MentionIndex

_log = logger()

_REMEMBERED = 10_000
_SHOWN = 160
_COMMAND = re.compile(r"(?<![\w/<>])/(?=\w)")
_NO_LINK = "/\u2060"
_STATES = {"open": "•", "saved": "✓", "skipped": "✗", "superseded": "↻"}

_TROUBLES = {
    "privacy_restricted": "restricted",
    "limit_reached": "limit_reached",
    "queued": "queued",
    "busy": "busy",
    "error": "busy",
    "nothing_found": "nothing",
    "not_found": "not_found",
}
"""What is said where a tool did not do what the person asked for; of all else, the reason."""

_T = TypeVar("_T")
_V = TypeVar("_V")


class Recent(OrderedDict[str, _V], Generic[_V]):
    """A dictionary of the keys that were set last."""

    def __setitem__(self, key: str, value: _V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > _REMEMBERED:
            self.popitem(last=False)


class Delivery:
    """Sends through a platform.

    Args:
        undo_hours: For so long what was deleted can be taken back.
        now: Gives the time by the memory's clock.

    Attributes:
        languages: Of people's apps, by the platform's id.
    """

    def __init__(self, platform: Platform, undo_hours: int, now: Callable[[], Awaitable[datetime]]) -> None:
        self.platform = platform
        self._undo_hours = undo_hours
        self._now = now
        self._ahead = timedelta()
        self.queues = Queues()
        self.languages: Recent[Language] = Recent()

    def language(self, user: str, words: str) -> Language:
        """The language of the person's app, else that of the words."""
        return self.languages.get(user) or language_of(words)

    def escape(self, words: str) -> str:
        """People's words as plain text: what looks like a command of ours in them is no link."""
        escaped = self.platform.escape(words)
        return _COMMAND.sub(_NO_LINK, escaped) if self.platform.links_commands else escaped

    def shown(self, words: str) -> str:
        """People's words on one line, cut, and as plain text."""
        return self.escape(preview(words, _SHOWN))

    # What is sent

    def send(self, address: Address, content: Content) -> None:
        """Send a message, after what is sent there already."""
        self.put(address, partial(self.send_now, address, content))

    def put(self, address: Address, job: Job) -> None:
        """Do a job after what is sent there already."""
        self.queues.put(_key(address.chat or address.user, address.thread), job)

    async def send_now(self, address: Address, content: Content) -> None:
        """Send a message from a job."""
        await self._show(self.platform.send, address, content)

    def edit(self, address: Address, message: str, content: Content) -> None:
        """Replace a message of the bot's."""
        self._put(_key(address.chat, address.thread), self.platform.edit, address, message, content)

    async def react_now(self, address: Address, message: str) -> None:
        """Mark a person's message from a job."""
        await self._deliver(self.platform.react, address, message)

    def reply(self, event: Command | Press, content: Content) -> None:
        """Answer a command or a press."""
        self.queues.put(self._reply_key(event), partial(self._show, self.platform.reply, event, content))

    def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        """Answer a command with a file."""
        self._put(self._reply_key(command), self.platform.send_file, command, name, content, caption)

    def notify(self, press: Press, words: str = "", *, loud: bool = False) -> None:
        """Acknowledge a press."""
        self._put(f"press:{press.turn.turn}", self.platform.notify, press, words, loud=loud)

    def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        """Replace the message with the button."""
        self._put(f"press:{press.turn.chat}", self.platform.replace, press, content, personal=personal)

    def close(self, press: Press, words: str, rows: Rows = ()) -> None:
        """Say what became of it, and leave the buttons that are given; the words above them stay."""
        self.notify(press, words)
        self.replace(press, Content(text="\n\n".join(part for part in (press.text, words) if part), rows=rows))

    def _reply_key(self, event: Command | Press) -> str:
        if self.platform.whispers:  # nobody should wait for a model that answers somebody else
            return f"person:{event.turn.user_key}"
        return _key(event.turn.chat, event.turn.thread)

    def _put(self, key: str, send: Callable[..., Awaitable[datetime | None]], *args: object, **options: object) -> None:
        self.queues.put(key, partial(self._deliver, send, *args, **options))

    async def _deliver(
        self, send: Callable[..., Awaitable[datetime | None]], *args: object, **options: object
    ) -> datetime | None:
        try:
            return await send(*args, **options)
        except Undelivered as error:
            _log.warning("%s does not take a message: %s", self.platform.name, error)
            return None

    async def _show(
        self, send: Callable[[_T, Content], Awaitable[datetime | None]], target: _T, content: Content
    ) -> None:
        """Send a message; where it asks, note by how much the memory's clock is ahead of the platform's."""
        sent_at = await self._deliver(send, target, content)
        if content.rows and sent_at is not None:
            with suppress(StoreError):  # the last difference is as good
                self._ahead = await self._now() - sent_at

    def by_our_clock(self, turn: Turn) -> Turn:
        """The turn with its time by the memory's clock: the platform tells when an answer to a question was written."""
        return turn if turn.time is None else replace(turn, time=turn.time + self._ahead)

    # What several of the bot's parts say

    def question(self, question: SaveQuestion, *, again: bool = False) -> Content:
        """A question about uncertain memories; `again`: as a reminder."""
        items = dict(question.asked_items)
        language = self.language(
            question.turn.user_key, " ".join(item.excerpt or item.value for item in items.values())
        )
        words = build_memory_confirm_message(items, language, escape=self.shown)
        if again:
            left = question.expires_at - (question.reminded_at or question.asked_at)
            reminder = text(language, "chat.uncertain.reminder", span=span(int(left.total_seconds()), language))
            words = f"{reminder}\n\n{words}"
        return Content(
            text=words,
            rows=build_memory_confirm_keyboard(question, language),
            pings=again,
        )

    def answered(self, answered: Answered, language: Language) -> str:
        """What became of an answer to such a question."""
        return text(language, f"chat.uncertain.{answered.status}", reason=why_not(answered.cause, language))

    def question_state(self, answered: Answered, language: Language) -> Content:
        """How the question looks after an answer: what is still open, or what became of each item."""
        words, question = self.answered(answered, language), answered.question
        if question is None:
            return Content(text=words)
        if question.open_items:
            return self.question(question)
        lines = [
            f"{_STATES[entry.state]} {asked(entry.item.key, self.shown(entry.item.value), language)}"
            for entry in question.items
        ]
        return Content(text="\n".join([*lines, "", words]))

    def proposal(self, user: str, proposal: Proposal) -> Content:
        """A question for consent."""
        contents = " ".join(change.after or change.before or "" for change in proposal.changes)
        language = self.language(user, contents)
        words = build_consent_message(proposal, language, escape=self.escape, undo_hours=self._undo_hours)
        return Content(text=words, rows=consent_rows(user, proposal, language))

    def trouble(self, result: ToolResult, language: Language) -> str:
        """Why a tool did not do what the person asked for."""
        if result.status == "rate_limited":
            return rate_limited(result, language)
        if (key := _TROUBLES.get(result.status)) is not None:
            return text(language, f"bots.{key}")
        return text(language, "bots.refused", reason=why_not(result.get("reason", result.status), language))

    def undo_command(self, memory_id: int) -> str:
        """The command that takes back the last change of a memory; a link where the platform makes one of it."""
        return f"/undo{'_' if self.platform.links_commands else ' '}{memory_id}"

    def take_back(self, memory_ids: Iterable[int | str], language: Language) -> str:
        """How to take back the deletion of memories, and until when; nothing where it cannot be: no message's can."""
        commands = [self.undo_command(memory_id) for memory_id in memory_ids if isinstance(memory_id, int)]
        if not commands or not self._undo_hours:
            return ""
        return text(language, "bots.take_back", count=self._undo_hours, undo=", ".join(commands))

    def _way_back(self, memory_ids: Iterable[int | str], language: Language) -> str:
        """Whether what is to be deleted can be taken back, and for how long: no message can."""
        are_messages = {isinstance(memory_id, str) for memory_id in memory_ids}
        if not self._undo_hours or are_messages == {True}:
            return text(language, "bots.no_way_back")
        sentences = [text(language, "bots.way_back", count=self._undo_hours)]
        sentences += [text(language, "bots.messages_have_none")] if True in are_messages else []
        return " ".join(sentences)

    def is_unsaid(self, result: ToolResult, worded: ToolResult, answer: str) -> bool:
        """Whether a model was told to ask whether to delete, and its answer does not name what goes.

        A person who agrees has to know what to.

        Args:
            worded: The same as the person reads it.
        """
        said, awaiting = MentionIndex([(0, answer)]), result.get("awaiting", ())
        rows = zip(awaiting, worded.get("awaiting", ()), strict=True)
        return not awaiting or not all(said.of(row["content"]) or said.of(told["content"]) for row, told in rows)

    def deletion(self, turn: Turn, result: ToolResult, language: Language, *, names_it: bool = True) -> str:
        """What became of a deletion, or the question whether to delete.

        Args:
            turn: In which it is asked or answered: a whole profile is deleted as far as it is seen there.
            names_it: Whether to show what was deleted.
        """
        match result.status:
            case "confirmation_required" if awaiting := result.get("awaiting", ()):
                lines = [f"ID:{item['memory_id']} {self.shown(item['content'])}" for item in awaiting]
                way_back = self._way_back([item["memory_id"] for item in awaiting], language)
                return "\n".join([text(language, "bots.confirm", way_back=way_back), *lines])
            case "confirmation_required":
                key = "bots.confirm_all" if turn.direct else "bots.confirm_all_here"
                return text(language, key, way_back=self._way_back((), language))
            case "deleted":
                deleted = result.get("deleted", ())
                lines = [text(language, "bots.deleted_text", text=self.shown(item["content"])) for item in deleted]
                if not deleted:
                    lines = [text(language, "bots.deleted_all" if turn.direct else "bots.deleted_all_here")]
                elif not names_it:
                    lines = [text(language, "bots.deleted")]
                memory_ids = [item["memory_id"] for item in deleted] or result.get("memory_ids", ())[:1]
                return "\n".join(filter(None, [*lines, self.take_back(memory_ids, language)]))
            case _:
                return self.trouble(result, language)


def _key(chat: str | None, thread: str | None) -> str:
    return f"{chat}/{thread or ''}"
