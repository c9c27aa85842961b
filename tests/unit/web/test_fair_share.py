"""A caller's places: how many, who is next, and that none is lost."""

from __future__ import annotations

import asyncio

import pytest

from zgadka.web import fair_share
from zgadka.web.fair_share import Crowded, FairShare, Place

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stalls for a moment frees no place, and nobody is taken to have stopped asking."""
    monkeypatch.setattr(fair_share, "HELD_SECONDS", 600)
    monkeypatch.setattr(fair_share, "ACTIVE_SECONDS", 600)


async def taken(share: FairShare, caller: str = "a") -> Place:
    place = Place(share, caller)
    await place.take()
    return place


async def waits(share: FairShare, caller: str = "a") -> asyncio.Task[Place]:
    """A request that stands in line."""
    task = asyncio.create_task(taken(share, caller))
    await asyncio.sleep(0)
    assert not task.done()
    return task


async def test_a_caller_whose_places_are_taken_waits_and_others_do_not():
    share = FairShare(2)
    first, _ = await taken(share), await taken(share)
    third = await waits(share)
    await asyncio.wait_for(taken(share, "b"), 30)
    first.free()
    assert not third.done(), "of two who ask, each has one place"
    share = FairShare(4)
    first, *_ = [await taken(share) for _ in range(4)]
    fifth = await waits(share)
    first.free()
    await asyncio.wait_for(fifth, 30)
    third.cancel()


async def test_the_places_are_shared_by_those_who_asked_in_the_last_second(monkeypatch):
    share = FairShare(4)
    others = [await taken(share, name) for name in ("b", "c", "d")]
    for place in others:
        place.free()
    await taken(share)
    late = await waits(share)
    monkeypatch.setattr(fair_share, "ACTIVE_SECONDS", 0)
    share._until = 0  # the others asked longer ago
    await asyncio.wait_for(taken(share), 30)
    await asyncio.wait_for(taken(share), 30)
    late.cancel()


async def test_who_came_first_is_first_and_nobody_comes_in_between():
    share, order = FairShare(1), []
    place = await taken(share)

    async def work(number: int) -> None:
        place = await taken(share)
        order.append(number)
        await asyncio.sleep(0)
        place.free()

    tasks = [asyncio.create_task(work(number)) for number in range(5)]
    await asyncio.sleep(0)
    place.free()
    await work(5)
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3, 4, 5]
    assert not share.lines


async def test_callers_take_turns_when_one_floods():
    share, order = FairShare(1), []

    async def work(caller: str) -> None:
        place = await taken(share, caller)
        await asyncio.sleep(0)
        order.append(caller)
        place._taken = asyncio.get_running_loop().time() - 0.001  # however long this machine took
        place.free()

    await asyncio.gather(*(work("flood") for _ in range(50)), *(work("good") for _ in range(3)))
    assert [place for place, caller in enumerate(order) if caller == "good"][-1] < 10, order


async def test_where_others_ask_too_a_caller_with_more_waiting_rests_as_long_as_the_request_took():
    share = FairShare(1)
    (await taken(share, "b")).free()
    place = await taken(share)
    second = await waits(share)
    place._taken -= 60  # it took a minute
    place.free()
    await asyncio.sleep(0.05)
    assert not second.done()
    await asyncio.wait_for(taken(share, "b"), 30)
    second.cancel()


async def test_a_caller_alone_does_not_rest():
    share = FairShare(1)
    place = await taken(share)
    second = await waits(share)
    place._taken -= 60
    place.free()
    await asyncio.wait_for(second, 30)


async def test_beyond_the_bound_the_caller_alone_is_refused():
    share = FairShare(1, waiting=2)
    place = await taken(share)
    waiting = [await waits(share), await waits(share)]
    with pytest.raises(Crowded):
        await taken(share)
    await taken(share, "b")
    for task in waiting:
        place.free()
        place = await asyncio.wait_for(task, 30)
    await waits(share)


async def test_who_goes_away_in_line_leaves_no_gap():
    share = FairShare(1, waiting=2)
    place = await taken(share)
    gone, stays = await waits(share), await waits(share)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await waits(share)
    place.free()
    await asyncio.wait_for(stays, 30)


async def test_who_goes_away_as_the_place_comes_hands_it_on():
    share = FairShare(1)
    place = await taken(share)
    gone, stays = await waits(share), await waits(share)
    place.free()
    gone.cancel()
    (await asyncio.wait_for(stays, 30)).free()
    assert not share.lines
    place = await taken(share)
    gone = await waits(share)
    place.free()
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    assert not share.lines
    place = await taken(share)
    gone = await waits(share)
    gone.cancel()
    place.free()
    assert isinstance((await asyncio.gather(gone, return_exceptions=True))[0], asyncio.CancelledError)
    assert not share.lines


async def test_a_place_is_given_back_once_however_often_it_is_freed():
    share = FairShare(1)
    first = await taken(share)
    second = await waits(share)
    first.free()
    first.free()
    await asyncio.wait_for(second, 30)
    await waits(share)
    Place(share, "b").free()
    assert list(share.lines) == ["a"]


async def test_a_place_is_held_for_so_long_and_no_longer(monkeypatch):
    monkeypatch.setattr(fair_share, "HELD_SECONDS", 0.05)
    share = FairShare(1)
    await taken(share)
    await asyncio.wait_for(await waits(share), 30)
    await asyncio.sleep(0.2)
    assert not share.lines


async def test_with_no_limit_nobody_waits_and_nothing_is_left():
    share = FairShare(0, waiting=0)
    places = [await asyncio.wait_for(taken(share), 30) for _ in range(100)]
    for place in places:
        place.free()
    assert not share.lines
