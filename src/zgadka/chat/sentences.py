"""What is known or guessed of a person, as a sentence to them: "You live in Lviv", "Ви живете у Львові?"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from zgadka.chat.sentence_forms import Form, form_of, with_article, without_name
from zgadka.locales import Language, keys, text
from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.memory import StoredMemory
from zgadka.model.result import ToolResult, as_result
from zgadka.text.ages import age_in_years
from zgadka.text.canonical import canonical
from zgadka.text.sanitize import preview
from zgadka.text.word_lists import read_table

# fmt: off
_RELATIVES = frozenset({
    "brother", "sister", "mother", "father", "wife", "husband", "son", "daughter", "child", "partner", "girlfriend",
    "boyfriend", "friend",
})
_KEYS = frozenset({
    "hometown", "name", "job", "employer", "industry", "education", "like", "dislike", "hobby", "interest",
    "preference", "style", "health", "diet", "pet", "vehicle", "possession", "language", "native_language",
    "programming_language", "skill", "nationality", "religion", "gender", "pronouns", "height", "weight", "eye_color",
    "hair_color", "blood_type", "zodiac_sign", "timezone", "marital_status", "birthday", "birth_year", "anniversary",
    "deadline", "date", "parents", "fact", "fear", "operating_system", "smoker",
}) | _RELATIVES
# fmt: on
_INFLECTED = frozenset({"location", "birthplace", "allergy", "goal", "age"})
"""Keys whose sentences depend on the value."""
_LISTS = ("candidates", "awaiting", "deleted", "cancelled")
"""Of what may be deleted, in a tool's answer."""
_ELSEWHERE = {"location": "location_elsewhere", "birthplace": "birthplace_elsewhere"}
_COUNTED = frozenset({"job", "pet", "vehicle", "possession"})
"""What takes an article in English."""
_COPULAS: dict[Language, str] = {"en": "is", "uk": "—"}
_PREDICATES: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:is|was|has|had) |[a-z]{2,}s [^\s,]"),
    "uk": re.compile(
        r"(?!двоє|троє)(?:не )?(?:має|є|був|була|живе|веде|[а-яіїєґ’']{2,}(?:є|ює|іє|ить|їть|ише))(?:ться|ся)? [^\s,]"
    ),
}
"""What of a relative is known by what they do: works as a nurse."""
_MINUTE = 60
_LONGEST_SECONDS, _LONGEST_MINUTES = 90, 90
_VERB = re.compile(r"(are|were|would) ")
_NEGATED = re.compile(r"(?:don['’]t|do not|never|can['’]t|cannot) ")
_ENDS = (("ах", "ях"), ("і", "ї"), ("у", "ю"))
"""Of the locative, the surest first."""


def statement(key: str, value: str, language: Language, *, past: bool = False) -> str:
    """Return what is so, or was, without a full stop."""
    value = without_name(key, value)
    if past:
        return _past_statement(key, value, language)
    if key not in _RELATIVES or not _PREDICATES[language].match(value):
        form = form_of(key, value, language)
        if form is not None:
            return text(language, f"chat.told.{_told(key, form[0])}", value=form[1], key=key_label(key, language))
    relation, words = _worded(key, value, language)
    count = int(words) if words.isascii() and words.isdecimal() else None
    sentence = text(language, f"chat.about.{relation}", value=words, key=key_label(key, language), count=count)
    if key in _RELATIVES and _PREDICATES[language].match(words):
        return sentence.replace(f" {_COPULAS[language]} {words}", f" {words}")
    return sentence


def _past_statement(key: str, value: str, language: Language) -> str:
    if key == "location" and (place := value if language == "en" else _locative(value)) is not None:
        return text(language, "chat.told.lived", value=place)
    return text(language, "chat.told.plain", value=value, key=key_label(key, language))


def _told(key: str, form: Form) -> str:
    if key == "parents" and form == "do":
        return key
    return f"said.{key}" if form == "said" else form


def key_label(key: str, language: Language) -> str:
    """Return the word a person reads for a fact's key; one without such a word as it is."""
    name = f"dashboard.key.{key}"
    return text(language, name) if name in keys(language) else key.replace("_", " ")


def question(key: str, value: str, language: Language) -> str:
    """Return the question whether it is so."""
    sentence = statement(key, value, language)
    return f"{_inverted(sentence) if language == 'en' else sentence}?"


def why_not(cause: str | None, language: Language) -> str:
    """Return why something was not done, to stand within a sentence.

    Args:
        cause: The `reason` of a tool's answer, as in `ContentRefused`, or its status; or the cause in `Answered`.
    """
    name = f"why_not.{cause}"
    return text(language, name if name in keys(language) else "why_not.unclear", limit=LONGEST_VALUE)


def rate_limited(result: Mapping[str, Any], language: Language) -> str:
    """Return that too much was asked for, and when it may be tried again."""
    seconds = int(result.get("retry_after_seconds") or 0)
    if not seconds:
        return text(language, "bots.rate_limited_now")
    if seconds > _LONGEST_SECONDS:
        seconds += _MINUTE - 1  # it is over by then
    return text(language, "bots.rate_limited", wait=span(seconds, language))


def span(seconds: int, language: Language) -> str:
    """Return how long something takes or lasts: 90 seconds, 58 minutes, 13 hours; what is over that is left out."""
    if seconds <= _LONGEST_SECONDS:
        return text(language, "span.seconds", count=seconds)
    if seconds <= _LONGEST_MINUTES * _MINUTE:
        return text(language, "span.minutes", count=seconds // _MINUTE)
    return text(language, "span.hours", count=seconds // _MINUTE // 60)


def in_words(memory: StoredMemory, language: Language, *, past: bool = False) -> str:
    """Return what a memory says as its person reads it: a fact as a sentence to them.

    Args:
        past: Whether it holds no longer.
    """
    is_fact = memory.kind == "fact" and memory.key is not None
    return statement(memory.key or "", memory.content, language, past=past) if is_fact else memory.text


def fact_in_words(line: str, language: Language, *, past: bool = False) -> str:
    """Return the same of the text of a fact, `location: Kyiv`, where only that is there."""
    key, colon, value = line.partition(": ")
    return statement(key.replace(" ", "_"), value, language, past=past) if colon else line


def line_in_words(line: str, language: Language, *, past: bool = False) -> str:
    """Return the same where it is not known whether it is a fact: of one of our keys, and no relation of two people."""
    key, colon, _ = line.partition(": ")
    is_fact = colon and key.replace(" ", "_") in _KEYS | _INFLECTED and " ↔ " not in line and " → " not in line
    return fact_in_words(line, language, past=past) if is_fact else line


def result_in_words(result: ToolResult, memories: Mapping[int, StoredMemory], language: Language) -> ToolResult:
    """Return a tool's answer with the facts in its lists as their person reads them, where it tells their texts.

    Args:
        memories: Those that it is about, by id.
    """

    def worded(row: dict[str, Any]) -> dict[str, Any]:
        memory = memories.get(row["memory_id"])
        if memory is None or row["content"] != preview(memory.text):
            return row
        return row | {"content": in_words(memory, language)}

    lists: dict[str, list[dict[str, Any]]] = {name: result[name] for name in _LISTS if name in result}
    return as_result({**result, **{name: list(map(worded, rows)) for name, rows in lists.items()}})


def learned_line(memory: StoredMemory, language: Language, undo: str, escape: Callable[[str], str] = str) -> str:
    """Return the line that tells what was remembered, and the command that takes it back.

    Args:
        escape: Makes people's words plain text for the platform.
    """
    value = escape(preview(memory.content))
    sentence = value if memory.key is None else statement(memory.key, value, language)
    return text(language, "chat.learned", text=sentence, undo=undo)


def _inverted(sentence: str) -> str:
    """Put the verb of an English sentence first; only our own templates are turned round."""
    if sentence.startswith("You "):
        predicate = sentence.removeprefix("You ")
        if (verb := _VERB.match(predicate)) is not None:
            return f"{verb[1].capitalize()} you {predicate[verb.end() :]}"
        return sentence if _NEGATED.match(predicate) else f"Do you {predicate}"
    subject, verb, predicate_words = next(
        (sentence.partition(f" {verb} ") for verb in ("is", "are") if f" {verb} " in sentence), (sentence, "", "")
    )
    if ":" in subject:  # the verb is in their words
        return sentence
    return f"{verb.strip().capitalize()} {subject[0].lower()}{subject[1:]} {predicate_words}" if verb else sentence


def _worded(key: str, value: str, language: Language) -> tuple[str, str]:
    """Return which sentence to take, and the value in the form that stands in it."""
    match key:
        case "location" | "birthplace":
            if language == "en":
                return key, value
            locative = _locative(value)
            return (key, locative) if locative is not None else (_ELSEWHERE[key], value)
        case "allergy":
            accusative = value if language == "en" else _accusative(value)
            return ("allergy", accusative) if accusative is not None else ("allergy_thing", value)
        case "goal":
            first_word = value.partition(" ")[0]
            is_verb = first_word.endswith(("ти", "тися", "тись"))
            if language == "en":
                is_verb = value[:1].islower() and value.isascii()
            return ("goal", value.removeprefix("to ")) if is_verb else ("goal_thing", value)
        case "age":
            years = age_in_years(canonical(value, key))
            return ("age_thing", value) if years is None else ("age", str(years))
        case _ if key in _KEYS:
            return key, with_article(value) if language == "en" and key in _COUNTED else value
        case _:
            return "other", value


def _locative(place: str) -> str | None:
    """Return where somebody is who is in a known place: "у Львові"; None for a place whose forms are not known."""
    cases = _places().get(place, ())
    for ends in _ENDS:
        for form in cases:
            if form.endswith(ends):
                return f"{'в' if form[0].casefold() in 'аеєиіїоуюя' else 'у'} {form}"
    return None


@cache
def _places() -> dict[str, tuple[str, ...]]:
    table = read_table("places", "zgadka.extract")
    return {name.replace("_", " "): tuple(case.replace("_", " ") for case in cases) for name, cases in table.items()}


def _accusative(thing: str) -> str | None:
    """Return a lifeless thing in the accusative; None where it has several words, whose forms are not known."""
    if " " in thing or not thing:
        return None
    for ending, accusative in (("ія", "ію"), ("я", "ю"), ("а", "у")):
        if thing.endswith(ending) and len(thing) > 3:
            return thing.removesuffix(ending) + accusative
    return thing
