"""Claude's memory tool, driven by the SDK's own tool runner; the API is scripted over the SDK's HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx2 as httpx
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import ToolUseBlock

from zgadka import Memory, PrivacyLevel, Settings, Turn, open_memory
from zgadka.frameworks.anthropic_files import MemoryFiles
from zgadka.text.token_estimate import weigh, whole


def turn(number: int = 1, **more: Any) -> Turn:
    given: dict[str, Any] = {"platform": "telegram", "space": "456", "chat": "456", "user": 123}
    return Turn(turn=f"m-{number}", **given | more)


@pytest.fixture
def at(memory: Memory) -> Callable[..., Any]:
    """Give commands in a turn: `await at(turn())("view", path="/memories")`: the answer, and whether it is an error."""
    return lambda spoken=None, memory=memory: _commands(memory, spoken or turn())


def _commands(memory: Memory, spoken: Turn) -> Callable[..., Any]:
    async def command(name: str, **fields: Any) -> tuple[str, bool]:
        files = MemoryFiles(memory, lambda: spoken)
        given: dict[str, object] = {"command": name, **fields}
        call = ToolUseBlock(id="c", type="tool_use", name="memory", input=given)
        message = await files.handle(call)
        (result,) = message["content"]
        assert (message["role"], result["type"], result["tool_use_id"]) == ("user", "tool_result", "c")
        return result["content"], result.get("is_error", False)

    return command


@pytest.mark.asyncio
async def test_the_sdks_runner_keeps_a_file_and_shows_it_in_the_next_conversation(memory: Memory) -> None:
    asked: list[dict[str, Any]] = []

    def api(*inputs: dict[str, Any]) -> AsyncAnthropic:
        answers = iter(inputs)

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(json.loads(request.content))
            given = next(answers, None)
            block = {"type": "tool_use", "id": "c", "name": "memory", "input": given} if given else None
            body = {"id": "m", "type": "message", "role": "assistant", "model": "x", "stop_sequence": None}
            body |= {
                "usage": {"input_tokens": 1, "output_tokens": 1},
                "stop_reason": "tool_use" if given else "end_turn",
            }
            return httpx.Response(200, json=body | {"content": [block or {"type": "text", "text": "Done."}]})

        transport = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        return AsyncAnthropic(api_key="none", http_client=transport, max_retries=0)

    async def run(spoken: Turn, *inputs: dict[str, Any]) -> None:
        runner = api(*inputs).beta.messages.tool_runner(
            model="claude-x",
            max_tokens=100,
            messages=[{"role": "user", "content": "hello"}],
            tools=[MemoryFiles(memory, spoken)],
        )
        assert (await runner.until_done()).stop_reason == "end_turn"

    await run(turn(1), {"command": "create", "path": "/memories/food/tea.md", "file_text": "Olena likes tea.\n"})
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    await run(turn(2), {"command": "view", "path": "/memories"}, {"command": "view", "path": "/memories/food/tea.md"})
    told = [request["messages"][-1]["content"][0]["content"] for request in asked[-2:]]
    assert told == [
        "Here're the files in /memories, with their sizes in bytes:\n16\t/memories/food/tea.md",
        "Here's the content of /memories/food/tea.md with line numbers:\n     1\tOlena likes tea.",
    ]
    found = await memory.recall(turn=turn(3), query="tea")
    assert [one["content"] for one in found["memories"]] == ["Olena likes tea."]


@pytest.mark.asyncio
async def test_files_are_edited_as_the_tool_declares(at: Any) -> None:
    await at()("create", path="/memories/a.txt", file_text="one\ntwo\nthree")
    assert await at()("str_replace", path="/memories/a.txt", old_str="two", new_str="2") == (
        "The memory file /memories/a.txt has been edited.",
        False,
    )
    assert (await at(turn(2))("insert", path="/memories/a.txt", insert_line=0, insert_text="zero\n"))[1] is False
    assert (await at(turn(2))("view", path="/memories/a.txt", view_range=[2, 3]))[0].splitlines()[1:] == [
        "     2\tone",
        "     3\t2",
    ]
    assert (await at(turn(2))("view", path="/memories/a.txt", view_range=[4, -1]))[0].endswith("     4\tthree")
    assert (await at(turn(2))("rename", old_path="/memories/a.txt", new_path="/memories/d/b.txt"))[1] is False
    assert "/memories/d/b.txt" in (await at(turn(3))("view", path="/memories/d"))[0]
    assert (await at(turn(3))("rename", old_path="/memories/d", new_path="/memories/e"))[1] is False
    assert (await at(turn(3))("view", path="/memories/e/b.txt"))[1] is False


@pytest.mark.asyncio
async def test_a_file_is_deleted_only_when_the_person_agreed_in_a_later_turn(at: Any, memory: Memory) -> None:
    await at(turn(1))("create", path="/memories/a.txt", file_text="Likes tea")
    for _ in range(2):
        said, is_error = await at(turn(2))("delete", path="/memories/a.txt")
        assert is_error
        assert said.startswith("confirmation_required: Not deleted yet. Ask the person")
    assert (await at(turn(3, text="no, keep it"))("delete", path="/memories/a.txt"))[0].startswith("cancelled")
    assert (await at(turn(3))("view", path="/memories/a.txt"))[1] is False
    await at(turn(4))("delete", path="/memories")
    await at(turn(4))("delete", path="/memories/a.txt")
    assert await at(turn(5, text="yes"))("delete", path="/memories/a.txt") == (
        "Successfully deleted /memories/a.txt",
        False,
    )
    assert (await memory.recall(turn=turn(6), query="tea"))["count"] == 0


@pytest.mark.asyncio
async def test_a_directory_is_deleted_with_all_in_it_and_nothing_else(at: Any) -> None:
    for number, name in enumerate(("d/a", "d/b", "da")):
        await at(turn(1))("create", path=f"/memories/{name}", file_text=f"text {number}")
    assert (await at(turn(2))("delete", path="/memories/d"))[1]
    assert (await at(turn(3))("delete", path="/memories/d"))[1] is False
    assert (await at(turn(3))("view", path="/memories"))[0].splitlines()[1:] == ["6\t/memories/da"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"command": "view", "path": "/memories/none"}, "does not exist"),
    ({"command": "view", "path": "/etc/passwd"}, "must begin with /memories/"),
    ({"command": "view", "path": "/memories/../etc/passwd"}, "no . or .."),
    ({"command": "view", "path": "/memoriesx"}, "must begin"),
    ({"command": "view", "path": 3}, "must begin"),
    ({"command": "view"}, "must begin"),
    ({"command": "format", "path": "/memories"}, "no command"),
    ({"command": "create", "path": "/memories/a.txt", "file_text": "again"}, "already exists"),
    ({"command": "create", "path": "/memories", "file_text": "x"}, "already exists"),
    ({"command": "create", "path": "/memories/a.txt/b", "file_text": "x"}, "already exists, or a file stands"),
    ({"command": "create", "path": "/memories/known.txt", "file_text": "x"}, "already exists"),
    ({"command": "create", "path": "/memories/b", "file_text": " \n"}, "must not be blank"),
    ({"command": "create", "path": "/memories/b", "file_text": "x" * 1001}, "at most 1000 characters, not 1001"),
    ({"command": "create", "path": "/memories/b", "file_text": "x\0"}, "cannot be stored"),
    ({"command": "create", "path": "/memories/" + "b" * 300, "file_text": "x"}, "1 to 200"),
    ({"command": "str_replace", "path": "/memories/a.txt", "old_str": "o", "new_str": ""}, "appeared 2 times"),
    ({"command": "str_replace", "path": "/memories/a.txt", "old_str": "", "new_str": "x"}, "did not appear"),
    ({"command": "str_replace", "path": "/memories/a.txt", "old_str": "one two", "new_str": ""}, "must not be blank"),
    ({"command": "str_replace", "path": "/memories/known.txt", "old_str": "a", "new_str": ""}, "only be read"),
    ({"command": "insert", "path": "/memories/a.txt", "insert_line": 9, "insert_text": "x"}, "0 to 1"),
    ({"command": "insert", "path": "/memories/none", "insert_line": 0, "insert_text": "x"}, "does not exist"),
    ({"command": "delete", "path": "/memories/none"}, "cannot be deleted"),
    ({"command": "delete", "path": "/memories/known.txt"}, "cannot be deleted"),
    ({"command": "rename", "old_path": "/memories/none", "new_path": "/memories/b"}, "no such file"),
    ({"command": "rename", "old_path": "/memories", "new_path": "/memories/b"}, "no such file"),
    ({"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/a.txt"}, "already exists"),
    ({"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/a.txt/b"}, "a file stands"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("given", "complaint"), MISTAKES, ids=lambda one: json.dumps(one)[:70])
async def test_a_mistake_is_an_error_that_claude_can_act_on(at: Any, given: dict[str, Any], complaint: str) -> None:
    await at(turn(1))("create", path="/memories/a.txt", file_text="one two")
    fields = dict(given)
    said, is_error = await at(turn(2))(fields.pop("command"), **fields)
    assert is_error
    assert complaint in said
    assert (await at(turn(3))("view", path="/memories/a.txt"))[0].endswith("     1\tone two")


@pytest.mark.asyncio
async def test_what_else_is_remembered_is_a_file_that_can_only_be_read(at: Any, person: Any) -> None:
    await person.fact("location", "Kyiv")
    await at(turn(1))("create", path="/memories/a.txt", file_text="Likes tea")
    assert (await at(turn(2))("view", path="/memories/known.txt"))[0].endswith("     1\tID:1 location: Kyiv")
    assert "tea" not in (await at(turn(2))("view", path="/memories/known.txt"))[0]


@pytest.mark.asyncio
async def test_files_are_their_persons_and_their_places(at: Any) -> None:
    await at(turn(1))("create", path="/memories/a.txt", file_text="secret")
    for other in (turn(1, user=7), turn(1, space="9", chat="9"), turn(1, direct=True), turn(1, platform="discord")):
        assert (await at(other)("view", path="/memories/a.txt"))[1]
        assert (await at(other)("delete", path="/memories/a.txt"))[1]
        assert (await at(other)("view", path="/memories"))[0].splitlines()[1:] == []


@pytest.mark.asyncio
async def test_limits_and_privacy_hold_for_files() -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(max_notes=1, calls_per_answer=3)) as memory:
        await _commands(memory, turn(1))("create", path="/memories/a", file_text="x")
        said, is_error = await _commands(memory, turn(1))("create", path="/memories/b", file_text="y")
        assert is_error
        assert "1 of 1 notes" in said
        await _commands(memory, turn(1))("view", path="/memories")
        assert (await _commands(memory, turn(1))("view", path="/memories"))[0].startswith("rate_limited: only 3 calls")
        await memory.set_privacy(PrivacyLevel.PARTIAL, turn(2))
        assert (await _commands(memory, turn(2))("view", path="/memories"))[0].splitlines()[1:] == []
        assert "does not want" in (await _commands(memory, turn(2))("create", path="/memories/c", file_text="z"))[0]


@pytest.mark.asyncio
async def test_a_long_file_is_shown_in_parts_that_fit_an_answer(at, memory: Memory) -> None:
    spoken = turn(direct=True, space="123", chat="123")
    for number in range(60):
        await memory.call("remember", {"content": f"note {number} {'long ' * 40}"}, replace(spoken, turn=f"n-{number}"))
    seen: list[str] = []
    begin = 1
    while begin:
        content, _ = await at(spoken)("view", path="/memories/known.txt", view_range=[begin, -1])
        assert whole(weigh(content)) <= memory.settings.answer_tokens
        *lines, last = content.splitlines()[1:]
        more = re.fullmatch(r"\((\d+) more: view_range (\d+) to -1 shows them\)", last)
        seen += lines if more else [*lines, last]
        begin = int(more[2]) if more else 0
    assert len({line.split("\t")[1] for line in seen}) == len(seen) == 60


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "said", ["off the record, I am a nurse", "I'm a nurse. Don't save that", "не для запису: я медсестра"]
)
async def test_what_is_off_the_record_goes_into_no_file(at: Any, said: str) -> None:
    assert await at(turn(1, text="hello"))("create", path="/memories/old.md", file_text="Likes tea") == (
        "File created successfully at: /memories/old.md",
        False,
    )
    write = at(turn(2, text=said))
    for name, fields in {
        "create": {"path": "/memories/new.md", "file_text": "A nurse"},
        "str_replace": {"path": "/memories/old.md", "old_str": "tea", "new_str": "being a nurse"},
        "insert": {"path": "/memories/old.md", "insert_line": 0, "insert_text": "nurse\n"},
        "rename": {"old_path": "/memories/old.md", "new_path": "/memories/nurse.md"},
    }.items():
        answer, is_error = await write(name, **fields)
        assert is_error
        assert "not remembered" in answer
    assert "nurse" not in (await at(turn(3))("view", path="/memories"))[0]


@pytest.mark.asyncio
async def test_what_was_taken_back_while_the_model_thought_goes_into_no_file(at: Any, memory: Memory) -> None:
    taken_back = turn(1, message="m1", text="I am a nurse")
    await memory.record("user", "I am a nurse", taken_back)
    await memory.unrecord(taken_back)
    answer, is_error = await at(taken_back)("create", path="/memories/new.md", file_text="A nurse")
    assert is_error
    assert "taken back" in answer


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["a\nb", "\u202eevil", "</remembered>"])
async def test_a_new_file_has_a_name_that_can_be_read(at: Any, name: str) -> None:
    await at()("create", path="/memories/old.md", file_text="Likes tea")
    for command, fields in (
        ("create", {"path": f"/memories/{name}.md", "file_text": "Likes tea"}),
        ("rename", {"old_path": "/memories/old.md", "new_path": f"/memories/{name}.md"}),
    ):
        answer, is_error = await at()(command, **fields)
        assert is_error
        assert "visible characters" in answer
