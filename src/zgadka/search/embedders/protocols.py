"""What the engine asks of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy comes with an extra
    from zgadka.search.embedders.vectors import Matrix, Vector


class Embedder(Protocol):
    """Makes vectors of texts: the nearer in meaning, the nearer their cosine to 1.

    Its methods block, for seconds where a server is asked, and any number of threads may call them at once. Any text is
    taken: empty, with lone surrogates, too long (its beginning counts).
    """

    @property
    def name(self) -> str:
        """What made the vectors. Vectors that cannot be compared have different names; it is stored beside each."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether the texts leave this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text, in order.

        All or nothing: a failure loses the work of the whole call, so give a few hundred texts at most.

        Raises:
            EmbeddingError: There are no vectors; it says whether to try again.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector, of length 1, of what somebody looks for: some models want to be told which is which.

        Raises:
            EmbeddingError: There is no vector; it says whether to try again.
        """
        ...
