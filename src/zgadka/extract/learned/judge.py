"""How surely a message says something of its writer, given the words that may say it and of what kind it would be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zgadka.extract.learned.encoder import gelu
from zgadka.search.embedders.vectors import Matrix


@dataclass(frozen=True)
class Claim:
    """That words of a message tell something of its writer.

    Attributes:
        first: The number of its first word.
        end: The number of the word after its last.
        kind: The number of its kind.
    """

    first: int
    end: int
    kind: int


class Judge:
    """Weighs claims by what the encoder made of their words and of the whole message.

    Args:
        arrays: What was learned, by name.
    """

    def __init__(self, arrays: Mapping[str, Matrix]) -> None:
        self._in, self._in_bias = np.ascontiguousarray(arrays["judge.a"].T), arrays["judge.a.bias"]
        self._kinds = arrays["judge.kind"]
        self._out, self._out_bias = np.ascontiguousarray(arrays["judge.b"].T), arrays["judge.b.bias"]

    def weigh(self, states: Matrix, claims: Sequence[Claim]) -> Matrix:
        """Return for each claim how likely it is surely so, perhaps so, and not said.

        Args:
            states: The row of the whole message and those of its words.
            claims: At least one.
        """
        whole, words = states[0], states[1:]
        rows = np.stack(
            [
                np.concatenate((words[one.first], words[one.end - 1], words[one.first : one.end].mean(axis=0), whole))
                for one in claims
            ]
        )
        hidden = gelu(rows @ self._in + self._in_bias + self._kinds[[one.kind for one in claims]])
        return softmax(hidden @ self._out + self._out_bias)


def softmax(scores: Matrix) -> Matrix:
    """Return likelihoods, each row's together 1."""
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    return likely
