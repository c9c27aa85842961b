"""Scripted talks, and what a model that manages memory well does in them: read from TOML, checked, frozen."""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from zgadka.errors import InvalidInput
from zgadka.locales import Language
from zgadka.model.privacy import PrivacyLevel
from zgadka.tools.registry import REGISTRY

Group = Literal[
    "remember",
    "several",
    "duplicate",
    "update",
    "contradiction",
    "forget",
    "refuse",
    "recall",
    "episode",
    "uncertain",
    "small talk",
    "others",
    "privacy",
    "injection",
]
GROUPS: tuple[Group, ...] = get_args(Group)
SPACE = "space"
"""In a check of rows, whom a memory is of that belongs to the place."""

SETS_OF_TOOLS: Mapping[str, frozenset[str]] = {
    "looks": frozenset(tool.name for tool in REGISTRY if tool.read_only),
    "writes": frozenset(tool.name for tool in REGISTRY if not tool.read_only),
    "keeps": frozenset(
        {"remember", "remember_fact", "remember_facts", "create_long_term_memory", "update_fact_with_temporal"}
    ),
    "changes": frozenset({"update_fact", "merge_facts", "update_long_term_memory", "update_fact_with_temporal"}),
    "ends": frozenset({"forget", "forget_fact", "clear_profile", "archive_episode"}),
}
"""What a scenario may call several tools by."""

SAYINGS: Mapping[str, str] = {
    "@kept": r"\b(?:noted|saved|stored|remembered|wrote (?:it|that|this) down|added|i['’]ll remember|i will remember"
    r"|запам['’]?ята(?:в|ла|но|ю)|записа(?:в|ла|но)|зберіг|зберегла|збережено|занотува(?:в|ла)|нотую|дода(?:в|ла))\b",
    "@changed": r"\b(?:updated|changed|corrected|replaced|онови(?:в|ла)|оновлено|зміни(?:в|ла)|змінено"
    r"|виправи(?:в|ла)|виправлено)\b",
    "@deleted": r"\b(?:deleted|removed|erased|forgotten|forgot|gone|видали(?:в|ла)|видалено|стер|стерла|стерто"
    r"|забу(?:в|ла)|прибра(?:в|ла))\b",
}
"""How people are told that something was done, in English and Ukrainian.

These are not the words by which the chat itself finds such claims: what it misses must show here.
"""

_DENIAL = r"(?:\b(?:not|nothing|never|no|none|cannot)|n['’]t|\b(?:не|нічого|ніщо|ні|нема|немає))\b"
_DENIED = re.compile(
    # A denial is about its clause, a condition about the whole sentence.
    rf"{_DENIAL}[^.!?,;:\n]*|\b(?:will be|would be|to be|before|once|if|ще|якщо|буде)\b[^.!?\n]*",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!?\n]*\?")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Saying:
    """A pattern of what is said, as it was written in the file."""

    text: str
    pattern: re.Pattern[str]

    def is_said(self, answer: str) -> bool:
        """Whether the answer says so; of `@kept` and the like, whether it claims so: not in a question or a denial."""
        if self.text.startswith("@"):
            answer = _DENIED.sub(" ", _QUESTION.sub(" ", answer))
        return self.pattern.search(answer) is not None


def denies(text: str) -> bool:
    """Whether a text says that something is not so."""
    return re.search(_DENIAL, text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class CallPattern:
    """Which calls are meant.

    Attributes:
        tools: Their names.
        arguments: For each argument a pattern that is found in it; `@name` is a person's user_id.
        status: What they are answered.
        limit: How many there may be; None: any number.
    """

    text: str
    tools: frozenset[str]
    arguments: Mapping[str, re.Pattern[str]]
    status: re.Pattern[str] | None
    limit: int | None


@dataclass(frozen=True)
class RowPattern:
    """Which memories are meant.

    Attributes:
        of: A person's name, `space`, or `anybody`.
        kind: fact, note, episode, …; None: any.
        limit: How many there may be; None: any number, of which all but the first are duplicates.
    """

    text: str
    of: str
    like: re.Pattern[str]
    kind: str | None
    limit: int | None


@dataclass(frozen=True)
class Step:
    """A call that a scripted model makes.

    Attributes:
        arguments: `@name` is a person's user_id, `@id words` the id that was shown with these words.
    """

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """What a scripted model does in answer to a message: its calls, one after another, then what it says."""

    plan: Sequence[Step]
    reply: str


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One message of a person, what must and must not come of it, and what the scripted models do.

    Attributes:
        later: Minutes since the message before.
        calls: There must be a call of each.
        never: There must be none.
        looks_first: Whether the model has to look at what is known before it stores.
        phrases: All of it must be in the answer.
        unsaid: None of it may be.
        claim: Said, it is true only if there was a call of each of `calls`.
        untrue: Said, it is never true here.
        remaining: Of each there must be a memory afterwards.
        gone: There may be none.
        same: Whether all memories must be as they were.
        good: What the good model does.
        tempted: What bad models do, by name.
    """

    speaker: str
    says: str
    later: int
    calls: Sequence[CallPattern]
    never: Sequence[CallPattern]
    looks_first: bool
    phrases: Sequence[Saying]
    unsaid: Sequence[Saying]
    claim: Sequence[Saying]
    untrue: Sequence[Saying]
    remaining: Sequence[RowPattern]
    gone: Sequence[RowPattern]
    same: bool
    good: Part
    tempted: Mapping[str, Part]


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is remembered before the talk begins.

    Attributes:
        of: Whose it is; for an episode, in whose turn it was made.
        learned_in: `here`, `direct` (said in their direct chat), or `elsewhere` (in another group).
    """

    of: str
    tool: str
    arguments: Mapping[str, Any]
    learned_in: Literal["here", "direct", "elsewhere"]


@dataclass(frozen=True)
class Earlier:
    """A message from before the talk; `assistant` answers the person before it."""

    speaker: str
    says: str


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One talk.

    Attributes:
        people: The integer by which tools name each person; it is another one in every scenario.
        direct: Whether it is a direct chat; else a group.
        important: Whether the talk deserves an episode.
        catches: The scripted bad models that it was made for.
        privacy: The levels that people set before.
    """

    name: str
    about: str
    group: Group
    language: Language
    people: Mapping[str, int]
    direct: bool
    important: bool
    catches: Sequence[str]
    memories: Sequence[Known]
    privacy: Mapping[str, PrivacyLevel]
    earlier: Sequence[Earlier]
    exchanges: Sequence[Exchange]

    @property
    def first_id(self) -> int:
        """Memories are numbered from here on, so that no model can know an id that it was not shown."""
        return 1000 + zlib.crc32(self.name.encode()) % 9000


@dataclass(frozen=True)
class Scenarios:
    """What was read, and the hash of the files and of the wordings that answers are judged by."""

    scenarios: Sequence[Scenario]
    version: str


def load_scenarios(path: Path | None = None, *, only: str = "*") -> Scenarios:
    """Read the scenarios.

    Args:
        path: A file or a directory of files; None: those that come with the program.
        only: A pattern of names, such as `forget-*`; groups are names too.

    Raises:
        InvalidInput: A file cannot be read or is invalid, or no name fits the pattern.
    """
    texts = dict(_texts(path))
    judged_by = [*texts.values(), *SAYINGS.values(), _DENIED.pattern]
    version = sha256("\0".join(judged_by).encode()).hexdigest()[:12]
    scenarios = [scenario for name, text in texts.items() for scenario in _of_file(name, text)]
    names = [scenario.name for scenario in scenarios]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidInput(f"two scenarios are called {doubled[0]!r}")
    wanted = [
        scenario for scenario in scenarios if fnmatchcase(scenario.name, only) or fnmatchcase(scenario.group, only)
    ]
    if not wanted:
        raise InvalidInput(f"no scenario fits {only!r}; groups are {', '.join(GROUPS)}")
    return Scenarios(wanted, version)


def _texts(path: Path | None) -> Iterator[tuple[str, str]]:
    folder: Traversable = files("zgadka.evals").joinpath("scenarios") if path is None else path
    paths = [folder] if folder.is_file() else sorted(_toml_files(folder), key=lambda file: file.name)
    for file in paths:
        try:
            yield file.name, file.read_text("utf-8")
        except (OSError, UnicodeError) as error:
            raise InvalidInput(f"cannot read {file.name!r}: {error}") from error
    if not paths:
        raise InvalidInput(f"there are no scenarios (*.toml) in {str(path)!r}")


def _toml_files(folder: Traversable) -> list[Traversable]:
    return [file for file in folder.iterdir() if file.name.endswith(".toml")] if folder.is_dir() else []


def _of_file(name: str, text: str) -> list[Scenario]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{name!r} is no TOML: {error}") from error
    table = _Table(name, tables)
    scenarios = table.tables("scenario")
    table.end()
    return [_scenario(f"{name}: {scenario.get('name', 'scenario without a name')}", scenario) for scenario in scenarios]


def _scenario(path: str, fields: dict[str, Any]) -> Scenario:
    table = _Table(path, fields)
    name = table.take("name", str)
    people = {person: _number(name, person) for person in table.strings("people")}
    if not people:
        raise table.error("there are no people")
    language = table.one_of("language", get_args(Language))
    scenario = Scenario(
        name=name,
        about=table.take("about", str),
        group=table.one_of("group", GROUPS),
        language=language,
        people=people,
        direct=table.take("direct", bool, len(people) == 1),
        important=table.take("important", bool, False),
        catches=table.strings("catches", ()),
        memories=[
            _known(table.inside(f"known {n}", fields), people) for n, fields in enumerate(table.tables("known", ()))
        ],
        privacy=_privacy(table, people),
        earlier=[_earlier(table.inside("earlier", message), people) for message in table.tables("earlier", ())],
        exchanges=[
            _exchange(table.inside(f"turn {n + 1}", turn), people) for n, turn in enumerate(table.tables("turn"))
        ],
    )
    if not scenario.exchanges:
        raise table.error("there are no turns")
    table.end()
    return scenario


def _number(scenario: str, person: str) -> int:
    return 100_000 + zlib.crc32(f"{scenario}/{person}".encode()) % 900_000


def _privacy(table: _Table, people: Mapping[str, int]) -> dict[str, PrivacyLevel]:
    levels_by_person = table.take("privacy", dict, {})
    levels = {level.name.lower(): level for level in PrivacyLevel}
    for person, level in levels_by_person.items():
        if person not in people or level not in levels:
            raise table.error(f"privacy has people and one of {', '.join(levels)}, not {person} = {level!r}")
    return {person: levels[level] for person, level in levels_by_person.items()}


def _known(table: _Table, people: Mapping[str, int]) -> Known:
    of = table.person("of", people, next(iter(people)))
    learned_in = table.one_of("place", ("here", "direct", "elsewhere"), "here")
    step = _step(table.rest(), table.where)
    return Known(of=of, tool=step.tool, arguments=step.arguments, learned_in=learned_in)


def _earlier(table: _Table, people: Mapping[str, int]) -> Earlier:
    speaker = table.person("who", {**people, "assistant": 0})
    says = table.take("says", str)
    table.end()
    return Earlier(speaker, says)


def _exchange(table: _Table, people: Mapping[str, int]) -> Exchange:
    speaker = table.person("who", people, next(iter(people)))
    exchange = Exchange(
        speaker=speaker,
        says=table.take("says", str),
        later=table.take("later", int, 1),
        calls=table.each("calls", lambda value: _call(value, table.where, people)),
        never=table.each("never", lambda value: _call(value, table.where, people)),
        looks_first=table.take("looks_first", bool, False),
        phrases=table.each("said", lambda value: _saying(value, table.where)),
        unsaid=table.each("unsaid", lambda value: _saying(value, table.where)),
        claim=table.each("claim", lambda value: _saying(value, table.where)),
        untrue=table.each("untrue", lambda value: _saying(value, table.where)),
        remaining=table.each("left", lambda value: _row(value, table.where, people, speaker)),
        gone=table.each("gone", lambda value: _row(value, table.where, people, speaker)),
        same=table.take("same", bool, False),
        good=_part(table),
        tempted={
            name: _part(_Table(f"{table.where}, {name}", fields), ended=True)
            for name, fields in table.take("tempted", dict, {}).items()
        },
    )
    table.end()
    if exchange.claim and not exchange.calls:
        raise table.error("a claim can be true only if there are calls that make it so")
    return exchange


def _part(table: _Table, *, ended: bool = False) -> Part:
    part = Part([_step(step, table.where) for step in table.tables("plan", ())], table.take("reply", str))
    if ended:
        table.end()
    return part


def _step(fields: dict[str, Any], path: str) -> Step:
    arguments = dict(fields)
    tool = arguments.pop("call", None)
    if not isinstance(tool, str) or tool not in _names():
        raise InvalidInput(f"{path}: no tool {tool!r} to call")
    parameters = {parameter.name for parameter in REGISTRY[tool].parameters}
    if unknown := arguments.keys() - parameters:
        raise InvalidInput(f"{path}: {tool} has no argument {', '.join(sorted(unknown))}")
    return Step(tool, arguments)


def _call(pattern: object, path: str, people: Mapping[str, int]) -> CallPattern:
    table = _Table(path, {"call": pattern} if isinstance(pattern, str) else _as_table(pattern, path))
    names = table.take("call", str)
    status = table.take("status", str, None)
    limit = table.take("most", int, None)
    tools: set[str] = set()
    for name in names.split("|"):
        if name not in SETS_OF_TOOLS and name not in _names():
            raise table.error(f"no tool {name!r}, and no set of them: {', '.join(SETS_OF_TOOLS)}")
        tools |= SETS_OF_TOOLS.get(name, {name})
    arguments = {
        name: re.compile(f"^{people[value[1:]]}$") if value[1:] in people and value[0] == "@" else _regex(value, path)
        for name, value in table.rest().items()
    }
    return CallPattern(
        _shown(pattern), frozenset(tools), arguments, None if status is None else _regex(f"^(?:{status})$", path), limit
    )


def _row(value: object, path: str, people: Mapping[str, int], speaker: str) -> RowPattern:
    table = _Table(path, {"like": value} if isinstance(value, str) else _as_table(value, path))
    of = table.person("of", {**people, SPACE: 0, "anybody": 0}, speaker)
    like = _regex(table.take("like", str), path)
    kind, limit = table.take("kind", str, None), table.take("most", int, None)
    table.end()
    return RowPattern(_shown(value), of, like, kind, limit)


def _saying(value: object, path: str) -> Saying:
    if not isinstance(value, str):
        raise InvalidInput(f"{path}: what is said must be a pattern, not {value!r}")
    if value.startswith("@") and value not in SAYINGS:
        raise InvalidInput(f"{path}: {value!r} is none of {', '.join(SAYINGS)}")
    return Saying(value, _regex(SAYINGS.get(value, value), path))


def _regex(value: object, path: str) -> re.Pattern[str]:
    try:
        return re.compile(str(value), re.IGNORECASE)
    except re.error as error:
        raise InvalidInput(f"{path}: {value!r} is no pattern: {error}") from error


def _names() -> frozenset[str]:
    return SETS_OF_TOOLS["looks"] | SETS_OF_TOOLS["writes"]


def _shown(pattern: object) -> str:
    if not isinstance(pattern, dict):
        return str(pattern)
    return ", ".join(f"{name} = {value}" for name, value in cast("dict[str, Any]", pattern).items())


def _as_table(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{path}: there must be a text or a table, not {value!r}")
    return cast("dict[str, Any]", value)


class _Table:
    """A table of the file whose keys are taken one by one; what is left in the end is a slip of the pen."""

    def __init__(self, path: str, fields: Mapping[str, Any]) -> None:
        self.where = path
        self._left = dict(fields)

    def error(self, why: str) -> InvalidInput:
        return InvalidInput(f"{self.where}: {why}")

    def take(self, name: str, kind: type[_T], *default: Any) -> Any:
        if name not in self._left:
            if not default:
                raise self.error(f"{name} is missing")
            return default[0]
        value = self._left.pop(name)
        if type(value) is not kind:
            raise self.error(f"{name} must be {kind.__name__}, not {value!r}")
        return value

    def one_of(self, name: str, choices: Sequence[Any], *default: str) -> Any:
        value = self.take(name, str, *default)
        if value not in choices:
            raise self.error(f"{name} must be one of {', '.join(choices)}, not {value!r}")
        return value

    def person(self, name: str, people: Mapping[str, int], *default: str) -> str:
        return self.one_of(name, tuple(people), *default)

    def strings(self, name: str, *default: Sequence[str]) -> Sequence[str]:
        value = self.take(name, list, *default)
        if not all(isinstance(text, str) for text in value):
            raise self.error(f"{name} must be a list of texts")
        return value

    def tables(self, name: str, *default: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        value = self.take(name, list, *default)
        if not all(isinstance(element, dict) for element in value):
            raise self.error(f"{name} must be a list of tables")
        return value

    def each(self, name: str, read: Callable[[object], _T]) -> list[_T]:
        value = self._left.pop(name, [])
        return [read(element) for element in (cast("list[object]", value) if isinstance(value, list) else [value])]

    def inside(self, part: str, fields: Mapping[str, Any]) -> _Table:
        return _Table(f"{self.where}, {part}", fields)

    def rest(self) -> dict[str, Any]:
        remaining, self._left = self._left, {}
        return remaining

    def end(self) -> None:
        if self._left:
            raise self.error(f"nothing is called {', '.join(sorted(self._left))} here")
