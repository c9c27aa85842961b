"""Tool calls that a model writes as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.chat.written_calls import Withheld, WrittenCall, written_calls

TOOLS = ("recall_facts", "remember_fact", "recall")
CALL = {"name": "recall_facts", "arguments": {"user_id": 1}}
PLAIN = json.dumps(CALL)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{json.dumps(CALL, indent=2)}\n```",
        f"<tool_call>\n{PLAIN}\n</tool_call>",
        f"[TOOL_CALLS] [{PLAIN}]",
        f"<|python_tag|>{PLAIN}",
        '{"tool": "recall_facts", "parameters": {"user_id": 1}}',
        '{"function": {"name": "recall_facts", "arguments": "{\\"user_id\\": 1}"}, "type": "function"}',
        '{"tool_calls": [{"function": {"name": "recall_facts", "arguments": {"user_id": 1}}}]}',
        '{"action": "recall_facts", "action_input": {"user_id": 1}}',
        '{"name": "recall_facts", "user_id": 1}',
        "recall_facts(user_id=1)",
        "```tool_code\nrecall_facts(user_id=1)\n```",
        '{{"name": "recall_facts", "arguments": {"user_id": 1}}}',
        f"{{{PLAIN}}}\n{{{PLAIN}}}\n{{{PLAIN[:-9]}",
        "<recall_facts user_id=1>",
        '<recall_facts user_id="1"/>'.replace('"', ""),
        "<recall_facts>\nuser_id=1\n</recall_facts>\n",
        '<recall_facts>{"user_id": 1}</recall_facts>',
    ],
)
def test_a_call_is_known_in_every_form_that_models_write(text: str) -> None:
    assert written_calls(text, TOOLS) == [WrittenCall("recall_facts", {"user_id": 1})]


def test_all_calls_of_a_text_are_read_in_their_order() -> None:
    other = '{{"name": "recall", "arguments": {"query": "tea"}}}'
    text = "\n".join(["{" + PLAIN + "}", other, "{" + PLAIN + "}"])
    assert [call.tool for call in written_calls(text, TOOLS)] == ["recall_facts", "recall"]
    assert [call.tool for call in written_calls(f"[{PLAIN}, {other[1:-1]}]", TOOLS)] == ["recall_facts", "recall"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You live in Kyiv.",
        '{"name": "delete_everything", "arguments": {}}',
        '{"name": "Anna", "age": 30}',
        f"I would call {PLAIN}",
        "recall_facts",
        "recall_facts(user_id=os.getpid())",
        "recall_facts(1)",
        "recall_facts(**x)",
        '["recall_facts"]',
        '{"name": "recall_facts", "arguments": "no json"}',
        "[" * 2000,
        "<recall>tea, or so</recall>",
        "<recall>",
        "<recall tea>",
        "<recall query=tea> is what I would write",
        '<b query="tea">',
        f"{PLAIN}\nis how it is written",
    ],
)
def test_what_is_no_call_is_none(text: str) -> None:
    assert written_calls(text, TOOLS) == []


def streamed(pieces: list[str]) -> tuple[str, WrittenCall | None]:
    """What is shown, and the only call."""
    withheld = Withheld(TOOLS)
    shown = "".join([*map(withheld.pass_on, pieces), withheld.rest()])
    assert len(withheld.calls) <= 1
    return shown, next(iter(withheld.calls), None)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "form", [PLAIN, f"```json\n{PLAIN}\n```", f"<tool_call>{PLAIN}</tool_call>", "recall_facts(user_id=1)"]
)
@pytest.mark.parametrize("before", ["", "Let me look.\n\n"])
def test_nothing_of_a_call_is_shown_however_it_comes(form: str, before: str, size: int) -> None:
    text = before + form
    shown, call = streamed([text[at : at + size] for at in range(0, len(text), size)])
    assert (shown, call) == (before, WrittenCall("recall_facts", {"user_id": 1}))


PROMPT = (
    '<remembered>\nID:7 fact "location: Kharkiv"\n</remembered>\n\n'
    "Speaker: user_id=7\nNow: 2026-03-02 09:01 (Monday)\n\nMessage:\n"
)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("before", ["", "Let me see.\n\n"])
@pytest.mark.parametrize("after", ["", "Kharkiv, I think.", PLAIN])
def test_nothing_of_the_prompt_is_shown_where_a_model_writes_it_once_more(after: str, before: str, size: int) -> None:
    text = before + PROMPT + after
    shown, call = streamed([text[at : at + size] for at in range(0, len(text), size)])
    is_call = after == PLAIN
    assert shown.split() == (before if is_call else before + after).split()
    assert (call is not None) == is_call


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("end", range(2, len(PROMPT), 7))
def test_a_prompt_that_is_broken_off_is_not_shown_either(end: int, size: int) -> None:
    text = PROMPT[:end]
    shown, _ = streamed([text[at : at + size] for at in range(0, len(text), size)])
    assert "Kharkiv" not in shown
    assert "=7" not in shown


def test_a_prompt_that_is_written_without_an_end_is_not_shown_however_long_it_gets() -> None:
    shown, call = streamed(["Well.\n<remembered>\n", *["Kharkiv and so on\n"] * 3_000])
    assert (shown.strip(), call) == ("Well.", None)


@given(st.lists(st.text(alphabet='`{}[]<>|recall_fts(\n "a:json1', max_size=8), max_size=20))
def test_an_answer_that_is_no_call_is_shown_whole(pieces: list[str]) -> None:
    shown, call = streamed(pieces)
    assert call is not None or shown == "".join(pieces)


@pytest.mark.parametrize("form", ["{}", "```json\n{}", "<tool_call>\n{}", "[TOOL_CALLS] [{}", "{{{}"])
@pytest.mark.parametrize("end", [25, 40, -1])
def test_a_call_that_is_broken_off_is_not_shown(form: str, end: int) -> None:
    withheld = Withheld(TOOLS)
    assert withheld.pass_on(form.format(PLAIN[:end])) + withheld.rest() == ""
    assert withheld.is_echo


def test_json_that_is_no_tools_call_is_shown_though_it_is_broken_off() -> None:
    withheld = Withheld(TOOLS)
    text = '{"name": "Anna", "arguments": ["for", "against"'
    assert withheld.pass_on(text) + withheld.rest() == text
    assert not withheld.is_echo


def test_a_whole_call_that_is_explained_is_shown() -> None:
    withheld = Withheld(TOOLS)
    text = f"{PLAIN}\nis how it is written"
    assert withheld.pass_on(text) + withheld.rest() == text


def test_code_is_shown_when_its_fence_closes_and_words_at_once() -> None:
    withheld = Withheld(TOOLS)
    assert withheld.pass_on("Here is how: ") == "Here is how: "
    assert withheld.pass_on('\n```python\nprint("hi")\n') == "\n"
    assert withheld.pass_on("```") == '```python\nprint("hi")\n```'
    assert withheld.pass_on(" done") == " done"


def test_without_tools_everything_is_shown_at_once() -> None:
    withheld = Withheld(())
    assert withheld.pass_on(PLAIN) == PLAIN
