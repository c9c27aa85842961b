"""All tools, by name and by set."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from zgadka.errors import InvalidInput, SettingsError, UnknownTool
from zgadka.settings import McpTier, Settings
from zgadka.tools.core import CORE
from zgadka.tools.declare import Tool
from zgadka.tools.episodes import EPISODES
from zgadka.tools.facts import FACTS
from zgadka.tools.insight import INSIGHT
from zgadka.tools.lean import LEAN
from zgadka.tools.notes import NOTES


class Registry:
    """Tools by name, in the order in which they are declared."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __getitem__(self, name: str) -> Tool:
        """The tool with this name.

        Raises:
            UnknownTool: There is none; the text names those there are.
        """
        name = str(name)  # a model may give anything
        if name in self._tools:
            return self._tools[name]
        near = difflib.get_close_matches(name, self._tools, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UnknownTool(f"no tool {name!a}; {hint}there are {', '.join(self._tools)}")

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def select(self, *sets: str) -> list[Tool]:
        """The tools of the named sets.

        Raises:
            InvalidInput: A set that does not exist.
        """
        declared = list(dict.fromkeys(tool.set for tool in self))
        for name in sets:
            if name not in declared:
                raise InvalidInput(f"no tool set {name!r}; there are {', '.join(declared)}")
        return [tool for tool in self if tool.set in sets or tool.also_in in sets]


TIERS: dict[McpTier, tuple[str, ...]] = {
    "minimal": ("core",),
    "lean": ("lean",),
    "standard": ("core", "facts"),
    "full": ("core", "facts", "episodes", "notes", "insight"),
}
"""The tool sets of each tier. The more tools a model is shown, the worse it chooses."""

_CHAT = ("core", "facts", "episodes")
_ROOM_FOR_MANY = 16_384
"""A model that reads fewer tokens at once has no room for more than the lean tools beside a talk and its memories."""


def chosen_sets(settings: Settings, also: Iterable[str] = ()) -> tuple[str, ...]:
    """The tool sets that the setting `chat_tools` names, a tier or sets; `auto` looks at how much the model reads.

    Args:
        also: What a host adds, unless the lean tools were chosen.

    Raises:
        SettingsError: It names one that does not exist.
    """
    written = settings.chat_tools.strip().casefold()
    if written == "auto":
        written = "lean" if 0 < settings.model_context_tokens < _ROOM_FOR_MANY else ",".join(_CHAT)
    tiers: dict[str, tuple[str, ...]] = {**TIERS}
    names = tiers.get(written) or tuple(name.strip() for name in written.split(",") if name.strip())
    for name in names:
        if name not in TIERS["full"] and names != TIERS["lean"]:
            choices = f"auto, lean, standard, full, or some of {', '.join(TIERS['full'])}"
            raise SettingsError(f"chat_tools has {name!r}: give {choices}")
    return names if names == TIERS["lean"] else tuple(dict.fromkeys((*names, *also)))


REGISTRY = Registry((*CORE, *FACTS, *EPISODES, *NOTES, *INSIGHT, *LEAN))
