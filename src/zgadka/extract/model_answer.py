"""Read a model's answer item by item: what is good is used, what is not is counted, nothing crashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from zgadka.extract.authored_text import OwnWords
from zgadka.extract.claims import is_prompts_own, weigh
from zgadka.extract.extraction import CERTAIN, GROUPS, UNCERTAIN, Extraction, Group, group_and_type
from zgadka.extract.lexicon import named_pattern
from zgadka.extract.memory import forgetting
from zgadka.extract.rules import extract, is_impersonal
from zgadka.extract.values import is_template
from zgadka.model.inference import Inferred
from zgadka.text.keys import normalise_key
from zgadka.text.sanitize import storable
from zgadka.text.words import index_words, query_words

_MAX_ANSWER = 20_000
_MAX_VALUE = 200
_MAX_ITEMS = 40
_MAX_DEPTH = 3
_MAX_STARTS = 20
_KEY_OF_GROUP: dict[Group, str] = {"facts": "fact", "preferences": "preference", "goals": "goal", "dates": "date"}
_LABELLED = re.compile(r"([^\W\d_][\w ]{0,30}?)\s*[:=]\s*(\S.*)", re.DOTALL)
# How models speak of people: "The user's name is Olena", "Lives in Kyiv", "Has two cats".
_SUBJECT = re.compile(r"^(?:the )?(?:user|person|they|he|she)(?P<own>'s|’s)? (?:is also |also )?", re.IGNORECASE)
_MODELS_WORDS = frozenset(
    index_words("user person name lives works likes loves has enjoys wants is prefers speaks plays")
)
_FIRST_PERSON = {"has": "have", "is": "am", "studies": "study", "was": "was"}


def read_answer(answer: str, own: OwnWords) -> Extraction | None:
    """Return the items of a model's answer that the writer's own words support; None where there is no JSON object.

    Args:
        answer: What the model said, prose, fences and a missing end included.
        own: The words that the model was given.
    """
    fields = _object_in(answer[:_MAX_ANSWER])
    if fields is None:
        return None
    with forgetting():
        reader = _Reader(own)
        items = (*reader.items(fields.get("certain"), CERTAIN), *reader.items(fields.get("uncertain"), UNCERTAIN))
    rejected = reader.rejected + sum(name not in ("certain", "uncertain") for name in fields)
    return Extraction.of(items, cut=own.cut, rejected=rejected)


class _Reader:
    """Reads the sections of one answer and counts what it cannot use."""

    def __init__(self, own: OwnWords) -> None:
        self._sentences = [(sentence, frozenset(index_words(sentence))) for sentence in own.text.splitlines()]
        self._spoken = frozenset(word for _, words in self._sentences for word in words)
        self._is_impersonal = is_impersonal(own)
        self.rejected = 0

    def items(self, section: object, confidence: float) -> Iterator[Inferred]:
        if not isinstance(section, Mapping):
            self.rejected += section is not None
            return
        groups = cast("Mapping[str, object]", section)
        self.rejected += sum(name not in GROUPS for name in groups)
        used = 0
        for group in GROUPS:
            for text, key in self._claims(groups.get(group), _MAX_DEPTH):
                items = self._accepted(text, key, group, confidence) if used < _MAX_ITEMS else ()
                self.rejected += not items
                used += len(items)
                yield from items

    def _claims(self, value: object, depth: int) -> Iterator[tuple[str, str]]:
        """Yield the text of each item and the key that the model gave it, or no key."""
        match value:
            case None | [] | {} if not value:
                return
            case str():
                yield value, ""
            case list() if depth:
                for element in cast("list[object]", value):
                    yield from self._claims(element, depth - 1)
            case {"value": str(text)}:
                key = cast("dict[str, object]", value).get("key")
                yield text, normalise_key(key) if isinstance(key, str) else ""
            case _:
                self.rejected += 1

    def _accepted(self, text: str, named_key: str, group: Group, confidence: float) -> tuple[Inferred, ...]:
        value = " ".join(storable(text).split()).strip(" .;,")
        if self._is_impersonal or not value or len(value) > _MAX_VALUE or is_template(value):
            return ()
        return tuple(
            Inferred(
                type=group_and_type(key)[1],
                key=key,
                value=claimed_value,
                excerpt=sentence[:300],
                confidence=confidence if may_be_certain else UNCERTAIN,
            )
            for key, claimed_value in ([(named_key, value)] if named_key else _interpreted(group, value))
            if not is_template(claimed_value)
            and not (is_prompts_own(key) and (named_key or key != _KEY_OF_GROUP[group]))
            and not is_prompts_own(normalise_key(claimed_value))
            and (sentence := self._supporting_sentence(claimed_value)) is not None
            # However sure the model is: what is said of another, or not at all, is not believed.
            and (may_be_certain := weigh(sentence, key, claimed_value)) is not None
        )

    def _supporting_sentence(self, value: str) -> str | None:
        """Return the sentence that has most of the value's words; None where the writer said less than half of them."""
        words = frozenset(query_words(value, expand=False))
        # "Lives on Mars" is not supported by "I live in Kyiv".
        words = words - _MODELS_WORDS or words
        if len(words & self._spoken) * 2 < max(len(words), 1):
            return None
        return max(self._sentences, key=lambda sentence: len(words & sentence[1]))[0]


def _interpreted(group: Group, value: str) -> Sequence[tuple[str, str]]:
    """Return keys and values: as the rules understand the sentence, as it is labelled, else under the group's key."""
    understood = extract(OwnWords((_in_first_person(value),)))
    if candidates := [(item.key, item.value) for item in (*understood.certain, *understood.uncertain)]:
        return candidates
    labelled = _LABELLED.fullmatch(value)
    if labelled is not None and (key := normalise_key(labelled[1])):
        return [(key, labelled[2])]
    return [(_KEY_OF_GROUP[group], value)]


def _in_first_person(value: str) -> str:
    """Turn "The user lives in Kyiv" and "Lives in Kyiv" into "I live in Kyiv"; anything else stays as it is."""
    subject = _SUBJECT.match(value)
    predicate = value[subject.end() :] if subject else value
    if subject and subject["own"]:
        return f"my {predicate}"
    verb = named_pattern("verb").match(predicate)
    if verb is None:
        return f"my {predicate}" if re.match(r"(?:name|birthday|favou?rite)\b", predicate, re.IGNORECASE) else predicate
    base_form = verb[1].casefold()
    return f"I {_FIRST_PERSON.get(base_form, base_form.removesuffix('s'))}{predicate[verb.end() :]}"


def _object_in(answer: str) -> Mapping[str, Any] | None:
    """Return the first JSON object that looks like an answer; one that is cut off is closed where it can be."""
    starts = [match.start() for match in re.finditer(r"\{", answer)][:_MAX_STARTS]
    for reader in (_first_value, _closed_value):
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
    complete = ""
    for token in _STRUCTURE.finditer(text):
        if token[0] in "{[":
            closers.append("}" if token[0] == "{" else "]")
            if len(closers) > _MAX_STARTS:
                return None
            continue
        if token[0] in "}]":
            if not closers or closers.pop() != token[0]:
                break
        elif not token["closed"] or closers[-1:] != ["]"]:
            continue  # a key, or a string that is cut off
        complete = text[: token.end()] + "".join(reversed(closers))
    return _first_value(complete)


_STRUCTURE = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.?)*(?P<closed>")?', re.DOTALL)
