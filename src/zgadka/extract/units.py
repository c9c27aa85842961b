"""A sentence as units of known kinds: "I'm a vet tech in Leeds" as I, am, a, a job, in, a town.

The kinds are word lists, looked up once a word; patterns of `frames.py` are over kinds, not over letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from zgadka.extract.lexicon import pattern_entries, words
from zgadka.extract.memory import remembered

_TOKEN = re.compile(r"[^\W_]+(?:[-'.&/_][^\W_]+)*[+#]*|[^\w\s]|_")
_NUMBER = re.compile(r"\d+")
_AGED = re.compile(r"(?P<age>[1-9]\d)(?:[fm]|yo|y/o|yrs?)|[fm]/?(?P<age2>[1-9]\d)")
_JOINED = re.compile(r"[^\w-]|-$")
_SIGNS = frozenset("%$€£&/#+*'’")  # they stand within a statement
_MOST_UNITS = 120


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, a phrase of a word list, or a mark.

    Attributes:
        start: Where it begins in its sentence.
        end: Where it ends.
        word: In small letters.
        kinds: The word lists that it is on, and what its form makes it: `CAPITAL`, `NUMBER`, `MARK`, `OPEN`.
    """

    start: int
    end: int
    word: str
    kinds: frozenset[str]


class Kinds:
    """The word lists of a language, of `[kinds]` in `patterns/frames_<code>.toml`.

    A list is a `table:head` of data/. In it `_` joins words, and `*` at the end of a word stands for any ending; `^`
    behind the head means that its words count only where they are written with a capital.
    """

    grammar: frozenset[str] = frozenset({"CAPITAL", "OPEN"})
    """Kinds that a word has by its form; a word with others is on a list."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.has_cases: bool = entries["sentence"].get("inflected", False)
        self.is_free: bool = entries["sentence"].get("free_order", False)
        self.by_word: dict[str, set[str]] = defaultdict(set)
        self.by_beginning: dict[str, set[str]] = defaultdict(set)
        # By the first word, then by the second one, which is empty where it may have any ending.
        self.phrases: dict[str, dict[str, list[tuple[tuple[str, ...], set[str]]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.contractions: Mapping[str, Sequence[str]] = entries.get("contractions", {})
        self.plural: str = entries["sentence"].get("plural", "")
        self.is_open_unless: frozenset[str] = frozenset(entries["sentence"]["closed"])
        self.capitalised: set[str] = set()
        self._whole: set[str] = set()
        self.names: dict[str, frozenset[str]] = defaultdict(frozenset)
        for kind, lists in entries["kinds"].items():
            for listed in (lists,) if isinstance(lists, str) else lists:
                self._add(kind, listed)
        # By as many letters as the shortest has: few words share these.
        self._shortest = min(map(len, self.by_beginning), default=0)
        self._beginnings: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for beginning, tags in self.by_beginning.items():
            self._beginnings[beginning[: self._shortest]].append((beginning, tags))
        # The kinds of units by what they are made of: word lists and forms, no words.
        self._made: dict[tuple[frozenset[str], frozenset[str], bool, bool], frozenset[str]] = {}

    def add_phrase(self, phrase: str, tag: str = "PHRASE") -> None:
        """Have several words be read as one."""
        tokens = [token[1] for token in self._tokens(phrase)]
        if len(tokens) == 1:
            self.by_word[tokens[0]].add(tag)
            return
        if "'" in phrase and " " not in phrase:
            return  # "i'm" stays the two words that it is
        following = tuple(tokens[1:])
        phrases = self.phrases[tokens[0]][following[0] if not following[0].endswith("*") else ""]
        for words_behind, tags in phrases:
            if words_behind == following:
                tags.add(tag)
                return
        phrases.append((following, {tag}))
        phrases.sort(key=lambda phrase: -len(phrase[0]))

    def know(self, word: str) -> None:
        """Learn of a word that a frame has, on no list."""

    def rule(self, description: str) -> Callable[[str], tuple[str, ...] | str | None]:
        """Return what makes the values of a frame by these lists.

        Raises:
            ValueError: The language has no table of forms.
        """
        raise ValueError(f"{description!r}: only a language with a table of forms has base forms")

    def _add(self, kind: str, listed: str) -> None:
        table, colon, head = listed.partition(":")
        is_capital = head.endswith("^")
        entry: Iterable[str] = (
            words(head.removesuffix("^"), table) if colon else (word.replace("_", " ") for word in listed.split())
        )
        tag = f"{kind}^" if is_capital else kind
        if is_capital:
            self.capitalised.add(tag)
            entry = frozenset(entry)
            self.names[tag] |= entry
            entry = [phrase for phrase in entry if not phrase.isalpha() and _JOINED.search(phrase)]
        for phrase in entry:
            if colon and table != "cues" and "'s" in phrase:
                self._whole.update(part for part in phrase.split() if "'s" in part)
            if phrase.endswith("*"):
                self.by_beginning[phrase[:-1]].add(tag)
            elif _JOINED.search(phrase) and not phrase.startswith("'"):
                self.add_phrase(phrase, tag)
            else:
                self.by_word[phrase].add(tag)

    @remembered
    def units_of(self, sentence: str) -> list[Unit]:
        """Return a sentence as units, the longest phrase that is known first."""
        tokens = list(self._tokens(sentence))[:_MOST_UNITS]
        is_shouted = sum(word.isupper() and len(word) > 1 for word, *_ in tokens) > len(tokens) // 2
        units: list[Unit] = []
        at = 0
        while at < len(tokens):
            text, lower, start, end = tokens[at]
            length, tags = self._longest(tokens, at)
            end = tokens[at + length - 1][3]
            is_capital = text[:1].isupper() and not is_shouted
            if is_capital and length == 1:
                tags = tags | {tag for tag, names in self.names.items() if lower in names}
            may_be_name = is_capital and len(text) > 2 and not text.isupper()
            made_of = frozenset(tags), frozenset(self._of_form(text, lower)), is_capital, may_be_name
            kinds = self._made.get(made_of)
            if kinds is None:
                kinds = self._made[made_of] = self._kinds_made_of(*made_of)
            word = lower if length == 1 else sentence[start:end].casefold()
            units.append(Unit(start, end, word, kinds))
            at += length
        return units

    def _kinds_made_of(
        self, tags: frozenset[str], forms: frozenset[str], is_capital: bool, may_be_name: bool
    ) -> frozenset[str]:
        kinds = {tag.removesuffix("^") for tag in tags if is_capital or tag not in self.capitalised} | forms
        if is_capital:
            kinds.add("CAPITAL")
            if may_be_name and not kinds - self.grammar:
                kinds.add("UNKNOWN")
        if not kinds & self.is_open_unless:
            kinds.add("OPEN")
        return frozenset(kinds)

    def _tokens(self, sentence: str) -> Iterable[tuple[str, str, int, int]]:
        for token in _TOKEN.finditer(sentence):
            lower = token[0].casefold()
            parts = self.contractions.get(lower)
            if parts is not None:
                # "im": the parts are of no length, but the first.
                yield token[0], parts[0], token.start(), token.end()
                for part in parts[1:]:
                    yield part, part, token.end(), token.end()
                continue
            stem, apostrophe, ending = lower.rpartition("'")
            if (
                apostrophe
                and stem
                and lower not in self._whole
                and (parts := self.contractions.get(f"'{ending}")) is not None
            ):
                cut = token.start() + len(stem)
                yield token[0][: len(stem)], stem, token.start(), cut
                for part in parts:
                    yield part, part, cut, token.end()
                continue
            yield token[0], lower, token.start(), token.end()

    def _longest(self, tokens: list[tuple[str, str, int, int]], at: int) -> tuple[int, set[str]]:
        lower = tokens[at][1]
        by_second = self.phrases.get(lower) if at + 1 < len(tokens) else None
        if by_second is not None:
            second = tokens[at + 1][1]
            seconds = (second, second.removesuffix(self.plural), "") if self.plural else (second, "")
            best = 0, set[str]()
            for following, tags in (phrase for word in dict.fromkeys(seconds) for phrase in by_second.get(word, ())):
                if len(following) >= best[0] and self._is_phrase(tokens, at, following):
                    best = len(following) + 1, tags
            if best[0]:
                return best
        return 1, self._kinds_of(lower)

    def _is_phrase(self, tokens: list[tuple[str, str, int, int]], at: int, following: tuple[str, ...]) -> bool:
        if at + len(following) >= len(tokens):
            return False
        return all(
            self._is_form(tokens[at + number][1], word, is_last=number == len(following))
            for number, word in enumerate(following, 1)
        )

    def _is_form(self, token: str, word: str, *, is_last: bool) -> bool:
        if token == word:
            return True
        if word.endswith("*"):
            return token.startswith(word[:-1])
        return is_last and bool(self.plural) and token == word + self.plural

    def _kinds_of(self, lower: str) -> set[str]:
        kinds = self.by_word.get(lower, set())
        if not kinds and self.plural and lower.endswith(self.plural):
            kinds = {
                kind
                for kind in self.by_word.get(lower.removesuffix(self.plural), set())
                if kind not in self.capitalised and kind in _PLURALS
            }
        for beginning, tags in self._beginnings.get(lower[: self._shortest], ()):
            if lower.startswith(beginning):
                kinds = kinds | tags
        return kinds

    @staticmethod
    def _of_form(text: str, lower: str) -> set[str]:
        return form_kinds(text, lower)


_MODEL = re.compile(r"[^\W\d_]{1,2}-?\d{1,4}")  # "a32", "x5"


def form_kinds(text: str, lower: str) -> set[str]:
    """Return what the form of a word or mark makes it."""
    if "_" in text:
        return {"SIGN"}  # a placeholder, a name in a program
    if text.isalpha():
        return set()
    if not any(map(str.isalnum, text)):
        return {"SIGN"} if text in _SIGNS else {"MARK"}
    if _NUMBER.fullmatch(text):
        return {"NUMBER", "AGE"} if 10 <= int(text) < 100 and len(text) == 2 else {"NUMBER"}
    if _AGED.fullmatch(lower):
        return {"AGED"}
    return {"CODE"} if text[:1].isdigit() or _MODEL.fullmatch(lower) else set()


# Kinds whose words may be in the plural.
_PLURALS = frozenset(
    {
        "JOB",
        "ANIMAL",
        "ALLERGEN",
        "GAME",
        "INSTRUMENT",
        "KIN",
        "PEOPLE",
        "HOBBY",
        "SPORT",
        "ANSWERS",
        "WEEKDAY",
        "FEARED",
    }
)


@cache
def kinds_of(name: str) -> Kinds | None:
    """Return the word lists of `patterns/<name>.toml`; None where there is no such file."""
    try:
        entries = pattern_entries(name)
    except FileNotFoundError:
        return None
    return kinds_in(entries)


def kinds_in(entries: Mapping[str, Any]) -> Kinds:
    """Return the word lists of a file that was read."""
    if "forms" in entries["sentence"]:
        from zgadka.extract.declined import DeclinedKinds  # noqa: PLC0415 - it is made of this

        return DeclinedKinds(entries)
    if entries["sentence"].get("inflected"):
        from zgadka.extract.inflected import InflectedKinds  # noqa: PLC0415 - it is made of this

        return InflectedKinds(entries)
    return Kinds(entries)
