"""Suggest which facts of a person may say the same. Nothing is merged here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from zgadka.model.memory import Scope, StoredMemory
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.keys import is_place, is_single_valued, names_language
from zgadka.text.likeness import likeness, parts, slips, words
from zgadka.text.wording import Wording, may_be_same, script_of, wording

if TYPE_CHECKING:
    from zgadka.search.alike import Alike

Why = Literal["same_value", "contains", "similar_spelling", "same_meaning"]
_Source = Callable[[Sequence[StoredMemory]], Iterator["Group"]]

_MOST = 5
"""So many facts can be merged at once."""
_PEOPLE = frozenset({"friend", "child", "sibling", "parent", "pet", "partner", "colleague", "contact", "family"})
"""The same name under two of these keys is not the same fact: a friend is not a sibling."""
_LONG_KEY = 3
"""A vector of key and value tells more of a key with so many words than of a short value: they are all alike."""
_TURNING = frozenset(
    {
        *("dislike", "hate", "allergy", "allergic", "avoid", "fear", "phobia", "not", "no", "never", "without", "ex"),
        *("former", "past", "previous", "old", "wish", "want", "goal", "dream", "plan", "learn", "learning"),
        *("future", "least", "worst", "bad", "weak", "weakness"),
    }
)
"""A key with one of these words says something else of a value than a key without it."""
_TELLING_NOTHING = frozenset(
    {
        *("yes", "no", "true", "false", "none", "unknown", "any", "all", "good", "bad", "great", "ok", "high", "low"),
        *("medium", "beginner", "intermediate", "advanced", "expert", "fluent", "native", "basic", "daily", "weekly"),
        *("monthly", "yearly", "often", "sometimes", "always", "never", "так", "ні", "да", "нет"),
    }
)
"""Values that mean something with their key only."""
_ABOUT_THEIR_KEY = frozenset({"opinion", "relationship"})
"""Facts of these types say something of what their key names; the same under another key is another fact."""


@dataclass(frozen=True)
class Group:
    """Facts that may be one, the best of them first.

    Attributes:
        similarity: From 0 to 1, of the two that are least alike. By meaning, 0 is what any two facts of the person have
            in common, and 1 the same text.
        merged_value: The value of one of them, with which they could be merged.
    """

    facts: tuple[StoredMemory, ...]
    why: Why
    similarity: float
    merged_value: str


def suggest_merge(tx: Tx, scope: Scope) -> list[Group]:
    """The groups of facts that may be one, the most alike first; each fact is in one group at most.

    Facts are alike only within a type, and where they can be merged: of one space and persona lineage, and without an
    end. Those that mean the same come last, and only where there are vectors.
    """
    by_place: defaultdict[tuple[str | None, int, int], list[StoredMemory]] = defaultdict(list)
    for memory in tx.of_kind(scope, "fact"):
        if memory.valid_to is None:
            by_place[memory.type, memory.space, memory.lineage].append(memory)
    sources: list[_Source] = [_same_value, _contained, _similar]
    if (alike := _alike(tx, scope, [fact for facts in by_place.values() for fact in facts])) is not None:
        sources.append(partial(same_meaning, alike))
    found: list[Group] = []
    grouped: set[int] = set()
    for source in sources:
        for facts in by_place.values():
            for group in source([fact for fact in facts if fact.id not in grouped]):
                found.append(group)
                grouped |= {fact.id for fact in group.facts}
    return found


def _same_value(facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """Facts that list the same, in any order, under keys that do not tell them apart."""
    by_value: defaultdict[tuple[frozenset[str], str], list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        key, listed = fact.key or "", parts(fact.content)
        is_telling = all(form.isalpha() for form in listed) and not listed <= _telling_nothing()
        if is_telling and fact.type not in _ABOUT_THEIR_KEY and not is_single_valued(key):
            by_value[listed, _sense(key)].append(fact)
        else:
            by_value[listed, key].append(fact)
    for same in by_value.values():
        yield from _group(same, "same_value", 1.0)


def _contained(facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """A fact that lists several things, and those of its key that list some of them."""
    for of_key in _by_key(facts):
        listed = {fact.id: parts(fact.content) for fact in of_key}
        holders: defaultdict[str, list[StoredMemory]] = defaultdict(list)
        for fact in of_key:
            for form in listed[fact.id]:
                holders[form].append(fact)
        taken: set[int] = set()
        for whole in sorted(of_key, key=lambda fact: (-len(listed[fact.id]), fact.id)):
            if len(listed[whole.id]) < 2 or whole.id in taken:
                continue
            near = {fact.id: fact for form in sorted(listed[whole.id]) for fact in holders[form]}
            inside = [one for one in near.values() if listed[one.id] < listed[whole.id] and one.id not in taken]
            inside = sorted(inside, key=_worth, reverse=True)[: _MOST - 1]
            if inside:
                taken |= {whole.id, *(fact.id for fact in inside)}
                share = min(len(listed[fact.id]) for fact in inside) / len(listed[whole.id])
                yield Group((whole, *inside), "contains", round(share, 3), whole.content)


def _similar(facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """A fact, and those of its key that are a slip of the pen away."""
    for of_key in _by_key(facts):
        forms = {fact.id: words(fact.content) for fact in of_key}
        near: defaultdict[tuple[str, ...], list[StoredMemory]] = defaultdict(list)
        for fact in of_key:
            for slip in slips(forms[fact.id]):
                near[slip].append(fact)
        taken: set[int] = set()
        for best in sorted(of_key, key=_worth, reverse=True):
            if best.id in taken:
                continue
            others = {fact.id: fact for slip in slips(forms[best.id]) for fact in near[slip]}
            alike = {
                fact.id: similarity
                for fact in others.values()
                if fact.id not in taken | {best.id} and (similarity := likeness(forms[best.id], forms[fact.id]))
            }
            if alike:
                nearest = sorted(alike, key=lambda number: (-alike[number], number))[: _MOST - 1]
                taken |= {best.id, *nearest}
                group = (best, *(others[number] for number in nearest))
                yield Group(group, "similar_spelling", min(alike[number] for number in nearest), best.content)


def same_meaning(alike: Alike, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """Facts of one key, each of which says the same as any other in other words, as far as vectors and words tell."""
    for of_key in _by_key(facts):
        key = of_key[0].key or ""
        # Names are compared as names are, with their tables; a vector has those of one country for nearly the same.
        if is_place(key) or names_language(key) or len(key.split("_")) >= _LONG_KEY:
            continue
        by_id = {fact.id: fact for fact in of_key}
        read: dict[int, Wording] = {}
        near: defaultdict[int, dict[int, float]] = defaultdict(dict)
        for similarity, one, other in alike.pairs(list(by_id)):
            for number in (one, other):
                read[number] = read.get(number) or wording(by_id[number].content)
            if may_be_same(read[one], read[other], named=key in _PEOPLE):
                near[one][other] = near[other][one] = similarity
        yield from _cliques(by_id, near)


def _cliques(facts: Mapping[int, StoredMemory], near: Mapping[int, Mapping[int, float]]) -> Iterator[Group]:
    """The best fact, and those that are near to it and to each other; then the best of the rest."""
    taken: set[int] = set()
    for best in sorted(near, key=lambda number: _worth(facts[number]), reverse=True):
        if best in taken:
            continue
        group = [best]
        for number in sorted(near[best], key=lambda number: (-near[best][number], number)):
            if number not in taken and len(group) < _MOST and all(number in near[one] for one in group):
                group.append(number)
        if len(group) > 1:
            taken.update(group)
            least = min(near[one][other] for one in group for other in group if one != other)
            yield Group(tuple(facts[number] for number in group), "same_meaning", round(least, 3), facts[best].content)


def _alike(tx: Tx, scope: Scope, facts: Sequence[StoredMemory]) -> Alike | None:
    """How near these facts are in meaning; None where no embedder has got to know all there is."""
    embedder = tx.complete_embedder()
    stored = [] if embedder is None else tx.memory_vectors(scope, embedder)
    if not stored:
        return None
    try:
        from zgadka.search.alike import Alike, Place  # noqa: PLC0415  (numpy comes with the extra that made the vectors)
    except ImportError:  # made on another machine
        return None
    return Alike({fact.id: Place((fact.type, fact.key), script_of(fact.content)) for fact in facts}, stored)


def _group(facts: Iterable[StoredMemory], why: Why, similarity: float) -> Iterator[Group]:
    best = sorted(facts, key=_worth, reverse=True)[:_MOST]
    if len(best) > 1:
        yield Group(tuple(best), why, similarity, best[0].content)


def _by_key(facts: Iterable[StoredMemory]) -> Iterable[list[StoredMemory]]:
    by_key: defaultdict[str, list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        by_key[fact.key or ""].append(fact)
    return by_key.values()


def _sense(key: str) -> str:
    """The key where it changes what the value means; empty for all keys that just name what somebody has or likes."""
    words_of_key = {word.removesuffix("s") for word in key.split("_")} | set(key.split("_"))
    return key if words_of_key & (_TURNING | _PEOPLE) else ""


@cache
def _telling_nothing() -> frozenset[str]:
    return frozenset(map(canonical, _TELLING_NOTHING))


def _worth(fact: StoredMemory) -> tuple[float, int, float, int]:
    """The surer, the more often stated, the newer: the better."""
    return fact.confidence, fact.evidence, fact.updated_at.timestamp(), -fact.id
