"""For operators: memories, people and questions, of everybody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, cast, get_args

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.chat.history_view import refusal
from zgadka.locales import text
from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import EVERYWHERE, Event, FactType, Kind, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.people import Consent
from zgadka.model.turn import Turn
from zgadka.ops import operator_queries
from zgadka.ops.list_memories import Listing, listing
from zgadka.ops.operator_queries import origin_of_any
from zgadka.ops.origins import Origin
from zgadka.ops.personal_links import make_link, unlink
from zgadka.ops.relation_names import with_names, with_names_in_trail
from zgadka.ops.same_value import ages_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import KnownPerson
from zgadka.text.words import fits_beginnings, word_beginnings
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import language_of, page
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import OPERATOR_PATH, PERSON_COOKIE, PERSON_PATH, alone, number_of
from zgadka.web.problem import Problem

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

LINK_LASTS = timedelta(days=1)
_PAGE = 30
_SCANNED = 500
_SPACES = 200
_LAST = 2**53 - 1


@dataclass(frozen=True)
class Listed:
    """A memory in a list: with its person or space, and where it is seen; None: everywhere."""

    memory: StoredMemory
    owner: Owner
    called: str
    space: Owner | None


@dataclass(frozen=True)
class Wanted:
    """What an operator looks for, by the names of an address."""

    q: str = ""
    person: int | None = None
    space: int | None = None
    kind: Kind | None = None
    type: FactType | None = None
    hidden: bool = False
    before: int = _LAST

    @classmethod
    def of(cls, request: Request) -> Wanted:
        """What the address says; what cannot be meant is left out."""
        parameters = request.query_params
        kind, type_ = parameters.get("kind"), parameters.get("type")
        return cls(
            q=parameters.get("q", "")[:200],
            person=_number(parameters.get("person")),
            space=_number(parameters.get("space")),
            kind=cast("Kind", kind) if kind in get_args(Kind) else None,
            type=cast("FactType", type_) if type_ in get_args(FactType) else None,
            hidden=parameters.get("hidden") == "1",
            before=number_of(parameters["before"]) if parameters.get("before") else _LAST,
        )


@router.get("/memories")
async def memories(request: Request) -> Response:
    """Search what is remembered."""
    wanted = Wanted.of(request)
    listed, spaces, person = await memory_of(request).look(_memories, wanted)
    is_more = len(listed) == _PAGE
    next_query = (
        asdict(replace(wanted, before=listed[-1].memory.id)) | {"hidden": int(wanted.hidden)} if is_more else None
    )
    return page(
        request,
        "memory_list.html" if "hx-request" in request.headers else "memories.html",
        found=listed,
        ages=await memory_of(request).look(ages_now, [one.memory for one in listed]),
        spaces=spaces,
        person=person,
        wanted=wanted,
        more=next_query,
        kinds=get_args(Kind),
        types=get_args(FactType),
    )


@router.get("/memories/{number}")
async def one_memory(request: Request, number: str) -> Response:
    """Show a memory and what happened to it."""
    return await _shown(request, number_of(number))


@router.post("/memories/{number}/undo")
async def undo(request: Request, number: str) -> Response:
    """Take back a memory's last change."""
    memory_id = number_of(number)
    await memory_of(request).permit("undo_anything", None, request.state.visitor.grant, about=f"memory {memory_id}")
    outcome = await memory_of(request).apply(operator_queries.undo, memory_id)
    return await _shown(request, number_of(number), outcome)


async def _shown(
    request: Request, number: int, undone: Changed | NotFound | Conflict | Refused | None = None
) -> Response:
    memory = memory_of(request)
    events, listed, origin = await memory.look(_story, number)
    if not events:
        return page(request, "no_such_memory.html", 404)
    values: dict[str, Any] = {"listed": listed, "events": events[::-1], "number": number, "origin": origin}
    values["ages"] = await memory.look(ages_now, [] if listed is None else [listed.memory])
    part = "memory_part.html" if "hx-request" in request.headers else "memory.html"
    if isinstance(undone, Refused):
        values["refusal"] = refusal(undone, language_of(request), memory.settings.undo_hours)
    return page(request, part, undone=undone, outcome=type(undone).__name__, **values)


@router.get("/people")
async def people(request: Request) -> Response:
    """List people, by name or id."""
    name = request.query_params.get("q", "")[:200]
    known_people = await memory_of(request).look(_people, name, _number(request.query_params.get("after")) or 0)
    next_query = {"q": name, "after": known_people[-1].owner} if len(known_people) == _PAGE else None
    template = "people_list.html" if "hx-request" in request.headers else "people.html"
    return page(request, template, found=known_people, name=name, more=next_query)


@router.get("/people/{number}")
async def one_person(request: Request, number: str) -> Response:
    """Show what is remembered of a person, and what an operator can do for them."""
    return await _person(request, number)


@router.post("/people/{number}/link")
async def link(request: Request, number: str) -> Response:
    """Make a link to the person's own page."""
    owner = await memory_of(request).look(_owner, number_of(number))
    await memory_of(request).permit("make_link", alone(owner.platform, owner.name), request.state.visitor.grant)
    grant = request.state.visitor.grant
    text = await memory_of(request).apply(partial(make_link, token=grant.token), owner.platform, owner.name, LINK_LASTS)
    return await _person(request, number, link=str(request.base_url).rstrip("/") + f"{PERSON_PATH}/{text}")


@router.post("/people/{number}/unlink")
async def end_links(request: Request, number: str) -> Response:
    """End every link to the person's own page, and every session that one began."""
    owner = await memory_of(request).look(_owner, number_of(number))
    await memory_of(request).permit("unlink", alone(owner.platform, owner.name), request.state.visitor.grant)
    ended = await memory_of(request).apply(unlink, owner.platform, owner.name)
    return await _person(request, number, ended=ended)


@router.api_route("/people/{number}/erase", methods=["GET", "POST"])
async def erase(request: Request, number: str) -> Response:
    """Ask whether everything about a person is to be erased; erase it once that is confirmed."""
    owner, called, _ = await memory_of(request).look(_profile, number_of(number))
    return await erase_once_confirmed(request, alone(owner.platform, owner.name), owner=owner, called=called)


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
    owner = await memory_of(request).look(_owner, number_of(number))
    done = await answer_question(request, alone(owner.platform, owner.name), question)
    return RedirectResponse(f"{OPERATOR_PATH}/questions?done={done}", 303)


async def answer_question(request: Request, turn: Turn, question: str) -> str:
    """Take an answer to one of a person's questions from a form; `changed`: what was shown is another change now."""
    form, memory, grant = request.state.form, memory_of(request), request.state.visitor.grant
    agrees = form.get("answer") == "yes"
    if form.get("what") == "consent":
        mark = _number(form.get("mark"))
        result = await memory.answer_consent(number_of(question), agrees, turn, mark=mark, grant=grant)
        if result is not None and result.status == "confirmation_required":
            return "changed"
    else:
        place, last = _number(form.get("place")), _number(form.get("last"))
        # Who submits twice means what they saw, and not what is asked about next.
        places = place if place is not None or last is None else range(last + 1)
        await memory.answer_question(question, turn, save=agrees, place=places, grant=grant)
    return "answered"


def _number(text: str | None) -> int | None:
    return number_of(text) if text else None


async def erase_once_confirmed(request: Request, turn: Turn, **values: Any) -> Response:
    """Erase everything about a person if the word that confirms it was typed, and show a receipt; else ask for it."""
    word = text(language_of(request), "dashboard.erase_word")
    if request.state.form.get("word", "").strip() != word:
        return page(request, "erase.html", word=word, wrong=request.method == "POST", **values)
    receipt = await memory_of(request).erase(turn, grant=request.state.visitor.grant)
    response = page(request, "receipt.html", receipt=receipt)
    if request.state.visitor.turn is not None:
        response.delete_cookie(PERSON_COOKIE, path=PERSON_PATH)
    return response


async def _person(request: Request, number: str, *, link: str | None = None, ended: int | None = None) -> Response:
    owner, called, own = await memory_of(request).look(_profile, number_of(number))
    ages = await memory_of(request).look(ages_now, own.memories)
    return page(request, "person.html", link=link, ended=ended, owner=owner, called=called, mine=own, ages=ages)


def _memories(tx: Tx, wanted: Wanted) -> tuple[list[Listed], list[Owner], Owner | None]:
    owners = {owner.id: owner for owner in tx.owners.list()}
    words = word_beginnings(wanted.q)
    person = owners.get(wanted.person or 0)
    if person is None:
        rows = tx.operator.list_memories(
            words,
            kind=wanted.kind,
            type_=wanted.type,
            space=wanted.space,
            hidden=wanted.hidden,
            before=wanted.before,
            limit=_PAGE,
        )
    else:
        rows = _of_person(tx, person, wanted, words)
    rows = with_names(tx, rows)
    people = tx.operator.names_of({memory.owner for memory in rows})
    spaces = [owner for owner in owners.values() if owner.kind == "space"][:_SPACES]
    return [_listed(memory, owners, people) for memory in rows if memory.owner in owners], spaces, person


def _of_person(tx: Tx, person: Owner, wanted: Wanted, words: Iterable[Iterable[str]]) -> list[StoredMemory]:
    own = listing(tx, alone(person.platform, person.name)).memories
    hidden = [archived for archived in tx.memories.list_all(person.id) if archived.archived] if wanted.hidden else []
    scoped = [
        memory
        for memory in (*own, *hidden)
        if memory.id < wanted.before
        and wanted.kind in (None, memory.kind)
        and wanted.type in (None, memory.type)
        and wanted.space in (None, memory.space)
    ]
    fitting = [memory for memory in scoped if fits_beginnings(f" {tx.memories.get_words(memory)} ", words)]
    return sorted(fitting, key=lambda memory: memory.id, reverse=True)[:_PAGE]


def _listed(memory: StoredMemory, owners: dict[int, Owner], people: dict[int, str]) -> Listed:
    owner = owners[memory.owner]
    space = None if memory.space == EVERYWHERE else owners.get(memory.space)
    return Listed(memory, owner, people.get(owner.id, owner.name), space)


def _story(tx: Tx, number: int) -> tuple[list[Event], Listed | None, Origin | None]:
    owner = tx.memories.find_owner(number)
    if owner is None:
        return [], None, None
    events = with_names_in_trail(tx, tx.audit.history(owner, number))
    memory = tx.memories.get(owner, number)
    if memory is None or not tx.owners.exists(owner):
        return events, None, None
    owners = {owner_id: tx.owners.get(owner_id) for owner_id in {owner, memory.space} - {EVERYWHERE}}
    listed = _listed(with_names(tx, [memory])[0], owners, tx.operator.names_of({owner}))
    return events, listed, origin_of_any(tx, number)


def _people(tx: Tx, name: str, cursor: int) -> list[KnownPerson]:
    wanted = name.strip().casefold()
    matches: list[KnownPerson] = []
    while len(matches) < _PAGE:
        people = tx.operator.list_people(cursor, _SCANNED if wanted else _PAGE)
        if not people:
            break
        cursor = people[-1].owner
        matches += [
            person for person in people if any(wanted in name.casefold() for name in (person.name, *person.names))
        ]
    return matches[:_PAGE]


def _owner(tx: Tx, number: int) -> Owner:
    if not tx.owners.exists(number) or (owner := tx.owners.get(number)).kind != "person":
        raise Problem(404, "There is no such person.")
    return owner


def _profile(tx: Tx, number: int) -> tuple[Owner, str, Listing]:
    owner = _owner(tx, number)
    return owner, tx.operator.names_of({number}).get(number, owner.name), listing(tx, alone(owner.platform, owner.name))


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
