"""Which values are the same, by pairs that were labelled by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from zgadka.text.ages import is_same_age
from zgadka.text.canonical import canonical

DATA = Path(__file__).parents[2] / "data"
PRECISION, RECALL = 0.97, 0.95


@pytest.mark.parametrize("file", ["value_pairs.tsv", "value_pairs_held.tsv"])
def test_values_that_are_the_same_are_found_and_others_are_not(file: str) -> None:
    labels: list[bool] = []
    wrong: dict[bool, list[str]] = {True: [], False: []}
    for line in (DATA / file).read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        key, said, value, other_said, other, label, *_ = line.split("\t")
        is_same = label == "same"
        labels.append(is_same)
        if same(key, value, said, other, other_said) != is_same:
            wrong[is_same].append(f"{key}: {value} | {other}")
    found = sum(labels) - len(wrong[True])
    assert found / (found + len(wrong[False])) >= PRECISION, wrong[False]
    assert found / sum(labels) >= RECALL, wrong[True]


def same(key: str, value: str, said: str, other: str, other_said: str) -> bool:
    days = [date.fromisoformat(day) if day else None for day in (said, other_said)]
    forms = [canonical(text, key, day) for text, day in zip((value, other), days, strict=True)]
    if days[0] is not None and days[1] is not None:
        by_time = is_same_age(forms[0], days[0], forms[1], days[1])
        if by_time is not None:
            return by_time
    return forms[0] == forms[1]
