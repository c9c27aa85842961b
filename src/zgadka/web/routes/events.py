"""What happens, as it happens, to those whom it is for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from zgadka.model.memory import EVERYWHERE, Owner, OwnerKind
from zgadka.model.notification import Notice
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, is_hidden, is_remembered
from zgadka.stores.tx import Tx
from zgadka.web import serialize
from zgadka.web.auth import memory_of, said_in_headers
from zgadka.web.problem import Problem
from zgadka.web.routes_base import Door, speaker
from zgadka.web.schemas import body_of

router = APIRouter(prefix="/v1", tags=["events"], route_class=Door)

BEAT_SECONDS = 15.0
"""How often something is sent, at least, and the listener's grant looked at again."""
_MOST_WAITING = 1000


@router.get("/events", summary="What happens, as it happens", **body_of("text/event-stream"))
async def listen(request: Request) -> Response:
    """Listen to changes that this process makes, as server-sent events.

    With a person in the headers (or a person's token), what is that person's, as it is seen there; without, all that
    the service may see. What is in an event is for the person or space that it names, and for nobody else.
    """
    has_speaker = said_in_headers(request.scope) or request.state.grant.role == "person"
    stream = _events(request, speaker(request) if has_speaker else None)
    return StreamingResponse(stream, headers={"x-accel-buffering": "no"}, media_type="text/event-stream")


async def _events(request: Request, turn: Turn | None) -> AsyncIterator[bytes]:
    """Server-sent events until the listener leaves, falls far behind, or may not listen any more."""
    memory, grant = memory_of(request), request.state.grant
    waiting: asyncio.Queue[Notice] = asyncio.Queue(_MOST_WAITING)
    loop = asyncio.get_running_loop()

    def take(notice: Notice) -> None:
        if notice.what == "learned":  # each of it was created, which is told
            return
        with suppress(asyncio.QueueFull):  # then the listener is told, and has to look for itself
            waiting.put_nowait(notice)

    stop, checked = memory.subscribe(take), loop.time()
    ends = asyncio.ensure_future(request.app.state.closing.wait())
    try:
        yield b": listening\n\n"
        while not waiting.full():
            if loop.time() - checked >= BEAT_SECONDS:
                if not await _is_good(request):
                    return
                checked = loop.time()
                yield b": beat\n\n"
            notice = await _next(waiting, ends)
            if ends.done():
                return
            home = None if notice is None else await memory.look(place_of, notice, grant, turn)
            if notice is not None and home is not None and is_for(notice, home, grant, turn):
                yield event_of(notice, home, turn)
        yield b"event: behind\ndata: {}\n\n"
    finally:
        ends.cancel()
        stop()


async def _is_good(request: Request) -> bool:
    """Whether the grant that the listener came in with still holds."""
    try:
        return await request.app.state.doors.grant(request.scope) == request.state.grant
    except Problem:
        return False


@dataclass(frozen=True)
class Place:
    """Whose rows a notice is about, and where they may be seen.

    Attributes:
        space: None: everywhere.
        readers: The groups of readers there whom it is for; empty: all who read the space.
        is_private: Whether its text is told to nobody here.
    """

    owner: Owner
    space: Owner | None
    readers: tuple[str, ...]
    is_private: bool


def place_of(tx: Tx, notice: Notice, grant: Grant, turn: Turn | None) -> Place | None:
    """Where a notice belongs, for whoever holds the grant; None when its owner is gone."""
    if not tx.owners.exists(notice.owner) or (notice.space != EVERYWHERE and not tx.owners.exists(notice.space)):
        return None
    owner = tx.owners.get(notice.owner)
    person = None if owner.kind == "space" else tx.owners.find("person", owner.platform, owner.name)
    memory = tx.memories.get(notice.owner, notice.memory)
    spaces = _heard_in(tx, notice, grant, turn)
    is_unwanted = person is not None and not all(is_remembered(tx, person, space) for space in spaces)
    if notice.question is not None:
        readers = notice.question.turn.readers
    else:
        readers = tx.audiences.list(notice.space).get(notice.audience, ())
    space = None if notice.space == EVERYWHERE else tx.owners.get(notice.space)
    # Gone since, it is told nobody; a deletion's own text was chosen when it was done.
    is_gone = memory is None and notice.memory != 0 and notice.what != "deleted"
    return Place(owner, space, readers, is_unwanted or is_gone or (memory is not None and is_hidden(tx, memory)))


def _heard_in(tx: Tx, notice: Notice, grant: Grant, turn: Turn | None) -> set[int]:
    """The spaces whose levels count: the notice's; of what is seen everywhere, those where the listener is."""
    if notice.space != EVERYWHERE:
        return {notice.space}
    if turn is not None:
        return {find_space(tx, turn)}
    bound = (tx.owners.find("space", platform, name) for platform in grant.platforms for name in grant.spaces)
    return {EVERYWHERE, *filter(None, bound)}


def is_for(notice: Notice, home: Place, grant: Grant, turn: Turn | None) -> bool:
    """Whether a notice is for whoever holds the grant; with a turn, for its speaker where they are."""
    owner = home.owner
    if turn is not None and not turn.direct and home.readers and not _reads(turn, home):
        return False
    if not notice.personal:
        in_place = turn is None or (owner.platform, (owner.kind, owner.name)) == (turn.platform, turn.place)
        return in_place and owner.kind != "person" and grant.enters(owner.platform, owner.kind, owner.name)
    if not grant.acts_for(owner.platform, owner.name):
        return False
    space = _where(notice, home)
    if turn is not None:
        is_theirs = (owner.platform, owner.name) == (turn.platform, turn.user_key)
        return is_theirs and (turn.direct or space is None or space == turn.place)
    return space is None or grant.enters(owner.platform, *space)


def _reads(turn: Turn, home: Place) -> bool:
    """Whether all who read the turn's chat are among those whom it is for."""
    return bool(turn.readers) and set(turn.readers) <= set(home.readers)


def _where(notice: Notice, home: Place) -> tuple[OwnerKind, str] | None:
    """Where a notice of a person's may be heard besides their direct chat; None: everywhere."""
    if notice.question is not None:
        return notice.question.turn.place
    if notice.consent is not None:  # for the person alone
        return "direct", home.owner.name
    return None if home.space is None else (home.space.kind, home.space.name)


async def _next(waiting: asyncio.Queue[Notice], ends: asyncio.Future[Any]) -> Notice | None:
    """The next notice; None when none came in time, or it ends."""
    comes = asyncio.ensure_future(waiting.get())
    try:
        await asyncio.wait({comes, ends}, timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        return comes.result() if comes.done() else None
    finally:
        comes.cancel()


def event_of(notice: Notice, home: Place, turn: Turn | None) -> bytes:
    """The event for who listens in this turn, or in none: then all who hold the token hear what is for a few."""
    fields: dict[str, Any] = {
        "what": notice.what,
        "memory_id": notice.memory or None,
        "kind": notice.kind,
        "platform": home.owner.platform,
        "owner": serialize.fields(home.owner, "kind name"),
        "space": None if home.space is None else serialize.fields(home.space, "kind name"),
        "actor": notice.actor,
    }
    if not home.is_private and not (home.readers and turn is None):
        fields["preview"] = notice.preview
        fields["question"] = None if notice.question is None else serialize.question(notice.question)
        fields["consent"] = notice.consent
    return f"event: {notice.what}\ndata: {json.dumps(fields)}\n\n".encode()
