"""Light stems for Ukrainian and Russian, without a dictionary: the forms of a word, and most of its kin, share a root.

A root folds what declension and conjugation change: endings, the last vowel (кіт, кота; жінка, жінок), the last
consonant (книга, книзі; друг, друзі; писати, пишу). It also folds some words that are strangers (каса, каша). So a
second form, what a dictionary or a map may have, keeps those apart and meets the Latin spelling of names.
"""

import re
from functools import lru_cache

from zgadka.text.word_lists import read_words

_VOWELS = frozenset("аеєиіїоуюяыэё")
_OPEN = _VOWELS | {"ь", "й"}
_CONSONANT = "[^аеєиіїоуюяыэё]"

# What is stripped before a root is looked for.
_LONGEST_ENDING = 8
_SHORT = re.compile(r"([аеєиіїоуюя][^аеєиіїоуюяь])(?:ою|ею|єю|ам|ям|ами|ями|ом|ем|[аеєиіоуюя])")
_FUTURE = re.compile(r"(?<=..ти)(?:му|меш|ме|мемо|мете|муть)(?:ся|сь)?$")
_FIRST_PERSON = re.compile("(?:[бпвмф]лю|джу|щу)$")
_RUSSIAN_VERB = ("ит", "ет", "ут", "ют", "ят")
_AMBIGUOUS = (*_RUSSIAN_VERB, "ом", "ем", "ам", "им", "ал", "ил", "ив", "ти", "рть", "мять")
_PAST = {"в": "аиуюя", "ла": "", "ло": "", "ли": ""}
"""Endings, and after which letters they are ones: писав, but Київ. After "", all but о and е: писала, but школа."""

# Longest first. One letter needs a longer rest, for more words begin with it by chance.
_PREFIXES = re.compile(r"(?:пере|під|роз|при|про|від|над|об|по|на|за|ви|до|[зсу](?=[^аеєиіїоуюя]))")

# What is folded to find the root of a stem, in this order.
_VARIANTS = str.maketrans("єїё", "еіе")
_ADJECTIVES = [
    (re.compile(suffix), replacement)
    for suffix, replacement in (
        (f"(?<=.{{2}}{_CONSONANT})(?:[оюе]?ван|(?<=[жчшщл])ен)н?$", ""),  # подарований, одружений
        (r"(?<=.{3}[иі])чн$", "к"),  # музичний: музика
        (r"(?<=.{4})ськ$", ""),  # львівський: Львів
        (r"(?<=.{4})[оеі]в$", ""),  # джазовий: джаз, but also Харків
        (r"ціон$", "ц"),  # колекціонувати: колекція
    )
]
_SOFTENED = (("ждж", "зд"), ("дж", "д"), ("щ", "ст"), ("іец", "ійц"))
_FLEETING = re.compile(f"(?<={_CONSONANT}{_CONSONANT})[еоі](?={_CONSONANT}$)")
_FLEETING_LONG = re.compile(f"(?<=[аеєиіїоуюяыэё]{_CONSONANT})[еоі](?=(?!в){_CONSONANT}$)")
_NOUNS = [
    (re.compile(suffix), replacement)
    for suffix, replacement in (
        (r"(?<=.{2}тель)к$|(?<=.{2}[аио][рс])к$|(?<=.{2}[иі]ст)к$", ""),  # вчителька, лікарка, програмістка
        (r"(?<=.{3})жк$", "г"),  # книжка: книга
        (f"(?<=.{{4}}{_CONSONANT}(?<!н))н$", ""),  # лікарня
    )
]
_CLOSED = re.compile(f"[еоі](?={_CONSONANT}$|ст$)")
_SIBILANTS = str.maketrans("гзжкцчхсш", "гггкккссс")

# What tells forms of one word from two words, written out.
_CASE = re.compile(
    "[аяуюіїиеєойь]?|[иії]й|о(?:го|му|ї|ю|м|ві)|е(?:ю|м|й|ві)|є(?:ю|м|ві)|[аяи]м|[аия]х|[іїи]м|[аяи]ми|[ії]в",
)
_FLEETING_END = re.compile("[оеє]([бвгґджзклмнпрстфхцчшщ])ь?")
_CHANGED_VOWELS = frozenset({("і", "о"), ("і", "е"), ("ї", "є")})
_SOFTENED_ENDS = frozenset({("г", "з"), ("к", "ц"), ("х", "с"), ("г", "ж"), ("к", "ч"), ("х", "ш")})


@lru_cache(maxsize=16384)
def word_forms(word: str) -> tuple[str, ...]:
    """Return one to five forms of a Cyrillic word by which to find it: its root, then what a dictionary may have.

    Львова, Львові and Львів share a form, and one form of each is spelt like Lviv. A verb with a prefix gives the
    root of the verb without it besides: приготувала, готую.

    Args:
        word: In lower case, without apostrophes.
    """
    if len(word) < 3:
        return (word,)
    stem, ending = _strip_ending(word)
    forms = [_root(stem)]
    if ending in read_words("verb_endings"):
        if (prefix := _PREFIXES.match(stem)) and len(stem) - prefix.end() > (2 if prefix.end() > 1 else 3):
            forms.append(_root(stem[prefix.end() :]))
    elif not _FIRST_PERSON.search(word):
        names = _names(word, stem, ending)
        forms += names
        forms += [name.replace("г", "х") for name in names]  # a Ukrainian passport spells Сергій Serhii
    if len(word) > 4 and word.endswith(_AMBIGUOUS):  # читати and кімнати, братом and диплом
        forms.append(_root(word))
    if ending == "ові":  # братові and Львові
        forms.append(_root(word[:-1]))
    return tuple(dict.fromkeys(forms))


def _strip_ending(word: str) -> tuple[str, str]:
    """Part the longest known ending that leaves three letters and a vowel."""
    if short := _SHORT.fullmatch(word):  # яма, Юрою
        return short[1], word[2:]
    word = _FUTURE.sub("", word)
    if word.endswith("слав"):  # Ярослав
        return word, ""
    bare = word[:-2] if len(word) > 5 and word.endswith(("ся", "сь")) else word
    for length in range(min(_LONGEST_ENDING, len(bare) - 3), 0, -1):
        stem, ending = bare[:-length], bare[-length:]
        if (ending in read_words("endings") or ending in read_words("verb_endings")) and not _VOWELS.isdisjoint(stem):
            if ending in _PAST and (stem[-1] not in _PAST[ending] if _PAST[ending] else stem[-1] in "ое"):
                continue
            return stem, ending
    if len(bare) > 4 and bare.endswith(_RUSSIAN_VERB):
        return bare[:-2], ""
    return bare, ""


def _root(stem: str) -> str:
    """Fold what inflection changes at the end of a stem."""
    stem = stem.translate(_VARIANTS)
    while len(stem) > 3 and stem[-1] in _OPEN:  # кину|ти, розумі|ю, біологі|я, Андрі|й
        stem = stem[:-1]
    for suffix, replacement in _ADJECTIVES:
        stem = suffix.sub(replacement, stem)
    for soft, hard in _SOFTENED:
        if stem.endswith(soft) and len(stem) > len(soft):
            stem = stem[: -len(soft)] + hard
    if len(stem) > 3 and stem[-1] == "л" and stem[-2] in "бпвмф":  # люблю, любить
        stem = stem[:-1]
    if len(stem) > 3:
        shorter = _FLEETING_LONG.sub("", stem)
        if shorter == stem and len(stem) > 4:
            shorter = _FLEETING.sub("", stem)
        stem = shorter
    for suffix, replacement in _NOUNS:
        stem = suffix.sub(replacement, stem)
    stem = _CLOSED.sub("і", stem)
    return stem[:-1] + stem[-1].translate(_SIBILANTS)


def _names(word: str, stem: str, ending: str) -> list[str]:
    """Guess what a dictionary or a map has: of Харкові it is Харків, of Одесі Одеса, of Луцьку Луцьк."""
    match ending:
        case "ові" | "ом" | "ем" | "еві":
            return [f"{stem[:-2]}ів" if stem.endswith("ов") else stem] + ([f"{stem}ів"] if ending == "ові" else [])
        case "а" | "я":
            return [word, f"{stem[:-2]}ів" if stem.endswith("ов") else stem]
        case "у" | "і" | "е":
            nominative = f"{stem}я" if stem.endswith("ц") else f"{stem}а"
            return [nominative, f"{stem[:-2]}ів" if stem.endswith("ов") else stem]
        case "и" | "ы" | "ою":
            return [f"{stem}а"]
        case "ї" | "ю" | "єю" | "ею":
            return [f"{stem}я", stem]
        case "ах" | "ам" | "ами":
            return [f"{stem}и"]
        case "ого" | "ому":
            return [f"{stem}ий"]
        case _:
            return [word]


def are_forms(a: str, b: str, *, min_common: int) -> bool:
    """Tell whether two Cyrillic words differ in their endings alone, and in what these change: Ольга, Ользі; кіт, кота.

    Args:
        min_common: How many letters they begin with must be the same, but for a word whose vowel changes.
    """
    common = common_beginning(a, b)
    endings = a[common:], b[common:]
    changed = {tuple(ending[:1] for ending in endings), tuple(ending[:1] for ending in reversed(endings))}
    if changed & _SOFTENED_ENDS:
        return all(_CASE.fullmatch(ending[1:]) for ending in endings)
    if changed & _CHANGED_VOWELS and endings[0][1:2] == endings[1][1:2]:
        return all(_CASE.fullmatch(ending[2:]) for ending in endings)
    if _loses_vowel(*endings) or _loses_vowel(*reversed(endings)):
        return common > 1
    if common < min_common or {*endings} == {"", "о"}:  # Іван, Івано-Франківськ
        return False
    if all(map(_CASE.fullmatch, endings)) and not ("" in endings and a[common - 1] in _VOWELS):
        return True
    return all(map(_CASE.fullmatch, (a[common - 1 :], b[common - 1 :])))  # Петро, Петром


def _loses_vowel(full: str, other: str) -> bool:
    """Tell whether endings differ by a vowel that is lost before others: рин|ок, рин|ку; пал|ець, пал|ьця."""
    fleeting = _FLEETING_END.fullmatch(full)
    other = other.removeprefix("ь")
    return fleeting is not None and other[:1] == fleeting[1] and len(other) > 1 and bool(_CASE.fullmatch(other[1:]))


def common_beginning(a: str, b: str) -> int:
    """How many letters they begin with are the same."""
    for index, (letter, counterpart) in enumerate(zip(a, b, strict=False)):
        if letter != counterpart:
            return index
    return min(len(a), len(b))
