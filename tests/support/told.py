"""A person of the contract tests who writes a message, and what is remembered from it."""

from __future__ import annotations

from typing import Any

from zgadka.model.turn import Turn

SAID = "I live in Lviv and I keep bees"


async def writes(person: Any, text: str, message: str = "7") -> Turn:
    """Write a message, or give it another text; returns its turn."""
    turn = person.turn(text=text, message=message)
    await person.memory.record("user", text, turn)
    return turn


async def tells(person: Any, text: str = SAID, message: str = "7", **fact: Any) -> int:
    """Write a message and have a fact kept of it; returns the fact's id."""
    kept = await person.fact(turn=await writes(person, text, message), **{"value": "Lviv"} | fact)
    assert kept.status in ("success", "skipped")
    return kept["fact_id"]
