"""Light stems for Ukrainian and Russian: enough for the cases of nouns, adjectives and names to meet in a search.

No dictionary, so some words stay apart (книзі, книга) and some unrelated ones meet. Ranking lives with both.
"""

from functools import lru_cache

from zgadka.text.tables import read_words

_VOWELS = frozenset("аеєиіїоуюяыэё")
_LONGEST_ENDING = 6


@lru_cache(maxsize=16384)
def word_forms(word: str) -> tuple[str, ...]:
    """Return one to four forms of a Cyrillic word by which to find it: its stem, then what a dictionary may have.

    Львова, Львові and Львів share a form, and one form of each is spelt like Lviv.

    Args:
        word: In lower case, without apostrophes.
    """
    stem = _strip_ending(word)
    forms = [_undo_closed_syllable(stem), _nominative(word, stem)]
    if "г" in word:
        forms += [form.replace("г", "х") for form in forms]  # a Ukrainian passport spells Сергій Serhii
    return tuple(dict.fromkeys(forms))


def _strip_ending(word: str) -> str:
    """Strip the longest known ending that leaves three letters and a vowel."""
    if len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    for length in range(min(_LONGEST_ENDING, len(word) - 3), 0, -1):
        stem, ending = word[:-length], word[-length:]
        if ending in read_words("endings") and not _VOWELS.isdisjoint(stem):
            if ending == "в" and stem[-1] not in "аиуюя":  # писав, but Київ
                continue
            word = stem
            break
    if len(word) > 3 and word[-1] == "л" and word[-2] in "бпвмф":  # люблю, любить
        return word[:-1]
    return word


def _undo_closed_syllable(stem: str) -> str:
    """Львів and кіт decline as Львова and кота."""
    if len(stem) > 2 and stem[-2] == "і" and stem[-1] not in _VOWELS:
        return f"{stem[:-2]}о{stem[-1]}"
    return stem


def _nominative(word: str, stem: str) -> str:
    """Guess the form that a dictionary or a map has: Харкові is Харків, Одесі is Одеса; else the word itself."""
    ending = word[len(stem) :] if word.startswith(stem) else ""
    if ending in {"ові", "ова", "овом", "ову"}:
        return f"{stem}ів"
    if ending in {"і", "а", "у", "ом", "е"} and stem.endswith("ов"):
        return f"{stem[:-2]}ів"
    if ending in {"ї", "ю", "єю"}:
        return f"{stem}я" if stem[-1] not in "аеоуюя" else word
    if ending in {"і", "у", "ою", "ею", "и", "ы", "е"}:
        return f"{stem}{'я' if stem[-1] == 'ц' or ending == 'ею' else 'а'}"
    return word
