"""Which words may be one where it is known of whom they are said: what sounds alike, who does it."""

from __future__ import annotations

import re

from zgadka.text.slavic import common_beginning
from zgadka.text.word_lists import read_entry

_SHORTEST = 4
"""Letters of a name that two scripts write, or that both spellings of it begin with."""
_SHORTEST_CLIP, SHORTEST_TAIL = 5, 6
"""Letters of what a word is cut to: its beginning, at least half of it, or its end."""
_SOUNDS = (("kh", "h"), ("ph", "f"), ("ch", "č"), ("ck", "k"), ("oo", "u"), ("ee", "i"), ("x", "ks"))
_LETTERS = str.maketrans({"g": "h", "c": "k", "q": "k", "w": "v", "y": "i", "j": "i"})
_SOFT_ENDING = re.compile("[aeiou]*i$")
_SPELT_ENDING = re.compile("[aiueo]?|oi|iu|[oe]iu|[oeia]m|ami|ah|iv|[oe]vi|ii|o[gh]o|omu")
_LEARNED = re.compile("(?<=..)[иі](?:я|ї|ю|єю|й|к[аиуоію]?|ку|ком|кою|ці|ч[кн]?[а-яіїє]{0,3})$")
_ADJECTIVE = re.compile("(?<=...)(?:ов|ев|єв|ськ|цьк|зьк|ян|ан|ин|ін|н)(?:ий|ій|ого|ому|им|их|ими|ої|ою|а|у|е|і)$")
_CLIP_END = re.compile("(?<=.....)[кц](?:[аиуі]|ою|ам|ами|ах)$")
_DIMINUTIVE = re.compile(
    "(?<=...)(?:[еоия]чк|[оеі]ньк|ус|чик|ич[оеи]?к|[иі]к|ок|к)(?:ь|я|ю|[аиуоі]|ою|ом|ам|ами|ах|ові|ів)?$"
)
_FOND = re.compile("(?<=...)(?:y|ie)$")
_SUFFIX = re.compile("(?<=...)(?:ьк|к|ок|ик)$")
_NOUN_END = re.compile("(?<=...)(?:[аяоеуюіиїь]|ою|ею|ом|ем|ам|ами|ах|ів)$")
_SOFTENED = str.maketrans("гкхжчшзцс", "гкхгкхгкх")
_DOER = re.compile("(?:ing|e)$")
_DWELLER = re.compile(
    "(?<=....)(?:[чц]?[яа]н(?:ин[аоуи]?м?|к[аиуо]ю?|ці|и)?|[єе]ць|[иі]т(?:к[аиу])?|ians?|ans?|n?ers?|ites?)$"
)
_FINNISH = (("nk", "ng"), ("mp", "mm"), ("nt", "n"), ("rt", "r"), ("pp", "p"), ("tt", "t"), ("kk", "k"))
_CZECH = {"cha": "se", "ha": "ze", "ga": "ze", "ka": "ce", "ra": "re", "va": "ve", "no": "ne", "rno": "rne", "ta": "te"}
_PLACE_END = re.compile("ц?[аяиіьоaeoi]$")


def sound_alike(a: str, b: str, *, inflected: bool) -> bool:
    """Tell whether two names in Latin letters spell one name of another script: Serhii and Sergiy, Netflix, нетфлікс.

    Args:
        inflected: One of them is of a language that inflects names, and may have an ending.
    """
    a, b = _sound(a), _sound(b)
    common = common_beginning(a, b)
    if min(len(a), len(b)) < _SHORTEST:
        return False
    return a == b or (inflected and common > 2 and all(map(_SPELT_ENDING.fullmatch, (a[common:], b[common:]))))


def is_in_case(name: str, word: str) -> bool:
    """Whether a word is a name with an ending by which other languages say where: Ankara'da, Helsingissä, v Praze.

    Both in Latin letters, folded.
    """
    if word.startswith(name):
        return len(name) > _SHORTEST and word[len(name) :] in read_entry("mentions", "cases")
    softened = next((name.removesuffix(end) + soft for end, soft in _CZECH.items() if name.endswith(end)), None)
    graded = next((name.replace(hard, soft) for hard, soft in _FINNISH if hard in name[-4:]), None)
    return word == softened or (
        graded is not None and word.startswith(graded) and word[len(graded) :] in read_entry("mentions", "cases")
    )


def is_spelt_form(a: str, b: str) -> bool:
    """Tell whether two words in Latin letters may be forms of one that two scripts write: admin and адміном."""
    common = common_beginning(a, b)
    return common >= _SHORTEST and all(map(_SPELT_ENDING.fullmatch, (a[common:], b[common:])))


def sounds_like_beginning(a: str, b: str) -> bool:
    """Tell whether two names may begin with one sound: Hanna and Ganna."""
    return a[:1].translate(_LETTERS) == b[:1].translate(_LETTERS)


def _sound(name: str) -> str:
    for spelling, sound in _SOUNDS:
        name = name.replace(spelling, sound)
    return _SOFT_ENDING.sub("i", name.translate(_LETTERS))


def is_adjective_of(word: str, noun: str) -> bool:
    """Tell whether a word is an adjective that is made of a noun: липовий, липа."""
    root = _ADJECTIVE.sub("", word)
    return root != word and _softened(root) == _softened(_NOUN_END.sub("", noun))


def is_diminutive_of(word: str, noun: str) -> bool:
    """Tell whether a word names something small or dear: донечка, донька; онучок, онук."""
    root = _DIMINUTIVE.sub("", word)
    stem = _NOUN_END.sub("", noun)
    return root != word and _softened(root) in {_softened(stem), _softened(_SUFFIX.sub("", stem))}


def is_pet_name_of(word: str, name: str) -> bool:
    """Tell whether a word is a name as those say it who are fond of whom it names: Громчик, Грім; Rexy, Rex."""
    return is_diminutive_of(word, name) or (_FOND.sub("", word) == name and word != name)


def _softened(root: str) -> str:
    return root[:-1] + root[-1:].translate(_SOFTENED)


def learned_root(word: str) -> str:
    """What a branch of learning shares with who is in it and what is of it: історія, історик, історичка."""
    return _LEARNED.sub("", word)


def doer_of(verb: str) -> str:
    """Who does it: baking and bake, baker; running, runner."""
    return f"{_DOER.sub('', verb)}er"


def lives_in(word: str, place: str) -> bool:
    """Tell whether a word names who lives in a place: львів'янка, Londoner."""
    if len(word) < len(place) or word[:3] != place[:3]:
        return False
    root = _DWELLER.sub("", word)
    return root != word and root.replace("і", "о") == _PLACE_END.sub("", place).replace("і", "о")


def is_clipped(short: str, word: str) -> bool:
    """Tell whether people cut a word to this, its beginning: decath, of Decathlon; академка, of академвідпустка."""
    if (root := _CLIP_END.sub("", short)) != short:
        return len(root) <= len(word) - 2 and word.startswith(root)
    is_long = _SHORTEST_CLIP <= len(short) <= len(word) - 2 and 2 * len(short) >= len(word)
    return is_long and word.startswith(short)


def is_tail(short: str, word: str) -> bool:
    """Tell whether people cut a word to this, its end: caching, of geocaching."""
    return SHORTEST_TAIL <= len(short) <= len(word) - 2 and word.endswith(short)
