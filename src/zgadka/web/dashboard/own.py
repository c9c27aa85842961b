"""A person's own page: what is remembered of them, in their hands."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.engine import Memory
from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import Owner
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.people import Consent
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import consent, mine, questions, sessions
from zgadka.ops.links import open_link
from zgadka.ops.mine import Mine
from zgadka.stores.tx import Tx
from zgadka.web.dashboard.browse import answered, erase_word
from zgadka.web.dashboard.door import OwnPage, Page
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.session import PERSON_COOKIE, PERSON_PATH, keep_cookie, number_of

router = APIRouter(prefix=PERSON_PATH, route_class=OwnPage, include_in_schema=False)
links = APIRouter(prefix=PERSON_PATH, route_class=Page, include_in_schema=False)

_DONE = frozenset(
    {"corrected", "deleted", "left", "undone", "answered", "privacy", "gone", "conflict", "refused", "late"}
)


@router.get("")
async def show(request: Request) -> Response:
    """Show everything that is remembered about the person."""
    memory: Memory = request.app.state.doors.memory
    own, asked, consents = await memory.look(_all, request.state.visitor.turn)
    done = request.query_params.get("done")
    changed = request.query_params.get("id", "")
    return page(
        request,
        "mine.html",
        mine=own,
        questions=asked,
        consents=consents,
        levels=list(PrivacyLevel),
        done=done if done in _DONE else None,
        changed=changed if changed.isdigit() else None,
        visitor=request.state.visitor,
    )


@router.get("/memories/{number}")
async def history(request: Request, number: str) -> Response:
    """Show what happened to one of the person's memories, and let them correct it."""
    memory: Memory = request.app.state.doors.memory
    turn = request.state.visitor.turn
    events = await memory.look(mine.story, turn, number_of(number))
    if not events:
        return _back("gone")
    now = events[-1].after
    values = {"events": events[::-1], "now": now, "number": number, "visitor": request.state.visitor}
    return page(request, "mine_memory.html", longest=mine.LONGEST, **values)


@router.post("/memories/{number}")
async def correct(request: Request, number: str) -> Response:
    """Let a memory say what is right."""
    memory: Memory = request.app.state.doors.memory
    content = request.state.form.get("content", "")
    outcome = await memory.apply(mine.correct, request.state.visitor.turn, number_of(number), content)
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
    memory: Memory = request.app.state.doors.memory
    outcome = await memory.apply(mine.delete, request.state.visitor.turn, number_of(number))
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
    memory: Memory = request.app.state.doors.memory
    outcome = await memory.apply(mine.undo, request.state.visitor.turn, number_of(number))
    return _back("undone" if isinstance(outcome, Changed) else "late")


@router.post("/questions/{question}")
async def answer(request: Request, question: str) -> Response:
    """Answer one of the person's questions."""
    turn: Turn = request.state.visitor.turn
    person = Owner(id=0, kind="person", platform=turn.platform, name=turn.user_name)
    await answered(request, request.app.state.doors.memory, person, question)
    return _back("answered")


@router.post("/privacy")
async def set_privacy(request: Request) -> Response:
    """Set how much may be remembered."""
    levels = {level.name: level for level in PrivacyLevel}
    chosen = levels.get(request.state.form.get("level", ""))
    if chosen is None:
        return _back("refused")
    await request.app.state.doors.memory.set_privacy(chosen, request.state.visitor.turn)
    return _back("privacy")


@router.get("/export")
async def export(request: Request) -> Response:
    """Give the person all that is theirs."""
    lines = await request.app.state.doors.memory.export(request.state.visitor.turn)
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
    headers = {"content-disposition": 'attachment; filename="zgadka.jsonl"', "cache-control": "no-store"}
    return Response(body, 200, headers, "application/x-ndjson")


@router.get("/erase")
async def ask_erase(request: Request) -> Response:
    """Ask whether everything is to be erased."""
    values = {"wrong": False, "visitor": request.state.visitor}
    return page(request, "erase.html", owner=None, called=None, word=erase_word(request), **values)


@router.post("/erase")
async def erase(request: Request) -> Response:
    """Erase everything about the person, and show a receipt."""
    visitor = request.state.visitor
    if request.state.form.get("word", "").strip() != erase_word(request):
        return page(
            request, "erase.html", owner=None, called=None, word=erase_word(request), wrong=True, visitor=visitor
        )
    receipt = await request.app.state.doors.memory.erase(visitor.turn)
    response = page(request, "receipt.html", receipt=receipt, visitor=visitor)
    response.delete_cookie(PERSON_COOKIE, path=PERSON_PATH)
    return response


@links.get("/{link}")
async def open_page(request: Request, link: str) -> Response:
    """Begin the session of the person whom a signed link is for.

    The page then goes on by itself: a redirect from another site's page would come without the cookie.
    """
    memory: Memory = request.app.state.doors.memory
    found = await memory.look(open_link, link)
    if found is None:
        return page(request, "link_over.html", 403)
    response = page(request, "link.html", target=PERSON_PATH)
    keep_cookie(request, response, PERSON_COOKIE, await memory.apply(sessions.begin_person, found), PERSON_PATH)
    return response


def _all(tx: Tx, turn: Turn) -> tuple[Mine, Sequence[SaveQuestion], Sequence[Consent]]:
    return mine.mine(tx, turn), questions.open_questions(tx, turn), consent.consents(tx, turn)


def _back(done: str, number: str | None = None) -> Response:
    about = {"done": done} if number is None else {"done": done, "id": number}
    return RedirectResponse(f"{PERSON_PATH}?{urlencode(about)}", 303)
