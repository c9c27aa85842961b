"""From a typed function to a tool: its declaration, and the check of what a model passes."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from zgadka.errors import InvalidInput
from zgadka.model.check import Check, Length, Range, checker, refusal, shown, text, truth
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import unstorable

Schema = dict[str, Any]

_LARGEST = 2**64
_LONGER_THAN_ANY = 100_000
_TYPES: dict[Any, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


NO_OBJECT = "no JSON object"
"""The name under which a door hands on what a model wrote where an object of arguments belongs."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter as declared: `schema` is its JSON Schema, `check` takes its name and what was given for it."""

    name: str
    schema: Schema
    required: bool
    check: Check

    @property
    def is_text(self) -> bool:
        """Whether it holds free text, or a list of texts."""
        kind: Schema = self.schema.get("items", self.schema)
        return kind["type"] == "string" and "enum" not in kind


@dataclass(frozen=True)
class Tool:
    """A tool that models call; its name, description and parameters are read off its function.

    Attributes:
        function: A plain function over a transaction; the keyword `turn`, then the declared parameters.
        set: The tool set it belongs to: `core`, `facts`, …
        also_in: Another set that it is part of.
        read_only: Whether it changes nothing.
        destructive: Whether it can remove something that `undo` brings back only for a while.
        idempotent: Whether the same call again changes nothing more.
        is_long: Whether it only reads, and may compute for long: then it gives way to what others ask.
        asks: Whether it always asks the person first, and does it once they agreed in a later turn.
        asks_where_blank: The parameter that makes it such a tool where its text is blank.
        version: Of the declaration; stored calls carry it.
        looks_with: The parameter with which a call of it only looks something up, and changes nothing.
        failed: What its statuses begin with when it was not done; empty for most.
        finished: Takes into its answer how much of what was done in the transactions that followed its own.
        look: Looks up, while others write, what a call of a turn would go through; it is then `tx.looked`.
        foresee: Has asked together what a call of a turn with these arguments will ask; it changes nothing.
    """

    function: Callable[..., ToolResult]
    _: KW_ONLY
    set: str
    title: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    is_long: bool = False
    version: int = 1
    failed: str = ""
    asks: bool = False
    asks_where_blank: str | None = None
    looks_with: str | None = None
    also_in: str | None = None
    finished: Callable[[ToolResult, Mapping[str, int]], ToolResult] | None = None
    look: Callable[[Tx, Turn], object] | None = None
    foresee: Callable[[Tx, Turn, Mapping[str, Any]], None] | None = None

    @cached_property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """What the docstring says before `Args:`."""
        return self._docstring[0].strip()

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What the signature declares, with what the docstring says of each."""
        described = dict(re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", self._docstring[2], re.MULTILINE))
        hints = get_type_hints(self.function, include_extras=True)
        return tuple(
            Parameter(
                name=name,
                schema=_schema(hints[name]) | {"description": re.sub(r"\s+", " ", described[name])},
                required=parameter.default is inspect.Parameter.empty,
                check=checker(hints[name], _RULES),
            )
            for name, parameter in inspect.signature(self.function).parameters.items()
            if name not in ("tx", "turn")
        )

    @cached_property
    def _docstring(self) -> tuple[str, str, str]:
        return inspect.cleandoc(self.function.__doc__ or "").partition("\nArgs:\n")

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters' names."""
        return frozenset(parameter.name for parameter in self.parameters)

    @cached_property
    def query(self) -> str | None:
        """The parameter that says what to look for; None where nothing is looked for."""
        return next((name for name in ("query", "search_query") if name in self.names), None)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The parameters whose texts it keeps: not what it looks for, nor names, nor words of a fixed list."""
        if self.read_only:
            return ()
        without = {self.query, "target_user"}
        if not self.names & {"fact_value", "new_value", "content"}:  # of a key without a value, nothing is kept
            without.add("fact_key")
        return tuple(
            parameter.name for parameter in self.parameters if parameter.is_text and parameter.name not in without
        )

    def may_ask(self, arguments: object) -> bool:
        """Whether a call with these arguments may ask the person, or do what they were asked about."""
        if self.asks or self.asks_where_blank is None or not isinstance(arguments, Mapping):
            return self.asks
        content = cast("Mapping[str, object]", arguments).get(self.asks_where_blank)
        return isinstance(content, str) and not content.strip()

    def only_looks(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments changes nothing."""
        return self.read_only or (self.looks_with is not None and arguments.get(self.looks_with) is not None)

    @property
    def remembers(self) -> bool:
        """Whether it adds something new, before which one should look what is known."""
        return self.name.startswith(("remember", "keep"))

    @property
    def schema(self) -> Schema:
        """The parameters as one JSON Schema object (draft 2020-12)."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.required],
            "additionalProperties": False,
        }

    def check(self, arguments: object) -> dict[str, Any]:
        """What the function is to be called with.

        Whatever a provider promised, we look: names, types, ranges, lengths, characters. A null or blank optional
        argument counts as not given, since models fill them in; a whole number may come as `24.0`.

        Raises:
            InvalidInput: The arguments cannot be meant; the text is a sentence that a model can act on.
        """
        if not isinstance(arguments, (dict, Mapping)):  # most are the one, for the other is slow to tell
            raise InvalidInput(f"the arguments must be one JSON object, not {shown(arguments)}")
        values = cast("Mapping[str, Any]", arguments)
        if NO_OBJECT in values:
            raise InvalidInput(f"the arguments must be one JSON object, not {shown(values[NO_OBJECT])}")
        names = self.names
        for name in values:
            if name not in names:
                takes = ", ".join(parameter.name for parameter in self.parameters)
                raise InvalidInput(f"unknown argument {shown(name)}; {self.name} takes {takes}")
        checked: dict[str, Any] = {}
        for parameter in self.parameters:
            name = parameter.name
            value = values.get(name)
            if parameter.required:
                if value is None:
                    # What is given is not named: where the host says who is meant, `user_id` is none of the model's.
                    needed = [name for name in self.schema["required"] if values.get(name) is None]
                    raise InvalidInput(f"missing argument {name!r}; {self.name} needs {', '.join(needed)}")
            elif value is None or (isinstance(value, str) and not value.strip()):
                continue
            checked[name] = parameter.check(name, value)
        return checked


def _schema(hint: Any) -> Schema:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, mark = parts
        schema = _schema(inner)
        if isinstance(mark, Range):
            return schema | {"minimum": mark.least, "maximum": mark.most}
        end = "Items" if schema["type"] == "array" else "Length"
        # That a text is not blank, and no longer than any that a model writes, is checked and need not be read.
        least = {f"min{end}": mark.least} if mark.least > (end == "Length") else {}
        most = {f"max{end}": mark.most} if mark.most < _LONGER_THAN_ANY else {}
        return schema | least | most
    if origin in (UnionType, Union):
        schemas = [_schema(part) for part in parts if part is not NoneType]
        return schemas[0] if len(schemas) == 1 else {"type": [schema["type"] for schema in schemas]}
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0])}
    if is_typeddict(hint):
        fields = _typed_fields(hint)
        return {
            "type": "object",
            "properties": {name: _schema(of_field) for name, (of_field, _) in fields.items()},
            "required": [name for name, (_, is_required) in fields.items() if is_required],
            "additionalProperties": False,
        }
    return {"type": _TYPES[hint]}


def _typed_fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a `TypedDict`: of each its type, and whether it must be there."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: (get_args(hint)[0], False) if get_origin(hint) is NotRequired else (hint, True)
        for name, hint in hints.items()
    }


def _whole(name: str, value: object, bounds: object = None, expected: str = "a whole number") -> float:
    if not _is_whole(value):
        raise refusal(name, expected, value)
    return _bounded(name, int(value), bounds)


def _is_whole(value: object) -> TypeGuard[float]:
    return value.is_integer() if isinstance(value, float) else isinstance(value, int) and not isinstance(value, bool)


def _number(name: str, value: object, bounds: object = None) -> float:
    if not (math.isfinite(value) if isinstance(value, float) else _is_whole(value)):
        raise refusal(name, "a number", value)
    return _bounded(name, cast("float", value), bounds)


def _bounded(name: str, value: float, bounds: object) -> float:
    if isinstance(bounds, Range):
        if not bounds.least <= value <= bounds.most:
            raise refusal(name, f"from {bounds.least} to {bounds.most}", value)
    elif isinstance(value, int) and abs(value) >= _LARGEST:
        raise refusal(name, "a number of at most 64 bits", value)
    return value


def _text(name: str, value: object, length: object = None) -> str:
    value = text(name, value)
    if not value.isprintable() and (trouble := unstorable(value)) is not None:  # most are, and have nothing to look for
        raise InvalidInput(f"{name} cannot be stored: {trouble}")
    if isinstance(length, Length):
        if length.least and (not value or value.isspace()):
            raise InvalidInput(f"{name} must not be blank")
        if len(value) > length.most:
            raise InvalidInput(f"{name} must have at most {length.most} characters, not {len(value)}")
    return value


def _text_or_whole(name: str, value: object, length: object = None) -> float | str:
    if isinstance(value, str):
        return _text(name, value, length)
    return _whole(name, value, None, "a text or a whole number")


_RULES: dict[Any, Callable[..., Any]] = {int: _whole, float: _number, str: _text, bool: truth, Literal: text}
_RULES[str | int] = _text_or_whole
