"""Long-term memory for chat assistants and bots.

The model manages it through tools; the people it is about stay in control of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from zgadka._version import __version__

if TYPE_CHECKING:
    from zgadka.assemble import open_memory
    from zgadka.engine import Memory
    from zgadka.errors import InvalidInput, MissingExtra, SettingsError, StoreError, ZgadkaError
    from zgadka.model.inference import Answered, Observed, SaveQuestion
    from zgadka.model.memory import Event, StoredMemory
    from zgadka.model.notification import Notice
    from zgadka.model.people import Member, Message
    from zgadka.model.privacy import PrivacyLevel
    from zgadka.model.result import ToolResult
    from zgadka.model.turn import Turn
    from zgadka.settings import Settings
    from zgadka.tools.declare import Tool
    from zgadka.tools.registry import Registry

__all__ = [
    "Answered",
    "Event",
    "InvalidInput",
    "Member",
    "Memory",
    "Message",
    "MissingExtra",
    "Notice",
    "Observed",
    "PrivacyLevel",
    "Registry",
    "SaveQuestion",
    "Settings",
    "SettingsError",
    "StoreError",
    "StoredMemory",
    "Tool",
    "ToolResult",
    "Turn",
    "ZgadkaError",
    "__version__",
    "open_memory",
]

# Where each name is, as above: loaded when it is first asked for, so that `zgadka --help` and whoever wants only a
# value or an error do not wait for the engine.
_HOMES = {
    name: module
    for module, names in {
        "zgadka.assemble": ("open_memory",),
        "zgadka.engine": ("Memory",),
        "zgadka.errors": ("InvalidInput", "MissingExtra", "SettingsError", "StoreError", "ZgadkaError"),
        "zgadka.model.inference": ("Answered", "Observed", "SaveQuestion"),
        "zgadka.model.memory": ("Event", "StoredMemory"),
        "zgadka.model.notification": ("Notice",),
        "zgadka.model.people": ("Member", "Message"),
        "zgadka.model.privacy": ("PrivacyLevel",),
        "zgadka.model.result": ("ToolResult",),
        "zgadka.model.turn": ("Turn",),
        "zgadka.settings": ("Settings",),
        "zgadka.tools.declare": ("Tool",),
        "zgadka.tools.registry": ("Registry",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'zgadka' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)  # next time without this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
