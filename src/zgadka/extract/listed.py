"""What a message says of its writer in a language that is only files: frames, word lists and a table of forms.

Such a language has `patterns/frames_<code>.toml`, maybe `patterns/wishes_<code>.toml`, and a line in
`data/languages.txt`; docs/languages.md says how to add one. A verb in the first person, or a word for "my", says whose
a statement is, so every frame has one of them in it; what says of somebody else, or takes a statement back, is on the
lists of the language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from zgadka.extract.answer_wishes import is_lasting, may_wish, read_wishes, with_wishes
from zgadka.extract.authored_text import GAP, OwnWords
from zgadka.extract.extraction import Extraction, inferred
from zgadka.extract.frames import Context, Frame, frames_of, read_frames, with_frames
from zgadka.extract.introductions import read_introduction
from zgadka.extract.latin_ukrainian import is_latin_ukrainian
from zgadka.extract.lexicon import CYRILLIC
from zgadka.extract.pattern import Candidate
from zgadka.extract.subject import Subject
from zgadka.extract.units import Unit, kinds_of
from zgadka.model.inference import Inferred
from zgadka.text.word_lists import read_entry, read_table
from zgadka.text.words import index_words

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "`": "'"})
_QUOTATION = re.compile(f"{GAP}[^{GAP}]*(?:{GAP}|$)")
_MOST_SENTENCES = 20
_INTRODUCTION = 5
_NEAR = 5
_LASTING = frozenset({"age", "job", "employer", "location", "diet", "like", "dislike", "hobby"})
_NOBODYS = {"ORDER", "STAGED"}
_UNSAID = {"UNREAL", "REPORTS"}
_PERSONS = {"OTHERS", "PEOPLE", "NAME", "YOU", "THIRD", "RELATIVE"}
_ME = {"SELF", "MINE", "ME", "MEVERB"}


@dataclass(frozen=True)
class _Spoken:
    """By what a language is told: its words, words that others have too, and letters of its own."""

    words: frozenset[str]
    also: frozenset[str]
    letters: tuple[str, ...]


def listed_language(own: OwnWords) -> str | None:
    """Return the language of a message if it is one that is only files."""
    text = "\n".join(own.sentences)
    if CYRILLIC.search(text) is not None:
        return None
    spoken = set(_WORD.findall(text.translate(_APOSTROPHES).casefold()))
    for code, language in _languages().items():
        sure = len(spoken & language.words)
        if not text.isascii():
            sure += sum(any(letter in word for letter in language.letters) for word in spoken - language.words)
        also = len(spoken & language.also)
        if (sure or also > 1) and sure + also > len(spoken & _english()):
            # Ukrainian in Latin letters shares many words with its neighbours, and has letters of none.
            return None if text.isascii() and any(map(is_latin_ukrainian, own.sentences)) else code
    return None


@cache
def _languages() -> Mapping[str, _Spoken]:
    table = read_table("languages", "zgadka.extract")
    return {
        code: _Spoken(frozenset(words), frozenset(table[f"{code}_also"]), table[f"{code}_letters"])
        for code, words in table.items()
        if "_" not in code and code != "en"
    }


@cache
def _english() -> frozenset[str]:
    return read_entry("languages", "en", "zgadka.extract")


def read_listed(code: str, own: OwnWords) -> Extraction:
    """Return what a message in a language that is only files says of its writer."""
    frames = frames_of(code)
    sentences = [_plain(sentence) for sentence in own.sentences[:_MOST_SENTENCES]]
    units = [frames.kinds.units_of(sentence) if frames is not None else [] for sentence in sentences]
    if any(unit.kinds & _NOBODYS for sentence in units for unit in sentence):
        return Extraction(cut=own.cut)
    is_cited = any(unit.kinds & _UNSAID for sentence in units[:_INTRODUCTION] for unit in sentence)
    introduction = () if is_cited else read_introduction(code, sentences[:_INTRODUCTION])
    items: list[Inferred] = []
    settled = True
    subject: Subject = "nobody"
    for number, sentence in enumerate(sentences):
        around = units[max(number - 1, 0) : number + 2]
        is_doubted = any(map(_is_mere_doubt, around))
        is_laughing = any("LAUGHS" in unit.kinds for unit in units[number]) or any(map(_is_laughter, around))
        candidates: tuple[Candidate, ...] = ()
        if not any("FORGETS" in unit.kinds for unit in units[number]):
            candidates = read_frames(code, sentence, subject, hedged=False, context=ListedContext)
            candidates = with_wishes(candidates, _wishes(code, sentences, number))
        if number == 0:
            candidates = with_frames(candidates, introduction)
        settled = settled and (bool(candidates) or not any(unit.kinds & _ME for unit in units[number]))
        subject = _next_subject(units[number], candidates, subject)
        for candidate in candidates:
            is_jest = is_laughing and candidate.key not in _SERIOUS
            sure = candidate.sure and not (is_doubted or is_jest)
            items.append(inferred(candidate, own.sentences[number], sure=sure))
    return Extraction.of(items, settled=settled, cut=own.cut)


_SERIOUS = frozenset(
    {"name", "age", "location", "hometown", "job", "employer", "education", "pet", "birthday", "style"}
)


def _plain(sentence: str) -> str:
    return _QUOTATION.sub(" , ", " ".join(sentence.translate(_APOSTROPHES).split()))


def _is_mere_doubt(units: Sequence[Unit]) -> bool:
    """Tell whether a sentence is nothing but a doubt: "Chyba."."""
    spoken = [unit for unit in units if "MARK" not in unit.kinds]
    doubts = [unit for unit in spoken if "DOUBT" in unit.kinds]
    return bool(doubts) and all(unit.kinds & {"DOUBT", "FILLER", "ADV", "DENIES", "EDGE"} for unit in spoken)


def _is_laughter(units: Sequence[Unit]) -> bool:
    return any("LAUGHS" in unit.kinds for unit in units) and all(unit.kinds & {"LAUGHS", "MARK"} for unit in units)


def _wishes(code: str, sentences: Sequence[str], number: int) -> tuple[Candidate, ...]:
    if not may_wish(code, sentences[number]):
        return ()
    lasts = any(is_lasting(code, sentence) for sentence in sentences[max(number - 1, 0) : number + 2])
    hedged = any("DOUBT" in unit.kinds for unit in _units(code, sentences[number]))
    wishes = read_wishes(code, sentences[number], lasts=lasts)
    return tuple(replace(wish, sure=not hedged) for wish in wishes)


def _units(code: str, sentence: str) -> list[Unit]:
    kinds = kinds_of(f"frames_{code}")
    return kinds.units_of(sentence) if kinds is not None else []


def _next_subject(units: Sequence[Unit], candidates: Sequence[Candidate], subject: Subject) -> Subject:
    if candidates or any(unit.kinds & _ME for unit in units):
        return "self"
    return "other" if any(unit.kinds & _PERSONS for unit in units) else subject


class ListedContext(Context):
    """What stands around a statement in its sentence."""

    def base_of(self, word: str) -> str:
        """Return the word: the tables have all its forms."""
        return word

    def may_be_idiom(self, key: str) -> bool:
        """Tell that no value is: what may be one is on no list."""
        return False

    def weigh(self, start: int, stop: int, value: int, *, frame: Frame, has_no_subject: bool) -> bool | None:
        """Tell whether a statement may be certain; None where it is none of its writer now."""
        units = self._units
        while start < stop and "MARK" in units[start].kinds:
            start += 1
        while stop > start and "MARK" in units[stop].kinds:
            stop -= 1
        preceding, following = units[:start], units[stop + 1 :]
        edge = max((at for at, unit in enumerate(preceding) if unit.kinds & {"MARK", "EDGE"}), default=-1)
        if any(unit.kinds & _UNSAID for unit in preceding) or any(
            "DENIES" in unit.kinds for unit in preceding[edge + 1 :]
        ):
            return None
        if _is_under(preceding) or any("OVER" in unit.kinds for unit in preceding[edge + 1 :]):
            return None
        if _is_spoken(preceding) or any("REPORTS" in unit.kinds for unit in following[:_NEAR]):
            return None
        end = next((at for at, unit in enumerate(following) if "MARK" in unit.kinds), len(following))
        if any(unit.kinds & {"OVER", "UNREAL"} for unit in following[:end]):
            return None
        if _is_asked(preceding[edge + 1 :], following) and not frame.may_be_asked:
            return None
        if frame.is_anybodys:
            is_mine = any("MINE" in unit.kinds for unit in units[start:value]) or any(
                "ME" in u.kinds for u in preceding
            )
            if self._is_owned(preceding[edge + 1 :], following) or (self._subject == "other" and not is_mine):
                return None
        elif has_no_subject and (
            self._subject not in ("self", "nobody") or any(unit.kinds & _PERSONS for unit in preceding)
        ):
            return None
        # "today I'm the driver" is over tomorrow.
        is_passing = frame.key in _LASTING and any("SOON" in unit.kinds for unit in preceding[edge + 1 :])
        return not is_passing and not any("DOUBT" in unit.kinds for unit in units)

    @staticmethod
    def _is_owned(preceding: Sequence[Unit], following: Sequence[Unit]) -> bool:
        """Tell whether a relative is somebody else's: "his sister Ola", "brother of my husband"."""
        if any(unit.kinds & {"OTHERS", "YOU", "AT", "NAME", "PEOPLE", "RELATIVE"} for unit in preceding):
            return True
        return any(unit.kinds & {"MINE", "OTHERS", "YOU"} for unit in following[:1])


def _is_under(preceding: Sequence[Unit]) -> bool:
    """Tell whether a statement hangs on what somebody denies, asks or says: "nobody knows that I …"."""
    at = max((index for index, unit in enumerate(preceding) if "THAT" in unit.kinds), default=0)
    return any(unit.kinds & {"DENIES", "ASKS", "INF", "OTHERS", "PEOPLE", "YOU", "THIRD"} for unit in preceding[:at])


def _is_spoken(preceding: Sequence[Unit]) -> bool:
    """Tell whether something before a colon may be who says what follows."""
    at = max((index for index, unit in enumerate(preceding) if unit.word == ":"), default=None)
    if at is None:
        return False
    return not all(unit.kinds & {"INTRODUCES", "GREETING", "FILLER", "MARK"} for unit in preceding[:at])


def _is_asked(preceding: Sequence[Unit], following: Sequence[Unit]) -> bool:
    """Tell whether a statement is part of a question, and does not only stand before one."""
    if any("ASKS" in unit.kinds for unit in preceding):
        return True
    if all(unit.word != "?" for unit in following):
        return False
    pairs = pairwise(following)
    return not any("MARK" in mark.kinds and "ASKS" in unit.kinds for mark, unit in pairs)


def weigh_listed(code: str, sentence: str, value: str) -> bool | None:
    """Hold what a model read in a sentence to the lists: whether it may be certain; None if it is not its writer's."""
    frames = frames_of(code)
    if frames is None:
        return None
    units = frames.kinds.units_of(_plain(sentence))
    if "?" in sentence or any(unit.kinds & (_NOBODYS | _UNSAID | {"FORGETS"}) for unit in units):
        return None
    spoken = frozenset(index_words(value))
    clauses: list[list[Unit]] = [[]]
    for unit in units:
        if unit.kinds & {"MARK", "EDGE"}:
            clauses.append([])
        clauses[-1].append(unit)
    clause = max(clauses, key=lambda part: sum(not spoken.isdisjoint(index_words(unit.word)) for unit in part))
    denied = any("DENIES" in unit.kinds for unit in clause)
    if denied != any("DENIES" in unit.kinds for unit in frames.kinds.units_of(value)):
        return None
    names_another = any(unit.kinds & _PERSONS for unit in clause)
    says_i = any(unit.kinds & {"SELF", "ME", "MEVERB"} for unit in clause)
    # "my" before a person makes nothing its writer's.
    is_mine = says_i or (not names_another and any("MINE" in unit.kinds for unit in clause))
    if not is_mine and any(unit.kinds & _PERSONS for unit in units):
        return None
    return is_mine and not names_another and not any("DOUBT" in unit.kinds for unit in units)
