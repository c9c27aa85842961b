"""What other installed packages add, by the entry points that they declare; loaded when it is named, and only then."""

from __future__ import annotations

from typing import Any, Literal

from zgadka.errors import SettingsError

Group = Literal["tools", "embedders", "stores", "bots"]


def extension(group: Group, name: str) -> Any | None:
    """What a package offers under the name, in the group `zgadka.GROUP`; None: none that is installed does.

    Raises:
        SettingsError: Two packages offer it, or it cannot be loaded.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  (it takes longer to load than all else that starts)

    entries = list(entry_points(group=f"zgadka.{group}", name=name))
    if not entries:
        return None
    packages = sorted({entry.dist.name for entry in entries if entry.dist is not None})
    if len(packages) > 1:
        raise SettingsError(f"{', '.join(packages)} all offer {name!r} in zgadka.{group}: remove all but one")
    try:
        return entries[0].load()
    except Exception as error:
        raise SettingsError(
            f"{name!r} of {', '.join(packages)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def extension_names(group: Group) -> list[str]:
    """The names under which installed packages offer something, sorted."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (as above)

    return sorted({entry.name for entry in entry_points(group=f"zgadka.{group}")})
