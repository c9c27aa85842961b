"""What each pattern of the rules changes in the messages that rules may be written against.

./run bench patterns [--fewest 3]     one line for each pattern whose removal changes fewer messages

A pattern is taken away, the messages in which it fits are read again, and those are counted of which something else
is returned. One that changes nothing stays away, so that of two that say the same the later is counted. Beside the
labelled messages other texts of tests/data are read, for which nobody wrote patterns: what tells something of these
is not superseded, though no labelled message shows it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from _loose_labels import score
from extract import Tally, compare, load, user_text

from zgadka.extract import frames, introductions, languages, pattern, within
from zgadka.extract.clause import LANGUAGES
from zgadka.extract.extraction import Extraction
from zgadka.extract.rules import extract

_DATA = Path(__file__).parents[1] / "tests" / "data"
LOOSE = tuple(f"messages_dev{number}" for number in range(3, 10))
OTHERS = (
    "forgetting.jsonl",
    "updates.jsonl",
    "replies.jsonl",
    "secrets.tsv",
    "multilingual.txt",
    "paraphrases.tsv",
    "plain.txt",
)
Place = tuple[str, int, int]
"""The file and its section, the number of the entry, and of the pattern in it."""


@dataclass
class Trial:
    """Reads messages without some patterns.

    Attributes:
        absent: The patterns that are taken away.
        fitting: The patterns that fitted somewhere in the message read last.
    """

    absent: set[Place] = field(default_factory=set[Place])
    fitting: set[Place] = field(default_factory=set[Place])
    places: dict[int, Place] = field(default_factory=dict[int, Place])

    def __post_init__(self) -> None:
        for code, language in LANGUAGES.items():
            for number, statement in enumerate(language.relatives):
                self.places[id(statement)] = f"{code}:relatives", number, 0
            plain = len(languages.plain_statements(code))
            statements = tuple(language.statements)
            for number, statement in enumerate(statements[: len(statements) - plain]):
                self.places[id(statement)] = f"{code}:statements", number, 0
            for number, reading in enumerate(within.readings_of(code).readings):
                self.places[id(reading)] = f"within_{code}:readings", number, 0
            for place, frame in zip(_frame_places(code), _frames_of(code).frames, strict=True):
                self.places[id(frame)] = place
        self._watch()

    def _watch(self) -> None:
        # Their functions are replaced.
        statement_of, reading_of, frames_of, of_frames, of_introductions = cast(
            "tuple[Any, ...]", (pattern.Statement, within.Reading, frames.Frames, frames, introductions)
        )
        tell, tell_within, told = statement_of.tell, reading_of.tell, of_frames._told  # noqa: SLF001
        may_fit, introducing = frames_of.that_may_fit, frames.introduction_patterns

        def statement_tells(statement: Any, sentence: str) -> Any:
            place = self.places.get(id(statement))
            candidates = () if place in self.absent else tell(statement, sentence)
            if candidates and place is not None:
                self.fitting.add(place)
            return candidates

        def reading_tells(reading: Any, piece: str, *, bare: bool) -> Iterator[Any]:
            place = self.places[id(reading)]
            for candidate in () if place in self.absent else tell_within(reading, piece, bare=bare):
                self.fitting.add(place)
                yield candidate

        def frames_that_may_fit(all_frames: Any, known: Any) -> Iterator[Any]:
            return (frame for frame in may_fit(all_frames, known) if self.places.get(id(frame)) not in self.absent)

        def frame_tells(frame: Any, *rest: Any) -> Iterator[Any]:
            if (place := self.places.get(id(frame))) is not None:
                self.fitting.add(place)
            return told(frame, *rest)

        def introductions_of(code: str) -> tuple[tuple[Any, ...], ...]:
            return tuple(
                tuple(
                    _Watched(self, compiled, place)
                    for number, compiled in enumerate(patterns)
                    if (place := (f"frames_{code}:{name}", number, 0)) not in self.absent
                )
                for name, patterns in zip(("introductions", "openings"), introducing(code), strict=True)
            )

        statement_of.tell = statement_tells
        reading_of.tell = reading_tells
        frames_of.that_may_fit = frames_that_may_fit
        of_frames._told = frame_tells  # noqa: SLF001
        of_introductions.introduction_patterns = introductions_of

    def read(self, message: dict[str, Any]) -> Extraction:
        """Read a message; `fitting` tells of it."""
        self.fitting = set()
        return extract(user_text(message))


@dataclass
class _Watched:
    trial: Trial
    compiled: re.Pattern[str]
    place: Place

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._noted(self.compiled.fullmatch(text))

    def match(self, text: str) -> re.Match[str] | None:
        return self._noted(self.compiled.match(text))

    def _noted(self, fit: re.Match[str] | None) -> re.Match[str] | None:
        if fit is not None:
            self.trial.fitting.add(self.place)
        return fit


def _frames_of(code: str) -> frames.Frames:
    found = frames.frames_of(code)
    assert found is not None
    return found


def _frame_places(code: str) -> Iterator[Place]:
    for number, entry in enumerate(_frames_of(code).entries["frames"]):
        told = entry["frame"]
        for part in range(1 if isinstance(told, str) else len(told)):
            yield f"frames_{code}:frames", number, part


def messages() -> list[dict[str, Any]]:
    """Return the messages that rules may be written against, of both kinds of labels."""
    loose = (line for name in LOOSE for line in (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines())
    texts = (
        text
        for name in OTHERS
        for line in (_DATA / name).read_text("utf-8").splitlines()
        for text in (_texts(json.loads(line)) if name.endswith("l") else line.split("\t"))
        if " " in text
    )
    return [
        *load("dev"),
        *({**json.loads(line), "loose": True} for line in loose),
        *({"id": text, "text": text} for text in dict.fromkeys(texts)),
    ]


def _texts(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
            yield from _texts(part)


def told(extraction: Extraction) -> frozenset[tuple[str, str, float]]:
    """Return what is compared of what was returned."""
    return frozenset((item.key, item.value, item.confidence) for item in (*extraction.certain, *extraction.uncertain))


def worth(message: dict[str, Any], extraction: Extraction) -> tuple[int, int, int]:
    """Return how many certain items are right, how many wrong, and how many uncertain ones right."""
    if "certain" not in message:
        return 0, 0, 0
    if message.get("loose"):
        certain, uncertain = score([message], lambda _: extraction)
        return certain["all"].right, certain["all"].wrong, uncertain["all"].right
    sure, unsure = Tally(), Tally()
    compare(extraction.certain, message["certain"], sure, message)
    compare(extraction.uncertain, message["uncertain"], unsure, message)
    return sure.right, sure.wrong, unsure.right


def count(trial: Trial, read: Sequence[dict[str, Any]], fewest: int) -> Iterator[tuple[Place, list[int], list[int]]]:
    """Yield each pattern that changes fewer messages: which, and by how much right, wrong and asked items grow."""
    results: list[Extraction] = []
    by_place: defaultdict[Place, set[int]] = defaultdict(set)
    for number, message in enumerate(read):
        results.append(trial.read(message))
        for place in trial.fitting:
            by_place[place].add(number)
    for place in dict.fromkeys((*trial.places.values(), *by_place)):
        trial.absent.add(place)
        changed: dict[int, Extraction] = {}
        fitting: dict[int, set[Place]] = {}
        for number in sorted(by_place[place]):
            extraction = trial.read(read[number])
            fitting[number] = trial.fitting
            if told(extraction) != told(results[number]):
                changed[number] = extraction
        gains = [
            sum(after - before for before, after in pairs)
            for pairs in zip(
                *(
                    zip(worth(read[number], results[number]), worth(read[number], changed[number]), strict=True)
                    for number in changed
                ),
                strict=True,
            )
        ] or [0, 0, 0]
        if len(changed) < fewest:
            yield place, sorted(changed), gains
        if changed:
            trial.absent.remove(place)
            continue
        for number, places in fitting.items():
            for other in places:
                by_place[other].add(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fewest", type=int, default=3, help="messages that a pattern has to change")
    options = parser.parse_args()
    trial, read = Trial(), messages()
    for (file, number, part), changed, gains in count(trial, read, options.fewest):
        ids = " | ".join(read[place]["id"] for place in changed)
        growth = f"right {gains[0]:+} wrong {gains[1]:+} asked {gains[2]:+}"
        print(f"{file} {number} {part} changes {len(changed)} {growth} {ids}")


if __name__ == "__main__":
    main()
