"""What a query means, as a vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Meaning:
    """The vector of a query, and what a text's cosine with it means.

    Attributes:
        query: What was asked, or as much of it as counts.
        embedder: The number of its embedder in the store.
        vector: Of length 1; float32.
        far: The cosine of what has nothing to do with a query, on average.
        floor: That up to which a text is taken for having nothing to do with it.
        near: That of an answer, on average.
    """

    query: str
    embedder: int
    vector: Any
    far: float
    floor: float
    near: float

    def sureness(self, cosine: float) -> float:
        """How surely a text answers the query, from 0 to 1."""
        return min(max((cosine - self.far) / (self.near - self.far), 0.0), 1.0)
