"""Whether a message asks that what it says be not remembered: "off the record, …", "I'm a nurse. Don't save that."

Read by wording, in English and Ukrainian. What is quoted, and what others said, asks nothing; neither does secrecy
towards people ("don't tell anybody"), nor a message that has something else kept ("don't save that, save Kyiv").
"""

from __future__ import annotations

import re
from functools import cache

from zgadka.text.folding import APOSTROPHES
from zgadka.text.pattern_file import read_patterns
from zgadka.text.sanitize import as_seen

_LONGEST = 2_000  # characters; who writes more has it kept
_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|«[^»]*»|“[^”]*”|\"[^\"\n]*\"", re.DOTALL | re.MULTILINE)
_SAYS = re.compile(r"\b(?:sa(?:ys|id|ying)|told \w+|like|goes|каже|казав|казала|сказав|сказала|пише)[:,]?\s*\Z")
_WORDS = re.compile(r"[^\W\d_]{2,}|\d+")


def is_off_record(text: str) -> bool:
    """Tell whether a message says something and asks that it be not remembered."""
    plain = _plain(text)
    return plain is not None and (wish := _wish_in(plain)) is not None and _tells(plain, wish)


def wants_nothing_kept(text: str) -> bool:
    """Tell whether a message asks that something be not remembered, said in it or before: "no, don't save it"."""
    plain = _plain(text)
    return plain is not None and _wish_in(plain) is not None


def takes_back(text: str) -> bool:
    """Tell whether a message says nothing itself and asks that what was just said be not remembered."""
    plain = _plain(text)
    wish = None if plain is None else _wish_in(plain)
    return plain is not None and wish is not None and not _tells(plain, wish) and not _any_of("ahead").search(plain)


def may_be_off_record(text: str) -> bool:
    """Tell whether a message is off the record or sounds so; of ordinary messages one in a hundred does."""
    plain = _plain(text)
    return plain is not None and (_any_of("sounds").search(plain) is not None or _wish_in(plain) is not None)


def _plain(text: str) -> str | None:
    """The message in small letters without what is quoted; None: most ask nothing of the kind."""
    if len(text) > _LONGEST:
        return None
    folded = as_seen(text).lower()
    if not all(any(map(folded.__contains__, _words_of(hints))) for hints in ("negations", "keeping")):
        return None
    return _QUOTED.sub(" ", folded.translate(APOSTROPHES))


def _wish_in(plain: str) -> re.Match[str] | None:
    """Where the wish is, unless something is to be kept all the same."""
    found = _any_of("clauses", "{START}").search(plain) or _any_of("anywhere").search(plain)
    if found is None or _SAYS.search(plain, 0, found.start() + 1):
        return None
    rest = f"{plain[: found.start()]}\n{plain[found.end() :]}"
    return None if _any_of("orders", "{START}").search(rest) else found


def _tells(plain: str, wish: re.Match[str]) -> bool:
    """Whether there is more in the message than the wish."""
    words = _WORDS.findall(f"{plain[: wish.start()]} {plain[wish.end() :]}")
    return not _words_of("fillers").issuperset(words)


@cache
def _words_of(table: str) -> frozenset[str]:
    words = read_patterns("data/off_record.toml").entries[table].split()
    return frozenset(word.replace("+", " ") for word in words)


@cache
def _any_of(table: str, before: str = "") -> re.Pattern[str]:
    patterns = read_patterns("data/off_record.toml")
    alternatives = "|".join(map(patterns.complete, patterns.entries[table]))
    return re.compile(f"{patterns.complete(before)}(?:{alternatives})", re.MULTILINE)
