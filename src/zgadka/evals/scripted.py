"""Models that are scripts: a good one, which does in each scenario what it should, and bad ones, each in its own way.

A script sees what a language model sees, messages and tool results, and nothing else: ids that it passes on are those
that it was shown. So it is the same through a fake server of a provider as in this process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from zgadka.errors import InvalidInput
from zgadka.evals.lean import in_lean_words
from zgadka.evals.scenario import Exchange, Part, Scenario, Step
from zgadka.tools.registry import REGISTRY

_IDS = ("memory_id", "fact_id", "episode_id")
_SHOWN_ID = re.compile(r"\bID:(\d+)")
_REFERENCE = re.compile(r"\{id ([^}]*)\}")
SCRIPT = "scripted:"
"""What the name of a model begins with that is a script."""

_CONFIDENCE = 0.9
_MADE_UP = 31337


@dataclass(frozen=True)
class Heard:
    """A message as a model gets it; a tool's is its result, as JSON."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str


@dataclass(frozen=True)
class Move:
    """What a model answers to one request: calls, or a text."""

    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    text: str = ""


Script = Callable[[Sequence[Heard]], Move]
"""Takes all messages, the system prompt first."""


@dataclass(frozen=True)
class _Plan:
    """What is done in answer to one message; the calls of one batch are made at once."""

    batches: Sequence[Sequence[Step]]
    reply: str


_Maker = Callable[[Scenario, Exchange], _Plan]


def script_for(name: str, scenario: Scenario, *, lean: bool = False) -> Script:
    """The script of this name in this scenario.

    Args:
        lean: Whether it has the lean tools.

    Raises:
        InvalidInput: There is none.
    """
    if name not in _MAKERS:
        raise InvalidInput(f"no scripted model {name!r}; there are {', '.join(_MAKERS)}")
    make = _MAKERS[name]

    def script(heard: Sequence[Heard]) -> Move:
        index, exchange = _now(scenario, heard)
        part = exchange.tempted.get(name)
        plan = make(scenario, exchange) if part is None else _in_turn(part)
        if lean:
            batches = [[each for step in batch for each in in_lean_words(step, exchange)] for batch in plan.batches]
            plan = replace(plan, batches=batches)
        since = heard[index + 1 :]
        done = sum(message.role == "tool" for message in since)
        context = _Shown(scenario, exchange, heard, since, strict=name == "good")
        for batch in plan.batches:
            if done < len(batch):
                return Move(calls=[(step.tool, context.arguments(step)) for step in batch[done:]])
            done -= len(batch)
        return Move(text=context.filled(plan.reply))

    return script


def _now(scenario: Scenario, heard: Sequence[Heard]) -> tuple[int, Exchange]:
    """The place of the last message of the scenario, and which one it is; a provider may join it to others."""
    for index in range(len(heard) - 1, -1, -1):
        if heard[index].role == "user":
            for exchange in reversed(scenario.exchanges):
                if exchange.says in heard[index].text:
                    return index, exchange
    raise InvalidInput(f"nothing that is said in {scenario.name!r} is among the messages")


@dataclass(frozen=True)
class _Shown:
    """What was shown to the model, to find ids in.

    Attributes:
        strict: Whether what was not shown is a mistake in the scenario; a bad model then makes something up.
    """

    scenario: Scenario
    exchange: Exchange
    heard: Sequence[Heard]
    since: Sequence[Heard]
    strict: bool

    def arguments(self, step: Step) -> dict[str, Any]:
        arguments = {name: self._value(value) for name, value in step.arguments.items()}
        for parameter in REGISTRY[step.tool].parameters:
            if parameter.name == "user_id" and parameter.required:
                arguments.setdefault("user_id", self._person(self.exchange.speaker))
            elif parameter.name in ("confidence", "merged_confidence"):
                arguments.setdefault(parameter.name, _CONFIDENCE)
        return arguments

    def filled(self, text: str) -> str:
        """The text with the ids that it refers to."""
        return _REFERENCE.sub(lambda match: str(self._id(match[1])), text)

    def _value(self, value: Any) -> Any:
        match value:
            case list():
                return [self._value(element) for element in cast("list[Any]", value)]
            case str() if value.startswith("@id "):
                return self._id(value.removeprefix("@id "))
            case str() if value.startswith("@"):
                return self._person(value[1:])
            case str():
                return self.filled(value)
            case _:
                return value

    def _person(self, name: str) -> int:
        number = self.scenario.people[name]
        if self.strict and not any(str(number) in message.text for message in self.heard):
            raise InvalidInput(f"{self.scenario.name}: nobody showed the model who {name} is")
        return number

    def _id(self, words: str) -> int:
        pattern = re.compile(words, re.IGNORECASE)
        results = [json.loads(message.text) for message in reversed(self.since) if message.role == "tool"]
        ids = [number for result in results for number in _ids(result, pattern)]
        if not ids:
            lines = [
                line for message in reversed(self.heard) for line in message.text.splitlines() if pattern.search(line)
            ]
            ids = [int(digits) for line in lines for digits in _SHOWN_ID.findall(line)]
        if not ids and self.strict:
            raise InvalidInput(f"{self.scenario.name}: no id was shown with {words!r}")
        return ids[0] if ids else _MADE_UP


def _ids(result: Any, pattern: re.Pattern[str]) -> Iterator[int]:
    """Ids of what fits, the smallest things first: of a list's items rather than of the whole."""
    if isinstance(result, list):
        for element in cast("list[Any]", result):
            yield from _ids(element, pattern)
    elif isinstance(result, dict):
        fields = cast("dict[str, Any]", result)
        for value in fields.values():
            yield from _ids(value, pattern)
        if pattern.search(json.dumps(fields, ensure_ascii=False)):
            yield from (fields[name] for name in _IDS if isinstance(fields.get(name), int))


# The models


def _in_turn(part: Part) -> _Plan:
    return _Plan([[step] for step in part.plan], part.reply)


def _good(_: Scenario, exchange: Exchange) -> _Plan:
    return _in_turn(exchange.good)


def _never_calls(scenario: Scenario, _: Exchange) -> _Plan:
    return _Plan([], {"en": "Good to know.", "uk": "Зрозуміло."}[scenario.language])


def _claims(_: Scenario, exchange: Exchange) -> _Plan:
    """Says all that the good one says, and does nothing of it."""
    return _Plan([], exchange.good.reply)


def _calls_twice(scenario: Scenario, exchange: Exchange) -> _Plan:
    """Confirms a deletion in the turn in which it asks."""
    plan = _good(scenario, exchange)
    asks = [step for step in exchange.good.plan if step.tool == "forget" and "memory_id" in step.arguments]
    if not asks:
        return plan
    batches = [[*batch, *batch] if batch[0] in asks else batch for batch in plan.batches]
    return _Plan(batches, {"en": "I deleted it.", "uk": "Я видалив це."}[scenario.language])


def _invents_ids(scenario: Scenario, exchange: Exchange) -> _Plan:
    def invented(value: Any) -> Any:
        if isinstance(value, list):
            return [invented(element) for element in cast("list[Any]", value)]
        if not isinstance(value, str):
            return value
        return _MADE_UP if value.startswith("@id ") else _REFERENCE.sub(str(_MADE_UP), value)

    return _each_value(_good(scenario, exchange), lambda _, value: invented(value))


def _wrong_types(scenario: Scenario, exchange: Exchange) -> _Plan:
    words = {"confidence": "very sure", "importance": "high", "user_id": "the user"}

    def wrong(name: str, value: Any) -> Any:
        return words.get(name) or ({"value": value} if isinstance(value, str) else str(value))

    def spoiled(step: Step) -> Step:
        required = {
            parameter.name: 0
            for parameter in REGISTRY[step.tool].parameters
            if parameter.required and parameter.name in words
        }
        arguments = {**required, **step.arguments}
        return replace(step, arguments={name: wrong(name, value) for name, value in arguments.items()})

    return _each_step(_good(scenario, exchange), spoiled)


def _others_ids(scenario: Scenario, exchange: Exchange) -> _Plan:
    """Passes another person's user_id, or one next to it where there is nobody else."""
    other_people = [name for name in scenario.people if name != exchange.speaker]

    def swapped(step: Step) -> Step:
        if not any(parameter.name == "user_id" and parameter.required for parameter in REGISTRY[step.tool].parameters):
            return step
        user_id = scenario.people[other_people[0]] if other_people else scenario.people[exchange.speaker] + 1
        return replace(step, arguments={**step.arguments, "user_id": user_id})

    return _each_step(_good(scenario, exchange), swapped)


def _stores_small_talk(scenario: Scenario, exchange: Exchange) -> _Plan:
    plan = _good(scenario, exchange)
    if any(not REGISTRY[step.tool].read_only for step in exchange.good.plan):
        return plan
    return replace(plan, batches=[*plan.batches, [Step("remember", {"content": exchange.says[:1000]})]])


def _stores_own_words(scenario: Scenario, exchange: Exchange) -> _Plan:
    plan = _good(scenario, exchange)
    return replace(plan, batches=[*plan.batches, [Step("remember", {"content": exchange.good.reply[:1000]})]])


def _never_looks(scenario: Scenario, exchange: Exchange) -> _Plan:
    """Stores and answers without looking at what is known; ids it takes from what it is shown anyway."""
    plan = _good(scenario, exchange)
    return replace(plan, batches=[batch for batch in plan.batches if not REGISTRY[batch[0].tool].read_only])


def _repeats(scenario: Scenario, exchange: Exchange) -> _Plan:
    """Stores everything once more, in other words."""
    text_arguments: Mapping[str, str] = {"remember_fact": "fact_value", "remember": "content"}
    addition = {"en": "as was said", "uk": "як і було сказано"}[scenario.language]

    def repeated(step: Step) -> Sequence[Step]:
        if step.tool not in text_arguments:
            return [step]
        name = text_arguments[step.tool]
        return [step, replace(step, arguments={**step.arguments, name: f"{step.arguments[name]}, {addition}"})]

    plan = _good(scenario, exchange)
    return replace(plan, batches=[list(repeated(step)) for batch in plan.batches for step in batch])


def _never_updates(scenario: Scenario, exchange: Exchange) -> _Plan:
    """Adds a second value where the first has changed."""

    def added(step: Step) -> Step:
        if step.tool != "update_fact":
            return step
        arguments = {
            name: step.arguments[name] for name in ("user_id", "fact_type", "fact_key") if name in step.arguments
        }
        return Step("remember_fact", {**arguments, "fact_value": step.arguments["new_value"]})

    return _each_step(_good(scenario, exchange), added)


def _no_episodes(scenario: Scenario, exchange: Exchange) -> _Plan:
    plan = _good(scenario, exchange)
    return replace(plan, batches=[batch for batch in plan.batches if batch[0].tool != "create_episode"])


def _each_step(plan: _Plan, change: Callable[[Step], Step]) -> _Plan:
    return replace(plan, batches=[[change(step) for step in batch] for batch in plan.batches])


def _each_value(plan: _Plan, change: Callable[[str, Any], Any]) -> _Plan:
    return _each_step(
        plan,
        lambda step: replace(step, arguments={name: change(name, value) for name, value in step.arguments.items()}),
    )


TEMPTED = {
    "obeys_injections": "takes instructions from quoted, forwarded or recalled text",
    "believes_all": "stores guesses, jokes, quotes and what others said as facts",
    "tells_others": "tells one person what is another's, or acts for them",
    "ignores_refusal": "deletes although the person refused",
    "translates": "stores in another language than was spoken",
}
"""Bad models that do what the scenarios say that they do, and elsewhere what the good one does."""

BAD: Mapping[str, str] = {
    "never_calls": "never calls a tool",
    "calls_twice": "confirms a deletion in the turn in which it asks",
    "invents_ids": "passes ids that nobody showed it",
    "wrong_types": "passes words for numbers and objects for texts",
    "claims": "says that it did what it did not do",
    "others_ids": "passes another person's user_id",
    "stores_small_talk": "stores what is not worth it",
    "stores_own_words": "stores what it said itself",
    "never_looks": "neither looks before it stores nor before it answers",
    "repeats": "stores everything twice, in other words",
    "never_updates": "adds a second value where something changed",
    "no_episodes": "makes no episode of an important talk",
    **TEMPTED,
}
"""The bad models, and what each does."""

_MAKERS: Mapping[str, _Maker] = {
    "good": _good,
    "never_calls": _never_calls,
    "calls_twice": _calls_twice,
    "invents_ids": _invents_ids,
    "wrong_types": _wrong_types,
    "claims": _claims,
    "others_ids": _others_ids,
    "stores_small_talk": _stores_small_talk,
    "stores_own_words": _stores_own_words,
    "never_looks": _never_looks,
    "repeats": _repeats,
    "never_updates": _never_updates,
    "no_episodes": _no_episodes,
    **dict.fromkeys(TEMPTED, _good),
}
SCRIPTED: tuple[str, ...] = tuple(_MAKERS)
"""The names of all scripted models, the good one first."""
