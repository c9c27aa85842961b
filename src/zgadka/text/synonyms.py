"""Which words and phrases say the same of a person: doctor and physician, early bird and morning person, Лев and Левко.

Tables, English and Ukrainian alike: of what says the same (``data/same.txt``), and of what people say of something that
they do not name again (``data/hints.txt``): a player of darts of the bullseye. Words of numbers are made from theirs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache

from zgadka.text.folding import skeleton, transliterate
from zgadka.text.keys import normalise_key
from zgadka.text.loose_words import is_spelt_form
from zgadka.text.slavic import are_forms
from zgadka.text.word_lists import read_table, read_words
from zgadka.text.words import index_words

_ROOT = 5
_FEW = 12
_Phrases = dict[str, list[tuple[str, tuple[frozenset[str], ...]]]]
_CYRILLIC = re.compile("[\u0400-\u052f]+")


@lru_cache(maxsize=16384)
def forms(word: str) -> frozenset[str]:
    """A word and what an index has of it, which its forms share."""
    return frozenset({word, *index_words(word)})


@lru_cache(maxsize=16384)
def groups_of(word: str) -> frozenset[int]:
    """The numbers of the groups to which a word or a form of it belongs; of a phrase, its words are joined by _."""
    matches = [(form, *entry) for form in _forms_of_entry(word) for entry in _groups().get(form, ())]
    return frozenset(number for form, number, entry in matches if _stands_for(word, form, entry, number))


def hints_at(words: Sequence[str], telling: Iterable[str], *, is_name: bool = False) -> frozenset[str]:
    """The words and phrases by which people speak of what is named in a value of these words.

    Args:
        telling: Those of them that name it by themselves, and not only in a phrase.
        is_name: Whether it is the name of a person or a place: Reading is told of by no books.
    """
    phrases = _phrases_at(words, _phrases_by_beginning(_head_words))
    named = {(word, form, head) for word in telling for form in forms(word) for head in _heads_by_form().get(form, ())}
    heads = {head for word, form, head in named if _stands_for(word, form, head)}.union(phrases)
    hints = _hints_of_names() if is_name else _heads()
    return frozenset[str]().union(*(hints[head] for head in heads if head in hints))


def hints_of_key(key: str) -> frozenset[str]:
    """The words and phrases by which people go on speaking of what they have told under a key, whatever it is."""
    return _hints_of_keys().get(normalise_key(key), frozenset())


def is_form_of(word: str, entry: str) -> bool:
    """Tell whether a word of a text is a form of a word that hints at something."""
    return any(_stands_for(word, form, entry) for form in forms(word) & forms(entry))


@cache
def phrases_of(group: int) -> tuple[tuple[frozenset[str], ...], ...]:
    """The phrases of a group: the forms of each of their words."""
    return tuple(tuple(map(forms, entry.split("_"))) for entry in _entries()[group] if "_" in entry)


def phrases_in(words: Sequence[str]) -> Iterator[str]:
    """The phrases of all groups that stand in a text of these words."""
    return _phrases_at(words, _phrases_by_beginning(_entries))


def _phrases_at(words: Sequence[str], beginnings: _Phrases) -> Iterator[str]:
    of_words = list(map(forms, words))
    for start, beginning in enumerate(of_words):
        for phrase, parts in (entry for form in beginning for entry in beginnings.get(form, ())):
            if stands_at(parts, of_words, start):
                yield phrase


def stands_at(phrase: Sequence[frozenset[str]], words: Sequence[frozenset[str]], start: int) -> bool:
    """Tell whether a phrase stands among words, its first word at this place."""
    window = words[start : start + len(phrase)]
    return len(window) == len(phrase) and all(
        not part.isdisjoint(word) for part, word in zip(phrase, window, strict=True)
    )


@cache
def _entries() -> tuple[tuple[str, ...], ...]:
    written = (entry for entries in read_table("same").values() for entry in entries)
    numbers = (entry for number in range(1, 100) for entry in (_number(number, ""), _number(number, "_ordinal")))
    return (*(tuple(entry.split("=")) for entry in written), *numbers)


@cache
def _heads() -> dict[str, frozenset[str]]:
    """What hints at each head; of things, the heads beside it too."""
    hints: defaultdict[str, set[str]] = defaultdict(set)
    for heads, words in read_table("hints").items():
        for head in heads.split("="):
            hints[head].update(words, heads.split("="))
    for head, words in _hints_of_names().items():
        hints[head].update(words)
    return {head: frozenset(words) for head, words in hints.items()}


@cache
def _hints_of_names() -> dict[str, frozenset[str]]:
    hints: defaultdict[str, set[str]] = defaultdict(set)
    for heads, words in read_table("hints_of_names").items():
        for head in heads.split("="):
            hints[head].update(words)
    return {head: frozenset(words) for head, words in hints.items()}


@cache
def _hints_of_keys() -> dict[str, frozenset[str]]:
    hints: defaultdict[str, set[str]] = defaultdict(set)
    for heads, words in read_table("hints_of_keys").items():
        for key in heads.split("="):
            hints[normalise_key(key)].update(words)
    return {key: frozenset(words) for key, words in hints.items()}


def _head_words() -> list[Iterable[str]]:
    return [_heads()]


@cache
def _heads_by_form() -> dict[str, list[str]]:
    by_form: defaultdict[str, list[str]] = defaultdict(list)
    for head in _heads():
        for form in forms(head) if "_" not in head else ():
            by_form[form].append(head)
    return dict(by_form)


def ordinal(number: int) -> str:
    """Which one of several it is: 23rd."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
    return f"{number}{suffix}"


def is_count(word: str) -> bool:
    """Tell whether a word says how many of something there are, a few: 3, three, троє."""
    numbers = (_entries()[group] for group in groups_of(word))
    return any(
        entry[0].isdecimal() and int(entry[0]) <= _FEW and entry[1:2] != (ordinal(int(entry[0])),) for entry in numbers
    )


def names_month(words: Sequence[str]) -> bool:
    """Tell whether a value has a month."""
    return any(word == "may" or not groups_of(word).isdisjoint(_groups_about("month")) for word in words)


def _number(number: int, kind: str) -> tuple[str, ...]:
    """What says a number, or which one of several it is: 23, twenty-three, двадцять три; 23rd, twenty-third."""
    tens, ones = divmod(number, 10)
    words = read_table("number_words")
    written: list[str] = []
    for language in ("en", "uk"):
        head = f"{language}{kind}"
        small, by_ten = words[head], words[f"{language}_tens"]
        if number < len(small) + 1:
            written += small[number - 1].split("=")
        elif ones:
            written += [f"{by_ten[tens - 2]}_{unit}" for unit in small[ones - 1].split("=")]
        else:
            written += words[f"{head}_tens"][tens - 2].split("=")
    return (str(number), *((ordinal(number),) if kind else ()), *written)


@cache
def _groups() -> dict[str, list[tuple[int, str]]]:
    groups: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, entry in enumerate(_entries()):
        for word in entry:
            for form in _forms_of_entry(word):
                groups[form].append((number, word))
    return dict(groups)


def _forms_of_entry(word: str) -> frozenset[str]:
    return frozenset({word}) if "_" in word else forms(word)


def _is_root(form: str, group: int | None) -> bool:
    """Whether strangers may share a form with a word of the group: a short root, or any with a name."""
    return group in _groups_about("called") or len(form) < _ROOT


def _stands_for(word: str, form: str, entry: str, group: int | None = None) -> bool:
    """Whether a word is another, of which it has a form; what only sounds like it in another script is none.

    Words that everybody uses are themselves alone.

    Args:
        group: That of the other.
    """
    if word == entry:
        return True
    if word in read_words("stop_words"):
        return False
    cyrillic = [_CYRILLIC.fullmatch(spelling) is not None for spelling in (word, entry)]
    if any(cyrillic) and any(spelling.isascii() and spelling.isalpha() for spelling in (word, entry)):
        return is_spelt_form(*(skeleton(transliterate(spelling)) for spelling in (word, entry)))
    return not _is_root(form, group) or word.isascii() or entry.isascii() or are_forms(word, entry, min_common=2)


@cache
def _groups_about(head: str) -> frozenset[int]:
    entries = {*read_table("same")[head]}
    return frozenset(number for number, entry in enumerate(_entries()) if "=".join(entry) in entries)


@cache
def _phrases_by_beginning(table: Callable[[], Iterable[Iterable[str]]]) -> _Phrases:
    """The phrases of a table under the forms of their first word."""
    phrases: defaultdict[str, list[tuple[str, tuple[frozenset[str], ...]]]] = defaultdict(list)
    for phrase in dict.fromkeys(word for words in table() for word in words if "_" in word):
        parts = tuple(map(forms, phrase.split("_")))
        for form in parts[0]:
            phrases[form].append((phrase, parts))
    return dict(phrases)
