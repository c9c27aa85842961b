"""Words for one thing in English, Ukrainian and Russian: вчителькою, a teacher; кава без цукру, coffee without sugar.

`data/same_values.txt` has them. A phrase is known by its words, in whatever order: data analyst, аналітик даних.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from zgadka.text.folding import skeleton, unify
from zgadka.text.places import city_named, country_named, country_of_people
from zgadka.text.quantities import number_words, read_nth, read_quantity
from zgadka.text.value_folding import fold_name, fold_value
from zgadka.text.word_lists import read_entry, read_table

_SHORTEST_PLURAL = 4
_SHORTEST_STEM = 2  # letters
_LONGEST_PHRASE, _MOST_WORDS = 4, 8  # words
_CYRILLIC = re.compile("[\u0400-\u052f]")
_ENDING = re.compile("(?<=..)(?:[аяиі]ми|[оеє]ві|ого|ому|[оеє]ю|[іїо]в|[аяоеєи]м|[аяи]х|ій|[оь]ї|ий|[аяуюіїиеєоьй])$")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "іі": "2", "ііі": "3"}
_FLEETING = re.compile("(?<=..)[оеє]к$")  # сторінок, чашечок
_LIST = re.compile(r" *[,;/&](?!\d) *| \+ | (?:and|та|і|й|и|plus|also|а також) ")
_FREE = re.compile(r"\b([^\W\d_]+)[- ]free\b")
_PIECE = re.compile(r"[^\W\d_]+|[\d+#/]|(?<!\S)\.(?=[^\W\d_])")
_WORD = re.compile(r"[^\s()\"«»“”„]+")


def common_form(plain: str, *, is_role: bool = False) -> str:
    """A value's words, each by the main one that says the same, those of a phrase sorted; unknown ones in the singular.

    Args:
        is_role: Whether it says what somebody is, who may be a woman.
    """
    plain = _in_digits(plain)
    if (main := main_word(plain, is_role=is_role)) is not None:
        return main
    if plain.count(" ") >= _MOST_WORDS:
        return former_form(plain, is_role=is_role)
    return "+".join(sorted(_phrase(part, is_role=is_role)[0] for part in _parts(plain)))


def known_form(plain: str) -> str | None:
    """The same of a text whose words are all known; None of another."""
    plain = _in_digits(plain)
    if (main := main_word(plain)) is not None:
        return main
    if plain.count(" ") >= _MOST_WORDS:
        return None
    forms: list[str] = []
    for part in _parts(plain):
        form, is_known = _phrase(part, is_whole=True)
        if not is_known:
            return None
        forms.append(form)
    return "+".join(sorted(forms))


def former_form(plain: str, *, is_role: bool = False) -> str:
    """The form that `common_form` gave in the first version of values."""
    words = [masculine(singular(word)) if is_role else singular(word) for word in plain.split()]
    return _main_words().get(joined(plain)) or _main_words().get(joined(" ".join(words))) or " ".join(words)


def main_word(plain: str, *, is_role: bool = False) -> str | None:
    """The main word of those that say the same as a word or a phrase; None: it is not known."""
    if plain.isdecimal():
        return _main_words().get(plain)
    # Words and short phrases return, whole texts seldom.
    return (_main_of_phrase if plain.count(" ") < _LONGEST_PHRASE else _find_main_word)(plain, is_role)


def _find_main_word(plain: str, is_role: bool) -> str | None:
    main_words = _main_words()
    if (main := main_words.get(joined(plain))) is not None:
        return main
    words = plain.split()
    if len(words) > _LONGEST_PHRASE:
        return None
    if _CYRILLIC.search(plain) is None:
        variants = " ".join(map(singular, words)), plain.removesuffix("s")
        main = next(
            (main for variant in variants if variant != plain and (main := main_words.get(joined(variant)))), None
        )
    else:
        stems = _by_stem()
        main = stems.get(_stem(plain))
        if main is None and plain.endswith("к"):
            main = stems.get(_stem(_FLEETING.sub("к", plain)))
        if main is None and is_role:
            main = stems.get(_stem(" ".join(map(masculine, words))))
    if main is None and len(words) == 1 and len(plain) >= _SHORTEST_PLURAL:
        country = country_of_people(plain)
        return country_named(plain) if country is None else f"{country} people"
    return main


_main_of_phrase = lru_cache(maxsize=8192)(_find_main_word)


@lru_cache(maxsize=1024)
def joined(plain: str) -> str:
    """A text without what separates its words; a word of another script is another word: big is not біг."""
    return "".join([word if word.isdecimal() else _joined_word(word) for word in plain.split()])


@lru_cache(maxsize=8192)
def _joined_word(word: str) -> str:
    pieces = _PIECE.findall(word)
    return "".join(skeleton(piece) if piece.isascii() and piece.isalpha() else piece for piece in pieces)


def singular(word: str) -> str:
    """An English noun in its singular, and Ukrainian words as they are."""
    if not word.isascii() or not word.isalpha() or len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return word[:-2]
    return word.removesuffix("s")


def masculine(word: str) -> str:
    """The word for a man, of a Ukrainian one for a woman: програмістка is програміст."""
    for ending, masculine_ending in (
        ("анка", "анець"),
        ("янка", "янин"),
        ("иця", "ик"),
        ("истка", "ист"),
        ("істка", "іст"),
        ("арка", "ар"),
        ("ярка", "яр"),
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + masculine_ending
    for ending in ("телька", "торка", "сорка", "дентка", "нтка", "герка", "ерка", "логиня"):
        if word.endswith(ending):
            return word.removesuffix(ending) + ending.removesuffix("ка").removesuffix("иня")
    return word


def _in_digits(plain: str) -> str:
    """A phrase with its Roman numbers in digits: type II."""
    words = plain.split()
    if len(words) > 1 and not _ROMAN.keys().isdisjoint(words):
        words = [_ROMAN.get(word, word) for word in words]
    return plain if len(words) == 1 else " ".join(words)


def _parts(plain: str) -> list[str]:
    if "free" in plain:
        plain = _FREE.sub(r"without \1", plain)
    return [part for part in _LIST.split(plain) if part.strip()] or [plain]


def _phrase(part: str, *, is_role: bool = False, is_whole: bool = False) -> tuple[str, bool]:
    """The form of a phrase, and whether all its words are known.

    Args:
        is_whole: Whether the form does not matter where a word is unknown.
    """
    words = _WORD.findall(part)
    tokens: list[str] = []
    unknown: list[str] = []
    denial = ""
    at = 0
    while at < len(words):
        word = words[at]
        known = _number_known(word) if word.isdecimal() else _known(word, is_role)
        main, end = (known.main, at + 1) if known.most == 1 else _longest(words, at, known, is_role=is_role)
        if (
            main is None
            and "-" in word
            and any(halves := [main_word(half, is_role=is_role) for half in word.split("-")])
        ):
            for half, written in zip(halves, word.split("-"), strict=True):
                unknown += [] if half else [written]
                tokens.append(half or written)
        elif (main in ("without", "not", "never") and len(words) > 1) or word in ("no", "non"):
            denial = denial or (main if main in ("not", "never") else "without")
            at = end
            continue
        elif main is not None:
            tokens.append(denial + main)
        elif known.is_within and len(words) > 1:
            at = end
            continue
        elif known.counts and (counted := _number(words, at)) is not None:
            tokens.append(denial + counted[0])
            end = counted[1]
        elif len(words) > 1 and known.city is not None:
            tokens.append(denial + known.city)
        elif is_whole:
            return "", False
        else:
            unknown.append(word)
            tokens.append(denial + known.plain)
        denial = ""
        at = end
    if denial or all(
        token in unknown or token[0].isdecimal() for token in tokens
    ):  # as it is written: it may be a name
        return " ".join([word if word.isdecimal() else _known(word, is_role).plain for word in words]), False
    tokens = [_folded_name(token) if token in unknown else token for token in tokens]
    return " ".join(sorted(tokens)), not unknown


class _Known(NamedTuple):
    """What is known of a word by itself.

    Attributes:
        most: How many words the longest known phrase has that may begin with it.
        main: The main one of those that say the same, if it says anything.
        is_within: Whether it says nothing within a phrase.
        counts: Whether a number may begin with it.
        city: The city that it names.
        plain: Its singular, of a role that for a man.
    """

    most: int
    main: str | None
    is_within: bool
    counts: bool
    city: str | None
    plain: str


def _number_known(word: str) -> _Known:
    """The same of a number, which mostly is a new one, and not worth a place in a cache."""
    most, main = _beginnings().get(word, 1), _main_words().get(word)
    return _Known(most, main, is_within=False, counts=True, city=None, plain=word)


@lru_cache(maxsize=8192)
def _known(word: str, is_role: bool) -> _Known:
    is_within = word in read_entry("lead_ins", "within")
    return _Known(
        most=_most_words(word),
        main=None if is_within else _main_of_phrase(word, is_role),
        is_within=is_within,
        counts=word[0].isdecimal() or word in number_words() or read_nth(word) is not None,
        city=city_named(word),
        plain=masculine(singular(word)) if is_role else singular(word),
    )


@lru_cache(maxsize=4096)
def _folded_name(word: str) -> str:
    return fold_name(fold_value(word))


def _number(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The number of the longest phrase that is one and begins there, and where it ends."""
    word = words[at]
    if word.isdecimal() and at + 1 == len(words):
        return str(int(word)), at + 1
    if not word.isdecimal() and (nth := read_nth(word)) is not None and len(words) > 1:
        return str(nth), at + 1
    if not (word[0].isdecimal() or word in number_words()):
        return None
    for end in range(min(len(words), at + _LONGEST_PHRASE), at, -1):
        if (quantity := read_quantity(" ".join(words[at:end]))) is not None:
            return str(quantity).removeprefix(":"), end
    return None


def _longest(words: Sequence[str], at: int, known: _Known, *, is_role: bool) -> tuple[str | None, int]:
    """The main word of the longest phrase that is known and begins there, and where it ends."""
    for end in range(min(at + known.most, len(words)), at + 1, -1):
        phrase = " ".join(words[at:end])
        main = _main_words().get(phrase) if phrase.isdecimal() else _main_of_phrase(phrase, is_role)
        if main is not None and phrase not in read_entry("lead_ins", "within"):
            return main, end
    return known.main, at + 1


def _stem(plain: str) -> str:
    """A Ukrainian phrase without the endings of its words, which cases and numbers change."""
    return " ".join(map(_stem_of_word, plain.replace("-", " ").split()))


@lru_cache(maxsize=8192)
def _stem_of_word(word: str) -> str:
    return _ENDING.sub("", word)


def _most_words(word: str) -> int:
    """How many words the longest known phrase has that may begin with this one."""
    longest = max(_beginnings().get(form, 1) for form in (word, singular(word), _stem_of_word(word)))
    return min(longest, _LONGEST_PHRASE)


@cache
def _by_stem() -> dict[str, str]:
    stems: dict[str, str] = {}
    for main, variants in read_table("same_values").items():
        for variant in variants:
            if _CYRILLIC.search(variant) and len(variant) > _SHORTEST_STEM:
                stems.setdefault(_stem(variant.replace("_", " ")), main)
    return stems


@cache
def _beginnings() -> dict[str, int]:
    """How many words the longest phrase has that begins with a word, or with a Ukrainian one without its ending."""
    lengths: dict[str, int] = {}
    for phrase in (entry for main, variants in read_table("same_values").items() for entry in (main, *variants)):
        head, *following = re.split("[_-]", phrase)
        for word in {head, _ENDING.sub("", head) if _CYRILLIC.search(head) else head} if following else ():
            lengths[word] = max(lengths.get(word, 1), 1 + len(following))
    return lengths


@cache
def _main_words(table: str = "same_values") -> dict[str, str]:
    words: dict[str, str] = {}
    for main in read_table(table):
        words.setdefault(joined(unify(main.replace("_", " "))), main)
    for main, variants in read_table(table).items():
        for variant in variants:
            words.setdefault(joined(unify(variant.replace("_", " "))), main)
    return words


def named_thing(plain: str, *tables: str) -> str | None:
    """The main name, folded, of a company or a work that a whole text names; None: it is not known."""
    whole = joined(plain)
    name = next((name for table in tables if (name := _main_words(table).get(whole)) is not None), None)
    return None if name is None else fold_value(unify(name.replace("_", " ")))
