"""How well memories fit a query by words and by meaning."""

from __future__ import annotations

import numpy as np
import pytest

from zgadka.model.query_vector import Meaning
from zgadka.ops.recall import Fitness
from zgadka.search.lexical import Candidates, Scores, bm25, holders_of
from zgadka.search.vector_cache import Cosines

PEANUTS, TOMORROW, WINDOW = 1, 2, 3
MEANING = Meaning("", 1, np.zeros(1), far=0.2, floor=0.5, near=0.9)
QUESTION = ["guest", "table", "nuts", "serve", "tomorrow"]


def words(*query: str) -> Scores:
    texts = {PEANUTS: ["peanuts", "ill"], TOMORROW: ["tomorrow", "fine"], WINDOW: ["window", "blue"]}
    return bm25(query, Candidates(holders_of(query, texts.items()), dict.fromkeys(texts, 2), 3, 6))


def near(cosines: dict[int, float]) -> list[Cosines]:
    ids = list(cosines)
    return [Cosines(ids, {id_: place for place, id_ in enumerate(ids)}, np.array([*cosines.values()]))]


def order(fitness: Fitness) -> list[int]:
    return sorted(fitness.total, key=fitness.total.__getitem__, reverse=True)


def test_a_word_in_common_counts_little_beside_meaning_where_it_is_one_of_many() -> None:
    cosines = near({PEANUTS: 0.9, TOMORROW: 0.7, WINDOW: 0.4})
    assert order(Fitness(words(*QUESTION), cosines, MEANING)) == [PEANUTS, TOMORROW]
    assert order(Fitness(words("tomorrow"), cosines, MEANING)) == [TOMORROW, PEANUTS]


def test_words_alone_are_as_they_are() -> None:
    fitness = Fitness(words(*QUESTION), [], None)
    assert fitness.total == {TOMORROW: 1.0}


def test_similarity_is_what_is_held_or_how_surely_it_answers() -> None:
    fitness = Fitness(words("tomorrow"), near({PEANUTS: 0.55, TOMORROW: 0.1, WINDOW: 0.95}), MEANING)
    assert fitness.similarity(PEANUTS) == pytest.approx(0.5)
    assert fitness.similarity(TOMORROW) == 1.0
    assert fitness.similarity(WINDOW) == 1.0


def test_what_has_no_vector_yet_is_judged_by_its_words_for_both() -> None:
    fitness = Fitness(words("tomorrow"), near({PEANUTS: 0.9}), MEANING)
    assert fitness.by_meaning[TOMORROW] == fitness.by_words[TOMORROW] == 1.0
