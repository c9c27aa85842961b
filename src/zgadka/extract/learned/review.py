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
from zgadka.extract.learned.judge import Claim, softmax
from zgadka.extract.learned.kin import relative
from zgadka.extract.learned.tagger import Reading, Tagger, claims_in, packaged_tagger
from zgadka.extract.listed import listed_language
from zgadka.extract.memory import forgetting
from zgadka.extract.pattern import Candidate
from zgadka.extract.rules import as_written, is_impersonal
from zgadka.model.inference import Inferred
from zgadka.text.off_record import may_be_off_record
from zgadka.text.word_lists import read_table
from zgadka.text.words import index_words

KIN = "kin"
LEAST_SEEN = 0.2
"""Less surely said than this, what the rules took for certain is asked about."""
LEAST_ASKED = 0.45
"""As likely said as this, surely or perhaps, what the rules missed is asked about."""
LEAST_STORED = 0.7
"""As surely said as this, what the rules missed is stored."""


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
    reading = tagger.read(text, wholly=bool(found.certain))
    items = [*_doubted(found.certain, reading, tagger), *found.uncertain]
    known = [frozenset(index_words(item.value)) for item in items]
    with forgetting():
        for item in _added(reading, tagger, text):
            value = frozenset(index_words(item.value))
            if not any(value & others for others in known):
                items.append(item)
                known.append(value)
    return Extraction.of(items, settled=found.settled, cut=found.cut, rejected=found.rejected)


def _doubted(certain: Sequence[Inferred], reading: Reading, tagger: Tagger) -> Iterator[Inferred]:
    """Yield what the rules found, as a question where the model does not find it said of its kind."""
    words = [frozenset(index_words(token)) for token in reading.words]
    likely = softmax(reading.scores)
    for item in certain:
        place = _place(frozenset(index_words(item.value)), words)
        kinds = [number for number, kind in enumerate(reading.kinds) if item.key in _kinds().get(kind, ())]
        if place is None or not kinds:
            yield item
            continue
        of_kinds = likely[place[0] : place[1], kinds].sum(axis=1).max()
        surely = tagger.judge(reading, [Claim(*place, kind) for kind in kinds])[:, 0].max()
        yield item if surely * of_kinds >= LEAST_SEEN else replace(item, confidence=UNCERTAIN)


def _place(value: frozenset[str], words: Sequence[frozenset[str]]) -> tuple[int, int] | None:
    """Return the first words that a value is made of, with at most one other between them."""
    having = [number for number, forms in enumerate(words) if forms & value]
    if not having:
        return None
    end = having[0] + 1
    for number in having[1:]:
        if number > end + 1:
            break
        end = number + 1
    return having[0], end


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    """Return the keys by which the rules say what is of each kind."""
    table = read_table("learned_kinds", "zgadka.extract")
    return {kind: tuple(key for key in keys if key != "-") for kind, keys in table.items()}


@cache
def _adding() -> dict[str, str]:
    """Return the key under which what is of a kind is kept; kinds that are left to the rules have none."""
    return {kind: keys[0] for kind, keys in read_table("learned_kinds", "zgadka.extract").items() if keys[0] != "-"}


def _added(reading: Reading, tagger: Tagger, text: str) -> Iterator[Inferred]:
    """Yield what the model finds, as sure as both its tags and its judge are.

    What the checks deny is at most asked about, and only where the model would store it.
    """
    claims = [claim for claim in claims_in(reading) if reading.kinds[claim.kind] in (*_adding(), KIN)]
    likely = softmax(reading.scores)
    for claim, (surely, perhaps, _) in zip(claims, tagger.judge(reading, claims).tolist(), strict=True):
        of_kind = float(likely[claim.first : claim.end, claim.kind].min())
        is_sure = surely * of_kind >= LEAST_STORED
        if (surely + perhaps) * of_kind < LEAST_ASKED:
            continue
        begin, last = reading.spans[claim.first][0], reading.spans[claim.end - 1][1]
        candidate = _candidate(reading, claim, text[begin:last])
        if candidate is None:
            continue
        start = text.rfind("\n", 0, begin) + 1
        sentence = text[start : (text.find("\n", last) + 1 or len(text) + 1) - 1]
        weight = weigh(sentence, candidate.key, candidate.value)
        if weight is not None or is_sure:
            is_own = weight is True and not _is_of_somebody(reading, claim, candidate)
            yield inferred(as_written(candidate, sentence), sentence, sure=is_sure and is_own)


def _is_of_somebody(reading: Reading, claim: Claim, candidate: Candidate) -> bool:
    """Whether a job is that of somebody whom all know of: "till the contractor turns up", but "I'm the cook"."""
    before = [word.casefold() for word in reading.words[max(0, claim.first - 2) : claim.first]]
    return candidate.key == "job" and before[-1:] == ["the"] and before[:-1] != ["i'm"] and before[:-1] != ["am"]


def _candidate(reading: Reading, claim: Claim, words: str) -> Candidate | None:
    if reading.kinds[claim.kind] == KIN:
        return relative(reading.words, claim)
    value = words.strip(" .,;:!?\"'«»()-–—")
    if not value or "\n" in value:
        return None
    return Candidate(_adding()[reading.kinds[claim.kind]], value)
