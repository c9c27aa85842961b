"""`zgadka eval safety`: what it says of the engine as it is, and that it finds a bug of every kind."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import long_run
import pytest
from postgres_server import server
from typer.testing import CliRunner

from zgadka import open_memory
from zgadka.cli.main import app
from zgadka.errors import InvalidInput
from zgadka.evals.safety import mutants
from zgadka.evals.safety.entrances import ENTRANCES
from zgadka.evals.safety.grants import ROUTES
from zgadka.evals.safety.mutants import MUTANTS, try_mutant
from zgadka.evals.safety.report import as_markdown
from zgadka.evals.safety.run import CLASSES, Result, evaluate, replay
from zgadka.model.turn import Turn
from zgadka.ops import access, forget, observe, remember
from zgadka.stores.sql import queries
from zgadka.stores.sqlite import store
from zgadka.web.app import build_app

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _at_once(program: str, monkeypatch: Patch) -> None:
    """Processes of doors start at once, but with `--long`."""
    if not long_run.is_long():
        monkeypatch.setattr("sys.executable", program)


def results_of(folder: Path, cases: int, *only: str, door: Any = "python") -> dict[str, Result]:
    found = asyncio.run(evaluate(door, f"sqlite:///{folder / 'memory.db'}", cases=cases, seed=1, only=only))
    return {one.name: one for one in found}


def test_nothing_of_what_must_never_happen_happens(tmp_path: Path) -> None:
    asked = long_run.cases(240, long=2000)
    with_doors = [one.name for one in CLASSES if one.has_doors]
    results = results_of(tmp_path, asked, *(one.name for one in CLASSES if not one.has_doors))
    (tmp_path / "doors").mkdir()
    results |= results_of(tmp_path / "doors", long_run.cases(24, long=2000), *with_doors)
    assert {one.name: (one.failing, one.missed) for one in results.values() if not one.is_good} == {}
    assert set(results) == {one.name for one in CLASSES}
    assert sum(one.cases for one in results.values()) > asked
    assert all(one.cases > asked / 200 for one in results.values() if one.name not in with_doors)
    idle = {"lost"}  # what was acknowledged is all that has to be
    assert [one.name for one in results.values() if not one.controls and one.name not in idle] == []
    doors = {one.name: set(one.doors) for one in results.values() if one.doors}
    every = {name: set(ENTRANCES) for name in ("policy", "turnless", "blank")} | {
        "grants": {"library", "rest", "mcp", "dashboard", "bot"},
        "links": {"rest", "own page", "dashboard"},
    }
    assert doors.keys() == every.keys()
    assert all(doors[name] == every[name] if long_run.is_long() else doors[name] <= every[name] for name in doors)
    assert "| links that open too much |" in as_markdown([*results.values()], {}).partition("cases by door")[2]


UNTRIED = {"GET /v1/tools", "GET /v1/events", "GET /v1/export", "GET /v1/backup", "GET /v1/doctor", "POST /v1/tidy"}
"""Routes at which no random token is tried: for anybody who acts for people, a stream, or read all of a database."""


def test_a_random_token_is_tried_at_every_route_of_the_api() -> None:
    tried = {f"{route.method} {route.path.partition('?')[0]}" for route in ROUTES}
    described = build_app(open_memory("sqlite://:memory:")).api.openapi()["paths"]
    untried: set[str] = set()
    for path, operations in described.items():
        pattern = re.compile(re.sub(r"\{[^}]*\}", "[^/]+", path))
        for method in map(str.upper, operations) if path.startswith("/v1/") else ():
            known = (name.partition(" ")[2] for name in tried if name.startswith(f"{method} "))
            if not any(map(pattern.fullmatch, known)):
                untried.add(f"{method} {path}")
    assert untried == UNTRIED


@pytest.mark.parametrize(
    ("door", "classes"),
    [
        ("cli", ("wrong", "people", "lost", "audience")),
        ("rest", ("bypass", "people", "contamination", "forgotten")),
        ("mcp", ("bypass", "chats", "contamination", "level")),
    ],
)
def test_nothing_of_it_happens_through_another_door(tmp_path: Path, door: str, classes: tuple[str, ...]) -> None:
    results = results_of(tmp_path, long_run.cases(20, long=36), *classes, door=door)
    assert {one.name: (one.failing, one.missed) for one in results.values() if not one.is_good} == {}
    assert [one.name for one in results.values() if not one.cases] == (["contamination"] if door == "mcp" else [])


def test_nothing_of_it_happens_on_postgres(tmp_path: Path) -> None:
    url = server().database_for(tmp_path)
    results = asyncio.run(evaluate("python", url, cases=long_run.cases(24, long=80), seed=1))
    assert {one.name: (one.failing, one.missed) for one in results if not one.is_good} == {}


# One bug of each kind, and the class that has to find it.


def a_confirmation_in_the_same_turn_counts(patch: Patch) -> None:
    patch.setattr(forget, "is_later", lambda *_: True)


def questions_belong_to_no_chat(patch: Patch) -> None:
    asked = store._Connection.rows

    def rows(self: Any, query: str, parameters: Mapping[str, Any]) -> Any:
        return asked(self, query, {**parameters, "chat": ""} if query.startswith("question_") else parameters)

    patch.setattr(store._Connection, "rows", rows)


def the_owner_is_not_checked_when_deleting(patch: Patch) -> None:
    def anybodys(tx: Any, _: Turn, number: int) -> Any:
        owner = tx.memories.find_owner(number)
        return None if owner is None else tx.memories.get(owner, number)

    patch.setattr(forget, "deletable", anybodys)


def the_privacy_check_fails_open(patch: Patch) -> None:
    patch.setattr(access, "_restricted", lambda *_: None)


def a_direct_chat_is_the_space_it_is_in(patch: Patch) -> None:
    patch.setattr(Turn, "place", property(lambda turn: ("space", turn.space)))


def quotes_are_learned_from(patch: Patch) -> None:
    noted = observe.note_message
    patch.setattr(observe, "note_message", lambda tx, turn, text, _, **more: noted(tx, turn, text, text, **more))


def the_assistant_is_learned_from(patch: Patch) -> None:
    from zgadka import Memory

    recorded = Memory.record

    async def record(memory: Memory, role: Any, text: str, turn: Turn) -> Any:
        if role == "assistant":
            return (await memory.observe(text, turn)).message
        return await recorded(memory, role, text, turn)

    patch.setattr(Memory, "record", record)


def values_are_compared_as_they_are_written(patch: Patch) -> None:
    patch.setattr(remember, "canonical", lambda value, *_: value)


def a_commit_is_lost_now_and_then(patch: Patch) -> None:
    executed, commits = store._Connection.execute, itertools.count(1)

    def execute(self: Any, statement: str) -> Any:
        forgets = statement == "COMMIT" and next(commits) % 20 == 0
        return executed(self, "ROLLBACK" if forgets else statement)

    patch.setattr(store._Connection, "execute", execute)


def nothing_is_scrubbed(patch: Patch) -> None:
    patch.setattr(store.SqliteStore, "scrub", lambda _: True)


@pytest.mark.parametrize(
    ("plant", "name", "cases"),
    [
        (a_confirmation_in_the_same_turn_counts, "bypass", 60),
        (questions_belong_to_no_chat, "bypass", 60),
        (the_owner_is_not_checked_when_deleting, "wrong", 60),
        (the_privacy_check_fails_open, "people", 72),
        (a_direct_chat_is_the_space_it_is_in, "chats", 60),
        (quotes_are_learned_from, "contamination", 20),
        (the_assistant_is_learned_from, "contamination", 20),
        (values_are_compared_as_they_are_written, "duplicates", 30),
        (a_commit_is_lost_now_and_then, "lost", 50),
        (nothing_is_scrubbed, "residue", 6),
    ],
)
def test_a_planted_bug_is_found(
    tmp_path: Path, monkeypatch: Patch, plant: Callable[[Patch], None], name: str, cases: int
) -> None:
    plant(monkeypatch)
    found = results_of(tmp_path, cases, name)[name]
    assert found.failing
    assert found.rate.low > 0
    assert not found.is_good


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        ("the policy `never` is dropped", 60),
        ("withheld messages are told", 20),
        ("`forget` in a group tells what is hidden", 48),
        ("erasing drops the level", 15),
        ("a link opens again", 120),
        ("any role does anything", 60),
    ],
)
def test_a_mutant_is_seen_and_leaves_the_engine_as_it_was(name: str, cases: int) -> None:
    [mutant] = [one for one in MUTANTS if one.name == name]
    before = access.changing_scope, forget.shows_text, dict(queries("sqlite"))
    assert asyncio.run(try_mutant(mutant, seed=1, cases=cases)).is_red
    assert (access.changing_scope, forget.shows_text, queries("sqlite")) == before


def test_each_mutant_can_be_planted_and_each_has_a_class() -> None:
    for mutant in MUTANTS:
        with mutant.plant():
            pass
    assert {one.red for one in MUTANTS} <= {one.name for one in CLASSES}


def test_a_guard_that_nobody_misses_ends_the_command_with_1(tmp_path: Path, monkeypatch: Patch) -> None:
    red = next(one for one in MUTANTS if one.name == "erasing drops the level")
    green = mutants.Mutant("all guards are there", "mine", nullcontext)
    monkeypatch.setattr(mutants, "_CASES", 15)
    for there, code in (((red,), 0), ((red, green), 1)):
        monkeypatch.setattr(mutants, "MUTANTS", there)
        done = CliRunner().invoke(app, ["eval", "safety", "--mutants", "--only", "mine", "--out", str(tmp_path)])
        assert done.exit_code == code, done.output
        assert f"1 of {len(there)} mutants are red" in (tmp_path / "safety-mutants.md").read_text("utf-8")
        assert "| erasing drops the level | mine | 15 |" in done.output
        assert ("| all guards are there | mine | 15 | 0 | **stays green** |" in done.output) is bool(code)


def test_a_failing_case_can_be_run_again_by_its_name(tmp_path: Path, monkeypatch: Patch) -> None:
    values_are_compared_as_they_are_written(monkeypatch)
    [(name, what), *_] = results_of(tmp_path, 30, "duplicates")["duplicates"].failing
    again = asyncio.run(replay("python", f"sqlite:///{tmp_path / 'again.db'}", name))
    assert [what for _, what in again.failing] == [what]
    monkeypatch.undo()
    mended = asyncio.run(replay("python", f"sqlite:///{tmp_path / 'mended.db'}", name))
    assert mended.is_good


def test_a_memory_that_keeps_nothing_is_not_called_safe(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(observe, "keep_inferred", lambda *_, **__: observe.Observed(None))
    result = results_of(tmp_path, 10, "contamination")["contamination"]
    assert (result.failing, len(result.missed)) == ([], result.controls)
    assert not result.is_good
    assert "did not happen" in as_markdown([result], {})


def test_a_database_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    results_of(tmp_path, 10, "duplicates")
    with pytest.raises(InvalidInput, match="not empty"):
        results_of(tmp_path, 10, "duplicates")


def test_the_command_reports_and_ends_with_1_when_something_failed(tmp_path: Path, monkeypatch: Patch) -> None:
    command = ["eval", "safety", "--cases", "20", "--only", "duplicates", "--out", str(tmp_path)]
    good = CliRunner().invoke(app, command)
    assert good.exit_code == 0, good.output
    assert "| duplicates | 20 | 0 | 0.000% | 0.000% – 16.113% | 40 of 40 |" in good.output
    [told] = json.loads((tmp_path / "safety.json").read_text("utf-8"))["classes"]
    assert (told["cases"], told["failures"], told["rate"]["low"]) == (20, 0, 0.0)
    assert (tmp_path / "safety.md").read_text("utf-8") in good.output
    values_are_compared_as_they_are_written(monkeypatch)
    bad = CliRunner().invoke(app, command)
    assert bad.exit_code == 1
    assert "- `duplicates:1000" in bad.output
    replayed = CliRunner().invoke(app, ["eval", "safety", "--case", "duplicates:1000000"])
    assert replayed.exit_code in (0, 1)
    assert "duplicates:1000000" in replayed.output


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--door", "window"), "no door 'window'; there are python, cli, rest, mcp"),
        (("--only", "luck"), "no class 'luck'; there are residue"),
        (("--case", "bypass"), "no case 'bypass'"),
        (("--mutants", "--door", "rest"), "at most --only, --seed and --out"),
        (("--mutants", "--only", "lost"), "no mutant is for lost; there are some for people, chats, policy, forgotten"),
    ],
)
def test_a_mistake_in_the_command_says_what_there_is(options: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        CliRunner().invoke(app, ["eval", "safety", *options], catch_exceptions=False)
