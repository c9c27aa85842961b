"""What people are asked: deletions, consent, uncertain memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Question, Scope
from zgadka.model.people import Consent
from zgadka.model.timestamps import micros
from zgadka.model.turn import Turn
from zgadka.stores.row_mapping import from_row, place_parameters, to_row, turn_json
from zgadka.stores.tx.base import ToolCall, Topic


class Confirmations(Topic):
    """Questions whether a memory is really to be deleted."""

    def get(self, scope: Scope, chat: str, memory: int) -> Question | None:
        """The open deletion question about a memory in this chat, expired or not; None when there is none."""
        return self._first(Question, "pending_get", place_parameters(scope, chat) | {"memory": memory})

    def put(self, scope: Scope, question: Question) -> None:
        """Ask, or ask anew, about `question.memory`."""
        self._rows("pending_put", place_parameters(scope, question.chat) | to_row(question))

    def delete(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the question about this memory in this chat."""
        self._rows("pending_remove", place_parameters(scope, chat) | {"memory": memory})

    def delete_others(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the person's questions in this chat about any other memory."""
        self._rows("pending_remove_others", place_parameters(scope, chat) | {"memory": memory})


class Consents(Topic):
    """Questions for people's consent to what others asked for."""

    def ask(self, person: int, space: int, turn: Turn) -> tuple[int, bool]:
        """Keep the tool call that runs until the person agrees.

        Returns:
            The question's id, and whether it is new: the same again is one.
        """
        if self._tx.request is None:
            raise ValueError("consent is asked for tool calls only")
        for consent in self.list(person):
            call, where = ToolCall(consent.tool, consent.version, consent.arguments), consent.turn
            is_here = (where.place, where.chat, where.persona) == (turn.place, turn.chat, turn.persona)
            if call == self._tx.request and is_here and consent.asker == turn.user_key:
                return consent.id, False
        number = self._tx.next_id("consent")
        expires_at = self._tx.now + timedelta(hours=self._tx.settings.consent_hours)
        asked = {"owner": person, "id": number, "asker": turn.user_key, "space": space, "turn": turn_json(turn)}
        times = {"asked_at": micros(self._tx.now), "expires_at": micros(expires_at)}
        self._rows("consent_add", to_row(self._tx.request) | asked | times)
        return number, True

    def list(self, person: int) -> Sequence[Consent]:
        """The open questions for the person's consent, oldest first."""
        return self._all(Consent, "consents", {"owner": person, "now": micros(self._tx.now)})

    def delete(self, person: int, number: int) -> None:
        """Drop the question."""
        self._rows("consent_remove", {"owner": person, "id": number})


class Questions(Topic):
    """Questions whether uncertain memories are to be saved."""

    def put(self, person: int, question: SaveQuestion) -> None:
        """Ask, or keep what has become of the question."""
        self._rows("question_put", {"owner": person} | to_row(question))

    def get(self, person: int, question_id: str) -> SaveQuestion | None:
        """One of the person's questions, open or not; None when it is not theirs."""
        return self._first(SaveQuestion, "question_get", {"owner": person, "id": question_id})

    def list(self, person: int) -> Sequence[SaveQuestion]:
        """The person's questions, open or not, oldest first."""
        return self._all(SaveQuestion, "questions", {"owner": person})

    def list_due(self, now: datetime, limit: int, platform: str | None = None) -> Sequence[tuple[int, SaveQuestion]]:
        """At most `limit` questions past half of their time that nobody was reminded of, each with its person."""
        rows = self._rows("questions_due", {"now": micros(now), "limit": limit, "platform": platform})
        return [(row[-1], from_row(SaveQuestion, row)) for row in rows]
