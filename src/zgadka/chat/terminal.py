"""`zgadka chat`: a conversation in the terminal, or over a pipe."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import unicodedata
from collections.abc import Generator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import TextIO

from zgadka.chat.intents import Language
from zgadka.chat.lines import MAX_MESSAGE, Lines, PipedLines, TypedLines, reconfigure
from zgadka.chat.loop import Conversation
from zgadka.chat.phrases import PHRASES, key_label, one_line
from zgadka.chat.providers import Choice, choose_model
from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.turn import Turn

PROMPT = "you> "
_OFFLINE: Mapping[Language, str] = {
    "en": "Offline stand-in: this is NOT a language model, just a few rules. For a real one set GEMINI_API_KEY (or"
    " OPENAI_API_KEY, ANTHROPIC_API_KEY, or OPENAI_BASE_URL for Ollama and llama.cpp) and start again.",
    "uk": "Офлайн-замінник: це НЕ мовна модель, лише кілька правил. Для справжньої задай GEMINI_API_KEY (або"
    " OPENAI_API_KEY, ANTHROPIC_API_KEY, чи OPENAI_BASE_URL для Ollama і llama.cpp) і запусти знову.",
}
_ONLINE: Mapping[Language, str] = {"en": "Talking to {}.", "uk": "Розмова з {}."}
_HELP: Mapping[Language, str] = {
    "en": "/memory shows what is remembered about you, /help this, /quit ends (so do Ctrl-D and Ctrl-C).",
    "uk": "/memory показує, що про тебе відомо, /help це, /quit закінчує (як і Ctrl-D та Ctrl-C).",
}
_TOO_LONG: Mapping[Language, str] = {
    "en": "[This message has more than {} characters; I did not read it.]",
    "uk": "[У цьому повідомленні понад {} символів; я його не читав.]",
}
_STOPPED: Mapping[Language, str] = {"en": "[stopped]", "uk": "[зупинено]"}


async def run_chat(
    memory: Memory,
    *,
    model: str | None = None,
    base_url: str | None = None,
    user: int | str = 1,
    chat: str = "terminal",
    lang: str | None = None,
    environ: Mapping[str, str] | None = None,
    lines: Lines | None = None,
    out: TextIO | None = None,
) -> int:
    """Hold a conversation until its input ends; returns the exit code, 0.

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
    language = _language(lang)
    turn = Turn(platform="terminal", space=chat, chat=chat, user=user, direct=True)
    choice = choose_model(model, base_url=base_url, environ=environ, language=language)
    typed = lines is None and out is None and _is_terminal()
    source = lines or (TypedLines(PROMPT) if typed else PipedLines(0))
    screen = _Screen(out or sys.stdout, typed=typed, language=language or "en")
    conversation = Conversation(memory, choice.model, language=language)
    try:
        async with choice:
            screen.welcome(choice)
            await _converse(conversation, memory, turn, source, screen)
    except BrokenPipeError:
        screen.abandon()
    return 0


def _language(lang: str | None) -> Language | None:
    match lang:
        case None | "en" | "uk":
            return lang
        case _:
            pass
    raise InvalidInput(f"no language {lang!r}; give en or uk")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


async def _converse(conversation: Conversation, memory: Memory, turn: Turn, source: Lines, screen: _Screen) -> None:
    async for line in source:
        match line:
            case "":
                continue
            case "/quit" | "/exit":
                break
            case "/help":
                screen.line(_HELP[screen.language])
            case "/memory":
                screen.line(await _remembered(memory, turn, screen.language))
            case _ if len(line) > MAX_MESSAGE:
                screen.line(_TOO_LONG[screen.language].format(MAX_MESSAGE))
            case _:
                await _answer(conversation, line, turn, screen)
    screen.farewell()


async def _answer(conversation: Conversation, text: str, turn: Turn, screen: _Screen) -> None:
    """Show the answer as it comes; Ctrl-C at a terminal stops this answer only."""

    async def show() -> None:
        async with aclosing(conversation.answer(text, turn)) as pieces:
            async for piece in pieces:
                screen.piece(piece)

    answering = asyncio.ensure_future(show())
    try:
        with _stopped_by_interrupt(answering, screen.typed):
            await asyncio.wait({answering})
    finally:
        answering.cancel()
    if answering.cancelled():
        screen.piece(_STOPPED[screen.language])
    else:
        answering.result()
    screen.end()


@contextmanager
def _stopped_by_interrupt(answering: asyncio.Future[None], typed: bool) -> Generator[None]:
    if not typed:
        yield
        return
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, answering.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)


async def _remembered(memory: Memory, turn: Turn, language: Language) -> str:
    phrases = PHRASES[language]
    result = await memory.call("recall_facts", {"user_id": turn.user_number, "limit": 50}, turn)
    if result.status != "success":
        return phrases.failed.format(status=result.status, message=result.message or "")
    facts = [
        f"ID:{fact['fact_id']} {key_label(phrases, fact['key'])}: {one_line(fact['value'])}" for fact in result["facts"]
    ]
    if result["total"] > len(facts):
        facts.append(phrases.more.format(result["total"] - len(facts)))
    return "\n".join(facts) or phrases.nothing_known


class _Screen:
    """Where answers are shown."""

    def __init__(self, out: TextIO, *, typed: bool, language: Language) -> None:
        self.typed = typed
        self.language: Language = language
        self._out = out
        reconfigure(out)

    def welcome(self, choice: Choice) -> None:
        if choice.offline:
            self.line(_OFFLINE[self.language])
        elif self.typed:
            self.line(_ONLINE[self.language].format(choice.name))
        if self.typed:
            self.line(_HELP[self.language])

    def farewell(self) -> None:
        if self.typed:
            self.end()

    def line(self, text: str) -> None:
        self.piece(text)
        self.end()

    def piece(self, text: str) -> None:
        # A remembered text, or a model, must not be able to send the terminal commands.
        self._out.write("".join(character for character in text if _is_shown(character)))
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
