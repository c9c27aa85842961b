"""The labelled messages: how much of what the rules find is right, and how much of what is there they find."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from zgadka.extract.rules import extract

ROOT = Path(__file__).parents[3]
DAILY_TALK = ROOT / "tests" / "data" / "messages_dev6.jsonl"
WITH_TRAPS = ROOT / "tests" / "data" / "messages_dev10.jsonl"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    """`benchmarks/extract.py`, which knows when an item is the labelled one."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("benchmark_of_extraction", ROOT / "benchmarks" / "extract.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    sys.path.pop(0)
    return module


@pytest.fixture(scope="module")
def messages(benchmark: ModuleType) -> list[dict[str, Any]]:
    return benchmark.load("dev", "held")


@pytest.fixture(scope="module")
def measured(benchmark: ModuleType, messages: list[dict[str, Any]]) -> tuple[Any, Any]:
    return benchmark.measure(messages)


def test_there_are_enough_messages_and_a_third_of_the_first_batch_is_held_out(messages: list[dict[str, Any]]) -> None:
    languages = [message["lang"] for message in messages]
    assert len(messages) >= 400
    assert abs(languages.count("en") - languages.count("uk")) < 0.05 * len(messages)
    assert len({message["id"] for message in messages}) == len(messages)
    first = [message for message in messages if message["id"].startswith(("en-", "uk-"))]
    assert 0.28 < sum(message["split"] == "held" for message in first) / len(first) < 0.38


@pytest.mark.parametrize("batch", ["2", "3"])
def test_later_batches_are_all_for_writing_rules_against(batch: str, messages: list[dict[str, Any]]) -> None:
    later = [message for message in messages if message["id"].startswith((f"en{batch}-", f"uk{batch}-"))]
    assert len(later) >= 250
    assert {message["split"] for message in later} == {"dev"}


@pytest.mark.parametrize("split", ["dev", "held"])
def test_certain_items_are_right_and_most_are_found(split: str, benchmark: ModuleType) -> None:
    """The first run over what was held out gave 96 right of 99 (0.9697); see benchmarks/results/extract.md."""
    certain, _ = benchmark.measure(benchmark.load(split))
    assert certain["all"].precision >= 0.97
    assert certain["all"].recall >= 0.6
    assert min(certain["en"].recall, certain["uk"].recall) >= 0.6


def test_of_messages_whose_author_knew_no_rule_certain_items_are_right_and_most_are_found(
    benchmark: ModuleType,
) -> None:
    """The first run gave 135 right of 136, and 135 found of 225; of what is wrong here only the count is seen."""
    certain, _ = benchmark.measure(benchmark.load("held2"))
    assert certain["all"].precision >= 0.97
    assert certain["all"].recall >= 0.6


@pytest.fixture(scope="module")
def strangers(benchmark: ModuleType) -> tuple[Any, Any]:
    """What is found in messages whose author had seen no rule, no key and no earlier message."""
    return benchmark.measure_loosely(benchmark.load_strangers(benchmark.STRANGERS[0]))


def test_of_natural_chat_certain_items_are_right_and_most_are_found(strangers: tuple[Any, Any]) -> None:
    """The rules as they were when these messages came found 78 of 274 and had 9 wrong of 91; see messages.md."""
    certain, uncertain = strangers
    assert certain["all"].precision >= 0.97
    assert certain["all"].recall >= 0.72
    assert uncertain["all"].precision >= 0.9
    assert uncertain["all"].recall >= 0.58
    assert min(certain["en"].recall, certain["uk"].recall) >= 0.65


def test_of_the_second_strangers_chat_more_than_half_is_found(benchmark: ModuleType) -> None:
    """Before frames came 0.18 and 0.12 were found, and 0.77 right of what was stored; see messages.md."""
    certain, uncertain = benchmark.measure_loosely(benchmark.load_strangers(benchmark.STRANGERS[1]))
    assert certain["en"].recall >= 0.59
    assert certain["en"].precision >= 0.92
    assert certain["other"].wrong <= 2
    assert uncertain["en"].recall >= 0.3


def test_of_daily_talk_seven_of_ten_are_found_and_nothing_of_other_people(benchmark: ModuleType) -> None:
    """Two authors who saw no rule; before these messages were read 0.49 was found, 0.27 of what is uncertain."""
    certain, uncertain = benchmark.measure_loosely(benchmark.load_strangers(DAILY_TALK))
    assert certain["all"].precision >= 0.96
    assert certain["all"].recall >= 0.7
    assert uncertain["all"].precision >= 0.85
    assert uncertain["all"].recall >= 0.62
    assert (certain["other"].wrong, certain["nothing"].wrong) == (0, 0)


def test_of_messages_with_as_many_traps_nothing_wrong_is_certain(benchmark: ModuleType) -> None:
    """One author who saw no rule; before these messages were read 0.31 was found, and 0.87 right of what was stored."""
    certain, uncertain = benchmark.measure_loosely(benchmark.load_strangers(WITH_TRAPS))
    assert certain["all"].precision >= 0.99
    assert certain["all"].recall >= 0.69
    assert uncertain["all"].recall >= 0.48
    assert (certain["trap"].wrong, certain["nothing"].wrong) == (0, 0)


@pytest.mark.parametrize("kind", ["quote", "fiction", "code", "log"])
def test_of_natural_chat_nothing_comes_from_what_the_writer_does_not_say(kind: str, strangers: tuple[Any, Any]) -> None:
    certain, uncertain = strangers
    assert (certain[kind].wrong, uncertain[kind].wrong) == (0, 0)


def test_whatever_people_say_plainly_of_themselves_tells_something() -> None:
    lines = (ROOT / "tests" / "data" / "plain.txt").read_text("utf-8").splitlines()
    told = {line: extract(line) for line in lines if not line.startswith("#")}
    assert [line for line, extraction in told.items() if not extraction.certain + extraction.uncertain] == []


KINDS = ["question", "quote", "forward", "hostile", "code", "echo", "smalltalk", "past"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_wrong_comes_from_messages_of_a_kind(kind: str, measured: tuple[Any, Any]) -> None:
    certain, uncertain = measured
    assert (certain[kind].wrong, uncertain[kind].wrong) == (0, 0)
