"""Everybody's rows, for operators who look for something: slower the more there is."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Literal, NamedTuple

from zgadka.model.memory import Action, Kind, Owner, StoredMemory
from zgadka.model.question import Question
from zgadka.model.timestamps import micros, moment
from zgadka.model.turn import person_number
from zgadka.stores.row_mapping import Value, memories_of, readable
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.questions import Questions, question_of

Sort = Literal["new", "old", "sure", "unsure"]
_LAST = 2**53 - 1
_FORMS = ("form_a", "form_b", "form_c")
"""So many forms of the longest word are looked for in every row before the rest."""


@dataclass(frozen=True, kw_only=True)
class KnownPerson:
    """A person as an operator sees them in a list.

    Attributes:
        name: The platform's id.
        names: By which they go somewhere.
    """

    owner: int
    platform: str
    name: str
    number: int
    names: tuple[str, ...] = ()


class Cursor(NamedTuple):
    """After which memory a list goes on: by what the list is sorted, and the memory's id."""

    value: float
    id: int


FIRST = Cursor(float(2**62), _LAST)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which memories an operator looks for.

    Attributes:
        words: Of each word, what an indexed word begins with (`text.words.word_beginnings`); all must be there.
        space: Where they are seen; None: anywhere.
        since: Changed from then on.
        confidence: The lowest and the highest.
        hidden: Whether archived and withheld ones count too.
    """

    words: Sequence[Sequence[str]] = ()
    kind: Kind | None = None
    type: str | None = None
    space: int | None = None
    since: datetime | None = None
    confidence: tuple[float, float] = (0.0, 1.0)
    hidden: bool = False
    sort: Sort = "new"

    def cursor(self, memory: StoredMemory) -> Cursor:
        """Where a list goes on that came to this memory."""
        changed = float(micros(memory.updated_at))
        by_sort = {"new": changed, "old": -changed, "sure": memory.confidence, "unsure": -memory.confidence}
        return Cursor(by_sort[self.sort], memory.id)


class Line(NamedTuple):
    """A line of anybody's trail, without the texts. Its first columns say where it stands in the order of lines."""

    at: datetime
    memory: int
    number: int
    owner: int
    actor: str
    action: Action
    reason: str | None
    change: int | None


class Stay(NamedTuple):
    """That a person is or was in a space."""

    space: int
    name: str | None
    role: str | None
    left_at: datetime | None


class Operator(Topic):
    """Everybody's rows, for operators who look for something: slower the more there is."""

    def list_people(self, after: int, limit: int) -> list[KnownPerson]:
        """The next people, in order of their owner ids, with their names; no bots."""
        rows = self._rows("people_known", {"after": after, "limit": limit})
        people = json.dumps([row[0] for row in rows])
        names: dict[int, dict[str, None]] = {}
        for person, name, nickname in self._rows("people_names", {"people": people}):
            names.setdefault(person, {}).update((name_used, None) for name_used in (nickname, name) if name_used)
        return [
            KnownPerson(
                owner=owner,
                platform=platform,
                name=name,
                number=person_number(platform, name) if number is None else number,
                names=tuple(names.get(owner, ())),
            )
            for owner, platform, name, number in rows
        ]

    def memories_of(self, people: Collection[int]) -> dict[int, int]:
        """How many live memories these people have."""
        return dict(self._rows("people_counts", {"people": json.dumps(sorted(people))}))

    def list_memories(self, wanted: Wanted, after: Cursor, limit: int) -> list[StoredMemory]:
        """Memories, whoever's, as they are sorted, from after the cursor on."""
        words = [_shortest(forms) for forms in wanted.words]
        rarest = max(words, key=lambda forms: min(map(len, forms)), default=list[str]())
        forms = [f" {form}" for form in rarest] if len(rarest) <= len(_FORMS) else []
        slots: dict[str, Value] = dict(zip_longest(_FORMS, forms, fillvalue=""))
        parameters = slots | {
            "words": json.dumps(words),
            "kind": wanted.kind or "",
            "type": wanted.type or "",
            "space": wanted.space or 0,
            "since": 0 if wanted.since is None else micros(wanted.since),
            "unsurest": wanted.confidence[0],
            "surest": wanted.confidence[1],
            "hidden": int(wanted.hidden),
            "sort": wanted.sort,
            "value": after.value,
            "before": after.id,
            "limit": limit,
        }
        return memories_of(self._rows("memories_known", parameters))

    def list_events(
        self, *, since: datetime, actor: str, action: str, acts: bool, before: Line | None, limit: int
    ) -> list[Line]:
        """What happened from a time on, whoever's, the newest first.

        Args:
            actor: Who did it, as the platform calls them; empty: anybody.
            action: What was done; empty: anything.
            acts: Whether what operators and people did beside memories is meant, and not what happened to memories.
            before: The last line that was listed.
        """
        parameters = {
            "since": micros(since),
            "actor": actor,
            "action": action,
            "acts": int(acts),
            "before": _LAST if before is None else micros(before.at),
            "memory": 0 if before is None else before.memory,
            "number": 0 if before is None else before.number,
            "limit": limit,
        }
        rows = self._rows("events_known", parameters)
        return [Line(moment(row[3]), row[1], row[2], row[0], *row[4:]) for row in rows]

    def changes_by(self, actor: str, platform: str, *, after: datetime, until: datetime) -> list[tuple[int, int, int]]:
        """What somebody did to people's memories in a time, oldest first: owner, memory, and number of the line."""
        times = {"after": micros(after), "until": micros(until)}
        return [tuple(row[:3]) for row in self._rows("events_by", {"actor": actor, "platform": platform, **times})]

    def list_questions(self, limit: int) -> list[tuple[int, Question]]:
        """The open questions, but for deletions, each with the person asked, oldest first."""
        rows = self._rows("questions_open", {"now": micros(self._tx.now), "limit": limit})
        questions = readable(lambda row: (row[-1], question_of(row)), rows, "question")
        return [(owner, question) for owner, question in questions if Questions(self._tx).is_open(question)]

    def names_of(self, people: Iterable[int]) -> dict[int, str]:
        """A name by which each of these people goes somewhere, where there is one."""
        rows = self._rows("people_names", {"people": json.dumps(sorted(set(people)))})
        return {person: nickname or name for person, name, nickname in rows if nickname or name}

    def list_spaces(self, after: int, limit: int) -> list[Owner]:
        """The next spaces, in order of their ids."""
        return self._all(Owner, "spaces_known", {"after": after, "limit": limit})

    def seen_in_spaces(self) -> dict[int, int]:
        """How many memories are seen in each space."""
        return dict(self._rows("space_counts", {}))

    def people_in_spaces(self) -> dict[int, int]:
        """How many people are in each space."""
        return dict(self._rows("member_counts", {}))

    def list_stays(self, person: int) -> list[Stay]:
        """Where a person is or was."""
        return [
            Stay(space, nickname or name, role, None if left_at is None else moment(left_at))
            for space, name, nickname, role, left_at in self._rows("places_of_person", {"person": person})
        ]

    def list_members(self, space: int, limit: int) -> list[tuple[int, str | None, str | None, int]]:
        """Some people of a space: the id, the name and the role there, and the privacy level."""
        return [tuple(row) for row in self._rows("members_known", {"owner": space, "limit": limit})]

    def counts_by_kind(self) -> Mapping[str, int]:
        """How many live memories of each kind there are, and how many people and spaces; told at once."""
        return dict(self._rows("kind_counts", {})) | dict(self._rows("owner_counts", {}))

    def grown(self, step: timedelta) -> list[tuple[str, datetime, int]]:
        """How many live memories of each kind were made in each step of time, by when that began."""
        length = step // timedelta(microseconds=1)
        return [
            (kind, moment(number * length), count)
            for kind, number, count in self._rows("memories_grown", {"step": length})
        ]

    def storage_bytes(self) -> int:
        """How much room the database takes."""
        return self._value("storage_size", {})

    def platforms_with_readers(self) -> set[str]:
        """The platforms of whose chats somebody named readers, for once."""
        return set(self._column("platforms_with_readers", {}))

    def spaces_of_several_chats(self) -> dict[str, int]:
        """By platform, how many spaces have messages or memories of more than one chat."""
        return dict(self._rows("spaces_of_several_chats", {}))

    def platforms_with_given(self) -> set[str]:
        """The platforms with an answer that says which memories it was given."""
        return set(self._column("platforms_with_given", {}))

    def answers_after_memories(self) -> dict[str, int]:
        """By platform, how many answers could have been given a memory."""
        return dict(self._rows("answers_after_memories", {}))


def _shortest(forms: Sequence[str]) -> list[str]:
    """The same without what begins with another of them, and so is found with that."""
    return [form for form in forms if not any(shorter != form and form.startswith(shorter) for shorter in forms)]
