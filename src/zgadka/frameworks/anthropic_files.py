"""Claude's memory tool (`memory_20250818`) over a person's notes: each file is a note."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from anthropic.lib.tools import BetaAsyncAbstractMemoryTool, BetaFunctionToolResultType, ToolError
from anthropic.types import beta

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.outcome import LimitReached, NoAccess, NotFound
from zgadka.model.turn import Turn
from zgadka.ops.keyed_notes import checked_name, name_of, named_notes, put_named, rename
from zgadka.ops.limits import count_call
from zgadka.ops.list_memories import told_memories
from zgadka.stores.tx import Tx
from zgadka.text.token_estimate import HUNDREDTHS, weigh
from zgadka.tools.answer_budget import answer_budget

P = ParamSpec("P")
T = TypeVar("T")

ROOT = "/memories"
_LAST_LINE = 30 * HUNDREDTHS
KNOWN = "known.txt"  # shows what else is remembered, and cannot be changed here


class MemoryFiles(BetaAsyncAbstractMemoryTool):
    """The tool for one turn of one person: `tools=[MemoryFiles(memory, turn)]` of the SDK's tool runner, or `handle`.

    Nothing is a real file, so no path leads out. A file holds at most 1,000 characters. Deleting asks first: the same
    deletion in a later turn of the person, who was asked, deletes for good. Every call counts as a tool's.
    """

    def __init__(self, memory: Memory, speaker: Turn | Callable[[], Turn]) -> None:
        super().__init__()
        self._memory = memory
        self._speaker = speaker

    async def handle(self, call: Any) -> dict[str, Any]:
        """Answer a `tool_use` block of the name `memory`; returns the message to append to the conversation."""
        block = cast("Mapping[str, Any]", call if isinstance(call, Mapping) else vars(call))
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": block["id"]}
        try:
            result["content"] = await self.call(block["input"])
        except (ToolError, AttributeError, NotImplementedError, TypeError) as error:  # also what has no such shape
            content = error.content if isinstance(error, ToolError) else "this is no command of the memory tool"
            result |= {"content": content, "is_error": True}
        return {"role": "user", "content": [result]}

    async def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> BetaFunctionToolResultType:
        """Show a file with line numbers, or what is in a directory."""
        path = _path(command.path)
        files = await self._read()
        if path in files:
            heading = f"Here's the content of {_shown(path)} with line numbers:"
            return self._within(heading, _numbered(files[path], command.view_range), "view_range {} to -1 shows them")
        inside = _inside(files, path)
        if not inside and path:
            raise ToolError(f"The path {_shown(path)} does not exist. Please provide a valid path.")
        listed = [
            (number, f"{len(files[name].encode())}\t{_shown(name)}") for number, name in enumerate(sorted(inside), 1)
        ]
        heading = f"Here're the files in {_shown(path)}, with their sizes in bytes:"
        return self._within(heading, listed, "view a directory in it")

    def _within(self, heading: str, lines: Sequence[tuple[int, str]], advice: str) -> str:
        """As many lines, each with its number, as a model is answered with; then how many more there are.

        Args:
            advice: How to see them.
        """
        budget = answer_budget(self._memory.settings, {})
        room = None if budget is None else budget * HUNDREDTHS - weigh(heading) - _LAST_LINE
        listed = [heading]
        for at, (number, line) in enumerate(lines):
            if room is not None and (room := room - weigh(f"{line}\n")) < 0 and at:
                listed.append(f"({len(lines) - at} more: {advice.format(number)})")
                break
            listed.append(line)
        return "\n".join(listed)

    async def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> BetaFunctionToolResultType:
        """Make a new file."""
        path, files = _path(command.path), await self._read()
        _check_new(files, path)
        await self._write(path, command.file_text)
        return f"File created successfully at: {_shown(path)}"

    async def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> BetaFunctionToolResultType:
        """Replace a text that occurs once."""
        path, text = await self._editable(command.path)
        times = text.count(command.old_str) if command.old_str else 0
        if times != 1:
            mistake = "did not appear verbatim" if not times else f"appeared {times} times; it must be unique"
            raise ToolError(f"No replacement was performed, old_str `{command.old_str}` {mistake} in {_shown(path)}.")
        await self._write(path, text.replace(command.old_str, command.new_str))
        return f"The memory file {_shown(path)} has been edited."

    async def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> BetaFunctionToolResultType:
        """Insert lines after a line."""
        path, text = await self._editable(command.path)
        lines = text.split("\n")
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(f"Invalid `insert_line` parameter: {command.insert_line}. It should be 0 to {len(lines)}.")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        await self._write(path, "\n".join(lines))
        return f"The file {_shown(path)} has been edited."

    async def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> BetaFunctionToolResultType:
        """Ask the person; delete a file, or all in a directory, when they were asked in an earlier turn."""
        path = _path(command.path)
        notes = await self._memory.look(named_notes, self._turn(), "file")
        names = [] if isinstance(notes, NoAccess) or not path else _inside(notes, path)
        if isinstance(notes, NoAccess) or not names:
            raise ToolError(f"The path {_shown(path)} cannot be deleted: there is no such file of its own")
        ids = ",".join(str(notes[name].id) for name in names)
        result = await self._memory.call("forget", {"memory_id": ids}, self._turn(), is_request=True)
        if result.status != "deleted":
            raise ToolError(f"{result.status}: {result.message}")
        return f"Successfully deleted {_shown(path)}"

    async def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> BetaFunctionToolResultType:
        """Rename a file, or a directory with all in it."""
        old, new = _path(command.old_path), _path(command.new_path)
        files = await self._read()
        _check_new(files, new)
        names = {name: new + name.removeprefix(old) for name in _inside(files, old) if name != KNOWN} if old else {}
        outcome = await self._change(rename, "file", names)
        if isinstance(outcome, NotFound):
            raise ToolError(f"The path {_shown(old)} cannot be renamed: there is no such file")
        return f"Successfully renamed {_shown(old)} to {_shown(new)}"

    async def _read(self) -> dict[str, str]:
        """The texts of all files, by path."""
        limited = await self._memory.apply(count_call, self._turn())
        if limited is not None:
            wait = "answer the person now" if limited.wait is None else f"wait {limited.wait.total_seconds():.0f} s"
            raise ToolError(f"rate_limited: only {limited.limit} calls are allowed; {wait}")
        turn, look = self._turn(), self._memory.look
        notes, own = await asyncio.gather(look(named_notes, turn, "file"), look(told_memories, turn))
        if isinstance(notes, NoAccess) or isinstance(own, NoAccess):
            return {}
        note_lines = [f"ID:{note.id} {note.text}{note.span}" for note in own if name_of(note, "file") is None]
        files = {name: memory.content for name, memory in notes.items()}
        return files | ({KNOWN: "\n".join(note_lines)} if note_lines else {})

    async def _editable(self, path_value: str) -> tuple[str, str]:
        path, files = _path(path_value), await self._read()
        if path not in files or path == KNOWN:
            why = "can only be read" if path == KNOWN else "does not exist. Please provide a valid path."
            raise ToolError(f"The path {_shown(path)} {why}")
        return path, files[path]

    async def _write(self, path: str, text: str) -> None:
        await self._change(put_named, "file", path, text.rstrip("\n"))

    async def _change(self, operation: Callable[Concatenate[Tx, Turn, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            outcome = await self._memory.apply(operation, self._turn(), *args, **kwargs)
        except InvalidInput as error:
            raise ToolError(f"Nothing was changed: {error}") from error
        if isinstance(outcome, NoAccess):
            raise ToolError(f"Nothing was changed: {outcome.reason}")
        if isinstance(outcome, LimitReached):
            counts = f"{outcome.count} of {outcome.limit} notes are kept"
            raise ToolError(f"Nothing was changed: {counts}; none was dropped for it")
        return outcome

    def _turn(self) -> Turn:
        return self._speaker if isinstance(self._speaker, Turn) else self._speaker()


def _path(value: object) -> str:
    """The path below the root; empty for the root itself."""
    text = value if isinstance(value, str) else ""
    parts = [part for part in text.removeprefix(ROOT).split("/") if part]
    if not (text == ROOT or text.startswith(f"{ROOT}/")) or {".", ".."} & set(parts):
        raise ToolError(f"A path must begin with {ROOT}/ and name no . or .., not {text[:200]!a}")
    return "/".join(parts)


def _shown(path: str) -> str:
    return f"{ROOT}/{path}" if path else ROOT


def _inside(files: Mapping[str, object], path: str) -> list[str]:
    """The file itself, or all files of the directory."""
    return [name for name in files if not path or name == path or name.startswith(f"{path}/")]


def _check_new(files: Mapping[str, object], path: str) -> None:
    """Refuse a path where a file cannot be: taken, a directory, the read-only file, or below a file; or unreadable."""
    if not path.isprintable() or not {"<", ">"}.isdisjoint(path):
        raise ToolError(f"A path is of visible characters, without < and >, not {path[:200]!a}")
    above = {path.rsplit("/", depth)[0] for depth in range(1, path.count("/") + 1)}
    if path == KNOWN or _inside(files, path) or above & {*files, KNOWN}:
        raise ToolError(f"File {_shown(path)} already exists, or a file stands where it would be")
    try:
        checked_name(path)
    except InvalidInput as error:
        raise ToolError(str(error)) from error


def _numbered(text: str, only: list[int] | None) -> list[tuple[int, str]]:
    lines = [(number, f"{number:6}\t{line}") for number, line in enumerate(text.split("\n"), 1)]
    if only and len(only) == 2:
        lines = lines[max(only[0], 1) - 1 : None if only[1] == -1 else only[1]]
    return lines
