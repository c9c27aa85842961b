"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from zgadka.transfer.external.chatgpt import read_chatgpt
from zgadka.transfer.external.claude import read_claude
from zgadka.transfer.external.entries import Entry
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
