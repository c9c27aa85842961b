"""How well the same value is known again: a labelled list of pairs, told through `remember_fact`."""

from __future__ import annotations

from pathlib import Path

import pytest

from zgadka import Settings, open_memory

PAIRS = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data/duplicates.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
MOST_STORED_TWICE = 0.05


@pytest.mark.asyncio
async def test_of_the_same_values_few_are_stored_twice_and_of_different_ones_none_is_merged(make_person):
    """Each pair is told by a person of its own. Its second value is known again, or it is not."""
    wrong: dict[str, list[tuple[str, str]]] = {"same": [], "different": []}
    async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
        for number, (value, other, key, label, _) in enumerate(PAIRS, 1):
            person = make_person(memory, user=number)
            assert (await person.fact(key, value)).status == "success"
            known = (await person.fact(key, other)).status == "skipped"
            if known is not (label == "same"):
                wrong[label].append((value, other))
    same = sum(label == "same" for _, _, _, label, _ in PAIRS)
    assert wrong["different"] == []
    assert len(wrong["same"]) <= MOST_STORED_TWICE * same, wrong["same"]


@pytest.mark.asyncio
async def test_no_two_different_values_are_suggested_as_the_same(make_person):
    suggested: list[tuple[str, str]] = []
    async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
        for number, (value, other, _, label, _) in enumerate(PAIRS, 1):
            if label == "different":
                person = make_person(memory, user=number)
                await person.fact("anything", value)
                await person.fact("anything", other)
                result = await person.call("suggest_merge", user_id=number)
                suggested += [(value, other) for group in result["groups"] if group["why"] != "contains"]
    assert suggested == []


def test_the_list_is_long_enough_and_labelled():
    assert len(PAIRS) >= 300
    assert {label for _, _, _, label, _ in PAIRS} == {"same", "different"}
    assert len({(value, other, key) for value, other, key, _, _ in PAIRS}) == len(PAIRS)
