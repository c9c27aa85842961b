"""The slash commands and their menu; what they do, the bots' core decides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import discord
from discord import app_commands

from zgadka.locales import text

Interaction = discord.Interaction[Any]

Run = Callable[[Interaction, str, str], Awaitable[None]]
"""Runs a command: its name and its argument."""

_MemoryId = app_commands.Range[int, 1, 2**53 - 1]
_Words = app_commands.Range[str, 1, 1000]


def commands(run: Run) -> list[app_commands.Command[Any, ..., Any]]:
    """Make the slash commands."""

    @app_commands.describe(level=_text("options.level"))
    async def privacy(interaction: Interaction, level: Literal["minimal", "partial", "full"] | None = None) -> None:
        await run(interaction, "privacy", level or "")

    @app_commands.describe(number=_text("options.undo"))
    async def undo(interaction: Interaction, number: _MemoryId | None = None) -> None:
        await run(interaction, "undo", "" if number is None else str(number))

    return [
        *(_command(name, _plain(run, name)) for name in ("memory", "export", "erase", "help")),
        *(_command(name, _with_words(run, name)) for name in ("remember", "forget", "mute", "unmute")),
        *(_command(name, _with_id(run, name)) for name in ("history", "why", "share", "unshare")),
        _command("undo", undo),
        _command("privacy", privacy),
    ]


class Menu(app_commands.Translator):
    """The command menu in Ukrainian."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """Return the Ukrainian text; None for other languages and for names."""
        key = string.extras.get("key")
        return text("uk", key) if key is not None and locale is discord.Locale.ukrainian else None


def _command(name: str, callback: Any) -> app_commands.Command[Any, ..., Any]:
    return app_commands.Command(
        name=name,
        description=_text(f"commands.{name}"),
        callback=callback,
        # Where the bot is: not in the direct chats of two other people.
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )


def _plain(run: Run, name: str) -> object:
    async def command(interaction: Interaction) -> None:
        await run(interaction, name, "")

    return command


def _with_words(run: Run, name: str) -> object:
    @app_commands.describe(what=_text(f"options.{name}"))
    async def command(interaction: Interaction, what: _Words) -> None:
        await run(interaction, name, what)

    return command


def _with_id(run: Run, name: str) -> object:
    @app_commands.describe(number=_text("options.memory_id"))
    async def command(interaction: Interaction, number: _MemoryId) -> None:
        await run(interaction, name, str(number))

    return command


def _text(name: str) -> app_commands.locale_str:
    key = f"bots.{name}"
    return app_commands.locale_str(text("en", key), key=key)
