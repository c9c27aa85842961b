"""What people are asked: deletions, consent, uncertain memories."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Question, Scope
from zgadka.model.moments import micros, micros_or_none, moment, moment_or_none
from zgadka.model.people import Consent
from zgadka.model.turn import Turn
from zgadka.stores.base import Base, ToolCall
from zgadka.stores.rows import consent_of, place_parameters, question_columns, question_of, turn_json


class Asked(Base):
    """What people are asked: deletions, consent, uncertain memories."""

    def question(self, scope: Scope, chat: str, memory: int) -> Question | None:
        """The open deletion question about a memory in this chat, expired or not; None when there is none."""
        rows = self._rows("pending_get", place_parameters(scope, chat) | {"memory": memory})
        if not rows:
            return None
        memory, chat, content_hash, turn, said_at, requests, expires_at = rows[0]
        return Question(
            memory=memory,
            chat=chat,
            content_hash=content_hash,
            turn=turn,
            said_at=moment_or_none(said_at),
            requests=requests,
            expires_at=moment(expires_at),
        )

    def put_question(self, scope: Scope, question: Question) -> None:
        """Ask, or ask anew, about `question.memory`."""
        self._rows(
            "pending_put",
            place_parameters(scope, question.chat)
            | {
                "memory": question.memory,
                "content_hash": question.content_hash,
                "turn": question.turn,
                "said_at": micros_or_none(question.said_at),
                "requests": question.requests,
                "expires_at": micros(question.expires_at),
            },
        )

    def close_question(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the question about this memory in this chat."""
        self._rows("pending_remove", place_parameters(scope, chat) | {"memory": memory})

    def close_other_questions(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the person's questions in this chat about any other memory."""
        self._rows("pending_remove_others", place_parameters(scope, chat) | {"memory": memory})

    def ask_consent(self, person: int, space: int, turn: Turn) -> tuple[int, bool]:
        """Keep the tool call that runs until the person agrees.

        Returns:
            The question's id, and whether it is new: the same again is one.
        """
        if self.request is None:
            raise ValueError("consent is asked for tool calls only")
        for asked in self.consents_asked(person):
            call, where = ToolCall(asked.tool, asked.version, asked.arguments), asked.turn
            is_here = (where.place, where.chat, where.persona) == (turn.place, turn.chat, turn.persona)
            if call == self.request and is_here and asked.asker == turn.user_name:
                return asked.id, False
        number = self.next_id("consent")
        hours = self.settings.consent_hours
        self._rows(
            "consent_add",
            {
                "owner": person,
                "id": number,
                "asker": turn.user_name,
                "space": space,
                "tool": self.request.tool,
                "version": self.request.version,
                "arguments": json.dumps(self.request.arguments, ensure_ascii=False),
                "turn": turn_json(turn),
                "asked_at": micros(self.now),
                "expires_at": micros(self.now + timedelta(hours=hours)),
            },
        )
        return number, True

    def consents_asked(self, person: int) -> list[Consent]:
        """The open questions for the person's consent, oldest first."""
        return [consent_of(row) for row in self._rows("consents", {"owner": person, "now": micros(self.now)})]

    def close_consent(self, person: int, number: int) -> None:
        """Drop the question."""
        self._rows("consent_remove", {"owner": person, "id": number})

    def put_save_question(self, person: int, question: SaveQuestion) -> None:
        """Ask, or keep what has become of the question."""
        self._rows("question_put", {"owner": person} | question_columns(question))

    def save_question(self, person: int, question_id: str) -> SaveQuestion | None:
        """One of the person's questions, open or not; None when it is not theirs."""
        rows = self._rows("question_get", {"owner": person, "id": question_id})
        return question_of(rows[0]) if rows else None

    def save_questions(self, person: int) -> list[SaveQuestion]:
        """The person's questions, open or not, oldest first."""
        return [question_of(row) for row in self._rows("questions", {"owner": person})]

    def save_questions_due(
        self, now: datetime, limit: int, platform: str | None = None
    ) -> list[tuple[int, SaveQuestion]]:
        """At most `limit` questions past half of their time that nobody was reminded of, each with its person."""
        rows = self._rows("questions_due", {"now": micros(now), "limit": limit, "platform": platform})
        return [(row[-1], question_of(row)) for row in rows]
