"""`zgadka chat`: a conversation in the terminal, or over a pipe."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import unicodedata
from collections.abc import AsyncIterable, Generator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import TextIO, cast

from zgadka.chat.history_view import OwnCommand, run_command, undo_last
from zgadka.chat.loop import Conversation
from zgadka.chat.memory_list import entries, grouped
from zgadka.chat.offline_model.phrases import phrase
from zgadka.chat.providers import Choice, choose_model
from zgadka.chat.terminal_input import MAX_MESSAGE, piped_lines, reconfigure, typed_lines
from zgadka.chat.terminal_memory import TerminalMemory
from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.locales import LANGUAGES, Language, as_language, language_of, text
from zgadka.model.turn import Turn
from zgadka.ops.fact_time import past_ids
from zgadka.ops.list_memories import listing
from zgadka.ops.same_value import ages_now
from zgadka.text.sanitize import preview

_PROMPT = "you> "


async def run_chat(
    memory: Memory,
    *,
    model: str | None = None,
    base_url: str | None = None,
    user: int | str = 1,
    chat: str = "terminal",
    lang: str | None = None,
    environ: Mapping[str, str] | None = None,
    lines: AsyncIterable[str] | None = None,
    out: TextIO | None = None,
) -> None:
    """Hold a conversation until its input ends.

    Args:
        model: `provider:name`; None: by the environment, see `providers.choose_model`.
        base_url: The model server's address instead of the provider's own.
        user: The speaker's id.
        chat: The chat's id; the same chat goes on where it was left.
        lang: `en` or `uk`; None: each message is answered in its own language.
        environ: Where keys are looked up; None: the environment.
        lines: Where messages come from; None: standard input.
        out: Where answers go; None: standard output.

    Raises:
        InvalidInput: A language that is not spoken here, or ids that cannot be meant.
        SettingsError: A model provider that does not exist, or one without its key.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    language = as_language(lang)
    if language is None and lang is not None:
        raise InvalidInput(f"no language {lang!r}; give {' or '.join(LANGUAGES)}")
    turn = Turn(platform="terminal", space=chat, chat=chat, user=user, direct=True)
    choice = choose_model(model, base_url=base_url, environ=environ, language=language)
    typed = lines is None and out is None and sys.stdin.isatty() and sys.stdout.isatty()
    source = lines or (typed_lines(_PROMPT) if typed else piped_lines(0))
    screen = _Screen(out or sys.stdout, typed=typed, language=language or "en")
    conversation = Conversation(memory, choice.model, language=language, observes=not choice.offline)
    remembering = TerminalMemory(memory, turn, infers=not choice.offline, tells=typed or not choice.offline)
    try:
        async with choice:
            screen.welcome(choice)
            await _converse(conversation, memory, turn, source, screen, remembering)
    except BrokenPipeError:
        screen.abandon()
    finally:
        remembering.stop()


async def _converse(
    conversation: Conversation,
    memory: Memory,
    turn: Turn,
    source: AsyncIterable[str],
    screen: _Screen,
    remembering: TerminalMemory,
) -> None:
    async for line in source:
        match line:
            case "":
                continue
            case "/quit" | "/exit":
                break
            case "/help":
                screen.say("help")
            case "/memory":
                screen.line(await _remembered(memory, turn, screen.language))
            case _ if line.startswith("/"):
                await _run(memory, line, turn, screen)
            case _ if len(line) > MAX_MESSAGE:
                screen.say("too_long", limit=MAX_MESSAGE)
            case _:
                screen.hear(line, conversation.language)
                spoken, answer = await remembering.take(line, conversation.language)
                if answer is None:
                    answer = await _answer(conversation, line, spoken, screen)
                else:
                    screen.line(answer)
                for news in await remembering.news(line, answer):
                    screen.line(news)
    if screen.typed:
        screen.end()


async def _answer(conversation: Conversation, message: str, turn: Turn, screen: _Screen) -> str:
    """Show the answer as it comes, and return it; Ctrl-C at a terminal stops this answer only."""
    shown: list[str] = []

    async def show() -> None:
        async with aclosing(conversation.answer(message, turn)) as pieces:
            async for piece in pieces:
                shown.append(piece)
                screen.piece(piece)

    answering = asyncio.ensure_future(show())
    try:
        with _stopped_by_interrupt(answering, screen.typed):
            await asyncio.wait({answering})
    finally:
        answering.cancel()
    if answering.cancelled():
        screen.piece(text(screen.language, "chat.terminal.stopped"))
    else:
        answering.result()
    screen.end()
    return "".join(shown)


@contextmanager
def _stopped_by_interrupt(answering: asyncio.Future[None], typed: bool) -> Generator[None]:
    if not typed:
        yield
        return
    loop = asyncio.get_running_loop()
    old_handler = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, answering.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, old_handler)


async def _remembered(memory: Memory, turn: Turn, language: Language) -> str:
    own = await memory.look(listing, turn)
    ages = await memory.look(ages_now, own.memories)
    past = await memory.look(past_ids, own.memories)
    lines = grouped(entries(own, language, zone=memory.settings.zone, ages=ages, past=past))
    return "\n".join(lines) or phrase(language, "nothing_known")


_COMMAND = re.compile(r"/(history|why|undo)\b\s*(?:ID\s*:?\s*)?#?(\d{1,16})?\s*", re.IGNORECASE | re.ASCII)


async def _run(memory: Memory, line: str, turn: Turn, screen: _Screen) -> None:
    command = _COMMAND.fullmatch(line)
    if command is None:
        screen.say("no_command", line=preview(line, 60))
        screen.say("help")
        return
    name, number = cast("OwnCommand", command[1].lower()), command[2]
    if number is not None:
        screen.line(await run_command(memory, name, int(number), turn, screen.language))
    elif name == "undo":
        screen.line(await undo_last(memory, turn, screen.language))
    else:
        screen.line(text(screen.language, "bots.id_usage", command=name))


class _Screen:
    """Where answers are shown."""

    def __init__(self, out: TextIO, *, typed: bool, language: Language) -> None:
        self.typed = typed
        self.language: Language = language
        self._out = out
        reconfigure(out)

    def welcome(self, choice: Choice) -> None:
        if choice.offline:
            self.say("offline")
        elif self.typed:
            self.say("online", model=choice.name)
        if self.typed:
            self.say("help")

    def hear(self, message: str, language: Language | None) -> None:
        """Go on in the language of a message, unless one was chosen; "24" has none of its own."""
        if language is None and any(map(str.isalpha, message)):
            self.language = language_of(message)

    def say(self, key: str, **values: object) -> None:
        self.line(text(self.language, f"chat.terminal.{key}", **values))

    def line(self, line: str) -> None:
        self.piece(line)
        self.end()

    def piece(self, piece: str) -> None:
        # A remembered text, or a model, must not be able to send the terminal commands.
        self._out.write("".join(character for character in piece if _is_shown(character)))
        self._out.flush()

    def end(self) -> None:
        self._out.write("\n")
        self._out.flush()

    def abandon(self) -> None:
        """Let nothing more be written: the reader of the pipe is gone."""
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)


def _is_shown(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) != "Cc"
