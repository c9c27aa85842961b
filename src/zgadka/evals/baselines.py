"""What others do: plain full-text search and plain BM25, as they come."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing

from zgadka.evals.data import Conversation

_WORD = re.compile(r"\w+")


def _text_of(conversation: Conversation) -> list[str]:
    """Who speaks belongs to the text that is searched: without it the baselines lose two to three points."""
    return [f"{turn.speaker}: {turn.text}" for turn in conversation.turns]


class Fts5:
    """SQLite's full-text search: any word of the question, by its own BM25."""

    def __init__(self, conversation: Conversation, tokenizer: str) -> None:
        self._turns = [turn.id for turn in conversation.turns]
        self._texts = _text_of(conversation)
        self._tokenizer = tokenizer

    def rank(self, questions: Sequence[str], limit: int) -> list[list[str]]:
        """The ids of the best turns for each question."""
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute(f"CREATE VIRTUAL TABLE turns USING fts5(text, tokenize='{self._tokenizer}')")
            rows = enumerate(self._texts)
            db.executemany("INSERT INTO turns(rowid, text) VALUES (?, ?)", rows)
            return [self._best(db, question, limit) for question in questions]

    def _best(self, db: sqlite3.Connection, question: str, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        if not words:
            return []
        matches = db.execute("SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (words, limit))
        return [self._turns[row] for (row,) in matches]


class PlainBm25:
    """BM25 as in the textbooks: words in lower case, k1 1.2, b 0.75."""

    K1, B = 1.2, 0.75

    def __init__(self, conversation: Conversation) -> None:
        self._turns = [turn.id for turn in conversation.turns]
        documents = [_WORD.findall(text.lower()) for text in _text_of(conversation)]
        self._lengths = [len(document) for document in documents]
        self._holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for row, document in enumerate(documents):
            for word, count in Counter(document).items():
                self._holders[word][row] = count

    def rank(self, questions: Sequence[str], limit: int) -> list[list[str]]:
        """The ids of the best turns for each question."""
        return [self._best(question, limit) for question in questions]

    def _best(self, question: str, limit: int) -> list[str]:
        size = len(self._turns)
        average = sum(self._lengths) / size
        scores: Counter[int] = Counter()
        for word in dict.fromkeys(_WORD.findall(question.lower())):
            holders = self._holders.get(word, {})
            weight = math.log1p((size - len(holders) + 0.5) / (len(holders) + 0.5)) * (self.K1 + 1)
            for row, count in holders.items():
                length = self.K1 * (1 - self.B + self.B * self._lengths[row] / average)
                scores[row] += weight * count / (count + length)  # pyright: ignore[reportArgumentType]
        best = sorted(scores, key=lambda row: (-scores[row], row))
        return [self._turns[row] for row in best[:limit]]
