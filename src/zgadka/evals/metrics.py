"""Recall, nDCG and reciprocal rank of rankings, and how sure averages and shares are."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

RESAMPLES = 1000
_SEED = 20261122
_Z = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Estimate:
    """An average over questions, or a share of cases.

    Attributes:
        low: Where the 95 % interval begins.
        high: Where it ends.
    """

    mean: float
    low: float
    high: float


def recall_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """The share of what is wanted that is among the first k."""
    return len(set(ranking[:k]) & set(wanted)) / len(wanted)


def ndcg_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Discounted gain among the first k, against that of the best possible order."""
    gain = math.fsum(1 / math.log2(rank + 2) for rank, item in enumerate(ranking[:k]) if item in wanted)
    return gain / math.fsum(1 / math.log2(rank + 2) for rank in range(min(k, len(wanted))))


def reciprocal_rank(ranking: Sequence[str], wanted: Collection[str]) -> float:
    """One divided by the place of the first that is wanted; 0 if none is there."""
    return next((1 / (rank + 1) for rank, item in enumerate(ranking) if item in wanted), 0.0)


def measure(ranking: Sequence[str], wanted: Collection[str], ks: Iterable[int]) -> dict[str, float]:
    """All measures of one ranking, by name."""
    measures = {f"recall@{k}": recall_at(ranking, wanted, k) for k in ks}
    return measures | {"nDCG@10": ndcg_at(ranking, wanted, 10), "MRR": reciprocal_rank(ranking, wanted)}


def without_repeats(ranking: Iterable[str]) -> list[str]:
    """The first of each: sessions in the order of their best turn."""
    return list(dict.fromkeys(ranking))


def estimate(rows: Sequence[Mapping[str, float]], resamples: int = RESAMPLES) -> dict[str, Estimate]:
    """Average each measure over the questions, with the interval of a bootstrap over them.

    The same questions are drawn for every call of one size, so that systems are compared on the same draws.

    Args:
        rows: The measures of each question; all have the same names.
    """
    if not rows:
        return {}
    size = len(rows)
    draw = random.Random(_SEED)  # noqa: S311  (repeatable, and no secret)
    places = range(size)
    draws = [draw.choices(places, k=size) for _ in range(resamples)]
    estimates: dict[str, Estimate] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        means = sorted(sum(map(values.__getitem__, drawn)) / size for drawn in draws)
        low, high = means[int(0.025 * resamples)], means[min(int(0.975 * resamples), resamples - 1)]
        estimates[name] = Estimate(math.fsum(values) / size, low, high)
    return estimates


def proportion(events: int, cases: int) -> Estimate:
    """The share of cases in which something happened, with Wilson's interval, which holds for rare events too.

    Where nothing happened, it ends at about 3.8 / cases; where there was no case, nothing is known.
    """
    if not cases:
        return Estimate(0.0, 0.0, 1.0)
    share, weight = events / cases, _Z**2 / cases
    centre = (share + weight / 2) / (1 + weight)
    half = _Z * math.sqrt(share * (1 - share) / cases + weight / (4 * cases)) / (1 + weight)
    # At the ends it is exact, which the roots of floats are not.
    return Estimate(
        share, max(0.0, centre - half) if events else 0.0, min(1.0, centre + half) if events < cases else 1.0
    )


def quantile(values: Sequence[float], share: float, resamples: int = RESAMPLES) -> Estimate:
    """The value below which this share of them lies, with the interval of a bootstrap.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("there is no quantile of nothing")
    size = len(values)
    index = min(int(share * size), size - 1)
    draw = random.Random(_SEED)  # noqa: S311  (repeatable, and no secret)
    drawn = sorted(sorted(draw.choices(values, k=size))[index] for _ in range(resamples))
    return Estimate(sorted(values)[index], drawn[int(0.025 * resamples)], drawn[int(0.975 * resamples)])
