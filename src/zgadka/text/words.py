"""Words for the search index: one form for every inflection, script and spelling, the same in index and query.

English words become their stem. Ukrainian and Russian words become a light stem and a dictionary form, both in Latin
letters, so that Києві, Київ and Kyiv meet. Scripts without spaces (Han, kana, Hangul, Thai) become pairs of letters.
Tokens are made of a-z, 0-9 and non-ASCII letters alone, so no tokenizer splits them.
"""

import importlib
import re
import threading
from functools import lru_cache
from importlib.resources import files
from typing import Protocol, cast

from zgadka.text.keys import cued_keys
from zgadka.text.skeleton import skeleton, transliterate, unify

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
_RUN = re.compile(
    "(?P<pairs>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+|[\u3041-\u30ff\u31f0-\u31ff]+"
    "|[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
    "|(?P<cyrillic>[\u0400-\u052f]+)|(?P<latin>[0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff]+)|(?P<other>.)",
    re.DOTALL,
)
_EMOJI = re.compile("[\u2190-\u2bff\u3000-\u33ff\ufe0f\U0001f000-\U0001faff]")
_VOWELS = frozenset("аеєиіїоуюяыэё")
_ENDINGS = frozenset(
    # nouns and adjectives
    "а у ю я и і ї е є о ь й ою ею єю ом ем єм ам ям ах ях ами ями ів їв ові еві єві ей ий ій ия ія ії ию ію ією иєю ого"
    " ього ому ьому им ім их іх ими іми ої еї ая яя ое ее ый ой ые ие ую юю ых ым ыми ы ой ов ев ьев ия ии ию ием ией ость"
    " ості ості ість істю ости остью"
    # verbs
    " ти ть в ла ло ли ла ш єш еш иш їш ємо емо имо їмо єте ете ите їте ють уть ять ать ить ити ати яти ає аєш аємо аєте"
    " ають аю ав ала али ало ив ила или ило ує ює уєш уєте уємо ують ую юю ював ювала ювали ювати ував увала ували увати"
    " ування ювання ання яння ення іння ння ешь ет ем ете ют ут ишь ит им ите ят ат ал ил ыл ать ять еть ить ыть ает аешь"
    " аем аете ают ует уешь уем ует уют овать овал овала овали евать ание ения ение ання ся сь".split()
)
_SIGNS = {"+": "plus", "#": "sharp", ".": "dot"}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


_stemming = threading.Lock()  # a snowball stemmer keeps the word it works on in itself


@lru_cache(maxsize=1)
def _load_stemmer() -> _Stemmer:
    return cast("_Stemmer", importlib.import_module("snowballstemmer").stemmer("english"))


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    lines = files("zgadka.text").joinpath("data/stop_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


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
    stop_words = _stop_words()
    telling = [word for word in words if word not in stop_words]
    tokens = list(dict.fromkeys(token for word in telling or words for token in _tokens(word)))
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
                tokens += _cyrillic_forms(piece[:MAX_TOKEN_LENGTH])
            case "latin":
                tokens.append(_latin_form(piece[:MAX_TOKEN_LENGTH]))
            case _:
                if piece.isalnum() or _EMOJI.match(piece):
                    tokens.append(transliterate(piece[:MAX_TOKEN_LENGTH]))
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
    return skeleton(stem or ascii_word)


def _cyrillic_forms(word: str) -> list[str]:
    """Return the light stem in Latin letters, then what the word may be in a dictionary or on a map."""
    stem = _strip_ending(word)
    forms = [_open_syllable(stem), _nominative(word, stem)]
    if "г" in word:
        forms.append(forms[-1].replace("г", "х"))  # Сергій is Serhii in a Ukrainian passport
    return list(dict.fromkeys(skeleton(form) for form in forms))


def _has_vowel(text: str) -> bool:
    return not _VOWELS.isdisjoint(text)


@lru_cache(maxsize=16384)
def _strip_ending(word: str) -> str:
    """Strip the longest known ending that leaves three letters and a vowel."""
    if len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    for length in range(min(6, len(word) - 3), 0, -1):
        if word[-length:] in _ENDINGS and _has_vowel(word[:-length]):
            word = word[:-length]
            break
    if len(word) > 3 and word.endswith("л") and word[-2] in "бпвмф":  # люблю, любить
        return word[:-1]
    return word


def _open_syllable(stem: str) -> str:
    """Undo the і of closed syllables: Львів and кіт decline as Львова and кота."""
    if len(stem) > 2 and stem[-2] == "і" and stem[-1] not in _VOWELS:
        return f"{stem[:-2]}о{stem[-1]}"
    return stem


def _nominative(word: str, stem: str) -> str:
    """Guess the dictionary form: Львові is Львів, Одесі is Одеса, Марії is Марія; other words as they are."""
    ending = word[len(stem) :] if word.startswith(stem) else ""
    if ending in {"ові", "ова", "овом", "ову"}:
        return f"{stem}ів"
    if ending in {"і", "а", "у", "ом", "е", "ові"} and stem.endswith(("ов", "ев", "єв")):
        return f"{stem[:-2]}{'ів' if stem[-2] == 'о' else 'їв'}"
    if ending in {"і", "у", "ою", "и", "ы"}:
        return f"{stem}{'я' if stem[-1] in 'ці' else 'а'}"
    if ending in {"ї", "ю", "єю", "ею"}:
        return f"{stem}я"
    return word
