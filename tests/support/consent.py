"""Answers to questions for consent."""

from __future__ import annotations

from typing import Any

from zgadka import Memory, Turn


async def agree(memory: Memory, number: int, turn: Turn) -> Any:
    """Agree to what the person is shown; returns what the tool answers, None where nothing is asked."""
    proposal = await memory.proposal(number, turn)
    return await memory.answer_consent(number, True, turn, mark=None if proposal is None else proposal.mark)
