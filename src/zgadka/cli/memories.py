"""The commands about memories, as an operator sees them: `zgadka list`, `search`, `show`, `history`, `undo`, …."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from zgadka.cli.shell import Steps, note, over_memory, say
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
    """List memories. For operators."""
    from zgadka.ops.operator_queries import inventory  # noqa: PLC0415

    await _permit(memory, "list")
    items = await memory.look(inventory, platform=platform, user=user, space=space, archived=archived)
    _print(items[:limit], memory.settings.zone, as_json=as_json)
    more = "" if limit is None or len(items) <= limit else f"; --limit {limit} left out {len(items) - limit}"
    note(counted(len(items), "memory", "memories") + more)


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
    """Search memories by words or how words begin. Newest first; for operators."""
    from zgadka.ops.operator_queries import find_by_words  # noqa: PLC0415

    await _permit(memory, "search")
    text = " ".join(words)
    items = await memory.look(
        find_by_words, text, platform=platform, user=user, space=space, archived=archived, limit=limit + 1
    )
    _print(items[:limit], memory.settings.zone, as_json=as_json)
    count = counted(min(len(items), limit), "memory", "memories")
    note(f"{count}; there are more: --limit" if len(items) > limit else count)


async def show(memory: Memory, memory_id: MemoryId, as_json: AsJson = False) -> None:
    """Show a memory and its history. What it says, whose it is, where it is visible, and each change."""
    from zgadka.ops.operator_queries import kept, trail  # noqa: PLC0415

    await _permit(memory, f"memory {memory_id}")
    item, events = await memory.look(kept, memory_id), await memory.look(trail, memory_id)
    if not events:
        raise InvalidInput(f"no memory has ever had ID {memory_id}")
    zone = memory.settings.zone
    told = {} if item is None else _as_json(item, zone)
    if as_json:
        history = [_event(event, zone) for event in events]
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
    as_json: AsJson = False,
) -> Steps:
    """Show the history of a memory. Each change with its time, who made it and why, and the text before and after."""
    from zgadka.ops.allow import operator_trail  # noqa: PLC0415
    from zgadka.ops.operator_queries import trail  # noqa: PLC0415

    if (memory_id is None) is not operators:
        raise InvalidInput("give a memory's ID, or --operators")
    memory = yield
    zone = memory.settings.zone
    if memory_id is None:
        events = await memory.look(operator_trail)
        for event in events:
            plain = f"{event.number}. {second_in(zone, event.at)} {event.actor} {event.action}: {event.reason}"
            say(_event_json(event, zone) if as_json else plain)
        if not events:
            note("nothing was read or changed by operators")
        return
    await _permit(memory, f"memory {memory_id}")
    events = await memory.look(trail, memory_id)
    for event in events:
        say(_event_json(event, zone) if as_json else _change(event, zone))
    if not events:
        raise InvalidInput(f"no memory has ever had ID {memory_id}")


async def why(memory: Memory, memory_id: MemoryId, as_json: AsJson = False) -> None:
    """Show which messages a memory comes from, who wrote them and when."""
    from zgadka.ops.operator_queries import origin_of_any  # noqa: PLC0415

    await _permit(memory, f"memory {memory_id}")
    origin, zone = await memory.look(origin_of_any, memory_id), memory.settings.zone
    if origin is None:
        raise InvalidInput(f"no memory has ID {memory_id}")
    if as_json:
        sources = [
            {
                "at": second_in(zone, source.at),
                "by": source.name,
                "space": None if source.place is None else source.place.name,
                "text": source.text,
            }
            for source in origin.sources
        ]
        told = {"id": memory_id, "text": origin.memory.text, "how": origin.how, "at": second_in(zone, origin.at)}
        say(json.dumps(told | {"by": origin.name, "sources": sources}, ensure_ascii=False))
        return
    say(f"{origin.memory.text}{origin.memory.span_in(zone)}")
    for source in origin.sources:
        where = "" if source.place is None else f" in {source.place.name}"
        say(f"{second_in(zone, source.at)} {source.name}{where}: {preview(source.text or '')}")
    deed = {"agreed": "confirmed", "by_hand": "written by hand"}.get(origin.how, origin.how)
    say(f"{second_in(zone, origin.at)} {origin.name}: {deed}")


async def undo(memory: Memory, memory_id: MemoryId) -> None:
    """Undo the last change of a memory. Possible for 24 hours, or as long as ZGADKA_UNDO_HOURS says."""
    from zgadka.model.outcome import Changed, Conflict, NotFound, Refused  # noqa: PLC0415
    from zgadka.model.token import SHELL  # noqa: PLC0415
    from zgadka.ops.operator_queries import undo as take_back  # noqa: PLC0415

    await memory.permit("undo_anything", None, SHELL, about=f"memory {memory_id}")
    outcome = await memory.apply(take_back, memory_id)
    match outcome:
        case Changed(memory=changed, before=before) as back:
            # What a change had made is not there any more.
            end = " is no longer remembered" if changed == before or changed.archived else ""
            others = f"; {counted(back.others_back, 'more memory', 'more memories')} back" if back.others_back else ""
            say(f"Undone: ID:{changed.id} {changed.text}{end}{others}")
        case NotFound():
            raise InvalidInput(f"no memory has ever had ID {memory_id}")
        case Conflict(other):
            raise InvalidInput(f"not undone: {other.text!r} (ID:{other.id}) has taken its place")
        case Refused(reason):
            raise InvalidInput(f"not undone: {reason}")


async def stats(memory: Memory, as_json: AsJson = False) -> None:
    """Count people, spaces, memories, messages and the rest."""
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    if as_json:
        say(json.dumps(counts))
        return
    for name, count in counts.items():
        say(f"{name:13} {count:>12,}")


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(name="list")(over_memory(reads=True)(list_))
    for command in (search, show, history, why, stats):
        app.command()(over_memory(reads=True)(command))
    app.command()(over_memory(clock=True, reads=True)(undo))


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


def _event(event: Event, zone: tzinfo) -> dict[str, Any]:
    return {"at": second_in(zone, event.at), "actor": event.actor, "action": event.action, "reason": event.reason}


def _event_json(event: Event, zone: tzinfo) -> str:
    texts = {"before": event.before, "after": event.after}
    told = {name: None if memory is None else memory.text for name, memory in texts.items()}
    return json.dumps({"number": event.number} | _event(event, zone) | told, ensure_ascii=False)


def _change(event: Event, zone: tzinfo) -> str:
    old_text = "–" if event.before is None else preview(event.before.text)
    new_text = "–" if event.after is None else preview(event.after.text)
    reason = f" ({event.reason})" if event.reason else ""
    return f"{event.number}. {second_in(zone, event.at)} {event.actor} {event.action}{reason}: {old_text} → {new_text}"
