"""Long-term memory for chat assistants and bots.

The model manages it through tools; the people it is about stay in control of it.
"""

from zgadka._version import __version__
from zgadka.assemble import open_memory
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, MissingExtra, SettingsError, StoreError, ZgadkaError
from zgadka.model.inference import Answered, Observed, SaveQuestion
from zgadka.model.memory import Event, StoredMemory
from zgadka.model.notice import Notice
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
