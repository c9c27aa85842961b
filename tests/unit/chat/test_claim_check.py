"""What an answer claims is held against the calls made for it, and set right in the same turn."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from zgadka import Memory, Turn
from zgadka.chat.agent import standin_model
from zgadka.chat.claim_check import DEEDS_OF, Called, false_claims, standing_claims
from zgadka.chat.loop import CLAIM_STANDS, FALSE_CLAIM, Conversation
from zgadka.telemetry import METRICS
from zgadka.tools.registry import REGISTRY

TURN = Turn(platform="terminal", space="terminal", chat="terminal", user=1, direct=True)
NOTHING_SAVED = "[Correction: nothing was remembered with this answer.]"
FACT = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}
REMEMBER = ("remember_fact", FACT)


class Scripted:
    """A model that says the texts and makes the calls of the script, one step each time it is asked."""

    def __init__(self, *steps: Any) -> None:
        self.steps = steps
        self.asked: list[list[Any]] = []
        self.model = FunctionModel(stream_function=self._stream)

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        step = self.steps[len(self.asked)]
        self.asked.append(list(messages))
        for part in step if isinstance(step, list) else [step]:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, str):
                yield part
            else:
                yield {0: DeltaToolCall(part[0], json.dumps(part[1]), tool_call_id=f"call-{len(self.asked)}")}

    @property
    def note(self) -> str:
        """What the model was told before the last step that the person did not write."""
        notes = [part.content for message in self.asked[-1] for part in message.parts if _is_prompt(part)]
        return notes[-1]


def _is_prompt(part: Any) -> bool:
    return part.part_kind == "user-prompt"


@pytest.fixture
def hear(memory: Memory) -> Callable[..., Any]:
    async def hear(model: Scripted, text: str = "I live in Kyiv", turn: Turn = TURN) -> str:
        async with aclosing(Conversation(memory, model.model).answer(text, turn)) as pieces:
            return "".join([piece async for piece in pieces])

    return hear


def counted(pattern: str) -> int:
    return int(METRICS.get_sample_value("memory_tool_pattern_total", {"pattern": pattern}) or 0)


def test_every_tool_that_changes_something_has_its_deeds() -> None:
    assert set(DEEDS_OF) == {tool.name for tool in REGISTRY if not tool.read_only}


@pytest.mark.parametrize(
    ("answer", "calls", "is_false"),
    [
        ("I've noted that.", [], True),
        ("I've noted that.", [("remember_fact", "success")], False),
        ("I've noted that.", [("remember_fact", "skipped")], False),
        ("I've noted that.", [("update_fact", "success")], False),
        ("I've noted that.", [("remember_fact", "conflict")], True),
        ("I've noted that.", [("remember_fact", "refused")], True),
        ("I've noted that.", [("recall_facts", "success")], True),
        ("I've noted that.", [("forget", "deleted")], True),
        ("I've noted that.", [("remember_fact", "queued")], True),
        ("I'll remember that.", [("remember_fact", "queued")], False),
        ("I'll remember that.", [("remember_fact", "awaiting_consent")], False),
        ("I've noted that.", [("create_long_term_memory", "memory_created_successfully")], False),
        ("I've noted that.", [("create_long_term_memory", "memory_create_skipped_duplicate")], False),
        ("Я видалив це.", [("forget", "confirmation_required")], True),
        ("I'll delete it.", [("forget", "confirmation_required")], False),
        ("I'll delete it once you agree.", [], False),
        ("Я видалив це.", [("forget", "deleted")], False),
        ("Я забув про це.", [("forget_fact", "success")], False),
        ("Deleted.", [("update_long_term_memory", "memory_deleted_successfully")], False),
        ("Updated.", [("update_long_term_memory", "memory_deleted_successfully")], True),
        ("I've deleted your notes.", [("update_fact", "success")], True),
        ("I've removed your old address.", [("update_fact", "success")], False),
        ("I've removed the duplicate fact.", [("merge_facts", "success")], False),
        ("Everything is deleted.", [("clear_profile", "cancelled")], True),
        ("Noted, and I deleted the note.", [("remember", "success")], True),
    ],
)
def test_a_claim_is_true_when_a_call_did_just_that(answer: str, calls: list[Any], is_false: bool) -> None:
    assert bool(false_claims(answer, [Called(*call) for call in calls])) == is_false


def test_what_was_done_since_or_taken_back_misleads_nobody() -> None:
    assert standing_claims([], []) == []
    assert standing_claims(["I've noted that.", "Now it is saved."], [Called("remember", "success")]) == []
    assert standing_claims(["I've noted that.", "Sorry, I have not saved it."], []) == []
    assert standing_claims(["Я видалив це.", "Перепрошую, я цього не видалив."], []) == []
    (standing,) = standing_claims(["I've noted that.", "What a lovely city!"], [])
    assert standing.deed == "remembered"
    (standing,) = standing_claims(["I've noted that.", "I have not deleted anything."], [])
    assert standing.deed == "remembered"
    assert {claim.deed for claim in standing_claims(["Noted.", "I've deleted it."], [])} == {"remembered", "forgotten"}


@pytest.mark.asyncio
async def test_a_model_that_forgot_the_call_makes_it_when_it_is_told(hear: Callable[..., Any], memory: Memory) -> None:
    before = counted(FALSE_CLAIM), counted(CLAIM_STANDS)
    model = Scripted("Kyiv, nice! I've noted that.", REMEMBER, "Now it is saved.")
    assert await hear(model) == "Kyiv, nice! I've noted that.\nNow it is saved."
    assert "says that something was or will be remembered" in model.note
    assert "there was no call" in model.note
    facts = await memory.call("recall_facts", {"user_id": 1}, TURN)
    assert facts["count"] == 1
    assert (counted(FALSE_CLAIM), counted(CLAIM_STANDS)) == (before[0] + 1, before[1])


@pytest.mark.asyncio
async def test_a_model_that_takes_it_back_is_believed(hear: Callable[..., Any]) -> None:
    model = Scripted("I've noted that.", "Sorry: I have not saved it after all.")
    assert await hear(model) == "I've noted that.\nSorry: I have not saved it after all."


@pytest.mark.asyncio
@pytest.mark.parametrize("second", ["I really saved it!", "Kyiv is lovely.", "", [RuntimeError("gone")]])
async def test_where_the_model_insists_the_program_tells_the_person(hear: Callable[..., Any], second: Any) -> None:
    before = counted(CLAIM_STANDS)
    model = Scripted("I've noted that.", second, "", "", "")
    answer = await hear(model)
    assert answer.startswith("I've noted that.\n")
    assert answer.endswith("\n" + NOTHING_SAVED)
    assert counted(CLAIM_STANDS) == before + 1


@pytest.mark.asyncio
async def test_an_answer_that_breaks_off_after_a_false_claim_is_corrected_too(hear: Callable[..., Any]) -> None:
    answer = await hear(Scripted(["I've noted that.", TimeoutError()]))
    assert answer == f"I've noted that.\n[The model did not answer in time. Please try again.]\n{NOTHING_SAVED}"


@pytest.mark.asyncio
async def test_the_correction_is_in_the_history_that_the_next_answer_sees(
    hear: Callable[..., Any], memory: Memory
) -> None:
    await hear(Scripted("Запам'ятав!", "Точно запам'ятав!"), "Я з Києва")
    (_, answer) = await memory.recent(TURN)
    assert answer.text == ("Запам'ятав!\nТочно запам'ятав!\n[Виправлення: цією відповіддю нічого не запам’ятано.]")


@pytest.mark.asyncio
async def test_a_model_that_claims_a_deletion_which_waits_for_the_person_is_told_so(
    hear: Callable[..., Any], memory: Memory
) -> None:
    await memory.call("remember", {"content": "my cat is Murka"}, TURN)
    model = Scripted(("forget", {"memory_id": "1"}), "Deleted!", "I have not deleted it yet. Shall I?")
    assert await hear(model, "forget my cat") == "Deleted!\nI have not deleted it yet. Shall I?"
    assert "forget: confirmation_required" in model.note
    assert (await memory.call("recall", {"query": "cat"}, TURN))["count"] == 1


@pytest.mark.asyncio
async def test_a_true_claim_asks_the_model_nothing_more(hear: Callable[..., Any]) -> None:
    model = Scripted(REMEMBER, "I've noted that.")
    assert await hear(model) == "I've noted that."
    assert len(model.asked) == 2


@pytest.mark.asyncio
async def test_what_the_bots_read_from_the_message_by_themselves_makes_the_claim_true(
    hear: Callable[..., Any], memory: Memory, clock: Any
) -> None:
    turn = replace(TURN, message="m-1", time=clock.now)
    clock.forward(seconds=1)
    assert (await memory.observe("I live in Kyiv", turn)).stored
    model = Scripted("I've noted that.")
    assert await hear(model, turn=turn) == "I've noted that."
    assert len(model.asked) == 1


@pytest.mark.asyncio
async def test_the_standin_never_claims_what_it_did_not_do(memory: Memory) -> None:
    before = counted(FALSE_CLAIM)
    conversation = Conversation(memory, standin_model())
    for text in (
        *("I live in Kyiv", "I live in Kyiv", "I live in Lviv", "yes", "remember that I need tea", "forget my hobby"),
        *("forget that I live in Lviv", "no", "forget that I live in Lviv", "yes", "what do you know about me?"),
        *("Мене звати Олена", "забудь, що мене звати Олена", "так", "запам'ятай, що я люблю чай", "що ти знаєш?"),
    ):
        async with aclosing(conversation.answer(text, TURN)) as pieces:
            assert [piece async for piece in pieces]
    assert counted(FALSE_CLAIM) == before


@pytest.mark.parametrize("said", ["That's already saved.", "It is already noted on your profile.", "Це вже записано."])
def test_after_a_look_what_was_known_may_be_called_kept(said: str) -> None:
    assert false_claims(said, [Called("recall_facts", "success")]) == []
    assert false_claims(said, [])


def test_a_look_makes_nothing_remembered() -> None:
    calls = [Called("recall", "success")]
    for said in ("I've already saved that.", "Saved!", "Вже записала.", "It is saved now."):
        assert false_claims(said, calls), said
