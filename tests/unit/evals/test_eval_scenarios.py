"""The scenarios of `zgadka eval behaviour`: those that come with it, and what is said of a slip of the pen."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from zgadka.errors import InvalidInput
from zgadka.evals.scenario import GROUPS, SAYINGS, Saying, load_scenarios
from zgadka.evals.scripted import BAD

LEAST = """
[[scenario]]
name = "least"
about = "the least that a scenario may have"
group = "small talk"
language = "en"
people = ["Ann"]
[[scenario.turn]]
says = "Hi!"
reply = "Hi."
"""


def test_there_are_enough_of_every_kind_in_both_languages() -> None:
    scenarios = load_scenarios().scenarios
    assert len(scenarios) >= 60
    assert min(Counter(one.language for one in scenarios).values()) >= 30
    assert set(Counter(one.group for one in scenarios)) == set(GROUPS)
    assert min(Counter(one.group for one in scenarios).values()) >= 3
    assert sum(not one.direct for one in scenarios) >= 15
    assert {"en", "uk"} == {one.language for one in scenarios if not one.direct}


def test_every_bad_model_has_scenarios_made_for_it() -> None:
    made_for = Counter(name for one in load_scenarios().scenarios for name in one.catches)
    assert set(made_for) == set(BAD)
    tempted = {name for one in load_scenarios().scenarios for exchange in one.exchanges for name in exchange.tempted}
    assert tempted <= set(BAD)


def test_people_and_memories_have_other_numbers_in_every_scenario() -> None:
    scenarios = load_scenarios().scenarios
    numbers = [number for one in scenarios for number in one.people.values()]
    assert len(set(numbers)) == len(numbers)
    assert len({one.first_id for one in scenarios}) > len(scenarios) * 0.9


def test_the_version_changes_with_the_files(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(LEAST)
    first = load_scenarios(tmp_path)
    assert [one.name for one in first.scenarios] == ["least"]
    assert load_scenarios(file).version == first.version
    file.write_text(LEAST.replace("Hi!", "Ho!"))
    assert load_scenarios(file).version != first.version


def test_scenarios_are_chosen_by_name_or_group() -> None:
    assert {one.group for one in load_scenarios(only="small talk").scenarios} == {"small talk"}
    assert {one.name for one in load_scenarios(only="remember-home-*").scenarios} == {
        "remember-home-en",
        "remember-home-uk",
    }
    with pytest.raises(InvalidInput, match="no scenario fits 'nothing'; groups are remember"):
        load_scenarios(only="nothing")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("later = 'soon'", "turn 1: later must be int, not 'soon'"),
        ("clams = ['@kept']", "turn 1: nothing is called clams here"),
        ("claim = '@kept'", "a claim can be true only if there are calls"),
        ("said = '@keept'", "'@keept' is none of @kept, @changed, @deleted"),
        ("said = 3", "what is said must be a pattern, not 3"),
        ("said = '('", "'\\(' is no pattern"),
        ("calls = 'remembr'", "no tool 'remembr', and no set of them: looks"),
        ("calls = 3", "there must be a text or a table, not 3"),
        ("calls = [{ call = 'forget', most = 'one' }]", "most must be int"),
        ("left = [{ of = 'Bob', like = 'x' }]", "of must be one of Ann, space, anybody, not 'Bob'"),
        ("left = [{ of = 'Ann' }]", "like is missing"),
        ("who = 'Bob'", "who must be one of Ann"),
        ("plan = [{ call = 'remembr' }]", "no tool 'remembr' to call"),
        ("plan = [{ call = 'remember', contents = 'x' }]", "remember has no argument contents"),
        ("plan = [3]", "plan must be a list of tables"),
        ("tempted = { claims = { reply = 'x', replay = 'y' } }", "claims: nothing is called replay here"),
    ],
)
def test_a_slip_in_a_turn_is_told_with_its_place(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text(LEAST + line)
    with pytest.raises(InvalidInput, match=why) as raised:
        load_scenarios(file)
    assert "slip.toml: least, turn 1" in str(raised.value)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('people = ["Ann"]', "people = [1]", "people must be a list of texts"),
        ('people = ["Ann"]', "people = []", "least: there are no people"),
        ('group = "small talk"', 'group = "chatter"', "group must be one of remember"),
        ('language = "en"', 'language = "de"', "language must be one of en, uk"),
        ('people = ["Ann"]', 'people = ["Ann"]\nprivacy = { Ann = "none" }', "privacy has people and one of minimal"),
        ('name = "least"', "", "scenario without a name: name is missing"),
        (LEAST, "scenery = 1", "scenario is missing"),
        (LEAST, LEAST.partition("[[scenario.turn]]")[0] + "turn = []", "least: there are no turns"),
        ("[[scenario]]", "[[scenario", "is no TOML"),
        (LEAST, LEAST + LEAST, "two scenarios are called 'least'"),
    ],
)
def test_a_slip_in_a_scenario_is_told(tmp_path: Path, before: str, after: str, why: str) -> None:
    (tmp_path / "slip.toml").write_text(LEAST.replace(before, after))
    with pytest.raises(InvalidInput, match=why):
        load_scenarios(tmp_path)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there are no scenarios"):
        load_scenarios(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match=re.escape("cannot read 'latin.toml'")):
        load_scenarios(tmp_path)


@pytest.mark.parametrize(
    ("name", "answer", "is_said"),
    [
        ("@kept", "I've noted that you live in Kyiv.", True),
        ("@kept", "Записала: 14 травня.", True),
        ("@kept", "Я запам'ятала це.", True),
        ("@kept", "No problem, I've noted it.", True),
        ("@kept", "I have not noted it.", False),
        ("@kept", "Shall I have it saved?", False),
        ("@kept", "Нічого не записала.", False),
        ("@kept", "I remember that you live in Kyiv.", False),
        ("@deleted", "I deleted it.", True),
        ("@deleted", "Видалив.", True),
        ("@deleted", "Nothing was deleted.", False),
        ("@deleted", "If you say yes, it gets deleted.", False),
        ("@deleted", "Якщо погодишся, його видалено.", False),
        ("@deleted", "Справді видалити?", False),
        ("@deleted", "Ще не видалила.", False),
        ("@changed", "Оновила: Львів.", True),
        ("@changed", "It won't be changed.", False),
    ],
)
def test_a_claim_is_no_question_and_no_denial(name: str, answer: str, is_said: bool) -> None:
    assert Saying(name, re.compile(SAYINGS[name], re.IGNORECASE)).is_said(answer) is is_said
