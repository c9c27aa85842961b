"""From a message to what the stand-in may take it to mean: pure, and unclear wherever it is not plain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal

from zgadka.chat.patterns import read_patterns
from zgadka.extract.languages import plain_statements
from zgadka.extract.pattern import Candidate, Statement, fits
from zgadka.extract.rules import extract
from zgadka.locales import Language, language_of
from zgadka.model.inference import MOST_ASKED
from zgadka.model.memory import ChangeReason
from zgadka.text.picks import picked

Key = Literal["location", "hometown", "name", "age", "job", "employer", "hobby", "like"]


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
    """A wish to forget memories named by their ids; without ids, "forget that", what was just remembered."""

    ids: tuple[str, ...] = ()


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
    greetings: str
    corrects: str
    yes: str
    no: str
    places_in_list: Sequence[str]
    polite: str
    ask_all: str
    ask_key: Mapping[Key, str]
    ask_about: str
    note: str
    forget: str
    forget_last: str
    forget_all: str
    forget_key: Mapping[Key, str]


@cache
def _grammar_of(language: Language) -> _Grammar:
    return _Grammar(statements=plain_statements(language), **read_patterns("offline_model", language))


def _key_of(keys: Mapping[Key, str], sentence: str) -> Key | None:
    """Return the kind of fact whose pattern fits."""
    return next((key for key, pattern in keys.items() if fits(pattern, sentence)), None)


_MAX_MESSAGE = 1_000
_ID = r"(?:id:? ?|№ ?|#)?[Mm]?\d{1,16}"
_IDS = rf"{_ID}(?:[, ]+(?:(?:and|і|та|й) )?{_ID})*"
_NUMBER = re.compile(r"[Mm]?\d{1,16}")
_SENTENCES = re.compile(r"(?<=[.!?…;])\s+|\s*[\n\r]+\s*")
# Emoji and other signs after the last word; + and # belong to words such as C++ and C#.
_TRAILING = re.compile(r"[^\w'’ʼ+#%\"»”)\]}?]+$")


def understand(text: str) -> Intent:
    """Take a message for what it plainly says; `unclear` for everything else.

    What somebody tells is read as in every message (`zgadka.extract`); whether it changed, only plain statements say. A
    question that is none of the known ones is about whatever memory knows.
    """
    message = _tidy(text)
    if not message or len(message) > _MAX_MESSAGE:
        return "unclear"
    grammar = _grammar_of(language_of(message))
    sentences = [sentence for sentence in _SENTENCES.split(message) if sentence]
    content = _note(grammar, message)
    if content is not None:
        return content
    statements = [sentence for sentence in sentences if not _greets(grammar, sentence)]
    if not statements:
        return "greeting"
    if len(statements) == 1:
        bare = _bare(grammar, statements[0])
        reply = _reply(grammar, _trimmed(statements[0])) or _forget(grammar, bare) or _question(grammar, bare)
        if reply is not None:
            return reply
    return _read(grammar, message, statements) or _asked(message) or "unclear"


def _greets(grammar: _Grammar, sentence: str) -> bool:
    # "hi there", and "ok, thanks": a greeting may begin with a word that means nothing before other words.
    return any(fits(grammar.greetings, form) for form in (_trimmed(sentence), _bare(grammar, sentence)))


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
    return _read_plain(grammar, content) or Note(content)


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
    if fits(grammar.forget_last, sentence):
        return ForgetIds()
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
    statement = _read_plain(grammar, object_text)
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


_LISTED = dict.fromkeys(range(1, MOST_ASKED + 1), "")


def _read(grammar: _Grammar, message: str, sentences: Sequence[str]) -> Tell | None:
    """Return what the extractor reads in a message; "only the first" is the answer to a question, and no wish."""
    if picked(message, _LISTED) is not None:
        return None
    extraction = extract(message)
    plain = [told for clause in _clauses(grammar, sentences) for told in _plain(grammar, clause)]
    changes: dict[str, ChangeReason | None] = {told.key: told.change for told in plain}
    corrects: ChangeReason | None = "correction" if fits(rf"{grammar.corrects}.*", sentences[0]) else None
    facts, doubtful = (
        tuple(Fact(item.key, item.value, changes.get(item.key) or corrects) for item in items)
        for items in (extraction.certain, extraction.uncertain)
    )
    return Tell(facts, doubtful) if facts or doubtful else None


def _read_plain(grammar: _Grammar, text: str) -> Tell | None:
    """Return what a text tells for certain; None unless each of its clauses is a plain statement."""
    if not all(_plain(grammar, clause) for clause in _clauses(grammar, [text])):
        return None
    told = _read(grammar, text, [text])
    return told if told is not None and told.facts else None


def _clauses(grammar: _Grammar, sentences: Sequence[str]) -> list[str]:
    parts = (re.split(grammar.joints, _bare(grammar, text), flags=re.IGNORECASE) for text in sentences)
    return [_bare(grammar, part) for part in chain.from_iterable(parts)]


def _asked(message: str) -> AskAbout | None:
    return AskAbout(message) if message.endswith("?") and any(map(str.isalpha, message)) else None


def _plain(grammar: _Grammar, clause: str) -> tuple[Candidate, ...]:
    return next(filter(None, (statement.tell(clause) for statement in grammar.statements)), ())
