"""Bring scores of different kinds to one scale and add them up.

Weighted sums of scaled scores found ten points more on LoCoMo than reciprocal rank fusion, because ranks forget how far
apart the scores were, and a weak ranker's tenth place then counts as much as a strong one's.
"""

from __future__ import annotations

from collections.abc import Mapping


def scale_by_max(scores: Mapping[int, float]) -> dict[int, float]:
    """Divide by the highest score, so that it becomes 1 and what has no score stays at 0.

    For BM25 and other scores whose 0 means "nothing in common". Without a score above 0 there is nothing to return.
    """
    highest = max(scores.values(), default=0.0)
    return {key: score / highest for key, score in scores.items()} if highest > 0 else {}


def sum_scores(a: dict[int, float], b: dict[int, float]) -> dict[int, float]:
    """Add scaled scores; what one of the two does not hold counts as 0 there."""
    small, large = sorted((a, b), key=len)
    return large | {key: large.get(key, 0.0) + score for key, score in small.items()}
