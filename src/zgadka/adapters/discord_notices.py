"""What the engine tells after a commit, as embeds and questions: to the person alone, or to the channel it is about."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import discord

from zgadka.adapters.discord_text import (
    PLATFORM,
    TEXTS,
    consent_buttons,
    consent_pieces,
    fitting,
    question_text,
    shown,
)
from zgadka.adapters.discord_translate import channel_of, language_of_locale, view_of
from zgadka.chat.consent import words_of
from zgadka.chat.intents import Language
from zgadka.chat.questions import build_memory_confirm_keyboard
from zgadka.chat.understand import language_of
from zgadka.engine import Memory
from zgadka.log import brief, logger
from zgadka.model.inference import SaveQuestion
from zgadka.model.notice import Notice
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

MEMORY_UPDATE = 0xFFBF00
"""Amber: a memory was changed."""

ERROR = 0xE74C3C
"""Red: a memory is gone."""

_log = logger()

_TOLD = ("updated", "hidden", "deleted")
_LINES = 10


class Outbox:
    """Sends what notices say, in order, one after another; what cannot be sent is logged and changes nothing."""

    def __init__(self, client: discord.Client, memory: Memory) -> None:
        self._client = client
        self._memory = memory
        self._waiting: list[Notice] = []
        self._sending: asyncio.Task[None] | None = None
        self._answering: dict[str, discord.Interaction[Any]] = {}
        self._context = copy_context()

    def begin(self) -> None:
        """Send in the caller's context from now on: notices come without one, and the library keeps things there."""
        self._context = copy_context()

    def put(self, notice: Notice) -> None:
        """Take a notice; must not block."""
        is_answer = notice.turn is None and notice.personal and notice.actor in self._answering  # by `/undo`, `/share`
        if notice.what in (*_TOLD, "asked") and not is_answer:
            self._waiting.append(notice)
            if self._sending is None:
                loop = asyncio.get_running_loop()
                self._sending = loop.create_task(self._send_all(), name="zgadka-notices", context=self._context)

    async def delivered(self) -> None:
        """Return when all that was taken has been sent."""
        while self._sending is not None:
            await asyncio.shield(self._sending)

    @contextmanager
    def answering(self, interaction: discord.Interaction[Any]) -> Generator[None]:
        """While a person's command or press is answered, tell them in answers to it that nobody else sees."""
        person = str(interaction.user.id)
        self._answering[person] = interaction
        try:
            yield
        finally:
            if self._answering.get(person) is interaction:
                del self._answering[person]

    async def ask(self, question: SaveQuestion, *, again: bool = False) -> None:
        """Put a question about uncertain memories where the words were said, under the message."""
        language = language_of_question(question)
        turn = question.turn
        channel = self._client.get_partial_messageable(channel_of(turn))
        more: dict[str, Any] = {}
        if turn.message is not None:
            more["reference"] = discord.MessageReference(
                message_id=int(turn.message), channel_id=channel.id, fail_if_not_exists=False
            )
        await channel.send(
            question_text(question, language, again=again),
            view=view_of(fitting(build_memory_confirm_keyboard(question, language))),
            # A reminder is no use unless the person hears of it; nobody else ever does.
            allowed_mentions=discord.AllowedMentions(everyone=False, users=False, roles=False, replied_user=again),
            **more,
        )

    async def remind(self, question: SaveQuestion) -> None:
        """Ask once more; a reminder that cannot be sent is lost, for each is due once."""
        try:
            await self.ask(question, again=True)
        except discord.HTTPException as error:
            _log.warning("a reminder could not be sent: %s (HTTP %d, %d)", brief(error), error.status, error.code)

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                first = self._waiting[0]
                alike = [notice for notice in self._waiting if _group(notice) == _group(first)]
                self._waiting = [notice for notice in self._waiting if notice not in alike]
                try:
                    await self._send(alike)
                except discord.HTTPException as error:
                    _log.warning("a notice could not be sent: %s (HTTP %d, %d)", brief(error), error.status, error.code)
                except Exception:  # noqa: BLE001  (a failed notice never turns a success into an error)
                    _log.exception("a notice could not be sent")
        finally:
            self._sending = None

    async def _send(self, notices: Sequence[Notice]) -> None:
        first = notices[0]
        if first.question is not None:
            if first.question.turn.platform == PLATFORM:
                await self.ask(first.question)
        elif first.consent is not None:
            await self._ask_for_consent(first)
        elif first.personal:
            await self._tell_person(notices)
        elif first.turn is not None and first.turn.platform == PLATFORM:
            channel = self._client.get_partial_messageable(channel_of(first.turn))
            await channel.send(embed=self._embed(notices, None))

    async def _ask_for_consent(self, notice: Notice) -> None:
        """Ask a person, in a direct message and nowhere else, whether another may change what is remembered."""
        name = await self._memory.look(_person, notice.owner)
        if name is None or notice.consent is None:
            return
        alone = Turn(platform=PLATFORM, space=name, chat=name, user=name, direct=True)
        proposal = await self._memory.proposal(notice.consent, alone)
        if proposal is None:  # answered meanwhile
            return
        language = language_of(words_of(proposal))
        person = await self._user(name)
        *before, last = consent_pieces(proposal, language)
        for piece in before:
            await person.send(piece)
        await person.send(last, view=view_of(consent_buttons(name, proposal, language)))

    def _embed(self, notices: Sequence[Notice], language: Language | None) -> discord.Embed:
        first = notices[0]
        texts = TEXTS[language or language_of(" ".join(notice.preview for notice in notices))]
        titles = {"updated": texts.updated, "hidden": texts.archived, "deleted": texts.removed}
        lines = [f"**ID:{notice.memory}** {shown(notice.preview)}" for notice in notices[:_LINES]]
        if len(notices) > _LINES:
            lines.append(texts.more.format(len(notices) - _LINES))
        color = ERROR if first.what == "deleted" else MEMORY_UPDATE
        embed = discord.Embed(title=titles[first.what], description="\n".join(lines), color=color)
        # A server's notes are for whoever changed them to take back.
        can_undo = first.personal and self._memory.settings.undo_hours > 0
        return embed.set_footer(text=texts.take_back) if can_undo else embed

    async def _user(self, name: str) -> discord.User:
        return self._client.get_user(int(name)) or await self._client.fetch_user(int(name))

    async def _tell_person(self, notices: Sequence[Notice]) -> None:
        name = await self._memory.look(_person, notices[0].owner)
        if name is None:
            return
        interaction = self._answering.get(name)
        if interaction is not None and interaction.response.is_done():
            embed = self._embed(notices, language_of_locale(interaction))
            await interaction.followup.send(embed=embed, ephemeral=True)
            return
        person = await self._user(name)
        await person.send(embed=self._embed(notices, None))


def language_of_question(question: SaveQuestion) -> Language:
    """The language of the words that the question is about."""
    return language_of(" ".join(asked.item.excerpt or asked.item.value for asked in question.items))


def _group(notice: Notice) -> object:
    """What is told together: the same done to several memories of one owner in one turn."""
    if notice.question is not None or notice.consent is not None:
        return notice.consent if notice.question is None else notice.question.id
    return notice.what, notice.owner, notice.personal, notice.actor, notice.turn


def _person(tx: Tx, owner: int) -> str | None:
    """The platform's id of the person who owns it; None where no person of Discord does."""
    found = tx.owner(owner) if tx.has_owner(owner) else None
    if found is None or found.kind != "person" or found.platform != PLATFORM or not found.name.isdecimal():
        return None
    return found.name
