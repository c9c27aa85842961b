"""Talks kept in a file as they end, so that an evaluation that was interrupted goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from zgadka.errors import InvalidInput
from zgadka.evals.behaviour import Answered, Made, Row, Talk
from zgadka.evals.scenario import Exchange, Scenario


class KeptTalks:
    """The talks of one model in a file with a talk a line, which other models may share.

    A talk is found again while the model, what it is told and what the people say are the same. How it is judged may
    change: that is done anew.

    Args:
        about: What the talks depend on besides their scenarios: the model, its prompts and tools.

    Raises:
        InvalidInput: The file cannot be read or written, or is no file of talks.
    """

    def __init__(self, path: Path, about: str) -> None:
        self._path = path
        self._about = about
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text("utf-8") if path.exists() else ""
            whole, _, torn = text.rpartition("\n")
            if torn:  # the program ended while it wrote this line
                path.write_text(f"{whole}\n" if whole else "", "utf-8")
            lines = [json.loads(line) for line in whole.splitlines()]
            self._answers = {line["key"]: line["answers"] for line in lines}
        except OSError as error:
            raise InvalidInput(f"cannot keep talks in {str(path)!r}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{str(path)!r} is no file of talks of `zgadka eval behaviour --keep`") from error

    def find(self, scenario: Scenario, run: int) -> Talk | None:
        """The talk through a scenario that was kept, counted from 0 where it is repeated; None if there is none."""
        answers = self._answers.get(self._key(scenario, run))
        if answers is None:
            return None
        exchanges = zip(scenario.exchanges, answers, strict=True)
        return Talk(scenario, [_answered(exchange, answer) for exchange, answer in exchanges])

    def add(self, talk: Talk, run: int) -> None:
        """Keep a talk; one that the provider broke off is tried again next time."""
        if talk.broken is not None:
            return
        answers = [asdict(replace(answer, exchange=None)) for answer in talk.answers]
        line = {"key": self._key(talk.scenario, run), "scenario": talk.scenario.name, "answers": answers}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")

    def _key(self, scenario: Scenario, run: int) -> str:
        people_say = [(exchange.speaker, exchange.later, exchange.says) for exchange in scenario.exchanges]
        stage = repr((self._about, replace(scenario, about="", catches=(), exchanges=()), people_say, run))
        return sha256(stage.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _answered(exchange: Exchange, answer: Mapping[str, Any]) -> Answered:
    fields: dict[str, Any] = {**answer, "exchange": exchange, "calls": [Made(**call) for call in answer["calls"]]}
    for name in ("rows_before", "rows_after"):
        fields[name] = [Row(**row) for row in answer[name]]
    return Answered(**fields)
