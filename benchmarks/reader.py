"""How the rules alone, and the rules with the learned reader, read messages with labels.

./run bench reader FILE...      files of labelled messages (tests/data/messages.md)
./run bench reader --mistakes FILE...   also what was stored and is not in the labels

Loosely, an item is right where it touches the words of a label of a like kind; strictly, where its key and its value
are those of the label, as messages.md has it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _loose_labels import is_same
from _reader_labels import Label, Message, is_alike, kind_of, place, read

from zgadka.extract.authored_text import own_words
from zgadka.extract.extraction import Extraction
from zgadka.extract.learned.review import packaged_review
from zgadka.extract.rules import extract
from zgadka.model.inference import Inferred

_KEYS = {"home": "location", "kin": "partner", "thing": "possession", "event": "date", "faith": "religion"}


def _touches(message: Message, item: Inferred, label: Label) -> bool:
    where = place(message.text, message.words, item.value)
    if where is None or not is_alike(kind_of(item.key, item.type), label.kind):
        return False
    return where[0] < label.end and label.first < where[1]


def _is_same(_: Message, item: Inferred, label: Label) -> bool:
    keys = {item.key} if kind_of(item.key, item.type) == label.kind else {_KEYS.get(label.kind, label.kind)}
    return any(
        is_same(item, {"key": key, "type": "", "value": label.values[0], "also": label.values[1:]}) for key in keys
    )


def count(
    messages: list[tuple[Message, Extraction]], fits: Callable[[Message, Inferred, Label], bool]
) -> tuple[Counter[str], list[str]]:
    """Return how many items are right, allowed or wrong, and the wrong ones that were stored."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for message, found in messages:
        ours = [label for label in message.labels if label.kind != "other"]
        sure = [label for label in ours if label.sure]
        hit: set[int] = set()
        for item in found.certain:
            fitting = {number for number, label in enumerate(sure) if fits(message, item, label)}
            if fitting:
                counts["right"] += not fitting <= hit
                hit |= fitting
            elif any(label.sure is None and fits(message, item, label) for label in ours) or not message.is_placed:
                counts["allowed"] += 1
            else:
                counts["wrong"] += 1
                wrong.append(f"{message.id} {item.key}: {item.value!r} of {message.text[:170]!r}")
        for item in found.uncertain:
            counts["asked"] += 1
            counts["asked right"] += any(fits(message, item, label) for label in message.labels)
            hit_now = {number for number, label in enumerate(sure) if fits(message, item, label)}
            counts["certain that are asked"] += bool(hit_now - hit)
        counts["certain"] += len(sure)
        counts["found"] += len(hit)
    return counts, wrong


def line(counts: Counter[str]) -> str:
    """Return what was counted, in one line."""
    stored = counts["right"] + counts["allowed"] + counts["wrong"]
    precision = (counts["right"] + counts["allowed"]) / stored if stored else 1.0
    return (
        f"certain {counts['right']} / {counts['allowed']} / {counts['wrong']}, precision {precision:.3f}, "
        f"recall {counts['found'] / max(1, counts['certain']):.3f}; asked {counts['asked']}, right "
        f"{counts['asked right']} ({counts['certain that are asked']} certain)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--mistakes", action="store_true")
    parser.add_argument("--only", default="", help="messages whose id begins so")
    given = parser.parse_args()
    for path in given.files:
        lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        lines = [line for line in lines if line["id"].startswith(given.only)]
        messages = [read(line, lambda _: (0,)) for line in lines]
        own = [own_words(message.text) for message in messages]
        by_rules = [extract(words) for words in own]
        packaged_review(own[0], by_rules[0])
        taken: list[float] = []
        both: list[Extraction] = []
        for words, found in zip(own, by_rules, strict=True):
            start = time.thread_time()
            both.append(packaged_review(words, found))
            taken.append((time.thread_time() - start) * 1000)
        taken.sort()
        print(f"{path.name}, {len(messages)} messages")
        for title, found in (("rules", by_rules), ("with the reader", both)):
            for how, fits in (("loosely", _touches), ("strictly", _is_same)):
                counts, wrong = count(list(zip(messages, found, strict=True)), fits)
                print(f"  {title}, {how}: {line(counts)}")
                if given.mistakes and how == "loosely":
                    print("\n".join(f"    {one}" for one in wrong))
        print(f"  the reader took {taken[len(taken) // 2]:.1f} ms, p95 {taken[len(taken) * 95 // 100]:.1f}")


if __name__ == "__main__":
    main()
