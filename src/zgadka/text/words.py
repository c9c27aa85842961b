"""Words for the search index: one form for every inflection, script and spelling, the same in index and query.

English words become their stem. Ukrainian and Russian words become a light stem and a dictionary form, both in Latin
letters, so that Києві, Київ and Kyiv meet. Scripts without spaces (Han, kana, Hangul, Thai) become pairs of letters.
Tokens are made of a-z, 0-9 and non-ASCII letters alone, so no tokenizer splits them.
"""

import importlib
import re
import threading
from functools import lru_cache
from typing import Protocol, cast

from zgadka.text.keys import cued_keys
from zgadka.text.skeleton import skeleton, transliterate, unify
from zgadka.text.slavic import word_forms
from zgadka.text.tables import read_words

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
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_THAI = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # and Lao, Burmese, Khmer
_CYRILLIC = "\u0400-\u052f"
_LATIN = "0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_RUN = re.compile(
    f"(?P<pairs>[{_HAN}]+|[{_KANA}]+|[{_HANGUL}]+|[{_THAI}]+)|(?P<cyrillic>[{_CYRILLIC}]+)|(?P<latin>[{_LATIN}]+)"
    f"|(?P<other>[^{_HAN}{_KANA}{_HANGUL}{_THAI}{_CYRILLIC}{_LATIN}]+)"
)
_SIGNS = {"+": "plus", "#": "sharp", ".": "dot"}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


_stemming = threading.Lock()  # a snowball stemmer keeps the word it works on in itself


@lru_cache(maxsize=1)
def _load_stemmer() -> _Stemmer:
    return cast("_Stemmer", importlib.import_module("snowballstemmer").stemmer("english"))


def index_words(text: str) -> list[str]:
    """Return the tokens of a text in order, repeats kept, for the full-text index and for BM25.

    A word may give two or three tokens. Each is 1 to 40 characters of a-z, 0-9 and non-ASCII letters.
    """
    return [token for word in _WORD.findall(unify(text)) for token in _tokens(word)]


def query_words(text: str, *, expand: bool = True) -> list[str]:
    """Return the tokens to search for: those of `index_words` without stop words and repeats, at most 64.

    Stop words stay when there is nothing else. Only the first 4,000 characters are read.

    Args:
        text: A question or any other text, operators of search languages being plain text.
        expand: Whether to add, at the end, the tokens of the keys that the question asks for: "Where does she live?"
            also searches for the key ``location``.
    """
    words = _WORD.findall(unify(text[:_QUERY_CHARACTERS]))
    stop_words = read_words("stop_words")
    telling = (token for word in words if word not in stop_words for token in _tokens(word))
    tokens = list(dict.fromkeys(telling)) or list(dict.fromkeys(token for word in words for token in _tokens(word)))
    if expand:
        keys = dict.fromkeys(key for word in words for key in cued_keys(word))
        cued = dict.fromkeys(token for key in keys for token in index_words(key))
        tokens = tokens[: MAX_QUERY_TOKENS - 8]
        tokens += [token for token in cued if token not in tokens]
    return tokens[:MAX_QUERY_TOKENS]


def _tokens(word: str) -> tuple[str, ...]:
    # Only short words are worth a place in the cache: longer ones are sentences without spaces, or noise.
    return _tokens_of_short(word) if len(word) <= MAX_TOKEN_LENGTH else _tokens_of(word)


@lru_cache(maxsize=16384)
def _tokens_of_short(word: str) -> tuple[str, ...]:
    if word[-1] in _SIGNS:
        return (word[0] + "".join(_SIGNS[sign] for sign in word[1:]),)
    if word[0] in _SIGNS:
        return (_SIGNS[word[0]] + word[1:], word[1:])
    return _tokens_of(word)


def _tokens_of(word: str) -> tuple[str, ...]:
    tokens: list[str] = []
    for run in _RUN.finditer(word):
        piece = run[0]
        match run.lastgroup:
            case "pairs":
                tokens += _pairs(piece)
            case "cyrillic":
                tokens += [skeleton(form) for form in word_forms(piece[:MAX_TOKEN_LENGTH])]
            case "latin":
                tokens.append(_latin_form(piece[:MAX_TOKEN_LENGTH]))
            case _:
                tokens.append(_other_form(piece[:MAX_TOKEN_LENGTH]))
    return tuple(token[:MAX_TOKEN_LENGTH] for token in tokens if token)


def _pairs(run: str) -> list[str]:
    letters = "".join(filter(str.isalpha, run))
    return [letters[at : at + 2] for at in range(len(letters) - 1)] or [letters]


def _latin_form(word: str) -> str:
    ascii_word = word if word.isascii() else transliterate(word)
    if not ascii_word.isalpha():
        return ascii_word
    with _stemming:
        stem = _load_stemmer().stemWord(ascii_word)
    return skeleton(stem)


def _other_form(word: str) -> str:
    """Spell a word of another script, or the name of an emoji, in Latin letters."""
    spelt = transliterate(word)
    if not word[0].isalnum() and len(spelt) < 3:  # ✓ and → are no words
        return ""
    return _latin_form(spelt) if spelt else "".join(filter(str.isalpha, word))
