"""The formats by name, and the way from a file to a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from zgadka.adapters.importers.apply import Report, Whose, take_in_all
from zgadka.adapters.importers.chatgpt import read_chatgpt
from zgadka.adapters.importers.claude import read_claude
from zgadka.adapters.importers.entries import Entry
from zgadka.adapters.importers.files import readable
from zgadka.adapters.importers.gryag import read_gryag
from zgadka.adapters.importers.langgraph_store import read_langgraph
from zgadka.adapters.importers.mcp_memory import read_mcp_memory
from zgadka.adapters.importers.mem0 import read_mem0
from zgadka.engine import Memory
from zgadka.errors import InvalidInput

FORMATS: dict[str, Callable[[Path], Iterator[Entry]]] = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "gryag": read_gryag,
    "langgraph": read_langgraph,
    "mcp-memory": read_mcp_memory,
    "mem0": read_mem0,
}


async def import_from(
    memory: Memory,
    source: str,
    path: Path,
    whose: Whose,
    *,
    dry_run: bool = False,
    progress: Callable[[int], object] = lambda _: None,
) -> Report:
    """Take in what another program remembered; for operators.

    Args:
        source: One of `FORMATS`.
        dry_run: Only say what would be done.
        progress: Is told how many entries more were read.

    Raises:
        InvalidInput: The format is not known, or the file is broken; nothing was kept.
    """
    if source not in FORMATS:
        raise InvalidInput(f"no format {source!a}; there are {', '.join(FORMATS)}")
    with readable(path):
        return await take_in_all(
            memory, FORMATS[source](path), whose, source=source, dry_run=dry_run, progress=progress
        )
