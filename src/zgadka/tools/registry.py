"""All tools, by name and by set."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Iterator
from typing import Any

from zgadka.errors import InvalidInput, SettingsError, UnknownTool
from zgadka.extensions import extension, extension_names
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

CHAT = ("core", "facts", "episodes")
"""The sets of a chat whose model has room for them."""
_ROOM_FOR_MANY = 16_384
"""A model that reads fewer tokens at once has no room for more than the lean tools beside a talk and its memories."""


def chosen_sets(settings: Settings, also: Iterable[str] = ()) -> tuple[str, ...]:
    """The tool sets that the setting `chat_tools` names, a tier or sets; `auto` looks at how much the model reads.

    Args:
        also: What a host adds, unless the lean tools were chosen; what `extra_tools` names comes with any.

    Raises:
        SettingsError: It names one that does not exist.
    """
    written = settings.chat_tools.strip().casefold()
    if written == "auto":
        written = "lean" if 0 < settings.model_context_tokens < _ROOM_FOR_MANY else ",".join(CHAT)
    tiers: dict[str, tuple[str, ...]] = {**TIERS}
    names = tiers.get(written) or tuple(name.strip() for name in written.split(",") if name.strip())
    for name in names:
        if name not in TIERS["full"] and names != TIERS["lean"]:
            choices = f"auto, lean, standard, full, or some of {', '.join(TIERS['full'])}"
            raise SettingsError(f"chat_tools has {name!r}: give {choices}")
    extra = extra_sets(settings)
    return (*names, *extra) if names == TIERS["lean"] else tuple(dict.fromkeys((*names, *also, *extra)))


def extra_sets(settings: Settings) -> tuple[str, ...]:
    """The names in the setting `extra_tools`."""
    return tuple(dict.fromkeys(name for part in settings.extra_tools.split(",") if (name := part.strip())))


REGISTRY = Registry((*CORE, *FACTS, *EPISODES, *NOTES, *INSIGHT, *LEAN))


def registry_of(settings: Settings) -> Registry:
    """All tools: ours, and those of other packages that the setting `extra_tools` names.

    Raises:
        SettingsError: No installed package has such a set, or what it has is no set of tools, or a name is taken.
    """
    names = extra_sets(settings)
    if not names:
        return REGISTRY
    tools = list(REGISTRY)
    for name in names:
        tools += _extra_tools(name, {tool.name for tool in tools})
    return Registry(tools)


def _extra_tools(name: str, taken: Container[str]) -> list[Tool]:
    if name in {tool.set for tool in REGISTRY}:
        raise SettingsError(f"extra_tools has {name!r}, a set of zgadka's own: chat_tools and mcp_tier choose it")
    offered = extension("tools", name)
    if offered is None:
        installed = ", ".join(extension_names("tools")) or "none"
        raise SettingsError(f"extra_tools has {name!r}, which no installed package offers; there are: {installed}")
    tools: list[Any] = [*offered] if isinstance(offered, Iterable) else [offered]
    for tool in tools:
        if not isinstance(tool, Tool) or tool.set != name:
            raise SettingsError(f"extra_tools: {name!r} has {tool!r:.80}, which is no tool of the set {name!r}")
        if tool.name in taken:
            raise SettingsError(f"extra_tools: {name!r} has a tool {tool.name!r}, and there is one already")
    return tools
