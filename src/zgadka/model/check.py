"""From an annotation to the check of a value that comes from outside: from a model, a file or a host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    is_typeddict,
)

from zgadka.errors import InvalidInput

Check = Callable[[str, Any], Any]
"""Takes a name and a value, and returns the value to use; raises InvalidInput with a sentence that names both."""

T = TypeVar("T")
Text = TypeVar("Text", bound=str)
_SHOWN = 60
_FIRST, _LAST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)


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


def checker(hint: Any, rules: Mapping[Any, Callable[..., Any]], mark: Any = None) -> Check:
    """The check of a type that is made of those in `rules`, of choices, lists and tuples; None where it may be None.

    The check of a type in `rules` also takes the mark, where the type is `Annotated` with one.
    """
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return checker(parts[0], rules, parts[1])
    if NoneType in parts and origin in (Union, UnionType):
        check = checker(Union[tuple(part for part in parts if part is not NoneType)], rules, mark)  # noqa: UP007
        return lambda name, value: None if value is None else check(name, value)
    if origin is Literal:
        rule = rules.get(Literal)
        return lambda name, value: choice(name, rule(name, value) if rule else value, parts)
    if origin is list:
        item = checker(parts[0], rules)
        return lambda name, value: [item(f"{name}[{at}]", part) for at, part in enumerate(_list(name, value, mark))]
    if origin is tuple:  # also where it is missing
        item = checker(parts[0], rules)
        return lambda name, value: () if value is None else tuple(item(name, part) for part in _list(name, value, mark))
    if is_typeddict(hint):  # whoever takes it checks its fields
        return an_object
    rule = rules[origin if origin not in (None, Union, UnionType) else hint]
    return rule if mark is None else lambda name, value: rule(name, value, mark)


def instance(of: type[T], expected: str) -> Callable[[str, object], T]:
    """The check that a value is of a class, which a refusal calls `expected`."""

    def check(name: str, value: object) -> T:
        if isinstance(value, of):
            return value
        raise refusal(name, expected, value)

    return check


_a_datetime = instance(datetime, "a datetime")


def moment(name: str, value: object) -> datetime:
    """The check that a value is a moment, whose time zone it tells, in a year that leaves room for any zone."""
    time = _a_datetime(name, value)
    if time.tzinfo is None:
        raise InvalidInput(f"{name} must say its time zone (datetime with tzinfo)")
    if not _FIRST <= time <= _LAST:
        raise InvalidInput(f"{name} must be in the years 2 to 9998, not {time}")
    return time


text, truth = instance(str, "a text"), instance(bool, "true or false")
an_object: Callable[[str, object], dict[str, Any]] = instance(dict, "an object")
_a_list: Callable[[str, object], list[Any]] = instance(list, "a list")


def choice(name: str, value: Any, choices: tuple[Text, ...]) -> Text:
    """The check of one of several texts."""
    if value not in choices:
        raise refusal(name, f"one of {', '.join(choices)}", value)
    return value


def refusal(name: str, expected: str, value: object) -> InvalidInput:
    """What is raised for a value that is not what was expected."""
    return InvalidInput(f"{name} must be {expected}, not {shown(value)}")


def shown(value: object) -> str:
    """The value as Python writes it in ASCII, cut: it may be anything, also what Python cannot print."""
    try:
        written = ascii(value)
    except ValueError:
        written = "a number with too many digits"
    except RecursionError:
        written = "lists within lists"
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"


def _list(name: str, value: object, length: object) -> list[Any]:
    items = _a_list(name, value)
    if isinstance(length, Length) and not length.least <= len(items) <= length.most:
        raise InvalidInput(f"{name} must have {length.least} to {length.most} items, not {len(items)}")
    return items
