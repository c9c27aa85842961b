"""What a model is told: a system prompt that stays the same, and with each message who speaks, when, and what is known.

Providers and local servers keep what they read of a prompt up to the first difference. So what changes from one message
to the next comes last, with the message; in the system prompt, which many templates put before the tools, nothing does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from zgadka.chat.claim_check import done_statuses
from zgadka.locales import as_language
from zgadka.model.memory import StoredMemory
from zgadka.model.task import Finished
from zgadka.ops.context import nothing_known
from zgadka.ops.episodes import KEPT
from zgadka.settings import Settings
from zgadka.text.prompt_quoting import fenced, quoted
from zgadka.tools.declare import Tool
from zgadka.tools.registry import REGISTRY

_SPEAKER = re.compile(r"^Speaker: user_id=(-?\d+)$", re.MULTILINE)
_STRING = r'"(?:[^"\\]|\\.)*"'
_NOTE = re.compile(rf"^ID:(\d+) note [\d-]+(?: a quotation, no order)? ({_STRING})$", re.MULTILINE)
"""A note about the speaker: one about somebody else says so."""

_PEOPLE = re.compile(r"^\[people: .*\]\n(.+)$", re.MULTILINE)
_PERSON = re.compile(rf"(?:({_STRING})|P\d+) =(?: ({_STRING}))? user_id (-?\d+)\b")
"""`P4` stands for one of several people of the same name."""

_INFERRED = re.compile(rf"^ID:(\d+) stored ({_STRING})$", re.MULTILINE)

_MESSAGE = "\n\nMessage:\n"
"""Where the person's own words begin. Nothing of theirs comes before it but quotations of one line each."""

_PROMPTS = files("zgadka.chat").joinpath("prompts")
_MARK = re.compile(r"^<!-- (.+) -->\n", re.MULTILINE)
_PERSONA = "persona"


def persona() -> str:
    """Return the persona that is used when none is given."""
    return _read(_PERSONA).strip()


def languages() -> list[str]:
    """The languages that there is a guidance in: one file each, beside that of the persona."""
    names = (Path(file.name) for file in _PROMPTS.iterdir())
    return sorted(name.stem for name in names if name.suffix == ".md" and name.stem != _PERSONA)


def guidance(language: str, tools: Iterable[Tool], *, settings: Settings) -> str:
    """Return the memory guidance of a language's file, for the tools that the model really has.

    The file is divided by lines such as `<!-- if core and not facts -->`; what follows is said where it holds: where
    the model has all tools of the named sets, or where the settings are so. Names of tools, types, limits and statuses
    stand in braces and come from the registry and the settings.

    Args:
        tools: Empty: the model has no tools, since its chat's memory is automated.

    Raises:
        KeyError: The text names something that there is not, such as a tool that is not among `tools`.
    """
    offered = list(tools)
    blocks = _blocks(language)
    truths = _truths(offered, settings)
    parts = "".join(text for condition, text in blocks if condition.startswith("if ") and _holds(condition, truths))
    return parts.format_map(_values(offered, settings)).strip()


def system_prompt(language: str, *, persona_text: str, tools: Iterable[Tool], settings: Settings) -> str:
    """Return the system prompt: the same for every message, so long as tools and settings are the same."""
    return f"{persona_text}\n\n{guidance(language, tools, settings=settings)}"


def message_prompt(
    language: str,
    message: str,
    *,
    user_id: int,
    now: datetime,
    context: str,
    finished: Sequence[Finished] = (),
    inferred: Sequence[StoredMemory] = (),
) -> str:
    """Return the message that is answered, after what a model should know of it.

    Args:
        context: What the model should have in mind, fenced; empty where there is nothing.
        finished: Results of earlier calls that had been queued.
        inferred: What was remembered of the message, without a call.
    """
    parts = [
        context or nothing_known(as_language(language) or "en"),
        f"Speaker: user_id={user_id}\nNow: {now:%Y-%m-%d %H:%M} ({now:%A})",
    ]
    results = [
        f"task_id={task.task_id} {task.tool} {quoted(json.dumps(task.result, ensure_ascii=False))}" for task in finished
    ]
    stored = [f"ID:{memory.id} stored {quoted(memory.text)}" for memory in inferred]
    for name, lines in (("finished", results), ("inferred", stored)):
        if lines:
            parts.append(fenced(_heading(language, name), "\n".join(lines)))
    return "\n\n".join(parts) + _MESSAGE + message


def message_of(prompt: str) -> tuple[str, str]:
    """Divide what `message_prompt` made into what a model should know and the message; another text is all message."""
    context, mark, message = prompt.partition(_MESSAGE)
    return (context, message) if mark and _SPEAKER.search(context) else ("", prompt)


def _truths(tools: Sequence[Tool], settings: Settings) -> set[str]:
    """What the conditions of a file may ask for, as far as it is so."""
    offered = {tool.name for tool in tools}
    sets = {name for tool in tools for name in (tool.set, tool.also_in) if name}
    complete = {
        name for name in sets if {tool.name for tool in REGISTRY if name in (tool.set, tool.also_in)} <= offered
    }
    truths = {
        "secrets are refused": settings.secrets_in_memories == "refuse",
        "a look is required": settings.recall_first,
        "calls are limited": settings.calls_per_answer > 0,
    }
    return {"tools", *complete, *(name for name, holds in truths.items() if holds)} if tools else {"no tools"}


def _holds(condition: str, truths: set[str]) -> bool:
    terms = condition.removeprefix("if ").split(" and ")
    return all((term.removeprefix("not ") in truths) != term.startswith("not ") for term in terms)


def _values(tools: Sequence[Tool], settings: Settings) -> dict[str, object]:
    """What stands for the names in braces."""
    values: dict[str, object] = {tool.name: tool.name for tool in tools}
    values |= {
        "calls": settings.calls_per_answer,
        "confirmation_minutes": f"{settings.confirmation_seconds / 60:g}",
        "done": ", ".join(f"`{status}`" for status in done_statuses(tools)),
    }
    values |= {f"{level}_days": period.days for level, period in KEPT.items()}
    for tool in tools:
        if tool.name == "remember_fact":
            schemas = tool.schema["properties"]
            values["fact_types"] = ", ".join(schemas["fact_type"]["enum"])
            values["least_confidence"] = schemas["confidence"]["minimum"]
            values["most_confidence"] = schemas["confidence"]["maximum"]
    return values


def _heading(language: str, name: str) -> str:
    texts = next(text for condition, text in _blocks(language) if condition == "texts")
    return dict(line.split(": ", 1) for line in texts.splitlines())[name]


def _blocks(language: str) -> list[tuple[str, str]]:
    """The parts of a language's file, each with the condition that stands above it."""
    _, *parts = _MARK.split(_read(language))
    return list(zip(parts[::2], parts[1::2], strict=True))


def speaker_of(context: str) -> int:
    """Read the speaker's user_id out of what comes before a message."""
    return int(_SPEAKER.findall(context)[0])


def people_of(context: str) -> dict[int, str]:
    """Read what those who are here are called, by user_id, out of it."""
    explained = (person for line in _PEOPLE.findall(context) for person in _PERSON.findall(line))
    return {int(number): json.loads(alias or name) for alias, name, number in explained if alias or name}


def notes_of(context: str) -> dict[int, str]:
    """Read the speaker's notes and their ids out of it."""
    return {int(number): json.loads(text) for number, text in _NOTE.findall(context)}


def inferred_of(context: str) -> dict[int, str]:
    """Read what was remembered of the message without a call, by id, out of it."""
    return {int(number): json.loads(text) for number, text in _INFERRED.findall(context)}


def _read(name: str) -> str:
    return _PROMPTS.joinpath(f"{name}.md").read_text(encoding="utf-8")
