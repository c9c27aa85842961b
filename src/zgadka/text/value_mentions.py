"""Which texts say a value: all its telling words stand in them, in whatever form, spelling, script or order.

A value of one word is a name, a place or a number, so of its word only forms count: Олександром is Олександр, and
Олександрія is not. Among several words that must all be there, kin counts too: алергічна на арахіс says алергія на
арахіс.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

from zgadka.text.folding import skeleton, transliterate, unify
from zgadka.text.loose_words import (
    SHORTEST_TAIL,
    doer_of,
    is_adjective_of,
    is_clipped,
    is_diminutive_of,
    is_in_case,
    is_pet_name_of,
    is_spelt_form,
    is_tail,
    learned_root,
    lives_in,
    sound_alike,
    sounds_like_beginning,
)
from zgadka.text.paraphrase import is_light
from zgadka.text.slavic import are_forms, common_beginning
from zgadka.text.slips import are_slips
from zgadka.text.spoken_numbers import GROUPED, spoken_numbers
from zgadka.text.synonyms import (
    forms,
    groups_of,
    hints_at,
    hints_of_key,
    is_count,
    is_form_of,
    names_month,
    ordinal,
    phrases_in,
    phrases_of,
    stands_at,
)
from zgadka.text.word_lists import read_entry, read_words
from zgadka.text.words import index_words, split_words

_SHORTEST_QUOTE = 3
"""Words of a quotation by which alone the text that it was taken from is known."""
_BEGINNING = 2
_TAIL = 3
_LONG = 6
"""Letters of a word that may be a slip for another."""
_SHORTEST_END = 4
"""Letters of the end of a compound that are a word."""
_LONGEST_HINTED = 4
"""Telling words of a value that others hint at."""
_MANY = 50
"""Texts that are found sooner by their places than looked at one by one."""
_REMEMBERED = 300
"""Words of which an index remembers which others they agree with."""
_KIN, _LONGEST_REST = 4, 4
"""Kin begin with so many letters that are the same, and end with at most so many that are not."""

_AFTER_S = re.compile(r"(?<=[szx])['`\u00b4\u2018\u2019\u02bc]s\b", re.IGNORECASE)
"""What makes a genitive of a word whose stem would not be found without it."""
_SPELT_ENDING = re.compile("[aiueo]?|oi|iu|[oe]iu|[oeia]m|ami|ah|iv|[oe]vi|ii|o[gh]o|omu")
_DOUBLED = re.compile("([б-щ])\\1")
_CYRILLIC = re.compile("[\u0400-\u052f]+")
_WRITTEN = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"-(?=[^\W\d_]{3})(?=[^A-Z\u0410-\u042f\u0404\u0406\u0407\u0490])")
"""What goes on with an ordinary word: a split-system. Of names, both parts have a capital."""
_COMPOUNDS = re.compile(r"(?<![\w-])[a-z]{3,}-[a-z]{3,}(?![\w-])")
_FLEETING = re.compile("(.+[^aeiouy])i?e([kłlc])", re.IGNORECASE)
"""A Slavic name with an e that its other forms do not have: Paweł, Marek, Karel."""
_SLAVIC_ENDINGS = ("a", "owi", "ovi", "em", "iem", "u", "ie")
_PLACING = frozenset({"at", "in", "to", "from", "on", "на", "в", "у", "до", "з", "із"})
_SUBJECTS = frozenset({"i", "you", "we", "they"})
_CLAUSE_END = re.compile(r"[.!?;:,\n…]+(?:\s|$)|\s(?:and|but|і|й|та|а|але)\s", re.IGNORECASE)
_WITHIN = re.compile(r"[^.!?:…\s]\s+$")
"""What stands before a word that begins no sentence."""
_DAY = re.compile(r"\d+(?:st|nd|rd|th)")
_INITIALS = 3
_DATE = re.compile(
    r"\d{4}-(?P<month_of_iso>\d\d)-(?P<day_of_iso>\d\d)|(?P<day>\d\d?)[./](?P<month>\d\d?)(?:[./](?:\d\d){1,2})?"
)
_NUMBER_END = re.compile(r"\d(?:[\s.-]?\d){3,}")
"""So much of a long number's end tells it: ends in 0812."""
_LONG_NUMBER = re.compile(r"\d(?:[\s().-]*\d){5,}")


@dataclass(frozen=True, eq=False)
class _Word:
    """One word of a text.

    Attributes:
        text: Unified.
        spelt: In Latin letters, folded.
        tokens: As an index has it.
        names: Those of them that no stranger shares: all but the root of a Cyrillic word.
        anchors: Under what it is looked for: words that may be the same share one of these.
        places: Under what a text that has it is found: these, and the groups of words that it belongs to.
    """

    text: str
    spelt: str
    tokens: frozenset[str]
    names: frozenset[str]
    anchors: frozenset[str]
    places: frozenset[str]


class MentionIndex:
    """Texts, ready to be asked which of them say a value.

    Args:
        texts: With their numbers.
    """

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._words: dict[int, list[_Word]] = {}
        self._texts = dict(texts)
        self._lines: dict[int, str] = {}
        self._places: dict[int, set[str]] = {}
        for number, text in self._texts.items():
            unified = _fold(text)
            split = split_words(unified)
            self._lines[number] = f" {' '.join(split)} "
            split += list(spoken_numbers(unified, split))
            self._words[number] = words = [_word(word) for word in dict.fromkeys(split)]
            self._places[number] = set[str]().union(*[word.places for word in words])
        self._same: dict[int, set[int]] = {}
        self._agreeing: defaultdict[tuple[_Word, bool, bool], dict[_Word, bool]] = defaultdict(dict)

    @property
    def numbers(self) -> Collection[int]:
        """Those of all the texts."""
        return self._texts.keys()

    def text(self, number: int) -> str:
        """The text with this number."""
        return self._texts[number]

    def of(
        self,
        value: str,
        *,
        loosely: bool = False,
        whole: bool = False,
        least: int = 0,
        among: Set[int] | None = None,
    ) -> set[int]:
        """The numbers of the texts that say the value; none where it has no words.

        Args:
            loosely: The texts are the words of whom the value is about, or answers to them: their kin of a word, what
                they misspell and what they leave out says it too.
            whole: They leave nothing out.
            least: So many of its telling words they have, if it has as many. 0: loosely a third, else all.
            among: Only these are asked for, by their numbers. None: all.
        """
        unified = _written_date(GROUPED.sub(lambda run: _digits(run[0]), _fold(value))) if self._texts else ""
        numbers = [_digits(run) for run in _LONG_NUMBER.findall(unified)]
        wanted = _wanted(_LONG_NUMBER.sub(" ", unified), loosely=loosely)
        if not wanted and not numbers:
            return set()
        is_proper = len(wanted) == 1 and _is_proper(value)
        is_name = len(wanted) == 1 and (not loosely or is_proper)
        # A word that says nothing else, as Will or May, is a name where it is written as one.
        written = value.strip() if is_proper and _is_light(wanted[0].text) else ""
        needed = min(least or _needed(len(wanted)), len(wanted)) if loosely and not whole else len(wanted)
        names = _names_within(value) if loosely and len(wanted) > 1 else frozenset[str]()
        candidates = Counter(number for word in wanted for number in self._holding(word, loosely=loosely))
        other_words = set[int]()
        if loosely:
            other_words = self._holding_doers(unified) | self._holding_initials(value) | self._holding_ends(unified)
        texts = self._texts.keys() if among is None else among
        return (other_words & texts) | {
            number
            for number in (candidates.keys() & texts if wanted else texts)
            if candidates[number] >= needed
            and self._holds_most(number, wanted, len(wanted) - needed, is_name=is_name, loosely=loosely, names=names)
            and all(self._holds_number(number, digits, loosely=loosely) for digits in numbers)
            and written in self._texts[number]
            and (needed == len(wanted) or not self._holds_count_alone(number, wanted))
            and not (is_proper and loosely and self._writes_small(number, next(iter(wanted))))
        }

    def hinting(self, value: str, *, is_name: bool = False) -> set[int]:
        """The numbers of the texts that have by what people speak of a value of a few words without naming it.

        Args:
            is_name: Whether it is the name of a person or a place, which shares no hints with what the word means.
        """
        if not self._texts:
            return set()
        unified = unify(value)
        wanted = _wanted(unified, loosely=True)
        if len(wanted) > _LONGEST_HINTED:
            return set()
        words = split_words(unified)
        # Camping at Synevyr is told by the lake, a gecko called Pickle by its tail.
        names = frozenset[str]() if _PLACING.isdisjoint(words) else _names_within(value)
        telling = [word.text for word in wanted if not names or word.text in names]
        return set[int]().union(*map(self._holding_hint, hints_at(words, telling, is_name=is_name)))

    def going_on(self, key: str) -> set[int]:
        """The numbers of the texts that have by what people go on speaking of what they told under a key."""
        return set[int]().union(*map(self._holding_hint, hints_of_key(key)))

    def _holding_hint(self, hint: str) -> set[int]:
        """The texts that have a word, or the words of a phrase side by side, by which people speak of something."""
        if "_" in hint:
            return self._holding_phrase(tuple(map(forms, hint.split("_"))))
        holding = self._having(forms(hint))
        return {number for number in holding if any(is_form_of(word.text, hint) for word in self._words[number])}

    def touching(self, value: str) -> set[int]:
        """The numbers of the texts that hold any telling word of a value, or hint at it."""
        unified = _written_date(unify(value)) if self._texts else ""
        wanted = _wanted(unified, loosely=True)
        is_name = len(wanted) == 1 and value != value.lower()
        return (
            self.hinting(value)
            | self._holding_doers(unified)
            | {
                number
                for word in wanted
                for number in self._holding(word, loosely=True)
                if self._holds(number, word, is_name=is_name, loosely=True)
            }
        )

    def _holding(self, word: _Word, *, loosely: bool) -> set[int]:
        """The texts that may hold a word."""
        same = map(self._saying_same, groups_of(word.text)) if loosely else ()
        if "_" in word.text:
            same = (*same, self._holding_phrase(tuple(map(forms, word.text.split("_")))))
        return self._having(word.anchors).union(*same)

    def _saying_same(self, group: int) -> set[int]:
        """The texts that hold a word or a phrase of a group."""
        if group not in self._same:
            holding = map(self._holding_phrase, phrases_of(group))
            self._same[group] = self._having({f"={group}"}).union(*holding)
        return self._same[group]

    def _having(self, places: Collection[str]) -> set[int]:
        """The texts that have a word under one of these places."""
        if len(self._places) > _MANY:
            return set[int]().union(*(self._holders.get(position, ()) for position in places))
        return {number for number, held in self._places.items() if not held.isdisjoint(places)}

    @cached_property
    def _holders(self) -> Mapping[str, set[int]]:
        """The texts by their places: of few texts each is sooner looked at."""
        holders: defaultdict[str, set[int]] = defaultdict(set)
        for number, places in self._places.items():
            for position in places:
                holders[position].add(number)
        return holders

    def _holding_phrase(self, phrase: Sequence[frozenset[str]]) -> set[int]:
        """The texts in which the words of a phrase stand side by side."""
        holding = set[int].intersection(*map(self._having, phrase))
        candidates = {number: self._lines[number].split() for number in holding}
        lines = {number: list(map(forms, line)) for number, line in candidates.items()}
        return {number for number, line in lines.items() if any(stands_at(phrase, line, at) for at in range(len(line)))}

    def _holding_doers(self, value: str) -> set[int]:
        """The texts that hold who does what a value says: a baker, of baking bread."""
        doing = read_entry("mentions", "doing").intersection(split_words(value))
        return self._having(set(map(doer_of, doing)))

    def _holding_ends(self, value: str) -> set[int]:
        """The texts that hold what a compound of one word ends with: the post, of Укрпошта."""
        ends = [
            value[len(beginning) :] for beginning in read_entry("mentions", "compounds") if value.startswith(beginning)
        ]
        return set[int]().union(*(self._holding_hint(end) for end in ends if len(end) >= _SHORTEST_END))

    def _holding_initials(self, value: str) -> set[int]:
        """The texts that hold the initials of a long name: KPI, of Kyiv Polytechnic Institute."""
        words = _WRITTEN.findall(value)
        initials = "".join(word[0] for word in words).upper()
        if len(words) < _INITIALS or value == value.lower():
            return set()
        return {number for number in self._having({initials.lower()}) if initials in self._texts[number]}

    def _holds_most(
        self,
        number: int,
        wanted: Iterable[_Word],
        missing: int,
        *,
        is_name: bool,
        loosely: bool,
        names: frozenset[str],
    ) -> bool:
        """Whether a text holds the words, but for as many as may be missing.

        Args:
            names: Those of them that are names, which no text has in small letters.
        """
        for word in wanted:
            is_held = self._holds(number, word, is_name=is_name, loosely=loosely)
            if not is_held or (word.text in names and self._writes_small(number, word)):
                missing -= 1
                if missing < 0:
                    return False
        return True

    def _holds(self, number: int, word: _Word, *, is_name: bool, loosely: bool) -> bool:
        if loosely and any(number in self._saying_same(group) for group in groups_of(word.text)):
            return True
        if "_" in word.text:
            return number in self._holding_phrase(tuple(map(forms, word.text.split("_"))))
        if len(self._agreeing) > _REMEMBERED:
            self._agreeing.clear()
        agreeing = self._agreeing[word, is_name, loosely]  # many texts have the same words
        for held in self._words[number]:
            if (is_same := agreeing.get(held)) is None:
                is_same = (loosely or not word.anchors.isdisjoint(held.anchors)) and _agree(
                    word, held, is_name=is_name, loosely=loosely
                )
                agreeing[held] = is_same
            if is_same and not self._says_nothing(number, word, held):
                return True
        return False

    def _holds_number(self, number: int, digits: str, *, loosely: bool) -> bool:
        """Whether a text has a long number; loosely, or its end."""
        text = self._texts[number]
        if digits in _digits(text):
            return True
        runs = map(_digits, _NUMBER_END.findall(text)) if loosely else ()
        return any(digits.endswith(run) for run in runs)

    def _holds_count_alone(self, number: int, wanted: Sequence[_Word]) -> bool:
        """Whether a text has, of a value, only a small number, and a number of days where the value has a day."""
        telling = [word for word in wanted if not is_count(word.text)]
        days = {word for word in telling if _DAY.fullmatch(word.text)}
        if len(telling) == len(wanted) and not days:
            return False
        return not any(
            self._names_day(number, word) if word in days else self._holds(number, word, is_name=False, loosely=True)
            for word in telling
        )

    def _names_day(self, number: int, day: _Word) -> bool:
        """Whether a text has a day of a month in words or as 3rd, and not the bare number, which may count anything."""
        groups = groups_of(day.text)
        if any(not word.text.isdecimal() and groups & groups_of(word.text) for word in self._words[number]):
            return True
        phrases = (phrase for group in groups for phrase in phrases_of(group))
        return any(number in self._holding_phrase(phrase) for phrase in phrases)

    def _says_nothing(self, number: int, word: _Word, held: _Word) -> bool:
        """Whether a text has, for a word, one that everybody uses and that is not written there as a name."""
        if held.text == word.text or held.text not in read_words("stop_words"):
            return False
        text = self._texts[number]
        return not any(
            unify(written[0]) == held.text and written[0][0].isupper() and _WITHIN.search(text, 0, written.start())
            for written in _WRITTEN.finditer(text)
        )

    def _writes_small(self, number: int, name: _Word) -> bool:
        """Whether a text has a name as another word alone: our bath tap, Neil; a split-system; we split the bill."""
        text = self._texts[number]
        written = list(_WRITTEN.finditer(text))
        writes_names = not all(word[0].islower() for word in written if word[0] != "I")
        previous_words = ["", *(word[0].lower() for word in written)]
        same = [
            _COMPOUND.match(text, word.end()) is not None
            # Who begins with it in small letters writes names so.
            or (word[0].islower() and word.start() > 0 and (writes_names or previous in _SUBJECTS))
            for word, previous in zip(written, previous_words, strict=False)
            if _agree(name, _word(unify(word[0])), is_name=True, loosely=False)
        ]
        return bool(same) and all(same)

    def naming(self, name: str) -> set[int]:
        """The numbers of the texts that hold any telling word of a name, in whatever form."""
        if not self._texts:
            return set()
        telling = set(_telling(unify(name), loosely=False))
        words = [word for word in name.split() if telling.intersection(_split(word))]
        return set[int]().union(
            *map(self.of, words), *(self.of(form) for word in words for form in _forms_of_name(word))
        )

    def retelling(self, text: str, *, loosely: bool = False, among: Set[int] | None = None) -> set[int]:
        """The numbers of the texts that say a clause of a longer text; none where it has but one telling word.

        Args:
            loosely: As for `of`, where a clause has more than two such words.
            among: As for `of`.
        """
        clauses = {clause: len(_telling(unify(clause), loosely=True)) for clause in _CLAUSE_END.split(text)}
        matches = (
            self.of(clause, loosely=loosely and count > 2, least=(count + 1) // 2, among=among)
            for clause, count in clauses.items()
            if count > 1
        )
        return set[int]().union(*matches)

    def quoted(self, quote: str) -> set[int]:
        """The numbers of the texts that hold a quotation word for word; none for one of a word or two."""
        words = as_words(quote)
        return {number for number, line in self._lines.items() if words in line} if is_known_again(words) else set()


def _written_date(unified: str) -> str:
    """A date in words, where a value is one in numbers: 21 march, of 1990-03-21 and 21.03.1990; any else as it is."""
    date = _DATE.fullmatch(unified.strip())
    if date is None:
        return unified
    day, month = int(date["day"] or date["day_of_iso"]), int(date["month"] or date["month_of_iso"])
    return f"{day} {month_name[month].lower()}" if 0 < month <= 12 else unified


def _forms_of_name(word: str) -> list[str]:
    """What `of` does not take for a form of a name in Latin letters: Pawła, of Paweł."""
    fleeting = _FLEETING.fullmatch(word)
    return [] if fleeting is None else [f"{fleeting[1]}{fleeting[2]}{ending}" for ending in _SLAVIC_ENDINGS]


def _needed(count: int) -> int:
    """How many of so many telling words people say who speak of something again: of a few one, of more a third."""
    return (count + 2) // 3


def _is_proper(value: str) -> bool:
    """Whether a value has a capital that does not only begin several words."""
    words = _WRITTEN.findall(value)
    return any(word != word.lower() for word in (words[1:] if len(words) > 1 else words))


def _names_within(value: str) -> frozenset[str]:
    """The words of a value that are names: those with a capital that do not begin it."""
    return frozenset(unify(word) for word in _WRITTEN.findall(value)[1:] if word[0].isupper())


def identifies(value: str) -> bool:
    """Whether a name or a value is known again by its words: not one of stop words and single letters alone."""
    return any(len(word) > 1 and word not in read_words("stop_words") for word in _split(value))


@lru_cache(maxsize=1024)
def _wanted(unified: str, *, loosely: bool) -> tuple[_Word, ...]:
    """What a text must have of a value: its telling words and, loosely, its phrases that have synonyms."""
    words = split_words(unified)
    if loosely and any(map(str.isdecimal, words)) and names_month(words):  # three boxes do not say the third of March
        words = [ordinal(int(word)) if word.isdecimal() and len(word) < 3 else word for word in words]
        unified = " ".join(words)
    phrases = list(dict.fromkeys(phrases_in(words))) if loosely else []
    within = {form for phrase in phrases for word in phrase.split("_") for form in forms(word)}
    remainder = " ".join(word for word in words if within.isdisjoint(forms(word))) if phrases else unified
    compounds = _COMPOUNDS.findall(remainder) if loosely else []  # open-plan is told by both words side by side
    telling = _telling(_COMPOUNDS.sub(" ", remainder) if compounds else remainder, loosely=loosely)
    phrases += (compound.replace("-", "_") for compound in compounds)
    return (*map(_phrase, phrases), *map(_word, telling))


def _phrase(phrase: str) -> _Word:
    """A phrase as a word that only synonyms have."""
    return _Word(phrase, "", frozenset(), frozenset(), frozenset(), frozenset())


def _telling(unified: str, *, loosely: bool) -> list[str]:
    """The words that a text must have; light ones only where less than two others are left, loosely none."""
    words = list(dict.fromkeys(split_words(unified)))
    stop_words = read_words("stop_words")
    telling = [word for word in words if word not in stop_words] or words
    heavy = [word for word in telling if not is_light(word)]
    if loosely:
        for head in ("doing", "general"):
            heavy = [word for word in heavy if word not in read_entry("mentions", head)] or heavy
    return heavy if len(heavy) > (0 if loosely else 1) else telling


def is_telling(text: str) -> bool:
    """Whether a text has a word that not everybody uses of everything."""
    return not all(map(_is_light, _split(text)))


def _is_light(word: str) -> bool:
    return is_light(word) or word in read_words("stop_words")


def as_words(text: str) -> str:
    """The words of a text as they are compared with those of a quotation: one after another, a space on either side."""
    return f" {' '.join(_split(text))} "


def is_known_again(words: str) -> bool:
    """Whether the words of a quotation alone tell what it was taken from; see `as_words`."""
    return words.count(" ") > _SHORTEST_QUOTE


def _split(text: str) -> list[str]:
    return split_words(_fold(text))


def _fold(text: str) -> str:
    """A text unified; James's is James, as Anna's is Anna by its stem."""
    return unify(_AFTER_S.sub("", text))


def _digits(text: str) -> str:
    """Only the digits of a number, so that it is the same however it is grouped."""
    return "".join(filter(str.isdecimal, text))


@lru_cache(maxsize=16384)
def _word(text: str) -> _Word:
    tokens = index_words(text)
    names = tokens[1:] if len(tokens) > 1 and _CYRILLIC.fullmatch(text) else tokens
    spelt = skeleton(transliterate(_DOUBLED.sub(r"\1", text))) or text
    ends = (f"…{token[-_TAIL:]}" for token in tokens if len(text) >= SHORTEST_TAIL)
    anchors = frozenset({*tokens, f"{spelt[:_BEGINNING]}…", *ends})
    places = anchors.union(f"={group}" for group in groups_of(text))
    return _Word(text, spelt, frozenset(tokens), frozenset(names), anchors, places)


@lru_cache(maxsize=16384)
def _agree(a: _Word, b: _Word, *, is_name: bool, loosely: bool) -> bool:
    """Tell whether two words may be one."""
    if a.text == b.text or not a.names.isdisjoint(b.names):
        return True
    if loosely and _may_be_one(a, b, is_name=is_name):
        return True
    shares = not a.tokens.isdisjoint(b.tokens)
    common = common_beginning(a.spelt, b.spelt)
    rests = a.spelt[common:], b.spelt[common:]
    cyrillic = [_CYRILLIC.fullmatch(word.text) is not None for word in (a, b)]
    if all(cyrillic):
        is_form = are_forms(a.text, b.text, min_common=_BEGINNING if shares else _KIN)
    else:
        is_form = any(cyrillic) and common > _BEGINNING and all(map(_SPELT_ENDING.fullmatch, rests))
    is_form = is_form or (is_name and is_in_case(a.spelt, b.spelt))
    if is_form or is_name or not (a.spelt.isalpha() and b.spelt.isalpha()):
        return is_form
    return (shares and common > 0) or (common > _KIN and max(map(len, rests)) <= _LONGEST_REST)


def _may_be_one(a: _Word, b: _Word, *, is_name: bool) -> bool:
    """Tell whether one of two words may be a slip for the other, in any of their forms, or another spelling of it."""
    if is_tail(b.text, a.text) or any(is_tail(*pair) for pair in product(b.tokens, a.tokens)):
        return True
    if a.spelt[:1] != b.spelt[:1]:
        return is_name and sounds_like_beginning(a.spelt, b.spelt) and _is_name_of(a, b)
    if is_name and common_beginning(a.spelt, b.spelt) > _KIN and is_spelt_form(a.spelt, b.spelt):  # v Gdyni
        return True
    if are_slips(a.spelt, b.spelt) or any(are_slips(*pair) for pair in product(a.tokens, b.tokens)):
        return True
    if any(is_clipped(*pair) for pair in ((b.spelt, a.spelt), (b.text, a.text), *product(b.tokens, a.tokens))):
        return True
    if is_name:
        return _is_name_of(a, b) or is_pet_name_of(b.text, a.text)
    if any(
        is_made_of(*pair)
        for is_made_of in (is_adjective_of, is_diminutive_of)
        for pair in ((a.text, b.text), (b.text, a.text))
    ):
        return True
    return learned_root(a.text) == learned_root(b.text)


@lru_cache(maxsize=16384)
def _is_name_of(name: _Word, word: _Word) -> bool:
    """Tell whether a word is a name in another spelling, or names who lives there."""
    inflected = _CYRILLIC.fullmatch(name.text) is not None or _CYRILLIC.fullmatch(word.text) is not None
    return sound_alike(name.spelt, word.spelt, inflected=inflected) or lives_in(word.text, name.text)
