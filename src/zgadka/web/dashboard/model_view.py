"""For operators: what a model would be given for a message of a person in a place, and how recall ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fastapi import APIRouter, Request, Response

from zgadka.model.memory import Owner
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import KnownPerson
from zgadka.tools.core import recall
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.people import find_people
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import OPERATOR_PATH, alone, optional_number

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

_SHOWN = 20
_LONGEST = 4000
BUDGET_TOKENS = 2000


@dataclass(frozen=True)
class Seat:
    """Whose message it would be, and where.

    Attributes:
        spaces: Where they could be; their direct chat is always one.
        space: Where they are; None: in their direct chat.
    """

    owner: Owner
    called: str
    spaces: Sequence[Owner]
    places: Mapping[int, PlaceName]
    space: Owner | None

    def turn(self, text: str) -> Turn:
        """The turn of the message."""
        person = self.owner
        if self.space is None:
            return alone(person.platform, person.name)
        name = self.space.name
        return Turn(platform=person.platform, space=name, chat=name, user=person.name, text=text)


@router.get("/model")
async def model_view(request: Request) -> Response:
    """Show the context of a message and the ranking of recall; without a person, ask for one."""
    memory, parameters = memory_of(request), request.query_params
    name, text = parameters.get("name", "")[:200], parameters.get("text", "").strip()[:_LONGEST]
    person, space = optional_number(parameters.get("person")), optional_number(parameters.get("space"))
    seat = None if person is None else await memory.look(_seat, person, space)
    if seat is None:
        known: Sequence[KnownPerson] = (await memory.look(find_people, name, 0))[0]
        return page(request, "model.html", seat=None, people=known, name=name)
    turn = seat.turn(text)
    await memory.permit("read_anything", None, request.state.visitor.grant, about=f"model view of person {person}")
    context = await memory.build_context(turn, BUDGET_TOKENS, query=text)
    ranking: ToolResult | None = None
    if text:
        look = partial(recall, turn=turn, query=text, limit=_SHOWN, explain=True)
        ranking = await memory.look_with_meaning(look, text, turn)
    return page(
        request,
        "model.html",
        seat=seat,
        places=seat.places,
        text=text,
        context=context,
        ranking=ranking,
        budget=BUDGET_TOKENS,
        longest=_LONGEST,
    )


def _seat(tx: Tx, person: int, space: int | None) -> Seat | None:
    owner = tx.owners.find_by_id(person)
    if owner is None or owner.kind != "person":
        return None
    stays = [tx.owners.find_by_id(stay.space) for stay in tx.operator.list_stays(person) if stay.left_at is None]
    spaces = [place for place in stays if place is not None and place.kind == "space"]
    here = next((place for place in spaces if place.id == space), None)
    called = tx.operator.names_of({person}).get(person, owner.name)
    return Seat(owner, called, spaces, place_names(tx, spaces), here)
