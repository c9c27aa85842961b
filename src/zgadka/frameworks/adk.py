"""A memory service for Google's Agent Development Kit: `Runner(memory_service=ZgadkaMemoryService(memory))`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from google.adk.events.event import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.result import memory_ids
from zgadka.model.turn import Turn

Place = Callable[[str, str, str | None], Turn]
"""Makes a turn of the app's name, the user's id and the session's id, which the host gave to the runner."""


def direct_chat(app_name: str, user_id: str, session_id: str | None) -> Turn:
    """A turn of the user's direct chat with the app: one chat, whatever the session, that nobody else sees."""
    return Turn(platform=app_name, space=user_id, chat=user_id, user=user_id, direct=True)


class ZgadkaMemoryService(BaseMemoryService):
    """Keeps what users say in sessions and finds what is remembered about them.

    Memories are made only of what users wrote; the agent's words are kept as messages for as long as any message.
    Deleting is the users' own business (the tool `forget`), so `delete_memory` is not offered.
    """

    def __init__(self, memory: Memory, place: Place = direct_chat, *, limit: int = 10) -> None:
        """Make the service.

        Args:
            place: Where users and sessions are; default: each user alone with the app.
            limit: How many memories, and how many messages, a search finds at most.
        """
        self._memory = memory
        self._place = place
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Look at all messages of the session; what was looked at before does nothing."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Look at some messages of a session.

        What the agent says is kept with the memories that the session's tools had told it of, as far as they are here.
        """
        base = self._place(app_name, user_id, session_id)
        given: list[int] = []
        said: str | None = None
        for event in events:
            given += _told(event)
            text = _text(event.content)
            if not text.strip() or event.partial:
                continue
            turn = replace(base, message=event.id, time=datetime.fromtimestamp(event.timestamp, UTC))
            if event.author == "user":
                said = text
                await self._memory.observe(text, replace(turn, text=text), ask=False)
            else:  # the answer to what is off the record is, too
                await self._memory.record("assistant", text, replace(turn, text=said), given=given)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember texts as they are, as the tool `remember` does.

        Raises:
            InvalidInput: One of them was refused; the text says why. Those before it are remembered.
        """
        turn = self._place(app_name, user_id, None)
        for entry in memories:
            # The program remembers here, not a model.
            result = await self._memory.call("remember", {"content": _text(entry.content)}, turn, by_hand=True)
            if result.status not in ("success", "skipped", "queued"):
                raise InvalidInput(f"not remembered ({result.status}): {result.message}")

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Find what is remembered about the user, and what was said, best first."""
        turn = self._place(app_name, user_id, None)
        result = await self._memory.recall(turn=turn, query=query, limit=self._limit)
        if result.status != "success":
            raise InvalidInput(f"nothing was looked up ({result.status}): {result.message}")
        memories = [
            MemoryEntry(
                id=str(item["memory_id"]),
                content=_said(item["content"]),
                timestamp=item["created_at"],
                custom_metadata={"memory_id": item["memory_id"]},  # a session keeps it with the tool's answer
            )
            for item in result["memories"]
        ]
        messages = [
            MemoryEntry(
                content=_said(item["text"]),
                author="model" if item["said_by"] == "assistant" else "user",
                timestamp=item["at"],
            )
            for item in result.get("messages", ())
        ]
        return SearchMemoryResponse(memories=memories + messages)


def _said(text: str) -> types.Content:
    return types.Content(parts=[types.Part(text=text)])


def _told(event: Event) -> Iterator[int]:
    """The ids of the memories that a tool, of ADK or the program's own, told the agent of."""
    for response in event.get_function_responses():
        yield from memory_ids(response.model_dump(mode="json", include={"response"}))


def _text(content: types.Content | None) -> str:
    """What was said; no thoughts, no calls of tools."""
    parts = (content.parts if content is not None else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
