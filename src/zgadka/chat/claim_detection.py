"""What an answer says was done to the memory: "I've noted that", «видалив», and what it says was not.

Read by wording alone, clause by clause; what is quoted, asked, denied, conditional, or told of an earlier time, is no
claim. What is missed stays uncorrected and what is taken for a claim by mistake costs one more question to the model,
so where a wording is used for both, the more usual one counts. Each language is a file in `claims/`; all are tried,
since a model may answer in another language than it was asked in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from re import Pattern
from typing import Literal

from zgadka.chat.patterns import read_patterns
from zgadka.locales import LANGUAGES, Language

Deed = Literal["remembered", "updated", "forgotten"]
DEEDS: tuple[Deed, ...] = ("remembered", "updated", "forgotten")

_PART = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Claim:
    """One thing that an answer says was done.

    Attributes:
        text: The clause that says so.
        promised: Whether it is only about to be done: "I'll remember that".
    """

    deed: Deed
    text: str
    promised: bool = False


@dataclass(frozen=True, kw_only=True)
class _Wording:
    """How one language says it: patterns over a lower-case clause; what they are is told in `claims/en.toml`."""

    done: Mapping[Deed, Pattern[str]]
    promised: Mapping[Deed, Pattern[str]]
    stems: Mapping[Deed, Pattern[str]]
    elsewhere: Pattern[str]
    earlier: Pattern[str]
    condition: Pattern[str]
    other: Pattern[str]
    memory: Pattern[str]
    lapse: Pattern[str]
    denied: Pattern[str]


@cache
def _wordings() -> tuple[_Wording, ...]:
    return tuple(map(_wording, LANGUAGES))


def _wording(language: Language) -> _Wording:
    table = read_patterns("claims", language)
    parts = table.pop("parts")
    deeds: dict[Deed, dict[str, str]] = {deed: table.pop(deed) for deed in DEEDS}

    def pattern(template: str, deed: Mapping[str, str] | None = None) -> Pattern[str]:
        known = parts | (deed or {})
        while (filled := _PART.sub(lambda match: known[match[1]], template)) != template:
            template = filled
        return re.compile(template)

    def of_deeds(name: str) -> dict[Deed, Pattern[str]]:
        common = table.pop(name)
        return {
            deed: pattern("|".join(filter(None, (common, own.get(f"also_{name}")))), own) for deed, own in deeds.items()
        }

    return _Wording(
        done=of_deeds("done"),
        promised=of_deeds("promised"),
        stems={deed: pattern(own["stems"]) for deed, own in deeds.items()},
        **{name: pattern(template) for name, template in table.items()},
    )


_LONGEST = 20_000
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTE = re.compile(
    r"«[^»]{0,1000}»|“[^”]{0,1000}”|„[^“”]{0,1000}[“”]|\"[^\"\n]*\"|‘[^’\n]{2,400}’(?!\w)"
    r"|(?<![\w'])'[^'\n]{2,400}'(?!\w)|^[^\S\n]*>.*$",
    re.MULTILINE,
)
_ID = re.compile(r"\bid ?[:#]? ?\d+", re.IGNORECASE)
_APOSTROPHE = re.compile("[’ʼ`´]")
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_CLAUSE = re.compile(r"[,;:()]+|\s[—–-]+\s|[—–]|\b(?:and|but|so|because|while|і|й|та|але|бо|тож|а)\b(?=\s)")
_FRONT = re.compile(r"^[^\w']+")


def claims_in(answer: str) -> list[Claim]:
    """Everything that an answer says was done to the memory, or is about to be, in order."""
    return [
        claim
        for sentence, clauses in _sentences(answer[:_LONGEST])
        for clause in (clauses[:-1] if sentence.endswith("?") else clauses)
        for wording in _wordings()
        for claim in _claims_of(wording, clause, sentence)
    ]


def denies(answer: str, deed: Deed) -> bool:
    """Whether an answer says that the deed was not done."""
    return any(
        wording.denied.search(clause) and wording.stems[deed].search(clause)
        for _, clauses in _sentences(answer[:_LONGEST])
        for clause in clauses
        for wording in _wordings()
    )


def _claims_of(wording: _Wording, clause: str, sentence: str) -> Iterator[Claim]:
    if wording.other.search(clause) and not wording.memory.search(clause):
        return
    for deed in DEEDS:
        done = wording.done[deed].search(clause)
        if done is not None:
            is_told = wording.elsewhere.search(clause[: done.start()]) or wording.earlier.search(clause)
            is_lapse = deed == "forgotten" and wording.lapse.search(sentence)
            if not is_told and not is_lapse:
                yield Claim(deed, clause)
            continue
        promised = wording.promised[deed].search(clause)
        if promised is None or wording.elsewhere.search(clause[: promised.start()]):
            continue
        if not wording.condition.search(sentence):
            yield Claim(deed, clause, promised=True)


def _sentences(answer: str) -> Iterator[tuple[str, list[str]]]:
    """Sentences and their clauses, without what is quoted, in lower case."""
    plain = _APOSTROPHE.sub("'", _CODE.sub(" q ", answer))
    plain = _ID.sub("idn", _QUOTE.sub(" q ", plain)).replace("*", "").replace("_", " ").lower()
    for match in _SENTENCE.finditer(plain):
        sentence = match[0].strip()
        clauses = [" ".join(_FRONT.sub("", clause.rstrip(" .!?…")).split()) for clause in _CLAUSE.split(sentence)]
        if clauses := [clause for clause in clauses if clause]:
            yield sentence, clauses
