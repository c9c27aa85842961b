"""The formats by name, and the way from a file to a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.transfer.external.apply import Report, Target, import_entries
from zgadka.transfer.external.chatgpt import read_chatgpt
from zgadka.transfer.external.claude import read_claude
from zgadka.transfer.external.entries import Entry
from zgadka.transfer.external.files import readable
from zgadka.transfer.external.gryag import read_gryag
from zgadka.transfer.external.langgraph_store import read_langgraph
from zgadka.transfer.external.mcp_memory import read_mcp_memory
from zgadka.transfer.external.mem0 import read_mem0

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
    target: Target,
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
        return await import_entries(
            memory, FORMATS[source](path), target, source=source, dry_run=dry_run, progress=progress
        )
