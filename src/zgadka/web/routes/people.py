"""What people decide for themselves: privacy, export, erasure, questions, consent; and who is where."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from zgadka.errors import InvalidInput
from zgadka.model.people import Member, Title
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import person_number
from zgadka.ops.personal_links import make_link
from zgadka.web import serialize
from zgadka.web.auth import memory_of
from zgadka.web.problem import Problem
from zgadka.web.routes.memories import refused
from zgadka.web.routes.tools import result
from zgadka.web.routes_base import Door, Reply, ServiceDoor, listing, speaker
from zgadka.web.schemas import (
    Acting,
    AnswerSaid,
    ConsentSaid,
    EraseSaid,
    Many,
    MemberSaid,
    MuteSaid,
    PrivacySaid,
    ReadersSaid,
    RemindSaid,
    Result,
    TitlesSaid,
    body_of,
    results,
)
from zgadka.web.serialize import CODES

own = APIRouter(prefix="/v1/me", tags=["people"], route_class=Door)
hosts = APIRouter(prefix="/v1", tags=["people"], route_class=ServiceDoor)

NDJSON = "application/x-ndjson"
LINK_LASTS = timedelta(hours=1)

QuestionId = Annotated[str, Path(min_length=1, max_length=64)]


@own.get("/privacy", summary="How much the speaker wants to be remembered", response_model=dict[str, str])
async def privacy(request: Request) -> Response:
    """Tell the speaker's privacy level: minimal, partial or full."""
    level = await memory_of(request).privacy(speaker(request), grant=request.state.grant)
    return Reply({"level": level.name.lower()})


@own.put("/privacy", summary="Set how much the speaker wants to be remembered", response_model=dict[str, str])
async def set_privacy(request: Request, body: PrivacySaid) -> Response:
    """Set the speaker's privacy level; theirs to say, never a model's.

    It is raised anywhere and lowered in their direct chat alone. A token that is bound to a space raises it there only.
    """
    level = PrivacyLevel[body.level.upper()]
    await memory_of(request).set_privacy(level, speaker(request, body.said), grant=request.state.grant)
    return Reply({"level": body.level})


@own.get("/export", summary="All that is the speaker's", **body_of(NDJSON))
async def export(request: Request) -> Response:
    """Export all that is the speaker's, at every privacy level, one JSON object a line; hand it to nobody else.

    In their direct chat alone.
    """
    lines = await memory_of(request).export(speaker(request), grant=request.state.grant)
    return Response("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"), media_type=NDJSON)


@own.post("/erase", summary="Erase everything about the speaker", response_model=dict[str, Any])
async def erase(request: Request, body: EraseSaid) -> Response:
    """Erase every trace of the speaker, in every space, for good; the answer is a receipt with numbers only.

    In their direct chat alone.
    """
    turn = speaker(request, body.said)
    if body.confirm != turn.user_key:
        raise InvalidInput("confirm must be the id of the person who is to be erased")
    receipt = await memory_of(request).erase(turn, grant=request.state.grant)
    return Reply(serialize.fields(receipt, "erased_at scrubbed counts"))


@own.post("/link", summary="A link to the speaker's own page", response_model=dict[str, str])
async def link(request: Request, body: Acting) -> Response:
    """Make a link to the page of the dashboard where the speaker sees and changes all that is theirs.

    It opens once, within an hour, and ends with the token that made it.

    In their direct chat alone, where nobody else reads it.
    """
    turn = speaker(request, body.said)
    await memory_of(request).permit("make_link", turn, request.state.grant)
    made_by = partial(make_link, token=request.state.grant.token)
    text = await memory_of(request).apply(made_by, turn.platform, turn.user_key, LINK_LASTS)
    return Reply({"url": f"{str(request.base_url).rstrip('/')}/me/{text}"})


@own.get("/questions", summary="Open questions about uncertain memories", response_model=Many)
async def questions(request: Request) -> Response:
    """List the speaker's open questions, oldest first; in their direct chat alone."""
    open_questions = await memory_of(request).questions(speaker(request), grant=request.state.grant)
    return listing(questions=map(serialize.question, open_questions))


@own.post("/questions/{question}", summary="Answer such a question", **results(403, 409, 410, 503))
async def answer(request: Request, question: QuestionId, body: AnswerSaid) -> Response:
    """Save or skip what a question is about, as the speaker says: where it was asked, or in their direct chat."""
    turn, answers = speaker(request, body.said), body.model_dump(exclude={"turn"})
    outcome = await memory_of(request).answer_question(question, turn, **answers, grant=request.state.grant)
    return Reply(serialize.answered(outcome), serialize.code_of(outcome.status))


@own.get("/consents", summary="Changes by others that wait for consent", response_model=Many)
async def consents(request: Request) -> Response:
    """List the changes by others to the speaker's memories that wait for their consent, oldest first.

    Each with what would be changed now, and its `mark`. In their direct chat alone.
    """
    waiting = await memory_of(request).proposals(speaker(request), grant=request.state.grant)
    return listing(consents=(serialize.consent(*pending) for pending in waiting))


@own.post("/consents/{number}", summary="Agree or refuse", **results(*CODES))
async def consent(request: Request, number: Annotated[int, Path(ge=1, lt=2**53)], body: ConsentSaid) -> Response:
    """Answer such a question, where it was asked or in the direct chat: the change is made now, or never.

    Agreeing takes the `mark` of what the speaker was shown; `confirmation_required` tells what would be changed now.
    """
    turn = speaker(request, body.said)
    answer_result = await memory_of(request).answer_consent(
        number, body.agrees, turn, mark=body.mark, grant=request.state.grant
    )
    if answer_result is None:
        return refused("not_found", "No such question waits for the speaker.")
    return result(answer_result)


@own.get("/mutes", summary="Whose requests are refused", response_model=Many)
async def mutes(request: Request) -> Response:
    """List the ids of those whose requests for consent the speaker wants none of; in their direct chat alone."""
    return listing(muted=await memory_of(request).muted(speaker(request), grant=request.state.grant))


@own.put("/mutes/{user}", summary="Refuse a person's requests, or take them again", response_model=Result)
async def mute(request: Request, user: Annotated[str, Path(min_length=1, max_length=255)], body: MuteSaid) -> Response:
    """Have a person ask the speaker for no more consents, or let them again; what waits is refused."""
    turn, grant = speaker(request, body.said), request.state.grant
    if not await memory_of(request).mute(user, turn, muted=body.muted, grant=grant):
        return refused("not_found", "No such person is known.")
    return Reply({"status": "success"})


@hosts.post("/reminders", summary="Take the reminders that are due", response_model=Many)
async def reminders(request: Request, body: RemindSaid) -> Response:
    """Take the questions whose people should be reminded now; each is given once. For services without bounds."""
    grant = request.state.grant
    if grant.spaces or grant.people or not grant.direct or (grant.platforms and body.platform not in grant.platforms):
        raise Problem(403, "Reminders are for a service that may act for everybody of the platform.")
    due = await memory_of(request).due_reminders(body.limit, platform=body.platform)
    return listing(questions=map(serialize.question, due))


@hosts.put("/members", summary="Report a member of a space", response_model=Result)
async def member(request: Request, body: MemberSaid) -> Response:
    """Keep what the host knows of a member of a space; a later report replaces an earlier one."""
    user = str(body.user)
    grant = request.state.grant
    # A role lets its member change what is common.
    if grant.people or not grant.enters(body.platform, "space", body.space):
        raise Problem(403, "Members are reported by a service that may act for everybody of the space.")
    known = body.model_dump(include={"name", "nickname", "kind", "role", "left_at"})
    reported = Member(user=user, number=person_number(body.platform, user), **known)
    await memory_of(request).report_member(body.platform, body.space, reported)
    return Reply({"status": "success"})


@hosts.put("/readers", summary="Report who reads the chats of a space", response_model=Result)
async def readers(request: Request, body: ReadersSaid) -> Response:
    """Keep who reads the chats; what was said in one that fewer people read now is told to these alone from now on."""
    grant = request.state.grant
    if grant.people or not grant.enters(body.platform, "space", body.space):
        raise Problem(403, "Readers are reported by a service that may act for everybody of the space.")
    await memory_of(request).report_readers(body.platform, body.space, body.readers)
    return Reply({"status": "success"})


@hosts.put("/titles", summary="Report what a space and its chats are called", response_model=Result)
async def titles(request: Request, body: TitlesSaid) -> Response:
    """Keep what the platform calls a space, its chats and threads; what is not named stays as it is."""
    grant = request.state.grant
    if grant.people or not grant.enters(body.platform, "space", body.space):
        raise Problem(403, "Titles are reported by a service that may act for everybody of the space.")
    said = [] if body.title is None else [Title(text=body.title)]
    said += [Title(chat=chat.chat, thread=chat.thread or "", text=chat.text) for chat in body.chats]
    await memory_of(request).report_titles(body.platform, body.space, said)
    return Reply({"status": "success"})
