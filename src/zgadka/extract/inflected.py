"""The units of a Ukrainian sentence: what its words name, in which case, and of which person its verbs are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from zgadka.extract.kinds import CAPITAL_ONLY, Naming, is_word_too, name_kinds
from zgadka.extract.lexicon import named_pattern
from zgadka.extract.units import Kinds, form_kinds

_MOST_WORDS = 4
_PAST = re.compile(r"\w+(?:[аияіїуео]в|ла|ло|ли|вся|всь|лась|лася|лось|лося|лись|лися)")
_INFINITIVE = re.compile(r"\w{2,}(?:ти|тись|тися)")
_THIRD = re.compile(
    r"\w{2,}(?:[аяіую]є|[аяіую]ється|[иї]ть|[иї]ться|[уюая]ть|[уюая]ться)|\w*(?:живе|веде|бере|несе|пише|каже|може|хоче|їде|йде|іде|п'є|б'є"
    r"|чеше|ріже|кличе|плаче|скаче|росте|везе|миє|шиє|є)"
)
_ADJECTIVE = re.compile(r"\w{2,}(?P<end>ий|ій|на|ва|ка|ча|ша|ня|им|ім|ною|вою|кою|чою|шою|ньою)")
_PHONE = re.compile(r"(?:38)?0\d{9}")
_PATRONYMIC = re.compile(r"\w+(?:[ое]вич|йович|[ії]вн)(?:|а|у|і|ем|ою|еві|и)|ілл(?:іч|івн)\w{0,3}|кузьмич\w*|лукич\w*")
_NO_VERBS = frozenset(
    {
        "таки",
        "треба",
        "хліб",
        "пара",
        "діти",
        "гості",
        "шість",
        "п'ять",
        "дев'ять",
        "десять",
        "мати",
        "пам'ять",
        "взагалі",
        "хвилин",
        "років",
        "місяців",
        "днів",
        "годів",
        "разів",
        "тижнів",
        "спів",
        "рядків",
        "варто",
        "зло",
        "тіло",
        "тепло",
        "діло",
        "світло",
        "було",
    }
)


class InflectedKinds(Kinds):
    """The word lists of Ukrainian: words are found in all their cases."""

    grammar = Kinds.grammar | {"CALM", "WORD", "ADJ_N", "ADJ_I", "PAST", "INF", "THIRD"}

    def __init__(self, entries: Mapping[str, Any]) -> None:
        super().__init__(entries)
        self._verbs = frozenset(entries["sentence"]["verbs"])
        self.capitalised |= {f"{kind}{case}^" for kind in CAPITAL_ONLY for case in ("", *("_" + c for c in "NGDAILP"))}

    def _longest(self, tokens: list[tuple[str, str, int, int]], at: int) -> tuple[int, set[str]]:
        length, tags = super()._longest(tokens, at)
        size, namings = name_kinds([token[1] for token in tokens[at : at + _MOST_WORDS]], 0)
        if size < length:
            return length, tags
        named = {tag for naming in namings for tag in _tags(naming)}
        if tags & self._verbs:
            tags = tags | {"MEVERB"}
        if named and size == length == 1:
            tags = tags - _VERBS - {"ADJ_N", "ADJ_I"}
        tags = tags | named if size == length else named
        if not tokens[at][1][0].isalnum() or tags & (_VERBS | _NO_CALM):
            return size, tags
        return size, tags | {"CALM"}

    def _kinds_of(self, lower: str) -> set[str]:
        kinds = super()._kinds_of(lower)
        return kinds | _grammar(lower, is_known=bool(kinds))

    @staticmethod
    def _of_form(text: str, lower: str) -> set[str]:
        kinds = form_kinds(text, lower)
        if kinds & {"MARK", "SIGN"}:
            return kinds
        kinds = kinds | {"WORD"}
        if text.isalpha():
            if text[0].isupper() and _PATRONYMIC.fullmatch(lower):
                kinds.add("PATRONYMIC")
        elif _DAY.fullmatch(lower):
            kinds.add("DAYDATE")
        elif _PHONE.fullmatch(lower):
            kinds.add("PHONENUMBER")
        return kinds


_DAY = re.compile(r"\d{1,2}(?:\.\d{1,2}(?:\.\d{2,4})?|-?(?:го|е|те))")
_VERBS = frozenset({"MEVERB", "PAST", "INF", "THIRD"})
_NO_CALM = frozenset({"DENIES", "SOON", "OTHERS", "PEOPLE", "MARK", "YOU", "REPORTS"})


_INDECLINABLE = frozenset(
    {
        *("торонто", "осло", "токіо", "брно", "чикаго", "порто", "глазго", "сан-франциско", "сакраменто", "бордо"),
        *("тбілісі", "хельсінкі", "батумі", "делі", "баку", "гродно", "тренто", "кентуккі", "маямі", "тампере"),
    }
)
_CASES = "GDAIL"


def _tags(naming: Naming) -> tuple[str, ...]:
    kind, case, base, _ = naming
    if kind == "TOWN" and base.casefold() in _INDECLINABLE:
        return kind, f"{kind}_{case.upper()}", *(f"{kind}_{other}" for other in _CASES)
    is_inflected_name = kind == "NAME" and case != "n"
    mark = "^" if is_inflected_name or (kind in CAPITAL_ONLY and is_word_too(base)) else ""
    return kind + mark, f"{kind}_{case.upper()}{mark}"


@cache
def _first_person() -> Callable[[str], object]:
    return named_pattern("writer").fullmatch


def _grammar(lower: str, *, is_known: bool) -> set[str]:
    if lower in _NO_VERBS:
        return set()
    kinds: set[str] = set()
    letter = lower[-1]
    if letter in _LAST_OF_ME and len(lower) > 1 and lower != "ми" and _first_person()(lower) is not None:
        kinds.add("MEVERB")
    elif letter in "иья" and _INFINITIVE.fullmatch(lower):
        kinds.add("INF")
    elif letter in "єьяе" and _THIRD.fullmatch(lower):
        kinds.add("THIRD")
    elif letter in "вяаоиь" and _PAST.fullmatch(lower):
        kinds.add("PAST")
    adjective = None if is_known else _ADJECTIVE.fullmatch(lower)
    if adjective is not None:
        kinds.add("ADJ_I" if adjective["end"] in _INSTRUMENTAL else "ADJ_N")
    return kinds


_LAST_OF_ME = "юуяьмо"
_INSTRUMENTAL = frozenset({"им", "ім", "ною", "вою", "кою", "чою", "шою", "ньою"})
