"""Which vectors of facts are nearly the same, by what the person's other facts have in common."""

import numpy as np
import pytest

from zgadka.search.embedders.vectors import to_bytes
from zgadka.search.near_duplicates import MIN_SIMILARITY, FactKey, FactVectors


def made(rows: np.ndarray, keys: list[str], scripts: list[str] | None = None) -> FactVectors:
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    scripts = scripts or ["LATIN"] * len(keys)
    pairs = enumerate(zip(keys, scripts, strict=True))
    places = {number: FactKey(("personal", key), script) for number, (key, script) in pairs}
    return FactVectors(places, [(number, to_bytes(row)) for number, row in enumerate(rows.astype(np.float32))])


def apart(count: int, shared: float = 0.0, width: int = 64) -> np.ndarray:
    """Vectors any two of which have this cosine."""
    rows = np.zeros((count, width))
    rows[:, 0] = shared**0.5
    rows[range(count), range(1, count + 1)] = (1 - shared) ** 0.5
    return rows


@pytest.mark.parametrize("shared", [0.0, 0.4, 0.8])
def test_a_pair_stands_out_by_the_same_share_whatever_any_two_facts_have_in_common(shared):
    rows = apart(6, shared)
    own = rows[0].copy()
    own[0] = 0
    rows[1] = rows[0] + 0.45 * (rows[1] - [rows[1][0], *[0] * 63]) - 0.1 * own
    alike = made(rows, ["hobby", "hobby", "a", "b", "c", "d"])
    assert [pair[1:] for pair in alike.pairs([0, 1])] == [(0, 1)]
    assert alike.similarity(0, 1) == pytest.approx(next(iter(alike.pairs([0, 1])))[0])
    assert alike.similarity(2, 3) == pytest.approx(0, abs=0.01)


def test_one_pair_of_other_keys_is_not_enough_to_know_what_is_common():
    rows = np.concatenate([apart(1), apart(1), apart(2)[1:]])
    assert list(made(rows, ["hobby", "hobby", "hobby"]).pairs([0, 1, 2])) == []
    assert made(rows, ["hobby", "hobby", "hobby"]).similarity(0, 1) < MIN_SIMILARITY
    assert [pair[1:] for pair in made(rows, ["hobby", "hobby", "a"]).pairs([0, 1])] == [(0, 1)]


def test_a_script_of_which_nothing_is_known_is_not_compared():
    rows = np.concatenate([apart(1), apart(1), apart(4)[1:]])
    scripts = ["CYRILLIC", "CYRILLIC", "LATIN", "LATIN", "LATIN"]
    assert list(made(rows, ["hobby", "hobby", "a", "b", "c"], scripts).pairs([0, 1])) == []


def test_among_many_facts_of_one_key_a_pair_has_to_stand_out_from_them():
    near = apart(8, 0.9)
    rows = np.concatenate([near, apart(12)[9:]])
    keys = ["hobby"] * 8 + ["a", "b", "c"]
    assert list(made(rows, keys).pairs(range(8))) == []
    assert len(list(made(rows, keys).pairs(range(5)))) == 10  # of few facts nothing is known


def test_a_fact_without_a_vector_is_like_no_other():
    alike = made(apart(4), ["hobby", "a", "b", "c"])
    assert alike.similarity(0, 1) < MIN_SIMILARITY
    assert list(FactVectors({1: FactKey(("personal", "hobby"), "LATIN")}, []).pairs([1, 2])) == []
    missing = FactVectors({1: FactKey(("a", "b"), "LATIN"), 2: FactKey(("a", "b"), "LATIN")}, [])
    assert missing.similarity(1, 2) < 0


def test_of_very_many_facts_the_newest_are_compared_a_few_with_each():
    numbers = np.random.default_rng(1)
    rows = numbers.normal(size=(4100, 64))
    rows[50:60] = rows[:10]
    rows[4090:4100] = rows[200:210]
    keys = ["hobby"] * 4099 + ["other"]
    found = {pair[1:] for pair in made(rows, keys).pairs(range(4099))}
    assert found == {(number, number + 3890) for number in range(200, 209)}
