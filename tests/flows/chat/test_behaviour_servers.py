"""The evaluation of behaviour through fake Gemini and OpenAI servers gives the verdicts that it gives in this process.

`./run bench behaviour` does the same with every scenario and every scripted model.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from zgadka.evals.behaviour import Talk, run_scenarios
from zgadka.evals.judge import Check, judge
from zgadka.evals.listening import scripted_model
from zgadka.evals.scenario import GROUPS, load_scenarios
from zgadka.evals.scripted import script_for

# The fake ends a Gemini function call with a finish reason that Google's own library does not know.
pytestmark = pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason:UserWarning")

ALL = load_scenarios().scenarios
ONE_OF_EACH = [next(one for one in ALL if one.group == group) for group in GROUPS]
ROUNDS = {
    "good": [*ONE_OF_EACH, *(one for one in ALL if not one.direct and one.group in ("forget", "several"))],
    **{
        bad: [one for one in ALL if bad in one.catches][:1]
        for bad in ("claims", "calls_twice", "invents_ids", "wrong_types", "others_ids", "obeys_injections")
    },
}


@pytest.fixture
def server(aimock: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    scripted_provider = importlib.import_module("_scripted_provider").scripted_provider
    node, command = aimock
    with scripted_provider(node, Path(command).parents[1]) as provider:
        yield provider


def verdicts(talks: Sequence[Talk]) -> dict[str, list[Check]]:
    assert [talk.broken for talk in talks if talk.broken] == []
    return {talk.scenario.name: [*judge(talk).checks] for talk in talks}


@cache
def verdicts_here(name: str) -> dict[str, list[Check]]:
    return verdicts(asyncio.run(run_scenarios(ROUNDS[name], lambda one: scripted_model(script_for(name, one)))))


@pytest.mark.parametrize("model", ["google:gemini-3.8-flash", "openai:gpt-6-luna"])
def test_the_same_verdicts_come_through_real_clients(server: Any, model: str) -> None:
    for name, scenarios in ROUNDS.items():
        there = verdicts(asyncio.run(server.talk(model, name, scenarios)))
        assert server.failed == []
        assert there == verdicts_here(name), name
        assert any(check.failed for checks in there.values() for check in checks) is (name != "good")
    assert server.requests > 60
