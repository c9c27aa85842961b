"""The embedder `pairs`: ZGADKA_EMBEDDER=pairs, or pairs:256 for vectors of so many numbers."""

from collections.abc import Sequence

import numpy as np

from zgadka import Settings


class Pairs:
    """Counts pairs of letters, so that words are near which are spelt alike."""

    is_remote = False  # the texts do not leave this machine

    def __init__(self, size: int) -> None:
        self.name = f"pairs:{size}"
        self._size = size

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.full(self._size, 1e-3, dtype=np.float32)  # never all zeros
        for letter, following in zip(text.casefold(), text.casefold()[1:], strict=False):
            vector[(31 * ord(letter) + ord(following)) % self._size] += 1
        return vector / np.linalg.norm(vector)


def make(model: str, settings: Settings) -> Pairs:
    """What follows the colon is the model; the settings may say more."""
    return Pairs(int(model or 128))
