"""200 updates as a good model would call them, by somebody else (`tests/data/updates.md`): what holds, what held."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.text.canonical import canonical
from zgadka.text.keys import normalise_key

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "updates.jsonl").read_text().splitlines()]


@dataclass
class Score:
    """How many were right, and which were not."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, is_right: bool, case: str) -> None:
        self.right += is_right
        self.wrong += [] if is_right else [case]

    @property
    def share(self) -> float:
        return self.right / max(self.right + len(self.wrong), 1)


def said(fact: dict[str, Any]) -> tuple[str, str]:
    key = normalise_key(fact["key"])
    return key, canonical(fact["value"], key)


async def told(memory: Memory, turn: Turn, **asked: Any) -> set[tuple[str, str]]:
    result = await memory.call("recall_facts", {"user_id": 123, "limit": 50, **asked}, turn)
    return {said(fact) for fact in result["facts"]}


async def live_through(case: dict[str, Any], scores: dict[str, Score], *, calls: bool) -> None:
    now = [datetime.fromisoformat(case["messages"][0]["at"])]
    settings = Settings(background=False, calls_per_answer=0)
    async with open_memory("sqlite://:memory:", settings=settings, clock=lambda: now[0]) as memory:
        for number, message in enumerate(case["messages"]):
            now[0] = max(now[0], at := datetime.fromisoformat(message["at"]))
            turn = Turn(platform="telegram", space="1", chat="1", user=123, turn=str(number), time=at)
            if calls:
                for call in message["calls"]:
                    result = await memory.call(call["tool"], {"user_id": 123, **call["args"]}, turn)
                    scores["calls"].count(result.status in ("success", "skipped"), f"{case['id']}: {result}")
            else:
                await memory.observe(message["text"], replace(turn, message=str(number)), ask=False)
        now[0] = datetime.fromisoformat(case["asked_at"])
        turn = Turn(platform="telegram", space="1", chat="1", user=123, time=now[0])
        holds = await told(memory, turn, as_of=case["asked_at"])
        for fact in case["now"]:
            scores["now"].count(said(fact) in holds, f"{case['id']}: {fact} not in {holds}")
        for fact in case["not_now"]:
            scores["not_now"].count(said(fact) not in holds, f"{case['id']}: {fact} in {holds}")
        for fact in case["past"]:
            held = await told(memory, turn, as_of=fact["held_on"])
            scores["past"].count(said(fact) in held, f"{case['id']}: {fact} not in {held}")


def measure(*, calls: bool) -> dict[str, Score]:
    scores = {name: Score() for name in ("calls", "now", "not_now", "past")}

    async def all_of_them() -> None:
        for case in CASES:
            await live_through(case, scores, calls=calls)

    asyncio.run(all_of_them())
    return scores


def test_what_a_good_model_calls_leaves_the_right_values_now_and_in_the_past() -> None:
    scores = measure(calls=True)
    wrong = "\n".join(f"{name} {line}" for name, score in scores.items() for line in score.wrong)
    assert (scores["calls"].share, scores["now"].share, scores["not_now"].share) == (1, 1, 1), wrong
    assert scores["past"].share >= 0.95, wrong


if __name__ == "__main__":  # what inference by rules makes of the texts; issue 13 has the bar
    for name, score in measure(calls=False).items():
        print(f"{name}: {score.right} right, {len(score.wrong)} wrong ({score.share:.0%})")
