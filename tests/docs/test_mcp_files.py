"""What programs read about the MCP server is right: examples, server.json, llms.txt, AGENTS.md."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from zgadka._version import __version__
from zgadka.cli.main import app
from zgadka.mcp.declare import offered
from zgadka.mcp.views import PROMPTS, RESOURCES, TEMPLATES
from zgadka.settings import McpTier, Settings
from zgadka.tools.registry import REGISTRY, TIERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text()
AGENTS = (ROOT / "AGENTS.md").read_text()
EXAMPLES = sorted((ROOT / "examples" / "mcp").glob("*.json"))
_COMMAND: Any = typer.main.get_command(app)
OPTIONS = {option for one in _COMMAND.commands["mcp"].params for option in one.opts}


def _refuse(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in pairs}) == len(pairs), "a name comes twice"
    return dict(pairs)


def read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_refuse)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_an_example_is_json_on_the_page_and_starts_the_program(example: Path):
    assert f"```json\n{example.read_text()}```" in PAGE
    config = read(example.read_text())
    key = "servers" if example.name.startswith("vscode") else "mcpServers"
    assert set(config) == {key}
    for server in config[key].values():
        assert set(server) <= {"type", "command", "args", "env"}
        arguments: list[str] = server["args"]
        assert server["command"] == "/path/to/the/clone/run"
        assert arguments[0] == "mcp"
        assert {one for one in arguments[1:] if one.startswith("--")} <= OPTIONS
        assert set(server.get("env", {})) <= _variables()


def test_there_is_an_example_for_each_application_and_no_other_json_on_the_page():
    assert [one.name for one in EXAMPLES] == ["claude_desktop_config.json", "cursor.mcp.json", "vscode.mcp.json"]
    assert PAGE.count("```json\n") == len(EXAMPLES)


def test_the_registrys_file_describes_this_version_and_its_command():
    server = read((ROOT / "server.json").read_text())
    assert re.fullmatch(r"[a-z0-9.-]+/[a-z0-9-]+", server["name"])
    assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text()
    assert len(server["description"]) <= 100
    (package,) = server["packages"]
    assert server["version"] == package["version"] == __version__
    assert package["registryType"] == "pypi"
    assert package["identifier"] == "zgadka"
    assert package["transport"] == {"type": "stdio"}
    assert package["runtimeArguments"][0]["value"] == f"zgadka[mcp]=={__version__}"
    assert package["packageArguments"][0]["value"] == "mcp"
    variables = {one["name"]: one for one in package["environmentVariables"]}
    assert set(variables) <= _variables()
    assert variables["ZGADKA_MCP_TIER"]["choices"] == list(get_args(McpTier)) == list(TIERS)
    for name, setting in (("ZGADKA_MCP_TIER", "mcp_tier"), ("ZGADKA_MCP_USER", "mcp_user")):
        assert variables[name]["default"] == getattr(Settings(), setting)


def test_the_page_knows_options_settings_tiers_resources_and_prompts():
    assert set(re.findall(r"^\| `(--\w+)`", PAGE, re.MULTILINE)) == OPTIONS - {"--http", "--port"}
    assert set(re.findall(r"`(ZGADKA_MCP_\w+)`", PAGE)) == {one for one in _variables() if "_MCP_" in one}
    sizes = {tier: len(offered(REGISTRY, tier)) for tier in TIERS}
    assert f"`minimal`: {sizes['minimal']} tools" in PAGE
    assert f"`lean`: {sizes['lean']} (" in PAGE
    assert f"the facts, {sizes['standard']}; `full`: all {sizes['full']} but" in PAGE
    assert re.findall(r"^\| `(memory://[^`]+)`", PAGE, re.MULTILINE) == [
        *(one["uri"] for one in RESOURCES),
        *(one["uri_template"] for one in TEMPLATES),
    ]
    said = PAGE.partition("Prompts: ")[2].partition("\n\n")[0]
    assert re.findall(r"`(\w+)`", said) == [one.name for one in PROMPTS]


def test_agents_are_told_of_tools_that_there_are_with_all_that_they_need():
    table = re.findall(r"^\| [^|`]+ \| `(\w+)`(.*) \|$", AGENTS, re.MULTILINE)
    assert {name for name, _ in table} <= {tool.name for tool in offered(REGISTRY, "standard")}
    for name, rest in table:
        tool = REGISTRY[name]
        named = set(re.findall(r"`(\w+)`", rest))
        assert named <= {one.name for one in tool.parameters}
        needed = {one.name for one in tool.parameters if one.required} - {"user_id"}
        assert name == "forget" or named >= needed
    types = re.findall(r"`fact_type` is one of ([^.]+)\.", AGENTS)[0].split(", ")
    declared = next(one for one in REGISTRY["remember_fact"].parameters if one.name == "fact_type")
    assert types == declared.schema["enum"]


def test_llms_txt_has_the_shape_that_readers_expect_and_its_links_lead_somewhere():
    """As https://llmstxt.org has it: a title, a quoted summary, then lists of links under headings."""
    text = (ROOT / "llms.txt").read_text()
    assert re.match(r"# \w+\n\n> ", text)
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(sections) >= 2
    for section in sections:
        for line in section.split("\n")[2:]:
            if line:
                link = re.fullmatch(r"- \[[^\]]+\]\(([^)]+)\): .+", line)
                assert link, line
                assert (ROOT / link[1]).is_file(), link[1]


def _variables() -> set[str]:
    return {f"ZGADKA_{one.name.upper()}" for one in fields(Settings)}
