"""Which read is next, and that what takes long gives way."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from zgadka.breathing import Lent, breathe, breaths
from zgadka.stores.reads import LONG, LOOK_SECONDS, OTHERS_SECONDS, GivingWay, Reads, short_turns
from zgadka.stores.row_mapping import readable


@dataclass(frozen=True)
class Read:
    line: Hashable
    name: str = ""


def reads_of(*waiting: Read, readers: int = 3) -> Reads[Read]:
    reads = Reads[Read](readers)
    for read in waiting:
        reads.put(read)
    return reads


def taken(reads: Reads[Read]) -> list[str]:
    names: list[str] = []
    while (read := reads.take()) is not None:
        names.append(read.name)
    return names


def test_of_one_line_another_begins_once_the_first_is_done_and_others_do_not_wait_for_it() -> None:
    first = Read("anna", "first")
    reads = reads_of(first, Read("anna", "second"), Read("petro", "other"))
    assert taken(reads) == ["first", "other"]
    reads.done(first)
    assert taken(reads) == ["second"]


def test_lines_are_served_in_turn_and_each_in_order() -> None:
    reads = reads_of(*(Read("anna", f"a{n}") for n in range(3)), Read("petro", "p0"), readers=8)
    assert taken(reads) == ["a0", "p0", "a1", "a2"]


@pytest.mark.parametrize(("readers", "at_once"), [(1, 1), (3, 1), (5, 2), (10, 5)])
def test_a_line_has_half_of_the_readers_at_most(readers: int, at_once: int) -> None:
    reads = reads_of(*(Read("anna", str(n)) for n in range(20)), readers=readers)
    assert len(taken(reads)) == at_once


def test_of_what_takes_long_one_is_under_way_whoever_asks() -> None:
    long = Read(LONG, "first")
    reads = reads_of(long, Read(LONG, "second"), Read("anna", "short"), readers=10)
    assert taken(reads) == ["first", "short"]
    reads.done(long)
    assert taken(reads) == ["second"]


def test_what_is_nobodys_leaves_one_reader() -> None:
    reads = reads_of(*(Read(None, str(n)) for n in range(9)), readers=3)
    assert taken(reads) == ["0", "1"]


def test_many_threads_take_each_read_once_and_never_two_of_one_line() -> None:
    reads = reads_of(*(Read(n % 7, str(n)) for n in range(700)))
    under_way: set[Hashable] = set()
    done: list[str] = []
    gate = threading.Lock()

    def work() -> None:
        while (read := reads.take()) is not None:
            with gate:
                assert read.line not in under_way
                under_way.add(read.line)
            time.sleep(0)
            with gate:
                under_way.remove(read.line)
                done.append(read.name)
            reads.done(read)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done, key=int) == [str(n) for n in range(700)]


def test_threads_take_turns_more_often_until_the_last_is_done() -> None:
    usual = sys.getswitchinterval()
    with short_turns():
        with short_turns():
            pass
        assert sys.getswitchinterval() < usual / 10
    assert sys.getswitchinterval() == usual


def test_no_full_collection_of_garbage_until_the_last_is_done() -> None:
    usual = gc.get_threshold()
    assert usual[2] < 10**6
    with short_turns():
        assert gc.get_threshold()[:2] == usual[:2]
        assert gc.get_threshold()[2] >= 50 * usual[2]
    assert gc.get_threshold() == usual


class Machine:
    """A clock that runs while somebody sleeps or asks what they computed, and what happens meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looks, self._now = 0, 1000.0
        self.meanwhile: Callable[[], object] = lambda: None
        monkeypatch.setattr("zgadka.stores.reads.time", self)

    def monotonic(self) -> float:
        return self._now

    def thread_time(self) -> float:
        self._now += 0.001
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        self.looks += 1
        self.meanwhile()

    def looks_in_turn(self, give_way: GivingWay, line: Hashable = "heavy") -> int:
        """How often something long of this line looks whether others are still served, and sleeps."""
        before = self.looks
        with give_way.pace(line, None) as turn:
            turn()
        return self.looks - before


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def test_what_takes_long_waits_until_nobody_of_another_line_is_served(machine: Machine) -> None:
    give_way = GivingWay(readers=2)
    assert not machine.looks_in_turn(give_way)
    with give_way.served("heavy"):
        assert not machine.looks_in_turn(give_way)
        with ExitStack() as others:
            others.enter_context(give_way.served("anna"))
            others.enter_context(give_way.served("anna"))
            machine.meanwhile = lambda: others.close() if machine.looks == 3 else None
            assert machine.looks_in_turn(give_way) == 3


def test_what_takes_long_has_its_share_though_somebody_is_always_served(machine: Machine) -> None:
    give_way = GivingWay(readers=2)
    with give_way.served("anna"), give_way.pace("heavy", None) as look:
        for _ in range(3):
            look()
    assert machine.looks in (round(OTHERS_SECONDS / LOOK_SECONDS), round(OTHERS_SECONDS / LOOK_SECONDS) + 1)


def test_where_all_other_readers_wait_for_others_one_goes_on_to_serve_these(machine: Machine) -> None:
    give_way = GivingWay(readers=2)
    asleep: list[int] = []
    machine.meanwhile = lambda: asleep.append(machine.looks_in_turn(give_way, "another"))
    with give_way.served("anna"):
        assert machine.looks_in_turn(give_way)
    assert not any(asleep)


def test_who_has_what_others_want_does_not_wait_for_these(machine: Machine) -> None:
    give_way, lent = GivingWay(readers=2), Lent()

    def want() -> None:
        with lent:
            pass

    other = threading.Thread(target=want)
    with give_way.served("anna"), lent:
        other.start()
        while not lent.wanted:
            pass
        assert not machine.looks_in_turn(give_way)
    other.join()
    with give_way.served("anna"), lent:
        assert machine.looks_in_turn(give_way)


def test_what_has_computed_for_long_is_waited_for_no_more_and_waits_itself(machine: Machine) -> None:
    give_way = GivingWay(readers=2)
    usual = sys.getswitchinterval()
    with give_way.served("heavy") as turns_out_long:
        with give_way.served("anna"), give_way.pace("heavy", turns_out_long) as look:
            look()
            assert not machine.looks
            while sys.getswitchinterval() == usual:
                look()
            assert machine.looks
        assert sys.getswitchinterval() == usual
        assert not give_way.is_pressed


def test_each_row_that_is_read_is_a_breath_of_whoever_reads_it() -> None:
    breaths_taken: list[int] = []
    with breaths(lambda: breaths_taken.append(1)):
        assert readable(lambda row: row[0], [(1,), (2,)], "test") == [1, 2]
    assert len(breaths_taken) == 2
    breathe()
    assert len(breaths_taken) == 2
