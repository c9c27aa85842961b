"""Tokens, personal links, and requests that come again, over every back end."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from zgadka import InvalidInput
from zgadka.model.token import Grant
from zgadka.ops import idempotency
from zgadka.ops.idempotency import Again, AnotherRequest, Begun, UnderWay
from zgadka.ops.personal_links import make_link, open_link, read_link, session_of, unlink
from zgadka.ops.tokens import add_token, check_token, revoke_token

pytestmark = pytest.mark.asyncio

BOT = Grant(token=0, role="service", label="bot", platforms=("telegram",), spaces=("456",), direct=False)
HER = Grant(token=0, role="person", platforms=("telegram",), people=("123",))


@pytest.mark.partitioned
async def test_a_token_is_known_again_with_all_that_it_is_bound_to(memory):
    made, text = await memory.apply(add_token, BOT)
    found = await memory.look(check_token, text)
    assert found == made
    assert found.grant == Grant(
        token=made.grant.token, role="service", label="bot", platforms=("telegram",), spaces=("456",), direct=False
    )


async def test_of_a_token_nothing_is_kept_that_opens_anything(memory):
    made, text = await memory.apply(add_token, BOT)
    secret = text.split("_", 2)[2]
    assert secret not in str(await memory.look(lambda tx: tx.tokens.list()))
    assert len(made.digest) == 32


async def test_a_token_that_is_not_exactly_so_opens_nothing(memory):
    made, text = await memory.apply(add_token, BOT)
    number = made.grant.token
    other, secret = text[:-1] + ("A" if text[-1] != "A" else "B"), text.partition(f"zgadka_{number}_")[2]
    wrong = [other, text + "A", text[:-1], f"zgadka_{number + 1}_{secret}", f"zgadka_0{number}_{secret}", secret, "",
             text.upper(), f" {text}", f"{text}\n", f"zgadka_{10**15}_{secret}",
             f"zgadka_{10**30}_{secret}"]  # fmt: skip
    for one in wrong:
        assert await memory.look(check_token, one) is None, one


async def test_a_token_is_past_its_time_at_that_moment(memory, clock):
    _, text = await memory.apply(add_token, BOT, timedelta(days=2))
    clock.forward(days=2, seconds=-1)
    assert await memory.look(check_token, text) is not None
    clock.forward(seconds=1)
    assert await memory.look(check_token, text) is None


async def test_a_revoked_token_opens_nothing_and_its_number_is_not_given_again(memory):
    made, text = await memory.apply(add_token, BOT)
    assert await memory.apply(revoke_token, made.grant.token)
    assert not await memory.apply(revoke_token, made.grant.token)
    assert await memory.look(check_token, text) is None
    again, _ = await memory.apply(add_token, BOT)
    assert again.grant.token > made.grant.token


@pytest.mark.partitioned
async def test_whoever_is_erased_is_in_no_token(memory, person):
    await person.speaks()
    _, hers = await memory.apply(add_token, HER)
    _, bots = await memory.apply(add_token, BOT)
    await memory.erase(person.turn())
    assert await memory.look(check_token, hers) is None
    assert await memory.look(check_token, bots) is not None


@pytest.mark.parametrize(
    "given",
    [
        {"role": "person"},
        {"role": "person", "platforms": ("telegram",), "people": ("1", "2")},
        {"role": "person", "platforms": ("telegram",), "people": ("1",), "spaces": ("2",)},
        {"role": "service"},
        {"role": "service", "platforms": ("telegram",), "reads": True},
        {"role": "operator", "people": ("1",)},
    ],
)
async def test_a_grant_that_makes_no_sense_is_refused(given):
    with pytest.raises(InvalidInput):
        Grant(token=0, **given)


async def test_a_label_or_a_time_that_is_too_long_is_refused(memory):
    with pytest.raises(InvalidInput):
        await memory.apply(add_token, Grant(token=0, role="operator", label="x" * 101))
    for lasts in (timedelta(0), timedelta(days=40_000)):
        with pytest.raises(InvalidInput):
            await memory.apply(add_token, BOT, lasts)


async def test_a_link_can_be_opened_until_its_time_is_over(memory, clock):
    link = await memory.apply(make_link, "telegram", "123", timedelta(hours=1))
    found = await memory.look(read_link, link)
    assert (found.grant.platforms, found.grant.people) == (("telegram",), ("123",))
    clock.forward(minutes=59)
    assert await memory.look(read_link, link) is not None
    clock.forward(minutes=1)
    assert await memory.look(read_link, link) is None
    assert await memory.apply(open_link, link) is None


async def test_a_link_opens_once_for_a_session_that_ends_with_its_time(memory, clock):
    link = await memory.apply(make_link, "telegram", "123", timedelta(hours=1))
    _, cookie = await memory.apply(open_link, link)
    assert await memory.look(read_link, link) is None
    assert await memory.apply(open_link, link) is None
    assert (await memory.look(session_of, cookie)).grant.people == ("123",)
    assert await memory.look(session_of, link) is None
    clock.forward(hours=1)
    assert await memory.look(session_of, cookie) is None


async def test_neither_a_link_nor_a_session_is_a_token(memory):
    link = await memory.apply(make_link, "telegram", "123", timedelta(hours=1))
    assert await memory.look(check_token, link) is None
    _, cookie = await memory.apply(open_link, link)
    assert await memory.look(check_token, cookie) is None
    _, token = await memory.apply(add_token, HER)
    assert await memory.look(read_link, token) is None
    assert await memory.look(session_of, token) is None


@pytest.mark.parametrize("ends", ["revoked", "past its time", "unlinked", "erased"])
@pytest.mark.parametrize("is_opened", [False, True])
async def test_a_link_and_its_session_end_with_their_token_and_their_person(memory, person, clock, ends, is_opened):
    await person.speaks()
    made, _ = await memory.apply(add_token, BOT, timedelta(minutes=30))
    by_bot = partial(make_link, token=made.grant.token)
    text = await memory.apply(by_bot, "telegram", "123", timedelta(hours=1))
    others = await memory.apply(by_bot, "telegram", "77", timedelta(hours=1))
    if is_opened:
        _, text = await memory.apply(open_link, text)
    find = session_of if is_opened else read_link
    assert await memory.look(find, text) is not None
    match ends:
        case "revoked":
            await memory.apply(revoke_token, made.grant.token)
        case "past its time":
            clock.forward(minutes=30)
        case "unlinked":
            assert await memory.apply(unlink, "telegram", "123") == 1
        case _:
            await memory.erase(person.turn())
    assert await memory.look(find, text) is None
    assert (await memory.look(read_link, others) is not None) == (ends in ("unlinked", "erased"))


async def test_links_and_sessions_that_ended_are_removed_and_tokens_stay_listed(memory, clock):
    await memory.apply(make_link, "telegram", "123", timedelta(hours=1))
    await memory.apply(add_token, HER, timedelta(hours=1))
    clock.forward(hours=2)
    await memory.tidy()
    assert [token.grant.kind for token in await memory.look(lambda tx: tx.tokens.list())] == ["token"]


async def test_a_link_that_was_changed_in_any_place_opens_nothing(memory):
    link = await memory.apply(make_link, "telegram", "Оля", timedelta(hours=1))
    assert (await memory.look(read_link, link)).grant.people == ("Оля",)
    for place, letter in enumerate(link):
        forged = link[:place] + ("A" if letter != "A" else "Q") + link[place + 1 :]
        assert await memory.look(read_link, forged) is None, place
    for forged in ("", ".", link + "A", link + ".", "é.é", "A" * 3000):
        assert await memory.look(read_link, forged) is None


@pytest.mark.partitioned
async def test_a_link_of_another_store_opens_nothing(memory, opening):
    link = await memory.apply(make_link, "telegram", "123", timedelta(hours=1))
    other = await opening("sqlite://:memory:")
    assert await other.look(read_link, link) is None
    await other.apply(make_link, "telegram", "123", timedelta(hours=1))
    assert await other.look(read_link, link) is None


async def test_a_link_lasts_for_some_time_and_not_for_too_long(memory):
    for lasts in (timedelta(0), timedelta(days=32)):
        with pytest.raises(InvalidInput):
            await memory.apply(make_link, "telegram", "123", lasts)


async def test_a_request_is_taken_on_once_and_answered_the_same_for_a_day(memory, clock):
    begun = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(begun, Begun)
    assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"request"), UnderWay)
    await memory.apply(idempotency.end, 1, "key", begun, 200, "{}")
    clock.forward(hours=23)
    assert await memory.apply(idempotency.begin, 1, "key", b"request") == Again(200, "{}")
    assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"another"), AnotherRequest)
    assert isinstance(await memory.apply(idempotency.begin, 2, "key", b"request"), Begun)
    clock.forward(hours=2)
    assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"another"), Begun)


async def test_a_request_that_came_to_nothing_can_be_made_again(memory):
    begun = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(begun, Begun)
    await memory.apply(idempotency.give_up, 1, "key", begun)
    again = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(again, Begun)
    assert await memory.apply(idempotency.end, 1, "key", again, 200, "{}")
    await memory.apply(idempotency.give_up, 1, "key", again)
    assert await memory.apply(idempotency.begin, 1, "key", b"request") == Again(200, "{}")


async def test_a_request_that_nobody_is_at_any_more_is_taken_on_by_another_once_the_lease_is_over(memory, clock):
    died = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(died, Begun)
    clock.forward(seconds=idempotency.LEASE.total_seconds() - 1)
    assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"request"), UnderWay)
    clock.forward(seconds=1)
    alive = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(alive, Begun)
    # The first was slow, not dead: whatever it did, it may not be answered any more, nor give the key away.
    assert await memory.apply(idempotency.go_on, 1, "key", died) is None
    assert not await memory.apply(idempotency.end, 1, "key", died, 200, '{"was": "first"}')
    await memory.apply(idempotency.give_up, 1, "key", died)
    assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"request"), UnderWay)
    assert await memory.apply(idempotency.end, 1, "key", alive, 200, '{"was": "second"}')
    assert await memory.apply(idempotency.begin, 1, "key", b"request") == Again(200, '{"was": "second"}')


@pytest.mark.partitioned
async def test_a_request_that_somebody_is_still_at_is_nobody_elses(memory, clock):
    begun = await memory.apply(idempotency.begin, 1, "key", b"request")
    assert isinstance(begun, Begun)
    for _ in range(3):
        clock.forward(seconds=50)
        begun = await memory.apply(idempotency.go_on, 1, "key", begun)
        assert begun is not None
        await memory.tidy()
        assert isinstance(await memory.apply(idempotency.begin, 1, "key", b"request"), UnderWay)
    assert await memory.apply(idempotency.end, 1, "key", begun, 200, "{}")
    clock.forward(hours=23)
    assert await memory.apply(idempotency.begin, 1, "key", b"request") == Again(200, "{}")


@pytest.mark.partitioned
async def test_an_erasure_leaves_of_an_answer_only_that_it_was_given(memory, person):
    await person.speaks()
    before = await memory.apply(idempotency.begin, 1, "before", b"request")
    await memory.apply(idempotency.end, 1, "before", before, 200, '{"was": "what she said"}')
    meanwhile = await memory.apply(idempotency.begin, 1, "meanwhile", b"request")
    await memory.erase(person.turn())
    await memory.apply(idempotency.end, 1, "meanwhile", meanwhile, 200, '{"was": "what she said"}')
    for key in ("before", "meanwhile"):
        assert await memory.apply(idempotency.begin, 1, key, b"request") == Again(200, None)


async def test_what_is_past_its_time_is_dropped(memory, clock):
    begun = await memory.apply(idempotency.begin, 1, "key", b"request")
    await memory.apply(idempotency.end, 1, "key", begun, 200, "{}")
    clock.forward(hours=25)
    await memory.tidy()
    assert await memory.look(lambda tx: tx.rows("answer_get", {"token": 1, "key": "key"})) == []
