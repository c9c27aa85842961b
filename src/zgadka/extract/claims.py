"""What a model claims to have read in a sentence, held to what the sentence says, however sure the model is."""

from __future__ import annotations

import re

from zgadka.extract.denials import denies, is_told, part_with
from zgadka.extract.extraction import group_and_type
from zgadka.extract.pattern import Candidate
from zgadka.extract.places import is_known_place
from zgadka.extract.plausibility import assess
from zgadka.extract.rules import weigh_claim
from zgadka.extract.subject import mentions_another
from zgadka.text.folding import APOSTROPHES
from zgadka.text.word_lists import read_entry

_FORMER = re.compile(r"(?<!\w)(?:ex[-\s]|екс-)(?=\w)", re.IGNORECASE)
_OF_OTHERS = frozenset({"like", "dislike", "goal", "fact", "preference", "date", "deadline", "anniversary", "hobby"})
"""Keys whose value may name somebody else and be the writer's: "visit my mother"."""
_LIKED = frozenset({"like", "hobby", "interest", "skill", "language", "programming_language"})


def is_prompts_own(key: str) -> bool:
    """Whether a model copied a key from its prompt."""
    return key in read_entry("claim_cues", "prompt_keys", "zgadka.extract")


def weigh(sentence: str, key: str, value: str) -> bool | None:
    """Hold a claim to the sentence that supports it.

    Returns:
        Whether it may be certain; None where the sentence does not say it of its writer, or says the opposite.
    """
    plain = _FORMER.sub("", sentence.translate(APOSTROPHES))
    group, type_ = group_and_type(key)
    names_other = mentions_another(value)
    if key == "name" and is_known_place(value):
        return None
    if names_other and type_ != "relationship" and key not in _OF_OTHERS:
        return None  # "name: my sister"
    weight = weigh_claim(plain, key, value)
    if weight is None:
        return None
    part = part_with(plain, value)
    if key in _LIKED and denies(part) and not denies(value):
        return None  # "I don't like tea" likes none
    candidate = assess(Candidate(key, value), plain)
    if candidate is None:
        return None
    is_past = is_told("past", part) and not is_told("lasting", part)
    is_wished = group == "facts" and type_ != "relationship" and is_told("wish", part)
    return weight and candidate.sure and not (is_past or is_wished)
