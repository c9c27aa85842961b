"""What people are asked: deletions, consent, uncertain memories; and whose questions they want none of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields
from datetime import timedelta
from typing import Any

from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Owner
from zgadka.model.people import Consent
from zgadka.model.question import Deletion, Question
from zgadka.model.timestamps import micros
from zgadka.model.turn import Turn
from zgadka.stores.row_mapping import Row, Value, from_row, readable, to_row, turn_json
from zgadka.stores.sql import QUESTION_COLUMNS
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.people import Owners

Slot = tuple[int, str]
"""Space and chat where a deletion is asked."""

_MARK_BYTES = 4
"""Of a proposal's mark."""
_KINDS: dict[str, type[Question]] = {"consent": Consent, "save": SaveQuestion}
_STORED = {"arguments": "content", "items": "content", "together": "content", "asked_again_in": "tool"}
"""The columns of fields that are called otherwise."""
_EMPTY: dict[str, Value] = dict.fromkeys(QUESTION_COLUMNS) | {"memory": 0, "requests": 1}


def question_of(row: Row) -> Question:
    """The question that a row holds, whose first columns are `QUESTION_COLUMNS`."""
    columns: dict[str, Any] = dict(zip(QUESTION_COLUMNS, row, strict=False))
    kind = _KINDS.get(columns["kind"], Deletion)
    if kind is Consent:
        columns["id"] = int(columns["id"])
        columns["mark"] = None if columns["mark"] is None else int.from_bytes(columns["mark"], "big")
    return from_row(kind, tuple(columns[_STORED.get(field.name, field.name)] for field in fields(kind)))


def questions_of(rows: Iterable[Row]) -> Sequence[Question]:
    """The questions that rows hold; one that cannot be read is left out."""
    return readable(question_of, rows, "question")


class Questions(Topic):
    """What waits for people's answers, and whose questions they want none of."""

    def lasts(self, kind: type[Question]) -> timedelta:
        """For how long a question waits for its answer."""
        settings = self._tx.settings
        if kind is Deletion:
            return timedelta(seconds=settings.confirmation_seconds)
        return timedelta(hours=settings.consent_hours if kind is Consent else settings.question_hours)

    def is_open(self, question: Question) -> bool:
        """Whether it waits for an answer; a deletion that was asked later than now does not: the clock went back."""
        is_answered = isinstance(question, SaveQuestion) and not question.open_items
        remaining = question.expires_at - self._tx.now
        is_of_now = not isinstance(question, Deletion) or remaining <= self.lasts(Deletion)
        return not is_answered and timedelta(0) < remaining and is_of_now

    def get(self, person: int, question_id: str | int) -> Question | None:
        """One of the person's questions, open or not; None when it is not theirs."""
        questions = questions_of(self._rows("question_get", {"owner": person, "id": str(question_id)}))
        return questions[0] if questions else None

    def list(self, person: int) -> Sequence[Question]:
        """The person's questions, open or not, oldest first."""
        return questions_of(self._rows("questions", {"owner": person}))

    def find_deletion(self, person: int, slot: Slot, memory: int) -> Deletion | None:
        """The question there about a memory, or about everything (0), open or not; None when there is none."""
        questions = questions_of(self._rows("question_of_memory", _place(person, slot) | {"memory": memory}))
        return next((question for question in questions if isinstance(question, Deletion)), None)

    def put(self, person: int, question: Question) -> None:
        """Ask, or keep what has become of the question."""
        row = {_STORED.get(name, name): value for name, value in to_row(question).items()}
        if isinstance(question, Deletion):
            slot = (question.space, question.chat)
            self.delete_deletion(person, slot, question.memory, but=question.id)
        elif isinstance(question, Consent):
            mark = None if question.mark is None else question.mark.to_bytes(_MARK_BYTES, "big")
            row |= {"kind": "consent", "id": str(question.id), "mark": mark}
        else:
            row["kind"] = "save"
        self._rows("question_put", _EMPTY | row | {"owner": person})

    def ask_consent(self, person: int, space: int, turn: Turn) -> int:
        """Keep the tool call that runs until the person agrees; returns the question's id."""
        number, call = self._tx.next_id("consent"), self._tx.request
        if call is None:
            raise ValueError("consent is asked for tool calls only")
        asked = {"owner": person, "id": str(number), "kind": "consent", "space": space, "asker": turn.user_key}
        expires_at = self._tx.now + self.lasts(Consent)
        times = {"asked_at": micros(self._tx.now), "expires_at": micros(expires_at)}
        row = to_row(call)
        row["content"] = row.pop("arguments")
        row["turn"] = turn_json(turn)
        self._rows("question_put", _EMPTY | row | asked | times)
        return number

    def delete(self, person: int, question_id: str | int) -> None:
        """Drop the question."""
        self._rows("question_remove", {"owner": person, "id": str(question_id)})

    def delete_deletion(self, person: int, slot: Slot, memory: int, *, but: str = "") -> None:
        """Drop the question there about a memory, unless it has the id `but`."""
        self._rows("question_remove_of_memory", _place(person, slot) | {"memory": memory, "but": but})

    def delete_all(self, person: int) -> int:
        """Drop all of the person's questions; returns how many."""
        return len(self._rows("erase_questions", {"owner": person}))

    def owners_asked_in(self, space: Owner, names: Collection[str]) -> set[int]:
        """Whoever was asked something in a space, which has or had these names. Asks everywhere."""
        asked = self._rows("owners_asked_in", {"platform": space.platform, "space": space.id})
        turns = [(owner, None if turn is None else Turn.from_json(json.loads(turn))) for owner, turn in asked]
        return {owner for owner, turn in turns if turn is None or (not turn.direct and turn.space in names)}

    def move(self, person: int, question_id: str | int, into: int, turn: Turn) -> None:
        """Let the question be asked in another space, in this turn."""
        place: dict[str, Value] = {"owner": person, "id": str(question_id)}
        self._rows("question_move", place | {"into": into, "turn": turn_json(turn)})

    def list_due(self, limit: int, platform: str | None = None) -> Sequence[tuple[int, SaveQuestion]]:
        """At most `limit` questions past half of their time that nobody was reminded of, each with its person."""
        rows = self._rows("questions_due", {"now": micros(self._tx.now), "limit": limit, "platform": platform})
        questions = readable(lambda row: (row[-1], question_of(row)), rows, "question")
        return [(person, question) for person, question in questions if isinstance(question, SaveQuestion)]

    # Whose questions a person wants none of

    def mute(self, person: int, asker: int) -> None:
        """Have the person asked nothing more by this one."""
        self._rows("mute_put", {"owner": person, "asker": asker})

    def unmute(self, person: int, asker: int) -> None:
        """Let this one ask the person again."""
        self._rows("mute_remove", {"owner": person, "asker": asker})

    def muted(self, person: int) -> dict[int, str]:
        """Whose questions the person wants none of, each with their platform's id."""
        askers = self._column("mutes", {"owner": person})
        return {asker: owner.name for asker, owner in Owners(self._tx).get_many(askers).items()}


def _place(person: int, slot: Slot) -> dict[str, Value]:
    space, chat = slot
    return {"owner": person, "space": space, "chat": chat}
