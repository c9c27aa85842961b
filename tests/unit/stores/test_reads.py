"""Which read is next, and that what takes long gives way."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from zgadka.stores.reads import LONG, LOOK_SECONDS, OTHERS_SECONDS, GivingWay, Reads, short_turns


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


class Machine:
    """A clock that runs while somebody sleeps, and what is done after so many looks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **events: Callable[[], object]) -> None:
        self.looks, self._now, self._events = 0, 1000.0, events
        monkeypatch.setattr("zgadka.stores.reads.time", self)

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        self.looks += 1
        self._events.get(f"look_{self.looks}", lambda: None)()


def test_what_takes_long_waits_while_somebody_is_served_and_goes_on_when_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    give_way, others = GivingWay(), ExitStack()
    machine = Machine(monkeypatch, look_3=others.close)
    give_way()
    assert machine.looks == 0
    others.enter_context(give_way.served())
    give_way()
    assert machine.looks == 3


def test_what_takes_long_has_its_share_though_somebody_is_always_served(monkeypatch: pytest.MonkeyPatch) -> None:
    give_way, machine = GivingWay(), Machine(monkeypatch)
    with give_way.served():
        for _ in range(3):
            give_way()
    assert 0 < machine.looks * LOOK_SECONDS < 2 * OTHERS_SECONDS, "having waited once, it works for a while"
