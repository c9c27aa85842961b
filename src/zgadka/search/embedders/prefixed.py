"""What the embedders of this package share: a model wants to be told what is a question and what is not.

It was trained to see a prefix before each text, and the wrong one costs it accuracy.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from zgadka.search.embedders.vectors import Matrix, Vector, no_rows

_ENGLISH_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a question, retrieve what was said that answers it\nQuery: "


@dataclass(frozen=True)
class Prefixes:
    """What to put before a question, and before a text that is searched."""

    query: str = ""
    passage: str = ""


# The first that fits a model's name, in lower case, without its maker.
_KNOWN = (
    (r"e5-.*instruct", Prefixes(_INSTRUCTION)),
    (r"e5-", Prefixes("query: ", "passage: ")),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)(?!-zh)", Prefixes(_ENGLISH_SEARCH)),
    (r"mxbai-embed-large", Prefixes(_ENGLISH_SEARCH)),
    (r"arctic-embed.*(v2|2\.0)|snowflake-arctic-embed2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_ENGLISH_SEARCH)),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma|gemini-embedding-2", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCTION)),
)


def prefixes_of(model: str) -> Prefixes:
    """Find a model's prefixes by its name, such as `intfloat/multilingual-e5-small`; none where it is not known."""
    name = model.lower().rpartition("/")[2]
    return next(
        (prefixes for pattern, prefixes in _KNOWN if re.search(rf"(?<![a-z0-9])(?:{pattern})", name)), Prefixes()
    )


class PrefixedEmbedder(ABC):
    """An embedder whose model was trained to see a prefix before each text."""

    is_remote = False

    def __init__(self, prefixes: Prefixes) -> None:
        self._prefixes = prefixes

    @property
    @abstractmethod
    def name(self) -> str:
        """What made the vectors; see `Embedder`."""

    @property
    def _prefixed(self) -> str:
        """What to add to the name of a model of which other programs use the vectors without a prefix."""
        return f"+{self._prefixes.passage.strip()}" if self._prefixes.passage else ""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text, in order."""
        return self._vectors(texts, self._prefixes.passage, is_query=False) if texts else no_rows()

    def embed_query(self, text: str) -> Vector:
        """Return the vector, of length 1, of what somebody looks for."""
        return self._vectors([text], self._prefixes.query, is_query=True)[0]

    @abstractmethod
    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        """The rows of one text at least; raises EmbeddingError where there are none."""
