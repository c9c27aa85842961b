"""Compare items with labels whose author knew neither the product's keys nor how it cuts values.

Keys are compared by family, values by words; the type is not compared. What a message *may* give (`allowed`) is no
mistake and no miss; with `"only": "uncertain"` it may be asked, not stored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from zgadka.extract.extraction import Extraction
from zgadka.model.inference import Inferred
from zgadka.text.canonical import canonical
from zgadka.text.keys import normalise_key
from zgadka.text.words import index_words

NOT_OURS = frozenset({"experience", "possession"})
"""Keys of labels that the product has no key for: they are no miss."""

_FAMILIES = {
    **dict.fromkeys(("like", "preference", "hobby", "interest", "hobbies", "likes", "music", "food", "hero"), "like"),
    **dict.fromkeys(("dislike", "dislikes"), "dislike"),
    **dict.fromkeys(
        ("child", "children", "kids", "son", "sons", "daughter", "daughters", "twins", "grandson", "granddaughter"),
        "child",
    ),
    **dict.fromkeys(("sibling", "siblings", "sister", "sisters", "brother", "brothers"), "sibling"),
    **dict.fromkeys(("gender", "pronouns"), "gender"),
    **dict.fromkeys(("marital", "marital_status"), "marital"),
    **dict.fromkeys(("partner", "girlfriend", "boyfriend", "husband", "wife", "spouse", "fiance"), "partner"),
    **dict.fromkeys(("exam", "deadline", "date", "event", "appointment", "due", "due_date", "important_date"), "date"),
    **dict.fromkeys(("anniversary", "wedding"), "anniversary"),
    **dict.fromkeys(("language", "native_language"), "language"),
    **dict.fromkeys(("skill", "programming_language"), "skill"),
    **dict.fromkeys(("hometown", "birthplace", "origin"), "hometown"),
    **dict.fromkeys(("education", "school", "field", "university", "year"), "education"),
    **dict.fromkeys(("health", "blood_type", "eyesight", "sleep", "medication", "weight", "condition"), "health"),
    **dict.fromkeys(("style", "response_style", "communication_style", "answer_style"), "style"),
}
# Families of which the words may be cut shorter or longer than the label has them.
_CUT_FREELY = frozenset(
    {"style", "goal", "date", "anniversary", "like", "dislike", "job", "education", "health", "diet", "pet", "vehicle"}
)
_ARTICLE = re.compile(r"^(?:an?|the|my|our) ", re.IGNORECASE)
_MAX_MORE = 3
_WORD_STEM = 4
"""Letters by which a word of a wish about answers is known: "shorter" and "short", "apologise" and "no apologies"."""
_OF_ANY_WISH = frozenset(
    {"answ", "with", "alwa", "plea", "your", "when", "відп", "мене", "мені", "завж", "будь", "ласк"}
)


@dataclass
class Count:
    """Items counted, certain or uncertain.

    Attributes:
        right: Found, and a label of this certainty.
        allowed: Found, and no mistake.
        wrong: Found, and nothing that the message says of its writer so surely.
        missed: Labels that were not found.
        mistakes: One line each.
    """

    right: int = 0
    allowed: int = 0
    wrong: int = 0
    missed: int = 0
    mistakes: list[str] = field(default_factory=list, repr=False)

    @property
    def precision(self) -> float:
        accepted = self.right + self.allowed
        return accepted / (accepted + self.wrong) if accepted + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def family(key: str) -> str:
    """Return what keys are taken for one: `kids` and `children`, `exam` and `deadline`."""
    standard = normalise_key(key)
    if standard.startswith("favorite_"):
        return "like"
    return _FAMILIES.get(key, _FAMILIES.get(standard, standard))


def _is_ours(label: dict[str, Any]) -> bool:
    """Tell whether the product has a key for what is labelled."""
    is_thing = label["type"] == "possession" and family(label["key"]) not in ("pet", "vehicle")
    return label["key"] not in NOT_OURS and not is_thing


def is_same(item: Inferred, label: dict[str, Any]) -> bool:
    """Tell whether an item is the labelled one, in its family and its words."""
    relative, _, attribute = label["key"].partition("'s ")
    if family(item.key) != ("date" if label["type"] == "event" else family(relative)):
        return False
    # "brother's job: plumber" as "brother: is a plumber"
    cut_freely = bool(attribute) or family(item.key) in _CUT_FREELY
    return any(
        _alike(item.value, str(value), item.key, cut_freely) for value in (label["value"], *label.get("also", ()))
    )


def _alike(found: str, labelled: str, key: str, cut_freely: bool) -> bool:
    found, labelled = _ARTICLE.sub("", found), _ARTICLE.sub("", labelled)
    if canonical(found, key) == canonical(labelled, key):
        return True
    ours, theirs = _stems(found), _stems(labelled)
    if not ours or not theirs:
        return False
    if cut_freely:
        if family(key) == "style" and not _word_stems(found).isdisjoint(_word_stems(labelled)):
            return True
        return (theirs <= ours and len(ours) <= len(theirs) + _MAX_MORE) or ours <= theirs
    return ours == theirs


def _word_stems(text: str) -> frozenset[str]:
    words = re.findall(r"\w{3,}", text.casefold())
    return frozenset(word[:_WORD_STEM] for word in words) - _OF_ANY_WISH


def _stems(text: str) -> frozenset[str]:
    return frozenset(index_words(text))


def score(
    messages: Iterable[dict[str, Any]], extract: Callable[[dict[str, Any]], Extraction]
) -> tuple[dict[str, Count], dict[str, Count]]:
    """Return the counts of certain and of uncertain items, of all, by language and by kind."""
    certain: defaultdict[str, Count] = defaultdict(Count)
    uncertain: defaultdict[str, Count] = defaultdict(Count)
    for message in messages:
        extraction = extract(message)
        allowed = message.get("allowed", [])
        storable = [label for label in allowed if label.get("only") != "uncertain"]
        for name in ("all", message["lang"], message["kind"]):
            _count(extraction.certain, message["certain"], storable, certain[name], message)
            _count(extraction.uncertain, message["uncertain"], message["certain"] + allowed, uncertain[name], message)
    return certain, uncertain


def _count(
    items: Iterable[Inferred],
    labels: list[dict[str, Any]],
    allowed: list[dict[str, Any]],
    count: Count,
    message: dict[str, Any],
) -> None:
    left = [label for label in labels if _is_ours(label)]
    for item in items:
        match = next((label for label in left if is_same(item, label)), None)
        if match is not None:
            count.right += 1
            left.remove(match)
        elif any(is_same(item, label) for label in (*allowed, *labels)):
            count.allowed += 1
        else:
            count.wrong += 1
            count.mistakes.append(f"{message['id']} wrong  {item.key}: {item.value!r} of {message['text'][:150]!r}")
    # What may be stored and may be asked is found either way.
    count.missed += len(left)
    count.mistakes += [
        f"{message['id']} missed {label['key']}: {label['value']!r} of {message['text'][:150]!r}" for label in left
    ]
