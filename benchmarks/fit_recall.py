"""How the weights of `zgadka.search.conversation` were found, and how far they can be trusted.

./run bench fit_recall --data locomo10.json                    words alone
./run bench fit_recall --data locomo10.json --embedder local   with vectors

For each conversation the weights are fitted on the others and judged on it: maximum likelihood of the turns that answer
(a softmax over the conversation's turns), from the parts that `explain=True` gives. The table has that out-of-fold
figure beside the one of the product's fixed weights, how far the fitted weights differ between folds, and what the
fixed weights lose without each part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zgadka.evals.data import Conversation, load_benchmark
from zgadka.evals.metrics import ndcg_at, recall_at
from zgadka.evals.vectors import KeptEmbedder
from zgadka.search.conversation import Corpus
from zgadka.search.conversation_index import Message
from zgadka.search.embedders.build import build_embedder
from zgadka.search.query_analysis import features, without_names
from zgadka.settings import Settings
from zgadka.text.words import index_words

PARTS = (
    *("words", "before_last", "before", "after", "session", "person", "length", "question"),
    *("time", "number", "name", "within", "near", "meaning", "meaning_around"),
)
RIDGE = 1e-3


@dataclass
class Asked:
    """A question with the parts of every candidate's score: a row a turn, a column a part."""

    conversation: int
    category: str
    turns: list[str]
    parts: np.ndarray
    wanted: frozenset[str]


def corpus_of(conversation: Conversation) -> tuple[Corpus, dict[int, list[str]]]:
    """A conversation's turns by their places, and what its people are called; where one of them asks, nobody."""
    people = list(dict.fromkeys(turn.speaker for turn in conversation.turns if turn.speaker != "assistant"))
    names = {place + 1: [name] for place, name in enumerate(people) if conversation.asker is None}
    messages = (
        Message(
            id=place,
            person=people.index(turn.speaker) + 1 if turn.speaker in people else 0,
            at=turn.at,
            words=index_words(turn.text),
            offer=features(turn.text),
        )
        for place, turn in enumerate(conversation.turns)
    )
    return Corpus(messages), names


def read(conversations: Sequence[Conversation], embedder: Any) -> list[Asked]:
    """Rank every conversation for every question of it, with all candidates and their parts."""
    asked: list[Asked] = []
    for number, conversation in enumerate(conversations):
        corpus, names = corpus_of(conversation)
        vectors = None if embedder is None else embedder.embed([turn.text for turn in conversation.turns])
        for question in conversation.questions:
            if not question.turns:
                continue
            hits = corpus.rank(
                question.text,
                names=names,
                asker=1 if conversation.asker else None,
                now=question.at,
                cosines=_cosines(embedder, vectors, without_names(question.text, names)),
                limit=len(corpus.messages),
                explain=True,
            )
            parts = np.array([[hit.parts.get(name, 0.0) for name in PARTS] for hit in hits]).reshape(-1, len(PARTS))
            turns = [conversation.turns[hit.id].id for hit in hits]
            asked.append(Asked(number, question.category, turns, parts, question.turns))
    return asked


def _cosines(embedder: Any, vectors: Any, question: str) -> dict[int, float] | None:
    return None if embedder is None else dict(enumerate((vectors @ embedder.embed_query(question)).tolist()))


def fit(asked: Sequence[Asked]) -> np.ndarray:
    """Newton's method on the likelihood of the turns that answer; convex, so where it starts does not matter."""
    weights = np.ones(len(PARTS))
    rows = [(one.parts, np.isin(one.turns, list(one.wanted))) for one in asked]
    rows = [(parts, is_wanted / is_wanted.sum()) for parts, is_wanted in rows if is_wanted.any()]
    for _ in range(25):
        gradient, curvature = RIDGE * weights, RIDGE * np.eye(len(PARTS))
        for parts, target in rows:
            scores = parts @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            mean = chance @ parts
            gradient += (mean - target @ parts) / len(rows)
            curvature += ((parts.T * chance) @ parts - np.outer(mean, mean)) / len(rows)
        step = np.linalg.solve(curvature, gradient)
        weights -= step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-4:
            break
    return weights


def judge(asked: Sequence[Asked], weights_of: Callable[[Asked], np.ndarray]) -> dict[str, float]:
    """Recall@10, nDCG@10 and recall@10 by category."""
    recalls: dict[str, list[float]] = {"recall@10": [], "nDCG@10": []}
    for one in asked:
        order = np.argsort(-(one.parts @ weights_of(one)), kind="stable")[:10]
        ranking = [one.turns[place] for place in order]
        recalls["recall@10"].append(recall_at(ranking, one.wanted, 10))
        recalls["nDCG@10"].append(ndcg_at(ranking, one.wanted, 10))
        recalls.setdefault(one.category, []).append(recalls["recall@10"][-1])
    return {name: sum(values) / len(values) for name, values in recalls.items()}


def main() -> None:
    """Fit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", choices=("none", "local"), default="none")
    parser.add_argument("--keep-vectors", type=Path)
    parser.add_argument("--captions", action="store_true")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    if options.data is None:
        print("fit_recall needs --data: a file of LoCoMo or LongMemEval, as published")
        return
    embedder: Any = build_embedder(Settings(embedder="local")) if options.embedder == "local" else None
    if embedder is not None and options.keep_vectors:
        embedder = KeptEmbedder(embedder, options.keep_vectors)
    conversations = load_benchmark(options.data, captions=options.captions).conversations
    asked = read(conversations, embedder)
    folds = {
        fold: fit([one for one in asked if one.conversation != fold]) for fold in {one.conversation for one in asked}
    }
    one, all_of_them = np.ones(len(PARTS)), fit(asked)
    figures: dict[str, dict[str, float]] = {
        "fixed weights": judge(asked, lambda _: one),
        "fitted on the others": judge(asked, lambda one: folds[one.conversation]),
        "fitted on all": judge(asked, lambda _: all_of_them),
    }
    used = [place for place, name in enumerate(PARTS) if any(one.parts[:, place].any() for one in asked)]
    for place in used:
        without = one.copy()
        without[place] = 0
        figures[f"fixed, without {PARTS[place]}"] = judge(asked, lambda _, weights=without: weights)
    heads = list(figures["fixed weights"])
    print("| | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 1))
    for name, measures in figures.items():
        print(f"| {name} | " + " | ".join(f"{measures[head]:.4f}" for head in heads) + " |")
    print("\nFitted weight as a multiple of the fixed one, that of words set to 1, mean (least to most over folds):")
    ratios = np.array([weights / weights[0] for weights in folds.values()])
    for place in used:
        column = ratios[:, place]
        print(f"  {PARTS[place]:15s} {column.mean():5.2f} ({column.min():.2f} to {column.max():.2f})")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
