"""What the embedders of this package share: a model wants to be told what is a question and what is not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from zgadka.search.embedders.prefixes import Prefixes
from zgadka.search.embedders.vectors import Matrix, Vector, no_rows


class PrefixedEmbedder(ABC):
    """An embedder whose model was trained to see a prefix before each text."""

    is_remote = False

    def __init__(self, prefixes: Prefixes) -> None:
        self._prefixes = prefixes

    @property
    @abstractmethod
    def name(self) -> str:
        """What made the vectors; see `Embedder`."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text, in order."""
        return self._vectors(texts, self._prefixes.passage, is_query=False) if texts else no_rows()

    def embed_query(self, text: str) -> Vector:
        """Return the vector, of length 1, of what somebody looks for."""
        return self._vectors([text], self._prefixes.query, is_query=True)[0]

    @abstractmethod
    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        """The rows of one text at least; raises EmbeddingError where there are none."""
