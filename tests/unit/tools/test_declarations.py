"""What models and providers see of the tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from zgadka.errors import InvalidInput, UnknownTool
from zgadka.tools import formats
from zgadka.tools.declare import Tool
from zgadka.tools.registry import REGISTRY, Registry

SNAPSHOTS = Path(__file__).parent / "snapshots"
REWRITE = "ZGADKA_REWRITE_SNAPSHOTS"
FORMATS = {
    "json_schema": formats.json_schema,
    "gemini": formats.gemini,
    "openai": formats.openai,
    "anthropic": formats.anthropic,
}
SETS = sorted({tool.set for tool in REGISTRY})
every_tool = pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)

TYPES = ["personal", "preference", "skill", "trait", "opinion", "relationship"]
CONFIDENCE = {"type": "number", "minimum": 0.5, "maximum": 1.0}
SHARE = {"type": "number", "minimum": 0.0, "maximum": 1.0}
INTEGER, TEXT, TYPE = {"type": "integer"}, {"type": "string"}, {"type": "string", "enum": TYPES}
# Seeds 003, 000 and 004: what each parameter promised, and which are required.
PROMISED: dict[str, tuple[dict[str, dict[str, Any]], list[str]]] = {
    "remember_fact": (
        {
            "user_id": INTEGER,
            "fact_type": TYPE,
            "fact_key": TEXT,
            "fact_value": TEXT,
            "confidence": CONFIDENCE,
            "source_excerpt": TEXT,
        },
        ["user_id", "fact_type", "fact_key", "fact_value", "confidence"],
    ),
    "recall_facts": (
        {
            "user_id": INTEGER,
            "fact_types": {"type": "array"},
            "search_query": TEXT,
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        ["user_id"],
    ),
    "update_fact": (
        {
            "user_id": INTEGER,
            "fact_type": TYPE,
            "fact_key": TEXT,
            "new_value": TEXT,
            "confidence": CONFIDENCE,
            "change_reason": {"type": "string", "enum": ["correction", "update", "refinement", "contradiction"]},
            "source_excerpt": TEXT,
        },
        ["user_id", "fact_type", "fact_key", "new_value", "confidence", "change_reason"],
    ),
    "merge_facts": (
        {
            "user_id": INTEGER,
            "fact_ids": {"type": "array", "minItems": 2, "maxItems": 5},
            "merged_value": TEXT,
            "merged_confidence": CONFIDENCE,
        },
        ["user_id", "fact_ids", "merged_value", "merged_confidence"],
    ),
    "forget_fact": (
        {
            "user_id": INTEGER,
            "fact_type": TEXT,
            "fact_key": TEXT,
            "reason": {"type": "string", "enum": ["outdated", "incorrect", "superseded", "user_requested"]},
            "replacement_fact_id": INTEGER,
        },
        ["user_id", "fact_type", "fact_key", "reason"],
    ),
    "forget": ({"query": TEXT}, []),
    "remember": ({"content": TEXT, "tags": {"type": "array"}, "permanent": {"type": "boolean"}}, ["content"]),
    "recall": ({"query": TEXT, "limit": {"type": "integer"}}, ["query"]),
    "create_episode": (
        {
            "topic": TEXT,
            "summary": TEXT,
            "importance": SHARE,
            "emotional_valence": {"type": "string", "enum": ["positive", "negative", "neutral", "mixed"]},
            "tags": {"type": "array"},
            "message_count": INTEGER,
        },
        ["topic", "summary", "importance"],
    ),
    "update_episode": (
        {"episode_id": INTEGER, "new_importance": SHARE, "additional_summary": TEXT, "add_tags": {"type": "array"}},
        ["episode_id"],
    ),
    "archive_episode": ({"episode_id": INTEGER, "reason": TEXT}, ["episode_id"]),
    "mark_important": (
        {
            "message_count": {"type": "integer", "minimum": 1, "maximum": 20},
            "importance_level": {"type": "string", "enum": ["high", "critical"]},
            "reason": TEXT,
        },
        ["importance_level"],
    ),
    "update_long_term_memory": (
        {"memory_id": INTEGER, "memory_content": TEXT, "target_user": TEXT},
        ["memory_id", "memory_content"],
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_the_declarations_are_those_that_were_written_down(name: str):
    """After a wanted change: ZGADKA_REWRITE_SNAPSHOTS=1 pytest tests/unit/tools"""
    declared = {
        tool.name: {format_: build(tool) for format_, build in FORMATS.items()}
        | {
            "title": tool.title,
            "version": tool.version,
            "hints": [hint for hint in ("read_only", "destructive", "idempotent") if getattr(tool, hint)],
        }
        for tool in REGISTRY.select(name)
    }
    file = SNAPSHOTS / f"{name}.json"
    if os.environ.get(REWRITE):
        SNAPSHOTS.mkdir(exist_ok=True)
        file.write_text(json.dumps(declared, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert file.exists(), f"no snapshot of the tool set {name!r}: set {REWRITE}=1 and look at the difference"
    assert declared == json.loads(file.read_text("utf-8")), f"if this is wanted, set {REWRITE}=1"


@pytest.mark.parametrize("name", list(PROMISED))
def test_all_that_the_papers_declare_is_there(name: str):
    parameters, required = PROMISED[name]
    schema = REGISTRY[name].schema
    for parameter, promised in parameters.items():
        assert promised.items() <= schema["properties"][parameter].items(), parameter
    assert schema["required"] == required


def test_the_items_of_lists_are_declared():
    schema = REGISTRY["merge_facts"].schema["properties"]
    assert schema["fact_ids"]["items"] == {"type": "integer"}
    assert REGISTRY["recall_facts"].schema["properties"]["fact_types"]["items"]["enum"] == TYPES


def test_a_memory_id_may_be_a_number_or_a_text():
    assert REGISTRY["forget"].schema["properties"]["memory_id"]["type"] == ["string", "integer"]
    assert formats.gemini(REGISTRY["forget"])["parameters"]["properties"]["memory_id"]["type"] == "STRING"


@every_tool
def test_every_schema_is_valid_json_schema(tool: Tool):
    Draft202012Validator.check_schema(formats.json_schema(tool))
    Draft202012Validator.check_schema(tool.schema)
    json.dumps([build(tool) for build in FORMATS.values()], allow_nan=False)


@every_tool
def test_every_tool_and_parameter_is_described(tool: Tool):
    assert 20 < len(tool.description) < 1024
    assert "Args:" not in tool.description
    for parameter in tool.parameters:
        assert len(parameter.schema["description"]) > 10


@every_tool
def test_no_tool_declares_who_speaks_or_where(tool: Tool):
    assert not {"tx", "turn", "chat", "chat_id", "space", "platform", "persona"} & {one.name for one in tool.parameters}


@every_tool
def test_no_tool_has_a_flag_that_confirms(tool: Tool):
    assert not any("confirm" in one.name for one in tool.parameters)


def words_of(schema: Any) -> set[str]:
    """The keywords of a Gemini schema; names of properties are no keywords."""
    words = set(schema)
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        words |= words_of(inner)
    return words


@every_tool
def test_gemini_gets_only_the_keywords_it_accepts(tool: Tool):
    declaration = formats.gemini(tool)
    assert set(declaration) == {"name", "description", "parameters"}
    assert words_of(declaration["parameters"]) <= {"type", "description", "enum", "items", "properties", "required"}
    kinds = {"OBJECT", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY"}
    assert all(parameter["type"] in kinds for parameter in declaration["parameters"]["properties"].values())


@every_tool
def test_every_format_has_the_same_parameters(tool: Tool):
    names = [parameter.name for parameter in tool.parameters]
    assert list(formats.openai(tool)["function"]["parameters"]["properties"]) == names
    assert list(formats.anthropic(tool)["input_schema"]["properties"]) == names
    assert list(formats.gemini(tool)["parameters"]["properties"]) == names


def test_the_two_call_pattern_is_explained():
    said = REGISTRY["forget"].description
    assert "next message" in said
    assert "Never within one answer" in said
    assert "same id" in said


def test_a_tool_is_found_by_its_name():
    assert REGISTRY["forget"].name == "forget"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("rembember", "did you mean remember?"),
        ("zzz", "there are remember"),
        ("", "there are"),
        ("\ud800", "udc"),
        ("REMEMBER", "remember"),
    ],
)
def test_an_unknown_name_is_answered_with_those_there_are(name: str, hint: str):
    with pytest.raises(UnknownTool) as caught:
        REGISTRY[name]
    assert hint in str(caught.value) or hint == "udc"
    str(caught.value).encode()


def test_sets_are_chosen_by_name():
    assert [tool.name for tool in REGISTRY.select("core")] == ["remember", "recall", "forget"]
    assert {tool.set for tool in REGISTRY.select("core", "facts")} == {"core", "facts"}
    with pytest.raises(InvalidInput, match="no tool set 'episode'"):
        REGISTRY.select("episode")


def test_a_registry_counts_its_tools():
    assert len(Registry(REGISTRY.select("core"))) == 3
    assert len(REGISTRY) >= 8


def test_the_declared_hints_are_true():
    hints = {
        tool.name: (tool.read_only, tool.destructive, tool.idempotent) for tool in REGISTRY.select("core", "facts")
    }
    assert hints["recall"] == hints["recall_facts"] == (True, False, True)
    assert hints["forget"] == (False, True, False)
    assert hints["remember"] == hints["remember_fact"] == (False, False, True)
