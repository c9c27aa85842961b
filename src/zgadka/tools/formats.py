"""The same declarations, as each provider wants them."""

from __future__ import annotations

from typing import Any

from zgadka.tools.declare import Schema, Tool


def json_schema(tool: Tool) -> Schema:
    """The parameters as a whole JSON Schema document (draft 2020-12)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": tool.name} | tool.schema


def openai(tool: Tool) -> dict[str, Any]:
    """A tool of OpenAI's chat completions, and of every server that speaks them."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def anthropic(tool: Tool) -> dict[str, Any]:
    """A tool of Anthropic's messages."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def gemini(tool: Tool) -> dict[str, Any]:
    """A Gemini function declaration: only the keywords that Gemini accepts; the rest is checked by us."""
    parameters = {
        "type": "OBJECT",
        "properties": {parameter.name: _gemini(parameter.schema) for parameter in tool.parameters},
        "required": tool.schema["required"],
    }
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


def _gemini(schema: Schema) -> Schema:
    # Gemini has no union types; a text holds a number as well.
    kind = "string" if isinstance(schema["type"], list) else schema["type"]
    simple: Schema = {"type": kind.upper()}
    for word in ("description", "enum"):
        if word in schema:
            simple[word] = schema[word]
    if "items" in schema:
        simple["items"] = _gemini(schema["items"])
    if "properties" in schema:
        simple["properties"] = {name: _gemini(field) for name, field in schema["properties"].items()}
        simple["required"] = schema["required"]
    return simple
