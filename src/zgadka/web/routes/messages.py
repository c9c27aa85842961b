"""What is said in a chat, and what a model should have in mind there."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from zgadka.web import serialize
from zgadka.web.auth import memory_of
from zgadka.web.problem import Problem
from zgadka.web.routes_base import Door, Reply, listing, speaker
from zgadka.web.schemas import ContextSaid, Many, MessageSaid, ObserveSaid, SearchSaid

router = APIRouter(prefix="/v1", tags=["messages"], route_class=Door)


@router.post("/messages", summary="Keep a message", response_model=dict[str, Any])
async def record(request: Request, body: MessageSaid) -> Response:
    """Keep one message of the chat; `message_id` is null when its person is invisible to memory."""
    if body.role == "assistant" and request.state.grant.role == "person":
        raise Problem(403, "A person does not speak for the assistant.")
    turn = speaker(request, body.said)
    message_id = await memory_of(request).record(
        body.role, body.text, turn, given=body.given, grant=request.state.grant
    )
    return Reply({"message_id": message_id})


@router.post("/messages/observe", summary="Learn from a message", response_model=dict[str, Any])
async def observe(request: Request, body: ObserveSaid) -> Response:
    """Keep what a person wrote, remember what they said for certain, and ask about what they did not."""
    memory, turn = memory_of(request), speaker(request, body.said)
    observed = await memory.observe(body.text, turn, own_text=body.own_text, ask=body.ask, grant=request.state.grant)
    return Reply(serialize.observed(observed))


@router.delete("/messages/{message}", summary="Remove a message", response_model=dict[str, Any])
async def unrecord(request: Request, message: Annotated[str, Path(min_length=1, max_length=255)]) -> Response:
    """Remove the message that the platform calls so, since it was deleted there."""
    turn = speaker(request, {"message": message})
    removed = await memory_of(request).unrecord(turn, grant=request.state.grant)
    return Reply({"removed": removed})


@router.get("/messages", summary="The last messages of the chat", response_model=Many)
async def recent(request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = 20) -> Response:
    """List the last messages of the chat and thread, oldest first."""
    messages = await memory_of(request).recent(speaker(request), limit, grant=request.state.grant)
    return listing(messages=map(serialize.message, messages))


@router.post("/messages/search", summary="Search the messages of the chat", response_model=Many)
async def search(request: Request, body: SearchSaid) -> Response:
    """Find the messages of the chat and thread that best answer a question, best first."""
    options = body.model_dump(exclude={"turn", "query", "limit"}) | {"grant": request.state.grant}
    matches = await memory_of(request).search_messages(body.query, speaker(request, body.said), body.limit, **options)
    return listing(messages=map(serialize.found_message, matches))


@router.post("/context", summary="What a model should have in mind", response_model=dict[str, Any])
async def context(request: Request, body: ContextSaid) -> Response:
    """Build what belongs into the system prompt: five layers within a budget of tokens, quoted as data."""
    options = body.model_dump(exclude={"turn", "budget_tokens"}) | {"grant": request.state.grant}
    built = await memory_of(request).build_context(speaker(request, body.said), body.budget_tokens, **options)
    layers = [serialize.fields(layer, "name tokens memories messages") for layer in built.layers]
    return Reply({"text": built.text, "tokens": built.tokens, "layers": layers})
