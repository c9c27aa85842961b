"""From a typed function to a tool: its declaration, and the check of what a model passes."""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from zgadka.errors import InvalidInput
from zgadka.model.result import ToolResult
from zgadka.text.clean import unstorable

Schema = dict[str, Any]

_SHOWN = 60
_LARGEST = 2**64
_TYPES: dict[Any, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}
_ARTICLES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
}


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter accepts, both ends included."""

    least: float
    most: float


@dataclass(frozen=True)
class Length:
    """How many characters a text, or how many items a list, may have; a text must not be blank unless `least` is 0."""

    least: int
    most: int


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter as declared: `schema` is its JSON Schema."""

    name: str
    schema: Schema
    required: bool

    @property
    def is_text(self) -> bool:
        """Whether it holds free text, or a list of texts."""
        kind: Schema = self.schema.get("items", self.schema)
        return kind["type"] == "string" and "enum" not in kind


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that models call.

    Attributes:
        function: A plain function over a transaction; the keyword `turn`, then the declared parameters.
        set: The tool set it belongs to: `core`, `facts`, …
        read_only: Whether it changes nothing.
        destructive: Whether it can remove something that `undo` brings back only for a while.
        idempotent: Whether the same call again changes nothing more.
        version: Of the declaration; stored calls carry it.
        failed: What its statuses begin with when it was not done; empty for most.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., ToolResult]
    set: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    version: int = 1
    failed: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters' names."""
        return frozenset(parameter.name for parameter in self.parameters)

    @cached_property
    def query(self) -> str | None:
        """The parameter that says what to look for; None where nothing is looked for."""
        return next((one.name for one in self.parameters if one.name in ("query", "search_query")), None)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The parameters whose texts it keeps: not what it looks for, nor names, nor words of a fixed list."""
        if self.read_only:
            return ()
        named = {self.query, "target_user"}
        if not self.names & {"fact_value", "new_value"}:  # of a key without a value, nothing is kept
            named.add("fact_key")
        return tuple(one.name for one in self.parameters if one.is_text and one.name not in named)

    @property
    def remembers(self) -> bool:
        """Whether it adds something new, before which one should look what is known."""
        return self.name.startswith("remember")

    @property
    def schema(self) -> Schema:
        """The parameters as one JSON Schema object (draft 2020-12)."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.required],
            "additionalProperties": False,
        }

    def check(self, given: object) -> dict[str, Any]:
        """What the function is to be called with.

        Whatever a provider promised, we look: names, types, ranges, lengths, characters. A null or blank optional
        argument counts as not given, since models fill them in; a whole number may come as `24.0`.

        Raises:
            InvalidInput: The arguments cannot be meant; the text is a sentence that a model can act on.
        """
        if not isinstance(given, (dict, Mapping)):  # most are the one, for the other is slow to tell
            raise InvalidInput(f"the arguments must be one JSON object, not {_shown(given)}")
        arguments = cast("Mapping[str, Any]", given)
        names = self.names
        for name in arguments:
            if name not in names:
                takes = ", ".join(parameter.name for parameter in self.parameters)
                raise InvalidInput(f"unknown argument {_shown(name)}; {self.name} takes {takes}")
        checked: dict[str, Any] = {}
        for parameter in self.parameters:
            name = parameter.name
            given = arguments.get(name)
            if parameter.required:
                if given is None:
                    raise InvalidInput(
                        f"missing argument {name!r}; {self.name} needs {', '.join(self.schema['required'])}"
                    )
            elif given is None or (isinstance(given, str) and not given.strip()):
                continue
            checked[name] = _checked(name, parameter.schema, given)
        return checked


def declare(
    function: Callable[..., ToolResult],
    *,
    set: str,  # noqa: A002  (the field's word)
    title: str,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    version: int = 1,
    failed: str = "",
) -> Tool:
    """Read a tool's declaration off its signature and docstring."""
    description, documented = _docstring(function)
    hints = typing.get_type_hints(function, include_extras=True)
    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("tx", "turn"):
            continue
        schema = _schema(hints[name])
        schema["description"] = documented[name]
        parameters.append(Parameter(name=name, schema=schema, required=parameter.default is inspect.Parameter.empty))
    return Tool(
        name=function.__name__,
        title=title,
        description=description,
        parameters=tuple(parameters),
        function=function,
        set=set,
        read_only=read_only,
        destructive=destructive,
        idempotent=idempotent or read_only,
        version=version,
        failed=failed,
    )


def _docstring(function: Callable[..., ToolResult]) -> tuple[str, dict[str, str]]:
    """The description, and what is said of each parameter under `Args:`."""
    text, _, arguments = inspect.cleandoc(function.__doc__ or "").partition("\nArgs:\n")
    entries = re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", arguments, re.MULTILINE)
    return text.strip(), {name: re.sub(r"\s+", " ", said) for name, said in entries}


def _schema(hint: Any) -> Schema:
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        schema = _schema(inner)
        for mark in marks:
            _mark(schema, mark)
        return schema
    if get_origin(hint) in (types.UnionType, typing.Union):
        kinds = [_schema(kind) for kind in get_args(hint) if kind is not type(None)]
        return kinds[0] if len(kinds) == 1 else {"type": [kind["type"] for kind in kinds]}
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if get_origin(hint) is list:
        return {"type": "array", "items": _schema(get_args(hint)[0])}
    return {"type": _TYPES[hint]}


def _mark(schema: Schema, mark: Range | Length) -> None:
    match mark:
        case Range(least, most):
            schema |= {"minimum": least, "maximum": most}
        case Length(least, most) if schema["type"] == "array":
            schema |= {"minItems": least, "maxItems": most}
        case Length(least, most):
            schema |= {"minLength": least, "maxLength": most}


def _checked(name: str, schema: Schema, given: Any) -> Any:
    declared: str | list[str] = schema["type"]
    if isinstance(given, str) and declared == "string":  # what most are
        return _checked_text(name, schema, given)
    kinds = (declared,) if isinstance(declared, str) else declared
    if isinstance(given, float) and given.is_integer() and "integer" in kinds:
        given = int(given)
    for kind in kinds:
        if _is(kind, given):
            break
    else:
        kind = "a list" if "array" in kinds else " or ".join(_ARTICLES[kind] for kind in kinds)
        raise InvalidInput(f"{name} must be {kind}, not {_shown(given)}")
    if isinstance(given, str):
        return _checked_text(name, schema, given)
    if isinstance(given, list):
        return _checked_list(name, schema, cast("list[Any]", given))
    if "minimum" in schema and not schema["minimum"] <= given <= schema["maximum"]:
        raise InvalidInput(f"{name} must be from {schema['minimum']} to {schema['maximum']}, not {_shown(given)}")
    if isinstance(given, int) and abs(given) >= _LARGEST:
        raise InvalidInput(f"{name} must be a number of at most 64 bits, not {_shown(given)}")
    return given


def _is(kind: str, given: Any) -> bool:
    match kind:
        case "integer":
            return isinstance(given, int) and not isinstance(given, bool)
        case "number":
            return _is("integer", given) or (isinstance(given, float) and math.isfinite(given))
        case "boolean":
            return isinstance(given, bool)
        case "array":
            return isinstance(given, list)
        case _:
            return isinstance(given, str)


def _checked_text(name: str, schema: Schema, given: str) -> str:
    if (choices := schema.get("enum")) is not None:
        if given not in choices:
            raise InvalidInput(f"{name} must be one of {', '.join(choices)}, not {_shown(given)}")
        return given
    if not given.isprintable() and (trouble := unstorable(given)) is not None:  # most are, and have nothing to look for
        raise InvalidInput(f"{name} cannot be stored: {trouble}")
    if "minLength" in schema:  # `_mark` sets both
        if schema["minLength"] and (not given or given.isspace()):
            raise InvalidInput(f"{name} must not be blank")
        if len(given) > schema["maxLength"]:
            raise InvalidInput(f"{name} must have at most {schema['maxLength']} characters, not {len(given)}")
    return given


def _checked_list(name: str, schema: Schema, given: list[Any]) -> list[Any]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(given) <= most:
        raise InvalidInput(f"{name} must have {least} to {most} items, not {len(given)}")
    return [_checked(f"{name}[{index}]", schema["items"], item) for index, item in enumerate(given)]


def _shown(given: Any) -> str:
    """The value as Python writes it in ASCII, cut: a model may pass anything, also what Python cannot print."""
    try:
        text = ascii(given)
    except ValueError:
        text = "a number with too many digits"
    except RecursionError:
        text = "lists within lists"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
