"""A model's directory in the layout of sentence-transformers: what it says, and whether this program can run it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from zgadka.errors import SettingsError
from zgadka.search.embedders.prefixed import Prefixes, prefixes_of

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
_MODULES = ("Transformer", "Pooling", "Normalize")
_FAMILIES = {"bert": 0, "roberta": 1, "xlm-roberta": 1, "camembert": 1}
"""Each family, to 1 where its places are counted from behind the padding token's number."""
_MOST_TOKENS = 512
_PIECE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class ModelFiles:
    """A model that can be run.

    Attributes:
        first_position: The number of the first token's place: 0 in BERT, 2 in RoBERTa.
        pooling: How a text's tokens become one vector: their mean, or the first one.
        max_tokens: How many tokens of a text count, marks of beginning and end included.
    """

    directory: Path
    family: str
    dimensions: int
    layers: int
    heads: int
    layer_norm_epsilon: float
    first_position: int
    pooling: Literal["mean", "cls"]
    max_tokens: int
    lower_case: bool
    prefixes: Prefixes

    def digest(self, hashes: Mapping[str, str]) -> str:
        """Return 12 hexadecimal digits that differ for models whose vectors cannot be compared.

        Args:
            hashes: The SHA-256 of files that need not be read for it.
        """
        digest = hashlib.sha256()
        for name in (WEIGHTS, TOKENIZER):
            digest.update((hashes.get(name) or file_hash(self.directory / name)).encode())
        properties = (self.heads, self.layer_norm_epsilon, self.pooling, self.max_tokens, self.lower_case)
        digest.update(json.dumps([*properties, self.prefixes.passage]).encode())
        return digest.hexdigest()[:12]


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def read_model_files(directory: Path) -> ModelFiles:
    """Read a model's directory.

    Raises:
        SettingsError: Files are missing or damaged, or the model is of a kind that this program cannot run.
    """
    for name in (CONFIG, TOKENIZER, WEIGHTS):
        if not (directory / name).is_file():
            raise SettingsError(
                f"embedder_path={str(directory)!r} has no {name}; give the directory of a sentence-transformers model "
                f"with {CONFIG}, {TOKENIZER} and {WEIGHTS}"
            )
    try:
        return _read(directory)
    except _UnsupportedError as error:
        raise SettingsError(f"the model in {str(directory)!r} cannot be run here: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError, OSError) as error:
        raise SettingsError(f"the model in {str(directory)!r} has damaged files: {error!r}") from error


class _UnsupportedError(Exception):
    """The model is sound, and of a kind that this program does not know."""


def _read(directory: Path) -> ModelFiles:
    config = _json(directory, CONFIG)
    family = str(config.get("model_type"))
    _demand(family in _FAMILIES, f"its model_type is {family!r}; known are {', '.join(_FAMILIES)}")
    activation, places = config.get("hidden_act", "gelu"), config.get("position_embedding_type", "absolute")
    _demand(activation == "gelu", f"its hidden_act is {activation!r}, not 'gelu'")
    _demand(places == "absolute", f"its position_embedding_type is {places!r}, not 'absolute'")
    _demand(not config.get("is_decoder"), "it is a decoder")
    limits = _json(directory, "sentence_bert_config.json"), _json(directory, "tokenizer_config.json")
    first_position = int(config["pad_token_id"]) + 1 if _FAMILIES[family] else 0
    return ModelFiles(
        directory=directory,
        family=family,
        dimensions=int(config["hidden_size"]),
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        layer_norm_epsilon=float(config["layer_norm_eps"]),
        first_position=first_position,
        pooling=_pooling(directory),
        max_tokens=min(
            int(limits[0].get("max_seq_length") or limits[1].get("model_max_length") or _MOST_TOKENS),
            int(config["max_position_embeddings"]) - first_position,
        ),
        lower_case=bool(limits[0].get("do_lower_case")),
        prefixes=_prefixes(directory, config),
    )


def _pooling(directory: Path) -> Literal["mean", "cls"]:
    """Read how tokens become a vector; the mean, where the directory is that of a bare model."""
    modules = _json(directory, "modules.json", missing=[])
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    unknown = [kind for kind in kinds if kind not in _MODULES]
    _demand(not unknown, f"it has the module {', '.join(unknown)}; known are {', '.join(_MODULES)}")
    if "Pooling" not in kinds:
        return "mean"
    config = _json(directory, f"{modules[kinds.index('Pooling')]['path']}/{CONFIG}")
    _demand(config.get("include_prompt", True), "its prompts are left out of the mean")
    mode = config.get("pooling_mode")
    # Before version 5 each way had a switch of its own: pooling_mode_mean_tokens, …
    enabled = [option for option in config if option.startswith("pooling_mode_") and config[option] is True]
    allowed: dict[str, Literal["mean", "cls"]] = {
        "mean": "mean",
        "cls": "cls",
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "cls",
    }
    named = [str(mode)] if mode else enabled
    _demand(len(named) == 1 and named[0] in allowed, f"its pooling is {' and '.join(named) or 'none'}, not mean or cls")
    return allowed[named[0]]


def _prefixes(directory: Path, config: Mapping[str, Any]) -> Prefixes:
    """Take the prefixes that the directory names, else those of the model that it is called after."""
    prompts: Mapping[str, Any] = _json(directory, "config_sentence_transformers.json").get("prompts") or {}
    prompted = Prefixes(str(prompts.get("query") or ""), str(prompts.get("document") or prompts.get("passage") or ""))
    if prompted != Prefixes():
        return prompted
    # A cache of the Hugging Face Hub has the name two directories above: models--intfloat--e5-small/snapshots/….
    names = (directory.resolve().name, directory.resolve().parent.parent.name, str(config.get("_name_or_path")))
    published = (prefixes_of(re.split("--|/", name)[-1]) for name in names)
    return next((prefixes for prefixes in published if prefixes != Prefixes()), Prefixes())


def _json(directory: Path, name: str, *, missing: Any = None) -> Any:
    path = directory / name
    if not path.is_file():
        return {} if missing is None else missing
    return json.loads(path.read_bytes())


def _demand(holds: object, otherwise: str) -> None:
    if not holds:
        raise _UnsupportedError(otherwise)
