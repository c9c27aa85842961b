"""For operators: everybody's memories, found by words and facets, and what is done to many of them at once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast, get_args

from fastapi import APIRouter, Request, Response

from zgadka.chat.history_view import refusal
from zgadka.model.memory import EVERYWHERE, Event, FactType, Kind, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused, Stale
from zgadka.ops import operator_changes, operator_queries
from zgadka.ops.list_memories import listing
from zgadka.ops.operator_queries import actor_names, origin_of_any
from zgadka.ops.origins import Origin
from zgadka.ops.place_names import PlaceName, place_names
from zgadka.ops.relation_names import with_names, with_names_in_trail
from zgadka.ops.same_value import ages_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import FIRST, Cursor, Sort
from zgadka.stores.tx.operator_queries import Wanted as Rows
from zgadka.text.words import fits_beginnings, word_beginnings
from zgadka.web import serialize
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.pages import language_of, page
from zgadka.web.dashboard.people import find_people
from zgadka.web.dashboard.routes_base import ReaderPage
from zgadka.web.dashboard.session import (
    OPERATOR_PATH,
    alone,
    memory_ref,
    number_of,
    optional_number,
    versions_of,
)

router = APIRouter(prefix=OPERATOR_PATH, route_class=ReaderPage, include_in_schema=False)

_PAGE = 30
_SPACES = 200
_MOST_CHOSEN = 500
_MOST_PEOPLE = 30
SINCE: Mapping[str, timedelta] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
SURE: Mapping[str, tuple[float, float]] = {"high": (0.8, 1.0), "middle": (0.6, 0.8), "low": (0.0, 0.6)}


@dataclass(frozen=True)
class Listed:
    """A memory in a list: with its person or space, and where it is seen; None: everywhere."""

    memory: StoredMemory
    owner: Owner
    called: str
    space: Owner | None

    @property
    def ref(self) -> str:
        """What names it in a form, as it is shown: its owner is known then, which is looked for among all otherwise."""
        return f"{self.memory.owner}-{memory_ref(self.memory.id, self.memory.version)}"


@dataclass(frozen=True)
class Filters:
    """What an operator looks for, by the names of an address.

    Attributes:
        who: Whose, by a part of a name or of an id.
        after: Where the list goes on.
    """

    q: str = ""
    who: str = ""
    person: int | None = None
    space: int | None = None
    kind: Kind | None = None
    type: FactType | None = None
    since: str = ""
    sure: str = ""
    sort: Sort = "new"
    hidden: bool = False
    after: str = ""

    @classmethod
    def of(cls, request: Request) -> Filters:
        """What the address says; what makes no sense is left out."""
        parameters = request.query_params
        kind, type_, sort = (parameters.get(name) for name in ("kind", "type", "sort"))
        since, sure = parameters.get("since", ""), parameters.get("sure", "")
        return cls(
            q=parameters.get("q", "")[:200],
            who=parameters.get("who", "").strip()[:200],
            person=optional_number(parameters.get("person")),
            space=optional_number(parameters.get("space")),
            kind=cast("Kind", kind) if kind in get_args(Kind) else None,
            type=cast("FactType", type_) if type_ in get_args(FactType) else None,
            since=since if since in SINCE else "",
            sure=sure if sure in SURE else "",
            sort=cast("Sort", sort) if sort in get_args(Sort) else "new",
            hidden=parameters.get("hidden") == "1",
            after=parameters.get("after", "")[:60],
        )

    def rows(self, now: datetime) -> Rows:
        """The same for the store."""
        return Rows(
            words=word_beginnings(self.q),
            kind=self.kind,
            type=self.type,
            space=self.space,
            since=now - SINCE[self.since] if self.since else None,
            confidence=SURE[self.sure] if self.sure else (0.0, 1.0),
            hidden=self.hidden,
            sort=self.sort,
        )

    @property
    def narrow(self) -> bool:
        """Whether they leave out memories that are there."""
        return replace(self, sort="new", hidden=False, after="") != Filters()

    @property
    def cursor(self) -> Cursor:
        """Where the list goes on."""
        value, _, number = self.after.partition("_")
        try:
            return Cursor(float(value), number_of(number)) if self.after else FIRST
        except ValueError:
            return FIRST

    @property
    def query(self) -> dict[str, Any]:
        """The parameters of an address that says the same, from the list's beginning."""
        return asdict(self) | {"hidden": int(self.hidden), "after": "", "sort": "" if self.sort == "new" else self.sort}


@router.get("/memories")
async def memories(request: Request) -> Response:
    """Search what is remembered."""
    filters = Filters.of(request)
    is_part = "hx-request" in request.headers
    matches = await memory_of(request).look(_find, filters, _PAGE)
    last = matches.rows[-1] if len(matches.rows) == _PAGE else None
    more = None
    if last is not None:
        cursor = filters.rows(matches.now).cursor(last.memory)
        more = filters.query | {"after": f"{cursor.value!r}_{cursor.id}"}
    values: dict[str, Any] = {"rows": matches.rows, "ages": matches.ages, "places": matches.places}
    values |= {"filters": filters, "more": more, "people_shown": _people_shown(matches)}
    if is_part:
        return page(request, "memory_list.html", **values)
    spaces, names = await memory_of(request).look(_spaces)
    return page(
        request,
        "memories.html",
        **values | {"places": {**names, **matches.places}},
        spaces=spaces,
        person=matches.person,
        kinds=get_args(Kind),
        types=get_args(FactType),
        sinces=list(SINCE),
        sures=list(SURE),
        sorts=get_args(Sort),
    )


@router.get("/memories/chosen")
async def choose_matching(request: Request) -> Response:
    """Show all memories that a search finds, before something is done to them."""
    matches = await memory_of(request).look(_find, replace(Filters.of(request), after=""), _MOST_CHOSEN)
    return await _preview(request, matches)


@router.post("/memories/chosen")
async def choose(request: Request) -> Response:
    """Show the memories that were ticked, before something is done to them."""
    return await _preview(request, await memory_of(request).look(_get, _refs(request)))


@router.post("/memories/forget")
async def forget(request: Request) -> Response:
    """Forget the memories that were chosen."""
    return await _change(request, "forget_anything", operator_changes.hide_many, "forgotten_many")


@router.post("/memories/unforget")
async def unforget(request: Request) -> Response:
    """Bring back what was forgotten together."""
    return await _change(request, "undo_anything", operator_changes.unhide_many, "restored_many")


@router.post("/memories/undo")
async def undo_many(request: Request) -> Response:
    """Take back the last change of each memory that was chosen."""
    return await _change(request, "undo_anything", operator_changes.undo_many, "undone_many")


@router.post("/memories/duplicates")
async def find_duplicates(request: Request) -> Response:
    """Show which of the facts that were chosen say the same, before they are merged."""
    matches = await memory_of(request).look(_get, _refs(request))
    rows = {row.memory.id: row for row in matches.rows}
    groups = operator_changes.duplicates(row.memory for row in matches.rows)
    shown = [(group, [rows[fact.id] for fact in group.facts]) for group in groups]
    return page(request, "memories_duplicates.html", groups=shown, ages=matches.ages, places=matches.places)


@router.post("/memories/merge")
async def merge(request: Request) -> Response:
    """Merge the groups of facts that were ticked."""
    groups = [group.split(".") for group in request.state.form.all("group").split(",") if group]
    ids = sum(len(facts) for _, *facts in groups)
    about = f"{ids} memories"
    await memory_of(request).permit("merge_anything", None, request.state.visitor.grant, about=about)
    merged = [
        f"{owner}-{number}"
        for owner, *facts in groups
        for number in await memory_of(request).apply(
            operator_changes.merge_group, number_of(owner), list(map(number_of, facts))
        )
    ]
    return page(request, "memories_changed.html", done="merged_many", changed=merged)


@router.post("/memories/unmerge")
async def unmerge(request: Request) -> Response:
    """Take apart what was merged together."""
    return await _change(request, "undo_anything", operator_changes.unmerge_many, "unmerged_many")


@router.post("/memories/export")
async def export(request: Request) -> Response:
    """Give the memories that were chosen, one JSON object a line."""
    refs = _refs(request)
    about = f"export of {sum(map(len, refs.values()))} memories"
    await memory_of(request).permit("export_anything", None, request.state.visitor.grant, about=about)
    matches = await memory_of(request).look(_get, refs)
    lines: list[dict[str, Any]] = [
        {"owner": serialize.fields(row.owner, "kind platform name")}
        | {"space": None if row.space is None else row.space.name}
        | serialize.memory(row.memory)
        for row in matches.rows
        if not row.memory.archived
        and not row.memory.withheld  # a file outlives the time for which it can be taken back
    ]
    body = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode("utf-8", "backslashreplace")
    headers = {"content-disposition": 'attachment; filename="memories.jsonl"', "cache-control": "no-store"}
    return Response(body, 200, headers, "application/x-ndjson")


@router.get("/memories/{number}")
async def one_memory(request: Request, number: str) -> Response:
    """Show a memory and what happened to it."""
    return await _shown(request, number_of(number))


@router.post("/memories/{number}/undo")
async def undo(request: Request, number: str) -> Response:
    """Take back a memory's last change; of one that is new, which would be deleted, only once that is confirmed."""
    memory_id = number_of(number)
    if request.state.form.get("deletes") != "1" and await memory_of(request).look(_is_new, memory_id):
        return await _shown(request, memory_id, asks=True)
    await memory_of(request).permit("undo_anything", None, request.state.visitor.grant, about=f"memory {memory_id}")
    last = optional_number(request.state.form.get("last"))
    outcome = await memory_of(request).apply(operator_queries.undo_shown, memory_id, last)
    return await _shown(request, memory_id, outcome)


@dataclass(frozen=True)
class _Matches:
    """Memories that were found, with what a page tells of them.

    Attributes:
        leaves_people_out: Whether more people have this in their name than memories were looked for of.
    """

    rows: Sequence[Listed]
    ages: Mapping[int, int]
    places: Mapping[int, PlaceName]
    person: tuple[Owner, str] | None
    now: datetime
    leaves_people_out: bool = False


def _find(tx: Tx, filters: Filters, limit: int) -> _Matches:
    rows = filters.rows(tx.now)
    if filters.person is None and not filters.who:
        return _told(tx, tx.operator.list_memories(rows, filters.cursor, limit), None)
    numbers = (
        [filters.person]
        if filters.person is not None
        else [person.owner for person in find_people(tx, filters.who, 0, _MOST_PEOPLE + 1)[0]]
    )
    owners = [tx.owners.find_by_id(number) for number in numbers[:_MOST_PEOPLE]]
    people = [owner for owner in owners if owner is not None and owner.kind == "person"]  # nobody: nothing, not all
    matches = {row.id: row for person in people for row in _of_person(tx, person, filters, rows)}
    best = sorted(matches.values(), key=rows.cursor, reverse=True)[:limit]
    matches_told = _told(tx, best, people[0] if filters.person and people else None)
    return replace(matches_told, leaves_people_out=len(numbers) > _MOST_PEOPLE)


def _of_person(tx: Tx, person: Owner, filters: Filters, wanted: Rows) -> list[StoredMemory]:
    own = listing(tx, alone(person.platform, person.name)).memories
    hidden = [archived for archived in tx.memories.list_all(person.id) if archived.archived] if wanted.hidden else []
    low, high = wanted.confidence
    scoped = [
        memory
        for memory in (*own, *hidden)
        if wanted.kind in (None, memory.kind)
        and wanted.type in (None, memory.type)
        and wanted.space in (None, memory.space)
        and (wanted.since is None or memory.updated_at >= wanted.since)
        and low <= memory.confidence <= high
        and wanted.cursor(memory) < filters.cursor
    ]
    return [memory for memory in scoped if fits_beginnings(f" {tx.memories.get_words(memory)} ", wanted.words)]


def _get(tx: Tx, refs: Mapping[int, Collection[int]]) -> _Matches:
    rows = [row for owner, ids in refs.items() for row in tx.memories.get_many(owner, ids).values()]
    return _told(tx, sorted(rows, key=lambda row: row.id, reverse=True), None)


def _told(tx: Tx, rows: Iterable[StoredMemory], person: Owner | None) -> _Matches:
    memories = with_names(tx, rows)
    numbers = {number for memory in memories for number in (memory.owner, memory.space)} - {EVERYWHERE}
    owners = {number: owner for number in numbers if (owner := tx.owners.find_by_id(number)) is not None}
    people = tx.operator.names_of({memory.owner for memory in memories} | ({person.id} if person else set()))
    listed = [_listed(memory, owners, people) for memory in memories if memory.owner in owners]
    called = None if person is None else (person, people.get(person.id, person.name))
    return _Matches(listed, ages_now(tx, memories), place_names(tx, owners.values()), called, tx.now)


def _listed(memory: StoredMemory, owners: Mapping[int, Owner], people: Mapping[int, str]) -> Listed:
    owner = owners[memory.owner]
    space = None if memory.space == EVERYWHERE else owners.get(memory.space)
    return Listed(memory, owner, people.get(owner.id, owner.name), space)


def _spaces(tx: Tx) -> tuple[list[Owner], dict[int, PlaceName]]:
    spaces = tx.operator.list_spaces(0, _SPACES)
    return spaces, place_names(tx, spaces)


def _refs(request: Request) -> dict[int, dict[int, int | None]]:
    """The memories that a form names, by owner, each with the version that was shown."""
    refs: defaultdict[int, dict[int, int | None]] = defaultdict(dict)
    for ref in dict.fromkeys(request.state.form.all("id").split(",")[:_MOST_CHOSEN]):
        owner, _, memory = ref.partition("-")
        if owner.isdecimal() and len(ref) < 60:
            refs[int(owner)] |= versions_of(memory)
    return dict(refs)


def _people_shown(matches: _Matches) -> int:
    """Of how many people memories were looked for, where there are more; 0: of all."""
    return _MOST_PEOPLE if matches.leaves_people_out else 0


async def _preview(request: Request, matches: _Matches) -> Response:
    values: dict[str, Any] = {"rows": matches.rows, "ages": matches.ages, "places": matches.places}
    values |= {"most": _MOST_CHOSEN, "people_shown": _people_shown(matches)}
    return page(request, "memories_chosen.html", **values)


async def _change(
    request: Request, operation: str, change: Callable[[Tx, int, list[int]], list[int]], done: str
) -> Response:
    refs = _refs(request)
    about = f"{sum(map(len, refs.values()))} memories"
    await memory_of(request).permit(operation, None, request.state.visitor.grant, about=about)
    changed = [
        f"{owner}-{number}"
        for owner, ids in refs.items()
        for number in await memory_of(request).apply(_change_as_shown, change, owner, ids)
    ]
    return page(request, "memories_changed.html", done=done, changed=changed)


def _change_as_shown(
    tx: Tx, change: Callable[[Tx, int, list[int]], list[int]], owner: int, versions: Mapping[int, int | None]
) -> list[int]:
    """Change those of an owner's memories that are as they were shown; the others are left alone."""
    now = {id_: memory.version for id_, memory in tx.memories.get_many(owner, versions).items()}
    return change(tx, owner, [id_ for id_, shown in versions.items() if shown is None or shown == now.get(id_)])


def _is_new(tx: Tx, number: int) -> bool:
    change = operator_changes.last_change(operator_queries.trail(tx, number))
    return change is not None and operator_changes.makes_new(change)


async def _shown(
    request: Request,
    number: int,
    undone: Changed | NotFound | Conflict | Refused | Stale | None = None,
    *,
    asks: bool = False,
) -> Response:
    memory = memory_of(request)
    events, matches, origin, names = await memory.look(_story, number)
    if not events:
        return page(request, "no_such_memory.html", 404)
    listed = matches.rows[0] if matches is not None and matches.rows else None
    change = operator_changes.last_change(events)
    values: dict[str, Any] = {
        "listed": listed,
        "events": events[::-1],
        "number": number,
        "origin": origin,
        "ages": {} if matches is None else matches.ages,
        "places": {} if matches is None else matches.places,
        "names": names,
        "is_new": change is not None and operator_changes.makes_new(change),
        "asks": asks,
    }
    part = "memory_part.html" if "hx-request" in request.headers else "memory.html"
    if isinstance(undone, Refused):
        values["refusal"] = refusal(undone, language_of(request), memory.settings.undo_hours)
    return page(request, part, undone=undone, outcome=type(undone).__name__, **values)


def _story(tx: Tx, number: int) -> tuple[list[Event], _Matches | None, Origin | None, dict[str, str]]:
    owner = tx.memories.find_owner(number)
    if owner is None:
        return [], None, None, {}
    events = with_names_in_trail(tx, tx.audit.history(owner, number))
    names = actor_names(tx, [(owner, event.actor) for event in events])
    memory = tx.memories.get(owner, number)
    if memory is None or not tx.owners.exists(owner):
        return events, None, None, names
    return events, _told(tx, [memory], None), origin_of_any(tx, number), names
