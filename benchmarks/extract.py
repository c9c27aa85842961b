"""How well the rules read the labelled messages of tests/data, and how long they take.

./run bench extract            the messages that rules may be written against
./run bench extract --held     also those held out: look at their numbers, never at their mistakes

With --held the results are written; what they tell of first runs stays as it is.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _machine
from _loose_labels import Count, score

from zgadka.extract.authored_text import UserText
from zgadka.extract.rules import extract
from zgadka.extract.wishes import animal, kin_called, nominative_object, workplace_nominative
from zgadka.model.inference import Inferred
from zgadka.text.canonical import canonical

_DATA = Path(__file__).parents[1] / "tests" / "data"
# The second set held out is a file of its own, so that nobody who searches the first one comes upon it.
MESSAGES = (_DATA / "messages.jsonl", _DATA / "messages_held2.jsonl")
STRANGERS = (_DATA / "messages_dev3.jsonl", _DATA / "messages_dev4.jsonl")
_FIRST_RUNS = "## First runs"
_BATCHES = {"": "the first", "2": "the second", "3": "the third"}
_NOMINATIVES = (nominative_object, animal, workplace_nominative, kin_called)
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)


@dataclass
class Tally:
    """Items counted: found and right, found and wrong, missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    # Not in its representation: a failing assertion would show the mistakes of what is held out.
    mistakes: list[str] = field(default_factory=list, repr=False)

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def load(*splits: str) -> list[dict[str, Any]]:
    """Read the messages of some splits."""
    lines = (line for file in MESSAGES for line in file.read_text("utf-8").splitlines())
    return [message for message in map(json.loads, lines) if message["split"] in splits]


def user_text(message: dict[str, Any]) -> UserText:
    """The message as a host would build it."""
    context = message.get("context", {})
    return UserText(
        text=message["text"],
        quoted=tuple(context.get("quoted", ())),
        echoes=tuple(context.get("echo", ())),
        forwarded=context.get("forwarded", False),
    )


def is_same(item: Inferred, label: dict[str, Any]) -> bool:
    """Tell whether an item is the labelled one."""
    if (item.key, item.type) != (label["key"], label["type"]):
        return False
    found = _form(item.value, item.key)
    return any(
        # Ukrainian values are right in the nominative and as said.
        found in {_form(form, item.key) for form in (value, *(said(value) or value for said in _NOMINATIVES))}
        for value in (label["value"], *label.get("also", ()))
    )


def _form(value: str, key: str) -> str:
    return canonical(_ARTICLE.sub("", value), key)


def compare(found: Iterable[Inferred], labels: list[dict[str, Any]], tally: Tally, message: dict[str, Any]) -> None:
    """Count what was found against what was labelled."""
    left = list(labels)
    for item in found:
        match = next((label for label in left if is_same(item, label)), None)
        if match is None:
            tally.wrong += 1
            tally.mistakes.append(f"{message['id']} wrong  {item.text!r} of {message['text'][-80:]!r}")
        else:
            tally.right += 1
            left.remove(match)
    tally.missed += len(left)
    tally.mistakes += [
        f"{message['id']} missed {one['key']}: {one['value']!r} of {message['text'][-80:]!r}" for one in left
    ]


def measure(messages: list[dict[str, Any]]) -> tuple[dict[str, Tally], dict[str, Tally]]:
    """Return the tallies of certain and uncertain items, by kind, by language, and of all ("all")."""
    certain: defaultdict[str, Tally] = defaultdict(Tally)
    uncertain: defaultdict[str, Tally] = defaultdict(Tally)
    for message in messages:
        found = extract(user_text(message))
        for name in ("all", message["lang"], message["kind"]):
            compare(found.certain, message["certain"], certain[name], message)
            # An uncertain item that is true is a question too many, not a mistake; only its absence is.
            compare(found.uncertain, message["uncertain"], uncertain[name], message)
    return certain, uncertain


def load_strangers(*files: Path) -> list[dict[str, Any]]:
    """Read the messages whose authors had seen no rule, no key and no earlier message; of some files only."""
    return [json.loads(line) for file in files or STRANGERS for line in file.read_text("utf-8").splitlines()]


def measure_loosely(messages: list[dict[str, Any]]) -> tuple[dict[str, Count], dict[str, Count]]:
    """Return the counts of certain and uncertain items; keys are compared by family, values by words."""
    return score(messages, lambda message: extract(user_text(message)))


def _strangers_table() -> list[str]:
    messages = load_strangers()
    certain, uncertain = measure_loosely(messages)
    lines = [
        f"## Strangers' chat, {len(messages)} messages (rules were written against them)",
        "",
        (
            "| kind | certain: right | allowed | wrong | missed | precision | recall "
            "| uncertain: right | allowed | wrong | missed | precision | recall |"
        ),
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in ("all", "en", "uk", *sorted(set(certain) - {"all", "en", "uk"})):
        cells = [
            str(cell)
            for count in (certain[name], uncertain[name])
            for cell in (
                *(count.right, count.allowed, count.wrong, count.missed),
                *(f"{count.precision:.3f}", f"{count.recall:.3f}"),
            )
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, ""]


def times(messages: list[dict[str, Any]], rounds: int) -> list[float]:
    """Milliseconds for each message, the median of some rounds, sorted."""
    texts = [user_text(message) for message in messages]
    taken: list[list[float]] = [[] for _ in texts]
    for _ in range(rounds):
        for place, text in enumerate(texts):
            start = time.perf_counter()
            extract(text)
            taken[place].append((time.perf_counter() - start) * 1000)
    return sorted(statistics.median(one) for one in taken)


def _table(title: str, certain: dict[str, Tally], uncertain: dict[str, Tally], *, by_kind: bool = True) -> list[str]:
    lines = [
        f"## {title}",
        "",
        "| kind | certain: right | wrong | missed | precision | recall | uncertain: right | wrong | missed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    kinds = sorted(set(certain) - {"all", "en", "uk"}) if by_kind else ()
    for name in ("all", "en", "uk", *kinds):
        sure, unsure = certain[name], uncertain[name]
        shown = (f"{sure.precision:.3f}", f"{sure.recall:.3f}") if sure.right + sure.wrong + sure.missed else ("", "")
        lines.append(
            f"| {name} | {sure.right} | {sure.wrong} | {sure.missed} | {shown[0]} | {shown[1]} | {unsure.right} | "
            f"{unsure.wrong} | {unsure.missed} |"
        )
    return [*lines, ""]


def _by_batch(messages: list[dict[str, Any]]) -> list[str]:
    lines = [
        "### By batch and language",
        "",
        "| batch | messages | certain: right | wrong | missed | precision | recall |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for batch, name in _BATCHES.items():
        for lang in ("en", "uk"):
            of_batch = [message for message in messages if message["id"].startswith(f"{lang}{batch}-")]
            sure = measure(of_batch)[0]["all"]
            lines.append(
                f"| {name}, {lang} | {len(of_batch)} | {sure.right} | {sure.wrong} | {sure.missed} | "
                f"{sure.precision:.3f} | {sure.recall:.3f} |"
            )
    return [*lines, ""]


def _first_runs(results: Path) -> list[str]:
    """What the results tell of first runs: those cannot be measured again."""
    _, found, told = results.read_text("utf-8").partition(_FIRST_RUNS) if results.exists() else ("", "", "")
    return ["", *(found + told).splitlines()] if found else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", action="store_true", help="also the messages held out")
    parser.add_argument("--mistakes", action="store_true", help="print the mistakes, never those of messages held out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    dev = load("dev")
    certain, uncertain = measure(dev)
    if given.mistakes:
        print("\n".join([*certain["all"].mistakes, "-- uncertain", *uncertain["all"].mistakes]))
    lines = [
        "# Extraction by rules",
        "",
        *(f"- {name}: {said}" for name, said in _machine.describe(given.out.parent).items()),
        "",
        *_table(f"dev, {len(dev)} messages", certain, uncertain),
        *_by_batch(dev),
    ]
    for split, name in (("held", "held out"), ("held2", "held out, the second set")) if given.held else ():
        held = load(split)
        # Of the second set totals alone: a table by kinds once told where to look for its mistakes.
        lines += _table(f"{name}, {len(held)} messages", *measure(held), by_kind=split != "held2")
    lines += _strangers_table()
    if given.mistakes:
        print("\n".join(line for counts in measure_loosely(load_strangers()) for line in counts["all"].mistakes))
    taken = times(load("dev", "held", "held2"), given.rounds)
    lines += [
        "## Time",
        "",
        (
            f"p50 {taken[len(taken) // 2]:.3f} ms, p95 {taken[int(len(taken) * 0.95)]:.3f} ms, most "
            f"{taken[-1]:.3f} ms a message."
        ),
    ]
    results = given.out / "extract.md"
    text = "\n".join([*lines, *_first_runs(results)]) + "\n"
    if given.held:
        given.out.mkdir(parents=True, exist_ok=True)
        results.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
