"""What the indexes say that they take is what they take, since the setting that bounds them counts it."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zgadka.model.memory import Scope
from zgadka.model.memory_meta import Heading
from zgadka.model.query_vector import Meaning
from zgadka.search.memory_index_cache import Groups, ScopeIndex, Words
from zgadka.search.message_index_cache import MessageIndex
from zgadka.stores.tx.messages import SearchableMessage

SCOPE = Scope(1_000_001, 1_000_002, 0)
ROWS = 50
WORDS = 10
NUMBERS = 96


def text_of(number: int) -> str:
    """Words of which many are new, as in a chat's first messages."""
    chance = random.Random(number)
    return " ".join(f"word{min(int(chance.paretovariate(0.2)), 10**6)}" for _ in range(WORDS))


def scope_index(*, vectors: bool = False, groups: bool = False) -> ScopeIndex:
    headings = [heading(10**6 + id_) for id_ in range(ROWS)]
    index = ScopeIndex(SCOPE, headings)
    index.words = Words([(10**6 + id_, text_of(id_)) for id_ in range(ROWS)])
    if groups:
        index.groups = Groups(index.headings)
    if vectors:
        meaning = Meaning("", 1, np.ones(NUMBERS, dtype=np.float32), 0.0, 0.0, 1.0)
        index.vectors.cosines(meaning, lambda: [(10**6 + id_, bytes(2 * NUMBERS)) for id_ in range(ROWS)])
    return index


def read(text: Any) -> Any:
    """The text as a row has it: one of its own."""
    return str(text.encode(), "utf-8")


def heading(id_: int) -> Heading:
    return Heading(
        id=id_,
        kind=read("fact"),
        space=0,
        lineage=0,
        type=read("trait"),
        confidence=0.9 - id_ / 10**9,
        created=10**15 + id_,
        updated=10**15 - id_,
        permanent=0,
        importance=None,
        since=None,
        until=None,
        tags_json=read("[]"),
        people_json=None,
    )


def message_index() -> MessageIndex:
    said = [SearchableMessage(10**6 + id_, 2, 10**15 + id_ * 6 * 10**8, text_of(id_)) for id_ in range(ROWS)]
    index = MessageIndex(("chat", "", 0), said)
    index.corpus.rank("word1")
    return index


@pytest.mark.parametrize(
    "make",
    [scope_index, lambda: scope_index(groups=True), lambda: scope_index(vectors=True), message_index],
    ids=["memories", "memories in groups", "memories with vectors", "messages"],
)
def test_an_index_says_what_it_takes(make: Callable[[], ScopeIndex | MessageIndex]) -> None:
    make()  # all else that the first one loads
    tracemalloc.start()
    try:
        index = make()
        said = index.size
        gc.collect()
        full = tracemalloc.get_traced_memory()[0]
        del index
        gc.collect()
        taken = full - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert said == pytest.approx(taken, rel=0.2)
