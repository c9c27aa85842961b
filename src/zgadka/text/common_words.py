"""Words for one thing in English, Ukrainian and Russian: вчителькою, a teacher; кава без цукру, coffee without sugar.

`data/same_values.txt` has them. A phrase is known by its words, in whatever order: data analyst, аналітик даних.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from zgadka.text.folding import skeleton, unify
from zgadka.text.quantities import number_words
from zgadka.text.word_lists import read_entry, read_table

_SHORTEST_PLURAL = 4
_LONGEST_PHRASE = 4  # words
_CYRILLIC = re.compile("[\u0400-\u052f]+")
_ENDING = re.compile(
    "(?<=...)(?:[аяиі]ми|[оеє]ві|ого|ому|[оеє]ю|[іїо]в|[аяоеєи]м|[аяи]х|ій|[оь]ї|ий|[аяуюіїиеєоьй])$"
)
_LIST = re.compile(r" *[,;/&] *| \+ | (?:and|та|і|й|и|plus|also|а також) ")
_FREE = re.compile(r"\b([^\W\d_]+)[- ]free\b")
_WORD = re.compile(r"[^\s()\"«»“”„]+")


def common_form(plain: str, *, is_role: bool = False) -> str:
    """A value's words, each by the main one that says the same, those of a phrase sorted; unknown ones in the singular.

    Args:
        is_role: Whether it says what somebody is, who may be a woman.
    """
    if (main := main_word(plain, is_role=is_role)) is not None:
        return main
    return "+".join(sorted(_phrase(part, is_role=is_role)[0] for part in _parts(plain)))


def known_form(plain: str) -> str | None:
    """The same of a text whose words are all known; None of another."""
    if (main := main_word(plain)) is not None:
        return main
    phrases = [_phrase(part) for part in _parts(plain)]
    return "+".join(sorted(form for form, _ in phrases)) if all(is_known for _, is_known in phrases) else None


def former_form(plain: str, *, is_role: bool = False) -> str:
    """The form that `common_form` gave in the first version of values."""
    words = [masculine(singular(word)) if is_role else singular(word) for word in plain.split()]
    return _main_words().get(joined(plain)) or _main_words().get(joined(" ".join(words))) or " ".join(words)


@lru_cache(maxsize=8192)
def main_word(plain: str, *, is_role: bool = False) -> str | None:
    """The main word of those that say the same as a word or a phrase; None: it is not known."""
    main_words = _main_words()
    if (main := main_words.get(joined(plain))) is not None:
        return main
    words = plain.split()
    if len(words) > _LONGEST_PHRASE:
        return None
    if len(words) == 1 and _CYRILLIC.fullmatch(plain):
        return _by_form(plain) or (main_words.get(joined(masculine(plain))) if is_role else None)
    return main_words.get(joined(" ".join(map(singular, words))))


def joined(plain: str) -> str:
    """A text without what separates its words."""
    pieces = re.findall(r"[^\W\d_]+|[\d+#/]|(?<!\S)\.(?=[^\W\d_])", plain)
    return "".join(skeleton(piece) if piece.isalpha() else piece for piece in pieces)


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
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + masculine_ending
    for ending in ("телька", "торка", "сорка", "дентка", "нтка", "герка", "ерка", "логиня"):
        if word.endswith(ending):
            return word.removesuffix(ending) + ending.removesuffix("ка").removesuffix("иня")
    return word


def _parts(plain: str) -> list[str]:
    return [part for part in _LIST.split(_FREE.sub(r"without \1", plain)) if part.strip()] or [plain]


def _phrase(part: str, *, is_role: bool = False) -> tuple[str, bool]:
    """The form of a phrase, and whether all its words are known."""
    words = _WORD.findall(part)
    tokens: list[str] = []
    unknown: list[str] = []
    denial = ""
    at = 0
    while at < len(words):
        main, end = _longest(words, at, is_role=is_role)
        word = words[at]
        if main is None and "-" in word and all(halves := [main_word(half, is_role=is_role) for half in word.split("-")]):
            tokens += filter(None, halves)
        elif main in ("without", "not") or word in ("no", "non"):
            denial = "not" if main == "not" else "without"
            at = end
            continue
        elif main is not None:
            tokens.append(denial + main)
        elif word in read_entry("lead_ins", "within") and len(words) > 1:
            at = end
            continue
        elif word in number_words():
            tokens.append(denial + f"{number_words()[word].normalize():f}")
        elif word.isdecimal():
            tokens.append(denial + word)
        else:
            unknown.append(word)
            tokens.append(denial + (masculine(singular(word)) if is_role else singular(word)))
        denial = ""
        at = end
    if denial or all(token in unknown or token.isdecimal() for token in tokens):  # as it is written: it may be a name
        return " ".join(masculine(singular(word)) if is_role else singular(word) for word in words), False
    tokens = [fold_name(joined(token)) if token in unknown else token for token in tokens]
    return " ".join(sorted(tokens)), not unknown


def _longest(words: Sequence[str], at: int, *, is_role: bool) -> tuple[str | None, int]:
    """The main word of the longest phrase that is known and begins there, and where it ends."""
    for end in range(min(len(words), at + _LONGEST_PHRASE), at, -1):
        phrase = " ".join(words[at:end])
        if phrase not in read_entry("lead_ins", "within") and (main := main_word(phrase, is_role=is_role)) is not None:
            return main, end
    return None, at + 1


def fold_name(folded: str) -> str:
    """A skeleton of a name that its transliterations share: Bohdan and Bogdan, Maksym and Maxim, Yevhen and Evgen."""
    name = folded.replace("g", "h").replace("x", "ks")
    if len(name) > 4:
        name = re.sub("^ie", "e", re.sub("ei$", "i", name))
    return name


def _by_form(word: str) -> str | None:
    """The main word of a Ukrainian one in another case or number."""
    return _by_stem().get(_ENDING.sub("", word))


@cache
def _by_stem() -> dict[str, str]:
    stems: dict[str, str] = {}
    for main, variants in read_table("same_values").items():
        for variant in variants:
            if _CYRILLIC.fullmatch(variant):
                stems.setdefault(_ENDING.sub("", variant), main)
    return stems


@cache
def _main_words(table: str = "same_values") -> dict[str, str]:
    words: dict[str, str] = {}
    for main, variants in read_table(table).items():
        words.setdefault(joined(unify(main.replace("_", " "))), main)
    for main, variants in read_table(table).items():
        for variant in variants:
            words.setdefault(joined(unify(variant.replace("_", " "))), main)
    return words


def named_thing(plain: str, table: str) -> str | None:
    """The main name of a company or a work that a whole text names; None: it is not known."""
    return _main_words(table).get(joined(plain))
