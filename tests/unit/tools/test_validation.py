"""Arguments are validated by us, whatever the provider promised."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_run import cases

from zgadka import Settings, ToolResult, Turn, open_memory
from zgadka.errors import InvalidInput
from zgadka.tools.registry import REGISTRY

FACT = {"user_id": 123, "fact_type": "personal", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}
TAKES = "user_id, fact_type, fact_key, fact_value, confidence"
HALF = (
    "the text contains half of a character (the lone surrogate U+D83D) at position 0; "
    "remove it or send the whole character"
)
TURN = Turn(platform="telegram", space="456", chat="456", user=123)
DEEP: list[Any] = []
for _ in range(50_000):
    DEEP = [DEEP]


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in FACT.items() if name not in names}


def fact(**changes: Any) -> dict[str, Any]:
    return FACT | changes


MISTAKES: list[tuple[str, Any, str]] = [
    ("remember_fact", fact(fact="x"), f"unknown argument 'fact'; remember_fact takes {TAKES}, source_excerpt"),
    ("remember_fact", without("user_id"), "missing argument 'user_id'; remember_fact needs user_id"),
    (
        "remember_fact",
        {"user_id": 123, "fact_key": "location"},
        "missing argument 'fact_type'; remember_fact needs fact_type, fact_value, confidence",
    ),
    ("remember_fact", {}, f"missing argument 'user_id'; remember_fact needs {TAKES}"),
    ("remember_fact", fact(user_id="123"), "user_id must be a whole number, not '123'"),
    ("remember_fact", fact(user_id=24.5), "user_id must be a whole number, not 24.5"),
    ("remember_fact", fact(user_id=True), "user_id must be a whole number, not True"),
    ("remember_fact", fact(user_id=math.nan), "user_id must be a whole number, not nan"),
    ("remember_fact", fact(user_id=math.inf), "user_id must be a whole number, not inf"),
    ("remember_fact", fact(user_id=[123]), "user_id must be a whole number, not [123]"),
    ("remember_fact", fact(user_id=2**64), "user_id must be a number of at most 64 bits, not 18446744073709551616"),
    (
        "remember_fact",
        fact(user_id=10**5000),
        "user_id must be a number of at most 64 bits, not a number with too many digits",
    ),
    ("remember_fact", fact(confidence="high"), "confidence must be a number, not 'high'"),
    ("remember_fact", fact(confidence=True), "confidence must be a number, not True"),
    ("remember_fact", fact(confidence=math.nan), "confidence must be a number, not nan"),
    ("remember_fact", fact(confidence=0.49), "confidence must be from 0.5 to 1.0, not 0.49"),
    ("remember_fact", fact(confidence=1.01), "confidence must be from 0.5 to 1.0, not 1.01"),
    ("remember_fact", fact(confidence=10**400), "confidence must be from 0.5 to 1.0, not 1" + "0" * 59 + "…"),
    (
        "remember_fact",
        fact(fact_type="location"),
        "fact_type must be one of personal, preference, skill, trait, opinion, relationship, not 'location'",
    ),
    ("remember_fact", fact(fact_type=1), "fact_type must be a text, not 1"),
    ("remember_fact", fact(fact_value=["Kyiv"]), "fact_value must be a text, not ['Kyiv']"),
    (
        "remember_fact",
        fact(fact_value={"a": "Київ"}),
        r"fact_value must be a text, not {'a': '\u041a\u0438\u0457\u0432'}",
    ),
    ("remember_fact", fact(fact_value=""), "fact_value must not be blank"),
    ("remember_fact", fact(fact_value=" \n"), "fact_value must not be blank"),
    ("remember_fact", fact(fact_value="\u200b"), "fact_value must not be blank"),
    ("remember_fact", fact(fact_value="x" * 1001), "fact_value must have at most 1000 characters, not 1001"),
    (
        "remember_fact",
        fact(fact_value="a\0b"),
        "fact_value cannot be stored: the text contains a NUL character (U+0000) at position 1; remove it",
    ),
    (
        "remember_fact",
        fact(fact_value="\ud83d"),
        f"fact_value cannot be stored: {HALF}",
    ),
    (
        "remember_fact",
        fact(fact_value="{userName}"),
        "fact_value is only a placeholder ('{userName}'); give what the user said",
    ),
    ("remember_fact", fact(fact_key="?!"), "fact_key must be a word such as location or hobby, not '?!'"),
    ("remember_fact", fact(fact_key="k" * 101), "fact_key must have at most 100 characters, not 101"),
    ("remember_fact", fact(source_excerpt=5), "source_excerpt must be a text, not 5"),
    ("recall_facts", {"user_id": 123, "limit": 0}, "limit must be from 1 to 50, not 0"),
    ("recall_facts", {"user_id": 123, "limit": 51.0}, "limit must be from 1 to 50, not 51"),
    ("recall_facts", {"user_id": 123, "limit": 1.5}, "limit must be a whole number, not 1.5"),
    ("recall_facts", {"user_id": 123, "limit": "10"}, "limit must be a whole number, not '10'"),
    ("recall_facts", {"user_id": 123, "fact_types": "personal"}, "fact_types must be a list, not 'personal'"),
    (
        "recall_facts",
        {"user_id": 123, "fact_types": ["personal", "place"]},
        "fact_types[1] must be one of personal, preference, skill, trait, opinion, relationship, not 'place'",
    ),
    ("recall_facts", {"user_id": 123, "fact_types": ["skill"] * 7}, "fact_types must have 0 to 6 items, not 7"),
    (
        "merge_facts",
        {"user_id": 123, "fact_ids": [1], "merged_value": "x", "merged_confidence": 1},
        "fact_ids must have 2 to 5 items, not 1",
    ),
    (
        "merge_facts",
        {"user_id": 123, "fact_ids": [1, "2"], "merged_value": "x", "merged_confidence": 1},
        "fact_ids[1] must be a whole number, not '2'",
    ),
    (
        "merge_facts",
        {"user_id": 123, "fact_ids": [1, 1.0], "merged_value": "x", "merged_confidence": 1},
        "fact_ids must name different facts",
    ),
    ("remember", {"content": "x", "permanent": "yes"}, "permanent must be true or false, not 'yes'"),
    ("remember", {"content": "x", "permanent": 1}, "permanent must be true or false, not 1"),
    ("remember", {"content": "x", "tags": ["a", ""]}, "tags[1] must not be blank"),
    ("remember", {"content": "x", "tags": ["a" * 51]}, "tags[0] must have at most 50 characters, not 51"),
    ("remember", {"content": "x", "tags": ["a"] * 21}, "tags must have 0 to 20 items, not 21"),
    ("remember", {"content": "{}"}, "content is only a placeholder ('{}'); give what the person said"),
    ("recall", {"query": DEEP}, "query must be a text, not lists within lists"),
    ("recall", {"query": "x" * 100_001}, "query must have at most 100000 characters, not 100001"),
    ("recall", {"query": ["x" * 100]}, "query must be a text, not ['" + "x" * 58 + "…"),
    ("recall", [], "the arguments must be one JSON object, not []"),
    ("recall", None, "the arguments must be one JSON object, not None"),
    ("recall", "chess", "the arguments must be one JSON object, not 'chess'"),
    ("forget", {"memory_id": []}, "memory_id must be a text or a whole number, not []"),
    ("forget", {"memory_id": 1.5}, "memory_id must be a text or a whole number, not 1.5"),
    ("forget", {"memory_id": False}, "memory_id must be a text or a whole number, not False"),
    ("forget", {"memory_id": ","}, "memory_id must name 1 to 20 memories, not 0"),
    ("forget", {}, "give either query, to look for memories, or memory_id, to delete one; not both"),
    ("rembember", {}, "no tool 'rembember'; did you mean remember?"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("tool", "arguments", "sentence"), MISTAKES, ids=range(len(MISTAKES)))
async def test_each_mistake_is_answered_with_a_sentence(memory, tool: str, arguments: Any, sentence: str):
    result = await memory.call(tool, arguments, TURN)
    assert result.status == "invalid_args"
    assert (result.message or "").startswith(sentence) if tool == "rembember" else result.message == sentence
    assert json.loads(result.json()) == dict(result)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", [None, [], {}, 5])
async def test_a_tool_name_that_is_no_text_is_an_unknown_tool(memory, name: Any):
    assert (await memory.call(name, {}, TURN)).status == "invalid_args"


@pytest.mark.asyncio
async def test_a_whole_number_may_come_as_a_float(person):
    first = await person.fact("hobby", "chess", user_id=123.0, confidence=1)
    second = await person.fact("hobby", "go")
    assert first.status == "success"
    ids = [float(first["fact_id"]), float(second["fact_id"])]
    arguments = {"user_id": 123.0, "fact_ids": ids, "merged_value": "both", "merged_confidence": 1}
    assert (await person.call("merge_facts", **arguments)).status == "success"
    recalled = await person.call("recall_facts", user_id=123.0, limit=5.0)
    assert recalled["count"] == 1
    asked = await person.call("forget", memory_id=float(first["fact_id"]))
    assert asked["memory_id"] == first["fact_id"]


@pytest.mark.asyncio
@pytest.mark.parametrize("nothing", [None, "", "  "])
async def test_an_optional_argument_that_is_blank_counts_as_not_given(person, nothing):
    assert (await person.fact(source_excerpt=nothing)).status == "success"
    assert await person.values(search_query=nothing) == ["Kyiv"]
    assert await person.values(fact_types=None) == ["Kyiv"]
    assert (await person.call("forget", memory_id=nothing, query="Kyiv")).status == "candidates"


def test_a_result_is_a_mapping_and_one_line_of_json():
    result = ToolResult("success", "Київ\nLviv", fact_id=1)
    assert dict(result) == {"status": "success", "message": "Київ\nLviv", "fact_id": 1}
    assert result.json() == '{"status": "success", "message": "Київ\\nLviv", "fact_id": 1}'
    assert len(result) == 3
    assert repr(result) == f"ToolResult({result.json()})"
    assert ToolResult("success").message is None


# Any JSON at all. Names that a model would use make the interesting cases likely.

NAMES = sorted({parameter.name for tool in REGISTRY for parameter in tool.parameters})
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["personal", "preference", "location", "hobby", "1", "ID:1", "1,2", "", " ", "{}"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 200)
    | st.floats()
    | st.floats(0.5, 1)
    | TEXTS
    | st.just(10**400)
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
PLAUSIBLE = {
    "user_id": st.sampled_from([123, 123.0, 124, 0]),
    "fact_type": st.sampled_from(["personal", "skill"]),
    "fact_key": st.sampled_from(["location", "hobby"]) | TEXTS,
    "confidence": st.floats(0.4, 1.1),
    "merged_confidence": st.floats(0.4, 1.1),
    "fact_ids": st.lists(st.integers(-1, 30), max_size=6),
    "fact_id": st.integers(-1, 30),
    "memory_id": st.integers(-1, 30) | TEXTS,
    "reason": st.sampled_from(["outdated", "superseded"]),
    "change_reason": st.just("update"),
    "limit": st.integers(0, 60),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, Any]:
    tool = draw(st.sampled_from(list(REGISTRY)))
    if draw(st.integers(0, 9)) == 0:
        return tool.name, draw(JSON)
    arguments = {}
    for parameter in tool.parameters:
        if parameter.required or draw(st.booleans()):
            plausible = PLAUSIBLE.get(parameter.name, TEXTS)
            arguments[parameter.name] = draw(plausible if draw(st.integers(0, 7)) else JSON)
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(st.sampled_from(NAMES) | st.text(max_size=5))] = draw(JSON)
    return tool.name, arguments


@settings(max_examples=cases(40, long=500), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(calls(), min_size=1, max_size=12))
def test_any_json_is_answered_and_never_with_an_error(many: list[tuple[str, Any]]):
    async def run() -> None:
        async with open_memory("sqlite://:memory:", settings=Settings(calls_per_hour=0)) as memory:
            for tool, arguments in many:
                result = await memory.call(tool, arguments, TURN)
                assert isinstance(result, ToolResult)
                assert result.status not in ("error", "busy"), (tool, arguments, result)
                json.loads(result.json())

    asyncio.run(run())


@given(JSON)
def test_a_check_gives_only_declared_arguments_or_a_sentence(value: Any):
    for tool in REGISTRY:
        for parameter in tool.parameters:
            if any(other.required for other in tool.parameters if other is not parameter):
                continue
            try:
                checked = tool.check({parameter.name: value})
            except InvalidInput as mistake:
                str(mistake).encode()
            else:
                assert set(checked) <= {parameter.name}
