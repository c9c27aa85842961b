"""For operators: the questions that wait for people, and how a form answers one."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Owner
from zgadka.model.people import Consent
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.people import person_with
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import OPERATOR_PATH, alone, number_of, optional_number

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

_PAGE = 30
_SCANNED = 500


@router.get("/questions")
async def questions(request: Request) -> Response:
    """List the questions that wait for people."""
    memory = memory_of(request)
    saving, consents = await memory.look(_questions)
    proposals = [
        (owner.id, called, consent, proposal)
        for owner, called, consent in consents[:_PAGE]
        if (proposal := await memory.proposal(consent.id, alone(owner.platform, owner.name))) is not None
    ]
    changed = request.query_params.get("done") == "changed"
    return page(request, "questions.html", saving=saving, consents=proposals, changed=changed)


@router.post("/people/{number}/questions/{question}")
async def answer(request: Request, number: str, question: str) -> Response:
    """Answer a question in a person's name."""
    owner = await memory_of(request).look(person_with, number_of(number))
    done = await answer_question(request, alone(owner.platform, owner.name), question)
    return RedirectResponse(f"{OPERATOR_PATH}/questions?done={done}", 303)


async def answer_question(request: Request, turn: Turn, question: str) -> str:
    """Take an answer to one of a person's questions from a form; `changed`: what was shown is another change now."""
    form, memory, grant = request.state.form, memory_of(request), request.state.visitor.grant
    agrees = form.get("answer") == "yes"
    if form.get("what") == "consent":
        mark = optional_number(form.get("mark"))
        result = await memory.answer_consent(number_of(question), agrees, turn, mark=mark, grant=grant)
        if result is not None and result.status == "confirmation_required":
            return "changed"
    else:
        place, last = optional_number(form.get("place")), optional_number(form.get("last"))
        # Who submits twice means what they saw, and not what is asked about next.
        places = place if place is not None or last is None else range(last + 1)
        await memory.answer_question(question, turn, save=agrees, place=places, grant=grant)
    return "answered"


def _questions(tx: Tx) -> tuple[list[tuple[int, str, SaveQuestion]], list[tuple[Owner, str, Consent]]]:
    waiting = tx.operator.list_questions(_SCANNED)
    names = tx.operator.names_of({owner for owner, _ in waiting})

    def called(owner: int) -> str:
        return names.get(owner) or tx.owners.get(owner).name

    return (
        [(owner, called(owner), question) for owner, question in waiting if isinstance(question, SaveQuestion)],
        [
            (tx.owners.get(owner), called(owner), question)
            for owner, question in waiting
            if isinstance(question, Consent)
        ],
    )
