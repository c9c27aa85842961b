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
        return [tool for tool in self if tool.set in sets]


TIERS: dict[McpTier, tuple[str, ...]] = {
    "minimal": ("core",),
    "standard": ("core", "facts"),
    "full": ("core", "facts", "episodes", "notes", "insight"),
}
"""The tool sets of each tier. The more tools a model is shown, the worse it chooses."""


def chosen_sets(settings: Settings) -> tuple[str, ...]:
    """The tool sets that the setting `chat_tools` names.

    Raises:
        SettingsError: It names one that does not exist.
    """
    names = tuple(name.strip().casefold() for name in settings.chat_tools.split(",") if name.strip())
    for name in names:
        if name not in TIERS["full"]:
            raise SettingsError(f"chat_tools has {name!r}: give some of {', '.join(TIERS['full'])}")
    return names


REGISTRY = Registry((*CORE, *FACTS, *EPISODES, *NOTES, *INSIGHT))
