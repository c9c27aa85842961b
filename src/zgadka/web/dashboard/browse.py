"""For operators: memories, people and questions, of everybody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast, get_args

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.engine import Memory
from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import EVERYWHERE, Event, FactType, Kind, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.people import Consent
from zgadka.ops import inspect
from zgadka.ops.links import make_link
from zgadka.ops.mine import Mine, mine
from zgadka.stores.known import KnownPerson
from zgadka.stores.tx import Tx
from zgadka.text.words import query_words
from zgadka.web.dashboard.door import ReaderPage, mistake
from zgadka.web.dashboard.pages import language_of, page
from zgadka.web.dashboard.session import OPERATOR_PATH, PERSON_PATH, alone, number_of
from zgadka.web.dashboard.texts import TEXTS

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
    """What an operator looks for."""

    words: str = ""
    person: int | None = None
    space: int | None = None
    kind: Kind | None = None
    type: FactType | None = None
    hidden: bool = False
    before: int = _LAST

    @classmethod
    def of(cls, request: Request) -> Wanted:
        """What the address says; what cannot be meant is left out."""
        given = request.query_params
        kind, type_ = given.get("kind"), given.get("type")
        return cls(
            words=given.get("q", "")[:200],
            person=number_of(given["person"]) if given.get("person") else None,
            space=number_of(given["space"]) if given.get("space") else None,
            kind=cast("Kind", kind) if kind in get_args(Kind) else None,
            type=cast("FactType", type_) if type_ in get_args(FactType) else None,
            hidden=given.get("hidden") == "1",
            before=number_of(given["before"]) if given.get("before") else _LAST,
        )

    @property
    def query(self) -> dict[str, object]:
        """The same as an address says it."""
        return {
            "q": self.words,
            "person": self.person,
            "space": self.space,
            "kind": self.kind,
            "type": self.type,
            "hidden": "1" if self.hidden else None,
        }


@router.get("/memories")
async def memories(request: Request) -> Response:
    """Search what is remembered."""
    wanted = Wanted.of(request)
    memory: Memory = request.app.state.doors.memory
    found, spaces, person = await memory.look(_memories, wanted)
    more = wanted.query | {"before": found[-1].memory.id} if len(found) == _PAGE else None
    return page(
        request,
        "memory_list.html" if "hx-request" in request.headers else "memories.html",
        found=found,
        spaces=spaces,
        person=person,
        wanted=wanted,
        more=more,
        kinds=get_args(Kind),
        types=get_args(FactType),
        visitor=request.state.visitor,
    )


@router.get("/memories/{number}")
async def one_memory(request: Request, number: str) -> Response:
    """Show a memory and what happened to it."""
    return await _shown(request, number_of(number))


@router.post("/memories/{number}/undo")
async def undo(request: Request, number: str) -> Response:
    """Take back a memory's last change."""
    memory: Memory = request.app.state.doors.memory
    return await _shown(request, number_of(number), await memory.apply(inspect.undo, number_of(number)))


async def _shown(
    request: Request, number: int, undone: Changed | NotFound | Conflict | Refused | None = None
) -> Response:
    memory: Memory = request.app.state.doors.memory
    events, listed = await memory.look(_story, number)
    if not events:
        return page(request, "no_such_memory.html", 404, visitor=request.state.visitor)
    values = {"listed": listed, "events": events[::-1], "number": number, "visitor": request.state.visitor}
    part = "memory_part.html" if "hx-request" in request.headers else "memory.html"
    return page(request, part, undone=undone, outcome=type(undone).__name__, **values)


@router.get("/people")
async def people(request: Request) -> Response:
    """List people, by name or id."""
    name = request.query_params.get("q", "")[:200]
    given = request.query_params.get("after", "")
    memory: Memory = request.app.state.doors.memory
    found = await memory.look(_people, name, number_of(given) if given else 0)
    more = {"q": name, "after": found[-1].owner} if len(found) == _PAGE else None
    template = "people_list.html" if "hx-request" in request.headers else "people.html"
    return page(request, template, found=found, name=name, more=more, visitor=request.state.visitor)


@router.get("/people/{number}")
async def one_person(request: Request, number: str) -> Response:
    """Show what is remembered of a person, and what an operator can do for them."""
    return await _person(request, number)


@router.post("/people/{number}/link")
async def link(request: Request, number: str) -> Response:
    """Make a link to the person's own page."""
    memory: Memory = request.app.state.doors.memory
    owner = await memory.look(_owner, number_of(number))
    if owner is None:
        return mistake(request, 404)
    text = await memory.apply(make_link, owner.platform, owner.name, LINK_LASTS)
    return await _person(request, number, link=str(request.base_url).rstrip("/") + f"{PERSON_PATH}/{text}")


@router.get("/people/{number}/erase")
async def ask_erase(request: Request, number: str) -> Response:
    """Ask whether everything about a person is to be erased."""
    return await _erasing(request, number)


@router.post("/people/{number}/erase")
async def erase(request: Request, number: str) -> Response:
    """Erase everything about a person, and show a receipt."""
    memory: Memory = request.app.state.doors.memory
    owner = await memory.look(_owner, number_of(number))
    if owner is None:
        return mistake(request, 404)
    if request.state.form.get("word", "").strip() != erase_word(request):
        return await _erasing(request, number, wrong=True)
    receipt = await memory.erase(alone(owner.platform, owner.name))
    return page(request, "receipt.html", receipt=receipt, visitor=request.state.visitor)


@router.get("/questions")
async def questions(request: Request) -> Response:
    """List the questions that wait for people."""
    memory: Memory = request.app.state.doors.memory
    saving, consents = await memory.look(_questions)
    return page(request, "questions.html", saving=saving, consents=consents, visitor=request.state.visitor)


@router.post("/people/{number}/questions/{question}")
async def answer(request: Request, number: str, question: str) -> Response:
    """Answer a question in a person's name."""
    memory: Memory = request.app.state.doors.memory
    owner = await memory.look(_owner, number_of(number))
    if owner is None:
        return mistake(request, 404)
    await answered(request, memory, owner, question)
    return RedirectResponse(f"{OPERATOR_PATH}/questions", 303)


async def answered(request: Request, memory: Memory, owner: Owner, question: str) -> None:
    """Take an answer to one of a person's questions from a form."""
    form, turn = request.state.form, alone(owner.platform, owner.name)
    agrees = form.get("answer") == "yes"
    if form.get("what") == "consent":
        await memory.answer_consent(number_of(question), agrees, turn)
    else:
        place = number_of(form["place"]) if form.get("place") else None
        await memory.answer_question(question, turn, save=agrees, place=place)


def erase_word(request: Request) -> str:
    """The word that confirms an erasure, in the language of the page."""
    return TEXTS["erase_word"][language_of(request) == "uk"]


async def _person(request: Request, number: str, link: str | None = None) -> Response:
    memory: Memory = request.app.state.doors.memory
    shown = await memory.look(_one_person, number_of(number))
    if shown is None:
        return mistake(request, 404)
    owner, called, own = shown
    values = {"owner": owner, "called": called, "mine": own, "visitor": request.state.visitor}
    return page(request, "person.html", link=link, **values)


async def _erasing(request: Request, number: str, *, wrong: bool = False) -> Response:
    memory: Memory = request.app.state.doors.memory
    shown = await memory.look(_one_person, number_of(number))
    if shown is None:
        return mistake(request, 404)
    owner, called, _ = shown
    values = {"owner": owner, "called": called, "wrong": wrong, "visitor": request.state.visitor}
    return page(request, "erase.html", word=erase_word(request), **values)


def _memories(tx: Tx, wanted: Wanted) -> tuple[list[Listed], list[Owner], Owner | None]:
    owners = {owner.id: owner for owner in tx.owners()}
    words = query_words(wanted.words, expand=False)
    person = owners.get(wanted.person or 0)
    if person is None:
        found = tx.memories_known(
            words,
            kind=wanted.kind,
            type_=wanted.type,
            space=wanted.space,
            hidden=wanted.hidden,
            before=wanted.before,
            limit=_PAGE,
        )
    else:
        found = _of_person(tx, person, wanted, words)
    people = tx.names_of({memory.owner for memory in found})
    spaces = [owner for owner in owners.values() if owner.kind == "space"][:_SPACES]
    return [_listed(memory, owners, people) for memory in found if memory.owner in owners], spaces, person


def _of_person(tx: Tx, person: Owner, wanted: Wanted, words: Iterable[str]) -> list[StoredMemory]:
    own = mine(tx, alone(person.platform, person.name)).memories
    hidden = [one for one in tx.all_memories(person.id) if one.archived] if wanted.hidden else []
    scoped = [
        memory
        for memory in (*own, *hidden)
        if memory.id < wanted.before
        and wanted.kind in (None, memory.kind)
        and wanted.type in (None, memory.type)
        and wanted.space in (None, memory.space)
    ]
    fitting = [memory for memory in scoped if all(f" {word}" in f" {tx.words_of(memory)}" for word in words)]
    return sorted(fitting, key=lambda memory: memory.id, reverse=True)[:_PAGE]


def _listed(memory: StoredMemory, owners: dict[int, Owner], people: dict[int, str]) -> Listed:
    owner = owners[memory.owner]
    space = None if memory.space == EVERYWHERE else owners.get(memory.space)
    return Listed(memory, owner, people.get(owner.id, owner.name), space)


def _story(tx: Tx, number: int) -> tuple[list[Event], Listed | None]:
    owner = tx.find_memory(number)
    if owner is None:
        return [], None
    events = tx.events(owner, number)
    memory = tx.memory(owner, number)
    if memory is None or not tx.has_owner(owner):
        return events, None
    owners = {one: tx.owner(one) for one in {owner, memory.space} - {EVERYWHERE}}
    return events, _listed(memory, owners, tx.names_of({owner}))


def _people(tx: Tx, name: str, after: int) -> list[KnownPerson]:
    wanted = name.strip().casefold()
    found: list[KnownPerson] = []
    while len(found) < _PAGE:
        people = tx.people_known(after, _SCANNED if wanted else _PAGE)
        if not people:
            break
        after = people[-1].owner
        found += [one for one in people if any(wanted in text.casefold() for text in (one.name, *one.names))]
    return found[:_PAGE]


def _owner(tx: Tx, number: int) -> Owner | None:
    found = tx.owner(number) if tx.has_owner(number) else None
    return found if found is not None and found.kind == "person" else None


def _one_person(tx: Tx, number: int) -> tuple[Owner, str, Mine] | None:
    owner = _owner(tx, number)
    if owner is None:
        return None
    return owner, tx.names_of({number}).get(number, owner.name), mine(tx, alone(owner.platform, owner.name))


def _questions(tx: Tx) -> tuple[list[tuple[Any, str, SaveQuestion]], list[tuple[Any, str, Consent]]]:
    saving, consents = tx.questions_known(_SCANNED), tx.consents_known(_SCANNED)
    names = tx.names_of({owner for owner, _ in (*saving, *consents)})

    def called(owner: int) -> str:
        return names.get(owner) or tx.owner(owner).name

    return (
        [(owner, called(owner), question) for owner, question in saving],
        [(owner, called(owner), consent) for owner, consent in consents],
    )
