"""Which values are compared as one but for a slip: all that may be, and only those with the same other words."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

from zgadka.text.typo_similarity import likeness, neighbours, words

STEMS = ("photography", "photogrophy", "photogrphy", "programming", "progarmming", "tea", "hiking", "hikking", "2026")


def test_all_that_are_alike_but_for_a_slip_are_neighbours() -> None:
    chance = Random(7)
    values = dict(enumerate({words(" ".join(chance.choices(STEMS, k=chance.randint(1, 4)))) for _ in range(400)}))
    alike = {pair for pair in combinations(sorted(values), 2) if likeness(*(values[id_] for id_ in pair))}
    near = {
        tuple(sorted(pair))
        for id_, groups in neighbours(values).items()
        for group in groups
        for pair in product([id_], group)
    }
    assert len(alike) > 50
    assert alike <= near


def test_values_with_other_words_beside_the_long_ones_are_not_compared() -> None:
    """A group for each would be as many comparisons as there are letters in all of them."""
    values = {number: ("photography", "every", str(number)) for number in range(1000)}
    assert neighbours(values) == {}


def test_each_slip_of_many_single_words_leads_to_few() -> None:
    names = {number: (f"{chr(97 + number // 26)}{chr(97 + number % 26) * 3}photography",) for number in range(600)}
    near = neighbours(names | {1000: ("aaaaphotogrphy",)})
    assert max(len(set().union(*groups)) for groups in near.values()) < 60
    assert {0, 1000} <= set().union(*near[1000])
