"""A person's own page: what is remembered of them, in their hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.model.inference import SaveQuestion
from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.memory import Kind, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused, Stale
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import browser_sessions, origins, questions, self_service
from zgadka.ops.access import speaker_of
from zgadka.ops.list_memories import Listing, Place, listing
from zgadka.ops.personal_links import read_link
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.ops.same_value import ages_now
from zgadka.stores.tx import Tx
from zgadka.text.words import fits_beginnings, index_words, word_beginnings
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.people import erase_once_confirmed
from zgadka.web.dashboard.questions import answer_question
from zgadka.web.dashboard.routes_base import OwnPage, Page
from zgadka.web.dashboard.session import (
    PERSON_COOKIE,
    PERSON_PATH,
    keep_cookie,
    memory_ref,
    number_of,
    optional_number,
    versions_of,
)

router = APIRouter(prefix=PERSON_PATH, route_class=OwnPage, include_in_schema=False)
links = APIRouter(prefix=PERSON_PATH, route_class=Page, include_in_schema=False)

_DONE = frozenset(
    {"corrected", "deleted", "left", "undone", "answered", "privacy", "gone", "conflict", "refused", "late", "changed"}
)
_SHOWN = 200
"""So many memories are shown before the person asks for all."""


@dataclass(frozen=True)
class Group:
    """What may be seen in one place: by kind, in the order of `Kind`, the newest first."""

    place: Place
    kinds: Mapping[Kind, Sequence[StoredMemory]]

    @property
    def count(self) -> int:
        """How many memories are in it."""
        return sum(map(len, self.kinds.values()))


@router.get("")
async def show(request: Request) -> Response:
    """Show everything that is remembered about the person, or what their words find in it."""
    memory, turn = memory_of(request), await _turn(request, "list_everything")
    own, save_questions, names = await memory.look(_all, turn)
    parameters = request.query_params
    query, kind = parameters.get("q", "")[:200], parameters.get("kind", "")
    matches = {row.id for row in await memory.look(_matching, own, query, kind)}
    shown_ids = matches if parameters.get("all") else _first(own, matches)
    done = parameters.get("done")
    values = {
        "mine": own,
        "groups": _groups(own.places, shown_ids),
        "matches": len(matches),
        "shown": len(shown_ids),
        "places": names,
        "q": query,
        "kind": kind,
        "kinds": [name for name in get_args(Kind) if any(row.kind == name for row in (*own.memories, *own.shared))],
        "longest": LONGEST_VALUE,
        "ages": await memory.look(ages_now, own.memories),
    }
    if "hx-request" in request.headers:
        return page(request, "mine_list.html", **values)
    changed = parameters.get("id", "")
    return page(
        request,
        "mine.html",
        questions=save_questions,
        consents=await memory.proposals(turn),
        levels=list(PrivacyLevel),
        done=done if done in _DONE else None,
        changed=[memory_ref(*each) for each in versions_of(changed).items()],
        **values,
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


@router.post("/memories/delete")
async def delete(request: Request) -> Response:
    """Delete the memories that were chosen, and leave those with others in them; all can be taken back for a while."""
    turn = await _turn(request, "delete")
    outcomes = {
        number: await memory_of(request).apply(partial(self_service.delete, version=version), turn, number)
        for number, version in versions_of(request.state.form.all("id")).items()
    }
    gone = {number: outcome.memory for number, outcome in outcomes.items() if isinstance(outcome, Changed)}
    if not gone:
        return _back("changed" if any(isinstance(outcome, Stale) for outcome in outcomes.values()) else "gone")
    is_left = all(row.kind == "episode" and len(row.people) > 1 for row in gone.values())
    return _back("left" if is_left else "deleted", gone.values())


@router.post("/memories/undo")
async def undo(request: Request) -> Response:
    """Take back what the person did last to the memories that were chosen."""
    turn = await _turn(request, "undo")
    outcomes = [
        await memory_of(request).apply(partial(self_service.undo, version=version), turn, number)
        for number, version in versions_of(request.state.form.all("id")).items()
    ]
    if any(isinstance(outcome, Changed) for outcome in outcomes):
        return _back("undone")
    return _back("changed" if any(isinstance(outcome, Stale) for outcome in outcomes) else "late")


@router.post("/memories/{number}")
async def correct(request: Request, number: str) -> Response:
    """Let a memory say what is right."""
    content, version = request.state.form.get("content", ""), optional_number(request.state.form.get("version"))
    turn = await _turn(request, "correct")
    change = partial(self_service.correct, version=version)
    outcome = await memory_of(request).apply(change, turn, number_of(number), content)
    match outcome:
        case Changed():
            return _back("corrected", [outcome.before])
        case NotFound():
            return _back("gone")
        case Conflict():
            return _back("conflict")
        case Refused():
            return _back("refused")
        case Stale():
            return _back("changed")


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


def _all(tx: Tx, turn: Turn) -> tuple[Listing, Sequence[SaveQuestion], dict[int, PlaceName]]:
    own = listing(tx, turn)
    names = place_names(tx, (place.owner for place in own.places), viewer=speaker_of(tx, turn))
    return own, questions.save_questions(tx, turn), names


def _matching(tx: Tx, own: Listing, query: str, kind: str) -> list[StoredMemory]:
    """What the words find: in texts, and in the names of those with whom the person is in something."""
    words = word_beginnings(query)
    shared_ids = own.shared_ids

    def words_of(memory: StoredMemory) -> str:
        names = " ".join(index_words(" ".join(own.with_others.get(memory.id, ()))))
        text = "" if memory.id in shared_ids else tx.memories.get_words(memory)
        if memory.kind == "relation":
            text = " ".join(index_words(memory.text))
        return f" {text} {names} "

    rows = [row for row in (*own.memories, *own.shared) if kind in ("", row.kind)]
    return [row for row in rows if fits_beginnings(words_of(row), words)] if words else rows


def _first(own: Listing, matches: set[int]) -> set[int]:
    ids = [row.id for place in own.places for row in place.memories if row.id in matches]
    return set(ids[:_SHOWN])


def _groups(places: Iterable[Place], ids: set[int]) -> list[Group]:
    groups: list[Group] = []
    for place in places:
        kinds: dict[Kind, list[StoredMemory]] = {kind: [] for kind in get_args(Kind)}
        for row in place.memories:
            if row.id in ids:
                kinds[row.kind].append(row)
        groups.append(Group(place, {kind: rows for kind, rows in kinds.items() if rows}))
    return [group for group in groups if group.kinds]


def _back(done: str, changed: Iterable[StoredMemory] = ()) -> Response:
    """The list, which tells what was done.

    Args:
        changed: What was changed, as it was before.
    """
    refs = [memory_ref(memory.id, memory.version) for memory in changed]
    about = {"done": done} | ({"id": ",".join(refs)} if refs else {})
    return RedirectResponse(f"{PERSON_PATH}?{urlencode(about)}", 303)
