"""What people decide for themselves: privacy, export, erasure, questions, consent; and who is where."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from zgadka.errors import InvalidInput
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import person_number
from zgadka.ops.links import make_link
from zgadka.web import shown
from zgadka.web.door import Door, Reply, ServiceDoor, speaker
from zgadka.web.problem import Problem
from zgadka.web.routes.memories import refused
from zgadka.web.routes.tools import result
from zgadka.web.schemas import (
    Acting,
    AnswerSaid,
    ConsentSaid,
    EraseSaid,
    Many,
    MemberSaid,
    PrivacySaid,
    RemindSaid,
    Result,
    results,
)
from zgadka.web.shown import CODES

own = APIRouter(prefix="/v1/me", tags=["people"], route_class=Door)
hosts = APIRouter(prefix="/v1", tags=["people"], route_class=ServiceDoor)

LINK_LASTS = timedelta(hours=1)

QuestionId = Annotated[str, Path(min_length=1, max_length=64)]


@own.get("/privacy", summary="How much the speaker wants to be remembered", response_model=dict[str, str])
async def privacy(request: Request) -> Response:
    """Tell the speaker's privacy level: minimal, partial or full."""
    level = await request.app.state.doors.memory.privacy(speaker(request))
    return Reply({"level": level.name.lower()})


@own.put("/privacy", summary="Set how much the speaker wants to be remembered", response_model=dict[str, str])
async def set_privacy(request: Request, said: PrivacySaid) -> Response:
    """Set the speaker's privacy level; theirs to say, never a model's."""
    level = PrivacyLevel[said.level.upper()]
    await request.app.state.doors.memory.set_privacy(level, speaker(request, said.said))
    return Reply({"level": said.level})


@own.get(
    "/export",
    summary="All that is the speaker's",
    response_class=Response,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export(request: Request) -> Response:
    """Export all that is the speaker's, at every privacy level, one JSON object a line; hand it to nobody else."""
    lines = await request.app.state.doors.memory.export(speaker(request))
    return Response("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"), media_type=NDJSON)


@own.post("/erase", summary="Erase everything about the speaker", response_model=dict[str, Any])
async def erase(request: Request, said: EraseSaid) -> Response:
    """Erase every trace of the speaker, in every space, for good; the answer is a receipt with numbers only."""
    turn = speaker(request, said.said)
    if said.confirm != turn.user_name:
        raise InvalidInput("confirm must be the id of the person who is to be erased")
    receipt = await request.app.state.doors.memory.erase(turn)
    known = {"erased_at": receipt.erased_at.isoformat(), "scrubbed": receipt.scrubbed}
    return Reply(known | {"counts": receipt.counts})


@own.post("/link", summary="A link to the speaker's own page", response_model=dict[str, str])
async def link(request: Request, said: Acting) -> Response:
    """Sign a link to the page of the dashboard where the speaker sees and changes all that is theirs, for an hour.

    In their direct chat alone, where nobody else reads it.
    """
    turn = speaker(request, said.said)
    if not turn.direct:
        raise Problem(403, "A link shows what was said in direct chats too: ask for it in one (`direct`).")
    text = await request.app.state.doors.memory.apply(make_link, turn.platform, turn.user_name, LINK_LASTS)
    return Reply({"url": f"{str(request.base_url).rstrip('/')}/me/{text}"})


@own.get("/questions", summary="Open questions about uncertain memories", response_model=Many)
async def questions(request: Request) -> Response:
    """List the speaker's open questions, oldest first."""
    asked = await request.app.state.doors.memory.questions(speaker(request))
    return Reply({"count": len(asked), "questions": [shown.question(one) for one in asked]})


@own.post(
    "/questions/{question}",
    summary="Answer such a question",
    response_model=Result,
    responses=results(403, 409, 410, 503),
)
async def answer(request: Request, question: QuestionId, said: AnswerSaid) -> Response:
    """Save or skip what a question is about, as the speaker says."""
    answered = await request.app.state.doors.memory.answer_question(
        question, speaker(request, said.said), save=said.save, place=said.place, value=said.value
    )
    told = shown.answered(answered)
    return Reply(told, shown.code_of(answered.status))


@own.get("/consents", summary="Changes by others that wait for consent", response_model=Many)
async def consents(request: Request) -> Response:
    """List the changes by others to the speaker's memories that wait for the speaker's consent, oldest first."""
    waiting = await request.app.state.doors.memory.consents(speaker(request))
    return Reply({"count": len(waiting), "consents": [shown.consent(one) for one in waiting]})


@own.post("/consents/{number}", summary="Agree or refuse", response_model=Result, responses=results(*CODES))
async def consent(request: Request, number: Annotated[int, Path(ge=1, lt=2**53)], said: ConsentSaid) -> Response:
    """Answer such a question: the change is made now, or never."""
    turn = speaker(request, said.said)
    told = await request.app.state.doors.memory.answer_consent(number, said.agrees, turn)
    return refused("not_found", "No such question waits for the speaker.") if told is None else result(told)


@hosts.post("/reminders", summary="Take the reminders that are due", response_model=Many)
async def reminders(request: Request, said: RemindSaid) -> Response:
    """Take the questions whose people should be reminded now; each is given once. For services without bounds."""
    grant = request.state.grant
    if grant.spaces or grant.people or (grant.platforms and said.platform not in grant.platforms):
        raise Problem(403, "Reminders are for a service that may act for everybody of the platform.")
    due = await request.app.state.doors.memory.due_reminders(said.limit, platform=said.platform)
    return Reply({"count": len(due), "questions": [shown.question(one) for one in due]})


@hosts.put("/members", summary="Report a member of a space", response_model=Result)
async def member(request: Request, said: MemberSaid) -> Response:
    """Keep what the host knows of a member of a space; a later report replaces an earlier one."""
    user = str(said.user)
    grant = request.state.grant
    if not (grant.acts_for(said.platform, user) and grant.enters(said.platform, "space", said.space)):
        raise Problem(403, "This token is not for that person in that place.")
    if said.left_at is not None and said.left_at.tzinfo is None:
        raise InvalidInput("left_at must say its time zone")
    reported = Member(
        user=user,
        number=person_number(said.platform, user),
        name=said.name,
        nickname=said.nickname,
        kind=said.kind,
        role=said.role,
        left_at=said.left_at,
    )
    await request.app.state.doors.memory.report_member(said.platform, said.space, reported)
    return Reply({"status": "success"})


NDJSON = "application/x-ndjson"
