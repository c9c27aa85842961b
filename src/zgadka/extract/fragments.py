"""Messages that only go on with the one before: "I'm allergic." "To nuts."."""

from __future__ import annotations

import re
from dataclasses import replace

from zgadka.model.inference import LONGEST_TEXT, Inference, Inferred
from zgadka.text.word_lists import read_entry, read_words
from zgadka.text.words import index_words

_MOST_WORDS = 5
_WORD = re.compile(r"[^\W_][\w'’ʼ-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_OPEN_END = " .!…,;:—–-"


def is_fragment(text: str) -> bool:
    """Whether a message may go on with the one before: a few words that begin with a preposition, and no "I"."""
    words = _WORD.findall(text)
    return (
        0 < len(words) <= _MOST_WORDS
        and words[0].casefold() in read_entry("fragments", "begins", "zgadka.extract")
        and "?" not in text
        and ">" not in text
        and read_entry("fragments", "self", "zgadka.extract").isdisjoint(word.casefold() for word in words)
    )


def joined(previous: str, fragment: str) -> str | None:
    """The last sentence of the message before with the fragment as its end; None where it has no end to add to."""
    sentence = _SENTENCE_END.split(previous.strip())[-1]
    is_closed = not sentence or sentence.endswith("?") or sentence.startswith(">")
    if is_closed or len(previous) + len(fragment) > LONGEST_TEXT:
        return None
    fragment = fragment.strip()
    return f"{sentence.rstrip(_OPEN_END)} {fragment[0].lower()}{fragment[1:]}"


def completed(inference: Inference, previous: str, fragment: str) -> Inference:
    """Of what was read in the joined sentence, that which the fragment completes, in the words that were written."""
    sentence = _SENTENCE_END.split(previous.strip())[-1]
    excerpt = " ".join(f"{sentence} {fragment}".split())[:300]
    content = [word for word in _WORD.findall(fragment)[1:] if word.casefold() not in read_words("stop_words")]

    def of(items: tuple[Inferred, ...]) -> tuple[Inferred, ...]:
        return tuple(
            replace(item, excerpt=excerpt)
            for item in items
            if content and all(not set(index_words(word)).isdisjoint(index_words(item.value)) for word in content)
        )

    return Inference(certain=of(inference.certain), uncertain=of(inference.uncertain))
