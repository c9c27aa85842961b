"""The system prompt: persona, memory guidance, who speaks and when, and what is remembered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.resources import files

from zgadka.chat.intents import Language
from zgadka.model.task import Finished
from zgadka.ops.context import nothing_known
from zgadka.text.quote import fenced, quoted
from zgadka.tools.declare import Tool

_SPEAKER = re.compile(r"^Speaker: user_id=(-?\d+)$", re.MULTILINE)
_STRING = r'"(?:[^"\\]|\\.)*"'
_NOTE = re.compile(
    rf"^ID:(\d+) note [\d-]+(?: about (?:{_STRING} )?\(user_id (-?\d+)\))? ({_STRING})$",
    re.MULTILINE,
)


_FINISHED: dict[Language, str] = {
    "en": "Results of calls that had been queued; tell the person what came of them:",
    "uk": "Результати викликів, що стояли в черзі; скажи людині, що з них вийшло:",
}


def persona() -> str:
    """Return the persona that is used when none is given."""
    return _read("persona").strip()


def guidance(language: Language, tools: Iterable[Tool], *, user_id: int, calls: int) -> str:
    """Return the memory guidance, with the names that the tools really have.

    Args:
        tools: None: the model has no tools, since its chat's memory is automated.
        calls: Tool calls allowed in one answer; 0: as many as needed.

    Raises:
        KeyError: The text names a tool that is not among `tools`.
    """
    names = {tool.name: tool.name for tool in tools}
    if not names:
        return _read(f"automated_{language}").strip()
    allowed = str(calls) if calls else {"en": "enough", "uk": "досить"}[language]
    return _read(language).format_map(names | {"user_id": user_id, "calls": allowed}).strip()


def system_prompt(
    language: Language,
    *,
    persona_text: str,
    tools: Iterable[Tool],
    calls: int,
    user_id: int,
    now: datetime,
    context: str,
    finished: Sequence[Finished] = (),
) -> str:
    """Return the whole system prompt of one answer.

    Args:
        context: What the model should have in mind, fenced; empty where there is nothing.
        finished: Results of earlier calls that had been queued.
    """
    parts = [
        persona_text,
        guidance(language, tools, user_id=user_id, calls=calls),
        f"Speaker: user_id={user_id}\nNow: {now:%Y-%m-%d %H:%M} ({now:%A})",
        context or nothing_known(language),
    ]
    if finished:
        lines = [
            f"task_id={one.task_id} {one.tool} {quoted(json.dumps(one.result, ensure_ascii=False))}" for one in finished
        ]
        parts.append(fenced(_FINISHED[language], "\n".join(lines)))
    return "\n\n".join(parts)


def speaker_of(prompt: str) -> int:
    """Read the speaker's user_id out of a system prompt."""
    found = _SPEAKER.findall(prompt)
    return int(found[-1])


def notes_of(prompt: str) -> dict[int, str]:
    """Read the speaker's notes and their ids out of a system prompt."""
    speaker = str(speaker_of(prompt))
    found = _NOTE.findall(prompt)
    return {int(number): json.loads(text) for number, about, text in found if about in ("", speaker)}


def _read(name: str) -> str:
    return files("zgadka.chat").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
