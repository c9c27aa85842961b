"""Indexes in memory: bounded, and never older than the transaction that asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from zgadka.stores.cache import Cache, Key

KEY: Key = (7, "memory", "here")


@dataclass
class Rows:
    """An index that keeps what it was told."""

    rows: list[Any] = field(default_factory=list)
    size: int = 100

    def apply(self, change: Any) -> None:
        self.rows.append(change)
        self.size += 10


def ask(
    cache: Cache,
    revision: int,
    rows: list[Any],
    *,
    key: Key = KEY,
    at_once: bool = False,
    generation: int | None = None,
) -> list[Any] | None:
    """What the index holds at this revision; `rows` is what a transaction would read."""
    since = cache.generation if generation is None else generation
    with cache.index(key, revision, lambda: Rows(list(rows)), generation=since, at_once=at_once) as found:
        return None if found is None else list(found.rows)


def warmed(limit: int = 1000) -> Cache:
    cache = Cache(limit)
    assert ask(cache, 1, []) is None
    assert ask(cache, 1, ["a"]) == ["a"]
    return cache


def test_the_first_question_is_answered_from_the_rows_and_the_second_from_memory():
    cache = warmed()
    assert ask(cache, 1, ["not read again"]) == ["a"]


def test_an_index_can_be_built_at_once_and_is_not_kept_where_it_is_asked_for_once():
    cache = Cache(1000)
    assert ask(cache, 1, ["a"], at_once=True) == ["a"]


def test_a_change_is_followed_without_reading_again():
    cache = warmed()
    cache.changed(7, "memory", 2, ["b"])
    assert ask(cache, 2, ["not read again"]) == ["a", "b"]
    assert cache.size == 110


def test_a_change_that_this_process_was_not_told_of_is_read():
    cache = warmed()
    assert ask(cache, 2, ["a", "b"]) == ["a", "b"]


def test_a_gap_between_changes_is_read():
    cache = warmed()
    cache.changed(7, "memory", 3, ["c"])
    assert ask(cache, 3, ["a", "b", "c"]) == ["a", "b", "c"]
    cache.changed(7, "memory", 4, ["d"])
    assert ask(cache, 4, []) == ["a", "b", "c", "d"]


def test_a_transaction_that_began_before_a_change_does_not_see_it():
    cache = warmed()
    cache.changed(7, "memory", 2, ["b"])
    assert ask(cache, 1, []) == ["a"]
    assert ask(cache, 2, []) == ["a", "b"]
    assert ask(cache, 1, ["a"]) is None  # the index has gone on; the rows answer
    assert ask(cache, 1, ["a"], at_once=True) == ["a"]
    assert ask(cache, 2, []) == ["a", "b"]


def test_a_change_of_other_rows_changes_nothing():
    cache = warmed()
    cache.changed(8, "memory", 2, ["b"])
    cache.changed(7, "message", 2, ["b"])
    assert ask(cache, 1, []) == ["a"]


def test_a_change_that_was_read_already_is_not_followed_again():
    cache = warmed()
    assert ask(cache, 2, ["a", "b"]) == ["a", "b"]
    cache.changed(7, "memory", 2, ["b"])
    assert ask(cache, 2, []) == ["a", "b"]


def test_what_was_used_longest_ago_goes_first():
    cache = Cache(250)
    keys: list[Key] = [(owner, "memory", "") for owner in (1, 2, 3)]
    for times, key in zip((2, 2, 5), keys, strict=True):
        found = [ask(cache, 1, [key[0]], key=key) for _ in range(times)]
        assert found[-1] == [key[0]]
    assert cache.size == 200
    assert ask(cache, 1, ["read"], key=keys[1]) == [2]
    assert ask(cache, 1, ["read"], key=keys[0]) is None


def test_an_index_that_grows_pushes_others_out():
    cache = Cache(250)
    for owner in (1, 2):
        ask(cache, 1, [], key=(owner, "memory", ""))
        ask(cache, 1, [owner], key=(owner, "memory", ""))
    cache.changed(2, "memory", 2, range(6))
    ask(cache, 2, [], key=(2, "memory", ""))
    assert cache.size == 160
    assert ask(cache, 1, ["read"], key=(1, "memory", "")) is None


def test_without_room_nothing_is_built():
    cache = Cache(0)
    for _ in range(3):
        assert ask(cache, 1, ["a"]) is None
    assert cache.size == 0


def test_an_index_that_is_too_large_pushes_nothing_out_and_is_built_once():
    cache = warmed(150)
    key: Key = (8, "memory", "large")
    for rows in ([], ["b"]):
        with cache.index(key, 1, lambda rows=rows: Rows(rows, size=200), generation=0) as found:
            assert found is None or rows
    assert ask(cache, 1, ["b"], key=key) is None
    assert ask(cache, 1, []) == ["a"]
    assert cache.size == 100


def test_an_index_that_nobody_asks_for_is_dropped_when_too_much_changed():
    cache = warmed()
    for revision in range(2, 1003):
        cache.changed(7, "memory", revision, ["b"])
    assert cache.size == 0


def test_scopes_that_are_asked_for_alike_do_not_push_each_other_out():
    cache = Cache(350)
    built: list[int] = []
    for _ in range(20):
        for owner in range(30):
            key: Key = (owner, "memory", "")
            with cache.index(key, 1, lambda owner=owner: built.append(owner) or Rows(), generation=0):
                pass
    assert len(built) < 10


def test_a_scope_that_is_asked_for_much_more_often_gets_in():
    cache = Cache(350)
    for _ in range(3):
        for owner in range(4):
            ask(cache, 1, ["row"], key=(owner, "memory", ""))
    new: Key = (99, "memory", "")
    found = [ask(cache, 1, ["row"], key=new) for _ in range(12)]
    assert found[0] is None
    assert found[-1] == ["row"]


def test_what_was_asked_for_long_ago_counts_less_and_less():
    cache = Cache(150)
    for _ in range(500):
        ask(cache, 1, ["old"], key=(1, "memory", ""))
    for number in range(12_000):
        ask(cache, 1, ["row"], key=(number % 3 + 2, "memory", ""))
    assert ask(cache, 1, ["read anew"], key=(1, "memory", "")) is None


def test_clear_forgets_everything():
    cache = warmed()
    cache.clear()
    assert cache.size == 0
    assert ask(cache, 1, ["a"]) is None


@pytest.mark.parametrize("at_once", [False, True])
def test_what_a_transaction_read_that_began_before_everything_was_forgotten_is_not_kept(at_once: bool):
    """Its snapshot may hold what was erased: it answers that transaction, and is gone with it."""
    cache = Cache(1000)
    ask(cache, 1, [])

    def erased_meanwhile() -> Rows:
        cache.clear()
        return Rows(["erased"])

    with cache.index(KEY, 1, erased_meanwhile, generation=cache.generation, at_once=at_once) as found:
        assert found is not None
        assert found.rows == ["erased"]
    assert cache.size == 0
    assert ask(cache, 1, []) is None
    began = cache.generation
    cache.clear()
    ask(cache, 2, [], generation=began)
    assert ask(cache, 2, ["erased"], generation=began) == ["erased"]
    assert cache.size == 0
    assert ask(cache, 2, ["anew"]) == ["anew"]
    assert cache.size == 100


def test_who_was_found_is_forgotten_with_everything_and_not_put_back_by_who_asked_before():
    cache = Cache(1000)
    asked_before = cache.owners
    asked_before["Ann"] = [(1, 1)]
    cache.clear()
    asked_before["Ann"] = [(1, 1)]
    assert cache.owners == {}


def test_only_so_many_questions_are_remembered():
    cache = Cache(1000)
    ask(cache, 1, [])
    for owner in range(5000):
        ask(cache, 1, [], key=(owner, "memory", "other"))
    assert ask(cache, 1, []) is None


def test_a_glance_is_given_the_few_changes_that_the_index_has_not_followed_and_follows_many():
    cache = warmed()

    def look(entry: Rows, waiting: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return list(entry.rows), list(waiting)

    assert cache.glance((7, "memory", "elsewhere"), look) is None
    cache.changed(7, "memory", 2, ["b"])
    assert cache.glance(KEY, look) == (["a"], ["b"])
    cache.changed(7, "memory", 3, ["c", "d"])
    assert cache.glance(KEY, look) == (["a", "b", "c", "d"], [])
    assert cache.size == 130
