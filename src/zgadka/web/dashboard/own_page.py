"""A person's own page: what is remembered of them, in their hands."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.model.inference import SaveQuestion
from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import browser_sessions, origins, questions, self_service
from zgadka.ops.list_memories import Listing, listing
from zgadka.ops.personal_links import read_link
from zgadka.ops.same_value import ages_now
from zgadka.stores.tx import Tx
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.browse import answer_question, erase_once_confirmed
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.routes_base import OwnPage, Page
from zgadka.web.dashboard.session import PERSON_COOKIE, PERSON_PATH, keep_cookie, number_of

router = APIRouter(prefix=PERSON_PATH, route_class=OwnPage, include_in_schema=False)
links = APIRouter(prefix=PERSON_PATH, route_class=Page, include_in_schema=False)

_DONE = frozenset(
    {"corrected", "deleted", "left", "undone", "answered", "privacy", "gone", "conflict", "refused", "late", "changed"}
)


@router.get("")
async def show(request: Request) -> Response:
    """Show everything that is remembered about the person."""
    memory, turn = memory_of(request), await _turn(request, "list_everything")
    own, save_questions = await memory.look(_all, turn)
    done = request.query_params.get("done")
    changed = request.query_params.get("id", "")
    return page(
        request,
        "mine.html",
        mine=own,
        ages=await memory.look(ages_now, own.memories),
        questions=save_questions,
        consents=await memory.proposals(turn),
        levels=list(PrivacyLevel),
        done=done if done in _DONE else None,
        changed=changed if changed.isdigit() else None,
    )


@router.get("/memories/{number}")
async def history(request: Request, number: str) -> Response:
    """Show what happened to one of the person's memories, and let them correct it."""
    turn = await _turn(request, "history")
    events = await memory_of(request).look(self_service.story, turn, number_of(number))
    if not events:
        return _back("gone")
    origin = await memory_of(request).look(origins.origin, turn, number_of(number))
    now = events[-1].after
    ages = await memory_of(request).look(ages_now, [] if now is None else [now])
    values = {"events": events[::-1], "now": now, "number": number, "origin": origin, "ages": ages}
    return page(request, "mine_memory.html", longest=LONGEST_VALUE, **values)


@router.post("/memories/{number}")
async def correct(request: Request, number: str) -> Response:
    """Let a memory say what is right."""
    content = request.state.form.get("content", "")
    turn = await _turn(request, "correct")
    outcome = await memory_of(request).apply(self_service.correct, turn, number_of(number), content)
    match outcome:
        case Changed():
            return _back("corrected", number)
        case NotFound():
            return _back("gone")
        case Conflict():
            return _back("conflict")
        case Refused():
            return _back("refused")


@router.post("/memories/{number}/delete")
async def delete(request: Request, number: str) -> Response:
    """Delete a memory; it can be taken back for a while."""
    turn = await _turn(request, "delete")
    outcome = await memory_of(request).apply(self_service.delete, turn, number_of(number))
    match outcome:
        case Changed(kept) if len(kept.people) > 1 and kept.kind == "episode":
            return _back("left")
        case Changed():
            return _back("deleted", number)
        case NotFound():
            return _back("gone")


@router.post("/memories/{number}/undo")
async def undo(request: Request, number: str) -> Response:
    """Take back what the person did last to a memory."""
    turn = await _turn(request, "undo")
    outcome = await memory_of(request).apply(self_service.undo, turn, number_of(number))
    return _back("undone" if isinstance(outcome, Changed) else "late")


@router.post("/questions/{question}")
async def answer(request: Request, question: str) -> Response:
    """Answer one of the person's questions."""
    return _back(await answer_question(request, request.state.visitor.turn, question))


@router.post("/privacy")
async def set_privacy(request: Request) -> Response:
    """Set how much may be remembered."""
    levels = {level.name: level for level in PrivacyLevel}
    chosen = levels.get(request.state.form.get("level", ""))
    if chosen is None:
        return _back("refused")
    visitor = request.state.visitor
    await memory_of(request).set_privacy(chosen, visitor.turn, grant=visitor.grant)
    return _back("privacy")


@router.get("/export")
async def export(request: Request) -> Response:
    """Give the person all that is theirs."""
    visitor = request.state.visitor
    lines = await memory_of(request).export(visitor.turn, grant=visitor.grant)
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
    headers = {"content-disposition": 'attachment; filename="zgadka.jsonl"', "cache-control": "no-store"}
    return Response(body, 200, headers, "application/x-ndjson")


@router.api_route("/erase", methods=["GET", "POST"])
async def erase(request: Request) -> Response:
    """Ask whether everything is to be erased; erase it once that is confirmed."""
    return await erase_once_confirmed(request, request.state.visitor.turn, owner=None, called=None)


@links.get("/{link}")
async def offer_page(request: Request, link: str) -> Response:
    """Offer the person whom a link is for to open their page.

    Only their click opens it: chat programs fetch addresses to show what they lead to, and it opens once.
    """
    is_good = await memory_of(request).look(read_link, link) is not None
    return page(request, "link.html") if is_good else page(request, "link_over.html", 403)


@links.post("/{link}")
async def open_page(request: Request, link: str) -> Response:
    """Begin the session of the person whom a link is for."""
    sealed = await memory_of(request).apply(browser_sessions.begin_person, link)
    if sealed is None:
        return page(request, "link_over.html", 403)
    response = RedirectResponse(PERSON_PATH, 303)
    keep_cookie(request, response, PERSON_COOKIE, sealed, PERSON_PATH)
    return response


async def _turn(request: Request, operation: str) -> Turn:
    """The visitor's turn, where they may do this.

    Raises:
        NotAllowed: They may not.
    """
    visitor = request.state.visitor
    await memory_of(request).permit(operation, visitor.turn, visitor.grant)
    return visitor.turn


def _all(tx: Tx, turn: Turn) -> tuple[Listing, Sequence[SaveQuestion]]:
    return listing(tx, turn), questions.save_questions(tx, turn)


def _back(done: str, number: str | None = None) -> Response:
    about = {"done": done} if number is None else {"done": done, "id": number}
    return RedirectResponse(f"{PERSON_PATH}?{urlencode(about)}", 303)
