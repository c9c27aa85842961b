"""A model that the package fastembed downloads, once, and runs on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from fastembed import TextEmbedding

from zgadka.errors import EmbeddingError, SettingsError
from zgadka.search.embedders.prefixed import PrefixedEmbedder, prefixes_of
from zgadka.search.embedders.vectors import Matrix, unit_rows
from zgadka.text.sanitize import storable

_MOST_CHARACTERS = 16_000
_BATCH = 32


class FastEmbedder(PrefixedEmbedder):
    """Runs a model of fastembed's list. It is downloaded when it is first needed, and not yet there.

    Args:
        model: Its name, such as `intfloat/multilingual-e5-small`; case does not matter.
        folder: Where models are kept.

    Raises:
        SettingsError: fastembed does not know the model.
    """

    def __init__(self, model: str, folder: Path) -> None:
        names = {str(entry["model"]).lower(): str(entry["model"]) for entry in TextEmbedding.list_supported_models()}
        if model.lower() not in names:
            near = [names[name] for name in get_close_matches(model.lower(), names, n=3, cutoff=0.4)]
            raise SettingsError(f"fastembed has no model {model!r}; near are {', '.join(near) or 'none'}")
        self._name = names[model.lower()]
        self._folder = folder
        super().__init__(prefixes_of(model))
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """`fastembed:`, the model, and what is put before its texts."""
        return f"fastembed:{self._name}{self._prefixed}"

    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        with self._loading:
            model = self._model
        embed: Callable[..., Iterable[Any]] = model.query_embed if is_query else model.passage_embed
        prepared = [prefix + storable(text[:_MOST_CHARACTERS]) for text in texts]
        try:
            return unit_rows(list(embed(prepared, batch_size=_BATCH)))
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
