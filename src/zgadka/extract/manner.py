"""How a sentence is said: asked, supposed, or reported; and what of it is only a question that follows."""

from __future__ import annotations

from zgadka.extract.clause import LEADING, holds_cue, starts_with_cue
from zgadka.extract.lexicon import named_pattern
from zgadka.extract.within import Mode


def manner(code: str, sentence: str) -> Mode:
    """Tell how a sentence is not simply said: some of `asked`, `unreal`, `reported`."""
    lower = named_pattern("not_reported").sub("", named_pattern("doubting").sub("", sentence.casefold()))
    start = LEADING.sub("", lower)
    mode: set[str] = set()
    if "?" in lower or starts_with_cue(f"question_{code}", start):
        mode.add("asked")
    if starts_with_cue(f"supposed_{code}", start) or holds_cue(f"unreal_{code}", lower):
        mode.add("unreal")
    if any(holds_cue(f"{kind}_{code}", lower) for kind in ("reported", "forget")):
        mode.add("reported")
    return frozenset(mode)


def without_question(sentence: str) -> str:
    """Leave out the question that follows a statement, "my height is 192, which bike?", and conditions of manners."""
    shorter = without_question_back(named_pattern("parenthesis").sub("", sentence))
    return named_pattern("question_behind").sub("", shorter) if "?" in shorter else shorter


def without_question_back(sentence: str) -> str:
    """Leave out a question given back, which does not make the answer before it one: "I live in Riga, and you?"."""
    return named_pattern("and_you").sub("", sentence) if "?" in sentence else sentence
