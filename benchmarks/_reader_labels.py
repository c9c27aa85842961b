"""Labelled messages as the learned reader learns them: which words say what, and how sure their writer is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from _loose_labels import family

from zgadka.extract.authored_text import own_words
from zgadka.extract.extraction import Extraction
from zgadka.extract.learned.tagger import BEFORE, NOTHING, WORD
from zgadka.text.words import index_words

MOST_WORDS = 160
_BEGIN, _END = 0, 2
KINDS = (
    *(NOTHING, "kin", "kin_fact", "job", "home", "goal", "health", "style", "like", "name", "hobby", "age", "pet"),
    *("hometown", "thing", "event", "education", "language", "employer", "dislike", "diet", "allergy", "skill"),
    *("birthday", "faith", "marital", "nationality", "habit", "other", "gender", "fear", "nickname", "medication"),
)
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
SURE, PERHAPS, NOT_SAID, UNKNOWN = 0, 1, 2, -100
_KIND_OF = {
    **dict.fromkeys(("contact", "lives_with", "timezone", "politics", "weight", "height"), "other"),
    **dict.fromkeys(("pronouns",), "gender"),
    **dict.fromkeys(("location", "city", "country", "district", "address"), "home"),
    **dict.fromkeys(("native_language",), "language"),
    **dict.fromkeys(("industry", "work_location", "profession"), "job"),
    **dict.fromkeys(("studies", "school", "field"), "education"),
    **dict.fromkeys(("preference", "interest", "favourite", "music", "food", "drink", "game", "film", "book"), "like"),
    **dict.fromkeys(("sport",), "hobby"),
    **dict.fromkeys(("blood_type",), "health"),
    **dict.fromkeys(("religion",), "faith"),
    **dict.fromkeys(("family", "child", "sibling", "partner", "daughter", "son", "wife", "husband"), "kin"),
    **dict.fromkeys(("relation_fact",), "kin_fact"),
    **dict.fromkeys(("possession", "device", "vehicle", "car", "laptop", "phone"), "thing"),
    **dict.fromkeys(("schedule", "smoker"), "habit"),
    **dict.fromkeys(("plan",), "goal"),
    **dict.fromkeys(("date", "deadline", "appointment", "anniversary"), "event"),
}
_KIND_OF_TYPE = {"relationship": "kin", "possession": "thing", "event": "event", "date": "event"}
_ALIKE = tuple(
    frozenset(pair.split())
    for pair in (
        *("like hobby", "hobby skill", "like skill", "job employer", "kin marital", "kin kin_fact", "goal event"),
        *("health allergy", "health habit", "health medication", "diet habit", "allergy diet", "style language"),
        "name nickname",
    )
)
"""Kinds between which people who label do not agree."""
_MOST_MORE = 2
"""Words by which a run may be longer than the label, or shorter, and be the same."""


@dataclass(frozen=True)
class Label:
    """What some words of a message say.

    Attributes:
        first: The number of the first word.
        end: The number of the word after the last.
        sure: Whether its writer is; None where it may be found and need not.
        value: As the label has it, and other ways to say it.
    """

    first: int
    end: int
    kind: str
    sure: bool | None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Message:
    """A labelled message.

    Attributes:
        pieces: Their numbers, the ends of the text and what stands before it among them.
        firsts: Where each word begins among the pieces.
        is_placed: Whether it is known where all that is labelled is.
        told: What the rules find in it: the words, and the kind.
    """

    id: str
    text: str
    words: tuple[tuple[int, int], ...]
    pieces: tuple[int, ...]
    firsts: tuple[int, ...]
    labels: tuple[Label, ...]
    is_placed: bool
    told: tuple[tuple[int, int, str], ...] = field(default=(), compare=False)

    def kinds(self) -> list[int]:
        """Return of each word the number of its kind; `UNKNOWN` where nobody can say."""
        if not self.is_placed:
            return [UNKNOWN] * len(self.words)
        kinds = [0] * len(self.words)
        for label in self.labels:
            for word in range(label.first, label.end):
                kinds[word] = UNKNOWN if label.sure is None else NUMBERS[label.kind]
        return kinds

    def of_labelled(self, tell: Callable[[Label, int], float]) -> list[float]:
        """Return what is told of each word of a label; -1 of the others."""
        told = [-1.0] * len(self.words)
        for label in self.labels if self.is_placed else ():
            for word in range(label.first, label.end) if label.sure is not None else ():
                told[word] = tell(label, word)
        return told

    def verdict(self, first: int, end: int, kind: str) -> int:
        """Tell whether some words surely say something of a kind, perhaps, or not; or that nobody can say."""
        best: tuple[float, int] | None = None
        may_be = False
        for label in self.labels:
            common = min(end, label.end) - max(first, label.first)
            if common <= 0:
                continue
            if label.sure is None:
                may_be = True
            elif is_alike(kind, label.kind):
                longer = max(end - first, label.end - label.first)
                shared = common / (max(end, label.end) - min(first, label.first))
                within = common == min(end - first, label.end - label.first) and longer - common <= _MOST_MORE
                found = SURE if label.sure and (shared >= 0.5 or within) else PERHAPS
                best = max(best or (0.0, -PERHAPS), (shared, -found))
        if best is not None:
            return -best[1]
        return UNKNOWN if may_be or not self.is_placed else NOT_SAID


def is_alike(kind: str, other: str) -> bool:
    """Whether what one says is of one kind may be said by another to be of the other."""
    return kind == other or {kind, other} in _ALIKE


def kind_of(key: str, type_: str | None) -> str:
    """Return the kind of what is labelled, or found by the rules, under a key."""
    standard = key.casefold().replace(" ", "_")
    if standard.startswith("favo"):
        return "like"
    if "'s_" in standard:
        return "kin_fact"
    for name in (standard, family(standard), _KIND_OF_TYPE.get(type_ or "", ""), type_ or ""):
        if (kind := _KIND_OF.get(name, name)) in KINDS:
            return kind
    return "other"


def place(text: str, words: Sequence[tuple[int, int]], value: str) -> tuple[int, int] | None:
    """Find the words that a value is made of; None where there are too few of them."""
    at = text.casefold().find(value.casefold())
    if at >= 0 and (hit := [n for n, (start, end) in enumerate(words) if start < at + len(value) and end > at]):
        return hit[0], hit[-1] + 1
    wanted = [_forms(word) for word in re.findall(r"\w[\w'’-]*", value)]
    forms = [_forms(text[start:end]) for start, end in words]
    best: tuple[float, int, int] | None = None
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + len(wanted) + 4) + 1):
            run = forms[first:last]
            if not (any(one & run[0] for one in wanted) and any(one & run[-1] for one in wanted)):
                continue
            found = sum(any(one & other for other in run) for one in wanted) / len(wanted)
            spare = sum(not any(one & other for one in wanted) for other in run)
            best = max(best or (0.5, 0, 0), (found - spare * 0.1, first, last))
    return best[1:] if best is not None and best[2] else None


def _forms(word: str) -> frozenset[str]:
    lower = word.casefold()
    return frozenset((*index_words(word), "^" + (lower[: max(4, len(lower) - 3)] if len(lower) > 4 else lower)))


def _labelled(message: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...], bool | None]]:
    """Yield the kind, the words, the values and the sureness of each label."""
    for item in message.get("items", ()):
        kind = kind_of(item["kind"], None)
        if item["about"] != "self" and kind not in ("pet", "kin"):
            kind = "kin_fact"
        yield kind, (item["span"],), (item["value"], item["span"]), item["sure"] == "certain"
    for name, sure in (("certain", True), ("uncertain", False), ("allowed", None)):
        for item in message.get(name, ()):
            values = (str(item["value"]), *map(str, item.get("also", ())))
            yield kind_of(item["key"], item.get("type")), values, values, sure
    for item in message.get("expect", ()):  # messages_sealed
        yield kind_of(item["key"], None), (str(item["value"]),), (str(item["value"]),), item["certain"]


def read(
    message: dict[str, Any], cut: Callable[[str], Sequence[int]], find: Callable[[Any], Extraction] | None = None
) -> Message:
    """Return a message with its labels.

    Args:
        message: As tests/data/messages.md has it.
        cut: Returns the pieces of a word.
        find: What finds something in it beside its labels: the rules.
    """
    text = message["text"]
    words = tuple(match.span() for match in WORD.finditer(text))[:MOST_WORDS]
    pieces, firsts = [_BEGIN, *cut(BEFORE)], list[int]()
    for start, end in words:
        firsts.append(len(pieces))
        pieces += cut(text[start:end])[:12]
    labels, is_placed = list[Label](), True
    for kind, said, values, sure in _labelled(message):
        where = next(filter(None, (place(text, words, one) for one in said)), None)
        if where is not None:
            labels.append(Label(*where, kind, sure, values))
        elif sure is not None:
            is_placed = False  # what is labelled, but not where, may be anywhere
    found = () if find is None else (extraction := find(own_words(text))).certain + extraction.uncertain
    told = ((place(text, words, item.value), kind_of(item.key, item.type)) for item in found)
    return Message(
        message["id"],
        text,
        words,
        (*pieces, _END),
        tuple(firsts),
        tuple(labels),
        is_placed,
        tuple((*where, kind) for where, kind in told if where is not None),
    )
