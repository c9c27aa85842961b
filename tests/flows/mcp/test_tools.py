"""The tools as MCP clients see them: declared from the one registry, called for the person of the connection."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from mcp_people import ANNA, ERAS, fields

from zgadka.mcp.declare import declaration, offered, output_schema
from zgadka.tools.registry import REGISTRY, TIERS

pytestmark = pytest.mark.asyncio
SHARED = replace(ANNA, direct=False)
FACT: dict[str, Any] = {"fact_type": "personal", "fact_key": "location", "confidence": 0.9}


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_of_the_registry_is_offered_with_title_schemas_and_all_hints(connect, era):
    client = await connect(era)
    listed = (await client.list_tools()).tools
    everything = REGISTRY.select(*TIERS["full"])
    assert [tool.name for tool in listed] == [tool.name for tool in everything]
    for shown, tool in zip(listed, everything, strict=True):
        assert shown.title == tool.title == shown.annotations.title
        assert shown.description.startswith(tool.description)
        hints = shown.annotations
        assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint) == (
            tool.read_only,
            tool.destructive,
            tool.idempotent,
            False,
        )
        for schema in (shown.input_schema, shown.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert shown.output_schema["required"] == ["status"]


async def test_the_tiers_are_sets_of_the_registry_each_within_the_next():
    names = {tier: [tool.name for tool in offered(REGISTRY, tier)] for tier in TIERS}
    assert names["minimal"] == ["remember", "recall", "forget"]
    assert names["lean"] == ["forget", "keep", "find", "change"]
    assert names["full"] == [tool.name for tool in REGISTRY if tool.set != "lean"]
    assert set(names["minimal"]) < set(names["standard"]) < set(names["full"])


async def test_where_the_person_is_alone_nobody_can_be_named():
    for tool in REGISTRY:
        declared = declaration(tool, ANNA)["inputSchema"]
        assert "user_id" not in declared["properties"]
        expected = [name for name in tool.schema["required"] if name != "user_id"]
        assert declared["required"] == expected


async def test_in_a_shared_space_the_person_need_not_name_themselves_and_nobody_clears_anothers_profile():
    for tool in REGISTRY:
        declared = declaration(tool, SHARED)["inputSchema"]
        named = "user_id" in tool.schema["properties"] and tool.name != "clear_profile"
        assert ("user_id" in declared["properties"]) is named
        assert "user_id" not in declared["required"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_fact_is_remembered_and_recalled_for_the_person_of_the_connection(connect, memory, era):
    client = await connect(era)
    kept = fields(await client.call_tool("remember_fact", FACT | {"fact_value": "Київ"}))
    assert kept["status"] == "success"
    found = fields(await client.call_tool("recall_facts", {"search_query": "Kyiv"}))
    assert [fact["value"] for fact in found["facts"]] == ["Київ"]
    there = await memory.recall_facts(turn=ANNA, user_id=1)
    assert there["count"] == 1


async def test_a_user_id_that_is_no_argument_here_is_refused(connect):
    client = await connect()
    result = await client.call_tool("recall_facts", {"user_id": 2})
    assert result.is_error
    assert fields(result)["status"] == "invalid_args"
    noted = await client.call_tool("remember", {"content": "chess", "user_id": 2})
    assert fields(noted)["status"] == "invalid_args"


async def test_no_mistake_is_answered_with_an_argument_that_is_none_here(connect):
    client = await connect()
    mistakes = [
        ("remember_fact", {}),
        ("remember_fact", {"fact": "chess"}),
        ("remember_facts", {"facts": [{}]}),
        ("recall", {"words": "chess"}),
        ("clear_profile", {}),
    ]
    for tool, arguments in mistakes:
        answer = await client.call_tool(tool, arguments)
        assert "argument" in str(answer.structured_content)
        assert "user_id" not in str(answer.structured_content)


async def test_no_description_names_an_argument_that_is_none_here():
    for tool in REGISTRY:
        declared = declaration(tool, ANNA)
        described = [field.get("description", "") for field in declared["inputSchema"]["properties"].values()]
        assert "pass the same user_id" not in declared["description"]
        assert not [text for text in described if "What user_id is" in text]


async def test_in_a_shared_space_another_member_can_be_named(connect, people):
    await people(2, platform="mcp", space="home", chat="mcp").speaks()
    client = await connect(who=SHARED)
    told = fields(await client.call_tool("remember_fact", FACT | {"fact_value": "Lviv", "user_id": 2}))
    assert told["status"] == "success"
    assert fields(await client.call_tool("recall_facts", {}))["count"] == 0
    assert fields(await client.call_tool("recall_facts", {"user_id": 2}))["count"] == 1


async def test_mistakes_are_answers_and_an_unknown_tool_is_an_error(connect):
    client = await connect(tier="minimal")
    missing = await client.call_tool("remember", {})
    assert missing.is_error
    assert fields(missing)["message"] == "missing argument 'content'; remember needs content"
    with pytest.raises(MCPError, match="no tool 'remember_fact'; there are remember, recall, forget"):
        await client.call_tool("remember_fact", {})


async def test_what_was_found_and_what_was_not_is_no_error(connect):
    client = await connect()
    assert not (await client.call_tool("forget", {"memory_id": "77"})).is_error
    assert not (await client.call_tool("recall", {"query": "chess"})).is_error


async def test_an_answer_is_within_the_budget_of_a_model_and_more_where_it_says_so(connect, memory):
    for number in range(60):
        content = f"plays game {number} {'for hours ' * 20}"
        await memory.call("remember", {"content": content}, replace(ANNA, turn=f"m-{number}"))
    client = await connect()
    short = fields(await client.call_tool("recall", {"query": "game"}))
    assert short["count"] == 10
    long = fields(await client.call_tool("recall", {"query": "game", "limit": 50, "after": short["after"]}))
    assert 30 < long["count"] <= 50
    assert not {row["memory_id"] for row in short["memories"]} & {row["memory_id"] for row in long["memories"]}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"content": "plays chess", "tags": ["games"]}),
    ("remember", {"content": "plays chess"}),
    ("recall", {"query": "chess", "explain": True}),
    ("forget", {"query": "chess"}),
    ("forget", {"memory_id": "1, 99"}),
    ("remember_fact", FACT | {"fact_value": "Kyiv"}),
    ("remember_fact", FACT | {"fact_value": "Kyiv"}),
    ("remember_fact", FACT | {"fact_value": "Lviv"}),
    ("remember_fact", FACT | {"fact_key": "hobby", "fact_value": "chess"}),
    ("remember_fact", FACT | {"fact_key": "hobby", "fact_value": "chess club"}),
    ("remember_facts", {"facts": [FACT | {"fact_value": value} for value in ("Kyiv", "Lviv")]}),
    ("recall_facts", {"search_query": "Kyiv", "explain": True}),
    ("update_fact", FACT | {"new_value": "Odesa", "change_reason": "update"}),
    ("update_fact", FACT | {"fact_key": "job", "new_value": "cook", "change_reason": "update"}),
    ("update_fact", FACT | {"fact_key": "hobby", "new_value": "go", "change_reason": "update"}),
    ("suggest_merge", {}),
    ("merge_facts", {"fact_ids": [3, 4], "merged_value": "chess, in a club", "merged_confidence": 0.9}),
    ("generate_profile_summary", {}),
    ("update_fact_with_temporal", FACT | {"fact_value": "Rome", "valid_from": "2026-01", "previous_value": "Odesa"}),
    ("update_fact_with_temporal", FACT | {"fact_value": "Oslo", "valid_from": "2020", "valid_to": "2027"}),
    ("recall_facts_global", {}),
    ("create_episode", {"topic": "Chess", "summary": "They played.", "importance": 0.8, "tags": ["chess"]}),
    ("create_episode", {"topic": "Chess", "summary": "They played.", "importance": 0.8}),
    ("recall_episodes", {"query": "chess", "explain": True}),
    ("update_episode", {"episode_id": 6, "additional_summary": "Anna won."}),
    ("archive_episode", {"episode_id": 6}),
    ("mark_important", {"importance_level": "high"}),
    ("create_long_term_memory", {"memory_content": "tea at five", "scope": "server_wide"}),
    ("create_long_term_memory", {"memory_content": "tea", "scope": "target_user", "target_user": "nobody"}),
    ("update_long_term_memory", {"memory_id": 7, "memory_content": "tea at six"}),
    ("update_long_term_memory", {"memory_id": 7, "memory_content": ""}),
    ("remember_relationship", {"related_user_id": 2, "relationship": "friend", "description": "since school"}),
    ("remember_relationship", {"related_user_id": 2, "relationship": "friend", "description": "for long"}),
    ("recall_relationships", {"depth": 2}),
    ("forget_fact", {"fact_type": "personal", "fact_key": "location", "reason": "outdated"}),
    ("forget_fact", {"fact_type": "personal", "fact_key": "pet", "reason": "outdated"}),
    ("keep", {"content": "Kharkiv", "fact_key": "location"}),
    ("keep", {"content": "Kharkiv", "fact_key": "location"}),
    ("keep", {"content": "Dnipro", "fact_key": "location"}),
    ("keep", {"content": "plays the lute"}),
    ("find", {"query": "lute"}),
    ("change", {"memory_id": 11, "content": "Dnipro", "because": "changed"}),
    ("change", {"memory_id": 13, "content": "plays the oud", "because": "wrong"}),
    ("change", {"memory_id": 99, "content": "x", "because": "wrong"}),
    ("clear_profile", {"reason": "asked"}),
    *((tool.name, {"nonsense": 1}) for tool in REGISTRY),
]


async def test_each_answer_is_what_the_tools_output_schema_says_and_nothing_else(connect, people):
    """The client checks answers against the schemas; here they must also leave out nothing that is answered."""
    await people(2, platform="mcp", space="home", chat="mcp").speaks()
    await people(1, platform="mcp", space="home", chat="mcp").speaks()
    clients = {tier: await connect(tier=tier, who=SHARED) for tier in ("full", "lean")}
    seen: dict[str, set[str]] = {}
    for name, arguments in CALLS:
        client = clients["lean" if REGISTRY[name].set == "lean" else "full"]
        answer = fields(await client.call_tool(name, arguments))
        seen.setdefault(name, set()).add(answer["status"])
        jsonschema.validate(answer, _closed(output_schema(REGISTRY[name])))
    assert set(seen) == {tool.name for tool in REGISTRY}
    failed = {name: statuses for name, statuses in seen.items() if not any("invalid" not in one for one in statuses)}
    assert not failed, "only mistakes were made with these"


def _closed(schema: Any) -> Any:
    """The schema with no room for what it does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return {"additionalProperties": False} | closed if "properties" in closed else closed


async def test_calls_of_one_connection_at_once_are_all_answered(connect):
    client = await connect()
    results = await asyncio.gather(*(client.call_tool("remember", {"content": f"note {n}"}) for n in range(20)))
    assert {fields(result)["status"] for result in results} == {"success"}
    assert len({fields(result)["memory_id"] for result in results}) == 20


async def test_the_server_introduces_itself(connect):
    client = await connect("legacy")
    assert client.server_info.name == "zgadka"
    assert "never an instruction" in client.instructions
