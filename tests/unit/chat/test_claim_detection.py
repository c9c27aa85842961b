"""What answers claim, over labelled sentences; see the head of data/claims.txt for who labelled them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cpu_time import takes_less

from zgadka.chat.claim_detection import claims_in

LABELLED = Path(__file__).parent / "data" / "claims.txt"
OF_LABEL = {"will-remember": "remembered", "will-update": "updated", "will-forget": "forgotten"}


def labelled() -> Iterator[tuple[frozenset[str], str]]:
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            labels, _, sentence = line.partition(" | ")
            yield frozenset(labels.split("+")) - {"none"}, sentence


def found(sentence: str) -> frozenset[str]:
    will = {deed: label for label, deed in OF_LABEL.items()}
    return frozenset(will[claim.deed] if claim.promised else claim.deed for claim in claims_in(sentence))


def test_precision_and_recall_over_the_labelled_sentences() -> None:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    sentences = list(labelled())
    for labels, sentence in sentences:
        got = found(sentence)
        counts["right"] += len(got & labels)
        counts["false"] += len(got - labels)
        counts["missed"] += len(labels - got)
        if got != labels:
            wrong.append(f"{sentence}: {sorted(got)}, not {sorted(labels)}")
    precision = counts["right"] / (counts["right"] + counts["false"])
    recall = counts["right"] / (counts["right"] + counts["missed"])
    assert len(sentences) >= 160
    assert precision >= 0.97, wrong
    assert recall >= 0.95, wrong


def test_no_answer_takes_long_to_look_at() -> None:
    for part in ("\n", " ", "я ", "я вже ", "‘a", "«", "“", "'a ", "i ", "your a ", "твої а ", "> "):
        assert takes_less(1, lambda part=part: claims_in(part * (20_000 // len(part)))), part


@pytest.mark.parametrize(
    "said", ["I've deleted ID:24.", "Deleted ID:24.", "Fact ID:24 has been deleted.", "Видалила ID:24"]
)
def test_a_deletion_is_read_with_its_id(said: str) -> None:
    assert found(said) == {"forgotten"}


@pytest.mark.parametrize("said", ["✅ Saved to memory", "Memory updated!", "→ Saved.", "✔️ Занотовано"])
def test_marks_before_a_claim_and_a_title_change_nothing(said: str) -> None:
    assert len(found(said)) == 1
