"""The second stage: what its model makes of a row, and what it does to a ranking."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from zgadka.search import conversation, second_stage
from zgadka.search.conversation import Corpus, Hit
from zgadka.search.conversation_index import Message
from zgadka.search.query_analysis import features
from zgadka.search.second_stage import DEPTH, FEATURES, FEWEST, FirstStage, rows, score
from zgadka.text.words import index_words

CASES = Path(__file__).with_name("second_stage_cases.json")
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
QUESTION = "Where is the cello or the garden?"
THINGS = ("cello", "boat", "garden", "kettle", "lamp", "ladder", "mirror")


def chat(size: int) -> Corpus:
    """Talks of five messages, a day apart, about one thing each."""
    texts = [
        f"{'Did you see' if at % 5 == 0 else 'I like'} the {THINGS[at // 5 % 7]}, {at} times" for at in range(size)
    ]
    return Corpus(
        Message(
            id=at,
            person=at % 2 + 1,
            at=START + timedelta(days=at // 5, minutes=at % 5),
            words=index_words(text),
            offer=features(text),
        )
        for at, text in enumerate(texts)
    )


def first_stage(corpus: Corpus, question: str, monkeypatch: pytest.MonkeyPatch, **more: object) -> list[Hit]:
    with monkeypatch.context() as patch:
        patch.setattr(conversation, "reorder", lambda index, query, first, slots: slots)
        return corpus.rank(question, limit=1000, **more)  # type: ignore[arg-type]


def test_a_row_scores_as_the_trainer_has_it() -> None:
    cases = json.loads(CASES.read_text("utf-8"))
    assert len({case["score"] for case in cases}) > 30
    for case in cases:
        assert score(case["row"]) == pytest.approx(case["score"], abs=1e-4)


def test_all_trees_at_once_end_where_each_ends_by_itself() -> None:
    thresholds = {(column, threshold) for tree in second_stage.trees() for column, threshold, *_ in tree.nodes}
    near = [threshold + step for _, threshold in thresholds for step in (-0.001, 0.0, 0.001)]
    chance = random.Random(1)
    for _ in range(200):
        row = chance.choices(near, k=len(FEATURES))
        assert score(row) == pytest.approx(sum(_leaf(tree, row) for tree in second_stage.trees()), abs=1e-9)


def _leaf(tree: second_stage.Tree, row: list[float]) -> float:
    place = 0
    while place >= 0:
        column, threshold, left, right = tree.nodes[place]
        place = left if row[column] <= threshold else right
    return tree.leaves[~place]


def test_the_model_knows_every_feature_and_fits_in_the_package() -> None:
    file = Path(second_stage.__file__).parent / "data" / "second_stage.json"
    assert file.stat().st_size <= 300_000
    assert json.loads(file.read_text("utf-8"))["features"] == list(FEATURES)
    used = {feature for tree in second_stage.trees() for feature, *_ in tree.nodes}
    assert used <= set(range(len(FEATURES)))


@pytest.mark.parametrize("cosines", [None, {at: 0.5 + at / 1000 for at in range(120)}])
def test_only_the_first_come_into_another_order(
    cosines: dict[int, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = chat(120)
    before = first_stage(corpus, QUESTION, monkeypatch, cosines=cosines)
    after = corpus.rank(QUESTION, limit=1000, cosines=cosines)
    ids, reordered = [hit.id for hit in before], [hit.id for hit in after]
    depth = min(DEPTH, len(ids))
    assert sorted(reordered[:depth]) == sorted(ids[:depth])
    assert reordered[:depth] != ids[:depth]
    assert reordered[depth:] == ids[depth:]
    # The places keep their scores.
    assert [hit.score for hit in after] == [hit.score for hit in before]
    assert [hit.id for hit in corpus.rank(QUESTION, limit=1000, cosines=cosines)] == reordered


def test_the_parts_say_what_the_second_stage_did() -> None:
    hits = chat(120).rank(QUESTION, limit=60, explain=True)
    assert any(hit.parts.get("second_stage") for hit in hits)
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


def test_few_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = chat(FEWEST - 1)
    before = first_stage(corpus, "the cello and the boat", monkeypatch)
    assert [hit.id for hit in corpus.rank("the cello and the boat", limit=99)] == [hit.id for hit in before]


def test_without_vectors_nothing_is_known_of_meaning_and_the_rest_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[list[float]]] = []

    def record(index, query, first: FirstStage, slots):  # type: ignore[no-untyped-def]
        seen.append(rows(index, query, first, slots))
        return slots

    monkeypatch.setattr(conversation, "reorder", record)
    chat(60).rank("the cello")
    chat(60).rank("the cello", cosines={at: at / 60 for at in range(60)})
    by_words, by_meaning = seen
    columns = [at for at, name in enumerate(FEATURES) if name.startswith("meaning")]
    assert len(columns) == 6
    assert {row[at] for row in by_words for at in columns} == {-1.0}
    assert max(row[columns[0]] for row in by_meaning) > 0
    assert all(len(row) == len(FEATURES) for row in by_words + by_meaning)


def test_the_message_that_asks_lends_the_second_stage_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[list[float]]] = []

    def record(index, query, first: FirstStage, slots):  # type: ignore[no-untyped-def]
        seen.append(rows(index, query, first, slots))
        return slots

    monkeypatch.setattr(conversation, "reorder", record)
    asked = "Where is the lantern that we like?"
    corpus = chat(60)
    message = Message(id=60, person=1, at=START + timedelta(days=11, minutes=6), words=index_words(asked))
    corpus.add(message)
    corpus.rank(asked)
    corpus.rank(asked, asking=60)
    with_itself, without = seen
    column = FEATURES.index("rarest_held")
    assert max(row[column] for row in with_itself) > max(row[column] for row in without)
