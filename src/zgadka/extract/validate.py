"""Read a model's answer item by item: what is good is used, what is not is counted, nothing crashes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from zgadka.extract.items import Extraction, Items
from zgadka.extract.kinds import CERTAIN, GROUPS, UNCERTAIN, Group, group_and_type
from zgadka.extract.own_words import OwnWords
from zgadka.extract.rules import extract_from
from zgadka.extract.values import is_template
from zgadka.model.inference import Inferred
from zgadka.text.clean import storable
from zgadka.text.keys import normalise_key
from zgadka.text.words import index_words, query_words

_LONGEST_ANSWER = 20_000
_LONGEST_VALUE = 200
_MOST_ITEMS = 40
_DEEPEST = 3
_MOST_STARTS = 20
_KEY_OF_GROUP: dict[Group, str] = {"facts": "fact", "preferences": "preference", "goals": "goal", "dates": "date"}
_LABELLED = re.compile(r"([^\W\d_][\w ]{0,30}?)\s*[:=]\s*(\S.*)", re.DOTALL)
# How models speak of people: "The user's name is Olena", "Lives in Kyiv", "Has two cats".
_SUBJECT = re.compile(r"^(?:the )?(?:user|person|they|he|she)(?P<own>'s|’s)? (?:is also |also )?", re.IGNORECASE)
_VERB = re.compile(
    (
        r"^(lives|works|likes|loves|hates|enjoys|speaks|plays|studies|has|is|wants|prefers|drives|plans|was|"
        r"dislikes|collects)\b"
    ),
    re.IGNORECASE,
)
_MODELS_WORDS = frozenset(
    index_words("user person name lives works likes loves has enjoys wants is prefers speaks plays")
)
_FIRST_PERSON = {"has": "have", "is": "am", "studies": "study", "was": "was"}


@dataclass(frozen=True)
class _Claim:
    """One item of an answer, read but not yet believed."""

    group: Group
    text: str
    key: str | None = None


def read_answer(answer: str, own: OwnWords) -> Extraction | None:
    """Return the items of a model's answer that the writer's own words support; None where there is no JSON object.

    Args:
        answer: What the model said, prose, fences and a missing end included.
        own: The words that the model was given.
    """
    found = _object_in(answer[:_LONGEST_ANSWER])
    if found is None:
        return None
    reader = _Reader(own)
    certain = Items.of(reader.items(found.get("certain"), CERTAIN))
    known = {(item.key, item.value.casefold()) for item in certain}
    uncertain = Items.of(
        item
        for item in reader.items(found.get("uncertain"), UNCERTAIN)
        if (item.key, item.value.casefold()) not in known
    )
    rejected = reader.rejected + sum(name not in ("certain", "uncertain") for name in found)
    return Extraction(certain=certain, uncertain=uncertain, cut=own.cut, rejected=rejected)


class _Reader:
    """Reads the sections of one answer and counts what it cannot use."""

    def __init__(self, own: OwnWords) -> None:
        self._sentences = [(sentence, frozenset(index_words(sentence))) for sentence in own.text.splitlines()]
        self._spoken = frozenset(word for _, words in self._sentences for word in words)
        self.rejected = 0

    def items(self, section: object, confidence: float) -> Iterator[Inferred]:
        if section is None:
            return
        if not isinstance(section, Mapping):
            self.rejected += 1
            return
        groups = cast("Mapping[str, object]", section)
        self.rejected += sum(name not in GROUPS for name in groups)
        used = 0
        for group in GROUPS:
            for claim in self._claims(group, groups.get(group), _DEEPEST):
                items = self._believed(claim, confidence) if used < _MOST_ITEMS else ()
                self.rejected += not items
                used += len(items)
                yield from items

    def _claims(self, group: Group, given: object, depth: int) -> Iterator[_Claim]:
        match given:
            case None | []:
                return
            case str():
                yield _Claim(group, given)
            case list() if depth:
                for one in cast("list[object]", given):
                    yield from self._claims(group, one, depth - 1)
            case {"value": str(value)}:
                key = cast("dict[str, object]", given).get("key")
                yield _Claim(group, value, key if isinstance(key, str) else None)
            case dict() if not given:
                return
            case _:
                self.rejected += 1

    def _believed(self, claim: _Claim, confidence: float) -> tuple[Inferred, ...]:
        value = " ".join(storable(claim.text).split()).strip(" .;,")
        if not value or len(value) > _LONGEST_VALUE or is_template(value):
            return ()
        return tuple(
            Inferred(type=group_and_type(key)[1], key=key, value=kept, excerpt=excerpt, confidence=confidence)
            for key, kept in _interpreted(claim, value)
            if not is_template(kept) and (excerpt := self._support(kept)) is not None
        )

    def _support(self, value: str) -> str | None:
        """Return the sentence that has most of the value's words; None where the writer said less than half of them."""
        words = frozenset(query_words(value, expand=False))
        # "Lives on Mars" is not supported by "I live in Kyiv".
        words = words - _MODELS_WORDS or words
        if len(words & self._spoken) * 2 < max(len(words), 1):
            return None
        return max(self._sentences, key=lambda one: len(words & one[1]))[0][:300]


def _interpreted(claim: _Claim, value: str) -> tuple[tuple[str, str], ...]:
    """Return keys and values: as the model named them, as the rules understand the sentence, else the group's own."""
    if claim.key is not None and normalise_key(claim.key):
        return ((normalise_key(claim.key), value),)
    understood = extract_from(OwnWords((_in_first_person(value),)))
    told = tuple((item.key, item.value) for items in (understood.certain, understood.uncertain) for item in items)
    if told:
        return told
    labelled = _LABELLED.fullmatch(value)
    if labelled is not None and (key := normalise_key(labelled[1])):
        return ((key, labelled[2]),)
    return ((_KEY_OF_GROUP[claim.group], value),)


def _in_first_person(value: str) -> str:
    """Turn "The user lives in Kyiv" and "Lives in Kyiv" into "I live in Kyiv"; anything else stays as it is."""
    subject = _SUBJECT.match(value)
    rest = value[subject.end() :] if subject else value
    if subject and subject["own"]:
        return f"my {rest}"
    verb = _VERB.match(rest)
    if verb is None:
        return f"my {rest}" if re.match(r"(?:name|birthday|favou?rite)\b", rest, re.IGNORECASE) else rest
    said = verb[1].casefold()
    return f"I {_FIRST_PERSON.get(said, said.removesuffix('s'))}{rest[verb.end() :]}"


def _object_in(answer: str) -> Mapping[str, Any] | None:
    """Return the first JSON object that looks like an answer; one that is cut off is closed where it can be."""
    starts = [found.start() for found in re.finditer(r"\{", answer)][:_MOST_STARTS]
    read: tuple[Callable[[str], object], ...] = (_first_value, _closed_value)
    for reader in read:
        for start in starts:
            value = reader(answer[start:])
            if isinstance(value, dict) and (not value or {"certain", "uncertain"} & value.keys()):
                return cast("Mapping[str, Any]", value)
    return None


def _first_value(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _closed_value(text: str) -> object:
    """Read JSON that ends too early: cut it after its last whole value and close what is open."""
    closers: list[str] = []
    whole: tuple[int, str] | None = None
    in_string = escaped = False
    for place, character in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
                if closers and closers[-1] == "]":
                    whole = (place + 1, "".join(reversed(closers)))
        elif character == '"':
            in_string = True
        elif character in "{[":
            closers.append("}" if character == "{" else "]")
            if len(closers) > _MOST_STARTS:
                return None
        elif character in "}]":
            if not closers or closers.pop() != character:
                break
            whole = (place + 1, "".join(reversed(closers)))
    return None if whole is None else _first_value(text[: whole[0]] + whole[1])
