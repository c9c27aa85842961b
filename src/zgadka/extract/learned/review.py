"""What the rules found, read again by a learned model: it doubts what it does not see, and adds what they missed.

Whatever it adds is held to negation, hedge and subject as what any model claims (claims.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from zgadka.extract.authored_text import OwnWords
from zgadka.extract.claims import weigh
from zgadka.extract.extraction import UNCERTAIN, Extraction, inferred
from zgadka.extract.learned.tagger import Reading, Tagger, packaged_tagger, seen_in
from zgadka.extract.listed import listed_language
from zgadka.extract.memory import forgetting
from zgadka.extract.pattern import Candidate
from zgadka.extract.rules import as_written, is_impersonal
from zgadka.model.inference import Inferred
from zgadka.text.off_record import may_be_off_record
from zgadka.text.word_lists import read_table
from zgadka.text.words import index_words

LEAST_SEEN = 0.1
"""Less likely than this, what the rules took for certain is asked about."""
LEAST_ADDED = 0.7
"""As likely as this, what the rules missed is asked about; nothing that the model alone sees is stored."""


def packaged_review(own: OwnWords, found: Extraction) -> Extraction:
    """Return what a message tells, by the rules and by the model that comes with zgadka."""
    return review(own, found, packaged_tagger())


def review(own: OwnWords, found: Extraction, tagger: Tagger) -> Extraction:
    """Return what a message tells, by the rules and by a model together.

    Args:
        own: The writer's own words.
        found: What the rules found in them.
        tagger: The model.
    """
    text = own.text
    if not text or is_impersonal(own) or may_be_off_record(text) or listed_language(own) is not None:
        return found
    reading = tagger.read(text)
    words = [frozenset(index_words(text[start:end])) for start, end in reading.spans]
    items = [*(_doubted(item, reading, words) for item in found.certain), *found.uncertain]
    known = [frozenset(index_words(item.value)) for item in items]
    with forgetting():
        for item in _added(reading, text):
            value = frozenset(index_words(item.value))
            if not any(value & others for others in known):
                items.append(item)
                known.append(value)
    return Extraction.of(items, settled=found.settled, cut=found.cut, rejected=found.rejected)


def _doubted(item: Inferred, reading: Reading, words: Sequence[frozenset[str]]) -> Inferred:
    """Return what the rules found, as a question where the model sees nothing of its kind in its words.

    Args:
        words: What each word of the message is known by.
    """
    kinds = [number for number, kind in enumerate(reading.kinds) if item.key in _kinds().get(kind, ())]
    value = frozenset(index_words(item.value))
    having = [number for number, forms in enumerate(words) if forms & value]
    if not kinds or not having or reading.likely[having][:, kinds].sum(axis=1).max() >= LEAST_SEEN:
        return item
    return replace(item, confidence=UNCERTAIN)


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    """Return the keys of each kind; of one that has no key nothing is said."""
    return {
        kind: tuple(key for key in keys if key != "-")
        for kind, keys in read_table("learned_kinds", "zgadka.extract").items()
    }


def _added(reading: Reading, text: str) -> Iterator[Inferred]:
    for seen in seen_in(reading):
        keys = _kinds().get(seen.kind, ())
        if not keys or seen.likelihood < LEAST_ADDED:
            continue
        start = text.rfind("\n", 0, seen.start) + 1
        sentence = text[start : (text.find("\n", seen.end) + 1 or len(text) + 1) - 1]
        value = text[seen.start : seen.end].strip(" .,;:!?\"'«»()-–—")
        if value and "\n" not in value and weigh(sentence, keys[0], value) is not None:
            yield inferred(as_written(Candidate(keys[0], value), sentence), sentence, sure=False)
