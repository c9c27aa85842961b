"""What a small model writes in the place of an answer: tool calls as text, and its own prompt once more."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from zgadka.text.prompt_quoting import FENCE

_WRAPPING = re.compile(r"^\s*(?:```\w*|<\|?\w+\|?>|\[TOOL_CALLS\])\s*|\s*(?:```|</\w+>|<\|\w+\|>)\s*$")
_FENCED = re.compile(r"[ \t]*```\w*\n(.*?)\n?```", re.DOTALL)
_OPENINGS = ("```", "{", "[{", "[TOOL_CALLS]", "<tool_call", "<function", "<|python_tag")
_TAG = re.compile(r"\s*<(\w+)((?:\s+[^<>]*?)?)/?>(?:(.*?)</\1>)?\s*", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(\w+)=("[^"]*"|'[^']*'|[^\s"'=]+)""")

_SPEAKER = "Speaker: user_id="
_ECHO = re.compile(rf"^[ \t]*<{FENCE}>.*?</{FENCE}>\s*", re.DOTALL | re.MULTILINE)
_ECHO_AT_END = re.compile(
    rf"^[ \t]*<{FENCE}>.*|^{_SPEAKER}-?\d+\s*(?:^Now: [^\n]*\s*)?(?:^Message:\s*)?", re.DOTALL | re.MULTILINE
)
"""What `prompt.message_prompt` puts before a message, or the beginning of it."""
_LONGEST = 20_000  # characters; nobody writes a call in more

_NAMES = ("name", "tool", "tool_name", "function", "action")
_OPENING = re.compile(rf"""[\s\[{{]*?(\{{\s*"(?:{"|".join(_NAMES)})"\s*:\s*"(\w+)")""")
"""What a call as JSON begins with."""
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")


class WrittenCall(NamedTuple):
    """A call as the text has it."""

    tool: str
    arguments: dict[str, Any]


class Withheld:
    """Text as it comes from a model, of which nothing is passed on that may turn out to be a call or its own prompt.

    Args:
        message: What is answered: a model that repeats its prompt repeats this too.

    Attributes:
        calls: What the text turned out to be, once all of it came; none: an answer.
        is_echo: Whether the model wrote what tells nobody anything: parts of its prompt, which say who speaks and all
            that is remembered, or a call that it did not finish.
    """

    def __init__(self, tools: Collection[str], message: str = "") -> None:
        self._tools = tools
        self._message = message
        written = (form for tool in sorted(tools) for form in (f"{tool}(", f"<{tool}>", f"<{tool} "))
        self._openings = (f"<{FENCE}>", _SPEAKER, *_OPENINGS, *written)
        self._opening = re.compile(rf"^[ \t]*(?:{'|'.join(map(re.escape, self._openings))})", re.MULTILINE)
        self._held = ""
        self.calls: Sequence[WrittenCall] = ()
        self.is_echo = False

    def pass_on(self, piece: str) -> str:
        """What may be shown by now, of this piece and those before."""
        self._held = self._without(_ECHO, self._held + piece)
        match = self._opening.search(self._held)
        if match is not None and _ECHO_AT_END.match(self._held, match.start()):  # held however long it gets
            cut = match.start()
        elif not self._tools or len(self._held) > _LONGEST:
            cut = len(self._held)
        elif match is not None:
            cut = match.start()
            fenced = _FENCED.match(self._held, cut)
            if fenced is not None and not written_calls(fenced[1], self._tools):
                cut = fenced.end()  # code, and no call
        else:
            line = self._held.rfind("\n") + 1  # it may become the beginning of a call
            cut = line if self._may_open(self._held[line:]) else len(self._held)
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown

    def rest(self) -> str:
        """What is left to be shown once all has come; nothing where it is a call."""
        text, self._held = self._without(_ECHO_AT_END, self._held), ""
        if self.is_echo:
            text = text.removeprefix(self._message)
        self.calls = written_calls(text, self._tools)
        if not self.calls and _is_broken_off(text, self._tools):
            self.is_echo = True
            return ""
        return "" if self.calls else text

    def _without(self, echo: re.Pattern[str], text: str) -> str:
        text, echoes = echo.subn("", text)
        self.is_echo = self.is_echo or echoes > 0
        return text

    def _may_open(self, line: str) -> bool:
        start = line.lstrip(" \t")
        return any(opening.startswith(start) for opening in self._openings)


def written_calls(text: str, tools: Collection[str]) -> Sequence[WrittenCall]:
    """The calls that a text is, of some of these tools, each once; none where it is, or also is, something else.

    `{"name": "recall", "arguments": {"query": "tea"}}`, also in a list, line by line, under other names, in double
    braces, in a fence or in tags; `recall(query="tea")`; `<recall query="tea">`.
    """
    if (call := _from_tag(text, tools)) is not None:
        return [call]
    while (bare := _WRAPPING.sub("", text)) != text:
        text = bare
    calls: list[WrittenCall] = []
    for value in _json_values(text.strip()):
        calls += _from_object(value, tools)
    if calls:
        return [call for index, call in enumerate(calls) if call not in calls[:index]]
    python = _from_python(text.strip(), tools)
    return [] if python is None else [python]


def _is_broken_off(text: str, tools: Collection[str]) -> bool:
    """Whether a text begins as a call of one of these tools as JSON, and that comes to no end."""
    while (bare := _WRAPPING.sub("", text)) != text:
        text = bare
    opening = _OPENING.match(text)
    if opening is None or opening[2] not in tools:
        return False
    with suppress(ValueError, RecursionError):
        json.JSONDecoder(strict=False).raw_decode(text, opening.start(1))
        return False
    return True


def _json_values(text: str) -> Iterator[object]:
    """The text as JSON; or each line, where all begin as objects: the last may have been cut off."""
    lines = text.split("\n")
    if len(lines) == 1 or not all(line.startswith(('{"', '{{"')) for line in lines):
        lines = [text]
    for line in map(str.strip, lines):
        doubled = line.startswith("{{") and line.endswith("}}")
        with suppress(ValueError, RecursionError):
            value: object = json.loads(line[1:-1] if doubled else line, strict=False)
            yield from cast("list[object]", value) if isinstance(value, list) else [value]


def _from_tag(text: str, tools: Collection[str]) -> WrittenCall | None:
    """The call that a tag named like a tool is, with arguments as attributes, or within it as JSON or line by line."""
    tag = _TAG.fullmatch(text)
    if tag is None or tag[1] not in tools:
        return None
    attributes, body = tag[2], (tag[3] or "").strip()
    if body.startswith("{"):
        calls = written_calls(f'{{"name": "{tag[1]}", "arguments": {body}}}', tools)
        return calls[0] if calls else None
    lines = [line.partition("=") for line in body.splitlines()]
    if _ATTRIBUTE.sub("", attributes).strip() or not all(equals for _, equals, _ in lines):
        return None
    pairs = [*_ATTRIBUTE.findall(attributes), *((name.strip(), value.strip()) for name, _, value in lines)]
    return WrittenCall(tag[1], {name: _value(value) for name, value in pairs}) if pairs else None


def _value(written: str) -> object:
    try:
        return json.loads(written, strict=False)
    except ValueError:
        return written[1:-1] if written[:1] in ("'", '"') else written


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
