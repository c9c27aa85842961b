"""Small models with weights made from a seed. `golden.json` was made of them, and of all-MiniLM-L6-v2, by the real
sentence-transformers 6.2 with torch 2.13:

    python tests/unit/search/embedders/conftest.py DIRECTORY_OF_ALL_MINILM_L6_V2
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

GOLDEN = Path(__file__).with_name("golden.json")
TEXTS = (
    "I live in Kyiv.",
    "The cat sat on the mat, purring softly while it rained outside.",
    "Я живу у Львові та купую каву.",
    "北京 is the capital of China 🇨🇳",
    "likes tea",
    "dislikes tea",
    "naïve café — “quotes” & <b>tags</b>",
    "word " * 400,
    "a" * 300,
    " \t\n ",
    "",
)
LAYERS, HIDDEN, INNER, PLACES = 2, 8, 32, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# How each small model differs from the plain one. Tests read this and TEXTS from golden.json.
SMALL: dict[str, dict[str, Any]] = {
    "mean": {},
    "cls": {"pooling": "cls", "old_layout": True},
    "lower": {"lower": True, "old_layout": True},
    "xlm-roberta": {"family": "xlm-roberta"},
    "prompts": {"prompts": {"query": "ask: ", "document": "know: "}},
}


def write_model(
    directory: Path,
    *,
    family: str = "bert",
    pooling: str = "mean",
    old_layout: bool = False,
    lower: bool = False,
    prompts: dict[str, str] | None = None,
    seed: int = 0,
) -> Path:
    """Write a small model in the layout of sentence-transformers, before version 5 or since."""
    (directory / "1_Pooling").mkdir(parents=True)
    tokenizer = _wordpiece() if family == "bert" else _unigram()
    tokenizer.save(str(directory / "tokenizer.json"))
    words = tokenizer.get_vocab_size()
    save_file(weights(words, seed), directory / "model.safetensors", metadata={"format": "pt"})
    modules = [
        ("0", "", "base.modules.transformer.Transformer"),
        ("1", "1_Pooling", "sentence_transformer.modules.pooling.Pooling"),
        ("2", "2_Normalize", "base.modules.normalize.Normalize"),
    ]
    if old_layout:
        modules = [(number, path, f"models.{kind.rpartition('.')[2]}") for number, path, kind in modules]
    switches = {f"pooling_mode_{way}": pooling in way for way in ("cls_token", "mean_tokens", "max_tokens")}
    written: dict[str, Any] = {
        "config.json": {
            "model_type": family,
            "architectures": ["BertModel" if family == "bert" else "XLMRobertaModel"],
            "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": 2,
            "intermediate_size": INNER,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-5,
            "max_position_embeddings": PLACES,
            "type_vocab_size": 1,
            "pad_token_id": 0 if family == "bert" else 1,
            "vocab_size": words,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 16,
            "pad_token": "[PAD]" if family == "bert" else "<pad>",
        },
        "modules.json": [
            {"idx": int(number), "name": number, "path": path, "type": f"sentence_transformers.{kind}"}
            for number, path, kind in modules
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": HIDDEN, **switches}
        if old_layout
        else {"embedding_dimension": HIDDEN, "pooling_mode": pooling, "include_prompt": True},
        "config_sentence_transformers.json": {"prompts": prompts or {"query": "", "document": ""}},
    }
    if old_layout:
        written["sentence_bert_config.json"] = {"max_seq_length": 12, "do_lower_case": lower}
    for name, value in written.items():
        (directory / name).write_text(json.dumps(value))
    return directory


def weights(words: int, seed: int) -> dict[str, Any]:
    """Make tensors under the names that such models have."""
    numbers = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": (1, HIDDEN),
        "embeddings.LayerNorm.weight": (HIDDEN,),
        "embeddings.LayerNorm.bias": (HIDDEN,),
    }
    linear = [("attention.self." + part, HIDDEN, HIDDEN) for part in ("query", "key", "value")]
    linear += [("attention.output.dense", HIDDEN, HIDDEN)]
    linear += [("intermediate.dense", HIDDEN, INNER), ("output.dense", INNER, HIDDEN)]
    for layer in (f"encoder.layer.{n}." for n in range(LAYERS)):
        for name, into, out in linear:
            shapes |= {f"{layer}{name}.weight": (out, into), f"{layer}{name}.bias": (out,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}{name}.weight": (HIDDEN,), f"{layer}{name}.bias": (HIDDEN,)}
    return {name: numbers.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


def _wordpiece() -> Tokenizer:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{letter}" for letter in LETTERS), "tea", "##es"]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=20)  # as published ones do: who reads it has to switch it off
    return tokenizer


def _unigram() -> Tokenizer:
    scored = [(letter, -3.0) for letter in "▁" + LETTERS]
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scored, ("▁tea", -2.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


@pytest.fixture
def small_model(tmp_path: Path) -> Callable[..., Path]:
    """Write small models, each into a directory of its own: `small_model(pooling="cls")`."""
    return lambda name="model", **how: write_model(tmp_path / name, **how)


def _make_golden(real: str) -> None:
    from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]

    golden: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, how in SMALL.items():
            golden[name] = SentenceTransformer(str(write_model(Path(folder, name), **how)), device="cpu")
        golden["all-MiniLM-L6-v2"] = SentenceTransformer(real, device="cpu")
        lines = []
        for name, model in golden.items():
            for kind, encode in (("texts", model.encode_document), ("queries", model.encode_query)):
                rows = encode(list(TEXTS), normalize_embeddings=True)[:, :8]
                shown = ",\n  ".join(json.dumps([round(float(number), 6) for number in row]) for row in rows)
                lines.append(f' "{name} {kind}": [\n  {shown}\n ]')
    head = f' "texts": {json.dumps(TEXTS, ensure_ascii=False)},\n "models": {json.dumps(SMALL)},\n'
    GOLDEN.write_text("{\n" + head + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _make_golden(sys.argv[1])
