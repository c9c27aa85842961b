"""Evaluate a model by its name: a script, or a language model as `zgadka chat` names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zgadka.chat.providers import choose_model
from zgadka.errors import extra_for
from zgadka.evals.behaviour import SETS, Progress, run_scenarios
from zgadka.evals.figures import Behaviour, measure_behaviour, prompts_version
from zgadka.evals.kept_talks import KeptTalks
from zgadka.evals.lean import fitting, is_lean
from zgadka.evals.scenario import Scenario
from zgadka.evals.scripted import SCRIPT, SCRIPTED, script_for

if TYPE_CHECKING:
    from zgadka.evals.listening import Model


def each_model(names: Sequence[str]) -> list[str]:
    """The names, with all scripts in the place of `scripted:all`."""
    return [
        each
        for name in names
        for each in ([f"{SCRIPT}{script}" for script in SCRIPTED] if name == f"{SCRIPT}all" else [name])
    ]


async def evaluate_model(
    name: str | None,
    scenarios: Sequence[Scenario],
    *,
    base_url: str | None = None,
    sets: Sequence[str] = SETS,
    repeat: int = 1,
    progress: Progress = lambda _, __: None,
    keep: Path | None = None,
) -> Behaviour:
    """Let one model talk through the scenarios, and measure how it manages memory.

    Args:
        name: `scripted:good` and the like, or `provider:model`; None: by the keys in the environment.
        base_url: The server's address instead of the provider's own.
        repeat: How many times each scenario is talked through: a language model does not always do the same.
        keep: A file for the talks: those that are in it are not talked through again. Scripts are, they cost nothing.

    Raises:
        InvalidInput: There is no such script, the model does not answer, or `keep` is no file of talks.
        SettingsError: There is no such provider, or it has no key.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    talks = [scenario for scenario in fitting(scenarios, sets) for _ in range(repeat)]
    if name is not None and name.startswith(SCRIPT):
        script = name.removeprefix(SCRIPT)
        run = await run_scenarios(talks, _scripted(script, lean=is_lean(sets)), sets=sets, progress=progress)
        return measure_behaviour(name, run)
    async with choose_model(name, base_url=base_url) as choice:
        kept = None if keep is None else KeptTalks(keep, f"{choice.name}, prompts {prompts_version(sets)}")
        run = await run_scenarios(talks, lambda _: choice.model, sets=sets, progress=progress, kept=kept)
        return measure_behaviour(choice.name, run)


def _scripted(name: str, *, lean: bool) -> Callable[[Scenario], Model]:
    with extra_for("the evaluation of behaviour", "chat"):
        from zgadka.evals.listening import scripted_model  # noqa: PLC0415  (comes with an extra)
    return lambda scenario: scripted_model(script_for(name, scenario, lean=lean))
