"""`zgadka demo`: a made-up world to look around in."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from zgadka.cli.shell import say
from zgadka.text.plural import counted

_TOUR = """\
All of it is made up: {messages} and {calls} of five people
in two groups, over two months, ending today. Look around (in a clone, `./run`
stands for `zgadka`):

  zgadka stats --db {url}
  zgadka search catan --db {url}
  zgadka list --user 101 --platform demo --db {url}
  zgadka serve --no-auth --db {url}
      and open http://127.0.0.1:8765/dashboard

People: 101 Olena, 102 Max, 103 Тарас, 104 Priya, 105 Jonas.
Groups: -1001 (Board games), -1002 (Sunday runners).
When you have seen enough, delete the file."""


def demo(
    db: Annotated[str, typer.Option("--db", help="The database to fill; it must be empty.")] = "sqlite:///demo.db",
) -> None:
    """Fill an empty database with a small made-up world. Then print what to look at."""
    from zgadka.assemble import open_memory  # noqa: PLC0415  (`zgadka --help` needs no database)
    from zgadka.demo.fill import Clock, fill  # noqa: PLC0415  (as above)
    from zgadka.settings import Settings  # noqa: PLC0415  (as above)

    clock = Clock(lambda: datetime.now(UTC))
    settings = replace(Settings.load(), memory_tool_async=False, background=False)

    async def run() -> dict[str, int]:
        async with open_memory(db, settings=settings, clock=clock) as memory:
            return await fill(memory, clock)

    counts = asyncio.run(run())
    messages, calls = counted(counts["messages"], "message"), counted(counts["calls"], "tool call")
    say(_TOUR.format(messages=messages, calls=calls, url=db))
