"""Layers within a budget: never over it, nothing twice, what is left over goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.token_budget import Filling, fill, line

lines = st.lists(st.tuples(st.integers(1, 12), st.text("abc", min_size=1, max_size=60)), max_size=12)


@given(st.lists(lines, min_size=3, max_size=3), st.integers(-100, 20_000), st.booleans())
def test_the_budget_holds_and_nothing_is_chosen_twice(given_: list[list[tuple[int, str]]], budget: int, unbroken: bool):
    layers = [
        Filling("heading", share, [line(text, memory=number) for number, text in some], is_unbroken=unbroken)
        for share, some in zip((50, 30, 20), given_, strict=True)
    ]
    fill(layers, (2, 0, 1), budget)
    chosen = [one.memory for layer in layers for one in layer.chosen]
    assert len(chosen) == len(set(chosen))
    assert sum(layer.weight for layer in layers) <= max(budget, 0)
    for layer in layers:
        own = sum(one.weight for one in layer.chosen)
        assert layer.weight == (own + layer.heading.weight if own else 0)


def texts(layer: Filling) -> list[str]:
    return [one.text for one in layer.chosen]


def filled(budget: int, *layers: Filling) -> list[list[str]]:
    fill(layers, range(len(layers)), budget * line("a" * 20).weight)
    return [texts(layer) for layer in layers]


def some(letter: str, count: int) -> list[str]:
    return [f"{letter}{number:02}".ljust(20, letter) for number in range(count)]


def layer(letter: str, count: int, share: int, **more: bool) -> Filling:
    offset = ord(letter) * 100
    return Filling("", share, [line(text, memory=offset + n) for n, text in enumerate(some(letter, count))], **more)


def test_what_a_layer_leaves_goes_to_the_next() -> None:
    first, last = filled(12, layer("a", 1, 50), layer("b", 20, 50))
    assert len(first) == 1
    assert len(last) >= 9


def test_what_the_last_one_leaves_goes_round_once_more() -> None:
    first, last = filled(12, layer("a", 20, 50), layer("b", 1, 50))
    assert len(last) == 1
    assert len(first) >= 9


def test_what_is_in_one_layer_is_in_no_other() -> None:
    same = [line("same text", memory=7)]
    assert filled(20, Filling("", 50, same), Filling("", 50, same)) == [["same text"], []]


def test_a_memory_and_a_message_of_one_number_are_two_things() -> None:
    memory, message = line("a memory", memory=7), line("a message", message=7)
    assert filled(20, Filling("", 50, [memory]), Filling("", 50, [message])) == [["a memory"], ["a message"]]


def test_what_does_not_fit_is_passed_over_but_where_nothing_may_be_missing() -> None:
    long, short = line("x" * 400, memory=1), line("short", memory=2)
    assert filled(4, Filling("", 100, [long, short])) == [["short"]]
    assert filled(4, Filling("", 100, [long, short], is_unbroken=True)) == [[]]


def test_a_full_layer_looks_no_further() -> None:
    looked = 0

    def endless():
        nonlocal looked
        while True:
            looked += 1
            yield line("x" * 4000, memory=looked)

    assert filled(4, Filling("", 100, endless())) == [[]]
    assert looked < 50


def test_a_layer_with_nothing_in_it_has_no_heading() -> None:
    empty = Filling("heading", 100, [])
    fill([empty], (0,), 1000)
    assert empty.weight == 0
