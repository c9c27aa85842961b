"""The stream of what happens."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from zgadka.web.auth import Doors, said_in_headers
from zgadka.web.events import events
from zgadka.web.problem import Problem
from zgadka.web.routes_base import Door, speaker

router = APIRouter(prefix="/v1", tags=["events"], route_class=Door)

BEAT_SECONDS = 15.0


@router.get(
    "/events",
    summary="What happens, as it happens",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def listen(request: Request) -> Response:
    """Listen to changes that this process makes, as server-sent events.

    With a person in the headers (or a person's token), what is that person's, as it is seen there; without, all that
    the service may see. What is in an event is for the person or space that it names, and for nobody else.
    """
    doors: Doors = request.app.state.doors
    grant = request.state.grant
    headers = said_in_headers(request.scope)
    turn = speaker(request) if headers or grant.role == "person" else None

    async def is_good() -> bool:
        try:
            return await doors.grant(request.scope) == grant
        except Problem:
            return False

    stream = events(
        doors.memory,
        grant,
        turn,
        beat_seconds=BEAT_SECONDS,
        is_good=is_good,
        closing=request.app.state.closing,
    )
    return StreamingResponse(stream, headers={"x-accel-buffering": "no"}, media_type="text/event-stream")
