"""Everybody's rows, for operators who look for something: slower the more there is."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from zgadka.model.memory import Kind, StoredMemory
from zgadka.model.question import Question
from zgadka.model.timestamps import micros
from zgadka.model.turn import person_number
from zgadka.stores.row_mapping import memory_of
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.questions import Questions, question_of


@dataclass(frozen=True, kw_only=True)
class KnownPerson:
    """A person as an operator sees them in a list.

    Attributes:
        name: The platform's id.
        names: By which they go somewhere.
        memories: How many of theirs are live.
    """

    owner: int
    platform: str
    name: str
    number: int
    names: tuple[str, ...] = ()
    memories: int = 0


class Operator(Topic):
    """Everybody's rows, for operators who look for something: slower the more there is."""

    def list_people(self, after: int, limit: int) -> list[KnownPerson]:
        """The next people, in order of their owner ids, with their names and how much is remembered of them."""
        rows = self._rows("people_known", {"after": after, "limit": limit})
        people = json.dumps([row[0] for row in rows])
        names: dict[int, dict[str, None]] = {}
        for person, name, nickname in self._rows("people_names", {"people": people}):
            names.setdefault(person, {}).update((one, None) for one in (nickname, name) if one)
        counts: dict[int, int] = {row[0]: row[1] for row in self._rows("people_counts", {"people": people})}
        return [
            KnownPerson(
                owner=owner,
                platform=platform,
                name=name,
                number=person_number(platform, name) if number is None else number,
                names=tuple(names.get(owner, ())),
                memories=counts.get(owner, 0),
            )
            for owner, platform, name, number in rows
        ]

    def list_memories(
        self,
        words: Sequence[Sequence[str]],
        *,
        kind: Kind | None,
        type_: str | None,
        space: int | None,
        hidden: bool,
        before: int,
        limit: int,
    ) -> list[StoredMemory]:
        """Memories with an id below `before`, whoever's, newest first.

        Args:
            words: Of each word, what an indexed word begins with (`text.words.word_beginnings`); all must be there.
            space: Where they are seen; None: anywhere.
            hidden: Whether archived and withheld ones count too.
        """
        parameters = {
            "words": json.dumps([list(forms) for forms in words]),
            "kind": kind or "",
            "type": type_ or "",
            "space": space or 0,
            "hidden": int(hidden),
            "before": before,
            "limit": limit,
        }
        return [memory_of(row) for row in self._rows("memories_known", parameters)]

    def list_questions(self, limit: int) -> list[tuple[int, Question]]:
        """The open questions, but for deletions, each with the person asked, oldest first."""
        rows = self._rows("questions_open", {"now": micros(self._tx.now), "limit": limit})
        return [(row[-1], question) for row in rows if Questions(self._tx).is_open(question := question_of(row))]

    def names_of(self, people: Collection[int]) -> dict[int, str]:
        """A name by which each of these people goes somewhere, where there is one."""
        rows = self._rows("people_names", {"people": json.dumps(sorted(people))})
        return {person: nickname or name for person, name, nickname in rows if nickname or name}

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
