"""Indexes in memory: bounded, and never older than the transaction that asks."""

from __future__ import annotations

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
    cut_to: int = 0

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


def held(cache: Cache, owner: int, size: int, cut_to: int = 0, revision: int = 1) -> Rows:
    """The index of one chat, built with this size where it is not there."""
    key: Key = (owner, "message", "")
    with cache.index(key, revision, lambda: Rows(size=size, cut_to=cut_to), generation=0, at_once=True) as found:
        assert found is not None
        return found


def test_a_large_index_has_the_room_that_small_ones_leave():
    cache = Cache(1600)
    assert cache.room((9, "message", "")) == 1600
    held(cache, 1, 100)
    held(cache, 2, 200)
    held(cache, 3, 1100)
    assert cache.room((9, "message", "")) == (1600 - 100 - 200) // 2
    assert cache.room((3, "message", "")) == 1600 - 100 - 200, "it does not stand in its own way"
    assert cache.room((9, "memory", "")) == 1600, "those of the other kind go first where they were used longest ago"


def test_where_many_share_each_has_at_least_a_part_that_is_soon_built():
    cache = Cache(1600)
    for owner in range(30):
        held(cache, owner, 50)
    assert cache.room((99, "message", "")) == 100


def test_a_small_index_has_room_without_a_look_at_the_others():
    cache = Cache(1600)
    held(cache, 1, 900)
    assert cache.room((9, "message", ""), 100) == 100, "what any index may take"
    assert cache.room((9, "message", ""), 101) == 1600 // 2, "the two large ones share evenly"
    assert Cache(0).room((9, "message", ""), 10**9) >= 10**9, "what is not kept takes no room of others"


def test_large_chats_in_turn_come_to_share_the_cache_and_are_not_built_again():
    cache = Cache(1600)
    built: list[int] = []

    def ask_all() -> None:
        for owner in range(4):
            key: Key = (owner, "message", "")

            def build(key: Key = key) -> Rows:
                built.append(key[0])
                room = cache.room(key)
                return Rows(size=min(room, 1000), cut_to=room if room < 1000 else 0)

            with cache.index(key, 1, build, generation=0, at_once=True):
                pass

    for _ in range(4):
        ask_all()
    built.clear()
    for _ in range(4):
        ask_all()
    assert built == []


def test_an_index_that_left_rows_out_is_built_again_once_it_may_take_twice_as_much():
    cache = Cache(1600)
    held(cache, 1, 900)
    small = held(cache, 2, 700, cut_to=700)
    assert held(cache, 2, 1600) is small, "the other one is still there"
    cache.changed(1, "message", 2, ())
    held(cache, 1, 10, revision=3)
    assert held(cache, 2, 1500) is not small


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


def test_only_so_many_questions_are_remembered():
    cache = Cache(1000)
    ask(cache, 1, [])
    for owner in range(5000):
        ask(cache, 1, [], key=(owner, "memory", "other"))
    assert ask(cache, 1, []) is None
