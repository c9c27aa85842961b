"""Replies to a bot's question with what they say, as `tests/data/replies.md` has them, and how many are understood."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zgadka.text.yes_no import Asked, agreed, plainly_refuses

_DATA = Path(__file__).parents[1] / "data"
_NEXT_MEMORY = re.compile(r"; #(\d+) ")


@dataclass(frozen=True)
class Reply:
    id: str
    language: str | None
    asked: Asked
    texts: dict[int, str]
    text: str
    label: str

    def verdict(self) -> str:
        if plainly_refuses(self.text, self.asked):
            return "refuse"
        return "agree" if agreed(self.text, self.texts, self.asked, self.language) == set(self.texts) else "neither"


def read_replies(name: str) -> list[Reply]:
    lines = (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [_reply(json.loads(line)) for line in lines]


def _reply(row: dict[str, Any]) -> Reply:
    first, *others = _NEXT_MEMORY.split(row["memory"])
    texts = {row["memory_id"] or 0: first} | dict(zip(map(int, others[::2]), others[1::2], strict=True))
    return Reply(row["id"], row["lang"], row["asked"], texts, row["text"], row["label"])


def check_bars(name: str, agreement: float = 0.95) -> None:
    """Agreement is found in 95 of 100, or in that share, and hardly ever where there is none; a refusal in 9 of 10."""
    replies = read_replies(name)
    verdicts = [(reply, reply.verdict()) for reply in replies]
    labelled = Counter(reply.label for reply in replies)
    right = Counter(verdict for reply, verdict in verdicts if verdict == reply.label)
    false_agreements = [reply.id for reply, verdict in verdicts if verdict == "agree" != reply.label]
    missed = [f"{reply.id}: {verdict}" for reply, verdict in verdicts if verdict != reply.label]
    assert len(false_agreements) <= 0.005 * (labelled["refuse"] + labelled["neither"]), false_agreements
    assert right["agree"] >= agreement * labelled["agree"], missed
    assert right["refuse"] >= 0.9 * labelled["refuse"], missed
