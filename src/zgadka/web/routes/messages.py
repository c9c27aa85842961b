"""What is said in a chat, and what a model should have in mind there."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from zgadka.web import shown
from zgadka.web.door import Door, Reply, speaker
from zgadka.web.problem import Problem
from zgadka.web.schemas import ContextSaid, Many, MessageSaid, ObserveSaid, SearchSaid

router = APIRouter(prefix="/v1", tags=["messages"], route_class=Door)


@router.post("/messages", summary="Keep a message", response_model=dict[str, Any])
async def record(request: Request, said: MessageSaid) -> Response:
    """Keep one message of the chat; `message_id` is null when its person is invisible to memory."""
    if said.role == "assistant" and request.state.grant.role == "person":
        raise Problem(403, "A person does not speak for the assistant.")
    kept = await request.app.state.doors.memory.record(said.role, said.text, speaker(request, said.said))
    return Reply({"message_id": kept})


@router.post("/messages/observe", summary="Learn from a message", response_model=dict[str, Any])
async def observe(request: Request, said: ObserveSaid) -> Response:
    """Keep what a person wrote, remember what they said for certain, and ask about what they did not."""
    memory, turn = request.app.state.doors.memory, speaker(request, said.said)
    return Reply(shown.observed(await memory.observe(said.text, turn, own_text=said.own_text, ask=said.ask)))


@router.delete("/messages/{message}", summary="Remove a message", response_model=dict[str, Any])
async def unrecord(request: Request, message: Annotated[str, Path(min_length=1, max_length=255)]) -> Response:
    """Remove the message that the platform calls so, since it was deleted there."""
    removed = await request.app.state.doors.memory.unrecord(speaker(request, {"message": message}))
    return Reply({"removed": removed})


@router.get("/messages", summary="The last messages of the chat", response_model=Many)
async def recent(request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = 20) -> Response:
    """List the last messages of the chat and thread, oldest first."""
    found = await request.app.state.doors.memory.recent(speaker(request), limit)
    return Reply({"count": len(found), "messages": [shown.message(one) for one in found]})


@router.post("/messages/search", summary="Search the messages of the chat", response_model=Many)
async def search(request: Request, said: SearchSaid) -> Response:
    """Find the messages of the chat and thread that best answer a question, best first."""
    found = await request.app.state.doors.memory.search_messages(
        said.query,
        speaker(request, said.said),
        said.limit,
        since=said.since,
        until=said.until,
        explain=said.explain,
    )
    return Reply({"count": len(found), "messages": [shown.found_message(one) for one in found]})


@router.post("/context", summary="What a model should have in mind", response_model=dict[str, Any])
async def context(request: Request, said: ContextSaid) -> Response:
    """Build what belongs into the system prompt: five layers within a budget of tokens, quoted as data."""
    built = await request.app.state.doors.memory.build_context(
        speaker(request, said.said),
        said.budget_tokens,
        query=said.query,
        language=said.language,
        without_messages=said.without_messages,
    )
    layers = [
        {"name": one.name, "tokens": one.tokens, "memories": one.memories, "messages": one.messages}
        for one in built.layers
    ]
    return Reply({"text": built.text, "tokens": built.tokens, "layers": layers})
