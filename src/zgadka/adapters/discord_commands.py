"""Slash commands and buttons: each press and each command is a turn of the person who made it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

import discord
from discord import app_commands

from zgadka.adapters.discord_notices import language_of_question
from zgadka.adapters.discord_text import (
    DESCRIPTIONS,
    LONGEST,
    PAGE,
    PROFILE,
    TEXTS,
    Press,
    consent_buttons,
    consent_pieces,
    delete_buttons,
    escaped,
    fitting,
    memory_ids,
    memory_line,
    press_data,
    question_text,
    read_press,
    shown,
    split,
)
from zgadka.adapters.discord_translate import language_of_locale, turn_of_interaction, view_of
from zgadka.chat import questions
from zgadka.chat.consent import consent_answered
from zgadka.chat.intents import Language
from zgadka.chat.phrases import PHRASES
from zgadka.chat.questions import Button
from zgadka.chat.trail import OwnCommand, run_command
from zgadka.engine import Memory
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.own import own_memories

_Interaction = discord.Interaction[Any]
_Rows = Sequence[Sequence[Button]]
_Handling = Callable[[_Interaction], AbstractAsyncContextManager[None]]

_Number = app_commands.Range[int, 1, 2**53 - 1]

_LEVELS = {level.name.lower(): level for level in PrivacyLevel}


class Answers:
    """What commands and buttons do, all of it for the person whose interaction it is.

    Args:
        persona: The persona lineage.
        erased: Is told who was erased.
    """

    def __init__(self, memory: Memory, persona: int, erased: Callable[[int], object]) -> None:
        self.memory = memory
        self._persona = persona
        self._erased = erased

    def turn(self, interaction: _Interaction, text: str | None = None) -> Turn:
        """The interaction's turn."""
        return turn_of_interaction(interaction, self._persona, text=text)

    async def list(self, interaction: _Interaction, page: int = 0) -> None:
        """Show one page of what is remembered about the person here."""
        turn, texts = self.turn(interaction), TEXTS[language_of_locale(interaction)]
        found = await self.memory.look(own_memories, turn)
        if isinstance(found, NoAccess):
            level = await self.memory.privacy(turn)
            await show(interaction, texts.restricted.format(level.name.lower()))
            return
        page = min(page, max(len(found) - 1, 0) // PAGE)
        shown_here = found[page * PAGE : (page + 1) * PAGE]
        lines = [texts.listed.format(len(found)), *map(memory_line, shown_here)] if found else [texts.nothing]
        rows = _list_rows(turn, shown_here, page, (len(found) - 1) // PAGE)
        await show(interaction, "\n".join(lines), rows)

    async def ask_for_consent(self, interaction: _Interaction) -> None:
        """Put the questions for the person's consent that wait, where nobody else sees them."""
        turn, language = self.turn(interaction), language_of_locale(interaction)
        for asked in (await self.memory.consents(turn))[:PAGE]:
            await self._propose(interaction, asked.id, turn, language)

    async def answer_consent(self, interaction: _Interaction, what: str, *, agrees: bool) -> None:
        """Answer a question for the person's consent."""
        turn, language = self.turn(interaction), language_of_locale(interaction)
        number, _, mark = what.partition(",")
        if not (number.isdecimal() and mark.isdecimal()):
            return
        answer = await self.memory.answer_consent(int(number), agrees, turn, mark=int(mark))
        await show(interaction, consent_answered(answer, language))
        if answer is not None and answer.status == "confirmation_required":
            await self._propose(interaction, int(number), turn, language)

    async def _propose(self, interaction: _Interaction, number: int, turn: Turn, language: Language) -> None:
        proposal = await self.memory.proposal(number, turn)
        if proposal is None:  # answered meanwhile
            return
        *before, last = consent_pieces(proposal, language)
        for piece in before:
            await interaction.followup.send(piece, ephemeral=True)
        view = view_of(consent_buttons(turn.user_name, proposal, language))
        await interaction.followup.send(last, view=view, ephemeral=True)

    async def remember(self, interaction: _Interaction, what: str) -> None:
        """Keep a note."""
        language = language_of_locale(interaction)
        turn = self.turn(interaction, what)
        result = await self.memory.call("remember", {"content": what}, turn, by_hand=True)
        match result.status:
            case "success":
                text = PHRASES[language].noted.format(result["memory_id"])
            case "skipped":
                text = PHRASES[language].noted_already
            case _:
                text = _trouble(result, language)
        await show(interaction, text)

    async def forget(self, interaction: _Interaction, what: str) -> None:
        """Ask whether to delete what ids name, or list what words may mean."""
        ids = memory_ids(what)
        if ids is not None:
            await self.ask_to_delete(interaction, ids)
            return
        language = language_of_locale(interaction)
        texts, turn = TEXTS[language], self.turn(interaction)
        result = await self.memory.call("forget", {"query": what}, turn)
        match result.status:
            case "candidates":
                found = result["candidates"][:PAGE]
                lines = [texts.which, *(f"**ID:{one['memory_id']}** {shown(one['content'])}" for one in found)]
                await show(interaction, "\n".join(lines), _ask_rows(turn, [one["memory_id"] for one in found]))
            case "nothing_found":
                await show(interaction, texts.nothing_found)
            case _:
                await show(interaction, _trouble(result, language))

    async def ask_to_delete(self, interaction: _Interaction, ids: str) -> None:
        """Put the question anew, whatever was asked before: this is no answer to it."""
        turn = self.turn(interaction)
        result = await self.memory.call("forget", {"memory_id": ids}, self.turn(interaction, "no"))
        if result.get("cancelled"):
            result = await self.memory.call("forget", {"memory_id": ids}, turn)
        await self._deletion(interaction, turn, result)

    async def answer_deletion(self, interaction: _Interaction, what: str, *, agrees: bool) -> None:
        """Answer the question about a deletion, as the person would in words."""
        turn = self.turn(interaction, "yes" if agrees else "no")
        if what == PROFILE:
            arguments = {"user_id": turn.user_number, "reason": "the person pressed the button"}
            result = await self.memory.call("clear_profile", arguments, turn)
        else:
            result = await self.memory.call("forget", {"memory_id": what}, turn)
        await self._deletion(interaction, turn, result)

    async def _deletion(self, interaction: _Interaction, turn: Turn, result: ToolResult) -> None:
        language = language_of_locale(interaction)
        texts = TEXTS[language]
        match result.status:
            case "confirmation_required":
                asked = result.get("awaiting", [])
                lines = [f"**ID:{one['memory_id']}** {shown(one['content'])}" for one in asked]
                text = texts.ask_delete.format("\n".join(lines)) if lines else texts.ask_delete_all
                ids = [one["memory_id"] for one in asked] or PROFILE
                await show(interaction, text, delete_buttons(turn.user_name, ids, language), alone=True)
            case "deleted":
                await show(interaction, texts.deleted)
            case "cancelled":
                await show(interaction, texts.kept)
            case "not_found" | "nothing_found":
                await show(interaction, texts.not_found)
            case _:
                await show(interaction, _trouble(result, language), alone=True)

    async def run(self, interaction: _Interaction, command: OwnCommand, number: int) -> None:
        """Show what happened to a memory, take its last change back, or say where it may be known."""
        language = language_of_locale(interaction)
        said = await run_command(self.memory, command, number, self.turn(interaction), language, escape=escaped)
        first, *others = split(said)
        await show(interaction, first)
        for piece in others:
            await interaction.followup.send(piece, ephemeral=True)

    async def privacy(self, interaction: _Interaction, level: str | None) -> None:
        """Show the privacy level, or set it."""
        turn = self.turn(interaction)
        if level is not None:
            await self.memory.set_privacy(_LEVELS[level], turn)
        kept = await self.memory.privacy(turn)
        await show(interaction, TEXTS[language_of_locale(interaction)].level.format(kept.name.lower()))

    async def export(self, interaction: _Interaction) -> None:
        """Hand over all that is the person's, as a file that nobody else sees."""
        texts = TEXTS[language_of_locale(interaction)]
        content = "".join(f"{line}\n" for line in await self.memory.export(self.turn(interaction))).encode()
        if len(content) > interaction.filesize_limit:
            await show(interaction, texts.too_large)
            return
        file = discord.File(io.BytesIO(content), "zgadka-export.jsonl")
        await interaction.followup.send(texts.exported, file=file, ephemeral=True)

    async def ask_to_erase(self, interaction: _Interaction) -> None:
        """Ask whether to erase everything about the person."""
        texts, owner = TEXTS[language_of_locale(interaction)], str(interaction.user.id)
        yes, no = press_data("erase", owner, PROFILE), press_data("stay", owner, PROFILE)
        buttons = [Button(f"🗑 {texts.erase}", str(yes)), Button(texts.keep, str(no))]
        await show(interaction, texts.ask_erase, [buttons])

    async def erase(self, interaction: _Interaction) -> None:
        """Erase everything about the person, and give a receipt without any content."""
        texts = TEXTS[language_of_locale(interaction)]
        receipt = await self.memory.erase(self.turn(interaction))
        self._erased(interaction.user.id)
        counts = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in receipt.counts.items() if count)
        text = texts.erased.format(f"{receipt.erased_at:%Y-%m-%d %H:%M:%S} UTC", counts or "0")
        await show(interaction, text if receipt.scrubbed else f"{text} {texts.not_clean}")

    async def stay(self, interaction: _Interaction) -> None:
        """Erase nothing."""
        await show(interaction, TEXTS[language_of_locale(interaction)].not_erased)

    async def help(self, interaction: _Interaction) -> None:
        """Say what the bot can do."""
        await show(interaction, TEXTS[language_of_locale(interaction)].help)

    async def answer_question(self, interaction: _Interaction, pressed: questions.Press) -> None:
        """Answer the question about uncertain memories that the button is under."""
        language = language_of_locale(interaction)
        answered = await self.memory.answer_question(
            pressed.question, self.turn(interaction), save=pressed.decision == "save", place=pressed.place
        )
        text, question = escaped(questions.answered_text(answered, language)), answered.question
        if question is not None and answered.status != "failed":
            asked_in = language_of_question(question)
            is_open = answered.status != "expired"
            still = question_text(question, asked_in) if is_open else ""
            rows = questions.build_memory_confirm_keyboard(question, asked_in) if still else []
            await show(interaction, "\n\n".join(filter(None, (text, still)))[:LONGEST], fitting(rows))
        if answered.status not in ("saved", "skipped"):
            await interaction.followup.send(text, ephemeral=True)


async def press(answers: Answers, interaction: _Interaction, data: str) -> None:
    """Do what the data of a pressed button means; of a button that is not ours, nothing."""
    asked = questions.read_press(data, answers.turn(interaction).chat)
    if asked is not None:
        await interaction.response.defer()
        await answers.answer_question(interaction, asked)
        return
    pressed = read_press(data)
    if pressed is None:
        return
    if pressed.owner != str(interaction.user.id):
        text = TEXTS[language_of_locale(interaction)].not_yours
        await interaction.response.send_message(text, ephemeral=True)
        return
    await interaction.response.defer()
    await _do(answers, interaction, pressed)


async def _do(answers: Answers, interaction: _Interaction, pressed: Press) -> None:
    match pressed.deed:
        case "ask":
            await answers.ask_to_delete(interaction, pressed.what)
        case "delete" | "keep":
            await answers.answer_deletion(interaction, pressed.what, agrees=pressed.deed == "delete")
        case "page":
            await answers.list(interaction, int(pressed.what) if pressed.what.isdecimal() else 0)
        case "erase":
            await answers.erase(interaction)
        case "stay":
            await answers.stay(interaction)
        case "allow" | "refuse":
            await answers.answer_consent(interaction, pressed.what, agrees=pressed.deed == "allow")


async def show(interaction: _Interaction, text: str, rows: _Rows = (), *, alone: bool = False) -> None:
    """Put text and buttons in the place of the interaction's message.

    Args:
        alone: Where the message is not for the person alone, answer them alone instead, and leave it as it is.
    """
    message = interaction.message
    view = view_of(rows) if rows else None
    if alone and message is not None and not message.flags.ephemeral and interaction.guild_id is not None:
        more: dict[str, Any] = {} if view is None else {"view": view}
        await interaction.followup.send(text, ephemeral=True, **more)
        return
    await interaction.edit_original_response(content=text, view=view)


def commands(answers: Answers, handling: _Handling) -> list[app_commands.Command[Any, ..., Any]]:
    """The slash commands; every answer is for the person alone.

    Args:
        handling: The context in which an interaction is answered.
    """

    def answering(interaction: _Interaction) -> AbstractAsyncContextManager[None]:
        return handling(interaction)

    @app_commands.command(description="Show what is remembered about you")
    async def memory(interaction: _Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.list(interaction)
            await answers.ask_for_consent(interaction)

    @app_commands.command(description="Remember something about you")
    @app_commands.describe(what="What to remember")
    async def remember(interaction: _Interaction, what: app_commands.Range[str, 1, 1000]) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.remember(interaction, what)

    @app_commands.command(description="Delete a memory; you are asked first")
    @app_commands.describe(what="An id such as 24, or words")
    async def forget(interaction: _Interaction, what: app_commands.Range[str, 1, 1000]) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.forget(interaction, what)

    followed: list[Any] = []

    def follow(name: OwnCommand, description: str) -> None:
        @app_commands.command(name=name, description=description)
        @app_commands.describe(number="Its id, such as 24")
        async def command(interaction: _Interaction, number: _Number) -> None:
            await interaction.response.defer(ephemeral=True)
            async with answering(interaction):
                await answers.run(interaction, name, number)

        followed.append(command)

    follow("history", "Show what happened to a memory")
    follow("undo", "Take back a memory's last change")
    follow("share", "Let a memory be known wherever you meet me")
    follow("unshare", "Let a memory be known here only")

    @app_commands.command(description="Show or set how much may be remembered")
    @app_commands.describe(level="How much; leave out to see it")
    async def privacy(interaction: _Interaction, level: Literal["minimal", "partial", "full"] | None = None) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.privacy(interaction, level)

    @app_commands.command(description="Get all that is yours as a file")
    async def export(interaction: _Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.export(interaction)

    @app_commands.command(description="Erase everything about you for good")
    async def erase(interaction: _Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.ask_to_erase(interaction)

    @app_commands.command(name="help", description="What I can do")
    async def help_(interaction: _Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        async with answering(interaction):
            await answers.help(interaction)

    made: list[Any] = [memory, remember, forget, *followed, privacy, export, erase, help_]
    # Where the bot is: not in the direct chats of two other people.
    return [
        app_commands.allowed_installs(guilds=True, users=False)(
            app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)(command)
        )
        for command in made
    ]


class Menu(app_commands.Translator):
    """The command menu in Ukrainian."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """Return the Ukrainian text; None for other languages and for names."""
        return DESCRIPTIONS.get(string.message) if locale is discord.Locale.ukrainian else None


def _trouble(result: ToolResult, language: Language) -> str:
    if result.status == "queued":
        return TEXTS[language].queued
    return TEXTS[language].trouble.format(result.status, shown(result.message or "")).strip()


def _list_rows(turn: Turn, memories: Sequence[StoredMemory], page: int, last: int) -> list[list[Button]]:
    rows = _ask_rows(turn, [memory.id for memory in memories])
    turns = (("◀", page - 1), ("▶", page + 1))
    pages = [(text, press_data("page", turn.user_name, str(to))) for text, to in turns if 0 <= to <= last]
    buttons = [Button(text, data) for text, data in pages if data is not None]
    return [*rows, buttons] if buttons else rows


def _ask_rows(turn: Turn, ids: Sequence[int]) -> list[list[Button]]:
    named = [(one, press_data("ask", turn.user_name, [one])) for one in ids]
    buttons = [Button(f"🗑 {one}", data) for one, data in named if data is not None]
    return [buttons[at : at + 4] for at in range(0, len(buttons), 4)]
