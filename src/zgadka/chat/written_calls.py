"""Tool calls that a model writes as text: small models do so, in a fence, in tags, as JSON or as Python."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, cast

_WRAPPING = re.compile(r"^\s*(?:```\w*|<\|?\w+\|?>|\[TOOL_CALLS\])\s*|\s*(?:```|</\w+>|<\|\w+\|>)\s*$")
_FENCED = re.compile(r"[ \t]*```\w*\n(.*?)\n?```", re.DOTALL)
_OPENINGS = ("```", "{", "[{", "[TOOL_CALLS]", "<tool_call", "<function", "<|python_tag")
_LONGEST = 20_000  # characters; nobody writes a call in more

_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")


class WrittenCall(NamedTuple):
    """A call as the text has it."""

    tool: str
    arguments: dict[str, Any]


class Withheld:
    """Text as it comes from a model, of which nothing is passed on that may turn out to be a call.

    Attributes:
        call: What the text turned out to be, once all of it came; None: an answer.
    """

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        openings = map(re.escape, (*_OPENINGS, *(f"{tool}(" for tool in sorted(tools))))
        self._opening = re.compile(rf"^[ \t]*(?:{'|'.join(openings)})", re.MULTILINE)
        self._held = ""
        self.call: WrittenCall | None = None

    def pass_on(self, piece: str) -> str:
        """What may be shown by now, of this piece and those before."""
        self._held += piece
        if not self._tools or len(self._held) > _LONGEST:
            cut = len(self._held)
        elif match := self._opening.search(self._held):
            cut = match.start()
            fenced = _FENCED.match(self._held, cut)
            if fenced is not None and written_call(fenced[1], self._tools) is None:
                cut = fenced.end()  # code, and no call
        else:
            line = self._held.rfind("\n") + 1  # it may become the beginning of a call
            cut = line if self._may_open(self._held[line:]) else len(self._held)
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown

    def rest(self) -> str:
        """What is left to be shown once all has come; nothing where it is a call."""
        text, self._held = self._held, ""
        self.call = written_call(text, self._tools)
        return "" if self.call is not None else text

    def _may_open(self, line: str) -> bool:
        start = line.lstrip(" \t")
        openings = (*_OPENINGS, *(f"{tool}(" for tool in self._tools))
        return any(opening.startswith(start) for opening in openings)


def written_call(text: str, tools: Collection[str]) -> WrittenCall | None:
    """The call that a text is, of one of these tools; None: it is none.

    `{"name": "recall", "arguments": {"query": "tea"}}`, also in a list, under other names, in a fence or in tags; and
    `recall(query="tea")`.
    """
    while (bare := _WRAPPING.sub("", text)) != text:
        text = bare
    text = text.strip()
    return next(_from_json(text, tools), None) or _from_python(text, tools)


def _from_json(text: str, tools: Collection[str]) -> Iterator[WrittenCall]:
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    for item in cast("list[object]", value) if isinstance(value, list) else [value]:
        yield from _from_object(item, tools)


def _from_object(item: object, tools: Collection[str]) -> Iterator[WrittenCall]:
    if not isinstance(item, Mapping):
        return
    fields = cast("Mapping[str, Any]", item)
    for nested in ("tool_calls", "function", "tool_call", "function_call"):
        inner = fields.get(nested)
        for candidate in cast("list[object]", inner) if isinstance(inner, list) else [inner]:
            yield from _from_object(candidate, tools)
    name = next((fields[key] for key in _NAMES if isinstance(fields.get(key), str)), None)
    if name is None or name not in tools:
        return
    arguments = next((fields[key] for key in _ARGUMENTS if key in fields), None)
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return
    if arguments is None:
        arguments = {key: value for key, value in fields.items() if key not in (*_NAMES, "type", "id")}
    if isinstance(arguments, dict):
        yield WrittenCall(name, cast("dict[str, Any]", arguments))


def _from_python(text: str, tools: Collection[str]) -> WrittenCall | None:
    if text.partition("(")[0] not in tools:
        return None
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            return None
        arguments = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return WrittenCall(call.func.id, arguments)
