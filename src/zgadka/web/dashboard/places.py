"""For operators: the places where people share memory, a page each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from zgadka.model.memory import Owner, StoredMemory
from zgadka.model.people import Title
from zgadka.ops.access import newest_first
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.ops.relation_names import with_names
from zgadka.stores.tx import Tx
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import OPERATOR_PATH, number_of, optional_number
from zgadka.web.problem import Problem

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

_PAGE = 50
_PEOPLE = 100
_SHOWN = 20


@dataclass(frozen=True)
class Space:
    """A place, and what there is of it.

    Attributes:
        people: Some who are there: id, name and role there, privacy level.
        count: How many are there.
        own: What belongs to the place itself, by kind, the newest first.
        seen: How many memories are seen there, the people's with it.
        chats: Some of its chats and threads that have a title: each with that of its chat, and who reads it.
        readers: Groups of readers that its host named.
    """

    owner: Owner
    places: Mapping[int, PlaceName]
    people: Sequence[tuple[int, str, str | None, int]]
    count: int
    own: Mapping[str, Sequence[StoredMemory]]
    seen: int
    chats: Sequence[tuple[Title, str, tuple[str, ...]]]
    readers: Sequence[tuple[str, ...]]


@router.get("/places")
async def places(request: Request) -> Response:
    """List the places."""
    after = optional_number(request.query_params.get("after")) or 0
    spaces, names, people, seen = await memory_of(request).look(_places, after)
    more = {"after": spaces[-1].id} if len(spaces) == _PAGE else None
    return page(request, "places.html", spaces=spaces, places=names, people=people, seen=seen, more=more)


@router.get("/places/{number}")
async def one_place(request: Request, number: str) -> Response:
    """Show who is in a place, and what is remembered of it."""
    space = await memory_of(request).look(_place, number_of(number))
    return page(request, "place.html", space=space, places=space.places, most=_SHOWN)


def _places(tx: Tx, after: int) -> tuple[list[Owner], dict[int, PlaceName], dict[int, int], dict[int, int]]:
    spaces = tx.operator.list_spaces(after, _PAGE)
    return spaces, place_names(tx, spaces), tx.operator.people_in_spaces(), tx.operator.seen_in_spaces()


def _place(tx: Tx, number: int) -> Space:
    owner = tx.owners.find_by_id(number)
    if owner is None or owner.kind != "space":
        raise Problem(404, "There is no such place.")
    live = [row for row in tx.memories.list_all(number) if not (row.archived or row.withheld)]
    kinds = {kind: [row for row in newest_first(live) if row.kind == kind] for kind in ("note", "episode", "relation")}
    return Space(
        owner,
        place_names(tx, [owner]),
        [
            (person, name or tx.owners.get(person).name, role, level)
            for person, name, role, level in tx.operator.list_members(number, _PEOPLE)
        ],
        tx.members.count(number),
        {kind: with_names(tx, rows[:_SHOWN]) for kind, rows in kinds.items() if rows},
        tx.operator.seen_in_spaces().get(number, 0),
        _chats(tx, number),
        list(tx.audiences.list(number).values()),
    )


def _chats(tx: Tx, space: int) -> list[tuple[Title, str, tuple[str, ...]]]:
    groups, readers = tx.audiences.list(space), tx.audiences.of_chats(space)
    titles = [title for title in tx.titles.list(space) if title.chat]
    chats = {title.chat: title.text for title in titles if not title.thread}
    return [
        (title, chats.get(title.chat, "") if title.thread else "", groups.get(readers.get(title.chat, 0), ()))
        for title in titles[:_PEOPLE]
    ]
