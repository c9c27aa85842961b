"""The bots' transcripts in the documentation are what a bot that `zgadka` starts answers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from in_memory_platform import InMemoryPlatform

from zgadka import Settings, Turn, open_memory
from zgadka.bots.core import Bot
from zgadka.bots.platform import Command, Message, Press
from zgadka.chat.providers import choose_model

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
_TRANSCRIPT = re.compile(r"<!-- transcript -->\n\n```text\n(.*?)```", re.DOTALL)


def _events(transcript: str) -> Iterator[tuple[str, list[str]]]:
    """What the person does, and what the bot then says, line by line."""
    said: list[str] = []
    answers: list[str] = []
    for line in transcript.splitlines():
        speaker, text = line[:10].strip(), line[10:]
        if speaker == "Olena":
            if said:
                yield said[0], answers
            said, answers = [text], []
        else:
            answers.append(text)
    yield said[0], answers


@pytest.mark.asyncio
async def test_the_bots_transcript_is_what_the_bot_says() -> None:
    match = _TRANSCRIPT.search(README)
    assert match is not None
    ticks = itertools.count()

    def clock() -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(milliseconds=next(ticks))

    wire = InMemoryPlatform()
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        bot = Bot(memory, wire, choose_model("standin", asks=False).model, clock=clock)
        for number, (said, answers) in enumerate(_events(match[1]), 1):
            turn = Turn(
                platform="telegram", space="1", chat="1", user=1, direct=True, turn=f"u{number}", message=str(number)
            )
            before = [sent.text for sent in wire.sent]
            if said.startswith("/"):
                name, _, argument = said[1:].partition(" ")
                await bot.take(Command(turn=turn, name=name, argument=argument, language="en"))
            elif said.startswith("["):
                index = next(i for i in range(len(wire.sent) - 1, -1, -1) if wire.sent[i].buttons)
                data, text = wire.sent[index].data(said.strip("[]")), wire.sent[index].text
                await bot.take(Press(turn=turn, data=data, source=index, text=text, language="en"))
            else:
                await bot.take(Message(turn=turn, text=said, own_text=said, language="en", to_bot=True))
            await bot.settle()
            changed = [sent for index, sent in enumerate(wire.sent) if before[index : index + 1] != [sent.text]]
            lines = [line for sent in changed for line in _lines(sent.text, [button.text for button in sent.buttons])]
            assert lines == answers
        await bot.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("page", ["telegram", "discord"])
async def test_the_first_steps_of_a_bot_show_what_it_answers(page: str) -> None:
    shown = (DOCS / "start" / f"{page}.md").read_text(encoding="utf-8")
    steps = re.findall(r"^(You|Bot): (?:@zgadka )?(.+?)(?: {4,}\(.*)?$", shown, re.MULTILINE)
    wire = InMemoryPlatform()
    turn = Turn(platform=page, space="1", chat="1", user=1, direct=page == "telegram")
    async with open_memory("sqlite://:memory:", settings=Settings(background=False)) as memory:
        bot = Bot(memory, wire, choose_model("standin", asks=False).model)
        for number, (speaker, said) in enumerate(steps):
            if speaker == "You" and not said.startswith("/"):
                asking = replace(turn, turn=f"u{number}", message=str(number))
                await bot.take(Message(turn=asking, text=said, own_text=said, language="en", to_bot=True))
                await bot.settle()
        await bot.close()
    assert [sent.text for sent in wire.sent] == [said for speaker, said in steps if speaker == "Bot"]


def _lines(text: str, buttons: list[str]) -> list[str]:
    shown = [f"[{'] ['.join(buttons)}]"] if buttons else []
    return [line for line in text.splitlines() if line] + shown
