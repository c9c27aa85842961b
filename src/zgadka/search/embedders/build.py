"""From settings to an embedder. Only this file is loaded where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zgadka.errors import MissingExtra, SettingsError
from zgadka.settings import Settings

if TYPE_CHECKING:
    from zgadka.search.embedders.port import Embedder


def build_embedder(settings: Settings) -> Embedder | None:
    """Make the embedder that the setting `embedder` names; None where it names none.

    Raises:
        SettingsError: There is no such embedder, or it has no model.
        MissingExtra: The embedder's packages are not installed.
    """
    kind, _, model = settings.embedder.partition(":")
    match kind:
        case "":
            return None
        case "local" if not model:
            return _local(settings)
        case _:
            raise SettingsError(f"no embedder {settings.embedder!r}; there is local")


def _local(settings: Settings) -> Embedder:
    try:
        from zgadka.search.embedders.local import LocalEmbedder, packaged_model  # noqa: PLC0415  (comes with an extra)
    except ImportError as error:
        raise MissingExtra("the embedder 'local'", "embed-local") from error
    return LocalEmbedder(Path(settings.embedder_path)) if settings.embedder_path else packaged_model()
