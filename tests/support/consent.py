"""Answers to questions for consent."""

from __future__ import annotations

from zgadka import Memory, Turn
from zgadka.model.result import ToolResult


async def agree(memory: Memory, number: int, turn: Turn) -> ToolResult | None:
    """Agree to what the person is shown."""
    proposal = await memory.proposal(number, turn)
    return await memory.answer_consent(number, True, turn, mark=None if proposal is None else proposal.mark)
