"""The commands about memories, as an operator sees them: `zgadka list`, `search`, `show`, `history`, `undo`, …."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from zgadka.cli.shell import Steps, over_memory, say
from zgadka.errors import InvalidInput
from zgadka.model.timestamps import second_in
from zgadka.text.plural import counted
from zgadka.text.sanitize import preview

if TYPE_CHECKING:
    from datetime import tzinfo

    from zgadka.engine import Memory
    from zgadka.model.memory import Event
    from zgadka.ops.operator_queries import Kept

MemoryId = Annotated[int, typer.Argument(metavar="ID", help="The memory ID.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON: one object per line.")]
User = Annotated[str | None, typer.Option(help="Only this person's memories.")]
VisibleIn = Annotated[str | None, typer.Option("--space", "--chat", help="Only memories visible in this space.")]
OfPlatform = Annotated[str | None, typer.Option("--platform", help="Only this platform.")]
Archived = Annotated[bool, typer.Option("--all", help="Include forgotten and merged memories.")]

_FOUND = 50
"""Memories that a search prints, unless told otherwise."""


async def list_(
    memory: Memory,
    user: User = None,
    space: VisibleIn = None,
    platform: OfPlatform = None,
    archived: Archived = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Print this many at most; default: all.")] = None,
    as_json: AsJson = False,
) -> None:
    """List memories, as an operator."""
    from zgadka.ops.operator_queries import inventory  # noqa: PLC0415

    await _permit(memory, "list")
    items = await memory.look(inventory, platform=platform, user=user, space=space, archived=archived)
    _print(items[:limit], memory.settings.zone, as_json=as_json)
    more = "" if limit is None or len(items) <= limit else f"; --limit {limit} left out {len(items) - limit}"
    say(counted(len(items), "memory", "memories") + more, file=sys.stderr)


async def search(
    memory: Memory,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Words, or how they begin; all must be there.")],
    user: User = None,
    space: VisibleIn = None,
    platform: OfPlatform = None,
    archived: Archived = False,
    limit: Annotated[int, typer.Option(min=1, help="Print this many at most.")] = _FOUND,
    as_json: AsJson = False,
) -> None:
    """Search memories by words or how words begin, newest first, as an operator."""
    from zgadka.ops.operator_queries import find_by_words  # noqa: PLC0415

    await _permit(memory, "search")
    text = " ".join(words)
    items = await memory.look(
        find_by_words, text, platform=platform, user=user, space=space, archived=archived, limit=limit + 1
    )
    _print(items[:limit], memory.settings.zone, as_json=as_json)
    count = counted(min(len(items), limit), "memory", "memories")
    say(f"{count}; there are more: --limit" if len(items) > limit else count, file=sys.stderr)


async def show(memory: Memory, memory_id: MemoryId, as_json: AsJson = False) -> None:
    """Show a memory: what it says, whose it is, where it is seen, and what happened to it."""
    from zgadka.ops.operator_queries import kept, trail  # noqa: PLC0415

    await _permit(memory, f"memory {memory_id}")
    item, events = await memory.look(kept, memory_id), await memory.look(trail, memory_id)
    if not events:
        raise InvalidInput(f"no memory has ever had ID {memory_id}")
    zone = memory.settings.zone
    told = {} if item is None else _as_json(item, zone)
    if as_json:
        history = [
            {"at": second_in(zone, event.at), "actor": event.actor, "action": event.action, "reason": event.reason}
            for event in events
        ]
        say(json.dumps({"id": memory_id} | told | {"history": history}, ensure_ascii=False))
        return
    for name, value in told.items():
        if value not in (None, "", [], False):
            say(f"{name:12} {_plain(value)}")
    if not told:
        say(f"{'id':12} {memory_id}, deleted")
    for event in events:
        say(_change(event, zone))


async def history(
    memory_id: Annotated[int | None, typer.Argument(metavar="ID", help="The memory ID.")] = None,
    operators: Annotated[
        bool, typer.Option("--operators", help="Instead: what operators read, changed or erased, and when.")
    ] = False,
) -> Steps:
    """Show a memory's audit trail: when, who, what, why, before and after."""
    from zgadka.ops.allow import operator_trail  # noqa: PLC0415
    from zgadka.ops.operator_queries import trail  # noqa: PLC0415

    if (memory_id is None) is not operators:
        raise InvalidInput("give a memory's ID, or --operators")
    memory = yield
    zone = memory.settings.zone
    if memory_id is None:
        events = await memory.look(operator_trail)
        for event in events:
            say(f"{event.number}. {second_in(zone, event.at)} {event.actor} {event.action}: {event.reason}")
        if not events:
            say("nothing was read or changed by operators", file=sys.stderr)
        return
    await _permit(memory, f"memory {memory_id}")
    events = await memory.look(trail, memory_id)
    for event in events:
        say(_change(event, zone))
    if not events:
        raise InvalidInput(f"no memory has ever had ID {memory_id}")


async def why(memory: Memory, memory_id: MemoryId) -> None:
    """Show where a memory comes from: which message said it, when and by whom."""
    from zgadka.ops.operator_queries import origin_of_any  # noqa: PLC0415

    await _permit(memory, f"memory {memory_id}")
    origin, zone = await memory.look(origin_of_any, memory_id), memory.settings.zone
    if origin is None:
        raise InvalidInput(f"no memory has ID {memory_id}")
    say(f"{origin.memory.text}{origin.memory.span_in(zone)}")
    for source in origin.sources:
        where = "" if source.place is None else f" in {source.place.name}"
        say(f"{second_in(zone, source.at)} {source.name}{where}: {preview(source.text or '')}")
    deed = {"agreed": "confirmed", "by_hand": "written by hand"}.get(origin.how, origin.how)
    say(f"{second_in(zone, origin.at)} {origin.name}: {deed}")


async def undo(memory: Memory, memory_id: MemoryId) -> None:
    """Undo a memory's last change, within the undo window."""
    from zgadka.model.outcome import Changed, Conflict, NotFound, Refused  # noqa: PLC0415
    from zgadka.model.token import SHELL  # noqa: PLC0415
    from zgadka.ops.operator_queries import undo as take_back  # noqa: PLC0415

    await memory.permit("undo_anything", None, SHELL, about=f"memory {memory_id}")
    outcome = await memory.apply(take_back, memory_id)
    match outcome:
        case Changed(changed):
            say(f"Undone: ID:{changed.id} {changed.text}")
        case NotFound():
            raise InvalidInput(f"no memory has ever had ID {memory_id}")
        case Conflict(other):
            raise InvalidInput(f"not undone: {other.text!r} (ID:{other.id}) has taken its place")
        case Refused(reason):
            raise InvalidInput(f"not undone: {reason}")


async def stats(memory: Memory, as_json: AsJson = False) -> None:
    """Show how much there is of everything."""
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    if as_json:
        say(json.dumps(counts))
        return
    for name, count in counts.items():
        say(f"{name:13} {count:>12,}")


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(name="list")(over_memory()(list_))
    for command in (search, show, history, why, stats):
        app.command()(over_memory()(command))
    app.command()(over_memory(clock=True)(undo))


async def _permit(memory: Memory, about: str) -> None:
    from zgadka.model.token import SHELL  # noqa: PLC0415

    await memory.permit("read_anything", None, SHELL, about=about)


def _print(items: Iterable[Kept], zone: tzinfo, *, as_json: bool) -> None:
    """Print memories: as JSON, as a table on a terminal, else as plain lines."""
    if as_json:
        for item in items:
            say(json.dumps(_as_json(item, zone), ensure_ascii=False))
    elif sys.stdout.isatty():
        _print_table(items, zone)
    else:
        for item in items:
            owner, visible = f"{item.owner.platform}:{item.owner.name}", _visible(item)
            say(f"ID:{item.memory.id}  {owner} {visible}  {_kind(item)}  {_text(item, zone)}")


def _print_table(items: Iterable[Kept], zone: tzinfo) -> None:
    from rich import box  # noqa: PLC0415  (it comes with Typer, and takes a tenth of a second)
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("ID", justify="right", no_wrap=True)
    for heading in ("Whose", "Seen", "Kind"):
        table.add_column(heading, overflow="fold")
    table.add_column("Memory", ratio=1, overflow="fold")
    for item in items:
        cells = (str(item.memory.id), f"{item.owner.platform}:{item.owner.name}", _visible(item), _kind(item))
        table.add_row(*map(Text, (*cells, _text(item, zone))))
    if table.row_count:
        Console(highlight=False).print(table)


def _visible(item: Kept) -> str:
    return "everywhere" if item.space is None else f"in {item.space.name}"


def _kind(item: Kept) -> str:
    return item.memory.type or item.memory.kind


def _text(item: Kept, zone: tzinfo) -> str:
    mark = " (archived)" if item.memory.archived else ""
    return f"{preview(item.memory.text)}{item.memory.span_in(zone)}{mark}"


def _as_json(item: Kept, zone: tzinfo) -> dict[str, Any]:
    memory = item.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "type": memory.type,
        "key": memory.key,
        "text": memory.text,
        "owner": {"kind": item.owner.kind, "platform": item.owner.platform, "id": item.owner.name},
        "space": None if item.space is None else item.space.name,
        "valid_from": None if memory.valid_from is None else second_in(zone, memory.valid_from),
        "valid_to": None if memory.valid_to is None else second_in(zone, memory.valid_to),
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "tags": list(memory.tags),
        "archived": memory.archived,
        "said_by": memory.said_by,
        "created_at": second_in(zone, memory.created_at),
        "updated_at": second_in(zone, memory.updated_at),
    }


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{value['platform']}:{value['id']} ({value['kind']})"
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return preview(str(value))


def _change(event: Event, zone: tzinfo) -> str:
    old_text = "–" if event.before is None else preview(event.before.text)
    new_text = "–" if event.after is None else preview(event.after.text)
    reason = f" ({event.reason})" if event.reason else ""
    return f"{event.number}. {second_in(zone, event.at)} {event.actor} {event.action}{reason}: {old_text} → {new_text}"
