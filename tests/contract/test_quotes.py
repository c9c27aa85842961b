"""What others quote or forward of a person goes with what the person said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.group_world import ANNA, BOB, CLARA, VALUE, World

from zgadka.model.privacy import PrivacyLevel

pytestmark = [pytest.mark.asyncio]

SAID = f"I'm allergic to {VALUE}"
OTHER = "I was born in Lviv in spring"


async def searched(world: World, user: int = BOB) -> str:
    turn = world.turn(user)
    found = await world.memory.search_messages(VALUE, turn)
    context = await world.memory.build_context(world.turn(user, text=f"Who is allergic to {VALUE}?"))
    return await world.told(user) + str(found) + context.text


async def forgets(world: World, id_: int) -> None:
    for text in ("Forget that", "Yes"):
        await world.memory.call("forget", {"memory_id": str(id_)}, world.turn(ANNA, text=text))
    await world.memory.run_tasks()


@pytest.mark.partitioned
@pytest.mark.parametrize(
    ("quote", "is_forwarded"),
    [
        (f"> {SAID}\nNo way!", False),
        (f"> {SAID}", True),
        (f">>> {SAID}", False),
        (f"look\n> allergic to {VALUE}", False),
    ],
)
async def test_what_others_quote_goes_and_comes_back_with_what_is_forgotten(
    world: World, quote: str, is_forwarded: bool
) -> None:
    _, id_ = await world.tells(ANNA, SAID)
    await world.says(BOB, quote, forwards=ANNA if is_forwarded else None)
    await world.says(BOB, f"> {OTHER}\nlovely")
    assert VALUE in await searched(world, CLARA)
    await forgets(world, id_)
    assert VALUE not in await searched(world, CLARA)
    assert OTHER in await world.told(CLARA)
    await world.memory.undo(id_, world.turn(ANNA))
    await world.memory.run_tasks()
    messages = await world.memory.recent(world.turn(CLARA), 50)
    assert quote in [row.text for row in messages]


async def test_a_forward_of_what_was_said_elsewhere_is_known_by_what_the_platform_tells(world: World) -> None:
    turn = world.turn(ANNA, "direct", text=SAID)
    await world.memory.record("user", SAID, turn)
    id_ = (await world.fact(turn))["fact_id"]
    await world.memory.share(id_, world.turn(ANNA, "direct"), everywhere=True)
    await world.says(BOB, f"> {SAID}", forwards=ANNA)
    await world.says(BOB, f"> Say {VALUE}", forwards=CLARA)
    for text in ("Forget that", "Yes"):
        await world.memory.call("forget", {"memory_id": str(id_)}, world.turn(ANNA, "direct", text=text))
    await world.memory.run_tasks()
    texts = [row.text for row in await world.memory.recent(world.turn(CLARA), 50)]
    assert texts == [f"> Say {VALUE}"]


@pytest.mark.parametrize("how", ["deleted", "edited", "off the record"])
async def test_what_others_quote_goes_with_the_message(world: World, how: str) -> None:
    turn, _ = await world.tells(ANNA, SAID)
    await world.says(BOB, f"> {SAID}\nNo way!")
    await world.takes_back(turn, how)
    assert VALUE not in await searched(world, CLARA)


async def test_what_others_quote_goes_with_a_message_of_which_nothing_was_remembered(world: World) -> None:
    turn = await world.says(ANNA, VALUE)
    await world.says(BOB, f"> {VALUE}\nWhat?")
    await world.says(CLARA, f"What is {VALUE}?")
    await world.memory.unrecord(replace(world.turn(ANNA), message=turn.message))
    await world.memory.run_tasks()
    assert [row.text for row in await world.memory.recent(world.turn(CLARA), 50)] == [f"What is {VALUE}?"]


@pytest.mark.parametrize("quote", [f"> {SAID}\nNo way!", f"> {SAID}"])
async def test_nobody_is_told_a_quotation_of_who_is_invisible(world: World, quote: str) -> None:
    await world.says(ANNA, SAID)
    await world.says(BOB, quote)
    await world.memory.set_privacy(PrivacyLevel.FULL, world.turn(ANNA, "direct"))
    await world.memory.run_tasks()
    await world.says(BOB, f"{quote}\nagain", forwards=ANNA)
    assert VALUE not in await searched(world, CLARA)
    await world.memory.set_privacy(PrivacyLevel.MINIMAL, world.turn(ANNA, "direct"))
    await world.memory.run_tasks()
    told = [row.text for row in await world.memory.recent(world.turn(CLARA), 50)]
    assert [SAID, quote] == told[:2]
    assert not any(VALUE in text for text in told[2:])  # nothing of hers was kept meanwhile


async def test_an_erasure_leaves_of_a_message_what_its_writer_said(world: World) -> None:
    await world.tells(ANNA, SAID)
    turn = await world.says(BOB, f"> {SAID}\nNo way!")
    await world.says(BOB, f"> {SAID}")
    await world.answers(turn, f"Anna is allergic to {VALUE}, Bohdan")
    await world.memory.erase(world.turn(ANNA, "direct"))
    await world.memory.run_tasks()
    assert [row.text for row in await world.memory.recent(world.turn(CLARA), 50)] == ["No way!"]
    assert VALUE not in str(await world.exported())


async def test_a_quotation_of_what_is_forgotten_already_is_told_nobody(world: World) -> None:
    _, id_ = await world.tells(ANNA, SAID)
    await forgets(world, id_)
    await world.says(BOB, f"> {SAID}\nNo way!")
    assert VALUE not in await searched(world, CLARA)


@pytest.mark.parametrize("is_private", [False, True])
async def test_a_quoted_answer_goes_with_what_it_told(world: World, is_private: bool) -> None:
    _, id_ = await world.tells(ANNA, SAID)
    answer = f"You are allergic to {VALUE}" if is_private else f"Anna is allergic to {VALUE}"
    await world.answers(await world.says(ANNA if is_private else CLARA, "hm?"), answer, given=[id_])
    await world.says(BOB, f"> {answer}\nlook")
    assert VALUE in await searched(world, CLARA)
    await forgets(world, id_)
    assert VALUE not in await searched(world, CLARA)


async def test_who_edits_a_quotation_away_quotes_nobody(world: World) -> None:
    _, id_ = await world.tells(ANNA, SAID)
    turn = await world.says(BOB, f"> {SAID}\nNo way!")
    await world.memory.record("user", f"No {VALUE} for me either", replace(world.turn(BOB), message=turn.message))
    await forgets(world, id_)
    assert "for me either" in await world.told(CLARA)
