"""fastembed downloads its models, so here a stand-in takes the place of its class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zgadka.errors import EmbeddingError, SettingsError
from zgadka.search.embedders import fast
from zgadka.search.embedders.fast import FastEmbedder


class StandIn:
    """Has fastembed's methods. A text's vector counts its letters; loading and running fail where told."""

    made: list[tuple[str, str]]
    texts: list[str]
    fails_to_load = False
    fails_to_run = False

    def __init__(self, model_name: str, cache_dir: str) -> None:
        if self.fails_to_load:
            raise OSError("no route to host")
        self.made.append((model_name, cache_dir))

    @staticmethod
    def list_supported_models() -> list[dict[str, Any]]:
        return [{"model": "intfloat/multilingual-e5-large"}, {"model": "BAAI/bge-m3"}]

    def passage_embed(self, texts: Sequence[str], batch_size: int) -> Iterator[Any]:
        if self.fails_to_run:
            raise RuntimeError(f"[ONNXRuntimeError] {texts[0]}")
        self.texts.extend(texts)
        yield from (np.array([len(text), 2.0], dtype=np.float32) for text in texts)

    query_embed = passage_embed


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    class Fresh(StandIn):
        pass

    Fresh.made, Fresh.texts = [], []
    monkeypatch.setattr(fast, "TextEmbedding", Fresh)
    return Fresh


def test_the_model_is_loaded_when_it_is_first_needed_and_once(stand_in: type[StandIn], tmp_path: Path) -> None:
    embedder = FastEmbedder("baai/BGE-M3", tmp_path)
    assert embedder.name == "fastembed:BAAI/bge-m3"
    assert not embedder.is_remote
    assert len(embedder.embed([])) == 0
    assert stand_in.made == []
    found = embedder.embed(["two", "\ud800", "x" * 100_000])
    assert found.shape == (3, 2)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert embedder.embed_query("two") == pytest.approx(found[0])
    assert stand_in.made == [("BAAI/bge-m3", str(tmp_path))]
    assert stand_in.texts[1] == "\ufffd"
    assert len(stand_in.texts[2]) == 16_000


def test_questions_and_texts_get_the_models_prefixes(stand_in: type[StandIn], tmp_path: Path) -> None:
    embedder = FastEmbedder("intfloat/multilingual-e5-large", tmp_path)
    embedder.embed(["tea"])
    embedder.embed_query("drink")
    assert stand_in.texts == ["passage: tea", "query: drink"]
    assert embedder.name == "fastembed:intfloat/multilingual-e5-large+passage:"


def test_an_unknown_model_is_told_at_once_with_its_neighbours(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no model 'baai/bge-m4'; near are BAAI/bge-m3"):
        FastEmbedder("baai/bge-m4", tmp_path)


def test_a_download_that_fails_can_be_tried_again(stand_in: type[StandIn], tmp_path: Path) -> None:
    embedder = FastEmbedder("BAAI/bge-m3", tmp_path)
    stand_in.fails_to_load = True
    with pytest.raises(EmbeddingError, match=r"cannot load 'BAAI/bge-m3' into .*: no route to host") as caught:
        embedder.embed(["tea"])
    assert caught.value.retryable
    stand_in.fails_to_load = False
    assert len(embedder.embed(["tea"])) == 1


def test_a_model_that_breaks_repeats_no_text(stand_in: type[StandIn], tmp_path: Path) -> None:
    stand_in.fails_to_run = True
    with pytest.raises(EmbeddingError, match=r"cannot run 'BAAI/bge-m3' \(RuntimeError\)") as caught:
        FastEmbedder("BAAI/bge-m3", tmp_path).embed(["a secret"])
    assert "secret" not in str(caught.value)
    assert not caught.value.retryable
