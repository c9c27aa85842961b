"""A model that the package fastembed downloads, once, and runs on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from fastembed import TextEmbedding

from zgadka.errors import EmbeddingError, SettingsError
from zgadka.search.embedders.prefixes import prefixes_of
from zgadka.search.embedders.vectors import Matrix, Vector, no_rows, unit_rows
from zgadka.text.clean import storable

_MOST_CHARACTERS = 16_000
_BATCH = 32


class FastEmbedder:
    """Runs a model of fastembed's list. It is downloaded when it is first needed, and not yet there.

    Args:
        model: Its name, such as `intfloat/multilingual-e5-small`; case does not matter.
        folder: Where models are kept.

    Raises:
        SettingsError: fastembed does not know the model.
    """

    def __init__(self, model: str, folder: Path) -> None:
        known = {str(one["model"]).lower(): str(one["model"]) for one in TextEmbedding.list_supported_models()}
        if model.lower() not in known:
            near = [known[name] for name in get_close_matches(model.lower(), known, n=3, cutoff=0.4)]
            raise SettingsError(f"fastembed has no model {model!r}; near are {', '.join(near) or 'none'}")
        self._name = known[model.lower()]
        self._folder = folder
        self._prefixes = prefixes_of(model)
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """`fastembed:`, the model, and what is put before its texts."""
        return f"fastembed:{self._name}" + (f"+{self._prefixes.passage.strip()}" if self._prefixes.passage else "")

    @property
    def is_remote(self) -> bool:
        """False: only the model is fetched, no text leaves this machine."""
        return False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text, in order.

        Raises:
            EmbeddingError: The model cannot be downloaded or run.
        """
        if not texts:
            return no_rows()
        prepared = [self._prefixes.passage + _clean(text) for text in texts]
        return self._run("passage_embed", prepared)

    def embed_query(self, text: str) -> Vector:
        """Return the vector, of length 1, of what somebody looks for.

        Raises:
            EmbeddingError: The model cannot be downloaded or run.
        """
        prepared = self._prefixes.query + _clean(text)
        return self._run("query_embed", [prepared])[0]

    def _run(self, how: Literal["passage_embed", "query_embed"], texts: list[str]) -> Matrix:
        with self._loading:
            model = self._model
        try:
            rows: Iterable[Any] = getattr(model, how)(texts, batch_size=_BATCH)
            return unit_rows(list(rows))
        except Exception as error:  # noqa: BLE001  onnxruntime raises kinds of its own, and they may repeat a text
            raise EmbeddingError(f"fastembed cannot run {self._name!r} ({type(error).__name__})") from None

    @cached_property
    def _model(self) -> TextEmbedding:
        try:
            return TextEmbedding(self._name, cache_dir=str(self._folder))
        except Exception as error:  # fastembed, the Hugging Face Hub and requests each raise their own
            raise EmbeddingError(
                f"fastembed cannot load {self._name!r} into {str(self._folder)!r}: {error}", retryable=True
            ) from error


def _clean(text: str) -> str:
    return storable(text[:_MOST_CHARACTERS])
