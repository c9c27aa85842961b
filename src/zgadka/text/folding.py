"""Fold a word to the skeleton that its spellings share: Київ, Киев, Kyiv and Kiev are all ``kiv``.

Two words with one skeleton count as one value, so a rule that merges different words loses facts. Hence the
limits: vowels stay doubled (good is not god), short words and Roman numerals keep every letter (World War I is
not World War II), and the words of ``data/distinct_words.txt`` are left alone (wine is not vine). Scripts whose
transliteration is not one to one (Han, kana, Hangul, Arabic, Hebrew, Thai, Indic) are kept as they are.
"""

import importlib
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from zgadka.text.word_lists import read_words

# What is never seen: soft hyphens, zero-width and bidirectional marks, fillers, variation selectors, tatweel.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0100-\U000e01ef]"
)
# Accents that no letter took in, and vowel points that writers of Arabic and Hebrew leave out.
_OPTIONAL_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_TRADE_MARKS = re.compile("[™®©℠]")
# ASCII without what may be an apostrophe, and the letters of Cyrillic alphabets in use: nothing to undo but the case.
_SIMPLE = re.compile("[\0-&(-_a-\x7f\u0400-\u045f\u0490\u0491]*")
# NFKC would turn 1½ into 11⁄2 and 10² into 102.
_FUSING_NUMBER = re.compile("(?<=\\d)(?=[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u218b\u2460-\u249b])")
APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ‘`´", "'"))
"""Makes the apostrophes that people type the plain one, and leaves all else as it is written."""
_APOSTROPHE = re.compile(
    "(?<=[^\\W\\d_])['\u2018\u2019\u201b\u02b9\u02bc\u02bb\u055a\uff07`\u00b4\u05f3](?=[^\\W\\d_])"
)
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")

# Latin, Greek, Cyrillic, Armenian, Georgian.
_ALPHABETIC = re.compile(
    "[\u0041-\u058f\u10a0-\u10ff\u1c80-\u1cbf\u1d00-\u1dbf\u1e00-\u1fff\u2c60-\u2c7f\u2d00-\u2d2f\u2de0-\u2dff"
    "\ua640-\ua69f\ua720-\ua7ff\uab30-\uab6f]+"
)
_YI = re.compile("yi(?!ng)")
_II = re.compile("ii(?!ng)")
_CK = re.compile("ck(?![ei])")
_NOT_ALPHANUMERIC = re.compile("[^a-z0-9]+")
_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
# Not before the endings of English, where doubling tells words apart: hopping, hoping; dinner, diner; marry, Mary.
_DOUBLED = re.compile(r"([b-df-hj-np-tv-xz])(?<!\1\1)\1(?!\1|(?:ed|ers?|ings?|i)$)")


@lru_cache(maxsize=1)
def _load_anyascii() -> Callable[[str], str]:
    # Its tables take 40 ms to load; most programs that import zgadka never fold a word.
    return cast("Callable[[str], str]", importlib.import_module("anyascii").anyascii)


def transliterate(text: str) -> str:
    """Spell text in ASCII, in lower case, keeping only letters and digits."""
    return _NOT_ALPHANUMERIC.sub("", _load_anyascii()(text).lower())


def unify(text: str) -> str:
    """Undo what is a matter of typing: case, width, composition, invisible characters, kinds of dash.

    Apostrophes inside words are removed (м'яч and м’яч are both мяч). Digits of every script become ASCII digits.
    """
    if _SIMPLE.fullmatch(text):
        return text.lower()
    if text.isascii():
        text = text.lower()
    else:
        text = _FUSING_NUMBER.sub(" ", _TRADE_MARKS.sub("", INVISIBLE.sub("", text)))
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = _OPTIONAL_MARKS.sub("", INVISIBLE.sub("", text)).replace("\u2044", "/")
        text = _DASHES.sub("-", _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.digit(digit[0])), text))
    return _APOSTROPHE.sub("", text)


@lru_cache(maxsize=16384)
def skeleton(word: str) -> str:
    """Fold one unified word (letters only, see `unify`) to the form its spellings share. Never empty."""
    if word.isascii():
        return _fold(word)
    if word in read_words("distinct_words"):
        return word
    return _ALPHABETIC.sub(lambda run: _fold(transliterate(run[0])) or run[0], word)


def _fold(word: str) -> str:
    if len(word) < 3 or _ROMAN.fullmatch(word) or word in read_words("distinct_words"):
        return word
    # carrying is not caring, backing is not baking
    word = _YI.sub("i", word.replace("kh", "h")).replace("iy", "i").replace("y", "i")
    word = _CK.sub("k", word).replace("w", "v")
    if len(word) > 3:
        word = _II.sub("i", word).replace("iev", "iv")
    if len(word) > 4:
        word = _DOUBLED.sub(r"\1", word)
    return word
