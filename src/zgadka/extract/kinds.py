"""What the words of a Ukrainian clause name: a job, a town, a person; marked in it, so that patterns ask for kinds.

"працюю на складі в Розетці" becomes "працюю на складі в ⟦0 El Ed ⟧": the number of the mention, then a letter for the
kind and one for the case that its form may have, as often as there are. Patterns write `<E>` or `<El>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from zgadka.extract.forms import base_forms, masculine_forms
from zgadka.extract.lexicon import words
from zgadka.text.word_lists import read_table

KINDS = {
    "job": "J", "town": "T", "district": "D", "land": "L", "pet": "P", "illness": "I", "ill_one": "O", "allergen": "A",
    "diet": "V", "instrument": "M", "game": "G", "sport": "S", "craft": "C", "study": "Y", "faculty": "F",
    "school_name": "U", "firm": "E", "car": "R", "skill": "K", "name": "N", "language": "Q",
}  # fmt: skip
"""The kinds of ``data/kinds_uk.txt`` and their letters."""

_WORD = re.compile(r"[\w][\w'’+#.-]*[\w+#]|\w")
_MARK = re.compile(r"⟦(\d+) [^⟧]*⟧")
_MOST_WORDS = 4
_CAPITAL_ONLY = frozenset("TDN")


@dataclass(frozen=True)
class Mention:
    """A word or several that name something.

    Attributes:
        text: As written.
        value: In the base form.
    """

    text: str
    value: str


@dataclass(frozen=True)
class Marked:
    """A clause with its mentions marked."""

    text: str
    mentions: tuple[Mention, ...]

    def plain(self, text: str) -> str:
        """Return a part of it as it was written."""
        return _MARK.sub(lambda mark: self.mentions[int(mark[1])].text, text)

    def value(self, text: str) -> str:
        """Return a part of it with its mentions in their base forms."""
        return _MARK.sub(lambda mark: self.mentions[int(mark[1])].value, text)


def marked(clause: str) -> Marked:
    """Mark what the words of a clause name."""
    found = list(_WORD.finditer(clause))
    lowers = [match[0].casefold().replace("’", "'") for match in found]
    parts: list[str] = []
    mentions: list[Mention] = []
    end = at = 0
    while at < len(found):
        length, kinds = _phrase_kinds(clause, found, lowers, at) or (1, _word_kinds(lowers[at]))
        if kinds and (codes := _codes(kinds, found[at][0])):
            start, stop = found[at].start(), found[at + length - 1].end()
            parts += [clause[end:start], f"⟦{len(mentions)} {' '.join(codes)} ⟧"]
            mentions.append(Mention(clause[start:stop], next(iter(codes.values()))))
            end = stop
        at += length
    return Marked("".join((*parts, clause[end:])), tuple(mentions))


def marks(pattern: str) -> str:
    """Return a pattern in which `<J>` and `<Jni>` stand for marks of a kind, in one of the cases; `<W>` for any word."""
    return _KIND.sub(_mark_pattern, pattern)


_KIND = re.compile(r"<(W|[A-Z]+)([a-z]*)>")


def _mark_pattern(match: re.Match[str]) -> str:
    if match[1] == "W":
        return r"(?:⟦[^⟧]*⟧|[\w'-]+)"
    cases = f"[{match[2]}]" if match[2] else r"\w"
    return rf"⟦\d+ (?:\w\w )*[{match[1]}]{cases} (?:\w\w )*⟧"


_Kinds = tuple[tuple[str, str, str], ...]
"""A letter for the kind and one for the case, the base form, and how it is written."""


def _codes(kinds: _Kinds, word: str) -> dict[str, str]:
    """Return the kinds and cases that a word may have as it is written, each with its base form."""
    is_name = word[:1].isupper() and not (len(word) > 1 and word.isupper())
    return {code: value for code, base, value in reversed(kinds) if is_name or code[0] not in _CAPITAL_ONLY or base not in _ambiguous()}


def _phrase_kinds(clause: str, found: list[re.Match[str]], lowers: list[str], at: int) -> tuple[int, _Kinds] | None:
    """Return how many words from one on name something together, and what."""
    firsts = [(first, cases) for first, cases in base_forms(lowers[at]) if first in _first_words()]
    if not firsts:
        return None
    for size in range(min(_MOST_WORDS, len(found) - at), 1, -1):
        if clause[found[at].start() : found[at + size - 1].end()].count(" ") != size - 1:
            continue
        following = lowers[at + 1 : at + size]
        kinds = tuple(
            (code + case, phrase, value)
            for first, cases in firsts
            for phrase, shared in (
                (" ".join((first, *following)), cases),
                *(
                    (" ".join((first, second, *following[1:])), "".join(set(cases) & set(others)))
                    for second, others in base_forms(following[0])[1:]
                ),
            )
            for code, value in _bases().get(phrase, ())
            for case in shared
        )
        if kinds:
            return size, kinds
    return None


@lru_cache(maxsize=512)
def _word_kinds(word: str) -> _Kinds:
    forms = base_forms(word)
    kinds = tuple((code + case, form, value) for form, cases in forms for code, value in _bases().get(form, ()) for case in cases)
    if any(code[0] == "J" for code, _, _ in kinds):
        return kinds
    women = ((form, cases) for form, cases in forms if any(_is_job(man) for man in masculine_forms(form)))
    return (*kinds, *(("J" + case, form, form) for form, cases in women for case in cases))


def _is_job(word: str) -> bool:
    return any(code == "J" for code, _ in _bases().get(word, ()))


def forget_words() -> None:
    """Clear the caches of words: nothing of a message stays in memory."""
    _word_kinds.cache_clear()
    base_forms.cache_clear()


@cache
def _bases() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the letters and the written form of each base form."""
    bases: dict[str, tuple[tuple[str, str], ...]] = {}
    table = read_table("kinds_uk", "zgadka.extract")
    for kind, letter in KINDS.items():
        for entry in table[kind]:
            value = entry.replace("_", " ")
            bases[value.casefold()] = (*bases.get(value.casefold(), ()), (letter, value))
    for letter, known in (("J", "occupation_uk"), ("N", "name")):
        for value in words(known):
            if _CYRILLIC.match(value) and all(code != letter for code, _ in bases.get(value, ())):
                bases[value] = (*bases.get(value, ()), (letter, value.title() if letter == "N" else value))
    return bases


_CYRILLIC = re.compile("[\u0400-\u04ff]")


@cache
def _first_words() -> frozenset[str]:
    return frozenset(base.split(" ", 1)[0] for base in _bases() if " " in base)


@cache
def _ambiguous() -> frozenset[str]:
    table = read_table("kinds_uk", "zgadka.extract")
    return frozenset((*table["town_or_word"], *table["name_or_word"])) | words("name_or_word")
