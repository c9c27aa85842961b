"""Words for the search index: one form for every inflection, script and spelling, the same in index and query.

English words become their stem; irregular forms (went, children) that of the word they belong to. Ukrainian and Russian
words become a root and a dictionary form, both in Latin letters, so that Києві, Київ and Kyiv meet. Other languages in
Latin letters also give the beginnings of their words. Arabic and Hebrew words lose their particles, Hindi words their
last vowel. Scripts without spaces (Han, kana, Hangul, Thai) become pairs of letters and, for Han, single letters.
Tokens are made of a-z, 0-9 and non-ASCII letters alone, so no tokenizer splits them.
"""

import importlib
import re
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import cast

from zgadka.text.asked_keys import asked_keys
from zgadka.text.folding import skeleton, transliterate, unify
from zgadka.text.keys import cued_keys
from zgadka.text.morphology import light_stems
from zgadka.text.slavic import word_forms
from zgadka.text.word_lists import read_heads, read_table, read_words

WORDS_VERSION = 2
"""Changes whenever `index_words` answers differently. What an index holds was made by one version: made by another, it
has to be made again from the texts."""

MAX_TOKEN_LENGTH = 40
MAX_QUERY_TOKENS = 64
_QUERY_CHARACTERS = 4000

# A language whose name ends in signs, a run of letters and digits (with the vowel signs of India and Thailand), or
# one symbol, of which emoji become words.
_WORD = re.compile(
    r"(?<!\w)(?:[a-z](?:\+\+|[#+])|\.net)(?!\w)"
    "|(?:[^\\W_][\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b4-\u17d3]*)+"
    r"|[^\w\s\x00-\x7f]"
)
# ASCII but for + and #, and plain Cyrillic letters: what a language's name ends in is not there, so that words are runs
# of letters and digits, found in a third of the time. `.net` is looked for.
_PLAIN = re.compile('[\\s!"$-*,-@\\[-~\u0430-\u045f\u0491]*')
_PLAIN_WORD = re.compile("[0-9a-z\u0430-\u045f\u0491]+")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_THAI = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # and Lao, Burmese, Khmer
_CYRILLIC = "\u0400-\u052f"
_LATIN = "0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_RUN = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<pairs>[{_KANA}]+|[{_HANGUL}]+|[{_THAI}]+)|(?P<cyrillic>[{_CYRILLIC}]+)"
    f"|(?P<latin>[{_LATIN}]+)|(?P<other>[^{_HAN}{_KANA}{_HANGUL}{_THAI}{_CYRILLIC}{_LATIN}]+)"
)
_HAN_LETTER = re.compile(f"[{_HAN}]")
_BEGINNING = 4
_SHORTEST_STEM = 3
_DOUBLED = re.compile(r"([a-z])\1")
_LAST_VOWEL = re.compile("[aeiouy]$")
_NEVER_ENGLISH = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_SIGNS = {"+": "plus", "#": "sharp", ".": "dot"}


_stemming = threading.Lock()  # a stemmer keeps the word it works on in itself


@lru_cache(maxsize=1)
def _load_stemmer() -> Callable[[str], str]:
    stemmer = importlib.import_module("Stemmer").Stemmer("english", 0)  # 0: we keep the words
    return cast("Callable[[str], str]", stemmer.stemWord)


def index_words(text: str) -> list[str]:
    """Return the tokens of a text in order, repeats kept, for the full-text index and for BM25.

    A word may give up to six tokens; on average 1.1 in English, 1.7 in Ukrainian. Each is 1 to 40 characters of a-z,
    0-9 and non-ASCII letters.
    """
    unified = unify(text)
    words = split_words(unified)
    foreign = _are_foreign(words, unified)
    tokens: list[str] = []
    for word in words:  # no comprehension within one: that takes longer, and so does a call more for each word
        is_usual = word.isalpha() and len(word) <= MAX_TOKEN_LENGTH
        tokens += _tokens_of_short(word, foreign) if is_usual else _tokens(word, foreign)
    return tokens


def query_words(text: str, *, expand: bool = True) -> list[str]:
    """Return the tokens to search for: those of `index_words` without stop words and repeats, at most 64.

    Stop words stay when there is nothing else. Only the first 4,000 characters are read.

    Args:
        text: A question or any other text, operators of search languages being plain text.
        expand: Whether to add, at the end, the tokens of the keys that the question asks for: "Where does she live?"
            also searches for the key ``location``.
    """
    unified = unify(text[:_QUERY_CHARACTERS])
    words = split_words(unified)
    foreign = _are_foreign(words, unified)
    stop_words, stop_tokens = read_words("stop_words"), read_words("stop_letters")
    telling = [word for word in words if word not in stop_words]
    if foreign:
        telling = [word for word in telling if word not in read_words("foreign_words")]
    tokens = [token for word in telling for token in _asked_tokens(word, foreign) if token not in stop_tokens]
    tokens = list(dict.fromkeys(tokens or (token for word in words for token in _asked_tokens(word, foreign))))
    if expand:
        asked = asked_keys(text[:_QUERY_CHARACTERS])
        cues = (key for word in words if word not in asked.words for key in cued_keys(word))
        keys = dict.fromkeys((*asked.wholly, *asked.keys, *cues))
        cued = dict.fromkeys(token for key in keys for token in index_words(key))
        tokens = tokens[: MAX_QUERY_TOKENS - 8]
        tokens += [token for token in cued if token not in tokens]
    return tokens[:MAX_QUERY_TOKENS]


def word_beginnings(text: str) -> list[list[str]]:
    """Return, for each word of a text that somebody may still be typing, what an indexed word may begin with.

    A word fits when ` word word ` of the index holds one of its forms after a space; a form that ends in a space is a
    whole word. So "coff" finds coffee, "runni" running and "програм" програмістом.
    """
    return [sorted(_beginnings(word)) for word in dict.fromkeys(split_words(unify(text[:_QUERY_CHARACTERS])))][
        :MAX_QUERY_TOKENS
    ]


def fits_beginnings(indexed: str, beginnings: Iterable[Iterable[str]]) -> bool:
    """Tell whether the words of an index, with a space on either side of each, hold all that `word_beginnings` gave."""
    return all(any(f" {form}" in indexed for form in forms) for forms in beginnings)


def _beginnings(word: str) -> set[str]:
    bare = skeleton(transliterate(word) or word)
    forms = {bare, _DOUBLED.sub(r"\1", bare.replace("y", "i"))}
    forms |= {form[:-1] for form in forms if len(form) > _SHORTEST_STEM}  # hiki: hike
    # The indexed word may be shorter, without an ending that is half typed.
    forms |= {bare[:-length] + " " for length in (1, 2, 3) if len(bare) - length >= _SHORTEST_STEM}
    return forms | {token + " " * (len(token) < _SHORTEST_STEM) for token in index_words(word)}


def split_words(unified: str) -> list[str]:
    """Return the words of a unified text in order (see `unify`), operators and signs being none."""
    is_plain = _PLAIN.fullmatch(unified) is not None and ".net" not in unified
    return (_PLAIN_WORD if is_plain else _WORD).findall(unified)


def _asked_tokens(word: str, foreign: bool) -> list[str]:
    """Leave out single Han letters (東京 is not 北京) but those that stand alone between letters that say nothing."""
    tokens = _tokens(word, foreign)
    if not _HAN_LETTER.search(word):
        return list(tokens)
    stop = read_words("stop_letters")
    spaced = "".join(letter if _HAN_LETTER.match(letter) and letter not in stop else " " for letter in word)
    alone = {part for part in spaced.split() if len(part) == 1}
    return [token for token in tokens if not _HAN_LETTER.fullmatch(token) or token in alone] or list(tokens)


def _are_foreign(words: list[str], text: str) -> bool:
    """Tell whether a text in Latin letters, whose words these are, is more likely in another language than in English.

    Without a sign of it no: a few English words as a query must not grow tokens that their text does not have.
    """
    english, foreign = _function_words()
    if foreign.isdisjoint(words) and not _NEVER_ENGLISH.search(text):  # what most are
        return False
    signs = sum(word in foreign or bool(_NEVER_ENGLISH.search(word)) for word in words if not word.isdigit())
    return signs > 0 and signs > sum(word in english for word in words)


@lru_cache(maxsize=1)
def _function_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the function words that English alone has, and those that it has not."""
    english, foreign = frozenset(read_table("stop_words")["english"]), read_words("foreign_words")
    return english - foreign, foreign - english


def _tokens(word: str, foreign: bool) -> tuple[str, ...]:
    if word.isdecimal() and word.isascii():  # a number is its own token
        return (word[:MAX_TOKEN_LENGTH],)
    # Only short words are worth a place in the cache: longer ones are sentences without spaces, or noise.
    return _tokens_of_short(word, foreign) if len(word) <= MAX_TOKEN_LENGTH else _tokens_of(word, foreign)


@lru_cache(maxsize=16384)
def _tokens_of_short(word: str, foreign: bool) -> tuple[str, ...]:
    if word[-1] in _SIGNS:
        return (word[0] + "".join(_SIGNS[sign] for sign in word[1:]),)
    if word[0] in _SIGNS:
        return (_SIGNS[word[0]] + word[1:], word[1:])
    return _tokens_of(word, foreign)


def _tokens_of(word: str, foreign: bool) -> tuple[str, ...]:
    tokens: list[str] = []
    for run in _RUN.finditer(word):
        piece = run[0]
        match run.lastgroup:
            case "han":
                tokens += _pairs(piece)
                tokens += filter(str.isalpha, piece) if len(piece) > 1 else ()
            case "pairs":
                tokens += _pairs(piece)
            case "cyrillic":
                piece = piece[:MAX_TOKEN_LENGTH]
                heads = read_heads("irregular").get(piece, ())
                forms = [word_forms(head)[0] for head in heads] or word_forms(piece)
                tokens += dict.fromkeys(map(skeleton, forms))
            case "latin":
                piece = piece[:MAX_TOKEN_LENGTH]
                tokens += dict.fromkeys(_latin_form(head) for head in read_heads("irregular").get(piece, (piece,)))
                if foreign:
                    tokens += _beginning(piece, tokens[-1])
            case _:
                tokens += _other_forms(piece[:MAX_TOKEN_LENGTH])
    return tuple(token[:MAX_TOKEN_LENGTH] for token in tokens if token)


def _pairs(run: str) -> list[str]:
    letters = "".join(filter(str.isalpha, run))
    return [letters[at : at + 2] for at in range(len(letters) - 1)] or [letters]


def _beginning(word: str, form: str) -> list[str]:
    """Return four letters, of a word of four the three before its last vowel: much of what a stemmer would do."""
    spelt = transliterate(word)
    beginning = skeleton(_LAST_VOWEL.sub("", spelt) if len(spelt) == _BEGINNING else spelt[:_BEGINNING])
    return [beginning] if len(spelt) >= _BEGINNING and beginning.isalpha() and beginning not in (form, spelt) else []


def _latin_form(word: str) -> str:
    ascii_word = word if word.isascii() else transliterate(word)
    if not ascii_word.isalpha():
        return ascii_word
    with _stemming:
        return skeleton(_load_stemmer()(ascii_word))


def _other_forms(word: str) -> list[str]:
    """Spell a word of another script, or the name of an emoji, in Latin letters."""
    forms: list[str] = []
    for stem in light_stems(word):
        spelt = transliterate(stem)
        if not word[0].isalnum() and len(spelt) < 3:  # ✓ and → are no words
            continue
        forms.append(_latin_form(spelt) if spelt else "".join(filter(str.isalpha, stem)))
    if forms and _GREEK.match(word):
        forms += _beginning(word, forms[-1])
    return list(dict.fromkeys(forms))
