"""The forward pass of BERT in numpy: what a sentence model does, without the 1.4 GB that PyTorch takes.

Texts are laid one behind the other without padding, so nothing is computed that is thrown away and there is no mask.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]

from zgadka.search.embedders.model_files import WEIGHTS, ModelFiles
from zgadka.search.embedders.vectors import Matrix, unit_rows

_Array = npt.NDArray[np.float32]
_Tensors = Mapping[str, _Array]

# Tokens computed at once: more of them fall out of the processor's cache, fewer leave it waiting for Python.
_MOST_TOKENS = 512
# erf as x·P(x²)/Q(x²), the minimax approximation of Eigen for single precision; numpy has none.
_ERF_P = (
    -1.60960333262415e-02,
    -2.95459980854025e-03,
    -7.34990630326855e-04,
    -5.69250639462346e-05,
    -2.10102402082508e-06,
    2.77068142495902e-08,
    -2.72614225801306e-10,
)
_ERF_Q = (
    -1.42647390514189e-02,
    -7.37332916720468e-03,
    -1.68282697438203e-03,
    -2.13374055278905e-04,
    -1.45660718464996e-05,
)


class _Linear(NamedTuple):
    weight: _Array
    bias: _Array

    def __call__(self, x: _Array) -> _Array:
        y = x @ self.weight
        y += self.bias
        return y


class _Norm(NamedTuple):
    weight: _Array
    bias: _Array
    epsilon: float

    def __call__(self, x: _Array) -> _Array:
        x -= x.mean(axis=1, keepdims=True)
        scale = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1]) + np.float32(self.epsilon)
        x *= (1 / np.sqrt(scale))[:, None]
        x *= self.weight
        x += self.bias
        return x


@dataclass(frozen=True, kw_only=True)
class _Layer:
    query_key_value: _Linear
    output: _Linear
    output_norm: _Norm
    up: _Linear
    down: _Linear
    down_norm: _Norm


class Bert:
    """A model of the BERT family. Any number of threads may use it at once.

    Raises:
        ValueError: The weights are damaged, or not those of the architecture.
    """

    def __init__(self, files: ModelFiles) -> None:
        self._files = files
        self._one_thread = _OneThread()
        try:
            tensors = {  # as float32, with or without the name of the model before theirs
                name.removeprefix("bert.").removeprefix("roberta."): array.astype(np.float32, copy=False)
                for name, array in load_file(files.directory / WEIGHTS).items()
            }
            self._words, self._places, self._norm = self._embeddings(tensors)
            self._layers = [self._layer(tensors, f"encoder.layer.{n}.") for n in range(files.layers)]
        except KeyError as error:
            raise ValueError(f"it has no tensor {error}") from error
        except SafetensorError as error:
            raise ValueError("it is damaged") from error
        except TypeError as error:  # bfloat16, which numpy does not have
            raise ValueError("its numbers are of a kind that numpy does not have") from error

    def vectors(self, texts: Sequence[Sequence[int]]) -> Matrix:
        """Return a row of length 1 for each text, which is given as its tokens, one at least."""
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        vectors = np.empty((len(texts), self._words.shape[1]), dtype=np.float32)
        with self._one_thread():
            for batch in _batches(order, texts):
                vectors[batch] = self._pooled([texts[n] for n in batch])
        return unit_rows(vectors)

    def _pooled(self, texts: Sequence[Sequence[int]]) -> _Array:
        """Run the model over texts that are sorted by length."""
        lengths = [len(text) for text in texts]
        starts = list(accumulate(lengths, initial=0))[:-1]
        positions = [position for length in lengths for position in range(length)]
        x = self._norm(self._words[list(chain(*texts))] + self._places[positions])
        runs = list(_runs(lengths))
        for layer in self._layers:
            x = layer.output_norm(x + layer.output(self._attend(layer.query_key_value(x), runs)))
            x = layer.down_norm(x + layer.down(_gelu(layer.up(x))))
        if self._files.pooling == "cls":
            return x[starts]
        sums: _Array = np.add.reduceat(x, starts, axis=0)
        sums /= np.array(lengths)[:, None]
        return sums

    def _attend(self, query_key_value: _Array, runs: Sequence[tuple[int, int, int]]) -> _Array:
        heads = self._files.heads
        width = query_key_value.shape[1] // 3
        seen = np.empty((len(query_key_value), width), dtype=np.float32)
        for start, end, length in runs:
            split = query_key_value[start:end].reshape(-1, length, 3, heads, width // heads)
            query, key, value = split.transpose(2, 0, 3, 1, 4)
            scores = query @ key.swapaxes(-1, -2)
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            seen[start:end] = (scores @ value).transpose(0, 2, 1, 3).reshape(end - start, width)
        return seen

    def _embeddings(self, tensors: _Tensors) -> tuple[_Array, _Array, _Norm]:
        places = tensors["embeddings.position_embeddings.weight"][self._files.first_position :]
        # All tokens are of the first kind: a model of sentences is given one sentence.
        kind = tensors["embeddings.token_type_embeddings.weight"][0]
        return tensors["embeddings.word_embeddings.weight"], places + kind, self._norm_of(tensors, "embeddings.")

    def _layer(self, tensors: _Tensors, name: str) -> _Layer:
        parts = [_linear(tensors, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        size = parts[0].weight.shape[1] // self._files.heads
        # The scores' scale is put into the query, once.
        parts[0] = _Linear(parts[0].weight / np.sqrt(np.float32(size)), parts[0].bias / np.sqrt(size))
        return _Layer(
            query_key_value=_Linear(
                np.concatenate([part.weight for part in parts], axis=1),
                np.concatenate([part.bias for part in parts]).astype(np.float32),
            ),
            output=_linear(tensors, f"{name}attention.output.dense"),
            output_norm=self._norm_of(tensors, f"{name}attention.output."),
            up=_linear(tensors, f"{name}intermediate.dense"),
            down=_linear(tensors, f"{name}output.dense"),
            down_norm=self._norm_of(tensors, f"{name}output."),
        )

    def _norm_of(self, tensors: _Tensors, name: str) -> _Norm:
        weight, bias = (tensors[f"{name}LayerNorm.{part}"] for part in ("weight", "bias"))
        return _Norm(weight, bias, self._files.layer_norm_epsilon)


def _linear(tensors: _Tensors, name: str) -> _Linear:
    return _Linear(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def _batches(order: Sequence[int], texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    batch: list[int] = []
    tokens = 0
    for n in order:
        if batch and tokens + len(texts[n]) > _MOST_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(n)
        tokens += len(texts[n])
    if batch:
        yield batch


def _runs(lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Find neighbours of the same length, which are computed together: first row, row after the last, length."""
    start = 0
    for length, same in groupby(lengths):
        end = start + length * len(list(same))
        yield start, end, length
        start = end


def _gelu(x: _Array) -> _Array:
    t: _Array = np.clip(x * np.float32(0.5**0.5), -4, 4, dtype=np.float32)
    square: _Array = t * t
    t *= _polynomial(square, _ERF_P)
    t /= _polynomial(square, _ERF_Q)
    t += 1
    t *= x
    t *= 0.5
    return t


def _polynomial(x: _Array, coefficients: Sequence[float]) -> _Array:
    *lower, highest = coefficients
    y = x * np.float32(highest)
    for coefficient in lower[:0:-1]:
        y += np.float32(coefficient)
        y *= x
    y += np.float32(lower[0])
    return y


class _OneThread:
    """Keeps BLAS to one thread while anybody computes: for matrices this small its threads wait for each other."""

    def __init__(self) -> None:
        self._blas: Any = ThreadpoolController()
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None

    @contextmanager
    def __call__(self) -> Generator[None]:
        with self._lock:
            if self._inside == 0:
                self._limit = self._blas.limit(limits=1, user_api="blas")
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limit.restore_original_limits()
