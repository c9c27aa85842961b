"""Questions find their memory whatever form the words have: `tests/data/multilingual.txt` through the tools, by words.

`python tests/flows/test_multilingual.py` prints the table of docs/languages.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from zgadka import Settings, Turn, open_memory

FILE = Path(__file__).parents[1] / "data" / "multilingual.txt"
SHOWN = 5
HAND_WRITTEN = ("uk", "en")
"""Languages of which all memories are one person's; those of the others are found among the memories of all."""


@dataclass(frozen=True)
class Remembered:
    """A memory to find: a fact has a key, a note has none."""

    name: str
    key: str
    text: str

    @property
    def lang(self) -> str:
        return self.name[:2]

    @property
    def shown(self) -> str:
        """The text by which `recall` answers."""
        return f"{self.key.replace('_', ' ')}: {self.text}" if self.key else self.text


@dataclass(frozen=True)
class Question:
    """What a person asks, in another language than the memory's where it crosses."""

    text: str
    right: str
    crosses: bool

    @property
    def held(self) -> bool:
        return int(hashlib.sha256(self.text.encode()).hexdigest(), 16) % 3 == 0


def read() -> tuple[list[Remembered], list[Question]]:
    """Read the file; see multilingual.md for its format."""
    memories: list[Remembered] = []
    questions: list[Question] = []
    name = ""
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("  "):
            kind, _, text = line.strip().partition(" ")
            assert kind in ("?", "~", "x"), line
            questions.append(Question(text, name, kind == "x"))
        elif not line.startswith("#"):
            name, _, memory = line.partition(" ")
            if memory:
                head, _, text = memory.partition(": ")
                memories.append(Remembered(name, head.removeprefix("fact").removeprefix("note").strip(), text))
    return memories, questions


MEMORIES, QUESTIONS = read()


async def ranks(memories: Iterable[Remembered], questions: Iterable[Question]) -> list[tuple[Question, int | None]]:
    """Let one person remember all the memories, ask all the questions; return the place of the right one from 0."""
    person = {"platform": "telegram", "space": "1", "chat": "1", "user": 1}
    names: dict[int, str] = {}
    async with open_memory("sqlite://:memory:", settings=Settings(calls_per_hour=0)) as memory:
        for number, one in enumerate(memories):
            turn = Turn(turn=f"t{number}", **person)
            if one.key:
                fact = {"user_id": 1, "fact_type": "personal", "fact_key": one.key, "fact_value": one.text}
                result = await memory.call("remember_fact", fact | {"confidence": 0.9}, turn)
                names[result["fact_id"]] = one.name
            else:
                result = await memory.call("remember", {"content": one.text}, turn)
                names[result["memory_id"]] = one.name
            assert result.status == "success", (one, result)
        answers: list[tuple[Question, int | None]] = []
        for number, question in enumerate(questions):
            turn = Turn(turn=f"q{number}", **person)
            found = await memory.call("recall", {"query": question.text, "limit": SHOWN}, turn)
            order = [names[one["memory_id"]] for one in found["memories"]]
            answers.append((question, order.index(question.right) if question.right in order else None))
        return answers


async def ask(lang: str) -> list[tuple[Question, int | None]]:
    """Ask the questions of one language, or with "other" of all but Ukrainian and English."""
    questions = [one for one in QUESTIONS if not one.crosses]
    if lang in HAND_WRITTEN:
        mine = [one for one in questions if one.right.startswith(lang)]
        return await ranks([one for one in MEMORIES if one.lang == lang], mine)
    # A person has one name and one age, whatever the language.
    notes = [one for one in MEMORIES if one.lang != "en" or not one.key]
    return await ranks(notes, [one for one in questions if not one.right.startswith(HAND_WRITTEN)])


async def ask_across() -> list[tuple[Question, int | None]]:
    """Ask in Ukrainian for what is remembered in English, and the other way round."""
    crossing = [one for one in QUESTIONS if one.crosses]
    notes = [one for one in MEMORIES if one.lang == "uk" or (one.lang == "en" and not one.key)]
    facts = [one for one in MEMORIES if one.lang == "en"]
    to_english = [one for one in crossing if one.right.startswith("en")]
    to_ukrainian = [one for one in crossing if one.right.startswith("uk")]
    return await ranks(facts, to_english) + await ranks(notes, to_ukrainian)


def share_found(answers: Iterable[tuple[Question, int | None]]) -> float:
    places = [place for _, place in answers]
    return sum(place is not None for place in places) / len(places)


@pytest.mark.asyncio
@pytest.mark.parametrize("lang", ["uk", "en", "other"])
async def test_nine_of_ten_questions_find_their_memory_in_their_own_language(lang: str) -> None:
    answers = await ask(lang)
    held = [one for one in answers if one[0].held]
    assert len(held) > 20
    assert share_found(held) >= 0.9
    assert share_found(answers) >= 0.9


def test_the_set_is_what_its_description_says() -> None:
    asked = [one for one in QUESTIONS if not one.crosses]
    names = [one.name for one in MEMORIES]
    assert len(asked) >= 300
    assert sum(one.right.startswith("uk") for one in asked) >= len(asked) / 2
    assert len({one.text for one in asked}) == len(asked)
    assert len(set(names)) == len(names)
    assert {one.right for one in QUESTIONS} == set(names)
    assert 0.25 < sum(one.held for one in asked) / len(asked) < 0.42


@pytest.mark.parametrize(
    ("lang", "text", "question"),
    [
        ("uk", "Переїхала у Львів", "Що я робила у Львові?"),
        ("uk", "Купив кросівки", "Що я купуватиму?"),
        ("uk", "У книзі є карта", "Де та книжка?"),
        ("en", "We went to Greece", "When did we go?"),
        ("zh", "我养了两只猫", "猫"),
    ],
)
@pytest.mark.asyncio
async def test_a_form_is_found_by_another(lang: str, text: str, question: str) -> None:
    note = Remembered(f"{lang}0", "", text)
    assert await ranks([note], [Question(question, note.name, crosses=False)]) == [
        (Question(question, note.name, crosses=False), 0)
    ]


async def report(out: Iterable[str] = ()) -> list[str]:
    """Write the table of docs/languages.md, one row a language."""
    rows = [
        *out,
        "| language | questions | first | first five | held out: questions | first five |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    groups: dict[str, list[tuple[Question, int | None]]] = defaultdict(list)
    for lang in (*HAND_WRITTEN, "other"):
        for answer in await ask(lang):
            groups[answer[0].right[:2] if lang == "other" else lang].append(answer)
    for answer in await ask_across():
        groups[
            "asked in Ukrainian, English memory"
            if answer[0].right.startswith("en")
            else "asked in English, Ukrainian memory"
        ].append(answer)
    for lang, answers in groups.items():
        held = [one for one in answers if one[0].held]
        first = sum(place == 0 for _, place in answers) / len(answers)
        five = f"{share_found(held):.2f}" if held else ""
        rows.append(f"| {lang} | {len(answers)} | {first:.2f} | {share_found(answers):.2f} | {len(held)} | {five} |")
    return rows


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(report())) + "\n")
