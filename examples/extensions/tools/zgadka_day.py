"""The tool set `day`: ZGADKA_EXTRA_TOOLS=day offers it beside zgadka's own."""

from random import Random

from zgadka import ToolResult, Turn
from zgadka.model.outcome import NoAccess
from zgadka.ops.list_memories import told_memories
from zgadka.stores.tx import Tx
from zgadka.tools.declare import Tool


def memory_of_the_day(tx: Tx, *, turn: Turn) -> ToolResult:
    """Pick one thing that is remembered of the person you talk to, another each day, to begin a talk with."""
    memories = told_memories(tx, turn)  # what may be told here, and to whom, is decided there
    if isinstance(memories, NoAccess) or not memories:
        return ToolResult("success", "Nothing is remembered.")
    memory = Random(f"{turn.user_key} {tx.now:%Y-%m-%d}").choice(memories)
    return ToolResult("success", memory_id=memory.id, content=memory.text)


TOOLS = (Tool(memory_of_the_day, set="day", title="Memory of the day", read_only=True),)
