"""Blocks of messages, and how they are cut from a chat."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from zgadka.model.message_block import BLOCK, Block, BlockMessage, next_block

HOUR = 3_600_000_000
words = some.lists(some.sampled_from(["a", "ab", "чай", "茶", "b" * 40]), max_size=6)
rows = some.lists(
    some.tuples(some.integers(0, 2**52), some.integers(0, 2**52), some.integers(-(2**52), 2**60), words),
    max_size=40,
    unique_by=lambda row: row[0],
)


def block_of(entries: list[tuple[int, int, int, list[str]]]) -> Block:
    return Block.of([BlockMessage(id_, person, at, id_ % 16, held) for id_, person, at, held in sorted(entries)])


@given(rows)
def test_a_block_is_read_as_it_was_kept(entries: list[tuple[int, int, int, list[str]]]) -> None:
    block = block_of(entries)
    again = Block.decode(block.encode())
    assert again.encode() == block.encode()
    assert [(m.id, m.person, m.at, m.offer, sorted(m.words)) for m in again.messages()] == [
        (id_, person, at, id_ % 16, sorted(held)) for id_, person, at, held in sorted(entries)
    ]
    for word in ("a", "ab", "чай", "b", "c"):
        assert again.places(word) == [
            place for place, entry in enumerate(sorted(entries)) for held in entry[3] if held == word
        ]


@given(rows, some.data())
def test_what_left_a_block_was_never_there(
    entries: list[tuple[int, int, int, list[str]]], data: some.DataObject
) -> None:
    block = block_of(entries)
    gone = data.draw(some.sets(some.sampled_from(block.ids))) if block.ids else set[int]()
    rest = block.without(gone)
    assert rest.encode() == block_of([entry for entry in entries if entry[0] not in gone]).encode()
    for message in block.messages():
        rest = rest.with_message(message)
    assert sorted(rest.words) == sorted(block.words)
    assert list(rest.ids) == list(block.ids)


def test_a_block_ends_with_a_segment_where_that_is_not_long() -> None:
    talk = [minute * 60_000_000 for minute in range(100)]
    later = [100 * HOUR + at for at in talk]
    assert next_block([*talk, *later]) == 100
    assert next_block(talk[:20] + [200 * HOUR + minute * 60_000_000 for minute in range(300)]) == BLOCK, "too small"
    assert next_block([minute * 60_000_000 for minute in range(500)]) == BLOCK
    assert next_block([5, 6]) == 2
