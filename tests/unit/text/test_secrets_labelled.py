"""Secrets among what people tell a bot, in texts whose author had seen no rule; see tests/data/secrets.md."""

from __future__ import annotations

from pathlib import Path

from zgadka.text.secret_detection import secret_in

DATA = Path(__file__).parents[2] / "data"


def test_secrets_are_refused_and_ordinary_texts_are_not() -> None:
    lines = (DATA / "secrets.tsv").read_text(encoding="utf-8").replace("·", "").splitlines()
    texts = [line.split("\t") for line in lines if not line.startswith("#")]
    refused = {text: secret_in(text.replace("\\n", "\n")) is not None for _, _, text in texts}
    secrets = [text for label, _, text in texts if label == "secret"]
    ordinary = [text for label, _, text in texts if label == "ordinary"]
    missed = [text for text in secrets if not refused[text]]
    wrong = [text for text in ordinary if refused[text]]
    assert len(missed) <= 0.05 * len(secrets), missed
    assert len(wrong) <= 0.02 * len(ordinary), wrong
