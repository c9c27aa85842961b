"""How often facts that say the same in other words are suggested for merging, and how often others are.

The pairs are those of tests/data/paraphrases.tsv, labelled before anything was measured. Each is a person's two facts
of one key, once beside six facts of other keys, and once beside all other values of the list. What suggests them is
the product's own `same_meaning` over vectors as they are stored. Thresholds and rules were chosen on two thirds; the
figures of the third that is held out were printed afterwards, and its pairs were not looked at.
Whoever wrote the pairs
also wrote the rules and their table, so the lists that others wrote are measured beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from zgadka import Settings
from zgadka.model.memory import StoredMemory
from zgadka.ops.suggest_merges import same_meaning
from zgadka.search.embedders.build import build_embedder
from zgadka.search.embedders.protocols import Embedder
from zgadka.search.embedders.vectors import to_bytes
from zgadka.search.near_duplicates import FactKey, FactVectors
from zgadka.text.paraphrase import may_be_same, script_of, wording
from zgadka.text.word_lists import read_table

PAIRS = Path(__file__).parents[1] / "tests/data/paraphrases.tsv"
RESULTS = Path(__file__).parent / "results/duplicates.md"
OTHERS = 6
BATCH = 32
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LISTS = (
    *(("occupation_en", "skill"), ("pet_en", "pet"), ("health_en", "condition"), ("condition_en", "condition")),
    *(("played_en", "hobby"), ("diet_en", "diet")),
)


@dataclass(frozen=True)
class Pair:
    type: str
    key: str
    value: str
    other: str
    label: str
    note: str

    @property
    def is_held_out(self) -> bool:
        named = f"{self.key}|{self.value}|{self.other}"
        return int(hashlib.sha256(named.encode()).hexdigest(), 16) % 3 == 0

    @property
    def language(self) -> str:
        return "Ukrainian" if self.note.startswith("uk:") else "English"


class Vectors:
    """The vectors of texts, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}

    def of(self, texts: Sequence[str]) -> list[np.ndarray]:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(new), BATCH):
            some = new[start : start + BATCH]
            self._known.update(zip(some, self._embedder.embed(some), strict=True))
        return [self._known[text] for text in texts]

    def cosine(self, one: str, other: str) -> float:
        first, second = self.of([one, other])
        return float(first @ second)


def read_pairs() -> list[Pair]:
    lines = PAIRS.read_text("utf-8").splitlines()
    return [Pair(*line.split("\t")) for line in lines if not line.startswith("#")]


def fact(id_: int, type_: str, key: str, value: str) -> StoredMemory:
    return StoredMemory(
        owner=1,
        id=id_,
        kind="fact",
        space=1,
        lineage=0,
        type=type_,
        key=key,
        content=value,
        canonical=value,
        confidence=0.9,
        evidence=1,
        excerpt=None,
        tags=(),
        permanent=False,
        archived=False,
        version=1,
        said_by="1",
        created_at=NOW,
        updated_at=NOW,
    )


def alike(vectors: Vectors, facts: Sequence[StoredMemory]) -> FactVectors:
    stored = [to_bytes(vector) for vector in vectors.of([one.searchable for one in facts])]
    places = {one.id: FactKey((one.type, one.key), script_of(one.content)) for one in facts}
    return FactVectors(places, list(zip(places, stored, strict=True)))


def suggested_alone(vectors: Vectors, pairs: Sequence[Pair]) -> Iterator[bool]:
    """Each pair, as a person's beside some facts of other keys."""
    draw = random.Random(1)
    for pair in pairs:
        others = draw.sample([one for one in pairs if one.key != pair.key], OTHERS)
        two = [fact(1, pair.type, pair.key, pair.value), fact(2, pair.type, pair.key, pair.other)]
        rest = [fact(number, one.type, one.key, one.value) for number, one in enumerate(others, 3)]
        yield bool(list(same_meaning(alike(vectors, two + rest), two)))


def suggested_among_all(vectors: Vectors, pairs: Sequence[Pair]) -> tuple[list[bool], list[tuple[str, str, str]]]:
    """Each pair, as two of a person's many facts; and the pairs suggested that are not on the list, with their key."""
    values = {(pair.type, pair.key, value) for pair in pairs for value in (pair.value, pair.other)}
    facts = [fact(number, *one) for number, one in enumerate(sorted(values), 1)]
    near: set[tuple[str, str, str]] = set()
    of_all = alike(vectors, facts)
    for type_ in sorted({pair.type for pair in pairs}):
        for group in same_meaning(of_all, [one for one in facts if one.type == type_]):
            contents = sorted(one.content for one in group.facts)
            near |= {(group.facts[0].key or "", one, other) for one in contents for other in contents if one < other}
    named = [(pair.key, *sorted((pair.value, pair.other))) for pair in pairs]
    return [name in near for name in named], sorted(near - set(named))


def row(name: str, pairs: Sequence[Pair], suggested: Sequence[bool]) -> str:
    same = sum(pair.label == "same" for pair in pairs)
    right = sum(given and pair.label == "same" for given, pair in zip(suggested, pairs, strict=True))
    related = sum(given and pair.label == "related" for given, pair in zip(suggested, pairs, strict=True))
    count = sum(suggested)
    low, high = wilson(right, count)
    precision = f"{right / count:.3f} ({low:.2f} to {high:.2f})" if count else "–"
    wrong = f"{related} | {count - right - related}"
    return f"| {name} | {len(pairs)} | {count} | {precision} | {right / same:.3f} | {wrong} |"


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * ((share * (1 - share) + z * z / (4 * count)) / count) ** 0.5 / (1 + z * z / count)
    return middle - half, middle + half


def at_precision(pairs: Sequence[Pair], score: Callable[[Pair], float]) -> str:
    """The recall at the lowest threshold that has each precision, by this score alone."""
    scored = sorted(((score(pair), pair.label == "same") for pair in pairs), reverse=True)
    same = sum(right for _, right in scored)
    cells: list[str] = []
    for least in (0.9, 0.8, 0.7):
        right = best = 0
        for count, (_, is_right) in enumerate(scored, 1):
            right += is_right
            if right / count >= least and count >= 10:
                best = right
        cells.append(f"{best / same:.2f}")
    return " | ".join(cells)


def report(embedder: Embedder) -> Iterator[str]:
    vectors = Vectors(embedder)
    pairs = read_pairs()
    parts = [
        (f"{language}, {'held out' if is_held_out else 'dev'}", part)
        for language in ("English", "Ukrainian")
        for is_held_out in (False, True)
        if (part := [one for one in pairs if one.language == language and one.is_held_out is is_held_out])
    ]
    yield "# Facts that say the same in other words\n"
    yield f"Embedder `{embedder.name}`, made by `benchmarks/duplicates.py`.\n"
    head = (
        "| pairs | of | suggested | precision (95 %) | recall | related suggested | different suggested |\n"
        + "|---" * 7
    )
    yield NOTE
    yield "## Suggested beside six facts of other keys\n\n" + head + "|"
    for name, part in parts:
        yield row(name, part, list(suggested_alone(vectors, part)))
    yield "\n## Suggested among all values of the list\n\n" + head + "|"
    unlisted: list[tuple[str, str, str, str]] = []
    for name, part in parts:
        suggested, more = suggested_among_all(vectors, part)
        yield row(name, part, suggested)
        unlisted += [(name, *one) for one in more]
    yield "\nNot on the list and suggested, so for you to judge (only of those not held out):\n"
    for name, part in parts:
        shown = [f"{key}: {one} / {other}" for of, key, one, other in unlisted if of == name]
        yield f"- {name}, {len(shown)}" + ("" if part[0].is_held_out else f": {'; '.join(shown) or 'none'}")
    yield "\n## What vectors and rules do alone\n"
    yield (
        "| pairs | cosines of values: recall at precision 0.9 | 0.8 | 0.7 | of stored texts: 0.9 | 0.8 | 0.7 "
        "| rules alone: precision | recall |\n" + "|---" * 9 + "|"
    )
    for name, part in parts:
        texts = [
            at_precision(part, lambda pair: vectors.cosine(pair.value, pair.other)),
            at_precision(
                part,
                lambda pair: vectors.cosine(*(fact(1, "", pair.key, v).searchable for v in (pair.value, pair.other))),
            ),
        ]
        passed = [pair for pair in part if may_be_same(wording(pair.value), wording(pair.other))]
        right = sum(pair.label == "same" for pair in passed)
        same = sum(pair.label == "same" for pair in part)
        yield f"| {name} | {' | '.join(texts)} | {right / len(passed):.2f} | {right / same:.2f} |"
    yield from word_lists(vectors)
    yield from seconds(vectors)


def word_lists(vectors: Vectors) -> Iterator[str]:
    yield "\n## Words of the extraction rules' lists, which were written for something else\n"
    yield "All pairs of words of one list are compared; most name different things.\n"
    yield "| list | key | pairs | suggested | which |\n|---|---|---|---|---|"
    background = [fact(number, "", key, value) for number, (key, value) in enumerate(BACKGROUND, 1)]
    for name, key in LISTS:
        words = read_table("words", "zgadka.extract")[name]
        values = list(dict.fromkeys(word.replace("_", " ") for word in words))
        facts = [fact(number, "personal", key, value) for number, value in enumerate(values, 1000)]
        near = alike(vectors, background + facts)
        read = {one.id: wording(one.content) for one in facts}
        by_id = {one.id: one.content for one in facts}
        shown = [
            f"{by_id[one]} / {by_id[other]}"
            for _, one, other in near.pairs(list(by_id))
            if may_be_same(read[one], read[other])
        ]
        count = len(facts) * (len(facts) - 1) // 2
        yield f"| {name} | {key} | {count:,} | {len(shown)} | {'; '.join(shown)} |"


NOTE = """Who labelled the pairs also wrote the rules and their table of kinds, with all of the pairs in mind. So expect
less of other people's facts, and look at the lists of words below, which were not written for this.
"""
BACKGROUND = (
    *(("location", "Lviv"), ("favorite_food", "borscht"), ("birthday", "12 May"), ("timezone", "UTC+2")),
    *(("favorite_band", "Okean Elzy"), ("goal", "run a marathon"), ("character", "patient")),
)


def seconds(vectors: Vectors) -> Iterator[str]:
    yield "\n## Time for 10,000 facts of random vectors\n\n| keys | seconds |\n|---|---|"
    numbers = np.random.default_rng(1)
    width = len(vectors.of(["one"])[0])
    for keys in (1, 50):
        matrix = numbers.normal(size=(10_000, width)).astype(np.float32)
        matrix[1::2] = matrix[::2] + 0.1 * matrix[1::2]  # half of them are near to another
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        facts = [fact(n, "preference", f"key{n // 2 % keys}", "some words") for n in range(1, 10_001)]
        places = {one.id: FactKey((one.type, one.key), "LATIN") for one in facts} | {0: FactKey(("", "other"), "LATIN")}
        stored = [(one, to_bytes(matrix[one % 10_000])) for one in places]
        start = time.perf_counter()
        groups = list(same_meaning(FactVectors(places, stored), facts))
        yield f"| {keys} | {time.perf_counter() - start:.2f} ({len(groups)} groups) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="local", help="as the setting ZGADKA_EMBEDDER")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    embedder = build_embedder(Settings(embedder=given.embedder))
    if embedder is None:
        sys.exit("no embedder")
    lines: list[str] = []
    for line in report(embedder):
        print(line, flush=True)
        lines.append(line)
    if given.write:
        RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
