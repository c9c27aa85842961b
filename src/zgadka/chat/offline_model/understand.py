"""From a message to what the stand-in may take it to mean: pure, and unclear wherever it is not plain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from zgadka.chat.patterns import read_patterns
from zgadka.extract.languages import plain_statements
from zgadka.extract.pattern import Statement, fits, holds
from zgadka.extract.rules import extract
from zgadka.extract.values import is_quoting
from zgadka.locales import Language, language_of
from zgadka.model.inference import MOST_ASKED, Inferred
from zgadka.model.memory import ChangeReason
from zgadka.text.picks import picked

Key = Literal["location", "name", "age", "job", "hobby", "like"]


@dataclass(frozen=True)
class Fact:
    """What the speaker says of themselves.

    Attributes:
        change: Set when the sentence itself says that something changed ("moved", "now") or was wrong.
    """

    key: str
    value: str
    change: ChangeReason | None = None


@dataclass(frozen=True)
class Tell:
    """What a message tells, one thing or more.

    Attributes:
        facts: What it says plainly.
        doubtful: What it only seems to say.
    """

    facts: tuple[Fact, ...]
    doubtful: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Note:
    """A wish to remember a text as it was said."""

    content: str


@dataclass(frozen=True)
class AskKey:
    """A question about one kind of fact: "where do I live?"."""

    key: Key


@dataclass(frozen=True)
class AskAbout:
    """A question about a subject: "what do you know about chess?"."""

    query: str


@dataclass(frozen=True)
class Forget:
    """A wish to forget; `key` and `value` are set when the rest was a plain statement or names a kind of fact."""

    query: str
    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class ForgetIds:
    """A wish to forget memories named by their ids."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """An answer to "which one?": ids, or a place in the list that was shown (0 is the first)."""

    ids: tuple[str, ...] = ()
    place: int | None = None


Plain = Literal["ask all", "forget all", "yes", "no", "greeting", "unclear"]
"""A wish to know or to forget everything, a yes or a no and nothing else, a greeting or thanks; `unclear` is anything
else."""

Intent = Tell | Note | AskKey | AskAbout | Forget | ForgetIds | Choice | Plain


@dataclass(frozen=True, kw_only=True)
class _Grammar:
    """The rules of one language: what asks is in `en.toml` and `uk.toml`, what tells something in `extract`."""

    statements: tuple[Statement, ...]
    fillers: str
    joints: str
    doubts: str
    denials: str
    greetings: str
    yes: str
    no: str
    places_in_list: Sequence[str]
    polite: str
    ask_all: str
    ask_key: Mapping[Key, str]
    ask_about: str
    note: str
    forget: str
    forget_nothing: str
    forget_all: str
    forget_key: Mapping[Key, str]


@cache
def _grammar_of(language: Language) -> _Grammar:
    return _Grammar(statements=plain_statements(language), **read_patterns("offline_model", language))


def _key_of(keys: Mapping[Key, str], sentence: str) -> Key | None:
    """Return the kind of fact whose pattern fits."""
    return next((key for key, pattern in keys.items() if fits(pattern, sentence)), None)


# The stand-in has one word for where people are: it asks before it changes it.
_KEYS = {"hometown": "location"}
_MAX_MESSAGE = 1_000
_ID = r"(?:id:? ?|№ ?|#)?[Mm]?\d{1,16}"
_IDS = rf"{_ID}(?:[, ]+(?:(?:and|і|та|й) )?{_ID})*"
_NUMBER = re.compile(r"[Mm]?\d{1,16}")
_SENTENCES = re.compile(r"(?<=[.!?…;])\s+|\s*[\n\r]+\s*")
# Emoji and other signs after the last word; + and # belong to words such as C++ and C#.
_TRAILING = re.compile(r"[^\w'’ʼ+#%\"»”)\]}?]+$")


def understand(text: str) -> Intent:
    """Take a message for what it plainly says; `unclear` for everything else.

    What is no plain statement is read as every message is (`zgadka.extract`), and a question that is none of the known
    ones is about whatever memory knows.
    """
    message = _tidy(text)
    if not message or len(message) > _MAX_MESSAGE:
        return "unclear"
    grammar = _grammar_of(language_of(message))
    sentences = [sentence for sentence in _SENTENCES.split(message) if sentence]
    content = _note(grammar, message)
    if content is not None:
        return content
    statements = [sentence for sentence in sentences if not fits(grammar.greetings, _bare(grammar, sentence))]
    if not statements:
        return "greeting"
    if len(statements) == 1:
        bare = _bare(grammar, statements[0])
        reply = _reply(grammar, _trimmed(statements[0])) or _forget(grammar, bare) or _question(grammar, bare)
        if reply is not None:
            return reply
    return _tell(grammar, statements) or _read(message) or _asked(message) or "unclear"


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines())
    return "\n".join(line for line in lines if line)


def _trimmed(sentence: str) -> str:
    return _TRAILING.sub("", sentence)


def _bare(grammar: _Grammar, sentence: str) -> str:
    """Return the sentence without edges and without the words before it that mean nothing."""
    bare = _trimmed(sentence)
    while (shorter := re.sub(rf"^(?:{grammar.fillers})(?:,|!|\.| [-–—])? +", "", bare, flags=re.IGNORECASE)) != bare:
        bare = shorter
    return bare


def _note(grammar: _Grammar, message: str) -> Intent | None:
    fit = fits(grammar.note, message)
    if fit is None or message.endswith("?"):
        return None
    content = fit["content"].strip()
    # "remember that I live in Kyiv" is a fact like any other; what is no plain fact is kept as it was said.
    return _tell(grammar, [content]) or Note(content)


def _reply(grammar: _Grammar, sentence: str) -> Intent | None:
    if fits(grammar.no, sentence):
        return "no"
    if fits(grammar.yes, sentence):
        return "yes"
    if fits(_IDS, sentence):
        return Choice(ids=_ids(sentence))
    position = next((n for n, words in enumerate(grammar.places_in_list) if fits(words, sentence)), None)
    return None if position is None else Choice(place=position)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(number.upper() for number in _NUMBER.findall(text)))


def _forget(grammar: _Grammar, sentence: str) -> Intent | None:
    if fits(grammar.forget_nothing, sentence):
        return "unclear"
    fit = fits(grammar.forget, sentence)
    if fit is None or sentence.endswith("?"):
        return None
    object_text = fit["rest"].strip()
    if fits(grammar.forget_all, object_text):
        return "forget all"
    if fits(_IDS, object_text):
        return ForgetIds(_ids(object_text))
    key = _key_of(grammar.forget_key, object_text)
    if key is not None:
        return Forget(object_text, key)
    statement = _tell(grammar, [object_text])
    if statement is None or len(statement.facts) != 1:
        return Forget(object_text)
    [fact] = statement.facts
    return Forget(fact.value, fact.key, fact.value)


def _question(grammar: _Grammar, sentence: str) -> Intent | None:
    bare = sentence.rstrip("? ")
    plain_question = re.sub(rf"^{grammar.polite}", "", bare, flags=re.IGNORECASE)
    for form in (bare, plain_question):
        if fits(grammar.ask_all, form):
            return "ask all"
        key = _key_of(grammar.ask_key, form)
        if key is not None:
            return AskKey(key)
        about = fits(grammar.ask_about, form)
        if about is not None:
            return AskAbout(about["query"] or about["query2"])
    return None


def _tell(grammar: _Grammar, sentences: list[str]) -> Tell | None:
    """Return the facts; None unless every sentence is a plain statement, for the next may take it back."""
    facts: list[Fact] = []
    for sentence in sentences:
        is_doubtful = holds(grammar.doubts, sentence) or holds(grammar.denials, sentence)
        if is_doubtful or "?" in sentence or is_quoting(sentence):
            return None
        for part in re.split(grammar.joints, _bare(grammar, sentence), flags=re.IGNORECASE):
            part_facts = _facts(grammar, _bare(grammar, part))
            if not part_facts:
                return None
            facts.extend(part_facts)
    return Tell(tuple(dict.fromkeys(facts))) if facts else None


_LISTED = dict.fromkeys(range(1, MOST_ASKED + 1), "")


def _read(message: str) -> Tell | None:
    """Return what the extractor reads in a message; "only the first" is the answer to a question, and no wish."""
    if picked(message, _LISTED) is not None:
        return None
    extraction = extract(message)
    facts, doubtful = map(_facts_of, (extraction.certain, extraction.uncertain))
    return Tell(facts, doubtful) if facts or doubtful else None


def _facts_of(items: Sequence[Inferred]) -> tuple[Fact, ...]:
    return tuple(Fact(item.key, item.value) for item in items)


def _asked(message: str) -> AskAbout | None:
    return AskAbout(message) if message.endswith("?") and any(map(str.isalpha, message)) else None


def _facts(grammar: _Grammar, sentence: str) -> tuple[Fact, ...]:
    for statement in grammar.statements:
        results = statement.tell(sentence)
        if results:
            return tuple(Fact(_KEYS.get(result.key, result.key), result.value, result.change) for result in results)
    return ()
