"""BM25 within one scope."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.lexical import K1, B, Candidates, holders_of, together
from zgadka.search.lexical import bm25 as bm25_of

DOCUMENTS = [["chess", "club"], ["chess", "chess", "guitar", "on", "monday", "evening"], ["guitar"]]

words = st.sampled_from(["chess", "guitar", "go", "tea", "кава"])
documents = st.lists(st.lists(words, min_size=1, max_size=6), max_size=8)
queries = st.lists(words, min_size=1, max_size=4, unique=True)


class Match(NamedTuple):
    place: int
    score: float
    similarity: float


def candidates(query: list[str], texts: list[list[str]], *, size: int, words: int, first: int = 0) -> Candidates:
    holders = holders_of(query, enumerate(texts, first))
    return Candidates(holders, {place: len(text) for place, text in enumerate(texts, first)}, size, words)


def matches_of(query: list[str], found: Candidates) -> list[Match]:
    scores = bm25_of(query, found)
    matches = [Match(place, score, scores.similarity(place)) for place, score in scores.scores.items()]
    return sorted(matches, key=lambda match: (-match.score, match.place))


def bm25(query: list[str], texts: list[list[str]], *, scope_size: int, scope_words: int) -> list[Match]:
    return matches_of(query, candidates(query, texts, size=scope_size, words=scope_words))


def rank(query: list[str], texts: list[list[str]], scope_size: int | None = None) -> list[Match]:
    holding = [text for text in texts if set(text) & set(query)]
    size = len(texts) if scope_size is None else scope_size
    return bm25(query, holding, scope_size=size, scope_words=sum(map(len, texts)))


def test_the_scores_are_those_computed_by_hand():
    """Three documents of 2, 6 and 1 words: 3 on average. “chess” is in two of them."""
    weight = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert weight == pytest.approx(0.4700, abs=1e-4)
    first = weight * 1 * 1.9 / (1 + 0.9 * (1 - 0.4 + 0.4 * 2 / 3))
    second = weight * 2 * 1.9 / (2 + 0.9 * (1 - 0.4 + 0.4 * 6 / 3))
    matches = bm25(["chess"], DOCUMENTS, scope_size=3, scope_words=9)
    assert (K1, B) == (0.9, 0.4)
    assert [(match.place, match.score) for match in matches] == [
        (1, pytest.approx(second)),
        (0, pytest.approx(first)),
    ]


def test_the_similarity_is_the_share_of_the_querys_weight():
    """“chess” and “guitar” weigh the same; the second document holds both."""
    matches = {match.place: match for match in bm25(["chess", "guitar"], DOCUMENTS, scope_size=3, scope_words=9)}
    assert [matches[index].similarity for index in range(3)] == [pytest.approx(share) for share in (0.5, 1.0, 0.5)]


def test_a_rarer_word_weighs_more():
    texts = [["chess"], ["chess"], ["chess"], ["go"]]
    assert [match.place for match in rank(["chess", "go"], texts)][0:1] == [3]


def test_a_shorter_document_ranks_higher():
    assert [match.place for match in rank(["chess"], [["chess", "a", "b", "c"], ["chess"]])] == [1, 0]


def test_nothing_fits_nothing():
    assert bm25([], DOCUMENTS, scope_size=3, scope_words=9) == []
    assert bm25(["tea"], DOCUMENTS, scope_size=3, scope_words=9) == []
    assert bm25(["tea"], [], scope_size=0, scope_words=0) == []


def test_stale_statistics_do_no_harm():
    matches = bm25(["chess"], DOCUMENTS, scope_size=0, scope_words=0)
    assert all(match.score > 0 for match in matches)


@given(queries, documents)
def test_every_match_holds_a_word_and_has_a_positive_score_and_a_share(query: list[str], texts: list[list[str]]):
    matches = bm25(query, texts, scope_size=len(texts), scope_words=sum(map(len, texts)))
    assert {match.place for match in matches} == {i for i, text in enumerate(texts) if set(text) & set(query)}
    for match in matches:
        assert match.score > 0
        assert 0 < match.similarity <= 1 + 1e-9
        if set(query) <= set(texts[match.place]):
            assert match.similarity == pytest.approx(1)


@given(queries, documents, documents)
def test_documents_of_two_scopes_are_one_collection(query: list[str], one: list[list[str]], two: list[list[str]]):
    first, second = (
        candidates(query, texts, size=len(texts), words=sum(map(len, texts)), first=first)
        for texts, first in ((one, 0), (two, len(one)))
    )
    texts = one + two
    right = bm25(query, texts, scope_size=len(texts), scope_words=sum(map(len, texts)))
    assert matches_of(query, together([first, second])) == right
    assert matches_of(query, together([first])) == matches_of(query, first)


@given(queries, documents, st.randoms(use_true_random=False))
def test_the_order_of_documents_and_words_changes_no_score(query: list[str], texts: list[list[str]], random):
    order = list(range(len(texts)))
    random.shuffle(order)
    sizes = {"scope_size": len(texts), "scope_words": sum(map(len, texts))}
    straight = {match.place: match for match in bm25(query, texts, **sizes)}
    for match in bm25(query[::-1], [texts[index] for index in order], **sizes):
        assert straight[order[match.place]].score == match.score
        assert straight[order[match.place]].similarity == match.similarity


@given(queries, documents)
def test_documents_without_a_word_of_the_query_matter_only_by_their_number(query: list[str], texts: list[list[str]]):
    sizes = {"scope_size": len(texts) + 2, "scope_words": sum(map(len, texts)) + 4}
    others = [["zebra", "zebra"], ["lion", "lion"]]
    alone = bm25(query, texts, **sizes)
    assert bm25(query, texts + others, **sizes) == alone


@given(documents)
def test_saying_a_word_more_often_ranks_no_lower(texts: list[list[str]]):
    """At the same length."""
    once, twice = ["chess", "tea", "x"], ["chess", "chess", "x"]
    matches = {m.place: m.score for m in bm25(["chess"], [once, twice, *texts], scope_size=9, scope_words=40)}
    assert matches[1] > matches[0]
