"""Which texts only mention a value: a number of something else, a relative's job, a question about the world, a street.

Only what is plain in the text itself: in doubt a text says the value, for what was forgotten must not be told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from itertools import dropwhile

from zgadka.text.folding import unify
from zgadka.text.keys import key_of
from zgadka.text.paraphrase import is_light
from zgadka.text.quantities import nth_words
from zgadka.text.value_mentions import MentionIndex, is_telling
from zgadka.text.word_lists import read_entry, read_words
from zgadka.text.words import index_words, split_words

_SMALL_NUMBER = re.compile(r"\d{1,3}")
_CLAUSE = re.compile(r"[.,;:!?()\n]+(?=\s|$)|\s[-–—]\s")
_SENTENCE = re.compile(r"(?<=[.!?…\n])\s+")
_QUESTION = re.compile(
    rf"{_SENTENCE.pattern}|,\s+(?=(?:who|what|where|when|why|how|хто|що|де|коли|чому)\b)", re.IGNORECASE
)
"""Between what is told and what is asked: Grace speaking, who is it?"""
_WRITTEN = re.compile(r"[^\W\d_]+(?:['\u2019\u02bc][^\W\d_]+)*")
_WITHIN = re.compile(r"[^.!?:…\s]\s+$")
"""What stands before a word that begins no sentence."""
_BESIDE = re.compile(r"\s+[\"«“„'‘]?")
_GENERIC = re.compile(
    r"\b(?:how|where|what|when|which)\s+(?:\w+\s+)?(?:do|can|could|should|would|shall)\s+i\b"
    r"|\b(?:can|could|should)\s+i\b|\b(?:як|де|чим|коли|куди)\s+(?:мені|я)\b"
)
"""Whoever asks so speaks of anybody: how do I get there?"""
NAMED = frozenset({"person", "place", "company"})
"""Kinds of keys whose values are names."""
_BY_AGE = frozenset({"at", "в", "у"})
"""What stands before the age at which something happens."""
_NUMBER_IS = frozenset({"number", "no", "номер", "is", "was", "my", "our", "мій", "моєї", "мого", "нашої", "нашого"})
"""What may stand between a thing and its number, or before both: my flat number is 33, номер моєї квартири 33."""
_ECHO = 2
"""Words of a question that only takes up what was said: snakes?"""
_SHORTEST, _AT_LENGTH = 2, 4
"""Letters of a word that tells nothing, and words that tell something of what tells it at length."""
_LONG = 8
"""Words in all of which one less need tell something."""
_BEGINNING = 3
_OPENING = 100
"""Characters within which an order begins."""
_BEFORE = 4
"""Somebody is named at most so many words before what is said of them."""


def counts_something(text: str, value: str, key: str) -> bool:
    """Whether a text that holds a small number, a value of this key, has it of something else: bus number 30.

    It speaks neither of whom it is written by or for nor of the key or years, and does not begin with the number.
    """
    if _SMALL_NUMBER.fullmatch(value.strip()) is None:
        return False
    words = split_words(unify(text))
    about = read_entry("mentions", "self") | read_entry("mentions", "years") | frozenset(key.split("_"))
    if not about.isdisjoint(words):
        return False
    if any(word == value.strip() and at and words[at - 1] in _BY_AGE for at, word in enumerate(words)):
        return False
    is_said_alone = words[:1] == [value.strip()] and (len(words) == 1 or words[1] in read_words("stop_words"))
    return not is_said_alone


def is_of_another(text: str, value: str, key: str = "", *, sharing: bool = False) -> bool:
    """Whether a text of a person's own has the value of somebody else alone: my grandma was a florist.

    Args:
        key: Of nobody else's than the person's, as a job, also of an animal, and of whom is no more than a pronoun.
        sharing: Whether those count as the person who live with them.
    """
    words, is_named, is_held = list[str](), False, False
    all_kin = (_kin() - _household() if sharing else _kin()) | _further_others(value, key)
    for clause in _CLAUSE.split(_GENERIC.sub(" ", unify(text))):
        of_clause = split_words(clause)
        places = MentionIndex(enumerate(of_clause)).of(value, loosely=True)
        kin = [index for index, word in enumerate(of_clause) if _is_one(word, all_kin)]
        is_named, is_held = is_named or bool(kin), is_held or bool(places)
        if (not is_named and places) or not all(_follows(of_clause, index, kin) for index in places):
            return False
        # My grandma, my first boss, бабця моя: it says only whose they are.
        words += [word for index, word in enumerate(of_clause) if not {index - 1, index + 1, index + 2} & {*kin}]
    return is_held and is_named and (read_entry("mentions", "self") | read_entry("mentions", "we")).isdisjoint(words)


def _further_others(value: str, key: str) -> frozenset[str]:
    """Who else may be told of: he, a squirrel; not where the value may be of these itself, as a pet or a son."""
    if not key or is_shared(key) or key_of(key).kind in NAMED:
        return frozenset()
    animals = _tokens_of("animals")
    if any(_is_one(word, animals) for word in (*split_words(unify(value)), *key.split("_"))):
        return frozenset()
    return animals | _tokens_of("single")


def asks_which(text: str, value: str) -> bool:
    """Whether a text asks which of several things a value's only word names: which model of phone is that?"""
    words = split_words(unify(text))
    if read_entry("mentions", "which").isdisjoint(words):
        return False
    indexes = MentionIndex(enumerate(words)).of(value, loosely=True)
    return bool(indexes) and all(index and words[index - 1] in read_entry("mentions", "which") for index in indexes)


def asks_about_the_world(text: str, value: str) -> bool:
    """Whether a text of a person's own has the value only in questions that do not speak of them: how is metal cast?"""
    sentences = _QUESTION.split(text)
    numbers = MentionIndex(enumerate(sentences)).touching(value)
    return bool(numbers) and all(_asks(sentences[number]) for number in numbers)


def _asks(sentence: str) -> bool:
    is_echo = len(split_words(unify(sentence))) <= _ECHO
    return sentence.rstrip().endswith("?") and not is_echo and not _speaks_of_writer(sentence)


def _speaks_of_writer(text: str) -> bool:
    words = split_words(_GENERIC.sub(" ", unify(text)))
    speaking = read_entry("mentions", "i") | read_entry("mentions", "my") | read_entry("mentions", "we")
    return not speaking.isdisjoint(words)


def speaks_of_others(text: str, value: str) -> bool:
    """Whether an answer has a value of a person who is not whom it is for: she takes the train."""
    return any(not read_entry("mentions", "they").isdisjoint(split_words(clause)) for clause in _having(text, value))


def retold(answers: MentionIndex, value: str, given: Collection[int]) -> set[int]:
    """Those of the answers that were given a value which tell it to others than whom it is of.

    They have all its telling words; or some, as people say who speak of something again, in a clause of somebody else:
    she has a crush on him; or a clause that has no others: yes, in Kyiv.
    """
    found = answers.touching(value).intersection(given)
    if not found:
        return found
    whole, some = answers.of(value), answers.of(value, loosely=True) | answers.hinting(value)
    within = MentionIndex([(0, value)])
    return {
        number
        for number in found
        if number in whole
        or (number in some and any(map(speaks_of_somebody, _having(answers.text(number), value))))
        or any(map(within.of, _telling(answers.text(number))))
    }


@lru_cache(maxsize=64)
def _telling(text: str) -> Sequence[str]:
    """The clauses of an answer that may tell something by themselves, each once; none that speaks to its reader."""
    clauses = dict.fromkeys(_CLAUSE.split(text))
    return [clause for clause in clauses if is_telling(clause) and not speaks_to_them(clause)]


def speaks_of_somebody(text: str) -> bool:
    """Whether a text speaks of a person who is neither whom it is by nor whom it is for."""
    words = split_words(unify(text))
    return any(not read_entry("mentions", head).isdisjoint(words) for head in ("they", "theirs"))


def speaks_of(text: str, value: str, names: Iterable[str], other_names: Iterable[str]) -> bool:
    """Whether an answer has a value only where it names somebody, and not another: Raj brings okra, Tess cake.

    Args:
        names: The somebody's.
        other_names: The other's.
    """
    clauses = _having(text, value)
    named = [_naming(clauses, of) for of in (names, other_names)]
    return all(number in named[0] and number not in named[1] for number in range(len(clauses)))


def _naming(texts: Sequence[str], names: Iterable[str]) -> set[int]:
    index = MentionIndex(enumerate(texts))
    return set[int]().union(*map(index.of, names))


def _having(text: str, value: str) -> list[str]:
    """The clauses of a text that have a value; the text itself where none has it alone."""
    clauses = _clauses(unify(text))
    return [clauses.text(place) for place in sorted(clauses.of(value, loosely=True))] or [unify(text)]


@lru_cache(maxsize=64)
def _clauses(text: str) -> MentionIndex:
    return MentionIndex(enumerate(filter(None, _CLAUSE.split(text))))


def asks_in_general(text: str) -> bool:
    """Whether a text is a question of anybody's, or begins as one: how do I get ink out of a shirt?"""
    words = split_words(unify(text))
    is_question = text.rstrip().endswith("?")
    return is_question and (words[:1] == [] or words[0] in read_entry("mentions", "asking"))


def only_asks(text: str) -> bool:
    """Whether a text asks and tells nothing of its writer: is Lviv nice? what do you know about my cat?"""
    return all(_asks(sentence) or _asks_what_is_known(sentence) for sentence in _SENTENCE.split(text.strip()))


def _asks_what_is_known(sentence: str) -> bool:
    words = split_words(unify(sentence))
    is_wondering = sentence.rstrip().endswith("?") and not read_entry("mentions", "wondering").isdisjoint(words[:1])
    return is_wondering and not read_entry("mentions", "knowing").isdisjoint(words)


def orders_forgetting(text: str) -> bool:
    """Whether a text begins with an order to forget or to delete something: please forget that I live in Lviv."""
    words = split_words(unify(text[:_OPENING]))
    courtesies = read_entry("mentions", "before_order")
    is_wish = words[:1] == ["i"] and not courtesies.isdisjoint(words[1:2])
    opening = list(dropwhile(lambda word: word in courtesies, words[is_wish:]))
    return not read_entry("mentions", "forgetting").isdisjoint(opening[:1])


def speaks_to_them(text: str) -> bool:
    """Whether an answer speaks of whom it is for."""
    return not read_entry("mentions", "self").isdisjoint(split_words(unify(text)))


def names_something_else(text: str, value: str, key: str) -> bool:
    """Whether a text has the value only as the name of a thing or within a longer name: hotel Vienna, Mrs Baker.

    Args:
        key: What the value names itself is no such thing: a band, of a favourite band.
    """
    if value.strip().isdecimal():
        return _numbers_things(unify(text), value.strip(), key)
    written = list(_WRITTEN.finditer(text))
    positions = MentionIndex((index, word[0]) for index, word in enumerate(written)).touching(value)
    is_titled = 2 * sum(word[0][0].isupper() for word in written) > len(written) + 1
    return bool(positions) and all(
        _names(text, written, position, key)
        or (value == value.lower() and not is_titled and _is_in_name(text, written, position))
        for position in positions
    )


def _names(text: str, written: Sequence[re.Match[str]], position: int, key: str) -> bool:
    """Whether a word is the name of the thing that stands beside it: hotel «Vienna», Baker Street."""
    if not written[position][0][0].isupper():
        return False
    things = read_entry("mentions", "things") - frozenset(key.split("_"))
    previous, following = _beside(text, written, position, -1), _beside(text, written, position, 1)
    is_thing = not things.isdisjoint({previous.lower(), *index_words(previous)})
    return is_thing or (following[:1].isupper() and not things.isdisjoint({following.lower(), *index_words(following)}))


def _numbers_things(unified: str, number: str, key: str) -> bool:
    """Whether a text has a number only as that of a thing: bus 47."""
    words = split_words(unified)
    things = read_entry("mentions", "things") | read_entry("mentions", "numbered")
    previous_words = [_numbered(words[:index]) for index, word in enumerate(words) if word == number]
    return bool(previous_words) and all(
        not (things - frozenset(key.split("_"))).isdisjoint({word, *index_words(word)} if word else ())
        for word in previous_words
    )


def _numbered(words: Sequence[str]) -> str:
    """What a number that these words stand before may be of: flat, of my flat number is."""
    if {"number", "no", "номер"}.isdisjoint(words[-_BEFORE:]):
        return "".join(words[-1:])
    return next(dropwhile(_NUMBER_IS.__contains__, reversed(words)), "")


def _is_in_name(text: str, written: Sequence[re.Match[str]], position: int) -> bool:
    """Whether a word has a capital within a sentence, and so has its neighbour: Mrs Baker."""
    word = written[position]
    if not word[0][0].isupper() or not _WITHIN.search(text, 0, word.start()):
        return False
    neighbours = (_beside(text, written, position, -1), _beside(text, written, position, 1))
    stop_words = read_words("stop_words") - {"the"}
    return any(neighbour[:1].isupper() and unify(neighbour) not in stop_words for neighbour in neighbours)


def _beside(text: str, written: Sequence[re.Match[str]], position: int, step: int) -> str:
    """The word before or after another, where but a space and a quotation mark are between them."""
    if not 0 <= position + step < len(written):
        return ""
    left_word, right_word = sorted((written[position], written[position + step]), key=re.Match[str].start)
    return written[position + step][0] if _BESIDE.fullmatch(text, left_word.end(), right_word.start()) else ""


def load() -> None:
    """Read now what the first look for what says a value needs, which takes some tenths of a second."""
    MentionIndex([(0, "my sister likes tea")]).of("tea with milk", loosely=True)
    _kin()


def is_kin(key: str) -> bool:
    """Whether a key names what somebody is to a person: sister, boss."""
    return any(_is_one(word, _kin()) for word in key.split("_"))


def is_shared(key: str) -> bool:
    """Whether a key names a relative, or what relatives have together, as a house or children."""
    return is_kin(key) or not read_entry("mentions", "shared").isdisjoint(key.split("_"))


def speaks_of_themselves_alone(text: str) -> bool:
    """Whether a text speaks of its writer, and of nobody who may be meant with them: I changed planes there."""
    words = set(split_words(unify(text)))
    speaking = read_entry("mentions", "i") | read_entry("mentions", "my")
    others = read_entry("mentions", "they") | read_entry("mentions", "we") | read_entry("mentions", "them")
    is_alone = not any(_is_one(word, _kin()) for word in words - read_words("stop_words"))
    return not words.isdisjoint(speaking) and words.isdisjoint(others) and is_alone


def is_personal(text: str) -> bool:
    """Whether a text that names what somebody thinks of something speaks of whom it is by or for, or judges it."""
    words = split_words(unify(text))
    return not (read_entry("mentions", "self") | read_entry("mentions", "judging")).isdisjoint(words)


def _follows(words: list[str], index: int, kin: list[int]) -> bool:
    """Whether a word follows on somebody else in its clause, and not on what these say."""
    preceding = range(max(0, index - _BEFORE), index)
    between = {words[position] for position in preceding}
    if not read_entry("mentions", "saying").isdisjoint(between):
        return False
    return any(position in kin for position in preceding) or not read_entry("mentions", "they").isdisjoint(between)


def tells_at_length(text: str) -> bool:
    """Whether a text tells something in several words, neither asks nor orders anything, nor begins with kin."""
    words = list(dict.fromkeys(split_words(unify(text))))
    if "?" in text or not words or words[0] in read_entry("mentions", "asking"):
        return False
    telling = [
        word for word in words if len(word) > _SHORTEST and word not in read_words("stop_words") and not is_light(word)
    ]
    begins_with_kin = any(_is_one(word, _kin()) for word in words[:_BEGINNING])
    return len(telling) >= _AT_LENGTH - (len(words) >= _LONG) and not begins_with_kin


def _is_one(word: str, kin: frozenset[str]) -> bool:
    """Whether a word is a form of one of kin: none of another script, as did of дід, nor an ordinal, as другий."""
    tokens = (f"{word.isascii():d}{token}" for token in index_words(word))
    return not kin.isdisjoint(tokens) and word not in nth_words()


@cache
def _household() -> frozenset[str]:
    return _tokens_of("household")


@cache
def _kin() -> frozenset[str]:
    return _tokens_of("kin")


def _tokens_of(head: str) -> frozenset[str]:
    words = read_entry("mentions", head)
    return frozenset(f"{word.isascii():d}{token}" for word in words for token in index_words(word))
