"""For operators: the places where people share memory, a page each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from zgadka.model.memory import NamedRelation, Owner, StoredMemory
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
_RELATIONS = 500
_DRAWN = 200


@dataclass(frozen=True)
class Relations:
    """Who is related to whom in a place, as a table and as a graph.

    Attributes:
        rows: The newest, among so few people that they can be drawn.
        total: How many there are.
    """

    rows: Sequence[NamedRelation]
    total: int

    def graph(self, label: Callable[[str], str]) -> str:
        """People and what connects two of them, as the script in the page reads it.

        Args:
            label: The words for what a page names.
        """
        people = {person: name for row in self.rows for person, name in zip(row.people, row.names, strict=True)}
        links: dict[tuple[int, ...], dict[str, None]] = {}
        for row in self.rows:
            links.setdefault(tuple(sorted(row.people)), {})[label(f"relation.{row.type}")] = None
        return json.dumps(
            {
                "people": [{"id": person, "name": name} for person, name in people.items()],
                "links": [
                    {"source": pair[0], "target": pair[-1], "label": ", ".join(words)} for pair, words in links.items()
                ],
            }
        )


@dataclass(frozen=True)
class Space:
    """A place, and what there is of it.

    Attributes:
        people: Some who are there: id, name and role there, privacy level.
        count: How many are there.
        own: Notes and episodes that belong to the place itself, by kind, the newest first.
        seen: How many memories are seen there, the people's with it.
        chats: Some of its chats and threads that have a title: each with that of its chat, and who reads it.
        readers: Groups of readers that its host named.
    """

    owner: Owner
    places: Mapping[int, PlaceName]
    people: Sequence[tuple[int, str, str | None, int]]
    count: int
    own: Mapping[str, Sequence[StoredMemory]]
    relations: Relations
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
    newest = newest_first(live)
    kinds = {kind: [row for row in newest if row.kind == kind][:_SHOWN] for kind in ("note", "episode")}
    return Space(
        owner,
        place_names(tx, [owner]),
        [
            (person, name or tx.owners.get(person).name, role, level)
            for person, name, role, level in tx.operator.list_members(number, _PEOPLE)
        ],
        tx.members.count(number),
        {kind: rows for kind, rows in kinds.items() if rows},
        _relations(tx, [row for row in newest if row.kind == "relation"]),
        tx.operator.seen_in_spaces().get(number, 0),
        _chats(tx, number),
        list(tx.audiences.list(number).values()),
    )


def _relations(tx: Tx, newest: Sequence[StoredMemory]) -> Relations:
    people: set[int] = set()
    rows: list[StoredMemory] = []
    for row in newest[:_RELATIONS]:
        if len(people | {*row.people}) <= _DRAWN:
            people.update(row.people)
            rows.append(row)
    return Relations([row for row in with_names(tx, rows) if isinstance(row, NamedRelation)], len(newest))


def _chats(tx: Tx, space: int) -> list[tuple[Title, str, tuple[str, ...]]]:
    groups, readers = tx.audiences.list(space), tx.audiences.of_chats(space)
    titles = [title for title in tx.titles.list(space) if title.chat]
    chats = {title.chat: title.text for title in titles if not title.thread}
    return [
        (title, chats.get(title.chat, "") if title.thread else "", groups.get(readers.get(title.chat, 0), ()))
        for title in titles[:_PEOPLE]
    ]
