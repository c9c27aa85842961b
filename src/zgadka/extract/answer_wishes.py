"""Wishes about answers: "always put the tldr first", "would you mind keeping it short", "no emojis pls".

A request counts by what it is about, answers and how they are written, and where it could be one task ("explain this in
simple words") only with a word that makes it last: "always", "from now on", "to me".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from zgadka.extract import nominatives
from zgadka.extract.authored_text import GAP
from zgadka.extract.pattern import Candidate
from zgadka.extract.subject import mentions_another
from zgadka.extract.units import Unit, kinds_of
from zgadka.text import picks

_LONGEST = 14  # units of a wish
_MOST_OPEN = 3  # words of a wish that do not last and are about something else


def read_wishes(code: str, sentence: str, *, lasts: bool = False) -> tuple[Candidate, ...]:
    """Return the wishes of a sentence.

    Args:
        code: Its language.
        sentence: One sentence.
        lasts: Whether a sentence beside it says "always".
    """
    kinds = kinds_of(f"wishes_{code}")
    if kinds is None:
        return ()
    sentence = sentence.replace(GAP, '"')  # «ти» is a word of a wish
    units = kinds.units_of(sentence)
    if any("NOWISH" in unit.kinds for unit in units):
        return ()
    lasts = lasts or any("LASTING" in unit.kinds for unit in units)
    return tuple(
        Candidate("style", value)
        for clause in _clauses(units)
        if (value := _wish(clause, sentence, lasts=lasts, is_free=kinds.is_free)) is not None
    )


def with_wishes(candidates_before: Sequence[Candidate], wishes: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Add wishes; of one that was known in part the surer wins, and no liking is made of its words."""
    candidates: list[Candidate] = list(candidates_before)
    for wish in wishes:
        inside = wish.value.casefold()
        candidates = [
            earlier for earlier in candidates if earlier.key not in _IN_WISHES or earlier.value.casefold() not in inside
        ]
        same = [earlier for earlier in candidates if earlier.key in _SAID_SO and _shares(earlier.value, inside)]
        if wish.sure and same and not any(earlier.sure for earlier in same):
            candidates = [earlier for earlier in candidates if earlier not in same]
        elif same or any(
            earlier.key == "preference" and _shares(earlier.value, inside) for earlier in candidates_before
        ):
            continue
        candidates.append(wish)
    return tuple(candidates)


_SAID_SO = frozenset({"style", "name", "pronouns"})


def _shares(value: str, wish: str) -> bool:
    return value.casefold() in wish or wish in value.casefold()


_IN_WISHES = frozenset({"style", "like", "dislike", "preference", "hobby", "language", "goal", "skill"})


def may_wish(code: str, sentence: str) -> bool:
    """Tell whether one of the words stands in a sentence with which a wish may begin."""
    kinds = kinds_of(f"wishes_{code}")
    return kinds is not None and any(
        unit.kinds & {"ASKED", "AMOUNT"} for unit in kinds.units_of(sentence.replace(GAP, '"'))
    )


def is_lasting(code: str, sentence: str) -> bool:
    """Tell whether a sentence is nothing but a word that makes a wish last: "Always.", "Every time."."""
    kinds = kinds_of(f"wishes_{code}")
    if kinds is None:
        return False
    units = [unit for unit in kinds.units_of(sentence) if "MARK" not in unit.kinds]
    return 0 < len(units) <= _FEW and any("LASTING" in unit.kinds for unit in units)


_FEW = 6


def _clauses(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    clause: list[Unit] = []
    for unit in units:
        ends = "MARK" in unit.kinds and unit.word not in _INSIDE
        if ends:
            yield clause
            clause = []
        elif "REASON" in unit.kinds and clause:
            yield clause
            clause = [unit]
        else:
            clause.append(unit)
    yield clause


_OF_MORE = frozenset({"w", "w/", "with", "without", "for", "from", "to", "of", "than", "as"})
"""Behind these something is left out."""
_ONE = frozenset({"a", "an"})
_INSIDE = frozenset("'’&/#%+-\"")


_BEFORE = frozenset({"POLITE", "LASTING", "FILLER", "EDGE", "GREETING", "WHEN"})


def _heads(clause: Sequence[Unit], at: int) -> bool:
    """Tell whether a wish begins with a word: "only code", but not the "only" of "only give me code"."""
    kinds = clause[at].kinds
    is_followed = at + 1 < len(clause) and "ASKED" in clause[at + 1].kinds
    return bool(kinds & {"SELF", "ASKED"}) or ("AMOUNT" in kinds and not is_followed)


def _wish(clause: Sequence[Unit], sentence: str, *, lasts: bool, is_free: bool) -> str | None:
    """Return what a clause asks for, or None."""
    at = 0
    start: int | None = None  # "when I ask for recipes give me grams": all of it
    # "коротше пиши": the word is no "in short" where nothing follows the verb.
    is_before_verb = is_free and len(clause) == at + 2 and "ANSWERS" in clause[0].kinds and "ASKED" in clause[1].kinds
    while not is_before_verb and at < len(clause) and clause[at].kinds & _BEFORE and not _heads(clause, at):
        if "WHEN" in clause[at].kinds and start is None:
            start = at
        at += 1
    if start is not None and at < len(clause) and "ASKED" in clause[at].kinds:
        at += 1  # "if I reply at 4 am": the verb of the condition
    if start is not None and at < len(clause) and "ASKED" not in clause[at].kinds:
        at = next((number for number in range(at, len(clause)) if clause[number].kinds & {"LASTING"}), at)
        at = next((number for number in range(at, len(clause)) if "ASKED" in clause[number].kinds), at)
    wish = list(clause[at:])
    # "in English only, even when I slip into Punjabi": what is wished is said before.
    for number, unit in enumerate(wish):
        if unit.kinds & {"EVEN", "WHEN"} and any("ANSWERS" in earlier.kinds for earlier in wish[:number]):
            del wish[number:]
            break
    while (
        wish
        and wish[-1].kinds & {"POLITE", "FILLER", "ADV"}
        and not wish[-1].kinds & {"ANSWERS", "LASTING", "ADDRESSED"}
    ):
        wish.pop()
    if not wish:
        return None
    if is_free:
        is_wish = _is_wish_in_free_order(wish, clause, lasts=lasts)
    else:
        is_wish = _is_wish(wish, clause, lasts=lasts, has_condition=start is not None)
    if not is_wish:
        return None
    value = sentence[(wish[0] if start is None else clause[start]).start : wish[-1].end].strip(' ,.;:!?-–—…"')
    if all(picks.kinds_of(value)):  # "only the first" picks from a list
        return None
    return nominatives.wish_uk(value) if is_free else value


def _is_wish_in_free_order(wish: Sequence[Unit], clause: Sequence[Unit], *, lasts: bool) -> bool:
    """Tell the same in a language where what is wished may stand before the verb: "коротко відповідай"."""
    head = wish[0]
    if len(wish) > _LONGEST or "SELF" in head.kinds:
        return False
    if not head.kinds & {"ASKED", "AMOUNT"}:
        head = next((unit for unit in wish if "ASKED" in unit.kinds), head)
    # "надалі список пунктами"
    is_named = any("LASTING" in unit.kinds for unit in clause) and "ANSWERS" in head.kinds
    if not head.kinds & {"ASKED", "AMOUNT"} and not (is_named and len(wish) <= _MOST_OPEN + 1):
        return False
    is_task = any("TASK" in unit.kinds for unit in clause)
    if not any("ANSWERS" in unit.kinds for unit in wish) or (is_task and not lasts):
        return False
    if "ASKED" not in head.kinds and not any("ANSWERS" in unit.kinds for unit in wish[:3]):
        return False
    open_count = sum("OPEN" in unit.kinds and not unit.kinds & _OF_WISHES for unit in wish)
    return lasts or open_count <= (_MOST_OPEN if "ANSWERING" in head.kinds else 1)


def _is_wish(wish: Sequence[Unit], clause: Sequence[Unit], *, lasts: bool, has_condition: bool) -> bool:
    """Tell whether words that may be a wish are about answers, and not one task."""
    head = wish[0]
    if len(wish) > _LONGEST or "SELF" in head.kinds or not head.kinds & {"ASKED", "AMOUNT"}:
        return False
    if wish[-1].word in _OF_MORE or _is_of_yours(wish):
        return False
    if f"{' '.join(unit.word for unit in wish)} ".startswith(("write me i ", "write me that i ")):
        return False  # it is dictated
    about = [unit for unit in wish if "ANSWERS" in unit.kinds]
    if "ASKED" not in head.kinds and not any(unit in about for unit in wish[:3]):
        return False
    is_of_answers = any("ANSWERING" in unit.kinds for unit in wish[:3])
    is_task = any("TASK" in unit.kinds for unit in clause)
    if lasts:
        return bool(about) or is_of_answers or has_condition
    # "to me" says whose answers, not for how long: "convert 350 F to celsius for me", "don't talk to me about early".
    if about and not is_task and any("ADDRESSED" in unit.kinds for unit in clause):
        return True
    if not about or is_task or any(unit.word == "it" and not head.word.startswith("keep") for unit in clause):
        return False
    if mentions_another(" ".join(unit.word for unit in wish)):
        return False  # "speak Hungarian with my nan"
    is_answering = "ANSWERING" in head.kinds
    # "give me a short poem" is asked for once.
    if not is_answering and any(unit.word in _ONE for unit in wish[1:3]):
        return False
    open_count = sum("OPEN" in unit.kinds and not unit.kinds & _OF_WISHES for unit in wish)
    # "short and stout" may be anything; "keep it" says that it is about answers.
    return open_count <= (_MOST_OPEN if is_answering else int("ASKED" in head.kinds))


def _is_of_yours(wish: Sequence[Unit]) -> bool:
    """Tell whether a wish is about what somebody has: "stop sending me pictures of your toe"."""
    return any(
        unit.word in ("your", "ur") and not later.kinds & {"ANSWERS", "ASKED", "AMOUNT", "ANSWERING"}
        for unit, later in pairwise(wish)
    )


_OF_WISHES = frozenset({"ANSWERS", "ASKED", "AMOUNT", "LASTING", "ADDRESSED", "ANSWERING"})
