"""The words by which people say yes and no, found however they are spelt.

Each language has a file in ``data/yes_no/``, with a line of words for each role: ``yes``, ``no``, ``remove``, …
(``en.txt`` explains them). Case, accents, apostrophes, doubled letters, letters of the other alphabet that look the
same, Latin spellings of Ukrainian and Russian, and slips of one letter in longer words do not matter.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product, takewhile

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_table

LANGUAGES = ("en", "uk", "ru", "pl", "de", "fr", "es", "it", "pt", "tr", "cs", "nl")
SIGNS = "signs"
"""The file of what all languages share: emoji, and words such as ok."""
VERBS = frozenset({"remove", "forget", "save", "keep", "change", "go", "need", "know"})
"""The roles of words that may be an order; `remove*` is a form of one that is none, such as "deleted"."""

Roles = frozenset[str]
"""The heads under which a word stands; also `phrase` when it is several words; empty where it is unknown."""
Match = tuple[int, "Node"]
"""How many words a phrase has, and what it means."""

_DENYING = frozenset({"no", "negation", "contrary", "untrue", *(f"not_{verb}" for verb in VERBS)})
_REFUSING = (_DENYING | VERBS) - {"go", "change"}
_TELLING = frozenset({"yes", "no", "negation", *VERBS})
_AMBIGUOUS = ("about", "further")
"""The roles of words that are no "but" where another language has them so: the French "ma", the Portuguese "mais"."""
_DEEDS = ("remove", "save")
_SPELT_IN_LATIN = ("uk", "ru")
_LONG = 5
"""A word of so many letters may be a slip for any word, a shorter one only for one that says yes or no by itself."""
_SHORTENED = 6
"""In a word of so many letters one but the first may be missing."""
_LONGEST = 20

_ELISION = re.compile(r"\b(all|c|com|d|dell|j|l|m|n|nell|qu|s|t|un)['’](?=\w)", re.IGNORECASE)
_CHOICE = re.compile("[{}]")
"""`its_{ok,fine}` is cut into what stands outside the braces and the choices within."""
_DRAWN_OUT = re.compile(r"(\D)\1{2,}")
_DOUBLED = re.compile(r"(.)\1+")
_KEY_ROWS = (("qwertyuiop", "asdfghjkl", "zxcvbnm"), ("цукенгшщзх", "фывапролджэ", "ячсмитьбю"))
_KEYS_BESIDE = {
    key: "".join(
        other
        for index, other_row in enumerate(rows[max(number - 1, 0) : number + 2], max(number - 1, 0))
        for place, other in enumerate(other_row)
        if other != key and abs(place + index / 2 - row.index(key) - number / 2) <= 1
    )
    for rows in _KEY_ROWS
    for number, row in enumerate(rows)
    for key in row
}
_VOWELS = "аеиоуяюєіыэ"
_ALL_VOWELS = _VOWELS + "aeiouy"
_REPEATED = re.compile(r"(\w{3,}?)\1+|(\w\w)\2{2,}")
_LATIN_LETTER = re.compile("[a-z]")
_LETTERS = str.maketrans("łøđıæœ", "lodiao")
_LATIN_TWINS = str.maketrans("аеіорсухј", "aeiopcyxj")
_CYRILLIC_TWINS = str.maketrans("aeiopcyxj", "аеіорсухј")
_SPELLINGS = (("shch", "S"), ("sch", "S"), ("sh", "S"), ("ch", "c"), ("ts", "c"), ("zh", "Z"), ("kh", "h"))
_SOUNDS = str.maketrans(
    dict(zip("абвгґдеєжзиіклмнопрстуфхцчшщыэ", "abvhhdeeZziiklmnoprstufhCCSSie", strict=True))
    | {"ю": "iu", "я": "ia", "ь": "", "ъ": "", "y": "i", "j": "i", "w": "v", "g": "h", "x": "h", "c": "C"}
)


class Node:
    """The beginning of phrases, and perhaps a phrase itself; tens of thousands are made, hence no dataclass.

    Most end there and mean the same as others, and share their dictionaries with those.

    Attributes:
        longer: The phrases that go on, by their next word.
        roles: What this phrase means, by language; empty where it only begins others.
        refusing: The languages in which it may refuse.
    """

    __slots__ = ("longer", "refusing", "roles")

    def __init__(self) -> None:
        self.longer = _NO_LONGER
        self.roles = _NO_ROLES
        self.refusing: frozenset[str] = frozenset()


_NO_LONGER: dict[str, Node] = {}
_NO_ROLES: dict[str, Roles] = {}


def separate(text: str) -> str:
    """Separate what French and Italian join with an apostrophe, so that words are the same as in the files."""
    return _ELISION.sub(r"\1 ", text) if "'" in text or "’" in text else text


def matches(words: list[str], start: int) -> list[Match]:
    """Return the phrases that begin at a place, the longest first."""
    node = _lexicon().phrases
    phrases: list[Match] = []
    for end in range(start, len(words)):
        follower = node.longer.get(words[end])
        if follower is None:
            break
        node = follower
        if node.roles:
            phrases.append((end - start + 1, node))
    phrases.reverse()
    return phrases


def is_known(word: str) -> bool:
    """Tell whether a word or sign stands in a file as it is."""
    return word in _lexicon().words


def clause_openers() -> frozenset[str]:
    """Return the words such as "but"."""
    return _lexicon().openers


def goes_on(words: list[str], word: str) -> bool:
    """Tell whether a wish goes on with this word after a comma: "I want, that"."""
    lexicon = _lexicon()
    return word in lexicon.wished and not lexicon.wishes.isdisjoint(words)


def draw_in(word: str) -> str:
    """Write a drawn-out word or sign with as many of each letter as a known one has, else with two: nooooo, yesss."""
    twice = _DRAWN_OUT.sub(r"\1\1", word)
    return next(filter(is_known, map(_plain, (word, twice, _DRAWN_OUT.sub(r"\1", word)))), twice)


@lru_cache(maxsize=8192)
def known_word(word: str) -> str:
    """Return the word of the files that a typed word stands for; an unknown one as it is."""
    lexicon = _lexicon()
    word = _plain(word)
    spelt = _sounds(word) if word.isascii() else ""
    spellings = [word]
    if not spelt and _LATIN_LETTER.search(word):  # нi, nо
        spellings += [word.translate(_CYRILLIC_TWINS), word.translate(_LATIN_TWINS)]
    for spelling in spellings:
        if spelling in lexicon.words:
            return spelling
    if spelt in lexicon.spelt:
        return spelt
    undoubled = lexicon.undoubled.get(_DOUBLED.sub(r"\1", word)) if _DOUBLED.search(word) else None
    if undoubled or (word[:-1] in lexicon.words and len(word) >= _LONG and word[-1] == word[-2]):
        return undoubled or word[:-1]  # before the stems: "удаляйй" is no form of "удал*"
    stems = (_stem(spelling, lexicon.stems) for spelling in spellings)
    return _swapped(word) or next(filter(None, stems), None) or _slip(word) or _stem(spelt, lexicon.spelt) or word


def _stem(word: str, stems: Container[str]) -> str | None:
    return next((stem for end in range(len(word), 1, -1) if (stem := f"{word[:end]}*") in stems), None)


def _swapped(word: str) -> str | None:
    """The word that was meant where two letters but the first are swapped, or a vowel of a short one is missing.

    delte and smž are, Ada is not for daa.
    """
    lexicon = _lexicon()
    swaps = (f"{word[:cut]}{word[cut + 1]}{word[cut]}{word[cut + 2 :]}" for cut in range(1, len(word) - 1))
    meant = next(filter(lexicon.intended.__contains__, swaps), None) if len(word) <= _LONGEST else None
    if not meant and (swapped := f"{word[1:2]}{word[:1]}{word[2:]}") in lexicon.deeds:
        return swapped  # wsi for wis
    return meant or (lexicon.shortened.get(word) if len(word) < _LONG else None)


def _slip(word: str) -> str | None:
    """The word that was meant where letters or the whole word are doubled, or one letter of a longer word is wrong."""
    lexicon = _lexicon()
    if not word.isalpha() or len(word) > _LONGEST:
        return None
    repeated = _REPEATED.fullmatch(word)
    if repeated and (once := repeated[1] or repeated[2]) in lexicon.intended:
        return once  # yesyes, nonono
    undoubled = _DOUBLED.sub(r"\1", word)
    if undoubled in lexicon.undoubled and (undoubled != word or len(word) >= _SHORTENED):  # casa is not cassa
        return lexicon.undoubled[undoubled]
    for size in (len(word) + 1, len(word), len(word) - 1):
        for meant in (*lexicon.buckets.get((word[0], size), ()), *lexicon.buckets.get((word[1:2], size), ())):
            if word[-1] != meant[-1] and not meant.startswith(word):
                continue  # as nearly all: only what follows may be missing
            if len(word) != len(meant) < _SHORTENED and (word.isascii() or len(meant) < _LONG):
                continue  # Jane is not for jasne, casa not for cassa
            if _is_mistyped(word, meant) or (
                len(meant) >= _LONG and meant in lexicon.deeds and _differs_by_one(word, meant)
            ):
                return meant
    return None


def _is_mistyped(word: str, meant: str) -> bool:
    """Whether a letter but the first is missing, or a key beside one but the last was hit instead or as well."""
    index = next((index for index, (typed, letter) in enumerate(zip(word, meant, strict=False)) if typed != letter), -1)
    if len(word) < len(meant):
        return index != 0 and word[index:] == meant[index + 1 :] if index >= 0 else meant.startswith(word)
    if index < 0 or word[-1] != meant[-1]:
        return False
    beside = _KEYS_BESIDE.get(meant[index], "") + (_KEYS_BESIDE.get(meant[index - 1], "") if index else "")
    if len(word) == len(meant) and meant[index] in _VOWELS:
        beside += _VOWELS  # удоляй
    remainder = meant[index + 1 :] if len(word) == len(meant) else meant[index:]
    return word[index + 1 :] == remainder and word[index] in beside


def _differs_by_one(word: str, meant: str) -> bool:
    """Whether one letter between the first and the last is another one."""
    return len(word) == len(meant) and sum(typed != letter for typed, letter in zip(word, meant, strict=True)) == (
        word[0] == meant[0] and word[-1] == meant[-1]
    )


def _plain(word: str) -> str:
    """Take the accents from letters: é and е́ are e, й is и."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).translate(_LETTERS)


def _sounds(word: str) -> str:
    """Write a word as its Cyrillic and its Latin spellings share it: видаляй, vydalyai and vidaljaj are one."""
    for spelling, sound in _SPELLINGS:
        word = word.replace(spelling, sound)
    return word.translate(_SOUNDS).replace("ie", "e").replace("io", "o").replace("ii", "i")


@dataclass(frozen=True)
class _Lexicon:
    """The words of all languages.

    Attributes:
        phrases: Where all phrases begin.
        words: All their words.
        stems: Those of the form `x*`, which stand for any word that begins so.
        spelt: Those that are a Cyrillic word as people write it in Latin letters.
        intended: Those that a misspelt word may stand for: the long ones, and of the others those that agree, refuse
            or order by themselves. (Ann is not "an", Amy is not "may".)
        undoubled: These by what is left of them without doubled letters.
        buckets: The longer of them by first letter and length.
        deeds: Words that order to delete or save.
        shortened: The short ones of them, by what is left of them without a vowel within.
        openers: The words that begin another clause: "but".
        wishes: The words that wish: "want".
        wished: The words that begin what is wished: "that".
    """

    phrases: Node
    words: dict[str, None]
    stems: frozenset[str]
    spelt: frozenset[str]
    intended: frozenset[str]
    undoubled: dict[str, str]
    buckets: dict[tuple[str, int], list[str]]
    deeds: frozenset[str]
    shortened: dict[str, str]
    openers: frozenset[str]
    wishes: frozenset[str]
    wished: frozenset[str]


_Entry = tuple[str, str, tuple[str, ...]]
"""A language, a head, and the words of a phrase."""


def is_loaded() -> bool:
    """Whether the words by which people answer are read already, which takes most of a second."""
    return _lexicon.cache_info().currsize > 0


def load() -> None:
    """Read them now."""
    _lexicon()


@cache
def _lexicon() -> _Lexicon:
    entries = [entry for language in (*LANGUAGES, SIGNS) for entry in _entries(language)]
    in_latin = [
        (language, head, tuple(map(_sounds, phrase)))
        for language, head, phrase in entries
        if language in _SPELT_IN_LATIN and head not in ("about", "subject", "but")
    ]
    words = dict.fromkeys(word for _, _, phrase in (*entries, *in_latin) for word in phrase)
    joined = [
        (language, head, (word,))
        for language, head, phrase in entries
        if len(phrase) == 2 and head in _TELLING and len(word := "".join(phrase)) >= _LONG
        if word.isalpha() and word not in words
    ]  # goahead, porsupuesto
    spelt = frozenset(word for _, _, phrase in in_latin for word in phrase)
    plain = {word for _, _, phrase in entries for word in phrase if not word.endswith("*")}
    telling = {phrase[0] for _, head, phrase in entries if len(phrase) == 1 and head in _TELLING}
    intended = sorted(word for word in plain if len(word) >= _LONG or word in telling)
    deeds = frozenset(phrase[0] for _, head, phrase in entries if len(phrase) == 1 and head in _DEEDS)
    agreeing = {phrase[0] for _, head, phrase in entries if len(phrase) == 1 and head == "yes"}
    buckets: dict[tuple[str, int], list[str]] = {}
    for word in intended:
        if len(word) >= (_LONG - 1 if word in deeds else _LONG if word in agreeing else _SHORTENED):
            buckets.setdefault((word[0], len(word)), []).append(word)
    return _Lexicon(
        phrases=_tree([*entries, *joined, *in_latin], sorted(words)),
        words=words | dict.fromkeys(word for _, _, (word,) in joined),
        stems=frozenset(word for _, _, phrase in entries for word in phrase if word.endswith("*")),
        spelt=spelt,
        intended=frozenset(intended),
        undoubled={_DOUBLED.sub(r"\1", word): word for word in reversed(intended)},
        buckets=buckets,
        deeds=deeds,
        shortened={
            short: word
            for word in sorted(deeds)
            if len(word) == _LONG - 1 and not word.endswith("*")
            for index in range(1, len(word) - 1)
            if word[index] in _ALL_VOWELS and (short := word[:index] + word[index + 1 :]) not in words
        },
        openers=_alone("but") - {phrase[0] for _, head, phrase in entries if len(phrase) == 1 and head in _AMBIGUOUS},
        wishes=_alone("wish"),
        wished=_alone("that"),
    )


def _alone(head: str) -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in read_table(f"yes_no/{language}").get(head, ()))


def _entries(language: str) -> Iterator[_Entry]:
    for head, phrases in read_table(f"yes_no/{language}").items():
        written = _plain(unify(separate(" | ".join(phrases).replace("_", " ").replace("-", " "))))
        for phrase in written.split("|"):
            if "{" not in phrase:
                yield language, head, tuple(phrase.split())
                continue
            for choice in product(*(part.split(",") for part in _CHOICE.split(phrase.strip()))):
                yield language, head, tuple("".join(choice).split())


def _tree(entries: list[_Entry], words: list[str]) -> Node:
    root = Node()
    alone = {phrase[0] for _, _, phrase in entries if len(phrase) == 1}
    shared: dict[frozenset[tuple[str, Roles]], dict[str, Roles]] = {}
    for language, head, phrase in entries:
        is_form = head in VERBS and phrase[-1].endswith("*")
        roles = _roles(f"{head}*" if is_form else head, is_phrase=len(phrase) > 1)
        may_refuse = not _REFUSING.isdisjoint(roles)
        for variant in _variants(phrase, words) if phrase[-1].endswith("*") else (phrase,):
            if len(variant) == 1 and variant != phrase and variant[0] in alone:
                continue
            node = root
            for word in variant:
                follower = node.longer.get(word)
                if follower is None:
                    if node.longer is _NO_LONGER:
                        node.longer = {}
                    follower = node.longer[word] = Node()
                node = follower
            meaning = node.roles | {language: node.roles.get(language, roles) | roles}
            node.roles = shared.setdefault(frozenset(meaning.items()), meaning)
            if may_refuse and language not in node.refusing:
                node.refusing |= {language}
    return root


@cache
def _roles(head: str, *, is_phrase: bool) -> Roles:
    heads = {head, "negation"} if head == "needless" else {head}
    return frozenset(heads | {"phrase"} if is_phrase else heads)


def _variants(phrase: tuple[str, ...], words: list[str]) -> Iterator[tuple[str, ...]]:
    """A phrase, and where its last word is a stem also with each known word that begins so.

    A known word counts as itself, not as its stem, so that "не трогай" would miss "не трог*" if трогай stood elsewhere.
    """
    yield phrase
    if phrase[-1].endswith("*"):
        stem = phrase[-1][:-1]
        for word in takewhile(lambda word: word.startswith(stem), words[bisect_left(words, stem) :]):
            yield (*phrase[:-1], word)
