"""For operators: what happened, who did it, and whether it was undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from fastapi import APIRouter, Request, Response

from zgadka.model.memory import Action, StoredMemory
from zgadka.ops.operator_queries import actors_of
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.ops.relation_names import with_names_in_trail
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import Line
from zgadka.stores.tx.trail import standing_changes
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import OPERATOR_PATH

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

_PAGE = 30
SINCE: Mapping[str, timedelta] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
}
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Deed:
    """A line of the activity, with what the memory was before and after.

    Attributes:
        person: The owner id of who did it, where it is a person.
        who: What they are called.
        is_undone: Whether it was taken back since.
        space: The owner id of the place where the memory is seen; 0: everywhere, or it is about no memory.
    """

    line: Line
    person: int | None
    who: str
    before: StoredMemory | None
    after: StoredMemory | None
    is_undone: bool
    space: int


@dataclass(frozen=True)
class Filters:
    """What an operator looks for in the activity, by the names of an address."""

    since: str = ""
    actor: str = ""
    action: str = ""
    what: str = ""
    after: str = ""
    newer: str = ""

    @classmethod
    def of(cls, request: Request) -> Filters:
        """What the address says; what makes no sense is left out."""
        parameters = request.query_params
        since, action = parameters.get("since", ""), parameters.get("action", "")
        return cls(
            since=since if since in SINCE else "",
            actor=parameters.get("actor", "").strip()[:255],
            action=action if action in get_args(Action) else "",
            what="acts" if parameters.get("what") == "acts" else "",
            after=parameters.get("after", "")[:80],
            newer=parameters.get("newer", "")[:80],
        )

    @property
    def narrow(self) -> bool:
        """Whether they leave out something that happened."""
        return any(self.address().values())

    @property
    def cursor(self) -> Line | None:
        """The last line that was shown."""
        return _line_at(self.after)

    def address(self, **more: str) -> dict[str, str]:
        """The parameters of an address that says the same, at another place of the list."""
        return {name: getattr(self, name) for name in ("since", "actor", "action", "what")} | more


def _line_at(place: str) -> Line | None:
    parts = place.split("-")
    if len(parts) != 3 or not all(part.isdecimal() and len(part) <= 16 for part in parts):
        return None
    at, memory, number = map(int, parts)
    return Line(_BEGINNING + timedelta(microseconds=at), memory, number, 0, "", "read", None, None)


def _place_of(line: Line) -> str:
    return f"{(line.at - _BEGINNING) // timedelta(microseconds=1)}-{line.memory}-{line.number}"


@router.get("/activity")
async def activity(request: Request) -> Response:
    """Show what happened, the newest first; the page asks again and again for what is newer than its first line."""
    filters = Filters.of(request)
    newest = _line_at(filters.newer)
    if newest is not None:
        deeds, places = await memory_of(request).look(newer, filters, newest, _PAGE)
        if not deeds:
            return Response(status_code=204)
        if len(deeds) < _PAGE:
            live = filters.address(newer=_place_of(deeds[0].line))
            return page(request, "activity_newer.html", deeds=deeds, places=places, live=live)
    deeds, places = await memory_of(request).look(recent, filters, _PAGE)
    more = filters.address(after=_place_of(deeds[-1].line)) if len(deeds) == _PAGE else None
    live = None if filters.after else filters.address(newer=_place_of(deeds[0].line) if deeds else "0-0-0")
    is_part = "hx-request" in request.headers
    actions = [action for action in get_args(Action) if action != "confirmed"]
    values = {"deeds": deeds, "places": places, "filters": filters, "more": more, "live": live}
    template = "activity_list.html" if is_part else "activity.html"
    response = page(request, template, **values, actions=actions, sinces=list(SINCE))
    if newest is not None:  # too many to be put above what is shown, or the first
        response.headers["hx-retarget"], response.headers["hx-reswap"] = "#list", "innerHTML"
    return response


def recent(tx: Tx, filters: Filters, limit: int) -> tuple[list[Deed], dict[int, PlaceName]]:
    """What happened last, as far as the filters let it through, and the places where it did."""
    lines = tx.operator.list_events(
        since=tx.now - SINCE[filters.since] if filters.since else _BEGINNING,
        actor=filters.actor,
        action=filters.action,
        acts=filters.what == "acts",
        before=filters.cursor,
        limit=limit,
    )
    return deeds_of(tx, lines)


def newer(tx: Tx, filters: Filters, newest: Line, limit: int) -> tuple[list[Deed], dict[int, PlaceName]]:
    """What happened after a line, as far as the filters let it through: one query where nothing did."""
    lines = tx.operator.list_events(
        since=newest.at,
        actor=filters.actor,
        action=filters.action,
        acts=filters.what == "acts",
        before=None,
        limit=limit,
    )
    lines = [line for line in lines if line[:3] > newest[:3]]
    return deeds_of(tx, lines) if lines else ([], {})


def deeds_of(tx: Tx, lines: Sequence[Line]) -> tuple[list[Deed], dict[int, PlaceName]]:
    """The lines with names and texts, and the places where these are seen."""
    people = actors_of(tx, [(line.owner, line.actor) for line in lines])
    names = tx.operator.names_of(people.values())
    deeds = [_deed(tx, line, people.get((line.owner, line.actor)), names) for line in lines]
    spaces = [tx.owners.find_by_id(deed.space) for deed in deeds if deed.space]
    return deeds, place_names(tx, spaces)


def _deed(tx: Tx, line: Line, person: int | None, names: Mapping[int, str]) -> Deed:
    old = new = None
    is_undone = False
    if line.memory:
        trail = with_names_in_trail(tx, tx.audit.history(line.owner, line.memory))
        event = next((event for event in trail if event.number == line.number), None)
        if event is not None:
            old, new = event.before, event.after
            standing = {change.number for change in standing_changes(trail)}
            is_undone = event.action != "undone" and line.number not in standing
    state = new or old
    actor_name = line.actor if person is None else names.get(person, line.actor)
    return Deed(line, person, actor_name, old, new, is_undone, 0 if state is None else state.space)
