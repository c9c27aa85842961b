"""What a query means, as a vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Meaning:
    """The vector of a query.

    Attributes:
        query: What was asked, or as much of it as counts.
        embedder: The number of its embedder in the store.
        vector: Of length 1; float32.
        floor: The cosine up to which two texts have nothing in common, for this embedder.
    """

    query: str
    embedder: int
    vector: Any
    floor: float
