"""For operators: people, a page each, and what is done for one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from zgadka.locales import text
from zgadka.model.memory import Event, Owner, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import newest_first
from zgadka.ops.list_memories import Listing, listing
from zgadka.ops.personal_links import make_link, unlink
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.ops.relation_names import with_names_in_trail
from zgadka.ops.same_value import ages_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import KnownPerson, Stay
from zgadka.stores.tx.trail import ENDED
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import language_of, page
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import (
    OPERATOR_PATH,
    PERSON_COOKIE,
    PERSON_PATH,
    alone,
    number_of,
    optional_number,
)
from zgadka.web.problem import Problem

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

LINK_LASTS = timedelta(days=1)
_PAGE = 30
_SCANNED = 500
_SHOWN = 100
_TIMELINE = 30


@dataclass(frozen=True)
class Profile:
    """What there is of a person, as an operator sees it.

    Attributes:
        called: A name by which they go.
        now: Facts that hold now; `past` and `to_come` alike.
        timeline: What was said and changed, the newest first.
        stays: Where they are or were.
    """

    owner: Owner
    called: str
    own: Listing
    now: Sequence[StoredMemory]
    past: Sequence[StoredMemory]
    to_come: Sequence[StoredMemory]
    timeline: Sequence[Event]
    stays: Sequence[Stay]
    places: Mapping[int, PlaceName]
    ages: Mapping[int, int]

    def of_kind(self, kind: str) -> list[StoredMemory]:
        """Their memories of one kind, and those that they share with others."""
        return [memory for memory in (*self.own.memories, *self.own.shared) if memory.kind == kind]


@router.get("/people")
async def people(request: Request) -> Response:
    """List people, by name or id."""
    name = request.query_params.get("q", "")[:200]
    after = optional_number(request.query_params.get("after")) or 0
    known_people, counts = await memory_of(request).look(find_people, name, after)
    next_query = {"q": name, "after": known_people[-1].owner} if len(known_people) == _PAGE else None
    template = "people_list.html" if "hx-request" in request.headers else "people.html"
    return page(request, template, people=known_people, counts=counts, name=name, more=next_query)


@router.get("/people/{number}")
async def one_person(request: Request, number: str) -> Response:
    """Show what is remembered of a person, and what an operator can do for them."""
    return await _person(request, number)


@router.post("/people/{number}/link")
async def link(request: Request, number: str) -> Response:
    """Make a link to the person's own page."""
    owner = await memory_of(request).look(person_with, number_of(number))
    await memory_of(request).permit("make_link", alone(owner.platform, owner.name), request.state.visitor.grant)
    grant = request.state.visitor.grant
    text = await memory_of(request).apply(partial(make_link, token=grant.token), owner.platform, owner.name, LINK_LASTS)
    return await _person(request, number, link=str(request.base_url).rstrip("/") + f"{PERSON_PATH}/{text}")


@router.post("/people/{number}/unlink")
async def end_links(request: Request, number: str) -> Response:
    """End every link to the person's own page, and every session that one began."""
    owner = await memory_of(request).look(person_with, number_of(number))
    await memory_of(request).permit("unlink", alone(owner.platform, owner.name), request.state.visitor.grant)
    ended = await memory_of(request).apply(unlink, owner.platform, owner.name)
    return await _person(request, number, ended=ended)


@router.api_route("/people/{number}/erase", methods=["GET", "POST"])
async def erase(request: Request, number: str) -> Response:
    """Ask whether everything about a person is to be erased; erase it once that is confirmed."""
    owner, called = await memory_of(request).look(_named, number_of(number))
    return await erase_once_confirmed(request, alone(owner.platform, owner.name), owner=owner, called=called)


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


def person_with(tx: Tx, number: int) -> Owner:
    """The person with this owner id.

    Raises:
        Problem: There is none.
    """
    if not tx.owners.exists(number) or (owner := tx.owners.get(number)).kind != "person":
        raise Problem(404, "There is no such person.")
    return owner


async def _person(request: Request, number: str, *, link: str | None = None, ended: int | None = None) -> Response:
    profile = await memory_of(request).look(_profile, number_of(number))
    return page(
        request,
        "person.html",
        link=link,
        ended=ended,
        profile=profile,
        owner=profile.owner,
        called=profile.called,
        mine=profile.own,
        ages=profile.ages,
        places=profile.places,
        most=_SHOWN,
    )


def find_people(tx: Tx, name: str, cursor: int, limit: int = _PAGE) -> tuple[list[KnownPerson], dict[int, int]]:
    """The next people with this in a name or in their id, and how much is remembered of each."""
    wanted = name.strip().casefold()
    matches: list[KnownPerson] = []
    while len(matches) < limit:
        people = tx.operator.list_people(cursor, _SCANNED if wanted else limit)
        if not people:
            break
        cursor = people[-1].owner
        matches += [
            person for person in people if any(wanted in name.casefold() for name in (person.name, *person.names))
        ]
    return matches[:limit], tx.operator.memories_of([person.owner for person in matches[:limit]])


def _named(tx: Tx, number: int) -> tuple[Owner, str]:
    owner = person_with(tx, number)
    return owner, tx.operator.names_of({number}).get(number, owner.name)


def _profile(tx: Tx, number: int) -> Profile:
    owner, called = _named(tx, number)
    own = listing(tx, alone(owner.platform, owner.name))
    facts = [memory for memory in own.memories if memory.kind == "fact"]
    forgotten = [memory for memory in tx.memories.list_all(number) if memory.archived and not memory.withheld]
    stays = tx.operator.list_stays(number)
    spaces = [tx.owners.find_by_id(stay.space) for stay in stays]
    return Profile(
        owner,
        called,
        own,
        now=[fact for fact in facts if _when(fact, tx.now) == "now"],
        past=[fact for fact in facts if _when(fact, tx.now) == "past"],
        to_come=[fact for fact in facts if _when(fact, tx.now) == "to_come"],
        timeline=_timeline(tx, newest_first([*own.memories, *own.shared, *forgotten])[:_TIMELINE]),
        stays=stays,
        places=place_names(tx, [*spaces, *own.spaces.values()]),
        ages=ages_now(tx, own.memories),
    )


def _when(fact: StoredMemory, now: datetime) -> str:
    if fact.valid_to is not None and fact.valid_to <= now:
        return "past"
    return "to_come" if fact.valid_from is not None and fact.valid_from > now else "now"


def _timeline(tx: Tx, memories: Sequence[StoredMemory]) -> list[Event]:
    """What happened to the memories that were changed last."""
    histories = (tx.audit.history(memory.owner, memory.id) for memory in memories)
    events = [event for events in histories for event in events if event.reason != ENDED]
    newest = sorted(events, key=lambda event: (event.at, event.memory, event.number), reverse=True)
    return with_names_in_trail(tx, newest[:_TIMELINE])
