"""`zgadka eval behaviour`: the good script passes, each bad one is caught, and what is counted is so."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from long_run import is_long
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from typer.testing import CliRunner

from zgadka.cli.main import app
from zgadka.errors import InvalidInput
from zgadka.evals.behaviour import SETS, Talk, run_scenarios, talk_through
from zgadka.evals.behaviour_report import compare_reports, read_report
from zgadka.evals.evaluate import each_model
from zgadka.evals.figures import Behaviour, measure_behaviour, prompts_version
from zgadka.evals.judge import judge, succeeded
from zgadka.evals.kept_talks import KeptTalks
from zgadka.evals.lean import fitting, is_lean
from zgadka.evals.listening import Model, scripted_model
from zgadka.evals.scenario import Scenario, load_scenarios
from zgadka.evals.scripted import BAD, SCRIPTED, Heard, script_for
from zgadka.settings import McpTier
from zgadka.tools.registry import TIERS

REWRITE = "ZGADKA_REWRITE_SNAPSHOTS"
CAUGHT = Path(__file__).with_name("caught.txt")
ALL = load_scenarios().scenarios
NO_CONFIDENCE = {"uncertain-guess-uk"}
"""What is wrong there is how sure the model says that it is, which the lean tools do not ask."""
BY_NAME = {one.name: one for one in ALL}


def talks(script: str, scenarios: Sequence[Scenario], sets: Sequence[str] = SETS) -> list[Talk]:
    def model(scenario: Scenario) -> Model:
        return scripted_model(script_for(script, scenario, lean=is_lean(sets)))

    return asyncio.run(run_scenarios(scenarios, model, sets=sets))


def measured(script: str, *names: str) -> Behaviour:
    return measure_behaviour(script, talks(script, [BY_NAME[name] for name in names]))


def test_the_good_model_passes_every_scenario_and_reaches_every_goal() -> None:
    good = measure_behaviour("good", talks("good", ALL))
    assert {name: outcome.failed for name, outcome in good.scenarios.items() if outcome.failed} == {}
    assert len(good.scenarios) == len(ALL)
    assert good.figures["scenarios passed"].value.mean == good.figures["right in the end"].value.mean == 1
    assert all(figure.reaches(name) is not False for name, figure in good.figures.items())
    assert good.figures["duplicates"].value.mean == good.figures["false claims"].value.mean == 0
    assert all(figure.count for figure in good.figures.values())


@pytest.mark.parametrize(
    ("profile", "least"),
    [("lean", 67), *(pytest.param(*more, marks=pytest.mark.long) for more in [("standard", 69), ("full", 73)])],
)
def test_with_each_profile_of_tools_the_good_model_passes_all_that_these_can_do(profile: McpTier, least: int) -> None:
    scenarios = fitting(ALL, TIERS[profile])
    assert len(scenarios) >= least
    good = measure_behaviour("good", talks("good", scenarios, TIERS[profile]))
    assert {name: outcome.failed for name, outcome in good.scenarios.items() if outcome.failed} == {}


@pytest.mark.parametrize("bad", BAD)
def test_each_bad_model_is_caught_with_the_lean_tools_too(bad: str) -> None:
    """Where what it does wrong can be done with them."""
    made_for = [one for one in fitting(ALL, TIERS["lean"]) if bad in one.catches]
    passed = [talk.scenario.name for talk in talks(bad, made_for, TIERS["lean"]) if not judge(talk).failed]
    assert set(passed) <= NO_CONFIDENCE


def test_each_bad_model_is_caught_by_what_was_made_for_it() -> None:
    """After a wanted change: ZGADKA_REWRITE_SNAPSHOTS=1 pytest tests/unit/evals"""
    lines: list[str] = []
    tries_all = is_long() or REWRITE in os.environ
    caught_by = {bad: [one for one in ALL if bad in one.catches] for bad in BAD}
    for bad, made_for in caught_by.items():
        for talk in talks(bad, made_for if tries_all else made_for[::2]):
            failed = dict.fromkeys(f"{check.turn} {check.kind}" for check in judge(talk).failed)
            assert failed, f"{bad} passes {talk.scenario.name}"
            lines.append(f"{bad} / {talk.scenario.name}: {', '.join(failed)}")
    if os.environ.get(REWRITE):
        CAUGHT.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    kept = CAUGHT.read_text("utf-8").splitlines()
    assert [line.partition(":")[0] for line in kept] == [f"{bad} / {one.name}" for bad in BAD for one in caught_by[bad]]
    assert lines == [line for line in kept if tries_all or line in lines], f"if this is wanted, set {REWRITE}=1"


def test_a_false_claim_that_the_chat_takes_back_is_the_models_and_not_what_the_person_is_left_with() -> None:
    claims = measured("claims", "privacy-full-uk", "remember-home-en")
    assert claims.scenarios["privacy-full-uk"].corrected == 1
    assert list(claims.scenarios["privacy-full-uk"].failed) == ["1 untrue (put right): @kept"]
    assert claims.figures["false claims"].value.mean == 1
    assert claims.figures["false claims left"].value.mean == 0
    assert claims.figures["tools used"].value.mean == 0
    # What should have been stored is not, however honest the chat was about it.
    assert claims.scenarios["remember-home-en"].corrected == 0


def test_duplicates_are_counted_among_what_is_new() -> None:
    repeats = measured("repeats", "several-partly-known-en")
    assert repeats.figures["duplicates"].count == 2
    assert repeats.figures["duplicates"].value.mean == 0.5
    assert repeats.figures["looked first"].value.mean == 1


def test_episodes_are_counted_where_they_are_deserved() -> None:
    names = ("episode-loss-en", "episode-not-for-weather-en")
    assert measured("good", *names).figures["episodes"].count == 1
    assert measured("good", *names).figures["episodes"].value.mean == 1
    assert measured("no_episodes", *names).figures["episodes"].value.mean == 0


def test_calls_with_invented_ids_or_wrong_types_do_not_count_as_successful() -> None:
    for bad, expected in (("invents_ids", "not_found"), ("wrong_types", "invalid_args")):
        (talk,) = talks(bad, [BY_NAME["update-several-values-en"]])
        calls = [call for answered in talk.answers for call in answered.calls if call.tool == "update_fact"]
        assert [call.status for call in calls] == [expected]
        assert not any(succeeded(call) for call in calls)


def test_the_scripts_pass_on_only_ids_that_they_were_shown() -> None:
    scenario = BY_NAME["forget-two-turns-en"]
    text = scenario.exchanges[0].says
    script = script_for("good", scenario)
    heard = [Heard("system", "Speaker: user_id=1"), Heard("user", text)]
    assert [tool for tool, _ in script(heard).calls] == ["forget"]
    result = {"status": "candidates", "candidates": [{"memory_id": 77, "content": "phone: 044 123 45 67"}]}
    move = script([*heard, Heard("tool", json.dumps(result))])
    assert move.calls == [("forget", {"memory_id": 77})]
    with pytest.raises(InvalidInput, match="no id was shown with '044'"):
        script([*heard, Heard("tool", '{"status": "nothing_found"}')])
    with pytest.raises(InvalidInput, match="nothing that is said"):
        script(heard[:1])


def test_a_script_that_names_a_person_it_was_not_shown_is_a_mistake() -> None:
    scenario = BY_NAME["others-delete-en"]
    with pytest.raises(InvalidInput, match="nobody showed the model who Taras is"):
        script_for("good", scenario)([Heard("user", scenario.exchanges[0].says)])


def test_a_tool_that_does_not_exist_is_a_mistake_of_the_model() -> None:
    async def stream(messages: Any, _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if len(messages) == 1:
            yield {0: DeltaToolCall("remember_all", "{}"), 1: DeltaToolCall("recall_facts", "[1]")}
        else:
            yield "Hm."

    talk = asyncio.run(talk_through(BY_NAME["remember-home-en"], FunctionModel(stream_function=stream)))
    calls = talk.answers[0].calls
    assert [(call.tool, call.status) for call in calls] == [
        ("remember_all", "unknown_tool"),
        ("recall_facts", "invalid_args"),
    ]
    assert not any(succeeded(call) for call in calls)
    assert talk.answers[0].requests == 2


def test_a_call_that_a_model_writes_as_text_counts_as_the_call_it_becomes() -> None:
    async def stream(messages: Any, _: AgentInfo) -> AsyncIterator[str]:
        calls = [
            {"name": "recall", "arguments": {"query": "home"}},
            {"name": "remember", "arguments": {"content": "Lives in Kyiv"}},
            {"name": "forget", "arguments": {"memory_id": "77"}},
        ]
        yield "I noted that you live in Kyiv." if len(messages) > 5 else json.dumps(calls[len(messages) // 2])

    talk = asyncio.run(talk_through(BY_NAME["remember-home-en"], FunctionModel(stream_function=stream)))
    (answered,) = talk.answers
    assert [(call.tool, call.status, call.raw) for call in answered.calls] == [
        ("recall", "success", True),
        ("remember", "success", True),
        ("forget", "not_found", True),
    ]
    assert answered.raw == "I noted that you live in Kyiv."


def test_a_call_that_is_refused_since_it_failed_before_counts_as_failed_again() -> None:
    async def stream(messages: Any, _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        match len(messages):
            case 1 | 3:
                yield {0: DeltaToolCall("forget", '{"memory_id": "77"}')}
            case 5:
                yield {0: DeltaToolCall("remember", '{"content": "Lives in Kyiv"}')}
            case _:
                yield "Hm."

    talk = asyncio.run(talk_through(BY_NAME["remember-home-en"], FunctionModel(stream_function=stream)))
    assert [(call.tool, call.status) for call in talk.answers[0].calls] == [
        ("forget", "not_found"),
        ("forget", "not_found"),
        ("remember", "success"),
    ]


def test_a_mistake_inside_a_model_is_not_held_against_it() -> None:
    async def stream(_: Any, __: AgentInfo) -> AsyncIterator[str]:
        raise KeyError("a mistake")
        yield ""

    with pytest.raises(KeyError, match="a mistake"):
        asyncio.run(talk_through(ALL[0], FunctionModel(stream_function=stream)))


def test_a_provider_that_does_not_answer_ends_the_evaluation() -> None:
    asked = 0

    async def stream(_: Any, __: AgentInfo) -> AsyncIterator[str]:
        nonlocal asked
        asked += 1
        raise ModelHTTPError(401, "some-model")
        yield ""

    with pytest.raises(InvalidInput, match=r"the model does not answer: key \(HTTP 401\)"):
        asyncio.run(run_scenarios(ALL, lambda _: FunctionModel(stream_function=stream)))
    assert asked == 3


def test_what_cannot_be_known_before_is_a_mistake_in_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        "[[scenario]]\nname = 'a'\nabout = 'a'\ngroup = 'recall'\nlanguage = 'en'\npeople = ['Ann']\n"
        "known = [{ call = 'remember', content = '' }]\n[[scenario.turn]]\nsays = 'Hi'\nreply = 'Hi'\n"
    )
    with pytest.raises(InvalidInput, match=r"a: remember .* cannot be known: .*invalid_args"):
        talks("good", load_scenarios(file).scenarios)


def test_there_is_no_other_script() -> None:
    assert each_model(["scripted:all", "ollama:x"]) == [*(f"scripted:{name}" for name in SCRIPTED), "ollama:x"]
    with pytest.raises(InvalidInput, match="no scripted model 'best'; there are good, never_calls"):
        script_for("best", ALL[0])


def test_prompts_have_a_version_of_their_own() -> None:
    assert re.fullmatch("[0-9a-f]{12}", prompts_version(("core", "facts")))
    assert prompts_version(("core", "facts")) != prompts_version(("core", "facts", "episodes"))


# The command


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["eval", "behaviour", *map(str, arguments)])


def test_the_command_writes_a_report_and_compares_it_with_an_earlier_one(tmp_path: Path) -> None:
    only = ("--only", "remember-home-en")
    first = run("--model", "scripted:good", *only, "--out", tmp_path / "good")
    assert first.exit_code == 0, first.output
    assert "scripted:good | 100% (21%–100%, 1)" in first.output
    assert (tmp_path / "good" / "behaviour.md").read_text() in first.output
    old = tmp_path / "good" / "behaviour.json"
    report = read_report(old)
    assert report["results"][0]["scenarios"]["remember-home-en"] == {
        "runs": 1,
        "passed": 1,
        "corrected": 0,
        "failed": {},
    }
    without = ("--tools", "core", "--tools", "facts")
    second = run("--model", "scripted:claims", *only, "--repeat", 2, "--compare", old, *without)
    assert second.exit_code == 0, second.output
    assert "## scripted:good, now scripted:claims" in second.output
    assert "| remember-home-en | 1 of 1 | 0 of 2 |" in second.output
    assert "- tools are not the same: core, facts, episodes, now core, facts" in second.output
    assert "1 claim (put right): @kept" in second.output


def test_the_command_says_which_scenarios_got_no_answer() -> None:
    failed = run("--model", "openai:any", "--base-url", "http://127.0.0.1:9/v1", "--only", "remember-home-en")
    assert failed.exit_code == 1
    assert "| openai:any | – | – |" in failed.output  # nothing is known of it
    assert "| remember-home-en | no answer | unreachable |" in failed.output


def test_reports_of_several_models_are_compared_by_name() -> None:
    good, claims = (
        {"model": name, "figures": {}, "scenarios": {"a": {"passed": passed, "runs": 1}}}
        for name, passed in (("good", 1), ("claims", 0))
    )
    old, new = {"about": {}, "results": [good, claims]}, {"about": {}, "results": [claims, {**good, "model": "new"}]}
    told = compare_reports(old, new)
    assert "## claims" in told
    assert "Every scenario came out as before." in told
    assert "new" not in told
    assert "no model is in both" in compare_reports({**old, "results": []}, new)


@pytest.mark.parametrize("text", ["", "[]", '{"results": [{}], "about": {}}', '{"results": []}'])
def test_what_is_no_report_is_not_compared_with(tmp_path: Path, text: str) -> None:
    file = tmp_path / "old.json"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="is no behaviour"):
        read_report(file)
    with pytest.raises(InvalidInput, match="cannot read"):
        read_report(tmp_path / "none.json")


class Counted:
    """The good script, which counts the talks that it was asked for and may be cut off."""

    def __init__(self, scripts: int = 1000) -> None:
        self.scripts = scripts
        self.asked: list[str] = []

    def __call__(self, scenario: Scenario) -> Model:
        if len(self.asked) == self.scripts:
            raise KeyboardInterrupt
        self.asked.append(scenario.name)
        return scripted_model(script_for("good", scenario))


def kept_talks(path: Path, model: Counted, scenarios: Sequence[Scenario], about: str = "m") -> list[Talk]:
    return asyncio.run(run_scenarios(scenarios, model, kept=KeptTalks(path, about)))


def test_an_interrupted_evaluation_goes_on_where_it_was_and_comes_out_the_same(tmp_path: Path) -> None:
    scenarios = [scenario for scenario in ALL if scenario.group in ("forget", "update")]
    scenarios += scenarios[:2]  # talked through twice
    file = tmp_path / "new" / "talks.jsonl"
    first = Counted(3)
    with pytest.raises(KeyboardInterrupt):
        kept_talks(file, first, scenarios)
    file.write_text(file.read_text("utf-8") + '{"key": "torn', "utf-8")
    talked = kept_talks(file, second := Counted(), scenarios)
    assert first.asked + second.asked == [scenario.name for scenario in scenarios]
    assert kept_talks(file, third := Counted(), scenarios) == talked
    assert third.asked == []


def test_a_talk_is_made_anew_where_what_is_said_or_the_model_is_another(tmp_path: Path) -> None:
    scenario = ALL[0]
    kept_talks(tmp_path / "talks", Counted(), [scenario])
    said = replace(scenario.exchanges[0], says="Something else.")
    judged = replace(scenario.exchanges[0], looks_first=not scenario.exchanges[0].looks_first)
    kept_talks(tmp_path / "talks", reworded := Counted(), [replace(scenario, exchanges=[said])])
    kept_talks(tmp_path / "talks", other := Counted(), [scenario], "another model")
    kept_talks(tmp_path / "talks", same := Counted(), [replace(scenario, exchanges=[judged, *scenario.exchanges[1:]])])
    assert (len(reworded.asked), len(other.asked), len(same.asked)) == (1, 1, 0)


def test_a_talk_without_an_answer_of_the_provider_is_tried_again(tmp_path: Path) -> None:
    KeptTalks(tmp_path / "talks", "m").add(Talk(ALL[0], [], "busy (HTTP 429)"), 0)
    assert KeptTalks(tmp_path / "talks", "m").find(ALL[0], 0) is None


@pytest.mark.parametrize("text", ["no JSON\n", "[]\n", '{"answers": []}\n'])
def test_a_file_of_something_else_is_no_file_of_talks_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "talks"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match="no file of talks"):
        KeptTalks(file, "m")
    with pytest.raises(InvalidInput, match="cannot keep talks"):
        KeptTalks(tmp_path, "m")
    assert file.read_text("utf-8") == text
